#include <ATen/ATen.h>

#include <algorithm>
#include <cctype>

#include "core/base/error.h"
#include "core/base/format.h"
#include "core/kernels/device/edge_plan.h"
#include "core/run/batch.h"
#include "core/run/device_batches.h"
#include "core/run/edge_op.h"
#include "core/run/running.h"

/// Functions that run on a device.
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
    std::transform(node, node + from.numel(), made.data_ptr<std::int32_t>(), [&](std::int32_t each) { return static_cast<std::int32_t>(numbers.add(each)); });
    return made;
}

}  // namespace

LayerWise::Parts LayerWise::partsOf(std::size_t f)
{
    if (!m_device)
        return partsOnCpu(f);
    const std::string reason = whyNotOnDevice(m_cut.functions[f]);
    if (reason.empty()) {
        Parts parts = partsOn(m_device->place(), m_cut.functions[f]);
        parts.isOnDevice = true;
        return parts;
    }
    notOnDevice(m_cut.functions[f], reason);
    return partsOnCpu(f);
}

// With the same inputs wherever that is.
LayerWise::Parts LayerWise::partsOn(c10::Device place, const CutFunction& function) const
{
    return {lowerFunction(m_a, function, m_constants, "on_device", m_kernels, m_narrow, place), std::nullopt, {}, std::nullopt};
}

// Inputs are there now. What cannot run there, or has nothing to do but to make an empty store, runs on the processor.
bool LayerWise::staysOnDevice(Running& running)
{
    const std::string reason = whyNotOnDevice(running.function, &running.parts.whole);
    if (!reason.empty())
        notOnDevice(running.function, reason);
    if (reason.empty() && running.total > 0)
        return true;
    running.parts = partsOn(c10::kCPU, running.function);
    return false;
}

// Of inputs that are read at any place, once they are there.
std::map<std::size_t, double> LayerWise::bytesAnywhere(const LoweredFunction& lowered) const
{
    std::map<std::size_t, double> bytes;
    for (std::size_t i = 0; i < lowered.inputs.size(); ++i)
        if (kindOf(lowered.inputs[i]) == DeviceWork::Input::Fixed)
            if (const c10::IValue value = input(*lowered.inputs[i].operand, Batch{}); value.isTensor())
                bytes[i] = static_cast<double>(value.toTensor().nbytes());
    return bytes;
}

// lowered: what is to be run, where its inputs are there.
std::string LayerWise::whyNotOnDevice(const CutFunction& function, const LoweredFunction* lowered) const
{
    if (function.isGlobal)
        return "it is a global op, which goes through stored rows";
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

void LayerWise::notOnDevice(const CutFunction& function, const std::string& reason)
{
    std::string name = functionName(function);
    name.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(name.front())));
    if (m_strictDevice)
        throw Error(name + " cannot run on " + m_device->name() + ": " + reason + ".");
    m_notices.push_back(name + " runs on the CPU instead of " + m_device->name() + ": " + reason + ".");
}

// Kernels trust them.
void LayerWise::checkSourcesOf(const LoweredFunction& lowered, const std::vector<c10::IValue>& inputs, const Batch& batch) const
{
    for (std::size_t i = 0; i < inputs.size(); ++i)
        if (const auto& sources = lowered.inputs[i].sourcesOf) {
            const at::Tensor index = inputs[i].toTensor().contiguous();
            const std::int64_t rows = sources->kind == OperandKind::LocalIndex && !batch.reach.empty() ? batch.reach.back() : numNodes(sources->ofType);
            checkSources({index.data_ptr<std::int32_t>(), static_cast<std::size_t>(index.numel())}, rows);
        }
}

void LayerWise::runOnDevice(Running& running, std::int64_t batchSize, const Progress& progress)
{
    const CutFunction& function = running.function;
    const LoweredFunction& whole = running.parts.whole;
    DeviceWork work;
    for (const FunctionInput& in : whole.inputs)
        work.inputs.push_back(kindOf(in));
    // All rows of the store where they fit, and of each batch those that it reads otherwise.
    const bool isWhole = sumOf(bytesAnywhere(whole)) <= partForAll * static_cast<double>(m_device->freeBytes());
    const std::vector<ReadBySources> parts = isWhole ? std::vector<ReadBySources>{} : whole.readBySources;
    for (const ReadBySources& read : parts)
        for (const std::size_t rows : read.rows)
            work.inputs[rows] = DeviceWork::Input::OfBatch;
    Numbering sources;
    work.prepare = [&](std::int64_t first, std::int64_t last) {
        running.report(first, progress);
        const auto batch = std::make_shared<Batch>(block(function, first, last, running.numbered ? m_numbers.get() : nullptr));
        DeviceBatch made{inputs(whole, *batch), {}, {}};
        checkSourcesOf(whole, made.inputs, *batch);
        for (const ReadBySources& read : parts) {
            sources.clear();
            for (const std::size_t index : read.sources)
                made.inputs[index] = numbered(made.inputs[index].toTensor(), sources);
            const at::Tensor nodes = view(sources.nodes()).clone();
            for (const std::size_t rows : read.rows)
                made.rows[rows] = {made.inputs[rows].toTensor(), nodes};
        }
        made.save = [this, batch, &running](const std::vector<at::Tensor>& rows) {
            // What becomes the store itself, all rows at once or the graph's, must not lie where the next copies from the device come.
            const bool isAll = batch->first == 0 && batch->last == running.total;
            for (std::size_t i = 0; i < running.function.saves.size(); ++i) {
                const ValueId value = running.function.saves[i];
                save(value, isAll || m_a.values[value].rows == Rows::Graph ? rows[i].clone() : rows[i], *batch, running);
            }
            running.stats.edges += batch->edges;
            running.stats.blockNodes += batch->reach.empty() ? 0 : batch->reach.back();
        };
        return made;
    };
    work.compute = [&](std::vector<c10::IValue> inputs) { return whole.code.run(std::move(inputs)); };
    const DeviceRun done = runBatchesOn(*m_device, 0, running.total, batchSize, work, progress);
    running.stats.batches += done.batches;
    running.stats.prepareSeconds += done.prepareSeconds;
    running.stats.computeSeconds += done.waitSeconds;
    running.stats.writeSeconds += done.saveSeconds;
    running.stats.bytesToDevice += done.bytesIn;
    running.stats.bytesFromDevice += done.bytesOut;
}

}  // namespace cleave
