#include "core/base/error.h"
#include "core/plan/optimal.h"

namespace cleave {

bool hasSolver() { return false; }

Optimum findOptimum(const CostModel&, const Plan&, int, const Progress&)
{
    throw Error("This build of Cleave has no planner 'optimal': it was made without CBC. Take greedy's plan.");
}

}  // namespace cleave
