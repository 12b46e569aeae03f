#include <algorithm>
#include <cassert>
#include <cmath>
#include <optional>

#include "core/analysis/message_passing.h"
#include "core/base/error.h"
#include "core/plan/cost.h"
#include "core/plan/global_work.h"
#include "core/plan/sparse_terms.h"

namespace cleave {

namespace {

constexpr double indexBytes = 8, wordBytes = 4;

}  // namespace

// Takes the cut at message degree apart: what positions decide, and what stays.
class CostModel::Builder {
public:
    explicit Builder(CostModel& model) : m(model), m_a(model.m_space.analysis()), m_p(m_a.program) {}

    void run()
    {
        addGroups();
        m.m_ops.resize(m.m_space.ops().size());
        m.m_relabel.resize(at(m.m_space.functions()));
        for (std::size_t f = 0; f < m.m_cut.functions.size(); ++f)
            addFunction(static_cast<int>(f));
        addTurns();
        for (const ValueId output : m_p.outputs)
            if (m_a.values[output].rows == Rows::Nodes)
                tensor(output).isOutput = true;
            else if (isOfGlobalOp(output))
                ofGraph(output).isOutput = true;
        for (Tensor& t : m.m_tensors) {
            t.writeSeconds = t.global < 0 ? m.m_counts.nodesOf(t.nodeType) * writePerRow(t) : 0;
            const bool isNarrow = m.m_counts.keeping.isNarrow && !t.isOutput && m_p[t.id].dtype == DType::Float32;
            t.keptBytes = m.m_counts.keeping.inFiles || (t.viewOf >= 0 && !isNarrow) ? 0 : isNarrow ? t.bytes / 2 : t.bytes;
        }
    }

private:
    void addGroups()
    {
        if (m.m_counts.functions.size() != m.m_cut.functions.size())
            throw Error("The counts of a graph do not fit the cut of this model.");
        m.m_groupOfLevel.resize(at(m.m_space.functions()));
        for (int first = 0, last = 0; first < m.m_space.functions(); first = last + 1) {
            last = first;
            while (m.m_counts.joined.contains(last))
                ++last;
            Group group;
            group.first = first;
            group.last = last;
            for (int level = first; level <= last; ++level)
                m.m_groupOfLevel[at(level)] = static_cast<int>(m.m_groups.size());
            const double nodes = m.m_counts.nodesOf(m_a.typeOf(first)), batch = static_cast<double>(std::max<std::int64_t>(m.m_counts.batchSize, 1));
            group.rows.batches = std::max(1.0, std::ceil(nodes / batch));
            group.rows.reach.resize(at(m_a.types()));
            group.rows.reach[at(m_a.typeOf(first))] = {{nodes, std::min(nodes, batch)}};
            m.m_groups.push_back(group);
        }
        for (std::size_t f = 0; f < m.m_cut.functions.size(); ++f)
            if (const CutFunction& function = m.m_cut.functions[f]; function.isOfLevel()) {
                Group& group = m.m_groups[at(m.m_groupOfLevel[at(function.level)])];
                group.last = function.level;
                group.rows = m.m_counts.functions[f];
            }
        for (const Group& group : m.m_groups) {
            FunctionCost cost;
            cost.first = group.first;
            cost.last = group.last;
            m.m_fixed.push_back(cost);
        }
        m.m_bookkeeping.resize(m.m_groups.size());
    }

    const FunctionRows& rows() const { return m.m_counts.functions[m_index]; }
    const RowCount& frameRows(int frame) const { return rows().frames[at(frame)]; }
    bool isNodes(int frame) const
    {
        return m_f->isOfLevel() && (frame == 0 || m_f->frames[at(frame)].kind == FrameKind::Block);
    }
    GlobalWork global() const { return {m_a, m.m_counts, *m_f, frameRows(0).total}; }
    int level(int frame) const { return m_f->level - m_f->frames[at(frame)].hops; }

