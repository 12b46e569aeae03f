#include "core/plan/cut.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "core/analysis/message_passing.h"
#include "core/analysis/op_view.h"
#include "core/analysis/row_rules.h"
#include "core/base/error.h"
#include "core/base/format.h"

namespace cleave {

namespace {

int symbolicDim(const Value& value)
{
    const auto dim = std::ranges::find_if(value.sizes, [](const Dim& d) { return !d.isConstant(); });
    return dim == value.sizes.end() ? -1 : static_cast<int>(dim - value.sizes.begin());
}

// Elements in one row; 0 if another dimension grows with the graph as well.
std::int64_t rowWidth(const Value& value, int rowDim)
{
    std::int64_t width = 1;
    for (std::size_t d = 0; d < value.sizes.size(); ++d)
        if (static_cast<int>(d) != rowDim)
            width *= value.sizes[d].isConstant() ? value.sizes[d].value : 0;
    return width;
}

bool isIndexArgument(const std::string& name)
{
    return name == "index" || name == "indices";
}

// Builds the steps of one function from what its results need.
class FunctionBuilder {
public:
    // level: that batches are of, whose nodes are the targets. Ops that stand later, up to the last one, run on targets as well.
    FunctionBuilder(const Analysis& analysis, const Placement& placement, const CutChoices& choices, int firstLevel, int level, int lastLevel,
                    ValueId rowsOf, std::set<ValueId>& prologue)
        : m_a(analysis), m_p(analysis.program), m_placement(placement), m_choices(choices), m_prologue(prologue), m_last(lastLevel)
    {
        m_f.level = level;
        m_f.firstLevel = firstLevel;
        m_f.nodeType = analysis.typeOf(level);
        m_f.rowsOf = rowsOf;
        m_f.total = rowsOf.valid() ? rowTotals(rowsOf) : std::vector<RowTotal>{RowTotal{{}, 0, m_f.nodeType}};
        frameIndex({FrameKind::Targets, {}, -1, 0, m_f.nodeType, {}, {}, {}});
    }

    void addNodeOp(OpId id)
    {
        const int frame = nodeFrame(m_placement[id]);
        switch (m_a.ops[id].kind) {
        case OpKind::Gather:
            addGather(id, frame);
            break;
        case OpKind::Scatter:
            addScatter(id, frame);
            break;
        default:
            addRowWise(id, frame);
        }
    }

    // An op over all nodes: operands are there as a whole, in the order of the graph.
    void addGlobalOp(OpId id)
    {
        m_f.isGlobal = true;
        Step step{StepKind::Call, id, 0, {}, {}, {}, 1};
        forEachOperand(m_p[id], [&](ValueId v) {
            const ValueFacts& facts = m_a.values[v];
            if (const OpId producer = m_p[v].producer; m_done.contains(Key{producer, 0, IndexInto::Nodes}))
                step.operands.push_back({OperandKind::Step, v, facts.rowDim, 0});
            else if (facts.rows == Rows::Nodes)
                step.operands.push_back({OperandKind::Stored, v, facts.rowDim, 0});
            else
                step.operands.push_back(whole(v));
        });
        addWithRows(std::move(step));
    }

    StepOperand result(ValueId value) { return operand(value, 0, m_a.values[value].rowDim); }

    CutFunction take() { return std::move(m_f); }

private:
    using Key = std::tuple<OpId, int, IndexInto>;

    int frameIndex(const Frame& frame)
    {
        const auto [known, isNew] = m_frames.try_emplace(frame, static_cast<int>(m_f.frames.size()));
        if (!isNew)
            return known->second;
        if (frame.index.valid())
            m_prologue.insert(frame.index);
        m_f.frames.push_back(frame);
        return static_cast<int>(m_f.frames.size()) - 1;
    }

    // The nodes of a type so many hops from the targets.
    int nodeFrame(int hops, int type)
    {
        return hops == 0 && type == m_f.nodeType ? 0 : frameIndex({FrameKind::Block, {}, -1, hops, type, {}, {}, {}});
    }

    // After the last message passing for the targets; before it, and after the one before, for its block; and so on.
    int nodeFrame(Position position) { return nodeFrame(std::max(0, m_f.level - position.at / 2), m_a.typeOf(position.function())); }

