#include "core/graph/graph_file.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "core/base/error.h"
#include "core/base/format.h"
#include "core/base/zip.h"
#include "core/graph/data_graph.h"
#include "core/graph/dot_graph.h"
#include "core/graph/edge_list.h"
#include "core/graph/graphml.h"
#include "core/graph/matrix_market.h"
#include "core/graph/npy.h"
#include "core/graph/ogb.h"

namespace cleave {

namespace {

using ReadsFormat = GraphArrays (*)(const std::filesystem::path&, const Progress&);

struct Kind {
    std::string_view ending;
    ReadsFormat read;
};

constexpr std::array kinds{Kind{".csv", readEdgeList}, Kind{".tsv", readEdgeList},       Kind{".txt", readEdgeList}, Kind{".mtx", readMatrixMarket},
                           Kind{".dot", readDot},      Kind{".gv", readDot},             Kind{".graphml", readGraphMl}};

std::string lowerExtension(const std::filesystem::path& path)
{
    std::string extension = path.extension().string();
    std::ranges::transform(extension, extension.begin(), [](char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); });
    return extension;
}

// Without a slash at its end.
std::filesystem::path withName(const std::filesystem::path& path)
{
    return path.has_filename() ? path : path.parent_path();
}

// node_names is int64, or texts.
void takeNames(GraphArrays& graph, const std::filesystem::path& path)
{
    const auto found = graph.arrays.find("node_names");
    std::optional<Array> names = found != graph.arrays.end() ? std::optional(found->second) : readTexts(path, "node_names");
    if (!names)
        return;
    if (found != graph.arrays.end() && (names->dtype != DType::Int64 || names->shape.size() != 1))
        throw Error("Array 'node_names' of " + printable(path.filename().string()) + " must hold a text or an int64 number for each node.");
    graph.arrays.erase("node_names");
    graph.names = std::make_shared<const NodeNames>(NodeNames::fromArray(*names));
}

GraphArrays readNumPy(const std::filesystem::path& path, const Progress& progress)
{
    GraphArrays graph;
    const bool isFolder = std::filesystem::is_directory(path);
    graph.arrays = isFolder ? mapFolder(path) : readNpz(path, progress, "Reading the graph");
    // A file without edges may be meant; edges that are no numbers are not.
    const std::string edges = "edge_index";
    if (!graph.arrays.contains(edges) && (isFolder ? std::filesystem::exists(path / (edges + ".npy")) : ZipReader(path).contains(edges + ".npy")))
        throw Error(printable(path.filename().string()) + " has no array '" + edges + "' of numbers.");
    takeNames(graph, path);
    return graph;
}

}  // namespace

GraphArrays readArrays(const std::filesystem::path& path, const Progress& progress)
{
    if (std::filesystem::is_directory(path))
        return isOgbFolder(path) ? readOgb(path, progress) : readNumPy(withName(path), progress);
    const auto kind = std::ranges::find(kinds, graphEnding(path), &Kind::ending);
    return kind == kinds.end() ? readNumPy(path, progress) : kind->read(path, progress);
}

std::string graphName(const std::filesystem::path& path)
{
    const std::filesystem::path named = withName(path), whole = std::filesystem::absolute(named).lexically_normal();
    if (named.filename() == "raw" && std::filesystem::is_directory(named))
        return whole.parent_path().filename().string();
    return lowerExtension(named) == ".gz" ? named.stem().stem().string() : named.stem().string();
}

std::string graphEnding(const std::filesystem::path& path)
{
    const std::string extension = lowerExtension(path);
    return extension == ".gz" ? lowerExtension(path.stem()) : extension;
}

bool isGraphFile(const std::filesystem::path& path)
{
    const std::string ending = graphEnding(path);
    return ending == ".npz" || std::ranges::find(kinds, ending, &Kind::ending) != kinds.end();
}

}  // namespace cleave
