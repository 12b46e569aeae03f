#pragma once

#include <cstddef>
#include <cstdint>
#include <future>
#include <span>
#include <vector>

#include "core/base/mapping.h"
#include "core/base/pages.h"

namespace cleave {

/// Rows that lie in a mapping (mapping.h), which must stay as long as they are read.
struct MappedRows {
    const void* data = nullptr;
    std::size_t rowBytes = 0;
    std::size_t strideBytes = 0;  ///< from one row to the next: not less
};

/// Reads arrays of equally many rows from their files once, from the first to the last, some rows at a time: the next while one is in use. Runs of
/// rows that no index names are left out.
class RowStream {
public:
    /// index: from 0 to count - 1, checked by the caller.
    RowStream(const std::vector<MappedRows>& arrays, std::int64_t count, std::span<const std::int32_t> index);
    ~RowStream();
    RowStream(const RowStream&) = delete;
    RowStream& operator=(const RowStream&) = delete;

    std::int64_t bytes() const { return m_bytes; }  ///< that are to be read, about

    bool next();  ///< false after the last piece. Error if a file cannot be read
    std::int64_t first() const { return m_first; }
    std::int64_t last() const { return m_last; }  ///< of the piece, behind it
    const std::vector<const void*>& rows() const { return m_pieces; }  ///< where row `first` of each array is, with the same strides

private:
    void request(std::int64_t first);
    void read(std::int64_t first, std::int64_t last, std::size_t buffer) const;

    struct Source {
        MappedRows rows;
        MappedFile file;
    };
    std::vector<Source> m_sources;
    std::int64_t m_count;
    mutable std::vector<PageVector<std::byte>> m_buffers;  // two for each array
    std::vector<bool> m_needed;                            // groups of rows
    std::int64_t m_group = 1, m_step = 1, m_bytes = 0;
    std::int64_t m_first = 0, m_last = 0, m_asked = 0;
    std::size_t m_buffer = 0;
    std::future<void> m_read;
    std::vector<const void*> m_pieces;
};

}  // namespace cleave
