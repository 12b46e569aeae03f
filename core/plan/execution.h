#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/plan/cut.h"

namespace cleave {

/// A cut program op by op, for whoever runs it elsewhere (resources/python/cleave_plan.py): the "execution" of a plan file.
nlohmann::ordered_json describeExecution(const Analysis& analysis, const CutProgram& cut);

}  // namespace cleave
