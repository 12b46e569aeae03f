#pragma once

#include <cstdint>
#include <vector>

#include "core/kernels/edge_program.h"

/// Into which cache the rows of sources are asked for ahead of the edges that read them: private to core/kernels.
namespace cleave {

/// What is faster differs by processor, up to twice either way: some have room for few lines on their way into the first cache and for many into the second, others lose time
/// between the two. So the first edges of each kind of program try both in turn, and what they found holds for the rest of the process. Results do not depend on it.
class RowRequests {
public:
    /// For a program that reads rows of sources of so many bytes an edge, from arrays of so many bytes together. isChain: with arithmetic between them.
    RowRequests(double rowBytes, double arrayBytes, bool isChain);

    /// The cache for the next edges of a thread. Afterwards tried() is told what they took.
    Cache next() const;
    void tried(Cache cache, std::int64_t edges, double seconds) const;

    static constexpr double fitsAnyway = 4e6;      ///< arrays of fewer bytes are in the second cache, or soon
    static constexpr std::int64_t fewEdges = 4096; ///< too few to tell
    static constexpr int trials = 12;              ///< of each cache

private:
    struct Kind;
    Kind* m_kind = nullptr;  // null: nothing to choose
};

}  // namespace cleave
