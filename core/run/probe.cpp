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

// From 0 to all rows.
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

Bindings probeInputs(const Program& program, const ProbeGraph& graph)
{
    std::mt19937_64 random(graph.seed);
    std::map<std::string, std::int64_t> sizes;
    for (const Input& input : program.inputs) {
        const Value& value = program[input.value];
        // Each node type has more than the one before, and edges between those that all have.
        if (input.role == Role::NodeFeatures && graph.learnedNodes && input.parameter.valid())
            sizes.try_emplace(value.sizes[0].symbol, program[input.parameter].sizes[0]);
        else if (input.role == Role::NodeFeatures)
            sizes.try_emplace(value.sizes[0].symbol, graph.fewOthers && !sizes.empty()
                                                         ? std::max<std::int64_t>(2, graph.nodes / 2 - 2 * std::ssize(sizes))
                                                         : graph.nodes + 3 * std::ssize(sizes));
    }
    const std::map<std::string, std::int64_t> nodes = sizes;
    std::int64_t edges = graph.edges;
    for (const Input& input : program.inputs) {
        const Value& value = program[input.value];
        if (input.role == Role::GraphStructure && value.sizes.size() == 2 && !value.sizes[1].isConstant() && !sizes.contains(value.sizes[1].symbol)) {
            sizes[value.sizes[1].symbol] = edges;
            edges += 2 * static_cast<std::int64_t>(graph.seed);  // another difference on each graph, so that no sum looks like a multiple
        }
    }
    const auto isEdges = [&](const Input& input) {
        const Value& value = program[input.value];
        return input.role == Role::GraphStructure && value.sizes.size() == 2 && value.sizes[0] == Dim{2, {}} && !value.sizes[1].isConstant();
    };
    // What is read where nodes are has as many rows.
    std::map<ValueId, std::vector<std::set<std::string>>> named;
    std::map<ValueId, std::vector<std::int64_t>> fixed;  // or as many as the program says
    for (const Input& input : program.inputs)
        if (const Value& value = program[input.value]; value.kind == ValueKind::Tensor && isInteger(value.dtype)) {
            named[input.value] = sizesNamedBy(program, input.value);
            for (const std::vector<Dim>& rows : rowsNamedBy(program, input.value)) {
                fixed[input.value].push_back(std::numeric_limits<std::int64_t>::max());
                for (const Dim& dim : rows)
                    if (dim.isConstant())
                        fixed[input.value].back() = std::min(fixed[input.value].back(), dim.value);
            }
            for (const std::set<std::string>& sizesOfEnd : named[input.value])
                if (const auto known = std::ranges::find_if(sizesOfEnd, [&](const std::string& size) { return sizes.contains(size); });
                    known != sizesOfEnd.end())
                    for (const std::string& size : sizesOfEnd)
                        if (sizeParts(size).second.empty())
                            sizes.try_emplace(size, sizes.at(*known));
        }
    // Pointers into edges are of nodes, as a program may take for granted.
    for (const Input& input : program.inputs)
        if (const Value& value = program[input.value]; value.sizes.size() == 1 && !value.sizes[0].isConstant())
            if (const auto divided = rowsDividedBy(program, input.value); divided && !nodes.contains(divided->symbol))
                sizes.try_emplace(value.sizes[0].symbol, graph.nodes + 1);
    // No size is another one and a little more, as that of pointers would be.
    constexpr std::int64_t apart = 11;
    std::int64_t further = 0;
    for (const Input& input : program.inputs)
        for (const Dim& dim : program[input.value].sizes)
            if (!dim.isConstant() && !sizes.contains(dim.symbol))
                sizes[dim.symbol] = graph.fewOthers ? std::max<std::int64_t>(2, graph.nodes / 2 - further++)
                                                    : graph.edges + 3 + apart * static_cast<std::int64_t>(sizes.size());
    // Edges are between nodes that all types have; between other rows, such as edges, those.
    const auto rowsOf = [&](ValueId input, std::size_t end) {
        const std::int64_t most = fixed.at(input)[end];
        std::optional<std::int64_t> rows;
        for (const std::string& size : named.at(input)[end])
            if (nodes.contains(size))
                return std::min(graph.nodes, most);
            else if (const auto known = sizes.find(size); known != sizes.end())
                rows = std::min(rows.value_or(known->second), known->second);
        const std::int64_t others = graph.mostNamed > 0 ? std::min(graph.nodes, graph.mostNamed) : graph.nodes;
        return std::min(rows.value_or(others), most);
    };
    const std::set<ValueId> categories = readAsIntegers(program);
    Bindings bindings;
    for (const Input& input : program.inputs) {
        const Value& value = program[input.value];
        if (value.kind == ValueKind::None) {
            bindings[input.value] = c10::IValue();
            continue;
        }
        if (value.kind != ValueKind::Tensor) {
            const auto known = value.number.isConstant() ? sizes.end() : sizes.find(value.number.symbol);
            const std::int64_t number = known == sizes.end() ? graph.nodes : known->second;
            bindings[input.value] = value.kind == ValueKind::Float ? c10::IValue(1.0) : c10::IValue(number);
            continue;
        }
        std::vector<std::int64_t> shape;
        for (const Dim& dim : value.sizes)
            shape.push_back(dim.isConstant() ? dim.value : sizes.at(dim.symbol));
        // Lists of rows name all of these, until it turns out that the program does not take them.
        ProbeGraph of = graph;
        if (shape.size() == 1 && isInteger(value.dtype) && !named.at(input.value)[0].empty())
            of.integers = graph.integers == graph.nodes ? rowsOf(input.value, 0) : std::min(graph.integers, rowsOf(input.value, 0));
        const auto divided = shape.size() == 1 && isInteger(value.dtype) ? rowsDividedBy(program, input.value) : std::nullopt;
        const auto repeated = shape.size() == 1 && isInteger(value.dtype) ? rowsRepeatedBy(program, input.value) : std::nullopt;
        const auto sizeOf = [&](const std::string& symbol) { return sizes.contains(symbol) ? static_cast<double>(sizes.at(symbol)) : 0.0; };
        if (divided)
            bindings[input.value] =
                randomPointers(shape[0], divided->isConstant() ? divided->value : std::llround(sizeValue(divided->symbol, sizeOf)), random)
                    .to(scalarType(value.dtype));
        else if (repeated && (repeated->isConstant() || sizes.contains(repeated->symbol)))
            bindings[input.value] = randomPointers(shape[0] + 1, repeated->isConstant() ? repeated->value : sizes.at(repeated->symbol), random)
                                        .diff()
                                        .to(scalarType(value.dtype));
        else if (isEdges(input))
            bindings[input.value] = randomEdges(graph, {rowsOf(input.value, 0), rowsOf(input.value, 1)}, shape[1], random);
        else if (input.role == Role::GraphStructure && isSquareOfNodes(value))
            bindings[input.value] = randomMatrix(value, shape, graph, random);
        else
            bindings[input.value] = randomRows(value, shape, of, random, graph.categories || categories.contains(input.value));
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
                                                                  {5, 0, 0},
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
