#include "core/analysis/op_kinds.h"

#include <map>

#include "core/analysis/op_view.h"

namespace cleave {

ViewKind viewKind(const Op& op)
{
    using enum ViewKind;
    static const std::map<std::string_view, ViewKind> kinds{
        {"aten::clone", Whole},         {"aten::contiguous", Whole},      {"aten::detach", Whole},          {"aten::detach_copy", Whole},
        {"aten::alias", Whole},         {"aten::lift_fresh", Whole},      {"aten::lift_fresh_copy", Whole}, {"aten::view", Reshape},
        {"aten::reshape", Reshape},     {"aten::_unsafe_view", Reshape},  {"aten::view_as", Reshape},       {"aten::reshape_as", Reshape},
        {"aten::flatten", Reshape},     {"aten::unflatten", Reshape},     {"aten::squeeze", Reshape},       {"aten::unsqueeze", Reshape},
        {"aten::expand", Repeat},       {"aten::expand_as", Repeat},      {"aten::broadcast_to", Repeat},   {"aten::transpose", Turn},
        {"aten::t", Turn},              {"aten::numpy_T", Turn},          {"aten::permute", Turn},          {"aten::movedim", Turn},
        {"aten::select", Part},         {"aten::slice", Part},            {"aten::narrow", Part},           {"aten::split", Part},
        {"aten::chunk", Part},          {"aten::split_with_sizes", Part}, {"aten::tensor_split", Part},     {"aten::unbind", Part}};
    const auto known = kinds.find(op.target);
    const bool isOtherType = op.target == "aten::view" && op.overload == "dtype";
    return known == kinds.end() || isOtherType ? None : known->second;
}

bool isFilled(const Op& op)
{
    return isOneOf(op.target, {"aten::zeros", "aten::new_zeros", "aten::zeros_like", "aten::ones", "aten::new_ones", "aten::ones_like", "aten::full",
                               "aten::new_full", "aten::full_like"});
}

std::optional<double> filledWith(const Program& program, ValueId value)
{
    const Op* op = producerOf(program, value);
    if (op == nullptr || !isFilled(*op))
        return {};
    const OpView view(program, *op);
    if (op->target.find("full") != std::string::npos)
        return view.number("fill_value");
    return op->target.find("ones") != std::string::npos ? 1.0 : 0.0;
}

}  // namespace cleave
