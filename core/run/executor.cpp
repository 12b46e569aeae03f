#include "core/run/executor.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <span>

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
#include "core/run/batch.h"
#include "core/run/dense.h"
#include "core/run/file_rows.h"
#include "core/run/global_op.h"
#include "core/run/running.h"
#include "core/run/side_by_side.h"
#include "core/run/store_folder.h"
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
      m_runs(cut.functions.size()),
      m_numbers(std::make_unique<Numberings>(static_cast<std::size_t>(analysis.types()))),
      m_kernels(kernels)
{
    const Program& program = analysis.program;
    Stopwatch watch;
    progress.update(0, "Prologue");
    std::map<std::string, std::int64_t> sizes;
    for (const Input& input : program.inputs) {
        if (input.role == Role::NodeFeatures)
            m_store[input.value] = inputs.at(input.value).toTensor();
        const std::vector<Dim>& dims = program[input.value].sizes;
        for (std::size_t d = 0; d < dims.size(); ++d)
            if (!dims[d].isConstant() && inputs.at(input.value).isTensor())
                sizes[dims[d].symbol] = inputs.at(input.value).toTensor().size(static_cast<std::int64_t>(d));
    }
    for (const NodeType& type : analysis.nodeTypes) {
        const double rows = sizeValue(type.symbol, [&](const std::string& symbol) {
            const auto known = sizes.find(symbol);
            if (known == sizes.end())
                throw Error("The inputs do not tell how many rows of " + printable(type.name) + " there are.");
            return static_cast<double>(known->second);
        });
        if (rows < 0)
            throw Error("There would be " + std::to_string(std::llround(rows)) + " rows of " + printable(type.name) + ".");
        m_numNodes.push_back(std::llround(rows));
    }
    guarded("The prologue cannot be computed on this graph", [&] {
        const std::set<ValueId> distinct = wantedOfPrologue();
        const std::vector<ValueId> wanted(distinct.begin(), distinct.end());
        const auto results = runProgram(program, constants, inputs, wanted, "Prologue", progress, kernels);
        for (std::size_t i = 0; i < wanted.size(); ++i)
            m_structure[wanted[i]] = results[i];
    });
    noteOverwrites();
    setOrders(std::vector<std::vector<std::int64_t>>(m_numNodes.size()));
    m_prologueSeconds = watch.lap();
}

// Rows of several edges that are written to one node: nothing says which of them stays.
void LayerWise::noteOverwrites()
{
    std::set<ValueId> seen;
    for (std::size_t i = 0; i < m_a.program.ops.size(); ++i) {
        const OpId id{static_cast<int>(i)};
        const OpFacts& facts = m_a.ops[id];
        const std::optional<ScatterForm> form =
            facts.kind == OpKind::Scatter && overwrites(m_a.program, id) ? scatterForm(m_a.program, id) : std::nullopt;
        if (!form || !form->source.valid() || !form->sourceHasRows || !m_structure.contains(facts.index) || !seen.insert(facts.index).second)
            continue;
        const at::Tensor targets = structure(facts.index).flatten().to(at::kLong).contiguous();
        const std::int64_t rows = numNodes(m_a.values[m_a.program[id].outputs.front()].nodeType);
        std::vector<bool> isWritten(static_cast<std::size_t>(rows));
        for (const std::int64_t target : std::span(targets.data_ptr<std::int64_t>(), static_cast<std::size_t>(targets.numel()))) {
            const std::int64_t node = target < 0 ? target + rows : target;
            if (node < 0 || node >= rows)
                break;  // told where it is read
            if (isWritten[static_cast<std::size_t>(node)]) {
                m_notices.push_back("The rows of several edges are written to node " + std::to_string(node) + " by " + describe(m_a.program, id) +
                                    ": which of them stays is not defined, in PyTorch as here.");
                break;
            }
            isWritten[static_cast<std::size_t>(node)] = true;
        }
    }
}

LayerWise::~LayerWise() = default;

