#include "core/graph/blocks.h"

#include <string>

#include "core/base/error.h"
#include "core/base/format.h"
#include "core/base/memory.h"

namespace cleave {

std::span<const std::int64_t> EdgesBySegment::of(std::int64_t firstNode, std::int64_t lastNode) const
{
    const std::int64_t first = begin[static_cast<std::size_t>(firstNode)], last = begin[static_cast<std::size_t>(lastNode)];
    return {edges.data() + first, static_cast<std::size_t>(last - first)};
}

EdgesBySegment groupBySegment(std::span<const std::int64_t> segment, std::int64_t numNodes)
{
    if (numNodes < 0 || static_cast<std::uint64_t>(numNodes) > physicalMemory() / (2 * sizeof(std::int64_t)))
        throw Error("A graph of " + formatCount(numNodes) + " nodes does not fit into memory.");
    EdgesBySegment grouped;
    grouped.begin.assign(static_cast<std::size_t>(numNodes) + 1, 0);
    for (std::size_t e = 0; e < segment.size(); ++e) {
        if (segment[e] < 0 || segment[e] >= numNodes)
            throw Error("Edge " + std::to_string(e) + " leads to node " + std::to_string(segment[e]) + ", but the graph has nodes 0 to " +
                        std::to_string(numNodes - 1) + ".");
        ++grouped.begin[static_cast<std::size_t>(segment[e]) + 1];
    }
    for (std::size_t v = 1; v < grouped.begin.size(); ++v)
        grouped.begin[v] += grouped.begin[v - 1];
    std::vector<std::int64_t> next(grouped.begin.begin(), grouped.begin.end() - 1);
    grouped.edges.resize(segment.size());
    for (std::size_t e = 0; e < segment.size(); ++e)
        grouped.edges[static_cast<std::size_t>(next[static_cast<std::size_t>(segment[e])]++)] = static_cast<std::int64_t>(e);
    return grouped;
}

}  // namespace cleave
