#include "core/graph/matrix_market.h"

#include <algorithm>
#include <cctype>
#include <thread>

#include "core/base/error.h"
#include "core/base/format.h"
#include "core/base/parallel.h"
#include "core/graph/edge_list_format.h"
#include "core/graph/text_lines.h"

namespace cleave {

namespace {

struct MatrixHeader {
    bool hasValues = true;
    bool isSymmetric = false, isSkew = false;
    std::int64_t nodes = 0, entries = 0;
};

struct EntryPiece {
    std::string_view text;
    EdgePart part;
    const char* at = nullptr;  // where the line begins that is no entry
    std::string why;
};

std::string lower(std::string_view text)
{
    std::string result(text);
    std::ranges::transform(result, result.begin(), [](char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); });
    return result;
}

class MatrixReader {
public:
    MatrixReader(const std::filesystem::path& path, const Progress& progress) : m_lines(path), m_table(m_lines.name()), m_progress(progress) {}

    GraphArrays read()
    {
        while (m_lines.next()) {
            m_progress.update(m_lines.fraction(), "Reading edges");
            parse();
        }
        if (m_step != Step::Entries)
            throw Error(m_lines.name() + " ends within its head: a Matrix Market file begins with %%MatrixMarket and a line of three sizes.");
        if (m_table.count() != m_header.entries)
            throw Error(m_lines.name() + " is cut off: it has " + formatCount(m_table.count()) + " entries of the " + formatCount(m_header.entries) +
                        " that it states.");
        m_graph.arrays["num_nodes"] = oneNumber(m_header.nodes);
        m_table.moveTo(m_graph, m_header.hasValues ? std::vector{EdgeColumn::Weight} : std::vector<EdgeColumn>());
        if (m_header.isSymmetric || m_header.isSkew)
            mirror();
        return std::move(m_graph);
    }

private:
    enum class Step : std::uint8_t { Banner, Sizes, Entries };

    void parse()
    {
        const int threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
        std::vector<EntryPiece> pieces;
        for (const std::string_view text : m_lines.pieces(threads)) {
            pieces.emplace_back().text = text;
            takeHead(pieces.back().text);
        }
        parallelFor(std::ssize(pieces), threads, [&](std::int64_t i, int) { takeEntries(pieces[static_cast<std::size_t>(i)]); });
        for (EntryPiece& piece : pieces) {
            if (!piece.why.empty())
                m_lines.fail(m_lines.lineOf(piece.at), piece.why);
            m_table.add(std::move(piece.part));
            if (m_table.count() > m_header.entries)
                throw Error(m_lines.name() + " has more entries than the " + formatCount(m_header.entries) + " that it states.");
        }
    }

    void takeHead(std::string_view& text)
    {
        while (m_step != Step::Entries && !text.empty()) {
            const char* at = text.data();
            const std::string_view line = takeLine(text);
            try {
                if (m_step == Step::Banner)
                    takeBanner(line);
                else if (!isComment(line))
                    takeSizes(line);
            } catch (const Error& error) {
                m_lines.fail(m_lines.lineOf(at), error.what());
            }
        }
    }

    void takeBanner(std::string_view line)
    {
        Fields fields(' ');
        std::vector<std::string> words;
        for (const std::string_view word : fields.split(line))
            words.push_back(lower(word));
        if (words.size() != 5 || words[0] != "%%matrixmarket" || words[1] != "matrix")
            throw Error("is no head of a Matrix Market file: write '%%MatrixMarket matrix coordinate real general', say");
        if (words[2] != "coordinate")
            throw Error("says that the matrix is dense (" + printable(words[2], 20) + "): a graph is a matrix of coordinates");
        const bool isPattern = words[3] == "pattern";
        if (!isPattern && words[3] != "real" && words[3] != "integer" && words[3] != "double")
            throw Error("says that entries are " + printable(words[3], 20) + ": weights of edges are real, integer, or none (pattern)");
        m_header.hasValues = !isPattern;
        m_header.isSymmetric = words[4] == "symmetric";
        m_header.isSkew = words[4] == "skew-symmetric";
        if (!m_header.isSymmetric && !m_header.isSkew && words[4] != "general")
            throw Error("says that the matrix is " + printable(words[4], 20) + ": a graph is general, symmetric or skew-symmetric");
        m_step = Step::Sizes;
    }

