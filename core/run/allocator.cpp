#include "core/run/allocator.h"

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>
#include <torch/version.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

#include "core/base/pages.h"

namespace cleave {

namespace {

constexpr std::size_t fromPages = std::size_t{1} << 17;  // bytes: below, the C library is as good

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
    if (bytes >= fromPages)
        freePages(header, bytes + sizeof(Header));
    else
        std::free(header);
}

c10::DataPtr take(std::size_t bytes)
{
    if (bytes == 0)
        return {nullptr, nullptr, &release, cpu};
    void* memory = bytes >= fromPages ? allocatePages(bytes + sizeof(Header))
                                      : std::aligned_alloc(alignof(Header), (bytes + 2 * sizeof(Header) - 1) / sizeof(Header) * sizeof(Header));
    if (!memory)
        throw std::bad_alloc();
    Header* header = static_cast<Header*>(memory);
    header->bytes = bytes;
    void* data = header + 1;
    c10::reportMemoryUsageToProfiler(data, static_cast<std::int64_t>(bytes), 0, 0, cpu);
    return {data, data, &release, cpu};
}

class PageAllocator : public c10::Allocator {
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

void useOwnAllocator()
{
    static PageAllocator& allocator = *new PageAllocator;
    static const bool done = [] {
        c10::SetCPUAllocator(&allocator, 1);
        return true;
    }();
    static_cast<void>(done);
}

}  // namespace cleave
