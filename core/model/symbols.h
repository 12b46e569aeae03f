#pragma once

#include <string>
#include <string_view>

#include "core/model/program.h"

namespace cleave {

/// A size written by the exporter, "Add(Symbol('s0', positive=True, integer=True), Integer(2))", in canonical form: symbols by
/// name, constants folded in Add and Mul, their arguments sorted. Error naming `what` if the text is not such an expression.
Dim parseSize(std::string_view text, const std::string& what);

}  // namespace cleave
