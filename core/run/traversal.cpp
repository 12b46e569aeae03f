#include <ATen/ATen.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>

#include "core/analysis/shape_text.h"
#include "core/base/error.h"
#include "core/base/format.h"
#include "core/run/batch.h"

/// In which order batches take nodes and edges, and which nodes are computed at all.
namespace cleave {

LayerWise::Traversal LayerWise::traversalOf(const std::vector<std::int64_t>& order, int nodeType) const
{
    const std::int64_t nodes = numNodes(nodeType);
    Traversal traversal;
    traversal.nodeType = nodeType;
    traversal.count = nodes;
    if (order.empty())
        return traversal;
    if (static_cast<std::int64_t>(order.size()) != nodes)
        throw Error("A node order of " + formatCount(static_cast<std::int64_t>(order.size())) + " nodes does not fit a graph of " +
                    formatCount(nodes) + ".");
    traversal.order = view(order).clone();
    traversal.place = at::full({nodes}, -1, at::kLong);
    auto* place = traversal.place.data_ptr<std::int64_t>();
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (order[i] < 0 || order[i] >= nodes || place[order[i]] >= 0)
            throw Error("A node order must name each node once.");
        place[order[i]] = static_cast<std::int64_t>(i);
    }
    return traversal;
}

void LayerWise::setOrder(const std::vector<std::int64_t>& order, int nodeType)
{
    m_traversals.resize(static_cast<std::size_t>(m_a.types()));
    m_traversals[static_cast<std::size_t>(nodeType)] = traversalOf(order, nodeType);
    m_traversalOf.clear();
    std::set<ValueId>& segments = m_traversals[static_cast<std::size_t>(nodeType)].segments;
    for (const CutFunction& function : m_cut.functions) {
        m_traversalOf.emplace_back(m_numNodes.size());
        std::iota(m_traversalOf.back().begin(), m_traversalOf.back().end(), std::size_t{0});
        for (const ValueId segment : function.segmentsInto(nodeType))
            segments.insert(segment);
    }
    takeNaturalOrder();
}

void LayerWise::setOrders(const std::vector<std::vector<std::int64_t>>& orders)
{
    for (std::size_t type = 0; type < orders.size(); ++type)
        setOrder(orders[type], static_cast<int>(type));
}

// Global ops see the nodes as the graph has them.
void LayerWise::takeNaturalOrder()
{
    std::map<int, std::size_t> natural;  // by node type
    for (std::size_t f = 0; f < m_cut.functions.size(); ++f) {
        const CutFunction& function = m_cut.functions[f];
        std::size_t& own = m_traversalOf[f][static_cast<std::size_t>(function.nodeType)];
        if (!function.isGlobal || !m_traversals[own].order.defined())
            continue;
        const auto [found, isNew] = natural.try_emplace(function.nodeType, m_traversals.size());
        if (isNew)
            m_traversals.push_back(traversalOf({}, function.nodeType));
        own = found->second;
    }
}

at::Tensor LayerWise::Traversal::placesOf(const at::Tensor& nodes) const
{
    return place.defined() ? place.index_select(0, nodes) : nodes.contiguous();
}

const LayerWise::Traversal& LayerWise::of(const CutFunction& function, int type) const
{
    return m_traversals[m_traversalOf[indexOf(function)][static_cast<std::size_t>(type)]];
}

LayerWise::Traversal& LayerWise::of(const CutFunction& function, int type)
{
    return const_cast<Traversal&>(std::as_const(*this).of(function, type));
}

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

}  // namespace

// Of the nodes that are asked for: that of the outputs.
int LayerWise::targetType() const
{
    int type = -1;
    for (const ValueId output : m_a.program.outputs) {
        const ValueFacts& facts = m_a.values[output];
        if (facts.rows == Rows::Edges || (facts.reach != Reach::Feature && hasRowsOfEdges(m_a.program, output)) ||
            (facts.rows == Rows::Nodes && countsEdges(m_a, facts.nodeType)))
            throw Error("Only nodes can be asked for, but output '" + printable(m_a.program[output].name) + "' has a row for each edge.");
        if (facts.rows != Rows::Nodes)
            continue;
        if (const NodeType& rows = m_a.nodeTypes[static_cast<std::size_t>(facts.nodeType)]; !rows.size.empty())
            throw Error("Only nodes can be asked for, but output '" + printable(m_a.program[output].name) + "' has rows of " + printable(rows.name) +
                        ".");
        if (type >= 0 && type != facts.nodeType)
            throw Error("The outputs have rows for nodes of several types (" + printable(m_a.nodeTypes[static_cast<std::size_t>(type)].name) +
                        " and " + printable(m_a.nodeTypes[static_cast<std::size_t>(facts.nodeType)].name) +
                        "), so it is not clear which nodes are asked for.");
        type = facts.nodeType;
    }
    if (type < 0)
        throw Error("Only nodes can be asked for, but no output has a row for each node.");
    return type;
}

