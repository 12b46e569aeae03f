#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "core/graph/order.h"
#include "core/plan/cost.h"
#include "core/plan/placement.h"
#include "core/plan/plan_space.h"

namespace cleave {

/// Functions of a program that are to run on a device, whatever its plan.
struct DeviceWishes {
    using Function = std::tuple<int, ValueId, bool>;  // level, whose rows, whether it is one of global ops

    std::string device;            ///< "cuda"; empty: all run on the CPU
    std::set<Function> functions;

    static DeviceWishes of(const DevicePlacement& placement, const PlanCost& cost);  ///< cost: that was placed
    static Function nameOf(const CutFunction& function) { return {function.level, function.rowsOf, function.isGlobal}; }
    static Function nameOf(const FunctionCost& function) { return {function.last, function.rowsOf, function.isGlobal}; }
    std::vector<bool> in(const CutProgram& cut) const;  ///< by function

    bool operator==(const DeviceWishes&) const = default;
};

/// What a plan file (.cleave.json, resources/plan.schema.json) says of a program.
struct StoredPlan {
    Plan plan;
    std::int64_t batchSize = 0;        ///< 0: chosen when it runs
    NodeOrder order = NodeOrder::Natural;
    std::set<BlockCopy> copied;        ///< tensors that are gathered from a copy of the block's rows
    std::vector<std::string> remarks;  ///< another model file: that it is, and what of the plan does not match it, one sentence each
    bool isOfThisFile = true;          ///< made for the model file that is open
    DeviceWishes devices = {};
};

/// The cost that a plan was chosen for: written beside it, for people and for comparison.
struct RecordedCost {
    std::string planner, graph;  ///< graph: name; empty for estimates
    PlanCost cost;
    GraphCounts counts;
    Rates rates;
    bool profiled = false;       ///< ops measured on the graph instead of the rates
    double bound = 0;            ///< seconds that no legal plan goes below; 0: unknown
    std::optional<DevicePlacement> placement = {};  ///< with a device beside the processor
};

/// What a comparison with the whole program on a graph gave.
struct RecordedVerification {
    std::string graph;
    bool equal = false;
    double maxAbsolute = 0, maxRelative = 0;  ///< of layer-wise against full graph
    double absoluteTolerance = 0, relativeTolerance = 0;
    std::int64_t batchSize = 0;
    std::int64_t sampledNodes = 0;  ///< that were compared, where not all were
};

/// Nothing is left behind where it cannot be written. Error for an illegal plan.
void writePlan(const std::filesystem::path& path, const PlanSpace& space, const StoredPlan& plan, const std::optional<RecordedCost>& cost = {});

/// Of the model that the plan was made for, every op must be there and the plan legal, or it is an Error. Of another export, ops are found
/// by name and operator and moved where the plan has them as far as the program allows; the rest is remarked.
StoredPlan readPlan(const std::filesystem::path& path, const PlanSpace& space);

/// Adds the result to a plan file, in the place of an earlier one. Error for a file that is no plan.
void recordVerification(const std::filesystem::path& path, const RecordedVerification& result);

/// What a plan file says without its model: for comparing two.
struct PlanSummary {
    std::string model, sha256, planner, graph;
    std::map<std::string, std::string> positions;  ///< op: "pre 1"
    std::map<std::string, std::vector<std::string>> saved;  ///< function: save points
    std::map<std::string, std::string> devices;             ///< function: that it is to run on, if not the CPU
    std::vector<std::string> rewrites;  ///< of the program that was cut
    std::vector<FreeSize> sizes;        ///< that it was cut for
    std::int64_t batchSize = 0;
    std::string order;
    std::optional<double> secondsWithDevice;
    std::optional<double> seconds, readBytes, writtenBytes, flops, peakBytes, inflation;
    std::string rates;
    std::optional<bool> verified;
    std::int64_t sampledNodes = 0;  ///< that this was tried on; 0: all
};

PlanSummary readPlanSummary(const std::filesystem::path& path);

/// Error if the plan is for another model than this program is of, as far as names tell before its rewrites are made: of its ops not half are here.
void checkIsFor(const PlanSummary& plan, const Program& program);

}  // namespace cleave
