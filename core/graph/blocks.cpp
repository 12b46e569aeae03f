#include "core/graph/blocks.h"

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/base/format.h"
#include "core/base/memory.h"
#include "core/base/memory_bound.h"
#include "core/base/parallel.h"

namespace cleave {

namespace {

constexpr std::int64_t nodesPerRange = 4096;  // 16 bits hold a node of a range

// First into ranges of nodes whose edges fit into a cache, then each range by itself. A record stands for an edge, with its node's number in the
// range, so that the segment, which may lie in a file, is read twice from front to back and no more. Records are made in the order of the edges, and
// taken where they belong, on several threads.
template <class Record, class Make, class NodeOf, class Take>
void group(std::span<const std::int64_t> segment, std::int64_t numNodes, int threads, PageVector<std::int64_t>& begin, Make make, NodeOf nodeOf,
           Take take)
{
    if (numNodes < 0 || static_cast<std::uint64_t>(numNodes) > physicalMemory() / (2 * sizeof(std::int64_t)))
        throw Error("A graph of " + formatCount(numNodes) + " nodes does not fit into memory.");
    begin.assign(static_cast<std::size_t>(numNodes) + 1, 0);
    if (segment.empty())
        return;
    const auto edges = static_cast<std::int64_t>(segment.size());
    const std::int64_t ranges = (numNodes + nodesPerRange - 1) / nodesPerRange, chunks = std::min<std::int64_t>(64, edges);
    const auto chunk = [&](std::int64_t c) { return c * edges / chunks; };
    std::vector<std::int64_t> places(static_cast<std::size_t>(chunks * ranges));  // of each chunk's edges in each range
    const auto placesOf = [&](std::int64_t c) { return places.data() + c * ranges; };
    // Pointers of their own for each loop: nothing else that is written could be what they point to.
    parallelFor(chunks, threads, [&](std::int64_t c, int) {
        stayWithinBound();
        const std::int64_t* const node = segment.data();
        std::int64_t* const count = placesOf(c);
        for (std::int64_t e = chunk(c), end = chunk(c + 1); e < end; ++e) {
            if (static_cast<std::uint64_t>(node[e]) >= static_cast<std::uint64_t>(numNodes))
                throwLeadsNowhere(e, node[e], numNodes);
            ++count[node[e] / nodesPerRange];
        }
    });
    std::vector<std::int64_t> firstOf;
    std::int64_t before = 0;
    for (std::int64_t range = 0; range < ranges; ++range) {
        firstOf.push_back(before);
        for (std::int64_t c = 0; c < chunks; ++c)
            before += std::exchange(placesOf(c)[range], before);
    }
    firstOf.push_back(before);
    PageVector<Record> byRange(segment.size());
    parallelFor(chunks, threads, [&](std::int64_t c, int) {
        stayWithinBound();
        const std::int64_t* const node = segment.data();
        std::int64_t* const next = placesOf(c);
        Record* const out = byRange.data();
        for (std::int64_t e = chunk(c), end = chunk(c + 1); e < end; ++e) {
            const auto of = static_cast<std::uint64_t>(node[e]);
            out[next[of / nodesPerRange]++] = make(e, static_cast<std::uint16_t>(of % nodesPerRange));
        }
    });
    // Of a range with hubs several threads take a part each, once it is known how many edges of a node the parts before have.
    using Places = std::array<std::int64_t, nodesPerRange + 1>;
    const auto edgesOf = [&](std::int64_t range) {
        return std::pair{firstOf[static_cast<std::size_t>(range)], firstOf[static_cast<std::size_t>(range) + 1]};
    };
    const auto count = [&](std::int64_t first, std::int64_t last, Places& next) {
        stayWithinBound();
        const Record* const record = byRange.data();
        for (std::int64_t i = first; i < last; ++i)
            ++next[nodeOf(record[i]) + 1U];
    };
    const auto place = [&](std::int64_t range, std::int64_t first, std::int64_t last, Places& next) {
        const Record* const record = byRange.data();
        for (std::int64_t i = first; i < last; ++i) {
            const std::uint16_t node = nodeOf(record[i]);
            take(next[node]++, record[i], range * nodesPerRange + node);
        }
    };
    const auto endRange = [&](std::int64_t range, const Places& next) {
        const std::int64_t firstNode = range * nodesPerRange;
        std::copy_n(next.begin() + 1, std::min(numNodes - firstNode, nodesPerRange), begin.begin() + firstNode + 1);
    };
    struct Part {
        std::int64_t range = 0, first = 0, last = 0;
        std::unique_ptr<Places> next;  // where its edges of each node go; null: of a range by itself
    };
    constexpr std::int64_t edgesAtOnce = 1 << 19;
    std::vector<Part> parts;
    for (std::int64_t range = 0; range < ranges; ++range) {
        const auto [first, last] = edgesOf(range);
        if (last - first <= edgesAtOnce || threads == 1)
            parts.push_back({range, first, last, nullptr});
        else
            for (std::int64_t from = first; from < last; from += edgesAtOnce)
                parts.push_back({range, from, std::min(last, from + edgesAtOnce), std::make_unique<Places>()});
    }
    parallelFor(static_cast<std::int64_t>(parts.size()), threads, [&](std::int64_t i, int) {
        if (const Part& part = parts[static_cast<std::size_t>(i)]; part.next)
            count(part.first, part.last, *part.next);
    });
    for (auto part = parts.begin(); part != parts.end();) {
        const auto end = std::find_if(part, parts.end(), [&](const Part& other) { return other.range != part->range; });
        if (part->next) {
            // Of each node: where the first part's edges go, then the second's.
            Places ends{};
            std::int64_t next = part->first;
            for (std::size_t v = 0; v < nodesPerRange; ++v) {
                for (auto each = part; each != end; ++each) {
                    const std::int64_t edgesOfNode = (*each->next)[v + 1];
                    (*each->next)[v] = next;  // what stood there is counted
                    next += edgesOfNode;
                }
                ends[v + 1] = next;
            }
            endRange(part->range, ends);
        }
        part = end;
    }
    parallelFor(static_cast<std::int64_t>(parts.size()), threads, [&](std::int64_t i, int) {
        const Part& part = parts[static_cast<std::size_t>(i)];
        if (part.next) {
            place(part.range, part.first, part.last, *part.next);
            return;
        }
        Places next{};
        count(part.first, part.last, next);
        next[0] = part.first;
        for (std::size_t v = 1; v < next.size(); ++v)
            next[v] += next[v - 1];
        endRange(part.range, next);
        place(part.range, part.first, part.last, next);
    });
}

// As 32 bits; what names no node is -1.
std::uint32_t nodeWord(std::int64_t given, std::int64_t numNodes)
{
    const std::int64_t node = given < 0 ? given + numNodes : given;
    return static_cast<std::uint32_t>(node >= 0 && node < numNodes ? node : -1);
}

std::uint32_t productWord(const EdgeWords& column, std::int64_t edge)
{
    float product = 1;
    for (const EdgeWords::Factor& factor : column.factors) {
        if (factor.index.empty())
            break;
        const auto node = static_cast<std::uint64_t>(factor.index[static_cast<std::size_t>(edge)]);
        if (node >= factor.numbers.size()) {
            column.isOutside->store(true, std::memory_order_relaxed);
            return 0;
        }
        product *= factor.numbers[node];
    }
    return std::bit_cast<std::uint32_t>(product);
}

// Calls work with what reads an edge's word of the column.
template <class Work>
void withWords(const EdgeWords& column, Work work)
{
    if (!column.words.empty())
        work([words = column.words.data()](std::int64_t edge) { return words[edge]; });
    else if (!column.factors.front().index.empty())
        work([column](std::int64_t edge) { return productWord(column, edge); });
    else
        work([nodes = column.nodes.data(), count = column.numNodes](std::int64_t edge) { return nodeWord(nodes[edge], count); });
}

// Whether a column is made of what the nodes at both ends have, of which the first column names one.
bool isOfEnds(const EdgeWords& product, const EdgeWords& sources, std::span<const std::int64_t> segment)
{
    return !product.factors[0].index.empty() && !sources.nodes.empty() && std::ranges::all_of(product.factors, [&](const EdgeWords::Factor& factor) {
        return factor.index.empty() || factor.index.data() == sources.nodes.data() || factor.index.data() == segment.data();
    });
}

// The product comes last, where all edges of a node are at hand.
EdgesBySegment groupWithEnds(std::span<const std::int64_t> segment, std::int64_t numNodes, const EdgeWords& sources, const EdgeWords& product,
                             int threads)
{
    struct AtEnd {
        std::span<const float> numbers;
        bool isTarget = false;

        float of(std::uint32_t source, std::int64_t target, bool& isThere) const
        {
            const std::size_t node = isTarget ? static_cast<std::size_t>(target) : source;
            isThere = isThere && node < numbers.size();
            return node < numbers.size() ? numbers[node] : 0;
        }
    };
    // What counts from the last node may count from another one in numbers that are more or fewer than nodes.
    constexpr std::uint64_t fromLast = std::uint64_t{1} << 48;
    const bool isOne = product.factors[1].index.empty();
    std::array<AtEnd, 2> ends;
    for (std::size_t i = 0; i < ends.size(); ++i)
        ends[i] = {product.factors[i].numbers, product.factors[i].index.data() == segment.data()};
    const bool readsSources = !ends[0].isTarget || (!isOne && !ends[1].isTarget);
    EdgesBySegment grouped;
    group<std::uint64_t>(
        segment, numNodes, threads, grouped.begin,
        [=, nodes = sources.nodes.data(), count = sources.numNodes](std::int64_t edge, std::uint16_t node) {
            return (nodes[edge] < 0 ? fromLast : 0) | static_cast<std::uint64_t>(node) << 32 | nodeWord(nodes[edge], count);
        },
        [](std::uint64_t record) { return static_cast<std::uint16_t>(record >> 32); },
        [=, out = sources.out, outProduct = product.out, isOutside = product.isOutside](std::int64_t at, std::uint64_t record, std::int64_t target) {
            const auto source = static_cast<std::uint32_t>(record);
            bool isThere = (record & fromLast) == 0 || !readsSources;
            const float first = ends[0].of(source, target, isThere);
            out[at] = source;
            outProduct[at] = std::bit_cast<std::uint32_t>(isOne ? first : first * ends[1].of(source, target, isThere));
            if (!isThere)
                isOutside->store(true, std::memory_order_relaxed);
        });
    return grouped;
}

}  // namespace

std::span<const std::int64_t> EdgesBySegment::of(std::int64_t firstNode, std::int64_t lastNode) const
{
    const std::int64_t first = begin[static_cast<std::size_t>(firstNode)], last = begin[static_cast<std::size_t>(lastNode)];
    return {edges.data() + first, static_cast<std::size_t>(last - first)};
}

EdgesBySegment groupBySegment(std::span<const std::int64_t> segment, std::int64_t numNodes, int threads)
{
    EdgesBySegment grouped;
    grouped.edges.resize(segment.size());
    group<std::uint64_t>(
        segment, numNodes, threads, grouped.begin,
        [](std::int64_t edge, std::uint16_t node) { return static_cast<std::uint64_t>(edge) << 16 | node; },
        [](std::uint64_t record) { return static_cast<std::uint16_t>(record); },
        [out = grouped.edges.data()](std::int64_t at, std::uint64_t record, std::int64_t) { out[at] = static_cast<std::int64_t>(record >> 16); });
    return grouped;
}

EdgesBySegment edgesInto(const EdgesBySegment& all, std::span<const std::int64_t> nodes, int threads)
{
    EdgesBySegment chosen;
    chosen.begin.resize(all.begin.size());
    std::int64_t* begin = chosen.begin.data();
    begin[0] = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i)
        begin[i + 1] = begin[i] + all.count(nodes[i], nodes[i] + 1);
    std::fill(begin + nodes.size(), begin + all.begin.size(), begin[nodes.size()]);
    if (all.hasIds()) {
        chosen.edges.resize(static_cast<std::size_t>(begin[nodes.size()]));
        copyInto(all, nodes, chosen, all.edges.data(), chosen.edges.data(), threads);
    }
    return chosen;
}

