#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>

#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/planned.h"
#include "app/cli/terminal.h"
#include "core/base/file.h"
#include "core/base/format.h"
#include "core/graph/clusters.h"
#include "core/plan/optimal.h"
#include "core/plan/plan_file.h"
#include "core/run/calibrate.h"
#include "core/run/rewrite_worth.h"

namespace cleave::cli {

namespace {

using Json = nlohmann::ordered_json;

const std::map<std::string, Planner>& allPlanners()
{
    static const auto planners = byOption({Planner::MessageDegree, Planner::Greedy, Planner::Optimal, Planner::NodeWise, Planner::FullGraph});
    return planners;
}

struct PlanArguments {
    ModelArguments model;
    std::string from, out, planner;
    std::vector<std::string> moves, pins, together;
    GraphArguments graph;
    std::int64_t nodes = 0, edges = 0;
    double memory = 0;
    bool profile = false, json = false;

    void add(CLI::App& command)
    {
        model.add(command);
        graph.add(command, false);
        auto* nodeCount = command.add_option("--nodes", nodes, "Without a graph: number of nodes to estimate costs for")->check(asCount(1));
        auto* edgeCount = command.add_option("--edges", edges, "Without a graph: number of edges")->check(asCount(0));
        nodeCount->needs(edgeCount)->excludes("GRAPH");
        edgeCount->needs(nodeCount)->excludes("GRAPH");
        command.add_option("--memory", memory, "Most memory a plan may need, 2G or 500M: the batch size follows")
            ->transform(asBytes())
            ->type_name("SIZE");
        command
            .add_option("--planner", planner,
                        "Whose plan to show and write: message-degree, greedy, optimal (the default with a graph), node-wise or full-graph")
            ->check(CLI::IsMember(allPlanners()));
        command.add_flag("--profile", profile, "Measure each op on sample blocks of the graph instead of using the machine's rates");
        command.add_flag("--json", json, "Write the table as JSON");
        command.add_option("--plan", from, "Plan file to start from, instead of the cut at message degree")->type_name("FILE");
        command
            .add_option("--move", moves, "Place an op before (pre2) or after (post2) the message passing of a function; what must go along moves too")
            ->type_name("OP=POSITION")
            ->allow_extra_args(false)
            ->excludes("--planner");
        command.add_option("--pin", pins, "Keep an op in a function; may be repeated")->type_name("OP=FUNCTION")->allow_extra_args(false);
        command.add_option("--together", together, "Keep ops in one function; may be repeated")->type_name("OP,OP…")->allow_extra_args(false);
        command.add_option("--out", out, "Write the plan (.cleave.json)")->type_name("FILE");
    }
};

int number(const std::string& text, const std::string& what)
{
    int value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem != std::errc() || end != text.data() + text.size())
        throw Error(what + ": '" + printable(text) + "' is no number.");
    return value;
}

Position position(const std::string& text)
{
    for (const bool before : {true, false})
        if (const std::string word = before ? "pre" : "post"; text.starts_with(word) && text.size() > word.size()) {
            const int function = number(text.substr(word.size()), "--move");
            if (function >= (before ? 1 : 0) && function < 1 << 20)
                return before ? Position::pre(function) : Position::post(function);
        }
    throw Error("--move: '" + printable(text) + "' is no position; write pre1, pre2, … or post0, post1, …");
}

class Wishes {
public:
    Wishes(const PlanSpace& space, const PlanArguments& arguments) : m_space(space), m_arguments(arguments) {}

