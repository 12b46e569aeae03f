#include "core/kernels/edge_program.h"
#include "core/kernels/edge_schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>

namespace cleave {

namespace {

std::uint16_t toBFloat16(float value)
{
    return static_cast<std::uint16_t>((std::bit_cast<std::uint32_t>(value) + 0x8000) >> 16);
}

float fromBFloat16(std::uint16_t bits)
{
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

template <class T>
constexpr DType native = sizeof(T) == 4 ? DType::Float32 : DType::Float64;

std::vector<Isa> isas()
{
    std::vector<Isa> all;
    for (const Isa isa : {Isa::Plain, Isa::Avx2, Isa::Avx512})
        if (isa <= bestIsa())
            all.push_back(isa);
    return all;
}

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

double unary(EdgeCode code, double x, double a)
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

double binary(EdgeCode code, double x, double y)
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
                    result[i] = std::accumulate(x.begin() + static_cast<std::ptrdiff_t>(i * inner), x.begin() + static_cast<std::ptrdiff_t>((i + 1) * inner), 0.0);
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
                    out = result.reduce == Reduce::Max ? std::max(first ? result.initial : out, entry) : std::min(first ? result.initial : out, entry);
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

    std::vector<std::vector<T>> run(const Graph& graph, const EdgeRunOptions& options) const
    {
        return filled(graph, [&](const std::vector<EdgeArray>& arrays, const std::vector<T*>& outputs) {
            runEdgeProgram<T>(program, arrays, graph.block(), outputs, options);
        });
    }

    // Rows of sources come in pieces, each of which is gone when the next one comes.
    std::vector<std::vector<T>> stream(std::mt19937& random, const Graph& graph, const EdgeRunOptions& options) const
    {
        return filled(graph, [&](std::vector<EdgeArray> arrays, const std::vector<T*>& outputs) {
            std::vector<std::size_t> streamed;
            std::vector<const std::byte*> whole;
            for (std::size_t v = 0; v < arrays.size(); ++v)
                if (program.operands[v].row == EdgeRow::Source) {
                    streamed.push_back(v);
                    whole.push_back(static_cast<const std::byte*>(std::exchange(arrays[v].rows, nullptr)));
                }
            const RowPieces division = pieces(random, graph.nodes);
            const EdgeSchedule schedule(graph.block(), graph.sources.data(), division,
                                        random() % 2 == 0 || EdgeStream<T>::needsEdges(program, arrays, streamed), options.threads);
            EdgeStream<T> edges(program, arrays, graph.block(), schedule, outputs, streamed, options);
            for (std::int64_t piece = 0; piece < division.count(); ++piece) {
                const std::int64_t first = division.first(piece), last = division.last(piece);
                const auto begin = schedule.pieces()[static_cast<std::size_t>(piece)];
                std::vector<std::vector<std::byte>> there;
                std::vector<const void*> now;
                for (std::size_t i = 0; i < streamed.size(); ++i) {
                    const std::size_t row = static_cast<std::size_t>(arrays[streamed[i]].stride) * itemSize(arrays[streamed[i]].type);
                    there.emplace_back(whole[i] + static_cast<std::size_t>(first) * row, whole[i] + static_cast<std::size_t>(last) * row);
                    now.push_back(there.back().data());
                }
                edges.meet(piece, now, schedule.entries().data() + begin, schedule.edges().empty() ? nullptr : schedule.edges().data() + begin);
            }
            edges.finish();
        });
    }

    bool hasSources() const
    {
        return std::ranges::any_of(program.operands, [](const EdgeOperand& operand) { return operand.row == EdgeRow::Source; });
    }

private:
    // Of different lengths.
    static RowPieces pieces(std::mt19937& random, std::int64_t rows)
    {
        const std::int64_t group = std::int64_t{1} << random() % 4;
        std::vector<std::int64_t> ends;
        for (std::int64_t end = group; end < rows; end += group)
            if (random() % 3 == 0)
                ends.push_back(end);
        ends.push_back(rows);
        return {rows, group, std::move(ends)};
    }

    template <class Fill>
    std::vector<std::vector<T>> filled(const Graph& graph, Fill fill) const
    {
        std::vector<EdgeArray> arrays;
        for (std::size_t v = 0; v < rows.size(); ++v)
            arrays.push_back({halves[v].empty() ? static_cast<const void*>(rows[v].data()) : halves[v].data(),
                              halves[v].empty() ? native<T> : DType::BFloat16, program.operands[v].width, graph.sources.data()});
        std::vector<std::vector<T>> outputs;
        std::vector<T*> pointers;
        for (const EdgeResult& r : program.results)
            outputs.emplace_back(static_cast<std::size_t>((r.reduced ? graph.nodes : graph.edges()) * program.width(r.value)), T(77));
        for (std::vector<T>& output : outputs)
            pointers.push_back(output.data());
        fill(arrays, pointers);
        return outputs;
    }
};

template <class T>
void expectRight(const Case<T>& test, const Graph& graph, double tolerance)
{
    test.program.check();
    const auto wanted = expected<T>(test.program, test.exact, graph);
    std::vector<std::vector<T>> reference;
    for (const Isa isa : isas())
        for (const int threads : {1, 2, 5}) {
            const auto outputs = test.run(graph, {threads, isa});
            for (std::size_t r = 0; r < outputs.size(); ++r)
                for (std::size_t i = 0; i < outputs[r].size(); ++i)
                    ASSERT_NEAR(outputs[r][i], wanted[r][i], tolerance * (1 + std::fabs(wanted[r][i])))
                        << isaName(isa) << ", " << threads << " threads, result " << r << ", entry " << i;
            if (threads == 1)
                reference = outputs;
            for (std::size_t r = 0; r < outputs.size(); ++r)
                EXPECT_EQ(std::memcmp(outputs[r].data(), reference[r].data(), outputs[r].size() * sizeof(T)), 0)
                    << isaName(isa) << " gives other bytes with " << threads << " threads";
            if (!test.hasSources())
                continue;
            std::mt19937 random(static_cast<unsigned>(threads));
            const auto streamed = test.stream(random, graph, {threads, isa});
            for (std::size_t r = 0; r < outputs.size(); ++r)
                EXPECT_EQ(std::memcmp(streamed[r].data(), reference[r].data(), outputs[r].size() * sizeof(T)), 0)
                    << isaName(isa) << " gives other bytes for rows in pieces, " << threads << " threads, result " << r;
        }
}

template <class T>
class EdgePrograms : public testing::Test {};
using Floats = testing::Types<float, double>;
TYPED_TEST_SUITE(EdgePrograms, Floats);

TYPED_TEST(EdgePrograms, ReduceRowsOfAnyWidth)
{
    std::mt19937 random(1);
    for (const std::int64_t width : {1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 64, 100, 128, 129, 200, 256, 257, 300})
        for (const Reduce reduce : {Reduce::Sum, Reduce::Mean, Reduce::Max, Reduce::Min}) {
            const Graph graph(random, 60, 5, 40);
            for (const EdgeRow row : {EdgeRow::Source, EdgeRow::Edge}) {
                Case<TypeParam> test;
                test.add(random, row, width, graph, sizeof(TypeParam) == 4 && random() % 3 == 0);
                test.program.results = {{true, reduce, 0, -1, random() % 2 == 0, reduce == Reduce::Max ? 0.25 : -0.25, 0}};
                if (reduce == Reduce::Mean || reduce == Reduce::Sum)
                    test.program.results.front().fromInitial = false;
                expectRight(test, graph, 1e-4);
            }
        }
}

TYPED_TEST(EdgePrograms, WeighRowsPerEdgeAndPerHead)
{
    std::mt19937 random(2);
    for (const std::int64_t heads : {1, 2, 3, 4, 8, 16, 17, 40})
        for (const std::int64_t channels : {1, 2, 5, 8, 16, 32, 50}) {
            const Graph graph(random, 40, 4, 30);
            Case<TypeParam> test;
            test.add(random, EdgeRow::Source, heads * channels, graph, sizeof(TypeParam) == 4 && random() % 3 == 0);
            test.add(random, EdgeRow::Edge, heads, graph, false);
            test.program.results = {{true, random() % 2 ? Reduce::Sum : Reduce::Max, 0, 1, false, 0, 0}};
            expectRight(test, graph, 1e-4);
        }
}

TYPED_TEST(EdgePrograms, LongSegmentsAreReducedInPieces)
{
    std::mt19937 random(3);
    const Graph graph(random, 50, 3, 150'000);
    for (const Reduce reduce : {Reduce::Sum, Reduce::Mean, Reduce::Max, Reduce::Min}) {
        Case<TypeParam> test;
        test.add(random, EdgeRow::Source, 5, graph, false);
        test.add(random, EdgeRow::Target, 5, graph, false);
        test.program.code = {{EdgeCode::Add, {0}, {1}, 0, 5}};
        test.program.results = {{true, reduce, 0}, {true, reduce, 2}, {false, Reduce::Sum, 2}};
        expectRight(test, graph, sizeof(TypeParam) == 4 ? 1e-3 : 1e-9);
    }
}

// Every instruction, alone and after others, with every way of meeting a narrower operand.
TYPED_TEST(EdgePrograms, RandomArithmetic)
{
    std::mt19937 random(4);
    const auto any = [&](int count) { return static_cast<int>(random() % static_cast<unsigned>(count)); };
    for (int round = 0; round < 300; ++round) {
        const Graph graph(random, 20 + any(60), 1 + any(8), any(200));
        const std::int64_t heads = 1 + any(5), channels = 1 + any(40), width = heads * channels;
        Case<TypeParam> test;
        for (const EdgeRow row : {EdgeRow::Edge, EdgeRow::Source, EdgeRow::Target, EdgeRow::Same})
            test.add(random, row, any(2) ? width : any(2) ? heads : 1, graph, sizeof(TypeParam) == 4 && any(4) == 0);
        EdgeProgram& p = test.program;
        for (int i = 0; i < 1 + any(5); ++i) {
            const int values = static_cast<int>(p.operands.size() + p.code.size());
            // Numbers stay small: what is not bounded is put through a sigmoid or a hyperbolic tangent.
            const auto term = [&](std::int64_t w) -> EdgeTerm {
                for (;;) {
                    const int v = any(values);
                    if (w % p.width(v) == 0)
                        return {v, p.width(v) == w ? 1 : p.width(v) == 1 ? w : any(2) || w / p.width(v) * p.width(v) != w ? w / p.width(v) : 1};
                }
            };
            switch (any(3)) {
            case 0: p.code.push_back({static_cast<EdgeCode>(any(3)), term(width), term(width), 0, width}); break;
            case 1: {
                const EdgeCode bounded[] = {EdgeCode::Sigmoid, EdgeCode::Tanh, EdgeCode::Relu, EdgeCode::LeakyRelu, EdgeCode::ClampMax,
                                            EdgeCode::ClampMin, EdgeCode::Elu, EdgeCode::Gelu, EdgeCode::Softplus, EdgeCode::Negate,
                                            EdgeCode::NumberMinus, EdgeCode::AddNumber, EdgeCode::MultiplyNumber, EdgeCode::Absolute};
                p.code.push_back({bounded[any(std::size(bounded))], term(width), {}, 0.5, width});
                break;
            }
            default:
                p.code.push_back({EdgeCode::Tanh, term(width), {}, 0, width});
                p.code.push_back({EdgeCode::SumInner, {static_cast<int>(p.operands.size() + p.code.size()) - 1}, {}, 0, heads});
            }
        }
        const int last = static_cast<int>(p.operands.size() + p.code.size()) - 1;
        p.results = {{true, static_cast<Reduce>(any(4)), last}, {false, Reduce::Sum, last}};
        if (p.width(0) != width && width % p.width(0) == 0 && p.width(1) == width)
            p.results.push_back({true, Reduce::Sum, 1, 0});
        ASSERT_NO_FATAL_FAILURE(expectRight(test, graph, sizeof(TypeParam) == 4 ? 2e-3 : 1e-9)) << "round " << round;
    }
}

TEST(EdgeArithmetic, ExponentialIsExactToTheLastPlaces)
{
    const auto& plain = primitives<float>(bestIsa());
    std::vector<float> x, y;
    for (float v = -110; v < 95; v += 0.0137F)
        x.push_back(v);
    x.insert(x.end(), {0.0F, -0.0F, std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()});
    y.resize(x.size());
    plain.unary(EdgeCode::Exp, y.data(), x.data(), static_cast<std::int64_t>(x.size()), 0);
    for (std::size_t i = 0; i < x.size(); ++i) {
        const auto right = static_cast<float>(std::exp(static_cast<double>(x[i])));
        if (std::isinf(right) || right == 0)
            EXPECT_EQ(y[i], right) << x[i];
        else
            EXPECT_NEAR(y[i], right, std::max(right * 2.5e-7F, 3e-45F)) << x[i];
    }
    const float nan = std::numeric_limits<float>::quiet_NaN();
    for (const EdgeCode code : {EdgeCode::Exp, EdgeCode::Sigmoid, EdgeCode::Relu, EdgeCode::Tanh, EdgeCode::ClampMin}) {
        plain.unary(code, y.data(), &nan, 1, 0);
        EXPECT_TRUE(std::isnan(y[0])) << static_cast<int>(code);
    }
}

TEST(EdgeArithmetic, NotANumberWinsAReduction)
{
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const std::vector<std::int64_t> begin{0, 3};
    for (const Isa isa : isas())
        for (int place = 0; place < 3; ++place)
            for (const Reduce reduce : {Reduce::Max, Reduce::Min}) {
                std::vector<float> rows{1, 2, 3};
                rows[static_cast<std::size_t>(place)] = nan;
                EdgeProgram p{{{EdgeRow::Edge, 1}}, {}, {{true, reduce, 0}}};
                float out = 0;
                runEdgeProgram<float>(p, {{rows.data(), DType::Float32, 1, nullptr}}, {begin.data(), 1}, {&out}, {1, isa});
                EXPECT_TRUE(std::isnan(out));
            }
}

TEST(EdgeArithmetic, BlocksMayBeginAnywhere)
{
    const std::vector<std::int64_t> begin{7, 9, 9, 10};
    const std::vector<std::int32_t> sources{2, 0, 1};
    const std::vector<float> rows{1, 10, 100};
    const EdgeProgram p{{{EdgeRow::Source, 1}}, {}, {{true, Reduce::Mean, 0, -1, false, 0, -5}}};
    std::vector<float> out(3);
    runEdgeProgram<float>(p, {{rows.data(), DType::Float32, 1, sources.data()}}, {begin.data(), 3}, {out.data()});
    EXPECT_EQ(out, (std::vector<float>{50.5F, -5, 10}));
}

TEST(EdgeArithmetic, NoTargetsNoEdges)
{
    const std::vector<std::int64_t> begin{0};
    const EdgeProgram p{{{EdgeRow::Edge, 4}}, {{EdgeCode::Exp, {0}, {}, 0, 4}}, {{true, Reduce::Sum, 1}}};
    runEdgeProgram<float>(p, {{nullptr, DType::Float32, 4, nullptr}}, {begin.data(), 0}, {nullptr}, {2});
}

}  // namespace

}  // namespace cleave
