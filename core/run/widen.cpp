#include "core/run/widen.h"

#include <ATen/ATen.h>

#include "core/analysis/op_view.h"

namespace cleave {

namespace {

void widen(DType& dtype)
{
    if (isFloating(dtype))
        dtype = DType::Float64;
}

void widen(Argument& argument)
{
    if (auto* dtype = std::get_if<DType>(&argument.value))
        widen(*dtype);
    else if (auto* list = std::get_if<std::vector<Argument>>(&argument.value))
        for (Argument& item : *list)
            widen(item);
}

// These make numbers of torch's default type where none is given.
bool makesNumbers(const Op& op)
{
    return isOneOf(op.target, {"aten::zeros", "aten::ones", "aten::full", "aten::empty", "aten::eye", "aten::arange", "aten::linspace",
                               "aten::scalar_tensor", "aten::tensor"});
}

}  // namespace

Analysis inFloat64(const Analysis& analysis)
{
    Analysis wide = analysis;
    Program& program = wide.program;
    for (Op& op : program.ops) {
        for (NamedArgument& argument : op.args)
            widen(argument.value);
        if (!makesNumbers(op) || op.outputs.empty() || !isFloating(program[op.outputs.front()].dtype))
            continue;
        const auto dtype = std::ranges::find(op.args, "dtype", &NamedArgument::name);
        if (dtype == op.args.end())
            op.args.push_back({"dtype", {DType::Float64}});
        else if (dtype->value.isNone())
            dtype->value = {DType::Float64};
    }
    for (Value& value : program.values)
        widen(value.dtype);
    return wide;
}

c10::IValue inFloat64(const c10::IValue& value)
{
    return value.isTensor() && value.toTensor().is_floating_point() ? c10::IValue(value.toTensor().to(at::kDouble)) : value;
}

}  // namespace cleave
