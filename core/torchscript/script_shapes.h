#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/graph/array_shapes.h"
#include "core/model/program.h"

/// What the arrays that a TorchScript forward takes may be: by their names, and by sizes that belong to one graph. Private to core/torchscript.
namespace cleave {

const Dim anyNodes{0, "nodes"}, anyEdges{0, "edges"}, oneMoreThanNodes{0, "Add(1, nodes)"};
constexpr std::int64_t toBeFound = -1;  ///< a width

struct InputShape {
    DType dtype;
    std::vector<Dim> sizes;  ///< toBeFound, or a number, or a symbol
    Role role;
};

/// What an input may be by its name, or by its role where the user told it: most likely first.
std::vector<InputShape> likelyShapes(const std::string& name, std::optional<Role> role);

bool isPairs(const ArrayShape& a);  ///< [2, edges]
/// Ends of edges and the relation between them, in three rows or four.
bool isTriples(const ArrayShape& a, const std::string& name);

// Arrays of one graph, and their names.

/// -1 if none tells how many edges there are.
std::int64_t edgesOf(const std::vector<ArrayShape>& arrays, const std::vector<std::string>& names);

/// Whether a graph may have as many nodes as edges: what is called otherwise has a row for each. Likely: nothing else has rows of features.
enum class AsMany { No, Maybe, Likely };
AsMany nodesAndEdges(const std::vector<ArrayShape>& arrays, const std::vector<std::string>& names);

/// Which of their sizes are its nodes and edges; nothing if none tells. asMany: it has as many nodes as edges, which names tell apart.
std::optional<std::vector<InputShape>> shapesOfArrays(const std::vector<ArrayShape>& arrays, const std::vector<std::string>& names, bool asMany);

/// What is neither of nodes nor of edges, but as long as something else: rows of the same, of which any graph may have any number.
std::vector<InputShape> withSharedRows(const std::vector<ArrayShape>& arrays, std::vector<InputShape> shapes);
/// What is neither of nodes nor of edges is as long as the model says: eigenvalues, the kinds of a relation.
InputShape withOtherSizesOf(const ArrayShape& array, InputShape shape);

}  // namespace cleave
