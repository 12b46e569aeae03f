#include "core/analysis/row_rule.h"

#include <algorithm>

namespace cleave::row_rules {

namespace {

// The products of sizes before the row dimension and its own size are kept: row i stays row i.
std::optional<int> sameRow(const std::vector<Dim>& from, const std::vector<Dim>& to, int row)
{
    std::int64_t before = 1;
    for (int i = 0; i < row; ++i) {
        if (!to[static_cast<std::size_t>(i)].isConstant())
            return {};
        before *= to[static_cast<std::size_t>(i)].value;
    }
    std::int64_t product = 1;
    for (std::size_t d = 0; d < from.size(); ++d) {
        if (product == before && from[d] == to[static_cast<std::size_t>(row)] && !from[d].isConstant())
            return static_cast<int>(d);
        if (!from[d].isConstant())
            return {};
        product *= from[d].value;
    }
    return {};
}

}  // namespace

bool elementwise(RowQuery& r)
{
    r.broadcastAll();
    return true;
}

// Output row dimension is the operand's, whatever the op does along `dim`.
bool alongOtherDim(RowQuery& r)
{
    const auto dim = r.view.dim("dim", r.rank);
    r.set("self", r.row);
    return dim && *dim != r.row;
}

// Sorting and top-k without a dimension work on the last one.
bool alongLastOrOtherDim(RowQuery& r)
{
    const int dim = r.view.given("dim") ? r.view.dim("dim", r.rank).value_or(r.row) : r.rank - 1;
    r.set("self", r.row);
    return dim != r.row;
}

bool flipped(RowQuery& r)
{
    const auto dims = r.view.dims("dims", r.rank);
    r.set("self", r.row);
    return dims && std::ranges::find(*dims, r.row) == dims->end();
}

bool reshaped(RowQuery& r)
{
    const Value* self = r.view.tensor("self");
    const auto dim = self ? sameRow(self->sizes, r.view.output().sizes, r.row) : std::nullopt;
    r.set("self", dim.value_or(-1));
    return dim.has_value();
}

bool repeated(RowQuery& r)
{
    const Value* self = r.view.tensor("self");
    const Argument* repeats = r.op().find("repeats");
    if (!self || !repeats || !repeats->asList() || repeats->asList()->size() != static_cast<std::size_t>(r.rank))
        return false;
    const int dim = RowQuery::broadcastDim(*self, r.rank, r.row);
    const Argument& times = (*repeats->asList())[static_cast<std::size_t>(r.row)];
    r.set("self", dim);
    return dim >= 0 && times.asInt() && *times.asInt() == 1;
}

bool unsqueezed(RowQuery& r)
{
    const auto dim = r.view.dim("dim", r.rank);
    r.set("self", dim && *dim < r.row ? r.row - 1 : r.row);
    return dim && *dim != r.row;
}

bool squeezed(RowQuery& r)
{
    const int rank = r.rank + 1;
    const auto dims = r.view.dims("dim", r.view.rank("self"));
    if (!dims || dims->size() != 1 || r.view.rank("self") != rank)
        return false;
    r.set("self", dims->front() <= r.row ? r.row + 1 : r.row);
    return true;
}

bool selected(RowQuery& r)
{
    const auto dim = r.view.dim("dim", r.rank + 1);
    r.set("self", dim && *dim <= r.row ? r.row + 1 : r.row);
    return dim.has_value();
}

bool unbound(RowQuery& r)
{
    const int rank = r.rank + 1;
    const int dim = r.view.given("dim") ? r.view.dim("dim", rank).value_or(-1) : 0;
    r.set("self", dim <= r.row ? r.row + 1 : r.row);
    return dim >= 0;
}

bool dividedAlongOtherDim(RowQuery& r)
{
    const int dim = r.view.given("dim") ? r.view.dim("dim", r.rank).value_or(r.row) : 0;
    r.set("self", r.row);
    return dim != r.row;
}

bool transposed(RowQuery& r)
{
    const auto a = r.view.dim("dim0", r.rank), b = r.view.dim("dim1", r.rank);
    r.set("self", a && r.row == *a ? b.value_or(-1) : b && r.row == *b ? a.value_or(-1) : r.row);
    return a && b;
}

bool matrixTransposed(RowQuery& r)
{
    r.set("self", r.rank == 2 ? 1 - r.row : r.row);
    return r.rank <= 2;
}

bool permuted(RowQuery& r)
{
    const auto dims = r.view.dims("dims", r.rank);
    if (!dims || dims->size() != static_cast<std::size_t>(r.rank))
        return false;
    r.set("self", (*dims)[static_cast<std::size_t>(r.row)]);
    return true;
}

bool concatenated(RowQuery& r)
{
    const int dim = r.view.given("dim") ? r.view.dim("dim", r.rank).value_or(r.row) : 0;
    r.set("tensors", r.row);
    return dim != r.row;
}

bool stacked(RowQuery& r)
{
    const int dim = r.view.given("dim") ? r.view.dim("dim", r.rank).value_or(r.row) : 0;
    r.set("tensors", dim < r.row ? r.row - 1 : r.row);
    return dim != r.row;
}

// Reductions over some dimensions; the rows must not be among them. max(a, b) has the name of a reduction but is none.
bool reduced(RowQuery& r)
{
    if (r.view.tensor("other"))
        return elementwise(r);
    const int rank = r.view.rank("self");
    const auto dims = r.view.dims("dim", rank);
    if (!dims)
        return false;
    int row = -1;
    for (int d = 0, out = 0; d < rank; ++d) {
        const bool gone = std::ranges::find(*dims, d) != dims->end();
        if (!gone && out == r.row)
            row = d;
        out += !gone || r.view.flag("keepdim", false);
    }
    r.set("self", row);
    return row >= 0;
}

bool padded(RowQuery& r)
{
    const Argument* pad = r.op().find("pad");
    if (!pad || !pad->asList())
        return false;
    const auto& amounts = *pad->asList();
    const std::size_t fromBack = static_cast<std::size_t>(r.rank - 1 - r.row) * 2;
    r.set("self", r.row);
    for (std::size_t i = fromBack; i < std::min(amounts.size(), fromBack + 2); ++i)
        if (!amounts[i].asInt() || *amounts[i].asInt() != 0)
            return false;
    return true;
}

bool similarity(RowQuery& r)
{
    const int rank = std::max(r.view.rank("x1"), r.view.rank("x2"));
    const int dim = r.view.given("dim") ? r.view.dim("dim", rank).value_or(-1) : 1;
    const int row = dim <= r.row ? r.row + 1 : r.row;
    for (const std::string_view name : {"x1", "x2"})
        if (const Value* v = r.view.tensor(name))
            r.set(name, RowQuery::broadcastDim(*v, rank, row));
    return dim >= 0 && dim < rank;
}

bool factory(RowQuery&) { return true; }

}  // namespace cleave::row_rules
