#include "core/analysis/message_passing.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "core/analysis/op_view.h"

namespace cleave {

namespace {

// The one index tensor of x[:, …, index]; nothing if there are several.
std::optional<std::pair<ValueId, int>> singleIndex(const OpView& view)
{
    std::optional<std::pair<ValueId, int>> found;
    const std::vector<ValueId> indices = view.values("indices");
    for (std::size_t i = 0; i < indices.size(); ++i)
        if (indices[i].valid()) {
            if (found)
                return {};
            found = {indices[i], static_cast<int>(i)};
        }
    return found;
}

int dimOfRows(const Value& value)
{
    const auto dim = std::ranges::find_if(value.sizes, [](const Dim& d) { return !d.isConstant(); });
    return dim == value.sizes.end() ? 0 : static_cast<int>(dim - value.sizes.begin());
}

bool broadcastsRows(const Program& program, ValueId source, int rank, int rowDim)
{
    if (!source.valid() || program[source].kind != ValueKind::Tensor)
        return true;
    const auto& sizes = program[source].sizes;
    const int dim = rowDim - (rank - static_cast<int>(sizes.size()));
    return dim < 0 || sizes[static_cast<std::size_t>(dim)].isOne();
}

}  // namespace

std::optional<GatherForm> gatherForm(const Program& program, OpId id)
{
    const Op& op = program[id];
    const OpView view(program, op);
    if (op.outputs.empty())
        return {};
    if (op.target == "aten::embedding") {
        const Value *weight = view.tensor("weight"), *indices = view.tensor("indices");
        if (!weight || !indices || weight->sizes.empty())
            return {};
        return GatherForm{view.value("weight"), 0, view.value("indices"), dimOfRows(*indices), dimOfRows(*indices)};
    }
    const Value* self = view.tensor("self");
    if (!self)
        return {};
    const int rank = static_cast<int>(self->sizes.size());
    if (op.target == "aten::index_select" || op.target == "aten::gather" || op.target == "aten::take_along_dim") {
        const auto dim = view.dim("dim", rank);
        const ValueId index = view.value(op.target == "aten::take_along_dim" ? "indices" : "index");
        if (!dim || !index.valid() || program[index].kind != ValueKind::Tensor)
            return {};
        return GatherForm{view.value("self"), *dim, index, op.target == "aten::index_select" ? 0 : *dim, *dim};
    }
    if (op.target == "aten::index")
        if (const auto index = singleIndex(view)) {
            const int rowDim = dimOfRows(program[index->first]);
            return GatherForm{view.value("self"), index->second, index->first, rowDim, index->second + rowDim};
        }
    return {};
}

std::optional<ScatterForm> scatterForm(const Program& program, OpId id)
{
    static const std::set<std::string_view> elementIndexed{"aten::scatter", "aten::scatter_add", "aten::scatter_reduce"};
    static const std::set<std::string_view> rowIndexed{"aten::index_add", "aten::index_copy", "aten::index_reduce"};
    const Op& op = program[id];
    const OpView view(program, op);
    const Value* self = view.tensor("self");
    if (!self || op.outputs.empty())
        return {};
    const int rank = static_cast<int>(self->sizes.size());
    if (elementIndexed.contains(op.target) || rowIndexed.contains(op.target)) {
        const bool elements = elementIndexed.contains(op.target);
        const auto dim = view.dim("dim", rank);
        const ValueId source = view.value(elements ? "src" : "source");
        if (!dim || !view.tensor("index"))
            return {};
        return ScatterForm{view.value("self"),  source, view.value("index"),
                           elements ? *dim : 0, *dim,   view.tensor(elements ? "src" : "source") != nullptr};
    }
    if (op.target == "aten::index_put")
        if (const auto index = singleIndex(view); index && program[index->first].dtype != DType::Bool) {
            const ValueId values = view.value("values");
            return ScatterForm{view.value("self"), values, index->first, 0, index->second,
                               !broadcastsRows(program, values, rank, index->second)};
        }
    return {};
}

bool overwrites(const Program& program, OpId id)
{
    const OpView view(program, program[id]);
    const std::string& target = program[id].target;
    return target == "aten::index_copy" || (target == "aten::scatter" && !view.given("reduce")) ||
           (target == "aten::index_put" && !view.flag("accumulate", false));
}

}  // namespace cleave
