#pragma once

#include "core/plan/profile_graph.h"
#include "core/run/run.h"

namespace cleave {

/// What one run of a planned model over a graph takes, op by op, as a profile graph. Stage 0 holds the inputs and the prologue, each function of
/// the plan is a stage after it, in the order in which they run. Times are of all batches, from ops measured on sample blocks; an op that runs as
/// part of an edge kernel counts for the reduction that the kernel ends with. Activations are all rows that the op gives, whether or not memory
/// ever holds them at once; parameters count for each op that reads them. Error if the graph does not fit the model.
ProfileGraph profilePlan(const Model& planned, const DataGraph& graph, const RunOptions& options = {}, const Progress& progress = {});

}  // namespace cleave
