#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/planned.h"
#include "app/cli/stages.h"
#include "app/cli/terminal.h"
#include "core/base/file.h"
#include "core/base/format.h"
#include "core/plan/work.h"
#include "core/run/calibrate.h"
#include "core/run/measure.h"
#include "core/run/plan_profile.h"

namespace cleave::cli {

namespace {

using Json = nlohmann::ordered_json;

struct ProfileArguments : PlannedArguments {
    std::string pipeDream;
    bool json = false;
};

// The plan's functions as stages.
void writeStages(ProfileArguments& arguments)
{
    checkIsOther(arguments.pipeDream, arguments.graph.filesRead({arguments.model.path, arguments.plan}));
    ProfileGraph profile;
    {
        const TerminalProgress terminal;
        const Model planned = arguments.open(terminal.progress());
        const DataGraph graph = arguments.graph.read(planned, terminal.progress());
        profile = profilePlan(planned, graph, arguments.graph.run, terminal.progress());
    }
    writeProfileGraph(arguments.pipeDream, profile);
    print(arguments.json ? jsonText(profileJson(profile)) : stageTable(profile) + "\nWritten to " + arguments.pipeDream + "\n");
}

void measureOps(ProfileArguments& arguments)
{
    Model model;
    Profile profile;
    {
        const TerminalProgress terminal;
        model = arguments.model.open(terminal.progress(), {}, &arguments.graph);
        const DataGraph graph = arguments.graph.read(model, terminal.progress());
        GraphMeasure measure(model, graph, arguments.graph.run, terminal.progress());
        const std::int64_t batch = arguments.graph.run.batchSize;
        profile = measure.profile(batch > 0 ? batch : measure.chosenBatchSize(), terminal.progress());
    }
    const Program& program = model.program();
    std::vector<std::vector<std::string>> rows{{"op", "operator", "module", "rows", "time per row", "activation per row", "parameters"}};
    Json json{{"batch_size", profile.batchSize}, {"ops", Json::array()}};
    for (const auto& [op, seconds] : profile.opSeconds) {
        const ValueId output = program[op].outputs.front();
        const ValueFacts& facts = model.analysis->values[output];
        const double activation = rowBytes(*model.analysis, output, facts.rowDim), parameters = workOf(program, op, facts.rowDim).weightBytes;
        const std::string kind = facts.rows == Rows::Edges || model.analysis->ops[op].kind == OpKind::Scatter ? "M" : "V";
        rows.push_back({program[op].name, program[op].target, program[program[op].module].path, kind, formatSeconds(seconds),
                        formatBytes(activation), formatBytes(parameters)});
        json["ops"].push_back({{"op", program[op].name},
                               {"target", program[op].target},
                               {"module", program[program[op].module].path},
                               {"rows", kind},
                               {"seconds_per_row", seconds},
                               {"activation_bytes_per_row", activation},
                               {"parameter_bytes", parameters}});
    }
    print(arguments.json ? jsonText(json) : table(rows) + "\nMeasured on blocks of " + formatCount(profile.batchSize) + " targets\n");
}

}  // namespace

void addCalibrate(CLI::App& app, int&)
{
    auto* command = app.add_subcommand("calibrate", "Measure this machine's rates in some seconds and keep them for every cost");
    auto threads = std::make_shared<int>(0);
    command->add_option("--threads", *threads, "Threads; 0 uses every core")->capture_default_str()->check(CLI::Range(0, 4096));
    auto name = std::make_shared<std::string>();
    command->add_option("--device", *name, "Measure this device instead: cuda, or cuda:1 for the second GPU")->type_name("NAME");
    command->callback([threads, name] {
        makeFolder(ratesPath().parent_path());
        checkTarget(ratesPath());
        Rates rates;
        const auto perSecond = [](double bytes) { return formatBytes(bytes) + "/s"; };
        if (!name->empty() && *name != "cpu") {
            const auto [device, reason] = openDevice(*name);
            if (!device)
                throw Error("There is nothing to measure on " + printable(*name) + ": " + reason + ".");
            rates = readRates(ratesPath());
            DeviceRates& measured = rates.devices[*name];
            {
                const TerminalProgress terminal;
                measured = calibrate(*device, terminal.progress());
            }
            writeRates(ratesPath(), rates);
            print(table({{"rate of " + deviceName(*device), "measured"},
                         {"copies to it", perSecond(measured.toDevice)},
                         {"copies from it", perSecond(measured.fromDevice)},
                         {"gather rows of the host, put together there", perSecond(measured.gatherStaged)},
                         {"gather rows of the host by a kernel", perSecond(measured.gatherThere)},
                         {"elementwise", perSecond(measured.memory)},
                         {"edge kernels", perSecond(measured.edgeRows)},
                         {"matrix products", flopsText(measured.gemm) + "FLOP/s"},
                         {"call an op", formatSeconds(measured.opSeconds)}}) +
                  "\nKept in " + ratesPath().string() + "\n");
            return;
        }
        {
            const TerminalProgress terminal;
            rates = calibrate(*threads, terminal.progress());
        }
        writeRates(ratesPath(), rates);
        print(table({{"rate", "measured"},
                     {"read rows of a store in order", perSecond(rates.read)},
                     {"gather rows of a store", perSecond(rates.gather)},
                     {"write a save point", perSecond(rates.write)},
                     {"elementwise", perSecond(rates.elementwise)},
                     {"segment reduce", perSecond(rates.segmentReduce)},
                     {"edge kernels", perSecond(rates.edgeRows)},
                     {"edges of narrow rows", flopsText(rates.edges) + "/s"},
                     {"arithmetic on edges", flopsText(rates.edgeArithmetic) + "/s"},
                     {"matrix products", flopsText(rates.gemm) + "FLOP/s"},
                     {"slice structure", perSecond(rates.slice)},
                     {"number a block's nodes", flopsText(rates.number) + "/s"},
                     {"call an op", formatSeconds(rates.opSeconds)}}) +
              "\nKept in " + ratesPath().string() + "\n");
    });
}

void addProfile(CLI::App& app, int&)
{
    auto* command = app.add_subcommand("profile", "Measure time, activation and parameter bytes of each op on sample blocks of a graph");
    auto arguments = std::make_shared<ProfileArguments>();
    arguments->add(*command, "Plan file whose functions are the stages, instead of the cut at message degree");
    auto* pipeDream = command->add_option("--pipedream", arguments->pipeDream,
                                          "Write what a run of the plan takes op by op as PipeDream's profiler does, the plan's functions as stages")
                          ->type_name("FILE");
    command->get_option("--plan")->needs(pipeDream);
    command->add_flag("--json", arguments->json, "Write the table as JSON");
    command->callback([arguments] {
        arguments->graph.finish();
        if (arguments->pipeDream.empty())
            measureOps(*arguments);
        else
            writeStages(*arguments);
    });
}

}  // namespace cleave::cli
