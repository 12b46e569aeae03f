#pragma once

#include <QString>
#include <memory>
#include <vector>

#include "core/plan/profile_graph.h"
#include "core/run/model.h"
#include "views/dag_model.h"
#include "views/graph_items.h"
#include "views/inspection.h"
#include "views/property_model.h"

namespace cleave::views {

/// A profile graph as something that can be drawn: its nodes as ops, its stages as functions, and what these hand on as save points. It is no
/// program: nothing of it is run, priced or moved.
struct StagedModel {
    ProfileGraph graph;
    std::vector<StageTotals> totals;
    std::vector<int> nodeOf;             ///< of each op
    std::shared_ptr<const Model> drawn;  ///< levels are the numbers of stages

    const ProfileNode& node(OpId op) const { return graph.nodes[static_cast<std::size_t>(nodeOf[static_cast<std::size_t>(op.index)])]; }
};

std::shared_ptr<const StagedModel> stagedModel(ProfileGraph graph);

/// What boxes and bands say instead of operators, shapes and message degrees.
void describeStages(const StagedModel& model, DagModel& dag);
BandItem::Texts stageTexts(const StagedModel& model, const DagBand& band);

Inspection inspectStaged(const StagedModel& model, const DagBox& box);
std::vector<PropertySection> describeStaged(const StagedModel& model, const QString& path);

}  // namespace cleave::views
