#pragma once

#include <QString>
#include <vector>

#include "core/graph/data_graph.h"
#include "core/run/model.h"
#include "views/dag_model.h"
#include "views/plan_editor.h"
#include "views/property_model.h"

namespace cleave::views {

struct Inspection {
    QString title;  ///< "linear_1"
    QString kind;   ///< "Operator in function 1"
    std::vector<PropertySection> sections;
};

/// What is known of a box of the picture; graph may be null, and so may the editor, which knows what the shown plan costs.
Inspection inspectBox(const Model& model, const DagBox& box, const DataGraph* graph, const PlanEditor* editor);

/// The same of a program that was only read: nothing is known of the rows of its tensors.
Inspection inspectRead(const Model& model, const DagBox& box);

/// What lies in the store between two functions of the shown plan; cut as PlanSpace counts them.
Inspection inspectCut(int cut, const DataGraph* graph, const PlanEditor& editor);

/// How many bytes rows of a tensor take: "V·64·4 B", and where their number is known what that is: " = 12.2 MB". Empty if a size is not known.
QString bytesFormula(const Analysis& analysis, ValueId value, const QString& rows, std::optional<double> count);

QString reachText(const Analysis& analysis, ValueId value);  ///< "node rows (V)"
QString bandTitle(const DagBand& band);

QString tensorText(const Analysis& analysis, ValueId value);  ///< "float32 [V, 16]"

}  // namespace cleave::views
