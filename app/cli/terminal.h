#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/graph/data_graph.h"
#include "core/run/model.h"
#include "core/run/run.h"

#include <CLI/CLI.hpp>

namespace cleave::cli {

/// Progress that draws one line on stderr if that is a terminal, and stops at Ctrl+C.
class TerminalProgress {
public:
    TerminalProgress();
    ~TerminalProgress();  ///< clears the line
    Progress progress() const;

private:
    std::stop_token m_stop;
};

/// Reads a size such as 2G or 500 MB into a number of bytes.
CLI::Validator asBytes();

/// Whole numbers of at least so many, up to 2^53.
CLI::Validator asCount(std::int64_t least);

/// A document as it is printed; text that is no UTF-8 is replaced.
std::string jsonText(const nlohmann::ordered_json& json);

/// Rows of cells in aligned columns; the first row is the heading. Columns whose cells are numbers stand right.
std::string table(const std::vector<std::vector<std::string>>& rows);

/// Names for a cell, with commas between them. A line cannot be read where a relational model has hundreds of ops in a function: of many, the first
/// and last, and how many there are between.
std::string shortList(const std::vector<std::string>& names);

struct GraphArguments;

/// --role NAME=ROLE, shared by every command that opens a model.
struct ModelArguments {
    std::string path;
    std::vector<std::string> roles;
    std::vector<std::string> widths;
    std::string rewrites;  ///< empty: the plan's, or all

    void add(CLI::App& command);

    /// plan: file whose rewrites count if none are asked for. graph: what it will run on, read first where the model file may not say what it takes.
    Model open(const Progress& progress, const std::string& plan = {}, GraphArguments* graph = nullptr) const;
};

/// "all", "none", or names with commas between them.
std::set<Rewrite> rewritesOf(const std::string& text);

/// GRAPH and what it is run with, shared by every command that reads one.
struct GraphArguments {
    std::string path;
    GraphOptions options;
    RunOptions run;
    std::string batchSize = "auto", features, targets;
    std::string device;  ///< empty: the plan's, or cpu
    std::string order;  ///< empty: the plan's, or natural
    std::vector<std::string> inputs;

    void add(CLI::App& command, bool required);
    void addSaveAs(CLI::App& command);  ///< for commands that run
    void addMemory(CLI::App& command);  ///< likewise
    void finish();  ///< to be called in the callback: fills run, but for its targets
    bool asksForSome() const { return !targets.empty(); }
    std::string_view asksOfGraph() const;  ///< an option that was given and says something of a graph; empty: none
    RunOptions asked() const;  ///< run, with some targets if there are any, which are not known before the graph is
    /// Files that are read, these among them; where targets are a list, it is the name of none.
    std::vector<std::filesystem::path> filesRead(std::vector<std::filesystem::path> others) const;
    double fileBytes() const;                  ///< of the graph's file, or of all in its folder
    DataGraph read(const Progress& progress);                      ///< fills run.targets; notes go to stderr
    DataGraph read(const Model& model, const Progress& progress);  ///< to run this model on
    std::map<std::string, ArrayShape> shapes(const Progress& progress);  ///< of the graph, which read() then hands out

private:
    std::optional<DataGraph> m_read;
};

/// --undirected, and the GRAPH's option --split.
void addGraphOptions(CLI::App& command, GraphOptions& options);

/// "NAME=VALUE" split at the first equals sign; Error naming the option if there is none.
std::pair<std::string, std::string> nameAndValue(const std::string& text, const std::string& option);

/// "transform-first 1, merge-linears 2"; empty if nothing was rewritten.
std::string rewritesText(const Analysis& analysis);

/// Why a rewrite that nobody asked for is not made. seconds: that it would cost; 0: its rows do not fit into memory.
std::string leftOutText(Rewrite rewrite, double seconds);

/// "1.3 G": numbers of floating-point operations.
std::string flopsText(double flops);

/// stdout, with an Error if it cannot be written (a full disk, a closed pipe).
void print(const std::string& text);

}  // namespace cleave::cli
