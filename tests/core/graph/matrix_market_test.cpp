#include <gtest/gtest.h>

#include "tests/core/graph/graph_texts.h"

namespace cleave {
namespace {

using test::Edges;
using test::edgesOf;
using test::graphOf;
using test::numbersOf;
using test::refusalOf;

const std::string general = "%%MatrixMarket matrix coordinate real general\n";

TEST(MatrixMarket, RowsAreSourcesAndColumnsTargets)
{
    const DataGraph graph = graphOf("g.mtx", general + "% a comment\n\n4 4 2\n1 2 0.5\n3 1 -1e-3\n");
    EXPECT_EQ(graph.numNodes, 4);
    EXPECT_EQ(edgesOf(graph), (Edges{{0, 1}, {2, 0}}));
    EXPECT_EQ(numbersOf(graph, "edge_weight"), (std::vector<float>{0.5F, -1e-3F}));
}

TEST(MatrixMarket, PatternsHaveNoWeights)
{
    const DataGraph graph = graphOf("g.mtx.gz", "%%MATRIXMARKET Matrix Coordinate Pattern General\r\n2 2 1\r\n2 2\r\n");
    EXPECT_EQ(edgesOf(graph), (Edges{{1, 1}}));
    EXPECT_FALSE(graph.arrays.contains("edge_weight"));
}

TEST(MatrixMarket, SymmetricHasBothDirections)
{
    const DataGraph graph = graphOf("g.mtx", "%%MatrixMarket matrix coordinate integer symmetric\n3 3 3\n1 1 4\n2 1 5\n3 2 6\n");
    EXPECT_EQ(edgesOf(graph), (Edges{{0, 0}, {1, 0}, {2, 1}, {0, 1}, {1, 2}}));
    EXPECT_EQ(numbersOf(graph, "edge_weight"), (std::vector<float>{4, 5, 6, 5, 6}));
    const DataGraph skew = graphOf("g.mtx", "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 5\n");
    EXPECT_EQ(numbersOf(skew, "edge_weight"), (std::vector<float>{5, -5}));
}

TEST(HostileMatrixMarket, SaysWhatIsWrong)
{
    const std::string symmetric = "%%MatrixMarket matrix coordinate pattern skew-symmetric\n";
    for (const auto& [text, part] : {std::pair<std::string, std::string>{"", "ends within its head"},
                                     {"1 2 3\n", "Line 1 of g.mtx is no head"},
                                     {general, "ends within its head"},
                                     {"%%MatrixMarket matrix array real general\n2 2\n1\n", "the matrix is dense"},
                                     {"%%MatrixMarket matrix coordinate complex general\n", "entries are complex"},
                                     {"%%MatrixMarket matrix coordinate real hermitian\n", "the matrix is hermitian"},
                                     {general + "2 3 1\n1 1 1\n", "square matrix"},
                                     {general + "2 2\n", "three sizes"},
                                     {general + "2 2 -1\n", "three sizes"},
                                     {general + "99999999999 99999999999 0\n", "more than the"},
                                     {general + "2 2 2\n1 1 1\n", "is cut off: it has 1 entries of the 2"},
                                     {general + "2 2 999999999999999\n1 1 1\n", "is cut off"},
                                     {general + "2 2 1\n1 1 1\n1 2 1\n", "more entries than the 1"},
                                     {general + "2 2 1\n0 1 1\n", "Line 3 of g.mtx names entry (0, 1)"},
                                     {general + "2 2 1\n3 1 1\n", "names entry (3, 1)"},
                                     {general + "2 2 1\n1 1\n", "must hold a row, a column and a number"},
                                     {general + "2 2 1\n1 1 x\n", "has 'x'"},
                                     {symmetric + "2 2 1\n1 1\n", "diagonal"}})
        EXPECT_NE(refusalOf("g.mtx", text).find(part), std::string::npos) << text << ": " << refusalOf("g.mtx", text);
}

}  // namespace
}  // namespace cleave
