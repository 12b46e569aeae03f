#include "core/graph/degrees.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include "core/base/memory.h"
#include "core/graph/array_names.h"

namespace cleave {

namespace {

bool listsEdges(const Array& array) { return array.dtype == DType::Int64 && array.shape.size() == 2 && array.shape[0] == 2; }

// The rows of the node type that edges of a relation end at: x_paper of edge_index_author_writes_paper. Null if there are none.
const std::pair<const std::string, Array>* targetRows(const DataGraph& graph, const std::vector<std::string>& relation)
{
    const std::pair<const std::string, Array>* rows = nullptr;
    std::size_t most = 1;  // the words that rows and relation share
    for (const auto& array : graph.arrays) {
        const std::vector<std::string> words = wordsOf(array.first);
        if (words.size() > most && words.size() < relation.size() && words.front() == "x" && !array.second.shape.empty() &&
            std::equal(words.rbegin(), words.rend() - 1, relation.rbegin())) {
            rows = &array;
            most = words.size();
        }
    }
    return rows;
}

// Of each node, those of different types after each other. Empty where edges are not listed, or there are more nodes than memory can count them of.
std::vector<std::int64_t> degreesOf(const DataGraph& graph)
{
    if (!graph.hasEdges && graph.numEdges > 0)
        return {};  // their ends are called otherwise
    std::map<std::string, std::vector<std::int64_t>> byType;
    for (const auto& [name, array] : graph.arrays) {
        const std::vector<std::string> words = wordsOf(name);
        if (!listsEdges(array) || words.size() < 2 || words[0] != "edge" || words[1] != "index")
            continue;
        const bool isRelation = words.size() > 2;
        if (isRelation && graph.arrays.contains("edge_index"))
            continue;
        const auto* rows = isRelation ? targetRows(graph, words) : nullptr;
        if (isRelation && rows == nullptr)
            return {};
        const std::int64_t nodes = isRelation ? rows->second.shape[0] : graph.numNodes;
        if (nodes > 0 && static_cast<std::uint64_t>(nodes) > physicalMemory() / (2 * sizeof(std::int64_t)))
            return {};
        std::vector<std::int64_t>& degrees = byType[isRelation ? rows->first : std::string()];
        degrees.resize(static_cast<std::size_t>(std::max<std::int64_t>(nodes, 0)));
        const auto* targets = array.as<std::int64_t>() + array.shape[1];
        for (std::int64_t e = 0; e < array.shape[1]; ++e)
            if (targets[e] >= 0 && targets[e] < nodes)
                ++degrees[static_cast<std::size_t>(targets[e])];
    }
    std::vector<std::int64_t> all;
    for (const auto& [type, degrees] : byType)
        all.insert(all.end(), degrees.begin(), degrees.end());
    return all;
}

}  // namespace

std::optional<DegreeSummary> summarizeDegrees(const DataGraph& graph)
{
    std::vector<std::int64_t> degrees = degreesOf(graph);
    if (degrees.empty())
        return {};
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
    summary.mean = static_cast<double>(std::accumulate(degrees.begin(), degrees.end(), std::int64_t{0})) / static_cast<double>(degrees.size());
    return summary;
}

}  // namespace cleave
