#include <ATen/ATen.h>

#include <algorithm>
#include <cctype>

#include "core/base/error.h"
#include "core/base/format.h"
#include "core/base/pages.h"
#include "core/kernels/device/edge_plan.h"
#include "core/run/device_batches.h"
#include "core/run/device_functions.h"
#include "core/run/edge_op.h"
#include "core/run/tensors.h"

namespace cleave {

namespace {

DeviceWork::Input kindOf(const FunctionInput& in)
{
    if (in.beginOf >= 0)
        return DeviceWork::Input::OnHost;
    if (!in.operand)
        return DeviceWork::Input::OfBatch;
    switch (in.operand->kind) {
        case OperandKind::Stored:
        case OperandKind::Slice:
        case OperandKind::LocalIndex:
            return DeviceWork::Input::OfBatch;
        default:
            return DeviceWork::Input::Fixed;
    }
}

constexpr double partForAll = 0.75;  // of a device's free memory, for what all batches read; the rest is for batches

double sumOf(const std::map<std::size_t, double>& bytes)
{
    double sum = 0;
    for (const auto& [input, each] : bytes)
        sum += each;
    return sum;
}

// The nodes that an index names get numbers, and the index names these from now on.
at::Tensor numbered(const at::Tensor& index, Numbering& numbers)
{
    const at::Tensor from = index.contiguous();
    at::Tensor made = at::empty_like(from);
    const auto* node = from.data_ptr<std::int32_t>();
    std::transform(node, node + from.numel(), made.data_ptr<std::int32_t>(),
                   [&](std::int32_t each) { return static_cast<std::int32_t>(numbers.add(each)); });
    return made;
}

}  // namespace

DeviceFunctions::DeviceFunctions(const RunContext& run, RowStore& store, std::shared_ptr<Device> device, bool strict, const std::vector<bool>& wished)
    : m_run(run),
      m_a(run.analysis),
      m_graph(run.graph),
      m_batches(run.batches),
      m_store(store),
      m_device(std::move(device)),
      m_strict(strict),
      m_wished(wished.empty() ? std::vector<bool>(run.cut.functions.size(), true) : wished),
      m_there(*m_device)
{
}

void DeviceFunctions::begin()
{
    m_isOnDevice.assign(m_run.cut.functions.size(), false);
    m_there.dropStructure();  // of a run in another order
}

std::optional<FunctionParts> DeviceFunctions::partsOf(const CutFunction& function)
{
    std::optional<FunctionParts> parts;
    const std::size_t index = m_graph.indexOf(function);
    if (m_wished[index]) {
        const std::string reason = whyNot(function);
        if (reason.empty()) {
            parts = partsOn(m_device->place(), function);
            parts->isOnDevice = true;
        } else {
            note(function, reason);
        }
    }
    m_isOnDevice[index] = parts.has_value();
    return parts;
}

// With the same inputs wherever that is.
FunctionParts DeviceFunctions::partsOn(c10::Device place, const CutFunction& function) const
{
    return {lowerFunction(m_a, function, m_run.constants, "on_device", m_run.kernels, m_store.narrowed(), place)};
}

// Inputs are there now. What cannot run there, or has nothing to do but to make an empty store, runs on the processor.
bool DeviceFunctions::takes(Running& running)
{
    std::string reason = whyNot(running.function, &running.parts.whole);
    if (!reason.empty() && m_there.structureBytes() > 0) {
        m_there.dropStructure();
        reason = whyNot(running.function, &running.parts.whole);
    }
    if (!reason.empty())
        note(running.function, reason);
    const bool isTaken = reason.empty() && running.total > 0;
    if (!isTaken)
        running.parts = partsOn(c10::kCPU, running.function);
    m_isOnDevice.at(m_graph.indexOf(running.function)) = isTaken;
    return isTaken;
}

// Of inputs that are read at any place, once they are there; not of those that lie on the device.
std::map<std::size_t, double> DeviceFunctions::bytesAnywhere(const LoweredFunction& lowered) const
{
    std::map<std::size_t, double> bytes;
    for (std::size_t i = 0; i < lowered.inputs.size(); ++i)
        if (kindOf(lowered.inputs[i]) == DeviceWork::Input::Fixed && !onDevice(lowered.inputs[i]))
            if (const c10::IValue value = m_batches.input(*lowered.inputs[i].operand, Batch{}); value.isTensor())
                bytes[i] = static_cast<double>(value.toTensor().nbytes());
    return bytes;
}

// lowered: what is to be run, where its inputs are there.
std::string DeviceFunctions::whyNot(const CutFunction& function, const LoweredFunction* lowered) const
{
    if (function.isGlobal)
        return "it is a global op, which goes through stored rows";
    for (int type = 0; type < m_a.types(); ++type)
        if (type != function.nodeType && function.targetsOf(type) >= 0)
            return "it computes rows of nodes of several types";
    if (!lowered)
        return {};
    for (const auto& op : lowered->edgeOps)
        if (!device::planEdges(op->program, op->dtype))
            return "its arithmetic on edges has more operands than a kernel takes";
    std::map<std::size_t, double> bytes = bytesAnywhere(*lowered);
    for (const ReadBySources& read : lowered->readBySources)
        for (const std::size_t rows : read.rows)
            bytes.erase(rows);
    const double all = sumOf(bytes), free = static_cast<double>(m_device->freeBytes());
    return all <= partForAll * free ? "" : "what it reads at any place takes " + formatBytes(all) + ", and " + formatBytes(free) + " are free there";
}

void DeviceFunctions::note(const CutFunction& function, const std::string& reason)
{
    std::string name = functionName(function);
    name.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(name.front())));
    if (m_strict)
        throw Error(name + " cannot run on " + m_device->name() + ": " + reason + ".");
    m_notices.push_back(name + " runs on the CPU instead of " + m_device->name() + ": " + reason + ".");
}

