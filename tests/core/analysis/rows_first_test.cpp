#include "core/analysis/rows_first.h"

#include <gmock/gmock.h>

#include "core/analysis/functional.h"
#include "core/analysis/message_passing.h"
#include "core/analysis/rewrites.h"
#include "core/analysis/static_shapes.h"
#include "core/base/error.h"
#include "core/model/pt2_reader.h"
#include "tests/core/analysis/program_builder.h"
#include "tests/core/test_files.h"

namespace cleave {
namespace {

using test::num;
using test::ProgramBuilder;
using test::sym;
using testing::HasSubstr;

struct NothingToEvaluate : Evaluator {
    std::optional<std::vector<int>> probeRowWise(const Program&, OpId, const std::vector<int>&) const override { return {}; }
};

// Rows of x [before, nodes, 8] are read at the sources of edges.
ProgramBuilder readingAlong(const Dim& before, const Dim& nodes, const Dim& edges)
{
    ProgramBuilder b;
    const ValueId x = b.input("x", {before, nodes, num(8)}), index = b.input("edge_index", {num(2), edges}, DType::Int64);
    const ValueId row = b.op("select.int", {{"self", {index}}, {"dim", {std::int64_t{0}}}, {"index", {std::int64_t{0}}}}, {edges}, DType::Int64);
    b.program.outputs = {b.op("index_select", {{"self", {x}}, {"dim", {std::int64_t{1}}}, {"index", {row}}}, {before, edges, num(8)})};
    return b;
}

std::string refusalOf(const Program& program)
{
    return test::errorOf([&] { refuseStatic(program); });
}

TEST(RowsFirst, AnInputIsPutBackAsForwardHasIt)
{
    ProgramBuilder b = readingAlong(num(3), sym("v"), sym("m"));
    putRowsFirst(b.program);
    const Input& x = b.program.inputs.front();
    EXPECT_EQ(x.rowDim, 1);
    EXPECT_EQ(b.program[x.value].sizes, (std::vector{sym("v"), num(3), num(8)}));
    EXPECT_EQ(x.dimOfForward(0), 1U);
    EXPECT_EQ(x.dimOfForward(1), 0U);
    EXPECT_EQ(x.dimOfForward(2), 2U);
    const Op& put = b.program.ops.front();
    EXPECT_EQ(put.target, "aten::permute");
    EXPECT_EQ(*put.find("dims"), test::ints({1, 0, 2}));
    EXPECT_EQ(b.program[put.outputs.front()].sizes, (std::vector{num(3), sym("v"), num(8)}));
    EXPECT_EQ(*b.program.ops.back().find("self")->asValue(), put.outputs.front());
    for (std::size_t i = 0; i < b.program.ops.size(); ++i)
        EXPECT_EQ(b.program[b.program.ops[i].outputs.front()].producer.index, static_cast<int>(i));
}

TEST(RowsFirst, WhatHasItsRowsFirstStays)
{
    // Features for each node that are as many as there are edges of another kind, and a matrix of nodes and others.
    for (const auto& sizes :
         {std::vector{sym("v"), num(8)}, std::vector{sym("v"), num(3), num(8)}, std::vector{sym("u"), sym("v")}, std::vector{num(60)}}) {
        ProgramBuilder b = readingAlong(num(3), sym("v"), sym("m"));
        b.input("more", sizes);
        putRowsFirst(b.program);
        EXPECT_EQ(b.program.inputs.back().rowDim, 0);
        EXPECT_EQ(b.program[b.program.inputs.back().value].sizes, sizes);
    }
}

TEST(RowsFirst, SizesThatNobodyFixesAreTheGraphs)
{
    ProgramBuilder b = readingAlong(sym("b"), sym("v"), sym("m"));
    const ValueId count = b.tensor("count", {});
    b.program[count].kind = ValueKind::Int;
    b.program[count].number = sym("Mul(7, b)");
    putRowsFirst(b.program);
    b.program.inputs.front().role = Role::NodeFeatures;
    Program assumed = b.program, known = b.program;
    EXPECT_EQ(fixFreeSizes(assumed, {}), (std::vector{FreeSize{"x", 0, assumedSize, true}}));
    EXPECT_EQ(fixFreeSizes(known, {{"x", {{0, 3}, {1, 60}}}}), (std::vector{FreeSize{"x", 0, 3, false}}));
    EXPECT_EQ(known[known.inputs.front().value].sizes, (std::vector{sym("v"), num(3), num(8)}));
    EXPECT_EQ(known[count].number, num(21));
    EXPECT_EQ(known[known.outputs.front()].sizes, (std::vector{num(3), sym("m"), num(8)}));
}

TEST(RowsFirst, StaticExportsAreRefusedWithTheShapesToWrite)
{
    EXPECT_THAT(refusalOf(readPt2(test::testDir() / "models/zoo/static.pt2")),
                HasSubstr("dynamic_shapes={\"x\": {0: torch.export.Dim(\"nodes\")}, \"edge_index\": {1: torch.export.Dim(\"edges\")}}"));
    EXPECT_THAT(refusalOf(readingAlong(num(3), num(60), num(240)).program),
                HasSubstr("{\"x\": {1: torch.export.Dim(\"nodes\")}, \"edge_index\": {1: torch.export.Dim(\"edges\")}}"));
    const std::string dynamic = refusalOf(readingAlong(sym("b"), num(60), sym("m")).program);
    EXPECT_THAT(dynamic, HasSubstr("the number of nodes is fixed"));
    EXPECT_THAT(dynamic,
                HasSubstr("{\"x\": {0: torch.export.Dim.AUTO, 1: torch.export.Dim(\"nodes\")}, \"edge_index\": {1: torch.export.Dim(\"edges\")}}"));
    EXPECT_EQ(refusalOf(readingAlong(num(3), sym("v"), sym("m")).program), "");
    EXPECT_EQ(refusalOf(readingAlong(sym("b"), sym("v"), sym("m")).program), "");
}

// After the rewrite every gather and reduction is along the first dimension, and the inputs are taken as they are.
TEST(RowsFirst, TheRewriteLeavesNothingAlongOtherDimensions)
{
    for (const char* name :
         {"static_gcn", "static_gcn_decomposed", "static_sage", "static_tag", "time_steps", "wave_net", "channels_first", "steps_of_lstm"}) {
        const Analysis traced = analyse(readPt2(test::testDir() / "models/zoo" / (std::string(name) + ".pt2")), {}, NothingToEvaluate());
        const Analysis found = rewritten(traced, {Rewrite::RowsFirst}, NothingToEvaluate());
        ASSERT_EQ(found.rewrites.size(), 1U) << name;
        EXPECT_EQ(found.rewrites.front().pass, "rows-first");
        EXPECT_EQ(found.freeSizes, traced.freeSizes);
        int passing = 0;
        for (std::size_t i = 0; i < found.program.ops.size(); ++i) {
            const OpId op{static_cast<int>(i)};
            if (const auto gather = gatherForm(found.program, op); gather && found.values[gather->source].reach == Reach::Feature) {
                EXPECT_EQ(gather->sourceDim, 0) << name << " " << found.program[op].name;
                ++passing;
            } else if (const auto scatter = scatterForm(found.program, op);
                       scatter && found.values[found.program[op].outputs.front()].reach == Reach::Feature) {
                EXPECT_EQ(scatter->rowDim, 0) << name << " " << found.program[op].name;
                ++passing;
            }
        }
        EXPECT_EQ(passing, found.rewrites.front().count) << name;
    }
    const Analysis usual = analyse(readPt2(test::testDir() / "models/zoo/gcn.pt2"), {}, NothingToEvaluate());
    EXPECT_TRUE(rewritten(usual, {Rewrite::RowsFirst}, NothingToEvaluate()).rewrites.empty());
}

}  // namespace
}  // namespace cleave
