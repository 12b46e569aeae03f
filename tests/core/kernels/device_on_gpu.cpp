#include <cuda_runtime_api.h>

#include <stdexcept>

#include "tests/core/kernels/device_memory.h"

namespace cleave::test {

namespace {

void check(cudaError_t problem)
{
    if (problem != cudaSuccess)
        throw std::runtime_error(cudaGetErrorString(problem));
}

}  // namespace

bool hasDevice()
{
    int count = 0;
    return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
}

void* allocateOnDevice(std::size_t bytes)
{
    void* memory = nullptr;
    check(cudaMalloc(&memory, bytes > 0 ? bytes : 1));
    return memory;
}

void freeOnDevice(void* memory) { cudaFree(memory); }
void copyToDevice(void* to, const void* from, std::size_t bytes) { check(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice)); }

void copyFromDevice(void* to, const void* from, std::size_t bytes)
{
    check(cudaDeviceSynchronize());
    check(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost));
}

}  // namespace cleave::test
