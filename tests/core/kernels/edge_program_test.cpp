#include "core/kernels/edge_schedule.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include "tests/core/kernels/edge_cases.h"

namespace cleave::test {

namespace {

std::vector<Isa> isas()
{
    std::vector<Isa> all;
    for (const Isa isa : {Isa::Plain, Isa::Avx2, Isa::Avx512})
        if (isa <= bestIsa())
            all.push_back(isa);
    return all;
}

template <class T>
std::vector<T*> pointersTo(std::vector<std::vector<T>>& outputs)
{
    std::vector<T*> pointers;
    for (std::vector<T>& output : outputs)
        pointers.push_back(output.data());
    return pointers;
}

// Outputs that begin with lines of 64 bytes, as they must to be written past the caches.
template <class T>
class OutputsByLine {
public:
    explicit OutputsByLine(std::vector<std::vector<T>>& outputs) : m_outputs(outputs)
    {
        for (const std::vector<T>& output : outputs) {
            m_rooms.emplace_back(output.size() + line);
            void* first = m_rooms.back().data();
            std::size_t space = m_rooms.back().size() * sizeof(T);
            pointers.push_back(static_cast<T*>(std::align(line * sizeof(T), output.size() * sizeof(T), first, space)));
            std::ranges::copy(output, pointers.back());
        }
    }

    void giveBack()
    {
        for (std::size_t r = 0; r < m_outputs.size(); ++r)
            std::copy_n(pointers[r], m_outputs[r].size(), m_outputs[r].begin());
    }

    std::vector<T*> pointers;

private:
    static constexpr std::size_t line = 64 / sizeof(T);

