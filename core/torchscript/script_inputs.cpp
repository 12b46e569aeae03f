#include "core/torchscript/script_inputs.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <random>
#include <ranges>
#include <set>
#include <utility>

#include "core/base/error.h"
#include "core/base/format.h"
#include "core/run/tensors.h"
#include "core/torchscript/script_shapes.h"
#include "core/torchscript/script_source.h"

namespace cleave {

namespace {

// Sizes that stand for widths which are to be found: a number that no width has, times a power of six for each, so that sums of few can be told
// apart.
class UnknownWidths {
public:
    static constexpr std::size_t most = 3;

    // longest: of the widths that are known.
    explicit UnknownWidths(std::int64_t longest) : m_first(longest < 10'007 ? 10'007 : longest < 100'003 ? 100'003 : 1'000'003) {}

    std::int64_t first() const { return m_first; }
    std::int64_t after(std::int64_t unknown) const { return unknown * base; }
    bool contains(std::int64_t size) const { return size >= m_first; }

    struct Sum {
        std::array<std::int64_t, most> times{};  // each unknown width
        std::int64_t rest = 0;

        bool any() const
        {
            return std::ranges::any_of(times, [](std::int64_t count) { return count > 0; });
        }
    };

    Sum partsOf(std::int64_t size) const
    {
        Sum sum{{}, size % m_first};
        std::int64_t digits = size / m_first;
        for (std::int64_t& count : sum.times) {
            count = digits % base;
            digits /= base;
        }
        return digits > 0 ? Sum{} : sum;
    }

private:
    static constexpr std::int64_t base = 6;
    std::int64_t m_first;
};

ArrayShape shapeOf(const at::Tensor& tensor) { return {dtypeOf(tensor.scalar_type()), tensor.sizes().vec()}; }

bool isProduct(const ScriptFailure& failure)
{
    static const std::set<std::string_view> products{"aten::matmul", "aten::mm", "aten::addmm", "aten::bmm"};
    return products.contains(failure.op);
}

// Of the widths that weights, arrays of the graph and the user tell. Tables may have many more rows than anything is wide.
std::int64_t longestWidth(const torch::jit::Module& module, const ScriptOptions& options)
{
    constexpr std::int64_t mostRows = 100'000;
    std::int64_t longest = 0;
    for (const at::Tensor& weight : module.parameters())
        for (std::int64_t d = 0; d < weight.dim(); ++d)
            if (d == weight.dim() - 1 || weight.size(d) <= mostRows)
                longest = std::max(longest, weight.size(d));
    for (const auto& [name, array] : options.shapes)
        if (array.sizes.size() > 1 && !isPairs(array) && !isTriples(array, name))
            longest = std::max(longest, array.sizes.back());
    for (const auto& [name, width] : options.widths)
        longest = std::max(longest, width);
    return longest;
}

// Of an op that does not take rows which are one number again and again.
bool isOfRepeatedRows(const ScriptFailure& failure)
{
    return failure.message.find("single memory location") != std::string::npos ||
           failure.message.find("view size is not compatible") != std::string::npos;
}

class Search {
public:
    Search(const torch::jit::Module& module, const ScriptOptions& options, const Progress& progress)
        : m_module(module), m_interpreter(module), m_options(options), m_progress(progress), m_unknown(longestWidth(module, options))
    {
        const c10::FunctionSchema& schema = module.get_method("forward").function().getSchema();
        for (std::size_t i = 1; i < schema.arguments().size(); ++i)
            addArgument(schema.arguments()[i]);
        std::map<DType, std::int64_t> numbers;  // of each type, in weights
        for (const at::Tensor& weight : module.parameters())
            if (weight.is_floating_point())
                numbers[dtypeOf(weight.scalar_type())] += weight.numel();
        for (const auto& [type, count] : numbers)
            m_floatings.push_back(type);
        std::ranges::stable_sort(m_floatings, std::greater(), [&](DType type) { return numbers[type]; });
        for (const at::Tensor& weight : module.parameters())
            for (std::int64_t d = weight.dim() - 1; d >= 0; --d)
                if (weight.size(d) > 1 && std::ranges::find(m_weightSizes, weight.size(d)) == m_weightSizes.end() && m_weightSizes.size() < 12)
                    m_weightSizes.push_back(weight.size(d));
        for (const auto& weight : module.named_parameters())
            if (const auto role = options.roles.find(weight.name);
                role != options.roles.end() && role->second == Role::NodeFeatures && weight.value.dim() > 0)
                m_inputs.fixedNodes = weight.value.size(0);
    }

