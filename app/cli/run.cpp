#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <memory>
#include <optional>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/planned.h"
#include "core/base/file.h"
#include "core/base/format.h"
#include "core/base/memory_bound.h"
#include "core/graph/npy.h"
#include "core/plan/plan_file.h"
#include "core/run/least_memory.h"
#include "core/run/planning.h"
#include "core/run/verify.h"

namespace cleave::cli {

namespace {

using Json = nlohmann::ordered_json;

struct RunArguments : PlannedArguments {
    bool json = false, profile = false;

    void add(CLI::App& command)
    {
        addWithPlanner(command, "Plan file to run, instead of the planner's plan for this graph");
        graph.addSaveAs(command);
        graph.addMemory(command);
        command.add_flag("--profile", profile, "Predict from times of each op measured on sample blocks, instead of the machine's rates");
        command.add_flag("--json", json, "Write the report as JSON");
    }
};

std::string programNote(const Analysis& analysis, const std::string& planner)
{
    std::string text;
    for (const std::string& note : analysis.program.notes)
        text += "Note: " + note + "\n";
    return text + (planner.empty() ? "" : "Plan: " + planner + "\n") +
           (analysis.rewrites.empty() ? "" : "Rewrites: " + rewritesText(analysis) + "\n");
}

// What ran, as programNote and the options say.
Json programJson(const Analysis& analysis, const std::string& planner, const RunOptions& options)
{
    Json json{{"order", orderName(options.order)}, {"threads", options.threadsUsed()}, {"rewrites", Json::object()}};
    for (const PassCount& rewrite : analysis.rewrites)
        json["rewrites"][rewrite.pass] = rewrite.count;
    if (!analysis.program.notes.empty())
        json["notes"] = analysis.program.notes;
    if (!planner.empty())
        json["planner"] = planner;
    return json;
}

std::string memoryNote(const RunResult& result)
{
    if (result.boundBytes == 0)
        return "";
    double read = 0, written = 0;
    for (const FunctionRun& function : result.functions) {
        read += function.fileBytesRead;
        written += function.fileBytesWritten;
    }
    return "Resident memory: " + formatBytes(result.residentBytes) + " at most, of " + formatBytes(result.boundBytes) + " allowed" +
           (result.residentBytes < result.peakBytes ? ", the rest of the peak in files" : "") + "; rows read from files " + formatBytes(read) +
           ", written " + formatBytes(written) + "\n";
}

Json toJson(const RunResult& result)
{
    Json json{{"batch_size", result.batchSize},       {"seconds", result.seconds},      {"prologue_seconds", result.prologueSeconds},
              {"order_seconds", result.orderSeconds}, {"peak_bytes", result.peakBytes}, {"preparation_bytes", result.preparationBytes}};
    if (!result.randomInputs.empty())
        json["random_inputs"] = result.randomInputs;
    if (!result.notices.empty())
        json["notices"] = result.notices;
    for (const NamedArray& output : result.outputs | std::views::filter(&NamedArray::isAsked))
        json["outputs"].push_back({{"name", output.name}, {"dtype", dtypeName(output.array.dtype)}, {"shape", output.array.shape}});
    for (const FunctionRun& f : result.functions)
        json["functions"].push_back({{"name", f.name},
                                     {"batches", f.batches},
                                     {"rows", f.rows},
                                     {"block_nodes", f.blockNodes},
                                     {"edges", f.edges},
                                     {"prepare_seconds", f.prepareSeconds},
                                     {"compute_seconds", f.computeSeconds},
                                     {"write_seconds", f.writeSeconds},
                                     {"saved_bytes", f.savedBytes},
                                     {"peak_bytes", f.peakBytes},
                                     {"page_faults", f.pageFaults},
                                     {"gathers", f.gathers},
                                     {"gather_seconds", f.gatherSeconds},
                                     {"own_rows_in_sums", f.withOwnRows},
                                     {"device", f.device.empty() ? "cpu" : f.device},
                                     {"bytes_to_device", f.bytesToDevice},
                                     {"bytes_from_device", f.bytesFromDevice},
                                     {"bytes_kept_on_device", f.bytesKeptThere},
                                     {"file_bytes_read", f.fileBytesRead},
                                     {"file_bytes_written", f.fileBytesWritten}});
    for (std::size_t i = 0; i < result.predicted.seconds.size(); ++i)
        json["functions"][i].update({{"predicted_seconds", result.predicted.seconds[i]}, {"predicted_peak_bytes", result.predicted.peakBytes[i]}});
    if (!result.predicted.seconds.empty())
        json.update({{"predicted_peak_bytes", result.predicted.mostBytes()}, {"predicted_preparation_bytes", result.predicted.preparationBytes}});
    if (result.firstSeconds > 0)
        json["first_seconds"] = result.firstSeconds;
    if (!result.dense.empty())
        json["dense"] = result.dense;
    if (result.boundBytes > 0)
        json["memory"] = {{"bound_bytes", static_cast<std::size_t>(result.boundBytes)},
                          {"resident_bytes", static_cast<std::size_t>(result.residentBytes)}};
    if (!result.predicted.rates.empty())
        json["rates"] = result.predicted.rates;
    return json;
}

std::string functionTable(const RunResult& result)
{
    std::vector<std::vector<std::string>> rows{
        {"function", "batches", "V", "E", "M", "prepare", "compute", "write", "total", "predicted", "saved", "peak", "predicted"}};
    const bool hasDevice = std::ranges::any_of(result.functions, [](const FunctionRun& f) { return !f.device.empty(); });
    if (hasDevice)
        rows.front().insert(rows.front().end(), {"ran on", "there", "back", "stays there"});
    for (std::size_t i = 0; i < result.functions.size(); ++i) {
        const FunctionRun& f = result.functions[i];
        rows.push_back({f.name, formatCount(f.batches), formatCount(f.rows), formatCount(f.blockNodes), formatCount(f.edges),
                        formatSeconds(f.prepareSeconds), formatSeconds(f.computeSeconds), formatSeconds(f.writeSeconds), formatSeconds(f.seconds()),
                        i < result.predicted.seconds.size() ? formatSeconds(result.predicted.seconds[i]) : "–", formatBytes(f.savedBytes),
                        formatBytes(f.peakBytes), i < result.predicted.peakBytes.size() ? formatBytes(result.predicted.peakBytes[i]) : "–"});
        if (hasDevice)
            rows.back().insert(rows.back().end(), {f.device.empty() ? "cpu" : f.device, formatBytes(f.bytesToDevice), formatBytes(f.bytesFromDevice),
                                                   formatBytes(f.bytesKeptThere)});
    }
    return table(rows) + (result.dense.empty() ? "" : "Dense layers: " + result.dense + "\n") +
           (result.predicted.rates.empty() ? "" : "Rates of the prediction: " + result.predicted.rates + "\n");
}

std::string summary(const std::string& name, const RunResult& result)
{
    return name + ": " + formatSeconds(result.seconds) +
           (result.firstSeconds > 0 ? " (" + formatSeconds(result.firstSeconds) + " the first time)" : "") +
           (result.prologueSeconds > 0 ? ", of it prologue " + formatSeconds(result.prologueSeconds) : "") +
           (result.orderSeconds > 0
                ? (result.prologueSeconds > 0 ? " and order of nodes " : ", of it order of nodes ") + formatSeconds(result.orderSeconds)
                : "") +
           (result.peakBytes > 0 ? ", peak " + formatBytes(result.peakBytes) : "") +
           (result.predicted.seconds.empty() ? "" : ", predicted " + formatBytes(result.predicted.mostBytes())) + "\n";
}

// What was asked for and is otherwise, before all else.
std::string notes(const RunResult& result)
{
    std::string text;
    if (!result.randomInputs.empty())
        text += "RANDOM NUMBERS in place of " + join(result.randomInputs, ", ") + ", which the graph does not have.\n\n";
    for (const std::string& notice : result.notices)
        text += notice + "\n";
    return result.notices.empty() ? text : text + "\n";
}

bool liesIn(const std::filesystem::path& file, const std::filesystem::path& folder)
{
    std::error_code problem;
    const auto plain = [&](const std::filesystem::path& path) { return std::filesystem::weakly_canonical(path, problem); };
    return !folder.empty() && plain(folder / file.filename()) == plain(file);
}

// The nodes of outputs' rows, as the graph calls them.
class RowNames {
public:
    RowNames() = default;
    RowNames(const DataGraph& graph, const std::vector<std::int64_t>& targets) : m_names(graph.isTyped ? nullptr : graph.names), m_targets(targets) {}

