#pragma once

#include <ATen/core/ivalue.h>

#include <map>
#include <string>
#include <vector>

#include "core/analysis/analysis.h"
#include "core/base/progress.h"
#include "core/plan/edge_fusion.h"

/// A program run op by op, without cutting or lowering it: private to core/run.
namespace cleave {

/// Weights, and what depends on weights only: computed once, shared by every graph that is lowered.
using Constants = IdMap<ValueId, c10::IValue>;

Constants evaluateConstants(const Analysis& analysis);

/// Values by id that a run starts from: one for each input of the program.
using Bindings = std::map<ValueId, c10::IValue>;

/// Runs what is needed to compute wanted from the inputs, op by op: progress and cancel are heard in between, and values freed after their last
/// reader. kernels: LibTorch's alone where nothing is said.
std::vector<c10::IValue> runProgram(const Program& program, const Constants& constants, const Bindings& inputs, const std::vector<ValueId>& wanted,
                                    const std::string& name, const Progress& progress, Kernels kernels = Kernels::None);

}  // namespace cleave
