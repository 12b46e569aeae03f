#pragma once

#include <vector>

#include "core/analysis/analysis.h"

namespace cleave {

/// Node features that the exporter counted by symbols of their own (coordinates beside features) are rows of the same nodes if both are
/// read at one index; a matrix for each graph is of the graphs that have features. A graph that has different numbers of them is refused when it is
/// bound.
void mergeNodeCounts(Program& program);

/// scatter_add and its like take an index that is shorter than what they add up, and an exporter counts the two apart: it is as long. So are weights
/// of bags and what is in these. A graph in which they are not is refused when it is bound.
void mergeScatterCounts(Program& program);

/// x[table.view(-1)].view(n, -1) has 12·⌊6·m / n⌋ columns where a table of six columns has m rows, and an exporter does not ask whether m is n: a
/// linear layer that takes 72 does. The table has a row for each node. A graph in which it has not is refused when it is bound.
void mergeDividedCounts(Program& program);

/// 2·⌊n / 2⌋ rows, of two halves put together again, that stand beside n rows: there are n. Where there are not, neither program runs.
void mergeHalves(Program& program);

/// Sizes of inputs that an exporter counted apart, and that are the same on a graph of these sizes, are one. How many were another before. For
/// programs that do not run on graphs where they differ: seed times read where edges lead, a batch vector that is only counted.
int mergeEqualSizes(Program& program, const KnownInputSizes& known);

/// Rows between pointers into edges (rowptr) are those of the nodes, if there are nodes of one kind: there is one pointer more than nodes.
void mergeCompressedRows(Program& program);

/// expander_edge_attr has a row for each entry of expander_edge_index, though an exporter gave their numbers two symbols, since the program only uses
/// both behind those of other edges. As with edge_weight, edge_type and the like.
void mergeEdgeCounts(Program& program);

/// Names of types after those of their features, which they have at first: "x_paper" and "x_author" are features of nodes "paper" and "author",
/// and so are "paper_features" and "author_features"; "author.weight" is a table.
void nameTypes(std::vector<NodeType>& types);

}  // namespace cleave
