#include "core/kernels/edge_program.h"

#include <algorithm>
#include <cassert>

#include "core/base/stopwatch.h"
#include "core/kernels/edge_runner.h"
#include "core/kernels/row_requests.h"

namespace cleave {

namespace {

template <class T>
class BlockRunner : EdgeRunner<T> {
public:
    BlockRunner(const EdgeProgram& program, const std::vector<EdgeArray>& operands, const EdgeBlock& block, const std::vector<T*>& outputs,
                const EdgeRunOptions& options)
        : EdgeRunner<T>(program, operands, block, outputs, options, true),
          m_ahead(options.ahead),
          m_writesPast(options.writesPast),
          m_requests(requestsOf())
    {
    }

    void runAll()
    {
        forEachItem([&](const EdgeItem& item, std::int64_t, T* tile) {
            const std::int64_t edges = item.lastEdge - item.firstEdge;
            const Cache ahead = m_ahead ? *m_ahead : m_requests.next(edges);
            const Stopwatch watch;
            run(item, tile, ahead);
            m_requests.tried(ahead, edges, watch.seconds());
        });
        for (const LongSegment& segment : m_items.longSegments)
            combine(segment, true);
    }

private:
    using EdgeRunner<T>::calculate, EdgeRunner<T>::combine, EdgeRunner<T>::edgeAt, EdgeRunner<T>::forEachItem, EdgeRunner<T>::outputOf,
        EdgeRunner<T>::rowOf;
    using EdgeRunner<T>::partialOffset, EdgeRunner<T>::partialWidth, EdgeRunner<T>::runChain, EdgeRunner<T>::type, EdgeRunner<T>::values;
    using EdgeRunner<T>::m_block, EdgeRunner<T>::m_do, EdgeRunner<T>::m_items, EdgeRunner<T>::m_operands, EdgeRunner<T>::m_outputs,
        EdgeRunner<T>::m_p;
    using EdgeRunner<T>::m_tiles;

    RowRequests requestsOf() const
    {
        double rowBytes = 0, arrayBytes = 0;
        for (std::size_t v = 0; v < m_p.operands.size() && !m_ahead; ++v)
            if (m_p.operands[v].row == EdgeRow::Source) {
                const EdgeArray& array = m_operands[v];
                rowBytes += static_cast<double>(m_p.operands[v].width) * static_cast<double>(itemSize(array.type));
                arrayBytes +=
                    static_cast<double>(array.count) * static_cast<double>(m_p.operands[v].width) * static_cast<double>(itemSize(array.type));
            }
        return {rowBytes, arrayBytes, useOfRows()};
    }

    RowRequests::Use useOfRows() const
    {
        if (!m_p.code.empty())
            return RowRequests::Use::Computed;
        if (std::ranges::any_of(m_p.results, [](const EdgeResult& result) { return result.reduce == Reduce::Max || result.reduce == Reduce::Min; }))
            return RowRequests::Use::Picked;
        return std::ranges::any_of(m_p.results, [](const EdgeResult& result) { return result.weights >= 0; }) ? RowRequests::Use::Weighted
                                                                                                              : RowRequests::Use::Summed;
    }

    void run(const EdgeItem& item, T* tile, Cache ahead) const
    {
        if (!m_tiles.areUsed) {
            reduce(item, tile, ahead, item.firstTarget, item.lastTarget, item.firstEdge, item.lastEdge, true, true);
            return;
        }
        if (item.piece >= 0) {
            runPieces(item, tile, ahead, item.firstTarget, item.firstEdge, item.lastEdge);
            return;
        }
        for (std::int64_t t = item.firstTarget; t < item.lastTarget;) {
            std::int64_t end = t;
            while (end < item.lastTarget && edgeAt(end + 1) - edgeAt(t) <= m_tiles.edges)
                ++end;
            if (end == t) {
                runPieces(item, tile, ahead, t, edgeAt(t), edgeAt(t + 1));
                end = t + 1;
            } else {
                compute(tile, ahead, t, end, edgeAt(t), edgeAt(end));
                reduce(item, tile, ahead, t, end, edgeAt(t), edgeAt(end), true, true);
            }
            t = end;
        }
    }

    // Edges into one target.
    void runPieces(const EdgeItem& item, T* tile, Cache ahead, std::int64_t target, std::int64_t first, std::int64_t last) const
    {
        if (last - first <= summedAtOnce) {
            runTiles(item, tile, ahead, target, first, last, nullptr);
            return;
        }
        const std::int64_t count = (last - first + summedAtOnce - 1) / summedAtOnce;
        std::vector<T> parts(static_cast<std::size_t>(count * partialWidth()));
        for (std::int64_t p = 0; p < count; ++p)
            runTiles(item, tile, ahead, target, first + p * summedAtOnce, std::min(first + (p + 1) * summedAtOnce, last),
                     parts.data() + p * partialWidth());
        for (std::size_t r = 0; r < m_p.results.size(); ++r)
            if (m_p.results[r].reduced) {
                T* const out = outputOf(item, r) + (target - item.firstTarget) * m_p.width(m_p.results[r].value);
                combine(r, parts.data() + partialOffset(r), count, out, true, item.piece < 0 ? target : -1);
            }
    }

