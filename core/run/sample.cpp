#include "core/run/sample.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <random>
#include <set>
#include <span>
#include <unordered_set>

#include "core/analysis/dims.h"
#include "core/analysis/message_passing.h"
#include "core/base/error.h"
#include "core/base/format.h"
#include "core/base/memory.h"
#include "core/base/pages.h"
#include "core/base/peak_memory.h"
#include "core/base/stopwatch.h"
#include "core/run/tensors.h"

namespace cleave {

namespace {

at::Tensor tensorOf(const std::vector<std::int64_t>& numbers)
{
    return at::tensor(numbers, at::kLong);
}

std::span<const std::int64_t> numbersIn(const at::Tensor& tensor)
{
    return {tensor.data_ptr<std::int64_t>(), static_cast<std::size_t>(tensor.numel())};
}

at::Tensor sorted(std::vector<std::int64_t> numbers)
{
    std::ranges::sort(numbers);
    return tensorOf(numbers);
}

bool isEdgeIndex(const Program& program, const Input& input)
{
    const Value& value = program[input.value];
    return value.kind == ValueKind::Tensor && input.role == Role::GraphStructure && isInteger(value.dtype) && value.sizes.size() == 2 &&
           value.sizes[0] == Dim{2, ""} && !value.sizes[1].isConstant();
}

bool hasNodeRows(const Analysis& analysis, ValueId output)
{
    const ValueFacts& facts = analysis.values[output];
    return facts.reach == Reach::Feature && facts.rows == Rows::Nodes &&
           sizeParts(analysis.nodeTypes[static_cast<std::size_t>(facts.nodeType)].symbol).second.empty();
}

}  // namespace

std::int64_t LocalGraphs::Part::numNodes() const
{
    return std::accumulate(nodes.begin(), nodes.end(), std::int64_t{0}, [](std::int64_t sum, const at::Tensor& t) { return sum + t.numel(); });
}

std::int64_t LocalGraphs::Part::numEdges() const
{
    return std::accumulate(edges.begin(), edges.end(), std::int64_t{0},
                           [](std::int64_t sum, const auto& entry) { return sum + entry.second.numel(); });
}

LocalGraphs::LocalGraphs(const Analysis& analysis, const Bindings& inputs) : m_a(analysis), m_inputs(inputs)
{
    const Program& program = analysis.program;
    for (const NodeType& type : analysis.nodeTypes)
        if (!type.size.empty())
            throw Error("Rows of some nodes cannot be computed alone: the program also stores rows of " + printable(type.name) + ".");
    for (const Input& input : program.inputs)
        for (std::size_t d = 0; d < program[input.value].sizes.size(); ++d)
            if (const Dim& dim = program[input.value].sizes[d]; !dim.isConstant())
                m_sizes.try_emplace(dim.symbol, inputs.at(input.value).toTensor().size(static_cast<std::int64_t>(d)));
    for (const NodeType& type : analysis.nodeTypes)
        m_numNodes.push_back(
            std::llround(sizeValue(type.symbol, [&](const std::string& symbol) { return static_cast<double>(m_sizes.at(symbol)); })));
    for (const Input& input : program.inputs)
        if (isEdgeIndex(program, input))
            addEdges(input);
    for (auto& [size, edges] : m_edges)
        edges.isTaken.resize(static_cast<std::size_t>(m_sizes.at(size)));
    for (const std::int64_t nodes : m_numNodes)
        m_isReached.emplace_back(static_cast<std::size_t>(nodes));
    m_reached.resize(m_numNodes.size());
}

void LocalGraphs::addEdges(const Input& input)
{
    // Of a relation that nothing comes from.
    const auto reads = [&](const Op& op) {
        bool does = false;
        forEachOperand(op, [&](ValueId id) { does = does || id == input.value; });
        return does;
    };
    if (std::ranges::none_of(m_a.program.ops, reads))
        return;
    const std::vector<std::set<int>> named = typesNamedBy(m_a, input.value);
    if (named.size() != 2 || named[0].size() != 1 || named[1].size() != 1)
        throw Error("Rows of some nodes cannot be computed alone: the program does not tell which nodes input '" +
                    printable(m_a.program[input.value].name) + "' names.");
    const at::Tensor index = m_inputs.at(input.value).toTensor().to(at::kLong);
    const auto end = [&](std::size_t row) { return End{*named[row].begin(), index[static_cast<std::int64_t>(row)].contiguous(), {}}; };
    m_edges[m_a.program[input.value].sizes[1].symbol].ends.emplace_back(end(0), end(1));
}

void LocalGraphs::reach(int type, std::int64_t node, std::vector<std::vector<std::int64_t>>& reached)
{
    const auto t = static_cast<std::size_t>(type), n = static_cast<std::size_t>(node);
    if (m_isReached[t][n])
        return;
    m_isReached[t][n] = true;
    reached[t].push_back(node);
}

void LocalGraphs::take(std::int64_t edge, Edges& edges, std::vector<std::vector<std::int64_t>>& reached)
{
    edges.isTaken[static_cast<std::size_t>(edge)] = true;
    edges.taken.push_back(edge);
    for (const auto& [source, target] : edges.ends) {
        reach(source.type, source.nodes.data_ptr<std::int64_t>()[edge], reached);
        reach(target.type, target.nodes.data_ptr<std::int64_t>()[edge], reached);
    }
}

void LocalGraphs::forget()
{
    for (std::size_t type = 0; type < m_reached.size(); ++type) {
        for (const std::int64_t node : m_reached[type])
            m_isReached[type][static_cast<std::size_t>(node)] = false;
        m_reached[type].clear();
    }
    for (auto& [size, edges] : m_edges) {
        for (const std::int64_t edge : edges.taken)
            edges.isTaken[static_cast<std::size_t>(edge)] = false;
        edges.taken.clear();
    }
}

std::optional<LocalGraphs::Part> LocalGraphs::around(const std::vector<std::vector<std::int64_t>>& nodes, const Neighbourhood& neighbourhood,
                                                     std::int64_t mostEdges)
{
    forget();
    for (std::size_t type = 0; type < nodes.size(); ++type)
        for (const std::int64_t node : nodes[type])
            reach(static_cast<int>(type), node, m_reached);
    std::int64_t left = mostEdges;
    std::vector<std::size_t> seen(m_reached.size(), 0);
    const auto takeAll = [&](End& end, Edges& edges, const std::vector<std::size_t>& reached) {
        const auto type = static_cast<std::size_t>(end.type);
        if (!end.edges)
            end.edges = groupBySegment(numbersIn(end.nodes), m_numNodes[type], at::get_num_threads());
        for (std::size_t i = seen[type]; i < reached[type]; ++i)
            for (const std::int64_t edge : end.edges->of(m_reached[type][i], m_reached[type][i] + 1))
                if (!edges.isTaken[static_cast<std::size_t>(edge)]) {
                    if (--left < 0)
                        return false;
                    take(edge, edges, m_reached);
                }
        return true;
    };
    for (int hop = 0; hop < neighbourhood.hops; ++hop) {
        std::vector<std::size_t> reached;
        std::ranges::transform(m_reached, std::back_inserter(reached), [](const auto& list) { return list.size(); });
        for (auto& [size, edges] : m_edges)
            for (auto& [source, target] : edges.ends)
                if (!takeAll(target, edges, reached) || (neighbourhood.bothWays && !takeAll(source, edges, reached)))
                    return {};
        seen = reached;
    }
    // Ops may not like tensors without rows. More of the graph never hurts.
    for (auto& [size, edges] : m_edges)
        if (edges.taken.empty() && !edges.isTaken.empty())
            take(0, edges, m_reached);
    Part part;
    for (std::size_t type = 0; type < m_reached.size(); ++type) {
        if (m_reached[type].empty() && m_numNodes[type] > 0)
            reach(static_cast<int>(type), 0, m_reached);
        part.nodes.push_back(sorted(m_reached[type]));
    }
    for (const auto& [size, edges] : m_edges)
        part.edges.emplace(size, sorted(edges.taken));
    return part;
}

Bindings LocalGraphs::inputsOf(const Part& part) const
{
    const Program& program = m_a.program;
    const auto numbers = [&](const std::string& size) -> const at::Tensor* {
        if (const auto edges = part.edges.find(size); edges != part.edges.end())
            return &edges->second;
        const int type = m_a.typeCountedBy(size);
        return type < 0 ? nullptr : &part.nodes[static_cast<std::size_t>(type)];
    };
    Bindings inputs;
    for (const Input& input : program.inputs) {
        const Value& value = program[input.value];
        const c10::IValue& whole = m_inputs.at(input.value);
        if (whole.isInt()) {
            const at::Tensor* counted = value.number.isConstant() ? nullptr : numbers(value.number.symbol);
            if (!counted && m_a.types() == 1 && isCalledNumberOfNodes(value.name) && whole.toInt() == m_numNodes[0])
                counted = &part.nodes[0];
            inputs[input.value] = counted ? c10::IValue(counted->numel()) : whole;
            continue;
        }
        inputs[input.value] = whole;
        for (std::size_t d = 0; whole.isTensor() && d < value.sizes.size(); ++d)
            if (const at::Tensor* rows = value.sizes[d].isConstant() ? nullptr : numbers(value.sizes[d].symbol))
                inputs[input.value] = inputs[input.value].toTensor().index_select(static_cast<std::int64_t>(d), *rows);
        if (!isEdgeIndex(program, input) || !part.edges.contains(value.sizes[1].symbol))
            continue;
        const std::vector<std::set<int>> named = typesNamedBy(m_a, input.value);
        if (named[0].empty() || named[1].empty())
            continue;
        const at::Tensor index = inputs[input.value].toTensor();
        const auto renumbered = [&](std::size_t row) {
            return at::searchsorted(part.nodes[static_cast<std::size_t>(*named[row].begin())],
                                    index[static_cast<std::int64_t>(row)].to(at::kLong).contiguous());
        };
        inputs[input.value] = at::stack({renumbered(0), renumbered(1)}).to(index.scalar_type());
    }
    return inputs;
}

namespace {

// How many reductions of structure into nodes lie behind each other at most: degrees, and what is made of them.
int structureReductions(const Analysis& analysis)
{
    const Program& program = analysis.program;
    IdMap<ValueId, int> depth(program.values.size());
    int most = 0;
    for (std::size_t i = 0; i < program.ops.size(); ++i) {
        const OpId op{static_cast<int>(i)};
        if (analysis.ops[op].kind != OpKind::Prologue)
            continue;
        int here = 0;
        forEachOperand(program[op], [&](ValueId id) { here = std::max(here, depth[id]); });
        here += scatterForm(program, op) ? 1 : 0;
        for (const ValueId output : program[op].outputs)
            depth[output] = here;
        most = std::max(most, here);
    }
    return most;
}

// The wanted values of a stage on a part of a graph.
std::vector<c10::IValue> runStage(const Stage& stage, const Analysis& analysis, const Constants& constants, const LocalGraphs& local,
                                  const LocalGraphs::Part& part, const Tensors& store, const Progress& progress)
{
    std::vector<c10::IValue> results;
    guarded("Running the whole model on a part of this graph failed", [&] {
        Bindings inputs = local.inputsOf(part);
        for (const ValueId id : stage.given) {
            const ValueFacts& facts = analysis.values[id];
            const at::Tensor& whole = store.at(id);
            if (facts.rows == Rows::Graph)
                inputs[id] = whole;
            else if (hasNodeRows(analysis, id))
                inputs[id] = targetRows(whole, facts, part.nodes[static_cast<std::size_t>(facts.nodeType)]);
            else
                throw Error("Rows of some nodes cannot be computed alone: they need '" + printable(analysis.program[id].name) +
                            "', which has no rows of nodes of one type.");
        }
        results = runProgram(analysis.program, constants, inputs, stage.wanted, "Running the whole model around some nodes", progress);
    });
    return results;
}

// Each row against its own largest entry: beside a hub's rows those of others are small.
bool areSameRows(const at::Tensor& found, const at::Tensor& expected, DType dtype)
{
    if (found.sizes() != expected.sizes())
        return false;
    if (found.numel() == 0)
        return true;
    const double tolerance = dtype == DType::BFloat16 ? 0.05 : dtype == DType::Float16 ? 0.01 : dtype == DType::Float64 ? 1e-9 : 1e-4;
    const at::Tensor a = found.to(at::kDouble).reshape({found.size(0), -1}), b = expected.to(at::kDouble).reshape({found.size(0), -1});
    const at::Tensor same = a.eq(b).logical_or(a.isnan().logical_and(b.isnan()));
    const at::Tensor gap = a.sub(b).abs().masked_fill(same, 0).amax(1), largest = b.masked_fill(b.isfinite().logical_not(), 0).abs().amax(1);
    return gap.le(largest.mul(tolerance).add(1e-7)).all().item<bool>();
}

}  // namespace

Stage Stage::whole(const Analysis& analysis)
{
    for (std::size_t i = 0; i < analysis.program.ops.size(); ++i)
        if (const OpId op{static_cast<int>(i)}; analysis.ops[op].kind == OpKind::Global)
            throw Error("Rows of some nodes cannot be computed alone: " + describe(analysis.program, op) + " needs all nodes at once.");
    Stage stage{{}, analysis.program.outputs, 0};
    for (const ValueId output : stage.wanted)
        stage.hops = std::max(stage.hops, analysis.degreeOf(analysis.values[output].level));
    return stage;
}

Stage Stage::of(const Analysis& analysis, const CutFunction& function)
{
    Stage stage{{}, function.saves, analysis.degreeOf(function.level) - analysis.degreeOf(function.firstLevel) + 1};
    std::ranges::copy_if(function.reads, std::back_inserter(stage.given), [&](ValueId id) { return !analysis.program.isInput(id); });
    return stage;
}

Neighbourhoods::Neighbourhoods(const Analysis& analysis, const Constants& constants, const std::vector<Stage>& stages, const Progress& progress)
    : m_a(analysis), m_constants(constants), m_progress(progress), m_reductions(structureReductions(analysis))
{
    std::vector<ValueId> values;
    for (const Stage& stage : stages)
        for (const std::vector<ValueId>* list : {&stage.given, &stage.wanted})
            std::ranges::copy_if(*list, std::back_inserter(values), [&](ValueId id) { return analysis.values[id].reach == Reach::Feature; });
    guarded("Trying the neighbourhoods failed", [&] {
        for (const ProbeGraph& graph : {ProbeGraph{4001, 5003, 5, 4, 11}, ProbeGraph{3001, 2503, 9, 4, 23}}) {
            progress.update(0, "Trying neighbourhoods on random graphs");
            std::vector<c10::IValue> whole;
            Bindings inputs = inputsOf(graph, values, whole);
            Tensors known;
            for (std::size_t i = 0; i < values.size(); ++i)
                known[values[i]] = whole[i].toTensor();
            m_graphs.emplace_back(std::move(inputs), std::move(known));
        }
    });
}

Bindings Neighbourhoods::inputsOf(const ProbeGraph& graph, const std::vector<ValueId>& values, std::vector<c10::IValue>& whole) const
{
    try {
        return runnableProbeInputs(m_a, m_constants, graph, values, whole);
    } catch (const NotEnoughMemory&) {
        throw;
    } catch (const Error&) {
        m_progress.check();
        throw Error("Rows of some nodes cannot be computed alone: the model does not run on random graphs of other sizes.");
    }
}

// Whether nodes of a random graph get the rows that they have there from their neighbourhoods.
bool Neighbourhoods::isEnough(const Neighbourhood& neighbourhood, const Stage& stage, const Bindings& inputs, const Tensors& values,
                              std::int64_t firstNode, std::int64_t step) const
{
    m_progress.check();
    LocalGraphs local(m_a, inputs);
    std::vector<std::vector<std::int64_t>> nodes(static_cast<std::size_t>(m_a.types()));
    for (const ValueId wanted : stage.wanted)
        if (const int type = m_a.values[wanted].nodeType; hasNodeRows(m_a, wanted)) {
            const auto t = static_cast<std::size_t>(type);
            nodes[t].clear();
            for (std::int64_t node = firstNode; node < local.numNodes(type); node += step)
                nodes[t].push_back(node);
        }
    const LocalGraphs::Part part = *local.around(nodes, neighbourhood, std::numeric_limits<std::int64_t>::max());
    std::vector<c10::IValue> found;
    try {
        found = runStage(stage, m_a, m_constants, local, part, values, {m_progress.stop, {}});
    } catch (const NotEnoughMemory&) {
        throw;
    } catch (const Error&) {
        return false;
    }
    for (std::size_t i = 0; i < stage.wanted.size(); ++i)
        if (const ValueFacts& facts = m_a.values[stage.wanted[i]]; hasNodeRows(m_a, stage.wanted[i])) {
            const auto t = static_cast<std::size_t>(facts.nodeType);
            const at::Tensor at = tensorOf(nodes[t]);
            const at::Tensor rows = targetRows(found[i].toTensor(), facts, at::searchsorted(part.nodes[t], at)),
                             expected = targetRows(values.at(stage.wanted[i]), facts, at);
            if (!areSameRows(rows.movedim(facts.rowDim, 0), expected.movedim(facts.rowDim, 0), m_a.program[stage.wanted[i]].dtype))
                return false;
        }
    return true;
}

std::pair<Neighbourhood, Neighbourhood> Neighbourhoods::of(const Stage& stage) const
{
    if (std::ranges::none_of(stage.wanted, [&](ValueId id) { return hasNodeRows(m_a, id); }))
        throw Error("Rows of some nodes cannot be computed alone: nothing of it has a row for each node.");
    // Rows of the last step may need degrees of their own, which go one step further.
    const int most = stage.hops + m_reductions + 1;
    Neighbourhood enough;
    bool isKnown = false;
    guarded("Trying the neighbourhoods failed", [&] {
        for (const bool bothWays : {false, true})
            for (int hops = 0; hops <= most && !isKnown; ++hops) {
                enough = {hops, bothWays};
                // The hub of these graphs is node 1: with it, without it, and around few nodes, which hardly reach what is largest in the graph.
                const auto isEnoughFor = [&](std::size_t graph, std::int64_t first, std::int64_t step) {
                    return isEnough(enough, stage, m_graphs[graph].first, m_graphs[graph].second, first, step);
                };
                isKnown = isEnoughFor(0, 1, 397) && isEnoughFor(1, 2, 397) && isEnoughFor(1, 1811, 4000) && isEnoughFor(1, 2404, 4000) &&
                          isEnoughFor(1, 2999, 4000);
            }
    });
    if (!isKnown)
        throw Error("Rows of some nodes cannot be computed alone: on a random graph they depend on more than the nodes within " +
                    std::to_string(most) + " steps.");
    return {enough, {most, true}};
}

namespace {

// Edges for which rows of the widest kind take so much memory, and so much time.
std::int64_t affordableEdges(const Analysis& analysis)
{
    constexpr double mostBytes = 4e9, copies = 4;
    double widest = sizeof(std::int64_t);
    for (std::size_t v = 0; v < analysis.program.values.size(); ++v) {
        const ValueFacts& facts = analysis.values[ValueId{static_cast<int>(v)}];
        const Value& value = analysis.program.values[v];
        if (facts.rows != Rows::Edges && facts.rows != Rows::Nodes)
            continue;
        double bytes = static_cast<double>(itemSize(value.dtype));
        for (std::size_t d = 0; d < value.sizes.size(); ++d)
            bytes *= value.sizes[d].isConstant() ? static_cast<double>(value.sizes[d].value) : 1;
        widest = std::max(widest, bytes);
    }
    return static_cast<std::int64_t>(std::min(mostBytes, static_cast<double>(availableMemory()) / 2) / copies / widest);
}

// Rows of the output, each once, in the order in which they are taken.
std::vector<std::int64_t> candidates(std::int64_t rows, const std::vector<at::Tensor>& targetsOfEdges, std::int64_t most)
{
    std::vector<std::int64_t> chosen;
    if (rows <= most) {
        chosen.resize(static_cast<std::size_t>(rows));
        std::iota(chosen.begin(), chosen.end(), 0);
        return chosen;
    }
    std::mt19937_64 random(1);
    const auto below = [&](std::int64_t end) { return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(end)); };
    std::unordered_set<std::int64_t> known;
    for (std::int64_t tries = 0; std::ssize(chosen) < most && tries < 16 * most; ++tries) {
        std::int64_t row = below(rows);
        if (tries % 2 == 1 && !targetsOfEdges.empty())
            if (const at::Tensor& targets = targetsOfEdges[static_cast<std::size_t>(below(std::ssize(targetsOfEdges)))]; targets.numel() > 0)
                row = targets.data_ptr<std::int64_t>()[below(targets.numel())];
        if (known.insert(row).second)
            chosen.push_back(row);
    }
    return chosen;
}

}  // namespace

