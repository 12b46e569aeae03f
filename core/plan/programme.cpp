#include "core/plan/programme.h"

#include <CoinPackedMatrix.hpp>
#include <OsiClpSolverInterface.hpp>
#include <OsiCuts.hpp>

#include <algorithm>
#include <limits>
#include <optional>

namespace cleave {

Programme::Linear& Programme::Linear::add(const Linear& other, double factor)
{
    constant += factor * other.constant;
    for (const auto& [column, value] : other.terms)
        terms.emplace_back(column, factor * value);
    return *this;
}

void Programme::Linear::simplify()
{
    std::ranges::sort(terms);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < terms.size(); ++i)
        if (kept > 0 && terms[kept - 1].first == terms[i].first)
            terms[kept - 1].second += terms[i].second;
        else
            terms[kept++] = terms[i];
    terms.resize(kept);
    std::erase_if(terms, [](const auto& term) { return term.second == 0; });
}

Programme::Programme(const CostModel& costs, const Plan& start) : m_costs(costs), m_space(costs.space()), m_start(start)
{
    findRanges();
    // Where functions compute different rows, what one operand is enough for may be cheaper in a later one.
    if (!rowsVary())
        contract();
    addPositions();
    addArrows();
    addGroups();
    addWork();
    addTensors();
    m_objective.simplify();
}

void Programme::load(OsiClpSolverInterface& solver, double scale) const
{
    CoinPackedMatrix matrix(false, 0, 0);
    matrix.setDimensions(0, m_columns);
    std::vector<CoinBigIndex> starts{0};
    std::vector<int> columns;
    std::vector<double> values, lower, upper;
    for (const auto& [row, isEqual] : m_rows) {
        for (const auto& [column, value] : row.terms) {
            columns.push_back(column);
            values.push_back(value);
        }
        starts.push_back(static_cast<CoinBigIndex>(columns.size()));
        lower.push_back(-row.constant);
        upper.push_back(isEqual ? -row.constant : solver.getInfinity());
    }
    matrix.appendRows(static_cast<int>(m_rows.size()), starts.data(), columns.data(), values.data());
    std::vector<double> least(at(m_columns), 0), most(at(m_columns), 1), objective(at(m_columns), 0);
    for (const auto& [column, value] : m_objective.terms)
        objective[at(column)] = value * scale;
    solver.loadProblem(matrix, least.data(), most.data(), objective.data(), lower.data(), upper.data());
    for (int column = 0; column < m_decisions; ++column)
        solver.setInteger(column);
}

// Rows that every plan keeps and this solution does not: a tensor is written unless producer and reader share a function, whichever
// functions are looked at.
int Programme::cutOff(OsiClpSolverInterface& solver) const
{
    const std::vector<double> solution(solver.getColSolution(), solver.getColSolution() + solver.getNumCols());
    const auto value = [&](const Linear& sum) {
        double total = sum.constant;
        for (const auto& [column, factor] : sum.terms)
            total += factor * solution[at(column)];
        return total;
    };
    OsiCuts cuts;
    for (const Crossing& crossing : m_crossings) {
        Linear row = of(crossing.written);
        for (int f = crossing.first; f <= crossing.last; ++f) {
            const Linear apart = inFunction(crossing.producer, f) - inFunction(crossing.reader, f);
            if (value(apart) > 1e-7)
                row.add(apart, -1);
        }
        if (value(row) > -1e-5)
            continue;
        row.simplify();
        OsiRowCut cut;
        CoinPackedVector entries;
        for (const auto& [column, factor] : row.terms)
            entries.insert(column, factor);
        cut.setRow(entries);
        cut.setLb(-row.constant);
        cut.setUb(solver.getInfinity());
        cuts.insert(cut);
    }
    solver.applyCuts(cuts);
    return cuts.sizeRowCuts();
}

// Arrows, companions and the order of positions only say that one number is not below another, so cutting a fractional solution off at
// any height gives a legal plan.
Plan Programme::plan(const double* solution, double height) const
{
    Plan found = m_start;
    for (std::size_t i = 0; i < m_low.size(); ++i) {
        const std::size_t root = at(m_root[i]);
        int position = m_low[root];
        for (int p = m_low[root]; p < m_high[root]; ++p)
            if (const int column = m_column[root][at(p - m_low[root])]; solution[column] > height)
                position = p + 1;
        found.positions[i] = {position};
    }
    return found;
}

