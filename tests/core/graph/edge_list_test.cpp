#include <gmock/gmock.h>

#include <stop_token>

#include "tests/core/graph/graph_texts.h"

namespace cleave {
namespace {

using test::Edges;
using test::edgesOf;
using test::graphOf;
using test::namesOf;
using test::numbersOf;
using test::refusalOf;
using Names = std::vector<std::string>;
using Shape = std::vector<std::int64_t>;
using testing::TestWithParam;

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

struct Writing {
    std::string file, text;
};

class EdgeListWriting : public TestWithParam<Writing> {};

TEST_P(EdgeListWriting, IsTheSameGraph)
{
    const DataGraph graph = graphOf(GetParam().file, GetParam().text);
    EXPECT_EQ(graph.name, "g");
    EXPECT_EQ(graph.numNodes, 3);
    EXPECT_EQ(edgesOf(graph), (Edges{{0, 1}, {1, 2}, {2, 0}}));
    EXPECT_EQ(graph.names, nullptr);
    EXPECT_EQ(graph.arrays.size(), 1U);
}

INSTANTIATE_TEST_SUITE_P(EdgeList, EdgeListWriting,
                         testing::Values(Writing{"g.txt", "0 1\n1 2\n2 0\n"}, Writing{"g.txt", "0 1\n1 2\n2 0"},
                                         Writing{"g.txt", "  0   1\n\t1\t 2 \n2 0\n"}, Writing{"g.tsv", "0\t1\n1\t2\n2\t0\n"},
                                         Writing{"g.csv", "0,1\r\n1,2\r\n2,0\r\n"}, Writing{"g.csv", "0;1\n1;2\n2;0\n"},
                                         Writing{"g.csv", "source,target\n0,1\n1,2\n2,0\n"}, Writing{"g.csv", "target,source\n1,0\n2,1\n0,2\n"},
                                         Writing{"g.csv", "a,b\n0,1\n1,2\n2,0\n"}, Writing{"g.csv", "\xEF\xBB\xBF\"0\",\"1\"\n1,2\n2,0\n"},
                                         Writing{"g.txt", "# Directed\n% and more\n\n# FromNodeId\tToNodeId\n0\t1\n1\t2\n# between\n2\t0\n"},
                                         Writing{"g.tsv", "0\t1\t\n1\t2\t\n2\t0\t\n"}, Writing{"g.CSV.gz", "0,1\n1,2\n2,0\n"},
                                         Writing{"g.txt.gz", "0 1\n1 2\n2 0\n"}));

TEST(EdgeList, OneColumnOfNumbersIsTheWeight)
{
    const DataGraph graph = graphOf("g.txt", "0 1 0.5\n1 0 -2e-1\n");
    EXPECT_EQ(numbersOf(graph, "edge_weight"), (std::vector<float>{0.5F, -0.2F}));
    EXPECT_EQ(graph.arrays.at("edge_weight").shape, (Shape{2}));
}

TEST(EdgeList, SeveralColumnsAreAttributes)
{
    const DataGraph graph = graphOf("g.csv", "0,1,1,2\n1,0,3,nan\n");
    EXPECT_EQ(graph.arrays.at("edge_attr").shape, (Shape{2, 2}));
    EXPECT_EQ(graph.arrays.at("edge_attr").as<float>()[2], 3);
    EXPECT_FALSE(graph.arrays.contains("edge_weight"));
}

TEST(EdgeList, TheHeaderDecides)
{
    const DataGraph one = graphOf("g.csv", "src,dst,time\n0,1,5\n");
    EXPECT_EQ(one.arrays.at("edge_attr").shape, (Shape{1, 1})) << "one column, but no weight";
    const DataGraph all = graphOf("g.csv", "time,Weight,dst,src,edge_type,w\n9,0.5,1,0,3,8\n");
    EXPECT_EQ(edgesOf(all), (Edges{{0, 1}}));
    EXPECT_EQ(numbersOf(all, "edge_weight"), (std::vector<float>{0.5F}));
    EXPECT_EQ(numbersOf<std::int64_t>(all, "edge_type"), (std::vector<std::int64_t>{3}));
    EXPECT_EQ(numbersOf(all, "edge_attr"), (std::vector<float>{9, 8})) << "a second weight is an attribute";
    EXPECT_TRUE(has(refusalOf("g.csv", "src,dst,type\n0,1,0.5\n"), "edge type 0.5"));
}

TEST(EdgeList, NumbersWithGapsAreNamesByTheirSize)
{
    const DataGraph graph = graphOf("g.txt", "30 7\n7 100\n");
    EXPECT_EQ(edgesOf(graph), (Edges{{1, 0}, {0, 2}}));
    EXPECT_EQ(namesOf(graph), (Names{"7", "30", "100"}));
    EXPECT_EQ(graph.names->find("30"), 1);
    EXPECT_EQ(graph.names->find("31"), -1);
    EXPECT_EQ(namesOf(graphOf("g.txt", "1 2\n2 3\n")), (Names{"1", "2", "3"})) << "numbered from 1: rows stay in order";
}

TEST(EdgeList, AStatedNumberOfNodesKeepsTheNumbers)
{
    const DataGraph graph = graphOf("g.txt", "# Nodes: 6 Edges: 2\n# FromNodeId\tToNodeId\n0\t4\n4\t2\n");
    EXPECT_EQ(graph.numNodes, 6);
    EXPECT_EQ(edgesOf(graph), (Edges{{0, 4}, {4, 2}}));
    EXPECT_EQ(graph.names, nullptr);
    const DataGraph fewer = graphOf("g.txt", "# Nodes: 3 Edges: 2\n0\t4\n4\t2\n");
    EXPECT_EQ(namesOf(fewer), (Names{"0", "2", "4"}));
    EXPECT_EQ(graphOf("g.txt", "# Nodes: 6 Edges: 0\n").numNodes, 6);
    EXPECT_TRUE(has(refusalOf("g.txt", "# Nodes: 999999999999999\n0 1\n"), "more than the"));
}

TEST(EdgeList, TextsAreNamesInTheOrderInWhichTheyCome)
{
    const DataGraph graph = graphOf("g.csv", "bob,\"al, \"\"the\"\" man\",1\n007,bob,2\n\xC3\xA9t\xC3\xA9,7,3\n");
    EXPECT_EQ(namesOf(graph), (Names{"bob", "al, \"the\" man", "007", "\xC3\xA9t\xC3\xA9", "7"}));
    EXPECT_EQ(edgesOf(graph), (Edges{{0, 1}, {2, 0}, {3, 4}}));
    EXPECT_EQ(numbersOf(graph, "edge_weight"), (std::vector<float>{1, 2, 3}));
    for (std::int64_t node = 0; node < 5; ++node)
        EXPECT_EQ(graph.names->find(graph.nameOf(node)), node);
}

TEST(EdgeList, ATextLateInTheFileMakesAllOfThemNames)
{
    std::string text;
    for (int i = 0; i < 300'000; ++i)
        text += std::to_string(i % 1000) + "\t" + std::to_string((i + 1) % 1000) + "\n";
    const DataGraph graph = graphOf("g.txt", text + "x\t5\n");
    EXPECT_EQ(graph.numNodes, 1001);
    EXPECT_EQ(graph.nameOf(1000), "x");
    EXPECT_EQ(graph.numEdges, 300'001);
}

// Or they would be weights.
TEST(EdgeList, NumbersOfRowsAreLeftOut)
{
    const DataGraph graph = graphOf("g.csv", ",source,target,weight\n0,5,6,0.5\n1,6,7,1.5\n");
    EXPECT_EQ(numbersOf(graph, "edge_weight"), (std::vector<float>{0.5F, 1.5F}));
    EXPECT_THAT(graph.notes, testing::Contains(testing::HasSubstr("Column 1 of ")));
    EXPECT_FALSE(graphOf("g.csv", "Unnamed: 0,source,target\n0,5,6\n1,6,7\n").arrays.contains("edge_weight"));
}

TEST(EdgeList, SpreadsheetsHaveSemicolonsAndCommas)
{
    const DataGraph graph = graphOf("g.csv", "0;1;0,5\n1;2;1,5\n");
    EXPECT_EQ(graph.numNodes, 3);
    EXPECT_EQ(numbersOf(graph, "edge_weight"), (std::vector<float>{0.5F, 1.5F}));
}

TEST(EdgeList, NumbersThatFloatsDoNotHave)
{
    EXPECT_EQ(numbersOf(graphOf("g.csv", "0,1,1e-400\n1,2,-2.5E-60\n2,0,3\n"), "edge_weight"), (std::vector<float>{0, 0, 3}));
    EXPECT_THAT(test::errorOf([] { graphOf("g.csv", "0,1,0.5\n1,2,1e39\n"); }), testing::HasSubstr("1e39"));
}

TEST(EdgeList, TablesOfFloatsHaveWholeNumbers)
{
    const DataGraph graph = graphOf("g.csv", "0.0,1.0\n1.0,2.0\n");
    EXPECT_EQ(graph.numNodes, 3);
    EXPECT_FALSE(graph.names);
    EXPECT_TRUE(graphOf("g.csv", "0.5,1.0\n1.0,2.0\n").names);
}

TEST(EdgeList, OneTextAmongNumbersIsSaid)
{
    const DataGraph graph = graphOf("g.csv", "0,1\n1,2\n2,a7\n");
    EXPECT_TRUE(graph.names);
    EXPECT_THAT(graph.notes, testing::Contains(testing::AllOf(testing::HasSubstr("Line 3 of "), testing::HasSubstr("2,a7"))));
    EXPECT_THAT(graphOf("g.csv", "a,b\nb,c\n").notes, testing::IsEmpty());
}

TEST(EdgeList, LongFilesKeepTheirOrder)
{
    std::string text = "# Nodes: 50000\nsource,target,weight\n";
    const std::int64_t count = 900'000;
    for (std::int64_t i = 0; i < count; ++i)
        text += std::to_string(i % 50'000) + "," + std::to_string(i * 7 % 50'000) + "," + std::to_string(i % 1000) + "\n";
    const DataGraph graph = graphOf("g.csv.gz", text);
    ASSERT_EQ(graph.numEdges, count);
    const auto edges = edgesOf(graph);
    const auto weights = numbersOf(graph, "edge_weight");
    for (std::int64_t i = 0; i < count; ++i) {
        const auto at = static_cast<std::size_t>(i);
        ASSERT_EQ(edges[at], std::pair(i % 50'000, i * 7 % 50'000));
        ASSERT_EQ(weights[at], static_cast<float>(i % 1000));
    }
    text += "5,6\n";
    EXPECT_TRUE(has(refusalOf("g.csv", text), "Line 900003 of g.csv has 2 columns"));
}

TEST(EdgeList, CommentsLongerThanABlock)
{
    std::string comments;
    while (comments.size() < 9'000'000)
        comments += "# nothing\n";
    EXPECT_EQ(edgesOf(graphOf("g.csv", comments + "source,target\n0,1\n")), (Edges{{0, 1}}));
}

TEST(EdgeList, UndirectedAddsTheDirectionThatIsNotThere)
{
    const DataGraph graph = graphOf("g.csv", "0,1,5\n1,0,6\n1,2,7\n2,2,8\n0,2,9\n0,2,10\n", {.split = 0, .undirected = true});
    EXPECT_EQ(edgesOf(graph), (Edges{{0, 1}, {1, 0}, {1, 2}, {2, 2}, {0, 2}, {0, 2}, {2, 1}, {2, 0}, {2, 0}}));
    EXPECT_EQ(numbersOf(graph, "edge_weight"), (std::vector<float>{5, 6, 7, 8, 9, 10, 7, 9, 10}));
}

TEST(HostileEdgeList, SaysWhichLine)
{
    for (const auto& [text, part] : {std::pair<std::string, std::string>{"", "holds no edge"},
                                     {"# only\n", "holds no edge"},
                                     {"source,target\n", "holds no edge"},
                                     {"0\n1\n", "has one column"},
                                     {"0 1\n2\n", "Line 2 of g.txt has 1 column"},
                                     {"0 1\n1 2 3\n", "Line 2 of g.txt has 3 columns"},
                                     {"0 1\n-1 2\n", "Line 2 of g.txt names node -1"},
                                     {"0 1 a\n1 2 b\n", "has 'a' in column 3"},
                                     {"0 1 1\n1 2 1e999\n", "has '1e999' in column 3"},
                                     {"0,1\n,2\n", "Line 2 of g.txt has no node"},
                                     {"a,1\n\"b,2\n", "quote that does not close"},
                                     {"0,1\n1,2\n\"0,2\n", "Line 3 of g.txt has a quote that does not close"},
                                     {std::string("0 1\n1\0 2\n", 9), "Line 2 of g.txt holds a NUL byte"},
                                     {"0 1\n" + std::string(5'000'000, '7') + "\n", "Line 2 of g.txt"},
                                     {"0 1\n" + std::string(9'000'000, ' '), "Line 2 of g.txt is longer than 4 MiB"},
                                     {"a " + std::string(2000, 'x') + "\n", "longer than 1,024 bytes"},
                                     {"a\x01 b\n", "control characters"}})
        EXPECT_TRUE(has(refusalOf("g.txt", text), part)) << text.substr(0, 40) << ": " << refusalOf("g.txt", text);
}

TEST(HostileEdgeList, LargeNumbersAskForNoRows)
{
    EXPECT_EQ(graphOf("g.txt", "0 1000000000000000\n").numNodes, 2);
    const DataGraph texts = graphOf("g.txt", "0 100000000000000000000000\n");
    EXPECT_EQ(texts.nameOf(1), "100000000000000000000000") << "no int64 any more: a text";
}

TEST(HostileEdgeList, DamagedAndCutPackedFiles)
{
    const test::TemporaryFolder folder;
    TextSink sink(folder / "whole.gz", true);
    for (int i = 0; i < 20'000; ++i)
        sink.write(std::to_string(i * 7919 % 10'007) + " " + std::to_string(i * 31 % 10'007) + "\n");
    sink.close();
    const std::string whole = test::readText(folder / "whole.gz");
    for (const std::size_t length :
         {std::size_t{0}, std::size_t{1}, std::size_t{9}, std::size_t{200}, whole.size() / 2, whole.size() - 5, whole.size() - 1}) {
        test::writeText(folder / "g.txt.gz", whole.substr(0, length));
        EXPECT_NE(test::errorOf([&] { readGraph(folder / "g.txt.gz"); }), "") << length;
    }
    for (const std::size_t at : {std::size_t{12}, whole.size() / 3, whole.size() - 6}) {
        std::string damaged = whole;
        damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
        test::writeText(folder / "g.txt.gz", damaged);
        EXPECT_NE(test::errorOf([&] { readGraph(folder / "g.txt.gz"); }), "") << at;
    }
}

// 64 MiB of nothing in some dozen kB.
TEST(HostileEdgeList, PackedEmptinessTakesNoMemory)
{
    const test::TemporaryFolder folder;
    TextSink sink(folder / "g.txt.gz", true);
    const std::string lines(std::size_t{1} << 20, '\n'), blanks(std::size_t{1} << 20, ' ');
    for (int i = 0; i < 64; ++i)
        sink.write(lines);
    sink.write("0 1\n");
    sink.close();
    EXPECT_EQ(readGraph(folder / "g.txt.gz").numEdges, 1);
    TextSink longLine(folder / "g.txt.gz", true);
    for (int i = 0; i < 64; ++i)
        longLine.write(blanks);
    longLine.close();
    EXPECT_TRUE(has(test::errorOf([&] { readGraph(folder / "g.txt.gz"); }), "longer than 4 MiB"));
}

TEST(EdgeList, CanBeCancelled)
{
    const test::TemporaryFolder folder;
    test::writeText(folder / "g.txt", "0 1\n");
    std::stop_source stop;
    stop.request_stop();
    EXPECT_THROW(readGraph(folder / "g.txt", {}, {stop.get_token(), {}}), Cancelled);
}

}  // namespace
}  // namespace cleave
