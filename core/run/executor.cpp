#include "core/run/executor.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <mutex>
#include <numeric>
#include <random>
#include <set>

#include "core/base/error.h"
#include "core/base/format.h"
#include "core/base/parallel.h"
#include "core/run/allocator.h"
#include "core/run/batch.h"
#include "core/run/side_by_side.h"
#include "core/run/tensors.h"

namespace cleave {

namespace {

class Stopwatch {
public:
    double lap()
    {
        const auto now = std::chrono::steady_clock::now();
        const double seconds = std::chrono::duration<double>(now - m_last).count();
        m_last = now;
        return seconds;
    }

private:
    std::chrono::steady_clock::time_point m_last = std::chrono::steady_clock::now();
};

std::span<const std::int64_t> numbersOf(const at::Tensor& tensor)
{
    return {tensor.data_ptr<std::int64_t>(), static_cast<std::size_t>(tensor.numel())};
}

// Calls work(i, edges[i]) on all threads; the entries of `array` at the edges are asked for ahead.
template <class T, class Work>
void forEachInOrder(std::span<const std::int64_t> edges, const T* array, Work work)
{
    constexpr std::int64_t ahead = 16;
    at::parallel_for(0, static_cast<std::int64_t>(edges.size()), 1 << 15, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i) {
            if (i + ahead < last)
                __builtin_prefetch(array + edges[static_cast<std::size_t>(i + ahead)]);
            work(i, edges[static_cast<std::size_t>(i)]);
        }
    });
}

// Rows of structure in the order of edges.
at::Tensor inOrder(const at::Tensor& structure, int rowDim, std::span<const std::int64_t> edges)
{
    // LibTorch takes its time over single numbers.
    if (structure.numel() != structure.size(rowDim) || structure.element_size() != 4 || !structure.is_contiguous())
        return structure.index_select(rowDim, view(edges));
    std::vector<std::int64_t> sizes = structure.sizes().vec();
    sizes[static_cast<std::size_t>(rowDim)] = static_cast<std::int64_t>(edges.size());
    at::Tensor ordered = at::empty(sizes, structure.options());
    const auto* in = static_cast<const std::int32_t*>(structure.data_ptr());
    auto* out = static_cast<std::int32_t*>(ordered.data_ptr());
    forEachInOrder(edges, in, [=](std::int64_t i, std::int64_t edge) { out[i] = in[edge]; });
    return ordered;
}

// The row dimension as three: outer, rows, inner.
at::Tensor entriesApart(const at::Tensor& tensor, const ValueFacts& facts)
{
    std::vector<std::int64_t> sizes = tensor.sizes().vec();
    const auto row = sizes.begin() + facts.rowDim;
    const std::int64_t rows = *row / (facts.outer * facts.inner);
    *row = facts.inner;
    sizes.insert(sizes.begin() + facts.rowDim, {facts.outer, rows});
    return tensor.reshape(sizes);
}

}  // namespace

LayerWise::LayerWise(const Analysis& analysis, const CutProgram& cut, const Constants& constants, const Bindings& inputs, const Progress& progress)
    : m_a(analysis), m_cut(cut), m_constants(constants), m_runs(cut.functions.size()), m_numbers(std::make_unique<Numbering>())
{
    const Program& program = analysis.program;
    Stopwatch watch;
    progress.update(0, "Prologue");
    for (const Input& input : program.inputs)
        if (input.role == Role::NodeFeatures) {
            m_store[input.value] = inputs.at(input.value).toTensor();
            m_numNodes = m_store[input.value].size(0);
        }
    guarded("The prologue cannot be computed on this graph", [&] {
        const auto results = runProgram(program, constants, inputs, cut.prologue, "Prologue", progress);
        for (std::size_t i = 0; i < cut.prologue.size(); ++i)
            m_structure[cut.prologue[i]] = results[i];
    });
    setOrder({}, progress);
    m_prologueSeconds = watch.lap();
}

LayerWise::~LayerWise() = default;

// Groups edges by the places of the nodes that they lead into; each node has one.
void LayerWise::groupEdges(Traversal& traversal, const std::set<ValueId>& segments, const Progress& progress) const
{
    for (const ValueId segment : segments) {
        progress.check();
        const at::Tensor targets = structure(segment).reshape({-1}).to(at::kLong).contiguous();
        const auto group = [&](const at::Tensor& by) { return groupBySegment(numbersOf(by), m_numNodes, at::get_num_threads()); };
        if (!traversal.place.defined()) {
            traversal.edges[segment] = group(targets);
            continue;
        }
        if (targets.numel() > 0 && (targets.min().item<std::int64_t>() < 0 || targets.max().item<std::int64_t>() >= m_numNodes))
            group(targets);  // says which edge leads to no node
        traversal.edges[segment] = group(traversal.place.index_select(0, targets));
    }
}

LayerWise::Traversal LayerWise::traversalOf(const std::vector<std::int64_t>& order) const
{
    Traversal traversal;
    traversal.count = m_numNodes;
    if (order.empty())
        return traversal;
    if (static_cast<std::int64_t>(order.size()) != m_numNodes)
        throw Error("A node order of " + formatCount(static_cast<std::int64_t>(order.size())) + " nodes does not fit a graph of " +
                    formatCount(m_numNodes) + ".");
    traversal.order = view(order).clone();
    traversal.place = at::full({m_numNodes}, -1, at::kLong);
    auto* place = traversal.place.data_ptr<std::int64_t>();
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (order[i] < 0 || order[i] >= m_numNodes || place[order[i]] >= 0)
            throw Error("A node order must name each node once.");
        place[order[i]] = static_cast<std::int64_t>(i);
    }
    return traversal;
}

