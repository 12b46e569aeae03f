#include "core/analysis/rewrites.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "core/analysis/message_passing.h"
#include "core/analysis/op_view.h"
#include "core/analysis/passes.h"
#include "core/analysis/rewriter.h"

namespace cleave {

namespace {

constexpr std::array names{std::pair{Rewrite::TransformFirst, std::string_view("transform-first")},
                           std::pair{Rewrite::SumLinears, std::string_view("sum-linears")},
                           std::pair{Rewrite::MergeLinears, std::string_view("merge-linears")},
                           std::pair{Rewrite::FoldBatchNorm, std::string_view("fold-batch-norm")},
                           std::pair{Rewrite::OneGather, std::string_view("one-gather")}};

using Emit = std::function<void(Rewriter&, const Op&)>;

Argument whole(std::int64_t number)
{
    return {number};
}

// One round of one rewrite: what it finds in the program as it is, and what takes the place of each op that it found.
class Round {
public:
    explicit Round(Program& program) : m_p(program), m_reach(findReach(program)), m_readers(program.values.size())
    {
        for (std::size_t i = 0; i < program.ops.size(); ++i)
            forEachOperand(program.ops[i], [&](ValueId id) { m_readers[id].push_back(OpId{static_cast<int>(i)}); });
        for (const ValueId output : program.outputs)
            m_readers[output].push_back({});
    }

    int apply(Rewrite rewrite)
    {
        switch (rewrite) {
        case Rewrite::TransformFirst:
            forEachOp(&Round::transformFirst);
            break;
        case Rewrite::SumLinears:
            forEachOp(&Round::sumLinears);
            break;
        case Rewrite::MergeLinears:
            mergeLinears();
            break;
        case Rewrite::FoldBatchNorm:
            forEachOp(&Round::foldBatchNorm);
            break;
        case Rewrite::OneGather:
            oneGather();
            break;
        }
        if (m_found > 0)
            rebuild();
        return m_found;
    }

private:
    void forEachOp(void (Round::*visit)(OpId))
    {
        // What one place changes another must not read: one after the other.
        for (std::size_t i = 0; i < m_p.ops.size() && m_found == 0; ++i)
            (this->*visit)(OpId{static_cast<int>(i)});
    }

    void rebuild()
    {
        Rewriter rewriter(m_p);
        std::vector<Op> old = rewriter.takeOps();
        for (std::size_t i = 0; i < old.size(); ++i) {
            Op& op = old[i];
            rewriter.resolveOperands(op);
            if (const auto emit = m_emit.find(OpId{static_cast<int>(i)}); emit != m_emit.end())
                emit->second(rewriter, op);
            else
                rewriter.emit(std::move(op));
        }
        rewriter.finish();
        dropDeadOps(m_p);
    }

    bool isConstant(ValueId id) const { return id.valid() && m_reach[id] == Reach::Constant; }
    bool isFeature(ValueId id) const { return id.valid() && m_reach[id] == Reach::Feature; }
    bool isStructure(ValueId id) const { return id.valid() && m_reach[id] == Reach::Structure; }
    bool isReadOnce(ValueId id) const { return m_readers[id].size() == 1; }
    const Op* maker(ValueId id) const { return id.valid() && m_p[id].producer.valid() ? &m_p[m_p[id].producer] : nullptr; }

    // A linear layer on [rows, in] with weights alone.
    struct Linear {
        ValueId input, weight, bias;  // bias may be invalid
        std::int64_t in = 0, out = 0;
    };

    std::optional<Linear> linearOf(const Op* op) const
    {
        if (!op || op->target != "aten::linear" || op->outputs.size() != 1)
            return {};
        const OpView view(m_p, *op);
        Linear linear{view.value("input"), view.value("weight"), view.value("bias")};
        if (!isFeature(linear.input) || !isConstant(linear.weight) || (linear.bias.valid() && !isConstant(linear.bias)))
            return {};
        const auto& weight = m_p[linear.weight].sizes;
        if (weight.size() != 2 || !weight[0].isConstant() || !weight[1].isConstant() || m_p[linear.input].sizes.size() != 2)
            return {};
        linear.out = weight[0].value;
        linear.in = weight[1].value;
        return linear;
    }

