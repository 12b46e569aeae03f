// Compiled once for each instruction set: CLEAVE_ISA names the namespace. What chains_impl.h does to columns in hand.

#include "core/kernels/vectors.h"

namespace cleave::CLEAVE_ISA {

namespace {

template <class T>
inline Vector<T> squareRoot(Vector<T> x)
{
#if defined(__AVX512F__)
    if constexpr (sizeof(T) == 4)
        return reinterpret_cast<Vector<T>>(_mm512_sqrt_ps(reinterpret_cast<__m512>(x)));
    else
        return reinterpret_cast<Vector<T>>(_mm512_sqrt_pd(reinterpret_cast<__m512d>(x)));
#elif defined(__AVX2__)
    if constexpr (sizeof(T) == 4)
        return reinterpret_cast<Vector<T>>(_mm256_sqrt_ps(reinterpret_cast<__m256>(x)));
    else
        return reinterpret_cast<Vector<T>>(_mm256_sqrt_pd(reinterpret_cast<__m256d>(x)));
#else
    for (int i = 0; i < Lanes<T>::count; ++i)
        x[i] = std::sqrt(x[i]);
    return x;
#endif
}

// The larger one; y where they are equal or one is not a number.
template <class T>
inline Vector<T> larger(Vector<T> x, Vector<T> y)
{
#if defined(__AVX512F__)
    if constexpr (sizeof(T) == 4)
        return reinterpret_cast<Vector<T>>(_mm512_max_ps(reinterpret_cast<__m512>(x), reinterpret_cast<__m512>(y)));
    else
        return reinterpret_cast<Vector<T>>(_mm512_max_pd(reinterpret_cast<__m512d>(x), reinterpret_cast<__m512d>(y)));
#elif defined(__AVX2__)
    if constexpr (sizeof(T) == 4)
        return reinterpret_cast<Vector<T>>(_mm256_max_ps(reinterpret_cast<__m256>(x), reinterpret_cast<__m256>(y)));
    else
        return reinterpret_cast<Vector<T>>(_mm256_max_pd(reinterpret_cast<__m256d>(x), reinterpret_cast<__m256d>(y)));
#else
    return x > y ? x : y;
#endif
}

// The sums of four vectors, one after another.
inline void storeFourTotals(float* p, const Vector<float>& a, const Vector<float>& b, const Vector<float>& c, const Vector<float>& d)
{
#if defined(__AVX512F__)
    const auto both = [](__m512 x, __m512 y) { return _mm512_add_ps(_mm512_unpacklo_ps(x, y), _mm512_unpackhi_ps(x, y)); };
    const __m512d ab = _mm512_castps_pd(both(reinterpret_cast<__m512>(a), reinterpret_cast<__m512>(b))),
                  cd = _mm512_castps_pd(both(reinterpret_cast<__m512>(c), reinterpret_cast<__m512>(d)));
    const __m512 all = _mm512_add_ps(_mm512_castpd_ps(_mm512_unpacklo_pd(ab, cd)), _mm512_castpd_ps(_mm512_unpackhi_pd(ab, cd)));
    const __m256 half = _mm256_add_ps(_mm512_castps512_ps256(all), _mm512_extractf32x8_ps(all, 1));
    _mm_storeu_ps(p, _mm_add_ps(_mm256_castps256_ps128(half), _mm256_extractf128_ps(half, 1)));
#elif defined(__AVX2__)
    const auto both = [](__m256 x, __m256 y) { return _mm256_add_ps(_mm256_unpacklo_ps(x, y), _mm256_unpackhi_ps(x, y)); };
    const __m256d ab = _mm256_castps_pd(both(reinterpret_cast<__m256>(a), reinterpret_cast<__m256>(b))),
                  cd = _mm256_castps_pd(both(reinterpret_cast<__m256>(c), reinterpret_cast<__m256>(d)));
    const __m256 all = _mm256_add_ps(_mm256_castpd_ps(_mm256_unpacklo_pd(ab, cd)), _mm256_castpd_ps(_mm256_unpackhi_pd(ab, cd)));
    _mm_storeu_ps(p, _mm_add_ps(_mm256_castps256_ps128(all), _mm256_extractf128_ps(all, 1)));
#else
    int i = 0;
    for (const Vector<float>* part : {&a, &b, &c, &d})
        p[i++] = total<float>(*part);
#endif
}

// What a step does, x being in hand: decided once, so that each edge costs one jump a step.
enum class Act : std::uint8_t {
    End,
    Take,                      // x = y
    One, Heads, Half,          // y of an operand that is not of whole rows of T
    Keep,
    Add, Subtract, SubtractFrom, Multiply, Divide, DivideInto, Maximum, Minimum,  // of x and y
    TakeRow,                   // the same of x and the operand's row
    AddRow, SubtractRow, SubtractFromRow, MultiplyRow, DivideRow, DivideIntoRow, MaximumRow, MinimumRow,
    AddNumber, MultiplyNumber, NumberMinus, NumberOver, ClampMin, ClampMax, Negate, Absolute, Square, SquareRoot, Reciprocal, ReciprocalRoot, Exp, Sigmoid, Relu,
    LeakyRelu, LeakyOfPart,  // the latter where it is the larger of x and a x, a being more than 0 and at most 1
};

inline Act actOf(const ChainStep& step)
{
    if (step.kind != ChainStep::Compute)
        return step.kind == ChainStep::Take ? Act::Take : Act::Keep;
    switch (step.code) {
    case EdgeCode::Add: return Act::Add;
    case EdgeCode::Subtract: return step.isSwapped ? Act::SubtractFrom : Act::Subtract;
    case EdgeCode::Multiply: return Act::Multiply;
    case EdgeCode::Divide: return step.isSwapped ? Act::DivideInto : Act::Divide;
    case EdgeCode::Maximum: return Act::Maximum;
    case EdgeCode::Minimum: return Act::Minimum;
    case EdgeCode::AddNumber: return Act::AddNumber;
    case EdgeCode::MultiplyNumber: return Act::MultiplyNumber;
    case EdgeCode::NumberMinus: return Act::NumberMinus;
    case EdgeCode::NumberOver: return Act::NumberOver;
    case EdgeCode::ClampMin: return Act::ClampMin;
    case EdgeCode::ClampMax: return Act::ClampMax;
    case EdgeCode::Negate: return Act::Negate;
    case EdgeCode::Absolute: return Act::Absolute;
    case EdgeCode::Square: return Act::Square;
    case EdgeCode::SquareRoot: return Act::SquareRoot;
    case EdgeCode::Reciprocal: return Act::Reciprocal;
    case EdgeCode::ReciprocalRoot: return Act::ReciprocalRoot;
    case EdgeCode::Exp: return Act::Exp;
    case EdgeCode::Sigmoid: return Act::Sigmoid;
    case EdgeCode::Relu: return Act::Relu;
    case EdgeCode::LeakyRelu: return step.number > 0 && step.number <= 1 ? Act::LeakyOfPart : Act::LeakyRelu;
    default: return Act::End;  // edge_chain.cpp asks for no others
    }
}

constexpr bool isWithin(Act act, Act first, Act last) { return act >= first && act <= last; }

// Of an operand's row, as of y.
constexpr Act ofY(Act act) { return static_cast<Act>(static_cast<int>(act) - static_cast<int>(Act::AddRow) + static_cast<int>(Act::Add)); }

template <Act act, class T>
inline Vector<T> ofBoth(Vector<T> p, Vector<T> q)
{
    if constexpr (act == Act::Add)
        return p + q;
    else if constexpr (act == Act::Subtract)
        return p - q;
    else if constexpr (act == Act::SubtractFrom)
        return q - p;
    else if constexpr (act == Act::Multiply)
        return p * q;
    else if constexpr (act == Act::Divide)
        return p / q;
    else if constexpr (act == Act::DivideInto)
        return q / p;
    else if constexpr (act == Act::Maximum)
        return combined<Reduce::Max, T>(q, p);
    else
        return combined<Reduce::Min, T>(q, p);
}

template <Act act, class T>
inline Vector<T> ofOne(Vector<T> p, Vector<T> a)
{
    const Vector<T> zero{}, unit = broadcast(T(1));
    if constexpr (act == Act::AddNumber)
        return p + a;
    else if constexpr (act == Act::MultiplyNumber)
        return p * a;
    else if constexpr (act == Act::NumberMinus)
        return a - p;
    else if constexpr (act == Act::NumberOver)
        return a / p;
    else if constexpr (act == Act::ClampMin)
        return p < a ? a : p;
    else if constexpr (act == Act::ClampMax)
        return p > a ? a : p;
    else if constexpr (act == Act::Negate)
        return -p;
    else if constexpr (act == Act::Absolute)
        return p < zero ? -p : p + zero;  // also of -0
    else if constexpr (act == Act::Square)
        return p * p;
    else if constexpr (act == Act::SquareRoot)
        return squareRoot<T>(p);
    else if constexpr (act == Act::Reciprocal)
        return unit / p;
    else if constexpr (act == Act::ReciprocalRoot)
        return unit / squareRoot<T>(p);
    else if constexpr (act == Act::Exp && sizeof(T) == 4)
        return exponential(p);
    else if constexpr (act == Act::Sigmoid && sizeof(T) == 4)
        return unit / (unit + exponential(-p));
    else if constexpr (act == Act::Relu)
        return larger<T>(zero, p);
    else if constexpr (act == Act::LeakyRelu)
        return p > zero ? p : p * a;
    else if constexpr (act == Act::LeakyOfPart)
        return larger<T>(p * a, p);
    else
        return p;
}

template <Act... acts>
struct Sequence {};

template <class... Sequences>
struct List {};

// Those that messages of published layers have. Each is a loop of its own, without a jump for each step, and with operands' places in variables: half to two
// thirds of the time.
using Usual = List<Sequence<Act::TakeRow, Act::AddRow>,  // of which the largest: EdgeConv of one layer
                   Sequence<Act::TakeRow, Act::SubtractRow>,
                   Sequence<Act::TakeRow, Act::MultiplyRow>,  // SchNet, and scores that are products
                   Sequence<Act::TakeRow, Act::MultiplyRow, Act::MultiplyRow>,  // DistMult
                   Sequence<Act::TakeRow, Act::AddRow, Act::Relu>,  // GINE
                   Sequence<Act::TakeRow, Act::AddRow, Act::AddRow, Act::Relu>,
                   Sequence<Act::TakeRow, Act::AddRow, Act::Relu, Act::AddNumber>,  // GENConv
                   Sequence<Act::TakeRow, Act::AddRow, Act::LeakyOfPart, Act::MultiplyRow>,  // GATv2
                   Sequence<Act::TakeRow, Act::AddRow, Act::AddRow, Act::LeakyOfPart, Act::MultiplyRow>,
                   Sequence<Act::TakeRow, Act::AddRow, Act::Sigmoid, Act::MultiplyRow>,  // ResGatedGraphConv
                   Sequence<Act::TakeRow, Act::AddRow, Act::AddRow, Act::Sigmoid, Act::MultiplyRow>,
                   Sequence<Act::TakeRow, Act::Relu, Act::One, Act::Multiply>,
                   Sequence<Act::TakeRow, Act::AddRow, Act::One, Act::Multiply>,
                   Sequence<Act::TakeRow, Act::SubtractRow, Act::One, Act::Multiply>,  // LEConv
                   Sequence<Act::TakeRow, Act::AddRow, Act::Relu, Act::One, Act::Multiply>,
                   Sequence<Act::TakeRow, Act::AddRow, Act::Heads, Act::Multiply>>;  // TransformerConv with features of edges

template <Act act>
constexpr bool reads = act == Act::One || act == Act::Heads || act == Act::Half || isWithin(act, Act::TakeRow, Act::MinimumRow);

}  // namespace

}  // namespace cleave::CLEAVE_ISA
