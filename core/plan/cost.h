#pragma once

#include <array>
#include <map>
#include <set>
#include <vector>

#include "core/plan/counts.h"
#include "core/plan/plan_space.h"
#include "core/plan/rates.h"
#include "core/plan/work.h"

namespace cleave {

struct Amount {
    double bytes = 0;
    double flops = 0;
    double seconds = 0;

    Amount& operator+=(const Amount& more)
    {
        bytes += more.bytes;
        flops += more.flops;
        seconds += more.seconds;
        return *this;
    }
};

/// How a function reads a tensor of the store.
struct TensorRead {
    int function = 0;      ///< into PlanCost::functions
    char rows = 'V';       ///< 'V' the targets, 'E' every node of the block, 'M' straight by the gathers
    double count = 0;      ///< rows, over all batches
    Amount amount;
};

/// A save point, or an input feature: what it costs to keep and to read.
struct TensorCost {
    ValueId tensor;
    int madeIn = -1;       ///< into PlanCost::functions; -1 for an input
    Amount write;
    std::vector<TensorRead> reads;
};

struct FunctionCost {
    int first = 0, last = 0;  ///< message passings that run in it
    ValueId rowsOf;           ///< valid: rows of this output
    bool isGlobal = false;    ///< the global ops before this level
    Amount prepare;           ///< blocks cut, structure sliced
    Amount read, compute, write;
    double peakBytes = 0;     ///< stores, prologue and the largest batch; without the graph itself and weights

    struct Blocks {
        double read = 0, compute = 0;  ///< seconds
    };

    double seconds() const { return prepare.seconds + read.seconds + compute.seconds + write.seconds; }
    bool isOf(const CutFunction& function) const { return last == function.level && rowsOf == function.rowsOf && isGlobal == function.isGlobal; }
};

struct PlanCost {
    std::vector<FunctionCost> functions;
    std::vector<TensorCost> tensors;
    std::vector<Amount> ops;     ///< as PlanSpace::ops(); what message passing does on edges counts for its scatter, or for the function
    double preparationBytes = 0; ///< memory before the first function runs
    std::set<BlockCopy> copied;  ///< what is gathered from a copy of the block's rows, where that is cheaper

    Amount total() const;  ///< of all functions
    double seconds() const;
    double readBytes() const;     ///< rows of stores and slices of structure
    double writtenBytes() const;
    double flops() const;
    double peakBytes() const;
};

/// Of each function, what of its seconds is spent on the nodes and edges of blocks, which are more than the function's own rows.
std::vector<FunctionCost::Blocks> blockSeconds(const PlanSpace& space, const Plan& plan, const PlanCost& cost);

/// Prices plans of one program on one graph (design: section 6). Built once; a plan is then priced in linear time.
class CostModel {
public:
    CostModel(const PlanSpace& space, GraphCounts counts, Rates rates, Profile profile = {});

    PlanCost price(const Plan& plan) const;  ///< of a legal plan that joins the functions that the counts are for
    double seconds(const Plan& plan) const;  ///< price(plan).seconds(), sooner
    Amount opCost(std::size_t placed, Position position) const;  ///< of PlanSpace::ops()

    const PlanSpace& space() const { return m_space; }
    const GraphCounts& counts() const { return m_counts; }
    const Rates& rates() const { return m_rates; }

    // What a planner needs to know: the terms of the sum that price() computes.

    struct Use {
        enum Kind { ByOp, AtTargets, Gathered, Numbered, ByOutput } kind = ByOp;
        int op = -1;       ///< ByOp: placed op that reads it at its own rows
        int level = 0;     ///< message passing; ByOutput: index of the function of an output, or of global ops
        RowCount rows;     ///< of the frame that gathers, or reads by number
        double straightSeconds = 0, blockSeconds = 0;  ///< Gathered: all rows from the store, or from the block
    };
    struct Tensor {
        ValueId id;
        int producer = -1;  ///< placed op; -1 for an input, and what a global op made
        int global = -1;    ///< index of the function of the global op that made it
        int viewOf = -1;    ///< tensor whose memory it has, as a view by a global op
        int nodeType = 0;
        double bytes = 0;         ///< per row, as functions compute with it
        double keptBytes = 0;     ///< per row, in memory, of a save point
        double writeSeconds = 0;  ///< of all V rows, where they are copied
        bool isOutput = false;
        std::vector<Use> uses;
    };
    struct Extra {          ///< structure of node rows that placed ops read: sliced or computed once for each block
        bool isComputed = false;
        Amount amount;      ///< per row
    };

