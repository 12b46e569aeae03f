#pragma once

#include "core/model/program.h"

namespace cleave {

/// Rows that are read at all entries of a table [V, K] one after the other, x[table.view(-1)], and put together again for each row of the table,
/// .view(V, -1): they are read at the table itself, V times K rows that nothing has to store. The program is in functional form. How often.
int gatherAtTables(Program& program);

/// Rows that are read where a list of nodes' own numbers is read, x[nearest[source]], where features tell the numbers: x[nearest] has a row for each
/// node, which is read at the sources. The program is in functional form. How often.
int gatherInSteps(Program& program);

}  // namespace cleave
