#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <set>

#include "app/cli/commands.h"
#include "app/cli/stages.h"
#include "app/cli/terminal.h"
#include "core/base/format.h"
#include "core/plan/dot.h"

namespace cleave::cli {

namespace {

using Json = nlohmann::ordered_json;

// Ops of the program that a function runs, without repetitions.
std::vector<OpId> opsOf(const Analysis& analysis, const CutFunction& function)
{
    std::vector<OpId> ops;
    for (const Step& step : function.steps)
        if (std::ranges::find(ops, step.op) == ops.end() && analysis.values[analysis.program[step.op].outputs.front()].reach == Reach::Feature)
            ops.push_back(step.op);
    return ops;
}

std::vector<std::string> names(const Program& program, const std::vector<ValueId>& values)
{
    std::vector<std::string> all;
    all.reserve(values.size());
    for (const ValueId id : values)
        all.push_back(program[id].name);
    return all;
}

int messagePassings(const Analysis& analysis, const CutFunction& function)
{
    const auto ops = opsOf(analysis, function);
    return static_cast<int>(std::ranges::count_if(ops, [&](OpId op) { return analysis.ops[op].kind == OpKind::Scatter; }));
}

std::string modulesOf(const Analysis& analysis, const CutFunction& function)
{
    std::vector<std::string> paths;
    for (const OpId op : opsOf(analysis, function))
        if (const ModuleId module = analysis.program[op].module; module.valid()) {
            const std::string& path = analysis.program[module].path;
            if (!path.empty() && std::ranges::find(paths, path) == paths.end())
                paths.push_back(path);
        }
    // A module stands for those inside it.
    std::erase_if(paths, [&](const std::string& path) {
        return std::ranges::any_of(paths, [&](const std::string& other) { return path.starts_with(other + "."); });
    });
    return printable(join(paths, ", "), 60);
}

Json toJson(const Model& model)
{
    const Analysis& a = *model.analysis;
    const Program& p = a.program;
    Json json{{"model", p.name}, {"producer", p.producer}, {"sha256", p.sha256}, {"notes", p.notes}};
    for (const Input& input : p.inputs)
        json["inputs"].push_back({{"name", p[input.value].name}, {"role", roleName(input.role)},
                                  {"dtype", dtypeName(p[input.value].dtype)}, {"shape", toString(p[input.value].sizes)}});
    for (const ValueId id : p.outputs)
        json["outputs"].push_back({{"name", p[id].name}, {"dtype", dtypeName(p[id].dtype)}, {"shape", toString(p[id].sizes)},
                                   {"level", a.degreeOf(std::max(a.values[id].level, 0))}});
    for (const PassCount& pass : a.passes)
        json["passes"].push_back({{"pass", pass.pass}, {"count", pass.count}});
    for (const PassCount& rewrite : a.rewrites)
        json["rewrites"].push_back({{"rewrite", rewrite.pass}, {"count", rewrite.count}});
    json["ops"] = p.ops.size();
    json["levels"] = a.degreeOf(a.levels);
    if (a.types() > 1)
        for (const NodeType& type : a.nodeTypes)
            json["node_types"].push_back(type.name);
    json["prologue"] = names(p, model.cut->prologue);
    json["functions"] = Json::array();
    for (const CutFunction& f : model.cut->functions) {
        std::vector<std::string> ops;
        for (const OpId op : opsOf(a, f))
            ops.push_back(p[op].name);
        const std::string nodes = a.nodeTypes[static_cast<std::size_t>(f.nodeType)].name;
        json["functions"].push_back({{"level", a.degreeOf(f.level)},
                                     {"rows", f.rowsOf.valid() ? p[f.rowsOf].name
                                              : f.isGlobal     ? "graph"
                                                               : nodes},
                                     {"ops", ops},
                                     {"edge_sets", names(p, f.segments())},
                                     {"reads", names(p, f.reads)},
                                     {"saves", names(p, f.saves)}});
    }
    return json;
}

std::string describeText(const Model& model)
{
    const Analysis& a = *model.analysis;
    const Program& p = a.program;
    std::string text = p.name + (p.producer.empty() ? "" : ", exported by " + p.producer) + "\n";
    for (const std::string& note : p.notes)
        text += "Note: " + note + "\n";
    std::vector<std::vector<std::string>> inputs{{"input", "role", "type", "shape"}};
    for (const Input& input : p.inputs)
        inputs.push_back({p[input.value].name, std::string(roleName(input.role)), std::string(dtypeName(p[input.value].dtype)),
                          toString(p[input.value].sizes)});
    text += "\n" + table(inputs);
    std::vector<std::vector<std::string>> passes{{"clean-up pass", "ops"}};
    for (const PassCount& pass : a.passes)
        passes.push_back({pass.pass, std::to_string(pass.count)});
    text += "\n" + table(passes);
    if (!a.rewrites.empty())
        text += "\nRewrites: " + rewritesText(a) + " (--rewrite none leaves the program as it was traced)\n";
    text += "\n" + std::to_string(p.ops.size()) + " ops, message degree " + std::to_string(a.degreeOf(a.levels)) + ", prologue of " +
            std::to_string(model.cut->prologue.size()) + " values\n\n";
    std::vector<std::vector<std::string>> functions{{"function", "degree", "ops", "MP", "edge sets", "reads", "saves", "modules"}};
    if (a.types() > 1)
        functions.front().insert(functions.front().begin() + 2, "rows");
    for (const CutFunction& f : model.cut->functions) {
        functions.push_back({functionName(f), std::to_string(a.degreeOf(f.level)), std::to_string(opsOf(a, f).size()),
                             std::to_string(messagePassings(a, f)), shortList(names(p, f.segments())), shortList(names(p, f.reads)),
                             shortList(names(p, f.saves)), modulesOf(a, f)});
        if (a.types() > 1)
            functions.back().insert(functions.back().begin() + 2, f.rowsOf.valid() ? p[f.rowsOf].name
                                                                 : f.isGlobal     ? "all at once"
                                                                                  : a.nodeTypes[static_cast<std::size_t>(f.nodeType)].name);
    }
    return text + table(functions);
}

}  // namespace

void addInspect(CLI::App& app, int&)
{
    auto* command = app.add_subcommand(
        "inspect",
        "Show inputs and roles, clean-up passes, message degrees, functions, edge sets and save points; or the stages of a PipeDream profile graph");
    auto arguments = std::make_shared<ModelArguments>();
    auto json = std::make_shared<bool>(false);
    arguments->add(*command);
    command->add_flag("--json", *json, "Write JSON");
    command->callback([arguments, json] {
        if (isProfileGraph(arguments->path)) {
            const ProfileGraph graph = readProfileGraph(arguments->path);
            print(*json ? jsonText(profileJson(graph)) : describeText(graph));
            return;
        }
        Model model;
        {
            const TerminalProgress terminal;
            model = arguments->open(terminal.progress());
        }
        print(*json ? jsonText(toJson(model)) : describeText(model));
    });
}

void addDot(CLI::App& app, int&)
{
    auto* command =
        app.add_subcommand("dot", "Write the model's graph, one cluster per function (or stage), in Graphviz's DOT language to standard output");
    auto arguments = std::make_shared<ModelArguments>();
    arguments->add(*command);
    command->callback([arguments] {
        if (isProfileGraph(arguments->path)) {
            print(toDot(readProfileGraph(arguments->path)));
            return;
        }
        const TerminalProgress terminal;
        const Model model = arguments->open(terminal.progress());
        print(toDot(*model.analysis, *model.cut));
    });
}

}  // namespace cleave::cli
