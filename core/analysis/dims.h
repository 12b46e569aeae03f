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

/// The size with its symbols renamed, in canonical form again: arguments of Add and Mul sorted, what is divided by one of its factors without it.
Dim renameSymbols(const Dim& dim, const std::map<std::string, std::string>& renamed);

/// The size where some symbols are numbers, as an exporter would have written it.
Dim withSizes(const Dim& dim, const std::map<std::string, std::int64_t>& sizes);

/// What the size is where valueOf says what each symbol is; what is neither a sum nor a product is as large as its largest part.
double sizeValue(const std::string& text, const std::function<double(const std::string& symbol)>& valueOf);

/// Whether a × left = b × right for any values of the symbols: sums of multiples of symbols are compared term by term.
bool sameMultiple(std::int64_t a, const Dim& left, std::int64_t b, const Dim& right);

}  // namespace cleave