void Programme::findRanges()
{
    const auto& ops = m_space.ops();
    m_root.resize(ops.size());
    for (std::size_t i = 0; i < ops.size(); ++i) {
        m_root[i] = static_cast<int>(i);
        int low = ops[i].least.at, high = ops[i].most.at;
        if (const auto pin = m_start.constraints.pinned(ops[i].op)) {
            low = std::max(low, *pin == 0 ? 0 : Position::pre(*pin).at);
            high = std::min(high, Position::post(*pin).at);
        }
        m_low.push_back(low);
        m_high.push_back(high);
    }
    // Companions and arrows narrow each other until nothing changes.
    std::map<OpId, std::vector<int>> groups;
    for (std::size_t i = 0; i < ops.size(); ++i)
        groups[m_start.constraints.group(ops[i].op)].push_back(static_cast<int>(i));
    std::erase_if(groups, [](const auto& group) { return group.second.size() < 2; });
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t i = 0; i < ops.size(); ++i)
            for (const int read : ops[i].reads)
                if (m_low[at(read)] > m_low[i]) {
                    m_low[i] = m_low[at(read)];
                    changed = true;
                }
        for (std::size_t i = ops.size(); i-- > 0;)
            for (const int reader : ops[i].readers)
                if (m_high[at(reader)] < m_high[i]) {
                    m_high[i] = m_high[at(reader)];
                    changed = true;
                }
        for (const auto& [first, members] : groups) {
            int low = 0, high = std::numeric_limits<int>::max();
            for (const int i : members) {
                low = std::max(low, Position{m_low[at(i)]}.function());
                high = std::min(high, Position{m_high[at(i)]}.function());
            }
            for (const int i : members) {
                const int least = low == 0 ? 0 : 2 * low - 1, most = 2 * high;
                changed = changed || m_low[at(i)] < least || m_high[at(i)] > most;
                m_low[at(i)] = std::max(m_low[at(i)], least);
                m_high[at(i)] = std::min(m_high[at(i)], most);
            }
        }
    }
    for (const auto& [first, members] : groups)
        for (const int i : members)
            m_grouped.insert(i);
    m_groups = std::move(groups);
    // Before the message passing only what its gathers read in the end.
    m_gatheredAt.resize(ops.size());
    for (const CostModel::Tensor& tensor : m_costs.tensors())
        for (const CostModel::Use& use : tensor.uses)
            if (use.kind == CostModel::Use::Gathered && tensor.producer >= 0)
                m_gatheredAt[at(tensor.producer)].insert(use.level);
    for (std::size_t i = ops.size(); i-- > 0;)
        for (const int reader : ops[i].readers)
            m_gatheredAt[i].insert(m_gatheredAt[at(reader)].begin(), m_gatheredAt[at(reader)].end());
}

bool Programme::rowsVary() const
{
    std::map<int, double> rows;  // by node type
    for (int f = 0; f < m_space.functions(); ++f) {
        const double here = m_costs.rowsAt(Position::post(f));
        if (rows.try_emplace(m_space.analysis().typeOf(f), here).first->second != here)
            return true;
    }
    return false;
}

// An op whose one operand has no other reader stands where that is made, if it makes rows no wider.
void Programme::contract()
{
    const auto& ops = m_space.ops();
    std::vector<std::vector<const CostModel::Tensor*>> reads(ops.size()), made(ops.size());
    for (const CostModel::Tensor& tensor : m_costs.tensors()) {
        if (tensor.producer >= 0)
            made[at(tensor.producer)].push_back(&tensor);
        for (const CostModel::Use& use : tensor.uses)
            if (use.op >= 0)
                reads[at(use.op)].push_back(&tensor);
    }
    for (std::size_t i = 0; i < ops.size(); ++i) {
        if (!ops[i].movable || reads[i].size() != 1 || made[i].size() != 1 || !m_costs.extrasOf(i).empty())
            continue;
        const CostModel::Tensor &from = *reads[i].front(), &to = *made[i].front();
        if (from.producer < 0 || from.uses.size() != 1 || from.isOutput || made[at(from.producer)].size() != 1 || to.bytes > from.bytes ||
            to.writeSeconds > from.writeSeconds || isConstrained(i) || isConstrained(at(from.producer)))
            continue;
        if (m_low[i] > m_low[at(m_root[at(from.producer)])])
            continue;  // it waits for more than its operand
        m_root[i] = m_root[at(from.producer)];
    }
}

