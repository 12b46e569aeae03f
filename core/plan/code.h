#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/plan/plan_space.h"

namespace cleave {

struct PlanCode {
    struct Line {
        std::string file;
        int number = 0;  ///< from 1
    };

    std::map<std::string, std::string> files;   ///< by name
    std::map<OpId, std::vector<Line>> lines;    ///< that compute an op: one in each function that does, or more where it runs on several sets of rows
};

/// Python sources of a plan: one per function, one for what runs once, a package that chains them, and cleave_plan.py, which they need besides
/// PyTorch. load(exported_program) of the package gives a callable like forward.
PlanCode generateCode(const PlanSpace& space, const Plan& plan, const std::set<BlockCopy>& copied, std::int64_t batchSize);

/// Replaces the files of such a package only. Error if a file of another kind is in the way, the folder
/// cannot be made or a file in it cannot be written.
void writeCode(const std::filesystem::path& folder, const std::map<std::string, std::string>& files);

}  // namespace cleave
