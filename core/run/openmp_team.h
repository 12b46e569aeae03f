#pragma once

#include <functional>

namespace cleave {

/// From now on parallelFor runs on OpenMP's threads, which are those of LibTorch and oneDNN: their idle threads spin for some milliseconds and
/// would take the processor from others. isSeen is asked on them whether whoever it asks runs on these threads as well; if not, or where the
/// compiler has no OpenMP, nothing changes and the answer is false.
bool useOpenMpTeam(const std::function<bool()>& isSeen);

/// Whether idle threads of OpenMP sleep at once, where as many are at work as there are processors. GNU's spin for some 10 ms otherwise, during which
/// whoever is to end the work that they wait for may wait for a processor himself. Others than GNU's go on as they did. False where
/// the compiler has no OpenMP.
bool letIdleThreadsSleep(bool sleep);

/// How many threads OpenMP takes from now on where the calling thread asks for no number.
void useOpenMpThreads(int threads);

}  // namespace cleave
