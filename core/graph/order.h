#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/progress.h"

namespace cleave {

/// The order in which batches take the nodes: neighbours near each other make smaller blocks.
enum class NodeOrder : std::uint8_t {
    Natural,
    Degree,        ///< most edges first
    BreadthFirst,  ///< from the node of highest degree, component by component
    Metis,         ///< the clusters of a partition by METIS into parts of a batch's size, one after the other
};

std::string_view orderName(NodeOrder order);  ///< "natural", "degree", "bfs", "metis"
bool orderFromName(std::string_view name, NodeOrder& order);

/// Every node once; empty for the natural order. Edges may point either way, twice or to themselves. Same input, same order.
/// Error where METIS cannot hold the graph (more than 2^31 entries) or needs more memory than a bound (memory_bound.h) leaves.
std::vector<std::int64_t> orderNodes(NodeOrder order, std::int64_t numNodes, std::span<const std::int64_t> sources,
                                     std::span<const std::int64_t> targets, std::int64_t batchSize, const Progress& progress = {}, int threads = 1);

}  // namespace cleave