    void takeSizes(std::string_view line)
    {
        Fields fields(' ');
        const auto& sizes = fields.split(line);
        std::int64_t columns = 0;
        if (sizes.size() != 3 || !parseNodeNumber(sizes[0], m_header.nodes) || !parseNodeNumber(sizes[1], columns) ||
            !parseNodeNumber(sizes[2], m_header.entries))
            throw Error("must hold three sizes: rows, columns, entries");
        if (m_header.nodes != columns)
            throw Error("says that the matrix has " + formatCount(m_header.nodes) + " rows and " + formatCount(columns) +
                        " columns: a graph is a square matrix");
        if (const std::string why = whyTooManyNodes(m_header.nodes); !why.empty())
            throw Error(why);
        m_step = Step::Entries;
    }

    void takeEntries(EntryPiece& piece) const
    {
        Fields fields(' ');
        for (std::string_view rest = piece.text; !rest.empty();) {
            piece.at = rest.data();
            const std::string_view line = takeLine(rest);
            if (isComment(line))
                continue;
            piece.why = takeEntry(fields.split(line), piece.part);
            if (!piece.why.empty())
                return;
        }
    }

    // Why it is none; empty if it is one.
    std::string takeEntry(const std::vector<std::string_view>& fields, EdgePart& part) const
    {
        std::int64_t row = 0, column = 0;
        float value = 0;
        if (fields.size() != (m_header.hasValues ? 3U : 2U))
            return std::string("must hold a row, a column") + (m_header.hasValues ? " and a number" : " and nothing else");
        if (!parseNodeNumber(fields[0], row) || !parseNodeNumber(fields[1], column) || row < 1 || column < 1 || row > m_header.nodes ||
            column > m_header.nodes)
            return "names entry (" + printable(fields[0], 20) + ", " + printable(fields[1], 20) + "), but rows and columns are numbered from 1 to " +
                   formatCount(m_header.nodes);
        if (m_header.isSkew && row == column)
            return "names an entry of the diagonal, where a skew-symmetric matrix has none";
        if (m_header.hasValues && !parseNumber(fields[2], value))
            return "has '" + printable(fields[2], 40) + "' where a number should be";
        part.from.push_back(row - 1);
        part.to.push_back(column - 1);
        if (m_header.hasValues)
            part.values.push_back(value);
        return {};
    }

    void mirror()
    {
        const Array stored = m_graph.arrays.at("edge_index");
        const std::int64_t entries = stored.shape[1];
        std::vector<std::int64_t> others;
        for (std::int64_t e = 0; e < entries; ++e)
            if (stored.as<std::int64_t>()[e] != stored.as<std::int64_t>()[entries + e])
                others.push_back(e);
        appendReversed(m_graph.arrays, others);
        if (!m_header.isSkew || !m_header.hasValues)
            return;
        Array& weights = m_graph.arrays.at("edge_weight");
        NewArray signedWeights = makeArray(DType::Float32, weights.shape);
        for (std::int64_t e = 0; e < weights.count(); ++e)
            reinterpret_cast<float*>(signedWeights.data)[e] = e < entries ? weights.as<float>()[e] : -weights.as<float>()[e];
        weights = signedWeights.array;
    }

    TextLines m_lines;
    EdgeTable m_table;
    const Progress& m_progress;
    Step m_step = Step::Banner;
    MatrixHeader m_header;
    GraphArrays m_graph;
};

}  // namespace

GraphArrays readMatrixMarket(const std::filesystem::path& path, const Progress& progress)
{
    return MatrixReader(path, progress).read();
}

}  // namespace cleave
