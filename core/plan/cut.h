#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/analysis.h"
#include "core/plan/position.h"

namespace cleave {

enum class FrameKind : std::uint8_t {
    Targets,     ///< the rows of the batch: nodes of one type, or rows of an output
    Block,       ///< the batch's nodes of one type that lie so many hops away or less: targets first, then what each hop adds
    Edges,       ///< the edges whose segment index is a node of the parent
    Renumbered,  ///< row i is row index[i of the parent]
    Part,        ///< the parent's rows that come from one part of a concatenation, counted from the part's first
};

/// A number of rows that a graph decides: those of a structure value, or one for each node.
struct RowTotal {
    ValueId value;     ///< invalid: nodes
    int dim = 0;       ///< of value
    int nodeType = 0;  ///< of nodes

    auto operator<=>(const RowTotal&) const = default;
};

/// A set of rows that ops of one function run over; each batch has its own.
struct Frame {
    FrameKind kind = FrameKind::Targets;
    ValueId index;      ///< Edges: the segment index, which holds each edge's target. Renumbered: the index that is read
    int parent = -1;    ///< all but Targets and Block: the frame that these rows belong to, an earlier one
    int hops = 0;       ///< message passings from the targets, those into nodes of any type counted; of Edges, Renumbered and Part: as their parent's
    int nodeType = 0;   ///< Targets and Block: of the nodes
    OpId concat;        ///< Part: the concatenation
    std::vector<RowTotal> before;  ///< Part: how many rows lie before it, as a sum
    std::vector<RowTotal> own;     ///< Part: how many rows it has. Renumbered: how many there are to be read, if the program tells

    auto operator<=>(const Frame&) const = default;
};

enum class OperandKind : std::uint8_t {
    Step,        ///< output of an earlier step of the same function
    Stored,      ///< rows of a save point or input feature, sliced to the frame
    StoredWhole, ///< a save point or input feature read at global indices
    Slice,       ///< structure value, sliced to the frame
    Whole,       ///< weight, constant or structure value that has no rows here
    LocalIndex,  ///< rows of an index in the frame, renumbered to the nodes of the batch
    Leading,     ///< a step's output, or rows of a save point or input feature, for a wider block (from), of which the frame's rows are read
    Numbered,    ///< output of an earlier step over a block (from), of which an edge frame's rows are read: they are nodes' numbers
    OfGraph,     ///< what a global op gave once for the graph, from the store
};

/// What the entries of an index count: the graph's nodes, or those of a batch. A batch numbers the nodes of each type, its targets first, then what
/// each hop adds, so that a node's number is the same in every block of the batch.
enum class IndexInto : std::uint8_t { Nodes, Batch };

struct StepOperand {
    OperandKind kind = OperandKind::Whole;
    ValueId value;
    int rowDim = -1;          ///< dimension that holds the rows
    int frame = 0;            ///< frame whose rows are meant
    IndexInto into = IndexInto::Nodes;  ///< Step: Batch for the output of a LocalIndex step
    int from = -1;            ///< Leading and Numbered: the frame of the step
    int ofType = 0;           ///< LocalIndex, Numbered, and Slice of an index that nodes are gathered at: the type of the nodes that the numbers name

    bool operator==(const StepOperand&) const = default;
};

enum class StepKind : std::uint8_t {
    Call,        ///< the op on the frame's rows
    LocalIndex,  ///< a view of an index that is renumbered to the nodes of the batch
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

/// What runs together for one batch. Global ops have a function of their own, which runs once, on the rows of all nodes in natural order, before
/// the function of the same level.
struct CutFunction {
    int level = 0;                ///< message degree of its results
    int nodeType = 0;             ///< of its targets (frame 0) and, unless functions over several types are joined, of all nodes in blocks
    bool isGlobal = false;        ///< its steps are global ops, on nodes of any type
    int firstLevel = 0;           ///< less than level where several message passings run together, over blocks of several hops
    ValueId rowsOf;               ///< invalid: batched over nodes; otherwise over the rows of this output
    std::vector<RowTotal> total;  ///< how many rows there are to batch over, as a sum
    std::vector<Frame> frames;    ///< frame 0 is the targets
    std::vector<Step> steps;      ///< in execution order
    std::vector<ValueId> reads;   ///< save points and input features it reads
    std::vector<ValueId> saves;   ///< its results that later functions or the caller read: the save points
    std::vector<StepOperand> results;  ///< where each of saves is found
    std::vector<StepOperand> neighbours;  ///< the indices that its expanding gathers read, and frames (value invalid) whose rows are nodes' numbers

    std::vector<ValueId> segments() const;  ///< distinct segment indices, in order of first use
    std::vector<ValueId> segmentsInto(int type) const;               ///< those whose edges lead into nodes of this type
    bool numbers(int type) const;                                    ///< a batch numbers nodes of this type: they are its targets, or in its blocks
    int targetsOf(int type) const;                                   ///< the frame of the targets of this type; -1 if it has none
    bool isOfLevel() const { return !rowsOf.valid() && !isGlobal; }  ///< holds the ops that a plan places
};

/// "function 2", "functions 1 to 2", "global ops before function 2" or "rows of an output": numbered as plans do, by message degree.
std::string functionName(int first, int last, bool isGlobal, ValueId rowsOf);
std::string functionName(const CutFunction& function);

/// The operand that is the op's argument of this name, or the first of its list; null if it is none.
const StepOperand* operandOf(const Program& program, const Step& step, std::string_view name);

/// Whether the step gives a row for each target, or for each node of the block; an edge step does not.
bool isOverNodes(const CutFunction& function, const Step& step);

/// Whether a frame is that of edges into the targets themselves: those of a batch lie together when edges are grouped by target.
bool isIntoTargets(const CutFunction& function, int frame);

/// The targets' rows of an output of such a step. Nodes of a type that had no targets have some afterwards.
StepOperand savedRows(CutFunction& function, const Step& step, std::size_t output, ValueId value);

/// A program cut into functions at message degree, with everything an executor needs to run it block by block.
struct CutProgram {
    std::vector<ValueId> prologue;  ///< structure values that functions read: computed once on the whole graph
    std::vector<CutFunction> functions;
};

/// A position for each op that gives node rows; those of other ops mean nothing.
using Placement = IdMap<OpId, Position>;

Placement placeByMessageDegree(const Analysis& analysis);

/// A tensor of the store whose rows are copied for the whole block of a message passing, to be gathered from there.
struct BlockCopy {
    int function = 0;
    ValueId tensor;

    auto operator<=>(const BlockCopy&) const = default;
};

/// How functions read and run, besides the positions of their ops.
struct CutChoices {
    std::set<int> joined;        ///< f: functions f and f + 1 run together, and nothing is saved between them
    std::set<BlockCopy> copied;  ///< all others are gathered straight from the store

    bool operator==(const CutChoices&) const = default;
};

/// One function for each message passing, with the node ops that are placed there. The placement must be legal (PlanSpace).
CutProgram cutAt(const Analysis& analysis, const Placement& placement, const CutChoices& choices = {});

/// Levels at whose beginning all nodes are waited for, by global ops: no function reaches across.
std::set<int> barriers(const Analysis& analysis);

/// Cuts right before each message passing: every node op runs once per node, in the function of its message degree.
CutProgram cutByMessageDegree(const Analysis& analysis);

}  // namespace cleave