    StoredPlan run()
    {
        m_stored.plan = m_space.messageDegree();
        if (!m_arguments.from.empty())
            m_stored = readPlan(m_arguments.from, m_space);
        for (const std::string& text : m_arguments.moves) {
            const auto [name, where] = nameAndValue(text, "--move");
            apply(m_space.moveOp(m_stored.plan, op(name), position(where)), op(name));
        }
        std::map<std::string, int> pinned;
        for (const std::string& text : m_arguments.pins) {
            const auto [name, value] = nameAndValue(text, "--pin");
            const int function = number(value, "--pin");
            if (const auto [before, isFirst] = pinned.try_emplace(name, function); !isFirst && before->second != function)
                throw Error("--pin: '" + printable(name) + "' cannot be kept in functions " + std::to_string(before->second) + " and " +
                            std::to_string(function) + " at once.");
            apply(m_space.pin(m_stored.plan, op(name), function), op(name));
        }
        for (const std::string& text : m_arguments.together) {
            std::vector<OpId> ops;
            for (std::size_t begin = 0, end = 0; end != std::string::npos; begin = end + 1) {
                end = text.find(',', begin);
                ops.push_back(op(text.substr(begin, end == std::string::npos ? end : end - begin)));
            }
            for (std::size_t i = 1; i < ops.size(); ++i)
                apply(m_space.keepTogether(m_stored.plan, ops.front(), ops[i]), ops[i]);
        }
        return std::move(m_stored);
    }

    bool isEmpty() const { return m_arguments.from.empty() && m_arguments.moves.empty(); }

private:
    OpId op(const std::string& name) const
    {
        const Program& program = m_space.analysis().program;
        for (const PlacedOp& placed : m_space.ops())
            if (program[placed.op].name == name)
                return placed.op;
        throw Error("The model has no op '" + printable(name) + "' on node rows; cleave-cli plan MODEL lists them.");
    }

    void apply(Move move, OpId moved)
    {
        const Program& program = m_space.analysis().program;
        if (!move.plan)
            throw Error(move.reason);
        std::vector<std::string> along;
        for (const OpId other : move.alongside)
            along.push_back(program[other].name);
        if (!along.empty())
            m_stored.remarks.push_back("With '" + program[moved].name + "' moved " + join(along, ", ") + ".");
        m_stored.plan = std::move(*move.plan);
    }