    Tensor& tensor(ValueId id)
    {
        const auto [known, fresh] = m.m_tensorIndex.try_emplace(id, static_cast<int>(m.m_tensors.size()));
        if (fresh) {
            Tensor t;
            t.id = id;
            t.producer = m.m_space.indexOf(m_p[id].producer);
            if (isOfGlobalOp(id))
                t.global = m_globalOf.at(m_a.values[id].level);
            t.nodeType = m_a.values[id].nodeType;
            t.bytes = rowBytes(m_a, id, m_a.values[id].rowDim);
            m.m_tensors.push_back(std::move(t));
        }
        return m.m_tensors[at(known->second)];
    }

    double writePerRow(const Tensor& t) const
    {
        const auto measured = m.m_profile.writeSeconds.find(t.id);
        return measured != m.m_profile.writeSeconds.end() ? measured->second : t.bytes / m.m_rates.write;
    }

    void addFunction(int index)
    {
        m_index = at(index);
        m_f = &m.m_cut.functions[m_index];
        m_fixed.clear();
        m_slices.clear();
        m_extraOf.clear();
        m_waiting.clear();
        m_sliced.clear();
        m_readOfWhole.clear();
        if (!m_f->isOfLevel()) {
            FunctionCost cost;
            cost.first = cost.last = m_f->level;
            cost.rowsOf = m_f->rowsOf;
            cost.isGlobal = m_f->isGlobal;
            m_group = static_cast<int>(m.m_fixed.size());
            if (m_f->isGlobal)
                m_globalOf[m_f->level] = m_group;
            m.m_fixed.push_back(cost);
            m.m_bookkeeping.emplace_back();
        } else {
            m_group = m.m_groupOfLevel[at(m_f->level)];
        }
        m_fusion = fuseEdges(m_a, *m_f, m.m_counts.kernels);
        const std::vector<bool> live = liveSteps(m_p, *m_f, m_fusion);
        findShares();
        addPreparation();
        auto program = m_fusion.programs.begin();
        for (std::size_t i = 0; i < m_f->steps.size(); ++i) {
            m_program = program != m_fusion.programs.end() && program->step == i ? &*program++ : nullptr;
            if (m_program || m_fusion.absorbed[i] || live[i])
                addStep(i);
        }
        if (m_f->rowsOf.valid()) {
            const double rowsWritten = frameRows(0).total;
            const double bytes = rowsWritten * rowBytes(m_a, m_f->rowsOf, m_a.values[m_f->rowsOf].rowDim);
            cost().write += {bytes, 0, bytes / m.m_rates.write};
        }
        if (m_f->isGlobal) {
            cost().write.bytes += global().savedBytes();
            m.m_bookkeeping[at(m_group)] = m.m_bookkeeping[at(m_group)] + AtOnce{global().mostAtOnce(), 0};
            for (const auto& [view, shown] : global().viewsOfStored()) {
                tensor(shown);
                tensor(view).viewOf = m.m_tensorIndex.at(shown);
            }
        }
    }

    OfGraph& ofGraph(ValueId id)
    {
        const auto [known, fresh] = m.m_ofGraph.try_emplace(id);
        if (fresh)
            known->second = {m_globalOf.at(m_a.values[id].level), wholeBytes(m_a, id, m.m_counts), false, {}, {}};
        return known->second;
    }

    bool isOfGlobalOp(ValueId value) const
    {
        const OpId maker = m_p[value].producer;
        return maker.valid() && m_a.ops[maker].kind == OpKind::Global;
    }

    // Global ops run before the functions of their level, rows of outputs at the end.
    void addTurns()
    {
        for (std::size_t f = 0; f < m.m_fixed.size(); ++f) {
            const FunctionCost& cost = m.m_fixed[f];
            const int group = cost.rowsOf.valid() ? static_cast<int>(m.m_fixed.size()) : m.m_groupOfLevel[at(cost.first)];
            m.m_turn.push_back(2 * group + !cost.isGlobal);
        }
    }

