#pragma once

#include <string>
#include <vector>

#include "core/run/executor.h"
#include "core/run/lowering.h"
#include "core/run/run.h"

namespace cleave {

/// The graph's arrays as the model's inputs: types widened where nothing is lost. Error naming the input that does not fit.
Bindings bindInputs(const Model& model, const DataGraph& graph, const RunOptions& options);

/// Names of the inputs that RunOptions::randomFeatures fills.
std::vector<std::string> randomInputs(const Program& program, const DataGraph& graph, const RunOptions& options);

/// Whether an input of forward that is a number is called as if it counted the nodes: num_nodes, dim_size.
bool isCalledNumberOfNodes(const std::string& name);

/// The nodes of each type in the order of the graph's edges; empty for the natural one.
NodeOrders ordersFor(const Model& model, const Bindings& inputs, NodeOrder order, std::int64_t batchSize, const std::vector<std::int64_t>& numNodes,
                     const Progress& progress);

/// Targets per batch where none are asked for.
std::int64_t chosenBatchSize(std::int64_t numNodes, std::int64_t edgesPerNode, const RunOptions& options);

/// As runFullGraph, with float64 in place of float32.
RunResult runInFloat64(const Model& model, const DataGraph& graph, const RunOptions& options, const Progress& progress);

/// Values of model.uncut(), whole, on this graph.
std::vector<at::Tensor> runForValues(const Model& model, const DataGraph& graph, const RunOptions& options, const std::vector<ValueId>& wanted,
                                     const Progress& progress);

/// As runLayerWise, looked at after each function.
RunResult runObserved(const Model& model, const DataGraph& graph, const RunOptions& options, const AfterFunction& after, const Progress& progress);

void useThreads(const RunOptions& options);

}  // namespace cleave
