#include <cuda_runtime.h>

#include <string>

#include "core/base/error.h"
#include "core/kernels/device/edge_kernels.h"

namespace cleave::device {

namespace {

constexpr int threadsOfBlock = 256;

template <class Body>
__global__ void __launch_bounds__(threadsOfBlock) runBody(const __grid_constant__ Body body, std::int64_t count)
{
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * threadsOfBlock + threadIdx.x;
    if (i < count)
        body(i);
}

template <class Body>
void launch(std::int64_t count, const Body& body, Stream stream)
{
    static_assert(sizeof(Body) + sizeof(count) <= 4096, "what a kernel is given goes through 4 KiB");
    if (count == 0)
        return;
    const auto blocks = static_cast<unsigned>((count + threadsOfBlock - 1) / threadsOfBlock);
    runBody<<<blocks, threadsOfBlock, 0, static_cast<cudaStream_t>(stream)>>>(body, count);
    if (const cudaError_t problem = cudaGetLastError(); problem != cudaSuccess)
        throw Error(std::string("The GPU takes no kernel: ") + cudaGetErrorString(problem) + ".");
}

}  // namespace

}  // namespace cleave::device

#include "core/kernels/device/edge_kernels_impl.h"
