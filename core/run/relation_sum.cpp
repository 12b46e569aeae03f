#include "core/run/relation_sum.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/jit/runtime/custom_operator.h>

#include <algorithm>
#include <cmath>

#include "core/base/pages.h"
#include "core/base/parallel.h"
#include "core/run/dense.h"
#include "core/run/file_rows.h"
#include "core/run/side_by_side.h"
#include "core/run/tensors.h"

namespace cleave {

namespace {

namespace jit = torch::jit;

// One number for each row, or as many as the row has entries.
template <class T>
struct Scale {
    const T* numbers;
    std::int64_t stride, step, width;
    bool divides;

    const T* of(std::int64_t row) const { return numbers + row * stride; }

    // Zero times a number, or divided by it, is zero again.
    bool keepsZero(std::int64_t row) const
    {
        for (std::int64_t i = 0; i < width; ++i)
            if (const T number = of(row)[i * step]; number == 0 || !std::isfinite(number))
                return false;
        return true;
    }

    void apply(std::int64_t row, T* to, std::int64_t entries) const
    {
        const T* number = of(row);
        if (width == 1 && divides)
            for (std::int64_t i = 0; i < entries; ++i)
                to[i] /= number[0];
        else if (width == 1)
            for (std::int64_t i = 0; i < entries; ++i)
                to[i] *= number[0];
        else
            for (std::int64_t i = 0; i < entries; ++i)
                to[i] = divides ? to[i] / number[i * step] : to[i] * number[i * step];
    }
};

// A term and what the graph gives to it.
template <class T>
struct Given {
    const RelationTerm* term;
    const std::int64_t* begin;
    std::vector<at::Tensor> rows;     // of each operand
    std::vector<at::Tensor> indices;  // undefined where an operand has none
    std::vector<at::Tensor> held;     // what scales lie in
    std::vector<Scale<T>> scales;
    bool fromFile = false;

    std::int64_t in() const { return term->edges.program.width(term->edges.program.results.front().value); }
    std::int64_t out() const { return term->matrix.size(term->transposed ? 0 : 1); }
};

// What a thread needs of memory for a range of one term.
template <class T>
struct Scratch {
    std::vector<std::int64_t> live, begin;
    PageVector<T> reduced, product;
};

template <class T>
class Adding {
public:
    Adding(const RelationSum& sum, std::int64_t targets, const c10::List<at::Tensor>& begins, const c10::List<at::Tensor>& operands,
           const c10::List<at::Tensor>& sources, const c10::List<at::Tensor>& scales)
        : m_targets(targets)
    {
        std::size_t operand = 0, source = 0, scale = 0;
        for (const RelationTerm& term : sum.terms) {
            const at::Tensor begin = begins.get(m_terms.size());
            TORCH_CHECK(begin.numel() == targets + 1, "the edges of a relation lead into other targets than the sum has");
            Given<T>& given = m_terms.emplace_back(Given<T>{&term, begin.data_ptr<std::int64_t>(), {}, {}, {}, {}});
            m_edges += given.begin[targets] - given.begin[0];
            for (std::size_t i = 0; i < term.edges.program.operands.size(); ++i) {
                given.rows.push_back(operandRows(term.edges, i, operands.get(operand++)));
                given.indices.emplace_back();
                if (term.edges.program.operands[i].row == EdgeRow::Source) {
                    given.indices.back() = sources.get(source++);
                    given.fromFile = given.fromFile || liesInFile(given.rows.back());
                }
            }
            for (const bool divides : term.divides)
                addScale(given, scales.get(scale++), divides);
        }
    }

