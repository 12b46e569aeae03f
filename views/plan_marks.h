#pragma once

#include <QString>
#include <vector>

#include "views/dag_model.h"
#include "views/plan_editor.h"

namespace cleave::views {

/// What a plan says of a picture that is drawn for the plan at message degree.
struct PlanMarks {
    std::vector<QString> places;   ///< of each box: where its ops run, if not in their band, and what holds them there; empty otherwise
    std::vector<int> functions;    ///< of each box: the one of PlanSpace's functions that all its ops have moved to; -1 otherwise
    std::map<int, int> ops;        ///< of each of PlanSpace's functions: how many ops more it has than in the picture
    std::vector<QString> saves;    ///< of each box: tensors of its ops that are saved where the picture has no box for them; empty otherwise
    std::vector<bool> unsaved;     ///< of each box: a tensor that the plan does not save
    std::vector<DagStrip> strips;  ///< of each band
    std::vector<QString> devices;  ///< of each band: what its function is to run on, if not on the processor
};

PlanMarks planMarks(const DagModel& dag, const PlanEditor& editor, const Plan& plan);  ///< one of the editor's model

/// Places of the bands that a cut is drawn below, from the first to the last.
std::vector<int> cutsOf(const DagModel& dag, const PlanEditor& editor);

}  // namespace cleave::views
