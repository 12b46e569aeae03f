#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/analysis/analysis.h"

namespace cleave {

/// Nodes that are asked for; all of all types if there are none.
struct Targets {
    std::vector<std::int64_t> nodes;
    int type = -1;
};

/// The type of the nodes that are asked for (RunOptions::targetType). Error if no output has rows of the named one; or, where none is named, if outputs
/// have rows of several types, or of edges.
int targetType(const Analysis& analysis, const std::string& named);

/// Whether an output has rows of that type, or no rows: others are left out.
bool isAsked(const Analysis& analysis, ValueId output, int type);

/// Of an output's rows those of the nodes that are asked for; none of one that is left out, and what has no row for each node as it is.
at::Tensor askedRows(const Analysis& analysis, ValueId output, const at::Tensor& tensor, const at::Tensor& nodes, int type);

}  // namespace cleave
