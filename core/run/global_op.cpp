#include "core/run/global_op.h"

#include <ATen/ATen.h>
#include <torch/csrc/jit/runtime/custom_operator.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>

#include "core/analysis/op_view.h"
#include "core/analysis/views.h"
#include "core/base/pages.h"
#include "core/run/global_attention.h"
#include "core/run/global_rows.h"
#include "core/run/tensors.h"

namespace cleave {

namespace {

namespace jit = torch::jit;

using TensorVector = std::vector<at::Tensor>;

double numberOr(const Op& op, std::string_view name, double fallback)
{
    const Argument* argument = op.find(name);
    const std::int64_t* whole = argument ? argument->asInt() : nullptr;
    const double* number = argument ? std::get_if<double>(&argument->value) : nullptr;
    return whole ? static_cast<double>(*whole) : number ? *number : fallback;
}

bool isRead(const Program& program, ValueId value)
{
    bool found = std::ranges::count(program.outputs, value) > 0;
    for (const Op& op : program.ops)
        forEachOperand(op, [&](ValueId operand) { found = found || operand == value; });
    return found;
}

// [entries of a row, with one row], as the tensor has its dimensions.
at::Tensor asRow(std::span<const double> entries, const at::Tensor& rows, int rowDim)
{
    std::vector<std::int64_t> sizes = rows.sizes().vec();
    sizes[static_cast<std::size_t>(rowDim)] = 1;
    return at::from_blob(const_cast<double*>(entries.data()), sizes, at::kDouble).clone();
}

// What op makes of the rows of one operand.
struct RowsOp {
    std::size_t operand = 0;
    int rowDim = 0;
    int rank = 0;
    at::ScalarType type = at::kFloat;  // of the results
};

std::optional<RowsOp> rowsOp(const Analysis& analysis, const Op& op, std::string_view argument)
{
    const OpView view(analysis.program, op);
    const ValueId rows = view.value(argument);
    if (!rows.valid() || analysis.values[rows].rows != Rows::Nodes || !isFloating(analysis.program[rows].dtype) || !isFloating(view.output().dtype))
        return {};
    return RowsOp{positionOf(op, argument), analysis.values[rows].rowDim, view.rank(argument), scalarType(view.output().dtype)};
}

// Of that operand, over some dimensions, that of the rows among them.
struct Reduction : RowsOp {
    std::vector<std::int64_t> dims, others;  // others: without that of the rows
    bool keepsDims = false;

    at::Tensor finished(at::Tensor result) const
    {
        for (std::size_t i = dims.size(); i-- > 0 && !keepsDims;)
            result = result.squeeze(dims[i]);
        return result.to(type);
    }

    // Numbers that go into each of the results.
    double count(const at::Tensor& rows) const
    {
        double count = 1;
        for (const std::int64_t dim : dims)
            count *= static_cast<double>(rows.size(dim));
        return count;
    }

    // In double, with all dimensions.
    at::Tensor total(const at::Tensor& rows, Total total, const OnPiece& change = {}) const
    {
        const bool isExtreme = total == Total::Max || total == Total::Min;
        TORCH_CHECK(!isExtreme || rows.size(rowDim) > 0, "there is no largest or smallest of no rows");
        const at::Tensor columns = asRow(reduceRows(rows, rowDim, total, {}, change).totals(), rows, rowDim);
        if (others.empty())
            return columns;
        if (total != Total::Product)
            return total == Total::Max ? columns.amax(others, true) : total == Total::Min ? columns.amin(others, true) : columns.sum(others, true);
        at::Tensor product = columns;
        for (const std::int64_t dim : others)
            product = product.prod(dim, true);
        return product;
    }

