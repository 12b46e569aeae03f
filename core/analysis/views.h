#pragma once

#include "core/analysis/analysis.h"

namespace cleave {

/// Dimensions of more than one entry: how many there are, and the one if it is alone (null otherwise).
int nonUnitDims(const Value& value);
const Dim* onlyNonUnitDim(const Value& value);

/// Consecutive entries of a list.
struct Part {
    ValueId whole;
    std::int64_t start = 0, leftAtEnd = -1;  ///< entries of the whole before it, and after it; -1: it is not known how many
};

/// Of p[start:end], p being a list: nothing for any other value.
std::optional<Part> partOf(const Program& program, ValueId value);

}  // namespace cleave
