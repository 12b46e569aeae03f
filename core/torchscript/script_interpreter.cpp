#include "core/torchscript/script_interpreter.h"

#include <ATen/ATen.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/base/format.h"
#include "core/base/stopping.h"
#include "core/run/index_guard.h"
#include "core/run/tensors.h"
#include "core/torchscript/script_source.h"

namespace cleave {

namespace {

using torch::jit::Node;

[[noreturn]] void refuse(const Node& node, const std::string& why)
{
    const SourceLine source = sourceOf(node);
    throw Error("The model " + why + placeText(source) + "; write it with PyTorch's own operators, or export the model by torch.export.");
}

// Of an optional check: one of the ways ends in an exception.
bool raises(const torch::jit::Block& block)
{
    return std::ranges::any_of(block.nodes(), [](const Node* node) { return is(*node, "prim::RaiseException"); });
}

// LibTorch's CPU kernels lack float16 in part: float32 takes its place.
bool isHalf(const Node& node, std::size_t input, const c10::IValue& value)
{
    const c10::FunctionSchema* schema = node.maybeSchema();
    return value.isInt() && value.toInt() == static_cast<std::int64_t>(at::kHalf) && schema != nullptr && input < schema->arguments().size() &&
           schema->arguments()[input].name() == "dtype";
}

// Lists are items here, and operators see copies.
bool writesToList(const Node& node, const ItemList& inputs)
{
    const std::vector<c10::Argument>& arguments = node.schema().arguments();
    for (std::size_t i = 0; i < std::min(arguments.size(), inputs.size()); ++i)
        if (const auto* alias = arguments[i].alias_info(); alias != nullptr && alias->isWrite() && (inputs[i].items || inputs[i].dictionary))
            return true;
    return false;
}

// What forward may write to, but for rows of one number each, which no op writes to.
at::Tensor ownCopy(const at::Tensor& input)
{
    return input.is_non_overlapping_and_dense() ? input.clone() : input;
}

}  // namespace

ScriptInterpreter::ScriptInterpreter(const torch::jit::Module& module) : m_root(module._ivalue())
{
    m_forward = torch::jit::toGraphFunction(module.get_method("forward").function()).graph().get();
    findModules(m_root, {});
}

void ScriptInterpreter::findModules(const c10::intrusive_ptr<c10::ivalue::Object>& object, const std::string& path)
{
    if (!m_paths.emplace(object.get(), path).second || m_paths.size() > 100'000)
        return;
    for (std::size_t i = 0; i < object->type()->numAttributes(); ++i)
        if (const c10::IValue& part = object->getSlot(i); part.isModule())
            findModules(part.toObject(), (path.empty() ? "" : path + ".") + object->type()->getAttributeName(i));
}

Recording ScriptInterpreter::run(const std::vector<std::string>& names, const std::vector<c10::IValue>& inputs)
{
    m_recorder = {};
    m_set.clear();
    m_steps = 0;
    m_recorder.addModule({}, pythonName(m_root->type()->name()->qualifiedName()), {});
    m_modules = {ModuleId{0}};
    ItemList items{Item{m_root}};
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        items.push_back(Item{inputs[i]});
        if (inputs[i].isNone())
            continue;
        items.back().value = inputs[i].isTensor() ? c10::IValue(ownCopy(inputs[i].toTensor())) : inputs[i];
        items.back().id = m_recorder.addInput(names[i], inputs[i]);
    }
    m_inputs = ItemList(items.begin() + 1, items.end());
    m_recorder.addOutput(call(*m_forward, std::move(items)));
    return m_recorder.take();
}

// Traces write numbers as tensors without dimensions.
Item ScriptInterpreter::literal(const c10::IValue& value)
{
    Item item = itemFrom(value);
    item.isCount = item.isTensor() && value.toTensor().dim() == 0;
    const bool isWhole = item.isCount ? value.toTensor().scalar_type() == at::kLong : value.isInt();
    if (isWhole && !m_baked.counts.empty())
        if (const auto baked = m_baked.counts.find(item.isCount ? value.toTensor().item<std::int64_t>() : value.toInt());
            baked != m_baked.counts.end())
            return counted(value, baked->second);
    if (item.isCount) {  // which leaves the type of what it is added to, as Python's numbers do
        item.value = value.toTensor().clone();
        item.value.toTensor().unsafeGetTensorImpl()->set_wrapped_number(true);
    }
    return item;
}

// What the number would have been on this graph.
Item ScriptInterpreter::counted(const c10::IValue& value, const BakedCounts::Times& times)
{
    Item sum{std::int64_t{0}};
    const auto add = [&](std::int64_t factor, const std::optional<std::pair<std::size_t, int>>& of) {
        if (factor == 0)
            return;
        Item part = m_recorder.size(m_inputs.at(of->first), of->second);
        if (factor > 1)
            part = m_recorder.number("operator::mul", {{"a", {part.id}}, {"b", {factor}}}, part.value.toInt() * factor);
        sum = sum.id.valid() ? m_recorder.number("operator::add", {{"a", {sum.id}}, {"b", {part.id}}}, sum.value.toInt() + part.value.toInt()) : part;
    };
    m_recorder.setPlace(m_modules.back(), {});
    add(times.nodes, m_baked.nodesOf);
    add(times.edges, m_baked.edgesOf);
    if (value.isTensor()) {
        sum.value = at::scalar_tensor(sum.value.toInt(), at::kLong);
        sum.isCount = true;
    }
    return sum;
}

Item ScriptInterpreter::call(const torch::jit::Graph& graph, ItemList inputs)
{
    if (m_modules.size() > 300)
        throw Error("The model's functions call each other more than 300 deep.");
    if (graph.inputs().size() != inputs.size())
        throw Error("The model file is damaged: a function is called with another number of arguments than it takes.");
    Environment environment;
    for (std::size_t i = 0; i < inputs.size(); ++i)
        environment[graph.inputs()[i]] = std::move(inputs[i]);
    runBlock(*graph.block(), environment);
    if (graph.outputs().size() != 1)
        throw Error("The model file is damaged: a function does not return one value.");
    return environment.at(graph.outputs()[0]);
}

void ScriptInterpreter::runBlock(const torch::jit::Block& block, Environment& environment)
{
    for (const Node* node : block.nodes())
        runNode(*node, environment);
}

void ScriptInterpreter::runNode(const Node& node, Environment& environment)
{
    checkStop();
    if (++m_steps > 20'000'000)
        refuse(node, "runs a loop that does not end");
    if (is(node, "prim::If"))
        return runIf(node, environment);
    if (is(node, "prim::Loop"))
        return runLoop(node, environment);
    if (is(node, "prim::Constant")) {
        if (const auto value = torch::jit::toIValue(node.output()))
            environment[node.output()] = literal(*value);
        return;  // or it names a function, which its call looks up
    }
    ItemList inputs, outputs;
    for (const torch::jit::Value* input : node.inputs())
        inputs.push_back(environment[input]);
    if (runCall(node, inputs, environment) || runAttribute(node, inputs, environment))
        return;
    m_recorder.setPlace(m_modules.back(), sourceOf(node));
    if (!runContainer(node, inputs, outputs) && !runSize(node, inputs, outputs) && !runConversion(node, inputs, outputs) &&
        !runNumber(node, inputs, outputs) && !runSparse(node, inputs, outputs))
        runOperator(node, inputs, outputs);
    for (std::size_t i = 0; i < outputs.size() && i < node.outputs().size(); ++i)
        environment[node.outputs()[i]] = std::move(outputs[i]);
}

void ScriptInterpreter::runIf(const Node& node, Environment& environment)
{
    const Item& condition = environment.at(node.input(0));
    const torch::jit::Block& block = *node.blocks()[condition.value.toBool() ? 0 : 1];
    m_recorder.setPlace(m_modules.back(), sourceOf(node));
    if (!raises(*node.blocks()[0]) && !raises(*node.blocks()[1])) {
        m_recorder.guard(condition);
        if (condition.decides.valid())
            m_recorder.decide(condition.decides);
    }
    runBlock(block, environment);
    for (std::size_t i = 0; i < node.outputs().size(); ++i)
        environment[node.outputs()[i]] = environment.at(block.outputs()[i]);
}

void ScriptInterpreter::runLoop(const Node& node, Environment& environment)
{
    const torch::jit::Block& block = *node.blocks()[0];
    const std::int64_t most = environment.at(node.input(0)).value.toInt();
    m_recorder.guard(environment.at(node.input(0)));
    Item condition = environment.at(node.input(1));
    ItemList carried;
    for (std::size_t i = 2; i < node.inputs().size(); ++i)
        carried.push_back(environment.at(node.input(i)));
    for (std::int64_t turn = 0; turn < most && condition.value.toBool(); ++turn) {
        m_recorder.guard(condition);
        if (++m_steps > 20'000'000)
            refuse(node, "runs a loop that does not end");
        environment[block.inputs()[0]] = Item{turn};
        for (std::size_t i = 0; i < carried.size(); ++i)
            environment[block.inputs()[i + 1]] = carried[i];
        runBlock(block, environment);
        condition = environment.at(block.outputs()[0]);
        for (std::size_t i = 0; i < carried.size(); ++i)
            carried[i] = environment.at(block.outputs()[i + 1]);
    }
    m_recorder.guard(condition);
    for (std::size_t i = 0; i < carried.size(); ++i)
        environment[node.outputs()[i]] = carried[i];
}

ModuleId ScriptInterpreter::enter(const c10::ivalue::Object& object)
{
    const auto path = m_paths.find(&object);
    if (path == m_paths.end() || path->second.empty())
        return m_modules.back();
    return m_recorder.addModule(path->second, pythonName(object.type()->name()->qualifiedName()), m_modules.back());
}

bool ScriptInterpreter::runCall(const Node& node, const ItemList& inputs, Environment& environment)
{
    const torch::jit::Graph* graph = nullptr;
    ItemList arguments = inputs;
    ModuleId module = m_modules.back();
    if (is(node, "prim::CallMethod")) {
        if (!inputs.at(0).value.isObject())
            refuse(node, "calls a method of something that is no module");
        const auto object = inputs[0].value.toObject();
        graph = torch::jit::toGraphFunction(object->type()->getMethod(node.s(c10::attr::name))).graph().get();
        module = enter(*object);
    } else if (is(node, "prim::CallFunction")) {
        graph = torch::jit::toGraphFunction(*node.input(0)->type()->expect<c10::FunctionType>()->function()).graph().get();
        arguments.erase(arguments.begin());
    } else {
        return false;
    }
    m_modules.push_back(module);
    environment[node.output()] = call(*graph, std::move(arguments));
    m_modules.pop_back();
    return true;
}

bool ScriptInterpreter::runAttribute(const Node& node, const ItemList& inputs, Environment& environment)
{
    if (is(node, "prim::GetAttr")) {
        environment[node.output()] = attribute(inputs.at(0).value.toObject(), node.s(c10::attr::name));
        return true;
    }
    if (is(node, "prim::SetAttr")) {
        const auto object = inputs.at(0).value.toObject();
        m_set[{object.get(), node.s(c10::attr::name)}] = inputs.at(1);
        return true;
    }
    if (is(node, "prim::CreateObject")) {
        const auto type = node.output()->type()->expect<c10::ClassType>();
        environment[node.output()] = Item{c10::ivalue::Object::create(c10::StrongTypePtr(type->compilation_unit(), type), type->numAttributes())};
        return true;
    }
    return false;
}

Item ScriptInterpreter::attribute(const c10::intrusive_ptr<c10::ivalue::Object>& object, const std::string& name)
{
    if (const auto set = m_set.find({object.get(), name}); set != m_set.end())
        return set->second;
    const c10::IValue value = object->getAttr(name);
    Item item = itemFrom(value);
    if (const auto path = m_paths.find(object.get()); item.isTensor() && path != m_paths.end())
        item.id = m_recorder.weight((path->second.empty() ? "" : path->second + ".") + name, value.toTensor());
    return item;
}

std::vector<c10::IValue> ScriptInterpreter::execute(const Node& node, const ItemList& inputs)
{
    torch::jit::Stack stack;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        c10::IValue value = concrete(inputs[i], node.input(i)->type());
        stack.push_back(value.isDevice() ? c10::IValue(c10::Device(c10::kCPU)) : std::move(value));
        if (isHalf(node, i, stack.back())) {
            stack.back() = static_cast<std::int64_t>(at::kFloat);
            m_recorder.setHalf();
        }
    }
    if (const c10::FunctionSchema* schema = node.maybeSchema(); schema != nullptr && schema->is_vararg())
        stack.emplace_back(static_cast<std::int64_t>(inputs.size()));
    const FailureGuard guard{node, inputs, m_recorder.program().ops.size()};
    guard.run([&] {
        torch::jit::Operation operation = node.getOperation();
        if (const c10::FunctionSchema* schema = node.maybeSchema(); schema != nullptr)
            guardIndices(*schema, stack);
        operation(stack);
    });
    return {stack.begin(), stack.end()};
}

