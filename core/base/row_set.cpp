#include "core/base/row_set.h"

#include <algorithm>
#include <atomic>

#include "core/base/parallel.h"

namespace cleave {

RowSet::RowSet(std::span<const std::int32_t> named, std::int64_t rows, int threads)
    : m_bits(static_cast<std::size_t>(rows / 64 + 1), 0), m_before(m_bits.size(), 0)
{
    constexpr std::size_t part = std::size_t{1} << 16;
    parallelFor(static_cast<std::int64_t>((named.size() + part - 1) / part), threads, [&](std::int64_t p, int) {
        const std::size_t first = static_cast<std::size_t>(p) * part;
        for (const std::int32_t row : named.subspan(first, std::min(part, named.size() - first))) {
            const std::atomic_ref<std::uint64_t> word(m_bits[static_cast<std::size_t>(row >> 6)]);
            // Most are there already.
            if (const std::uint64_t bit = std::uint64_t{1} << (row & 63); (word.load(std::memory_order_relaxed) & bit) == 0)
                word.fetch_or(bit, std::memory_order_relaxed);
        }
    });
    for (std::size_t word = 1; word < m_bits.size(); ++word)
        m_before[word] = m_before[word - 1] + static_cast<std::uint32_t>(std::popcount(m_bits[word - 1]));
}

std::vector<std::int32_t> RowSet::between(std::int64_t first, std::int64_t last) const
{
    std::vector<std::int32_t> rows;
    rows.reserve(static_cast<std::size_t>(before(last) - before(first)));
    for (std::int64_t begin = first & ~std::int64_t{63}; begin < last; begin += 64)
        for (std::uint64_t left = m_bits[static_cast<std::size_t>(begin >> 6)]; left != 0; left &= left - 1)
            if (const std::int64_t row = begin + std::countr_zero(left); row >= first && row < last)
                rows.push_back(static_cast<std::int32_t>(row - first));
    return rows;
}

}  // namespace cleave