    FunctionCost& cost() { return m.m_fixed[at(m_group)]; }

    bool isReadByProgram(const StepOperand& operand) const
    {
        return std::ranges::any_of(m_fusion.programs, [&](const FusedEdges& program) {
            return std::ranges::any_of(program.operands, [&](const FusedOperand& read) { return read.rows == operand; });
        });
    }

    // Terms of a sum that only targets with edges of one relation add to are one call, and only these rows are computed, a few at a time.
    void findShares()
    {
        m_shares.clear();
        if (!m.m_rates.joinsRelations)
            return;
        const std::vector<SparseTerm> terms = findSparseTerms(m_a, *m_f, m_fusion);
        for (const SparseTerm& term : terms) {
            const FusedEdges& fused = m_fusion.programs[term.program];
            const double edges = frameRows(fused.frame).total, targets = frameRows(m_f->frames[at(fused.frame)].parent).total;
            const double share = targets > 0 ? std::min(1.0, edges / targets) : 1;
            for (const std::size_t step : term.scales)
                m_shares[step] = {share, true};
            m_shares[fused.step] = m_shares[term.product] = {share, true};
            m_shares[term.sum] = {share, term.ownsOther};
            // Which targets have edges.
            cost().compute.seconds += targets * indexBytes / m.m_rates.slice;
        }
        if (!terms.empty())
            cost().compute.seconds += m.m_rates.opSeconds * rows().batches;
    }

    // The time of an edge program by rates. share: of the targets, those that have results.
    double programSeconds(const FusedEdges& fused, double share) const
    {
        const double edges = frameRows(fused.frame).total, targets = share * frameRows(m_f->frames[at(fused.frame)].parent).total;
        const double item = static_cast<double>(itemSize(fused.dtype));
        double bytes = 0, entries = 0;
        for (const EdgeOperand& operand : fused.program.operands)
            bytes += item * static_cast<double>(operand.width) *
                     (operand.row == EdgeRow::Same ? 1 : operand.row == EdgeRow::Target ? targets : edges);
        for (const EdgeResult& result : fused.program.results)
            bytes += item * static_cast<double>(fused.program.width(result.value)) * (result.reduced ? targets : edges);
        for (const EdgeInstruction& instruction : fused.program.code)
            entries += edges * static_cast<double>(std::max(instruction.width, fused.program.width(instruction.x.value)));
        return edges / m.m_rates.edges + bytes / m.m_rates.edgeRows + entries / m.m_rates.edgeArithmetic;
    }

    // Frames of edges, and the nodes that they reach.
    void addPreparation()
    {
        constexpr double numberedBytes = 40;  // of a node: itself, and twice a slot of the table
        const bool hasBlocks = std::ranges::any_of(m_f->frames, [](const Frame& frame) { return frame.kind == FrameKind::Block; });
        m_isWhole = m_f->isOfLevel() && m.isWhole(rows(), m_f->nodeType);
        const bool isNumbered = hasBlocks && !m_isWhole;
        double numbered = rows().targets();
        AtOnce bytes = isNumbered ? numberedBytes * rows().withinAtOnce() : AtOnce{};
        double all = 0;
        for (std::size_t i = 0; i < m_f->frames.size(); ++i)
            all += frameRows(static_cast<int>(i)).total;
        std::set<std::pair<ValueId, int>> lookedUp;
        for (const StepOperand& neighbour : m_f->neighbours) {
            numbered += frameRows(neighbour.frame).total;
            if (m_f->isOfLevel() && lookedUp.insert({neighbour.value, sameEdges(neighbour.frame)}).second)
                m.m_relabel[at(level(neighbour.frame))] +=
                    frameRows(neighbour.frame).total * (indexBytes / m.m_rates.slice + (hasBlocks || m_isWhole ? 0 : 1 / m.m_rates.number));
        }
        const double entries = isNumbered ? numbered : 0;
        for (std::size_t i = 1; i < m_f->frames.size(); ++i)
            if (!isIntoTargets(*m_f, static_cast<int>(i)) && !isRangeOfWhole(m_f->frames[i]))
                bytes = bytes + indexBytes * frameRows(static_cast<int>(i)).atOnce;
        m.m_bookkeeping[at(m_group)] = bytes;
        for (const FusedEdges& program : m_fusion.programs)
            for (const FusedOperand& operand : program.operands)
                if (operand.row == EdgeRow::Source && operand.index.kind == OperandKind::Slice)
                    addIndex(operand.index);
        const auto measured = m.m_profile.prepareSeconds.find(m_f->isOfLevel() ? m_f->level : -1 - static_cast<int>(m_index));
        m_measuredPreparation = measured != m.m_profile.prepareSeconds.end();
        cost().prepare.seconds += m_measuredPreparation ? measured->second * all : entries / m.m_rates.number;
    }

