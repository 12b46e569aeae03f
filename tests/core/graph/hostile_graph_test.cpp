#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "core/base/zip.h"
#include "core/graph/blocks.h"
#include "core/graph/data_graph.h"
#include "core/graph/generate.h"
#include "core/graph/write_graph.h"
#include "core/graph/npy.h"
#include "tests/core/test_files.h"

namespace cleave {
namespace {

using test::errorOf;

using Files = std::map<std::string, std::string>;

std::string npy(const std::string& descr, const std::string& shape, const std::string& data)
{
    const std::string header = "{'descr': " + descr + ", 'fortran_order': False, 'shape': " + shape + ", }\n";
    std::string file("\x93NUMPY\x01\x00", 8);
    file += static_cast<char>(header.size());
    file += '\0';
    file += header;
    file += data;
    return file;
}

template <class T>
std::string raw(const std::vector<T>& values)
{
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

std::string integers(const std::string& shape, const std::vector<std::int64_t>& values) { return npy("'<i8'", shape, raw(values)); }
std::string doubles(const std::string& shape, const std::vector<double>& values) { return npy("'<f8'", shape, raw(values)); }

Files tinyFiles()
{
    return {{"edge_index", integers("(2, 2)", {0, 1, 1, 2})}, {"x", doubles("(3, 1)", {1, 2, 3})}, {"num_nodes", integers("()", {3})}};
}

std::string zipped(const Files& files)
{
    const test::TemporaryFolder folder;
    std::vector<NewZipEntry> entries;
    for (const auto& [name, bytes] : files)
        entries.push_back({name + ".npy", std::as_bytes(std::span(bytes))});
    writeZip(folder / "g.npz", entries);
    return test::readText(folder / "g.npz");
}

DataGraph graphOf(const Files& files, const GraphOptions& options = {})
{
    const std::string zip = zipped(files);
    const test::TemporaryFolder folder;
    test::writeText(folder / "g.npz", zip);
    return readGraph(folder / "g.npz", options);
}

std::string refusalOfArray(const std::string& name, const std::string& file, const GraphOptions& options = {})
{
    Files files = tinyFiles();
    files[name] = file;
    return errorOf([&] { graphOf(files, options); });
}

std::vector<std::int64_t> labelsOf(const std::string& y)
{
    Files files = tinyFiles();
    files["y"] = y;
    const DataGraph graph = graphOf(files);
    if (!graph.labels)
        return {};
    return {graph.labels->as<std::int64_t>(), graph.labels->as<std::int64_t>() + graph.labels->count()};
}

TEST(GraphArrays, KeepsDoublesAndForgetsNoFurtherArray)
{
    Files files = tinyFiles();
    files["edge_weight"] = doubles("(2,)", {0.5, 0.25});
    files["meta"] = npy("'<U2'", "()", std::string(8, 'x'));
    files["when"] = npy("'<M8[ns]'", "(1,)", std::string(8, 'x'));
    files["record"] = npy("[('a', '<f4'), ('b', '<i4')]", "(1,)", std::string(8, 'x'));
    files["object"] = npy("'|O'", "(1,)", "\x80\x04.");
    const DataGraph graph = graphOf(files);
    EXPECT_EQ(graph.arrays.at("x").dtype, DType::Float64);
    EXPECT_EQ(graph.arrays.at("edge_weight").as<double>()[1], 0.25);
    EXPECT_EQ(graph.arrays.size(), 3U) << "texts and the like are no inputs";
}

TEST(GraphArrays, WidensIntegerEdges)
{
    Files files = tinyFiles();
    files["edge_index"] = npy("'<i4'", "(2, 2)", raw<std::int32_t>({0, 1, 1, 2}));
    const DataGraph graph = graphOf(files);
    EXPECT_EQ(graph.arrays.at("edge_index").dtype, DType::Int64);
    EXPECT_EQ(graph.arrays.at("edge_index").as<std::int64_t>()[3], 2);
}

TEST(GraphArrays, CountsNodesByFeaturesOrLabels)
{
    Files files = tinyFiles();
    files.erase("num_nodes");
    EXPECT_EQ(graphOf(files).numNodes, 3);
    files.erase("x");
    EXPECT_FALSE(graphOf(files).statesNodes) << "three are named by edges";
    files["y"] = integers("(3,)", {0, 1, 0});
    EXPECT_EQ(graphOf(files).numNodes, 3);
}

TEST(GraphArrays, LabelsAreWholeNumbersOfAnyType)
{
    EXPECT_EQ(labelsOf(npy("'<f4'", "(3, 1)", raw<float>({2, std::nanf(""), 0}))), (std::vector<std::int64_t>{2, -1, 0}));
    EXPECT_EQ(labelsOf(npy("'<f2'", "(3,)", raw<std::uint16_t>({0x3c00, 0x4500, 0x7e00}))), (std::vector<std::int64_t>{1, 5, -1}));
    EXPECT_EQ(labelsOf(npy("'|i1'", "(3,)", raw<std::int8_t>({1, -1, 3}))), (std::vector<std::int64_t>{1, -1, 3}));
    EXPECT_EQ(labelsOf(doubles("(3,)", {0.5, 1, 2})), std::vector<std::int64_t>{}) << "values to regress are no classes";
    EXPECT_EQ(labelsOf(doubles("(3,)", {1, std::numeric_limits<double>::infinity(), 2})), std::vector<std::int64_t>{});
    EXPECT_EQ(labelsOf(integers("(3, 2)", {0, 1, 0, 1, 1, 1})), std::vector<std::int64_t>{}) << "several labels a node are no classes";
}

TEST(GraphArrays, MasksHoldOnlyZeroAndOne)
{
    Files files = tinyFiles();
    files["test_mask"] = npy("'|b1'", "(3,)", std::string("\x02\x00\xff", 3));
    const DataGraph graph = graphOf(files);
    EXPECT_EQ(std::memcmp(graph.testMask->data.get(), "\1\0\1", 3), 0);
}

TEST(HostileGraph, MasksOfOtherShapesAreRefused)
{
    EXPECT_NE(refusalOfArray("test_mask", npy("'|b1'", "(3, 2)", std::string(6, '\0'))).find("[splits, nodes]"), std::string::npos);
    EXPECT_NE(refusalOfArray("test_masks", npy("'|b1'", "(3,)", std::string(3, '\0'))).find("[splits, nodes]"), std::string::npos);
    EXPECT_NE(refusalOfArray("test_masks", npy("'|b1'", "(2, 4)", std::string(8, '\0'))).find("3 nodes"), std::string::npos);
    const std::string twoSplits = npy("'|b1'", "(2, 3)", std::string(6, '\0'));
    EXPECT_EQ(refusalOfArray("test_masks", twoSplits, {1}), "") << "a graph need not have all three masks";
    EXPECT_NE(refusalOfArray("test_masks", twoSplits, {2}).find("2 splits"), std::string::npos);
    EXPECT_NE(refusalOfArray("test_masks", twoSplits, {-1}), "");
    EXPECT_NE(refusalOfArray("test_mask", npy("'|b1'", "(3,)", std::string(3, '\0')), {1}).find("one split"), std::string::npos);
    EXPECT_NE(errorOf([] { graphOf(tinyFiles(), {1}); }).find("no splits"), std::string::npos);
}

TEST(HostileGraph, RowsThatDoNotFitAreRefused)
{
    for (const char* name : {"edge_attr", "edge_type", "edge_weight"})
        EXPECT_NE(refusalOfArray(name, doubles("(3,)", {1, 2, 3})).find("2 edges"), std::string::npos);
    EXPECT_NE(refusalOfArray("y", integers("(2,)", {0, 1})).find("3 nodes"), std::string::npos);
    EXPECT_NE(refusalOfArray("x", doubles("()", {1})).find("3 nodes"), std::string::npos);
}

TEST(HostileGraph, EdgesThatAreNoneAreRefused)
{
    EXPECT_NE(refusalOfArray("edge_index", doubles("(2, 1)", {0, 1})).find("float64"), std::string::npos);
    EXPECT_NE(refusalOfArray("edge_index", npy("'<u8'", "(2, 1)", raw<std::uint64_t>({0, ~std::uint64_t{0}}))).find("edge 0"), std::string::npos);
    EXPECT_NE(refusalOfArray("edge_index", npy("'|O'", "(2, 1)", "\x80\x04.")).find("of numbers"), std::string::npos);
    EXPECT_NE(refusalOfArray("edge_index", npy("'>i8'", "(2, 1)", std::string(16, '\0'))).find("little-endian"), std::string::npos);
    EXPECT_EQ(refusalOfArray("edge_index", integers("(2, 0)", {})), "") << "a graph may have no edges";
}

TEST(HostileGraph, CountsOfNodesThatCannotBeAreRefused)
{
    for (const std::int64_t count : {std::int64_t{-1}, std::int64_t{1} << 40, std::numeric_limits<std::int64_t>::max()}) {
        Files files{{"edge_index", integers("(2, 0)", {})}, {"num_nodes", integers("()", {count})}};
        EXPECT_NE(errorOf([&] { graphOf(files); }), "") << count;
    }
    EXPECT_NE(refusalOfArray("num_nodes", doubles("()", {std::nan("")})), "");
    EXPECT_NE(errorOf([] { groupBySegment({}, std::int64_t{1} << 60); }), "");
    EXPECT_NE(errorOf([] { groupBySegment({}, -1); }), "");
}

TEST(HostileGraph, SparseFeaturesThatCannotBeAreRefused)
{
    Files good = tinyFiles();
    good.erase("x");
    good["x_indptr"] = integers("(4,)", {0, 1, 1, 3});
    good["x_indices"] = npy("'<i4'", "(3,)", raw<std::int32_t>({0, 4, 4}));
    good["x_data"] = doubles("(3,)", {1, 2, 3});
    good["x_shape"] = integers("(2,)", {3, 5});
    const DataGraph graph = graphOf(good);
    EXPECT_EQ(graph.arrays.at("x").as<float>()[14], 5) << "repeated entries add up";
    const std::pair<const char*, std::string> wrongs[] = {
        {"x_shape", integers("(2,)", {3, std::int64_t{1} << 31})},
        {"x_shape", integers("(2,)", {std::numeric_limits<std::int64_t>::max(), 5})},
        {"x_shape", integers("(2,)", {3, -5})},
        {"x_shape", integers("(3,)", {3, 5, 1})},
        {"x_indptr", integers("(4,)", {0, 3, -1, 3})},
        {"x_indptr", integers("(4,)", {0, 1, 1, 4})},
        {"x_indptr", integers("(0,)", {})},
        {"x_indptr", doubles("(4,)", {0, 1, std::nan(""), 3})},
        {"x_indices", integers("(3,)", {0, -1, 4})},
        {"x", doubles("(3, 1)", {1, 2, 3})},
    };
    for (const auto& [name, file] : wrongs) {
        Files files = good;
        files[name] = file;
        EXPECT_NE(errorOf([&] { graphOf(files); }), "") << name;
    }
}

TEST(HostileGraph, HeadersThatLieAreRefused)
{
    for (const char* shape : {"(2, 2305843009213693952)", "(9223372036854775807, 9223372036854775807)", "(99999999999999999999, 1)", "(2, 3)",
                              "(-2, -1)", "2, 1", "(2", "", "(a,)"})
        EXPECT_NE(refusalOfArray("edge_index", integers(shape, {0, 1})), "") << shape;
    for (const char* descr : {"", "<i8", "'<i8", "'<i9'", "[", "None", "'<c8'"})
        EXPECT_NE(refusalOfArray("edge_index", npy(descr, "(2, 1)", std::string(16, '\0'))), "") << descr;
    EXPECT_NE(refusalOfArray("edge_index", ""), "");
    EXPECT_NE(refusalOfArray("edge_index", "\x93NUMPY"), "");
    EXPECT_NE(refusalOfArray("edge_index", std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff", 12)), "");
    EXPECT_NE(errorOf([] { parseNpy({}, "test"); }), "");
    const std::string scalar = npy("'<i8'", "()", "");
    EXPECT_NE(errorOf([&] { parseNpy(std::as_bytes(std::span(scalar)), "test"); }), "") << "a scalar without its number";
}

TEST(HostileGraph, DamagedFilesAreOneSentenceOrAValidGraph)
{
    Files files = tinyFiles();
    files["y"] = doubles("(3,)", {0, 1, 2});
    files["test_masks"] = npy("'|b1'", "(2, 3)", std::string(6, '\1'));
    const std::string whole = zipped(files);
    const test::TemporaryFolder folder;
    const auto read = [&](const std::string& bytes) {
        test::writeText(folder / "g.npz", bytes);
        errorOf([&] {
            const DataGraph graph = readGraph(folder / "g.npz");
            EXPECT_EQ(graph.numNodes, 3);
        });
    };
    for (std::size_t length = 0; length < whole.size(); length += 7)
        read(whole.substr(0, length));
    std::mt19937 random(2);
    for (int i = 0; i < 400; ++i) {
        std::string damaged = whole;
        damaged[random() % damaged.size()] = static_cast<char>(random());
        read(damaged);
    }
}

TEST(HostileGraph, ReadsEntriesOfAnyBytesWithoutHarm)
{
    std::mt19937 random(3);
    const std::string good = integers("(2, 2)", {0, 1, 1, 2});
    for (int i = 0; i < 2000; ++i) {
        std::string damaged = good;
        for (int k = 0; k < 1 + i % 3; ++k)
            damaged[random() % damaged.size()] = static_cast<char>(random());
        errorOf([&] { parseNpy(std::as_bytes(std::span(damaged)), "test"); });
    }
}

TEST(GraphFiles, WrittenGraphsReadBackWhole)
{
    const test::TemporaryFolder folder;
    DataGraph graph = karateClub();
    graph.testMask = graphOf({{"edge_index", integers("(2, 0)", {})},
                              {"num_nodes", integers("()", {34})},
                              {"test_mask", npy("'|b1'", "(34,)", std::string(34, '\1'))}})
                         .testMask;
    writeGraph(folder / "karate.npz", graph);
    const DataGraph back = readGraph(folder / "karate.npz");
    EXPECT_EQ(back.name, "karate");
    EXPECT_EQ(back.numNodes, 34);
    EXPECT_EQ(back.numEdges, 156);
    for (const auto& [name, array] : graph.arrays) {
        ASSERT_TRUE(back.arrays.contains(name));
        EXPECT_EQ(back.arrays.at(name).shape, array.shape);
        EXPECT_EQ(std::memcmp(back.arrays.at(name).data.get(), array.data.get(), array.bytes()), 0) << name;
    }
    EXPECT_EQ(back.testMask->count(), 34);
}

TEST(GraphFiles, RmatRefusesWhatIsOutOfRange)
{
    for (const RmatOptions& options : {RmatOptions{.scale = 0}, RmatOptions{.edgeFactor = std::int64_t{1} << 60}, RmatOptions{.features = -1},
                                       RmatOptions{.a = 0.9, .b = 0.9}, RmatOptions{.a = std::nan("")}})
        EXPECT_NE(errorOf([&] { generateRmat(options); }), "");
}

TEST(GraphFiles, RmatGivesTheSameNumbersEverywhere)
{
    const DataGraph graph = generateRmat({.scale = 4, .edgeFactor = 2, .features = 1, .seed = 1});
    const auto* edges = graph.arrays.at("edge_index").as<std::int64_t>();
    EXPECT_EQ((std::vector<std::int64_t>(edges, edges + 6)), (std::vector<std::int64_t>{2, 6, 4, 0, 5, 0}));
    EXPECT_NEAR(graph.arrays.at("x").as<float>()[0], -2.33285, 1e-5);
}

TEST(GraphFiles, ReadsTheDebianPackages)
{
    if (test::dataDir().empty())
        GTEST_SKIP() << "needs CLEAVE_DATA";
    const DataGraph graph = readGraph(test::dataDir() / "debian_packages.npz");
    EXPECT_EQ(graph.numNodes, 135140);
    EXPECT_EQ(graph.numEdges, 1251882);
    EXPECT_TRUE(graph.arrays.contains("package_x") && graph.arrays.contains("edge_type") && graph.arrays.contains("node_type"));
    EXPECT_FALSE(graph.arrays.contains("meta"));
}

}  // namespace
}  // namespace cleave