    bool isMadeHere(ValueId value) const
    {
        const OpId id = m_p[value].producer;
        if (m_f.rowsOf.valid() || !id.valid() || m_a.values[value].rows != Rows::Nodes || m_a.ops[id].kind == OpKind::Global)
            return false;
        const int function = m_placement[id].function();
        return function >= m_f.firstLevel && function <= m_last;
    }
    int frameOf(ValueId value) { return nodeFrame(m_placement[m_p[value].producer]); }

    const Frame& at(int frame) const { return m_f.frames[static_cast<std::size_t>(frame)]; }

    // How many rows a tensor has on a graph: what its rows were read at tells.
    const std::vector<RowTotal>& rowTotals(ValueId value)
    {
        if (const auto known = m_totals.find(value); known != m_totals.end())
            return known->second;
        return m_totals[value] = findRowTotals(value);
    }

    std::vector<RowTotal> findRowTotals(ValueId value)
    {
        constexpr std::size_t most = 1024;  // each part knows what lies before it
        const ValueFacts& facts = m_a.values[value];
        if (facts.rows == Rows::Nodes)
            return {RowTotal{{}, 0, facts.nodeType}};
        const OpId id = m_p[value].producer;
        std::vector<RowTotal> totals;
        if (m_a.ops[id].kind == OpKind::Gather) {
            const auto form = gatherForm(m_p, id);
            m_prologue.insert(form->index);
            return {RowTotal{form->index, form->indexRowDim}};
        }
        std::size_t i = 0;
        forEachOperand(m_p[id], [&](ValueId part) {
            const int dim = m_a.ops[id].operandRowDims[i++];
            if (m_a.ops[id].kind == OpKind::Concat)
                append(totals, partTotals(part, dim));
            else if (totals.empty() && dim >= 0 && m_a.values[part].reach == Reach::Feature)
                totals = rowTotals(part);
            if (totals.size() > most)
                throw Error("The model cannot be cut exactly: " + describe(m_p, id) + " puts rows of more than " + formatCount(most) +
                            " tensors after each other.");
        });
        return totals;
    }

    std::vector<RowTotal> partTotals(ValueId part, int dim)
    {
        if (m_a.values[part].reach == Reach::Feature)
            return rowTotals(part);
        m_prologue.insert(part);
        return {RowTotal{part, dim}};
    }

    static void append(std::vector<RowTotal>& totals, const std::vector<RowTotal>& more)
    {
        totals.insert(totals.end(), more.begin(), more.end());
    }

    bool overNodes(int frame) const
    {
        return (at(frame).kind == FrameKind::Targets && !m_f.rowsOf.valid()) || at(frame).kind == FrameKind::Block;
    }

    // Rows of an op of this function, in a frame of nodes or in one whose rows are nodes' numbers.
    StepOperand madeHere(ValueId value, int frame, int rowDim)
    {
        const int from = frameOf(value);
        if (from == frame)
            return {OperandKind::Step, value, rowDim, frame};
        if (overNodes(frame))
            return {OperandKind::Leading, value, rowDim, frame, IndexInto::Nodes, from};
        if (const ValueFacts& facts = m_a.values[value]; facts.outer * facts.inner != 1)
            throw Error("The functions cannot be joined: rows of " + describe(m_p, m_p[value].producer) +
                        " have several entries and are read by number.");
        const int type = m_a.values[value].nodeType;
        if (m_numbered.try_emplace(frame, type).first->second != type)
            throw Error("The functions cannot be joined: the same numbers name nodes of several types.");
        return {OperandKind::Numbered, value, rowDim, frame, IndexInto::Nodes, from, type};
    }

    void readsNeighbours(ValueId index, int rowDim, int frame, int ofType)
    {
        const StepOperand neighbour{OperandKind::LocalIndex, index, rowDim, frame, IndexInto::Nodes, -1, ofType};
        if (std::ranges::find(m_f.neighbours, neighbour) == m_f.neighbours.end())
            m_f.neighbours.push_back(neighbour);
    }

