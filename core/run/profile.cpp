#include <ATen/ATen.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>

#include "core/base/error.h"
#include "core/base/stopwatch.h"
#include "core/plan/work.h"
#include "core/run/executor.h"
#include "core/run/op_lowering.h"
#include "core/run/side_by_side.h"
#include "core/run/tensors.h"

namespace cleave {

namespace {

namespace jit = torch::jit;

// Runs the steps of a function one by one, each as a graph of its own.
class StepByStep {
public:
    StepByStep(const Analysis& analysis, const Constants& constants, std::function<c10::IValue(const StepOperand&)> input,
               std::function<std::int64_t(int)> rows, std::function<at::Tensor(const StepOperand&)> numbers,
               std::function<at::Tensor(const std::vector<int>&)> order, std::function<c10::IValue(const FunctionInput&)> edges)
        : m_a(analysis),
          m_constants(constants),
          m_input(std::move(input)),
          m_rows(std::move(rows)),
          m_numbers(std::move(numbers)),
          m_order(std::move(order)),
          m_edges(std::move(edges))
    {
    }

    double run(const FusedEdges& fused)
    {
        const EdgeOp op = edgeOp(m_a.program, fused);
        auto graph = std::make_shared<jit::Graph>();
        std::vector<c10::IValue> arguments;
        const auto add = [&](const c10::IValue& argument) {
            jit::Value* input = graph->addInput();
            input->setType(c10::TensorType::get());
            arguments.push_back(argument);
            return input;
        };
        jit::Value* begin = add(m_edges({.beginOf = fused.frame}));
        std::vector<jit::Value*> operands, sources;
        for (const FusedOperand& operand : fused.operands) {
            operands.push_back(add(value(operand.rows)));
            if (operand.row == EdgeRow::Source)
                sources.push_back(add(m_edges({.sourcesOf = operand.index})));
        }
        graph->registerOutput(insertEdgeOp(*graph, op, begin, operands, sources));
        const Lowered lowered(graph, "program");
        std::vector<c10::IValue> outputs;
        double seconds = secondsOf([&] { outputs = lowered.run(arguments); });
        const c10::List<at::Tensor> results = outputs.front().toTensorList();
        for (std::size_t i = 0; i < fused.results.size(); ++i)
            m_made[{fused.results[i].value, fused.results[i].frame, IndexInto::Nodes}] = results.get(i);
        if (fused.self) {
            const at::Tensor self = value(*fused.self).toTensor();
            seconds += secondsOf([&] { m_made[{fused.results[0].value, fused.results[0].frame, IndexInto::Nodes}] = self.add(results.get(0)); });
        }
        return seconds;
    }

    // isGlobal: all rows at once, as many as the op says.
    double run(const Step& step, bool isGlobal)
    {
        const Op& op = m_a.program[step.op];
        std::vector<c10::IValue> operands, outputs;
        for (const StepOperand& operand : step.operands)
            operands.push_back(value(operand));
        double seconds = 0;
        if (step.kind == StepKind::Forward) {
            outputs = {operands.front()};
        } else if (step.kind == StepKind::Concat) {
            std::vector<at::Tensor> parts;
            for (const c10::IValue& part : operands)
                parts.push_back(part.toTensor());
            const at::Tensor order = m_order(step.parts);
            seconds = secondsOf([&] { outputs = {at::cat(parts, step.rowDims.front()).index_select(step.rowDims.front(), order)}; });
        } else {
            auto graph = std::make_shared<jit::Graph>();
            std::vector<c10::IValue> arguments;
            const auto add = [&](const c10::IValue& argument) {
                jit::Value* input = graph->addInput();
                input->setType(argument.isTensor() ? c10::TypePtr(c10::TensorType::get()) : argument.type());
                arguments.push_back(argument);
                return input;
            };
            std::optional<RowEntry> rows;
            if (!isGlobal && !step.rowDims.empty() && step.rowDims.front() >= 0)
                rows = RowEntry{step.rowDims.front(), add(m_rows(step.frame) * step.entries)};
            const auto results = lowerOp(
                *graph, m_a.program, step.op, [&](std::size_t position, ValueId) { return add(operands.at(position)); }, rows);
            for (std::size_t i = 0; i < op.outputs.size() && i < results.size(); ++i)
                graph->registerOutput(results[i]);
            const Lowered lowered(graph, "step");
            seconds = secondsOf([&] { outputs = lowered.run(arguments); });
        }
        for (std::size_t i = 0; i < outputs.size(); ++i)
            m_made[{op.outputs[i], step.frame, step.into}] = outputs[i];
        return seconds;
    }

    // Forgets results that no later step reads, so that memory is used again as in a run.
    void freeAfter(const CutFunction& function, const EdgeFusion& fusion, std::size_t done)
    {
        if (m_lastRead.empty())
            findLastReaders(function, fusion);
        std::erase_if(m_made, [&](const auto& made) {
            const auto last = m_lastRead.find({std::get<0>(made.first), std::get<1>(made.first)});
            return last == m_lastRead.end() || last->second <= done;
        });
    }