// Kernels trust them.
void DeviceFunctions::checkSourcesOf(const LoweredFunction& lowered, const std::vector<c10::IValue>& inputs, const Batch& batch) const
{
    for (std::size_t i = 0; i < inputs.size(); ++i)
        if (const auto& sources = lowered.inputs[i].sourcesOf; sources && inputs[i].isTensor()) {
            const at::Tensor index = inputs[i].toTensor().contiguous();
            const bool isOfBatch = sources->kind == OperandKind::LocalIndex && !batch.reach.empty();
            const std::int64_t rows = isOfBatch ? batch.reach[static_cast<std::size_t>(sources->ofType)].back() : m_graph.numNodes(sources->ofType);
            checkSources({index.data_ptr<std::int32_t>(), static_cast<std::size_t>(index.numel())}, rows);
        }
}

// Only rows that follow each other, one for each node in the natural order, can be found there.
bool DeviceFunctions::mayLieThere(ValueId value) const
{
    const ValueFacts& facts = m_a.values[value];
    return facts.rows == Rows::Nodes && facts.rowDim == 0 && facts.outer * facts.inner == 1;
}

bool DeviceFunctions::isReadThere(ValueId value, std::size_t after) const
{
    for (std::size_t f = after + 1; f < m_run.cut.functions.size(); ++f)
        if (m_isOnDevice.at(f) && std::ranges::count(m_run.cut.functions[f].reads, value) > 0)
            return true;
    return false;
}

bool DeviceFunctions::isReadOnHost(ValueId value, std::size_t after) const
{
    if (m_store.isKept() || m_keepsOnHost || std::ranges::count(m_a.program.outputs, value) > 0)
        return true;
    for (std::size_t f = after + 1; f < m_run.cut.functions.size(); ++f)
        if (!m_isOnDevice.at(f) && std::ranges::count(m_run.cut.functions[f].reads, value) > 0)
            return true;
    return false;
}

// The tensor of the store that an input is, or is rows of, where it lies there; null: it does not.
const at::Tensor* DeviceFunctions::onDevice(const FunctionInput& in) const
{
    if (!in.operand || (in.operand->kind != OperandKind::Stored && in.operand->kind != OperandKind::StoredWhole))
        return nullptr;
    return m_there.find(in.operand->value);
}

void DeviceFunctions::bringToHost(ValueId value)
{
    if (!m_store.contains(value) && m_there.find(value))
        m_store.set(value, m_there.copyToHost(value));
}

at::Tensor DeviceFunctions::placeFor(ValueId value, const CutFunction& function, const std::vector<std::int64_t>& sizes, at::ScalarType type) const
{
    const bool isGathered = m_gathersThere && !pagesAreBound() && isReadThere(value, m_graph.indexOf(function));
    return isGathered ? m_device->hostMemory(sizes, type) : at::Tensor();
}

