#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/model/program.h"

namespace cleave {

/// How rows of an op's outputs follow from rows of its operands.
struct RowMapping {
    std::vector<int> operands;  ///< in forEachOperand order: the dimension whose row i goes into output row i, -1 for read whole
    std::vector<int> outputs;   ///< row dimension of each output
};

/// The table of row-wise ops. Nothing if the op is not in the table, or output 0 is not row-wise along rowDim: restricting the
/// operands as stated, and the entry of a shape argument at rowDim to the number of rows, gives just these rows of the outputs.
std::optional<RowMapping> rowMapping(const Program& program, OpId op, int rowDim);

/// Whether the table knows the op at all, for whatever dimension.
bool hasRowRule(std::string_view target);

/// The argument of a factory, view or expand whose entry at the row dimension is a number of rows; empty if the op has none.
std::string_view shapeArgument(std::string_view target);

bool isElementwise(std::string_view target);  ///< each entry follows from the entries of tensor arguments that are broadcast to its place
bool isFactory(std::string_view target);  ///< zeros, ones, full: rows that depend on no operand

/// Every target in the table, sorted: for tests and documentation.
std::vector<std::string_view> rowWiseTargets();

}  // namespace cleave
