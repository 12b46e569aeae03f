#pragma once

#include <initializer_list>
#include <map>
#include <string>

#include "app/cli/terminal.h"
#include "core/plan/plan_file.h"
#include "core/run/rewrite_worth.h"

namespace cleave::cli {

/// Planners by what --planner calls them: plannerName with hyphens.
std::map<std::string, Planner> byOption(std::initializer_list<Planner> planners);

/// --planner, for commands that run models on a graph without a plan file.
struct PlannerArguments {
    std::string wanted;  ///< empty: the usual one

    CLI::Option* add(CLI::App& command);

    /// Cuts the model by the planner's plan for this graph, without rewrites that do not pay there if it is free to leave them out; says so on stderr.
    /// name: of the planner. Where none was asked for and the usual one has no plan, the one at message degree, and a sentence why on stderr.
    StoredPlan cut(Model& model, const DataGraph& graph, const RunOptions& options, bool isFree, std::string& name, const Progress& progress) const;
};

/// MODEL, GRAPH and --plan, shared by every command that runs or measures a plan on a graph.
struct PlannedArguments {
    ModelArguments model;
    GraphArguments graph;
    std::string plan;
    PlannerArguments planner;
    StoredPlan ran;          ///< filled by open or cut
    std::string ranPlanner;  ///< whose plan it is; empty: that of a file

    void add(CLI::App& command, const std::string& help);            ///< help: of --plan
    void addWithPlanner(CLI::App& command, const std::string& help); ///< for commands that call cut

    /// The model, cut by the plan if there is one; what the plan says of the batch size counts unless it is given here.
    Model open(const Progress& progress);

    /// Cuts the model for this graph, if there is no plan file.
    void cut(Model& model, const DataGraph& graph, const Progress& progress);

    /// A run that keeps its save points keeps its plan beside them, and goes on with that one if no other is asked for: before open, and before it
    /// begins.
    void goOnIn(const std::filesystem::path& store);
    void keepIn(const std::filesystem::path& store, const Model& model) const;

private:
    CLI::Option* m_plan = nullptr;
    bool m_goesOn = false;
};

}  // namespace cleave::cli