    // Edges into all nodes, in the order in which they are grouped.
    bool isRangeOfWhole(const Frame& frame) const
    {
        return m_isWhole && frame.kind == FrameKind::Edges && (frame.parent == 0 || m_f->frames[at(frame.parent)].kind == FrameKind::Block);
    }

    // For all nodes at once edges of several hops are the same ones, and read once.
    int sameEdges(int frame) const
    {
        const auto isSame = [&](const Frame& other) { return isRangeOfWhole(other) && other.index == m_f->frames[at(frame)].index; };
        return isRangeOfWhole(m_f->frames[at(frame)]) ? static_cast<int>(std::ranges::find_if(m_f->frames, isSame) - m_f->frames.begin()) : frame;
    }

    // An index in the order of the edges, of 32 bits: once for all batches, as these are grouped, or for each.
    void addIndex(const StepOperand& index)
    {
        const RowCount& edges = frameRows(index.frame);
        const bool grouped = isIntoTargets(*m_f, index.frame);
        if (!grouped && isRangeOfWhole(m_f->frames[at(index.frame)]) &&
            !m_readOfWhole.insert({index.value, m_f->frames[at(index.frame)].index}).second)
            return;
        if (!grouped)
            m.m_bookkeeping[at(m_group)] = m.m_bookkeeping[at(m_group)] + indexBytes * edges.atOnce;
        if (!grouped || m_ordered.insert({index.value, m_f->frames[at(index.frame)].index}).second)
            cost().prepare += {edges.total * wordBytes, 0, m_measuredPreparation || grouped ? 0 : edges.total * indexBytes / m.m_rates.slice};
    }

    // A structure value sliced to a frame: those of a batch are held; the time counts once for each function.
    int slice(const StepOperand& operand)
    {
        const auto [known, fresh] = m_slices.try_emplace({operand.value, sameEdges(operand.frame)}, static_cast<int>(m.m_slices.size()));
        if (fresh) {
            const double bytes = rowBytes(m_a, operand.value, operand.rowDim), moved = bytes * frameRows(operand.frame).total;
            const bool grouped = isIntoTargets(*m_f, operand.frame) && operand.kind == OperandKind::Slice;
            m.m_slices.push_back(grouped ? AtOnce{} : bytes * frameRows(operand.frame).atOnce);
            const bool isMoved = !grouped || m_ordered.insert({operand.value, m_f->frames[at(operand.frame)].index}).second;
            const bool goesAlong = grouped && bytes <= wordBytes;  // as edges are grouped
            cost().prepare += {moved, 0, !isMoved || goesAlong || (m_measuredPreparation && !grouped) ? 0 : moved / m.m_rates.slice};
        }
        return known->second;
    }

