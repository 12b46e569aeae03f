#pragma once

#include <cstdint>

namespace cleave {

// Colours of pictures, in the window and in DOT: 0xrrggbb.

inline constexpr std::uint32_t nodeRowsColor = 0x0072b2;  ///< on white
inline constexpr std::uint32_t edgeRowsColor = 0xae327d;
inline constexpr double levelTintShare = 0.24;  ///< of a level's colour in the white of a box

std::uint32_t mixColors(std::uint32_t a, std::uint32_t b, double share);  ///< share: of b, 0 to 1
std::uint32_t levelColor(int level, int levels);  ///< of a message degree of 0 … levels; readable with any colour vision

}  // namespace cleave
