#include "core/graph/data_graph.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <ranges>
#include <set>
#include <span>
#include <string_view>
#include <thread>
#include <vector>

#include "core/base/error.h"
#include "core/base/format.h"
#include "core/base/mapping.h"
#include "core/base/memory.h"
#include "core/base/parallel.h"
#include "core/base/stopping.h"
#include "core/graph/array_numbers.h"
#include "core/graph/graph_arrays.h"
#include "core/graph/graph_file.h"

namespace cleave {

namespace {

constexpr std::int64_t mostNodes = std::int64_t{1} << 31;

Array asInt64(const Array& array)
{
    if (array.dtype == DType::Int64)
        return array;
    NewArray wide = makeArray(DType::Int64, array.shape);
    auto* values = reinterpret_cast<std::int64_t*>(wide.data);
    for (std::int64_t i = 0; i < array.count(); ++i)
        values[i] = integerAt(array, i);
    return wide.array;
}

// Class numbers as int64 [V]; NaN is unlabelled. Nothing if these are no classes but, say, values to regress.
std::optional<Array> asClasses(const Array& array)
{
    if (array.shape.empty() || array.count() != array.shape[0])
        return {};
    NewArray classes = makeArray(DType::Int64, {array.shape[0]});
    auto* values = reinterpret_cast<std::int64_t*>(classes.data);
    for (std::int64_t i = 0; i < array.count(); ++i) {
        if (!isFloating(array.dtype)) {
            values[i] = integerAt(array, i);
            continue;
        }
        const double value = numberAt(array, i);
        if (!std::isnan(value) && (value != std::floor(value) || std::fabs(value) > 1e9))
            return {};
        values[i] = std::isnan(value) ? -1 : static_cast<std::int64_t>(value);
    }
    return classes.array;
}

class GraphReader {
public:
    GraphReader(const std::filesystem::path& path, const GraphOptions& options, const Progress& progress)
        : m_file(printable(path.filename().string())), m_options(options)
    {
        GraphArrays read = readArrays(path, progress);
        m_all = std::move(read.arrays);
        m_graph.names = std::move(read.names);
        m_graph.notes = std::move(read.notes);
        m_graph.name = graphName(path);
    }

    DataGraph read(const Progress& progress)
    {
        std::set<std::string> sparse;
        for (const auto& [name, array] : m_all)
            for (const std::string_view part : {"_indptr", "_indices", "_shape"})
                if (const std::string of = name.ends_with(part) ? name.substr(0, name.size() - part.size()) : std::string();
                    isFeatures(of) && (of == "x" || part == "_indptr"))
                    sparse.insert(of);
        for (const std::string& name : sparse)
            takeSparseFeatures(name, progress);
        takeCompressedRows();
        findTypes();
        takeLabels();
        for (const auto& [name, slot] :
             {std::pair("train", &m_graph.trainMask), std::pair("val", &m_graph.valMask), std::pair("test", &m_graph.testMask)})
            takeMask(name, *slot);
        if (m_options.split != 0 && !m_graph.trainMask && !m_graph.valMask && !m_graph.testMask)
            throw Error(m_file + " has no splits: there is no split " + std::to_string(m_options.split) + ".");
        findNumNodes();
        takeEdges(progress);
        dropLabelsOfGraphs();
        checkRows();
        if (m_options.undirected)
            addOtherDirection();
        for (auto& [name, array] : m_all)
            m_graph.arrays[name] = std::move(array);
        return std::move(m_graph);
    }

private:
    [[noreturn]] void fail(const std::string& array, const std::string& why) const
    {
        throw Error("Array '" + array + "' of " + m_file + " " + why + ".");
    }

    std::optional<Array> take(const std::string& name)
    {
        const auto found = m_all.find(name);
        if (found == m_all.end())
            return {};
        Array array = std::move(found->second);
        m_all.erase(found);
        return array;
    }

    Array need(const std::string& name)
    {
        auto array = take(name);
        if (!array)
            throw Error(m_file + " has no array '" + name + "' of numbers.");
        return *array;
    }

    Array needIntegers(const std::string& name)
    {
        const Array array = need(name);
        if (!isInteger(array.dtype))
            fail(name, "must hold integers, not " + std::string(dtypeName(array.dtype)));
        return asInt64(array);
    }

