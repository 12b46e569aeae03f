// The three planners against every legal plan of generated programs.
#include "core/plan/planner.h"

#include <gmock/gmock.h>

#include <random>

#include "tests/core/plan/network.h"
#include "tests/core/test_files.h"

namespace cleave {
namespace {

using test::Network;

struct Shape {
    int levels = 2, movable = 12, width = 64;
};

// Chains, skips, branches, several gathers of one tensor, jumping knowledge. Nothing is left unread.
class RandomNetwork {
public:
    RandomNetwork(std::mt19937_64& random, const Shape& shape) : m_random(random), m_shape(shape) { made(m_network.x()); }

    Analysis finish()
    {
        int left = m_shape.movable;
        for (int level = 0; level <= m_shape.levels; ++level) {
            const int here = level == m_shape.levels ? left : std::min(left, below(2 * m_shape.movable / (m_shape.levels + 1) + 1));
            for (int i = 0; i < here; ++i, --left)
                made(rowWise());
            if (level < m_shape.levels) {
                const ValueId from = read(recent());
                made(below(3) == 0 ? m_network.compare(from, read(any())) : m_network.propagate(from));
            }
        }
        while (m_unread.size() > 1) {
            const ValueId first = read(m_unread.front());
            made(m_network.add(read(m_unread.back()), first));
        }
        std::vector<ValueId> outputs{m_made.back()};
        if (below(4) == 0)
            outputs.push_back(any());
        return m_network.finish(outputs);
    }

private:
    int below(int n) { return static_cast<int>(m_random() % static_cast<unsigned>(n)); }
    ValueId of(const std::vector<ValueId>& values, int last) { return values[values.size() - 1 - static_cast<std::size_t>(below(std::min(last, static_cast<int>(values.size()))))]; }
    ValueId recent() { return of(m_made, 3); }
    ValueId any() { return below(2) && !m_unread.empty() ? of(m_unread, 1 << 20) : of(m_made, below(3) ? 3 : 1 << 20); }

    ValueId read(ValueId value)
    {
        std::erase(m_unread, value);
        return value;
    }
    void made(ValueId value)
    {
        m_made.push_back(value);
        m_unread.push_back(value);
    }

    ValueId rowWise()
    {
        const ValueId from = read(any());
        const int kind = below(4);
        if (kind == 0 || m_network.width(from) > 8 * m_shape.width)
            return m_network.linear(from, 1 + below(m_shape.width));
        return kind == 1 ? m_network.add(from, read(any())) : m_network.relu(from);
    }

    std::mt19937_64& m_random;
    Shape m_shape;
    Network m_network;
    std::vector<ValueId> m_made, m_unread;
};

Analysis randomNetwork(std::mt19937_64& random, const Shape& shape)
{
    return RandomNetwork(random, shape).finish();
}

Rates randomRates(std::mt19937_64& random)
{
    Rates rates;
    for (double* rate : {&rates.read, &rates.gather, &rates.write, &rates.elementwise, &rates.segmentReduce, &rates.gemm, &rates.slice, &rates.number})
        *rate *= std::pow(10.0, static_cast<double>(random() % 200) / 100 - 1);
    return rates;
}

CostModel randomCosts(const PlanSpace& space, std::mt19937_64& random)
{
    const std::int64_t nodes = 100 + static_cast<std::int64_t>(random() % 100000);
    const std::int64_t edges = nodes * (1 + static_cast<std::int64_t>(random() % 30));
    const std::int64_t batch = 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(nodes));
    return {space, estimateCounts(space.analysis(), space.cut(space.messageDegree()), nodes, edges, batch), randomRates(random)};
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
        const CostModel costs = randomCosts(space, random);
        PlanningOptions options;
        Plan start = space.messageDegree();
        for (int wish = static_cast<int>(random() % 3); round % 2 && wish > 0; --wish) {
            const OpId a = space.ops()[random() % space.ops().size()].op, b = space.ops()[random() % space.ops().size()].op;
            const Move move = random() % 2 ? space.pin(start, a, static_cast<int>(random() % static_cast<unsigned>(space.functions()))) : space.keepTogether(start, a, b);
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
    const CostModel costs = randomCosts(space, random);
    const std::string reason = test::errorOf([&] { makePlan(Planner::Optimal, costs, options); });
    EXPECT_THAT(reason, testing::HasSubstr("pinned to function 0"));
}

TEST(Planner, StopsWhenAsked)
{
    std::mt19937_64 random(3);
    const Analysis analysis = randomNetwork(random, {3, 30, 64});
    const PlanSpace space(analysis);
    const CostModel costs = randomCosts(space, random);
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
        const CostModel costs = randomCosts(space, random);
        const Planned optimal = makePlan(Planner::Optimal, costs), greedy = makePlan(Planner::Greedy, costs);
        EXPECT_EQ(space.whyIllegal(optimal.plan), "");
        EXPECT_TRUE(optimal.proven);
        EXPECT_LE(optimal.bound, optimal.cost.seconds() * (1 + 1e-9));
        EXPECT_LE(optimal.cost.seconds(), greedy.cost.seconds() * (1 + 1e-9));
    }
}

}  // namespace
}  // namespace cleave
