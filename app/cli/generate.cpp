#include "core/graph/generate.h"

#include <cstdint>
#include <iostream>
#include <limits>

#include "app/cli/commands.h"
#include "app/cli/terminal.h"
#include "core/base/format.h"
#include "core/graph/write_graph.h"

namespace cleave::cli {

namespace {

void write(const std::string& path, const DataGraph& graph)
{
    for (const std::string& note : writeGraph(path, graph))
        std::cerr << note << "\n";
    print(path + ": " + formatCount(graph.numNodes) + " nodes, " + formatCount(graph.numEdges) + " edges\n");
}

}  // namespace

void addGenerate(CLI::App& app, int&)
{
    auto* command = app.add_subcommand("generate", "Write a synthetic graph");
    command->require_subcommand(1);
    auto out = std::make_shared<std::string>();
    auto options = std::make_shared<RmatOptions>();

    auto* rmat = command->add_subcommand("rmat", "R-MAT: a random directed graph with a power-law degree distribution");
    rmat->add_option("OUT", *out, "File to write (.npz, or as convert does)")->required();
    rmat->add_option("--scale", options->scale, "2^scale nodes")->capture_default_str()->check(CLI::Range(1, 28));
    rmat->add_option("--edge-factor", options->edgeFactor, "Edges per node")->capture_default_str()->check(CLI::Range(1, 1024));
    rmat->add_option("--features", options->features, "Columns of x; 0: none")->capture_default_str()->check(CLI::Range(0, 65536));
    rmat->add_option("--seed", options->seed, "Seed of the generator")
        ->capture_default_str()
        ->check(CLI::Range(std::int64_t{0}, std::numeric_limits<std::int64_t>::max()));
    rmat->callback([out, options] { write(*out, generateRmat(*options)); });

    auto* karate = command->add_subcommand("karate", "Zachary's karate club: 34 nodes, 156 directed edges");
    karate->add_option("OUT", *out, "File to write (.npz, or as convert does)")->required();
    karate->callback([out] { write(*out, karateClub()); });
}

}  // namespace cleave::cli
