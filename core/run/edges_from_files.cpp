#include "core/run/edges_from_files.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <limits>

#include "core/base/memory_bound.h"

namespace cleave {

template <class T>
EdgesFromFiles<T>::EdgesFromFiles(const EdgeOp& op, const std::vector<EdgeArray>& operands, const EdgeBlock& block,
                                  const std::vector<std::size_t>& streamed, RowStream& stream, int threads, const RowSet* packed)
    : m_op(op), m_operands(operands), m_block(block), m_streamed(streamed), m_stream(stream), m_threads(threads)
{
    const MemoryAnywhere mayLieInFile;
    m_schedule.emplace(block, operands[streamed.front()].sources, stream.pieces(), EdgeStream<T>::needsEdges(op.program, operands, streamed), threads,
                       packed);
    stream.addPieces({m_schedule->entries().data(), sizeof(std::uint32_t), &m_schedule->pieces()});
    if (!m_schedule->edges().empty())
        stream.addPieces({m_schedule->edges().data(), sizeof(std::uint16_t), &m_schedule->pieces()});
}

// The stream reads what is in the order of its pieces.
template <class T>
EdgesFromFiles<T>::~EdgesFromFiles()
{
    m_stream.end();
}

template <class T>
bool EdgesFromFiles<T>::readsIndices() const
{
    return std::ranges::any_of(m_operands,
                               [this](const EdgeArray& array) { return array.sources && array.sources != m_operands[m_streamed.front()].sources; });
}

template <class T>
void EdgesFromFiles<T>::begin(const std::vector<T*>& outputs)
{
    m_edges.emplace(m_op.program, m_operands, m_block, *m_schedule, outputs, m_streamed, EdgeRunOptions{m_threads, bestIsa()});
}

template <class T>
void EdgesFromFiles<T>::meet(const std::vector<const void*>& rows, const std::int32_t* numbers)
{
    m_edges->meet(m_stream.piece(), rows, static_cast<const std::uint32_t*>(m_stream.entries().front()),
                  m_schedule->edges().empty() ? nullptr : static_cast<const std::uint16_t*>(m_stream.entries().back()), numbers);
}

template <class T>
void EdgesFromFiles<T>::finish()
{
    m_edges->finish();
}

template class EdgesFromFiles<float>;
template class EdgesFromFiles<double>;

MappedRows rowsOfFile(const at::Tensor& rows)
{
    const auto item = static_cast<std::size_t>(rows.element_size());
    return {rows.data_ptr(), static_cast<std::size_t>(rows.size(1)) * item, static_cast<std::size_t>(rows.stride(0)) * item};
}

std::size_t roomWithout(const std::vector<at::Tensor>& indices)
{
    const std::size_t room = roomInCore();
    const at::Tensor* index = nullptr;
    std::size_t here = 0;
    for (const at::Tensor& tensor : indices)
        if (tensor.defined()) {
            if (index && !index->is_same(tensor))
                return room;
            index = &tensor;
            ++here;
        }
    const bool goes = index && index->use_count() == here && index->storage().use_count() == 1 && !MappedFile(index->data_ptr()).isMapped();
    return room + std::min(goes ? index->nbytes() : 0, std::numeric_limits<std::size_t>::max() - room);
}

}  // namespace cleave
