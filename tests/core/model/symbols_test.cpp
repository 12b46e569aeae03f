#include "core/model/symbols.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace cleave
