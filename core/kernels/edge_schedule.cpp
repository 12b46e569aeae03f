#include "core/kernels/edge_schedule.h"

#include <bit>
#include <cassert>

#include "core/base/parallel.h"
#include "core/kernels/edge_items.h"

namespace cleave {

EdgeSchedule::EdgeSchedule(const EdgeBlock& block, const std::int32_t* sources, std::int64_t rows, std::int64_t rowsOfPiece, bool knowsEdges, int threads)
    : m_bits(std::countr_zero(static_cast<std::uint64_t>(rowsOfPiece)))
{
    assert(std::has_single_bit(static_cast<std::uint64_t>(rowsOfPiece)) && rowsOfPiece <= mostRows);
    assert(!knowsEdges || block.edges() < std::int64_t{1} << 31);
    const EdgeItems all(block);
    m_items = static_cast<std::int64_t>(all.items.size());
    const auto count = static_cast<std::size_t>((rows + rowsOfPiece - 1) / rowsOfPiece), stride = static_cast<std::size_t>(m_items + 1);
    m_begins.resize(count * stride);
    m_pieces.resize(count + 1);
    parallelFor(m_items, threads, [&](std::int64_t i, int) {
        const EdgeItem& item = all.items[static_cast<std::size_t>(i)];
        std::vector<std::uint32_t> counts(count);
        for (std::int64_t e = item.firstEdge; e < item.lastEdge; ++e)
            ++counts[static_cast<std::size_t>(sources[e] >> m_bits)];
        for (std::size_t p = 0; p < count; ++p)
            m_begins[p * stride + static_cast<std::size_t>(i) + 1] = counts[p];
    });
    for (std::size_t p = 0; p < count; ++p) {
        std::uint32_t* const begins = m_begins.data() + p * stride;
        for (std::size_t i = 1; i < stride; ++i)
            begins[i] += begins[i - 1];
        m_pieces[p + 1] = m_pieces[p] + begins[stride - 1];
    }
    m_entries.resize(static_cast<std::size_t>(block.edges()));
    m_edges.resize(knowsEdges ? m_entries.size() : 0);
    parallelFor(m_items, threads, [&](std::int64_t i, int) {
        const EdgeItem& item = all.items[static_cast<std::size_t>(i)];
        std::vector<std::int64_t> next(count);
        for (std::size_t p = 0; p < count; ++p)
            next[p] = m_pieces[p] + m_begins[p * stride + static_cast<std::size_t>(i)];
        const std::int32_t row = static_cast<std::int32_t>(rowsOfPiece - 1);
        std::int64_t e = item.firstEdge;
        for (std::int64_t t = item.firstTarget; t < item.lastTarget; ++t) {
            const std::int64_t end = item.piece >= 0 ? item.lastEdge : block.begin[t + 1] - block.begin[0];
            for (; e < end; ++e) {
                const auto place = static_cast<std::size_t>(next[static_cast<std::size_t>(sources[e] >> m_bits)]++);
                m_entries[place] = static_cast<std::uint32_t>(sources[e] & row) << 16 | static_cast<std::uint32_t>(t - item.firstTarget);
                if (knowsEdges)
                    m_edges[place] = static_cast<std::int32_t>(e);
            }
        }
    });
}

}  // namespace cleave
