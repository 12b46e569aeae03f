#pragma once

#include <QString>
#include <QStringList>
#include <array>
#include <optional>
#include <vector>

#include "core/graph/data_graph.h"
#include "core/graph/degrees.h"
#include "core/graph/order.h"
#include "core/plan/rates.h"
#include "core/run/model.h"
#include "views/property_model.h"

namespace cleave::views {

std::vector<PropertySection> describeModel(const Model& model, const QString& path);
std::vector<PropertySection> describeGraph(const DataGraph& graph, const std::optional<DegreeSummary>& degrees, const QString& path,
                                           const Model* model = nullptr);  ///< whose node types are told apart

/// Inputs of forward that the graph has no array of the name for, or that were given another one; inputs: RunOptions::inputs. Empty if there are
/// none.
std::vector<PropertySection> describeArrays(const Model& model, const DataGraph& graph, const std::map<std::string, std::string>& inputs);
/// Names of the graph's arrays that have the type and the rows that an input takes.
QStringList fittingArrays(const Program& program, ValueId input, const DataGraph& graph);

/// What Property::choices are of.
enum class Choice : std::uint8_t { Role, Array };

inline constexpr std::array allRoles{Role::NodeFeatures, Role::GraphStructure, Role::EdgeFeatures, Role::Other};
QStringList degreeTexts(const DegreeSummary& degrees);  ///< "in-degree 2 to 3: 1,234 nodes" of each bin
QString roleText(Role role);               ///< "node features"
QString orderText(NodeOrder order);        ///< "Breadth first"
QString ratesText(const Rates& rates);     ///< of this machine, in a sentence
QString rewriteText(Rewrite rewrite);      ///< "put linear layers before aggregations"
QString rewritesText(const Model& model);  ///< those that were applied, and how often each; empty: none

}  // namespace cleave::views