    const PlanSpace& m_space;
    const PlanArguments& m_arguments;
    StoredPlan m_stored;
};

std::string planTable(const PlanSpace& space, const StoredPlan& stored, const PlanCost* cost)
{
    const Plan& plan = stored.plan;
    const Analysis& analysis = space.analysis();
    const Program& program = analysis.program;
    const CutProgram cut = space.cut(plan, stored.copied);
    const auto names = [&](const std::vector<ValueId>& values) {
        std::vector<std::string> all;
        for (const ValueId value : values)
            all.push_back(program[value].name);
        return shortList(all);
    };
    std::vector<std::vector<std::string>> rows{{"function", "before", "message passing", "after", "reads", "saves"}};
    const bool hasDevice = !stored.devices.device.empty();
    if (hasDevice)
        rows.front().push_back("device");
    if (cost)
        rows.front().insert(rows.front().end(), {"read", "written", "seconds", "peak memory"});
    for (const CutFunction& function : cut.functions) {
        std::vector<std::string> ops[3];
        for (std::size_t i = 0; function.isOfLevel() && i < space.ops().size(); ++i)
            if (const PlacedOp& placed = space.ops()[i];
                plan.positions[i].function() >= function.firstLevel && plan.positions[i].function() <= function.level)
                ops[!placed.movable ? 1 : plan.positions[i].isPre() ? 0 : 2].push_back(program[placed.op].name);
        for (const Step& step : function.steps)
            if (function.isGlobal)
                ops[1].push_back(program[step.op].name);
        const bool hasType = analysis.types() > 1 && function.isOfLevel();
        rows.push_back({functionName(function) + (hasType ? ", " + analysis.nodeTypes[static_cast<std::size_t>(function.nodeType)].name : ""),
                        shortList(ops[0]), shortList(ops[1]), shortList(ops[2]), names(function.reads), names(function.saves)});
        if (hasDevice)
            rows.back().push_back(stored.devices.functions.contains(DeviceWishes::nameOf(function)) ? stored.devices.device : "cpu");
        for (std::size_t f = 0; cost && f < cost->functions.size(); ++f)
            if (const FunctionCost& c = cost->functions[f]; c.isOf(function))
                rows.back().insert(rows.back().end(), {formatBytes(c.prepare.bytes + c.read.bytes), formatBytes(c.write.bytes),
                                                       formatSeconds(c.seconds()), formatBytes(c.peakBytes)});
    }
    return table(rows);
}

// A function without ops and without save points is no function of the plan.
std::int64_t functionsOf(const PlanSpace& space, const PricedPlan& p)
{
    return static_cast<std::int64_t>(space.cut(p.planned.plan, p.planned.cost.copied).functions.size());
}

std::int64_t savePointsOf(const PricedPlan& p)
{
    return std::ranges::count_if(p.planned.cost.tensors, [](const TensorCost& t) { return t.madeIn >= 0 && !t.reads.empty(); });
}

std::string comparisonTable(const PlanSpace& space, const std::vector<PricedPlan>& plans)
{
    std::vector<std::vector<std::string>> rows{
        {"plan", "functions", "save points", "read", "written", "FLOPs", "seconds", "peak memory", "E/V", "batch", "order"}};
    const bool placed = std::ranges::any_of(plans, [](const PricedPlan& p) { return p.placement.has_value(); });
    for (const PricedPlan& p : plans) {
        if (placed && rows.size() == 1)
            rows.front().insert(rows.front().begin() + 7, "with " + p.placement->device);
        const PlanCost& cost = p.planned.cost;
        const GraphCounts& counts = p.counts;
        rows.push_back({p.name, std::to_string(functionsOf(space, p)), std::to_string(savePointsOf(p)), formatBytes(cost.readBytes()),
                        formatBytes(cost.writtenBytes()), flopsText(cost.flops()), formatSeconds(cost.seconds()), formatBytes(cost.peakBytes()),
                        formatNumber(counts.inflation()) + (counts.estimated   ? " est."
                                                            : counts.error > 0 ? " ± " + formatNumber(counts.inflation() * counts.error)
                                                                               : ""),
                        formatCount(p.batchSize), std::string(orderName(p.order))});
        if (placed)
            rows.back().insert(rows.back().begin() + 7, formatSeconds(p.seconds()));
    }
    return table(rows);
}

Json toJson(const PlanSpace& space, const PricedPlan& p)
{
    const PlanCost& cost = p.planned.cost;
    Json json{{"plan", p.name},
              {"functions", functionsOf(space, p)},
              {"save_points", savePointsOf(p)},
              {"read_bytes", cost.readBytes()},
              {"written_bytes", cost.writtenBytes()},
              {"flops", cost.flops()},
              {"seconds", cost.seconds()},
              {"peak_bytes", cost.peakBytes()},
              {"inflation", p.counts.inflation()},
              {"inflation_error", p.counts.error},
              {"estimated", p.counts.estimated},
              {"batch_size", p.batchSize},
              {"order", orderName(p.order)}};
    if (const auto& placement = p.placement)
        json["with_device"] = {{"device", placement->device},
                               {"seconds", placement->seconds()},
                               {"bytes_to_device", placement->bytesIn()},
                               {"bytes_from_device", placement->bytesOut()},
                               {"functions", std::ranges::count_if(placement->functions, &PlacedFunction::onDevice)}};
    if (p.planned.bound > 0)
        json.update(Json{{"bound_seconds", p.planned.bound}, {"gap", p.planned.gap()}, {"proven", p.planned.proven}});
    return json;
}

std::string proof(const PricedPlan& p)
{
    if (p.planned.proven)
        return "Optimal is proven: no legal plan with one message passing per function, each node op run once, takes less by this model.\n";
    if (p.planned.bound <= 0)
        return "Optimal is not proven: the plan is made for the device.\n";
    return "Optimal is not proven: no plan takes less than " + formatSeconds(p.planned.bound) + ", which is " + formatNumber(p.planned.gap() * 100) +
           " % below it.\n";
}

class PlanCommand {
public:
    explicit PlanCommand(PlanArguments& arguments) : m_arguments(arguments) {}