void LayerWise::setOrder(const std::vector<std::int64_t>& order, const Progress& progress)
{
    m_traversals.clear();
    m_traversals.push_back(traversalOf(order));
    m_traversalOf.assign(m_cut.functions.size(), 0);
    std::set<ValueId> segments;
    for (const CutFunction& function : m_cut.functions)
        for (const ValueId segment : function.segments())
            segments.insert(segment);
    groupEdges(m_traversals.front(), segments, progress);
}

at::Tensor LayerWise::Traversal::placesOf(const at::Tensor& nodes) const
{
    return place.defined() ? place.index_select(0, nodes) : nodes.contiguous();
}

const LayerWise::Traversal& LayerWise::of(const CutFunction& function) const
{
    return m_traversals[m_traversalOf[static_cast<std::size_t>(&function - m_cut.functions.data())]];
}

LayerWise::Traversal& LayerWise::of(const CutFunction& function)
{
    return const_cast<Traversal&>(std::as_const(*this).of(function));
}

// Going backwards from the last function: what later ones read of a function's save points is what it must compute.
void LayerWise::setTargets(const std::vector<std::int64_t>& nodes, const Progress& progress)
{
    const auto size = static_cast<std::size_t>(m_numNodes);
    std::vector<std::int64_t> before = m_traversals.front().order.defined() ? std::vector<std::int64_t>(numbersOf(m_traversals.front().order).begin(),
                                                                                                         numbersOf(m_traversals.front().order).end())
                                                                            : std::vector<std::int64_t>(size);
    if (!m_traversals.front().order.defined())
        std::iota(before.begin(), before.end(), 0);
    std::map<ValueId, std::vector<bool>> needed;
    for (const ValueId output : m_a.program.outputs) {
        if (m_a.values[output].rows == Rows::Edges)
            throw Error("Only nodes can be asked for, but output '" + m_a.program[output].name + "' has a row for each edge.");
        std::vector<bool>& rows = needed.try_emplace(output, size).first->second;
        for (const std::int64_t node : nodes) {
            if (node < 0 || node >= m_numNodes)
                throw Error("There is no node " + std::to_string(node) + ": the graph has nodes 0 to " + std::to_string(m_numNodes - 1) + ".");
            rows[static_cast<std::size_t>(node)] = true;
        }
    }
    m_targets = view(nodes).clone();
    for (std::size_t f = m_cut.functions.size(); f-- > 0;) {
        const CutFunction& function = m_cut.functions[f];
        std::vector<bool> rows(size);
        for (const ValueId value : function.saves)
            if (const auto known = needed.find(value); known != needed.end())
                for (std::size_t v = 0; v < size; ++v)
                    rows[v] = rows[v] || known->second[v];
        std::vector<std::int64_t> order;
        order.reserve(size);
        std::ranges::copy_if(before, std::back_inserter(order), [&](std::int64_t v) { return rows[static_cast<std::size_t>(v)]; });
        const auto count = static_cast<std::int64_t>(order.size());
        if (count < m_numNodes) {
            std::ranges::copy_if(before, std::back_inserter(order), [&](std::int64_t v) { return !rows[static_cast<std::size_t>(v)]; });
            Traversal traversal = traversalOf(order);
            traversal.count = count;
            const std::vector<ValueId> segments = function.segments();
            groupEdges(traversal, {segments.begin(), segments.end()}, progress);
            m_traversalOf[f] = m_traversals.size();
            m_traversals.push_back(std::move(traversal));
        }
        addReads(function, count, needed);
    }
}

// The nodes whose rows a function reads of each tensor of the store.
void LayerWise::addReads(const CutFunction& function, std::int64_t count, std::map<ValueId, std::vector<bool>>& needed) const
{
    const Batch batch = block(function, 0, count, m_numbers.get());
    const auto mark = [&](ValueId value, const at::Tensor& nodes) {
        std::vector<bool>& rows = needed.try_emplace(value, static_cast<std::size_t>(m_numNodes)).first->second;
        const at::Tensor flat = nodes.reshape({-1}).contiguous();
        for (const std::int64_t node : numbersOf(flat))
            if (node >= 0 && node < m_numNodes)
                rows[static_cast<std::size_t>(node)] = true;
    };
    const auto reads = [&](const StepOperand& operand, OpId op, int frame) {
        if (operand.kind == OperandKind::Stored || operand.kind == OperandKind::Leading) {
            mark(operand.value, batch.idsOf(operand.from >= 0 ? operand.from : operand.frame));
        } else if (operand.kind == OperandKind::StoredWhole) {
            // At the nodes that an index of the graph names; what features decide may be anywhere.
            const auto neighbour = std::ranges::find_if(function.neighbours, [&](const StepOperand& n) {
                return n.value == m_a.ops[op].index && n.frame == frame;
            });
            mark(operand.value, neighbour != function.neighbours.end() ? nodesAt(*neighbour, batch) : at::arange(m_numNodes, at::kLong));
        }
    };
    for (const Step& step : function.steps)
        for (const StepOperand& operand : step.operands)
            reads(operand, step.op, step.frame);
    for (const StepOperand& result : function.results)
        if (result.kind != OperandKind::Step)
            reads(result, OpId{}, 0);
}

const at::Tensor& LayerWise::structure(ValueId value) const
{
    const auto known = m_structure.find(value);
    return known != m_structure.end() ? known->second.toTensor() : m_constants[value].toTensor();
}

