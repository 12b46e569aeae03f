// Graph files on the command line.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/graph/npy.h"
#include "tests/app/cli.h"
#include "tests/core/test_files.h"

namespace cleave {
namespace {

using test::example;
using test::Result;
using test::run;

std::string karateAs(const test::TemporaryFolder& folder, const std::string& name)
{
    const std::string archive = (folder / "karate.npz").string(), path = (folder / name).string();
    EXPECT_EQ(run("generate karate " + archive).code, 0);
    EXPECT_EQ(run("convert " + archive + " " + path).code, 0);
    return path;
}

TEST(GraphFiles, ConvertWritesAndSaysWhatIsLeftOut)
{
    const test::TemporaryFolder folder;
    const std::string list = karateAs(folder, "karate.txt"), archive = (folder / "back.npz").string();
    const Result left = run("convert " + (folder / "karate.npz").string() + " " + (folder / "karate.csv.gz").string());
    EXPECT_EQ(left.code, 0);
    EXPECT_EQ(left.err, "Files that end in .csv hold edges only: left out are x, y.\n");
    EXPECT_EQ(left.out, (folder / "karate.csv.gz").string() + ": 34 nodes, 156 edges\n");
    EXPECT_EQ(test::readText(list).substr(0, 27), "# Nodes: 34 Edges: 156\n0\t1\n");
    ASSERT_EQ(run("convert " + list + " " + archive).code, 0);
    EXPECT_EQ(readNpz(archive).at("edge_index").shape, (std::vector<std::int64_t>{2, 156}));
    ASSERT_EQ(run("convert " + list + " " + (folder / "arrays").string()).code, 0);
    EXPECT_EQ(readNpy(folder / "arrays/edge_index.npy").shape, (std::vector<std::int64_t>{2, 156}));
    for (const std::string& to : {(folder / "g.dot").string(), (folder / "arrays").string(), (folder / "nowhere/g.npz").string()}) {
        const Result refused = run("convert " + list + " " + to);
        EXPECT_EQ(refused.code, 1) << to;
        EXPECT_EQ(std::count(refused.err.begin(), refused.err.end(), '\n'), 1) << refused.err;
    }
    EXPECT_EQ(run("convert " + list).code, 2);
}

TEST(GraphFiles, UndirectedAddsTheOtherDirection)
{
    const test::TemporaryFolder folder;
    test::writeText(folder / "g.csv", "0,1\n1,2\n2,1\n");
    const Result result = run("convert --undirected " + (folder / "g.csv").string() + " " + (folder / "g.tsv").string());
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(test::readText(folder / "g.tsv"), "source\ttarget\n0\t1\n1\t2\n2\t1\n1\t0\n");
}

TEST(GraphFiles, ListsOfEdgesRunWithRandomFeaturesAndNames)
{
    const test::TemporaryFolder folder;
    test::writeText(folder / "g.csv", "ann,bob\nbob,cat\ncat,ann smith\nann smith,ann\n");
    const std::string files = example("gcn.pt2") + " " + (folder / "g.csv").string(), out = (folder / "out.npy").string();
    const Result bare = run("run " + files + " --out " + out);
    EXPECT_EQ(bare.code, 1);
    EXPECT_NE(bare.err.find("--features random"), std::string::npos) << bare.err;
    ASSERT_EQ(run("run " + files + " --features random --out " + out).code, 0);
    const Array all = readNpy(out);
    ASSERT_EQ(all.shape, (std::vector<std::int64_t>{4, 7}));
    ASSERT_EQ(run("run " + files + " --features random --targets 'ann smith,bob' --out " + out).code, 0);
    const Array some = readNpy(out);
    ASSERT_EQ(some.shape, (std::vector<std::int64_t>{2, 7}));
    for (int i = 0; i < 7; ++i)
        EXPECT_NEAR(some.as<float>()[i], all.as<float>()[21 + i], 1e-5);
    const Result nobody = run("run " + files + " --features random --targets dora --out " + out);
    EXPECT_EQ(nobody.code, 1);
    EXPECT_EQ(nobody.err, "--targets: the graph has no node called 'dora'.\n");
}

TEST(GraphFiles, VerifyNamesTheNodesThatDiffer)
{
    const test::TemporaryFolder folder;
    test::writeText(folder / "g.txt", "30 7\n7 100\n100 30\n");
    NewArray wrong = makeArray(DType::Float32, {3, 7});
    std::fill_n(reinterpret_cast<float*>(wrong.data), 21, 1e3F);
    writeNpz(folder / "wrong.npz", {{"expected", wrong.array}});
    const std::string verify =
        "verify " + example("gcn.pt2") + " " + (folder / "g.txt").string() + " --features random --expected " + (folder / "wrong.npz").string();
    const Result text = run(verify);
    EXPECT_EQ(text.code, 3) << text.err;
    const std::size_t line = text.out.find("differ most");
    ASSERT_NE(line, std::string::npos) << text.out;
    EXPECT_NE(text.out.find("100", line), std::string::npos) << text.out;
    const auto json = nlohmann::json::parse(run(verify + " --json").out);
    bool isThere = false;
    for (const auto& comparison : json["comparisons"])
        isThere = isThere || (comparison.contains("worst_names") && comparison["worst_names"].size() == 3);
    EXPECT_TRUE(isThere);
}

}  // namespace
}  // namespace cleave
