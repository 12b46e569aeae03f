#pragma once

#include <cstdint>
#include <vector>

#include "core/base/pages.h"
#include "core/kernels/edge_program.h"

namespace cleave {

/// The edges of a block in the order in which they are met where the rows of their sources come in pieces of equally many, from the first to the last:
/// piece by piece, in each by target. Four bytes an edge, which may lie in a file: each is read once, in order.
class EdgeSchedule {
public:
    static constexpr std::int64_t mostRows = 1 << 16;  ///< of a piece

    /// sources: [edges] from 0 to rows - 1, checked by the caller. rowsOfPiece: a power of two, mostRows at most. knowsEdges: which edge of the block each is
    /// can be asked for; then there are less than 2^31.
    EdgeSchedule(const EdgeBlock& block, const std::int32_t* sources, std::int64_t rows, std::int64_t rowsOfPiece, bool knowsEdges, int threads);

    std::int64_t rowsOfPiece() const { return std::int64_t{1} << m_bits; }
    const std::vector<std::int64_t>& pieces() const { return m_pieces; }         ///< where the entries of each begin, and the last one ends
    const PageVector<std::uint32_t>& entries() const { return m_entries; }       ///< [edges] row in the piece << 16 | target in the item
    const PageVector<std::int32_t>& edges() const { return m_edges; }            ///< [edges], empty if they are not known

    /// Where the entries of an item begin, from those of the piece on.
    std::int64_t begin(std::int64_t piece, std::int64_t item) const { return m_begins[static_cast<std::size_t>(piece * (m_items + 1) + item)]; }

private:
    int m_bits = 0;
    std::int64_t m_items = 0;
    std::vector<std::int64_t> m_pieces;
    std::vector<std::uint32_t> m_begins;  // [pieces, items + 1]
    PageVector<std::uint32_t> m_entries;
    PageVector<std::int32_t> m_edges;
};

}  // namespace cleave
