#include "core/analysis/moved_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/analysis/passes.h"
#include "tests/core/analysis/program_builder.h"

namespace cleave {
namespace {

using test::ints;
using test::num;
using test::ProgramBuilder;
using test::sym;

/// h [m, 8] of nodes, and what is done to its rows; another op reads the result.
struct Moving {
    ProgramBuilder b;
    ValueId h = b.input("h", {sym("m"), num(8)});

    Moving() { b.program.inputs.back().role = Role::NodeFeatures; }

    ValueId view(ValueId self, const ProgramBuilder::Sizes& sizes)
    {
        std::vector<Argument> shape;
        for (const Dim& dim : sizes)
            shape.push_back({dim.isConstant() ? dim.value : std::int64_t{-1}});
        return b.op("view", {{"self", {self}}, {"size", {shape}}}, sizes);
    }
    ValueId flip(ValueId self, std::int64_t dim) { return b.op("flip", {{"self", {self}}, {"dims", ints({dim})}}, b.program[self].sizes); }
    ValueId slice(ValueId self, std::int64_t start, std::int64_t end, const Dim& left)
    {
        return b.op("slice.Tensor", {{"self", {self}}, {"dim", {std::int64_t{0}}}, {"start", {start}}, {"end", {end}}}, {left, num(8)});
    }
    ValueId cat(ValueId first, ValueId second, const Dim& all)
    {
        return b.op("cat", {{"tensors", {std::vector<Argument>{{first}, {second}}}}, {"dim", {std::int64_t{0}}}}, {all, num(8)});
    }

    // How often rows are read at an index instead of what moved them.
    int gatheredBy(ValueId result)
    {
        b.program.outputs = {b.op("relu", {{"self", {result}}}, {sym("m"), num(8)})};
        const int count = gatherMovedRows(b.program);
        dropDeadOps(b.program);
        const ValueId read = *b.program.ops.back().find("self")->asValue();
        EXPECT_EQ(count > 0, b.program[b.program[read].producer].target == "aten::index_select") << count;
        return count;
    }

    bool has(const std::string& target) const { return std::ranges::find(b.program.ops, target, &Op::target) != b.program.ops.end(); }
};

TEST(MovedRows, PairsThatAreSwapped)
{
    // An exporter cannot tell that two times half of all rows are all of them.
    const Dim half = sym("FloorDiv(m, 2)"), twice = sym("Mul(2, FloorDiv(m, 2))");
    Moving pairs;
    EXPECT_EQ(pairs.gatheredBy(pairs.view(pairs.flip(pairs.view(pairs.h, {half, num(2), num(8)}), 1), {twice, num(8)})), 1);
    EXPECT_TRUE(pairs.has("aten::flip")) << "of the index";
    for (const Value& value : pairs.b.program.values)
        EXPECT_EQ(std::ranges::count(value.sizes, twice), 0);
    const auto flip = std::ranges::find(pairs.b.program.ops, "aten::flip", &Op::target);
    EXPECT_EQ(pairs.b.program[flip->outputs.front()].sizes, (std::vector{half, num(2), num(1)})) << "one number for each row";
}

TEST(MovedRows, HalvesThatChangePlaces)
{
    Moving halves;
    const ValueId last = halves.slice(halves.h, 3, 100, sym("Add(-3, m)")), first = halves.slice(halves.h, 0, 3, num(3));
    EXPECT_EQ(halves.gatheredBy(halves.cat(last, first, sym("m"))), 1);
    Moving fewer;
    EXPECT_EQ(fewer.gatheredBy(fewer.cat(fewer.slice(fewer.h, 3, 100, sym("Add(-3, m)")), fewer.slice(fewer.h, 0, 1, num(1)), sym("Add(-2, m)"))), 0)
        << "not as many as there were";
    Moving flipped;
    EXPECT_EQ(flipped.gatheredBy(flipped.flip(flipped.h, 0)), 1);
}

TEST(MovedRows, WhatStaysInItsRowIsLeft)
{
    Moving columns;
    EXPECT_EQ(columns.gatheredBy(columns.flip(columns.h, 1)), 0);
    Moving heads;  // [m, 8] as [2 m, 4]: the entries of a row
    EXPECT_EQ(heads.gatheredBy(heads.view(heads.flip(heads.view(heads.h, {sym("Mul(2, m)"), num(4)}), 1), {sym("m"), num(8)})), 0);
    Moving structure;
    structure.b.program.inputs.back().role = Role::Other;
    EXPECT_EQ(structure.gatheredBy(structure.flip(structure.h, 0)), 0) << "the graph's own values are moved once";
}

}  // namespace
}  // namespace cleave