    void run(const at::Tensor& other, at::Tensor& sum) const
    {
        const std::int64_t ranges = rangeCount();
        const auto work = [&](std::int64_t range) {
            Scratch<T> scratch;
            const std::int64_t first = range * m_targets / ranges, last = (range + 1) * m_targets / ranges;
            sum.narrow(0, first, last - first).copy_(other.narrow(0, first, last - first));
            for (const Given<T>& term : m_terms)
                add(term, first, last, sum.data_ptr<T>(), scratch);
        };
        if (ranges < 2 || at::in_parallel_region() || at::get_num_threads() < 2) {
            for (std::int64_t range = 0; range < ranges; ++range)
                work(range);
            return;
        }
        const int threads = at::get_num_threads();
        const SideBySide side;
        parallelFor(ranges, threads, [&](std::int64_t range, int) {
            const SideBySide::Thread own(side);
            work(range);
        });
    }

private:
    static void addScale(Given<T>& given, at::Tensor scale, bool divides)
    {
        TORCH_CHECK(scale.dim() == 2 && (scale.size(1) == given.in() || scale.size(1) == 1), "a scale has another shape than the rows of a relation");
        scale = scale.to(c10::CppTypeToScalarType<T>::value);
        const bool isOne = scale.size(1) == 1 || scale.stride(1) == 0;
        given.scales.push_back({scale.template data_ptr<T>(), scale.stride(0), scale.stride(1), isOne ? 1 : scale.size(1), divides});
        given.held.push_back(std::move(scale));
    }

    // The same whatever the number of threads. Each range has edges enough of every relation to be worth the calls, but several threads have
    // something to do; rows that come from files come once.
    std::int64_t rangeCount() const
    {
        constexpr std::int64_t edgesOfTerm = 512, edgesOfRange = 4096, fewRanges = 8, mostRanges = 256;
        if (std::ranges::any_of(m_terms, [](const Given<T>& given) { return given.fromFile; }))
            return 1;
        const std::int64_t wide = m_edges / (edgesOfTerm * static_cast<std::int64_t>(m_terms.size())),
                           narrow = std::min(fewRanges, m_edges / edgesOfRange);
        return std::clamp<std::int64_t>(std::max(wide, narrow), 1, std::clamp<std::int64_t>(m_targets, 1, mostRanges));
    }

    void findLive(const Given<T>& given, std::int64_t first, std::int64_t last, Scratch<T>& scratch) const
    {
        scratch.live.resize(static_cast<std::size_t>(last - first) + 1);
        scratch.begin.resize(static_cast<std::size_t>(last - first) + 1);
        std::int64_t *row = scratch.live.data(), *begin = scratch.begin.data();
        std::size_t live = 0;
        for (std::int64_t t = first; t < last; ++t) {
            row[live] = t;
            begin[live] = given.begin[t];
            live +=
                given.begin[t + 1] > given.begin[t] || !std::ranges::all_of(given.scales, [&](const Scale<T>& scale) { return scale.keepsZero(t); });
        }
        begin[live] = given.begin[last];
        scratch.live.resize(live);
        scratch.begin.resize(live + 1);
    }

    void add(const Given<T>& given, std::int64_t first, std::int64_t last, T* sum, Scratch<T>& scratch) const
    {
        const std::int64_t in = given.in(), out = given.out();
        if (given.term->bias.defined()) {
            const T* bias = given.term->bias.template data_ptr<T>();
            for (std::int64_t t = first; t < last; ++t)
                for (std::int64_t k = 0; k < out; ++k)
                    sum[t * out + k] += bias[k];
        }
        findLive(given, first, last, scratch);
        const auto live = static_cast<std::int64_t>(scratch.live.size());
        if (live == 0)
            return;
        scratch.reduced.resize(static_cast<std::size_t>(live * in));
        scratch.product.resize(static_cast<std::size_t>(live * out));
        reduce(given, scratch);
        for (std::int64_t i = 0; i < live; ++i)
            for (const Scale<T>& scale : given.scales)
                scale.apply(scratch.live[static_cast<std::size_t>(i)], scratch.reduced.data() + i * in, in);
        denseProduct(scratch.reduced.data(), live, in, given.term->matrix.template data_ptr<T>(), given.term->transposed, out,
                     scratch.product.data());
        for (std::int64_t i = 0; i < live; ++i) {
            T* to = sum + scratch.live[static_cast<std::size_t>(i)] * out;
            const T* from = scratch.product.data() + i * out;
            for (std::int64_t k = 0; k < out; ++k)
                to[k] += from[k];
        }
    }

