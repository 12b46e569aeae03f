#include "core/analysis/row_rule.h"

#include <algorithm>
#include <string>

#include "core/analysis/einsum.h"

namespace cleave::row_rules {

namespace {

bool matrixProduct(RowQuery& r, std::string_view left, std::string_view right)
{
    r.set(r.row == 0 ? left : right, r.row);
    return r.rank == 2;
}

bool batchedProduct(RowQuery& r, std::string_view left, std::string_view right)
{
    if (r.row != 2)
        r.set(left, r.row);
    if (r.row != 1)
        r.set(right, r.row);
    return r.rank == 3;
}

}  // namespace

bool layerNorm(RowQuery& r)
{
    const Argument* shape = r.op().find("normalized_shape");
    const auto* sizes = shape ? shape->asList() : nullptr;
    r.set("input", r.row);
    return sizes && r.row < r.rank - static_cast<int>(sizes->size());
}

// Statistics are given, one for each channel (dimension 1).
bool batchNorm(RowQuery& r)
{
    r.set("input", r.row);
    std::fill(r.mapping.outputs.begin() + 1, r.mapping.outputs.end(), -1);
    return r.row != 1 && r.view.given("running_mean") && !r.view.flag("training", false);
}

bool firstDimOnly(RowQuery& r)
{
    r.set("input", 0);
    r.set("self", 0);
    return r.row == 0;
}

// Rows are what is convolved, or lie along a dimension in which nothing is: by one entry at a time, without steps and padding.
bool convolved(RowQuery& r)
{
    const Value* weight = r.view.tensor("weight");
    if (!weight || static_cast<int>(weight->sizes.size()) != r.rank || r.row == 1)
        return false;
    r.set("input", r.row);
    const auto is = [&](std::string_view name, std::int64_t usual) {
        const Argument* given = r.op().find(name);
        const auto* list = given ? given->asList() : nullptr;
        const auto at = static_cast<std::size_t>(r.row - 2);
        const Argument* number = list && !list->empty() ? &(*list)[list->size() > at ? at : 0] : given;
        return !given || given->isNone() || (number->asInt() && *number->asInt() == usual);
    };
    const Argument* padding = r.op().find("padding");
    return r.row == 0 || (weight->sizes[static_cast<std::size_t>(r.row)].isOne() && is("stride", 1) &&
                          (is("padding", 0) || (padding && padding->asString())));
}

bool groupNorm(RowQuery& r)
{
    r.set("input", 0);
    return r.row == 0;
}

bool linear(RowQuery& r)
{
    r.set("input", r.row);
    return r.row < r.rank - 1;
}

bool bilinear(RowQuery& r)
{
    r.set("input1", r.row);
    r.set("input2", r.row);
    return r.row < r.rank - 1;
}

bool mm(RowQuery& r) { return matrixProduct(r, "self", "mat2"); }

bool addmm(RowQuery& r)
{
    r.broadcast("self");
    return matrixProduct(r, "mat1", "mat2");
}

bool mv(RowQuery& r)
{
    r.set("self", 0);
    return true;
}

bool bmm(RowQuery& r) { return batchedProduct(r, "self", "mat2"); }

bool baddbmm(RowQuery& r)
{
    r.broadcast("self");
    return batchedProduct(r, "batch1", "batch2");
}

bool matmul(RowQuery& r)
{
    const int a = r.view.rank("self"), b = r.view.rank("other");
    if (a < 1 || b < 1 || (a == 1 && b == 1))
        return false;
    if (b == 1) {
        r.set("self", r.row);
        return true;
    }
    // A vector on the left has no row of its own in the output.
    const int rank = a == 1 ? r.rank + 1 : r.rank;
    const int row = a == 1 && r.row == r.rank - 1 ? rank - 1 : r.row;
    const auto batch = [&](std::string_view name) {
        r.set(name, RowQuery::broadcastDim(*r.view.tensor(name), rank, row));
    };
    if (row == rank - 1)
        r.set("other", b - 1);
    else if (row == rank - 2)
        r.set("self", a - 2);
    else {
        batch("other");
        if (a > 1)
            batch("self");
    }
    return true;
}

// "nhc,hc->nh": the label of the row dimension must stand once at most in each operand.
bool einsum(RowQuery& r)
{
    const std::optional<Einsum> equation = einsumOf(r.program(), r.op());
    if (!equation || static_cast<int>(equation->result.size()) != r.rank || equation->operands.size() != r.mapping.operands.size())
        return false;
    const char label = equation->result[static_cast<std::size_t>(r.row)];
    const std::vector<ValueId> tensors = r.view.values("tensors");
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const std::string& labels = equation->operands[i];
        const std::size_t dim = labels.find(label);
        if (dim != labels.rfind(label))
            return false;
        r.mapping.operands[i] = dim == std::string::npos || r.program()[tensors[i]].sizes[dim].isOne() ? -1 : static_cast<int>(dim);
    }
    return true;
}

bool recurrent(RowQuery& r)
{
    const int batch = r.view.flag("batch_first", false) ? 0 : 1;
    r.set("input", batch);
    r.set("hx", 1);
    std::fill(r.mapping.outputs.begin() + 1, r.mapping.outputs.end(), 1);
    return r.rank == 3 && r.row == batch;
}

bool recurrentCell(RowQuery& r)
{
    r.set("input", 0);
    r.set("hx", 0);
    return r.rank == 2 && r.row == 0;
}

bool attention(RowQuery& r)
{
    for (const std::string_view name : {"query", "key", "value", "attn_mask"})
        r.broadcast(name);
    return r.row < r.rank - 2;
}

// One weight for all, or one for each entry of dimension 1.
bool prelu(RowQuery& r)
{
    r.set("self", r.row);
    const Value* weight = r.view.tensor("weight");
    return r.row != 1 || (weight != nullptr && std::ranges::all_of(weight->sizes, &Dim::isOne));
}

}  // namespace cleave::row_rules
