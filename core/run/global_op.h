#pragma once

#include <ATen/core/Tensor.h>
#include <torch/csrc/jit/ir/ir.h>

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "core/analysis/analysis.h"

/// Global ops that go through the rows of the store piece by piece, instead of taking them all at once: private to core/run.
namespace cleave {

/// It must outlive the graph that calls it.
struct GlobalOp {
    std::size_t results = 1;  ///< the op's outputs from the first; the others nothing reads
    /// operands: in forEachOperand order, rows as they lie in the store, which may be bfloat16 in place of float32.
    std::function<std::vector<at::Tensor>(const std::vector<at::Tensor>& operands)> run;
};

/// Sums, means, extremes, variances, norms and softmaxes over node rows, reductions of them at an index, norms by statistics of the batch, attention to
/// all nodes. Nothing for ops that need all rows at once, such as sorting.
std::optional<GlobalOp> globalOp(const Analysis& analysis, OpId op);

/// Where the tensor of this argument stands among an op's operands in forEachOperand order.
std::size_t positionOf(const Op& op, std::string_view argument);

/// Appends cleave::over_rows; its results.
std::vector<torch::jit::Value*> insertGlobalOp(torch::jit::Graph& graph, const GlobalOp& op, const std::vector<torch::jit::Value*>& operands);

}  // namespace cleave
