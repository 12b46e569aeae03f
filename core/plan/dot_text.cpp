#include "core/plan/dot_text.h"

#include <algorithm>
#include <array>
#include <cmath>
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
    const double at = std::clamp(static_cast<double>(level) / std::max(1, levels), 0.0, 1.0) * (levelColors.size() - 1);
    const std::size_t i = std::min(static_cast<std::size_t>(at), levelColors.size() - 2);
    std::uint32_t tint = 0;
    for (const int shift : {16, 8, 0}) {
        const auto channel = [&](std::uint32_t color) { return static_cast<double>(color >> shift & 0xff); };
        const double full = channel(levelColors[i]) + (channel(levelColors[i + 1]) - channel(levelColors[i])) * (at - static_cast<double>(i));
        tint |= static_cast<std::uint32_t>(std::lround(255 + (full - 255) * levelTintShare)) << shift;
    }
    return dotColor(tint);
}

}  // namespace cleave
