#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "core/base/parallel.h"
#include "core/base/peak_memory.h"
#include "core/base/stopping.h"
#include "core/base/stopwatch.h"
#include "core/run/executor.h"
#include "core/run/side_by_side.h"
#include "core/run/tensors.h"

/// Rows of blocks, counted without running anything.
namespace cleave {

namespace {

// Of a batch: rows of its frames, then for each type how many nodes lie within so many hops.
using BlockRows = std::vector<double>;

BlockRows rowsIn(const Batch& batch)
{
    BlockRows rows(batch.rows.begin(), batch.rows.end());
    for (const std::vector<std::int64_t>& ofType : batch.reach)
        rows.insert(rows.end(), ofType.begin(), ofType.end());
    return rows;
}

double sizeOf(const BlockRows& rows)
{
    return std::accumulate(rows.begin(), rows.end(), 0.0);
}

// Nodes of all types that a batch reaches.
double within(const FunctionRows& shape, const BlockRows& rows)
{
    double sum = 0;
    std::size_t behind = shape.frames.size();
    for (const std::vector<RowCount>& ofType : shape.reach)
        if (behind += ofType.size(); !ofType.empty())
            sum += rows[behind - 1];
    return sum;
}

// together: batches after the first that are there at once, each as the one before it leaves.
void addAll(FunctionRows& sums, const std::vector<BlockRows>& batches, std::size_t together)
{
    std::size_t i = 0;
    const auto addNext = [&](std::vector<RowCount>& some) {
        for (RowCount& sum : some) {
            double atOnce = 0;
            for (std::size_t b = 0; b < batches.size(); ++b) {
                sum.total += batches[b][i];
                if (b == 0) {
                    sum.atOnce.first = batches[b][i];
                    continue;
                }
                atOnce += batches[b][i] - (b > together ? batches[b - together][i] : 0);
                sum.atOnce.later = std::max(sum.atOnce.later, atOnce);
            }
            ++i;
        }
    };
    addNext(sums.frames);
    std::ranges::for_each(sums.reach, addNext);
}

// Batches from the lightest to the heaviest, of which some are counted, evenly spaced; those between them by the number of their edges.
class SampledBatches {
public:
    // edges: into the targets of each batch, of which there is at least one.
    explicit SampledBatches(const std::vector<double>& edges) : m_edges(edges), m_order(edges.size())
    {
        std::iota(m_order.begin(), m_order.end(), std::size_t{0});
        std::ranges::stable_sort(m_order, {}, [&](std::size_t batch) { return edges[batch]; });
    }

    std::size_t heaviest() const { return m_order.back(); }
    bool isWhole() const { return m_ranks.size() == m_order.size(); }

    // rowsOf: what is counted of each of some batches.
    void count(std::size_t samples, const std::function<std::vector<BlockRows>(const std::vector<std::size_t>&)>& rowsOf)
    {
        samples = std::min(samples, m_order.size());
        std::vector<std::size_t> batches;
        for (std::size_t k = 0; k < samples; ++k) {
            m_ranks.push_back(samples == 1 ? 0 : k * (m_order.size() - 1) / (samples - 1));
            batches.push_back(m_order[m_ranks.back()]);
        }
        m_counted = rowsOf(batches);
    }

    std::vector<BlockRows> ofAll() const
    {
        std::vector<BlockRows> all(m_order.size());
        for (std::size_t k = 0; k < m_ranks.size(); ++k) {
            all[m_order[m_ranks[k]]] = m_counted[k];
            for (std::size_t rank = m_ranks[k] + 1; k + 1 < m_ranks.size() && rank < m_ranks[k + 1]; ++rank)
                all[m_order[rank]] = between(rank, k, k + 1);
        }
        return all;
    }

    // Standard error of the nodes within reach of all batches: from how far each sample lies from what its neighbours say of it.
    double deviation(const FunctionRows& shape) const
    {
        double squares = 0;
        for (std::size_t k = 1; k + 1 < m_ranks.size(); ++k) {
            const double gap = within(shape, between(m_ranks[k], k - 1, k + 1)) - within(shape, m_counted[k]);
            squares += gap * gap;
        }
        const auto n = static_cast<double>(m_ranks.size());
        return std::sqrt(squares / (n - 2) / n) * (static_cast<double>(m_order.size()) - n);
    }

private:
    BlockRows between(std::size_t rank, std::size_t low, std::size_t high) const
    {
        const double from = m_edges[m_order[m_ranks[low]]], to = m_edges[m_order[m_ranks[high]]];
        const double share = to > from ? (m_edges[m_order[rank]] - from) / (to - from) : 0.5;
        BlockRows rows = m_counted[low];
        for (std::size_t i = 0; i < rows.size(); ++i)
            rows[i] += share * (m_counted[high][i] - rows[i]);
        return rows;
    }

