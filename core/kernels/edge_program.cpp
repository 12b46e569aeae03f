#include "core/kernels/edge_program.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <memory>
#include <optional>

#include "core/base/parallel.h"
#include "core/kernels/edge_chain.h"
#include "core/kernels/edge_items.h"
#include "core/kernels/edge_schedule.h"

namespace cleave {

namespace {

constexpr std::int64_t tileBytes = 1 << 14;   // of the widest value of a tile

template <class T>
class Runner {
public:
    Runner(const EdgeProgram& program, const std::vector<EdgeArray>& operands, const EdgeBlock& block, const std::vector<T*>& outputs,
           const EdgeRunOptions& options, const std::vector<std::size_t>& streamed = {})
        : m_p(program), m_operands(operands), m_block(block), m_outputs(outputs), m_do(primitives<T>(options.isa)),
          m_items(block)
    {
        if (!streamed.empty()) {
            m_isStreamed.resize(operands.size());
            for (const std::size_t operand : streamed)
                m_isStreamed[operand] = true;
            m_sources = operands[streamed.front()].sources;
            m_readsInPlace = false;
        }
        findNeeded();
        std::int64_t partialWidth = 0;
        for (const EdgeResult& result : program.results) {
            m_partialOffset.push_back(partialWidth);
            partialWidth += result.reduced ? program.width(result.value) : 0;
        }
        m_partialWidth = partialWidth;
        m_partial.resize(static_cast<std::size_t>(m_items.pieces * partialWidth));
        m_tiles.resize(static_cast<std::size_t>(std::max<std::int64_t>(1, std::min<std::int64_t>(options.threads, static_cast<std::int64_t>(m_items.items.size())))));
    }

    void runAll()
    {
        forEachItem([&](std::int64_t i, T* tile) { run(m_items.items[static_cast<std::size_t>(i)], tile); });
        for (const LongSegment& segment : m_items.longSegments)
            combine(segment, true);
    }

    // Before the first piece of the rows: what edges are added to.
    void begin()
    {
        forEachItem([&](std::int64_t i, T*) {
            const EdgeItem& item = m_items.items[static_cast<std::size_t>(i)];
            for (std::size_t r = 0; r < m_p.results.size(); ++r)
                if (const EdgeResult& result = m_p.results[r]; result.reduced) {
                    const std::int64_t width = m_p.width(result.value);
                    T* out = outputOf(item, r);
                    for (std::int64_t t = item.firstTarget; t < item.lastTarget; ++t, out += width)
                        std::fill_n(out, width, edgeAt(t) == edgeAt(t + 1) ? static_cast<T>(result.empty) : first(result, item.piece >= 0));
                }
        });
        for (const LongSegment& segment : m_items.longSegments)
            for (std::size_t r = 0; r < m_p.results.size(); ++r)
                if (const std::int64_t width = m_p.width(m_p.results[r].value); m_p.results[r].reduced)
                    std::fill_n(m_outputs[r] + segment.target * width, width, first(m_p.results[r], false));
    }

    void meet(const EdgeSchedule& schedule, std::int64_t piece, const std::uint32_t* entries, const std::uint16_t* edges)
    {
        forEachItem([&](std::int64_t i, T* tile) {
            Met met;
            const std::int64_t last = schedule.begin(piece, i + 1), step = std::min(m_tileEdges, mostMet);
            for (std::int64_t e = schedule.begin(piece, i); e < last; e += step) {
                const EdgeItem& item = m_items.items[static_cast<std::size_t>(i)];
                met.take(entries + e, edges ? edges + e : nullptr, std::min(step, last - e), static_cast<std::int32_t>(schedule.firstRow(piece)), item.firstEdge);
                meet(item, met, tile);
            }
        });
    }

