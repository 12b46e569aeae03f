#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace cleave {

/// Gives nodes the numbers 0, 1, … in the order in which they come. Its room is linear in the nodes, and is used again after clear.
class Numbering {
public:
    void clear()
    {
        m_nodes.clear();
        if (++m_round == 0) {
            m_slots.assign(m_slots.size(), {});
            m_round = 1;
        }
    }

    /// The node's number; one that has none gets the next.
    std::int64_t add(std::int64_t node)
    {
        if (m_nodes.size() * 2 >= m_slots.size())
            grow();
        Slot& slot = find(node);
        if (slot.round != m_round) {
            slot = {node, static_cast<std::int32_t>(m_nodes.size()), m_round};
            m_nodes.push_back(node);
        }
        return slot.number;
    }

    /// -1 for a node that has none.
    std::int64_t of(std::int64_t node) const
    {
        if (m_slots.empty())
            return -1;
        const Slot& slot = const_cast<Numbering*>(this)->find(node);
        return slot.round == m_round ? slot.number : -1;
    }

    const std::vector<std::int64_t>& nodes() const { return m_nodes; }  ///< by number

private:
    struct Slot {
        std::int64_t node = 0;
        std::int32_t number = 0;
        std::uint32_t round = 0;
    };

    // Open addressing after Knuth's multiplicative hashing.
    Slot& find(std::int64_t node)
    {
        std::size_t i = static_cast<std::size_t>(static_cast<std::uint64_t>(node) * 0x9e3779b97f4a7c15 >> m_shift);
        while (m_slots[i].round == m_round && m_slots[i].node != node)
            i = (i + 1) & (m_slots.size() - 1);
        return m_slots[i];
    }

    void grow()
    {
        const std::size_t size = m_slots.empty() ? 1024 : m_slots.size() * 2;
        m_slots.assign(size, {});
        m_shift = 64 - std::countr_zero(size);
        m_round = 1;
        for (std::size_t i = 0; i < m_nodes.size(); ++i)
            find(m_nodes[i]) = {m_nodes[i], static_cast<std::int32_t>(i), m_round};
    }

    std::vector<Slot> m_slots;
    std::vector<std::int64_t> m_nodes;
    int m_shift = 0;
    std::uint32_t m_round = 1;
};

}  // namespace cleave
