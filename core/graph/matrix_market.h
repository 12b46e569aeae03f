#pragma once

#include <filesystem>

#include "core/base/progress.h"
#include "core/graph/graph_arrays.h"

namespace cleave {

/// Reads a square matrix of coordinates (.mtx, packed by gzip or not) as a graph: entry (i, j) is an edge from node i - 1 to node j - 1, its number,
/// where there is one, edge_weight float32 [M]. Symmetric and skew-symmetric matrices have each edge in both directions: first the entries as stored,
/// then the others in the same order. Error that names the line for what the format does not allow, and for dense, complex and Hermitian matrices.
GraphArrays readMatrixMarket(const std::filesystem::path& path, const Progress& progress = {});

}  // namespace cleave
