#pragma once

#include <torch/csrc/jit/ir/ir.h>

#include <functional>
#include <string>

#include "core/torchscript/script_interpreter.h"

namespace cleave {

/// The line of Python that the node comes from, as far as the file says.
SourceLine sourceOf(const torch::jit::Node& node);

inline bool is(const torch::jit::Node& node, std::string_view kind) { return node.kind().toQualString() == kind; }

std::string placeText(const SourceLine& source);  ///< " (model.py:12)", or nothing

/// "torch_geometric.nn.conv.GCNConv" of "__torch__.torch_geometric.nn.conv.___torch_mangle_3.GCNConv".
std::string pythonName(const std::string& qualified);

/// Error for operators that reach files, or are no computation on tensors.
void refuseUnsafe(const torch::jit::Node& node);

/// Runs work in inference mode; what LibTorch throws becomes a ScriptFailure at the node.
struct FailureGuard {
    const torch::jit::Node& node;
    const std::vector<Item>& operands;
    std::size_t after;  // operators

    void run(const std::function<void()>& work) const;
};

}  // namespace cleave