    // Nothing where rows are not those of nodes, or nodes have no names.
    std::vector<std::string> worstOf(const Comparison& c) const
    {
        if (!m_names || c.outputRows != (m_targets.empty() ? m_names->size() : std::ssize(m_targets)))
            return {};
        std::vector<std::string> names;
        for (const std::int64_t row : c.worstRows)
            names.push_back((*m_names)[m_targets.empty() ? row : m_targets[static_cast<std::size_t>(row)]]);
        return names;
    }

private:
    std::shared_ptr<const NodeNames> m_names;
    std::vector<std::int64_t> m_targets;
};

Json toJson(const VerifyResult& result, const RowNames& names)
{
    Json json{{"equal", result.equal()}, {"tolerance", {{"absolute", result.tolerance.absolute}, {"relative", result.tolerance.relative}}}};
    for (const Comparison& c : result.comparisons) {
        json["comparisons"].push_back({{"output", c.output},
                                       {"a", c.a},
                                       {"b", c.b},
                                       {"equal", c.equal},
                                       {"equal_in_float64", c.equalInFloat64},
                                       {"max_absolute", c.maxAbsolute},
                                       {"max_relative", c.maxRelative},
                                       {"rows", c.rows},
                                       {"rows_over", c.rowsOver},
                                       {"rows_not_finite", c.rowsNotFinite},
                                       {"rows_of_equal_scores", c.rowsOfEqualScores},
                                       {"argmax_changed", c.argMaxChanged},
                                       {"worst_rows", c.worstRows}});
        if (const auto worst = names.worstOf(c); !worst.empty())
            json["comparisons"].back()["worst_names"] = worst;
        if (c.equalInFloat64)
            json["comparisons"].back().update({{"uncut_gap", c.uncutGap}, {"layer_wise_gap", c.layerWiseGap}});
        if (!c.worstJitters.empty()) {
            json["comparisons"].back()["worst_jitters"] = c.worstJitters;
            json["comparisons"].back()["is_rounding"] = c.isRounding();
            json["comparisons"].back()["rows_jittered"] = c.rowsJittered;
        }
    }
    for (const Accuracy& a : result.accuracies)
        json["accuracies"].push_back({{"run", a.run}, {"split", a.split}, {"value", a.value}});
    if (const auto& sample = result.sample)
        json["sample"] = {{"nodes", sample->targets},
                          {"of", sample->of},
                          {"hops", sample->hops},
                          {"both_ways", sample->bothWays},
                          {"neighbourhood_nodes", sample->nodes},
                          {"neighbourhood_edges", sample->edges},
                          {"functions", sample->functions},
                          {"of_functions", sample->ofFunctions},
                          {"nodes_in_functions", sample->functionTargets},
                          {"why_not_whole", sample->whyNotWhole},
                          {"not_compared", sample->notCompared},
                          {"free_bytes", sample->freeBytes}};
    if (result.sample)
        for (const auto& [function, why] : result.sample->functionsNotCompared)
            json["sample"]["functions_not_compared"].push_back({{"function", function}, {"why", why}});
    json[result.sample ? "neighbourhoods" : "full_graph"] = toJson(result.full);
    json["layer_wise"] = toJson(result.layerWise);
    return json;
}

RecordedVerification recorded(const VerifyResult& result, const std::string& graph)
{
    RecordedVerification record{graph,
                                result.equal(),
                                0,
                                0,
                                result.tolerance.absolute,
                                result.tolerance.relative,
                                result.layerWise.batchSize,
                                result.sample ? std::max({result.sample->targets, result.sample->functionTargets, std::int64_t{1}}) : 0};
    for (const Comparison& c : result.comparisons)
        if (c.a == "layer-wise" && c.b != "expected") {
            record.maxAbsolute = std::max(record.maxAbsolute, c.maxAbsolute);
            record.maxRelative = std::max(record.maxRelative, c.maxRelative);
        }
    return record;
}

std::string percent(double fraction)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.2f %%", fraction * 100);
    return text;
}

// Whether rows that differ could be told more exactly at all.
std::string roundingNote(const Comparison& c)
{
    if (c.equalInFloat64 && c.layerWiseGap > 0)
        return "  In float64 the uncut model is nearer to the layer-wise answers, which are off by " + formatNumber(c.layerWiseGap) +
               " at most, than to its own in " + std::string(dtypeName(c.narrowest)) + ", off by " + formatNumber(c.uncutGap) + ": rounding alone.\n";
    if (c.equalInFloat64)
        return "  In float64 the uncut model gives the layer-wise answers; in " + std::string(dtypeName(c.narrowest)) + " its long sums are off by " +
               formatNumber(c.uncutGap) + " in these rows.\n";
    if (c.worstJitters.empty())
        return "";
    if (c.isRoundingOfOthers())
        return "  Other last digits of the inputs move " + formatCount(c.rowsJittered) + " rows, by up to " + formatNumber(c.jitter) +
               ": rounding alone, cut or not.\n";
    const std::string moved = "  Other last digits of the inputs move " + std::string(c.worstJitters.size() == 1 ? "it" : "them") + " by " +
                              formatNumber(*std::ranges::max_element(c.worstJitters));
    return moved + (c.isRounding() ? ": rounding alone, cut or not.\n" : " at most: that does not explain it.\n");
}

// Which nodes were compared, where not all were, and with what.
std::string sampleNote(const Sample& sample)
{
    std::string text =
        sample.freeBytes > 0 ? "The whole model does not fit into the " + formatBytes(sample.freeBytes) + " of memory that are free.\n" : "";
    if (sample.targets > 0)
        text += formatCount(sample.targets) + " of " + formatCount(sample.of) + " nodes are compared, by the uncut model on all that lies within " +
                std::to_string(sample.hops) + (sample.hops == 1 ? " step" : " steps") + (sample.bothWays ? " either way" : "") + ": " +
                formatCount(sample.nodes) + " nodes, " + formatCount(sample.edges) + " edges.\n";
    else if (!sample.whyNotWhole.empty())
        text += sample.whyNotWhole + "\n";
    if (sample.functions > 0)
        text += "In " + std::to_string(sample.functions) + " of " + std::to_string(sample.ofFunctions) + " functions " +
                formatCount(sample.functionTargets) + " nodes are compared, by the model's ops from the save points before it.\n";
    for (const auto& [function, why] : sample.functionsNotCompared)
        text += "Not compared alone: " + function + ". " + why + "\n";
    if (!sample.notCompared.empty())
        text += "NOT COMPARED: " + join(sample.notCompared, ", ") + ".\n";
    return text;
}

std::string toText(const VerifyResult& result, bool isNarrow, const RowNames& names)
{
    std::string text = notes(result.layerWise) + functionTable(result.layerWise) + "\n" + (result.sample ? sampleNote(*result.sample) : "") +
                       (!result.sample               ? summary("Uncut model on the full graph", result.full)
                        : result.sample->targets > 0 ? summary("Uncut on these", result.full)
                                                     : "") +
                       summary("Layer-wise in batches of " + formatCount(result.layerWise.batchSize), result.layerWise) +
                       memoryNote(result.layerWise) + "\n";
    std::vector<std::vector<std::string>> rows{{"output", "compared", "largest difference", "relative", "rows over"}};
    for (const Comparison& c : result.comparisons)
        rows.push_back({c.output, c.a + " / " + c.b, formatNumber(c.maxAbsolute), formatNumber(c.maxRelative),
                        formatCount(c.rowsOver) + " of " + formatCount(c.rows)});
    if (isNarrow) {
        rows.front().push_back("arg-max changed");
        for (std::size_t i = 0; i < result.comparisons.size(); ++i)
            rows[i + 1].push_back(formatCount(result.comparisons[i].argMaxChanged));
    }
    text += table(rows);
    for (const Comparison& c : result.comparisons)
        if (c.rowsNotFinite > 0)
            text += "  " + formatCount(c.rowsNotFinite) + " of " + formatCount(c.rows) + " rows of " + c.output +
                    " have NaN or infinite numbers, in both (" + c.a + " / " + c.b + ").\n";
    for (const Comparison& c : result.comparisons)
        if (c.rowsOfEqualScores > 0)
            text += "  " + formatCount(c.rowsOfEqualScores) + (c.rowsOfEqualScores == 1 ? " row of " : " rows of ") + c.output +
                    (c.rowsOfEqualScores == 1 ? " names" : " name") + " others of scores that are equal within tolerance (" + c.a + " / " + c.b +
                    ").\n";
    for (const Comparison& c : result.comparisons)
        if (!c.worstRows.empty()) {
            std::vector<std::string> worst = names.worstOf(c);
            for (std::size_t i = worst.size(); i < c.worstRows.size(); ++i)
                worst.push_back(std::to_string(c.worstRows[i]));
            text += "  Rows of " + c.output + " that differ most (" + c.a + " / " + c.b + "): " + join(worst, ", ") + "\n" + roundingNote(c);
        }
    if (!result.accuracies.empty()) {
        std::vector<std::vector<std::string>> accuracy{{"accuracy", "split", "value"}};
        for (const Accuracy& a : result.accuracies)
            accuracy.push_back({a.run, a.split, percent(a.value)});
        text += "\n" + table(accuracy);
    }
    return text + "\n" + (result.equal() ? "Equal" : "Different") + (result.sample ? " on the nodes compared" : "") + " (tolerance " +
           formatNumber(result.tolerance.absolute) + " + " + formatNumber(result.tolerance.relative) + " × |expected|)\n";
}

constexpr std::size_t largeGraph = std::size_t{256} << 20;  // bytes from which on it is not kept until the run is over

struct RunCommand : RunArguments {
    std::string out, store, resume;

