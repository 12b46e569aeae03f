#include "core/kernels/edge_chain.h"

#include <algorithm>

namespace cleave {

namespace {

// Narrower rows are done many edges at once, which has no cost for each step and edge: as fast at 64 and 128 bytes, half the time at 32, twice at
// 512.
constexpr std::int64_t leastBytes = 128;

bool isInChains(EdgeCode code, bool isFloat)
{
    switch (code) {
    case EdgeCode::Log:
    case EdgeCode::Tanh:
    case EdgeCode::Elu:
    case EdgeCode::Gelu:
    case EdgeCode::Softplus:
    case EdgeCode::SumInner:
        return false;  // calls of a library, or rows of another width
    case EdgeCode::Exp:
    case EdgeCode::Sigmoid:
        return isFloat;
    default:
        return true;
    }
}

class ChainBuilder {
public:
    ChainBuilder(const EdgeProgram& program, std::int64_t width, bool isFloat)
        : m_p(program), m_width(width), m_isFloat(isFloat), m_uses(program.operands.size() + program.code.size()), m_keptAt(m_uses.size(), -1)
    {
    }

    std::optional<EdgeChain> build(int value, int weights)
    {
        count(value);
        compute(value);
        if (weights >= 0)
            step({ChainStep::Compute, EdgeCode::Multiply, false, operand(weights)});
        if (isTooMuch())
            return std::nullopt;
        return std::move(m_chain);
    }

    bool isComputed(int value) const
    {
        const EdgeInstruction* const instruction = instructionOf(value);
        return instruction && instruction->width == m_width && isInChains(instruction->code, m_isFloat) && isRead(instruction->x) &&
               (instruction->y.value < 0 || isRead(instruction->y));
    }

private:
    const EdgeInstruction* instructionOf(int value) const
    {
        const int operands = static_cast<int>(m_p.operands.size());
        return value < operands ? nullptr : &m_p.code[static_cast<std::size_t>(value - operands)];
    }

    // Rows of the same width, one entry for all columns, or one for neighbouring columns.
    bool isRead(const EdgeTerm& term) const
    {
        const std::int64_t width = m_p.width(term.value);
        return width == m_width || width == 1 || term.repeat * width == m_width;
    }

    void count(int value)
    {
        if (m_uses[static_cast<std::size_t>(value)]++ > 0 || !isComputed(value))
            return;
        const EdgeInstruction& instruction = *instructionOf(value);
        count(instruction.x.value);
        if (instruction.y.value >= 0)
            count(instruction.y.value);
    }

    bool isAtHand(int value) const { return !isComputed(value) || m_keptAt[static_cast<std::size_t>(value)] >= 0; }

    bool isTooMuch() const
    {
        using Room = ChainArguments<float>;
        return m_chain.steps.size() > Room::mostSteps || m_chain.operands.size() > Room::mostOperands || m_kept > Room::mostKept;
    }

    void step(ChainStep step) { m_chain.steps.push_back(step); }

    std::int8_t operand(int value)
    {
        const auto found = std::ranges::find(m_chain.operands, value);
        const auto place = static_cast<std::int8_t>(found - m_chain.operands.begin());
        if (found == m_chain.operands.end())
            m_chain.operands.push_back(value);
        return place;
    }

    std::int8_t keep()
    {
        const auto place = static_cast<std::int8_t>(m_kept++);
        step({ChainStep::Keep, {}, false, -1, place});
        return place;
    }

    // A step with y where it is: kept, or an operand.
    ChainStep with(ChainStep step, int value)
    {
        if (const std::int8_t kept = m_keptAt[static_cast<std::size_t>(value)]; kept >= 0)
            step.kept = kept;
        else
            step.operand = operand(value);
        return step;
    }

    // The value is in hand afterwards.
    void compute(int value)
    {
        if (isTooMuch())
            return;
        if (isAtHand(value))
            return step(with({}, value));
        const EdgeInstruction& instruction = *instructionOf(value);
        const int x = instruction.x.value, y = instruction.y.value;
        ChainStep last{ChainStep::Compute, instruction.code, false, -1, -1, instruction.number};
        if (y < 0) {
            compute(x);
            step(last);
        } else if (isAtHand(y)) {
            compute(x);
            step(with(last, y));
        } else if (isAtHand(x)) {
            compute(y);
            last.isSwapped = true;
            step(with(last, x));
        } else {
            compute(y);
            if (m_keptAt[static_cast<std::size_t>(y)] < 0)
                m_keptAt[static_cast<std::size_t>(y)] = keep();
            compute(x);
            step(with(last, y));
        }
        if (m_uses[static_cast<std::size_t>(value)] > 1 && m_keptAt[static_cast<std::size_t>(value)] < 0)
            m_keptAt[static_cast<std::size_t>(value)] = keep();
    }

    const EdgeProgram& m_p;
    const std::int64_t m_width;
    const bool m_isFloat;
    EdgeChain m_chain;
    std::vector<int> m_uses;
    std::vector<std::int8_t> m_keptAt;
    std::size_t m_kept = 0;
};

}  // namespace

std::optional<EdgeChain> chainOf(const EdgeProgram& program, int value, int weights, bool isFloat)
{
    const std::int64_t width = program.width(value);
    ChainBuilder builder(program, width, isFloat);
    if (width * (isFloat ? 4 : 8) < leastBytes || !builder.isComputed(value))
        return std::nullopt;
    return builder.build(value, weights);
}

}  // namespace cleave
