#include "core/analysis/op_kinds.h"

#include <map>

#include "core/analysis/op_view.h"

namespace cleave {

namespace {

std::map<std::string_view, ViewKind> makeKinds()
{
    std::map<std::string_view, ViewKind> kinds;
    const auto add = [&](ViewKind kind, std::initializer_list<std::string_view> targets) {
        for (const std::string_view target : targets)
            kinds[target] = kind;
    };
    add(ViewKind::Whole,
        {"aten::clone", "aten::contiguous", "aten::detach", "aten::detach_copy", "aten::alias", "aten::lift_fresh", "aten::lift_fresh_copy"});
    add(ViewKind::Reshape, {"aten::view", "aten::reshape", "aten::_unsafe_view", "aten::view_as", "aten::reshape_as", "aten::flatten",
                            "aten::unflatten", "aten::squeeze", "aten::unsqueeze"});
    add(ViewKind::Repeat, {"aten::expand", "aten::expand_as", "aten::broadcast_to"});
    add(ViewKind::Turn, {"aten::transpose", "aten::t", "aten::numpy_T", "aten::permute", "aten::movedim"});
    add(ViewKind::Part, {"aten::select", "aten::slice", "aten::narrow", "aten::split", "aten::split_with_sizes", "aten::chunk", "aten::tensor_split",
                         "aten::unbind"});
    return kinds;
}

}  // namespace

ViewKind viewKind(const Op& op)
{
    static const std::map<std::string_view, ViewKind> kinds = makeKinds();
    const auto known = kinds.find(op.target);
    const bool isOtherType = op.target == "aten::view" && op.overload == "dtype";
    return known == kinds.end() || isOtherType ? ViewKind::None : known->second;
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
