#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/graph/data_graph.h"

namespace cleave {

/// Writes a graph that readGraph reads, by the name's ending: .npz; a folder of .npy files where there is no ending; a list of edges (.csv, .tsv,
/// .txt) or Matrix Market (.mtx), both also packed (.gz). Written beside the target and renamed: a failure leaves nothing. Returns sentences that say
/// what the format cannot hold and is left out. Error for other endings, and for a folder that is there and not empty.
std::vector<std::string> writeGraph(const std::filesystem::path& path, const DataGraph& graph, const Progress& progress = {});

/// writeGraph's Error for a name that it does not write to, before anything is read.
void checkGraphTarget(const std::filesystem::path& path);

}  // namespace cleave
