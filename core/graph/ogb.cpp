#include "core/graph/ogb.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "core/base/error.h"
#include "core/base/format.h"
#include "core/graph/number_table.h"

namespace cleave {

namespace {

namespace fs = std::filesystem;

// The table of this name, packed or not; empty if there is none.
fs::path tableIn(const fs::path& folder, const std::string& name)
{
    std::error_code problem;
    for (const char* ending : {".csv.gz", ".csv"})
        if (fs::path path = folder / (name + ending); fs::is_regular_file(path, problem))
            return path;
    return {};
}

fs::path rawFolder(const fs::path& folder)
{
    std::error_code problem;
    return fs::is_directory(folder / "raw", problem) ? folder / "raw" : folder;
}

// One column becomes [rows].
Array asColumn(const Array& table)
{
    return {table.dtype, table.shape[1] == 1 ? std::vector{table.shape[0]} : table.shape, table.data};
}

// int64, if all numbers are whole.
Array labelsOfNumbers(const Array& table)
{
    const auto* numbers = table.as<float>();
    if (!std::all_of(numbers, numbers + table.count(), [](float x) { return std::fabs(x) < 0x1p24F && x == std::floor(x); }))
        return asColumn(table);
    NewArray labels = makeArray(DType::Int64, asColumn(table).shape);
    std::transform(numbers, numbers + table.count(), reinterpret_cast<std::int64_t*>(labels.data),
                   [](float x) { return static_cast<std::int64_t>(x); });
    return labels.array;
}

class OgbReader {
public:
    OgbReader(const fs::path& folder, const Progress& progress) : m_raw(rawFolder(folder)), m_progress(progress) {}

    GraphArrays read()
    {
        refuseOthers();
        m_nodes = sizesOf("num-node-list");
        m_edges = sizesOf("num-edge-list");
        m_numNodes = total(m_nodes);
        checkNodeCount("num-node-list", m_numNodes);
        m_graph.arrays["num_nodes"] = oneNumber(m_numNodes);
        takeEdges();
        takeRows("node-feat", "x", DType::Float32, m_numNodes);
        takeRows("edge-feat", "edge_attr", DType::Float32, total(m_edges));
        if (const fs::path labels = tableIn(m_raw, "node-label"); !labels.empty())
            m_graph.arrays["y"] = labelsOf(labels, m_numNodes);
        takeFurtherColumns();
        if (m_nodes.size() > 1)
            takeGraphs();
        else
            takeSplits();
        noteStoredOnce();
        return std::move(m_graph);
    }

private:
    void refuseOthers() const
    {
        std::error_code problem;
        const std::string name = printable(m_raw.string(), 300);
        if (fs::exists(m_raw / "relations", problem) || !tableIn(m_raw, "triplet-type-list").empty())
            throw Error(name + " holds a graph of several node types, which Cleave reads from .npz only: write one as the README shows.");
        if (tableIn(m_raw, "edge").empty())
            throw Error(name + " has no edge.csv.gz: binary data sets of the Open Graph Benchmark have to be written as .npz first.");
    }

    std::vector<std::int64_t> sizesOf(const std::string& name) const
    {
        const fs::path path = tableIn(m_raw, name);
        if (path.empty())
            throw Error(printable(m_raw.string(), 300) + " has no " + name + ".csv.gz: a data set of the Open Graph Benchmark needs it.");
        const Array table = readNumberTable(path, DType::Int64, m_progress, "Reading sizes");
        std::vector<std::int64_t> sizes(table.as<std::int64_t>(), table.as<std::int64_t>() + table.count());
        if (std::ranges::any_of(sizes, [](std::int64_t size) { return size < 0 || size > std::int64_t{1} << 40; }) || total(sizes) > std::int64_t{1}
                                                                                                                                         << 40)
            throw Error(printable(path.filename().string()) + " holds a number that is no size.");
        return sizes;
    }

    static std::int64_t total(const std::vector<std::int64_t>& sizes)
    {
        std::int64_t sum = 0;
        for (const std::int64_t size : sizes)
            sum = std::min(sum + size, std::int64_t{1} << 50);
        return sum;
    }

    Array rowsOf(const fs::path& path, DType dtype, std::int64_t rows) const
    {
        Array table = readNumberTable(path, dtype, m_progress, "Reading " + printable(path.filename().string()));
        if (table.shape[0] != rows)
            throw Error(printable(path.filename().string()) + " has " + formatCount(table.shape[0]) + " lines, but the data set has " +
                        formatCount(rows) + " to describe.");
        return table;
    }

    // Float32 does not hold all whole numbers.
    Array labelsOf(const fs::path& path, std::int64_t rows) const
    {
        try {
            return asColumn(rowsOf(path, DType::Int64, rows));
        } catch (const Error&) {
            return labelsOfNumbers(rowsOf(path, DType::Float32, rows));
        }
    }

    void takeRows(const std::string& file, const std::string& name, DType dtype, std::int64_t rows)
    {
        if (const fs::path path = tableIn(m_raw, file); !path.empty())
            m_graph.arrays[name] = rowsOf(path, dtype, rows);
    }

