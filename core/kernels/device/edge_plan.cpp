#include "core/kernels/device/edge_plan.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "core/base/parallel.h"

namespace cleave::device {

namespace {

constexpr std::int64_t narrow = 64;  // entries of a row that are cheaper kept than computed twice

class Planner {
public:
    Planner(const EdgeProgram& program, DType type) : m_p(program), m_type(type), m_uses(program.operands.size() + program.code.size())
    {
        for (const EdgeOperand& operand : program.operands)
            m_plan.views.push_back({nullptr, type, operand.row, operand.width, operand.width, nullptr});
        countUses();
    }

    std::optional<EdgePlan> plan()
    {
        for (std::size_t r = 0; r < m_p.results.size(); ++r)
            if (!m_p.results[r].reduced)
                addRows(static_cast<int>(r));
        for (std::size_t r = 0; r < m_p.results.size(); ++r)
            if (m_p.results[r].reduced)
                addReduction(static_cast<int>(r));
        if (m_plan.views.size() > mostViews)
            return {};
        return std::move(m_plan);
    }

private:
    bool isOperand(int value) const { return static_cast<std::size_t>(value) < m_p.operands.size(); }
    const EdgeInstruction& instruction(int value) const { return m_p.code[static_cast<std::size_t>(value) - m_p.operands.size()]; }

    // Of values that results need.
    void countUses()
    {
        std::vector<bool> needed(m_uses.size());
        const auto use = [&](int value) {
            if (value < 0)
                return;
            needed[static_cast<std::size_t>(value)] = true;
            ++m_uses[static_cast<std::size_t>(value)];
        };
        for (const EdgeResult& result : m_p.results) {
            use(result.value);
            use(result.weights);
        }
        for (std::size_t i = m_p.code.size(); i-- > 0;)
            if (needed[m_p.operands.size() + i]) {
                use(m_p.code[i].x.value);
                use(m_p.code[i].y.value);
            }
    }

    bool isKept(int value) const
    {
        if (isOperand(value))
            return false;
        return instruction(value).code == EdgeCode::SumInner || (m_uses[static_cast<std::size_t>(value)] > 1 && m_p.width(value) <= narrow);
    }

    // The value's own view: of an operand, or of rows that a step makes.
    int viewOf(int value)
    {
        if (isOperand(value))
            return value;
        if (const auto known = m_views.find(value); known != m_views.end())
            return known->second;
        EdgeStep step = stepFor(value);
        const int view = addView(m_p.width(value));
        step.view = view;
        m_plan.scratchWidths.push_back(m_p.width(value));
        m_plan.viewOfScratch.push_back(view);
        m_plan.steps.push_back(step);
        return m_views[value] = view;
    }

    int addView(std::int64_t width)
    {
        m_plan.views.push_back({nullptr, m_type, EdgeRow::Edge, width, width, nullptr});
        return static_cast<int>(m_plan.views.size()) - 1;
    }

    // Makes the rows of a value from what it is made of.
    EdgeStep stepFor(int value)
    {
        EdgeStep step;
        step.width = m_p.width(value);
        if (!isOperand(value) && instruction(value).code == EdgeCode::SumInner) {
            step.kind = EdgeStep::SumInner;
            step.inner = m_p.width(instruction(value).x.value) / step.width;
            value = instruction(value).x.value;
            if (isKept(value) || m_views.contains(value)) {
                put(step.tape, viewOf(value), {});
                return step;
            }
        }
        write(step.tape, value, {}, 0, 0);
        return step;
    }

    // Rows that are a result, and may be read by what follows.
    void addRows(int r)
    {
        const int value = m_p.results[static_cast<std::size_t>(r)].value;
        EdgeStep step;
        if (isOperand(value) || m_views.contains(value)) {
            step.width = m_p.width(value);
            put(step.tape, viewOf(value), {});
        } else {
            step = stepFor(value);
            if (!m_views.contains(value)) {
                m_views[value] = addView(step.width);
                m_plan.viewOfResult.emplace_back(m_views[value], r);
            }
        }
        step.result = r;
        m_plan.steps.push_back(step);
    }

    void addReduction(int r)
    {
        const EdgeResult& result = m_p.results[static_cast<std::size_t>(r)];
        EdgeStep step;
        step.kind = EdgeStep::Reduce;
        step.width = m_p.width(result.value);
        step.result = r;
        step.reduce = result.reduce;
        step.fromInitial = result.fromInitial;
        step.initial = result.initial;
        step.empty = result.empty;
        if (result.weights >= 0)
            step.weights = viewOf(result.weights);
        if (isKept(result.value) || m_views.contains(result.value))
            put(step.tape, viewOf(result.value), {});
        else
            write(step.tape, result.value, {}, 0, 0);
        m_plan.partialWidth = std::max(m_plan.partialWidth, step.width);
        m_plan.steps.push_back(step);
    }

