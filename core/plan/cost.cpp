#include "core/plan/cost.h"

#include <algorithm>
#include <cassert>
#include <limits>

#include "core/plan/scattered_rows.h"

namespace cleave {

Amount PlanCost::total() const
{
    Amount all;
    for (const FunctionCost& f : functions)
        for (const Amount& part : {f.prepare, f.read, f.compute, f.write})
            all += part;
    return all;
}

std::vector<FunctionCost::Blocks> blockSeconds(const PlanSpace& space, const Plan& plan, const PlanCost& cost)
{
    const auto isBlocks = [](const FunctionCost& f) { return !f.isGlobal && !f.rowsOf.valid() && f.last > 0; };
    std::vector<FunctionCost::Blocks> blocks(cost.functions.size());
    for (std::size_t i = 0; i < blocks.size(); ++i)
        if (isBlocks(cost.functions[i]))
            blocks[i].compute = cost.functions[i].compute.seconds;
    // What is computed once for each of the function's own rows is not among them.
    for (std::size_t k = 0; k < cost.ops.size(); ++k) {
        const Position at = plan.positions[k];
        for (std::size_t i = 0; i < blocks.size(); ++i)
            if (isBlocks(cost.functions[i]) && space.ops()[k].movable && !at.isPre() && cost.functions[i].last == at.function())
                blocks[i].compute = std::max(0.0, blocks[i].compute - cost.ops[k].seconds);
    }
    for (const TensorCost& tensor : cost.tensors)
        for (const TensorRead& read : tensor.reads)
            if (const auto i = static_cast<std::size_t>(read.function); read.rows != 'V' && isBlocks(cost.functions[i]))
                blocks[i].read = std::min(cost.functions[i].read.seconds, blocks[i].read + read.amount.seconds);
    return blocks;
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
    double most = preparationBytes;
    for (const FunctionCost& f : functions)
        most = std::max(most, f.peakBytes);
    return most;
}

// The most bytes of batches alive at once: slices and rows of stores are there from the start, everything goes after its last reader.
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

    struct Peak {
        double most = 0;
        double atEnd = 0;  // rows that are saved
    };

