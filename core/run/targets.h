#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/analysis/analysis.h"

namespace cleave {

struct RunOptions;

/// Nodes that are asked for, of one type of the program; all of all types if there are none.
struct Targets {
    std::vector<std::int64_t> nodes;
    int type = -1;

    bool areAll() const { return nodes.empty(); }
};

/// What the options ask for. Error if no output has rows of the type that they name; or, where they name none, if outputs have rows of several types,
/// or of edges.
Targets targetsOf(const Analysis& analysis, const RunOptions& options);

/// Whether an output has rows of the targets' type, or no rows: others are left out.
bool isAsked(const Analysis& analysis, ValueId output, const Targets& targets);

/// Of an output's rows those of the targets; none of one that is left out, and what has no row for each node as it is.
at::Tensor askedRows(const Analysis& analysis, ValueId output, const at::Tensor& tensor, const Targets& targets);

}  // namespace cleave