    // After the last piece of the rows.
    void end()
    {
        for (const LongSegment& segment : m_items.longSegments)
            combine(segment, false);
        forEachItem([&](std::int64_t i, T*) {
            const EdgeItem& item = m_items.items[static_cast<std::size_t>(i)];
            for (std::size_t r = 0; r < m_p.results.size(); ++r)
                if (m_p.results[r].reduced && m_p.results[r].reduce == Reduce::Mean && item.piece < 0)
                    average(item, r);
        });
    }

private:
    template <class Work>
    void forEachItem(Work work)
    {
        parallelFor(static_cast<std::int64_t>(m_items.items.size()), static_cast<int>(m_tiles.size()), [&](std::int64_t i, int thread) {
            std::vector<T>& tile = m_tiles[static_cast<std::size_t>(thread)];
            if (tile.size() < m_tileSize)
                tile.resize(m_tileSize);
            work(i, tile.data());
        });
    }

    std::int64_t edgeAt(std::int64_t target) const { return m_block.begin[target] - m_block.begin[0]; }

    static const void* rowOf(const EdgeArray& array, std::int64_t number)
    {
        return static_cast<const std::byte*>(array.rows) + static_cast<std::size_t>(number * array.stride) * itemSize(array.type);
    }

    // Edges of an item whose sources lie in one piece, by target.
    static constexpr std::int64_t mostMet = 512;
    struct Met {
        std::int64_t count = 0, targets = 0;
        std::int32_t sources[mostMet], inPiece[mostMet];  // rows, counted from the first of all and of the piece
        std::int32_t target[mostMet];                     // of each run of edges, from the first of the item
        std::int64_t begin[mostMet + 1];                  // of each run
        std::int32_t edges[mostMet];                      // of the block, where they are known

        void take(const std::uint32_t* entries, const std::uint16_t* ids, std::int64_t number, std::int32_t firstRow, std::int64_t firstEdge)
        {
            count = number;
            for (std::int64_t i = 0; ids && i < number; ++i)
                edges[i] = static_cast<std::int32_t>(firstEdge) + ids[i];
            targets = 0;
            for (std::int64_t i = 0; i < number; ++i) {
                const auto row = static_cast<std::int32_t>(entries[i] >> 16), to = static_cast<std::int32_t>(entries[i] & 0xffff);
                inPiece[i] = row;
                sources[i] = firstRow + row;
                if (targets == 0 || target[targets - 1] != to) {
                    target[targets] = to;
                    begin[targets++] = i;
                }
            }
            begin[targets] = number;
        }
    };

    void meet(const EdgeItem& item, const Met& met, T* tile)
    {
        std::int32_t room[mostMet];
        for (std::size_t v = 0; v < m_p.operands.size(); ++v)
            if (m_offset[v] >= 0)
                load(tile + m_offset[v], v, item, met, room);
        calculate(tile, 0, met.count, [&](const EdgeChain& chain, ReduceArguments<T>& a) { run(chain, a, true, tile, item, met); });
        for (std::size_t r = 0; r < m_p.results.size(); ++r) {
            const EdgeResult& result = m_p.results[r];
            const std::int64_t width = m_p.width(result.value);
            if (!result.reduced) {
                const T* rows = values(tile, result.value, 0);
                for (std::int64_t i = 0; i < met.count; ++i)
                    std::copy_n(rows + i * width, width, m_outputs[r] + met.edges[i] * width);
                continue;
            }
            ReduceArguments<T> a;
            a.reduce = result.reduce;
            a.starts = a.ends = false;
            a.width = width;
            a.out = outputOf(item, r);
            a.outStride = width;
            if (m_chains[r]) {
                run(*m_chains[r], a, false, tile, item, met);
                continue;
            }
            a.begin = met.begin;
            a.lastTarget = met.targets;
            a.lastEdge = met.count;
            a.targets = met.target;
            if (isReducedInPlace(result.value)) {
                const EdgeArray& array = m_operands[static_cast<std::size_t>(result.value)];
                a.sources = rowsOf(static_cast<std::size_t>(result.value), met, room);
                a.rows = array.rows;
                a.type = array.type;
                a.stride = array.stride;
                a.prefetchEnd = met.count;
            } else {
                a.rows = values(tile, result.value, 0);
                a.type = sizeof(T) == 4 ? DType::Float32 : DType::Float64;
                a.stride = width;
            }
            if (result.weights >= 0) {
                a.heads = m_p.width(result.weights);
                a.weights = values(tile, result.weights, 0);
            }
            m_do.reduce(a);
        }
    }

