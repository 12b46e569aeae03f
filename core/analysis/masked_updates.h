#pragma once

#include "core/model/program.h"

namespace cleave {

/// Rows that a mask of features chooses and that are written anew from rows at the same mask, a[mask] = f(a[mask]) with f entry by entry: f is
/// computed for all rows and where() takes the chosen ones, so that each row follows from its own and nothing counts them. The program is in
/// functional form and its inputs have roles. How many updates there were.
int computeMaskedUpdatesWhole(Program& program);

}  // namespace cleave
