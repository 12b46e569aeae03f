#include "core/graph/degrees.h"

#include <algorithm>
#include <bit>

namespace cleave {

std::optional<DegreeSummary> summarizeDegrees(const DataGraph& graph)
{
    const auto found = graph.arrays.find("edge_index");
    if (found == graph.arrays.end() || found->second.dtype != DType::Int64 || found->second.shape.size() != 2 || found->second.shape[0] != 2 || graph.numNodes < 1)
        return {};
    const std::int64_t edges = found->second.shape[1];
    const auto* targets = found->second.as<std::int64_t>() + edges;
    std::vector<std::int64_t> degrees(static_cast<std::size_t>(graph.numNodes));
    for (std::int64_t e = 0; e < edges; ++e)
        if (targets[e] >= 0 && targets[e] < graph.numNodes)
            ++degrees[static_cast<std::size_t>(targets[e])];
    DegreeSummary summary;
    for (const std::int64_t degree : degrees) {
        const auto bin = static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(degree)));
        if (bin >= summary.histogram.size())
            summary.histogram.resize(bin + 1);
        ++summary.histogram[bin];
    }
    const auto middle = degrees.begin() + static_cast<std::ptrdiff_t>(degrees.size() / 2);
    std::ranges::nth_element(degrees, middle);
    summary.median = *middle;
    summary.least = std::ranges::min(degrees);
    summary.most = std::ranges::max(degrees);
    summary.mean = static_cast<double>(edges) / static_cast<double>(graph.numNodes);
    return summary;
}

}  // namespace cleave
