#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <vector>

#include "core/base/row_stream.h"
#include "core/kernels/edge_schedule.h"
#include "core/run/edge_op.h"

namespace cleave {

/// An edge program whose rows of sources come in pieces, from files: the edges are put into the order of the pieces, which may lie in a file as well.
template <class T>
class EdgesFromFiles {
public:
    /// operands: as edgeArrays gives them, rows of `streamed` not read. packed: the rows of which the pieces consist then, if these are not all.
    /// Before the stream's first piece.
    EdgesFromFiles(const EdgeOp& op, const std::vector<EdgeArray>& operands, const EdgeBlock& block, const std::vector<std::size_t>& streamed,
                   RowStream& stream, int threads, const RowSet* packed = nullptr);

    ~EdgesFromFiles();  ///< ends the stream
    EdgesFromFiles(const EdgesFromFiles&) = delete;
    EdgesFromFiles& operator=(const EdgesFromFiles&) = delete;

    bool readsIndices() const;  ///< whether any but that of the rows that come: indices must stay then

    void begin(const std::vector<T*>& outputs);  ///< as runEdgeProgram fills them
    /// The edges of the stream's piece; rows: of each streamed operand, those of the piece. numbers: of the packed ones, counted from the piece's
    /// first.
    void meet(const std::vector<const void*>& rows, const std::int32_t* numbers = nullptr);
    void finish();

private:
    const EdgeOp& m_op;
    std::vector<EdgeArray> m_operands;
    EdgeBlock m_block;
    std::vector<std::size_t> m_streamed;
    RowStream& m_stream;
    int m_threads;
    std::optional<EdgeSchedule> m_schedule;
    std::optional<EdgeStream<T>> m_edges;
};

/// Rows of a tensor as a stream reads them.
MappedRows rowsOfFile(const at::Tensor& rows);

/// Bytes in memory for what must not lie in files (roomInCore) once these indices have been let go. They go if all that are defined are the same one,
/// which nobody else holds.
std::size_t roomWithout(const std::vector<at::Tensor>& indices);

}  // namespace cleave
