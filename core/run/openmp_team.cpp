#include "core/run/openmp_team.h"

#ifdef _OPENMP
#include <omp.h>

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#endif

#include "core/base/parallel.h"

namespace cleave {

#ifdef _OPENMP
namespace {

// Two threads of OpenMP that do nothing. While there are more threads than processors, GNU's idle ones spin a hundred times only (GOMP_SPINCOUNT in
// its manual).
class SleepingTeam {
public:
    SleepingTeam()
        : m_thread([this] {
              std::atomic<int> threads = 0;  // a body without effect is left out, and with it the thread
#pragma omp parallel num_threads(2)
              ++threads;
              std::unique_lock lock(m_mutex);
              m_ends.wait(lock, [this] { return m_isOver; });
          })
    {
    }

    ~SleepingTeam()
    {
        {
            const std::lock_guard lock(m_mutex);
            m_isOver = true;
        }
        m_ends.notify_one();
        m_thread.join();
    }

private:
    std::mutex m_mutex;
    std::condition_variable m_ends;
    bool m_isOver = false;
    std::thread m_thread;  // last: it uses the others
};

}  // namespace
#endif

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

bool letIdleThreadsSleep([[maybe_unused]] bool sleep)
{
#ifdef _OPENMP
    static std::unique_ptr<SleepingTeam> team;
    if (sleep && !team)
        team = std::make_unique<SleepingTeam>();
    else if (!sleep)
        team.reset();
    return true;
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