    // What a placed op reads of structure on node rows, and all that this is computed from.
    void addExtra(PlacedWork& op, const StepOperand& operand)
    {
        const auto [known, fresh] = m_extraIndex.try_emplace(operand.value, static_cast<int>(m.m_extras.size()));
        if (fresh) {
            Extra extra;
            const double bytes = rowBytes(m_a, operand.value, operand.rowDim);
            if (operand.kind == OperandKind::Step) {
                const Work work = workOf(m_p, m_p[operand.value].producer, operand.rowDim);
                extra.isComputed = true;
                extra.amount = {0, work.flops,
                                std::max(work.flops / m.m_rates.gemm, work.kind == WorkKind::View ? 0 : 2 * bytes / m.m_rates.elementwise)};
            } else {
                extra.amount = {bytes, 0, bytes / m.m_rates.slice};
            }
            m.m_extras.push_back(extra);
        }
        if (std::ranges::find(op.extras, known->second) != op.extras.end())
            return;
        op.extras.push_back(known->second);
        if (operand.kind == OperandKind::Step)
            if (const auto made = m_extraOf.find(operand.value); made != m_extraOf.end())
                for (const StepOperand& behind : made->second->operands)
                    if (behind.rowDim >= 0)
                        addExtra(op, behind);
    }

    bool isFeature(const StepOperand& operand) const { return m_a.values[operand.value].reach == Reach::Feature; }

    struct Share {
        double ofRows;   // that are computed
        bool isInPlace;  // or in the scratch of the call that does all of them
    };

    // A step that does work, and what is known of it before its operands are looked at.
    struct Current {
        const Step& step;
        bool isAbsorbed;     // by a program that stands for a later step
        const Share* share;  // of the rows of its frame; null where all are computed
        int placed;          // into PlanSpace::ops(); -1 on edges and in functions of global ops and outputs
        RowCount rows;       // of its frame
        Work work;
        ValueId gathered;    // what it reads at the rows that its index names
        bool atTargets;      // which are the targets of edges, in their order
        double resultBytes;  // per row

        double part() const { return share ? share->ofRows : 1; }
        bool makesNothing() const { return work.kind == WorkKind::View || (share && share->isInPlace); }
    };

    // What a step reads.
    struct Reading {
        double ownBytes = 0;                 // at its own rows, per row
        double otherBytes = 0;               // at others, of all batches
        double edgeBytes = 0, edgeRows = 0;  // of the others, those of edges that a reduction adds up
        bool gathers = false;
        std::vector<Ref> refs;

        void addOthers(const Current& current, const StepOperand& operand, double bytes, double rows, bool isAddedUp)
        {
            otherBytes += bytes * rows;
            addEdges(current, operand, bytes, rows, isAddedUp);
        }
        void addEdges(const Current& current, const StepOperand& operand, double bytes, double rows, bool isAddedUp)
        {
            if (current.work.kind != WorkKind::Reduce || !isAddedUp || operand.frame == current.step.frame)
                return;
            edgeBytes += bytes * rows;
            edgeRows += rows;
        }
    };

    void addStep(std::size_t number)
    {
        const Step& step = m_f->steps[number];
        const ValueId first = m_p[step.op].outputs.front();
        if (isNodes(step.frame) && (m_a.values[first].reach != Reach::Feature || step.kind == StepKind::LocalIndex)) {
            m_extraOf[first] = &step;
            return;
        }
        const Current current = currentStep(number);
        Reading reading = readOperands(current);
        if (current.placed >= 0)
            addPlaced(current, std::move(reading));
        else
            addFixed(current, std::move(reading));
    }

