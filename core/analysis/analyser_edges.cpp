#include "core/analysis/analyser.h"

#include <algorithm>

#include "core/analysis/edge_messages.h"
#include "core/analysis/op_view.h"
#include "core/analysis/shape_text.h"
#include "core/analysis/views.h"

/// Gathers, reductions by target, and what lies between them.
namespace cleave {

bool Analyser::classifyGather(OpId id)
{
    const auto form = gatherForm(m_p, id);
    if (!form || !isFeature(form->source) || facts(form->source).rowDim != form->sourceDim)
        return false;
    // Several entries for a row, which edges name one by one: nodes of graphs side by side.
    if (!isPlain(form->source))
        return !isFeature(form->index) && facts(form->source).rows == Rows::Nodes && m_p[form->index].dtype != DType::Bool &&
               !m_p[form->index].sizes.empty() && !m_p[form->index].sizes[static_cast<std::size_t>(form->indexRowDim)].isConstant() &&
               countAsNodes(m_p[form->source].sizes[static_cast<std::size_t>(form->sourceDim)]);
    if (isFeature(form->index))
        refuse(id, "reads rows at an index that depends on node features: which rows a block needs is not known beforehand.");
    const Value& index = m_p[form->index];
    if (index.dtype == DType::Bool)
        refuse(id, "selects rows by a mask of several dimensions, which is not supported.");
    if (index.sizes.empty() || index.sizes[static_cast<std::size_t>(form->indexRowDim)].isConstant())
        return false;  // a fixed choice of rows
    // Tables of edge rows.
    if (facts(form->source).rows == Rows::Edges && m_p[viewRoot(m_p, form->index)].sizes.size() != 1 &&
        countAsNodes(m_p[form->source].sizes[static_cast<std::size_t>(form->sourceDim)]))
        return true;
    const ValueId read = m_p[id].outputs.front();
    const int type = m_messages.contains(read) ? -1 : m_a.typeCountedBy(index.sizes[static_cast<std::size_t>(form->indexRowDim)].symbol);
    OpFacts& f = m_a.ops[id];
    f.kind = OpKind::Gather;
    f.index = viewRoot(m_p, form->index);
    f.expands = true;
    const int sourceLevel = facts(form->source).rows == Rows::Nodes ? facts(form->source).level + 1 : levelIn(form->source, {}, false);
    setOutput(read, type >= 0 ? Rows::Nodes : Rows::Edges, type, form->rowDim, sourceLevel);
    return true;
}

void Analyser::findMessages()
{
    std::set<std::string> types;
    for (const NodeType& type : m_a.nodeTypes)
        types.insert(type.symbol);
    IdMap<ValueId, Reach> reach;
    reach.resize(m_p.values.size());
    for (std::size_t v = 0; v < m_p.values.size(); ++v)
        reach[ValueId{static_cast<int>(v)}] = facts(ValueId{static_cast<int>(v)}).reach;
    for (const std::string& symbol : m_others.stored)
        if (!m_others.inAll.contains(symbol)) {
            const EdgeMessages messages(m_p, reach, types, symbol);
            m_messages.insert(messages.all().begin(), messages.all().end());
        }
}

// Whether an op runs once, over all rows that it reads.
bool Analyser::needsAll(OpId id) const
{
    const bool isAtOnce = std::ranges::any_of(m_p[id].outputs, [&](ValueId output) {
        return std::ranges::any_of(m_p[output].sizes, [&](const Dim& size) { return m_others.atOnce.contains(size.symbol); });
    });
    return isAtOnce || choosesOfAll(id) || writesIntoAll(id);
}

// Rows of nodes that features choose: the best k of all, all in another order, those at a mask.
bool Analyser::choosesOfAll(OpId id) const
{
    const auto form = gatherForm(m_p, id);
    if (!form || !isFeature(form->index) || m_p[form->index].dtype == DType::Bool || !isFeature(form->source) ||
        facts(form->source).rowDim != form->sourceDim || !isPlain(form->source))
        return false;
    const ValueFacts& index = facts(form->index);
    const auto isKnown = [&](const Dim& size) { return index.rows == Rows::Graph || size.isConstant() || isNodes(size); };
    return facts(form->source).rows == Rows::Nodes && index.rows != Rows::Edges && std::ranges::all_of(m_p[form->index].sizes, isKnown);
}

// Rows that are written where features say (clusters that a model finds itself), and rows that are there only all at once.
bool Analyser::writesIntoAll(OpId id) const
{
    const auto form = scatterForm(m_p, id);
    if (!form || !allOperands(id, [&](ValueId operand) { return facts(operand).rows != Rows::Edges; }))
        return false;
    const bool isOfGraph = form->source.valid() && form->sourceHasRows && isFeature(form->source) && facts(form->source).rows == Rows::Graph;
    // Within each row (the weights of the experts that a router chose), its own entries say where.
    const bool isWithinRows = isFeature(form->index) && facts(form->index).rows == Rows::Nodes && facts(form->index).rowDim != form->indexRowDim;
    return (isFeature(form->index) && !isWithinRows) || isOfGraph;
}

bool Analyser::classifyScatter(OpId id)
{
    const auto form = scatterForm(m_p, id);
    if (!form)
        return false;
    const bool sourceRows = form->source.valid() && m_p[form->source].kind == ValueKind::Tensor && isFeature(form->source) && form->sourceHasRows &&
                            facts(form->source).rowDim == sourceRowDim(*form);
    const bool selfRows = isFeature(form->self) && facts(form->self).rowDim == form->rowDim;
    if ((!sourceRows && !selfRows) || (sourceRows && !isPlain(form->source)) || (selfRows && !isPlain(form->self)))
        return false;
    const ValueId output = m_p[id].outputs.front();
    if (isFeature(form->index))
        refuse(id, "writes rows at an index that depends on node features: which rows a block needs is not known beforehand.");
    if (isFeature(form->self) && !selfRows)
        refuse(id, "adds rows to a tensor whose rows lie along another dimension.");
    if (static_cast<std::size_t>(form->rowDim) >= m_p[output].sizes.size())
        refuse(id, "gives a tensor of shape " + sizesText(m_a, m_p[output].sizes) + ", which has no dimension for its rows.");
    const Dim& rows = m_p[output].sizes[static_cast<std::size_t>(form->rowDim)];
    const int type = m_a.typeCountedBy(rows.symbol);
    if (type < 0 && sourceRows && facts(form->source).rows == Rows::Edges) {
        const Dim& reduced = m_p[form->source].sizes[static_cast<std::size_t>(facts(form->source).rowDim)];
        if (countAsNodes(rows) || countAsNodes(reduced) || takeAtOnce(reduced))
            return true;
        refuse(id, "reduces edges into " + sizeText(m_a, rows) +
                       " rows that are not the graph's nodes: that works where the inputs tell how many there are.");
    }
    if (type < 0)
        return false;  // pooling
    const ValueId segment = viewRoot(m_p, form->index);
    if (nonUnitDims(m_p[segment]) != 1 || onlyNonUnitDim(m_p[segment])->isConstant())
        refuse(id, "has an index of shape " + sizesText(m_a, m_p[segment].sizes) + ", not one target for each row.");
    OpFacts& f = m_a.ops[id];
    f.kind = OpKind::Scatter;
    f.index = segment;
    int level = selfRows ? facts(form->self).level : 0;
    if (sourceRows) {
        m_visited.clear();
        m_segmentType = type;
        level = std::max(level, levelIn(form->source, segment, true));
        for (const auto& [key, unused] : m_visited) {
            const auto& [value, at, inOrder] = key;
            feed(value, level, type);
            m_computedFor[value].insert({level, type, at, inOrder});
        }
        m_reduced.insert(form->source);
    }
    setOutput(output, Rows::Nodes, type, form->rowDim, level);
    return true;
}

int Analyser::sourceRowDim(const ScatterForm& form) const
{
    const int selfRank = static_cast<int>(m_p[form.self].sizes.size());
    const int rank = static_cast<int>(m_p[form.source].sizes.size());
    return form.rowDim - (selfRank - rank);
}

// Edge ops are shown at the first message passing that they feed.
void Analyser::feed(ValueId edgeValue, int level, int type)
{
    ValueFacts& f = m_a.values[edgeValue];
    if (f.rows != Rows::Edges)
        return;
    std::pair<int, int>& first = m_fed.try_emplace(edgeValue, level, type).first->second;
    first = std::min(first, {level, type});
    f.level = first.first;
}

// Message degree of a value that is read by edges which are reduced at `segment`; renumbered edges are in another order than it.
int Analyser::levelIn(ValueId value, ValueId segment, bool inOrder)
{
    const ValueFacts& f = facts(value);
    if (!isFeature(value))
        return 0;
    if (f.rows == Rows::Nodes)
        return f.level + 1;
    if (f.rows == Rows::Graph)
        return f.level;
    const auto key = std::tuple(value, segment, inOrder);
    if (const auto known = m_visited.find(key); known != m_visited.end())
        return known->second;
    const OpId id = m_p[value].producer;
    int level = 0;
    if (m_a.ops[id].kind == OpKind::Gather) {
        const auto form = gatherForm(m_p, id);
        const bool atTarget = inOrder && segment.valid() && m_a.ops[id].index == segment &&
                              (facts(form->source).rows != Rows::Nodes || facts(form->source).nodeType == m_segmentType);
        if (atTarget)
            m_a.ops[id].expands = false;
        if (facts(form->source).rows == Rows::Nodes)
            level = facts(form->source).level + !atTarget;
        else
            level = levelIn(form->source, segment, false);
    } else {
        const bool kept = inOrder && m_a.ops[id].kind != OpKind::Concat;
        forEachOperand(m_p[id], [&](ValueId operand) { level = std::max(level, levelIn(operand, segment, kept)); });
    }
    m_visited[key] = level;
    return level;
}

std::string Analyser::edgesToStore() const
{
    // What arithmetic takes as long as storing a byte and reading it again: some 100 GFLOP/s beside 10 GB/s.
    constexpr double workOfByte = 10;
    const auto entries = [&](ValueId value, int rowDim) {
        double count = 1;
        for (std::size_t d = 0; d < m_p[value].sizes.size(); ++d)
            if (static_cast<int>(d) != rowDim && m_p[value].sizes[d].isConstant())
                count *= static_cast<double>(m_p[value].sizes[d].value);
        return count;
    };
    std::map<std::string, double> saved;  // for each edge, by what counts them
    for (const auto& [value, ways] : m_computedFor) {
        const ValueFacts& f = facts(value);
        if (f.rows != Rows::Edges || !isPlain(value) || f.rowDim < 0 || f.rowDim >= static_cast<int>(m_p[value].sizes.size()))
            continue;
        const std::string& symbol = m_p[value].sizes[static_cast<std::size_t>(f.rowDim)].symbol;
        const double row = entries(value, f.rowDim);
        double work = m_a.ops[m_p[value].producer].kind == OpKind::Gather ? workOfByte * row * static_cast<double>(itemSize(m_p[value].dtype)) : row;
        if (m_a.ops[m_p[value].producer].kind == OpKind::RowWise)
            forEachOperand(m_p[m_p[value].producer], [&](ValueId operand) {
                if (facts(operand).reach == Reach::Constant && nonUnitDims(m_p[operand]) > 1)
                    work += 2 * entries(operand, -1);
            });
        saved[symbol] += work * static_cast<double>(ways.size() - 1);
        if (m_reduced.contains(value))
            saved[symbol] -= 4 * workOfByte * row * static_cast<double>(itemSize(m_p[value].dtype));
    }
    std::erase_if(saved, [&](const auto& entry) { return entry.second <= 0 || isNodes(Dim{0, entry.first}) || !isOfInputs(entry.first); });
    // Put after others, stored rows would have to be stored once more.
    for (std::size_t i = 0; i < m_p.ops.size(); ++i)
        if (m_a.ops[OpId{static_cast<int>(i)}].kind == OpKind::Concat)
            forEachOperand(m_p.ops[i], [&](ValueId part) {
                if (facts(part).rows == Rows::Edges && facts(part).rowDim >= 0)
                    saved.erase(m_p[part].sizes[static_cast<std::size_t>(facts(part).rowDim)].symbol);
            });
    const auto most = std::ranges::max_element(saved, {}, [](const auto& entry) { return entry.second; });
    return most == saved.end() ? std::string() : most->first;
}

// Rows of several tensors after each other, such as messages in both directions, or messages and the nodes' own rows.
bool Analyser::classifyConcat(OpId id)
{
    const Op& op = m_p[id];
    const OpView view(m_p, op);
    if (op.target != "aten::cat" && op.target != "aten::concat")
        return false;
    const int rank = view.outputRank();
    const auto dim = view.given("dim") ? view.dim("dim", rank) : 0;
    if (!dim)
        return false;
    const std::vector<ValueId> parts = view.values("tensors");
    const bool fits = std::ranges::all_of(parts, [&](ValueId part) {
        return part.valid() && static_cast<int>(m_p[part].sizes.size()) == rank &&
               (!isFeature(part) || (facts(part).rowDim == *dim && isPlain(part)));
    });
    std::size_t operands = 0;
    forEachOperand(op, [&](ValueId) { ++operands; });
    if (!fits || parts.empty() || operands != parts.size() || areNodesOfSeveralTypes(parts) ||
        isNodes(m_p[op.outputs.front()].sizes[static_cast<std::size_t>(*dim)]))
        return false;
    OpFacts& f = m_a.ops[id];
    f.kind = OpKind::Concat;
    f.operandRowDims.assign(parts.size(), *dim);
    int level = 0;
    for (const ValueId part : parts)
        level = std::max(level, levelIn(part, {}, false));
    setOutput(op.outputs.front(), Rows::Edges, -1, *dim, level);
    return true;
}

bool Analyser::areNodesOfSeveralTypes(const std::vector<ValueId>& parts) const
{
    return std::ranges::all_of(parts, [&](ValueId part) { return part.valid() && facts(part).rows == Rows::Nodes && isPlain(part); }) &&
           std::ranges::any_of(parts, [&](ValueId part) { return facts(part).nodeType != facts(parts.front()).nodeType; });
}

}  // namespace cleave
