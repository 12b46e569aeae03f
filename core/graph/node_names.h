#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/array.h"

namespace cleave {

/// What a file calls the nodes 0, 1, …: texts, kept as one text and offsets, or numbers that ascend from node to node.
class NodeNames {
public:
    static constexpr std::size_t longest = 1024;  ///< bytes of one name

    NodeNames() = default;
    static NodeNames ofNumbers(std::vector<std::int64_t> ascending);

    /// The node of this name, a new one if there is none; only where names are texts. Error if it is empty, longer than `longest` or holds control
    /// characters.
    std::int64_t add(std::string_view name);
    std::int64_t find(std::string_view name) const;  ///< -1 if there is none
    std::string operator[](std::int64_t node) const;
    std::int64_t size() const;

    bool areNumbers() const { return !m_numbers.empty(); }
    const std::vector<std::int64_t>& numbers() const { return m_numbers; }

    /// int64 [V] of numbers; of texts uint8 [V, bytes of the longest], filled up with zeros. Error if that does not fit into memory.
    Array toArray() const;
    /// The names in an array: integers [V], or rows of characters [V, width] of uint8 or uint32. Error if two nodes have one name.
    static NodeNames fromArray(const Array& array);

private:
    std::string_view text(std::int64_t node) const;
    std::size_t slotOf(std::string_view name) const;
    void grow();

    std::string m_text;
    std::vector<std::size_t> m_ends;     // in m_text, by node
    std::vector<std::uint32_t> m_slots;  // open addressing: node + 1; 0 is free
    std::vector<std::int64_t> m_numbers;
};

/// Names that came from a file and are numbers may do without: of 0 … V - 1 the node of each name is that number, other numbers go by size.
struct SettledNames {
    std::vector<std::int64_t> nodeOf;  ///< by the number that NodeNames gave; empty: as it is
    std::optional<NodeNames> names;    ///< empty: nodes are called 0 … V - 1
};
SettledNames settle(NodeNames names);

/// A character as UTF-8; '?' for what is none.
std::string utf8(std::uint32_t character);

}  // namespace cleave
