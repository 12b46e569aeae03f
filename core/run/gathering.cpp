#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "core/analysis/op_view.h"
#include "core/base/memory_bound.h"
#include "core/base/pages.h"
#include "core/base/parallel.h"
#include "core/base/stopping.h"
#include "core/base/stopwatch.h"
#include "core/run/dense.h"
#include "core/run/edge_op.h"
#include "core/run/file_rows.h"
#include "core/run/gathering.h"
#include "core/run/running.h"
#include "core/run/side_by_side.h"

namespace cleave {

namespace {

std::int64_t entries(std::span<const std::int64_t> sizes)
{
    std::int64_t all = 1;
    for (const std::int64_t size : sizes)
        all *= size;
    return all;
}

// Which are looked up here and there.
bool isOfEdges(const FunctionInput& in)
{
    return in.sourcesOf || in.beginOf >= 0 || (in.operand && in.operand->kind == OperandKind::Slice);
}

}  // namespace

// Rows that will lie in files, and are too many to be read again for each batch.
std::set<ValueId> Gathering::readFromFiles(const CutFunction& function) const
{
    std::set<ValueId> values;
    if (m_targetsAtOnce < 0)
        return values;
    for (const ValueId value : function.reads) {
        const ValueFacts& facts = m_a.values[value];
        if (facts.rows != Rows::Nodes || facts.rowDim != 0)
            continue;
        std::int64_t rowBytes =
            static_cast<std::int64_t>(m_store.isNarrow(value) ? 2 : itemSize(m_a.program[value].dtype)) * facts.outer * facts.inner;
        const std::vector<Dim>& sizes = m_a.program[value].sizes;
        for (std::size_t d = 1; d < sizes.size(); ++d)
            rowBytes *= sizes[d].value;
        if (m_targetsAtOnce > 0 || !fitsWithinBound(static_cast<std::size_t>(rowBytes * m_graph.numNodes(facts.nodeType))))
            values.insert(value);
    }
    return values;
}

FunctionParts Gathering::partsOf(const CutFunction& function, const std::string& name) const
{
    if (auto parts = lowerGathering(m_a, function, m_run.constants, name, m_run.kernels, readFromFiles(function), m_store.narrowed());
        parts && !needsNumbers(function, parts->gathering)) {
        const bool isOfNodes = parts->withOwnRows && m_ownRows != OwnRows::Never && !m_graph.of(function).order.defined() &&
                               m_a.values[parts->withOwnRows->tensor].nodeType == function.nodeType &&
                               !needsNumbers(function, parts->withOwnRows->rest);
        return {std::move(parts->rest), std::move(parts->gathering), std::move(parts->outputs),
                isOfNodes ? std::move(parts->withOwnRows) : std::nullopt};
    }
    return {lowerFunction(m_a, function, m_run.constants, name, m_run.kernels, m_store.narrowed()), std::nullopt, {}, std::nullopt};
}

std::vector<FunctionInput> FunctionParts::inputs() const
{
    std::vector<FunctionInput> all = whole.inputs;
    const auto add = [&](const std::vector<FunctionInput>& some) { all.insert(all.end(), some.begin(), some.end()); };
    if (gathering)
        add(gathering->inputs);
    if (withOwnRows) {
        add(withOwnRows->inputs());
        add(withOwnRows->own.inputs);
        add(withOwnRows->scales.inputs);
        add(withOwnRows->rest.inputs);
    }
    return all;
}

GatheringBytes Gathering::bytesOf(const CutFunction& function, const LoweredFunction& gathering) const
{
    GatheringBytes bytes;
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

// Sources are let go before the sums are there, or count as edges' own if all of them are still read then.
GatheringBytes Gathering::bytesOf(const OwnRowsFunction& function) const
{
    const EdgeProgram& program = function.edges.program;
    GatheringBytes bytes{program.width(program.results.front().value) * static_cast<std::int64_t>(itemSize(function.edges.dtype)), 0, true};
    for (std::size_t i = 0; i < program.operands.size(); ++i)
        if (program.operands[i].row == EdgeRow::Edge)
            bytes.edge += program.operands[i].width * static_cast<std::int64_t>(itemSize(m_a.program[function.operands[i].operand->value].dtype));
    return bytes;
}

std::vector<ValueId> Gathering::segmentsIntoTargets(const CutFunction& function) const
{
    std::vector<ValueId> segments;
    for (std::size_t frame = 1; frame < function.frames.size(); ++frame)
        if (isIntoTargets(function, static_cast<int>(frame)))
            segments.push_back(function.frames[frame].index);
    return segments;
}

// Targets that take no more than so many bytes and edges than 32 bits count, or one.
Gathering::Part Gathering::partFrom(const Running& running, const GatheringBytes& each, std::int64_t first, double most) const
{
    std::vector<std::span<const std::int64_t>> begins;
    for (const ValueId segment : segmentsIntoTargets(running.function))
        begins.push_back(m_graph.of(running.function).edges.at(segment).begin);
    constexpr std::int64_t mostEdges = (std::int64_t{1} << 31) - 1;
    Part part{first, 0};
    for (std::int64_t all = 0; part.end < running.total; ++part.end) {
        std::int64_t edges = 0;
        for (const auto& begin : begins)
            edges += begin[static_cast<std::size_t>(part.end) + 1] - begin[static_cast<std::size_t>(part.end)];
        const double bytes = part.bytes + static_cast<double>(edges * each.edge + (edges > 0 || each.isOfAll ? each.target : 0));
        all += edges;
        if ((bytes > most || all > mostEdges) && part.end > first)
            break;
        part.bytes = bytes;
    }
    return part;
}

// Targets of a range that have edges: others need no memory for their sums. Undefined where hardly any have none, or places count from the first of
// all.
at::Tensor Gathering::liveTargets(const CutFunction& function, const LoweredFunction& gathering, std::int64_t first, std::int64_t last) const
{
    constexpr double few = 0.02;
    if (std::ranges::any_of(gathering.inputs, [](const FunctionInput& in) { return in.operand && in.operand->kind == OperandKind::LocalIndex; }))
        return {};
    const auto count = static_cast<std::size_t>(last - first);
    std::vector<bool> hasEdges(count);
    for (const ValueId segment : segmentsIntoTargets(function)) {
        const auto& begin = m_graph.of(function).edges.at(segment).begin;
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

// As few as there is memory for.
double Gathering::parts(const Running& running, const GatheringBytes& each) const
{
    const double all = partFrom(running, each, 0, std::numeric_limits<double>::infinity()).bytes;
    return std::max(1.0, std::ceil(all / std::max(static_cast<double>(roomInCore()), 1.0)));
}

bool Gathering::callLibraries(const CutFunction& function, const FunctionParts& parts) const
{
    constexpr std::int64_t rows = 8192, widest = 1 << 24;
    std::map<std::pair<std::int64_t, std::int64_t>, at::Tensor> matrices;
    const auto add = [&](const at::Tensor& matrix) {
        if (matrix.defined() && matrix.dim() == 2 && matrix.is_floating_point() && matrix.numel() <= widest)
            matrices.try_emplace({matrix.size(0), matrix.size(1)}, matrix);
    };
    if (parts.withOwnRows)
        add(parts.withOwnRows->matrix);
    for (const Step& step : function.steps)
        if (step.op.valid() && m_a.program[step.op].target == "aten::linear")
            if (const ValueId weight = OpView(m_a.program, m_a.program[step.op]).value("weight");
                weight.valid() && m_run.constants[weight].isTensor())
                add(m_run.constants[weight].toTensor());
    for (const auto& [sizes, matrix] : matrices) {
        denseLinear(at::zeros({rows, matrix.size(1)}, matrix.options()), matrix, {});
        // As OwnRowsRun does: each thread for itself.
        const int threads = at::get_num_threads();
        const SideBySide side;
        parallelFor(std::int64_t{4} * threads, threads, [&, &matrix = matrix](std::int64_t, int) {
            const SideBySide::Thread thread(side);
            denseLinear(at::zeros({rows / 8, matrix.size(1)}, matrix.options()), matrix, {});
        });
    }
    return !matrices.empty();
}

void Gathering::chooseWay(Running& running) const
{
    running.gatheringBytes = bytesOf(running.function, *running.parts.gathering);
    double count = parts(running, running.gatheringBytes);
    if (running.parts.withOwnRows) {
        const OwnRowsFunction& other = *running.parts.withOwnRows;
        const GatheringBytes bytes = bytesOf(other);
        const double otherCount = parts(running, bytes);
        if ((m_ownRows == OwnRows::Always || (liesInFile(m_store.at(other.tensor)) && otherCount <= count)) && canDivide(running)) {
            running.parts.takesOwnRows = true;
            running.parts.whole = std::move(running.parts.withOwnRows->rest);
            running.parts.gathered = {{}};
            running.numbered = false;
            running.gatheringBytes = bytes;
            count = otherCount;
        }
    }
    running.allBytes = partFrom(running, running.gatheringBytes, 0, std::numeric_limits<double>::infinity()).bytes;
    running.divideInto(count);
}

void Gathering::gather(Running& running, std::int64_t first, const Progress& progress) const
{
    running.report(first, progress);
    const Stoppable stoppable(progress.stop);
    Stopwatch watch;
    for (;;) {
        running.end = running.atOnce > 0 ? std::min(running.total, first + running.atOnce)
                                         : partFrom(running, running.gatheringBytes, first, running.partBytes).end;
        running.gathered = {first, running.parts.gathered, {}, {}};
        std::optional<MemoryInCore> inCore;
        if (running.end - first > 1)
            inCore.emplace(true);
        try {
            if (running.parts.takesOwnRows)
                running.gathered.rows = {withOwnRows(running, first)};
            else
                running.gathered.rows = gathered(running, first);
            break;
        } catch (const std::exception&) {
            progress.check();  // the interpreter hides what was thrown
            const bool mayShrink = running.allBytes > 0 || running.atOnce > 1;
            if (!inCore || !inCore->ranShort() || !mayShrink)
                throw;
        }
        running.gathered = {};
        giveBackPages();
        running.shrinkParts();
    }
    running.gatherSeconds += watch.lap();
    ++running.stats.gathers;
}

std::vector<at::Tensor> Gathering::gathered(Running& running, std::int64_t first) const
{
    const LoweredFunction& lowered = *running.parts.gathering;
    running.gathered.live = liveTargets(running.function, lowered, first, running.end);
    const Batch batch = m_batches.make(running.function, first, running.end, nullptr, running.gathered.live);
    std::vector<c10::IValue> arguments = m_batches.inputs(lowered, batch);
    for (std::size_t i = 0; i < arguments.size(); ++i)
        if (isOfEdges(lowered.inputs[i]))
            arguments[i] = inMemory(arguments[i].toTensor());
    std::vector<at::Tensor> rows;
    for (const c10::IValue& made : lowered.code.run(std::move(arguments)))
        rows.push_back(made.toTensor());
    return rows;
}

// What the sums of edges are divided by, [targets] float or double; undefined where that cannot be said: a scale of several numbers, or zero. A sum
// of no edges is zero and stays so, unless a scale makes it no number: that cannot be said, either.
at::Tensor Gathering::divisorsOf(const CutFunction& function, const OwnRowsFunction& way, std::int64_t first, std::int64_t last) const
{
    const Batch batch = m_batches.make(function, first, last, nullptr);
    at::Tensor divisors = at::ones({last - first}, way.edges.dtype == DType::Float64 ? at::kDouble : at::kFloat);
    const at::Tensor begin = m_batches.beginOf(way.begin.beginOf, batch),
                     degree = begin.narrow(0, 1, last - first).sub(begin.narrow(0, 0, last - first)), isEmpty = degree.eq(0);
    if (way.isMean)
        divisors.copy_(degree);
    const std::vector<c10::IValue> scales = way.scales.code.run(m_batches.inputs(way.scales, batch));
    for (std::size_t i = 0; i < scales.size(); ++i) {
        const at::Tensor scale = scales[i].toTensor();
        if (scale.dim() != 2 || scale.size(0) != last - first || (scale.size(1) != 1 && scale.stride(1) != 0))
            return {};
        const at::Tensor numbers = scale.select(1, 0),
                         makesNaN = way.divides[i] ? numbers.eq(0).logical_or(numbers.isnan()) : numbers.isfinite().logical_not();
        if (makesNaN.logical_and(isEmpty).any().item<bool>())
            return {};
        way.divides[i] ? divisors.mul_(numbers) : divisors.div_(numbers);
    }
    divisors.masked_fill_(isEmpty, 1);
    return divisors.isfinite().logical_and(divisors.ne(0)).all().item<bool>() ? divisors : at::Tensor();
}

bool Gathering::canDivide(const Running& running) const
{
    constexpr std::int64_t atOnce = 1 << 18;
    for (std::int64_t first = 0; first < running.total; first += atOnce)
        if (!divisorsOf(running.function, *running.parts.withOwnRows, first, std::min(running.total, first + atOnce)).defined())
            return false;
    return true;
}

// Sums with what the targets make of their own rows.
at::Tensor Gathering::withOwnRows(const Running& running, std::int64_t first) const
{
    const OwnRowsFunction& way = *running.parts.withOwnRows;
    const Batch batch = m_batches.make(running.function, first, running.end, nullptr);
    std::map<std::pair<const void*, std::int64_t>, at::Tensor> loaded;
    const auto argument = [&](const FunctionInput& in) {
        const at::Tensor tensor = m_batches.input(in, batch).toTensor();
        if (!in.sourcesOf)
            return isOfEdges(in) ? inMemory(tensor) : tensor;
        // Operands that are read at the same index share it.
        at::Tensor& there = loaded[{tensor.data_ptr(), tensor.numel()}];
        return there = there.defined() ? there : inMemory(tensor);
    };
    std::vector<at::Tensor> rows, indices;
    for (std::size_t i = 0; i < way.operands.size(); ++i) {
        rows.push_back(i == way.operand ? at::Tensor() : argument(way.operands[i]));
        indices.push_back(way.sources[i] ? argument(*way.sources[i]) : at::Tensor());
    }
    RowsOnce once{way.operand, m_store.at(way.tensor), way.matrix, first, {}, way.bias, {}};
    if (way.isMean || !way.divides.empty())
        once.divisors = divisorsOf(running.function, way, first, running.end);
    once.own = [&](std::int64_t from, const at::Tensor& piece) {
        const Batch targets = m_batches.make(running.function, from, from + piece.size(0), nullptr);
        std::vector<c10::IValue> arguments;
        for (const FunctionInput& in : way.own.inputs)
            arguments.push_back(in.operand && in.operand->value == way.tensor ? c10::IValue(m_store.asRead(way.tensor, piece))
                                                                              : m_batches.input(in, targets));
        return way.own.code.run(std::move(arguments)).front().toTensor();
    };
    const at::Tensor begin = argument(way.begin);
    loaded.clear();
    return runWithOwnRows(way.edges, std::move(rows), std::move(indices), {begin.data_ptr<std::int64_t>(), running.end - first}, once);
}

}  // namespace cleave
