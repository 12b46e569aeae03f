#pragma once

#include <set>
#include <string>

#include "core/analysis/passes.h"
#include "core/model/program.h"

/// Private to core/analysis.
namespace cleave {

/// Where edges are counted as nodes are, since an op needs all of some of their rows, the messages of layers that reduce edges need not be stored as
/// well: rows of that number that come to nothing but reductions into nodes, made of what is read from nodes by row-wise ops.
class EdgeMessages {
public:
    /// symbol: counts the edges. types: symbols of all that count as nodes, the edges among them. The program is in functional form.
    EdgeMessages(const Program& program, const IdMap<ValueId, Reach>& reach, const std::set<std::string>& types, const std::string& symbol);

    const std::set<ValueId>& all() const { return m_messages; }
    bool areStored(ValueId value) const { return m_stored.contains(value); }  ///< rows of that number that are no messages
    bool isReducedIntoNodes(OpId id, ValueId operand) const;                  ///< of other rows than these

private:
    bool has(ValueId value) const;
    bool isRowWise(OpId id, ValueId made) const;
    void findStored(OpId id);
    void addSources();

    const Program& m_p;
    const IdMap<ValueId, Reach>& m_reach;
    const std::set<std::string>& m_types;
    const std::string& m_symbol;
    std::set<ValueId> m_stored, m_messages;
};

/// Messages read what is stored as layers read rows of nodes: at an index, each edge its own row; and rows of nodes once more, rather than what is
/// stored of them for others.
void readStoredRows(Program& program, const std::set<std::string>& types, const std::string& symbol);

}  // namespace cleave
