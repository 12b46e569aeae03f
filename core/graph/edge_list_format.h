#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/graph/edge_table.h"

namespace cleave {

/// The fields of one line. A comma, semicolon or tab separates two fields, blanks around fields do not count, and fields may stand in double quotes;
/// with ' ' any run of blanks and tabs separates.
class Fields {
public:
    explicit Fields(char separator) : m_separator(separator) {}

    /// Error for quotes that do not close.
    const std::vector<std::string_view>& split(std::string_view line);  ///< valid until the next call

private:
    void splitAtBlanks(std::string_view line);
    std::string_view takeQuoted(std::string_view& rest);

    char m_separator;
    std::vector<std::string_view> m_fields;
    std::deque<std::string> m_unquoted;  // fields in which a quote stands for itself
};

/// How an edge list is written, found out from its first lines.
struct EdgeListFormat {
    char separator = ' ';
    bool hasHeader = false;     ///< the first line that is no comment names the columns
    std::size_t columns = 0;    ///< of each line
    std::size_t from = 0, to = 1;  ///< which of them are the edge
    std::vector<EdgeColumn> values;            ///< what others are, in order
    std::vector<std::size_t> valueColumns;     ///< where these stand
    std::optional<std::size_t> numbersOfRows;  ///< a column that a header has no name for: rows are numbered there, as pandas does
    std::optional<std::int64_t> numNodes;  ///< if a comment states it, as in "# Nodes: 875713 Edges: 5105039"
};

/// text: whole lines from the beginning of the file; only the first two that are no comments count. columns is 0 if there is none.
EdgeListFormat findFormat(std::string_view text);

/// Empty, or after blanks one of # and %.
bool isComment(std::string_view line);

}  // namespace cleave
