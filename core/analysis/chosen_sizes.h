#pragma once

#include "core/model/program.h"

namespace cleave {

/// Tensors as long as rows that features choose, of which only the rows tell how many there are: new_ones(n), arange(n), zeros(n, F) with n =
/// h[mask].size(0), as global pooling counts rows and pooled nodes get new numbers. They are made of one of these rows' columns instead, and shapes
/// leave the number out, so that no number depends on features. The same where an entry says how long they are: zeros(batch.max() + 1) of rows that
/// were chosen. The program is cleaned up and its inputs have roles. How many tensors.
int makeOfChosenRows(Program& program);

}  // namespace cleave
