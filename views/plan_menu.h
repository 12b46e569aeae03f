#pragma once

#include "views/dag_model.h"
#include "views/plan_editor.h"

class QMenu;

namespace cleave::views {

/// What a plan can place elsewhere by this box: the op that makes its tensor, or all its ops if each can be moved. Empty otherwise.
QString whyUnmovable(const PlanEditor& editor, const DagBox& box);  ///< a sentence; empty for boxes of which nothing is placed by a plan
std::vector<OpId> movableOps(const PlanEditor& editor, const DagBox& box);

/// What can be done to the plan at a box; what cannot is there too, with the reason as its tooltip. other: the box that was chosen before, which it
/// can be kept together with; null for none. The editor must outlive the menu.
void addCutActions(QMenu& menu, PlanEditor& editor, int cut);  ///< below that function of PlanSpace
void addPlanActions(QMenu& menu, PlanEditor& editor, const DagBox& box, const DagBox* other = nullptr);
void addTensorActions(QMenu& menu, PlanEditor& editor, ValueId tensor);

}  // namespace cleave::views
