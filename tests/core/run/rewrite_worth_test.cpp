#include <gmock/gmock.h>

#include "core/base/error.h"
#include "core/run/rewrite_worth.h"
#include "tests/core/run/zoo_files.h"

namespace cleave {
namespace {

using testing::IsEmpty;

Model rewrittenZoo(const char* name)
{
    return openModel(test::testDir() / "models/zoo" / (std::string(name) + ".pt2"), {{}, false, allRewrites()});
}

// A graph of which only the numbers count: what plans are made from.
DataGraph numbersOnly(const char* name, std::int64_t nodes, std::int64_t edges)
{
    DataGraph graph = test::zooGraph(name);
    graph.numNodes = nodes;
    graph.numEdges = edges;
    graph.arrays.clear();
    return graph;
}

TEST(RewriteWorth, SaysWhatIsLostWithoutEach)
{
    const Model model = rewrittenZoo("sage_mean");
    const std::set<Rewrite> applied = appliedRewrites(*model.analysis);
    ASSERT_GE(applied.size(), 2U);
    const Rewrite first = *applied.begin(), last = *applied.rbegin();
    // The first saves two seconds, the last costs half of one.
    const auto secondsOf = [&](const Model& of) {
        const std::set<Rewrite> here = appliedRewrites(*of.analysis);
        return 10.0 - (here.contains(first) ? 2 : 0) + (here.contains(last) ? 0.5 : 0);
    };
    const RewriteWorth worth = weighRewrites(model, secondsOf(model), secondsOf);
    EXPECT_EQ(worth.tracedSeconds, 10);
    ASSERT_EQ(worth.without.size(), applied.size());
    EXPECT_EQ(worth.loses(), last);
    EXPECT_NEAR(worth.saved(last), 0.5, 1e-12);
    EXPECT_NEAR(worth.saved(first), worth.seconds - secondsOf(withoutRewrite(model, first)), 1e-12) << "others may apply with it only";
    EXPECT_LT(worth.saved(first), 0);
    const Model less = withoutRewrite(model, last);
    EXPECT_FALSE(appliedRewrites(*less.analysis).contains(last));
    EXPECT_TRUE(appliedRewrites(*less.analysis).contains(first));
}

TEST(RewriteWorth, DifferencesThatNoModelOfCostsTellAreNoLoss)
{
    EXPECT_FALSE((RewriteWorth{1, 1, {{Rewrite::OneGather, 0.985}}}.loses()));
    EXPECT_TRUE((RewriteWorth{1, 1, {{Rewrite::OneGather, 0.97}}}.loses()));
    EXPECT_FALSE((RewriteWorth{1e-4, 1e-4, {{Rewrite::OneGather, 5e-5}}}.loses()));
    EXPECT_FALSE(RewriteWorth{}.loses());
}

TEST(RewriteWorth, WhatLosesOnAGraphIsLeftOutIfNobodyAskedForIt)
{
    bool anyLoses = false;
    for (const char* name : {"triplets", "sage_mean", "simulator", "gat", "transformer_edges", "jk_max"}) {
        const Model model = rewrittenZoo(name);
        const DataGraph graph = numbersOnly(name, 200'000, 3'000'000);
        const double all = planFor(model, graph, usualPlanner(), {}).seconds();
        const ProgramForGraph asked = programFor(model, graph, usualPlanner(), {}, Weighing::Never, {}, 1e15);
        EXPECT_EQ(appliedRewrites(*asked.model.analysis), appliedRewrites(*model.analysis)) << name;
        const ProgramForGraph chosen = programFor(model, graph, usualPlanner(), {}, Weighing::WhereShort, {}, 1e15);
        ASSERT_TRUE(chosen.plan) << name << chosen.whyNoPlan;
        EXPECT_NEAR(chosen.plan->seconds(), planFor(chosen.model, graph, usualPlanner(), {}).seconds(), 1e-9) << name;
        for (const auto& [rewrite, seconds] : chosen.leftOut) {
            EXPECT_FALSE(appliedRewrites(*chosen.model.analysis).contains(rewrite)) << name;
            EXPECT_GT(seconds, 0) << name;
        }
        if (chosen.leftOut.empty()) {
            EXPECT_EQ(chosen.plan->seconds(), all) << name;
        } else {
            EXPECT_LT(chosen.plan->seconds(), all) << name;
            anyLoses = true;
        }
        EXPECT_THAT(programFor(model, numbersOnly(name, 100, 1000), usualPlanner(), {}, Weighing::WhereShort).leftOut, IsEmpty())
            << name << ": not worth the weighing";
    }
    EXPECT_TRUE(anyLoses);
}

}  // namespace
}  // namespace cleave
