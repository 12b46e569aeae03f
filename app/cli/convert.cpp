#include <iostream>

#include "app/cli/commands.h"
#include "app/cli/terminal.h"
#include "core/base/file.h"
#include "core/base/format.h"
#include "core/graph/write_graph.h"

namespace cleave::cli {

namespace {

struct ConvertArguments {
    std::string from, to;
    GraphOptions options;
};

void convert(const ConvertArguments& arguments)
{
    checkGraphTarget(arguments.to);
    checkIsOther(arguments.to, {arguments.from});
    DataGraph graph;
    std::vector<std::string> notes;
    {
        const TerminalProgress terminal;
        graph = readGraph(arguments.from, arguments.options, terminal.progress());
        notes = writeGraph(arguments.to, graph, terminal.progress());
    }
    notes.insert(notes.begin(), graph.notes.begin(), graph.notes.end());
    for (const std::string& note : notes)
        std::cerr << note << "\n";
    print(arguments.to + ": " + formatCount(graph.numNodes) + " nodes, " + formatCount(graph.numEdges) + " edges" +
          (graph.names ? ", with names of nodes" : "") + "\n");
}

}  // namespace

void addConvert(CLI::App& app, int&)
{
    auto* command = app.add_subcommand("convert", "Write a graph in another format");
    auto arguments = std::make_shared<ConvertArguments>();
    command
        ->add_option("A", arguments->from,
                     "Graph: .npz, a folder of .npy files or of the Open Graph Benchmark, .csv, .tsv, .txt, .mtx, .graphml, .dot, each also .gz")
        ->type_name("FILE")
        ->required();
    command
        ->add_option("B", arguments->to,
                     "What to write: .npz, .csv, .tsv, .txt, .mtx (these four also .gz), or a name without ending for a folder of .npy files")
        ->type_name("FILE")
        ->required();
    addGraphOptions(*command, arguments->options);
    command->callback([arguments] { convert(*arguments); });
}

}  // namespace cleave::cli
