#pragma once

#include <cstddef>
#include <map>

#include "core/base/memory_bound.h"
#include "core/run/run.h"

namespace c10 {
struct IValue;
}

namespace cleave {

/// Bytes of resident memory below which a bound was not kept when it was tried, on any graph.
std::size_t leastMemory(const RunOptions& options);

/// The same where all that the run reads and makes has so many bytes: less, if these are few.
std::size_t leastMemory(const RunOptions& options, double bytes);

/// The same for the model on these inputs.
std::size_t leastMemory(const Model& model, const std::map<ValueId, c10::IValue>& inputs, const RunOptions& options);

/// The same for the model on a graph that has been read: beyond what its arrays take.
std::size_t leastMemory(const Model& model, const DataGraph& graph, const RunOptions& options);

/// Error unless so much is left of the bound, with what else would help.
void requireLeastMemory(const MemoryBound& bound, std::size_t least, const RunOptions& options);

}  // namespace cleave
