#include "core/run/global_rows.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <future>

#include "core/base/memory_bound.h"
#include "core/base/pages.h"
#include "core/base/stopping.h"
#include "core/run/edge_op.h"
#include "core/run/file_rows.h"

namespace cleave {

namespace {

std::int64_t widthOf(const at::Tensor& rows, int rowDim)
{
    std::int64_t width = 1;
    for (int d = 0; d < rows.dim(); ++d)
        width *= d == rowDim ? 1 : rows.size(d);
    return width;
}

bool isKnown(at::ScalarType type) { return type == at::kFloat || type == at::kDouble; }

// Rows that are in memory, and used as they are there, need no pieces: threads divide them among themselves.
bool canBeWhole(const at::Tensor& rows) { return !pagesAreBound() && isKnown(rows.scalar_type()); }

// Pieces of some MiB, of as many rows as the kernels want. Those of a file are read ahead, into memory that is taken once.
class Pieces {
public:
    Pieces(const at::Tensor& rows, int rowDim, bool isWhole)
        : m_rows(rows), m_rowDim(rowDim), m_count(rows.size(rowDim)), m_isInFile(rowDim == 0 && goesThroughFile(rows))
    {
        const std::int64_t pieceEntries = isWhole ? rows.numel() : 1 << 20;
        const std::int64_t width = std::max<std::int64_t>(widthOf(rows, rowDim), 1), together = RowTotals::rowsTogether(width);
        m_step = std::min(m_count, std::max<std::int64_t>(1, (pieceEntries + together * width - 1) / (together * width)) * together);
        std::vector<std::int64_t> sizes = rows.sizes().vec();
        sizes[static_cast<std::size_t>(rowDim)] = m_step;
        for (at::Tensor& buffer : m_buffers)
            if (m_isInFile)
                buffer = at::empty(sizes, rows.options());
        request(0);
    }

    ~Pieces()
    {
        if (m_read.valid())
            m_read.wait();
    }
    Pieces(const Pieces&) = delete;
    Pieces& operator=(const Pieces&) = delete;

    // Calls visit(first row, piece), the piece in one of the types that the kernels know.
    void forEach(const std::function<void(std::int64_t first, const at::Tensor& piece)>& visit)
    {
        for (std::int64_t first = 0; first < m_count; first += m_step) {
            stayWithinBound();
            checkStop();
            visit(first, piece(first).to(m_rows.scalar_type() == at::kDouble ? at::kDouble : at::kFloat));
        }
    }

private:
    std::int64_t sizeAt(std::int64_t first) const { return std::min(m_step, m_count - first); }

    void request(std::int64_t first)
    {
        if (!m_isInFile || first >= m_count)
            return;
        m_buffer = 1 - m_buffer;
        m_read =
            std::async(std::launch::async, [this, first, into = m_buffers[m_buffer].narrow(0, 0, sizeAt(first))] { readRows(m_rows, first, into); });
    }

    at::Tensor piece(std::int64_t first)
    {
        if (!m_isInFile)
            return m_rows.narrow(m_rowDim, first, sizeAt(first));
        m_read.get();
        const at::Tensor read = m_buffers[m_buffer].narrow(0, 0, sizeAt(first));
        request(first + m_step);
        return read;
    }

    const at::Tensor& m_rows;
    int m_rowDim;
    std::int64_t m_count, m_step = 1;
    bool m_isInFile;
    at::Tensor m_buffers[2];
    std::size_t m_buffer = 0;
    std::future<void> m_read;
};

// What is made for as long as the op runs, or longer, may lie in files.
auto lasting(auto make)
{
    const MemoryAnywhere anywhere;
    return make();
}

at::Tensor segmentsOf(const Segments& segments, std::int64_t first, std::int64_t count)
{
    if (!segments.index.defined())
        return {};
    const at::Tensor piece = rowsFrom(segments.index, first, count).to(at::kLong).contiguous();
    TORCH_CHECK(piece.min().item<std::int64_t>() >= 0 && piece.max().item<std::int64_t>() < segments.count, "a row belongs to none of the ",
                segments.count, " rows that it is reduced into");
    return piece;
}

template <class T>
void add(RowTotals& totals, const at::Tensor& rows, const at::Tensor& segmentOf)
{
    totals.add(rows.data_ptr<T>(), rows.size(0), segmentOf.defined() ? segmentOf.data_ptr<std::int64_t>() : nullptr, at::get_num_threads());
}

}  // namespace

RowTotals reduceRows(const at::Tensor& rows, int rowDim, Total total, const Segments& segments, const OnPiece& change)
{
    const std::int64_t width = widthOf(rows, rowDim);
    RowTotals totals = lasting([&] { return RowTotals(total, segments.count, width); });
    Pieces(rows, rowDim, canBeWhole(rows) && !change).forEach([&](std::int64_t first, const at::Tensor& piece) {
        const at::Tensor segmentOf = segmentsOf(segments, first, piece.size(rowDim));
        const at::Tensor changed = (change ? change(piece) : piece).movedim(rowDim, 0).contiguous().view({piece.size(rowDim), width});
        if (changed.scalar_type() == at::kDouble)
            add<double>(totals, changed, segmentOf);
        else
            add<float>(totals, changed, segmentOf);
    });
    return totals;
}

at::Tensor mapRows(const at::Tensor& rows, int rowDim, at::ScalarType type, const OnPiece& change)
{
    if (canBeWhole(rows))
        return change(rows).to(type);
    const at::Tensor result = lasting([&] { return at::empty(rows.sizes(), rows.options().dtype(type)); });
    Pieces(rows, rowDim, false).forEach([&](std::int64_t first, const at::Tensor& piece) {
        const at::Tensor made = change(piece);
        if (rowDim == 0)
            writeRows(result, first, made);
        else
            result.narrow(rowDim, first, made.size(rowDim)).copy_(made);
    });
    return result;
}

}  // namespace cleave
