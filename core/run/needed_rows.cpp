#include "core/run/needed_rows.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <numeric>
#include <optional>

namespace cleave {

namespace {

at::Tensor markedRows(const Marks& marks)
{
    at::Tensor rows = at::empty({countOf(marks)}, at::kLong);
    auto* out = rows.data_ptr<std::int64_t>();
    for (std::size_t row = 0; row < marks.size(); ++row)
        if (marks[row] != 0)
            *out++ = static_cast<std::int64_t>(row);
    return rows;
}

}  // namespace

Marks& NeededRows::of(ValueId value)
{
    Marks& rows = m_rows[value];
    if (rows.empty())
        rows = marks(m_graph.numNodes(m_a.values[value].nodeType), false);
    return rows;
}

void NeededRows::add(ValueId value, std::int64_t row)
{
    of(value)[static_cast<std::size_t>(row)] = 1;
}

void NeededRows::addAll(ValueId value)
{
    std::ranges::fill(of(value), std::uint8_t{1});
}

void NeededRows::add(ValueId value, const at::Tensor& rows)
{
    const at::Tensor flat = rows.reshape({-1}).contiguous();
    std::vector<std::int64_t> places(static_cast<std::size_t>(flat.numel()));
    std::iota(places.begin(), places.end(), 0);
    markEnds(places, numbersOf(flat), of(value));
}

Marks NeededRows::nodesFor(const CutFunction& function, int type) const
{
    Marks nodes = marks(m_graph.numNodes(type), false);
    for (const ValueId value : function.saves)
        if (const auto known = m_rows.find(value); known != m_rows.end() && m_a.values[value].nodeType == type)
            unite(nodes, known->second);
    return nodes;
}

// Calls mark(value, operand, isIndex) for each tensor of the store that is read: at the rows of the operand's frame, or of what an index names there.
// What features decide may be anywhere.
template <class Mark>
void NeededRows::forEachRead(const CutFunction& function, Mark mark) const
{
    const auto read = [&](const StepOperand& operand, OpId op, int frame) {
        if (operand.kind == OperandKind::Stored || operand.kind == OperandKind::Leading) {
            mark(operand.value, &operand, false);
        } else if (operand.kind == OperandKind::StoredWhole) {
            const auto neighbour =
                std::ranges::find_if(function.neighbours, [&](const StepOperand& n) { return n.value == m_a.ops[op].index && n.frame == frame; });
            mark(operand.value, neighbour != function.neighbours.end() ? &*neighbour : nullptr, true);
        }
    };
    for (const Step& step : function.steps)
        for (const StepOperand& operand : step.operands)
            read(operand, step.op, step.frame);
    for (const StepOperand& result : function.results)
        if (result.kind != OperandKind::Step)
            read(result, OpId{}, 0);
}

void NeededRows::addReads(const CutFunction& function, const std::vector<Marks>& computed, Numberings& numbers, const Progress& progress)
{
    if (m_graph.readsOnlyInto(function)) {
        forEachRead(function, [&](ValueId value, const StepOperand* read, bool isIndex) {
            progress.check();
            if (read != nullptr)
                addEnds(function, value, *read, isIndex, computed);
            else
                addAll(value);
        });
        return;
    }
    constexpr std::int64_t atOnce = 1 << 14;
    const std::int64_t count = m_graph.rowsOf(function);
    for (std::int64_t first = 0; first < count; first += atOnce) {
        progress.check();
        const Batch batch = m_batches.make(function, first, std::min(count, first + atOnce), &numbers);
        forEachRead(function, [&](ValueId value, const StepOperand* read, bool isIndex) {
            if (read == nullptr)
                addAll(value);
            else
                add(value, isIndex ? m_batches.nodesAt(*read, batch) : batch.idsOf(read->from >= 0 ? read->from : read->frame));
        });
    }
}

// Of a function that reads no edges but those into its targets.
void NeededRows::addEnds(const CutFunction& function, ValueId value, const StepOperand& read, bool isIndex, const std::vector<Marks>& computed)
{
    const Frame& frame = function.frames[at(!isIndex && read.from >= 0 ? read.from : read.frame)];
    const at::Tensor index = isIndex ? m_graph.structure(read.value).to(at::kLong) : at::Tensor();
    if (frame.kind == FrameKind::Targets) {
        const Marks& nodes = computed[at(frame.nodeType)];
        if (!isIndex && m_a.values[value].nodeType == frame.nodeType)
            unite(of(value), nodes);
        else
            add(value, isIndex ? index.index_select(read.rowDim, markedRows(nodes)) : markedRows(nodes));
        return;
    }
    const int type = function.frames[at(frame.parent)].nodeType;
    const Marks& nodes = computed[at(type)];
    const at::Tensor into = m_graph.structure(frame.index).reshape({-1}).to(at::kLong).contiguous();
    const Traversal& traversal = m_graph.of(function, type);
    const auto grouped = traversal.edges.find(frame.index);
    const bool isOfFew = traversal.ofAll.defined() && grouped != traversal.edges.end();
    if (isIndex && index.numel() == index.size(read.rowDim) && index.numel() >= into.numel()) {
        const at::Tensor flat = index.contiguous();
        if (isOfFew)
            markEnds(grouped->second.edges, numbersOf(flat), of(value));
        else
            markEnds(numbersOf(into), nodes, numbersOf(flat), of(value), at::get_num_threads());
        return;
    }
    std::optional<PageVector<std::int64_t>> found;
    if (!isOfFew)
        found = edgesIntoMarked(numbersOf(into), nodes, into.numel(), at::get_num_threads());
    const at::Tensor edges = view(isOfFew ? grouped->second.edges : *found);
    add(value, isIndex ? index.index_select(read.rowDim, edges) : edges);
}

}  // namespace cleave
