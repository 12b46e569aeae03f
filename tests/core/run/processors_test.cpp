#include "core/base/processors.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <thread>

#include "core/run/openmp_team.h"

namespace cleave {

namespace {

TEST(Processors, CountTimeOfTheMachineAndOfThisProcess)
{
    const auto before = processorTimes();
    ASSERT_TRUE(before);
    EXPECT_GT(before->busy, 0);
    EXPECT_GE(before->busy + 1, before->ours);
    volatile double sum = 0;
    std::optional<ProcessorTimes> after = before;
    for (int i = 0; after->ours - before->ours < 0.05 && i < 1'000'000; ++i) {
        for (int j = 0; j < 10'000; ++j)
            sum = sum + 1;
        after = processorTimes();
    }
    EXPECT_GE(after->ours - before->ours, 0.05);
    EXPECT_GE(after->busy, before->busy);
    EXPECT_GE(after->idle, before->idle);
}

TEST(Processors, OthersAreAtWorkWhereTheyLeaveNothingIdle)
{
    const auto answered = [](OthersAtWork& others, double idle, double busy, double ours, double seconds = 0.1) {
        return others.weigh(seconds, {idle * seconds, busy * seconds, ours * seconds});
    };
    OthersAtWork others;
    EXPECT_FALSE(answered(others, 0, 2, 2)) << "this process takes all";
    EXPECT_FALSE(answered(others, 0, 2, 1.9)) << "a tick or two";
    EXPECT_FALSE(answered(others, 1, 3, 1)) << "there is room for all";
    EXPECT_TRUE(answered(others, 0, 2, 1.2));
    EXPECT_TRUE(answered(others, 0.6, 1.4, 0.8)) << "idle threads sleep now";
    EXPECT_TRUE(answered(others, 1, 1, 1, 0.9)) << "quiet, but not for long";
    EXPECT_TRUE(answered(others, 0, 2, 1.5)) << "again";
    EXPECT_TRUE(answered(others, 1, 1, 1, 0.6));
    EXPECT_FALSE(answered(others, 1, 1, 1, 0.6)) << "they have ended";
}

// More threads than processors are what GNU's OpenMP looks at.
TEST(Processors, IdleThreadsSleepBesideTwoMore)
{
    const auto threads = [] { return std::distance(std::filesystem::directory_iterator("/proc/self/task"), std::filesystem::directory_iterator()); };
    const auto becomes = [&](std::ptrdiff_t count) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        while (threads() != count && std::chrono::steady_clock::now() < end)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return threads() == count;
    };
    if (!letIdleThreadsSleep(false))
        GTEST_SKIP() << "built without OpenMP";
    // Of a team that was there before, one thread may still be about to end.
    auto before = threads();
    for (int quiet = 0; quiet < 200;) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        const auto now = threads();
        quiet = now == before ? quiet + 1 : 0;
        before = now;
    }
    letIdleThreadsSleep(true);
    letIdleThreadsSleep(true);
    EXPECT_TRUE(becomes(before + 2));
    letIdleThreadsSleep(false);
    EXPECT_TRUE(becomes(before));
}

}  // namespace

}  // namespace cleave
