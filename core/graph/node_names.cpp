#include "core/graph/node_names.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <span>

#include "core/base/error.h"
#include "core/base/format.h"
#include "core/graph/text_lines.h"

namespace cleave {

namespace {

void check(std::string_view name)
{
    if (name.empty())
        throw Error("A node without a name cannot be kept: give it one.");
    if (name.size() > NodeNames::longest)
        throw Error("The node name '" + printable(name, 40) + "' is longer than " + formatCount(NodeNames::longest) + " bytes: shorten it.");
    if (std::ranges::any_of(name, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }))
        throw Error("The node name '" + printable(name, 40) + "' holds control characters: take them out.");
}

template <class Character>
std::string textOfRow(const Character* row, std::int64_t width)
{
    std::string text;
    for (const Character* c = row; c != row + width && *c != 0; ++c)
        text += sizeof(Character) == 1 ? std::string(1, static_cast<char>(*c)) : utf8(static_cast<std::uint32_t>(*c));
    return text;
}

std::string nameAt(const Array& array, std::int64_t node)
{
    if (array.dtype == DType::Int64)
        return std::to_string(array.as<std::int64_t>()[node]);
    const std::int64_t width = array.shape[1];
    return array.dtype == DType::UInt8 ? textOfRow(array.as<std::uint8_t>() + node * width, width)
                                       : textOfRow(array.as<std::uint32_t>() + node * width, width);
}

}  // namespace

NodeNames NodeNames::ofNumbers(std::vector<std::int64_t> ascending)
{
    NodeNames names;
    names.m_numbers = std::move(ascending);
    return names;
}

std::int64_t NodeNames::size() const
{
    return static_cast<std::int64_t>(areNumbers() ? m_numbers.size() : m_ends.size());
}

std::string_view NodeNames::text(std::int64_t node) const
{
    const auto n = static_cast<std::size_t>(node);
    const std::size_t begin = n == 0 ? 0 : m_ends[n - 1];
    return std::string_view(m_text).substr(begin, m_ends[n] - begin);
}

std::string NodeNames::operator[](std::int64_t node) const
{
    return areNumbers() ? std::to_string(m_numbers[static_cast<std::size_t>(node)]) : std::string(text(node));
}

// Where the name is, or would be.
std::size_t NodeNames::slotOf(std::string_view name) const
{
    std::size_t slot = std::hash<std::string_view>()(name) & (m_slots.size() - 1);
    while (m_slots[slot] != 0 && text(m_slots[slot] - 1) != name)
        slot = (slot + 1) & (m_slots.size() - 1);
    return slot;
}

void NodeNames::grow()
{
    m_slots.assign(std::max<std::size_t>(64, m_slots.size() * 2), 0);
    for (std::int64_t node = 0; node < size(); ++node)
        m_slots[slotOf(text(node))] = static_cast<std::uint32_t>(node + 1);
}

std::int64_t NodeNames::add(std::string_view name)
{
    if (m_ends.size() * 2 >= m_slots.size())
        grow();
    const std::size_t slot = slotOf(name);
    if (m_slots[slot] != 0)
        return m_slots[slot] - 1;
    check(name);
    if (m_ends.size() + 1 >= UINT32_MAX)
        throw Error("There are more named nodes than Cleave can hold.");
    m_text += name;
    m_ends.push_back(m_text.size());
    m_slots[slot] = static_cast<std::uint32_t>(m_ends.size());
    return size() - 1;
}

std::int64_t NodeNames::find(std::string_view name) const
{
    if (areNumbers()) {
        std::int64_t number = 0;
        const auto found = parseNodeNumber(name, number) ? std::ranges::lower_bound(m_numbers, number) : m_numbers.end();
        return found == m_numbers.end() || *found != number ? -1 : found - m_numbers.begin();
    }
    return m_slots.empty() ? -1 : std::int64_t{m_slots[slotOf(name)]} - 1;
}

Array NodeNames::toArray() const
{
    if (areNumbers()) {
        NewArray array = makeArray(DType::Int64, {size()});
        std::memcpy(array.data, m_numbers.data(), array.array.bytes());
        return array.array;
    }
    std::size_t width = 1;
    for (std::int64_t node = 0; node < size(); ++node)
        width = std::max(width, text(node).size());
    NewArray array = makeArray(DType::UInt8, {size(), static_cast<std::int64_t>(width)});
    std::memset(array.data, 0, array.array.bytes());
    for (std::int64_t node = 0; node < size(); ++node)
        std::ranges::copy(std::as_bytes(std::span(text(node))), array.data + static_cast<std::size_t>(node) * width);
    return array.array;
}

NodeNames NodeNames::fromArray(const Array& array)
{
    if (array.dtype == DType::Int64) {
        std::vector<std::int64_t> numbers(array.as<std::int64_t>(), array.as<std::int64_t>() + array.count());
        if (!numbers.empty() && numbers.front() >= 0 && std::ranges::adjacent_find(numbers, std::greater_equal()) == numbers.end())
            return ofNumbers(std::move(numbers));
    }
    NodeNames names;
    for (std::int64_t node = 0; node < array.shape[0]; ++node)
        if (const std::string name = nameAt(array, node); names.add(name) != node)
            throw Error("Two nodes are called '" + printable(name) + "': names must differ.");
    return names;
}

SettledNames settle(NodeNames names)
{
    std::vector<std::int64_t> numbers(static_cast<std::size_t>(names.size()));
    for (std::size_t i = 0; i < numbers.size(); ++i)
        if (!parseNodeNumber(names[static_cast<std::int64_t>(i)], numbers[i]))
            return {{}, std::move(names)};
    std::vector<std::int64_t> ascending = numbers;
    std::ranges::sort(ascending);
    for (std::int64_t& number : numbers)
        number = std::ranges::lower_bound(ascending, number) - ascending.begin();
    const bool isDense = ascending.empty() || ascending.back() + 1 == std::ssize(ascending);
    return {std::move(numbers), isDense ? std::nullopt : std::optional(NodeNames::ofNumbers(std::move(ascending)))};
}

std::string utf8(std::uint32_t character)
{
    const auto byte = [](std::uint32_t bits) { return static_cast<char>(bits); };
    const auto rest = [&](int shift) { return byte(0x80 | (character >> shift & 0x3F)); };
    if (character < 0x80)
        return {byte(character)};
    if (character < 0x800)
        return {byte(0xC0 | character >> 6), rest(0)};
    if (character < 0x10000)
        return {byte(0xE0 | character >> 12), rest(6), rest(0)};
    if (character < 0x110000)
        return {byte(0xF0 | character >> 18), rest(12), rest(6), rest(0)};
    return "?";
}

}  // namespace cleave