// Probes hold matrices densely, where operators of sparse ones are those of dense ones.
bool ScriptInterpreter::runSparse(const Node& node, const ItemList& inputs, ItemList& outputs)
{
    const bool isDense =
        !inputs.empty() && inputs[0].value.isTensor() && inputs[0].value.toTensor().defined() && inputs[0].value.toTensor().layout() == at::kStrided;
    if (!isDense)
        return false;
    const at::Tensor& self = inputs[0].value.toTensor();
    if (is(node, "aten::to_dense") &&
        std::all_of(inputs.begin() + 1, inputs.end(), [](const Item& item) { return item.value.isNone() || item.value.isBool(); })) {
        outputs.push_back(inputs[0]);
        return true;
    }
    if (!is(node, "aten::_sparse_sum"))
        return false;
    const auto given = [&](std::string_view name) -> const Item* {
        const auto index = node.schema().argumentIndexWithName(std::string(name));
        return index ? &inputs.at(static_cast<std::size_t>(*index)) : nullptr;
    };
    std::vector<NamedArgument> arguments{{"self", m_recorder.argument(inputs[0])}};
    const Item* dim = given("dim");
    const Item* dtype = given("dtype");
    const at::Tensor summed = dim == nullptr ? self.sum() : self.sum(concrete(*dim, c10::ListType::ofInts()).toIntVector());
    if (dim != nullptr)
        arguments.push_back({"dim", m_recorder.argument(*dim)});
    if (dtype != nullptr)
        arguments.push_back({"dtype", {dtypeOf(static_cast<at::ScalarType>(dtype->value.toInt()))}});
    const at::Tensor result = dtype == nullptr ? summed : summed.to(static_cast<at::ScalarType>(dtype->value.toInt()));
    outputs.push_back(m_recorder.instead("aten::sum", dim == nullptr ? "" : "dim_IntList", std::move(arguments), result));
    return true;
}