    Value like(ValueId id, std::int64_t width) const
    {
        Value value = m_p[id];
        value.sizes.back() = Dim{width, {}};
        return value;
    }

    static Value constant(const Value& of, std::vector<Dim> sizes)
    {
        Value value = of;
        value.sizes = std::move(sizes);
        return value;
    }

    // The last op of a replacement gives the old op's result.
    static void emitLast(Rewriter& rewriter, const Op& old, std::string target, std::string overload, std::vector<NamedArgument> args)
    {
        rewriter.emit({old.name, std::move(target), std::move(overload), std::move(args), {old.outputs.front()}, old.module, old.source});
    }

    // A number for each row, behind views that repeat it along the others: [rows, 1].
    ValueId numberPerRow(ValueId id) const
    {
        for (const Op* op = maker(id); op && (op->target == "aten::expand" || op->target == "aten::expand_as"); op = maker(id))
            id = OpView(m_p, *op).value("self");
        const auto& sizes = m_p[id].sizes;
        return sizes.size() == 2 && sizes[1].isOne() && isStructure(id) ? id : ValueId{};
    }

    static bool isPlain(const Op& op, std::string_view target)
    {
        const Argument* alpha = op.find("alpha");
        const bool isOne = !alpha || *alpha == Argument{std::int64_t{1}} || *alpha == Argument{1.0};
        return op.target == target && isOne && (!op.find("rounding_mode") || op.find("rounding_mode")->isNone());
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
            if (auto found = rows.valid() && own.valid() ? aggregationOf(rows) : std::nullopt; found && m_p[rows].sizes == m_p[own].sizes && isOwn(own, *found))
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
        if (!sums || !scatter->source.valid() || m_p[value].sizes.size() != 2 || scatter->rowDim != 0 || !isZeros(scatter->self) || !isReadOnce(scatter->source))
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

    bool countsNodes(const Dim& dim) const
    {
        return std::ranges::any_of(m_p.inputs, [&](const Input& input) {
            return input.role == Role::NodeFeatures && m_p[input.value].sizes.front() == dim;
        });
    }

    bool isZeros(ValueId id) const
    {
        const Op* op = maker(id);
        return op && (op->target == "aten::zeros" || op->target == "aten::new_zeros" || op->target == "aten::zeros_like");
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
            const Value narrow = like(a.input, linear.out);
            Value edges = narrow;
            edges.sizes[0] = m_p[a.segment].sizes[0];
            Argument nodes = rewriter.sizeArgument(a.nodes, old);
            const ValueId y = rewriter.emitNew(old, "aten::linear", "", {{"input", {a.input}}, {"weight", {linear.weight}}}, narrow);
            Op gather = a.gather;
            rewriter.resolveOperands(gather);
            for (NamedArgument& argument : gather.args)
                changeValues(argument.value, [&](ValueId& v) { v = v == a.input ? y : v; });
            ValueId messages = rewriter.emitNew(old, gather.target, gather.overload, std::move(gather.args), edges);
            if (a.weight.valid())
                messages = rewriter.emitNew(old, "aten::mul", "Tensor", {{"self", {messages}}, {"other", {a.weight}}}, edges);
            const ValueId zeros = rewriter.emitNew(old, "aten::zeros", "", {{"size", {std::vector<Argument>{nodes, whole(linear.out)}}}, {"dtype", {narrow.dtype}}},
                                                   constant(narrow, {a.nodes, Dim{linear.out, {}}}));
            struct Call {
                std::string target, overload;
                std::vector<NamedArgument> args;
            };
            std::vector<Call> calls{{"aten::index_add", "", {{"self", {zeros}}, {"dim", whole(0)}, {"index", {a.segment}}, {"source", {messages}}}}};
            if (a.by.valid())
                calls.push_back({a.divides ? "aten::div" : "aten::mul", "Tensor", {{"self", {}}, {"other", {a.by}}}});
            if (a.addsOwn) {
                ValueId own = y;
                if (const ValueId* factor = a.ownFactor.asValue())
                    own = rewriter.emitNew(old, "aten::mul", "Tensor", {{"self", {y}}, {"other", {rewriter.resolved(*factor)}}}, narrow);
                else if (!a.ownFactor.isNone())
                    own = rewriter.emitNew(old, "aten::mul", "Tensor", {{"self", {y}}, {"other", a.ownFactor}}, narrow);
                calls.push_back({"aten::add", "Tensor", {{"self", {}}, {"other", {own}}}});
            }
            if (linear.bias.valid())
                calls.push_back({"aten::add", "Tensor", {{"self", {}}, {"other", {linear.bias}}}});
            ValueId result;
            for (std::size_t i = 0; i < calls.size(); ++i) {
                Call& call = calls[i];
                if (i > 0)
                    call.args.front().value = {result};
                if (i + 1 == calls.size())
                    emitLast(rewriter, old, std::move(call.target), std::move(call.overload), std::move(call.args));
                else
                    result = rewriter.emitNew(old, std::move(call.target), std::move(call.overload), std::move(call.args), constant(narrow, {a.nodes, Dim{linear.out, {}}}));
            }
        };
    }

