#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/memory_bound.h"
#include "core/base/pages.h"
#include "core/base/stopping.h"
#include "core/base/stopwatch.h"
#include "core/run/batch.h"
#include "core/run/file_rows.h"
#include "core/run/running.h"

/// What is reduced of the edges into many targets before batches run on them.
namespace cleave {

namespace {

std::int64_t entries(std::span<const std::int64_t> sizes)
{
    std::int64_t all = 1;
    for (const std::int64_t size : sizes)
        all *= size;
    return all;
}

}  // namespace

// Rows that will lie in files, and are too many to be read again for each batch.
std::set<ValueId> LayerWise::readFromFiles(const CutFunction& function) const
{
    std::set<ValueId> values;
    if (m_gatherAtOnce < 0)
        return values;
    for (const ValueId value : function.reads) {
        const ValueFacts& facts = m_a.values[value];
        if (facts.rows != Rows::Nodes || facts.rowDim != 0)
            continue;
        std::int64_t rowBytes = static_cast<std::int64_t>(m_narrow.contains(value) ? 2 : itemSize(m_a.program[value].dtype)) * facts.outer * facts.inner;
        const std::vector<Dim>& sizes = m_a.program[value].sizes;
        for (std::size_t d = 1; d < sizes.size(); ++d)
            rowBytes *= sizes[d].value;
        if (m_gatherAtOnce > 0 || !fitsWithinBound(static_cast<std::size_t>(rowBytes * numNodes(facts.nodeType))))
            values.insert(value);
    }
    return values;
}

LayerWise::Parts LayerWise::partsOf(std::size_t f) const
{
    const CutFunction& function = m_cut.functions[f];
    const std::string name = "function_" + std::to_string(f);
    if (auto parts = lowerGathering(m_a, function, m_constants, name, m_kernels, readFromFiles(function), m_narrow);
        parts && !needsNumbers(function, parts->gathering))
        return {std::move(parts->rest), std::move(parts->gathering), std::move(parts->outputs)};
    return {lowerFunction(m_a, function, m_constants, name, m_kernels, m_narrow), std::nullopt, {}};
}

LayerWise::GatheringBytes LayerWise::bytesOf(const CutFunction& function, const LoweredFunction& gathering) const
{
    constexpr std::int64_t next = sizeof(std::int32_t);  // the source of a target's next edge
    GatheringBytes bytes{next, 0};
    for (const auto& op : gathering.edgeOps)
        for (std::size_t r = 0; r < op->sizes.size(); ++r)
            (op->program.results[r].reduced ? bytes.target : bytes.edge) += entries(op->sizes[r]) * static_cast<std::int64_t>(itemSize(op->dtype));
    for (const FunctionInput& in : gathering.inputs) {
        if (in.sourcesOf)
            bytes.edge += static_cast<std::int64_t>(sizeof(std::int32_t));
        if (!in.operand || m_a.program[in.operand->value].kind != ValueKind::Tensor)
            continue;
        std::int64_t row = static_cast<std::int64_t>(itemSize(m_a.program[in.operand->value].dtype));
        for (const Dim& size : m_a.program[in.operand->value].sizes)
            row *= size.isConstant() ? size.value : 1;
        if (in.operand->kind == OperandKind::Slice && isIntoTargets(function, in.operand->frame))
            bytes.edge += row;
        else if (in.operand->kind == OperandKind::Stored || in.operand->kind == OperandKind::Slice)
            bytes.target += row;
    }
    return bytes;
}

std::vector<ValueId> LayerWise::segmentsIntoTargets(const CutFunction& function) const
{
    std::vector<ValueId> segments;
    for (std::size_t frame = 1; frame < function.frames.size(); ++frame)
        if (isIntoTargets(function, static_cast<int>(frame)))
            segments.push_back(function.frames[frame].index);
    return segments;
}

// Targets that take no more than so many bytes, or one.
LayerWise::Part LayerWise::partFrom(const Running& running, std::int64_t first, double most) const
{
    const GatheringBytes each = running.gatheringBytes;
    std::vector<std::span<const std::int64_t>> begins;
    for (const ValueId segment : segmentsIntoTargets(running.function))
        begins.push_back(of(running.function).edges.at(segment).begin);
    Part part{first, 0};
    for (; part.end < running.total; ++part.end) {
        std::int64_t edges = 0;
        for (const auto& begin : begins)
            edges += begin[static_cast<std::size_t>(part.end) + 1] - begin[static_cast<std::size_t>(part.end)];
        const double bytes = part.bytes + static_cast<double>(edges * each.edge + (edges > 0 ? each.target : 0));
        if (bytes > most && part.end > first)
            break;
        part.bytes = bytes;
    }
    return part;
}

// Targets of a range that have edges: others need no memory for their sums. Undefined where hardly any have none, or places count from the first of all.
at::Tensor LayerWise::liveTargets(const CutFunction& function, const LoweredFunction& gathering, std::int64_t first, std::int64_t last) const
{
    constexpr double few = 0.02;
    if (std::ranges::any_of(gathering.inputs, [](const FunctionInput& in) { return in.operand && in.operand->kind == OperandKind::LocalIndex; }))
        return {};
    const auto count = static_cast<std::size_t>(last - first);
    std::vector<bool> hasEdges(count);
    for (const ValueId segment : segmentsIntoTargets(function)) {
        const auto& begin = of(function).edges.at(segment).begin;
        for (std::size_t i = 0; i < count; ++i)
            if (begin[static_cast<std::size_t>(first) + i + 1] > begin[static_cast<std::size_t>(first) + i])
                hasEdges[i] = true;
    }
    const auto live = std::ranges::count(hasEdges, true);
    if (static_cast<double>(live) > (1 - few) * static_cast<double>(count))
        return {};
    at::Tensor targets = at::empty({static_cast<std::int64_t>(live)}, at::kLong);
    auto* out = targets.data_ptr<std::int64_t>();
    for (std::size_t i = 0; i < count; ++i)
        if (hasEdges[i])
            *out++ = static_cast<std::int64_t>(i);
    return targets;
}

// Into as few parts as there is memory for.
void LayerWise::divide(Running& running) const
{
    running.gatheringBytes = bytesOf(running.function, *running.parts.gathering);
    running.allBytes = partFrom(running, 0, std::numeric_limits<double>::infinity()).bytes;
    running.divideInto(std::ceil(running.allBytes / std::max(static_cast<double>(roomInCore()), 1.0)));
}

// For as many targets from this one on as there is memory for: the fewer, the more often rows are read.
void LayerWise::gather(Running& running, std::int64_t first, const Progress& progress)
{
    const LoweredFunction& lowered = *running.parts.gathering;
    running.report(first, progress);
    const Stoppable stoppable(progress.stop);
    Stopwatch watch;
    for (;;) {
        running.end = running.atOnce > 0 ? std::min(running.total, first + running.atOnce) : partFrom(running, first, running.partBytes).end;
        running.gathered = {first, running.parts.gathered, {}, {}};
        std::optional<MemoryInCore> inCore;
        if (running.end - first > 1)
            inCore.emplace(true);
        try {
            running.gathered.live = liveTargets(running.function, lowered, first, running.end);
            const Batch batch = block(running.function, first, running.end, nullptr, running.gathered.live);
            std::vector<c10::IValue> arguments = inputs(lowered, batch);
            for (std::size_t i = 0; i < arguments.size(); ++i)
                if (const FunctionInput& in = lowered.inputs[i]; in.sourcesOf || in.beginOf >= 0 || (in.operand && in.operand->kind == OperandKind::Slice))
                    arguments[i] = inMemory(arguments[i].toTensor());
            for (const c10::IValue& rows : lowered.code.run(std::move(arguments)))
                running.gathered.rows.push_back(rows.toTensor());
            break;
        } catch (const std::exception&) {
            progress.check();  // the interpreter hides what was thrown
            if (!inCore || !inCore->ranShort())
                throw;
        }
        running.gathered = {};
        giveBackPages();
        running.shrinkParts();
    }
    running.gatherSeconds += watch.lap();
    ++running.stats.gathers;
}

at::Tensor LayerWise::gatheredRows(int output, const Batch& batch) const
{
    const Gathered& gathered = *batch.gathered;
    const at::Tensor& rows = gathered.rows[static_cast<std::size_t>(output)];
    const auto& [frame, empty] = gathered.outputs[static_cast<std::size_t>(output)];
    if (frame > 0) {
        const auto& begin = of(*batch.function).edges.at(batch.function->frames[static_cast<std::size_t>(frame)].index).begin;
        const auto edge = [&](std::int64_t target) { return begin[static_cast<std::size_t>(target)]; };
        return rows.narrow(0, edge(batch.first) - edge(gathered.first), edge(batch.last) - edge(batch.first));
    }
    const std::int64_t first = batch.first - gathered.first, last = batch.last - gathered.first;
    if (!gathered.live.defined())
        return rows.narrow(0, first, last - first);
    const std::span<const std::int64_t> live = numbersOf(gathered.live);
    const auto place = [&](std::int64_t target) { return std::ranges::lower_bound(live, target) - live.begin(); };
    const std::int64_t from = place(first), count = place(last) - from;
    std::vector<std::int64_t> sizes = rows.sizes().vec();
    sizes.front() = last - first;
    return at::full(sizes, empty, rows.options()).index_copy_(0, gathered.live.narrow(0, from, count).sub(first), rows.narrow(0, from, count));
}

}  // namespace cleave
