#include "core/graph/edge_list.h"

#include <algorithm>
#include <thread>

#include "core/base/error.h"
#include "core/base/format.h"
#include "core/base/parallel.h"
#include "core/graph/edge_list_format.h"
#include "core/graph/text_lines.h"

namespace cleave {

namespace {

// One of the texts that a block was cut into, and what became of it.
struct EdgePiece {
    std::string_view text;
    EdgePart part;
    std::vector<std::string_view> names;  // instead of nodes: two for each edge
    std::deque<std::string> unquoted;     // those that do not stand in the text as they are
    bool hasNames = false;                // where numbers were expected
    const char* at = nullptr;             // where the line begins that is no edge
    std::string why;
};

class PieceReader {
public:
    PieceReader(const EdgeListFormat& format, EdgePiece& piece, bool takesNames)
        : m_format(format),
          m_fields(format.separator),
          m_piece(piece),
          m_takesNames(takesNames),
          m_mayBePlain(!takesNames && format.columns == 2 && format.from == 0)
    {
    }

    // Stops at a line that is no edge, and at a name where numbers are expected.
    void run()
    {
        for (std::string_view rest = m_piece.text; !rest.empty() && !m_piece.hasNames;) {
            if (m_mayBePlain && takePlainLine(rest))
                continue;
            m_piece.at = rest.data();
            const std::string_view line = takeLine(rest);
            if (isComment(line))
                continue;
            try {
                take(line);
            } catch (const Error& error) {
                m_piece.why = error.what();
                return;
            }
        }
    }

private:
    // The number that begins at a text that ends with LF; false for what parseNodeNumber does not take.
    static bool takeDigits(const char*& at, std::int64_t& number)
    {
        constexpr std::ptrdiff_t mostDigits = 18;
        const char* first = at;
        for (number = 0; *at >= '0' && *at <= '9' && at - first < mostDigits; ++at)
            number = number * 10 + (*at - '0');
        return at > first && (*first != '0' || at - first == 1);
    }

    // Most lines are two numbers and what is between them: these need not be taken apart.
    bool takePlainLine(std::string_view& rest)
    {
        const char* at = rest.data();
        std::int64_t from = 0, to = 0;
        if (!takeDigits(at, from) || (*at != m_format.separator && !(m_format.separator == ' ' && *at == '\t')) || !takeDigits(++at, to) ||
            *at != '\n')
            return false;
        m_piece.part.from.push_back(from);
        m_piece.part.to.push_back(to);
        rest.remove_prefix(static_cast<std::size_t>(at + 1 - rest.data()));
        return true;
    }

    void take(std::string_view line)
    {
        const auto& fields = m_fields.split(line);
        if (fields.size() != m_format.columns)
            throw Error("has " + std::to_string(fields.size()) + (fields.size() == 1 ? " column" : " columns") + " where others have " +
                        std::to_string(m_format.columns) + ": each edge needs a source, a target and the same numbers");
        if (m_takesNames)
            takeNames(fields[m_format.from], fields[m_format.to]);
        else if (!takeNumbers(fields))
            return;
        for (const std::size_t column : m_format.valueColumns)
            takeValue(fields[column], column);
    }

    bool takeNumbers(const std::vector<std::string_view>& fields)
    {
        std::int64_t from = 0, to = 0;
        for (const std::size_t column : {m_format.from, m_format.to})
            checkName(fields[column]);
        m_piece.hasNames = !parseNodeNumber(withoutZeros(fields[m_format.from]), from) || !parseNodeNumber(withoutZeros(fields[m_format.to]), to);
        m_piece.part.from.push_back(from);
        m_piece.part.to.push_back(to);
        return !m_piece.hasNames;
    }

    void takeNames(std::string_view from, std::string_view to)
    {
        for (const std::string_view name : {from, to}) {
            checkName(name);
            const bool isInText = name.data() >= m_piece.text.data() && name.data() < m_piece.text.data() + m_piece.text.size();
            m_piece.names.push_back(isInText ? name : m_piece.unquoted.emplace_back(name));
        }
    }

    static void checkName(std::string_view name)
    {
        if (name.empty())
            throw Error("has no node where its source or target should be");
        if (name.starts_with('-') && name.size() > 1 && name.find_first_not_of("0123456789", 1) == std::string_view::npos)
            throw Error("names node " + printable(name, 40) + ": numbers of nodes begin at 0");
    }

    // "0,5" of a spreadsheet.
    static std::string withPoint(std::string_view field)
    {
        std::string text(field);
        if (const std::size_t comma = text.find(','); comma != std::string::npos && text.find('.') == std::string::npos)
            text[comma] = '.';
        return text;
    }

    void takeValue(std::string_view field, std::size_t column)
    {
        float value = 0;
        if (!parseNumber(field, value) && !(m_format.separator == ';' && parseNumber(withPoint(field), value)))
            throw Error("has '" + printable(field, 40) + "' in column " + std::to_string(column + 1) +
                        ": what stands beside an edge must be a number");
        m_piece.part.values.push_back(value);
    }

