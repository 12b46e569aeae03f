#include "core/kernels/edge_program.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <memory>

#include "core/base/pages.h"
#include "core/base/parallel.h"

namespace cleave {

namespace {

constexpr std::int64_t longSegment = 32768;   // edges: above, a segment is reduced in pieces of this size
constexpr std::int64_t itemEdges = 32768;     // edges and targets that a thread takes at once
constexpr std::int64_t tileBytes = 1 << 14;   // of the widest value of a tile

/// Targets that a thread takes at once, or a piece of one long segment.
struct Item {
    std::int64_t firstTarget, lastTarget;
    std::int64_t firstEdge, lastEdge;
    std::int64_t piece = -1;  // row of the partial results
};

struct LongSegment {
    std::int64_t target, firstPiece, pieces;
};

struct Items {
    std::vector<Item> items;
    std::vector<LongSegment> longSegments;
    std::int64_t pieces = 0;
};

// The same whatever the number of threads.
Items divide(const EdgeBlock& block)
{
    Items all;
    std::int64_t first = 0;
    const auto at = [&](std::int64_t t) { return block.begin[t] - block.begin[0]; };
    const auto close = [&](std::int64_t last) {
        if (last > first)
            all.items.push_back({first, last, at(first), at(last)});
        first = last;
    };
    for (std::int64_t t = 0; t < block.targets; ++t) {
        if (const std::int64_t degree = at(t + 1) - at(t); degree > longSegment) {
            close(t);
            const std::int64_t firstPiece = all.pieces;
            for (std::int64_t e = at(t); e < at(t + 1); e += longSegment)
                all.items.push_back({t, t + 1, e, std::min(e + longSegment, at(t + 1)), all.pieces++});
            all.longSegments.push_back({t, firstPiece, all.pieces - firstPiece});
            first = t + 1;
        } else if (at(t + 1) - at(first) + t + 1 - first >= itemEdges) {
            close(t + 1);
        }
    }
    close(block.targets);
    return all;
}

template <class T>
class Runner {
public:
    Runner(const EdgeProgram& program, const std::vector<EdgeArray>& operands, const EdgeBlock& block, const std::vector<T*>& outputs,
           const EdgeRunOptions& options, bool rowsComeInPieces = false)
        : m_p(program), m_operands(operands), m_block(block), m_outputs(outputs), m_do(primitives<T>(options.isa)),
          m_items(divide(block))
    {
        findNeeded();
        if (rowsComeInPieces && m_hasTile) {
            m_readsInPlace = false;
            findNeeded();
        }
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
        forEachItem([&](const Item& item, T* tile) { run(item, tile); });
        finish();
    }

    // Before the first piece of the rows.
    void begin(std::size_t streamed)
    {
        m_sources = m_operands[streamed].sources;
        m_next.resize(static_cast<std::size_t>(m_block.targets + m_items.pieces));
        forEachItem([&](const Item& item, T* tile) {
            for (std::int64_t t = item.firstTarget; t < item.lastTarget; ++t) {
                setNext(item, t, firstEdge(item, t));
                if (edgeAt(t) == edgeAt(t + 1))
                    reduce(item, tile, t, t + 1, edgeAt(t), edgeAt(t), true, true);
            }
        });
    }

    // Edges whose sources lie before `end`, the others of each target wait.
    void meet(std::int64_t end)
    {
        forEachItem([&](const Item& item, T* tile) {
            constexpr std::size_t ahead = 8;
            std::vector<std::int64_t> targets;
            for (std::int64_t t = item.firstTarget; t < item.lastTarget; ++t)
                if (m_next[place(item, t)] < end)
                    targets.push_back(t);
            Runs runs;
            for (std::size_t i = 0; i < targets.size(); ++i) {
                if (i + ahead < targets.size())
                    __builtin_prefetch(m_sources + firstEdge(item, targets[i + ahead]));
                const std::int64_t t = targets[i], first = firstEdge(item, t), last = lastEdge(item, t);
                const std::int64_t from = std::lower_bound(m_sources + first, m_sources + last, m_next[place(item, t)]) - m_sources;
                std::int64_t next = from;
                while (next < last && m_sources[next] < end)
                    ++next;
                setNext(item, t, next);
                add({t, from, next, from == first, next == last}, item, tile, runs);
            }
            runAll(runs, item, tile);
        });
    }