    void run()
    {
        m_arguments.graph.finish();
        {
            const TerminalProgress terminal;
            checkIsOther(m_arguments.out, m_arguments.graph.filesRead({m_arguments.model.path}));
            compute(terminal.progress());
        }
        if (!m_arguments.out.empty())
            writePlan(m_arguments.out, *m_space, m_stored, m_cost);
        print(m_arguments.json ? jsonText(json()) : text());
    }

private:
    void compute(const Progress& progress)
    {
        m_model = m_arguments.model.open(progress, m_arguments.from, &m_arguments.graph);
        m_space.emplace(*m_model.analysis);
        Wishes wishes(*m_space, m_arguments);
        m_stored = wishes.run();
        const bool priced = !m_arguments.graph.path.empty() || m_arguments.nodes > 0;
        const GraphArguments& graph = m_arguments.graph;
        if (!priced && (m_arguments.memory > 0 || m_arguments.profile || !m_arguments.planner.empty() || m_arguments.json ||
                        graph.batchSize != "auto" || !graph.order.empty()))
            throw Error("Costs are those of a graph: name one, or say --nodes and --edges.");
        if (const std::string_view option = graph.asksOfGraph(); graph.path.empty() && !option.empty())
            throw Error(std::string(option) + " needs a graph: name one.");
        if (!m_arguments.graph.path.empty())
            m_graph = m_arguments.graph.read(m_model, progress);
        if (priced)
            compare(wishes.isEmpty(), progress);
        if (priced && m_model.traced)
            weighRewrites(wishes.isEmpty(), progress);
        checkCut(*m_model.analysis, m_space->cut(m_stored.plan, m_stored.copied), progress);
    }

    void compare(bool chooses, const Progress& progress)
    {
        const Rates rates = readRates(ratesPath());
        GraphArguments& graph = m_arguments.graph;
        std::string name;
        if (graph.path.empty()) {
            m_planning.emplace(m_model, m_arguments.nodes, m_arguments.edges, rates);
        } else {
            name = m_graph.name;
            m_planning.emplace(m_model, m_graph, graph.run, rates, progress);
        }
        if (m_arguments.profile)
            m_planning->measureOps(graph.run.batchSize, progress);
        PlanningRequest request{m_stored.plan.constraints, m_arguments.memory, graph.run.batchSize,
                                graph.order.empty() ? m_stored.order : graph.run.order, graph.run.device == "cpu" ? std::string() : graph.run.device};
        if (!chooses && request.batchSize == 0 && request.memoryBytes == 0)
            request.batchSize = m_stored.batchSize;
        for (const Planner planner : {Planner::MessageDegree, Planner::Greedy, Planner::Optimal, Planner::NodeWise, Planner::FullGraph})
            try {
                if (planner == Planner::Optimal && !hasSolver() && wanted() != planner)
                    continue;
                m_plans.push_back(m_planning->make(planner, request, progress));
            } catch (const Error& error) {
                // What only serves for comparison may not fit.
                progress.check();
                if (wanted() == planner)
                    throw;
                m_stored.remarks.push_back(error.what());
            }
        PricedPlan chosen = *std::ranges::find(m_plans, plannerName(wanted()), &PricedPlan::name);
        if (!chooses) {
            m_plans.push_back(m_planning->price(m_stored.plan, request, "this plan", progress));
            if (m_arguments.planner.empty())
                chosen = m_plans.back();
        }
        if (m_stored.plan.positions != chosen.planned.plan.positions || !graph.device.empty())
            m_stored.devices = chosen.placement ? DeviceWishes::of(*chosen.placement, chosen.planned.cost) : DeviceWishes{};
        m_stored.plan = chosen.planned.plan;
        m_stored.copied = chosen.planned.cost.copied;
        m_stored.batchSize = chosen.batchSize;
        m_stored.order = chosen.order;
        m_cost =
            RecordedCost{chosen.name, name, chosen.planned.cost, chosen.counts, rates, m_arguments.profile, chosen.planned.bound, chosen.placement};
        m_request = request;
        if (!graph.path.empty() && m_model.analysis->levels > 0)
            m_inflations = inflations(chosen.batchSize, progress);
    }

