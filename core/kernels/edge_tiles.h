#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/kernels/edge_chain.h"
#include "core/kernels/edge_program.h"

/// What of a program is computed how: private to core/kernels.
namespace cleave {

/// A tile holds rows of some edges, one array for each value that is computed there, one instruction after the other. Wide values that are reduced at
/// once are chains instead, and what is reduced or read where it lies is in neither.
struct EdgeTiles {
    /// T of the arithmetic has itemBytes bytes. readsInPlace: edges of a tile follow each other in the block.
    EdgeTiles(const EdgeProgram& program, const std::vector<EdgeArray>& arrays, std::int64_t itemBytes, bool readsInPlace);

    bool isInTile(std::size_t value) const { return offset[value] >= 0; }

    std::vector<std::int64_t> offset;                      ///< items of T before each value's rows; -1: it is not in the tile
    std::vector<std::optional<EdgeChain>> chains;          ///< of results
    std::vector<std::optional<EdgeChain>> innerChains;     ///< of instructions: what SumInner sums
    std::int64_t edges = 0;                                ///< of a tile, at most
    /// items for a term that is expanded to its instruction's width; twice at the tile's start
    std::int64_t expansion = 0;
    std::int64_t size = 0;                                 ///< items of a tile
    bool areUsed = false;                                  ///< else all edges of a target are reduced in one go
};

/// Whether an instruction needs a wider copy of the term.
bool isExpanded(const EdgeProgram& program, const EdgeInstruction& instruction, const EdgeTerm& term);

/// Whether rows of the value are reduced straight from where they are stored.
bool isReducedInPlace(const EdgeProgram& program, int value);

}  // namespace cleave
