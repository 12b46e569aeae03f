// Which cache rows are asked into is what the first edges found to be faster.
#include "core/kernels/row_requests.h"

#include <array>
#include <thread>

#include <gtest/gtest.h>

namespace cleave {
namespace {

constexpr double rowBytes = 512;

using Tried = std::array<int, cacheChoices>;
constexpr int ofEach = RowRequests::trials / (RowRequests::heldFor - RowRequests::settling) * RowRequests::heldFor;
constexpr Tried inTurn{ofEach, ofEach, ofEach};

// Tries that take as many nanoseconds an edge as is said of each cache, until there is nothing more to try; how many of each.
Tried tryOut(const RowRequests& requests, const std::array<double, cacheChoices>& nanoseconds, std::int64_t edges)
{
    Tried tried{};
    for (int i = 0; i < cacheChoices * ofEach; ++i) {
        const Cache cache = requests.next(edges);
        const auto which = static_cast<std::size_t>(cache);
        ++tried[which];
        requests.tried(cache, edges, static_cast<double>(edges) * 1e-9 * nanoseconds[which]);
    }
    return tried;
}

TEST(RowRequests, TakeWhatIsFaster)
{
    const RowRequests far(rowBytes, 64 * RowRequests::fitsAnyway, RowRequests::Use::Summed),
        farther(rowBytes, 1024 * RowRequests::fitsAnyway, RowRequests::Use::Summed),
        farthest(rowBytes, 4096 * RowRequests::fitsAnyway, RowRequests::Use::Summed);
    EXPECT_EQ(tryOut(far, {30, 20, 25}, 10'000), inTurn);
    EXPECT_EQ(far.next(10'000), Cache::Second);
    EXPECT_EQ(far.next(10'000), Cache::Second);
    tryOut(farther, {20, 30, 19.9}, 10'000);
    EXPECT_EQ(farther.next(10'000), Cache::First) << "hardly faster is not worth it";
    tryOut(farthest, {30, 25, 22}, 10'000);
    EXPECT_EQ(farthest.next(10'000), Cache::Both);
    EXPECT_EQ(RowRequests(rowBytes, 64 * RowRequests::fitsAnyway, RowRequests::Use::Summed).next(10'000), Cache::Second)
        << "it holds for all programs of the kind";
}

TEST(RowRequests, WhatWasBeforeIsNotFelt)
{
    const RowRequests requests(rowBytes, 1024 * RowRequests::fitsAnyway, RowRequests::Use::Weighted);
    Cache last = Cache::First;
    int since = 0;
    for (int i = 0; i < cacheChoices * ofEach; ++i) {
        const Cache cache = requests.next(10'000);
        since = cache == last ? since + 1 : 0;
        last = cache;
        const double settled[] = {34, 30, 27}, before[] = {41, 26, 30};
        requests.tried(cache, 10'000, 10'000 * 1e-9 * (since < RowRequests::settling ? before : settled)[static_cast<std::size_t>(cache)]);
    }
    EXPECT_EQ(requests.next(10'000), Cache::Both);
}

TEST(RowRequests, ThreadsKeepToTheirOwnTurns)
{
    const RowRequests requests(rowBytes, 4096 * RowRequests::fitsAnyway, RowRequests::Use::Weighted);
    const auto held = [&] {  // until another cache comes
        int turns = 1;
        const Cache first = requests.next(10'000);
        requests.tried(first, 10'000, 1e-4);
        for (; requests.next(10'000) == first; ++turns)
            requests.tried(first, 10'000, 1e-4);
        return turns;
    };
    int others = 0;
    EXPECT_EQ(requests.next(10'000), Cache::First);
    requests.tried(Cache::First, 10'000, 1e-4);
    std::thread([&] { others = held(); }).join();
    EXPECT_EQ(others, RowRequests::heldFor);
    EXPECT_EQ(held(), RowRequests::heldFor - 1);
}

TEST(RowRequests, ThreadsWithFewTurnsTryAll)
{
    const RowRequests requests(rowBytes, 16'384 * RowRequests::fitsAnyway, RowRequests::Use::Weighted);
    const double nanoseconds[] = {30, 20, 25};
    for (int i = 0; i < cacheChoices * RowRequests::trials; ++i)
        std::thread([&] {
            for (int turn = 0; turn < RowRequests::settling + 1; ++turn) {
                const Cache cache = requests.next(10'000);
                requests.tried(cache, 10'000, 10'000 * 1e-9 * nanoseconds[static_cast<std::size_t>(cache)]);
            }
        }).join();
    EXPECT_EQ(requests.next(10'000), Cache::Second);
}

TEST(RowRequests, KindsAreTriedOnTheirOwn)
{
    const double arrayBytes = 1e6 * RowRequests::fitsAnyway;
    tryOut({rowBytes, arrayBytes, RowRequests::Use::Summed}, {30, 20, 30}, 10'000);
    EXPECT_EQ(tryOut({rowBytes, arrayBytes, RowRequests::Use::Computed}, {20, 30, 30}, 10'000), inTurn);
    EXPECT_EQ(tryOut({rowBytes, arrayBytes, RowRequests::Use::Picked}, {30, 30, 20}, 10'000), inTurn);
    EXPECT_EQ(tryOut({4 * rowBytes, arrayBytes, RowRequests::Use::Summed}, {20, 30, 30}, 10'000), inTurn);
    EXPECT_EQ(RowRequests(rowBytes, arrayBytes, RowRequests::Use::Summed).next(10'000), Cache::Second);
    EXPECT_EQ(RowRequests(rowBytes, arrayBytes, RowRequests::Use::Picked).next(10'000), Cache::Both);
    EXPECT_EQ(RowRequests(rowBytes, arrayBytes, RowRequests::Use::Computed).next(10'000), Cache::First);
}

TEST(RowRequests, AreTriedAgain)
{
    const RowRequests requests(rowBytes, 16'384 * RowRequests::fitsAnyway, RowRequests::Use::Pieces);
    tryOut(requests, {30, 20, 25}, 10'000);
    int others = 0, firsts = 0;
    for (std::int64_t turn = cacheChoices * ofEach; turn < 100 * RowRequests::firstAgain; ++turn) {
        const Cache cache = requests.next(10'000);
        requests.tried(cache, 10'000, cache == Cache::First ? 1e-4 : 2e-4);
        (cache == Cache::First ? firsts : others)++;
    }
    EXPECT_GT(firsts, 90 * RowRequests::firstAgain) << "the first cache is faster now";
    EXPECT_EQ(requests.next(10'000), Cache::First);
    EXPECT_GE(others, RowRequests::firstAgain - cacheChoices * ofEach);
    EXPECT_LE(others, RowRequests::firstAgain + 2 * cacheChoices * ofEach);
}

TEST(RowRequests, OfLittleAreNotTried)
{
    const RowRequests near(rowBytes, RowRequests::fitsAnyway / 2, RowRequests::Use::Summed), unknown(rowBytes, 0, RowRequests::Use::Summed);
    const Tried none{cacheChoices * ofEach, 0, 0};
    EXPECT_EQ(tryOut(near, {30, 20, 20}, 10'000), none);
    EXPECT_EQ(tryOut(unknown, {30, 20, 20}, 10'000), none);
    const RowRequests few(2 * rowBytes, 256 * RowRequests::fitsAnyway, RowRequests::Use::Computed);
    tryOut(few, {30, 20, 20}, RowRequests::fewEdges - 1);
    EXPECT_EQ(tryOut(few, {30, 20, 20}, 10'000), inTurn) << "few edges tell nothing";
}

}  // namespace
}  // namespace cleave
