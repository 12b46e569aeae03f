#include "core/plan/edge_arithmetic.h"

#include <map>

namespace cleave {

std::optional<double> numberArgument(const Op& op, std::string_view name)
{
    const Argument* argument = op.find(name);
    if (!argument)
        return {};
    if (const std::int64_t* whole = argument->asInt())
        return static_cast<double>(*whole);
    if (const double* real = std::get_if<double>(&argument->value))
        return *real;
    return {};
}

namespace {

double numberOr(const Op& op, std::string_view name, double fallback)
{
    return numberArgument(op, name).value_or(fallback);
}

// x + alpha y, x y, x / y and so on, with tensors or a number on either side.
std::optional<std::vector<Arithmetic>> ofTwo(const Op& op)
{
    static const std::map<std::string_view, EdgeCode> codes{{"aten::add", EdgeCode::Add},         {"aten::sub", EdgeCode::Subtract},
                                                            {"aten::mul", EdgeCode::Multiply},    {"aten::div", EdgeCode::Divide},
                                                            {"aten::maximum", EdgeCode::Maximum}, {"aten::minimum", EdgeCode::Minimum}};
    const bool reversed = op.target == "aten::rsub";
    const auto known = codes.find(reversed ? "aten::sub" : std::string_view(op.target));
    if (known == codes.end() || numberOr(op, "alpha", 1) != 1 || (op.find("rounding_mode") && !op.find("rounding_mode")->isNone()))
        return {};
    const std::string_view first = reversed ? "other" : "self", second = reversed ? "self" : "other";
    const auto a = numberArgument(op, first), b = numberArgument(op, second);
    if (a && b)
        return {};
    if (!a && !b)
        return {{{known->second, first, second}}};
    const std::string_view tensor = a ? second : first;
    const double n = a ? *a : *b;
    switch (known->second) {
    case EdgeCode::Add: return {{{EdgeCode::AddNumber, tensor, {}, n}}};
    case EdgeCode::Subtract:
        return a ? std::vector<Arithmetic>{{EdgeCode::NumberMinus, tensor, {}, n}} : std::vector<Arithmetic>{{EdgeCode::AddNumber, tensor, {}, -n}};
    case EdgeCode::Multiply: return {{{EdgeCode::MultiplyNumber, tensor, {}, n}}};
    case EdgeCode::Divide:
        // x / n is not x (1 / n) to the last place, but as near.
        return a ? std::vector<Arithmetic>{{EdgeCode::NumberOver, tensor, {}, n}}
                 : std::vector<Arithmetic>{{EdgeCode::MultiplyNumber, tensor, {}, 1 / n}};
    default: return {};
    }
}

std::optional<std::vector<Arithmetic>> ofOne(const Op& op)
{
    static const std::map<std::string_view, EdgeCode> codes{
        {"aten::neg", EdgeCode::Negate},        {"aten::abs", EdgeCode::Absolute},   {"aten::square", EdgeCode::Square},
        {"aten::sqrt", EdgeCode::SquareRoot},   {"aten::rsqrt", EdgeCode::ReciprocalRoot}, {"aten::reciprocal", EdgeCode::Reciprocal},
        {"aten::exp", EdgeCode::Exp},           {"aten::log", EdgeCode::Log},        {"aten::sigmoid", EdgeCode::Sigmoid},
        {"aten::tanh", EdgeCode::Tanh},         {"aten::relu", EdgeCode::Relu}};
    if (const auto known = codes.find(op.target); known != codes.end())
        return {{{known->second, "self"}}};
    if (op.target == "aten::leaky_relu")
        return {{{EdgeCode::LeakyRelu, "self", {}, numberOr(op, "negative_slope", 0.01)}}};
    if (op.target == "aten::elu" && numberOr(op, "scale", 1) == 1 && numberOr(op, "input_scale", 1) == 1)
        return {{{EdgeCode::Elu, "self", {}, numberOr(op, "alpha", 1)}}};
    if (op.target == "aten::gelu" &&
        (!op.find("approximate") || (op.find("approximate")->asString() && *op.find("approximate")->asString() == "none")))
        return {{{EdgeCode::Gelu, "self"}}};
    if (op.target == "aten::softplus" && numberOr(op, "beta", 1) == 1 && numberOr(op, "threshold", 20) == 20)
        return {{{EdgeCode::Softplus, "self"}}};
    if (op.target == "aten::pow" && op.find("self") && op.find("self")->asValue()) {
        const auto exponent = numberArgument(op, "exponent");
        if (exponent == 2)
            return {{{EdgeCode::Square, "self"}}};
        if (exponent == 0.5)
            return {{{EdgeCode::SquareRoot, "self"}}};
        if (exponent == -0.5)
            return {{{EdgeCode::ReciprocalRoot, "self"}}};
        if (exponent == -1)
            return {{{EdgeCode::Reciprocal, "self"}}};
    }
    if (op.target == "aten::clamp" || op.target == "aten::clamp_min" || op.target == "aten::clamp_max") {
        std::vector<Arithmetic> both;
        for (const auto& [name, code] : {std::pair{"min", EdgeCode::ClampMin}, {"max", EdgeCode::ClampMax}})
            if (const Argument* bound = op.find(name); bound && !bound->isNone()) {
                if (!numberArgument(op, name))
                    return {};
                both.push_back({code, "self", {}, *numberArgument(op, name)});
            }
        if (!both.empty())
            return both;
    }
    return {};
}

}  // namespace

bool isNumberOr(const Op& op, std::string_view name, double number)
{
    const Argument* argument = op.find(name);
    return argument == nullptr || argument->isNone() || numberArgument(op, name) == number;
}

bool isTimesItself(const Op& op) { return op.target == "aten::silu"; }

std::optional<std::vector<Arithmetic>> arithmeticOf(const Op& op)
{
    if (isTimesItself(op))
        return {{{EdgeCode::Sigmoid, "self"}}};
    for (const std::string_view name : {"alpha", "negative_slope", "scale", "input_scale", "beta", "threshold"})
        if (const Argument* argument = op.find(name); argument && !argument->isNone() && !numberArgument(op, name))
            return {};  // the program computes it
    auto instructions = ofTwo(op);
    return instructions ? instructions : ofOne(op);
}

}  // namespace cleave
