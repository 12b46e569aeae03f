// Which rows layers need: a path by hand, the karate club against its adjacency matrix.
#include "core/graph/receptive_field.h"

#include <gmock/gmock.h>

#include <numeric>

#include "core/base/memory.h"
#include "core/graph/degrees.h"
#include "core/graph/generate.h"
#include "tests/core/test_files.h"

namespace cleave {
namespace {

using testing::ElementsAre;

TEST(ReceptiveField, GrowsHopByHopAgainstTheEdges)
{
    const std::vector<std::int64_t> sources{0, 1, 2, 4}, targets{1, 2, 3, 4};  // 0 → 1 → 2 → 3, and 4 to itself
    const EdgeList path{5, sources, targets};
    const auto field = receptiveField(path, std::vector<std::int64_t>{2}, 3);
    EXPECT_THAT(field, ElementsAre(ElementsAre(2), ElementsAre(1, 2), ElementsAre(0, 1, 2), ElementsAre(0, 1, 2)));
    EXPECT_EQ(nodeWiseWork(path, 2, 5), (RowWork{10, 5}));
    EXPECT_EQ(nodeWiseWork(path, 1, 1), (RowWork{5, 8}));
    // One by one: hops of 0, 1, 2, 3, 4 are 1 1; 1 2; 1 2; 1 2; 1 1 rows to compute and 1, 2, 3, 3, 1 to read.
    EXPECT_EQ(nodeWiseWork(path, 2, 1), (RowWork{13, 10}));
    EXPECT_EQ(layerWiseWork(path, 2, 1), (RowWork{10, 16}));
}

TEST(ReceptiveField, NodeWiseWorkGrowsFasterThanLayers)
{
    const DataGraph club = karateClub();
    const Array& index = club.arrays.at("edge_index");
    const std::span<const std::int64_t> all(index.as<std::int64_t>(), static_cast<std::size_t>(index.count()));
    const auto half = all.size() / 2;
    const EdgeList edges{club.numNodes, all.subspan(0, half), all.subspan(half)};
    // Boolean powers of A + I, row by row.
    constexpr std::size_t v = 34;
    std::vector<std::vector<char>> reach(v, std::vector<char>(v)), step = reach;
    for (std::size_t i = 0; i < v; ++i)
        reach[i][i] = step[i][i] = 1;
    for (std::size_t e = 0; e < half; ++e)
        step[static_cast<std::size_t>(edges.targets[e])][static_cast<std::size_t>(edges.sources[e])] = 1;
    std::int64_t computed = 0;
    for (int layers = 1; layers <= 4; ++layers) {
        for (const auto& row : reach)
            computed += std::accumulate(row.begin(), row.end(), std::int64_t{0});
        std::vector<std::vector<char>> next(v, std::vector<char>(v));
        for (std::size_t i = 0; i < v; ++i)
            for (std::size_t j = 0; j < v; ++j)
                for (std::size_t k = 0; reach[i][j] && k < v; ++k)
                    next[i][k] = static_cast<char>(next[i][k] | step[j][k]);
        reach = std::move(next);
        std::int64_t read = 0;
        for (const auto& row : reach)
            read += std::accumulate(row.begin(), row.end(), std::int64_t{0});
        EXPECT_EQ(nodeWiseWork(edges, layers, 1), (RowWork{computed, read}));
        EXPECT_EQ(layerWiseWork(edges, layers, 1).computed, layers * 34);
    }
}

TEST(Degrees, AreThoseOfTheKarateClub)
{
    const auto degrees = summarizeDegrees(karateClub());
    ASSERT_TRUE(degrees);
    EXPECT_EQ(degrees->least, 1);
    EXPECT_EQ(degrees->most, 17);
    EXPECT_EQ(degrees->median, 3);
    EXPECT_DOUBLE_EQ(degrees->mean, 156.0 / 34);
    EXPECT_THAT(degrees->histogram, ElementsAre(0, 1, 17, 11, 3, 2)) << "0, 1, 2 to 3, 4 to 7, 8 to 15, 16 to 31";
    EXPECT_FALSE(summarizeDegrees(DataGraph()));
}

// What a file says it has need not be there.
TEST(Degrees, AreNotCountedOfMoreNodesThanFit)
{
    DataGraph graph = karateClub();
    graph.numNodes = static_cast<std::int64_t>(physicalMemory());
    EXPECT_FALSE(summarizeDegrees(graph));
}

TEST(Degrees, CountAllRelationsIntoNodesOfSeveralTypes)
{
    const DataGraph graph = readGraph(test::testDir() / "models/zoo/to_hetero.npz");
    const auto degrees = summarizeDegrees(graph);
    ASSERT_TRUE(degrees);
    std::int64_t nodes = 0;
    for (const std::int64_t bin : degrees->histogram)
        nodes += bin;
    EXPECT_EQ(nodes, 60 + 45 + 17);
    EXPECT_NEAR(degrees->mean, (120 + 120 + 60 + 60 + 150) / 122.0, 1e-12);
}

}  // namespace
}  // namespace cleave
