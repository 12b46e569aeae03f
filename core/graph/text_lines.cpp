#include "core/graph/text_lines.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include "core/base/error.h"

namespace cleave {

namespace {

constexpr std::size_t longestLine = std::size_t{4} << 20;
constexpr std::size_t blockBytes = 2 * longestLine, firstBytes = std::size_t{1} << 16;

}  // namespace

TextLines::TextLines(const std::filesystem::path& path) : m_source(path), m_buffer(firstBytes, '\0') {}

// One byte is left for an end of the last line.
void TextLines::fill()
{
    const std::size_t room = m_buffer.size() - 1 - m_filled;
    if (m_isLast || room == 0)
        return;
    const std::size_t got = m_source.read(m_buffer.data() + m_filled, room);
    m_isLast = got < room;
    m_filled += got;
}

bool TextLines::next()
{
    m_firstLine += std::ranges::count(m_text, '\n');
    std::memmove(m_buffer.data(), m_buffer.data() + m_used, m_filled - m_used);
    m_filled -= m_used;
    m_used = 0;
    // Small files need no large buffer.
    if (!m_isFirst && !m_isLast)
        m_buffer.resize(blockBytes);
    fill();
    while (!m_isLast && m_buffer.size() < blockBytes && std::string_view(m_buffer).substr(0, m_filled).find('\n') == std::string_view::npos) {
        m_buffer.resize(blockBytes);
        fill();
    }
    if (m_isLast && m_filled > 0 && m_buffer[m_filled - 1] != '\n')
        m_buffer[m_filled++] = '\n';
    m_text = std::string_view(m_buffer).substr(0, m_filled);
    m_text = m_text.substr(0, m_text.rfind('\n') + 1);
    if (m_filled - m_text.size() > longestLine)
        fail(m_firstLine + std::ranges::count(m_text, '\n'), "is longer than 4 MiB: this is no text file of the kind that its name says");
    m_used = m_text.size();
    if (m_isFirst && m_text.starts_with("\xEF\xBB\xBF"))
        m_text.remove_prefix(3);
    m_isFirst = false;
    if (const std::size_t zero = m_text.find('\0'); zero != std::string_view::npos)
        fail(lineOf(m_text.data() + zero), "holds a NUL byte: this is no text file, or not one in UTF-8");
    return !m_text.empty();
}

std::vector<std::string_view> TextLines::pieces(int most) const
{
    constexpr std::size_t least = std::size_t{1} << 16;
    const std::size_t length = std::max(least, m_text.size() / static_cast<std::size_t>(std::max(1, most)) + 1);
    std::vector<std::string_view> pieces;
    for (std::string_view rest = m_text; !rest.empty();) {
        const std::size_t end = length < rest.size() ? rest.find('\n', length - 1) + 1 : rest.size();
        pieces.push_back(rest.substr(0, end));
        rest.remove_prefix(end);
    }
    return pieces;
}

std::int64_t TextLines::lineOf(const char* at) const
{
    return m_firstLine + std::count(m_text.data(), at, '\n');
}

void TextLines::fail(std::int64_t line, const std::string& why) const
{
    throw Error("Line " + std::to_string(line) + " of " + name() + " " + why + ".");
}

std::string_view takeLine(std::string_view& text)
{
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (line.ends_with('\r'))
        line.remove_suffix(1);
    return line;
}

std::string_view trimmed(std::string_view text)
{
    constexpr std::string_view blanks = " \t\r";
    const std::size_t first = text.find_first_not_of(blanks);
    return first == std::string_view::npos ? std::string_view() : text.substr(first, text.find_last_not_of(blanks) + 1 - first);
}

bool parseNodeNumber(std::string_view text, std::int64_t& number)
{
    if (text.empty() || text.size() > 18 || (text[0] == '0' && text.size() > 1))
        return false;
    number = 0;
    for (const char c : text) {
        const auto digit = static_cast<unsigned>(c - '0');
        if (digit > 9)
            return false;
        number = number * 10 + digit;
    }
    return true;
}

std::string_view withoutZeros(std::string_view text)
{
    const std::size_t point = text.find('.');
    const bool isWhole =
        point != std::string_view::npos && point + 1 < text.size() && text.find_first_not_of('0', point + 1) == std::string_view::npos;
    return isWhole ? text.substr(0, point) : text;
}

bool parseNumber(std::string_view text, float& number)
{
    if (text.starts_with('+'))
        text.remove_prefix(1);
    double value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    number = static_cast<float>(value);
    const bool isTooSmall = problem == std::errc::result_out_of_range && (text.find("e-") != text.npos || text.find("E-") != text.npos);
    return (problem == std::errc() || isTooSmall) && end == text.data() + text.size() && (std::isfinite(number) || !std::isfinite(value));
}

}  // namespace cleave
