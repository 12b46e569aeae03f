#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "core/base/mapping.h"
#include "core/base/pages.h"

namespace cleave {

/// Rows that lie in a mapping (mapping.h), or in memory, and must stay as long as they are read.
struct MappedRows {
    const void* data = nullptr;
    std::size_t rowBytes = 0;
    std::size_t strideBytes = 0;  ///< from one row to the next: not less
};

/// Rows in pieces that follow each other, of which none has more than 2^16. They end where a group of equally many rows does.
class RowPieces {
public:
    static constexpr std::int64_t mostRows = 1 << 16;

    /// rowsOfGroup: a power of two. ends: of the pieces, in order, multiples of it; the last may be `rows` itself instead.
    RowPieces(std::int64_t rows, std::int64_t rowsOfGroup, std::vector<std::int64_t> ends);

    std::int64_t count() const { return static_cast<std::int64_t>(m_begins.size()) - 1; }
    std::int64_t first(std::int64_t piece) const { return m_begins[static_cast<std::size_t>(piece)]; }
    std::int64_t last(std::int64_t piece) const { return m_begins[static_cast<std::size_t>(piece) + 1]; }  ///< behind it
    std::int32_t of(std::int64_t row) const { return m_ofGroup[static_cast<std::size_t>(row >> m_shift)]; }

private:
    int m_shift;
    std::vector<std::int64_t> m_begins;
    std::vector<std::int32_t> m_ofGroup;
};

/// What comes with the rows of a stream: entries of an array, in a mapping or not, which must stay as long as they are read.
struct PiecesOf {
    const void* data = nullptr;
    std::size_t entryBytes = 0;
    const std::vector<std::int64_t>* begins = nullptr;  ///< [pieces + 1] the entries that come with each piece
};

/// Reads arrays of equally many rows once, those in mappings from their files, from the first to the last, some rows at a time: the next ones while
/// one is in use. Runs of rows that no index names are left out, and so are pieces without any. Rows that are named often come in smaller pieces,
/// since what is kept for each time takes room as well. Where files are larger than the memory that the system has left, and no more than half of
/// them is in it, what has been read does not stay there, so that the system need not look for what to give up.
class RowStream {
public:
    static constexpr std::size_t piecesAtOnce = 3;  ///< in memory: one in use, one ready, one that is read

    /// index: from 0 to count - 1, checked by the caller. pieceBytes: that there is memory for, if more than pieces take at least: what is added up
    /// from piece to piece is met less often where they are large.
    RowStream(const std::vector<MappedRows>& arrays, std::int64_t count, std::span<const std::int32_t> index, int threads = 1,
              std::size_t pieceBytes = 0);
    ~RowStream();
    RowStream(const RowStream&) = delete;
    RowStream& operator=(const RowStream&) = delete;

    std::int64_t bytes() const { return m_bytes; }  ///< that are to be read, about

    const RowPieces& pieces() const { return *m_division; }
    void addRows(std::int64_t first, std::int64_t last);     ///< that are needed as well; before the first piece
    void addPieces(const PiecesOf& pieces);                  ///< before the first piece

    bool next();  ///< false after the last piece. Error if a file cannot be read; not to be called again then
    void end();   ///< nothing is read any more, and what comes with the rows may go
    std::int64_t piece() const { return m_piece; }
    std::int64_t first() const { return m_division->first(m_piece); }
    std::int64_t last() const { return m_division->last(m_piece); }  ///< of the piece, behind it
    const std::vector<const void*>& rows() const { return m_rows; }        ///< where row `first` of each array is, with the same strides
    const std::vector<const void*>& entries() const { return m_entries; }  ///< where the piece's entries of each array of entries begin

private:
    struct Piece {
        std::int64_t number = -1;  // -1: there is no more
        PageVector<std::byte> memory;
        std::vector<std::byte*> rows, entries;  // where those of each array lie in it, if they are in a mapping
    };
    void divide(std::span<const std::int32_t> index, std::size_t row, std::size_t mayTake);
    bool isTooLargeToKeep() const;
    std::size_t bytesOf(const MappedRows& rows) const;
    void begin();
    void readAll();
    std::int64_t neededFrom(std::int64_t piece) const;
    std::size_t place(std::int64_t number, Piece* piece) const;
    void read(Piece& piece) const;
    void readRows(const Piece& piece) const;

    struct Source {
        MappedRows rows;
        MappedFile file;
    };
    struct Entries {
        PiecesOf pieces;
        MappedFile file;
    };
    std::vector<Source> m_sources;
    std::vector<Entries> m_alongside;
    std::int64_t m_count;
    std::vector<std::uint8_t> m_needed;  // groups of rows: 1
    std::int64_t m_group = 1, m_bytes = 0;
    std::optional<RowPieces> m_division;
    std::int64_t m_piece = 0;

    // Pieces go round: the thread that reads fills those that are not in use.
    std::vector<Piece> m_pieces;
    std::thread m_reader;
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::size_t m_filled = 0, m_used = 0;  // so far
    bool m_ends = false, m_forgets = false;
    std::exception_ptr m_failure;
    std::vector<const void*> m_rows, m_entries;
};

}  // namespace cleave
