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

bool isUnary(const Node& node)
{
    static const std::array<std::string_view, 5> unary{"aten::neg", "aten::Float", "aten::sqrt", "aten::ceil", "aten::floor"};
    return std::ranges::find(unary, node.kind().toQualString()) != unary.end();
}

bool isTruthOrNumber(const c10::IValue& value) { return value.isInt() || value.isDouble() || value.isBool(); }

// The arithmetic of Python that an operator on numbers is; empty for others.
std::string arithmetic(const Node& node, const ItemList& inputs)
{
    static const std::map<std::string_view, std::string> known{{"aten::add", "operator::add"},           {"aten::sub", "operator::sub"},
                                                          {"aten::mul", "operator::mul"},           {"aten::floordiv", "operator::floordiv"},
                                                          {"aten::floor_divide", "operator::floordiv"}, {"aten::remainder", "operator::mod"},
                                                          {"aten::div", "operator::truediv"},       {"aten::neg", "operator::neg"},
                                                          {"aten::Float", "sym::float"},            {"aten::sqrt", "math::sqrt"},
                                                          {"aten::ceil", "math::ceil"},             {"aten::floor", "math::floor"}};
    const auto found = known.find(node.kind().toQualString());
    if (found == known.end())
        return {};
    const std::size_t operands = isUnary(node) ? 1 : 2;
    if (isUnary(node) && !is(node, "aten::neg") && inputs[0].isCount)
        return {};  // of a tensor it is a tensor
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

namespace {

bool isOfSizes(const Item& item, const Program& program)
{
    return item.origin || (item.id.valid() && program[item.id].kind != ValueKind::Tensor);
}

std::shared_ptr<const SizeOrigin> joined(std::string op, std::vector<std::shared_ptr<const SizeOrigin>> parts)
{
    constexpr int deepest = 200;
    SizeOrigin made{.op = std::move(op), .parts = std::move(parts)};
    for (const auto& part : made.parts)
        made.depth = std::max(made.depth, part->depth + 1);
    if (made.depth > deepest)
        made = {.op = "a chain of operators", .parts = {made.parts.front()}, .depth = deepest};
    return std::make_shared<const SizeOrigin>(std::move(made));
}

std::shared_ptr<const SizeOrigin> partOf(const Item& item)
{
    if (item.origin)
        return item.origin;
    SizeOrigin leaf{.id = item.id};
    const c10::IValue value = item.isCount ? c10::IValue(item.value.toTensor().item()) : item.value;
    if (isTruthOrNumber(value))
        leaf.number = value.isBool() ? double(value.toBool()) : value.toScalar().toDouble();
    return std::make_shared<const SizeOrigin>(std::move(leaf));
}

}  // namespace

// Nothing for what does not come from sizes, and for other things than numbers and truths.
std::shared_ptr<const SizeOrigin> ScriptInterpreter::originOf(const Node& node, const ItemList& inputs, const Item& result) const
{
    ItemList leaves;
    for (const Item& input : inputs)
        forEachLeaf(input, [&](const Item& leaf) { leaves.push_back(leaf); });
    const bool isIdentity = is(node, "aten::__is__") || is(node, "aten::__isnot__");  // to None
    if (isIdentity || !isTruthOrNumber(result.value) || std::ranges::none_of(leaves, [&](const Item& leaf) { return isOfSizes(leaf, m_recorder.program()); }))
        return {};
    std::string op = node.kind().toUnqualString();
    std::erase(op, '_');
    const bool areLists = inputs.size() == 2 && inputs[0].items && inputs[1].items && inputs[0].items->size() == inputs[1].items->size();
    if (areLists && (op == "eq" || op == "ne")) {
        std::shared_ptr<const SizeOrigin> all;
        for (std::size_t i = 0; i < inputs[0].items->size(); ++i) {
            auto one = joined(op, {partOf((*inputs[0].items)[i]), partOf((*inputs[1].items)[i])});
            all = all ? joined(op == "eq" ? "and" : "or", {all, one}) : one;
        }
        return all;
    }
    std::vector<std::shared_ptr<const SizeOrigin>> parts;
    std::ranges::transform(leaves, std::back_inserter(parts), partOf);
    const bool areAlone = std::ranges::none_of(inputs, [](const Item& input) { return input.items || input.dictionary; });
    return joined(areAlone ? op : op + " of a list", std::move(parts));
}

// Of several numbers the least or the largest: where another one is, the program is another one.
void ScriptInterpreter::guardChoice(const std::string& op, const Item& chosen, const ItemList& among)
{
    for (const Item& other : among)
        if (&other != &chosen && (isOfSizes(chosen, m_recorder.program()) || isOfSizes(other, m_recorder.program()))) {
            Item holds{true};
            holds.origin = joined(op, {partOf(chosen), partOf(other)});
            m_recorder.guard(holds);
        }
}

// The number that an item has, in place of which an integer is wanted, or none: what lies behind the point is cut off.
Item ScriptInterpreter::ofType(const Item& item, const c10::IValue& wanted)
{
    const bool isWhole = wanted.isInt() || (wanted.isTensor() && at::isIntegralType(wanted.toTensor().scalar_type(), true));
    Item made{wanted, item.id};
    if (isWhole && m_recorder.program()[item.id].kind == ValueKind::Float)
        made = m_recorder.number("math::trunc", {{"x", {item.id}}}, wanted.isTensor() ? c10::IValue(wanted.toTensor().item().toLong()) : wanted);
    made.value = wanted;
    return made;
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
        const c10::IValue result = execute(node, inputs).front();
        outputs.push_back(inputs[0].id.valid() ? ofType(inputs[0], result) : inputs[0]);
        outputs.back().value = result;
        outputs.back().isCount = true;
        return true;
    }
    if (is(node, "prim::min") || is(node, "prim::max")) {
        const c10::IValue chosen = execute(node, inputs).front();
        const auto which = std::ranges::find_if(inputs, [&](const Item& item) { return item.value == chosen; });
        outputs.push_back(which == inputs.end() ? Item{chosen} : *which);
        if (which != inputs.end())
            guardChoice(is(node, "prim::min") ? "le" : "ge", *which, inputs);
        else
            outputs.back().origin = originOf(node, inputs, outputs.back());
        return true;
    }
    if (is(node, "aten::Int") && inputs[0].id.valid() && !inputs[0].isTensor()) {
        outputs.push_back(ofType(inputs[0], execute(node, inputs).front()));
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
        if (!isUnary(node))
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
    if (inputs[0].isCount && inputs[0].id.valid() && !is(node, "aten::Bool"))
        made = ofType(inputs[0], number);
    else if (inputs[0].isCount)
        made.id = inputs[0].id;
    else if (is(node, "aten::Bool"))
        made.decides = inputs[0].id;
    else if (inputs[0].id.valid())
        made = m_recorder.number("aten::item", {{"self", {inputs[0].id}}}, number);
    outputs.push_back(std::move(made));
    return true;
}

}  // namespace cleave
