#include "core/analysis/analyser.h"

#include <algorithm>
#include <numeric>

#include "core/analysis/dims.h"
#include "core/analysis/op_view.h"

/// Ops that work row by row.
namespace cleave {

// A view keeps the order of all entries: those of a row stay together if as many lie before them as before.
bool Analyser::classifyView(OpId id)
{
    static const std::set<std::string_view> views{"aten::view", "aten::_unsafe_view", "aten::reshape", "aten::flatten", "aten::unflatten"};
    const Op& op = m_p[id];
    const ValueId self = OpView(m_p, op).value("self");
    if (!views.contains(op.target) || !self.valid() || !isFeature(self))
        return false;
    const ValueFacts& f = facts(self);
    const auto& from = m_p[self].sizes;
    const auto& to = m_p[op.outputs.front()].sizes;
    const auto product = [](auto first, auto last) {
        return std::accumulate(first, last, std::int64_t{1}, [](std::int64_t n, const Dim& d) { return d.isConstant() ? n * d.value : 0; });
    };
    const std::int64_t before = f.outer * product(from.begin(), from.begin() + f.rowDim);
    const std::int64_t after = f.inner * product(from.begin() + f.rowDim + 1, from.end());
    for (int row = 0; row < static_cast<int>(to.size()); ++row) {
        const std::int64_t outerSizes = product(to.begin(), to.begin() + row), innerSizes = product(to.begin() + row + 1, to.end());
        if (to[static_cast<std::size_t>(row)].isConstant() || outerSizes <= 0 || innerSizes <= 0 || before % outerSizes || after % innerSizes)
            continue;
        const std::int64_t outer = before / outerSizes, inner = after / innerSizes;
        if (outer <= 0 || inner <= 0 ||
            !sameMultiple(outer * inner, from[static_cast<std::size_t>(f.rowDim)], f.outer * f.inner, to[static_cast<std::size_t>(row)]))
            continue;
        OpFacts& facts = m_a.ops[id];
        facts.kind = OpKind::RowWise;
        forEachOperand(op, [&](ValueId operand) { facts.operandRowDims.push_back(operand == self ? f.rowDim : -1); });
        setOutput(op.outputs.front(), f.rows, f.nodeType, row, f.level, outer, inner);
        return true;
    }
    return false;
}

bool Analyser::classifyRowWise(OpId id)
{
    const Value& output = m_p[m_p[id].outputs.front()];
    for (int row = 0; row < static_cast<int>(output.sizes.size()); ++row) {
        const auto mapping = rowMapping(m_p, id, row);
        if (mapping && accept(id, *mapping))
            return true;
    }
    return false;
}

// Whether the mapping agrees with where the operands' rows are; fills in what follows for the outputs.
bool Analyser::accept(OpId id, const RowMapping& mapping)
{
    Rows rows = Rows::None;
    int type = -1;
    int level = 0;
    std::size_t position = 0;
    bool fits = true;
    bool mixed = false;
    std::int64_t outer = 0, inner = 0;
    bool structureRows = false;
    forEachOperand(m_p[id], [&](ValueId operand) {
        const int dim = mapping.operands[position++];
        if (!isFeature(operand)) {
            structureRows = structureRows || (dim >= 0 && static_cast<std::size_t>(dim) < m_p[operand].sizes.size() &&
                                              !m_p[operand].sizes[static_cast<std::size_t>(dim)].isConstant());
            return;
        }
        const ValueFacts& f = facts(operand);
        level = std::max(level, f.level);
        if (f.rows == Rows::Graph) {
            fits = fits && dim < 0;
            return;
        }
        fits = fits && f.rowDim == dim && (outer == 0 || (f.outer == outer && f.inner == inner));
        outer = f.outer;
        inner = f.inner;
        mixed = mixed || (rows != Rows::None && (rows != f.rows || type != f.nodeType));
        rows = f.rows;
        type = f.nodeType;
    });
    if (!fits || rows == Rows::None || (structureRows && outer * inner != 1))
        return false;
    if (mixed)
        refuse(id, "combines rows of nodes with rows of edges, or of nodes of another type.");
    OpFacts& f = m_a.ops[id];
    f.kind = OpKind::RowWise;
    f.operandRowDims = mapping.operands;
    for (std::size_t i = 0; i < m_p[id].outputs.size(); ++i)
        setOutput(m_p[id].outputs[i], rows, type, mapping.outputs[i], level, outer, inner);
    return true;
}

// An op outside the table: it is run on permuted and truncated rows.
bool Analyser::classifyByProbe(OpId id)
{
    if (hasRowRule(m_p[id].target))
        return false;
    RowMapping mapping;
    std::string symbol;
    forEachOperand(m_p[id], [&](ValueId operand) {
        if (isFeature(operand) && facts(operand).rowDim >= 0)
            symbol = m_p[operand].sizes[static_cast<std::size_t>(facts(operand).rowDim)].symbol;
    });
    forEachOperand(m_p[id], [&](ValueId operand) {
        const Value& value = m_p[operand];
        const auto dim = std::ranges::find(value.sizes, Dim{0, symbol});
        mapping.operands.push_back(isFeature(operand)            ? facts(operand).rowDim
                                   : dim == value.sizes.end() ? -1
                                                              : static_cast<int>(dim - value.sizes.begin()));
    });
    const auto outputs = m_evaluator.probeRowWise(m_p, id, mapping.operands);
    if (!outputs)
        return false;
    mapping.outputs = *outputs;
    m_a.ops[id].probed = accept(id, mapping);
    return m_a.ops[id].probed;
}

// Rows for each node, or each edge, from what is there once for the graph: mean[batch], or a mean repeated for all nodes.
bool Analyser::classifyRowsOfGraph(OpId id)
{
    const Value& output = m_p[m_p[id].outputs.front()];
    for (int row = 0; row < static_cast<int>(output.sizes.size()); ++row) {
        const std::string& symbol = output.sizes[static_cast<std::size_t>(row)].symbol;
        const int type = m_a.typeCountedBy(symbol);
        const auto mapping = type >= 0 || m_edgeSymbols.contains(symbol) ? rowMapping(m_p, id, row) : std::nullopt;
        if (!mapping)
            continue;
        bool whole = true;
        int level = 0;
        std::size_t position = 0;
        forEachOperand(m_p[id], [&](ValueId operand) {
            whole = whole && (!isFeature(operand) || mapping->operands[position] < 0);
            level = std::max(level, isFeature(operand) ? facts(operand).level : 0);
            ++position;
        });
        if (!whole)
            continue;
        OpFacts& f = m_a.ops[id];
        f.kind = OpKind::RowWise;
        f.operandRowDims = mapping->operands;
        for (std::size_t i = 0; i < m_p[id].outputs.size(); ++i)
            setOutput(m_p[id].outputs[i], type >= 0 ? Rows::Nodes : Rows::Edges, type, mapping->outputs[i], level);
        return true;
    }
    return false;
}

}  // namespace cleave
