// Global ops: they wait for all nodes, between functions.
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/plan/planner.h"
#include "core/plan/plan_file.h"
#include "core/run/measure.h"
#include "tests/core/run/zoo_files.h"

namespace cleave {
namespace {

using test::zooFile;

OpId find(const Program& program, const std::string& name)
{
    const auto op = std::ranges::find(program.ops, name, &Op::name);
    EXPECT_NE(op, program.ops.end()) << name;
    return OpId{static_cast<int>(op - program.ops.begin())};
}

// Targets of the global ops that read rows of nodes, in program order.
std::vector<std::string> waiting(const Analysis& analysis)
{
    std::vector<std::string> targets;
    for (std::size_t i = 0; i < analysis.program.ops.size(); ++i)
        if (const OpId op{static_cast<int>(i)}; analysis.ops[op].kind == OpKind::Global && readsNodes(analysis, op))
            targets.push_back(analysis.program[op].target);
    return targets;
}

TEST(GlobalOps, RunInFunctionsOfTheirOwn)
{
    const Model model = openModel(zooFile("pool_every_layer.pt2"));
    EXPECT_EQ(waiting(*model.analysis), std::vector<std::string>(4, "aten::scatter_add"));
    // The sum over the features can be had at once; each layer's sum when the layer is done.
    EXPECT_EQ(barriers(*model.analysis), (std::set<int>{1, 2, 3, 4}));
    std::vector<std::pair<int, bool>> functions;
    for (const CutFunction& f : model.cut->functions)
        functions.emplace_back(f.level, f.isGlobal);
    EXPECT_EQ(functions,
              (std::vector<std::pair<int, bool>>{{0, false}, {1, true}, {1, false}, {2, true}, {2, false}, {3, true}, {3, false}, {4, true}}));
    EXPECT_TRUE(model.cut->functions.back().saves == model.program().outputs);
    EXPECT_THAT(model.program().notes, testing::Contains(testing::HasSubstr("Global ops, which run over all nodes at once")));
}

TEST(GlobalOps, AreWaitedFor)
{
    const Model model = openModel(zooFile("mean_subtraction.pt2"));
    const PlanSpace space(*model.analysis);
    const Program& program = model.program();
    const auto subtraction = std::ranges::find_if(space.ops(), [&](const PlacedOp& op) { return program[op.op].target == "aten::sub"; });
    ASSERT_NE(subtraction, space.ops().end());
    EXPECT_TRUE(subtraction->movable);
    const Move early = space.moveOp(space.messageDegree(), subtraction->op, Position::post(1));
    EXPECT_FALSE(early.plan);
    EXPECT_THAT(early.reason, testing::HasSubstr("finds out from all nodes"));
    Plan joined = space.messageDegree();
    joined.joined.insert(1);
    EXPECT_THAT(space.whyIllegal(joined), testing::HasSubstr("cannot be joined, since a global op waits for all nodes between them"));
    const Plan all = joinedPlan(space);
    EXPECT_EQ(space.whyIllegal(all), "");
    for (const int barrier : barriers(*model.analysis))
        EXPECT_FALSE(all.joined.contains(barrier - 1));
}

TEST(GlobalOps, SeeTheNodesInTheGraphsOrder)
{
    const Model model = openModel(test::testDir() / "models/adversarial/cumsum_over_nodes.pt2");
    const DataGraph graph = readGraph(test::testDir() / "models/adversarial/cumsum_over_nodes.npz");
    VerifyOptions options;
    options.run.order = NodeOrder::Degree;
    options.run.batchSize = 9;
    EXPECT_TRUE(verify(model, graph, options).equal());
}

// Rows of which only running the model tells how many there are: they are in the graph's order, too.
TEST(GlobalOps, TakeRowsAtAMaskAtOnce)
{
    for (const std::string name : {"loss_at_a_mask", "centred_at_a_mask", "attends_at_a_mask", "loss_of_edges_at_a_mask", "rows_that_features_choose",
                                   "clusters_of_features"}) {
        const Model model = openModel(test::testDir() / "models/adversarial" / (name + ".pt2"));
        const DataGraph graph = readGraph(test::testDir() / "models/adversarial" / (name + ".npz"));
        EXPECT_FALSE(waiting(*model.analysis).empty()) << name;
        EXPECT_GE(model.analysis->levels, 1) << name << ": messages are passed in functions before";
        VerifyOptions options;
        options.run.order = NodeOrder::Degree;
        options.run.batchSize = 9;
        EXPECT_TRUE(verify(model, graph, options).equal()) << name;
    }
}

TEST(GlobalOps, LeaveRowsAtAMaskInBatchesThatNothingNeedsAllOf)
{
    const Model model = openModel(test::testDir() / "models/adversarial/loss_at_a_mask.pt2");
    const std::vector<std::string> targets = waiting(*model.analysis);
    EXPECT_EQ(std::ranges::count(targets, "aten::index") + std::ranges::count(targets, "aten::index_select"), 2)
        << "the rows, and nothing before them";
    const Model kept = openModel(test::testDir() / "models/adversarial/filters_messages.pt2");
    EXPECT_TRUE(waiting(*kept.analysis).empty());
}

TEST(GlobalOps, NeedAllNodesWhateverIsAskedFor)
{
    const Model model = openModel(zooFile("pool_and_nodes.pt2"));
    const DataGraph graph = readGraph(zooFile("pool_and_nodes.npz"));
    VerifyOptions options;
    options.run.targets = {31, 2, 5};
    options.run.batchSize = 7;
    const VerifyResult result = verify(model, graph, options);
    EXPECT_TRUE(result.equal());
    EXPECT_EQ(result.layerWise.outputs[0].array.shape.front(), 3);
    EXPECT_EQ(result.layerWise.outputs[1].array.shape.front(), 4) << "one row for each graph";
    // After the pooling only what is asked for is computed.
    EXPECT_EQ(result.layerWise.functions[0].rows, 60);
    EXPECT_EQ(result.layerWise.functions.back().rows, 3);
}

TEST(GlobalOps, ArePriced)
{
    const Model model = openModel(zooFile("pool_mean.pt2"));
    const DataGraph graph = readGraph(zooFile("pool_mean.npz"));
    const PlanSpace space(*model.analysis);
    GraphMeasure measure(model, graph);
    const CostModel costs(space, measure.counts(7), {});
    for (const Planner planner : {Planner::MessageDegree, Planner::Greedy, Planner::Optimal}) {
        const Planned planned = makePlan(planner, costs);
        const auto global = std::ranges::find_if(planned.cost.functions, &FunctionCost::isGlobal);
        ASSERT_NE(global, planned.cost.functions.end());
        EXPECT_DOUBLE_EQ(global->read.bytes, 60 * 16 * 4);
        EXPECT_EQ(planned.cost.functions.size(), 5U) << "inputs, two layers, the pooling, and what might come after it";
        EXPECT_TRUE(planner != Planner::Optimal || planned.proven);
        // What the pooling reads is stored, and only until then.
        const ValueId pooled = model.program()[find(model.program(), "relu_1")].outputs.front();
        const auto stored = std::ranges::find(planned.cost.tensors, pooled, &TensorCost::tensor);
        ASSERT_NE(stored, planned.cost.tensors.end());
        EXPECT_DOUBLE_EQ(stored->write.bytes, 60 * 16 * 4);
    }
}

TEST(GlobalOps, AreInPlanFiles)
{
    const Model model = openModel(zooFile("graph_norm_batch.pt2"));
    const PlanSpace space(*model.analysis);
    StoredPlan stored;
    stored.plan = space.messageDegree();
    stored.batchSize = 7;
    const auto path = std::filesystem::temp_directory_path() / ("global-" + std::to_string(::getpid()) + ".cleave.json");
    writePlan(path, space, stored, {});
    EXPECT_EQ(readPlan(path, space).plan, stored.plan);
    const auto json = nlohmann::json::parse(test::readText(path));
    std::filesystem::remove(path);
    std::vector<std::string> global;
    for (const auto& function : json["functions"])
        if (function.contains("global"))
            for (const auto& op : function["global"])
                global.push_back(op["target"]);
    EXPECT_THAT(global, testing::Contains("aten::scatter_add"));
    EXPECT_EQ(std::ranges::count_if(json["execution"]["functions"], [](const auto& f) { return f.contains("global"); }),
              static_cast<std::ptrdiff_t>(barriers(*model.analysis).size()));
}

}  // namespace
}  // namespace cleave