    void addTo(CLI::App& command)
    {
        add(command);
        command.add_option("--out", out, "Where the output goes: .npy, or .npz for several outputs")->required()->check([](const std::string& path) {
            return path.ends_with(".npy") || path.ends_with(".npz") ? std::string() : "must end in .npy or .npz, which says what is written";
        });
        auto* storing = command
                            .add_option("--store", store,
                                        "Folder to keep all save points in, as .npy files, so that the run can go on there if it is interrupted")
                            ->type_name("DIR");
        command.add_option("--resume", resume, "Folder of an interrupted run to go on with")->type_name("DIR")->excludes(storing);
    }

    void run()
    {
        graph.finish();
        if (profile && options().memoryBytes > 0)
            throw CLI::ValidationError("--profile", "measures with memory of its own, and so not within --memory");
        options().warmsUp = true;
        options().resume = !resume.empty();
        options().store = resume.empty() ? store : resume;
        // Here the bound is there before the graph is read, and counts that as well.
        std::optional<MemoryBound> bound;
        if (const std::size_t bytes = std::exchange(options().memoryBytes, 0))
            bound.emplace(bytes, options().spillFolder());
        RunResult result;
        {
            const TerminalProgress terminal;
            result = runWithin(bound ? &*bound : nullptr, terminal.progress());
        }
        if (bound) {
            result.boundBytes = static_cast<double>(bound->bytes());
            result.residentBytes = static_cast<double>(bound->peakBytes());
        }
        report(result);
    }

private:
    RunOptions& options() { return graph.run; }

