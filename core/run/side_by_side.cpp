#include "core/run/side_by_side.h"

#include <ATen/Parallel.h>
#include <ATen/ThreadLocalState.h>
#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <mutex>
#include <optional>
#include <thread>

#include "core/base/peak_memory.h"
#include "core/base/processors.h"
#include "core/run/openmp_team.h"

namespace cleave {

namespace {

// OpenBLAS has threads of its own, which would wait for each other.
void useBlasThreads(int threads)
{
    static const auto set = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "openblas_set_num_threads"));
    if (set)
        set(threads);
}

int blasThreads()
{
    static const auto get = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "openblas_get_num_threads"));
    return get ? get() : 1;
}

// Holds OpenBLAS, which counts its threads for the whole process, at one of them, as long as anybody on any thread wants that.
class OneThreadOfBlas {
public:
    static OneThreadOfBlas& instance()
    {
        static OneThreadOfBlas& one = *new OneThreadOfBlas;
        return one;
    }

    // A copy of the process has no other thread that would let go of the lock.
    OneThreadOfBlas()
    {
        const auto lock = [] { instance().m_mutex.lock(); };
        const auto unlock = [] { instance().m_mutex.unlock(); };
        pthread_atfork(lock, unlock, unlock);
    }

    void hold()
    {
        const std::lock_guard lock(m_mutex);
        if (m_holders++ > 0)
            return;
        m_before = blasThreads();
        useBlasThreads(1);
    }

    void letGo()
    {
        const std::lock_guard lock(m_mutex);
        if (--m_holders == 0)
            useBlasThreads(m_before);
    }

private:
    std::mutex m_mutex;
    int m_holders = 0, m_before = 1;  // threads before the first of them
};

std::atomic<bool> isShared = false;  // LibTorch knows that its threads are at work, and uses no others

}  // namespace

void shareThreads()
{
    static const bool shared = useOpenMpTeam([] { return at::in_parallel_region(); });
    isShared = shared;
}

// LibTorch makes threads of another pool anew whenever it is told their number, and these spin for some 50 ms at first: OpenMP is told instead.
void useTorchThreads(int threads)
{
    // The first question sets the calling thread up, with a number of LibTorch's own.
    if (const int known = at::get_num_threads(); isShared)
        useOpenMpThreads(threads);
    else if (threads != known)
        at::set_num_threads(threads);
}

void yieldToOthers()
{
    static std::mutex mutex;
    static OthersAtWork others;
    if (const std::unique_lock only(mutex, std::try_to_lock); only)
        letIdleThreadsSleep(others.ask());
}

struct SideBySide::Impl {
    int threads = at::get_num_threads();
    std::optional<OneBlasThread> ofBlas;  // an OpenBLAS on OpenMP changes the number above
    std::thread::id owner = std::this_thread::get_id();
    at::ThreadLocalState state;
    PeakMemory::Work work = PeakMemory::Work::ofThisThread();
    std::size_t mostPages = PagesLimit::mostUsed();
};

SideBySide::SideBySide() : m(std::make_unique<Impl>())
{
    m->ofBlas.emplace();
    useTorchThreads(1);
}

SideBySide::~SideBySide()
{
    m->ofBlas.reset();
    useTorchThreads(m->threads);
}

OneBlasThread::OneBlasThread() { OneThreadOfBlas::instance().hold(); }

OneBlasThread::~OneBlasThread() { OneThreadOfBlas::instance().letGo(); }

struct SideBySide::Thread::Impl {
    at::ThreadLocalStateGuard guard;
    PeakMemory::Worker worker;
    PagesLimit limit;
};

SideBySide::Thread::Thread(const SideBySide& side)
{
    if (std::this_thread::get_id() == side.m->owner)
        return;
    // The first question sets the thread up with the number that is asked for last.
    if (!isShared && at::get_num_threads() != 1)
        at::set_num_threads(1);
    m.reset(new Impl{at::ThreadLocalStateGuard(side.m->state), PeakMemory::Worker(side.m->work), PagesLimit::like(side.m->mostPages)});
}

SideBySide::Thread::~Thread() = default;

}  // namespace cleave
