// Many rows as one for each segment, piece after piece.
#include "core/kernels/row_totals.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace cleave {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

std::vector<float> randomRows(std::int64_t count, std::int64_t width)
{
    std::mt19937 random(5);
    std::normal_distribution<float> normal(3, 2);
    std::vector<float> rows(static_cast<std::size_t>(count * width));
    std::ranges::generate(rows, [&] { return normal(random); });
    return rows;
}

// In pieces of so many times the rows that are taken together.
RowTotals reduced(Total total, const std::vector<float>& rows, std::int64_t width, const std::vector<std::int64_t>& segments, std::int64_t count,
                  std::int64_t times, int threads)
{
    RowTotals totals(total, count, width);
    const std::int64_t all = static_cast<std::int64_t>(rows.size()) / width, step = times * RowTotals::rowsTogether(width);
    for (std::int64_t first = 0; first < all; first += step)
        totals.add(rows.data() + first * width, std::min(step, all - first), segments.empty() ? nullptr : segments.data() + first, threads);
    return totals;
}

std::vector<double> numbers(std::span<const double> span) { return {span.begin(), span.end()}; }

TEST(RowTotals, DoNotDependOnPiecesNorThreads)
{
    constexpr std::int64_t width = 40, segments = 9;
    const std::int64_t count = 5 * RowTotals::rowsTogether(width) + 7;
    const std::vector<float> rows = randomRows(count, width);
    std::vector<std::int64_t> sorted, mixed, runs;
    for (std::int64_t i = 0; i < count; ++i) {
        sorted.push_back(i * (segments - 1) / count);
        mixed.push_back(i * 7 % 5);
        runs.push_back(i / 1000 % 4);
    }
    for (const Total total : {Total::Sum, Total::Squares, Total::Product, Total::Max, Total::Min, Total::Moments})
        for (const auto& index : {std::vector<std::int64_t>(), sorted, mixed, runs}) {
            if (total == Total::Moments && !index.empty())
                continue;
            const RowTotals expected = reduced(total, rows, width, index, segments, 100, 1);
            for (const std::int64_t times : {1, 2, 100})
                for (const int threads : {1, 3}) {
                    const RowTotals found = reduced(total, rows, width, index, segments, times, threads);
                    EXPECT_EQ(numbers(found.totals()), numbers(expected.totals()))
                        << static_cast<int>(total) << " in pieces of " << times << " on " << threads;
                    EXPECT_EQ(numbers(found.deviations()), numbers(expected.deviations()));
                    EXPECT_EQ(std::vector(found.counts().begin(), found.counts().end()),
                              std::vector(expected.counts().begin(), expected.counts().end()));
                }
        }
}

TEST(RowTotals, AreWhatOneByOneGives)
{
    constexpr std::int64_t width = 19, segments = 6;
    const std::vector<float> rows = randomRows(1000, width);
    std::vector<std::int64_t> index;
    for (std::int64_t i = 0; i < 1000; ++i)
        index.push_back(i * 7 % 5);
    const RowTotals sums = reduced(Total::Sum, rows, width, index, segments, 1, 2), largest = reduced(Total::Max, rows, width, index, segments, 1, 2),
                    smallest = reduced(Total::Min, rows, width, index, segments, 1, 2),
                    products = reduced(Total::Product, rows, width, index, segments, 1, 2),
                    moments = reduced(Total::Moments, rows, width, {}, 1, 1, 2);
    for (std::int64_t c = 0; c < width; ++c) {
        std::vector<double> sum(segments), product(segments, 1), most(segments, -infinite), least(segments, infinite);
        double mean = 0, squares = 0;
        for (std::int64_t i = 0; i < 1000; ++i) {
            const auto s = static_cast<std::size_t>(index[static_cast<std::size_t>(i)]);
            const double x = rows[static_cast<std::size_t>(i * width + c)];
            sum[s] += x;
            product[s] *= x;
            most[s] = std::max(most[s], x);
            least[s] = std::min(least[s], x);
            mean += x / 1000;
        }
        for (std::int64_t i = 0; i < 1000; ++i)
            squares += std::pow(rows[static_cast<std::size_t>(i * width + c)] - mean, 2);
        for (std::int64_t s = 0; s < segments; ++s) {
            const auto at = static_cast<std::size_t>(s * width + c);
            EXPECT_NEAR(sums.totals()[at], sum[static_cast<std::size_t>(s)], 1e-9);
            EXPECT_NEAR(products.totals()[at] / product[static_cast<std::size_t>(s)], 1, 1e-9);
            EXPECT_EQ(largest.totals()[at], most[static_cast<std::size_t>(s)]) << "-∞ where there are no rows";
            EXPECT_EQ(smallest.totals()[at], least[static_cast<std::size_t>(s)]);
        }
        EXPECT_NEAR(moments.totals()[static_cast<std::size_t>(c)], mean, 1e-12);
        EXPECT_NEAR(moments.deviations()[static_cast<std::size_t>(c)], squares, 1e-8);
    }
    EXPECT_EQ(sums.counts().back(), 0);
    EXPECT_EQ(moments.counts().front(), 1000);
}

