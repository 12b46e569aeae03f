#include "core/run/planning.h"

#include <algorithm>
#include <numeric>
#include <functional>
#include <new>

#include "core/base/error.h"
#include "core/base/format.h"
#include "core/graph/array_names.h"
#include "core/graph/clusters.h"
#include "core/plan/optimal.h"
#include "core/run/calibrate.h"

namespace cleave {

namespace {

constexpr std::int64_t mostEdgesForMetis = 500'000;  // a few seconds

}  // namespace

struct Planning::Impl {
    Model model;
    PlanSpace space;
    Rates rates;
    Profile profile;
    std::optional<GraphMeasure> graph;
    std::int64_t nodes = 0, edges = 0;
    KnownSizes known;

    Impl(const Model& m, Rates r) : model(m), space(*model.analysis), rates(std::move(r)) {}

    GraphCounts counts(std::int64_t batchSize, NodeOrder order, const std::set<int>& joined, const Progress& progress)
    {
        if (graph)
            return graph->counts(batchSize, order, joined, progress);
        if (order != NodeOrder::Natural)
            throw Error("Node orders can be compared on a graph only.");
        Plan plan = space.messageDegree();
        plan.joined = joined;
        GraphCounts counts = estimateCounts(*model.analysis, space.cut(plan), nodes, edges, batchSize, known);
        counts.joined = joined;
        return counts;
    }

    std::int64_t chosenBatchSize() const { return graph ? graph->chosenBatchSize() : std::clamp<std::int64_t>(nodes, 1, 16384); }

    // Where its functions run; a plan that is made for the device takes its place if it is faster.
    void place(PricedPlan& priced, const CostModel& costs, const PlanningRequest& request, const std::function<Planned(const CostModel&)>& plan) const
    {
        const DeviceRates device = rates.of(request.device);
        const auto placed = [&](const Planned& planned) { return Placing(costs, planned.plan, planned.cost, device).best(); };
        priced.placement = placed(priced.planned);
        Planned other = plan(CostModel(space, priced.counts, ratesOn(device, rates)));
        if (other.plan.positions != priced.planned.plan.positions) {
            other = {other.plan, costs.price(other.plan), 0, false};
            if (DevicePlacement there = placed(other); there.seconds() < priced.placement->seconds()) {
                priced.planned = std::move(other);
                priced.placement = std::move(there);
            }
        }
        priced.placement->device = request.device;
    }

