#include "core/analysis/rows_first.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>
#include <tuple>

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
    bool mayShareMemory(const Op&) const override { return false; }
    std::optional<Array> evaluate(const Program&, ValueId) const override { return {}; }
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

TEST(RowsFirst, EdgesMayNameTheNodesOfGraphsSideBySide)
{
    for (const auto& [sizes, together, rowDim] : {std::tuple(std::vector{num(3), sym("v"), num(8)}, "Mul(3, v)", 1),
                                                  {std::vector{sym("b"), num(20), num(8)}, "Mul(20, b)", 0},
                                                  {std::vector{sym("z"), sym("a"), num(8)}, "Mul(a, z)", 1}}) {
        ProgramBuilder b;
        const ValueId x = b.input("x", sizes), index = b.input("joined_edge_index", {num(2), sym("m")}, DType::Int64);
        const ValueId joined = b.op("reshape", {{"self", {x}}, {"shape", test::ints({-1, 8})}}, {sym(together), num(8)});
        const ValueId from =
            b.op("select.int", {{"self", {index}}, {"dim", {std::int64_t{0}}}, {"index", {std::int64_t{0}}}}, {sym("m")}, DType::Int64);
        b.program.outputs = {b.op("index_select", {{"self", {joined}}, {"dim", {std::int64_t{0}}}, {"index", {from}}}, {sym("m"), num(8)})};
        putRowsFirst(b.program);
        b.program.inputs.front().role = Role::NodeFeatures;
        EXPECT_EQ(b.program.inputs.front().rowDim, rowDim) << together;
        const bool isFree = sizes[0] == sym("z");
        EXPECT_EQ(fixFreeSizes(b.program, {}), isFree ? (std::vector{FreeSize{"x", 0, assumedSize, true}}) : std::vector<FreeSize>{}) << together;
    }
}

TEST(RowsFirst, QueriesAreHeldAgainstNodes)
{
    ProgramBuilder b;
    const ValueId x = b.input("x", {sym("v"), num(8)}), edges = b.input("edge_index", {num(2), sym("m")}, DType::Int64);
    const ValueId heads = b.input("heads", {sym("q")}, DType::Int64), others = b.input("others", {sym("p")}, DType::Int64);
    const ValueId from = b.op("select.int", {{"self", {edges}}, {"dim", {std::int64_t{0}}}, {"index", {std::int64_t{0}}}}, {sym("m")}, DType::Int64);
    const auto readAt = [&](ValueId index, const Dim& size) {
        return b.op("index_select", {{"self", {x}}, {"dim", {std::int64_t{0}}}, {"index", {index}}}, {size, num(8)});
    };
    const ValueId ofEdges = readAt(from, sym("m")), queried = readAt(heads, sym("q")), listed = readAt(others, sym("p"));
    EXPECT_TRUE(sizesOfQueries(b.program).empty());
    const ValueId scores = b.op("matmul", {{"self", {queried}}, {"other", {x}}}, {sym("q"), sym("v")});
    b.op("matmul", {{"self", {ofEdges}}, {"other", {x}}}, {sym("m"), sym("v")});
    b.program.outputs = {scores, listed};
    EXPECT_EQ(sizesOfQueries(b.program), (std::set<std::string>{"q"})) << "not edges, nor what is read of nodes alone";
    b.program.inputs.front().role = Role::NodeFeatures;
    Program fixed = b.program;
    EXPECT_EQ(fixFreeSizes(fixed, {{"heads", {{0, 5}}}}, {"q"}), (std::vector{FreeSize{"heads", 0, 5, false}}));
    EXPECT_EQ(fixed[scores].sizes, (std::vector{num(5), sym("v")}));
    EXPECT_EQ(fixed[listed].sizes, b.program[listed].sizes);
}

// What has a row for each query belongs to the sizes that a graph has; without one they are assumed.
TEST(RowsFirst, QueriesAreFixedOnlyWhereThisHelps)
{
    const auto sizesOf = [](const char* name) {
        return analyse(readPt2(test::testDir() / "models/zoo" / (std::string(name) + ".pt2")), {}, NothingToEvaluate()).freeSizes;
    };
    EXPECT_EQ(sizesOf("scores_of_all"), (std::vector{FreeSize{"queries", 0, assumedSize, true}}));
    EXPECT_EQ(sizesOf("query_batch"), (std::vector{FreeSize{"queries", 0, assumedSize, true}}));
    EXPECT_TRUE(sizesOf("neighbours_of_items").empty());
}

// Rows that begin at queried nodes are what is passed on, though no features are read.
TEST(RowsFirst, WhatIsPassedOnCountsAsFeatures)
{
    for (const char* name : {"queries", "query_batch"}) {
        const Analysis found = analyse(readPt2(test::testDir() / "models/zoo" / (std::string(name) + ".pt2")), {}, NothingToEvaluate());
        EXPECT_EQ(std::ranges::count_if(found.program.ops, &Op::makesFeatures), 1) << name;
        EXPECT_EQ(found.degreeOf(found.levels), 2) << name;
    }
    const Analysis usual = analyse(readPt2(test::testDir() / "models/zoo/gcn.pt2"), {}, NothingToEvaluate());
    EXPECT_TRUE(std::ranges::none_of(usual.program.ops, &Op::makesFeatures));
}

// Without features either, something else for each node tells how many there are: the graph that it belongs to, or a mask.
TEST(RowsFirst, FeaturesMayBeMadeOfTheGraph)
{
    for (const auto& [name, counts] : {std::pair("degrees_as_features", "batch"), std::pair("ones_as_features", "train_mask")}) {
        const Analysis found = analyse(readPt2(test::testDir() / "models/zoo" / (std::string(name) + ".pt2")), {}, NothingToEvaluate());
        for (const Input& input : found.program.inputs)
            EXPECT_EQ(input.countsNodes, found.program[input.value].name == counts) << name;
        EXPECT_EQ(std::ranges::count_if(found.program.ops, &Op::makesFeatures), 1) << name;
        EXPECT_EQ(found.types(), 1) << name;
        EXPECT_GE(found.degreeOf(found.levels), 2) << name;
    }
    const Analysis usual = analyse(readPt2(test::testDir() / "models/zoo/pool_and_nodes.pt2"), {}, NothingToEvaluate());
    EXPECT_TRUE(std::ranges::none_of(usual.program.inputs, &Input::countsNodes));
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
