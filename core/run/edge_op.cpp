#include "core/run/edge_op.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/jit/runtime/custom_operator.h>

#include <algorithm>
#include <ranges>
#include <utility>

#include "core/base/memory_bound.h"
#include "core/base/parallel.h"
#include "core/base/stopping.h"
#include "core/run/edges_from_files.h"
#include "core/run/file_rows.h"
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

// Operands whose rows are read from files, one after the other, where the edges can be met as their sources come.
std::vector<std::size_t> streamedOperands(const EdgeOp& op, const std::vector<at::Tensor>& rows, const std::vector<at::Tensor>& indices,
                                          const EdgeBlock& block)
{
    std::vector<std::size_t> streamed;
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (op.program.operands[i].row == EdgeRow::Source && liesInFile(rows[i]))
            streamed.push_back(i);
    if (streamed.empty())
        return streamed;
    const at::Tensor& index = indices[streamed.front()];
    const bool isOne = std::ranges::all_of(streamed, [&](std::size_t i) {
        return indices[i].data_ptr() == index.data_ptr() && rows[i].size(0) == rows[streamed.front()].size(0);
    });
    return isOne && block.edges() < std::int64_t{1} << 31 ? streamed : std::vector<std::size_t>{};
}

template <class T>
void run(const EdgeOp& op, std::vector<at::Tensor>& rows, std::vector<at::Tensor>& indices, const EdgeBlock& block,
         const std::vector<at::Tensor>& outputs)
{
    const int threads = at::get_num_threads();
    std::vector<T*> pointers;
    for (const at::Tensor& output : outputs)
        pointers.push_back(output.data_ptr<T>());
    const auto arrays = [&] {
        std::vector<const std::int32_t*> sources;
        for (const at::Tensor& index : indices)
            sources.push_back(index.defined() ? index.data_ptr<std::int32_t>() : nullptr);
        return edgeArrays(op, rows, sources, block);
    };
    const auto indexOf = [&](std::size_t i) {
        return std::span<const std::int32_t>(indices[i].data_ptr<std::int32_t>(), static_cast<std::size_t>(block.edges()));
    };
    if (const std::vector<std::size_t> streamed = streamedOperands(op, rows, indices, block); !streamed.empty()) {
        std::vector<MappedRows> files;
        std::int64_t gathered = 0;
        for (const std::size_t i : streamed) {
            files.push_back(rowsOfFile(rows[i]));
            gathered += block.edges() * static_cast<std::int64_t>(files.back().rowBytes);
        }
        // Few edges had better read their rows alone.
        constexpr std::int64_t sequential = 4;
        if (RowStream stream(files, rows[streamed.front()].size(0), indexOf(streamed.front()), threads,
                             roomWithout(indices) / (RowStream::piecesAtOnce + 1));
            stream.bytes() < sequential * gathered || !fitsWithinBound(static_cast<std::size_t>(gathered))) {
            EdgesFromFiles<T> edges(op, arrays(), block, streamed, stream, threads);
            if (!edges.readsIndices())
                indices.clear();
            edges.begin(pointers);
            while (stream.next()) {
                checkStop();
                edges.meet(stream.rows());
            }
            edges.finish();
            return;
        }
    }
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (op.program.operands[i].row == EdgeRow::Source && liesInFile(rows[i])) {
            DistinctRows part = readDistinct(rows[i], indexOf(i));
            rows[i] = std::move(part.rows);
            indices[i] = std::move(part.index);
        }
    runEdgeProgram<T>(op.program, arrays(), block, pointers, {threads, bestIsa()});
}

std::span<const std::int32_t> sourcesOf(const at::Tensor& index, std::int64_t edges)
{
    TORCH_CHECK(index.numel() >= edges, "an index of an edge program has ", index.numel(), " entries instead of ", edges);
    return {index.data_ptr<std::int32_t>(), static_cast<std::size_t>(edges)};
}

EdgesElsewhere edgesElsewhere = nullptr;

