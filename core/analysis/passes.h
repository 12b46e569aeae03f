#pragma once

#include <vector>

#include "core/analysis/analysis.h"

namespace cleave {

/// The clean-up passes, in order, on a program in functional form whose inputs have roles: dropout in eval, no-ops and checks are dropped, sizes
/// are read from the graph and not from feature tensors, equal structure subexpressions become one, dead ops go. Error for live random ops.
std::vector<PassCount> cleanUp(Program& program);

/// Drops ops whose results nobody reads; how many.
int dropDeadOps(Program& program);

/// Where no output depends on node features, what nodes pass on at first counts as such, if it is learned: rows that begin at queried nodes. The
/// program is cleaned up; how many values were taken (Op::makesFeatures).
int takeAsFeatures(Program& program);

/// What each value depends on, for a program whose inputs have roles. Sizes depend on the graph only.
IdMap<ValueId, Reach> findReach(const Program& program);

}  // namespace cleave
