#include "core/torchscript/script_operators.h"

#include <ATen/ATen.h>
#include <torch/csrc/jit/runtime/operator.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace cleave {

namespace {

constexpr std::array newer{
    "aten::_sparse_mm.reduce(Tensor sparse, Tensor dense, str reduce) -> Tensor",
    "aten::sparse_coo_tensor.indices_coalesced(Tensor indices, Tensor values, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
    "bool? pin_memory=None, bool? is_coalesced=None) -> Tensor",
    "aten::sparse_coo_tensor.indices_size_coalesced(Tensor indices, Tensor values, int[] size, *, ScalarType? dtype=None, Layout? layout=None, "
    "Device? device=None, bool? pin_memory=None, bool? is_coalesced=None) -> Tensor",
};

bool takes(const std::string& name, std::string_view argument)
{
    return std::ranges::any_of(torch::jit::getAllOperatorsFor(c10::Symbol::fromQualString(name)), [&](const auto& known) {
        return std::ranges::any_of(known->schema().arguments(), [&](const c10::Argument& given) { return given.name() == argument; });
    });
}

void lacking(torch::jit::Stack&) { throw std::runtime_error("this LibTorch has no such operator"); }

// By its definition.
void attention(torch::jit::Stack& stack)
{
    const auto arguments = torch::jit::last(stack, 8);
    const at::Tensor q = arguments[0].toTensor();
    at::Tensor k = arguments[1].toTensor(), v = arguments[2].toTensor();
    if (arguments[7].toBool())  // several heads of q read one of k and v
        for (at::Tensor* shared : {&k, &v})
            *shared = shared->repeat_interleave(q.size(-3) / shared->size(-3), -3);
    const double scale = arguments[6].isNone() ? 1 / std::sqrt(static_cast<double>(q.size(-1))) : arguments[6].toDouble();
    at::Tensor scores = at::matmul(q, k.transpose(-2, -1)) * scale;
    if (!arguments[3].isNone())
        scores = arguments[3].toTensor().scalar_type() == at::kBool
                     ? scores.masked_fill(arguments[3].toTensor().logical_not(), -std::numeric_limits<double>::infinity())
                     : scores + arguments[3].toTensor();
    if (arguments[5].toBool())  // rows see those before them
        scores = scores.masked_fill(at::ones({q.size(-2), k.size(-2)}, at::kBool).tril().logical_not(), -std::numeric_limits<double>::infinity());
    at::Tensor result = at::matmul(at::softmax(scores, -1), v);
    torch::jit::drop(stack, 8);
    stack.emplace_back(std::move(result));
}

constexpr auto attentionSchema =
    "aten::scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float dropout_p=0., "
    "bool is_causal=False, *, float? scale=None, bool enable_gqa=False) -> Tensor";

}  // namespace

void declareNewerOperators()
{
    static const bool done = [] {
        std::vector<std::string> lacked;
        for (const std::string schema : newer)
            if (!takes(schema.substr(0, schema.find('.')), schema.find("is_coalesced") == std::string::npos ? "reduce" : "is_coalesced"))
                lacked.push_back(schema);
        for (const std::string& schema : lacked)
            torch::jit::registerOperator(torch::jit::Operator(schema, &lacking, c10::AliasAnalysisKind::CONSERVATIVE));
        if (torch::jit::getAllOperatorsFor(c10::Symbol::fromQualString("aten::scaled_dot_product_attention")).empty())
            torch::jit::registerOperator(torch::jit::Operator(attentionSchema, &attention, c10::AliasAnalysisKind::FROM_SCHEMA));
        return true;
    }();
    static_cast<void>(done);
}

}  // namespace cleave
