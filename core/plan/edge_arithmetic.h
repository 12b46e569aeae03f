#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/kernels/primitives.h"
#include "core/model/program.h"

namespace cleave {

/// One instruction of the edge kernels that an op, or a part of it, is.
struct Arithmetic {
    EdgeCode code = EdgeCode::Add;
    std::string_view x, y = {};  ///< the op's arguments that it reads; y is empty for instructions of one
    double number = 0;
};

/// What the op computes entry by entry, each instruction on the result of the one before; nothing for ops that the edge kernels do not know.
std::optional<std::vector<Arithmetic>> arithmeticOf(const Op& op);

/// Whether the op's own argument is multiplied by the result in the end: x sigmoid(x).
bool isTimesItself(const Op& op);

/// An argument that is a number in the trace.
std::optional<double> numberArgument(const Op& op, std::string_view name);

/// Whether an argument is this number, or left out.
bool isNumberOr(const Op& op, std::string_view name, double number);

}  // namespace cleave
