#include "core/graph/order.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/base/error.h"
#include "core/base/format.h"
#include "core/base/memory_bound.h"
#include "core/base/pages.h"
#include "core/base/parallel.h"
#include "core/graph/clusters.h"

namespace cleave {

namespace {

// Neighbours in either direction, each once, without the node itself. In memory that may lie in files.
struct Neighbours {
    PageVector<std::int64_t> begin;
    PageVector<std::int32_t> nodes;

    Neighbours(std::int64_t numNodes, std::span<const std::int64_t> sources, std::span<const std::int64_t> targets, int threads)
    {
        begin.assign(static_cast<std::size_t>(numNodes) + 1, 0);
        const auto each = [&](auto&& visit) {
            for (std::size_t e = 0; e < sources.size(); ++e)
                if (sources[e] != targets[e]) {
                    visit(static_cast<std::size_t>(sources[e]), targets[e]);
                    visit(static_cast<std::size_t>(targets[e]), sources[e]);
                }
        };
        each([&](std::size_t from, std::int64_t) { ++begin[from + 1]; });
        std::partial_sum(begin.begin(), begin.end(), begin.begin());
        nodes.resize(static_cast<std::size_t>(begin.back()));
        PageVector<std::int64_t> next(begin.begin(), begin.end() - 1);
        each([&](std::size_t from, std::int64_t to) { nodes[static_cast<std::size_t>(next[from]++)] = static_cast<std::int32_t>(to); });
        // From here on next says where those that are kept end.
        constexpr std::int64_t atOnce = 1024;
        parallelFor((numNodes + atOnce - 1) / atOnce, threads, [&](std::int64_t part, int) {
            for (std::int64_t v = part * atOnce; v < std::min(numNodes, (part + 1) * atOnce); ++v) {
                const auto from = nodes.begin() + begin[static_cast<std::size_t>(v)], to = nodes.begin() + begin[static_cast<std::size_t>(v) + 1];
                std::sort(from, to);
                next[static_cast<std::size_t>(v)] = std::unique(from, to) - nodes.begin();
            }
        });
        std::size_t kept = 0;
        for (std::size_t v = 0; v + 1 < begin.size(); ++v) {
            const auto from = nodes.begin() + begin[v], end = nodes.begin() + next[v];
            begin[v] = static_cast<std::int64_t>(kept);
            kept = static_cast<std::size_t>(std::move(from, end, nodes.begin() + static_cast<std::ptrdiff_t>(kept)) - nodes.begin());
        }
        begin.back() = static_cast<std::int64_t>(kept);
        nodes.resize(kept);
    }

    std::int64_t numNodes() const { return static_cast<std::int64_t>(begin.size()) - 1; }
    std::int64_t degree(std::int64_t v) const { return begin[static_cast<std::size_t>(v) + 1] - begin[static_cast<std::size_t>(v)]; }
    std::span<const std::int32_t> of(std::int64_t v) const
    {
        return {nodes.data() + begin[static_cast<std::size_t>(v)], static_cast<std::size_t>(degree(v))};
    }
};

std::vector<std::int64_t> byDegree(const Neighbours& neighbours)
{
    std::vector<std::int64_t> order(static_cast<std::size_t>(neighbours.numNodes()));
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, std::greater{}, [&](std::int64_t v) { return neighbours.degree(v); });
    return order;
}

std::vector<std::int64_t> breadthFirst(const Neighbours& neighbours)
{
    std::vector<std::int64_t> order;
    std::vector<bool> seen(static_cast<std::size_t>(neighbours.numNodes()));
    const auto add = [&](std::int64_t v) {
        if (!seen[static_cast<std::size_t>(v)]) {
            seen[static_cast<std::size_t>(v)] = true;
            order.push_back(v);
        }
    };
    for (const std::int64_t start : byDegree(neighbours)) {
        std::size_t next = order.size();
        for (add(start); next < order.size(); ++next)
            for (const std::int64_t v : neighbours.of(order[next]))
                add(v);
    }
    return order;
}

std::vector<std::int64_t> byClusters(const Neighbours& neighbours, std::int64_t batchSize)
{
    const std::int64_t numNodes = neighbours.numNodes();
    const std::int64_t parts = numNodes / batchSize + (numNodes % batchSize > 0 ? 1 : 0);
    const std::vector<std::int64_t> part = clustersOf(neighbours.begin, neighbours.nodes, parts);
    std::vector<std::int64_t> order(part.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](std::int64_t v) { return part[static_cast<std::size_t>(v)]; });
    return order;
}

constexpr std::pair<NodeOrder, std::string_view> orderNames[]{
    {NodeOrder::Natural, "natural"}, {NodeOrder::Degree, "degree"}, {NodeOrder::BreadthFirst, "bfs"}, {NodeOrder::Metis, "metis"}};

}  // namespace

std::string_view orderName(NodeOrder order)
{
    return std::ranges::find(orderNames, order, [](const auto& n) { return n.first; })->second;
}

bool orderFromName(std::string_view name, NodeOrder& order)
{
    const auto* known = std::ranges::find(orderNames, name, [](const auto& n) { return n.second; });
    if (known == std::end(orderNames))
        return false;
    order = known->first;
    return true;
}

std::vector<std::int64_t> orderNodes(NodeOrder order, std::int64_t numNodes, std::span<const std::int64_t> sources,
                                     std::span<const std::int64_t> targets, std::int64_t batchSize, const Progress& progress, int threads)
{
    if (order == NodeOrder::Natural)
        return {};
    if (sources.size() != targets.size() || batchSize < 1)
        throw Error("A node order needs as many sources as targets and a batch size of at least 1.");
    for (const auto& ends : {sources, targets})
        for (const std::int64_t node : ends) {
            if (numNodes == 0)
                throw Error("An edge leads to node " + std::to_string(node) + ", but there are none.");
            if (node < 0 || node >= numNodes)
                throw Error("An edge leads to node " + std::to_string(node) + ", but the graph has nodes 0 to " + std::to_string(numNodes - 1) + ".");
        }
    if (numNodes > std::numeric_limits<std::int32_t>::max())
        throw Error("More than 2,147,483,647 nodes cannot be ordered.");
    progress.update(0, "Ordering nodes");
    const Neighbours neighbours(numNodes, sources, targets, threads);
    progress.check();
    return order == NodeOrder::Degree         ? byDegree(neighbours)
           : order == NodeOrder::BreadthFirst ? breadthFirst(neighbours)
                                              : byClusters(neighbours, batchSize);
}

}  // namespace cleave
