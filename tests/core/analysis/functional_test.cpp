#include "core/analysis/functional.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <tuple>

#include "core/analysis/op_view.h"
#include "tests/core/analysis/program_builder.h"
#include "tests/core/test_files.h"

namespace cleave {
namespace {

using test::ints;
using test::num;
using test::ProgramBuilder;
using test::sym;

const ProgramBuilder::Sizes rows{sym("n"), num(4)};

// What LibTorch says of these ops.
struct OnlyReshapes : Evaluator {
    std::optional<std::vector<int>> probeRowWise(const Program&, OpId, const std::vector<int>&) const override { return {}; }
    bool mayShareMemory(const Op& op) const override { return op.target == "aten::reshape"; }
    std::optional<Array> evaluate(const Program&, ValueId) const override { return {}; }
};

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
    EXPECT_EQ(makeFunctional(b.program, OnlyReshapes()), 1);
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
    EXPECT_EQ(makeFunctional(b.program, OnlyReshapes()), 2);
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
    makeFunctional(b.program, OnlyReshapes());
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
    EXPECT_EQ(makeFunctional(b.program, OnlyReshapes()), 1);
    EXPECT_EQ(expression(b.program, b.program.outputs[0]), "slice_scatter(zeros(), to(cumsum(x)))");
}

// h > 0 written into h gives numbers.
TEST(Functional, QuestionsKeepTheTypeOfTheChangedTensor)
{
    ProgramBuilder b;
    const ValueId x = b.input("x", rows);
    const ValueId h = b.op("relu", {{"self", {x}}}, rows);
    b.op("gt_.Scalar", {{"self", {h}}, {"other", {std::int64_t{0}}}}, rows);
    const ValueId out = b.op("neg", {{"self", {x}}}, rows);
    b.op("logical_not.out", {{"self", {x}}, {"out", {out}}}, rows);
    b.program.outputs = {h, out};
    EXPECT_EQ(makeFunctional(b.program, OnlyReshapes()), 2);
    for (const auto& [output, text] : {std::pair(0, "to(gt(relu(x)))"), std::pair(1, "to(logical_not(x))")}) {
        const ValueId made = b.program.outputs[static_cast<std::size_t>(output)];
        EXPECT_EQ(expression(b.program, made), text);
        EXPECT_EQ(b.program[made].dtype, DType::Float32);
        const ValueId asked = OpView(b.program, b.program[b.program[made].producer]).value("self");
        EXPECT_EQ(b.program[asked].dtype, DType::Bool);
    }
}

// Its name means another view of it then; views that were taken before stay what they were, and all see what is written.
TEST(Functional, TransposedInPlaceIsAnotherView)
{
    ProgramBuilder b;
    const ValueId x = b.input("x", rows);
    const ValueId h = b.op("relu", {{"self", {x}}}, rows);
    const ValueId column = b.op("select.int", {{"self", {h}}, {"dim", {std::int64_t{1}}}, {"index", {std::int64_t{0}}}}, {sym("n")});
    const ValueId transposed = b.op("t_", {{"self", {h}}}, {num(4), sym("n")});
    const ValueId read = b.op("neg", {{"self", {h}}}, {num(4), sym("n")});
    b.op("exp_", {{"self", {h}}}, {num(4), sym("n")});
    b.op("unsqueeze_", {{"self", {column}}, {"dim", {std::int64_t{1}}}}, {sym("n"), num(1)});
    b.program.outputs = {read, h, column, transposed};
    EXPECT_EQ(makeFunctional(b.program, OnlyReshapes()), 3);
    EXPECT_EQ(expression(b.program, b.program.outputs[0]), "neg(t(relu(x)))");
    EXPECT_EQ(expression(b.program, b.program.outputs[1]), "exp(t(relu(x)))");
    EXPECT_EQ(expression(b.program, b.program.outputs[2]), "unsqueeze(select(t(exp(t(relu(x))))))");
    EXPECT_EQ(expression(b.program, b.program.outputs[3]), "exp(t(relu(x)))");
}

TEST(Functional, NarrowMayCountFromTheEnd)
{
    ProgramBuilder b;
    const ValueId x = b.input("x", rows);
    const ValueId h = b.op("relu", {{"self", {x}}}, rows);
    const ValueId last =
        b.op("narrow", {{"self", {h}}, {"dim", {std::int64_t{1}}}, {"start", {std::int64_t{-2}}}, {"length", {std::int64_t{2}}}}, {sym("n"), num(2)});
    b.op("exp_", {{"self", {last}}}, {sym("n"), num(2)});
    b.program.outputs = {h};
    EXPECT_EQ(makeFunctional(b.program, OnlyReshapes()), 1);
    const Op& written = b.program[b.program[b.program.outputs[0]].producer];
    EXPECT_EQ(written.target, "aten::slice_scatter");
    EXPECT_EQ(OpView(b.program, written).number("start"), -2);
    EXPECT_FALSE(OpView(b.program, written).given("end"));
}

// Whatever number of dimensions is open.
TEST(Functional, FollowsUnsqueezedProducts)
{
    ProgramBuilder b;
    const ProgramBuilder::Sizes open{sym("b"), sym("n")}, wide{sym("b"), sym("n"), num(1)};
    const ValueId x = b.input("x", open), y = b.input("y", open);
    const ValueId product = b.op("einsum", {{"equation", {std::string("bn,bn->bn")}}, {"tensors", {std::vector<Argument>{{x}, {y}}}}}, open);
    const ValueId column = b.op("unsqueeze", {{"self", {product}}, {"dim", {std::int64_t{2}}}}, wide);
    const ValueId changed = b.op("exp_", {{"self", {column}}}, wide);
    b.program.outputs = {changed, product, x};
    EXPECT_EQ(makeFunctional(b.program, OnlyReshapes()), 1);
    EXPECT_EQ(expression(b.program, b.program.outputs[0]), "exp(unsqueeze(einsum(x, y)))");
    EXPECT_EQ(expression(b.program, b.program.outputs[1]), "squeeze(exp(unsqueeze(einsum(x, y))))");
    EXPECT_EQ(expression(b.program, b.program.outputs[2]), "x");
}

TEST(Functional, RefusesWhatItCannotFollow)
{
    ProgramBuilder maybe;
    const ValueId x = maybe.input("x", rows);
    const ValueId h = maybe.op("relu", {{"self", {x}}}, rows);
    const ValueId perhaps = maybe.op("reshape", {{"self", {h}}, {"shape", ints({-1})}}, {sym("m")});
    maybe.op("neg_", {{"self", {perhaps}}}, {sym("m")});
    maybe.program.outputs = {h};
    EXPECT_NE(test::errorOf([&] { makeFunctional(maybe.program, OnlyReshapes()); }), "") << "reshape may or may not be a view";

    ProgramBuilder weight;
    const ValueId w = weight.weight("w", {4});
    weight.program.outputs = {weight.op("neg_", {{"self", {w}}}, {num(4)})};
    EXPECT_NE(test::errorOf([&] { makeFunctional(weight.program, OnlyReshapes()); }).find("'w'"), std::string::npos);
}

// One that is moved, or whose last two dimensions change places, is changed through its views as others are.
TEST(Functional, FollowsViewsOfEveryName)
{
    for (const auto& [op, arguments, back] : std::initializer_list<std::tuple<std::string, std::vector<NamedArgument>, std::string>>{
             {"movedim.int", {{"source", {std::int64_t{0}}}, {"destination", {std::int64_t{1}}}}, "movedim"},
             {"swapaxes", {{"axis0", {std::int64_t{0}}}, {"axis1", {std::int64_t{1}}}}, "swapaxes"},
             {"mT", {}, "mT"},
             {"adjoint", {}, "adjoint"}}) {
        ProgramBuilder b;
        const ValueId x = b.input("x", rows);
        const ValueId h = b.op("relu", {{"self", {x}}}, rows);
        std::vector<NamedArgument> all{{"self", {h}}};
        for (const NamedArgument& argument : arguments)
            all.push_back(argument);
        const ValueId view = b.op(op, all, {num(4), sym("n")});
        b.op("exp_", {{"self", {view}}}, {num(4), sym("n")});
        b.program.outputs = {h};
        makeFunctional(b.program, OnlyReshapes());
        EXPECT_EQ(expression(b.program, b.program.outputs[0]), back + "(exp(" + back + "(relu(x))))");
    }
}

TEST(Functional, OrsInPlace)
{
    ProgramBuilder b;
    const ValueId x = b.input("x", rows);
    const ValueId mask = b.op("gt.Scalar", {{"self", {x}}, {"other", {0.0}}}, rows);
    const ValueId first = b.op("select.int", {{"self", {mask}}, {"dim", {std::int64_t{1}}}, {"index", {std::int64_t{0}}}}, {sym("n")});
    const ValueId more = b.op("lt.Scalar", {{"self", {x}}, {"other", {-1.0}}}, rows);
    b.op("__ior__.Tensor", {{"self", {mask}}, {"other", {more}}}, rows);
    b.program.outputs = {mask, first};
    EXPECT_EQ(makeFunctional(b.program, OnlyReshapes()), 1);
    EXPECT_EQ(expression(b.program, b.program.outputs[0]), "bitwise_or(gt(x), lt(x))");
    EXPECT_EQ(expression(b.program, b.program.outputs[1]), "select(bitwise_or(gt(x), lt(x)))");
}

// In place, integers keep their type, too: 250 + 10 is 4 in eight bits.
TEST(Functional, KeepsTheTypeOfIntegers)
{
    ProgramBuilder b;
    const ValueId x = b.input("x", {sym("n")}, DType::UInt8), y = b.input("y", {sym("n")}, DType::Int64);
    const ValueId h = b.op("neg", {{"self", {x}}}, {sym("n")}, DType::UInt8);
    b.op("add_.Tensor", {{"self", {h}}, {"other", {y}}}, {sym("n")}, DType::UInt8);
    b.program.outputs = {h};
    makeFunctional(b.program, OnlyReshapes());
    EXPECT_EQ(expression(b.program, b.program.outputs[0]), "to(add(neg(x), y))");
}

TEST(Functional, RefusesBrokenViews)
{
    ProgramBuilder b;
    const ValueId x = b.input("x", rows);
    const ValueId h = b.op("relu", {{"self", {x}}}, rows);
    const ValueId turned = b.op("permute", {{"self", {h}}, {"dims", ints({1})}}, {num(4), sym("n")});
    b.op("exp_", {{"self", {turned}}}, {num(4), sym("n")});
    b.program.outputs = {h};
    EXPECT_NE(test::errorOf([&] { makeFunctional(b.program, OnlyReshapes()); }), "");
}

// Each read is followed to the tensor that owns the memory at once.
TEST(Functional, LongChainsOfViewsTakeNoLongerEach)
{
    ProgramBuilder b;
    ValueId view = b.op("relu", {{"self", {b.input("x", rows)}}}, rows);
    const ValueId first = view;
    constexpr int many = 20'000;
    for (int i = 0; i < many; ++i)
        view = b.op("detach", {{"self", {view}}}, rows);
    b.op("exp_", {{"self", {view}}}, rows);
    b.program.outputs = {first, view};
    EXPECT_EQ(makeFunctional(b.program, OnlyReshapes()), 1);
    EXPECT_EQ(b.program.outputs[0].index, b.program.outputs[1].index);
}

}  // namespace
}  // namespace cleave
