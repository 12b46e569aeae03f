#pragma once

#include <ATen/core/Tensor.h>

#include <functional>

#include "core/kernels/row_totals.h"

/// All rows of a tensor, gone through piece by piece whether they lie in memory or in a file: private to core/run.
namespace cleave {

/// piece: float32 or float64, and so is what is made of it.
using OnPiece = std::function<at::Tensor(const at::Tensor& piece)>;

/// Which row of the result each row goes to.
struct Segments {
    at::Tensor index;        ///< [rows], integers; undefined: there is one segment
    std::int64_t count = 1;
};

/// The entries of a row are its columns, in the order of the tensor's other dimensions. change: what is reduced instead of a piece; the rows of the
/// result are along the same dimension. Error for a segment that is not there.
RowTotals reduceRows(const at::Tensor& rows, int rowDim, Total total, const Segments& segments = {}, const OnPiece& change = {});

/// The pieces' results after each other along rowDim, in this type. change keeps the shape.
at::Tensor mapRows(const at::Tensor& rows, int rowDim, at::ScalarType type, const OnPiece& change);

}  // namespace cleave
