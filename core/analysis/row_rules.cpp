#include "core/analysis/row_rules.h"

#include <map>
#include <set>

#include "core/analysis/row_rule.h"

namespace cleave {

namespace {

using namespace row_rules;

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
        add(batchNorm, {"aten::batch_norm", "aten::native_batch_norm", "aten::_native_batch_norm_legit",
                        "aten::_native_batch_norm_legit_no_training"});
        add(groupNorm, {"aten::group_norm"});
        add(convolved, {"aten::conv1d", "aten::conv2d"});
        add(firstDimOnly, {"aten::max_pool1d", "aten::avg_pool1d", "aten::adaptive_avg_pool1d"});
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
    RowQuery rows(program, op, rowDim);
    if (rowDim >= rows.rank || !rule->second(rows))
        return {};
    // A file may declare fewer dimensions than the op's operands have.
    std::size_t position = 0;
    bool fits = true;
    forEachOperand(op, [&](ValueId operand) {
        fits = fits && rows.mapping.operands[position++] < std::max<int>(static_cast<int>(program[operand].sizes.size()), 1);
    });
    return fits ? std::optional(rows.mapping) : std::nullopt;
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

bool isElementwise(std::string_view target)
{
    const auto rule = table().find(target);
    return rule != table().end() && rule->second == &elementwise && target != "aten::expand";
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
