#include "core/run/allocator.h"

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>
#include <torch/version.h>

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
