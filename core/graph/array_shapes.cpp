#include "core/graph/array_shapes.h"

#include <utility>

namespace cleave {

std::map<std::string, ArrayShape> arrayShapes(const DataGraph& graph, const std::map<std::string, std::string>& inputs)
{
    std::map<std::string, ArrayShape> shapes;
    for (const auto& [name, array] : graph.arrays)
        shapes[name] = {array.dtype, array.shape};
    for (const auto& [name, mask] : {std::pair("train_mask", &graph.trainMask), {"val_mask", &graph.valMask}, {"test_mask", &graph.testMask}})
        if (*mask)
            shapes.try_emplace(name, ArrayShape{(*mask)->dtype, (*mask)->shape});
    for (const auto& [input, name] : inputs)
        if (const auto array = graph.arrays.find(name); array != graph.arrays.end())
            shapes[input] = {array->second.dtype, array->second.shape};
    return shapes;
}

}  // namespace cleave
