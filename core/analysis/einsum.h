#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/model/program.h"

namespace cleave {

/// An equation of aten::einsum with a label for each dimension: letters, and characters below 'A' for those that an ellipsis stands for. Entries of the
/// result are sums over the labels that it does not have. A dimension of size 1 counts as often as its label says.
struct Einsum {
    std::vector<std::string> operands;
    std::string result;
};

/// The equation of an op, spelt out: without spaces and ellipses, and with a result (NumPy's rules, which PyTorch follows). Nothing where its tensors
/// do not have the dimensions that it says.
std::optional<Einsum> einsumOf(const Program& program, const Op& op);

}  // namespace cleave
