#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/pages.h"

namespace cleave {

/// Some of the rows 0 … rows - 1, and how many of them come before another. A bit and a half for each row.
class RowSet {
public:
    /// named: the rows in the set, in any order and any number of times; from 0 to rows - 1, checked by the caller.
    RowSet(std::span<const std::int32_t> named, std::int64_t rows, int threads);

    bool contains(std::int64_t row) const { return (m_bits[static_cast<std::size_t>(row >> 6)] >> (row & 63) & 1) != 0; }

    /// How many of the set are smaller; row: up to `rows`.
    std::int64_t before(std::int64_t row) const
    {
        const auto word = static_cast<std::size_t>(row >> 6);
        return m_before[word] + std::popcount(m_bits[word] & ((std::uint64_t{1} << (row & 63)) - 1));
    }

    std::vector<std::int32_t> between(std::int64_t first,
                                      std::int64_t last) const;  ///< those from first to before last, in order, counted from first

private:
    PageVector<std::uint64_t> m_bits;
    PageVector<std::uint32_t> m_before;  // each word of them
};

}  // namespace cleave
