#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "core/base/memory_bound.h"
#include "core/base/parallel.h"
#include "core/base/row_set.h"
#include "core/base/stopping.h"
#include "core/run/dense.h"
#include "core/run/edge_op.h"
#include "core/run/edges_from_files.h"
#include "core/run/side_by_side.h"
#include "core/run/tensors.h"

/// Sums over edges into many targets, together with what the targets' own rows add, while the rows of all nodes come from a file once.
namespace cleave {

namespace {

template <class T>
class OwnRowsRun {
public:
    OwnRowsRun(const EdgeOp& op, std::vector<at::Tensor>& rows, std::vector<at::Tensor>& indices, const EdgeBlock& block, const RowsOnce& once)
        : m_op(op),
          m_indices(indices),
          m_block(block),
          m_once(once),
          m_width(op.program.operands[once.operand].width),
          m_in(once.rows.size(1)),
          m_threads(at::get_num_threads()),
          m_matrix(once.matrix.defined() ? once.matrix.to(type()).contiguous() : at::Tensor()),
          m_bias(once.bias.defined() ? once.bias.contiguous() : at::Tensor())
    {
        TORCH_CHECK(m_matrix.defined() ? m_matrix.size(0) == m_width && m_matrix.size(1) == m_in : m_in == m_width,
                    "rows that edges read have another shape");
        const DType stored = dtypeOf(once.rows.scalar_type()), own = sizeof(T) == 4 ? DType::Float32 : DType::Float64;
        TORCH_CHECK(m_matrix.defined() || stored == own || (stored == DType::BFloat16 && own == DType::Float32),
                    "rows that edges read have another type");
        for (std::size_t i = 0; i < op.program.operands.size(); ++i) {
            const std::int32_t* sources = indices[i].defined() ? indices[i].data_ptr<std::int32_t>() : nullptr;
            if (sources)
                checkSources({sources, static_cast<std::size_t>(block.edges())}, i == once.operand ? once.rows.size(0) : rows[i].size(0));
            if (i == once.operand) {
                m_operands.push_back({nullptr, m_matrix.defined() ? own : stored, m_matrix.defined() ? m_width : once.rows.stride(0), sources});
            } else {
                rows[i] = operandRows(op, i, rows[i]);
                m_operands.push_back(edgeArray(rows[i], op.program.operands[i], sources, block));
            }
        }
    }

    at::Tensor run()
    {
        const std::span<const std::int32_t> index(m_operands[m_once.operand].sources, static_cast<std::size_t>(m_block.edges()));
        // Rows that no edge reads are not multiplied for them.
        if (m_matrix.defined())
            m_ofEdges.emplace(index, m_once.rows.size(0), m_threads);
        RowStream stream({rowsOfFile(m_once.rows)}, m_once.rows.size(0), index, m_threads, pieceBytes());
        stream.addRows(m_once.firstOwn, m_once.firstOwn + m_block.targets);
        EdgesFromFiles<T> edges(m_op, m_operands, m_block, {m_once.operand}, stream, m_threads, m_ofEdges ? &*m_ofEdges : nullptr);
        if (!edges.readsIndices())
            m_indices.clear();
        at::Tensor sums = at::empty({m_block.targets, m_width}, type());
        m_sums = sums.data_ptr<T>();
        edges.begin({m_sums});
        const MemoryBeforeOthers passing;
        at::Tensor products = at::empty({m_ofEdges ? mostRead(stream.pieces()) : 0, m_width}, type());
        {
            const SideBySide side;
            while (stream.next()) {
                checkStop();
                if (m_ofEdges)
                    m_numbers = m_ofEdges->between(stream.first(), stream.last());
                multiply(stream, side, products.data_ptr<T>());
                edges.meet({m_ofEdges ? products.data_ptr<T>() : stream.rows().front()}, m_ofEdges ? m_numbers.data() : nullptr);
            }
        }
        edges.finish();
        if (m_once.divisors.defined())
            divide();
        return sums;
    }

private:
    static constexpr std::size_t bytesAtOnce = std::size_t{1} << 19;  // that a thread multiplies

    static constexpr at::ScalarType type() { return c10::CppTypeToScalarType<T>::value; }

    // Indices go before sums come, then pieces, and what the matrix makes of one.
    std::size_t pieceBytes() const
    {
        const auto out = static_cast<std::size_t>(m_width) * sizeof(T), in = static_cast<std::size_t>(m_in * m_once.rows.element_size());
        const std::size_t sums = static_cast<std::size_t>(m_block.targets) * out,
                          products = m_matrix.defined() ? (out + in - 1) / std::max<std::size_t>(in, 1) : 0;
        // Rows side by side, in another type, and what they make.
        const std::size_t besides = sums + 3 * bytesAtOnce * static_cast<std::size_t>(m_threads), room = roomWithout(m_indices);
        return (room - std::min(room, besides)) / (RowStream::piecesAtOnce + products + 1);
    }

    std::int64_t mostRead(const RowPieces& pieces) const
    {
        std::int64_t most = 0;
        for (std::int64_t piece = 0; piece < pieces.count(); ++piece)
            most = std::max(most, m_ofEdges->before(pieces.last(piece)) - m_ofEdges->before(pieces.first(piece)));
        return most;
    }

