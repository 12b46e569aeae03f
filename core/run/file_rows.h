#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <future>
#include <optional>
#include <span>
#include <vector>

#include "core/base/mapping.h"

/// Rows of tensors that lie in files, under a bound on memory: private to core/run.
namespace cleave {

/// Whether the rows of a tensor lie in a file and are too many for its pages to stay in memory.
bool liesInFile(const at::Tensor& rows);

/// Rows that an index names, each read once, in order of the file.
struct DistinctRows {
    at::Tensor rows;   ///< [distinct rows, width]
    at::Tensor index;  ///< [indices] int32: where each is among these
};

/// rows: [n, width], which lies in a file; index: from 0 to n - 1, checked by the caller. Error if the file cannot be read.
DistinctRows readDistinct(const at::Tensor& rows, std::span<const std::int32_t> index);

/// whole.index_select(0, index), or rows first … first + count - 1, without the pages of a file coming into the process.
at::Tensor rowsAt(const at::Tensor& whole, const at::Tensor& index);
at::Tensor rowsFrom(const at::Tensor& whole, std::int64_t first, std::int64_t count);

/// The same in memory, if it lies in a file: what is read again and again.
at::Tensor inMemory(const at::Tensor& tensor);

/// Rows of a store are written, through its file if it lies in one. into: contiguous, rows first.
void writeRows(const at::Tensor& into, std::int64_t first, const at::Tensor& rows);
void writeRows(const at::Tensor& into, const at::Tensor& ids, const at::Tensor& rows);

/// Reads tensors of equally many rows from their files once, from the first to the last, some rows at a time: the next while one is in use. Runs of
/// rows that no index names are left out.
class RowStream {
public:
    /// rows: [n, width] each; index: checked by the caller.
    RowStream(std::vector<at::Tensor> rows, std::span<const std::int32_t> index);
    ~RowStream();
    RowStream(const RowStream&) = delete;
    RowStream& operator=(const RowStream&) = delete;

    std::int64_t bytes() const { return m_bytes; }  ///< that are to be read

    bool next();  ///< false after the last piece. Error if a file cannot be read
    std::int64_t first() const { return m_first; }
    std::int64_t last() const { return m_last; }  ///< of the piece, behind it
    const std::vector<const void*>& rows() const { return m_pieces; }  ///< where row `first` of each tensor is

private:
    void request(std::int64_t first);
    void read(std::int64_t first, std::int64_t last, std::size_t buffer) const;

    std::vector<at::Tensor> m_rows;
    std::vector<MappedFile> m_files;
    std::vector<at::Tensor> m_buffers;  // two for each tensor
    std::vector<bool> m_needed;         // groups of rows
    std::int64_t m_group = 1, m_step = 1, m_count = 0, m_bytes = 0;
    std::int64_t m_first = 0, m_last = 0, m_asked = 0;
    std::size_t m_buffer = 0;
    std::future<void> m_read;
    std::vector<const void*> m_pieces;
};

}  // namespace cleave