    ScriptInputs run(const std::vector<at::Tensor>& examples)
    {
        addShapes(m_options.shapes);
        // Weights of several types: numbers are as most of them, or as the others.
        const bool found = m_floatings.empty() ? finds(examples) : std::ranges::any_of(m_floatings, [&](DType type) {
            m_floating = type;
            return finds(examples);
        });
        if (!found && !m_open.empty())
            throw Error("The file does not say how wide the rows of input '" + printable(m_open) +
                        "' are, and any width would do: open it with a graph that has them, or give it with --width " + printable(m_open) + "=….");
        if (!found && std::ranges::all_of(m_inputs.names, [&](const std::string& name) { return m_options.shapes.contains(name); }))
            throw Error(
                "Cleave found no inputs on which the model's forward(" + join(m_inputs.names, ", ") +
                ") runs, though the graph has an array for each" + (m_furthest.empty() ? "" : ": " + m_furthest) +
                "; say with --role what they are, or export the model by torch.export (a trace keeps numbers of its example, such as that of its graphs).");
        if (!found)
            throw Error(
                "Cleave found no inputs on which the model's forward(" + join(m_inputs.names, ", ") + ") runs" +
                (m_furthest.empty() ? "" : ": " + m_furthest) +
                "; name a graph whose arrays are called as these inputs, say with --role what they are, or export the model by torch.export (a trace keeps numbers of its example, such as that of its graphs).");
        return m_inputs;
    }

private:
    struct Reading {
        std::vector<ArrayShape> arrays;
        bool areAsMany = false;
    };

    // The graph's arrays for the inputs, if there is one for each, with as many dimensions.
    std::optional<std::vector<ArrayShape>> arraysOfGraph(const std::vector<ArrayShape>& traced) const
    {
        std::vector<ArrayShape> arrays;
        for (std::size_t i = 0; i < traced.size(); ++i) {
            const auto known = m_options.shapes.find(m_inputs.names[i]);
            if (known == m_options.shapes.end() || known->second.sizes.size() != traced[i].sizes.size())
                return {};
            arrays.push_back({traced[i].dtype, known->second.sizes});
        }
        return arrays;
    }

    // Whether an array that has as many rows as there are edges in the trace has not in the graph.
    bool tellsApart(const std::vector<ArrayShape>& graph, const std::vector<ArrayShape>& traced) const
    {
        const std::int64_t here = edgesOf(graph, m_inputs.names), there = edgesOf(traced, m_inputs.names);
        for (std::size_t i = 0; i < traced.size(); ++i)
            if (!traced[i].sizes.empty() && !isPairs(traced[i]) && traced[i].sizes[0] == there && graph[i].sizes[0] != here)
                return true;
        return false;
    }

