#include "core/run/bind.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <random>
#include <thread>

#include "core/base/error.h"
#include "core/base/format.h"
#include "core/run/allocator.h"
#include "core/run/dense.h"
#include "core/run/tensors.h"

namespace cleave {

namespace {

std::string shapeText(const std::vector<std::int64_t>& shape)
{
    std::vector<std::string> sizes;
    for (const std::int64_t size : shape)
        sizes.push_back(std::to_string(size));
    return "[" + join(sizes, ", ") + "]";
}

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
    const auto array = graph.arrays.find(name);
    if (array == graph.arrays.end()) {
        std::vector<std::string> names;
        for (const auto& [known, unused] : graph.arrays)
            names.push_back(known);
        throw Error("The graph " + graph.name + " has no array '" + printable(name) + "' for the model's input of that name; it has " +
                    join(names, ", ") + ". Choose one with --input " + value.name + "=ARRAY" +
                    (mayBeRandom(program, input, options) ? ", or let random numbers take its place (--features random)." : "."));
    }
    return array->second;
}

bool isRandom(const Program& program, const Input& input, const DataGraph& graph, const RunOptions& options)
{
    return options.randomFeatures && mayBeRandom(program, input, options) && !graph.arrays.contains(program[input.value].name);
}

at::Tensor randomRows(const Value& value, std::int64_t numNodes, std::map<std::string, std::int64_t>& sizes)
{
    std::vector<std::int64_t> shape;
    for (const Dim& dim : value.sizes)
        shape.push_back(dim.isConstant() ? dim.value : sizes.try_emplace(dim.symbol, numNodes).first->second);
    at::Tensor rows = at::empty(shape, at::kFloat);
    std::mt19937_64 random(1);
    std::normal_distribution<float> normal;
    std::generate_n(rows.data_ptr<float>(), rows.numel(), [&] { return normal(random); });
    return rows.to(scalarType(value.dtype));
}

// The array as the model's input: type widened where nothing is lost, shape checked against the sizes of the export.
at::Tensor bind(const Program& program, const Input& input, const DataGraph& graph, const RunOptions& options,
                std::map<std::string, std::int64_t>& sizes)
{
    const Value& value = program[input.value];
    const Array& array = arrayFor(program, input, graph, options);
    const auto mismatch = [&](const std::string& expected) {
        return Error("Input '" + value.name + "' of the model is " + std::string(dtypeName(value.dtype)) + " " + toString(value.sizes) +
                     ", but the array of graph " + graph.name + " is " + std::string(dtypeName(array.dtype)) + " " +
                     shapeText(array.shape) + ": " + expected + ".");
    };
    if (array.shape.size() != value.sizes.size())
        throw mismatch("the number of dimensions differs");
    for (std::size_t d = 0; d < array.shape.size(); ++d) {
        const Dim& dim = value.sizes[d];
        const std::int64_t expected = dim.isConstant() ? dim.value : sizes.try_emplace(dim.symbol, array.shape[d]).first->second;
        if (array.shape[d] != expected)
            throw mismatch("dimension " + std::to_string(d) + " must be " + std::to_string(expected));
    }
    const bool bothFloat = isFloating(array.dtype) && isFloating(value.dtype);
    const bool bothInteger = (isInteger(array.dtype) || array.dtype == DType::Bool) && isInteger(value.dtype);
    const bool toFloat = isFloating(value.dtype) && !isFloating(array.dtype);
    if (array.dtype != value.dtype && !bothFloat && !bothInteger && !toFloat)
        throw mismatch("the type does not fit");
    return toTensor(array).to(scalarType(value.dtype)).contiguous();
}

void checkIndices(const Program& program, const Input& input, const at::Tensor& tensor, std::int64_t numNodes)
{
    if (input.role != Role::GraphStructure || tensor.numel() == 0 || !isInteger(program[input.value].dtype))
        return;
    const std::int64_t least = tensor.min().item<std::int64_t>(), most = tensor.max().item<std::int64_t>();
    if (least < 0 || most >= numNodes)
        throw Error("Input '" + program[input.value].name + "' names node " + std::to_string(least < 0 ? least : most) +
                    ", but the graph has nodes 0 to " + std::to_string(numNodes - 1) + ".");
}

}  // namespace

