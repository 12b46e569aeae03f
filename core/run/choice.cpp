#include "core/run/choice.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "core/analysis/op_kinds.h"
#include "core/analysis/op_view.h"

namespace cleave {

namespace {

bool isCopy(const Op& op)
{
    return isOneOf(op.target, {"aten::to", "aten::_to_copy", "aten::clone", "aten::contiguous", "aten::detach", "aten::alias"});
}

// [outer…, dim, …] with the dimension along which scores were chosen last; a single row where all entries were.
at::Tensor chosenLast(const Choice& choice, const at::Tensor& scores)
{
    return choice.dim ? scores.movedim(*choice.dim, -1) : scores.reshape({-1});
}

// Ids in the order of chosenLast, with that dimension even where they had none.
at::Tensor idsLast(const Choice& choice, const at::Tensor& ids)
{
    const at::Tensor whole = ids.to(at::kLong);
    return choice.isKept && choice.dim ? whole.movedim(*choice.dim, -1) : choice.dim ? whole.unsqueeze(-1) : whole.reshape({1});
}

at::Tensor asIdsAre(const Choice& choice, const at::Tensor& last, const at::Tensor& ids)
{
    return choice.isKept && choice.dim ? last.movedim(-1, *choice.dim) : last.reshape(ids.sizes());
}

std::optional<Choice> chosenBy(const Program& program, const Op& op)
{
    const OpView view(program, op);
    const int rank = view.rank("self");
    Choice choice{view.value("self"), {}, true, false};
    if (!choice.scores.valid() || rank < 1 || !isFloating(program[choice.scores].dtype))
        return {};
    if (view.given("dim") && !(choice.dim = view.dim("dim", rank)))
        return {};
    if (isOneOf(op.target, {"aten::topk", "aten::sort", "aten::argsort"})) {
        choice.isDistinct = true;
    } else if (isOneOf(op.target, {"aten::argmax", "aten::argmin", "aten::max", "aten::min", "aten::kthvalue", "aten::median"})) {
        choice.isKept = view.flag("keepdim", false);
        if (isOneOf(op.target, {"aten::argmax", "aten::argmin"}) && !choice.dim)
            return choice.isKept ? std::nullopt : std::optional(choice);
        if (isOneOf(op.target, {"aten::max", "aten::min", "aten::median"}) && !choice.dim)
            return {};
    } else {
        return {};
    }
    if (!choice.dim)
        choice.dim = rank - 1;
    return choice;
}

}  // namespace

std::optional<Choice> choiceOf(const Program& program, ValueId ids)
{
    if (program[ids].kind != ValueKind::Tensor || !isInteger(program[ids].dtype))
        return {};
    std::vector<int> parts;  // dimensions of which ids are some
    bool isDropped = false;
    for (;; ids = OpView(program, program[program[ids].producer]).value("self")) {
        if (!ids.valid() || !program[ids].producer.valid())
            return {};
        const Op& op = program[program[ids].producer];
        const OpView view(program, op);
        const std::optional<int> dim = view.dim("dim", view.rank("self"));
        if (isOneOf(op.target, {"aten::slice", "aten::narrow"}) && dim && !isDropped) {
            parts.push_back(*dim);
        } else if (isOneOf(op.target, {"aten::select", "aten::squeeze"}) && dim && !isDropped) {
            parts.push_back(*dim);
            isDropped = true;
        } else if (!isCopy(op)) {
            break;
        }
    }
    if (!isInteger(program[ids].dtype))
        return {};  // the scores themselves, made whole numbers
    std::optional<Choice> choice = chosenBy(program, program[program[ids].producer]);
    if (!choice || std::ranges::any_of(parts, [&](int dim) { return !choice->isKept || choice->dim != dim; }))
        return {};
    choice->isKept = choice->isKept && !isDropped;
    return choice;
}

at::Tensor chosenScores(const Choice& choice, const at::Tensor& scores, const at::Tensor& ids)
{
    const at::Tensor all = chosenLast(choice, scores), chosen = idsLast(choice, ids);
    const at::Tensor isThere = chosen.ge(0).logical_and(chosen.lt(all.size(-1)));
    if (all.size(-1) == 0)
        return at::full(ids.sizes(), std::numeric_limits<double>::quiet_NaN(), at::kDouble);
    const at::Tensor found = all.gather(-1, chosen.clamp(0, all.size(-1) - 1)).to(at::kDouble);
    return asIdsAre(choice, found.masked_fill(isThere.logical_not(), std::numeric_limits<double>::quiet_NaN()), ids);
}

at::Tensor gapsOfChosen(const Choice& choice, const at::Tensor& scores, const at::Tensor& found, const at::Tensor& expected)
{
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const at::Tensor a = chosenScores(choice, scores, found), b = chosenScores(choice, scores, expected);
    const at::Tensor same = a.eq(b).logical_or(found.eq(expected));
    at::Tensor gaps = a.sub(b).abs().masked_fill(same, 0).nan_to_num(infinity, infinity);
    if (choice.isDistinct) {
        const at::Tensor sorted = std::get<0>(idsLast(choice, found).sort(-1));
        const std::int64_t count = sorted.size(-1);
        if (count > 1) {
            const at::Tensor twice = sorted.narrow(-1, 1, count - 1).eq(sorted.narrow(-1, 0, count - 1)).any(-1, true).expand(sorted.sizes());
            gaps = gaps.masked_fill(asIdsAre(choice, twice, found), infinity);
        }
    }
    return gaps;
}

}  // namespace cleave
