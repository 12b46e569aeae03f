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
        const double targets = total(f.total);
        FunctionRows rows;
        // Batches go through the type that has most targets, and have equal shares of the others.
        double most = targets;
        for (int type = 0; type < m_a.types() && f.isOfLevel(); ++type)
            if (f.targetsOf(type) >= 0)
                most = std::max(most, nodesOf(static_cast<std::size_t>(type)));
        rows.batches = f.isGlobal ? 1 : std::max(1.0, std::ceil(most / m_batch));
        const auto share = [&](double count) {
            return f.isGlobal ? count : count == most ? std::min(count, m_batch) : std::ceil(count / rows.batches);
        };
        const double inBatch = share(targets);
        int farthest = 0;
        for (const Frame& frame : f.frames)
            farthest = std::max(farthest, frame.hops);
        rows.frames.resize(f.frames.size());
        // Of each type, the nodes of a batch, and how many of those there are in the mean at first: a slice of the targets.
        const auto types = static_cast<std::size_t>(m_a.types());
        std::vector<double> within(types), sliced(types);
        for (std::size_t type = 0; type < types; ++type) {
            const bool isOwn = static_cast<int>(type) == f.nodeType, isWhole = rows.batches <= 1 && f.numbers(static_cast<int>(type));
            if (f.rowsOf.valid() || (!isOwn && !isWhole && f.targetsOf(static_cast<int>(type)) < 0))
                continue;
            within[type] = isOwn ? inBatch : share(nodesOf(type));
            sliced[type] = (isOwn ? targets : nodesOf(type)) / rows.batches;
        }
        rows.reach.resize(types);
        for (int hops = 0; hops <= farthest + 1; ++hops) {
            for (std::size_t type = 0; type < types; ++type)
                if (f.numbers(static_cast<int>(type)))
                    rows.reach[type].push_back(count(rows, hops > 0 ? within[type] : sliced[type], within[type]));
            std::vector<double> read(types);
            for (std::size_t i = 0; i < f.frames.size(); ++i) {
                const Frame& frame = f.frames[i];
                if (frame.hops != hops)
                    continue;
                const auto parent = static_cast<std::size_t>(std::max(frame.parent, 0)), type = static_cast<std::size_t>(frame.nodeType);
                RowCount& own = rows.frames[i];
                if (i == 0)
                    own = {targets, {inBatch, rows.batches > 1 ? inBatch : 0}};
                else if (frame.kind == FrameKind::Targets)
                    own = rows.reach[type].front();
                else if (frame.kind == FrameKind::Block)
                    own = rows.reach[type].back();
                else if (frame.kind == FrameKind::Edges)
                    own =
                        scaled(rows.frames[parent], size(frame.index) / std::max(nodesOf(static_cast<std::size_t>(f.frames[parent].nodeType)), 1.0));
                else if (frame.kind == FrameKind::Part)
                    own = scaled(rows.frames[parent], std::min(1.0, total(frame.own) / std::max(total(frame.own) + total(frame.before), 1.0)));
                else
                    own = rows.frames[parent];
            }
            std::set<std::pair<int, int>> reading;
            for (const StepOperand& neighbour : f.neighbours)
                if (f.numbers(neighbour.ofType) && f.frames[static_cast<std::size_t>(neighbour.frame)].hops == hops &&
                    reading.insert({neighbour.frame, neighbour.ofType}).second)
                    read[static_cast<std::size_t>(neighbour.ofType)] += rows.frames[static_cast<std::size_t>(neighbour.frame)].atOnce.first;
            // Nodes that so many random reads find beside those that are there.
            for (std::size_t type = 0; type < types; ++type)
                within[type] += std::max(0.0, nodesOf(type) - within[type]) * (1 - std::pow(1 - 1 / std::max(nodesOf(type), 2.0), read[type]));
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

    double nodesOf(std::size_t type) const { return size(m_a.nodeTypes[type].symbol); }

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
    static RowCount scaled(const RowCount& rows, double factor) { return {rows.total * factor, factor * rows.atOnce}; }
    static RowCount count(const FunctionRows& rows, double mean, double most) { return {mean * rows.batches, {most, rows.batches > 1 ? most : 0}}; }

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

namespace {

template <class Count>
double sumOf(const std::vector<std::vector<RowCount>>& reach, Count&& count)
{
    double sum = 0;
    for (const std::vector<RowCount>& ofType : reach)
        sum += ofType.empty() ? 0 : count(ofType);
    return sum;
}

}  // namespace

double FunctionRows::targets() const
{
    return sumOf(reach, [](const auto& ofType) { return ofType.front().total; });
}

double FunctionRows::within() const
{
    return sumOf(reach, [](const auto& ofType) { return ofType.back().total; });
}

AtOnce FunctionRows::withinAtOnce() const
{
    return {sumOf(reach, [](const auto& ofType) { return ofType.back().atOnce.first; }),
            sumOf(reach, [](const auto& ofType) { return ofType.back().atOnce.later; })};
}

double GraphCounts::inflation() const
{
    double all = 0, targets = 0;
    for (const FunctionRows& f : functions)
        if (f.frames.size() > 1 && f.targets() > 0) {
            all += f.within();
            targets += f.targets();
        }
    return targets > 0 ? all / targets : 1;
}

double openSizes(const Analysis& analysis, ValueId id, const GraphCounts& counts)
{
    const auto knownSize = [&](const std::string& symbol) {
        const int type = analysis.typeCountedBy(symbol);
        const auto known = counts.sizes.find(symbol);
        return type >= 0 ? counts.nodesOf(type) : known != counts.sizes.end() ? static_cast<double>(known->second) : 0;
    };
    double product = 1;
    for (const Dim& dim : analysis.program[id].sizes)
        if (!dim.isConstant()) {
            const double whole = knownSize(dim.symbol);
            product *= whole > 0 ? whole : sizeValue(dim.symbol, knownSize);
        }
    return product;
}

double wholeBytes(const Analysis& analysis, ValueId id, const GraphCounts& counts)
{
    const Value& value = analysis.program[id];
    double bytes = value.kind == ValueKind::Tensor ? static_cast<double>(itemSize(value.dtype)) * openSizes(analysis, id, counts) : 0;
    for (const Dim& dim : value.sizes)
        bytes *= dim.isConstant() ? static_cast<double>(dim.value) : 1;
    return bytes;
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
    for (std::size_t type = 0; type < analysis.nodeTypes.size(); ++type)
        counts.nodes.push_back(std::llround(estimate.nodesOf(type)));
    counts.batchSize = batchSize;
    counts.estimated = true;
    counts.sizes = known;
    std::set<ValueId> segments;
    for (const CutFunction& f : cut.functions) {
        counts.functions.push_back(estimate.rows(f));
        for (const ValueId segment : f.segments())
            if (segments.insert(segment).second)
                counts.structure.index += 8 * (estimate.size(segment) + static_cast<double>(nodes) + 1);
    }
    for (const ValueId value : cut.prologue)
        counts.structure.read += estimate.bytes(value);
    return counts;
}

}  // namespace cleave
