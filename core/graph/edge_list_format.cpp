#include "core/graph/edge_list_format.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "core/base/error.h"
#include "core/graph/text_lines.h"

namespace cleave {

namespace {

constexpr std::array sourceWords{"source",     "src", "from",  "fromnodeid", "fromid", "sourceid",  "srcid",
                                 "sourcenode", "u",   "node1", "nodeid1",    "id1",    "numericid1"};
constexpr std::array targetWords{"target", "dst",   "to",      "tonodeid", "toid",       "targetid", "dstid",      "targetnode",
                                 "v",      "node2", "nodeid2", "id2",      "numericid2", "dest",     "destination"};
constexpr std::array weightWords{"weight", "w", "edgeweight", "weights"};
constexpr std::array typeWords{"type", "edgetype", "relation", "rel", "relationtype"};

// "From_Node ID" is fromnodeid.
std::string wordOf(std::string_view name)
{
    std::string word;
    for (const char c : name)
        if (std::isalnum(static_cast<unsigned char>(c)))
            word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return word;
}

template <std::size_t n>
bool isOneOf(const std::array<const char*, n>& words, std::string_view name)
{
    return std::ranges::find(words, wordOf(name)) != words.end();
}

bool isNumber(std::string_view field)
{
    float number = 0;
    return parseNumber(field, number);
}

bool isWhole(std::string_view field)
{
    std::int64_t number = 0;
    return parseNodeNumber(field, number);
}

char separatorOf(std::string_view line)
{
    bool isInQuotes = false;
    std::string outside;
    for (const char c : line) {
        isInQuotes = isInQuotes != (c == '"');
        if (!isInQuotes)
            outside += c;
    }
    // Commas may be those of fractions.
    Fields ofSemicolons(';');
    if (const auto& fields = ofSemicolons.split(trimmed(outside)); fields.size() > 1 && isWhole(fields[0]) && isWhole(fields[1]))
        return ';';
    for (const char separator : {'\t', ',', ';'})
        if (trimmed(outside).find(separator) != std::string_view::npos)
            return separator;
    return ' ';
}

std::optional<std::int64_t> statedNodes(std::string_view comment)
{
    constexpr std::string_view word = "Nodes:";
    const std::size_t at = comment.find(word);
    if (at == std::string_view::npos)
        return {};
    std::string_view rest = trimmed(comment.substr(at + word.size()));
    rest = rest.substr(0, rest.find_first_of(" \t,;"));
    std::int64_t nodes = 0;
    return parseNodeNumber(rest, nodes) ? std::optional(nodes) : std::nullopt;
}

using Names = std::vector<std::string>;

// The names say so, or stand over numbers.
bool isHeader(const Names& first, const Names& second)
{
    if (std::ranges::any_of(first, [](const std::string& name) { return isOneOf(sourceWords, name); }) &&
        std::ranges::any_of(first, [](const std::string& name) { return isOneOf(targetWords, name); }))
        return true;
    std::size_t ends = 0;
    for (std::size_t i = 0; i < std::min(first.size(), second.size()); ++i)
        if (!isNumber(first[i]) && isNumber(second[i])) {
            // Names of nodes may stand over numbers as well.
            if (i >= 2)
                return true;
            ++ends;
        }
    return ends == 2;
}

void takeHeader(EdgeListFormat& format, const Names& names)
{
    const auto source = std::ranges::find_if(names, [](const std::string& name) { return isOneOf(sourceWords, name); });
    const auto target = std::ranges::find_if(names, [](const std::string& name) { return isOneOf(targetWords, name); });
    if (source != names.end() && target != names.end()) {
        format.from = static_cast<std::size_t>(source - names.begin());
        format.to = static_cast<std::size_t>(target - names.begin());
    }
}

// Programs that write tables number their rows in a first column without a name.
bool numbersRows(const EdgeListFormat& format, const Names& header)
{
    return !header.empty() && format.from > 0 && format.to > 0 && (header[0].empty() || wordOf(header[0]) == "unnamed0");
}

void findColumns(EdgeListFormat& format, const Names& header)
{
    std::vector<EdgeColumn>& columns = format.values;
    const auto isNew = [&](EdgeColumn column) { return std::ranges::find(columns, column) == columns.end(); };
    if (numbersRows(format, header))
        format.numbersOfRows = 0;
    for (std::size_t i = 0; i < format.columns; ++i) {
        if (i == format.from || i == format.to || i == format.numbersOfRows)
            continue;
        format.valueColumns.push_back(i);
        const bool isNamed = i < header.size() && !wordOf(header[i]).empty();
        const bool isWeight = isNamed ? isOneOf(weightWords, header[i]) : format.columns == 3;
        if (isWeight && isNew(EdgeColumn::Weight))
            columns.push_back(EdgeColumn::Weight);
        else if (isNamed && isOneOf(typeWords, header[i]) && isNew(EdgeColumn::Type))
            columns.push_back(EdgeColumn::Type);
        else
            columns.push_back(EdgeColumn::Attribute);
    }
}

}  // namespace

const std::vector<std::string_view>& Fields::split(std::string_view line)
{
    m_fields.clear();
    if (!m_unquoted.empty())
        m_unquoted.clear();
    if (m_separator == ' ') {
        splitAtBlanks(line);
        return m_fields;
    }
    for (std::string_view rest = line;;) {
        const std::size_t quote = rest.find_first_not_of(" \r");
        if (quote != std::string_view::npos && rest[quote] == '"') {
            rest.remove_prefix(quote + 1);
            m_fields.push_back(takeQuoted(rest));
        } else {
            m_fields.push_back(trimmed(rest.substr(0, rest.find(m_separator))));
        }
        const std::size_t end = rest.find(m_separator);
        if (end == std::string_view::npos)
            break;
        rest.remove_prefix(end + 1);
    }
    // A separator at the end of each line, as some programs write it.
    if (m_fields.size() > 1 && m_fields.back().empty() && line.ends_with(m_separator))
        m_fields.pop_back();
    return m_fields;
}

void Fields::splitAtBlanks(std::string_view line)
{
    constexpr std::string_view blanks = " \t\r";
    for (std::size_t begin = 0; (begin = line.find_first_not_of(blanks, begin)) != std::string_view::npos;) {
        const std::size_t end = std::min(line.size(), line.find_first_of(blanks, begin));
        m_fields.push_back(line.substr(begin, end - begin));
        begin = end;
    }
}

std::string_view Fields::takeQuoted(std::string_view& rest)
{
    std::string text;
    for (bool isWhole = true;; isWhole = false) {
        const std::size_t end = rest.find('"');
        if (end == std::string_view::npos)
            throw Error("has a quote that does not close");
        const std::string_view part = rest.substr(0, end);
        const bool goesOn = rest.substr(end + 1).starts_with('"');
        rest.remove_prefix(end + (goesOn ? 2 : 1));
        if (isWhole && !goesOn)
            return part;
        text.append(part).append(goesOn ? "\"" : "");
        if (!goesOn)
            return m_unquoted.emplace_back(std::move(text));
    }
}

bool isComment(std::string_view line)
{
    const std::size_t first = line.find_first_not_of(" \t\r");
    return first == std::string_view::npos || line[first] == '#' || line[first] == '%';
}

EdgeListFormat findFormat(std::string_view text)
{
    EdgeListFormat format;
    std::vector<Names> lines;
    while (!text.empty() && lines.size() < 2) {
        const std::string_view line = takeLine(text);
        if (isComment(line)) {
            if (const auto nodes = statedNodes(line))
                format.numNodes = nodes;
            continue;
        }
        if (lines.empty())
            format.separator = separatorOf(line);
        Fields fields(format.separator);
        const auto& split = fields.split(line);
        lines.emplace_back(split.begin(), split.end());
    }
    if (lines.empty())
        return format;
    lines.resize(2);
    format.hasHeader = isHeader(lines[0], lines[1]);
    if (format.hasHeader)
        takeHeader(format, lines[0]);
    format.columns = lines[0].size();
    findColumns(format, format.hasHeader ? lines[0] : Names());
    return format;
}

}  // namespace cleave