    const std::vector<Tensor>& tensors() const { return m_tensors; }
    const std::vector<Extra>& extras() const { return m_extras; }
    const std::vector<int>& extrasOf(std::size_t placed) const { return m_ops[placed].extras; }
    double rowsAt(Position position) const;
    double fixedSeconds() const;                  ///< of functions, whatever the positions of their ops
    double relabelSeconds(int level) const { return m_relabel[static_cast<std::size_t>(level)]; }
    double readSeconds(const Tensor& tensor, bool wholeBlock, int function) const;  ///< of the targets' rows, or of the block's
    double writeSeconds(const Tensor& tensor, int function) const;  ///< of the rows that this function computes
    bool mayBeCopied(const Tensor& tensor, int function) const { return m_space.analysis().typeOf(function) == tensor.nodeType; }

private:
    struct Group {
        int first = 0, last = 0;  // last: that batches are of (CutFunction::level)
        FunctionRows rows;
    };
    struct Ref {
        enum Kind { Tensor, Fixed, Slice } kind = Tensor;
        int index = 0;
    };
    struct PlacedWork {
        WorkKind kind = WorkKind::Elementwise;
        double bytes = 0, flops = 0, seconds = 0, resultBytes = 0, scratchBytes = 0;  // per row
        Amount fixed;                                               // of a scatter: its edge rows
        std::vector<int> extras, before;                            // before: fixed steps that run for it
        std::vector<Ref> reads;
    };
    struct FixedStep {
        bool isView = false;
        bool isAbsorbed = false;  // runs with the op behind it
        AtOnce bytes;             // of its results
        AtOnce scratch;           // while it runs
        std::vector<Ref> reads;
    };

    struct OfGraph {     // what a global op gives once for the graph
        int madeIn = 0;  // into m_fixed
        double bytes = 0;
        bool isOutput = false;
        std::set<int> ops, functions;  // placed ops that read it, and functions of what else does
    };

    class Builder;
    class PeakOf;
    class Pricing;

    const FunctionRows& rowsOf(int group) const { return m_groups[static_cast<std::size_t>(group)].rows; }
    int groupOf(Position position) const { return m_groupOfLevel[static_cast<std::size_t>(position.function())]; }
    int hopsOf(Position position) const { return std::max(0, m_groups[static_cast<std::size_t>(groupOf(position))].last - position.at / 2); }
    int typeAt(Position position) const { return m_space.analysis().typeOf(position.function()); }
    RowCount rowsFor(int group, int nodeType, int hops) const;
    bool isInOrder(const FunctionRows& rows) const { return m_counts.order == "natural" && rows.areInOrder; }
    bool isInOrder(int group, int hops) const;  ///< the rows that a group reads of a tensor follow each other in the store
    double nodeSeconds(const Tensor& tensor, int group, int hops) const;
    bool isWhole(const FunctionRows& rows, int nodeType) const;  ///< one batch has all nodes as they are: no block needs a copy or numbers

    const PlanSpace& m_space;
    GraphCounts m_counts;
    Rates m_rates;
    Profile m_profile;
    CutProgram m_cut;
    std::vector<Group> m_groups;  // functions over nodes
    std::vector<int> m_groupOfLevel;
    std::vector<FunctionCost> m_fixed;  // of each group, then of each function of an output or of global ops
    std::vector<int> m_turn;            // when each of them runs
    std::vector<PlacedWork> m_ops;
    std::vector<Tensor> m_tensors;
    std::map<ValueId, int> m_tensorIndex;
    std::map<ValueId, OfGraph> m_ofGraph;
    std::vector<Extra> m_extras;
    std::vector<FixedStep> m_steps;
    std::vector<AtOnce> m_slices;       // bytes
    std::vector<AtOnce> m_bookkeeping;  // bytes of row numbers, by group
    std::vector<double> m_relabel;      // by message passing
};

}  // namespace cleave