    // "x", "x_paper", "paper_x", "paper.x".
    static bool isFeatures(const std::string& name) { return name == "x" || name.starts_with("x_") || name.ends_with("_x") || name.ends_with(".x"); }

    // "edge_index", "edge_index_author_writes_paper", "author__writes__paper.edge_index".
    static bool isEdgeIndex(const std::string& name) { return name.starts_with("edge_index") || name.ends_with("edge_index"); }

    static bool isPairs(const Array& array) { return isInteger(array.dtype) && array.shape.size() == 2 && array.shape[0] == 2; }

    // Edges of each target between pointers, where the file has no others: sources and targets are what edge_index would be.
    void takeCompressedRows()
    {
        if (std::ranges::any_of(m_all, [](const auto& named) { return isEdgeIndex(named.first); }))
            return;
        for (const auto& [rows, columns] : {std::pair("rowptr", "col"), {"indptr", "indices"}, {"crow_indices", "col_indices"}}) {
            const auto pointers = m_all.find(rows), sources = m_all.find(columns);
            const auto isList = [&](auto array) { return array != m_all.end() && isInteger(array->second.dtype) && array->second.shape.size() == 1; };
            if (!isList(pointers) || !isList(sources) || pointers->second.shape[0] == 0)
                continue;
            const std::int64_t nodes = pointers->second.shape[0] - 1, edges = sources->second.shape[0];
            NewArray index = makeArray(DType::Int64, {2, edges});
            auto* ends = reinterpret_cast<std::int64_t*>(index.data);
            std::int64_t next = 0;
            for (std::int64_t node = 0; node < nodes; ++node)
                for (const std::int64_t end = std::min(integerAt(pointers->second, node + 1), edges); next < end; ++next) {
                    ends[next] = integerAt(sources->second, next);
                    ends[edges + next] = node;
                }
            if (next != edges || integerAt(pointers->second, 0) != 0 || integerAt(pointers->second, nodes) != edges || !isSorted(pointers->second))
                fail(rows, "must go from 0 to " + formatCount(edges) + ", which '" + columns + "' has, and never down");
            m_all["edge_index"] = index.array;
            if (!m_all.contains("num_nodes") && !m_all.contains("x") && !m_all.contains("y"))
                m_all["num_nodes"] = oneNumber(nodes);
            return;
        }
    }

    static bool isSorted(const Array& array)
    {
        for (std::int64_t i = 1; i < array.count(); ++i)
            if (integerAt(array, i) < integerAt(array, i - 1))
                return false;
        return true;
    }

    // Whether nodes have types, and which arrays are then features and edges: by their names, or where none has such a name, by their shapes.
    void findTypes()
    {
        const auto isTable = [](const Array& array) { return isFloating(array.dtype) && array.shape.size() == 2; };
        if (m_all.contains("edge_index")) {
            // Edges between nodes of two types may be called as if there were one; tables of equally many rows are of the same nodes.
            std::set<std::int64_t> rows;
            for (const auto& [name, array] : m_all)
                if (isFeatures(name) && isTable(array)) {
                    m_features.insert(name);
                    rows.insert(array.shape[0]);
                }
            m_isTyped = rows.size() > 1 && !m_all.contains("x") && !m_all.contains("num_nodes") && !m_all.contains("y");
            if (m_isTyped)
                m_relations.insert("edge_index");
            else
                m_features.clear();
            return;
        }
        for (const auto& [name, array] : m_all) {
            if (isEdgeIndex(name))
                m_relations.insert(name);
            if (isFeatures(name))
                m_features.insert(name);
        }
        m_hasNamedRelations = !m_relations.empty();
        std::set<std::int64_t> edges;
        for (const auto& [name, array] : m_all)
            if (isPairs(array)) {
                edges.insert(array.shape[1]);
                if (!m_hasNamedRelations)
                    m_relations.insert(name);
            }
        // Senders and receivers, or a table of neighbours: what such numbers are is for the model to say.
        const std::optional<std::int64_t> pairs = m_relations.empty() ? numberedPairs() : std::nullopt;
        const bool hasNumbers = pairs || std::ranges::any_of(m_all, [](const auto& named) { return mayNumberNodes(named.first, named.second, 2); });
        if (pairs) {
            edges.insert(*pairs);
            m_graph.numEdges = *pairs;
        }
        if (m_features.empty() && (!m_relations.empty() || hasNumbers))
            for (const auto& [name, array] : m_all)
                if (isTable(array) && !edges.contains(array.shape[0]) && !name.starts_with("expected"))
                    m_features.insert(name);
        m_isTyped = !m_relations.empty() || (hasNumbers && !m_features.empty()) ||
                    std::ranges::any_of(m_features, [](const std::string& name) { return name != "x"; });
    }

