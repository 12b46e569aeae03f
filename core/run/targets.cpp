#include "core/run/targets.h"

#include <algorithm>
#include <map>

#include "core/analysis/shape_text.h"
#include "core/base/error.h"
#include "core/base/format.h"
#include "core/run/executor.h"

/// Which nodes are computed where not all are asked for.
namespace cleave {

namespace {

bool hasRowsOfEdges(const Program& program, ValueId output)
{
    const auto isOfEdges = [&](const Input& input) {
        const std::vector<Dim>& sizes = program[input.value].sizes;
        const bool isOnEdges = input.role == Role::EdgeFeatures || (input.role == Role::GraphStructure && isEdgeIndex(program[input.value]));
        if (!isOnEdges || sizes.empty())
            return false;
        const Dim& edges = input.role == Role::EdgeFeatures ? sizes.front() : sizes.back();
        return !edges.isConstant() && std::ranges::count(program[output].sizes, edges) > 0;
    };
    return std::ranges::any_of(program.inputs, isOfEdges);
}

bool isOfEdges(const Analysis& analysis, ValueId output)
{
    const ValueFacts& facts = analysis.values[output];
    return facts.rows == Rows::Edges || (facts.reach != Reach::Feature && hasRowsOfEdges(analysis.program, output)) ||
           (facts.rows == Rows::Nodes && countsEdges(analysis, facts.nodeType));
}

int typeNamed(const Analysis& analysis, const std::string& name)
{
    std::vector<std::string> known;
    for (const ValueId output : analysis.program.outputs) {
        const ValueFacts& facts = analysis.values[output];
        if (facts.rows != Rows::Nodes || isOfEdges(analysis, output))
            continue;
        const std::string& type = analysis.nodeTypes[static_cast<std::size_t>(facts.nodeType)].name;
        if (type == name)
            return facts.nodeType;
        if (std::ranges::find(known, type) == known.end())
            known.push_back(type);
    }
    if (known.empty())
        throw Error("Only nodes can be asked for, but no output has a row for each node.");
    std::ranges::transform(known, known.begin(), [](const std::string& type) { return printable(type); });
    throw Error("No output has rows of '" + printable(name) + "', but of " + join(known, ", ") + ".");
}

}  // namespace

int targetType(const Analysis& analysis, const std::string& named)
{
    if (!named.empty())
        return typeNamed(analysis, named);
    int type = -1;
    for (const ValueId output : analysis.program.outputs) {
        const ValueFacts& facts = analysis.values[output];
        const std::string name = printable(analysis.program[output].name);
        if (isOfEdges(analysis, output))
            throw Error("Only nodes can be asked for, but output '" + name + "' has a row for each edge: with --target-type it is left out.");
        if (facts.rows != Rows::Nodes)
            continue;
        const NodeType& rows = analysis.nodeTypes[static_cast<std::size_t>(facts.nodeType)];
        if (type >= 0 && type != facts.nodeType)
            throw Error("The outputs have rows of several types of nodes, " + printable(analysis.nodeTypes[static_cast<std::size_t>(type)].name) +
                        " and " + printable(rows.name) + ": say with --target-type which are asked for.");
        type = facts.nodeType;
    }
    if (type < 0)
        throw Error("Only nodes can be asked for, but no output has a row for each node.");
    return type;
}

bool isAsked(const Analysis& analysis, ValueId output, int type)
{
    const ValueFacts& facts = analysis.values[output];
    return !isOfEdges(analysis, output) && (facts.rows != Rows::Nodes || facts.nodeType == type);
}

at::Tensor askedRows(const Analysis& analysis, ValueId output, const at::Tensor& tensor, const at::Tensor& nodes, int type)
{
    const ValueFacts& facts = analysis.values[output];
    if (!isAsked(analysis, output, type))
        return tensor.narrow(std::max(facts.rowDim, 0), 0, 0).clone();
    if (facts.rows == Rows::Nodes)
        return targetRows(tensor, facts, nodes);
    if (facts.reach == Reach::Feature)
        return tensor;
    const std::vector<Dim>& sizes = analysis.program[output].sizes;
    const auto dim = std::ranges::find_if(sizes, [&](const Dim& size) { return analysis.typeCountedBy(size.symbol) == type; });
    return dim == sizes.end() ? tensor : tensor.index_select(dim - sizes.begin(), nodes);
}

// Going backwards from the last function: what later ones read of a function's save points is what it must compute.
void LayerWise::setTargets(const std::vector<std::int64_t>& nodes, const std::string& typeName, const Progress& progress)
{
    m_targetType = targetType(m_a, typeName);
    const std::int64_t asked = m_graph.numNodes(m_targetType);
    std::map<ValueId, std::vector<bool>> needed;
    for (const ValueId output : m_a.program.outputs) {
        if (!isAsked(m_a, output, m_targetType))
            continue;
        std::vector<bool>& rows = needed.try_emplace(output, static_cast<std::size_t>(asked)).first->second;
        for (const std::int64_t node : nodes) {
            if (asked == 0)
                throw Error("There is no node " + std::to_string(node) + ": the graph has none.");
            if (node < 0 || node >= asked)
                throw Error("There is no node " + std::to_string(node) + ": the graph has nodes 0 to " + std::to_string(asked - 1) + ".");
            rows[static_cast<std::size_t>(node)] = true;
        }
    }
    m_targets = view(nodes).clone();
    m_graph.groupAllEdges(progress);
    // Nodes of a type whose rows are read of what a function saves.
    const auto readOf = [&](const CutFunction& function, int type) {
        std::vector<bool> rows(static_cast<std::size_t>(m_graph.numNodes(type)));
        for (const ValueId value : function.saves)
            if (const auto known = needed.find(value); known != needed.end() && m_a.values[value].nodeType == type)
                for (std::size_t v = 0; v < rows.size(); ++v)
                    rows[v] = rows[v] || known->second[v];
        return rows;
    };
    for (auto function = m_cut.functions.rbegin(); function != m_cut.functions.rend(); ++function) {
        if (function->isGlobal) {
            for (const ValueId value : function->reads)
                if (const ValueFacts& facts = m_a.values[value]; facts.rows == Rows::Nodes)
                    needed[value].assign(static_cast<std::size_t>(m_graph.numNodes(facts.nodeType)), true);
            continue;
        }
        for (int type = 0; type < m_a.types(); ++type)
            if (function->rowsOf.valid() ? type == function->nodeType : function->targetsOf(type) >= 0)
                m_graph.computeOnly(*function, type, readOf(*function, type), progress);
        addReads(*function, m_graph.rowsOf(*function), needed);
    }
}

// The nodes whose rows a function reads of each tensor of the store.
void LayerWise::addReads(const CutFunction& function, std::int64_t count, std::map<ValueId, std::vector<bool>>& needed)
{
    const Batch batch = m_batches.make(function, 0, count, &m_numbers);
    const auto mark = [&](ValueId value, const at::Tensor& nodes) {
        const std::int64_t all = m_graph.numNodes(m_a.values[value].nodeType);
        std::vector<bool>& rows = needed.try_emplace(value, static_cast<std::size_t>(all)).first->second;
        const at::Tensor flat = nodes.reshape({-1}).contiguous();
        for (const std::int64_t node : numbersOf(flat))
            if (node >= 0 && node < all)
                rows[static_cast<std::size_t>(node)] = true;
    };
    const auto reads = [&](const StepOperand& operand, OpId op, int frame) {
        if (operand.kind == OperandKind::Stored || operand.kind == OperandKind::Leading) {
            mark(operand.value, batch.idsOf(operand.from >= 0 ? operand.from : operand.frame));
        } else if (operand.kind == OperandKind::StoredWhole) {
            // At the nodes that an index of the graph names; what features decide may be anywhere.
            const auto neighbour =
                std::ranges::find_if(function.neighbours, [&](const StepOperand& n) { return n.value == m_a.ops[op].index && n.frame == frame; });
            mark(operand.value, neighbour != function.neighbours.end() ? m_batches.nodesAt(*neighbour, batch)
                                                                       : at::arange(m_graph.numNodes(m_a.values[operand.value].nodeType), at::kLong));
        }
    };
    for (const Step& step : function.steps)
        for (const StepOperand& operand : step.operands)
            reads(operand, step.op, step.frame);
    for (const StepOperand& result : function.results)
        if (result.kind != OperandKind::Step)
            reads(result, OpId{}, 0);
}

}  // namespace cleave
