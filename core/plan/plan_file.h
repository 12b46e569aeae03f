#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/plan/plan_space.h"

namespace cleave {

/// What a plan file (.cleave.json, resources/plan.schema.json) says of a program.
struct StoredPlan {
    Plan plan;
    std::int64_t batchSize = 0;        ///< 0: chosen when it runs
    std::vector<std::string> remarks;  ///< a model that was exported again: what of the plan no longer matches, one sentence each
};

/// Nothing is left behind where it cannot be written. Error for an illegal plan.
void writePlan(const std::filesystem::path& path, const PlanSpace& space, const Plan& plan, std::int64_t batchSize = 0);

/// Of the model that the plan was made for, every op must be there and the plan legal, or it is an Error. Of another export, ops are found
/// by name and operator and moved where the plan has them as far as the program allows; the rest is remarked.
StoredPlan readPlan(const std::filesystem::path& path, const PlanSpace& space);

}  // namespace cleave