    static bool mayNumberNodes(const std::string& name, const Array& array, std::size_t dims)
    {
        static const std::set<std::string_view> others{"y", "batch", "ptr", "node_type", "edge_type", "node_time", "edge_time"};
        return isInteger(array.dtype) && array.shape.size() == dims && array.shape.back() != 1 && !others.contains(name);
    }

    // How many edges senders and receivers, or pairs of them, are: entries that two lists have, the most where also nodes have such lists.
    std::optional<std::int64_t> numberedPairs() const
    {
        for (const auto& [name, array] : m_all)
            if (mayNumberNodes(name, array, 2) && array.shape[1] == 2)
                return array.shape[0];
        std::map<std::int64_t, int> lists;
        for (const auto& [name, array] : m_all)
            if (mayNumberNodes(name, array, 1))
                ++lists[array.shape[0]];
        for (const auto& [entries, count] : std::views::reverse(lists))
            if (count > 1)
                return entries;
        return {};
    }

    // x_indptr, x_indices, x_data, x_shape: compressed sparse rows, made dense.
    void takeSparseFeatures(const std::string& name, const Progress& progress)
    {
        const Array begin = needIntegers(name + "_indptr"), columns = needIntegers(name + "_indices"), shape = needIntegers(name + "_shape");
        const std::optional<Array> data = take(name + "_data");
        const std::int64_t entries = data ? data->count() : columns.count();
        const auto isSize = [](std::int64_t size) { return size >= 0 && size <= mostNodes; };
        if (shape.count() != 2 || !isSize(shape.as<std::int64_t>()[0]) || !isSize(shape.as<std::int64_t>()[1]))
            fail(name + "_shape", "must hold two sizes");
        const std::int64_t rows = shape.as<std::int64_t>()[0], width = shape.as<std::int64_t>()[1];
        if (begin.shape.size() != 1 || begin.count() != rows + 1)
            fail(name + "_indptr",
                 "has shape " + shapeText(begin.shape) + ", but " + name + "_shape asks for " + std::to_string(rows + 1) + " entries");
        if (columns.count() != entries || begin.as<std::int64_t>()[0] != 0 || begin.as<std::int64_t>()[rows] != entries)
            fail(name + "_indices", "does not fit " + name + "_indptr and " + name + "_data");
        if (m_all.contains(name))
            fail(name, "is there twice, dense and sparse");
        if (static_cast<double>(rows) * static_cast<double>(width) * 4 > static_cast<double>(physicalMemory()))
            fail(name + "_shape", "asks for " + formatCount(rows) + " x " + formatCount(width) + " features, which do not fit into memory");
        NewArray dense = makeArray(DType::Float32, {rows, width});
        auto* x = reinterpret_cast<float*>(dense.data);
        std::memset(dense.data, 0, dense.array.bytes());
        for (std::int64_t r = 0; r < rows; ++r) {
            if (r % 65536 == 0)
                progress.update(static_cast<double>(r) / static_cast<double>(rows), "Reading features");
            const std::int64_t first = begin.as<std::int64_t>()[r], last = begin.as<std::int64_t>()[r + 1];
            if (first > last || last > entries)
                fail(name + "_indptr", "is not ascending at row " + std::to_string(r));
            for (std::int64_t i = first; i < last; ++i) {
                const std::int64_t column = columns.as<std::int64_t>()[i];
                if (column < 0 || column >= width)
                    fail(name + "_indices", "names column " + std::to_string(column) + " at entry " + std::to_string(i) + ", but " + name + " has " +
                                                std::to_string(width) + " columns");
                // Entries that are there twice add up, as in SciPy.
                x[r * width + column] += data ? static_cast<float>(numberAt(*data, i)) : 1.0F;
            }
        }
        m_all[name] = dense.array;
    }

    void takeLabels()
    {
        // Labels may also be an input of forward, so the array stays.
        if (const auto found = m_all.find(nameOrOnlyTyped("y")); found != m_all.end())
            m_graph.labels = asClasses(found->second);
    }

