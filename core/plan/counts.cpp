#include "core/plan/counts.h"

#include <algorithm>
#include <cmath>

#include "core/analysis/dims.h"
#include "core/analysis/shape_text.h"

namespace cleave {

namespace {

class Estimate {
public:
    Estimate(const Analysis& analysis, std::int64_t nodes, std::int64_t edges, std::int64_t batchSize, const KnownSizes& known)
        : m_a(analysis),
          m_known(known),
          m_nodes(static_cast<double>(nodes)),
          m_edges(static_cast<double>(edges)),
          m_batch(static_cast<double>(std::max<std::int64_t>(batchSize, 1)))
    {
    }

    FunctionRows rows(const CutFunction& f) const
    {
        const double targets = total(f.total), nodes = size(m_a.nodeTypes[static_cast<std::size_t>(f.nodeType)].symbol);
        FunctionRows rows;
        double inBatch = f.isGlobal ? targets : std::min(targets, m_batch);
        rows.batches = f.isGlobal ? 1 : std::max(1.0, std::ceil(targets / m_batch));
        int farthest = 0;
        for (const Frame& frame : f.frames)
            farthest = std::max(farthest, frame.hops);
        rows.frames.resize(f.frames.size());
        double within = f.rowsOf.valid() ? 0 : inBatch;
        for (int hops = 0; hops <= farthest + 1; ++hops) {
            rows.reach.push_back(count(rows, f.rowsOf.valid() || hops > 0 ? within : targets / rows.batches, within));
            double read = 0;
            for (std::size_t i = 0; i < f.frames.size(); ++i) {
                const Frame& frame = f.frames[i];
                if (frame.hops != hops)
                    continue;
                const auto parent = static_cast<std::size_t>(std::max(frame.parent, 0));
                RowCount& own = rows.frames[i];
                if (frame.kind == FrameKind::Targets)
                    own = {targets, inBatch};
                else if (frame.kind == FrameKind::Block)
                    own = rows.reach.back();
                else if (frame.kind == FrameKind::Edges)
                    own = scaled(rows.frames[parent], size(frame.index) / std::max(nodes, 1.0));
                else if (frame.kind == FrameKind::Part)
                    own = scaled(rows.frames[parent], std::min(1.0, total(frame.own) / std::max(total(frame.own) + total(frame.before), 1.0)));
                else
                    own = rows.frames[parent];
            }
            std::set<int> reading;
            for (const StepOperand& neighbour : f.neighbours)
                if (neighbour.ofType == f.nodeType && f.frames[static_cast<std::size_t>(neighbour.frame)].hops == hops &&
                    reading.insert(neighbour.frame).second)
                    read += rows.frames[static_cast<std::size_t>(neighbour.frame)].most;
            // Nodes that so many random reads find beside those that are there.
            within += std::max(0.0, nodes - within) * (1 - std::pow(1 - 1 / std::max(nodes, 2.0), read));
        }
        return rows;
    }

    double total(const std::vector<RowTotal>& terms) const
    {
        double sum = 0;
        for (const RowTotal& term : terms)
            sum += term.value.valid() ? size(m_a.program[term.value].sizes[static_cast<std::size_t>(term.dim)])
                                      : size(m_a.nodeTypes[static_cast<std::size_t>(term.nodeType)].symbol);
        return sum;
    }

    std::int64_t nodesOf(const NodeType& type) const { return std::llround(size(type.symbol)); }

    // Rows of a structure value: its one dimension that the graph decides.
    double size(ValueId value) const
    {
        for (const Dim& dim : m_a.program[value].sizes)
            if (!dim.isConstant())
                return size(dim);
        return m_edges;
    }

    double bytes(ValueId id) const
    {
        const Value& value = m_a.program[id];
        double count = value.kind == ValueKind::Tensor ? static_cast<double>(itemSize(value.dtype)) : 0;
        for (const Dim& dim : value.sizes)
            count *= size(dim);
        return count;
    }

private:
    static RowCount scaled(const RowCount& rows, double factor) { return {rows.total * factor, rows.most * factor}; }
    static RowCount count(const FunctionRows& rows, double mean, double most) { return {mean * rows.batches, most}; }

    double size(const Dim& dim) const { return dim.isConstant() ? static_cast<double>(dim.value) : size(dim.symbol); }

    double size(const std::string& text) const
    {
        return sizeValue(text, [&](const std::string& symbol) {
            const auto known = m_known.find(symbol);
            const int type = m_a.typeCountedBy(symbol);
            return known != m_known.end() ? static_cast<double>(known->second) : type >= 0 && !countsEdges(m_a, type) ? m_nodes : m_edges;
        });
    }

    const Analysis& m_a;
    const KnownSizes& m_known;
    double m_nodes, m_edges, m_batch;
};

}  // namespace

double GraphCounts::inflation() const
{
    double all = 0, targets = 0;
    for (const FunctionRows& f : functions)
        if (f.frames.size() > 1 && f.reach.front().total > 0) {
            all += f.reach.back().total;
            targets += f.reach.front().total;
        }
    return targets > 0 ? all / targets : 1;
}

int batchesAtOnce(double batches, int threads)
{
    return batches > 2 * threads ? threads : 1;
}

GraphCounts estimateCounts(const Analysis& analysis, const CutProgram& cut, std::int64_t nodes, std::int64_t edges, std::int64_t batchSize,
                           const KnownSizes& known)
{
    const Estimate estimate(analysis, nodes, edges, batchSize, known);
    GraphCounts counts;
    for (const NodeType& type : analysis.nodeTypes)
        counts.nodes.push_back(estimate.nodesOf(type));
    counts.batchSize = batchSize;
    counts.estimated = true;
    std::set<ValueId> segments;
    for (const CutFunction& f : cut.functions) {
        counts.functions.push_back(estimate.rows(f));
        for (const ValueId segment : f.segments())
            if (segments.insert(segment).second)
                counts.indexBytes += 8 * (estimate.size(segment) + static_cast<double>(nodes) + 1);
    }
    for (const ValueId value : cut.prologue)
        counts.structureBytes += estimate.bytes(value);
    return counts;
}

}  // namespace cleave
