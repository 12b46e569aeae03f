#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/array.h"
#include "core/base/mapping.h"
#include "core/base/progress.h"
#include "core/graph/node_names.h"

namespace cleave {

/// A graph to run on: arrays named like the model's inputs, labels and splits.
struct DataGraph {
    std::string name;           ///< "cora": the file's stem
    std::int64_t numNodes = 0;  ///< V; of all types where there are several
    bool statesNodes = true;    ///< false: no array says how many nodes there are, and a model that has learned rows for them knows better
    bool isTyped = false;       ///< arrays for node types and relations, or edges under other names: which nodes numbers mean is for the model to say
    bool hasEdges = true;       ///< false: the file has none, and edge_index is empty; of models whose edges are their own
    std::int64_t numEdges = 0;  ///< columns of edge_index; of all relations where there are several
    std::map<std::string, Array> arrays;  ///< "x" float32 [V, F], "edge_index" int64 [2, M], further inputs of forward

    std::optional<Array> labels;  ///< int64 [V], -1 unlabelled
    std::optional<Array> trainMask, valMask, testMask;  ///< bool [V]

    std::shared_ptr<const NodeNames> names;  ///< of the nodes, as the file has them; null: their numbers
    std::vector<std::string> notes;          ///< sentences for whoever reads the file: what it may mean otherwise

    std::size_t bytes() const;  ///< of the arrays
    std::string nameOf(std::int64_t node) const { return names && node >= 0 && node < names->size() ? (*names)[node] : std::to_string(node); }
};

struct GraphOptions {
    int split = 0;  ///< which of several train/val/test splits (the *_masks arrays, [splits, V])
    bool undirected = false;  ///< edges whose opposite is not there get it, behind all others
};

/// Reads a graph by its name's ending: lists of edges (edge_list.h), Matrix Market (matrix_market.h), GraphML (graphml.h), DOT (dot_graph.h); folders
/// of the Open Graph Benchmark (ogb.h). Anything else is read as graph, or a folder of .npy files, which stay where they are and are read when they
/// are needed: dense or CSR features (x_indptr, x_indices, x_data, x_shape; without x_data all entries are 1), stored or deflated entries. Shapes and
/// index ranges are checked. Names of nodes are the array node_names: int64, texts or bytes [V]. A graph of several node types has arrays for each of
/// them and for each relation instead: x_paper, x_author, edge_index_author_writes_paper.
DataGraph readGraph(const std::filesystem::path& path, const GraphOptions& options = {}, const Progress& progress = {});

/// Error if a file in which arrays of the graph lie (a folder's) has been written to since it was read.
void requireUnchanged(const DataGraph& graph);

/// The same for a graph whose arrays may be gone by then.
class GraphFiles {
public:
    explicit GraphFiles(const DataGraph& graph);
    void requireUnchanged() const;

private:
    std::string m_graph;
    std::vector<std::pair<std::string, FileWatch>> m_arrays;
};

/// Whether the name ends like that of a graph file that readGraph knows.
bool isGraphFile(const std::filesystem::path& path);

}  // namespace cleave
