// Vectors of the instruction set that CLEAVE_ISA names, for files that are compiled once for each. Everything has internal linkage, and library
// templates are used as types only, so that the linker cannot give code for a newer processor to an older one.

#include <cmath>
#include <type_traits>
#include <utility>

#if defined(__AVX512F__) || defined(__AVX2__)
#include <immintrin.h>
#endif

#include "core/kernels/primitives.h"

namespace cleave::CLEAVE_ISA {

namespace {

#if defined(__AVX512F__)
constexpr int vectorBytes = 64;
#elif defined(__AVX2__)
constexpr int vectorBytes = 32;
#else
constexpr int vectorBytes = 16;
#endif

// Of columns at once. Sanitizers take minutes to compile all the widths, and find in few what they would in many.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int mostVectors = 2;
#else
constexpr int mostVectors = vectorBytes == 64 ? 16 : 8;
#endif

struct BFloat16 {
    std::uint16_t bits;
};

// Edges that rows are asked for ahead: short rows are done with sooner.
template <class In>
constexpr std::int64_t prefetchDistance = sizeof(In) == 2 ? 36 : 24;
// Into the second cache, and from there into the first one (Cache::Both) or not.
template <class In>
constexpr std::int64_t farDistance = sizeof(In) == 2 ? 96 : 64;
template <class In>
constexpr std::int64_t nearDistance = sizeof(In) == 2 ? 18 : 12;

// Restricts a reduction to the sum of so many edges into a target from this one on, as far as there are, put into `out`.
template <class T>
inline void takePart(ReduceArguments<T>& a, std::int64_t target, std::int64_t edge, T* out)
{
    a.firstTarget = target;
    a.lastTarget = target + 1;
    a.firstEdge = edge;
    a.lastEdge = a.lastEdge < edge + summedAtOnce ? a.lastEdge : edge + summedAtOnce;
    a.starts = a.fromInitial = true;
    a.initial = 0;
    a.ends = a.past = false;
    a.targets = nullptr;
    a.out = out;
}

template <class T>
struct Lanes;

template <>
struct Lanes<float> {
    static constexpr int count = vectorBytes / 4;
    typedef float Vector __attribute__((vector_size(vectorBytes)));
    typedef float Loose __attribute__((vector_size(vectorBytes), aligned(4), may_alias));
    typedef std::int32_t Index __attribute__((vector_size(vectorBytes)));
};

template <>
struct Lanes<double> {
    static constexpr int count = vectorBytes / 8;
    typedef double Vector __attribute__((vector_size(vectorBytes)));
    typedef double Loose __attribute__((vector_size(vectorBytes), aligned(8), may_alias));
    typedef std::int64_t Index __attribute__((vector_size(vectorBytes)));
};

template <class T>
using Vector = typename Lanes<T>::Vector;

template <class T>
inline Vector<T> broadcast(T value)
{
    return Vector<T>{} + value;
}

template <class T>
inline Vector<T> load(const T* p)
{
    return *reinterpret_cast<const typename Lanes<T>::Loose*>(p);
}

inline Vector<float> load(const BFloat16* p)
{
#if defined(__AVX512F__)
    const __m512i wide = _mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
    return reinterpret_cast<Vector<float>>(_mm512_slli_epi32(wide, 16));
#elif defined(__AVX2__)
    const __m256i wide = _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
    return reinterpret_cast<Vector<float>>(_mm256_slli_epi32(wide, 16));
#else
    typedef std::uint16_t Half __attribute__((vector_size(vectorBytes / 2), aligned(2), may_alias));
    typedef std::uint32_t Full __attribute__((vector_size(vectorBytes)));
    const Half bits = *reinterpret_cast<const Half*>(p);
    return reinterpret_cast<Vector<float>>(__builtin_convertvector(bits, Full) << 16);
#endif
}

inline float numberAt(const float* p) { return *p; }
inline double numberAt(const double* p) { return *p; }
inline float numberAt(const BFloat16* p) { return __builtin_bit_cast(float, static_cast<std::uint32_t>(p->bits) << 16); }

// The first n lanes; the others are zero and their memory is not touched.
inline Vector<float> loadSome(const float* p, int n)
{
#if defined(__AVX512F__)
    return reinterpret_cast<Vector<float>>(_mm512_maskz_loadu_ps(static_cast<__mmask16>((1u << n) - 1), p));
#elif defined(__AVX2__)
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return reinterpret_cast<Vector<float>>(_mm256_maskload_ps(p, _mm256_cmpgt_epi32(_mm256_set1_epi32(n), lane)));
#else
    Vector<float> v{};
    for (int i = 0; i < n; ++i)
        v[i] = p[i];
    return v;
#endif
}

inline Vector<double> loadSome(const double* p, int n)
{
#if defined(__AVX512F__)
    return reinterpret_cast<Vector<double>>(_mm512_maskz_loadu_pd(static_cast<__mmask8>((1u << n) - 1), p));
#else
    Vector<double> v{};
    for (int i = 0; i < n; ++i)
        v[i] = p[i];
    return v;
#endif
}

inline Vector<float> loadSome(const BFloat16* p, int n)
{
    BFloat16 some[Lanes<float>::count] = {};
    for (int i = 0; i < n; ++i)
        some[i] = p[i];
    return load(some);
}

// Every other entry of two vectors' worth of bfloat16: the halves of each word are a shift apart, while putting them in order takes a shuffle each.
struct Halves {
    Vector<float> even, odd;
};

inline Halves loadHalves(const BFloat16* p)
{
    typedef Lanes<float>::Index Words;
    typedef std::int32_t LooseWords __attribute__((vector_size(vectorBytes), aligned(2), may_alias));
    const Words words = *reinterpret_cast<const LooseWords*>(p);
    return {reinterpret_cast<Vector<float>>(words << 16), reinterpret_cast<Vector<float>>(words & static_cast<std::int32_t>(0xffff0000))};
}

// Entries of one vector, or from `count` on of the other.
inline Vector<float> picked(Vector<float> a, Vector<float> b, Lanes<float>::Index index)
{
#if defined(__clang__)
    constexpr int count = Lanes<float>::count;
    Vector<float> out;
    for (int i = 0; i < count; ++i)
        out[i] = index[i] < count ? a[index[i]] : b[index[i] - count];
    return out;
#else
    return __builtin_shuffle(a, b, index);
#endif
}

// In order: e0 o0 e1 o1 …
inline void merge(Vector<float>& first, Vector<float>& second)
{
    constexpr int count = Lanes<float>::count;
    Lanes<float>::Index low, high;
    for (int i = 0; i < count; ++i) {
        low[i] = i / 2 + i % 2 * count;
        high[i] = low[i] + count / 2;
    }
    const Vector<float> even = first, odd = second;
    first = picked(even, odd, low);
    second = picked(even, odd, high);
}

inline void separate(Vector<float>& first, Vector<float>& second)
{
    Lanes<float>::Index even, odd;
    for (int i = 0; i < Lanes<float>::count; ++i) {
        even[i] = 2 * i;
        odd[i] = 2 * i + 1;
    }
    const Vector<float> a = first, b = second;
    first = picked(a, b, even);
    second = picked(a, b, odd);
}

template <class T>
inline void store(T* p, Vector<T> v)
{
    *reinterpret_cast<typename Lanes<T>::Loose*>(p) = v;
}

// Past the caches; p is a multiple of the vector's size.
template <class T>
inline void storePast(T* p, Vector<T> v)
{
#if defined(__AVX512F__)
    _mm512_stream_si512(reinterpret_cast<__m512i*>(p), reinterpret_cast<__m512i>(v));
#elif defined(__AVX2__)
    _mm256_stream_si256(reinterpret_cast<__m256i*>(p), reinterpret_cast<__m256i>(v));
#else
    store<T>(p, v);
#endif
}

// What was stored past the caches is there before what is stored from here on.
inline void storesDone()
{
#if defined(__AVX2__)
    _mm_sfence();
#endif
}

inline void storeSome(float* p, Vector<float> v, int n)
{
#if defined(__AVX512F__)
    _mm512_mask_storeu_ps(p, static_cast<__mmask16>((1u << n) - 1), reinterpret_cast<__m512>(v));
#elif defined(__AVX2__)
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    _mm256_maskstore_ps(p, _mm256_cmpgt_epi32(_mm256_set1_epi32(n), lane), reinterpret_cast<__m256>(v));
#else
    for (int i = 0; i < n; ++i)
        p[i] = v[i];
#endif
}

inline void storeSome(double* p, Vector<double> v, int n)
{
    for (int i = 0; i < n; ++i)
        p[i] = v[i];
}

template <class T>
inline Vector<T> permuted(Vector<T> v, typename Lanes<T>::Index index)
{
#if defined(__clang__)
    Vector<T> out;
    for (int i = 0; i < Lanes<T>::count; ++i)
        out[i] = v[index[i] % Lanes<T>::count];
    return out;
#else
    return __builtin_shuffle(v, index);
#endif
}

// Not a number wins, as in PyTorch. Of the processor's own, the second operand wins then, and among equals.
template <class T>
inline Vector<T> withNaN(Vector<T> picked, Vector<T> x)
{
#if defined(__AVX512F__)
    if constexpr (sizeof(T) == 4)
        return reinterpret_cast<Vector<T>>(_mm512_mask_mov_ps(
            reinterpret_cast<__m512>(picked), _mm512_cmp_ps_mask(reinterpret_cast<__m512>(x), reinterpret_cast<__m512>(x), _CMP_UNORD_Q),
            reinterpret_cast<__m512>(x)));
    else
        return reinterpret_cast<Vector<T>>(_mm512_mask_mov_pd(
            reinterpret_cast<__m512d>(picked), _mm512_cmp_pd_mask(reinterpret_cast<__m512d>(x), reinterpret_cast<__m512d>(x), _CMP_UNORD_Q),
            reinterpret_cast<__m512d>(x)));
#else
    return x != x ? x : picked;
#endif
}

template <Reduce R, class T>
inline Vector<T> combined(Vector<T> a, Vector<T> x)
{
    constexpr bool isMax = R == Reduce::Max;
    if constexpr (R != Reduce::Max && R != Reduce::Min) {
        return a + x;
    } else {
#if defined(__AVX512F__)
        if constexpr (sizeof(T) == 4)
            return withNaN<T>(reinterpret_cast<Vector<T>>(isMax ? _mm512_max_ps(reinterpret_cast<__m512>(x), reinterpret_cast<__m512>(a))
                                                                : _mm512_min_ps(reinterpret_cast<__m512>(x), reinterpret_cast<__m512>(a))), x);
        else
            return withNaN<T>(reinterpret_cast<Vector<T>>(isMax ? _mm512_max_pd(reinterpret_cast<__m512d>(x), reinterpret_cast<__m512d>(a))
                                                                : _mm512_min_pd(reinterpret_cast<__m512d>(x), reinterpret_cast<__m512d>(a))), x);
#elif defined(__AVX2__)
        if constexpr (sizeof(T) == 4)
            return withNaN<T>(reinterpret_cast<Vector<T>>(isMax ? _mm256_max_ps(reinterpret_cast<__m256>(x), reinterpret_cast<__m256>(a))
                                                                : _mm256_min_ps(reinterpret_cast<__m256>(x), reinterpret_cast<__m256>(a))), x);
        else
            return withNaN<T>(reinterpret_cast<Vector<T>>(isMax ? _mm256_max_pd(reinterpret_cast<__m256d>(x), reinterpret_cast<__m256d>(a))
                                                                : _mm256_min_pd(reinterpret_cast<__m256d>(x), reinterpret_cast<__m256d>(a))), x);
#else
        return withNaN<T>((isMax ? x > a : x < a) ? x : a, x);
#endif
    }
}

// The sum of all lanes.
template <class T>
inline T total(Vector<T> x)
{
#if defined(__AVX512F__)
    if constexpr (sizeof(T) == 4)
        return _mm512_reduce_add_ps(reinterpret_cast<__m512>(x));
    else
        return _mm512_reduce_add_pd(reinterpret_cast<__m512d>(x));
#elif defined(__AVX2__)
    if constexpr (sizeof(T) == 4) {
        __m128 half = _mm_add_ps(_mm256_castps256_ps128(reinterpret_cast<__m256>(x)), _mm256_extractf128_ps(reinterpret_cast<__m256>(x), 1));
        half = _mm_add_ps(half, _mm_movehl_ps(half, half));
        return _mm_cvtss_f32(_mm_add_ss(half, _mm_movehdup_ps(half)));
    } else {
        const __m128d half = _mm_add_pd(_mm256_castpd256_pd128(reinterpret_cast<__m256d>(x)), _mm256_extractf128_pd(reinterpret_cast<__m256d>(x), 1));
        return _mm_cvtsd_f64(_mm_add_sd(half, _mm_unpackhi_pd(half, half)));
    }
#else
    T sum = 0;
    for (int i = 0; i < Lanes<T>::count; ++i)
        sum += x[i];
    return sum;
#endif
}

template <int... K, class F>
__attribute__((always_inline)) inline void unrolled(std::integer_sequence<int, K...>, [[maybe_unused]] F f)
{
    (f(std::integral_constant<int, K>{}), ...);
}

// Calls f for 0 … N - 1 as constants, so that what they index stays in registers.
template <int N, class F>
__attribute__((always_inline)) inline void forEach(F f)
{
    unrolled(std::make_integer_sequence<int, N>{}, f);
}

// The same for the parts of a row, of so many bytes each, but those in its last two lines first. A processor that sees line after line being read
// reads ahead, past the end of a row that lies anywhere: lines that nobody asks for, which may be a quarter of all. So what comes after the last part
// in this order is there already.
template <int N, int partBytes, class F>
__attribute__((always_inline)) inline void forEachOfRow(F f)
{
    constexpr int lastLines = 2 * 64 / partBytes, first = N > lastLines ? N - lastLines : 0;
    forEach<N>([&](auto i) __attribute__((always_inline)) { f(std::integral_constant<int, (first + i) % N>{}); });
}

// Of each lane the head, counted from that of the first, which lies so many columns behind the begin of its head. Called for every few edges where
// rows come in pieces: no division.
template <class T>
inline void headsOf(typename Lanes<T>::Index* lanes, int vectors, std::int64_t perHead, std::int64_t behind)
{
    constexpr int count = Lanes<T>::count;
    using Index = typename Lanes<T>::Index;
    using Number = std::remove_reference_t<decltype(lanes[0][0])>;
    Number head = 0;
    std::int64_t left = perHead - behind;
    for (int k = 0; k < vectors; ++k) {
        if (left >= count) {
            lanes[k] = Index{} + head;
            left -= count;
        } else {
            for (int i = 0; i < count; ++i) {
                if (left == 0) {
                    ++head;
                    left = perHead;
                }
                lanes[k][i] = head;
                --left;
            }
        }
        if (left == 0) {
            ++head;
            left = perHead;
        }
    }
}

template <class V>
struct Whole;

template <>
struct Whole<float> {
    using Type = std::int32_t;
};

template <>
struct Whole<Vector<float>> {
    using Type = Lanes<float>::Index;
};

inline std::int32_t toWhole(float x) { return static_cast<std::int32_t>(x); }
inline Lanes<float>::Index toWhole(Vector<float> x) { return __builtin_convertvector(x, Lanes<float>::Index); }

// x y + z, rounded once where the processor does that.
inline float fused(float x, float y, float z)
{
#if defined(__FMA__)
    return __builtin_fmaf(x, y, z);
#else
    return x * y + z;
#endif
}

inline Vector<float> fused(Vector<float> x, Vector<float> y, Vector<float> z)
{
#if defined(__AVX512F__)
    return reinterpret_cast<Vector<float>>(_mm512_fmadd_ps(reinterpret_cast<__m512>(x), reinterpret_cast<__m512>(y), reinterpret_cast<__m512>(z)));
#elif defined(__FMA__)
    return reinterpret_cast<Vector<float>>(_mm256_fmadd_ps(reinterpret_cast<__m256>(x), reinterpret_cast<__m256>(y), reinterpret_cast<__m256>(z)));
#else
    return x * y + z;
#endif
}

// What is not a number stays.
inline float clamped(float x, float low, float high)
{
    x = x > high ? high : x;
    return x < low ? low : x;
}

inline Vector<float> clamped(Vector<float> x, Vector<float> low, Vector<float> high)
{
#if defined(__AVX512F__)
    const __m512 below = _mm512_maskz_min_ps(0xffff, reinterpret_cast<__m512>(high), reinterpret_cast<__m512>(x));
    return reinterpret_cast<Vector<float>>(_mm512_maskz_max_ps(0xffff, reinterpret_cast<__m512>(low), below));
#elif defined(__AVX2__)
    const __m256 below = _mm256_min_ps(reinterpret_cast<__m256>(high), reinterpret_cast<__m256>(x));
    return reinterpret_cast<Vector<float>>(_mm256_max_ps(reinterpret_cast<__m256>(low), below));
#else
    x = x > high ? high : x;
    return x < low ? low : x;
#endif
}

// p 2^n for whole n from -151 to 129: as two factors, so that results below the normal range and infinity come out.
template <class V>
inline V timesPowerOfTwo(V p, V n)
{
#if defined(__AVX512F__)
    if constexpr (sizeof(V) == vectorBytes)
        return reinterpret_cast<V>(_mm512_maskz_scalef_ps(0xffff, reinterpret_cast<__m512>(p), reinterpret_cast<__m512>(n)));
#endif
    using I = typename Whole<V>::Type;
    const I whole = toWhole(n), half = whole >> 1;
    const I bits1 = (half + 127) << 23, bits2 = (whole - half + 127) << 23;
    return p * __builtin_bit_cast(V, bits1) * __builtin_bit_cast(V, bits2);
}

// e^x to about one unit in the last place, of a number or of a vector: Cody and Waite's reduction, then a polynomial of degree 6.
template <class V>
inline V exponential(V x)
{
    const auto number = [](float a) { return V{} + a; };
    const V y = clamped(x, number(-104.0f), number(89.0f));
    const V magic = number(12582912.0f);  // 1.5 × 2^23: adding it rounds to a whole number
    const V n = fused(y, number(1.44269504088896341f), magic) - magic;
    const V r = fused(n, number(2.12194440e-4f), fused(n, number(-0.693359375f), y));
    V p = fused(r, number(1.9875691500e-4f), number(1.3981999507e-3f));
    p = fused(p, r, number(8.3334519073e-3f));
    p = fused(p, r, number(4.1665795894e-2f));
    p = fused(p, r, number(1.6666665459e-1f));
    p = fused(p, r, number(5.0000001201e-1f));
    return timesPowerOfTwo(fused(p * r, r, r) + number(1.0f), n);
}

inline double exponential(double x) { return std::exp(x); }

// ln x to about one unit in the last place, as in Cephes: a polynomial around 1, of what is left when powers of two are taken out. Both arms of each
// choice are computed, so that loops become vectors.
inline float logarithm(float x)
{
    const bool isSmall = x < 1.17549435e-38f;  // below the normal range
    const float scaled = x * 8388608.0f, y = isSmall ? scaled : x;
    const auto bits = __builtin_bit_cast(std::int32_t, y);
    const float part = __builtin_bit_cast(float, (bits & 0x007fffff) | 0x3f000000);
    const bool isLow = part < 0.707106781186547524f;
    const float lower = part + part - 1.0f, upper = part - 1.0f, m = isLow ? lower : upper, z = m * m;
    const float exponent = static_cast<float>((bits >> 23) - 126 - (isLow ? 1 : 0) - (isSmall ? 23 : 0));
    float p = m * 7.0376836292e-2f - 1.1514610310e-1f;
    p = p * m + 1.1676998740e-1f;
    p = p * m - 1.2420140846e-1f;
    p = p * m + 1.4249322787e-1f;
    p = p * m - 1.6668057665e-1f;
    p = p * m + 2.0000714765e-1f;
    p = p * m - 2.4999993993e-1f;
    p = p * m + 3.3333331174e-1f;
    p = p * m * z - exponent * 2.12194440e-4f - 0.5f * z;
    const float found = m + p + exponent * 0.693359375f;
    const float infinity = __builtin_inff(), none = __builtin_nanf("");
    const float positive = x < infinity ? found : x;  // infinity and what is no number stay
    const float known = x == 0.0f ? -infinity : positive;
    return x < 0.0f ? none : known;
}

inline double logarithm(double x)
{
    return std::log(x);
}

// tanh x, as in Cephes: a polynomial for small numbers, where the other way loses digits.
inline float hyperbolicTangent(float x)
{
    const float size = x < 0.0f ? -x : x, z = x * x;
    float p = z * -5.70498872745e-3f + 2.06390887954e-2f;
    p = p * z - 5.37397155531e-2f;
    p = p * z + 1.33314422036e-1f;
    p = p * z - 3.33332819422e-1f;
    const float small = p * z * x + x;
    const float far = 1.0f - 2.0f / (exponential(size + size) + 1.0f), signedFar = x < 0.0f ? -far : far;
    return size < 0.625f ? small : signedFar;
}

inline double hyperbolicTangent(double x)
{
    return std::tanh(x);
}

// e^x - 1, with all digits near 0.
inline float exponentialLessOne(float x)
{
    return hyperbolicTangent(0.5f * x) * (exponential(x) + 1.0f);
}
inline double exponentialLessOne(double x)
{
    return std::expm1(x);
}

// ln(1 + e^x) of x that are not large. What adding 1 rounds away is given back by the quotient (Kahan).
inline float logarithmOfOneAndExponential(float x)
{
    const float power = exponential(x), sum = 1.0f + power, kept = sum - 1.0f;
    const float corrected = logarithm(sum) * (power / (kept == 0.0f ? 1.0f : kept));
    return kept == 0.0f ? power : corrected;
}

inline double logarithmOfOneAndExponential(double x)
{
    return std::log1p(std::exp(x));
}

}  // namespace

}  // namespace cleave::CLEAVE_ISA
