#include "core/analysis/recompose.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "core/analysis/passes.h"
#include "tests/core/analysis/program_builder.h"

namespace cleave {
namespace {

using test::ints;
using test::num;
using test::ProgramBuilder;
using test::sym;

const ProgramBuilder::Sizes pairs{num(2), sym("m")}, lists{num(1), sym("m")}, list{sym("m")};

// The last op's target, and the index that it takes where it selects.
std::string selected(ProgramBuilder& b, ValueId output)
{
    b.program.outputs = {output};
    cleanUp(b.program);
    const Op& last = b.program[b.program[b.program.outputs.front()].producer];
    const Argument* index = last.find("index");
    return last.target + (index ? " " + std::to_string(std::get<std::int64_t>(index->value)) : "");
}

std::string selectedBySlice(std::int64_t start)
{
    ProgramBuilder b;
    const ValueId edges = b.input("edge_index", pairs, DType::Int64);
    const ValueId part =
        b.op("slice.Tensor", {{"self", {edges}}, {"dim", {std::int64_t{0}}}, {"start", {start}}, {"end", {std::int64_t{9}}}}, lists, DType::Int64);
    return selected(b, b.op("squeeze.dim", {{"self", {part}}, {"dim", {std::int64_t{0}}}}, list, DType::Int64));
}

// A slice takes what there is from its start on; a selection must name a row that there is.
TEST(Recompose, SliceOfOneRowIsASelection)
{
    EXPECT_EQ(selectedBySlice(1), "aten::select 1");
    EXPECT_EQ(selectedBySlice(-1), "aten::select 1");
    EXPECT_EQ(selectedBySlice(-7), "aten::select 0");
    EXPECT_EQ(selectedBySlice(2), "aten::squeeze") << "there is no such row, whatever the file says of its size";
}

TEST(Recompose, ChunksOfOneRowAreSelections)
{
    ProgramBuilder b;
    const ValueId edges = b.input("edge_index", pairs, DType::Int64);
    const ValueId first = b.op("chunk", {{"self", {edges}}, {"chunks", {std::int64_t{2}}}, {"dim", {std::int64_t{0}}}}, lists, DType::Int64);
    const ValueId second = b.tensor("second", lists, DType::Int64);
    b.program.ops.front().outputs.push_back(second);
    b.program[second].producer = b.program[first].producer;
    EXPECT_EQ(selected(b, b.op("view", {{"self", {second}}, {"size", ints({-1})}}, list, DType::Int64)), "aten::select 1");
}

TEST(Recompose, OneSliceOfSeveralRowsStaysOne)
{
    ProgramBuilder b;
    const ValueId edges = b.input("edge_index", {num(3), sym("m")}, DType::Int64);
    const ValueId part = b.op("slice.Tensor", {{"self", {edges}}, {"dim", {std::int64_t{0}}}, {"start", {std::int64_t{1}}}}, pairs, DType::Int64);
    EXPECT_EQ(selected(b, b.op("view", {{"self", {part}}, {"size", ints({-1})}}, {sym("k")}, DType::Int64)), "aten::view");
}

// Files may lie: a tensor without rows has none to be gathered.
TEST(Recompose, GatherFromOneNumberIsLeftAlone)
{
    ProgramBuilder b;
    const ValueId number = b.input("number", {});
    const ValueId table = b.input("table", {sym("n"), num(2)}, DType::Int64);
    const ValueId flat = b.op("view", {{"self", {table}}, {"size", ints({-1})}}, {sym("k")}, DType::Int64);
    const ValueId taken = b.op("index_select", {{"self", {number}}, {"dim", {std::int64_t{0}}}, {"index", {flat}}}, {sym("k")});
    EXPECT_EQ(selected(b, b.op("view", {{"self", {taken}}, {"size", ints({-1, 2})}}, {sym("n"), num(2)})), "aten::view");
}

TEST(Recompose, ViewOfGatheredRowsReadsTheTable)
{
    ProgramBuilder b;
    const ValueId x = b.input("x", {sym("v"), num(4)});
    const ValueId table = b.input("table", {sym("n"), num(2)}, DType::Int64);
    const ValueId flat = b.op("view", {{"self", {table}}, {"size", ints({-1})}}, {sym("k")}, DType::Int64);
    const ValueId taken = b.op("index_select", {{"self", {x}}, {"dim", {std::int64_t{0}}}, {"index", {flat}}}, {sym("k"), num(4)});
    EXPECT_EQ(selected(b, b.op("view", {{"self", {taken}}, {"size", ints({-1, 2, 4})}}, {sym("n"), num(2), num(4)})), "aten::index");
}

const ProgramBuilder::Sizes attending{sym("n"), num(8)}, turnedRows{num(8), sym("n")}, everyPair{sym("n"), sym("n")};

// softmax(change(q kᵀ)) v: what the last op is, and its scale.
std::string attended(const std::function<ValueId(ProgramBuilder&, ValueId scores)>& change, std::int64_t softmaxDim = -1)
{
    ProgramBuilder b;
    const ValueId q = b.input("q", attending), k = b.input("k", attending), v = b.input("v", attending);
    const ValueId turned = b.op("t", {{"self", {k}}}, turnedRows);
    const ValueId scores = change(b, b.op("mm", {{"self", {q}}, {"mat2", {turned}}}, everyPair));
    const ValueId weights = b.op("softmax.int", {{"self", {scores}}, {"dim", {softmaxDim}}}, everyPair);
    b.program.outputs = {b.op("mm", {{"self", {weights}}, {"mat2", {v}}}, attending)};
    cleanUp(b.program);
    const Op& last = b.program[b.program[b.program.outputs.front()].producer];
    const Argument* scale = last.find("scale");
    return last.target + (scale ? " " + std::to_string(std::get<double>(scale->value)) : "") + (last.find("attn_mask") ? " masked" : "");
}

ValueId withNumber(ProgramBuilder& b, const char* op, ValueId scores, double number)
{
    return b.op(op, {{"self", {scores}}, {"other", {number}}}, everyPair);
}

ValueId withMask(ProgramBuilder& b, ValueId scores, const ProgramBuilder::Sizes& sizes)
{
    return b.op("add.Tensor", {{"self", {scores}}, {"other", {b.input("mask", sizes)}}}, everyPair);
}

TEST(Recompose, SoftmaxOfAllPairsIsAttention)
{
    EXPECT_EQ(attended([](ProgramBuilder&, ValueId scores) { return scores; }), "aten::scaled_dot_product_attention 1.000000");
    EXPECT_EQ(attended([](ProgramBuilder& b, ValueId scores) { return withNumber(b, "div.Tensor", withNumber(b, "mul.Tensor", scores, 3), 4); }),
              "aten::scaled_dot_product_attention 0.750000");
    const ProgramBuilder::Sizes ofKeys{num(1), sym("n")};
    EXPECT_EQ(attended([&](ProgramBuilder& b, ValueId scores) { return withMask(b, withNumber(b, "mul.Tensor", scores, 0.5), ofKeys); }),
              "aten::scaled_dot_product_attention 0.500000 masked");
}

TEST(Recompose, WhatIsNoAttentionStaysAsItIs)
{
    const auto plain = [](ProgramBuilder&, ValueId scores) { return scores; };
    EXPECT_EQ(attended(plain, 0), "aten::mm") << "a softmax over queries";
    const ProgramBuilder::Sizes ofKeys{num(1), sym("n")}, ofQueries{sym("n"), num(1)};
    EXPECT_EQ(attended([&](ProgramBuilder& b, ValueId scores) { return withNumber(b, "mul.Tensor", withMask(b, scores, ofKeys), 0.5); }), "aten::mm")
        << "a mask that is scaled as well";
    EXPECT_EQ(attended([&](ProgramBuilder& b, ValueId scores) { return withMask(b, scores, everyPair); }), "aten::mm") << "a mask of pairs";
    EXPECT_EQ(attended([&](ProgramBuilder& b, ValueId scores) { return withMask(b, scores, ofQueries); }), "aten::mm");
    EXPECT_EQ(attended([](ProgramBuilder& b, ValueId scores) { return b.op("relu", {{"self", {scores}}}, everyPair); }), "aten::mm");
}

}  // namespace
}  // namespace cleave
