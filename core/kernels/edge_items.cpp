#include "core/kernels/edge_items.h"

#include <algorithm>

namespace cleave {

EdgeItems::EdgeItems(const EdgeBlock& block)
{
    std::int64_t first = 0;
    const auto at = [&](std::int64_t t) { return block.begin[t] - block.begin[0]; };
    const auto close = [&](std::int64_t last) {
        if (last > first)
            items.push_back({first, last, at(first), at(last)});
        first = last;
    };
    for (std::int64_t t = 0; t < block.targets; ++t) {
        if (const std::int64_t degree = at(t + 1) - at(t); degree > most) {
            close(t);
            const std::int64_t firstPiece = pieces;
            for (std::int64_t e = at(t); e < at(t + 1); e += most)
                items.push_back({t, t + 1, e, std::min(e + most, at(t + 1)), pieces++});
            longSegments.push_back({t, firstPiece, pieces - firstPiece});
            first = t + 1;
        } else if (at(t + 1) - at(first) + t + 1 - first >= most) {
            close(t + 1);
        }
    }
    close(block.targets);
}

}  // namespace cleave
