#include "core/run/comparing.h"

#include <gtest/gtest.h>

#include <complex>
#include <cstring>
#include <limits>

#include "core/graph/npy.h"
#include "tests/core/test_files.h"

namespace cleave {
namespace {

template <class T>
Array rowsOfNumbers(DType dtype, std::vector<std::int64_t> shape, const std::vector<T>& values)
{
    NewArray array = makeArray(dtype, std::move(shape));
    std::memcpy(array.data, values.data(), sizeof(T) * values.size());
    return array.array;
}

TEST(Comparing, SeesBothPartsOfComplexNumbers)
{
    using C = std::complex<float>;
    const auto rows = [](float imaginary) {
        return rowsOfNumbers<C>(DType::Complex64, {3, 2}, {C(1, 2), C(3, 4), C(5, 6), C(7, imaginary), C(9, 10), C(11, 12)});
    };
    const NamedArray made{"h", rows(8), 0};
    EXPECT_TRUE(compare(made, rows(8), {1e-5, 1e-5}).equal);
    const Comparison other = compare(made, rows(8.5F), {1e-5, 1e-5});
    EXPECT_FALSE(other.equal);
    EXPECT_EQ(other.rows, 3);
    EXPECT_EQ(other.worstRows, std::vector<std::int64_t>{1});
    EXPECT_DOUBLE_EQ(other.maxAbsolute, 0.5);
    EXPECT_EQ(other.worstGaps, std::vector<double>{0.5});
    const NamedArray number{"s", rowsOfNumbers<C>(DType::Complex64, {}, {C(1, 2)}), 0};
    EXPECT_EQ(compare(number, number.array, {1e-5, 1e-5}).rows, 1);
    EXPECT_FALSE(compare(number, rowsOfNumbers<C>(DType::Complex64, {}, {C(1, 3)}), {1e-5, 1e-5}).equal);
}

TEST(Comparing, SeesTheLastDigitOfLargeWholeNumbers)
{
    const auto rows = [](std::int64_t last) { return rowsOfNumbers<std::int64_t>(DType::Int64, {2}, {1, (std::int64_t{1} << 60) + last}); };
    const NamedArray made{"ids", rows(0), 0};
    EXPECT_TRUE(compare(made, rows(0), {0, 0}).equal);
    EXPECT_FALSE(compare(made, rows(1), {0, 0}).equal);
    EXPECT_EQ(compare(made, rows(1), {0, 0}).maxAbsolute, 1);
    EXPECT_FALSE(compare(made, rows(1), {1e-5, 1e-4}).equal) << "a tolerance relative to an id says nothing";
    EXPECT_TRUE(compare(made, rows(1), {1, 0}).equal);
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    const NamedArray far{"ids", rowsOfNumbers<std::int64_t>(DType::Int64, {1}, {most}), 0};
    EXPECT_FALSE(compare(far, rowsOfNumbers<std::int64_t>(DType::Int64, {1}, {-most}), {0, 0}).equal);
}

TEST(Npy, HoldsComplexNumbers)
{
    const test::TemporaryFolder folder;
    const Array made = rowsOfNumbers<std::complex<double>>(DType::Complex128, {2}, {{1, 2}, {3, -4}});
    writeNpy(folder / "h.npy", made);
    const Array read = readNpy(folder / "h.npy");
    EXPECT_EQ(read.dtype, DType::Complex128);
    EXPECT_EQ(read.shape, made.shape);
    EXPECT_EQ(std::memcmp(read.data.get(), made.data.get(), made.bytes()), 0);
}

// Rows of nearly equal scores change places at random: others than those that differ.
TEST(Comparing, AsManyRowsMovingAsFarIsRounding)
{
    Comparison c;
    c.rowsOver = 20;
    c.maxAbsolute = 1;
    c.worstGaps = {1, 1};
    EXPECT_FALSE(c.isRounding()) << "nothing was tried";
    c.worstJitters = {1, 0};
    EXPECT_FALSE(c.isRounding());
    c.rowsJittered = 10;
    c.jitter = 0.5;
    EXPECT_TRUE(c.isRounding());
    EXPECT_TRUE(c.isRoundingOfOthers());
    c.rowsJittered = 9;
    EXPECT_FALSE(c.isRounding()) << "too few";
    c.rowsJittered = 20;
    c.jitter = 0.1;
    EXPECT_FALSE(c.isRounding()) << "not as far";
    c.worstJitters = {1, 0.5};
    EXPECT_TRUE(c.isRounding());
    EXPECT_FALSE(c.isRoundingOfOthers());
}

}  // namespace
}  // namespace cleave
