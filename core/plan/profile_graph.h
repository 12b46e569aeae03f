#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "core/base/progress.h"

namespace cleave {

/// One op or layer of a profile graph.
struct ProfileNode {
    std::string id;                       ///< "node4": no blanks in it, each its own
    std::string description;              ///< "Embedding(32320, 1024, padding_idx=0)"
    double forwardSeconds = 0;
    double backwardSeconds = 0;
    std::vector<double> activationBytes;  ///< of each of its results; none for what gives nothing
    double parameterBytes = 0;
    int stage = 0;                        ///< into ProfileGraph::stages

    double activation() const;  ///< bytes of all results
};

/// What training or inference costs op by op, in the format of PipeDream's profiler (Narayanan et al., SOSP 2019), cut into stages that follow
/// each other. No edge leads to an earlier stage, and no path back to where it began.
struct ProfileGraph {
    std::string name;
    std::vector<ProfileNode> nodes;
    std::vector<std::pair<int, int>> edges;  ///< from, to: into nodes; each once
    std::vector<int> stages;                 ///< their numbers in the file, ascending; one stage where nodes name none
    bool hasStages = false;                  ///< the nodes name them

    std::vector<int> inOrder() const;  ///< the nodes, each after those that it reads; as in the file as far as that goes
};

/// What a stage is made of, and what it hands on.
struct StageTotals {
    int nodes = 0;
    double forwardSeconds = 0, backwardSeconds = 0;
    double parameterBytes = 0;
    double activationBytes = 0;  ///< of all its nodes
    int handedOn = 0;            ///< nodes of this or an earlier stage that a later one reads
    double handedOnBytes = 0;    ///< their results
};

std::vector<StageTotals> stageTotals(const ProfileGraph& graph);

/// What all stages are made of; nothing is handed on.
StageTotals sumOf(const std::vector<StageTotals>& stages);

/// Whether a text file begins with the line of a node: such files mostly end in .txt, as lists of edges do. False for what cannot be read.
bool isProfileGraph(const std::filesystem::path& path);

/// Error of one sentence that names the line: for what is no profile graph, for edges against the order of stages, and for cycles.
ProfileGraph readProfileGraph(const std::filesystem::path& path, const Progress& progress = {});

/// Times in milliseconds and sizes in bytes, as PipeDream writes them. Error if the file cannot be written; then what was there is still there.
void writeProfileGraph(const std::filesystem::path& path, const ProfileGraph& graph);

/// One cluster per stage, in Graphviz's DOT language.
std::string toDot(const ProfileGraph& graph);

}  // namespace cleave
