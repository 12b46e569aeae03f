#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <string>

#include "core/model/program.h"

namespace cleave {

at::ScalarType scalarType(DType dtype);  ///< Error for types that LibTorch does not have
DType dtypeOf(at::ScalarType type);

/// Views of memory that the array or weight keeps alive: no copy.
at::Tensor toTensor(const Array& array);
at::Tensor toTensor(const Weight& weight);

/// A contiguous copy on the CPU, or the tensor's own memory kept alive where it is contiguous.
Array toArray(const at::Tensor& tensor);

/// Runs work in inference mode; what LibTorch throws becomes an Error that starts with `what`.
void guarded(const std::string& what, const std::function<void()>& work);

/// Of a tensor's numbers; of a sparse one, those and where they stand.
double bytesOfTensor(const at::Tensor& tensor);

}  // namespace cleave
