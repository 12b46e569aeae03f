#include "core/run/dense.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <dlfcn.h>
#include <torch/csrc/jit/runtime/custom_operator.h>

#include <algorithm>
#include <chrono>
#include <functional>

#include "core/base/format.h"
#include "core/run/side_by_side.h"

namespace cleave {

namespace {

namespace jit = torch::jit;

Dense chosen = Dense::Auto;

at::Tensor byOneDnn(const at::Tensor& input, const at::Tensor& weight, const c10::optional<at::Tensor>& bias)
{
    return at::mkldnn_linear(input.to_mkldnn(), weight, bias).to_dense();
}

double flopsOf(const std::function<at::Tensor()>& multiply, double flops)
{
    double best = 0;
    multiply();
    for (int round = 0; round < 3; ++round) {
        const auto start = std::chrono::steady_clock::now();
        multiply();
        best = std::max(best, flops / std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    return best;
}

DenseRates measured()
{
    DenseRates rates;
    const auto core = reinterpret_cast<const char* (*)()>(dlsym(RTLD_DEFAULT, "openblas_get_corename"));
    rates.blas = core ? "OpenBLAS as " + std::string(core()) : "BLAS";
    constexpr std::int64_t rows = 4096, width = 128;
    const at::Tensor input = at::ones({rows, width}), weight = at::ones({width, width}), bias = at::ones({width});
    const SideBySide oneThread;
    rates.blasFlops = flopsOf([&] { return at::linear(input, weight, bias); }, 2.0 * rows * width * width);
    if (at::globalContext().hasMKLDNN())
        rates.oneDnnFlops = flopsOf([&] { return byOneDnn(input, weight, bias); }, 2.0 * rows * width * width);
    return rates;
}

bool usesOneDnn()
{
    return chosen == Dense::OneDnn ? at::globalContext().hasMKLDNN() : chosen == Dense::Auto && denseRates().prefersOneDnn();
}

bool fitsOneDnn(const at::Tensor& input, const at::Tensor& weight)
{
    return input.scalar_type() == at::kFloat && weight.scalar_type() == at::kFloat && input.dim() >= 2 && input.numel() > 0 && weight.dim() == 2 &&
           weight.numel() > 0 && input.size(-1) == weight.size(1);
}

void linear(jit::Stack& stack)
{
    c10::optional<at::Tensor> bias = jit::pop(stack).toOptional<at::Tensor>();
    const at::Tensor weight = jit::pop(stack).toTensor(), input = jit::pop(stack).toTensor();
    const bool plainBias = !bias || (bias->scalar_type() == at::kFloat && bias->dim() == 1);
    if (usesOneDnn() && plainBias && fitsOneDnn(input, weight))
        jit::push(stack, byOneDnn(input.contiguous(), weight.contiguous(), bias));
    else
        jit::push(stack, at::linear(input, weight, bias));
}

}  // namespace

const DenseRates& denseRates()
{
    static const DenseRates rates = measured();
    return rates;
}

void useDense(Dense dense) { chosen = dense; }

std::string denseText()
{
    const auto rate = [](double flops) { return formatNumber(flops / 1e9) + " GFLOP/s a core"; };
    const DenseRates& rates = denseRates();
    if (usesOneDnn())
        return "oneDNN, " + rate(rates.oneDnnFlops) + " (" + rates.blas + ": " + formatNumber(rates.blasFlops / 1e9) + ")";
    return rates.blas + ", " + rate(rates.blasFlops) +
           (rates.oneDnnFlops > 0 ? " (oneDNN: " + formatNumber(rates.oneDnnFlops / 1e9) + ")" : " (this LibTorch has no oneDNN)");
}

jit::Value* insertLinear(jit::Graph& graph, jit::Value* input, jit::Value* weight, jit::Value* bias)
{
    static const jit::RegisterOperators operators({jit::Operator("cleave::linear(Tensor input, Tensor weight, Tensor? bias) -> Tensor",
                                                                 [](jit::Stack& stack) { linear(stack); }, c10::AliasAnalysisKind::FROM_SCHEMA)});
    return graph.insert(c10::Symbol::fromQualString("cleave::linear"), {input, weight, bias});
}

}  // namespace cleave