    // Few rows at a time, for whichever thread is free: the one that reads the file needs a processor as well.
    void multiply(const RowStream& stream, const SideBySide& side, T* products) const
    {
        constexpr std::int64_t most = 1024, least = 8;
        const std::int64_t atOnce =
            std::clamp(static_cast<std::int64_t>(bytesAtOnce / sizeof(T)) / std::max({m_width, m_in, std::int64_t{1}}), least, most);
        const std::int64_t from = std::max(stream.first(), m_once.firstOwn),
                           to = std::max(from, std::min(stream.last(), m_once.firstOwn + m_block.targets));
        const auto read = static_cast<std::int64_t>(m_ofEdges ? m_numbers.size() : 0), ofEdges = (read + atOnce - 1) / atOnce,
                   ofOwn = (to - from + atOnce - 1) / atOnce;
        MemoryOfCaller memory;
        parallelFor(ofEdges + ofOwn, m_threads, [&](std::int64_t job, int) {
            const SideBySide::Thread thread(side);
            const MemoryOfCaller::Here here(memory);
            if (job < ofEdges)
                multiplyRead(stream, job * atOnce, std::min(read, (job + 1) * atOnce), products);
            else
                addOwn(stream, from + (job - ofEdges) * atOnce, std::min(to, from + (job - ofEdges + 1) * atOnce));
        });
    }

    at::Tensor rowsOf(const RowStream& stream, std::int64_t first, std::int64_t last) const
    {
        const auto* begin =
            static_cast<const std::byte*>(stream.rows().front()) + (first - stream.first()) * m_once.rows.stride(0) * m_once.rows.element_size();
        return at::from_blob(const_cast<std::byte*>(begin), {last - first, m_in}, {m_once.rows.stride(0), 1}, m_once.rows.options());
    }

    // Of the rows that edges read, those from one to before another.
    void multiplyRead(const RowStream& stream, std::int64_t first, std::int64_t last, T* products) const
    {
        const std::int32_t* numbers = m_numbers.data() + first;
        const std::int64_t count = last - first;
        at::Tensor rows;
        if (numbers[count - 1] - numbers[0] == count - 1) {
            rows = rowsOf(stream, stream.first() + numbers[0], stream.first() + numbers[0] + count);
        } else {
            rows = at::empty({count, m_in}, m_once.rows.options());
            const std::int64_t item = m_once.rows.element_size(), stride = m_once.rows.stride(0) * item;
            const auto rowBytes = static_cast<std::size_t>(m_in * item);
            const auto* in = static_cast<const std::byte*>(stream.rows().front());
            auto* out = static_cast<std::byte*>(rows.data_ptr());
            for (std::int64_t i = 0; i < count; ++i, out += rowBytes)
                std::memcpy(out, in + numbers[i] * stride, rowBytes);
        }
        rows = rows.to(type()).contiguous();
        denseProduct(rows.data_ptr<T>(), count, m_in, m_matrix.data_ptr<T>(), true, m_width, products + first * m_width);
    }

    // Sums hold what they will be divided by as often.
    void addOwn(const RowStream& stream, std::int64_t first, std::int64_t last) const
    {
        const at::Tensor own = m_once.own(first, rowsOf(stream, first, last)).contiguous();
        TORCH_CHECK(own.size(0) == last - first && own.size(1) == m_width, "own rows have another shape");
        const T* const from = own.data_ptr<T>();
        const T* const bias = m_bias.defined() ? m_bias.data_ptr<T>() : nullptr;
        const T* const divisors = m_once.divisors.defined() ? m_once.divisors.data_ptr<T>() + (first - m_once.firstOwn) : nullptr;
        T* const sums = m_sums + (first - m_once.firstOwn) * m_width;
        for (std::int64_t i = 0; i < last - first; ++i) {
            const T times = divisors ? divisors[i] : T(1);
            for (std::int64_t k = 0; k < m_width; ++k)
                sums[i * m_width + k] += times * (bias ? from[i * m_width + k] + bias[k] : from[i * m_width + k]);
        }
    }

    void divide() const
    {
        constexpr std::int64_t atOnce = 256;
        const T* const divisors = m_once.divisors.data_ptr<T>();
        parallelFor((m_block.targets + atOnce - 1) / atOnce, m_threads, [&](std::int64_t part, int) {
            for (std::int64_t i = part * atOnce; i < std::min(m_block.targets, (part + 1) * atOnce); ++i)
                for (std::int64_t k = 0; divisors[i] != 1 && k < m_width; ++k)
                    m_sums[i * m_width + k] /= divisors[i];
        });
    }

    const EdgeOp& m_op;
    std::vector<at::Tensor>& m_indices;
    const EdgeBlock& m_block;
    const RowsOnce& m_once;
    std::int64_t m_width, m_in;  // of rows that are added up, and that come
    int m_threads;
    at::Tensor m_matrix, m_bias;
    std::vector<EdgeArray> m_operands;
    std::optional<RowSet> m_ofEdges;      // by edges
    std::vector<std::int32_t> m_numbers;  // of those in the piece that is there
    T* m_sums = nullptr;
};

}  // namespace

at::Tensor runWithOwnRows(const EdgeOp& op, std::vector<at::Tensor> rows, std::vector<at::Tensor> indices, const EdgeBlock& block,
                          const RowsOnce& once)
{
    return op.dtype == DType::Float64 ? OwnRowsRun<double>(op, rows, indices, block, once).run()
                                      : OwnRowsRun<float>(op, rows, indices, block, once).run();
}

}  // namespace cleave
