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
        const Cache cache = requests.next();
        (cache == Cache::First ? tried.first : tried.second)++;
        requests.tried(cache, edges, static_cast<double>(edges) * 1e-9 * (cache == Cache::First ? first : second));
    }
    return tried;
}

TEST(RowRequests, TakeWhatIsFaster)
{
    const RowRequests far(rowBytes, 64 * RowRequests::fitsAnyway, false), farther(rowBytes, 1024 * RowRequests::fitsAnyway, false);
    EXPECT_EQ(tryOut(far, 30, 20, 10'000), std::pair(RowRequests::trials, RowRequests::trials)) << "in turn";
    EXPECT_EQ(far.next(), Cache::Second);
    EXPECT_EQ(far.next(), Cache::Second);
    tryOut(farther, 20, 30, 10'000);
    EXPECT_EQ(farther.next(), Cache::First);
    EXPECT_EQ(farther.next(), Cache::First);
    EXPECT_EQ(RowRequests(rowBytes, 64 * RowRequests::fitsAnyway, false).next(), Cache::Second) << "it holds for all programs of the kind";
}

TEST(RowRequests, KindsAreTriedOnTheirOwn)
{
    const double arrayBytes = 1e6 * RowRequests::fitsAnyway;
    tryOut({rowBytes, arrayBytes, false}, 30, 20, 10'000);
    EXPECT_EQ(tryOut({rowBytes, arrayBytes, true}, 20, 30, 10'000), std::pair(RowRequests::trials, RowRequests::trials));
    EXPECT_EQ(tryOut({4 * rowBytes, arrayBytes, false}, 20, 30, 10'000), std::pair(RowRequests::trials, RowRequests::trials));
    EXPECT_EQ(RowRequests(rowBytes, arrayBytes, false).next(), Cache::Second);
    EXPECT_EQ(RowRequests(rowBytes, arrayBytes, true).next(), Cache::First);
}

TEST(RowRequests, OfLittleAreNotTried)
{
    const RowRequests near(rowBytes, RowRequests::fitsAnyway / 2, false), unknown(rowBytes, 0, false);
    EXPECT_EQ(tryOut(near, 30, 20, 10'000), std::pair(2 * RowRequests::trials, 0));
    EXPECT_EQ(tryOut(unknown, 30, 20, 10'000), std::pair(2 * RowRequests::trials, 0));
    const RowRequests few(2 * rowBytes, 256 * RowRequests::fitsAnyway, true);
    tryOut(few, 30, 20, RowRequests::fewEdges - 1);
    EXPECT_EQ(tryOut(few, 30, 20, 10'000), std::pair(RowRequests::trials, RowRequests::trials)) << "few edges tell nothing";
}

}  // namespace
}  // namespace cleave
