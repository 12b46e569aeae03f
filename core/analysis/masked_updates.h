#pragma once

#include "core/model/program.h"

namespace cleave {

/// Rows that a mask of features chooses and that are written anew from rows at the same mask, a[mask] = f(a[mask]) with f entry by entry, or by what
/// is the same for all of them, a[mask] = 0: f is computed for all rows and where() takes the chosen ones, so that each row follows from its own and
/// nothing counts them. The same for entries at a mask of several dimensions, which may come from the graph. The program is in
/// functional form and its inputs have roles. How many updates there were.
int computeMaskedUpdatesWhole(Program& program);

}  // namespace cleave
