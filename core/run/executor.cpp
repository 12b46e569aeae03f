#include "core/run/executor.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <sys/resource.h>

#include <algorithm>
#include <iterator>
#include <mutex>

#include "core/analysis/dims.h"
#include "core/analysis/message_passing.h"
#include "core/base/format.h"
#include "core/base/mapping.h"
#include "core/base/memory_bound.h"
#include "core/base/pages.h"
#include "core/base/parallel.h"
#include "core/base/stopping.h"
#include "core/base/stopwatch.h"
#include "core/plan/work.h"
#include "core/run/allocator.h"
#include "core/run/dense.h"
#include "core/run/file_rows.h"
#include "core/run/global_op.h"
#include "core/run/side_by_side.h"
#include "core/run/tensors.h"

namespace cleave {

namespace {

// Of this process, so far, that needed no disk.
std::int64_t pageFaults()
{
    struct rusage usage {};
    return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_minflt : 0;
}

}  // namespace

LayerWise::LayerWise(const Analysis& analysis, const CutProgram& cut, const Constants& constants, const Bindings& inputs, Kernels kernels,
                     const Progress& progress)
    : m_a(analysis),
      m_cut(cut),
      m_constants(constants),
      m_kernels(kernels),
      m_graph(analysis, cut, constants, inputs, kernels, progress),
      m_store(analysis, cut, m_graph),
      m_batches(analysis, m_graph, m_store),
      m_gathering({analysis, cut, constants, kernels, m_graph, m_batches}, m_store),
      m_numbers(static_cast<std::size_t>(analysis.types())),
      m_runs(cut.functions.size()),
      m_notices(m_graph.overwrittenRows())
{
    for (const Input& input : analysis.program.inputs)
        if (input.role == Role::NodeFeatures)
            m_store.set(input.value, inputs.at(input.value).toTensor());
}

void LayerWise::setDevice(std::shared_ptr<Device> device, bool strict, const std::vector<bool>& functions, bool gathersThere, bool choosesThere)
{
    m_there.emplace(RunContext{m_a, m_cut, m_constants, m_kernels, m_graph, m_batches}, m_store, std::move(device), strict, functions);
    m_choosesThere = choosesThere;
    if (gathersThere)
        m_there->gatherThere();
    if (m_keepAll)
        m_there->keepOnHost();
    m_store.setPlace([this](ValueId value, const CutFunction& function, const std::vector<std::int64_t>& sizes, at::ScalarType type) {
        return m_there->placeFor(value, function, sizes, type);
    });
}

void LayerWise::keepAll()
{
    m_keepAll = true;
    if (m_there)
        m_there->keepOnHost();
}

std::vector<std::string> LayerWise::notices() const
{
    std::vector<std::string> all = m_notices;
    if (m_there)
        std::ranges::copy(m_there->notices(), std::back_inserter(all));
    return all;
}

FunctionParts LayerWise::partsOf(const CutFunction& function)
{
    if (std::optional<FunctionParts> there = m_there ? m_there->partsOf(function) : std::nullopt)
        return *std::move(there);
    return m_gathering.partsOf(function, "function_" + std::to_string(m_graph.indexOf(function)));
}

namespace {

// One of several steps, as if all took the same time: what is told goes on from one to the next.
Progress stepOf(const Progress& whole, std::size_t step, std::size_t steps)
{
    if (!whole.report)
        return whole;
    return {whole.stop, [report = whole.report, step, steps](double fraction, std::string_view what) {
                report((static_cast<double>(step) + fraction) / static_cast<double>(steps), what);
            }};
}

}  // namespace

std::vector<at::Tensor> LayerWise::run(std::int64_t batchSize, const Progress& progress)
{
    std::vector<FunctionParts> lowered;
    std::vector<FunctionReads> reads;
    if (m_there)
        m_there->begin();
    for (std::size_t f = 0; f < m_cut.functions.size(); ++f)
        guarded("Running " + functionName(m_cut.functions[f]) + " failed", [&] {
            m_runs[f] = {};
            lowered.emplace_back();
            reads.emplace_back();
            if (m_graph.isLeftOut(m_cut.functions[f]))
                return;
            requireMemoryAtOnce(m_cut.functions[f]);
            lowered.back() = partsOf(m_cut.functions[f]);
            reads.back() = {lowered.back().inputs(), needsNumbers(m_cut.functions[f], lowered.back().whole)};
        });
    const Retained kept = group(reads, progress);
    if (m_runsOnce)
        m_graph.release(kept);
    if (m_peak)
        m_preparationBytes = m_peak->lap();
    for (std::size_t f = 0; f < m_cut.functions.size(); ++f) {
        if (m_graph.isLeftOut(m_cut.functions[f]))
            continue;
        guarded("Running " + functionName(m_cut.functions[f]) + " failed", [&] {
            const CutFunction& function = m_cut.functions[f];
            if (m_store.takeFinished(function)) {
                m_runs[f] = {};
                m_runs[f].wasKept = true;
                m_runs[f].rows = m_graph.rowsOf(function);
                return;
            }
            runFunction(f, std::move(lowered[f]), batchSize, stepOf(progress, f, m_cut.functions.size()));
            m_store.finish(function);
            if (m_peak)
                m_runs[f].peakBytes = m_peak->lap();
        });
        if (m_after)
            m_after(f, m_store.tensors());
        if (!m_keepAll)
            freeAfter(f);
        if (m_peak)
            m_peak->lap();  // the next one has no part in what goes here
    }
    std::vector<at::Tensor> outputs;
    for (const ValueId id : m_a.program.outputs) {
        if (m_store.contains(id))
            outputs.push_back(askedRows(m_a, id, m_store.at(id), m_targets));
        else if (!isAsked(m_a, id, m_targets))
            outputs.push_back(noRows(id));
        else if (m_a.program[id].kind == ValueKind::Tensor)
            outputs.push_back(askedRows(m_a, id, m_graph.structure(id), m_targets));
        else
            outputs.push_back(at::scalar_tensor(m_graph.known(id).toScalar()));
    }
    return outputs;
}

// Of an output that is left out.
at::Tensor LayerWise::noRows(ValueId output) const
{
    const Value& value = m_a.program[output];
    std::vector<std::int64_t> sizes;
    for (const Dim& size : value.sizes)
        sizes.push_back(size.isConstant() ? size.value : 0);
    return at::empty(sizes, scalarType(value.dtype));
}

void LayerWise::freeAfter(std::size_t function)
{
    const auto isOver = [&](const auto& entry) {
        const bool output = std::ranges::count(m_a.program.outputs, entry.first) > 0;
        return !output && std::all_of(m_cut.functions.begin() + static_cast<std::ptrdiff_t>(function) + 1, m_cut.functions.end(),
                                      [&](const CutFunction& f) { return std::ranges::count(f.reads, entry.first) == 0; });
    };
    m_store.dropIf(isOver);
    if (m_there)
        m_there->dropIf(isOver);
}

// At most all rows, so that one batch behind another is a number still. Global ops run on all of them.
std::int64_t LayerWise::batchSizeOf(const CutFunction& function, std::int64_t batchSize) const
{
    const std::int64_t all = std::max<std::int64_t>(m_graph.rowsOf(function), 1);
    return function.isGlobal ? all : std::min(batchSize, all);
}

int LayerWise::atOnce(std::int64_t batches) const
{
    return m_batchesAtOnce > 0 ? m_batchesAtOnce : batchesAtOnce(static_cast<double>(batches), at::get_num_threads());
}

// Dimensions that the nodes of no type count are left out.
double LayerWise::tensorBytes(const Value& value) const
{
    double bytes = static_cast<double>(itemSize(value.dtype));
    for (const Dim& size : value.sizes) {
        const auto counted = [&](const std::string& symbol) {
            const int type = m_a.typeCountedBy(symbol);
            return type >= 0 ? static_cast<double>(m_graph.numNodes(type)) : 1.0;
        };
        bytes *= size.isConstant() ? static_cast<double>(size.value) : sizeValue(size.symbol, counted);
    }
    return bytes;
}

// Error if a global op that LibTorch runs on all rows at once takes more memory than there may be: in files it would touch them again and again.
void LayerWise::requireMemoryAtOnce(const CutFunction& function) const
{
    if (!function.isGlobal || !pagesAreBound())
        return;
    const Program& program = m_a.program;
    for (const Step& step : function.steps) {
        if (workOf(program, step.op, 0).kind == WorkKind::View || (m_kernels != Kernels::None && globalOp(m_a, step.op)))
            continue;
        double bytes = 0;
        std::set<ValueId> values(program[step.op].outputs.begin(), program[step.op].outputs.end());
        forEachOperand(program[step.op], [&](ValueId operand) { values.insert(operand); });
        for (const ValueId value : values)
            if (m_a.values[value].rows == Rows::Nodes)
                bytes += tensorBytes(program[value]);
            else if (const c10::IValue* known = m_graph.computed(value); known && known->isTensor())
                bytes += bytesOfTensor(known->toTensor());
        requireWithinBound(static_cast<std::size_t>(bytes), "With all rows at once, " + describe(program, step.op), "");
    }
}

void LayerWise::runFunction(std::size_t index, FunctionParts parts, std::int64_t batchSize, const Progress& progress)
{
    const CutFunction& function = m_cut.functions[index];
    Stopwatch watch;
    Running running(function, std::move(parts));
    running.name = functionName(function);
    running.total = running.end = m_graph.rowsOf(function);
    running.atOnce = std::clamp<std::int64_t>(m_gathering.targetsAtOnce(), 0, std::max<std::int64_t>(running.total, 1));
    const FileTraffic before = fileTraffic();
    running.numbered = needsNumbers(function, running.parts.whole);
    batchSize = batchSizeOf(function, batchSize);
    running.size = running.most = batchSize;
    std::optional<MemoryForArrays> forArrays;
    if (running.parts.gathering) {
        forArrays.emplace(m_gathering.callLibraries(function, running.parts));
        m_gathering.chooseWay(running);
    }
    running.parts.isOnDevice = running.parts.isOnDevice && m_there->takes(running);
    if (running.parts.isOnDevice)
        running.stats.device = m_there->device().name();
    else if (m_there)
        for (const ValueId value : function.reads)
            m_there->bringToHost(value);
    std::int64_t first = 0;
    do {
        if (running.parts.gathering)
            m_gathering.gather(running, first, progress);
        if (running.parts.isOnDevice)
            m_there->run(running, m_numbers, m_choosesThere ? 0 : batchSize, progress);
        else
            runBatches(running, first, batchSize, progress);
        first = running.end;
    } while (first < running.total);
    if (forArrays) {
        running.gathered.rows.clear();
        giveBackPages();
        forArrays.reset();
    }
    const double grouping = m_runs[index].prepareSeconds;
    FunctionRun& stats = m_runs[index] = running.stats;
    const double wall = watch.lap() - running.gatherSeconds, sum = stats.seconds();
    for (double* part : {&stats.prepareSeconds, &stats.computeSeconds, &stats.writeSeconds})
        *part *= sum > 0 ? wall / sum : 0;
    stats.prepareSeconds += grouping;
    stats.gatherSeconds = running.gatherSeconds;
    stats.computeSeconds += running.gatherSeconds;
    stats.rows = running.total;
    stats.withOwnRows = running.parts.takesOwnRows;
    const FileTraffic after = fileTraffic();
    stats.fileBytesRead = static_cast<double>(after.read - before.read);
    stats.fileBytesWritten = static_cast<double>(after.written - before.written);
    stats.savedBytes = savedBytes(function);
}

double LayerWise::savedBytes(const CutFunction& function) const
{
    double bytes = 0;
    for (const ValueId id : function.saves) {
        const int type = m_a.values[id].nodeType;
        const std::int64_t nodes = function.isOfLevel() ? m_graph.numNodes(type) : 0;
        const double computed = nodes == 0 ? 1 : static_cast<double>(m_graph.of(function, type).count) / static_cast<double>(nodes);
        const at::Tensor& stored = m_store.contains(id) ? m_store.at(id) : *m_there->find(id);
        bytes += static_cast<double>(stored.nbytes()) * computed;
    }
    return bytes;
}

// Targets from the first up to the end of the running function's part.
void LayerWise::runBatches(Running& running, std::int64_t first, std::int64_t batchSize, const Progress& progress)
{
    const auto runOthers = [&](Numberings& numbers, bool reports) {
        for (;;) {
            const std::int64_t size = running.size, begin = running.next.fetch_add(size);
            if (begin >= running.end)
                return;
            if (reports)
                running.report(begin, progress);
            else
                progress.check();
            runRows(running, begin, std::min(running.end, begin + size), numbers);
            running.grow();
        }
    };
    std::optional<OneBlasThread> oneOfBlas;
    if (!running.function.isGlobal && usesOneDnn())
        oneOfBlas.emplace();  // what a batch leaves to the BLAS is small
    running.report(first, progress);
    // The first makes the store. Of a global op there is no other.
    running.next = std::min(running.end, first + running.size);
    try {
        const Stoppable stoppable(progress.stop);
        runRows(running, first, running.next, m_numbers);
    } catch (...) {
        progress.check();  // the interpreter hides what was thrown
        throw;
    }
    const std::int64_t batches = (running.end - first + batchSize - 1) / batchSize, faults = pageFaults();
    if (const int atOnce = this->atOnce(std::max<std::int64_t>(1, batches)); atOnce > 1) {
        const SideBySide side;
        std::vector<Numberings> numbers(static_cast<std::size_t>(atOnce), Numberings(m_numbers.size()));
        parallelFor(atOnce, atOnce, [&](std::int64_t i, int thread) {
            const SideBySide::Thread own(side);
            try {
                runOthers(numbers[static_cast<std::size_t>(i)], thread == 0);
            } catch (...) {
                running.next = running.end;  // nobody begins another
                throw;
            }
        });
    } else {
        runOthers(m_numbers, true);
    }
    running.stats.pageFaults += pageFaults() - faults;
}

// A batch, or both of its halves if memory runs short. One row, and a global op that needs all rows at once, may take what they need, from files if
// they must.
void LayerWise::runRows(Running& running, std::int64_t first, std::int64_t last, Numberings& numbers)
{
    const bool isGlobal = running.function.isGlobal;
    if (isGlobal ? !pagesAreBound() : last - first < 2) {
        runBatch(running, first, last, numbers);
        return;
    }
    {
        const MemoryInCore inCore;
        try {
            runBatch(running, first, last, numbers);
            return;
        } catch (const std::exception&) {
            if (!inCore.ranShort())
                throw;
        }
    }
    giveBackPages();
    if (isGlobal) {
        runBatch(running, first, last, numbers);
        return;
    }
    running.shrink(last - first);
    const std::int64_t middle = first + (last - first) / 2;
    runRows(running, first, middle, numbers);
    runRows(running, middle, last, numbers);
}

void LayerWise::runBatch(Running& running, std::int64_t first, std::int64_t last, Numberings& numbers)
{
    FunctionRun stats;
    Stopwatch watch;
    yieldToOthers();
    stayWithinBound();
    Batch batch = m_batches.make(running.function, first, last, running.numbered ? &numbers : nullptr);
    batch.gathered = running.parts.gathering ? &running.gathered : nullptr;
    std::vector<c10::IValue> arguments = m_batches.inputs(running.parts.whole, batch);
    stats.prepareSeconds = watch.lap();
    stayWithinBound();
    const std::vector<c10::IValue> results = running.parts.whole.code.run(std::move(arguments));
    stats.computeSeconds = watch.lap();
    for (std::size_t i = 0; i < running.function.saves.size(); ++i)
        m_store.save(running.function.saves[i], results[i].toTensor(), batch);
    stats.writeSeconds = watch.lap();
    const std::lock_guard lock(running.mutex);
    ++running.stats.batches;
    running.stats.edges += batch.edges;
    running.stats.blockNodes += batch.within();
    running.stats.prepareSeconds += stats.prepareSeconds;
    running.stats.computeSeconds += stats.computeSeconds;
    running.stats.writeSeconds += stats.writeSeconds;
}

std::vector<c10::IValue> runWhole(const Analysis& analysis, const Constants& constants, const Bindings& inputs, const std::vector<ValueId>& wanted,
                                  const Progress& progress)
{
    std::vector<c10::IValue> results;
    guarded("Running the whole model on this graph failed", [&] {
        results = runProgram(analysis.program, constants, inputs, wanted, "Running the whole model", progress);
    });
    return results;
}

}  // namespace cleave

