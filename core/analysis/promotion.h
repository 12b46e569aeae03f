#pragma once

#include <map>
#include <vector>

#include "core/analysis/evaluator.h"
#include "core/model/program.h"

/// Parameters with a row for each node become inputs: private to core/analysis.
namespace cleave {

/// A parameter of floating-point numbers that has rows.
bool isTable(const Program& program, ValueId value);

/// The tables whose rows a cat puts below one another; empty for other ops.
std::vector<ValueId> tablesBelow(const Program& program, const Op& op);

/// Rows of numbers that ops make of parameters, and of nothing that a graph gives.
bool isComputedFromParameters(const Program& program, ValueId value);

/// Rows that are computed from parameters become one. Whether they could be computed.
bool computeParameter(Program& program, ValueId rows, const Evaluator& evaluator);

/// After ops were moved, taken out or added.
void numberProducers(Program& program);

/// A parameter, or several whose rows stand below one another, whose first dimension becomes the number of nodes: node features; of a square matrix
/// both dimensions do, which is structure of the graph. Where the exporter wrote that number as a constant, a symbol takes its place: on the one
/// graph that the parameter fits, the program is the same. Error if it has no such rows.
void promote(Program& program, ValueId parameter, bool isMatrix = false);

}  // namespace cleave
