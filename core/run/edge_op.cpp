#include "core/run/edge_op.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/jit/runtime/custom_operator.h>

#include <algorithm>
#include <cmath>

#include "core/base/memory_bound.h"
#include "core/base/parallel.h"
#include "core/base/row_stream.h"
#include "core/run/file_rows.h"
#include "core/run/tensors.h"

namespace cleave {

namespace {

namespace jit = torch::jit;

thread_local const Progress* listening = nullptr;

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

void checkRange(const at::Tensor& sources, std::int64_t edges, std::int64_t rows)
{
    TORCH_CHECK(sources.numel() >= edges, "an index of an edge program has ", sources.numel(), " entries instead of ", edges);
    const auto* source = sources.data_ptr<std::int32_t>();
    std::int32_t least = 0, most = -1;
    for (std::int64_t e = 0; e < edges; ++e) {
        least = std::min(least, source[e]);
        most = std::max(most, source[e]);
    }
    TORCH_CHECK(least >= 0 && most < rows, "index ", least < 0 ? least : most, " is out of range for ", rows, " rows");
}

EdgeArray arrayOf(const at::Tensor& rows, const EdgeOperand& operand, const at::Tensor* sources, const EdgeBlock& block)
{
    const std::int64_t needed = operand.row == EdgeRow::Edge ? block.edges() : operand.row == EdgeRow::Target ? block.targets : 1;
    EdgeArray array{rows.data_ptr(), dtypeOf(rows.scalar_type()), rows.stride(0), nullptr};
    if (operand.row != EdgeRow::Source) {
        TORCH_CHECK(rows.size(0) >= needed, "an operand of an edge program has ", rows.size(0), " rows instead of ", needed);
        return array;
    }
    array.sources = sources->data_ptr<std::int32_t>();
    return array;
}

// Operands whose rows are read from files, one after the other, where the edges can be met as their sources come.
std::vector<std::size_t> streamedOperands(const EdgeOp& op, const std::vector<at::Tensor>& rows, const std::vector<at::Tensor>& indices, const EdgeBlock& block)
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
    const auto* source = index.data_ptr<std::int32_t>();
    for (std::int64_t t = 0; isOne && t < block.targets; ++t)
        if (!std::is_sorted(source + (block.begin[t] - block.begin[0]), source + (block.begin[t + 1] - block.begin[0])))
            return {};
    return isOne ? streamed : std::vector<std::size_t>{};
}

template <class T>
void run(const EdgeOp& op, std::vector<at::Tensor>& rows, std::vector<at::Tensor>& indices, const EdgeBlock& block, const std::vector<at::Tensor>& outputs)
{
    const EdgeRunOptions options{at::get_num_threads(), bestIsa()};
    std::vector<T*> pointers;
    for (const at::Tensor& output : outputs)
        pointers.push_back(output.data_ptr<T>());
    const auto arrays = [&] {
        std::vector<EdgeArray> all;
        for (std::size_t i = 0; i < rows.size(); ++i)
            all.push_back(arrayOf(rows[i], op.program.operands[i], &indices[i], block));
        return all;
    };
    const auto indexOf = [&](std::size_t i) {
        return std::span<const std::int32_t>(indices[i].data_ptr<std::int32_t>(), static_cast<std::size_t>(block.edges()));
    };
    if (const std::vector<std::size_t> streamed = streamedOperands(op, rows, indices, block); !streamed.empty()) {
        std::vector<MappedRows> files;
        std::int64_t gathered = 0;
        for (const std::size_t i : streamed) {
            const auto item = static_cast<std::size_t>(rows[i].element_size());
            files.push_back({rows[i].data_ptr(), static_cast<std::size_t>(rows[i].size(1)) * item, static_cast<std::size_t>(rows[i].stride(0)) * item});
            gathered += block.edges() * static_cast<std::int64_t>(files.back().rowBytes);
        }
        // Few edges had better read their rows alone.
        constexpr std::int64_t sequential = 4;
        if (RowStream stream(files, rows[streamed.front()].size(0), indexOf(streamed.front()));
            stream.bytes() < sequential * gathered || !fitsWithinBound(static_cast<std::size_t>(gathered))) {
            EdgeStream<T> edges(op.program, arrays(), block, pointers, streamed, options);
            while (stream.next()) {
                if (listening)
                    listening->check();
                edges.meet(stream.first(), stream.last(), stream.rows());
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
    runEdgeProgram<T>(op.program, arrays(), block, pointers, options);
}

void runEdges(jit::Stack& stack)
{
    const c10::List<at::Tensor> sources = jit::pop(stack).toTensorList(), operands = jit::pop(stack).toTensorList();
    const at::Tensor begin = jit::pop(stack).toTensor();
    const auto& op = *reinterpret_cast<const EdgeOp*>(jit::pop(stack).toInt());
    const EdgeBlock block{begin.data_ptr<std::int64_t>(), begin.numel() - 1};
    c10::List<at::Tensor> results;
    std::vector<at::Tensor> rows, indices, outputs;
    for (std::size_t r = 0; r < op.program.results.size(); ++r) {
        std::vector<std::int64_t> sizes = op.sizes[r];
        sizes.insert(sizes.begin(), op.program.results[r].reduced ? block.targets : block.edges());
        outputs.push_back(at::empty(sizes, op.dtype == DType::Float64 ? at::kDouble : at::kFloat));
    }
    std::size_t index = 0;
    for (std::size_t i = 0; i < op.program.operands.size(); ++i) {
        const EdgeOperand& operand = op.program.operands[i];
        indices.push_back(operand.row == EdgeRow::Source ? sources.get(index++) : at::Tensor());
        rows.push_back(asRows(operands.get(i), operand));
        if (operand.row == EdgeRow::Source)
            checkRange(indices.back(), block.edges(), rows.back().size(0));
        const DType type = dtypeOf(rows.back().scalar_type());
        TORCH_CHECK(type == op.dtype || (type == DType::BFloat16 && op.dtype == DType::Float32), "an operand of an edge program has another type");
    }
    if (op.dtype == DType::Float64)
        run<double>(op, rows, indices, block, outputs);
    else
        run<float>(op, rows, indices, block, outputs);
    for (const at::Tensor& output : outputs)
        results.push_back(output.to(scalarType(op.dtype)));
    jit::push(stack, std::move(results));
}

// Whether zero times, or divided by, each of a row's numbers stays zero.
template <class T>
void keepZeros(const at::Tensor& scale, std::vector<char>& zeros)
{
    const std::int64_t width = scale.stride(1) == 0 ? std::min<std::int64_t>(scale.size(1), 1) : scale.size(1), stride = scale.stride(0), step = scale.stride(1);
    const T* numbers = scale.data_ptr<T>();
    for (std::size_t row = 0; row < zeros.size(); ++row)
        for (std::int64_t i = 0; i < width; ++i) {
            const T number = numbers[static_cast<std::int64_t>(row) * stride + i * step];
            zeros[row] = static_cast<char>(zeros[row] && number != 0 && std::isfinite(number));
        }
}

void liveRows(jit::Stack& stack)
{
    const c10::List<at::Tensor> scales = jit::pop(stack).toTensorList();
    const at::Tensor begin = jit::pop(stack).toTensor();
    const std::int64_t targets = begin.numel() - 1;
    const auto* at = begin.data_ptr<std::int64_t>();
    std::vector<char> zeros(static_cast<std::size_t>(targets), 1);
    for (std::size_t i = 0; i < scales.size(); ++i) {
        const at::Tensor scale = scales.get(i);
        TORCH_CHECK(scale.dim() == 2 && scale.size(0) == targets, "a scale has other rows than the targets");
        if (scale.scalar_type() == at::kFloat)
            keepZeros<float>(scale, zeros);
        else
            keepZeros<double>(scale.to(at::kDouble), zeros);
    }
    at::Tensor rows = at::empty({targets}, at::kLong), compact = at::empty({targets + 1}, at::kLong);
    auto *row = rows.data_ptr<std::int64_t>(), *out = compact.data_ptr<std::int64_t>();
    std::int64_t live = 0;
    for (std::int64_t t = 0; t < targets; ++t) {
        row[live] = t;
        out[live] = at[t];
        live += at[t + 1] > at[t] || !zeros[static_cast<std::size_t>(t)];
    }
    out[live] = at[targets];
    jit::push(stack, rows.narrow(0, 0, live), compact.narrow(0, 0, live + 1));
}

template <class T>
void addRows(const at::Tensor& sum, const at::Tensor& rows, const at::Tensor& values)
{
    const std::int64_t width = values.size(1), stride = sum.stride(0);
    const auto* row = rows.data_ptr<std::int64_t>();
    const T* from = values.data_ptr<T>();
    T* to = sum.data_ptr<T>();
    const std::int64_t piece = std::max<std::int64_t>(64, 32768 / std::max<std::int64_t>(width, 1));
    parallelFor((rows.numel() + piece - 1) / piece, at::get_num_threads(), [&](std::int64_t part, int) {
        const std::int64_t first = part * piece, last = std::min(rows.numel(), first + piece);
        for (std::int64_t i = first; i < last; ++i) {
            T* out = to + row[i] * stride;
            const T* in = from + i * width;
            for (std::int64_t k = 0; k < width; ++k)
                out[k] += in[k];
        }
    });
}

void addRows(jit::Stack& stack)
{
    const at::Tensor values = jit::pop(stack).toTensor().contiguous(), rows = jit::pop(stack).toTensor();
    const at::Tensor sum = jit::pop(stack).toTensor();
    TORCH_CHECK(sum.dim() == 2 && values.dim() == 2 && sum.size(1) == values.size(1) && values.size(0) == rows.numel() && sum.scalar_type() == values.scalar_type(),
                "rows that are added have another shape");
    if (sum.stride(1) == 1 && sum.scalar_type() == at::kFloat)
        addRows<float>(sum, rows, values);
    else if (sum.stride(1) == 1 && sum.scalar_type() == at::kDouble)
        addRows<double>(sum, rows, values);
    else
        sum.index_add_(0, rows, values);
    jit::push(stack, sum);
}

const jit::RegisterOperators& registered()
{
    static const jit::RegisterOperators operators(
        {jit::Operator("cleave::live_rows(Tensor begin, Tensor[] scales) -> (Tensor, Tensor)", [](jit::Stack& stack) { liveRows(stack); },
                       c10::AliasAnalysisKind::FROM_SCHEMA),
         jit::Operator("cleave::add_rows_(Tensor(a!) sum, Tensor rows, Tensor values) -> Tensor(a!)", [](jit::Stack& stack) { addRows(stack); },
                       c10::AliasAnalysisKind::FROM_SCHEMA),
         jit::Operator("cleave::edges(int program, Tensor begin, Tensor[] operands, Tensor[] sources) -> Tensor[]",
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

StreamsListen::StreamsListen(const Progress& progress) { listening = &progress; }
StreamsListen::~StreamsListen() { listening = nullptr; }

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

std::pair<jit::Value*, jit::Value*> insertLiveRows(jit::Graph& graph, jit::Value* begin, const std::vector<jit::Value*>& scales)
{
    registered();
    jit::Value* list = graph.insertNode(graph.createList(c10::TensorType::get(), scales))->output();
    jit::Node* node = graph.insertNode(graph.create(c10::Symbol::fromQualString("cleave::live_rows"), {begin, list}, 2));
    for (jit::Value* output : node->outputs())
        output->setType(c10::TensorType::get());
    return {node->output(0), node->output(1)};
}

jit::Value* insertAddRows(jit::Graph& graph, jit::Value* sum, jit::Value* rows, jit::Value* values)
{
    registered();
    return graph.insert(c10::Symbol::fromQualString("cleave::add_rows_"), {sum, rows, values});
}

jit::Value* insertRows(jit::Graph& graph, jit::Value* whole, jit::Value* index)
{
    registered();
    return graph.insert(c10::Symbol::fromQualString("cleave::rows"), {whole, index});
}

}  // namespace cleave
