#pragma once

#include <memory>
#include <set>

#include "core/plan/counts.h"
#include "core/plan/rates.h"
#include "core/run/run.h"

namespace cleave {

struct NodeOrders;

/// A graph bound to a model, from which counts and times are taken. The prologue is evaluated once for each set of joined functions.
class GraphMeasure {
public:
    /// Error if the graph does not fit the model. options: inputs, features and threads.
    GraphMeasure(const Model& model, const DataGraph& graph, const RunOptions& options = {}, const Progress& progress = {});
    ~GraphMeasure();

    /// Rows of the cut at message degree with these functions joined. Exact below a million edges, otherwise sampled with a stated error.
    GraphCounts counts(std::int64_t batchSize, NodeOrder order = NodeOrder::Natural, const std::set<int>& joined = {}, const Progress& progress = {});

    /// Times of each op on some blocks of this size, for all functions of the cut at message degree.
    Profile profile(std::int64_t batchSize, const Progress& progress = {});

    std::int64_t numNodes() const;
    std::int64_t chosenBatchSize() const;  ///< what a run takes if none is asked for

    /// The nodes in this order for batches of this size; empty for the natural one.
    NodeOrders orders(NodeOrder order, std::int64_t batchSize, const Progress& progress = {}) const;

private:
    struct Impl;
    std::unique_ptr<Impl> m;
};

}  // namespace cleave
