#include <nlohmann/json.hpp>

#include <algorithm>

#include "app/cli/commands.h"
#include "app/cli/planned.h"
#include "app/cli/terminal.h"
#include "core/base/format.h"
#include "core/run/bench.h"
#include "core/run/model.h"

namespace cleave::cli {

namespace {

using Json = nlohmann::ordered_json;

std::string ratio(double value)
{
    return formatNumber(value) + " ×";
}

std::string toText(const KernelBench& bench)
{
    std::string text = bench.processor + ", " + bench.instructions + "\nDense layers: " + bench.dense + "\n";
    for (const auto& [threads, rate] : bench.triad)
        text += "STREAM triad, " + std::to_string(threads) + (threads == 1 ? " thread: " : " threads: ") + formatBytes(rate) + "/s\n";
    text += "R-MAT of " + formatCount(bench.nodes) + " nodes, " + formatCount(bench.edges) + " edges (at most " + formatCount(bench.mostEdges) +
            " into one node), " + formatCount(bench.width) + " features\n\n";
    std::vector<std::vector<std::string>> rows{{"aggregation", "threads", "seconds", "logical bytes", "of triad", "mean is faster by"}};
    double mean = 0;
    for (const KernelTime& time : bench.times)
        if (time.name == "mean")
            mean = time.seconds;  // with most threads, the last
    for (const KernelTime& time : bench.times)
        rows.push_back({time.name, std::to_string(time.threads), formatSeconds(time.seconds), formatBytes(time.bytes / time.seconds) + "/s",
                        time.ofTriad > 0 ? ratio(time.ofTriad) : "", time.isRival ? ratio(time.seconds / mean) : ""});
    return text + table(rows);
}

Json toJson(const KernelBench& bench)
{
    Json json{{"processor", bench.processor}, {"instructions", bench.instructions}, {"dense", bench.dense},
              {"nodes", bench.nodes}, {"edges", bench.edges}, {"width", bench.width}};
    for (const auto& [threads, rate] : bench.triad)
        json["triad"].push_back({{"threads", threads}, {"bytes_per_second", rate}});
    for (const KernelTime& time : bench.times)
        json["aggregations"].push_back({{"name", time.name}, {"threads", time.threads}, {"seconds", time.seconds},
                                        {"bytes_per_second", time.bytes / time.seconds}, {"of_triad", time.ofTriad}, {"rival", time.isRival}});
    return json;
}

struct BenchArguments {
    BenchOptions kernels;
    std::vector<std::string> models;
    std::string rewrites;
    PlannerArguments planner;
    GraphArguments graph;
    int rounds = 3;
    bool json = false;
};

void run(BenchArguments& arguments)
{
    Json json;
    std::string text;
    {
        const TerminalProgress terminal;
        if (arguments.models.empty()) {
            const KernelBench bench = benchKernels(arguments.kernels, terminal.progress());
            json = toJson(bench);
            text = toText(bench);
        } else {
            const DataGraph read = arguments.graph.read(terminal.progress());
            std::vector<std::string> notices;
            std::vector<std::vector<std::string>> rows{{"model", "plan", "run", "seconds", "of it prologue", "peak memory", "batch", "slower by"}};
            for (const std::string& path : arguments.models) {
                OpenOptions options;
                options.check = false;
                options.rewrites = rewritesOf(arguments.rewrites);
                options.shapes = arrayShapes(read, arguments.graph.run.inputs);
                Model model = openModel(path, options, terminal.progress());
                const DataGraph graph = withLearnedNodes(read, model);
                std::string plan;
                arguments.planner.cut(model, graph, arguments.graph.run, arguments.rewrites.empty(), plan, terminal.progress());
                const std::vector<RunTime> times = benchRuns(model, graph, arguments.graph.run, arguments.rounds, arguments.kernels.rivals, terminal.progress());
                const std::string name = std::filesystem::path(path).stem().string();
                for (const RunTime& time : times) {
                    rows.push_back({name, plan, time.name, formatSeconds(time.seconds), formatSeconds(time.prologueSeconds),
                                    formatBytes(time.peakBytes), formatCount(time.batchSize),
                                    &time == &times.front() ? "" : ratio(time.seconds / times.front().seconds)});
                    json["runs"].push_back({{"model", name},
                                            {"planner", plan},
                                            {"run", time.name},
                                            {"seconds", time.seconds},
                                            {"prologue_seconds", time.prologueSeconds},
                                            {"peak_bytes", time.peakBytes},
                                            {"batch_size", time.batchSize}});
                    for (const std::string& notice : time.notices)
                        if (const std::string line = name + ": " + notice; std::ranges::find(notices, line) == notices.end())
                            notices.push_back(line);
                }
            }
            text = processorName() + "\n" + read.name + ": " + formatCount(read.numNodes) + " nodes, " + formatCount(read.numEdges) +
                   " edges\n\n" + table(rows);
            for (const std::string& notice : notices)
                text += "\n" + notice;
            text += notices.empty() ? "" : "\n";
            if (!notices.empty())
                json["notices"] = notices;
        }
    }
    print(arguments.json ? jsonText(json) : text);
}

}  // namespace

void addBench(CLI::App& app, int&)
{
    auto* command = app.add_subcommand("bench", "Measure the edge kernels against memory bandwidth and LibTorch, or whole runs of models on a graph");
    auto arguments = std::make_shared<BenchArguments>();
    arguments->graph.add(*command, false);
    arguments->graph.addSaveAs(*command);
    arguments->graph.addMemory(*command);
    command->add_option("--model", arguments->models, "Model file to run on the graph; may be repeated. Without one the kernels are measured")
        ->type_name("FILE")->allow_extra_args(false);
    command->add_option("--rewrite", arguments->rewrites, "Runs: changes of the program that give the same answers sooner (see run --help)")
        ->type_name("LIST")->default_str("all");
    arguments->planner.add(*command);
    command->add_option("--rounds", arguments->rounds, "Runs of which the fastest counts")->capture_default_str()->check(CLI::Range(1, 100));
    command->add_option("--scale", arguments->kernels.scale, "Kernels: R-MAT graph of 2^scale nodes, 16 edges each")->capture_default_str()
        ->check(CLI::Range(8, 26));
    command->add_option("--width", arguments->kernels.width, "Kernels: features")->capture_default_str()->check(CLI::Range(1, 4096));
    command->add_flag("!--no-rivals", arguments->kernels.rivals, "Leave out LibTorch's ops");
    command->add_flag("--json", arguments->json, "Write the table as JSON");
    command->callback([arguments] {
        arguments->graph.finish();
        arguments->kernels.threads = arguments->graph.run.threads;
        if (arguments->models.empty() != arguments->graph.path.empty())
            throw CLI::ValidationError("--model", "whole runs need a graph and at least one model");
        run(*arguments);
    });
}

}  // namespace cleave::cli
