#include <algorithm>

#include "core/analysis/message_passing.h"
#include "core/analysis/op_view.h"
#include "core/analysis/rewrite_round.h"

namespace cleave {

namespace {

class GatherRewrites : public RewriteRound {
public:
    using RewriteRound::RewriteRound;

    void transformFirst()
    {
        forEachOp([this](OpId id) { transformFirst(id); });
    }

    // From the last on: what divides a sum belongs to it.
    void aggregateFirst()
    {
        forEachOpFromLast([this](OpId id) { aggregateFirst(id); });
    }

    void oneGather()
    {
        std::vector<std::pair<const Op*, ValueId>> seen;
        for (std::size_t i = 0; i < m_p.ops.size(); ++i) {
            const OpId id{static_cast<int>(i)};
            const Op& op = m_p[id];
            const auto gather = gatherForm(m_p, id);
            if (!gather || !isFeature(gather->source) || op.outputs.size() != 1)
                continue;
            const auto same = std::ranges::find_if(seen, [&](const auto& other) {
                return other.first->target == op.target && other.first->overload == op.overload && other.first->args == op.args;
            });
            if (same == seen.end()) {
                seen.emplace_back(&op, op.outputs.front());
                continue;
            }
            ++m_found;
            m_emit[id] = [by = same->second](Rewriter& rewriter, const Op& old) { rewriter.replace(old.outputs.front(), by); };
        }
    }

private:
    // A number for each row, behind views that repeat it along the others: [rows, 1].
    ValueId numberPerRow(ValueId id) const
    {
        for (const Op* op = maker(id); op && isView(*op, {ViewKind::Repeat}); op = maker(id))
            id = OpView(m_p, *op).value("self");
        const auto& sizes = m_p[id].sizes;
        return sizes.size() == 2 && sizes[1].isOne() && isStructure(id) ? id : ValueId{};
    }

    // A sum over neighbours, or their mean: rows of `input` gathered, times a number for each edge, reduced, divided by a number for each node.
    struct Aggregation {
        ValueId input;
        Op gather;
        ValueId weight;         // a number for each edge; invalid: none
        ValueId segment;        // one target for each edge
        ValueId by;             // a number for each node; invalid: none
        bool divides = false;
        Dim nodes;
        bool addsOwn = false;   // a node's own row of `input` is added in the end
        Argument ownFactor;     // times a constant number; none: as it is
    };

    // An aggregation, or one to which a node's own row is added: (1 + eps) x + sum of x_j.
    std::optional<Aggregation> aggregationWithOwn(ValueId value) const
    {
        if (auto found = aggregationOf(value))
            return found;
        const Op* sum = maker(value);
        if (!sum || !isPlain(*sum, "aten::add") || !isReadOnce(value))
            return {};
        const OpView view(m_p, *sum);
        const ValueId self = view.value("self"), other = view.value("other");
        for (const auto& [rows, own] : {std::pair(self, other), std::pair(other, self)})
            if (auto found = rows.valid() && own.valid() ? aggregationOf(rows) : std::nullopt;
                found && m_p[rows].sizes == m_p[own].sizes && isOwn(own, *found))
                return found;
        return {};
    }

    bool isOwn(ValueId own, Aggregation& found) const
    {
        found.addsOwn = true;
        if (own == found.input)
            return true;
        const Op* product = maker(own);
        if (!product || !isPlain(*product, "aten::mul"))
            return false;
        const Argument *self = product->find("self"), *other = product->find("other");
        if (!self || !other)
            return false;
        const bool reversed = other->asValue() && *other->asValue() == found.input;
        if (!reversed && !(self->asValue() && *self->asValue() == found.input))
            return false;
        found.ownFactor = reversed ? *self : *other;
        const ValueId* factor = found.ownFactor.asValue();
        return !factor || (isConstant(*factor) && std::ranges::all_of(m_p[*factor].sizes, &Dim::isOne));
    }