std::int64_t LayerWise::mostEdgesPerNode() const
{
    std::int64_t most = 0;
    for (const auto& [segment, edges] : m_traversals.front().edges)
        most = std::max(most, static_cast<std::int64_t>(edges.edges.size()) / std::max<std::int64_t>(m_numNodes, 1) + 1);
    return most;
}

std::vector<at::Tensor> LayerWise::run(std::int64_t batchSize, const Progress& progress)
{
    std::vector<LoweredFunction> lowered;
    for (std::size_t f = 0; f < m_cut.functions.size(); ++f)
        guarded("Running function " + std::to_string(f) + " failed", [&] {
            lowered.push_back(lowerFunction(m_a, m_cut.functions[f], m_constants, "function_" + std::to_string(f), m_kernels));
            Stopwatch watch;
            groupStructure(m_cut.functions[f], lowered.back());
            m_runs[f] = {};
            m_runs[f].prepareSeconds = watch.lap();
        });
    if (m_runsOnce)
        release(retained(lowered));
    for (std::size_t f = 0; f < m_cut.functions.size(); ++f) {
        guarded("Running function " + std::to_string(f) + " failed", [&] { runFunction(f, std::move(lowered[f]), batchSize, progress); });
        if (!m_keepAll)
            freeAfter(f);
    }
    std::vector<at::Tensor> outputs;
    for (const ValueId id : m_a.program.outputs) {
        if (m_store.contains(id))
            outputs.push_back(m_targets.defined() ? targetRows(m_store.at(id), m_a.values[id], m_targets) : m_store.at(id));
        else if (m_a.program[id].kind == ValueKind::Tensor)
            outputs.push_back(structure(id));
        else
            outputs.push_back(at::scalar_tensor(m_structure.at(id).toScalar()));
    }
    return outputs;
}

void LayerWise::freeAfter(std::size_t function)
{
    std::erase_if(m_store, [&](const auto& entry) {
        const bool output = std::ranges::count(m_a.program.outputs, entry.first) > 0;
        return !output && std::all_of(m_cut.functions.begin() + static_cast<std::ptrdiff_t>(function) + 1, m_cut.functions.end(),
                                      [&](const CutFunction& f) { return std::ranges::count(f.reads, entry.first) == 0; });
    });
}

std::int64_t LayerWise::total(const std::vector<RowTotal>& rows) const
{
    std::int64_t sum = 0;
    for (const RowTotal& term : rows)
        sum += term.value.valid() ? structure(term.value).size(term.dim) : m_numNodes;
    return sum;
}

// That are computed: of nodes, those that are asked for.
std::int64_t LayerWise::rowsOf(const CutFunction& function) const
{
    return function.rowsOf.valid() ? total(function.total) : of(function).count;
}

LayerWise::Batch LayerWise::block(const CutFunction& function, std::int64_t first, std::int64_t last, Numbering* numbers) const
{
    Batch batch;
    batch.first = first;
    batch.last = last;
    batch.function = &function;
    batch.numbers = numbers;
    batch.ids.resize(function.frames.size());
    batch.places.resize(function.frames.size());
    batch.rows.resize(function.frames.size());
    batch.rows[0] = last - first;
    if (numbers)
        numbers->clear();
    if (!function.rowsOf.valid()) {
        if (const at::Tensor& order = of(function).order; order.defined())
            batch.ids[0] = order.narrow(0, first, last - first);
        if (numbers)
            number(batch.idsOf(0), batch);
    }
    int farthest = 0;
    for (const Frame& frame : function.frames)
        farthest = std::max(farthest, frame.hops);
    const auto reaches = [&] {
        if (numbers)
            batch.reach.push_back(static_cast<std::int64_t>(numbers->nodes().size()));
    };
    for (int hops = 0; hops <= farthest; ++hops) {
        reaches();
        addRows(function, hops, batch);
        if (numbers)
            addNeighbours(function, hops, batch);
    }
    reaches();
    return batch;
}

// The rows of the frames at a distance; the nodes that lie there are known.
void LayerWise::addRows(const CutFunction& function, int hops, Batch& batch) const
{
    for (std::size_t i = 1; i < function.frames.size(); ++i) {
        const Frame& frame = function.frames[i];
        if (frame.hops != hops)
            continue;
        at::Tensor ids;
        switch (frame.kind) {
        case FrameKind::Block:
            ids = view(batch.numbers->nodes()).clone();
            break;
        case FrameKind::Edges:
            if (const EdgesBySegment& edges = of(function).edges.at(frame.index); frame.parent != 0) {
                ids = edgesInto(edges, of(function).placesOf(batch.idsOf(frame.parent)));
            } else {
                batch.rows[i] = edges.count(batch.first, batch.last);
                batch.edges += batch.rows[i];
                if (static_cast<std::int64_t>(edges.edges.size()) == edges.begin.back())
                    batch.ids[i] = view(edges.of(batch.first, batch.last));
                continue;
            }
            batch.edges += ids.numel();
            break;
        case FrameKind::Renumbered:
            ids = structure(frame.index).to(at::kLong).index_select(0, batch.idsOf(frame.parent));
            break;
        default: {
            const std::int64_t start = total(frame.before), end = start + total(frame.own);
            ids = batch.idsOf(frame.parent);
            batch.places[i] = ids.ge(start).logical_and(ids.lt(end)).nonzero().view({-1});
            ids = ids.index_select(0, batch.places[i]).sub(start);
        }
        }
        batch.rows[i] = ids.numel();
        batch.ids[i] = std::move(ids);
    }
}

