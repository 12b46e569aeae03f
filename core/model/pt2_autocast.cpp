#include "core/model/pt2_autocast.h"

#include <algorithm>
#include <optional>

namespace cleave {

namespace {

// What says itself which type it makes.
bool choosesType(const Op& op)
{
    const auto saysSo = [](const NamedArgument& argument) { return argument.name == "dtype" && !argument.value.isNone(); };
    return op.target == "aten::to" || op.target == "aten::type_as" || op.target == "aten::float_power" || std::ranges::any_of(op.args, saysSo);
}

std::optional<DType> floatingType(const Program& program, const std::vector<ValueId>& outputs)
{
    for (const ValueId id : outputs)
        if (const Value& value = program[id]; value.kind == ValueKind::Tensor && isFloating(value.dtype))
            return value.dtype;
    return {};
}

// Such an op takes rows in bfloat16 beside parameters in float32, and computes in float32 inside.
bool takesBoth(const Op& op)
{
    return op.target.ends_with("_norm");
}

template <class Change>
void changeTensors(Argument& argument, const Change& change)
{
    if (auto* list = std::get_if<std::vector<Argument>>(&argument.value))
        for (Argument& item : *list)
            changeTensors(item, change);
    else if (ValueId* id = std::get_if<ValueId>(&argument.value))
        change(*id);
}

}  // namespace

void Autocast::write(Program& program, Op& op, std::set<std::string>& taken)
{
    // Tensors without a dimension have no say in what type comes out.
    const auto isFloat = [&](ValueId id) {
        return program[id].kind == ValueKind::Tensor && isFloating(program[id].dtype) && !program[id].sizes.empty();
    };
    const auto made = floatingType(program, op.outputs);
    if (!made || choosesType(op))
        return;
    // What PyTorch makes of operands of several types: float32 beside bfloat16 is float32.
    std::optional<DType> first, promoted;
    forEachOperand(op, [&](ValueId id) {
        if (!isFloat(id))
            return;
        const DType dtype = program[id].dtype;
        first = first.value_or(dtype);
        if (!promoted || itemSize(dtype) > itemSize(*promoted))
            promoted = dtype;
    });
    if (!promoted || *promoted == *made || (takesBoth(op) && *first == *made))
        return;
    for (NamedArgument& argument : op.args)
        changeTensors(argument.value, [&](ValueId& id) {
            if (isFloat(id) && program[id].dtype != *made)
                id = cast(program, id, *made, op, taken);
        });
}

ValueId Autocast::cast(Program& program, ValueId tensor, DType dtype, const Op& reader, std::set<std::string>& taken)
{
    const auto [known, isNew] = m_casts.try_emplace({tensor, dtype});
    if (!isNew)
        return known->second;
    Value value;
    value.name = program[tensor].name + "_as_" + std::string(dtypeName(dtype));
    while (!taken.insert(value.name).second)
        value.name += "_";
    value.dtype = dtype;
    value.sizes = program[tensor].sizes;
    value.producer = {static_cast<int>(program.ops.size())};
    Op op;
    op.name = value.name;
    op.target = "aten::to";
    op.overload = "dtype";
    op.args = {{"self", {tensor}}, {"dtype", {dtype}}};
    op.module = reader.module;
    op.source = reader.source;
    known->second = {static_cast<int>(program.values.size())};
    op.outputs = {known->second};
    program.values.push_back(std::move(value));
    program.ops.push_back(std::move(op));
    return known->second;
}

}  // namespace cleave
