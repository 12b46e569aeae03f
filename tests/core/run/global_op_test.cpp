// Global ops that go through rows piece by piece, in memory and in files.
#include "core/run/global_op.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include <limits>
#include <set>

#include "core/base/mapping.h"
#include "core/base/memory_bound.h"
#include "core/base/pages.h"
#include "core/run/file_rows.h"
#include "core/run/global_rows.h"
#include "core/run/run.h"
#include "core/run/tensors.h"
#include "tests/core/run/zoo_files.h"

namespace cleave {
namespace {

using test::mebi;

std::filesystem::path pathOf(const std::string& name)
{
    const auto zoo = test::zooFile(name + ".pt2");
    return std::filesystem::exists(zoo) ? zoo : test::testDir() / "models/adversarial" / (name + ".pt2");
}

// Global ops of a model that read rows of nodes all at once.
std::multiset<std::string> atOnce(const std::string& name)
{
    const Model model = openModel(pathOf(name));
    std::multiset<std::string> targets;
    for (std::size_t i = 0; i < model.program().ops.size(); ++i)
        if (const OpId id{static_cast<int>(i)};
            model.analysis->ops[id].kind == OpKind::Global && readsNodes(*model.analysis, id) && !globalOp(*model.analysis, id))
            targets.insert(model.program()[id].target);
    return targets;
}

TEST(GlobalOp, GoesThroughRowsPieceByPiece)
{
    for (const char* name : {"statistics_of_nodes",   "products_of_nodes",  "statistics_of_columns",
                             "reduces_into_clusters", "graph_norm_batch",   "pair_norm",
                             "layer_norm_graph",      "layer_norm_batch",   "instance_norm_batch",
                             "mean_subtraction",      "pool_all",           "pool_mean",
                             "pool_add_max",          "pool_attention",     "pool_softmax",
                             "pool_set2set",          "pool_every_layer",   "readout_all",
                             "virtual_node",          "softmax_over_nodes", "han"})
        EXPECT_TRUE(atOnce(name).empty()) << name << ": " << testing::PrintToString(atOnce(name));
    EXPECT_EQ(atOnce("row_of_the_largest"), std::multiset<std::string>{"aten::max"});
    EXPECT_EQ(atOnce("sorts_nodes"), std::multiset<std::string>{"aten::sort"});
    EXPECT_EQ(atOnce("batch_statistics"), (std::multiset<std::string>{"aten::batch_norm", "aten::batch_norm"})) << "while memory is not bound";
    const test::TemporaryFolder folder;
    const MemoryBound bound(64 * mebi, folder.path());
    EXPECT_TRUE(atOnce("batch_statistics").empty());
    EXPECT_TRUE(atOnce("instance_norm").empty());
}

// So many nodes that their rows lie in files under a small bound, in graphs of which some are empty.
DataGraph largeGraph(const DataGraph& small, std::int64_t nodes)
{
    constexpr std::int64_t graphs = 50;
    DataGraph graph = small;
    graph.numNodes = nodes;
    const auto set = [&](const std::string& name, const at::Tensor& rows) {
        if (graph.arrays.contains(name))
            graph.arrays[name] = toArray(rows);
    };
    at::manual_seed(3);
    set("x", at::randn({nodes, small.arrays.at("x").shape[1]}) + 0.5);
    set("edge_index", at::randint(nodes, {2, 2 * nodes}, at::kLong));
    const at::Tensor batch = at::arange(nodes, at::kLong).mul(graphs).floor_divide(nodes).floor_divide(3).mul(3);
    set("batch", batch);
    set("ptr", at::searchsorted(batch, at::arange(graphs + 1, at::kLong)));
    std::erase_if(graph.arrays, [](const auto& array) { return array.first.starts_with("expected"); });
    return graph;
}

double differenceOf(const Array& found, const Array& expected)
{
    const at::Tensor a = toTensor(found).to(at::kDouble), b = toTensor(expected).to(at::kDouble);
    EXPECT_EQ(a.sizes(), b.sizes());
    EXPECT_TRUE(a.isnan().equal(b.isnan()));
    return ((a - b).abs() / b.abs().max().clamp_min(1e-3)).nan_to_num(0).max().item<double>();
}

// As LibTorch has them: the mean of nothing is no number, nor is that beside a variance which is none.
TEST(GlobalOp, MeansBesideVariancesAreLibTorchs)
{
    const Model model = openModel(pathOf("statistics_of_nodes"));
    at::Tensor infinite = at::randn({5, 3}, at::kFloat);
    infinite[1][2] = std::numeric_limits<float>::infinity();
    int tried = 0;
    for (std::size_t i = 0; i < model.program().ops.size(); ++i) {
        const OpId id{static_cast<int>(i)};
        if (model.program()[id].target != "aten::var_mean")
            continue;
        const auto op = globalOp(*model.analysis, id);
        ASSERT_TRUE(op);
        for (const at::Tensor& rows : {at::randn({5, 3}), infinite, at::randn({0, 3})}) {
            const std::vector<at::Tensor> found = op->run({rows});
            const auto [variance, mean] = at::var_mean(rows, at::IntArrayRef{0});
            EXPECT_TRUE(at::allclose(found[0], variance, 1e-4, 1e-5, true)) << found[0] << variance;
            EXPECT_TRUE(at::allclose(found[1], mean, 1e-4, 1e-5, true)) << found[1] << mean;
        }
        ++tried;
    }
    EXPECT_EQ(tried, 1);
}

class BoundGlobalOps : public testing::TestWithParam<const char*> {};

TEST_P(BoundGlobalOps, GiveWhatTheWholeGraphGives)
{
    const Model model = openModel(pathOf(GetParam()));
    const DataGraph graph = largeGraph(readGraph(pathOf(GetParam()).replace_extension(".npz")), 6'000);
    const RunResult expected = runFullGraph(model, graph);
    const test::TemporaryFolder folder;
    const auto check = [&](const RunOptions& options, double tolerance, const char* what) {
        const RunResult found = runLayerWise(model, graph, options);
        for (std::size_t i = 0; i < expected.outputs.size(); ++i)
            EXPECT_LE(differenceOf(found.outputs[i].array, expected.outputs[i].array), tolerance) << what << ", " << found.outputs[i].name;
    };
    RunOptions options;
    options.batchSize = 900;
    check(options, 1e-4, "unbound");
    const MemoryBound bound(mebi / 4, folder.path());
    const std::uint64_t before = fileTraffic().read;
    check(options, 1e-4, "bound");
    options.threads = 1;
    options.narrowStore = true;
    check(options, 0.1, "narrow");
    options.narrowStore = false;
    options.store = folder / "store";
    check(options, 1e-4, "kept");
    options.resume = true;
    check(options, 1e-4, "taken up again");
    EXPECT_GT(fileTraffic().read, before) << "rows lie in files";
}

std::vector<const char*> modelsWithGlobalOps()
{
    // Each way of reducing once; the others when there is time.
    std::vector<const char*> models{"statistics_of_nodes", "products_of_nodes", "reduces_into_clusters", "graph_norm_batch", "batch_statistics",
                                    "pool_add_max", "pool_softmax", "virtual_node", "softmax_over_nodes"};
    if (test::hasTime())
        models.insert(models.end(), {"statistics_of_columns", "readout_all", "graph_norm", "pair_norm", "layer_norm_graph", "instance_norm",
                                     "instance_statistics", "pool_attention", "pool_set2set", "pool_and_nodes"});
    return models;
}

INSTANTIATE_TEST_SUITE_P(Zoo, BoundGlobalOps, testing::ValuesIn(modelsWithGlobalOps()),
                         [](const auto& model) { return std::string(model.param); });

// What LibTorch does with all rows at once runs where they fit, and is refused before anything runs where they do not.
TEST(AllRowsAtOnce, MustFitIntoTheBound)
{
    struct Case {
        std::string model, op;
        Kernels kernels;
    };
    for (const Case& c : {Case{"cumsum_over_nodes", "(aten::cumsum)", Kernels::All}, Case{"sorts_nodes", "(aten::sort)", Kernels::All},
                          Case{"softmax_over_nodes", "softmax)", Kernels::None}}) {
        const Model model = openModel(pathOf(c.model));
        const DataGraph graph = largeGraph(readGraph(pathOf(c.model).replace_extension(".npz")), 100'000);
        const RunResult expected = runFullGraph(model, graph);
        const test::TemporaryFolder folder;
        RunOptions options;
        options.kernels = c.kernels;
        {
            const MemoryBound bound(1000 * mebi, folder.path());
            const RunResult found = runLayerWise(model, graph, options);
            for (std::size_t i = 0; i < expected.outputs.size(); ++i)
                EXPECT_LE(differenceOf(found.outputs[i].array, expected.outputs[i].array), 1e-3) << c.model;
        }
        const MemoryBound bound(4 * mebi, folder.path());
        const std::string refusal = test::errorOf([&] { runLayerWise(model, graph, options); });
        EXPECT_TRUE(refusal.starts_with("With all rows at once, op '")) << refusal;
        EXPECT_THAT(refusal, testing::HasSubstr(c.op));
        EXPECT_THAT(refusal, testing::EndsWith(", more than the 4.19 MB that it may take."));
    }
}

// Rows in a file, under a bound that they do not fit into.
TEST(GlobalRows, OfAFileAreReadOnceAndGiveTheSameBytes)
{
    constexpr std::int64_t count = 60'001;
    const test::TemporaryFolder folder;
    const at::Tensor rows = at::randn({count, 40}), index = at::randint(7, {count}, at::kLong);
    const RowTotals sum = reduceRows(rows, 0, Total::Sum), sums = reduceRows(rows, 0, Total::Sum, {index, 7});
    const MemoryBound bound(4 * mebi, folder.path());
    const Mapping file = Mapping::temporary(folder.path(), rows.nbytes());
    const at::Tensor stored = at::from_blob(file.data(), rows.sizes(), at::kFloat);
    stored.copy_(rows);
    ASSERT_TRUE(goesThroughFile(stored));
    const std::uint64_t before = fileTraffic().read;
    EXPECT_TRUE(std::ranges::equal(reduceRows(stored, 0, Total::Sum).totals(), sum.totals()));
    EXPECT_EQ(fileTraffic().read - before, rows.nbytes());
    EXPECT_TRUE(std::ranges::equal(reduceRows(stored, 0, Total::Sum, {index, 7}).totals(), sums.totals()));
    EXPECT_TRUE(mapRows(stored, 0, at::kFloat, [](const at::Tensor& piece) { return piece * 2; }).equal(rows * 2));
    EXPECT_THROW(reduceRows(stored, 0, Total::Sum, {index, 6}), c10::Error) << "a row belongs to none of the six";
}

}  // namespace
}  // namespace cleave