    RunResult runWithin(const MemoryBound* bound, const Progress& progress)
    {
        checkFiles();
        if (!resume.empty())
            goOnIn(resume);
        // Less than this no run takes, and trying the cut on a small graph would not know why it fails.
        if (bound)
            bound->require(leastMemory(options(), 0), "Even a small run", options().threadsUsed() > 1 ? "; fewer threads need less" : "");
        Model opened = open(progress);
        checkIsNoSavePoint(out, opened, options());
        requireOutputFile(out, outputsAsked(opened, graph.asked()));
        DataGraph data = readWithin(bound, opened, progress);
        cut(opened, data, progress);
        m_program = programNote(*opened.analysis, ranPlanner);
        m_ran = programJson(*opened.analysis, ranPlanner, options());
        if (!store.empty())
            keepIn(store, opened);
        const bool frees = data.bytes() >= largeGraph && !profile && (bound || isPredictedWithoutGraph(opened, ran.plan, options()));
        RunResult result = frees ? runLayerWiseAndFree(opened, data, options(), progress) : runLayerWise(opened, data, options(), progress);
        writeOutputs(out, result.outputs);
        // A prediction counts and measures on the whole graph once more, with the memory and the time that this takes.
        if (!bound)
            result.predicted = predict(opened, ran.plan, data, options(), result, profile, progress);
        return result;
    }

