// What each thread does, for a GPU or, in tests without one, for a loop. Included where `launch(count, body, stream)` is known, which calls body(i)
// for i = 0 … count - 1 in any order.

#include <cmath>
#include <cstdint>
#include <limits>

#include "core/kernels/device/edge_kernels.h"

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
    case EdgeCode::Absolute: return x < zero ? -x : x;
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

template <class T>
CLEAVE_DEVICE T evaluate(const EdgeTape& tape, const Views& views, std::int64_t edge, std::int64_t target, std::int64_t lane)
{
    T stack[EdgeTape::mostDepth];
    int top = 0;
    for (int i = 0; i < tape.count; ++i) {
        const TapeEntry& entry = tape.entries[i];
        if (entry.isOperand) {
            auto at = static_cast<std::int32_t>(lane);
            for (int m = 0; m < TapeEntry::mostMaps; ++m)
                if (const LaneMap map = entry.maps[m]; !isSame(map)) {
                    at /= map.repeat;
                    if (map.cycle > 0)
                        at %= map.cycle;
                }
            const EdgeView& view = views.all[entry.view];
            stack[top++] = entryOf<T>(view, rowOf(view, edge, target), at);
        } else if (takesTwo(entry.code)) {
            --top;
            stack[top - 1] = ofTwo(entry.code, stack[top - 1], stack[top]);
        } else {
            stack[top - 1] = ofOne(entry.code, stack[top - 1], static_cast<T>(entry.number));
        }
    }
    return stack[0];
}

// The target that an edge leads into: the last one whose edges begin no later.
CLEAVE_DEVICE std::int64_t targetOf(const Segments& segments, std::int64_t edge)
{
    std::int64_t first = 0, last = segments.targets;
    while (last - first > 1) {
        const std::int64_t middle = first + (last - first) / 2;
        (segments.begin[middle] - segments.origin <= edge ? first : last) = middle;
    }
    return first;
}

// An entry of a row for each edge.
template <class T>
struct MapBody {
    EdgeTape tape;
    Views views;
    Segments segments;
    std::int64_t width = 1, inner = 1;
    bool readsTargets = false;
    T* rows = nullptr;

    CLEAVE_DEVICE void operator()(std::int64_t i) const
    {
        const std::int64_t edge = i / width, lane = i % width;
        const std::int64_t target = readsTargets ? targetOf(segments, edge) : 0;
        T sum = evaluate<T>(tape, views, edge, target, lane * inner);
        for (std::int64_t k = 1; k < inner; ++k)
            sum += evaluate<T>(tape, views, edge, target, lane * inner + k);
        rows[i] = sum;
    }
};

template <Reduce R, class T>
CLEAVE_DEVICE T combined(T a, T x)
{
    // Not a number wins, as in PyTorch.
    if (R == Reduce::Max)
        return x > a || x != x ? x : a;
    if (R == Reduce::Min)
        return x < a || x != x ? x : a;
    return a + x;
}

// What becomes of the edges into a target, or of a piece of them.
template <class T>
struct Ending {
    bool fromInitial = false;
    bool isMean = false;
    T initial = 0, empty = 0;
};

// Entries of rows that lie in memory: N at once.
template <class T, class In, int N>
struct RowEntries {
    EdgeView view;

    CLEAVE_DEVICE void read(std::int64_t edge, std::int64_t target, std::int64_t column, T* out) const
    {
        const In* const row = static_cast<const In*>(view.rows) + rowOf(view, edge, target) * view.stride + column;
        const Pack<In, N> pack = *reinterpret_cast<const Pack<In, N>*>(row);
        for (int k = 0; k < N; ++k)
            out[k] = converted(pack.entries[k]);
    }
};

// Entries that are computed as they are read.
template <class T>
struct TapeEntries {
    EdgeTape tape;
    Views views;

    CLEAVE_DEVICE void read(std::int64_t edge, std::int64_t target, std::int64_t column, T* out) const
    {
        *out = evaluate<T>(tape, views, edge, target, column);
    }
};

// What the entries that a thread reads at once are multiplied by: nothing, one weight, or each its own.
enum class Weights { None, One, Each };

// Some threads after each other take a segment, or a piece of one: each some columns, over all edges in order.
template <class T, class Entries, int N, Reduce R, Weights W>
struct ReduceBody {
    Entries entries;
    EdgeView weights;           // where there are some
    std::int64_t perHead = 1;   // columns that a weight is for
    Segments segments;
    std::int64_t width = 1;
    std::int32_t lanes = 1;     // threads of a segment
    bool isOfPieces = false;
    Ending<T> ending;
    T* rows = nullptr;