    // As many of them at a time as a tile has room for. part: row for what they give, if others follow.
    void runTiles(const EdgeItem& item, T* tile, Cache ahead, std::int64_t target, std::int64_t first, std::int64_t last, T* part) const
    {
        for (std::int64_t e = first; e < last; e += m_tiles.edges) {
            const std::int64_t end = std::min(e + m_tiles.edges, last);
            compute(tile, ahead, target, target + 1, e, end);
            reduce(item, tile, ahead, target, target + 1, e, end, e == first, end == last, part);
        }
    }

    // The values of edges first … last - 1, which lead into targets firstTarget … lastTarget - 1.
    void compute(T* tile, Cache ahead, std::int64_t firstTarget, std::int64_t lastTarget, std::int64_t first, std::int64_t last) const
    {
        const std::int64_t edges = last - first;
        if (edges == 0)
            return;
        for (std::size_t v = 0; v < m_p.operands.size(); ++v)
            if (m_tiles.isInTile(v))
                load(tile + m_tiles.offset[v], v, firstTarget, lastTarget, first, last);
        calculate(tile, first, edges, [&](const EdgeChain& chain, ReduceArguments<T>& a) {
            of(a, ahead, firstTarget, lastTarget, first, last);
            a.rowOrigin = first;
            runChain(chain, a, true, tile, first, placeAt(firstTarget));
        });
    }

    // The edges first … last - 1 of the block.
    void of(ReduceArguments<T>& a, Cache ahead, std::int64_t firstTarget, std::int64_t lastTarget, std::int64_t first, std::int64_t last) const
    {
        a.begin = m_block.begin;
        a.origin = m_block.begin[0];
        a.firstTarget = firstTarget;
        a.lastTarget = lastTarget;
        a.firstEdge = first;
        a.lastEdge = last;
        a.prefetchEnd = m_block.edges();
        a.ahead = ahead;
    }

    auto placeAt(std::int64_t firstTarget) const
    {
        return [this, firstTarget](std::size_t, std::size_t value, ChainOperand& operand) {
            if (operand.row == EdgeRow::Target)
                operand.rows = rowOf(m_operands[value], firstTarget);
            else if (operand.row == EdgeRow::Source)
                operand.sources = m_operands[value].sources;
        };
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

    // part: as in runTiles.
    void reduce(const EdgeItem& item, T* tile, Cache ahead, std::int64_t firstTarget, std::int64_t lastTarget, std::int64_t first, std::int64_t last,
                bool starts, bool ends, T* part = nullptr) const
    {
        const bool isAll = item.piece < 0 && !part;  // edges into its targets
        for (std::size_t r = 0; r < m_p.results.size(); ++r) {
            const EdgeResult& result = m_p.results[r];
            const std::int64_t width = m_p.width(result.value);
            if (!result.reduced) {
                std::copy_n(values(tile, result.value, first), (last - first) * width, m_outputs[r] + first * width);
                continue;
            }
            ReduceArguments<T> a;
            of(a, ahead, firstTarget, lastTarget, first, last);
            a.reduce = result.reduce;
            a.starts = starts;
            a.ends = ends && isAll;
            a.width = width;
            a.out = part ? part + partialOffset(r) : item.piece < 0 ? m_outputs[r] + firstTarget * width : outputOf(item, r);
            a.outStride = width;
            a.past = starts && a.ends && isWrittenPast(r);
            a.fromInitial = result.fromInitial && isAll;
            a.initial = a.fromInitial ? static_cast<T>(result.initial) : T(0);
            a.empty = static_cast<T>(result.empty);
            if (m_tiles.chains[r]) {
                runChain(*m_tiles.chains[r], a, false, tile, first, placeAt(firstTarget));
                continue;
            }
            if (isReducedInPlace(m_p, result.value)) {
                const EdgeArray& array = m_operands[static_cast<std::size_t>(result.value)];
                a.sources = m_p.operands[static_cast<std::size_t>(result.value)].row == EdgeRow::Source ? array.sources : nullptr;
                a.rows = array.rows;
                a.type = array.type;
                a.stride = array.stride;
            } else {
                a.rows = values(tile, result.value, first);
                a.type = type;
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

    // A row that is written into a cache is read from memory first. Where the rows do not stay there anyway, that is for nothing.
    bool isWrittenPast(std::size_t result) const
    {
        constexpr std::int64_t line = 64, staysInCaches = 128 << 20;
        const std::int64_t rowBytes = m_p.width(m_p.results[result].value) * static_cast<std::int64_t>(sizeof(T));
        return rowBytes % line == 0 && reinterpret_cast<std::uintptr_t>(m_outputs[result]) % line == 0
            && m_writesPast.value_or(m_block.targets * rowBytes > staysInCaches);
    }

    const std::optional<Cache> m_ahead;
    const std::optional<bool> m_writesPast;
    const RowRequests m_requests;
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
    BlockRunner<T>(program, operands, block, outputs, options).runAll();
}

template void runEdgeProgram<float>(const EdgeProgram&, const std::vector<EdgeArray>&, const EdgeBlock&, const std::vector<float*>&,
                                    const EdgeRunOptions&);
template void runEdgeProgram<double>(const EdgeProgram&, const std::vector<EdgeArray>&, const EdgeBlock&, const std::vector<double*>&,
                                     const EdgeRunOptions&);

}  // namespace cleave