    // In this order: what a trace keeps, then whatever inputs of these names may be.
    bool finds(const std::vector<at::Tensor>& examples)
    {
        if (examples.size() == m_inputs.shapes.inputs.size() && std::ranges::all_of(m_inputs.of, [](const auto& of) { return of.has_value(); })) {
            std::vector<ArrayShape> traced;
            std::ranges::transform(examples, std::back_inserter(traced), shapeOf);
            const AsMany asMany = nodesAndEdges(traced, m_inputs.names);
            std::vector<Reading> readings{{traced, false}};
            if (asMany != AsMany::No)
                readings.insert(asMany == AsMany::Likely ? readings.begin() : readings.end(), {traced, true});
            // Another graph tells apart what there is equally much of in that of the trace.
            if (const auto graph = arraysOfGraph(traced); graph && tellsApart(*graph, traced))
                readings.insert(readings.begin(), {*graph, nodesAndEdges(*graph, m_inputs.names) == AsMany::Likely});
            for (const auto& [kept, areAsMany] : readings) {
                const auto shapes = shapesOfArrays(kept, m_inputs.names, areAsMany);
                if (!shapes)
                    continue;
                std::vector<InputShape> shared = withSharedRows(kept, *shapes), fixed = *shapes;
                for (std::size_t i = 0; i < fixed.size(); ++i)
                    fixed[i] = withOtherSizesOf(kept[i], fixed[i]);
                for (const std::vector<InputShape>& tried : {*shapes, std::move(shared), std::move(fixed)}) {
                    for (std::size_t i = 0; i < tried.size(); ++i)
                        take(i, tried[i]);
                    if (runs() || runsWithCounts(examples))
                        return true;
                }
            }
        }
        return tryKinds(0);
    }

    // Forward ran on one graph only, whose numbers of nodes and edges are known: they may be written into the trace.
    bool runsWithCounts(const std::vector<at::Tensor>& examples)
    {
        BakedCounts& baked = m_inputs.baked;
        std::int64_t numNodes = 0, numEdges = 0;
        for (std::size_t i = 0; i < examples.size(); ++i) {
            const std::vector<Dim>& sizes = value(i).sizes;
            for (std::size_t d = 0; d < sizes.size(); ++d) {
                if (sizes[d] == anyNodes && !baked.nodesOf) {
                    baked.nodesOf = {i, static_cast<int>(d)};
                    numNodes = examples[i].size(static_cast<std::int64_t>(d));
                }
                if (sizes[d] == anyEdges && !baked.edgesOf) {
                    baked.edgesOf = {i, static_cast<int>(d)};
                    numEdges = examples[i].size(static_cast<std::int64_t>(d));
                }
            }
        }
        if (!baked.nodesOf || !baked.edgesOf || numNodes == numEdges) {
            baked = {};
            return false;
        }
        baked.counts = {{numNodes, {1, 0}}, {numEdges, {0, 1}}, {numNodes + numEdges, {1, 1}}};
        m_interpreter.setBaked(baked);
        if (runs())
            return true;
        baked = {};
        m_interpreter.setBaked({});
        return false;
    }

    void addArgument(const c10::Argument& argument)
    {
        const auto role = m_options.roles.find(argument.name());
        c10::TypePtr type = argument.type();
        const bool isOptional = type->kind() == c10::TypeKind::OptionalType;
        if (isOptional)
            type = type->expect<c10::OptionalType>()->getElementType();
        m_inputs.names.push_back(argument.name());
        m_inputs.given.emplace_back();
        m_inputs.of.emplace_back();
        const bool isInGraph = isOptional && type->kind() == c10::TypeKind::TensorType && m_options.shapes.contains(argument.name());
        if (argument.default_value() && role == m_options.roles.end() && !isInGraph) {
            m_inputs.given.back() = *argument.default_value();
            return;
        }
        if (const auto choice = type->cast<c10::UnionType>(); choice && choice->canHoldType(*c10::TensorType::get()))
            type = c10::TensorType::get();
        if (type->kind() != c10::TypeKind::TensorType && type->kind() != c10::TypeKind::IntType) {
            if (!isOptional)
                throw Error(
                    "The model's forward takes '" + printable(argument.name()) + "' of type " + printable(type->str(), 60) +
                    ": Cleave reads TorchScript whose inputs are tensors; export the model by torch.export, or wrap it in a module that takes tensors.");
            return;
        }
        m_inputs.of.back() = m_inputs.shapes.inputs.size();
        Value value;
        value.name = argument.name();
        value.kind = type->kind() == c10::TypeKind::IntType ? ValueKind::Int : ValueKind::Tensor;
        if (value.kind == ValueKind::Int)
            value.number = anyNodes;
        m_inputs.shapes.inputs.push_back({ValueId{static_cast<int>(m_inputs.shapes.values.size())}});
        m_inputs.shapes.values.push_back(std::move(value));
        // One that may be left out is what the graph has, or nothing.
        m_kinds.push_back(isInGraph && argument.default_value() && role == m_options.roles.end()
                              ? std::vector<InputShape>()
                              : likelyShapes(argument.name(), role == m_options.roles.end() ? std::nullopt : std::optional(role->second)));
    }

