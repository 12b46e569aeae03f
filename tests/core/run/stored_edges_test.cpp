// Rows of edges, and others that edges are reduced into, that are computed and stored as those of nodes are.
#include <gmock/gmock.h>

#include "core/analysis/shape_text.h"
#include "core/base/memory_bound.h"
#include "core/run/rewrite_worth.h"
#include "core/run/run.h"
#include "tests/core/run/zoo_files.h"

namespace cleave {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Model opened(const std::string& name, const std::set<Rewrite>& rewrites = {})
{
    return test::openZoo(name, {{}, false, rewrites});
}

// Name and size of each type.
std::vector<std::string> typesOf(const Model& model)
{
    std::vector<std::string> types;
    for (int type = 0; type < model.analysis->types(); ++type)
        types.push_back(model.analysis->nodeTypes[static_cast<std::size_t>(type)].name + ": " + nodesText(*model.analysis, type));
    return types;
}

// What reading the graph and running it says of entry `at` of an array that is `value`.
std::string refusalWith(const Model& model, const std::string& name, const std::string& array, std::int64_t at, std::int64_t value)
{
    DataGraph graph = test::zooGraph(name);
    const Array& given = graph.arrays.at(array);
    NewArray changed = makeArray(DType::Int64, given.shape);
    std::copy_n(given.data.get(), given.bytes(), changed.data);
    reinterpret_cast<std::int64_t*>(changed.data)[at] = value;
    graph.arrays[array] = changed.array;
    return test::errorOf([&] { runLayerWise(model, graph, {}); });
}

TEST(StoredEdges, AreATypeWhereEdgesAreReducedIntoThem)
{
    const Model model = opened("triplets");
    EXPECT_THAT(typesOf(model), ElementsAre("nodes: V nodes", "edges: M"));
    EXPECT_EQ(model.analysis->storedEdges, 0) << "not by a rewrite";
    EXPECT_THAT(model.analysis->program.notes, testing::Contains(HasSubstr("since edges are reduced into them, or ops need all of them: edges (M).")));
}

TEST(StoredEdges, OtherRowsThatInputsCountAreTypes)
{
    EXPECT_THAT(typesOf(opened("virtual_rows")), ElementsAre("nodes: V nodes", "V + 2: V + 2"));
    EXPECT_THAT(typesOf(opened("relation_slots")), ElementsAre("nodes: V nodes", "3·V: 3·V"));
    EXPECT_EQ(opened("edges_of_graphs").analysis->types(), 2) << "graphs, not edges";
    EXPECT_THAT(typesOf(opened("edge_total")), ElementsAre("nodes: V nodes", "edges: M"));
    EXPECT_THAT(typesOf(opened("gat")), ElementsAre("nodes: V"));
}

TEST(StoredEdges, MessagesOfLayersAreNot)
{
    const Model model = opened("link_loss");
    const Analysis& analysis = *model.analysis;
    EXPECT_EQ(analysis.types(), 3) << "nodes, edges and pairs";
    int messages = 0, stored = 0;
    for (std::size_t i = 0; i < analysis.program.ops.size(); ++i)
        if (analysis.ops[OpId{static_cast<int>(i)}].kind == OpKind::Gather)
            ++(analysis.values[analysis.program.ops[i].outputs.front()].rows == Rows::Edges ? messages : stored);
    EXPECT_EQ(messages, 2) << "of one layer each";
    EXPECT_EQ(stored, 4) << "ends of the pairs that are compared";
    for (const CutFunction& function : model.cut->functions) {
        if (function.nodeType != 0 || function.isGlobal)
            continue;
        for (const ValueId read : function.reads)
            EXPECT_EQ(analysis.values[read].nodeType, 0) << functionName(function);
    }
}

// Attention over edges whose features are stored is one function for each layer, which reads these and keeps no scores.
TEST(StoredEdges, AreReadByMessages)
{
    const Model model = opened("edge_updates");
    const Analysis& analysis = *model.analysis;
    EXPECT_THAT(typesOf(model), ElementsAre("nodes: V nodes", "edges: M"));
    for (std::size_t i = 0; i < analysis.program.ops.size(); ++i)
        if (const OpId op{static_cast<int>(i)}; analysis.ops[op].kind == OpKind::Scatter)
            forEachOperand(analysis.program[op], [&](ValueId operand) {
                EXPECT_FALSE(analysis.values[operand].rows == Rows::Nodes && analysis.values[operand].nodeType == 1)
                    << analysis.program[operand].name;
            });
    const auto reducing =
        std::ranges::count_if(model.cut->functions, [](const CutFunction& f) { return f.nodeType == 0 && !f.isGlobal && f.level > 0; });
    EXPECT_EQ(reducing, 3) << "layers";
}

TEST(StoredEdges, AreChosenWhereLayersWouldComputeThemAgain)
{
    EXPECT_EQ(opened("simulator").analysis->types(), 1);
    for (const char* name : {"simulator", "simulator_decomposed", "directed_messages"}) {
        const Model model = opened(name, {Rewrite::StoreEdges});
        EXPECT_EQ(model.analysis->storedEdges, 1) << name;
        EXPECT_EQ(model.analysis->rewrites.size(), 1U) << name;
        EXPECT_THAT(typesOf(model), ElementsAre("nodes: V nodes", "edges: M")) << name;
    }
    for (const char* name : {"gat", "gatv2", "pna", "gated_messages", "transformer_edges", "triplets"})
        EXPECT_EQ(opened(name, {Rewrite::StoreEdges}).analysis->storedEdges, 0) << name << ": arithmetic is cheaper than memory";
}

TEST(StoredEdges, IndicesMustNameRowsThatAreThere)
{
    const Model triplets = opened("triplets"), lines = opened("line_graph"), messages = opened("directed_messages", allRewrites());
    EXPECT_THAT(refusalWith(lines, "line_graph", "lg_edge_index", 3, 301), HasSubstr("'lg_edge_index' names")) << "edges are 0 to 300";
    EXPECT_EQ(refusalWith(lines, "line_graph", "lg_edge_index", 3, 300), "");
    for (const std::int64_t wrong : {std::int64_t{301}, std::int64_t{-1000}, std::int64_t{1} << 40}) {
        EXPECT_NE(refusalWith(triplets, "triplets", "idx_kj", 5, wrong), "") << wrong;
        EXPECT_NE(refusalWith(triplets, "triplets", "idx_ji", 5, wrong), "") << wrong;
        EXPECT_NE(refusalWith(messages, "directed_messages", "opposite", 5, wrong), "") << wrong;
    }
}

// LibTorch's own op reads wherever pointers point.
TEST(Pointers, GoFromZeroToAllRows)
{
    const Model neighbours = opened("pointers"), pooled = opened("pool_pointers");
    const std::int64_t nodes = test::zooGraph("pointers").numNodes;
    for (const std::int64_t wrong : {std::int64_t{-1}, std::int64_t{1} << 40, std::int64_t{1'000'000}}) {
        EXPECT_THAT(refusalWith(neighbours, "pointers", "rowptr", nodes, wrong), HasSubstr("'rowptr' must go from 0 to"));
        EXPECT_THAT(refusalWith(neighbours, "pointers", "rowptr", 7, wrong), HasSubstr("'rowptr' must go from 0 to"));
        EXPECT_THAT(refusalWith(pooled, "pool_pointers", "ptr", 1, wrong), HasSubstr("'ptr' must go from 0 to"));
    }
    EXPECT_THAT(refusalWith(neighbours, "pointers", "rowptr", 0, 1), HasSubstr("'rowptr' must go from 0 to"));
    EXPECT_THAT(refusalWith(neighbours, "pointers", "col", 3, nodes), HasSubstr("'col' names"));
    EXPECT_EQ(refusalWith(neighbours, "pointers", "col", 3, nodes - 1), "");
}

// The program takes for granted that two computed indices are as long; a graph may say otherwise.
TEST(StoredEdges, IndicesOfTheSameEdgesAreAsLong)
{
    const Model model = opened("quadruplets");
    DataGraph graph = test::zooGraph("quadruplets");
    EXPECT_EQ(test::errorOf([&] { runLayerWise(model, graph, {}); }), "");
    NewArray few = makeArray(DType::Int64, {211});
    std::fill_n(few.data, few.array.bytes(), std::byte{0});
    reinterpret_cast<std::int64_t*>(few.data)[7] = 1;
    graph.arrays["counts_from"] = few.array;
    EXPECT_THAT(test::errorOf([&] { runLayerWise(model, graph, {}); }), HasSubstr("has 1 entries, but edges are reduced at the"));
}

TEST(StoredEdges, OrdersAndRandomFeaturesAreOfNodes)
{
    for (const char* name : {"simulator", "directed_messages", "triplets", "padded_messages"}) {
        const Model model = opened(name, allRewrites());
        DataGraph graph = test::zooGraph(name);
        const Array expected = runLayerWise(model, graph, {}).outputs[0].array;
        for (const NodeOrder order : {NodeOrder::Degree, NodeOrder::BreadthFirst}) {
            RunOptions options;
            options.order = order;
            options.batchSize = 7;
            const Array found = runLayerWise(model, graph, options).outputs[0].array;
            for (std::int64_t i = 0; i < expected.count(); ++i)
                ASSERT_NEAR(expected.as<float>()[i], found.as<float>()[i], 1e-4) << name << " " << i;
        }
    }
    DataGraph graph = test::zooGraph("simulator");
    graph.arrays.erase("x");
    RunOptions options;
    options.randomFeatures = true;
    EXPECT_EQ(runLayerWise(opened("simulator", allRewrites()), graph, options).outputs[0].array.shape[0], graph.numNodes) << "isolated nodes too";
}

TEST(StoredEdges, AreNoTargets)
{
    RunOptions options;
    options.targets = {0, 3};
    EXPECT_THAT(test::errorOf([&] { runLayerWise(opened("line_graph"), test::zooGraph("line_graph"), options); }), HasSubstr("Only nodes can be asked for"));
    EXPECT_THAT(test::errorOf([&] { runLayerWise(opened("class_token"), test::zooGraph("class_token"), options); }), HasSubstr("Only nodes can be asked for"));
    EXPECT_EQ(runLayerWise(opened("triplets"), test::zooGraph("triplets"), options).outputs[0].array.shape[0], 2);
}

// What does not fit into memory is computed where it is needed; the answers stay.
TEST(StoredEdges, AreLeftOutWhereTheyDoNotFit)
{
    const Model model = opened("simulator", allRewrites());
    const DataGraph graph = test::zooGraph("simulator");
    RunOptions options;
    options.batchSize = 2;  // so that stored rows are most of it
    EXPECT_EQ(programFor(model, graph, usualPlanner(), options, Weighing::WhereShort).model.analysis->storedEdges, 1);
    const double stored = planFor(model, graph, usualPlanner(), options).planned.cost.peakBytes();
    const double again = planFor(opened("simulator"), graph, usualPlanner(), options).planned.cost.peakBytes();
    EXPECT_LT(again, stored);
    EXPECT_EQ(programFor(model, graph, usualPlanner(), options, Weighing::Never, {}, stored - 1).model.analysis->storedEdges, 1) << "asked for";
    const ProgramForGraph chosen = programFor(model, graph, usualPlanner(), options, Weighing::WhereShort, {}, stored - 1);
    EXPECT_EQ(chosen.leftOut, (std::vector{std::pair{Rewrite::StoreEdges, 0.0}}));
    const Model& other = chosen.model;
    EXPECT_EQ(other.analysis->storedEdges, 0);
    const std::vector<NamedArray> with = runLayerWise(model, graph, {}).outputs, without = runLayerWise(other, graph, {}).outputs;
    ASSERT_EQ(with.size(), without.size());
    for (std::int64_t i = 0; i < with[0].array.count(); ++i)
        ASSERT_NEAR(with[0].array.as<float>()[i], without[0].array.as<float>()[i], 1e-4) << i;
}

}  // namespace
}  // namespace cleave
