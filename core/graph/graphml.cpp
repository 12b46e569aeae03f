#include "core/graph/graphml.h"

#include <expat.h>

#include <exception>
#include <memory>
#include <optional>

#include "core/base/error.h"
#include "core/base/format.h"
#include "core/base/text_source.h"
#include "core/graph/attributed_graph.h"
#include "core/graph/text_lines.h"

namespace cleave {

namespace {

constexpr std::size_t deepestElement = 256, longestValue = std::size_t{1} << 16;

struct Key {
    std::string name;
    bool isNumeric = false, isOfNodes = false, isOfEdges = false;
    std::optional<float> byDefault;
};

struct Edge {
    std::int64_t from, to;  // in endpoints
    bool isDirected;
};

struct FreeParser {
    void operator()(XML_Parser parser) const { XML_ParserFree(parser); }
};

// Names without their namespace's prefix.
std::string_view localName(const char* name)
{
    const std::string_view text = name;
    return text.substr(text.rfind(':') + 1);
}

std::optional<float> numberOf(std::string_view text)
{
    float number = 0;
    if (text == "true" || text == "false")
        return text == "true" ? 1.0F : 0.0F;
    return parseNumber(text, number) ? std::optional(number) : std::nullopt;
}

class GraphMlReader {
public:
    GraphMlReader(const std::filesystem::path& path, const Progress& progress)
        : m_source(path), m_progress(progress), m_parser(XML_ParserCreate(nullptr)), m_graph(m_source.name())
    {
        XML_SetUserData(m_parser.get(), this);
        XML_SetElementHandler(
            m_parser.get(),
            [](void* reader, const char* name, const char** attributes) { of(reader).guard([&] { of(reader).begin(name, attributes); }); },
            [](void* reader, const char*) { of(reader).guard([&] { of(reader).end(); }); });
        XML_SetCharacterDataHandler(m_parser.get(), [](void* reader, const char* text, int length) {
            of(reader).guard([&] { of(reader).take({text, static_cast<std::size_t>(length)}); });
        });
        XML_SetEntityDeclHandler(m_parser.get(),
                                 [](void* reader, const char*, int, const char*, int, const char*, const char*, const char*, const char*) {
                                     of(reader).guard([] { throw Error("declares an entity: Cleave reads GraphML without entities of its own"); });
                                 });
    }

    GraphArrays read()
    {
        constexpr std::size_t atOnce = std::size_t{1} << 16;
        std::vector<char> buffer(atOnce);
        for (bool isLast = false; !isLast;) {
            m_progress.update(m_source.fraction(), "Reading the graph");
            const std::size_t got = m_source.read(buffer.data(), atOnce);
            isLast = got < atOnce;
            const bool isFine = XML_Parse(m_parser.get(), buffer.data(), static_cast<int>(got), isLast) == XML_STATUS_OK;
            if (m_failure)
                std::rethrow_exception(m_failure);
            if (!isFine)
                fail(std::string("is no XML (") + XML_ErrorString(XML_GetErrorCode(m_parser.get())) + ")");
        }
        if (!m_hasGraph)
            throw Error(m_source.name() + " has no element 'graph': it is no GraphML.");
        takeEdges();
        return m_graph.finish();
    }

private:
    static GraphMlReader& of(void* reader) { return *static_cast<GraphMlReader*>(reader); }

    // No exception goes through expat.
    template <class Work>
    void guard(const Work& work)
    {
        if (m_failure)
            return;
        try {
            try {
                work();
            } catch (const Error& error) {
                fail(error.what());
            }
        } catch (...) {
            m_failure = std::current_exception();
            XML_StopParser(m_parser.get(), XML_FALSE);
        }
    }

    [[noreturn]] void fail(std::string why) const
    {
        if (why.ends_with('.'))
            why.pop_back();
        throw Error("Line " + std::to_string(XML_GetCurrentLineNumber(m_parser.get())) + " of " + m_source.name() + " " + why + ".");
    }

    static std::string_view attribute(const char** attributes, std::string_view name)
    {
        for (const char** a = attributes; *a; a += 2)
            if (name == *a)
                return a[1];
        return {};
    }

    void begin(const char* name, const char** attributes)
    {
        if (m_open.size() >= deepestElement)
            throw Error("has more than 256 elements inside each other: this is no GraphML");
        const std::string_view element = localName(name);
        m_open.emplace_back(element);
        m_text.clear();
        if (m_open.size() == 1 && element != "graphml")
            throw Error("begins with element '" + printable(element, 40) + "': GraphML begins with 'graphml'");
        if (element == "graph")
            beginGraph(attributes);
        else if (element == "key")
            beginKey(attributes);
        else if (element == "node")
            beginNode(attributes);
        else if (element == "edge")
            beginEdge(attributes);
        else if (element == "hyperedge")
            throw Error("has a hyperedge: edges of a graph join two nodes");
        else if (element == "data")
            m_dataKey = attribute(attributes, "key");
    }

    void beginGraph(const char** attributes)
    {
        m_hasGraph = true;
        m_areDirected.push_back(attribute(attributes, "edgedefault") != "undirected");
    }

