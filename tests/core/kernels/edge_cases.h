#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "core/kernels/edge_program.h"

/// Edge programs with what they give, worked out edge by edge in double: for whatever runs them.
namespace cleave::test {

inline std::uint16_t toBFloat16(float value)
{
    return static_cast<std::uint16_t>((std::bit_cast<std::uint32_t>(value) + 0x8000) >> 16);
}

inline float fromBFloat16(std::uint16_t bits)
{
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

template <class T>
constexpr DType native = sizeof(T) == 4 ? DType::Float32 : DType::Float64;

// Edges by target, and of each in the order of their sources, with nodes that nothing leads to, and some that much leads to.
struct Graph {
    std::vector<std::int64_t> begin{0};
    std::vector<std::int32_t> sources;
    std::vector<std::int32_t> targetOf;
    std::int64_t nodes = 0;

    Graph(std::mt19937& random, std::int64_t count, int meanDegree, std::int64_t hub) : nodes(count)
    {
        std::geometric_distribution<int> degree(1.0 / (1 + meanDegree));
        for (std::int64_t t = 0; t < nodes; ++t) {
            std::int64_t d = random() % 4 == 0 ? 0 : degree(random);
            if (t == nodes / 2)
                d = hub;
            for (std::int64_t k = 0; k < d; ++k) {
                sources.push_back(static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(nodes)));
                targetOf.push_back(static_cast<std::int32_t>(t));
            }
            std::sort(sources.end() - d, sources.end());
            begin.push_back(begin.back() + d);
        }
    }

    EdgeBlock block() const { return {begin.data(), nodes}; }
    std::int64_t edges() const { return begin.back(); }
};

template <class T>
std::vector<T> numbers(std::mt19937& random, std::int64_t count)
{
    std::normal_distribution<double> normal;
    std::vector<T> all(static_cast<std::size_t>(count));
    for (T& x : all)
        x = static_cast<T>(normal(random));
    return all;
}

inline double unary(EdgeCode code, double x, double a)
{
    switch (code) {
    case EdgeCode::AddNumber: return x + a;
    case EdgeCode::MultiplyNumber: return x * a;
    case EdgeCode::NumberMinus: return a - x;
    case EdgeCode::NumberOver: return a / x;
    case EdgeCode::ClampMin: return std::max(x, a);
    case EdgeCode::ClampMax: return std::min(x, a);
    case EdgeCode::Negate: return -x;
    case EdgeCode::Absolute: return std::fabs(x);
    case EdgeCode::Square: return x * x;
    case EdgeCode::SquareRoot: return std::sqrt(x);
    case EdgeCode::Reciprocal: return 1 / x;
    case EdgeCode::ReciprocalRoot: return 1 / std::sqrt(x);
    case EdgeCode::Exp: return std::exp(x);
    case EdgeCode::Log: return std::log(x);
    case EdgeCode::Sigmoid: return 1 / (1 + std::exp(-x));
    case EdgeCode::Tanh: return std::tanh(x);
    case EdgeCode::Relu: return std::max(x, 0.0);
    case EdgeCode::LeakyRelu: return x > 0 ? x : x * a;
    case EdgeCode::Elu: return x > 0 ? x : a * std::expm1(x);
    case EdgeCode::Gelu: return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0)));
    default: return x > 20 ? x : std::log1p(std::exp(x));
    }
}

inline double binary(EdgeCode code, double x, double y)
{
    switch (code) {
    case EdgeCode::Add: return x + y;
    case EdgeCode::Subtract: return x - y;
    case EdgeCode::Multiply: return x * y;
    case EdgeCode::Divide: return x / y;
    case EdgeCode::Maximum: return std::max(x, y);
    default: return std::min(x, y);
    }
}

