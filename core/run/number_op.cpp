#include "core/run/number_op.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <atomic>
#include <span>
#include <vector>

#include "core/analysis/op_view.h"
#include "core/base/memory_bound.h"
#include "core/base/pages.h"
#include "core/base/parallel.h"
#include "core/run/file_rows.h"

namespace cleave {

namespace {

constexpr std::int64_t entriesAtOnce = 1 << 16;  // entries that a thread takes at once

std::int64_t piecesOf(std::int64_t count) { return (count + entriesAtOnce - 1) / entriesAtOnce; }

// self[index], or self[:, index].
bool readsNumbers(const Program& program, const Op& op)
{
    const OpView view(program, op);
    const Value* self = view.tensor("self");
    if (op.target != "aten::index" || !self || self->sizes.empty() || self->sizes.size() > 2)
        return false;
    const Argument* given = op.find("indices");
    const auto* indices = given ? given->asList() : nullptr;
    if (!indices || indices->size() != self->sizes.size() || !indices->back().asValue())
        return false;
    const Value& index = program[*indices->back().asValue()];
    return index.dtype == DType::Int64 && index.sizes.size() == 1 && (indices->size() == 1 || indices->front().isNone());
}

// Whose source is nothing but ones.
bool addsOnes(const Program& program, const Op& op)
{
    const OpView view(program, op);
    const Value *self = view.tensor("self"), *index = view.tensor("index"), *source = view.tensor("src");
    if (op.target != "aten::scatter_add" || !self || !index || !source || self->sizes.size() != 1 || index->sizes.size() != 1 ||
        index->sizes != source->sizes)
        return false;
    return source->producer.valid() && program[source->producer].target == "aten::ones" && isFloating(self->dtype) && source->dtype == self->dtype &&
           index->dtype == DType::Int64;
}

// Kernels add rows of 16 bits up in float32. So what such sums are divided by must not stop to grow at 256, as it would in 16 bits.
bool addsNarrowly(const Program& program, const Op& op)
{
    const Value* self = OpView(program, op).tensor("self");
    return isOneOf(op.target, {"aten::scatter_add", "aten::index_add", "aten::scatter_reduce"}) && self && isFloating(self->dtype) &&
           itemSize(self->dtype) == 2;
}

bool isNarrow(const at::Tensor& tensor)
{
    return tensor.scalar_type() == at::kBFloat16 || tensor.scalar_type() == at::kHalf;
}

at::Tensor inFloat32(const at::Tensor& tensor)
{
    return isNarrow(tensor) ? tensor.to(at::kFloat) : tensor;
}

// False where an entry is out of range; below 0 they count from the end.
template <class T>
bool read(const T* from, std::int64_t size, std::span<const std::int64_t> index, T* to)
{
    constexpr std::int64_t ahead = 32;
    std::atomic<bool> isFound = true;
    const auto count = static_cast<std::int64_t>(index.size());
    parallelFor(piecesOf(count), at::get_num_threads(), [&](std::int64_t part, int) {
        stayWithinBound();
        const std::int64_t first = part * entriesAtOnce, last = std::min(count, first + entriesAtOnce);
        bool isInside = true;
        for (std::int64_t i = first; i < last; ++i) {
            if (i + ahead < last)
                __builtin_prefetch(from + index[static_cast<std::size_t>(i + ahead)]);
            std::int64_t place = index[static_cast<std::size_t>(i)];
            place += place < 0 ? size : 0;
            const bool isPlace = place >= 0 && place < size;
            to[i] = isPlace ? from[place] : T();
            isInside = isInside && isPlace;
        }
        if (!isInside)
            isFound = false;
    });
    return isFound;
}

std::span<const std::int64_t> entriesOf(const at::Tensor& index)
{
    return {index.data_ptr<std::int64_t>(), static_cast<std::size_t>(index.numel())};
}

// Nothing where LibTorch has to look.
at::Tensor readAt(const at::Tensor& self, const at::Tensor& index)
{
    if (!self.is_contiguous() || !index.is_contiguous() || liesInFile(self))
        return {};
    std::vector<std::int64_t> sizes = self.sizes().vec();
    sizes.back() = index.numel();
    at::Tensor result = at::empty(sizes, self.options());
    const auto readAll = [&]<class T>(T) {
        bool isFound = true;
        for (std::int64_t row = 0; row < (self.dim() == 2 ? self.size(0) : 1); ++row)
            isFound = read(static_cast<const T*>(self.data_ptr()) + row * self.size(-1), self.size(-1), entriesOf(index),
                           static_cast<T*>(result.data_ptr()) + row * index.numel()) && isFound;
        return isFound;
    };
    const bool isFound =
        self.element_size() == 4 ? readAll(std::int32_t()) : self.element_size() == 8 && !self.is_complex() && readAll(std::int64_t());
    return isFound ? result : at::Tensor();
}

// Each thread counts by itself, as many as the numbers of entries make up for.
at::Tensor withOnesAt(const at::Tensor& self, const at::Tensor& index)
{
    if (!index.is_contiguous() || !fitsWithinBound(self.nbytes()))
        return {};
    const std::int64_t size = self.numel(), count = index.numel();
    const auto threads = static_cast<int>(std::clamp<std::int64_t>(count / std::max<std::int64_t>(size, 1), 1, at::get_num_threads()));
    std::vector<PageVector<std::int32_t>> counts(static_cast<std::size_t>(threads));
    std::atomic<bool> isFound = count < std::int64_t{1} << 31;
    parallelFor(isFound ? piecesOf(count) : 0, threads, [&](std::int64_t part, int thread) {
        stayWithinBound();
        PageVector<std::int32_t>& own = counts[static_cast<std::size_t>(thread)];
        if (own.empty())
            own.assign(static_cast<std::size_t>(size), 0);
        for (const std::int64_t place : entriesOf(index).subspan(static_cast<std::size_t>(part * entriesAtOnce),
                                                                 static_cast<std::size_t>(std::min(entriesAtOnce, count - part * entriesAtOnce))))
            if (place >= 0 && place < size)
                ++own[static_cast<std::size_t>(place)];
            else
                isFound = false;
    });
    if (!isFound)
        return {};
    at::Tensor all = at::zeros({size}, at::kInt);
    auto* sum = all.data_ptr<std::int32_t>();
    parallelFor(piecesOf(size), at::get_num_threads(), [&](std::int64_t part, int) {
        const std::int64_t first = part * entriesAtOnce, last = std::min(size, first + entriesAtOnce);
        for (const PageVector<std::int32_t>& own : counts)
            for (std::int64_t i = first; i < last && !own.empty(); ++i)
                sum[i] += own[static_cast<std::size_t>(i)];
    });
    return isNarrow(self) ? (inFloat32(self) + all).to(self.scalar_type()) : self + all.to(self.scalar_type());
}

}  // namespace

bool isNumberOp(const Program& program, OpId op)
{
    return readsNumbers(program, program[op]) || addsOnes(program, program[op]) || addsNarrowly(program, program[op]);
}

c10::IValue runNumberOp(const Program& program, OpId id, const OperandValues& operands)
{
    const Op& op = program[id];
    std::vector<c10::IValue> values;
    forEachOperand(op, [&](ValueId value) { values.push_back(operands(values.size(), value)); });
    const at::Tensor self = values.front().toTensor(), index = values[1].toTensor();
    const bool reads = op.target == "aten::index";
    if (const at::Tensor result = reads ? readAt(self, index) : addsOnes(program, op) ? withOnesAt(self, index) : at::Tensor(); result.defined())
        return result;
    const bool addsIn32 = addsNarrowly(program, op);
    for (c10::IValue& value : values)
        if (addsIn32 && value.isTensor())
            value = inFloat32(value.toTensor());
    const at::Tensor result = callOp(program, id, [&](std::size_t position, ValueId) { return values[position]; }).front().toTensor();
    return addsIn32 ? result.to(self.scalar_type()) : result;
}

}  // namespace cleave
