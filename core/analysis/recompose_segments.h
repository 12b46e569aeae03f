#pragma once

#include "core/analysis/rewriter.h"

/// Reductions of rows that follow each other, as rows that are gathered and added up at an index, which the analysis knows as message passing.
namespace cleave {

/// Of aten::segment_reduce: rows between pointers, or of so many each. LibTorch 1.13 calls extremes by other names, and no version looks where
/// pointers point to if it is told not to. Error if the op lacks an argument, or begins with a value of its own.
ValueId segmentReduction(const Program& program, const Op& op, Rewriter& rewriter);

/// Of aten::embedding_bag on rows that are computed or given: those at indices, in bags between pointers (CSR aggregation) or in a table's rows.
/// Invalid where it reads a table of parameters, or where its bags only have beginnings that are an input: these stay as they are.
ValueId bagReduction(const Program& program, const Op& op, Rewriter& rewriter);

}  // namespace cleave
