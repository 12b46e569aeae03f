#pragma once

#include <cstdint>

#include "core/kernels/primitives.h"

/// What a GPU is told of edge programs: plain data that kernels get by value. C++17, as nvcc reads it.
namespace cleave::device {

/// Entry l of a row meets entry (l / repeat) % cycle of another.
struct LaneMap {
    std::int32_t repeat = 1;
    std::int32_t cycle = 0;  ///< 0: l / repeat
};

/// An operand put on the stack, or an instruction that takes one or two entries from it and puts its result there.
struct TapeEntry {
    static constexpr int mostMaps = 2;

    bool isOperand = false;
    EdgeCode code = EdgeCode::Add;
    std::int16_t view = -1;       ///< of an operand: into the views
    LaneMap maps[mostMaps];       ///< of an operand: the first is applied first
    double number = 0;
};

/// Arithmetic on one entry of an edge row, in reverse Polish order.
struct EdgeTape {
    static constexpr int mostEntries = 22, mostDepth = 6;
    static constexpr int forWeights = 2;  ///< that a launch may add: weights, and what multiplies by them

    int count = 0;
    TapeEntry entries[mostEntries + forWeights];
};

/// Rows on the device, or in host memory that it can read.
struct EdgeView {
    const void* rows = nullptr;
    DType type = DType::Float32;            ///< float32, float64 or bfloat16
    EdgeRow row = EdgeRow::Edge;
    std::int64_t stride = 0;                ///< elements between rows
    std::int64_t width = 1;                 ///< entries of a row
    const std::int32_t* sources = nullptr;  ///< EdgeRow::Source: [edges]
};

constexpr int mostViews = 40;  ///< that fit into the arguments of a kernel

/// More edges into one target are reduced in pieces, each by threads of its own.
constexpr std::int64_t mostEdgesAtOnce = 512;

struct LongPiece {
    std::int64_t target = 0, firstEdge = 0, lastEdge = 0;
};

struct LongSegment {
    std::int64_t target = 0, firstPiece = 0, pieces = 0;
};

/// The edges of a block by target, as EdgeBlock. All pointers lead to the device.
struct Segments {
    const std::int64_t* begin = nullptr;  ///< [targets + 1]
    std::int64_t origin = 0;              ///< begin[0]
    std::int64_t targets = 0, edges = 0;
    const LongPiece* pieces = nullptr;
    std::int64_t pieceCount = 0;
    const LongSegment* longSegments = nullptr;
    std::int64_t longCount = 0;
};

/// One launch, or three where there are long segments.
struct EdgeStep {
    enum Kind : std::uint8_t {
        Map,       ///< a row of `width` for each edge
        SumInner,  ///< likewise, each entry the sum of `inner` entries of the tape
        Reduce,    ///< a row of `width` for each target
    };
    Kind kind = Map;
    EdgeTape tape;
    std::int64_t width = 1, inner = 1;
    int view = -1;      ///< Map, SumInner: scratch rows that this step makes; -1: it makes a result
    int result = -1;
    cleave::Reduce reduce = cleave::Reduce::Sum;
    int weights = -1;   ///< Reduce: view [edges, heads]; -1: none
    bool fromInitial = false;
    double initial = 0, empty = 0;
};

}  // namespace cleave::device