void runEdges(jit::Stack& stack)
{
    // Not as lists: these would hold what is let go below.
    std::vector<at::Tensor> sources = jit::pop(stack).toTensorVector(), operands = jit::pop(stack).toTensorVector();
    const at::Tensor begin = jit::pop(stack).toTensor();
    const auto& op = *reinterpret_cast<const EdgeOp*>(jit::pop(stack).toInt());
    const EdgeBlock block{begin.data_ptr<std::int64_t>(), begin.numel() - 1};
    c10::List<at::Tensor> results;
    if (!operands.empty() && !operands.front().is_cpu()) {
        TORCH_CHECK(edgesElsewhere, "edge programs cannot be run on this device");
        for (const at::Tensor& output : edgesElsewhere(op, begin, operands, sources))
            results.push_back(output.to(scalarType(op.dtype)));
        jit::push(stack, std::move(results));
        return;
    }
    std::vector<at::Tensor> rows, indices, outputs;
    for (std::size_t r = 0; r < op.program.results.size(); ++r) {
        std::vector<std::int64_t> sizes = op.sizes[r];
        sizes.insert(sizes.begin(), op.program.results[r].reduced ? block.targets : block.edges());
        outputs.push_back(at::empty(sizes, op.dtype == DType::Float64 ? at::kDouble : at::kFloat));
    }
    std::size_t index = 0;
    for (std::size_t i = 0; i < op.program.operands.size(); ++i) {
        const EdgeOperand& operand = op.program.operands[i];
        indices.push_back(operand.row == EdgeRow::Source ? std::move(sources.at(index++)) : at::Tensor());
        rows.push_back(operandRows(op, i, std::exchange(operands.at(i), {})));
        if (operand.row != EdgeRow::Source)
            continue;
        const std::span<const std::int32_t> numbers = sourcesOf(indices[i], block.edges());
        const auto isCheckedWith = [&](std::size_t other) {
            return indices[other].defined() && indices[other].data_ptr() == numbers.data() && rows[other].size(0) <= rows[i].size(0);
        };
        if (std::ranges::none_of(std::views::iota(std::size_t{0}, i), isCheckedWith))
            checkSources(numbers, rows[i].size(0));
    }
    runEdgeOp(op, std::move(rows), std::move(indices), block, outputs);
    for (const at::Tensor& output : outputs)
        results.push_back(output.to(scalarType(op.dtype)));
    jit::push(stack, std::move(results));
}

const jit::RegisterOperators& registered()
{
    static const jit::RegisterOperators operators(
        {jit::Operator("cleave::edges(int program, Tensor begin, Tensor[] operands, Tensor[] sources) -> Tensor[]",
                       [](jit::Stack& stack) { runEdges(stack); }, c10::AliasAnalysisKind::FROM_SCHEMA),
         jit::Operator(
             "cleave::rows(Tensor whole, Tensor index) -> Tensor",
             [](jit::Stack& stack) {
                 const at::Tensor index = jit::pop(stack).toTensor(), whole = jit::pop(stack).toTensor();
                 jit::push(stack, rowsAt(whole, index));
             },
             c10::AliasAnalysisKind::FROM_SCHEMA)});
    return operators;
}

}  // namespace

void runEdgesElsewhereBy(EdgesElsewhere run) { edgesElsewhere = run; }

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

at::Tensor operandRows(const EdgeOp& op, std::size_t operand, const at::Tensor& tensor)
{
    const DType type = dtypeOf(tensor.scalar_type());
    TORCH_CHECK(type == op.dtype || (type == DType::BFloat16 && op.dtype == DType::Float32), "an operand of an edge program has another type");
    return asRows(tensor, op.program.operands[operand]);
}

EdgeArray edgeArray(const at::Tensor& rows, const EdgeOperand& operand, const std::int32_t* sources, const EdgeBlock& block)
{
    const std::int64_t needed = operand.row == EdgeRow::Edge ? block.edges() : operand.row == EdgeRow::Target ? block.targets : 1;
    if (operand.row != EdgeRow::Source)
        TORCH_CHECK(rows.size(0) >= needed, "an operand of an edge program has ", rows.size(0), " rows instead of ", needed);
    return {rows.data_ptr(), dtypeOf(rows.scalar_type()), rows.stride(0), operand.row == EdgeRow::Source ? sources : nullptr, rows.size(0)};
}

void checkSources(std::span<const std::int32_t> sources, std::int64_t rows)
{
    constexpr std::size_t part = std::size_t{1} << 16;
    parallelFor(static_cast<std::int64_t>((sources.size() + part - 1) / part), at::get_num_threads(), [&](std::int64_t p, int) {
        const std::size_t first = static_cast<std::size_t>(p) * part;
        std::int32_t least = 0, most = -1;
        for (const std::int32_t source : sources.subspan(first, std::min(part, sources.size() - first))) {
            least = std::min(least, source);
            most = std::max(most, source);
        }
        TORCH_CHECK(least >= 0 && most < rows, "index ", least < 0 ? least : most, " is out of range for ", rows, " rows");
    });
}

std::vector<EdgeArray> edgeArrays(const EdgeOp& op, const std::vector<at::Tensor>& rows, const std::vector<const std::int32_t*>& sources,
                                  const EdgeBlock& block)
{
    std::vector<EdgeArray> all;
    for (std::size_t i = 0; i < rows.size(); ++i)
        all.push_back(edgeArray(rows[i], op.program.operands[i], sources[i], block));
    return all;
}

void runEdgeOp(const EdgeOp& op, std::vector<at::Tensor> rows, std::vector<at::Tensor> indices, const EdgeBlock& block,
               const std::vector<at::Tensor>& outputs)
{
    if (op.dtype == DType::Float64)
        run<double>(op, rows, indices, block, outputs);
    else
        run<float>(op, rows, indices, block, outputs);
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

jit::Value* insertRows(jit::Graph& graph, jit::Value* whole, jit::Value* index)
{
    registered();
    return graph.insert(c10::Symbol::fromQualString("cleave::rows"), {whole, index});
}

}  // namespace cleave