    // Edges into the live targets of a range, into compact rows.
    void reduce(const Given<T>& given, Scratch<T>& scratch) const
    {
        const EdgeOp& op = given.term->edges;
        const EdgeBlock block{scratch.begin.data(), static_cast<std::int64_t>(scratch.live.size())};
        const std::int64_t firstEdge = scratch.begin.front() - given.begin[0], edges = block.edges();
        std::vector<at::Tensor> rows = given.rows, indices = given.indices;
        std::vector<const std::int32_t*> sources(rows.size());
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const EdgeRow row = op.program.operands[i].row;
            if (row == EdgeRow::Target)
                rows[i] = rows[i].index_select(0, at::from_blob(scratch.live.data(), {block.targets}, at::kLong));
            else if (row == EdgeRow::Edge)
                rows[i] = rows[i].narrow(0, firstEdge, edges);
            else if (row == EdgeRow::Source) {
                TORCH_CHECK(indices[i].numel() >= firstEdge + edges, "an index of an edge program has ", indices[i].numel(), " entries instead of ",
                            firstEdge + edges);
                sources[i] = indices[i].data_ptr<std::int32_t>() + firstEdge;
                checkSources({sources[i], static_cast<std::size_t>(edges)}, rows[i].size(0));
            }
        }
        if (given.fromFile) {
            for (at::Tensor& index : indices)
                if (index.defined())
                    index = index.narrow(0, firstEdge, edges);
            runEdgeOp(op, std::move(rows), std::move(indices), block,
                      {at::from_blob(scratch.reduced.data(), {block.targets, given.in()}, c10::CppTypeToScalarType<T>::value)});
            return;
        }
        runEdgeProgram<T>(op.program, edgeArrays(op, rows, sources, block), block, {scratch.reduced.data()}, {1, bestIsa()});
    }

    std::int64_t m_targets, m_edges = 0;
    std::vector<Given<T>> m_terms;
};

template <class T>
at::Tensor added(const RelationSum& sum, const at::Tensor& other, const c10::List<at::Tensor>& begins, const c10::List<at::Tensor>& operands,
                 const c10::List<at::Tensor>& sources, const c10::List<at::Tensor>& scales)
{
    TORCH_CHECK(other.dim() == 2 && other.scalar_type() == c10::CppTypeToScalarType<T>::value, "terms are added to a sum of another type");
    at::Tensor result = at::empty(other.sizes(), other.options().memory_format(at::MemoryFormat::Contiguous));
    Adding<T>(sum, other.size(0), begins, operands, sources, scales).run(other, result);
    return result;
}

void relations(jit::Stack& stack)
{
    const c10::List<at::Tensor> scales = jit::pop(stack).toTensorList(), sources = jit::pop(stack).toTensorList(),
                                operands = jit::pop(stack).toTensorList();
    const c10::List<at::Tensor> begins = jit::pop(stack).toTensorList();
    const at::Tensor other = jit::pop(stack).toTensor();
    const auto& sum = *reinterpret_cast<const RelationSum*>(jit::pop(stack).toInt());
    const bool isDouble = sum.terms.front().edges.dtype == DType::Float64;
    jit::push(stack,
              isDouble ? added<double>(sum, other, begins, operands, sources, scales) : added<float>(sum, other, begins, operands, sources, scales));
}

}  // namespace

jit::Value* insertRelations(jit::Graph& graph, const RelationSum& sum, jit::Value* other, const std::vector<RelationInputs>& terms)
{
    static const jit::RegisterOperators operators(
        {jit::Operator("cleave::relations(int sum, Tensor other, Tensor[] begins, Tensor[] operands, Tensor[] sources, Tensor[] scales) -> Tensor",
                       [](jit::Stack& stack) { relations(stack); }, c10::AliasAnalysisKind::FROM_SCHEMA)});
    std::vector<jit::Value*> begins, operands, sources, scales;
    for (const RelationInputs& term : terms) {
        begins.push_back(term.begin);
        operands.insert(operands.end(), term.operands.begin(), term.operands.end());
        sources.insert(sources.end(), term.sources.begin(), term.sources.end());
        scales.insert(scales.end(), term.scales.begin(), term.scales.end());
    }
    const auto list = [&](const std::vector<jit::Value*>& values) {
        return graph.insertNode(graph.createList(c10::TensorType::get(), values))->output();
    };
    jit::Value* program = graph.insertConstant(static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(&sum)));
    return graph.insert(c10::Symbol::fromQualString("cleave::relations"),
                        {program, other, list(begins), list(operands), list(sources), list(scales)});
}

}  // namespace cleave
