#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/parallel.h"
#include "core/kernels/edge_items.h"
#include "core/kernels/edge_tiles.h"

/// What running a program on whole blocks and on rows that come in pieces have in common: private to core/kernels.
namespace cleave {

template <class T>
class EdgeRunner {
public:
    EdgeRunner(const EdgeRunner&) = delete;
    EdgeRunner& operator=(const EdgeRunner&) = delete;

protected:
    /// All of it must live as long as this. readsInPlace: as in EdgeTiles.
    EdgeRunner(const EdgeProgram& program, const std::vector<EdgeArray>& operands, const EdgeBlock& block, const std::vector<T*>& outputs,
               const EdgeRunOptions& options, bool readsInPlace)
        : m_p(program), m_operands(operands), m_block(block), m_outputs(outputs), m_do(primitives<T>(options.isa)),
          m_tiles(program, operands, sizeof(T), readsInPlace), m_items(block)
    {
        for (const EdgeResult& result : program.results) {
            m_partialOffset.push_back(m_partialWidth);
            m_partialWidth += result.reduced ? program.width(result.value) : 0;
        }
        m_partial.resize(static_cast<std::size_t>(m_items.pieces * m_partialWidth));
        const auto items = static_cast<std::int64_t>(m_items.items.size());
        m_rooms.resize(static_cast<std::size_t>(std::clamp<std::int64_t>(options.threads, 1, std::max<std::int64_t>(1, items))));
    }
    ~EdgeRunner() = default;

    /// work(item, its number, a tile of this thread)
    template <class Work>
    void forEachItem(Work work)
    {
        parallelFor(static_cast<std::int64_t>(m_items.items.size()), static_cast<int>(m_rooms.size()), [&](std::int64_t i, int thread) {
            std::vector<T>& tile = m_rooms[static_cast<std::size_t>(thread)];
            if (static_cast<std::int64_t>(tile.size()) < m_tiles.size)
                tile.resize(static_cast<std::size_t>(m_tiles.size));
            work(m_items.items[static_cast<std::size_t>(i)], i, tile.data());
        });
    }

    std::int64_t edgeAt(std::int64_t target) const { return m_block.begin[target] - m_block.begin[0]; }

    static constexpr DType type = sizeof(T) == 4 ? DType::Float32 : DType::Float64;

    static const void* rowOf(const EdgeArray& array, std::int64_t number)
    {
        return static_cast<const std::byte*>(array.rows) + static_cast<std::size_t>(number * array.stride) * itemSize(array.type);
    }

    // The edges of a block that `a` names. tileOrigin: edge of the first row of the tile. place: says where the rows of one of the program's operands
    // are.
    template <class Place>
    void runChain(const EdgeChain& chain, const ReduceArguments<T>& a, bool sumsWithin, const T* tile, std::int64_t tileOrigin, Place place) const
    {
        ChainOperand operands[ChainArguments<T>::mostOperands];
        for (std::size_t i = 0; i < chain.operands.size(); ++i) {
            const auto value = static_cast<std::size_t>(chain.operands[i]);
            ChainOperand& operand = operands[i];
            operand.width = m_p.width(chain.operands[i]);
            if (m_tiles.isInTile(value)) {
                operand.rows = tile + m_tiles.offset[value];
                operand.type = type;
                operand.stride = operand.width;
                operand.origin = tileOrigin;
            } else {
                operand.rows = m_operands[value].rows;
                operand.type = m_operands[value].type;
                operand.row = m_p.operands[value].row;
                operand.stride = m_operands[value].stride;
                place(i, value, operand);
            }
        }
        m_do.chain({a, chain.steps.data(), static_cast<int>(chain.steps.size()), operands, static_cast<int>(chain.operands.size()), sumsWithin});
    }

