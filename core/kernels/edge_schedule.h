#pragma once

#include <cstdint>
#include <vector>

#include "core/base/pages.h"
#include "core/base/row_set.h"
#include "core/base/row_stream.h"
#include "core/kernels/edge_program.h"

namespace cleave {

/// The edges of a block in the order in which they are met where the rows of their sources come in pieces, from the first to the last:
/// piece by piece, in each by target. Four bytes an edge, or six, which may lie in a file: each is read once, in order.
class EdgeSchedule {
public:
    /// sources: [edges] rows of the pieces, checked by the caller. knowsEdges: which edge of the block each is can be asked for; then there are less
    /// than 2^31. packed: all that sources name, of which the pieces will consist: rows in a piece are counted among them then.
    EdgeSchedule(const EdgeBlock& block, const std::int32_t* sources, const RowPieces& rows, bool knowsEdges, int threads,
                 const RowSet* packed = nullptr);

    std::int64_t firstRow(std::int64_t piece) const { return m_rows.first(piece); }
    const std::vector<std::int64_t>& pieces() const { return m_pieces; }         ///< where the entries of each begin, and the last one ends
    const PageVector<std::uint32_t>& entries() const { return m_entries; }       ///< [edges] row in the piece << 16 | target in the item
    const PageVector<std::uint16_t>& edges() const { return m_edges; }  ///< [edges] counted from the first of the item, empty if they are not known

    /// Where the entries of an item begin, from those of the piece on.
    std::int64_t begin(std::int64_t piece, std::int64_t item) const { return m_begins[static_cast<std::size_t>(piece * (m_items + 1) + item)]; }

private:
    RowPieces m_rows;
    std::int64_t m_items = 0;
    std::vector<std::int64_t> m_pieces;
    std::vector<std::uint32_t> m_begins;  // [pieces, items + 1]
    PageVector<std::uint32_t> m_entries;
    PageVector<std::uint16_t> m_edges;
};

}  // namespace cleave
