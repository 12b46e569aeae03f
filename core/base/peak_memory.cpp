#include "core/base/peak_memory.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

namespace cleave {

namespace {

thread_local std::size_t workOfThread = 0;
std::atomic<std::size_t> lastWork = 0;
std::atomic<int> watching = 0;

}  // namespace

struct PeakMemory::Impl {
    std::size_t work = 0;
    std::unordered_map<const void*, std::size_t> sizes;
    std::size_t now = 0, peak = 0, ofLap = 0;

    void add(const void* memory, std::size_t bytes)
    {
        remove(memory);
        sizes.emplace(memory, bytes);
        now += bytes;
        peak = std::max(peak, now);
        ofLap = std::max(ofLap, now);
    }

    // What was there before is freed without having been counted.
    void remove(const void* memory)
    {
        if (const auto known = sizes.find(memory); known != sizes.end()) {
            now -= known->second;
            sizes.erase(known);
        }
    }

    struct All {
        std::mutex mutex;
        std::vector<Impl*> list;

        // Never destroyed: memory of static storage may be freed after everything else.
        static All& instance()
        {
            static All& all = *new All;
            return all;
        }

        // As for pages: a copy of the process has no other threads.
        All()
        {
            const auto lock = [] { instance().mutex.lock(); };
            const auto unlock = [] { instance().mutex.unlock(); };
            pthread_atfork(lock, unlock, unlock);
        }
    };
};

PeakMemory::PeakMemory() : m(std::make_unique<Impl>()), m_before(workOfThread)
{
    if (workOfThread == 0)
        workOfThread = ++lastWork;
    m->work = workOfThread;
    Impl::All& all = Impl::All::instance();
    const std::lock_guard lock(all.mutex);
    all.list.push_back(m.get());
    ++watching;
}

PeakMemory::~PeakMemory()
{
    Impl::All& all = Impl::All::instance();
    const std::lock_guard lock(all.mutex);
    std::erase(all.list, m.get());
    --watching;
    workOfThread = m_before;
}

double PeakMemory::bytes() const
{
    const std::lock_guard lock(Impl::All::instance().mutex);
    return static_cast<double>(m->peak);
}

double PeakMemory::lap()
{
    const std::lock_guard lock(Impl::All::instance().mutex);
    return static_cast<double>(std::exchange(m->ofLap, m->now));
}

PeakMemory::Work PeakMemory::Work::ofThisThread()
{
    Work work;
    work.m_number = workOfThread;
    return work;
}

PeakMemory::Work PeakMemory::Work::ofItsOwn()
{
    Work work;
    work.m_number = ++lastWork;
    return work;
}

PeakMemory::Worker::Worker(Work work) : m_before(std::exchange(workOfThread, work.m_number)) {}
PeakMemory::Worker::~Worker()
{
    workOfThread = m_before;
}

void countMemory(const void* memory, std::size_t bytes)
{
    if (watching == 0)
        return;
    auto& all = PeakMemory::Impl::All::instance();
    const std::lock_guard lock(all.mutex);
    for (auto* each : all.list)
        if (workOfThread == 0 || workOfThread == each->work)
            each->add(memory, bytes);
}

void forgetMemory(const void* memory)
{
    if (watching == 0)
        return;
    auto& all = PeakMemory::Impl::All::instance();
    const std::lock_guard lock(all.mutex);
    for (auto* each : all.list)
        each->remove(memory);
}

}  // namespace cleave
