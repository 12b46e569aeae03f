#include "core/graph/blocks.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/base/format.h"
#include "core/base/memory.h"
#include "core/base/memory_bound.h"
#include "core/base/parallel.h"

namespace cleave {

namespace {

constexpr std::int64_t nodesPerRange = 4096;  // 16 bits hold a node of a range

}  // namespace

std::span<const std::int64_t> EdgesBySegment::of(std::int64_t firstNode, std::int64_t lastNode) const
{
    const std::int64_t first = begin[static_cast<std::size_t>(firstNode)], last = begin[static_cast<std::size_t>(lastNode)];
    return {edges.data() + first, static_cast<std::size_t>(last - first)};
}

EdgesBySegment groupBySegment(std::span<const std::int64_t> segment, std::int64_t numNodes, int threads)
{
    if (numNodes < 0 || static_cast<std::uint64_t>(numNodes) > physicalMemory() / (2 * sizeof(std::int64_t)))
        throw Error("A graph of " + formatCount(numNodes) + " nodes does not fit into memory.");
    EdgesBySegment grouped;
    grouped.begin.assign(static_cast<std::size_t>(numNodes) + 1, 0);
    grouped.edges.resize(segment.size());
    if (segment.empty())
        return grouped;
    // First into ranges of nodes whose edges fit into a cache, then each range by itself.
    const auto edges = static_cast<std::int64_t>(segment.size());
    const std::int64_t ranges = (numNodes + nodesPerRange - 1) / nodesPerRange, chunks = std::min<std::int64_t>(64, edges);
    const auto chunk = [&](std::int64_t c) { return c * edges / chunks; };
    std::vector<std::int64_t> places(static_cast<std::size_t>(chunks * ranges));  // of each chunk's edges in each range
    const auto place = [&](std::int64_t c, std::int64_t range) -> std::int64_t& { return places[static_cast<std::size_t>(c * ranges + range)]; };
    parallelFor(chunks, threads, [&](std::int64_t c, int) {
        stayWithinBound();
        for (std::int64_t e = chunk(c); e < chunk(c + 1); ++e) {
            const std::int64_t node = segment[static_cast<std::size_t>(e)];
            if (node < 0 || node >= numNodes)
                throw Error("Edge " + std::to_string(e) + " leads to node " + std::to_string(node) +
                            (numNodes == 0 ? ", but there are none." : ", but the graph has nodes 0 to " + std::to_string(numNodes - 1) + "."));
            ++place(c, node / nodesPerRange);
        }
    });
    std::vector<std::int64_t> firstOf;
    std::int64_t before = 0;
    for (std::int64_t range = 0; range < ranges; ++range) {
        firstOf.push_back(before);
        for (std::int64_t c = 0; c < chunks; ++c)
            before += std::exchange(place(c, range), before);
    }
    firstOf.push_back(before);
    // With each edge its node within the range: the segment, which may lie in a file, is read twice from front to back and no more.
    PageVector<std::int64_t> byRange(segment.size());
    PageVector<std::uint16_t> nodeInRange(segment.size());
    parallelFor(chunks, threads, [&](std::int64_t c, int) {
        stayWithinBound();
        for (std::int64_t e = chunk(c); e < chunk(c + 1); ++e) {
            const std::int64_t node = segment[static_cast<std::size_t>(e)];
            const auto at = static_cast<std::size_t>(place(c, node / nodesPerRange)++);
            byRange[at] = e;
            nodeInRange[at] = static_cast<std::uint16_t>(node % nodesPerRange);
        }
    });
    parallelFor(ranges, threads, [&](std::int64_t range, int) {
        const std::int64_t firstNode = range * nodesPerRange, lastNode = std::min(numNodes, firstNode + nodesPerRange);
        const std::int64_t first = firstOf[static_cast<std::size_t>(range)], last = firstOf[static_cast<std::size_t>(range) + 1];
        std::vector<std::int64_t> next(static_cast<std::size_t>(lastNode - firstNode) + 1);
        const auto nodeOf = [&](std::int64_t i) { return static_cast<std::size_t>(nodeInRange[static_cast<std::size_t>(i)]); };
        stayWithinBound();
        for (std::int64_t i = first; i < last; ++i)
            ++next[nodeOf(i) + 1];
        next[0] = first;
        for (std::size_t v = 1; v < next.size(); ++v)
            next[v] += next[v - 1];
        std::ranges::copy(next.begin() + 1, next.end(), grouped.begin.begin() + firstNode + 1);
        for (std::int64_t i = first; i < last; ++i)
            grouped.edges[static_cast<std::size_t>(next[nodeOf(i)]++)] = byRange[static_cast<std::size_t>(i)];
    });
    return grouped;
}

}  // namespace cleave