    using Maps = std::vector<LaneMap>;

    static void put(EdgeTape& tape, int view, const Maps& maps)
    {
        TapeEntry& entry = tape.entries[tape.count++];
        entry.isOperand = true;
        entry.view = static_cast<std::int16_t>(view);
        std::ranges::copy(maps, entry.maps);
    }

    // Entries that a value takes on a tape, if what is kept elsewhere is one; more than there can be where it is many.
    int length(int value) const
    {
        if (isOperand(value) || isKept(value) || m_views.contains(value))
            return 1;
        const EdgeInstruction& made = instruction(value);
        const int x = length(made.x.value);
        return x > EdgeTape::mostEntries ? x : 1 + x + (made.y.value >= 0 ? length(made.y.value) : 0);
    }

    // Appends what computes a value, with so many entries on the stack before. What does not fit is kept.
    void write(EdgeTape& tape, int value, const Maps& maps, int depth, int after)
    {
        if (isOperand(value)) {
            put(tape, value, maps);
            return;
        }
        const EdgeInstruction& made = instruction(value);
        const int operands = made.y.value >= 0 ? 2 : 1;
        writeTerm(tape, made, made.x, maps, depth, after + 1 + (operands - 1));
        if (operands == 2)
            writeTerm(tape, made, made.y, maps, depth + 1, after + 1);
        TapeEntry& entry = tape.entries[tape.count++];
        entry.code = made.code;
        entry.number = made.number;
    }

    // after: entries that follow at least.
    void writeTerm(EdgeTape& tape, const EdgeInstruction& reader, const EdgeTerm& term, const Maps& before, int depth, int after)
    {
        Maps maps = before;
        if (m_p.width(term.value) != reader.width) {
            const std::int64_t width = m_p.width(term.value);
            const bool wraps = reader.width / term.repeat > width;
            maps.push_back({static_cast<std::int32_t>(term.repeat), wraps ? static_cast<std::int32_t>(width) : 0});
        }
        // What is computed here may need one map more, and two places on the stack.
        const bool fits = static_cast<int>(maps.size()) < TapeEntry::mostMaps && tape.count + length(term.value) + after <= EdgeTape::mostEntries &&
                          depth + 2 <= EdgeTape::mostDepth;
        if (!isOperand(term.value) && (isKept(term.value) || m_views.contains(term.value) || !fits)) {
            put(tape, viewOf(term.value), maps);
            return;
        }
        write(tape, term.value, maps, depth, after);
    }

    const EdgeProgram& m_p;
    DType m_type;
    std::vector<int> m_uses;
    std::map<int, int> m_views;  // of values that are kept
    EdgePlan m_plan;
};

}  // namespace

std::int64_t EdgePlan::scratch(std::int64_t edges, std::int64_t pieces) const
{
    std::int64_t width = 0;
    for (const std::int64_t each : scratchWidths)
        width += each;
    return width * edges + pieces * partialWidth;
}

std::optional<EdgePlan> planEdges(const EdgeProgram& program, DType type)
{
    if (program.operands.size() > mostViews)
        return {};
    for (const EdgeOperand& operand : program.operands)
        if (operand.width > std::numeric_limits<std::int32_t>::max())
            return {};
    return Planner(program, type).plan();
}

LongSegments findLongSegments(const EdgeBlock& block, int threads)
{
    constexpr std::int64_t targetsAtOnce = 1 << 15;
    std::vector<std::vector<std::int64_t>> longOnes(static_cast<std::size_t>((block.targets + targetsAtOnce - 1) / targetsAtOnce));
    parallelFor(static_cast<std::int64_t>(longOnes.size()), threads, [&](std::int64_t part, int) {
        for (std::int64_t t = part * targetsAtOnce; t < std::min(block.targets, (part + 1) * targetsAtOnce); ++t)
            if (block.begin[t + 1] - block.begin[t] > mostEdgesAtOnce)
                longOnes[static_cast<std::size_t>(part)].push_back(t);
    });
    LongSegments found;
    for (const std::vector<std::int64_t>& targets : longOnes)
        for (const std::int64_t t : targets) {
            const std::int64_t first = block.begin[t] - block.begin[0], last = block.begin[t + 1] - block.begin[0];
            const auto firstPiece = static_cast<std::int64_t>(found.pieces.size());
            for (std::int64_t e = first; e < last; e += mostEdgesAtOnce)
                found.pieces.push_back({t, e, std::min(last, e + mostEdgesAtOnce)});
            found.segments.push_back({t, firstPiece, static_cast<std::int64_t>(found.pieces.size()) - firstPiece});
        }
    return found;
}

}  // namespace cleave::device
