#include "core/plan/dot_text.h"

#include <array>

namespace cleave {

std::string dotHead(const std::string& name)
{
    return "digraph " + dotQuoted(name) + " {\n  node [shape=box, style=\"rounded,filled\", fontname=\"sans-serif\"];\n";
}

std::string dotQuoted(const std::string& text)
{
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            result += '\\';
        result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
    return result + "\"";
}

std::string dotArrow(const std::string& from, const std::string& to, const std::string& attributes)
{
    return "  " + dotQuoted(from) + " -> " + dotQuoted(to) + (attributes.empty() ? "" : " [" + attributes + "]") + ";\n";
}

// Cividis, light enough for black text.
std::string dotFill(int function)
{
    static constexpr std::array fills{"#fee838", "#d5c164", "#b4a76f", "#96907a", "#c2d1ec", "#8fb0e0", "#e5e5e5"};
    return fills[static_cast<std::size_t>(function) % fills.size()];
}

}  // namespace cleave
