#pragma once

#include <cstdint>

#include "core/base/array.h"

namespace cleave {

/// Which row of an operand belongs to an edge.
enum class EdgeRow : std::uint8_t {
    Edge,    ///< its own
    Source,  ///< the one that an index names
    Target,  ///< that of the target
    Same,    ///< there is one row only
};

/// Of a processor, from the nearest to it. Both: into the second early, and from there into the first.
enum class Cache : std::uint8_t { First, Second, Both };
constexpr int cacheChoices = 3;

/// How the rows of the edges into a target become one row.
enum class Reduce : std::uint8_t { Sum, Mean, Max, Min };

/// Arithmetic on the entries of edge rows. x and y are entries, a is a number that the instruction carries.
enum class EdgeCode : std::uint8_t {
    Add, Subtract, Multiply, Divide, Maximum, Minimum,                     // of x and y
    AddNumber, MultiplyNumber, NumberMinus, NumberOver, ClampMin, ClampMax, // of x and a
    Negate, Absolute, Square, SquareRoot, Reciprocal, ReciprocalRoot, Exp, Log, Sigmoid, Tanh, Relu, LeakyRelu, Elu, Gelu, Softplus,
    SumInner,                                                              // of groups of neighbouring entries
};

/// Terms of a sum that are added up one after the other: the error grows with their number, so longer sums are sums of such parts.
constexpr std::int64_t summedAtOnce = 512;

/// Reduces columns of rows into targets first … last - 1. Edge e is counted from the first of the block; T is float or double.
template <class T>
struct ReduceArguments {
    Reduce reduce = Reduce::Sum;
    const std::int64_t* begin = nullptr;  ///< [targets + 1]; the edges into t are begin[t] - origin … begin[t + 1] - origin - 1
    std::int64_t origin = 0;
    std::int64_t firstTarget = 0, lastTarget = 0;
    std::int64_t firstEdge = 0, lastEdge = 0;  ///< edges outside are left out: pieces of a long segment
    bool starts = true;                        ///< false: out holds what earlier pieces gave
    bool ends = true;                          ///< false: more pieces follow
    const std::int32_t* sources = nullptr;     ///< row that edge e reads; null: row e - rowOrigin
    std::int64_t prefetchEnd = 0;              ///< sources may be read up to here
    Cache ahead = Cache::First;                ///< into which rows of sources are asked for before they are needed
    std::int64_t rowOrigin = 0;
    const void* rows = nullptr;
    DType type = DType::Float32;               ///< of rows: T's own, or bfloat16 where T is float
    std::int64_t stride = 0;                   ///< elements between rows
    std::int64_t width = 0;                    ///< columns
    const T* weights = nullptr;                ///< [edges, heads]: column c is multiplied by weight c / (width / heads); null: no weights
    std::int64_t weightOrigin = 0;             ///< edge of the first row of weights
    std::int64_t heads = 1;
    T* out = nullptr;                          ///< row of firstTarget
    std::int64_t outStride = 0;
    bool past = false;                         ///< rows of out, which begin with lines of 64 bytes, are written past the caches
    const std::int32_t* targets = nullptr;     ///< row of out for each target; null: they follow each other
    const std::int64_t* all = nullptr;         ///< [rows of out + 1]: where all edges into each begin. Where not starts, sums of these edges are
                                               ///< parts of long ones, and added to out as a whole; null: they are not
    T initial = 0;                             ///< what a row starts from, if fromInitial; otherwise from its first edge
    bool fromInitial = false;
    T empty = 0;                               ///< entries of targets without edges

    /// Whether the sum over edges into the target of this row of out is a part.
    bool isPart(std::int64_t row) const { return all && all[row + 1] - all[row] > summedAtOnce; }
};

/// What happens to the columns in hand, of which there are as many as fit into registers. y is an operand or what was kept; none for codes of one
/// entry.
struct ChainStep {
    enum Kind : std::uint8_t {
        Take,     ///< y is in hand
        Keep,     ///< what is in hand is kept
        Compute,  ///< code of what is in hand and y
    };
    Kind kind = Take;
    EdgeCode code = EdgeCode::Add;
    bool isSwapped = false;  ///< code of y and what is in hand
    std::int8_t operand = -1, kept = -1;
    double number = 0;       ///< a
};

/// An operand of a chain, read where it lies.
struct ChainOperand {
    const void* rows = nullptr;             ///< EdgeRow::Target: row of firstTarget
    DType type = DType::Float32;            ///< T's own, or bfloat16 where T is float and `width` is the chain's
    EdgeRow row = EdgeRow::Edge;
    std::int64_t stride = 0;                ///< elements between rows
    std::int64_t width = 1;                 ///< 1, the chain's, or a divisor of it: column c meets entry c / (chain's width / width)
    const std::int32_t* sources = nullptr;  ///< row that edge e reads; null: row e - origin
    std::int64_t origin = 0;
};

/// Steps for each edge, column by column in registers. Their outcome is reduced by target as `target` says, whose rows and weights are not read; or
/// summed within the row: `heads` sums of neighbouring columns, a row for each edge from rowOrigin on.
template <class T>
struct ChainArguments {
    static constexpr int mostSteps = 24, mostOperands = 8, mostKept = 4;

    ReduceArguments<T> target;
    const ChainStep* steps = nullptr;
    int stepCount = 0;
    const ChainOperand* operands = nullptr;
    int operandCount = 0;
    bool sumsWithin = false;
};

/// The loops that are compiled for each instruction set. Nothing here allocates or knows of threads.
template <class T>
struct Primitives {
    void (*reduce)(const ReduceArguments<T>&);
    void (*chain)(const ChainArguments<T>&);
    void (*binary)(EdgeCode, T* out, const T* x, const T* y, std::int64_t count);
    void (*unary)(EdgeCode, T* out, const T* x, std::int64_t count, T a);
    /// out[i, l] = in[i, (l / repeat) % cycle], the rows of in being cycle long, or one row for all if `same`.
    void (*expand)(T* out, const T* in, std::int64_t rows, std::int64_t width, std::int64_t repeat, std::int64_t cycle, bool same);
    /// out[i] = rows[index ? index[i] : i] as T. indexEnd: entries of index that may be read, to ask for rows ahead; at least count.
    void (*load)(T* out, const void* rows, DType type, std::int64_t stride, const std::int32_t* index, std::int64_t indexEnd, std::int64_t count,
                 std::int64_t width);
    void (*sumInner)(T* out, const T* x, std::int64_t groups, std::int64_t inner);
    /// out = x + a y past the caches: what STREAM (McCalpin 1995) measures memory with. 64-byte aligned.
    void (*triad)(T* out, const T* x, const T* y, T a, std::int64_t count);
};

/// Instruction sets, best last.
enum class Isa : std::uint8_t { Plain, Avx2, Avx512 };

Isa bestIsa();          ///< that this processor has
const char* isaName(Isa isa);

/// Only for a set that the processor has.
template <class T>
const Primitives<T>& primitives(Isa isa);

}  // namespace cleave
