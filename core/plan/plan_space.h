#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/analysis.h"
#include "core/plan/cut.h"
#include "core/plan/position.h"

namespace cleave {

/// What a person asked of every plan. A value: cheap to copy, compared by content.
class Constraints {
public:
    void pin(OpId op, int function) { m_pins[op] = function; }
    void unpin(OpId op) { m_pins.erase(op); }
    std::optional<int> pinned(OpId op) const;

    void join(OpId a, OpId b);
    void leave(OpId op);  ///< its group
    bool hasGroups() const { return !m_group.empty(); }
    OpId group(OpId op) const;  ///< ops of one group, and only they, have the same
    const std::map<OpId, int>& pins() const { return m_pins; }

    bool operator==(const Constraints&) const = default;

private:
    std::map<OpId, int> m_pins;
    std::map<OpId, OpId> m_group;  // ops in groups of more than one: the least op of its group
};

/// A position for each op of PlanSpace::ops(), in that order.
struct Plan {
    std::vector<Position> positions;
    Constraints constraints;
    std::set<int> joined;  ///< f: functions f and f + 1 run together, over blocks of one hop more, and nothing is saved between them

    bool operator==(const Plan&) const = default;
};

/// What became of a wish: the new plan and the ops that had to move along, or the reason why it cannot be.
struct Move {
    std::optional<Plan> plan;
    std::vector<OpId> alongside;
    std::string reason;  ///< one sentence that names the ops in conflict; empty if there is a plan
};

/// An op on node rows: placed by a plan, or part of a message passing, which stays in the function of its message degree.
struct PlacedOp {
    OpId op;
    int nodeType = 0;              ///< it stands in functions over nodes of this type
    bool movable = true;
    Position least, most;          ///< what the program allows, whatever else moves
    std::vector<int> reads;        ///< indices of the ops whose results it reads, each once
    std::vector<int> readers;      ///< indices of the ops that read its results
    Position limit;                ///< the latest position for those that read it on edges
    OpId limitedBy;                ///< one of these; invalid if none reads it on edges
    OpId waitsFor;                 ///< a global op whose result it reads: it stands at that op's level or later; invalid if there is none
};

/// All legal plans of a program, and the moves between them (design: section 6).
class PlanSpace {
public:
    explicit PlanSpace(const Analysis& analysis);

    const Analysis& analysis() const { return m_a; }
    const std::vector<PlacedOp>& ops() const { return m_ops; }
    int functions() const { return m_levels + 1; }  ///< function f holds message passing f; function 0 has none
    int indexOf(OpId op) const;                     ///< into ops(); -1 for ops on edges and structure

    /// A sentence why functions cut and cut + 1 cannot be joined; empty if they can.
    std::string whyNotJoined(int cut) const;

    /// Whether a plan may place the op there as far as its node type goes.
    bool isOpenTo(const PlacedOp& placed, Position position) const { return m_a.typeOf(position.function()) == placed.nodeType; }
    /// Where functions over nodes of several types run together, what they save decides of which types they have targets: ops neither leave nor join.
    bool staysInGroup(const Plan& plan, const PlacedOp& placed, Position position) const;

    Plan messageDegree() const;  ///< every op after the message passing of its message degree

    /// The plan at message degree with these constraints, or which of them cannot be kept, and why.
    Move constrained(const Constraints& constraints) const;

    Move moveOp(const Plan& plan, OpId op, Position to) const;
    Move moveOps(const Plan& plan, std::span<const OpId> ops, Position to) const;  ///< all of them, or none with the first reason

    /// Stores the tensor at the cut between functions cut and cut + 1, so that what reads it and can runs after the cut, or does not: then
    /// the tensor is computed after the cut, or all that reads it before. Sentences call it cut + 1, after the function that begins there.
    Move setSavePoint(const Plan& plan, ValueId tensor, int cut, bool saved) const;

    /// The next legal plan with the cut between functions cut and cut + 1 further up: an op of function cut, the last that can, runs before the
    /// message passing after it. Or further down: the first op that stands there runs in function cut.
    Move moveCut(const Plan& plan, int cut, bool up) const;

    Move pin(const Plan& plan, OpId op, int function) const;  ///< moves it there if need be, after the message passing if it can
    Move unpin(const Plan& plan, OpId op) const;
    Move keepTogether(const Plan& plan, OpId a, OpId b) const;  ///< in one function from now on; b's group comes to a, or a's to b

    /// Tensors that lie in the store between functions cut and cut + 1, inputs included: made at or before cut, read after it.
    std::vector<ValueId> savePoints(const Plan& plan, int cut) const;
    std::vector<std::vector<ValueId>> allSavePoints(const Plan& plan) const;  ///< of each cut, in time linear in reads and results

    /// The functions that read it; one behind the last where it is an output.
    std::set<int> readers(const Plan& plan, ValueId tensor) const;

    /// The program cut as the plan says. Error for an illegal plan.
    CutProgram cut(const Plan& plan, const std::set<BlockCopy>& copied = {}) const;

    std::string whyIllegal(const Plan& plan) const;  ///< a sentence that names the ops; empty for a legal plan

private:
    struct Reader {
        int op = -1;       // an op that a plan places
        int function = 0;  // or the function whose edge ops, or whose output rows, read it
    };
    class Shift;
    class SidesOfCut;

    void addOps(const CutProgram& cut);
    void addReads(const CutProgram& cut);
    void addRead(ValueId value, const Step& step, const StepOperand& operand, int function, bool isOutput);
    void addGlobalRead(const StepOperand& operand, const Step& step, int function);
    void waitForGlobal(const StepOperand& operand, const Step& step);
    void limit(int op, Position position, OpId by);
    Position earliest(Position position, int nodeType) const;
    Position latest(Position position, int nodeType) const;
    std::string nodesText(int nodeType) const;
    void findBounds();
    int functionOf(const Plan& plan, const Reader& reader) const;
    bool crosses(const Plan& plan, ValueId tensor, const std::vector<Reader>& readers, int cut) const;
    int producer(ValueId value) const;
    Position nearest(const Plan& plan, int op, int function) const;
    Move saveAt(const Plan& plan, ValueId tensor, const std::vector<Reader>& readers, int cut) const;
    Move dropAt(const Plan& plan, ValueId tensor, const std::vector<Reader>& readers, int cut) const;
    Move moveTo(const Plan& plan, int op, Position to) const;
    std::string noSuchOp(OpId op) const;

    const Analysis& m_a;
    int m_levels = 0;
    std::set<int> m_barriers;
    std::vector<PlacedOp> m_ops;  // in program order
    std::map<OpId, int> m_index;
    std::map<ValueId, std::vector<Reader>> m_readers;  // of node tensors
};

}  // namespace cleave