    // Nodes of each graph are numbered from 0.
    void takeEdges()
    {
        const fs::path path = tableIn(m_raw, "edge");
        const std::string file = printable(path.filename().string());
        const std::int64_t edges = total(m_edges);
        if (m_nodes.size() != m_edges.size())
            throw Error("num-node-list and num-edge-list of " + printable(m_raw.string(), 300) + " have different numbers of graphs.");
        const Array table = rowsOf(path, DType::Int64, edges);
        if (table.shape[1] != 2)
            throw Error(file + " has " + std::to_string(table.shape[1]) + " columns: an edge has a source and a target.");
        NewArray index = makeArray(DType::Int64, {2, edges});
        auto* to = reinterpret_cast<std::int64_t*>(index.data);
        std::int64_t e = 0, firstNode = 0;
        for (std::size_t graph = 0; graph < m_nodes.size(); firstNode += m_nodes[graph++])
            for (const std::int64_t end = e + m_edges[graph]; e < end; ++e)
                for (const std::int64_t side : {0, 1}) {
                    const std::int64_t node = table.as<std::int64_t>()[2 * e + side];
                    if (node < 0 || node >= m_nodes[graph])
                        throw Error("Line " + std::to_string(e + 1) + " of " + file + " names node " + std::to_string(node) + ", but its graph has " +
                                    formatCount(m_nodes[graph]) + " nodes, numbered from 0.");
                    to[side * edges + e] = firstNode + node;
                }
        m_graph.arrays["edge_index"] = index.array;
    }

    // node_year, node_species, edge_reltype and the like.
    void takeFurtherColumns()
    {
        std::error_code problem;
        for (const auto& file : fs::directory_iterator(m_raw, problem)) {
            std::string name = file.path().filename().string();
            name = name.substr(0, name.find('.'));
            const bool isOfNodes = name.starts_with("node_"), isOfEdges = name.starts_with("edge_");
            if ((isOfNodes || isOfEdges) && file.path() == tableIn(m_raw, name))
                m_graph.arrays[name] = labelsOf(file.path(), isOfNodes ? m_numNodes : total(m_edges));
        }
    }

    void takeGraphs()
    {
        const auto graphs = std::ssize(m_nodes);
        NewArray batch = makeArray(DType::Int64, {m_numNodes}), ptr = makeArray(DType::Int64, {graphs + 1});
        auto* graphOf = reinterpret_cast<std::int64_t*>(batch.data);
        auto* first = reinterpret_cast<std::int64_t*>(ptr.data);
        std::int64_t node = 0;
        for (std::int64_t graph = 0; graph < graphs; ++graph) {
            first[graph] = node;
            const std::int64_t count = m_nodes[static_cast<std::size_t>(graph)];
            std::fill_n(graphOf + node, count, graph);
            node += count;
        }
        first[graphs] = node;
        m_graph.arrays["batch"] = batch.array;
        m_graph.arrays["ptr"] = ptr.array;
        if (const fs::path labels = tableIn(m_raw, "graph-label"); !labels.empty())
            m_graph.arrays["graph_label"] = labelsOf(labels, graphs);
    }

    void takeSplits()
    {
        std::error_code problem;
        std::vector<fs::path> splits;
        for (const auto& folder : fs::directory_iterator(m_raw.parent_path() / "split", problem))
            if (!tableIn(folder.path(), "train").empty())
                splits.push_back(folder.path());
        std::ranges::sort(splits);
        if (splits.empty())
            return;
        for (const auto& [file, name] : {std::pair("train", "train_masks"), std::pair("valid", "val_masks"), std::pair("test", "test_masks")})
            m_graph.arrays[name] = masksOf(splits, file);
    }

    // [splits, V]
    Array masksOf(const std::vector<fs::path>& splits, const std::string& file) const
    {
        NewArray masks = makeArray(DType::Bool, {std::ssize(splits), m_numNodes});
        std::memset(masks.data, 0, masks.array.bytes());
        std::byte* mask = masks.data;
        for (const fs::path& split : splits) {
            const fs::path path = tableIn(split, file);
            const Array nodes = path.empty() ? Array{DType::Int64, {0}, nullptr} : readNumberTable(path, DType::Int64, m_progress, "Reading splits");
            for (std::int64_t i = 0; i < nodes.count(); ++i) {
                const std::int64_t node = nodes.as<std::int64_t>()[i];
                if (node < 0 || node >= m_numNodes)
                    throw Error("Line " + std::to_string(i + 1) + " of " + printable(path.filename().string()) + " names node " +
                                std::to_string(node) + ", but the graph has " + formatCount(m_numNodes) + " nodes, numbered from 0.");
                mask[node] = std::byte{1};
            }
            mask += m_numNodes;
        }
        return masks.array;
    }

    // The benchmark's own loader turns the edges of these around and adds them; nothing in the files says so.
    void noteStoredOnce()
    {
        const std::string name = fs::absolute(m_raw).lexically_normal().parent_path().filename().string();
        for (const char* known : {"products", "proteins", "mol", "ppa"})
            if (name.starts_with("ogb") && name.find(known) != std::string::npos)
                m_graph.notes.push_back(
                    "The files of " + printable(name) +
                    " hold each edge once, where the Open Graph Benchmark's loader has both directions: --undirected adds the other one.");
    }

    fs::path m_raw;
    const Progress& m_progress;
    std::vector<std::int64_t> m_nodes, m_edges;  // of each graph
    std::int64_t m_numNodes = 0;
    GraphArrays m_graph;
};

}  // namespace

bool isOgbFolder(const fs::path& folder)
{
    std::error_code problem;
    const fs::path raw = rawFolder(folder);
    return !tableIn(raw, "edge").empty() || !tableIn(raw, "num-node-list").empty() || fs::is_directory(raw / "relations", problem) ||
           (raw != folder && fs::is_regular_file(raw / "data.npz", problem));
}

GraphArrays readOgb(const fs::path& folder, const Progress& progress)
{
    return OgbReader(folder.has_filename() ? folder : folder.parent_path(), progress).read();
}

}  // namespace cleave
