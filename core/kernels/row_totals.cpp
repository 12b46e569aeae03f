#include "core/kernels/row_totals.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "core/base/parallel.h"

namespace cleave {

namespace {

double initialOf(Total total)
{
    constexpr double infinite = std::numeric_limits<double>::infinity();
    return total == Total::Max ? -infinite : total == Total::Min ? infinite : total == Total::Product ? 1 : 0;
}

template <Total total>
double added(double known, double x)
{
    if constexpr (total == Total::Squares)
        return known + x * x;
    else if constexpr (total == Total::Product)
        return known * x;
    else if constexpr (total == Total::Max)
        return x > known || x != x ? x : known;
    else if constexpr (total == Total::Min)
        return x < known || x != x ? x : known;
    else
        return known + x;
}

// Two states of the same column: what is a sum stays one.
template <Total total>
double merged(double known, double more)
{
    return total == Total::Squares ? known + more : added<total>(known, more);
}

// A block of columns stays in registers while all rows go by.
template <int block, class T, class Add>
std::int64_t addBlocks(double* state, const T* rows, std::int64_t count, std::int64_t width, std::int64_t columns, Add add)
{
    std::int64_t c = 0;
    for (; c + block <= columns; c += block) {
        double sums[block];
        std::copy_n(state + c, block, sums);
        for (std::int64_t i = 0; i < count; ++i)
            for (int k = 0; k < block; ++k)
                sums[k] = add(sums[k], static_cast<double>(rows[i * width + c + k]), c + k);
        std::copy_n(sums, block, state + c);
    }
    return c;
}

template <class T, class Add>
void addRows(double* state, const T* rows, std::int64_t count, std::int64_t width, std::int64_t columns, Add add)
{
    const std::int64_t done = addBlocks<16>(state, rows, count, width, columns, add);
    const auto rest = [&](double known, double x, std::int64_t c) { return add(known, x, done + c); };
    addBlocks<1>(state + done, rows + done, count, width, columns - done, rest);
}

template <Total total>
void mergeRows(double* into, const double* from, std::int64_t columns)
{
    for (std::int64_t c = 0; c < columns; ++c)
        into[c] = merged<total>(into[c], from[c]);
}

// Chan, Golub and LeVeque 1979.
void mergeMoments(double* into, std::int64_t count, const double* from, std::int64_t more, std::int64_t width)
{
    if (count == 0) {
        std::copy_n(from, 2 * width, into);
        return;
    }
    const double share = static_cast<double>(more) / static_cast<double>(count + more), weight = static_cast<double>(count) * share;
    for (std::int64_t c = 0; c < width; ++c) {
        const double difference = from[c] - into[c];
        into[c] += difference * share;
        into[width + c] += from[width + c] + difference * difference * weight;
    }
}

// Calls work with the total as a constant.
template <class Work>
void withTotal(Total total, Work work)
{
    switch (total) {
    case Total::Squares:
        return work.template operator()<Total::Squares>();
    case Total::Product:
        return work.template operator()<Total::Product>();
    case Total::Max:
        return work.template operator()<Total::Max>();
    case Total::Min:
        return work.template operator()<Total::Min>();
    default:
        return work.template operator()<Total::Sum>();
    }
}

}  // namespace

// Rows of a chunk that follow each other in one segment.
struct RowTotals::Run {
    std::int64_t first, last;  // of the piece
    std::int64_t segment;
};

struct RowTotals::Columns {
    std::int64_t first, count;
};

std::int64_t RowTotals::rowsTogether(std::int64_t width)
{
    constexpr std::int64_t entries = 1 << 16, least = 256;
    return std::max(least, entries / std::max<std::int64_t>(width, 1));
}

RowTotals::RowTotals(Total total, std::int64_t segments, std::int64_t width)
    : m_total(total), m_segments(segments), m_width(width), m_stateWidth(total == Total::Moments ? 2 * width : width)
{
    m_totals.assign(static_cast<std::size_t>(segments * m_stateWidth), initialOf(total));
    m_counts.assign(static_cast<std::size_t>(segments), 0);
}

std::span<const double> RowTotals::deviations() const
{
    return {m_totals.data() + m_width, static_cast<std::size_t>(m_stateWidth - m_width)};
}

template <class T>
void RowTotals::add(const T* rows, std::int64_t count, const std::int64_t* segmentOf, int threads)
{
    if (!segmentOf || m_total == Total::Moments || std::is_sorted(segmentOf, segmentOf + count))
        addSorted(rows, count, segmentOf, threads);
    else
        addUnsorted(rows, count, segmentOf, threads);
}

template <class Visit>
void RowTotals::forEachRun(std::int64_t chunk, std::int64_t count, const std::int64_t* segmentOf, Visit visit) const
{
    const std::int64_t begin = chunk * rowsTogether(m_width), end = std::min(count, begin + rowsTogether(m_width));
    for (std::int64_t first = begin, last = begin; first < end; first = last) {
        const std::int64_t segment = segmentOf ? segmentOf[first] : 0;
        last = segmentOf ? std::find_if(segmentOf + first, segmentOf + end, [&](std::int64_t s) { return s != segment; }) - segmentOf : end;
        visit(Run{first, last, segment}, first == begin, last == end);
    }
}

template <class T>
void RowTotals::reduce(const Run& run, const T* rows, Columns columns, double* state) const
{
    const std::int64_t count = run.last - run.first;
    const T* from = rows + run.first * m_width + columns.first;
    std::fill_n(state, m_total == Total::Moments ? m_stateWidth : columns.count, initialOf(m_total));
    withTotal(m_total, [&]<Total total>() {
        addRows(state, from, count, m_width, columns.count, [](double known, double x, std::int64_t) { return added<total>(known, x); });
    });
    if (m_total != Total::Moments)
        return;
    for (std::int64_t c = 0; c < m_width; ++c)
        state[c] /= static_cast<double>(count);
    addRows(state + m_width, from, count, m_width, m_width, [mean = state](double known, double x, std::int64_t c) {
        const double deviation = x - mean[c];
        return known + deviation * deviation;
    });
}

void RowTotals::merge(const Run& run, const double* state, Columns columns)
{
    double* into = m_totals.data() + run.segment * m_stateWidth + columns.first;
    std::int64_t& count = m_counts[static_cast<std::size_t>(run.segment)];
    const std::int64_t more = run.last - run.first;
    if (m_total == Total::Moments)
        mergeMoments(into, count, state, more, m_width);
    else
        withTotal(m_total, [&]<Total total>() { mergeRows<total>(into, state, columns.count); });
    if (columns.first == 0)
        count += more;
}

// A segment that begins and ends inside a chunk belongs to it alone; what reaches over its ends is merged afterwards, in order.
template <class T>
void RowTotals::addSorted(const T* rows, std::int64_t count, const std::int64_t* segmentOf, int threads)
{
    const std::int64_t together = rowsTogether(m_width), chunks = (count + together - 1) / together;
    const Columns all{0, m_width};
    struct Ends {
        Run runs[2];
        int count = 0;
    };
    std::vector<Ends> ends(static_cast<std::size_t>(chunks));
    PageVector<double> states(static_cast<std::size_t>(2 * chunks * m_stateWidth));
    parallelFor(chunks, threads, [&](std::int64_t chunk, int) {
        std::vector<double> inside(static_cast<std::size_t>(m_stateWidth));
        Ends& own = ends[static_cast<std::size_t>(chunk)];
        forEachRun(chunk, count, segmentOf, [&](const Run& run, bool isFirst, bool isLast) {
            if (isFirst || isLast) {
                reduce(run, rows, all, states.data() + (2 * chunk + own.count) * m_stateWidth);
                own.runs[own.count++] = run;
            } else {
                reduce(run, rows, all, inside.data());
                merge(run, inside.data(), all);
            }
        });
    });
    for (std::int64_t chunk = 0; chunk < chunks; ++chunk)
        for (int end = 0; end < ends[static_cast<std::size_t>(chunk)].count; ++end)
            merge(ends[static_cast<std::size_t>(chunk)].runs[end], states.data() + (2 * chunk + end) * m_stateWidth, all);
}

// Each thread has columns of its own, and goes through all rows.
template <class T>
void RowTotals::addUnsorted(const T* rows, std::int64_t count, const std::int64_t* segmentOf, int threads)
{
    constexpr std::int64_t least = 16;
    const std::int64_t chunks = (count + rowsTogether(m_width) - 1) / rowsTogether(m_width);
    const std::int64_t width = std::max<std::int64_t>(least, (m_width + threads - 1) / std::max(threads, 1));
    parallelFor(std::max<std::int64_t>(1, (m_width + width - 1) / width), threads, [&](std::int64_t part, int) {
        const Columns columns{part * width, std::min(width, m_width - part * width)};
        std::vector<double> state(static_cast<std::size_t>(columns.count));
        for (std::int64_t chunk = 0; chunk < chunks; ++chunk)
            forEachRun(chunk, count, segmentOf, [&](const Run& run, bool, bool) {
                reduce(run, rows, columns, state.data());
                merge(run, state.data(), columns);
            });
    });
}

template void RowTotals::add(const float*, std::int64_t, const std::int64_t*, int);
template void RowTotals::add(const double*, std::int64_t, const std::int64_t*, int);

}  // namespace cleave
