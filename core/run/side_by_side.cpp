#include "core/run/side_by_side.h"

#include <ATen/Parallel.h>
#include <ATen/ThreadLocalState.h>
#include <dlfcn.h>

#include <mutex>
#include <thread>

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

bool isShared = false;  // LibTorch knows that its threads are at work, and uses no others

// LibTorch makes threads anew whenever their number changes, and these spin at first: not where it is not needed.
void useTorchThreads(int threads)
{
    if (isShared)
        useOpenMpThreads(threads);
    else
        at::set_num_threads(threads);
}

}  // namespace

void shareThreads()
{
    static const bool shared = useOpenMpTeam([] { return at::in_parallel_region(); });
    isShared = shared;
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
    std::thread::id owner = std::this_thread::get_id();
    at::ThreadLocalState state;
};

SideBySide::SideBySide() : m(std::make_unique<Impl>())
{
    useBlasThreads(1);
    useTorchThreads(1);
}

SideBySide::~SideBySide()
{
    useBlasThreads(m->threads);
    useTorchThreads(m->threads);
}

struct SideBySide::Thread::Impl {
    at::ThreadLocalStateGuard guard;
};

SideBySide::Thread::Thread(const SideBySide& side)
{
    if (std::this_thread::get_id() == side.m->owner)
        return;
    // The first question sets the thread up with the number that is asked for last.
    if (!isShared && at::get_num_threads() != 1)
        at::set_num_threads(1);
    m.reset(new Impl{at::ThreadLocalStateGuard(side.m->state)});
}

SideBySide::Thread::~Thread() = default;

}  // namespace cleave
