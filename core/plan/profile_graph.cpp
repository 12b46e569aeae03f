#include "core/plan/profile_graph.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>
#include <queue>
#include <set>
#include <string_view>
#include <unordered_map>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/format.h"
#include "core/base/ids.h"
#include "core/base/text_sink.h"
#include "core/graph/text_lines.h"
#include "core/plan/dot_text.h"

namespace cleave {

namespace {

constexpr std::string_view separator = " -- ", timesBegin = " -- forward_compute_time=";
constexpr int mostStages = 1 << 10;
constexpr std::size_t mostProfileNodes = 1 << 16, mostProfileEdges = 1 << 18;

std::string named(std::string_view text)
{
    return "'" + printable(text, 40) + "'";
}

// "name=" off the front of the text, up to the next separator.
std::string_view takeField(std::string_view& text, std::string_view name, std::string_view end)
{
    if (!text.starts_with(name) || !text.substr(name.size()).starts_with('='))
        throw Error("has no " + std::string(name));
    text.remove_prefix(name.size() + 1);
    const std::size_t length = std::min(text.find(end), text.size());
    const std::string_view field = text.substr(0, length);
    text.remove_prefix(std::min(text.size(), length + end.size()));
    return field;
}

double amount(std::string_view text, std::string_view name)
{
    constexpr double largest = 1e18;
    double value = 0;
    const std::string_view number = trimmed(text);
    const auto [end, problem] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (problem != std::errc() || end != number.data() + number.size() || !(value >= 0 && value <= largest))
        throw Error("states " + std::string(name) + " as " + named(text) + ", which is no amount");
    return value;
}

// One number, or "[6291456.0; 131072.0]" for several results.
std::vector<double> activations(std::string_view text)
{
    constexpr std::string_view name = "activation_size";
    if (!text.starts_with('[')) {
        const double one = amount(text, name);
        return one > 0 ? std::vector{one} : std::vector<double>();
    }
    if (!text.ends_with(']'))
        throw Error("has a list of sizes without its end");
    text = text.substr(1, text.size() - 2);
    std::vector<double> all;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(';'), text.size());
        all.push_back(amount(text.substr(0, end), name));
        text.remove_prefix(std::min(text.size(), end + 1));
    }
    return all;
}

class ProfileReader {
public:
    ProfileReader(const std::filesystem::path& path, const Progress& progress) : m_lines(path), m_progress(progress)
    {
        m_graph.name = path.stem().string();
    }

    ProfileGraph read()
    {
        while (m_lines.next()) {
            m_progress.update(m_lines.fraction(), "Reading nodes");
            std::int64_t number = m_lines.firstLine();
            for (std::string_view text = m_lines.text(); !text.empty(); ++number) {
                try {
                    addLine(takeLine(text), number);
                } catch (const Error& error) {
                    m_lines.fail(number, error.what());
                }
            }
        }
        if (m_graph.nodes.empty())
            throw Error(m_lines.name() + " has no nodes.");
        addEdges();
        numberStages();
        checkOrder();
        return std::move(m_graph);
    }

private:
    struct Edge {
        std::string from, to;
        std::int64_t line = 0;
    };

    void addLine(std::string_view line, std::int64_t number)
    {
        const std::string_view text = trimmed(line);
        if (text.empty())
            return;
        if (text.find(timesBegin) != std::string_view::npos) {
            addNode(text);
            return;
        }
        const std::size_t end = text.find(separator);
        if (end == std::string_view::npos || text.find(separator, end + 1) != std::string_view::npos)
            throw Error("is neither a node nor an edge of a profile graph");
        if (m_edges.size() >= mostProfileEdges)
            throw Error("is one of more than " + formatCount(mostProfileEdges) + " edges, which is no profile of a model");
        m_edges.push_back({std::string(trimmed(text.substr(0, end))), std::string(trimmed(text.substr(end + separator.size()))), number});
    }

    void addNode(std::string_view text)
    {
        ProfileNode node;
        const std::size_t times = text.rfind(timesBegin), end = std::min(text.find(separator), times);
        node.id = trimmed(text.substr(0, end));
        if (node.id.empty() || node.id.find_first_of(" \t") != std::string::npos)
            throw Error("names a node " + named(node.id) + ", which is no name");
        if (end + separator.size() <= times)
            node.description = printable(trimmed(text.substr(end + separator.size(), times - end - separator.size())), 2000);
        text.remove_prefix(times + separator.size());
        constexpr double milli = 1e-3;
        node.forwardSeconds = milli * amount(takeField(text, "forward_compute_time", ", "), "forward_compute_time");
        node.backwardSeconds = milli * amount(takeField(text, "backward_compute_time", ", "), "backward_compute_time");
        node.activationBytes = activations(takeField(text, "activation_size", ", "));
        node.parameterBytes = amount(takeField(text, "parameter_size", separator), "parameter_size");
        const bool hasStage = !text.empty();
        if (hasStage)
            node.stage = stage(takeField(text, "stage_id", separator));
        if (!m_graph.nodes.empty() && hasStage != m_graph.hasStages)
            throw Error(std::string(hasStage ? "names" : "names no") + " stage, unlike the nodes before it");
        m_graph.hasStages = hasStage;
        if (m_graph.nodes.size() >= mostProfileNodes)
            throw Error("is one of more than " + formatCount(mostProfileNodes) + " nodes, which is no profile of a model");
        if (!m_index.try_emplace(node.id, static_cast<int>(m_graph.nodes.size())).second)
            throw Error("names node " + named(node.id) + " a second time");
        m_graph.nodes.push_back(std::move(node));
    }

