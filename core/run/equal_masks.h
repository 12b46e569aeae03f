#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "core/graph/blocks.h"
#include "core/run/op_lowering.h"

namespace cleave {

/// The dimension in which an aten::index reads at these places, or where this mask holds, and at nothing else; -1: it does not.
int indexedDim(const Op& op, ValueId places);

/// Masks t == r of one integer tensor for many numbers r, of which only the places are read where they hold: the edges of each relation, say. All of
/// a tensor's are found in one sort instead of one pass over it for each.
class EqualMasks {
public:
    /// Among these ops, which are all that are run. Tensors with fewer than three such masks are left alone.
    EqualMasks(const Program& program, std::span<const std::size_t> ops, const std::vector<ValueId>& wanted);

    /// Whether the op makes or reads such a mask, and is run here.
    bool has(OpId op) const { return m_makes.contains(op) || m_reads.contains(op); }

    /// Outputs of the op; none where it makes a mask.
    std::vector<c10::IValue> run(OpId op, const OperandValues& operands);

private:
    struct Mask {
        ValueId numbers;
        std::int64_t number;
    };
    struct Numbers {
        std::vector<std::int64_t> wanted;     // of all masks, ascending
        std::size_t readers = 0;              // that are still to come
        c10::IValue tensor;
        std::optional<EdgesBySegment> places;  // by the place of each number in `wanted`
    };

    void sort(Numbers& numbers) const;

    const Program& m_program;
    std::map<OpId, Mask> m_makes, m_reads;
    std::map<ValueId, Numbers> m_numbers;
};

}  // namespace cleave