    // "y", or where nodes have types the one array "y_paper".
    std::string nameOrOnlyTyped(const std::string& name) const
    {
        std::vector<std::string> typed;
        for (const auto& [known, array] : m_all)
            if (m_isTyped && known.starts_with(name + "_"))
                typed.push_back(known);
        return m_all.contains(name) || typed.size() != 1 ? name : typed.front();
    }

    // NAME_mask [V], or NAME_masks [splits, V].
    void takeMask(const std::string& name, std::optional<Array>& slot)
    {
        slot = take(nameOrOnlyTyped(name + "_mask"));
        if (const auto several = take(name + "_masks")) {
            if (several->shape.size() != 2)
                fail(name + "_masks", "must have shape [splits, nodes], not " + shapeText(several->shape));
            if (m_options.split < 0 || m_options.split >= several->shape[0])
                throw Error(m_file + " has " + std::to_string(several->shape[0]) + " splits, numbered from 0: there is no split " +
                            std::to_string(m_options.split) + ".");
            const std::size_t row = static_cast<std::size_t>(several->shape[1]) * itemSize(several->dtype);
            slot = Array{several->dtype,
                         {several->shape[1]},
                         std::shared_ptr<const std::byte>(several->data, several->data.get() + row * static_cast<std::size_t>(m_options.split))};
        } else if (slot && m_options.split != 0) {
            throw Error(m_file + " has one split, number 0: there is no split " + std::to_string(m_options.split) + ".");
        }
        if (slot && slot->dtype != DType::Bool)
            fail(name + "_mask", "must be bool, not " + std::string(dtypeName(slot->dtype)));
    }

    void findNumNodes()
    {
        m_graph.isTyped = m_isTyped;
        if (const auto stated = m_all.find("num_nodes"); m_isTyped && !m_hasNamedRelations && stated != m_all.end()) {
            m_graph.numNodes = statedNodes(stated->second);
            checkNodeCount(m_file, m_graph.numNodes);
            return;
        }
        if (m_isTyped) {
            m_graph.statesNodes = false;
            for (const auto& [name, array] : m_all)
                if (m_features.contains(name) && !array.shape.empty()) {
                    checkNodeCount(m_file, array.shape[0]);
                    m_graph.numNodes += array.shape[0];
                    checkNodeCount(m_file, m_graph.numNodes);
                }
            return;
        }
        if (const auto stated = take("num_nodes")) {
            m_graph.numNodes = statedNodes(*stated);
        } else if (const auto x = m_all.find("x"); x != m_all.end() && !x->second.shape.empty()) {
            m_graph.numNodes = rowsOf(x->second);
            if (const auto rows = rowsBesideX(x->second)) {
                m_graph.numNodes = *rows;
                m_graph.statesNodes = false;
                m_isBesideX = true;
            }
        } else if (m_graph.labels) {
            m_graph.numNodes = m_graph.labels->shape[0];
        } else if (m_graph.names) {
            m_graph.numNodes = m_graph.names->size();
        } else if (const auto rows = rowsOfNodes()) {
            m_graph.numNodes = *rows;
            m_graph.statesNodes = false;
        } else if (const std::int64_t most = std::max(largestNode(), largestListed()); most >= 0) {
            m_graph.numNodes = most + 1;
            m_graph.statesNodes = false;
            m_graph.notes.push_back("No array says how many nodes there are: as many as edges name are taken, " + formatCount(m_graph.numNodes) +
                                    ", unless the model has learned rows for them.");
        } else {
            throw Error(m_file + " does not tell how many nodes the graph has: it needs an array num_nodes, x or y.");
        }
        checkNodeCount(m_file, m_graph.numNodes);
    }

    std::int64_t statedNodes(const Array& stated) const
    {
        if (stated.count() != 1 || !isInteger(stated.dtype) || integerAt(stated, 0) < 0)
            fail("num_nodes", "must be one number of nodes");
        return integerAt(stated, 0);
    }

    // Of x: along the first dimension, unless there are too few for the edges and another one has as many (static graphs, time steps: [B, V, F]), or
    // some together have (graphs side by side, whose nodes edges number one graph after the other).
    // Of the one square matrix beside x that has as many rows as x has entries in some dimension: nothing else names nodes then.
    std::optional<std::int64_t> sideOfMatrix(const Array& x) const
    {
        std::set<std::int64_t> sides;
        for (const auto& [name, array] : m_all)
            if (array.shape.size() == 2 && array.shape[0] == array.shape[1] && std::ranges::find(x.shape, array.shape[0]) != x.shape.end())
                sides.insert(array.shape[0]);
        return sides.size() == 1 ? std::optional(*sides.begin()) : std::nullopt;
    }

