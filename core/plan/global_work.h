#pragma once

#include <map>

#include "core/plan/counts.h"
#include "core/plan/work.h"

namespace cleave {

/// What the global ops of one function compute and hold on a graph, in rows and bytes.
class GlobalWork {
public:
    /// rows: of the function, for values that have neither rows of nodes nor the sizes of the graph. All must live as long as this.
    GlobalWork(const Analysis& analysis, const GraphCounts& counts, const CutFunction& function, double rows);

    double rowsOf(ValueId value) const;      ///< of what a global op makes or reads
    RowCount rowsComputedBy(OpId op) const;  ///< times which its fixed sizes are worked through: rows of nodes, or open sizes of what is there once
    double savedBytes() const;               ///< of results that later functions read
    std::map<ValueId, ValueId> viewsOfStored() const;  ///< results that later functions read, and rows of earlier functions that they are views of
    double mostAtOnce() const;                         ///< bytes of the other results, each until it or a view of it is read last, and of scratch

private:
    std::map<ValueId, ValueId> views() const;
    double bytesOf(ValueId made, int rowDim) const;
    double scratchOf(const Step& step) const;
    bool isSaved(ValueId value) const;

    const Analysis& m_a;
    const Program& m_p;
    const GraphCounts& m_counts;
    const CutFunction& m_f;
    double m_rows;
};

}  // namespace cleave