    static int stage(std::string_view text)
    {
        std::int64_t number = 0;
        if (!parseNodeNumber(trimmed(text), number) || number >= mostStages)
            throw Error("names stage " + named(text) + ", which is no number of a stage");
        return static_cast<int>(number);
    }

    void addEdges()
    {
        std::set<std::pair<int, int>> known;
        for (const Edge& edge : m_edges) {
            const auto end = [&](const std::string& id) {
                const auto found = m_index.find(id);
                if (found == m_index.end())
                    m_lines.fail(edge.line, "leads to or from node " + named(id) + ", which is not there");
                return found->second;
            };
            const std::pair<int, int> ends{end(edge.from), end(edge.to)};
            if (ends.first == ends.second)
                m_lines.fail(edge.line, "leads from node " + named(edge.from) + " to itself");
            if (m_graph.nodes[at(ends.first)].stage > m_graph.nodes[at(ends.second)].stage)
                m_lines.fail(edge.line, "leads from stage " + std::to_string(m_graph.nodes[at(ends.first)].stage) + " back to stage " +
                                            std::to_string(m_graph.nodes[at(ends.second)].stage));
            if (known.insert(ends).second)
                m_graph.edges.push_back(ends);
        }
    }

    void numberStages()
    {
        for (const ProfileNode& node : m_graph.nodes)
            m_graph.stages.push_back(node.stage);
        std::ranges::sort(m_graph.stages);
        m_graph.stages.erase(std::unique(m_graph.stages.begin(), m_graph.stages.end()), m_graph.stages.end());
        for (ProfileNode& node : m_graph.nodes)
            node.stage = static_cast<int>(std::ranges::lower_bound(m_graph.stages, node.stage) - m_graph.stages.begin());
    }

    void checkOrder() const
    {
        const std::vector<int> order = m_graph.inOrder();
        if (order.size() == m_graph.nodes.size())
            return;
        std::vector<bool> isDone(m_graph.nodes.size(), false);
        for (const int node : order)
            isDone[at(node)] = true;
        const auto left = std::ranges::find(isDone, false) - isDone.begin();
        throw Error(m_lines.name() + " has a cycle, at or before node " + named(m_graph.nodes[static_cast<std::size_t>(left)].id) + ".");
    }

    TextLines m_lines;
    const Progress& m_progress;
    ProfileGraph m_graph;
    std::unordered_map<std::string, int> m_index;
    std::vector<Edge> m_edges;
};

std::string fixed(double value, int digits)
{
    std::array<char, 400> text{};
    const auto [end, problem] = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, digits);
    return {text.data(), problem == std::errc() ? end : text.data()};
}

// What would end a description early, or the line.
std::string inOneField(const std::string& description)
{
    std::string text = printable(description, 2000);
    for (std::size_t found = 0; (found = text.find(separator, found)) != std::string::npos;)
        text.replace(found, separator.size(), " - ");
    return text;
}

}  // namespace

double ProfileNode::activation() const
{
    return std::accumulate(activationBytes.begin(), activationBytes.end(), 0.0);
}

std::vector<int> ProfileGraph::inOrder() const
{
    std::vector<std::vector<int>> readers(nodes.size());
    std::vector<int> waitsFor(nodes.size(), 0);
    for (const auto& [from, to] : edges) {
        readers[at(from)].push_back(to);
        ++waitsFor[at(to)];
    }
    std::priority_queue<int, std::vector<int>, std::greater<>> ready;
    for (std::size_t i = 0; i < nodes.size(); ++i)
        if (waitsFor[i] == 0)
            ready.push(static_cast<int>(i));
    std::vector<int> order;
    while (!ready.empty()) {
        const int node = ready.top();
        ready.pop();
        order.push_back(node);
        for (const int reader : readers[at(node)])
            if (--waitsFor[at(reader)] == 0)
                ready.push(reader);
    }
    return order;
}

