#pragma once

#include <string>
#include <vector>

#include "core/run/run.h"

namespace cleave {

struct BenchOptions {
    int scale = 17;         ///< R-MAT of 2^scale nodes, 16 edges each
    std::int64_t width = 128;  ///< features
    int threads = 0;        ///< most; 0: as many as the machine has cores
    bool rivals = true;     ///< LibTorch's own ops on the same graph

    void check() const;  ///< Error if a field is out of range
};

/// One way to aggregate on one graph: the best of some rounds, all ways taking turns.
struct KernelTime {
    std::string name;       ///< "mean", "index_select + scatter_add_", …
    int threads = 1;
    double seconds = 0;
    double bytes = 0;       ///< logical: each row that is read or written, once for each edge or target
    double ofTriad = 0;     ///< bytes per second relative to STREAM triad's with as many threads; 0 for rivals
    bool isRival = false;
};

struct KernelBench {
    std::string processor, instructions, dense;
    std::int64_t nodes = 0, edges = 0, width = 0, mostEdges = 0;  ///< mostEdges: into one node
    std::vector<std::pair<int, double>> triad;  ///< threads, bytes per second
    std::vector<KernelTime> times;
};

/// Edge kernels against memory bandwidth and LibTorch on an R-MAT graph.
KernelBench benchKernels(const BenchOptions& options, const Progress& progress = {});

/// Seconds of whole runs of a model on a graph, the best of some rounds that take turns.
struct RunTime {
    std::string name;  ///< "Cleave", "LibTorch's ops in Cleave's batches"
    double seconds = 0, prologueSeconds = 0, peakBytes = 0;
    std::int64_t batchSize = 0;
    std::vector<std::string> notices = {};  ///< what was asked for and is otherwise, or has to be known: of the first run
};
std::vector<RunTime> benchRuns(const Model& model, const DataGraph& graph, const RunOptions& options, int rounds, bool rivals,
                               const Progress& progress = {});

/// "AMD EPYC", as the system names it.
std::string processorName();

}  // namespace cleave
