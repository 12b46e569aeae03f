#pragma once

#include <cstdlib>
#include <string_view>

#include "core/plan/plan_space.h"
#include "core/run/model.h"
#include "core/run/verify.h"
#include "tests/core/test_files.h"

namespace cleave::test {

inline constexpr std::size_t mebi = 1 << 20;

/// A file beside the models that are right: "gcn.pt2".
inline std::filesystem::path zooFile(const std::string& file) { return testDir() / "models/zoo" / file; }

/// A model opened beside its graph, a file of the same name without an ending.
inline Model openBeside(const DataGraph& graph, const std::filesystem::path& path, OpenOptions options = {})
{
    options.shapes = arrayShapes(graph);
    return openModel(path.string() + ".pt2", options);
}

inline Model openZoo(const std::string& name, const OpenOptions& options = {}) { return openModel(zooFile(name + ".pt2"), options); }

/// Whether a person asked for long tests: properties are then tried on larger samples.
inline bool hasTime()
{
    return std::getenv("CLEAVE_LONG_TESTS") != nullptr;
}

/// The graph that a model was exported on.
inline DataGraph zooGraph(const std::string& name) { return readGraph(zooFile(name + ".npz")); }

/// Whether the program tells which nodes edges among the inputs name. The others compute indices from these, of nodes of several types, or graphs
/// side by side.
inline bool hasNodeOrders(std::string_view name)
{
    return name != "recommender" && name != "side_by_side" && name != "joined_graphs" && name != "joined_matrices" && name != "gathers_merged_rows" &&
           name != "rating_factors";
}

inline const DataGraph& cora()
{
    static const DataGraph graph = readGraph(examplesDir() / "cora.npz");
    return graph;
}

/// Ops run as late as they may on targets alone, without others that move along.
inline Plan postponed(const PlanSpace& space)
{
    Plan plan = space.messageDegree();
    for (auto placed = space.ops().rbegin(); placed != space.ops().rend(); ++placed)
        for (int function = space.functions() - 1; function >= 0; --function)
            if (Move move = space.moveOp(plan, placed->op, Position::post(function)); move.plan && move.alongside.empty()) {
                plan = std::move(*move.plan);
                break;
            }
    return plan;
}

}  // namespace cleave::test
