#include "core/analysis/recompose.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace cleave
