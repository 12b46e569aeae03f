#pragma once

#include <optional>
#include <vector>

#include "core/graph/data_graph.h"

namespace cleave {

/// Edges that end at each node, over all nodes.
struct DegreeSummary {
    std::int64_t least = 0, median = 0, most = 0;
    double mean = 0;
    std::vector<std::int64_t> histogram;  ///< nodes with 0, 1, 2 to 3, 4 to 7, … edges
};

/// Over all relations where nodes have types and these are listed as edge_index_…_<type> beside x_<type>. Nothing for graphs without nodes, whose
/// edges are not listed so, or whose nodes do not fit into memory. Linear in nodes and edges.
std::optional<DegreeSummary> summarizeDegrees(const DataGraph& graph);

}  // namespace cleave
