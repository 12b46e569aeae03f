#include <ATen/ATen.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/pages.h"
#include "core/run/bind.h"
#include "core/run/choice.h"
#include "core/run/comparing.h"
#include "core/run/precision.h"
#include "core/run/targets.h"
#include "core/run/tensors.h"

namespace cleave {

namespace {

// The nodes whose rows differ most; none if some of what differs is not one row for each node.
std::vector<std::int64_t> differingNodes(const VerifyResult& result, const Model& model, const RunOptions& options)
{
    std::set<std::int64_t> nodes;
    for (const Comparison& c : result.comparisons)
        for (const std::int64_t row : c.worstRows) {
            const std::vector<ValueId>& outputs = model.program().outputs;
            const bool isOfNodes = std::ranges::any_of(outputs, [&](ValueId id) {
                const ValueFacts& facts = model.analysis->values[id];
                return model.program()[id].name == c.output && facts.rows == Rows::Nodes && facts.rowDim == 0 && facts.outer * facts.inner == 1;
            });
            if (!isOfNodes || model.analysis->types() > 1)
                return {};
            nodes.insert(options.targets.empty() ? row : options.targets[static_cast<std::size_t>(row)]);
        }
    return {nodes.begin(), nodes.end()};
}

// How far do rows that differ move for reasons that have nothing to do with the cut? Only what they need is computed, where that is possible.
void addJitters(VerifyResult& result, const Model& model, const DataGraph& graph, const VerifyOptions& options, const Progress& progress)
{
    const auto mayMove = [](const Comparison& c) { return !c.worstRows.empty() && c.b != "op by op" && !c.equalInFloat64; };
    const Program& program = model.program();
    const auto hasDigits = [&](const Input& input) {
        return program[input.value].kind == ValueKind::Tensor && isFloating(program[input.value].dtype);
    };
    if (options.run.narrowStore || std::ranges::none_of(result.comparisons, mayMove) || std::ranges::none_of(program.inputs, hasDigits))
        return;
    const std::vector<std::int64_t> nodes = differingNodes(result, model, options.run);
    const int runs = nodes.empty() ? 3 : 16;
    RunOptions moved = options.run;
    moved.store.clear();
    moved.resume = moved.warmsUp = false;
    if (!nodes.empty()) {
        moved.targets = nodes;
        moved.targetType = model.analysis->nodeTypes.front().name;
    }
    const auto rowIn = [&](std::int64_t row) {
        const std::int64_t node = options.run.targets.empty() ? row : options.run.targets[static_cast<std::size_t>(row)];
        return nodes.empty() ? row : std::ranges::lower_bound(nodes, node) - nodes.begin();
    };
    for (moved.jitter = 1; moved.jitter <= runs; ++moved.jitter) {
        const RunResult run = runLayerWise(model, graph, moved, progress);
        for (Comparison& c : result.comparisons)
            for (std::size_t i = 0; i < run.outputs.size() && !c.worstRows.empty(); ++i) {
                if (run.outputs[i].name != c.output || !mayMove(c))
                    continue;
                std::vector<std::int64_t> rows;
                std::ranges::transform(c.worstRows, std::back_inserter(rows), rowIn);
                const int rowDim = run.outputs[i].rowDim;
                const std::vector<double> gaps =
                    largestGaps(rowsOf(result.layerWise.outputs[i].array, rowDim, c.worstRows), rowsOf(run.outputs[i].array, rowDim, rows));
                c.worstJitters.resize(gaps.size());
                std::ranges::transform(gaps, c.worstJitters, c.worstJitters.begin(), [](double a, double b) { return std::max(a, b); });
                if (nodes.empty() && run.outputs[i].array.shape == result.layerWise.outputs[i].array.shape) {
                    const Comparison all = compare(run.outputs[i], result.layerWise.outputs[i].array, result.tolerance);
                    c.rowsJittered = std::max(c.rowsJittered, all.rowsOver);
                    c.jitter = std::max(c.jitter, all.maxAbsolute);
                }
            }
    }
}

// Outputs that say which scores were the largest: the scores are asked for when they are needed, once.
class ChosenOutputs {
public:
    ChosenOutputs(const Model& model, const DataGraph& graph, const RunOptions& options, const Progress& progress)
        : m_model(model), m_graph(graph), m_options(options), m_progress(progress), m_targets(targetsOf(*model.analysis, options))
    {
        for (const ValueId output : model.uncut().program.outputs)
            m_choices.push_back(choiceOf(model.uncut().program, output));
    }