std::vector<at::Tensor> LocalGraphs::targetsOfEdges(int type) const
{
    std::vector<at::Tensor> targets;
    for (const auto& [size, edges] : m_edges)
        for (const auto& [source, target] : edges.ends)
            if (target.type == type)
                targets.push_back(target.nodes);
    return targets;
}

namespace {

using NodeLists = std::vector<std::vector<std::int64_t>>;  // by type

// So many of each list, behind those that are done.
NodeLists next(const NodeLists& lists, std::size_t done, std::size_t count)
{
    NodeLists chosen;
    for (const auto& list : lists)
        chosen.emplace_back(list.begin() + static_cast<std::ptrdiff_t>(std::min(done, list.size())),
                            list.begin() + static_cast<std::ptrdiff_t>(std::min(done + count, list.size())));
    return chosen;
}

NodeLists nodesOf(NodeLists rows, const std::vector<std::int64_t>& targets)
{
    for (auto& list : rows)
        for (std::int64_t& row : list)
            row = targets.empty() ? row : targets[static_cast<std::size_t>(row)];
    return rows;
}

}  // namespace

SampledRows Sampler::rows(const Stage& stage, const Tensors& store, const Neighbourhood& neighbourhood, const Targets& targets,
                          std::int64_t most, const Progress& progress)
{
    constexpr std::int64_t fewEdges = 1000, runs = 4;
    constexpr std::size_t mostTries = 24;
    const std::vector<ValueId>& wanted = stage.wanted;
    progress.update(0, "Choosing nodes to compare");
    const auto isCompared = [&](ValueId id) { return hasNodeRows(m_a, id) && (targets.nodes.empty() || m_a.values[id].nodeType == targets.type); };
    NodeLists rows(static_cast<std::size_t>(m_a.types()));
    for (const ValueId id : wanted)
        if (const int type = m_a.values[id].nodeType; isCompared(id))
            rows[static_cast<std::size_t>(type)] =
                targets.nodes.empty() ? candidates(m_local.numNodes(type), m_local.targetsOfEdges(type), most) : candidates(std::ssize(targets.nodes), {}, most);
    const std::size_t all = std::ranges::max(rows, {}, [](const auto& list) { return list.size(); }).size();

    SampledRows sample;
    for (std::size_t type = 0; type < rows.size(); ++type)
        if (!rows[type].empty()) {
            sample.drawn += std::ssize(rows[type]);
            sample.of += targets.nodes.empty() ? m_local.numNodes(static_cast<int>(type)) : std::ssize(targets.nodes);
        }
    sample.neighbourhood = neighbourhood;
    sample.rows.resize(wanted.size());
    std::vector<std::vector<at::Tensor>> values(wanted.size());
    const Stopwatch watch;
    std::int64_t edges = affordableEdges(m_a), left = runs * edges;
    // As many at a time as have so few edges around them; one that has more is left out.
    for (std::size_t done = 0, count = all, tries = 0; done < all && left > 0 && tries < mostTries && edges >= fewEdges; ++tries) {
        progress.update(static_cast<double>(done) / static_cast<double>(all), "Running the whole model around some nodes");
        const NodeLists chosen = next(rows, done, count), nodes = nodesOf(chosen, targets.nodes);
        const std::optional<LocalGraphs::Part> part = m_local.around(nodes, neighbourhood, edges);
        if (!part) {
            done += count == 1 ? 1 : 0;
            count = std::max<std::size_t>(count / 2, 1);
            continue;
        }
        std::vector<c10::IValue> results;
        const PeakMemory peak;
        try {
            const PagesLimit limit = PagesLimit::ofSystem();
            results = runStage(stage, m_a, m_constants, m_local, *part, store, {progress.stop, {}});
        } catch (const NotEnoughMemory&) {
            edges /= 2;
            continue;
        }
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            const ValueFacts& facts = m_a.values[wanted[i]];
            if (!isCompared(wanted[i]))
                continue;
            const auto t = static_cast<std::size_t>(facts.nodeType);
            std::ranges::copy(chosen[t], std::back_inserter(sample.rows[i]));
            values[i].push_back(targetRows(results[i].toTensor(), facts, at::searchsorted(part->nodes[t], tensorOf(nodes[t]))));
        }
        for (const auto& list : chosen)
            sample.targets += std::ssize(list);
        sample.nodes += part->numNodes();
        sample.edges += part->numEdges();
        sample.peakBytes = std::max(sample.peakBytes, peak.bytes());
        left -= part->numEdges();
        done += count;
        count += part->numEdges() < edges / 4 ? count : 0;
    }
    if (sample.targets == 0 && edges < fewEdges)
        throw NotEnoughMemory("There is not enough memory for the neighbourhood of even one node.");
    if (sample.targets == 0)
        throw NotEnoughMemory("The neighbourhoods of all nodes that were tried are too large to compute them alone.");
    for (std::size_t i = 0; i < wanted.size(); ++i)
        sample.values.push_back(values[i].empty() ? at::Tensor() : at::cat(values[i], m_a.values[wanted[i]].rowDim));
    sample.seconds = watch.seconds();
    return sample;
}

}  // namespace cleave
