#pragma once

#include <ATen/core/Tensor.h>

#include <optional>

#include "core/model/program.h"
#include "core/run/verify.h"

/// Numbers that say which of several scores were the largest: where scores are equal up to rounding, one answer is as right as the other. Private to
/// core/run.
namespace cleave {

/// Where ids come from.
struct Choice {
    ValueId scores;           ///< what was chosen from
    std::optional<int> dim;   ///< along which, from the front; none: from all entries
    bool isKept = false;      ///< ids have this dimension as well; argmax and the like drop it
    bool isDistinct = false;  ///< no two ids along it are the same, as in topk and sort
};

/// Of ids made by topk, sort, argsort, argmax, argmin, max, min, kthvalue or median along a dimension: all or some of them along it, maybe converted
/// or copied since.
std::optional<Choice> choiceOf(const Program& program, ValueId ids);

/// How far the scores at `found` are from those at `expected`, entry by entry as ids are: infinite where ids are none of the scores', are there
/// twice or only one of both scores is NaN. Shapes of ids are the same.
at::Tensor gapsOfChosen(const Choice& choice, const at::Tensor& scores, const at::Tensor& found, const at::Tensor& expected);

/// The scores at ids, in float64; NaN where there are none.
at::Tensor chosenScores(const Choice& choice, const at::Tensor& scores, const at::Tensor& ids);

}  // namespace cleave