    std::vector<std::vector<T>>& m_outputs;
    std::vector<std::vector<T>> m_rooms;
};

// Of different lengths.
RowPieces pieces(std::mt19937& random, std::int64_t rows)
{
    const std::int64_t group = std::int64_t{1} << random() % 4;
    std::vector<std::int64_t> ends;
    for (std::int64_t end = group; end < rows; end += group)
        if (random() % 3 == 0)
            ends.push_back(end);
    ends.push_back(rows);
    return {rows, group, std::move(ends)};
}

// Rows of sources come in pieces, each of which is gone when the next one comes: all rows, or those that edges read side by side.
template <class T>
std::vector<std::vector<T>> stream(const Case<T>& test, std::mt19937& random, const Graph& graph, const EdgeRunOptions& options)
{
    std::vector<EdgeArray> arrays = test.arrays(graph);
    std::vector<std::vector<T>> outputs = test.outputs(graph);
    std::vector<std::size_t> streamed;
    std::vector<const std::byte*> whole;
    for (std::size_t v = 0; v < arrays.size(); ++v)
        if (test.program.operands[v].row == EdgeRow::Source) {
            streamed.push_back(v);
            whole.push_back(static_cast<const std::byte*>(std::exchange(arrays[v].rows, nullptr)));
        }
    const RowPieces division = pieces(random, graph.nodes);
    const RowSet read(graph.sources, graph.nodes, options.threads);
    const bool isPacked = random() % 2 == 0;
    const EdgeSchedule schedule(graph.block(), graph.sources.data(), division,
                                random() % 2 == 0 || EdgeStream<T>::needsEdges(test.program, arrays, streamed), options.threads,
                                isPacked ? &read : nullptr);
    EdgeStream<T> edges(test.program, arrays, graph.block(), schedule, pointersTo(outputs), streamed, options);
    for (std::int64_t piece = 0; piece < division.count(); ++piece) {
        const std::int64_t first = division.first(piece), last = division.last(piece);
        const auto begin = schedule.pieces()[static_cast<std::size_t>(piece)];
        const std::vector<std::int32_t> numbers = read.between(first, last);
        std::vector<std::vector<std::byte>> there;
        std::vector<const void*> now;
        for (std::size_t i = 0; i < streamed.size(); ++i) {
            const std::size_t row = static_cast<std::size_t>(arrays[streamed[i]].stride) * itemSize(arrays[streamed[i]].type);
            const std::byte* const from = whole[i] + static_cast<std::size_t>(first) * row;
            if (isPacked) {
                there.emplace_back();
                for (const std::int32_t number : numbers)
                    there.back().insert(there.back().end(), from + static_cast<std::size_t>(number) * row,
                                        from + (static_cast<std::size_t>(number) + 1) * row);
            } else {
                there.emplace_back(from, whole[i] + static_cast<std::size_t>(last) * row);
            }
            now.push_back(there.back().data());
        }
        edges.meet(piece, now, schedule.entries().data() + begin, schedule.edges().empty() ? nullptr : schedule.edges().data() + begin,
                   isPacked ? numbers.data() : nullptr);
    }
    edges.finish();
    return outputs;
}

}  // namespace

// With every instruction set, any number of threads, whatever rows are asked for ahead, past the caches, and rows in pieces: the same bytes.
template <class T>
void expectRight(const Case<T>& test, const Graph& graph, double tolerance)
{
    test.program.check();
    const auto wanted = expected<T>(test.program, test.exact, graph);
    const EdgeBlock block = graph.block();
    bool hasLongSums = false;  // whose parts are others where rows come in pieces
    for (std::int64_t t = 0; t < block.targets; ++t)
        hasLongSums = hasLongSums || block.begin[t + 1] - block.begin[t] > summedAtOnce;
    std::vector<std::vector<T>> reference;
    for (const Isa isa : isas())
        for (const auto& [threads, ahead] : std::initializer_list<std::pair<int, std::optional<Cache>>>{
                 {1, {}}, {2, Cache::Second}, {3, Cache::Both}, {5, Cache::First}}) {
            auto outputs = test.outputs(graph);
            OutputsByLine<T> byLine(outputs);
            runEdgeProgram<T>(test.program, test.arrays(graph), graph.block(), byLine.pointers, {threads, isa, ahead, threads > 1});
            byLine.giveBack();
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
            const auto streamed = stream(test, random, graph, {threads, isa, ahead});
            for (std::size_t r = 0; r < outputs.size(); ++r)
                if (hasLongSums)
                    for (std::size_t i = 0; i < outputs[r].size(); ++i)
                        ASSERT_NEAR(streamed[r][i], wanted[r][i], tolerance * (1 + std::fabs(wanted[r][i])))
                            << isaName(isa) << ", rows in pieces, " << threads << " threads, result " << r << ", entry " << i;
                else
                    EXPECT_EQ(std::memcmp(streamed[r].data(), reference[r].data(), outputs[r].size() * sizeof(T)), 0)
                        << isaName(isa) << " gives other bytes for rows in pieces, " << threads << " threads, result " << r;
        }
}

template void expectRight<float>(const Case<float>&, const Graph&, double);
template void expectRight<double>(const Case<double>&, const Graph&, double);

namespace {

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
    for (const EdgeCode code :
         {EdgeCode::Exp, EdgeCode::Log, EdgeCode::Sigmoid, EdgeCode::Relu, EdgeCode::Tanh, EdgeCode::Elu, EdgeCode::Softplus, EdgeCode::ClampMin}) {
        plain.unary(code, y.data(), &nan, 1, 0);
        EXPECT_TRUE(std::isnan(y[0])) << static_cast<int>(code);
    }
}

// Of float rows they are our own: as exact as those of the C library, up to some units in the last place, on every processor.
TEST(EdgeArithmetic, FunctionsAreThoseOfTheMathsLibrary)
{
    const double infinity = std::numeric_limits<double>::infinity();
    struct Function {
        EdgeCode code;
        double (*right)(double);
        double from, to;
    };
    const Function functions[] = {{EdgeCode::Log, [](double x) { return std::log(x); }, 0, 1e4},
                                  {EdgeCode::Tanh, [](double x) { return std::tanh(x); }, -12, 12},
                                  {EdgeCode::Elu, [](double x) { return x > 0 ? x : 0.7F * std::expm1(x); }, -30, 3},
                                  {EdgeCode::Softplus, [](double x) { return x > 20 ? x : std::log1p(std::exp(x)); }, -90, 25}};
    std::mt19937 random(3);
    for (const auto& [code, right, from, to] : functions) {
        std::vector<float> x{0.0F, 1.0F, std::numeric_limits<float>::infinity(), 1e-40F, 1e-38F, 3e38F, 0.70710678F, 0.625F};
        if (from < 0)
            x.insert(x.end(), {-0.0F, -1e-40F, -1e-20F, -1e-6F, -0.625F, -std::numeric_limits<float>::infinity()});
        std::uniform_real_distribution<float> wide(static_cast<float>(from), static_cast<float>(to)),
            narrow(from < 0 ? -0.01F : 0.98F, from < 0 ? 0.01F : 1.02F);
        for (int i = 0; i < 4000; ++i)
            x.push_back(i % 2 ? wide(random) : narrow(random));
        std::vector<float> y(x.size());
        for (const Isa isa : isas()) {
            primitives<float>(isa).unary(code, y.data(), x.data(), static_cast<std::int64_t>(x.size()), 0.7F);
            for (std::size_t i = 0; i < x.size(); ++i) {
                const double expected = right(static_cast<double>(x[i]));
                if (std::abs(expected) == infinity)
                    EXPECT_EQ(y[i], expected) << static_cast<int>(code) << " of " << x[i];
                else
                    EXPECT_NEAR(y[i], expected, std::max(6e-7 * std::abs(expected), 3e-45)) << static_cast<int>(code) << " of " << x[i];
            }
        }
    }
    const float below[] = {-1.0F, -1e-40F, -std::numeric_limits<float>::infinity()};
    for (const Isa isa : isas()) {
        float y[3];
        primitives<float>(isa).unary(EdgeCode::Log, y, below, 3, 0);
        EXPECT_TRUE(std::isnan(y[0]) && std::isnan(y[1]) && std::isnan(y[2]));
    }
}

TEST(EdgeArithmetic, NoNumberIsNegativeWithoutItsSign)
{
    const std::vector<float> x{-0.0F, 0.0F, -1.0F, 1.0F, -std::numeric_limits<float>::infinity(), 2.0F, -0.0F, -3.0F, -0.0F};
    for (const Isa isa : isas()) {
        std::vector<float> y(x.size());
        primitives<float>(isa).unary(EdgeCode::Absolute, y.data(), x.data(), static_cast<std::int64_t>(x.size()), 0);
        for (std::size_t i = 0; i < x.size(); ++i)
            EXPECT_TRUE(y[i] == std::abs(x[i]) && !std::signbit(y[i])) << x[i];
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

// The error of a sum does not grow with how many edges lead into a target: neither where what is summed is computed in tiles, nor where rows come in
// pieces.
TEST(EdgeArithmetic, LongSumsOfTilesAreSumsOfParts)
{
    constexpr std::int64_t width = 24, rows = 5000;
    const EdgeProgram p{{{EdgeRow::Source, width}},
                        {{EdgeCode::Square, {0}, {}, 0, width}},
                        {{true, Reduce::Sum, 1}, {true, Reduce::Mean, 0}, {true, Reduce::Sum, 1, -1, true, 1000}, {true, Reduce::Max, 1}}};
    std::mt19937 random(3);
    std::vector<float> x(rows * width);
    std::ranges::generate(x, [&] { return std::uniform_real_distribution<float>(0, 1)(random); });
    const std::vector<std::int64_t> begin{0, 3, 30'003, 30'003, 130'003};  // the last in several items
    std::vector<std::int32_t> sources(static_cast<std::size_t>(begin.back()));
    std::ranges::generate(sources, [&] { return static_cast<std::int32_t>(random() % rows); });
    for (std::size_t t = 0; t + 1 < begin.size(); ++t)
        std::sort(sources.begin() + begin[t], sources.begin() + begin[t + 1]);
    const EdgeBlock block{begin.data(), std::ssize(begin) - 1};
    const auto results = static_cast<std::size_t>(block.targets * width);
    std::vector<std::vector<double>> wanted(4, std::vector<double>(results));
    for (std::size_t i = 0; i < results; ++i) {
        const std::size_t t = i / width;
        wanted[2][i] = begin[t] == begin[t + 1] ? 0 : 1000;
        for (std::int64_t e = begin[t]; e < begin[t + 1]; ++e) {
            const double value = x[static_cast<std::size_t>(sources[static_cast<std::size_t>(e)]) * width + i % width];
            wanted[0][i] += value * value;
            wanted[1][i] += value / static_cast<double>(begin[t + 1] - begin[t]);
            wanted[2][i] += value * value;
            wanted[3][i] = std::max(wanted[3][i], value * value);
        }
    }
    const RowPieces division(rows, 4, {1000, 2800, rows});
    const EdgeSchedule schedule(block, sources.data(), division, false, 2);
    for (const Isa isa : isas())
        for (const bool inPieces : {false, true}) {
            std::vector<std::vector<float>> outputs(4, std::vector<float>(results, -1));
            std::vector<EdgeArray> arrays{{x.data(), DType::Float32, width, sources.data()}};
            if (inPieces) {
                EdgeStream<float> edges(p, arrays, block, schedule, pointersTo(outputs), {0}, {2, isa});
                for (std::int64_t piece = 0; piece < division.count(); ++piece)
                    edges.meet(piece, {x.data() + division.first(piece) * width},
                               schedule.entries().data() + schedule.pieces()[static_cast<std::size_t>(piece)], nullptr);
                edges.finish();
            } else {
                runEdgeProgram<float>(p, arrays, block, pointersTo(outputs), {2, isa});
            }
            for (std::size_t r = 0; r < outputs.size(); ++r)
                for (std::size_t i = 0; i < results; ++i)
                    ASSERT_NEAR(outputs[r][i], wanted[r][i], 1e-6 * wanted[r][i])
                        << isaName(isa) << ", result " << r << ", entry " << i << (inPieces ? ", in pieces" : "");
        }
}

}  // namespace

// The error of a sum does not grow with how many edges lead into a target.
TEST(EdgePrograms, LongSumsAreSumsOfParts)
{
    constexpr std::int64_t edges = 30'000, width = 40;
    std::mt19937 random(7);
    std::uniform_real_distribution<float> number(0, 1);
    std::vector<float> rows(edges * width), weights(edges);
    std::ranges::generate(rows, [&] { return number(random); });
    std::ranges::generate(weights, [&] { return number(random); });
    const std::int64_t begin[] = {0, edges};
    std::vector<double> sum(width), weighted(width);
    for (std::int64_t e = 0; e < edges; ++e)
        for (std::int64_t c = 0; c < width; ++c) {
            const double x = rows[static_cast<std::size_t>(e * width + c)];
            sum[static_cast<std::size_t>(c)] += x;
            weighted[static_cast<std::size_t>(c)] += x * weights[static_cast<std::size_t>(e)];
        }
    for (const Isa isa : isas()) {
        ReduceArguments<float> a;
        a.begin = begin;
        a.lastTarget = 1;
        a.lastEdge = edges;
        a.rows = rows.data();
        a.stride = a.width = a.outStride = width;
        a.fromInitial = true;
        std::vector<float> out(width);
        a.out = out.data();
        const auto expectNear = [&](const std::vector<double>& wanted, const char* what) {
            for (std::size_t c = 0; c < out.size(); ++c)
                ASSERT_NEAR(out[c], wanted[c], 1e-6 * wanted[c]) << isaName(isa) << ", " << what << " of column " << c;
        };
        primitives<float>(isa).reduce(a);
        expectNear(sum, "the sum");
        a.weights = weights.data();
        primitives<float>(isa).reduce(a);
        expectNear(weighted, "the weighted sum");
        a.weights = nullptr;
        const ChainOperand operands[] = {{rows.data(), DType::Float32, EdgeRow::Edge, width, width},
                                         {weights.data(), DType::Float32, EdgeRow::Edge, 1, 1}};
        const ChainStep steps[] = {{.operand = 0}, {ChainStep::Compute, EdgeCode::Multiply, false, 1}};
        primitives<float>(isa).chain({a, steps, 2, operands, 2});
        expectNear(weighted, "the chain's sum");
    }
}

}  // namespace cleave::test
