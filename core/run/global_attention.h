#pragma once

#include <optional>

#include "core/run/global_op.h"

/// Private to core/run.
namespace cleave {

/// Attention of queries to keys that are rows of all nodes, without the scores of all pairs. Nothing for masks that depend on the query, dropout, and
/// heads that share keys.
std::optional<GlobalOp> attentionOverRows(const Analysis& analysis, const Op& op);

}  // namespace cleave
