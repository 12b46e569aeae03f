#include "core/base/format.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace cleave {

namespace {

std::string print(const char* format, double x, const char* unit)
{
    std::array<char, 64> text;
    std::snprintf(text.data(), text.size(), format, x, unit);
    return text.data();
}

// Three significant digits as people write them: 1.23, 12.3, 123.
std::string withUnit(double x, const char* unit)
{
    const double magnitude = std::fabs(x);
    return print(magnitude < 9.995 ? "%.2f %s" : magnitude < 99.95 ? "%.1f %s" : "%.0f %s", x, unit);
}

}  // namespace

std::string formatBytes(double bytes)
{
    if (bytes < 1000)
        return print("%.0f %s", bytes, "B");
    int power = 0;
    constexpr std::array units{"kB", "MB", "GB", "TB", "PB"};
    for (bytes /= 1000; bytes >= 999.5 && power + 1 < static_cast<int>(units.size()); bytes /= 1000)
        ++power;
    return withUnit(bytes, units[static_cast<std::size_t>(power)]);
}

std::optional<double> bytesFrom(std::string_view text)
{
    constexpr std::string_view blanks = " \t", units = "KMGTP";
    double number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    text.remove_prefix(std::min(text.size(), text.find_first_not_of(blanks)));
    const std::size_t power =
        text.empty() ? std::string_view::npos : units.find(static_cast<char>(std::toupper(static_cast<unsigned char>(text.front()))));
    double step = 1000;
    if (power < units.size()) {
        text.remove_prefix(1);
        if (text.starts_with('i')) {
            step = 1024;
            text.remove_prefix(1);
        }
        number *= std::pow(step, static_cast<double>(power) + 1);
    }
    if (text.starts_with('B') || text.starts_with('b'))
        text.remove_prefix(1);
    constexpr double most = 1e18;
    return problem == std::errc() && text.empty() && number >= 1 && number <= most ? std::optional(number) : std::nullopt;
}

std::string formatSeconds(double seconds)
{
    // What would be written as 1000 of a unit is 1 of the next.
    if (seconds < 0.9995e-3)
        return withUnit(seconds * 1e6, "µs");
    return seconds < 0.9995 ? withUnit(seconds * 1e3, "ms") : withUnit(seconds, "s");
}

std::string formatCount(std::int64_t n)
{
    std::string digits = std::to_string(n < 0 ? -n : n);
    for (int i = static_cast<int>(digits.size()) - 3; i > 0; i -= 3)
        digits.insert(static_cast<std::size_t>(i), ",");
    return n < 0 ? "-" + digits : digits;
}

std::string formatNumber(double x)
{
    std::array<char, 64> text;
    std::snprintf(text.data(), text.size(), "%.3g", x);
    return text.data();
}

std::string shapeText(const std::vector<std::int64_t>& shape)
{
    std::vector<std::string> sizes;
    for (const std::int64_t size : shape)
        sizes.push_back(std::to_string(size));
    return "[" + join(sizes, ", ") + "]";
}

std::string join(const std::vector<std::string>& parts, std::string_view separator)
{
    std::string all;
    for (const std::string& part : parts) {
        if (!all.empty())
            all += separator;
        all += part;
    }
    return all;
}

std::string toHex(std::span<const std::byte> bytes)
{
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    text.reserve(2 * bytes.size());
    for (const std::byte byte : bytes) {
        text += digits[std::to_integer<std::size_t>(byte >> 4)];
        text += digits[std::to_integer<std::size_t>(byte & std::byte{15})];
    }
    return text;
}

std::string printable(std::string_view text, std::size_t limit)
{
    std::string result;
    for (const char c : text) {
        if (result.size() >= limit && (static_cast<unsigned char>(c) & 0xC0) != 0x80)
            return result + "…";
        result += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
    }
    return result;
}

}  // namespace cleave
