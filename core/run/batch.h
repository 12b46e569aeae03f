#pragma once

#include <ATen/ATen.h>

#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "core/graph/numbering.h"
#include "core/run/ordered_graph.h"
#include "core/run/row_store.h"

/// A batch of the layer-wise executor: private to core/run.
namespace cleave {

using Numberings = std::vector<Numbering>;  ///< of nodes of each type

inline at::Tensor view(std::span<const std::int64_t> numbers)
{
    return at::from_blob(const_cast<std::int64_t*>(numbers.data()), {static_cast<std::int64_t>(numbers.size())}, at::kLong);
}

inline std::span<const std::int64_t> numbersOf(const at::Tensor& tensor)
{
    return {tensor.data_ptr<std::int64_t>(), static_cast<std::size_t>(tensor.numel())};
}

/// Some rows that follow each other, of nodes in their order.
struct RowRange {
    std::int64_t first = 0, last = 0;
};

struct Gathered;

/// Rows of one batch: targets first … last - 1 of the order, of the type that has most, and for each frame the row ids it stands for.
struct Batch {
    std::int64_t first = 0, last = 0;
    std::vector<RowRange> targets;  ///< of each type, in its order: of types that have fewer an equal share
    std::vector<at::Tensor> ids;  ///< [rows] int64; undefined for targets in natural order, which are a range
    std::vector<at::Tensor> places;  ///< of parts: [rows] where each row is in the parent
    std::vector<std::int64_t> rows;
    const CutFunction* function = nullptr;
    Numberings* numbers = nullptr;    ///< of the nodes in the batch, by type; null where nothing reads them
    bool isWhole = false;             ///< every node is a target, in natural order, so each has its own number, however far blocks reach
    std::vector<std::vector<std::int64_t>> reach;  ///< how many nodes of each type lie within so many hops; empty if they are not numbered
    std::int64_t edges = 0;
    at::Tensor live;                  ///< [rows of frame 0] int64: which of the targets the batch is for, counted from `first`; undefined: all
    const Gathered* gathered = nullptr;  ///< that the batch lies in; null where nothing is gathered before

    /// What was read of edges of a whole batch, by value, segment index, kind, and dimension or type: the same at every distance.
    mutable std::map<std::tuple<ValueId, ValueId, OperandKind, int>, at::Tensor> ofEdges;

    const Frame& frame(int frame) const { return function->frames[static_cast<std::size_t>(frame)]; }

    // Whether a frame's rows are the nodes from the first target of their type to the last.
    bool isRange(int index) const { return frame(index).kind == FrameKind::Targets || (isWhole && frame(index).kind == FrameKind::Block); }

    // Of a frame of nodes, where it is a range; otherwise of the targets.
    const RowRange& range(int index) const { return targets[static_cast<std::size_t>(isRange(index) ? frame(index).nodeType : function->nodeType)]; }

    at::Tensor idsOf(int index) const
    {
        const at::Tensor& known = ids[static_cast<std::size_t>(index)];
        return known.defined() ? known : at::arange(range(index).first, range(index).last, at::kLong);
    }

    // Nodes of all types that the batch reaches.
    std::int64_t within() const
    {
        std::int64_t sum = 0;
        for (const std::vector<std::int64_t>& ofType : reach)
            sum += ofType.empty() ? 0 : ofType.back();
        return sum;
    }
};

/// What has been reduced of the edges into many targets, before batches run on them.
struct Gathered {
    std::int64_t first = 0;
    std::vector<GatheringFunction::Output> outputs;
    std::vector<at::Tensor> rows;  // [targets or edges, …] of each output
    at::Tensor live;               // [targets] int64: those that have rows, counted from `first`; undefined: all
};

/// Makes batches of a graph's functions, and what these are given of them.
class BatchMaker {
public:
    BatchMaker(const Analysis& analysis, const OrderedGraph& graph, const RowStore& store) : m_a(analysis), m_graph(graph), m_store(store) {}

    /// Targets first … last - 1 of a function, or those of them that live names, with all frames around them. numbers: of whoever makes one batch
    /// after the other; null where nothing reads the numbers of nodes.
    Batch make(const CutFunction& function, std::int64_t first, std::int64_t last, Numberings* numbers, const at::Tensor& live = {}) const;
    RowRange targets(const CutFunction& function, RowRange batch, int type) const;  ///< of a type that a batch of these rows computes

    std::vector<c10::IValue> inputs(const LoweredFunction& lowered, const Batch& batch) const;
    c10::IValue input(const FunctionInput& in, const Batch& batch) const;
    c10::IValue input(const StepOperand& operand, const Batch& batch) const;

    at::Tensor nodesAt(const StepOperand& operand, const Batch& batch) const;  ///< the entries of an index in a frame, counted from the first node
    at::Tensor numbersInBatch(const at::Tensor& nodes, int type, const Batch& batch) const;
    at::Tensor beginOf(int frame, const Batch& batch) const;  ///< where the edges into each of the parent's rows begin, and the last ends
    RowRange edgesIn(int frame, const Batch& batch) const;    ///< a batch's part of the edges into targets, in their order

private:
    bool isWhole(const CutFunction& function, std::int64_t targets) const;
    void addRows(const CutFunction& function, int hops, Batch& batch) const;
    void addNeighbours(const CutFunction& function, int hops, Batch& batch) const;
    at::Tensor fromFirst(const Frame& frame, const at::Tensor& numbers) const;
    void number(const at::Tensor& nodes, int type, Batch& batch) const;
    at::Tensor sourcesOf(const StepOperand& operand, const Batch& batch) const;
    at::Tensor sourcesOfAny(const StepOperand& operand, const Batch& batch) const;
    template <class Make>
    at::Tensor onceOfWhole(const StepOperand& operand, int which, const Batch& batch, Make make) const;
    at::Tensor edgesOf(const at::Tensor& grouped, int rowDim, int frame, const Batch& batch) const;
    at::Tensor storedRows(const StepOperand& operand, const Batch& batch) const;
    at::Tensor gatheredRows(int output, const Batch& batch) const;

    const Analysis& m_a;
    const OrderedGraph& m_graph;
    const RowStore& m_store;
};

/// Where each row of a frame is in the rows of its parts after each other.
at::Tensor orderOf(const std::vector<int>& parts, const Batch& batch);

}  // namespace cleave