// Products of what nodes have are made as edges are grouped, of what they are made of. Not those that counts or indices are taken from, nor outputs.
std::set<ValueId> LayerWise::wantedOfPrologue()
{
    std::set<ValueId> wanted(m_cut.prologue.begin(), m_cut.prologue.end()), asTheyAre(m_a.program.outputs.begin(), m_a.program.outputs.end());
    for (const CutFunction& function : m_cut.functions) {
        for (const RowTotal& term : function.total)
            asTheyAre.insert(term.value);
        for (const Frame& frame : function.frames)
            for (const auto* terms : {&frame.before, &frame.own})
                for (const RowTotal& term : *terms)
                    asTheyAre.insert(term.value);
    }
    // Indices that nothing else reads had better be read at once, as masks are.
    const auto isThereAnyway = [&](const EdgeProduct::Factor& factor) {
        return m_a.values[factor.index].reach == Reach::Constant || std::ranges::count(m_cut.prologue, factor.index) > 0;
    };
    for (const ValueId value : m_cut.prologue)
        if (const auto product = m_kernels == Kernels::None || asTheyAre.contains(value) ? std::nullopt : edgeProduct(m_a.program, value);
            product && std::ranges::all_of(product->factors, isThereAnyway)) {
            m_products[value] = *product;
            wanted.erase(value);
        }
    for (const auto& [value, product] : m_products)
        for (const EdgeProduct::Factor& factor : product.factors)
            for (const ValueId part : {factor.numbers, factor.index})
                if (m_a.values[part].reach != Reach::Constant)
                    wanted.insert(part);
    return wanted;
}

void LayerWise::computeProducts(const std::set<ValueId>& values, const Progress& progress)
{
    std::vector<ValueId> missing;
    for (const auto& [value, product] : m_products)
        if (values.contains(value) && !m_structure.contains(value))
            missing.push_back(value);
    if (missing.empty())
        return;
    Bindings known;
    for (const auto& [value, made] : m_structure)
        known[value] = made;
    guarded("The prologue cannot be computed on this graph", [&] {
        const auto results = runProgram(m_a.program, m_constants, known, missing, "Prologue", progress, m_kernels);
        for (std::size_t i = 0; i < missing.size(); ++i)
            m_structure[missing[i]] = results[i];
    });
}

const at::Tensor& LayerWise::structure(ValueId value) const
{
    const auto known = m_structure.find(value);
    return known != m_structure.end() ? known->second.toTensor() : m_constants[value].toTensor();
}

std::int64_t LayerWise::mostEdgesPerNode() const
{
    std::int64_t most = 0;
    for (const Traversal& traversal : m_traversals)
        for (const ValueId segment : traversal.segments)
            most = std::max(most, structure(segment).numel() / std::max<std::int64_t>(numNodes(traversal.nodeType), 1) + 1);
    return most;
}

