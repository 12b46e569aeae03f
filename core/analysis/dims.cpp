#include "core/analysis/dims.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/base/error.h"
#include "core/base/format.h"

namespace cleave {

std::pair<std::string, std::vector<std::string>> sizeParts(const std::string& text)
{
    const std::size_t open = text.find('(');
    if (open == std::string::npos || text.back() != ')')
        return {text, {}};
    std::vector<std::string> arguments(1);
    int depth = 0;
    for (std::size_t i = open + 1; i + 1 < text.size(); ++i) {
        const char c = text[i];
        depth += (c == '(') - (c == ')');
        if (c == ',' && depth == 0)
            arguments.emplace_back();
        else if (c != ' ' || !arguments.back().empty())
            arguments.back() += c;
    }
    return {text.substr(0, open), arguments};
}

std::optional<std::int64_t> sizeNumber(const std::string& text)
{
    std::int64_t number = 0;
    const char* last = text.data() + text.size();
    const auto [end, problem] = std::from_chars(text.data(), last, number);
    return problem == std::errc() && end == last ? std::optional(number) : std::nullopt;
}

std::optional<std::pair<std::string, std::int64_t>> sizeFraction(const std::string& text)
{
    const auto [name, parts] = sizeParts(text);
    if (!name.ends_with("FloorDiv") || parts.size() != 2)
        return {};
    const auto divisor = sizeNumber(parts[1]);
    return divisor && *divisor > 0 ? std::optional(std::pair(parts[0], *divisor)) : std::nullopt;
}

namespace {

std::string renamedText(const std::string& text, const std::map<std::string, std::string>& renamed)
{
    auto [name, arguments] = sizeParts(text);
    if (arguments.empty()) {
        const auto found = renamed.find(name);
        return found == renamed.end() ? name : found->second;
    }
    for (std::string& argument : arguments)
        argument = renamedText(argument, renamed);
    if (name == "Add" || name == "Mul")
        std::ranges::sort(arguments);
    return name + "(" + join(arguments, ", ") + ")";
}

// The quotient where what it is divided by is among the factors: ⌊6·n / n⌋ is 6. Empty for others.
std::string quotient(const std::string& dividend, const std::string& divisor)
{
    const auto factorsOf = [](const std::string& text) {
        auto [name, arguments] = sizeParts(text);
        if (name == "Pow" && arguments.size() == 2 && arguments[1] == "2")
            return std::vector{arguments[0], arguments[0]};
        return name == "Mul" ? arguments : std::vector{text};
    };
    std::vector<std::string> left;
    std::int64_t number = 1;
    for (std::string& factor : factorsOf(dividend))
        if (const auto value = sizeNumber(factor); !value)
            left.push_back(std::move(factor));
        else if (__builtin_mul_overflow(number, *value, &number))
            return {};
    for (const std::string& factor : factorsOf(divisor)) {
        if (const auto value = sizeNumber(factor)) {
            if (*value <= 0 || number % *value != 0)
                return {};
            number /= *value;
            continue;
        }
        const auto same = std::ranges::find(left, factor);
        if (same == left.end())
            return {};
        left.erase(same);
    }
    if (left.empty())
        return std::to_string(number);
    if (number != 1)
        left.push_back(std::to_string(number));
    std::ranges::sort(left);
    return left.size() == 1 ? left.front() : "Mul(" + join(left, ", ") + ")";
}

std::string textWithSizes(const std::string& text, const std::map<std::string, std::int64_t>& sizes)
{
    auto [name, arguments] = sizeParts(text);
    if (arguments.empty()) {
        const auto known = sizes.find(name);
        return known == sizes.end() ? name : std::to_string(known->second);
    }
    std::vector<std::int64_t> numbers;
    std::vector<std::string> others;
    for (std::string& argument : arguments) {
        argument = textWithSizes(argument, sizes);
        if (const auto number = sizeNumber(argument))
            numbers.push_back(*number);
        else
            others.push_back(argument);
    }
    if (name == "Add" || name == "Mul") {
        std::int64_t folded = name == "Add" ? 0 : 1;
        for (const std::int64_t number : numbers)
            if (name == "Add" ? __builtin_add_overflow(folded, number, &folded) : __builtin_mul_overflow(folded, number, &folded))
                throw Error("A tensor of the model would have more entries along one dimension than can be counted.");
        if (others.empty() || (name == "Mul" && folded == 0))
            return std::to_string(folded);
        if (folded != (name == "Add" ? 0 : 1))
            others.push_back(std::to_string(folded));
        std::ranges::sort(others);
        return others.size() == 1 ? others.front() : name + "(" + join(others, ", ") + ")";
    }
    if (others.empty() && name == "Max")
        return std::to_string(std::ranges::max(numbers));
    if (others.empty() && name == "Min")
        return std::to_string(std::ranges::min(numbers));
    if (others.empty() && name.ends_with("FloorDiv") && numbers.size() == 2 && numbers[0] >= 0 && numbers[1] > 0)
        return std::to_string(numbers[0] / numbers[1]);
    if (name.ends_with("FloorDiv") && arguments.size() == 2)
        if (std::string whole = quotient(arguments[0], arguments[1]); !whole.empty())
            return whole;
    return name + "(" + join(arguments, ", ") + ")";
}

// The size as a sum: factor of each product of symbols, "" for the constant. False if a factor is too large to be counted.
bool addTerms(const std::string& text, std::int64_t factor, std::map<std::string, std::int64_t>& terms)
{
    const auto [name, arguments] = sizeParts(text);
    if (name == "Add")
        return std::ranges::all_of(arguments, [&](const std::string& argument) { return addTerms(argument, factor, terms); });
    std::vector<std::string> symbols;
    for (const std::string& argument : name == "Mul" ? arguments : std::vector{text})
        if (const auto number = sizeNumber(argument); !number)
            symbols.push_back(argument);
        else if (__builtin_mul_overflow(factor, *number, &factor))
            return false;
    if (symbols.size() == 1 && symbols.front().starts_with("Add("))
        return addTerms(symbols.front(), factor, terms);
    std::int64_t& sum = terms[join(symbols, "*")];
    return !__builtin_add_overflow(sum, factor, &sum);
}

std::optional<std::map<std::string, std::int64_t>> terms(std::int64_t factor, const Dim& dim)
{
    std::map<std::string, std::int64_t> all;
    const bool isCounted = addTerms(dim.isConstant() ? std::to_string(dim.value) : dim.symbol, factor, all);
    return isCounted ? std::optional(std::move(all)) : std::nullopt;
}

}  // namespace

double sizeValue(const std::string& text, const std::function<double(const std::string& symbol)>& valueOf)
{
    if (const auto number = sizeNumber(text))
        return static_cast<double>(*number);
    const auto [name, arguments] = sizeParts(text);
    if (arguments.empty())
        return valueOf(text);
    if (const auto fraction = sizeFraction(text))
        return std::floor(sizeValue(fraction->first, valueOf) / static_cast<double>(fraction->second));
    double value = name == "Mul" ? 1 : 0;
    for (const std::string& argument : arguments) {
        const double part = sizeValue(argument, valueOf);
        value = name == "Mul" ? value * part : name == "Add" ? value + part : std::max(value, part);
    }
    return value;
}

bool sameMultiple(std::int64_t a, const Dim& left, std::int64_t b, const Dim& right)
{
    const auto ofLeft = terms(a, left), ofRight = terms(b, right);
    return ofLeft && ofLeft == ofRight;
}

Dim withSizes(const Dim& dim, const std::map<std::string, std::int64_t>& sizes)
{
    if (dim.isConstant())
        return dim;
    std::string text = textWithSizes(dim.symbol, sizes);
    const auto number = sizeNumber(text);
    return number ? Dim{*number, {}} : Dim{0, std::move(text)};
}

// Only names that are not merged yet are merged, and into one that is none of them: chains end.
std::string SymbolNames::of(std::string symbol) const
{
    for (auto it = m_names.find(symbol); it != m_names.end(); it = m_names.find(symbol))
        symbol = it->second;
    return symbol;
}

bool SymbolNames::merge(const std::string& symbol, const std::string& into)
{
    const std::string from = of(symbol), to = of(into);
    if (from != to)
        m_names[from] = to;
    return from != to;
}

std::map<std::string, std::string> SymbolNames::all() const
{
    std::map<std::string, std::string> names;
    for (const auto& [symbol, next] : m_names)
        names[symbol] = of(next);
    return names;
}

Dim renameSymbols(const Dim& dim, const std::map<std::string, std::string>& renamed)
{
    if (dim.isConstant() || renamed.empty())
        return dim;
    Dim made{0, renamedText(dim.symbol, renamed)};
    return made.symbol.find("FloorDiv") == std::string::npos ? made : withSizes(made, {});
}

}  // namespace cleave
