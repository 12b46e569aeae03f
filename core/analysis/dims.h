#pragma once

#include <map>
#include <string>

#include "core/model/program.h"

namespace cleave {

/// The size with its symbols renamed, in canonical form again: arguments of Add and Mul sorted.
Dim renameSymbols(const Dim& dim, const std::map<std::string, std::string>& renamed);

}  // namespace cleave
