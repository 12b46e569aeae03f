#pragma once

#include <optional>
#include <set>
#include <vector>

#include "core/analysis/analysis.h"
#include "core/kernels/edge_program.h"
#include "core/plan/cut.h"

namespace cleave {

/// Which steps of a function become programs of the edge kernels.
enum class Kernels : std::uint8_t {
    None,    ///< every op is run by LibTorch, on edge tensors
    Reduce,  ///< reductions only: edge tensors are made, and reduced by segment
    All,     ///< with the gathers and the arithmetic that lead to them: edge tensors are not made where it can be avoided
};

/// Where an operand of an edge program is found.
struct FusedOperand {
    EdgeRow row = EdgeRow::Edge;
    StepOperand rows;
    StepOperand index;  ///< EdgeRow::Source: one number for each edge, of kind Slice (nodes) or LocalIndex (numbers in the batch)
};

/// Steps that are run as one program over the edges of a frame.
struct FusedEdges {
    std::size_t step = 0;  ///< the reduction; the program takes its place
    int frame = 0;         ///< of kind Edges
    EdgeProgram program;   ///< result 0 is that of the reduction, the others are edge rows for later programs
    DType dtype = DType::Float32;  ///< of operands and results; bfloat16 is computed with in float32
    std::vector<FusedOperand> operands;
    std::vector<StepOperand> results;  ///< what each result of the program is
    std::optional<StepOperand> self;  ///< what the sum is added to
};

struct EdgeFusion {
    std::vector<FusedEdges> programs;  ///< by step
    std::vector<bool> absorbed;        ///< of each step: it is part of programs only
};

/// Which steps are still run by LibTorch: not those that are part of programs, nor those that only these read.
std::vector<bool> liveSteps(const Program& program, const CutFunction& function, const EdgeFusion& fusion);

/// Finds gather, arithmetic and reduction chains of a function; everything else stays as it is. farRows: tensors whose rows are read for many targets
/// at once, so that what is kept for each edge takes more memory than computing it anew takes time, unless it is computed from such rows.
EdgeFusion fuseEdges(const Analysis& analysis, const CutFunction& function, Kernels kernels, const std::set<ValueId>& farRows = {});

}  // namespace cleave
