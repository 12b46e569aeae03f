#include "core/torchscript/script_shapes.h"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <ranges>
#include <span>
#include <string_view>
#include <utility>

namespace cleave {

namespace {

constexpr std::string_view ofMoreEdges = "_edges", ofOwnRows = "_rows";

bool has(const std::string& name, std::span<const std::string_view> words)
{
    return std::ranges::any_of(words, [&](std::string_view word) { return name.find(word) != std::string::npos; });
}

bool has(const std::string& name, std::initializer_list<std::string_view> words)
{
    return has(name, std::span(words.begin(), words.size()));
}

const InputShape nodeRows{DType::Float32, {anyNodes, {toBeFound, {}}}, Role::NodeFeatures}, nodeNumbers{DType::Float32, {anyNodes}, Role::Other};
const InputShape nodeIntegers{DType::Int64, {anyNodes}, Role::Other}, nodeTypes{DType::Int64, {anyNodes, {toBeFound, {}}}, Role::NodeFeatures};
const InputShape edgeIndex{DType::Int64, {{2, {}}, anyEdges}, Role::GraphStructure}, edgeIntegers{DType::Int64, {anyEdges}, Role::EdgeFeatures};
const InputShape adjacencyMatrix{DType::Float32, {anyNodes, anyNodes}, Role::GraphStructure};
const InputShape edgeNumbers{DType::Float32, {anyEdges}, Role::EdgeFeatures},
    edgeFeatures{DType::Float32, {anyEdges, {toBeFound, {}}}, Role::EdgeFeatures};

// How long two lists of integers are that give the ends of edges; -1 if there are none. Others that are as long as there are rows tell of nodes.
std::int64_t lengthOfEnds(const std::vector<ArrayShape>& arrays, const std::vector<std::string>& names)
{
    const auto isList = [&](std::size_t i) { return arrays[i].sizes.size() == 1 && arrays[i].sizes[0] > 1 && isInteger(arrays[i].dtype); };
    const auto isOfRows = [&](std::int64_t size) {
        return std::ranges::any_of(arrays, [&](const ArrayShape& a) { return a.sizes.size() > 1 && isFloating(a.dtype) && a.sizes[0] == size; });
    };
    static const std::vector<std::string_view> ends{"src", "send", "source", "row", "from", "head", "dst", "receive", "target", "tail"};
    for (std::size_t i = 0; i < arrays.size(); ++i)
        for (std::size_t j = i + 1; j < arrays.size() && isList(i) && !has(names[i], {"ptr", "batch"}); ++j)
            if (isList(j) && !has(names[j], {"ptr", "batch"}) && arrays[i].sizes == arrays[j].sizes &&
                (!isOfRows(arrays[i].sizes[0]) || has(names[i], ends) || has(names[j], ends)))
                return arrays[i].sizes[0];
    return -1;
}

bool isCalledAsOfEdges(const std::string& name)
{
    return has(name, {"edge", "rel", "weight", "norm", "etype", "efeat"});
}

// Whether a list is one of several of which each entry asks for something (scores of users and items): it tells of no nodes.
bool isOfQueries(const std::vector<ArrayShape>& arrays, const std::vector<std::string>& names, std::size_t list)
{
    const auto isCalledSo = [&](std::size_t i) {
        return arrays[i].sizes.size() == 1 && isInteger(arrays[i].dtype) &&
               has(names[i], {"user", "item", "quer", "head", "tail", "sub", "obj", "rel", "pos", "neg", "cand", "anchor"});
    };
    for (std::size_t i = 0; i < arrays.size(); ++i)
        if (i != list && isCalledSo(i) && isCalledSo(list) && arrays[i].sizes == arrays[list].sizes)
            return true;
    return false;
}

bool isPointers(const ArrayShape& array, const std::string& name)
{
    return array.sizes.size() == 1 && isInteger(array.dtype) && has(name, {"ptr"});
}

// How many edges there are where pointers say where those of each node begin: as many as another list of numbers is long; -1 where there is none.
std::int64_t edgesBehindPointers(const std::vector<ArrayShape>& arrays, const std::vector<std::string>& names, std::int64_t numNodes)
{
    const auto places = std::views::iota(std::size_t{0}, arrays.size());
    if (std::ranges::none_of(places, [&](std::size_t i) { return isPointers(arrays[i], names[i]) && arrays[i].sizes[0] == numNodes + 1; }))
        return -1;
    for (const std::size_t i : places)
        if (arrays[i].sizes.size() == 1 && isInteger(arrays[i].dtype) && !has(names[i], {"ptr", "batch"}) && arrays[i].sizes[0] != numNodes)
            return arrays[i].sizes[0];
    return -1;
}

}  // namespace

std::vector<InputShape> likelyShapes(const std::string& name, std::optional<Role> role)
{
    const bool ofEdges = role ? *role == Role::EdgeFeatures : has(name, {"edge", "rel", "etype", "efeat"});
    if (role ? *role == Role::GraphStructure : has(name, {"edge_index", "index", "edges", "ei"}) && !has(name, {"weight", "attr", "type", "adj"}))
        return {edgeIndex, adjacencyMatrix};
    const bool isMatrix = has(name, {"adj", "laplacian", "matrix", "support", "graph"}) || name == "a" || name == "A";
    if (!role && isMatrix && !has(name, {"weight", "attr", "type"}))
        return {edgeIndex, adjacencyMatrix, nodeRows, nodeTypes, nodeIntegers, nodeNumbers, edgeNumbers, edgeFeatures};
    if (ofEdges && has(name, {"type", "rel"}))
        return {edgeIntegers, edgeNumbers, edgeFeatures};
    if (ofEdges || has(name, {"weight", "norm"}))
        return has(name, {"weight", "norm"}) ? std::vector{edgeNumbers, edgeFeatures, edgeIntegers}
                                             : std::vector{edgeFeatures, edgeNumbers, edgeIntegers};
    if (name.starts_with("x_"))  // of a type of nodes
        return {{DType::Float32, {{0, name.substr(2)}, {toBeFound, {}}}, Role::NodeFeatures}, nodeRows, nodeTypes, nodeIntegers};
    if (has(name, {"pos", "coord", "xyz"}))
        return {{DType::Float32, {anyNodes, {3, {}}}, Role::NodeFeatures}, nodeRows};
    if (role == Role::NodeFeatures)
        return {nodeRows, nodeTypes, nodeIntegers};
    if (has(name, {"ptr"}))
        return {{DType::Int64, {{0, name + "_rows"}}, Role::Other}};
    if (has(name, {"batch", "type", "mask"}))
        return {nodeIntegers, nodeRows, edgeIntegers};
    return {nodeRows, nodeTypes, nodeIntegers, edgeIndex, nodeNumbers, edgeNumbers, edgeFeatures};
}

bool isPairs(const ArrayShape& a)
{
    return a.sizes.size() == 2 && a.sizes[0] == 2 && isInteger(a.dtype);
}

bool isTriples(const ArrayShape& a, const std::string& name)
{
    return a.sizes.size() == 2 && a.sizes[0] > 2 && a.sizes[0] <= 4 && a.sizes[1] > 4 * a.sizes[0] && isInteger(a.dtype) &&
           has(name, {"edge", "triple", "quad", "fact", "link", "qual"});
}

std::int64_t edgesOf(const std::vector<ArrayShape>& arrays, const std::vector<std::string>& names)
{
    for (std::size_t i = 0; i < arrays.size(); ++i)
        if (isPairs(arrays[i]) || isTriples(arrays[i], names[i]))
            return arrays[i].sizes[1];
    return lengthOfEnds(arrays, names);
}

AsMany nodesAndEdges(const std::vector<ArrayShape>& arrays, const std::vector<std::string>& names)
{
    const std::int64_t numEdges = edgesOf(arrays, names);
    bool hasRows = false, hasOthers = false;
    for (std::size_t i = 0; i < arrays.size(); ++i)
        if (const std::vector<std::int64_t>& sizes = arrays[i].sizes; !sizes.empty() && isFloating(arrays[i].dtype) && sizes[0] > 1) {
            hasRows = hasRows || (sizes.size() > 1 && sizes[0] == numEdges && !isCalledAsOfEdges(names[i]));
            hasOthers = hasOthers || sizes[0] != numEdges;
        }
    return !hasRows ? AsMany::No : hasOthers ? AsMany::Maybe : AsMany::Likely;
}

std::optional<std::vector<InputShape>> shapesOfArrays(const std::vector<ArrayShape>& arrays, const std::vector<std::string>& names, bool asMany)
{
    std::int64_t numEdges = edgesOf(arrays, names);
    std::int64_t numNodes = asMany ? numEdges : -1;
    const auto isEnds = [&](std::size_t i) { return isPairs(arrays[i]) || isTriples(arrays[i], names[i]); };
    // What there is once is not of nodes or edges (a time, the state of a graph), unless nothing else is.
    for (const std::int64_t fewest : {2, 0})
        for (std::size_t i = 0; i < arrays.size(); ++i)
            if (const ArrayShape& array = arrays[i]; numNodes < 0 && !array.sizes.empty() && array.sizes[0] >= fewest && array.sizes[0] != numEdges &&
                                                     !isEnds(i) && !has(names[i], {"edge"}) && !isOfQueries(arrays, names, i))
                numNodes = array.sizes[0];
    const std::int64_t behindPointers = numEdges < 0 ? edgesBehindPointers(arrays, names, numNodes) : -1;
    if (behindPointers >= 0)
        numEdges = behindPointers;
    if (numEdges < 0 && numNodes < 0)
        return {};
    // Further edges have features of their own.
    std::map<std::int64_t, Dim> more{{numEdges, anyEdges}};
    for (std::size_t i = 0; i < arrays.size(); ++i)
        if (isEnds(i))
            more.try_emplace(arrays[i].sizes[1], Dim{0, names[i] + std::string(ofMoreEdges)});
    std::vector<InputShape> shapes;
    for (const ArrayShape& array : arrays) {
        const std::string& name = names[shapes.size()];
        InputShape shape{array.dtype == DType::Float16 ? DType::Float32 : isPairs(array) ? DType::Int64 : array.dtype, {}, Role::Other};
        for (std::size_t d = 0; d < array.sizes.size(); ++d) {
            const std::int64_t size = array.sizes[d];
            const bool isRows = d == (isEnds(shapes.size()) ? 1 : 0) && (size != 1 || size == numNodes || size == numEdges);
            const auto listed = more.find(size);
            const bool isOfEdges = asMany && size == numEdges && !isEnds(shapes.size())
                                       ? isCalledAsOfEdges(name)
                                       : size == numEdges || isEnds(shapes.size()) || (size != numNodes && listed != more.end());
            shape.sizes.push_back(behindPointers >= 0 && size == numNodes + 1 && isPointers(array, name) ? oneMoreThanNodes
                                  : !isRows                                                              ? Dim{size, {}}
                                  : isOfEdges                                                            ? listed->second
                                  : size == numNodes                                                     ? anyNodes
                                                                                                         : Dim{0, name + std::string(ofOwnRows)});
        }
        const bool isOfEdges = !shape.sizes.empty() && (shape.sizes[0] == anyEdges || shape.sizes[0].symbol.ends_with(ofMoreEdges));
        if (isPairs(array))
            shape.role = Role::GraphStructure;
        else if (!shape.sizes.empty() && !isOfEdges && isFloating(array.dtype))
            shape.role = Role::NodeFeatures;
        shapes.push_back(std::move(shape));
    }
    return shapes;
}

std::vector<InputShape> withSharedRows(const std::vector<ArrayShape>& arrays, std::vector<InputShape> shapes)
{
    std::map<std::int64_t, Dim> first;
    for (std::size_t i = 0; i < shapes.size(); ++i)
        for (std::size_t d = 0; d < shapes[i].sizes.size(); ++d)
            if (Dim& dim = shapes[i].sizes[d]; dim.symbol.ends_with(ofOwnRows) && arrays[i].sizes[d] > 1)
                dim = first.try_emplace(arrays[i].sizes[d], dim).first->second;
    return shapes;
}

InputShape withOtherSizesOf(const ArrayShape& array, InputShape shape)
{
    for (std::size_t d = 0; d < shape.sizes.size(); ++d)
        if (shape.sizes[d] != anyNodes && shape.sizes[d] != anyEdges && !shape.sizes[d].symbol.ends_with(ofMoreEdges))
            shape.sizes[d] = {array.sizes[d], {}};
    return shape;
}

}  // namespace cleave
