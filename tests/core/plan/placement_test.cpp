#include "core/plan/placement.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "core/plan/min_cut.h"
#include "tests/core/run/zoo_files.h"

namespace cleave {
namespace {

// Every division is tried.
TEST(MinCuts, AreTheLeastOfAllDivisions)
{
    for (unsigned seed = 0; seed < 300; ++seed) {
        std::mt19937 random(seed);
        const int nodes = 1 + static_cast<int>(random() % 9);
        struct Arc {
            int from, to;
            double cost;
        };
        std::vector<Arc> arcs;
        std::vector<double> onFirst, onSecond;
        MinCut cut(nodes);
        for (int i = 0; i < nodes; ++i) {
            onFirst.push_back(static_cast<double>(random() % 8));
            onSecond.push_back(random() % 5 == 0 ? std::numeric_limits<double>::infinity() : static_cast<double>(random() % 8));
            cut.payOnFirst(i, onFirst.back());
            cut.payOnSecond(i, onSecond.back());
        }
        for (int i = 0; i < 2 * nodes; ++i) {
            arcs.push_back({static_cast<int>(random() % static_cast<unsigned>(nodes)), static_cast<int>(random() % static_cast<unsigned>(nodes)),
                            static_cast<double>(random() % 10) / 2});
            cut.mustPay(arcs.back().from, arcs.back().to, arcs.back().cost);
        }
        const auto price = [&](const std::vector<bool>& isSecond) {
            double sum = 0;
            for (int i = 0; i < nodes; ++i)
                sum += isSecond[static_cast<std::size_t>(i)] ? onSecond[static_cast<std::size_t>(i)] : onFirst[static_cast<std::size_t>(i)];
            for (const Arc& arc : arcs)
                sum += !isSecond[static_cast<std::size_t>(arc.from)] && isSecond[static_cast<std::size_t>(arc.to)] ? arc.cost : 0;
            return sum;
        };
        double least = std::numeric_limits<double>::infinity();
        for (unsigned division = 0; division < 1u << nodes; ++division) {
            std::vector<bool> isSecond;
            for (int i = 0; i < nodes; ++i)
                isSecond.push_back((division >> i & 1) != 0);
            least = std::min(least, price(isSecond));
        }
        EXPECT_NEAR(price(cut.solve()), least, 1e-9) << "seed " << seed;
    }
}

// What a placement adds up to for the minimum cut.
double sumOf(const DevicePlacement& placement, const PlanCost& cost, const DeviceRates& rates)
{
    const Rates host;
    const double toDevice = std::min(rates.toDevice, host.read), fromDevice = std::min(rates.fromDevice, host.write);
    double sum = 0;
    for (std::size_t i = 0; i < placement.functions.size(); ++i) {
        const PlacedFunction& f = placement.functions[i];
        const double structure = cost.functions[i].prepare.bytes;
        sum += f.onDevice ? structure / toDevice + std::max(f.prepareSeconds, f.computeSeconds) + (f.bytesIn - structure) / toDevice : f.seconds();
        sum += f.bytesOut / fromDevice;
    }
    return sum;
}

struct Priced {
    explicit Priced(const std::string& name, std::int64_t nodes = 1'000'000, std::int64_t edges = 16'000'000)
        : model(test::openZoo(name)), space(*model.analysis), plan(space.messageDegree()),
          costs(space, estimateCounts(*model.analysis, space.cut(plan), nodes, edges, 16384), Rates()), cost(costs.price(plan))
    {
    }

