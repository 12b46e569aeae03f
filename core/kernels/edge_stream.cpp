#include "core/kernels/edge_program.h"

#include <cassert>
#include <limits>

#include "core/base/stopwatch.h"
#include "core/kernels/edge_runner.h"
#include "core/kernels/edge_schedule.h"
#include "core/kernels/row_requests.h"

namespace cleave {

namespace {

template <class T>
class StreamRunner : EdgeRunner<T> {
public:
    StreamRunner(const EdgeProgram& program, const std::vector<EdgeArray>& operands, const EdgeBlock& block, const std::vector<T*>& outputs,
                 const EdgeRunOptions& options, const std::vector<std::size_t>& streamed)
        : EdgeRunner<T>(program, operands, block, outputs, options, false),
          m_isStreamed(operands.size()),
          m_sources(operands[streamed.front()].sources),
          m_ahead(options.ahead),
          m_requests(requestsOf())
    {
        for (const std::size_t operand : streamed)
            m_isStreamed[operand] = true;
    }

    // Before the first piece of the rows: what edges are added to.
    void begin()
    {
        forEachItem([&](const EdgeItem& item, std::int64_t, T*) {
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

    void meet(const EdgeSchedule& schedule, std::int64_t piece, const std::uint32_t* entries, const std::uint16_t* edges, const std::int32_t* numbers)
    {
        const std::int64_t all = schedule.begin(piece, static_cast<std::int64_t>(m_items.items.size())) - schedule.begin(piece, 0);
        const Cache ahead = m_ahead ? *m_ahead : m_requests.next(all);
        const Stopwatch watch;
        forEachItem([&](const EdgeItem& item, std::int64_t i, T* tile) {
            Met met;
            const std::int64_t last = schedule.begin(piece, i + 1), step = std::min(m_tiles.edges, mostMet);
            for (std::int64_t e = schedule.begin(piece, i); e < last; e += step) {
                met.take(entries + e, edges ? edges + e : nullptr, std::min(step, last - e), static_cast<std::int32_t>(schedule.firstRow(piece)),
                         numbers, item.firstEdge);
                meet(item, met, tile, ahead);
            }
        });
        m_requests.tried(ahead, all, watch.seconds());
    }

    // After the last piece of the rows.
    void end()
    {
        for (const LongSegment& segment : m_items.longSegments)
            combine(segment, false);
        forEachItem([&](const EdgeItem& item, std::int64_t, T*) {
            for (std::size_t r = 0; r < m_p.results.size(); ++r)
                if (m_p.results[r].reduced && m_p.results[r].reduce == Reduce::Mean && item.piece < 0)
                    average(item, r);
        });
    }

private:
    using EdgeRunner<T>::calculate, EdgeRunner<T>::combine, EdgeRunner<T>::divide, EdgeRunner<T>::edgeAt, EdgeRunner<T>::forEachItem,
        EdgeRunner<T>::outputOf;
    using EdgeRunner<T>::rowOf, EdgeRunner<T>::runChain, EdgeRunner<T>::type, EdgeRunner<T>::values;
    using EdgeRunner<T>::m_block, EdgeRunner<T>::m_do, EdgeRunner<T>::m_items, EdgeRunner<T>::m_operands, EdgeRunner<T>::m_outputs,
        EdgeRunner<T>::m_p, EdgeRunner<T>::m_tiles;

    // Edges of an item whose sources lie in one piece, by target.
    static constexpr std::int64_t mostMet = 512;
    struct Met {
        std::int64_t count = 0, targets = 0;
        std::int32_t sources[mostMet], inPiece[mostMet];  // rows, counted from the first of all and of the piece
        std::int32_t target[mostMet];                     // of each run of edges, from the first of the item
        std::int64_t begin[mostMet + 1];                  // of each run
        std::int32_t edges[mostMet];                      // of the block, where they are known

        void take(const std::uint32_t* entries, const std::uint16_t* ids, std::int64_t number, std::int32_t firstRow, const std::int32_t* numbers,
                  std::int64_t firstEdge)
        {
            count = number;
            for (std::int64_t i = 0; ids && i < number; ++i)
                edges[i] = static_cast<std::int32_t>(firstEdge) + ids[i];
            targets = 0;
            for (std::int64_t i = 0; i < number; ++i) {
                const auto row = static_cast<std::int32_t>(entries[i] >> 16), to = static_cast<std::int32_t>(entries[i] & 0xffff);
                inPiece[i] = row;
                sources[i] = firstRow + (numbers ? numbers[row] : row);
                if (targets == 0 || target[targets - 1] != to) {
                    target[targets] = to;
                    begin[targets++] = i;
                }
            }
            begin[targets] = number;
        }
    };

    RowRequests requestsOf() const
    {
        double rowBytes = 0;
        for (const EdgeResult& result : m_p.results)
            rowBytes += result.reduced ? static_cast<double>(m_p.width(result.value)) * sizeof(T) : 0;
        return {rowBytes, rowBytes * static_cast<double>(m_block.targets), RowRequests::Use::Pieces};
    }

    void meet(const EdgeItem& item, const Met& met, T* tile, Cache ahead)
    {
        std::int32_t room[mostMet];
        for (std::size_t v = 0; v < m_p.operands.size(); ++v)
            if (m_tiles.isInTile(v))
                load(tile + m_tiles.offset[v], v, item, met, room);
        calculate(tile, 0, met.count, [&](const EdgeChain& chain, ReduceArguments<T>& a) { runMet(chain, a, true, tile, item, met, ahead); });
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
            a.all = m_block.begin + item.firstTarget;
            a.width = width;
            a.out = outputOf(item, r);
            a.outStride = width;
            if (m_tiles.chains[r]) {
                runMet(*m_tiles.chains[r], a, false, tile, item, met, ahead);
                continue;
            }
            a.begin = met.begin;
            a.lastTarget = met.targets;
            a.lastEdge = met.count;
            a.targets = met.target;
            a.ahead = ahead;
            if (isReducedInPlace(m_p, result.value)) {
                const EdgeArray& array = m_operands[static_cast<std::size_t>(result.value)];
                a.sources = rowsOf(static_cast<std::size_t>(result.value), met, room);
                a.rows = array.rows;
                a.type = array.type;
                a.stride = array.stride;
                a.prefetchEnd = met.count;
            } else {
                a.rows = values(tile, result.value, 0);
                a.type = type;
                a.stride = width;
            }
            if (result.weights >= 0) {
                a.heads = m_p.width(result.weights);
                a.weights = values(tile, result.weights, 0);
            }
            m_do.reduce(a);
        }
    }

    void runMet(const EdgeChain& chain, ReduceArguments<T>& a, bool sumsWithin, const T* tile, const EdgeItem& item, const Met& met,
                Cache ahead) const
    {
        a.ahead = ahead;
        a.begin = met.begin;
        a.lastTarget = met.targets;
        a.lastEdge = met.count;
        a.targets = met.target;
        a.prefetchEnd = met.count;
        std::int32_t rooms[ChainArguments<T>::mostOperands][mostMet];
        runChain(chain, a, sumsWithin, tile, 0, [&](std::size_t i, std::size_t value, ChainOperand& operand) {
            if (operand.row == EdgeRow::Target)
                operand.rows = rowOf(m_operands[value], item.firstTarget);
            else if (operand.row != EdgeRow::Same)
                operand.sources = rowsOf(value, met, rooms[i]);
        });
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
                std::fill(room + met.begin[run], room + met.begin[run + 1], met.target[run]);
            m_do.load(out, rowOf(array, item.firstTarget), array.type, array.stride, room, 0, met.count, width);
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

    std::vector<bool> m_isStreamed;   // of operands
    const std::int32_t* m_sources;    // of the rows that come in pieces; not read
    const std::optional<Cache> m_ahead;
    const RowRequests m_requests;
};

}  // namespace

template <class T>
struct EdgeStream<T>::Impl {
    std::vector<EdgeArray> operands;
    EdgeBlock block;
    const EdgeSchedule& schedule;
    std::vector<T*> outputs;
    std::vector<std::size_t> streamed;
    StreamRunner<T> runner;

    Impl(const EdgeProgram& program, const std::vector<EdgeArray>& arrays, const EdgeBlock& edges, const EdgeSchedule& order,
         const std::vector<T*>& results, const std::vector<std::size_t>& pieces, const EdgeRunOptions& options)
        : operands(arrays),
          block(edges),
          schedule(order),
          outputs(results),
          streamed(pieces),
          runner(program, operands, block, outputs, options, streamed)
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
void EdgeStream<T>::meet(std::int64_t piece, const std::vector<const void*>& rows, const std::uint32_t* entries, const std::uint16_t* edges,
                         const std::int32_t* numbers)
{
    for (std::size_t i = 0; i < rows.size(); ++i)
        m->operands[m->streamed[i]].rows = rows[i];
    m->runner.meet(m->schedule, piece, entries, edges, numbers);
}

template <class T>
void EdgeStream<T>::finish()
{
    m->runner.end();
}

template class EdgeStream<float>;
template class EdgeStream<double>;

}  // namespace cleave