    std::int64_t rowsOf(const Array& x) const
    {
        if (x.shape.size() < 3)
            return x.shape[0];
        if (m_graph.labels && m_graph.labels->shape.size() == 1 && std::ranges::find(x.shape, m_graph.labels->shape[0]) != x.shape.end())
            return m_graph.labels->shape[0];
        const std::int64_t most = largestNode();
        if (const auto side = most < 0 ? sideOfMatrix(x) : std::nullopt)
            return *side;
        const auto fits = std::ranges::find_if(x.shape, [&](std::int64_t size) { return size > most; });
        if (fits != x.shape.end())
            return *fits;
        const auto together = firstTogether(x, [&](std::int64_t rows) { return rows > most; });
        return together.value_or(x.shape[0]);
    }

    // Edges from rows of x to those of another table, as forward(x, clause_x, edge_index) takes them, name some that x does not have.
    std::optional<std::int64_t> rowsBesideX(const Array& x) const
    {
        const auto edges = m_all.find("edge_index");
        const std::int64_t most = largestNode();
        if (x.shape.size() > 2 || edges == m_all.end() || most < x.shape[0])
            return {};
        std::optional<std::int64_t> rows;
        for (const auto& [name, array] : m_all)
            if (name != "x" && isFloating(array.dtype) && array.shape.size() == 2 && array.shape[0] > most &&
                array.shape[0] != edges->second.shape[1] && !name.starts_with("expected"))
                rows = std::min(rows.value_or(array.shape[0]), array.shape[0]);
        return rows;
    }

    // How many rows the first dimensions together have, all but the last one: as few as fit.
    template <class Fits>
    static std::optional<std::int64_t> firstTogether(const Array& array, Fits&& fits)
    {
        std::int64_t rows = 1;
        for (std::size_t d = 0; d + 1 < array.shape.size() && array.shape[d] > 0 && rows <= mostNodes / array.shape[d]; ++d)
            if (rows *= array.shape[d]; d > 0 && fits(rows))
                return rows;
        return {};
    }

    // -1 without edges.
    std::int64_t largestNode() const
    {
        std::int64_t most = -1;
        if (const auto edges = m_all.find("edge_index"); edges != m_all.end() && isPairs(edges->second))
            for (std::int64_t i = 0; i < edges->second.count(); ++i)
                most = std::max(most, integerAt(edges->second, i));
        return most;
    }

    // The same where edges are two lists, or rows of pairs.
    std::int64_t largestListed() const
    {
        std::int64_t most = -1;
        for (const auto& [name, array] : m_all)
            if (!m_all.contains("edge_index") && m_graph.numEdges > 0 && array.shape[0] == m_graph.numEdges &&
                (mayNumberNodes(name, array, 1) || (mayNumberNodes(name, array, 2) && array.shape[1] == 2)))
                for (std::int64_t i = 0; i < array.count(); ++i)
                    most = std::max(most, integerAt(array, i));
        return most;
    }

    // As many as arrays have rows that all edges' nodes fit into, where these are not rows of edges: the fewest.
    std::optional<std::int64_t> rowsOfNodes() const
    {
        const auto edges = m_all.find("edge_index");
        if (edges == m_all.end() || !isPairs(edges->second))
            return rowsOfTables();
        const std::int64_t most = largestNode();
        std::optional<std::int64_t> rows;
        for (const auto& [name, array] : m_all)
            if (name != "edge_index" && !isPairs(array) && !array.shape.empty() && array.shape[0] > most && array.shape[0] != edges->second.shape[1])
                rows = std::min(rows.value_or(array.shape[0]), array.shape[0]);
        for (const auto& [name, array] : m_all)
            if (!rows && array.shape.size() > 2 && isFloating(array.dtype))
                if (const std::int64_t other = rowsOf(array); other > most)
                    rows = other;
        return rows;
    }

