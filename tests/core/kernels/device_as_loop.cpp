#include <cstdlib>
#include <cstring>

#include "core/kernels/device/edge_kernels.h"
#include "tests/core/kernels/device_memory.h"

/// What threads of a GPU do, one after the other and from the last to the first: nobody may wait for another, or for an order.
namespace cleave::device {

namespace {

template <class Body>
void launch(std::int64_t count, const Body& body, Stream)
{
    for (std::int64_t i = count; i-- > 0;)
        body(i);
}

}  // namespace

}  // namespace cleave::device

#include "core/kernels/device/edge_kernels_impl.h"

namespace cleave::test {

bool hasDevice() { return true; }
void* allocateOnDevice(std::size_t bytes) { return std::malloc(bytes); }
void freeOnDevice(void* memory) { std::free(memory); }
void copyToDevice(void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }
void copyFromDevice(void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }

}  // namespace cleave::test
