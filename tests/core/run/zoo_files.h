#pragma once

#include "core/run/model.h"
#include "tests/core/test_files.h"

namespace cleave::test {

inline constexpr std::size_t mebi = 1 << 20;

/// A file beside the models that are right: "gcn.pt2".
inline std::filesystem::path zooFile(const std::string& file) { return testDir() / "models/zoo" / file; }

inline Model openZoo(const std::string& name, const OpenOptions& options = {}) { return openModel(zooFile(name + ".pt2"), options); }

/// The graph that a model was exported on.
inline DataGraph zooGraph(const std::string& name) { return readGraph(zooFile(name + ".npz")); }

inline const DataGraph& cora()
{
    static const DataGraph graph = readGraph(examplesDir() / "cora.npz");
    return graph;
}

}  // namespace cleave::test