    const std::vector<double>& m_edges;
    std::vector<std::size_t> m_order;  // of batches
    std::vector<std::size_t> m_ranks;  // in it, of those that are counted: the first and the last are
    std::vector<BlockRows> m_counted;
};

}  // namespace

// Without bytes of structure.
GraphCounts LayerWise::rowsOfAll(std::int64_t batchSize, std::int64_t mostEdges, const Progress& progress)
{
    GraphCounts counts;
    counts.nodes = m_graph.nodesOfTypes();
    counts.batchSize = batchSize;
    counts.sizes = m_graph.sizes();
    double variance = 0, nodes = 0;
    for (std::size_t f = 0; f < m_cut.functions.size(); ++f) {
        const CutFunction& function = m_cut.functions[f];
        // Layers mostly pass messages over the same edges.
        const auto same =
            std::find_if(m_cut.functions.begin(), m_cut.functions.begin() + static_cast<std::ptrdiff_t>(f), [&](const CutFunction& other) {
                return other.frames == function.frames && other.neighbours == function.neighbours && other.total == function.total &&
                       other.rowsOf == function.rowsOf && other.isGlobal == function.isGlobal && m_graph.goAlike(other, function);
            });
        if (same != m_cut.functions.begin() + static_cast<std::ptrdiff_t>(f)) {
            counts.functions.push_back(counts.functions[static_cast<std::size_t>(same - m_cut.functions.begin())]);
            continue;
        }
        double error = 0;
        guarded("Counting the rows of " + functionName(function) + " failed",
                [&] { counts.functions.push_back(countRows(function, batchSize, mostEdges, error, progress)); });
        const double all = counts.functions.back().within();
        variance += error * error * all * all;
        nodes += all;
    }
    counts.error = nodes > 0 ? std::sqrt(variance) / nodes : 0;
    counts.kernels = m_kernels;
    return counts;
}

GraphCounts LayerWise::count(std::int64_t batchSize, std::int64_t mostEdges, const Progress& progress)
{
    std::vector<FunctionReads> reads;
    for (const CutFunction& function : m_cut.functions) {
        if (m_graph.isLeftOut(function)) {
            reads.emplace_back();
            continue;
        }
        LoweredFunction lowered = lowerFunction(m_a, function, m_constants, "counted", m_kernels);
        const bool isNumbered = needsNumbers(function, lowered);
        reads.push_back({std::move(lowered.inputs), isNumbered});
    }
    group(reads, progress);
    GraphCounts counts = rowsOfAll(batchSize, mostEdges, progress);
    counts.structure = m_bytes;
    return counts;
}

void LayerWise::setOrders(const NodeOrders& orders)
{
    m_bytes.preparation = orders.bytes > 0 ? m_graph.structureBytes() + indexBytes() + orders.bytes : 0;
    m_graph.setOrders(orders.ofTypes);
}

// Puts edges and structure into the order in which functions read them, and notes what memory all of that takes.
Retained LayerWise::group(const std::vector<FunctionReads>& reads, const Progress& progress)
{
    const double before = m_graph.structureBytes() + indexBytes();
    const PeakMemory peak;
    Retained kept = m_graph.group(reads, progress);
    Stopwatch watch;
    for (std::size_t f = 0; f < m_cut.functions.size(); ++f)  // of one that is left out, nothing
        guarded("Running " + functionName(m_cut.functions[f]) + " failed", [&] {
            m_graph.groupStructure(m_cut.functions[f], reads[f].inputs);
            m_runs[f].prepareSeconds += watch.lap();
        });
    m_bytes.read = m_graph.structureBytes(&kept);
    m_bytes.index = indexBytes(&kept);
    m_bytes.preparation = std::max({m_bytes.preparation, m_graph.prologueBytes(), before + peak.bytes()});
    return kept;
}

// Of the nodes in order, the edges by segment, and of structure in their order.
double LayerWise::indexBytes(const Retained* retained) const
{
    double bytes = 0;
    for (const Traversal& traversal : m_graph.traversals()) {
        for (const at::Tensor& nodes : {traversal.order, traversal.place, traversal.ofAll})
            bytes += nodes.defined() ? static_cast<double>(nodes.nbytes()) : 0;
        for (const auto& [segment, edges] : traversal.edges) {
            bytes += 8 * static_cast<double>(edges.begin.size());
            if (!retained || retained->edgeIds.contains(segment))
                bytes += 8 * static_cast<double>(edges.edges.size());
        }
        // Of what was noted to be put in order, not all is needed.
        for (const auto& [key, rows] : traversal.grouped)
            bytes += rows.defined() ? static_cast<double>(rows.nbytes()) : 0;
        for (const auto& [key, rows] : traversal.sources)
            bytes += rows.defined() ? static_cast<double>(rows.nbytes()) : 0;
    }
    return bytes;
}

GraphCounts LayerWise::countBlocks(std::int64_t batchSize, std::int64_t mostEdges, const Progress& progress)
{
    GraphCounts counts = rowsOfAll(batchSize, mostEdges, progress);
    counts.structure = m_bytes;
    for (std::size_t f = 0; f < m_cut.functions.size(); ++f)
        if (m_runs[f].blockNodes == 0 && m_runs[f].rows > 0)
            m_runs[f].blockNodes = std::llround(counts.functions[f].within());
    return counts;
}

FunctionRows LayerWise::countRows(const CutFunction& function, std::int64_t batchSize, std::int64_t mostEdges, double& error,
                                  const Progress& progress)
{
    if (m_graph.isLeftOut(function)) {
        const RowCount none;
        return {1, true, std::vector(function.frames.size(), none), std::vector(at(m_a.types()), std::vector{none})};
    }
    constexpr std::size_t leastBatches = 16, fewestBatches = 8;
    constexpr double mostRows = 1 << 26;  // of blocks of several hops: some seconds
    const std::int64_t total = m_graph.rowsOf(function);
    batchSize = batchSizeOf(function, batchSize);
    const std::vector<ValueId> segments = function.segmentsInto(function.nodeType);
    const bool overNodes = !function.rowsOf.valid(), oneHop = function.firstLevel == function.level;
    std::vector<std::int64_t> starts;
    std::vector<double> edges;  // into the targets of each batch
    for (std::int64_t first = 0; first < total || first == 0; first += batchSize) {
        starts.push_back(first);
        edges.push_back(0);
        const auto [from, to] = m_batches.targets(function, {first, std::min(total, first + batchSize)}, function.nodeType);
        for (const ValueId segment : segments)
            if (overNodes)
                edges.back() += static_cast<double>(m_graph.of(function).edges.at(segment).count(from, to));
    }
    const auto make = [&](std::size_t i, Numberings& numbers) {
        return m_batches.make(function, starts[i], std::min(total, starts[i] + batchSize), &numbers);
    };
    SampledBatches sample(edges);
    FunctionRows rows;
    rows.batches = static_cast<double>(starts.size());
    rows.areInOrder = !m_graph.of(function).order.defined();
    const Stoppable stoppable(progress.stop);
    progress.update(0, "Counting rows");
    BlockRows heaviest;
    {
        const Batch batch = make(sample.heaviest(), m_numbers);
        heaviest = rowsIn(batch);
        rows.frames.resize(batch.rows.size());
        for (const std::vector<std::int64_t>& ofType : batch.reach)
            rows.reach.emplace_back(ofType.size());
    }
    const auto rowsOf = [&](const std::vector<std::size_t>& batches) {
        const int threads = at::get_num_threads();
        std::vector<Numberings> numbers(static_cast<std::size_t>(threads), Numberings(m_numbers.size()));
        std::vector<BlockRows> counted(batches.size());
        const SideBySide side;
        parallelFor(std::ssize(batches), threads, [&](std::int64_t i, int thread) {
            const SideBySide::Thread own(side);
            if (thread == 0)
                progress.update(static_cast<double>(i) / static_cast<double>(batches.size()), "Counting rows");
            const std::size_t batch = batches[static_cast<std::size_t>(i)];
            counted[static_cast<std::size_t>(i)] =
                batch == sample.heaviest() ? heaviest : rowsIn(make(batch, numbers[static_cast<std::size_t>(thread)]));
        });
        return counted;
    };
    const double all = std::accumulate(edges.begin(), edges.end(), 0.0);
    std::size_t samples = starts.size();
    if (oneHop && all > static_cast<double>(mostEdges))
        samples = std::max(leastBatches, static_cast<std::size_t>(static_cast<double>(mostEdges) / std::max(1.0, all / rows.batches)));
    else if (!oneHop)
        samples = std::clamp(static_cast<std::size_t>(mostRows / std::max(1.0, sizeOf(heaviest))), fewestBatches, leastBatches);
    sample.count(samples, rowsOf);
    // The first batch runs alone, and then so many that follow each other.
    addAll(rows, sample.ofAll(), static_cast<std::size_t>(std::max(atOnce(std::ssize(starts)), 1)));
    if (sample.isWhole())
        return rows;
    error = rows.within() > 0 ? sample.deviation(rows) / rows.within() : 0;
    // How many targets and edges into them there are is known.
    rows.frames.front().total = static_cast<double>(total);
    for (std::size_t i = 0; overNodes && i < rows.frames.size(); ++i)
        if (const Frame& frame = function.frames[i]; frame.kind == FrameKind::Targets)
            rows.reach[static_cast<std::size_t>(frame.nodeType)].front().total = rows.frames[i].total =
                static_cast<double>(m_graph.of(function, frame.nodeType).count);
        else if (frame.kind == FrameKind::Edges && frame.parent == 0)
            rows.frames[i].total = static_cast<double>(m_graph.of(function).edges.at(frame.index).count(0, m_graph.of(function).count));
    return rows;
}

}  // namespace cleave
