#include "core/graph/graph_arrays.h"

#include <algorithm>
#include <cstring>

#include "core/base/error.h"
#include "core/base/format.h"
#include "core/base/sort_keys.h"

namespace cleave {

namespace {

std::uint64_t keyOf(std::int64_t from, std::int64_t to)
{
    return static_cast<std::uint64_t>(from) << 32 | static_cast<std::uint64_t>(to);
}

Array withRows(const Array& array, const std::vector<std::int64_t>& rows)
{
    std::vector<std::int64_t> shape = array.shape;
    const std::size_t rowBytes = shape[0] == 0 ? 0 : array.bytes() / static_cast<std::size_t>(shape[0]);
    shape[0] += std::ssize(rows);
    NewArray longer = makeArray(array.dtype, std::move(shape));
    std::memcpy(longer.data, array.data.get(), array.bytes());
    std::byte* to = longer.data + array.bytes();
    for (const std::int64_t row : rows) {
        std::memcpy(to, array.data.get() + static_cast<std::size_t>(row) * rowBytes, rowBytes);
        to += rowBytes;
    }
    return longer.array;
}

Array withReversed(const Array& edgeIndex, const std::vector<std::int64_t>& edges)
{
    const std::int64_t before = edgeIndex.shape[1], after = before + std::ssize(edges);
    const auto* from = edgeIndex.as<std::int64_t>();
    const auto* to = from + before;
    NewArray longer = makeArray(DType::Int64, {2, after});
    auto* sources = reinterpret_cast<std::int64_t*>(longer.data);
    auto* targets = sources + after;
    sources = std::copy(from, to, sources);
    targets = std::copy(to, to + before, targets);
    for (const std::int64_t edge : edges) {
        *sources++ = to[edge];
        *targets++ = from[edge];
    }
    return longer.array;
}

}  // namespace

Array oneNumber(std::int64_t number)
{
    NewArray array = makeArray(DType::Int64, {});
    std::memcpy(array.data, &number, sizeof number);
    return array.array;
}

void appendReversed(std::map<std::string, Array>& arrays, const std::vector<std::int64_t>& edges)
{
    Array& edgeIndex = arrays.at("edge_index");
    const std::int64_t before = edgeIndex.shape[1];
    edgeIndex = withReversed(edgeIndex, edges);
    for (auto& [name, array] : arrays)
        if (name.starts_with("edge_") && name != "edge_index" && !array.shape.empty() && array.shape[0] == before)
            array = withRows(array, edges);
}

std::vector<std::int64_t> edgesOfOneDirection(const Array& edgeIndex)
{
    const std::int64_t count = edgeIndex.shape[1];
    const auto* from = edgeIndex.as<std::int64_t>();
    const auto* to = from + count;
    std::vector<std::uint64_t> keys(static_cast<std::size_t>(count)), room;
    for (std::int64_t e = 0; e < count; ++e)
        keys[static_cast<std::size_t>(e)] = keyOf(from[e], to[e]);
    sortKeys(keys, room, 0);
    std::vector<std::int64_t> edges;
    for (std::int64_t e = 0; e < count; ++e)
        if (from[e] != to[e] && !std::ranges::binary_search(keys, keyOf(to[e], from[e])))
            edges.push_back(e);
    return edges;
}

std::string whyTooManyNodes(std::int64_t nodes)
{
    constexpr std::int64_t most = std::int64_t{1} << 31;  // blocks number rows in 32 bits
    return nodes <= most ? std::string() : "has " + formatCount(nodes) + " nodes, more than the " + formatCount(most) + " that Cleave can hold";
}

void checkNodeCount(const std::string& file, std::int64_t nodes)
{
    if (const std::string why = whyTooManyNodes(nodes); !why.empty())
        throw Error(file + " " + why + ".");
}

}  // namespace cleave
