#include "core/run/global_attention.h"

#include <ATen/ATen.h>
#include <ATen/ExpandUtils.h>
#include <ATen/Parallel.h>

#include <cmath>
#include <functional>
#include <numeric>

#include "core/analysis/op_view.h"
#include "core/kernels/attention.h"
#include "core/run/global_rows.h"
#include "core/run/tensors.h"

namespace cleave {

namespace {

struct Attention {
    std::size_t query = 0, key = 0, value = 0;
    std::optional<std::size_t> mask;
    std::optional<double> scale;
    bool mapsRows = false;             // queries are rows, and results have their shape
    at::ScalarType type = at::kFloat;  // of the results
};

// [heads, rows, entries], for as many heads as all operands together have.
at::Tensor byHead(const at::Tensor& tensor, const std::vector<std::int64_t>& batch, at::ScalarType type)
{
    std::vector<std::int64_t> sizes = batch;
    sizes.insert(sizes.end(), tensor.sizes().end() - 2, tensor.sizes().end());
    const std::int64_t heads = std::accumulate(batch.begin(), batch.end(), std::int64_t{1}, std::multiplies<>());
    return tensor.to(type).expand(sizes).reshape({heads, tensor.size(-2), tensor.size(-1)});  // not -1: of no rows there may be any number
}

// Entries of a row side by side.
at::Tensor sideBySide(const at::Tensor& byHead) { return byHead.stride(2) == 1 || byHead.size(2) == 1 ? byHead : byHead.contiguous(); }

template <class T>
HeadRows<T> rowsOf(const at::Tensor& byHead)
{
    return {byHead.data_ptr<std::remove_const_t<T>>(), byHead.stride(0), byHead.stride(1)};
}

// Added to the scores, for all queries alike: [heads, 1, keys].
at::Tensor biasOf(const at::Tensor& mask, const std::vector<std::int64_t>& batch, at::ScalarType type)
{
    if (mask.scalar_type() != at::kBool)
        return byHead(mask, batch, type);
    const at::Tensor nothing = at::full({}, -INFINITY, at::TensorOptions(type));
    return byHead(at::where(mask, at::zeros({}, at::TensorOptions(type)), nothing), batch, type);
}

std::vector<std::int64_t> batchOf(const at::Tensor& tensor) { return tensor.sizes().slice(0, static_cast<std::size_t>(tensor.dim()) - 2).vec(); }

template <class T>
at::Tensor attended(const Attention& a, const std::vector<at::Tensor>& operands)
{
    constexpr at::ScalarType type = sizeof(T) == 8 ? at::kDouble : at::kFloat;
    const at::Tensor &query = operands[a.query], &key = operands[a.key], &value = operands[a.value];
    std::vector<std::int64_t> batch = at::infer_size(batchOf(query), at::infer_size(batchOf(key), batchOf(value)));
    if (a.mask)
        batch = at::infer_size(batch, batchOf(operands[*a.mask]));
    const at::Tensor keys = sideBySide(byHead(key, batch, type)), values = sideBySide(byHead(value, batch, type));
    TORCH_CHECK(values.size(1) == keys.size(1), "there are ", keys.size(1), " keys and ", values.size(1), " values");
    const at::Tensor bias = a.mask ? biasOf(operands[*a.mask], batch, type).transpose(1, 2).expand({-1, keys.size(1), 1}) : at::Tensor();
    AttentionArguments<T> all;
    all.keys = rowsOf<const T>(keys);
    all.values = rowsOf<const T>(values);
    if (a.mask)
        all.bias = rowsOf<const T>(bias);
    all.heads = keys.size(0);
    all.keyCount = keys.size(1);
    all.width = keys.size(2);
    all.valueWidth = values.size(2);
    all.scale = static_cast<T>(a.scale.value_or(1 / std::sqrt(static_cast<double>(std::max<std::int64_t>(keys.size(2), 1)))));
    const auto change = [&](const at::Tensor& piece) {
        const at::Tensor queries = sideBySide(byHead(piece, batch, type));
        TORCH_CHECK(queries.size(2) == keys.size(2), "queries have ", queries.size(2), " entries and keys ", keys.size(2));
        const at::Tensor out = at::empty({queries.size(0), queries.size(1), values.size(2)}, queries.options());
        AttentionArguments<T> some = all;
        some.queries = rowsOf<const T>(queries);
        some.queryCount = queries.size(1);
        some.out = rowsOf<T>(out);
        attend(some, bestIsa(), at::get_num_threads());
        std::vector<std::int64_t> sizes = batch;
        sizes.insert(sizes.end(), {queries.size(1), values.size(2)});
        return out.reshape(sizes);
    };
    const bool keepsShape = batch == batchOf(query) && query.size(-1) == values.size(2);
    return a.mapsRows && keepsShape ? mapRows(query, static_cast<int>(query.dim()) - 2, a.type, change) : change(query).to(a.type);
}

}  // namespace

std::optional<GlobalOp> attentionOverRows(const Analysis& analysis, const Op& op)
{
    const OpView view(analysis.program, op);
    const ValueId query = view.value("query"), key = view.value("key"), value = view.value("value"), mask = view.value("attn_mask");
    const auto isRows = [&](ValueId operand) { return operand.valid() && isFloating(analysis.program[operand].dtype); };
    const Argument *dropout = op.find("dropout_p"), *scale = op.find("scale");
    const double* dropped = dropout ? std::get_if<double>(&dropout->value) : nullptr;
    const double* factor = scale ? std::get_if<double>(&scale->value) : nullptr;
    if (!isRows(query) || !isRows(key) || !isRows(value) || view.rank("query") < 2 || view.rank("key") < 2 || view.rank("value") < 2 ||
        view.flag("is_causal", false) || view.flag("enable_gqa", false) || (dropped != nullptr && *dropped != 0) ||
        (scale != nullptr && !scale->isNone() && factor == nullptr))
        return {};
    if (view.given("attn_mask")) {
        const int rank = mask.valid() ? view.rank("attn_mask") : 0;
        if (rank < 2 || !analysis.program[mask].sizes[at(rank) - 2].isOne())
            return {};
    }
    Attention a{positionOf(op, "query"), positionOf(op, "key"), positionOf(op, "value"), {}, {}};
    if (mask.valid())
        a.mask = positionOf(op, "attn_mask");
    if (factor != nullptr)
        a.scale = *factor;
    const ValueFacts& rows = analysis.values[query];
    a.mapsRows = rows.rows == Rows::Nodes && rows.rowDim == view.rank("query") - 2;
    a.type = scalarType(view.output().dtype);
    return GlobalOp{1, [a](const std::vector<at::Tensor>& operands) -> std::vector<at::Tensor> {
        return {a.type == at::kDouble ? attended<double>(a, operands) : attended<float>(a, operands)};
    }};
}

}  // namespace cleave
