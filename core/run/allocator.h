#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace cleave {

/// Lets LibTorch take the memory of large tensors from allocatePages, for the rest of the process.
void useOwnAllocator();

/// A tensor of which only some rows, scattered, will ever be touched: in small pages, so that the others take no memory, if they are many.
at::Tensor emptyScattered(const std::vector<std::int64_t>& sizes, const at::TensorOptions& options, std::int64_t touchedRows, int rowDim);

}  // namespace cleave