    Current currentStep(std::size_t number) const
    {
        const Step& step = m_f->steps[number];
        const auto share = m_shares.find(number);
        const bool isGather = m_a.ops[step.op].kind == OpKind::Gather;
        Current current{.step = step,
                        .isAbsorbed = m_fusion.absorbed[number],
                        .share = share == m_shares.end() ? nullptr : &share->second,
                        .placed = isNodes(step.frame) ? m.m_space.indexOf(step.op) : -1,
                        .rows = rowsComputedBy(step),
                        .work = isGather ? Work{WorkKind::Gather} : workOf(m_p, step.op, step.rowDims.empty() ? -1 : step.rowDims.front()),
                        .gathered = isGather ? gatherForm(m_p, step.op)->source : ValueId{},
                        .atTargets = isGather && m_f->frames[at(step.frame)].kind == FrameKind::Edges &&
                                     m_a.ops[step.op].index == m_f->frames[at(step.frame)].index,
                        .resultBytes = 0};
        assert(!isNodes(step.frame) || current.placed >= 0);
        if (m_a.ops[step.op].kind == OpKind::Scatter)
            current.work.kind = WorkKind::Reduce;
        if (step.kind == StepKind::LocalIndex)
            current.work.kind = WorkKind::View;
        current.work.flops += current.work.flopsPerPair * current.rows.total;
        for (std::size_t i = 0; i < step.rowDims.size(); ++i)
            current.resultBytes += rowBytes(m_a, m_p[step.op].outputs[i], step.rowDims[i]);
        return current;
    }

    RowCount rowsComputedBy(const Step& step) const { return m_f->isGlobal ? global().rowsComputedBy(step.op) : frameRows(step.frame); }

    Reading readOperands(const Current& current)
    {
        Reading reading;
        for (const StepOperand& operand : current.step.operands) {
            if (operand.kind == OperandKind::OfGraph)
                addReadOfGraph(operand, current.placed);
            if (operand.rowDim < 0 && operand.kind != OperandKind::StoredWhole)
                continue;
            // Programs read neither the index nor what is reduced into.
            if ((m_program || current.isAbsorbed) && !isFeature(operand) && !isReadByProgram(operand))
                continue;
            if (isFeature(operand) && m_a.values[operand.value].rows == Rows::Nodes)
                readStored(current, operand, reading);
            else
                readOther(current, operand, reading);
        }
        return reading;
    }

    void addReadOfGraph(const StepOperand& operand, int placed)
    {
        if (placed >= 0)
            ofGraph(operand.value).ops.insert(placed);
        else
            ofGraph(operand.value).functions.insert(m_group);
    }

    bool isOfNodesAsIs(const Current& current, const StepOperand& operand) const { return current.placed >= 0 && isNodes(operand.frame); }

    // Rows of the store, or those that an op before it made of them.
    void readStored(const Current& current, const StepOperand& operand, Reading& reading)
    {
        const double bytes = rowBytes(m_a, operand.value, operand.rowDim), rows = frameRows(operand.frame).total;
        Use use;
        if (operand.value == current.gathered && !current.atTargets) {
            use.kind = Use::Gathered;
            reading.gathers = true;
        } else if (current.atTargets) {
            use.kind = Use::AtTargets;
            reading.otherBytes += bytes * current.rows.total;
        } else if (isOfNodesAsIs(current, operand)) {
            use.kind = Use::ByOp;
            reading.ownBytes += bytes;
        } else {
            use.kind = Use::Numbered;
            reading.otherBytes += bytes * rows;
        }
        reading.addEdges(current, operand, bytes, rows, operand.rowDim >= 0 && !isOfNodesAsIs(current, operand));
        addUse(operand, current.step, use, current.placed, current.isAbsorbed);
        reading.refs.push_back({Ref::Tensor, m.m_tensorIndex.at(operand.value)});
    }

    // Structure, rows of edges, and what the function itself made.
    void readOther(const Current& current, const StepOperand& operand, Reading& reading)
    {
        const double bytes = rowBytes(m_a, operand.value, operand.rowDim);
        if (isOfNodesAsIs(current, operand)) {
            addExtra(m.m_ops[at(current.placed)], operand);
            reading.ownBytes += bytes;
            return;
        }
        if (!isFeature(operand) && operand.kind != OperandKind::Step)
            reading.refs.push_back({Ref::Slice, slice(operand)});
        else if (const auto made = m_fixed.find({operand.value, operand.frame, operand.into}); made != m_fixed.end())
            reading.refs.push_back({Ref::Fixed, made->second});
        if (operand.frame == current.step.frame)
            reading.ownBytes += bytes;
        else
            reading.addOthers(current, operand, bytes, frameRows(operand.frame).total, isFeature(operand));
    }

