#pragma once

#include "core/analysis/evaluator.h"
#include "core/model/program.h"

namespace cleave {

/// A program for one graph whose matrix is the model's own: a buffer, or computed from embeddings of the nodes (Graph WaveNet). The matrix, and other
/// rows of parameters for each node, become inputs that are bound to what the model has, and the number of nodes a symbol, so that the program can be
/// cut. Leaves notes. The program is in functional form.
void promoteFixedMatrices(Program& program, const Evaluator& evaluator);

}  // namespace cleave
