#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/run/planning.h"

namespace cleave {

/// What the rewrites of a model are worth somewhere: seconds of its plan as it is, without each, and without any.
struct RewriteWorth {
    double seconds = 0;
    double tracedSeconds = 0;
    std::vector<std::pair<Rewrite, double>> without;

    /// The one that costs most, if any costs more than what models of cost can tell: 2 % and 0.1 ms.
    std::optional<Rewrite> loses() const;
    double saved(Rewrite left) const;  ///< seconds less without it
};

/// Each is left out in turn. secondsOf: of a model's plan.
RewriteWorth weighRewrites(const Model& model, double seconds, const std::function<double(const Model&)>& secondsOf, const Progress& progress = {});

/// The traced program with one rewrite less, checked.
Model withoutRewrite(const Model& model, Rewrite rewrite, const Progress& progress = {});

/// Whether rewrites that lose time may be left out: where finding out takes a small part of the run, or in any case.
enum class Weighing : std::uint8_t { Never, WhereShort, Always };

/// What a run takes where nobody made a plan.
struct ProgramForGraph {
    Model model;
    std::optional<PricedPlan> plan = {};                   ///< that of planFor
    std::string whyNoPlan = {};                            ///< where it cannot be made or priced
    std::vector<std::pair<Rewrite, double>> leftOut = {};  ///< seconds that each would cost; 0: its rows do not fit into memory
};

/// The model and its plan for a graph. Where weighed: without rewrites that lose time there by the rates that are kept for this machine; and without
/// Rewrite::StoreEdges where the stored rows need more memory than a run may take, and less is needed without. mostBytes: 0 for what is there, or what
/// is left of a bound.
ProgramForGraph programFor(const Model& model, const DataGraph& graph, Planner planner, const RunOptions& options, Weighing weighing,
                           const Progress& progress = {}, double mostBytes = 0);

}  // namespace cleave
