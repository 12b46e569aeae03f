#include "core/base/row_stream.h"

#include <algorithm>
#include <atomic>
#include <bit>

#include "core/base/memory.h"
#include "core/base/memory_bound.h"
#include "core/base/parallel.h"

namespace cleave {

RowPieces::RowPieces(std::int64_t rows, std::int64_t rowsOfGroup, std::vector<std::int64_t> ends)
    : m_shift(std::countr_zero(static_cast<std::uint64_t>(rowsOfGroup))), m_begins{0}
{
    m_begins.insert(m_begins.end(), ends.begin(), ends.end());
    m_ofGroup.reserve(static_cast<std::size_t>((rows + rowsOfGroup - 1) / rowsOfGroup));
    std::int32_t piece = 0;
    for (std::int64_t row = 0; row < rows; row += rowsOfGroup) {
        while (row >= last(piece))
            ++piece;
        m_ofGroup.push_back(piece);
    }
}

RowStream::RowStream(const std::vector<MappedRows>& arrays, std::int64_t count, std::span<const std::int32_t> index, int threads,
                     std::size_t pieceBytes)
    : m_count(count)
{
    constexpr std::size_t groupBytes = std::size_t{1} << 14;
    std::size_t row = 0;
    for (const MappedRows& array : arrays) {
        m_sources.push_back({array, MappedFile(array.data)});
        row += array.strideBytes;
    }
    row = std::max<std::size_t>(row, 1);
    m_group = static_cast<std::int64_t>(std::bit_floor(std::clamp<std::size_t>(groupBytes / row, 1, RowPieces::mostRows)));
    m_needed.resize(static_cast<std::size_t>((m_count + m_group - 1) / m_group));
    constexpr std::size_t part = std::size_t{1} << 16;
    const int shift = std::countr_zero(static_cast<std::uint64_t>(m_group));
    parallelFor(static_cast<std::int64_t>((index.size() + part - 1) / part), threads, [&](std::int64_t p, int) {
        const std::size_t first = static_cast<std::size_t>(p) * part;
        for (const std::int32_t named : index.subspan(first, std::min(part, index.size() - first)))
            if (const std::atomic_ref<std::uint8_t> group(m_needed[static_cast<std::size_t>(named >> shift)]);
                group.load(std::memory_order_relaxed) == 0)
                group.store(1, std::memory_order_relaxed);
    });
    m_bytes = std::ranges::count(m_needed, 1) * m_group * static_cast<std::int64_t>(row);
    divide(index, row, pieceBytes);
}

// Pieces of about equal bytes, of rows and of what is kept each time that one is named.
void RowStream::divide(std::span<const std::int32_t> index, std::size_t row, std::size_t mayTake)
{
    constexpr std::size_t least = std::size_t{1} << 22, most = std::size_t{1} << 26, mostPieces = 512, eachTime = 8, sampled = 16;
    // Whoever meets the pieces keeps where the edges of each begin.
    const std::size_t all = static_cast<std::size_t>(m_count) * row + index.size() * eachTime;
    std::size_t pieceBytes = std::clamp(all / mostPieces, least, most);
    while (pieceBytes > least && !fitsWithinBound(8 * pieceBytes))
        pieceBytes /= 2;
    // Larger ones are worth the memory that nobody else takes, as long as the first is soon there.
    constexpr std::size_t large = std::size_t{1} << 25, fewPieces = 16;
    pieceBytes = std::max(pieceBytes, std::min({mayTake, large, all / fewPieces}));
    std::vector<std::uint32_t> named(m_needed.size());
    for (std::size_t i = 0; i < index.size(); i += sampled)
        ++named[static_cast<std::size_t>(index[i] / m_group)];
    std::vector<std::int64_t> ends;
    std::size_t bytes = 0;
    for (std::size_t group = 0; group < named.size(); ++group) {
        const std::int64_t first = static_cast<std::int64_t>(group) * m_group, last = std::min(m_count, first + m_group);
        const std::size_t more = static_cast<std::size_t>(m_group) * row + named[group] * sampled * eachTime;
        if (bytes > 0 && (bytes + more > pieceBytes || last - (ends.empty() ? 0 : ends.back()) > RowPieces::mostRows)) {
            ends.push_back(first);
            bytes = 0;
        }
        bytes += more;
    }
    ends.push_back(m_count);
    m_division.emplace(m_count, m_group, std::move(ends));
}

RowStream::~RowStream() { end(); }

void RowStream::end()
{
    {
        const std::lock_guard lock(m_mutex);
        m_ends = true;
    }
    m_changed.notify_all();
    if (m_reader.joinable())
        m_reader.join();
}

void RowStream::addRows(std::int64_t first, std::int64_t last)
{
    if (first < last)
        std::fill(m_needed.begin() + first / m_group, m_needed.begin() + (last + m_group - 1) / m_group, std::uint8_t{1});
}

void RowStream::addPieces(const PiecesOf& pieces) { m_alongside.push_back({pieces, MappedFile(pieces.data)}); }

void RowStream::begin()
{
    m_forgets = isTooLargeToKeep();
    const MemoryBeforeOthers passing;
    std::size_t most = 0;
    for (std::int64_t p = 0; p < m_division->count(); ++p)
        most = std::max(most, place(p, nullptr));
    m_pieces.resize(piecesAtOnce);
    for (Piece& piece : m_pieces)
        piece.memory = PageVector<std::byte>(most);
    m_reader = std::thread([this] { readAll(); });
}

// Bytes of a piece's memory, and where what lies in mappings is put there: rows of some pieces are many, and entries of others.
std::size_t RowStream::place(std::int64_t number, Piece* piece) const
{
    constexpr std::size_t line = 64;
    std::size_t bytes = 0;
    const auto add = [&](bool isMapped, std::size_t size, std::vector<std::byte*> Piece::* where) {
        if (piece)
            (piece->*where).push_back(isMapped ? piece->memory.data() + bytes : nullptr);
        bytes += isMapped ? (size + line - 1) / line * line : 0;
    };
    if (piece) {
        piece->rows.clear();
        piece->entries.clear();
    }
    const auto rows = static_cast<std::size_t>(m_division->last(number) - m_division->first(number));
    for (const Source& source : m_sources)
        add(source.file.isMapped(), rows * source.rows.strideBytes, &Piece::rows);
    for (const auto& [entries, file] : m_alongside) {
        const auto p = static_cast<std::size_t>(number);
        add(file.isMapped(), static_cast<std::size_t>((*entries.begins)[p + 1] - (*entries.begins)[p]) * entries.entryBytes, &Piece::entries);
    }
    return bytes;
}

bool RowStream::isTooLargeToKeep() const
{
    std::size_t bytes = 0;
    for (const auto& [rows, file] : m_sources)
        bytes += file.isMapped() ? bytesOf(rows) : 0;
    if (bytes <= availableMemory())
        return false;
    std::size_t there = 0;
    for (const auto& [rows, file] : m_sources)
        there += file.isMapped() ? file.bytesInMemory(bytesOf(rows)) : 0;
    return there <= bytes / 2;
}

std::size_t RowStream::bytesOf(const MappedRows& rows) const
{
    return static_cast<std::size_t>(std::max<std::int64_t>(m_count - 1, 0)) * rows.strideBytes + rows.rowBytes;
}

// The first piece from this one on that has rows which are needed; -1: there is none.
std::int64_t RowStream::neededFrom(std::int64_t piece) const
{
    if (piece >= m_division->count())
        return -1;
    const auto needed = std::find(m_needed.begin() + m_division->first(piece) / m_group, m_needed.end(), 1);
    return needed == m_needed.end() ? -1 : m_division->of((needed - m_needed.begin()) * m_group);
}

void RowStream::readAll()
{
    std::int64_t number = neededFrom(0);
    for (std::size_t i = 0;; ++i) {
        {
            std::unique_lock lock(m_mutex);
            m_changed.wait(lock, [&] { return m_ends || i < m_used + m_pieces.size(); });
            if (m_ends)
                return;
        }
        Piece& piece = m_pieces[i % m_pieces.size()];
        piece.number = number;
        std::exception_ptr failure;
        try {
            if (number >= 0)
                read(piece);
        } catch (...) {
            failure = std::current_exception();
        }
        {
            const std::lock_guard lock(m_mutex);
            m_failure = failure;
            ++m_filled;
        }
        m_changed.notify_all();
        if (number < 0 || failure)
            return;
        number = neededFrom(number + 1);
    }
}

bool RowStream::next()
{
    if (m_pieces.empty()) {
        begin();
    } else if (m_pieces[m_used % m_pieces.size()].number < 0) {
        return false;
    } else {
        {
            const std::lock_guard lock(m_mutex);
            ++m_used;
        }
        m_changed.notify_all();
    }
    {
        std::unique_lock lock(m_mutex);
        m_changed.wait(lock, [&] { return m_filled > m_used; });
        if (m_failure && m_filled == m_used + 1)
            std::rethrow_exception(m_failure);
    }
    const Piece& piece = m_pieces[m_used % m_pieces.size()];
    m_piece = piece.number;
    if (m_piece < 0)
        return false;
    m_rows.clear();
    for (std::size_t i = 0; i < m_sources.size(); ++i) {
        const auto& [rows, file] = m_sources[i];
        m_rows.push_back(file.isMapped() ? piece.rows[i]
                                         : static_cast<const std::byte*>(rows.data) + static_cast<std::size_t>(first()) * rows.strideBytes);
    }
    m_entries.clear();
    for (std::size_t i = 0; i < m_alongside.size(); ++i) {
        const auto& [entries, file] = m_alongside[i];
        const auto first = static_cast<std::size_t>((*entries.begins)[static_cast<std::size_t>(m_piece)]);
        m_entries.push_back(file.isMapped() ? piece.entries[i] : static_cast<const std::byte*>(entries.data) + first * entries.entryBytes);
    }
    return true;
}

void RowStream::read(Piece& piece) const
{
    place(piece.number, &piece);
    readRows(piece);
    for (std::size_t i = 0; i < m_alongside.size(); ++i) {
        const auto& [entries, file] = m_alongside[i];
        const auto first = static_cast<std::size_t>((*entries.begins)[static_cast<std::size_t>(piece.number)]);
        const auto last = static_cast<std::size_t>((*entries.begins)[static_cast<std::size_t>(piece.number) + 1]);
        if (file.isMapped() && last > first)
            file.read(first * entries.entryBytes, piece.entries[i], (last - first) * entries.entryBytes);
    }
}

// Groups that are needed, with small gaps between them.
void RowStream::readRows(const Piece& piece) const
{
    constexpr std::int64_t gap = 4;
    const std::int64_t first = m_division->first(piece.number), last = m_division->last(piece.number);
    const std::int64_t groups = (last + m_group - 1) / m_group;
    for (std::int64_t group = first / m_group; group < groups;) {
        if (!m_needed[static_cast<std::size_t>(group)]) {
            ++group;
            continue;
        }
        std::int64_t end = group + 1;
        for (std::int64_t g = end; g < std::min(groups, end + gap); ++g)
            if (m_needed[static_cast<std::size_t>(g)])
                end = g + 1;
        const std::int64_t from = group * m_group, to = std::min(last, end * m_group);
        for (std::size_t i = 0; i < m_sources.size(); ++i) {
            const auto& [rows, file] = m_sources[i];
            if (!file.isMapped())
                continue;
            file.read(static_cast<std::size_t>(from) * rows.strideBytes,
                      piece.rows[i] + static_cast<std::size_t>(from - first) * rows.strideBytes,
                      static_cast<std::size_t>(to - from - 1) * rows.strideBytes + rows.rowBytes);
        }
        group = end;
    }
    for (std::size_t i = 0; m_forgets && i < m_sources.size(); ++i)
        if (const auto& [rows, file] = m_sources[i]; file.isMapped())
            file.forget(static_cast<std::size_t>(first) * rows.strideBytes, static_cast<std::size_t>(last - first) * rows.strideBytes);
}

}  // namespace cleave
