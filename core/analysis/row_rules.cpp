#include "core/analysis/row_rules.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "core/analysis/op_view.h"

namespace cleave {

namespace {

// One rule's work: the op, the row dimension asked for, and the mapping that is being filled in. A rule returns false for "not row-wise".
class Rows {
public:
    Rows(const Program& program, const Op& op, int rowDim) : view(program, op), row(rowDim), m_program(program), m_op(op)
    {
        std::size_t count = 0;
        forEachOperand(op, [&](ValueId) { ++count; });
        mapping.operands.assign(count, -1);
        mapping.outputs.assign(op.outputs.size(), rowDim);
        rank = view.outputRank();
    }

    const Op& op() const { return m_op; }
    const Value& operator[](ValueId id) const { return m_program[id]; }

    // Sets the row dimension of the tensors in one argument (all of a list).
    void set(std::string_view name, int dim)
    {
        each(name, [&](ValueId, int& slot) { slot = dim; });
    }

    // Rows of tensors that broadcast to the output's sizes.
    void broadcast(std::string_view name)
    {
        each(name, [&](ValueId id, int& slot) { slot = broadcastDim(m_program[id], rank, row); });
    }

    void broadcastAll()
    {
        for (const NamedArgument& argument : m_op.args)
            broadcast(argument.name);
    }

    static int broadcastDim(const Value& value, int outputRank, int row)
    {
        const int dim = row - (outputRank - static_cast<int>(value.sizes.size()));
        if (value.kind != ValueKind::Tensor || dim < 0 || value.sizes[static_cast<std::size_t>(dim)].isOne())
            return -1;
        return dim;
    }

    OpView view;
    int row;
    int rank;
    RowMapping mapping;

private:
    template <class Visit>
    void each(std::string_view name, Visit&& visit)
    {
        std::size_t position = 0;
        for (const NamedArgument& argument : m_op.args)
            forEachValue(argument.value, [&](ValueId id) {
                int& slot = mapping.operands[position++];
                if (argument.name == name && m_program[id].kind == ValueKind::Tensor)
                    visit(id, slot);
            });
    }