    std::optional<double> measuredSeconds(const Step& step) const
    {
        const auto measured = m.m_profile.opSeconds.find(step.op);
        return measured == m.m_profile.opSeconds.end() ? std::nullopt : std::optional(measured->second);
    }

    // Of starting it, in every batch, where that is not measured with it.
    double callSeconds(const Current& current) const
    {
        return current.isAbsorbed || current.share || measuredSeconds(current.step) ? 0 : m.m_rates.opSeconds * rows().batches;
    }

    // By rates: of so many operations and so many bytes.
    double workSeconds(const Work& work, double flops, double bytes) const
    {
        return std::max(work.kind == WorkKind::Product ? flops / m.m_rates.gemm : 0, bytes / m.m_rates.elementwise);
    }

    // Its rows are those of whatever function its position puts it into.
    void addPlaced(const Current& current, Reading reading)
    {
        const Work& work = current.work;
        const std::optional<double> measured = measuredSeconds(current.step);
        PlacedWork& op = m.m_ops[at(current.placed)];
        op.kind = work.kind;
        op.reads = std::move(reading.refs);
        op.before = std::exchange(m_waiting, {});
        op.resultBytes = current.makesNothing() ? 0 : current.resultBytes;
        op.scratchBytes = work.scratchBytes;
        if (work.kind == WorkKind::Reduce) {
            op.fixed = {0, work.flops * reading.edgeRows,
                        measured    ? *measured * reading.edgeRows
                        : m_program ? programSeconds(*m_program, current.part())
                                    : reading.edgeBytes / m.m_rates.segmentReduce};
        } else if (!reading.gathers) {
            op.flops = current.part() * work.flops;
            op.bytes = work.kind == WorkKind::View ? 0 : current.part() * (reading.ownBytes + current.resultBytes);
            op.seconds = measured ? current.part() * *measured : workSeconds(work, op.flops, op.bytes);
        }
        op.fixed.seconds += callSeconds(current);
    }

    // Of edges, of global ops or of rows of an output: it runs where it is, wherever the placed ops are.
    void addFixed(const Current& current, Reading reading)
    {
        const Work& work = current.work;
        const Step& step = current.step;
        const double computed = current.part() * current.rows.total;
        Amount amount{0, work.flops * computed, callSeconds(current)};
        if (work.kind != WorkKind::View && !reading.gathers && !current.isAbsorbed) {
            const double bytes = (reading.ownBytes + current.resultBytes) * computed + reading.otherBytes;
            const std::optional<double> measured = measuredSeconds(step);
            amount.seconds += measured ? *measured * computed : workSeconds(work, amount.flops, bytes);
        }
        cost().compute += amount;
        FixedStep fixed;
        fixed.isView = current.makesNothing() || step.kind == StepKind::Forward || (current.isAbsorbed && !isResultOfProgram(step));
        fixed.isAbsorbed = current.isAbsorbed;
        fixed.bytes = fixed.isView ? AtOnce{} : current.resultBytes * current.rows.atOnce;
        fixed.scratch = current.isAbsorbed ? AtOnce{} : work.scratchBytes * current.rows.atOnce;
        fixed.reads = std::move(reading.refs);
        const int index = static_cast<int>(m.m_steps.size());
        for (const ValueId output : m_p[step.op].outputs)
            m_fixed[{output, step.frame, step.into}] = index;
        m.m_steps.push_back(std::move(fixed));
        m_waiting.push_back(index);
    }