    // That are written: where they may not lie is said before anything is read.
    void checkFiles()
    {
        if (!options().store.empty())
            checkStore(options().store, options().resume);
        if (!liesIn(out, options().store))  // which is made when the run begins
            checkTarget(out);
        checkIsOther(out, graph.filesRead({model.path, plan}));
    }

    // A large graph is not read in vain; what a small one takes is known when it is there.
    DataGraph readWithin(const MemoryBound* bound, const Model& opened, const Progress& progress)
    {
        const bool isLarge = leastMemory(options(), graph.fileBytes()) == leastMemory(options());
        if (bound && isLarge)
            requireLeastMemory(*bound, leastMemory(options()), options());
        DataGraph data = graph.read(opened, progress);
        if (bound && !isLarge)
            requireLeastMemory(*bound, leastMemory(opened, data, options()), options());
        return data;
    }

    void report(const RunResult& result) const
    {
        Json report = toJson(result);
        report.update(m_ran);
        print(json ? jsonText(report)
                   : notes(result) + functionTable(result) + m_program + "\n" +
                         summary("Layer-wise in batches of " + formatCount(result.batchSize), result) + memoryNote(result) + "Written to " + out +
                         "\n");
    }

    std::string m_program;
    Json m_ran;  // the same, for a report in JSON
};

struct VerifyCommand : RunArguments {
    std::optional<double> relative, absolute;  // tolerance
    std::string expected;
    std::int64_t sample = 0;
    bool record = false;

