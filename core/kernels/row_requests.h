#pragma once

#include <cstdint>
#include <vector>

#include "core/kernels/edge_program.h"

/// Into which cache the rows of sources are asked for ahead of the edges that read them: private to core/kernels.
namespace cleave {

/// What is faster differs by processor, up to twice either way: some have room for few lines on their way into the first cache and for many into the
/// second, some lose time between the two, and some are fastest when rows come in both steps. So edges of each kind of program try all: the first
/// ones, and again when four times as many have been met, since graphs are not the same everywhere. Results do not depend on it.
class RowRequests {
public:
    enum class Use : std::uint8_t {
        Summed,    ///< rows of sources are added up as they are
        Weighted,  ///< and multiplied by numbers of their edges before
        Picked,    ///< the largest or smallest of their entries are taken
        Computed,  ///< there is arithmetic before
        Pieces,    ///< rows of sources come in pieces, and those of targets lie anywhere
    };

    /// For a program that reads rows of so many bytes an edge, from arrays of so many bytes together.
    RowRequests(double rowBytes, double arrayBytes, Use use);

    /// The cache for the next edges of this thread, of which there are so many. Afterwards it tells tried() what they took.
    Cache next(std::int64_t edges) const;
    void tried(Cache cache, std::int64_t edges, double seconds) const;

    static constexpr double fitsAnyway = 4e6;        ///< arrays of fewer bytes are in the second cache, or soon
    static constexpr std::int64_t fewEdges = 4096;   ///< too few to tell
    static constexpr int heldFor = 5, settling = 2;  ///< tries of a thread one after the other, and how many of these still feel what was before
    static constexpr int trials = 12;                ///< of each cache that count
    static constexpr std::int64_t firstAgain = 256;  ///< turns after which all are tried again, and at four times as many, and so on

private:
    struct Kind;
    Kind* m_kind = nullptr;  // null: nothing to choose
    std::size_t m_number = 0;
};

}  // namespace cleave