    // The plan for the batch size that is asked for, or for the largest that keeps the bound.
    PricedPlan best(const std::string& name, const PlanningRequest& request, std::int64_t fixedBatch, const std::set<int>& joined,
                    const std::function<Planned(const CostModel&)>& plan, const Progress& progress)
    {
        double least = 0;
        const auto fits = [&](std::int64_t size) {
            progress.check();
            PricedPlan priced{name, {}, counts(size, request.order, joined, progress), size, request.order};
            const CostModel costs(space, priced.counts, rates, profile);
            priced.planned = plan(costs);
            if (!request.device.empty())
                place(priced, costs, request, plan);
            const double peak = priced.planned.cost.peakBytes();
            least = least > 0 ? std::min(least, peak) : peak;
            return request.memoryBytes <= 0 || peak <= request.memoryBytes ? std::optional(std::move(priced)) : std::nullopt;
        };
        const bool bounded = fixedBatch <= 0 && request.memoryBytes > 0;
        std::int64_t most = fixedBatch > 0 ? fixedBatch : chosenBatchSize();  // as runs do, whatever more there may be room for
        std::optional<PricedPlan> best = fits(most);
        if (!best && bounded && most > 1)
            best = fits(1);
        // By the factor first, as the largest size may lie far below the number of nodes.
        for (std::int64_t size = 2; best && best->batchSize < most && size < most; size *= 2)
            if (auto larger = fits(size))
                best = std::move(larger);
            else
                most = size;
        while (best && most - best->batchSize > best->batchSize / 16)
            if (const std::int64_t middle = best->batchSize + (most - best->batchSize) / 2; middle == best->batchSize)
                break;
            else if (auto larger = fits(middle))
                best = std::move(larger);
            else
                most = middle;
        if (best)
            return *std::move(best);
        constexpr double forRounding = 1.005;  // whoever gives what is said gives enough
        throw Error("The plan '" + name + "' does not fit into " + formatBytes(request.memoryBytes) +
                    (fixedBatch > 0 ? " in batches of " + formatCount(fixedBatch) : " with any batch size") + ": it needs " +
                    formatBytes(forRounding * least) + ".");
    }
};

Planning::Planning(const Model& model, const DataGraph& graph, const RunOptions& options, Rates rates, const Progress& progress)
    : m(std::make_unique<Impl>(model, std::move(rates)))
{
    m->graph.emplace(model, graph, options, progress);
    m->nodes = m->graph->numNodes();
    m->edges = graph.numEdges;
}

Planning::Planning(const Model& model, std::int64_t nodes, std::int64_t edges, Rates rates, KnownSizes known)
    : m(std::make_unique<Impl>(model, std::move(rates)))
{
    if (nodes < 1 || edges < 0)
        throw Error("A graph needs at least one node, and not less than no edges.");
    m->nodes = nodes;
    m->edges = edges;
    m->known = std::move(known);
}

Planning::~Planning() = default;

const Rates& Planning::rates() const { return m->rates; }
const Profile& Planning::profile() const { return m->profile; }
const PlanSpace& Planning::space() const { return m->space; }

void Planning::measureOps(std::int64_t batchSize, const Progress& progress)
{
    if (!m->graph)
        throw Error("Ops can be measured on a graph only.");
    m->profile = m->graph->profile(batchSize > 0 ? batchSize : m->chosenBatchSize(), progress);
}

PricedPlan Planning::make(Planner planner, const PlanningRequest& request, const Progress& progress)
{
    const std::string name(plannerName(planner));
    if (planner == Planner::FullGraph || planner == Planner::NodeWise) {
        const Plan plan = joinedPlan(m->space);
        if (plan.joined.empty() && m->space.functions() > 1)
            throw Error("There is no plan '" + name + "' of this model: a global op waits for all nodes between any two functions.");
        const auto priced = [&](const CostModel& costs) { return Planned{plan, costs.price(plan), 0, false}; };
        return m->best(name, request, planner == Planner::FullGraph ? m->nodes : request.batchSize, plan.joined, priced, progress);
    }
    return m->best(name, request, request.batchSize, {}, [&](const CostModel& costs) {
        return makePlan(planner, costs, {request.constraints, 2000}, progress);
    }, progress);
}

PricedPlan Planning::price(const Plan& plan, const PlanningRequest& request, const std::string& name, const Progress& progress)
{
    return m->best(
        name, request, request.batchSize, plan.joined,
        [&](const CostModel& costs) {
            return Planned{plan, costs.price(plan), 0, false};
        },
        progress);
}

std::vector<std::pair<NodeOrder, double>> Planning::inflations(std::int64_t batchSize, const Progress& progress)
{
    std::vector<std::pair<NodeOrder, double>> all;
    for (const NodeOrder order : {NodeOrder::Natural, NodeOrder::Degree, NodeOrder::BreadthFirst, NodeOrder::Metis})
        if (order != NodeOrder::Metis || (hasClusters() && m->edges <= mostEdgesForMetis))
            all.emplace_back(order, m->counts(batchSize, order, {}, progress).inflation());
    return all;
}

Planner usualPlanner() { return hasSolver() ? Planner::Optimal : Planner::Greedy; }

PricedPlan planFor(const Model& model, const DataGraph& graph, Planner planner, const RunOptions& options, const Progress& progress)
{
    const Rates rates = readRates(ratesPath());
    const Program& program = model.program();
    KnownSizes known;
    for (const Input& input : program.inputs) {
        const Value& value = program[input.value];
        const auto renamed = options.inputs.find(value.name);
        const auto array = findArray(graph.arrays, renamed == options.inputs.end() ? value.name : renamed->second);
        if (array != graph.arrays.end() && value.sizes.size() == array->second.shape.size())
            for (std::size_t d = 0; d < value.sizes.size(); ++d)
                if (!value.sizes[d].isConstant())
                    known.emplace(value.sizes[d].symbol, array->second.shape[input.dimOfForward(d)]);
    }
    const std::int64_t nodes = withLearnedNodes(graph, model).numNodes;
    Planning planning(model, std::max<std::int64_t>(nodes, 1), graph.numEdges,
                      options.device == "cpu" ? rates : ratesOn(rates.of(options.device), rates), std::move(known));
    return planning.make(planner, {{}, 0, options.batchSize}, progress);
}

Prediction predict(const CostModel& costs, const Plan& plan, const CutProgram& cut, const std::string& device, const std::vector<bool>& onDevice)
{
    const PlanCost cost = costs.price(plan);
    Prediction prediction;
    prediction.rates = costs.rates().source;
    std::vector<bool> there(cost.functions.size());
    std::vector<std::size_t> priced;  // of each function of the cut
    for (std::size_t i = 0; i < cut.functions.size(); ++i)
        for (std::size_t f = 0; f < cost.functions.size(); ++f)
            if (cost.functions[f].isOf(cut.functions[i])) {
                priced.push_back(f);
                there[f] = i < onDevice.size() && onDevice[i];
            }
    const DeviceRates rates = costs.rates().of(device);
    const DevicePlacement placement = Placing(costs, plan, cost, rates).price(there);
    for (const std::size_t f : priced) {
        prediction.seconds.push_back(placement.functions[f].seconds());
        prediction.peakBytes.push_back(cost.functions[f].peakBytes);
    }
    prediction.preparationBytes = cost.preparationBytes;
    if (placement.usesDevice())
        prediction.rates += "; on " + device + ": " + rates.source;
    return prediction;
}

double Prediction::mostBytes() const
{
    return std::accumulate(peakBytes.begin(), peakBytes.end(), preparationBytes, [](double most, double bytes) { return std::max(most, bytes); });
}

namespace {

// A function that costs are computed from, and one that was run with the same batches; and with the same blocks, unless the former has none.
struct SameRows {
    std::size_t ran;
    bool hasSameBlocks;
};

// For each of the functions that costs are computed from; nothing where one has blocks that were not run.
std::optional<std::vector<SameRows>> sameRows(const CutProgram& ran, const PlanSpace& space, const Plan& plan, const RunOptions& options)
{
    Plan base = space.messageDegree();
    base.joined = plan.joined;
    std::vector<SameRows> all;
    for (const CutFunction& function : space.cut(base).functions) {
        const auto isOfSameNodes = [&](const CutFunction& other) {
            return other.nodeType == function.nodeType && other.isGlobal == function.isGlobal && other.rowsOf == function.rowsOf &&
                   other.total == function.total;
        };
        auto same = std::ranges::find_if(ran.functions, [&](const CutFunction& other) {
            return isOfSameNodes(other) && other.level == function.level && other.firstLevel == function.firstLevel &&
                   other.frames == function.frames && other.neighbours == function.neighbours;
        });
        const bool isThere = same != ran.functions.end();
        // Without blocks it has the batches of any other, where all compute all nodes.
        if (!isThere && options.targets.empty() && function.frames.size() == 1 && function.neighbours.empty() && !function.isGlobal &&
            function.firstLevel == function.level)
            same = std::ranges::find_if(ran.functions, isOfSameNodes);
        if (same == ran.functions.end())
            return {};
        all.push_back({static_cast<std::size_t>(same - ran.functions.begin()), isThere});
    }
    return all;
}

Keeping keepingOf(const RunOptions& options)
{
    return {!options.store.empty(), options.narrowStore};
}

// What the run has counted, for the functions that costs are computed from.
std::optional<GraphCounts> countsOf(const RunResult& result, const CutProgram& ran, const PlanSpace& space, const Plan& plan,
                                    const RunOptions& options)
{
    const auto same = sameRows(ran, space, plan, options);
    if (!same)
        return {};
    GraphCounts counts = result.counts;
    counts.joined = plan.joined;
    counts.keeping = keepingOf(options);
    counts.functions.clear();
    for (const auto& [function, hasSameBlocks] : *same) {
        counts.functions.push_back(result.counts.functions[function]);
        if (!hasSameBlocks) {
            counts.functions.back().frames.resize(1);
            for (std::vector<RowCount>& ofType : counts.functions.back().reach)
                ofType.resize(std::min<std::size_t>(ofType.size(), 1));
        }
    }
    return counts;
}

}  // namespace

bool isPredictedWithoutGraph(const Model& model, const Plan& plan, const RunOptions& options)
{
    return sameRows(*model.cut, PlanSpace(*model.analysis), plan, options).has_value();
}

Prediction predict(const Model& model, const Plan& plan, const DataGraph& graph, const RunOptions& options, const RunResult& result, bool profiled,
                   const Progress& progress)
{
    Prediction prediction;
    try {
        const PlanSpace space(*model.analysis);
        std::vector<bool> onDevice;
        for (const FunctionRun& function : result.functions)
            onDevice.push_back(!function.device.empty());
        if (const auto counted = profiled ? std::nullopt : countsOf(result, *model.cut, space, plan, options)) {
            prediction = predict(CostModel(space, *counted, readRates(ratesPath())), plan, *model.cut, options.device, onDevice);
        } else {
            GraphMeasure measure(model, graph, options, progress);
            const std::int64_t batchSize = std::max<std::int64_t>(result.batchSize, 1);
            GraphCounts counts = measure.counts(batchSize, options.order, plan.joined, progress);
            counts.keeping = keepingOf(options);
            const CostModel costs(space, std::move(counts), readRates(ratesPath()), profiled ? measure.profile(batchSize, progress) : Profile{});
            prediction = predict(costs, plan, *model.cut, options.device, onDevice);
            if (profiled)
                prediction.rates = "ops measured on this graph; stores: " + prediction.rates;
        }
        for (std::size_t f = 0; f < prediction.seconds.size() && f < result.functions.size(); ++f)
            if (result.functions[f].wasKept)
                prediction.seconds[f] = prediction.peakBytes[f] = 0;
    } catch (const Error& error) {
        // What was computed is not lost because it cannot be predicted.
        prediction.rates = std::string("none. ") + error.what();
    } catch (const std::bad_alloc&) {
        prediction.rates = "none. There is not enough memory for it.";
    }
    return prediction;
}

}  // namespace cleave
