#include "core/base/error.h"
#include "core/base/format.h"
#include "core/graph/dot_graph.h"

namespace cleave {

GraphArrays readDot(const std::filesystem::path& path, const Progress&)
{
    throw Error(
        printable(path.filename().string()) +
        " is written in DOT, which this build of Cleave does not read: it was made without Graphviz. Write the graph as GraphML or as a list of edges.");
}

}  // namespace cleave
