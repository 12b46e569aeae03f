#include <ATen/ATen.h>

#include <cctype>
#include <set>

#include "core/base/error.h"
#include "core/base/format.h"
#include "core/base/stopwatch.h"
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

}  // namespace

LayerWise::Parts LayerWise::partsOf(std::size_t f)
{
    if (!m_device)
        return partsOnCpu(f);
    const std::string reason = whyNotOnDevice(m_cut.functions[f]);
    if (reason.empty())
        return partsOnDevice(f);
    notOnDevice(m_cut.functions[f], reason);
    return partsOnCpu(f);
}

LayerWise::Parts LayerWise::partsOnDevice(std::size_t f) const
{
    Parts parts{lowerFunction(m_a, m_cut.functions[f], m_constants, "function_" + std::to_string(f), m_kernels, m_narrow, m_device->place()), std::nullopt, {}, std::nullopt};
    parts.isOnDevice = true;
    return parts;
}

// lowered: what is to be run, once its inputs are there.
std::string LayerWise::whyNotOnDevice(const CutFunction& function, const LoweredFunction* lowered) const
{
    if (function.isGlobal)
        return "it is a global op, which goes through stored rows";
    if (!lowered)
        return {};
    constexpr double part = 0.75;  // the rest is for batches
    double bytes = 0;
    std::set<ValueId> known;
    for (const FunctionInput& in : lowered->inputs)
        if (kindOf(in) == DeviceWork::Input::Fixed && known.insert(in.operand->value).second)
            if (const c10::IValue value = input(*in.operand, Batch{}); value.isTensor())
                bytes += static_cast<double>(value.toTensor().nbytes());
    const auto free = static_cast<double>(m_device->freeBytes());
    return bytes <= part * free ? "" : "what it reads at any place takes " + formatBytes(bytes) + ", and " + formatBytes(free) + " are free there";
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
    work.prepare = [&](std::int64_t first, std::int64_t last) {
        running.report(first, progress);
        const auto batch = std::make_shared<Batch>(block(function, first, last, running.numbered ? m_numbers.get() : nullptr));
        DeviceBatch made{inputs(whole, *batch), {}};
        checkSourcesOf(whole, made.inputs, *batch);
        made.save = [this, batch, &running](const std::vector<at::Tensor>& rows) {
            // All rows at once may become the store themselves, but not where copies from the device come.
            const bool isAll = batch->first == 0 && batch->last == running.total;
            for (std::size_t i = 0; i < running.function.saves.size(); ++i)
                save(running.function.saves[i], isAll ? rows[i].clone() : rows[i], *batch, running);
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
