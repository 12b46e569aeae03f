#include "core/analysis/analyser.h"

#include <algorithm>

#include "core/analysis/dims.h"
#include "core/analysis/op_view.h"
#include "core/analysis/shape_text.h"
#include "core/base/format.h"

/// Ops that need all nodes at once.
namespace cleave {

// An op that needs all nodes at once: it runs when all of its operands are there, and what reads its results comes in a later function.
bool Analyser::classifyGlobal(OpId id)
{
    const Op& op = m_p[id];
    if (!allOperands(id, [&](ValueId operand) { return facts(operand).rows != Rows::Edges; }))
        return false;
    addUnion(id);
    std::vector<int> rowDims(op.outputs.size(), -1), types(op.outputs.size(), -1);
    for (std::size_t i = 0; i < op.outputs.size(); ++i) {
        const Value& value = m_p[op.outputs[i]];
        if (!m_read[static_cast<std::size_t>(op.outputs[i].index)])
            continue;
        if (value.kind != ValueKind::Tensor)
            refuse(id, "gives a number that depends on node features.");
        for (std::size_t d = 0; d < value.sizes.size(); ++d) {
            const std::string& symbol = value.sizes[d].symbol;
            if (const int type = m_a.typeCountedBy(symbol); type >= 0 && rowDims[i] < 0) {
                rowDims[i] = static_cast<int>(d);
                types[i] = type;
            } else if (!symbol.empty() && (m_edgeSymbols.contains(symbol) || (mentionsNodes(symbol) && isOfInputs(symbol)))) {
                if (rowDims[i] < 0 && countAsNodes(value.sizes[d]))
                    return true;
                refuse(id,
                       "gives a tensor of shape " + sizesText(m_a, value.sizes) + ", which is neither one row for each node nor one for the graph.");
            }
        }
    }
    int level = 0;
    forEachOperand(op, [&](ValueId operand) {
        if (isFeature(operand))
            level = std::max(level, facts(operand).level + (facts(operand).rows == Rows::Nodes));
    });
    m_a.ops[id].kind = OpKind::Global;
    for (std::size_t i = 0; i < op.outputs.size(); ++i)
        setOutput(op.outputs[i], rowDims[i] < 0 ? Rows::Graph : Rows::Nodes, types[i], rowDims[i], level);
    return true;
}

// Rows of nodes of several types after each other are counted as nodes from here on.
void Analyser::addUnion(OpId id)
{
    const OpView view(m_p, m_p[id]);
    if (m_p[id].target != "aten::cat" && m_p[id].target != "aten::concat")
        return;
    const std::vector<ValueId> parts = view.values("tensors");
    const Value& output = m_p[m_p[id].outputs.front()];
    if (!areNodesOfSeveralTypes(parts))
        return;
    const int rowDim = facts(parts.front()).rowDim;
    const Dim& rows = output.sizes.at(static_cast<std::size_t>(rowDim));
    const auto dim = view.given("dim") ? view.dim("dim", view.outputRank()) : 0;
    if (dim != rowDim || rows.isConstant() || isNodes(rows))
        return;
    std::vector<std::string> names;
    for (const ValueId part : parts)
        names.push_back(m_a.nodeTypes[static_cast<std::size_t>(facts(part).nodeType)].name);
    m_a.nodeTypes.push_back({rows.symbol, join(names, " + "), {}});
    findEdgeSymbols();
}

// Whether the inputs tell how large it is: a sum of multiples and fractions of sizes that they have.
bool Analyser::isOfInputs(const std::string& size) const
{
    const auto [name, parts] = sizeParts(size);
    const auto isFactor = [](const std::string& part) { return sizeNumber(part).value_or(0) > 0; };
    const bool isMultiple = name == "Mul" && parts.size() == 2 && std::ranges::any_of(parts, isFactor);
    if (const auto fraction = sizeFraction(size))
        return isOfInputs(fraction->first);
    if (!parts.empty())
        return (name == "Add" || isMultiple) && std::ranges::all_of(parts, [&](const std::string& part) { return isOfInputs(part); });
    const auto has = [&](const Input& input) { return std::ranges::find(m_p[input.value].sizes, Dim{0, size}) != m_p[input.value].sizes.end(); };
    return sizeNumber(size) || (!size.empty() && std::ranges::any_of(m_p.inputs, has));
}

// "edges" for what edge_index lists, otherwise after an input that has such rows.
std::string Analyser::nameOfRows(const std::string& symbol) const
{
    // Lists are those of senders and receivers where nothing else lists edges.
    const bool hasEdgeIndex = std::ranges::any_of(m_p.inputs, [&](const Input& input) { return m_p[input.value].name == "edge_index"; });
    std::string name;
    for (const Input& input : m_p.inputs) {
        const Value& value = m_p[input.value];
        const bool isList = !hasEdgeIndex && value.sizes.size() == 1 && isInteger(value.dtype) && !sizesNamedBy(m_p, input.value)[0].empty();
        const bool has = std::ranges::find(value.sizes, Dim{0, symbol}) != value.sizes.end();
        if (value.name.ends_with("ptr") && value.sizes.size() == 1 && symbol == "Add(-1, " + value.sizes[0].symbol + ")")
            name = "graphs";
        else if (has && (value.name == "edge_index" || isList))
            name = "edges";
        else if (has && name.empty())
            name = value.name;
    }
    if (name.empty())
        name = sizeText(m_a, Dim{0, symbol});
    const bool isKnown = std::ranges::find(m_a.nodeTypes, name, &NodeType::name) != m_a.nodeTypes.end();
    return isKnown ? name + " " + symbol : name;
}

// The analysis starts again with such rows as those of nodes: computed once, stored, and read by other rows as nodes are.
bool Analyser::countAsNodes(const Dim& rows)
{
    if (rows.isConstant() || isNodes(rows) || !isOfInputs(rows.symbol))
        return false;
    m_lacks.stored.push_back(rows.symbol);
    return true;
}

// The analysis starts again with such rows as one value of the graph: rows at a mask, whose number no input tells, and that an op needs all of.
bool Analyser::takeAtOnce(const Dim& rows)
{
    if (rows.isConstant() || isNodes(rows) || isOfInputs(rows.symbol) || m_others.atOnce.contains(rows.symbol))
        return false;
    m_lacks.atOnce.insert(rows.symbol);
    return true;
}

// The analysis starts again with the edges that an op needs all of as rows of nodes, or as one value.
bool Analyser::takeEdgesOtherwise(OpId id)
{
    bool any = false;
    forEachOperand(m_p[id], [&](ValueId operand) {
        if (any || facts(operand).rows != Rows::Edges || facts(operand).rowDim < 0)
            return;
        const Dim& rows = m_p[operand].sizes[static_cast<std::size_t>(facts(operand).rowDim)];
        any = countAsNodes(rows) || takeAtOnce(rows);
    });
    return any;
}

bool Analyser::mentionsNodes(const std::string& size) const
{
    const auto [name, parts] = sizeParts(size);
    return m_a.typeCountedBy(name) >= 0 || std::ranges::any_of(parts, [&](const std::string& part) { return mentionsNodes(part); });
}

}  // namespace cleave
