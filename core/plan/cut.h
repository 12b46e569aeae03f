#pragma once

#include <string>
#include <vector>

#include "core/analysis/analysis.h"
#include "core/plan/position.h"

namespace cleave {

enum class FrameKind : std::uint8_t {
    Targets,     ///< the rows of the batch: nodes, or rows of an output
    Block,       ///< the targets, then the other nodes that gathers read from rows computed in this frame
    Edges,       ///< the edges whose segment index is a target
    Renumbered,  ///< row i is row index[i of the parent]
    Part,        ///< the parent's rows that come from one part of a concatenation, counted from the part's first
};

/// A number of rows that a graph decides: those of a structure value, or one for each node.
struct RowTotal {
    ValueId value;  ///< invalid: nodes
    int dim = 0;    ///< of value

    bool operator==(const RowTotal&) const = default;
};

/// A set of rows that ops of one function run over; each batch has its own.
struct Frame {
    FrameKind kind = FrameKind::Targets;
    ValueId index;      ///< Edges: the segment index, which holds each edge's target. Renumbered: the index that is read
    int parent = -1;    ///< Renumbered and Part: the frame that these rows belong to, an earlier one
    OpId concat;        ///< Part: the concatenation
    std::vector<RowTotal> before;  ///< Part: how many rows lie before it, as a sum
    std::vector<RowTotal> own;     ///< Part: how many rows it has

    bool operator==(const Frame&) const = default;
};

enum class OperandKind : std::uint8_t {
    Step,        ///< output of an earlier step of the same function
    Stored,      ///< rows of a save point or input feature, sliced to the frame
    StoredWhole, ///< a save point or input feature read at global indices
    Slice,       ///< structure value, sliced to the frame
    Whole,       ///< weight, constant or structure value that has no rows here
    TargetIndex, ///< index into the targets: the frame's segment index, renumbered
    BlockIndex,  ///< index into the block: the rows of an index in the frame, renumbered
    Leading,     ///< output of an earlier step over the block (frame), of which the targets' rows are read
};

/// What the entries of an index count.
enum class IndexInto : std::uint8_t { Nodes, Targets, Block };

struct StepOperand {
    OperandKind kind = OperandKind::Whole;
    ValueId value;
    int rowDim = -1;          ///< dimension that holds the rows
    int frame = 0;            ///< frame whose rows are meant
    IndexInto into = IndexInto::Nodes;  ///< Step: other than nodes for the output of a LocalIndex step
};

enum class StepKind : std::uint8_t {
    Call,        ///< the op on the frame's rows
    LocalIndex,  ///< a view of an index that is renumbered to the targets of the batch, or to its block
    Concat,      ///< operands of Part frames, put in the order of the frame's rows
    Forward,     ///< the operand as it is: a gather whose source was run for just the rows that are read
};

/// One op of a function. An edge op that serves several segment indices has one step for each.
struct Step {
    StepKind kind = StepKind::Call;
    OpId op;
    int frame = 0;                      ///< into CutFunction::frames
    std::vector<StepOperand> operands;  ///< in forEachOperand order; Forward: the one
    std::vector<int> rowDims;           ///< row dimension of each output
    std::vector<int> parts;             ///< Concat: the Part frame of each operand
    std::int64_t entries = 1;           ///< of each row along the row dimension of the outputs
    IndexInto into = IndexInto::Nodes;  ///< LocalIndex: what the entries of the output count
};

/// What runs together for one batch.
struct CutFunction {
    int level = 0;                ///< message degree of its results
    ValueId rowsOf;               ///< invalid: batched over nodes; otherwise over the rows of this output
    std::vector<RowTotal> total;  ///< how many rows there are to batch over, as a sum
    std::vector<Frame> frames;    ///< frame 0 is the targets
    std::vector<Step> steps;      ///< in execution order
    std::vector<ValueId> reads;   ///< save points and input features it reads
    std::vector<ValueId> saves;   ///< its results that later functions or the caller read: the save points
    std::vector<StepOperand> results;  ///< where each of saves is found

    std::vector<ValueId> segments() const;  ///< distinct segment indices, in order of first use
};

/// Whether the step gives a row for each target, or for each node of the block; an edge step does not.
bool isOverNodes(const CutFunction& function, const Step& step);

/// The targets' rows of an output of such a step.
StepOperand savedRows(const CutFunction& function, const Step& step, std::size_t output, ValueId value);

/// A program cut into functions at message degree, with everything an executor needs to run it block by block.
struct CutProgram {
    std::vector<ValueId> prologue;  ///< structure values that functions read: computed once on the whole graph
    std::vector<CutFunction> functions;
};

/// A position for each op that gives node rows; those of other ops mean nothing.
using Placement = IdMap<OpId, Position>;

Placement placeByMessageDegree(const Analysis& analysis);

/// One function for each message passing, with the node ops that are placed there. The placement must be legal (PlanSpace).
CutProgram cutAt(const Analysis& analysis, const Placement& placement);

/// Cuts right before each message passing: every node op runs once per node, in the function of its message degree.
CutProgram cutByMessageDegree(const Analysis& analysis);

}  // namespace cleave
