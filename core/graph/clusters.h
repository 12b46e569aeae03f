#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace cleave {

bool hasClusters();  ///< this build has METIS

/// The part of each node, of so many parts of about equally many nodes with few edges between them, by METIS. begin: [nodes + 1] where the neighbours
/// of each begin; each edge is there in both directions. Error for graphs beyond METIS's numbers, or its memory beyond the bound.
std::vector<std::int64_t> clustersOf(std::span<const std::int64_t> begin, std::span<const std::int32_t> neighbours, std::int64_t parts);

}  // namespace cleave
