#include "core/run/edge_op.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/jit/runtime/custom_operator.h>

#include <algorithm>

#include "core/base/memory_bound.h"
#include "core/base/parallel.h"
#include "core/base/row_stream.h"
#include "core/base/stopping.h"
#include "core/kernels/edge_schedule.h"
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

EdgeArray arrayOf(const at::Tensor& rows, const EdgeOperand& operand, const std::int32_t* sources, const EdgeBlock& block)
{
    const std::int64_t needed = operand.row == EdgeRow::Edge ? block.edges() : operand.row == EdgeRow::Target ? block.targets : 1;
    if (operand.row != EdgeRow::Source)
        TORCH_CHECK(rows.size(0) >= needed, "an operand of an edge program has ", rows.size(0), " rows instead of ", needed);
    return {rows.data_ptr(), dtypeOf(rows.scalar_type()), rows.stride(0), operand.row == EdgeRow::Source ? sources : nullptr, rows.size(0)};
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
    return isOne && block.edges() < std::int64_t{1} << 31 ? streamed : std::vector<std::size_t>{};
}

MappedRows filed(const at::Tensor& rows)
{
    const auto item = static_cast<std::size_t>(rows.element_size());
    return {rows.data_ptr(), static_cast<std::size_t>(rows.size(1)) * item, static_cast<std::size_t>(rows.stride(0)) * item};
}

// In the pieces in which the rows come.
template <class T>
EdgeSchedule scheduleFor(const EdgeOp& op, const std::vector<EdgeArray>& operands, const EdgeBlock& block, const std::vector<std::size_t>& streamed, const RowStream& stream)
{
    const MemoryAnywhere mayLieInFile;
    EdgeSchedule schedule(block, operands[streamed.front()].sources, stream.pieces(), EdgeStream<T>::needsEdges(op.program, operands, streamed),
                          at::get_num_threads());
    return schedule;
}

void addTo(RowStream& stream, const EdgeSchedule& schedule)
{
    stream.addPieces({schedule.entries().data(), sizeof(std::uint32_t), &schedule.pieces()});
    if (!schedule.edges().empty())
        stream.addPieces({schedule.edges().data(), sizeof(std::uint16_t), &schedule.pieces()});
}

template <class T>
void meet(EdgeStream<T>& edges, const EdgeSchedule& schedule, const RowStream& stream, const std::vector<const void*>& rows)
{
    edges.meet(stream.piece(), rows, static_cast<const std::uint32_t*>(stream.entries().front()),
               schedule.edges().empty() ? nullptr : static_cast<const std::uint16_t*>(stream.entries().back()));
}

