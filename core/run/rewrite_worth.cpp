#include "core/run/rewrite_worth.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/memory_bound.h"

namespace cleave {

namespace {

// Of analysing and planning once more, for each op. A run is weighed where that takes a small part of it: by number of ops and not by the clock, so
// that the same run takes the same program again.
constexpr double secondsPerOp = 4e-4, shareOfRun = 0.2;

bool isWorthWeighing(const Model& model, double seconds)
{
    const double ops = static_cast<double>(model.uncut().program.ops.size());
    return model.traced && secondsPerOp * ops * static_cast<double>(model.analysis->rewrites.size()) < shareOfRun * seconds;
}

}  // namespace

std::optional<Rewrite> RewriteWorth::loses() const
{
    constexpr double share = 0.02, least = 1e-4;
    const auto best = std::ranges::min_element(without, {}, &std::pair<Rewrite, double>::second);
    return best != without.end() && best->second < std::min(seconds * (1 - share), seconds - least) ? std::optional(best->first) : std::nullopt;
}

double RewriteWorth::saved(Rewrite left) const
{
    return seconds - std::ranges::find(without, left, &std::pair<Rewrite, double>::first)->second;
}

RewriteWorth weighRewrites(const Model& model, double seconds, const std::function<double(const Model&)>& secondsOf, const Progress& progress)
{
    const std::shared_ptr<const Analysis>& traced = model.traced;
    RewriteWorth worth{seconds, secondsOf({traced, std::make_shared<CutProgram>(cutByMessageDegree(*traced))}), {}};
    const std::set<Rewrite> applied = appliedRewrites(*model.analysis);
    for (const Rewrite rewrite : applied) {
        std::set<Rewrite> others = applied;
        others.erase(rewrite);
        worth.without.emplace_back(rewrite, others.empty() ? worth.tracedSeconds : secondsOf(rewrittenModel(traced, others, progress)));
    }
    return worth;
}

Model withoutRewrite(const Model& model, Rewrite rewrite, const Progress& progress)
{
    std::set<Rewrite> others = appliedRewrites(*model.analysis);
    others.erase(rewrite);
    return rewrittenModel(model.traced, others, progress);
}

ProgramForGraph programFor(const Model& model, const DataGraph& graph, Planner planner, const RunOptions& options, Weighing weighing,
                           const Progress& progress, double mostBytes)
{
    ProgramForGraph chosen{model};
    const auto planOf = [&](const Model& of) { return planFor(of, graph, planner, options, progress); };
    const auto peakOf = [](const PricedPlan& plan) { return plan.planned.cost.peakBytes(); };
    const double room = mostBytes > 0 ? mostBytes : static_cast<double>(std::min<std::uint64_t>(availableMemory(), roomInCore()));
    const auto leaveOut = [&](Rewrite rewrite, double seconds) {
        Model other = withoutRewrite(chosen.model, rewrite, progress);
        PricedPlan plan = planOf(other);
        if (peakOf(plan) > room && peakOf(plan) >= peakOf(*chosen.plan))
            return false;
        chosen.model = std::move(other);
        chosen.plan = std::move(plan);
        chosen.leftOut.emplace_back(rewrite, seconds);
        return true;
    };
    try {
        chosen.plan = planOf(model);
        if (weighing == Weighing::Never)
            return chosen;
        if (model.traced && model.analysis->storedEdges > 0 && peakOf(*chosen.plan) > room)
            leaveOut(Rewrite::StoreEdges, 0);
        const auto isWorthIt = [&] {
            return weighing == Weighing::Always ? chosen.model.traced != nullptr : isWorthWeighing(chosen.model, chosen.plan->seconds());
        };
        while (isWorthIt()) {
            const RewriteWorth worth = weighRewrites(
                chosen.model, chosen.plan->seconds(), [&](const Model& of) { return planOf(of).seconds(); }, progress);
            if (const std::optional<Rewrite> loses = worth.loses(); !loses || !leaveOut(*loses, worth.saved(*loses)))
                break;
        }
    } catch (const Error& error) {
        progress.check();
        if (!chosen.plan)
            chosen.whyNoPlan = error.what();  // and with a plan it is run as it is
    }
    return chosen;
}

}  // namespace cleave