    StepOperand whole(ValueId value)
    {
        if (m_a.values[value].rows == Rows::Graph)
            return {OperandKind::OfGraph, value};
        if (m_a.values[value].reach == Reach::Structure)
            m_prologue.insert(value);
        return {OperandKind::Whole, value};
    }

    // The rows of a value that a step in this frame reads.
    StepOperand operand(ValueId value, int frame, int rowDim)
    {
        const ValueFacts& facts = m_a.values[value];
        if (rowDim < 0)
            return whole(value);
        if (facts.reach != Reach::Feature)
            return structure(value, frame, rowDim);
        if (facts.rows == Rows::Nodes) {
            if (!overNodes(frame))
                readsNeighbours({}, -1, frame, facts.nodeType);
            return isMadeHere(value) ? madeHere(value, frame, rowDim) : StepOperand{OperandKind::Stored, value, rowDim, frame};
        }
        return edgeValue(value, frame);
    }

    StepOperand edgeValue(ValueId value, int frame)
    {
        const OpId id = m_p[value].producer;
        switch (m_a.ops[id].kind) {
        case OpKind::Gather:
            if (const auto form = gatherForm(m_p, id); m_a.values[form->source].rows == Rows::Edges)
                return renumbered(id, frame);
            addGather(id, frame);
            break;
        case OpKind::Concat:
            addConcat(id, frame);
            break;
        default:
            addRowWise(id, frame);
        }
        return {OperandKind::Step, value, m_a.values[value].rowDim, frame};
    }

    // Renumbered edge rows: the source is run for just the rows that are read.
    StepOperand renumbered(OpId gather, int frame)
    {
        const auto form = gatherForm(m_p, gather);
        const ValueId index = m_a.ops[gather].index;
        if (m_p[index].sizes.size() != 1)
            throw Error("The model cannot be cut exactly: " + describe(m_p, gather) +
                        " renumbers edge rows by an index of several dimensions, which is not supported.");
        const Frame read{FrameKind::Renumbered, index, frame, at(frame).hops, 0, {}, {}, rowTotals(form->source)};
        return operand(form->source, frameIndex(read), form->sourceDim);
    }

    // Rows of several tensors after each other: each part is run for those of the frame's rows that come from it.
    void addConcat(OpId id, int frame)
    {
        if (m_done.contains(Key{id, frame, IndexInto::Nodes}))
            return;
        Step step{StepKind::Concat, id, frame, {}, {}, {}, 1};
        std::vector<RowTotal> before;
        std::size_t i = 0;
        forEachOperand(m_p[id], [&](ValueId part) {
            const int dim = m_a.ops[id].operandRowDims[i++];
            const std::vector<RowTotal> own = partTotals(part, dim);
            step.parts.push_back(frameIndex({FrameKind::Part, {}, frame, at(frame).hops, 0, id, before, own}));
            step.operands.push_back(operand(part, step.parts.back(), dim));
            append(before, own);
        });
        addWithRows(std::move(step));
    }

    // Structure is computed once on the whole graph and sliced; what is wider than a number per row and row-wise is computed for the block's rows.
    StepOperand structure(ValueId value, int frame, int rowDim)
    {
        const OpId id = m_p[value].producer;
        if (const ValueFacts& facts = m_a.values[value]; facts.outer * facts.inner != 1) {
            addRowWise(id, frame);
            return {OperandKind::Step, value, rowDim, frame};
        }
        const auto mapping = id.valid() && m_p[id].outputs.size() == 1 ? rowMapping(m_p, id, rowDim) : std::nullopt;
        const bool wide = mapping && (isFactory(m_p[id].target) || rowWidth(m_p[value], rowDim) > 1);
        if (!wide || !operandsHaveRows(id, *mapping)) {
            m_prologue.insert(value);
            return {OperandKind::Slice, value, rowDim, frame};
        }
        if (!m_done.contains(Key{id, frame, IndexInto::Nodes})) {
            Step step{StepKind::Call, id, frame, {}, {rowDim}, {}, 1};
            std::size_t i = 0;
            forEachOperand(m_p[id], [&](ValueId v) { step.operands.push_back(operand(v, frame, mapping->operands[i++])); });
            add(std::move(step));
        }
        return {OperandKind::Step, value, rowDim, frame};
    }

