#pragma once

#include <torch/csrc/jit/ir/ir.h>

#include <functional>
#include <optional>
#include <vector>

#include "core/model/program.h"

namespace cleave {

/// The entry of a shape argument that is a number of rows here.
struct RowEntry {
    int dim;
    torch::jit::Value* count;
};

/// Which graph value an operand is; position counts operands in forEachOperand order.
using OperandLookup = std::function<torch::jit::Value*(std::size_t position, ValueId value)>;

/// Appends the op to the graph, matched by argument names against LibTorch's schemas; returns its outputs.
/// Error naming the op if LibTorch has no such operator.
std::vector<torch::jit::Value*> lowerOp(torch::jit::Graph& graph, const Program& program, OpId op, const OperandLookup& operands,
                                        const std::optional<RowEntry>& rows);

}  // namespace cleave
