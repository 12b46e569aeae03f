#pragma once

#include <utility>
#include <vector>

#include "core/layout/layout.h"

namespace cleave {

enum class BandRank : std::uint8_t { Any, First, Last };

struct BandBox {
    double width = 0;
    double height = 0;
    BandRank rank = BandRank::Any;
    int group = -1;
};

/// What is laid out at once: one band with ports for what enters it and boxes of its strip in the last rank.
struct BandGraph {
    std::vector<BandBox> boxes;
    std::vector<int> groupParents;  ///< a parent comes before its children
    std::vector<LayoutArrow> arrows;
    std::vector<int> firstOrder;  ///< boxes of the first rank from left to right
};

struct BandDrawing {
    std::vector<LayoutPoint> centres;
    std::vector<std::vector<LayoutPoint>> paths;
    std::vector<LayoutRect> groups;
};

/// Longest-path ranks and a few barycentre sweeps: linear in boxes and arrows. Arrows over more than 30 ranks get no path.
BandDrawing layeredLayout(const BandGraph& graph, const LayoutOptions& options);

}  // namespace cleave
