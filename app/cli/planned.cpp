#include "app/cli/planned.h"

#include <algorithm>
#include <iostream>

namespace cleave::cli {

namespace {

const std::map<std::string, Planner>& runnable()
{
    static const auto planners = byOption({Planner::MessageDegree, Planner::Greedy, Planner::Optimal});
    return planners;
}

std::filesystem::path keptPlan(const std::filesystem::path& store) { return store / keptPlanName; }

void doesNotGoOn(const Error& error) { std::cerr << "The plan that was kept is not gone on with: " << error.what() << "\n"; }

}  // namespace

std::map<std::string, Planner> byOption(std::initializer_list<Planner> planners)
{
    std::map<std::string, Planner> options;
    for (const Planner planner : planners) {
        std::string option(plannerName(planner));
        std::ranges::replace(option, ' ', '-');
        options[option] = planner;
    }
    return options;
}

CLI::Option* PlannerArguments::add(CLI::App& command)
{
    return command
        .add_option("--planner", wanted, "Whose plan to run, made for the graph's numbers of nodes and edges: message-degree, greedy or optimal")
        ->check(CLI::IsMember(runnable()))
        ->default_str(usualPlanner() == Planner::Optimal ? "optimal" : "greedy");
}

StoredPlan PlannerArguments::cut(Model& model, const DataGraph& graph, const RunOptions& options, bool isFree, std::string& name,
                                 const Progress& progress) const
{
    ProgramForGraph chosen = programFor(model, graph, wanted.empty() ? usualPlanner() : runnable().at(wanted), options,
                                        isFree ? Weighing::WhereShort : Weighing::Never, progress);
    if (!chosen.plan && !wanted.empty())
        throw Error(chosen.whyNoPlan);
    for (const auto& [rewrite, seconds] : chosen.leftOut)
        std::cerr << leftOutText(rewrite, seconds) << "\n";
    model = std::move(chosen.model);
    const PlanSpace space(*model.analysis);
    StoredPlan stored;
    if (chosen.plan) {
        stored.plan = std::move(chosen.plan->planned.plan);
        stored.copied = std::move(chosen.plan->planned.cost.copied);
        name = std::move(chosen.plan->name);
    } else {
        // Nobody asked for it, and the model can be run all the same.
        std::cerr << "The plan is the one at message degree: " << chosen.whyNoPlan << "\n";
        stored.plan = space.messageDegree();
        name = plannerName(Planner::MessageDegree);
    }
    if (stored.plan == space.messageDegree() && stored.copied.empty())
        return stored;
    model.cut = std::make_shared<CutProgram>(space.cut(stored.plan, stored.copied));
    checkCut(*model.analysis, *model.cut, progress);
    return stored;
}

void PlannedArguments::add(CLI::App& command, const std::string& help)
{
    model.add(command);
    graph.add(command, true);
    m_plan = command.add_option("--plan", plan, help)->type_name("FILE");
}

void PlannedArguments::addWithPlanner(CLI::App& command, const std::string& help)
{
    add(command, help);
    planner.add(command)->excludes(m_plan);
}

Model PlannedArguments::open(const Progress& progress)
{
    Model opened = model.open(progress, plan, &graph);
    const PlanSpace space(*opened.analysis);
    ran.plan = space.messageDegree();
    if (plan.empty())
        return opened;
    StoredPlan stored;
    try {
        stored = readPlan(plan, space);
    } catch (const Error& error) {
        if (!m_goesOn)
            throw;
        doesNotGoOn(error);
        stored.isOfThisFile = false;
    }
    if (m_goesOn && !stored.isOfThisFile) {
        plan.clear();  // that it is another model, or another program, is for the run to say
        return opened;
    }
    for (const std::string& remark : stored.remarks)
        std::cerr << remark << "\n";
    opened.cut = std::make_shared<CutProgram>(space.cut(stored.plan, stored.copied));
    checkCut(*opened.analysis, *opened.cut, progress);
    if (graph.batchSize == "auto")
        graph.run.batchSize = stored.batchSize;
    if (graph.device.empty() && !stored.devices.device.empty()) {
        graph.run.device = stored.devices.device;
        graph.run.onDevice = stored.devices.in(*opened.cut);
    }
    if (graph.order.empty())
        graph.run.order = stored.order;
    ran = std::move(stored);
    return opened;
}

void PlannedArguments::cut(Model& opened, const DataGraph& data, const Progress& progress)
{
    if (!plan.empty())
        return;
    ran = planner.cut(opened, data, graph.run, model.rewrites.empty(), ranPlanner, progress);
}

void PlannedArguments::goOnIn(const std::filesystem::path& store)
{
    std::error_code problem;
    if (!plan.empty() || !planner.wanted.empty() || !std::filesystem::exists(keptPlan(store), problem))
        return;
    try {
        for (const std::string& name : readPlanSummary(keptPlan(store)).rewrites)
            rewritesOf(name);
        plan = keptPlan(store).string();
        m_goesOn = true;
    } catch (const Error& error) {
        doesNotGoOn(error);
    }
}

void PlannedArguments::keepIn(const std::filesystem::path& store, const Model& opened) const
{
    checkStore(store, false);
    // What else is wrong with the folder is for the run to say.
    std::error_code problem;
    std::filesystem::create_directories(store, problem);
    if (!std::filesystem::is_directory(store, problem))
        return;
    // What is run, whatever its file says.
    StoredPlan kept = ran;
    kept.batchSize = graph.run.batchSize;
    kept.order = graph.run.order;
    if (!graph.device.empty()) {
        kept.devices = {};
        if (graph.run.device != "cpu") {
            kept.devices.device = graph.run.device;
            for (const CutFunction& function : opened.cut->functions)
                kept.devices.functions.insert(DeviceWishes::nameOf(function));
        }
    }
    writePlan(keptPlan(store), PlanSpace(*opened.analysis), kept);
}

}  // namespace cleave::cli
