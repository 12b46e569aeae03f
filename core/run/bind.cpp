#include "core/run/bind.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <thread>

#include "core/analysis/dims.h"
#include "core/analysis/message_passing.h"
#include "core/analysis/op_view.h"
#include "core/analysis/shape_text.h"
#include "core/base/error.h"
#include "core/base/format.h"
#include "core/base/stopping.h"
#include "core/graph/array_names.h"
#include "core/model/size_term.h"
#include "core/run/allocator.h"
#include "core/run/dense.h"
#include "core/run/precision.h"
#include "core/run/side_by_side.h"
#include "core/run/tensors.h"

namespace cleave {

namespace {

bool mayBeRandom(const Program& program, const Input& input, const RunOptions& options)
{
    const Value& value = program[input.value];
    return input.role == Role::NodeFeatures && !input.parameter.valid() && value.kind == ValueKind::Tensor && isFloating(value.dtype) &&
           !options.inputs.contains(value.name);
}

const Array& arrayFor(const Program& program, const Input& input, const DataGraph& graph, const RunOptions& options)
{
    const Value& value = program[input.value];
    const auto renamed = options.inputs.find(value.name);
    const std::string& name = renamed == options.inputs.end() ? value.name : renamed->second;
    const auto array = findArray(graph.arrays, name);
    for (const auto& [maskName, mask] : {std::pair("train_mask", &graph.trainMask), {"val_mask", &graph.valMask}, {"test_mask", &graph.testMask}})
        if (array == graph.arrays.end() && name == maskName && *mask)
            return **mask;
    const auto isThere = [&](const std::string& known) { return graph.hasEdges || known != "edge_index"; };
    if (array == graph.arrays.end() || !isThere(array->first)) {
        std::vector<std::string> names;
        for (const auto& [known, unused] : graph.arrays)
            if (isThere(known))
                names.push_back(known);
        if (renamed != options.inputs.end())
            throw Error("The graph " + graph.name + " has no array '" + printable(name) + "'; it has " + join(names, ", ") + ".");
        throw Error("The graph " + graph.name + " has no array '" + printable(name) + "' for the model's input of that name; it has " +
                    join(names, ", ") + ". Choose one with --input " + value.name + "=ARRAY" +
                    (mayBeRandom(program, input, options) ? ", or let random numbers take its place (--features random)." : "."));
    }
    return array->second;
}

bool isRandom(const Program& program, const Input& input, const DataGraph& graph, const RunOptions& options)
{
    return options.randomFeatures && mayBeRandom(program, input, options) && findArray(graph.arrays, program[input.value].name) == graph.arrays.end();
}

at::Tensor randomRows(const Value& value, std::int64_t numNodes, std::map<std::string, std::int64_t>& sizes)
{
    std::vector<std::int64_t> shape;
    for (const Dim& dim : value.sizes)
        shape.push_back(dim.isConstant() ? dim.value : sizes.try_emplace(dim.symbol, numNodes).first->second);
    at::Tensor rows = at::empty(shape, at::kFloat);
    std::mt19937_64 random(1);
    std::normal_distribution<float> normal;
    constexpr std::int64_t atOnce = 1 << 16;
    for (std::int64_t first = 0; first < rows.numel(); first += atOnce) {
        checkStop();
        std::generate_n(rows.data_ptr<float>() + first, std::min(atOnce, rows.numel() - first), [&] { return normal(random); });
    }
    return rows.to(scalarType(value.dtype));
}

// Each number times 1 - step or 1 + step.
at::Tensor jittered(const at::Tensor& rows, double step, int seed)
{
    constexpr std::int64_t atOnce = 1 << 20;
    at::Generator random = at::detail::createCPUGenerator(static_cast<std::uint64_t>(seed));
    at::Tensor moved = rows.clone(at::MemoryFormat::Contiguous);
    const at::Tensor all = moved.view({-1});
    for (std::int64_t first = 0; first < all.numel(); first += atOnce) {
        checkStop();
        at::Tensor part = all.narrow(0, first, std::min(atOnce, all.numel() - first));
        part.mul_(at::randint(2, part.sizes(), random, at::kDouble).mul_(2 * step).add_(1 - step).to(rows.scalar_type()));
    }
    return moved;
}

// Weights of edges that stood in a matrix: 1 where the graph has none.
bool lacksWeights(const Program& program, const Input& input, const DataGraph& graph, const RunOptions& options)
{
    const std::string& name = program[input.value].name;
    return !input.matrix.empty() && input.role == Role::EdgeFeatures && !options.inputs.contains(name) &&
           findArray(graph.arrays, name) == graph.arrays.end();
}

// A matrix that the graph has under the name that forward calls it by, [V, V] or [1, V, V], unless edges were chosen in its place.
const Array* matrixFor(const Program& program, const std::string& name, const DataGraph& graph, const RunOptions& options)
{
    const auto isChosen = [&](const Input& input) { return input.matrix == name && options.inputs.contains(program[input.value].name); };
    const auto found = findArray(graph.arrays, name);
    if (found == graph.arrays.end() || std::ranges::any_of(program.inputs, isChosen))
        return nullptr;
    const std::vector<std::int64_t>& shape = found->second.shape;
    const bool isSquare = shape.size() > 1 && shape[shape.size() - 1] == shape[shape.size() - 2];
    return isSquare && (shape.size() == 2 || (shape.size() == 3 && shape[0] == 1)) ? &found->second : nullptr;
}

// Entries that are not 0 are edges: from the node of their column to that of their row.
void bindMatrix(const Program& program, const std::string& name, const Array& array, const DataGraph& graph, Bindings& bindings,
                std::map<std::string, std::int64_t>& sizes)
{
    const std::int64_t nodes = array.shape.back();
    if (!graph.isTyped && nodes != graph.numNodes)
        throw Error("The adjacency matrix '" + printable(name) + "' of graph " + graph.name + " has " + formatCount(nodes) +
                    " rows and columns, but the graph has " + formatCount(graph.numNodes) + " nodes.");
    const at::Tensor matrix = toTensor(array).reshape({nodes, nodes});
    const std::vector<at::Tensor> places = matrix.nonzero().unbind(1);
    for (const Input& input : program.inputs)
        if (const Value& value = program[input.value]; input.matrix == name) {
            sizes[value.sizes.back().symbol] = places[0].size(0);
            bindings[input.value] = input.role == Role::GraphStructure ? at::stack({places[1], places[0]})
                                                                       : matrix.index({places[0], places[1]}).to(scalarType(value.dtype));
        }
}

// Whether integers are those of another type.
bool holds(DType dtype, const at::Tensor& entries)
{
    if (entries.numel() == 0 || entries.scalar_type() == at::kBool || static_cast<std::int64_t>(itemSize(dtype)) > entries.element_size())
        return true;
    const auto [least, largest] = entries.aminmax();
    const at::Tensor both = at::stack({least, largest}).to(at::kLong);
    return both.to(scalarType(dtype)).to(at::kLong).equal(both);
}

// The array as the model's input: type widened where nothing is lost, shape checked against the sizes of the export.
at::Tensor bind(const Analysis& analysis, const Input& input, const DataGraph& graph, const RunOptions& options,
                std::map<std::string, std::int64_t>& sizes)
{
    const Program& program = analysis.program;
    const Value& value = program[input.value];
    const Array& array = arrayFor(program, input, graph, options);
    const auto mismatch = [&](const std::string& expected) {
        std::vector<Dim> asGiven(value.sizes.size());
        for (std::size_t d = 0; d < asGiven.size(); ++d)
            asGiven[input.dimOfForward(d)] = value.sizes[d];
        return Error("Input '" + value.name + "' of the model is " + std::string(dtypeName(value.dtype)) + " " + sizesText(analysis, asGiven) +
                     ", but the array of graph " + graph.name + " is " + std::string(dtypeName(array.dtype)) + " " + shapeText(array.shape) + ": " +
                     expected + ".");
    };
    if (array.shape.size() != value.sizes.size())
        throw mismatch("the number of dimensions differs");
    for (std::size_t d = 0; d < array.shape.size(); ++d) {
        const Dim& dim = value.sizes[d];
        const std::int64_t size = array.shape[input.dimOfForward(d)];
        if (const std::int64_t expected = dim.isConstant() ? dim.value : sizes.try_emplace(dim.symbol, size).first->second; size != expected)
            throw mismatch("dimension " + std::to_string(input.dimOfForward(d)) + " must be " + std::to_string(expected));
    }
    const bool bothFloat = isFloating(array.dtype) && isFloating(value.dtype);
    const bool bothInteger = (isInteger(array.dtype) || array.dtype == DType::Bool) && isInteger(value.dtype);
    const bool toFloat = isFloating(value.dtype) && (isInteger(array.dtype) || array.dtype == DType::Bool);
    if (array.dtype != value.dtype && !bothFloat && !bothInteger && !toFloat)
        throw mismatch("the type does not fit");
    // A script does not say which of both it takes, and rows at a mask are others than those at zeros and ones.
    if (program.producer == "TorchScript" && (array.dtype == DType::Bool) != (value.dtype == DType::Bool))
        throw mismatch("open the model with the graph, so that it is read as it is run");
    const at::Tensor tensor = toTensor(array);
    if (array.dtype != value.dtype && bothInteger && !holds(value.dtype, tensor))
        throw mismatch("its numbers are too large for that type");
    return (input.rowDim > 0 ? tensor.movedim(input.rowDim, 0) : tensor).to(scalarType(value.dtype)).contiguous();
}

// A sum, product or fraction of sizes that are known.
std::optional<std::int64_t> exactSize(const Dim& dim, const std::map<std::string, std::int64_t>& sizes)
{
    if (const auto fraction = sizeFraction(dim.symbol)) {
        const auto symbol = sizes.find(fraction->first);
        const auto whole = symbol != sizes.end() ? std::optional(symbol->second) : exactSize(Dim{0, fraction->first}, sizes);
        return whole ? std::optional(*whole / fraction->second) : std::nullopt;
    }
    const auto [name, parts] = sizeParts(dim.symbol);
    if (name != "Add" && name != "Mul")
        return {};
    std::int64_t size = name == "Add" ? 0 : 1;
    for (const std::string& part : parts) {
        const auto symbol = sizes.find(part);
        const auto known = sizeNumber(part)      ? sizeNumber(part)
                           : symbol != sizes.end() && sizeParts(part).second.empty() ? std::optional(symbol->second)
                                                                                      : exactSize(Dim{0, part}, sizes);
        if (!known || (name == "Add" ? __builtin_add_overflow(size, *known, &size) : __builtin_mul_overflow(size, *known, &size)))
            return {};
    }
    return size;
}

void checkRange(const Program& program, const Input& input, const at::Tensor& tensor, std::int64_t least, std::int64_t rows, bool areNodes)
{
    if (tensor.numel() == 0)
        return;
    const std::int64_t first = tensor.min().item<std::int64_t>(), last = tensor.max().item<std::int64_t>();
    if (first >= least && last < rows)
        return;
    const std::string wrong = std::to_string(first < least ? first : last), name = printable(program[input.value].name);
    if (areNodes && rows == 0)
        throw Error("Input '" + name + "' names node " + wrong + ", but there are none.");
    if (areNodes)
        throw Error("Input '" + name + "' names node " + wrong + ", but the graph has nodes 0 to " + std::to_string(rows - 1) + ".");
    if (rows == 0)
        throw Error("Input '" + name + "' names row " + wrong + ", but there are none.");
    throw Error("Input '" + name + "' names row " + wrong + ", but there are rows 0 to " + std::to_string(rows - 1) + ".");
}

bool holdsIndices(const Program& program, const Input& input)
{
    return input.role == Role::GraphStructure && isInteger(program[input.value].dtype);
}

// Into how many rows a traced op adds up those that a list of numbers divides, where it says so itself: 4 for scatter(x, batch) of four graphs.
std::optional<std::int64_t> fixedGroups(const Program& program, ValueId list)
{
    for (std::size_t i = 0; i < program.ops.size(); ++i)
        if (const auto scatter = scatterForm(program, OpId{static_cast<int>(i)});
            scatter && program.ops[i].source.code.empty() && viewRoot(program, scatter->index) == list)
            if (const Dim& rows = program[scatter->self].sizes.at(static_cast<std::size_t>(scatter->rowDim)); rows.isConstant())
                return rows.value;
    return {};
}

// int(batch.max()) + 1 is a number in a trace. What divides rows by another name may leave out some kinds of a number that is the model's own.
void checkGroups(const Program& program, const Input& input, const at::Tensor& tensor)
{
    const std::string& name = program[input.value].name;
    const bool isOfGraphs =
        name.find("batch") != std::string::npos || name.find("graph") != std::string::npos || name.find("mol") != std::string::npos;
    if (!program.isTrace || !isOfGraphs || tensor.dim() != 1 || tensor.numel() == 0 || program[input.value].sizes[0].isConstant())
        return;
    const std::optional<std::int64_t> fixed = fixedGroups(program, input.value);
    if (const std::int64_t groups = tensor.max().item<std::int64_t>() + 1; fixed && groups != *fixed)
        throw Error(
            "Input '" + printable(name) + "' divides rows into " + std::to_string(groups) + ", but the trace adds them up into " +
            std::to_string(*fixed) +
            ", as many as there were when it was made: trace the model on as many graphs, or export it by torch.export with their number as an input of forward.");
}

// Nodes that edges name must be there, or what else there is a row for; of an index that the program computes with, in the type that has most.
void checkIndices(const Analysis& analysis, const Input& input, const at::Tensor& tensor, const std::map<std::string, std::int64_t>& sizes)
{
    const auto count = [&](const std::string& size) -> std::optional<std::int64_t> {
        bool isKnown = true;
        const double rows = sizeValue(size, [&](const std::string& symbol) {
            const auto known = sizes.find(symbol);
            isKnown = isKnown && known != sizes.end();
            return isKnown ? static_cast<double>(known->second) : 0.0;
        });
        return isKnown ? std::optional(std::llround(rows)) : std::nullopt;
    };
    checkGroups(analysis.program, input, tensor);
    const auto divided = tensor.dim() == 1 && tensor.numel() > 0 ? rowsDividedBy(analysis.program, input.value) : std::nullopt;
    if (const auto rows = divided ? divided->isConstant() ? std::optional(divided->value) : count(divided->symbol) : std::nullopt) {
        const at::Tensor pointers = tensor.to(at::kLong).contiguous();
        const std::span<const std::int64_t> all(pointers.data_ptr<std::int64_t>(), static_cast<std::size_t>(pointers.numel()));
        if (all.front() != 0 || all.back() != *rows || !std::ranges::is_sorted(all))
            throw Error("Input '" + printable(analysis.program[input.value].name) + "' must go from 0 to " + std::to_string(*rows) +
                        ", and never down: it says where rows begin and end.");
        return;
    }
    std::int64_t most = 0;
    for (const NodeType& type : analysis.nodeTypes)
        most = std::max(most, count(type.symbol).value_or(0));
    const std::vector<std::vector<Dim>> named = rowsNamedBy(analysis.program, input.value);
    const std::vector<std::set<int>> types = typesNamedBy(analysis, input.value);
    const bool isList = analysis.program[input.value].sizes.size() == 1, isPairs = tensor.dim() == 2 && tensor.size(0) == 2;
    // What no op reads names nothing.
    const bool isRead = std::ranges::any_of(analysis.program.ops, [&](const Op& op) {
        bool reads = false;
        forEachOperand(op, [&](ValueId operand) { reads = reads || operand == input.value; });
        return reads;
    });
    if (!isRead)
        return;
    // Numbers with another role may count from the end, as an op may take them to.
    const bool isStructure = holdsIndices(analysis.program, input);
    for (std::size_t row = 0; row < (isPairs ? 2 : 1); ++row) {
        std::optional<std::int64_t> rows;
        bool areNodes = true;
        if (isPairs || isList)
            for (const Dim& size : named[row])
                if (const auto counted = size.isConstant() ? size.value : count(size.symbol); counted && (!rows || *counted < *rows)) {
                    rows = counted;
                    const int type = size.isConstant() ? -1 : analysis.typeCountedBy(size.symbol);
                    areNodes = type >= 0 && analysis.isGiven(type);
                }
        const at::Tensor entries = isPairs ? tensor[static_cast<std::int64_t>(row)] : tensor;
        // Beside what names edges, or anything else that is no node, an index that the program computes with may name as many of them.
        const bool isOfOthers = isPairs && named[row].empty() && !named[1 - row].empty() && types[0].empty() && types[1].empty();
        if (isStructure && isOfOthers)
            continue;  // checked where rows are read
        if (isStructure)
            checkRange(analysis.program, input, entries, 0, rows.value_or(most), areNodes);
        else if (rows)
            checkRange(analysis.program, input, entries, -*rows, *rows, areNodes);
    }
}

}  // namespace

bool isCalledNumberOfNodes(const std::string& name)
{
    static const std::set<std::string_view> counts{"n", "N", "size", "dim_size"};
    return name.find("node") != std::string::npos || counts.contains(name);
}

namespace {

// A number among the inputs is a size that the tensors have, one that the graph has an array of, or the number of nodes if it is called so.
std::int64_t numberFor(const Program& program, const Input& input, const DataGraph& graph, const RunOptions& options,
                       const std::map<std::string, std::int64_t>& sizes)
{
    const Value& value = program[input.value];
    if (value.number.isConstant())
        return value.number.value;
    const auto renamed = options.inputs.find(value.name);
    const auto array = findArray(graph.arrays, renamed == options.inputs.end() ? value.name : renamed->second);
    const auto size = sizes.find(value.number.symbol);
    const bool isCount = isCalledNumberOfNodes(value.name);
    std::optional<std::int64_t> given;
    if (array != graph.arrays.end() && array->second.count() == 1 && isInteger(array->second.dtype))
        given = toTensor(array->second).reshape({}).to(at::kLong).item<std::int64_t>();
    // Scripts do not tell a number from that of nodes.
    const bool isOfNodes = program.producer == "TorchScript";
    if (size != sizes.end() && (!isOfNodes || (given ? *given == size->second : isCount)))
        return size->second;
    if (isOfNodes || (!given && !isCount))
        throw Error("Input '" + value.name + "' is a number that a graph does not have.");
    return given.value_or(graph.numNodes);
}

// A script that was read on graphs of other sizes may do something else on this one.
void checkGuards(const Program& program, const std::map<std::string, std::int64_t>& sizes)
{
    const auto sizeOf = [&](const Dim& size) -> std::optional<double> {
        if (size.isConstant())
            return static_cast<double>(size.value);
        const auto known = sizes.find(size.symbol);
        const auto exact = known != sizes.end() ? std::optional(known->second) : exactSize(size, sizes);
        return exact ? std::optional(static_cast<double>(*exact)) : std::nullopt;
    };
    for (const SizeGuard& guard : program.guards)
        if (const auto value = evaluated(guard.term, sizeOf); value && *value != guard.value)
            throw Error("The script works out something else for this graph's sizes at " + printable(guard.source.file) + ":" +
                        std::to_string(guard.source.line) + " than for those that it was read with: export the model by torch.export.");
}

// How many nodes of a type there must be for the edges that name them.
std::int64_t nodesNamed(const Analysis& analysis, const Bindings& bindings, int type)
{
    std::int64_t nodes = 0;
    for (const Input& input : analysis.program.inputs)
        if (const auto bound = bindings.find(input.value);
            bound != bindings.end() && holdsIndices(analysis.program, input) && analysis.program[input.value].sizes.size() == 2) {
            const std::vector<std::set<int>> named = typesNamedBy(analysis, input.value);
            for (std::size_t row = 0; row < named.size(); ++row)
                if (const at::Tensor index = bound->second.toTensor(); named[row].contains(type) && index.numel() > 0)
                    nodes = std::max(nodes, index[static_cast<std::int64_t>(row)].max().item<std::int64_t>() + 1);
        }
    return nodes;
}

}  // namespace

Bindings bindInputs(const Model& model, const DataGraph& graph, const RunOptions& options)
{
    requireUnchanged(graph);
    const Analysis& analysis = *model.analysis;
    const Program& program = analysis.program;
    Bindings bindings;
    std::map<std::string, std::int64_t> sizes;
    for (const auto& [name, unused] : options.inputs)
        if (std::ranges::none_of(program.inputs, [&](const Input& i) { return program[i.value].name == name; }))
            throw Error("The model has no input '" + printable(name) + "'.");
    guarded("The graph does not fit the model", [&] {
        for (const Input& input : program.inputs)
            if (input.parameter.valid()) {
                const Weight& weight = program[input.parameter];
                if (analysis.onlyGiven() >= 0 && graph.statesNodes && weight.sizes[0] != graph.numNodes)
                    throw Error("Parameter '" + printable(weight.name) + "' has " + formatCount(weight.sizes[0]) + " rows, but graph " + graph.name +
                                " has " + formatCount(graph.numNodes) + " nodes.");
                sizes[program[input.value].sizes[0].symbol] = weight.sizes[0];
                bindings[input.value] = toTensor(weight);
            }
        for (const Input& input : program.inputs) {
            const Value& value = program[input.value];
            if (bindings.contains(input.value) || isRandom(program, input, graph, options))
                continue;
            if (const Array* matrix = input.matrix.empty() ? nullptr : matrixFor(program, input.matrix, graph, options))
                bindMatrix(program, input.matrix, *matrix, graph, bindings, sizes);
            else if (value.kind == ValueKind::Tensor && lacksWeights(program, input, graph, options))
                bindings[input.value] = at::ones({sizes.at(value.sizes[0].symbol)}, scalarType(value.dtype));
            else if (value.kind == ValueKind::Tensor)
                bindings[input.value] = bind(analysis, input, graph, options, sizes);
            else if (value.kind == ValueKind::None)
                bindings[input.value] = c10::IValue();
        }
        for (const Input& input : program.inputs)
            if (!input.parameter.valid() && isRandom(program, input, graph, options)) {
                const Value& value = program[input.value];
                const std::int64_t nodes =
                    analysis.onlyGiven() >= 0 ? graph.numNodes : nodesNamed(analysis, bindings, analysis.typeCountedBy(value.sizes.front().symbol));
                bindings[input.value] = randomRows(value, nodes, sizes);
            }
        for (const Input& input : program.inputs) {
            const Value& value = program[input.value];
            for (std::size_t d = 0; bindings.contains(input.value) && d < value.sizes.size(); ++d) {
                const std::int64_t found = bindings.at(input.value).toTensor().size(static_cast<std::int64_t>(d));
                if (const auto size = exactSize(value.sizes[d], sizes); size && found != *size)
                    throw Error("Input '" + printable(value.name) + "' must have " + std::to_string(*size) + " entries along dimension " +
                                std::to_string(input.dimOfForward(d)) + " beside the other inputs, and not " + std::to_string(found) + ".");
            }
        }
        for (const Input& input : program.inputs)
            if (program[input.value].kind == ValueKind::Int) {
                bindings[input.value] = numberFor(program, input, graph, options, sizes);
            } else if (!bindings.contains(input.value)) {
                throw Error("Input '" + program[input.value].name + "' is a number that a graph does not have.");
            }
        checkGuards(program, sizes);
        const DType narrowest = options.jitter > 0 ? narrowestType(program) : DType::Float64;
        for (const Input& input : program.inputs)
            if (options.jitter > 0 && program[input.value].kind == ValueKind::Tensor && isFloating(program[input.value].dtype))
                bindings[input.value] = jittered(bindings.at(input.value).toTensor(), std::max(stepOf(program[input.value].dtype), stepOf(narrowest)), options.jitter);
        for (const Input& input : program.inputs)
            if (program[input.value].kind == ValueKind::Tensor && isInteger(program[input.value].dtype))
                checkIndices(analysis, input, bindings.at(input.value).toTensor(), sizes);
    });
    return bindings;
}

std::vector<std::string> randomInputs(const Program& program, const DataGraph& graph, const RunOptions& options)
{
    std::vector<std::string> names;
    for (const Input& input : program.inputs)
        if (isRandom(program, input, graph, options))
            names.push_back(program[input.value].name);
    return names;
}

void useThreads(const RunOptions& options)
{
    useOwnAllocator();
    shareThreads();
    yieldToOthers();
    useDense(options.dense);
    useTorchThreads(options.threadsUsed());
    denseRates();  // measured before anything else is
}

namespace {

// An input's entries, or those of one of its columns; undefined for what is computed otherwise.
at::Tensor entriesOf(const Program& program, const Bindings& inputs, ValueId index)
{
    if (const auto input = inputs.find(index); input != inputs.end())
        return input->second.toTensor().to(at::kLong);
    const OpId maker = program[index].producer;
    if (!maker.valid() || program[maker].target != "aten::select")
        return {};
    const OpView view(program, program[maker]);
    const auto input = inputs.find(view.value("self"));
    const std::optional<int> dim = view.dim("dim", view.rank("self"));
    const std::optional<std::int64_t> entry = view.integer("index");
    if (input == inputs.end() || !dim || !entry || *entry >= input->second.toTensor().size(*dim) || *entry < -input->second.toTensor().size(*dim))
        return {};
    return input->second.toTensor().select(*dim, *entry).to(at::kLong);
}

// Sources and targets of edges, where no input has both as its rows: lists that rows are read at and added at, pointers to where each target's begin, or
// a table of neighbours.
std::optional<std::pair<at::Tensor, at::Tensor>> separateEnds(const Analysis& analysis, const Bindings& inputs)
{
    const Program& program = analysis.program;
    const int only = analysis.onlyGiven();
    if (only < 0)
        return {};
    const std::string& nodes = analysis.nodeTypes[static_cast<std::size_t>(only)].symbol;
    const auto indices = [&](OpKind kind) {
        std::vector<ValueId> found;
        for (std::size_t i = 0; i < program.ops.size(); ++i) {
            const OpId op{static_cast<int>(i)};
            const OpFacts& facts = analysis.ops[op];
            if (facts.kind != kind || !facts.index.valid() || program[facts.index].sizes.size() != 1 || !entriesOf(program, inputs, facts.index).defined())
                continue;
            const ValueId rows = kind == OpKind::Gather ? gatherForm(program, op)->source : program[op].outputs.front();
            if (analysis.values[rows].rows == Rows::Nodes && analysis.values[rows].nodeType == only)
                found.push_back(facts.index);
        }
        return found;
    };
    for (const ValueId to : indices(OpKind::Scatter))
        for (const ValueId from : indices(OpKind::Gather))
            if (from != to && program[from].sizes == program[to].sizes)
                return std::pair(entriesOf(program, inputs, from), entriesOf(program, inputs, to));
    for (const Input& input : program.inputs)
        if (const Value& value = program[input.value]; value.sizes == std::vector{Dim{0, "Add(1, " + nodes + ")"}})
            for (const ValueId from : indices(OpKind::Gather))
                if (const auto divided = rowsDividedBy(program, input.value); divided && program[from].sizes == std::vector{*divided}) {
                    const at::Tensor counts = inputs.at(input.value).toTensor().to(at::kLong).diff();
                    return std::pair(entriesOf(program, inputs, from), at::repeat_interleave(counts));
                }
    for (const Input& input : program.inputs)
        if (const Value& value = program[input.value]; value.kind == ValueKind::Tensor && isInteger(value.dtype) && value.sizes.size() == 2 &&
                                                       value.sizes[0] == Dim{0, nodes} && value.sizes[1].isConstant()) {
            const at::Tensor table = inputs.at(input.value).toTensor().to(at::kLong);
            const at::Tensor targets = at::arange(table.size(0), at::kLong).repeat_interleave(table.size(1));
            const at::Tensor isNode = table.reshape({-1}).ge(0);  // others fill the rows up
            return std::pair(table.reshape({-1}).masked_select(isNode), targets.masked_select(isNode));
        }
    return {};
}

}  // namespace

NodeOrders ordersFor(const Model& model, const Bindings& inputs, NodeOrder order, std::int64_t batchSize, const std::vector<std::int64_t>& numNodes,
                     const Progress& progress)
{
    const Analysis& analysis = *model.analysis;
    NodeOrders orders{std::vector<std::vector<std::int64_t>>(numNodes.size())};
    if (order == NodeOrder::Natural)
        return orders;
    const PeakMemory peak;
    // Nodes of all types that edges lie between are numbered one type after the other; other rows stay as they are.
    std::vector<std::pair<at::Tensor, std::vector<std::set<int>>>> relations;
    std::set<int> joined;
    for (const Input& input : analysis.program.inputs) {
        const Value& value = analysis.program[input.value];
        if (input.role != Role::GraphStructure || value.sizes.size() != 2 || value.sizes[0].value != 2)
            continue;
        std::vector<std::set<int>> named = typesNamedBy(analysis, input.value);
        const at::Tensor index = inputs.at(input.value).toTensor().to(at::kLong);
        // Read in a way that does not tell one end from the other, or nodes of one graph from those of several side by side.
        if (const int only = analysis.onlyGiven();
            only >= 0 && named[0].empty() && named[1].empty() &&
            (index.numel() == 0 || index.max().item<std::int64_t>() < numNodes[static_cast<std::size_t>(only)]))
            named = {{only}, {only}};
        const auto isKnown = [&](const std::set<int>& end) {
            return !end.empty() && sizeParts(analysis.nodeTypes[static_cast<std::size_t>(*end.begin())].symbol).second.empty();
        };
        if (!isKnown(named[0]) || !isKnown(named[1]))
            continue;
        joined.insert({*named[0].begin(), *named[1].begin()});
        relations.emplace_back(index, std::move(named));
    }
    const auto pair = relations.empty() ? separateEnds(analysis, inputs) : std::nullopt;
    if (pair)
        joined.insert(analysis.onlyGiven());
    std::map<int, std::int64_t> begin;
    std::int64_t count = 0;
    for (const int type : joined)
        count += numNodes[static_cast<std::size_t>(begin.emplace(type, count).first->first)];
    std::vector<at::Tensor> ends[2];
    for (const auto& [edges, named] : relations)
        for (const std::size_t end : {0, 1}) {
            const at::Tensor nodes = edges.select(0, static_cast<std::int64_t>(end));
            const std::int64_t first = begin.at(*named[end].begin());
            ends[end].push_back(first > 0 ? nodes + first : nodes);
        }
    if (pair) {
        ends[0].push_back(pair->first);
        ends[1].push_back(pair->second);
    }
    if (ends[0].empty())
        throw Error(
            "No input of the model is an edge index [2, edges] of which it is known what nodes it names, so that they could be ordered by it; take the "
            "natural order.");
    const auto together = [](std::vector<at::Tensor>& parts) {
        const at::Tensor all = (parts.size() == 1 ? parts.front() : at::cat(parts)).contiguous();
        parts.clear();
        return all;
    };
    at::Tensor from = together(ends[0]), to = together(ends[1]);
    const auto span = [](const at::Tensor& t) {
        return std::span<const std::int64_t>{t.data_ptr<std::int64_t>(), static_cast<std::size_t>(t.numel())};
    };
    // Rows that the model appends, such as one of zeros for neighbours that are not there, are nobody's neighbours.
    const auto isNode = [&](std::int64_t node) { return node >= 0 && node < count; };
    if (!std::ranges::all_of(span(from), isNode) || !std::ranges::all_of(span(to), isNode)) {
        const at::Tensor isThere = at::minimum(from, to).ge(0).logical_and(at::maximum(from, to).lt(count));
        from = from.masked_select(isThere);
        to = to.masked_select(isThere);
    }
    std::vector<std::int64_t> all = orderNodes(order, count, span(from), span(to), batchSize, progress, at::get_num_threads());
    orders.bytes = peak.bytes();
    if (joined.size() == 1) {
        orders.ofTypes[static_cast<std::size_t>(*joined.begin())] = std::move(all);
        return orders;
    }
    for (const std::int64_t node : all) {
        const auto [type, first] = *std::ranges::find_if(begin.rbegin(), begin.rend(), [&](const auto& entry) { return entry.second <= node; });
        orders.ofTypes[static_cast<std::size_t>(type)].push_back(node - first);
    }
    return orders;
}

// Enough rows to keep the processor busy, few enough that a batch's edges stay in cache-sized tensors.
std::int64_t chosenBatchSize(std::int64_t numNodes, std::int64_t edgesPerNode, const RunOptions& options)
{
    // Small enough for a core's cache; LibTorch's ops take long to call, so that batches that need many of them are larger.
    const std::int64_t edgesPerBatch = options.kernels == Kernels::All ? 1 << 15 : 1 << 18;
    std::int64_t size = std::clamp<std::int64_t>(edgesPerBatch / std::max<std::int64_t>(edgesPerNode, 1), 256, 1 << 16);
    // The first batch runs alone, and the last ones must not leave threads idle for long; what is over in a moment is not worth it.
    constexpr std::int64_t few = 1024;
    if (options.kernels == Kernels::All && numNodes > 4 * few)
        size = std::min(size, std::max(few, numNodes / (4 * static_cast<std::int64_t>(options.threadsUsed()) + 1) + 1));
    return std::min(size, std::max<std::int64_t>(numNodes, 1));
}

}  // namespace cleave
