#include "core/plan/cost.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/analysis/message_passing.h"
#include "core/base/error.h"

namespace cleave {

namespace {

constexpr double indexBytes = 8;

std::size_t at(int index)
{
    return static_cast<std::size_t>(index);
}

}  // namespace

Amount PlanCost::total() const
{
    Amount all;
    for (const FunctionCost& f : functions)
        for (const Amount& part : {f.prepare, f.read, f.compute, f.write})
            all += part;
    return all;
}

double PlanCost::seconds() const { return total().seconds; }
double PlanCost::flops() const { return total().flops; }

double PlanCost::readBytes() const
{
    double bytes = 0;
    for (const FunctionCost& f : functions)
        bytes += f.prepare.bytes + f.read.bytes;
    return bytes;
}

double PlanCost::writtenBytes() const
{
    double bytes = 0;
    for (const FunctionCost& f : functions)
        bytes += f.write.bytes;
    return bytes;
}

double PlanCost::peakBytes() const
{
    double most = 0;
    for (const FunctionCost& f : functions)
        most = std::max(most, f.peakBytes);
    return most;
}

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
        for (const ValueId output : m_p.outputs)
            if (m_a.values[output].rows == Rows::Nodes)
                tensor(output).isOutput = true;
        // The results of a single batch are the store's rows as they are.
        const bool isCopied = m.m_counts.batchSize < m.m_counts.nodes || m.m_counts.order != "natural";
        for (Tensor& t : m.m_tensors)
            t.writeSeconds = isCopied ? static_cast<double>(m.m_counts.nodes) * writePerRow(t) : 0;
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
            const double nodes = static_cast<double>(m.m_counts.nodes), batch = static_cast<double>(std::max<std::int64_t>(m.m_counts.batchSize, 1));
            group.rows.batches = std::max(1.0, std::ceil(nodes / batch));
            group.rows.reach = {{nodes, std::min(nodes, batch)}};
            m.m_groups.push_back(group);
        }
        for (std::size_t f = 0; f < m.m_cut.functions.size(); ++f)
            if (const CutFunction& function = m.m_cut.functions[f]; !function.rowsOf.valid()) {
                Group& group = m.m_groups[at(m.m_groupOfLevel[at(function.level)])];
                group.cut = static_cast<int>(f);
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
        return !m_f->rowsOf.valid() && (frame == 0 || m_f->frames[at(frame)].kind == FrameKind::Block);
    }
    int level(int frame) const { return m_f->level - m_f->frames[at(frame)].hops; }

    Tensor& tensor(ValueId id)
    {
        const auto [known, fresh] = m.m_tensorIndex.try_emplace(id, static_cast<int>(m.m_tensors.size()));
        if (fresh) {
            Tensor t;
            t.id = id;
            t.producer = m.m_space.indexOf(m_p[id].producer);
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
        if (m_f->rowsOf.valid()) {
            FunctionCost cost;
            cost.first = cost.last = m_f->level;
            cost.rowsOf = m_f->rowsOf;
            m_group = static_cast<int>(m.m_fixed.size());
            m.m_fixed.push_back(cost);
            m.m_bookkeeping.push_back(0);
        } else {
            m_group = m.m_groupOfLevel[at(m_f->level)];
        }
        addPreparation();
        for (const Step& step : m_f->steps)
            addStep(step);
        if (m_f->rowsOf.valid()) {
            const double rowsWritten = frameRows(0).total;
            const double bytes = rowsWritten * rowBytes(m_a, m_f->rowsOf, m_a.values[m_f->rowsOf].rowDim);
            cost().write += {bytes, 0, bytes / m.m_rates.write};
        }
    }

    FunctionCost& cost() { return m.m_fixed[at(m_group)]; }

    // Frames of edges, and the nodes that they reach.
    void addPreparation()
    {
        double entries = rows().reach.front().total;
        double most = rows().reach.back().most, all = 0;
        for (std::size_t i = 0; i < m_f->frames.size(); ++i)
            all += frameRows(static_cast<int>(i)).total;
        std::set<std::pair<ValueId, int>> lookedUp;
        for (const StepOperand& neighbour : m_f->neighbours) {
            entries += frameRows(neighbour.frame).total;
            if (!m_f->rowsOf.valid() && lookedUp.insert({neighbour.value, neighbour.frame}).second)
                m.m_relabel[at(level(neighbour.frame))] += frameRows(neighbour.frame).total * indexBytes / m.m_rates.slice;
        }
        for (std::size_t i = 1; i < m_f->frames.size(); ++i)
            most += frameRows(static_cast<int>(i)).most;
        m.m_bookkeeping[at(m_group)] = most * indexBytes;
        const auto measured = m.m_profile.prepareSeconds.find(m_f->rowsOf.valid() ? -1 - static_cast<int>(m_index) : m_f->level);
        m_measuredPreparation = measured != m.m_profile.prepareSeconds.end();
        cost().prepare.seconds += m_measuredPreparation ? measured->second * all : entries / m.m_rates.number;
    }

    // A structure value sliced to a frame: bytes of the largest batch are held; the time counts once for each function.
    int slice(const StepOperand& operand)
    {
        const auto [known, fresh] = m_slices.try_emplace({operand.value, operand.frame}, static_cast<int>(m.m_slices.size()));
        if (fresh) {
            const double bytes = rowBytes(m_a, operand.value, operand.rowDim);
            m.m_slices.push_back(bytes * frameRows(operand.frame).most);
            const double moved = bytes * frameRows(operand.frame).total;
            cost().prepare += {moved, 0, m_measuredPreparation ? 0 : moved / m.m_rates.slice};
        }
        return known->second;
    }

    // What a placed op reads of structure on node rows, and all that this is computed from.
    void addExtra(PlacedWork& op, const StepOperand& operand)
    {
        const auto [known, fresh] = m_extraIndex.try_emplace(operand.value, static_cast<int>(m.m_extras.size()));
        if (fresh) {
            Extra extra;
            if (operand.kind == OperandKind::Step) {
                const Work work = workOf(m_p, m_p[operand.value].producer, operand.rowDim);
                extra.flops = work.flops;
                extra.bytes = work.kind == WorkKind::View ? 0 : rowBytes(m_a, operand.value, operand.rowDim);
                extra.seconds = std::max(extra.flops / m.m_rates.gemm, 2 * extra.bytes / m.m_rates.elementwise);
                extra.bytes = 0;
            } else {
                extra.bytes = rowBytes(m_a, operand.value, operand.rowDim);
                extra.seconds = extra.bytes / m.m_rates.slice;
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

    void addStep(const Step& step)
    {
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
            work = {WorkKind::Gather, 0, 0, 0};
        else if (m_a.ops[step.op].kind == OpKind::Scatter)
            work.kind = WorkKind::Reduce;
        const RowCount& own = frameRows(step.frame);
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
                addUse(operand, step, use, placed);
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
        const double calls = m.m_rates.opSeconds * rows().batches;
        const auto measured = m.m_profile.opSeconds.find(step.op);
        const bool isMeasured = measured != m.m_profile.opSeconds.end();
        if (placed >= 0) {
            op.reads = std::move(reads);
            op.before = std::exchange(m_waiting, {});
            op.resultBytes = work.kind == WorkKind::View ? 0 : resultBytes;
            op.scratchBytes = work.scratchBytes;
            if (work.kind == WorkKind::Reduce) {
                op.fixed = {0, work.flops * edgeRows, isMeasured ? measured->second * edgeRows : edgeBytes / m.m_rates.segmentReduce};
            } else if (!gathers) {
                op.flops = work.flops;
                op.bytes = work.kind == WorkKind::View ? 0 : ownBytes + resultBytes;
                op.seconds = isMeasured
                                 ? measured->second
                                 : std::max(work.flops / (work.kind == WorkKind::Product ? m.m_rates.gemm : 1e300), op.bytes / m.m_rates.elementwise);
            }
            op.fixed.seconds += isMeasured ? 0 : calls;
            return;
        }
        Amount amount{0, work.flops * own.total, isMeasured ? 0 : calls};
        if (work.kind != WorkKind::View && !gathers) {
            const double bytes = (ownBytes + resultBytes) * own.total + otherBytes;
            amount.seconds += isMeasured
                                  ? measured->second * own.total
                                  : std::max(work.kind == WorkKind::Product ? amount.flops / m.m_rates.gemm : 0, bytes / m.m_rates.elementwise);
        }
        cost().compute += amount;
        FixedStep fixed;
        fixed.isView = work.kind == WorkKind::View || step.kind == StepKind::Forward;
        fixed.mostBytes = fixed.isView ? 0 : resultBytes * own.most;
        fixed.scratchBytes = work.scratchBytes * own.most;
        fixed.reads = std::move(reads);
        const int index = static_cast<int>(m.m_steps.size());
        for (const ValueId output : m_p[step.op].outputs)
            m_fixed[{output, step.frame, step.into}] = index;
        m.m_steps.push_back(std::move(fixed));
        m_waiting.push_back(index);
    }

    void addUse(const StepOperand& operand, const Step& step, Use use, int placed)
    {
        Tensor& t = tensor(operand.value);
        use.op = placed;
        use.rows = frameRows(use.kind == Use::Numbered ? operand.frame : step.frame);
        if (use.kind == Use::Gathered || use.kind == Use::Numbered) {
            const auto measured = m.m_profile.opSeconds.find(step.op);
            const double bytes = use.rows.total * t.bytes;
            use.straightSeconds =
                use.kind == Use::Gathered && measured != m.m_profile.opSeconds.end() ? measured->second * use.rows.total : bytes / m.m_rates.gather;
            use.blockSeconds = 2 * bytes / m.m_rates.elementwise;
        }
        if (m_f->rowsOf.valid()) {
            // An output's rows are read by their own numbers, straight from the store.
            const double bytes = use.rows.total * t.bytes;
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
    std::vector<int> m_waiting;
};

// The most bytes of a batch alive at once: slices and rows of stores are there from the start, everything goes after its last reader.
class CostModel::PeakOf {
public:
    PeakOf(const CostModel& model, const Plan& plan, const std::vector<int>& groups) : m(model), m_plan(plan), m_groups(groups)
    {
        m_first = {0, m.m_ops.size(), m.m_ops.size() + m.m_steps.size(), m.m_ops.size() + m.m_steps.size() + m.m_slices.size()};
        m_last.resize(m_first[3] + m.m_tensors.size());
        m_bytes.resize(m_last.size());
        m_root.resize(m_last.size());
        m_opsOf.resize(m.m_groups.size());
        for (std::size_t i = 0; i < groups.size(); ++i)
            m_opsOf[at(groups[i])].push_back(i);
    }

    // storedRows(tensor): rows that the group holds of a tensor that earlier groups made.
    template <class StoredRows, class IsSaved>
    double batch(int group, StoredRows&& storedRows, IsSaved&& isSaved)
    {
        m_events.clear();
        m_scratch.clear();
        m_reads.clear();
        for (const std::size_t op : m_opsOf[at(group)]) {
            for (const int step : m.m_ops[op].before)
                add(group, m_first[1] + at(step), m.m_steps[at(step)].mostBytes, m.m_steps[at(step)].scratchBytes, m.m_steps[at(step)].isView,
                    m.m_steps[at(step)].reads, storedRows);
            const PlacedWork& work = m.m_ops[op];
            const double rows = m.rowsFor(group, m.hopsOf(m_plan.positions[op])).most;
            add(group, op, work.resultBytes * rows, work.scratchBytes * rows, work.kind == WorkKind::View, work.reads, storedRows);
        }
        const int end = static_cast<int>(m_events.size());
        double now = 0, most = 0;
        std::vector<std::vector<std::size_t>> freed(m_events.size() + 1);
        for (const std::size_t buffer : m_reads) {
            now += m_bytes[buffer];
            freed[at(m_last[buffer])].push_back(buffer);
        }
        for (const std::size_t buffer : m_events)
            if (m_root[buffer] == buffer && buffer >= m_first[1])
                freed[at(m_last[buffer])].push_back(buffer);
            else if (m_root[buffer] == buffer)
                freed[at(isSaved(buffer) ? end : m_last[buffer])].push_back(buffer);
        for (std::size_t k = 0; k < m_events.size(); ++k) {
            if (m_root[m_events[k]] == m_events[k])
                now += m_bytes[m_events[k]];
            most = std::max(most, now + m_scratch[k]);
            for (const std::size_t buffer : freed[k])
                now -= m_bytes[buffer];
        }
        return std::max(most, now);
    }

private:
    template <class StoredRows>
    void add(int group, std::size_t buffer, double bytes, double scratch, bool isView, const std::vector<Ref>& reads, StoredRows&& storedRows)
    {
        const int now = static_cast<int>(m_events.size());
        m_root[buffer] = buffer;
        for (const Ref& ref : reads) {
            std::size_t read = at(ref.index) + m_first[ref.kind == Ref::Fixed ? 1 : ref.kind == Ref::Slice ? 2 : 3];
            const bool isInput = ref.kind != Ref::Fixed;
            if (ref.kind == Ref::Tensor)
                if (const int producer = m.m_tensors[at(ref.index)].producer; producer >= 0 && m_groups[at(producer)] == group) {
                    read = m_root[at(producer)];
                    m_last[read] = now;
                    if (isView)
                        m_root[buffer] = read;
                    continue;
                }
            if (isInput && m_seen.insert({group, read}).second) {
                m_bytes[read] = ref.kind == Ref::Slice ? m.m_slices[at(ref.index)] : storedRows(ref.index) * m.m_tensors[at(ref.index)].bytes;
                m_root[read] = read;
                m_reads.push_back(read);
            }
            read = m_root[read];
            m_last[read] = now;
            if (isView)
                m_root[buffer] = read;
        }
        if (m_root[buffer] == buffer) {
            m_bytes[buffer] = bytes;
            m_last[buffer] = now;
        }
        m_events.push_back(buffer);
        m_scratch.push_back(scratch);
    }

    const CostModel& m;
    const Plan& m_plan;
    const std::vector<int>& m_groups;
    std::array<std::size_t, 4> m_first{};
    std::vector<int> m_last;
    std::vector<double> m_bytes, m_scratch;
    std::vector<std::size_t> m_root, m_events, m_reads;
    std::vector<std::vector<std::size_t>> m_opsOf;
    std::set<std::pair<int, std::size_t>> m_seen;
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

const RowCount& CostModel::rowsFor(int group, int hops) const
{
    const std::vector<RowCount>& reach = rowsOf(group).reach;
    return reach[std::min(at(hops), reach.size() - 1)];
}

double CostModel::rowsAt(Position position) const
{
    return rowsFor(groupOf(position), hopsOf(position)).total;
}

Amount CostModel::opCost(std::size_t placed, Position position) const
{
    const PlacedWork& op = m_ops[placed];
    const double rows = rowsAt(position);
    Amount amount{rows * op.bytes, rows * op.flops, rows * op.seconds};
    amount += op.fixed;
    return amount;
}

double CostModel::readSeconds(const Tensor& tensor, bool wholeBlock, int function) const
{
    const int group = m_groupOfLevel[at(function)];
    const bool inOrder = !wholeBlock && m_counts.order == "natural";
    return rowsFor(group, wholeBlock ? m_groups[at(group)].last - function + 1 : 0).total * tensor.bytes / (inOrder ? m_rates.read : m_rates.gather);
}

double CostModel::fixedSeconds() const
{
    double seconds = 0;
    for (const FunctionCost& f : m_fixed)
        seconds += f.seconds();
    return seconds;
}

PlanCost CostModel::price(const Plan& plan) const
{
    assert(plan.positions.size() == m_ops.size() && plan.joined == m_counts.joined);
    PlanCost cost;
    cost.functions = m_fixed;
    const std::size_t groups = m_groups.size();
    std::vector<int> group(m_ops.size());
    std::set<std::tuple<int, int, int>> extras;
    for (std::size_t i = 0; i < m_ops.size(); ++i) {
        const Position position = plan.positions[i];
        group[i] = groupOf(position);
        FunctionCost& f = cost.functions[at(group[i])];
        cost.ops.push_back(opCost(i, position));
        f.compute += cost.ops.back();
        const int hops = m_ops[i].extras.empty() ? 0 : hopsOf(position);
        for (const int extra : m_ops[i].extras)
            if (extras.insert({extra, group[i], hops}).second) {
                const double rows = rowsFor(group[i], hops).total;
                const Extra& e = m_extras[at(extra)];
                (e.flops > 0 || e.bytes == 0 ? f.compute : f.prepare) += {rows * e.bytes, rows * e.flops, rows * e.seconds};
            }
    }

    // What each group reads of each tensor: the widest nodes, and what is gathered straight or by number.
    struct Reading {
        int tensor = 0, group = 0, hops = -1;
        double straight = 0, straightSeconds = 0, blockSeconds = 0, numberedSeconds = 0, numbered = 0;
    };
    std::vector<Reading> readings;
    std::vector<char> relabelled(m_relabel.size());
    std::vector<int> lastReader(m_tensors.size(), -1);
    std::vector<std::pair<std::size_t, std::size_t>> readingsOf(m_tensors.size());
    for (std::size_t t = 0; t < m_tensors.size(); ++t) {
        const Tensor& tensor = m_tensors[t];
        const int made = tensor.producer < 0 ? -1 : group[at(tensor.producer)];
        readingsOf[t].first = readings.size();
        const auto reading = [&](int g) -> Reading& {
            for (std::size_t r = readingsOf[t].first; r < readings.size(); ++r)
                if (readings[r].group == g)
                    return readings[r];
            readings.push_back({static_cast<int>(t), g});
            return readings.back();
        };
        for (const Use& use : tensor.uses) {
            if (use.kind == Use::ByOutput) {
                Reading& r = reading(use.level);
                r.straight += use.rows.total;
                r.straightSeconds += use.straightSeconds;
                continue;
            }
            const Position position = use.kind == Use::ByOp ? plan.positions[at(use.op)] : Position::post(use.level);
            const int g = groupOf(position);
            if (use.kind == Use::Gathered && g == made) {
                relabelled[at(use.level)] = 1;
                cost.functions[at(g)].compute.seconds += use.blockSeconds;
            } else if (use.kind == Use::Numbered && g == made) {
                cost.functions[at(g)].compute.seconds += use.blockSeconds;
            } else if (g != made) {
                Reading& r = reading(g);
                if (use.kind == Use::Gathered) {
                    r.straight += use.rows.total;
                    r.straightSeconds += use.straightSeconds;
                    r.blockSeconds += use.blockSeconds;
                } else if (use.kind == Use::Numbered) {
                    r.numbered += use.rows.total;
                    r.numberedSeconds += use.straightSeconds;
                } else {
                    r.hops = std::max(r.hops, hopsOf(position));
                }
            }
        }
        readingsOf[t].second = readings.size();
        for (std::size_t r = readingsOf[t].first; r < readings.size(); ++r)
            lastReader[t] = std::max(lastReader[t], readings[r].group);
        if (tensor.isOutput)
            lastReader[t] = static_cast<int>(cost.functions.size());
    }

    // Copying a tensor's rows for the block pays where all its gathers read them from there; the renumbering is shared.
    const auto copySeconds = [&](const Reading& r) {
        const double bytes = m_tensors[at(r.tensor)].bytes;
        const bool natural = m_counts.order == "natural";
        const double read = r.hops == 1 ? 0 : rowsFor(r.group, 1).total * bytes / m_rates.gather;
        const double saved = r.hops == 0 ? rowsFor(r.group, 0).total * bytes / (natural ? m_rates.read : m_rates.gather) : 0;
        return read - saved + r.blockSeconds - r.straightSeconds;
    };
    for (std::size_t g = 0; g < groups; ++g) {
        if (m_groups[g].first != m_groups[g].last)
            continue;
        double gain = relabelled[at(m_groups[g].last)] ? 0 : m_relabel[at(m_groups[g].last)];
        for (const Reading& r : readings)
            if (r.group == static_cast<int>(g) && r.straight > 0)
                gain += std::min(0.0, copySeconds(r));
        for (Reading& r : readings)
            if (gain < 0 && r.group == static_cast<int>(g) && r.straight > 0 && copySeconds(r) < 0) {
                cost.copied.insert({m_groups[g].last, m_tensors[at(r.tensor)].id});
                cost.functions[g].compute.seconds += r.blockSeconds;
                relabelled[at(m_groups[g].last)] = 1;
                r.hops = 1;
                r.straight = r.straightSeconds = 0;
            }
    }
    for (std::size_t level = 0; level < relabelled.size(); ++level)
        if (relabelled[level])
            cost.functions[at(m_groupOfLevel[level])].prepare.seconds += m_relabel[level];

    for (std::size_t t = 0; t < m_tensors.size(); ++t) {
        const Tensor& tensor = m_tensors[t];
        TensorCost saved;
        saved.tensor = tensor.id;
        saved.madeIn = tensor.producer < 0 ? -1 : group[at(tensor.producer)];
        for (std::size_t i = readingsOf[t].first; i < readingsOf[t].second; ++i) {
            const Reading& r = readings[i];
            FunctionCost& f = cost.functions[at(r.group)];
            const auto add = [&](char rows, double count, double seconds) {
                const Amount amount{count * tensor.bytes, 0, seconds};
                f.read += amount;
                saved.reads.push_back({r.group, rows, count, amount});
            };
            if (r.hops >= 0) {
                const double rows = rowsFor(r.group, r.hops).total;
                const bool inOrder = r.hops == 0 && m_counts.order == "natural";
                add(r.hops > 0 ? 'E' : 'V', rows, rows * tensor.bytes / (inOrder ? m_rates.read : m_rates.gather));
            }
            if (r.straight > 0)
                add('M', r.straight, r.straightSeconds);
            if (r.numbered > 0)
                add('M', r.numbered, r.numberedSeconds);
        }
        if (saved.madeIn >= 0 && lastReader[t] > saved.madeIn) {
            saved.write = {static_cast<double>(m_counts.nodes) * tensor.bytes, 0, tensor.writeSeconds};
            cost.functions[at(saved.madeIn)].write += saved.write;
        }
        if (saved.write.bytes > 0 || !saved.reads.empty())
            cost.tensors.push_back(std::move(saved));
    }

    PeakOf peak(*this, plan, group);
    const auto isSaved = [&](std::size_t op) {
        for (const ValueId output : m_space.analysis().program[m_space.ops()[op].op].outputs)
            if (const auto known = m_tensorIndex.find(output); known != m_tensorIndex.end() && lastReader[at(known->second)] > group[op])
                return true;
        return false;
    };
    for (std::size_t g = 0; g < cost.functions.size(); ++g) {
        double bytes = m_counts.structureBytes + m_counts.indexBytes + m_bookkeeping[g];
        for (std::size_t t = 0; t < m_tensors.size(); ++t)
            if (const int producer = m_tensors[t].producer; producer >= 0 && group[at(producer)] <= static_cast<int>(g) &&
                                                            lastReader[t] >= static_cast<int>(g) && lastReader[t] > group[at(producer)])
                bytes += static_cast<double>(m_counts.nodes) * m_tensors[t].bytes;
        if (g < groups) {
            const auto storedRows = [&](int t) {
                for (std::size_t i = readingsOf[at(t)].first; i < readingsOf[at(t)].second; ++i)
                    if (const Reading& r = readings[i]; r.group == static_cast<int>(g))
                        return r.hops > 0 || (r.hops == 0 && m_counts.order != "natural") ? rowsFor(r.group, r.hops).most : 0.0;
                return 0.0;
            };
            bytes += peak.batch(static_cast<int>(g), storedRows, isSaved);
        }
        cost.functions[g].peakBytes = bytes;
    }
    return cost;
}

}  // namespace cleave
