#pragma once

#include <string_view>

namespace cleave {

/// Whether an operator of a model file may be run: one of PyTorch's own, by the name that its dispatcher knows it by ("aten::relu", in place
/// "aten::relu_"), that computes tensors of tensors and checks what it is given. Files are untrusted: what reads and writes files, draws its memory
/// from elsewhere, works on packed weights of other libraries or trusts sizes that it is told is not among them.
bool isAllowedOp(std::string_view target);

}  // namespace cleave
