// Folders as the Open Graph Benchmark packs them.
#include <gtest/gtest.h>

#include "tests/core/graph/graph_texts.h"

namespace cleave {
namespace {

using test::Edges;
using test::edgesOf;
using test::numbersOf;
using Files = std::map<std::string, std::string>;
using Shape = std::vector<std::int64_t>;

Files citations()
{
    return {{"raw/edge.csv.gz", "0,1\n2,1\n"},       {"raw/num-node-list.csv.gz", "3\n"},   {"raw/num-edge-list.csv.gz", "2\n"},
            {"raw/node-feat.csv.gz", "1,2\n3,4\n5,6e-1\n"}, {"raw/node-label.csv.gz", "4\n0\n2\n"}, {"raw/node_year.csv.gz", "2013\n2014\n2015\n"},
            {"raw/edge-feat.csv.gz", "0.5\n0.25\n"}, {"split/time/train.csv.gz", "0\n"},    {"split/time/valid.csv.gz", "2\n"},
            {"split/time/test.csv.gz", "1\n"}};
}

class Folder {
public:
    explicit Folder(const Files& files, const std::string& name = "ogbn_small") : m_path(m_folder / name)
    {
        for (const auto& [file, text] : files) {
            std::filesystem::create_directories((m_path / file).parent_path());
            TextSink sink(m_path / file, file.ends_with(".gz"));
            sink.write(text);
            sink.close();
        }
    }
    const std::filesystem::path& path() const { return m_path; }

private:
    test::TemporaryFolder m_folder;
    std::filesystem::path m_path;
};

std::string refusalWith(const std::string& file, const std::string& text)
{
    Files files = citations();
    files[file] = text;
    const Folder folder(files);
    return test::errorOf([&] { readGraph(folder.path()); });
}

TEST(Ogb, WholeNumbersStayWhatTheyAre)
{
    Files files = citations();
    files["raw/node-label.csv.gz"] = "16777217\n0\n2.0\n";
    files["raw/node_species.csv.gz"] = "16777217\n-3\n9007199254740993\n";
    files["raw/node_score.csv.gz"] = "0.5\n1\n2\n";
    const Folder folder(files);
    const DataGraph graph = readGraph(folder.path());
    EXPECT_EQ(numbersOf<std::int64_t>(graph, "y"), (std::vector<std::int64_t>{16777217, 0, 2}));
    EXPECT_EQ(numbersOf<std::int64_t>(graph, "node_species"), (std::vector<std::int64_t>{16777217, -3, 9007199254740993}));
    EXPECT_EQ(numbersOf(graph, "node_score"), (std::vector<float>{0.5F, 1, 2}));
}

TEST(Ogb, ReadsADataSetOfNodes)
{
    const Folder folder(citations());
    const DataGraph graph = readGraph(folder.path());
    EXPECT_EQ(graph.name, "ogbn_small");
    EXPECT_EQ(edgesOf(graph), (Edges{{0, 1}, {2, 1}}));
    EXPECT_EQ(graph.arrays.at("x").shape, (Shape{3, 2}));
    EXPECT_EQ(numbersOf(graph, "x").back(), 0.6F);
    EXPECT_EQ(numbersOf<std::int64_t>(graph, "y"), (std::vector<std::int64_t>{4, 0, 2}));
    EXPECT_EQ(numbersOf<std::int64_t>(graph, "node_year")[2], 2015);
    EXPECT_EQ(graph.arrays.at("edge_attr").shape, (Shape{2, 1}));
    ASSERT_TRUE(graph.labels && graph.trainMask && graph.valMask && graph.testMask);
    EXPECT_TRUE(graph.valMask->as<bool>()[2]);
    EXPECT_FALSE(graph.valMask->as<bool>()[0]);
    EXPECT_TRUE(graph.notes.empty());
    EXPECT_EQ(readGraph(folder.path() / "raw").name, "ogbn_small") << "the folder raw is meant as well";
    EXPECT_EQ(readGraph(folder.path() / "").numNodes, 3);
}

TEST(Ogb, SeveralSplitsAreChosenByTheirNumber)
{
    Files files = citations();
    files["split/random/train.csv.gz"] = "1\n2\n";
    const Folder folder(files);
    EXPECT_TRUE(readGraph(folder.path(), {.split = 0, .undirected = false}).trainMask->as<bool>()[1]);
    EXPECT_TRUE(readGraph(folder.path(), {.split = 1, .undirected = false}).trainMask->as<bool>()[0]);
}

TEST(Ogb, LabelsOfSeveralTasksAreNumbers)
{
    Files files = citations();
    files["raw/node-label.csv.gz"] = "0,1\n1,\n0,0\n";
    const Folder folder(files);
    const DataGraph graph = readGraph(folder.path());
    EXPECT_EQ(graph.arrays.at("y").shape, (Shape{3, 2}));
    EXPECT_EQ(graph.arrays.at("y").dtype, DType::Float32);
    EXPECT_FALSE(graph.labels);
}

TEST(Ogb, SeveralGraphsAreOneWithABatch)
{
    Files files = citations();
    files["raw/num-node-list.csv.gz"] = "2\n1\n";
    files["raw/num-edge-list.csv.gz"] = "1\n1\n";
    files["raw/edge.csv.gz"] = "0,1\n0,0\n";
    files["raw/graph-label.csv.gz"] = "1\n0\n";
    const Folder folder(files);
    const DataGraph graph = readGraph(folder.path());
    EXPECT_EQ(edgesOf(graph), (Edges{{0, 1}, {2, 2}}));
    EXPECT_EQ(numbersOf<std::int64_t>(graph, "batch"), (std::vector<std::int64_t>{0, 0, 1}));
    EXPECT_EQ(numbersOf<std::int64_t>(graph, "ptr"), (std::vector<std::int64_t>{0, 2, 3}));
    EXPECT_EQ(numbersOf<std::int64_t>(graph, "graph_label"), (std::vector<std::int64_t>{1, 0}));
    EXPECT_FALSE(graph.trainMask) << "splits are of graphs";
}

TEST(Ogb, TellsWhereTheLoaderHasBothDirections)
{
    const Folder folder(citations(), "ogbn_products");
    const DataGraph graph = readGraph(folder.path());
    ASSERT_EQ(graph.notes.size(), 1U);
    EXPECT_NE(graph.notes[0].find("--undirected"), std::string::npos);
}

TEST(HostileOgb, SaysWhatIsWrong)
{
    for (const auto& [file, text, part] : {std::tuple("raw/edge.csv.gz", "0,1\n2,3\n", "Line 2 of edge.csv.gz names node 3"),
                                           {"raw/edge.csv.gz", "0,1\n", "has 1 lines"},
                                           {"raw/edge.csv.gz", "0,1,2\n0,1,2\n", "has 3 columns"},
                                           {"raw/edge.csv.gz", "0,1\n0,-1\n", "names node -1"},
                                           {"raw/edge.csv.gz", "0,1\n0,1.5\n", "no whole number"},
                                           {"raw/edge.csv.gz", "", "is empty"},
                                           {"raw/num-node-list.csv.gz", "-3\n", "is no size"},
                                           {"raw/num-node-list.csv.gz", "999999999999999\n", "is no size"},
                                           {"raw/num-node-list.csv.gz", "99999999999\n", "more than the"},
                                           {"raw/num-node-list.csv.gz", "2\n1\n", "different numbers of graphs"},
                                           {"raw/num-edge-list.csv.gz", "900000000000\n", "lines, but the data set has"},
                                           {"raw/node-feat.csv.gz", "1,2\n3\n5,6\n", "Line 2 of node-feat.csv.gz has 1 numbers"},
                                           {"raw/node-feat.csv.gz", "1,2\n3,x\n5,6\n", "has 'x' in column 2"},
                                           {"split/time/train.csv.gz", "3\n", "names node 3"},
                                           {"raw/triplet-type-list.csv.gz", "a\n", "several node types"}})
        EXPECT_NE(refusalWith(file, text).find(part), std::string::npos) << file << ": " << refusalWith(file, text);
    const Folder binary(Files{{"raw/data.npz", ""}});
    EXPECT_NE(test::errorOf([&] { readGraph(binary.path()); }).find("binary"), std::string::npos);
    const Folder partial(Files{{"raw/edge.csv", "0,1\n"}});
    EXPECT_NE(test::errorOf([&] { readGraph(partial.path()); }).find("no num-node-list"), std::string::npos);
}

}  // namespace
}  // namespace cleave
