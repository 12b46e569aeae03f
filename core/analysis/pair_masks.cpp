// Masks of pairs of nodes: what is true, or a number, where a matrix has an entry, and scores that are left by one.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/analysis/op_view.h"
#include "core/analysis/pair_scores.h"

namespace cleave {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double asLowAsOutside = 0.999;  // of what is added where there is no entry

}  // namespace

bool PairScores::takeMask(const Op& op, const MatrixEdges& matrix, ValueId value)
{
    const std::size_t rank = m_p[value].sizes.size();
    return rank >= 2 && op.outputs.size() == 1 && lowerView(op, Mask{matrix, {rank, rank - 2, rank - 1}, Presence::Entries, false, {}}, value);
}

bool PairScores::lowerView(const Op& op, Mask mask, ValueId value)
{
    const ValueId output = op.outputs.front();
    const OpView view(m_p, op);
    const bool comparesWithZero = view.number("other") == 0.0;
    const bool areEntries = mask.presence == Presence::Entries && !mask.bias;
    if (const std::optional<Bias> bias = biasAfter(op, mask)) {
        mask.bias = bias;
    } else if (areEntries && comparesWithZero && isOneOf(op.target, {"aten::eq", "aten::ne", "aten::gt", "aten::le"})) {
        mask.presence = isOneOf(op.target, {"aten::gt", "aten::le"}) ? Presence::Positive : Presence::NotZero;
        mask.isAbsence = isOneOf(op.target, {"aten::eq", "aten::le"});
    } else if (areEntries && isOneOf(op.target, {"aten::to", "aten::_to_copy"}) && m_p[output].dtype == DType::Bool) {
        mask.presence = Presence::NotZero;
    } else if (!areEntries && !mask.bias && isOneOf(op.target, {"aten::logical_not", "aten::bitwise_not"})) {
        mask.isAbsence = !mask.isAbsence;
    } else if (op.target == "aten::unsqueeze") {
        const std::optional<int> dim = view.dim("dim", static_cast<int>(mask.layout.rank) + 1);
        if (!dim)
            return false;
        ++mask.layout.rank;
        for (std::size_t* pair : {&mask.layout.targets, &mask.layout.sources})
            *pair += static_cast<std::size_t>(*dim) <= *pair ? 1 : 0;
    } else if (!m_rows.isLeftAlone(op) && !(isView(op, {ViewKind::Reshape, ViewKind::Repeat}) && m_p[output].sizes == m_p[value].sizes)) {
        return false;
    }
    m_masks[output] = std::move(mask);
    return true;
}

// Numbers that are made of a matrix or a mask, one by one.
std::optional<PairScores::Bias> PairScores::biasAfter(const Op& op, const Mask& mask) const
{
    const bool isOfType = isOneOf(op.target, {"aten::to", "aten::_to_copy", "aten::type_as"});
    if (!mask.bias && mask.presence != Presence::Entries && !mask.isAbsence)
        return {};  // a matrix as well
    if (!isOneOf(op.target, {"aten::add", "aten::sub", "aten::rsub", "aten::mul", "aten::div", "aten::neg"}) && !isOfType)
        return {};
    const Value& output = m_p[op.outputs.front()];
    if (output.sizes != m_p[OpView(m_p, op).value("self")].sizes || !isFloating(output.dtype))
        return {};
    Bias bias = mask.bias.value_or(mask.presence == Presence::Entries ? Bias{1, 0, 0} : Bias{0, 0, 1});
    if (isOfType)
        return mask.bias || mask.isAbsence ? std::optional(bias) : std::nullopt;
    const OpView view(m_p, op);
    const std::optional<double> number = op.target == "aten::neg" ? -1 : m_rows.numberOf(op, "other"),
                                alpha = view.given("alpha") ? view.number("alpha") : 1;
    if (!number || !alpha || view.given("rounding_mode"))
        return {};
    const bool scales = isOneOf(op.target, {"aten::mul", "aten::div", "aten::neg"});
    const double factor = op.target == "aten::rsub" ? -*alpha : !scales ? 1 : op.target == "aten::div" ? 1 / *number : *number;
    const double added = scales ? 0 : op.target == "aten::add" ? *alpha * *number : op.target == "aten::sub" ? -*alpha * *number : *number;
    bias = {bias.slope * factor, bias.offset * factor + added, bias.outside * factor + added};
    const bool isNumber = std::isfinite(bias.slope) && std::isfinite(bias.offset) && !std::isnan(bias.outside);
    return isNumber ? std::optional(bias) : std::nullopt;
}

