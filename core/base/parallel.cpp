#include "core/base/parallel.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <csignal>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/peak_memory.h"
#include "core/base/stopping.h"

namespace cleave {

namespace {

// Threads that wait for one job at a time.
class Pool {
public:
    static Pool& instance()
    {
        static Pool pool;
        return pool;
    }

    ~Pool()
    {
        {
            const std::lock_guard lock(m_mutex);
            m_ends = true;
        }
        m_wake.notify_all();
        for (std::thread& thread : m_threads)
            thread.join();
    }

    void run(std::int64_t count, int threads, const std::function<void(std::int64_t, int)>& work)
    {
        std::unique_lock only(m_only, std::defer_lock);
        std::int64_t first = 0;
        while (first < count && (threads < 2 || count - first < 2 || !only.try_lock()))
            work(first++, 0);
        if (first == count)
            return;
        if (const Team team = m_team) {
            m_work = &work;
            m_count = count;
            m_next = first;
            m_failure = nullptr;
            team(threads, [this](int thread) { take(thread); });
            m_work = nullptr;
            if (m_failure)
                std::rethrow_exception(std::exchange(m_failure, nullptr));
            return;
        }
        {
            const std::lock_guard lock(m_mutex);
            while (static_cast<int>(m_threads.size()) < threads - 1)
                m_threads.emplace_back([this, number = static_cast<int>(m_threads.size()) + 1] { serve(number); });
            m_work = &work;
            m_count = count;
            m_next = first;
            m_failure = nullptr;
            m_helpers = m_busy = threads - 1;
            ++m_job;
        }
        m_wake.notify_all();
        take(0);
        std::unique_lock lock(m_mutex);
        m_done.wait(lock, [this] { return m_busy == 0; });
        m_work = nullptr;
        if (m_failure)
            std::rethrow_exception(m_failure);
    }

    void use(Team team) { m_team = team; }

private:
    void serve(int number)
    {
        std::uint64_t seen = 0;
        for (std::unique_lock lock(m_mutex);;) {
            m_wake.wait(lock, [&] { return m_ends || (m_job != seen && number <= m_helpers && m_work); });
            if (m_ends)
                return;
            seen = m_job;
            lock.unlock();
            take(number);
            lock.lock();
            if (--m_busy == 0)
                m_done.notify_one();
        }
    }

    void take(int number)
    {
        try {
            useSignalStack();
            for (std::int64_t i; (i = m_next.fetch_add(1, std::memory_order_relaxed)) < m_count;)
                (*m_work)(i, number);
        } catch (...) {
            m_next = m_count;
            const std::lock_guard lock(m_mutex);
            if (!m_failure)
                m_failure = std::current_exception();
        }
    }

    std::mutex m_only;  // held by whoever runs a job
    std::mutex m_mutex;
    std::condition_variable m_wake, m_done;
    std::vector<std::thread> m_threads;
    const std::function<void(std::int64_t, int)>* m_work = nullptr;
    std::int64_t m_count = 0;
    std::atomic<std::int64_t> m_next = 0;
    std::exception_ptr m_failure;
    int m_helpers = 0, m_busy = 0;
    std::uint64_t m_job = 0;
    std::atomic<Team> m_team = nullptr;
    bool m_ends = false;
};

thread_local bool isInside = false;

}  // namespace

void useSignalStack()
{
    struct Stack {
        Stack()
        {
            const stack_t stack{memory.data(), 0, memory.size()};
            sigaltstack(&stack, nullptr);
        }
        ~Stack()
        {
            const stack_t none{nullptr, SS_DISABLE, 0};
            sigaltstack(&none, nullptr);
        }
        std::vector<std::byte> memory = std::vector<std::byte>(std::size_t{1} << 16);
    };
    static thread_local const Stack stack;
}

void useTeam(Team team)
{
    Pool::instance().use(team);
}

void parallelFor(std::int64_t count, int threads, const std::function<void(std::int64_t, int)>& work)
{
    if (isInside) {
        for (std::int64_t i = 0; i < count; ++i) {
            checkStop();
            work(i, 0);
        }
        return;
    }
    const std::stop_token* stop = Stoppable::current();
    const PeakMemory::Work caller = PeakMemory::Work::ofThisThread();
    Pool::instance().run(count, threads, [&](std::int64_t i, int thread) {
        isInside = true;
        const struct Leave {
            ~Leave() { isInside = false; }
        } leave;
        const Stoppable stoppable(stop);
        const PeakMemory::Worker worker(caller);
        checkStop();
        work(i, thread);
    });
}

}  // namespace cleave
