#pragma once

#include "core/model/program.h"

namespace cleave {

/// Whether an input may hold the graph as a matrix: floating-point numbers [V, V], or [1, V, V].
bool isSquareOfNodes(const Value& value);

/// How many matrices became edges: among the inputs, and of the program's own.
struct LoweredMatrices {
    int given = 0, own = 0;
};

/// Takes lists of edges for the adjacency matrices among the inputs (role graph structure, isSquareOfNodes): entry [i, j] is the sum of the weights
/// of the edges from node j to node i. Products of such a matrix, on the left of rows of nodes or on the right of columns, become gathers and
/// scatters, sums of its rows and columns those of weights; it may be transposed, scaled by numbers, rows or columns, added to another one or to
/// an identity, and its entries changed where this leaves 0 as it is. The inputs that take its place are named by Input::matrix. Error naming the op
/// that reads a matrix in another way. ofOwn: also for matrices that the program makes of an index, where it reads them in these ways only: entries
/// written into zeros, sparse ones, and diagonal ones.
LoweredMatrices lowerAdjacencies(Program& program, bool ofOwn);

}  // namespace cleave
