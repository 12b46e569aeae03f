#include "core/plan/dot_text.h"

#include <array>
#include <cstdio>

#include "core/plan/level_colors.h"

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

std::string dotColor(std::uint32_t color)
{
    std::array<char, 8> text{};
    std::snprintf(text.data(), text.size(), "#%06x", static_cast<unsigned>(color & 0xffffff));
    return text.data();
}

std::string dotFill(int level, int levels)
{
    return dotColor(mixColors(0xffffff, levelColor(level, levels), levelTintShare));
}

}  // namespace cleave
