// Terms of a sum, one for each relation, that are run together; masks of relations that are found in one sort.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <random>

#include "core/base/mapping.h"
#include "core/base/memory_bound.h"
#include "core/base/pages.h"
#include "core/plan/cost.h"
#include "core/run/bind.h"
#include "core/run/file_rows.h"
#include "core/run/measure.h"
#include "core/run/relation_sum.h"
#include "tests/core/run/zoo_files.h"

namespace cleave {
namespace {

using test::openZoo;
using test::zooGraph;

template <class Number>
void fill(DataGraph& graph, const std::string& name, DType dtype, const std::vector<std::int64_t>& shape, const std::vector<Number>& numbers)
{
    NewArray array = makeArray(dtype, shape);
    std::memcpy(array.data, numbers.data(), sizeof(Number) * numbers.size());
    graph.arrays[name] = array.array;
}

void setEdges(DataGraph& graph, const std::vector<std::int64_t>& ends, const std::vector<std::int64_t>& types)
{
    graph.numEdges = static_cast<std::int64_t>(types.size());
    fill(graph, "edge_index", DType::Int64, {2, graph.numEdges}, ends);
    fill(graph, "edge_type", DType::Int64, {graph.numEdges}, types);
}

// Every tenth edge leads into node 7; types 0 and 2, one edge of type 1, and numbers that no relation has.
DataGraph largeGraph(std::int64_t nodes, std::int64_t edges)
{
    DataGraph graph = zooGraph("rgcn");
    const std::int64_t width = graph.arrays.at("x").shape[1];
    std::mt19937_64 random(3);
    std::normal_distribution<float> normal;
    std::vector<float> x(static_cast<std::size_t>(nodes * width));
    std::ranges::generate(x, [&] { return normal(random); });
    graph.numNodes = nodes;
    fill(graph, "x", DType::Float32, {nodes, width}, x);
    std::vector<std::int64_t> ends, types;
    for (std::int64_t i = 0; i < 2 * edges; ++i)
        ends.push_back(i >= edges && i % 10 == 0 ? 7 : static_cast<std::int64_t>(random()) & (nodes / 2 - 1));
    for (std::int64_t e = 0; e < edges; ++e)
        types.push_back(e == 100 ? 1 : e % 17 == 0 ? 9 : e % 19 == 0 ? -4 : 2 * static_cast<std::int64_t>(random() % 2));
    setEdges(graph, ends, types);
    return graph;
}

std::vector<float> outputOf(const Model& model, const DataGraph& graph, const RunOptions& options)
{
    const Array output = runLayerWise(model, graph, options).outputs[0].array;
    return {output.as<float>(), output.as<float>() + output.count()};
}

TEST(Relations, GiveWhatTheWholeModelGives)
{
    for (const char* name : {"rgcn", "rgcn_bases"}) {
        const Model model = openZoo(name);
        const DataGraph graph = largeGraph(2048, 40000);
        for (const Kernels kernels : {Kernels::All, Kernels::Reduce, Kernels::None})
            for (const std::int64_t batchSize : {0, 300, 2048})
                for (const NodeOrder order : {NodeOrder::Natural, NodeOrder::Degree}) {
                    RunOptions options;
                    options.kernels = kernels;
                    options.batchSize = batchSize;
                    options.order = order;
                    EXPECT_TRUE(verify(model, graph, {options, {}, {}}).equal())
                        << name << ", kernels " << static_cast<int>(kernels) << ", batches of " << batchSize;
                }
    }
}

// A relation with a hub, one with few edges and one without, as the op is given them.
struct Terms {
    explicit Terms(std::int64_t nodes) : x(at::randn({nodes, 8})), other(at::randn({nodes, 6}))
    {
        const std::vector<std::vector<std::int64_t>> degrees{{3, 20000}, {0, 5}, {0, 0}};
        for (std::size_t r = 0; r < degrees.size(); ++r) {
            std::vector<std::int64_t> counts(static_cast<std::size_t>(nodes), degrees[r][0]);
            counts[11] += degrees[r][1];
            begins.push_back(at::cat({at::zeros({1}, at::kLong), at::tensor(counts, at::kLong).cumsum(0)}));
            sources.push_back(at::randint(nodes, {begins.back()[nodes].item<std::int64_t>()}, at::kInt));
            scales.push_back(at::tensor(counts, at::kFloat).clamp(r == 1 ? 0 : 1).view({-1, 1}));
            RelationTerm term;
            term.edges = {{{{EdgeRow::Source, 8}}, {}, {{true, Reduce::Sum, 0}}}, DType::Float32, {{8}}};
            term.divides = {r != 1};
            term.transposed = r == 2;
            term.matrix = term.transposed ? at::randn({6, 8}) : at::randn({8, 6});
            term.bias = r == 0 ? at::Tensor() : at::randn({6});
            sum.terms.push_back(std::move(term));
        }
    }

