#include "core/run/probe.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "core/analysis/adjacency.h"
#include "core/analysis/dims.h"
#include "core/analysis/row_rules.h"
#include "core/base/error.h"
#include "core/run/op_lowering.h"
#include "core/run/tensors.h"

namespace cleave {

namespace {

// Sources and targets: self-loops first, then a hub, doubled edges and random ones; the two nodes before the last one stay isolated. The last one
// does not: programs that count nodes by the largest number among edges find all. ends: how many rows sources and targets are of.
at::Tensor randomEdges(const ProbeGraph& graph, std::pair<std::int64_t, std::int64_t> ends, std::int64_t count, std::mt19937_64& random)
{
    const std::int64_t sources = std::max<std::int64_t>(ends.first - 2, 1), targets = std::max<std::int64_t>(ends.second - 2, 1);
    std::uniform_int_distribution<std::int64_t> anySource(0, sources - 1), anyTarget(0, targets - 1);
    at::Tensor edges = at::empty({2, count}, at::kLong);
    auto* source = edges.data_ptr<std::int64_t>();
    auto* target = source + count;
    for (std::int64_t e = 0; e < count; ++e) {
        source[e] = anySource(random);
        target[e] = e < graph.selfLoops ? source[e] % targets
                    : e % 5 == 0        ? std::min<std::int64_t>(1, targets - 1)
                    : e % 7 == 0        ? target[e - 1]
                                        : anyTarget(random);
        if (e % 7 == 0 && e > graph.selfLoops)
            source[e] = source[e - 1];
        // The number of self-loops is exact, so that it can be told from other counts.
        if (e >= graph.selfLoops && source[e] == target[e] && sources == targets)
            target[e] = (target[e] + 1) % targets;
    }
    const auto putLast = [&](std::int64_t* end, std::int64_t drawn, std::int64_t rows) {
        if (rows > drawn)
            std::replace(end, end + count, drawn - 1, rows - 1);
    };
    if (count > graph.selfLoops + 1 && sources > 1 && targets > 1) {
        source[count - 2] = sources - 1;
        target[count - 2] = source[count - 1] = 0;
        target[count - 1] = targets - 1;
    }
    putLast(source, sources, ends.first);
    putLast(target, targets, ends.second);
    return edges;
}

// Inputs of floating-point numbers that a program makes integers of: categories among features, which it looks up in tables.
std::set<ValueId> readAsIntegers(const Program& program)
{
    std::map<ValueId, ValueId> from;  // of an input alone
    for (const Input& input : program.inputs)
        if (const Value& value = program[input.value]; value.kind == ValueKind::Tensor && isFloating(value.dtype))
            from[input.value] = input.value;
    std::set<ValueId> found;
    for (const Op& op : program.ops) {
        ValueId only;
        int tensors = 0;
        forEachOperand(op, [&](ValueId operand) {
            tensors += program[operand].kind == ValueKind::Tensor;
            if (const auto known = from.find(operand); known != from.end())
                only = known->second;
        });
        if (tensors != 1 || !only.valid())
            continue;
        const bool isCast = op.target == "aten::to" || op.target == "aten::_to_copy" || op.target == "aten::type_as";
        for (const ValueId output : op.outputs)
            if (isFloating(program[output].dtype))
                from[output] = only;
            else if (isCast && isInteger(program[output].dtype))
                found.insert(only);
    }
    return found;
}

// asIntegers: whole numbers that fit tables are found in it, and more.
at::Tensor randomTensor(const Value& value, const std::vector<std::int64_t>& sizes, const ProbeGraph& graph, std::mt19937_64& random,
                        bool asIntegers = false)
{
    if (isFloating(value.dtype) && !asIntegers) {
        // Drawn by LibTorch: while widths are looked for, rows have a hundred thousand entries.
        at::Generator generator = at::make_generator<at::CPUGeneratorImpl>(random());
        at::Tensor normal = at::empty(sizes, at::kFloat).normal_(0, 1, generator);
        // Edge weights must be positive: models take roots of their sums.
        if (value.name.find("weight") != std::string::npos)
            normal.abs_().add_(0.1);
        return normal.to(scalarType(value.dtype));
    }
    const at::Tensor drawn = at::empty(sizes, at::kDouble);
    std::uniform_int_distribution<std::int64_t> integer(graph.leastInteger, std::max(graph.integers - 1, graph.leastInteger));
    std::uniform_real_distribution<double> part(0, 0.99);
    std::generate_n(drawn.data_ptr<double>(), drawn.numel(),
                    [&] { return static_cast<double>(integer(random)) + (asIntegers ? part(random) : 0.0); });
    return drawn.to(scalarType(value.dtype));
}

// Of any width, see ProbeGraph::repeatedWidth.
at::Tensor randomRows(const Value& value, std::vector<std::int64_t> sizes, const ProbeGraph& graph, std::mt19937_64& random, bool asIntegers)
{
    if (sizes.size() != 2 || sizes[1] < graph.repeatedWidth)
        return randomTensor(value, sizes, graph, random, asIntegers);
    return randomTensor(value, {sizes[0], 1}, graph, random, asIntegers).expand(sizes);
}

}  // namespace

at::Tensor randomPointers(std::int64_t count, std::int64_t rows, std::mt19937_64& random)
{
    std::uniform_int_distribution<std::int64_t> any(0, rows);
    at::Tensor pointers = at::empty({count}, at::kLong);
    auto* data = pointers.data_ptr<std::int64_t>();
    std::generate_n(data, count, [&] { return any(random); });
    std::sort(data, data + count);
    if (count > 0) {
        data[0] = 0;
        data[count - 1] = rows;
    }
    return pointers;
}

namespace {

at::Tensor randomMatrix(const Value& value, const std::vector<std::int64_t>& sizes, const ProbeGraph& graph, std::mt19937_64& random)
{
    ProbeGraph sized = graph;
    sized.nodes = sizes.back();
    Value weight = value;
    weight.name = "weight";
    const at::Tensor edges = randomEdges(sized, {sized.nodes, sized.nodes}, graph.edges, random);
    return adjacencyOf(edges, randomTensor(weight, {graph.edges}, graph, random), sized.nodes).reshape(sizes);
}

std::int64_t rowsAt(const at::Tensor& tensor, int dim)
{
    return dim >= 0 && dim < tensor.dim() ? tensor.size(dim) : -1;
}

// Operands with only the rows at `ids`, in that order.
std::vector<c10::IValue> takeRows(const std::vector<c10::IValue>& operands, const std::vector<int>& dims, const at::Tensor& ids)
{
    std::vector<c10::IValue> taken = operands;
    for (std::size_t i = 0; i < taken.size(); ++i)
        if (dims[i] >= 0)
            taken[i] = taken[i].toTensor().index_select(dims[i], ids);
    return taken;
}

bool sameRows(const at::Tensor& expected, const at::Tensor& found)
{
    return expected.sizes() == found.sizes() && at::allclose(found.to(at::kDouble), expected.to(at::kDouble), 1e-4, 1e-6, true);
}

}  // namespace

at::Tensor adjacencyOf(const at::Tensor& edges, const at::Tensor& weights, std::int64_t nodes)
{
    return at::zeros({nodes * nodes}, weights.options()).index_add(0, edges[1] * nodes + edges[0], weights).reshape({nodes, nodes});
}

namespace {

bool isEdgeList(const Program& program, const Input& input)
{
    const Value& value = program[input.value];
    return input.role == Role::GraphStructure && isInteger(value.dtype) && value.sizes.size() == 2 && value.sizes[0] == Dim{2, {}} &&
           !value.sizes[1].isConstant();
}

bool isOfIntegers(const Value& value)
{
    return value.kind == ValueKind::Tensor && isInteger(value.dtype);
}

// How long what the inputs count is, and which rows those that name rows name.
class ProbeSizes {
public:
    ProbeSizes(const Program& program, const ProbeGraph& graph) : m_p(program), m_graph(graph)
    {
        sizeNodes();
        sizeEdges();
        findNamed();
        sizePointers();
        sizeOthers();
    }

