#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/graph/graph_arrays.h"

namespace cleave {

/// Numbers that some rows have, by name in the order in which the names came.
class AttributeColumns {
public:
    /// Rows come in order, but for those around others that have graphs inside: a column that leaves one out is never whole. Error if there are more
    /// than 4,096 names.
    void set(std::string_view name, std::int64_t row, float value);
    bool isWhole(std::size_t column, std::int64_t rows) const;  ///< every row has one
    const std::vector<std::string>& names() const { return m_names; }
    float at(std::size_t column, std::int64_t row) const { return m_columns[column].values[static_cast<std::size_t>(row)]; }

private:
    std::vector<std::string> m_names;
    std::map<std::string, std::size_t, std::less<>> m_byName;
    struct Column {
        std::vector<float> values;             // up to the first row that has none
        std::map<std::int64_t, float> behind;  // some of the rows behind that one, which may still come
    };
    std::vector<Column> m_columns;
};

/// A graph whose nodes and edges come with attributes by name, as GraphML and DOT have them. What is no number is not kept.
class AttributedGraph {
public:
    explicit AttributedGraph(std::string file) : m_file(std::move(file)) {}  ///< file: its name, for messages

    std::int64_t node(std::string_view name) { return m_names.add(name); }  ///< its number; Error for names that cannot be kept
    std::int64_t findNode(std::string_view name) const { return m_names.find(name); }  ///< -1 if there is none
    std::int64_t numNodes() const { return m_names.size(); }
    std::int64_t edge(std::int64_t from, std::int64_t to, bool isDirected);  ///< its number

    AttributeColumns& ofNodes() { return m_ofNodes; }
    AttributeColumns& ofEdges() { return m_ofEdges; }

    /// Attributes that every node has become y (called y, label or class, all of them whole numbers) and columns of x; those that every edge has
    /// edge_weight (called weight) and columns of edge_attr. Edges without direction get the other one behind all edges. Error if there is no node.
    GraphArrays finish();

private:
    void takeNodeColumns(GraphArrays& graph, const std::vector<std::int64_t>& nodeOf) const;
    void takeEdgeColumns(GraphArrays& graph) const;

    std::string m_file;
    NodeNames m_names;
    std::vector<std::int64_t> m_from, m_to, m_undirected;
    AttributeColumns m_ofNodes, m_ofEdges;
};

}  // namespace cleave