std::vector<at::Tensor> LayerWise::run(std::int64_t batchSize, const Progress& progress)
{
    std::vector<Parts> lowered;
    m_isOnDevice.clear();
    if (m_there)
        m_there->dropStructure();  // of a run in another order
    for (std::size_t f = 0; f < m_cut.functions.size(); ++f)
        guarded("Running " + functionName(m_cut.functions[f]) + " failed", [&] {
            requireMemoryAtOnce(m_cut.functions[f]);
            lowered.push_back(partsOf(f));
            m_isOnDevice.push_back(lowered.back().isOnDevice);
            m_runs[f] = {};
        });
    for (std::size_t f = 0; f < m_cut.functions.size(); ++f)
        expectStructure(m_cut.functions[f], lowered[f].inputs());
    const Retained kept = retained(lowered);
    groupEdges(kept, progress);
    Stopwatch watch;
    for (std::size_t f = 0; f < m_cut.functions.size(); ++f)
        guarded("Running " + functionName(m_cut.functions[f]) + " failed", [&] {
            groupStructure(m_cut.functions[f], lowered[f].inputs());
            m_runs[f].prepareSeconds += watch.lap();
        });
    if (m_runsOnce)
        release(kept);
    for (std::size_t f = 0; f < m_cut.functions.size(); ++f) {
        guarded("Running " + functionName(m_cut.functions[f]) + " failed", [&] {
            if (takeFinished(f))
                return;
            runFunction(f, std::move(lowered[f]), batchSize, progress);
            if (m_folder)
                m_folder->finish(f);
        });
        if (m_after)
            m_after(f, m_store);
        if (!m_keepAll)
            freeAfter(f);
    }
    std::vector<at::Tensor> outputs;
    for (const ValueId id : m_a.program.outputs) {
        if (m_store.contains(id))
            outputs.push_back(m_targets.defined() ? askedRows(m_a, id, m_store.at(id), m_targets) : m_store.at(id));
        else if (m_a.program[id].kind == ValueKind::Tensor)
            outputs.push_back(m_targets.defined() ? askedRows(m_a, id, structure(id), m_targets) : structure(id));
        else
            outputs.push_back(at::scalar_tensor(m_structure.at(id).toScalar()));
    }
    return outputs;
}

void LayerWise::freeAfter(std::size_t function)
{
    const auto isOver = [&](const auto& entry) {
        const bool output = std::ranges::count(m_a.program.outputs, entry.first) > 0;
        return !output && std::all_of(m_cut.functions.begin() + static_cast<std::ptrdiff_t>(function) + 1, m_cut.functions.end(),
                                      [&](const CutFunction& f) { return std::ranges::count(f.reads, entry.first) == 0; });
    };
    std::erase_if(m_store, isOver);
    if (m_there)
        m_there->dropIf(isOver);
}

std::int64_t LayerWise::total(const std::vector<RowTotal>& rows) const
{
    std::int64_t sum = 0;
    for (const RowTotal& term : rows)
        sum += term.value.valid() ? structure(term.value).size(term.dim) : numNodes(term.nodeType);
    return sum;
}

// That batches go through: of nodes, those that are asked for, of the type of which there are most.
std::int64_t LayerWise::rowsOf(const CutFunction& function) const
{
    if (function.rowsOf.valid())
        return total(function.total);
    std::int64_t most = 0;
    for (const Frame& frame : function.frames)
        if (frame.kind == FrameKind::Targets)
            most = std::max(most, of(function, frame.nodeType).count);
    return most;
}

// At most all rows, so that one batch behind another is a number still. Global ops run on all of them.
std::int64_t LayerWise::batchSizeOf(const CutFunction& function, std::int64_t batchSize) const
{
    const std::int64_t all = std::max<std::int64_t>(rowsOf(function), 1);
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
            return type >= 0 ? static_cast<double>(numNodes(type)) : 1.0;
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
            else if (const auto known = m_structure.find(value); known != m_structure.end() && known->second.isTensor())
                bytes += static_cast<double>(known->second.toTensor().nbytes());
        requireWithinBound(static_cast<std::size_t>(bytes), "With all rows at once, " + describe(program, step.op), "");
    }
}