    // Of output i: see allowOtherChoices. Nothing changes where the scores do not fit into memory beside what is there.
    void allow(Comparison& c, std::size_t i, const NamedArray& ids, const Array& expected, const Tolerance& tolerance)
    {
        if (c.equal || !m_choices[i] || !scoresHaveRowsOf(i))
            return;
        try {
            if (m_scores.empty())
                run();
        } catch (const NotEnoughMemory&) {
            return;
        }
        const at::Tensor scores = askedRows(*m_model.analysis, m_model.program().outputs[i], m_scores[i], m_targets);
        allowOtherChoices(c, ids, expected, *m_choices[i], scores, tolerance);
    }

private:
    // Some nodes are asked for: their rows lie along the same dimension of both.
    bool scoresHaveRowsOf(std::size_t i) const
    {
        const Choice& choice = *m_choices[i];
        const int rowDim = m_model.analysis->values[m_model.program().outputs[i]].rowDim;
        return m_targets.areAll() || (choice.dim && rowDim >= 0 && (choice.isKept ? *choice.dim != rowDim : *choice.dim > rowDim));
    }

    void run()
    {
        std::vector<ValueId> wanted;
        for (const std::optional<Choice>& choice : m_choices)
            if (choice)
                wanted.push_back(choice->scores);
        const std::vector<at::Tensor> scores = runForValues(m_model, m_graph, m_options, wanted, m_progress);
        auto next = scores.begin();
        for (const std::optional<Choice>& choice : m_choices)
            m_scores.push_back(choice ? *next++ : at::Tensor());
    }

