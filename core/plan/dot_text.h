#pragma once

#include <string>

namespace cleave {

// What graphs in Graphviz's DOT language are written with.

std::string dotHead(const std::string& name);  ///< up to the first node; "}" ends the graph
std::string dotQuoted(const std::string& text);
std::string dotArrow(const std::string& from, const std::string& to, const std::string& attributes);
std::string dotFill(int function);  ///< "#fee838": readable with any colour vision

}  // namespace cleave
