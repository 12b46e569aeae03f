#pragma once

#include <string>
#include <utility>

#include "core/model/program.h"

namespace cleave {

/// Target and overload of a node: "torch.ops.aten.linear.default" -> "aten::linear", ""; "_operator.add" -> "operator::add", "".
std::pair<std::string, std::string> splitTarget(const std::string& text);

/// The innermost frame of a Python stack trace; empty if there is none.
SourceLine sourceLine(const std::string& trace);

}  // namespace cleave
