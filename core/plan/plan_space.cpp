#include "core/plan/plan_space.h"

#include <algorithm>
#include <set>

#include "core/base/error.h"
#include "core/base/format.h"

namespace cleave {

std::string toString(Position position)
{
    const char* where = position.isPre() ? "before message passing " : position.function() == 0 ? "in function " : "after message passing ";
    return where + std::to_string(position.function());
}

std::optional<int> Constraints::pinned(OpId op) const
{
    const auto pin = m_pins.find(op);
    return pin == m_pins.end() ? std::nullopt : std::optional(pin->second);
}

OpId Constraints::group(OpId op) const
{
    const auto group = m_group.find(op);
    return group == m_group.end() ? op : group->second;
}

void Constraints::join(OpId a, OpId b)
{
    const OpId kept = std::min(group(a), group(b)), dropped = std::max(group(a), group(b));
    if (kept == dropped)
        return;
    m_group[kept] = kept;
    m_group[dropped] = kept;
    for (auto& [op, group] : m_group)
        if (group == dropped)
            group = kept;
}

void Constraints::leave(OpId op)
{
    const OpId left = group(op);
    m_group.erase(op);
    std::vector<OpId> others;
    for (const auto& [member, group] : m_group)
        if (group == left)
            others.push_back(member);
    for (const OpId member : others)
        if (others.size() == 1)
            m_group.erase(member);
        else
            m_group[member] = others.front();
}

// Moves one op and all that has to go along, in one direction: later pushes readers, earlier what it reads.
class PlanSpace::Shift {
public:
    Shift(const PlanSpace& space, const Plan& plan) : m_space(space), m_plan(plan)
    {
        for (std::size_t i = 0; plan.constraints.hasGroups() && i < space.m_ops.size(); ++i)
            m_groups[plan.constraints.group(space.m_ops[i].op)].push_back(static_cast<int>(i));
    }

    bool move(int op, Position to)
    {
        m_later = to > at(op);
        m_waiting = {{op, to}};
        while (!m_waiting.empty() && m_reason.empty()) {
            const auto [next, position] = m_waiting.back();
            m_waiting.pop_back();
            if (isBeyond(position, at(next)))
                place(next, position);
        }
        return m_reason.empty();
    }

    Plan take() { return std::move(m_plan); }
    const std::string& reason() const { return m_reason; }
    const std::set<int>& moved() const { return m_moved; }

private:
    const PlacedOp& op(int i) const { return m_space.m_ops[static_cast<std::size_t>(i)]; }
    Position& at(int i) { return m_plan.positions[static_cast<std::size_t>(i)]; }
    bool isBeyond(Position a, Position b) const { return m_later ? a > b : a < b; }
    std::string name(int i) const { return describe(m_space.m_a.program, op(i).op); }

    void place(int i, Position to)
    {
        const PlacedOp& placed = op(i);
        const std::optional<int> pin = m_plan.constraints.pinned(placed.op);
        const bool exists = to >= Position::post(placed.nodeType) && to <= Position::post(m_space.m_levels);
        if (!placed.movable)
            m_reason = name(i) + " is part of message passing " + std::to_string(placed.least.function()) + " and stays in its function";
        else if (pin && to.function() != *pin)
            m_reason = name(i) + " is pinned to function " + std::to_string(*pin);
        else if (m_later && placed.limitedBy.valid() && to > placed.limit)
            m_reason = name(i) + " must stand " + toString(placed.limit) + " or earlier, since " + describe(m_space.m_a.program, placed.limitedBy) +
                       " reads it there";
        else if (exists && !m_space.isOpenTo(placed, to))
            m_reason = name(i) + " works on " + m_space.nodesText(placed.nodeType) + ", and function " + std::to_string(to.function()) + " on " +
                       m_space.nodesText(m_space.m_a.typeOf(to.function()));
        else if (to < placed.least && placed.waitsFor.valid())
            m_reason = name(i) + " must stand " + toString(placed.least) + " or later, since it reads what " +
                       describe(m_space.m_a.program, placed.waitsFor) + " finds out from all nodes";
        else if (!m_space.staysInGroup(m_plan, placed, to))
            m_reason = "functions over nodes of several types that run together keep their ops";
        else if (!exists)
            m_reason = m_space.m_a.types() == 1 ? "this program has no function " + std::to_string(to.function())
                                                : "no function on " + m_space.nodesText(placed.nodeType) + " is there";
        if (!m_reason.empty())
            return;
        const bool changes = to.function() != at(i).function();
        at(i) = to;
        m_moved.insert(i);
        for (const int neighbour : m_later ? placed.readers : placed.reads)
            m_waiting.emplace_back(neighbour, to);
        if (changes && m_plan.constraints.hasGroups())
            for (const int other : m_groups.at(m_plan.constraints.group(placed.op)))
                if (other != i && at(other).function() != to.function())
                    m_waiting.emplace_back(other, m_space.nearest(m_plan, other, to.function()));
    }

