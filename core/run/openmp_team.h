#pragma once

#include <functional>

namespace cleave {

/// From now on parallelFor runs on OpenMP's threads, which are those of LibTorch and oneDNN: their idle threads spin for some milliseconds and
/// would take the processor from others. isSeen is asked on them whether whoever it asks runs on these threads as well; if not, or where the
/// compiler has no OpenMP, nothing changes and the answer is false.
bool useOpenMpTeam(const std::function<bool()>& isSeen);

/// How many threads OpenMP takes from now on where the calling thread asks for no number.
void useOpenMpThreads(int threads);

}  // namespace cleave