// Edges into nodes that do not follow each other in the order.
at::Tensor LayerWise::edgesInto(const EdgesBySegment& edges, const at::Tensor& places)
{
    const std::span<const std::int64_t> each = numbersOf(places);
    std::size_t count = 0;
    for (const std::int64_t place : each)
        count += edges.of(place, place + 1).size();
    at::Tensor ids = at::empty({static_cast<std::int64_t>(count)}, at::kLong);
    auto* out = ids.data_ptr<std::int64_t>();
    for (const std::int64_t place : each)
        out = std::ranges::copy(edges.of(place, place + 1), out).out;
    return ids;
}

// Gives the nodes that have none in this batch the next numbers.
void LayerWise::number(const at::Tensor& nodes, Batch& batch) const
{
    const at::Tensor flat = nodes.contiguous();
    const auto* data = flat.data_ptr<std::int64_t>();
    for (std::int64_t i = 0; i < flat.numel(); ++i)
        if (data[i] >= 0 && data[i] < m_numNodes)
            batch.numbers->add(data[i]);
}

void LayerWise::addNeighbours(const CutFunction& function, int hops, Batch& batch) const
{
    for (const StepOperand& neighbour : function.neighbours)
        if (function.frames[static_cast<std::size_t>(neighbour.frame)].hops == hops)
            number(neighbour.value.valid() ? nodesAt(neighbour, batch) : batch.idsOf(neighbour.frame), batch);
}

// The entries of an index in a frame, counted from the first node.
at::Tensor LayerWise::nodesAt(const StepOperand& operand, const Batch& batch) const
{
    at::Tensor nodes;
    const Traversal& traversal = of(*batch.function);
    if (const std::pair key{operand.value, batch.function->frames[static_cast<std::size_t>(operand.frame)].index}; !isGrouped(*batch.function, operand.frame))
        nodes = sliced(structure(operand.value), operand.rowDim, operand.frame, batch);
    else if (const auto sources = traversal.sources.find(key); sources != traversal.sources.end())
        nodes = edgesOf(sources->second, 0, operand.frame, batch);
    else if (const auto grouped = traversal.grouped.find(key); grouped != traversal.grouped.end())
        nodes = edgesOf(grouped->second, operand.rowDim, operand.frame, batch);
    else
        nodes = sliced(structure(operand.value), operand.rowDim, operand.frame, batch);
    nodes = nodes.to(at::kLong);
    return at::where(nodes.lt(0), nodes.add(m_numNodes), nodes);
}

at::Tensor LayerWise::numbersInBatch(const at::Tensor& nodes, const Batch& batch) const
{
    const at::Tensor flat = nodes.contiguous();
    at::Tensor numbers = at::empty(nodes.sizes(), at::kLong);
    const auto* data = flat.data_ptr<std::int64_t>();
    std::transform(data, data + flat.numel(), numbers.data_ptr<std::int64_t>(), [&](std::int64_t node) { return batch.numbers->of(node); });
    return numbers;
}

int LayerWise::atOnce(std::int64_t batches) const
{
    return m_batchesAtOnce > 0 ? m_batchesAtOnce : batchesAtOnce(static_cast<double>(batches), at::get_num_threads());
}

// A function while its batches run.
struct LayerWise::Running {
    Running(const CutFunction& f, LoweredFunction l) : function(f), lowered(std::move(l)) {}

    const CutFunction& function;
    LoweredFunction lowered;
    std::int64_t total = 0;
    bool numbered = false;
    std::mutex mutex;
    FunctionRun stats;  // its times are sums over threads
};

void LayerWise::runFunction(std::size_t index, LoweredFunction lowered, std::int64_t batchSize, const Progress& progress)
{
    const CutFunction& function = m_cut.functions[index];
    const std::string name = "function " + std::to_string(index);
    Stopwatch watch;
    Running running(function, std::move(lowered));
    running.total = rowsOf(function);
    running.numbered = needsNumbers(function, running.lowered);
    const std::int64_t batches = std::max<std::int64_t>(1, (running.total + batchSize - 1) / batchSize);
    const auto report = [&](std::int64_t done) {
        progress.update(static_cast<double>(done) / static_cast<double>(batches), "Running " + name);
    };
    const auto runOne = [&](std::int64_t batch, Numbering& numbers) {
        runBatch(running, batch * batchSize, std::min(running.total, (batch + 1) * batchSize), numbers);
    };
    report(0);
    // The first makes the store.
    runOne(0, *m_numbers);
    if (const int atOnce = this->atOnce(batches); atOnce > 1) {
        const SideBySide side;
        std::vector<Numbering> numbers(static_cast<std::size_t>(atOnce));
        parallelFor(batches - 1, atOnce, [&](std::int64_t batch, int thread) {
            if (thread == 0)
                report(batch + 1);
            else
                progress.check();
            const SideBySide::Thread own(side);
            runOne(batch + 1, numbers[static_cast<std::size_t>(thread)]);
        });
    } else {
        for (std::int64_t batch = 1; batch < batches; ++batch) {
            report(batch);
            runOne(batch, *m_numbers);
        }
    }
    const double grouping = m_runs[index].prepareSeconds;
    FunctionRun& stats = m_runs[index] = running.stats;
    const double wall = watch.lap(), sum = stats.seconds();
    for (double* part : {&stats.prepareSeconds, &stats.computeSeconds, &stats.writeSeconds})
        *part *= sum > 0 ? wall / sum : 0;
    stats.prepareSeconds += grouping;
    stats.batches = batches;
    stats.rows = running.total;
    for (const ValueId id : function.saves)
        stats.savedBytes += static_cast<double>(m_store.at(id).nbytes()) *
                            (function.rowsOf.valid() || m_numNodes == 0 ? 1 : static_cast<double>(running.total) / static_cast<double>(m_numNodes));
}