    const EdgeListFormat& m_format;
    Fields m_fields;
    EdgePiece& m_piece;
    bool m_takesNames, m_mayBePlain;
};

class EdgeListReader {
public:
    EdgeListReader(const std::filesystem::path& path, const Progress& progress) : m_path(path), m_progress(progress) {}

    GraphArrays read()
    {
        // Most lists have numbers. One that has not is read once more.
        if (!tryRead(false))
            tryRead(true);
        return std::move(m_graph);
    }

private:
    bool tryRead(bool takesNames)
    {
        TextLines lines(m_path);
        EdgeTable table(lines.name());
        NodeNames names;
        for (bool isFirst = true; lines.next(); isFirst = false) {
            m_progress.update(lines.fraction(), "Reading edges");
            if (isFirst || m_format.columns == 0)
                begin(lines);
            for (EdgePiece& piece : parse(lines, takesNames)) {
                if (piece.hasNames) {
                    if (table.count() > 0 || piece.part.from.size() > 1)
                        m_graph.notes.push_back(nameNote(lines, piece));
                    return false;
                }
                if (!piece.why.empty())
                    lines.fail(lines.lineOf(piece.at), piece.why);
                if (takesNames)
                    number(lines, piece, names);
                table.add(std::move(piece.part));
            }
        }
        finish(table, std::move(names), takesNames);
        return true;
    }

    static std::string nameNote(const TextLines& lines, const EdgePiece& piece)
    {
        std::string_view rest(piece.at, static_cast<std::size_t>(piece.text.data() + piece.text.size() - piece.at));
        return "Line " + std::to_string(lines.lineOf(piece.at)) + " of " + lines.name() + " has no numbers of nodes (" +
               printable(trimmed(takeLine(rest)), 40) + "): what the file calls nodes are taken for names, and nodes are numbered as these come.";
    }

    void begin(const TextLines& lines)
    {
        const auto stated = m_format.numNodes;
        m_headerIsLeft = true;
        try {
            m_format = findFormat(lines.text());
        } catch (const Error& error) {
            throw Error("One of the first lines of " + lines.name() + " " + error.what() + ".");
        }
        if (!m_format.numNodes)
            m_format.numNodes = stated;
        if (m_format.columns == 1)
            throw Error(
                lines.name() +
                " has one column: a list of edges has a source and a target in each line, with a comma, a semicolon, a tab or blanks between them.");
    }

    // The block without its header.
    std::vector<EdgePiece> parse(const TextLines& lines, bool takesNames)
    {
        const int threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
        std::vector<EdgePiece> pieces;
        for (const std::string_view text : lines.pieces(threads))
            pieces.emplace_back().text = text;
        if (m_format.columns == 0)
            return {};
        m_headerIsLeft = m_headerIsLeft && m_format.hasHeader;
        for (EdgePiece& piece : pieces)
            while (m_headerIsLeft && !piece.text.empty())
                m_headerIsLeft = isComment(takeLine(piece.text));
        parallelFor(std::ssize(pieces), threads,
                    [&](std::int64_t i, int) { PieceReader(m_format, pieces[static_cast<std::size_t>(i)], takesNames).run(); });
        return pieces;
    }

    static void number(const TextLines& lines, EdgePiece& piece, NodeNames& names)
    {
        try {
            for (std::size_t i = 0; i < piece.names.size(); i += 2) {
                piece.part.from.push_back(names.add(piece.names[i]));
                piece.part.to.push_back(names.add(piece.names[i + 1]));
            }
        } catch (const Error& error) {
            throw Error(lines.name() + ": " + error.what());
        }
    }

    void finish(EdgeTable& table, NodeNames names, bool takesNames)
    {
        const std::string file = printable(m_path.filename().string());
        if (m_format.numbersOfRows)
            m_graph.notes.push_back("Column " + std::to_string(*m_format.numbersOfRows + 1) + " of " + file +
                                    " has no name: it is taken for numbers of lines and left out.");
        if (table.count() == 0 && !m_format.numNodes)
            throw Error(file + " holds no edge: each line of an edge list has a source and a target.");
        if (takesNames) {
            m_graph.arrays["num_nodes"] = oneNumber(names.size());
            m_graph.names = std::make_shared<const NodeNames>(std::move(names));
        } else {
            table.numberNodes(m_graph, m_format.numNodes);
        }
        table.moveTo(m_graph, m_format.values);
    }

    std::filesystem::path m_path;
    const Progress& m_progress;
    EdgeListFormat m_format;
    bool m_headerIsLeft = false;
    GraphArrays m_graph;
};

}  // namespace

GraphArrays readEdgeList(const std::filesystem::path& path, const Progress& progress)
{
    return EdgeListReader(path, progress).read();
}

}  // namespace cleave
