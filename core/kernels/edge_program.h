#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/kernels/primitives.h"

namespace cleave {

struct EdgeOperand {
    EdgeRow row = EdgeRow::Edge;
    std::int64_t width = 1;  ///< entries of a row

    bool operator==(const EdgeOperand&) const = default;
};

/// A value as an instruction reads it: entry l of the result meets entry (l / repeat) % cycle, where cycle is the value's width.
struct EdgeTerm {
    int value = -1;  ///< operands first, then results of instructions; -1: none
    std::int64_t repeat = 1;

    bool operator==(const EdgeTerm&) const = default;
};

struct EdgeInstruction {
    EdgeCode code = EdgeCode::Add;
    EdgeTerm x, y;
    double number = 0;       ///< a
    std::int64_t width = 1;  ///< entries of a row of the result

    bool operator==(const EdgeInstruction&) const = default;
};

/// A row for each target (reduced) or for each edge.
struct EdgeResult {
    bool reduced = true;
    Reduce reduce = Reduce::Sum;
    int value = -1;
    int weights = -1;         ///< reduced: a value [edges, heads] that the rows are multiplied by before; -1: none
    bool fromInitial = false; ///< reduced: `initial` takes part like one more edge
    double initial = 0;
    double empty = 0;         ///< reduced: targets without edges

    bool operator==(const EdgeResult&) const = default;
};

/// Arithmetic on edge rows that ends in reductions by target. Run tile by tile, so that no edge tensor is made but those asked for.
struct EdgeProgram {
    std::vector<EdgeOperand> operands;
    std::vector<EdgeInstruction> code;
    std::vector<EdgeResult> results;

    std::int64_t width(int value) const;  ///< entries of a row
    void check() const;                   ///< assertion: values come before their readers, widths fit

    bool operator==(const EdgeProgram&) const = default;
};

/// Rows of an operand in memory. float32, float64 or bfloat16 (computed with in float32).
struct EdgeArray {
    const void* rows = nullptr;
    DType type = DType::Float32;
    std::int64_t stride = 0;                ///< elements between rows
    const std::int32_t* sources = nullptr;  ///< EdgeRow::Source: [edges], checked by the caller
    std::int64_t count = 0;                 ///< rows that there are; 0: not known
};

/// The edges of a block by target: those into t are begin[t] - begin[0] … begin[t + 1] - begin[0] - 1.
struct EdgeBlock {
    const std::int64_t* begin = nullptr;  ///< [targets + 1]
    std::int64_t targets = 0;

    std::int64_t edges() const { return begin[targets] - begin[0]; }
};

class EdgeSchedule;

struct EdgeRunOptions {
    int threads = 1;
    Isa isa = bestIsa();
    std::optional<Cache> ahead = {};      ///< into which rows are asked for ahead; nothing: what is faster
    std::optional<bool> writesPast = {};  ///< whether rows of results, whole lines of 64 bytes, go past the caches; nothing: where they would not stay
};

/// Fills outputs[r], [targets or edges, width] row-major, of T (float or double). The bytes do not depend on the number of threads.
template <class T>
void runEdgeProgram(const EdgeProgram& program, const std::vector<EdgeArray>& operands, const EdgeBlock& block, const std::vector<T*>& outputs,
                    const EdgeRunOptions& options = {});

/// The same program, for rows that do not fit into memory: rows of sources come in pieces, from the first to the last, and each edge is met when
/// its source is there. The bytes do not depend on the number of threads; where edges into each target come in the order of their sources, they are
/// those of runEdgeProgram, but for sums of more than summedAtOnce edges, whose parts are others.
template <class T>
class EdgeStream {
public:
    /// Whether the schedule must know the edges. streamed: operands of sources whose rows come in pieces; they have the same `sources`, which names
    /// them and is not read.
    static bool needsEdges(const EdgeProgram& program, const std::vector<EdgeArray>& operands, const std::vector<std::size_t>& streamed);

    /// Program, arrays and schedule must live as long as this. From here to finish, what is added to the row of a target is part of its sum. The
    /// schedule: of the same block, by the sources of what is streamed.
    EdgeStream(const EdgeProgram& program, const std::vector<EdgeArray>& operands, const EdgeBlock& block, const EdgeSchedule& schedule,
               const std::vector<T*>& outputs, const std::vector<std::size_t>& streamed, const EdgeRunOptions& options = {});
    ~EdgeStream();
    EdgeStream(const EdgeStream&) = delete;
    EdgeStream& operator=(const EdgeStream&) = delete;

    /// Meets the edges of a piece; those before were met, but for pieces without edges. rows[i]: the first row of the piece of streamed operand i.
    /// entries and edges: those of the schedule from where the piece begins; edges may be null if they are not needed. numbers: where the schedule's
    /// rows are packed, which of the piece's rows these are, counted from its first.
    void meet(std::int64_t piece, const std::vector<const void*>& rows, const std::uint32_t* entries, const std::uint16_t* edges,
              const std::int32_t* numbers = nullptr);
    void finish();  ///< after the last piece

private:
    struct Impl;
    std::unique_ptr<Impl> m;
};

}  // namespace cleave
