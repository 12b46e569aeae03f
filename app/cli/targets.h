#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/graph/data_graph.h"

namespace cleave::cli {

/// The nodes that --targets names: numbers and ranges, or names where the graph has them, with commas or ends of lines between them; or a file of
/// them, or of their numbers as a one-dimensional .npy of int64. Error that names what is no node.
std::vector<std::int64_t> readTargets(const std::string& listOrFile, const DataGraph& graph);

}  // namespace cleave::cli
