#pragma once

namespace cleave {

/// Lets LibTorch take the memory of large tensors from allocatePages, for the rest of the process.
void useOwnAllocator();

}  // namespace cleave