    // Rows of edges that one program leaves for another.
    bool isResultOfProgram(const Step& step) const
    {
        return std::ranges::any_of(m_fusion.programs, [&](const FusedEdges& fused) {
            return std::any_of(fused.results.begin() + 1, fused.results.end(), [&](const StepOperand& result) {
                return result.frame == step.frame && std::ranges::count(m_p[step.op].outputs, result.value) > 0;
            });
        });
    }

    void addUse(const StepOperand& operand, const Step& step, Use use, int placed, bool isAbsorbed)
    {
        Tensor& t = tensor(operand.value);
        use.op = placed;
        use.rows = frameRows(use.kind == Use::Numbered ? operand.frame : step.frame);
        // The time of a program counts for its reduction.
        if ((use.kind == Use::Gathered || use.kind == Use::Numbered) && !isAbsorbed) {
            const auto measured = m.m_profile.opSeconds.find(step.op);
            const double bytes = use.rows.total * t.bytes;
            use.straightSeconds =
                use.kind == Use::Gathered && measured != m.m_profile.opSeconds.end() ? measured->second * use.rows.total : bytes / m.m_rates.gather;
            use.blockSeconds = 2 * bytes / m.m_rates.elementwise;
        }
        if (m_f->isGlobal) {
            // The store as it lies.
            use.rows = {global().rowsOf(operand.value), global().rowsOf(operand.value)};
            use.straightSeconds = use.rows.total * t.bytes / m.m_rates.read;
            use.kind = Use::ByOutput;
            use.level = m_group;
        } else if (m_f->rowsOf.valid()) {
            // An output's rows are read by their own numbers, straight from the store.
            const double bytes = use.rows.total * t.bytes;
            if (!isAbsorbed)
                use.straightSeconds = use.straightSeconds > 0 ? use.straightSeconds : bytes / m.m_rates.gather;
            use.kind = Use::ByOutput;
            use.level = m_group;
        } else {
            use.level = level(use.kind == Use::Numbered ? operand.frame : step.frame);
        }
        // What is read twice at the same rows is one slice.
        if ((use.kind == Use::Numbered || use.kind == Use::AtTargets) && !m_sliced.insert({operand.value, operand.frame}).second)
            return;
        if (use.kind != Use::ByOp || std::ranges::none_of(t.uses, [&](const Use& u) { return u.kind == Use::ByOp && u.op == placed; }))
            t.uses.push_back(use);
    }

    CostModel& m;
    const Analysis& m_a;
    const Program& m_p;
    std::size_t m_index = 0;
    const CutFunction* m_f = nullptr;
    int m_group = 0;
    bool m_measuredPreparation = false;
    bool m_isWhole = false;  // batches of the function
    std::map<std::tuple<ValueId, int, IndexInto>, int> m_fixed;
    std::map<std::pair<ValueId, int>, int> m_slices;
    std::map<ValueId, const Step*> m_extraOf;
    std::map<ValueId, int> m_extraIndex;
    std::set<std::pair<ValueId, int>> m_sliced;
    std::set<std::pair<ValueId, ValueId>> m_readOfWhole;  // by value and segment index
    std::map<int, int> m_globalOf;  // the function of the global ops of each level
    std::vector<int> m_waiting;
    EdgeFusion m_fusion;                         // of the function
    std::map<std::size_t, Share> m_shares;       // steps of sums over relations
    const FusedEdges* m_program = nullptr;       // that takes the place of the step
    std::set<std::pair<ValueId, ValueId>> m_ordered;  // structure in the order of a segment's edges
};

CostModel::CostModel(const PlanSpace& space, GraphCounts counts, Rates rates, Profile profile)
    : m_space(space), m_counts(std::move(counts)), m_rates(std::move(rates)), m_profile(std::move(profile))
{
    // A block's rows cost no less than its targets', whatever was measured.
    m_rates.gather = std::min(m_rates.gather, m_rates.read);
    Plan plan = space.messageDegree();
    plan.joined = m_counts.joined;
    m_cut = space.cut(plan);
    Builder(*this).run();
}

}  // namespace cleave
