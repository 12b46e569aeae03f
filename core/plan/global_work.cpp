#include "core/plan/global_work.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/analysis/message_passing.h"

namespace cleave {

GlobalWork::GlobalWork(const Analysis& analysis, const GraphCounts& counts, const CutFunction& function, double rows)
    : m_a(analysis), m_p(analysis.program), m_counts(counts), m_f(function), m_rows(rows)
{
}

double GlobalWork::rowsOf(ValueId value) const
{
    return m_a.values[value].rows == Rows::Nodes ? m_counts.nodesOf(m_a.values[value].nodeType) : m_rows;
}

RowCount GlobalWork::rowsComputedBy(OpId op) const
{
    double most = 0;
    if (readsNodes(m_a, op)) {
        forEachOperand(m_p[op], [&](ValueId operand) {
            if (m_a.values[operand].rows == Rows::Nodes)
                most = std::max(most, rowsOf(operand));
        });
    } else {
        most = 1;
        const auto add = [&](ValueId value) {
            if (m_p[value].kind == ValueKind::Tensor && m_a.values[value].reach == Reach::Feature)
                most = std::max(most, openSizes(m_a, value, m_counts));
        };
        std::ranges::for_each(m_p[op].outputs, add);
        forEachOperand(m_p[op], add);
    }
    return {most, {most, 0}};
}

double GlobalWork::savedBytes() const
{
    double bytes = 0;
    for (const Step& step : m_f.steps)
        for (std::size_t i = 0; i < step.rowDims.size(); ++i)
            if (const ValueId made = m_p[step.op].outputs[i]; isSaved(made))
                bytes += rowsOf(made) * rowBytes(m_a, made, step.rowDims[i]);
    return bytes;
}

// Of views: what they are views of, which is none.
std::map<ValueId, ValueId> GlobalWork::views() const
{
    std::map<ValueId, ValueId> shown;
    for (const Step& step : m_f.steps)
        if (!step.operands.empty() && workOf(m_p, step.op, -1).kind == WorkKind::View)
            for (const ValueId made : m_p[step.op].outputs) {
                const ValueId of = step.operands.front().value;
                shown[made] = shown.contains(of) ? shown.at(of) : of;
            }
    return shown;
}

std::map<ValueId, ValueId> GlobalWork::viewsOfStored() const
{
    std::map<ValueId, ValueId> shown = views();
    std::set<ValueId> own;
    for (const Step& step : m_f.steps)
        own.insert(m_p[step.op].outputs.begin(), m_p[step.op].outputs.end());
    std::erase_if(shown, [&](const auto& view) {
        return !isSaved(view.first) || m_a.values[view.first].rows != Rows::Nodes || m_a.values[view.second].rows != Rows::Nodes ||
               own.contains(view.second);
    });
    return shown;
}

double GlobalWork::mostAtOnce() const
{
    const std::map<ValueId, ValueId> memoryOf = views();
    std::map<ValueId, std::size_t> lastRead;
    std::set<ValueId> saved;
    const auto memory = [&](ValueId value) {
        const auto view = memoryOf.find(value);
        return view == memoryOf.end() ? value : view->second;
    };
    for (std::size_t i = 0; i < m_f.steps.size(); ++i) {
        const Step& step = m_f.steps[i];
        for (const StepOperand& operand : step.operands)
            lastRead[memory(operand.value)] = i;
        for (const ValueId made : m_p[step.op].outputs)
            if (isSaved(made))
                saved.insert(memory(made));
    }
    std::vector<double> freed(m_f.steps.size());
    double now = 0, most = 0;
    for (std::size_t i = 0; i < m_f.steps.size(); ++i) {
        const Step& step = m_f.steps[i];
        for (std::size_t k = 0; k < step.rowDims.size(); ++k) {
            const ValueId made = m_p[step.op].outputs[k];
            if (memoryOf.contains(made) || saved.contains(made))
                continue;
            const double bytes = bytesOf(made, step.rowDims[k]);
            now += bytes;
            freed[std::max(i, lastRead[made])] += bytes;
        }
        most = std::max(most, now + scratchOf(step));
        now -= freed[i];
    }
    return most;
}

double GlobalWork::bytesOf(ValueId made, int rowDim) const
{
    return m_a.values[made].rows == Rows::Graph ? wholeBytes(m_a, made, m_counts) : rowsOf(made) * rowBytes(m_a, made, rowDim);
}

// What an op takes while it runs.
double GlobalWork::scratchOf(const Step& step) const
{
    constexpr double addedUpBytes = 8;  // of an entry, while rows of all nodes are added up
    if (step.rowDims.empty())
        return 0;
    const ValueId first = m_p[step.op].outputs.front();
    if (scatterForm(m_p, step.op) && !overwrites(m_p, step.op))
        return bytesOf(first, step.rowDims.front()) * addedUpBytes / static_cast<double>(itemSize(m_p[first].dtype));
    return workOf(m_p, step.op, step.rowDims.front()).scratchBytes * openSizes(m_a, first, m_counts);
}

bool GlobalWork::isSaved(ValueId value) const
{
    return std::ranges::find(m_f.saves, value) != m_f.saves.end();
}

}  // namespace cleave