    // What an op adds up, entry by entry: the tensors of a plain addition, or those of a stack whose first dimension is summed.
    std::vector<ValueId> summands(const Op& op) const
    {
        const OpView view(m_p, op);
        if (isPlain(op, "aten::add")) {
            const ValueId self = view.value("self"), other = view.value("other");
            return isSummand(self, op) && isSummand(other, op) ? std::vector{self, other} : std::vector<ValueId>{};
        }
        const ValueId stacked = view.value("self");
        const Op* stack = op.target == "aten::sum" && stacked.valid() && isReadOnce(stacked) ? maker(stacked) : nullptr;
        if (!stack || stack->target != "aten::stack" || view.flag("keepdim", false) || view.given("dtype") ||
            view.dims("dim", view.rank("self")) != std::vector{0} || OpView(m_p, *stack).integerOr("dim", 0) != 0)
            return {};
        std::vector<ValueId> parts = OpView(m_p, *stack).values("tensors");
        return std::ranges::all_of(parts, [&](ValueId part) { return isSummand(part, op); }) ? parts : std::vector<ValueId>{};
    }

    bool isSummand(ValueId id, const Op& sum) const
    {
        const Value& result = m_p[sum.outputs.front()];
        return isFeature(id) && m_p[id].kind == ValueKind::Tensor && m_p[id].sizes == result.sizes && m_p[id].dtype == result.dtype;
    }

    void addTerms(const Op& sum, std::vector<ValueId>& terms) const
    {
        for (const ValueId term : summands(sum))
            if (const Op* op = maker(term); op && isReadOnce(term) && !summands(*op).empty())
                addTerms(*op, terms);
            else
                terms.push_back(term);
    }

