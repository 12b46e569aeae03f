#pragma once

#include "core/base/progress.h"
#include "core/plan/cost.h"

namespace cleave {

struct Optimum {
    Plan plan;
    double bound = 0;  ///< seconds that no legal plan goes below
};

bool hasSolver();  ///< this build has CBC

/// The plan of least seconds as a 0/1 programme (design: section 6), solved by CBC. start: a legal plan with the constraints to keep.
/// After mostNodes nodes of the search the best plan so far; Cancelled when the progress is stopped.
Optimum findOptimum(const CostModel& costs, const Plan& start, int mostNodes, const Progress& progress);

}  // namespace cleave
