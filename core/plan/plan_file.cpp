#include "core/plan/plan_file.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/format.h"
#include "core/model/json_view.h"

namespace cleave {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t formatVersion = 1;

Json describeTensor(const Analysis& analysis, ValueId id)
{
    const Value& value = analysis.program[id];
    const ValueFacts& facts = analysis.values[id];
    const std::string rows = facts.rows == Rows::Edges ? "M" : "V";
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

Json describeOp(const Program& program, OpId id)
{
    return {{"op", program[id].name}, {"target", program[id].target}};
}

Json describeFunction(const PlanSpace& space, const Plan& plan, const CutFunction& function)
{
    const Analysis& analysis = space.analysis();
    Json json{{"function", function.level}};
    if (function.rowsOf.valid())
        json["output_rows"] = analysis.program[function.rowsOf].name;
    Json before = Json::array(), passing = Json::array(), after = Json::array();
    for (std::size_t i = 0; !function.rowsOf.valid() && i < space.ops().size(); ++i)
        if (const PlacedOp& op = space.ops()[i]; plan.positions[i].function() == function.level)
            (!op.movable ? passing : plan.positions[i].isPre() ? before : after).push_back(describeOp(analysis.program, op.op));
    json["before"] = before;
    json["message_passing"] = passing;
    json["after"] = after;
    json["reads"] = describeTensors(analysis, function.reads);
    json["saves"] = describeTensors(analysis, function.saves);
    return json;
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

class Reader {
public:
    Reader(const PlanSpace& space, const JsonView& file) : m_space(space), m_program(space.analysis().program), m_file(file) {}

    StoredPlan run()
    {
        const std::int64_t version = m_file.at("cleave_plan").integer();
        if (version != formatVersion)
            throw Error("The plan is of version " + std::to_string(version) + ", but this program reads version " + std::to_string(formatVersion) + " only.");
        m_sameModel = m_file.at("model").at("sha256").text() == m_program.sha256;
        for (const PlacedOp& placed : m_space.ops())
            m_ops[m_program[placed.op].name] = placed.op;
        m_result.plan = m_space.messageDegree();
        if (const auto batchSize = m_file.find("batch_size"))
            m_result.batchSize = batchSize->integer();
        if (m_result.batchSize < 0)
            throw Error(m_file.where() + ": batch_size must not be negative.");
        place(storedOps());
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
            if (function.find("output_rows"))
                continue;
            for (const char* list : {"before", "message_passing", "after"})
                for (const JsonView& op : function.at(list).items()) {
                    const bool before = std::string_view(list) == "before";
                    if (before && number == 0)
                        op.fail("an op after the message passing, since function 0 has none");
                    ops.push_back({op.at("op").text(), op.at("target").text(),
                                   before ? Position::pre(static_cast<int>(number)) : Position::post(static_cast<int>(number))});
                }
        }
        return ops;
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
            differs("The plan places '" + printable(name) + "' as " + printable(target) + ", but in the model it is " + m_program[known->second].target + ".");
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
    const JsonView& m_file;
    std::map<std::string, OpId> m_ops;
    StoredPlan m_result;
    bool m_sameModel = false;
};

}  // namespace

void writePlan(const std::filesystem::path& path, const PlanSpace& space, const Plan& plan, std::int64_t batchSize)
{
    const CutProgram cut = space.cut(plan);
    const Program& program = space.analysis().program;
    Json json{{"cleave_plan", formatVersion},
              {"model", {{"name", program.name}, {"sha256", program.sha256}}},
              {"functions", Json::array()},
              {"constraints", describeConstraints(space, plan.constraints)},
              {"batch_size", batchSize}};
    for (const CutFunction& function : cut.functions)
        json["functions"].push_back(describeFunction(space, plan, function));
    const std::string text = json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
    writeBeside(path, [&](const std::filesystem::path& temporary) {
        std::ofstream file(temporary, std::ios::binary);
        file << text << std::flush;
        if (!file)
            throw Error("The plan cannot be written to " + path.string() + ".");
    });
}

StoredPlan readPlan(const std::filesystem::path& path, const PlanSpace& space)
{
    constexpr std::size_t mostBytes = std::size_t{256} << 20;
    const std::vector<std::byte> bytes = readFile(path);
    if (bytes.size() > mostBytes)
        throw Error(path.string() + " is too large for a plan.");
    const nlohmann::json json = parseJson({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path.string());
    return Reader(space, JsonView(json, path.filename().string())).run();
}

}  // namespace cleave
