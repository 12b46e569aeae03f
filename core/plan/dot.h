#pragma once

#include <string>

#include "core/plan/cut.h"

namespace cleave {

/// The feature ops in DOT, one cluster per function, filled by message degree; save points are bold arrows between clusters.
/// An edge op that several functions run is drawn in each. Same program, same bytes.
std::string toDot(const Analysis& analysis, const CutProgram& cut);

}  // namespace cleave
