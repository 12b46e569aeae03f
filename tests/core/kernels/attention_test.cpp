#include "core/kernels/attention.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace cleave {
namespace {

template <class T>
struct AttentionCase {
    std::int64_t heads, queries, keys, width, valueWidth;
    bool hasBias;
    T scale = T(0.5);
    std::vector<T> q, k, v, bias;

    AttentionCase(std::int64_t h, std::int64_t n, std::int64_t m, std::int64_t w, std::int64_t vw, bool withBias, double spread)
        : heads(h), queries(n), keys(m), width(w), valueWidth(vw), hasBias(withBias)
    {
        std::mt19937 random(static_cast<unsigned>(n * 31 + m * 7 + w + vw));
        std::normal_distribution<double> normal;
        const auto fill = [&](std::vector<T>& numbers, std::int64_t count, double factor) {
            numbers.resize(static_cast<std::size_t>(count));
            for (T& number : numbers)
                number = static_cast<T>(factor * normal(random));
        };
        fill(q, h * n * w, spread);
        fill(k, h * m * w, spread);
        fill(v, h * m * vw, 1);
        fill(bias, h * m, 1);
        for (std::size_t i = 0; i < bias.size(); i += 3)
            bias[i] = -std::numeric_limits<T>::infinity();
    }

    // In double, all scores of a query at once.
    std::vector<double> expected() const
    {
        std::vector<double> out(static_cast<std::size_t>(heads * queries * valueWidth));
        for (std::int64_t h = 0; h < heads; ++h)
            for (std::int64_t i = 0; i < queries; ++i) {
                std::vector<double> scores(static_cast<std::size_t>(keys));
                double most = -INFINITY, total = 0;
                for (std::int64_t j = 0; j < keys; ++j) {
                    double& score = scores[static_cast<std::size_t>(j)];
                    for (std::int64_t e = 0; e < width; ++e)
                        score += static_cast<double>(q[static_cast<std::size_t>((h * queries + i) * width + e)]) *
                                 static_cast<double>(k[static_cast<std::size_t>((h * keys + j) * width + e)]);
                    score = score * static_cast<double>(scale) + (hasBias ? static_cast<double>(bias[static_cast<std::size_t>(h * keys + j)]) : 0);
                    most = std::max(most, score);
                }
                for (std::int64_t j = 0; j < keys && most > -INFINITY; ++j) {
                    const double weight = std::exp(scores[static_cast<std::size_t>(j)] - most);
                    total += weight;
                    for (std::int64_t c = 0; c < valueWidth; ++c)
                        out[static_cast<std::size_t>((h * queries + i) * valueWidth + c)] +=
                            weight * static_cast<double>(v[static_cast<std::size_t>((h * keys + j) * valueWidth + c)]);
                }
                for (std::int64_t c = 0; c < valueWidth && total > 0; ++c)
                    out[static_cast<std::size_t>((h * queries + i) * valueWidth + c)] /= total;
            }
        return out;
    }

    std::vector<T> found(Isa isa, int threads) const
    {
        std::vector<T> out(static_cast<std::size_t>(heads * queries * valueWidth), T(77));
        AttentionArguments<T> arguments;
        arguments.queries = {q.data(), queries * width, width};
        arguments.keys = {k.data(), keys * width, width};
        arguments.values = {v.data(), keys * valueWidth, valueWidth};
        if (hasBias)
            arguments.bias = {bias.data(), keys, 1};
        arguments.out = {out.data(), queries * valueWidth, valueWidth};
        arguments.heads = heads;
        arguments.queryCount = queries;
        arguments.keyCount = keys;
        arguments.width = width;
        arguments.valueWidth = valueWidth;
        arguments.scale = scale;
        attend(arguments, isa, threads);
        return out;
    }
};

template <class T>
void check(const AttentionCase<T>& test, double tolerance)
{
    const std::vector<double> expected = test.expected();
    for (const Isa isa : {Isa::Plain, Isa::Avx2, Isa::Avx512}) {
        if (isa > bestIsa())
            continue;
        const std::vector<T> found = test.found(isa, 1);
        for (std::size_t i = 0; i < expected.size(); ++i)
            ASSERT_NEAR(static_cast<double>(found[i]), expected[i], tolerance) << isaName(isa) << ", entry " << i;
        EXPECT_EQ(test.found(isa, 3), found) << isaName(isa);
        if (isa == Isa::Avx512) {
            EXPECT_EQ(test.found(Isa::Avx2, 1), found);
        }
    }
}

TEST(Attention, IsSoftmaxOfAllPairs)
{
    for (const auto& [queries, keys] : {std::pair<std::int64_t, std::int64_t>{1, 1}, {5, 3}, {64, 128}, {65, 129}, {150, 300}})
        for (const auto& [width, valueWidth] : {std::pair<std::int64_t, std::int64_t>{1, 1}, {8, 8}, {16, 15}, {3, 40}})
            for (const bool hasBias : {false, true}) {
                check(AttentionCase<float>(2, queries, keys, width, valueWidth, hasBias, 1), 2e-6);
                check(AttentionCase<double>(1, queries, keys, width, valueWidth, hasBias, 1), 1e-13);
            }
}

TEST(Attention, LargeScoresDoNotOverflow)
{
    check(AttentionCase<float>(1, 70, 260, 8, 8, false, 40), 1e-3);
}

TEST(Attention, WithoutKeysNothingIsTaken)
{
    AttentionCase<float> none(1, 3, 5, 2, 4, true, 1);
    std::ranges::fill(none.bias, -INFINITY);
    for (const float x : none.found(bestIsa(), 1))
        EXPECT_EQ(x, 0);
    const AttentionCase<float> empty(1, 3, 0, 2, 4, false, 1);
    for (const float x : empty.found(bestIsa(), 1))
        EXPECT_EQ(x, 0);
}

TEST(Attention, NotANumberReachesTheRowsThatMeetIt)
{
    AttentionCase<float> test(1, 9, 20, 4, 4, false, 1);
    test.q[2] = NAN;  // of the first query
    const std::vector<float> out = test.found(bestIsa(), 1);
    EXPECT_TRUE(std::isnan(out[0]));
    EXPECT_FALSE(std::isnan(out[4]));
    test.q[2] = 0;
    test.k[3] = NAN;
    for (const float x : test.found(bestIsa(), 1))
        EXPECT_TRUE(std::isnan(x));
}

}  // namespace
}  // namespace cleave
