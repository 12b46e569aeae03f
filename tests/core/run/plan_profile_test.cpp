// Plans written as profile graphs: every op once, stages in the order of functions, times and bytes of whole runs.
#include "core/run/plan_profile.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include "core/plan/planner.h"
#include "core/run/measure.h"
#include "core/run/planning.h"
#include "tests/core/run/zoo_files.h"
#include "tests/core/run/zoo_models.h"

namespace cleave {
namespace {

using test::cora;
using testing::HasSubstr;

Model planned(const std::string& name, Planner planner)
{
    Model model = openModel(test::examplesDir() / (name + ".pt2"), {{}, false});
    Planning planning(model, cora(), {}, Rates{});
    const PricedPlan plan = planning.make(planner, {});
    model.cut = std::make_shared<CutProgram>(PlanSpace(*model.analysis).cut(plan.planned.plan, plan.planned.cost.copied));
    return model;
}

const ProfileNode& nodeOf(const ProfileGraph& graph, const std::string& beginning)
{
    const auto found = std::ranges::find_if(graph.nodes, [&](const ProfileNode& node) { return node.description.starts_with(beginning); });
    EXPECT_NE(found, graph.nodes.end()) << beginning;
    return found == graph.nodes.end() ? graph.nodes.front() : *found;
}

class PlanProfileOf : public testing::TestWithParam<std::tuple<const char*, Planner>> {};

TEST_P(PlanProfileOf, HasEveryOpOfEachFunctionInItsStage)
{
    const Model model = planned(std::get<0>(GetParam()), std::get<1>(GetParam()));
    const ProfileGraph profile = profilePlan(model, cora());
    const Analysis& a = *model.analysis;
    std::map<int, std::set<std::string>> inFile, inPlan;
    for (const ProfileNode& node : profile.nodes)
        if (node.stage > 0 && !node.description.starts_with("Blocks")) {
            EXPECT_TRUE(inFile[node.stage].insert(node.description.substr(0, node.description.find(' '))).second) << node.description;
        }
    for (std::size_t f = 0; f < model.cut->functions.size(); ++f)
        for (const Step& step : model.cut->functions[f].steps)
            if (step.kind != StepKind::LocalIndex && a.values[a.program[step.op].outputs.front()].reach == Reach::Feature)
                inPlan[static_cast<int>(f) + 1].insert(a.program[step.op].name);
    EXPECT_EQ(inFile, inPlan);
    EXPECT_EQ(profile.inOrder().size(), profile.nodes.size());
    for (const auto& [from, to] : profile.edges)
        EXPECT_LE(profile.nodes[static_cast<std::size_t>(from)].stage, profile.nodes[static_cast<std::size_t>(to)].stage);
    // What a stage hands on are the save points, the inputs and the prologue's results.
    for (const StageTotals& totals : stageTotals(profile))
        EXPECT_GE(totals.forwardSeconds, 0);
}

INSTANTIATE_TEST_SUITE_P(Examples, PlanProfileOf,
                         testing::Combine(testing::Values("gcn", "sage", "gat", "jk"), testing::Values(Planner::MessageDegree, Planner::Optimal)));

TEST(PlanProfile, BytesAreThoseOfTheGraph)
{
    const Model model = planned("gcn", Planner::MessageDegree);
    const ProfileGraph profile = profilePlan(model, cora());
    const double nodes = static_cast<double>(cora().numNodes);
    EXPECT_DOUBLE_EQ(nodeOf(profile, "x (input)").activation(), 4 * 1433 * nodes);
    const ProfileNode& linear = nodeOf(profile, "linear (aten::linear");
    EXPECT_DOUBLE_EQ(linear.activation(), 4 * 16 * nodes);
    EXPECT_DOUBLE_EQ(linear.parameterBytes, 4 * 16 * 1433);
    EXPECT_GT(linear.forwardSeconds, 0);
    EXPECT_GT(nodeOf(profile, "Prologue").forwardSeconds, 0);
    EXPECT_GT(nodeOf(profile, "Blocks of function 1").activation() + nodeOf(profile, "Prologue").activation(), 0);
}

// As long as the run takes, within what a busy machine does to the shortest of some times.
TEST(PlanProfile, TimesAreThoseOfARun)
{
    const Model model = planned("gat", Planner::MessageDegree);
    RunOptions options;
    options.batchSize = 512;
    double measured = std::numeric_limits<double>::infinity(), profiled = measured;
    for (int round = 0; round < 5; ++round) {
        const RunResult run = runLayerWise(model, cora(), options);
        measured = std::min(measured, std::accumulate(run.functions.begin(), run.functions.end(), 0.0,
                                                      [](double sum, const FunctionRun& f) { return sum + f.seconds(); }));
        const std::vector<StageTotals> totals = stageTotals(profilePlan(model, cora(), options));
        profiled = std::min(profiled, std::accumulate(totals.begin() + 1, totals.end(), 0.0,
                                                      [](double sum, const StageTotals& t) { return sum + t.forwardSeconds; }));
    }
    EXPECT_GT(profiled, measured / 10);
    EXPECT_LT(profiled, measured * 10);
}

TEST(PlanProfile, KnowsJoinedFunctionsAndTargets)
{
    const ProfileGraph joined = profilePlan(planned("sage", Planner::FullGraph), cora());
    EXPECT_EQ(joined.stages.size(), 2U);
    RunOptions few;
    few.targets = {1, 2, 3};
    const Model model = planned("sage", Planner::MessageDegree);
    const auto activation = [](const ProfileGraph& graph) {
        const std::vector<StageTotals> totals = stageTotals(graph);
        return totals.back().activationBytes;
    };
    EXPECT_LT(activation(profilePlan(model, cora(), few)), activation(profilePlan(model, cora())) / 100);
}

// Step by step, whatever edge programs are made of and however many rows an op over all nodes has.
TEST(Profiling, IsDoneOfAnyModel)
{
    const std::set<std::string> always{"hgt", "cgconv", "edges_of_graphs", "equivariant", "expander", "general", "knowledge_attention",
                                       "transformer_edges", "typed_edges", "joined_graphs", "joined_matrices", "side_by_side", "steps_of_lstm"};
    for (const auto& [folder, name, expect, roles] : test::rightModels()) {
        if (!roles.empty() || !(always.contains(name) || test::hasTime()))
            continue;
        const DataGraph graph = test::zooGraph(name);
        const Model model = test::openBeside(graph, test::zooFile(name), {{}, false});
        Profile profile;
        EXPECT_EQ(test::errorOf([&] { profile = GraphMeasure(model, graph).profile(16); }), "") << name;
        EXPECT_FALSE(profile.opSeconds.empty()) << name;
    }
}

TEST(PlanProfile, NeedsAGraphThatFits)
{
    DataGraph bare = cora();
    bare.arrays.erase("x");
    EXPECT_THAT(test::errorOf([&] { profilePlan(planned("gcn", Planner::MessageDegree), bare); }), HasSubstr("x"));
}

}  // namespace
}  // namespace cleave
