#pragma once

#include <QString>
#include <vector>

#include "core/graph/data_graph.h"
#include "core/graph/degrees.h"
#include "core/run/model.h"
#include "views/dag_model.h"
#include "views/property_model.h"

namespace cleave::views {

struct Inspection {
    QString title;  ///< "linear_1"
    QString kind;   ///< "Operator in function 1"
    std::vector<PropertySection> sections;
};

/// What is known of a box of the picture; graph may be null.
Inspection inspectBox(const Model& model, const DagBox& box, const DataGraph* graph);

std::vector<PropertySection> describeModel(const Model& model, const QString& path);
std::vector<PropertySection> describeGraph(const DataGraph& graph, const std::optional<DegreeSummary>& degrees, const QString& path);

QString roleText(Role role);  ///< "node features"
QString rewriteText(Rewrite rewrite);         ///< "put linear layers before aggregations"
QString rewritesText(const Model& model);     ///< those that were applied, and how often each; empty: none
QString bandTitle(const DagBand& band);

/// "float32 [V, 16]", and the bytes where graph gives V: " · 173 kB".
QString tensorText(const Analysis& analysis, ValueId value, const DataGraph* graph);

}  // namespace cleave::views
