// Which cache rows are asked into is what the first edges found to be faster.
#include "core/kernels/row_requests.h"

#include <gtest/gtest.h>

namespace cleave {
namespace {

constexpr double rowBytes = 512;

// Tries that take as long as `perEdge` says, until there is nothing more to try; of each cache.
std::pair<int, int> tryOut(const RowRequests& requests, double first, double second, std::int64_t edges)
{
    std::pair<int, int> tried;
    for (int i = 0; i < 2 * RowRequests::trials; ++i) {
        const Cache cache = requests.next(edges);
        (cache == Cache::First ? tried.first : tried.second)++;
        requests.tried(cache, edges, static_cast<double>(edges) * 1e-9 * (cache == Cache::First ? first : second));
    }
    return tried;
}

TEST(RowRequests, TakeWhatIsFaster)
{
    const RowRequests far(rowBytes, 64 * RowRequests::fitsAnyway, RowRequests::Use::Reduced),
        farther(rowBytes, 1024 * RowRequests::fitsAnyway, RowRequests::Use::Reduced);
    EXPECT_EQ(tryOut(far, 30, 20, 10'000), std::pair(RowRequests::trials, RowRequests::trials)) << "in turn";
    EXPECT_EQ(far.next(10'000), Cache::Second);
    EXPECT_EQ(far.next(10'000), Cache::Second);
    tryOut(farther, 20, 30, 10'000);
    EXPECT_EQ(farther.next(10'000), Cache::First);
    EXPECT_EQ(farther.next(10'000), Cache::First);
    EXPECT_EQ(RowRequests(rowBytes, 64 * RowRequests::fitsAnyway, RowRequests::Use::Reduced).next(10'000), Cache::Second)
        << "it holds for all programs of the kind";
}

TEST(RowRequests, KindsAreTriedOnTheirOwn)
{
    const double arrayBytes = 1e6 * RowRequests::fitsAnyway;
    tryOut({rowBytes, arrayBytes, RowRequests::Use::Reduced}, 30, 20, 10'000);
    EXPECT_EQ(tryOut({rowBytes, arrayBytes, RowRequests::Use::Computed}, 20, 30, 10'000), std::pair(RowRequests::trials, RowRequests::trials));
    EXPECT_EQ(tryOut({4 * rowBytes, arrayBytes, RowRequests::Use::Reduced}, 20, 30, 10'000), std::pair(RowRequests::trials, RowRequests::trials));
    EXPECT_EQ(RowRequests(rowBytes, arrayBytes, RowRequests::Use::Reduced).next(10'000), Cache::Second);
    EXPECT_EQ(RowRequests(rowBytes, arrayBytes, RowRequests::Use::Computed).next(10'000), Cache::First);
}

TEST(RowRequests, AreTriedAgain)
{
    const RowRequests requests(rowBytes, 16'384 * RowRequests::fitsAnyway, RowRequests::Use::Pieces);
    tryOut(requests, 30, 20, 10'000);
    int seconds = 0, firsts = 0;
    for (std::int64_t turn = 2 * RowRequests::trials; turn < 100 * RowRequests::firstAgain; ++turn) {
        const Cache cache = requests.next(10'000);
        requests.tried(cache, 10'000, cache == Cache::First ? 1e-4 : 2e-4);
        (cache == Cache::First ? firsts : seconds)++;
    }
    EXPECT_GT(firsts, 90 * RowRequests::firstAgain) << "the first cache is faster now";
    EXPECT_EQ(requests.next(10'000), Cache::First);
    EXPECT_GE(seconds, RowRequests::firstAgain - 2 * RowRequests::trials);
    EXPECT_LE(seconds, RowRequests::firstAgain + 3 * RowRequests::trials);
}

TEST(RowRequests, OfLittleAreNotTried)
{
    const RowRequests near(rowBytes, RowRequests::fitsAnyway / 2, RowRequests::Use::Reduced), unknown(rowBytes, 0, RowRequests::Use::Reduced);
    EXPECT_EQ(tryOut(near, 30, 20, 10'000), std::pair(2 * RowRequests::trials, 0));
    EXPECT_EQ(tryOut(unknown, 30, 20, 10'000), std::pair(2 * RowRequests::trials, 0));
    const RowRequests few(2 * rowBytes, 256 * RowRequests::fitsAnyway, RowRequests::Use::Computed);
    tryOut(few, 30, 20, RowRequests::fewEdges - 1);
    EXPECT_EQ(tryOut(few, 30, 20, 10'000), std::pair(RowRequests::trials, RowRequests::trials)) << "few edges tell nothing";
}

}  // namespace
}  // namespace cleave
