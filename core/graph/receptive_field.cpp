#include "core/graph/receptive_field.h"

#include <algorithm>
#include <numeric>

namespace cleave {

namespace {

template <class Add>
RowWork overBatches(const EdgeList& edges, std::int64_t batchSize, int hops, const Add& add)
{
    RowWork work;
    for (std::int64_t first = 0; first < edges.numNodes; first += batchSize) {
        std::vector<std::int64_t> batch(static_cast<std::size_t>(std::min(batchSize, edges.numNodes - first)));
        std::iota(batch.begin(), batch.end(), first);
        add(work, receptiveField(edges, batch, hops));
    }
    return work;
}

std::int64_t sizeOf(const std::vector<std::int64_t>& nodes) { return static_cast<std::int64_t>(nodes.size()); }

}  // namespace

std::vector<std::vector<std::int64_t>> receptiveField(const EdgeList& edges, std::span<const std::int64_t> nodes, int hops)
{
    std::vector<char> needed(static_cast<std::size_t>(edges.numNodes));
    for (const std::int64_t node : nodes)
        needed[static_cast<std::size_t>(node)] = 1;
    std::vector<std::vector<std::int64_t>> field;
    for (int hop = 0; hop <= hops; ++hop) {
        if (hop > 0) {
            std::vector<char> wider = needed;
            for (std::size_t e = 0; e < edges.sources.size(); ++e)
                if (needed[static_cast<std::size_t>(edges.targets[e])])
                    wider[static_cast<std::size_t>(edges.sources[e])] = 1;
            needed = std::move(wider);
        }
        auto& reached = field.emplace_back();
        for (std::int64_t node = 0; node < edges.numNodes; ++node)
            if (needed[static_cast<std::size_t>(node)])
                reached.push_back(node);
    }
    return field;
}

RowWork nodeWiseWork(const EdgeList& edges, int layers, std::int64_t batchSize)
{
    return overBatches(edges, batchSize, layers, [&](RowWork& work, const auto& field) {
        for (int hop = 0; hop < layers; ++hop)
            work.computed += sizeOf(field[static_cast<std::size_t>(hop)]);
        work.read += sizeOf(field.back());
    });
}

RowWork layerWiseWork(const EdgeList& edges, int layers, std::int64_t batchSize)
{
    return overBatches(edges, batchSize, 1, [&](RowWork& work, const auto& field) {
        work.computed += layers * sizeOf(field[0]);
        work.read += layers * sizeOf(field[1]);
    });
}

}  // namespace cleave
