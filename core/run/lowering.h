#pragma once

#include <ATen/core/ivalue.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/runtime/interpreter.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/analysis/analysis.h"
#include "core/plan/cut.h"
#include "core/run/edge_op.h"
#include "core/run/global_op.h"
#include "core/run/read_by_sources.h"
#include "core/run/relation_sum.h"
#include "core/run/run_program.h"

namespace cleave {

/// A TorchScript graph that LibTorch's interpreter runs as it stands: tensors are freed after their last reader. It is linted and compiled at its
/// first run, by whichever thread comes first: counting rows runs nothing.
class Lowered {
public:
    Lowered() = default;
    Lowered(std::shared_ptr<torch::jit::Graph> graph, std::string name);

    std::vector<c10::IValue> run(std::vector<c10::IValue> inputs) const;  ///< outputs in order

private:
    struct Compiled;

    std::shared_ptr<Compiled> m_compiled;
};

/// One input of a lowered function, to be filled in for each batch.
struct FunctionInput {
    std::optional<StepOperand> operand = {};  ///< rows of a store or structure value
    int countOf = -1;                    ///< otherwise, if not negative: number of rows of this frame
    int numbersOf = -1;                  ///< otherwise, if not negative: the numbers in the batch of the nodes that this frame's rows are
    std::vector<int> orderOf = {};            ///< otherwise, if not empty: where each row of a frame is in the rows of these parts after each other
    int beginOf = -1;                    ///< otherwise, if not negative: where the edges into each of the parent's rows begin, int64 [rows + 1]
    std::optional<StepOperand> sourcesOf = {}; ///< otherwise: one index entry for each edge, as int32
    int gathered = -1;                   ///< otherwise, if not negative: the batch's rows of this output of the part that gathers
    int numbersType = 0;                 ///< numbersOf: the type of the nodes
};

struct LoweredFunction {
    std::vector<FunctionInput> inputs;
    std::vector<std::unique_ptr<EdgeOp>> edgeOps;  ///< that the code calls
    std::vector<std::unique_ptr<RelationSum>> relationSums;  ///< likewise
    std::vector<std::unique_ptr<GlobalOp>> globalOps;  ///< likewise
    Lowered code;  ///< outputs: CutFunction::results in order
    std::vector<ReadBySources> readBySources;
};

/// What a function adds up while rows of a tensor of the store come once, instead of a part that gathers: each source's row times a matrix to the
/// sums of its targets, and what a target makes of its own row to its own.
struct OwnRowsFunction {
    EdgeOp edges;                           ///< of rows that are multiplied already: one result, a sum
    FunctionInput begin;
    std::vector<FunctionInput> operands;    ///< of the edge program, in its order
    std::vector<std::optional<FunctionInput>> sources;  ///< of each operand that is read at an index
    std::size_t operand = 0;                ///< the one whose rows come
    ValueId tensor;                         ///< that they are of
    at::Tensor matrix, bias;                ///< as of a linear layer, [out, in] and [out]; may be undefined
    LoweredFunction own;                    ///< one output, [rows, out]; rows of the tensor are given to it
    bool isMean = false;                    ///< sums are divided by how many edges there are
    std::vector<bool> divides;              ///< each scale of the sums: whether they are divided by it, or multiplied
    LoweredFunction scales;                 ///< outputs: a scale each, [rows, in or 1]
    LoweredFunction rest;                   ///< what has been added up is its gathered row 0

    std::vector<FunctionInput> inputs() const;  ///< of the edge program
};

/// A function in two parts: one that reduces rows of the store over edges, for as many targets as there is memory for, and the rest of it, which is
/// run batch by batch.
struct GatheringFunction {
    struct Output {
        int frame = 0;     ///< a row for each target (0), or for each edge of a frame
        double empty = 0;  ///< entries of targets without edges
    };
    LoweredFunction gathering;    ///< outputs as listed
    std::vector<Output> outputs;
    LoweredFunction rest;
    std::optional<OwnRowsFunction> withOwnRows;  ///< another way
};

/// Nothing if the function reduces no rows of these values, or not those of the store as they are.
std::optional<GatheringFunction> lowerGathering(const Analysis& analysis, const CutFunction& function, const Constants& constants,
                                                const std::string& name, Kernels kernels, const std::set<ValueId>& values,
                                                const std::set<ValueId>& narrow = {});

/// narrow: tensors of the store that are bfloat16 there; what is gathered of them becomes float32. device: on which it is run, and its
/// tensors lie; nothing: on the processor.
LoweredFunction lowerFunction(const Analysis& analysis, const CutFunction& function, const Constants& constants, const std::string& name,
                              Kernels kernels = Kernels::None, const std::set<ValueId>& narrow = {}, std::optional<c10::Device> device = {});

}  // namespace cleave
