#pragma once

#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

#include "core/analysis/analysis.h"

namespace cleave {

/// Changes of a program that give the same results up to rounding, in less time.
enum class Rewrite : std::uint8_t {
    RowsFirst,       ///< rows that lie along another dimension are put first, so that they are gathered and added up as they lie in memory
    TransformFirst,  ///< a linear layer that narrows rows moves before the sum or mean over neighbours that it follows
    /// a linear layer that does not narrow rows moves behind the sum or mean over neighbours that alone reads it, where that saves rows or a save
    /// point
    AggregateFirst,
    SumLinears,      ///< linear layers of one input whose results are added up become one, with the sum of their weights
    MergeLinears,    ///< linear layers of one input become one, whose result is divided
    FoldBatchNorm,   ///< the statistics of a batch norm become part of the linear layers before it
    OneGather,       ///< rows that are gathered twice at the same index are gathered once
    StoreEdges,      ///< rows of edges that several functions would compute again are computed once and stored, as those of nodes are
};

std::set<Rewrite> allRewrites();
std::string_view rewriteName(Rewrite rewrite);                 ///< "transform-first", as the command line writes it
bool rewriteFromName(std::string_view name, Rewrite& rewrite);

/// Applies them to a program in functional form whose inputs have roles, again and again until nothing changes; how often each applied.
/// Outputs keep their names.
std::vector<PassCount> applyRewrites(Program& program, const std::set<Rewrite>& rewrites);

/// Those of Analysis::rewrites.
std::set<Rewrite> appliedRewrites(const Analysis& analysis);

/// The same program after these rewrites, analysed anew; without any entry in Analysis::rewrites if none applied.
Analysis rewritten(const Analysis& analysis, const std::set<Rewrite>& rewrites, const Evaluator& evaluator, const Progress& progress = {});

}  // namespace cleave
