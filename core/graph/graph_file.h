#pragma once

#include <filesystem>
#include <string>

#include "core/base/progress.h"
#include "core/graph/graph_arrays.h"

namespace cleave {

/// Reads a graph file or folder by its name's ending, as readGraph does, but for checking that its arrays fit each other.
GraphArrays readArrays(const std::filesystem::path& path, const Progress& progress);

/// "cora" of cora.npz, cora.txt.gz, cora/ and cora/raw.
std::string graphName(const std::filesystem::path& path);

/// The name's ending in small letters, without that of gzip: ".txt" of LIST.TXT.gz.
std::string graphEnding(const std::filesystem::path& path);

}  // namespace cleave
