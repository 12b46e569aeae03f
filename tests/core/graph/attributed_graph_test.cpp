// GraphML and DOT.
#include <gtest/gtest.h>

#include "tests/core/graph/graph_texts.h"

namespace cleave {
namespace {

using test::Edges;
using test::edgesOf;
using test::graphOf;
using test::namesOf;
using test::numbersOf;
using test::refusalOf;
using Names = std::vector<std::string>;

std::string graphMl(const std::string& graph, const std::string& keys = {})
{
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n" + keys + graph + "</graphml>\n";
}

bool readsDot()
{
    return refusalOf("g.dot", "graph { a -- b }").empty();
}

void expectPart(const std::string& file, const std::string& text, const std::string& part)
{
    EXPECT_NE(refusalOf(file, text).find(part), std::string::npos) << text.substr(0, 200) << ": " << refusalOf(file, text);
}

TEST(GraphMl, AttributesThatAllHaveAreColumns)
{
    const std::string keys =
        "<key id='a' for='node' attr.name='age' attr.type='int'><default> 7 </default></key><key id='l' for='node' attr.name='label' attr.type='long'/>"
        "<key id='s' for='node' attr.name='title' attr.type='string'/><key id='b' for='node' attr.name='known' attr.type='boolean'/>"
        "<key id='p' for='node' attr.name='some' attr.type='double'/><key id='w' for='edge' attr.name='weight' attr.type='double'/>"
        "<key id='t' for='edge' attr.name='time' attr.type='float'/>";
    const DataGraph graph = graphOf(
        "g.graphml", graphMl("<graph edgedefault='directed'>"
                             "<edge source='v' target='u'><data key='w'>1.5</data><data key='t'>4</data></edge>"
                             "<node id='u'><data key='a'>3</data><data key='l'>1</data><data key='s'>hi</data><data key='b'>true</data></node>"
                             "<node id='v'><data key='l'>0</data><data key='b'>0</data><data key='p'>2</data></node>"
                             "<edge source='u' target='v' directed='false'><data key='w'>2</data><data key='t'>5</data></edge></graph>",
                             keys));
    EXPECT_EQ(namesOf(graph), (Names{"u", "v"}));
    EXPECT_EQ(edgesOf(graph), (Edges{{1, 0}, {0, 1}, {1, 0}}));
    EXPECT_EQ(graph.arrays.at("x").shape, (std::vector<std::int64_t>{2, 2}));
    EXPECT_EQ(numbersOf(graph, "x"), (std::vector<float>{3, 1, 7, 0}));
    EXPECT_EQ(numbersOf<std::int64_t>(graph, "y"), (std::vector<std::int64_t>{1, 0}));
    EXPECT_TRUE(graph.labels);
    EXPECT_EQ(numbersOf(graph, "edge_weight"), (std::vector<float>{1.5F, 2, 2}));
    EXPECT_EQ(numbersOf(graph, "edge_attr"), (std::vector<float>{4, 5, 5}));
}

TEST(GraphMl, NumbersInAnotherOrderStayWhatTheyAre)
{
    const std::string keys = "<key id='a' for='node' attr.name='age' attr.type='int'/>";
    const DataGraph graph =
        graphOf("g.graphml.gz",
                graphMl("<graph edgedefault='undirected'><node id='2'><data key='a'>22</data></node><node id='0'><data key='a'>20</data></node>"
                        "<node id='1'><graph id='i' edgedefault='undirected'/><data key='a'>21</data></node>"
                        "<edge source='2' target='1'/><edge source='0' target='0'/></graph>",
                        keys));
    EXPECT_EQ(graph.names, nullptr);
    EXPECT_EQ(edgesOf(graph), (Edges{{2, 1}, {0, 0}, {1, 2}}));
    EXPECT_EQ(numbersOf(graph, "x"), (std::vector<float>{20, 21, 22}));
}

// What follows the graph inside a node or an edge is about what is around it again.
TEST(GraphMl, GraphsInsideNodesAndEdgesEnd)
{
    const std::string keys = "<key id='a' for='node' attr.name='age' attr.type='int'/><key id='w' for='edge' attr.name='weight' attr.type='float'/>";
    const DataGraph graph =
        graphOf("g.graphml",
                graphMl("<graph edgedefault='undirected'>"
                        "<node id='0'><graph edgedefault='directed'><node id='1'><data key='a'>11</data></node></graph><data key='a'>10</data></node>"
                        "<node id='2'><data key='a'>12</data></node>"
                        "<edge source='0' target='2'><graph edgedefault='directed'><edge source='0' target='1'><data key='w'>2</data></edge></graph>"
                        "<data key='w'>3</data></edge>"
                        "<edge source='1' target='2'><data key='w'>4</data></edge></graph>",
                        keys));
    EXPECT_EQ(numbersOf(graph, "x"), (std::vector<float>{10, 11, 12}));
    EXPECT_EQ(edgesOf(graph), (Edges{{0, 2}, {0, 1}, {1, 2}, {2, 0}, {2, 1}}));
    EXPECT_EQ(numbersOf(graph, "edge_weight"), (std::vector<float>{3, 2, 4, 3, 4}));
}

TEST(HostileGraphMl, SaysWhatIsWrong)
{
    expectPart("g.graphml", "", "no element");
    expectPart("g.graphml", "<graphml>", "no element");
    expectPart("g.graphml", "<svg/>", "begins with element 'svg'");
    expectPart("g.graphml", graphMl("<graph><node id='a'></graph>"), "Line 3 of g.graphml is no XML");
    expectPart("g.graphml", graphMl("<graph/>"), "no node");
    expectPart("g.graphml", graphMl("<graph><node id='a'/><node id='a'/></graph>"), "a second time");
    expectPart("g.graphml", graphMl("<graph><node/></graph>"), "without a name");
    expectPart("g.graphml", graphMl("<graph><node id='a'/><edge source='a' target='b'/></graph>"), "node 'b', which it does not declare");
    expectPart("g.graphml", graphMl("<graph><node id='a'/><edge source='a'/></graph>"), "without source or target");
    expectPart("g.graphml", graphMl("<graph><hyperedge/></graph>"), "hyperedge");
    expectPart("g.graphml",
               graphMl("<graph><node id='a'><data key='k'>x</data></node></graph>", "<key id='k' for='node' attr.name='n' attr.type='int'/>"),
               "has 'x' for 'n'");
    expectPart("g.graphml", graphMl("<graph><node id='a'><data key='k'>" + std::string(100'000, '1') + "</data></node></graph>"), "64 KiB");
    expectPart("g.graphml", std::string("<graphml><graph><node id='\0'/></graph></graphml>", 49), "is no XML");
    std::string deep, keys;
    for (int i = 0; i < 10'000; ++i)
        deep += "<node id='n" + std::to_string(i) + "'><graph>";
    expectPart("g.graphml", "<graphml><graph>" + deep, "inside each other");
    for (int i = 0; i < 5000; ++i)
        keys += "<key id='k" + std::to_string(i) + "' for='node' attr.type='int'><default>1</default></key>";
    expectPart("g.graphml", graphMl("<graph><node id='a'/></graph>", keys), "4,096 attributes");
}

TEST(HostileGraphMl, EntitiesAreNotExpanded)
{
    std::string bomb = "<!DOCTYPE graphml [<!ENTITY a 'aaaaaaaaaa'>";
    for (char c = 'b'; c < 'j'; ++c)
        bomb += std::string("<!ENTITY ") + c + " '" + std::string("&") + static_cast<char>(c - 1) + ";&" + static_cast<char>(c - 1) + ";'>";
    expectPart("g.graphml", bomb + "]><graphml><graph><node id='&i;'/></graph></graphml>", "declares an entity");
    expectPart("g.graphml", "<!DOCTYPE graphml [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><graphml/>", "declares an entity");
}

TEST(Dot, AttributesThatAllHaveAreColumns)
{
    if (!readsDot())
        GTEST_SKIP() << "built without Graphviz";
    const DataGraph graph = graphOf(
        "g.gv",
        "/* { */ digraph { node [f=1, width=2, label=hi]; a; subgraph cluster_0 { b [f=2.5] } a -> b [weight=3]; b -> \"c d\":port [weight=4]; a -> b [weight=5] }");
    EXPECT_EQ(namesOf(graph), (Names{"a", "b", "c d"}));
    EXPECT_EQ(edgesOf(graph), (Edges{{0, 1}, {1, 2}, {0, 1}}));
    EXPECT_EQ(graph.arrays.at("x").shape, (std::vector<std::int64_t>{3, 1})) << "Graphviz's own attributes are none of the graph";
    EXPECT_EQ(numbersOf(graph, "x"), (std::vector<float>{1, 2.5F, 1}));
    EXPECT_EQ(numbersOf(graph, "edge_weight"), (std::vector<float>{3, 4, 5}));
}

TEST(Dot, UndirectedHasBothDirections)
{
    if (!readsDot())
        GTEST_SKIP() << "built without Graphviz";
    const DataGraph graph = graphOf("g.dot", "\xEF\xBB\xBF# made by hand: { \" {\ngraph { 1 -- 0; 1 -- 1; 2 }");
    EXPECT_EQ(graph.names, nullptr);
    EXPECT_EQ(edgesOf(graph), (Edges{{1, 0}, {1, 1}, {0, 1}}));
    EXPECT_EQ(graph.numNodes, 3);
}

TEST(HostileDot, SaysWhatIsWrong)
{
    if (!readsDot())
        GTEST_SKIP() << "built without Graphviz";
    expectPart("g.dot", "", "is no graph in DOT");
    expectPart("g.dot", "digraph { a -> ", "syntax error");
    expectPart("g.dot", "digraph { a -- b }", "syntax error");
    expectPart("g.dot", "graph {}", "no node");
    expectPart("g.dot", "graph { \"", "is no graph in DOT");
    expectPart("g.dot", std::string("graph { a\0 }", 12), "NUL byte");
    expectPart("g.dot", "graph { \"a\x01\" }", "control characters");
    expectPart("g.dot", "graph { " + std::string(5000, 'x') + " }", "1,024 bytes");
    std::string deep = "graph ";
    for (int i = 0; i < 100'000; ++i)
        deep += "{ a -> ";
    expectPart("g.dot", deep, "inside each other");
    expectPart("g.dot", "graph { a [label=" + std::string(100'000, '<') + " }", "inside each other");
    EXPECT_EQ(graphOf("g.dot", "graph { a }").numNodes, 1) << "the parser is as it was";
}

}  // namespace
}  // namespace cleave
