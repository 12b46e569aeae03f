#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace cleave {

/// The directed edges of a graph of numNodes nodes; both spans are as long.
struct EdgeList {
    std::int64_t numNodes = 0;
    std::span<const std::int64_t> sources, targets;
};

/// Nodes whose rows are needed for the rows of nodes after 0, 1, … hops message passings: hop 0 is nodes, each hop holds the one before. Sorted,
/// without repetition. For small graphs: every hop goes through all edges.
std::vector<std::vector<std::int64_t>> receptiveField(const EdgeList& edges, std::span<const std::int64_t> nodes, int hops);

struct RowWork {
    std::int64_t computed = 0;  ///< rows, over all layers and batches
    std::int64_t read = 0;      ///< rows taken from features or stores

    bool operator==(const RowWork&) const = default;
};

/// Rows of a network of so many message passings for all nodes, in batches of consecutive ones. Node-wise: each batch computes all that its nodes
/// need, from the features. Layer-wise: each layer computes its nodes' rows once, from the stored rows of the layer before.
RowWork nodeWiseWork(const EdgeList& edges, int layers, std::int64_t batchSize);
RowWork layerWiseWork(const EdgeList& edges, int layers, std::int64_t batchSize);

}  // namespace cleave
