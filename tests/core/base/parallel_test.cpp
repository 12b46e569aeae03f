#include "core/base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

#include "core/base/error.h"
#include "core/base/stopping.h"

namespace cleave {

namespace {

TEST(Parallel, EachNumberOnce)
{
    for (const int threads : {1, 2, 3, 8})
        for (const int count : {0, 1, 2, 7, 1000}) {
            std::vector<std::atomic<int>> seen(static_cast<std::size_t>(count));
            std::vector<int> perThread(static_cast<std::size_t>(threads));
            parallelFor(count, threads, [&](std::int64_t i, int thread) {
                ++seen[static_cast<std::size_t>(i)];
                ++perThread.at(static_cast<std::size_t>(thread));
            });
            for (const auto& times : seen)
                EXPECT_EQ(times, 1);
            EXPECT_EQ(std::accumulate(perThread.begin(), perThread.end(), 0), count);
        }
}

TEST(Parallel, ThrowsWhatTheWorkThrows)
{
    constexpr int many = 100'000'000;  // so many that they are not over while the thread that throws waits for a core
    std::atomic<int> calls = 0;
    EXPECT_THROW(parallelFor(many, 4,
                             [&](std::int64_t i, int) {
                                 ++calls;
                                 if (i == 10)
                                     throw std::runtime_error("ten");
                             }),
                 std::runtime_error);
    EXPECT_LT(calls, many);
    parallelFor(10, 4, [&](std::int64_t, int) {});
}

TEST(Parallel, CallsFromInsideAndBesideRunAlone)
{
    std::atomic<int> calls = 0;
    const auto nested = [&] {
        parallelFor(20, 3, [&](std::int64_t, int) {
            parallelFor(5, 3, [&](std::int64_t, int thread) {
                EXPECT_EQ(thread, 0);
                ++calls;
            });
        });
    };
    std::thread other(nested);
    nested();
    other.join();
    EXPECT_EQ(calls, 200);
}

TEST(Parallel, ASecondCallerGetsThreadsWhenTheFirstIsDone)
{
    std::atomic<bool> isBegun = false, mayEnd = false;
    std::thread other([&] {
        parallelFor(2, 2, [&](std::int64_t, int) {
            isBegun = true;
            while (!mayEnd)
                std::this_thread::yield();
        });
    });
    while (!isBegun)
        std::this_thread::yield();
    std::atomic<int> most = 0, met = 0;
    parallelFor(100, 2, [&](std::int64_t i, int) {
        if (i == 0) {
            mayEnd = true;
            other.join();
        }
        ++met;
        // Two that wait for each other are at work at once.
        if (i == 2 || i == 3) {
            ++most;
            while (most < 2)
                std::this_thread::yield();
        }
    });
    EXPECT_EQ(met, 100);
    EXPECT_EQ(most, 2);
}

TEST(Stoppable, EndsLoopsOnEveryThread)
{
    for (const int threads : {1, 4}) {
        std::stop_source source;
        const std::stop_token token = source.get_token();
        const Stoppable stoppable(token);
        std::atomic<int> calls = 0;
        const auto work = [&](std::int64_t, int) {
            if (++calls == 10)
                source.request_stop();
            parallelFor(2, 2, [](std::int64_t, int) {});  // hears of it from inside as well
        };
        EXPECT_THROW(parallelFor(1'000'000, threads, work), Cancelled);
        EXPECT_LT(calls, 10 + 2 * threads);
    }
}

TEST(Stoppable, CountsWhereItLivesOnly)
{
    std::stop_source source;
    source.request_stop();
    const std::stop_token token = source.get_token();
    EXPECT_NO_THROW(checkStop());
    {
        const Stoppable stopped(token);
        EXPECT_THROW(checkStop(), Cancelled);
        {
            const Stoppable inner(nullptr);
            EXPECT_NO_THROW(parallelFor(10, 2, [](std::int64_t, int) {}));
        }
        EXPECT_THROW(parallelFor(10, 2, [](std::int64_t, int) {}), Cancelled);
        std::thread([] { EXPECT_NO_THROW(checkStop()); }).join();
    }
    EXPECT_NO_THROW(parallelFor(10, 2, [](std::int64_t, int) {}));
}

}  // namespace

}  // namespace cleave
