#include "core/model/symbols.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "core/model/program.h"
#include "tests/core/test_files.h"

namespace cleave {
namespace {

std::string canonical(const std::string& text)
{
    return toString(parseSize(text, "test"));
}

TEST(Symbols, CanonicalForm)
{
    EXPECT_EQ(canonical("Symbol('s77', positive=True, integer=True)"), "s77");
    EXPECT_EQ(canonical("Integer(3)"), "3");
    EXPECT_EQ(canonical("Add(Symbol('u0', integer=True), Symbol('s0', positive=True, integer=True))"), "Add(s0, u0)");
    EXPECT_EQ(canonical("Add(Integer(2), Symbol('s0'), Integer(-2))"), "s0");
    EXPECT_EQ(canonical("Mul(Integer(2), Symbol('s0'))"), "Mul(2, s0)");
    EXPECT_EQ(canonical("Add(Integer(2), Mul(Integer(3), Integer(4)))"), "14");
    EXPECT_EQ(canonical("FloorDiv(Symbol('s0'), Integer(2))"), "FloorDiv(s0, 2)");
}

// What an op is called with, on one example and on another.
TEST(Arguments, NoNumberIsItself)
{
    const double none = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(Argument{none}, Argument{none});
    EXPECT_EQ((Argument{std::vector<Argument>{{none}, {1.0}}}), (Argument{std::vector<Argument>{{none}, {1.0}}}));
    EXPECT_NE(Argument{none}, Argument{1.0});
    EXPECT_NE(Argument{none}, Argument{});
}

TEST(Symbols, OtherTextIsOneSentence)
{
    std::string deep;
    for (int i = 0; i < 500; ++i)
        deep += "Add(";
    for (const std::string& text :
         {std::string(), std::string("Add("), std::string("Symbol(s0)"), std::string("Symbol('s0"), std::string("Symbol('a b')"), std::string("1 2"),
          std::string("99999999999999999999"), std::string("Integer(x"), deep, std::string(20000, 'a')})
        EXPECT_NE(test::errorOf([&] { parseSize(text, "test"); }), "") << text.substr(0, 40);
}

// torch.arange(0., n) counts in floating point; what is divided may be no whole number.
TEST(Symbols, FloatsOfWholeNumbersAreThese)
{
    EXPECT_EQ(canonical("CeilToInt(FloatTrueDiv(ToFloat(Symbol('s77', positive=True, integer=True)), Float('1.0', precision=53)))"), "s77");
    EXPECT_EQ(
        canonical("CeilToInt(FloatTrueDiv(Add(ToFloat(Add(Symbol('s7'), Integer(1))), Float('-1.0', precision=53)), Float('1.0', precision=53)))"),
        canonical("Add(Add(Symbol('s7'), Integer(1)), Integer(-1))"));
    EXPECT_EQ(canonical("CeilToInt(FloatTrueDiv(ToFloat(Symbol('s7')), Float('2.0', precision=53)))"), "CeilToInt(FloatTrueDiv(s7, 2))");
    EXPECT_NE(test::errorOf([] { parseSize("CeilToInt(Mul(Float('0.5', precision=53), ToFloat(Symbol('s7'))))", "test"); }), "");
}

TEST(Symbols, AlikeTermsAreOne)
{
    EXPECT_EQ(canonical("Add(Mul(Integer(2), Symbol('s0')), Mul(Integer(-1), Symbol('s0')))"), "s0");
    EXPECT_EQ(canonical("Add(Mul(Integer(-1), Symbol('s0')), Symbol('s0'))"), "0");
    EXPECT_EQ(canonical("Add(Symbol('s1'), Mul(Integer(2), Symbol('s0'), Symbol('s1')), Mul(Symbol('s0'), Symbol('s1')), Integer(4))"),
              "Add(4, Mul(3, s0, s1), s1)");
    EXPECT_EQ(canonical("Add(FloorDiv(Symbol('s0'), Integer(2)), FloorDiv(Symbol('s0'), Integer(2)))"), "Mul(2, FloorDiv(s0, 2))");
    EXPECT_EQ(canonical("Add(Mul(Integer(9223372036854775807), Symbol('s0')), Symbol('s0'))"), "Add(Mul(9223372036854775807, s0), s0)");
}

// int(a / b) of sizes.
TEST(Symbols, RoundedQuotientsAreWhole)
{
    EXPECT_EQ(canonical("TruncToInt(IntTrueDiv(Symbol('s0'), Integer(3)))"), "FloorDiv(s0, 3)");
    EXPECT_EQ(canonical("TruncToInt(IntTrueDiv(Mul(Integer(3), Symbol('s0')), Integer(3)))"), "s0");
    EXPECT_EQ(canonical("TruncToInt(IntTrueDiv(Mul(Integer(2), Symbol('s0')), Integer(3)))"), "FloorDiv(Mul(2, s0), 3)");
    EXPECT_EQ(canonical("TruncToInt(IntTrueDiv(Symbol('s0'), Symbol('s1')))"), "TruncToInt(IntTrueDiv(s0, s1))");
}

}  // namespace
}  // namespace cleave