    const PlanSpace& m_space;
    Plan m_plan;
    bool m_later = true;
    std::map<OpId, std::vector<int>> m_groups;
    std::vector<std::pair<int, Position>> m_waiting;
    std::set<int> m_moved;
    std::string m_reason;
};

PlanSpace::PlanSpace(const Analysis& analysis) : m_a(analysis), m_levels(analysis.levels), m_barriers(cleave::barriers(analysis))
{
    const CutProgram cut = cutByMessageDegree(analysis);
    addOps(cut);
    addReads(cut);
    findBounds();
}

int PlanSpace::indexOf(OpId op) const
{
    const auto index = m_index.find(op);
    return index == m_index.end() ? -1 : index->second;
}

Plan PlanSpace::messageDegree() const
{
    Plan plan;
    for (const PlacedOp& placed : m_ops)
        plan.positions.push_back(Position::post(m_a.values[m_a.program[placed.op].outputs.front()].level));
    return plan;
}

void PlanSpace::addOps(const CutProgram& cut)
{
    std::map<OpId, PlacedOp> ops;
    for (const CutFunction& f : cut.functions)
        for (const Step& step : f.steps)
            if (f.isOfLevel() && step.frame == 0 && m_a.values[m_a.program[step.op].outputs.front()].reach == Reach::Feature) {
                PlacedOp placed;
                placed.op = step.op;
                placed.nodeType = f.nodeType;
                placed.movable = m_a.ops[step.op].kind == OpKind::RowWise;
                placed.least = placed.movable ? Position::post(f.nodeType) : Position::post(f.level);
                placed.most = placed.limit = placed.movable ? latest(Position::post(m_levels), f.nodeType) : Position::post(f.level);
                ops.emplace(step.op, placed);
            }
    for (auto& [id, placed] : ops) {
        m_index[id] = static_cast<int>(m_ops.size());
        m_ops.push_back(std::move(placed));
    }
}

void PlanSpace::addReads(const CutProgram& cut)
{
    for (const CutFunction& f : cut.functions) {
        const bool isOutput = f.rowsOf.valid();
        for (const Step& step : f.steps)
            for (const StepOperand& operand : step.operands) {
                if (m_a.values[operand.value].reach != Reach::Feature)
                    continue;
                if (f.isGlobal)
                    addGlobalRead(operand, step, f.level);
                else
                    waitForGlobal(operand, step);
                if (m_a.values[operand.value].rows == Rows::Nodes && !f.isGlobal)
                    addRead(operand.value, step, operand, isOutput ? functions() : f.level, isOutput);
            }
    }
}

// A global op reads what earlier functions stored.
void PlanSpace::addGlobalRead(const StepOperand& operand, const Step& step, int function)
{
    if (operand.kind != OperandKind::Stored)
        return;
    m_readers[operand.value].push_back({-1, function});
    if (const int from = producer(operand.value); from >= 0)
        limit(from, Position::post(function - 1), step.op);
}

// What reads a global op's result comes no earlier than it.
void PlanSpace::waitForGlobal(const StepOperand& operand, const Step& step)
{
    const OpId maker = m_a.program[operand.value].producer;
    const int reader = indexOf(step.op);
    if (reader >= 0 && maker.valid() && m_a.ops[maker].kind == OpKind::Global) {
        PlacedOp& placed = m_ops[static_cast<std::size_t>(reader)];
        if (const Position level = earliest(Position::post(m_a.values[operand.value].level), placed.nodeType);
            !placed.waitsFor.valid() || level > placed.least) {
            placed.least = std::max(placed.least, level);
            placed.waitsFor = maker;
        }
    }
}

// One tensor that a step reads, on edges or on nodes.
void PlanSpace::addRead(ValueId value, const Step& step, const StepOperand& operand, int function, bool isOutput)
{
    const int from = producer(value);
    const int to = step.frame == 0 && !isOutput ? indexOf(step.op) : -1;
    m_readers[value].push_back({to, function});
    if (from < 0)
        return;
    // Node rows that are an edge set's own rows, or part of one, are read from the store by number.
    const bool byNumber = operand.kind == OperandKind::Stored && operand.frame != 0;
    if (to >= 0 && !byNumber && operand.kind != OperandKind::StoredWhole) {
        PlacedOp& reader = m_ops[static_cast<std::size_t>(to)];
        if (std::ranges::find(reader.reads, from) == reader.reads.end()) {
            reader.reads.push_back(from);
            m_ops[static_cast<std::size_t>(from)].readers.push_back(to);
        }
    } else if (!isOutput) {
        const bool atNeighbours = operand.kind == OperandKind::StoredWhole;
        limit(from, byNumber ? Position::post(function - 1) : atNeighbours ? Position::pre(function) : Position::post(function), step.op);
    }
}

void PlanSpace::limit(int op, Position position, OpId by)
{
    PlacedOp& placed = m_ops[static_cast<std::size_t>(op)];
    position = latest(position, placed.nodeType);
    if (!placed.limitedBy.valid() || position < placed.limit) {
        placed.limit = position;
        placed.limitedBy = by;
    }
}

// The first position from there on in a function over nodes of this type, and the last one up to there.
Position PlanSpace::earliest(Position position, int nodeType) const
{
    const int function = m_a.levelOf(m_a.degreeOf(position.function()) + (m_a.typeOf(position.function()) > nodeType), nodeType);
    return function == position.function() ? position : Position::pre(function);
}

Position PlanSpace::latest(Position position, int nodeType) const
{
    const int function = m_a.levelOf(m_a.degreeOf(position.function()) - (m_a.typeOf(position.function()) < nodeType), nodeType);
    return function == position.function() ? position : Position::post(function);
}

std::string PlanSpace::nodesText(int nodeType) const
{
    return "nodes of type '" + printable(m_a.nodeTypes[static_cast<std::size_t>(nodeType)].name) + "'";
}

bool PlanSpace::staysInGroup(const Plan& plan, const PlacedOp& placed, Position position) const
{
    const int own = m_a.values[m_a.program[placed.op].outputs.front()].level, to = position.function();
    const auto runsWithOthers = [&](int function) { return plan.joined.contains(function) || plan.joined.contains(function - 1); };
    if (m_a.types() == 1 || own == to || (!runsWithOthers(own) && !runsWithOthers(to)))
        return true;
    for (int cut = std::min(own, to); cut < std::max(own, to); ++cut)
        if (!plan.joined.contains(cut))
            return false;
    return true;
}

std::string PlanSpace::whyNotJoined(int cut) const
{
    const std::string both = "Functions " + std::to_string(cut) + " and " + std::to_string(cut + 1) + " cannot be joined, since ";
    if (cut < 0 || cut >= m_levels)
        return "There is no cut " + std::to_string(cut + 1) + " in this program.";
    return m_barriers.contains(cut + 1) ? both + "a global op waits for all nodes between them." : std::string();
}

void PlanSpace::findBounds()
{
    for (PlacedOp& placed : m_ops)
        for (const int read : placed.reads)
            if (placed.movable)
                placed.least = std::max(placed.least, m_ops[static_cast<std::size_t>(read)].least);
    for (auto placed = m_ops.rbegin(); placed != m_ops.rend(); ++placed)
        if (placed->movable) {
            placed->most = std::min(placed->most, placed->limit);
            for (const int reader : placed->readers)
                placed->most = std::min(placed->most, m_ops[static_cast<std::size_t>(reader)].most);
        }
}

int PlanSpace::producer(ValueId value) const
{
    return indexOf(m_a.program[value].producer);
}

int PlanSpace::functionOf(const Plan& plan, const Reader& reader) const
{
    return reader.op < 0 ? reader.function : plan.positions[static_cast<std::size_t>(reader.op)].function();
}

// In the function, after its message passing if the program allows that.
Position PlanSpace::nearest(const Plan& plan, int op, int function) const
{
    const PlacedOp& placed = m_ops[static_cast<std::size_t>(op)];
    const Position now = plan.positions[static_cast<std::size_t>(op)];
    if (now.function() == function)
        return now;
    return Position::post(function) <= placed.most || m_a.degreeOf(function) == 0 ? Position::post(function) : Position::pre(function);
}

std::string PlanSpace::noSuchOp(OpId op) const
{
    return (op.valid() ? describe(m_a.program, op) : std::string("This")) + " does not work on node rows: a plan does not place it.";
}

Move PlanSpace::moveTo(const Plan& plan, int op, Position to) const
{
    const PlacedOp& placed = m_ops[static_cast<std::size_t>(op)];
    Shift shift(*this, plan);
    if (!shift.move(op, to))
        return {{}, {}, describe(m_a.program, placed.op) + " cannot stand " + toString(to) + ": " + shift.reason() + "."};
    Move move;
    for (const int moved : shift.moved())
        if (moved != op)
            move.alongside.push_back(m_ops[static_cast<std::size_t>(moved)].op);
    move.plan = shift.take();
    return move;
}

Move PlanSpace::constrained(const Constraints& constraints) const
{
    Move move{messageDegree(), {}, {}};
    for (const auto& [op, function] : constraints.pins())
        if (move.plan)
            move = pin(*move.plan, op, function);
    for (const PlacedOp& placed : m_ops)
        if (const OpId first = constraints.group(placed.op); move.plan && first != placed.op)
            move = keepTogether(*move.plan, first, placed.op);
    move.alongside.clear();
    return move;
}

Move PlanSpace::moveOp(const Plan& plan, OpId op, Position to) const
{
    const int i = indexOf(op);
    return i < 0 ? Move{{}, {}, noSuchOp(op)} : moveTo(plan, i, to);
}

// A plan in which ops change the side of a cut, one after another, with all that has to move along.
class PlanSpace::SidesOfCut {
public:
    SidesOfCut(const PlanSpace& space, Plan plan, int cut) : m_space(&space), m_plan(std::move(plan)), m_cut(cut) {}