    void beginKey(const char** attributes)
    {
        const std::string_view type = attribute(attributes, "attr.type"), target = attribute(attributes, "for");
        m_keyId = attribute(attributes, "id");
        Key& key = m_keys[m_keyId];
        key.name = attribute(attributes, "attr.name");
        if (key.name.empty())
            key.name = m_keyId;
        key.isNumeric = type == "boolean" || type == "int" || type == "long" || type == "float" || type == "double";
        key.isOfNodes = target.empty() || target == "node" || target == "all";
        key.isOfEdges = target.empty() || target == "edge" || target == "all";
    }

    void beginNode(const char** attributes)
    {
        const std::int64_t before = m_graph.numNodes();
        m_openNodes.push_back(m_graph.node(attribute(attributes, "id")));
        if (m_graph.numNodes() == before)
            throw Error("declares node '" + printable(attribute(attributes, "id"), 40) + "' a second time");
        for (const auto& [id, key] : m_keys)
            if (key.isOfNodes && key.byDefault)
                m_graph.ofNodes().set(key.name, m_openNodes.back(), *key.byDefault);
    }

    void beginEdge(const char** attributes)
    {
        const std::string_view from = attribute(attributes, "source"), to = attribute(attributes, "target"),
                               directed = attribute(attributes, "directed");
        if (from.empty() || to.empty())
            throw Error("has an edge without source or target");
        const bool isDirected = m_areDirected.empty() || m_areDirected.back();
        m_openEdges.push_back(std::ssize(m_edges));
        m_edges.push_back({m_endpoints.add(from), m_endpoints.add(to), directed.empty() ? isDirected : directed == "true"});
        for (const auto& [id, key] : m_keys)
            if (key.isOfEdges && key.byDefault)
                m_graph.ofEdges().set(key.name, m_openEdges.back(), *key.byDefault);
    }

    void take(std::string_view text)
    {
        if (m_open.empty() || (m_open.back() != "data" && m_open.back() != "default"))
            return;
        m_text += text;
        if (m_text.size() > longestValue)
            throw Error("has a value of more than 64 KiB: this is no number, and no GraphML for Cleave");
    }

    void end()
    {
        const std::string element = std::move(m_open.back());
        m_open.pop_back();
        if (element == "default" && !m_open.empty() && m_open.back() == "key" && m_keys[m_keyId].isNumeric)
            m_keys[m_keyId].byDefault = valueOf(m_keys[m_keyId]);
        else if (element == "data" && !m_open.empty() && (m_open.back() == "node" || m_open.back() == "edge"))
            endData(m_open.back() == "node");
        else if (element == "graph")
            m_areDirected.pop_back();
        else if (element == "node")
            m_openNodes.pop_back();
        else if (element == "edge")
            m_openEdges.pop_back();
        m_text.clear();
    }

    void endData(bool isOfNode)
    {
        const auto key = m_keys.find(m_dataKey);
        if (key == m_keys.end() || !key->second.isNumeric)
            return;
        AttributeColumns& columns = isOfNode ? m_graph.ofNodes() : m_graph.ofEdges();
        columns.set(key->second.name, isOfNode ? m_openNodes.back() : m_openEdges.back(), valueOf(key->second));
    }

    float valueOf(const Key& key) const
    {
        const std::string_view text = m_text;
        const std::size_t first = text.find_first_not_of(" \t\r\n");
        const std::string_view value =
            first == std::string_view::npos ? std::string_view() : text.substr(first, text.find_last_not_of(" \t\r\n") + 1 - first);
        if (const auto number = numberOf(value))
            return *number;
        throw Error("has '" + printable(value, 40) + "' for '" + printable(key.name, 40) + "', which is declared as a number");
    }

    // Edges may come before the nodes that they join.
    void takeEdges()
    {
        std::vector<std::int64_t> nodes(static_cast<std::size_t>(m_endpoints.size()));
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            const std::string name = m_endpoints[static_cast<std::int64_t>(i)];
            nodes[i] = m_graph.findNode(name);
            if (nodes[i] < 0)
                throw Error(m_source.name() + " has an edge at node '" + printable(name, 40) + "', which it does not declare.");
        }
        for (const Edge& edge : m_edges)
            m_graph.edge(nodes[static_cast<std::size_t>(edge.from)], nodes[static_cast<std::size_t>(edge.to)], edge.isDirected);
    }

    TextSource m_source;
    const Progress& m_progress;
    std::unique_ptr<XML_ParserStruct, FreeParser> m_parser;
    AttributedGraph m_graph;
    NodeNames m_endpoints;
    std::vector<Edge> m_edges;
    std::map<std::string, Key> m_keys;
    std::vector<std::string> m_open;  // elements around the one at hand
    std::string m_keyId, m_dataKey, m_text;
    // Of what is open, since nodes and edges may hold graphs of their own.
    std::vector<bool> m_areDirected;
    std::vector<std::int64_t> m_openNodes, m_openEdges;
    bool m_hasGraph = false;
    std::exception_ptr m_failure;
};

}  // namespace

GraphArrays readGraphMl(const std::filesystem::path& path, const Progress& progress)
{
    return GraphMlReader(path, progress).read();
}

}  // namespace cleave
