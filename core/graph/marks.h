#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/base/pages.h"

namespace cleave {

/// A byte for each row: 1 for those that are meant, 0 for others.
using Marks = PageVector<std::uint8_t>;

Marks marks(std::int64_t rows, bool areMeant);
std::int64_t countOf(const Marks& marks);

/// Adds those of others; both have equally many.
void unite(Marks& marks, const Marks& others);

/// Ids of the edges into marked nodes, in their order; nothing if there are more than so many. Reads the segment index twice from front to back.
/// Error if an index names no node.
std::optional<PageVector<std::int64_t>> edgesIntoMarked(std::span<const std::int64_t> segment, const Marks& nodes, std::int64_t most, int threads);

/// Marks what edges into marked nodes lead from. index: [M or more], of which negative entries count from the last; what names no node is left.
void markEnds(std::span<const std::int64_t> segment, const Marks& nodes, std::span<const std::int64_t> index, Marks& ends, int threads);

/// Likewise, of the edges with these ids.
void markEnds(std::span<const std::int64_t> edges, std::span<const std::int64_t> index, Marks& ends);

}  // namespace cleave
