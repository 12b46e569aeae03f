#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>

/// Rows of tensors that lie in files, under a bound on memory: private to core/run.
namespace cleave {

/// Whether the rows of a tensor lie in a file and are too many for its pages to stay in memory.
bool liesInFile(const at::Tensor& rows);

/// Rows that an index names, each read once, in order of the file.
struct DistinctRows {
    at::Tensor rows;   ///< [distinct rows, width]
    at::Tensor index;  ///< [indices] int32: where each is among these
};

/// rows: [n, width], which lies in a file; index: from 0 to n - 1, checked by the caller. Error if the file cannot be read.
DistinctRows readDistinct(const at::Tensor& rows, std::span<const std::int32_t> index);

/// whole.index_select(0, index), or rows first … first + count - 1, without the pages of a file coming into the process.
at::Tensor rowsAt(const at::Tensor& whole, const at::Tensor& index);
at::Tensor rowsFrom(const at::Tensor& whole, std::int64_t first, std::int64_t count);

/// Whether rowsFrom reads from a file.
bool goesThroughFile(const at::Tensor& whole);

/// Rows first … of such a tensor, as many as `into` has: contiguous, of the same type and row size. Error if the file cannot be read.
void readRows(const at::Tensor& whole, std::int64_t first, const at::Tensor& into);

/// The same in memory, if it lies in a file: what is read again and again.
at::Tensor inMemory(const at::Tensor& tensor);

/// Rows of a store are written, through its file if it lies in one. into: contiguous, rows first.
void writeRows(const at::Tensor& into, std::int64_t first, const at::Tensor& rows);
void writeRows(const at::Tensor& into, const at::Tensor& ids, const at::Tensor& rows);

}  // namespace cleave
