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
    std::atomic<int> period = 0;  // of trials
    std::atomic<Cache> best = Cache::First;
};

namespace {

constexpr int uses = static_cast<int>(RowRequests::Use::Pieces) + 1, rowSizes = 8,
              arraySizes = 16;  // powers of two from a line, and of four from fitsAnyway
constexpr int kindsInAll = uses * rowSizes * arraySizes;

// Where a thread is in the trials of a kind: what it took last is in its caches, so that each keeps to its own turns.
struct OfThread {
    int period = 0, tries = 0;

    Cache cache() const { return static_cast<Cache>(tries / RowRequests::heldFor % cacheChoices); }
};
thread_local std::array<OfThread, kindsInAll> ofThread;

}  // namespace

RowRequests::RowRequests(double rowBytes, double arrayBytes, Use use)
{
    static std::array<Kind, kindsInAll> kinds;
    if (!(arrayBytes > fitsAnyway))
        return;
    const int row = std::clamp(std::ilogb(std::max(rowBytes / 64, 1.0)), 0, rowSizes - 1);
    const int array = std::clamp(std::ilogb(arrayBytes / fitsAnyway) / 2, 0, arraySizes - 1);
    m_number = static_cast<std::size_t>((static_cast<int>(use) * rowSizes + row) * arraySizes + array);
    m_kind = &kinds[m_number];
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
    if (turn == begin && !m_kind->isTrying.load()) {
        for (Kind::Trials& its : m_kind->of)
            its.forget();
        ++m_kind->period;
        m_kind->isTrying = true;
    }
    if (!m_kind->isTrying.load())
        return m_kind->best.load(std::memory_order_relaxed);
    // Threads that soon end have few turns each: where others have been is not where they begin.
    OfThread& mine = ofThread[m_number];
    if (const int period = m_kind->period.load(); mine.period != period) {
        const auto least = std::ranges::min_element(m_kind->of, {}, [](const Kind::Trials& its) { return its.count.load(); });
        mine = {period, static_cast<int>(least - m_kind->of.begin()) * heldFor};
    }
    return mine.cache();
}

void RowRequests::tried(Cache cache, std::int64_t edges, double seconds) const
{
    constexpr double worthIt = 0.97;
    if (!m_kind || edges < fewEdges || !m_kind->isTrying.load())
        return;
    OfThread& mine = ofThread[m_number];
    if (mine.period != m_kind->period.load() || mine.cache() != cache || mine.tries++ % heldFor < settling)
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