    // Without edges: as many as all tables have, [V, F], or of graphs side by side [B, V, V] and [B, V, F].
    std::optional<std::int64_t> rowsOfTables() const
    {
        std::set<std::int64_t> rows;
        bool hasTables = false;
        for (const auto& [name, array] : m_all)
            if (isFloating(array.dtype) && !array.shape.empty() && !name.starts_with("expected")) {
                rows.insert(array.shape[0]);
                hasTables = hasTables || array.shape.size() > 1;
            }
        return hasTables && rows.size() == 1 ? std::optional(*rows.begin()) : std::nullopt;
    }

    bool isMatrix(const Array& array) const
    {
        const std::vector<std::int64_t>& shape = array.shape;
        if (shape.size() == 3 && shape[0] > 1)  // of graphs side by side
            return shape[1] == shape[2] && shape[0] * shape[1] == m_graph.numNodes;
        return shape.size() > 1 && shape[shape.size() - 1] == m_graph.numNodes && shape[shape.size() - 2] == m_graph.numNodes && shape.size() <= 3;
    }

    // Which nodes those of a relation are is for the model to say.
    void takeEdges(const Progress& progress)
    {
        if (!m_isTyped && !m_all.contains("edge_index")) {
            m_graph.hasEdges = false;
            m_all.emplace("edge_index", makeArray(DType::Int64, {2, 0}).array);
            // Ends may be called otherwise, and stand in several arrays, which is for the model to say.
            const bool hasNumbers = std::ranges::any_of(m_all, [](const auto& named) {
                return named.first != "edge_index" && isInteger(named.second.dtype) && !named.second.shape.empty();
            });
            if (std::ranges::any_of(m_all, [&](const auto& array) { return isMatrix(array.second); }))
                m_graph.notes.push_back("The graph has no array edge_index, but a square matrix: it fits models that take that, or no edges.");
            else if (!hasNumbers)
                m_graph.notes.push_back("The graph has no array edge_index: it fits models that take no edges.");
        }
        for (auto& [name, array] : m_all)
            if (name == "edge_index" || (m_isTyped && m_relations.contains(name)))
                takeEdges(name, array, m_isTyped && name != "edge_index" ? std::numeric_limits<std::int64_t>::max() : m_graph.numNodes, progress);
    }

    void takeEdges(const std::string& name, Array& edges, std::int64_t nodes, const Progress& progress)
    {
        const bool isTransposed = edges.shape.size() == 2 && edges.shape[0] != 2 && edges.shape[1] == 2 && isInteger(edges.dtype);
        if (isTransposed)
            fail(name, "must be of shape [2, edges], not " + shapeText(edges.shape) + ": it is transposed");
        if (edges.shape.size() != 2 || edges.shape[0] != 2 || !isInteger(edges.dtype))
            fail(name, "must be integers of shape [2, edges], not " + std::string(dtypeName(edges.dtype)) + " " + shapeText(edges.shape));
        edges = asInt64(edges);
        m_graph.numEdges += edges.shape[1];
        progress.update(0, "Checking edges");
        const std::span<const std::int64_t> ends(edges.as<std::int64_t>(), static_cast<std::size_t>(edges.count()));
        if (const auto i = firstOutside(ends, nodes))
            fail(name, "names node " + std::to_string(ends[*i]) + " at edge " + std::to_string(static_cast<std::int64_t>(*i) % edges.shape[1]) +
                           (ends[*i] < 0 && m_isTyped ? ", but nodes are numbered from 0"
                                                      : ", but the graph has " + formatCount(nodes) + " nodes, numbered from 0"));
    }

    // The first entry that is none of 0 to count - 1.
    static std::optional<std::size_t> firstOutside(std::span<const std::int64_t> entries, std::int64_t count)
    {
        constexpr std::size_t part = std::size_t{1} << 18;
        const auto isOutside = [count](std::int64_t entry) { return static_cast<std::uint64_t>(entry) >= static_cast<std::uint64_t>(count); };
        const auto parts = static_cast<std::int64_t>((entries.size() + part - 1) / part);
        std::vector<std::uint8_t> has(static_cast<std::size_t>(parts));
        parallelFor(parts, static_cast<int>(std::max(1U, std::thread::hardware_concurrency())), [&](std::int64_t p, int) {
            const auto some = entries.subspan(static_cast<std::size_t>(p) * part);
            bool found = false;
            for (const std::int64_t entry : some.first(std::min(part, some.size())))
                found |= isOutside(entry);
            has[static_cast<std::size_t>(p)] = found ? 1 : 0;
        });
        const auto first = std::ranges::find(has, 1);
        if (first == has.end())
            return {};
        const auto from = entries.begin() + static_cast<std::ptrdiff_t>(part) * (first - has.begin());
        return static_cast<std::size_t>(std::find_if(from, entries.end(), isOutside) - entries.begin());
    }

