#include <ATen/ATen.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/run/run.h"
#include "core/run/tensors.h"

namespace cleave {

namespace {

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
    const at::Tensor same = x.eq(y).logical_or(x.isnan().logical_and(y.isnan()));
    const at::Tensor gap = x.sub(y).abs().masked_fill(same, 0).nan_to_num(std::numeric_limits<double>::infinity());
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
    return result;
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

bool VerifyResult::equal() const
{
    return std::ranges::all_of(comparisons, &Comparison::equal);
}

VerifyResult verify(const Model& model, const DataGraph& graph, const VerifyOptions& options, const Progress& progress)
{
    VerifyResult result;
    result.tolerance = options.tolerance;
    const std::vector<const Array*> expected = recorded(options, model.program().outputs.size());
    result.full = runFullGraph(model, graph, options.run, progress);
    result.layerWise = runLayerWise(model, graph, options.run, progress);
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
    });
    return result;
}

}  // namespace cleave
