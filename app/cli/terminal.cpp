#include "app/cli/terminal.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <iostream>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>

#include "app/cli/signals.h"
#include "app/cli/targets.h"
#include "core/base/file.h"
#include "core/base/format.h"
#include "core/plan/plan_file.h"
#include "core/plan/profile_graph.h"
#include "core/torchscript/torchscript_reader.h"

namespace cleave::cli {

namespace {

// Names for the values of an enumeration. CLI::CheckedTransformer would repeat what was given as it is, control characters too.
template <class Choice>
CLI::Validator oneOf(std::vector<std::pair<std::string, Choice>> choices)
{
    std::string names;
    for (const auto& [name, choice] : choices)
        names += (names.empty() ? "" : ", ") + name;
    return {[choices = std::move(choices), names](std::string& text) {
                const auto found = std::ranges::find(choices, text, &std::pair<std::string, Choice>::first);
                if (found == choices.end())
                    return "'" + printable(text) + "' is none of " + names;
                text = std::to_string(static_cast<int>(found->second));
                return std::string();
            },
            names};
}

// Columns on screen: bytes that do not continue a UTF-8 character.
std::size_t width(const std::string& text)
{
    return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

bool isNumber(const std::string& cell)
{
    return cell.empty() || cell == "-" || cell == "–" || std::isdigit(static_cast<unsigned char>(cell.front()));
}

// The last line of a terminal. Batches are many, and percents few. Threads may tell at once.
class LineTold {
public:
    void tell(std::string line)
    {
        const std::scoped_lock lock(m_mutex);
        if (line != m_line)
            std::fprintf(stderr, "\r\033[K%s", (m_line = std::move(line)).c_str());
    }

private:
    std::mutex m_mutex;
    std::string m_line;
};

}  // namespace

TerminalProgress::TerminalProgress() : m_stop(stopAtInterrupt()) {}

TerminalProgress::~TerminalProgress()
{
    if (isatty(STDERR_FILENO))
        std::fputs("\r\033[K", stderr);
}

Progress TerminalProgress::progress() const
{
    Progress progress{m_stop, {}};
    if (isatty(STDERR_FILENO))
        progress.report = [told = std::make_shared<LineTold>()](double fraction, std::string_view what) {
            char percent[16];
            std::snprintf(percent, sizeof percent, "%3.0f %%  ", fraction * 100);
            told->tell(percent + std::string(what));
        };
    return progress;
}

std::string jsonText(const nlohmann::ordered_json& json)
{
    return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::string shortList(const std::vector<std::string>& names)
{
    constexpr std::size_t most = 12, first = 5, last = 3;
    if (names.size() <= most)
        return join(names, ", ");
    std::vector<std::string> shown(names.begin(), names.begin() + first);
    shown.push_back("… " + std::to_string(names.size() - first - last) + " more …");
    shown.insert(shown.end(), names.end() - last, names.end());
    return join(shown, ", ");
}

std::string table(const std::vector<std::vector<std::string>>& rows)
{
    std::vector<std::size_t> widths;
    std::vector<bool> numeric;
    for (std::size_t r = 0; r < rows.size(); ++r) {
        widths.resize(std::max(widths.size(), rows[r].size()));
        numeric.resize(widths.size(), true);
        for (std::size_t c = 0; c < rows[r].size(); ++c) {
            widths[c] = std::max(widths[c], width(rows[r][c]));
            numeric[c] = numeric[c] && (r == 0 || isNumber(rows[r][c]));
        }
    }
    std::string text;
    for (const auto& row : rows) {
        std::string line = " ";
        for (std::size_t c = 0; c < row.size(); ++c) {
            const std::string pad(widths[c] - width(row[c]), ' ');
            line += " " + (numeric[c] ? pad + row[c] : row[c] + pad) + " ";
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    return text;
}

void ModelArguments::add(CLI::App& command)
{
    command.add_option("MODEL", path, "Model file written by torch.export.save (.pt2) or torch.jit.save (.pt)")->type_name("FILE")->required();
    command.add_option("--role", roles, "What an input of forward or a parameter is (node-features, graph-structure, edge-features, other), "
                                        "instead of the guess from its name, type and shape; may be repeated")
        ->type_name("NAME=ROLE")->allow_extra_args(false);
    command.add_option("--width", widths, "Entries of each row of an input, where a TorchScript file leaves them open; may be repeated")
        ->type_name("NAME=N")->allow_extra_args(false);
    std::vector<std::string> names;
    for (const Rewrite rewrite : allRewrites())
        names.emplace_back(rewriteName(rewrite));
    command
        .add_option("--rewrite", rewrites, "Changes of the program that give the same answers sooner: all, none, or a list of " + join(names, ", "))
        ->type_name("LIST")
        ->check([](const std::string& text) { return text.empty() ? "names no rewrite: all, none or a list" : std::string(); })
        ->default_str("the plan's, or all");
}

std::set<Rewrite> rewritesOf(const std::string& text)
{
    if (text.empty() || text == "all")
        return allRewrites();
    std::set<Rewrite> rewrites;
    for (std::size_t begin = 0; text != "none" && begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        const std::string name = text.substr(begin, end - begin);
        Rewrite rewrite{};
        if (name == "all" || name == "none")
            throw Error("--rewrite: '" + name + "' stands alone, or name the rewrites.");
        if (!rewriteFromName(name, rewrite))
            throw Error("--rewrite: there is no rewrite '" + printable(name) + "'.");
        rewrites.insert(rewrite);
        begin = end + 1;
    }
    return rewrites;
}

Model ModelArguments::open(const Progress& progress, const std::string& plan, GraphArguments* graph) const
{
    if (isProfileGraph(path))
        throw Error(printable(path, 200) + " is a profile graph: it can be looked at (inspect, dot, the window), but holds no program to run.");
    OpenOptions options;
    if (!plan.empty()) {
        const PlanSummary made = readPlanSummary(plan);
        options.sizes = made.sizes;
        for (const std::string& name : made.rewrites)
            options.rewrites.merge(rewritesOf(name));
    }
    if (plan.empty() || !rewrites.empty())
        options.rewrites = rewritesOf(rewrites);
    for (const std::string& text : roles) {
        const auto [name, value] = nameAndValue(text, "--role");
        if (Role said{}; options.roles.contains(name) && roleFromName(value, said) && said != options.roles[name])
            throw Error("--role: '" + printable(name) + "' cannot be both " + std::string(roleName(options.roles[name])) + " and " + value + ".");
        if (!roleFromName(value, options.roles[name]))
            throw Error("--role " + printable(text) + ": there is no role '" + printable(value) +
                        "'; roles are node-features, graph-structure, edge-features and other.");
    }
    if (std::error_code problem; !widths.empty() && std::filesystem::exists(path, problem) && !isTorchScript(path))
        throw Error("--width: " + printable(path, 200) + " says itself how wide its inputs are; only TorchScript files leave that open.");
    for (const std::string& text : widths) {
        const auto [name, value] = nameAndValue(text, "--width");
        std::int64_t& width = options.widths[name];
        const auto [end, problem] = std::from_chars(value.data(), value.data() + value.size(), width);
        if (problem != std::errc() || end != value.data() + value.size() || width < 1 || width > widestInput)
            throw Error("--width " + printable(text) + ": '" + printable(value) + "' is no width; write a number from 1 to " +
                        std::to_string(widestInput) + ".");
    }
    const bool hasGraph = graph != nullptr && !graph->path.empty();
    if (hasGraph && (isTorchScript(path) || !options.sizes.empty()))
        options.shapes = graph->shapes(progress);
    Model model;
    try {
        model = openModel(path, options, progress);
    } catch (const Error& refused) {
        progress.check();
        if (!hasGraph || !options.shapes.empty())
            throw;
        try {
            options.shapes = graph->shapes(progress);  // sizes that the model leaves open may be others than those that were assumed
        } catch (const Error&) {
            throw refused;  // the model's own reason comes first
        }
        return openModel(path, options, progress);
    }
    if (graph == nullptr || graph->path.empty() || model.analysis->freeSizes.empty())
        return model;
    if (options.shapes.empty())
        options.shapes = graph->shapes(progress);
    return isForOtherArrays(model, options.shapes) ? openModel(path, options, progress) : model;
}

std::string leftOutText(Rewrite rewrite, double seconds)
{
    return "Without the rewrite " + std::string(rewriteName(rewrite)) +
           (seconds > 0 ? ", which takes " + formatSeconds(seconds) + " more than it saves here" : ", whose rows do not fit into memory") +
           " (--rewrite all keeps it).";
}

std::string rewritesText(const Analysis& analysis)
{
    std::vector<std::string> parts;
    for (const PassCount& rewrite : analysis.rewrites)
        parts.push_back(rewrite.pass + " " + std::to_string(rewrite.count));
    return join(parts, ", ");
}

std::string flopsText(double flops)
{
    for (const auto& [unit, size] : {std::pair{" T", 1e12}, {" G", 1e9}, {" M", 1e6}, {" k", 1e3}})
        if (flops >= size)
            return formatNumber(flops / size) + unit;
    return formatNumber(flops);
}

void GraphArguments::add(CLI::App& command, bool required)
{
    auto* graph =
        command
            .add_option("GRAPH", path,
                        "Graph: .npz or a folder of .npy files with arrays named like the model's inputs; a list of edges (.csv, .tsv, .txt), "
                        ".mtx, .graphml, .dot, each also .gz; or a folder of the Open Graph Benchmark")
            ->check([](const std::string& text) { return text.empty() ? "names no file" : std::string(); })
            ->type_name("FILE");
    graph->required(required);
    command.add_option("--batch-size", batchSize, "Target nodes per batch: a number, or auto")->type_name("N|auto")->capture_default_str();
    command.add_option("--order", order, "In which batches take the nodes: natural, degree, bfs (breadth-first) or metis (clusters)")
        ->check(CLI::IsMember({"natural", "degree", "bfs", "metis"}))->default_str("the plan's, or natural");
    auto* nodes =
        command
            .add_option(
                "--targets", targets,
                "Only the outputs of these nodes: numbers and ranges (0,5,10-19), names where the graph has them, or a file of them (.npy, also a mask of all nodes, or text)")
            ->check([](const std::string& text) { return text.empty() ? "names no node" : std::string(); })
            ->type_name("LIST|FILE");
    command
        .add_option("--target-type", run.targetType, "Which nodes these are, where outputs have rows of several types: outputs of others are left out")
        ->type_name("NAME")
        ->needs(nodes);
    command.add_option("--threads", run.threads, "Threads; 0 uses every core")->capture_default_str()->check(CLI::Range(0, 4096));
    command.add_option("--kernels", run.kernels, "What Cleave's own kernels do instead of LibTorch: all, reduce (reductions by target only) or none")
        ->transform(oneOf<Kernels>({{"all", Kernels::All}, {"reduce", Kernels::Reduce}, {"none", Kernels::None}}))
        ->default_str("all");
    command.add_option("--dense", run.dense, "What multiplies matrices: auto (the faster one), blas or onednn")
        ->transform(oneOf<Dense>({{"auto", Dense::Auto}, {"blas", Dense::Blas}, {"onednn", Dense::OneDnn}}))
        ->default_str("auto");
    command.add_option("--gather-at-once", run.gatherAtOnce,
                       "Targets whose edges are reduced before batches run on them; 0 chooses: many, where rows come from files; -1: none");
    command.add_option("--batches-at-once", run.batchesAtOnce, "Batches that run side by side, each on one thread; 0 chooses")
        ->capture_default_str()->check(CLI::Range(0, 4096));
    command
        .add_option("--device", device,
                    "Where functions run: cpu, cuda, or cuda:1 for the second GPU. What cannot run there runs on the CPU, with a notice")
        ->type_name("NAME")
        ->default_str("the plan's, or cpu");
    command.add_flag("--strict-device", run.strictDevice, "Fail where a function cannot run on the device");
    command.add_option("--input", inputs, "Which array of the graph an input of forward gets, where the names differ; may be repeated")
        ->type_name("NAME=ARRAY")->allow_extra_args(false);
    command.add_option("--features", features, "Node features for a graph that has none: random (normal, the same in each run)")
        ->type_name("random")->check(CLI::IsMember({"random"}));
    addGraphOptions(command, options);
}

void addGraphOptions(CLI::App& command, GraphOptions& options)
{
    command.add_option("--split", options.split, "Which of several train/validation/test splits")->capture_default_str();
    command.add_flag("--undirected", options.undirected, "Take edges in both directions: each whose opposite is not there gets it");
}

void GraphArguments::addSaveAs(CLI::App& command)
{
    command.add_option_function<std::string>("--save-as", [this](const std::string& type) { run.narrowStore = type == "bfloat16"; },
                                             "What save points of float32 are kept as: float32, or bfloat16 (half the bytes, three digits)")
        ->check(CLI::IsMember({"float32", "bfloat16"}))->default_str("float32");
}

CLI::Validator asBytes()
{
    return {[](std::string& text) {
                const std::optional<double> bytes = bytesFrom(text);
                if (!bytes)
                    return "'" + printable(text) + "' is no size such as 2G or 500M";
                text = std::to_string(static_cast<std::uint64_t>(*bytes));
                return std::string();
            },
            "", "bytes"};
}

CLI::Validator asCount(std::int64_t least)
{
    return {[least](std::string& text) {
                constexpr std::int64_t most = std::int64_t{1} << 53;
                std::int64_t count = 0;
                const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), count);
                const bool isCount = problem == std::errc() && end == text.data() + text.size() && count >= least && count <= most;
                const bool isLarge = problem == std::errc::result_out_of_range || (problem == std::errc() && count > most);
                return isCount   ? std::string()
                       : isLarge ? "'" + printable(text) + "' is more than " + std::to_string(most)
                                 : "'" + printable(text) + "' is no whole number of at least " + std::to_string(least);
            },
            "", "count"};
}

void GraphArguments::addMemory(CLI::App& command)
{
    auto* memory = command
                       .add_option("--memory", run.memoryBytes,
                                   "Most resident memory to take beyond that of the program itself, 2G or 500M: what does not fit lies in files")
                       ->transform(asBytes())
                       ->type_name("SIZE");
    command.add_option("--spill", run.spill, "Folder for these files, of which nothing is left at the end")
        ->type_name("DIR")
        ->needs(memory)
        ->default_str("$TMPDIR, or /var/tmp");
}

void GraphArguments::finish()
{
    if (batchSize != "auto") {
        const auto [end, problem] = std::from_chars(batchSize.data(), batchSize.data() + batchSize.size(), run.batchSize);
        if (problem != std::errc() || end != batchSize.data() + batchSize.size() || run.batchSize < 1)
            throw CLI::ValidationError("--batch-size", "must be a number of at least 1, or auto, not '" + printable(batchSize) + "'");
    }
    run.device = device.empty() ? "cpu" : device;
    if (!order.empty())
        orderFromName(order, run.order);
    run.randomFeatures = features == "random";
    for (const std::string& text : inputs) {
        const auto [name, array] = nameAndValue(text, "--input");
        if (run.inputs.try_emplace(name, array).first->second != array)
            throw Error("--input: '" + printable(name) + "' cannot get two arrays.");
    }
}

std::string_view GraphArguments::asksOfGraph() const
{
    if (!inputs.empty())
        return "--input";
    if (!targets.empty())
        return "--targets";
    if (!features.empty())
        return "--features";
    if (options.undirected)
        return "--undirected";
    return options.split != 0 ? "--split" : std::string_view();
}

std::vector<std::filesystem::path> GraphArguments::filesRead(std::vector<std::filesystem::path> others) const
{
    others.insert(others.end(), {path, targets});
    return others;
}

double GraphArguments::fileBytes() const
{
    std::error_code error;
    if (!std::filesystem::is_directory(path, error)) {
        const std::uintmax_t bytes = std::filesystem::file_size(path, error);
        return error ? 0 : static_cast<double>(bytes);
    }
    double bytes = 0;
    for (auto file = std::filesystem::directory_iterator(path, error); !error && file != std::filesystem::directory_iterator(); file.increment(error))
        if (const std::uintmax_t size = file->file_size(error); !error)
            bytes += static_cast<double>(size);
    return bytes;
}

DataGraph GraphArguments::read(const Model& model, const Progress& progress)
{
    m_read = withLearnedNodes(m_read ? *std::move(m_read) : readGraph(path, options, progress), model);
    m_read->statesNodes = true;  // or the model would have said so
    return read(progress);
}

DataGraph GraphArguments::read(const Progress& progress)
{
    DataGraph graph = m_read ? std::move(*m_read) : readGraph(path, options, progress);
    m_read.reset();
    for (const std::string& note : graph.notes)
        std::cerr << note << "\n";
    if (!targets.empty())
        run.targets = readTargets(targets, graph);
    return graph;
}

RunOptions GraphArguments::asked() const
{
    RunOptions asked = run;
    if (asksForSome())
        asked.targets = {0};
    return asked;
}

std::map<std::string, ArrayShape> GraphArguments::shapes(const Progress& progress)
{
    m_read = readGraph(path, options, progress);
    return arrayShapes(*m_read, run.inputs);
}

std::pair<std::string, std::string> nameAndValue(const std::string& text, const std::string& option)
{
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
        throw Error(option + " " + printable(text) + ": write it as NAME=VALUE.");
    return {text.substr(0, equals), text.substr(equals + 1)};
}

void print(const std::string& text)
{
    std::cout << text << std::flush;
    if (!std::cout)
        throw Error("Standard output cannot be written.");
}

}  // namespace cleave::cli