    bool operandsHaveRows(OpId id, const RowMapping& mapping) const
    {
        bool all = true;
        std::size_t i = 0;
        forEachOperand(m_p[id], [&](ValueId v) {
            const int dim = mapping.operands[i++];
            all = all && (dim < 0 || !m_p[v].sizes[static_cast<std::size_t>(dim)].isConstant());
        });
        return all;
    }

    // An index renumbered to the batch's nodes of a type, through the views that the op is given it by.
    StepOperand localIndex(ValueId value, ValueId root, int frame, int type)
    {
        const int rowDim = symbolicDim(m_p[value]);
        if (m_named.try_emplace(root, type).first->second != type)
            throw Error("The functions cannot be joined: '" + printable(m_p[root].name) + "' names nodes of several types.");
        if (value == root) {
            m_prologue.insert(root);
            return {OperandKind::LocalIndex, value, rowDim, frame, IndexInto::Nodes, -1, type};
        }
        const OpId id = m_p[value].producer;
        if (!m_done.contains(Key{id, frame, IndexInto::Batch})) {
            Step step{StepKind::LocalIndex, id, frame, {}, {rowDim}, {}, 1, IndexInto::Batch};
            for (const NamedArgument& argument : m_p[id].args)
                forEachValue(argument.value,
                             [&](ValueId v) { step.operands.push_back(argument.name == "self" ? localIndex(v, root, frame, type) : whole(v)); });
            add(std::move(step));
        }
        return {OperandKind::Step, value, rowDim, frame, IndexInto::Batch};
    }

    void addRowWise(OpId id, int frame)
    {
        if (m_done.contains(Key{id, frame, IndexInto::Nodes}))
            return;
        Step step{StepKind::Call, id, frame, {}, {}, {}, 1};
        std::size_t i = 0;
        forEachOperand(m_p[id], [&](ValueId v) { step.operands.push_back(operand(v, frame, m_a.ops[id].operandRowDims[i++])); });
        addWithRows(std::move(step));
    }

    void addGather(OpId id, int frame)
    {
        if (m_done.contains(Key{id, frame, IndexInto::Nodes}))
            return;
        const auto form = gatherForm(m_p, id);
        const ValueId segment = at(frame).kind == FrameKind::Edges ? at(frame).index : ValueId{};
        const int type = m_a.values[form->source].nodeType;
        const bool atTarget = segment.valid() && m_a.ops[id].index == segment && type == at(at(frame).parent).nodeType;
        if (m_a.values[form->source].rows == Rows::Edges) {
            // Edge rows that are read for each node.
            Step step{StepKind::Forward, id, frame, {renumbered(id, frame)}, {}, {}, 1};
            addWithRows(std::move(step));
            return;
        }
        const bool here = isMadeHere(form->source);
        const int targets = atTarget ? at(frame).parent : -1;
        const bool copied = !atTarget && !here && type == m_f.nodeType && m_choices.copied.contains({m_f.level - at(frame).hops, form->source}) &&
                            !m_f.rowsOf.valid();
        if (!atTarget && m_a.values[form->source].reach == Reach::Feature && m_a.values[m_a.ops[id].index].reach != Reach::Feature) {
            const ValueId root = m_a.ops[id].index;
            m_prologue.insert(root);
            readsNeighbours(root, symbolicDim(m_p[root]), frame, type);
        }
        const auto index = [&](ValueId v) {
            if (atTarget || here || copied)
                return localIndex(v, m_a.ops[id].index, frame, type);
            StepOperand entries = operand(v, frame, form->indexRowDim);
            if (entries.kind != OperandKind::Step)
                entries.ofType = type;
            return entries;
        };
        const auto source = [&](ValueId v) -> StepOperand {
            if (atTarget)
                return operand(v, targets, form->sourceDim);
            if (here)
                return {OperandKind::Step, v, form->sourceDim, frameOf(v)};
            if (copied)
                return {OperandKind::Stored, v, form->sourceDim, nodeFrame(at(frame).hops + 1, type)};
            return {OperandKind::StoredWhole, v, form->sourceDim, frame};
        };
        Step step{StepKind::Call, id, frame, {}, {}, {}, 1};
        for (const NamedArgument& argument : m_p[id].args)
            forEachValue(argument.value, [&](ValueId v) {
                step.operands.push_back(isIndexArgument(argument.name) ? index(v) : v == form->source ? source(v) : whole(v));
            });
        addWithRows(std::move(step));
    }

