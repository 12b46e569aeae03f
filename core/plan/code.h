#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "core/plan/plan_space.h"

namespace cleave {

/// Python sources of a plan by file name: one per function, one for what runs once, a package that chains them, and cleave_plan.py, which
/// they need besides PyTorch. load(exported_program) of the package gives a callable like forward.
std::map<std::string, std::string> generateCode(const PlanSpace& space, const Plan& plan, const std::set<BlockCopy>& copied, std::int64_t batchSize);

/// Error if the folder cannot be made or a file in it cannot be written.
void writeCode(const std::filesystem::path& folder, const std::map<std::string, std::string>& files);

}  // namespace cleave
