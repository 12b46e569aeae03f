#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/pages.h"

namespace cleave {

/// The edges of an edge set grouped by the node they are reduced into (CSR over the segment index): what blocks are cut from.
struct EdgesBySegment {
    PageVector<std::int64_t> begin;   ///< [V + 1]: edges of node v are edges[begin[v]] … edges[begin[v + 1] - 1]
    PageVector<std::int64_t> edges;   ///< [M] edge ids, in their original order within one node; empty where nothing reads them

    bool hasIds() const { return static_cast<std::int64_t>(edges.size()) == begin.back(); }
    std::int64_t numNodes() const { return static_cast<std::int64_t>(begin.size()) - 1; }
    std::int64_t count(std::int64_t firstNode, std::int64_t lastNode) const  ///< of edges into nodes [first, last)
    {
        return begin[static_cast<std::size_t>(lastNode)] - begin[static_cast<std::size_t>(firstNode)];
    }
    std::span<const std::int64_t> of(std::int64_t firstNode, std::int64_t lastNode) const;  ///< edges into nodes [first, last)
};

/// Stable counting sort in O(V + M). Error if an index is not in 0 … numNodes - 1.
EdgesBySegment groupBySegment(std::span<const std::int64_t> segment, std::int64_t numNodes, int threads = 1);

/// Edges into these nodes, one after another, with their ids if these are there; into the nodes behind them there are none.
EdgesBySegment edgesInto(const EdgesBySegment& all, std::span<const std::int64_t> nodes, int threads = 1);

/// What lies in the order of all edges, copied into the order of those into these nodes. chosen: as edgesInto gave them.
template <class T>
void copyInto(const EdgesBySegment& all, std::span<const std::int64_t> nodes, const EdgesBySegment& chosen, const T* in, T* out, int threads);

/// Error: an edge leads to a node that there is not.
[[noreturn]] void throwLeadsNowhere(std::int64_t edge, std::int64_t node, std::int64_t numNodes);

/// 32 bits of each edge, to be put in the order of the edges: numbers of nodes, products of what nodes have, or anything.
struct EdgeWords {
    std::span<const std::int64_t> nodes;  ///< [M or more] as 32 bits, of which negative ones count from the last; what names no node becomes -1
    std::int64_t numNodes = 0;
    std::span<const std::uint32_t> words;  ///< [M or more] otherwise

    struct Factor {
        std::span<const float> numbers;       ///< of nodes
        std::span<const std::int64_t> index;  ///< [M or more]
    };
    std::array<Factor, 2> factors;           ///< otherwise, multiplied; the second may be empty
    std::atomic<bool>* isOutside = nullptr;  ///< set where an index names no node

    std::uint32_t* out = nullptr;  ///< [M]
};
constexpr std::size_t columnsAtOnce = 2;

/// The same, with one or two columns that go along instead of edge ids: nothing is read but from front to back.
EdgesBySegment groupColumns(std::span<const std::int64_t> segment, std::int64_t numNodes, std::span<const EdgeWords> columns, int threads = 1);

}  // namespace cleave
