#include "core/run/edge_product.h"

#include <algorithm>
#include <string_view>

#include "core/analysis/op_view.h"

namespace cleave {

namespace {

bool isColumn(const Program& program, ValueId id, DType dtype)
{
    return id.valid() && program[id].kind == ValueKind::Tensor && program[id].dtype == dtype && program[id].sizes.size() == 1;
}

// What views show that change nothing but where dimensions of one are.
ValueId behindViews(const Program& program, ValueId id)
{
    const auto wide = [&](ValueId value) {
        std::vector<Dim> sizes = program[value].sizes;
        std::erase_if(sizes, [](const Dim& size) { return size.isOne(); });
        return sizes;
    };
    for (const Op* op = producerOf(program, id); op; op = producerOf(program, id)) {
        int operands = 0;
        forEachOperand(*op, [&](ValueId) { ++operands; });
        const ValueId self = OpView(program, *op).value("self");
        if (!isView(*op, {ViewKind::Reshape}) || operands != 1 || !self.valid() || wide(self) != wide(id) || program[self].dtype != program[id].dtype)
            break;
        id = self;
    }
    return id;
}

// Numbers of nodes read at an index.
std::optional<EdgeProduct::Factor> factorOf(const Program& program, ValueId id)
{
    const Op* op = producerOf(program, id);
    if (!op)
        return {};
    const OpView view(program, *op);
    EdgeProduct::Factor factor{view.value("self"), {}};
    if (op->target == "aten::index_select" && view.integerOr("dim", 0) == 0)
        factor.index = view.value("index");
    else if (const std::vector<ValueId> indices = view.values("indices"); op->target == "aten::index" && indices.size() == 1)
        factor.index = indices.front();
    if (!isColumn(program, factor.numbers, DType::Float32) || !isColumn(program, factor.index, DType::Int64))
        return {};
    return factor;
}

}  // namespace

std::optional<EdgeProduct> edgeProduct(const Program& program, ValueId value)
{
    const ValueId root = behindViews(program, value);
    if (program[value].dtype != DType::Float32 || !isColumn(program, root, DType::Float32))
        return {};
    if (const auto only = factorOf(program, root))
        return EdgeProduct{{*only}};
    const Op* product = producerOf(program, root);
    if (!product || product->target != "aten::mul")
        return {};
    EdgeProduct found;
    for (const std::string_view side : {"self", "other"}) {
        const ValueId operand = OpView(program, *product).value(side);
        if (!operand.valid() || program[operand].sizes != program[root].sizes)
            return {};
        const auto factor = factorOf(program, operand);
        if (!factor)
            return {};
        found.factors.push_back(*factor);
    }
    return found;
}

}  // namespace cleave
