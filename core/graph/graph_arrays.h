#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/array.h"
#include "core/graph/node_names.h"

namespace cleave {

/// What a file holds of a graph, by the names of DataGraph, before it is checked that the parts fit each other.
struct GraphArrays {
    std::map<std::string, Array> arrays;  ///< with num_nodes int64 []
    std::shared_ptr<const NodeNames> names;  ///< null: nodes are called by their numbers
    std::vector<std::string> notes;  ///< sentences for whoever reads the file: what it may mean otherwise
};

Array oneNumber(std::int64_t number);  ///< int64 []

/// Adds the edges of these numbers turned around, in this order and behind the others; rows of edge_weight, edge_attr and the like go with them.
void appendReversed(std::map<std::string, Array>& arrays, const std::vector<std::int64_t>& edges);

/// Numbers of edges that join two nodes and whose opposite is not there. edgeIndex: int64 [2, M] of nodes below 2^32.
std::vector<std::int64_t> edgesOfOneDirection(const Array& edgeIndex);

/// Nodes that a file states are too many to be true or to be held: Error that names it.
void checkNodeCount(const std::string& file, std::int64_t nodes);
std::string whyTooManyNodes(std::int64_t nodes);  ///< what a sentence about a file says of them; empty: they are not

}  // namespace cleave
