#pragma once

#include <torch/csrc/jit/ir/ir.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/base/progress.h"
#include "core/plan/edge_fusion.h"

namespace cleave {

/// While one is alive, edge programs of this thread hear cancel whenever rows have come from a file.
class StreamsListen {
public:
    explicit StreamsListen(const Progress& progress);
    ~StreamsListen();
    StreamsListen(const StreamsListen&) = delete;
    StreamsListen& operator=(const StreamsListen&) = delete;
};

/// An edge program as LibTorch's graphs call it. It must outlive the graph.
struct EdgeOp {
    EdgeProgram program;
    DType dtype = DType::Float32;
    std::vector<std::vector<std::int64_t>> sizes;  ///< of each result, without the rows
};

EdgeOp edgeOp(const Program& program, const FusedEdges& fused);

/// Appends cleave::edges, which gives a list with a tensor for each result.
/// begin: int64 [targets + 1], where the edges into each target begin; operands: in the program's order; sources: int32 [edges] for each
/// operand that is read at an index, in order.
torch::jit::Value* insertEdgeOp(torch::jit::Graph& graph, const EdgeOp& op, torch::jit::Value* begin, const std::vector<torch::jit::Value*>& operands,
                                const std::vector<torch::jit::Value*>& sources);

/// Appends cleave::live_rows: the targets that have edges, or where a scale would make something else than zero of a zero (scales: 2-D, a row for
/// each target), int64 [live]; and where the edges into each of these begin, as `begin` says it for all, int64 [live + 1].
std::pair<torch::jit::Value*, torch::jit::Value*> insertLiveRows(torch::jit::Graph& graph, torch::jit::Value* begin, const std::vector<torch::jit::Value*>& scales);

/// Appends cleave::add_rows_: adds values, a row for each of these distinct rows, to `sum` where it lies.
torch::jit::Value* insertAddRows(torch::jit::Graph& graph, torch::jit::Value* sum, torch::jit::Value* rows, torch::jit::Value* values);

/// Appends cleave::rows: index_select along dimension 0, which reads what lies in files from there if memory is bound.
torch::jit::Value* insertRows(torch::jit::Graph& graph, torch::jit::Value* whole, torch::jit::Value* index);

}  // namespace cleave
