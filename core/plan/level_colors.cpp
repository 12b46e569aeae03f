#include "core/plan/level_colors.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace cleave {

namespace {

// Cividis (Nuñez, Anderton, Renslow 2018) at equal steps, without its darkest and lightest ends.
constexpr std::array<std::uint32_t, 8> cividis{0x0d3b78, 0x35477a, 0x565c6c, 0x6c6e72, 0x8c8877, 0xaea371, 0xcfbd63, 0xf3d83f};

}  // namespace

std::uint32_t mixColors(std::uint32_t a, std::uint32_t b, double share)
{
    std::uint32_t mixed = 0;
    for (const int shift : {16, 8, 0}) {
        const double from = a >> shift & 0xff, to = b >> shift & 0xff;
        mixed |= static_cast<std::uint32_t>(std::lround(from + (to - from) * share)) << shift;
    }
    return mixed;
}

std::uint32_t levelColor(int level, int levels)
{
    const double at = std::clamp(static_cast<double>(level) / std::max(1, levels), 0.0, 1.0) * (cividis.size() - 1);
    const std::size_t i = std::min(static_cast<std::size_t>(at), cividis.size() - 2);
    return mixColors(cividis[i], cividis[i + 1], at - static_cast<double>(i));
}

}  // namespace cleave
