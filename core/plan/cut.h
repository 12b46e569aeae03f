#pragma once

#include <string>
#include <vector>

#include "core/analysis/analysis.h"

namespace cleave {

enum class FrameKind : std::uint8_t {
    Targets,  ///< the rows of the batch: nodes, or rows of an output
    Edges,    ///< the edges whose segment index is a target
};

/// A set of rows that ops of one function run over; each batch has its own.
struct Frame {
    FrameKind kind = FrameKind::Targets;
    ValueId segment;            ///< Edges: the structure value that holds each edge's target
    std::vector<ValueId> maps;  ///< structure indices that renumber the rows, first one first: row i is row maps[1][maps[0][i]]

    bool operator==(const Frame&) const = default;
};

enum class OperandKind : std::uint8_t {
    Step,        ///< output of an earlier step of the same function
    Stored,      ///< rows of a save point or input feature, sliced to the frame
    StoredWhole, ///< a save point or input feature read at global indices
    Slice,       ///< structure value, sliced to the frame
    Whole,       ///< weight, constant or structure value that has no rows here
    TargetIndex, ///< index into the targets: the frame's segment index, renumbered
};

struct StepOperand {
    OperandKind kind = OperandKind::Whole;
    ValueId value;
    int rowDim = -1;          ///< dimension that holds the rows
    int frame = 0;            ///< frame whose rows are meant
    bool localIndex = false;  ///< Step: the output of a step with localIndex
};

/// One op of a function. An edge op that serves several segment indices has one step for each.
struct Step {
    OpId op;
    int frame = 0;                      ///< into CutFunction::frames
    std::vector<StepOperand> operands;  ///< in forEachOperand order
    std::vector<int> rowDims;           ///< row dimension of each output
    bool localIndex = false;            ///< a view of the segment index, renumbered to the targets of the batch
};

/// What runs together for one batch.
struct CutFunction {
    int level = 0;                ///< message degree of its results
    ValueId rowsOf;               ///< invalid: batched over nodes; otherwise over the rows of this output
    std::vector<Frame> frames;    ///< frame 0 is the targets
    std::vector<Step> steps;      ///< in execution order
    std::vector<ValueId> reads;   ///< save points and input features it reads
    std::vector<ValueId> saves;   ///< its results that later functions or the caller read: the save points
    std::vector<StepOperand> results;  ///< where each of saves is found

    std::vector<ValueId> segments() const;  ///< distinct segment indices, in order of first use
};

/// A program cut into functions at message degree, with everything an executor needs to run it block by block.
struct CutProgram {
    std::vector<ValueId> prologue;  ///< structure values that functions read: computed once on the whole graph
    std::vector<CutFunction> functions;
};

/// Cuts right before each message passing: every node op runs once per node, in the function of its message degree.
CutProgram cutByMessageDegree(const Analysis& analysis);

}  // namespace cleave
