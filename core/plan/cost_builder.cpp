#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/analysis/message_passing.h"
#include "core/base/error.h"
#include "core/plan/cost.h"
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
        // The results of a single batch are the store's rows as they are.
        for (Tensor& t : m.m_tensors) {
            const double nodes = m.m_counts.nodesOf(t.nodeType);
            const bool isCopied = static_cast<double>(m.m_counts.batchSize) < nodes || m.m_counts.order != "natural";
            t.writeSeconds = isCopied && t.global < 0 ? nodes * writePerRow(t) : 0;
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
    int level(int frame) const { return m_f->level - m_f->frames[at(frame)].hops; }

    Tensor& tensor(ValueId id)
    {
        const auto [known, fresh] = m.m_tensorIndex.try_emplace(id, static_cast<int>(m.m_tensors.size()));
        if (fresh) {
            Tensor t;
            t.id = id;
            t.producer = m.m_space.indexOf(m_p[id].producer);
            if (const OpId maker = m_p[id].producer; maker.valid() && m_a.ops[maker].kind == OpKind::Global)
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
        for (const Step& step : m_f->steps)
            for (std::size_t i = 0; m_f->isGlobal && i < step.rowDims.size(); ++i) {
                const ValueId made = m_p[step.op].outputs[i];
                const double bytes = rowsOf(made) * rowBytes(m_a, made, step.rowDims[i]);
                const bool isSaved = std::ranges::find(m_f->saves, made) != m_f->saves.end();
                if (isSaved)
                    cost().write.bytes += bytes;
                else
                    m.m_bookkeeping[at(m_group)] = m.m_bookkeeping[at(m_group)] + AtOnce{bytes, 0};
            }
    }

    // Of what a global op makes or reads.
    double rowsOf(ValueId value) const
    {
        return m_a.values[value].rows == Rows::Nodes ? m.m_counts.nodesOf(m_a.values[value].nodeType) : frameRows(0).total;
    }

    RowCount rowsReadBy(OpId op) const
    {
        double most = 0;
        forEachOperand(m_p[op], [&](ValueId operand) {
            if (m_a.values[operand].rows == Rows::Nodes)
                most = std::max(most, rowsOf(operand));
        });
        return {most, {most, 0}};
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
        return bytes / m.m_rates.edgeRows + entries / m.m_rates.edgeArithmetic;
    }

    // Frames of edges, and the nodes that they reach.
    void addPreparation()
    {
        constexpr double numberedBytes = 40;  // of a node: itself, and twice a slot of the table
        const bool hasBlocks = std::ranges::any_of(m_f->frames, [](const Frame& frame) { return frame.kind == FrameKind::Block; });
        const bool isWhole = m_f->isOfLevel() && m.isWhole(rows(), m_f->nodeType), isNumbered = hasBlocks && !isWhole;
        double numbered = rows().targets();
        AtOnce bytes = isNumbered ? numberedBytes * rows().withinAtOnce() : AtOnce{};
        double all = 0;
        for (std::size_t i = 0; i < m_f->frames.size(); ++i)
            all += frameRows(static_cast<int>(i)).total;
        std::set<std::pair<ValueId, int>> lookedUp;
        for (const StepOperand& neighbour : m_f->neighbours) {
            numbered += frameRows(neighbour.frame).total;
            if (m_f->isOfLevel() && lookedUp.insert({neighbour.value, neighbour.frame}).second)
                m.m_relabel[at(level(neighbour.frame))] +=
                    frameRows(neighbour.frame).total * (indexBytes / m.m_rates.slice + (hasBlocks || isWhole ? 0 : 1 / m.m_rates.number));
        }
        const double entries = isNumbered ? numbered : 0;
        for (std::size_t i = 1; i < m_f->frames.size(); ++i)
            if (!isIntoTargets(*m_f, static_cast<int>(i)))
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

    // An index in the order of the edges, of 32 bits: once for all batches, as these are grouped, or for each.
    void addIndex(const StepOperand& index)
    {
        const RowCount& edges = frameRows(index.frame);
        const bool grouped = isIntoTargets(*m_f, index.frame);
        if (!grouped)
            m.m_bookkeeping[at(m_group)] = m.m_bookkeeping[at(m_group)] + indexBytes * edges.atOnce;
        if (!grouped || m_ordered.insert({index.value, m_f->frames[at(index.frame)].index}).second)
            cost().prepare += {edges.total * wordBytes, 0, m_measuredPreparation || grouped ? 0 : edges.total * indexBytes / m.m_rates.slice};
    }

    // A structure value sliced to a frame: those of a batch are held; the time counts once for each function.
    int slice(const StepOperand& operand)
    {
        const auto [known, fresh] = m_slices.try_emplace({operand.value, operand.frame}, static_cast<int>(m.m_slices.size()));
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

    void addStep(std::size_t number)
    {
        const Step& step = m_f->steps[number];
        const bool isAbsorbed = m_fusion.absorbed[number];
        const auto sparse = m_shares.find(number);
        const double share = sparse == m_shares.end() ? 1 : sparse->second.ofRows;
        const bool isHeld = sparse == m_shares.end() || !sparse->second.isInPlace;  // its result, for the whole block
        const ValueId first = m_p[step.op].outputs.front();
        const bool nodes = isNodes(step.frame);
        if (nodes && (m_a.values[first].reach != Reach::Feature || step.kind == StepKind::LocalIndex)) {
            m_extraOf[first] = &step;
            return;
        }
        const int placed = nodes ? m.m_space.indexOf(step.op) : -1;
        assert(!nodes || placed >= 0);
        Work work = workOf(m_p, step.op, step.rowDims.empty() ? -1 : step.rowDims.front());
        if (m_a.ops[step.op].kind == OpKind::Gather)
            work = {WorkKind::Gather};
        else if (m_a.ops[step.op].kind == OpKind::Scatter)
            work.kind = WorkKind::Reduce;
        const RowCount own = !m_f->isGlobal ? frameRows(step.frame) : readsNodes(m_a, step.op) ? rowsReadBy(step.op) : RowCount{1, {1, 0}};
        work.flops += work.flopsPerPair * own.total;
        const bool atTarget = work.kind == WorkKind::Gather && m_f->frames[at(step.frame)].kind == FrameKind::Edges &&
                              m_a.ops[step.op].index == m_f->frames[at(step.frame)].index;
        const ValueId source = work.kind == WorkKind::Gather ? gatherForm(m_p, step.op)->source : ValueId{};
        PlacedWork unplaced;
        PlacedWork& op = placed >= 0 ? m.m_ops[at(placed)] : unplaced;
        op.kind = work.kind;
        double resultBytes = 0, ownBytes = 0, otherBytes = 0, edgeBytes = 0, edgeRows = 0;
        for (std::size_t i = 0; i < step.rowDims.size(); ++i)
            resultBytes += rowBytes(m_a, m_p[step.op].outputs[i], step.rowDims[i]);
        if (step.kind == StepKind::LocalIndex)
            work.kind = WorkKind::View;
        std::vector<Ref> reads;
        bool gathers = false;
        for (const StepOperand& operand : step.operands) {
            if (operand.rowDim < 0 && operand.kind != OperandKind::StoredWhole)
                continue;
            // Programs read neither the index nor what is reduced into.
            if ((m_program || isAbsorbed) && !isFeature(operand) && !isReadByProgram(operand))
                continue;
            const bool sameRows = operand.frame == step.frame || (nodes && isNodes(operand.frame));
            const double bytes = rowBytes(m_a, operand.value, operand.rowDim);
            if (isFeature(operand) && m_a.values[operand.value].rows == Rows::Nodes) {
                Use use;
                if (operand.value == source && !atTarget) {
                    use.kind = Use::Gathered;
                    gathers = true;
                } else if (atTarget) {
                    use.kind = Use::AtTargets;
                    otherBytes += bytes * own.total;
                } else if (nodes && isNodes(operand.frame)) {
                    use.kind = Use::ByOp;
                    ownBytes += bytes;
                } else {
                    use.kind = Use::Numbered;
                    otherBytes += bytes * frameRows(operand.frame).total;
                }
                if (work.kind == WorkKind::Reduce && !sameRows && operand.rowDim >= 0) {
                    edgeBytes += bytes * frameRows(operand.frame).total;
                    edgeRows += frameRows(operand.frame).total;
                }
                addUse(operand, step, use, placed, isAbsorbed);
                reads.push_back({Ref::Tensor, m.m_tensorIndex.at(operand.value)});
                continue;
            }
            if (isFeature(operand) || operand.kind == OperandKind::Step) {
                if (nodes && isNodes(operand.frame)) {
                    addExtra(op, operand);
                    ownBytes += bytes;
                    continue;
                }
                if (const auto made = m_fixed.find({operand.value, operand.frame, operand.into}); made != m_fixed.end())
                    reads.push_back({Ref::Fixed, made->second});
            } else if (nodes && isNodes(operand.frame)) {
                addExtra(op, operand);
            } else {
                reads.push_back({Ref::Slice, slice(operand)});
            }
            if (sameRows) {
                ownBytes += bytes;
            } else {
                otherBytes += bytes * frameRows(operand.frame).total;
                if (work.kind == WorkKind::Reduce && isFeature(operand)) {
                    edgeBytes += bytes * frameRows(operand.frame).total;
                    edgeRows += frameRows(operand.frame).total;
                }
            }
        }
        const double calls = isAbsorbed || sparse != m_shares.end() ? 0 : m.m_rates.opSeconds * rows().batches;
        const auto measured = m.m_profile.opSeconds.find(step.op);
        const bool isMeasured = measured != m.m_profile.opSeconds.end();
        if (placed >= 0) {
            op.reads = std::move(reads);
            op.before = std::exchange(m_waiting, {});
            op.resultBytes = work.kind == WorkKind::View || !isHeld ? 0 : resultBytes;
            op.scratchBytes = work.scratchBytes;
            if (work.kind == WorkKind::Reduce) {
                op.fixed = {0, work.flops * edgeRows, isMeasured  ? measured->second * edgeRows
                                                           : m_program ? programSeconds(*m_program, share)
                                                                       : edgeBytes / m.m_rates.segmentReduce};
            } else if (!gathers) {
                op.flops = share * work.flops;
                op.bytes = work.kind == WorkKind::View ? 0 : share * (ownBytes + resultBytes);
                op.seconds = isMeasured
                                 ? share * measured->second
                                 : std::max(op.flops / (work.kind == WorkKind::Product ? m.m_rates.gemm : 1e300), op.bytes / m.m_rates.elementwise);
            }
            op.fixed.seconds += isMeasured ? 0 : calls;
            return;
        }
        const double computed = share * own.total;
        Amount amount{0, work.flops * computed, isMeasured ? 0 : calls};
        if (work.kind != WorkKind::View && !gathers && !isAbsorbed) {
            const double bytes = (ownBytes + resultBytes) * computed + otherBytes;
            amount.seconds += isMeasured
                                  ? measured->second * computed
                                  : std::max(work.kind == WorkKind::Product ? amount.flops / m.m_rates.gemm : 0, bytes / m.m_rates.elementwise);
        }
        cost().compute += amount;
        FixedStep fixed;
        fixed.isView = work.kind == WorkKind::View || step.kind == StepKind::Forward || (isAbsorbed && !isResultOfProgram(step)) || !isHeld;
        fixed.isAbsorbed = isAbsorbed;
        fixed.bytes = fixed.isView ? AtOnce{} : resultBytes * own.atOnce;
        fixed.scratch = isAbsorbed ? AtOnce{} : work.scratchBytes * own.atOnce;
        fixed.reads = std::move(reads);
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
            use.rows = {rowsOf(operand.value), rowsOf(operand.value)};
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
    std::map<std::tuple<ValueId, int, IndexInto>, int> m_fixed;
    std::map<std::pair<ValueId, int>, int> m_slices;
    std::map<ValueId, const Step*> m_extraOf;
    std::map<ValueId, int> m_extraIndex;
    std::set<std::pair<ValueId, int>> m_sliced;
    std::map<int, int> m_globalOf;  // the function of the global ops of each level
    std::vector<int> m_waiting;
    EdgeFusion m_fusion;                         // of the function
    struct Share {
        double ofRows;   // that are computed
        bool isInPlace;  // or in the scratch of the call that does all of them
    };
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
