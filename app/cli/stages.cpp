#include "app/cli/stages.h"

#include "app/cli/terminal.h"
#include "core/base/format.h"

namespace cleave::cli {

namespace {

std::string sizeText(double bytes)
{
    return bytes > 0 ? formatBytes(bytes) : "-";
}

std::string timeText(double seconds)
{
    return seconds > 0 ? formatSeconds(seconds) : "-";
}

}  // namespace

std::string stageTable(const ProfileGraph& graph)
{
    std::vector<std::vector<std::string>> rows{{"stage", "nodes", "forward", "backward", "parameters", "activations", "hands on", "bytes"}};
    const std::vector<StageTotals> totals = stageTotals(graph);
    const auto add = [&](const std::string& name, const StageTotals& t, bool isStage) {
        rows.push_back({name, std::to_string(t.nodes), timeText(t.forwardSeconds), timeText(t.backwardSeconds), sizeText(t.parameterBytes),
                        sizeText(t.activationBytes), isStage ? std::to_string(t.handedOn) : "", isStage ? sizeText(t.handedOnBytes) : ""});
    };
    for (std::size_t s = 0; s < totals.size(); ++s)
        add(graph.hasStages ? std::to_string(graph.stages[s]) : "none", totals[s], true);
    if (totals.size() > 1)
        add("all", sumOf(totals), false);
    return table(rows);
}

std::string describeText(const ProfileGraph& graph)
{
    return graph.name + ", a profile graph: " + formatCount(std::ssize(graph.nodes)) + " nodes, " + formatCount(std::ssize(graph.edges)) +
           " edges, " + (graph.hasStages ? formatCount(std::ssize(graph.stages)) : "no") + " stages\n\n" + stageTable(graph);
}

nlohmann::ordered_json profileJson(const ProfileGraph& graph)
{
    nlohmann::ordered_json json{{"profile_graph", graph.name}, {"nodes", graph.nodes.size()}, {"edges", graph.edges.size()}};
    json["stages"] = nlohmann::ordered_json::array();
    const std::vector<StageTotals> totals = stageTotals(graph);
    for (std::size_t s = 0; graph.hasStages && s < totals.size(); ++s) {
        const StageTotals& t = totals[s];
        json["stages"].push_back({{"stage", graph.stages[s]},
                                  {"nodes", t.nodes},
                                  {"forward_seconds", t.forwardSeconds},
                                  {"backward_seconds", t.backwardSeconds},
                                  {"parameter_bytes", t.parameterBytes},
                                  {"activation_bytes", t.activationBytes},
                                  {"hands_on", t.handedOn},
                                  {"hands_on_bytes", t.handedOnBytes}});
    }
    return json;
}

}  // namespace cleave::cli
