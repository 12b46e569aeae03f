#pragma once

#include <ATen/core/ivalue.h>

#include "core/analysis/analysis.h"

/// A program in float64, to see how exact it is in its own numbers: private to core/run.
namespace cleave {

/// The program with float64 in place of narrower floating types, casts and new tensors too.
Analysis inFloat64(const Analysis& analysis);

/// A tensor of a narrower floating type as float64; anything else as it is.
c10::IValue inFloat64(const c10::IValue& value);

}  // namespace cleave
