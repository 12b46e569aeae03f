#pragma once

#include "core/model/program.h"

namespace cleave {

/// Rows of nodes or edges that only change places, and come back as many as they were: halves that are put the other way round, pairs that are
/// swapped by view(-1, 2, F).flip(1), roll(). They are read at an index instead, which the same ops make of 0, 1, 2, …: the graph alone tells it. The
/// program is in functional form and its inputs have roles. How often.
int gatherMovedRows(Program& program);

}  // namespace cleave
