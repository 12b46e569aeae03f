#include "core/graph/number_table.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <deque>
#include <limits>
#include <thread>
#include <utility>

#include "core/base/error.h"
#include "core/base/format.h"
#include "core/base/memory.h"
#include "core/base/parallel.h"
#include "core/graph/text_lines.h"

namespace cleave {

namespace {

bool parse(std::string_view text, float& number)
{
    return parseNumber(text, number);
}

bool parse(std::string_view text, std::int64_t& number)
{
    text = withoutZeros(text);
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    return problem == std::errc() && end == text.data() + text.size();
}

template <class Number>
struct NumberPiece {
    std::string_view text;
    std::vector<Number> numbers;
    const char* at = nullptr;  // where the line begins that does not fit
    std::string why;
};

template <class Number>
class TableReader {
public:
    TableReader(const std::filesystem::path& path, const Progress& progress, std::string_view what)
        : m_lines(path), m_progress(progress), m_what(what)
    {
    }

    Array read(DType dtype)
    {
        while (m_lines.next()) {
            m_progress.update(m_lines.fraction(), m_what);
            if (m_columns == 0)
                m_columns = columnsOfFirstLine();
            parseBlock();
        }
        if (m_columns == 0)
            throw Error(m_lines.name() + " is empty: it should hold a line of numbers for each node or edge.");
        NewArray table = makeArray(dtype, {m_count / m_columns, m_columns});
        auto* to = reinterpret_cast<Number*>(table.data);
        for (std::vector<Number>& part : m_parts)
            to = std::ranges::copy(std::exchange(part, {}), to).out;
        return table.array;
    }

private:
    std::int64_t columnsOfFirstLine() const
    {
        for (std::string_view rest = m_lines.text(); !rest.empty();)
            if (const std::string_view line = trimmed(takeLine(rest)); !line.empty())
                return std::ranges::count(line, ',') + 1;
        return 0;
    }

    void parseBlock()
    {
        const int threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
        std::vector<NumberPiece<Number>> pieces;
        for (const std::string_view text : m_lines.pieces(threads))
            pieces.emplace_back().text = text;
        parallelFor(std::ssize(pieces), threads, [&](std::int64_t i, int) { parsePiece(pieces[static_cast<std::size_t>(i)]); });
        for (NumberPiece<Number>& piece : pieces) {
            if (!piece.why.empty())
                m_lines.fail(m_lines.lineOf(piece.at), piece.why);
            m_count += std::ssize(piece.numbers);
            if (static_cast<double>(m_count) * 2 * sizeof(Number) > static_cast<double>(physicalMemory()))
                throw Error(m_lines.name() + " has more numbers than fit into memory.");
            m_parts.push_back(std::move(piece.numbers));
        }
    }

    void parsePiece(NumberPiece<Number>& piece) const
    {
        for (std::string_view rest = piece.text; !rest.empty() && piece.why.empty();) {
            piece.at = rest.data();
            if (const std::string_view line = trimmed(takeLine(rest)); !line.empty())
                piece.why = parseLine(line, piece.numbers);
        }
    }

    std::string parseLine(std::string_view line, std::vector<Number>& numbers) const
    {
        std::int64_t columns = 0;
        for (bool goesOn = true; goesOn; ++columns) {
            const std::size_t end = line.find(',');
            const std::string_view field = trimmed(line.substr(0, end));
            // An empty field is a label that is not known.
            Number number{};
            if (field.empty() && std::is_same_v<Number, float>)
                number = std::numeric_limits<Number>::quiet_NaN();
            else if (!parse(field, number))
                return "has '" + printable(field, 40) + "' in column " + std::to_string(columns + 1) + ", which is no " +
                       (std::is_same_v<Number, float> ? "number" : "whole number");
            numbers.push_back(number);
            goesOn = end != std::string_view::npos;
            line.remove_prefix(goesOn ? end + 1 : 0);
        }
        return columns == m_columns ? "" : "has " + std::to_string(columns) + " numbers where the first has " + std::to_string(m_columns);
    }

    TextLines m_lines;
    const Progress& m_progress;
    std::string_view m_what;
    std::int64_t m_columns = 0, m_count = 0;
    std::deque<std::vector<Number>> m_parts;
};

}  // namespace

Array readNumberTable(const std::filesystem::path& path, DType dtype, const Progress& progress, std::string_view what)
{
    if (dtype == DType::Int64)
        return TableReader<std::int64_t>(path, progress, what).read(dtype);
    return TableReader<float>(path, progress, what).read(dtype);
}

}  // namespace cleave
