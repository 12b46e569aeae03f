#pragma once

#include <filesystem>

#include "core/base/progress.h"
#include "core/graph/graph_arrays.h"

namespace cleave {

/// Reads a text of one edge a line (.csv, .tsv, .txt, packed by gzip or not): comma, tab, semicolon or blanks between columns, comments after # or %,
/// a header or none. Two columns are the edge; further ones become edge_weight float32 [M] (the only one, or the one that the header calls weight),
/// edge_type int64 [M] (called type or relation) and edge_attr float32 [M, k]. Nodes that are not 0 … V - 1 are numbered: other numbers by size,
/// texts in the order in which they come; the names are kept. Error that names the line for what is no edge.
GraphArrays readEdgeList(const std::filesystem::path& path, const Progress& progress = {});

}  // namespace cleave