bool Programme::isConstrained(std::size_t i) const
{
    return m_grouped.contains(static_cast<int>(i)) || m_start.constraints.pinned(m_space.ops()[i].op).has_value();
}

bool Programme::mayStandAt(std::size_t i, int p) const
{
    const Position position{p};
    if (!m_space.isOpenTo(m_space.ops()[i], position))
        return p == m_high[i];
    return !position.isPre() || m_gatheredAt[i].contains(position.function()) || m_grouped.contains(static_cast<int>(i)) || p == m_high[i];
}

void Programme::addPositions()
{
    m_column.resize(m_low.size());
    for (std::size_t i = 0; i < m_low.size(); ++i) {
        if (m_root[i] != static_cast<int>(i))
            continue;
        // An op that cannot stand at p + 1 is after p only if it is after p + 1.
        for (int p = m_low[i]; p < m_high[i]; ++p)
            m_column[i].push_back(-1);
        for (int p = m_high[i] - 1; p >= m_low[i]; --p) {
            const std::size_t slot = at(p - m_low[i]);
            m_column[i][slot] = p + 1 < m_high[i] && !mayStandAt(i, p + 1) ? m_column[i][slot + 1] : m_decisions++;
        }
    }
    m_columns = m_decisions;
    for (std::size_t i = 0; i < m_low.size(); ++i)
        if (m_root[i] == static_cast<int>(i))
            for (int p = m_low[i]; p + 1 < m_high[i]; ++p)
                if (m_column[i][at(p - m_low[i])] != m_column[i][at(p + 1 - m_low[i])])
                    atLeast(after(static_cast<int>(i), p) - after(static_cast<int>(i), p + 1));
}

Programme::Linear Programme::after(int op, int p) const
{
    const std::size_t root = at(m_root[at(op)]);
    if (p < m_low[root])
        return constant(1);
    if (p >= m_high[root])
        return constant(0);
    return {0, {{m_column[root][at(p - m_low[root])], 1}}};
}

// Whether an op runs in a function after this one; inputs are made before all.
Programme::Linear Programme::later(int op, int function) const { return op < 0 ? constant(0) : after(op, 2 * function); }
Programme::Linear Programme::standsAt(int op, int p) const { return after(op, p - 1) - after(op, p); }
Programme::Linear Programme::inFunction(int op, int f) const { return after(op, 2 * f - 2) - after(op, 2 * f); }

// row >= 0
void Programme::atLeast(Linear row, bool isEqual)
{
    row.simplify();
    if (!row.terms.empty())
        m_rows.emplace_back(std::move(row), isEqual);
}

int Programme::column(double seconds)
{
    m_objective.terms.emplace_back(m_columns, seconds);
    return m_columns++;
}

void Programme::addArrows()
{
    const auto& ops = m_space.ops();
    for (std::size_t v = 0; v < ops.size(); ++v)
        for (const int u : ops[v].reads)
            if (m_root[v] != m_root[at(u)])
                for (int p = std::max(m_low[at(m_root[v])], m_low[at(m_root[at(u)])]); p < m_high[at(m_root[at(u)])]; ++p)
                    atLeast(after(static_cast<int>(v), p) - after(u, p));
}

void Programme::addGroups()
{
    for (const auto& [first, members] : m_groups)
        for (std::size_t k = 1; k < members.size(); ++k)
            for (int f = 0; f < m_space.functions(); ++f)
                atLeast(later(members[0], f) - later(members[k], f), true);
}

void Programme::addWork()
{
    std::map<std::pair<int, int>, int> extraColumns;
    for (std::size_t i = 0; i < m_low.size(); ++i) {
        const std::size_t root = at(m_root[i]);
        for (int p = m_low[root]; p <= m_high[root]; ++p) {
            const Amount work = m_costs.opCost(i, {p});
            m_objective.add(standsAt(static_cast<int>(i), p), work.seconds);
            for (const int extra : m_costs.extrasOf(i)) {
                const Linear here = standsAt(static_cast<int>(i), p);
                const auto [known, fresh] = extraColumns.try_emplace({extra, p}, -1);
                if (fresh)
                    known->second = column(m_costs.extras()[at(extra)].amount.seconds * m_costs.rowsAt({p}));
                atLeast(of(known->second) - here);
            }
        }
    }
    m_objective.constant += m_costs.fixedSeconds();
}

