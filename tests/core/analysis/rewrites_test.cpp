// What rewrites must leave alone: the zoo shows that what they change stays right.
#include "core/analysis/rewrites.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/core/analysis/program_builder.h"

namespace cleave {
namespace {

using test::num;
using test::ProgramBuilder;
using test::sym;

// Batch norm of linear + alpha linear.
int folded(const Argument& alpha, bool readTwice)
{
    ProgramBuilder b;
    const ProgramBuilder::Sizes shape{sym("n"), num(4)};
    const ValueId x = b.input("x", {sym("n"), num(4)});
    b.input("edge_index", {num(2), sym("e")}, DType::Int64);
    assignRoles(b.program, {});
    const ValueId first = b.op("linear", {{"input", {x}}, {"weight", {b.weight("w", {4, 4})}}}, shape);
    const ValueId second = b.op("linear", {{"input", {x}}, {"weight", {b.weight("v", {4, 4})}}}, shape);
    const ValueId sum = b.op("add.Tensor", {{"self", {first}}, {"other", {second}}, {"alpha", alpha}}, shape);
    const ValueId norm = b.op("batch_norm",
                              {{"input", {sum}},
                               {"weight", {}},
                               {"bias", {}},
                               {"running_mean", {b.weight("mean", {4})}},
                               {"running_var", {b.weight("var", {4})}},
                               {"training", {false}},
                               {"momentum", {0.1}},
                               {"eps", {1e-5}},
                               {"cudnn_enabled", {false}}},
                              shape);
    b.program.outputs = {norm};
    if (readTwice)
        b.program.outputs.push_back(sum);
    const auto applied = applyRewrites(b.program, {Rewrite::FoldBatchNorm});
    EXPECT_EQ(applied.empty(), std::ranges::count(b.program.ops, "aten::batch_norm", &Op::target) == 1);
    return applied.empty() ? 0 : applied.front().count;
}

TEST(Rewrites, SumsWithAFactorAreNoSums)
{
    EXPECT_EQ(folded({std::int64_t{1}}, false), 1);
    EXPECT_EQ(folded({1.0}, false), 1);
    EXPECT_EQ(folded({std::int64_t{2}}, false), 0);
    EXPECT_EQ(folded({0.5}, false), 0);
}

TEST(Rewrites, WhatSomebodyElseReadsStays)
{
    EXPECT_EQ(folded({std::int64_t{1}}, true), 0);
}

// linear(x) + y + linear(x), by additions or a sum over a stack; how many linear layers are left.
std::ptrdiff_t linearsOfSum(bool stacked, bool readTwice, const Argument& alpha = {std::int64_t{1}})
{
    ProgramBuilder b;
    const ProgramBuilder::Sizes shape{sym("n"), num(4)};
    const ValueId x = b.input("x", {sym("n"), num(4)});
    b.input("edge_index", {num(2), sym("e")}, DType::Int64);
    assignRoles(b.program, {});
    const ValueId first = b.op("linear", {{"input", {x}}, {"weight", {b.weight("w", {4, 4})}}, {"bias", {b.weight("c", {4})}}}, shape);
    const ValueId middle = b.op("relu", {{"self", {x}}}, shape);
    const ValueId last = b.op("linear", {{"input", {x}}, {"weight", {b.weight("v", {4, 4})}}}, shape);
    ValueId sum;
    if (stacked) {
        const ValueId stack =
            b.op("stack", {{"tensors", {std::vector<Argument>{{first}, {middle}, {last}}}}, {"dim", {std::int64_t{0}}}}, {num(3), sym("n"), num(4)});
        sum = b.op("sum.dim_IntList", {{"self", {stack}}, {"dim", {std::vector<Argument>{{std::int64_t{0}}}}}, {"keepdim", {false}}, {"dtype", {}}},
                   shape);
    } else {
        const ValueId inner = b.op("add.Tensor", {{"self", {first}}, {"other", {middle}}}, shape);
        sum = b.op("add.Tensor", {{"self", {inner}}, {"other", {last}}, {"alpha", alpha}}, shape);
    }
    b.program.outputs = {sum};
    if (readTwice)
        b.program.outputs.push_back(last);
    applyRewrites(b.program, {Rewrite::SumLinears});
    EXPECT_EQ(b.program.outputs.front(), b.program.ops.back().outputs.front()) << "the sum keeps its name";
    return std::ranges::count(b.program.ops, "aten::linear", &Op::target);
}

TEST(Rewrites, LinearsOfOneInputThatAreAddedUpBecomeOne)
{
    EXPECT_EQ(linearsOfSum(false, false), 1);
    EXPECT_EQ(linearsOfSum(true, false), 1);
    EXPECT_EQ(linearsOfSum(true, true), 2);
    EXPECT_EQ(linearsOfSum(false, true), 2);
    EXPECT_EQ(linearsOfSum(false, false, {std::int64_t{2}}), 2);
}

// relu(x) or x, linear, gathered, added up by target; whether the linear layer comes after the sum then.
struct Aggregated {
    std::int64_t in = 4, out = 8;
    bool isHidden = false, hasBias = false, isReadTwice = false, keepsInput = false, isPromoted = false;
};

bool moves(const Aggregated& wanted)
{
    ProgramBuilder b;
    ValueId features = b.input("x", {sym("n"), num(wanted.in)});
    const ValueId edges = b.input("edge_index", {num(2), sym("e")}, DType::Int64);
    assignRoles(b.program, {});
    const auto end = [&](std::int64_t index) {
        return b.op("select.int", {{"self", {edges}}, {"dim", {std::int64_t{0}}}, {"index", {index}}}, {sym("e")}, DType::Int64);
    };
    const ValueId from = end(0), to = end(1);
    if (wanted.isHidden)
        features = b.op("relu", {{"self", {features}}}, {sym("n"), num(wanted.in)});
    std::vector<NamedArgument> args{{"input", {features}}, {"weight", {b.weight("w", {wanted.out, wanted.in})}}};
    if (wanted.hasBias)
        args.push_back({"bias", {b.weight("c", {wanted.out})}});
    const ValueId linear = b.op("linear", std::move(args), {sym("n"), num(wanted.out)});
    const ValueId messages = b.op("index_select", {{"self", {linear}}, {"dim", {std::int64_t{0}}}, {"index", {from}}}, {sym("e"), num(wanted.out)});
    const ValueId zeros = b.op("zeros", {{"size", {std::vector<Argument>{{std::int64_t{9}}, {wanted.out}}}}}, {sym("n"), num(wanted.out)});
    if (wanted.isPromoted)
        b.program[messages].dtype = b.program[zeros].dtype = DType::Float64;
    b.program.outputs = {b.op("index_add", {{"self", {zeros}}, {"dim", {std::int64_t{0}}}, {"index", {to}}, {"source", {messages}}},
                              {sym("n"), num(wanted.out)}, wanted.isPromoted ? DType::Float64 : DType::Float32)};
    if (wanted.isReadTwice)
        b.program.outputs.push_back(linear);
    if (wanted.keepsInput)
        b.program.outputs.push_back(features);
    const bool applied = !applyRewrites(b.program, {Rewrite::AggregateFirst}).empty();
    const auto gather = std::ranges::find(b.program.ops, "aten::index_select", &Op::target),
               layer = std::ranges::find(b.program.ops, "aten::linear", &Op::target);
    EXPECT_EQ(applied, gather < layer);
    EXPECT_EQ(applied, b.program[*gather->find("self")->asValue()].name == b.program[features].name);
    return applied;
}

TEST(Rewrites, LinearsThatDoNotNarrowComeAfterTheSumThatReadsThem)
{
    EXPECT_TRUE(moves({.in = 4, .out = 8}));
    EXPECT_TRUE(moves({.in = 4, .out = 4})) << "of an input: no tensor of node rows in between";
    EXPECT_TRUE(moves({.in = 4, .out = 8, .isHidden = true})) << "narrower rows are saved";
    EXPECT_TRUE(moves({.in = 4, .out = 4, .isHidden = true, .keepsInput = true})) << "what it reads is there anyway";
    EXPECT_FALSE(moves({.in = 4, .out = 4, .isHidden = true})) << "one save point or the other";
    EXPECT_FALSE(moves({.in = 8, .out = 4})) << "it narrows";
    EXPECT_FALSE(moves({.hasBias = true})) << "its bias would count once";
    EXPECT_FALSE(moves({.isReadTwice = true})) << "it is there anyway";
    EXPECT_FALSE(moves({.isPromoted = true})) << "the layer would get rows of another type";
}

// A module that two layers share.
TEST(Rewrites, EqualRowsAreComputedOnceUnlessTheyAreOutputs)
{
    for (const bool isOutput : {false, true}) {
        ProgramBuilder b;
        const ProgramBuilder::Sizes shape{sym("n"), num(4)};
        const ValueId x = b.input("x", {sym("n"), num(4)}), weight = b.weight("w", {4, 4});
        b.input("edge_index", {num(2), sym("e")}, DType::Int64);
        assignRoles(b.program, {});
        std::vector<ValueId> encoded;
        for (int layer = 0; layer < 2; ++layer) {
            const ValueId linear = b.op("linear", {{"input", {x}}, {"weight", {weight}}}, shape);
            encoded.push_back(b.op("tanh", {{"self", {linear}}}, shape));
        }
        b.program.outputs = {b.op("mul.Tensor", {{"self", {encoded[0]}}, {"other", {encoded[1]}}}, shape)};
        if (isOutput)
            b.program.outputs.insert(b.program.outputs.end(), encoded.begin(), encoded.end());
        applyRewrites(b.program, {Rewrite::MergeLinears});
        EXPECT_EQ(std::ranges::count(b.program.ops, "aten::linear", &Op::target), 1);
        EXPECT_EQ(std::ranges::count(b.program.ops, "aten::tanh", &Op::target), isOutput ? 2 : 1);
        EXPECT_EQ(std::ranges::count(b.program.outputs, b.program.outputs.back()), 1) << "each has a name of its own";
    }
}

TEST(Rewrites, HaveNames)
{
    for (const Rewrite rewrite : allRewrites()) {
        Rewrite found{};
        EXPECT_TRUE(rewriteFromName(rewriteName(rewrite), found));
        EXPECT_EQ(found, rewrite);
    }
    Rewrite none{};
    EXPECT_FALSE(rewriteFromName("everything", none));
}

}  // namespace
}  // namespace cleave
