#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <vector>

#include "core/run/equal_masks.h"
#include "core/run/op_lowering.h"

namespace cleave {

/// Rows of a tensor where a mask holds, and what they are put beside: edges that are no loops, with a loop for each node. The places where the mask
/// holds are not written down, and the rows go to where they are read at once: as many numbers as there are edges, several times over, cost more in
/// fresh memory than what is done with them.
class MaskedRows {
public:
    /// Among these ops, which are all that are run, but those that `others` runs. Masks whose places are read otherwise are left alone.
    MaskedRows(const Program& program, std::span<const std::size_t> ops, const std::vector<ValueId>& wanted, const EqualMasks& others);

    bool has(OpId op) const { return m_ops.contains(op); }  ///< whether it is run here

    /// Outputs of the op, the same as LibTorch's to the bit; none where they come later.
    std::vector<c10::IValue> run(OpId op, const OperandValues& operands);

private:
    struct Mask;
    struct Rows {
        at::Tensor from;
        std::int64_t dim = 0;
        std::shared_ptr<const Mask> mask;
    };

    static std::vector<std::int64_t> sizesOf(const Rows& rows);
    std::shared_ptr<const Mask> maskOf(ValueId places);
    static void copy(const Rows& rows, const at::Tensor& to, std::int64_t first);
    at::Tensor joined(const Op& op, const OperandValues& operands);

    const Program& m_program;
    std::set<OpId> m_ops;
    std::set<ValueId> m_later;                                 // rows that only a cat reads, and how many there are
    std::map<ValueId, std::size_t> m_readers;                  // of pairs and places, that are still to come
    std::map<ValueId, std::shared_ptr<const Mask>> m_masks;  // by pairs and by places
    std::map<ValueId, Rows> m_rows;
    std::map<ValueId, std::vector<std::int64_t>> m_sizes;      // of rows that a cat reads, also after it
};

}  // namespace cleave
