#pragma once

#include <cstdint>

#include "core/plan/cut.h"

namespace cleave {

enum class WorkKind : std::uint8_t {
    View,         ///< another shape of the same memory
    Elementwise,  ///< passes over its operands and results once
    Product,      ///< matrix products and recurrent layers: bound by arithmetic
    Gather,
    Reduce,       ///< scatter: reduces edge rows into node rows
};

/// What one call of an op does, apart from the number of rows.
struct Work {
    WorkKind kind = WorkKind::Elementwise;
    double flops = 0;       ///< per row of its result; Reduce: per row of its source. A multiplication and an addition count as two
    double flopsPerPair = 0; ///< beside them, for each row of its result with each of all rows: attention to all nodes
    double scratchBytes = 0; ///< per row, while it runs: the gates of recurrent layers
    double weightBytes = 0; ///< of operands that are read whole: weights
};

/// rowDim: of the op's first output.
Work workOf(const Program& program, OpId op, int rowDim);

/// The frame for whose rows the time of a step counts: its own, for reductions that of what they reduce; -1: there is none.
int timedFrame(const Analysis& analysis, const Step& step);

/// Bytes of one row of a tensor, over all its entries; 0 where another dimension grows with the graph as well.
double rowBytes(const Analysis& analysis, ValueId value, int rowDim);

}  // namespace cleave