    std::optional<Aggregation> aggregationOf(ValueId value) const
    {
        Aggregation found;
        const Op* op = maker(value);
        if (op && (isPlain(*op, "aten::div") || isPlain(*op, "aten::mul")) && isReadOnce(value)) {
            const OpView view(m_p, *op);
            const bool reversed = op->target == "aten::mul" && !isFeature(view.value("self"));
            const ValueId rows = view.value(reversed ? "other" : "self"), number = view.value(reversed ? "self" : "other");
            if (!rows.valid() || !number.valid() || m_p[number].kind != ValueKind::Tensor)
                return {};
            found.by = numberPerRow(number);
            found.divides = op->target == "aten::div";
            if (!found.by.valid())
                return {};
            value = rows;
            op = maker(value);
        }
        const auto scatter = op && isReadOnce(value) ? scatterForm(m_p, m_p[value].producer) : std::nullopt;
        const bool sums = scatter && (op->target == "aten::scatter_add" || isPlain(*op, "aten::index_add"));
        if (!sums || !scatter->source.valid() || m_p[value].sizes.size() != 2 || scatter->rowDim != 0 || filledWith(m_p, scatter->self) != 0.0 ||
            !isReadOnce(scatter->source))
            return {};
        found.nodes = m_p[value].sizes[0];
        found.segment = viewRoot(m_p, scatter->index);
        if (m_p[found.segment].sizes.size() != 1 || !isStructure(found.segment))
            return {};
        ValueId messages = scatter->source;
        const Op* message = maker(messages);
        if (message && isPlain(*message, "aten::mul")) {
            const OpView view(m_p, *message);
            const bool reversed = !isFeature(view.value("self"));
            const ValueId rows = view.value(reversed ? "other" : "self"), number = view.value(reversed ? "self" : "other");
            if (!rows.valid() || !number.valid() || m_p[number].kind != ValueKind::Tensor || !isReadOnce(rows))
                return {};
            found.weight = numberPerRow(number);
            if (!found.weight.valid())
                return {};
            messages = rows;
            message = maker(messages);
        }
        const auto gather = message ? gatherForm(m_p, m_p[messages].producer) : std::nullopt;
        if (!gather || gather->sourceDim != 0 || gather->rowDim != 0 || !isFeature(gather->source) || !isStructure(gather->index) ||
            m_p[gather->source].sizes.size() != 2 || m_p[gather->index].sizes.size() != 1 || !countsNodes(m_p[gather->source].sizes[0]))
            return {};
        found.input = gather->source;
        found.gather = *message;
        return found;
    }

    // linear(mean(x)) = mean(linear(x)) without the bias, which comes last.
    void transformFirst(OpId id)
    {
        const auto linear = linearOf(&m_p[id]);
        if (!linear || linear->out >= linear->in)
            return;
        const auto found = aggregationWithOwn(linear->input);
        if (!found)
            return;
        ++m_found;
        m_emit[id] = [this, linear = *linear, a = *found](Rewriter& rewriter, const Op& old) {
            const ValueId y =
                rewriter.emitNew(old, "aten::linear", "", {{"input", {a.input}}, {"weight", {linear.weight}}}, like(a.input, linear.out));
            std::vector<Call> calls = reduced(rewriter, old, a, y);
            if (a.addsOwn) {
                ValueId own = y;
                const Value narrow = like(a.input, linear.out);
                if (const ValueId* factor = a.ownFactor.asValue())
                    own = rewriter.emitNew(old, "aten::mul", "Tensor", {{"self", {y}}, {"other", {rewriter.resolved(*factor)}}}, narrow);
                else if (!a.ownFactor.isNone())
                    own = rewriter.emitNew(old, "aten::mul", "Tensor", {{"self", {y}}, {"other", a.ownFactor}}, narrow);
                calls.push_back({"aten::add", "Tensor", {{"self", {}}, {"other", {own}}}});
            }
            if (linear.bias.valid())
                calls.push_back({"aten::add", "Tensor", {{"self", {}}, {"other", {linear.bias}}}});
            emitChain(rewriter, old, std::move(calls), constant(like(a.input, linear.out), {a.nodes, Dim{linear.out, {}}}));
        };
    }

