#include <ATen/ATen.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "core/analysis/functional.h"
#include "core/base/error.h"
#include "core/base/format.h"
#include "core/run/choice.h"
#include "core/run/executor.h"
#include "core/run/op_lowering.h"
#include "core/run/precision.h"
#include "core/run/probe.h"
#include "core/run/tensors.h"
#include "core/run/widen.h"

namespace cleave {

namespace {

// What was compared is not the same.
class Differs : public Error {
public:
    using Error::Error;
};

// Largest difference relative to the largest value; infinite where shapes or NaNs differ.
double difference(const at::Tensor& found, const at::Tensor& expected)
{
    if (found.sizes() != expected.sizes())
        return std::numeric_limits<double>::infinity();
    if (found.numel() == 0)
        return 0;
    const at::Tensor a = found.to(at::kDouble), b = expected.to(at::kDouble);
    const at::Tensor same = a.eq(b).logical_or(a.isnan().logical_and(b.isnan()));
    const at::Tensor gap = a.sub(b).abs().masked_fill(same, 0);
    if (gap.isnan().any().item<bool>())
        return std::numeric_limits<double>::infinity();
    const at::Tensor finite = b.masked_fill(b.isfinite().logical_not(), 0).abs();
    return gap.max().item<double>() / std::max(finite.max().item<double>(), 1e-3);
}

// The same of numbers that say which scores were the largest, where these are known: scores that are equal up to rounding may be chosen either way.
double differenceOfChosen(const Choice& choice, const at::Tensor& scores, const at::Tensor& found, const at::Tensor& expected)
{
    if (found.sizes() != expected.sizes())
        return std::numeric_limits<double>::infinity();
    if (found.numel() == 0)
        return 0;
    const at::Tensor all = scores.to(at::kDouble);
    const double largest = all.masked_fill(all.isfinite().logical_not(), 0).abs().max().item<double>();
    return gapsOfChosen(choice, all, found, expected).max().item<double>() / std::max(largest, 1e-3);
}

// How far a value may be from what it should be, relative to the largest, computed from values with so few digits.
double allowedGap(DType narrowest)
{
    switch (narrowest) {
    case DType::BFloat16: return 0.1;
    case DType::Float16: return 0.02;
    case DType::Float64: return 1e-8;
    default: return 2e-3;
    }
}

// Save points of all functions in order, so that the first difference is the one to name.
std::vector<ValueId> comparedValues(const Analysis& analysis, const CutProgram& cut)
{
    std::vector<ValueId> values;
    for (const CutFunction& function : cut.functions)
        values.insert(values.end(), function.saves.begin(), function.saves.end());
    for (const ValueId output : analysis.program.outputs)
        if (analysis.values[output].reach == Reach::Feature)
            values.push_back(output);
    std::ranges::sort(values, {}, [&](ValueId v) { return analysis.program[v].producer; });
    return values;
}

// A cut that saves every node value: names the first op whose rows differ.
CutProgram savingEverything(CutProgram cut, const Analysis& analysis)
{
    for (CutFunction& function : cut.functions) {
        if (!function.isOfLevel())
            continue;
        function.saves.clear();
        function.results.clear();
        for (const Step& step : function.steps)
            for (std::size_t i = 0; isOverNodes(function, step) && step.kind != StepKind::LocalIndex && i < step.rowDims.size(); ++i)
                if (const ValueId value = analysis.program[step.op].outputs[i]; analysis.values[value].reach == Reach::Feature) {
                    function.saves.push_back(value);
                    function.results.push_back(savedRows(function, step, i, value));
                }
    }
    return cut;
}

void checkOn(const ProbeGraph& graph, const Analysis& analysis, const CutProgram& cut, const Constants& constants, const Progress& progress)
{
    const std::vector<ValueId> compared = comparedValues(analysis, cut);
    // Inputs must suit what does not depend on features as well.
    std::vector<ValueId> wanted = compared;
    wanted.insert(wanted.end(), cut.prologue.begin(), cut.prologue.end());
    std::map<std::size_t, std::pair<Choice, std::size_t>> choices;  // by position among the compared: how it was chosen, where the scores are
    for (std::size_t i = 0; i < compared.size(); ++i)
        if (const std::optional<Choice> choice = choiceOf(analysis.program, compared[i])) {
            choices.insert({i, {*choice, wanted.size()}});
            wanted.push_back(choice->scores);
        }
    std::vector<c10::IValue> whole;
    Bindings inputs;
    try {
        inputs = runnableProbeInputs(analysis, constants, graph, wanted, whole);
    } catch (const NotEnoughMemory&) {
        throw;
    } catch (const Error& error) {
        throw Error(std::string("The model does not run on a small random graph, so its cut cannot be checked. ") + error.what());
    }
    const IdMap<ValueId, DType> narrowest = narrowestTypes(analysis.program);
    const std::int64_t few = std::max<std::int64_t>(1, graph.nodes / 17);
    for (const auto& [batchSize, isBackwards] :
         {std::pair<std::int64_t, bool>{few, false}, {5 * few, false}, {4 * few, true}, {graph.nodes, false}}) {
        LayerWise run(analysis, cut, constants, inputs, Kernels::All, progress);
        run.keepAll();
        if (isBackwards) {
            NodeOrders orders;
            for (const std::int64_t nodes : run.graph().nodesOfTypes()) {
                std::vector<std::int64_t>& backwards = orders.ofTypes.emplace_back(static_cast<std::size_t>(nodes));
                std::iota(backwards.rbegin(), backwards.rend(), 0);
            }
            run.setOrders(orders);
        }
        try {
            run.run(batchSize, {progress.stop, {}});
        } catch (const NotEnoughMemory&) {
            throw;
        } catch (const Error& error) {
            throw Error(std::string("The cut model does not run on a small random graph, though the whole model does, so Cleave cannot cut it: ") +
                        error.what());
        }
        for (std::size_t i = 0; i < compared.size(); ++i) {
            const at::Tensor &found = run.store().at(compared[i]), expected = whole[i].toTensor();
            double gap = difference(found, expected);
            if (const auto chosen = choices.find(i); gap > 0 && chosen != choices.end())
                gap = differenceOfChosen(chosen->second.first, whole[chosen->second.second].toTensor(), found, expected);
            if (gap > allowedGap(narrowest[compared[i]]))
                throw Differs("The cut model does not give the whole model's answers on a small random graph: rows of " +
                            describe(analysis.program, analysis.program[compared[i]].producer) + " differ by " + formatNumber(gap) +
                            " of the largest value in batches of " + std::to_string(batchSize) + ", so the plan is refused.");
        }
    }
}

std::set<std::int64_t> rowsOfParameters(const Program& program)
{
    std::set<std::int64_t> rows;
    for (const Input& input : program.inputs)
        if (input.parameter.valid())
            rows.insert(program[input.parameter].sizes[0]);
    return rows;
}

// A random graph on which a program can be run with a matrix and with its edges. With a parameter for each node there is one number of nodes only.
std::optional<ProbeGraph> adjacencyProbe(const Analysis& analysis)
{
    constexpr std::int64_t mostNodes = 4096;  // the matrix is dense
    const std::set<std::int64_t> rows = rowsOfParameters(analysis.program);
    if (rows.empty())
        return ProbeGraph{17, 61, 4, 4, 11};
    if (rows.size() > 1 || *rows.begin() > mostNodes)
        return {};
    return ProbeGraph{*rows.begin(), 4 * *rows.begin(), 4, 4, 11};
}

// The inputs of the program as it was read: matrices in place of the edges that the lowered one takes.
Bindings withMatrices(const Program& read, const Program& lowered, const Bindings& edges, std::int64_t nodes)
{
    const auto inputOf = [&](const std::string& matrix, Role role) {
        const auto input = std::ranges::find_if(lowered.inputs, [&](const Input& i) { return i.matrix == matrix && i.role == role; });
        return edges.at(input->value).toTensor();
    };
    const auto rowsCountedBy = [&](const Dim& dim) {
        for (const Input& input : lowered.inputs)
            for (std::size_t d = 0; d < lowered[input.value].sizes.size(); ++d)
                if (lowered[input.value].sizes[d] == dim)
                    return edges.at(input.value).toTensor().size(static_cast<std::int64_t>(d));
        return nodes;
    };
    Bindings given;
    for (const Input& input : read.inputs) {
        const Value& value = read[input.value];
        if (const auto same = std::ranges::find(lowered.inputs, input.value, &Input::value); same != lowered.inputs.end()) {
            given[input.value] = edges.at(input.value);
            if (same->rowDim > 0)
                given[input.value] = edges.at(input.value).toTensor().movedim(0, same->rowDim);
        } else {
            const at::Tensor matrix = adjacencyOf(inputOf(value.name, Role::GraphStructure), inputOf(value.name, Role::EdgeFeatures),
                                                  rowsCountedBy(lowered[input.value].sizes.back()));
            given[input.value] = value.sizes.size() == 3 ? matrix.unsqueeze(0) : matrix;
        }
    }
    return given;
}

bool runsOn(const ProbeGraph& graph, const Analysis& analysis, const Constants& constants)
{
    try {
        std::vector<c10::IValue> results;
        runnableProbeInputs(analysis, constants, graph, analysis.program.outputs, results);
        return true;
    } catch (const NotEnoughMemory&) {
        throw;
    } catch (const Error&) {
        return false;
    }
}

// Small graphs; one of few nodes where rows are as large as many graphs or time steps side by side make them. A larger one where the program does not
// run on so few nodes: it has a parameter with a row for each, or looks for the best k of all.
std::vector<ProbeGraph> checkGraphs(const Analysis& analysis, const Constants& constants)
{
    const Program& program = analysis.program;
    constexpr double wide = 1 << 12;
    for (const Input& input : program.inputs) {
        double entries = 1;
        for (const Dim& dim : program[input.value].sizes)
            entries *= dim.isConstant() ? static_cast<double>(dim.value) : 1;
        if (entries > wide && input.rowDim > 0)
            return {ProbeGraph{7, 15, 2, 4, 11}};
    }
    const ProbeGraph small{17, 61, 4, 4, 11}, fewEdges{23, 39, 7, 4, 23};
    ProbeGraph larger{211, 4 * 211, 4, 4, 11};
    if (!runsOn(small, analysis, constants)) {
        const std::set<std::int64_t> rows = rowsOfParameters(program);
        if (!rows.empty()) {
            larger.nodes = *rows.begin();
            larger.edges = 4 * *rows.rbegin();
            larger.learnedNodes = true;
        }
        if (runsOn(larger, analysis, constants))
            return {larger};
    }
    return {small, runsOn(fewEdges, analysis, constants) ? fewEdges : larger};  // it may look for the best k of all edges
}

}  // namespace

void checkRewrites(const Analysis& traced, const Analysis& rewritten, const Progress& progress)
{
    const Constants before = evaluateConstants(traced), after = evaluateConstants(rewritten);
    guarded("Checking the rewrites failed", [&] {
        for (const ProbeGraph& graph : checkGraphs(traced, before)) {
            progress.update(graph.seed == 11 ? 0 : 0.5, "Checking the rewrites on random graphs");
            std::vector<c10::IValue> expected;
            const Bindings inputs = runnableProbeInputs(traced, before, graph, traced.program.outputs, expected);
            const std::vector<c10::IValue> found = runWhole(rewritten, after, inputs, rewritten.program.outputs);
            for (std::size_t i = 0; i < expected.size(); ++i)
                if (expected[i].isTensor() &&
                    difference(found.at(i).toTensor(), expected[i].toTensor()) > allowedGap(narrowestTypes(traced.program)[traced.program.outputs[i]]))
                    throw Error("The rewritten model does not give the model's answers on a small random graph: output '" +
                                traced.program[traced.program.outputs[i]].name + "' differs. Open it without rewrites.");
        }
    });
}

namespace {

// All that outputs are made of, or may be: whatever is changed in place may have another name.
std::vector<bool> neededAsRead(const Program& program)
{
    std::vector<bool> isNeeded(program.ops.size()), isRead(program.values.size());
    const auto of = [](ValueId id) { return static_cast<std::size_t>(id.index); };
    for (const ValueId output : program.outputs)
        isRead[of(output)] = true;
    for (std::size_t i = program.ops.size(); i-- > 0;) {
        const Op& op = program.ops[i];
        isNeeded[i] = isInPlace(op) || std::ranges::any_of(op.outputs, [&](ValueId id) { return isRead[of(id)]; });
        if (isNeeded[i])
            forEachOperand(op, [&](ValueId id) { isRead[of(id)] = true; });
    }
    return isNeeded;
}

// One op after the other, on tensors that ops in place change.
std::vector<c10::IValue> runAsRead(const Program& program, const Bindings& inputs)
{
    std::vector<c10::IValue> values(program.values.size());
    const auto of = [&](ValueId id) -> c10::IValue& { return values[static_cast<std::size_t>(id.index)]; };
    for (std::size_t v = 0; v < values.size(); ++v)
        if (const Value& value = program.values[v]; value.weight.valid())
            values[v] = toTensor(program[value.weight]).clone();
    for (const auto& [id, input] : inputs)
        of(id) = input.isTensor() ? c10::IValue(input.toTensor().clone()) : input;
    const std::vector<bool> isNeeded = neededAsRead(program);
    for (std::size_t i = 0; i < program.ops.size(); ++i) {
        const OpId id{static_cast<int>(i)};
        if (!isNeeded[i])
            continue;
        const std::vector<c10::IValue> results = callOp(program, id, [&](std::size_t, ValueId operand) { return of(operand); });
        for (std::size_t o = 0; o < std::min(results.size(), program[id].outputs.size()); ++o)
            of(program[id].outputs[o]) = results[o];
    }
    std::vector<c10::IValue> outputs;
    std::ranges::transform(program.outputs, std::back_inserter(outputs), of);
    return outputs;
}

// The outputs of the program as it was read, and as it is now, on the same random graph.
std::pair<std::vector<c10::IValue>, std::vector<c10::IValue>> answersOn(const ProbeGraph& graph, const Program& read, const Analysis& analysis,
                                                                        const Constants& known)
{
    std::vector<c10::IValue> found;
    Bindings inputs = runnableProbeInputs(analysis, known, graph, analysis.program.outputs, found);
    for (const Input& input : analysis.program.inputs)
        if (input.parameter.valid())
            inputs[input.value] = toTensor(analysis.program[input.parameter]);
    found = runWhole(analysis, known, inputs, analysis.program.outputs);
    return {runAsRead(read, withMatrices(read, analysis.program, inputs, graph.nodes)), found};
}

}  // namespace

bool checkReading(const Program& read, const Analysis& analysis, const Progress& progress)
{
    const bool hasMatrices = analysis.matrices + analysis.ownMatrices > 0;
    const bool isRestated = hasMatrices || analysis.restated > 0;
    if (!isRestated && analysis.inPlace == 0)
        return true;
    const Constants known = evaluateConstants(analysis);
    const std::optional<ProbeGraph> graph = hasMatrices ? adjacencyProbe(analysis) : checkGraphs(analysis, known).front();
    if (!graph)
        return false;
    guarded("Checking what was made of the model failed", [&] {
        progress.update(0, "Checking what was made of the model on a random graph");
        ProbeGraph even = *graph;  // the program as it was read may take rows in pairs
        even.nodes += even.nodes % 2;
        even.edges += even.edges % 2;
        std::vector<c10::IValue> expected, found;
        try {
            std::tie(expected, found) = answersOn(*graph, read, analysis, known);
        } catch (const std::exception&) {
            progress.check();
            if (!isRestated)
                return;  // it may have ops that LibTorch has under another name, or take other inputs
            if (hasMatrices)
                throw;
            std::tie(expected, found) = answersOn(even, read, analysis, known);
        }
        for (std::size_t i = 0; i < expected.size(); ++i)
            if (expected[i].isTensor() && difference(found.at(i).toTensor(), expected[i].toTensor()) > allowedGap(narrowestTypes(read)[read.outputs[i]]))
                throw Error(
                    hasMatrices
                        ? "With edges in place of the adjacency matrix the model does not give the same answers on a small random graph: output '" +
                              read[read.outputs[i]].name + "' differs. Give the model edge_index."
                        : "What was made of the model does not give the same answers on a small random graph: output '" + read[read.outputs[i]].name +
                              "' differs.");
    });
    return true;
}

namespace {

// What is left of numbers that cancel each other (means of what was made to have none) is rounding, cut or not: with more digits the answers agree.
bool agreesInFloat64(const ProbeGraph& graph, const Analysis& analysis, const CutProgram& cut, const Constants& constants, const Progress& progress)
{
    if (narrowestType(analysis.program) != DType::Float32)
        return false;
    Constants wide = constants;
    for (std::size_t v = 0; v < analysis.program.values.size(); ++v)
        wide[ValueId{static_cast<int>(v)}] = inFloat64(wide[ValueId{static_cast<int>(v)}]);
    try {
        checkOn(graph, inFloat64(analysis), cut, wide, progress);
        return true;
    } catch (const Error&) {
        progress.check();
        return false;
    }
}

}  // namespace

void checkCut(const Analysis& analysis, const CutProgram& cut, const Progress& progress)
{
    const Constants constants = evaluateConstants(analysis);
    guarded("Checking the cut failed", [&] {
        for (const ProbeGraph& graph : checkGraphs(analysis, constants)) {
            progress.update(graph.seed == 11 ? 0 : 0.5, "Checking the cut on random graphs");
            try {
                checkOn(graph, analysis, cut, constants, progress);
            } catch (const Differs&) {
                if (agreesInFloat64(graph, analysis, cut, constants, progress))
                    continue;
                // Save points tell that something differs; with every node value saved the first one is named.
                checkOn(graph, analysis, savingEverything(cut, analysis), constants, progress);
                throw;
            }
        }
    });
}

}  // namespace cleave
