#include "core/run/edge_op.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/jit/runtime/custom_operator.h>

#include <algorithm>

#include "core/run/tensors.h"

namespace cleave {

namespace {

namespace jit = torch::jit;

// Rows that lie one after the other, with all their entries together.
at::Tensor asRows(const at::Tensor& tensor, const EdgeOperand& operand)
{
    if (operand.row == EdgeRow::Same) {
        TORCH_CHECK(tensor.numel() == operand.width, "an operand of an edge program has ", tensor.numel(), " entries instead of ", operand.width);
        return tensor.reshape({1, operand.width}).contiguous();
    }
    const at::Tensor rows = tensor.reshape({tensor.size(0), operand.width});
    return operand.width == 1 || rows.stride(1) == 1 ? rows : rows.contiguous();
}

EdgeArray arrayOf(const at::Tensor& rows, const EdgeOperand& operand, const at::Tensor* sources, const EdgeBlock& block)
{
    const std::int64_t needed = operand.row == EdgeRow::Edge ? block.edges() : operand.row == EdgeRow::Target ? block.targets : 1;
    EdgeArray array{rows.data_ptr(), dtypeOf(rows.scalar_type()), rows.stride(0), nullptr};
    if (operand.row != EdgeRow::Source) {
        TORCH_CHECK(rows.size(0) >= needed, "an operand of an edge program has ", rows.size(0), " rows instead of ", needed);
        return array;
    }
    TORCH_CHECK(sources->numel() >= block.edges(), "an index of an edge program has ", sources->numel(), " entries instead of ", block.edges());
    array.sources = sources->data_ptr<std::int32_t>();
    std::int32_t least = 0, most = -1;
    for (std::int64_t e = 0; e < block.edges(); ++e) {
        least = std::min(least, array.sources[e]);
        most = std::max(most, array.sources[e]);
    }
    TORCH_CHECK(least >= 0 && most < rows.size(0), "index ", least < 0 ? least : most, " is out of range for ", rows.size(0), " rows");
    return array;
}

template <class T>
void run(const EdgeOp& op, const std::vector<EdgeArray>& operands, const EdgeBlock& block, const std::vector<at::Tensor>& outputs)
{
    std::vector<T*> pointers;
    for (const at::Tensor& output : outputs)
        pointers.push_back(output.data_ptr<T>());
    runEdgeProgram<T>(op.program, operands, block, pointers, {at::get_num_threads(), bestIsa()});
}

void runEdges(jit::Stack& stack)
{
    const c10::List<at::Tensor> sources = jit::pop(stack).toTensorList(), operands = jit::pop(stack).toTensorList();
    const at::Tensor begin = jit::pop(stack).toTensor();
    const auto& op = *reinterpret_cast<const EdgeOp*>(jit::pop(stack).toInt());
    const EdgeBlock block{begin.data_ptr<std::int64_t>(), begin.numel() - 1};
    std::vector<at::Tensor> rows;
    std::vector<EdgeArray> arrays;
    std::size_t index = 0;
    for (std::size_t i = 0; i < op.program.operands.size(); ++i) {
        const EdgeOperand& operand = op.program.operands[i];
        const at::Tensor source = operand.row == EdgeRow::Source ? sources.get(index++) : at::Tensor();
        rows.push_back(asRows(operands.get(i), operand));
        const DType type = dtypeOf(rows.back().scalar_type());
        TORCH_CHECK(type == op.dtype || (type == DType::BFloat16 && op.dtype == DType::Float32), "an operand of an edge program has another type");
        arrays.push_back(arrayOf(rows.back(), operand, &source, block));
    }
    c10::List<at::Tensor> results;
    std::vector<at::Tensor> outputs;
    for (std::size_t r = 0; r < op.program.results.size(); ++r) {
        std::vector<std::int64_t> sizes = op.sizes[r];
        sizes.insert(sizes.begin(), op.program.results[r].reduced ? block.targets : block.edges());
        outputs.push_back(at::empty(sizes, op.dtype == DType::Float64 ? at::kDouble : at::kFloat));
    }
    if (op.dtype == DType::Float64)
        run<double>(op, arrays, block, outputs);
    else
        run<float>(op, arrays, block, outputs);
    for (const at::Tensor& output : outputs)
        results.push_back(output.to(scalarType(op.dtype)));
    jit::push(stack, std::move(results));
}

const jit::RegisterOperators& registered()
{
    static const jit::RegisterOperators operators({jit::Operator(
        "cleave::edges(int program, Tensor begin, Tensor[] operands, Tensor[] sources) -> Tensor[]",
        [](jit::Stack& stack) { runEdges(stack); }, c10::AliasAnalysisKind::FROM_SCHEMA)});
    return operators;
}

}  // namespace

EdgeOp edgeOp(const Program& program, const FusedEdges& fused)
{
    EdgeOp op{fused.program, fused.dtype, {}};
    for (const StepOperand& result : fused.results) {
        op.sizes.emplace_back();
        for (std::size_t d = 1; d < program[result.value].sizes.size(); ++d)
            op.sizes.back().push_back(program[result.value].sizes[d].value);
    }
    return op;
}

jit::Value* insertEdgeOp(jit::Graph& graph, const EdgeOp& op, jit::Value* begin, const std::vector<jit::Value*>& operands,
                         const std::vector<jit::Value*>& sources)
{
    registered();
    const auto list = [&](const std::vector<jit::Value*>& values) {
        return graph.insertNode(graph.createList(c10::TensorType::get(), values))->output();
    };
    jit::Value* program = graph.insertConstant(static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(&op)));
    return graph.insert(c10::Symbol::fromQualString("cleave::edges"), {program, begin, list(operands), list(sources)});
}

}  // namespace cleave