    // sum(linear(x)) = linear(sum(x)): sooner where x is narrower, or where x has to be there anyway and linear(x) would be one more tensor of node
    // rows.
    void aggregateFirst(OpId id)
    {
        const auto found = m_p[id].outputs.size() == 1 ? aggregationOf(m_p[id].outputs.front()) : std::nullopt;
        const auto linear = found ? linearOf(maker(found->input)) : std::nullopt;
        if (!linear || linear->bias.valid() || !isReadOnce(found->input) || linear->out < linear->in)
            return;
        // As many rows before as after, and nothing between that makes another type of them.
        const Value &input = m_p[linear->input], &result = m_p[m_p[id].outputs.front()];
        if (input.dtype != result.dtype || input.sizes != std::vector{found->nodes, Dim{linear->in, {}}} ||
            result.sizes != std::vector{found->nodes, Dim{linear->out, {}}} ||
            (linear->out == linear->in && !m_p.isInput(linear->input) && isReadOnce(linear->input)))
            return;
        ++m_found;
        m_emit[id] = [this, linear = *linear, a = *found](Rewriter& rewriter, const Op& old) {
            std::vector<Call> calls = reduced(rewriter, old, a, linear.input);
            calls.push_back({"aten::linear", "", {{"input", {}}, {"weight", {linear.weight}}}});
            emitChain(rewriter, old, std::move(calls), constant(m_p[linear.input], {a.nodes, Dim{linear.in, {}}}));
        };
    }

    struct Call {
        std::string target, overload;
        std::vector<NamedArgument> args;  // the first is the result of the call before
    };

    // The aggregation of these rows in the place of its own: what computes the messages, and the calls that reduce them.
    std::vector<Call> reduced(Rewriter& rewriter, const Op& old, const Aggregation& a, ValueId rows) const
    {
        const std::int64_t width = m_p[rows].sizes[1].value;
        Value edges = m_p[rows];
        edges.sizes[0] = m_p[a.segment].sizes[0];
        const Argument nodes = rewriter.sizeArgument(a.nodes, old);
        Op gather = a.gather;
        rewriter.resolveOperands(gather);
        for (NamedArgument& argument : gather.args)
            changeValues(argument.value, [&](ValueId& v) { v = v == a.input ? rows : v; });
        ValueId messages = rewriter.emitNew(old, gather.target, gather.overload, std::move(gather.args), edges);
        if (a.weight.valid())
            messages = rewriter.emitNew(old, "aten::mul", "Tensor", {{"self", {messages}}, {"other", {a.weight}}}, edges);
        const ValueId zeros =
            rewriter.emitNew(old, "aten::zeros", "", {{"size", {std::vector<Argument>{nodes, whole(width)}}}, {"dtype", {m_p[rows].dtype}}},
                             constant(m_p[rows], {a.nodes, Dim{width, {}}}));
        std::vector<Call> calls{{"aten::index_add", "", {{"self", {zeros}}, {"dim", whole(0)}, {"index", {a.segment}}, {"source", {messages}}}}};
        if (a.by.valid())
            calls.push_back({a.divides ? "aten::div" : "aten::mul", "Tensor", {{"self", {}}, {"other", {a.by}}}});
        return calls;
    }

    // The last of them gives the old op's result; those before it have results like `rows`.
    void emitChain(Rewriter& rewriter, const Op& old, std::vector<Call> calls, const Value& rows) const
    {
        ValueId result;
        for (std::size_t i = 0; i < calls.size(); ++i) {
            Call& call = calls[i];
            if (i > 0)
                call.args.front().value = {result};
            if (i + 1 == calls.size())
                emitLast(rewriter, old, std::move(call.target), std::move(call.overload), std::move(call.args));
            else
                result = rewriter.emitNew(old, std::move(call.target), std::move(call.overload), std::move(call.args), rows);
        }
    }
};

}  // namespace

int transformFirst(Program& program)
{
    GatherRewrites round(program);
    round.transformFirst();
    return round.finish();
}

int aggregateFirst(Program& program)
{
    GatherRewrites round(program);
    round.aggregateFirst();
    return round.finish();
}

int oneGather(Program& program)
{
    GatherRewrites round(program);
    round.oneGather();
    return round.finish();
}

}  // namespace cleave