void LayerWise::runFunction(std::size_t index, Parts parts, std::int64_t batchSize, const Progress& progress)
{
    const CutFunction& function = m_cut.functions[index];
    Stopwatch watch;
    Running running(function, std::move(parts));
    running.name = functionName(function);
    running.total = running.end = rowsOf(function);
    running.atOnce = std::clamp<std::int64_t>(m_gatherAtOnce, 0, std::max<std::int64_t>(running.total, 1));
    const FileTraffic before = fileTraffic();
    running.numbered = needsNumbers(function, running.parts.whole);
    batchSize = batchSizeOf(function, batchSize);
    running.size = running.most = batchSize;
    std::optional<MemoryForArrays> forArrays;
    if (running.parts.gathering) {
        forArrays.emplace(callLibraries(function, running.parts));
        chooseWay(running);
    }
    if (running.parts.isOnDevice && staysOnDevice(running))
        running.stats.device = m_device->name();
    m_isOnDevice[index] = running.parts.isOnDevice = !running.stats.device.empty();
    if (!running.parts.isOnDevice)
        for (const ValueId value : function.reads)
            bringToHost(value);
    std::int64_t first = 0;
    do {
        if (running.parts.gathering)
            gather(running, first, progress);
        if (running.parts.isOnDevice)
            runOnDevice(running, m_choosesThere ? 0 : batchSize, progress);
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
    for (const ValueId id : function.saves) {
        const std::int64_t nodes = function.isOfLevel() ? numNodes(m_a.values[id].nodeType) : 0;
        const double computed = nodes == 0 ? 1 : static_cast<double>(of(function, m_a.values[id].nodeType).count) / static_cast<double>(nodes);
        stats.savedBytes += static_cast<double>(stored(id).nbytes()) * computed;
    }
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
        runRows(running, first, running.next, *m_numbers);
    } catch (...) {
        progress.check();  // the interpreter hides what was thrown
        throw;
    }
    const std::int64_t batches = (running.end - first + batchSize - 1) / batchSize, faults = pageFaults();
    if (const int atOnce = this->atOnce(std::max<std::int64_t>(1, batches)); atOnce > 1) {
        const SideBySide side;
        std::vector<Numberings> numbers(static_cast<std::size_t>(atOnce), Numberings(m_numNodes.size()));
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
        runOthers(*m_numbers, true);
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
    Batch batch = block(running.function, first, last, running.numbered ? &numbers : nullptr);
    batch.gathered = running.parts.gathering ? &running.gathered : nullptr;
    std::vector<c10::IValue> arguments = inputs(running.parts.whole, batch);
    stats.prepareSeconds = watch.lap();
    stayWithinBound();
    const std::vector<c10::IValue> results = running.parts.whole.code.run(std::move(arguments));
    stats.computeSeconds = watch.lap();
    for (std::size_t i = 0; i < running.function.saves.size(); ++i)
        save(running.function.saves[i], results[i].toTensor(), batch, running);
    stats.writeSeconds = watch.lap();
    const std::lock_guard lock(running.mutex);
    ++running.stats.batches;
    running.stats.edges += batch.edges;
    running.stats.blockNodes += batch.within();
    running.stats.prepareSeconds += stats.prepareSeconds;
    running.stats.computeSeconds += stats.computeSeconds;
    running.stats.writeSeconds += stats.writeSeconds;
}

// Of a tensor in the store.
std::int64_t LayerWise::rowsOf(ValueId value, const Running& running) const
{
    const ValueFacts& facts = m_a.values[value];
    return facts.rows == Rows::Nodes && !running.function.rowsOf.valid() ? numNodes(facts.nodeType) : running.total;
}

void LayerWise::narrowStore()
{
    for (const CutFunction& function : m_cut.functions)
        for (const ValueId value : function.saves)
            if (m_a.values[value].rows == Rows::Nodes && m_a.program[value].dtype == DType::Float32 &&
                std::ranges::count(m_a.program.outputs, value) == 0)
                m_narrow.insert(value);
}

// Rows of the store as ops know them.
at::Tensor LayerWise::asRead(ValueId value, const at::Tensor& rows) const
{
    return m_narrow.contains(value) ? rows.to(at::kFloat) : rows;
}

void LayerWise::save(ValueId value, const at::Tensor& made, const Batch& batch, const Running& running)
{
    const ValueFacts& facts = m_a.values[value];
    const at::Tensor rows = m_narrow.contains(value) ? made.to(at::kBFloat16) : made;
    if (facts.rows == Rows::Graph) {
        m_store[value] = m_folder ? newStore(value, rows.sizes().vec(), rows, *batch.function).copy_(rows) : rows;
        return;
    }
    const std::int64_t entries = facts.outer * facts.inner, total = rowsOf(value, running);
    const int targets = facts.rows == Rows::Nodes && running.function.isOfLevel() ? running.function.targetsOf(facts.nodeType) : 0;
    const at::Tensor& ids = batch.ids[static_cast<std::size_t>(targets)];
    const auto& [first, last] = batch.range(targets);
    const bool mayStay = !pagesAreBound() || (batch.function->isGlobal && rows.is_contiguous() && liesInFile(rows));
    if (rows.size(facts.rowDim) == total * entries && !ids.defined() && mayStay && !m_folder) {
        m_store[value] = rows;
        return;
    }
    if (batch.first == 0) {
        std::vector<std::int64_t> sizes = rows.sizes().vec();
        sizes[static_cast<std::size_t>(facts.rowDim)] = total * entries;
        m_store[value] = newStore(value, sizes, rows, *batch.function);
    }
    const at::Tensor& store = m_store.at(value);
    if (batch.function->isGlobal) {
        store.copy_(rows);
        return;
    }
    if (facts.rowDim == 0 && entries == 1) {
        if (ids.defined())
            writeRows(store, ids, rows);
        else
            writeRows(store, first, rows);
        return;
    }
    at::Tensor whole = entriesApart(store, facts);
    if (ids.defined())
        whole.index_copy_(facts.rowDim + 1, ids, entriesApart(rows, facts));
    else
        whole.narrow(facts.rowDim + 1, first, last - first).copy_(entriesApart(rows, facts));
}

at::Tensor LayerWise::newStore(ValueId value, const std::vector<std::int64_t>& sizes, const at::Tensor& rows, const CutFunction& function) const
{
    const MemoryAnywhere lasting;
    if (m_folder)
        return m_folder->create(m_a.program[value].name, sizes, rows.scalar_type());
    const ValueFacts& facts = m_a.values[value];
    if (function.isOfLevel() && of(function, facts.nodeType).count < numNodes(facts.nodeType))
        return emptyScattered(sizes, rows.options(), of(function, facts.nodeType).count, facts.rowDim);
    if (m_device && m_gathersThere && !pagesAreBound() && isReadOnDevice(value, indexOf(function)))
        return m_device->hostMemory(sizes, rows.scalar_type());  // rows can be gathered from there
    return at::empty(sizes, rows.options());
}

// Save points that an earlier run left.
bool LayerWise::takeFinished(std::size_t index)
{
    if (!m_folder || !m_folder->isFinished(index))
        return false;
    const CutFunction& function = m_cut.functions[index];
    for (const ValueId id : function.saves)
        m_store[id] = m_folder->load(m_a.program[id].name);
    m_runs[index] = {};
    m_runs[index].rows = rowsOf(function);
    return true;
}

at::Tensor targetRows(const at::Tensor& tensor, const ValueFacts& facts, const at::Tensor& nodes)
{
    return entriesApart(tensor, facts).index_select(facts.rowDim + 1, nodes).flatten(facts.rowDim, facts.rowDim + 2);
}

at::Tensor askedRows(const Analysis& analysis, ValueId output, const at::Tensor& tensor, const at::Tensor& nodes)
{
    const ValueFacts& facts = analysis.values[output];
    if (facts.rows == Rows::Nodes)
        return targetRows(tensor, facts, nodes);
    if (facts.reach == Reach::Feature)
        return tensor;
    const auto known = std::ranges::find_if(analysis.program.outputs, [&](ValueId id) { return analysis.values[id].rows == Rows::Nodes; });
    const int type = known == analysis.program.outputs.end() ? -1 : analysis.values[*known].nodeType;
    const std::vector<Dim>& sizes = analysis.program[output].sizes;
    const auto dim = std::ranges::find_if(sizes, [&](const Dim& size) { return type >= 0 && analysis.typeCountedBy(size.symbol) == type; });
    return dim == sizes.end() ? tensor : tensor.index_select(dim - sizes.begin(), nodes);
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

