#pragma once

#include <ATen/core/function_schema.h>

#include <vector>

namespace cleave {

/// Whether it is what lies in the operator's tensors that has to be looked at, each time that it is called.
bool needsGuard(const c10::FunctionSchema& schema);

/// Some of LibTorch's operators write and read wherever their indices say, or take any number for a memory format. std::out_of_range, as LibTorch's
/// others throw, if these arguments of one of them would leave its tensors.
void guardIndices(const c10::FunctionSchema& schema, const std::vector<c10::IValue>& arguments);

}  // namespace cleave
