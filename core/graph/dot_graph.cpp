#include "core/graph/dot_graph.h"

#include <cgraph.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <mutex>

#include "core/base/error.h"
#include "core/base/format.h"
#include "core/base/text_source.h"
#include "core/graph/attributed_graph.h"
#include "core/graph/text_lines.h"

namespace cleave {

namespace {

constexpr std::size_t mostBytes = std::size_t{64} << 20;
constexpr int deepest = 64;

struct CloseGraph {
    void operator()(Agraph_t* graph) const { agclose(graph); }
};
using Graph = std::unique_ptr<Agraph_t, CloseGraph>;

// Numbers that say how a graph is drawn.
bool isOfDrawing(std::string_view name)
{
    static constexpr std::array words{"area",     "arrowsize",    "constraint",    "decorate",      "distortion",  "fixedsize", "fontsize", "group",
                                      "height",   "labelangle",   "labeldistance", "labelfontsize", "labelfloat",  "layer",     "len",      "margin",
                                      "minlen",   "nojustify",    "orientation",   "penwidth",      "peripheries", "pin",       "pos",      "regular",
                                      "root",     "samplepoints", "showboxes",     "sides",         "skew",        "sortv",     "width",    "z",
                                      "headclip", "tailclip"};
    return std::ranges::find(words, name) != words.end();
}

// What cgraph said first while a file was parsed; its parser and its errors are the process's.
std::mutex parserMutex;
std::string firstMessage;

int keepMessage(char* text)
{
    if (firstMessage.size() < 300)
        firstMessage += text;
    return 0;
}

std::string readWhole(const std::filesystem::path& path, const Progress& progress)
{
    constexpr std::size_t atOnce = std::size_t{1} << 16;
    TextSource source(path);
    std::string text;
    for (std::size_t got = atOnce; got == atOnce && text.size() <= mostBytes;) {
        progress.update(source.fraction(), "Reading the graph");
        const std::size_t before = text.size();
        text.resize(before + atOnce);
        got = source.read(text.data() + before, atOnce);
        text.resize(before + got);
    }
    if (text.size() > mostBytes)
        throw Error(source.name() + " is larger than 64 MiB: write a graph of this size as a list of edges.");
    if (text.find('\0') != std::string::npos)
        throw Error(source.name() + " holds a NUL byte: it is no DOT file.");
    return text.starts_with("\xEF\xBB\xBF") ? text.substr(3) : text;
}

// Behind the comment or the text in quotes that begins at i; i where neither does.
std::size_t behind(std::string_view text, std::size_t i)
{
    const auto after = [&](std::string_view end, std::size_t from) {
        const std::size_t at = text.find(end, from);
        return at == std::string_view::npos ? text.size() : at + end.size();
    };
    const std::string_view rest = text.substr(i);
    if (rest.starts_with("//") || (rest[0] == '#' && (i == 0 || text[i - 1] == '\n')))
        return after("\n", i);
    if (rest.starts_with("/*"))
        return after("*/", i + 2);
    if (rest[0] != '"')
        return i;
    for (++i; i < text.size() && text[i] != '"'; ++i)
        i += text[i] == '\\';
    return std::min(text.size(), i + 1);
}

// How deep braces, and angle brackets of HTML, lie inside each other: so deep cgraph's parser would go.
int depthOf(std::string_view text)
{
    int braces = 0, angles = 0, most = 0;
    for (std::size_t i = 0; i < text.size();) {
        if (const std::size_t next = behind(text, i); next != i) {
            i = next;
            continue;
        }
        const char c = text[i++];
        braces += (c == '{') - (c == '}');
        angles = std::max(0, angles + (c == '<') - (c == '>'));
        most = std::max({most, braces, angles});
    }
    return most;
}

Graph parse(const std::string& text, const std::string& name)
{
    firstMessage.clear();
    agseterrf(keepMessage);
    agseterr(AGWARN);
    agreseterrors();
    Graph graph(agmemread(text.c_str()));
    std::string message = printable(firstMessage, 200);
    std::ranges::replace(message, '?', ' ');
    message = trimmed(message);
    if (message.starts_with("Error: "))
        message.erase(0, 7);
    if (!graph || agerrors() > 0)
        throw Error(name + " is no graph in DOT" + (message.empty() ? "." : ": " + message + "."));
    return graph;
}

class DotGraph {
public:
    DotGraph(Agraph_t* graph, const std::string& name, const Progress& progress) : m_dot(graph), m_graph(name), m_progress(progress) {}

    GraphArrays read()
    {
        const std::vector<Agsym_t*> ofNodes = symbols(AGNODE), ofEdges = symbols(AGEDGE);
        for (Agnode_t* node = agfstnode(m_dot); node; node = agnxtnode(m_dot, node)) {
            m_progress.check();
            take(m_graph.ofNodes(), node, ofNodes, m_graph.node(agnameof(node)));
        }
        std::vector<Agedge_t*> edges;
        for (Agnode_t* node = agfstnode(m_dot); node; node = agnxtnode(m_dot, node))
            for (Agedge_t* edge = agfstout(m_dot, node); edge; edge = agnxtout(m_dot, edge))
                edges.push_back(edge);
        std::ranges::sort(edges, {}, [](Agedge_t* edge) { return AGSEQ(edge); });
        for (Agedge_t* edge : edges) {
            m_progress.check();
            const std::int64_t number = m_graph.edge(nodeOf(agtail(edge)), nodeOf(aghead(edge)), agisdirected(m_dot));
            take(m_graph.ofEdges(), edge, ofEdges, number);
        }
        return m_graph.finish();
    }

private:
    std::int64_t nodeOf(Agnode_t* node) const { return m_graph.findNode(agnameof(node)); }

    // Of those whose values may be numbers for a model.
    std::vector<Agsym_t*> symbols(int kind) const
    {
        std::vector<Agsym_t*> all;
        for (Agsym_t* symbol = agnxtattr(m_dot, kind, nullptr); symbol; symbol = agnxtattr(m_dot, kind, symbol))
            if (!isOfDrawing(symbol->name))
                all.push_back(symbol);
        std::ranges::sort(all, {}, [](Agsym_t* symbol) { return symbol->id; });
        return all;
    }

    static void take(AttributeColumns& columns, void* object, const std::vector<Agsym_t*>& symbols, std::int64_t row)
    {
        float number = 0;
        for (Agsym_t* symbol : symbols)
            if (parseNumber(agxget(object, symbol), number))
                columns.set(symbol->name, row, number);
    }

    Agraph_t* m_dot;
    AttributedGraph m_graph;
    const Progress& m_progress;
};

}  // namespace

GraphArrays readDot(const std::filesystem::path& path, const Progress& progress)
{
    const std::string text = readWhole(path, progress), name = printable(path.filename().string());
    if (depthOf(text) > deepest)
        throw Error(name + " has more than " + std::to_string(deepest) + " subgraphs inside each other: this is no graph for Cleave.");
    const std::lock_guard lock(parserMutex);
    const Graph graph = parse(text, name);
    try {
        return DotGraph(graph.get(), name, progress).read();
    } catch (const Error& error) {
        const std::string why = error.what();
        throw Error(why.starts_with(name) ? why : name + ": " + why);
    }
}

}  // namespace cleave