    std::int64_t at(const std::string& symbol) const { return m_sizes.at(symbol); }
    bool contains(const Dim& dim) const { return dim.isConstant() || m_sizes.contains(dim.symbol); }

    // A computed size, such as that of a line graph, as well.
    std::int64_t of(const Dim& dim) const
    {
        const auto sizeOf = [&](const std::string& symbol) { return m_sizes.contains(symbol) ? static_cast<double>(m_sizes.at(symbol)) : 0.0; };
        return dim.isConstant() ? dim.value : std::llround(sizeValue(dim.symbol, sizeOf));
    }

    // Of an input that is a number.
    std::int64_t ofNumber(const Value& value) const
    {
        const auto known = value.number.isConstant() ? m_sizes.end() : m_sizes.find(value.number.symbol);
        return known == m_sizes.end() ? m_graph.nodes : known->second;
    }

    bool namesRows(ValueId input, std::size_t end) const { return !m_named.at(input)[end].empty(); }

    // Edges are between nodes that all types have; between other rows, such as edges, those.
    std::int64_t rowsNamedBy(ValueId input, std::size_t end) const
    {
        const std::int64_t most = m_fixed.at(input)[end];
        std::optional<std::int64_t> rows;
        for (const std::string& size : m_named.at(input)[end])
            if (m_nodes.contains(size))
                return std::min(m_graph.nodes, most);
            else if (const auto known = m_sizes.find(size); known != m_sizes.end())
                rows = std::min(rows.value_or(known->second), known->second);
        const std::int64_t others = m_graph.mostNamed > 0 ? std::min(m_graph.nodes, m_graph.mostNamed) : m_graph.nodes;
        return std::min(rows.value_or(others), most);
    }

private:
    // Each node type has more than the one before, and edges between those that all have.
    void sizeNodes()
    {
        for (const Input& input : m_p.inputs) {
            if (!input.isOfNodes())
                continue;
            const std::string& symbol = m_p[input.value].sizes[0].symbol;
            if (m_graph.learnedNodes && input.parameter.valid())
                m_sizes.try_emplace(symbol, m_p[input.parameter].sizes[0]);
            else
                m_sizes.try_emplace(symbol, m_graph.fewOthers && !m_sizes.empty()
                                                ? std::max<std::int64_t>(2, m_graph.nodes / 2 - 2 * std::ssize(m_sizes))
                                                : m_graph.nodes + 3 * std::ssize(m_sizes));
        }
        m_nodes = m_sizes;
    }