    // Of arrays that a graph has by the names of inputs: these shapes come before all others.
    void addShapes(const std::map<std::string, ArrayShape>& known)
    {
        std::vector<ArrayShape> arrays;
        std::vector<std::string> names;
        std::vector<std::size_t> inputs;
        for (std::size_t i = 0; i < m_inputs.names.size(); ++i)
            if (const auto array = known.find(m_inputs.names[i]); array != known.end() && m_inputs.of[i]) {
                arrays.push_back(array->second);
                names.push_back(m_inputs.names[i]);
                inputs.push_back(*m_inputs.of[i]);
            }
        // Rows at a mask are others than those at zeros and ones.
        for (std::size_t i = 0; i < inputs.size(); ++i)
            if (arrays[i].dtype == DType::Bool)
                for (InputShape& kind : m_kinds[inputs[i]])
                    kind.dtype = DType::Bool;
        if (const auto shapes = shapesOfArrays(arrays, names, nodesAndEdges(arrays, names) == AsMany::Likely)) {
            const std::vector<InputShape> shared = withSharedRows(arrays, *shapes);
            for (std::size_t i = 0; i < inputs.size(); ++i) {
                std::vector<InputShape>& kinds = m_kinds[inputs[i]];
                const InputShape& shape = (*shapes)[i];
                if (const InputShape fixed = withOtherSizesOf(arrays[i], shape); fixed.sizes != shape.sizes)
                    kinds.insert(kinds.begin(), fixed);
                if (shared[i].sizes != shape.sizes)
                    kinds.insert(kinds.begin(), shared[i]);
                kinds.insert(kinds.begin(), shape);
            }
        }
    }

    Value& value(std::size_t input) { return m_inputs.shapes.values[input]; }

    void take(std::size_t input, const InputShape& shape)
    {
        Input& taken = m_inputs.shapes.inputs[input];
        if (value(input).kind == ValueKind::Int)
            return;
        value(input).dtype = isFloating(shape.dtype) ? m_floating : shape.dtype;
        value(input).sizes = shape.sizes;
        taken.role = shape.role;
    }

    // So that each unknown width is a number of its own.
    bool numberWidths()
    {
        std::int64_t unknown = m_unknown.first();
        m_widths.clear();
        for (Value& input : m_inputs.shapes.values)
            for (Dim& dim : input.sizes)
                if (const auto given = m_options.widths.find(input.name);
                    dim.isConstant() && dim.value == toBeFound && given != m_options.widths.end()) {
                    dim.value = given->second;
                } else if (dim.isConstant() && dim.value == toBeFound) {
                    dim.value = unknown;
                    unknown = m_unknown.after(unknown);
                    m_widths.push_back(&dim);
                }
        return m_widths.size() <= UnknownWidths::most;
    }

    // Every combination of what the inputs may be, likelyShapes ones first.
    bool tryKinds(std::size_t input)
    {
        if (input == m_kinds.size()) {
            if (numberWidths() && tryWidths())
                return true;
            for (Dim* dim : m_widths)
                dim->value = toBeFound;
            return false;
        }
        for (const InputShape& shape : m_kinds[input]) {
            take(input, shape);
            if (tryKinds(input + 1))
                return true;
        }
        return false;
    }

