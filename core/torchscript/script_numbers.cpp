#include <ATen/ATen.h>

#include <algorithm>
#include <array>

#include "core/base/error.h"
#include "core/torchscript/script_interpreter.h"
#include "core/torchscript/script_source.h"

namespace cleave {

namespace {

using torch::jit::Node;

bool isNumber(const Item& item) { return item.isCount || item.value.isInt() || item.value.isDouble(); }
bool isNone(const Item& item) { return item.value.isNone() && !item.items && !item.dictionary; }

// The arithmetic of Python that an operator on numbers is; empty for others.
std::string arithmetic(const Node& node, const ItemList& inputs)
{
    static const std::map<std::string_view, std::string> known{{"aten::add", "operator::add"},           {"aten::sub", "operator::sub"},
                                                          {"aten::mul", "operator::mul"},           {"aten::floordiv", "operator::floordiv"},
                                                          {"aten::floor_divide", "operator::floordiv"}, {"aten::remainder", "operator::mod"},
                                                          {"aten::div", "operator::truediv"},       {"aten::neg", "operator::neg"}};
    const auto found = known.find(node.kind().toQualString());
    if (found == known.end())
        return {};
    const std::size_t operands = is(node, "aten::neg") ? 1 : 2;
    if (inputs.size() < operands || !std::all_of(inputs.begin(), inputs.begin() + static_cast<std::ptrdiff_t>(operands), isNumber))
        return {};
    if (inputs.size() > operands) {
        const c10::IValue& last = inputs[operands].value;
        if (last.isString())
            return is(node, "aten::div") ? "operator::floordiv" : "";
        if (!last.isNone() && !(last.isInt() && last.toInt() == 1))
            return {};
    }
    return found->second;
}

}  // namespace

Argument ScriptInterpreter::numberArgument(const Item& item)
{
    if (item.id.valid())
        return {item.id};
    const c10::IValue value = item.isCount ? c10::IValue(item.value.toTensor().item()) : item.value;
    return value.isInt() ? Argument{value.toInt()} : Argument{value.toDouble()};
}

// Numbers of the program, and tensors that traces make of them.
bool ScriptInterpreter::runNumber(const Node& node, const ItemList& inputs, ItemList& outputs)
{
    const bool anyNumber = std::ranges::any_of(inputs, [&](const Item& item) {
        return item.isCount || (item.id.valid() && m_recorder.program()[item.id].kind != ValueKind::Tensor);
    });
    if (!anyNumber)
        return false;
    static const std::array<std::string_view, 5> same{"aten::to", "aten::detach", "aten::contiguous", "aten::clone", "aten::type_as"};
    if (inputs[0].isCount && std::ranges::find(same, node.kind().toQualString()) != same.end()) {
        outputs.push_back(inputs[0]);
        outputs.back().value = execute(node, inputs).front();
        return true;
    }
    if (is(node, "prim::min") || is(node, "prim::max")) {
        const c10::IValue chosen = execute(node, inputs).front();
        const auto which = std::ranges::find_if(inputs, [&](const Item& item) { return item.value == chosen; });
        outputs.push_back(which == inputs.end() ? Item{chosen} : *which);
        return true;
    }
    const std::string target = arithmetic(node, inputs);
    if (target.empty())
        return false;
    c10::IValue result = execute(node, inputs).front();
    const bool isCount = result.isTensor();
    const c10::Scalar scalar = isCount ? result.toTensor().item() : result.toScalar();
    Item made{result};
    if (std::ranges::any_of(inputs, [](const Item& item) { return item.id.valid(); })) {
        std::vector<NamedArgument> arguments{{"a", numberArgument(inputs[0])}};
        if (!is(node, "aten::neg"))
            arguments.push_back({"b", numberArgument(inputs[1])});
        made =
            m_recorder.number(target, std::move(arguments), scalar.isFloatingPoint() ? c10::IValue(scalar.toDouble()) : c10::IValue(scalar.toLong()));
        made.value = result;
    }
    made.isCount = isCount;
    outputs.push_back(std::move(made));
    return true;
}

bool ScriptInterpreter::runSize(const Node& node, const ItemList& inputs, ItemList& outputs)
{
    if (inputs.empty() || !inputs[0].isTensor() || inputs[0].isCount)
        return false;
    const auto dims = inputs[0].value.toTensor().dim();
    if (is(node, "aten::size") && inputs.size() == 1) {
        ItemList sizes;
        for (std::int64_t d = 0; d < dims; ++d)
            sizes.push_back(m_recorder.size(inputs[0], d));
        outputs.push_back(listItem(std::move(sizes)));
    } else if (is(node, "aten::size") && inputs[1].value.isInt()) {
        execute(node, inputs);  // or fails there
        outputs.push_back(m_recorder.size(inputs[0], inputs[1].value.toInt()));
    } else if (is(node, "aten::len")) {
        outputs.push_back(m_recorder.size(inputs[0], 0));
    } else if (is(node, "aten::numel")) {
        outputs.push_back(m_recorder.number("aten::sym_numel", {{"self", m_recorder.argument(inputs[0])}}, inputs[0].value.toTensor().numel()));
    } else {
        return false;
    }
    return true;
}

// Between numbers, tensors that hold one, and types that a script narrows.
bool ScriptInterpreter::runConversion(const Node& node, const ItemList& inputs, ItemList& outputs)
{
    if (is(node, "prim::NumToTensor")) {
        Item made{at::scalar_tensor(inputs[0].value.toScalar(), inputs[0].value.isInt() ? at::kLong : at::kDouble), inputs[0].id};
        made.isCount = true;
        outputs.push_back(std::move(made));
        return true;
    }
    if (is(node, "prim::unchecked_cast") || is(node, "prim::unchecked_unwrap_optional") || is(node, "prim::Uninitialized") ||
        (is(node, "aten::_unwrap_optional") && !isNone(inputs[0]))) {
        outputs.push_back(inputs.empty() ? Item{} : inputs[0]);
        return true;
    }
    if (is(node, "prim::isinstance")) {
        const c10::TypePtr type = inputs[0].items || inputs[0].dictionary ? node.input(0)->type() : inputs[0].value.type();
        const bool is = std::ranges::any_of(node.tys(c10::attr::types), [&](const c10::TypePtr& known) { return type->isSubtypeOf(*known); });
        outputs.push_back(Item{is});
        return true;
    }
    static const std::array<std::string_view, 6> reads{"aten::Int",           "aten::Float",          "aten::IntImplicit",
                                                       "aten::FloatImplicit", "aten::ScalarImplicit", "aten::item"};
    const bool isItem = std::ranges::find(reads, node.kind().toQualString()) != reads.end();
    if (inputs.size() != 1 || !inputs[0].isTensor() || (!isItem && !is(node, "aten::Bool")))
        return false;
    const c10::IValue number = execute(node, inputs).front();
    Item made{number};
    if (inputs[0].isCount)
        made.id = inputs[0].id;
    else if (is(node, "aten::Bool"))
        made.decides = inputs[0].id;
    else if (inputs[0].id.valid())
        made = m_recorder.number("aten::item", {{"self", {inputs[0].id}}}, number);
    outputs.push_back(std::move(made));
    return true;
}

}  // namespace cleave
