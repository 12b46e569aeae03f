#include "core/graph/edge_table.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <thread>
#include <utility>

#include "core/base/error.h"
#include "core/base/format.h"
#include "core/base/memory.h"
#include "core/base/parallel.h"
#include "core/base/sort_keys.h"

namespace cleave {

namespace {

struct NewColumn {
    Array array;
    std::byte* data = nullptr;
    std::int64_t width = 1;
};

NewColumn makeColumn(DType dtype, std::vector<std::int64_t> shape)
{
    const std::int64_t width = shape.size() > 1 ? shape[1] : 1;
    NewArray array = makeArray(dtype, std::move(shape));
    return {array.array, array.data, width};
}

}  // namespace

void EdgeTable::add(EdgePart part)
{
    m_count += std::ssize(part.from);
    const std::size_t perEdge = 2 * (2 * sizeof(std::int64_t) + (part.from.empty() ? 0 : part.values.size() / part.from.size() * sizeof(float)));
    if (static_cast<double>(m_count) * static_cast<double>(perEdge) > static_cast<double>(physicalMemory()))
        throw Error(m_file + " has more edges than fit into memory: " + formatCount(m_count) + " were read.");
    if (!part.from.empty())
        m_parts.push_back(std::move(part));
}

std::int64_t EdgeTable::highestNode() const
{
    std::int64_t highest = -1;
    for (const EdgePart& part : m_parts)
        highest = std::max({highest, std::ranges::max(part.from), std::ranges::max(part.to)});
    return highest;
}

std::vector<std::int64_t> EdgeTable::distinctNodes() const
{
    std::vector<std::int64_t> nodes;
    const std::int64_t highest = highestNode();
    if (highest < 16 * m_count + 1024) {
        std::vector<bool> isThere(static_cast<std::size_t>(highest + 1));
        for (const EdgePart& part : m_parts)
            for (const auto* ends : {&part.from, &part.to})
                for (const std::int64_t node : *ends)
                    isThere[static_cast<std::size_t>(node)] = true;
        for (std::int64_t node = 0; node <= highest; ++node)
            if (isThere[static_cast<std::size_t>(node)])
                nodes.push_back(node);
        return nodes;
    }
    std::vector<std::uint64_t> keys, room;
    for (const EdgePart& part : m_parts)
        for (const auto* ends : {&part.from, &part.to})
            keys.insert(keys.end(), ends->begin(), ends->end());
    sortKeys(keys, room, 0);
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    nodes.assign(keys.begin(), keys.end());
    return nodes;
}

void EdgeTable::renumber(const std::vector<std::int64_t>& names)
{
    const std::int64_t highest = names.back();
    std::vector<std::int64_t> nodeOf;
    if (highest < 16 * m_count + 1024) {
        nodeOf.resize(static_cast<std::size_t>(highest + 1));
        for (std::size_t node = 0; node < names.size(); ++node)
            nodeOf[static_cast<std::size_t>(names[node])] = static_cast<std::int64_t>(node);
    }
    parallelFor(std::ssize(m_parts), static_cast<int>(std::thread::hardware_concurrency()), [&](std::int64_t i, int) {
        for (auto* ends : {&m_parts[static_cast<std::size_t>(i)].from, &m_parts[static_cast<std::size_t>(i)].to})
            for (std::int64_t& node : *ends)
                node = nodeOf.empty() ? std::ranges::lower_bound(names, node) - names.begin() : nodeOf[static_cast<std::size_t>(node)];
    });
}

void EdgeTable::numberNodes(GraphArrays& graph, std::optional<std::int64_t> stated)
{
    const std::int64_t highest = highestNode();
    std::int64_t nodes = highest + 1;
    if (stated && *stated > highest) {
        nodes = *stated;
    } else if (std::vector<std::int64_t> names = distinctNodes(); std::ssize(names) < nodes) {
        nodes = std::ssize(names);
        renumber(names);
        graph.names = std::make_shared<const NodeNames>(NodeNames::ofNumbers(std::move(names)));
    }
    checkNodeCount(m_file, nodes);
    graph.arrays["num_nodes"] = oneNumber(nodes);
}

Array EdgeTable::takeEdges()
{
    NewArray index = makeArray(DType::Int64, {2, m_count});
    auto* from = reinterpret_cast<std::int64_t*>(index.data);
    auto* to = from + m_count;
    for (EdgePart& part : m_parts) {
        from = std::ranges::copy(std::exchange(part.from, {}), from).out;
        to = std::ranges::copy(std::exchange(part.to, {}), to).out;
    }
    return index.array;
}

void EdgeTable::moveTo(GraphArrays& graph, const std::vector<EdgeColumn>& columns)
{
    graph.arrays["edge_index"] = takeEdges();
    const std::int64_t attributes = std::ranges::count(columns, EdgeColumn::Attribute);
    std::map<EdgeColumn, NewColumn> made;
    if (std::ranges::count(columns, EdgeColumn::Weight) > 0)
        made[EdgeColumn::Weight] = makeColumn(DType::Float32, {m_count});
    if (std::ranges::count(columns, EdgeColumn::Type) > 0)
        made[EdgeColumn::Type] = makeColumn(DType::Int64, {m_count});
    if (attributes > 0)
        made[EdgeColumn::Attribute] = makeColumn(DType::Float32, {m_count, attributes});
    std::map<EdgeColumn, std::int64_t> filled;
    for (EdgePart& part : m_parts) {
        for (std::size_t i = 0; i < part.values.size(); ++i) {
            const float value = part.values[i];
            const EdgeColumn column = columns[i % columns.size()];
            const auto at = static_cast<std::size_t>(filled[column]++);
            if (column == EdgeColumn::Type && (!(std::fabs(value) < 0x1p24F) || value != std::floor(value)))
                throw Error(m_file + " has edge type " + formatNumber(static_cast<double>(value)) +
                            ": types must be whole numbers below 16,777,216.");
            if (column == EdgeColumn::Type)
                reinterpret_cast<std::int64_t*>(made[column].data)[at] = static_cast<std::int64_t>(value);
            else
                reinterpret_cast<float*>(made[column].data)[at] = value;
        }
        part.values = std::vector<float>();  // {} would keep the memory
    }
    m_parts.clear();
    m_count = 0;
    for (const auto& [column, name] :
         {std::pair(EdgeColumn::Weight, "edge_weight"), {EdgeColumn::Type, "edge_type"}, {EdgeColumn::Attribute, "edge_attr"}})
        if (made.contains(column))
            graph.arrays[name] = made[column].array;
}

}  // namespace cleave
