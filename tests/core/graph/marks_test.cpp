#include "core/graph/marks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/graph/blocks.h"
#include "tests/core/test_files.h"

namespace cleave {
namespace {

using test::errorOf;

std::uint64_t nextOf(std::uint64_t& state)
{
    state = state * 6364136223846793005U + 1442695040888963407U;
    return state >> 33;
}

struct RandomEdges {
    std::vector<std::int64_t> segment, sources;
    Marks isTarget;

    RandomEdges(std::size_t edges, std::int64_t nodes, std::uint64_t everyHowMany) : isTarget(marks(nodes, false))
    {
        std::uint64_t state = 11;
        for (std::size_t e = 0; e < edges; ++e) {
            segment.push_back(static_cast<std::int64_t>(nextOf(state)) % nodes);
            sources.push_back(static_cast<std::int64_t>(nextOf(state)) % (nodes + 10) - 5);  // some from the last, some that there are not
        }
        for (std::uint8_t& isMarked : isTarget)
            isMarked = nextOf(state) % everyHowMany == 0 ? 1 : 0;
    }

    std::vector<std::int64_t> ids() const
    {
        std::vector<std::int64_t> found;
        for (std::size_t e = 0; e < segment.size(); ++e)
            if (isTarget[static_cast<std::size_t>(segment[e])] != 0)
                found.push_back(static_cast<std::int64_t>(e));
        return found;
    }
};

TEST(Marks, EdgesIntoMarkedNodesKeepTheirOrder)
{
    const RandomEdges graph(100'000, 5000, 7);
    const std::vector<std::int64_t> expected = graph.ids();
    const auto count = static_cast<std::int64_t>(expected.size());
    ASSERT_GT(count, 1000);
    for (const int threads : {1, 2}) {
        const auto found = edgesIntoMarked(graph.segment, graph.isTarget, count, threads);
        ASSERT_TRUE(found);
        EXPECT_TRUE(std::ranges::equal(*found, expected));
        EXPECT_FALSE(edgesIntoMarked(graph.segment, graph.isTarget, count - 1, threads)) << "more than were allowed";
    }
    EXPECT_EQ(edgesIntoMarked(graph.segment, marks(5000, true), 100'000, 2)->size(), 100'000U);
    EXPECT_TRUE(edgesIntoMarked({}, marks(0, true), 0, 2)->empty());
    EXPECT_EQ(errorOf([&] {
                  edgesIntoMarked(std::vector<std::int64_t>{0, 3}, marks(3, true), 2, 2);
              }),
              "Edge 1 leads to node 3, but the graph has nodes 0 to 2.");
}

// Whether ids are known or not, whoever marks first.
TEST(Marks, EndsOfEdges)
{
    const RandomEdges graph(100'000, 5000, 50);
    const std::vector<std::int64_t> ids = graph.ids();
    Marks expected = marks(5000, false);
    for (const std::int64_t e : ids) {
        const std::int64_t source = graph.sources[static_cast<std::size_t>(e)], node = source < 0 ? source + 5000 : source;
        if (node < 5000)
            expected[static_cast<std::size_t>(node)] = 1;
    }
    ASSERT_GT(countOf(expected), 100);
    ASSERT_LT(countOf(expected), 4900);
    Marks ends = marks(5000, false);
    markEnds(graph.segment, graph.isTarget, graph.sources, ends, 2);
    EXPECT_EQ(ends, expected);
    Marks ofIds = marks(5000, false);
    markEnds(ids, graph.sources, ofIds);
    EXPECT_EQ(ofIds, expected);
    Marks both = marks(5000, false);
    both[17] = both[18] = 1;
    unite(both, ends);
    EXPECT_EQ(both[17] + both[18], 2);
    EXPECT_GE(countOf(both), countOf(expected));
}

// Edges into some nodes are those of all, in the order in which the nodes are given, and so is what went along with them.
TEST(Marks, EdgesIntoSomeNodes)
{
    const RandomEdges graph(100'000, 5000, 3);
    std::vector<std::uint32_t> words;
    for (std::uint32_t e = 0; e < 100'000; ++e)
        words.push_back(3 * e);
    const std::vector<std::int64_t> nodes{4999, 0, 17, 2500};
    const EdgesBySegment all = groupBySegment(graph.segment, 5000, 2);
    const EdgesBySegment some = edgesInto(all, nodes, 2);
    ASSERT_TRUE(some.hasIds());
    ASSERT_EQ(some.numNodes(), 5000);
    for (std::size_t i = 0; i < nodes.size(); ++i)
        EXPECT_TRUE(std::ranges::equal(some.of(static_cast<std::int64_t>(i), static_cast<std::int64_t>(i) + 1), all.of(nodes[i], nodes[i] + 1)));
    EXPECT_EQ(some.count(4, 5000), 0);

    std::vector<std::uint32_t> column(words.size()), ofSome(some.edges.size());
    EdgeWords along;
    along.words = words;
    along.out = column.data();
    const EdgesBySegment without = groupColumns(graph.segment, 5000, std::span(&along, 1), 2);
    const EdgesBySegment chosen = edgesInto(without, nodes, 2);
    EXPECT_FALSE(chosen.hasIds());
    EXPECT_EQ(chosen.begin, some.begin);
    copyInto(without, nodes, chosen, column.data(), ofSome.data(), 2);
    for (std::size_t i = 0; i < ofSome.size(); ++i)
        EXPECT_EQ(ofSome[i], 3 * some.edges[i]);
}

}  // namespace
}  // namespace cleave
