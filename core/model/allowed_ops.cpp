#include "core/model/allowed_ops.h"

#include <algorithm>
#include <array>
#include <set>

namespace cleave {

namespace {

// Names that begin so, with one underscore or more behind for what works in place.
constexpr std::array<std::string_view, 17> foreign{"from_file",     "save",       "manual_seed", "set_",       "resize",  "sparse_resize",
                                                   "record_stream", "pin_memory", "rename",      "fbgemm_",    "mkldnn_", "to_mkldnn",
                                                   "cudnn_",        "miopen_",    "mps_",        "quantized_", "q_"};

// Of PyTorch's inner operators those that exporters write.
const std::set<std::string_view>& inner()
{
    static const std::set<std::string_view> names{"_adaptive_avg_pool2d",
                                                  "_adaptive_avg_pool3d",
                                                  "_addmm_activation",
                                                  "_assert_async",
                                                  "_assert_scalar",
                                                  "_assert_tensor_metadata",
                                                  "_batch_norm_no_update",
                                                  "_batch_norm_with_update",
                                                  "_batch_norm_with_update_functional",
                                                  "_cat",
                                                  "_cdist_forward",
                                                  "_coalesced",
                                                  "_conj",
                                                  "_conj_physical",
                                                  "_convert_indices_from_coo_to_csr",
                                                  "_convert_indices_from_csr_to_coo",
                                                  "_convolution",
                                                  "_embedding_bag",
                                                  "_embedding_bag_forward_only",
                                                  "_euclidean_dist",
                                                  "_fft_c2c",
                                                  "_fft_c2r",
                                                  "_fft_r2c",
                                                  "_functional_assert_async",
                                                  "_functional_assert_scalar",
                                                  "_functional_sym_constrain_range",
                                                  "_functional_sym_constrain_range_for_size",
                                                  "_fused_rms_norm",
                                                  "_index_put_impl",
                                                  "_indices",
                                                  "_is_all_true",
                                                  "_is_any_true",
                                                  "_linalg_det",
                                                  "_linalg_eigh",
                                                  "_linalg_slogdet",
                                                  "_linalg_solve_ex",
                                                  "_linalg_svd",
                                                  "_local_scalar_dense",
                                                  "_log_softmax",
                                                  "_logcumsumexp",
                                                  "_masked_softmax",
                                                  "_native_batch_norm_legit",
                                                  "_native_batch_norm_legit_functional",
                                                  "_native_batch_norm_legit_no_training",
                                                  "_native_multi_head_attention",
                                                  "_neg_view",
                                                  "_nested_tensor_from_mask",
                                                  "_nnz",
                                                  "_pack_padded_sequence",
                                                  "_pad_packed_sequence",
                                                  "_pdist_forward",
                                                  "_prelu_kernel",
                                                  "_reshape_copy",
                                                  "_safe_softmax",
                                                  "_scaled_dot_product_attention",
                                                  "_scaled_dot_product_attention_math",
                                                  "_scaled_dot_product_efficient_attention",
                                                  "_scaled_dot_product_flash_attention",
                                                  "_scaled_dot_product_flash_attention_for_cpu",
                                                  "_set_item",
                                                  "_shape_as_tensor",
                                                  "_softmax",
                                                  "_sparse_addmm",
                                                  "_sparse_log_softmax",
                                                  "_sparse_mm",
                                                  "_sparse_softmax",
                                                  "_sparse_sum",
                                                  "_stack",
                                                  "_to_copy",
                                                  "_to_dense",
                                                  "_to_sparse",
                                                  "_transformer_encoder_layer_fwd",
                                                  "_trilinear",
                                                  "_unique",
                                                  "_unique2",
                                                  "_unsafe_index",
                                                  "_unsafe_index_put",
                                                  "_unsafe_masked_index",
                                                  "_unsafe_view",
                                                  "_unwrap_optional",
                                                  "_upsample_bicubic2d_aa",
                                                  "_upsample_bilinear2d_aa",
                                                  "_upsample_nearest_exact1d",
                                                  "_upsample_nearest_exact2d",
                                                  "_upsample_nearest_exact3d",
                                                  "_values",
                                                  "_weight_norm",
                                                  "_weight_norm_interface"};
    return names;
}

}  // namespace

bool isAllowedOp(std::string_view target)
{
    constexpr std::string_view aten = "aten::";
    if (!target.starts_with(aten))
        return false;
    std::string_view name = target.substr(aten.size());
    if (name.starts_with("__"))
        return true;  // Python's own: and, or, getitem
    if (std::ranges::any_of(foreign, [&](std::string_view begin) { return name.starts_with(begin); }))
        return false;
    if (!name.starts_with('_'))
        return true;
    return inner().contains(name) || (name.ends_with('_') && inner().contains(name.substr(0, name.size() - 1)));
}

}  // namespace cleave
