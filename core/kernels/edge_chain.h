#pragma once

#include <optional>
#include <vector>

#include "core/kernels/edge_program.h"

/// Wide values that are computed in registers where they are reduced: private to core/kernels.
namespace cleave {

/// A value as steps for each edge.
struct EdgeChain {
    std::vector<ChainStep> steps;
    std::vector<int> operands;  ///< values that it reads: of the program's operands, and of instructions that are done before, for many edges at once
};

/// Nothing if it would not pay, or if there is no room for all that it reads and keeps. weights: what the value is multiplied by, as in EdgeResult;
/// -1: nothing. isFloat: computed in float32, for which chains have an exponential.
std::optional<EdgeChain> chainOf(const EdgeProgram& program, int value, int weights, bool isFloat);

}  // namespace cleave