TEST(RowTotals, KeepWhatIsNoNumber)
{
    std::vector<float> rows(300, 1);
    rows[107] = std::numeric_limits<float>::quiet_NaN();
    rows[8] = std::numeric_limits<float>::infinity();
    for (const Total total : {Total::Max, Total::Min}) {
        const RowTotals found = reduced(total, rows, 3, {}, 1, 1, 1);
        EXPECT_EQ(found.totals()[0], 1);
        EXPECT_EQ(found.totals()[1], 1);
        EXPECT_TRUE(std::isnan(found.totals()[2])) << "column 2 of row 35";
    }
    EXPECT_TRUE(std::isnan(reduced(Total::Sum, rows, 3, {}, 1, 1, 1).totals()[2]));
    rows[107] = -std::numeric_limits<float>::infinity();
    EXPECT_EQ(reduced(Total::Max, rows, 3, {}, 1, 1, 1).totals()[2], infinite);
    EXPECT_TRUE(std::isnan(reduced(Total::Moments, rows, 3, {}, 1, 1, 1).deviations()[2]));
}

TEST(RowTotals, OfNothingAndOfOneRow)
{
    RowTotals none(Total::Moments, 1, 4);
    none.add(static_cast<const float*>(nullptr), 0, nullptr, 2);
    EXPECT_EQ(numbers(none.totals()), std::vector<double>(4));
    EXPECT_EQ(none.counts().front(), 0);
    const std::vector<double> row{1, -2, 3, 1e300};
    RowTotals one(Total::Moments, 1, 4);
    one.add(row.data(), 1, nullptr, 2);
    one.add(row.data(), 0, nullptr, 2);
    EXPECT_EQ(numbers(one.totals()), row);
    EXPECT_EQ(numbers(one.deviations()), std::vector<double>(4));
    const std::vector<std::int64_t> index{2, 0, 2};
    RowTotals empty(Total::Sum, 3, 0);
    empty.add(static_cast<const float*>(nullptr), 3, index.data(), 2);
    EXPECT_EQ(std::vector(empty.counts().begin(), empty.counts().end()), (std::vector<std::int64_t>{1, 0, 2})) << "rows without entries are counted";
}

TEST(RowTotals, MillionsOfRowsLoseNothing)
{
    const std::vector<float> rows(3'000'000, 0.1F);
    EXPECT_NEAR(reduced(Total::Sum, rows, 1, {}, 1, 4, 2).totals()[0], 3e6 * static_cast<double>(0.1F), 1e-6);
    std::vector<float> shifted = randomRows(1'000'000, 1);
    double mean = 0, squares = 0;
    for (float& x : shifted)
        mean += static_cast<double>(x = std::round((x + 1e4F) * 256) / 256) / 1e6;
    for (const float x : shifted)
        squares += (x - mean) * (x - mean);
    const RowTotals moments = reduced(Total::Moments, shifted, 1, {}, 1, 4, 2);
    EXPECT_NEAR(moments.deviations()[0] / squares, 1, 1e-9) << "far from zero";
}

}  // namespace
}  // namespace cleave
