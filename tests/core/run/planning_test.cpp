// Plans made and priced on real graphs: the batch size that memory allows, the peak that is measured, orders, golden plans.
#include "core/run/planning.h"

#include <gmock/gmock.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>

#include "core/base/memory_bound.h"
#include "core/graph/order.h"
#include "core/plan/plan_file.h"
#include "core/run/calibrate.h"
#include "tests/core/run/zoo_files.h"
#include "tests/core/run/zoo_models.h"

namespace cleave {
namespace {

using test::cora;
using testing::HasSubstr;

// Batches one by one, so that peaks do not depend on the number of processors.
RunOptions oneByOne()
{
    RunOptions options;
    options.batchesAtOnce = 1;
    return options;
}

class PlanningOn : public testing::TestWithParam<const char*> {
protected:
    Model m_model = openModel(test::examplesDir() / (std::string(GetParam()) + ".pt2"), {{}, false});
    Planning m_planning{m_model, cora(), oneByOne(), Rates{}};
};

TEST_P(PlanningOn, BatchSizeIsTheLargestThatFits)
{
    PlanningRequest request;
    request.batchSize = 256;
    const double peak = m_planning.make(Planner::Optimal, request).planned.cost.peakBytes();
    request = {};
    request.memoryBytes = peak * 1.001;
    for (const Planner planner : {Planner::MessageDegree, Planner::Greedy, Planner::Optimal}) {
        const PricedPlan fits = m_planning.make(planner, request);
        EXPECT_LE(fits.planned.cost.peakBytes(), request.memoryBytes);
        EXPECT_GE(fits.batchSize, planner == Planner::Optimal ? 240 : 128);
        if (fits.batchSize < cora().numNodes) {
            PlanningRequest larger;
            larger.batchSize = std::min(fits.batchSize + fits.batchSize / 8, cora().numNodes);
            EXPECT_GT(m_planning.make(planner, larger).planned.cost.peakBytes(), request.memoryBytes);
        }
    }
    request.memoryBytes = 1000;
    EXPECT_THAT(test::errorOf([&] { m_planning.make(Planner::Optimal, request); }), HasSubstr("does not fit into 1"));
    request.batchSize = 64;
    EXPECT_THAT(test::errorOf([&] { m_planning.make(Planner::Optimal, request); }), HasSubstr("in batches of 64"));
}

// What the model says of the peak is what the allocator sees, within a tenth.
TEST_P(PlanningOn, PeakIsTheMeasuredOne)
{
    for (const std::int64_t batchSize : {64, 500, 2708})
        for (const Planner planner : {Planner::MessageDegree, Planner::Optimal, Planner::NodeWise}) {
            PlanningRequest request;
            request.batchSize = batchSize;
            const PricedPlan plan = m_planning.make(planner, request);
            RunOptions options = oneByOne();
            options.batchSize = batchSize;
            const Model cut{m_model.analysis, std::make_shared<CutProgram>(m_planning.space().cut(plan.planned.plan, plan.planned.cost.copied))};
            const double measured = runLayerWise(cut, cora(), options).peakBytes, predicted = plan.planned.cost.peakBytes();
            EXPECT_NEAR(predicted, measured, 0.1 * measured) << plan.name << " in batches of " << batchSize;
        }
}

// Also of some of the nodes, and where save points are kept otherwise.
TEST_P(PlanningOn, PeakOfARunIsPredicted)
{
    const test::TemporaryFolder folder;
    RunOptions few = oneByOne(), fewest = oneByOne(), narrow = oneByOne(), inFiles = oneByOne(), breadthFirst = oneByOne();
    for (std::int64_t node = 1; node < 2708; node += 3)
        few.targets.push_back(node);
    fewest.targets = {0, 1, 2};
    narrow.narrowStore = true;
    breadthFirst.order = NodeOrder::BreadthFirst;
    inFiles.store = folder.path() / "store";
    PlanningRequest request;
    for (RunOptions* options : {&few, &fewest, &narrow, &inFiles, &breadthFirst})
        for (const std::int64_t batchSize : {300, 2708}) {
            options->batchSize = request.batchSize = batchSize;
            const Plan plan = m_planning.make(Planner::MessageDegree, request).planned.plan;
            std::filesystem::remove_all(inFiles.store);
            const RunResult result = runLayerWise(m_model, cora(), *options);
            const Prediction predicted = predict(m_model, plan, cora(), *options, result);
            ASSERT_EQ(predicted.peakBytes.size(), result.functions.size()) << predicted.rates;
            EXPECT_NEAR(predicted.mostBytes(), result.peakBytes, 0.1 * result.peakBytes) << "in batches of " << batchSize;
            for (std::size_t f = 0; f < result.functions.size(); ++f)
                EXPECT_NEAR(predicted.peakBytes[f], result.functions[f].peakBytes, 0.1 * result.peakBytes) << "function " << f;
        }
}

// What the run before has kept takes neither time nor memory.
TEST_P(PlanningOn, OfAResumedRunTheRestIsPredicted)
{
    const test::TemporaryFolder folder;
    RunOptions options = oneByOne();
    options.batchSize = 500;
    options.store = folder.path() / "store";
    PlanningRequest request;
    request.batchSize = 500;
    const Plan plan = m_planning.make(Planner::MessageDegree, request).planned.plan;
    EXPECT_GT(predict(m_model, plan, cora(), options, runLayerWise(m_model, cora(), options)).seconds.front(), 0);
    options.resume = true;
    const RunResult rest = runLayerWise(m_model, cora(), options);
    const Prediction predicted = predict(m_model, plan, cora(), options, rest);
    ASSERT_EQ(predicted.seconds.size(), rest.functions.size());
    for (std::size_t f = 0; f < rest.functions.size(); ++f) {
        EXPECT_TRUE(rest.functions[f].wasKept);
        EXPECT_EQ(predicted.seconds[f], 0);
        EXPECT_EQ(predicted.peakBytes[f], 0);
    }
    EXPECT_NEAR(predicted.mostBytes(), rest.peakBytes, 0.1 * rest.peakBytes);
}

// Batches that run at once need their memory at the same time, at worst.
TEST_P(PlanningOn, PeakOfBatchesAtOnceIsAnUpperBound)
{
    RunOptions options;
    options.batchesAtOnce = 3;
    options.batchSize = 100;
    Planning planning(m_model, cora(), options, Rates{});
    PlanningRequest request;
    request.batchSize = 100;
    const PricedPlan plan = planning.make(Planner::MessageDegree, request);
    const double measured = runLayerWise(m_model, cora(), options).peakBytes, predicted = plan.planned.cost.peakBytes();
    EXPECT_GT(predicted, measured * 0.9);
    EXPECT_LT(predicted, measured * 3.1);
}

TEST_P(PlanningOn, OrdersAreRunAndPriced)
{
    RunOptions natural;
    natural.batchSize = 300;
    const RunResult expected = runLayerWise(m_model, cora(), natural);
    for (const NodeOrder order : {NodeOrder::Degree, NodeOrder::BreadthFirst, NodeOrder::Metis}) {
        RunOptions options = natural;
        options.order = order;
        const RunResult result = runLayerWise(m_model, cora(), options);
        ASSERT_EQ(result.outputs.size(), expected.outputs.size());
        const Array &a = result.outputs.front().array, &b = expected.outputs.front().array;
        for (std::int64_t i = 0; i < b.count(); ++i)
            ASSERT_NEAR(a.as<float>()[i], b.as<float>()[i], 1e-4 * (1 + std::abs(b.as<float>()[i]))) << orderName(order);
        PlanningRequest request;
        request.batchSize = 300;
        request.order = order;
        const PricedPlan plan = m_planning.make(Planner::MessageDegree, request);
        double counted = 0, targets = 0;
        for (const FunctionRun& f : result.functions)
            if (f.edges > 0) {
                counted += static_cast<double>(f.blockNodes);
                targets += static_cast<double>(f.rows);
            }
        EXPECT_NEAR(plan.counts.inflation(), counted / targets, 1e-9) << orderName(order);
    }
    double least = 1e9, naturally = 0;
    for (const auto& [order, inflation] : m_planning.inflations(300)) {
        EXPECT_GE(inflation, 1);
        (order == NodeOrder::Natural ? naturally : least) = order == NodeOrder::Natural ? inflation : std::min(least, inflation);
    }
    EXPECT_LT(least, naturally) << "clusters of a citation graph have fewer neighbours than papers in any order";
}

TEST_P(PlanningOn, MeasuredOpsPredictAndAreKeptApart)
{
    EXPECT_TRUE(m_planning.profile().empty());
    m_planning.measureOps(1000);
    EXPECT_GT(m_planning.profile().opSeconds.size(), 5U);
    for (const auto& [op, seconds] : m_planning.profile().opSeconds) {
        EXPECT_GE(seconds, 0);
        EXPECT_LT(seconds, 1e-3) << m_model.program()[op].name;
    }
}

// Plans for fixed rates, as they were reviewed: a change of the planners shows here.
TEST_P(PlanningOn, GoldenPlans)
{
    const test::TemporaryFolder folder;
    PlanningRequest request;
    request.batchSize = 256;
    const PricedPlan plan = m_planning.make(Planner::Optimal, request);
    writePlan(folder / "plan.json", m_planning.space(), {plan.planned.plan, 256, NodeOrder::Natural, plan.planned.cost.copied, {}},
              RecordedCost{plan.name, "cora", plan.planned.cost, plan.counts, Rates{}, false, plan.planned.bound});
    nlohmann::json found = nlohmann::json::parse(test::readText(folder / "plan.json"));
    found.erase("execution");
    const std::filesystem::path golden = test::testDir() / "golden" / (std::string(GetParam()) + ".json");
    if (std::getenv("CLEAVE_UPDATE_GOLDEN"))
        test::writeText(golden, found.dump(1) + "\n");
    const nlohmann::json expected = nlohmann::json::parse(test::readText(golden));
    EXPECT_EQ(found["functions"], expected["functions"]);
    for (const char* number : {"seconds", "read_bytes", "written_bytes", "flops", "peak_bytes", "inflation"})
        EXPECT_NEAR(found["cost"][number].get<double>(), expected["cost"][number].get<double>(), 1e-9 * expected["cost"][number].get<double>())
            << number;
}

INSTANTIATE_TEST_SUITE_P(Examples, PlanningOn, testing::Values("gcn", "sage", "gat", "jk"), [](const auto& name) { return std::string(name.param); });

// Global ops, types, edge outputs: whatever is in a program, the solver's plan is legal and no worse than the others.
class PlanningOfZoo : public testing::TestWithParam<int> {};

TEST_P(PlanningOfZoo, OptimalIsLegalAndNoWorseForAnyRates)
{
    constexpr int parts = 8;
    int number = 0;
    for (const auto& [folder, name, expect, roles] : test::rightModels()) {
        if (number++ % parts != GetParam())
            continue;
        OpenOptions options{roles, false, {}};
        std::mt19937 random(static_cast<unsigned>(std::hash<std::string>{}(name)));
        options.rewrites = random() % 2 ? allRewrites() : std::set<Rewrite>{};
        const Model model = openModel(test::testDir() / "models/zoo" / (name + ".pt2"), options);
        std::lognormal_distribution<double> factor(0, 1.5);
        for (int round = 0; round < 20; ++round) {
            Rates rates;
            for (double* rate : {&rates.read, &rates.gather, &rates.write, &rates.elementwise, &rates.edges, &rates.edgeRows, &rates.gemm,
                                 &rates.slice, &rates.number, &rates.opSeconds})
                *rate *= factor(random);
            const std::int64_t nodes = std::int64_t{1} << (6 + random() % 12);
            Planning planning(model, nodes, nodes * static_cast<std::int64_t>(1 + random() % 30), rates);
            PlanningRequest request;
            request.batchSize = 1 + nodes / 7;
            const PricedPlan best = planning.make(Planner::Optimal, request);
            EXPECT_EQ(planning.space().whyIllegal(best.planned.plan), "") << name;
            for (const Planner planner : {Planner::MessageDegree, Planner::Greedy})
                EXPECT_LE(best.planned.cost.seconds(), planning.make(planner, request).planned.cost.seconds() * (1 + 1e-9)) << name;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Parts, PlanningOfZoo, testing::Range(0, 8));

// Going through the edges, here with a loop at each node, takes its time, once a layer, were their rows one number wide.
TEST(Predictions, CountEdgesBesideTheirBytes)
{
    constexpr std::int64_t nodes = 1000, edges = 50'000;
    const Model model = openZoo("gcn");
    PlanningRequest request;
    request.batchSize = nodes;
    const auto seconds = [&](const Rates& rates) {
        return Planning(model, nodes, edges, rates).make(Planner::MessageDegree, request).planned.cost.seconds();
    };
    Rates usual, slow;
    slow.edges /= 3;
    const double layers = model.analysis->degreeOf(model.analysis->levels);
    EXPECT_NEAR(seconds(slow) - seconds(usual), layers * static_cast<double>(edges + nodes) * (1 / slow.edges - 1 / usual.edges), 1e-9);
}

// SAGE saves less than the cut at message degree, which has a function more.
TEST(Predictions, NeedNoMoreOfTheGraphThanTheRunCounts)
{
    for (const char* name : {"sage_mean", "gcn", "gat", "typed_sage"}) {
        Model model = openZoo(name);
        const DataGraph graph = zooGraph(name);
        RunOptions options;
        options.batchSize = 13;
        const PlanSpace space(*model.analysis);
        const PricedPlan priced = planFor(model, graph, usualPlanner(), options);
        const Plan& plan = priced.planned.plan;
        model.cut = std::make_shared<CutProgram>(space.cut(plan, priced.planned.cost.copied));
        ASSERT_TRUE(isPredictedWithoutGraph(model, plan, options)) << name;
        const RunResult result = runLayerWise(model, graph, options);
        const Prediction prediction = predict(model, plan, DataGraph(), options, result);
        GraphMeasure measure(model, graph, options, {});
        const Prediction measured =
            predict(CostModel(space, measure.counts(13, NodeOrder::Natural, plan.joined, {}), readRates(ratesPath())), plan, *model.cut);
        ASSERT_EQ(prediction.seconds.size(), result.functions.size()) << name << ": " << prediction.rates;
        ASSERT_EQ(measured.seconds.size(), result.functions.size());
        for (std::size_t i = 0; i < prediction.seconds.size(); ++i)
            EXPECT_NEAR(prediction.seconds[i], measured.seconds[i], 1e-3 * measured.seconds[i]) << name << ", function " << i;
    }
}

TEST(Estimates, ComeNearTheCountsOfARandomGraph)
{
    const Model model = openModel(test::examplesDir() / "sage.pt2", {{}, false});
    Planning estimated(model, 2708, 10556, Rates{}), measured(model, cora(), {}, Rates{});
    PlanningRequest request;
    request.batchSize = 100;
    const PricedPlan a = estimated.make(Planner::MessageDegree, request), b = measured.make(Planner::MessageDegree, request);
    EXPECT_TRUE(a.counts.estimated);
    EXPECT_NEAR(a.counts.inflation(), b.counts.inflation(), 0.4 * b.counts.inflation());
    EXPECT_NEAR(a.planned.cost.flops(), b.planned.cost.flops(), 0.05 * b.planned.cost.flops());
    EXPECT_NE(test::errorOf([&] { Planning(model, 0, 1, Rates{}); }), "");
    EXPECT_NE(test::errorOf([&] { estimated.measureOps(); }), "");
}

TEST(Estimates, TakeTheNodesOfEachTypeAndTheEdgesOfEachRelation)
{
    const Model model = openZoo("typed_sage");
    const DataGraph graph = zooGraph("typed_sage");
    const PlanSpace space(*model.analysis);
    const PricedPlan priced = planFor(model, graph, Planner::MessageDegree, {});
    const GraphCounts counted = GraphMeasure(model, graph, {}, {}).counts(1 << 14, NodeOrder::Natural, {}, {});
    EXPECT_EQ(priced.counts.nodes, counted.nodes);
    ASSERT_EQ(priced.counts.functions.size(), counted.functions.size());
    for (std::size_t f = 0; f < counted.functions.size(); ++f)
        for (std::size_t i = 0; i < counted.functions[f].frames.size(); ++i)
            EXPECT_NEAR(priced.counts.functions[f].frames[i].total, counted.functions[f].frames[i].total, 1e-6)
                << "function " << f << ", frame " << i;
}

TEST(Estimates, SamplesOfALargeGraphSayTheirError)
{
    // 1.2 million edges: counted from samples.
    const std::int64_t nodes = 30000, edges = 1200000;
    DataGraph graph;
    graph.name = "large";
    graph.numNodes = nodes;
    graph.numEdges = edges;
    NewArray x = makeArray(DType::Float32, {nodes, 1433}), index = makeArray(DType::Int64, {2, edges});
    std::fill_n(reinterpret_cast<float*>(x.data), nodes * 1433, 0.0F);
    auto* ends = reinterpret_cast<std::int64_t*>(index.data);
    for (std::int64_t e = 0; e < edges; ++e) {
        ends[e] = (e * 7919) % nodes;
        ends[edges + e] = (e * e + e) % nodes;
    }
    graph.arrays = {{"x", x.array}, {"edge_index", index.array}};
    const Model model = openModel(test::examplesDir() / "sage.pt2", {{}, false});
    GraphMeasure measure(model, graph);
    const GraphCounts counts = measure.counts(100);
    EXPECT_GT(counts.error, 0);
    EXPECT_LT(counts.error, 0.1);
    RunOptions options;
    options.batchSize = 100;
    const RunResult run = runLayerWise(model, graph, options);
    double counted = 0;
    for (const FunctionRun& f : run.functions)
        counted += f.edges > 0 ? static_cast<double>(f.blockNodes) / static_cast<double>(f.rows) / 2 : 0;
    EXPECT_NEAR(counts.inflation(), counted, 4 * counts.error * counted + 1e-9);
}

TEST(NodeOrders, AreWhatTheySay)
{
    // A path 0-1-2-3 and a star around 4.
    const std::vector<std::int64_t> from{0, 1, 2, 4, 4, 4, 4, 5}, to{1, 2, 3, 5, 6, 7, 4, 4};
    const auto ordered = [&](NodeOrder order) { return orderNodes(order, 9, from, to, 4); };
    EXPECT_TRUE(ordered(NodeOrder::Natural).empty());
    EXPECT_EQ(ordered(NodeOrder::Degree).front(), 4);
    EXPECT_EQ(ordered(NodeOrder::Degree).back(), 8);
    const std::vector<std::int64_t> bfs = ordered(NodeOrder::BreadthFirst);
    EXPECT_EQ(std::vector<std::int64_t>(bfs.begin(), bfs.begin() + 4), (std::vector<std::int64_t>{4, 5, 6, 7}));
    for (const NodeOrder order : {NodeOrder::Degree, NodeOrder::BreadthFirst, NodeOrder::Metis}) {
        std::vector<std::int64_t> sorted = ordered(order), all(9);
        std::iota(all.begin(), all.end(), 0);
        std::ranges::sort(sorted);
        EXPECT_EQ(sorted, all);
        NodeOrder again{};
        EXPECT_TRUE(orderFromName(orderName(order), again));
        EXPECT_EQ(again, order);
    }
    EXPECT_TRUE(orderNodes(NodeOrder::Metis, 0, {}, {}, 4).empty());
    EXPECT_EQ(orderNodes(NodeOrder::Metis, 9, from, to, std::numeric_limits<std::int64_t>::max()), orderNodes(NodeOrder::Metis, 9, from, to, 9));
    EXPECT_EQ(test::errorOf([&] { orderNodes(NodeOrder::Degree, 0, from, to, 4); }), "An edge leads to node 0, but there are none.");
    EXPECT_THAT(test::errorOf([&] { orderNodes(NodeOrder::Degree, 3, from, to, 4); }), HasSubstr("node"));
}

TEST(NodeOrders, MetisIsRefusedWhereMemoryIsBound)
{
    constexpr std::int64_t nodes = 50'000, edges = 1'000'000;
    std::mt19937 random(2);
    std::vector<std::int64_t> from(edges), to(edges);
    for (auto* ends : {&from, &to})
        std::ranges::generate(*ends, [&] { return static_cast<std::int64_t>(random() % nodes); });
    const test::TemporaryFolder folder;
    const MemoryBound bound(std::size_t{64} << 20, folder.path());
    const std::string refusal = test::errorOf([&] { orderNodes(NodeOrder::Metis, nodes, from, to, 1000); });
    EXPECT_TRUE(refusal.starts_with("Ordering 50,000 nodes by METIS needs about ")) << refusal;
    EXPECT_THAT(refusal, HasSubstr("more than the 67.1 MB that it may take; choose another node order."));
    EXPECT_EQ(orderNodes(NodeOrder::BreadthFirst, nodes, from, to, 1000).size(), static_cast<std::size_t>(nodes));
    EXPECT_EQ(orderNodes(NodeOrder::Metis, 1000, std::span(from).first(0), std::span(to).first(0), 100).size(), 1000U) << "few enough";
}

TEST(RatesFile, IsReadAsItWasWritten)
{
    const test::TemporaryFolder folder;
    const std::filesystem::path path = folder / "cleave/rates.json";
    EXPECT_EQ(readRates(path), Rates{}) << "assumed where nothing was measured";
    Rates rates;
    rates.source = "measured";
    rates.gemm = 1.25e11;
    writeRates(path, rates);
    EXPECT_EQ(readRates(path), rates);
    Rates withDevice = rates;
    withDevice.devices["cuda"] = {"measured", 1e10, 2e10, 3e12, 4e12, 5e13, 6e-6};
    writeRates(path, withDevice);
    EXPECT_EQ(readRates(path), withDevice);
    EXPECT_EQ(readRates(path).of("cuda").gemm, 5e13);
    EXPECT_EQ(readRates(path).of("cuda:1"), DeviceRates()) << "assumed where it was not measured";
    writeRates(path, rates);
    EXPECT_EQ(readRates(path), withDevice) << "the processor measured anew: what is known of devices stays";
    std::filesystem::remove(path);
    writeRates(path, rates);
    for (const char* text : {"", "{}", "[1]", R"({"source": "x"})"}) {
        test::writeText(path, text);
        EXPECT_NE(test::errorOf([&] { readRates(path); }), "") << text;
    }
    std::string zero = test::readText(path);
    writeRates(path, rates);
    zero = test::readText(path);
    zero.replace(zero.find("125000000000"), 12, "0");
    test::writeText(path, zero);
    EXPECT_THAT(test::errorOf([&] { readRates(path); }), HasSubstr("must be above 0"));
}

}  // namespace
}  // namespace cleave