    // Another difference on each graph, so that no sum looks like a multiple.
    void sizeEdges()
    {
        std::int64_t edges = m_graph.edges;
        for (const Input& input : m_p.inputs) {
            const Value& value = m_p[input.value];
            if (input.role == Role::GraphStructure && value.sizes.size() == 2 && !value.sizes[1].isConstant() &&
                m_sizes.try_emplace(value.sizes[1].symbol, edges).second)
                edges += 2 * static_cast<std::int64_t>(m_graph.seed);
        }
    }

    // What is read where nodes are has as many rows; other rows are as many as the program says.
    void findNamed()
    {
        for (const Input& input : m_p.inputs) {
            if (!isOfIntegers(m_p[input.value]))
                continue;
            m_named[input.value] = sizesNamedBy(m_p, input.value);
            for (const std::vector<Dim>& rows : cleave::rowsNamedBy(m_p, input.value)) {
                m_fixed[input.value].push_back(std::numeric_limits<std::int64_t>::max());
                for (const Dim& dim : rows)
                    if (dim.isConstant())
                        m_fixed[input.value].back() = std::min(m_fixed[input.value].back(), dim.value);
            }
            for (const std::set<std::string>& sizesOfEnd : m_named[input.value])
                sizeAlike(sizesOfEnd);
        }
    }

    void sizeAlike(const std::set<std::string>& symbols)
    {
        const auto known = std::ranges::find_if(symbols, [&](const std::string& symbol) { return m_sizes.contains(symbol); });
        if (known == symbols.end())
            return;
        for (const std::string& symbol : symbols)
            if (sizeParts(symbol).second.empty())
                m_sizes.try_emplace(symbol, m_sizes.at(*known));
    }

    // Pointers into edges are of nodes, as a program may take for granted.
    void sizePointers()
    {
        for (const Input& input : m_p.inputs)
            if (const Value& value = m_p[input.value]; value.sizes.size() == 1 && !value.sizes[0].isConstant())
                if (const auto divided = rowsDividedBy(m_p, input.value); divided && !m_nodes.contains(divided->symbol))
                    m_sizes.try_emplace(value.sizes[0].symbol, m_graph.nodes + 1);
    }

    // No size is another one and a little more, as that of pointers would be.
    void sizeOthers()
    {
        constexpr std::int64_t apart = 11;
        std::int64_t further = 0;
        for (const Input& input : m_p.inputs)
            for (const Dim& dim : m_p[input.value].sizes)
                if (!contains(dim))
                    m_sizes[dim.symbol] = m_graph.fewOthers ? std::max<std::int64_t>(2, m_graph.nodes / 2 - further++)
                                                            : m_graph.edges + 3 + apart * static_cast<std::int64_t>(m_sizes.size());
    }

