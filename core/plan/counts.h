#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/plan/cut.h"
#include "core/plan/edge_fusion.h"

namespace cleave {

/// Of the first batch of a function, which runs alone, and the most of later ones that run at the same time.
struct AtOnce {
    double first = 0;
    double later = 0;

    double most() const { return first > later ? first : later; }
    bool operator==(const AtOnce&) const = default;
};

inline AtOnce operator*(double factor, const AtOnce& a)
{
    return {factor * a.first, factor * a.later};
}
inline AtOnce operator+(const AtOnce& a, const AtOnce& b)
{
    return {a.first + b.first, a.later + b.later};
}

/// How many rows there are, over all batches of a function and at one time.
struct RowCount {
    double total = 0;
    AtOnce atOnce;

    bool operator==(const RowCount&) const = default;
};

/// The rows of one function of a cut on a graph.
struct FunctionRows {
    double batches = 0;
    bool areInOrder = true;        ///< targets follow each other in stores: all nodes as they are numbered, not some of them
    std::vector<RowCount> frames;  ///< as CutFunction::frames
    std::vector<std::vector<RowCount>> reach;  ///< nodes of each type within 0, 1, … hops of the targets: V or more, then E; each once per batch.
                                               ///< Empty for types that the function does not number

    double targets() const;     ///< of all types, over all batches
    double within() const;      ///< nodes of all types that the function reaches, over all batches
    AtOnce withinAtOnce() const;

    bool operator==(const FunctionRows&) const = default;
};

/// Memory of what lies beside the rows, in bytes.
struct StructureBytes {
    double read = 0;         ///< of what batches read of the prologue's results
    double index = 0;        ///< of the edges grouped by segment, and of structure in their order
    double preparation = 0;  ///< of all that is there before the first function runs, and goes if batches do not read it
};

using KnownSizes = std::map<std::string, std::int64_t>;  ///< by symbol

/// How a run keeps its save points.
struct Keeping {
    bool inFiles = false;   ///< their memory is the page cache
    bool isNarrow = false;  ///< those of float32 as bfloat16, but for outputs
};

/// What a graph tells a cost model, for one batch size and node order.
struct GraphCounts {
    std::vector<std::int64_t> nodes;  ///< V, of each node type
    std::int64_t batchSize = 0;
    std::string order = "natural";
    bool estimated = false;      ///< from V and M alone, for a graph without locality
    double error = 0;            ///< standard error of E relative to E where batches were sampled; 0: exact
    StructureBytes structure;
    Keeping keeping;
    KnownSizes sizes;                     ///< of what the graph's arrays and the prologue's results have rows of, beside nodes
    Kernels kernels = Kernels::All;       ///< that run the functions
    std::vector<FunctionRows> functions;  ///< of the cut at message degree with these functions joined
    std::set<int> joined;

    /// E of all functions that have neighbours, relative to their V: 1 without inflation.
    double inflation() const;

    double nodesOf(int nodeType) const { return static_cast<double>(nodes[static_cast<std::size_t>(nodeType)]); }
};

/// How many batches run at once: one on each thread if there are enough of them, otherwise one on all threads.
int batchesAtOnce(double batches, int threads);

/// The product of a tensor's sizes that the graph decides: 1 where there are none, 0 where only a run tells.
double openSizes(const Analysis& analysis, ValueId value, const GraphCounts& counts);

/// Bytes of a tensor that is there once for the graph; 0 where only a run tells how large it is.
double wholeBytes(const Analysis& analysis, ValueId value, const GraphCounts& counts);

/// Counts for a graph of which only the numbers of nodes and edges are known, of each node type and in each edge set, but for sizes that are known:
/// sources are drawn at random.
GraphCounts estimateCounts(const Analysis& analysis, const CutProgram& cut, std::int64_t nodes, std::int64_t edges, std::int64_t batchSize,
                           const KnownSizes& known = {});

}  // namespace cleave
