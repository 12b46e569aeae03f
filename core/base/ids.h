#pragma once

#include <compare>
#include <cstddef>
#include <vector>

namespace cleave {

/// A typed index into the vector that owns the things of kind Tag; default constructed it names nothing.
template <class Tag>
struct Id {
    int index = -1;

    bool valid() const { return index >= 0; }
    auto operator<=>(const Id&) const = default;
};

using ValueId = Id<struct ValueTag>;
using OpId = Id<struct OpTag>;
using WeightId = Id<struct WeightTag>;
using ModuleId = Id<struct ModuleTag>;

/// A number that is known not to be negative, as containers count.
inline std::size_t at(int index)
{
    return static_cast<std::size_t>(index);
}

/// An array that lies beside a program: one T for each id.
template <class IdType, class T>
class IdMap {
public:
    IdMap() = default;
    explicit IdMap(std::size_t size, const T& value = {}) : m_items(size, value) {}

    decltype(auto) operator[](IdType id) { return m_items[static_cast<std::size_t>(id.index)]; }
    decltype(auto) operator[](IdType id) const { return m_items[static_cast<std::size_t>(id.index)]; }
    std::size_t size() const { return m_items.size(); }
    void resize(std::size_t size, const T& value = {}) { m_items.resize(size, value); }

    auto begin() const { return m_items.begin(); }
    auto end() const { return m_items.end(); }

    bool operator==(const IdMap&) const = default;

private:
    std::vector<T> m_items;
};

}  // namespace cleave