    c10::IValue value(const StepOperand& operand)
    {
        switch (operand.kind) {
        case OperandKind::Step:
            return m_made.at({operand.value, operand.frame, operand.into});
        case OperandKind::Leading: {
            const auto made = m_made.find({operand.value, operand.from, IndexInto::Nodes});
            const at::Tensor wide = made != m_made.end() ? made->second.toTensor()
                                                         : m_input({OperandKind::Stored, operand.value, operand.rowDim, operand.from}).toTensor();
            const ValueFacts& facts = m_a.values[operand.value];
            std::vector<at::Tensor> parts = wide.chunk(facts.outer, operand.rowDim);
            for (at::Tensor& part : parts)
                part = part.narrow(operand.rowDim, 0, m_rows(operand.frame) * facts.inner);
            return parts.size() == 1 ? parts.front() : at::cat(parts, operand.rowDim);
        }
        case OperandKind::Numbered:
            return m_made.at({operand.value, operand.from, IndexInto::Nodes}).toTensor().index_select(operand.rowDim, m_numbers(operand));
        case OperandKind::Whole:
            if (m_a.values[operand.value].reach == Reach::Constant)
                return m_constants[operand.value];
            break;
        default:
            break;
        }
        const auto [known, fresh] = m_inputs.try_emplace({static_cast<int>(operand.kind), operand.value, operand.frame});
        if (fresh)
            known->second = m_input(operand);
        return known->second;
    }

private:
    // An edge program reads where it runs what the steps read that it is made of.
    void findLastReaders(const CutFunction& function, const EdgeFusion& fusion)
    {
        const auto note = [&](const StepOperand& operand, std::size_t reader) {
            std::size_t& last = m_lastRead[{operand.value, operand.from >= 0 ? operand.from : operand.frame}];
            last = std::max(last, reader);
        };
        for (const FusedEdges& program : fusion.programs) {
            for (const FusedOperand& operand : program.operands)
                note(operand.rows, program.step);
            if (program.self)
                note(*program.self, program.step);
        }
        for (std::size_t i = 0; i < function.steps.size(); ++i)
            for (const StepOperand& operand : function.steps[i].operands)
                note(operand, i);
        for (const StepOperand& result : function.results)
            note(result, function.steps.size());
    }

    const Analysis& m_a;
    const Constants& m_constants;
    std::map<std::pair<ValueId, int>, std::size_t> m_lastRead;  // the last step that reads a result in a frame; behind all of them: outputs
    std::function<c10::IValue(const StepOperand&)> m_input;
    std::function<std::int64_t(int)> m_rows;
    std::function<at::Tensor(const StepOperand&)> m_numbers;
    std::function<at::Tensor(const std::vector<int>&)> m_order;
    std::function<c10::IValue(const FunctionInput&)> m_edges;
    std::map<std::tuple<ValueId, int, IndexInto>, c10::IValue> m_made;
    std::map<std::tuple<int, ValueId, int>, c10::IValue> m_inputs;
};

// What stands in for a save point of the whole graph: of the shape that a batch's rows have, with values that any op takes.
at::Tensor standIn(const at::Tensor& rows, int rowDim, std::int64_t count)
{
    std::vector<std::int64_t> sizes = rows.sizes().vec();
    sizes[static_cast<std::size_t>(rowDim)] = count;
    if (!rows.is_floating_point())
        return at::zeros(sizes, rows.options());
    const std::int64_t known = std::max<std::int64_t>(rows.size(rowDim), 1);
    return rows.size(rowDim) == 0 ? at::zeros(sizes, rows.options()) : rows.index_select(rowDim, at::arange(count, at::kLong).remainder(known));
}

// Seconds and rows of some batches. What is far beyond the median per row was the machine doing something else.
class Measured {
public:
    void add(double seconds, double rows) { m_samples.emplace_back(seconds, rows); }

    double perRow() const
    {
        constexpr double beyond = 4;
        std::vector<double> ratios;
        for (const auto& [seconds, rows] : m_samples)
            if (rows > 0)
                ratios.push_back(seconds / rows);
        if (ratios.empty())
            return 0;
        std::ranges::nth_element(ratios, ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2));
        const double median = ratios[ratios.size() / 2];
        double time = 0, all = 0;
        for (const auto& [seconds, rows] : m_samples) {
            time += std::min(seconds, beyond * median * rows);
            all += rows;
        }
        return time / all;
    }

private:
    std::vector<std::pair<double, double>> m_samples;
};

}  // namespace