    const Program& m_p;
    const ProbeGraph& m_graph;
    std::map<std::string, std::int64_t> m_sizes, m_nodes;           // by symbol; of nodes alone
    std::map<ValueId, std::vector<std::set<std::string>>> m_named;  // by input and end: sizes of the rows that it names
    std::map<ValueId, std::vector<std::int64_t>> m_fixed;           // and the least of those that are numbers
};

// One tensor.
at::Tensor probeTensor(const Program& program, const Input& input, const ProbeGraph& graph, const ProbeSizes& sizes, bool asIntegers,
                       std::mt19937_64& random)
{
    const Value& value = program[input.value];
    std::vector<std::int64_t> shape;
    for (const Dim& dim : value.sizes)
        shape.push_back(dim.isConstant() ? dim.value : sizes.at(dim.symbol));
    const bool isList = shape.size() == 1 && isInteger(value.dtype);
    if (const auto divided = isList ? rowsDividedBy(program, input.value) : std::nullopt)
        return randomPointers(shape[0], sizes.of(*divided), random).to(scalarType(value.dtype));
    if (const auto repeated = isList ? rowsRepeatedBy(program, input.value) : std::nullopt; repeated && sizes.contains(*repeated))
        return randomPointers(shape[0] + 1, sizes.of(*repeated), random).diff().to(scalarType(value.dtype));
    if (isEdgeList(program, input))
        return randomEdges(graph, {sizes.rowsNamedBy(input.value, 0), sizes.rowsNamedBy(input.value, 1)}, shape[1], random);
    if (input.role == Role::GraphStructure && isSquareOfNodes(value))
        return randomMatrix(value, shape, graph, random);
    // Lists of rows name all of these, until it turns out that the program does not take them.
    ProbeGraph named = graph;
    if (isList && sizes.namesRows(input.value, 0)) {
        const std::int64_t rows = sizes.rowsNamedBy(input.value, 0);
        named.integers = graph.integers == graph.nodes ? rows : std::min(graph.integers, rows);
    }
    return randomRows(value, shape, named, random, asIntegers);
}

}  // namespace

Bindings probeInputs(const Program& program, const ProbeGraph& graph)
{
    std::mt19937_64 random(graph.seed);
    const ProbeSizes sizes(program, graph);
    const std::set<ValueId> categories = readAsIntegers(program);
    Bindings bindings;
    for (const Input& input : program.inputs) {
        const Value& value = program[input.value];
        if (value.kind == ValueKind::None)
            bindings[input.value] = c10::IValue();
        else if (value.kind == ValueKind::Float)
            bindings[input.value] = c10::IValue(1.0);
        else if (value.kind != ValueKind::Tensor)
            bindings[input.value] = c10::IValue(sizes.ofNumber(value));
        else
            bindings[input.value] = probeTensor(program, input, graph, sizes, graph.categories || categories.contains(input.value), random);
    }
    return bindings;
}

namespace {

// Rows up to a number that the graph decides: h[:k].
bool takesFirstRows(const Program& program)
{
    return std::ranges::any_of(program.ops, [](const Op& op) {
        const Argument* end = op.target == "aten::slice" ? op.find("end") : nullptr;
        return end != nullptr && end->asValue() != nullptr;
    });
}

}  // namespace

Bindings runnableProbeInputs(const Analysis& analysis, const Constants& constants, ProbeGraph graph, const std::vector<ValueId>& wanted,
                             std::vector<c10::IValue>& results)
{
    struct Try {
        std::int64_t integers, least, moreEdges;  // some programs take edges in pairs
        std::int64_t mostNamed = 0;               // some have few nodes in each graph
        std::int64_t moreNodes = 0;               // some take nodes in pairs
        bool fewOthers = false;                   // some take rows of the first nodes
    };
    const std::int64_t edges = graph.edges, nodes = graph.nodes;
    std::optional<Error> refused;
    for (const auto& [integers, least, more, named, moreNodes, fewOthers] : {Try{graph.nodes, 0, 0},
                                                                             {12, 0, 0},  // some take none of a kind for an error
                                                                             {8, 0, 0},
                                                                             {7, 0, 0},
                                                                             {6, 0, 0},
                                                                             {5, 0, 0},
                                                                             {4, 0, 0},
                                                                             {3, 0, 0},
                                                                             {2, 0, 0},
                                                                             {1, 0, 0},
                                                                             {graph.nodes, 0, 1},
                                                                             {5, 0, 1},
                                                                             {1, 0, 1},
                                                                             {graph.nodes, 1, 0},
                                                                             {6, 1, 0},
                                                                             {4, 1, 0},
                                                                             {2, 1, 0},
                                                                             {graph.nodes, 0, 0, assumedSize},
                                                                             {5, 0, 0, 4},
                                                                             {2, 0, 0, 2},
                                                                             {graph.nodes, 0, 0, 0, 1},
                                                                             {graph.nodes, 0, 1, 0, 1},
                                                                             {graph.nodes, 0, 0, 0, 0, true}}) {
        if (fewOthers && !takesFirstRows(analysis.program))
            continue;
        graph.integers = integers;
        graph.mostNamed = named;
        graph.leastInteger = least;
        graph.edges = edges + more;
        graph.nodes = nodes + moreNodes;
        graph.fewOthers = fewOthers;
        Bindings inputs = probeInputs(analysis.program, graph);
        try {
            results = runWhole(analysis, constants, inputs, wanted);
            return inputs;
        } catch (const Error& error) {
            if (!refused || (least == 0 && named == 0 && moreNodes == 0 && !fewOthers))
                refused = error;  // as a user would count
        }
    }
    throw Error(*refused);
}

std::optional<std::vector<int>> probeOnOperands(const Program& program, OpId op, const std::vector<c10::IValue>& operands,
                                                const std::vector<int>& dims, int shapeRowDim)
{
    std::int64_t rows = -1;
    for (std::size_t i = 0; i < operands.size(); ++i)
        if (dims[i] >= 0)
            rows = rowsAt(operands[i].toTensor(), dims[i]);
    if (rows < 3)
        return {};
    const at::Tensor reversed = at::arange(rows - 1, -1, -1, at::kLong);
    const at::Tensor some = at::arange(0, rows - 1, 2, at::kLong);
    const at::Tensor one = at::arange(1, 2, at::kLong);
    const auto call = [&](const std::vector<c10::IValue>& given, std::int64_t count) {
        return callOp(
            program, op, [&](std::size_t i, ValueId) { return given.at(i); },
            shapeRowDim >= 0 ? std::optional(RowNumber{shapeRowDim, count}) : std::nullopt);
    };
    const auto whole = call(operands, rows);
    std::vector<int> found(whole.size(), -1);
    for (std::size_t i = 0; i < whole.size(); ++i) {
        const at::Tensor expected = whole[i].toTensor();
        for (int dim = 0; dim < expected.dim() && found[i] < 0; ++dim) {
            const bool fits = expected.size(dim) == rows && std::ranges::all_of(std::vector{reversed, some, one}, [&](const at::Tensor& ids) {
                                  const auto part = call(takeRows(operands, dims, ids), ids.numel());
                                  return sameRows(expected.index_select(dim, ids), part[i].toTensor());
                              });
            if (fits)
                found[i] = dim;
        }
        if (found[i] < 0)
            return {};
    }
    return found;
}

bool LibTorchEvaluator::mayShareMemory(const Op& op) const
{
    const auto schema = c10::Dispatcher::singleton().findSchema({op.target, op.overload});
    return schema && std::ranges::any_of(schema->schema().returns(), [](const c10::Argument& result) { return result.alias_info() != nullptr; });
}

namespace {

Constants weightsOf(const Program& program)
{
    Constants constants(program.values.size());
    for (std::size_t v = 0; v < program.values.size(); ++v)
        if (const Value& value = program.values[v]; value.weight.valid())
            constants[ValueId{static_cast<int>(v)}] = toTensor(program[value.weight]);
    return constants;
}

}  // namespace

std::optional<Array> LibTorchEvaluator::evaluate(const Program& program, ValueId value) const
{
    Analysis part;
    part.program = program;
    part.values.resize(program.values.size());
    try {
        std::optional<Array> array;
        guarded("Computing from parameters failed", [&] {
            const c10::IValue result = runWhole(part, weightsOf(program), {}, {value}).front();
            if (result.isTensor())
                array = toArray(result.toTensor().contiguous());
        });
        return array;
    } catch (const Error&) {
        return {};
    }
}

std::optional<std::vector<int>> LibTorchEvaluator::probeRowWise(const Program& program, OpId op, const std::vector<int>& operandRowDims) const
{
    // The op's operands as they are on a random graph.
    Analysis part;
    part.program = program;
    part.values.resize(program.values.size());
    const Constants constants = weightsOf(program);
    std::vector<ValueId> operands;
    forEachOperand(program[op], [&](ValueId id) { operands.push_back(id); });
    try {
        std::vector<c10::IValue> values;
        runnableProbeInputs(part, constants, {13, 41, 3, 4, 7}, operands, values);
        std::optional<std::vector<int>> rows;
        guarded("Probing failed", [&] { rows = probeOnOperands(program, op, values, operandRowDims); });
        return rows;
    } catch (const Error&) {
        return {};
    }
}

}  // namespace cleave
