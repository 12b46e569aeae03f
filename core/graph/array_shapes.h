#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/graph/data_graph.h"

namespace cleave {

/// What an array looks like: enough to choose the inputs of a model file that does not say what it takes.
struct ArrayShape {
    DType dtype = DType::Unknown;
    std::vector<std::int64_t> sizes;
};

/// Of a graph's arrays, by the names of forward's inputs. inputs: names of arrays by those of inputs, where they differ (RunOptions::inputs).
std::map<std::string, ArrayShape> arrayShapes(const DataGraph& graph, const std::map<std::string, std::string>& inputs = {});

}  // namespace cleave