    CLEAVE_DEVICE void operator()(std::int64_t i) const
    {
        const std::int64_t row = i / lanes;
        std::int64_t target = row, first, last;
        if (isOfPieces) {
            const LongPiece piece = segments.pieces[row];
            target = piece.target;
            first = piece.firstEdge;
            last = piece.lastEdge;
        } else {
            first = segments.begin[row] - segments.origin;
            last = segments.begin[row + 1] - segments.origin;
            if (last - first > mostEdgesAtOnce)
                return;
        }
        for (std::int64_t column = (i % lanes) * N; column < width; column += static_cast<std::int64_t>(lanes) * N)
            reduce(row, target, first, last, column);
    }

    // Which weight a column takes, and how many from this column on take it.
    struct Head {
        std::int64_t number = 0, left = N;
    };

    CLEAVE_DEVICE void reduce(std::int64_t row, std::int64_t target, std::int64_t first, std::int64_t last, std::int64_t column) const
    {
        const Head head = W != Weights::None ? Head{column / perHead, perHead - column % perHead} : Head{};
        constexpr bool picks = R == Reduce::Max || R == Reduce::Min;
        constexpr int atOnce = 4;  // rows that are on their way
        T sum[N];
        std::int64_t edge = first;
        if (picks && !(ending.fromInitial && !isOfPieces) && first < last) {
            read(edge++, target, column, head, sum);
        } else {
            for (int k = 0; k < N; ++k)
                sum[k] = isOfPieces || !ending.fromInitial ? T(0) : ending.initial;
        }
        for (; edge + atOnce <= last; edge += atOnce) {
            T x[atOnce][N];
            for (int j = 0; j < atOnce; ++j)
                read(edge + j, target, column, head, x[j]);
            for (int j = 0; j < atOnce; ++j)
                for (int k = 0; k < N; ++k)
                    sum[k] = combined<R>(sum[k], x[j][k]);
        }
        for (; edge < last; ++edge) {
            T x[N];
            read(edge, target, column, head, x);
            for (int k = 0; k < N; ++k)
                sum[k] = combined<R>(sum[k], x[k]);
        }
        for (int k = 0; k < N; ++k) {
            if (!isOfPieces && first == last)
                sum[k] = ending.empty;
            else if (!isOfPieces && ending.isMean)
                sum[k] /= static_cast<T>(last - first);
            rows[row * width + column + k] = sum[k];
        }
    }

    CLEAVE_DEVICE void read(std::int64_t edge, std::int64_t target, std::int64_t column, Head head, T* out) const
    {
        entries.read(edge, target, column, out);
        if constexpr (W == Weights::None)
            return;
        const std::int64_t row = rowOf(weights, edge, target);
        T weight = entryOf<T>(weights, row, head.number);
        for (int k = 0; k < N; ++k) {
            if constexpr (W == Weights::Each)
                if (head.left-- == 0) {
                    weight = entryOf<T>(weights, row, ++head.number);
                    head.left = perHead - 1;
                }
            out[k] *= weight;
        }
    }
};

// The pieces of a long segment, in order.
template <class T, Reduce R>
struct CombineBody {
    Segments segments;
    std::int64_t width = 1;
    Ending<T> ending;
    const T* partial = nullptr;
    T* rows = nullptr;

    CLEAVE_DEVICE void operator()(std::int64_t i) const
    {
        const LongSegment segment = segments.longSegments[i / width];
        const std::int64_t column = i % width;
        const T* at = partial + segment.firstPiece * width + column;
        std::int64_t piece = 0;
        T sum = ending.initial;
        if (!ending.fromInitial)
            sum = at[piece++ * width];
        for (; piece < segment.pieces; ++piece)
            sum = combined<R>(sum, at[piece * width]);
        if (ending.isMean)
            sum /= static_cast<T>(segments.begin[segment.target + 1] - segments.begin[segment.target]);
        rows[segment.target * width + column] = sum;
    }
};

template <class T, class Entries, int N, Reduce R, Weights W>
void reduceRows(const EdgeStep& step, const Entries& entries, const EdgeView& weights, const Segments& segments, T* rows, T* partial, Stream stream)
{
    ReduceBody<T, Entries, N, R, W> body;
    body.entries = entries;
    body.weights = weights;
    body.perHead = W != Weights::None ? step.width / weights.width : 1;
    body.segments = segments;
    body.width = step.width;
    while (body.lanes < 32 && static_cast<std::int64_t>(body.lanes) * N < step.width)
        body.lanes *= 2;
    body.ending = {step.fromInitial, step.reduce == Reduce::Mean, static_cast<T>(step.initial), static_cast<T>(step.empty)};
    body.rows = rows;
    launch(segments.targets * body.lanes, body, stream);
    if (segments.pieceCount == 0)
        return;
    body.isOfPieces = true;
    body.rows = partial;
    launch(segments.pieceCount * body.lanes, body, stream);
    CombineBody<T, R> combine;
    combine.segments = segments;
    combine.width = step.width;
    combine.ending = body.ending;
    combine.partial = partial;
    combine.rows = rows;
    launch(segments.longCount * step.width, combine, stream);
}

