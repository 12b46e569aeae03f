#include "core/run/verify.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <thread>

#include "core/base/error.h"
#include "core/base/format.h"
#include "core/base/hash.h"
#include "core/base/memory_bound.h"
#include "core/base/pages.h"
#include "core/base/peak_memory.h"
#include "core/base/stopping.h"
#include "core/base/stopwatch.h"
#include "core/graph/npy.h"
#include "core/plan/execution.h"
#include "core/run/bind.h"
#include "core/run/calibrate.h"
#include "core/run/dense.h"
#include "core/run/device.h"
#include "core/run/open_device.h"
#include "core/run/executor.h"
#include "core/run/least_memory.h"
#include "core/run/store_folder.h"
#include "core/run/targets.h"
#include "core/run/tensors.h"
#include "core/run/widen.h"

namespace cleave {

namespace {

constexpr std::int64_t mostEdgesCounted = 1'000'000;

// rows: of each type.
std::vector<NamedArray> named(const Analysis& analysis, const std::vector<at::Tensor>& outputs, const Targets& targets,
                              const std::vector<std::int64_t>& rows = {})
{
    const Program& program = analysis.program;
    std::vector<NamedArray> arrays;
    // A value that forward returns twice has a name for each place, as files need them.
    const auto isTaken = [&](const std::string& name) {
        return std::ranges::count(arrays, name, &NamedArray::name) > 0 ||
               std::ranges::any_of(program.outputs, [&](ValueId other) { return program[other].name == name; });
    };
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const ValueId id = program.outputs[i];
        const ValueFacts& facts = analysis.values[id];
        std::string name = program[id].name;
        for (int again = 1; std::ranges::count(arrays, name, &NamedArray::name) > 0; ++again)
            if (const std::string next = program[id].name + "_" + std::to_string(again); !isTaken(next))
                name = next;
        NamedArray& output = arrays.emplace_back(std::move(name), toArray(outputs[i]), std::max(facts.rowDim, 0), isAsked(analysis, id, targets));
        if (facts.rows == Rows::Nodes && at(facts.nodeType) < rows.size())
            output.rows = rows[at(facts.nodeType)] * facts.outer * facts.inner;
    }
    return arrays;
}

// What decides the save points of a run.
std::vector<std::string> runOf(const Model& model, const Bindings& inputs, const RunOptions& options)
{
    const auto hashOf = [](const void* data, std::size_t bytes) {
        return std::to_string(contentHash({static_cast<const std::byte*>(data), bytes}));
    };
    const std::string execution = describeExecution(*model.analysis, *model.cut).dump();
    const Targets targets = targetsOf(*model.analysis, options);
    std::vector<std::string> run{"the model is " + model.program().sha256, "the plan has the hash " + hashOf(execution.data(), execution.size()),
                                 targets.areAll() ? "all nodes are asked for"
                                                  : "the nodes asked for have the hash " + hashOf(targets.nodes.data(), 8 * targets.nodes.size()) +
                                                        " and the type " + std::to_string(targets.type),
                                 options.narrowStore ? "save points are bfloat16" : "save points are as they come"};
    for (const Input& input : model.program().inputs) {
        const c10::IValue& value = inputs.at(input.value);
        std::string is = "given as it is";
        if (value.isTensor())
            is = StoreFolder::contentOf(value.toTensor().contiguous());
        else if (value.isScalar())
            is = c10::str(value.toScalar());
        run.push_back("input '" + printable(model.program()[input.value].name) + "' is " + is);
    }
    return run;
}

std::set<std::string> savedBy(const Model& model)
{
    std::set<std::string> names;
    for (const CutFunction& function : model.cut->functions)
        for (const ValueId value : function.saves)
            names.insert(model.program()[value].name);
    return names;
}

// By the rates that are kept for this machine, or what is assumed.
bool gathersThere(const std::string& device)
{
    DeviceRates rates;
    try {
        rates = readRates(ratesPath()).of(device);
    } catch (const Error&) {
        // A run does not need them.
    }
    return rates.gatherThere > rates.gatherStaged;
}

}  // namespace