Profile LayerWise::profile(std::int64_t batchSize, int samples, const Progress& progress)
{
    using Clock = std::chrono::steady_clock;
    constexpr double secondsForFew = 1;
    const auto since = [](Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); };
    std::map<OpId, Measured> ops;
    std::map<ValueId, Measured> writes;
    Profile profile;
    profile.batchSize = batchSize;
    m_graph.groupAllEdges(progress);
    m_graph.computeProducts({m_cut.prologue.begin(), m_cut.prologue.end()}, progress);
    for (std::size_t f = 0; f < m_cut.functions.size(); ++f) {
        const CutFunction& function = m_cut.functions[f];
        const std::int64_t total = m_graph.rowsOf(function), size = batchSizeOf(function, batchSize);
        const std::int64_t batches = std::max<std::int64_t>(1, (total + size - 1) / size);
        const LoweredFunction lowered = lowerFunction(m_a, function, m_constants, "function_" + std::to_string(f), m_kernels);
        const EdgeFusion fusion = fuseEdges(m_a, function, m_kernels);
        const std::vector<bool> live = liveSteps(m_a.program, function, fusion);
        m_graph.groupStructure(function, lowered.inputs);
        Numberings* numbers = needsNumbers(function, lowered) ? &m_numbers : nullptr;
        // Batches that run at once have a thread each, and share the time.
        const int atOnce = this->atOnce(batches);
        std::optional<SideBySide> side;
        if (atOnce > 1)
            side.emplace();
        Measured prepare;
        std::map<ValueId, at::Tensor> sampleRows;
        // The first batch warms up; a graph of few batches has each of them measured several times, unless that takes long.
        const std::int64_t count = std::min<std::int64_t>(samples, batches);
        const auto begun = Clock::now();
        for (std::int64_t pass = -1; pass < samples && (pass < count || since(begun) < secondsForFew); ++pass) {
            const bool counts = pass >= 0;
            const std::int64_t sample = std::max<std::int64_t>(pass, 0) % count;
            progress.update((static_cast<double>(f) + static_cast<double>(std::max<std::int64_t>(pass, 0)) / samples) /
                                static_cast<double>(m_cut.functions.size()),
                            "Measuring " + functionName(function));
            const std::int64_t first = (2 * sample + 1) * batches / (2 * count) * size, last = std::min(total, first + size);
            // Blocks and slices of structure; rows of stores have rates of their own.
            auto start = Clock::now();
            const Batch batch = m_batches.make(function, first, last, numbers);
            for (const FunctionInput& in : lowered.inputs)
                if (!in.operand || in.operand->kind != OperandKind::Stored)
                    m_batches.input(in, batch);
            if (counts)
                prepare.add(since(start) / atOnce, static_cast<double>(std::accumulate(batch.rows.begin(), batch.rows.end(), std::int64_t{0})));
            StepByStep steps(
                m_a, m_constants, [&](const StepOperand& operand) { return m_batches.input(operand, batch); },
                [&](int frame) { return batch.rows[static_cast<std::size_t>(frame)]; },
                [&](const StepOperand& operand) { return m_batches.numbersInBatch(batch.idsOf(operand.frame), operand.ofType, batch); },
                [&](const std::vector<int>& parts) { return orderOf(parts, batch); },
                [&](const FunctionInput& in) { return m_batches.input(in, batch); });
            auto program = fusion.programs.begin();
            for (std::size_t s = 0; s < function.steps.size(); ++s) {
                const Step& step = function.steps[s];
                const int timed = timedFrame(m_a, step);
                const bool isOnce = function.isGlobal && !readsNodes(m_a, step.op) && m_a.ops[step.op].kind != OpKind::Scatter;
                const double rows = isOnce ? 1 : timed < 0 ? 0 : static_cast<double>(batch.rows[static_cast<std::size_t>(timed)]);
                const bool isProgram = program != fusion.programs.end() && program->step == s;
                if (!isProgram && !live[s])
                    continue;
                const double seconds = (isProgram ? steps.run(*program++) : steps.run(step, function.isGlobal)) / atOnce;
                steps.freeAfter(function, fusion, s);
                if (step.kind == StepKind::LocalIndex || m_a.values[m_a.program[step.op].outputs.front()].reach != Reach::Feature)
                    continue;
                if (counts)
                    ops[step.op].add(seconds, rows);
            }
            for (std::size_t i = 0; i < function.saves.size(); ++i) {
                const at::Tensor rows = steps.value(function.results[i]).toTensor();
                sampleRows[function.saves[i]] = rows;
                start = Clock::now();
                at::empty(rows.sizes(), rows.options()).copy_(rows);
                if (counts)
                    writes[function.saves[i]].add(since(start) / atOnce, static_cast<double>(last - first));
            }
        }
        profile.prepareSeconds[function.isOfLevel() ? function.level : -1 - static_cast<int>(f)] = prepare.perRow();
        for (const auto& [value, rows] : sampleRows) {
            const ValueFacts& facts = m_a.values[value];
            const std::int64_t all = function.rowsOf.valid() || facts.nodeType < 0 ? total : m_graph.numNodes(facts.nodeType);
            m_store.set(value, facts.rows == Rows::Graph ? rows : standIn(rows, facts.rowDim, all * facts.outer * facts.inner));
        }
    }
    for (const auto& [op, measured] : ops)
        profile.opSeconds[op] = measured.perRow();
    for (const auto& [value, measured] : writes)
        profile.writeSeconds[value] = measured.perRow();
    return profile;
}

}  // namespace cleave
