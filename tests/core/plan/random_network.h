#pragma once

#include <random>

#include "tests/core/plan/network.h"

namespace cleave::test {

struct Shape {
    int levels = 2, movable = 12, width = 64;
};

// Chains, skips, branches, several gathers of one tensor, jumping knowledge. Nothing is left unread.
class RandomNetwork {
public:
    RandomNetwork(std::mt19937_64& random, const Shape& shape) : m_random(random), m_shape(shape) { made(m_network.x()); }

    Analysis finish()
    {
        int left = m_shape.movable;
        for (int level = 0; level <= m_shape.levels; ++level) {
            const int here = level == m_shape.levels ? left : std::min(left, below(2 * m_shape.movable / (m_shape.levels + 1) + 1));
            for (int i = 0; i < here; ++i, --left)
                made(rowWise());
            if (level < m_shape.levels) {
                const ValueId from = read(recent());
                made(below(3) == 0 ? m_network.compare(from, read(any())) : m_network.propagate(from));
            }
        }
        while (m_unread.size() > 1) {
            const ValueId first = read(m_unread.front());
            made(m_network.add(read(m_unread.back()), first));
        }
        std::vector<ValueId> outputs{m_made.back()};
        if (below(4) == 0)
            outputs.push_back(any());
        return m_network.finish(outputs);
    }

private:
    int below(int n) { return static_cast<int>(m_random() % static_cast<unsigned>(n)); }
    ValueId of(const std::vector<ValueId>& values, int last)
    {
        return values[values.size() - 1 - static_cast<std::size_t>(below(std::min(last, static_cast<int>(values.size()))))];
    }
    ValueId recent() { return of(m_made, 3); }
    ValueId any() { return below(2) && !m_unread.empty() ? of(m_unread, 1 << 20) : of(m_made, below(3) ? 3 : 1 << 20); }

    ValueId read(ValueId value)
    {
        std::erase(m_unread, value);
        return value;
    }
    void made(ValueId value)
    {
        m_made.push_back(value);
        m_unread.push_back(value);
    }

    ValueId rowWise()
    {
        const ValueId from = read(any());
        const int kind = below(4);
        if (kind == 0 || m_network.width(from) > 8 * m_shape.width)
            return m_network.linear(from, 1 + below(m_shape.width));
        return kind == 1 ? m_network.add(from, read(any())) : m_network.relu(from);
    }

    std::mt19937_64& m_random;
    Shape m_shape;
    Network m_network;
    std::vector<ValueId> m_made, m_unread;
};

inline Analysis randomNetwork(std::mt19937_64& random, const Shape& shape)
{
    return RandomNetwork(random, shape).finish();
}

}  // namespace cleave::test