void LayerWise::runBatch(Running& running, std::int64_t first, std::int64_t last, Numbering& numbers)
{
    FunctionRun stats;
    Stopwatch watch;
    const Batch batch = block(running.function, first, last, running.numbered ? &numbers : nullptr);
    std::vector<c10::IValue> arguments = inputs(running.lowered, batch);
    stats.prepareSeconds = watch.lap();
    const std::vector<c10::IValue> results = running.lowered.code.run(std::move(arguments));
    stats.computeSeconds = watch.lap();
    for (std::size_t i = 0; i < running.function.saves.size(); ++i)
        save(running.function.saves[i], results[i].toTensor(), batch, running.function.rowsOf.valid() ? running.total : m_numNodes);
    stats.writeSeconds = watch.lap();
    const std::lock_guard lock(running.mutex);
    running.stats.edges += batch.edges;
    running.stats.blockNodes += batch.reach.empty() ? 0 : batch.reach.back();
    running.stats.prepareSeconds += stats.prepareSeconds;
    running.stats.computeSeconds += stats.computeSeconds;
    running.stats.writeSeconds += stats.writeSeconds;
}

// Edges into the targets themselves: those of a batch lie together.
bool LayerWise::isGrouped(const CutFunction& function, int frame) const
{
    const Frame& f = function.frames[static_cast<std::size_t>(frame)];
    return f.kind == FrameKind::Edges && f.parent == 0;
}

bool LayerWise::needsNumbers(const CutFunction& function, const LoweredFunction& lowered) const
{
    const auto isLocal = [&](const std::optional<StepOperand>& operand) {
        return operand && operand->kind == OperandKind::LocalIndex && !isTargetPlace(function, *operand);
    };
    return std::ranges::any_of(function.frames, [](const Frame& frame) { return frame.kind == FrameKind::Block; }) ||
           std::ranges::any_of(lowered.inputs, [&](const FunctionInput& in) { return in.numbersOf >= 0 || isLocal(in.operand) || isLocal(in.sourcesOf); });
}

// Structure that batches slice by edges is put into their order once.
void LayerWise::groupStructure(const CutFunction& function, const LoweredFunction& lowered)
{
    Traversal& traversal = of(function);
    const auto segmentOf = [&](int frame) { return function.frames[static_cast<std::size_t>(frame)].index; };
    const auto edgesInto = [&](ValueId segment) -> std::span<const std::int64_t> {
        const EdgesBySegment& edges = traversal.edges.at(segment);
        return {edges.edges.data(), static_cast<std::size_t>(edges.count(0, traversal.count))};
    };
    for (const FunctionInput& in : lowered.inputs) {
        if (in.operand && in.operand->kind == OperandKind::Slice && isGrouped(function, in.operand->frame)) {
            const ValueId segment = segmentOf(in.operand->frame);
            at::Tensor& grouped = traversal.grouped[{in.operand->value, segment}];
            if (!grouped.defined())
                grouped = inOrder(structure(in.operand->value), in.operand->rowDim, edgesInto(segment));
        }
        if (in.sourcesOf && in.sourcesOf->kind == OperandKind::Slice && isGrouped(function, in.sourcesOf->frame)) {
            const ValueId segment = segmentOf(in.sourcesOf->frame);
            at::Tensor& sources = traversal.sources[{in.sourcesOf->value, segment}];
            if (!sources.defined())
                sources = toSources(structure(in.sourcesOf->value).to(at::kLong), edgesInto(segment));
        }
    }
}

// What batches still read when it lies in the order of the edges: structure values, and segments whose edges they know by their ids.
LayerWise::Retained LayerWise::retained(const std::vector<LoweredFunction>& lowered) const
{
    Retained all{{m_a.program.outputs.begin(), m_a.program.outputs.end()}, {}};
    auto& [read, idsRead] = all;
    for (std::size_t f = 0; f < lowered.size(); ++f) {
        const CutFunction& function = m_cut.functions[f];
        for (const RowTotal& term : function.total)
            read.insert(term.value);
        const bool onlyGrouped = !needsNumbers(function, lowered[f]) && std::ranges::all_of(function.frames, [](const Frame& frame) {
            return frame.kind == FrameKind::Targets || (frame.kind == FrameKind::Edges && frame.parent == 0);
        });
        if (!onlyGrouped) {
            for (const Frame& frame : function.frames) {
                read.insert(frame.index);
                idsRead.insert(frame.index);
                for (const auto* terms : {&frame.before, &frame.own})
                    for (const RowTotal& term : *terms)
                        read.insert(term.value);
            }
            for (const StepOperand& neighbour : function.neighbours)
                read.insert(neighbour.value);
        }
        for (const FunctionInput& in : lowered[f].inputs)
            for (const std::optional<StepOperand>& operand : {in.operand, in.sourcesOf})
                if (operand && !(operand->kind == OperandKind::Slice && isGrouped(function, operand->frame))) {
                    read.insert(operand->value);
                    idsRead.insert(function.frames[static_cast<std::size_t>(operand->frame)].index);
                }
    }
    return all;
}

void LayerWise::release(const Retained& retained)
{
    std::erase_if(m_structure, [&](const auto& known) { return !retained.structure.contains(known.first); });
    for (Traversal& traversal : m_traversals)
        for (auto& [segment, edges] : traversal.edges)
            if (!retained.edgeIds.contains(segment))
                edges.edges = {};
}

