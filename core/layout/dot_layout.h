#pragma once

#include "core/layout/band_layout.h"
#include "core/layout/dot_protocol.h"

namespace cleave {

/// By Graphviz's dot, on a thread with a stack that is large enough for its recursion. Graphviz keeps its state in globals, ends the
/// process where an assertion of its fails, and cannot be interrupted: only the helper program calls this, one layout at a time.
BandDrawing dotLayout(const BandGraph& graph, const LayoutOptions& options);

DotGreeting dotGreeting();

}  // namespace cleave
