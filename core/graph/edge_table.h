#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "core/graph/graph_arrays.h"

namespace cleave {

/// Some edges of a file, in its order.
struct EdgePart {
    std::vector<std::int64_t> from, to;
    std::vector<float> values;  ///< of each edge as many as the table has columns
};

/// What a column of numbers beside the two of the edge becomes: edge_weight [M], edge_type int64 [M], or a column of edge_attr [M, k].
enum class EdgeColumn : std::uint8_t { Weight, Type, Attribute };

/// The edges of a file as they are read, part by part.
class EdgeTable {
public:
    explicit EdgeTable(std::string file) : m_file(std::move(file)) {}  ///< file: its name, for messages

    void add(EdgePart part);  ///< Error if so many edges do not fit into memory
    std::int64_t count() const { return m_count; }

    /// Edges whose nodes are what people number them by: of 0 … V - 1 all stay, others are numbered by size and keep their numbers as names.
    /// stated: V, as the file says; if every number is below it, all stay.
    void numberNodes(GraphArrays& graph, std::optional<std::int64_t> stated);

    /// edge_index and what the columns hold, one entry for each value of an edge, Weight and Type at most once. Leaves the table empty.
    void moveTo(GraphArrays& graph, const std::vector<EdgeColumn>& columns);

private:
    std::vector<std::int64_t> distinctNodes() const;
    std::int64_t highestNode() const;
    void renumber(const std::vector<std::int64_t>& names);
    Array takeEdges();

    std::string m_file;
    std::deque<EdgePart> m_parts;
    std::int64_t m_count = 0;
};

}  // namespace cleave
