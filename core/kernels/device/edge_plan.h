#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/kernels/device/edge_steps.h"
#include "core/kernels/edge_program.h"

namespace cleave::device {

/// An edge program as steps for a GPU. Entries of edge rows are computed where they are read; narrow ones that several read, weights and sums within
/// a row become scratch rows.
struct EdgePlan {
    std::vector<EdgeStep> steps;
    std::vector<EdgeView> views;                ///< the program's operands without pointers, then scratch rows and results that later steps read
    std::vector<std::int64_t> scratchWidths;    ///< of the scratch rows: each has an entry for each edge
    std::vector<int> viewOfScratch;
    std::vector<std::pair<int, int>> viewOfResult;  ///< view, result

    std::int64_t partialWidth = 0;              ///< most entries of a row that is reduced

    /// Elements of scratch memory: rows of edges, then rows of pieces of long segments.
    std::int64_t scratch(std::int64_t edges, std::int64_t pieces) const;
};

/// Nothing if the program has more operands than a kernel can take.
std::optional<EdgePlan> planEdges(const EdgeProgram& program, DType type);

/// Long segments of a block and their pieces, in order.
struct LongSegments {
    std::vector<LongPiece> pieces;
    std::vector<LongSegment> segments;
};
LongSegments findLongSegments(const EdgeBlock& block, int threads = 1);

}  // namespace cleave::device
