#include "app/cli/targets.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <numeric>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/format.h"
#include "core/graph/npy.h"

namespace cleave::cli {

namespace {

std::int64_t nodeNumber(std::string_view text)
{
    std::int64_t node = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), node);
    if (problem != std::errc() || end != text.data() + text.size() || node < 0)
        throw Error("--targets: '" + printable(std::string(text)) + "' is neither a node's number nor a file.");
    return node;
}

std::pair<std::int64_t, std::int64_t> rangeOf(std::string_view item)
{
    const std::size_t dash = item.find('-', 1);
    if (dash + 1 == item.size())
        throw Error("--targets: '" + printable(std::string(item)) + "' has no end: write 10-19, say.");
    const std::int64_t first = nodeNumber(item.substr(0, dash));
    return {first, dash == std::string_view::npos ? first : nodeNumber(item.substr(dash + 1))};
}

void addNumbers(std::string_view item, const DataGraph& graph, std::vector<std::int64_t>& nodes)
{
    constexpr std::int64_t most = std::int64_t{1} << 31;
    const auto [first, last] = rangeOf(item);
    // Of several types, the model says which are meant, and it may know of nodes that the graph does not name.
    if (!graph.isTyped && graph.statesNodes && last >= graph.numNodes)
        throw Error("There is no node " + std::to_string(std::max(first, graph.numNodes)) +
                    (graph.numNodes == 0 ? ": the graph has none." : ": the graph has nodes 0 to " + std::to_string(graph.numNodes - 1) + "."));
    if (last < first || last - first >= most - static_cast<std::int64_t>(nodes.size()))
        throw Error("--targets: '" + printable(std::string(item)) + "' is no range of nodes.");
    const std::size_t before = nodes.size();
    nodes.resize(before + static_cast<std::size_t>(last - first + 1));
    std::iota(nodes.begin() + static_cast<std::ptrdiff_t>(before), nodes.end(), first);
}

// A range of names that are numbers is those of the graph between its ends.
void addNames(std::string_view item, const NodeNames& names, std::vector<std::int64_t>& nodes)
{
    if (const std::int64_t node = names.find(item); node >= 0) {
        nodes.push_back(node);
        return;
    }
    const std::size_t before = nodes.size();
    if (names.areNumbers() && item.find('-', 1) != std::string_view::npos) {
        const auto [first, last] = rangeOf(item);
        const auto& numbers = names.numbers();
        for (auto i = std::ranges::lower_bound(numbers, first); i != numbers.end() && *i <= last; ++i)
            nodes.push_back(i - numbers.begin());
    }
    if (nodes.size() == before)
        throw Error("--targets: the graph has no node called '" + printable(std::string(item)) + "'.");
}

// Blanks separate numbers, but may be part of a name.
std::vector<std::int64_t> nodesOf(std::string_view text, const DataGraph& graph)
{
    const bool hasNames = graph.names && !graph.isTyped;  // of several types, nothing says whose names they are
    const bool hasTexts = hasNames && !graph.names->areNumbers();
    const std::string_view separators = hasTexts ? ",\r\n" : ", \t\r\n";
    std::vector<std::int64_t> nodes;
    for (std::size_t begin = 0; (begin = text.find_first_not_of(hasTexts ? ", \t\r\n" : separators, begin)) != std::string_view::npos;) {
        const std::size_t end = std::min(text.size(), text.find_first_of(separators, begin));
        std::string_view item = text.substr(begin, end - begin);
        item = item.substr(0, item.find_last_not_of(" \t") + 1);
        if (hasNames)
            addNames(item, *graph.names, nodes);
        else
            addNumbers(item, graph, nodes);
        begin = end;
    }
    return nodes;
}

// Lines that begin with #, as in lists of edges.
std::string withoutComments(std::string_view text)
{
    std::string lines;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.size(), text.find('\n', begin));
        if (text[begin] != '#')
            lines.append(text.substr(begin, end - begin)).append("\n");
        begin = end + 1;
    }
    return lines;
}

// Those that a mask of all nodes has.
std::vector<std::int64_t> nodesIn(const Array& mask, const std::string& file, const DataGraph& graph)
{
    if (!graph.isTyped && graph.statesNodes && mask.count() != graph.numNodes)
        throw Error(file + ": a mask of " + formatCount(mask.count()) + " nodes does not fit a graph of " + formatCount(graph.numNodes) + ".");
    std::vector<std::int64_t> nodes;
    for (std::int64_t node = 0; node < mask.count(); ++node)
        if (mask.as<bool>()[node])
            nodes.push_back(node);
    return nodes;
}

}  // namespace

std::vector<std::int64_t> readTargets(const std::string& listOrFile, const DataGraph& graph)
{
    std::error_code problem;
    std::vector<std::int64_t> nodes;
    if (!std::filesystem::is_regular_file(listOrFile, problem)) {
        nodes = nodesOf(listOrFile, graph);
    } else if (std::filesystem::path(listOrFile).extension() == ".npy") {
        const Array array = readNpy(listOrFile);
        const bool isMask = array.dtype == DType::Bool;
        if ((array.dtype != DType::Int64 && array.dtype != DType::Int32 && !isMask) || array.shape.size() != 1)
            throw Error(listOrFile + ": a list of nodes must be a one-dimensional array of int64 or int32, or a mask of them, not " +
                        std::string(dtypeName(array.dtype)) + " of shape " + shapeText(array.shape) + ".");
        if (isMask)
            nodes = nodesIn(array, listOrFile, graph);
        else if (array.dtype == DType::Int64)
            nodes.assign(array.as<std::int64_t>(), array.as<std::int64_t>() + array.count());
        else
            nodes.assign(array.as<std::int32_t>(), array.as<std::int32_t>() + array.count());
    } else {
        const std::vector<std::byte> bytes = readFile(listOrFile, 8 * mostOfText);
        const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        if (text.find('\0') != std::string_view::npos)
            throw Error(listOrFile + " is no list of nodes: neither a .npy file nor text.");
        nodes = nodesOf(withoutComments(text), graph);
    }
    if (nodes.empty())
        throw Error("--targets names no node.");
    return nodes;
}

}  // namespace cleave::cli