    // when: in the first batch or later. storedRows(tensor): rows that the group holds of a tensor that earlier groups made.
    template <class StoredRows, class IsSaved>
    Peak batch(int group, double AtOnce::*when, StoredRows&& storedRows, IsSaved&& isSaved)
    {
        m_when = when;
        m_events.clear();
        m_scratch.clear();
        m_reads.clear();
        m_seen.clear();
        for (const std::size_t op : m_opsOf[at(group)]) {
            std::vector<std::size_t> held;  // what steps read that are part of a program, and so run when it does: at the op behind them
            for (const int step : m.m_ops[op].before) {
                add(group, m_first[1] + at(step), m.m_steps[at(step)].bytes.*when, m.m_steps[at(step)].scratch.*when, m.m_steps[at(step)].isView,
                    m.m_steps[at(step)].reads, storedRows);
                if (m.m_steps[at(step)].isAbsorbed)
                    held.insert(held.end(), m_read.begin(), m_read.end());
            }
            const PlacedWork& work = m.m_ops[op];
            const Position position = m_plan.positions[op];
            const double rows = m.rowsFor(group, m.typeAt(position), m.hopsOf(position)).atOnce.*when;
            add(group, op, work.resultBytes * rows, work.scratchBytes * rows, work.kind == WorkKind::View, work.reads, storedRows);
            for (const std::size_t buffer : held)
                m_last[buffer] = static_cast<int>(m_events.size()) - 1;
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
        return {std::max(most, now), now};
    }

private:
    template <class StoredRows>
    void add(int group, std::size_t buffer, double bytes, double scratch, bool isView, const std::vector<Ref>& reads, StoredRows&& storedRows)
    {
        const int now = static_cast<int>(m_events.size());
        m_root[buffer] = buffer;
        m_read.clear();
        for (const Ref& ref : reads) {
            std::size_t read = at(ref.index) + m_first[ref.kind == Ref::Fixed ? 1 : ref.kind == Ref::Slice ? 2 : 3];
            const bool isInput = ref.kind != Ref::Fixed;
            if (ref.kind == Ref::Tensor)
                if (const int producer = m.m_tensors[at(ref.index)].producer; producer >= 0 && m_groups[at(producer)] == group) {
                    read = m_root[at(producer)];
                    m_last[read] = now;
                    m_read.push_back(read);
                    if (isView)
                        m_root[buffer] = read;
                    continue;
                }
            if (isInput && m_seen.insert(read).second) {
                m_bytes[read] = ref.kind == Ref::Slice ? m.m_slices[at(ref.index)].*m_when : storedRows(ref.index) * m.m_tensors[at(ref.index)].bytes;
                m_root[read] = read;
                m_reads.push_back(read);
            }
            read = m_root[read];
            m_last[read] = now;
            m_read.push_back(read);
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
    std::vector<std::size_t> m_read;  // by the step that was added last
    std::vector<std::vector<std::size_t>> m_opsOf;
    std::set<std::size_t> m_seen;
    double AtOnce::*m_when = nullptr;
};

RowCount CostModel::rowsFor(int group, int nodeType, int hops) const
{
    const std::vector<RowCount>& reach = rowsOf(group).reach[at(nodeType)];
    if (reach.empty()) {
        const double nodes = m_counts.nodesOf(nodeType);
        return {nodes * rowsOf(group).batches, {nodes, nodes}};
    }
    return reach[std::min(at(hops), reach.size() - 1)];
}

bool CostModel::isWhole(const FunctionRows& rows, int nodeType) const
{
    const std::vector<RowCount>& reach = rows.reach[at(nodeType)];
    return isInOrder(rows) && rows.batches <= 1 && !reach.empty() && reach.front().total >= m_counts.nodesOf(nodeType);
}

double CostModel::rowsAt(Position position) const
{
    return rowsFor(groupOf(position), typeAt(position), hopsOf(position)).total;
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
    return nodeSeconds(tensor, group, wholeBlock ? m_groups[at(group)].last - function + 1 : 0);
}

bool CostModel::isInOrder(int group, int hops) const
{
    const FunctionRows& rows = rowsOf(group);
    return (hops == 0 && isInOrder(rows)) || isWhole(rows, m_space.analysis().typeOf(m_groups[at(group)].last));
}

double CostModel::nodeSeconds(const Tensor& tensor, int group, int hops) const
{
    return rowsFor(group, tensor.nodeType, hops).total * tensor.bytes / (isInOrder(group, hops) ? m_rates.read : m_rates.gather);
}

double CostModel::writeSeconds(const Tensor& tensor, int function) const
{
    const int group = m_groupOfLevel[at(function)];
    const double nodes = m_counts.nodesOf(tensor.nodeType);
    // The results of a single batch are the store's rows as they are.
    const bool isCopied = static_cast<double>(m_counts.batchSize) < nodes || !isInOrder(rowsOf(group));
    return isCopied ? tensor.writeSeconds * rowsFor(group, tensor.nodeType, 0).total / std::max(1.0, nodes) : 0;
}

double CostModel::fixedSeconds() const
{
    double seconds = 0;
    for (const FunctionCost& f : m_fixed)
        seconds += f.seconds();
    return seconds;
}

// One plan's cost: what each function reads of each tensor follows from the positions, the rest from that.
class CostModel::Pricing {
public:
    Pricing(const CostModel& model, const Plan& plan) : m(model), m_plan(plan)
    {
        m_cost.functions = m.m_fixed;
        m_cost.preparationBytes = m.m_counts.structure.preparation;
        m_relabelled.resize(m.m_relabel.size());
        m_lastTurn.assign(m.m_tensors.size(), -1);
        m_readingsOf.resize(m.m_tensors.size());
    }

    // Without peaks of memory, which take the longest, for those who look for the fastest plan.
    PlanCost run(bool withPeaks)
    {
        addOps();
        for (std::size_t t = 0; t < m.m_tensors.size(); ++t)
            findReadings(static_cast<int>(t));
        for (std::size_t t = 0; t < m.m_tensors.size(); ++t)
            for (int shown = m.m_tensors[t].viewOf; shown >= 0; shown = m.m_tensors[at(shown)].viewOf)
                m_lastTurn[at(shown)] = std::max(m_lastTurn[at(shown)], m_lastTurn[t]);
        for (std::size_t g = 0; g < m.m_groups.size(); ++g)
            if (m.m_groups[g].first == m.m_groups[g].last)
                chooseCopies(static_cast<int>(g));
        for (std::size_t level = 0; level < m_relabelled.size(); ++level)
            if (m_relabelled[level])
                m_cost.functions[at(m.m_groupOfLevel[level])].prepare.seconds += m.m_relabel[level];
        for (std::size_t t = 0; t < m.m_tensors.size(); ++t)
            addTensor(t);
        if (withPeaks)
            addPeaks();
        return std::move(m_cost);
    }

private:
    // What a group reads of a tensor: the widest nodes (hops; -1 for none), and what is gathered straight or by number.
    struct Reading {
        int tensor = 0, group = 0, hops = -1;
        double straight = 0, straightSeconds = 0, blockSeconds = 0, numberedSeconds = 0, numbered = 0;
        AtOnce numberedAtOnce = {};
    };

    void addOps()
    {
        std::set<std::tuple<int, int, int, int>> extras;
        for (std::size_t i = 0; i < m.m_ops.size(); ++i) {
            const Position position = m_plan.positions[i];
            m_group.push_back(m.groupOf(position));
            FunctionCost& f = m_cost.functions[at(m_group[i])];
            m_cost.ops.push_back(m.opCost(i, position));
            f.compute += m_cost.ops.back();
            for (const int extra : m.m_ops[i].extras)
                if (const int hops = m.hopsOf(position), type = m.typeAt(position); extras.insert({extra, m_group[i], type, hops}).second) {
                    const double rows = m.rowsFor(m_group[i], type, hops).total;
                    const auto& [isComputed, amount] = m.m_extras[at(extra)];
                    (isComputed ? f.compute : f.prepare) += {rows * amount.bytes, rows * amount.flops, rows * amount.seconds};
                }
        }
    }

    int madeIn(const Tensor& tensor) const { return tensor.producer < 0 ? tensor.global : m_group[at(tensor.producer)]; }
    int turn(int function) const { return function < 0 ? -1 : m.m_turn[at(function)]; }

    Reading& reading(int tensor, int group)
    {
        for (std::size_t r = m_readingsOf[at(tensor)].first; r < m_readings.size(); ++r)
            if (m_readings[r].group == group)
                return m_readings[r];
        m_readings.push_back({tensor, group});
        return m_readings.back();
    }

    void findReadings(int t)
    {
        const Tensor& tensor = m.m_tensors[at(t)];
        auto& [first, last] = m_readingsOf[at(t)];
        first = m_readings.size();
        for (const Use& use : tensor.uses)
            addUse(t, use);
        last = m_readings.size();
        for (std::size_t r = first; r < last; ++r)
            m_lastTurn[at(t)] = std::max(m_lastTurn[at(t)], turn(m_readings[r].group));
        if (tensor.isOutput)
            m_lastTurn[at(t)] = std::numeric_limits<int>::max();
    }

    void addUse(int t, const Use& use)
    {
        if (use.kind == Use::ByOutput) {
            Reading& r = reading(t, use.level);
            r.straight += use.rows.total;
            r.straightSeconds += use.straightSeconds;
            return;
        }
        const Position position = use.kind == Use::ByOp ? m_plan.positions[at(use.op)] : Position::post(use.level);
        const int group = m.groupOf(position);
        if (group == madeIn(m.m_tensors[at(t)])) {
            if (use.kind == Use::Gathered)
                m_relabelled[at(use.level)] = 1;
            if (use.kind == Use::Gathered || use.kind == Use::Numbered)
                m_cost.functions[at(group)].compute.seconds += use.blockSeconds;
            return;
        }
        Reading& r = reading(t, group);
        if (use.kind == Use::Gathered) {
            r.straight += use.rows.total;
            r.straightSeconds += use.straightSeconds;
            r.blockSeconds += use.blockSeconds;
        } else if (use.kind == Use::Numbered) {
            r.numbered += use.rows.total;
            r.numberedSeconds += use.straightSeconds;
            r.numberedAtOnce = r.numberedAtOnce + use.rows.atOnce;
        } else {
            r.hops = std::max(r.hops, m.hopsOf(position));
        }
    }

    RowCount rowsOf(const Reading& r, int hops) const { return m.rowsFor(r.group, m.m_tensors[at(r.tensor)].nodeType, hops); }

    double nodeSeconds(const Reading& r, int hops) const { return m.nodeSeconds(m.m_tensors[at(r.tensor)], r.group, hops); }

    // More seconds with all gathers of the group reading a copy of the block's rows than straight from the store; negative where that pays.
    double copySeconds(const Reading& r) const
    {
        const double read = r.hops == 1 ? 0 : nodeSeconds(r, 1), saved = r.hops == 0 ? nodeSeconds(r, 0) : 0;
        return read - saved + r.blockSeconds - r.straightSeconds;
    }

    // The renumbering that copies need is shared by all of a message passing.
    void chooseCopies(int group)
    {
        const int level = m.m_groups[at(group)].last;
        const auto mayBeCopied = [&](const Reading& r) {
            return r.group == group && r.straight > 0 && m.mayBeCopied(m.m_tensors[at(r.tensor)], level) && copySeconds(r) < 0;
        };
        double gain = m_relabelled[at(level)] ? 0 : m.m_relabel[at(level)];
        for (const Reading& r : m_readings)
            if (mayBeCopied(r))
                gain += copySeconds(r);
        if (gain >= 0)
            return;
        for (Reading& r : m_readings)
            if (mayBeCopied(r)) {
                m_cost.copied.insert({level, m.m_tensors[at(r.tensor)].id});
                m_cost.functions[at(group)].compute.seconds += r.blockSeconds;
                m_relabelled[at(level)] = 1;
                r.hops = 1;
                r.straight = r.straightSeconds = 0;
            }
    }

    void addTensor(std::size_t t)
    {
        const Tensor& tensor = m.m_tensors[t];
        TensorCost saved;
        saved.tensor = tensor.id;
        saved.madeIn = madeIn(tensor);
        for (std::size_t i = m_readingsOf[t].first; i < m_readingsOf[t].second; ++i) {
            const Reading& r = m_readings[i];
            const auto add = [&](char rows, double count, double seconds) {
                const Amount amount{count * tensor.bytes, 0, seconds};
                FunctionCost& function = m_cost.functions[at(r.group)];
                function.read += amount;
                saved.reads.push_back({r.group, function.isGlobal ? 'V' : rows, count, amount});
            };
            if (r.hops >= 0)
                add(r.hops > 0 ? 'E' : 'V', rowsOf(r, r.hops).total, nodeSeconds(r, r.hops));
            if (r.straight > 0)
                add('M', r.straight, r.straightSeconds);
            if (r.numbered > 0)
                add('M', r.numbered, r.numberedSeconds);
        }
        if (isSaved(t) && tensor.producer >= 0) {
            const double rows = m.rowsFor(saved.madeIn, tensor.nodeType, 0).total;
            saved.write = {rows * tensor.bytes, 0, m.writeSeconds(tensor, m.m_groups[at(saved.madeIn)].last)};
            m_cost.functions[at(saved.madeIn)].write += saved.write;
        } else if (isSaved(t) && m.m_space.analysis().values[tensor.id].rows == Rows::Nodes) {
            saved.write.bytes = m.m_counts.nodesOf(tensor.nodeType) * tensor.bytes;  // a global op hands it on; counted with its function
        }
        if (saved.write.bytes > 0 || !saved.reads.empty())
            m_cost.tensors.push_back(std::move(saved));
    }

    bool isSaved(std::size_t t) const
    {
        const int made = madeIn(m.m_tensors[t]);
        return made >= 0 && m_lastTurn[t] > turn(made);
    }

    bool makesSaved(std::size_t op) const
    {
        return std::ranges::any_of(m.m_space.analysis().program[m.m_space.ops()[op].op].outputs, [&](ValueId output) {
            const auto known = m.m_tensorIndex.find(output);
            return known != m.m_tensorIndex.end() && isSaved(at(known->second));
        });
    }

    // Of a save point in memory.
    double storeBytes(const Tensor& tensor) const
    {
        const double bytes = m.m_counts.nodesOf(tensor.nodeType) * tensor.keptBytes;
        const int made = madeIn(tensor);
        const bool areSome = made < static_cast<int>(m.m_groups.size()) && !m.rowsOf(made).areInOrder;
        return areSome ? touchedBytes(bytes, tensor.keptBytes, m.rowsFor(made, tensor.nodeType, 0).total) : bytes;
    }

    // What is kept as bfloat16 is read into rows of float32.
    bool isWidened(std::size_t t) const { return m.m_counts.keeping.isNarrow && isSaved(t) && m.m_tensors[t].keptBytes < m.m_tensors[t].bytes; }

    // Rows of the largest batch that a function holds of a tensor of the store; those that follow each other there are a view of it.
    AtOnce heldRows(int group, int t) const
    {
        for (std::size_t i = m_readingsOf[at(t)].first; i < m_readingsOf[at(t)].second; ++i)
            if (const Reading& r = m_readings[i]; r.group == group) {
                const bool isView = r.hops < 0 || (m.isInOrder(group, r.hops) && !isWidened(at(t)));
                return isView ? r.numberedAtOnce : rowsOf(r, r.hops).atOnce + r.numberedAtOnce;
            }
        return {};
    }

    int lastTurn(const OfGraph& given) const
    {
        if (given.isOutput)
            return std::numeric_limits<int>::max();
        int last = -1;
        for (const int function : given.functions)
            last = std::max(last, turn(function));
        for (const int op : given.ops)
            last = std::max(last, turn(m_group[at(op)]));
        return last > turn(given.madeIn) ? last : -1;
    }

    // Stores of what a function saves are made when its first batch is done.
    void addPeaks()
    {
        PeakOf peak(m, m_plan, m_group);
        for (std::size_t f = 0; f < m_cost.functions.size(); ++f) {
            const int group = static_cast<int>(f);
            const double structure = m.m_counts.structure.read + m.m_counts.structure.index;
            double before = structure, own = 0;  // of stores
            for (std::size_t t = 0; t < m.m_tensors.size(); ++t)
                if (isSaved(t) && turn(madeIn(m.m_tensors[t])) <= turn(group) && m_lastTurn[t] >= turn(group))
                    (turn(madeIn(m.m_tensors[t])) < turn(group) ? before : own) += storeBytes(m.m_tensors[t]);
            for (const auto& [value, given] : m.m_ofGraph)
                if (turn(given.madeIn) <= turn(group) && lastTurn(given) >= turn(group))
                    (turn(given.madeIn) < turn(group) ? before : own) += given.bytes;
            double most = before + own;
            if (f < m.m_groups.size()) {
                const auto batch = [&](double AtOnce::*when) {
                    return peak.batch(
                        group, when, [&](int t) { return heldRows(group, t).*when; }, [&](std::size_t op) { return makesSaved(op); });
                };
                // Of a single batch, the rows that it saves are the store, if that keeps them as they are.
                const PeakOf::Peak first = batch(&AtOnce::first);
                const bool isOnly = m.rowsOf(group).batches <= 1 && !m.m_counts.keeping.isNarrow && !m.m_counts.keeping.inFiles;
                most = std::max(before + m.m_bookkeeping[f].first + first.most, most + (isOnly ? 0 : m.m_bookkeeping[f].first + first.atEnd));
                if (!isOnly)
                    most = std::max(most, before + own + m.m_bookkeeping[f].later + batch(&AtOnce::later).most);
            } else {
                most += m.m_bookkeeping[f].most();
            }
            m_cost.functions[f].peakBytes = most;
        }
    }

    const CostModel& m;
    const Plan& m_plan;
    PlanCost m_cost;
    std::vector<int> m_group;  // of each placed op
    std::vector<Reading> m_readings;
    std::vector<std::pair<std::size_t, std::size_t>> m_readingsOf;  // of each tensor: first and behind the last
    std::vector<int> m_lastTurn;                                    // of each tensor: when it is read last
    std::vector<char> m_relabelled;                                 // by message passing
};

PlanCost CostModel::price(const Plan& plan) const
{
    assert(plan.positions.size() == m_ops.size() && plan.joined == m_counts.joined);
    return Pricing(*this, plan).run(true);
}

double CostModel::seconds(const Plan& plan) const
{
    assert(plan.positions.size() == m_ops.size() && plan.joined == m_counts.joined);
    return Pricing(*this, plan).run(false).seconds();
}

}  // namespace cleave