    // linear(x; A) + linear(x; B) = linear(x; A + B); biases of the sum's other linear layers come along.
    void sumLinears(OpId id)
    {
        std::vector<ValueId> terms;
        addTerms(m_p[id], terms);
        std::vector<std::optional<Linear>> linears;
        std::map<ValueId, int> byInput;
        for (const ValueId term : terms) {
            linears.push_back(isReadOnce(term) ? linearOf(maker(term)) : std::nullopt);
            if (linears.back())
                ++byInput[linears.back()->input];
        }
        if (std::ranges::none_of(byInput, [](const auto& count) { return count.second > 1; }) || isPartOfSum(id))
            return;
        ++m_found;
        m_emit[id] = [this, terms, linears](Rewriter& rewriter, const Op& old) {
            const Value rows = m_p[old.outputs.front()];
            std::map<ValueId, ValueId> weights;  // by input
            std::vector<ValueId> inputs, others;
            ValueId bias;
            const auto plus = [&](ValueId a, ValueId b, const Value& result) {
                return a.valid() ? rewriter.emitNew(old, "aten::add", "Tensor", {{"self", {a}}, {"other", {b}}}, result) : b;
            };
            for (std::size_t i = 0; i < terms.size(); ++i) {
                const std::optional<Linear>& l = linears[i];
                if (!l) {
                    others.push_back(rewriter.resolved(terms[i]));
                    continue;
                }
                if (!weights.contains(l->input))
                    inputs.push_back(l->input);
                weights[l->input] = plus(weights[l->input], rewriter.resolved(l->weight), m_p[l->weight]);
                if (l->bias.valid())
                    bias = plus(bias, rewriter.resolved(l->bias), m_p[l->bias]);
            }
            for (std::size_t i = inputs.size(); i-- > 0;) {
                std::vector<NamedArgument> args{{"input", {rewriter.resolved(inputs[i])}}, {"weight", {weights.at(inputs[i])}}};
                if (i == 0 && bias.valid())
                    args.push_back({"bias", {bias}});
                if (i == 0 && others.empty() && inputs.size() == 1) {
                    emitLast(rewriter, old, "aten::linear", "", std::move(args));
                    return;
                }
                others.push_back(rewriter.emitNew(old, "aten::linear", "", std::move(args), rows));
            }
            // The last one, which has the bias, comes first.
            ValueId sum = others.back();
            for (std::size_t i = 0; i + 2 < others.size(); ++i)
                sum = plus(sum, others[i], rows);
            emitLast(rewriter, old, "aten::add", "Tensor", {{"self", {sum}}, {"other", {others[others.size() - 2]}}});
        };
    }

    // The only reader adds its result up in turn.
    bool isPartOfSum(OpId id) const
    {
        const auto readersOf = [&](OpId op) { return m_readers[m_p[op].outputs.front()]; };
        std::vector<OpId> readers = readersOf(id);
        if (readers.size() == 1 && readers.front().valid() && m_p[readers.front()].target == "aten::stack")
            readers = readersOf(readers.front());
        return readers.size() == 1 && readers.front().valid() && !summands(m_p[readers.front()]).empty();
    }

    void mergeLinears()
    {
        std::map<std::pair<ValueId, bool>, std::vector<OpId>> groups;  // by input, and whether there is a bias
        for (std::size_t i = 0; i < m_p.ops.size(); ++i)
            if (const auto linear = linearOf(&m_p.ops[i])) {
                // The merged one stands where the first is: all weights must be there.
                std::vector<OpId>& group = groups[{linear->input, linear->bias.valid()}];
                const auto isThere = [&](ValueId weight) { return !weight.valid() || group.empty() || m_p[weight].producer < group.front(); };
                if (isThere(linear->weight) && isThere(linear->bias))
                    group.push_back(OpId{static_cast<int>(i)});
            }
        for (const auto& [key, ops] : groups) {
            if (ops.size() < 2)
                continue;
            m_found += static_cast<int>(ops.size());
            const auto merged = std::make_shared<ValueId>();
            std::int64_t width = 0;
            for (const OpId id : ops)
                width += linearOf(&m_p[id])->out;
            std::int64_t first = 0;
            for (const OpId id : ops) {
                const Linear linear = *linearOf(&m_p[id]);
                m_emit[id] = [this, linear, merged, width, first, ops, hasBias = key.second](Rewriter& rewriter, const Op& old) {
                    if (!merged->valid())
                        *merged = emitMerged(rewriter, old, linear, width, m_mergedWeights.at(ops.front()), hasBias);
                    emitLast(rewriter, old, "aten::slice", "Tensor",
                             {{"self", {*merged}}, {"dim", whole(1)}, {"start", whole(first)}, {"end", whole(first + linear.out)}, {"step", whole(1)}});
                };
                m_mergedWeights[ops.front()].push_back(linear);
                first += linear.out;
            }
        }
    }

