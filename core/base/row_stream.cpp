#include "core/base/row_stream.h"

#include <algorithm>

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
    m_group = static_cast<std::int64_t>(std::max<std::size_t>(groupBytes / row, 1));
    // Whoever meets the pieces looks through all of its targets for each.
    std::size_t pieceBytes = std::clamp(static_cast<std::size_t>(count) * row / pieces, least, most);
    while (pieceBytes > least && !fitsWithinBound(8 * pieceBytes))
        pieceBytes /= 2;
    m_step = static_cast<std::int64_t>(std::max<std::size_t>(pieceBytes / row, 1)) / m_group * m_group + m_group;
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

// Of the next piece that has rows which are needed, from a row on.
void RowStream::request(std::int64_t first)
{
    const auto needed = std::find(m_needed.begin() + (first + m_group - 1) / m_group, m_needed.end(), true);
    m_asked = (needed - m_needed.begin()) * m_group;
    if (m_asked >= m_count)
        return;
    m_buffer = 1 - m_buffer;
    m_read = std::async(std::launch::async, [this, from = m_asked, to = std::min(m_count, m_asked + m_step), buffer = m_buffer] { read(from, to, buffer); });
}

bool RowStream::next()
{
    if (m_buffers.empty()) {
        const MemoryBeforeOthers passing;
        for (std::size_t i = 0; i < 2 * m_sources.size(); ++i)
            m_buffers.emplace_back(m_sources[i / 2].rows.strideBytes * static_cast<std::size_t>(std::min(m_step, m_count)));
        request(0);
    }
    if (m_asked >= m_count)
        return false;
    m_read.get();
    m_first = m_asked;
    m_last = std::min(m_count, m_first + m_step);
    m_pieces.clear();
    for (std::size_t i = 0; i < m_sources.size(); ++i)
        m_pieces.push_back(m_buffers[2 * i + m_buffer].data());
    request(m_last);
    return true;
}

// Groups that are needed, with small gaps between them.
void RowStream::read(std::int64_t first, std::int64_t last, std::size_t buffer) const
{
    constexpr std::int64_t gap = 4;
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