    struct Moments {
        at::Tensor mean, squares;  // sum of squared deviations from the mean; in double, with all dimensions
    };
    Moments moments(const at::Tensor& rows) const
    {
        const RowTotals totals = reduceRows(rows, rowDim, Total::Moments);
        const Moments columns{asRow(totals.totals(), rows, rowDim), asRow(totals.deviations(), rows, rowDim)};
        if (rows.size(rowDim) == 0)
            columns.mean.fill_(std::numeric_limits<double>::quiet_NaN());  // of nothing
        if (others.empty())
            return columns;
        const at::Tensor mean = columns.mean.mean(others, true);
        const at::Tensor between = (columns.mean - mean).square() * static_cast<double>(rows.size(rowDim));
        return {mean, (columns.squares + between).sum(others, true)};
    }
};

Reduction reductionOver(const RowsOp& rows, std::vector<std::int64_t> dims, bool keepsDims)
{
    Reduction reduction{rows, std::move(dims), {}, keepsDims};
    std::ranges::sort(reduction.dims);
    std::ranges::copy_if(reduction.dims, std::back_inserter(reduction.others), [&](std::int64_t d) { return d != rows.rowDim; });
    return reduction;
}

std::optional<Reduction> reductionOf(const Analysis& analysis, const Op& op)
{
    const OpView view(analysis.program, op);
    const auto rows = rowsOp(analysis, op, "self");
    if (!rows || op.find("other"))
        return {};
    std::vector<std::int64_t> dims(static_cast<std::size_t>(rows->rank));
    std::iota(dims.begin(), dims.end(), 0);
    if (const auto given = view.dims("dim", rows->rank))
        dims.assign(given->begin(), given->end());
    if (std::ranges::count(dims, rows->rowDim) == 0)
        return {};
    return reductionOver(*rows, std::move(dims), view.flag("keepdim", false));
}

std::optional<GlobalOp> sum(const Analysis& analysis, const Op& op)
{
    const auto r = reductionOf(analysis, op);
    if (!r)
        return {};
    const bool isMean = op.target == "aten::mean";
    return GlobalOp{1, [r = *r, isMean](const TensorVector& operands) -> TensorVector {
        const at::Tensor& rows = operands[r.operand];
        const at::Tensor sum = r.total(rows, Total::Sum);
        return {r.finished(isMean ? sum / r.count(rows) : sum)};
    }};
}

std::optional<GlobalOp> product(const Analysis& analysis, const Op& op)
{
    const auto r = reductionOf(analysis, op);
    if (!r)
        return {};
    return GlobalOp{1, [r = *r](const TensorVector& operands) -> TensorVector { return {r.finished(r.total(operands[r.operand], Total::Product))}; }};
}

// Exponentials of differences from the largest, where there is one.
std::optional<GlobalOp> logSumExp(const Analysis& analysis, const Op& op)
{
    const auto r = reductionOf(analysis, op);
    if (!r)
        return {};
    return GlobalOp{1, [r = *r](const TensorVector& operands) -> TensorVector {
        const at::Tensor& rows = operands[r.operand];
        const at::Tensor largest = rows.numel() > 0 ? r.total(rows, Total::Max) : r.total(rows, Total::Sum);
        const at::Tensor from = at::where(largest.isfinite(), largest, at::zeros({}, at::kDouble));
        const at::Tensor sum = r.total(rows, Total::Sum, [&](const at::Tensor& piece) { return (piece - from).exp_(); });
        return {r.finished(sum.log() + from)};
    }};
}

// Which row is the largest is not known here.
std::optional<GlobalOp> extreme(const Analysis& analysis, const Op& op)
{
    const auto r = reductionOf(analysis, op);
    if (!r || (op.outputs.size() > 1 && isRead(analysis.program, op.outputs[1])))
        return {};
    const Total total = op.target == "aten::max" || op.target == "aten::amax" ? Total::Max : Total::Min;
    return GlobalOp{1, [r = *r, total](const TensorVector& operands) -> TensorVector { return {r.finished(r.total(operands[r.operand], total))}; }};
}

std::optional<GlobalOp> variance(const Analysis& analysis, const Op& op)
{
    const auto r = reductionOf(analysis, op);
    if (!r)
        return {};
    const double correction = numberOr(op, "correction", OpView(analysis.program, op).flag("unbiased", true) ? 1 : 0);
    const bool isDeviation = op.target.starts_with("aten::std"), withMean = op.target.ends_with("_mean");
    return GlobalOp{op.outputs.size(), [r = *r, correction, isDeviation, withMean](const TensorVector& operands) -> TensorVector {
        const at::Tensor& rows = operands[r.operand];
        const auto [mean, squares] = r.moments(rows);
        const at::Tensor variance = squares / std::max(r.count(rows) - correction, 0.0);
        TensorVector results{r.finished(isDeviation ? variance.sqrt() : variance)};
        // Where a number is infinite no deviation from the mean is known, and LibTorch, which adds one after the other, knows no mean.
        if (withMean)
            results.push_back(r.finished(r.count(rows) > 1 ? at::where(squares.isnan(), squares, mean) : mean));
        return results;
    }};
}

std::optional<GlobalOp> norm(const Analysis& analysis, const Op& op)
{
    const auto r = reductionOf(analysis, op);
    const Argument* given = op.find(op.find("p") ? "p" : "ord");
    if (!r || (given && given->asString()))
        return {};
    const double p = numberOr(op, op.find("p") ? "p" : "ord", 2);
    return GlobalOp{1, [r = *r, p](const TensorVector& operands) -> TensorVector {
        const at::Tensor& rows = operands[r.operand];
        const auto absolute = [](const at::Tensor& piece) { return piece.abs(); };
        if (std::isinf(p))
            return {r.finished(r.total(rows, p > 0 ? Total::Max : Total::Min, absolute))};
        if (p == 0)
            return {r.finished(r.total(rows, Total::Sum, [](const at::Tensor& piece) { return piece.ne(0).to(piece.scalar_type()); }))};
        if (p == 1)
            return {r.finished(r.total(rows, Total::Sum, absolute))};
        if (p == 2)
            return {r.finished(r.total(rows, Total::Squares).sqrt())};
        return {r.finished(r.total(rows, Total::Sum, [p](const at::Tensor& piece) { return piece.to(at::kDouble).abs().pow(p); }).pow(1 / p))};
    }};
}

std::optional<GlobalOp> softmax(const Analysis& analysis, const Op& op)
{
    const auto read = rowsOp(analysis, op, "self");
    const auto dim = read ? OpView(analysis.program, op).dim("dim", read->rank) : std::nullopt;
    if (!read || dim != read->rowDim)
        return {};
    const Reduction r = reductionOver(*read, {read->rowDim}, true);
    const bool isLog = op.target.find("log") != std::string::npos;
    return GlobalOp{1, [r, isLog](const TensorVector& operands) -> TensorVector {
        const at::Tensor& rows = operands[r.operand];
        if (rows.numel() == 0)
            return {rows.to(r.type)};
        const at::ScalarType inside = r.type == at::kDouble ? at::kDouble : at::kFloat;
        const at::Tensor largest = r.total(rows, Total::Max).to(inside);
        const at::Tensor sum = r.total(rows, Total::Sum, [&](const at::Tensor& piece) { return (piece - largest).exp_(); });
        const at::Tensor scale = (isLog ? sum.log() : sum.reciprocal()).to(inside);
        return {mapRows(rows, r.rowDim, r.type, [&](const at::Tensor& piece) {
            const at::Tensor shifted = piece - largest;
            return isLog ? shifted.sub_(scale) : shifted.exp_().mul_(scale);
        })};
    }};
}

// Whether an index names one row of the result for each row that is reduced, and the tensors agree in their other dimensions.
bool isByRows(const Program& program, ValueId self, ValueId index, ValueId source, int rowDim)
{
    const auto& to = program[self].sizes;
    const auto& from = program[source].sizes;
    if (nonUnitDims(program[viewRoot(program, index)]) > 1 || to.size() != from.size())
        return false;
    for (std::size_t d = 0; d < from.size(); ++d)
        if (static_cast<int>(d) != rowDim && !(to[d] == from[d]))
            return false;
    return program[index].sizes == from ||
           (program[index].sizes.size() == 1 && program[index].sizes.front() == from[static_cast<std::size_t>(rowDim)]);
}

// Reductions of rows into those of `self` at an index.
struct Scatter : RowsOp {
    std::size_t self = 0, index = 0;
    double factor = 1;  // of what is added
    Total total = Total::Sum;
    bool isMean = false, includesSelf = true;

