#include "core/base/row_stream.h"

#include <algorithm>
#include <bit>

#include "core/base/memory_bound.h"

namespace cleave {

RowStream::RowStream(const std::vector<MappedRows>& arrays, std::int64_t count, std::span<const std::int32_t> index) : m_count(count)
{
    constexpr std::size_t groupBytes = std::size_t{1} << 14, least = std::size_t{1} << 23, most = std::size_t{1} << 26, pieces = 512;
    std::size_t row = 0;
    for (const MappedRows& array : arrays) {
        m_sources.push_back({array, MappedFile(array.data)});
        row += array.strideBytes;
    }
    row = std::max<std::size_t>(row, 1);
    m_group = static_cast<std::int64_t>(std::bit_floor(std::clamp<std::size_t>(groupBytes / row, 1, mostRows)));
    // Whoever meets the pieces keeps where the edges of each begin.
    std::size_t pieceBytes = std::clamp(static_cast<std::size_t>(count) * row / pieces, least, most);
    while (pieceBytes > least && !fitsWithinBound(8 * pieceBytes))
        pieceBytes /= 2;
    m_step = static_cast<std::int64_t>(std::bit_floor(std::clamp<std::size_t>(pieceBytes / row, static_cast<std::size_t>(m_group), mostRows)));
    m_needed.resize(static_cast<std::size_t>((m_count + m_group - 1) / m_group));
    for (const std::int32_t i : index)
        m_needed[static_cast<std::size_t>(i / m_group)] = true;
    m_bytes = std::ranges::count(m_needed, true) * m_group * static_cast<std::int64_t>(row);
}

RowStream::~RowStream()
{
    if (m_read.valid())
        m_read.wait();
}

void RowStream::addPieces(const PiecesOf& pieces) { m_alongside.push_back({pieces, MappedFile(pieces.data)}); }

void RowStream::makeBuffers()
{
    const MemoryBeforeOthers passing;
    for (std::size_t i = 0; i < 2 * m_sources.size(); ++i)
        m_buffers.emplace_back(m_sources[i / 2].rows.strideBytes * static_cast<std::size_t>(std::min(m_step, m_count)));
    for (std::size_t i = 0; i < 2 * m_alongside.size(); ++i) {
        const auto& [pieces, file] = m_alongside[i / 2];
        std::int64_t most = 0;
        for (std::size_t p = 1; file.isMapped() && p < pieces.begins->size(); ++p)
            most = std::max(most, (*pieces.begins)[p] - (*pieces.begins)[p - 1]);
        m_entryBuffers.emplace_back(static_cast<std::size_t>(most) * pieces.entryBytes);
    }
}

// The next piece that has rows which are needed, from a piece on.
void RowStream::request(std::int64_t piece)
{
    const auto groups = static_cast<std::int64_t>(m_needed.size());
    const auto needed = std::find(m_needed.begin() + std::min(groups, piece * m_step / m_group), m_needed.end(), true);
    m_asked = needed == m_needed.end() ? -1 : (needed - m_needed.begin()) * m_group / m_step;
    if (m_asked < 0)
        return;
    m_buffer = 1 - m_buffer;
    m_read = std::async(std::launch::async, [this, asked = m_asked, buffer = m_buffer] {
        readRows(asked, buffer);
        readEntries(asked, buffer);
    });
}

bool RowStream::next()
{
    if (m_buffers.empty()) {
        makeBuffers();
        request(0);
    }
    if (m_asked < 0)
        return false;
    m_read.get();
    m_piece = m_asked;
    m_rows.clear();
    for (std::size_t i = 0; i < m_sources.size(); ++i)
        m_rows.push_back(m_buffers[2 * i + m_buffer].data());
    m_entries.clear();
    for (std::size_t i = 0; i < m_alongside.size(); ++i) {
        const auto& [pieces, file] = m_alongside[i];
        const auto begin = static_cast<std::size_t>((*pieces.begins)[static_cast<std::size_t>(m_piece)]);
        m_entries.push_back(file.isMapped() ? m_entryBuffers[2 * i + m_buffer].data() : static_cast<const std::byte*>(pieces.data) + begin * pieces.entryBytes);
    }
    request(m_piece + 1);
    return true;
}

void RowStream::readEntries(std::int64_t piece, std::size_t buffer) const
{
    for (std::size_t i = 0; i < m_alongside.size(); ++i) {
        const auto& [pieces, file] = m_alongside[i];
        const auto begin = static_cast<std::size_t>((*pieces.begins)[static_cast<std::size_t>(piece)]), end = static_cast<std::size_t>((*pieces.begins)[static_cast<std::size_t>(piece) + 1]);
        if (file.isMapped() && end > begin)
            file.read(begin * pieces.entryBytes, m_entryBuffers[2 * i + buffer].data(), (end - begin) * pieces.entryBytes);
    }
}

// Groups that are needed, with small gaps between them.
void RowStream::readRows(std::int64_t piece, std::size_t buffer) const
{
    constexpr std::int64_t gap = 4;
    const std::int64_t first = piece * m_step, last = std::min(m_count, first + m_step);
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
            file.read(static_cast<std::size_t>(from) * rows.strideBytes,
                      m_buffers[2 * i + buffer].data() + static_cast<std::size_t>(from - first) * rows.strideBytes,
                      static_cast<std::size_t>(to - from - 1) * rows.strideBytes + rows.rowBytes);
        }
        group = end;
    }
}

}  // namespace cleave
