#pragma once

#include <set>

#include "core/analysis/rewriter.h"

/// What run_decompositions() takes apart, and what newer versions of PyTorch have ops for, as the ops that the analysis knows and LibTorch 1.13 runs.
namespace cleave {

/// The only tensor of a concatenation that has one; invalid for any other op.
ValueId onlyPart(const Program& program, const Op& op);

/// What ops that LibTorch 1.13 does not have give, by ops that it has; invalid for any other op. Error if the op lacks an argument.
ValueId composeNewOp(const Program& program, const Op& op, Rewriter& rewriter);

/// Bags that are aggregations (aten::embedding_bag) become gathers and reductions: before roles are given, since what is in them names rows.
void composeBags(Program& program);

/// The op itself is changed where ops before it together with it are one that is known. read: what any op reads, and outputs.
void recompose(const Program& program, Op& op, Rewriter& rewriter, const std::set<ValueId>& read);

}  // namespace cleave