    // What the same planner would take with other rewrites, in batches as large.
    double secondsOf(const Model& model, const Progress& progress) const
    {
        const GraphArguments& graph = m_arguments.graph;
        PlanningRequest request = m_request;
        request.constraints = {};
        request.memoryBytes = 0;
        request.batchSize = m_stored.batchSize;
        std::optional<Planning> planning;
        if (graph.path.empty())
            planning.emplace(model, m_arguments.nodes, m_arguments.edges, m_planning->rates());
        else
            planning.emplace(model, m_graph, graph.run, m_planning->rates(), progress);
        if (m_arguments.profile)
            planning->measureOps(request.batchSize, progress);
        return planning->make(wanted(), request, progress).seconds();
    }

    // What each rewrite is worth here; where nobody asked for it and it does not pay, it stays out.
    void weighRewrites(bool mayChoose, const Progress& progress)
    {
        mayChoose = mayChoose && m_arguments.model.rewrites.empty() && m_arguments.pins.empty() && m_arguments.together.empty();
        std::vector<std::string> leftOut;
        while (m_model.traced) {
            m_worth = cleave::weighRewrites(m_model, m_cost->placement ? m_cost->placement->seconds() : m_cost->cost.seconds(),
                                            [&](const Model& of) { return secondsOf(of, progress); }, progress);
            const std::optional<Rewrite> loses = m_worth->loses();
            if (!loses || !mayChoose)
                return;
            const Model before = m_model;
            const std::string text = leftOutText(*loses, m_worth->saved(*loses));
            try {
                take(withoutRewrite(m_model, *loses, progress), progress);
                leftOut.push_back(text);
            } catch (const Error&) {
                take(before, progress);  // it fits no bound
                mayChoose = false;
            }
            m_stored.remarks.insert(m_stored.remarks.end(), leftOut.begin(), leftOut.end());
        }
    }

    // Another model from here on: plans are made anew.
    void take(Model model, const Progress& progress)
    {
        m_planning.reset();
        m_plans.clear();
        m_model = std::move(model);
        m_space.emplace(*m_model.analysis);
        m_stored = {};
        m_stored.plan = m_space->messageDegree();
        m_worth.reset();
        compare(true, progress);
    }

    Planner wanted() const { return m_arguments.planner.empty() ? usualPlanner() : allPlanners().at(m_arguments.planner); }

    std::vector<std::pair<NodeOrder, double>> inflations(std::int64_t batchSize, const Progress& progress)
    {
        try {
            return m_planning->inflations(batchSize, progress);
        } catch (const Error&) {
            return {};  // no edge index to order nodes by
        }
    }

    std::string rates() const
    {
        const std::string source = m_planning->rates().source;
        return m_arguments.profile   ? "ops measured on this graph; stores: " + source
               : source == "assumed" ? "assumed; measure this machine's with cleave-cli calibrate"
                                     : source;
    }

    std::string rewritesWorth() const
    {
        std::vector<std::string> parts;
        for (const PassCount& rewrite : m_model.analysis->rewrites) {
            parts.push_back(rewrite.pass + " " + std::to_string(rewrite.count));
            for (const auto& [known, seconds] : m_worth->without)
                if (rewriteName(known) == rewrite.pass)
                    parts.back() += " (" + formatSeconds(seconds) + " without it)";
        }
        return join(parts, ", ");
    }

