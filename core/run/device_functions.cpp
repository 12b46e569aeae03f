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
    m_isOnDevice.clear();
    m_there.dropStructure();  // of a run in another order
}

std::optional<FunctionParts> DeviceFunctions::partsOf(const CutFunction& function)
{
    std::optional<FunctionParts> parts;
    if (m_wished[m_graph.indexOf(function)]) {
        const std::string reason = whyNot(function);
        if (reason.empty()) {
            parts = partsOn(m_device->place(), function);
            parts->isOnDevice = true;
        } else {
            note(function, reason);
        }
    }
    m_isOnDevice.push_back(parts.has_value());
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
    m_isOnDevice[m_graph.indexOf(running.function)] = isTaken;
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
        if (m_isOnDevice[f] && std::ranges::count(m_run.cut.functions[f].reads, value) > 0)
            return true;
    return false;
}

bool DeviceFunctions::isReadOnHost(ValueId value, std::size_t after) const
{
    if (m_store.isKept() || m_keepsOnHost || std::ranges::count(m_a.program.outputs, value) > 0)
        return true;
    for (std::size_t f = after + 1; f < m_run.cut.functions.size(); ++f)
        if (!m_isOnDevice[f] && std::ranges::count(m_run.cut.functions[f].reads, value) > 0)
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

void DeviceFunctions::run(Running& running, Numberings& numbers, std::int64_t batchSize, const Progress& progress)
{
    const CutFunction& function = running.function;
    const LoweredFunction& whole = running.parts.whole;
    const std::size_t index = m_graph.indexOf(function);
    DeviceWork work;
    for (const FunctionInput& in : whole.inputs)
        work.inputs.push_back(kindOf(in));
    const std::vector<bool> stays = makeRoom(running);
    // All rows of the store where they fit and most are read, and of each batch those that it reads otherwise.
    std::vector<ValueId> brought;
    const auto fits = [&] { return sumOf(bytesAnywhere(whole)) <= partForAll * static_cast<double>(m_device->freeBytes()); };
    if (readsMost(function) && !fits())
        m_there.dropStructure();
    const bool isWhole = readsMost(function) && fits() && bring(running, brought);
    std::vector<ReadBySources> parts;
    for (const ReadBySources& read : isWhole ? std::vector<ReadBySources>{} : whole.readBySources) {
        const auto isThere = [&](std::size_t rows) { return onDevice(whole.inputs[rows]) != nullptr; };
        if (std::ranges::all_of(read.rows, isThere))
            continue;
        for (const std::size_t rows : read.rows) {
            work.inputs[rows] = DeviceWork::Input::OfBatch;
            if (isThere(rows)) {  // the same sources number the rows of all
                bringToHost(whole.inputs[rows].operand->value);
                m_there.drop(whole.inputs[rows].operand->value);
            }
        }
        parts.push_back(read);
    }
    const auto structureThere = isWhole ? bringStructure(running) : std::map<std::size_t, const at::Tensor*>{};
    Numbering sources;
    work.prepare = [&](std::int64_t first, std::int64_t last) {
        running.report(first, progress);
        const auto batch = std::make_shared<Batch>(m_batches.make(function, first, last, running.numbered ? &numbers : nullptr));
        DeviceBatch made;
        for (std::size_t i = 0; i < whole.inputs.size(); ++i) {
            const FunctionInput& in = whole.inputs[i];
            const at::Tensor* there = onDevice(in);
            const auto ordered = structureThere.find(i);
            made.inputs.push_back(there || ordered != structureThere.end() ? c10::IValue() : m_batches.input(in, *batch));
            if (ordered != structureThere.end()) {
                const StepOperand& operand = in.operand ? *in.operand : *in.sourcesOf;
                const int rowDim = in.operand ? operand.rowDim : 0;
                made.there[i] = [copy = ordered->second, rowDim, edges = m_batches.edgesIn(operand.frame, *batch)] {
                    return copy->narrow(rowDim, edges.first, edges.last - edges.first).contiguous();
                };
                continue;
            }
            if (!there)
                continue;
            if (in.operand->kind == OperandKind::StoredWhole) {
                made.there[i] = [there] { return *there; };
                continue;
            }
            at::Tensor ids = batch->ids[static_cast<std::size_t>(in.operand->frame)];
            if (ids.defined())
                ids = m_device->hostMemory(ids.sizes(), at::kInt).copy_(ids);
            made.there[i] = [this, there, ids, range = batch->range(in.operand->frame), value = in.operand->value] {
                return m_store.asRead(value, ids.defined() ? there->index_select(0, ids.to(m_device->place(), true))
                                                           : there->narrow(0, range.first, range.last - range.first));
            };
        }
        checkSourcesOf(whole, made.inputs, *batch);
        for (const ReadBySources& read : parts) {
            sources.clear();
            for (const std::size_t sourceIndex : read.sources)
                made.inputs[sourceIndex] = numbered(made.inputs[sourceIndex].toTensor(), sources);
            const at::Tensor nodes = view(sources.nodes()).clone();
            for (const std::size_t rows : read.rows)
                made.rows[rows] = {made.inputs[rows].toTensor(), nodes};
        }
        made.keep = [this, batch, &function, &stays, index](std::vector<c10::IValue>& results) {
            for (std::size_t i = 0; i < stays.size(); ++i)
                if (stays[i]) {
                    m_there.find(function.saves[i])->narrow(0, batch->first, batch->last - batch->first).copy_(results[i].toTensor());
                    if (!isReadOnHost(function.saves[i], index))
                        results[i] = {};
                }
        };
        made.save = [this, batch, &running](const std::vector<at::Tensor>& rows) {
            // What becomes the store itself, all rows at once or the graph's, must not lie where the next copies from the device come.
            const auto lasting = [&](const at::Tensor& passing) { return passing.clone(); };
            const bool isAll = batch->first == 0 && batch->last == running.total;
            for (std::size_t i = 0; i < running.function.saves.size(); ++i) {
                if (!rows[i].defined())
                    continue;
                const ValueId value = running.function.saves[i];
                m_store.save(value, isAll || m_a.values[value].rows == Rows::Graph ? lasting(rows[i]) : rows[i], *batch);
            }
            running.stats.edges += batch->edges;
            running.stats.blockNodes += batch->within();
        };
        return made;
    };
    work.gathersThere = m_gathersThere;
    work.compute = [&](std::vector<c10::IValue> inputs) { return whole.code.run(std::move(inputs)); };
    const DeviceRun done = runBatchesOn(*m_device, 0, running.total, batchSize, work, progress);
    running.stats.batches += done.batches;
    running.stats.prepareSeconds += done.prepareSeconds;
    running.stats.computeSeconds += done.waitSeconds;
    running.stats.writeSeconds += done.saveSeconds;
    running.stats.bytesToDevice += done.bytesIn;
    running.stats.bytesFromDevice += done.bytesOut;
    for (std::size_t i = 0; i < stays.size(); ++i)
        if (stays[i])
            running.stats.bytesKeptThere += static_cast<double>(m_there.find(function.saves[i])->nbytes());
    if (m_there.structureBytes() > static_cast<double>(m_device->freeBytes()))
        m_there.dropStructure();
    // Copies that later functions read there stay, where they leave as much again to others.
    for (const ValueId value : brought)
        if (const at::Tensor* there = m_there.find(value); there && (!isReadThere(value, index) || there->nbytes() > m_device->freeBytes()))
            m_there.drop(value);
    for (std::size_t i = 0; i < whole.inputs.size(); ++i)
        if (done.fixed[i].defined() && whole.inputs[i].operand && whole.inputs[i].operand->kind == OperandKind::StoredWhole)
            if (const ValueId value = whole.inputs[i].operand->value;
                mayLieThere(value) && isReadThere(value, index) && done.fixed[i].nbytes() <= m_device->freeBytes())
                m_there.keep(value, done.fixed[i]);
}

}  // namespace cleave
