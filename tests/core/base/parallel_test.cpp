#include "core/base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

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
    std::atomic<int> calls = 0;
    EXPECT_THROW(parallelFor(100000, 4,
                             [&](std::int64_t i, int) {
                                 ++calls;
                                 if (i == 10)
                                     throw std::runtime_error("ten");
                             }),
                 std::runtime_error);
    EXPECT_LT(calls, 100000);
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

}  // namespace

}  // namespace cleave