// The entries of an index, counted from the first node, in 32 bits.
at::Tensor LayerWise::toSources(const at::Tensor& index, std::span<const std::int64_t> edges) const
{
    at::Tensor sources = at::empty({static_cast<std::int64_t>(edges.size())}, at::kInt);
    const at::Tensor flat = index.contiguous();
    const auto* in = flat.data_ptr<std::int64_t>();
    auto* out = sources.data_ptr<std::int32_t>();
    const std::int64_t nodes = m_numNodes;
    forEachInOrder(edges, in, [=](std::int64_t i, std::int64_t edge) {
        const std::int64_t node = in[edge] < 0 ? in[edge] + nodes : in[edge];
        out[i] = node >= 0 && node < nodes ? static_cast<std::int32_t>(node) : -1;
    });
    return sources;
}

GraphCounts LayerWise::count(std::int64_t batchSize, std::int64_t mostEdges, const Progress& progress)
{
    GraphCounts counts;
    counts.nodes = m_numNodes;
    counts.batchSize = batchSize;
    double variance = 0, nodes = 0;
    for (std::size_t f = 0; f < m_cut.functions.size(); ++f) {
        const CutFunction& function = m_cut.functions[f];
        // Layers mostly pass messages over the same edges.
        const auto same =
            std::find_if(m_cut.functions.begin(), m_cut.functions.begin() + static_cast<std::ptrdiff_t>(f), [&](const CutFunction& other) {
                return other.frames == function.frames && other.neighbours == function.neighbours && other.total == function.total &&
                       other.rowsOf == function.rowsOf && &of(other) == &of(function);
            });
        if (same != m_cut.functions.begin() + static_cast<std::ptrdiff_t>(f)) {
            counts.functions.push_back(counts.functions[static_cast<std::size_t>(same - m_cut.functions.begin())]);
            continue;
        }
        double error = 0;
        guarded("Counting the rows of function " + std::to_string(f) + " failed",
                [&] { counts.functions.push_back(countRows(function, batchSize, mostEdges, error, progress)); });
        const double all = counts.functions.back().reach.back().total;
        variance += error * error * all * all;
        nodes += all;
    }
    counts.error = nodes > 0 ? std::sqrt(variance) / nodes : 0;
    std::vector<LoweredFunction> lowered;
    for (const CutFunction& function : m_cut.functions) {
        lowered.push_back(lowerFunction(m_a, function, m_constants, "counted", m_kernels));
        groupStructure(function, lowered.back());
    }
    const Retained kept = retained(lowered);
    counts.structureBytes = structureBytes(&kept);
    counts.preparationBytes += structureBytes(nullptr);
    for (const Traversal& traversal : m_traversals) {
        for (const auto& [segment, edges] : traversal.edges) {
            counts.indexBytes += 8 * static_cast<double>(edges.begin.size() + (kept.edgeIds.contains(segment) ? edges.edges.size() : 0));
            counts.preparationBytes += 8 * static_cast<double>(edges.begin.size() + edges.edges.size());
        }
        for (const auto* ordered : {&traversal.grouped, &traversal.sources})
            for (const auto& [key, rows] : *ordered) {
                counts.indexBytes += static_cast<double>(rows.nbytes());
                counts.preparationBytes += static_cast<double>(rows.nbytes());
            }
    }
    counts.kernels = m_kernels;
    counts.batchesAtOnce = atOnce((m_numNodes + batchSize - 1) / batchSize);
    return counts;
}

// Of all structure, or of what is retained; views share their memory.
double LayerWise::structureBytes(const Retained* retained) const
{
    std::map<const void*, double> storages;
    for (const auto& [value, result] : m_structure)
        if (result.isTensor() && (!retained || retained->structure.contains(value)))
            storages[result.toTensor().storage().data()] = static_cast<double>(result.toTensor().storage().nbytes());
    double bytes = 0;
    for (const auto& [storage, size] : storages)
        bytes += size;
    return bytes;
}

void LayerWise::countBlocks(std::int64_t batchSize, std::int64_t mostEdges, const Progress& progress)
{
    for (std::size_t f = 0; f < m_cut.functions.size(); ++f)
        if (m_runs[f].blockNodes == 0 && m_runs[f].rows > 0) {
            double error = 0;
            guarded("Counting the rows of function " + std::to_string(f) + " failed", [&] {
                m_runs[f].blockNodes = std::llround(countRows(m_cut.functions[f], batchSize, mostEdges, error, progress).reach.back().total);
            });
        }
}

