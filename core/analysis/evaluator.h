#pragma once

#include <optional>
#include <vector>

#include "core/base/array.h"
#include "core/model/program.h"

namespace cleave {

/// What analysis must execute; core/run supplies LibTorch's, tests a fake.
class Evaluator {
public:
    virtual ~Evaluator() = default;

    /// Whether op works row by row on actual arguments, for an op outside the table of row-wise ops: it is run on whole, permuted and
    /// truncated rows. operandRowDims: row dimension of each operand in forEachOperand order, -1 for operands read whole.
    /// Returns the row dimension of each output, nothing if it is not row-wise or cannot be run.
    virtual std::optional<std::vector<int>> probeRowWise(const Program& program, OpId op,
                                                         const std::vector<int>& operandRowDims) const = 0;

    /// Whether an output of the op may share memory with an operand.
    virtual bool mayShareMemory(const Op& op) const = 0;

    /// A tensor that depends on parameters alone, contiguous; nothing if it cannot be computed.
    virtual std::optional<Array> evaluate(const Program& program, ValueId value) const = 0;
};

}  // namespace cleave
