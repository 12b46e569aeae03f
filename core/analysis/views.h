#pragma once

#include "core/analysis/analysis.h"

namespace cleave {

/// Dimensions of more than one entry: how many there are, and the one if it is alone (null otherwise).
int nonUnitDims(const Value& value);
const Dim* onlyNonUnitDim(const Value& value);

}  // namespace cleave
