#pragma once

#include <string>
#include <vector>

#include "core/analysis/analysis.h"

// What tensors look like, in the letters of the field instead of the exporter's symbols.

namespace cleave {

/// "[V, 16]", "[2, M + V]": V counts nodes (with the type's name where there are several), M edges (with the input's name where there are
/// several kinds). Numbers that are known only when the model runs keep the exporter's names: "u0".
std::string shapeText(const Analysis& analysis, ValueId value);

/// Sizes as they are written, whatever the analysis has found out about rows: "u0 − 1", "[u0 − 1, 16]".
std::string sizeText(const Analysis& analysis, const Dim& size);
std::string sizesText(const Analysis& analysis, const std::vector<Dim>& sizes);

/// "edge_index[0]" for a row of an input, otherwise the name.
std::string structureText(const Analysis& analysis, ValueId value);

/// "V", or "V paper" where nodes have several types; "M" and "V + 1" for other rows that are stored as those of nodes are.
std::string nodesText(const Analysis& analysis, int nodeType);

/// Whether a node type is one of edges, whose rows are stored as those of nodes are.
bool countsEdges(const Analysis& analysis, int nodeType);

double bytesPerRow(const Analysis& analysis, ValueId value);  ///< 0 if a size is not known

}  // namespace cleave
