#pragma once

#include <cstdint>

namespace cleave {

std::uint64_t physicalMemory();  ///< bytes of main memory in this machine: what asks for more is refused before it is allocated

}  // namespace cleave
