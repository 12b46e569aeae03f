#include <filesystem>
#include <map>
#include <set>

#include "app/cli/commands.h"
#include "app/cli/terminal.h"
#include "core/base/format.h"
#include "core/plan/code.h"
#include "core/plan/plan_file.h"

namespace cleave::cli {

namespace {

std::string orDash(const std::optional<double>& value, std::string (*format)(double))
{
    return value ? format(*value) : "–";
}

std::string compareText(const std::string& nameA, const PlanSummary& a, const std::string& nameB, const PlanSummary& b)
{
    std::vector<std::vector<std::string>> rows{{"", nameA, nameB}};
    const auto add = [&](const std::string& what, const std::string& left, const std::string& right) { rows.push_back({what, left, right}); };
    const auto verified = [](const PlanSummary& s) {
        return std::string(!s.verified   ? "–"
                           : *s.verified ? "equal"
                                         : "different") +
               (s.sampledNodes > 0 ? " (" + formatCount(s.sampledNodes) + " nodes)" : "");
    };
    const auto or_ = [](const std::string& text) { return text.empty() ? std::string("–") : printable(text); };
    add("model", or_(a.model), or_(b.model));
    add("planner", or_(a.planner), or_(b.planner));
    add("graph", or_(a.graph), or_(b.graph));
    add("batch size", a.batchSize ? formatCount(a.batchSize) : "auto", b.batchSize ? formatCount(b.batchSize) : "auto");
    add("node order", or_(a.order), or_(b.order));
    add("seconds", orDash(a.seconds, formatSeconds), orDash(b.seconds, formatSeconds));
    if (a.secondsWithDevice || b.secondsWithDevice)
        add("seconds with a device", orDash(a.secondsWithDevice, formatSeconds), orDash(b.secondsWithDevice, formatSeconds));
    add("read", orDash(a.readBytes, formatBytes), orDash(b.readBytes, formatBytes));
    add("written", orDash(a.writtenBytes, formatBytes), orDash(b.writtenBytes, formatBytes));
    add("FLOPs", orDash(a.flops, flopsText), orDash(b.flops, flopsText));
    add("peak memory", orDash(a.peakBytes, formatBytes), orDash(b.peakBytes, formatBytes));
    add("E/V", orDash(a.inflation, formatNumber), orDash(b.inflation, formatNumber));
    add("rates", or_(a.rates), or_(b.rates));
    add("verified", verified(a), verified(b));
    std::string text = a.sha256 == b.sha256 ? "" : "The plans are for different model files.\n\n";
    text += table(rows);
    std::vector<std::vector<std::string>> ops{{"op", nameA, nameB}}, saved{{"function", nameA, nameB}}, devices{{"function", nameA, nameB}};
    std::set<std::string> names, functions;
    for (const PlanSummary* s : {&a, &b}) {
        for (const auto& [name, position] : s->positions)
            names.insert(name);
        for (const auto& [function, tensors] : s->saved)
            functions.insert(function);
        for (const auto& [function, device] : s->devices)
            functions.insert(function);
    }
    const auto find = [](const auto& map, const std::string& key) {
        return map.contains(key) ? map.at(key) : typename std::decay_t<decltype(map)>::mapped_type{};
    };
    for (const std::string& name : names)
        if (const std::string left = find(a.positions, name), right = find(b.positions, name); left != right)
            ops.push_back({printable(name), or_(left), or_(right)});
    for (const std::string& function : functions)
        if (const auto left = find(a.saved, function), right = find(b.saved, function); left != right)
            saved.push_back({printable(function), or_(join(left, ", ")), or_(join(right, ", "))});
    for (const std::string& function : functions)
        if (const std::string left = find(a.devices, function), right = find(b.devices, function); left != right)
            devices.push_back({printable(function), left.empty() ? "cpu" : printable(left), right.empty() ? "cpu" : printable(right)});
    text += ops.size() > 1 ? "\nOps that stand elsewhere\n" + table(ops) : "\nEvery op stands at the same position.\n";
    return text + (saved.size() > 1 ? "\nSave points that differ\n" + table(saved) : "") +
           (devices.size() > 1 ? "\nFunctions that run elsewhere\n" + table(devices) : "");
}

}  // namespace

void addCompare(CLI::App& app, int&)
{
    auto* command = app.add_subcommand("compare", "Show where two plans differ, and what each costs");
    auto paths = std::make_shared<std::vector<std::string>>(2);
    command->add_option("A", (*paths)[0], "Plan file")->required();
    command->add_option("B", (*paths)[1], "Plan file")->required();
    command->callback([paths] {
        const std::filesystem::path a = (*paths)[0], b = (*paths)[1];
        const PlanSummary planA = readPlanSummary(a), planB = readPlanSummary(b);
        print(compareText(a.filename().string(), planA, b.filename().string(), planB));
    });
}

void addCode(CLI::App& app, int&)
{
    auto* command = app.add_subcommand("code", "Write a plan as Python: one source per function and a package that chains them");
    struct Arguments {
        ModelArguments model;
        std::string plan, out;
    };
    auto arguments = std::make_shared<Arguments>();
    arguments->model.add(*command);
    command->add_option("--plan", arguments->plan, "Plan file, instead of the cut at message degree")->type_name("FILE");
    command->add_option("--out", arguments->out, "Folder for the package")->required();
    command->callback([arguments] {
        Model model;
        StoredPlan stored;
        std::size_t files = 0;
        {
            const TerminalProgress terminal;
            model = arguments->model.open(terminal.progress(), arguments->plan);
            const PlanSpace space(*model.analysis);
            stored.plan = space.messageDegree();
            if (!arguments->plan.empty())
                stored = readPlan(arguments->plan, space);
            checkCut(*model.analysis, space.cut(stored.plan, stored.copied), terminal.progress());
            const PlanCode code = generateCode(space, stored.plan, stored.copied, stored.batchSize);
            writeCode(arguments->out, code.files);
            files = code.files.size();
        }
        std::string text;
        for (const std::string& remark : stored.remarks)
            text += remark + "\n";
        print(text + std::to_string(files) + " files written to " + arguments->out + "\n");
    });
}

}  // namespace cleave::cli
