#include "core/run/openmp_team.h"

#ifdef _OPENMP
#include <omp.h>

#include <atomic>
#endif

#include "core/base/parallel.h"

namespace cleave {

bool useOpenMpTeam([[maybe_unused]] const std::function<bool()>& isSeen)
{
#ifdef _OPENMP
    const Team team = [](int threads, const std::function<void(int)>& body) {
#pragma omp parallel num_threads(threads)
        body(omp_get_thread_num());
    };
    std::atomic<bool> isOurs = true;
    team(2, [&](int) { isOurs = isOurs && isSeen(); });
    if (isOurs)
        useTeam(team);
    return isOurs;
#else
    return false;
#endif
}

void useOpenMpThreads([[maybe_unused]] int threads)
{
#ifdef _OPENMP
    omp_set_num_threads(threads);
#endif
}

}  // namespace cleave
