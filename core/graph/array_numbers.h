#pragma once

#include <cstdint>
#include <string>

#include "core/base/array.h"

namespace cleave {

/// Entry i of an array of integers or bool; what int64 does not hold is 2^62.
std::int64_t integerAt(const Array& array, std::int64_t i);

/// Entry i of an array of integers, bool, float16, float32 or float64.
double numberAt(const Array& array, std::int64_t i);

/// Appends that entry as the shortest text that reads back as the same number.
void appendNumber(std::string& text, const Array& array, std::int64_t i);
void appendNumber(std::string& text, std::int64_t number);

}  // namespace cleave
