#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <set>

#include "core/graph/data_graph.h"
#include "core/graph/generate.h"
#include "core/graph/write_graph.h"
#include "core/graph/npy.h"
#include "tests/core/test_files.h"

namespace cleave {
namespace {

using test::errorOf;

template <class T>
Array arrayOf(DType dtype, std::vector<std::int64_t> shape, const std::vector<T>& values)
{
    NewArray array = makeArray(dtype, std::move(shape));
    std::memcpy(array.data, values.data(), values.size() * sizeof(T));
    return array.array;
}

Array numbers(std::vector<std::int64_t> shape, const std::vector<std::int64_t>& values)
{
    return arrayOf(DType::Int64, std::move(shape), values);
}

// Three nodes, two edges, one feature.
std::map<std::string, Array> tiny()
{
    return {{"edge_index", numbers({2, 2}, {0, 1, 1, 2})}, {"x", arrayOf<float>(DType::Float32, {3, 1}, {1, 2, 3})}, {"num_nodes", numbers({}, {3})}};
}

DataGraph read(const std::map<std::string, Array>& arrays)
{
    const test::TemporaryFolder folder;
    writeNpz(folder / "g.npz", arrays);
    return readGraph(folder / "g.npz");
}

std::string refusal(const std::map<std::string, Array>& arrays, const GraphOptions& options = {})
{
    const test::TemporaryFolder folder;
    writeNpz(folder / "g.npz", arrays);
    return errorOf([&] { readGraph(folder / "g.npz", options); });
}

std::int64_t countTrue(const Array& mask)
{
    return std::count(mask.as<std::uint8_t>(), mask.as<std::uint8_t>() + mask.count(), 1);
}

TEST(Graph, ReadsCora)
{
    const DataGraph cora = readGraph(test::examplesDir() / "cora.npz");
    EXPECT_EQ(cora.numNodes, 2708);
    EXPECT_EQ(cora.numEdges, 10556);
    EXPECT_EQ(cora.arrays.at("x").shape, (std::vector<std::int64_t>{2708, 1433}));
    EXPECT_EQ(cora.arrays.at("x").dtype, DType::Float32);
    EXPECT_EQ(countTrue(*cora.trainMask), 140);
    EXPECT_EQ(countTrue(*cora.valMask), 500);
    EXPECT_EQ(countTrue(*cora.testMask), 1000);
    EXPECT_EQ(*std::max_element(cora.labels->as<std::int64_t>(), cora.labels->as<std::int64_t>() + 2708), 6);
}

TEST(Graph, ReadsCiteSeerAndTenSplits)
{
    EXPECT_EQ(readGraph(test::testDir() / "graphs/citeseer.npz").numNodes, 3327);
    const DataGraph first = readGraph(test::testDir() / "graphs/minesweeper.npz"), last = readGraph(test::testDir() / "graphs/minesweeper.npz", {9});
    EXPECT_EQ(first.numNodes, 10000);
    EXPECT_NE(std::memcmp(first.testMask->data.get(), last.testMask->data.get(), 10000), 0);
    EXPECT_NE(errorOf([] { readGraph(test::testDir() / "graphs/minesweeper.npz", {10}); }), "");
}

TEST(Graph, ReadsTolokers)
{
    if (test::dataDir().empty())
        GTEST_SKIP() << "needs CLEAVE_DATA";
    const DataGraph graph = readGraph(test::dataDir() / "tolokers.npz");
    EXPECT_EQ(graph.numNodes, 11758);
    EXPECT_EQ(graph.numEdges, 1038000);
}

TEST(Graph, RefusesWhatIsWrongByName)
{
    EXPECT_EQ(refusal(tiny()), "");
    auto arrays = tiny();
    arrays["edge_index"] = numbers({2, 2}, {0, 1, 1, 3});
    EXPECT_NE(refusal(arrays).find("node 3 at edge 1"), std::string::npos) << refusal(arrays);
    arrays["edge_index"] = numbers({2, 2}, {0, -1, 1, 2});
    EXPECT_NE(refusal(arrays).find("node -1"), std::string::npos);
    arrays["edge_index"] = numbers({4}, {0, 1, 1, 2});
    EXPECT_NE(refusal(arrays).find("[2, edges]"), std::string::npos);
    arrays = tiny();
    arrays["x"] = arrayOf<float>(DType::Float32, {2, 1}, {1, 2});
    EXPECT_NE(refusal(arrays).find("'x'"), std::string::npos);
    arrays = tiny();
    arrays["num_nodes"] = numbers({2}, {3, 3});
    EXPECT_NE(refusal(arrays).find("num_nodes"), std::string::npos);
    arrays = tiny();
    arrays["test_mask"] = numbers({3}, {1, 0, 1});
    EXPECT_NE(refusal(arrays).find("test_mask"), std::string::npos);
}

// Graphs side by side, time steps, channels before nodes: which dimension has the rows is for the model to say.
TEST(Graph, NodesMayLieAlongAnotherDimension)
{
    const auto nodesOf = [](std::vector<std::int64_t> shape, std::optional<std::int64_t> stated = {}) {
        auto arrays = tiny();
        arrays.erase("num_nodes");
        if (stated)
            arrays["num_nodes"] = numbers({}, {*stated});
        std::int64_t count = 1;
        for (const std::int64_t size : shape)
            count *= size;
        arrays["x"] = arrayOf<float>(DType::Float32, std::move(shape), std::vector<float>(static_cast<std::size_t>(count)));
        return read(arrays).numNodes;
    };
    EXPECT_EQ(nodesOf({2, 3, 1}), 3);
    EXPECT_EQ(nodesOf({3, 5, 1}), 3) << "the first that is large enough for the edges";
    EXPECT_EQ(nodesOf({2, 2, 4, 1}), 4);
    EXPECT_EQ(nodesOf({4, 3, 1}, 3), 3);
    EXPECT_EQ(nodesOf({2, 3}, 3), 3) << "channels first";
    EXPECT_THROW(nodesOf({2, 5, 1}, 3), Error);
    EXPECT_EQ(nodesOf({2, 2, 1}), 4) << "of graphs side by side, numbered one after the other";
    EXPECT_EQ(nodesOf({2, 1, 2, 1}), 4);
    EXPECT_EQ(nodesOf({2, 2, 1}, 4), 4);
    EXPECT_THROW(nodesOf({2, 2, 1}, 3), Error);
    EXPECT_THROW(nodesOf({1, 2, 1}), Error);
    EXPECT_THROW(nodesOf({2, 2}), Error) << "columns are no rows";
    // A square matrix tells them where nothing names nodes: [batch, time, nodes, features].
    const std::map<std::string, Array> ofMatrix{{"adj", arrayOf<float>(DType::Float32, {5, 5}, std::vector<float>(25))},
                                                {"x", arrayOf<float>(DType::Float32, {2, 3, 5, 1}, std::vector<float>(30))}};
    EXPECT_EQ(read(ofMatrix).numNodes, 5);
    auto arrays = tiny();
    arrays["edge_attr"] = arrayOf<float>(DType::Float32, {3, 2, 1}, std::vector<float>(6));
    EXPECT_EQ(refusal(arrays), "");
    arrays["edge_attr"] = arrayOf<float>(DType::Float32, {3, 4, 1}, std::vector<float>(12));
    EXPECT_NE(refusal(arrays).find("edge_attr"), std::string::npos);
}

TEST(Graph, EdgesMayLieBetweenPointers)
{
    for (const auto& [rows, columns] : {std::pair("rowptr", "col"), {"indptr", "indices"}, {"crow_indices", "col_indices"}}) {
        std::map<std::string, Array> arrays{{rows, numbers({4}, {0, 1, 1, 3})}, {columns, numbers({3}, {2, 0, 1})}};
        const DataGraph graph = read(arrays);
        EXPECT_EQ(graph.numNodes, 3);
        EXPECT_EQ(graph.numEdges, 3);
        EXPECT_FALSE(graph.isTyped);
        const auto* ends = graph.arrays.at("edge_index").as<std::int64_t>();
        EXPECT_EQ(std::vector(ends, ends + 6), (std::vector<std::int64_t>{2, 0, 1, 0, 2, 2}));
        EXPECT_TRUE(graph.arrays.contains(rows));
        for (const auto& wrong : {std::vector<std::int64_t>{0, 1, 1, 2}, {0, 1, 1, 4}, {1, 1, 1, 3}, {0, 2, 1, 3}, {0, -1, 1, 3}}) {
            arrays[rows] = numbers({4}, wrong);
            EXPECT_NE(refusal(arrays).find(rows), std::string::npos) << wrong[1] << " " << wrong[3];
        }
    }
    std::map<std::string, Array> outside{{"rowptr", numbers({3}, {0, 1, 1})}, {"col", numbers({1}, {2})}};
    EXPECT_NE(refusal(outside).find("node 2"), std::string::npos);
}

TEST(Graph, RefusesWrongSparseFeatures)
{
    auto arrays = tiny();
    arrays.erase("x");
    arrays["x_indptr"] = numbers({4}, {0, 1, 1, 2});
    arrays["x_indices"] = numbers({2}, {0, 4});
    arrays["x_data"] = arrayOf<float>(DType::Float32, {2}, {1, 2});
    arrays["x_shape"] = numbers({2}, {3, 5});
    EXPECT_EQ(refusal(arrays), "");
    auto wrong = arrays;
    wrong["x_indices"] = numbers({2}, {0, 5});
    EXPECT_NE(refusal(wrong).find("column 5"), std::string::npos);
    wrong = arrays;
    wrong["x_indptr"] = numbers({4}, {0, 9, 1, 2});
    EXPECT_NE(refusal(wrong).find("x_indptr"), std::string::npos);
    wrong = arrays;
    wrong["x_shape"] = numbers({2}, {std::int64_t{1} << 50, 5});
    EXPECT_NE(refusal(wrong), "");
    wrong = arrays;
    wrong["x_data"] = arrayOf<float>(DType::Float32, {3}, {1, 2, 3});
    EXPECT_NE(refusal(wrong).find("x_data"), std::string::npos);
    wrong = arrays;
    wrong.erase("x_indices");
    EXPECT_NE(refusal(wrong).find("x_indices"), std::string::npos);
}

TEST(Graph, SparseFeaturesWithoutNumbersAreOnes)
{
    auto arrays = tiny();
    arrays.erase("x");
    arrays["x_indptr"] = numbers({4}, {0, 1, 1, 2});
    arrays["x_indices"] = numbers({2}, {0, 4});
    arrays["x_shape"] = numbers({2}, {3, 5});
    const Array x = read(arrays).arrays.at("x");
    EXPECT_EQ(std::vector<float>(x.as<float>(), x.as<float>() + 15), (std::vector<float>{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}));
}

// Nodes of several types: arrays for each type and each relation, under any of the names that people give them.
TEST(Graph, OfSeveralNodeTypes)
{
    std::map<std::string, Array> arrays;
    arrays["x_user"] = arrayOf<float>(DType::Float32, {2, 1}, {1, 2});
    arrays["item_x_indptr"] = numbers({4}, {0, 1, 1, 2});
    arrays["item_x_indices"] = numbers({2}, {0, 1});
    arrays["item_x_shape"] = numbers({2}, {3, 2});
    arrays["edge_index_user_buys_item"] = numbers({2, 2}, {0, 1, 2, 2});
    arrays["item__bought_by__user.edge_index"] = numbers({2, 1}, {2, 1});
    arrays["y_user"] = numbers({2}, {1, 0});
    arrays["test_mask_user"] = arrayOf<std::uint8_t>(DType::Bool, {2}, {1, 0});
    const DataGraph graph = read(arrays);
    EXPECT_EQ(graph.numNodes, 5);
    EXPECT_EQ(graph.numEdges, 3);
    EXPECT_EQ(graph.arrays.at("item_x").shape, (std::vector<std::int64_t>{3, 2}));
    ASSERT_TRUE(graph.labels && graph.testMask);
    EXPECT_EQ(graph.labels->shape, (std::vector<std::int64_t>{2}));
    auto wrong = arrays;
    wrong["edge_index_user_buys_item"] = numbers({2, 2}, {0, -1, 2, 2});
    EXPECT_NE(refusal(wrong).find("edge_index_user_buys_item"), std::string::npos);
    wrong["edge_index_user_buys_item"] = numbers({3, 1}, {0, 1, 2});
    EXPECT_NE(refusal(wrong).find("edge_index_user_buys_item"), std::string::npos);
    wrong = arrays;
    wrong["item_x_indices"] = numbers({2}, {0, 2});
    EXPECT_NE(refusal(wrong).find("item_x_indices"), std::string::npos);
}

TEST(Graph, OfManyEdgesNamesTheFirstThatLeadsNowhere)
{
    constexpr std::int64_t edges = 700'001;  // checked in parts
    std::vector<std::int64_t> ends(2 * edges, 1);
    std::map<std::string, Array> arrays = tiny();
    arrays["edge_index"] = numbers({2, edges}, ends);
    EXPECT_EQ(read(arrays).numEdges, edges);
    for (const std::int64_t at : {edges + 600'000, edges - 1, std::int64_t{300'000}}) {
        ends[static_cast<std::size_t>(at)] = at % 2 == 0 ? 3 : -1;
        arrays["edge_index"] = numbers({2, edges}, ends);
        const std::string text = refusal(arrays);
        EXPECT_NE(text.find("names node " + std::string(at % 2 == 0 ? "3" : "-1") + " at edge " + std::to_string(at % edges) + ","),
                  std::string::npos)
            << text;
    }
}

// Names become names of files when a graph is written as a folder.
TEST(Graph, RefusesNamesThatAreNoNamesOfFiles)
{
    for (const std::string name : {"../x", "/tmp/x", "..", ""}) {
        std::map<std::string, Array> arrays = tiny();
        arrays[name] = arrays.at("x");
        EXPECT_NE(refusal(arrays).find("cannot be the name of a file"), std::string::npos) << name;
    }
}

TEST(Graph, CountsNodesByRowsWhereNoArrayIsCalledX)
{
    std::map<std::string, Array> arrays{{"edge_index", numbers({2, 2}, {0, 1, 1, 2})}, {"edge_weight", arrayOf<float>(DType::Float32, {2}, {1, 2})}};
    const auto isCounted = [](const DataGraph& graph) { return graph.numNodes == 3 && !graph.statesNodes && graph.notes.size() == 1; };
    EXPECT_TRUE(isCounted(read(arrays))) << "as many as edges name";
    arrays["few"] = arrayOf<float>(DType::Float32, {1, 2}, {1, 2});
    EXPECT_TRUE(isCounted(read(arrays))) << "node 2 has no row";
    arrays["words"] = arrayOf<float>(DType::Float32, {9, 1}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
    arrays["h"] = arrayOf<float>(DType::Float32, {4, 1}, {1, 2, 3, 4});
    EXPECT_EQ(read(arrays).numNodes, 4);
    EXPECT_FALSE(read(arrays).statesNodes) << "a model may know better";
    EXPECT_TRUE(read(tiny()).statesNodes);
}

TEST(Graph, OfTwoTypesMayHaveOneEdgeIndex)
{
    std::map<std::string, Array> arrays{{"edge_index", numbers({2, 3}, {0, 1, 1, 2, 3, 4})},
                                        {"user_x", arrayOf<float>(DType::Float32, {2, 1}, {1, 2})},
                                        {"item_x", arrayOf<float>(DType::Float32, {5, 1}, {1, 2, 3, 4, 5})}};
    const DataGraph graph = read(arrays);
    EXPECT_EQ(graph.numNodes, 7);
    EXPECT_EQ(graph.numEdges, 3);
    EXPECT_TRUE(graph.isTyped);
    const test::TemporaryFolder folder;
    EXPECT_NE(errorOf([&] { writeGraph(folder / "g.csv", graph); }).find("cannot be written"), std::string::npos) << "two nodes would be one";
    writeGraph(folder / "again.npz", graph);
    EXPECT_EQ(readGraph(folder / "again.npz").numNodes, 7);
    std::map<std::string, Array> others = arrays;
    others["x"] = numbers({3}, {1, 2, 3});
    others["edge_index"] = numbers({2, 1}, {0, 2});
    EXPECT_FALSE(read(others).isTyped) << "x is there, of integers";
    others = arrays;
    others["edge_index"] = numbers({2, 1}, {0, std::int64_t{1} << 40});
    EXPECT_NE(refusal(others).find("the graph has 7 nodes"), std::string::npos) << refusal(others);
    arrays["user_x"] = arrayOf<float>(DType::Float32, {5, 1}, {1, 2, 3, 4, 5});
    EXPECT_EQ(read(arrays).numNodes, 5) << "two tables of the same nodes";
    arrays["edge_index"] = numbers({2, 3}, {0, 1, 1, 2, -3, 4});
    EXPECT_NE(refusal(arrays).find("names node -3"), std::string::npos) << refusal(arrays);
}

// forward(x, clause_x, edge_index)
TEST(Graph, EdgesMayLeadFromXToAnotherTable)
{
    std::map<std::string, Array> arrays{{"edge_index", numbers({2, 3}, {0, 1, 1, 2, 3, 4})},
                                        {"x", arrayOf<float>(DType::Float32, {2, 1}, {1, 2})},
                                        {"clauses", arrayOf<float>(DType::Float32, {5, 1}, {1, 2, 3, 4, 5})}};
    const DataGraph graph = read(arrays);
    EXPECT_EQ(graph.numNodes, 5);
    EXPECT_FALSE(graph.statesNodes);
    arrays["clauses"] = arrayOf<float>(DType::Float32, {4, 1}, {1, 2, 3, 4});
    EXPECT_NE(refusal(arrays).find("names node 2 at edge 0, but the graph has 2 nodes"), std::string::npos) << refusal(arrays);
    arrays.erase("clauses");
    arrays["expected"] = arrayOf<float>(DType::Float32, {5, 1}, {1, 2, 3, 4, 5});
    EXPECT_NE(refusal(arrays).find("the graph has 2 nodes"), std::string::npos) << refusal(arrays);
}

TEST(Graph, MayListEdgesInArraysWithOtherNames)
{
    std::map<std::string, Array> arrays{{"x", arrayOf<float>(DType::Float32, {3, 1}, {1, 2, 3})}};
    EXPECT_FALSE(read(arrays).hasEdges);
    EXPECT_EQ(read(arrays).numEdges, 0);
    arrays["senders"] = numbers({2}, {0, 1});
    arrays["receivers"] = numbers({2}, {1, 2});
    const DataGraph graph = read(arrays);
    EXPECT_EQ(graph.numNodes, 3);
    EXPECT_EQ(graph.numEdges, 2);
    EXPECT_TRUE(graph.arrays.contains("senders"));
}

TEST(Graph, OfSendersAndReceiversCountsNodesByTheirTable)
{
    std::map<std::string, Array> arrays{{"feat", arrayOf<float>(DType::Float32, {3, 1}, {1, 2, 3})},
                                        {"kind", numbers({3}, {0, 1, 0})},
                                        {"molecule", numbers({3}, {0, 0, 1})},
                                        {"senders", numbers({4}, {0, 1, 2, 0})},
                                        {"receivers", numbers({4}, {1, 2, 0, 2})},
                                        {"distances", arrayOf<float>(DType::Float32, {4, 1}, {1, 2, 3, 4})}};
    EXPECT_EQ(read(arrays).numNodes, 3) << "distances are of edges";
    EXPECT_EQ(read(arrays).numEdges, 4);
    auto others = arrays;
    others["num_nodes"] = numbers({1}, {9});
    EXPECT_EQ(read(others).numNodes, 9);
    others["num_nodes"] = numbers({1}, {-9});
    EXPECT_NE(refusal(others).find("must be one number of nodes"), std::string::npos) << refusal(others);
    others = arrays;
    others.erase("senders");
    others.erase("receivers");
    others["pairs"] = numbers({4, 2}, {0, 1, 1, 2, 2, 0, 0, 2});
    EXPECT_EQ(read(others).numNodes, 3);
    EXPECT_EQ(read(others).numEdges, 4);
    others.erase("pairs");
    others.erase("molecule");
    EXPECT_NE(refusal(others).find("does not tell how many nodes"), std::string::npos) << "one list of numbers is no edges";
}

// Without edges, tables that have equally many rows: a matrix for each graph, say, and rows of each graph's nodes.
TEST(Graph, OfTablesAlone)
{
    std::map<std::string, Array> arrays{{"adj", arrayOf<float>(DType::Float32, {3, 2, 2}, std::vector<float>(12, 1))},
                                        {"h", arrayOf<float>(DType::Float32, {3, 2, 4}, std::vector<float>(24, 1))},
                                        {"expected", arrayOf<float>(DType::Float32, {6}, std::vector<float>(6, 1))}};
    EXPECT_EQ(read(arrays).numNodes, 3);
    arrays["h"] = arrayOf<float>(DType::Float32, {2, 2, 4}, std::vector<float>(16, 1));
    EXPECT_NE(refusal(arrays).find("does not tell how many nodes"), std::string::npos) << "of other numbers of graphs";
    arrays.erase("h");
    arrays["adj"] = arrayOf<float>(DType::Float32, {3}, {1, 2, 3});
    EXPECT_NE(refusal(arrays).find("does not tell how many nodes"), std::string::npos) << "nothing is a table";
}

// Where no array is called what it is, shapes say which are edges and which are features; a model's inputs say the rest.
TEST(Graph, OfArraysWithOtherNames)
{
    std::map<std::string, Array> arrays;
    arrays["users"] = arrayOf<float>(DType::Float32, {2, 1}, {1, 2});
    arrays["items"] = arrayOf<float>(DType::Float32, {4, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
    arrays["buys"] = numbers({2, 3}, {0, 1, 1, 2, 2, 3});
    arrays["price"] = arrayOf<float>(DType::Float32, {3, 1}, {1, 2, 3});
    DataGraph graph = read(arrays);
    EXPECT_EQ(graph.numNodes, 6);  // price has a row for each edge
    EXPECT_EQ(graph.numEdges, 3);
    arrays["buys"] = numbers({2, 3}, {0, 1, 1, 2, -2, 3});
    EXPECT_NE(refusal(arrays).find("'buys' of g.npz names node -2"), std::string::npos) << refusal(arrays);
    arrays.erase("buys");
    EXPECT_NE(refusal(arrays).find("does not tell how many nodes"), std::string::npos) << refusal(arrays);
    arrays["train_mask_x"] = arrayOf<std::uint8_t>(DType::Bool, {2}, {1, 0});  // a mask, whatever else its name might say
    arrays["x_user"] = arrays["users"];
    EXPECT_EQ(read(arrays).numNodes, 2);
    arrays.erase("x_user");
    arrays.erase("train_mask_x");
    arrays["x"] = arrays["users"];
    EXPECT_FALSE(read(arrays).hasEdges);
}

TEST(Npy, RoundTripsEveryType)
{
    const test::TemporaryFolder folder;
    for (const DType dtype :
         {DType::Bool, DType::UInt8, DType::Int8, DType::Int16, DType::Int32, DType::Int64, DType::Float16, DType::Float32, DType::Float64}) {
        NewArray array = makeArray(dtype, {3, 4});
        for (std::size_t i = 0; i < array.array.bytes(); ++i)
            array.data[i] = static_cast<std::byte>(dtype == DType::Bool ? i % 2 : i);
        writeNpy(folder / "a.npy", array.array);
        const Array back = readNpy(folder / "a.npy");
        EXPECT_EQ(back.dtype, dtype);
        EXPECT_EQ(back.shape, array.array.shape);
        EXPECT_EQ(std::memcmp(back.data.get(), array.data, back.bytes()), 0);
    }
}

TEST(Npy, ReadsFortranOrder)
{
    std::string header = "{'descr': '<i8', 'fortran_order': True, 'shape': (2, 3), }";
    header += std::string(117 - header.size(), ' ') + "\n";
    std::string file = std::string("\x93NUMPY\x01\x00", 8) + std::string("\x76\x00", 2) + header;
    for (const std::int64_t value : {1, 4, 2, 5, 3, 6})
        file.append(reinterpret_cast<const char*>(&value), 8);
    const Array array = parseNpy(std::as_bytes(std::span(file)), "test");
    EXPECT_TRUE(std::equal(array.as<std::int64_t>(), array.as<std::int64_t>() + 6, std::vector<std::int64_t>{1, 2, 3, 4, 5, 6}.begin()));
}

TEST(Npy, HostileHeadersAreOneSentence)
{
    for (const std::string text :
         {"", "NUMPY", "{'descr': '<f4'}", "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999, 99999999999), }",
          "{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", "{'descr': '>f8', 'fortran_order': False, 'shape': (1,), }",
          "{'descr': '<f4', 'fortran_order': False, 'shape': (-3,), }", "{'descr': <f4, 'fortran_order': False, 'shape': (3,), }"}) {
        std::string file = std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(text.size()) + std::string(1, '\0') + text;
        EXPECT_NE(errorOf([&] { parseNpy(std::as_bytes(std::span(file)), "test"); }), "") << text;
        EXPECT_NE(errorOf([&] { parseNpy(std::as_bytes(std::span(text)), "test"); }), "") << text;
    }
}

TEST(Generate, KarateClubIsZacharys)
{
    const DataGraph club = karateClub();
    const auto* source = club.arrays.at("edge_index").as<std::int64_t>();
    std::vector<int> degree(34);
    std::set<std::pair<std::int64_t, std::int64_t>> edges;
    for (int e = 0; e < 156; ++e) {
        ++degree[static_cast<std::size_t>(source[e])];
        edges.insert({source[e], source[e + 156]});
    }
    EXPECT_EQ(degree, (std::vector<int>{16, 9, 10, 6, 3, 4, 4, 4, 5, 2, 3, 1, 2, 5, 2, 2, 2, 2, 2, 3, 2, 2, 2, 5, 3, 3, 2, 4, 3, 4, 4, 6, 12, 17}));
    EXPECT_EQ(edges.size(), 156U);
    for (const auto& [a, b] : edges)
        EXPECT_TRUE(edges.contains({b, a}));
    EXPECT_EQ(std::count(club.labels->as<std::int64_t>(), club.labels->as<std::int64_t>() + 34, 0), 17);
}

TEST(Generate, RmatIsReproducibleSkewedAndReadsBack)
{
    const test::TemporaryFolder folder;
    const DataGraph graph = generateRmat({.scale = 8, .edgeFactor = 8, .features = 3, .seed = 5});
    writeGraph(folder / "a.npz", graph);
    writeGraph(folder / "b.npz", generateRmat({.scale = 8, .edgeFactor = 8, .features = 3, .seed = 5}));
    EXPECT_EQ(test::readText(folder / "a.npz"), test::readText(folder / "b.npz"));
    const DataGraph back = readGraph(folder / "a.npz");
    EXPECT_EQ(back.numNodes, 256);
    EXPECT_EQ(back.numEdges, 2048);
    std::vector<int> degree(256);
    for (int e = 0; e < 2048; ++e)
        ++degree[static_cast<std::size_t>(back.arrays.at("edge_index").as<std::int64_t>()[e])];
    EXPECT_GT(*std::ranges::max_element(degree), 64) << "a power law has hubs";
}

}  // namespace
}  // namespace cleave
