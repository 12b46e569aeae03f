#include "core/analysis/dims.h"

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace cleave {
namespace {

TEST(Dims, PartsOfASize)
{
    using Arguments = std::vector<std::string>;
    EXPECT_EQ(sizeParts("s0"), std::pair(std::string("s0"), Arguments{}));
    EXPECT_EQ(sizeParts("Add(s0, Mul(2, u0))"), std::pair(std::string("Add"), Arguments({"s0", "Mul(2, u0)"})));
    EXPECT_EQ(sizeNumber("-7"), -7);
    EXPECT_EQ(sizeNumber("7s"), std::nullopt);
    EXPECT_EQ(sizeNumber(""), std::nullopt);
}

TEST(Dims, RenamedSizesAreSortedAgain)
{
    EXPECT_EQ(renameSymbols({0, "Add(a, b)"}, {{"a", "z"}}).symbol, "Add(b, z)");
    EXPECT_EQ(renameSymbols({0, "Add(a, b)"}, {{"a", "b"}, {"b", "a"}}).symbol, "Add(a, b)") << "each once";
    EXPECT_EQ(renameSymbols({5, {}}, {{"5", "n"}}), (Dim{5, {}}));
    EXPECT_EQ(renameSymbols({0, "Mul(12, FloorDiv(Mul(6, m), n))"}, {{"m", "n"}}), (Dim{72, {}}));
    EXPECT_EQ(renameSymbols({0, "FloorDiv(Mul(6, k, m), Mul(2, n))"}, {{"m", "n"}}).symbol, "Mul(3, k)");
    EXPECT_EQ(renameSymbols({0, "FloorDiv(Mul(3, m), Mul(2, n))"}, {{"m", "n"}}).symbol, "FloorDiv(Mul(3, n), Mul(2, n))");
    EXPECT_EQ(renameSymbols({0, "FloorDiv(m, Mul(2, m))"}, {{"m", "n"}}).symbol, "FloorDiv(n, Mul(2, n))");
}

// Whatever is merged in whatever order, names have an end.
TEST(Dims, MergedSymbolsHaveOneName)
{
    SymbolNames names;
    EXPECT_TRUE(names.empty());
    EXPECT_TRUE(names.merge("b", "a"));
    EXPECT_FALSE(names.merge("a", "b")) << "they are the same";
    EXPECT_TRUE(names.merge("d", "c"));
    EXPECT_TRUE(names.merge("b", "d")) << "what b is called by as well";
    EXPECT_FALSE(names.merge("c", "a"));
    EXPECT_FALSE(names.merge("e", "e"));
    EXPECT_EQ(names.of("e"), "e");
    EXPECT_EQ(names.merged(), 3U);
    EXPECT_EQ(names.all(), (std::map<std::string, std::string>{{"a", "c"}, {"b", "c"}, {"d", "c"}}));
}

TEST(Dims, SymbolsBecomeNumbers)
{
    const auto text = [](const std::string& size) { return toString(withSizes({0, size}, {{"b", 4}, {"z", 0}})); };
    EXPECT_EQ(text("b"), "4");
    EXPECT_EQ(text("n"), "n");
    EXPECT_EQ(text("Mul(b, n)"), "Mul(4, n)");
    EXPECT_EQ(text("Mul(2, b, n)"), "Mul(8, n)");
    EXPECT_EQ(text("Add(Mul(b, n), b, 3)"), "Add(7, Mul(4, n))");
    EXPECT_EQ(text("Mul(z, n)"), "0");
    EXPECT_EQ(text("Add(z, n)"), "n");
    EXPECT_EQ(text("FloorDiv(b, 2)"), "2");
    EXPECT_EQ(text("Max(1, b)"), "4");
    EXPECT_EQ(text("Mod(n, b)"), "Mod(n, 4)");
    EXPECT_EQ(withSizes({5, {}}, {{"5", 1}}), (Dim{5, {}}));
    EXPECT_THROW(text("Mul(b, 9000000000000000000)"), Error);
}

TEST(Dims, MultiplesAreComparedForAnySymbols)
{
    const Dim n{0, "n"}, twice{0, "Mul(2, n)"}, sum{0, "Add(m, n)"}, twiceSum{0, "Add(Mul(2, m), Mul(2, n))"}, ofSum{0, "Mul(2, Add(m, n))"};
    EXPECT_TRUE(sameMultiple(2, n, 1, twice));
    EXPECT_TRUE(sameMultiple(6, n, 3, twice));
    EXPECT_TRUE(sameMultiple(2, sum, 1, twiceSum));
    EXPECT_TRUE(sameMultiple(1, ofSum, 1, twiceSum));
    EXPECT_TRUE(sameMultiple(3, Dim{4, {}}, 6, Dim{2, {}}));
    EXPECT_FALSE(sameMultiple(1, n, 1, twice));
    EXPECT_FALSE(sameMultiple(2, n, 1, Dim{0, "Mul(2, m)"}));
    EXPECT_FALSE(sameMultiple(2, n, 1, Dim{0, "Mul(n, n)"}));
    EXPECT_FALSE(sameMultiple(1, sum, 1, n));
}

// A file may say any size: sums of factors too large to be counted are no multiples of others.
TEST(Dims, HugeFactorsAreNoMultiples)
{
    const Dim huge{0, "Mul(4611686018427387904, s0)"};
    EXPECT_FALSE(sameMultiple(4, huge, 0, Dim{0, "s0"}));
    EXPECT_FALSE(sameMultiple(4, huge, 4, huge));
    EXPECT_TRUE(sameMultiple(1, huge, 1, huge));
}

}  // namespace
}  // namespace cleave
