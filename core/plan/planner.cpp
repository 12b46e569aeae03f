#include "core/plan/planner.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/plan/optimal.h"

namespace cleave {

namespace {

// Tensors that several ops or message passings read are worth trying at each cut that they could cross.
Plan greedy(const CostModel& costs, Plan plan, const Progress& progress)
{
    const PlanSpace& space = costs.space();
    struct Candidate {
        ValueId tensor;
        int first, last;  // cuts
    };
    std::vector<Candidate> candidates;
    for (const CostModel::Tensor& tensor : costs.tensors()) {
        if (tensor.producer < 0 || tensor.uses.size() < 2)
            continue;
        Candidate candidate{tensor.id, space.ops()[static_cast<std::size_t>(tensor.producer)].least.function(), 0};
        for (const CostModel::Use& use : tensor.uses)
            if (use.kind != CostModel::Use::ByOutput)
                candidate.last =
                    std::max(candidate.last,
                             (use.kind == CostModel::Use::ByOp ? space.ops()[static_cast<std::size_t>(use.op)].most.function() : use.level) - 1);
        candidates.push_back(candidate);
    }
    double best = costs.seconds(plan);
    for (bool improved = true; improved;) {
        improved = false;
        for (std::size_t i = 0; i < candidates.size(); ++i) {
            progress.update(static_cast<double>(i) / static_cast<double>(candidates.size()), "Planning greedily");
            for (int cut = candidates[i].first; cut <= candidates[i].last; ++cut) {
                const Move move = space.setSavePoint(plan, candidates[i].tensor, cut, true);
                if (!move.plan || move.plan->positions == plan.positions)
                    continue;
                if (const double seconds = costs.seconds(*move.plan); seconds < best * (1 - 1e-9)) {
                    best = seconds;
                    plan = *move.plan;
                    improved = true;
                }
            }
        }
    }
    return plan;
}

}  // namespace

std::string_view plannerName(Planner planner)
{
    switch (planner) {
    case Planner::MessageDegree:
        return "message degree";
    case Planner::Greedy:
        return "greedy";
    case Planner::Optimal:
        return "optimal";
    case Planner::FullGraph:
        return "full graph";
    default:
        return "node-wise";
    }
}

Planned makePlan(Planner planner, const CostModel& costs, const PlanningOptions& options, const Progress& progress)
{
    const Move start = costs.space().constrained(options.constraints);
    if (!start.plan)
        throw Error(start.reason);
    Planned planned;
    planned.plan = *start.plan;
    if (planner == Planner::Greedy)
        planned.plan = greedy(costs, std::move(planned.plan), progress);
    if (planner == Planner::Optimal) {
        Optimum optimum = findOptimum(costs, planned.plan, options.mostNodes, progress);
        planned.bound = optimum.bound;
        // Where the search ended early, greedy may know better; on thousands of ops it takes longer than the search.
        if (costs.space().ops().size() < 2000 && costs.seconds(optimum.plan) > optimum.bound * (1 + 1e-6))
            if (Plan other = greedy(costs, planned.plan, progress); costs.seconds(other) < costs.seconds(optimum.plan))
                optimum.plan = std::move(other);
        planned.plan = std::move(optimum.plan);
    }
    planned.cost = costs.price(planned.plan);
    planned.proven = planner == Planner::Optimal && planned.cost.seconds() <= planned.bound * (1 + 1e-6);
    return planned;
}

Plan joinedPlan(const PlanSpace& space)
{
    Plan plan = space.messageDegree();
    for (int f = 0; f + 1 < space.functions(); ++f)
        if (space.whyNotJoined(f).empty())
            plan.joined.insert(f);
    return plan;
}

}  // namespace cleave