    // What instructions make of the operands in a tile, and of edge rows from the first edge on that are read where they are.
    // sum: runs a chain that sums within rows, for these edges.
    template <class Sum>
    void calculate(T* tile, std::int64_t first, std::int64_t edges, Sum sum) const
    {
        for (std::size_t i = 0; i < m_p.code.size(); ++i) {
            const EdgeInstruction& instruction = m_p.code[i];
            const std::int64_t offset = m_tiles.offset[m_p.operands.size() + i];
            if (offset < 0)
                continue;
            if (m_tiles.innerChains[i]) {
                ReduceArguments<T> a;
                a.width = m_p.width(instruction.x.value);
                a.heads = a.outStride = instruction.width;
                a.out = tile + offset;
                sum(*m_tiles.innerChains[i], a);
                continue;
            }
            const T* x = term(tile, instruction, instruction.x, 0, first, edges);
            if (instruction.code == EdgeCode::SumInner)
                m_do.sumInner(tile + offset, x, edges * instruction.width, m_p.width(instruction.x.value) / instruction.width);
            else if (instruction.y.value >= 0)
                m_do.binary(instruction.code, tile + offset, x, term(tile, instruction, instruction.y, m_tiles.expansion, first, edges),
                            edges * instruction.width);
            else
                m_do.unary(instruction.code, tile + offset, x, edges * instruction.width, static_cast<T>(instruction.number));
        }
    }

    const T* values(const T* tile, int value, std::int64_t first) const
    {
        const std::int64_t offset = m_tiles.offset[static_cast<std::size_t>(value)];
        if (offset >= 0)
            return tile + offset;
        const EdgeArray& array = m_operands[static_cast<std::size_t>(value)];
        return static_cast<const T*>(array.rows) + first * array.stride;
    }

    const T* term(T* tile, const EdgeInstruction& instruction, const EdgeTerm& term, std::int64_t room, std::int64_t first, std::int64_t edges) const
    {
        const T* rows = values(tile, term.value, first);
        if (!isExpanded(m_p, instruction, term))
            return rows;
        m_do.expand(tile + room, rows, edges, instruction.width, term.repeat, m_p.width(term.value), false);
        return tile + room;
    }

    static void divide(T* row, std::int64_t width, T degree)
    {
        for (std::int64_t i = 0; i < width; ++i)
            row[i] /= degree;
    }

    T* outputOf(const EdgeItem& item, std::size_t r) const
    {
        return item.piece < 0 ? m_outputs[r] + item.firstTarget * m_p.width(m_p.results[r].value) : partial(item.piece, r);
    }

    T* partial(std::int64_t piece, std::size_t result) const
    {
        return m_partial.data() + piece * m_partialWidth + m_partialOffset[result];
    }

    std::int64_t partialWidth() const { return m_partialWidth; }  // of the results of one part of a target's edges
    std::int64_t partialOffset(std::size_t result) const { return m_partialOffset[result]; }

    // The pieces of a long segment, in order. starts: nothing is in its row yet.
    void combine(const LongSegment& segment, bool starts) const
    {
        for (std::size_t r = 0; r < m_p.results.size(); ++r)
            if (m_p.results[r].reduced)
                combine(r, partial(segment.firstPiece, r), segment.pieces, m_outputs[r] + segment.target * m_p.width(m_p.results[r].value), starts,
                        segment.target);
    }

    // What parts of the edges into a target gave for a result, in order. target: these are all of its edges; -1: more follow.
    void combine(std::size_t r, const T* parts, std::int64_t count, T* out, bool starts, std::int64_t target) const
    {
        const EdgeResult& result = m_p.results[r];
        const std::int64_t width = m_p.width(result.value);
        const std::int64_t begin[2] = {0, count};
        ReduceArguments<T> a;
        a.reduce = result.reduce == Reduce::Mean ? Reduce::Sum : result.reduce;
        a.begin = begin;
        a.lastTarget = 1;
        a.lastEdge = count;
        a.starts = starts;
        a.rows = parts;
        a.type = type;
        a.stride = m_partialWidth;
        a.width = width;
        a.out = out;
        a.outStride = width;
        a.fromInitial = result.fromInitial && target >= 0;
        a.initial = a.fromInitial ? static_cast<T>(result.initial) : T(0);
        m_do.reduce(a);
        if (result.reduce == Reduce::Mean && target >= 0)
            divide(out, width, static_cast<T>(m_block.begin[target + 1] - m_block.begin[target]));
    }

    const EdgeProgram& m_p;
    const std::vector<EdgeArray>& m_operands;
    const EdgeBlock& m_block;
    const std::vector<T*>& m_outputs;
    const Primitives<T>& m_do;
    EdgeTiles m_tiles;
    EdgeItems m_items;

private:
    std::vector<std::vector<T>> m_rooms;  // for tiles, of each thread
    // Sums of pieces of long segments.
    std::int64_t m_partialWidth = 0;
    std::vector<std::int64_t> m_partialOffset;  // of each result in a row of them
    mutable std::vector<T> m_partial;
};

}  // namespace cleave
