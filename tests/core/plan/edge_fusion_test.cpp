// Which steps become edge programs: a chain that is no longer found would only be slower, so it is counted here.
#include "core/plan/edge_fusion.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/plan/edge_arithmetic.h"
#include "core/run/model.h"
#include "tests/core/plan/network.h"
#include "tests/core/test_files.h"

namespace cleave {
namespace {

struct Found {
    int reductions = 0, programs = 0, liveEdgeSteps = 0;
    std::vector<FusedEdges> fused;
};

Found find(const std::filesystem::path& path, Kernels kernels = Kernels::All)
{
    const Model model = openModel(path, {{}, false});
    const Analysis& a = *model.analysis;
    Found found;
    for (const CutFunction& function : model.cut->functions) {
        const EdgeFusion fusion = fuseEdges(a, function, kernels);
        const std::vector<bool> live = liveSteps(a.program, function, fusion);
        found.programs += static_cast<int>(fusion.programs.size());
        found.fused.insert(found.fused.end(), fusion.programs.begin(), fusion.programs.end());
        for (std::size_t s = 0; s < function.steps.size(); ++s) {
            const Step& step = function.steps[s];
            found.reductions += step.kind == StepKind::Call && a.ops[step.op].kind == OpKind::Scatter;
            found.liveEdgeSteps += live[s] && function.frames[static_cast<std::size_t>(step.frame)].kind == FrameKind::Edges;
        }
    }
    return found;
}

std::filesystem::path zoo(const std::string& name) { return test::testDir() / "models/zoo" / (name + ".pt2"); }

// What the program computes is no number that an edge program could hold.
TEST(EdgeFusion, ComputedFactorsAreNoArithmetic)
{
    const Argument computed{ValueId{7}};
    const auto add = [](const Argument& alpha) {
        return Op{"add", "aten::add", "Tensor", {{"self", {ValueId{1}}}, {"other", {ValueId{2}}}, {"alpha", alpha}}, {ValueId{3}}, {}, {}};
    };
    EXPECT_TRUE(arithmeticOf(add({std::int64_t{1}})));
    EXPECT_FALSE(arithmeticOf(add({std::int64_t{3}})));
    EXPECT_FALSE(arithmeticOf(add(computed)));
    EXPECT_FALSE(arithmeticOf(Op{"leaky", "aten::leaky_relu", "", {{"self", {ValueId{1}}}, {"negative_slope", computed}}, {ValueId{3}}, {}, {}}));
    EXPECT_FALSE(isNumberOr(add(computed), "alpha", 1));
    EXPECT_TRUE(isNumberOr(add({}), "alpha", 1));
}

TEST(EdgeFusion, WholeMessagePassingsOfCommonLayers)
{
    for (const char* name : {"gcn", "sage_mean", "sage_max", "sage_softmax", "sage_several", "gat", "gatv2", "transformer", "gin", "mixhop",
                             "res_gated", "film", "deeper_gcn", "tag", "cheb", "appnp", "super_gat", "egconv", "jk_lstm", "float64", "bfloat16"}) {
        const Found found = find(zoo(name));
        EXPECT_GT(found.programs, 0) << name;
        EXPECT_EQ(found.programs, found.reductions) << name;
        EXPECT_EQ(found.liveEdgeSteps, 0) << name;
    }
}

TEST(EdgeFusion, MostReductionsOfTheZoo)
{
    int reductions = 0, programs = 0;
    for (const auto& entry : std::filesystem::directory_iterator(test::testDir() / "models/zoo"))
        if (entry.path().extension() == ".pt2") {
            std::string refused = test::errorOf([&] {
                const Found found = find(entry.path());
                reductions += found.reductions;
                programs += found.programs;
            });
        }
    EXPECT_GT(programs, 280);
    EXPECT_GT(programs, 0.9 * reductions);
}

// A weighted sum needs no arithmetic on wide rows.
TEST(EdgeFusion, WeightsAreTakenIntoTheReduction)
{
    const Found gcn = find(zoo("gcn"));
    for (const FusedEdges& fused : gcn.fused) {
        EXPECT_TRUE(fused.program.code.empty());
        ASSERT_EQ(fused.operands.size(), 2U);
        EXPECT_EQ(fused.operands[0].row, EdgeRow::Source);
        EXPECT_EQ(fused.operands[1].row, EdgeRow::Edge);
        EXPECT_EQ(fused.program.results.front().weights, 1);
    }
    // Attention: the highest score, the sum of exponentials, and the weighted sum, which is that of heads.
    const Found gat = find(zoo("gat"));
    ASSERT_EQ(gat.fused.size(), 6U);
    EXPECT_EQ(gat.fused[0].program.results.front().reduce, Reduce::Max);
    EXPECT_EQ(gat.fused[0].program.results.size(), 2U) << "scores are kept for the exponentials";
    EXPECT_EQ(gat.fused[2].program.results.front().reduce, Reduce::Sum);
    EXPECT_GE(gat.fused[2].program.results.front().weights, 0);
    EXPECT_GT(gat.fused[2].program.width(gat.fused[2].program.results.front().weights), 1);
}

// What GAT's reductions share is computed from narrow rows; what those of GATv2 share, from the wide ones that come from afar.
TEST(EdgeFusion, OfFarRowsLittleIsKeptForEdges)
{
    const auto kept = [](const std::string& name, bool isFar) {
        const Model model = openModel(zoo(name), {{}, false});
        std::size_t edgeRows = 0;
        for (const CutFunction& function : model.cut->functions) {
            std::set<ValueId> far;
            for (const ValueId value : function.reads) {
                std::int64_t entries = 1;
                for (const Dim& size : model.analysis->program[value].sizes)
                    entries *= size.isConstant() ? size.value : 1;
                if (isFar && entries > 4)
                    far.insert(value);
            }
            for (const FusedEdges& fused : fuseEdges(*model.analysis, function, Kernels::All, far).programs)
                edgeRows += fused.results.size() - 1;
        }
        return edgeRows;
    };
    EXPECT_GT(kept("gat", false), 0U);
    EXPECT_EQ(kept("gat", true), 0U);
    EXPECT_GT(kept("gatv2", false), 0U);
    EXPECT_EQ(kept("gatv2", true), kept("gatv2", false));
}

TEST(EdgeFusion, CanBeSwitchedOff)
{
    const Found none = find(zoo("gat"), Kernels::None), reduce = find(zoo("gat"), Kernels::Reduce);
    EXPECT_EQ(none.programs, 0);
    EXPECT_EQ(reduce.programs, reduce.reductions);
    for (const FusedEdges& fused : reduce.fused)
        EXPECT_TRUE(fused.program.code.empty());
    EXPECT_GT(reduce.liveEdgeSteps, 0);
}

// Asked value by value for its operands, this would take 2^60 steps.
TEST(EdgeFusion, TakesNoLongerForDiamonds)
{
    test::ProgramBuilder b;
    const test::ProgramBuilder::Sizes nodes{test::sym("n"), test::num(4)}, edges{test::sym("e"), test::num(4)};
    const ValueId x = b.input("x", nodes), index = b.input("edge_index", {test::num(2), test::sym("e")}, DType::Int64);
    const auto end = [&](std::int64_t row) {
        return b.op("select.int", {{"self", {index}}, {"dim", {std::int64_t{0}}}, {"index", {row}}}, {test::sym("e")}, DType::Int64);
    };
    const ValueId source = end(0), target = end(1);
    ValueId rows = b.op("index_select", {{"self", {x}}, {"dim", {std::int64_t{0}}}, {"index", {source}}}, edges);
    for (int i = 0; i < 60; ++i)
        rows = b.op("mul.Tensor", {{"self", {rows}}, {"other", {rows}}}, edges);
    const ValueId before = b.op("mul.Tensor", {{"self", {x}}, {"other", {0.0}}}, nodes);
    const auto reduced = [&](ValueId edgeRows) {
        return b.op("index_add", {{"self", {before}}, {"dim", {std::int64_t{0}}}, {"index", {target}}, {"source", {edgeRows}}}, nodes);
    };
    const ValueId back = b.op("index_select", {{"self", {reduced(rows)}}, {"dim", {std::int64_t{0}}}, {"index", {target}}}, edges);
    b.program.outputs = {reduced(b.op("mul.Tensor", {{"self", {rows}}, {"other", {back}}}, edges))};
    const Analysis analysis = analyse(std::move(b.program), {}, test::NoEvaluator());
    std::size_t programs = 0;
    for (const CutFunction& function : cutByMessageDegree(analysis).functions)
        programs += fuseEdges(analysis, function, Kernels::All, {index}).programs.size();  // other rows are far
    EXPECT_EQ(programs, 2U);
}

}  // namespace
}  // namespace cleave