FunctionRows LayerWise::countRows(const CutFunction& function, std::int64_t batchSize, std::int64_t mostEdges, double& error,
                                  const Progress& progress)
{
    constexpr std::size_t leastBatches = 16;
    const std::int64_t total = rowsOf(function);
    const std::vector<ValueId> segments = function.segments();
    const bool overNodes = !function.rowsOf.valid(), oneHop = function.firstLevel == function.level;
    std::vector<std::int64_t> starts;
    std::vector<double> edges;  // into the targets of each batch
    for (std::int64_t first = 0; first < total || first == 0; first += batchSize) {
        starts.push_back(first);
        edges.push_back(0);
        for (const ValueId segment : segments)
            if (overNodes)
                edges.back() += static_cast<double>(of(function).edges.at(segment).count(first, std::min(total, first + batchSize)));
    }
    FunctionRows rows;
    rows.batches = static_cast<double>(starts.size());
    rows.frames.resize(function.frames.size());
    // The counts of a batch: frames, then reach.
    std::size_t visited = 0;
    const auto visit = [&](std::size_t i) {
        progress.update(static_cast<double>(visited++) / rows.batches, "Counting rows");
        const Batch batch = block(function, starts[i], std::min(total, starts[i] + batchSize), m_numbers.get());
        std::vector<double> counts(batch.rows.begin(), batch.rows.end());
        counts.insert(counts.end(), batch.reach.begin(), batch.reach.end());
        rows.reach.resize(batch.reach.size());
        return counts;
    };
    const auto add = [&](const std::vector<double>& counts) {
        for (std::size_t i = 0; i < counts.size(); ++i) {
            RowCount& sum = i < rows.frames.size() ? rows.frames[i] : rows.reach[i - rows.frames.size()];
            sum.total += counts[i];
            sum.most = std::max(sum.most, counts[i]);
        }
    };
    const double all = std::accumulate(edges.begin(), edges.end(), 0.0);
    if ((oneHop && all <= static_cast<double>(mostEdges)) || starts.size() <= leastBatches) {
        for (std::size_t i = 0; i < starts.size(); ++i)
            add(visit(i));
        return rows;
    }
    // Batches from the lightest to the heaviest, evenly spaced; those between them by the number of their edges.
    std::vector<std::size_t> order(starts.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return edges[i]; });
    const double perBatch = std::max(1.0, all / rows.batches);
    const std::size_t samples =
        std::clamp(oneHop ? static_cast<std::size_t>(static_cast<double>(mostEdges) / perBatch) : leastBatches, leastBatches, starts.size());
    std::vector<std::size_t> ranks;
    std::vector<std::vector<double>> counted;
    for (std::size_t k = 0; k < samples; ++k) {
        ranks.push_back(k * (order.size() - 1) / (samples - 1));
        counted.push_back(visit(order[ranks.back()]));
    }
    const auto between = [&](std::size_t rank, std::size_t low, std::size_t high) {
        const double from = edges[order[ranks[low]]], to = edges[order[ranks[high]]];
        const double share = to > from ? (edges[order[rank]] - from) / (to - from) : 0.5;
        std::vector<double> counts = counted[low];
        for (std::size_t i = 0; i < counts.size(); ++i)
            counts[i] += share * (counted[high][i] - counts[i]);
        return counts;
    };
    for (std::size_t k = 0; k < samples; ++k) {
        add(counted[k]);
        for (std::size_t rank = ranks[k] + 1; k + 1 < samples && rank < ranks[k + 1]; ++rank)
            add(between(rank, k, k + 1));
    }
    // How far each sample lies from what its neighbours say of it.
    double squares = 0;
    for (std::size_t k = 1; k + 1 < samples; ++k) {
        const double gap = between(ranks[k], k - 1, k + 1).back() - counted[k].back();
        squares += gap * gap;
    }
    const double n = static_cast<double>(samples);
    error = rows.reach.back().total > 0 ? std::sqrt(squares / (n - 2) / n) * (rows.batches - n) / rows.reach.back().total : 0;
    // How many targets and edges into them there are is known.
    rows.frames.front().total = static_cast<double>(total);
    if (overNodes)
        rows.reach.front().total = static_cast<double>(total);
    for (std::size_t i = 1; i < rows.frames.size(); ++i)
        if (const Frame& frame = function.frames[i]; frame.kind == FrameKind::Edges && frame.parent == 0 && overNodes)
            rows.frames[i].total = static_cast<double>(of(function).edges.at(frame.index).count(0, total));
    return rows;
}

std::vector<c10::IValue> LayerWise::inputs(const LoweredFunction& lowered, const Batch& batch) const
{
    std::vector<c10::IValue> values;
    values.reserve(lowered.inputs.size());
    for (const FunctionInput& in : lowered.inputs)
        values.push_back(inputOf(in, batch));
    return values;
}

c10::IValue LayerWise::inputOf(const FunctionInput& in, const Batch& batch) const
{
    if (in.operand)
        return input(*in.operand, batch);
    if (in.countOf >= 0)
        return batch.rows[static_cast<std::size_t>(in.countOf)];
    if (in.numbersOf >= 0)
        return numbersInBatch(batch.idsOf(in.numbersOf), batch);
    if (!in.orderOf.empty())
        return orderOf(in.orderOf, batch);
    return in.beginOf >= 0 ? beginOf(in.beginOf, batch) : sourcesOf(*in.sourcesOf, batch);
}

at::Tensor LayerWise::beginOf(int frame, const Batch& batch) const
{
    const Frame& f = batch.function->frames[static_cast<std::size_t>(frame)];
    const EdgesBySegment& edges = of(*batch.function).edges.at(f.index);
    if (f.parent == 0)
        return view(edges.begin).narrow(0, batch.first, batch.last - batch.first + 1);
    const at::Tensor places = of(*batch.function).placesOf(batch.idsOf(f.parent));
    at::Tensor begin = at::empty({places.numel() + 1}, at::kLong);
    auto* out = begin.data_ptr<std::int64_t>();
    *out = 0;
    for (const std::int64_t place : numbersOf(places)) {
        out[1] = out[0] + static_cast<std::int64_t>(edges.of(place, place + 1).size());
        ++out;
    }
    return begin;
}

at::Tensor LayerWise::sourcesOf(const StepOperand& operand, const Batch& batch) const
{
    const CutFunction& function = *batch.function;
    if (operand.kind == OperandKind::LocalIndex)
        return input(operand, batch).toTensor().to(at::kInt);
    if (isGrouped(function, operand.frame))
        return edgesOf(of(function).sources.at({operand.value, function.frames[static_cast<std::size_t>(operand.frame)].index}), 0, operand.frame, batch);
    const at::Tensor edges = batch.idsOf(operand.frame);
    return toSources(structure(operand.value).to(at::kLong), numbersOf(edges));
}

