#pragma once

#include <cstdint>
#include <random>

#include "core/analysis/evaluator.h"
#include "core/run/executor.h"

namespace cleave {

/// A small random directed graph for a program's inputs: self-loops, isolated nodes, a hub, several edges between two nodes.
struct ProbeGraph {
    std::int64_t nodes = 0, edges = 0, selfLoops = 0;
    std::int64_t integers = 4;  ///< integer features and types are drawn from 0 … integers - 1
    std::uint64_t seed = 1;
    std::int64_t leastInteger = 0;  ///< of those that are drawn: 1 where what is counted from one is looked up at z - 1
    std::int64_t mostNamed = 0;     ///< nodes that edges are between where the program does not tell which; 0 for all
    bool learnedNodes = false;      ///< as many nodes of each type as the program has learned rows for; `nodes` is the least of these numbers
    bool fewOthers = false;         ///< what is counted by neither nodes nor edges has fewer rows than there are nodes (h[:k]), and not more than edges
    bool categories = false;        ///< also in inputs of floating-point numbers that no op is known to make integers of
    /// Rows as wide as this or wider are one number each, seen again and again without taking memory: enough to see which op refuses that width.
    std::int64_t repeatedWidth = std::numeric_limits<std::int64_t>::max();
};

/// Random values for every input, sized by the export's symbols. Error for an input whose size is neither nodes, edges nor constant.
Bindings probeInputs(const Program& program, const ProbeGraph& graph);

/// Int64 [count], ascending from 0 to rows: where the rows of each of count - 1 begin.
at::Tensor randomPointers(std::int64_t count, std::int64_t rows, std::mt19937_64& random);

/// The adjacency matrix [nodes, nodes] with these edges [2, M] and weights [M]: entry [i, j] is the sum of the weights from j to i.
at::Tensor adjacencyOf(const at::Tensor& edges, const at::Tensor& weights, std::int64_t nodes);

/// Inputs on which the program runs: integer inputs, and ends of edges of which the program does not tell what they
/// name, are drawn from smaller ranges, and integers from 1 on, until no index is out of range.
Bindings runnableProbeInputs(const Analysis& analysis, const Constants& constants, ProbeGraph graph, const std::vector<ValueId>& wanted,
                             std::vector<c10::IValue>& results);

class LibTorchEvaluator : public Evaluator {
public:
    std::optional<std::vector<int>> probeRowWise(const Program& program, OpId op, const std::vector<int>& operandRowDims) const override;
    bool mayShareMemory(const Op& op) const override;
    std::optional<Array> evaluate(const Program& program, ValueId value) const override;
};

/// Whether op gives the same rows on whole, permuted and truncated operands; operands are as in forEachOperand. Rows of output i are
/// looked for along every dimension. Exposed for the tests of the table of row-wise ops.
std::optional<std::vector<int>> probeOnOperands(const Program& program, OpId op, const std::vector<c10::IValue>& operands,
                                                const std::vector<int>& operandRowDims, int shapeRowDim = -1);

}  // namespace cleave