// Scores and a number for each pair of nodes that leaves only those with an entry.
bool PairScores::lowerBias(const Op& op)
{
    const OpView view(m_p, op);
    const ValueId self = view.value("self"), other = view.value("other");
    const auto biasOf = [&](ValueId value) {
        const auto mask = m_masks.find(value);
        return mask != m_masks.end() && mask->second.bias ? &mask->second : nullptr;
    };
    const Mask* left = biasOf(self);
    const Mask* right = biasOf(other);
    const std::optional<double> alpha = view.given("alpha") ? view.number("alpha") : 1;
    if ((left == nullptr) == (right == nullptr) || !self.valid() || !other.valid() || !alpha ||
        (left != nullptr && (op.target != "aten::add" || *alpha != 1)))
        return false;
    Mask mask = left != nullptr ? *left : *right;
    const double factor = left != nullptr ? 1 : op.target == "aten::sub" ? -*alpha : *alpha;
    mask.bias = Bias{mask.bias->slope * factor, mask.bias->offset * factor, mask.bias->outside * factor};
    // What is added must be so much that the scores of nodes without entries are the same after it, as they are where they are replaced.
    constexpr double most = 16;
    const double precision = m_p[op.outputs.front()].dtype == DType::Float64 ? 0x1p-53 : 0x1p-24;
    const bool leaves = mask.bias->slope != 0 || !(mask.bias->offset <= mask.bias->outside * asLowAsOutside);
    return leaves && mask.bias->outside * precision <= -most && takeScores(op, mask, left != nullptr ? other : self, mask.bias->outside);
}

bool PairScores::lowerMasking(const Op& op)
{
    constexpr double asGoodAsNothing = -1e5;  // its exponential is 0 beside that of any score that is left
    const OpView view(m_p, op);
    const bool fills = op.target == "aten::masked_fill";
    const auto mask = m_masks.find(view.value(fills ? "mask" : "condition"));
    if (mask == m_masks.end() || mask->second.presence == Presence::Entries || mask->second.bias)
        return false;
    const bool keepsSelf = fills ? mask->second.isAbsence : !mask->second.isAbsence;
    if (fills && !keepsSelf)
        return false;
    const char* const filled = fills ? "value" : keepsSelf ? "other" : "self";
    const std::optional<double> number = m_rows.numberOf(op, filled), left = m_rows.numberOf(op, keepsSelf ? "self" : "other");
    if (number && left && std::isfinite(*left) && m_p[op.outputs.front()].sizes.size() == mask->second.layout.rank) {
        Mask bias = mask->second;
        bias.bias = Bias{0, *left, *number};
        m_masks[op.outputs.front()] = bias;
    }
    const ValueId kept = view.value(keepsSelf ? "self" : "other");
    if (!kept.valid())
        return m_masks.contains(op.outputs.front());
    if (const auto scores = m_scores.find(kept); scores != m_scores.end() && scores->second.isNormal) {
        const std::size_t before = scores->second.layout.rank - std::min(scores->second.layout.rank, mask->second.layout.rank);
        const bool areInOrder = scores->second.layout.targets == mask->second.layout.targets + before &&
                                scores->second.layout.sources == mask->second.layout.sources + before;
        const std::optional<Pairs> same = areInOrder ? pairsOf(op, mask->second, Dim(scores->second.pairs.nodes)) : std::nullopt;
        if (!same || same->sources != scores->second.pairs.sources || same->targets != scores->second.pairs.targets || number != 0.0 ||
            m_p[op.outputs.front()].sizes != m_p[kept].sizes)
            return false;
        Scores zeroed = scores->second;
        zeroed.isZeroed = true;
        m_scores[op.outputs.front()] = zeroed;
        return true;
    }
    const bool isTaken = number && *number <= asGoodAsNothing && takeScores(op, Mask(mask->second), kept, *number);
    return isTaken || m_masks.contains(op.outputs.front());
}

