#include "core/graph/blocks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/core/test_files.h"

namespace cleave {
namespace {

using test::errorOf;

TEST(Blocks, GroupEdgesInTheirOriginalOrder)
{
    const std::vector<std::int64_t> segment{2, 0, 2, 1, 0, 2};
    const EdgesBySegment grouped = groupBySegment(segment, 4);
    const auto of = [&](int first, int last) {
        const auto span = grouped.of(first, last);
        return std::vector<std::int64_t>(span.begin(), span.end());
    };
    EXPECT_EQ(of(0, 1), (std::vector<std::int64_t>{1, 4}));
    EXPECT_EQ(of(1, 3), (std::vector<std::int64_t>{3, 0, 2, 5}));
    EXPECT_EQ(of(3, 4), (std::vector<std::int64_t>{}));
    EXPECT_NE(errorOf([&] { groupBySegment(segment, 2); }), "");
}

// Columns go where their edges' ids would say, however many threads there are and however many edges one range of nodes has.
TEST(Blocks, ColumnsGoAlongWithEdges)
{
    constexpr std::size_t edges = 1'300'000;
    constexpr std::int64_t nodes = 20'000;
    std::uint64_t state = 7;
    const auto next = [&](std::int64_t below) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        return static_cast<std::int64_t>(state >> 33) % below;
    };
    std::vector<std::int64_t> segment(edges), sources(edges);
    std::vector<std::uint32_t> weights(edges);
    for (std::size_t e = 0; e < edges; ++e) {
        segment[e] = next(3) > 0 ? 4000 + next(3) : next(nodes);  // hubs
        sources[e] = next(nodes + 10) - 5;                        // some from the last, some that there are not
        weights[e] = static_cast<std::uint32_t>(next(1 << 30));
    }
    std::vector<float> ofNodes;
    for (std::int64_t v = 0; v < nodes; ++v)
        ofNodes.push_back(1 / std::sqrt(static_cast<float>(1 + next(1000))));
    const EdgesBySegment ids = groupBySegment(segment, nodes);
    std::vector<std::uint32_t> expectedSources, expectedWeights;
    for (const std::int64_t e : ids.edges) {
        const std::int64_t source = sources[static_cast<std::size_t>(e)];
        expectedSources.push_back(static_cast<std::uint32_t>(source >= nodes ? -1 : source < 0 ? source + nodes : source));
        expectedWeights.push_back(weights[static_cast<std::size_t>(e)]);
    }
    for (const int threads : {1, 2, 5}) {
        EXPECT_EQ(groupBySegment(segment, nodes, threads).edges, ids.edges) << threads;
        std::vector<std::uint32_t> a(edges), b(edges), alone(edges);
        std::vector<EdgeWords> columns(2);
        columns[0].nodes = sources;
        columns[0].numNodes = nodes;
        columns[0].out = a.data();
        columns[1].words = weights;
        columns[1].out = b.data();
        const EdgesBySegment grouped = groupColumns(segment, nodes, columns, threads);
        EXPECT_EQ(grouped.begin, ids.begin) << threads;
        EXPECT_FALSE(grouped.hasIds());
        EXPECT_TRUE(a == expectedSources && b == expectedWeights) << threads;
        EdgeWords only = columns[0];
        only.out = alone.data();
        EXPECT_EQ(groupColumns(segment, nodes, {&only, 1}, threads).begin, ids.begin) << threads;
        EXPECT_TRUE(alone == expectedSources) << threads;
        // Two numbers of nodes multiplied, unless there is no such node.
        std::atomic<bool> isOutside = false;
        EdgeWords product;
        product.factors = {EdgeWords::Factor{ofNodes, segment}, EdgeWords::Factor{ofNodes, segment}};
        product.isOutside = &isOutside;
        product.out = alone.data();
        groupColumns(segment, nodes, {&product, 1}, threads);
        EXPECT_FALSE(isOutside);
        for (std::size_t i = 0; i < edges; ++i)
            if (const float number = ofNodes[static_cast<std::size_t>(segment[static_cast<std::size_t>(ids.edges[i])])];
                std::bit_cast<float>(alone[i]) != number * number) {
                ADD_FAILURE() << "edge " << i;
                break;
            }
        product.factors[1].index = sources;
        groupColumns(segment, nodes, {&product, 1}, threads);
        EXPECT_TRUE(isOutside);
        // Beside the sources, those of both ends of an edge.
        for (const std::int64_t least : {0, -5, 6}) {
            const bool areThere = least == 0;
            isOutside = false;
            std::vector<std::int64_t> ends = sources;
            for (std::int64_t& source : ends)  // all there, some from the last, some that there are not
                source = std::clamp<std::int64_t>(source, std::min<std::int64_t>(least, 0), least > 0 ? nodes + 5 : nodes - 1);
            columns[1] = product;
            columns[0].nodes = columns[1].factors[1].index = ends;
            columns[1].out = b.data();
            groupColumns(segment, nodes, columns, threads);
            EXPECT_EQ(isOutside, !areThere);
            std::size_t wrong = 0;
            for (std::size_t i = 0; i < edges; ++i) {
                const auto e = static_cast<std::size_t>(ids.edges[i]);
                const auto number = [&](std::int64_t node) { return ofNodes[static_cast<std::size_t>(node)]; };
                if (areThere && (a[i] != static_cast<std::uint32_t>(ends[e]) || std::bit_cast<float>(b[i]) != number(segment[e]) * number(ends[e])))
                    ++wrong;
            }
            EXPECT_EQ(wrong, 0U);
        }
        EXPECT_NE(errorOf([&] { groupColumns(segment, 4001, columns, threads); }), "");
    }
}

}  // namespace
}  // namespace cleave