Programme::Range Programme::functionsOf(int op) const
{
    const std::size_t root = at(m_root[at(op)]);
    return {Position{m_low[root]}.function(), Position{m_high[root]}.function()};
}

int Programme::relabelled(int function)
{
    int& known = m_relabelled[at(function)];
    if (known < 0)
        known = column(m_costs.relabelSeconds(function));
    return known;
}

// The terms of one tensor of the store: when it is written, and what each function reads of it.
class Programme::StoredTensor {
public:
    StoredTensor(Programme& programme, const CostModel::Tensor& tensor)
        : m(programme), m_tensor(tensor), m_maker(tensor.producer), m_made(m_maker < 0 ? Range{0, 0} : m.functionsOf(m_maker))
    {
        m_isAlwaysWritten =
            tensor.isOutput || std::ranges::any_of(tensor.uses, [](const CostModel::Use& use) { return use.kind == CostModel::Use::ByOutput; });
    }

    void add()
    {
        findWriteSeconds();
        for (const CostModel::Use& use : m_tensor.uses)
            addUse(use);
        if (m_maker >= 0 && m_isAlwaysWritten)
            addWrites();
        for (const auto& [function, seconds] : m_gathered)
            addGathers(function, seconds);
    }

private:
    struct GatherSeconds {
        double straight = 0, fromBlock = 0;
    };

    void findWriteSeconds()
    {
        std::optional<double> known;
        for (int f = m_made.first; m_maker >= 0 && f <= m_made.last; ++f) {
            Linear made = m.inFunction(m_maker, f);
            made.simplify();
            if (made.terms.empty() && made.constant == 0)
                continue;  // it cannot stand there
            const double seconds = m.m_costs.writeSeconds(m_tensor, f);
            m_isSameAnywhere = m_isSameAnywhere && known.value_or(seconds) == seconds;
            known = seconds;
        }
        m_writeSeconds = known.value_or(0);
    }

    void addUse(const CostModel::Use& use)
    {
        switch (use.kind) {
        case CostModel::Use::ByOutput:
            m.m_objective.constant += use.straightSeconds;
            break;
        case CostModel::Use::Numbered:
            m.m_objective.constant += use.straightSeconds;
            m.m_objective.add(m.later(m_maker, use.level - 1), use.blockSeconds - use.straightSeconds);
            writeBefore(use.level);
            break;
        case CostModel::Use::AtTargets:
            atLeast(of(read(use.level)) - constant(1) + m.later(m_maker, use.level - 1));
            writeBefore(use.level);
            break;
        case CostModel::Use::Gathered:
            m_gathered[use.level].straight += use.straightSeconds;
            m_gathered[use.level].fromBlock += use.blockSeconds;
            writeBefore(use.level);
            break;
        case CostModel::Use::ByOp:
            if (m_maker < 0 || m.m_root[at(use.op)] != m.m_root[at(m_maker)])
                addReader(use.op);
            break;
        }
    }

    // An op, wherever it may stand after the one that makes the tensor.
    void addReader(int op)
    {
        const std::size_t root = at(m.m_root[at(op)]);
        const auto [first, last] = m.functionsOf(op);
        for (int f = first; f <= last; ++f) {
            const Linear made = m.later(m_maker, f - 1);
            if (made.terms.empty() && made.constant == 1)
                continue;
            atLeast(of(read(f)) - m.inFunction(op, f) + made);
            const int pre = Position::pre(f).at;
            if (f > 0 && pre >= m.m_low[root] && pre <= m.m_high[root])
                atLeast(of(readByBlock(f)) - m.standsAt(op, pre) + made);
        }
        writeFor(op, last);
        if (m_written >= 0 && last > m_made.first + 1)
            m.m_crossings.push_back({m_written, m_maker, op, m_made.first, last});
    }