// Whether batches read about all that there is: of some targets only a few.
bool DeviceFunctions::readsMost(const CutFunction& function) const
{
    return function.rowsOf.valid() || 2 * m_graph.of(function).count >= m_graph.nodesOf(function);
}

// For save points that functions on the device read, where they fit; which there is room for.
std::vector<bool> DeviceFunctions::makeRoom(const Running& running)
{
    const CutFunction& function = running.function;
    std::vector<bool> stays;
    for (const ValueId value : function.saves) {
        stays.push_back(false);
        m_there.drop(value);  // of an earlier run
        if (!mayLieThere(value) || function.rowsOf.valid() || m_graph.of(function).order.defined() || running.total != m_graph.nodesOf(function) ||
            !isReadThere(value, m_graph.indexOf(function)))
            continue;
        std::vector<std::int64_t> sizes{running.total};
        const Value& tensor = m_a.program[value];
        for (std::size_t d = 1; d < tensor.sizes.size(); ++d)
            sizes.push_back(tensor.sizes[d].isConstant() ? tensor.sizes[d].value : -1);
        stays.back() =
            std::ranges::count(sizes, -1) == 0 && m_there.make(value, sizes, m_store.isNarrow(value) ? at::kBFloat16 : scalarType(tensor.dtype));
    }
    return stays;
}

// What all batches read at any place, so that what a batch reads of it in order is read there as well; then, where there is room left, what they read
// in order alone: it comes through less memory of the host than from batch to batch. False: what is read at any place does not fit after all.
bool DeviceFunctions::bring(Running& running, std::vector<ValueId>& brought)
{
    const CutFunction& function = running.function;
    const auto bring = [&](ValueId value) {
        const at::Tensor& tensor = m_store.at(value);
        if (!m_there.bring(value, tensor))
            return false;
        brought.push_back(value);
        running.stats.bytesToDevice += static_cast<double>(tensor.nbytes());
        return true;
    };
    const auto mayCome = [&](const FunctionInput& in, OperandKind kind) {
        return in.operand && in.operand->kind == kind && !onDevice(in) && mayLieThere(in.operand->value);
    };
    for (const FunctionInput& in : running.parts.whole.inputs)
        if (mayCome(in, OperandKind::StoredWhole) && !bring(in.operand->value))
            return false;
    if (function.rowsOf.valid() || m_graph.of(function).order.defined() || running.total != m_graph.nodesOf(function))
        return true;
    for (const FunctionInput& in : running.parts.whole.inputs)
        if (mayCome(in, OperandKind::Stored) &&
            static_cast<double>(m_store.at(in.operand->value).nbytes()) <= partForAll / 2 * static_cast<double>(m_device->freeBytes()))
            bring(in.operand->value);
    return true;
}

// What lies in the order of the edges into targets, where all of it is read: it comes once for all functions, where it takes a small part of what is
// free.
std::map<std::size_t, const at::Tensor*> DeviceFunctions::bringStructure(Running& running)
{
    constexpr double part = 0.125;
    std::map<std::size_t, const at::Tensor*> there;
    const CutFunction& function = running.function;
    const LoweredFunction& whole = running.parts.whole;
    for (std::size_t i = 0; i < whole.inputs.size(); ++i) {
        const FunctionInput& in = whole.inputs[i];
        const at::Tensor* ordered = in.operand     ? m_graph.groupedAt(function, *in.operand)
                                    : in.sourcesOf ? m_graph.sourcesAt(function, *in.sourcesOf)
                                                   : nullptr;
        if (!ordered || ordered->numel() == 0)
            continue;
        const bool isNew = !m_there.hasStructure(*ordered);
        const double bytes = static_cast<double>(ordered->nbytes());
        if (isNew && bytes > part * static_cast<double>(m_device->freeBytes()))
            continue;
        if (isNew && in.sourcesOf)
            checkSources({ordered->data_ptr<std::int32_t>(), static_cast<std::size_t>(ordered->numel())}, m_graph.numNodes(in.sourcesOf->ofType));
        if (const at::Tensor* copy = m_there.structure(*ordered)) {
            running.stats.bytesToDevice += isNew ? bytes : 0;
            there[i] = copy;
        }
    }
    return there;
}

// One function: what of its inputs lies on the device, how a batch is put together there, and what stays of it.
class DeviceFunctions::OneFunction {
public:
    OneFunction(DeviceFunctions& functions, Running& running, Numberings& numbers)
        : m(functions),
          m_running(running),
          m_function(running.function),
          m_whole(running.parts.whole),
          m_numbers(numbers),
          m_index(functions.m_graph.indexOf(running.function))
    {
    }

