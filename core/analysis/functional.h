#pragma once

#include "core/analysis/evaluator.h"
#include "core/model/program.h"

namespace cleave {

/// Whether an op writes into one of its operands, or changes how it is seen: add_, |=, transpose_, cumsum(…, out=y).
bool isInPlace(const Op& op);

/// Replaces every in-place op by its out-of-place form; later reads of the changed tensor, under any name or view, read the result.
/// Returns how many there were. Error naming the op for a mutation whose aliases cannot be resolved, or of a weight.
int makeFunctional(Program& program, const Evaluator& evaluator);

}  // namespace cleave