    at::Tensor run() const
    {
        auto graph = std::make_shared<torch::jit::Graph>();
        std::vector<c10::IValue> stack;
        const auto add = [&](const at::Tensor& tensor) {
            stack.emplace_back(tensor);
            return graph->addInput();
        };
        torch::jit::Value *from = add(other), *rows = add(x);
        std::vector<RelationInputs> inputs;
        for (std::size_t r = 0; r < sum.terms.size(); ++r)
            inputs.push_back({add(begins[r]), {rows}, {add(sources[r])}, {add(scales[r])}});
        graph->registerOutput(insertRelations(*graph, sum, from, inputs));
        return Lowered(graph, "relations").run(stack).front().toTensor();
    }

    at::Tensor expected() const
    {
        at::Tensor all = other.to(at::kDouble);
        for (std::size_t r = 0; r < sum.terms.size(); ++r) {
            const at::Tensor targets = at::repeat_interleave(begins[r].diff()), scale = scales[r].to(at::kDouble),
                             matrix = sum.terms[r].matrix.to(at::kDouble);
            at::Tensor reduced = at::zeros({x.size(0), 8}, at::kDouble).index_add(0, targets, x.to(at::kDouble).index_select(0, sources[r]));
            reduced = sum.terms[r].divides.front() ? reduced / scale : reduced * scale;
            all = all + at::matmul(reduced, sum.terms[r].transposed ? matrix.t() : matrix);
            if (sum.terms[r].bias.defined())
                all = all + sum.terms[r].bias;
        }
        return all;
    }

