#include "core/graph/attributed_graph.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"

namespace cleave {

namespace {

constexpr std::size_t mostColumns = 4096, mostBehind = 65536;

// Columns of the named rows side by side, float32 [rows, columns]; rowOf: where each row goes, empty: where it is.
Array sideBySide(const AttributeColumns& columns, const std::vector<std::size_t>& which, std::int64_t rows, const std::vector<std::int64_t>& rowOf)
{
    const auto width = std::ssize(which);
    NewArray array = makeArray(DType::Float32, {rows, width});
    auto* to = reinterpret_cast<float*>(array.data);
    for (std::int64_t row = 0; row < rows; ++row) {
        const std::int64_t place = rowOf.empty() ? row : rowOf[static_cast<std::size_t>(row)];
        for (std::int64_t i = 0; i < width; ++i)
            to[place * width + i] = columns.at(which[static_cast<std::size_t>(i)], row);
    }
    return array.array;
}

bool areLabels(const AttributeColumns& columns, std::size_t column, std::int64_t rows)
{
    const std::string& name = columns.names()[column];
    if (name != "y" && name != "label" && name != "class")
        return false;
    for (std::int64_t row = 0; row < rows; ++row)
        if (const float value = columns.at(column, row); !(std::fabs(value) < 0x1p24F) || value != std::floor(value))
            return false;
    return true;
}

Array asLabels(const Array& column)
{
    NewArray labels = makeArray(DType::Int64, {column.shape[0]});
    std::transform(column.as<float>(), column.as<float>() + column.count(), reinterpret_cast<std::int64_t*>(labels.data),
                   [](float value) { return static_cast<std::int64_t>(value); });
    return labels.array;
}

}  // namespace

void AttributeColumns::set(std::string_view name, std::int64_t row, float value)
{
    auto found = m_byName.find(name);
    if (found == m_byName.end()) {
        if (m_names.size() >= mostColumns)
            throw Error("there are more than 4,096 attributes of different names");
        found = m_byName.emplace(name, m_names.size()).first;
        m_names.emplace_back(name);
        m_columns.emplace_back();
    }
    auto& [values, behind] = m_columns[found->second];
    if (row < std::ssize(values)) {
        values[static_cast<std::size_t>(row)] = value;
        return;
    }
    if (row == std::ssize(values))
        values.push_back(value);
    else if (behind.size() < mostBehind)
        behind[row] = value;
    for (auto next = behind.begin(); next != behind.end() && next->first <= std::ssize(values); next = behind.erase(next))
        if (next->first == std::ssize(values))
            values.push_back(next->second);
}

bool AttributeColumns::isWhole(std::size_t column, std::int64_t rows) const
{
    return std::ssize(m_columns[column].values) == rows;
}

std::int64_t AttributedGraph::edge(std::int64_t from, std::int64_t to, bool isDirected)
{
    const auto number = std::ssize(m_from);
    m_from.push_back(from);
    m_to.push_back(to);
    if (!isDirected && from != to)
        m_undirected.push_back(number);
    return number;
}

GraphArrays AttributedGraph::finish()
{
    if (numNodes() == 0)
        throw Error(m_file + " has no node: there is nothing to run a model on.");
    GraphArrays graph;
    const std::int64_t edges = std::ssize(m_from);
    SettledNames settled = settle(std::move(m_names));
    const std::int64_t nodes = settled.names ? settled.names->size() : std::ssize(settled.nodeOf);
    NewArray index = makeArray(DType::Int64, {2, edges});
    auto* to = reinterpret_cast<std::int64_t*>(index.data);
    for (const auto* ends : {&m_from, &m_to})
        for (const std::int64_t node : *ends)
            *to++ = settled.nodeOf.empty() ? node : settled.nodeOf[static_cast<std::size_t>(node)];
    graph.arrays["edge_index"] = index.array;
    graph.arrays["num_nodes"] = oneNumber(nodes);
    if (settled.names)
        graph.names = std::make_shared<const NodeNames>(std::move(*settled.names));
    m_from.clear();
    takeEdgeColumns(graph);
    appendReversed(graph.arrays, m_undirected);
    takeNodeColumns(graph, settled.nodeOf);
    return graph;
}

void AttributedGraph::takeNodeColumns(GraphArrays& graph, const std::vector<std::int64_t>& nodeOf) const
{
    const std::int64_t nodes = graph.arrays.at("num_nodes").as<std::int64_t>()[0];
    std::vector<std::size_t> features;
    for (std::size_t column = 0; column < m_ofNodes.names().size(); ++column) {
        if (!m_ofNodes.isWhole(column, nodes))
            continue;
        if (!graph.arrays.contains("y") && areLabels(m_ofNodes, column, nodes))
            graph.arrays["y"] = asLabels(sideBySide(m_ofNodes, {column}, nodes, nodeOf));
        else
            features.push_back(column);
    }
    if (!features.empty())
        graph.arrays["x"] = sideBySide(m_ofNodes, features, nodes, nodeOf);
}

void AttributedGraph::takeEdgeColumns(GraphArrays& graph) const
{
    const std::int64_t edges = graph.arrays.at("edge_index").shape[1];
    std::vector<std::size_t> attributes;
    for (std::size_t column = 0; edges > 0 && column < m_ofEdges.names().size(); ++column) {
        if (!m_ofEdges.isWhole(column, edges))
            continue;
        if (m_ofEdges.names()[column] == "weight") {
            graph.arrays["edge_weight"] = sideBySide(m_ofEdges, {column}, edges, {});
            graph.arrays["edge_weight"].shape = {edges};
        } else {
            attributes.push_back(column);
        }
    }
    if (!attributes.empty())
        graph.arrays["edge_attr"] = sideBySide(m_ofEdges, attributes, edges, {});
}

}  // namespace cleave
