#include "core/run/dense.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <dlfcn.h>
#include <torch/csrc/jit/runtime/custom_operator.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <vector>

#include "core/base/format.h"
#include "core/base/stopwatch.h"
#include "core/run/side_by_side.h"

namespace cleave {

namespace {

namespace jit = torch::jit;

std::atomic<Dense> chosen = Dense::Auto;

// oneDNN's matrix product is taken from the library that LibTorch was linked with: its own interface to linear layers copies their input.
using Sgemm = int (*)(char transposeA, char transposeB, std::int64_t rows, std::int64_t columns, std::int64_t inner, float alpha, const float* a,
                      std::int64_t strideA, const float* b, std::int64_t strideB, float beta, float* c, std::int64_t strideC);

Sgemm sgemm()
{
    static const auto function = reinterpret_cast<Sgemm>(dlsym(RTLD_DEFAULT, "dnnl_sgemm"));
    return function;
}

// matrix: [inner, columns], or its transpose if that is what lies there, row-major.
at::Tensor byOneDnn(const at::Tensor& input, const at::Tensor& matrix, bool transposed, const at::Tensor& bias)
{
    std::vector<std::int64_t> sizes = input.sizes().vec();
    const std::int64_t inner = sizes.back(), columns = matrix.size(transposed ? 0 : 1), rows = input.numel() / inner;
    sizes.back() = columns;
    at::Tensor output = at::empty({rows, columns}, input.options());
    if (bias.defined())
        output.copy_(bias.expand({rows, columns}));
    const int problem = sgemm()('N', transposed ? 'T' : 'N', rows, columns, inner, 1, input.data_ptr<float>(), inner, matrix.data_ptr<float>(),
                                transposed ? inner : columns, bias.defined() ? 1 : 0, output.data_ptr<float>(), columns);
    TORCH_CHECK(problem == 0, "oneDNN could not multiply matrices (", problem, ")");
    return output.view(sizes);
}

double flopsOf(const std::function<at::Tensor()>& multiply, double flops)
{
    return flops / secondsOf(multiply);
}

DenseRates measured()
{
    DenseRates rates;
    const auto core = reinterpret_cast<const char* (*)()>(dlsym(RTLD_DEFAULT, "openblas_get_corename"));
    rates.blas = core ? "OpenBLAS as " + std::string(core()) : "BLAS";
    constexpr std::int64_t rows = 4096, width = 128;
    const at::Tensor input = at::ones({rows, width}), weight = at::ones({width, width}), bias = at::ones({width});
    const SideBySide oneThread;
    // In turns: the first calls set up tables and wake the processor.
    for (int round = 0; round < 12; ++round) {
        rates.blasFlops = std::max(rates.blasFlops, flopsOf([&] { return at::linear(input, weight, bias); }, 2.0 * rows * width * width));
        if (sgemm())
            rates.oneDnnFlops = std::max(rates.oneDnnFlops, flopsOf([&] { return byOneDnn(input, weight, true, bias); }, 2.0 * rows * width * width));
    }
    return rates;
}

// Whether the last dimension of rows is as long as dimension `inner` of the matrix.
bool fitsOneDnn(const at::Tensor& input, const at::Tensor& matrix, std::int64_t inner)
{
    return input.is_cpu() && input.scalar_type() == at::kFloat && matrix.scalar_type() == at::kFloat && input.dim() >= 2 && input.numel() > 0 &&
           matrix.dim() == 2 && matrix.numel() > 0 && input.size(-1) == matrix.size(inner);
}

bool fitsOneDnn(const at::Tensor& bias)
{
    return !bias.defined() || (bias.scalar_type() == at::kFloat && bias.dim() == 1);
}

template <at::Tensor (*product)(const at::Tensor&, const at::Tensor&, const at::Tensor&)>
void run(jit::Stack& stack)
{
    const c10::IValue given = jit::pop(stack);
    const at::Tensor bias = given.isNone() ? at::Tensor() : given.toTensor();
    const at::Tensor matrix = jit::pop(stack).toTensor(), input = jit::pop(stack).toTensor();
    jit::push(stack, product(input, matrix, bias));
}

template <class T>
void byBlas(const T* from, std::int64_t rows, std::int64_t inner, const T* matrix, bool transposed, std::int64_t columns, T* to)
{
    const auto view = [](const T* data, std::int64_t height, std::int64_t width) {
        return at::from_blob(const_cast<T*>(data), {height, width}, c10::CppTypeToScalarType<T>::value);
    };
    at::Tensor product = view(to, rows, columns);
    at::mm_out(product, view(from, rows, inner), transposed ? view(matrix, columns, inner).t() : view(matrix, inner, columns));
}

}  // namespace

const DenseRates& denseRates()
{
    static const DenseRates rates = measured();
    return rates;
}

bool usesOneDnn()
{
    return chosen == Dense::OneDnn ? sgemm() != nullptr : chosen == Dense::Auto && denseRates().prefersOneDnn();
}

void useDense(Dense dense) { chosen = dense; }

std::string denseText()
{
    const auto rate = [](double flops) { return formatNumber(flops / 1e9) + " GFLOP/s a core"; };
    const DenseRates& rates = denseRates();
    if (usesOneDnn())
        return "oneDNN, " + rate(rates.oneDnnFlops) + " (" + rates.blas + ": " + formatNumber(rates.blasFlops / 1e9) + ")";
    return rates.blas + ", " + rate(rates.blasFlops) +
           (rates.oneDnnFlops > 0 ? " (oneDNN: " + formatNumber(rates.oneDnnFlops / 1e9) + ")" : " (oneDNN is not there)");
}

at::Tensor denseLinear(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias)
{
    if (fitsOneDnn(input, weight, 1) && fitsOneDnn(bias) && usesOneDnn())
        return byOneDnn(input.contiguous(), weight.contiguous(), true, bias);
    return bias.defined() ? at::linear(input, weight, bias) : at::linear(input, weight);
}

at::Tensor denseMatmul(const at::Tensor& input, const at::Tensor& matrix, const at::Tensor& bias)
{
    // Of a transposed input BLAS makes no copy.
    if (fitsOneDnn(input, matrix, 0) && fitsOneDnn(bias) && input.is_contiguous() && usesOneDnn()) {
        const bool transposed = !matrix.is_contiguous() && matrix.t().is_contiguous();
        return byOneDnn(input, transposed ? matrix.t() : matrix.contiguous(), transposed, bias);
    }
    return bias.defined() ? at::addmm(bias, input, matrix) : at::matmul(input, matrix);
}

void denseProduct(const float* from, std::int64_t rows, std::int64_t inner, const float* matrix, bool transposed, std::int64_t columns, float* to)
{
    if (!usesOneDnn()) {
        byBlas(from, rows, inner, matrix, transposed, columns, to);
        return;
    }
    const int problem =
        sgemm()('N', transposed ? 'T' : 'N', rows, columns, inner, 1, from, inner, matrix, transposed ? inner : columns, 0, to, columns);
    TORCH_CHECK(problem == 0, "oneDNN could not multiply matrices (", problem, ")");
}

void denseProduct(const double* from, std::int64_t rows, std::int64_t inner, const double* matrix, bool transposed, std::int64_t columns, double* to)
{
    byBlas(from, rows, inner, matrix, transposed, columns, to);
}

jit::Value* insertLinear(jit::Graph& graph, jit::Value* input, jit::Value* weight, jit::Value* bias)
{
    static const jit::RegisterOperators operators({jit::Operator(
        "cleave::linear(Tensor input, Tensor weight, Tensor? bias) -> Tensor", [](jit::Stack& stack) { run<denseLinear>(stack); },
        c10::AliasAnalysisKind::FROM_SCHEMA)});
    return graph.insert(c10::Symbol::fromQualString("cleave::linear"), {input, weight, bias});
}

jit::Value* insertMatmul(jit::Graph& graph, jit::Value* input, jit::Value* matrix, jit::Value* bias)
{
    static const jit::RegisterOperators operators({jit::Operator(
        "cleave::matmul(Tensor input, Tensor matrix, Tensor? bias) -> Tensor", [](jit::Stack& stack) { run<denseMatmul>(stack); },
        c10::AliasAnalysisKind::FROM_SCHEMA)});
    return graph.insert(c10::Symbol::fromQualString("cleave::matmul"), {input, matrix, bias});
}

}  // namespace cleave