    bool tryWidths()
    {
        if (m_tries > 1000 || std::chrono::steady_clock::now() > m_deadline)
            return false;
        if (runs()) {
            for (const Value& input : m_inputs.shapes.values)
                if (std::ranges::any_of(input.sizes, [&](const Dim& dim) { return isUnknown(dim); })) {
                    m_open = m_open.empty() ? input.name : m_open;
                    return false;
                }
            return true;
        }
        const ScriptFailure failure = *m_failure;
        for (const auto& [which, width] : suggested(failure)) {
            Dim& dim = *m_widths[which];
            const std::int64_t unknown = std::exchange(dim.value, width);
            if (tryWidths())
                return true;
            dim.value = unknown;
        }
        return false;
    }

    bool isUnknown(const Dim& dim) const
    {
        return dim.isConstant() && m_unknown.contains(dim.value) && std::ranges::find(m_widths, &dim) != m_widths.end();
    }

    // Widths that would have fitted where an operator refused rows of unknown ones; where none was concerned, any of the weights'.
    std::vector<std::pair<std::size_t, std::int64_t>> suggested(const ScriptFailure& failure) const
    {
        std::vector<std::pair<std::size_t, std::int64_t>> widths;
        for (const Item& operand : failure.operands)
            forEachLeaf(operand, [&](const Item& leaf) {
                for (const std::int64_t size : sizesOf(leaf))
                    if (const UnknownWidths::Sum parts = m_unknown.partsOf(size); parts.any())
                        for (const std::int64_t whole : fitting(failure))
                            suggest(parts, whole, widths);
            });
        const auto isOpen = [&](const Dim* dim) { return isUnknown(*dim); };
        const auto unknown = std::ranges::find_if(m_widths, isOpen);
        if (widths.empty() && std::ranges::count_if(m_widths, isOpen) == 1)
            for (const std::int64_t width : m_weightSizes)
                widths.emplace_back(static_cast<std::size_t>(unknown - m_widths.begin()), width);
        return widths;
    }

    // A sum of unknown widths is to be this whole.
    void suggest(const UnknownWidths::Sum& parts, std::int64_t whole, std::vector<std::pair<std::size_t, std::int64_t>>& widths) const
    {
        const auto add = [&](std::size_t which, std::int64_t width) {
            const std::pair suggestion(which, width);
            if (which < m_widths.size() && isUnknown(*m_widths[which]) && width > 0 && !m_unknown.contains(width) &&
                std::ranges::find(widths, suggestion) == widths.end())
                widths.push_back(suggestion);
        };
        const auto used = std::ranges::count_if(parts.times, [](std::int64_t count) { return count > 0; });
        for (std::size_t which = 0; which < parts.times.size(); ++which)
            if (parts.times[which] > 0 && used == 1 && (whole - parts.rest) % parts.times[which] == 0)
                add(which, (whole - parts.rest) / parts.times[which]);
            else if (parts.times[which] > 0 && used > 1)
                for (const std::int64_t width : m_weightSizes)
                    if (parts.times[which] * width < whole)
                        add(which, width);
    }

    static std::vector<std::int64_t> sizesOf(const Item& item)
    {
        return item.isTensor() ? item.value.toTensor().sizes().vec() : std::vector<std::int64_t>();
    }

    // Sizes that the other operands have, likelyShapes ones first.
    std::vector<std::int64_t> fitting(const ScriptFailure& failure) const
    {
        std::vector<std::int64_t> sizes;
        std::int64_t product = 1;
        for (const Item& operand : failure.operands)
            forEachLeaf(operand, [&](const Item& leaf) {
                if (leaf.value.isInt() && leaf.value.toInt() > 0)
                    product *= std::min(leaf.value.toInt(), m_unknown.first());
                std::vector<std::int64_t> own = sizesOf(leaf);
                if (std::ranges::any_of(own, [&](std::int64_t size) { return m_unknown.partsOf(size).any(); }))
                    return;
                if (isProduct(failure) && own.size() > 1)
                    sizes.push_back(own[own.size() - 2]);
                sizes.insert(sizes.end(), own.rbegin(), own.rend());
            });
        if (product > 1)
            sizes.push_back(product);
        return sizes;
    }

