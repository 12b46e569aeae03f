#pragma once

#include <cstdint>
#include <string>

namespace cleave {

// What graphs in Graphviz's DOT language are written with.

std::string dotHead(const std::string& name);  ///< up to the first node; "}" ends the graph
std::string dotQuoted(const std::string& text);
std::string dotArrow(const std::string& from, const std::string& to, const std::string& attributes);
std::string dotColor(std::uint32_t color);   ///< "#0072b2"
std::string dotFill(int level, int levels);  ///< of a box at a level of 0 … levels, as in the window

}  // namespace cleave