template <class T, class Entries, int N, Reduce R>
void reduceRows(const EdgeStep& step, const Entries& entries, const EdgeView& weights, const Segments& segments, T* rows, T* partial, Stream stream)
{
    if (!weights.rows)
        reduceRows<T, Entries, N, R, Weights::None>(step, entries, weights, segments, rows, partial, stream);
    else if (step.width / weights.width % N == 0)
        reduceRows<T, Entries, N, R, Weights::One>(step, entries, weights, segments, rows, partial, stream);
    else
        reduceRows<T, Entries, N, R, Weights::Each>(step, entries, weights, segments, rows, partial, stream);
}

template <class T, class Entries, int N>
void reduceRows(const EdgeStep& step, const Entries& entries, const EdgeView& weights, const Segments& segments, T* rows, T* partial, Stream stream)
{
    if (step.reduce == Reduce::Max)
        reduceRows<T, Entries, N, Reduce::Max>(step, entries, weights, segments, rows, partial, stream);
    else if (step.reduce == Reduce::Min)
        reduceRows<T, Entries, N, Reduce::Min>(step, entries, weights, segments, rows, partial, stream);
    else
        reduceRows<T, Entries, N, Reduce::Sum>(step, entries, weights, segments, rows, partial, stream);
}

// 16 bytes at once where rows lie so.
template <class T, class In>
void reduceDirect(const EdgeStep& step, const EdgeView& view, const EdgeView& weights, const Segments& segments, T* rows, T* partial, Stream stream)
{
    constexpr int N = 16 / static_cast<int>(sizeof(In));
    if (step.width % N == 0 && view.stride % N == 0 && reinterpret_cast<std::uintptr_t>(view.rows) % 16 == 0)
        reduceRows<T, RowEntries<T, In, N>, N>(step, {view}, weights, segments, rows, partial, stream);
    else
        reduceRows<T, RowEntries<T, In, 1>, 1>(step, {view}, weights, segments, rows, partial, stream);
}

template <class Word>
struct GatherWords {
    Word* to = nullptr;
    const Word* from = nullptr;
    const std::int32_t* index = nullptr;
    std::int64_t words = 0, stride = 0;

    CLEAVE_DEVICE void operator()(std::int64_t i) const { to[i] = from[index[i / words] * stride + i % words]; }
};

}  // namespace

template <class T>
void runEdgeStep(const EdgeStep& step, const EdgeView* views, int viewCount, const Segments& segments, T* rows, T* partial, Stream stream)
{
    Views all;
    for (int i = 0; i < viewCount; ++i)
        all.all[i] = views[i];
    if (step.kind != EdgeStep::Reduce) {
        MapBody<T> body;
        body.tape = step.tape;
        body.views = all;
        body.segments = segments;
        body.width = step.width;
        body.inner = step.inner;
        for (int i = 0; i < step.tape.count; ++i)
            body.readsTargets |= step.tape.entries[i].isOperand && views[step.tape.entries[i].view].row == EdgeRow::Target;
        body.rows = rows;
        launch(segments.edges * step.width, body, stream);
        return;
    }
    const EdgeView weights = step.weights >= 0 ? views[step.weights] : EdgeView{};
    if (step.tape.count > 1 || !isSame(step.tape.entries[0].maps[0])) {
        reduceRows<T, TapeEntries<T>, 1>(step, {step.tape, all}, weights, segments, rows, partial, stream);
        return;
    }
    const EdgeView& view = views[step.tape.entries[0].view];
    if constexpr (sizeof(T) == 4) {
        if (view.type == DType::BFloat16)
            reduceDirect<T, std::uint16_t>(step, view, weights, segments, rows, partial, stream);
        else
            reduceDirect<T, float>(step, view, weights, segments, rows, partial, stream);
    } else {
        reduceDirect<T, double>(step, view, weights, segments, rows, partial, stream);
    }
}

template void runEdgeStep<float>(const EdgeStep&, const EdgeView*, int, const Segments&, float*, float*, Stream);
template void runEdgeStep<double>(const EdgeStep&, const EdgeView*, int, const Segments&, double*, double*, Stream);

void gatherRows(void* to, const void* from, std::int64_t rowBytes, std::int64_t stride, const std::int32_t* index, std::int64_t count, Stream stream)
{
    using Line = Pack<std::uint32_t, 4>;
    const auto fits = [](std::int64_t number) { return number % static_cast<std::int64_t>(sizeof(Line)) == 0; };
    if (fits(rowBytes) && fits(stride) && fits(reinterpret_cast<std::intptr_t>(to)) && fits(reinterpret_cast<std::intptr_t>(from))) {
        const std::int64_t line = sizeof(Line);
        launch(count * (rowBytes / line),
               GatherWords<Line>{static_cast<Line*>(to), static_cast<const Line*>(from), index, rowBytes / line, stride / line}, stream);
    } else {
        launch(count * rowBytes,
               GatherWords<std::uint8_t>{static_cast<std::uint8_t*>(to), static_cast<const std::uint8_t*>(from), index, rowBytes, stride}, stream);
    }
}

}  // namespace cleave::device
