#pragma once

#include <map>
#include <vector>

#include "core/graph/marks.h"
#include "core/run/batch.h"

/// Private to core/run.
namespace cleave {

/// Which rows of tensors are needed, found from the last function to the first: what later ones read of a function's save points is what it must
/// compute.
class NeededRows {
public:
    NeededRows(const Analysis& analysis, const OrderedGraph& graph, const BatchMaker& batches) : m_a(analysis), m_graph(graph), m_batches(batches) {}

    void add(ValueId value, std::int64_t row);
    void addAll(ValueId value);

    /// Nodes of a type whose rows are needed of what a function saves.
    Marks nodesFor(const CutFunction& function, int type) const;

    /// What a function reads that computes these nodes of each type; empty: none of the type. They are what computeOnly was given. Edges
    /// are grouped if batches follow them.
    void addReads(const CutFunction& function, const std::vector<Marks>& computed, Numberings& numbers, const Progress& progress);

private:
    Marks& of(ValueId value);
    void add(ValueId value, const at::Tensor& rows);
    template <class Mark>
    void forEachRead(const CutFunction& function, Mark mark) const;
    void addEnds(const CutFunction& function, ValueId value, const StepOperand& read, bool isIndex, const std::vector<Marks>& computed);

    const Analysis& m_a;
    const OrderedGraph& m_graph;
    const BatchMaker& m_batches;
    std::map<ValueId, Marks> m_rows;
};

}  // namespace cleave