// The scores where the mask has entries, as the result of an op that has the number `outside`, or about that, elsewhere.
bool PairScores::takeScores(const Op& op, const Mask& mask, ValueId kept, double outside)
{
    const Value output = m_p[op.outputs.front()];
    Layout layout = mask.layout;
    if (layout.rank > output.sizes.size())
        return false;
    layout.targets += output.sizes.size() - layout.rank;
    layout.sources += output.sizes.size() - layout.rank;
    layout.rank = output.sizes.size();
    const std::optional<Pairs> pairs = pairsOf(op, mask, output.sizes[layout.targets]);
    std::optional<ValueId> rows = pairs ? m_rows.atPairs(op, kept, layout, *pairs) : std::nullopt;
    if (!rows || m_p[*rows].sizes.empty() || m_p[*rows].sizes.front() != pairs->count)
        return false;
    if (mask.bias)
        rows = biased(op, *rows, *mask.bias, *pairs);
    m_scores[op.outputs.front()] = {*rows, layout, *pairs, mask.matrix.matrix, std::isinf(outside), false};
    return true;
}

// Rows [pairs, …] with what is added at each pair. Where that is no more than outside, other pairs would count, and the answer is no number.
ValueId PairScores::biased(const Op& op, ValueId rows, const Bias& bias, const Pairs& pairs)
{
    const auto make = [&](std::string target, std::string overload, std::vector<NamedArgument> args, const Value& result) {
        return m_rewriter.emitNew(op, std::move(target), std::move(overload), std::move(args), result);
    };
    const Value result = m_p[rows];
    if (bias.slope == 0 && bias.offset == 0)
        return rows;
    if (bias.slope == 0)
        return make("aten::add", "Scalar", {{"self", {rows}}, {"other", {bias.offset}}}, result);
    const Value each = m_p[pairs.weights];
    ValueId added = make("aten::mul", "Scalar", {{"self", {pairs.weights}}, {"other", {bias.slope}}}, each);
    added = make("aten::add", "Scalar", {{"self", {added}}, {"other", {bias.offset}}}, each);
    Value isTooLow = each;
    isTooLow.dtype = DType::Bool;
    const ValueId low = make("aten::le", "Scalar", {{"self", {added}}, {"other", {bias.outside * asLowAsOutside}}}, isTooLow);
    added = make("aten::masked_fill", "Scalar", {{"self", {added}}, {"mask", {low}}, {"value", {std::numeric_limits<double>::quiet_NaN()}}}, each);
    while (m_p[added].sizes.size() < result.sizes.size())
        added = m_algebra.unsqueezed(op, added, m_p[added].sizes.size());
    return make("aten::add", "Tensor", {{"self", {rows}}, {"other", {added}}}, result);
}

bool PairScores::lowerEmptiness(const Op& op)
{
    const OpView view(m_p, op);
    const ValueId self = view.value("self"), output = op.outputs.front();
    const auto before = m_emptiness.find(self);
    if (const auto scores = m_scores.find(self); before == m_emptiness.end()) {
        if (scores == m_scores.end() || scores->second.isNormal || op.target != "aten::eq" || view.number("other") != -infinite)
            return false;
        m_emptiness[output] = {self};
        return true;
    }
    const auto [scores, steps] = before->second;
    const Layout& layout = m_scores.at(scores).layout;
    const bool goesOn = steps == 2 ? op.target == "aten::any" && view.flag("keepdim", false) &&
                                         view.dim("dim", static_cast<int>(layout.rank)) == static_cast<int>(layout.sources)
                                   : steps < 4 && op.target == "aten::logical_not";
    if (goesOn)
        m_emptiness[output] = {scores, steps + 1};
    return goesOn;
}

// 0 in place of what the softmax gives where there was nothing.
bool PairScores::lowerZeroing(const Op& op)
{
    const auto isEmpty = m_emptiness.find(OpView(m_p, op).value("condition"));
    const auto normal = m_scores.find(OpView(m_p, op).value("other"));
    if (op.target != "aten::where" || isEmpty == m_emptiness.end() || isEmpty->second.steps != 4 || normal == m_scores.end() ||
        !normal->second.isNormal || m_rows.numberOf(op, "self") != 0.0)
        return false;
    const Scores& before = m_scores.at(isEmpty->second.scores);
    if (before.pairs.targets != normal->second.pairs.targets || before.isInfinite != normal->second.isInfinite)
        return false;
    Scores zeroed = normal->second;
    zeroed.isZeroed = zeroed.isInfinite;
    m_scores[op.outputs.front()] = zeroed;
    return true;
}

}  // namespace cleave