Bindings bindInputs(const Model& model, const DataGraph& graph, const RunOptions& options)
{
    const Program& program = model.program();
    Bindings bindings;
    std::map<std::string, std::int64_t> sizes;
    for (const auto& [name, unused] : options.inputs)
        if (std::ranges::none_of(program.inputs, [&](const Input& i) { return program[i.value].name == name; }))
            throw Error("The model has no input '" + printable(name) + "'.");
    guarded("The graph does not fit the model", [&] {
        for (const Input& input : program.inputs)
            if (input.parameter.valid()) {
                const Weight& weight = program[input.parameter];
                if (weight.sizes[0] != graph.numNodes)
                    throw Error("Parameter '" + printable(weight.name) + "' has " + formatCount(weight.sizes[0]) + " rows, but graph " + graph.name + " has " +
                                formatCount(graph.numNodes) + " nodes.");
                sizes[program[input.value].sizes[0].symbol] = weight.sizes[0];
                bindings[input.value] = toTensor(weight);
            }
        for (const Input& input : program.inputs) {
            const Value& value = program[input.value];
            if (input.parameter.valid())
                continue;
            if (isRandom(program, input, graph, options))
                bindings[input.value] = randomRows(value, graph.numNodes, sizes);
            else if (value.kind == ValueKind::Tensor)
                bindings[input.value] = bind(program, input, graph, options, sizes);
            else if (value.kind == ValueKind::None)
                bindings[input.value] = c10::IValue();
        }
        // Numbers among the inputs are sizes that the tensors have, or the number of nodes.
        for (const Input& input : program.inputs)
            if (const Value& value = program[input.value]; value.kind == ValueKind::Int) {
                const auto size = sizes.find(value.number.symbol);
                bindings[input.value] = value.number.isConstant() ? value.number.value : size != sizes.end() ? size->second : graph.numNodes;
            } else if (!bindings.contains(input.value)) {
                throw Error("Input '" + value.name + "' is a number that a graph does not have.");
            }
        const std::int64_t numNodes = sizes.at(model.analysis->nodeSymbol);
        for (const Input& input : program.inputs)
            if (program[input.value].kind == ValueKind::Tensor)
                checkIndices(program, input, bindings.at(input.value).toTensor(), numNodes);
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
    useDense(options.dense);
    at::set_num_threads(options.threads > 0 ? options.threads : static_cast<int>(std::max(1U, std::thread::hardware_concurrency())));
    denseRates();  // measured before anything else is
}

std::vector<std::int64_t> orderFor(const Model& model, const Bindings& inputs, NodeOrder order, std::int64_t batchSize, std::int64_t numNodes,
                                   const Progress& progress)
{
    std::vector<at::Tensor> ends[2];
    for (const Input& input : model.program().inputs)
        if (const Value& value = model.program()[input.value]; input.role == Role::GraphStructure && value.sizes.size() == 2 && value.sizes[0].value == 2)
            for (const int end : {0, 1})
                ends[end].push_back(inputs.at(input.value).toTensor().select(0, end).to(at::kLong));
    if (ends[0].empty() && order != NodeOrder::Natural)
        throw Error("The model has no edge index [2, edges] among its inputs that nodes could be ordered by; take the natural order.");
    if (order == NodeOrder::Natural)
        return {};
    const at::Tensor from = at::cat(ends[0]).contiguous(), to = at::cat(ends[1]).contiguous();
    const auto span = [](const at::Tensor& t) { return std::span<const std::int64_t>{t.data_ptr<std::int64_t>(), static_cast<std::size_t>(t.numel())}; };
    return orderNodes(order, numNodes, span(from), span(to), batchSize, progress);
}

// Enough rows to keep the processor busy, few enough that a batch's edges stay in cache-sized tensors.
std::int64_t chosenBatchSize(std::int64_t numNodes, std::int64_t edgesPerNode, Kernels kernels)
{
    // Small enough for a core's cache; LibTorch's ops take long to call, so that batches that need many of them are larger.
    const std::int64_t edgesPerBatch = kernels == Kernels::All ? 1 << 15 : 1 << 18;
    return std::clamp<std::int64_t>(edgesPerBatch / std::max<std::int64_t>(edgesPerNode, 1), 256, std::max<std::int64_t>(256, std::min<std::int64_t>(numNodes, 1 << 16)));
}

}  // namespace cleave
