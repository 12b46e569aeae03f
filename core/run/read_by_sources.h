#pragma once

#include <torch/csrc/jit/ir/ir.h>

#include <cstddef>
#include <set>
#include <vector>

namespace cleave {

/// Inputs of which edge programs read rows through these indices alone, which nothing else reads: some of their rows, numbered anew, do as well.
struct ReadBySources {
    std::set<std::size_t> sources;   ///< inputs: the indices
    std::set<std::size_t> rows;      ///< inputs
};

/// Of the inputs of a graph that calls cleave::edges.
std::vector<ReadBySources> findReadBySources(const torch::jit::Graph& graph);

}  // namespace cleave