    at::Tensor x, other;
    std::vector<at::Tensor> begins, sources, scales;
    RelationSum sum;
};

TEST(Relations, GiveTheSameBytesOnAnyNumberOfThreads)
{
    at::manual_seed(1);
    Terms terms(3000);
    const at::Tensor before = terms.other.clone();
    RunOptions options;
    options.threads = 1;
    useThreads(options);
    const at::Tensor one = terms.run();
    EXPECT_TRUE(at::allclose(one.to(at::kDouble), terms.expected(), 1e-4, 1e-3));
    EXPECT_TRUE(at::equal(terms.other, before));
    for (const int threads : {2, 5}) {
        options.threads = threads;
        useThreads(options);
        EXPECT_TRUE(at::equal(terms.run(), one)) << threads << " threads";
    }
}

TEST(Relations, ReadRowsThatLieInFiles)
{
    at::manual_seed(1);
    Terms terms(200'000);
    const at::Tensor expected = terms.expected();
    const test::TemporaryFolder folder;
    const MemoryBound bound(4 << 20, folder.path());
    Mapping file = Mapping::temporary(folder.path(), terms.x.nbytes());
    terms.x = at::from_blob(file.data(), terms.x.sizes(), at::kFloat).copy_(terms.x);
    ASSERT_TRUE(liesInFile(terms.x));
    const std::uint64_t before = fileTraffic().read;
    EXPECT_TRUE(at::allclose(terms.run().to(at::kDouble), expected, 1e-4, 1e-3));
    EXPECT_GT(fileTraffic().read, before);
    giveBackPages();
}

// Zero divided by zero is no zero: such a row counts though it has no edges.
TEST(Relations, WithoutEdgesCountWhereAScaleSaysSo)
{
    Terms terms(50);
    terms.scales[2] = terms.scales[2].clone();
    terms.scales[2][4] = 0;
    const at::Tensor found = terms.run();
    EXPECT_TRUE(found[4].isnan().all().item<bool>());
    EXPECT_FALSE(found[5].isnan().any().item<bool>());
}

TEST(Relations, MayBeEmptyOrAlone)
{
    const Model model = openZoo("rgcn");
    DataGraph graph = zooGraph("rgcn");
    const auto edges = static_cast<std::size_t>(graph.numEdges);
    const auto* ends = graph.arrays.at("edge_index").as<std::int64_t>();
    const std::vector<std::int64_t> all(ends, ends + 2 * edges);
    for (const std::vector<std::int64_t>& types : {std::vector<std::int64_t>(edges, 1), std::vector<std::int64_t>(edges, 77)}) {
        setEdges(graph, all, types);
        EXPECT_TRUE(verify(model, graph, {}).equal()) << "type " << types.front();
    }
    setEdges(graph, {}, {});
    EXPECT_TRUE(verify(model, graph, {}).equal()) << "no edges";
}

// What a plan is priced at: products of rows that have edges of a relation, not of all rows for each.
TEST(Relations, CountTheRowsThatHaveEdges)
{
    const Model model = openZoo("rgcn");
    const PlanSpace space(*model.analysis);
    Rates rates;
    const auto price = [&](std::int64_t edges, Kernels kernels) {
        const DataGraph graph = largeGraph(2048, edges);
        GraphCounts counts = GraphMeasure(model, graph).counts(2048, NodeOrder::Natural, {});
        counts.kernels = kernels;
        return CostModel(space, counts, rates).price(space.messageDegree());
    };
    const PlanCost few = price(200, Kernels::All), fewByOps = price(200, Kernels::None);
    const PlanCost many = price(400'000, Kernels::All), manyByOps = price(400'000, Kernels::None);
    EXPECT_LT(few.flops(), 0.7 * fewByOps.flops());
    EXPECT_LT(few.seconds(), fewByOps.seconds());
    EXPECT_LT(few.peakBytes(), fewByOps.peakBytes());
    // One edge of type 1 in either graph: a third of the terms counts for nothing still.
    EXPECT_LT(many.flops(), manyByOps.flops());
    EXPECT_GT(many.flops() - few.flops(), 0.4 * (manyByOps.flops() - few.flops()));
    rates.joinsRelations = false;
    EXPECT_NEAR(price(200, Kernels::All).flops(), fewByOps.flops(), 0.01 * fewByOps.flops());
}

TEST(Relations, OfSomeNodesOnly)
{
    const Model model = openZoo("rgcn");
    const DataGraph graph = largeGraph(2048, 40000);
    const std::vector<float> whole = outputOf(model, graph, {});
    RunOptions options;
    options.targets = {7, 2000, 3, 3};
    const std::vector<float> part = outputOf(model, graph, options);
    const std::size_t width = whole.size() / 2048;
    ASSERT_EQ(part.size(), 4 * width);
    for (std::size_t i = 0; i < part.size(); ++i)
        EXPECT_NEAR(part[i], whole[static_cast<std::size_t>(options.targets[i / width]) * width + i % width], 1e-4);
}

TEST(Relations, ReadRowsOfHalfTheBytes)
{
    const Model model = openZoo("rgcn");
    const DataGraph graph = largeGraph(2048, 40000);
    RunOptions options;
    const std::vector<float> expected = outputOf(model, graph, options);
    options.narrowStore = true;
    const std::vector<float> found = outputOf(model, graph, options);
    EXPECT_NE(found, expected);
    for (std::size_t i = 0; i < expected.size(); ++i)
        EXPECT_NEAR(found[i], expected[i], 0.02 * (1 + std::abs(expected[i])));
}

}  // namespace
}  // namespace cleave