    void run(std::int64_t batchSize, const Progress& progress)
    {
        DeviceWork work;
        for (const FunctionInput& in : m_whole.inputs)
            work.inputs.push_back(kindOf(in));
        m_stays = m.makeRoom(m_running);
        placeInputs(work);
        work.prepare = [&](std::int64_t first, std::int64_t last) {
            m_running.report(first, progress);
            return prepare(first, last);
        };
        work.gathersThere = m.m_gathersThere;
        work.compute = [&](std::vector<c10::IValue> inputs) { return m_whole.code.run(std::move(inputs)); };
        const DeviceRun done = runBatchesOn(*m.m_device, 0, m_running.total, batchSize, work, progress);
        count(done);
        leave(done);
    }

private:
    bool fits() const { return sumOf(m.bytesAnywhere(m_whole)) <= partForAll * static_cast<double>(m.m_device->freeBytes()); }

    // All rows of the store where they fit and most are read, and of each batch those that it reads otherwise.
    void placeInputs(DeviceWork& work)
    {
        const bool readsMost = m.readsMost(m_function);
        if (readsMost && !fits())
            m.m_there.dropStructure();
        if (readsMost && fits() && m.bring(m_running, m_brought)) {
            m_structureThere = m.bringStructure(m_running);
            return;
        }
        for (const ReadBySources& read : m_whole.readBySources) {
            const auto isThere = [&](std::size_t rows) { return m.onDevice(m_whole.inputs[rows]) != nullptr; };
            if (std::ranges::all_of(read.rows, isThere))
                continue;
            for (const std::size_t rows : read.rows) {
                work.inputs[rows] = DeviceWork::Input::OfBatch;
                if (isThere(rows)) {  // the same sources number the rows of all
                    m.bringToHost(m_whole.inputs[rows].operand->value);
                    m.m_there.drop(m_whole.inputs[rows].operand->value);
                }
            }
            m_bySources.push_back(read);
        }
    }

    DeviceBatch prepare(std::int64_t first, std::int64_t last)
    {
        const auto batch = std::make_shared<Batch>(m.m_batches.make(m_function, first, last, m_running.numbered ? &m_numbers : nullptr));
        DeviceBatch made;
        for (std::size_t i = 0; i < m_whole.inputs.size(); ++i)
            addInput(i, *batch, made);
        m.checkSourcesOf(m_whole, made.inputs, *batch);
        for (const ReadBySources& read : m_bySources)
            numberSources(read, made);
        made.keep = [this, batch](std::vector<c10::IValue>& results) { keep(*batch, results); };
        made.save = [this, batch](const std::vector<at::Tensor>& rows) { save(*batch, rows); };
        return made;
    }

    // What lies on the device is taken from there, the rest comes with the batch.
    void addInput(std::size_t number, const Batch& batch, DeviceBatch& made) const
    {
        const FunctionInput& in = m_whole.inputs[number];
        const auto ordered = m_structureThere.find(number);
        const at::Tensor* there = m.onDevice(in);
        const bool isHere = !there && ordered == m_structureThere.end();
        made.inputs.push_back(isHere ? m.m_batches.input(in, batch) : c10::IValue());
        if (ordered != m_structureThere.end())
            made.there[number] = structureOf(in, *ordered->second, batch);
        else if (there && in.operand->kind == OperandKind::StoredWhole)
            made.there[number] = [there] { return *there; };
        else if (there)
            made.there[number] = rowsOf(*in.operand, *there, batch);
    }

    std::function<at::Tensor()> structureOf(const FunctionInput& in, const at::Tensor& ordered, const Batch& batch) const
    {
        const StepOperand& operand = in.operand ? *in.operand : *in.sourcesOf;
        const int rowDim = in.operand ? operand.rowDim : 0;
        return [&ordered, rowDim, edges = m.m_batches.edgesIn(operand.frame, batch)] {
            return ordered.narrow(rowDim, edges.first, edges.last - edges.first).contiguous();
        };
    }

