// How long the planners and pricing take on generated networks: planners [SEEDS]. Skips, branches, attention, jumping knowledge; 32 levels.
#include <cstdio>
#include <cstdlib>

#include "core/base/stopwatch.h"
#include "core/plan/planner.h"
#include "tests/core/plan/random_network.h"

int main(int argc, char** argv)
{
    using namespace cleave;
    const int seeds = argc > 1 ? std::atoi(argv[1]) : 5;
    std::printf("| placed ops | levels | greedy | optimal | gap | saved against message degree | one plan priced |\n|---|---|---|---|---|---|---|\n");
    for (const int ops : {100, 1000, 5000})
        for (int seed = 1; seed <= seeds; ++seed) {
            std::mt19937_64 random(static_cast<std::uint64_t>(seed));
            const Analysis analysis = test::randomNetwork(random, {32, ops, 64});
            const PlanSpace space(analysis);
            const CostModel costs(space, estimateCounts(analysis, space.cut(space.messageDegree()), 1'000'000, 20'000'000, 8192), Rates{});
            Planned degree = makePlan(Planner::MessageDegree, costs), greedy, optimal;
            const double greedySeconds = secondsOf([&] { greedy = makePlan(Planner::Greedy, costs); });
            const double optimalSeconds = secondsOf([&] { optimal = makePlan(Planner::Optimal, costs); });
            constexpr int times = 20;
            const double price = secondsOf([&] {
                for (int i = 0; i < times; ++i)
                    costs.price(optimal.plan);
            });
            std::printf("| %zu | 32 | %.2f s | %.2f s | %.2g %% | %.1f %% | %.2f ms |\n", space.ops().size(), greedySeconds, optimalSeconds,
                        optimal.gap() * 100, (1 - optimal.cost.seconds() / degree.cost.seconds()) * 100, price / times * 1e3);
            std::fflush(stdout);
        }
    return 0;
}
