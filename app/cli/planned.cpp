#include "app/cli/planned.h"

#include <iostream>

#include "core/plan/plan_file.h"

namespace cleave::cli {

void PlannedArguments::add(CLI::App& command, const std::string& help)
{
    model.add(command);
    graph.add(command, true);
    command.add_option("--plan", plan, help)->type_name("FILE");
}

Model PlannedArguments::open(const Progress& progress)
{
    Model opened = model.open(progress, plan, &graph);
    const PlanSpace space(*opened.analysis);
    ran = space.messageDegree();
    if (plan.empty())
        return opened;
    const StoredPlan stored = readPlan(plan, space);
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
    ran = stored.plan;
    return opened;
}

}  // namespace cleave::cli