    // The index repeats the same row of the result for all entries of a row.
    at::Tensor segmentOf(at::Tensor entries) const
    {
        for (int d = static_cast<int>(entries.dim()); d-- > 0 && entries.dim() > 1;)
            if (d != rowDim)
                entries = entries.select(d, 0);
        return entries;
    }

    at::Tensor operator()(const TensorVector& operands) const
    {
        const at::Tensor &rows = operands[operand], &before = operands[self];
        if (before.numel() == 0 || rows.numel() == 0)
            return before.to(type).clone();
        const RowTotals reduced = reduceRows(rows, rowDim, total, {segmentOf(operands[index]), before.size(rowDim)});
        const at::Tensor known = before.movedim(rowDim, 0);
        std::vector<std::int64_t> sizes = known.sizes().vec();
        const at::Tensor all = at::from_blob(const_cast<double*>(reduced.totals().data()), sizes, at::kDouble);
        std::ranges::fill(sizes.begin() + 1, sizes.end(), 1);
        combine(all, known, at::from_blob(const_cast<std::int64_t*>(reduced.counts().data()), sizes, at::kLong));
        return all.movedim(0, rowDim).to(type, false, true);
    }

    // In place: results may be as large as what they are made of.
    void combine(at::Tensor all, const at::Tensor& known, const at::Tensor& count) const
    {
        if (factor != 1)
            all.mul_(factor);
        if (!includesSelf)
            all.copy_(at::where(count.gt(0), all, known));
        else if (total == Total::Max)
            at::maximum_out(all, all, known);
        else if (total == Total::Min)
            at::minimum_out(all, all, known);
        else if (total == Total::Product)
            all.mul_(known);
        else
            all.add_(known);
        if (isMean)
            all.div_((count + (includesSelf ? 1 : 0)).clamp_min(1));
    }
};

// What the op's name for a reduction means; false for those that are none of ours.
bool setReduce(Scatter& scatter, std::string_view reduce)
{
    static const std::map<std::string_view, Total> totals{
        {"sum", Total::Sum}, {"mean", Total::Sum}, {"prod", Total::Product}, {"amax", Total::Max}, {"amin", Total::Min}};
    const auto known = totals.find(reduce);
    if (known == totals.end())
        return false;
    scatter.total = known->second;
    scatter.isMean = reduce == "mean";
    return true;
}

std::optional<GlobalOp> scatter(const Analysis& analysis, const Op& op)
{
    const OpView view(analysis.program, op);
    const std::string_view source = op.find("source") ? "source" : "src";
    const auto rows = rowsOp(analysis, op, source);
    const ValueId self = view.value("self"), index = view.value("index");
    if (!rows || (view.given("alpha") && !view.number("alpha")) || !self.valid() || !index.valid() || view.dim("dim", rows->rank) != rows->rowDim ||
        !isByRows(analysis.program, self, index, view.value(source), rows->rowDim))
        return {};
    Scatter scatter{*rows, positionOf(op, "self"), positionOf(op, "index"), numberOr(op, "alpha", 1)};
    scatter.includesSelf = view.flag("include_self", true);
    if (const Argument* reduce = op.find("reduce"); reduce && (!reduce->asString() || !setReduce(scatter, *reduce->asString())))
        return {};
    return GlobalOp{1, [scatter](const TensorVector& operands) -> TensorVector { return {scatter(operands)}; }};
}

// Weight and bias, one for each channel.
at::Tensor optionalOperand(const TensorVector& operands, std::optional<std::size_t> position)
{
    return position ? operands[*position] : at::Tensor();
}

std::optional<std::size_t> givenAt(const Op& op, std::string_view name)
{
    const Argument* argument = op.find(name);
    return argument && argument->asValue() ? std::optional(positionOf(op, name)) : std::nullopt;
}

// Channels are dimension 1; of instance norms those of each of the first dimension's entries are channels of their own.
std::optional<GlobalOp> batchNorm(const Analysis& analysis, const Op& op)
{
    const OpView view(analysis.program, op);
    const bool isInstance = op.target == "aten::instance_norm";
    const auto read = rowsOp(analysis, op, "input");
    if (!read || !view.flag(isInstance ? "use_input_stats" : "training", false) || read->rowDim == 1 || (isInstance && read->rowDim == 0))
        return {};
    std::vector<std::int64_t> dims;
    for (int d = 0; d < read->rank; ++d)
        if (d != 1 && (d != 0 || !isInstance))
            dims.push_back(d);
    const Reduction r = reductionOver(*read, std::move(dims), true);
    const double momentum = numberOr(op, "momentum", 0.1), eps = numberOr(op, "eps", 1e-5);
    const auto weight = givenAt(op, "weight"), bias = givenAt(op, "bias");
    return GlobalOp{op.outputs.size(), [r, isInstance, momentum, eps, weight, bias](const TensorVector& operands) -> TensorVector {
        const at::Tensor& rows = operands[r.operand];
        const auto [mean, squares] = r.moments(rows);
        const at::Tensor variance = squares / r.count(rows);
        const std::int64_t instances = isInstance ? rows.size(0) : 1;
        const auto channels = [&](const at::Tensor& numbers) { return numbers.to(r.type).reshape({-1}); };
        const auto ofAll = [&](const at::Tensor& numbers) { return numbers.defined() ? numbers.repeat({instances}) : numbers; };
        const at::Tensor mu = channels(mean), var = channels(variance);
        const at::Tensor w = ofAll(optionalOperand(operands, weight)), b = ofAll(optionalOperand(operands, bias));
        const at::Tensor normal = mapRows(rows, r.rowDim, r.type, [&](const at::Tensor& piece) {
            std::vector<std::int64_t> sizes = piece.sizes().vec();
            if (isInstance)
                sizes[1] *= std::exchange(sizes[0], 1);
            return at::batch_norm(piece.to(r.type).reshape(sizes), w, b, mu, var, false, momentum, eps, false).reshape(piece.sizes());
        });
        return {normal, mu, channels((variance + eps).rsqrt())};
    }};
}

using Maker = std::optional<GlobalOp> (*)(const Analysis&, const Op&);

Maker makerOf(std::string_view target)
{
    static const std::map<std::string_view, Maker> makers{
        {"aten::sum", sum}, {"aten::mean", sum}, {"aten::max", extreme}, {"aten::amax", extreme}, {"aten::min", extreme}, {"aten::amin", extreme},
        {"aten::prod", product}, {"aten::logsumexp", logSumExp},
        {"aten::var", variance}, {"aten::std", variance}, {"aten::var_mean", variance}, {"aten::std_mean", variance},
        {"aten::norm", norm}, {"aten::linalg_vector_norm", norm},
        {"aten::softmax", softmax}, {"aten::_softmax", softmax}, {"aten::log_softmax", softmax}, {"aten::_log_softmax", softmax},
        {"aten::scatter_add", scatter}, {"aten::scatter_reduce", scatter}, {"aten::index_add", scatter}, {"aten::index_reduce", scatter},
        {"aten::batch_norm", batchNorm}, {"aten::native_batch_norm", batchNorm}, {"aten::_native_batch_norm_legit", batchNorm},
        {"aten::instance_norm", batchNorm}, {"aten::scaled_dot_product_attention", attentionOverRows}};
    const auto known = makers.find(target);
    return known == makers.end() ? nullptr : known->second;
}

void run(jit::Stack& stack)
{
    const c10::List<at::Tensor> operands = jit::pop(stack).toTensorList();
    const auto* op = reinterpret_cast<const GlobalOp*>(static_cast<std::intptr_t>(jit::pop(stack).toInt()));
    std::vector<at::Tensor> results = op->run(operands.vec());
    results.resize(op->results);
    jit::push(stack, std::move(results));
}

}  // namespace

std::size_t positionOf(const Op& op, std::string_view argument)
{
    std::size_t position = 0, found = 0;
    for (const NamedArgument& each : op.args)
        forEachValue(each.value, [&](ValueId) {
            if (each.name == argument)
                found = position;
            ++position;
        });
    return found;
}

std::optional<GlobalOp> globalOp(const Analysis& analysis, OpId id)
{
    const Op& op = analysis.program[id];
    const Maker maker = makerOf(op.target);
    if (maker == batchNorm && !pagesAreBound())
        return {};  // LibTorch's own go through all rows at once faster
    bool takesTensors = true;
    forEachOperand(op, [&](ValueId operand) { takesTensors = takesTensors && analysis.program[operand].kind == ValueKind::Tensor; });
    return maker && takesTensors ? maker(analysis, op) : std::nullopt;
}

std::vector<jit::Value*> insertGlobalOp(jit::Graph& graph, const GlobalOp& op, const std::vector<jit::Value*>& operands)
{
    static const jit::RegisterOperators operators({jit::Operator("cleave::over_rows(int op, Tensor[] operands) -> Tensor[]",
                                                                 [](jit::Stack& stack) { run(stack); }, c10::AliasAnalysisKind::FROM_SCHEMA)});
    jit::Value* list = graph.insertNode(graph.createList(c10::TensorType::get(), operands))->output();
    jit::Value* pointer = graph.insertConstant(static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(&op)));
    jit::Value* made = graph.insert(c10::Symbol::fromQualString("cleave::over_rows"), {pointer, list});
    return graph.insertNode(graph.createListUnpack(made, op.results))->outputs().vec();
}

}  // namespace cleave
