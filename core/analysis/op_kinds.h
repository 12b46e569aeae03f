#pragma once

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string_view>

#include "core/model/program.h"

namespace cleave {

/// Whether a target (of an op), "aten::relu", is among these.
inline bool isOneOf(std::string_view target, std::initializer_list<std::string_view> targets)
{
    return std::ranges::find(targets, target) != targets.end();
}

/// What an op that computes nothing does with the entries of its operand `self`, whether it copies them or not. The type of the entries stays what it
/// is.
enum class ViewKind {
    None,
    Whole,    ///< hands them out as they are: clone, detach
    Reshape,  ///< in their order, with other sizes: view, squeeze, flatten
    Repeat,   ///< repeats them along dimensions of one entry: expand
    Turn,     ///< dimensions in another order: transpose, permute
    Part      ///< some of them: select, slice, split
};

ViewKind viewKind(const Op& op);

inline bool isView(const Op& op, std::initializer_list<ViewKind> kinds)
{
    return std::ranges::find(kinds, viewKind(op)) != kinds.end();
}

/// Whether an op gives its operand's entries, in their order, with the sizes that it is given.
inline bool isReshape(const Op& op)
{
    return isOneOf(op.target, {"aten::view", "aten::reshape", "aten::_unsafe_view"}) && op.overload != "dtype";
}

/// Whether an op gathers rows at indices and reduces them in bags, all at once.
inline bool isEmbeddingBag(const Op& op)
{
    return isOneOf(op.target, {"aten::embedding_bag", "aten::_embedding_bag", "aten::_embedding_bag_forward_only"});
}

/// The op that makes a value; null for inputs, weights and invalid ids.
inline const Op* producerOf(const Program& program, ValueId value)
{
    return value.valid() && program[value].producer.valid() ? &program[program[value].producer] : nullptr;
}

/// The number that all entries of a value are made with: by zeros, ones, full and what is like them. Nothing for other values, and for a number that
/// is computed.
std::optional<double> filledWith(const Program& program, ValueId value);
bool isFilled(const Op& op);  ///< makes such a tensor

}  // namespace cleave
