#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/run/probe.h"
#include "core/torchscript/torchscript_reader.h"
#include "core/torchscript/script_interpreter.h"

namespace cleave {

/// What forward takes, as far as a TorchScript file says: names, hardly a shape. A program with these inputs and no ops is what probeInputs() reads.
struct ScriptInputs {
    std::vector<std::string> names;               ///< in forward's order
    std::vector<c10::IValue> given;               ///< for those that no graph gives: their defaults
    std::vector<std::optional<std::size_t>> of;   ///< which of shapes.inputs it is
    Program shapes;                               ///< sizes are numbers, "nodes" and "edges"
    std::int64_t fixedNodes = 0;                  ///< rows of a parameter that holds node features; 0: any
    std::int64_t integers = 4;                    ///< integer inputs are smaller than this
    std::int64_t leastInteger = 0;                ///< and not less than this
    bool categories = false;                      ///< those of floating-point numbers hold such integers, too

    std::map<std::string, std::int64_t> compared;  ///< by name: of integers that forward compares with each of so many kinds, all are there

    BakedCounts baked;                            ///< numbers of the traced graph that are counted anew

    std::vector<c10::IValue> on(const ProbeGraph& graph) const;  ///< random ones
};

/// As many rows as what an operator refused, where it is the rows of a parameter, or of two of the same width below one another; 0 otherwise.
std::int64_t parameterRows(const torch::jit::Module& module, const ScriptFailure& failure);

/// "; if parameter 'x' has a row for each node, …" where what an operator refused is as long as that parameter; else nothing.
std::string parameterAdvice(const torch::jit::Module& module, const ScriptFailure& failure);

/// Finds inputs on which forward runs: by the inputs that a trace keeps, else by name, trying widths that the weights suggest.
/// Error saying what was tried where none are found.
ScriptInputs findInputs(const torch::jit::Module& module, const std::vector<at::Tensor>& examples, const ScriptOptions& options,
                        const Progress& progress);

}  // namespace cleave
