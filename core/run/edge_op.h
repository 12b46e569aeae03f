#pragma once

#include <ATen/core/Tensor.h>
#include <torch/csrc/jit/ir/ir.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/plan/edge_fusion.h"

namespace cleave {

/// An edge program as LibTorch's graphs call it. It must outlive the graph.
struct EdgeOp {
    EdgeProgram program;
    DType dtype = DType::Float32;
    std::vector<std::vector<std::int64_t>> sizes;  ///< of each result, without the rows
};

EdgeOp edgeOp(const Program& program, const FusedEdges& fused);

/// An operand as the program reads it: rows one after the other, with all their entries together. Error if it has another shape or type.
at::Tensor operandRows(const EdgeOp& op, std::size_t operand, const at::Tensor& tensor);

/// Error if one of these is not the number of a row.
void checkSources(std::span<const std::int32_t> sources, std::int64_t rows);

/// An operand in memory, as operandRows gives it, for the edges of a block. Error if it has too few rows.
EdgeArray edgeArray(const at::Tensor& rows, const EdgeOperand& operand, const std::int32_t* sources, const EdgeBlock& block);

/// The operands in memory, for the edges of a block. sources: those of the operands that are read at an index, null for the others.
std::vector<EdgeArray> edgeArrays(const EdgeOp& op, const std::vector<at::Tensor>& rows, const std::vector<const std::int32_t*>& sources,
                                  const EdgeBlock& block);

/// Fills outputs on LibTorch's threads. rows: as operandRows gives them; indices: int32 [edges] for what is read at an index. What lies in files is
/// read from there.
void runEdgeOp(const EdgeOp& op, std::vector<at::Tensor> rows, std::vector<at::Tensor> indices, const EdgeBlock& block,
               const std::vector<at::Tensor>& outputs);

/// Rows of an operand of sources that come once, from where they are, for the sums of many targets.
struct RowsOnce {
    std::size_t operand = 0;
    at::Tensor rows;  ///< [nodes, in]
    at::Tensor matrix;  ///< [out, in] which gives what edges read of them; undefined: the rows themselves
    std::int64_t firstOwn = 0;  ///< row that is the first target's own; those of the others follow
    /// of rows from `first` on: what is added to the results of their targets, [rows, out]. On many threads
    std::function<at::Tensor(std::int64_t first, const at::Tensor& rows)> own;
    at::Tensor bias;      ///< [out] added to the result of each target; may be undefined
    at::Tensor divisors;  ///< [targets] not zero: what the sums of edges are divided by before that; undefined: 1
};

/// The result of a program with one sum, together with what the targets' own rows add. rows, indices: as for runEdgeOp, but for the operand whose
/// rows come; indices are let go when they are not needed any more.
at::Tensor runWithOwnRows(const EdgeOp& op, std::vector<at::Tensor> rows, std::vector<at::Tensor> indices, const EdgeBlock& block,
                          const RowsOnce& once);

/// What runs programs whose operands lie on another device, set once: begin and what it needs of it lie on the host, and sources are checked.
using EdgesElsewhere = std::vector<at::Tensor> (*)(const EdgeOp& op, const at::Tensor& begin, const std::vector<at::Tensor>& operands,
                                                   const std::vector<at::Tensor>& sources);
void runEdgesElsewhereBy(EdgesElsewhere run);

/// Appends cleave::edges, which gives a list with a tensor for each result.
/// begin: int64 [targets + 1], where the edges into each target begin; operands: in the program's order; sources: int32 [edges] for each
/// operand that is read at an index, in order.
torch::jit::Value* insertEdgeOp(torch::jit::Graph& graph, const EdgeOp& op, torch::jit::Value* begin, const std::vector<torch::jit::Value*>& operands,
                                const std::vector<torch::jit::Value*>& sources);

/// Appends cleave::rows: index_select along dimension 0, which reads what lies in files from there if memory is bound.
torch::jit::Value* insertRows(torch::jit::Graph& graph, torch::jit::Value* whole, torch::jit::Value* index);

}  // namespace cleave
