#pragma once

#include <cstdint>

namespace cleave {

std::uint64_t physicalMemory();  ///< bytes of main memory in this machine: what asks for more is refused before it is allocated

/// Bytes that this process can still take before the system, or one of its control groups, runs out of memory; what files keep in memory counts as
/// free. As many as there can be if the system does not tell.
std::uint64_t availableMemory();

}  // namespace cleave
