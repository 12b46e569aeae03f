// Compiled once for each instruction set. Queries lie side by side in vectors, so that sums over columns and keys have the same order in all of them.

#include <cmath>

#include "core/kernels/attention.h"
#include "core/kernels/vectors.h"

namespace cleave::CLEAVE_ISA {

namespace {

constexpr int vectorsOfQueries = 2, together = 4;  // keys, or columns of values: with as many sums as registers take

template <class T>
struct Tile {
    static constexpr int lanes = Lanes<T>::count;
    static constexpr int queries = vectorsOfQueries * lanes;
};

inline Vector<float> exponentials(Vector<float> x) { return exponential(x); }

inline Vector<double> exponentials(Vector<double> x)
{
    for (int i = 0; i < Lanes<double>::count; ++i)
        x[i] = exponential(x[i]);
    return x;
}

// A number in all lanes: adding it to zeros, as elsewhere, is an addition, of which here are as many as products.
template <class T>
inline Vector<T> everywhere(const T* number)
{
#if defined(__AVX512F__)
    if constexpr (sizeof(T) == 4)
        return reinterpret_cast<Vector<T>>(_mm512_set1_ps(*number));
    else
        return reinterpret_cast<Vector<T>>(_mm512_set1_pd(*number));
#elif defined(__AVX2__)
    if constexpr (sizeof(T) == 4)
        return reinterpret_cast<Vector<T>>(_mm256_broadcast_ss(number));
    else
        return reinterpret_cast<Vector<T>>(_mm256_broadcast_sd(number));
#else
    return broadcast<T>(*number);
#endif
}

// sums[k][·] = sums[k][·] * factors[·] + Σ over n of columns[n][·] * numbers[n * step + k * apart], for k < some. A function of its own: inlined, GCC
// 12 keeps columns in memory.
template <class T, int some>
__attribute__((noinline)) void addProducts(T* sums, const T* factors, const T* columns, std::int64_t n, const T* numbers, std::int64_t step,
                                           std::int64_t apart)
{
    using Of = Tile<T>;
    static_assert(vectorsOfQueries == 2);
    Vector<T> all[some][2] = {};
    for (std::int64_t i = 0; i < n; ++i) {
        const Vector<T> first = load(columns), second = load(columns + Of::lanes);
        columns += Of::queries;
        forEach<some>([&](auto k) {
            const Vector<T> number = everywhere(numbers + k * apart);
            all[k][0] += first * number;
            all[k][1] += second * number;
        });
        numbers += step;
    }
    forEach<some>([&](auto k) {
        forEach<2>([&](auto v) {
            T* const sum = sums + k * Of::queries + v * Of::lanes;
            store<T>(sum, load(sum) * load(factors + v * Of::lanes) + all[k][v]);
        });
    });
}

// Scores become weights of values. What was summed up before is less by a factor, which is returned in `factors`.
template <class T>
void weightsOf(T* scores, std::int64_t keys, T* largest, T* total, T* factors, bool leavesOut)
{
    using Of = Tile<T>;
    const Vector<T> nothing = broadcast<T>(-__builtin_huge_val()), zero{};
    for (int v = 0; v < Of::queries; v += Of::lanes) {
        const Vector<T> before = load(largest + v);
        Vector<T> now = before;
        for (std::int64_t j = 0; j < keys; ++j)
            now = combined<Reduce::Max, T>(now, load(scores + j * Of::queries + v));
        const Vector<T> factor = before == nothing ? zero : exponentials(before - now), shift = now == nothing ? zero : now;
        Vector<T> sum{};
        for (std::int64_t j = 0; j < keys; ++j) {
            const Vector<T> score = load(scores + j * Of::queries + v);
            Vector<T> weight = exponentials(score - shift);
            if (leavesOut)
                weight = score == nothing ? zero : weight;
            store<T>(scores + j * Of::queries + v, weight);
            sum += weight;
        }
        store<T>(largest + v, now);
        store<T>(total + v, load(total + v) * factor + sum);
        store<T>(factors + v, factor);
    }
}

// The same for any number of sums: keys, or columns of values.
template <class T>
void addAll(std::int64_t count, T* sums, const T* factors, const T* columns, std::int64_t n, const T* numbers, std::int64_t step, std::int64_t apart)
{
    std::int64_t k = 0;
    for (; k + together <= count; k += together)
        addProducts<T, together>(sums + k * Tile<T>::queries, factors, columns, n, numbers + k * apart, step, apart);
    for (; k < count; ++k)
        addProducts<T, 1>(sums + k * Tile<T>::queries, factors, columns, n, numbers + k * apart, step, apart);
}

template <class T>
void attendPart(const AttentionPart<T>& part)
{
    using Of = Tile<T>;
    using Part = AttentionPart<T>;
    const AttentionArguments<T>& a = *part.of;
    const bool hasBias = a.bias.data != nullptr;
    const std::int64_t groups = (part.count + Of::queries - 1) / Of::queries;
    // Of each group of queries, columns one after the other.
    T* queries = part.scratch;
    T* sums = queries + Part::queriesTogether * a.width;
    T* largest = sums + Part::queriesTogether * a.valueWidth;
    T* total = largest + Part::queriesTogether;
    T* scores = total + Part::queriesTogether;
    T ones[Of::queries];
    for (T& one : ones)
        one = 1;
    for (std::int64_t q = 0; q < groups * Of::queries; ++q) {
        const std::int64_t group = q / Of::queries, lane = q % Of::queries;
        const T* query = a.queries.at(part.head, part.first + (q < part.count ? q : 0));
        for (std::int64_t e = 0; e < a.width; ++e)
            queries[(group * a.width + e) * Of::queries + lane] = query[e] * a.scale;
        for (std::int64_t c = 0; c < a.valueWidth; ++c)
            sums[(group * a.valueWidth + c) * Of::queries + lane] = 0;
        largest[q] = -__builtin_huge_val();
        total[q] = 0;
    }
    for (std::int64_t first = 0; first < a.keyCount; first += Part::keysTogether) {
        const std::int64_t keys = a.keyCount - first < Part::keysTogether ? a.keyCount - first : Part::keysTogether;
        const T* bias = hasBias ? a.bias.at(part.head, first) : nullptr;
        for (std::int64_t g = 0; g < groups; ++g) {
            for (std::int64_t j = 0; j < keys; ++j)
                for (int q = 0; q < Of::queries; ++q)
                    scores[j * Of::queries + q] = hasBias ? bias[j * a.bias.row] : T(0);
            addAll(keys, scores, ones, queries + g * a.width * Of::queries, a.width, a.keys.at(part.head, first), 1, a.keys.row);
            T factors[Of::queries];
            weightsOf<T>(scores, keys, largest + g * Of::queries, total + g * Of::queries, factors, hasBias);
            addAll(a.valueWidth, sums + g * a.valueWidth * Of::queries, factors, scores, keys, a.values.at(part.head, first), a.values.row, 1);
        }
    }
    for (std::int64_t q = 0; q < part.count; ++q) {
        const T* sum = sums + q / Of::queries * a.valueWidth * Of::queries + q % Of::queries;
        T* out = a.out.at(part.head, part.first + q);
        for (std::int64_t c = 0; c < a.valueWidth; ++c)
            out[c] = total[q] == 0 ? T(0) : sum[c * Of::queries] / total[q];
    }
}

}  // namespace

template <class T>
void (*attendLoop())(const AttentionPart<T>&)
{
    return attendPart<T>;
}

template void (*attendLoop<float>())(const AttentionPart<float>&);
template void (*attendLoop<double>())(const AttentionPart<double>&);

}  // namespace cleave::CLEAVE_ISA
