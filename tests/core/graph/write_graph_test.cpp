#include <gtest/gtest.h>
#include <unistd.h>

#include "core/graph/generate.h"
#include "core/graph/npy.h"
#include "core/graph/write_graph.h"
#include "tests/core/graph/graph_texts.h"

namespace cleave {
namespace {

using test::edgesOf;
using test::graphOf;
using test::namesOf;
using test::numbersOf;

// Names of all kinds, weights, an attribute, and a node that only stands in the list of nodes.
DataGraph named()
{
    return graphOf("g.csv", "source,target,weight,a,b\nann,\"x, y\",0.1,1,2\n\"x, y\",# no comment,1e-30,3,4\n\"say \"\"hi\"\"\",ann,-3,5,6\n");
}

class Formats : public testing::TestWithParam<std::string> {};

TEST_P(Formats, KeepEdgesAndTheirNumbers)
{
    const test::TemporaryFolder folder;
    const DataGraph graph = graphOf("g.txt", "# Nodes: 5\n0 3 0.1\n3 1 1e-30\n2 2 -3\n");
    EXPECT_TRUE(writeGraph(folder / GetParam(), graph).empty() || GetParam().find("sv") != std::string::npos);
    const DataGraph back = readGraph(folder / GetParam());
    EXPECT_EQ(numbersOf(back, "edge_weight"), numbersOf(graph, "edge_weight"));
    if (GetParam().find("sv") != std::string::npos)
        return;
    EXPECT_EQ(back.numNodes, 5);
    EXPECT_EQ(edgesOf(back), edgesOf(graph));
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1) << "nothing temporary is left";
}

TEST_P(Formats, KeepNames)
{
    if (GetParam().find(".mtx") != std::string::npos)
        GTEST_SKIP() << "holds no names";
    const test::TemporaryFolder folder;
    for (const DataGraph& graph : {named(), graphOf("g.txt", "30 7 1\n7 100 2\n")}) {
        std::filesystem::remove_all(folder / GetParam());
        EXPECT_TRUE(writeGraph(folder / GetParam(), graph).empty());
        const DataGraph back = readGraph(folder / GetParam());
        EXPECT_EQ(namesOf(back), namesOf(graph));
        EXPECT_EQ(edgesOf(back), edgesOf(graph));
        EXPECT_EQ(numbersOf(back, "edge_weight"), numbersOf(graph, "edge_weight"));
        EXPECT_EQ(back.arrays.contains("edge_attr"), graph.arrays.contains("edge_attr"));
    }
}

INSTANTIATE_TEST_SUITE_P(WriteGraph, Formats, testing::Values("g.npz", "folder", "g.csv", "g.tsv.gz", "g.txt", "g.txt.gz", "g.mtx", "g.mtx.gz"));

TEST(WriteGraph, SaysWhatIsLeftOut)
{
    const test::TemporaryFolder folder;
    const auto notes = writeGraph(folder / "g.csv", graphOf("g.txt", "# Nodes: 5\n0 3\n"));
    ASSERT_EQ(notes.size(), 1U);
    EXPECT_NE(notes[0].find("(3)"), std::string::npos) << notes[0];
    const auto features = writeGraph(folder / "g.txt", karateClub());
    ASSERT_EQ(features.size(), 1U);
    EXPECT_NE(features[0].find("x, y"), std::string::npos) << features[0];
    EXPECT_EQ(edgesOf(readGraph(folder / "g.txt")), edgesOf(karateClub()));
    EXPECT_NE(writeGraph(folder / "g.mtx", named()).at(0).find("names of nodes"), std::string::npos);
}

// A row for each edge is a column of numbers; what has another shape stays in the archive.
TEST(WriteGraph, AttributesOfOtherShapesAreLeftOut)
{
    const test::TemporaryFolder folder;
    DataGraph graph = graphOf("g.txt", "0 1\n1 2\n2 0\n");
    NewArray across = makeArray(DType::Float32, {2, 3});
    std::fill_n(reinterpret_cast<float*>(across.data), 6, 1.0F);
    graph.arrays["edge_attr"] = across.array;
    const auto notes = writeGraph(folder / "g.csv", graph);
    ASSERT_EQ(notes.size(), 1U);
    EXPECT_NE(notes[0].find("edge_attr"), std::string::npos) << notes[0];
    EXPECT_FALSE(readGraph(folder / "g.csv").arrays.contains("edge_attr"));
}

TEST(WriteGraph, RefusesOtherTargets)
{
    const test::TemporaryFolder folder;
    std::filesystem::create_directories(folder / "full/x");
    for (const char* name : {"g.foo", "g.graphml", "g.npz.gz", "full"})
        EXPECT_NE(test::errorOf([&] { writeGraph(folder / name, karateClub()); }), "") << name;
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

// Their edges have no edge_index that could be written.
TEST(WriteGraph, RefusesSendersAndReceiversAsText)
{
    const test::TemporaryFolder folder;
    NewArray senders = makeArray(DType::Int64, {10}), receivers = makeArray(DType::Int64, {10}), nodes = makeArray(DType::Int64, {});
    for (std::int64_t i = 0; i < 10; ++i) {
        reinterpret_cast<std::int64_t*>(senders.data)[i] = i;
        reinterpret_cast<std::int64_t*>(receivers.data)[i] = 9 - i;
    }
    *reinterpret_cast<std::int64_t*>(nodes.data) = 10;
    writeNpz(folder / "g.npz", {{"senders", senders.array}, {"receivers", receivers.array}, {"num_nodes", nodes.array}});
    const DataGraph graph = readGraph(folder / "g.npz");
    EXPECT_EQ(graph.numEdges, 10);
    for (const char* name : {"g.csv", "g.txt", "g.mtx"}) {
        EXPECT_NE(test::errorOf([&] { writeGraph(folder / name, graph); }).find("under other names than edge_index"), std::string::npos);
        EXPECT_FALSE(std::filesystem::exists(folder / name));
    }
    EXPECT_EQ(test::errorOf([&] { writeGraph(folder / "back.npz", graph); }), "");
}

TEST(WriteGraph, NamesTheFileThatWasAskedFor)
{
    const test::TemporaryFolder folder;
    for (const char* name : {"g.csv", "g.npz", "g.mtx.gz"}) {
        std::filesystem::create_directories((folder / name).string() + ".part" + std::to_string(getpid()) + "/in_the_way");
        const std::string error = test::errorOf([&] { writeGraph(folder / name, karateClub()); });
        EXPECT_TRUE(error.starts_with((folder / name).string() + " cannot be written")) << error;
    }
}

TEST(NodeNames, OfNumPyTexts)
{
    const test::TemporaryFolder folder;
    NewArray edges = makeArray(DType::Int64, {2, 1});
    std::fill_n(reinterpret_cast<std::int64_t*>(edges.data), 2, 1);
    edges.data[0] = std::byte{0};
    const std::string header = "{'descr': '<U2', 'fortran_order': False, 'shape': (2,), }\n";
    std::string names = std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size()) + '\0' + header;
    for (const char32_t c : {U'a', U'\x4e2d', U'\x1F600', U'\0'})
        names.append(reinterpret_cast<const char*>(&c), 4);
    writeNpy(folder / "edge_index.npy", edges.array);
    test::writeText(folder / "node_names.npy", names);
    test::writeText(folder / "g.csv", "1,1\n");
    EXPECT_EQ(readGraph(folder.path()).numNodes, 2) << "as many as have names";
    NewArray count = makeArray(DType::Int64, {});
    *reinterpret_cast<std::int64_t*>(count.data) = 2;
    writeNpy(folder / "num_nodes.npy", count.array);
    EXPECT_EQ(namesOf(readGraph(folder.path())), (std::vector<std::string>{"a\xE4\xB8\xAD", "\xF0\x9F\x98\x80"}));
    *reinterpret_cast<std::int64_t*>(count.data) = 3;
    writeNpy(folder / "num_nodes.npy", count.array);
    EXPECT_NE(test::errorOf([&] { readGraph(folder.path()); }).find("names 2 nodes"), std::string::npos);
    test::writeText(folder / "node_names.npy", names.substr(0, names.size() - 1));
    EXPECT_NE(test::errorOf([&] { readGraph(folder.path()); }).find("damaged"), std::string::npos);
}

}  // namespace
}  // namespace cleave
