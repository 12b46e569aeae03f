#include "core/analysis/views.h"

#include <algorithm>
#include <limits>

#include "core/analysis/op_view.h"

namespace cleave {

int nonUnitDims(const Value& value)
{
    return static_cast<int>(std::ranges::count_if(value.sizes, [](const Dim& d) { return !d.isOne(); }));
}

const Dim* onlyNonUnitDim(const Value& value)
{
    const auto dim = std::ranges::find_if(value.sizes, [](const Dim& d) { return !d.isOne(); });
    return nonUnitDims(value) == 1 ? &*dim : nullptr;
}

std::optional<Part> partOf(const Program& program, ValueId value)
{
    const Op* op = producerOf(program, value);
    if (!op || op->target != "aten::slice")
        return {};
    const OpView slice(program, *op);
    const Value* whole = slice.tensor("self");
    if (!whole || whole->sizes.size() != 1 || slice.integerOr("step", 1) != 1 || (slice.given("start") && !slice.integer("start")))
        return {};
    const ValueId end = slice.value("end");
    const bool goesToTheEnd = !slice.given("end") || slice.integer("end") == std::numeric_limits<std::int64_t>::max() ||
                              (end.valid() && program[end].number == whole->sizes[0]);
    return Part{slice.value("self"), slice.integerOr("start", 0), goesToTheEnd ? 0 : slice.integerOr("end", 0) < 0 ? -*slice.integer("end") : -1};
}

namespace {

// Whether the op repeats its operand's entries without changing which row they are in.
bool keepsEntries(const Program& program, const Op& op)
{
    const OpView view(program, op);
    const Value* self = view.tensor("self");
    const Dim* entries = self ? onlyNonUnitDim(*self) : nullptr;
    if (!entries || entries->isConstant())
        return false;
    if (isView(op, {ViewKind::Whole, ViewKind::Reshape})) {
        const Dim* out = onlyNonUnitDim(view.output());
        return out && *out == *entries;
    }
    if (isView(op, {ViewKind::Repeat}) || op.target == "aten::repeat") {
        // The one dimension that counts stays where it is, aligned from the back; the others are repeated entries.
        const auto& from = self->sizes;
        const auto& to = view.output().sizes;
        if (to.size() < from.size())
            return false;
        const std::size_t shift = to.size() - from.size();
        for (std::size_t d = 0; d < from.size(); ++d)
            if (!from[d].isOne())
                return to[d + shift] == from[d];
    }
    return op.target == "aten::to" && isInteger(view.output().dtype) && isInteger(self->dtype);
}

}  // namespace

ValueId viewRoot(const Program& program, ValueId value)
{
    for (OpId producer = program[value].producer; producer.valid() && keepsEntries(program, program[producer]);
         producer = program[value].producer)
        value = OpView(program, program[producer]).value("self");
    return value;
}

}  // namespace cleave