// Going backwards from the last function: what later ones read of a function's save points is what it must compute.
void LayerWise::setTargets(const std::vector<std::int64_t>& nodes, const Progress& progress)
{
    const std::int64_t asked = numNodes(targetType());
    std::map<ValueId, std::vector<bool>> needed;
    for (const ValueId output : m_a.program.outputs) {
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
    groupAllEdges(progress);
    for (std::size_t f = m_cut.functions.size(); f-- > 0;) {
        const CutFunction& function = m_cut.functions[f];
        if (function.isGlobal) {
            for (const ValueId value : function.reads)
                if (const ValueFacts& facts = m_a.values[value]; facts.rows == Rows::Nodes)
                    needed[value].assign(static_cast<std::size_t>(numNodes(facts.nodeType)), true);
            continue;
        }
        for (int type = 0; type < m_a.types(); ++type)
            if (function.rowsOf.valid() ? type == function.nodeType : function.targetsOf(type) >= 0)
                computeOnly(f, type, needed, progress);
        addReads(function, rowsOf(function), needed);
    }
}

// Of a type's nodes, those whose rows are read of what the function saves: they come first, and only they are computed.
void LayerWise::computeOnly(std::size_t f, int type, const std::map<ValueId, std::vector<bool>>& needed, const Progress& progress)
{
    const CutFunction& function = m_cut.functions[f];
    const auto size = static_cast<std::size_t>(numNodes(type));
    std::vector<std::int64_t> before(size);
    if (const at::Tensor& all = m_traversals[static_cast<std::size_t>(type)].order; all.defined())
        std::ranges::copy(numbersOf(all), before.begin());
    else
        std::iota(before.begin(), before.end(), 0);
    std::vector<bool> rows(size);
    for (const ValueId value : function.saves)
        if (const auto known = needed.find(value); known != needed.end() && m_a.values[value].nodeType == type)
            for (std::size_t v = 0; v < size; ++v)
                rows[v] = rows[v] || known->second[v];
    std::vector<std::int64_t> order;
    order.reserve(size);
    std::ranges::copy_if(before, std::back_inserter(order), [&](std::int64_t v) { return rows[static_cast<std::size_t>(v)]; });
    const auto count = static_cast<std::int64_t>(order.size());
    if (count == numNodes(type))
        return;
    std::ranges::copy_if(before, std::back_inserter(order), [&](std::int64_t v) { return !rows[static_cast<std::size_t>(v)]; });
    Traversal traversal = traversalOf(order, type);
    traversal.count = count;
    const std::vector<ValueId> segments = function.segmentsInto(type);
    groupEdges(traversal, {segments.begin(), segments.end()}, progress);
    m_traversalOf[f][static_cast<std::size_t>(type)] = m_traversals.size();
    m_traversals.push_back(std::move(traversal));
}

// The nodes whose rows a function reads of each tensor of the store.
void LayerWise::addReads(const CutFunction& function, std::int64_t count, std::map<ValueId, std::vector<bool>>& needed) const
{
    const Batch batch = block(function, 0, count, m_numbers.get());
    const auto mark = [&](ValueId value, const at::Tensor& nodes) {
        const std::int64_t all = numNodes(m_a.values[value].nodeType);
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
            const auto neighbour = std::ranges::find_if(function.neighbours, [&](const StepOperand& n) {
                return n.value == m_a.ops[op].index && n.frame == frame;
            });
            mark(operand.value, neighbour != function.neighbours.end() ? nodesAt(*neighbour, batch)
                                                                       : at::arange(numNodes(m_a.values[operand.value].nodeType), at::kLong));
        }
    };
    for (const Step& step : function.steps)
        for (const StepOperand& operand : step.operands)
            reads(operand, step.op, step.frame);
    for (const StepOperand& result : function.results)
        if (result.kind != OperandKind::Step)
            reads(result, OpId{}, 0);
}

bool LayerWise::needsNumbers(const CutFunction& function, const LoweredFunction& lowered) const
{
    const auto isLocal = [&](const std::optional<StepOperand>& operand) {
        return operand && operand->kind == OperandKind::LocalIndex && !isTargetPlace(function, *operand);
    };
    return std::ranges::any_of(function.frames, [](const Frame& frame) { return frame.kind == FrameKind::Block; }) ||
           std::ranges::any_of(lowered.inputs,
                               [&](const FunctionInput& in) { return in.numbersOf >= 0 || isLocal(in.operand) || isLocal(in.sourcesOf); });
}

}  // namespace cleave
