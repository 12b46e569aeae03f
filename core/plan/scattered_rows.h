#pragma once

#include <algorithm>

namespace cleave {

/// Bytes of an array of this size that are touched where so many of its rows, scattered over it, are written: a page for each. All of them where rows
/// lie in most small pages, since large ones are touched faster then.
inline double touchedBytes(double bytes, double rowBytes, double rows)
{
    constexpr double page = 4096, large = 16 * page;
    const double touched = std::min(bytes, rows * std::max(rowBytes, page));
    return bytes < large || touched > bytes / 2 ? bytes : touched;
}

}  // namespace cleave
