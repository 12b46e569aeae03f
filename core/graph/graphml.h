#pragma once

#include <filesystem>

#include "core/base/progress.h"
#include "core/graph/graph_arrays.h"

namespace cleave {

/// Reads GraphML (.graphml, packed by gzip or not): nodes in their order, edges by edgedefault and their own directed, attributes of type boolean,
/// int, long, float and double as AttributedGraph says, with the defaults of their keys. Nodes of graphs inside nodes count like all others. Error
/// that names the line for what is no GraphML, for entities of its own and for hyperedges.
GraphArrays readGraphMl(const std::filesystem::path& path, const Progress& progress = {});

}  // namespace cleave
