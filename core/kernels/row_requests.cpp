#include "core/kernels/row_requests.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>

namespace cleave {

struct RowRequests::Kind {
    struct Trials {
        std::atomic<std::int64_t> edges = 0, nanoseconds = 0;
        std::atomic<int> count = 0;

        double perEdge() const { return static_cast<double>(nanoseconds) / static_cast<double>(std::max<std::int64_t>(edges, 1)); }
    };
    std::array<Trials, 2> of;  // by cache
    std::atomic<int> turns = 0;
    std::atomic<bool> isDecided = false;
    std::atomic<Cache> best = Cache::First;
};

RowRequests::RowRequests(double rowBytes, double arrayBytes, bool isChain)
{
    constexpr int rowSizes = 8, arraySizes = 16;  // powers of two from a line, and of four from fitsAnyway
    static std::array<Kind, 2 * rowSizes * arraySizes> kinds;
    if (!(arrayBytes > fitsAnyway))
        return;
    const int row = std::clamp(std::ilogb(std::max(rowBytes / 64, 1.0)), 0, rowSizes - 1);
    const int array = std::clamp(std::ilogb(arrayBytes / fitsAnyway) / 2, 0, arraySizes - 1);
    m_kind = &kinds[static_cast<std::size_t>((isChain ? rowSizes * arraySizes : 0) + row * arraySizes + array)];
}

Cache RowRequests::next() const
{
    if (!m_kind)
        return Cache::First;
    if (m_kind->isDecided.load(std::memory_order_relaxed))
        return m_kind->best.load(std::memory_order_relaxed);
    return m_kind->turns.fetch_add(1, std::memory_order_relaxed) % 2 == 0 ? Cache::First : Cache::Second;
}

void RowRequests::tried(Cache cache, std::int64_t edges, double seconds) const
{
    constexpr double worthIt = 0.97;
    if (!m_kind || edges < fewEdges || m_kind->isDecided.load(std::memory_order_relaxed))
        return;
    Kind::Trials& its = m_kind->of[static_cast<std::size_t>(cache)];
    its.edges += edges;
    its.nanoseconds += std::llround(1e9 * seconds);
    ++its.count;
    const auto& [first, second] = m_kind->of;
    if (first.count < trials || second.count < trials)
        return;
    m_kind->best = second.perEdge() < worthIt * first.perEdge() ? Cache::Second : Cache::First;
    m_kind->isDecided = true;
}

}  // namespace cleave
