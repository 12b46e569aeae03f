#pragma once

#include <ATen/core/ivalue.h>
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

/// The same where the op is run at once: its number of rows, and what its operands are.
struct RowNumber {
    int dim;
    std::int64_t count;
};
using OperandValues = std::function<c10::IValue(std::size_t position, ValueId value)>;

/// Runs the op by LibTorch's operator, without a graph; returns its outputs. Error naming the op if LibTorch has no such operator.
std::vector<c10::IValue> callOp(const Program& program, OpId op, const OperandValues& operands, const std::optional<RowNumber>& rows = {});

}  // namespace cleave