    void addScatter(OpId id, int frame)
    {
        const auto form = scatterForm(m_p, id);
        const ValueId segment = m_a.ops[id].index;
        const int edges = frameIndex({FrameKind::Edges, segment, frame, at(frame).hops, 0, {}, {}, {}});
        const int shift = form->source.valid() && m_p[form->source].kind == ValueKind::Tensor
                              ? static_cast<int>(m_p[form->self].sizes.size() - m_p[form->source].sizes.size())
                              : 0;
        Step step{StepKind::Call, id, frame, {}, {}, {}, 1};
        for (const NamedArgument& argument : m_p[id].args)
            forEachValue(argument.value, [&](ValueId v) {
                if (isIndexArgument(argument.name))
                    step.operands.push_back(localIndex(v, segment, edges, at(frame).nodeType));
                else if (argument.name == "self")
                    step.operands.push_back(operand(v, frame, form->rowDim));
                else
                    step.operands.push_back(operand(v, edges, v == form->source && form->sourceHasRows ? form->rowDim - shift : -1));
            });
        addWithRows(std::move(step));
    }

    void addWithRows(Step step)
    {
        for (const ValueId output : m_p[step.op].outputs)
            step.rowDims.push_back(m_a.values[output].rowDim);
        const ValueFacts& facts = m_a.values[m_p[step.op].outputs.front()];
        step.entries = facts.outer * facts.inner;
        add(std::move(step));
    }

    void add(Step step)
    {
        m_done.insert({step.op, step.frame, step.into});
        m_f.steps.push_back(std::move(step));
    }

