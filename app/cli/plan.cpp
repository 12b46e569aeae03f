#include <algorithm>
#include <charconv>

#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/terminal.h"
#include "core/base/format.h"
#include "core/plan/plan_file.h"

namespace cleave::cli {

namespace {

struct PlanArguments {
    ModelArguments model;
    std::string from, out;
    std::vector<std::string> moves, pins, together;

    void add(CLI::App& command)
    {
        model.add(command);
        command.add_option("--plan", from, "Plan file to start from, instead of the cut at message degree")->type_name("FILE");
        command.add_option("--move", moves, "Place an op before (pre2) or after (post2) the message passing of a function; what must go along moves too")
            ->type_name("OP=POSITION")->allow_extra_args(false);
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

class Planning {
public:
    Planning(const PlanSpace& space, const PlanArguments& arguments) : m_space(space), m_arguments(arguments) {}

    StoredPlan run()
    {
        m_stored.plan = m_space.messageDegree();
        if (!m_arguments.from.empty())
            m_stored = readPlan(m_arguments.from, m_space);
        for (const std::string& text : m_arguments.moves) {
            const auto [name, where] = nameAndValue(text, "--move");
            apply(m_space.moveOp(m_stored.plan, op(name), position(where)), op(name));
        }
        for (const std::string& text : m_arguments.pins) {
            const auto [name, function] = nameAndValue(text, "--pin");
            apply(m_space.pin(m_stored.plan, op(name), number(function, "--pin")), op(name));
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

std::string planTable(const PlanSpace& space, const Plan& plan)
{
    const Program& program = space.analysis().program;
    const CutProgram cut = space.cut(plan);
    const auto names = [&](const std::vector<ValueId>& values) {
        std::vector<std::string> all;
        for (const ValueId value : values)
            all.push_back(program[value].name);
        return join(all, ", ");
    };
    std::vector<std::vector<std::string>> rows{{"function", "before", "message passing", "after", "reads", "saves"}};
    for (const CutFunction& function : cut.functions) {
        std::vector<std::string> ops[3];
        for (std::size_t i = 0; !function.rowsOf.valid() && i < space.ops().size(); ++i)
            if (const PlacedOp& placed = space.ops()[i]; plan.positions[i].function() == function.level)
                ops[!placed.movable ? 1 : plan.positions[i].isPre() ? 0 : 2].push_back(program[placed.op].name);
        const std::string name = function.rowsOf.valid() ? "rows of " + program[function.rowsOf].name : std::to_string(function.level);
        rows.push_back({name, join(ops[0], ", "), join(ops[1], ", "), join(ops[2], ", "), names(function.reads), names(function.saves)});
    }
    return table(rows);
}

}  // namespace

void addPlan(CLI::App& app, int&)
{
    auto* command = app.add_subcommand("plan", "Show where the ops on node rows run, move them, and write the plan");
    auto arguments = std::make_shared<PlanArguments>();
    arguments->add(*command);
    command->callback([arguments] {
        Model model;
        StoredPlan stored;
        {
            const TerminalProgress terminal;
            model = arguments->model.open(terminal.progress());
            const PlanSpace space(*model.analysis);
            stored = Planning(space, *arguments).run();
            checkCut(*model.analysis, space.cut(stored.plan), terminal.progress());
        }
        const PlanSpace space(*model.analysis);
        if (!arguments->out.empty())
            writePlan(arguments->out, space, stored.plan, stored.batchSize);
        std::string text;
        for (const std::string& remark : stored.remarks)
            text += remark + "\n";
        print(text + (text.empty() ? "" : "\n") + planTable(space, stored.plan) + (arguments->out.empty() ? "" : "\nWritten to " + arguments->out + "\n"));
    });
}

}  // namespace cleave::cli