    Model model;
    PlanSpace space;
    Plan plan;
    CostModel costs;
    PlanCost cost;
};

TEST(Placements, AreTheLeastSumOfAll)
{
    std::mt19937 random(7);
    for (const char* name : {"gcn", "gat", "jk_cat", "pair_norm", "sage_mean", "appnp", "link_prediction"}) {
        const Priced priced(name);
        const std::size_t count = priced.cost.functions.size();
        ASSERT_LE(count, 14u);
        for (int round = 0; round < 20; ++round) {
            DeviceRates rates;
            for (double* rate : {&rates.toDevice, &rates.fromDevice, &rates.memory, &rates.edgeRows, &rates.gemm})
                *rate *= std::exp(std::normal_distribution(-1.0, 2.0)(random));
            const Placing placing(priced.costs, priced.plan, priced.cost, rates);
            const DevicePlacement best = placing.best();
            double least = std::numeric_limits<double>::infinity();
            for (unsigned chosen = 0; chosen < 1u << count; ++chosen) {
                std::vector<bool> onDevice;
                bool may = true;
                for (std::size_t i = 0; i < count; ++i) {
                    onDevice.push_back((chosen >> i & 1) != 0);
                    may = may && (!onDevice.back() || placing.mayRunThere(i));
                }
                if (may)
                    least = std::min(least, sumOf(placing.price(onDevice), priced.cost, rates));
            }
            EXPECT_LE(best.seconds(), priced.cost.seconds() * (1 + 1e-9));
            if (best.usesDevice())
                EXPECT_NEAR(sumOf(best, priced.cost, rates), least, 1e-9 * least) << name << ", round " << round;
            else
                EXPECT_LE(least, sumOf(best, priced.cost, rates) * (1 + 1e-9));
        }
    }
}

TEST(Placements, FollowTheRates)
{
    const Priced priced("pair_norm");
    DeviceRates rates;
    rates.toDevice = rates.fromDevice = rates.memory = rates.edgeRows = rates.gemm = 1e18;
    rates.opSeconds = 0;
    const DevicePlacement fast = Placing(priced.costs, priced.plan, priced.cost, rates).best();
    for (std::size_t i = 0; i < fast.functions.size(); ++i)
        EXPECT_EQ(fast.functions[i].onDevice, !priced.cost.functions[i].isGlobal) << "global ops go through stored rows";
    rates.toDevice = 1e3;
    const DevicePlacement far = Placing(priced.costs, priced.plan, priced.cost, rates).best();
    EXPECT_FALSE(far.usesDevice());
    EXPECT_DOUBLE_EQ(far.seconds(), priced.cost.seconds());
}

// A function that the CPU would run a little sooner stays on the device where its neighbours are: its rows would have to cross over and back.
TEST(Placements, NeighboursStayTogether)
{
    const Priced priced("appnp");
    DeviceRates rates;
    const Placing placing(priced.costs, priced.plan, priced.cost, rates);
    std::vector<bool> all(priced.cost.functions.size(), true);
    const DevicePlacement together = placing.price(all);
    ASSERT_GE(all.size(), 4u);
    EXPECT_GT(together.functions[1].bytesKept, 0);
    EXPECT_EQ(together.functions[1].bytesOut, 0);
    all[2] = false;
    const DevicePlacement apart = placing.price(all);
    EXPECT_GT(apart.functions[1].bytesOut, 0);
    EXPECT_GT(apart.bytesIn() + priced.cost.functions[2].prepare.bytes, together.bytesIn());
}

// What is read at any place, and edges in their order, come before the first batch; what is read in order comes beside the others. What leaves is
// written by the host, which rows of edges are as well.
TEST(Placements, LanesGoSideBySideBehindWhatComesFirst)
{
    const Priced priced("link_prediction");
    DeviceRates rates;
    rates.toDevice = 1e9;  // slower than the host fills what is copied
    const DevicePlacement there =
        Placing(priced.costs, priced.plan, priced.cost, rates).price(std::vector<bool>(priced.cost.functions.size(), true));
    ASSERT_EQ(there.functions.size(), 4U);
    const PlacedFunction &linear = there.functions[0], &gathers = there.functions[1], &scores = there.functions[3];
    EXPECT_EQ(linear.firstSeconds, 0);
    EXPECT_GT(linear.inSeconds, 0);
    EXPECT_GT(gathers.bytesIn, 0);
    EXPECT_DOUBLE_EQ(gathers.firstSeconds, gathers.bytesIn / rates.toDevice);
    EXPECT_DOUBLE_EQ(gathers.firstSeconds, gathers.inSeconds);
    for (const PlacedFunction& f : there.functions)
        EXPECT_DOUBLE_EQ(f.seconds(),
                         f.firstSeconds + std::max({f.prepareSeconds + f.saveSeconds, f.inSeconds - f.firstSeconds, f.computeSeconds, f.outSeconds}));
    EXPECT_DOUBLE_EQ(scores.bytesOut, 16e6 * sizeof(float));
    EXPECT_DOUBLE_EQ(scores.saveSeconds, scores.bytesOut / Rates().write);
}

TEST(Placements, RatesOfADeviceMakePlansForIt)
{
    DeviceRates device;
    device.gemm = 7e13;
    Rates host;
    host.number = 3e7;
    const Rates rates = ratesOn(device, host);
    EXPECT_EQ(rates.gemm, 7e13);
    EXPECT_EQ(rates.number, 3e7) << "blocks are cut by the host";
}

}  // namespace
}  // namespace cleave
