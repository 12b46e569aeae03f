#pragma once

#include <cstdint>

#include "core/graph/data_graph.h"

namespace cleave {

struct RmatOptions {
    int scale = 10;                ///< 2^scale nodes, 1 to 28
    std::int64_t edgeFactor = 16;  ///< directed edges per node, 1 to 1024; self-loops and repeated edges are kept
    double a = 0.57, b = 0.19, c = 0.19;  ///< quadrant probabilities of Graph500; d is the rest
    int features = 16;             ///< columns of x, normally distributed (as the sum of 12 uniforms), 1 to 65536; 0: no x
    std::uint64_t seed = 1;

    void check() const;  ///< Error if a field is out of its range
};

/// A random graph with a power-law degree distribution (Chakrabarti, Zhan, Faloutsos: R-MAT, SDM 2004). Same options, same bytes.
DataGraph generateRmat(const RmatOptions& options);

/// Zachary's karate club: 34 nodes, 78 friendships in both directions, labels as in Zachary 1977; x is the identity [34, 34].
DataGraph karateClub();

}  // namespace cleave
