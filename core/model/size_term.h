#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "core/model/program.h"

namespace cleave {

/// Whether evaluated() knows the operator: Python's arithmetic, comparisons, and the functions of math that scripts call.
bool isSizeFunction(std::string_view op);

/// What a term is for these sizes; nothing if a size is not known, or an operator has no result there.
std::optional<double> evaluated(const SizeTerm& term, const std::function<std::optional<double>(const Dim& size)>& sizeOf);

/// Whether any size in it depends on the graph.
bool dependsOnSizes(const SizeTerm& term);

/// Calls change(Dim&) for every size in a program's guards.
template <class Change>
void changeSizes(SizeTerm& term, const Change& change)
{
    if (term.isSize)
        change(term.size);
    for (SizeTerm& part : term.parts)
        changeSizes(part, change);
}

template <class Change>
void changeSizesOfGuards(Program& program, const Change& change)
{
    for (SizeGuard& guard : program.guards)
        changeSizes(guard.term, change);
}

}  // namespace cleave