    void addTo(CLI::App& command)
    {
        add(command);
        command.add_option("--tolerance", relative, "Relative tolerance (0.0001; wider for models in float16 and bfloat16)");
        command.add_option("--absolute-tolerance", absolute, "Absolute tolerance (0.00001; wider likewise)");
        command.add_option(
            "--expected", expected,
            "Outputs recorded elsewhere (.npz: array expected, or expected_0, expected_1, …, or by their names; or one alone as .npy)");
        command
            .add_option("--sample", sample,
                        "Compare so many nodes, drawn at random, by the uncut model on their neighbourhoods; without it all nodes, or " +
                            std::to_string(VerifyOptions::whenTooLarge) + " where the whole model does not fit into memory")
            ->check(asCount(1))
            ->type_name("NODES");
        command.add_flag("--record", record, "Keep the result in the plan file");
    }

    // Returns the exit code.
    int run()
    {
        checkWishes();
        graph.finish();
        graph.run.warmsUp = true;
        VerifyResult result;
        {
            const TerminalProgress terminal;
            result = compare(terminal.progress());
        }
        report(result);
        if (record && result.sample && !result.sample->notCompared.empty())
            throw Error("The result is not kept in the plan file: some outputs were not compared (" + join(result.sample->notCompared, ", ") + ").");
        if (record)
            recordVerification(plan, recorded(result, m_graphName));
        return result.equal() ? 0 : 3;
    }

private:
    void checkWishes() const
    {
        if (record && plan.empty())
            throw CLI::ValidationError("--record", "needs a plan file (--plan)");
        if (record && graph.asksForSome())
            throw CLI::ValidationError("--record", "keeps what holds for all nodes, and not for some (--targets)");
        for (const auto& [name, given] : {std::pair("--tolerance", relative), std::pair("--absolute-tolerance", absolute)})
            if (given && !(std::isfinite(*given) && *given >= 0))  // nothing differs from what is no number
                throw CLI::ValidationError(name, "must be a number of at least 0");
    }

    VerifyResult compare(const Progress& progress)
    {
        VerifyOptions options;
        options.sample = sample;
        if (!expected.empty())
            options.expected = readExpected(expected, progress);
        Model opened = open(progress);
        if (record && !ran.isOfThisFile)
            throw Error("The plan was made for another model file, so no result can be kept in it: plan this one with cleave-cli plan.");
        const DataGraph data = graph.read(opened, progress);
        cut(opened, data, progress);
        m_program = programNote(*opened.analysis, ranPlanner);
        m_ran = programJson(*opened.analysis, ranPlanner, graph.run);
        m_graphName = data.name;
        m_names = {data, graph.run.targets};
        options.run = graph.run;
        const Tolerance usual = usualTolerance(opened);
        options.tolerance = {absolute.value_or(usual.absolute), relative.value_or(usual.relative)};
        VerifyResult result = verify(opened, data, options, progress);
        result.layerWise.predicted = predict(opened, ran.plan, data, options.run, result.layerWise, profile, progress);
        return result;
    }

    void report(const VerifyResult& result) const
    {
        if (!json) {
            print(m_program + toText(result, graph.run.narrowStore, m_names));
            return;
        }
        Json report = toJson(result, m_names);
        report.update(m_ran);
        print(jsonText(report));
    }

    std::string m_program, m_graphName;
    Json m_ran;
    RowNames m_names;
};

}  // namespace

void addRun(CLI::App& app, int&)
{
    auto* command = app.add_subcommand("run", "Run layer by layer on a graph and write the outputs");
    auto run = std::make_shared<RunCommand>();
    run->addTo(*command);
    command->callback([run] { run->run(); });
}

void addVerify(CLI::App& app, int& exitCode)
{
    auto* command = app.add_subcommand("verify", "Compare the layer-wise run with the full-graph run: exit code 0 if equal, 3 if not");
    auto verify = std::make_shared<VerifyCommand>();
    verify->addTo(*command);
    command->callback([verify, &exitCode] { exitCode = verify->run(); });
}

}  // namespace cleave::cli
