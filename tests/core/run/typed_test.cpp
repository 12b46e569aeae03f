// Nodes of several types: a function for each message degree and type, rows of other types straight from the store.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <set>

#include "core/plan/plan_space.h"
#include "core/plan/planner.h"
#include "core/run/measure.h"
#include "core/run/planning.h"
#include "tests/core/run/fake_device.h"
#include "tests/core/run/zoo_files.h"

namespace cleave {
namespace {

using test::zooGraph;
using testing::ElementsAre;
using testing::HasSubstr;

Model unchecked(const std::string& name, std::map<std::string, Role> roles = {})
{
    return test::openZoo(name, {std::move(roles), false});
}

std::vector<std::string> typeNames(const Model& model)
{
    std::vector<std::string> names;
    for (const NodeType& type : model.analysis->nodeTypes)
        names.push_back(type.name);
    return names;
}

// Message degree and node type of each function.
std::vector<std::pair<int, int>> functionsOf(const Model& model)
{
    std::vector<std::pair<int, int>> functions;
    for (const CutFunction& f : model.cut->functions)
        functions.emplace_back(model.analysis->degreeOf(f.level), f.isGlobal ? -1 : f.nodeType);
    return functions;
}

Array edges(const std::vector<std::int64_t>& sources, const std::vector<std::int64_t>& targets)
{
    NewArray array = makeArray(DType::Int64, {2, static_cast<std::int64_t>(sources.size())});
    std::memcpy(array.data, sources.data(), 8 * sources.size());
    std::memcpy(array.data + 8 * sources.size(), targets.data(), 8 * targets.size());
    return array.array;
}

TEST(NodeTypes, HaveFunctionsOfTheirOwn)
{
    const Model model = unchecked("typed_sage");
    EXPECT_THAT(typeNames(model), ElementsAre("paper", "author", "subject"));
    // What the output does not need of the last layer is not there.
    EXPECT_THAT(functionsOf(model),
                ElementsAre(std::pair(0, 0), std::pair(0, 1), std::pair(0, 2), std::pair(1, 0), std::pair(1, 1), std::pair(1, 2), std::pair(2, 0)));
    EXPECT_EQ(model.cut->functions[3].segments().size(), 3U) << "written, of, cites";
    for (const CutFunction& f : model.cut->functions)
        for (const Frame& frame : f.frames)
            EXPECT_NE(frame.kind, FrameKind::Block) << "rows of other types are read from the store";
}

TEST(NodeTypes, AfterEachOtherAreAType)
{
    const Model model = unchecked("recommender");
    EXPECT_THAT(typeNames(model), ElementsAre("user", "item", "user + item"));
    EXPECT_EQ(functionsOf(model).back(), std::pair(4, -1)) << "taken apart at the end";
}

TEST(NodeTypes, AreNamedByTheirFeatures)
{
    EXPECT_THAT(typeNames(unchecked("typed_embedding", {{"author.weight", Role::NodeFeatures}})), ElementsAre("paper", "subject", "author"));
    EXPECT_THAT(typeNames(unchecked("bipartite")), ElementsAre("user", "item"));
    EXPECT_THAT(typeNames(unchecked("gcn")), ElementsAre("nodes"));
}

TEST(NodeTypes, EdgesNameNodesThatAreThere)
{
    const Model model = unchecked("bipartite");
    DataGraph graph = zooGraph("bipartite");
    graph.arrays["ratings"] = edges({0, 39}, {22, 0});
    EXPECT_TRUE(verify(model, graph, {}).equal());
    graph.arrays["ratings"] = edges({0, 39}, {23, 0});
    EXPECT_THAT(test::errorOf([&] { runLayerWise(model, graph, {}); }), HasSubstr("'ratings' names node 23, but the graph has nodes 0 to 22"));
    graph.arrays["ratings"] = edges({40, 0}, {0, 0});
    EXPECT_THAT(test::errorOf([&] { runLayerWise(model, graph, {}); }), HasSubstr("names node 40, but the graph has nodes 0 to 39"));
}

TEST(NodeTypes, WithoutEdgesOrNodes)
{
    const Model model = unchecked("bipartite");
    DataGraph graph = zooGraph("bipartite");
    graph.arrays["ratings"] = edges({}, {});
    EXPECT_TRUE(verify(model, graph, {}).equal());
    const Model sage = unchecked("to_hetero");
    DataGraph papers = zooGraph("to_hetero");
    for (auto& [name, array] : papers.arrays)
        if (name == "x_subject")
            array = makeArray(DType::Float32, {0, 5}).array;
        else if (name.find("subject") != std::string::npos)
            array = edges({}, {});
    const RunResult result = runLayerWise(sage, papers, {});
    EXPECT_EQ(result.outputs.at(2).array.shape, (std::vector<std::int64_t>{0, 4}));
    EXPECT_TRUE(verify(sage, papers, {}).equal());
}

// Exporters write keys of dictionaries in their own way.
TEST(NodeTypes, ArraysAreFoundByTheWordsOfTheirNames)
{
    const Model model = unchecked("typed_sage");
    DataGraph graph = zooGraph("typed_sage");
    const auto rename = [&](const std::string& from, const std::string& to) {
        graph.arrays[to] = graph.arrays.at(from);
        graph.arrays.erase(from);
    };
    rename("x_paper", "paper.x");
    rename("edge_index_author_writes_paper", "author__writes__paper.edge_index");
    EXPECT_TRUE(verify(model, graph, {}).equal());
    graph.arrays["x_dict_author"] = graph.arrays.at("x_author");  // the very name comes first
    EXPECT_TRUE(verify(model, graph, {}).equal());
    graph.arrays["paper/x"] = graph.arrays.at("paper.x");
    EXPECT_THAT(test::errorOf([&] { runLayerWise(model, graph, {}); }), HasSubstr("has no array 'x_dict_paper'")) << "which of the two?";
}

TEST(NodeTypes, RandomFeaturesFitTheEdges)
{
    const Model model = unchecked("bipartite");
    DataGraph graph = zooGraph("bipartite");
    graph.arrays.erase("x_item");
    VerifyOptions options;
    options.run.randomFeatures = true;
    const VerifyResult result = verify(model, graph, options);
    EXPECT_TRUE(result.equal());
    EXPECT_THAT(result.layerWise.randomInputs, ElementsAre("x_item"));
}

TEST(NodeTypes, TargetsAreThoseOfTheOutputs)
{
    RunOptions options;
    options.targets = {0, 59};
    EXPECT_EQ(runLayerWise(unchecked("hgt"), zooGraph("hgt"), options).outputs.front().array.shape.front(), 2);
    EXPECT_THAT(test::errorOf([&] { runLayerWise(unchecked("to_hetero"), zooGraph("to_hetero"), options); }),
                HasSubstr("several types of nodes (paper, author, subject): say with --target-type"));
    options.targets = {40};
    EXPECT_THAT(test::errorOf([&] { runLayerWise(unchecked("bipartite"), zooGraph("bipartite"), options); }), HasSubstr("nodes 0 to 39"));
}

// Those of the others are left out, and so is what only they need.
TEST(NodeTypes, TargetsMayBeOfOneTypeOfSeveral)
{
    const Model model = unchecked("to_hetero");
    const DataGraph graph = zooGraph("to_hetero");
    const RunResult whole = runLayerWise(model, graph, {});
    RunOptions options;
    for (const std::string type : {"paper", "author"}) {
        options.targets = {4, 0, 4};
        options.targetType = type;
        EXPECT_EQ(outputsAsked(model, options), 1U);
        for (const RunResult& result : {runLayerWise(model, graph, options), runFullGraph(model, graph, options)})
            for (std::size_t o = 0; o < result.outputs.size(); ++o) {
                const Array& found = result.outputs[o].array;
                const ValueFacts& facts = model.analysis->values[model.program().outputs[o]];
                const bool isAsked = model.analysis->nodeTypes[static_cast<std::size_t>(facts.nodeType)].name == type;
                EXPECT_EQ(result.outputs[o].isAsked, isAsked);
                ASSERT_EQ(found.shape.front(), isAsked ? 3 : 0);
                for (std::int64_t c = 0; c < found.count(); ++c)
                    EXPECT_NEAR(found.as<float>()[c],
                                whole.outputs[o].array.as<float>()[options.targets[static_cast<std::size_t>(c / found.shape[1])] * found.shape[1] + c % found.shape[1]],
                                1e-5);
            }
        VerifyOptions verifying;
        verifying.run = options;
        for (const std::int64_t sample : {0, 2}) {
            verifying.sample = sample;
            const VerifyResult result = verify(model, graph, verifying);
            ASSERT_EQ(result.comparisons.size(), 1U) << "the other output is not asked for";
            EXPECT_TRUE(result.equal());
            EXPECT_EQ(result.comparisons.front().rows, sample == 0 ? 3 : 2);
        }
        const auto rowsComputed = [](const RunResult& result) {
            return std::accumulate(result.functions.begin(), result.functions.end(), std::int64_t{0},
                                   [](std::int64_t sum, const FunctionRun& run) { return sum + run.rows; });
        };
        EXPECT_LT(rowsComputed(runLayerWise(model, graph, options)), rowsComputed(whole));
    }
    options.targetType = "venue";
    EXPECT_THAT(test::errorOf([&] { runLayerWise(model, graph, options); }), HasSubstr("No output has rows of 'venue', but of paper, author"));
}

// Outputs with a row for each edge are left out, too, and so are the functions that only they need, whatever these read.
TEST(NodeTypes, TargetsMayBeNodesBesideEdges)
{
    const Model links = unchecked("with_edge_norms");
    const DataGraph linked = zooGraph("with_edge_norms");
    RunOptions few;
    few.targets = {2, 7};
    EXPECT_THAT(test::errorOf([&] { runLayerWise(links, linked, few); }),
                HasSubstr("has a row for each edge, or entry of a list: with --target-type nodes it is left out"));
    few.targetType = "nodes";
    const RunResult part = runLayerWise(links, linked, few), whole = runLayerWise(links, linked, {});
    for (std::size_t o = 0; o < part.outputs.size(); ++o)
        EXPECT_EQ(part.outputs[o].array.shape.front(), part.outputs[o].isAsked ? 2 : 0) << part.outputs[o].name;
    EXPECT_TRUE(std::ranges::any_of(part.outputs, [](const NamedArray& output) { return !output.isAsked; }));
    for (std::size_t f = 0; f < part.functions.size(); ++f)
        EXPECT_LE(part.functions[f].rows, whole.functions[f].rows);
    VerifyOptions fewVerified;
    fewVerified.run = few;
    EXPECT_TRUE(verify(links, linked, fewVerified).equal());

    const Model model = unchecked("beside_lists");
    std::set<std::string> known;
    for (const ValueId output : model.program().outputs)
        if (const ValueFacts& facts = model.analysis->values[output]; facts.rows == Rows::Nodes)
            known.insert(model.analysis->nodeTypes[static_cast<std::size_t>(facts.nodeType)].name);
    for (const std::string& type : known) {
        VerifyOptions options;
        options.run.targets = {3, 1};
        options.run.targetType = type;
        EXPECT_TRUE(verify(model, zooGraph("beside_lists"), options).equal()) << type;
    }
}

// A difference is reported, whatever rows the other outputs have.
TEST(NodeTypes, DifferencesAreToldBesideOutputsOfEdges)
{
    const Model model = unchecked("with_edge_norms");
    const DataGraph graph = zooGraph("with_edge_norms");
    const RunResult right = runLayerWise(model, graph, {});
    VerifyOptions options;
    const Array& found = right.outputs.front().array;
    NewArray wrong = makeArray(found.dtype, found.shape);
    std::memcpy(wrong.data, found.data.get(), found.bytes());
    reinterpret_cast<float*>(wrong.data)[3] += 1;
    options.expected["expected_0"] = wrong.array;
    const VerifyResult result = verify(model, graph, options);
    EXPECT_FALSE(result.equal());
}

// Which of both a store was made for is told by nodes, not by how their type was written.
TEST(NodeTypes, StoresOfTargetsAreTakenUpAgain)
{
    const Model model = unchecked("hgt");
    const DataGraph graph = zooGraph("hgt");
    const test::TemporaryFolder folder;
    RunOptions options;
    options.targets = {5, 1};
    options.store = folder / "store";
    const RunResult first = runLayerWise(model, graph, options);
    options.resume = true;
    options.targetType = "paper";
    const RunResult again = runLayerWise(model, graph, options);
    EXPECT_EQ(std::memcmp(first.outputs.front().array.data.get(), again.outputs.front().array.data.get(), first.outputs.front().array.bytes()), 0);
    options.targets = {5, 2};
    EXPECT_FALSE(test::errorOf([&] { runLayerWise(model, graph, options); }).empty());
}

// One user needs the items that he rated, their users, and all items for the mean.
TEST(NodeTypes, TargetsNeedFewRowsOfOtherTypes)
{
    const Model model = unchecked("typed_sage");
    RunOptions options;
    options.targets = {3};
    std::int64_t all = 0, some = 0;
    for (const FunctionRun& run : runLayerWise(model, zooGraph("typed_sage"), {}).functions)
        all += run.rows;
    const RunResult result = runLayerWise(model, zooGraph("typed_sage"), options);
    for (const FunctionRun& run : result.functions)
        some += run.rows;
    EXPECT_EQ(result.functions.back().rows, 1);
    EXPECT_LT(some, all / 2);
}

TEST(NodeTypes, PlansKeepOpsWithTheirNodes)
{
    const Model model = unchecked("typed_sage");
    const PlanSpace space(*model.analysis);
    const auto author = std::ranges::find_if(space.ops(), [&](const PlacedOp& op) { return op.nodeType == 1 && op.movable; });
    ASSERT_NE(author, space.ops().end());
    const Move move = space.moveOp(space.messageDegree(), author->op, Position::post(3));
    EXPECT_FALSE(move.plan);
    EXPECT_THAT(move.reason, HasSubstr("works on nodes of type 'author', and function 3 on nodes of type 'paper'"));
}

// All functions of a batch over blocks of each type, in one function where no global op comes between.
TEST(NodeTypes, NodeWisePlansNumberNodesOfEachType)
{
    for (const char* name : {"typed_sage", "hgt_by_relation", "typed_links", "to_hetero", "line_graph"}) {
        const Model model = unchecked(name);
        const DataGraph graph = zooGraph(name);
        Planning planning(model, graph, {}, {});
        for (const std::int64_t batchSize : {std::int64_t{5}, std::int64_t{100000}}) {
            PlanningRequest request;
            request.batchSize = batchSize;
            const PricedPlan plan = planning.make(Planner::NodeWise, request);
            EXPECT_FALSE(plan.planned.plan.joined.empty()) << name;
            EXPECT_EQ(plan.counts.inflation() > 1, batchSize == 5) << name << ": blocks of few targets reach further";
            const Model joined{model.analysis, std::make_shared<CutProgram>(planning.space().cut(plan.planned.plan))};
            std::set<int> types;
            for (const CutFunction& function : joined.cut->functions)
                for (const Frame& frame : function.frames)
                    if (frame.kind == FrameKind::Block)
                        types.insert(frame.nodeType);
            EXPECT_GT(types.size(), 1U) << name;
            VerifyOptions options;
            options.run.batchSize = batchSize;
            EXPECT_TRUE(verify(joined, graph, options).equal()) << name << " in batches of " << batchSize;
            options.run.order = NodeOrder::Degree;
            EXPECT_TRUE(verify(joined, graph, options).equal()) << name << " by degree in batches of " << batchSize;
            options.run.order = NodeOrder::Natural;
            nameDevice("fake", std::make_shared<test::FakeDevice>());
            options.run.device = "fake";
            const VerifyResult there = verify(joined, graph, options);
            EXPECT_TRUE(there.equal()) << name << " on a device in batches of " << batchSize;
            const bool savesSeveral = std::set<std::string_view>{"to_hetero", "typed_links", "line_graph"}.contains(name);
            EXPECT_EQ(there.layerWise.notices.empty(), !savesSeveral) << name << ": a device has targets of one type";
        }
    }
}

// Joined functions compute what is asked for, and what of other types that needs.
TEST(NodeTypes, NodeWisePlansComputeTargetsAlone)
{
    for (const char* name : {"typed_sage", "hgt_by_relation"}) {
        const Model model = unchecked(name);
        const PlanSpace space(*model.analysis);
        const Model joined{model.analysis, std::make_shared<CutProgram>(space.cut(joinedPlan(space)))};
        VerifyOptions options;
        options.run.batchSize = 2;
        options.run.targets = {17, 3, 4, 0, 29};
        EXPECT_TRUE(verify(joined, zooGraph(name), options).equal()) << name;
    }
}

// Where a joined function saves rows of several types, each batch has its share of the nodes of each, also if there are none of one.
TEST(NodeTypes, BatchesShareTheTargetsOfOtherTypes)
{
    const Model model = unchecked("to_hetero");
    const PlanSpace space(*model.analysis);
    const Model joined{model.analysis, std::make_shared<CutProgram>(space.cut(joinedPlan(space)))};
    const CutFunction& all = joined.cut->functions.back();
    EXPECT_THAT(std::vector({all.targetsOf(0), all.targetsOf(1)}), ElementsAre(testing::Ge(0), testing::Ge(0)));
    const DataGraph graph = zooGraph("to_hetero");
    const RunResult whole = runLayerWise(model, graph, {});
    for (const std::int64_t batchSize : {1, 7, 59}) {
        RunOptions options;
        options.batchSize = batchSize;
        const RunResult result = runLayerWise(joined, graph, options);
        EXPECT_EQ(result.functions.back().batches, (60 + batchSize - 1) / batchSize) << "of papers, of which there are most";
        for (std::size_t i = 0; i < whole.outputs.size(); ++i)
            EXPECT_EQ(result.outputs[i].array.shape, whole.outputs[i].array.shape);
        VerifyOptions verified;
        verified.run = options;
        EXPECT_TRUE(verify(joined, graph, verified).equal()) << batchSize;
    }
}

// Of a type with one node, or none, a batch that is not the first may have all rows there are.
TEST(NodeTypes, BatchesSideBySideShareFewRowsOfATypeToo)
{
    const Model model = unchecked("to_hetero");
    const PlanSpace space(*model.analysis);
    const Model joined{model.analysis, std::make_shared<CutProgram>(space.cut(joinedPlan(space)))};
    for (const std::int64_t subjects : {0, 1}) {
        DataGraph graph = zooGraph("to_hetero");
        for (auto& [name, array] : graph.arrays)
            if (name == "x_subject")
                array = makeArray(DType::Float32, {subjects, 5}).array;
            else if (name.find("subject") != std::string::npos)
                array = edges({}, {});
        VerifyOptions options;
        options.run.batchSize = 1;
        options.run.batchesAtOnce = 8;
        const VerifyResult result = verify(joined, graph, options);
        EXPECT_TRUE(result.equal()) << subjects;
        EXPECT_EQ(result.layerWise.functions.back().batches, 60);
    }
}

TEST(NodeTypes, OptimalPlansAreNoWorse)
{
    for (const char* name : {"typed_gat", "to_hetero_max", "hgt", "han", "recommender"}) {
        const Model model = unchecked(name);
        Planning planning(model, zooGraph(name), {}, {});
        PlanningRequest request;
        request.batchSize = 8;
        const double degree = planning.make(Planner::MessageDegree, request).planned.cost.seconds();
        const PricedPlan best = planning.make(Planner::Optimal, request);
        EXPECT_LE(best.planned.cost.seconds(), degree * (1 + 1e-9)) << name;
        EXPECT_EQ(test::errorOf([&] { checkCut(*model.analysis, planning.space().cut(best.planned.plan, best.planned.cost.copied)); }), "") << name;
    }
}

}  // namespace
}  // namespace cleave
