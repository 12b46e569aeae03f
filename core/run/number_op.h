#pragma once

#include "core/run/op_lowering.h"

namespace cleave {

/// Whether the op only moves or counts numbers that belong to edges: reads one-dimensional entries, or those of the last of two dimensions, at an
/// index, or adds ones at it, or numbers of 16 bits, in float32. The prologue is mostly made of these.
bool isNumberOp(const Program& program, OpId op);

/// Runs such an op on all threads; its output, whose bytes do not depend on how many there are. What cannot be done so (an index that is out of
/// range, entries in files that memory does not hold), LibTorch does.
c10::IValue runNumberOp(const Program& program, OpId op, const OperandValues& operands);

}  // namespace cleave