    const Analysis& m_a;
    const Program& m_p;
    const Placement& m_placement;
    const CutChoices& m_choices;
    std::set<ValueId>& m_prologue;
    int m_last;
    std::set<Key> m_done;
    std::map<Frame, int> m_frames;
    std::map<ValueId, std::vector<RowTotal>> m_totals;
    std::map<ValueId, int> m_named;  // the type of the nodes that an index into the batch names
    std::map<int, int> m_numbered;   // and a frame of nodes' numbers
    CutFunction m_f;
};

void addOnce(std::vector<ValueId>& list, ValueId value)
{
    if (std::ranges::find(list, value) == list.end())
        list.push_back(value);
}

// Nodes of a block come first in every wider one: a tensor of the store is read for the widest only.
void readOnce(CutFunction& f)
{
    const auto isNodes = [&](int frame) {
        return f.isOfLevel() && (frame == 0 || f.frames[static_cast<std::size_t>(frame)].kind == FrameKind::Block);
    };
    std::map<ValueId, int> widest;
    const auto visit = [&](auto&& change) {
        for (Step& step : f.steps)
            for (StepOperand& operand : step.operands)
                if (operand.kind == OperandKind::Stored && isNodes(operand.frame))
                    change(operand);
    };
    visit([&](const StepOperand& operand) {
        int& frame = widest.try_emplace(operand.value, operand.frame).first->second;
        if (f.frames[static_cast<std::size_t>(operand.frame)].hops > f.frames[static_cast<std::size_t>(frame)].hops)
            frame = operand.frame;
    });
    visit([&](StepOperand& operand) {
        if (const int frame = widest.at(operand.value); frame != operand.frame)
            operand = {OperandKind::Leading, operand.value, operand.rowDim, operand.frame, IndexInto::Nodes, frame};
    });
}

int levelOf(const Analysis& analysis, OpId op)
{
    return analysis.values[analysis.program[op].outputs.front()].level;
}

// What functions read from each other, and where it is computed.
void connect(CutProgram& cut, const Analysis& analysis)
{
    std::set<ValueId> needed(analysis.program.outputs.begin(), analysis.program.outputs.end());
    for (CutFunction& f : cut.functions)
        for (const Step& step : f.steps)
            for (const StepOperand& operand : step.operands)
                if (operand.kind == OperandKind::Stored || operand.kind == OperandKind::StoredWhole || operand.kind == OperandKind::OfGraph) {
                    addOnce(f.reads, operand.value);
                    needed.insert(operand.value);
                }
    for (CutFunction& f : cut.functions)
        readOnce(f);
    for (CutFunction& f : cut.functions)
        if (!f.rowsOf.valid())
            for (const Step& step : f.steps)
                for (std::size_t i = 0; isOverNodes(f, step) && i < step.rowDims.size(); ++i) {
                    const ValueId value = analysis.program[step.op].outputs[i];
                    if (needed.contains(value) && analysis.values[value].reach == Reach::Feature) {
                        f.saves.push_back(value);
                        f.results.push_back(savedRows(f, step, i, value));
                    }
                }
}

}  // namespace

std::set<int> barriers(const Analysis& analysis)
{
    std::set<int> levels;
    for (std::size_t i = 0; i < analysis.program.ops.size(); ++i)
        if (const OpId id{static_cast<int>(i)}; analysis.ops[id].kind == OpKind::Global)
            levels.insert(levelOf(analysis, id));
    return levels;
}

Placement placeByMessageDegree(const Analysis& analysis)
{
    Placement placement(analysis.program.ops.size());
    for (std::size_t i = 0; i < analysis.program.ops.size(); ++i)
        if (const Op& op = analysis.program.ops[i]; !op.outputs.empty())
            placement[OpId{static_cast<int>(i)}] = Position::post(std::max(analysis.values[op.outputs.front()].level, 0));
    return placement;
}

CutProgram cutByMessageDegree(const Analysis& analysis)
{
    return cutAt(analysis, placeByMessageDegree(analysis));
}

CutProgram cutAt(const Analysis& analysis, const Placement& placement, const CutChoices& choices)
{
    const Program& program = analysis.program;
    CutProgram cut;
    std::set<ValueId> prologue;
    const std::set<int> waits = barriers(analysis);
    for (int first = 0, last = 0; first <= analysis.levels; first = last + 1) {
        FunctionBuilder global(analysis, placement, choices, first, first, first, {}, prologue);
        for (std::size_t i = 0; waits.contains(first) && i < program.ops.size(); ++i)
            if (const OpId id{static_cast<int>(i)}; analysis.ops[id].kind == OpKind::Global && levelOf(analysis, id) == first)
                global.addGlobalOp(id);
        if (CutFunction f = global.take(); f.isGlobal)
            cut.functions.push_back(std::move(f));
        last = first;
        while (last < analysis.levels && choices.joined.contains(last))
            ++last;
        std::vector<OpId> placed;
        int level = first;  // the last one that has ops at message degree, so that plans have the same batches
        for (std::size_t i = 0; i < program.ops.size(); ++i) {
            const OpId id{static_cast<int>(i)};
            const ValueFacts& facts = analysis.values[program.ops[i].outputs.front()];
            if (facts.reach != Reach::Feature || facts.rows != Rows::Nodes || analysis.ops[id].kind == OpKind::Global)
                continue;
            if (facts.level <= last)
                level = std::max(level, facts.level);
            if (const int function = placement[id].function(); function >= first && function <= last)
                placed.push_back(id);
        }
        FunctionBuilder builder(analysis, placement, choices, first, level, last, {}, prologue);
        for (const OpId id : placed)
            builder.addNodeOp(id);
        if (CutFunction f = builder.take(); !f.steps.empty())
            cut.functions.push_back(std::move(f));
    }
    std::set<ValueId> outputs;
    for (const ValueId output : program.outputs) {
        const ValueFacts& facts = analysis.values[output];
        if (facts.reach == Reach::Structure)
            prologue.insert(output);
        if (facts.rows != Rows::Edges || !outputs.insert(output).second)
            continue;
        FunctionBuilder builder(analysis, placement, choices, facts.level, facts.level, facts.level, output, prologue);
        const StepOperand result = builder.result(output);
        CutFunction f = builder.take();
        f.saves = {output};
        f.results = {result};
        cut.functions.push_back(std::move(f));
    }
    cut.prologue.assign(prologue.begin(), prologue.end());
    connect(cut, analysis);
    return cut;
}

}  // namespace cleave
