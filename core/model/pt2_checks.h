#pragma once

#include "core/model/program.h"

namespace cleave {

/// Error naming the op if it is not an ATen op or arithmetic on sizes: custom and higher-order ops.
void refuseForeign(const Program& program, const Op& op);

/// Error naming the op if it only appears in exports in training mode: live dropout, batch statistics.
void refuseTraining(const Program& program, OpId op);

}  // namespace cleave