    bool mayStayUnwritten() const { return m_maker >= 0 && !m_isAlwaysWritten; }

    // Before a function that reads it.
    void writeBefore(int function)
    {
        if (!mayStayUnwritten())
            return;
        if (m_isSameAnywhere) {
            atLeast(of(written()) - constant(1) + m.later(m_maker, function - 1));
            return;
        }
        for (int f = m_made.first; f <= std::min(m_made.last, function - 1); ++f)
            atLeast(of(writtenIn(f)) - m.inFunction(m_maker, f));
    }

    // Before the function of an op that reads it, which is `last` or an earlier one.
    void writeFor(int op, int last)
    {
        if (!mayStayUnwritten())
            return;
        if (m_isSameAnywhere) {
            written();
            for (int f = 0; f < last; ++f)
                atLeast(of(written()) - m.later(op, f) + m.later(m_maker, f));
            return;
        }
        for (int f = m_made.first; f <= std::min(m_made.last, last); ++f)
            atLeast(of(writtenIn(f)) - m.inFunction(m_maker, f) - m.later(op, f) + constant(1));
    }

    void addWrites()
    {
        if (m_isSameAnywhere) {
            m.m_objective.constant += m_writeSeconds;
            return;
        }
        for (int f = m_made.first; f <= m_made.last; ++f)
            m.m_objective.add(m.inFunction(m_maker, f), m.m_costs.writeSeconds(m_tensor, f));
    }

    // From the function's block, which is computed here, or copied, or straight from the store.
    void addGathers(int function, const GatherSeconds& seconds)
    {
        const Linear made = m.later(m_maker, function - 1);
        m.m_objective.add(made, seconds.fromBlock);
        if (!made.terms.empty() || made.constant > 0)
            atLeast(of(m.relabelled(function)) - made);
        if (made.terms.empty() && made.constant == 1)
            return;
        const int straight = m.column(seconds.straight);
        if (!m.m_costs.mayBeCopied(m_tensor, function) || m.m_costs.readSeconds(m_tensor, true, function) <= 0 ||
            seconds.fromBlock >= seconds.straight) {
            atLeast(of(straight) + made - constant(1));
            return;
        }
        const int copied = m.column(seconds.fromBlock);
        atLeast(of(straight) + of(copied) + made - constant(1));
        atLeast(of(readByBlock(function)) - of(copied));
        atLeast(of(m.relabelled(function)) - of(copied));
    }

    int columnFor(std::map<int, int>& columns, int function, double seconds)
    {
        const auto [known, fresh] = columns.try_emplace(function, -1);
        if (fresh)
            known->second = m.column(seconds);
        return known->second;
    }

    int written() { return m_written < 0 ? m_written = m.column(m_writeSeconds) : m_written; }
    int writtenIn(int function) { return columnFor(m_writtenIn, function, m.m_costs.writeSeconds(m_tensor, function)); }
    int read(int function) { return columnFor(m_read, function, m.m_costs.readSeconds(m_tensor, false, function)); }
    int readByBlock(int function)
    {
        const bool fresh = !m_readByBlock.contains(function);
        const double more = m.m_costs.readSeconds(m_tensor, true, function) - m.m_costs.readSeconds(m_tensor, false, function);
        const int block = columnFor(m_readByBlock, function, more);
        if (fresh)
            atLeast(of(read(function)) - of(block));
        return block;
    }

    void atLeast(const Linear& row) { m.atLeast(row); }

    Programme& m;
    const CostModel::Tensor& m_tensor;
    const int m_maker;   // -1: an input, or what a global op made
    const Range m_made;  // functions that may make it
    bool m_isAlwaysWritten = false;
    bool m_isSameAnywhere = true;                           // the time to write it, whichever function does
    double m_writeSeconds = 0;                              // in that case
    int m_written = -1;                                     // columns; -1: none yet
    std::map<int, int> m_writtenIn, m_read, m_readByBlock;  // by function
    std::map<int, GatherSeconds> m_gathered;                // by function
};

void Programme::addTensors()
{
    for (int f = 0; f < m_space.functions(); ++f)
        m_relabelled.push_back(-1);
    for (const CostModel::Tensor& tensor : m_costs.tensors())
        StoredTensor(*this, tensor).add();
}

}  // namespace cleave
