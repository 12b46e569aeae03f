#pragma once

#include <filesystem>
#include <memory>

#include "core/analysis/rewrites.h"
#include "core/graph/array_shapes.h"
#include "core/graph/data_graph.h"
#include "core/plan/cut.h"

namespace cleave {

constexpr int widestInput = 999'999;  ///< of OpenOptions::widths

struct OpenOptions {
    std::map<std::string, Role> roles = {};  ///< by name of an input or parameter, instead of the guess
    bool check = true;                  ///< run cut against whole program on two small random graphs and refuse a difference
    std::set<Rewrite> rewrites = {};    ///< to be applied where they can be; left out, with a note, if the answers are not the traced program's
    std::map<std::string, std::int64_t> widths = {};  ///< by name of an input of TorchScript: see ScriptOptions
    std::map<std::string, ArrayShape> shapes = {};    ///< of the graph that the model will run on, if it is at hand: the same, and FreeSize
    std::vector<FreeSize> sizes = {};                 ///< where no graph is: those of a plan
};

/// A model that was read, analysed, cut and checked. Cheap to copy and safe to share between threads.
struct Model {
    std::shared_ptr<const Analysis> analysis;
    std::shared_ptr<const CutProgram> cut;
    std::shared_ptr<const Analysis> traced = {};  ///< the program as it was before rewrites; null if there were none

    const Program& program() const { return analysis->program; }
    const Analysis& uncut() const { return traced ? *traced : *analysis; }  ///< what a plan's answers are compared with
};

/// Reads the program of a model file, as openModel does first. Error with one sentence for files that hold none.
Program readModel(const std::filesystem::path& path, const OpenOptions& options = {}, const Progress& progress = {});

/// Reads, analyses, cuts and checks a model file. Error with one sentence for whatever cannot be cut exactly.
Model openModel(const std::filesystem::path& path, const OpenOptions& options = {}, const Progress& progress = {});

/// Whether the model was opened for other sizes than these arrays have, or for none (FreeSize), or without an optional input that is one of them: it
/// is to be opened again with them.
bool isForOtherArrays(const Model& model, const std::map<std::string, ArrayShape>& shapes);

/// Whether the model has other numbers of nodes than a graph of which no array says how many there are: as many as it has learned rows for.
bool knowsNodesOf(const Model& model, const DataGraph& graph);

/// The graph with that many nodes, where it is so.
DataGraph withLearnedNodes(DataGraph graph, const Model& model);

/// A traced program with rewrites as OpenOptions::rewrites says, and its cut.
Model rewrittenModel(std::shared_ptr<const Analysis> traced, const std::set<Rewrite>& rewrites, const Progress& progress = {});

/// Runs the rewritten program against the traced one on two small random graphs. Error naming the output that differs.
void checkRewrites(const Analysis& traced, const Analysis& rewritten, const Progress& progress = {});

/// Runs a program as it was read against what the analysis made of it, on a small random graph: edges in place of adjacency matrices, updates at
/// masks for all rows, rows at an index. Error naming the output that differs. False where no small graph has a row for each of a parameter's.
bool checkReading(const Program& read, const Analysis& analysis, const Progress& progress = {});

/// Runs the cut program against the whole program on two small random directed graphs. Error naming the first op whose rows differ.
void checkCut(const Analysis& analysis, const CutProgram& cut, const Progress& progress = {});

std::string libtorchVersion();

}  // namespace cleave