    const Model& m_model;
    const DataGraph& m_graph;
    const RunOptions& m_options;
    const Progress& m_progress;
    Targets m_targets;
    std::vector<std::optional<Choice>> m_choices;
    std::vector<at::Tensor> m_scores;  // of the uncut model; undefined where none are chosen from
};

void addComparisons(VerifyResult& result, const RunResult& run, const std::string& name, const std::vector<const Array*>& expected,
                    const std::string& expectedName, ChosenOutputs& chosen)
{
    for (std::size_t i = 0; i < run.outputs.size(); ++i)
        if (expected[i] && run.outputs[i].isAsked) {
            Comparison& c = result.comparisons.emplace_back(compare(run.outputs[i], *expected[i], result.tolerance));
            c.a = name;
            c.b = expectedName;
            if (!result.sample)
                chosen.allow(c, i, run.outputs[i], *expected[i], result.tolerance);
        }
}

// What rounds in narrower numbers may take more than tolerance from both. The cut model is no further off than the uncut one, and not far.
bool isNearer(const VerifyResult& result, std::size_t output, const Array& wide, const Comparison& cut)
{
    constexpr double times = 4;
    const Tolerance wider{times * result.tolerance.absolute, times * result.tolerance.relative};
    return compare(result.layerWise.outputs[output], wide, wider).equal &&
           cut.maxAbsolute <= compare(result.full.outputs[output], wide, result.tolerance).maxAbsolute;
}

// The uncut model adds up long sums one number after the other, and is itself the less exact: in float64 it tells who is right.
void compareInFloat64(VerifyResult& result, const Model& model, const DataGraph& graph, const VerifyOptions& options, const Progress& progress)
{
    const auto isOfCut = [](const Comparison& c, const std::string& b) { return c.a == "layer-wise" && c.b == b; };
    const auto isOpen = [&](const Comparison& c) { return !c.equal && isOfCut(c, "full graph"); };
    const DType narrowest = narrowestType(model.program());
    if (result.sample || options.run.narrowStore || std::ranges::none_of(result.comparisons, isOpen) || narrowest == DType::Float64)
        return;
    RunResult wide;
    try {
        RunOptions plain = options.run;
        plain.warmsUp = false;
        wide = runInFloat64(model, graph, plain, progress);
    } catch (const Error&) {  // there is no room for it, or an operator that has no float64
        return;
    }
    for (std::size_t i = 0; i < wide.outputs.size(); ++i) {
        const auto equalTo = [&](const std::string& a, const std::string& b) {
            return std::ranges::any_of(result.comparisons,
                                       [&](const Comparison& c) { return c.output == wide.outputs[i].name && c.a == a && c.b == b && c.equal; });
        };
        const Comparison cut = compare(result.layerWise.outputs[i], wide.outputs[i].array, result.tolerance);
        if (!cut.equal && !isNearer(result, i, wide.outputs[i].array, cut))
            continue;
        const bool isAsExpected = equalTo("full graph", "expected");
        for (Comparison& c : result.comparisons) {
            if (c.equal || c.output != wide.outputs[i].name || !(isOfCut(c, "full graph") || (isAsExpected && isOfCut(c, "expected"))))
                continue;
            const int rowDim = wide.outputs[i].rowDim;
            c.equalInFloat64 = true;
            c.narrowest = narrowest;
            c.layerWiseGap = cut.equal ? 0 : cut.maxAbsolute;
            c.uncutGap = std::ranges::max(
                largestGaps(rowsOf(result.full.outputs[i].array, rowDim, c.worstRows), rowsOf(wide.outputs[i].array, rowDim, c.worstRows)));
        }
    }
}

// How much memory the whole model did not fit into; nothing if it did.
std::optional<double> runWholeModel(VerifyResult& result, const Model& model, const DataGraph& graph, const RunOptions& options,
                                    const Progress& progress)
{
    const double freeBytes = static_cast<double>(availableMemory()) + static_cast<double>(pagesInUse().kept);
    try {
        result.full = runFullGraph(model, graph, options, progress);
        return {};
    } catch (const NotEnoughMemory&) {
        return freeBytes;
    }
}

std::vector<const Array*> arrays(const RunResult& run)
{
    std::vector<const Array*> all;
    for (const NamedArray& output : run.outputs)
        all.push_back(&output.array);
    return all;
}

// Recorded outputs by position: "expected" or "expected_0", "expected_1", …, or the output's own name. Error if others are there than those of
// outputs.
std::vector<const Array*> recorded(const std::map<std::string, Array>& arrays, const Program& program)
{
    const std::size_t count = program.outputs.size();
    std::vector<const Array*> all(count, nullptr);
    for (std::size_t i = 0; i < count; ++i)
        for (const std::string& name : {"expected_" + std::to_string(i), std::string(i == 0 ? "expected" : ""), program[program.outputs[i]].name})
            if (const auto found = arrays.find(name); !all[i] && found != arrays.end())
                all[i] = &found->second;
    const std::string start = "expected_";
    for (const auto& [name, array] : arrays)
        if (name.starts_with(start) && !name.ends_with(start) &&
            std::ranges::all_of(name.substr(start.size()), [](char c) { return c >= '0' && c <= '9'; }) &&
            std::ranges::find(all, &array) == all.end())
            throw Error("The file of expected outputs has an array " + printable(name) + ", but the model has no such output.");
    if (std::ranges::all_of(all, [](const Array* array) { return array == nullptr; }))
        throw Error("The file of expected outputs has no array named expected, expected_0, expected_1, …, nor one called as an output of the model.");
    return all;
}

// Of a file that has some of them, the others are told.
void noteMissing(VerifyResult& result, const std::vector<const Array*>& expected)
{
    if (std::ranges::all_of(expected, [](const Array* array) { return array == nullptr; }))
        return;
    for (std::size_t i = 0; i < expected.size(); ++i)
        if (const NamedArray& output = result.layerWise.outputs[i]; !expected[i] && output.isAsked)
            result.layerWise.notices.push_back("The file of expected outputs has none of '" + printable(output.name) +
                                               "': it is compared with the uncut model only.");
}

// Where outputs were recorded for all nodes and asked for of some, those of some. An array without numbers stands for what serves as it is.
std::vector<Array> recordedOf(const Model& model, const Targets& targets, const RunResult& run, const std::vector<const Array*>& expected)
{
    std::vector<Array> chosen(expected.size());
    for (std::size_t i = 0; i < expected.size() && !targets.areAll(); ++i) {
        const NamedArray& output = run.outputs[i];
        const auto rowDim = static_cast<std::size_t>(output.rowDim);
        if (expected[i] == nullptr || !output.isAsked || output.rows == 0 || rowDim >= expected[i]->shape.size() ||
            expected[i]->shape[rowDim] != output.rows)
            continue;
        Array some = toArray(askedRows(*model.analysis, model.program().outputs[i], toTensor(*expected[i]), targets).contiguous());
        if (some.shape == output.array.shape)
            chosen[i] = std::move(some);
    }
    return chosen;
}

bool isScores(const Array& array, std::int64_t rows)
{
    return array.shape.size() == 2 && array.shape[0] == rows && array.shape[1] > 1 && isFloating(array.dtype);
}

// allRows: of the output, were all nodes asked for.
void addAccuracies(VerifyResult& result, const DataGraph& graph, const Array& scores, std::int64_t allRows, const std::vector<std::int64_t>& targets,
                   const std::string& run)
{
    if (!graph.labels || (!targets.empty() && graph.labels->shape[0] != allRows))
        return;
    const auto ofTargets = [&](const Array& array) {
        const at::Tensor all = toTensor(array);
        return targets.empty() ? all : all.index_select(0, at::tensor(targets, at::kLong));
    };
    const at::Tensor labels = ofTargets(*graph.labels);
    if (!isScores(scores, labels.size(0)))
        return;
    const at::Tensor right = toTensor(scores).to(at::kFloat).argmax(1).eq(labels);
    for (const auto& [split, mask] :
         {std::pair("test", &graph.testMask), std::pair("validation", &graph.valMask), std::pair("train", &graph.trainMask)}) {
        if (!*mask || (*mask)->shape != graph.labels->shape)
            continue;
        const at::Tensor chosen = ofTargets(**mask).to(at::kBool).logical_and(labels.ge(0));
        const double count = chosen.sum().item<double>();
        if (count > 0)
            result.accuracies.push_back({run, split, right.logical_and(chosen).sum().item<double>() / count});
    }
}

}  // namespace

namespace {

constexpr double jitterTimes = 8;  // the inputs are not all that is rounded

bool worstRowsMove(const Comparison& c)
{
    for (std::size_t i = 0; i < c.worstJitters.size(); ++i)
        if (!(c.worstGaps[i] <= jitterTimes * c.worstJitters[i]))
            return false;
    return true;
}

}  // namespace

bool Comparison::isRounding() const
{
    return !worstJitters.empty() && (worstRowsMove(*this) || isRoundingOfOthers());
}

bool Comparison::isRoundingOfOthers() const
{
    return !worstJitters.empty() && !worstRowsMove(*this) && rowsOver <= 2 * rowsJittered && maxAbsolute <= jitterTimes * jitter;
}

bool VerifyResult::equal() const
{
    return std::ranges::all_of(comparisons, &Comparison::holds);
}

void requireExpected(const std::map<std::string, Array>& arrays, const Program& program)
{
    recorded(arrays, program);
}

VerifyResult verify(const Model& model, const DataGraph& graph, const VerifyOptions& options, const Progress& progress)
{
    VerifyResult result;
    result.tolerance = options.tolerance.value_or(usualTolerance(model));
    if (options.sample < 0)
        throw Error("The number of nodes to compare must be at least 1.");
    std::vector<const Array*> expected(model.program().outputs.size(), nullptr);
    if (!options.expected.empty())
        expected = recorded(options.expected, model.program());
    // The cut model first: a bound of its memory counts from what is resident before, and the whole model leaves a lot.
    result.layerWise = runLayerWise(model, graph, options.run, progress);
    noteMissing(result, expected);
    if (options.sample > 0)
        compareSample(result, model, graph, options, options.sample, 0, progress);
    else if (const std::optional<double> freeBytes = runWholeModel(result, model, graph, options.run, progress))
        compareSample(result, model, graph, options, VerifyOptions::whenTooLarge, *freeBytes, progress);
    progress.update(1, "Comparing");
    guarded("Comparing the results failed", [&] {
        ChosenOutputs chosen(model, graph, options.run, progress);
        if (!result.sample)
            addComparisons(result, result.layerWise, "layer-wise", arrays(result.full), "full graph", chosen);
        const std::vector<Array> ofTargets = recordedOf(model, targetsOf(*model.analysis, options.run), result.layerWise, expected);
        for (std::size_t i = 0; i < expected.size(); ++i)
            expected[i] = ofTargets[i].data ? &ofTargets[i] : expected[i];
        addComparisons(result, result.layerWise, "layer-wise", expected, "expected", chosen);
        if (!result.sample)
            addComparisons(result, result.full, "full graph", expected, "expected", chosen);
        for (std::size_t i = 0; i < result.layerWise.outputs.size(); ++i) {
            if (!result.layerWise.outputs[i].isAsked)
                continue;
            const std::int64_t all = result.layerWise.outputs[i].rows;
            addAccuracies(result, graph, result.layerWise.outputs[i].array, all, options.run.targets, "layer-wise");
            if (!result.sample)
                addAccuracies(result, graph, result.full.outputs[i].array, all, options.run.targets, "full graph");
            if (expected[i])
                addAccuracies(result, graph, *expected[i], all, options.run.targets, "expected");
        }
        if (!result.comparisons.empty() && std::ranges::all_of(result.comparisons, &Comparison::tellsNothing))
            throw Error(
                "All outputs are NaN or infinite on this graph, those of the uncut model too: there is nothing to compare. "
                "Look for NaN or infinite numbers in the features.");
        compareInFloat64(result, model, graph, options, progress);
        try {
            addJitters(result, model, graph, options, progress);
        } catch (const Error&) {
            progress.check();  // what is known is not lost because it cannot be explained
        }
    });
    return result;
}

}  // namespace cleave
