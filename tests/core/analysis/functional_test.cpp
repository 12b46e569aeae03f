#include "core/analysis/functional.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/core/analysis/program_builder.h"
#include "tests/core/test_files.h"

namespace cleave {
namespace {

using test::ints;
using test::num;
using test::ProgramBuilder;
using test::sym;

const ProgramBuilder::Sizes rows{sym("n"), num(4)};

// The target of the op that a value comes from, and what it reads as self: "add(relu(x))".
std::string expression(const Program& program, ValueId id)
{
    const OpId producer = program[id].producer;
    if (!producer.valid())
        return program[id].name;
    std::string text = program[producer].target.substr(6) + "(";
    bool first = true;
    forEachOperand(program[producer], [&](ValueId operand) {
        text += (first ? "" : ", ") + expression(program, operand);
        first = false;
    });
    return text + ")";
}

TEST(Functional, LaterReadsSeeTheChange)
{
    ProgramBuilder b;
    const ValueId x = b.input("x", rows);
    const ValueId h = b.op("relu", {{"self", {x}}}, rows);
    const ValueId before = b.op("neg", {{"self", {h}}}, rows);
    b.op("add_.Tensor", {{"self", {h}}, {"other", {x}}}, rows);
    const ValueId after = b.op("exp", {{"self", {h}}}, rows);
    b.program.outputs = {before, after, h};
    EXPECT_EQ(makeFunctional(b.program), 1);
    EXPECT_EQ(expression(b.program, b.program.outputs[0]), "neg(relu(x))");
    EXPECT_EQ(expression(b.program, b.program.outputs[1]), "exp(add(relu(x), x))");
    EXPECT_EQ(expression(b.program, b.program.outputs[2]), "add(relu(x), x)");
}

TEST(Functional, ChangeThroughAViewReachesTheTensorAndItsOtherViews)
{
    ProgramBuilder b;
    const ValueId x = b.input("x", rows);
    const ValueId h = b.op("relu", {{"self", {x}}}, rows);
    const ValueId other = b.op("view", {{"self", {h}}, {"size", ints({-1, 2, 2})}}, {sym("n"), num(2), num(2)});
    const ValueId column = b.op("select.int", {{"self", {h}}, {"dim", {std::int64_t{1}}}, {"index", {std::int64_t{0}}}}, {sym("n")});
    const ValueId changed = b.op("exp_", {{"self", {column}}}, {sym("n")});
    const ValueId again = b.op("neg_", {{"self", {changed}}}, {sym("n")});
    b.program.outputs = {h, other, again};
    EXPECT_EQ(makeFunctional(b.program), 2);
    const std::string once = "select_scatter(relu(x), exp(select(relu(x))))";
    EXPECT_EQ(expression(b.program, b.program.outputs[0]), "select_scatter(" + once + ", neg(exp(select(relu(x)))))");
    EXPECT_EQ(expression(b.program, b.program.outputs[1]), "view(" + expression(b.program, b.program.outputs[0]) + ")");
    EXPECT_EQ(expression(b.program, b.program.outputs[2]), "neg(exp(select(relu(x))))");
}

TEST(Functional, KeepsTheTypeOfTheChangedTensor)
{
    ProgramBuilder b;
    const ValueId x = b.input("x", rows);
    const ValueId wide = b.input("w", rows, DType::Float64);
    const ValueId h = b.op("relu", {{"self", {x}}}, rows);
    const ValueId out = b.op("add_.Tensor", {{"self", {h}}, {"other", {wide}}}, rows);
    b.program.outputs = {out};
    makeFunctional(b.program);
    EXPECT_EQ(expression(b.program, b.program.outputs[0]), "to(add(relu(x), w))");
}

TEST(Functional, OutArgumentIsWrittenInto)
{
    ProgramBuilder b;
    const ValueId x = b.input("x", {sym("n")});
    const ValueId longer = b.op("zeros", {}, {sym("m")});
    const ValueId rest = b.op("slice.Tensor", {{"self", {longer}}, {"dim", {std::int64_t{0}}}, {"start", {std::int64_t{1}}}}, {sym("n")});
    b.op("cumsum.out", {{"self", {x}}, {"dim", {std::int64_t{0}}}, {"out", {rest}}}, {sym("n")});
    b.program.outputs = {longer};
    EXPECT_EQ(makeFunctional(b.program), 1);
    EXPECT_EQ(expression(b.program, b.program.outputs[0]), "slice_scatter(zeros(), cumsum(x))");
}

TEST(Functional, RefusesWhatItCannotFollow)
{
    ProgramBuilder maybe;
    const ValueId x = maybe.input("x", rows);
    const ValueId h = maybe.op("relu", {{"self", {x}}}, rows);
    const ValueId perhaps = maybe.op("reshape", {{"self", {h}}, {"shape", ints({-1})}}, {sym("m")});
    maybe.op("neg_", {{"self", {perhaps}}}, {sym("m")});
    maybe.program.outputs = {h};
    EXPECT_NE(test::errorOf([&] { makeFunctional(maybe.program); }), "") << "reshape may or may not be a view";

    ProgramBuilder weight;
    const ValueId w = weight.weight("w", {4});
    weight.program.outputs = {weight.op("neg_", {{"self", {w}}}, {num(4)})};
    EXPECT_NE(test::errorOf([&] { makeFunctional(weight.program); }).find("'w'"), std::string::npos);
}

}  // namespace
}  // namespace cleave