void ScriptInterpreter::runOperator(const Node& node, const ItemList& inputs, ItemList& outputs)
{
    if (is(node, "prim::RaiseException"))
        throw ScriptFailure{inputs.empty() || !inputs[0].value.isString() ? "" : inputs[0].value.toStringRef(),
                            "raise",
                            sourceOf(node),
                            {},
                            m_recorder.program().ops.size()};
    if (is(node, "aten::warn") || is(node, "prim::Print"))
        return;
    refuseUnsafe(node);
    if (std::string_view(node.kind().toQualString()).starts_with("aten::_nested_"))
        throw Error("The trace holds PyTorch's fast path of a TransformerEncoder" + placeText(sourceOf(node)) +
                    ": trace it after torch.backends.mha.set_fastpath_enabled(False), or export the model by torch.export.");
    if (node.maybeOperator() == nullptr || writesToList(node, inputs))
        refuse(node, "uses " + printable(node.kind().toQualString()) + ", which Cleave does not know");
    bool anyTensor = false;
    for (c10::IValue& value : execute(node, inputs)) {
        outputs.push_back(itemFrom(value));
        forEachLeaf(outputs.back(), [&](const Item& leaf) { anyTensor = anyTensor || leaf.isTensor(); });
    }
    if (anyTensor) {
        m_recorder.call(node.schema(), inputs, outputs);
        return;
    }
    for (Item& output : outputs) {
        for (const Item& input : inputs)
            if (output.value.isBool() && input.decides.valid())
                output.decides = input.decides;
        output.origin = originOf(node, inputs, output);
    }
}

}  // namespace cleave
