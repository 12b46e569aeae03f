#include <algorithm>
#include <memory>

#include "core/analysis/message_passing.h"
#include "core/analysis/op_view.h"
#include "core/analysis/rewrite_round.h"

namespace cleave {

namespace {

class LinearRewrites : public RewriteRound {
public:
    using RewriteRound::RewriteRound;

    void sumLinears()
    {
        forEachOp([this](OpId id) { sumLinears(id); });
    }

    void foldBatchNorm()
    {
        forEachOp([this](OpId id) { foldBatchNorm(id); });
    }

    // Layers that share a module may compute the same rows of nodes again and again. What lies on edges is computed where it is read.
    void mergeEqual()
    {
        std::map<ValueId, ValueId> same;
        std::map<std::pair<std::string, ValueId>, std::vector<Op>> seen;  // by target and first operand
        for (std::size_t i = 0; i < m_p.ops.size(); ++i) {
            const OpId id{static_cast<int>(i)};
            if (!isOfNodes(id))
                continue;
            Op op = m_p[id];
            ValueId first;
            for (NamedArgument& argument : op.args)
                changeValues(argument.value, [&](ValueId& value) {
                    if (const auto known = same.find(value); known != same.end())
                        value = known->second;
                    first = first.valid() ? first : value;
                });
            std::vector<Op>& alike = seen[{op.target, first}];
            const auto equal = std::ranges::find_if(alike, [&](const Op& other) { return other.overload == op.overload && other.args == op.args; });
            const auto isOutput = [&](ValueId value) { return std::ranges::count(m_p.outputs, value) > 0; };
            if (equal == alike.end() || isOutput(op.outputs.front())) {  // each output keeps its name
                alike.push_back(std::move(op));
                continue;
            }
            same[op.outputs.front()] = equal->outputs.front();
            ++m_found;
            m_emit[id] = [by = equal->outputs.front()](Rewriter& rewriter, const Op& old) { rewriter.replace(old.outputs.front(), by); };
        }
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
                m_emit[id] = [this, linear, merged, width, first, merging = ops, hasBias = key.second](Rewriter& rewriter, const Op& old) {
                    if (!merged->valid())
                        *merged = emitMerged(rewriter, old, linear, width, m_mergedWeights.at(merging.front()), hasBias);
                    emitLast(
                        rewriter, old, "aten::slice", "Tensor",
                        {{"self", {*merged}}, {"dim", whole(1)}, {"start", whole(first)}, {"end", whole(first + linear.out)}, {"step", whole(1)}});
                };
                m_mergedWeights[ops.front()].push_back(linear);
                first += linear.out;
            }
        }
    }

private:
    // One tensor with a row for each node, which the op makes of rows of nodes that it reads as they lie.
    bool isOfNodes(OpId id) const
    {
        const Op& op = m_p[id];
        if (op.outputs.size() != 1 || !isFeature(op.outputs.front()) || m_p[op.outputs.front()].kind != ValueKind::Tensor || gatherForm(m_p, id) ||
            scatterForm(m_p, id))
            return false;
        const std::vector<Dim>& sizes = m_p[op.outputs.front()].sizes;
        return !sizes.empty() && countsNodes(sizes.front());
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
            args.push_back(
                {"bias",
                 {rewriter.emitNew(old, "aten::cat", "", {{"tensors", {biases}}, {"dim", whole(0)}}, constant(m_p[like_.bias], {Dim{width, {}}}))}});
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
        const ValueId mean = view.value("running_mean"), variance = view.value("running_var"), scale = view.value("weight"),
                      shift = view.value("bias");
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
            const ValueId column =
                call("aten::unsqueeze", "", {{"self", {factor}}, {"dim", whole(1)}}, constant(vector, {vector.sizes[0], Dim{1, {}}}));
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

    std::map<OpId, std::vector<Linear>> m_mergedWeights;  // by the first of a group
};

}  // namespace

int sumLinears(Program& program)
{
    LinearRewrites round(program);
    round.sumLinears();
    return round.finish();
}

int mergeLinears(Program& program)
{
    LinearRewrites round(program);
    round.mergeLinears();
    return round.finish();
}

int mergeEqualRows(Program& program)
{
    LinearRewrites round(program);
    round.mergeEqual();
    return round.finish();
}

int foldBatchNorm(Program& program)
{
    LinearRewrites round(program);
    round.foldBatchNorm();
    return round.finish();
}

}  // namespace cleave
