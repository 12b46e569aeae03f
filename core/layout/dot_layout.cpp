#include "core/layout/dot_layout.h"

#include <gvc.h>
#include <pthread.h>

#include <cmath>
#include <exception>
#include <functional>
#include <memory>
#include <string>

#include "core/base/error.h"

namespace cleave {

namespace {

constexpr double pointsPerInch = 72;
constexpr std::size_t stackBytes = std::size_t{128} << 20;  // address space only: dot recurses once per box

struct CloseGraph {
    void operator()(Agraph_t* graph) const { agclose(graph); }
};
using Graph = std::unique_ptr<Agraph_t, CloseGraph>;

// cgraph takes char* for names and values that it only copies.
char* text(const std::string& string)
{
    return const_cast<char*>(string.c_str());
}

void set(void* object, const std::string& name, const std::string& value)
{
    agsafeset(object, text(name), text(value), text({}));
}

void set(void* object, const std::string& name, double value)
{
    set(object, name, std::to_string(value));
}

void callFunction(const std::function<void()>& function, std::exception_ptr& error) noexcept
{
    try {
        function();
    } catch (...) {
        error = std::current_exception();
    }
}

struct StackCall {
    const std::function<void()>& function;
    std::exception_ptr error;
};

void* stackCall(void* data)
{
    auto* call = static_cast<StackCall*>(data);
    callFunction(call->function, call->error);
    return nullptr;
}

void runOnLargeStack(const std::function<void()>& function)
{
    StackCall call{function, nullptr};
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, stackBytes);
    pthread_t thread;
    const int failed = pthread_create(&thread, &attributes, stackCall, &call);
    pthread_attr_destroy(&attributes);
    if (failed != 0)
        throw Error("The graph cannot be laid out: the system refuses another thread; close other programs and try again.");
    pthread_join(thread, nullptr);
    if (call.error)
        std::rethrow_exception(call.error);
}

class DotRun {
public:
    DotRun(GVC_t* context, const BandGraph& graph, const LayoutOptions& options)
        : m_context(context), m_input(graph), m_options(options), m_graph(agopen(text("band"), Agdirected, nullptr))
    {
    }

    BandDrawing run()
    {
        addGraph();
        addBoxes();
        addArrows();
        if (gvLayout(m_context, m_graph.get(), "dot") != 0)
            throw Error("Graphviz cannot lay out the graph.");
        BandDrawing drawing = read();
        gvFreeLayout(m_context, m_graph.get());
        return drawing;
    }

private:
    void addGraph()
    {
        Agraph_t* graph = m_graph.get();
        set(graph, "nodesep", m_options.boxGap / pointsPerInch);
        set(graph, "ranksep", m_options.rankGap / pointsPerInch);
        for (std::size_t i = 0; i < m_input.groupParents.size(); ++i) {
            const int parent = m_input.groupParents[i];
            Agraph_t* outer = parent < 0 ? graph : m_groups[static_cast<std::size_t>(parent)];
            m_groups.push_back(agsubg(outer, text("cluster" + std::to_string(i)), 1));
            set(m_groups.back(), "margin", m_options.groupMargin);
        }
        m_first = agsubg(graph, text("first"), 1);
        m_last = agsubg(graph, text("last"), 1);
        set(m_first, "rank", "source");
        set(m_last, "rank", "sink");
    }

    void addBoxes()
    {
        for (std::size_t i = 0; i < m_input.boxes.size(); ++i) {
            const BandBox& box = m_input.boxes[i];
            Agnode_t* node = agnode(m_graph.get(), text(std::to_string(i)), 1);
            set(node, "shape", "box");
            set(node, "fixedsize", "true");
            set(node, "label", "");
            set(node, "width", box.width / pointsPerInch);
            set(node, "height", box.height / pointsPerInch);
            if (box.rank != BandRank::Any)
                agsubnode(box.rank == BandRank::First ? m_first : m_last, node, 1);
            else if (box.group >= 0)
                agsubnode(m_groups[static_cast<std::size_t>(box.group)], node, 1);
            m_nodes.push_back(node);
        }
    }

