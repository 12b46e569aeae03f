#pragma once

#include <string>

#include "core/base/progress.h"
#include "core/plan/cost.h"

namespace cleave {

enum class Planner : std::uint8_t {
    MessageDegree,  ///< cut right before each message passing: nothing but gathers works on E rows
    Greedy,         ///< from there, save points that lower the total, one after the other
    Optimal,        ///< the least cost of all legal plans
    FullGraph,      ///< everything at once
    NodeWise,       ///< all message passings of a batch at once, over blocks of as many hops
};

std::string_view plannerName(Planner planner);  ///< "message degree"

struct PlanningOptions {
    Constraints constraints;
    int mostNodes = 2000;  ///< of the search tree: a number and not a time, so that plans can be reproduced
};

struct Planned {
    Plan plan;
    PlanCost cost;
    double bound = 0;      ///< Optimal: no legal plan takes fewer seconds
    bool proven = false;   ///< Optimal: the plan takes no more than the bound, up to rounding

    double gap() const { return cost.seconds() > 0 && !proven ? (cost.seconds() - bound) / cost.seconds() : 0; }
};

/// The plan of one of the first three planners. "Optimal" means: message passings at their message degree, one in each function, no node op
/// run twice, least seconds by the model. Error naming the ops if the constraints cannot be kept.
Planned makePlan(Planner planner, const CostModel& costs, const PlanningOptions& options = {}, const Progress& progress = {});

/// All functions joined, up to global ops: node-wise inference in batches, or the full graph in one batch. Constraints play no part.
Plan joinedPlan(const PlanSpace& space);

}  // namespace cleave
