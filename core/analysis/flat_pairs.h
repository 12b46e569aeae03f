#pragma once

#include "core/model/program.h"

namespace cleave {

/// What is computed for all pairs of nodes one after the other, [V * V, F], as pyGAT had it at first: rows of h.repeat_interleave(V) beside those of
/// h.repeat(V, 1), and .view(V, V, F) in the end. The same is computed as [V, V, F], of rows that are expanded, so that it is seen which pairs a
/// matrix of edges has. The program is in functional form. How often pairs are put back.
int unflattenPairs(Program& program);

}  // namespace cleave
