#pragma once

#include "app/cli/terminal.h"
#include "core/plan/plan_space.h"

namespace cleave::cli {

/// MODEL, GRAPH and --plan, shared by every command that runs or measures a plan on a graph.
struct PlannedArguments {
    ModelArguments model;
    GraphArguments graph;
    std::string plan;
    Plan ran;  ///< by open

    void add(CLI::App& command, const std::string& help);  ///< help: of --plan

    /// The model, cut by the plan if there is one; what the plan says of the batch size counts unless it is given here.
    Model open(const Progress& progress);
};

}  // namespace cleave::cli