    std::string text() const
    {
        std::string text;
        for (const std::string& remark : m_stored.remarks)
            text += remark + "\n";
        text += (text.empty() ? "" : "\n") + planTable(*m_space, m_stored, m_cost ? &m_cost->cost : nullptr);
        if (!m_plans.empty()) {
            text += "\n" + comparisonTable(*m_space, m_plans) + "\n";
            const auto optimal = std::ranges::find(m_plans, plannerName(Planner::Optimal), &PricedPlan::name);
            if (optimal != m_plans.end())
                text += proof(*optimal);
            else if (!hasSolver())
                text += "This build has no CBC, and so no planner 'optimal'.\n";
            if (!m_inflations.empty()) {
                std::vector<std::string> orders;
                for (const auto& [order, inflation] : m_inflations)
                    orders.push_back(std::string(orderName(order)) + " " + formatNumber(inflation));
                if (orders.size() < 4 && hasClusters())
                    orders.push_back("metis not measured on so many edges (--order metis does it)");
                text += "E/V by node order, batches of " + formatCount(m_stored.batchSize) + ": " + join(orders, ", ") + "\n";
            }
            if (m_worth)
                text += "Rewrites: " + rewritesWorth() + "; without any (--rewrite none) " + std::string(plannerName(wanted())) + " takes " +
                        formatSeconds(m_worth->tracedSeconds) + "\n";
            if (const auto& placement = m_cost->placement)
                text += onDevice(*placement);
            text += "Rates: " + rates() + "\n";
        }
        return text + (m_arguments.out.empty() ? "" : "\nWritten to " + m_arguments.out + "\n");
    }

    static std::string onDevice(const DevicePlacement& placement)
    {
        if (!placement.usesDevice())
            return "On " + placement.device + ": nothing, the CPU is faster with what has to cross over (rates of the device: " + placement.rates +
                   ")\n";
        const auto count = std::ranges::count_if(placement.functions, &PlacedFunction::onDevice);
        return "On " + placement.device + ": " + std::to_string(count) + " of " + std::to_string(placement.functions.size()) + " functions, " +
               formatSeconds(placement.seconds()) + " instead of " + formatSeconds(placement.cpuSeconds) + "; " + formatBytes(placement.bytesIn()) +
               " there and " + formatBytes(placement.bytesOut()) + " back, " + formatBytes(placement.storeBytes) +
               " of the store lie there (rates of the device: " + placement.rates + ")\n";
    }

    Json json() const
    {
        Json json{{"plans", Json::array()}, {"rates", rates()}, {"remarks", m_stored.remarks}};
        for (const PricedPlan& plan : m_plans)
            json["plans"].push_back(toJson(*m_space, plan));
        for (const PassCount& rewrite : m_model.analysis->rewrites)
            json["rewrites"][rewrite.pass] = rewrite.count;
        if (m_worth)
            json["seconds_without_rewrites"] = m_worth->tracedSeconds;
        for (const auto& [rewrite, seconds] : m_worth ? m_worth->without : std::vector<std::pair<Rewrite, double>>{})
            json["seconds_without_rewrite"][std::string(rewriteName(rewrite))] = seconds;
        for (const auto& [order, inflation] : m_inflations)
            json["inflation_by_order"][orderName(order)] = inflation;
        return json;
    }

    PlanArguments& m_arguments;
    Model m_model;
    std::optional<PlanSpace> m_space;
    DataGraph m_graph;
    std::optional<Planning> m_planning;
    StoredPlan m_stored;
    std::vector<PricedPlan> m_plans;
    std::optional<RecordedCost> m_cost;
    std::vector<std::pair<NodeOrder, double>> m_inflations;
    PlanningRequest m_request;
    std::optional<RewriteWorth> m_worth;  // nothing where there are no rewrites
};

}  // namespace

void addPlan(CLI::App& app, int&)
{
    auto* command = app.add_subcommand("plan", "Compare planners on a graph, show where the ops on node rows run, move them, and write the plan");
    auto arguments = std::make_shared<PlanArguments>();
    arguments->add(*command);
    command->callback([arguments] { PlanCommand(*arguments).run(); });
}

}  // namespace cleave::cli