    bool runs()
    {
        m_progress.update(0, "Reading the model");
        struct Try {
            std::int64_t integers, least;
            bool categories;
        };
        for (const auto& [integers, least, categories] :
             {Try{4, 0, false}, {2, 0, false}, {1, 0, false}, {4, 0, true}, {1, 0, true}, {4, 1, false}, {2, 1, false}}) {
            ++m_tries;
            m_inputs.integers = integers;
            m_inputs.leastInteger = least;
            m_inputs.categories = categories;
            try {
                ProbeGraph graph{31, 68, 3, 4, 1};
                graph.repeatedWidth = m_repeatedWidth;
                m_interpreter.run(m_inputs.names, m_inputs.on(graph));
                return true;
            } catch (const ScriptFailure& failure) {
                m_failure = failure;
                if (isOfRepeatedRows(failure) && std::exchange(m_repeatedWidth, noWidth) != noWidth)
                    return runs();
                if (m_furthest.empty() || failure.after > m_after) {
                    m_after = failure.after;
                    std::string message = printable(failure.message, 160);
                    if (message.ends_with('.') && !message.ends_with(".."))
                        message.pop_back();  // the sentence goes on
                    m_furthest = failure.op + placeText(failure.source) + " says " + message + parameterAdvice(m_module, failure);
                }
                const auto says = [&](const char* words) { return failure.message.find(words) != std::string::npos; };
                if (!says("out of range") && !says("out of bounds") && !says("Class values"))
                    return false;
            }
        }
        return false;
    }