void checkIsNoSavePoint(const std::filesystem::path& outputs, const Model& model, const RunOptions& options)
{
    std::error_code problem;
    if (options.store.empty())
        return;
    const auto plain = [&](const std::filesystem::path& path) { return std::filesystem::weakly_canonical(path, problem); };
    for (const std::string& name : savedBy(model))
        if (plain(StoreFolder::pathOf(options.store, name)) == plain(outputs))
            throw Error(printable(outputs.string(), 300) + " is where the run keeps '" + printable(name) + "': name another file.");
}

void RunOptions::check() const
{
    if (batchSize < 0)
        throw Error("The batch size must be at least 1.");
    if (resume && store.empty())
        throw Error("A run that goes on needs the folder that it is in.");
    if (threads < 0 || threads > 4096)
        throw Error("The number of threads must be between 1 and 4096.");
    if (gatherAtOnce < -1)
        throw Error("The number of targets that are gathered for at once must be at least 1, or 0 to choose it, or -1 for none.");
    if (batchesAtOnce < 0 || batchesAtOnce > 4096)
        throw Error("The number of batches at once must be between 1 and 4096.");
}

int RunOptions::threadsUsed() const
{
    return threads > 0 ? threads : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

std::filesystem::path RunOptions::spillFolder() const
{
    const char* chosen = std::getenv("TMPDIR");
    return !spill.empty() ? spill : chosen && *chosen ? chosen : "/var/tmp";
}

namespace {

// The process has one bound at a time: a run that was given up may still have it for a moment.
class BoundedRun {
public:
    BoundedRun(const RunOptions& options, const Progress& progress)
    {
        if (options.memoryBytes == 0)
            return;
        while (!m_turn.try_lock_for(std::chrono::milliseconds(50)))
            progress.update(0, "Waiting for the run before to end");
        m_bound.emplace(options.memoryBytes, options.spillFolder());
    }

    void requireLeast(const Model& model, const Bindings& inputs, const RunOptions& options) const
    {
        if (m_bound)
            requireLeastMemory(*m_bound, leastMemory(model, inputs, options), options);
    }

    const MemoryBound* bound() const { return m_bound ? &*m_bound : nullptr; }

private:
    static std::timed_mutex s_mutex;
    std::unique_lock<std::timed_mutex> m_turn{s_mutex, std::defer_lock};
    std::optional<MemoryBound> m_bound;
};

std::timed_mutex BoundedRun::s_mutex;

// run() as often as the options say.
template <class Run>
RunResult timed(const RunOptions& options, Run run)
{
    RunResult result = run();
    if (!options.warmsUp || result.seconds > warmUpSeconds || !options.store.empty() || options.memoryBytes > 0 || pagesAreBound())
        return result;
    const double first = result.seconds;
    result = RunResult();
    result = run();
    result.firstSeconds = first;
    return result;
}

RunResult fullGraphOnce(const Model& model, const DataGraph& graph, const RunOptions& options, const Progress& progress, bool isInFloat64 = false)
{
    const Stoppable stoppable(progress.stop);
    useThreads(options);
    Bindings inputs = bindInputs(model, graph, options);
    progress.update(0, "Running the whole model");
    RunResult result;
    result.randomInputs = randomInputs(model.program(), graph, options);
    const Targets targets = targetsOf(*model.analysis, options);
    guarded("Running the whole model on this graph failed", [&] {
        const PagesLimit limit = PagesLimit::ofSystem();
        const PeakMemory peak;
        const Stopwatch watch;
        Constants constants = evaluateConstants(model.uncut());
        std::optional<Analysis> wide;
        if (isInFloat64) {
            wide = inFloat64(model.uncut());
            for (std::size_t v = 0; v < constants.size(); ++v)
                constants[ValueId{static_cast<int>(v)}] = inFloat64(constants[ValueId{static_cast<int>(v)}]);
            for (auto& [id, value] : inputs)
                value = inFloat64(value);
        }
        const Analysis& uncut = wide ? *wide : model.uncut();
        std::vector<at::Tensor> outputs;
        for (const c10::IValue& value : runWhole(uncut, constants, inputs, uncut.program.outputs, progress))
            outputs.push_back(value.isTensor() ? value.toTensor() : at::scalar_tensor(value.toScalar()));
        for (std::size_t i = 0; i < outputs.size(); ++i)
            outputs[i] = askedRows(*model.analysis, model.program().outputs[i], outputs[i], targets);
        result.seconds = watch.seconds();
        result.peakBytes = peak.bytes();
        result.outputs = named(*model.analysis, outputs, targets);
    });
    result.batchSize = graph.numNodes;
    return result;
}

// inputs: bound within it, and let go before functions run.
RunResult layerWiseOn(const Model& model, Bindings& inputs, const BoundedRun& bounded, const RunOptions& options, const AfterFunction& after,
                      const Progress& progress)
{
    RunResult result;
    const Targets targets = targetsOf(*model.analysis, options);
    guarded("Running layer by layer on this graph failed", [&] {
        bounded.requireLeast(model, inputs, options);
        const PagesLimit limit = PagesLimit::ofSystem();
        PeakMemory peak;
        const Stopwatch watch;
        const Constants constants = evaluateConstants(*model.analysis);
        LayerWise run(*model.analysis, *model.cut, constants, inputs, options.kernels, progress);
        run.countMemory(peak);
        run.setBatchesAtOnce(options.batchesAtOnce);
        run.setGatherAtOnce(options.gatherAtOnce, options.ownRows);
        if (options.narrowStore)
            run.narrowStore();
        run.runOnce();
        run.observe(after);
        if (options.device != "cpu") {
            auto [device, reason] = openDevice(options.device);
            if (device)
                run.setDevice(std::move(device), options.strictDevice, options.onDevice, gathersThere(options.device), options.batchSize == 0);
            else if (options.strictDevice)
                throw Error("Nothing can be run on " + options.device + ": " + reason + ".");
            else
                result.notices.push_back("All functions run on the CPU instead of " + options.device + ": " + reason + ".");
        }
        const std::int64_t wanted =
            options.batchSize ? options.batchSize : chosenBatchSize(run.graph().mostNodes(), run.graph().mostEdgesPerNode(), options);
        result.batchSize = std::min(wanted, std::max<std::int64_t>(run.graph().mostNodes(), 1));
        Stopwatch ordering;
        if (options.order != NodeOrder::Natural)
            run.setOrders(ordersFor(model, inputs, options.order, wanted, run.graph().nodesOfTypes(), progress));
        if (!options.targets.empty())
            run.setTargets(targets, progress);
        if (options.order != NodeOrder::Natural || !options.targets.empty())
            result.orderSeconds = ordering.lap();
        std::optional<StoreFolder> folder;
        if (!options.store.empty())
            run.keepIn(folder.emplace(options.store, runOf(model, inputs, options), savedBy(model), options.resume));
        inputs.clear();
        const std::vector<at::Tensor> outputs = run.run(wanted, progress);
        result.seconds = watch.seconds();
        result.peakBytes = peak.bytes();
        result.preparationBytes = run.preparationBytes();
        result.prologueSeconds = run.prologueSeconds();
        result.dense = denseText();
        result.counts = run.countBlocks(wanted, mostEdgesCounted, progress);
        result.counts.order = orderName(options.order);
        result.functions = run.functions();
        const std::vector<std::string> notices = run.notices();
        std::ranges::copy(notices, std::back_inserter(result.notices));
        for (std::size_t f = 0; f < result.functions.size(); ++f)
            result.functions[f].name = functionName(model.cut->functions[f]);
        result.outputs = named(*model.analysis, outputs, targets, run.graph().nodesOfTypes());
        if (const MemoryBound* const bound = bounded.bound()) {
            result.boundBytes = static_cast<double>(bound->bytes());
            result.residentBytes = static_cast<double>(bound->peakBytes());
        }
    });
    return result;
}

RunResult layerWiseOnce(const Model& model, const DataGraph& graph, const RunOptions& options, const AfterFunction& after, const Progress& progress)
{
    const Stoppable stoppable(progress.stop);
    useThreads(options);
    const BoundedRun bounded(options, progress);
    Bindings inputs = bindInputs(model, graph, options);
    RunResult result = layerWiseOn(model, inputs, bounded, options, after, progress);
    result.randomInputs = randomInputs(model.program(), graph, options);
    return result;
}

// What run() gives, or why there was not enough memory for it and what to do.
template <class Run>
RunResult withinMemory(const RunOptions& options, Run run)
{
    try {
        return run();
    } catch (const NeverEnoughMemory&) {
        throw;
    } catch (const NotEnoughMemory& error) {
        if (pagesAreBound() || options.memoryBytes > 0)
            throw;
        const std::string sentence = error.what();
        throw NotEnoughMemory(sentence.substr(0, sentence.size() - 1) + "; with a bound on it (--memory 8G) rows lie in files.");
    }
}

}  // namespace

RunResult runFullGraph(const Model& model, const DataGraph& graph, const RunOptions& options, const Progress& progress)
{
    options.check();
    RunResult result = timed(options, [&] { return fullGraphOnce(model, graph, options, progress); });
    requireUnchanged(graph);
    return result;
}

RunResult runInFloat64(const Model& model, const DataGraph& graph, const RunOptions& options, const Progress& progress)
{
    options.check();
    return fullGraphOnce(model, graph, options, progress, true);
}

std::vector<at::Tensor> runForValues(const Model& model, const DataGraph& graph, const RunOptions& options, const std::vector<ValueId>& wanted,
                                     const Progress& progress)
{
    const Stoppable stoppable(progress.stop);
    useThreads(options);
    const Bindings inputs = bindInputs(model, graph, options);
    progress.update(0, "Running the whole model");
    std::vector<at::Tensor> values;
    guarded("Running the whole model on this graph failed", [&] {
        const PagesLimit limit = PagesLimit::ofSystem();
        for (const c10::IValue& value : runWhole(model.uncut(), evaluateConstants(model.uncut()), inputs, wanted, progress))
            values.push_back(value.toTensor());
    });
    return values;
}

RunResult runObserved(const Model& model, const DataGraph& graph, const RunOptions& options, const AfterFunction& after, const Progress& progress)
{
    options.check();
    return layerWiseOnce(model, graph, options, after, progress);
}

RunResult runLayerWise(const Model& model, const DataGraph& graph, const RunOptions& options, const Progress& progress)
{
    options.check();
    RunResult result = withinMemory(options, [&] { return timed(options, [&] { return layerWiseOnce(model, graph, options, {}, progress); }); });
    requireUnchanged(graph);
    return result;
}

RunResult runLayerWiseAndFree(const Model& model, DataGraph& graph, const RunOptions& options, const Progress& progress)
{
    options.check();
    return withinMemory(options, [&] {
        const Stoppable stoppable(progress.stop);
        useThreads(options);
        const BoundedRun bounded(options, progress);
        Bindings inputs = bindInputs(model, graph, options);
        const std::vector<std::string> random = randomInputs(model.program(), graph, options);
        const GraphFiles files(graph);
        graph.arrays.clear();
        RunResult result = layerWiseOn(model, inputs, bounded, options, {}, progress);
        files.requireUnchanged();
        result.randomInputs = random;
        return result;
    });
}

std::size_t outputsAsked(const Model& model, const RunOptions& options)
{
    const Targets targets = targetsOf(*model.analysis, options);
    return static_cast<std::size_t>(
        std::ranges::count_if(model.program().outputs, [&](ValueId output) { return isAsked(*model.analysis, output, targets); }));
}

void requireOutputFile(const std::filesystem::path& path, std::size_t outputs)
{
    if (outputs != 1 && path.extension() != ".npz")
        throw Error("The model has " + std::to_string(outputs) + " outputs: write them to a file that ends in .npz.");
}

std::map<std::string, Array> readExpected(const std::filesystem::path& path, const Progress& progress)
{
    if (path.extension() == ".npy")
        return {{"expected", readNpy(path)}};
    std::map<std::string, Array> arrays = readNpz(path, progress);
    if (arrays.empty())
        throw Error("The file of expected outputs has no array of numbers.");
    return arrays;
}

void writeOutputs(const std::filesystem::path& path, const std::vector<NamedArray>& outputs)
{
    requireOutputFile(path, static_cast<std::size_t>(std::ranges::count_if(outputs, &NamedArray::isAsked)));
    if (path.extension() != ".npz") {
        writeNpy(path, std::ranges::find_if(outputs, &NamedArray::isAsked)->array);
        return;
    }
    std::vector<std::pair<std::string, Array>> arrays;
    for (const NamedArray& output : outputs)
        if (output.isAsked)
            arrays.emplace_back(output.name, output.array);
    writeNpzInOrder(path, arrays);
}

}  // namespace cleave