template <class T>
void copyInto(const EdgesBySegment& all, std::span<const std::int64_t> nodes, const EdgesBySegment& chosen, const T* in, T* out, int threads)
{
    constexpr std::int64_t atOnce = 1 << 12;
    const auto count = static_cast<std::int64_t>(nodes.size());
    parallelFor((count + atOnce - 1) / atOnce, threads, [&](std::int64_t part, int) {
        stayWithinBound();
        for (std::int64_t i = part * atOnce, end = std::min(count, (part + 1) * atOnce); i < end; ++i) {
            const std::int64_t node = nodes[static_cast<std::size_t>(i)];
            std::copy_n(in + all.begin[static_cast<std::size_t>(node)], all.count(node, node + 1), out + chosen.begin[static_cast<std::size_t>(i)]);
        }
    });
}

template void copyInto(const EdgesBySegment&, std::span<const std::int64_t>, const EdgesBySegment&, const std::int64_t*, std::int64_t*, int);
template void copyInto(const EdgesBySegment&, std::span<const std::int64_t>, const EdgesBySegment&, const std::uint32_t*, std::uint32_t*, int);

void throwLeadsNowhere(std::int64_t edge, std::int64_t node, std::int64_t numNodes)
{
    throw Error("Edge " + std::to_string(edge) + " leads to node " + std::to_string(node) +
                (numNodes == 0 ? ", but there are none." : ", but the graph has nodes 0 to " + std::to_string(numNodes - 1) + "."));
}