    const torch::jit::Module& m_module;
    ScriptInterpreter m_interpreter;
    const ScriptOptions& m_options;
    const Progress& m_progress;
    ScriptInputs m_inputs;
    std::vector<std::vector<InputShape>> m_kinds;
    std::optional<ScriptFailure> m_failure;
    std::vector<DType> m_floatings;     // of the weights, the most numerous first
    DType m_floating = DType::Float32;  // that is tried
    static constexpr std::int64_t noWidth = std::numeric_limits<std::int64_t>::max();
    UnknownWidths m_unknown;
    std::int64_t m_repeatedWidth = m_unknown.first();  // see ProbeGraph
    std::vector<Dim*> m_widths;                        // that are to be found
    std::vector<std::int64_t> m_weightSizes;  // in the order of the weights
    std::string m_open;                       // input on which forward runs with any width
    std::string m_furthest;                   // failure: that of the likeliest inputs
    std::size_t m_after = 0;
    int m_tries = 0;
    const std::chrono::steady_clock::time_point m_deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
};

// How many rows the operands have of an operator that failed.
std::set<std::int64_t> rowsRefused(const ScriptFailure& failure)
{
    std::set<std::int64_t> lengths;
    for (const Item& operand : isProduct(failure) || failure.op == "aten::linear" ? ItemList() : failure.operands)
        forEachLeaf(operand, [&](const Item& leaf) {
            if (leaf.isTensor() && leaf.value.toTensor().dim() > 0)
                lengths.insert(leaf.value.toTensor().size(0));
        });
    return lengths;
}

bool isTable(const at::Tensor& weight)
{
    return weight.dim() > 1 && weight.is_floating_point() && weight.size(0) > 1;
}

// Integers from 0 to kinds - 1, none of them as often as another on all graphs, a multiple of it or the same number of times: what is selected by
// kind must not look alike. Few of each but the first; nothing where there are too few rows for that.
std::optional<at::Tensor> ofKinds(std::int64_t kinds, const at::Tensor& like, std::uint64_t seed)
{
    constexpr std::int64_t digits = 6;
    std::int64_t unit = 1;
    for (std::uint64_t graph = 1; graph < seed; ++graph)
        unit *= digits;
    std::vector<std::int64_t> drawn;
    for (std::int64_t kind = 1; kind < kinds; ++kind)
        drawn.insert(drawn.end(), static_cast<std::size_t>(kind / unit % digits + (seed < 3 ? 2 : 2 + digits)), kind);
    if (kinds > digits * digits * digits || std::ssize(drawn) >= like.numel())
        return {};
    drawn.resize(static_cast<std::size_t>(like.numel()));  // the rest are of kind 0
    std::mt19937_64 random(seed);
    std::shuffle(drawn.begin(), drawn.end(), random);
    return at::tensor(drawn).to(like.scalar_type());
}

}  // namespace

std::vector<c10::IValue> ScriptInputs::on(const ProbeGraph& graph) const
{
    ProbeGraph sized = graph;
    sized.integers = integers;
    sized.leastInteger = leastInteger;
    sized.categories = categories;
    if (fixedNodes > 0)
        sized.nodes = fixedNodes;
    Bindings bindings = probeInputs(shapes, sized);
    std::mt19937_64 random(graph.seed);
    for (const Input& list : shapes.inputs)
        if (shapes[list.value].sizes == std::vector{oneMoreThanNodes})
            for (const Input& other : shapes.inputs)
                if (shapes[other.value].sizes == std::vector{anyEdges})
                    bindings[list.value] = randomPointers(sized.nodes + 1, bindings.at(other.value).toTensor().size(0), random)
                                               .to(scalarType(shapes[list.value].dtype));
    std::vector<c10::IValue> inputs;
    for (std::size_t i = 0; i < names.size(); ++i) {
        inputs.push_back(of[i] ? bindings.at(shapes.inputs[*of[i]].value) : given[i]);
        if (const auto kinds = compared.find(names[i]); kinds != compared.end() && inputs.back().isTensor() && inputs.back().toTensor().dim() == 1)
            if (auto drawn = ofKinds(kinds->second, inputs.back().toTensor(), graph.seed))
                inputs.back() = *std::move(drawn);
    }
    return inputs;
}

std::int64_t parameterRows(const torch::jit::Module& module, const ScriptFailure& failure)
{
    const std::set<std::int64_t> lengths = rowsRefused(failure);
    std::vector<at::Tensor> tables;
    for (const at::Tensor& weight : module.parameters())
        if (isTable(weight))
            tables.push_back(weight);
    for (const at::Tensor& table : tables)
        if (lengths.contains(table.size(0)))
            return table.size(0);
    for (std::size_t i = 0; i < tables.size(); ++i)
        for (std::size_t j = i + 1; j < tables.size(); ++j)
            if (const std::int64_t rows = tables[i].size(0) + tables[j].size(0); tables[i].size(1) == tables[j].size(1) && lengths.contains(rows))
                return rows;
    return 0;
}

std::string parameterAdvice(const torch::jit::Module& module, const ScriptFailure& failure)
{
    const std::set<std::int64_t> lengths = rowsRefused(failure);
    for (const auto& weight : module.named_parameters())
        if (isTable(weight.value) && lengths.contains(weight.value.size(0)))
            return "; if parameter '" + printable(weight.name) + "' has a row for each node, open it with --role " + printable(weight.name) +
                   "=node-features";
    return {};
}

ScriptInputs findInputs(const torch::jit::Module& module, const std::vector<at::Tensor>& examples, const ScriptOptions& options,
                        const Progress& progress)
{
    try {
        return Search(module, options, progress).run(examples);
    } catch (const Error&) {
        // An array of the name of an optional input may be something else.
        ScriptOptions fewer = options;
        for (const c10::Argument& argument : module.get_method("forward").function().getSchema().arguments())
            if (argument.default_value())
                fewer.shapes.erase(argument.name());
        if (fewer.shapes.size() == options.shapes.size())
            throw;
        progress.check();
        return Search(module, fewer, progress).run(examples);
    }
}

}  // namespace cleave