// A batch's part of what lies in the order of the edges into targets.
at::Tensor LayerWise::edgesOf(const at::Tensor& grouped, int rowDim, int frame, const Batch& batch) const
{
    const std::vector<std::int64_t>& begin = of(*batch.function).edges.at(batch.function->frames[static_cast<std::size_t>(frame)].index).begin;
    const std::int64_t first = begin[static_cast<std::size_t>(batch.first)];
    return grouped.narrow(rowDim, first, begin[static_cast<std::size_t>(batch.last)] - first);
}

// Where each row of a frame is in the rows of its parts after each other.
at::Tensor LayerWise::orderOf(const std::vector<int>& parts, const Batch& batch)
{
    std::vector<at::Tensor> places;
    for (const int part : parts)
        places.push_back(batch.places[static_cast<std::size_t>(part)]);
    const at::Tensor from = at::cat(places);
    return at::empty_like(from).index_copy_(0, from, at::arange(from.numel(), at::kLong));
}

at::Tensor LayerWise::sliced(const at::Tensor& whole, int rowDim, int frame, const Batch& batch) const
{
    const at::Tensor& ids = batch.ids[static_cast<std::size_t>(frame)];
    return ids.defined() ? whole.index_select(rowDim, ids) : whole.narrow(rowDim, batch.first, batch.last - batch.first);
}

// Rows of a stored value, of which each may have several entries.
at::Tensor LayerWise::storedRows(const StepOperand& operand, const Batch& batch) const
{
    const at::Tensor& whole = m_store.at(operand.value);
    const ValueFacts& facts = m_a.values[operand.value];
    if (facts.outer * facts.inner == 1)
        return sliced(whole, operand.rowDim, operand.frame, batch);
    return sliced(entriesApart(whole, facts), facts.rowDim + 1, operand.frame, batch).flatten(facts.rowDim, facts.rowDim + 2);
}

c10::IValue LayerWise::input(const StepOperand& operand, const Batch& batch) const
{
    const auto rows = [&](const at::Tensor& whole) { return sliced(whole, operand.rowDim, operand.frame, batch); };
    switch (operand.kind) {
    case OperandKind::StoredWhole:
        return m_store.at(operand.value);
    case OperandKind::Stored:
        return storedRows(operand, batch);
    case OperandKind::Slice:
        if (isGrouped(*batch.function, operand.frame)) {
            const ValueId segment = batch.function->frames[static_cast<std::size_t>(operand.frame)].index;
            const auto& groups = of(*batch.function).grouped;
            if (const auto grouped = groups.find({operand.value, segment}); grouped != groups.end())
                return edgesOf(grouped->second, operand.rowDim, operand.frame, batch);
        }
        return rows(structure(operand.value));
    case OperandKind::LocalIndex:
        if (isTargetPlace(*batch.function, operand)) {
            const at::Tensor targets = rows(structure(operand.value));
            return of(*batch.function).placesOf(targets.reshape({-1})).view(targets.sizes()).sub(batch.first);
        }
        return numbersInBatch(nodesAt(operand, batch), batch);
    default: {
        const auto known = m_structure.find(operand.value);
        return known != m_structure.end() ? known->second : m_constants[operand.value];
    }
    }
}

// The targets of a batch are numbered as they follow each other.
bool LayerWise::isTargetPlace(const CutFunction& function, const StepOperand& operand) const
{
    return isGrouped(function, operand.frame) && function.frames[static_cast<std::size_t>(operand.frame)].index == operand.value;
}

void LayerWise::save(ValueId value, const at::Tensor& rows, const Batch& batch, std::int64_t total)
{
    const ValueFacts& facts = m_a.values[value];
    const std::int64_t entries = facts.outer * facts.inner;
    const at::Tensor& ids = batch.ids.front();
    if (rows.size(facts.rowDim) == total * entries && !ids.defined()) {
        m_store[value] = rows;
        return;
    }
    if (batch.first == 0) {
        std::vector<std::int64_t> sizes = rows.sizes().vec();
        sizes[static_cast<std::size_t>(facts.rowDim)] = total * entries;
        const std::int64_t count = batch.function->rowsOf.valid() ? m_numNodes : of(*batch.function).count;
        m_store[value] = count < m_numNodes ? emptyScattered(sizes, rows.options(), count, facts.rowDim) : at::empty(sizes, rows.options());
    }
    const at::Tensor& store = m_store.at(value);
    at::Tensor whole = entriesApart(store, facts);
    if (ids.defined())
        whole.index_copy_(facts.rowDim + 1, ids, entriesApart(rows, facts));
    else
        whole.narrow(facts.rowDim + 1, batch.first, batch.last - batch.first).copy_(entriesApart(rows, facts));
}

at::Tensor targetRows(const at::Tensor& tensor, const ValueFacts& facts, const at::Tensor& nodes)
{
    return entriesApart(tensor, facts).index_select(facts.rowDim + 1, nodes).flatten(facts.rowDim, facts.rowDim + 2);
}

std::vector<c10::IValue> runWhole(const Analysis& analysis, const Constants& constants, const Bindings& inputs, const std::vector<ValueId>& wanted,
                                  const Progress& progress)
{
    std::vector<c10::IValue> results;
    guarded("Running the whole model on this graph failed", [&] {
        results = runProgram(analysis.program, constants, inputs, wanted, "Running the whole model", progress);
    });
    return results;
}

}  // namespace cleave
