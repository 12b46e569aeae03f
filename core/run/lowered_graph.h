#pragma once

#include <c10/core/Device.h>
#include <torch/csrc/jit/ir/ir.h>

#include <set>

#include "core/model/program.h"

/// TorchScript graphs of functions: how they are put together, and what is changed in them once they are whole.
namespace cleave {

torch::jit::Value* addInput(torch::jit::Graph& graph, ValueKind kind);

/// Before the first node, so that every node may read it.
torch::jit::Value* constantAtStart(torch::jit::Graph& graph, const c10::IValue& value);

/// Takes nodes out that nobody reads. Nothing in such graphs changes a tensor that is read by another name, so that readers are all that counts.
void dropUnread(torch::jit::Graph& graph);

/// Products of matrices are not left to a BLAS that takes the processor for another one (linear and cleave::matmul in dense.h).
void multiplyFaster(torch::jit::Graph& graph);

/// Gathers of rows of these inputs read straight from the store (insertRows in edge_op.h).
void gatherFromFiles(torch::jit::Graph& graph, const std::set<const torch::jit::Value*>& stored);

/// What makes tensors out of numbers makes them on the device, where the others lie.
void placeNewTensors(torch::jit::Graph& graph, c10::Device device);

}  // namespace cleave
