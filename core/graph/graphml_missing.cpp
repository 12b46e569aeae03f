#include "core/base/error.h"
#include "core/base/format.h"
#include "core/graph/graphml.h"

namespace cleave {

GraphArrays readGraphMl(const std::filesystem::path& path, const Progress&)
{
    throw Error(printable(path.filename().string()) +
                " is GraphML, which this build of Cleave does not read: it was made without Expat. Write the graph as a list of edges.");
}

}  // namespace cleave
