#include "core/graph/write_graph.h"

#include <unistd.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/format.h"
#include "core/base/text_sink.h"
#include "core/graph/array_numbers.h"
#include "core/graph/graph_arrays.h"
#include "core/graph/graph_file.h"
#include "core/graph/npy.h"

namespace cleave {

namespace {

constexpr std::size_t bytesAtOnce = std::size_t{1} << 20;

std::map<std::string, Array> allArrays(const DataGraph& graph)
{
    std::map<std::string, Array> arrays = graph.arrays;
    if (!graph.hasEdges)
        arrays.erase("edge_index");
    if (!graph.isTyped)
        arrays["num_nodes"] = oneNumber(graph.numNodes);
    for (const auto& [name, mask] :
         {std::pair("train_mask", &graph.trainMask), std::pair("val_mask", &graph.valMask), std::pair("test_mask", &graph.testMask)})
        if (*mask)
            arrays[name] = **mask;
    // Those of several types are written with the array that they came from.
    if (graph.labels && !graph.isTyped)
        arrays.try_emplace("y", *graph.labels);
    return arrays;
}

void writeArchive(const std::filesystem::path& path, const DataGraph& graph)
{
    std::map<std::string, Array> arrays = allArrays(graph), texts;
    if (graph.names)
        (graph.names->areNumbers() ? arrays : texts)["node_names"] = graph.names->toArray();
    writeNpz(path, arrays, texts);
}

void writeArrays(const std::filesystem::path& folder, const DataGraph& graph, const Progress& progress)
{
    const std::map<std::string, Array> arrays = allArrays(graph);
    double written = 0;
    for (const auto& [name, array] : arrays) {
        progress.update(written++ / static_cast<double>(arrays.size()), "Writing the graph");
        writeNpy(folder / (name + ".npy"), array);
    }
    if (!graph.names)
        return;
    const auto write = graph.names->areNumbers() ? writeNpy : writeNpyTexts;
    write(folder / "node_names.npy", graph.names->toArray());
}

// A folder that is there must be empty: rename takes its place.
void writeFolder(const std::filesystem::path& path, const DataGraph& graph, const Progress& progress)
{
    std::filesystem::path folder = path.has_filename() ? path : path.parent_path(), temporary = folder;
    temporary += ".part" + std::to_string(getpid());
    std::error_code problem;
    try {
        if (!std::filesystem::create_directory(temporary, problem))
            throw Error(printable(folder.string(), 300) + " cannot be written" + (problem ? ": " + problem.message() : std::string()) + ".");
        writeArrays(temporary, graph, progress);
        std::filesystem::rename(temporary, folder, problem);
        if (problem)
            throw Error(printable(folder.string(), 300) + " cannot be written: " + problem.message() + ".");
    } catch (...) {
        std::filesystem::remove_all(temporary, problem);
        throw;
    }
}

// A number for each edge, one column of an array.
struct Column {
    std::string name;
    const Array* array;
    std::int64_t first, stride;
};

std::vector<Column> columnsOf(const DataGraph& graph)
{
    std::vector<Column> columns;
    for (const auto& [name, title] : {std::pair("edge_weight", "weight"), std::pair("edge_type", "edge_type"), std::pair("edge_attr", "edge_attr")}) {
        const auto found = graph.arrays.find(name);
        if (found == graph.arrays.end() || found->second.dtype == DType::BFloat16)
            continue;
        const Array& array = found->second;
        const bool isAttribute = std::string_view(name) == "edge_attr";
        const bool hasRow = !array.shape.empty() && array.shape.size() <= 2 && array.shape[0] == graph.numEdges;  // for each edge
        const std::int64_t width = array.shape.size() == 2 ? array.shape[1] : 1;
        if (!hasRow || (!isAttribute && width != 1))
            continue;
        for (std::int64_t i = 0; i < width; ++i)
            columns.push_back({isAttribute ? title + ("_" + std::to_string(i)) : title, &array, i, width});
    }
    return columns;
}

std::string quoted(const std::string& name, char separator)
{
    const bool isPlain =
        name.find(separator) == std::string::npos && name.find_first_of("\"#%;\t,") == std::string::npos && name.front() != ' ' && name.back() != ' ';
    if (isPlain)
        return name;
    std::string text = "\"";
    for (const char c : name)
        text += c == '"' ? std::string("\"\"") : std::string(1, c);
    return text + "\"";
}

class TextWriter {
public:
    TextWriter(const std::filesystem::path& path, const std::filesystem::path& temporary, const DataGraph& graph, const Progress& progress)
        : m_sink(temporary, path.extension() == ".gz", path), m_graph(graph), m_progress(progress), m_columns(columnsOf(graph))
    {
    }

    void writeEdgeList(const std::string& ending)
    {
        const char separator = ending == ".csv" ? ',' : '\t';
        // Whoever reads a plain list skips comments but no header.
        if (ending == ".txt" && !m_graph.names)
            m_text += "# Nodes: " + std::to_string(m_graph.numNodes) + " Edges: " + std::to_string(m_graph.numEdges) + "\n";
        if (ending != ".txt" || m_graph.names || !m_columns.empty()) {
            m_text += std::string("source") + separator + "target";
            for (const Column& column : m_columns)
                m_text += separator + column.name;
            m_text += '\n';
        }
        writeEdges(separator, [&](std::int64_t node) {
            if (m_graph.names)
                m_text += quoted((*m_graph.names)[node], separator);
            else
                appendNumber(m_text, node);
        });
    }

