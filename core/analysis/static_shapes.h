#pragma once

#include "core/model/program.h"

namespace cleave {

/// Error with the dynamic_shapes to write if a node or edge dimension of the inputs was exported with a fixed size. The program is in functional form.
void refuseStatic(const Program& program);

}  // namespace cleave