    // Of several graphs side by side, each has its label.
    void dropLabelsOfGraphs()
    {
        if (m_graph.labels && m_graph.labels->shape[0] != m_graph.numNodes && (m_all.contains("batch") || m_all.contains("ptr")))
            m_graph.labels.reset();
    }

    void checkRows() const
    {
        if (m_isTyped)
            return;
        const auto check = [&](const std::string& name, const Array& array) {
            if (array.shape.empty() || array.shape[0] != m_graph.numNodes)
                fail(name, "has shape " + shapeText(array.shape) + ", but the graph has " + formatCount(m_graph.numNodes) + " nodes");
        };
        // Which dimension has the rows, or which of them together have, is for the model to say.
        const auto has = [](const Array& array, std::int64_t rows) {
            return std::ranges::find(array.shape, rows) != array.shape.end() || firstTogether(array, [&](std::int64_t size) { return size == rows; });
        };
        if (const auto x = m_all.find("x"); x != m_all.end() && !m_isBesideX && !has(x->second, m_graph.numNodes))
            check("x", x->second);
        if (m_graph.labels)
            check("y", *m_graph.labels);
        for (const char* name : {"edge_attr", "edge_type", "edge_weight"})
            if (const auto found = m_all.find(name);
                found != m_all.end() && !has(found->second, m_graph.numEdges))
                fail(name, "has shape " + shapeText(found->second.shape) + ", but edge_index has " + formatCount(m_graph.numEdges) + " edges");
        if (m_graph.names && m_graph.names->size() != m_graph.numNodes)
            throw Error(m_file + " names " + formatCount(m_graph.names->size()) + " nodes, but the graph has " + formatCount(m_graph.numNodes) + ".");
        for (const auto& [name, mask] :
             {std::pair("train_mask", &m_graph.trainMask), std::pair("val_mask", &m_graph.valMask), std::pair("test_mask", &m_graph.testMask)})
            if (*mask) {
                if ((*mask)->shape.size() != 1)
                    fail(name,
                         "must have shape [nodes], not " + shapeText((*mask)->shape) + "; several splits are " + name + "s of shape [splits, nodes]");
                check(name, **mask);
            }
    }

    void addOtherDirection()
    {
        if (m_isTyped)
            throw Error(m_file + " has edges of several relations, which have no other direction: leave out --undirected.");
        appendReversed(m_all, edgesOfOneDirection(m_all.at("edge_index")));
        m_graph.numEdges = m_all.at("edge_index").shape[1];
    }

    std::string m_file;
    const GraphOptions& m_options;
    std::map<std::string, Array> m_all;
    DataGraph m_graph;
    bool m_isTyped = false;    // arrays for each node type and relation
    bool m_isBesideX = false;  // edges lead from rows of x to those of another table
    bool m_hasNamedRelations = false;
    std::set<std::string> m_features, m_relations;  // of them
};

[[noreturn]] void throwChanged(const std::string& array, const std::string& graph)
{
    throw Error("The file of array '" + printable(array) + "' of graph " + graph + " has changed since it was read: open the graph again.");
}

}  // namespace

std::size_t DataGraph::bytes() const
{
    std::size_t all = 0;
    for (const auto& [called, array] : arrays)
        all += array.bytes();
    return all;
}

void requireUnchanged(const DataGraph& graph)
{
    for (const auto& [called, array] : graph.arrays)
        if (array.data && MappedFile(array.data.get()).hasChanged())
            throwChanged(called, graph.name);
}

GraphFiles::GraphFiles(const DataGraph& graph) : m_graph(graph.name)
{
    for (const auto& [called, array] : graph.arrays)
        if (array.data)
            m_arrays.emplace_back(called, FileWatch(array.data.get()));
}

void GraphFiles::requireUnchanged() const
{
    for (const auto& [called, file] : m_arrays)
        if (file.hasChanged())
            throwChanged(called, m_graph);
}

DataGraph readGraph(const std::filesystem::path& path, const GraphOptions& options, const Progress& progress)
{
    progress.update(0, "Reading the graph");
    const Stoppable stoppable(progress.stop);
    return GraphReader(path, options, progress).read(progress);
}

}  // namespace cleave