    std::function<at::Tensor()> rowsOf(const StepOperand& operand, const at::Tensor& there, const Batch& batch) const
    {
        at::Tensor ids = batch.ids[static_cast<std::size_t>(operand.frame)];
        if (ids.defined())
            ids = m.m_device->hostMemory(ids.sizes(), at::kInt).copy_(ids);
        return [this, &there, ids, range = batch.range(operand.frame), value = operand.value] {
            return m.m_store.asRead(value, ids.defined() ? there.index_select(0, ids.to(m.m_device->place(), true))
                                                         : there.narrow(0, range.first, range.last - range.first));
        };
    }

    // Of rows that do not lie there, those come that the batch reads, and its indices count among these.
    void numberSources(const ReadBySources& read, DeviceBatch& made)
    {
        m_sources.clear();
        for (const std::size_t index : read.sources)
            made.inputs[index] = numbered(made.inputs[index].toTensor(), m_sources);
        const at::Tensor nodes = view(m_sources.nodes()).clone();
        for (const std::size_t rows : read.rows)
            made.rows[rows] = {made.inputs[rows].toTensor(), nodes};
    }

    // On the device, what later functions read there.
    void keep(const Batch& batch, std::vector<c10::IValue>& results) const
    {
        for (std::size_t i = 0; i < m_stays.size(); ++i)
            if (m_stays[i]) {
                m.m_there.find(m_function.saves[i])->narrow(0, batch.first, batch.last - batch.first).copy_(results[i].toTensor());
                if (!m.isReadOnHost(m_function.saves[i], m_index))
                    results[i] = {};
            }
    }

    void save(const Batch& batch, const std::vector<at::Tensor>& rows) const
    {
        // What becomes the store itself, all rows at once or the graph's, must not lie where the next copies from the device come.
        const bool isAll = batch.first == 0 && batch.last == m_running.total;
        for (std::size_t i = 0; i < m_function.saves.size(); ++i) {
            if (!rows[i].defined())
                continue;
            const ValueId value = m_function.saves[i];
            m.m_store.save(value, isAll || m.m_a.values[value].rows == Rows::Graph ? rows[i].clone() : rows[i], batch);
        }
        m_running.stats.edges += batch.edges;
        m_running.stats.blockNodes += batch.within();
    }

    void count(const DeviceRun& done) const
    {
        FunctionRun& stats = m_running.stats;
        stats.batches += done.batches;
        stats.prepareSeconds += done.prepareSeconds;
        stats.computeSeconds += done.waitSeconds;
        stats.writeSeconds += done.saveSeconds;
        stats.bytesToDevice += done.bytesIn;
        stats.bytesFromDevice += done.bytesOut;
        for (std::size_t i = 0; i < m_stays.size(); ++i)
            if (m_stays[i])
                stats.bytesKeptThere += static_cast<double>(m.m_there.find(m_function.saves[i])->nbytes());
    }

    // Copies that later functions read there stay, where they leave as much again to others.
    void leave(const DeviceRun& done) const
    {
        const auto mayStay = [&](ValueId value, const at::Tensor& there) {
            return m.isReadThere(value, m_index) && there.nbytes() <= m.m_device->freeBytes();
        };
        if (m.m_there.structureBytes() > static_cast<double>(m.m_device->freeBytes()))
            m.m_there.dropStructure();
        for (const ValueId value : m_brought)
            if (const at::Tensor* there = m.m_there.find(value); there && !mayStay(value, *there))
                m.m_there.drop(value);
        for (std::size_t i = 0; i < m_whole.inputs.size(); ++i) {
            const auto& operand = m_whole.inputs[i].operand;
            if (done.fixed[i].defined() && operand && operand->kind == OperandKind::StoredWhole && m.mayLieThere(operand->value) &&
                mayStay(operand->value, done.fixed[i]))
                m.m_there.keep(operand->value, done.fixed[i]);
        }
    }

    DeviceFunctions& m;
    Running& m_running;
    const CutFunction& m_function;
    const LoweredFunction& m_whole;
    Numberings& m_numbers;
    const std::size_t m_index;
    std::vector<bool> m_stays;                                  // of what it saves: a copy for later functions
    std::vector<ValueId> m_brought;                             // for all batches
    std::map<std::size_t, const at::Tensor*> m_structureThere;  // by input
    std::vector<ReadBySources> m_bySources;                     // whose rows come with each batch
    Numbering m_sources;
};

void DeviceFunctions::run(Running& running, Numberings& numbers, std::int64_t batchSize, const Progress& progress)
{
    OneFunction(*this, running, numbers).run(batchSize, progress);
}

}  // namespace cleave
