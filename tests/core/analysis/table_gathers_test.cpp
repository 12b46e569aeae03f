#include "core/analysis/table_gathers.h"

#include <gtest/gtest.h>

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

/// Rows of h [n, 8] at all entries of table [m, 5], one after the other.
struct Spirals {
    ProgramBuilder b;
    ValueId h = b.input("h", {sym("n"), num(8)}), table = b.input("table", {sym("m"), num(5)}, DType::Int64);

    ValueId list() { return b.op("view", {{"self", {table}}, {"size", ints({-1})}}, {sym("Mul(5, m)")}, DType::Int64); }
    ValueId read(ValueId list)
    {
        return b.op("index.Tensor", {{"self", {h}}, {"indices", {std::vector<Argument>{{list}}}}}, {sym("Mul(5, m)"), num(8)});
    }
    ValueId view(ValueId self, const ProgramBuilder::Sizes& sizes)
    {
        std::vector<Argument> shape;
        for (const Dim& dim : sizes)
            shape.push_back({dim.isConstant() ? dim.value : std::int64_t{-1}});
        return b.op("reshape", {{"self", {self}}, {"shape", {shape}}}, sizes);
    }

    /// The sizes of what the last op reads, after the pass and without what nobody reads.
    std::vector<Dim> readBy(ValueId output, int expected)
    {
        b.program.outputs = {output};
        EXPECT_EQ(gatherAtTables(b.program), expected);
        dropDeadOps(b.program);
        return b.program[*b.program.ops.back().find("self")->asValue()].sizes;
    }
};

TEST(TableGathers, RowsOfATableReadOneAfterTheOther)
{
    const std::vector<Dim> at{sym("m"), num(5), num(8)};
    Spirals viewed;
    EXPECT_EQ(viewed.readBy(viewed.view(viewed.read(viewed.list()), {sym("m"), num(40)}), 1), at);
    EXPECT_EQ(viewed.b.program.ops.size(), 2u) << "the list is not made any more";
    Spirals selected;
    const ValueId numbers = selected.list();
    EXPECT_EQ(selected.readBy(selected.view(selected.b.op("index_select", {{"self", {selected.h}}, {"dim", {std::int64_t{0}}}, {"index", {numbers}}},
                                                          {sym("Mul(5, m)"), num(8)}),
                                            {sym("m"), num(5), num(8)}),
                              1),
              at);
}

TEST(TableGathers, OthersAreLeft)
{
    const std::vector<Dim> flat{sym("Mul(5, m)"), num(8)};
    Spirals halves;  // [m, 40] as [2 m, 20]: no row of the table
    EXPECT_EQ(halves.readBy(halves.view(halves.read(halves.list()), {sym("Mul(2, m)"), num(20)}), 0), flat);
    Spirals columns;
    const ValueId turned = columns.b.op("t", {{"self", {columns.table}}}, {num(5), sym("m")}, DType::Int64);
    const ValueId entries = columns.b.op("reshape", {{"self", {turned}}, {"shape", ints({-1})}}, {sym("Mul(5, m)")}, DType::Int64);
    EXPECT_EQ(columns.readBy(columns.view(columns.read(entries), {sym("m"), num(40)}), 0), flat) << "column by column";
}

}  // namespace
}  // namespace cleave
