#pragma once

#include <cstdint>
#include <vector>

#include "core/kernels/edge_program.h"

/// How the edges of a block are divided among threads: private to core/kernels.
namespace cleave {

/// Targets that a thread takes at once, or a piece of the edges into one target.
struct EdgeItem {
    std::int64_t firstTarget, lastTarget;
    std::int64_t firstEdge, lastEdge;  ///< from the first of the block
    std::int64_t piece = -1;           ///< row of the partial results; -1: these are all edges into its targets
};

struct LongSegment {
    std::int64_t target, firstPiece, pieces;
};

struct EdgeItems {
    static constexpr std::int64_t most = 32768;  ///< edges and targets of an item, but for those of its last target: less than 2^16 edges

    explicit EdgeItems(const EdgeBlock& block);  ///< the same whatever the number of threads

    std::vector<EdgeItem> items;
    std::vector<LongSegment> longSegments;
    std::int64_t pieces = 0;
};

}  // namespace cleave
