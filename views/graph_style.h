#pragma once

#include "views/graph_picture.h"
#include "views/theme.h"

namespace cleave::views {

inline constexpr double textDetail = 0.4;        ///< below this zoom texts are left out
inline constexpr double smallTextDetail = 0.66;  ///< below this one, small texts: there are names alone, and larger

/// What all items of a picture paint with; outlives them.
struct GraphStyle {
    GraphColors colors;
    BoxMetrics metrics;
    int levels = 0;
};

}  // namespace cleave::views
