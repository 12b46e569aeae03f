#pragma once

#include <ATen/core/Tensor.h>
#include <torch/csrc/jit/ir/ir.h>

#include <vector>

#include "core/run/edge_op.h"

namespace cleave {

/// What the edges of one relation add to a sum: reduced by target, scaled row by row, times a matrix. Only targets that have edges, or of whose zero
/// a scale would make something else, are computed.
struct RelationTerm {
    EdgeOp edges;               ///< one reduced result, [targets, in], which is zero without edges
    std::vector<bool> divides;  ///< of each scale: the row is divided by it, or multiplied
    at::Tensor matrix;          ///< [in, out], or [out, in] if transposed; of the same type as the result, contiguous
    bool transposed = false;
    at::Tensor bias;            ///< [out], added to every row; may be undefined
};

/// Terms of one sum, in the order in which they are added. As LibTorch's graphs call it: it must outlive the graph.
struct RelationSum {
    std::vector<RelationTerm> terms;
};

/// What the graph gives to one term.
struct RelationInputs {
    torch::jit::Value* begin;                   ///< int64 [targets + 1]: where the edges into each target begin
    std::vector<torch::jit::Value*> operands;   ///< of the edge program, in its order
    std::vector<torch::jit::Value*> sources;    ///< int32 [edges] for each operand that is read at an index
    std::vector<torch::jit::Value*> scales;     ///< [targets, in or 1]
};

/// Appends cleave::relations: the sum of `other` ([targets, out], left as it is) and all terms. Ranges of targets are computed side by side, each
/// from the first term to the last, so that the bytes do not depend on the number of threads, and no more than a range of one term's rows is in
/// memory.
torch::jit::Value* insertRelations(torch::jit::Graph& graph, const RelationSum& sum, torch::jit::Value* other,
                                   const std::vector<RelationInputs>& terms);

}  // namespace cleave