std::vector<StageTotals> stageTotals(const ProfileGraph& graph)
{
    std::vector<StageTotals> totals(graph.stages.size());
    for (const ProfileNode& node : graph.nodes) {
        StageTotals& stage = totals[at(node.stage)];
        ++stage.nodes;
        stage.forwardSeconds += node.forwardSeconds;
        stage.backwardSeconds += node.backwardSeconds;
        stage.parameterBytes += node.parameterBytes;
        stage.activationBytes += node.activation();
    }
    std::vector<int> lastRead(graph.nodes.size(), -1);
    for (const auto& [from, to] : graph.edges)
        lastRead[at(from)] = std::max(lastRead[at(from)], graph.nodes[at(to)].stage);
    std::vector<std::pair<int, double>> more(totals.size());  // than the stage before
    for (std::size_t i = 0; i < graph.nodes.size(); ++i)
        if (const int stage = graph.nodes[i].stage; stage < lastRead[i])
            for (const auto& [where, sign] : {std::pair{stage, 1}, {lastRead[i], -1}}) {
                more[at(where)].first += sign;
                more[at(where)].second += sign * graph.nodes[i].activation();
            }
    std::pair<int, double> now;
    for (std::size_t s = 0; s < totals.size(); ++s) {
        now = {now.first + more[s].first, now.second + more[s].second};
        totals[s].handedOn = now.first;
        totals[s].handedOnBytes = now.first > 0 ? std::max(now.second, 0.0) : 0;
    }
    return totals;
}

StageTotals sumOf(const std::vector<StageTotals>& stages)
{
    StageTotals all;
    for (const StageTotals& stage : stages) {
        all.nodes += stage.nodes;
        all.forwardSeconds += stage.forwardSeconds;
        all.backwardSeconds += stage.backwardSeconds;
        all.parameterBytes += stage.parameterBytes;
        all.activationBytes += stage.activationBytes;
    }
    return all;
}

bool isProfileGraph(const std::filesystem::path& path)
{
    std::error_code problem;
    if (!std::filesystem::is_regular_file(path, problem))
        return false;
    try {
        TextLines lines(path);
        if (!lines.next())
            return false;
        for (std::string_view text = lines.text(); !text.empty();)
            if (const std::string_view line = trimmed(takeLine(text)); !line.empty())
                return line.find(timesBegin) != std::string_view::npos;
    } catch (const Error&) {
        // no text
    }
    return false;
}

ProfileGraph readProfileGraph(const std::filesystem::path& path, const Progress& progress)
{
    return ProfileReader(path, progress).read();
}

void writeProfileGraph(const std::filesystem::path& path, const ProfileGraph& graph)
{
    writeBeside(path, [&](const std::filesystem::path& file) {
        TextSink sink(file, false, path);
        for (const ProfileNode& node : graph.nodes) {
            std::vector<std::string> sizes;
            for (const double bytes : node.activationBytes)
                sizes.push_back(fixed(bytes, 1));
            const std::string activation = sizes.empty() ? "0.0" : sizes.size() == 1 ? sizes.front() : "[" + join(sizes, "; ") + "]";
            sink.write(node.id + " -- " + inOneField(node.description) + " -- forward_compute_time=" + fixed(1e3 * node.forwardSeconds, 6) +
                       ", backward_compute_time=" + fixed(1e3 * node.backwardSeconds, 6) + ", activation_size=" + activation +
                       ", parameter_size=" + fixed(node.parameterBytes, 3) +
                       (graph.hasStages ? " -- stage_id=" + std::to_string(graph.stages[at(node.stage)]) : "") + "\n");
        }
        for (const auto& [from, to] : graph.edges)
            sink.write("\t" + graph.nodes[at(from)].id + " -- " + graph.nodes[at(to)].id + "\n");
        sink.close();
    });
}

std::string toDot(const ProfileGraph& graph)
{
    std::string text = dotHead(graph.name);
    const std::vector<StageTotals> totals = stageTotals(graph);
    std::vector<std::vector<const ProfileNode*>> nodesOf(totals.size());
    for (const ProfileNode& node : graph.nodes)
        nodesOf[at(node.stage)].push_back(&node);
    for (std::size_t s = 0; s < totals.size(); ++s) {
        text += "  subgraph cluster_" + std::to_string(s) + " {\n    label=" +
                dotQuoted("stage " + std::to_string(graph.stages[s]) + ", " + formatSeconds(totals[s].forwardSeconds)) + ";\n";
        for (const ProfileNode* node : nodesOf[s])
            text += "    " + dotQuoted(node->id) + " [label=" + dotQuoted(printable(node->description, 60)) + ", fillcolor=\"" +
                    dotFill(node->stage, static_cast<int>(graph.stages.size()) - 1) + "\"];\n";
        text += "  }\n";
    }
    for (const auto& [from, to] : graph.edges) {
        const ProfileNode &writer = graph.nodes[at(from)], &reader = graph.nodes[at(to)];
        text += dotArrow(writer.id, reader.id, writer.stage < reader.stage ? "style=bold, label=" + dotQuoted(formatBytes(writer.activation())) : "");
    }
    return text + "}\n";
}

}  // namespace cleave