    const Program& m_program;
    const Op& m_op;
};

using Rule = bool (*)(Rows&);

bool elementwise(Rows& r)
{
    r.broadcastAll();
    return true;
}

// Output row dimension is the operand's, whatever the op does along `dim`.
bool alongOtherDim(Rows& r)
{
    const auto dim = r.view.dim("dim", r.rank);
    r.set("self", r.row);
    return dim && *dim != r.row;
}

// Sorting and top-k without a dimension work on the last one.
bool alongLastOrOtherDim(Rows& r)
{
    const int dim = r.view.given("dim") ? r.view.dim("dim", r.rank).value_or(r.row) : r.rank - 1;
    r.set("self", r.row);
    return dim != r.row;
}

bool flipped(Rows& r)
{
    const auto dims = r.view.dims("dims", r.rank);
    r.set("self", r.row);
    return dims && std::ranges::find(*dims, r.row) == dims->end();
}

// The products of sizes before the row dimension and its own size are kept: row i stays row i.
std::optional<int> sameRow(const std::vector<Dim>& from, const std::vector<Dim>& to, int row)
{
    std::int64_t before = 1;
    for (int i = 0; i < row; ++i) {
        if (!to[static_cast<std::size_t>(i)].isConstant())
            return {};
        before *= to[static_cast<std::size_t>(i)].value;
    }
    std::int64_t product = 1;
    for (std::size_t d = 0; d < from.size(); ++d) {
        if (product == before && from[d] == to[static_cast<std::size_t>(row)] && !from[d].isConstant())
            return static_cast<int>(d);
        if (!from[d].isConstant())
            return {};
        product *= from[d].value;
    }
    return {};
}

bool reshaped(Rows& r)
{
    const Value* self = r.view.tensor("self");
    const auto dim = self ? sameRow(self->sizes, r.view.output().sizes, r.row) : std::nullopt;
    r.set("self", dim.value_or(-1));
    return dim.has_value();
}

bool repeated(Rows& r)
{
    const Value* self = r.view.tensor("self");
    const Argument* repeats = r.op().find("repeats");
    if (!self || !repeats || !repeats->asList() || repeats->asList()->size() != static_cast<std::size_t>(r.rank))
        return false;
    const int dim = Rows::broadcastDim(*self, r.rank, r.row);
    const Argument& times = (*repeats->asList())[static_cast<std::size_t>(r.row)];
    r.set("self", dim);
    return dim >= 0 && times.asInt() && *times.asInt() == 1;
}

bool unsqueezed(Rows& r)
{
    const auto dim = r.view.dim("dim", r.rank);
    r.set("self", dim && *dim < r.row ? r.row - 1 : r.row);
    return dim && *dim != r.row;
}

bool squeezed(Rows& r)
{
    const int rank = r.rank + 1;
    const auto dims = r.view.dims("dim", r.view.rank("self"));
    if (!dims || dims->size() != 1 || r.view.rank("self") != rank)
        return false;
    r.set("self", dims->front() <= r.row ? r.row + 1 : r.row);
    return true;
}

bool selected(Rows& r)
{
    const auto dim = r.view.dim("dim", r.rank + 1);
    r.set("self", dim && *dim <= r.row ? r.row + 1 : r.row);
    return dim.has_value();
}

bool unbound(Rows& r)
{
    const int rank = r.rank + 1;
    const int dim = r.view.given("dim") ? r.view.dim("dim", rank).value_or(-1) : 0;
    r.set("self", dim <= r.row ? r.row + 1 : r.row);
    return dim >= 0;
}

bool dividedAlongOtherDim(Rows& r)
{
    const int dim = r.view.given("dim") ? r.view.dim("dim", r.rank).value_or(r.row) : 0;
    r.set("self", r.row);
    return dim != r.row;
}

bool transposed(Rows& r)
{
    const auto a = r.view.dim("dim0", r.rank), b = r.view.dim("dim1", r.rank);
    r.set("self", a && r.row == *a ? b.value_or(-1) : b && r.row == *b ? a.value_or(-1) : r.row);
    return a && b;
}

bool matrixTransposed(Rows& r)
{
    r.set("self", r.rank == 2 ? 1 - r.row : r.row);
    return r.rank <= 2;
}

bool permuted(Rows& r)
{
    const auto dims = r.view.dims("dims", r.rank);
    if (!dims || dims->size() != static_cast<std::size_t>(r.rank))
        return false;
    r.set("self", (*dims)[static_cast<std::size_t>(r.row)]);
    return true;
}

bool concatenated(Rows& r)
{
    const int dim = r.view.given("dim") ? r.view.dim("dim", r.rank).value_or(r.row) : 0;
    r.set("tensors", r.row);
    return dim != r.row;
}

bool stacked(Rows& r)
{
    const int dim = r.view.given("dim") ? r.view.dim("dim", r.rank).value_or(r.row) : 0;
    r.set("tensors", dim < r.row ? r.row - 1 : r.row);
    return dim != r.row;
}

// Reductions over some dimensions; the rows must not be among them. max(a, b) has the name of a reduction but is none.
bool reduced(Rows& r)
{
    if (r.view.tensor("other"))
        return elementwise(r);
    const int rank = r.view.rank("self");
    const auto dims = r.view.dims("dim", rank);
    if (!dims)
        return false;
    int row = -1;
    for (int d = 0, out = 0; d < rank; ++d) {
        const bool gone = std::ranges::find(*dims, d) != dims->end();
        if (!gone && out == r.row)
            row = d;
        out += !gone || r.view.flag("keepdim", false);
    }
    r.set("self", row);
    return row >= 0;
}

bool layerNorm(Rows& r)
{
    const Argument* shape = r.op().find("normalized_shape");
    const auto* sizes = shape ? shape->asList() : nullptr;
    r.set("input", r.row);
    return sizes && r.row < r.rank - static_cast<int>(sizes->size());
}

// Statistics are given, one for each channel (dimension 1).
bool batchNorm(Rows& r)
{
    r.set("input", r.row);
    std::fill(r.mapping.outputs.begin() + 1, r.mapping.outputs.end(), -1);
    return r.row != 1 && r.view.given("running_mean") && !r.view.flag("training", false);
}

bool firstDimOnly(Rows& r)
{
    r.set("input", 0);
    r.set("self", 0);
    return r.row == 0;
}

bool groupNorm(Rows& r)
{
    r.set("input", 0);
    return r.row == 0;
}

bool linear(Rows& r)
{
    r.set("input", r.row);
    return r.row < r.rank - 1;
}

bool bilinear(Rows& r)
{
    r.set("input1", r.row);
    r.set("input2", r.row);
    return r.row < r.rank - 1;
}

bool matrixProduct(Rows& r, std::string_view left, std::string_view right)
{
    r.set(r.row == 0 ? left : right, r.row);
    return r.rank == 2;
}

bool mm(Rows& r) { return matrixProduct(r, "self", "mat2"); }

bool addmm(Rows& r)
{
    r.broadcast("self");
    return matrixProduct(r, "mat1", "mat2");
}

bool mv(Rows& r)
{
    r.set("self", 0);
    return true;
}

bool batchedProduct(Rows& r, std::string_view left, std::string_view right)
{
    if (r.row != 2)
        r.set(left, r.row);
    if (r.row != 1)
        r.set(right, r.row);
    return r.rank == 3;
}

bool bmm(Rows& r) { return batchedProduct(r, "self", "mat2"); }

bool baddbmm(Rows& r)
{
    r.broadcast("self");
    return batchedProduct(r, "batch1", "batch2");
}

bool matmul(Rows& r)
{
    const int a = r.view.rank("self"), b = r.view.rank("other");
    if (a < 1 || b < 1 || (a == 1 && b == 1))
        return false;
    if (b == 1) {
        r.set("self", r.row);
        return true;
    }
    // A vector on the left has no row of its own in the output.
    const int rank = a == 1 ? r.rank + 1 : r.rank;
    const int row = a == 1 && r.row == r.rank - 1 ? rank - 1 : r.row;
    const auto batch = [&](std::string_view name) {
        r.set(name, Rows::broadcastDim(*r.view.tensor(name), rank, row));
    };
    if (row == rank - 1)
        r.set("other", b - 1);
    else if (row == rank - 2)
        r.set("self", a - 2);
    else {
        batch("other");
        if (a > 1)
            batch("self");
    }
    return true;
}

// "nhc,hc->nh": the label of the row dimension must stand once at most in each operand.
bool einsum(Rows& r)
{
    const Argument* text = r.op().find("equation");
    const std::string* given = text ? text->asString() : nullptr;
    if (!given)
        return false;
    std::string equation;
    std::ranges::copy_if(*given, std::back_inserter(equation), [](char c) { return c != ' '; });
    const std::size_t arrow = equation.find("->");
    if (arrow == std::string::npos || equation.find('.') != std::string::npos)
        return false;
    const std::string out = equation.substr(arrow + 2);
    if (static_cast<int>(out.size()) != r.rank)
        return false;
    const char label = out[static_cast<std::size_t>(r.row)];
    std::size_t operand = 0, start = 0;
    const std::string left = equation.substr(0, arrow) + ",";
    for (std::size_t comma = left.find(','); comma != std::string::npos; start = comma + 1, comma = left.find(',', start)) {
        const std::string labels = left.substr(start, comma - start);
        if (operand >= r.mapping.operands.size() || std::ranges::count(labels, label) > 1)
            return false;
        const std::size_t at = labels.find(label);
        r.mapping.operands[operand++] = at == std::string::npos ? -1 : static_cast<int>(at);
    }
    return operand == r.mapping.operands.size();
}

bool recurrent(Rows& r)
{
    const int batch = r.view.flag("batch_first", false) ? 0 : 1;
    r.set("input", batch);
    r.set("hx", 1);
    std::fill(r.mapping.outputs.begin() + 1, r.mapping.outputs.end(), 1);
    return r.rank == 3 && r.row == batch;
}

bool recurrentCell(Rows& r)
{
    r.set("input", 0);
    r.set("hx", 0);
    return r.rank == 2 && r.row == 0;
}

bool attention(Rows& r)
{
    for (const std::string_view name : {"query", "key", "value", "attn_mask"})
        r.broadcast(name);
    return r.row < r.rank - 2;
}

bool embedding(Rows& r)
{
    r.set("indices", r.row);
    return r.row < r.rank - 1;
}

bool oneHot(Rows& r)
{
    r.set("self", r.row);
    return r.row < r.rank - 1;
}

// index_add, index_copy along another dimension than the rows.
bool indexedAlongOtherDim(Rows& r)
{
    r.set("source", r.row);
    return alongOtherDim(r);
}

// Along the rows of the index the table that is read has no rows: it is read whole.
bool indexSelect(Rows& r)
{
    const auto dim = r.view.dim("dim", r.rank);
    if (dim && *dim == r.row)
        r.set("index", 0);
    else
        r.set("self", r.row);
    return dim.has_value();
}

bool gathered(Rows& r)
{
    const auto dim = r.view.dim("dim", r.rank);
    r.set("index", r.row);
    if (dim && *dim != r.row)
        r.set("self", r.row);
    return dim.has_value();
}

// scatter along another dimension: index and src have the rows as well.
bool scatteredAlongOtherDim(Rows& r)
{
    r.set("index", r.row);
    r.set("src", r.row);
    return alongOtherDim(r);
}

// x[:, :, index] with one index tensor; rows are those of x, or of the index into a table that is read whole.
bool indexed(Rows& r)
{
    const std::vector<ValueId> indices = r.view.values("indices");
    int position = -1;
    for (std::size_t i = 0; i < indices.size(); ++i)
        if (indices[i].valid()) {
            if (position >= 0)
                return false;
            position = static_cast<int>(i);
        }
    if (position < 0 || r[indices[static_cast<std::size_t>(position)]].dtype == DType::Bool)
        return false;
    const int width = static_cast<int>(r[indices[static_cast<std::size_t>(position)]].sizes.size());
    if (r.row >= position && r.row < position + width)
        r.set("indices", r.row - position);
    else
        r.set("self", r.row < position ? r.row : r.row - width + 1);
    return true;
}

// x[mask] = number, with a mask over the first dimensions; x[:, index] = v.
bool indexPut(Rows& r)
{
    const std::vector<ValueId> indices = r.view.values("indices");
    const Value* values = r.view.tensor("values");
    if (indices.empty() || !values)
        return false;
    r.set("self", r.row);
    if (indices.size() == 1 && indices[0].valid() && r[indices[0]].dtype == DType::Bool) {
        r.set("indices", r.row);
        const bool oneRow = values->sizes.empty() || std::ranges::all_of(values->sizes, [](const Dim& d) { return d.isConstant(); });
        return oneRow && r.row == 0 && r[indices[0]].sizes.size() == 1;
    }
    for (std::size_t i = 0; i < indices.size(); ++i)
        if (indices[i].valid() && (static_cast<int>(i) <= r.row || r[indices[i]].dtype == DType::Bool))
            return false;
    if (values->sizes.size() > 1)
        r.broadcast("values");
    return true;
}

bool selectScatter(Rows& r)
{
    const auto dim = r.view.dim("dim", r.rank);
    r.set("self", r.row);
    r.set("src", dim && *dim < r.row ? r.row - 1 : r.row);
    return dim && *dim != r.row;
}

bool sliceScatter(Rows& r)
{
    const int dim = r.view.given("dim") ? r.view.dim("dim", r.rank).value_or(r.row) : 0;
    r.set("self", r.row);
    r.set("src", r.row);
    return dim != r.row;
}

bool padded(Rows& r)
{
    const Argument* pad = r.op().find("pad");
    if (!pad || !pad->asList())
        return false;
    const auto& amounts = *pad->asList();
    const std::size_t fromBack = static_cast<std::size_t>(r.rank - 1 - r.row) * 2;
    r.set("self", r.row);
    for (std::size_t i = fromBack; i < std::min(amounts.size(), fromBack + 2); ++i)
        if (!amounts[i].asInt() || *amounts[i].asInt() != 0)
            return false;
    return true;
}

bool similarity(Rows& r)
{
    const int rank = std::max(r.view.rank("x1"), r.view.rank("x2"));
    const int dim = r.view.given("dim") ? r.view.dim("dim", rank).value_or(-1) : 1;
    const int row = dim <= r.row ? r.row + 1 : r.row;
    for (const std::string_view name : {"x1", "x2"})
        if (const Value* v = r.view.tensor(name))
            r.set(name, Rows::broadcastDim(*v, rank, row));
    return dim >= 0 && dim < rank;
}

bool prelu(Rows& r)
{
    r.set("self", r.row);
    return r.row != 1;
}

bool factory(Rows&) { return true; }

const std::map<std::string_view, Rule>& table()
{
    static const std::map<std::string_view, Rule> rules = [] {
        std::map<std::string_view, Rule> t;
        const auto add = [&](Rule rule, std::initializer_list<std::string_view> targets) {
            for (const std::string_view target : targets)
                t[target] = rule;
        };
        add(elementwise, {"aten::abs", "aten::add", "aten::addcdiv", "aten::addcmul", "aten::acos", "aten::asin", "aten::atan",
                          "aten::atan2", "aten::bitwise_and", "aten::bitwise_not", "aten::bitwise_or", "aten::bitwise_xor",
                          "aten::ceil", "aten::celu", "aten::clamp", "aten::clamp_max", "aten::clamp_min", "aten::clone",
                          "aten::copy", "aten::cos", "aten::cosh", "aten::div", "aten::elu", "aten::eq", "aten::erf", "aten::erfc",
                          "aten::exp", "aten::exp2", "aten::expm1", "aten::fill", "aten::floor", "aten::floor_divide", "aten::fmod",
                          "aten::frac", "aten::ge", "aten::gelu", "aten::gt", "aten::hardsigmoid", "aten::hardswish",
                          "aten::hardtanh", "aten::isfinite", "aten::isinf", "aten::isnan", "aten::le", "aten::leaky_relu",
                          "aten::lerp", "aten::log", "aten::log10", "aten::log1p", "aten::log2", "aten::log_sigmoid",
                          "aten::logaddexp", "aten::logical_and", "aten::logical_not", "aten::logical_or", "aten::logical_xor",
                          "aten::logit", "aten::lt", "aten::masked_fill", "aten::maximum", "aten::minimum", "aten::mish", "aten::mul",
                          "aten::nan_to_num", "aten::ne", "aten::neg", "aten::pow", "aten::reciprocal", "aten::relu", "aten::relu6",
                          "aten::remainder", "aten::round", "aten::rsqrt", "aten::rsub", "aten::selu", "aten::sgn", "aten::sigmoid",
                          "aten::sign", "aten::silu", "aten::sin", "aten::sinh", "aten::softplus", "aten::softshrink", "aten::hardshrink",
                          "aten::sqrt", "aten::square", "aten::sub", "aten::tan", "aten::tanh", "aten::threshold", "aten::to",
                          "aten::_to_copy", "aten::trunc", "aten::where", "aten::xlogy"});
        add(alongOtherDim, {"aten::softmax", "aten::_softmax", "aten::log_softmax", "aten::_log_softmax", "aten::cumsum",
                            "aten::cumprod", "aten::logcumsumexp"});
        add(alongLastOrOtherDim, {"aten::sort", "aten::argsort", "aten::topk", "aten::glu"});
        add(flipped, {"aten::flip", "aten::roll"});
        add(reshaped, {"aten::view", "aten::reshape", "aten::_unsafe_view", "aten::flatten", "aten::unflatten"});
        add(elementwise, {"aten::expand"});
        add(repeated, {"aten::repeat"});
        add(unsqueezed, {"aten::unsqueeze"});
        add(squeezed, {"aten::squeeze"});
        add(selected, {"aten::select"});
        add(unbound, {"aten::unbind"});
        add(dividedAlongOtherDim, {"aten::slice", "aten::narrow", "aten::split", "aten::split_with_sizes", "aten::chunk",
                                   "aten::tensor_split"});
        add(transposed, {"aten::transpose"});
        add(matrixTransposed, {"aten::t", "aten::numpy_T"});
        add(permuted, {"aten::permute"});
        add(concatenated, {"aten::cat", "aten::concat"});
        add(stacked, {"aten::stack"});
        add(reduced, {"aten::sum", "aten::mean", "aten::amax", "aten::amin", "aten::max", "aten::min", "aten::prod", "aten::logsumexp",
                      "aten::norm", "aten::linalg_vector_norm", "aten::std", "aten::var", "aten::var_mean", "aten::any", "aten::all",
                      "aten::argmax", "aten::argmin", "aten::median", "aten::count_nonzero"});
        add(layerNorm, {"aten::layer_norm", "aten::native_layer_norm", "aten::rms_norm"});
        add(batchNorm, {"aten::batch_norm", "aten::native_batch_norm", "aten::_native_batch_norm_legit_no_training"});
        add(groupNorm, {"aten::group_norm"});
        add(firstDimOnly, {"aten::conv1d", "aten::conv2d", "aten::max_pool1d", "aten::avg_pool1d", "aten::adaptive_avg_pool1d"});
        add(linear, {"aten::linear"});
        add(bilinear, {"aten::bilinear"});
        add(mm, {"aten::mm"});
        add(addmm, {"aten::addmm"});
        add(mv, {"aten::mv"});
        add(bmm, {"aten::bmm"});
        add(baddbmm, {"aten::baddbmm"});
        add(matmul, {"aten::matmul"});
        add(einsum, {"aten::einsum"});
        add(recurrent, {"aten::lstm", "aten::gru", "aten::rnn_tanh", "aten::rnn_relu"});
        add(recurrentCell, {"aten::lstm_cell", "aten::gru_cell", "aten::rnn_tanh_cell", "aten::rnn_relu_cell"});
        add(attention, {"aten::scaled_dot_product_attention"});
        add(embedding, {"aten::embedding"});
        add(oneHot, {"aten::one_hot"});
        add(indexedAlongOtherDim, {"aten::index_add", "aten::index_copy", "aten::index_reduce", "aten::index_fill"});
        add(scatteredAlongOtherDim, {"aten::scatter", "aten::scatter_add", "aten::scatter_reduce"});
        add(indexSelect, {"aten::index_select"});
        add(gathered, {"aten::gather"});
        add(indexed, {"aten::index"});
        add(indexPut, {"aten::index_put"});
        add(selectScatter, {"aten::select_scatter"});
        add(sliceScatter, {"aten::slice_scatter"});
        add(padded, {"aten::constant_pad_nd"});
        add(similarity, {"aten::cosine_similarity"});
        add(prelu, {"aten::prelu"});
        add(factory, {"aten::zeros", "aten::ones", "aten::full"});
        return t;
    }();
    return rules;
}

}  // namespace

std::optional<RowMapping> rowMapping(const Program& program, OpId id, int rowDim)
{
    const Op& op = program[id];
    const auto rule = table().find(op.target);
    if (rule == table().end() || op.outputs.empty() || rowDim < 0)
        return {};
    Rows rows(program, op, rowDim);
    if (rowDim >= rows.rank || !rule->second(rows))
        return {};
    return rows.mapping;
}

bool hasRowRule(std::string_view target)
{
    return table().contains(target);
}

std::string_view shapeArgument(std::string_view target)
{
    static const std::set<std::string_view> shaped{"aten::view", "aten::_unsafe_view", "aten::expand", "aten::zeros", "aten::ones", "aten::full"};
    return target == "aten::reshape" ? "shape" : shaped.contains(target) ? "size" : "";
}

bool isFactory(std::string_view target)
{
    return target == "aten::zeros" || target == "aten::ones" || target == "aten::full";
}

std::vector<std::string_view> rowWiseTargets()
{
    std::vector<std::string_view> targets;
    for (const auto& [target, rule] : table())
        targets.push_back(target);
    return targets;
}

}  // namespace cleave
