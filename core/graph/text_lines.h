#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/text_source.h"

namespace cleave {

/// A text file, packed by gzip or not, in blocks of whole lines. Lines end with LF or CR LF; a byte order mark of UTF-8 is left out.
class TextLines {
public:
    explicit TextLines(const std::filesystem::path& path);

    /// The next block; false at the end. Error for what is no text: NUL bytes, lines of many MiB, a damaged file.
    bool next();
    std::string_view text() const { return m_text; }  ///< of this block; ends with LF, valid until next
    std::int64_t firstLine() const { return m_firstLine; }  ///< its number in the file, from 1

    /// The block cut at ends of lines into at most so many pieces of about one length.
    std::vector<std::string_view> pieces(int most) const;
    /// The number of a line of the block, from what stands before it.
    std::int64_t lineOf(const char* at) const;

    double fraction() const { return m_source.fraction(); }
    const std::string& name() const { return m_source.name(); }

    /// Error of one sentence: "Line 7 of g.csv" and why.
    [[noreturn]] void fail(std::int64_t line, const std::string& why) const;

private:
    void fill();

    TextSource m_source;
    std::string m_buffer;
    std::string_view m_text;
    std::size_t m_filled = 0, m_used = 0;
    std::int64_t m_firstLine = 1;
    bool m_isFirst = true, m_isLast = false;
};

/// Takes the first line off a text that ends with LF; without the line's end.
std::string_view takeLine(std::string_view& text);

/// Without blanks, tabs and CR at both ends.
std::string_view trimmed(std::string_view text);

/// A decimal number without sign and leading zeros, below 10^18; false for any other text.
bool parseNodeNumber(std::string_view text, std::int64_t& number);

/// "3" of "3.0", as tables of floats have whole numbers.
std::string_view withoutZeros(std::string_view text);

/// A number as C writes it, nan and inf as well; false for any other text.
bool parseNumber(std::string_view text, float& number);

}  // namespace cleave