    // False, with the reason, where it cannot stand there: nothing has changed then.
    bool putBefore(int op) { return functionOf(op) <= m_cut || move(op, m_space->nearest(m_plan, op, latestBefore(op).function())); }
    bool putAfter(int op) { return functionOf(op) > m_cut || move(op, m_space->earliest(Position::pre(m_cut + 1), typeOf(op))); }

    bool isAfter(int op) const { return functionOf(op) > m_cut; }
    const Plan& plan() const { return m_plan; }
    const std::string& reason() const { return m_reason; }  // of the last op that stayed where it is
    void keepReason(const SidesOfCut& other) { m_reason = other.m_reason; }
    Move take() { return {std::move(m_plan), {m_moved.begin(), m_moved.end()}, {}}; }

private:
    int functionOf(int op) const { return m_plan.positions[static_cast<std::size_t>(op)].function(); }
    int typeOf(int op) const { return m_space->m_ops[static_cast<std::size_t>(op)].nodeType; }
    Position latestBefore(int op) const { return m_space->latest(Position::post(m_cut), typeOf(op)); }

    bool move(int op, Position to)
    {
        Move move = m_space->moveTo(m_plan, op, to);
        if (!move.plan) {
            m_reason = move.reason;
            return false;
        }
        m_moved.insert(m_space->m_ops[static_cast<std::size_t>(op)].op);
        m_moved.insert(move.alongside.begin(), move.alongside.end());
        m_plan = *std::move(move.plan);
        return true;
    }

