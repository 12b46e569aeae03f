#pragma once

#include <filesystem>

#include "core/base/progress.h"
#include "core/graph/graph_arrays.h"

namespace cleave {

/// Reads a graph in Graphviz's DOT language (.dot, .gv), of at most 64 MiB: nodes and edges in the order of the file, clusters and ports left out,
/// edges of an undirected graph in both directions. Attributes that are numbers and none of Graphviz's own become columns as AttributedGraph says.
/// Error of one sentence for what Graphviz cannot parse, and in builds without Graphviz for every file.
GraphArrays readDot(const std::filesystem::path& path, const Progress& progress = {});

}  // namespace cleave
