#pragma once

#include <ATen/core/Tensor.h>
#include <torch/csrc/jit/ir/ir.h>

#include <cstdint>
#include <string>

#include "core/run/run.h"

namespace cleave {

/// What multiplies matrices, and how fast: measured once per process where oneDNN is there.
struct DenseRates {
    std::string blas;      ///< "OpenBLAS as Haswell" where it says so, otherwise "BLAS"
    double blasFlops = 0;  ///< FLOP/s of one thread on a block of rows
    double oneDnnFlops = 0;  ///< 0: it is not there

    bool prefersOneDnn() const { return oneDnnFlops > blasFlops; }
};
const DenseRates& denseRates();

/// For every linear layer of every run that is lowered from now on; Auto takes what was measured to be faster.
void useDense(Dense dense);

/// "oneDNN, 210 GFLOP/s a core; OpenBLAS as Haswell reaches 90": what reports say.
std::string denseText();

/// input [rows, in], weight [out, in], bias [out] or undefined.
at::Tensor denseLinear(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias);

/// Whether oneDNN multiplies matrices of float32.
bool usesOneDnn();

/// input [..., in] · matrix [in, out], plus bias if it is defined: as at::matmul and at::addmm, and by what denseLinear() takes where it can be.
at::Tensor denseMatmul(const at::Tensor& input, const at::Tensor& matrix, const at::Tensor& bias);

/// to [rows, columns] = from [rows, inner] · matrix [inner, columns], or its transpose if that is what lies there; row-major, on the calling thread
/// as far as the libraries' own threads are held back.
void denseProduct(const float* from, std::int64_t rows, std::int64_t inner, const float* matrix, bool transposed, std::int64_t columns, float* to);
void denseProduct(const double* from, std::int64_t rows, std::int64_t inner, const double* matrix, bool transposed, std::int64_t columns, double* to);

/// Appends a linear layer: input [rows, in], weight [out, in], bias [out] or None.
torch::jit::Value* insertLinear(torch::jit::Graph& graph, torch::jit::Value* input, torch::jit::Value* weight, torch::jit::Value* bias);

/// Appends denseMatmul(): bias may be None.
torch::jit::Value* insertMatmul(torch::jit::Graph& graph, torch::jit::Value* input, torch::jit::Value* matrix, torch::jit::Value* bias);

}  // namespace cleave