template <class T>
void run(const EdgeOp& op, std::vector<at::Tensor>& rows, std::vector<at::Tensor>& indices, const EdgeBlock& block, const std::vector<at::Tensor>& outputs)
{
    const EdgeRunOptions options{at::get_num_threads(), bestIsa()};
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
            files.push_back(filed(rows[i]));
            gathered += block.edges() * static_cast<std::int64_t>(files.back().rowBytes);
        }
        // Few edges had better read their rows alone.
        constexpr std::int64_t sequential = 4;
        if (RowStream stream(files, rows[streamed.front()].size(0), indexOf(streamed.front()), options.threads);
            stream.bytes() < sequential * gathered || !fitsWithinBound(static_cast<std::size_t>(gathered))) {
            const std::vector<EdgeArray> operands = arrays();
            const EdgeSchedule schedule = scheduleFor<T>(op, operands, block, streamed, stream);
            addTo(stream, schedule);
            EdgeStream<T> edges(op.program, operands, block, schedule, pointers, streamed, options);
            while (stream.next()) {
                checkStop();
                meet(edges, schedule, stream, stream.rows());
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

// Calls work(row) for some rows each on a thread.
void forRows(std::int64_t count, const std::function<void(std::int64_t)>& work)
{
    constexpr std::int64_t atOnce = 256;
    parallelFor((count + atOnce - 1) / atOnce, at::get_num_threads(), [&](std::int64_t part, int) {
        for (std::int64_t i = part * atOnce; i < std::min(count, (part + 1) * atOnce); ++i)
            work(i);
    });
}

// Sums hold what they will be divided by as often.
template <class T>
void addOwn(const at::Tensor& own, const T* bias, const T* divisors, T* sums)
{
    const std::int64_t width = own.size(1);
    const at::Tensor rows = own.contiguous();
    const T* const from = rows.data_ptr<T>();
    forRows(own.size(0), [&](std::int64_t i) {
        const T times = divisors ? divisors[i] : T(1);
        for (std::int64_t k = 0; k < width; ++k)
            sums[i * width + k] += times * (bias ? from[i * width + k] + bias[k] : from[i * width + k]);
    });
}

template <class T>
void divide(const T* divisors, std::int64_t rows, std::int64_t width, T* sums)
{
    forRows(rows, [&](std::int64_t i) {
        for (std::int64_t k = 0; divisors[i] != 1 && k < width; ++k)
            sums[i * width + k] /= divisors[i];
    });
}

template <class T>
at::Tensor runWithOwnRows(const EdgeOp& op, std::vector<at::Tensor>& rows, std::vector<at::Tensor>& indices, const EdgeBlock& block, const RowsOnce& once)
{
    const EdgeRunOptions options{at::get_num_threads(), bestIsa()};
    const at::Tensor& whole = once.rows;
    const std::int64_t nodes = whole.size(0), width = op.program.operands[once.operand].width;
    const std::vector<std::size_t> streamed{once.operand};
    std::vector<EdgeArray> operands;
    for (std::size_t i = 0; i < op.program.operands.size(); ++i) {
        const std::int32_t* sources = indices[i].defined() ? indices[i].data_ptr<std::int32_t>() : nullptr;
        if (i == once.operand) {
            operands.push_back({nullptr, sizeof(T) == 4 ? DType::Float32 : DType::Float64, width, sources});
        } else {
            rows[i] = operandRows(op, i, rows[i]);
            operands.push_back(arrayOf(rows[i], op.program.operands[i], sources, block));
        }
        if (sources)
            checkSources({sources, static_cast<std::size_t>(block.edges())}, i == once.operand ? nodes : rows[i].size(0));
    }
    RowStream stream({filed(whole)}, nodes, {indices[once.operand].data_ptr<std::int32_t>(), static_cast<std::size_t>(block.edges())}, options.threads);
    stream.addRows(once.firstOwn, once.firstOwn + block.targets);
    const EdgeSchedule schedule = scheduleFor<T>(op, operands, block, streamed, stream);
    addTo(stream, schedule);
    if (schedule.edges().empty())
        indices.clear();
    at::Tensor sums = at::empty({block.targets, width}, c10::CppTypeToScalarType<T>::value);
    const std::vector<T*> pointers{sums.data_ptr<T>()};
    EdgeStream<T> edges(op.program, operands, block, schedule, pointers, streamed, options);
    const at::Tensor added = once.bias.defined() ? once.bias.contiguous() : at::Tensor();
    const T* const bias = added.defined() ? added.data_ptr<T>() : nullptr;
    const T* const divisors = once.divisors.defined() ? once.divisors.data_ptr<T>() : nullptr;
    const MemoryBeforeOthers passing;
    while (stream.next()) {
        checkStop();
        const std::int64_t first = stream.first(), last = stream.last();
        const at::Tensor piece = at::from_blob(const_cast<void*>(stream.rows().front()), {last - first, whole.size(1)}, {whole.stride(0), 1}, whole.options());
        if (const std::int64_t from = std::max(first, once.firstOwn), to = std::min(last, once.firstOwn + block.targets); from < to)
            addOwn<T>(once.own(from, piece.narrow(0, from - first, to - from)), bias, divisors ? divisors + (from - once.firstOwn) : nullptr,
                      sums.data_ptr<T>() + (from - once.firstOwn) * width);
        const at::Tensor read = once.edgeRows(piece);
        TORCH_CHECK(read.is_contiguous() && read.size(1) == width, "rows that edges read have another shape");
        meet(edges, schedule, stream, {read.data_ptr<T>()});
    }
    edges.finish();
    if (divisors)
        divide(divisors, block.targets, width, sums.data_ptr<T>());
    return sums;
}

std::span<const std::int32_t> sourcesOf(const at::Tensor& index, std::int64_t edges)
{
    TORCH_CHECK(index.numel() >= edges, "an index of an edge program has ", index.numel(), " entries instead of ", edges);
    return {index.data_ptr<std::int32_t>(), static_cast<std::size_t>(edges)};
}

EdgesElsewhere edgesElsewhere = nullptr;

void runEdges(jit::Stack& stack)
{
    const c10::List<at::Tensor> sources = jit::pop(stack).toTensorList(), operands = jit::pop(stack).toTensorList();
    const at::Tensor begin = jit::pop(stack).toTensor();
    const auto& op = *reinterpret_cast<const EdgeOp*>(jit::pop(stack).toInt());
    const EdgeBlock block{begin.data_ptr<std::int64_t>(), begin.numel() - 1};
    c10::List<at::Tensor> results;
    if (!operands.empty() && !operands.get(0).is_cpu()) {
        TORCH_CHECK(edgesElsewhere, "edge programs cannot be run on this device");
        for (const at::Tensor& output : edgesElsewhere(op, begin, operands.vec(), sources.vec()))
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
        indices.push_back(operand.row == EdgeRow::Source ? sources.get(index++) : at::Tensor());
        rows.push_back(operandRows(op, i, operands.get(i)));
        if (operand.row == EdgeRow::Source)
            checkSources(sourcesOf(indices.back(), block.edges()), rows.back().size(0));
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
        all.push_back(arrayOf(rows[i], op.program.operands[i], sources[i], block));
    return all;
}

void runEdgeOp(const EdgeOp& op, std::vector<at::Tensor> rows, std::vector<at::Tensor> indices, const EdgeBlock& block, const std::vector<at::Tensor>& outputs)
{
    if (op.dtype == DType::Float64)
        run<double>(op, rows, indices, block, outputs);
    else
        run<float>(op, rows, indices, block, outputs);
}

at::Tensor runWithOwnRows(const EdgeOp& op, std::vector<at::Tensor> rows, std::vector<at::Tensor> indices, const EdgeBlock& block, const RowsOnce& once)
{
    return op.dtype == DType::Float64 ? runWithOwnRows<double>(op, rows, indices, block, once) : runWithOwnRows<float>(op, rows, indices, block, once);
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
