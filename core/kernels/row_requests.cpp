#include "core/kernels/row_requests.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>

namespace cleave {

struct RowRequests::Kind {
    struct Trials {
        std::array<std::atomic<double>, trials> seconds{};  // of an edge
        std::atomic<int> begun = 0, count = 0;

        // A thread that was interrupted tells nothing.
        double median() const
        {
            std::array<double, trials> all;
            std::ranges::copy(seconds, all.begin());
            std::ranges::nth_element(all, all.begin() + trials / 2);
            return all[trials / 2];
        }

        void forget() { begun = count = 0; }
    };
    std::array<Trials, cacheChoices> of;
    std::atomic<std::int64_t> turns = 0;
    std::atomic<bool> isTrying = false;
    std::atomic<Cache> best = Cache::First;
};

RowRequests::RowRequests(double rowBytes, double arrayBytes, Use use)
{
    constexpr int rowSizes = 8, arraySizes = 16;  // powers of two from a line, and of four from fitsAnyway
    static std::array<Kind, 3 * rowSizes * arraySizes> kinds;
    if (!(arrayBytes > fitsAnyway))
        return;
    const int row = std::clamp(std::ilogb(std::max(rowBytes / 64, 1.0)), 0, rowSizes - 1);
    const int array = std::clamp(std::ilogb(arrayBytes / fitsAnyway) / 2, 0, arraySizes - 1);
    m_kind = &kinds[static_cast<std::size_t>((static_cast<int>(use) * rowSizes + row) * arraySizes + array)];
}

Cache RowRequests::next(std::int64_t edges) const
{
    if (!m_kind)
        return Cache::First;
    if (edges < fewEdges)
        return m_kind->best.load(std::memory_order_relaxed);
    const std::int64_t turn = m_kind->turns.fetch_add(1, std::memory_order_relaxed);
    std::int64_t begin = 0;
    for (std::int64_t later = firstAgain; later <= turn; later *= 4)
        begin = later;
    if (turn - begin >= cacheChoices * trials)
        return m_kind->best.load(std::memory_order_relaxed);
    if (turn == begin) {
        for (Kind::Trials& its : m_kind->of)
            its.forget();
        m_kind->isTrying = true;
    }
    return static_cast<Cache>((turn - begin) % cacheChoices);
}

void RowRequests::tried(Cache cache, std::int64_t edges, double seconds) const
{
    constexpr double worthIt = 0.97;
    if (!m_kind || edges < fewEdges || !m_kind->isTrying.load(std::memory_order_relaxed))
        return;
    Kind::Trials& its = m_kind->of[static_cast<std::size_t>(cache)];
    if (const int place = its.begun++; place < trials) {
        its.seconds[static_cast<std::size_t>(place)] = seconds / static_cast<double>(edges);
        ++its.count;
    }
    if (std::ranges::any_of(m_kind->of, [](const Kind::Trials& of) { return of.count < trials; }))
        return;
    std::array<double, cacheChoices> medians;
    std::ranges::transform(m_kind->of, medians.begin(), &Kind::Trials::median);
    const auto best = std::ranges::min_element(medians);
    m_kind->best = *best < worthIt * medians.front() ? static_cast<Cache>(best - medians.begin()) : Cache::First;
    m_kind->isTrying = false;
}

}  // namespace cleave