    const PlanSpace* m_space;
    Plan m_plan;
    int m_cut;
    std::set<OpId> m_moved;
    std::string m_reason;
};

Move PlanSpace::setSavePoint(const Plan& plan, ValueId tensor, int cut, bool saved) const
{
    if (cut < 0 || cut + 1 >= functions())
        return {{}, {}, "There is no cut " + std::to_string(cut + 1) + " in this program."};
    if (plan.joined.contains(cut))
        return {
            {},
            {},
            "Functions " + std::to_string(cut) + " and " + std::to_string(cut + 1) + " run together in this plan, so nothing is saved between them."};
    const auto known = m_readers.find(tensor);
    if ((known != m_readers.end() && crosses(plan, tensor, known->second, cut)) == saved)
        return {plan, {}, {}};
    if (known == m_readers.end())
        return {{}, {}, "'" + m_a.program[tensor].name + "' is no tensor of node rows that something reads, so it cannot be a save point."};
    return saved ? saveAt(plan, tensor, known->second, cut) : dropAt(plan, tensor, known->second, cut);
}

Move PlanSpace::saveAt(const Plan& plan, ValueId tensor, const std::vector<Reader>& readers, int cut) const
{
    const int from = producer(tensor);
    SidesOfCut sides(*this, plan, cut);
    if (from >= 0 && !sides.putBefore(from))
        return {{}, {}, sides.reason()};
    // What can run after the cut does; one reader there is enough.
    for (const Reader& reader : readers) {
        SidesOfCut later = sides;
        if (reader.op < 0)
            continue;
        if (later.putAfter(reader.op) && (from < 0 || !later.isAfter(from)))
            sides = std::move(later);
        else
            sides.keepReason(later);
    }
    if (crosses(sides.plan(), tensor, readers, cut))
        return sides.take();
    return {{},
            {},
            "'" + m_a.program[tensor].name + "' cannot be saved at cut " + std::to_string(cut + 1) +
                ", since nothing that reads it can run after the cut" + (sides.reason().empty() ? "." : ": " + sides.reason())};
}

Move PlanSpace::dropAt(const Plan& plan, ValueId tensor, const std::vector<Reader>& readers, int cut) const
{
    const int from = producer(tensor);
    SidesOfCut later(*this, plan, cut);
    if (from >= 0 && later.putAfter(from))
        return later.take();
    SidesOfCut earlier(*this, plan, cut);
    const bool isReadOnEdges = std::ranges::any_of(readers, [&](const Reader& reader) { return reader.op < 0 && reader.function > cut; });
    if (!isReadOnEdges && std::ranges::all_of(readers, [&](const Reader& reader) { return reader.op < 0 || earlier.putBefore(reader.op); }))
        return earlier.take();
    return {{},
            {},
            "'" + m_a.program[tensor].name + "' must be saved at cut " + std::to_string(cut + 1) + ": " +
                (isReadOnEdges ? "message passing or an output after the cut reads it" : earlier.reason()) +
                (later.reason().empty() ? "" : "; " + later.reason())};
}

Move PlanSpace::moveOps(const Plan& plan, std::span<const OpId> ops, Position to) const
{
    Plan moved = plan;
    std::set<OpId> along;
    for (const OpId op : ops) {
        Move move = moveOp(moved, op, to);
        if (!move.plan)
            return move;
        moved = *std::move(move.plan);
        along.insert(move.alongside.begin(), move.alongside.end());
    }
    for (const OpId op : ops)
        along.erase(op);
    return {std::move(moved), {along.begin(), along.end()}, {}};
}

Move PlanSpace::moveCut(const Plan& plan, int cut, bool up) const
{
    std::string why;  // of the op that is nearest to the cut
    const auto tried = [&](std::size_t i) -> std::optional<Move> {
        const PlacedOp& placed = m_ops[i];
        const Position at = plan.positions[i],
                       to = up ? earliest(Position::pre(cut + 1), placed.nodeType) : latest(Position::post(cut), placed.nodeType);
        if (up ? at.function() != cut : at != Position::pre(cut + 1))
            return {};
        Move move = moveTo(plan, static_cast<int>(i), to);
        if (why.empty())
            why = move.reason;
        return move.plan && *move.plan != plan ? std::optional(std::move(move)) : std::nullopt;
    };
    if (cut < 0 || cut + 1 >= functions())
        return {{}, {}, "There is no cut " + std::to_string(cut + 1) + " in this program."};
    if (plan.joined.contains(cut))
        return {{}, {}, "Functions " + std::to_string(cut) + " and " + std::to_string(cut + 1) + " run together: there is no cut between them."};
    for (std::size_t k = 0; k < m_ops.size(); ++k)
        if (auto move = tried(up ? m_ops.size() - 1 - k : k))
            return *std::move(move);
    const std::string reason =
        up ? "No op of the function above the cut can move below it" : "No op stands before the message passing below the cut that can move above it";
    return {{}, {}, why.empty() ? reason + "." : reason + ": " + why};
}

Move PlanSpace::pin(const Plan& plan, OpId op, int function) const
{
    const int i = indexOf(op);
    if (i < 0)
        return {{}, {}, noSuchOp(op)};
    if (function < 0 || function >= functions())
        return {{}, {}, "There is no function " + std::to_string(function) + " in this program."};
    Plan pinned = plan;
    pinned.constraints.unpin(op);
    Move move = moveTo(pinned, i, nearest(pinned, i, function));
    if (move.plan)
        move.plan->constraints.pin(op, function);
    return move;
}

Move PlanSpace::unpin(const Plan& plan, OpId op) const
{
    Plan free = plan;
    free.constraints.unpin(op);
    return {std::move(free), {}, {}};
}

Move PlanSpace::keepTogether(const Plan& plan, OpId a, OpId b) const
{
    const int i = indexOf(a), k = indexOf(b);
    if (i < 0 || k < 0)
        return {{}, {}, noSuchOp(i < 0 ? a : b)};
    const int functionA = plan.positions[static_cast<std::size_t>(i)].function(), functionB = plan.positions[static_cast<std::size_t>(k)].function();
    Move move = functionA == functionB ? Move{plan, {}, {}} : moveTo(plan, k, nearest(plan, k, functionA));
    if (!move.plan) {
        const std::string reason = move.reason;
        move = moveTo(plan, i, nearest(plan, i, functionB));
        if (!move.plan)
            move.reason = reason + " " + move.reason;
    }
    if (move.plan)
        move.plan->constraints.join(a, b);
    return move;
}

std::vector<ValueId> PlanSpace::savePoints(const Plan& plan, int cut) const
{
    std::vector<ValueId> saved;
    if (plan.joined.contains(cut))
        return saved;
    for (const auto& [value, readers] : m_readers)
        if (crosses(plan, value, readers, cut))
            saved.push_back(value);
    return saved;
}

bool PlanSpace::crosses(const Plan& plan, ValueId tensor, const std::vector<Reader>& readers, int cut) const
{
    const int from = producer(tensor);
    // Inputs are there from the start, results of global ops from their level on.
    const bool before = (from < 0 ? m_a.values[tensor].level : plan.positions[static_cast<std::size_t>(from)].function()) <= cut;
    return before && std::ranges::any_of(readers, [&](const Reader& reader) { return functionOf(plan, reader) > cut; });
}

std::vector<std::vector<ValueId>> PlanSpace::allSavePoints(const Plan& plan) const
{
    std::vector<std::vector<ValueId>> saved(static_cast<std::size_t>(m_levels));
    for (const auto& [value, readers] : m_readers) {
        const int from = producer(value);
        const int made = from < 0 ? m_a.values[value].level : plan.positions[static_cast<std::size_t>(from)].function();
        int last = made;
        for (const Reader& reader : readers)
            last = std::max(last, functionOf(plan, reader));
        for (int cut = std::max(0, made); cut < std::min(last, m_levels); ++cut)  // outputs are read behind the last one
            if (!plan.joined.contains(cut))
                saved[static_cast<std::size_t>(cut)].push_back(value);
    }
    return saved;
}

std::set<int> PlanSpace::readers(const Plan& plan, ValueId tensor) const
{
    std::set<int> functions;
    if (const auto known = m_readers.find(tensor); known != m_readers.end())
        for (const Reader& reader : known->second)
            functions.insert(functionOf(plan, reader));
    return functions;
}

CutProgram PlanSpace::cut(const Plan& plan, const std::set<BlockCopy>& copied) const
{
    if (const std::string why = whyIllegal(plan); !why.empty())
        throw Error("The plan cannot be run: " + why);
    Placement placement = placeByMessageDegree(m_a);
    for (std::size_t i = 0; i < m_ops.size(); ++i)
        placement[m_ops[i].op] = plan.positions[i];
    return cutAt(m_a, placement, {plan.joined, copied});
}

std::string PlanSpace::whyIllegal(const Plan& plan) const
{
    const auto name = [&](int i) { return describe(m_a.program, m_ops[static_cast<std::size_t>(i)].op); };
    if (plan.positions.size() != m_ops.size())
        return "The plan places " + formatCount(static_cast<std::int64_t>(plan.positions.size())) + " ops, but the program has " +
               formatCount(static_cast<std::int64_t>(m_ops.size())) + ".";
    for (const int cut : plan.joined)
        if (const std::string why = whyNotJoined(cut); !why.empty())
            return why;
    std::map<OpId, int> functionOfGroup;
    for (std::size_t i = 0; i < m_ops.size(); ++i) {
        const PlacedOp& placed = m_ops[i];
        const Position at = plan.positions[i];
        const int self = static_cast<int>(i);
        if (at < Position::post(0) || at > Position::post(m_levels))
            return name(self) + " is placed in function " + std::to_string(at.function()) + ", which this program does not have.";
        if (!isOpenTo(placed, at))
            return name(self) + " works on " + nodesText(placed.nodeType) + " and cannot stand " + toString(at) + ", where " +
                   nodesText(m_a.typeOf(at.function())) + " are.";
        if (!staysInGroup(plan, placed, at))
            return name(self) + " cannot stand " + toString(at) + ", since functions over nodes of several types that run together keep their ops.";
        if (!placed.movable && at != placed.least)
            return name(self) + " is part of message passing " + std::to_string(placed.least.function()) + " and cannot stand " + toString(at) + ".";
        if (placed.limitedBy.valid() && at > placed.limit)
            return name(self) + " cannot stand " + toString(at) + ", since " + describe(m_a.program, placed.limitedBy) + " reads it " +
                   toString(placed.limit) + ".";
        if (placed.waitsFor.valid() && at < earliest(Position::post(m_a.values[m_a.program[placed.waitsFor].outputs.front()].level), placed.nodeType))
            return name(self) + " cannot stand " + toString(at) + ", since it reads what " + describe(m_a.program, placed.waitsFor) +
                   " finds out from all nodes.";
        for (const int read : placed.reads)
            if (plan.positions[static_cast<std::size_t>(read)] > at)
                return name(self) + " stands " + toString(at) + " and reads " + name(read) + ", which comes later.";
        if (const auto pin = plan.constraints.pinned(placed.op); pin && at.function() != *pin)
            return name(self) + " is pinned to function " + std::to_string(*pin) + ", but stands " + toString(at) + ".";
        const auto [group, isNew] = functionOfGroup.try_emplace(plan.constraints.group(placed.op), at.function());
        if (!isNew && group->second != at.function())
            return name(self) + " is kept together with " + describe(m_a.program, group->first) + ", but stands in another function.";
    }
    return {};
}

}  // namespace cleave
