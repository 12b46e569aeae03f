#include "core/kernels/edge_schedule.h"

#include <algorithm>
#include <cstring>

#include "core/base/error.h"
#include "core/base/mapping.h"
#include "core/base/parallel.h"
#include "core/kernels/edge_items.h"

namespace cleave {

namespace {

// Their edges are put in order in cache, and then go to their places in runs.
constexpr std::int64_t itemsAtOnce = 8;

// Memory, or what a file holds: that is written through the file, since a page that is touched costs more than what is put there.
class Destination {
public:
    Destination(void* data, std::size_t entryBytes) : m_data(static_cast<std::byte*>(data)), m_bytes(entryBytes), m_file(data) {}

    void put(std::size_t place, const void* entries, std::size_t count) const
    {
        if (count == 0)
            return;
        if (m_file.isMapped())
            m_file.write(place * m_bytes, entries, count * m_bytes);
        else
            std::memcpy(m_data + place * m_bytes, entries, count * m_bytes);
    }

private:
    std::byte* m_data;
    std::size_t m_bytes;
    MappedFile m_file;
};

}  // namespace

EdgeSchedule::EdgeSchedule(const EdgeBlock& block, const std::int32_t* sources, const RowPieces& rows, bool knowsEdges, int threads,
                           const RowSet* packed)
    : m_rows(rows)
{
    if (knowsEdges && block.edges() >= std::int64_t{1} << 31)
        throw Error("More edges than 32 bits count cannot be gone through at once.");
    const EdgeItems all(block);
    m_items = static_cast<std::int64_t>(all.items.size());
    const auto count = static_cast<std::size_t>(m_rows.count()), stride = static_cast<std::size_t>(m_items + 1);
    m_begins.resize(count * stride);
    m_pieces.resize(count + 1);
    parallelFor(m_items, threads, [&](std::int64_t i, int) {
        const EdgeItem& item = all.items[static_cast<std::size_t>(i)];
        std::vector<std::uint32_t> counts(count);
        for (std::int64_t e = item.firstEdge; e < item.lastEdge; ++e)
            ++counts[static_cast<std::size_t>(m_rows.of(sources[e]))];
        for (std::size_t p = 0; p < count; ++p)
            m_begins[p * stride + static_cast<std::size_t>(i) + 1] = counts[p];
    });
    for (std::size_t p = 0; p < count; ++p) {
        std::uint32_t* const begins = m_begins.data() + p * stride;
        for (std::size_t i = 1; i < stride; ++i)
            begins[i] += begins[i - 1];
        m_pieces[p + 1] = m_pieces[p] + begins[stride - 1];
    }
    m_entries.resize(static_cast<std::size_t>(block.edges()));
    m_edges.resize(knowsEdges ? m_entries.size() : 0);
    std::vector<std::int64_t> firsts(count);  // of each piece, as rows are counted
    for (std::size_t p = 0; p < count; ++p)
        firsts[p] = packed ? packed->before(m_rows.first(static_cast<std::int64_t>(p))) : m_rows.first(static_cast<std::int64_t>(p));
    const Destination entries(m_entries.data(), sizeof(std::uint32_t)), edges(m_edges.data(), sizeof(std::uint16_t));
    parallelFor((m_items + itemsAtOnce - 1) / itemsAtOnce, threads, [&](std::int64_t group, int) {
        const std::int64_t first = group * itemsAtOnce, last = std::min(m_items, first + itemsAtOnce);
        const auto numberBefore = [&](std::size_t piece, std::int64_t item) { return m_begins[piece * stride + static_cast<std::size_t>(item)]; };
        std::vector<std::size_t> begins(count + 1), next(count);  // of each piece, in what follows
        for (std::size_t p = 0; p < count; ++p)
            begins[p + 1] = begins[p] + (numberBefore(p, last) - numberBefore(p, first));
        std::vector<std::uint32_t> sorted(begins.back());
        std::vector<std::uint16_t> ids(knowsEdges ? sorted.size() : 0);
        std::ranges::copy(begins.begin(), begins.end() - 1, next.begin());
        for (std::int64_t i = first; i < last; ++i) {
            const EdgeItem& item = all.items[static_cast<std::size_t>(i)];
            std::int64_t e = item.firstEdge;
            for (std::int64_t t = item.firstTarget; t < item.lastTarget; ++t) {
                const std::int64_t end = item.piece >= 0 ? item.lastEdge : block.begin[t + 1] - block.begin[0];
                for (; e < end; ++e) {
                    const auto piece = static_cast<std::size_t>(m_rows.of(sources[e]));
                    const std::size_t place = next[piece]++;
                    const std::int64_t row = packed ? packed->before(sources[e]) : sources[e];
                    sorted[place] = static_cast<std::uint32_t>(row - firsts[piece]) << 16 | static_cast<std::uint32_t>(t - item.firstTarget);
                    if (knowsEdges)
                        ids[place] = static_cast<std::uint16_t>(e - item.firstEdge);
                }
            }
        }
        for (std::size_t p = 0; p < count; ++p) {
            const std::size_t place = static_cast<std::size_t>(m_pieces[p]) + numberBefore(p, first);
            entries.put(place, sorted.data() + begins[p], begins[p + 1] - begins[p]);
            if (knowsEdges)
                edges.put(place, ids.data() + begins[p], begins[p + 1] - begins[p]);
        }
    });
}

}  // namespace cleave
