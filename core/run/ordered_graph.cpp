#include "core/run/ordered_graph.h"

#include <ATen/ATen.h>

#include <cmath>
#include <iterator>
#include <numeric>

#include "core/analysis/dims.h"
#include "core/analysis/message_passing.h"
#include "core/base/error.h"
#include "core/base/format.h"
#include "core/base/peak_memory.h"
#include "core/base/stopwatch.h"
#include "core/run/batch.h"
#include "core/run/run_program.h"
#include "core/run/tensors.h"

namespace cleave {

OrderedGraph::OrderedGraph(const Analysis& analysis, const CutProgram& cut, const Constants& constants, const Bindings& inputs, Kernels kernels,
                           const Progress& progress)
    : m_a(analysis), m_cut(cut), m_constants(constants), m_kernels(kernels)
{
    const Program& program = analysis.program;
    Stopwatch watch;
    const PeakMemory peak;
    progress.update(0, "Prologue");
    std::map<std::string, std::int64_t> sizes;
    for (const Input& input : program.inputs) {
        const std::vector<Dim>& dims = program[input.value].sizes;
        for (std::size_t d = 0; d < dims.size(); ++d)
            if (!dims[d].isConstant() && inputs.at(input.value).isTensor())
                sizes[dims[d].symbol] = inputs.at(input.value).toTensor().size(static_cast<std::int64_t>(d));
    }
    for (const NodeType& type : analysis.nodeTypes) {
        const double rows = sizeValue(type.symbol, [&](const std::string& symbol) {
            const auto known = sizes.find(symbol);
            if (known == sizes.end())
                throw Error("The inputs do not tell how many rows of " + printable(type.name) + " there are.");
            return static_cast<double>(known->second);
        });
        constexpr double most = 2147483647;  // numbers of rows have 32 bits
        if (rows < 0)
            throw Error("There would be " + std::to_string(std::llround(rows)) + " rows of " + printable(type.name) + ".");
        if (rows > most)
            throw Error("There would be " + formatCount(std::llround(rows)) + " rows of " + printable(type.name) + ": Cleave handles up to " + formatCount(std::llround(most)) + ".");
        m_numNodes.push_back(std::llround(rows));
    }
    guarded("The prologue cannot be computed on this graph", [&] {
        const std::set<ValueId> distinct = wantedOfPrologue();
        const std::vector<ValueId> wanted(distinct.begin(), distinct.end());
        const auto results = runProgram(program, constants, inputs, wanted, "Prologue", progress, kernels);
        for (std::size_t i = 0; i < wanted.size(); ++i)
            m_structure[wanted[i]] = results[i];
    });
    setOrders(std::vector<std::vector<std::int64_t>>(m_numNodes.size()));
    for (const Input& input : program.inputs)
        if (const auto bound = inputs.find(input.value); bound != inputs.end() && bound->second.isTensor() && bound->second.toTensor().has_storage())
            m_given.insert(bound->second.toTensor().storage().data());
    m_prologueBytes = peak.bytes();
    m_prologueSeconds = watch.lap();
}

std::vector<std::string> OrderedGraph::overwrittenRows() const
{
    std::vector<std::string> notices;
    std::set<ValueId> seen;
    for (std::size_t i = 0; i < m_a.program.ops.size(); ++i) {
        const OpId id{static_cast<int>(i)};
        const OpFacts& facts = m_a.ops[id];
        const std::optional<ScatterForm> form =
            facts.kind == OpKind::Scatter && overwrites(m_a.program, id) ? scatterForm(m_a.program, id) : std::nullopt;
        if (!form || !form->source.valid() || !form->sourceHasRows || !m_structure.contains(facts.index) || !seen.insert(facts.index).second)
            continue;
        const at::Tensor targets = structure(facts.index).flatten().to(at::kLong).contiguous();
        const std::int64_t rows = numNodes(m_a.values[m_a.program[id].outputs.front()].nodeType);
        std::vector<bool> isWritten(static_cast<std::size_t>(rows));
        for (const std::int64_t target : std::span(targets.data_ptr<std::int64_t>(), static_cast<std::size_t>(targets.numel()))) {
            const std::int64_t node = target < 0 ? target + rows : target;
            if (node < 0 || node >= rows)
                break;  // told where it is read
            if (isWritten[static_cast<std::size_t>(node)]) {
                notices.push_back("The rows of several edges are written to node " + std::to_string(node) + " by " + describe(m_a.program, id) +
                                  ": which of them stays is not defined, in PyTorch as here.");
                break;
            }
            isWritten[static_cast<std::size_t>(node)] = true;
        }
    }
    return notices;
}

// Products of what nodes have are made as edges are grouped, of what they are made of. Not those that counts or indices are taken from, nor outputs.
std::set<ValueId> OrderedGraph::wantedOfPrologue()
{
    std::set<ValueId> wanted(m_cut.prologue.begin(), m_cut.prologue.end()), asTheyAre(m_a.program.outputs.begin(), m_a.program.outputs.end());
    for (const CutFunction& function : m_cut.functions) {
        for (const RowTotal& term : function.total)
            asTheyAre.insert(term.value);
        for (const Frame& frame : function.frames)
            for (const auto* terms : {&frame.before, &frame.own})
                for (const RowTotal& term : *terms)
                    asTheyAre.insert(term.value);
    }
    // Indices that nothing else reads had better be read at once, as masks are.
    const auto isThereAnyway = [&](const EdgeProduct::Factor& factor) {
        return m_a.values[factor.index].reach == Reach::Constant || std::ranges::count(m_cut.prologue, factor.index) > 0;
    };
    for (const ValueId value : m_cut.prologue)
        if (const auto product = m_kernels == Kernels::None || asTheyAre.contains(value) ? std::nullopt : edgeProduct(m_a.program, value);
            product && std::ranges::all_of(product->factors, isThereAnyway)) {
            m_products[value] = *product;
            wanted.erase(value);
        }
    for (const auto& [value, product] : m_products)
        for (const EdgeProduct::Factor& factor : product.factors)
            for (const ValueId part : {factor.numbers, factor.index})
                if (m_a.values[part].reach != Reach::Constant)
                    wanted.insert(part);
    return wanted;
}

void OrderedGraph::computeProducts(const std::set<ValueId>& values, const Progress& progress)
{
    std::vector<ValueId> missing;
    for (const auto& [value, product] : m_products)
        if (values.contains(value) && !m_structure.contains(value))
            missing.push_back(value);
    if (missing.empty())
        return;
    Bindings known;
    for (const auto& [value, made] : m_structure)
        known[value] = made;
    guarded("The prologue cannot be computed on this graph", [&] {
        const auto results = runProgram(m_a.program, m_constants, known, missing, "Prologue", progress, m_kernels);
        for (std::size_t i = 0; i < missing.size(); ++i)
            m_structure[missing[i]] = results[i];
    });
}

const at::Tensor& OrderedGraph::structure(ValueId value) const
{
    return known(value).toTensor();
}

const c10::IValue& OrderedGraph::known(ValueId value) const
{
    const c10::IValue* made = computed(value);
    return made ? *made : m_constants[value];
}

const c10::IValue* OrderedGraph::computed(ValueId value) const
{
    const auto made = m_structure.find(value);
    return made != m_structure.end() ? &made->second : nullptr;
}

std::int64_t OrderedGraph::mostEdgesPerNode() const
{
    std::int64_t most = 0;
    for (const CutFunction& function : m_cut.functions)
        for (int type = 0; type < m_a.types(); ++type)
            for (const ValueId segment : function.segmentsInto(type))
                most = std::max(most, structure(segment).numel() / std::max<std::int64_t>(numNodes(type), 1) + 1);
    return most;
}

std::int64_t OrderedGraph::total(const std::vector<RowTotal>& rows) const
{
    std::int64_t sum = 0;
    for (const RowTotal& term : rows)
        sum += term.value.valid() ? structure(term.value).size(term.dim) : numNodes(term.nodeType);
    return sum;
}

std::int64_t OrderedGraph::rowsOf(const CutFunction& function) const
{
    if (isLeftOut(function))
        return 0;
    if (function.rowsOf.valid())
        return total(function.total);
    std::int64_t most = 0;
    for (const Frame& frame : function.frames)
        if (frame.kind == FrameKind::Targets)
            most = std::max(most, of(function, frame.nodeType).count);
    return most;
}

std::int64_t OrderedGraph::rowsOf(const CutFunction& function, ValueId saved) const
{
    const ValueFacts& facts = m_a.values[saved];
    return facts.rows == Rows::Nodes && !function.rowsOf.valid() ? numNodes(facts.nodeType) : rowsOf(function);
}

double OrderedGraph::structureBytes(const Retained* retained) const
{
    std::map<const void*, double> storages;
    for (const auto& [value, result] : m_structure)
        if (result.isTensor() && result.toTensor().has_storage() && (!retained || retained->structure.contains(value)) &&
            !m_given.contains(result.toTensor().storage().data()))
            storages[result.toTensor().storage().data()] = static_cast<double>(result.toTensor().storage().nbytes());
    double bytes = 0;
    for (const auto& [value, result] : m_structure)
        if (result.isTensor() && !result.toTensor().has_storage() && (!retained || retained->structure.contains(value)))
            bytes += bytesOfTensor(result.toTensor());
    for (const auto& [storage, size] : storages)
        bytes += size;
    return bytes;
}

std::map<std::string, std::int64_t> OrderedGraph::sizes() const
{
    std::map<std::string, std::int64_t> sizes;
    for (const auto& [value, result] : m_structure) {
        const std::vector<Dim>& dims = m_a.program[value].sizes;
        if (!result.isTensor() || result.toTensor().dim() != std::ssize(dims))
            continue;
        for (std::size_t d = 0; d < dims.size(); ++d)
            if (!dims[d].isConstant())
                sizes.emplace(dims[d].symbol, result.toTensor().size(static_cast<std::int64_t>(d)));
    }
    return sizes;
}

at::Tensor Traversal::placesOf(const at::Tensor& nodes) const
{
    return place.defined() ? place.index_select(0, nodes) : nodes.contiguous();
}

Traversal OrderedGraph::traversalOf(const std::vector<std::int64_t>& order, int nodeType) const
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

void OrderedGraph::setOrder(const std::vector<std::int64_t>& order, int nodeType)
{
    m_traversals.resize(static_cast<std::size_t>(m_a.types()));
    m_traversals[static_cast<std::size_t>(nodeType)] = traversalOf(order, nodeType);
    m_traversalOf.clear();
    for (std::size_t f = 0; f < m_cut.functions.size(); ++f) {
        m_traversalOf.emplace_back(m_numNodes.size());
        std::iota(m_traversalOf.back().begin(), m_traversalOf.back().end(), std::size_t{0});
    }
    takeNaturalOrder();
}

void OrderedGraph::setOrders(const std::vector<std::vector<std::int64_t>>& orders)
{
    for (std::size_t type = 0; type < orders.size(); ++type)
        setOrder(orders[type], static_cast<int>(type));
}

// Global ops see the nodes as the graph has them.
void OrderedGraph::takeNaturalOrder()
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

bool OrderedGraph::readsOnlyInto(const CutFunction& function) const
{
    return !function.rowsOf.valid() && std::ranges::all_of(function.frames, [&](const Frame& frame) {
        return frame.kind == FrameKind::Targets || (frame.kind == FrameKind::Edges && function.frames[at(frame.parent)].kind == FrameKind::Targets);
    });
}

void OrderedGraph::computeOnly(const CutFunction& function, int type, const Marks& marked, const Progress& progress)
{
    const std::int64_t nodes = numNodes(type), count = countOf(marked);
    if (count == nodes)
        return;
    Traversal& all = m_traversals[at(type)];
    Traversal traversal;
    traversal.nodeType = type;
    traversal.count = count;
    traversal.order = at::empty({nodes}, at::kLong);
    traversal.place = at::empty({nodes}, at::kLong);
    traversal.ofAll = at::empty({nodes}, at::kLong);
    const auto* before = all.order.defined() ? all.order.data_ptr<std::int64_t>() : nullptr;
    auto *order = traversal.order.data_ptr<std::int64_t>(), *place = traversal.place.data_ptr<std::int64_t>(),
         *placeInAll = traversal.ofAll.data_ptr<std::int64_t>();
    std::int64_t next = 0, nextOther = count;
    for (std::int64_t p = 0; p < nodes; ++p) {
        const std::int64_t node = before ? before[p] : p, to = marked[static_cast<std::size_t>(node)] != 0 ? next++ : nextOther++;
        order[to] = node;
        place[node] = to;
        placeInAll[to] = p;
    }
    const bool isDirect = readsOnlyInto(function);
    const int threads = at::get_num_threads();
    for (const ValueId segment : function.segmentsInto(type)) {
        progress.check();
        if (!isDirect) {
            // Edges into others are followed, too.
            groupWithIds(all, segment, progress);
            traversal.edges[segment] = edgesInto(all.edges.at(segment), numbersOf(traversal.ofAll), threads);
            continue;
        }
        // All edges are grouped once for all functions: that is worth it where functions need many of them.
        constexpr std::int64_t few = 8;
        const at::Tensor into = structure(segment).reshape({-1}).to(at::kLong).contiguous();
        std::optional<PageVector<std::int64_t>> ids = edgesIntoMarked(numbersOf(into), marked, into.numel() / few, threads);
        if (!ids) {
            traversal.fromAll.insert(segment);
            continue;
        }
        PageVector<std::int64_t> places(ids->size());
        std::ranges::transform(*ids, places.begin(), [&, data = into.data_ptr<std::int64_t>()](std::int64_t edge) { return place[data[edge]]; });
        EdgesBySegment& edges = traversal.edges[segment] = groupBySegment(places, nodes, threads);
        std::ranges::transform(edges.edges, edges.edges.begin(), [&](std::int64_t edge) { return (*ids)[static_cast<std::size_t>(edge)]; });
    }
    traversal.ofAll = traversal.ofAll.narrow(0, 0, count).clone();
    m_traversalOf[indexOf(function)][at(type)] = m_traversals.size();
    m_traversals.push_back(std::move(traversal));
}

const Traversal& OrderedGraph::of(const CutFunction& function, int type) const
{
    return m_traversals[m_traversalOf[indexOf(function)][static_cast<std::size_t>(type)]];
}

Traversal& OrderedGraph::changed(const CutFunction& function, int type)
{
    return const_cast<Traversal&>(std::as_const(*this).of(function, type));
}

const at::Tensor* OrderedGraph::groupedAt(const CutFunction& function, const StepOperand& operand) const
{
    if (operand.kind != OperandKind::Slice || !isIntoTargets(function, operand.frame))
        return nullptr;
    const auto& all = of(function).grouped;
    const auto grouped = all.find({operand.value, function.frames[static_cast<std::size_t>(operand.frame)].index});
    return grouped == all.end() || !grouped->second.defined() ? nullptr : &grouped->second;
}

const at::Tensor* OrderedGraph::sourcesAt(const CutFunction& function, const StepOperand& index) const
{
    if (index.kind != OperandKind::Slice || !isIntoTargets(function, index.frame))
        return nullptr;
    const auto& all = of(function).sources;
    const auto sources = all.find({index.value, function.frames[static_cast<std::size_t>(index.frame)].index, index.ofType});
    return sources == all.end() || !sources->second.defined() ? nullptr : &sources->second;
}

bool isTargetPlace(const CutFunction& function, const StepOperand& operand)
{
    return isIntoTargets(function, operand.frame) && function.frames[static_cast<std::size_t>(operand.frame)].index == operand.value;
}

bool needsNumbers(const CutFunction& function, const LoweredFunction& lowered)
{
    const auto isLocal = [&](const std::optional<StepOperand>& operand) {
        return operand && operand->kind == OperandKind::LocalIndex && !isTargetPlace(function, *operand);
    };
    return std::ranges::any_of(function.frames, [](const Frame& frame) { return frame.kind == FrameKind::Block; }) ||
           std::ranges::any_of(lowered.inputs,
                               [&](const FunctionInput& in) { return in.numbersOf >= 0 || isLocal(in.operand) || isLocal(in.sourcesOf); });
}

}  // namespace cleave
