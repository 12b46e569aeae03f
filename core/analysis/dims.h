#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/model/program.h"

namespace cleave {

/// "Add(s0, Mul(2, u0))" -> its name and top-level arguments; no arguments for a symbol or number.
std::pair<std::string, std::vector<std::string>> sizeParts(const std::string& text);

/// The number that the whole text is, as sizes write it.
std::optional<std::int64_t> sizeNumber(const std::string& text);

/// Of ⌊size / n⌋ by a number n > 0: the size and n.
std::optional<std::pair<std::string, std::int64_t>> sizeFraction(const std::string& text);

/// Symbols that turned out to stand for the same size, and the one that each is called by.
class SymbolNames {
public:
    std::string of(std::string symbol) const;
    bool merge(const std::string& symbol, const std::string& into);  ///< false if they have the same name already
    bool empty() const { return m_names.empty(); }
    std::size_t merged() const { return m_names.size(); }
    std::map<std::string, std::string> all() const;  ///< those that are called otherwise

private:
    std::map<std::string, std::string> m_names;  // of names that were merged, the next one
};

/// The size with its symbols renamed, each once, in canonical form again: arguments of Add and Mul sorted, what is divided by one of its factors
/// without it.
Dim renameSymbols(const Dim& dim, const std::map<std::string, std::string>& renamed);

/// The size where some symbols are numbers, as an exporter would have written it.
Dim withSizes(const Dim& dim, const std::map<std::string, std::int64_t>& sizes);

/// What the size is where valueOf says what each symbol is; what is neither a sum nor a product is as large as its largest part.
double sizeValue(const std::string& text, const std::function<double(const std::string& symbol)>& valueOf);

/// Whether a × left = b × right for any values of the symbols: sums of multiples of symbols are compared term by term.
bool sameMultiple(std::int64_t a, const Dim& left, std::int64_t b, const Dim& right);

}  // namespace cleave
