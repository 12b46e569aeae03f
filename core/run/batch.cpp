#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include "core/base/format.h"
#include "core/base/stopping.h"
#include "core/run/batch.h"
#include "core/run/file_rows.h"

/// Blocks of batches, and what functions are given of them.
namespace cleave {

namespace {

// Edges into nodes that do not follow each other in the order.
at::Tensor edgesInto(const EdgesBySegment& grouped, const at::Tensor& places)
{
    const std::span<const std::int64_t> each = numbersOf(places);
    std::size_t count = 0;
    for (const std::int64_t place : each)
        count += grouped.of(place, place + 1).size();
    at::Tensor ids = at::empty({static_cast<std::int64_t>(count)}, at::kLong);
    auto* out = ids.data_ptr<std::int64_t>();
    for (const std::int64_t place : each)
        out = std::ranges::copy(grouped.of(place, place + 1), out).out;
    return ids;
}

at::Tensor sliced(const at::Tensor& whole, int rowDim, int frame, const Batch& batch)
{
    const at::Tensor& ids = batch.ids[static_cast<std::size_t>(frame)];
    const auto& [first, last] = batch.range(frame);
    if (rowDim == 0)
        return ids.defined() ? rowsAt(whole, ids) : rowsFrom(whole, first, last - first);
    return ids.defined() ? whole.index_select(rowDim, ids) : whole.narrow(rowDim, first, last - first);
}

}  // namespace

Batch BatchMaker::make(const CutFunction& function, std::int64_t first, std::int64_t last, Numberings* numbers, const at::Tensor& live) const
{
    Batch batch;
    batch.first = first;
    batch.last = last;
    batch.function = &function;
    batch.numbers = numbers;
    batch.ids.resize(function.frames.size());
    batch.places.resize(function.frames.size());
    batch.rows.resize(function.frames.size());
    batch.live = live;
    batch.isWhole = numbers && !live.defined() && isWhole(function, last - first);
    const bool isOverNodes = !function.rowsOf.valid();
    for (int type = 0; type < m_a.types(); ++type)
        batch.targets.push_back(batch.isWhole ? RowRange{0, m_graph.numNodes(type)} : targets(function, {first, last}, type));
    for (std::size_t i = 0; numbers && i < numbers->size(); ++i)
        (*numbers)[i].clear();
    for (int i = 0; i < static_cast<int>(function.frames.size()); ++i) {
        const Frame& frame = function.frames[static_cast<std::size_t>(i)];
        if (frame.kind != FrameKind::Targets)
            continue;
        const auto& [from, to] = batch.range(i);
        at::Tensor& ids = batch.ids[static_cast<std::size_t>(i)];
        if (const at::Tensor& order = m_graph.of(function, frame.nodeType).order; isOverNodes && order.defined())
            ids = order.narrow(0, from, to - from);
        if (live.defined() && i == 0)
            ids = batch.idsOf(0).index_select(0, live);
        batch.rows[static_cast<std::size_t>(i)] = live.defined() && i == 0 ? live.numel() : to - from;
        if (numbers && isOverNodes && !batch.isWhole)
            number(batch.idsOf(i), frame.nodeType, batch);
    }
    int farthest = 0;
    for (const Frame& frame : function.frames)
        farthest = std::max(farthest, frame.hops);
    const auto reaches = [&] {
        batch.reach.resize(numbers ? static_cast<std::size_t>(m_a.types()) : 0);
        for (std::size_t type = 0; type < batch.reach.size(); ++type)
            if (function.numbers(static_cast<int>(type)))
                batch.reach[type].push_back(batch.isWhole ? batch.targets[type].last : static_cast<std::int64_t>((*numbers)[type].nodes().size()));
    };
    for (int hops = 0; hops <= farthest; ++hops) {
        reaches();
        addRows(function, hops, batch);
        if (numbers && !batch.isWhole)
            addNeighbours(function, hops, batch);
    }
    reaches();
    return batch;
}

// Every node of each type that the function computes, in natural order.
bool BatchMaker::isWhole(const CutFunction& function, std::int64_t targets) const
{
    if (function.rowsOf.valid() || targets != m_graph.rowsOf(function))
        return false;
    for (int type = 0; type < m_a.types(); ++type)
        if (function.numbers(type) && (m_graph.of(function, type).order.defined() || m_graph.of(function, type).count != m_graph.numNodes(type)))
            return false;
    return true;
}

// As large a share of them as it has of the type of which there are most.
RowRange BatchMaker::targets(const CutFunction& function, RowRange batch, int type) const
{
    if (function.targetsOf(type) < 0)
        return {};
    const std::int64_t all = m_graph.rowsOf(function), count = function.rowsOf.valid() ? all : m_graph.of(function, type).count;
    const auto share = [&](std::int64_t place) {
        return place >= all ? count : std::llround(static_cast<double>(place) / static_cast<double>(all) * static_cast<double>(count));
    };
    return all == count ? batch : RowRange{batch.first == 0 ? 0 : share(batch.first), share(batch.last)};
}

// The rows of the frames at a distance; the nodes that lie there are known.
void BatchMaker::addRows(const CutFunction& function, int hops, Batch& batch) const
{
    for (std::size_t i = 1; i < function.frames.size(); ++i) {
        const Frame& frame = function.frames[i];
        if (frame.hops != hops)
            continue;
        at::Tensor ids;
        switch (frame.kind) {
        case FrameKind::Block:
            if (batch.isWhole) {
                batch.rows[i] = batch.range(static_cast<int>(i)).last;
                continue;
            }
            ids = view((*batch.numbers)[static_cast<std::size_t>(frame.nodeType)].nodes()).clone();
            break;
        case FrameKind::Targets:
            continue;
        case FrameKind::Edges:
            if (const Traversal& traversal = m_graph.of(function, batch.frame(frame.parent).nodeType); !batch.isRange(frame.parent)) {
                ids = edgesInto(traversal.edges.at(frame.index), traversal.placesOf(batch.idsOf(frame.parent)));
            } else {
                const EdgesBySegment& edges = traversal.edges.at(frame.index);
                const auto& [first, last] = batch.range(frame.parent);
                batch.rows[i] = edges.count(first, last);
                batch.edges += batch.rows[i];
                if (edges.hasIds())
                    batch.ids[i] = view(edges.of(first, last));
                continue;
            }
            batch.edges += ids.numel();
            break;
        case FrameKind::Renumbered:
            ids = fromFirst(frame, m_graph.structure(frame.index).to(at::kLong).index_select(0, batch.idsOf(frame.parent)));
            break;
        default: {
            const std::int64_t start = m_graph.total(frame.before), end = start + m_graph.total(frame.own);
            ids = batch.idsOf(frame.parent);
            batch.places[i] = ids.ge(start).logical_and(ids.lt(end)).nonzero().view({-1});
            ids = ids.index_select(0, batch.places[i]).sub(start);
        }
        }
        batch.rows[i] = ids.numel();
        batch.ids[i] = std::move(ids);
    }
}

// Numbers of rows that may count from the last one. Error if there is no such row.
at::Tensor BatchMaker::fromFirst(const Frame& frame, const at::Tensor& numbers) const
{
    if (numbers.numel() == 0)
        return numbers;
    const std::int64_t least = numbers.min().item<std::int64_t>(), most = numbers.max().item<std::int64_t>();
    const std::int64_t rows = frame.own.empty() ? std::max<std::int64_t>(most + 1, 0) : m_graph.total(frame.own);
    if (rows == 0)
        throw Error("'" + printable(m_a.program[frame.index].name) + "' names row " + std::to_string(most >= 0 ? most : least) +
                    ", but there are none.");
    if (least < -rows || most >= rows || (least < 0 && frame.own.empty()))
        throw Error("'" + printable(m_a.program[frame.index].name) + "' names row " + std::to_string(most >= rows ? most : least) +
                    ", but there are rows 0 to " + std::to_string(rows - 1) + ".");
    return least < 0 ? at::where(numbers.lt(0), numbers.add(rows), numbers) : numbers;
}

// Gives the nodes of a type that have none in this batch the next numbers.
void BatchMaker::number(const at::Tensor& found, int type, Batch& batch) const
{
    const at::Tensor flat = found.contiguous();
    const auto* data = flat.data_ptr<std::int64_t>();
    constexpr std::int64_t atOnce = 1 << 16;
    const std::int64_t nodes = m_graph.numNodes(type);
    Numbering& numbers = (*batch.numbers)[static_cast<std::size_t>(type)];
    for (std::int64_t i = 0; i < flat.numel(); ++i) {
        if (i % atOnce == 0)
            checkStop();
        if (data[i] >= 0 && data[i] < nodes)
            numbers.add(data[i]);
    }
}

// Blocks hold nodes of the types that the function computes; rows of others are read from the store.
void BatchMaker::addNeighbours(const CutFunction& function, int hops, Batch& batch) const
{
    for (const StepOperand& neighbour : function.neighbours)
        if (function.numbers(neighbour.ofType) && batch.frame(neighbour.frame).hops == hops)
            number(neighbour.value.valid() ? nodesAt(neighbour, batch) : batch.idsOf(neighbour.frame), neighbour.ofType, batch);
}

at::Tensor BatchMaker::nodesAt(const StepOperand& operand, const Batch& batch) const
{
    const CutFunction& function = *batch.function;
    StepOperand slice = operand;
    slice.kind = OperandKind::Slice;
    at::Tensor nodes;
    if (const at::Tensor* sources = m_graph.sourcesAt(function, slice))
        nodes = edgesOf(*sources, 0, operand.frame, batch);
    else if (const at::Tensor* grouped = m_graph.groupedAt(function, slice))
        nodes = edgesOf(*grouped, operand.rowDim, operand.frame, batch);
    else
        nodes = sliced(m_graph.structure(operand.value), operand.rowDim, operand.frame, batch);
    nodes = nodes.to(at::kLong);
    return at::where(nodes.lt(0), nodes.add(m_graph.numNodes(operand.ofType)), nodes);
}

at::Tensor BatchMaker::numbersInBatch(const at::Tensor& nodes, int type, const Batch& batch) const
{
    if (batch.isWhole)
        return nodes;
    const at::Tensor flat = nodes.contiguous();
    at::Tensor numbers = at::empty(nodes.sizes(), at::kLong);
    const auto* data = flat.data_ptr<std::int64_t>();
    const Numbering& known = (*batch.numbers)[static_cast<std::size_t>(type)];
    std::transform(data, data + flat.numel(), numbers.data_ptr<std::int64_t>(), [&](std::int64_t node) { return known.of(node); });
    return numbers;
}

std::vector<c10::IValue> BatchMaker::inputs(const LoweredFunction& lowered, const Batch& batch) const
{
    std::vector<c10::IValue> values;
    values.reserve(lowered.inputs.size());
    for (const FunctionInput& in : lowered.inputs)
        values.push_back(input(in, batch));
    batch.ofEdges.clear();  // what is read last goes then
    return values;
}

c10::IValue BatchMaker::input(const FunctionInput& in, const Batch& batch) const
{
    if (in.operand)
        return input(*in.operand, batch);
    if (in.countOf >= 0)
        return batch.rows[static_cast<std::size_t>(in.countOf)];
    if (in.numbersOf >= 0)
        return numbersInBatch(batch.idsOf(in.numbersOf), in.numbersType, batch);
    if (!in.orderOf.empty())
        return orderOf(in.orderOf, batch);
    if (in.gathered >= 0)
        return gatheredRows(in.gathered, batch);
    return in.beginOf >= 0 ? beginOf(in.beginOf, batch) : sourcesOf(*in.sourcesOf, batch);
}

at::Tensor BatchMaker::beginOf(int frame, const Batch& batch) const
{
    const Frame& f = batch.function->frames[static_cast<std::size_t>(frame)];
    const Traversal& traversal = m_graph.of(*batch.function, batch.frame(f.parent).nodeType);
    const EdgesBySegment& edges = traversal.edges.at(f.index);
    if (batch.isRange(f.parent)) {
        const auto& [first, last] = batch.range(f.parent);
        const at::Tensor begin = view(edges.begin).narrow(0, first, last - first + 1);
        return batch.live.defined() ? at::cat({begin.index_select(0, batch.live), begin.narrow(0, last - first, 1)}) : begin;
    }
    const at::Tensor places = traversal.placesOf(batch.idsOf(f.parent));
    at::Tensor begin = at::empty({places.numel() + 1}, at::kLong);
    auto* out = begin.data_ptr<std::int64_t>();
    *out = 0;
    for (const std::int64_t place : numbersOf(places)) {
        out[1] = out[0] + static_cast<std::int64_t>(edges.of(place, place + 1).size());
        ++out;
    }
    return begin;
}

// For all nodes at once, edges of several hops are the same ones.
template <class Make>
at::Tensor BatchMaker::onceOfWhole(const StepOperand& operand, int which, const Batch& batch, Make make) const
{
    const Frame& frame = batch.frame(operand.frame);
    if (!batch.isWhole || frame.kind != FrameKind::Edges || !batch.isRange(frame.parent))
        return make();
    at::Tensor& known = batch.ofEdges[{operand.value, frame.index, operand.kind, which}];
    if (!known.defined())
        known = make();
    return known;
}

at::Tensor BatchMaker::sourcesOf(const StepOperand& operand, const Batch& batch) const
{
    const CutFunction& function = *batch.function;
    if (operand.kind == OperandKind::LocalIndex && !batch.isWhole)
        return input(operand, batch).toTensor().to(at::kInt);
    if (const at::Tensor* sources = m_graph.sourcesAt(function, operand))
        return edgesOf(*sources, 0, operand.frame, batch);
    return onceOfWhole(operand, -1 - operand.ofType, batch, [&] { return sourcesOfAny(operand, batch); });
}

at::Tensor BatchMaker::sourcesOfAny(const StepOperand& operand, const Batch& batch) const
{
    const at::Tensor edges = batch.idsOf(operand.frame);
    if (edges.numel() > 0 && edges.max().item<std::int64_t>() >= m_graph.structure(operand.value).numel())
        throw Error("'" + printable(m_a.program[operand.value].name) + "' has " + formatCount(m_graph.structure(operand.value).numel()) +
                    " entries, but is read at entry " + std::to_string(edges.max().item<std::int64_t>()) + ".");
    return toSources(m_graph.structure(operand.value).to(at::kLong), numbersOf(edges), m_graph.numNodes(operand.ofType));
}

RowRange BatchMaker::edgesIn(int frame, const Batch& batch) const
{
    const auto& begin = m_graph.of(*batch.function).edges.at(batch.function->frames[static_cast<std::size_t>(frame)].index).begin;
    const auto& [from, to] = batch.range(0);
    return {begin[static_cast<std::size_t>(from)], begin[static_cast<std::size_t>(to)]};
}

at::Tensor BatchMaker::edgesOf(const at::Tensor& grouped, int rowDim, int frame, const Batch& batch) const
{
    const auto& [first, last] = edgesIn(frame, batch);
    return grouped.narrow(rowDim, first, last - first);
}

// Rows of a stored value, of which each may have several entries.
at::Tensor BatchMaker::storedRows(const StepOperand& operand, const Batch& batch) const
{
    const at::Tensor& whole = m_store.at(operand.value);
    if (batch.function->isGlobal)
        return m_store.asRead(operand.value, whole);
    const ValueFacts& facts = m_a.values[operand.value];
    if (facts.outer * facts.inner == 1)
        return m_store.asRead(operand.value, sliced(whole, operand.rowDim, operand.frame, batch));
    return m_store.asRead(operand.value,
                          sliced(entriesApart(whole, facts), facts.rowDim + 1, operand.frame, batch).flatten(facts.rowDim, facts.rowDim + 2));
}

c10::IValue BatchMaker::input(const StepOperand& operand, const Batch& batch) const
{
    const auto rows = [&](const at::Tensor& whole) { return sliced(whole, operand.rowDim, operand.frame, batch); };
    switch (operand.kind) {
    case OperandKind::StoredWhole:
    case OperandKind::OfGraph:
        return m_store.at(operand.value);
    case OperandKind::Stored:
        return storedRows(operand, batch);
    case OperandKind::Slice:
        if (const at::Tensor* grouped = m_graph.groupedAt(*batch.function, operand))
            return edgesOf(*grouped, operand.rowDim, operand.frame, batch);
        return onceOfWhole(operand, operand.rowDim, batch, [&] { return rows(m_graph.structure(operand.value)); });
    case OperandKind::LocalIndex:
        if (isTargetPlace(*batch.function, operand)) {
            const at::Tensor targets = rows(m_graph.structure(operand.value));
            return m_graph.of(*batch.function).placesOf(targets.reshape({-1})).view(targets.sizes()).sub(batch.range(0).first);
        }
        return onceOfWhole(operand, operand.ofType, batch, [&] { return numbersInBatch(nodesAt(operand, batch), operand.ofType, batch); });
    default:
        return m_graph.known(operand.value);
    }
}

at::Tensor BatchMaker::gatheredRows(int output, const Batch& batch) const
{
    const Gathered& gathered = *batch.gathered;
    const at::Tensor& rows = gathered.rows[static_cast<std::size_t>(output)];
    const auto& [frame, empty] = gathered.outputs[static_cast<std::size_t>(output)];
    if (frame > 0) {
        const auto& begin = m_graph.of(*batch.function).edges.at(batch.function->frames[static_cast<std::size_t>(frame)].index).begin;
        const auto edge = [&](std::int64_t target) { return begin[static_cast<std::size_t>(target)]; };
        return rows.narrow(0, edge(batch.first) - edge(gathered.first), edge(batch.last) - edge(batch.first));
    }
    const std::int64_t first = batch.first - gathered.first, last = batch.last - gathered.first;
    if (!gathered.live.defined())
        return rows.narrow(0, first, last - first);
    const std::span<const std::int64_t> live = numbersOf(gathered.live);
    const auto place = [&](std::int64_t target) { return std::ranges::lower_bound(live, target) - live.begin(); };
    const std::int64_t from = place(first), count = place(last) - from;
    std::vector<std::int64_t> sizes = rows.sizes().vec();
    sizes.front() = last - first;
    return at::full(sizes, empty, rows.options()).index_copy_(0, gathered.live.narrow(0, from, count).sub(first), rows.narrow(0, from, count));
}

at::Tensor orderOf(const std::vector<int>& parts, const Batch& batch)
{
    std::vector<at::Tensor> places;
    for (const int part : parts)
        places.push_back(batch.places[static_cast<std::size_t>(part)]);
    const at::Tensor from = at::cat(places);
    return at::empty_like(from).index_copy_(0, from, at::arange(from.numel(), at::kLong));
}

}  // namespace cleave
