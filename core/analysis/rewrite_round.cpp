#include "core/analysis/rewrite_round.h"

#include <algorithm>
#include <utility>

#include "core/analysis/op_view.h"

namespace cleave {

RewriteRound::RewriteRound(Program& program) : m_p(program), m_reach(findReach(program)), m_readers(program.values.size())
{
    for (std::size_t i = 0; i < program.ops.size(); ++i)
        forEachOperand(program.ops[i], [&](ValueId id) { m_readers[id].push_back(OpId{static_cast<int>(i)}); });
    for (const ValueId output : program.outputs)
        m_readers[output].push_back({});
}

int RewriteRound::finish()
{
    if (m_found > 0)
        rebuild();
    return m_found;
}

bool RewriteRound::claim()
{
    if (std::ranges::any_of(m_lookedAt, [&](ValueId id) { return m_claimed.contains(id); }))
        return false;
    m_claimed.insert(m_lookedAt.begin(), m_lookedAt.end());
    return true;
}

void RewriteRound::rebuild()
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

std::optional<RewriteRound::Linear> RewriteRound::linearOf(const Op* op) const
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

bool RewriteRound::countsNodes(const Dim& dim) const
{
    return std::ranges::any_of(m_p.inputs, [&](const Input& input) {
        return input.isOfNodes() && !m_p[input.value].sizes.empty() && m_p[input.value].sizes.front() == dim;
    });
}

void RewriteRound::emitLast(Rewriter& rewriter, const Op& old, std::string target, std::string overload, std::vector<NamedArgument> args)
{
    rewriter.emit({old.name, std::move(target), std::move(overload), std::move(args), {old.outputs.front()}, old.module, old.source});
}

bool RewriteRound::isPlain(const Op& op, std::string_view target)
{
    const Argument* alpha = op.find("alpha");
    const bool isOne = !alpha || *alpha == Argument{std::int64_t{1}} || *alpha == Argument{1.0};
    return op.target == target && isOne && (!op.find("rounding_mode") || op.find("rounding_mode")->isNone());
}

}  // namespace cleave
