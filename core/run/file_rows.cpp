#include "core/run/file_rows.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "core/base/mapping.h"
#include "core/base/memory_bound.h"
#include "core/base/pages.h"

namespace cleave {

namespace {

std::size_t rowBytes(const at::Tensor& rows) { return static_cast<std::size_t>(rows.stride(0) * rows.element_size()); }

// Rows with all their entries together.
at::Tensor flat(const at::Tensor& whole) { return whole.reshape({whole.size(0), -1}); }

}  // namespace

bool goesThroughFile(const at::Tensor& whole)
{
    return whole.dim() > 0 && whole.numel() > 0 && whole.is_contiguous() && liesInFile(whole);
}

bool liesInFile(const at::Tensor& rows)
{
    return !fitsWithinBound(rows.nbytes()) && MappedFile(rows.data_ptr()).isMapped();
}

DistinctRows readDistinct(const at::Tensor& rows, std::span<const std::int32_t> index)
{
    const MappedFile file(rows.data_ptr());
    TORCH_CHECK(index.size() < std::size_t{1} << 32, "too many rows are read at once");
    PageVector<std::uint64_t> order(index.size());
    for (std::size_t i = 0; i < index.size(); ++i)
        order[i] = static_cast<std::uint64_t>(static_cast<std::uint32_t>(index[i])) << 32 | i;
    std::ranges::sort(order);
    const auto row = [&](std::size_t i) { return static_cast<std::int64_t>(order[i] >> 32); };
    std::int64_t distinct = 0;
    for (std::size_t i = 0; i < order.size(); ++i)
        distinct += i == 0 || row(i) != row(i - 1);
    DistinctRows part{at::empty({distinct, rows.size(1)}, rows.options()), at::empty({static_cast<std::int64_t>(index.size())}, at::kInt)};
    auto* place = part.index.data_ptr<std::int32_t>();
    auto* to = static_cast<std::byte*>(part.rows.data_ptr());
    const auto width = static_cast<std::size_t>(rows.size(1) * rows.element_size());
    const std::size_t stride = rowBytes(rows);
    std::int64_t first = 0, last = -1, number = -1;  // rows that follow each other are read at once
    const auto read = [&] {
        const auto begin = static_cast<std::size_t>(number - (last - first));
        if (last >= first)
            file.read(static_cast<std::size_t>(first) * stride, to + begin * width, static_cast<std::size_t>(last - first + 1) * width);
    };
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (const std::int64_t now = row(i); now != last || number < 0) {
            if (now != last + 1 || stride != width || number < 0) {
                read();
                first = now;
            }
            last = now;
            ++number;
        }
        place[order[i] & 0xffffffff] = static_cast<std::int32_t>(number);
    }
    read();
    return part;
}

at::Tensor rowsAt(const at::Tensor& whole, const at::Tensor& index)
{
    if (index.numel() == 0 || !goesThroughFile(whole) || std::max<std::int64_t>(whole.size(0), index.numel()) >= 1LL << 31 ||
        index.min().item<std::int64_t>() < 0 || index.max().item<std::int64_t>() >= whole.size(0))
        return whole.index_select(0, index);
    const at::Tensor numbers = index.to(at::kInt).contiguous();
    const DistinctRows part = readDistinct(flat(whole), {numbers.data_ptr<std::int32_t>(), static_cast<std::size_t>(numbers.numel())});
    std::vector<std::int64_t> sizes = whole.sizes().vec();
    sizes.front() = index.numel();
    return part.rows.index_select(0, part.index).view(sizes);
}

void readRows(const at::Tensor& whole, std::int64_t first, const at::Tensor& into)
{
    MappedFile(whole.data_ptr()).read(static_cast<std::size_t>(first) * rowBytes(whole), into.data_ptr(), into.nbytes());
}

at::Tensor rowsFrom(const at::Tensor& whole, std::int64_t first, std::int64_t count)
{
    if (!goesThroughFile(whole))
        return whole.narrow(0, first, count);
    std::vector<std::int64_t> sizes = whole.sizes().vec();
    sizes.front() = count;
    at::Tensor rows = at::empty(sizes, whole.options());
    readRows(whole, first, rows);
    return rows;
}

at::Tensor inMemory(const at::Tensor& tensor)
{
    const MappedFile file(tensor.data_ptr());
    if (!file.isMapped() || !tensor.is_contiguous())
        return tensor;
    at::Tensor copy = at::empty(tensor.sizes(), tensor.options());
    file.read(0, copy.data_ptr(), copy.nbytes());
    return copy;
}

void writeRows(const at::Tensor& into, std::int64_t first, const at::Tensor& rows)
{
    if (!goesThroughFile(into)) {
        into.narrow(0, first, rows.size(0)).copy_(rows);
        return;
    }
    const at::Tensor from = rows.to(into.scalar_type()).contiguous();
    MappedFile(into.data_ptr()).write(static_cast<std::size_t>(first) * rowBytes(into), from.data_ptr(), from.nbytes());
}

void writeRows(const at::Tensor& into, const at::Tensor& ids, const at::Tensor& rows)
{
    if (!goesThroughFile(into)) {
        into.index_copy_(0, ids, rows);
        return;
    }
    const MappedFile file(into.data_ptr());
    const at::Tensor from = rows.to(into.scalar_type()).contiguous();
    const auto* id = ids.data_ptr<std::int64_t>();
    const std::size_t row = rowBytes(into);
    for (std::int64_t first = 0, last = 0; first < ids.numel(); first = last) {
        for (last = first + 1; last < ids.numel() && id[last] == id[last - 1] + 1;)
            ++last;
        file.write(static_cast<std::size_t>(id[first]) * row, static_cast<const std::byte*>(from.data_ptr()) + static_cast<std::size_t>(first) * row,
                   static_cast<std::size_t>(last - first) * row);
    }
}

}  // namespace cleave