    void addArrows()
    {
        for (std::size_t i = 0; i < m_input.arrows.size(); ++i) {
            const LayoutArrow& arrow = m_input.arrows[i];
            Agedge_t* edge = agedge(m_graph.get(), m_nodes[static_cast<std::size_t>(arrow.from)],
                                    m_nodes[static_cast<std::size_t>(arrow.to)], text(std::to_string(i)), 1);
            set(edge, "dir", "none");
            m_edges.push_back(edge);
        }
        for (std::size_t i = 1; i < m_input.firstOrder.size(); ++i)
            keepOrder(m_nodes[static_cast<std::size_t>(m_input.firstOrder[i - 1])],
                      m_nodes[static_cast<std::size_t>(m_input.firstOrder[i])]);
    }

    // An arrow within one rank points to the right.
    void keepOrder(Agnode_t* left, Agnode_t* right)
    {
        Agedge_t* edge = agedge(m_graph.get(), left, right, text("order"), 1);
        set(edge, "style", "invis");
        set(edge, "weight", "1");  // dot overlooks the order of arrows of weight 0
    }

    BandDrawing read() const
    {
        BandDrawing drawing;
        for (Agnode_t* node : m_nodes)
            drawing.centres.push_back(point(ND_coord(node)));
        for (std::size_t i = 0; i < m_edges.size(); ++i)
            drawing.paths.push_back(path(m_edges[i], m_input.arrows[i]));
        for (Agraph_t* group : m_groups) {
            const boxf box = GD_bb(group);
            drawing.groups.push_back({box.LL.x, -box.UR.y, box.UR.x, -box.LL.y});
        }
        return drawing;
    }

    static LayoutPoint point(pointf p) { return {p.x, -p.y}; }

    std::vector<LayoutPoint> path(Agedge_t* edge, const LayoutArrow& arrow) const
    {
        std::vector<LayoutPoint> points;
        if (ED_spl(edge) == nullptr || ED_spl(edge)->size == 0)
            return points;
        const bezier& spline = ED_spl(edge)->list[0];
        for (std::size_t i = 0; i < static_cast<std::size_t>(spline.size); ++i)
            points.push_back(point(spline.list[i]));
        if (points.front().y > points.back().y)  // dot may store it from head to tail
            points.assign(points.rbegin(), points.rend());
        snap(points.front(), arrow.from, 1);
        snap(points.back(), arrow.to, -1);
        return points;
    }

    // dot clips splines up to a few points inside the box: moves an end to the lower (1) or upper (-1) edge it is near.
    void snap(LayoutPoint& end, int box, double side) const
    {
        const auto i = static_cast<std::size_t>(box);
        const double edge = -ND_coord(m_nodes[i]).y + side * m_input.boxes[i].height / 2;
        if (std::abs(end.y - edge) < 5)
            end.y = edge;
    }

    GVC_t* m_context;
    const BandGraph& m_input;
    const LayoutOptions& m_options;
    Graph m_graph;
    Agraph_t* m_first = nullptr;
    Agraph_t* m_last = nullptr;
    std::vector<Agraph_t*> m_groups;
    std::vector<Agnode_t*> m_nodes;
    std::vector<Agedge_t*> m_edges;
};

struct FreeContext {
    void operator()(GVC_t* context) const { gvFreeContext(context); }
};

GVC_t* sharedContext()
{
    static const std::unique_ptr<GVC_t, FreeContext> context{gvContext()};
    return context.get();
}

bool hasDotPlugin()
{
    const Graph graph(agopen(text("probe"), Agdirected, nullptr));
    agnode(graph.get(), text("a"), 1);
    const bool works = gvLayout(sharedContext(), graph.get(), "dot") == 0;
    if (works)
        gvFreeLayout(sharedContext(), graph.get());
    return works;
}

}  // namespace

BandDrawing dotLayout(const BandGraph& graph, const LayoutOptions& options)
{
    BandDrawing drawing;
    runOnLargeStack([&] {
        agseterr(AGERR);
        drawing = DotRun(sharedContext(), graph, options).run();
    });
    return drawing;
}

DotGreeting dotGreeting()
{
    return {gvcVersion(sharedContext()), hasDotPlugin()};
}

}  // namespace cleave
