#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "core/base/array.h"
#include "core/base/progress.h"

namespace cleave {

/// A graph to run on: arrays named like the model's inputs, labels and splits.
struct DataGraph {
    std::string name;           ///< "cora": the file's stem
    std::int64_t numNodes = 0;  ///< V; of all types where there are several
    std::int64_t numEdges = 0;  ///< columns of edge_index; of all relations where there are several
    std::map<std::string, Array> arrays;  ///< "x" float32 [V, F], "edge_index" int64 [2, M], further inputs of forward

    std::optional<Array> labels;  ///< int64 [V], -1 unlabelled
    std::optional<Array> trainMask, valMask, testMask;  ///< bool [V]
};

struct GraphOptions {
    int split = 0;  ///< which of several train/val/test splits (the *_masks arrays, [splits, V])
};

/// Reads an .npz graph, or a folder of .npy files, which stay where they are and are read when they are needed: dense or CSR features
/// (x_indptr, x_indices, x_data, x_shape; without x_data all entries are 1), stored or deflated entries. Shapes and index ranges are checked.
/// A graph of several node types has arrays for each of them and for each relation instead: x_paper, x_author, edge_index_author_writes_paper.
DataGraph readGraph(const std::filesystem::path& path, const GraphOptions& options = {}, const Progress& progress = {});

}  // namespace cleave
