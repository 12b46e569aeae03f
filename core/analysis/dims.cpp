#include "core/analysis/dims.h"

#include <algorithm>
#include <vector>

#include "core/base/format.h"

namespace cleave {

namespace {

// "Add(s0, Mul(2, u0))" -> its name and top-level arguments; no arguments for a symbol or number.
std::pair<std::string, std::vector<std::string>> parts(const std::string& text)
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

std::string renamedText(const std::string& text, const std::map<std::string, std::string>& renamed)
{
    auto [name, arguments] = parts(text);
    if (arguments.empty()) {
        // Chains end: each step goes to a symbol that was seen earlier.
        for (auto it = renamed.find(name); it != renamed.end(); it = renamed.find(name))
            name = it->second;
        return name;
    }
    for (std::string& argument : arguments)
        argument = renamedText(argument, renamed);
    if (name == "Add" || name == "Mul")
        std::ranges::sort(arguments);
    return name + "(" + join(arguments, ", ") + ")";
}

}  // namespace

Dim renameSymbols(const Dim& dim, const std::map<std::string, std::string>& renamed)
{
    return dim.isConstant() || renamed.empty() ? dim : Dim{0, renamedText(dim.symbol, renamed)};
}

}  // namespace cleave
