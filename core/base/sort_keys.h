#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace cleave {

/// Sorts numbers in time linear in how many there are. Those that agree from firstBit on are in order already: keys with their places below. room:
/// scratch, kept from one call to the next.
inline void sortKeys(std::vector<std::uint64_t>& keys, std::vector<std::uint64_t>& room, int firstBit)
{
    constexpr int bitsAtOnce = 11;
    constexpr std::size_t few = 1 << 10;
    if (keys.size() < few) {
        std::ranges::sort(keys);
        return;
    }
    std::uint64_t all = 0;
    for (const std::uint64_t key : keys)
        all |= key;
    room.resize(keys.size());
    for (int bit = firstBit; bit < static_cast<int>(std::bit_width(all)); bit += bitsAtOnce) {
        const auto digit = [&](std::uint64_t key) { return static_cast<std::size_t>(key >> bit & ((1U << bitsAtOnce) - 1)); };
        std::array<std::size_t, (1U << bitsAtOnce) + 1> place{};
        for (const std::uint64_t key : keys)
            ++place[digit(key) + 1];
        for (std::size_t d = 1; d < place.size(); ++d)
            place[d] += place[d - 1];
        for (const std::uint64_t key : keys)
            room[place[digit(key)]++] = key;
        keys.swap(room);
    }
}

}  // namespace cleave
