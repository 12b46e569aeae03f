#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/peak_memory.h"
#include "core/base/stopping.h"
#include "core/base/stopwatch.h"
#include "core/run/executor.h"
#include "core/run/tensors.h"

/// Rows of blocks, counted without running anything.
namespace cleave {

// Without bytes of structure.
GraphCounts LayerWise::rowsOfAll(std::int64_t batchSize, std::int64_t mostEdges, const Progress& progress)
{
    GraphCounts counts;
    counts.nodes = m_graph.nodesOfTypes();
    counts.batchSize = batchSize;
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
    addBytes(counts);
    return counts;
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
    m_bytes.structureBytes = m_graph.structureBytes(&kept);
    m_bytes.indexBytes = indexBytes(&kept);
    m_bytes.preparationBytes = std::max({m_bytes.preparationBytes, m_graph.prologueBytes(), before + peak.bytes()});
    return kept;
}

// Of the edges by segment, and of structure in their order.
double LayerWise::indexBytes(const Retained* retained) const
{
    double bytes = 0;
    for (const Traversal& traversal : m_graph.traversals()) {
        for (const auto& [segment, edges] : traversal.edges) {
            bytes += 8 * static_cast<double>(edges.begin.size());
            if (!retained || retained->edgeIds.contains(segment))
                bytes += 8 * static_cast<double>(edges.edges.size());
        }
        for (const auto& [key, rows] : traversal.grouped)
            bytes += static_cast<double>(rows.nbytes());
        for (const auto& [key, rows] : traversal.sources)
            bytes += static_cast<double>(rows.nbytes());
    }
    return bytes;
}

void LayerWise::addBytes(GraphCounts& counts) const
{
    counts.structureBytes = m_bytes.structureBytes;
    counts.indexBytes = m_bytes.indexBytes;
    counts.preparationBytes = m_bytes.preparationBytes;
}

GraphCounts LayerWise::countBlocks(std::int64_t batchSize, std::int64_t mostEdges, const Progress& progress)
{
    GraphCounts counts = rowsOfAll(batchSize, mostEdges, progress);
    addBytes(counts);
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
        return {1, std::vector(function.frames.size(), none), std::vector(at(m_a.types()), std::vector{none})};
    }
    constexpr std::size_t leastBatches = 16;
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
    FunctionRows rows;
    rows.batches = static_cast<double>(starts.size());
    rows.frames.resize(function.frames.size());
    // The counts of a batch: frames, then reach.
    const Stoppable stoppable(progress.stop);
    std::size_t visited = 0;
    const auto visit = [&](std::size_t i) {
        progress.update(static_cast<double>(visited++) / rows.batches, "Counting rows");
        const Batch batch = m_batches.make(function, starts[i], std::min(total, starts[i] + batchSize), &m_numbers);
        std::vector<double> counts(batch.rows.begin(), batch.rows.end());
        rows.reach.resize(batch.reach.size());
        for (std::size_t type = 0; type < batch.reach.size(); ++type) {
            counts.insert(counts.end(), batch.reach[type].begin(), batch.reach[type].end());
            rows.reach[type].resize(batch.reach[type].size());
        }
        return counts;
    };
    // The first batch runs alone, and then so many that follow each other.
    const auto together = static_cast<std::size_t>(std::max(atOnce(std::ssize(starts)), 1));
    const auto addAll = [&](const std::vector<std::vector<double>>& ofBatches) {
        std::size_t i = 0;
        const auto addNext = [&](std::vector<RowCount>& sums) {
            for (RowCount& sum : sums) {
                double atOnce = 0;
                for (std::size_t b = 0; b < ofBatches.size(); ++b) {
                    sum.total += ofBatches[b][i];
                    if (b == 0) {
                        sum.atOnce.first = ofBatches[b][i];
                        continue;
                    }
                    atOnce += ofBatches[b][i] - (b > together ? ofBatches[b - together][i] : 0);
                    sum.atOnce.later = std::max(sum.atOnce.later, atOnce);
                }
                ++i;
            }
        };
        addNext(rows.frames);
        std::ranges::for_each(rows.reach, addNext);
    };
    const double all = std::accumulate(edges.begin(), edges.end(), 0.0);
    if ((oneHop && all <= static_cast<double>(mostEdges)) || starts.size() <= leastBatches) {
        std::vector<std::vector<double>> ofBatches;
        for (std::size_t i = 0; i < starts.size(); ++i)
            ofBatches.push_back(visit(i));
        addAll(ofBatches);
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
    std::vector<std::vector<double>> ofBatches(starts.size());
    for (std::size_t k = 0; k < samples; ++k) {
        ofBatches[order[ranks[k]]] = counted[k];
        for (std::size_t rank = ranks[k] + 1; k + 1 < samples && rank < ranks[k + 1]; ++rank)
            ofBatches[order[rank]] = between(rank, k, k + 1);
    }
    addAll(ofBatches);
    // How far each sample lies from what its neighbours say of it.
    const auto within = [&](const std::vector<double>& counts) {
        double sum = 0;
        std::size_t behind = rows.frames.size();
        for (const std::vector<RowCount>& ofType : rows.reach)
            if (behind += ofType.size(); !ofType.empty())
                sum += counts[behind - 1];
        return sum;
    };
    double squares = 0;
    for (std::size_t k = 1; k + 1 < samples; ++k) {
        const double gap = within(between(ranks[k], k - 1, k + 1)) - within(counted[k]);
        squares += gap * gap;
    }
    const double n = static_cast<double>(samples);
    error = rows.within() > 0 ? std::sqrt(squares / (n - 2) / n) * (rows.batches - n) / rows.within() : 0;
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
