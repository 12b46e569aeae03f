#pragma once

#include "core/base/array.h"
#include "core/base/ids.h"
#include "core/model/program.h"

/// How exact a program's values are: private to core/run.
namespace cleave {

/// For each value the floating-point type with the fewest digits that it or what it is computed from was rounded to; Float64 where there is none.
IdMap<ValueId, DType> narrowestTypes(const Program& program);

/// Of the outputs, as the file computes them.
DType narrowestType(const Program& program);

/// From 1 to the next number of a floating-point type.
double stepOf(DType dtype);

}  // namespace cleave
