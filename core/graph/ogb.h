#pragma once

#include <filesystem>

#include "core/base/progress.h"
#include "core/graph/graph_arrays.h"

namespace cleave {

/// Whether a folder is a data set of the Open Graph Benchmark as it is downloaded, or its folder raw.
bool isOgbFolder(const std::filesystem::path& folder);

/// Reads such a data set: edge_index as stored, x float32 [V, F], y int64 [V] or float32 [V, tasks], edge_attr, further columns for each node by
/// their names (node_year), masks of each folder of split. Several graphs become one whose parts are told apart by batch int64 [V] and ptr int64
/// [graphs + 1]; their labels are graph_label. Error for data sets of several node types and for binary ones.
GraphArrays readOgb(const std::filesystem::path& folder, const Progress& progress = {});

}  // namespace cleave
