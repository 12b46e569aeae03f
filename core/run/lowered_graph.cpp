#include "core/run/lowered_graph.h"

#include <torch/csrc/jit/ir/constants.h>

#include <algorithm>

#include "core/run/dense.h"
#include "core/run/edge_op.h"

namespace cleave {

namespace {

namespace jit = torch::jit;

c10::TypePtr typeOf(ValueKind kind)
{
    switch (kind) {
    case ValueKind::Int:
        return c10::IntType::get();
    case ValueKind::Float:
        return c10::FloatType::get();
    case ValueKind::Bool:
        return c10::BoolType::get();
    case ValueKind::None:
        return c10::NoneType::get();
    default:
        return c10::TensorType::get();
    }
}

// Puts what replacement(node) returns in the place of every node's output for which it returns anything.
template <class Replacement>
void replaceNodes(jit::Graph& graph, Replacement&& replacement)
{
    for (auto node = graph.nodes().begin(); node != graph.nodes().end();) {
        jit::Node* old = *node++;
        const jit::WithInsertPoint before(old);
        if (jit::Value* replaced = replacement(*old)) {
            old->output()->replaceAllUsesWith(replaced);
            old->destroy();
        }
    }
}

bool isOne(const jit::Value* input)
{
    const auto number = toIValue(input);
    return number && number->isScalar() && number->toScalar().equal(1);
}

}  // namespace

jit::Value* addInput(jit::Graph& graph, ValueKind kind)
{
    jit::Value* input = graph.addInput();
    input->setType(typeOf(kind));
    return input;
}

jit::Value* constantAtStart(jit::Graph& graph, const c10::IValue& value)
{
    const jit::WithInsertPoint start(graph.block()->nodes().front());
    return graph.insertConstant(value);
}

void dropUnread(jit::Graph& graph)
{
    for (auto node = graph.nodes().rbegin(); node != graph.nodes().rend();) {
        jit::Node* last = *node++;
        if (std::ranges::none_of(last->outputs(), [](const jit::Value* output) { return output->hasUses(); }))
            last->destroy();
    }
}

void multiplyFaster(jit::Graph& graph)
{
    replaceNodes(graph, [&](jit::Node& product) -> jit::Value* {
        if (product.kind() == c10::aten::linear)
            return insertLinear(graph, product.input(0), product.input(1), product.input(2));
        if (product.kind() == c10::aten::mm || product.kind() == c10::aten::matmul)
            return insertMatmul(graph, product.input(0), product.input(1), graph.insertConstant(c10::IValue()));
        if (product.kind() == c10::aten::addmm && isOne(product.input(3)) && isOne(product.input(4)))
            return insertMatmul(graph, product.input(1), product.input(2), product.input(0));
        return nullptr;
    });
}

void gatherFromFiles(jit::Graph& graph, const std::set<const jit::Value*>& stored)
{
    replaceNodes(graph, [&](jit::Node& gather) -> jit::Value* {
        const bool reads =
            gather.kind() == c10::aten::index_select && stored.contains(gather.input(0)) && toIValue(gather.input(1)) == c10::IValue(0);
        return reads ? insertRows(graph, gather.input(0), gather.input(2)) : nullptr;
    });
}

void placeNewTensors(jit::Graph& graph, c10::Device device)
{
    for (jit::Node* node : graph.nodes()) {
        const c10::FunctionSchema* schema = node->maybeSchema();
        const auto argument = schema ? schema->argumentIndexWithName("device") : c10::nullopt;
        if (!argument || node->inputs().size() <= static_cast<std::size_t>(*argument))
            continue;
        const bool takesTensor =
            std::ranges::any_of(node->inputs(), [](const jit::Value* input) { return input->type()->kind() == c10::TypeKind::TensorType; });
        if (!takesTensor)
            node->replaceInput(static_cast<std::size_t>(*argument), constantAtStart(graph, c10::IValue(device)));
    }
}

}  // namespace cleave
