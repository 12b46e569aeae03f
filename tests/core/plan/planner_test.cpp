// The three planners against every legal plan of generated programs.
#include "core/plan/planner.h"

#include <gmock/gmock.h>

#include <random>

#include "tests/core/plan/random_network.h"
#include "tests/core/test_files.h"

namespace cleave {
namespace {

using test::Network;
using test::randomNetwork;

Rates randomRates(std::mt19937_64& random)
{
    Rates rates;
    for (double* rate :
         {&rates.read, &rates.gather, &rates.write, &rates.elementwise, &rates.segmentReduce, &rates.gemm, &rates.slice, &rates.number})
        *rate *= std::pow(10.0, static_cast<double>(random() % 200) / 100 - 1);
    return rates;
}

// partly: functions compute some of the rows only, as they do for nodes that are asked for.
CostModel randomCosts(const PlanSpace& space, std::mt19937_64& random, bool partly)
{
    const std::int64_t nodes = 100 + static_cast<std::int64_t>(random() % 100000);
    const std::int64_t edges = nodes * (1 + static_cast<std::int64_t>(random() % 30));
    const bool isOneBatch = random() % 4 == 0;
    const std::int64_t batch = isOneBatch ? nodes : 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(nodes));
    GraphCounts counts = estimateCounts(space.analysis(), space.cut(space.messageDegree()), nodes, edges, batch);
    for (FunctionRows& rows : counts.functions)
        if (partly) {
            const double share = static_cast<double>(1 + random() % 100) / 100;
            const auto scale = [&](std::vector<RowCount>& all) {
                for (RowCount& count : all)
                    count.total *= share;
            };
            scale(rows.frames);
            std::ranges::for_each(rows.reach, scale);
        }
    return {space, std::move(counts), randomRates(random)};
}

// The least seconds of all legal plans with these constraints: every position of every op within what its operands leave.
double leastOfAll(const CostModel& costs, const Constraints& constraints, std::int64_t& plans)
{
    const PlanSpace& space = costs.space();
    Plan plan = space.messageDegree();
    plan.constraints = constraints;
    double least = std::numeric_limits<double>::infinity();
    const auto place = [&](const auto& self, std::size_t i) -> void {
        if (i == plan.positions.size()) {
            if (space.whyIllegal(plan).empty()) {
                least = std::min(least, costs.price(plan).seconds());
                ++plans;
            }
            return;
        }
        const PlacedOp& op = space.ops()[i];
        Position from = op.least;
        for (const int read : op.reads)
            from = std::max(from, plan.positions[static_cast<std::size_t>(read)]);
        for (Position at = from; at <= op.most; ++at.at) {
            plan.positions[i] = at;
            self(self, i + 1);
        }
    };
    place(place, 0);
    return least;
}

TEST(Cost, OpsBeforeTheMessagePassingAreBlockSeconds)
{
    Network network;
    const ValueId first = network.propagate(network.relu(network.x()));
    const ValueId b = network.relu(first);
    const Analysis analysis = network.finish({network.propagate(b)});
    const PlanSpace space(analysis);
    const Plan after = space.messageDegree();
    const Move move = space.moveOp(after, analysis.program[b].producer, Position::pre(2));
    ASSERT_TRUE(move.plan) << move.reason;
    const CostModel costs(space, estimateCounts(analysis, space.cut(after), 10000, 200000, 100), Rates());
    const PlanCost costAfter = costs.price(after), costBefore = costs.price(*move.plan);
    const auto blocksAfter = blockSeconds(space, after, costAfter), blocksBefore = blockSeconds(space, *move.plan, costBefore);
    ASSERT_EQ(blocksAfter.size(), costAfter.functions.size());
    EXPECT_EQ(blocksAfter[0].compute, 0) << "function 0 has no blocks";
    const auto own = [](const PlanCost& cost, const auto& blocks, std::size_t f) { return cost.functions[f].compute.seconds - blocks[f].compute; };
    const auto op = static_cast<std::size_t>(space.indexOf(analysis.program[b].producer));
    EXPECT_NEAR(own(costAfter, blocksAfter, 1), costAfter.ops[op].seconds, 1e-12) << "of function 1, relu alone is computed for its own rows";
    EXPECT_NEAR(own(costBefore, blocksBefore, 1), 0, 1e-12);
    EXPECT_NEAR(blocksBefore[2].compute - blocksAfter[2].compute, costBefore.ops[op].seconds, 1e-12);
    EXPECT_GT(blocksBefore[2].read, 0) << "the rows of the block that it is computed from";
}

TEST(Planner, OptimalIsTheLeastOfAllPlans)
{
    std::mt19937_64 random(17);
    std::int64_t plans = 0;
    int better = 0, betterThanGreedy = 0;
    for (int round = 0; round < 3000; ++round) {
        const Analysis analysis = randomNetwork(random, {1 + static_cast<int>(random() % 3), 3 + static_cast<int>(random() % 8), 64});
        const PlanSpace space(analysis);
        if (std::ranges::count(space.ops(), true, &PlacedOp::movable) > 12)
            continue;
        const CostModel costs = randomCosts(space, random, round % 3 == 0);
        PlanningOptions options;
        Plan start = space.messageDegree();
        for (int wish = static_cast<int>(random() % 3); round % 2 && wish > 0; --wish) {
            const OpId a = space.ops()[random() % space.ops().size()].op, b = space.ops()[random() % space.ops().size()].op;
            const Move move = random() % 2 ? space.pin(start, a, static_cast<int>(random() % static_cast<unsigned>(space.functions())))
                                           : space.keepTogether(start, a, b);
            if (move.plan)
                start = *move.plan;
        }
        options.constraints = start.constraints;
        const Planned degree = makePlan(Planner::MessageDegree, costs, options), greedy = makePlan(Planner::Greedy, costs, options),
                      optimal = makePlan(Planner::Optimal, costs, options);
        for (const Planned* planned : {&degree, &greedy, &optimal})
            ASSERT_EQ(space.whyIllegal(planned->plan), "");
        const double least = leastOfAll(costs, options.constraints, plans);
        ASSERT_NEAR(optimal.cost.seconds(), least, 1e-6 * least) << "round " << round;
        ASSERT_TRUE(optimal.proven) << "round " << round << ": bound " << optimal.bound << ", found " << optimal.cost.seconds();
        ASSERT_LE(optimal.bound, least * (1 + 1e-9));
        ASSERT_LE(optimal.cost.seconds(), greedy.cost.seconds() * (1 + 1e-9));
        ASSERT_LE(greedy.cost.seconds(), degree.cost.seconds() * (1 + 1e-9));
        better += optimal.cost.seconds() < degree.cost.seconds() * 0.999;
        betterThanGreedy += optimal.cost.seconds() < greedy.cost.seconds() * 0.999;
    }
    EXPECT_GT(plans, 30000);
    EXPECT_GT(better, 300);
    EXPECT_GT(betterThanGreedy, 30);
    RecordProperty("plans", static_cast<int>(plans));
}

TEST(Planner, ConstraintsThatCannotBeKeptAreNamed)
{
    Network network;
    const ValueId a = network.relu(network.x()), first = network.propagate(a), b = network.relu(first);
    const Analysis analysis = network.finish({b});
    const PlanSpace space(analysis);
    PlanningOptions options;
    options.constraints.join(analysis.program[a].producer, analysis.program[b].producer);
    options.constraints.pin(analysis.program[a].producer, 0);
    std::mt19937_64 random(1);
    const CostModel costs = randomCosts(space, random, false);
    const std::string reason = test::errorOf([&] { makePlan(Planner::Optimal, costs, options); });
    EXPECT_THAT(reason, testing::HasSubstr("pinned to function 0"));
}

TEST(Planner, StopsWhenAsked)
{
    std::mt19937_64 random(3);
    const Analysis analysis = randomNetwork(random, {3, 30, 64});
    const PlanSpace space(analysis);
    const CostModel costs = randomCosts(space, random, false);
    std::stop_source stop;
    stop.request_stop();
    EXPECT_THROW(makePlan(Planner::Optimal, costs, {}, {stop.get_token(), {}}), Cancelled);
}

// Deep networks of a thousand ops are solved and proven; a plan of theirs is priced in a fraction of a millisecond (tests/bench measures).
TEST(Planner, LargeProgramsAreProven)
{
    for (const int levels : {32, 4}) {
        std::mt19937_64 random(5);
        const Analysis analysis = randomNetwork(random, {levels, 1000, 64});
        const PlanSpace space(analysis);
        ASSERT_GT(space.ops().size(), 1000U);
        const CostModel costs = randomCosts(space, random, false);
        const Planned optimal = makePlan(Planner::Optimal, costs), greedy = makePlan(Planner::Greedy, costs);
        EXPECT_EQ(space.whyIllegal(optimal.plan), "");
        EXPECT_TRUE(optimal.proven);
        EXPECT_LE(optimal.bound, optimal.cost.seconds() * (1 + 1e-9));
        EXPECT_LE(optimal.cost.seconds(), greedy.cost.seconds() * (1 + 1e-9));
    }
}

}  // namespace
}  // namespace cleave
