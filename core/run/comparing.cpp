#include "core/run/comparing.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <limits>

#include "core/base/error.h"
#include "core/base/format.h"
#include "core/run/tensors.h"

namespace cleave {

namespace {

constexpr std::int64_t mostListed = 20;  // rows that differ most

// A complex number is two.
at::Tensor realParts(const at::Tensor& tensor)
{
    return tensor.is_complex() ? at::view_as_real(tensor.to(at::kComplexDouble).contiguous()) : tensor;
}

bool isWhole(const at::Tensor& tensor)
{
    return at::isIntegralType(tensor.scalar_type(), true);
}

at::Tensor gapOf(const at::Tensor& a, const at::Tensor& b)
{
    const at::Tensor x = a.to(at::kDouble), y = b.to(at::kDouble);
    if (isWhole(a) && isWhole(b))  // large ones would be the same as doubles, and what lies far apart has no difference of 64 bits
        return at::maximum(x.sub(y).abs(), a.to(at::kLong).sub(b.to(at::kLong)).abs().to(at::kDouble));
    const at::Tensor same = x.eq(y).logical_or(x.isnan().logical_and(y.isnan()));
    return x.sub(y).abs().masked_fill(same, 0).nan_to_num(std::numeric_limits<double>::infinity());
}

}  // namespace

at::Tensor rowsOf(const Array& array, int rowDim, const std::vector<std::int64_t>& rows)
{
    const at::Tensor all = toTensor(array);
    return (all.dim() ? all.movedim(rowDim, 0) : all.reshape({1})).index_select(0, at::tensor(rows, at::kLong));
}

std::vector<double> largestGaps(const at::Tensor& a, const at::Tensor& b)
{
    if (a.size(0) == 0)
        return {};
    const at::Tensor gaps = gapOf(realParts(a), realParts(b)).reshape({a.size(0), -1}).amax(1).contiguous();
    return {gaps.data_ptr<double>(), gaps.data_ptr<double>() + gaps.numel()};
}

Comparison compare(const NamedArray& a, const Array& expected, const Tolerance& tolerance, Measure measure)
{
    Comparison result;
    result.output = a.name;
    if (a.array.shape != expected.shape)
        throw Error("Output '" + printable(a.name) + "' is of shape " + shapeText(a.array.shape) + ", but what it is compared with is of shape " +
                    shapeText(expected.shape) + ".");
    const auto rowsFirst = [&](const Array& array) {
        const at::Tensor all = toTensor(array);
        return realParts(all.dim() ? all.movedim(a.rowDim, 0) : all.reshape({1}));
    };
    const at::Tensor asMade = rowsFirst(a.array), asExpected = rowsFirst(expected);
    result.rows = result.outputRows = asMade.size(0);
    if (asMade.numel() == 0)
        return result;
    const at::Tensor gap = gapOf(asMade, asExpected), x = asMade.to(at::kDouble), y = asExpected.to(at::kDouble);
    const at::Tensor finite = y.masked_fill(y.isfinite().logical_not(), 0).abs();
    result.maxAbsolute = gap.max().item<double>();
    result.maxRelative = result.maxAbsolute == 0 ? 0 : result.maxAbsolute / std::max(finite.max().item<double>(), 1e-30);
    const at::Tensor sizes = finite.reshape({result.rows, -1}), allowed = measure == Measure::Row ? sizes.amax(1, true) : sizes;
    // Whole numbers are counts, classes and ids: of 50,000 the next is another one.
    const double relative = isWhole(asMade) && isWhole(asExpected) ? 0 : tolerance.relative;
    const at::Tensor excess = gap.reshape({result.rows, -1}).sub(allowed.mul(relative)).sub(tolerance.absolute).amax(1);
    result.rowsOver = excess.gt(0).sum().item<std::int64_t>();
    result.equal = result.rowsOver == 0;
    const at::Tensor notFinite = x.isfinite().logical_or(y.isfinite()).logical_not().reshape({result.rows, -1});
    result.rowsNotFinite = notFinite.any(1).sum().item<std::int64_t>();
    result.tellsNothing = notFinite.all().item<bool>();
    if (a.array.shape.size() == 2 && x.dim() == 2 && x.size(1) > 1)
        result.argMaxChanged = x.argmax(1).ne(y.argmax(1)).sum().item<std::int64_t>();
    const std::int64_t listed = std::min(result.rowsOver, mostListed);
    const at::Tensor worst = std::get<1>(excess.topk(listed)).contiguous();
    result.worstRows.assign(worst.data_ptr<std::int64_t>(), worst.data_ptr<std::int64_t>() + listed);
    result.worstGaps = largestGaps(rowsOf(a.array, a.rowDim, result.worstRows), rowsOf(expected, a.rowDim, result.worstRows));
    return result;
}

void allowOtherChoices(Comparison& c, const NamedArray& ids, const Array& expected, const Choice& choice, const at::Tensor& scores,
                       const Tolerance& tolerance)
{
    const at::Tensor found = toTensor(ids.array), wanted = toTensor(expected);
    const at::Tensor gaps = gapsOfChosen(choice, scores, found, wanted), chosen = chosenScores(choice, scores, wanted).abs();
    // Both scores may be off by the tolerance.
    const at::Tensor allowed = chosen.mul(tolerance.relative).add(tolerance.absolute).mul(2);
    const at::Tensor isOver = gaps.eq(0).logical_or(gaps.le(allowed)).logical_not();
    const auto byRows = [&](const at::Tensor& entries) {
        return (entries.dim() ? entries.movedim(ids.rowDim, 0) : entries.reshape({1})).reshape({c.rows, -1});
    };
    const at::Tensor over = byRows(isOver).any(1);
    const std::int64_t rowsOver = over.sum().item<std::int64_t>();
    c.rowsOfEqualScores = c.rowsOver - rowsOver;
    c.rowsOver = rowsOver;
    c.equal = rowsOver == 0;
    const at::Tensor worst = std::get<1>(byRows(gaps).amax(1).masked_fill(over.logical_not(), -1).topk(std::min(rowsOver, mostListed))).contiguous();
    c.worstRows.assign(worst.data_ptr<std::int64_t>(), worst.data_ptr<std::int64_t>() + worst.numel());
    c.worstGaps = largestGaps(rowsOf(ids.array, ids.rowDim, c.worstRows), rowsOf(expected, ids.rowDim, c.worstRows));
    if (!c.equal)
        return;
    c.argMaxChanged = 0;
    c.maxAbsolute = gaps.max().item<double>();
    const at::Tensor finite = chosen.masked_fill(chosen.isfinite().logical_not(), 0);
    c.maxRelative = c.maxAbsolute == 0 ? 0 : c.maxAbsolute / std::max(finite.max().item<double>(), 1e-30);
}

}  // namespace cleave
