#pragma once

#include <cstddef>

/// The memory that device kernels of a test program work on: a GPU's, or where they are a loop, the program's own.
namespace cleave::test {

bool hasDevice();
void* allocateOnDevice(std::size_t bytes);
void freeOnDevice(void* memory);
void copyToDevice(void* to, const void* from, std::size_t bytes);
void copyFromDevice(void* to, const void* from, std::size_t bytes);  ///< after all kernels are done

}  // namespace cleave::test
