#include "core/analysis/row_rule.h"

#include <algorithm>

namespace cleave::row_rules {

bool embedding(RowQuery& r)
{
    r.set("indices", r.row);
    return r.row < r.rank - 1;
}

bool oneHot(RowQuery& r)
{
    r.set("self", r.row);
    return r.row < r.rank - 1;
}

// index_add, index_copy along another dimension than the rows.
bool indexedAlongOtherDim(RowQuery& r)
{
    r.set("source", r.row);
    return alongOtherDim(r);
}

// Along the rows of the index the table that is read has no rows: it is read whole.
bool indexSelect(RowQuery& r)
{
    const auto dim = r.view.dim("dim", r.rank);
    if (dim && *dim == r.row)
        r.set("index", 0);
    else
        r.set("self", r.row);
    return dim.has_value();
}

bool gathered(RowQuery& r)
{
    const auto dim = r.view.dim("dim", r.rank);
    r.set("index", r.row);
    if (dim && *dim != r.row)
        r.set("self", r.row);
    return dim.has_value();
}

// scatter along another dimension: index and src have the rows as well.
bool scatteredAlongOtherDim(RowQuery& r)
{
    r.set("index", r.row);
    r.set("src", r.row);
    return alongOtherDim(r);
}

// x[:, :, index] with one index tensor; rows are those of x, or of the index into a table that is read whole.
bool indexed(RowQuery& r)
{
    const std::vector<ValueId> indices = r.view.values("indices");
    int position = -1;
    for (std::size_t i = 0; i < indices.size(); ++i)
        if (indices[i].valid()) {
            if (position >= 0)
                return false;
            position = static_cast<int>(i);
        }
    if (position < 0 || r[indices[static_cast<std::size_t>(position)]].dtype == DType::Bool)
        return false;
    const int width = static_cast<int>(r[indices[static_cast<std::size_t>(position)]].sizes.size());
    if (r.row >= position && r.row < position + width)
        r.set("indices", r.row - position);
    else
        r.set("self", r.row < position ? r.row : r.row - width + 1);
    return true;
}

// x[mask] = number, with a mask over the first dimensions; x[:, index] = v.
bool indexPut(RowQuery& r)
{
    const std::vector<ValueId> indices = r.view.values("indices");
    const Value* values = r.view.tensor("values");
    if (indices.empty() || !values)
        return false;
    r.set("self", r.row);
    if (indices.size() == 1 && indices[0].valid() && r[indices[0]].dtype == DType::Bool) {
        r.set("indices", r.row);
        const bool oneRow = values->sizes.empty() || std::ranges::all_of(values->sizes, [](const Dim& d) { return d.isConstant(); });
        return oneRow && r.row == 0 && r[indices[0]].sizes.size() == 1;
    }
    for (std::size_t i = 0; i < indices.size(); ++i)
        if (indices[i].valid() && (static_cast<int>(i) <= r.row || r[indices[i]].dtype == DType::Bool))
            return false;
    if (values->sizes.size() > 1)
        r.broadcast("values");
    return true;
}

bool selectScatter(RowQuery& r)
{
    const auto dim = r.view.dim("dim", r.rank);
    r.set("self", r.row);
    r.set("src", dim && *dim < r.row ? r.row - 1 : r.row);
    return dim && *dim != r.row;
}

bool sliceScatter(RowQuery& r)
{
    const int dim = r.view.given("dim") ? r.view.dim("dim", r.rank).value_or(r.row) : 0;
    r.set("self", r.row);
    r.set("src", r.row);
    return dim != r.row;
}

}  // namespace cleave::row_rules
