#pragma once

#include "core/analysis/rewriter.h"

namespace cleave {

/// A product of values with the softmax of all pairs' scores becomes aten::scaled_dot_product_attention, which need not keep the scores: attention to
/// all nodes that somebody wrote out, or that run_decompositions() took apart. What it is not sure of is left as it is.
void recomposeAttention(const Program& program, Op& op, Rewriter& rewriter);

}  // namespace cleave
