// What each thread does, for a GPU or, in tests without one, for a loop. Included where `launch(count, body, stream)` is known, which calls body(i)
// for i = 0 … count - 1 in any order.

#include <cstdint>

#include "core/kernels/device/edge_kernels.h"
#include "core/kernels/device/edge_tape_impl.h"

namespace cleave::device {

namespace {

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

// N entries of a row for each edge, each the sum of `inner` entries of the tape.
template <class T, int N>
struct MapBody {
    Tape tape;
    Segments segments;
    std::int64_t width = 1;  // of a row, in packs where entries are not sums
    std::int64_t inner = 1;
    bool readsTargets = false;
    T* rows = nullptr;

    CLEAVE_DEVICE void operator()(std::int64_t i) const
    {
        const std::int64_t edge = i / width, lane = i % width;
        const std::int64_t target = readsTargets ? targetOf(segments, edge) : 0;
        T x[1][N];
        if (inner == 1) {
            evaluate(tape, edge, target, lane * N, x);
            for (int k = 0; k < N; ++k)
                rows[i * N + k] = x[0][k];
            return;
        }
        T sum = 0;
        for (std::int64_t first = 0; first < inner; first += N) {
            evaluate(tape, edge, target, lane * inner + first, x);
            for (int k = 0; k < N; ++k)
                sum = first + k == 0 ? x[0][0] : sum + x[0][k];
        }
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

// Entries of rows that lie in memory: N of each of E edges.
template <class T, class In, int N>
struct RowEntries {
    EdgeView view;

    template <int E>
    CLEAVE_DEVICE void read(std::int64_t edge, std::int64_t target, std::int64_t column, T (&out)[E][N]) const
    {
        for (int e = 0; e < E; ++e)
            readPack(static_cast<const In*>(view.rows) + rowOf(view, edge + e, target) * view.stride + column, out[e]);
    }
};

// Entries that are computed as they are read.
template <class T, int N>
struct TapeEntries {
    Tape tape;

    template <int E>
    CLEAVE_DEVICE void read(std::int64_t edge, std::int64_t target, std::int64_t column, T (&out)[E][N]) const
    {
        evaluate(tape, edge, target, column, out);
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
        T sum[N], one[1][N];
        std::int64_t edge = first;
        const bool takesFirst = picks && !(ending.fromInitial && !isOfPieces) && first < last;
        if (takesFirst)
            read(edge++, target, column, head, one);
        for (int k = 0; k < N; ++k)
            sum[k] = takesFirst ? one[0][k] : isOfPieces || !ending.fromInitial ? T(0) : ending.initial;
        for (; edge + atOnce <= last; edge += atOnce) {
            T x[atOnce][N];
            read(edge, target, column, head, x);
            for (int e = 0; e < atOnce; ++e)
                for (int k = 0; k < N; ++k)
                    sum[k] = combined<R>(sum[k], x[e][k]);
        }
        for (; edge < last; ++edge) {
            read(edge, target, column, head, one);
            for (int k = 0; k < N; ++k)
                sum[k] = combined<R>(sum[k], one[0][k]);
        }
        for (int k = 0; k < N; ++k) {
            if (!isOfPieces && first == last)
                sum[k] = ending.empty;
            else if (!isOfPieces && ending.isMean)
                sum[k] /= static_cast<T>(last - first);
            rows[row * width + column + k] = sum[k];
        }
    }

    template <int E>
    CLEAVE_DEVICE void read(std::int64_t edge, std::int64_t target, std::int64_t column, Head first, T (&out)[E][N]) const
    {
        entries.read(edge, target, column, out);
        if constexpr (W != Weights::None)
            for (int e = 0; e < E; ++e) {
                const std::int64_t row = rowOf(weights, edge + e, target);
                Head head = first;
                T weight = entryOf<T>(weights, row, head.number);
                for (int k = 0; k < N; ++k) {
                    if constexpr (W == Weights::Each)
                        if (head.left-- == 0) {
                            weight = entryOf<T>(weights, row, ++head.number);
                            head.left = perHead - 1;
                        }
                    out[e][k] *= weight;
                }
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

template <class T, class Entries, int N, Weights W>
void reduceRows(const EdgeStep& step, const Entries& entries, const EdgeView& weights, const Segments& segments, T* rows, T* partial, Stream stream)
{
    if (step.reduce == Reduce::Max)
        reduceRows<T, Entries, N, Reduce::Max, W>(step, entries, weights, segments, rows, partial, stream);
    else if (step.reduce == Reduce::Min)
        reduceRows<T, Entries, N, Reduce::Min, W>(step, entries, weights, segments, rows, partial, stream);
    else
        reduceRows<T, Entries, N, Reduce::Sum, W>(step, entries, weights, segments, rows, partial, stream);
}

// Rows that are there.
template <class T, class In, int N>
void reduceRead(const EdgeStep& step, const EdgeView& view, const EdgeView& weights, const Segments& segments, T* rows, T* partial, Stream stream)
{
    using Entries = RowEntries<T, In, N>;
    if (!weights.rows)
        reduceRows<T, Entries, N, Weights::None>(step, {view}, weights, segments, rows, partial, stream);
    else if (step.width / weights.width % N == 0)
        reduceRows<T, Entries, N, Weights::One>(step, {view}, weights, segments, rows, partial, stream);
    else
        reduceRows<T, Entries, N, Weights::Each>(step, {view}, weights, segments, rows, partial, stream);
}

// 16 bytes at once where rows lie so.
template <class T, class In>
void reduceDirect(const EdgeStep& step, const EdgeView& view, const EdgeView& weights, const Segments& segments, T* rows, T* partial, Stream stream)
{
    constexpr int N = 16 / static_cast<int>(sizeof(In));
    if (step.width % N == 0 && view.stride % N == 0 && reinterpret_cast<std::uintptr_t>(view.rows) % 16 == 0)
        reduceRead<T, In, N>(step, view, weights, segments, rows, partial, stream);
    else
        reduceRead<T, In, 1>(step, view, weights, segments, rows, partial, stream);
}

// With how N lanes read each operand, the first of which is a multiple of N.
template <class T>
Tape tapeFor(const EdgeTape& tape, const EdgeView* views, int viewCount, std::int64_t lanes)
{
    Tape made;
    made.tape = tape;
    for (int v = 0; v < viewCount; ++v)
        made.views.all[v] = views[v];
    for (int i = 0; i < tape.count; ++i) {
        const TapeEntry& entry = tape.entries[i];
        if (!entry.isOperand)
            continue;
        const EdgeView& view = views[entry.view];
        const std::int64_t entryBytes = static_cast<std::int64_t>(itemSize(view.type));
        const bool isOwn = view.type == (sizeof(T) == 4 ? DType::Float32 : DType::Float64) || (sizeof(T) == 4 && view.type == DType::BFloat16);
        const bool isSameLane = isSame(entry.maps[0]) && isSame(entry.maps[1]);
        const LaneMap& firstMap = isSame(entry.maps[0]) ? entry.maps[1] : entry.maps[0];
        if (isSameLane && isOwn && view.stride % lanes == 0 && reinterpret_cast<std::intptr_t>(view.rows) % (lanes * entryBytes) == 0)
            made.reads[i] = Reads::Pack;
        else if (!isSameLane && firstMap.repeat % lanes == 0)
            made.reads[i] = Reads::One;
    }
    return made;
}

template <class T, int N>
void mapRows(const EdgeStep& step, const EdgeView* views, int viewCount, const Segments& segments, T* rows, Stream stream)
{
    MapBody<T, N> body;
    body.tape = tapeFor<T>(step.tape, views, viewCount, N);
    body.segments = segments;
    body.inner = step.inner;
    body.width = step.inner == 1 ? step.width / N : step.width;
    for (int i = 0; i < step.tape.count; ++i)
        body.readsTargets |= step.tape.entries[i].isOperand && views[step.tape.entries[i].view].row == EdgeRow::Target;
    body.rows = rows;
    launch(segments.edges * body.width, body, stream);
}

// Weights are one more operand.
EdgeTape weighted(const EdgeStep& step, const EdgeView* views)
{
    EdgeTape tape = step.tape;
    if (step.weights < 0)
        return tape;
    TapeEntry& weight = tape.entries[tape.count++];
    weight = {};
    weight.isOperand = true;
    weight.view = static_cast<std::int16_t>(step.weights);
    weight.maps[0].repeat = static_cast<std::int32_t>(step.width / views[step.weights].width);
    TapeEntry& times = tape.entries[tape.count++];
    times = {};
    times.code = EdgeCode::Multiply;
    return tape;
}

template <class T, int N>
void reduceTape(const EdgeStep& step, const EdgeView* views, int viewCount, const Segments& segments, T* rows, T* partial, Stream stream)
{
    const TapeEntries<T, N> entries{tapeFor<T>(weighted(step, views), views, viewCount, N)};
    reduceRows<T, TapeEntries<T, N>, N, Weights::None>(step, entries, {}, segments, rows, partial, stream);
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
    constexpr int lanes = 16 / static_cast<int>(sizeof(T));
    if (step.kind != EdgeStep::Reduce) {
        if ((step.inner == 1 ? step.width : step.inner) % lanes == 0)
            mapRows<T, lanes>(step, views, viewCount, segments, rows, stream);
        else
            mapRows<T, 1>(step, views, viewCount, segments, rows, stream);
        return;
    }
    if (step.tape.count > 1 || !isSame(step.tape.entries[0].maps[0])) {
        if (step.width % lanes == 0)
            reduceTape<T, lanes>(step, views, viewCount, segments, rows, partial, stream);
        else
            reduceTape<T, 1>(step, views, viewCount, segments, rows, partial, stream);
        return;
    }
    const EdgeView weights = step.weights >= 0 ? views[step.weights] : EdgeView{};
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