    // The pieces of long segments become one.
    void finish() const
    {
        for (const LongSegment& segment : m_items.longSegments)
            combine(segment);
    }

private:
    template <class Work>
    void forEachItem(Work work)
    {
        parallelFor(static_cast<std::int64_t>(m_items.items.size()), static_cast<int>(m_tiles.size()), [&](std::int64_t i, int thread) {
            std::vector<T>& tile = m_tiles[static_cast<std::size_t>(thread)];
            if (tile.size() < m_tileSize)
                tile.resize(m_tileSize);
            work(m_items.items[static_cast<std::size_t>(i)], tile.data());
        });
    }

    std::int64_t edgeAt(std::int64_t target) const { return m_block.begin[target] - m_block.begin[0]; }

    // The edges of a target, or of a piece of a long one, and where is noted which come next.
    std::size_t place(const Item& item, std::int64_t target) const
    {
        return static_cast<std::size_t>(item.piece >= 0 ? m_block.targets + item.piece : target);
    }
    std::int64_t firstEdge(const Item& item, std::int64_t target) const { return item.piece >= 0 ? item.firstEdge : edgeAt(target); }
    std::int64_t lastEdge(const Item& item, std::int64_t target) const { return item.piece >= 0 ? item.lastEdge : edgeAt(target + 1); }

    void setNext(const Item& item, std::int64_t target, std::int64_t next)
    {
        m_next[place(item, target)] = next < lastEdge(item, target) ? m_sources[next] : std::numeric_limits<std::int32_t>::max();
    }

    // Edges into one target that follow each other.
    struct Run {
        std::int64_t target, first, last;
        bool starts, ends;

        std::int64_t edges() const { return last - first; }
    };
    struct Runs {
        std::vector<Run> runs;
        std::int64_t edges = 0;
        std::vector<std::int32_t> sources;
    };

    // Short ones share a tile.
    void add(const Run& run, const Item& item, T* tile, Runs& runs) const
    {
        if (run.edges() == 0)
            return;
        if (!m_hasTile || run.edges() > m_tileEdges) {
            runPieces(item, tile, run.target, run.first, run.last, run.starts, run.ends);
            return;
        }
        if (runs.edges + run.edges() > m_tileEdges)
            runAll(runs, item, tile);
        runs.runs.push_back(run);
        runs.edges += run.edges();
    }

    void runAll(Runs& runs, const Item& item, T* tile) const
    {
        if (runs.edges == 0)
            return;
        for (std::size_t v = 0; v < m_p.operands.size(); ++v)
            if (m_offset[v] >= 0)
                load(tile + m_offset[v], v, runs);
        calculate(tile, 0, runs.edges);
        std::int64_t place = 0;
        for (const Run& run : runs.runs) {
            reduce(item, tile, run.target, run.target + 1, run.first, run.last, run.starts, run.ends, place);
            place += run.edges();
        }
        runs.runs.clear();
        runs.edges = 0;
    }

