#include "core/plan/profile_graph.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <chrono>

#include "tests/core/test_files.h"

namespace cleave {
namespace {

using testing::HasSubstr;

std::string node(const std::string& id, const std::string& description, const std::string& stage = {}, const std::string& activation = "8.0")
{
    return id + " -- " + description + " -- forward_compute_time=1.500, backward_compute_time=2.000, activation_size=" + activation +
           ", parameter_size=16.000" + (stage.empty() ? "" : " -- stage_id=" + stage) + "\n";
}

class ProfileGraphFile : public testing::Test {
protected:
    ProfileGraph read(const std::string& text)
    {
        test::writeText(m_folder / "graph.txt", text);
        return readProfileGraph(m_folder / "graph.txt");
    }

    std::string refusalOf(const std::string& text)
    {
        return test::errorOf([&] { read(text); });
    }

    test::TemporaryFolder m_folder;
};

TEST_F(ProfileGraphFile, HoldsNodesEdgesAndStages)
{
    const ProfileGraph graph = readProfileGraph(test::testDir() / "graphs/corpus/profile/stages");
    ASSERT_EQ(graph.nodes.size(), 5U);
    EXPECT_EQ(graph.stages, (std::vector{0, 1, 3}));
    EXPECT_TRUE(graph.hasStages);
    const ProfileNode& embedding = graph.nodes[1];
    EXPECT_EQ(embedding.id, "node4");
    EXPECT_EQ(embedding.description, "Embedding(100, 16, padding_idx=0)");
    EXPECT_DOUBLE_EQ(embedding.forwardSeconds, 0.073e-3);
    EXPECT_DOUBLE_EQ(embedding.backwardSeconds, 6.949e-3);
    EXPECT_DOUBLE_EQ(embedding.parameterBytes, 6400);
    EXPECT_EQ(graph.nodes[2].activationBytes, (std::vector<double>{6400, 64, 64}));
    EXPECT_EQ(graph.nodes[4].stage, 2);
    EXPECT_EQ(graph.edges, (std::vector<std::pair<int, int>>{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {1, 4}}));
}

TEST_F(ProfileGraphFile, TotalsOfStagesCountWhatIsHandedOn)
{
    const std::vector<StageTotals> totals = stageTotals(readProfileGraph(test::testDir() / "graphs/corpus/profile/stages"));
    ASSERT_EQ(totals.size(), 3U);
    EXPECT_EQ(totals[0].nodes, 2);
    EXPECT_DOUBLE_EQ(totals[1].forwardSeconds, 3.19e-3);
    EXPECT_DOUBLE_EQ(totals[1].parameterBytes, 8704);
    // The embedding is read two stages on, so it passes both cuts.
    EXPECT_EQ(totals[0].handedOn, 1);
    EXPECT_DOUBLE_EQ(totals[0].handedOnBytes, 6400);
    EXPECT_EQ(totals[1].handedOn, 2);
    EXPECT_DOUBLE_EQ(totals[1].handedOnBytes, 12800);
    EXPECT_EQ(totals[2].handedOn, 0);
    EXPECT_DOUBLE_EQ(totals[2].handedOnBytes, 0);
}

TEST_F(ProfileGraphFile, IsWrittenAsItWasRead)
{
    const ProfileGraph graph = readProfileGraph(test::testDir() / "graphs/corpus/profile/stages");
    writeProfileGraph(m_folder / "again.txt", graph);
    EXPECT_THAT(test::readText(m_folder / "again.txt"),
                HasSubstr("node5 -- LSTM(16, 16) -- forward_compute_time=3.190000, backward_compute_time=5.348000, "
                          "activation_size=[6400.0; 64.0; 64.0], parameter_size=8704.000 -- stage_id=1\n"));
    EXPECT_THAT(test::readText(m_folder / "again.txt"), HasSubstr("\n\tnode4 -- node9\n"));
    const ProfileGraph again = readProfileGraph(m_folder / "again.txt");
    EXPECT_EQ(again.edges, graph.edges);
    EXPECT_EQ(again.stages, graph.stages);
    ASSERT_EQ(again.nodes.size(), graph.nodes.size());
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        EXPECT_EQ(again.nodes[i].id, graph.nodes[i].id);
        EXPECT_EQ(again.nodes[i].description, graph.nodes[i].description);
        EXPECT_EQ(again.nodes[i].activationBytes, graph.nodes[i].activationBytes);
        EXPECT_NEAR(again.nodes[i].forwardSeconds, graph.nodes[i].forwardSeconds, 1e-9);
        EXPECT_EQ(again.nodes[i].stage, graph.nodes[i].stage);
    }
}

TEST_F(ProfileGraphFile, WithoutStagesIsOneStage)
{
    const ProfileGraph graph = read(node("b", "Linear(4, 4)") + node("a", "Input0") + "\ta -- b\n");
    EXPECT_FALSE(graph.hasStages);
    EXPECT_EQ(graph.stages, std::vector{0});
    EXPECT_EQ(graph.inOrder(), (std::vector{1, 0}));
    writeProfileGraph(m_folder / "again.txt", graph);
    EXPECT_EQ(test::readText(m_folder / "again.txt").find("stage_id"), std::string::npos);
}

TEST_F(ProfileGraphFile, DescriptionsMayHoldTheSeparator)
{
    const ProfileGraph graph = read(node("n", "a -- b -- c", "2"));
    EXPECT_EQ(graph.nodes[0].description, "a -- b -- c");
    writeProfileGraph(m_folder / "again.txt", graph);
    EXPECT_EQ(readProfileGraph(m_folder / "again.txt").nodes[0].description, "a - b - c");
}

TEST_F(ProfileGraphFile, IsToldFromListsOfEdges)
{
    const auto is = [&](const std::string& text) {
        test::writeText(m_folder / "g.txt", text);
        return isProfileGraph(m_folder / "g.txt");
    };
    EXPECT_TRUE(is(node("n", "a")));
    EXPECT_TRUE(is("\n\r\n" + node("n", "a")));
    EXPECT_FALSE(is("0 1\n1 2\n"));
    EXPECT_FALSE(is("# -- a comment\n0 1\n"));
    EXPECT_FALSE(is(""));
    EXPECT_FALSE(isProfileGraph(m_folder.path()));
    EXPECT_FALSE(isProfileGraph(m_folder / "nothing"));
    EXPECT_FALSE(isProfileGraph(m_folder / std::string(1000, 'x')));
    EXPECT_FALSE(isProfileGraph(test::examplesDir() / "gcn.pt2"));
    EXPECT_FALSE(isProfileGraph(test::examplesDir() / "cora.npz"));
}

TEST_F(ProfileGraphFile, IsDrawnWithAClusterForEachStage)
{
    const std::string dot = toDot(readProfileGraph(test::testDir() / "graphs/corpus/profile/stages"));
    EXPECT_THAT(dot, HasSubstr("subgraph cluster_2 {\n    label=\"stage 3"));
    EXPECT_THAT(dot, HasSubstr("\"node4\" -> \"node9\" [style=bold, label=\"6.40 kB\"]"));
    EXPECT_THAT(dot, HasSubstr("\"node5\" -> \"node6\";"));
}

using HostileProfileGraph = ProfileGraphFile;

TEST_F(HostileProfileGraph, LinesAreReadInLinearTime)
{
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(read(node("a", "x") + std::string(std::size_t{8} << 20, '\n') + node("b", "y")).nodes.size(), 2U);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST_F(HostileProfileGraph, SaysWhatIsWrong)
{
    const std::string a = node("a", "x"), b = node("b", "y");
    for (const auto& [text, part] : {std::pair<std::string, std::string>{"", "has no nodes"},
                                     {"0 1\n", "Line 1 of graph.txt is neither a node nor an edge"},
                                     {a + "a -- b -- c\n", "Line 2 of graph.txt is neither a node nor an edge"},
                                     {a + a, "names node 'a' a second time"},
                                     {a + "\ta -- b\n", "Line 2 of graph.txt leads to or from node 'b', which is not there"},
                                     {a + "\ta -- a\n", "from node 'a' to itself"},
                                     {a + b + "\ta -- b\n\tb -- a\n", "has a cycle, at or before node 'a'"},
                                     {node("a", "x", "3") + node("b", "y", "1") + "\ta -- b\n", "from stage 3 back to stage 1"},
                                     {node("a", "x", "0") + b, "Line 2 of graph.txt names no stage"},
                                     {a + node("b", "y", "0"), "names stage, unlike"},
                                     {node("a", "x", "-1"), "names stage '-1'"},
                                     {node("a", "x", "1024"), "names stage '1024'"},
                                     {node("a b", "x"), "names a node 'a b'"},
                                     {node("a", "x", "", "-8.0"), "activation_size as '-8.0'"},
                                     {node("a", "x", "", "inf"), "activation_size as 'inf'"},
                                     {node("a", "x", "", "[8.0"), "a list of sizes without its end"},
                                     {node("a", "x", "", "[8.0; x]"), "activation_size as ' x'"},
                                     {"a -- x -- forward_compute_time=1.0\n", "has no backward_compute_time"},
                                     {"a -- x -- forward_compute_time=one, backward_compute_time=0\n", "forward_compute_time as 'one'"},
                                     {a + std::string("\0\n", 2), "holds a NUL byte"}})
        EXPECT_THAT(refusalOf(text), HasSubstr(part)) << text;
}

TEST_F(HostileProfileGraph, AFileThatCannotBeWrittenLeavesWhatWasThere)
{
    const ProfileGraph graph = read(node("a", "x"));
    EXPECT_THAT(test::errorOf([&] { writeProfileGraph(m_folder / "none/graph.txt", graph); }), HasSubstr("cannot be written"));
    EXPECT_NE(test::errorOf([&] { writeProfileGraph(m_folder.path(), graph); }), "");
    std::filesystem::create_directories((m_folder / "g.txt").string() + ".part" + std::to_string(getpid()) + "/in_the_way");
    EXPECT_THAT(test::errorOf([&] { writeProfileGraph(m_folder / "g.txt", graph); }),
                HasSubstr((m_folder / "g.txt").string() + " cannot be written: "));
}

}  // namespace
}  // namespace cleave
