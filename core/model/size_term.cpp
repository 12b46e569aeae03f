#include "core/model/size_term.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

namespace cleave {

namespace {

using Values = std::vector<double>;
using Function = double (*)(const Values&);

// Python's floor division and remainder have the sign of what is divided by.
double floorDivided(double a, double b)
{
    return std::floor(a / b);
}

const std::map<std::string_view, std::pair<std::size_t, Function>>& functions()
{
    static const std::map<std::string_view, std::pair<std::size_t, Function>> known{
        {"add", {2, [](const Values& v) { return v[0] + v[1]; }}},
        {"sub", {2, [](const Values& v) { return v[0] - v[1]; }}},
        {"mul", {2, [](const Values& v) { return v[0] * v[1]; }}},
        {"div", {2, [](const Values& v) { return v[0] / v[1]; }}},
        {"truediv", {2, [](const Values& v) { return v[0] / v[1]; }}},
        {"floordiv", {2, [](const Values& v) { return floorDivided(v[0], v[1]); }}},
        {"mod", {2, [](const Values& v) { return v[0] - v[1] * floorDivided(v[0], v[1]); }}},
        {"remainder", {2, [](const Values& v) { return v[0] - v[1] * floorDivided(v[0], v[1]); }}},
        {"pow", {2, [](const Values& v) { return std::pow(v[0], v[1]); }}},
        {"min", {2, [](const Values& v) { return std::min(v[0], v[1]); }}},
        {"max", {2, [](const Values& v) { return std::max(v[0], v[1]); }}},
        {"eq", {2, [](const Values& v) { return double(v[0] == v[1]); }}},
        {"ne", {2, [](const Values& v) { return double(v[0] != v[1]); }}},
        {"lt", {2, [](const Values& v) { return double(v[0] < v[1]); }}},
        {"le", {2, [](const Values& v) { return double(v[0] <= v[1]); }}},
        {"gt", {2, [](const Values& v) { return double(v[0] > v[1]); }}},
        {"ge", {2, [](const Values& v) { return double(v[0] >= v[1]); }}},
        {"and", {2, [](const Values& v) { return double(v[0] != 0 && v[1] != 0); }}},
        {"or", {2, [](const Values& v) { return double(v[0] != 0 || v[1] != 0); }}},
        {"not", {1, [](const Values& v) { return double(v[0] == 0); }}},
        {"Bool", {1, [](const Values& v) { return double(v[0] != 0); }}},
        {"neg", {1, [](const Values& v) { return -v[0]; }}},
        {"abs", {1, [](const Values& v) { return std::abs(v[0]); }}},
        {"float", {1, [](const Values& v) { return v[0]; }}},
        {"Float", {1, [](const Values& v) { return v[0]; }}},
        {"Int", {1, [](const Values& v) { return std::trunc(v[0]); }}},
        {"trunc", {1, [](const Values& v) { return std::trunc(v[0]); }}},
        {"floor", {1, [](const Values& v) { return std::floor(v[0]); }}},
        {"ceil", {1, [](const Values& v) { return std::ceil(v[0]); }}},
        {"round", {1, [](const Values& v) { return std::nearbyint(v[0]); }}},  // to even, as Python's
        {"sqrt", {1, [](const Values& v) { return std::sqrt(v[0]); }}},
        {"log", {1, [](const Values& v) { return std::log(v[0]); }}},
        {"log2", {1, [](const Values& v) { return std::log2(v[0]); }}},
        {"log10", {1, [](const Values& v) { return std::log10(v[0]); }}},
        {"log1p", {1, [](const Values& v) { return std::log1p(v[0]); }}},
        {"exp", {1, [](const Values& v) { return std::exp(v[0]); }}},
    };
    return known;
}

}  // namespace

bool isSizeFunction(std::string_view op)
{
    return functions().contains(op);
}

std::optional<double> evaluated(const SizeTerm& term, const std::function<std::optional<double>(const Dim& size)>& sizeOf)
{
    if (term.op.empty())
        return term.isSize ? sizeOf(term.size) : term.number;
    const auto function = functions().find(term.op);
    if (function == functions().end() || term.parts.size() != function->second.first)
        return {};
    Values values;
    for (const SizeTerm& part : term.parts) {
        const std::optional<double> value = evaluated(part, sizeOf);
        if (!value)
            return {};
        values.push_back(*value);
    }
    const double result = function->second.second(values);
    return std::isfinite(result) ? std::optional(result) : std::nullopt;
}

bool dependsOnSizes(const SizeTerm& term)
{
    return (term.isSize && !term.size.isConstant()) || std::ranges::any_of(term.parts, dependsOnSizes);
}

}  // namespace cleave
