#pragma once

#include <cstdint>

#include "core/kernels/device/edge_steps.h"

/// Kernels for a GPU: plain pointers to the device and a stream. They return at once; what went wrong with a launch is thrown as Error. C++17, as
/// nvcc reads it.
namespace cleave::device {

using Stream = void*;  ///< a cudaStream_t

/// Runs a step on the edges of a block. T is float or double.
/// rows: where a Map or SumInner writes [edges, width], a Reduce [targets, width]. partial: [pieces, width], scratch; may be null without long
/// segments. Each entry is computed by one thread in the order of the edges, so two runs give the same bytes.
template <class T>
void runEdgeStep(const EdgeStep& step, const EdgeView* views, int viewCount, const Segments& segments, T* rows, T* partial, Stream stream);

/// to[i] = from[index[i]], rows of so many bytes. `from` may lie in pinned host memory, which is read over the bus: 16 bytes a thread where addresses
/// allow. stride: bytes between rows of `from`.
void gatherRows(void* to, const void* from, std::int64_t rowBytes, std::int64_t stride, const std::int32_t* index, std::int64_t count, Stream stream);

}  // namespace cleave::device