// Every edge by itself, in double.
template <class T>
std::vector<std::vector<double>> expected(const EdgeProgram& p, const std::vector<std::vector<double>>& operands, const Graph& graph)
{
    std::vector<std::vector<double>> outputs;
    for (const EdgeResult& r : p.results)
        outputs.emplace_back(static_cast<std::size_t>((r.reduced ? graph.nodes : graph.edges()) * p.width(r.value)), r.empty);
    for (std::int64_t e = 0; e < graph.edges(); ++e) {
        std::vector<std::vector<double>> values;
        const std::int64_t target = graph.targetOf[static_cast<std::size_t>(e)];
        for (std::size_t v = 0; v < p.operands.size(); ++v) {
            const std::int64_t row = p.operands[v].row == EdgeRow::Edge     ? e
                                     : p.operands[v].row == EdgeRow::Source ? graph.sources[static_cast<std::size_t>(e)]
                                     : p.operands[v].row == EdgeRow::Target ? target
                                                                            : 0;
            const auto first = operands[v].begin() + row * p.operands[v].width;
            values.emplace_back(first, first + p.operands[v].width);
        }
        for (const EdgeInstruction& in : p.code) {
            std::vector<double> result(static_cast<std::size_t>(in.width));
            const auto at = [&](const EdgeTerm& term, std::int64_t l) {
                const auto& x = values[static_cast<std::size_t>(term.value)];
                return x[static_cast<std::size_t>(l / term.repeat) % x.size()];
            };
            for (std::int64_t l = 0; l < in.width; ++l) {
                const auto i = static_cast<std::size_t>(l);
                if (in.code == EdgeCode::SumInner) {
                    const auto& x = values[static_cast<std::size_t>(in.x.value)];
                    const auto inner = x.size() / static_cast<std::size_t>(in.width);
                    result[i] = std::accumulate(x.begin() + static_cast<std::ptrdiff_t>(i * inner),
                                                x.begin() + static_cast<std::ptrdiff_t>((i + 1) * inner), 0.0);
                } else {
                    result[i] = in.y.value >= 0 ? binary(in.code, at(in.x, l), at(in.y, l)) : unary(in.code, at(in.x, l), in.number);
                }
            }
            values.push_back(std::move(result));
        }
        const bool first = e == graph.begin[static_cast<std::size_t>(target)];
        const double degree = static_cast<double>(graph.begin[static_cast<std::size_t>(target) + 1] - graph.begin[static_cast<std::size_t>(target)]);
        for (std::size_t r = 0; r < p.results.size(); ++r) {
            const EdgeResult& result = p.results[r];
            const auto& x = values[static_cast<std::size_t>(result.value)];
            for (std::size_t c = 0; c < x.size(); ++c) {
                double& out = outputs[r][static_cast<std::size_t>(result.reduced ? target : e) * x.size() + c];
                double entry = x[c];
                if (result.weights >= 0) {
                    const auto& w = values[static_cast<std::size_t>(result.weights)];
                    entry *= w[c / (x.size() / w.size())];
                }
                if (!result.reduced)
                    out = entry;
                else if (result.reduce == Reduce::Sum || result.reduce == Reduce::Mean)
                    out = (first ? result.initial * result.fromInitial : out) + entry / (result.reduce == Reduce::Mean ? degree : 1);
                else if (first && !result.fromInitial)
                    out = entry;
                else
                    out =
                        result.reduce == Reduce::Max ? std::max(first ? result.initial : out, entry) : std::min(first ? result.initial : out, entry);
            }
        }
    }
    return outputs;
}

template <class T>
struct Case {
    EdgeProgram program;
    std::vector<std::vector<T>> rows;
    std::vector<std::vector<std::uint16_t>> halves;  // of operands that are bfloat16
    std::vector<std::vector<double>> exact;

    void add(std::mt19937& random, EdgeRow row, std::int64_t width, const Graph& graph, bool half)
    {
        program.operands.push_back({row, width});
        const std::int64_t count = row == EdgeRow::Edge ? graph.edges() : row == EdgeRow::Same ? 1 : graph.nodes;
        rows.push_back(numbers<T>(random, count * width));
        halves.emplace_back();
        if (half)
            for (T& x : rows.back()) {
                halves.back().push_back(toBFloat16(static_cast<float>(x)));
                x = fromBFloat16(halves.back().back());
            }
        exact.emplace_back(rows.back().begin(), rows.back().end());
    }

    bool hasSources() const
    {
        return std::ranges::any_of(program.operands, [](const EdgeOperand& operand) { return operand.row == EdgeRow::Source; });
    }

    // Room for the results, with something else in it.
    std::vector<std::vector<T>> outputs(const Graph& graph) const
    {
        std::vector<std::vector<T>> all;
        for (const EdgeResult& r : program.results)
            all.emplace_back(static_cast<std::size_t>((r.reduced ? graph.nodes : graph.edges()) * program.width(r.value)), T(77));
        return all;
    }

    // Operands as they lie in memory.
    std::vector<EdgeArray> arrays(const Graph& graph) const
    {
        std::vector<EdgeArray> all;
        for (std::size_t v = 0; v < rows.size(); ++v)
            all.push_back({halves[v].empty() ? static_cast<const void*>(rows[v].data()) : halves[v].data(),
                           halves[v].empty() ? native<T> : DType::BFloat16, program.operands[v].width, graph.sources.data()});
        return all;
    }
};

/// Runs it in each way that there is, and expects what was worked out.
template <class T>
void expectRight(const Case<T>& test, const Graph& graph, double tolerance);

}  // namespace cleave::test
