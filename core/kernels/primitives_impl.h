// Compiled once for each instruction set: CLEAVE_ISA names the namespace.

#include "core/kernels/vectors.h"

namespace cleave::CLEAVE_ISA {

template <class T>
void chain(const ChainArguments<T>& a);  // chains_impl.h

namespace {

// Targets that rows are asked for ahead where they do not follow each other.
constexpr std::int64_t scatterDistance = 8;

enum class Weighting { None, Edge, Head };

// How many of those vectors are kept as even entries of two and then odd ones while they are summed.
template <class In, int N, Weighting W, bool Partial>
constexpr int pairedOf = std::is_same_v<In, BFloat16> && W != Weighting::Head ? (N - Partial) / 2 * 2 : 0;

template <class T, class In, int N, Reduce R, Weighting W, bool Partial>
void sumPart(ReduceArguments<T> a, std::int64_t column, int tail, std::int64_t firstHead, const typename Lanes<T>::Index* lanes, std::int64_t target,
             std::int64_t edge, Vector<T> (&sum)[N]);

// N vectors of columns, the last of which has `tail` lanes if it is partial; weights of heads are picked by `lanes`.
template <class T, class In, int N, Reduce R, Weighting W, bool Partial>
void reduceColumns(const ReduceArguments<T>& a, std::int64_t column, int tail, std::int64_t firstHead, const typename Lanes<T>::Index* lanes)
{
    constexpr int count = Lanes<T>::count;
    constexpr int line = 64 / sizeof(In);
    constexpr bool picks = R == Reduce::Max || R == Reduce::Min;
    const In* const rows = static_cast<const In*>(a.rows) + column;
    const std::int32_t* const sources = a.sources;
    const std::int64_t stride = a.stride, rowOrigin = a.rowOrigin, heads = a.heads;
    const bool past = a.past && !Partial && N * vectorBytes % 64 == 0;  // a part of a line would be merged with the rest in memory
    const bool intoSecond = a.ahead != Cache::First, intoBoth = a.ahead == Cache::Both;
    const std::int64_t distance = intoSecond ? farDistance<In> : prefetchDistance<In>;
    const std::int64_t prefetchEnd = sources ? a.prefetchEnd - distance : 0;
    constexpr int paired = pairedOf<In, N, W, Partial>;
    // Where there is little to do for each edge, the processor comes to every other line soon enough by itself.
    constexpr int prefetched = picks || W == Weighting::Head || std::is_same_v<In, BFloat16> ? line : 2 * line;
    const T* const weights = W == Weighting::None ? nullptr : a.weights - a.weightOrigin * heads + firstHead;
    const int headLanes = static_cast<int>(heads - firstHead < count ? heads - firstHead : count);
    const auto outOf = [&](std::int64_t t) __attribute__((always_inline)) {
        return a.out + (a.targets ? static_cast<std::int64_t>(a.targets[t]) : t - a.firstTarget) * a.outStride + column;
    };
    for (std::int64_t t = a.firstTarget; t < a.lastTarget; ++t) {
        std::int64_t e = a.begin[t] - a.origin, end = a.begin[t + 1] - a.origin;
        const std::int64_t degree = end - e;
        e = e < a.firstEdge ? a.firstEdge : e;
        end = end > a.lastEdge ? a.lastEdge : end;
        T* const out = outOf(t);
        if (const std::int64_t later = t + (a.ahead == Cache::Second ? 2 * scatterDistance : scatterDistance); a.targets && later < a.lastTarget) {
            const T* const ahead = outOf(later);
            constexpr int lines = (N * static_cast<int>(sizeof(T)) * count + 63) / 64;
            if (a.ahead == Cache::Second)
                forEach<lines>([&](auto k) __attribute__((always_inline)) { __builtin_prefetch(ahead + k * (64 / sizeof(T)), 0, 2); });
            else
                forEach<lines>([&](auto k) __attribute__((always_inline)) { __builtin_prefetch(ahead + k * (64 / sizeof(T)), 1); });
        }
        Vector<T> sum[N];  // the first `paired` of bfloat16 rows: even entries of two vectors, then odd ones
        const bool takesFirst = picks && a.starts && !a.fromInitial;
        const auto there = [&](auto k) __attribute__((always_inline)) {
            if constexpr (Partial && k == N - 1)
                return loadSome(out + k * count, tail);
            else
                return load(out + k * count);
        };
        const bool addsLast = !picks && !a.starts && a.isPart(a.targets ? a.targets[t] : t - a.firstTarget);
        forEach<N>([&](auto k) __attribute__((always_inline)) {
            sum[k] = addsLast ? broadcast(T(0)) : a.starts ? broadcast(takesFirst ? a.empty : a.initial) : there(k);
        });
        if constexpr (paired > 0)
            if (!a.starts && !addsLast)
                forEach<paired / 2>([&](auto k) __attribute__((always_inline)) { separate(sum[2 * k], sum[2 * k + 1]); });
        const auto add = [&](std::int64_t edge, bool first) __attribute__((always_inline)) {
            const In* const in = rows + (sources ? static_cast<std::int64_t>(sources[edge]) : edge - rowOrigin) * stride;
            Vector<T> weight{};
            if constexpr (W == Weighting::Edge)
                weight = broadcast(weights[edge]);
            else if constexpr (W == Weighting::Head)
                weight = loadSome(weights + edge * heads, headLanes);
            if constexpr (paired > 0)
                forEachOfRow<paired / 2, vectorBytes>([&](auto k) __attribute__((always_inline)) {
                    Halves x = loadHalves(in + 2 * k * count);
                    if constexpr (W == Weighting::Edge) {
                        x.even *= weight;
                        x.odd *= weight;
                    }
                    sum[2 * k] = first ? x.even : combined<R, T>(sum[2 * k], x.even);
                    sum[2 * k + 1] = first ? x.odd : combined<R, T>(sum[2 * k + 1], x.odd);
                });
            forEachOfRow<N, vectorBytes * sizeof(In) / sizeof(T)>([&](auto k) __attribute__((always_inline)) {
                if constexpr (k < paired)
                    return;
                Vector<T> x;
                if constexpr (Partial && k == N - 1)
                    x = loadSome(in + k * count, tail);
                else
                    x = load(in + k * count);
                if constexpr (W == Weighting::Edge)
                    x *= weight;
                else if constexpr (W == Weighting::Head)
                    x *= permuted<T>(weight, lanes[k]);
                sum[k] = first ? x : combined<R, T>(sum[k], x);
            });
        };
        const auto askAhead = [&](std::int64_t edge) __attribute__((always_inline)) {
            if (edge >= prefetchEnd)
                return;
            const In* const ahead = rows + static_cast<std::int64_t>(sources[edge + distance]) * stride;
            if (intoSecond)
                forEachOfRow<(N * count + line - 1) / line, 64>([&](auto k)
                                                                    __attribute__((always_inline)) { __builtin_prefetch(ahead + k * line, 0, 2); });
            else
                forEach<(N * count + prefetched - 1) / prefetched>([&](auto k) __attribute__((always_inline)) { __builtin_prefetch(ahead + k * prefetched); });
            if (intoBoth) {
                const In* const next = rows + static_cast<std::int64_t>(sources[edge + nearDistance<In>]) * stride;
                forEachOfRow<(N * count + line - 1) / line, 64>([&](auto k) __attribute__((always_inline)) { __builtin_prefetch(next + k * line); });
            }
        };
        if (takesFirst && e < end) {
            askAhead(e);
            add(e++, true);
        }
        if constexpr (!picks)
            for (const bool isLong = end - e > summedAtOnce; isLong && e < end; e += summedAtOnce) {
                Vector<T> part[N];
                sumPart<T, In, N, R, W, Partial>(a, column, tail, firstHead, lanes, t, e, part);
                forEach<N>([&](auto k) __attribute__((always_inline)) { sum[k] += part[k]; });
            }
        for (; e < end; ++e) {
            askAhead(e);
            add(e, false);
        }
        if constexpr (paired > 0)
            forEach<paired / 2>([&](auto k) __attribute__((always_inline)) { merge(sum[2 * k], sum[2 * k + 1]); });
        if (addsLast)
            forEach<N>([&](auto k) __attribute__((always_inline)) { sum[k] += there(k); });
        const T divisor = static_cast<T>(degree);
        forEach<N>([&](auto k) __attribute__((always_inline)) {
            if (a.ends && degree == 0)
                sum[k] = broadcast(a.empty);
            else if (a.ends && a.reduce == Reduce::Mean)
                sum[k] /= broadcast(divisor);
            if constexpr (Partial && k == N - 1)
                storeSome(out + k * count, sum[k], tail);
            else if (past)
                storePast<T>(out + k * count, sum[k]);
            else
                store<T>(out + k * count, sum[k]);
        });
    }
    if (past)
        storesDone();
}

// Of summedAtOnce edges into a target from this one on, as far as there are so many; kept as reduceColumns keeps sums.
template <class T, class In, int N, Reduce R, Weighting W, bool Partial>
__attribute__((noinline)) void sumPart(ReduceArguments<T> a, std::int64_t column, int tail, std::int64_t firstHead,
                                       const typename Lanes<T>::Index* lanes, std::int64_t target, std::int64_t edge, Vector<T> (&sum)[N])
{
    constexpr int count = Lanes<T>::count, paired = pairedOf<In, N, W, Partial>;
    T part[N * count] = {};
    takePart(a, target, edge, part - column);
    reduceColumns<T, In, N, R, W, Partial>(a, column, tail, firstHead, lanes);
    forEach<N>([&](auto k) __attribute__((always_inline)) { sum[k] = load(part + k * count); });
    if constexpr (paired > 0)
        forEach<paired / 2>([&](auto k) __attribute__((always_inline)) { separate(sum[2 * k], sum[2 * k + 1]); });
}

// Loops are compiled for each number of vectors up to eight for sums of float rows, for powers of two otherwise, and for those whose last vector is
// partial unless rows are doubles. What is rarer goes over the edges once more for the rest of its columns.
template <class T>
constexpr bool endsPartially = sizeof(T) == 4;

template <class T, Reduce R>
constexpr bool hasEachNumber = sizeof(T) == 4 && R == Reduce::Sum;

template <class T, class In, int N, Reduce R, Weighting W>
void reduceColumns(const ReduceArguments<T>& a, std::int64_t column, int tail, std::int64_t firstHead, const typename Lanes<T>::Index* lanes)
{
    if constexpr (N == 1 || endsPartially<T>)
        if (tail < Lanes<T>::count)
            return reduceColumns<T, In, N, R, W, true>(a, column, tail, firstHead, lanes);
    reduceColumns<T, In, N, R, W, false>(a, column, tail, firstHead, lanes);
}

// Of `left` columns.
template <class T, Reduce R>
constexpr int vectorsAtOnce(std::int64_t left)
{
    constexpr int count = Lanes<T>::count;
    const std::int64_t vectors = endsPartially<T> ? (left + count - 1) / count : left / count;
    if (vectors >= mostVectors)
        return mostVectors;
    if (vectors >= 8)
        return 8;
    if (hasEachNumber<T, R>)
        return static_cast<int>(vectors);
    return vectors >= 4 ? 4 : vectors >= 2 ? 2 : 1;
}

template <class T, class In, Reduce R, Weighting W>
void reduceVectors(const ReduceArguments<T>& a, std::int64_t column, int vectors, int tail, std::int64_t firstHead,
                   const typename Lanes<T>::Index* lanes)
{
    if (vectors == 1)
        return reduceColumns<T, In, 1, R, W>(a, column, tail, firstHead, lanes);
    if constexpr (mostVectors > 2) {
        if (vectors == 2)
            return reduceColumns<T, In, 2, R, W>(a, column, tail, firstHead, lanes);
        if (vectors == 4)
            return reduceColumns<T, In, 4, R, W>(a, column, tail, firstHead, lanes);
        if constexpr (mostVectors > 8)
            if (vectors == 8)
                return reduceColumns<T, In, 8, R, W>(a, column, tail, firstHead, lanes);
        if constexpr (hasEachNumber<T, R>)
            switch (vectors) {
            case 3: return reduceColumns<T, In, 3, R, W>(a, column, tail, firstHead, lanes);
            case 5: return reduceColumns<T, In, 5, R, W>(a, column, tail, firstHead, lanes);
            case 6: return reduceColumns<T, In, 6, R, W>(a, column, tail, firstHead, lanes);
            case 7: return reduceColumns<T, In, 7, R, W>(a, column, tail, firstHead, lanes);
            default: break;
            }
    }
    reduceColumns<T, In, mostVectors, R, W>(a, column, tail, firstHead, lanes);
}

template <class T, class In, Reduce R>
void reduceTyped(const ReduceArguments<T>& a)
{
    constexpr int count = Lanes<T>::count;
    const std::int64_t perHead = a.heads > 1 ? a.width / a.heads : a.width;
    for (std::int64_t column = 0; column < a.width;) {
        int vectors = vectorsAtOnce<T, R>(a.width - column);
        typename Lanes<T>::Index lanes[mostVectors];
        const std::int64_t firstHead = column / perHead;
        if (a.weights && a.heads > 1) {
            // Weights of as many heads as a vector has lanes can be picked from.
            while (vectors > 1 && (column + vectors * count - 1 < a.width ? column + vectors * count - 1 : a.width - 1) / perHead - firstHead >= count)
                vectors = vectorsAtOnce<T, R>(static_cast<std::int64_t>(vectors - 1) * count);
            headsOf<T>(lanes, vectors, perHead, column - firstHead * perHead);
        }
        const std::int64_t rest = a.width - column - static_cast<std::int64_t>(vectors - 1) * count;
        const int tail = static_cast<int>(rest < count ? rest : count);
        if (!a.weights)
            reduceVectors<T, In, R, Weighting::None>(a, column, vectors, tail, 0, lanes);
        else if (a.heads == 1)
            reduceVectors<T, In, R, Weighting::Edge>(a, column, vectors, tail, 0, lanes);
        else
            reduceVectors<T, In, R, Weighting::Head>(a, column, vectors, tail, firstHead, lanes);
        column += static_cast<std::int64_t>(vectors) * count;
    }
}

template <class T, class In>
void reduceAs(const ReduceArguments<T>& a)
{
    switch (a.reduce) {
    case Reduce::Max: return reduceTyped<T, In, Reduce::Max>(a);
    case Reduce::Min: return reduceTyped<T, In, Reduce::Min>(a);
    default: return reduceTyped<T, In, Reduce::Sum>(a);
    }
}

template <class T>
void reduce(const ReduceArguments<T>& a)
{
    if constexpr (sizeof(T) == 4)
        if (a.type == DType::BFloat16)
            return reduceAs<T, BFloat16>(a);
    reduceAs<T, T>(a);
}

template <class T, class F>
inline void each(T* out, const T* x, std::int64_t count, F f)
{
    for (std::int64_t i = 0; i < count; ++i)
        out[i] = f(x[i]);
}

template <class T, class F>
inline void each(T* out, const T* x, const T* y, std::int64_t count, F f)
{
    for (std::int64_t i = 0; i < count; ++i)
        out[i] = f(x[i], y[i]);
}

template <class T>
void binary(EdgeCode code, T* out, const T* x, const T* y, std::int64_t count)
{
    switch (code) {
    case EdgeCode::Add: return each(out, x, y, count, [](T p, T q) { return p + q; });
    case EdgeCode::Subtract: return each(out, x, y, count, [](T p, T q) { return p - q; });
    case EdgeCode::Multiply: return each(out, x, y, count, [](T p, T q) { return p * q; });
    case EdgeCode::Divide: return each(out, x, y, count, [](T p, T q) { return p / q; });
    case EdgeCode::Maximum: return each(out, x, y, count, [](T p, T q) { return p > q || p != p ? p : q; });
    default: return each(out, x, y, count, [](T p, T q) { return p < q || p != p ? p : q; });
    }
}

template <class T>
void unary(EdgeCode code, T* out, const T* x, std::int64_t count, T a)
{
    const T zero = 0, one = 1;
    switch (code) {
    case EdgeCode::AddNumber: return each(out, x, count, [=](T p) { return p + a; });
    case EdgeCode::MultiplyNumber: return each(out, x, count, [=](T p) { return p * a; });
    case EdgeCode::NumberMinus: return each(out, x, count, [=](T p) { return a - p; });
    case EdgeCode::NumberOver: return each(out, x, count, [=](T p) { return a / p; });
    case EdgeCode::ClampMin: return each(out, x, count, [=](T p) { return p < a ? a : p; });
    case EdgeCode::ClampMax: return each(out, x, count, [=](T p) { return p > a ? a : p; });
    case EdgeCode::Negate: return each(out, x, count, [](T p) { return -p; });
    case EdgeCode::Absolute: return each(out, x, count, [=](T p) { return p < zero ? -p : p + zero; });  // also of -0
    case EdgeCode::Square: return each(out, x, count, [](T p) { return p * p; });
    case EdgeCode::SquareRoot: return each(out, x, count, [](T p) { return std::sqrt(p); });
    case EdgeCode::Reciprocal: return each(out, x, count, [=](T p) { return one / p; });
    case EdgeCode::ReciprocalRoot: return each(out, x, count, [=](T p) { return one / std::sqrt(p); });
    case EdgeCode::Exp: return each(out, x, count, [](T p) { return exponential(p); });
    case EdgeCode::Log:
        return each(out, x, count, [](T p) { return logarithm(p); });
    case EdgeCode::Sigmoid: return each(out, x, count, [=](T p) { return one / (one + exponential(-p)); });
    case EdgeCode::Tanh:
        return each(out, x, count, [](T p) { return hyperbolicTangent(p); });
    case EdgeCode::Relu: return each(out, x, count, [=](T p) { return p < zero ? zero : p; });
    case EdgeCode::LeakyRelu: return each(out, x, count, [=](T p) { return p > zero ? p : p * a; });
    case EdgeCode::Elu:
        return each(out, x, count, [=](T p) {
            const T below = a * exponentialLessOne(p > zero ? zero : p);
            return p > zero ? p : below;
        });
    case EdgeCode::Gelu: return each(out, x, count, [](T p) { return T(0.5) * p * (T(1) + std::erf(p * T(0.70710678118654752440))); });
    default:
        return each(out, x, count, [=](T p) {
            const T found = logarithmOfOneAndExponential(p > T(20) ? T(20) : p);
            return p > T(20) ? p : found;
        });
    }
}

template <class T>
void expand(T* out, const T* in, std::int64_t rows, std::int64_t width, std::int64_t repeat, std::int64_t cycle, bool same)
{
    for (std::int64_t i = 0; i < rows; ++i, out += width) {
        const T* row = same ? in : in + i * cycle;
        if (cycle == 1) {
            for (std::int64_t l = 0; l < width; ++l)
                out[l] = row[0];
        } else if (repeat == 1) {
            for (std::int64_t l = 0; l < width; l += cycle)
                for (std::int64_t c = 0; c < cycle; ++c)
                    out[l + c] = row[c];
        } else {
            for (std::int64_t l = 0; l < width; l += repeat)
                for (std::int64_t c = 0; c < repeat; ++c)
                    out[l + c] = row[(l / repeat) % cycle];
        }
    }
}

// Rows of so few columns that vectors of them would be mostly empty. One takes a nanosecond or two: memory answers after a hundred of them.
template <int width, class T, class In>
void loadNarrow(T* out, const In* rows, std::int64_t stride, const std::int32_t* index, std::int64_t indexEnd, std::int64_t count)
{
    constexpr std::int64_t distance = 96;
    const std::int64_t asked = !index ? 0 : indexEnd - distance;
    const auto ask = [&](std::int64_t i) { __builtin_prefetch(rows + static_cast<std::int64_t>(index[i]) * stride); };
    if (index && indexEnd == count)  // otherwise those before asked for the first ones
        for (std::int64_t i = 0; i < distance && i < count; ++i)
            ask(i);
    for (std::int64_t i = 0; i < count; ++i, out += width) {
        if (i < asked)
            ask(i + distance);
        const In* in = rows + (index ? static_cast<std::int64_t>(index[i]) : i) * stride;
        T row[width];
        for (int c = 0; c < width; ++c)
            row[c] = numberAt(in + c);
        __builtin_memcpy(out, row, sizeof row);
    }
}

template <class T, class In>
void loadAs(T* out, const In* rows, std::int64_t stride, const std::int32_t* index, std::int64_t indexEnd, std::int64_t count, std::int64_t width)
{
    switch (width) {
    case 1: return loadNarrow<1>(out, rows, stride, index, indexEnd, count);
    case 2: return loadNarrow<2>(out, rows, stride, index, indexEnd, count);
    case 4: return loadNarrow<4>(out, rows, stride, index, indexEnd, count);
    case 8: return loadNarrow<8>(out, rows, stride, index, indexEnd, count);
    default: break;
    }
    constexpr int lanes = Lanes<T>::count;
    const std::int64_t whole = width / lanes * lanes;
    for (std::int64_t i = 0; i < count; ++i, out += width) {
        if (index && i + prefetchDistance<In> < indexEnd)
            for (std::int64_t c = 0; c < width; c += 64 / static_cast<std::int64_t>(sizeof(In)))
                __builtin_prefetch(rows + index[i + prefetchDistance<In>] * stride + c);
        const In* in = rows + (index ? static_cast<std::int64_t>(index[i]) : i) * stride;
        std::int64_t c = 0;
        for (; c < whole; c += lanes)
            store<T>(out + c, load(in + c));
        if (c < width)
            storeSome(out + c, loadSome(in + c, static_cast<int>(width - c)), static_cast<int>(width - c));
    }
}

template <class T>
void load(T* out, const void* rows, DType type, std::int64_t stride, const std::int32_t* index, std::int64_t indexEnd, std::int64_t count, std::int64_t width)
{
    if constexpr (sizeof(T) == 4)
        if (type == DType::BFloat16)
            return loadAs<T>(out, static_cast<const BFloat16*>(rows), stride, index, indexEnd, count, width);
    loadAs<T>(out, static_cast<const T*>(rows), stride, index, indexEnd, count, width);
}

template <class T>
void sumInner(T* out, const T* x, std::int64_t groups, std::int64_t inner)
{
    constexpr int lanes = Lanes<T>::count;
    for (std::int64_t g = 0; g < groups; ++g, x += inner) {
        Vector<T> sum{};
        std::int64_t c = 0;
        for (; c + lanes <= inner; c += lanes)
            sum += load(x + c);
        T rest = 0;
        for (; c < inner; ++c)
            rest += x[c];
        out[g] = inner < lanes ? rest : rest + total<T>(sum);
    }
}

template <class T>
void triad(T* out, const T* x, const T* y, T a, std::int64_t count)
{
    constexpr int lanes = Lanes<T>::count;
    std::int64_t i = 0;
    for (; i + lanes <= count; i += lanes) {
        const Vector<T> sum = load(x + i) + broadcast(a) * load(y + i);
#if defined(__AVX512F__)
        _mm512_stream_si512(reinterpret_cast<__m512i*>(out + i), reinterpret_cast<__m512i>(sum));
#elif defined(__AVX2__)
        _mm256_stream_si256(reinterpret_cast<__m256i*>(out + i), reinterpret_cast<__m256i>(sum));
#else
        store<T>(out + i, sum);
#endif
    }
    for (; i < count; ++i)
        out[i] = x[i] + a * y[i];
#if defined(__AVX2__)
    _mm_sfence();
#endif
}

}  // namespace

template <class T>
const Primitives<T>& table()
{
    static constexpr Primitives<T> functions{&reduce<T>, &chain<T>, &binary<T>, &unary<T>, &expand<T>, &load<T>, &sumInner<T>, &triad<T>};
    return functions;
}

template const Primitives<float>& table<float>();
template const Primitives<double>& table<double>();

}  // namespace cleave::CLEAVE_ISA
