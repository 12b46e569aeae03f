#include "core/graph/marks.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <utility>

#include "core/base/memory_bound.h"
#include "core/base/parallel.h"
#include "core/graph/blocks.h"

namespace cleave {

namespace {

constexpr std::int64_t chunks = 64;  // that threads take of the edges

std::int64_t beginOf(std::int64_t chunk, std::span<const std::int64_t> edges)
{
    return chunk * static_cast<std::int64_t>(edges.size()) / chunks;
}

// Calls visit(edge) for those of a chunk that lead into marked nodes.
template <class Visit>
void forEachInto(std::span<const std::int64_t> segment, const Marks& nodes, std::int64_t chunk, Visit visit)
{
    stayWithinBound();
    const std::int64_t* const node = segment.data();
    const std::uint8_t* const isMarked = nodes.data();
    const auto count = static_cast<std::uint64_t>(nodes.size());
    for (std::int64_t e = beginOf(chunk, segment), end = beginOf(chunk + 1, segment); e < end; ++e) {
        if (static_cast<std::uint64_t>(node[e]) >= count)
            throwLeadsNowhere(e, node[e], static_cast<std::int64_t>(count));
        if (isMarked[node[e]] != 0)
            visit(e);
    }
}

// Several threads may mark the same row, and reading before spares them each other's writes.
void mark(std::int64_t given, Marks& ends)
{
    const auto rows = static_cast<std::int64_t>(ends.size()), row = given < 0 ? given + rows : given;
    if (row < 0 || row >= rows)
        return;
    const std::atomic_ref<std::uint8_t> isMarked(ends[static_cast<std::size_t>(row)]);
    if (isMarked.load(std::memory_order_relaxed) == 0)
        isMarked.store(1, std::memory_order_relaxed);
}

}  // namespace

Marks marks(std::int64_t rows, bool areMeant)
{
    Marks made;
    made.assign(static_cast<std::size_t>(rows), areMeant ? 1 : 0);
    return made;
}

std::int64_t countOf(const Marks& marks)
{
    return std::ranges::count(marks, 1);
}

void unite(Marks& marks, const Marks& others)
{
    std::ranges::transform(marks, others, marks.begin(), [](std::uint8_t a, std::uint8_t b) { return static_cast<std::uint8_t>(a | b); });
}

std::optional<PageVector<std::int64_t>> edgesIntoMarked(std::span<const std::int64_t> segment, const Marks& nodes, std::int64_t most, int threads)
{
    std::array<std::int64_t, chunks> first{};
    parallelFor(chunks, threads, [&](std::int64_t chunk, int) {
        std::int64_t count = 0;
        forEachInto(segment, nodes, chunk, [&](std::int64_t) { ++count; });
        first[static_cast<std::size_t>(chunk)] = count;
    });
    std::int64_t all = 0;
    for (std::int64_t& count : first)
        all += std::exchange(count, all);
    if (all > most)
        return {};
    PageVector<std::int64_t> edges(static_cast<std::size_t>(all));
    parallelFor(chunks, threads, [&](std::int64_t chunk, int) {
        std::int64_t* out = edges.data() + first[static_cast<std::size_t>(chunk)];
        forEachInto(segment, nodes, chunk, [&](std::int64_t edge) { *out++ = edge; });
    });
    return edges;
}

void markEnds(std::span<const std::int64_t> segment, const Marks& nodes, std::span<const std::int64_t> index, Marks& ends, int threads)
{
    parallelFor(chunks, threads, [&](std::int64_t chunk, int) {
        forEachInto(segment, nodes, chunk, [&](std::int64_t edge) { mark(index[static_cast<std::size_t>(edge)], ends); });
    });
}

void markEnds(std::span<const std::int64_t> edges, std::span<const std::int64_t> index, Marks& ends)
{
    for (const std::int64_t edge : edges)
        mark(index[static_cast<std::size_t>(edge)], ends);
}

}  // namespace cleave
