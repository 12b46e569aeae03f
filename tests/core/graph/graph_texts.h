#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/base/text_sink.h"
#include "core/graph/data_graph.h"
#include "tests/core/test_files.h"

namespace cleave::test {

using Edges = std::vector<std::pair<std::int64_t, std::int64_t>>;

/// The graph that a file of this name and these bytes holds; packed where the name ends in .gz.
inline DataGraph graphOf(const std::string& file, const std::string& text, const GraphOptions& options = {})
{
    const TemporaryFolder folder;
    TextSink sink(folder / file, file.ends_with(".gz"));
    sink.write(text);
    sink.close();
    return readGraph(folder / file, options);
}

inline std::string refusalOf(const std::string& file, const std::string& text)
{
    return errorOf([&] { graphOf(file, text); });
}

inline Edges edgesOf(const DataGraph& graph)
{
    Edges edges;
    const auto* from = graph.arrays.at("edge_index").as<std::int64_t>();
    for (std::int64_t e = 0; e < graph.numEdges; ++e)
        edges.emplace_back(from[e], from[graph.numEdges + e]);
    return edges;
}

template <class Number = float>
std::vector<Number> numbersOf(const DataGraph& graph, const std::string& array)
{
    const Array& numbers = graph.arrays.at(array);
    EXPECT_EQ(itemSize(numbers.dtype), sizeof(Number)) << array;
    return {numbers.as<Number>(), numbers.as<Number>() + numbers.count()};
}

inline std::vector<std::string> namesOf(const DataGraph& graph)
{
    std::vector<std::string> names;
    for (std::int64_t node = 0; graph.names && node < graph.numNodes; ++node)
        names.push_back(graph.nameOf(node));
    return names;
}

}  // namespace cleave::test
