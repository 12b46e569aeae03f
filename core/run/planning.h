#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/plan/placement.h"
#include "core/plan/planner.h"
#include "core/run/measure.h"

namespace cleave {

/// What plans are to be made for.
struct PlanningRequest {
    Constraints constraints;
    double memoryBytes = 0;                ///< bound of the peak; 0: none
    std::int64_t batchSize = 0;            ///< 0: as runs choose it; under a memory bound the largest up to that which fits, to one part in 16
    NodeOrder order = NodeOrder::Natural;
    /// that functions may run on as well: planners make plans for it too, and take what is faster; empty: none
    std::string device = {};
};

/// A plan with all that its cost was computed from.
struct PricedPlan {
    std::string name;             ///< of the planner, or "this plan"
    Planned planned;
    GraphCounts counts;
    std::int64_t batchSize = 0;
    NodeOrder order = NodeOrder::Natural;
    std::optional<DevicePlacement> placement = {};  ///< where a device was asked for

    double seconds() const { return placement ? placement->seconds() : planned.cost.seconds(); }
};

/// Makes and prices plans of one model on one graph, or on a graph of which only the numbers of nodes and edges are known.
class Planning {
public:
    Planning(const Model& model, const DataGraph& graph, const RunOptions& options, Rates rates, const Progress& progress = {});
    Planning(const Model& model, std::int64_t nodes, std::int64_t edges, Rates rates, KnownSizes known = {});
    ~Planning();

    /// Times of ops measured on sample blocks take the place of the rates from now on. Error without a graph.
    void measureOps(std::int64_t batchSize = 0, const Progress& progress = {});
    const Profile& profile() const;
    const Rates& rates() const;
    const PlanSpace& space() const;

    /// One plan. Error if no batch size keeps the memory bound, or a constraint cannot be kept. Full graph and node-wise know no constraints.
    PricedPlan make(Planner planner, const PlanningRequest& request, const Progress& progress = {});

    /// The cost of a plan that is there already.
    PricedPlan price(const Plan& plan, const PlanningRequest& request, const std::string& name, const Progress& progress = {});

    /// E / V in each node order, natural first; without METIS where partitioning the graph would take long.
    std::vector<std::pair<NodeOrder, double>> inflations(std::int64_t batchSize, const Progress& progress = {});

private:
    struct Impl;
    std::unique_ptr<Impl> m;
};

/// The plan that a run takes where nobody made one: that of the planner by the rates that are kept for this machine, for the graph's numbers of nodes
/// and edges, so that no time goes into counting. Error where it cannot be made or priced.
PricedPlan planFor(const Model& model, const DataGraph& graph, Planner planner, const RunOptions& options, const Progress& progress = {});

/// The planner that is taken if none is asked for: optimal, or greedy where no solver was built in.
Planner usualPlanner();

/// Seconds of each function of a run by the rates that are kept for this machine, or by times of its ops measured on the graph (profiled): to
/// stand beside the measured ones. Where there is no prediction, its rates say why.
Prediction predict(const Model& model, const Plan& plan, const DataGraph& graph, const RunOptions& options, const RunResult& result,
                   bool profiled = false, const Progress& progress = {});

/// Whether that needs no more of the graph than a run of the model's cut by this plan counts anyway, if its ops are not to be measured.
bool isPredictedWithoutGraph(const Model& model, const Plan& plan, const RunOptions& options);

/// The same by a model of costs that is there already. cut: as it was run. device, onDevice: the functions that ran there, by function; empty: none.
Prediction predict(const CostModel& costs, const Plan& plan, const CutProgram& cut, const std::string& device = {},
                   const std::vector<bool>& onDevice = {});

}  // namespace cleave
