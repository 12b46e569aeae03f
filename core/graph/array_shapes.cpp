#include "core/graph/array_shapes.h"

namespace cleave {

std::map<std::string, ArrayShape> arrayShapes(const DataGraph& graph, const std::map<std::string, std::string>& inputs)
{
    std::map<std::string, ArrayShape> shapes;
    for (const auto& [name, array] : graph.arrays)
        shapes[name] = {array.dtype, array.shape};
    for (const auto& [input, name] : inputs)
        if (const auto array = graph.arrays.find(name); array != graph.arrays.end())
            shapes[input] = {array->second.dtype, array->second.shape};
    return shapes;
}

}  // namespace cleave