EdgesBySegment groupColumns(std::span<const std::int64_t> segment, std::int64_t numNodes, std::span<const EdgeWords> columns, int threads)
{
    if (columns.size() == columnsAtOnce && isOfEnds(columns[1], columns[0], segment))
        return groupWithEnds(segment, numNodes, columns[0], columns[1], threads);
    EdgesBySegment grouped;
    if (columns.size() == 1) {
        withWords(columns[0], [&](auto word) {
            group<std::uint64_t>(
                segment, numNodes, threads, grouped.begin,
                [word](std::int64_t edge, std::uint16_t node) { return static_cast<std::uint64_t>(node) << 32 | word(edge); },
                [](std::uint64_t record) { return static_cast<std::uint16_t>(record >> 32); },
                [out = columns[0].out](std::int64_t at, std::uint64_t record, std::int64_t) { out[at] = static_cast<std::uint32_t>(record); });
        });
        return grouped;
    }
    struct Words {
        std::uint32_t node, first, second;
    };
    withWords(columns[0], [&](auto first) {
        withWords(columns[1], [&](auto second) {
            group<Words>(
                segment, numNodes, threads, grouped.begin,
                [first, second](std::int64_t edge, std::uint16_t node) {
                    return Words{node, first(edge), second(edge)};
                },
                [](const Words& words) { return static_cast<std::uint16_t>(words.node); },
                [a = columns[0].out, b = columns[1].out](std::int64_t at, const Words& words, std::int64_t) {
                    a[at] = words.first;
                    b[at] = words.second;
                });
        });
    });
    return grouped;
}

}  // namespace cleave
