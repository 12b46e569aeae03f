#include "core/run/allocator.h"

#include <ATen/ATen.h>
#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>
#include <sys/mman.h>
#include <torch/version.h>

#include <algorithm>

#include <cstdint>
#include <cstring>

#include "core/base/pages.h"

namespace cleave {

namespace {

// Lies before the memory of a tensor, whose alignment it keeps.
struct alignas(64) Header {
    std::size_t bytes;  // that the tensor has
};

const c10::Device cpu(c10::DeviceType::CPU);

void release(void* memory)
{
    if (!memory)
        return;
    Header* header = static_cast<Header*>(memory) - 1;
    const std::size_t bytes = header->bytes;
    c10::reportMemoryUsageToProfiler(memory, -static_cast<std::int64_t>(bytes), 0, 0, cpu);
    freePages(header, bytes + sizeof(Header));
}

c10::DataPtr take(std::size_t bytes)
{
    if (bytes == 0)
        return {nullptr, nullptr, &release, cpu};
    auto* memory = allocatePages(bytes + sizeof(Header));
    Header* header = static_cast<Header*>(memory);
    header->bytes = bytes;
    void* data = header + 1;
    c10::reportMemoryUsageToProfiler(data, static_cast<std::int64_t>(bytes), 0, 0, cpu);
    return {data, data, &release, cpu};
}

class LibTorchAllocator : public c10::Allocator {
public:
#if TORCH_VERSION_MAJOR >= 2
    c10::DataPtr allocate(std::size_t bytes) override { return take(bytes); }
    void copy_data(void* to, const void* from, std::size_t bytes) const override { std::memcpy(to, from, bytes); }
#else
    c10::DataPtr allocate(std::size_t bytes) const override { return take(bytes); }
#endif
    c10::DeleterFnPtr raw_deleter() const override { return &release; }
};

}  // namespace

at::Tensor emptyScattered(const std::vector<std::int64_t>& sizes, const at::TensorOptions& options, std::int64_t touchedRows, int rowDim)
{
    std::int64_t count = 1;
    for (const std::int64_t size : sizes)
        count *= size;
    const auto bytes = static_cast<std::size_t>(count) * options.dtype().itemsize();
    constexpr std::size_t page = 4096, large = 16 * page;
    if (rowDim != 0 || bytes < large)
        return at::empty(sizes, options);
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        throw std::bad_alloc();
    madvise(memory, bytes, MADV_NOHUGEPAGE);
    const std::size_t row = bytes / static_cast<std::size_t>(std::max<std::int64_t>(sizes.front(), 1));
    const auto touched = static_cast<std::int64_t>(std::min(bytes, static_cast<std::size_t>(touchedRows) * std::max(row, page)));
    c10::reportMemoryUsageToProfiler(memory, touched, 0, 0, cpu);
    return at::from_blob(memory, sizes, [bytes, touched](void* p) {
        c10::reportMemoryUsageToProfiler(p, -touched, 0, 0, cpu);
        munmap(p, bytes);
    }, options);
}

void useOwnAllocator()
{
    static LibTorchAllocator& allocator = *new LibTorchAllocator;
    static const bool done = [] {
        c10::SetCPUAllocator(&allocator, 1);
        return true;
    }();
    static_cast<void>(done);
}

}  // namespace cleave