    void writeMatrix()
    {
        std::erase_if(m_columns, [](const Column& column) { return column.name != "weight"; });
        m_text += std::string("%%MatrixMarket matrix coordinate ") + (m_columns.empty() ? "pattern" : "real") + " general\n";
        const std::string nodes = std::to_string(m_graph.numNodes);
        m_text += nodes + " " + nodes + " " + std::to_string(m_graph.numEdges) + "\n";
        writeEdges(' ', [&](std::int64_t node) { appendNumber(m_text, node + 1); });
    }

private:
    template <class Append>
    void writeEdges(char separator, const Append& append)
    {
        const auto* from = m_graph.arrays.at("edge_index").as<std::int64_t>();
        for (std::int64_t e = 0; e < m_graph.numEdges; ++e) {
            append(from[e]);
            m_text += separator;
            append(from[m_graph.numEdges + e]);
            for (const Column& column : m_columns) {
                m_text += separator;
                appendNumber(m_text, *column.array, column.first + e * column.stride);
            }
            m_text += '\n';
            if (m_text.size() > bytesAtOnce)
                flush(e);
        }
        flush(m_graph.numEdges);
        m_sink.close();
    }

    void flush(std::int64_t edges)
    {
        m_progress.update(static_cast<double>(edges) / static_cast<double>(std::max<std::int64_t>(1, m_graph.numEdges)), "Writing edges");
        m_sink.write(m_text);
        m_text.clear();
    }

    TextSink m_sink;
    const DataGraph& m_graph;
    const Progress& m_progress;
    std::vector<Column> m_columns;
    std::string m_text;
};

std::int64_t nodesWithoutEdges(const DataGraph& graph)
{
    std::vector<bool> hasEdge(static_cast<std::size_t>(graph.numNodes));
    const Array& edges = graph.arrays.at("edge_index");
    for (std::int64_t i = 0; i < edges.count(); ++i)
        hasEdge[static_cast<std::size_t>(edges.as<std::int64_t>()[i])] = true;
    return std::ranges::count(hasEdge, false);
}

std::vector<std::string> leftOut(const std::string& ending, const DataGraph& graph)
{
    std::vector<std::string> notes, arrays;
    for (const auto& [name, array] : allArrays(graph)) {
        const auto columns = columnsOf(graph);
        const bool isWritten = std::ranges::any_of(
            columns, [&, &a = graph.arrays, &n = name](const Column& column) { return a.contains(n) && column.array == &a.at(n); });
        if (name != "edge_index" && name != "num_nodes" && !(isWritten && (ending != ".mtx" || name == "edge_weight")))
            arrays.push_back(printable(name));
    }
    if (ending == ".mtx" && graph.names)
        arrays.push_back("names of nodes");
    if (!arrays.empty())
        notes.push_back("Files that end in " + ending + " hold edges only: left out are " + join(arrays, ", ") + ".");
    const bool statesNodes = ending == ".mtx" || (ending == ".txt" && !graph.names);
    if (const std::int64_t lone = statesNodes ? 0 : nodesWithoutEdges(graph); lone > 0)
        notes.push_back("Nodes without edges are left out (" + formatCount(lone) + "), which files that end in " + ending + " do not hold.");
    return notes;
}

std::vector<std::string> writeTextGraph(const std::filesystem::path& path, const std::string& ending, const DataGraph& graph,
                                        const Progress& progress)
{
    if (graph.isTyped || !graph.hasEdges || !graph.arrays.contains("edge_index"))
        throw Error("Edges of several relations, or under other names than edge_index, cannot be written as " + ending +
                    ": write the graph as .npz.");
    writeBeside(path, [&](const std::filesystem::path& temporary) {
        TextWriter writer(path, temporary, graph, progress);
        if (ending == ".mtx")
            writer.writeMatrix();
        else
            writer.writeEdgeList(ending);
    });
    return leftOut(ending, graph);
}

bool isText(const std::string& ending)
{
    return ending == ".csv" || ending == ".tsv" || ending == ".txt" || ending == ".mtx";
}

bool isFolder(const std::filesystem::path& path)
{
    return !path.has_filename() || !path.has_extension() || std::filesystem::is_directory(path);
}

}  // namespace

void checkGraphTarget(const std::filesystem::path& path)
{
    std::error_code problem;
    const std::filesystem::path folder = path.has_filename() ? path : path.parent_path();
    if (isFolder(path)) {
        if (std::filesystem::exists(folder, problem) &&
            !(std::filesystem::is_directory(folder, problem) && std::filesystem::is_empty(folder, problem)))
            throw Error(printable(folder.string(), 300) +
                        " is there already: a folder of .npy files is written where there is none, or an empty one.");
        return;
    }
    if (!isText(graphEnding(path)) && path.extension() != ".npz")
        throw Error(
            printable(path.string(), 300) +
            " has an ending that Cleave does not write: write .npz, .csv, .tsv, .txt or .mtx, or a name without ending for a folder of .npy files.");
}

std::vector<std::string> writeGraph(const std::filesystem::path& path, const DataGraph& graph, const Progress& progress)
{
    checkGraphTarget(path);
    progress.update(0, "Writing the graph");
    if (isText(graphEnding(path)) && !isFolder(path))
        return writeTextGraph(path, graphEnding(path), graph, progress);
    if (isFolder(path))
        writeFolder(path, graph, progress);
    else
        writeArchive(path, graph);
    return {};
}

}  // namespace cleave
