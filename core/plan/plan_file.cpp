#include "core/plan/plan_file.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/format.h"
#include "core/model/json_view.h"
#include "core/plan/execution.h"

namespace cleave {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t formatVersion = 1;

Json describeTensor(const Analysis& analysis, ValueId id)
{
    const Value& value = analysis.program[id];
    const ValueFacts& facts = analysis.values[id];
    const std::string rows = facts.rows == Rows::Edges ? "M" : facts.rows == Rows::Graph ? "graph" : "V";
    Json shape = Json::array();
    for (std::size_t d = 0; d < value.sizes.size(); ++d) {
        const std::int64_t entries = facts.outer * facts.inner;
        if (static_cast<int>(d) == facts.rowDim)
            shape.push_back(entries == 1 ? rows : std::to_string(entries) + "*" + rows);
        else if (value.sizes[d].isConstant())
            shape.push_back(value.sizes[d].value);
        else
            shape.push_back(value.sizes[d].symbol);
    }
    return {{"name", value.name}, {"rows", rows}, {"dtype", dtypeName(value.dtype)}, {"shape", shape}};
}

Json describeTensors(const Analysis& analysis, const std::vector<ValueId>& ids)
{
    Json all = Json::array();
    for (const ValueId id : ids)
        all.push_back(describeTensor(analysis, id));
    return all;
}

// Which of a tensor's rows the function reads: all of the batch (V), of the block (E), or what each edge gathers (M).
Json waysOfReading(const CutFunction& function, ValueId tensor)
{
    bool targets = false, block = false, straight = false;
    for (const Step& step : function.steps)
        for (const StepOperand& operand : step.operands)
            if (operand.value == tensor) {
                const FrameKind kind = function.frames[static_cast<std::size_t>(operand.frame)].kind;
                straight = straight || operand.kind == OperandKind::StoredWhole ||
                           (operand.kind == OperandKind::Stored && kind != FrameKind::Targets && kind != FrameKind::Block);
                block = block || (operand.kind == OperandKind::Stored && kind == FrameKind::Block);
                targets = targets || (operand.kind == OperandKind::Stored && kind == FrameKind::Targets);
            }
    Json ways = Json::array();
    if (block)
        ways.push_back("E");
    else if (targets)
        ways.push_back("V");
    if (straight)
        ways.push_back("M");
    return ways;
}

std::vector<std::string> rewriteNames(const Analysis& analysis)
{
    std::vector<std::string> names;
    for (const PassCount& rewrite : analysis.rewrites)
        names.push_back(rewrite.pass);
    return names;
}

std::vector<std::string> rewriteNames(const JsonView& file)
{
    std::vector<std::string> names;
    if (const auto rewrites = file.find("rewrites"))
        for (const JsonView& name : rewrites->items())
            names.push_back(name.text());
    return names;
}

Json describeFunction(const PlanSpace& space, const StoredPlan& stored, const CutFunction& function)
{
    const Plan& plan = stored.plan;
    const Analysis& analysis = space.analysis();
    const Program& program = analysis.program;
    Json json{{"function", function.level}};
    if (analysis.types() > 1) {
        json["degree"] = analysis.degreeOf(function.level);
        if (function.isOfLevel())
            json["nodes"] = analysis.nodeTypes[static_cast<std::size_t>(function.nodeType)].name;
    }
    if (function.firstLevel != function.level)
        json["first"] = function.firstLevel;
    if (stored.devices.functions.contains(DeviceWishes::nameOf(function)))
        json["device"] = stored.devices.device;
    if (function.rowsOf.valid())
        json["output_rows"] = program[function.rowsOf].name;
    if (function.isGlobal) {
        json["global"] = Json::array();
        for (const Step& step : function.steps)
            json["global"].push_back({{"op", program[step.op].name}, {"target", program[step.op].target}});
    }
    Json before = Json::array(), passing = Json::array(), after = Json::array(), reads = Json::array();
    for (std::size_t i = 0; function.isOfLevel() && i < space.ops().size(); ++i) {
        const PlacedOp& op = space.ops()[i];
        const int at = plan.positions[i].function();
        if (at < function.firstLevel || at > function.level)
            continue;
        Json described{{"op", program[op.op].name}, {"target", program[op.op].target}};
        if (at != function.level)
            described["function"] = at;
        (!op.movable ? passing : plan.positions[i].isPre() ? before : after).push_back(described);
    }
    json["before"] = before;
    json["message_passing"] = passing;
    json["after"] = after;
    for (const ValueId tensor : function.reads) {
        reads.push_back(describeTensor(analysis, tensor));
        reads.back()["read"] = waysOfReading(function, tensor);
    }
    json["reads"] = reads;
    json["saves"] = describeTensors(analysis, function.saves);
    return json;
}

Json describeCost(const PlanSpace& space, const RecordedCost& recorded)
{
    const Program& program = space.analysis().program;
    const PlanCost& cost = recorded.cost;
    const auto amount = [](const Amount& a) { return Json{{"bytes", a.bytes}, {"flops", a.flops}, {"seconds", a.seconds}}; };
    Json functions = Json::array(), tensors = Json::array(), ops = Json::array();
    for (const FunctionCost& f : cost.functions) {
        Json json{{"function", f.last}};
        if (f.rowsOf.valid())
            json["output_rows"] = program[f.rowsOf].name;
        if (f.isGlobal)
            json["global"] = true;
        json.update(Json{{"prepare", amount(f.prepare)},
                         {"read", amount(f.read)},
                         {"compute", amount(f.compute)},
                         {"write", amount(f.write)},
                         {"peak_bytes", f.peakBytes}});
        functions.push_back(json);
    }
    for (const TensorCost& t : cost.tensors) {
        Json json{{"name", program[t.tensor].name}, {"write", amount(t.write)}, {"reads", Json::array()}};
        for (const TensorRead& read : t.reads)
            json["reads"].push_back({{"function", cost.functions[static_cast<std::size_t>(read.function)].last},
                                     {"rows", std::string(1, read.rows)},
                                     {"count", read.count},
                                     {"seconds", read.amount.seconds}});
        tensors.push_back(json);
    }
    for (std::size_t i = 0; i < cost.ops.size(); ++i) {
        ops.push_back({{"op", program[space.ops()[i].op].name}});
        ops.back().update(amount(cost.ops[i]));
    }
    const Rates& r = recorded.rates;
    Json json{{"planner", recorded.planner}};
    if (!recorded.graph.empty())
        json["graph"] = recorded.graph;
    json.update(Json{{"nodes", recorded.counts.nodes.size() == 1 ? Json(recorded.counts.nodes.front()) : Json(recorded.counts.nodes)},
                     {"inflation", recorded.counts.inflation()},
                     {"inflation_error", recorded.counts.error},
                     {"estimated", recorded.counts.estimated},
                     {"seconds", cost.seconds()},
                     {"read_bytes", cost.readBytes()},
                     {"written_bytes", cost.writtenBytes()},
                     {"flops", cost.flops()},
                     {"peak_bytes", cost.peakBytes()}});
    if (recorded.bound > 0)
        json["bound_seconds"] = recorded.bound;
    json["rates"] = {{"source", recorded.profiled ? "ops measured on the graph; stores: " + r.source : r.source}, {"read_bytes_per_second", r.read},
                     {"gather_bytes_per_second", r.gather}, {"write_bytes_per_second", r.write}, {"elementwise_bytes_per_second", r.elementwise},
                     {"segment_reduce_bytes_per_second", r.segmentReduce}, {"gemm_flops_per_second", r.gemm}, {"slice_bytes_per_second", r.slice},
                     {"numbered_nodes_per_second", r.number}, {"seconds_per_op", r.opSeconds}};
    if (const auto& placement = recorded.placement)
        json["with_device"] = {{"device", placement->device},
                               {"seconds", placement->seconds()},
                               {"bytes_to_device", placement->bytesIn()},
                               {"bytes_from_device", placement->bytesOut()},
                               {"store_bytes_on_device", placement->storeBytes},
                               {"rates", placement->rates}};
    json["functions"] = functions;
    json["tensors"] = tensors;
    json["ops"] = ops;
    return json;
}

void writeJson(const std::filesystem::path& path, const Json& json)
{
    writeText(path, json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

Json describeConstraints(const PlanSpace& space, const Constraints& constraints)
{
    const Program& program = space.analysis().program;
    Json pins = Json::object(), together = Json::array();
    for (const auto& [op, function] : constraints.pins())
        pins[program[op].name] = function;
    std::map<OpId, std::vector<std::string>> groups;
    for (const PlacedOp& placed : space.ops())
        groups[constraints.group(placed.op)].push_back(program[placed.op].name);
    for (const auto& [first, names] : groups)
        if (names.size() > 1)
            together.push_back(names);
    return {{"pins", pins}, {"together", together}};
}

struct StoredOp {
    std::string name, target;
    Position position;
};

class PlanReader {
public:
    PlanReader(const PlanSpace& space, JsonView file) : m_space(space), m_program(space.analysis().program), m_file(std::move(file)) {}

    StoredPlan run()
    {
        readModel();
        if (const auto made = rewriteNames(m_file), here = rewriteNames(m_space.analysis()); made != here)
            differs("The plan is for the program " + (made.empty() ? "as it was traced" : "after the rewrites " + printable(join(made, ","))) +
                    ", but it was opened " + (here.empty() ? "as it was traced." : "after the rewrites " + join(here, ",") + "."));
        for (const PlacedOp& placed : m_space.ops())
            m_ops[m_program[placed.op].name] = placed.op;
        m_result.plan = m_space.messageDegree();
        if (const auto batchSize = m_file.find("batch_size"))
            m_result.batchSize = batchSize->integer();
        if (m_result.batchSize < 0)
            throw Error(m_file.where() + ": batch_size must not be negative.");
        if (const auto order = m_file.find("order"))
            if (!orderFromName(order->text(), m_result.order))
                order->fail("natural, degree, bfs or metis");
        place(storedOps());
        readFunctions();
        if (m_result.devices.functions.empty())
            m_result.devices = {};
        if (const auto constraints = m_file.find("constraints"))
            constrain(*constraints);
        return std::move(m_result);
    }

private:
    std::vector<StoredOp> storedOps() const
    {
        std::vector<StoredOp> ops;
        for (const JsonView& function : m_file.at("functions").items()) {
            const std::int64_t number = function.at("function").integer();
            if (number < 0 || number > std::numeric_limits<int>::max() / 4)
                function.fail("a function's number");
            if (function.find("output_rows") || function.find("global"))
                continue;
            for (const char* list : {"before", "message_passing", "after"})
                for (const JsonView& op : function.at(list).items()) {
                    const bool before = std::string_view(list) == "before";
                    const auto own = op.find("function");
                    const std::int64_t in = own ? own->integer() : number;
                    if (in < 0 || in > number)
                        own->fail("a function that is joined here");
                    if (before && m_space.analysis().degreeOf(static_cast<int>(in)) == 0)
                        op.fail("an op after the message passing, since function " + std::to_string(in) + " has none");
                    ops.push_back({op.at("op").text(), op.at("target").text(),
                                   before ? Position::pre(static_cast<int>(in)) : Position::post(static_cast<int>(in))});
                }
        }
        return ops;
    }

    // Which functions run together, and which tensors are copied for a block.
    void readFunctions()
    {
        std::map<std::string, ValueId> tensors;
        for (std::size_t v = 0; v < m_program.values.size(); ++v)
            tensors.emplace(m_program.values[v].name, ValueId{static_cast<int>(v)});
        for (const JsonView& function : m_file.at("functions").items()) {
            const std::int64_t last = function.at("function").integer();
            readDevice(function, static_cast<int>(last), tensors);
            if (function.find("output_rows") || function.find("global"))
                continue;
            const auto first = function.find("first");
            if (first && (first->integer() < 0 || first->integer() > last))
                first->fail("a function before its last");
            for (std::int64_t f = first ? first->integer() : last; f < last; ++f)
                if (f + 1 < m_space.functions()) {
                    m_result.plan.joined.insert(static_cast<int>(f));
                } else {
                    differs("The plan joins functions " + std::to_string(f) + " and " + std::to_string(f + 1) + ", which the model does not have.");
                    break;
                }
            for (const JsonView& tensor : function.at("reads").items()) {
                const auto ways = tensor.find("read");
                bool block = false, straight = false;
                if (ways)
                    for (const JsonView& way : ways->items()) {
                        block = block || way.text() == "E";
                        straight = straight || way.text() == "M";
                    }
                const auto known = tensors.find(tensor.at("name").text());
                if (block && !straight && !first && known != tensors.end() && last < m_space.functions())
                    m_result.copied.insert({static_cast<int>(last), known->second});
            }
        }
    }

    void readDevice(const JsonView& function, int level, const std::map<std::string, ValueId>& tensors)
    {
        const auto device = function.find("device");
        if (!device)
            return;
        std::string& name = m_result.devices.device;
        if (device->text().empty() || device->text() == "cpu" || (!name.empty() && name != device->text()))
            device->fail("one device beside the CPU for all functions");
        name = device->text();
        ValueId rows;
        if (const auto output = function.find("output_rows")) {
            const auto known = tensors.find(output->text());
            if (known == tensors.end())
                return;
            rows = known->second;
        }
        m_result.devices.functions.insert({level, rows, function.find("global").has_value()});
    }

    void readModel()
    {
        const JsonView model = m_file.at("model");
        const std::string sha256 = model.at("sha256").text();
        m_result.isOfThisFile = m_sameModel = sha256 == m_program.sha256;
        if (m_sameModel)
            return;
        const auto name = model.find("name");
        m_result.remarks.push_back("The plan was made for another file" + (name ? ", '" + printable(name->text()) + "'" : std::string()) +
                                   " (SHA-256 " + printable(sha256, 8) + ", here " + printable(m_program.sha256, 8) +
                                   "): its ops are found by their names.");
    }

    // What the model does not have, or not so: an error in the model that the plan was made for, a remark in another export.
    void differs(const std::string& sentence)
    {
        if (m_sameModel)
            throw Error(sentence);
        m_result.remarks.push_back(sentence);
    }

    OpId find(const std::string& name, const std::string& target)
    {
        const auto known = m_ops.find(name);
        if (known == m_ops.end())
            differs("The plan places '" + printable(name) + "', but the model has no such op on node rows.");
        else if (!target.empty() && m_program[known->second].target != target)
            differs("The plan places '" + printable(name) + "' as " + printable(target) + ", but in the model it is " +
                    m_program[known->second].target + ".");
        else
            return known->second;
        return {};
    }

    void place(const std::vector<StoredOp>& stored)
    {
        std::set<OpId> placed;
        Plan wanted = m_result.plan;
        std::vector<std::pair<OpId, Position>> wishes;
        for (const StoredOp& op : stored)
            if (const OpId id = find(op.name, op.target); id.valid()) {
                if (!placed.insert(id).second)
                    throw Error("The plan places '" + printable(op.name) + "' more than once.");
                wanted.positions[static_cast<std::size_t>(m_space.indexOf(id))] = op.position;
                wishes.emplace_back(id, op.position);
            }
        // One that was changed and exported again has most of its ops under the same names; linear_1 is in every other model, too.
        if (2 * placed.size() < std::max(stored.size(), m_space.ops().size()))
            throw Error("The plan is for another model: of its " + std::to_string(stored.size()) + " ops on node rows " +
                        std::to_string(placed.size()) + " are here, where there are " + std::to_string(m_space.ops().size()) + ".");
        for (const PlacedOp& op : m_space.ops())
            if (!placed.contains(op.op))
                differs("The plan does not place '" + m_program[op.op].name + "', which the model has.");
        const std::string why = m_space.whyIllegal(wanted);
        if (m_sameModel && !why.empty())
            throw Error("The plan is not legal for this model: " + why);
        if (why.empty()) {
            m_result.plan = std::move(wanted);
            return;
        }
        // Each op as near to where the plan has it as the others allow.
        std::ranges::sort(wishes);
        for (const auto& [op, position] : wishes) {
            Move move = m_space.moveOp(m_result.plan, op, position);
            if (move.plan)
                m_result.plan = std::move(*move.plan);
            else
                m_result.remarks.push_back(move.reason);
        }
    }

    void constrain(const JsonView& constraints)
    {
        if (const auto pins = constraints.find("pins"))
            for (const auto& [name, function] : pins->members())
                if (const OpId op = find(name, {}); op.valid())
                    keep(m_space.pin(m_result.plan, op, static_cast<int>(std::clamp<std::int64_t>(function.integer(), -1, m_space.functions()))));
        if (const auto groups = constraints.find("together"))
            for (const JsonView& group : groups->items()) {
                OpId first;
                for (const JsonView& name : group.items())
                    if (const OpId op = find(name.text(), {}); op.valid()) {
                        if (first.valid())
                            keep(m_space.keepTogether(m_result.plan, first, op));
                        else
                            first = op;
                    }
            }
    }

    void keep(Move move)
    {
        if (!move.plan)
            differs("A constraint of the plan cannot be kept: " + move.reason);
        else if (m_sameModel && move.plan->positions != m_result.plan.positions)
            throw Error("The plan does not keep its own constraints.");
        else
            m_result.plan = std::move(*move.plan);
    }

    const PlanSpace& m_space;
    const Program& m_program;
    const JsonView m_file;
    std::map<std::string, OpId> m_ops;
    StoredPlan m_result;
    bool m_sameModel = false;
};

// A plan file of this version, as it is read.
class PlanJson {
public:
    explicit PlanJson(const std::filesystem::path& path) : m_bytes(readFile(path, mostOfText)), m_name(path.filename().string())
    {
        m_json = parseJson(text(), path.string());
        if (!m_json.is_object() || !m_json.contains("cleave_plan"))
            throw Error(m_name + " is no plan of Cleave: it has no 'cleave_plan'.");
        if (const std::int64_t version = view().at("cleave_plan").integer(); version != formatVersion)
            throw Error("The plan is of version " + std::to_string(version) + ", but this program reads version " + std::to_string(formatVersion) +
                        " only.");
    }

    JsonView view() const { return {m_json, m_name}; }
    std::string_view text() const { return {reinterpret_cast<const char*>(m_bytes.data()), m_bytes.size()}; }

private:
    std::vector<std::byte> m_bytes;
    std::string m_name;
    nlohmann::json m_json;
};

std::optional<double> numberIn(const std::optional<JsonView>& object, const char* key)
{
    const auto found = object ? object->find(key) : std::nullopt;
    return found ? std::optional(found->number()) : std::nullopt;
}

}  // namespace

DeviceWishes DeviceWishes::of(const DevicePlacement& placement, const PlanCost& cost)
{
    DeviceWishes wishes;
    for (std::size_t i = 0; i < cost.functions.size(); ++i)
        if (placement.functions[i].onDevice)
            wishes.functions.insert(nameOf(cost.functions[i]));
    if (!wishes.functions.empty())
        wishes.device = placement.device;
    return wishes;
}

std::vector<bool> DeviceWishes::in(const CutProgram& cut) const
{
    std::vector<bool> are;
    for (const CutFunction& function : cut.functions)
        are.push_back(functions.contains(nameOf(function)));
    return are;
}

void writePlan(const std::filesystem::path& path, const PlanSpace& space, const StoredPlan& stored, const std::optional<RecordedCost>& cost)
{
    const CutProgram cut = space.cut(stored.plan, stored.copied);
    const Program& program = space.analysis().program;
    Json json{{"cleave_plan", formatVersion},
              {"model", {{"name", program.name}, {"sha256", program.sha256}}},
              {"rewrites", rewriteNames(space.analysis())},
              {"functions", Json::array()},
              {"constraints", describeConstraints(space, stored.plan.constraints)},
              {"batch_size", stored.batchSize},
              {"order", orderName(stored.order)}};
    for (const CutFunction& function : cut.functions)
        json["functions"].push_back(describeFunction(space, stored, function));
    if (cost)
        json["cost"] = describeCost(space, *cost);
    json["execution"] = describeExecution(space.analysis(), cut);
    writeJson(path, json);
}

StoredPlan readPlan(const std::filesystem::path& path, const PlanSpace& space)
{
    const PlanJson json(path);
    return PlanReader(space, json.view()).run();
}

void recordVerification(const std::filesystem::path& path, const RecordedVerification& result)
{
    Json json = Json::parse(PlanJson(path).text());  // in the order that the file has
    json["verification"] = {{"graph", result.graph},
                            {"equal", result.equal},
                            {"max_absolute", result.maxAbsolute},
                            {"max_relative", result.maxRelative},
                            {"tolerance", {{"absolute", result.absoluteTolerance}, {"relative", result.relativeTolerance}}},
                            {"batch_size", result.batchSize}};
    if (result.sampledNodes > 0)
        json["verification"]["sampled_nodes"] = result.sampledNodes;
    writeJson(path, json);
}

PlanSummary readPlanSummary(const std::filesystem::path& path)
{
    const PlanJson json(path);
    const JsonView file = json.view();
    PlanSummary summary;
    summary.sha256 = file.at("model").at("sha256").text();
    if (const auto name = file.at("model").find("name"))
        summary.model = name->text();
    for (const JsonView& function : file.at("functions").items()) {
        const auto rows = function.find("output_rows");
        const std::string number = rows                        ? "rows of " + rows->text()
                                   : function.find("global") ? "global before " + std::to_string(function.at("function").integer())
                                                             : std::to_string(function.at("function").integer());
        for (const char* list : {"before", "message_passing", "after"})
            for (const JsonView& op : function.at(list).items()) {
                const auto own = op.find("function");
                summary.positions[op.at("op").text()] =
                    (std::string_view(list) == "before" ? "pre " : "post ") + (own ? std::to_string(own->integer()) : number);
            }
        if (const auto device = function.find("device"))
            summary.devices[number] = device->text();
        for (const JsonView& tensor : function.at("saves").items())
            summary.saved[number].push_back(tensor.at("name").text());
    }
    summary.rewrites = rewriteNames(file);
    if (const auto execution = file.find("execution"))
        for (const JsonView& input : execution->at("inputs").items())
            if (const auto sizes = input.find("sizes"))
                for (const JsonView& fixed : sizes->items())
                    summary.sizes.push_back(
                        {input.at("name").text(), static_cast<int>(fixed.at("dim").integer()), fixed.at("size").integer(), false});
    if (const auto size = file.find("batch_size"))
        summary.batchSize = size->integer();
    if (const auto order = file.find("order"))
        summary.order = order->text();
    if (const auto cost = file.find("cost")) {
        summary.planner = cost->at("planner").text();
        if (const auto graph = cost->find("graph"))
            summary.graph = graph->text();
        summary.rates = cost->at("rates").at("source").text();
        summary.seconds = numberIn(cost, "seconds");
        summary.secondsWithDevice = numberIn(cost->find("with_device"), "seconds");
        summary.readBytes = numberIn(cost, "read_bytes");
        summary.writtenBytes = numberIn(cost, "written_bytes");
        summary.flops = numberIn(cost, "flops");
        summary.peakBytes = numberIn(cost, "peak_bytes");
        summary.inflation = numberIn(cost, "inflation");
    }
    if (const auto verified = file.find("verification")) {
        summary.verified = verified->at("equal").boolean();
        if (const auto sampled = verified->find("sampled_nodes"))
            summary.sampledNodes = sampled->integer();
    }
    return summary;
}

void checkIsFor(const PlanSummary& plan, const Program& program)
{
    std::set<std::string> names;
    for (const Op& op : program.ops)
        names.insert(op.name);
    const auto here = static_cast<std::size_t>(std::ranges::count_if(plan.positions, [&](const auto& op) { return names.contains(op.first); }));
    if (plan.sha256 != program.sha256 && 2 * here < plan.positions.size())
        throw Error("The plan is for another model, '" + printable(plan.model) + "': of its " + std::to_string(plan.positions.size()) +
                    " ops on node rows " + std::to_string(here) + " are here.");
}

}  // namespace cleave