    void run(const EdgeChain& chain, ReduceArguments<T>& a, bool sumsWithin, const T* tile, const EdgeItem& item, const Met& met) const
    {
        a.begin = met.begin;
        a.lastTarget = met.targets;
        a.lastEdge = met.count;
        a.targets = met.target;
        a.prefetchEnd = met.count;
        std::int32_t rooms[ChainArguments<T>::mostOperands][mostMet];
        run(chain, a, sumsWithin, tile, 0, [&](std::size_t i, std::size_t value, ChainOperand& operand) {
            if (operand.row == EdgeRow::Target)
                operand.rows = rowOf(m_operands[value], item.firstTarget);
            else if (operand.row != EdgeRow::Same)
                operand.sources = rowsOf(value, met, rooms[i]);
        });
    }

    // The edges of a block that `a` names. tileOrigin: edge of the first row of the tile. place: says where the rows of one of the program's operands are.
    template <class Place>
    void run(const EdgeChain& chain, const ReduceArguments<T>& a, bool sumsWithin, const T* tile, std::int64_t tileOrigin, Place place) const
    {
        ChainOperand operands[ChainArguments<T>::mostOperands];
        for (std::size_t i = 0; i < chain.operands.size(); ++i) {
            const auto value = static_cast<std::size_t>(chain.operands[i]);
            ChainOperand& operand = operands[i];
            operand.width = m_p.width(chain.operands[i]);
            if (m_offset[value] >= 0) {
                operand.rows = tile + m_offset[value];
                operand.type = sizeof(T) == 4 ? DType::Float32 : DType::Float64;
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

    // Of a source or edge operand.
    const std::int32_t* rowsOf(std::size_t operand, const Met& met, std::int32_t* room) const
    {
        if (m_p.operands[operand].row == EdgeRow::Edge)
            return met.edges;
        if (m_isStreamed[operand])
            return met.inPiece;
        if (m_operands[operand].sources == m_sources)
            return met.sources;
        for (std::int64_t i = 0; i < met.count; ++i)
            room[i] = m_operands[operand].sources[met.edges[i]];
        return room;
    }

    void load(T* out, std::size_t operand, const EdgeItem& item, const Met& met, std::int32_t* room) const
    {
        const EdgeArray& array = m_operands[operand];
        const std::int64_t width = m_p.operands[operand].width;
        switch (m_p.operands[operand].row) {
        case EdgeRow::Same:
            m_do.load(out, array.rows, array.type, 0, nullptr, 0, met.count, width);
            break;
        case EdgeRow::Target:
            for (std::int64_t run = 0; run < met.targets; ++run)
                m_do.load(out + met.begin[run] * width, rowOf(array, item.firstTarget + met.target[run]), array.type, 0, nullptr, 0, met.begin[run + 1] - met.begin[run], width);
            break;
        default:
            m_do.load(out, array.rows, array.type, array.stride, rowsOf(operand, met, room), met.count, met.count, width);
        }
    }

    // What changes nothing when edges are added to it.
    static T first(const EdgeResult& result, bool isPartial)
    {
        if (result.fromInitial && !isPartial)
            return static_cast<T>(result.initial);
        constexpr T all = std::numeric_limits<T>::infinity();
        return result.reduce == Reduce::Max ? -all : result.reduce == Reduce::Min ? all : T(0);
    }

    void average(const EdgeItem& item, std::size_t r) const
    {
        const std::int64_t width = m_p.width(m_p.results[r].value);
        T* out = outputOf(item, r);
        for (std::int64_t t = item.firstTarget; t < item.lastTarget; ++t, out += width)
            if (const std::int64_t degree = edgeAt(t + 1) - edgeAt(t); degree > 1)
                divide(out, width, static_cast<T>(degree));
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

    int operandCount() const { return static_cast<int>(m_p.operands.size()); }
    bool isOperand(int value) const { return value < operandCount(); }

    // Edge rows of T that lie after each other are read where they are.
    bool isDirect(int value) const
    {
        if (!isOperand(value))
            return false;
        const EdgeArray& array = m_operands[static_cast<std::size_t>(value)];
        const EdgeOperand& operand = m_p.operands[static_cast<std::size_t>(value)];
        return operand.row == EdgeRow::Edge && isNative(array) && array.stride == operand.width && m_readsInPlace;
    }

    static bool isNative(const EdgeArray& array) { return array.type == (sizeof(T) == 4 ? DType::Float32 : DType::Float64); }

    // Rows that are reduced straight from where they are stored.
    bool isReducedInPlace(int value) const
    {
        return isOperand(value) && (m_p.operands[static_cast<std::size_t>(value)].row == EdgeRow::Source ||
                                    m_p.operands[static_cast<std::size_t>(value)].row == EdgeRow::Edge);
    }

    void findNeeded()
    {
        const std::size_t count = m_p.operands.size() + m_p.code.size();
        std::vector<bool> needed(count);
        const auto need = [&](int value) {
            if (value >= 0 && !isDirect(value))
                needed[static_cast<std::size_t>(value)] = true;
        };
        const auto needOperands = [&](const EdgeChain& chain, std::int64_t width) {
            for (const int value : chain.operands)
                if (!isOperand(value) || (!isNative(m_operands[static_cast<std::size_t>(value)]) && m_p.width(value) != width))
                    need(value);
        };
        constexpr bool isFloat = sizeof(T) == 4;
        for (const EdgeResult& result : m_p.results) {
            std::optional<EdgeChain>& chain = m_chains.emplace_back();
            if (result.reduced && std::ranges::none_of(m_p.results, [&](const EdgeResult& other) { return !other.reduced && other.value == result.value; }))
                chain = chainOf(m_p, result.value, result.weights, isFloat);
            if (chain) {
                needOperands(*chain, m_p.width(result.value));
                continue;
            }
            if (!result.reduced || !isReducedInPlace(result.value))
                need(result.value);
            need(result.weights);
        }
        m_innerChains.resize(m_p.code.size());
        std::int64_t widest = 1, expansions = 0;
        for (std::size_t i = m_p.code.size(); i-- > 0;) {
            if (!needed[m_p.operands.size() + i])
                continue;
            if (m_p.code[i].code == EdgeCode::SumInner)
                m_innerChains[i] = chainOf(m_p, m_p.code[i].x.value, -1, isFloat);
            if (m_innerChains[i]) {
                needOperands(*m_innerChains[i], m_p.width(m_p.code[i].x.value));
                continue;
            }
            for (const EdgeTerm& term : {m_p.code[i].x, m_p.code[i].y}) {
                need(term.value);
                if (term.value >= 0 && isExpanded(m_p.code[i], term))
                    expansions = std::max(expansions, m_p.code[i].width);
            }
        }
        std::int64_t total = 2 * expansions;
        for (std::size_t v = 0; v < count; ++v)
            if (needed[v]) {
                widest = std::max(widest, m_p.width(static_cast<int>(v)));
                total += m_p.width(static_cast<int>(v));
            }
        // Where several results read the same rows, these are in the caches still.
        m_goesByTiles = total > 0 || m_p.results.size() > 1;
        m_tileEdges = std::clamp<std::int64_t>(tileBytes / static_cast<std::int64_t>(sizeof(T)) / widest, 16, 512);
        m_offset.assign(count, -1);
        std::int64_t offset = 2 * expansions * m_tileEdges;
        m_expansion = expansions * m_tileEdges;
        for (std::size_t v = 0; v < count; ++v)
            if (needed[v]) {
                m_offset[v] = offset;
                offset += m_p.width(static_cast<int>(v)) * m_tileEdges;
            }
        m_tileSize = static_cast<std::size_t>(offset);
    }

    bool isExpanded(const EdgeInstruction& instruction, const EdgeTerm& term) const
    {
        return instruction.code != EdgeCode::SumInner && m_p.width(term.value) != instruction.width;
    }

    void run(const EdgeItem& item, T* tile) const
    {
        if (!m_goesByTiles) {
            reduce(item, tile, item.firstTarget, item.lastTarget, item.firstEdge, item.lastEdge, true, true);
            return;
        }
        if (item.piece >= 0) {
            runPieces(item, tile, item.firstTarget, item.firstEdge, item.lastEdge, true, true);
            return;
        }
        for (std::int64_t t = item.firstTarget; t < item.lastTarget;) {
            std::int64_t end = t;
            while (end < item.lastTarget && edgeAt(end + 1) - edgeAt(t) <= m_tileEdges)
                ++end;
            if (end == t) {
                runPieces(item, tile, t, edgeAt(t), edgeAt(t + 1), true, true);
                end = t + 1;
            } else {
                compute(tile, t, end, edgeAt(t), edgeAt(end));
                reduce(item, tile, t, end, edgeAt(t), edgeAt(end), true, true);
            }
            t = end;
        }
    }

    // Edges into one target, as many at a time as a tile has room for.
    void runPieces(const EdgeItem& item, T* tile, std::int64_t target, std::int64_t first, std::int64_t last, bool starts, bool ends) const
    {
        for (std::int64_t e = first; e < last; e += m_tileEdges) {
            const std::int64_t end = std::min(e + m_tileEdges, last);
            compute(tile, target, target + 1, e, end);
            reduce(item, tile, target, target + 1, e, end, starts && e == first, ends && end == last);
        }
    }

    // The values of edges first … last - 1, which lead into targets firstTarget … lastTarget - 1.
    void compute(T* tile, std::int64_t firstTarget, std::int64_t lastTarget, std::int64_t first, std::int64_t last) const
    {
        const std::int64_t edges = last - first;
        if (edges == 0)
            return;
        for (std::size_t v = 0; v < m_p.operands.size(); ++v)
            if (m_offset[v] >= 0)
                load(tile + m_offset[v], v, firstTarget, lastTarget, first, last);
        calculate(tile, first, edges, [&](const EdgeChain& chain, ReduceArguments<T>& a) {
            of(a, firstTarget, lastTarget, first, last);
            a.rowOrigin = first;
            run(chain, a, true, tile, first, [&](std::size_t, std::size_t value, ChainOperand& operand) { place(operand, m_operands[value], firstTarget); });
        });
    }

    // The edges first … last - 1 of the block.
    void of(ReduceArguments<T>& a, std::int64_t firstTarget, std::int64_t lastTarget, std::int64_t first, std::int64_t last) const
    {
        a.begin = m_block.begin;
        a.origin = m_block.begin[0];
        a.firstTarget = firstTarget;
        a.lastTarget = lastTarget;
        a.firstEdge = first;
        a.lastEdge = last;
        a.prefetchEnd = m_block.edges();
    }

    static void place(ChainOperand& operand, const EdgeArray& array, std::int64_t firstTarget)
    {
        if (operand.row == EdgeRow::Target)
            operand.rows = rowOf(array, firstTarget);
        else if (operand.row == EdgeRow::Source)
            operand.sources = array.sources;
    }

    // What instructions make of the operands in a tile, and of edge rows from the first edge on that are read where they are.
    // runChain: of a chain, for these edges.
    template <class RunChain>
    void calculate(T* tile, std::int64_t first, std::int64_t edges, RunChain runChain) const
    {
        for (std::size_t i = 0; i < m_p.code.size(); ++i) {
            const EdgeInstruction& instruction = m_p.code[i];
            const std::int64_t offset = m_offset[m_p.operands.size() + i];
            if (offset < 0)
                continue;
            if (m_innerChains[i]) {
                ReduceArguments<T> a;
                a.width = m_p.width(instruction.x.value);
                a.heads = a.outStride = instruction.width;
                a.out = tile + offset;
                runChain(*m_innerChains[i], a);
                continue;
            }
            const T* x = term(tile, instruction, instruction.x, 0, first, edges);
            if (instruction.code == EdgeCode::SumInner)
                m_do.sumInner(tile + offset, x, edges * instruction.width, m_p.width(instruction.x.value) / instruction.width);
            else if (instruction.y.value >= 0)
                m_do.binary(instruction.code, tile + offset, x, term(tile, instruction, instruction.y, m_expansion, first, edges),
                            edges * instruction.width);
            else
                m_do.unary(instruction.code, tile + offset, x, edges * instruction.width, static_cast<T>(instruction.number));
        }
    }

    const T* values(const T* tile, int value, std::int64_t first) const
    {
        const std::int64_t offset = m_offset[static_cast<std::size_t>(value)];
        if (offset >= 0)
            return tile + offset;
        const EdgeArray& array = m_operands[static_cast<std::size_t>(value)];
        return static_cast<const T*>(array.rows) + first * array.stride;
    }

    const T* term(T* tile, const EdgeInstruction& instruction, const EdgeTerm& term, std::int64_t room, std::int64_t first, std::int64_t edges) const
    {
        const T* rows = values(tile, term.value, first);
        if (!isExpanded(instruction, term))
            return rows;
        m_do.expand(tile + room, rows, edges, instruction.width, term.repeat, m_p.width(term.value), false);
        return tile + room;
    }

    void load(T* out, std::size_t operand, std::int64_t firstTarget, std::int64_t lastTarget, std::int64_t first, std::int64_t last) const
    {
        const EdgeArray& array = m_operands[operand];
        const std::int64_t width = m_p.operands[operand].width;
        switch (m_p.operands[operand].row) {
        case EdgeRow::Edge:
            m_do.load(out, rowOf(array, first), array.type, array.stride, nullptr, 0, last - first, width);
            break;
        case EdgeRow::Source:
            m_do.load(out, array.rows, array.type, array.stride, array.sources + first, m_block.edges() - first, last - first, width);
            break;
        case EdgeRow::Same:
            m_do.load(out, array.rows, array.type, 0, nullptr, 0, last - first, width);
            break;
        case EdgeRow::Target:
            for (std::int64_t t = firstTarget; t < lastTarget; ++t) {
                const std::int64_t begin = std::max(m_block.begin[t] - m_block.begin[0], first);
                const std::int64_t end = std::min(m_block.begin[t + 1] - m_block.begin[0], last);
                m_do.load(out + (begin - first) * width, rowOf(array, t), array.type, 0, nullptr, 0, end - begin, width);
            }
        }
    }

    void reduce(const EdgeItem& item, T* tile, std::int64_t firstTarget, std::int64_t lastTarget, std::int64_t first, std::int64_t last, bool starts,
                bool ends) const
    {
        for (std::size_t r = 0; r < m_p.results.size(); ++r) {
            const EdgeResult& result = m_p.results[r];
            const std::int64_t width = m_p.width(result.value);
            if (!result.reduced) {
                std::copy_n(values(tile, result.value, first), (last - first) * width, m_outputs[r] + first * width);
                continue;
            }
            ReduceArguments<T> a;
            of(a, firstTarget, lastTarget, first, last);
            a.reduce = result.reduce;
            a.starts = starts;
            a.ends = ends && item.piece < 0;
            a.width = width;
            a.out = item.piece < 0 ? m_outputs[r] + firstTarget * width : partial(item.piece, r);
            a.outStride = width;
            a.fromInitial = result.fromInitial && item.piece < 0;
            a.initial = a.fromInitial ? static_cast<T>(result.initial) : T(0);
            a.empty = static_cast<T>(result.empty);
            if (m_chains[r]) {
                run(*m_chains[r], a, false, tile, first, [&](std::size_t, std::size_t value, ChainOperand& operand) { place(operand, m_operands[value], firstTarget); });
                continue;
            }
            if (isReducedInPlace(result.value)) {
                const EdgeArray& array = m_operands[static_cast<std::size_t>(result.value)];
                a.sources = m_p.operands[static_cast<std::size_t>(result.value)].row == EdgeRow::Source ? array.sources : nullptr;
                a.rows = array.rows;
                a.type = array.type;
                a.stride = array.stride;
            } else {
                a.rows = values(tile, result.value, first);
                a.type = sizeof(T) == 4 ? DType::Float32 : DType::Float64;
                a.stride = width;
                a.rowOrigin = first;
            }
            if (result.weights >= 0) {
                a.heads = m_p.width(result.weights);
                a.weights = values(tile, result.weights, first);
                a.weightOrigin = first;
            }
            m_do.reduce(a);
        }
    }

    T* partial(std::int64_t piece, std::size_t result) const
    {
        return m_partial.data() + piece * m_partialWidth + m_partialOffset[result];
    }

    // The pieces of a long segment, in order. starts: nothing is in its row yet.
    void combine(const LongSegment& segment, bool starts) const
    {
        for (std::size_t r = 0; r < m_p.results.size(); ++r) {
            const EdgeResult& result = m_p.results[r];
            if (!result.reduced)
                continue;
            const std::int64_t width = m_p.width(result.value);
            const std::int64_t begin[2] = {0, segment.pieces};
            ReduceArguments<T> a;
            a.reduce = result.reduce == Reduce::Mean ? Reduce::Sum : result.reduce;
            a.begin = begin;
            a.lastTarget = 1;
            a.lastEdge = segment.pieces;
            a.starts = starts;
            a.rows = partial(segment.firstPiece, r);
            a.type = sizeof(T) == 4 ? DType::Float32 : DType::Float64;
            a.stride = m_partialWidth;
            a.width = width;
            a.out = m_outputs[r] + segment.target * width;
            a.outStride = width;
            a.fromInitial = result.fromInitial;
            a.initial = result.fromInitial ? static_cast<T>(result.initial) : T(0);
            m_do.reduce(a);
            if (result.reduce == Reduce::Mean) {
                const T degree = static_cast<T>(m_block.begin[segment.target + 1] - m_block.begin[segment.target]);
                divide(a.out, width, degree);
            }
        }
    }

    const EdgeProgram& m_p;
    const std::vector<EdgeArray>& m_operands;
    const EdgeBlock& m_block;
    const std::vector<T*>& m_outputs;
    const Primitives<T>& m_do;
    std::vector<std::int64_t> m_offset;  // of each value in a tile; -1: it is not there
    std::int64_t m_tileEdges = 0, m_expansion = 0, m_partialWidth = 0;
    std::size_t m_tileSize = 0;
    bool m_goesByTiles = false;
    std::vector<std::optional<EdgeChain>> m_chains;       // of results
    std::vector<std::optional<EdgeChain>> m_innerChains;  // of instructions: what SumInner sums
    bool m_readsInPlace = true;  // not where a tile holds edges that do not follow each other
    std::vector<std::int64_t> m_partialOffset;
    mutable std::vector<T> m_partial;
    EdgeItems m_items;
    std::vector<std::vector<T>> m_tiles;   // of each thread
    // Where rows come in pieces: which operands, and what names their rows.
    std::vector<bool> m_isStreamed;
    const std::int32_t* m_sources = nullptr;
};

}  // namespace

std::int64_t EdgeProgram::width(int value) const
{
    const auto v = static_cast<std::size_t>(value);
    return v < operands.size() ? operands[v].width : code[v - operands.size()].width;
}

void EdgeProgram::check() const
{
    [[maybe_unused]] const int inputs = static_cast<int>(operands.size());
    for (std::size_t i = 0; i < code.size(); ++i)
        for ([[maybe_unused]] const EdgeTerm& term : {code[i].x, code[i].y}) {
            assert(term.value < inputs + static_cast<int>(i));
            assert(term.value < 0 || code[i].width % width(term.value) == 0 || code[i].code == EdgeCode::SumInner);
        }
    for ([[maybe_unused]] const EdgeResult& result : results) {
        assert(result.value >= 0 && result.value < inputs + static_cast<int>(code.size()));
        assert(result.weights < 0 || width(result.value) % width(result.weights) == 0);
    }
}

template <class T>
void runEdgeProgram(const EdgeProgram& program, const std::vector<EdgeArray>& operands, const EdgeBlock& block, const std::vector<T*>& outputs,
                    const EdgeRunOptions& options)
{
    Runner<T>(program, operands, block, outputs, options).runAll();
}

template <class T>
struct EdgeStream<T>::Impl {
    std::vector<EdgeArray> operands;
    EdgeBlock block;
    const EdgeSchedule& schedule;
    std::vector<T*> outputs;
    std::vector<std::size_t> streamed;
    Runner<T> runner;

    Impl(const EdgeProgram& program, const std::vector<EdgeArray>& arrays, const EdgeBlock& edges, const EdgeSchedule& order, const std::vector<T*>& results,
         const std::vector<std::size_t>& pieces, const EdgeRunOptions& options)
        : operands(arrays), block(edges), schedule(order), outputs(results), streamed(pieces), runner(program, operands, block, outputs, options, streamed)
    {
    }
};

template <class T>
bool EdgeStream<T>::needsEdges(const EdgeProgram& program, const std::vector<EdgeArray>& operands, const std::vector<std::size_t>& streamed)
{
    const std::int32_t* const sources = operands[streamed.front()].sources;
    for (std::size_t v = 0; v < operands.size(); ++v)
        if (program.operands[v].row == EdgeRow::Edge || (program.operands[v].row == EdgeRow::Source && operands[v].sources != sources))
            return true;
    return std::ranges::any_of(program.results, [](const EdgeResult& result) { return !result.reduced; });
}

template <class T>
EdgeStream<T>::EdgeStream(const EdgeProgram& program, const std::vector<EdgeArray>& operands, const EdgeBlock& block, const EdgeSchedule& schedule,
                          const std::vector<T*>& outputs, const std::vector<std::size_t>& streamed, const EdgeRunOptions& options)
    : m(std::make_unique<Impl>(program, operands, block, schedule, outputs, streamed, options))
{
    assert(!streamed.empty());
    m->runner.begin();
}

template <class T>
EdgeStream<T>::~EdgeStream() = default;

template <class T>
void EdgeStream<T>::meet(std::int64_t piece, const std::vector<const void*>& rows, const std::uint32_t* entries, const std::uint16_t* edges)
{
    for (std::size_t i = 0; i < rows.size(); ++i)
        m->operands[m->streamed[i]].rows = rows[i];
    m->runner.meet(m->schedule, piece, entries, edges);
}

template <class T>
void EdgeStream<T>::finish()
{
    m->runner.end();
}

template class EdgeStream<float>;
template class EdgeStream<double>;

template void runEdgeProgram<float>(const EdgeProgram&, const std::vector<EdgeArray>&, const EdgeBlock&, const std::vector<float*>&,
                                    const EdgeRunOptions&);
template void runEdgeProgram<double>(const EdgeProgram&, const std::vector<EdgeArray>&, const EdgeBlock&, const std::vector<double*>&,
                                     const EdgeRunOptions&);

}  // namespace cleave
