#pragma once

#include <optional>
#include <set>
#include <vector>

#include "core/plan/edge_fusion.h"

namespace cleave {

/// A term of a sum to which most nodes may add nothing, since they have no edges of that relation: the result of an edge program, scaled row by
/// row, times a constant matrix. What has no edges is zero there, or the bias, so only the other rows need to be computed.
struct SparseTerm {
    std::size_t program = 0;          ///< into EdgeFusion::programs; its result is zero without edges
    std::vector<std::size_t> scales;  ///< steps that multiply or divide each row by numbers that depend on the graph alone, in order
    std::size_t product = 0;          ///< step: matmul, mm or linear
    ValueId weight, bias;             ///< constants; bias may be invalid
    std::size_t sum = 0;              ///< step: addition of the product
    StepOperand other;                ///< and what it is added to
    bool ownsOther = false;           ///< which is a result of this function that nothing else reads
};

/// Terms of sums whose parts nothing else reads, by program; none in functions of one edge set, where most nodes have edges.
std::vector<SparseTerm> findSparseTerms(const Analysis& analysis, const CutFunction& function, const EdgeFusion& fusion);

/// The sum of what one edge program makes of rows of a tensor of the store, scaled and times a matrix, and of what the targets make of their own rows
/// of it: both can be added up while the rows come once. Rows of the tensor are added or averaged, weighted or not.
struct OwnSum {
    SparseTerm term;
    bool hasProduct = true;   ///< otherwise there is no matrix
    std::size_t operand = 0;  ///< of the edge program: the tensor's
    ValueId tensor;
};

/// Nothing where the function has other edge programs, or the sum is of another kind.
std::optional<OwnSum> findOwnSum(const Analysis& analysis, const CutFunction& function, const EdgeFusion& fusion, const std::set<ValueId>& tensors);

}  // namespace cleave