    void load(T* out, std::size_t operand, Runs& runs) const
    {
        const EdgeArray& array = m_operands[operand];
        const std::int64_t width = m_p.operands[operand].width;
        if (m_p.operands[operand].row == EdgeRow::Source) {
            runs.sources.clear();
            for (const Run& run : runs.runs)
                runs.sources.insert(runs.sources.end(), array.sources + run.first, array.sources + run.last);
            m_do.load(out, array.rows, array.type, array.stride, runs.sources.data(), runs.edges, width);
            return;
        }
        for (const Run& run : runs.runs) {
            load(out, operand, run.target, run.target + 1, run.first, run.last);
            out += run.edges() * width;
        }
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
        for (const EdgeResult& result : m_p.results) {
            if (!result.reduced || !isReducedInPlace(result.value))
                need(result.value);
            need(result.weights);
        }
        std::int64_t widest = 1, expansions = 0;
        for (std::size_t i = m_p.code.size(); i-- > 0;)
            if (needed[m_p.operands.size() + i])
                for (const EdgeTerm& term : {m_p.code[i].x, m_p.code[i].y}) {
                    need(term.value);
                    if (term.value >= 0 && isExpanded(m_p.code[i], term))
                        expansions = std::max(expansions, m_p.code[i].width);
                }
        std::int64_t total = 2 * expansions;
        for (std::size_t v = 0; v < count; ++v)
            if (needed[v]) {
                widest = std::max(widest, m_p.width(static_cast<int>(v)));
                total += m_p.width(static_cast<int>(v));
            }
        m_hasTile = total > 0;
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

    void run(const Item& item, T* tile) const
    {
        if (!m_hasTile) {
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
    void runPieces(const Item& item, T* tile, std::int64_t target, std::int64_t first, std::int64_t last, bool starts, bool ends) const
    {
        const std::int64_t step = m_hasTile ? m_tileEdges : std::max<std::int64_t>(last - first, 1);
        for (std::int64_t e = first; e < last; e += step) {
            const std::int64_t end = std::min(e + step, last);
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
        calculate(tile, first, edges);
    }

    // What instructions make of the operands in a tile, and of edge rows from the first edge on that are read where they are.
    void calculate(T* tile, std::int64_t first, std::int64_t edges) const
    {
        for (std::size_t i = 0; i < m_p.code.size(); ++i) {
            const EdgeInstruction& instruction = m_p.code[i];
            const std::int64_t offset = m_offset[m_p.operands.size() + i];
            if (offset < 0)
                continue;
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
        const auto row = [&](std::int64_t number) {
            return static_cast<const std::byte*>(array.rows) + static_cast<std::size_t>(number * array.stride) * itemSize(array.type);
        };
        switch (m_p.operands[operand].row) {
        case EdgeRow::Edge:
            m_do.load(out, row(first), array.type, array.stride, nullptr, last - first, width);
            break;
        case EdgeRow::Source:
            m_do.load(out, array.rows, array.type, array.stride, array.sources + first, last - first, width);
            break;
        case EdgeRow::Same:
            m_do.load(out, array.rows, array.type, 0, nullptr, last - first, width);
            break;
        case EdgeRow::Target:
            for (std::int64_t t = firstTarget; t < lastTarget; ++t) {
                const std::int64_t begin = std::max(m_block.begin[t] - m_block.begin[0], first);
                const std::int64_t end = std::min(m_block.begin[t + 1] - m_block.begin[0], last);
                m_do.load(out + (begin - first) * width, row(t), array.type, 0, nullptr, end - begin, width);
            }
        }
    }

    // place: of the first edge in the tile.
    void reduce(const Item& item, T* tile, std::int64_t firstTarget, std::int64_t lastTarget, std::int64_t first, std::int64_t last, bool starts,
                bool ends, std::int64_t place = 0) const
    {
        for (std::size_t r = 0; r < m_p.results.size(); ++r) {
            const EdgeResult& result = m_p.results[r];
            const std::int64_t width = m_p.width(result.value);
            if (!result.reduced) {
                std::copy_n(values(tile, result.value, first) + place * width, (last - first) * width, m_outputs[r] + first * width);
                continue;
            }
            ReduceArguments<T> a;
            a.reduce = result.reduce;
            a.begin = m_block.begin;
            a.origin = m_block.begin[0];
            a.firstTarget = firstTarget;
            a.lastTarget = lastTarget;
            a.firstEdge = first;
            a.lastEdge = last;
            a.starts = starts;
            a.ends = ends && item.piece < 0;
            if (isReducedInPlace(result.value)) {
                const EdgeArray& array = m_operands[static_cast<std::size_t>(result.value)];
                a.sources = m_p.operands[static_cast<std::size_t>(result.value)].row == EdgeRow::Source ? array.sources : nullptr;
                a.rows = array.rows;
                a.type = array.type;
                a.stride = array.stride;
                a.prefetchEnd = m_block.edges();
            } else {
                a.rows = values(tile, result.value, first) + place * width;
                a.type = sizeof(T) == 4 ? DType::Float32 : DType::Float64;
                a.stride = width;
                a.rowOrigin = first;
            }
            a.width = width;
            if (result.weights >= 0) {
                a.heads = m_p.width(result.weights);
                a.weights = values(tile, result.weights, first) + place * a.heads;
                a.weightOrigin = first;
            }
            a.out = item.piece < 0 ? m_outputs[r] + firstTarget * width : partial(item.piece, r);
            a.outStride = width;
            a.fromInitial = result.fromInitial && item.piece < 0;
            a.initial = a.fromInitial ? static_cast<T>(result.initial) : T(0);
            a.empty = static_cast<T>(result.empty);
            m_do.reduce(a);
        }
    }

    T* partial(std::int64_t piece, std::size_t result) const
    {
        return m_partial.data() + piece * m_partialWidth + m_partialOffset[result];
    }

    // The pieces of a long segment, in order.
    void combine(const LongSegment& segment) const
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
                std::for_each_n(a.out, width, [&](T& entry) { entry /= degree; });
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
    bool m_hasTile = false;
    bool m_readsInPlace = true;  // not where a tile holds edges that do not follow each other
    std::vector<std::int64_t> m_partialOffset;
    mutable std::vector<T> m_partial;
    Items m_items;
    std::vector<std::vector<T>> m_tiles;   // of each thread
    const std::int32_t* m_sources = nullptr;
    // Where rows come in pieces: the source of the next edge of each target, and of each piece of a long one. Most have none among the rows of a piece, and
    // are passed over without a look at their edges.
    PageVector<std::int32_t> m_next;
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
    std::vector<T*> outputs;
    std::vector<std::size_t> streamed;
    Runner<T> runner;

    Impl(const EdgeProgram& program, const std::vector<EdgeArray>& arrays, const EdgeBlock& edges, const std::vector<T*>& results,
         const std::vector<std::size_t>& pieces, const EdgeRunOptions& options)
        : operands(arrays), block(edges), outputs(results), streamed(pieces), runner(program, operands, block, outputs, options, true)
    {
    }
};

template <class T>
EdgeStream<T>::EdgeStream(const EdgeProgram& program, const std::vector<EdgeArray>& operands, const EdgeBlock& block, const std::vector<T*>& outputs,
                          const std::vector<std::size_t>& streamed, const EdgeRunOptions& options)
    : m(std::make_unique<Impl>(program, operands, block, outputs, streamed, options))
{
    assert(!streamed.empty());
    m->runner.begin(streamed.front());
}

template <class T>
EdgeStream<T>::~EdgeStream() = default;

template <class T>
void EdgeStream<T>::meet(std::int64_t first, std::int64_t last, const std::vector<const void*>& rows)
{
    for (std::size_t i = 0; i < rows.size(); ++i) {
        // Where row 0 would be.
        EdgeArray& array = m->operands[m->streamed[i]];
        const auto before = static_cast<std::uintptr_t>(first * array.stride) * itemSize(array.type);
        array.rows = reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(rows[i]) - before);
    }
    m->runner.meet(last);
}

template <class T>
void EdgeStream<T>::finish()
{
    m->runner.finish();
}

template class EdgeStream<float>;
template class EdgeStream<double>;

template void runEdgeProgram<float>(const EdgeProgram&, const std::vector<EdgeArray>&, const EdgeBlock&, const std::vector<float*>&,
                                    const EdgeRunOptions&);
template void runEdgeProgram<double>(const EdgeProgram&, const std::vector<EdgeArray>&, const EdgeBlock&, const std::vector<double*>&,
                                     const EdgeRunOptions&);

}  // namespace cleave
