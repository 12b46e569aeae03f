// How a thread reads entries of rows and computes with them: as edge_kernels_impl.h, of which this is a part.

#include <cmath>
#include <cstdint>

#include "core/kernels/device/edge_steps.h"

#if defined(__CUDACC__)
#define CLEAVE_DEVICE __host__ __device__ __forceinline__
#else
#define CLEAVE_DEVICE inline
#endif

namespace cleave::device {

namespace {

struct Views {
    EdgeView all[mostViews];
};

CLEAVE_DEVICE float fromBFloat16(std::uint16_t bits)
{
    union {
        std::uint32_t word;
        float number;
    } both;
    both.word = static_cast<std::uint32_t>(bits) << 16;
    return both.number;
}

// So many entries in one load.
template <class T, int N>
struct alignas(sizeof(T) * N) Pack {
    T entries[N];
};

template <class T>
CLEAVE_DEVICE T converted(T x)
{
    return x;
}

CLEAVE_DEVICE float converted(std::uint16_t x) { return fromBFloat16(x); }

template <class T>
CLEAVE_DEVICE T entryOf(const EdgeView& view, std::int64_t row, std::int64_t lane)
{
    const std::int64_t at = row * view.stride + lane;
    if (view.type == DType::Float32)
        return static_cast<T>(static_cast<const float*>(view.rows)[at]);
    if (view.type == DType::Float64)
        return static_cast<T>(static_cast<const double*>(view.rows)[at]);
    return static_cast<T>(fromBFloat16(static_cast<const std::uint16_t*>(view.rows)[at]));
}

CLEAVE_DEVICE std::int64_t rowOf(const EdgeView& view, std::int64_t edge, std::int64_t target)
{
    switch (view.row) {
    case EdgeRow::Edge: return edge;
    case EdgeRow::Source: return view.sources[edge];
    case EdgeRow::Target: return target;
    default: return 0;
    }
}

template <class T>
CLEAVE_DEVICE T ofTwo(EdgeCode code, T x, T y)
{
    switch (code) {
    case EdgeCode::Add: return x + y;
    case EdgeCode::Subtract: return x - y;
    case EdgeCode::Multiply: return x * y;
    case EdgeCode::Divide: return x / y;
    case EdgeCode::Maximum: return x > y || x != x ? x : y;
    default: return x < y || x != x ? x : y;
    }
}

template <class T>
CLEAVE_DEVICE T ofOne(EdgeCode code, T x, T a)
{
    const T zero = 0, one = 1;
    switch (code) {
    case EdgeCode::AddNumber: return x + a;
    case EdgeCode::MultiplyNumber: return x * a;
    case EdgeCode::NumberMinus: return a - x;
    case EdgeCode::NumberOver: return a / x;
    case EdgeCode::ClampMin: return x < a ? a : x;
    case EdgeCode::ClampMax: return x > a ? a : x;
    case EdgeCode::Negate: return -x;
    case EdgeCode::Absolute: return x < zero ? -x : x + zero;  // also of -0
    case EdgeCode::Square: return x * x;
    case EdgeCode::SquareRoot: return std::sqrt(x);
    case EdgeCode::Reciprocal: return one / x;
    case EdgeCode::ReciprocalRoot: return one / std::sqrt(x);
    case EdgeCode::Exp: return std::exp(x);
    case EdgeCode::Log: return std::log(x);
    case EdgeCode::Sigmoid: return one / (one + std::exp(-x));
    case EdgeCode::Tanh: return std::tanh(x);
    case EdgeCode::Relu: return x < zero ? zero : x;
    case EdgeCode::LeakyRelu: return x > zero ? x : x * a;
    case EdgeCode::Elu: return x > zero ? x : a * std::expm1(x);
    case EdgeCode::Gelu: return T(0.5) * x * (one + std::erf(x * T(0.70710678118654752440)));
    default: return x > T(20) ? x : std::log1p(std::exp(x));  // Softplus
    }
}

CLEAVE_DEVICE bool takesTwo(EdgeCode code) { return code <= EdgeCode::Minimum; }

CLEAVE_DEVICE bool isSame(const LaneMap& map) { return map.repeat == 1 && map.cycle == 0; }

CLEAVE_DEVICE std::int32_t mapped(const TapeEntry& entry, std::int32_t lane)
{
    for (int m = 0; m < TapeEntry::mostMaps; ++m)
        if (const LaneMap map = entry.maps[m]; !isSame(map)) {
            lane /= map.repeat;
            if (map.cycle > 0)
                lane %= map.cycle;
        }
    return lane;
}

// How the entries of an operand that meet neighbouring lanes are read: one by one, as a pack, or one for all.
enum class Reads : std::uint8_t { Each, Pack, One };

// A tape as a launch reads it, with how it reads each operand.
struct Tape {
    EdgeTape tape;
    Reads reads[EdgeTape::mostEntries + EdgeTape::forWeights] = {};
    Views views;
};

template <class T, class In, int N>
CLEAVE_DEVICE void readPack(const In* at, T (&out)[N])
{
    const Pack<In, N> pack = *reinterpret_cast<const Pack<In, N>*>(at);
    for (int k = 0; k < N; ++k)
        out[k] = converted(pack.entries[k]);
}

// Of E edges after each other, N lanes after each other.
template <class T, int E, int N>
CLEAVE_DEVICE void readOperand(const Tape& tape, int number, std::int64_t edge, std::int64_t target, std::int32_t lane, T (&out)[E][N])
{
    const TapeEntry& entry = tape.tape.entries[number];
    const EdgeView& view = tape.views.all[entry.view];
    const Reads reads = tape.reads[number];
    const bool isOne = view.row == EdgeRow::Target || view.row == EdgeRow::Same;  // row for all edges
    const std::int32_t first = mapped(entry, lane);
    for (int e = 0; e < E; ++e) {
        if (e > 0 && isOne) {
            for (int k = 0; k < N; ++k)
                out[e][k] = out[0][k];
            continue;
        }
        const std::int64_t row = rowOf(view, edge + e, target);
        if (reads == Reads::Pack) {
            if (view.type == DType::BFloat16)
                readPack(static_cast<const std::uint16_t*>(view.rows) + row * view.stride + first, out[e]);
            else
                readPack(static_cast<const T*>(view.rows) + row * view.stride + first, out[e]);
        } else if (reads == Reads::One) {
            const T x = entryOf<T>(view, row, first);
            for (int k = 0; k < N; ++k)
                out[e][k] = x;
        } else {
            for (int k = 0; k < N; ++k)
                out[e][k] = entryOf<T>(view, row, mapped(entry, lane + k));
        }
    }
}

template <EdgeCode C, class T, int E, int N>
CLEAVE_DEVICE void applyTwo(const T (&x)[E][N], T (&y)[E][N])
{
    for (int e = 0; e < E; ++e)
        for (int k = 0; k < N; ++k)
            y[e][k] = ofTwo(C, x[e][k], y[e][k]);
}

// y: becomes the result.
template <class T, int E, int N>
CLEAVE_DEVICE void applyTwo(EdgeCode code, const T (&x)[E][N], T (&y)[E][N])
{
    switch (code) {
    case EdgeCode::Add: return applyTwo<EdgeCode::Add>(x, y);
    case EdgeCode::Subtract: return applyTwo<EdgeCode::Subtract>(x, y);
    case EdgeCode::Multiply: return applyTwo<EdgeCode::Multiply>(x, y);
    case EdgeCode::Divide: return applyTwo<EdgeCode::Divide>(x, y);
    case EdgeCode::Maximum: return applyTwo<EdgeCode::Maximum>(x, y);
    default: return applyTwo<EdgeCode::Minimum>(x, y);
    }
}

template <EdgeCode C, class T, int E, int N>
CLEAVE_DEVICE void applyOne(T a, T (&x)[E][N])
{
    for (int e = 0; e < E; ++e)
        for (int k = 0; k < N; ++k)
            x[e][k] = ofOne(C, x[e][k], a);
}

template <class T, int E, int N>
CLEAVE_DEVICE void applyOne(EdgeCode code, T a, T (&x)[E][N])
{
    switch (code) {
    case EdgeCode::AddNumber: return applyOne<EdgeCode::AddNumber>(a, x);
    case EdgeCode::MultiplyNumber: return applyOne<EdgeCode::MultiplyNumber>(a, x);
    case EdgeCode::NumberMinus: return applyOne<EdgeCode::NumberMinus>(a, x);
    case EdgeCode::NumberOver: return applyOne<EdgeCode::NumberOver>(a, x);
    case EdgeCode::ClampMin: return applyOne<EdgeCode::ClampMin>(a, x);
    case EdgeCode::ClampMax: return applyOne<EdgeCode::ClampMax>(a, x);
    case EdgeCode::Negate: return applyOne<EdgeCode::Negate>(a, x);
    case EdgeCode::Absolute: return applyOne<EdgeCode::Absolute>(a, x);
    case EdgeCode::Square: return applyOne<EdgeCode::Square>(a, x);
    case EdgeCode::SquareRoot: return applyOne<EdgeCode::SquareRoot>(a, x);
    case EdgeCode::Reciprocal: return applyOne<EdgeCode::Reciprocal>(a, x);
    case EdgeCode::ReciprocalRoot: return applyOne<EdgeCode::ReciprocalRoot>(a, x);
    case EdgeCode::Exp: return applyOne<EdgeCode::Exp>(a, x);
    case EdgeCode::Log: return applyOne<EdgeCode::Log>(a, x);
    case EdgeCode::Sigmoid: return applyOne<EdgeCode::Sigmoid>(a, x);
    case EdgeCode::Tanh: return applyOne<EdgeCode::Tanh>(a, x);
    case EdgeCode::Relu: return applyOne<EdgeCode::Relu>(a, x);
    case EdgeCode::LeakyRelu: return applyOne<EdgeCode::LeakyRelu>(a, x);
    case EdgeCode::Elu: return applyOne<EdgeCode::Elu>(a, x);
    case EdgeCode::Gelu: return applyOne<EdgeCode::Gelu>(a, x);
    default: return applyOne<EdgeCode::Softplus>(a, x);
    }
}

// The tape for E edges and N lanes, so that what it says is read once for all of them, and their rows are on their way together. top: the top of the
// stack, where the result ends.
template <class T, int E, int N>
CLEAVE_DEVICE void evaluate(const Tape& tape, std::int64_t edge, std::int64_t target, std::int64_t lane, T (&top)[E][N])
{
    T below[EdgeTape::mostDepth][E][N];
    int depth = 0;
    for (int i = 0; i < tape.tape.count; ++i) {
        const TapeEntry& entry = tape.tape.entries[i];
        if (entry.isOperand) {
            if (depth > 0)
                for (int e = 0; e < E; ++e)
                    for (int k = 0; k < N; ++k)
                        below[depth - 1][e][k] = top[e][k];
            ++depth;
            readOperand(tape, i, edge, target, static_cast<std::int32_t>(lane), top);
        } else if (takesTwo(entry.code)) {
            --depth;
            applyTwo(entry.code, below[depth - 1], top);
        } else {
            applyOne(entry.code, static_cast<T>(entry.number), top);
        }
    }
}

}  // namespace

}  // namespace cleave::device
