#pragma once

#include <cstdint>
#include <span>

#include "core/base/pages.h"

namespace cleave {

/// What becomes of many rows, column by column.
enum class Total : std::uint8_t {
    Sum,
    Squares,  ///< sum of them
    Product,
    Max,      ///< a NaN among them is the largest, and the least
    Min,
    Moments,  ///< mean, and sum of squared deviations from it
};

/// Rows that come piece after piece, as one row for each of some segments. They are added up in double, so many at a time (rowsTogether), and these
/// sums in order: the error stays far below that of rounding to float however many rows there are, and neither pieces nor threads change a bit.
class RowTotals {
public:
    /// Every piece but the last has a multiple of so many rows.
    static std::int64_t rowsTogether(std::int64_t width);

    /// width: entries of a row. Moments are of one segment. Throws std::bad_alloc.
    RowTotals(Total total, std::int64_t segments, std::int64_t width);

    /// rows: [count, width], float or double; segmentOf: [count] from 0 to segments - 1, checked by the caller, or null for one segment.
    template <class T>
    void add(const T* rows, std::int64_t count, const std::int64_t* segmentOf, int threads);

    /// [segments, width]. Of a segment without rows: 0, 1 of products, or the number that is no maximum or minimum (-∞, ∞).
    std::span<const double> totals() const { return {m_totals.data(), static_cast<std::size_t>(m_segments * m_width)}; }
    std::span<const double> deviations() const;  ///< [width], of Moments: sums of squares
    std::span<const std::int64_t> counts() const { return {m_counts.data(), m_counts.size()}; }  ///< [segments]: rows of each

private:
    struct Run;
    struct Columns;

    template <class Visit>
    void forEachRun(std::int64_t chunk, std::int64_t count, const std::int64_t* segmentOf, Visit visit) const;
    template <class T>
    void reduce(const Run& run, const T* rows, Columns columns, double* state) const;
    void merge(const Run& run, const double* state, Columns columns);
    template <class T>
    void addSorted(const T* rows, std::int64_t count, const std::int64_t* segmentOf, int threads);
    template <class T>
    void addUnsorted(const T* rows, std::int64_t count, const std::int64_t* segmentOf, int threads);

    Total m_total;
    std::int64_t m_segments, m_width;
    std::int64_t m_stateWidth;       // of what is known of a segment: with deviations twice as wide
    PageVector<double> m_totals;     // [segments, width of states]
    PageVector<std::int64_t> m_counts;
};

}  // namespace cleave
