#include "core/analysis/analyser.h"

#include <algorithm>
#include <numeric>

#include "core/analysis/dims.h"
#include "core/analysis/op_view.h"

/// Ops that work row by row.
namespace cleave {

namespace {

bool regroups(const Op& op)
{
    return isReshape(op) || isOneOf(op.target, {"aten::flatten", "aten::unflatten"});
}

}  // namespace

// A view keeps the order of all entries: those of a row stay together if as many lie before them as before.
std::optional<Analyser::Entries> Analyser::viewed(const std::vector<Dim>& from, const Entries& rows, const std::vector<Dim>& to)
{
    // 0 where there is no such number.
    const auto times = [](std::int64_t a, std::int64_t b) {
        std::int64_t result = 0;
        return __builtin_mul_overflow(a, b, &result) ? 0 : result;
    };
    const auto product = [&](auto first, auto last) {
        const auto with = [&](std::int64_t n, const Dim& d) { return d.isConstant() ? times(n, d.value) : 0; };
        return std::accumulate(first, last, std::int64_t{1}, with);
    };
    const std::int64_t before = times(rows.outer, product(from.begin(), from.begin() + rows.rowDim));
    const std::int64_t after = times(rows.inner, product(from.begin() + rows.rowDim + 1, from.end()));
    for (int row = 0; row < static_cast<int>(to.size()); ++row) {
        const std::int64_t outerSizes = product(to.begin(), to.begin() + row), innerSizes = product(to.begin() + row + 1, to.end());
        if (to[static_cast<std::size_t>(row)].isConstant() || outerSizes <= 0 || innerSizes <= 0 || before % outerSizes || after % innerSizes)
            continue;
        const std::int64_t outer = before / outerSizes, inner = after / innerSizes;
        const Dim &old = from[static_cast<std::size_t>(rows.rowDim)], &now = to[static_cast<std::size_t>(row)];
        if (outer > 0 && inner > 0 && sameMultiple(times(outer, inner), old, times(rows.outer, rows.inner), now))
            return Entries{row, outer, inner};
    }
    return {};
}

bool Analyser::classifyView(OpId id)
{
    const Op& op = m_p[id];
    const ValueId self = OpView(m_p, op).value("self");
    if (!regroups(op) || !self.valid() || !isFeature(self))
        return false;
    const ValueFacts& f = facts(self);
    const auto rows = viewed(m_p[self].sizes, {f.rowDim, f.outer, f.inner}, m_p[op.outputs.front()].sizes);
    if (!rows)
        return false;
    // What is counted as nodes has a row for each.
    if (rows->outer * rows->inner != 1 && isNodes(m_p[op.outputs.front()].sizes[static_cast<std::size_t>(rows->rowDim)]))
        return false;
    OpFacts& facts = m_a.ops[id];
    facts.kind = OpKind::RowWise;
    forEachOperand(op, [&](ValueId operand) { facts.operandRowDims.push_back(operand == self ? f.rowDim : -1); });
    setOutput(op.outputs.front(), f.rows, f.nodeType, rows->rowDim, f.level, rows->outer, rows->inner);
    return true;
}

// Where structure has the rows of features that have so many entries for each along a dimension of this size: masks that are repeated for heads.
// Those of several entries for a row are put into `found`.
std::optional<Analyser::Entries> Analyser::entriesOf(ValueId structure, const Dim& size, std::int64_t entries, std::map<ValueId, Entries>& found,
                                                     int depth) const
{
    const Value& value = m_p[structure];
    for (std::size_t d = 0; d < value.sizes.size(); ++d)
        if (!value.sizes[d].isConstant() && sameMultiple(entries, value.sizes[d], 1, size))
            return Entries{static_cast<int>(d), 1, 1};
    const OpId id = value.producer;
    const ValueId self = id.valid() ? OpView(m_p, m_p[id]).value("self") : ValueId{};
    if (!self.valid() || depth == 0 || m_p[id].outputs.size() != 1)
        return {};
    const auto from = entriesOf(self, size, entries, found, depth - 1);
    const auto made = from ? entriesFrom(id, self, *from) : std::nullopt;
    if (made && made->outer * made->inner != 1)
        found[structure] = *made;
    return made;
}

// After an op on a structure tensor that has them.
std::optional<Analyser::Entries> Analyser::entriesFrom(OpId id, ValueId self, const Entries& from) const
{
    const Op& op = m_p[id];
    const OpView view(m_p, op);
    const std::vector<Dim>& sizes = m_p[op.outputs.front()].sizes;
    const int rank = static_cast<int>(m_p[self].sizes.size());
    if (!allOperands(id, [&](ValueId operand) {
            return operand == self || m_p[operand].kind != ValueKind::Tensor || std::ranges::all_of(m_p[operand].sizes, &Dim::isConstant);
        }))
        return {};
    if (regroups(op))
        return viewed(m_p[self].sizes, from, sizes);
    if (op.target == "aten::repeat") {
        const Argument* times = op.find("repeats");
        const std::vector<Argument>* list = times ? times->asList() : nullptr;
        const std::int64_t* count =
            list && list->size() == static_cast<std::size_t>(rank) ? (*list)[static_cast<std::size_t>(from.rowDim)].asInt() : nullptr;
        return count && *count > 0 ? std::optional(Entries{from.rowDim, *count * from.outer, from.inner}) : std::nullopt;
    }
    if (op.target == "aten::repeat_interleave") {
        const std::int64_t count = view.integerOr("repeats", 0);
        return view.dim("dim", rank) == from.rowDim && count > 0 ? std::optional(Entries{from.rowDim, from.outer, count * from.inner}) : std::nullopt;
    }
    for (int row = 0; row < static_cast<int>(sizes.size()); ++row)
        if (const auto mapping = rowMapping(m_p, id, row)) {
            std::size_t position = 0;
            bool fits = true;
            forEachOperand(op, [&](ValueId operand) {
                const int dim = mapping->operands[position++];
                fits = fits && (operand != self || dim == from.rowDim);
            });
            if (fits)
                return Entries{row, from.outer, from.inner};
        }
    return {};
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
    Dim size;                                        // of the features' row dimension
    std::vector<std::pair<ValueId, int>> structure;  // that has rows, and where
    forEachOperand(m_p[id], [&](ValueId operand) {
        const int dim = mapping.operands[position++];
        if (!isFeature(operand)) {
            if (dim >= 0 && static_cast<std::size_t>(dim) < m_p[operand].sizes.size() &&
                !m_p[operand].sizes[static_cast<std::size_t>(dim)].isConstant())
                structure.emplace_back(operand, dim);
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
        if (dim >= 0)
            size = m_p[operand].sizes[static_cast<std::size_t>(dim)];
        mixed = mixed || (rows != Rows::None && (rows != f.rows || type != f.nodeType));
        rows = f.rows;
        type = f.nodeType;
    });
    if (!fits || rows == Rows::None)
        return false;
    std::map<ValueId, Entries> found;
    if (outer * inner == 1)
        structure.clear();
    for (const auto& [value, dim] : structure)
        if (const auto entries = entriesOf(value, size, outer * inner, found); entries != Entries{dim, outer, inner})
            return false;
    for (const auto& [value, entries] : found)
        noteEntries(value, entries, found, size, outer * inner);
    if (mixed)
        refuse(id, "combines rows of nodes with rows of edges, or of nodes of another type.");
    OpFacts& f = m_a.ops[id];
    f.kind = OpKind::RowWise;
    f.operandRowDims = mapping.operands;
    for (std::size_t i = 0; i < m_p[id].outputs.size(); ++i)
        setOutput(m_p[id].outputs[i], rows, type, mapping.outputs[i], level, outer, inner);
    return true;
}

// So that the structure is computed for a batch's rows as features are.
void Analyser::noteEntries(ValueId structure, const Entries& entries, const std::map<ValueId, Entries>& found, const Dim& size,
                           std::int64_t ofFeatures)
{
    ValueFacts& facts = m_a.values[structure];
    facts.rowDim = entries.rowDim;
    facts.outer = entries.outer;
    facts.inner = entries.inner;
    const OpId id = m_p[structure].producer;
    const ValueId self = OpView(m_p, m_p[id]).value("self");
    const auto known = found.find(self);
    std::map<ValueId, Entries> none;
    const int dim = known != found.end() ? known->second.rowDim : entriesOf(self, size, ofFeatures, none)->rowDim;
    std::vector<int>& dims = m_a.ops[id].operandRowDims;
    dims.clear();
    forEachOperand(m_p[id], [&](ValueId operand) { dims.push_back(operand == self ? dim : -1); });
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
        const int type = m_messages.contains(m_p[id].outputs.front()) ? -1 : m_a.typeCountedBy(symbol);
        const auto mapping = m_a.typeCountedBy(symbol) >= 0 || m_edgeSymbols.contains(symbol) ? rowMapping(m_p, id, row) : std::nullopt;
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
