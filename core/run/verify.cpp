#include <ATen/ATen.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "core/base/error.h"
#include "core/run/run.h"
#include "core/run/tensors.h"

namespace cleave {

namespace {

at::Tensor gapOf(const at::Tensor& a, const at::Tensor& b)
{
    const at::Tensor x = a.to(at::kDouble), y = b.to(at::kDouble);
    const at::Tensor same = x.eq(y).logical_or(x.isnan().logical_and(y.isnan()));
    return x.sub(y).abs().masked_fill(same, 0).nan_to_num(std::numeric_limits<double>::infinity());
}

// [rows, …]; of a number [rows], the number as often.
at::Tensor rowsOf(const Array& array, const std::vector<std::int64_t>& rows)
{
    const at::Tensor all = toTensor(array);
    return (all.dim() ? all : all.reshape({1})).index_select(0, at::tensor(rows, at::kLong));
}

// Of each row.
std::vector<double> largestGaps(const at::Tensor& a, const at::Tensor& b)
{
    if (a.size(0) == 0)
        return {};
    const at::Tensor gaps = gapOf(a, b).reshape({a.size(0), -1}).amax(1).contiguous();
    return {gaps.data_ptr<double>(), gaps.data_ptr<double>() + gaps.numel()};
}

Comparison compare(const NamedArray& a, const Array& expected, const Tolerance& tolerance)
{
    Comparison result;
    result.output = a.name;
    if (a.array.shape != expected.shape) {
        result.equal = false;
        result.maxAbsolute = result.maxRelative = std::numeric_limits<double>::infinity();
        result.rows = result.rowsOver = a.array.shape.empty() ? 1 : a.array.shape.front();
        return result;
    }
    const at::Tensor x = toTensor(a.array).to(at::kDouble), y = toTensor(expected).to(at::kDouble);
    result.rows = x.dim() ? x.size(0) : 1;
    if (x.numel() == 0)
        return result;
    const at::Tensor gap = gapOf(x, y);
    const at::Tensor finite = y.masked_fill(y.isfinite().logical_not(), 0).abs();
    result.maxAbsolute = gap.max().item<double>();
    result.maxRelative = result.maxAbsolute == 0 ? 0 : result.maxAbsolute / std::max(finite.max().item<double>(), 1e-30);
    const at::Tensor excess = gap.sub(finite.mul(tolerance.relative)).sub(tolerance.absolute).reshape({result.rows, -1}).amax(1);
    result.rowsOver = excess.gt(0).sum().item<std::int64_t>();
    result.equal = result.rowsOver == 0;
    if (x.dim() == 2 && x.size(1) > 1)
        result.argMaxChanged = x.argmax(1).ne(y.argmax(1)).sum().item<std::int64_t>();
    const std::int64_t listed = std::min<std::int64_t>(result.rowsOver, 20);
    const at::Tensor worst = std::get<1>(excess.topk(listed)).contiguous();
    result.worstRows.assign(worst.data_ptr<std::int64_t>(), worst.data_ptr<std::int64_t>() + listed);
    result.worstGaps = largestGaps(rowsOf(a.array, result.worstRows), rowsOf(expected, result.worstRows));
    return result;
}

// The nodes whose rows differ most; none if some of what differs is not one row for each node.
std::vector<std::int64_t> differingNodes(const VerifyResult& result, const Model& model, const RunOptions& options)
{
    std::set<std::int64_t> nodes;
    for (const Comparison& c : result.comparisons)
        for (const std::int64_t row : c.worstRows) {
            const std::vector<ValueId>& outputs = model.program().outputs;
            const bool isOfNodes = std::ranges::any_of(outputs, [&](ValueId id) { return model.program()[id].name == c.output && model.analysis->values[id].rows == Rows::Nodes; });
            if (!isOfNodes || model.analysis->types() > 1)
                return {};
            nodes.insert(options.targets.empty() ? row : options.targets[static_cast<std::size_t>(row)]);
        }
    return {nodes.begin(), nodes.end()};
}

// How far do rows that differ move for reasons that have nothing to do with the cut? Only what they need is computed, where that is possible.
void addJitters(VerifyResult& result, const Model& model, const DataGraph& graph, const VerifyOptions& options, const Progress& progress)
{
    if (options.run.narrowStore || std::ranges::all_of(result.comparisons, [](const Comparison& c) { return c.worstRows.empty(); }))
        return;
    const std::vector<std::int64_t> nodes = differingNodes(result, model, options.run);
    const int runs = nodes.empty() ? 3 : 16;
    RunOptions moved = options.run;
    moved.store.clear();
    moved.resume = moved.warmsUp = false;
    if (!nodes.empty())
        moved.targets = nodes;
    const auto rowIn = [&](std::int64_t row) {
        const std::int64_t node = options.run.targets.empty() ? row : options.run.targets[static_cast<std::size_t>(row)];
        return nodes.empty() ? row : std::ranges::lower_bound(nodes, node) - nodes.begin();
    };
    for (moved.jitter = 1; moved.jitter <= runs; ++moved.jitter) {
        const RunResult run = runLayerWise(model, graph, moved, progress);
        for (Comparison& c : result.comparisons)
            for (std::size_t i = 0; i < run.outputs.size() && !c.worstRows.empty(); ++i) {
                if (run.outputs[i].name != c.output)
                    continue;
                std::vector<std::int64_t> rows;
                std::ranges::transform(c.worstRows, std::back_inserter(rows), rowIn);
                const std::vector<double> gaps = largestGaps(rowsOf(result.layerWise.outputs[i].array, c.worstRows), rowsOf(run.outputs[i].array, rows));
                c.worstJitters.resize(gaps.size());
                std::ranges::transform(gaps, c.worstJitters, c.worstJitters.begin(), [](double a, double b) { return std::max(a, b); });
            }
    }
}

void addComparisons(VerifyResult& result, const RunResult& run, const std::string& name, const std::vector<const Array*>& expected,
                    const std::string& expectedName)
{
    for (std::size_t i = 0; i < run.outputs.size(); ++i)
        if (expected[i]) {
            result.comparisons.push_back(compare(run.outputs[i], *expected[i], result.tolerance));
            result.comparisons.back().a = name;
            result.comparisons.back().b = expectedName;
        }
}

std::vector<const Array*> arrays(const RunResult& run)
{
    std::vector<const Array*> all;
    for (const NamedArray& output : run.outputs)
        all.push_back(&output.array);
    return all;
}

// Recorded outputs by position: "expected" or "expected_0", "expected_1", …
std::vector<const Array*> recorded(const VerifyOptions& options, std::size_t count)
{
    std::vector<const Array*> all(count, nullptr);
    bool any = false;
    for (std::size_t i = 0; i < count; ++i)
        for (const std::string& name : {"expected_" + std::to_string(i), std::string(i == 0 ? "expected" : "")})
            if (const auto found = options.expected.find(name); !all[i] && found != options.expected.end()) {
                all[i] = &found->second;
                any = true;
            }
    if (!options.expected.empty() && !any)
        throw Error("The file of expected outputs has no array named expected, expected_0, expected_1, …");
    return all;
}

bool isScores(const Array& array, const Array& labels)
{
    return array.shape.size() == 2 && array.shape[0] == labels.shape[0] && array.shape[1] > 1 && isFloating(array.dtype);
}

void addAccuracies(VerifyResult& result, const DataGraph& graph, const Array& scores, const std::string& run)
{
    if (!graph.labels || !isScores(scores, *graph.labels))
        return;
    const at::Tensor labels = toTensor(*graph.labels);
    const at::Tensor right = toTensor(scores).to(at::kFloat).argmax(1).eq(labels);
    for (const auto& [split, mask] : {std::pair("test", &graph.testMask), std::pair("validation", &graph.valMask), std::pair("train", &graph.trainMask)}) {
        if (!*mask || (*mask)->shape != graph.labels->shape)
            continue;
        const at::Tensor chosen = toTensor(**mask).to(at::kBool).logical_and(labels.ge(0));
        const double count = chosen.sum().item<double>();
        if (count > 0)
            result.accuracies.push_back({run, split, right.logical_and(chosen).sum().item<double>() / count});
    }
}

}  // namespace

bool Comparison::isRounding() const
{
    constexpr double times = 8;  // the inputs are not all that is rounded
    if (worstJitters.empty())
        return false;
    for (std::size_t i = 0; i < worstJitters.size(); ++i)
        if (!(worstGaps[i] <= times * worstJitters[i]))
            return false;
    return true;
}

bool VerifyResult::equal() const
{
    return std::ranges::all_of(comparisons, &Comparison::equal);
}

VerifyResult verify(const Model& model, const DataGraph& graph, const VerifyOptions& options, const Progress& progress)
{
    VerifyResult result;
    result.tolerance = options.tolerance;
    const std::vector<const Array*> expected = recorded(options, model.program().outputs.size());
    // The cut model first: a bound of its memory counts from what is resident before, and the whole model leaves a lot.
    result.layerWise = runLayerWise(model, graph, options.run, progress);
    result.full = runFullGraph(model, graph, options.run, progress);
    progress.update(1, "Comparing");
    guarded("Comparing the results failed", [&] {
        addComparisons(result, result.layerWise, "layer-wise", arrays(result.full), "full graph");
        addComparisons(result, result.layerWise, "layer-wise", expected, "expected");
        addComparisons(result, result.full, "full graph", expected, "expected");
        for (std::size_t i = 0; i < result.layerWise.outputs.size(); ++i) {
            addAccuracies(result, graph, result.layerWise.outputs[i].array, "layer-wise");
            addAccuracies(result, graph, result.full.outputs[i].array, "full graph");
            if (expected[i])
                addAccuracies(result, graph, *expected[i], "expected");
        }
        addJitters(result, model, graph, options, progress);
    });
    return result;
}

}  // namespace cleave
