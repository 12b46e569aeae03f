#include "core/torchscript/script_recorder.h"

#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>

#include <algorithm>
#include <iterator>

#include "core/base/error.h"
#include "core/base/format.h"
#include "core/model/pt2_checks.h"
#include "core/run/tensors.h"

namespace cleave {

namespace {

// Where tensors lie: everything is strided and on the CPU.
bool saysWhere(const std::string& argument)
{
    static const std::set<std::string> names{"device", "layout", "memory_format", "pin_memory", "non_blocking", "generator"};
    return names.contains(argument);
}

bool isDefault(const c10::Argument& argument, const Item& item)
{
    if (!argument.default_value() || item.id.valid() || item.items || item.dictionary)
        return false;
    const c10::IValue& given = item.value;
    const c10::IValue& known = *argument.default_value();
    return given.isNone()   ? known.isNone()
           : given.isBool() ? known.isBool() && known.toBool() == given.toBool()
           : given.isInt()  ? known.isInt() && known.toInt() == given.toInt()
                            : given.isDouble() && known.isDouble() && known.toDouble() == given.toDouble();
}

ValueKind kindOf(const c10::IValue& value)
{
    return value.isTensor()   ? ValueKind::Tensor
           : value.isInt()    ? ValueKind::Int
           : value.isDouble() ? ValueKind::Float
           : value.isBool()   ? ValueKind::Bool
                              : ValueKind::None;
}

c10::IValue numberOf(const at::Tensor& tensor)
{
    const c10::Scalar number = tensor.item();
    return number.isBoolean()         ? c10::IValue(number.toBool())
           : number.isFloatingPoint() ? c10::IValue(number.toDouble())
                                      : c10::IValue(number.toLong());
}

// Of a tensor whose type must be that of the others: a number is of float64 where a tensor is asked for.
bool mustAgree(std::string_view op, std::string_view argument)
{
    return (op.starts_with("aten::index_put") && argument == "values") ||
           ((op.starts_with("aten::prelu") || op.starts_with("aten::lerp")) && argument == "weight");
}

bool hasDimensions(const Item& item)
{
    if (item.items)
        return std::ranges::any_of(*item.items, hasDimensions);
    return item.isTensor() && item.value.toTensor().dim() > 0;
}

// Where an operator has a number beside a tensor without dimensions, whose type the number leaves as it is: its form for numbers ("Scalar" for
// "Tensor"), in which that is so. Empty where it has none.
std::string formForNumber(const c10::FunctionSchema& schema, const ItemList& arguments)
{
    constexpr std::string_view ofTensors = "Tensor";
    const std::string& overload = schema.overload_name();
    const auto other = schema.argumentIndexWithName("other");
    const auto isTensor = [](const Item& item) { return item.isTensor() && !item.isCount && item.value.toTensor().defined(); };
    if (!overload.starts_with(ofTensors) || !other || static_cast<std::size_t>(*other) >= arguments.size() ||
        !arguments[static_cast<std::size_t>(*other)].isCount || std::ranges::none_of(arguments, isTensor))
        return {};
    std::string form = "Scalar" + overload.substr(ofTensors.size());
    return c10::Dispatcher::singleton().findSchema({schema.name(), form}) ? form : std::string();
}

// Names that torch.fx leaves to Python.
bool isPythons(const std::string& name)
{
    static const std::set<std::string> names{"abs", "all",   "and",   "any", "filter", "float",  "format", "hash", "hex", "id",
                                             "in",  "int",   "is",    "len", "map",    "max",    "min",    "next", "not", "or",
                                             "pow", "range", "round", "set", "slice",  "sorted", "sum",    "type", "zip"};
    return names.contains(name);
}

}  // namespace

ValueId Recorder::add(const std::string& name, const c10::IValue& value)
{
    Value made;
    made.name = name;
    made.kind = kindOf(value);
    std::vector<std::int64_t> sizes;
    if (value.isTensor()) {
        made.dtype = dtypeOf(value.toTensor().scalar_type());
        sizes = value.toTensor().sizes().vec();
    } else if (value.isInt()) {
        sizes = {value.toInt()};
    }
    m_recording.program.values.push_back(std::move(made));
    m_recording.sizes.push_back(std::move(sizes));
    return ValueId{static_cast<int>(m_recording.program.values.size()) - 1};
}

std::string Recorder::freeName(const std::string& wanted)
{
    if (!isPythons(wanted) && m_names.insert(wanted).second)
        return wanted;
    for (int& used = m_used[wanted];;)
        if (std::string name = wanted + "_" + std::to_string(++used); m_names.insert(name).second)
            return name;
}

ValueId Recorder::addInput(const std::string& name, const c10::IValue& value)
{
    // Callers and graph files know it by this name, also where torch.fx would leave it to Python.
    const ValueId id = add(m_names.insert(name).second ? name : freeName(name), value);
    m_recording.program.inputs.push_back({id});
    return id;
}

ModuleId Recorder::addModule(const std::string& path, const std::string& type, ModuleId parent)
{
    std::vector<Module>& modules = m_recording.program.modules;
    const auto [known, isNew] = m_modules.try_emplace(path, ModuleId{static_cast<int>(modules.size())});
    if (isNew)
        modules.push_back({path, type, parent});
    return known->second;
}

ValueId Recorder::weight(const std::string& name, const at::Tensor& tensor, bool isInline)
{
    if (const auto known = m_constants.find(tensor.unsafeGetTensorImpl()); known != m_constants.end())
        return known->second;
    if (!tensor.device().is_cpu() || tensor.layout() != at::kStrided)
        throw Error("The model's constant '" + printable(name) + "' is a sparse or foreign tensor, which Cleave does not read.");
    const Array copy = toArray(tensor.contiguous().clone());
    const std::string free = freeName(name);
    const ValueId id = add(free, tensor);
    Program& p = m_recording.program;
    p[id].weight = {static_cast<int>(p.weights.size())};
    for (const std::int64_t size : tensor.sizes())
        p[id].sizes.push_back({size, {}});
    const auto* bytes = copy.as<std::byte>();
    Weight made{name, copy.dtype, copy.shape, {}, 0, std::make_shared<const std::vector<std::byte>>(bytes, bytes + copy.bytes()), isInline};
    made.strides.resize(made.sizes.size());
    for (std::int64_t d = static_cast<std::int64_t>(made.sizes.size()) - 1, step = 1; d >= 0; --d) {
        made.strides[static_cast<std::size_t>(d)] = step;
        step *= made.sizes[static_cast<std::size_t>(d)];
    }
    p.weights.push_back(std::move(made));
    m_kept.push_back(tensor);
    return m_constants[tensor.unsafeGetTensorImpl()] = id;
}

void Recorder::setPlace(ModuleId module, SourceLine source)
{
    m_module = module;
    m_source = std::move(source);
}

// As torch.fx names the same call: "linear", "linear_1", "scatter_add__1".
std::string Recorder::opName(const std::string& target)
{
    return freeName(target == "aten::sym_size" ? "sym_size_int" : target.substr(target.rfind(':') + 1));
}

ValueId Recorder::push(const std::string& target, const std::string& overload, std::vector<NamedArgument> arguments, ItemList& outputs)
{
    Program& p = m_recording.program;
    if (p.ops.size() >= 500'000)
        throw Error("The model's forward runs more than 500,000 operators: export a smaller one.");
    Op op{opName(target), target, overload, std::move(arguments), {}, m_module, m_source};
    const OpId id{static_cast<int>(p.ops.size())};
    std::vector<Item*> leaves;
    for (Item& output : outputs) {
        if (output.items)
            for (Item& part : *output.items)
                leaves.push_back(&part);
        else
            leaves.push_back(&output);
    }
    for (std::size_t i = 0; i < leaves.size(); ++i) {
        const ValueId value = add(leaves.size() == 1 ? op.name : freeName(op.name + "_" + std::to_string(i)), leaves[i]->value);
        p[value].producer = id;
        p[value].outputIndex = static_cast<int>(i);
        leaves[i]->id = value;
        op.outputs.push_back(value);
    }
    p.ops.push_back(std::move(op));
    refuseTraining(p, id);
    return p[id].outputs.empty() ? ValueId{} : p[id].outputs.front();
}

void Recorder::guard(const Item& item)
{
    if (!item.origin || !m_guarded.insert(item.origin.get()).second)
        return;
    const c10::IValue value = item.isCount ? numberOf(item.value.toTensor()) : item.value;
    m_recording.guards.push_back({item.origin, {value.isBool() ? double(value.toBool()) : value.toScalar().toDouble(), m_source}});
}

Argument Recorder::argument(const Item& item)
{
    guard(item);
    if (item.items) {
        std::vector<Argument> parts;
        for (const Item& part : *item.items)
            parts.push_back(argument(part));
        return {std::move(parts)};
    }
    if (item.isCount && item.id.valid())
        return typed(item);
    if (item.id.valid())
        return {item.id};
    const c10::IValue value = item.isCount ? numberOf(item.value.toTensor()) : item.value;
    if (value.isTensor())
        return value.toTensor().defined() ? Argument{weight("constant", value.toTensor(), true)} : Argument{};
    if (value.isInt())
        return {value.toInt()};
    if (value.isDouble())
        return {value.toDouble()};
    if (value.isBool())
        return {value.toBool()};
    if (value.isString())
        return {value.toStringRef()};
    if (value.isNone())
        return {};
    throw Error("The model calls an operator with a value of type " + printable(value.tagKind()) + ", which Cleave does not know.");
}

Argument Recorder::typed(const Item& item)
{
    if (item.items) {
        std::vector<Argument> parts;
        std::ranges::transform(*item.items, std::back_inserter(parts), [this](const Item& part) { return typed(part); });
        return {std::move(parts)};
    }
    if (!item.isCount)
        return argument(item);
    const at::Tensor& tensor = item.value.toTensor();
    const Argument number = item.id.valid() ? Argument{item.id} : argument({.value = numberOf(tensor)});
    ItemList made{Item{item.value}};
    return {push("aten::scalar_tensor", "", {{"s", number}, {"dtype", {dtypeOf(tensor.scalar_type())}}}, made)};
}

void Recorder::call(const c10::FunctionSchema& schema, const ItemList& arguments, ItemList& outputs)
{
    std::vector<NamedArgument> given;
    const bool decideType = std::ranges::none_of(arguments, hasDimensions);  // tensors that hold numbers
    const std::string form = decideType ? formForNumber(schema, arguments) : std::string();
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const c10::Argument& described = schema.arguments().at(i);
        const Item& item = arguments[i];
        if (saysWhere(described.name()) || isDefault(described, item))
            continue;
        if (described.name() == "dtype" && item.value.isInt() && !item.id.valid())
            given.push_back({"dtype", {dtypeOf(static_cast<at::ScalarType>(item.value.toInt()))}});
        else if (!form.empty() && described.name() == "other")
            given.push_back({described.name(), argument(item)});
        else
            given.push_back({described.name(), decideType || mustAgree(schema.name(), described.name()) ? typed(item) : argument(item)});
    }
    push(schema.name(), form.empty() ? schema.overload_name() : form, std::move(given), outputs);
}

Item Recorder::instead(const std::string& target, const std::string& overload, std::vector<NamedArgument> arguments, const c10::IValue& result)
{
    ItemList outputs{Item{result}};
    push(target, overload, std::move(arguments), outputs);
    return outputs.front();
}

Item Recorder::number(const std::string& target, std::vector<NamedArgument> arguments, const c10::IValue& result)
{
    return instead(target, "", std::move(arguments), result);
}

Item Recorder::size(const Item& tensor, std::int64_t dim)
{
    const at::Tensor& concrete = tensor.value.toTensor();
    const std::int64_t from = dim < 0 ? dim + concrete.dim() : dim;
    if (from < 0 || from >= concrete.dim())
        throw Error("The model asks for size " + std::to_string(dim) + " of a tensor of " + std::to_string(concrete.dim()) + " dimensions.");
    ItemList outputs{Item{concrete.size(from)}};
    push("aten::sym_size", "int", {{"self", argument(tensor)}, {"dim", {from}}}, outputs);
    return outputs.front();
}

void Recorder::addOutput(const Item& item)
{
    forEachLeaf(item, [&](const Item& leaf) {
        if (!leaf.isTensor())
            return;
        Argument output = typed(leaf);
        if (!output.asValue()) {  // a constant of one number
            const DType dtype = dtypeOf(leaf.value.toTensor().scalar_type());
            output = argument(instead("aten::scalar_tensor", "", {{"s", std::move(output)}, {"dtype", {dtype}}}, leaf.value));
        }
        m_recording.program.outputs.push_back(*output.asValue());
    });
}

}  // namespace cleave