    ValueId emitMerged(Rewriter& rewriter, const Op& old, const Linear& like_, std::int64_t width, const std::vector<Linear>& all, bool hasBias) const
    {
        std::vector<Argument> weights, biases;
        for (const Linear& linear : all) {
            weights.push_back({linear.weight});
            biases.push_back({linear.bias});
        }
        const ValueId weight = rewriter.emitNew(old, "aten::cat", "", {{"tensors", {weights}}, {"dim", whole(0)}},
                                                constant(m_p[like_.weight], {Dim{width, {}}, Dim{like_.in, {}}}));
        std::vector<NamedArgument> args{{"input", {like_.input}}, {"weight", {weight}}};
        if (hasBias)
            args.push_back({"bias", {rewriter.emitNew(old, "aten::cat", "", {{"tensors", {biases}}, {"dim", whole(0)}}, constant(m_p[like_.bias], {Dim{width, {}}}))}});
        return rewriter.emitNew(old, "aten::linear", "", std::move(args), like(old.outputs.front(), width));
    }

    // batch norm of linear(x), or of a sum of such: scaled weights, and a bias that shifts.
    void foldBatchNorm(OpId id)
    {
        const Op& op = m_p[id];
        const bool plain = op.target == "aten::batch_norm", decomposed = op.target == "aten::_native_batch_norm_legit_no_training";
        const OpView view(m_p, op);
        if ((!plain && !decomposed) || (plain && view.flag("training", true)))
            return;
        const ValueId mean = view.value("running_mean"), variance = view.value("running_var"), scale = view.value("weight"), shift = view.value("bias");
        const Argument* eps = op.find("eps");
        const ValueId input = view.value("input");
        const bool others = std::any_of(op.outputs.begin() + 1, op.outputs.end(), [&](ValueId v) { return !m_readers[v].empty(); });
        if (!isConstant(mean) || !isConstant(variance) || (scale.valid() && !isConstant(scale)) || (shift.valid() && !isConstant(shift)) || !eps ||
            !std::get_if<double>(&eps->value) || others || !input.valid() || m_p[input].sizes.size() != 2 || !isReadOnce(input))
            return;
        std::vector<Linear> parts;
        const Op* from = maker(input);
        const bool isSum = from && isPlain(*from, "aten::add");
        for (const ValueId part : isSum ? std::vector{OpView(m_p, *from).value("self"), OpView(m_p, *from).value("other")} : std::vector{input}) {
            const auto linear = linearOf(maker(part));
            if (!linear || !isReadOnce(part))
                return;
            parts.push_back(*linear);
        }
        ++m_found;
        m_emit[id] = [this, parts, mean, variance, scale, shift, eps = std::get<double>(eps->value)](Rewriter& rewriter, const Op& old) {
            const Value vector = m_p[mean];
            const auto call = [&](const char* target, const char* overload, std::vector<NamedArgument> args, const Value& result) {
                return rewriter.emitNew(old, target, overload, std::move(args), result);
            };
            ValueId factor = call("aten::add", "Scalar", {{"self", {variance}}, {"other", {eps}}}, vector);
            factor = call("aten::rsqrt", "", {{"self", {factor}}}, vector);
            if (scale.valid())
                factor = call("aten::mul", "Tensor", {{"self", {factor}}, {"other", {scale}}}, vector);
            const ValueId column = call("aten::unsqueeze", "", {{"self", {factor}}, {"dim", whole(1)}}, constant(vector, {vector.sizes[0], Dim{1, {}}}));
            // (b - mean) factor + shift; the second linear layer of a sum has only its own bias scaled.
            ValueId bias = parts[0].bias.valid() ? call("aten::sub", "Tensor", {{"self", {parts[0].bias}}, {"other", {mean}}}, vector)
                                                 : call("aten::neg", "", {{"self", {mean}}}, vector);
            bias = call("aten::mul", "Tensor", {{"self", {bias}}, {"other", {factor}}}, vector);
            if (shift.valid())
                bias = call("aten::add", "Tensor", {{"self", {bias}}, {"other", {shift}}}, vector);
            std::vector<std::vector<NamedArgument>> linears;
            for (std::size_t i = 0; i < parts.size(); ++i) {
                const ValueId weight = call("aten::mul", "Tensor", {{"self", {parts[i].weight}}, {"other", {column}}}, m_p[parts[i].weight]);
                linears.push_back({{"input", {rewriter.resolved(parts[i].input)}}, {"weight", {weight}}});
                if (i == 0)
                    linears.back().push_back({"bias", {bias}});
                else if (parts[i].bias.valid())
                    linears.back().push_back({"bias", {call("aten::mul", "Tensor", {{"self", {parts[i].bias}}, {"other", {factor}}}, vector)}});
            }
            if (linears.size() == 1) {
                emitLast(rewriter, old, "aten::linear", "", std::move(linears[0]));
                return;
            }
            const Value rows = m_p[old.outputs.front()];
            const ValueId a = call("aten::linear", "", std::move(linears[0]), rows), b = call("aten::linear", "", std::move(linears[1]), rows);
            emitLast(rewriter, old, "aten::add", "Tensor", {{"self", {a}}, {"other", {b}}});
        };
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

    Program& m_p;
    IdMap<ValueId, Reach> m_reach;
    IdMap<ValueId, std::vector<OpId>> m_readers;
    std::map<OpId, Emit> m_emit;
    std::map<OpId, std::vector<Linear>> m_mergedWeights;  // by the first of a group
    int m_found = 0;
};

}  // namespace

std::set<Rewrite> allRewrites()
{
    std::set<Rewrite> all;
    for (const auto& [rewrite, name] : names)
        all.insert(rewrite);
    return all;
}

std::string_view rewriteName(Rewrite rewrite)
{
    return std::ranges::find(names, rewrite, &std::pair<Rewrite, std::string_view>::first)->second;
}

bool rewriteFromName(std::string_view name, Rewrite& rewrite)
{
    const auto known = std::ranges::find(names, name, &std::pair<Rewrite, std::string_view>::second);
    if (known == names.end())
        return false;
    rewrite = known->first;
    return true;
}

std::vector<PassCount> applyRewrites(Program& program, const std::set<Rewrite>& rewrites)
{
    std::map<Rewrite, int> counts;
    const auto once = [&](Rewrite rewrite) {
        const int found = Round(program).apply(rewrite);
        counts[rewrite] += found;
        return found > 0;
    };
    // Batch norms first, since they leave linear layers, then sums, which take biases away from them; merging last, since it hides them.
    for (const Rewrite rewrite : {Rewrite::FoldBatchNorm, Rewrite::SumLinears, Rewrite::TransformFirst, Rewrite::OneGather})
        while (rewrites.contains(rewrite) && once(rewrite)) {
        }
    if (rewrites.contains(Rewrite::MergeLinears))
        once(Rewrite::MergeLinears);
    std::vector<PassCount> applied;
    for (const auto& [rewrite, count] : counts)
        if (count > 0)
            applied.push_back({std::string(rewriteName(rewrite)), count});
    return applied;
}

Analysis rewritten(const Analysis& analysis, const std::set<Rewrite>& rewrites, const Evaluator& evaluator, const Progress& progress)
{
    Program program = analysis.program;
    std::vector<PassCount> applied = applyRewrites(program, rewrites);
    if (applied.empty())
        return analysis;
    Analysis result = analyseClean(std::move(program), evaluator, progress);
    result.passes = analysis.passes;
    result.rewrites = std::move(applied);
    return result;
}

}  // namespace cleave
