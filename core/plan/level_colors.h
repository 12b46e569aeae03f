#pragma once

#include <array>
#include <cstdint>

namespace cleave {

/// Of message degrees from the least to the greatest, 0xrrggbb: Cividis (Nuñez, Anderton, Renslow 2018) at equal steps, without its darkest and lightest
/// ends, which tells them apart for any colour vision.
inline constexpr std::array<std::uint32_t, 8> levelColors{0x0d3b78, 0x35477a, 0x565c6c, 0x6c6e72, 0x8c8877, 0xaea371, 0xcfbd63, 0xf3d83f};

inline constexpr std::uint32_t nodeRowsColor = 0x0072b2;  ///< on white
inline constexpr std::uint32_t edgeRowsColor = 0xae327d;
inline constexpr double levelTintShare = 0.24;  ///< of a level's colour in the white of a box

}  // namespace cleave
