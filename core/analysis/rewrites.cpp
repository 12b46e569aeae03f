#include "core/analysis/rewrites.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

#include "core/analysis/rewrite_round.h"

namespace cleave {

namespace {

constexpr std::array namedRewrites{std::pair{Rewrite::RowsFirst, std::string_view("rows-first")},
                                   std::pair{Rewrite::TransformFirst, std::string_view("transform-first")},
                                   std::pair{Rewrite::AggregateFirst, std::string_view("aggregate-first")},
                                   std::pair{Rewrite::SumLinears, std::string_view("sum-linears")},
                                   std::pair{Rewrite::MergeLinears, std::string_view("merge-linears")},
                                   std::pair{Rewrite::FoldBatchNorm, std::string_view("fold-batch-norm")},
                                   std::pair{Rewrite::OneGather, std::string_view("one-gather")},
                                   std::pair{Rewrite::StoreEdges, std::string_view("store-edges")}};

int oneRound(Program& program, Rewrite rewrite)
{
    switch (rewrite) {
    case Rewrite::RowsFirst:
        return rowsAtFront(program);
    case Rewrite::TransformFirst:
        return transformFirst(program);
    case Rewrite::AggregateFirst:
        return aggregateFirst(program);
    case Rewrite::SumLinears:
        return sumLinears(program);
    case Rewrite::MergeLinears:
        return mergeLinears(program);
    case Rewrite::FoldBatchNorm:
        return foldBatchNorm(program);
    case Rewrite::OneGather:
        return oneGather(program);
    case Rewrite::StoreEdges:
        break;  // leaves the program as it is
    }
    return 0;
}

}  // namespace

std::set<Rewrite> allRewrites()
{
    std::set<Rewrite> all;
    for (const auto& [rewrite, name] : namedRewrites)
        all.insert(rewrite);
    return all;
}

std::string_view rewriteName(Rewrite rewrite)
{
    return std::ranges::find(namedRewrites, rewrite, &std::pair<Rewrite, std::string_view>::first)->second;
}

bool rewriteFromName(std::string_view name, Rewrite& rewrite)
{
    const auto known = std::ranges::find(namedRewrites, name, &std::pair<Rewrite, std::string_view>::second);
    if (known == namedRewrites.end())
        return false;
    rewrite = known->first;
    return true;
}

std::set<Rewrite> appliedRewrites(const Analysis& analysis)
{
    std::set<Rewrite> applied;
    for (const PassCount& pass : analysis.rewrites)
        if (Rewrite rewrite{}; rewriteFromName(pass.pass, rewrite))
            applied.insert(rewrite);
    return applied;
}

std::vector<PassCount> applyRewrites(Program& program, const std::set<Rewrite>& rewrites)
{
    std::map<Rewrite, int> counts;
    const auto once = [&](Rewrite rewrite) {
        const int found = oneRound(program, rewrite);
        counts[rewrite] += found;
        return found > 0;
    };
    if (rewrites.contains(Rewrite::RowsFirst))
        once(Rewrite::RowsFirst);
    // Batch norms first, since they leave linear layers, then sums, which take biases away from them; merging last, since it hides them.
    for (const Rewrite rewrite : {Rewrite::FoldBatchNorm, Rewrite::SumLinears, Rewrite::TransformFirst, Rewrite::AggregateFirst, Rewrite::OneGather})
        while (rewrites.contains(rewrite) && once(rewrite)) {
        }
    if (rewrites.contains(Rewrite::MergeLinears)) {
        counts[Rewrite::MergeLinears] += mergeEqualRows(program);
        once(Rewrite::MergeLinears);
    }
    std::vector<PassCount> applied;
    for (const auto& [rewrite, count] : counts)
        if (count > 0)
            applied.push_back({std::string(rewriteName(rewrite)), count});
    return applied;
}

Analysis rewritten(const Analysis& analysis, const std::set<Rewrite>& rewrites, const Evaluator& evaluator, const Progress& progress)
{
    Program program = analysis.program;
    std::vector<PassCount> applied = applyRewrites(program, rewrites);
    const bool storesEdges = rewrites.contains(Rewrite::StoreEdges);
    if (applied.empty() && !(storesEdges && analysis.repeatsEdges))
        return analysis;
    Analysis result = analyseClean(std::move(program), evaluator, progress, storesEdges);
    if (result.storedEdges > 0)
        applied.push_back({std::string(rewriteName(Rewrite::StoreEdges)), result.storedEdges});
    if (applied.empty())
        return analysis;
    result.passes = analysis.passes;
    result.freeSizes = analysis.freeSizes;
    result.rewrites = std::move(applied);
    return result;
}

}  // namespace cleave
