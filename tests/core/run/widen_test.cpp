// The uncut model in float64, which tells whether the cut one or the uncut one is the less exact in float32.
#include <gtest/gtest.h>

#include <random>

#include "core/run/bind.h"
#include "core/run/comparing.h"
#include "core/run/precision.h"
#include "tests/core/run/zoo_files.h"
#include "tests/core/run/zoo_models.h"

namespace cleave {
namespace {

// Rows in bfloat16 that are made float32 at once have lost nothing that the model knows of; what is computed in bfloat16 has.
TEST(Precision, WhatIsOnlyReadIsExact)
{
    Program program;
    program.values.resize(2);
    program.values[0].dtype = DType::BFloat16;
    program.values[1].producer = OpId{0};
    program.ops.resize(1);
    program.ops[0].args = {{"self", {ValueId{0}}}};
    program.outputs = program.ops[0].outputs = {ValueId{1}};
    for (const DType computed : {DType::Float32, DType::BFloat16}) {
        program.values[1].dtype = computed;
        EXPECT_EQ(narrowestType(program), computed);
    }
}

TEST(InFloat64, TheUncutModelGivesTheSameAnswers)
{
    std::size_t at = 0;
    int tried = 0;
    for (const auto& [folder, name, expect, roles] : test::rightModels()) {
        if (!roles.empty() || (at++ % 8 != 0 && !test::hasTime()))
            continue;
        SCOPED_TRACE(name);
        const DataGraph graph = test::zooGraph(name);
        const Model model = test::openBeside(graph, test::zooFile(name));
        ++tried;
        const RunResult narrow = runFullGraph(model, graph), wide = runInFloat64(model, graph, {}, {});
        ASSERT_EQ(narrow.outputs.size(), wide.outputs.size());
        for (std::size_t i = 0; i < wide.outputs.size(); ++i) {
            EXPECT_NE(wide.outputs[i].array.dtype, DType::Float32);
            const Comparison c = compare(narrow.outputs[i], wide.outputs[i].array, usualTolerance(model));
            EXPECT_TRUE(c.equal) << c.output << " by " << c.maxAbsolute;
        }
    }
    EXPECT_GT(tried, 12);
}

// The mean over many nodes, which LibTorch adds up one after the other: off by more than the tolerance, and the cut model is not.
// Features that all lie on one side of 0, whose long sums are less exact in float32.
DataGraph oneSidedGraph()
{
    constexpr std::int64_t nodes = 400'000, width = 12;
    std::mt19937 random(7);
    NewArray x = makeArray(DType::Float32, {nodes, width});
    for (std::int64_t i = 0; i < nodes * width; ++i)
        reinterpret_cast<float*>(x.data)[i] = static_cast<float>(random() & 0xffffff) * 0x1p-24F + 1;
    NewArray edges = makeArray(DType::Int64, {2, nodes});
    for (std::int64_t i = 0; i < 2 * nodes; ++i)
        reinterpret_cast<std::int64_t*>(edges.data)[i] = static_cast<std::int64_t>(random() % nodes);
    DataGraph graph;
    graph.numNodes = graph.numEdges = nodes;
    graph.arrays = {{"x", x.array}, {"edge_index", edges.array}};
    return graph;
}

TEST(InFloat64, TellsThatTheUncutModelIsOff)
{
    const DataGraph graph = oneSidedGraph();
    const Model model = test::openZoo("graph_norm");
    const VerifyResult result = verify(model, graph);
    const Comparison& c = result.comparisons.front();
    EXPECT_FALSE(c.equal);
    EXPECT_TRUE(c.equalInFloat64) << c.maxAbsolute;
    EXPECT_GT(c.uncutGap, 0);
    EXPECT_TRUE(result.equal());
    EXPECT_TRUE(c.worstJitters.empty());
    EXPECT_EQ(c.layerWiseGap, 0);

    // Where both are over tolerance, the nearer one is right; far off, it is not.
    VerifyResult near;
    VerifyOptions options;
    for (options.tolerance = Tolerance{5e-7, 0}; near.comparisons.empty() || !near.equal(); options.tolerance->absolute *= 2) {
        ASSERT_LT(options.tolerance->absolute, 1e-4);
        near = verify(model, graph, options);
    }
    const Comparison& nearer = near.comparisons.front();
    EXPECT_TRUE(nearer.equalInFloat64);
    EXPECT_GT(nearer.layerWiseGap, 0);
    EXPECT_LE(nearer.layerWiseGap, nearer.uncutGap * 1.0001);
}

// The degree of a hub ends at 256 in bfloat16, and its mean is twice what it should be; the cut model counts on.
TEST(InFloat64, TellsThatDegreesOfTheUncutModelEndAt256)
{
    DataGraph graph = test::zooGraph("bfloat16");
    const auto& x = graph.arrays.at("x");
    constexpr std::int64_t edges = 1000;
    NewArray hub = makeArray(DType::Int64, {2, edges});
    for (std::int64_t i = 0; i < edges; ++i) {
        reinterpret_cast<std::int64_t*>(hub.data)[i] = i % x.shape[0];
        reinterpret_cast<std::int64_t*>(hub.data)[edges + i] = 0;
    }
    graph.numEdges = edges;
    graph.arrays["edge_index"] = hub.array;
    const VerifyResult result = verify(test::openZoo("bfloat16"), graph);
    const Comparison& c = result.comparisons.front();
    EXPECT_FALSE(c.equal);
    EXPECT_TRUE(c.equalInFloat64) << c.maxAbsolute;
    EXPECT_EQ(c.narrowest, DType::BFloat16);
    EXPECT_GT(c.uncutGap, 0.02);
    EXPECT_LT(c.layerWiseGap, 0.1 * c.uncutGap);
}

}  // namespace
}  // namespace cleave
