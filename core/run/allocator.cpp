#include "core/run/allocator.h"

#include <ATen/ATen.h>
#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>
#include <pthread.h>
#include <sys/mman.h>
#include <torch/version.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <new>
#include <optional>
#include <unordered_map>

#include "core/base/pages.h"
#include "core/base/peak_memory.h"
#include "core/plan/scattered_rows.h"

namespace cleave {

namespace {

const c10::Device cpu(c10::DeviceType::CPU);

// Lies before the memory of a small tensor, whose alignment it keeps.
struct alignas(64) Header {
    std::size_t bytes;  // that the tensor has
};

constexpr std::size_t hugePage = std::size_t{1} << 21, smallPage = std::size_t{1} << 12;

// Sizes of large tensors: one of whole huge pages must not need one more for a header. All of them begin a page.
class LargeTensors {
public:
    // Never destroyed: tensors of static storage may be freed after everything else.
    static LargeTensors& instance()
    {
        static LargeTensors& tensors = *new LargeTensors;
        return tensors;
    }

    // As for pages: a copy of the process has no other threads.
    LargeTensors()
    {
        const auto lock = [] { instance().m_mutex.lock(); };
        const auto unlock = [] { instance().m_mutex.unlock(); };
        pthread_atfork(lock, unlock, unlock);
    }

    void add(void* memory, std::size_t bytes)
    {
        const std::lock_guard lock(m_mutex);
        m_bytes.emplace(memory, bytes);
    }

    std::optional<std::size_t> remove(void* memory)
    {
        if (reinterpret_cast<std::uintptr_t>(memory) % smallPage != 0)
            return {};
        const std::lock_guard lock(m_mutex);
        const auto known = m_bytes.find(memory);
        if (known == m_bytes.end())
            return {};
        const std::size_t bytes = known->second;
        m_bytes.erase(known);
        return bytes;
    }

private:
    std::mutex m_mutex;
    std::unordered_map<void*, std::size_t> m_bytes;
};

void release(void* memory)
{
    if (!memory)
        return;
    if (const auto large = LargeTensors::instance().remove(memory)) {
        freePages(memory, *large);
        return;
    }
    Header* header = static_cast<Header*>(memory) - 1;
    freePages(header, header->bytes + sizeof(Header));
}

// LibTorch's raw_allocate asks for a context that is the memory itself.
c10::DataPtr take(std::size_t bytes)
{
    if (bytes == 0)
        return {nullptr, nullptr, &release, cpu};
    void* memory = nullptr;
    if (bytes >= hugePage) {
        memory = allocatePages(bytes);
        LargeTensors::instance().add(memory, bytes);
    } else {
        Header* header = static_cast<Header*>(allocatePages(bytes + sizeof(Header)));
        header->bytes = bytes;
        memory = header + 1;
    }
    return {memory, memory, &release, cpu};
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
    const std::size_t row = bytes / static_cast<std::size_t>(std::max<std::int64_t>(sizes.empty() ? 1 : sizes.front(), 1));
    const auto touched = static_cast<std::size_t>(touchedBytes(static_cast<double>(bytes), static_cast<double>(row), static_cast<double>(touchedRows)));
    if (rowDim != 0 || touched == bytes || pagesAreBound())
        return at::empty(sizes, options);
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        throw std::bad_alloc();
    madvise(memory, bytes, MADV_NOHUGEPAGE);
    countMemory(memory, touched);
    return at::from_blob(
        memory, sizes,
        [bytes](void* p) {
            forgetMemory(p);
            munmap(p, bytes);
        },
        options);
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
