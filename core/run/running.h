#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/run/batch.h"

/// Private to core/run.
namespace cleave {

/// What the parts of a layer-wise run work with.
struct RunContext {
    const Analysis& analysis;
    const CutProgram& cut;
    const Constants& constants;
    Kernels kernels;
    const OrderedGraph& graph;
    const BatchMaker& batches;
};

/// Bytes that gathering takes: what is reduced, and what is read edge by edge.
struct GatheringBytes {
    std::int64_t target = 0, edge = 0;
    bool isOfAll = false;  ///< targets without edges take as much as the others
};

/// A function as it is run: at once, or in two parts.
struct FunctionParts {
    LoweredFunction whole;  ///< or the rest, where `gathering` is there
    std::optional<LoweredFunction> gathering = {};
    std::vector<GatheringFunction::Output> gathered = {};
    std::optional<OwnRowsFunction> withOwnRows = {};  ///< another way, or the one that is taken
    bool takesOwnRows = false;
    bool isOnDevice = false;

    std::vector<FunctionInput> inputs() const;  ///< of all that may be run
};

/// A function while its batches run.
struct Running {
    Running(const CutFunction& f, FunctionParts p) : function(f), parts(std::move(p)) {}

    const CutFunction& function;
    FunctionParts parts;
    Gathered gathered;                     // of targets up to `end`, where there is something to gather
    std::int64_t atOnce = 0;               // targets that it is gathered for; 0: as many as take partBytes
    GatheringBytes gatheringBytes;
    double allBytes = 0, partBytes = 0;    // that gathering takes for all targets, and for those of a part
    double gatherSeconds = 0;
    std::int64_t total = 0, end = 0;
    bool numbered = false;
    std::int64_t most = 1;                 // targets of a batch
    std::atomic<std::int64_t> size = 1;    // of the batches to come: less where memory ran short
    std::atomic<std::int64_t> next = 0;    // the first target that nobody has taken
    std::atomic<int> successes = 0;        // since the size last changed
    std::mutex mutex;
    FunctionRun stats;  // its times are sums over threads

    std::string name;

    // Parts take equally much memory, whatever the degrees.
    void divideInto(double count)
    {
        constexpr double rounding = 1.001;
        partBytes = allBytes / std::max(count, 1.0) * rounding;
    }

    // After one took too much.
    void shrinkParts()
    {
        const double before = std::ceil(allBytes / std::max(partBytes, 1.0));
        divideInto(before + std::max(std::floor(before / 4), 1.0));
        atOnce = (atOnce + 1) / 2;
    }

    void report(std::int64_t done, const Progress& progress) const
    {
        progress.update(static_cast<double>(done) / static_cast<double>(std::max<std::int64_t>(total, 1)), "Running " + name);
    }

    void shrink(std::int64_t tooMany)
    {
        size = std::min<std::int64_t>(size, std::max<std::int64_t>(tooMany / 2, 1));
        successes = 0;
    }

    void grow()
    {
        constexpr int enough = 8;
        if (size < most && ++successes >= enough) {
            size = std::min<std::int64_t>(most, 2 * size);
            successes = 0;
        }
    }
};

}  // namespace cleave
