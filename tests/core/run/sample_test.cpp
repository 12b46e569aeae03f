// Rows of some nodes by the uncut model, on what of the graph they depend on.
#include "core/run/sample.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <random>

#include "core/run/bind.h"
#include "core/run/comparing.h"
#include "core/run/verify.h"
#include "tests/core/run/zoo_files.h"
#include "tests/core/run/zoo_models.h"

namespace cleave {
namespace {

// A path 0 -> 1 -> … and back from the last to the first.
DataGraph ring(std::int64_t nodes, std::int64_t width)
{
    DataGraph graph;
    graph.name = "ring";
    graph.numNodes = graph.numEdges = nodes;
    const auto array = [](DType dtype, std::vector<std::int64_t> shape, auto entryOf) {
        using T = decltype(entryOf(0));
        const std::int64_t count = shape[0] * shape[1];
        const std::shared_ptr<T[]> data(new T[static_cast<std::size_t>(count)]);
        for (std::int64_t i = 0; i < count; ++i)
            data[static_cast<std::size_t>(i)] = entryOf(i);
        return Array{dtype, std::move(shape), std::shared_ptr<const std::byte>(data, reinterpret_cast<const std::byte*>(data.get()))};
    };
    graph.arrays["edge_index"] = array(DType::Int64, {2, nodes}, [&](std::int64_t i) { return i < nodes ? i : (i - nodes + 1) % nodes; });
    std::mt19937 random(3);
    graph.arrays["x"] = array(DType::Float32, {nodes, width}, [&](std::int64_t) { return static_cast<float>(random() % 1000) / 1000; });
    return graph;
}

VerifyOptions sampleOf(std::int64_t nodes)
{
    VerifyOptions options;
    options.sample = nodes;
    return options;
}

// Of every model that can be cut some rows can be computed, through all functions or in each, and they are the run's.
TEST(Sample, OfEveryModelIsEqual)
{
    int through = 0, inFunctions = 0, neither = 0, inPart = 0, at = 0;
    for (const auto& [folder, name, expect, roles] : test::rightModels()) {
        if (!roles.empty() || (at++ % 3 != 0 && !test::hasTime()))
            continue;
        VerifyOptions options = sampleOf(5);
        options.run.batchSize = 7;
        const DataGraph graph = test::zooGraph(name);
        const Model model = test::openBeside(graph, test::zooFile(name), {{}, false});
        VerifyResult result;
        const std::string error = test::errorOf([&] { result = verify(model, graph, options); });
        if (!error.empty()) {
            EXPECT_TRUE(error.starts_with("Rows of some nodes cannot be computed alone: ")) << name << ": " << error;
            ++neither;
            continue;
        }
        ASSERT_TRUE(result.sample) << name;
        EXPECT_FALSE(result.comparisons.empty()) << name;
        for (const Comparison& c : result.comparisons) {
            EXPECT_TRUE(c.equal) << name << ", " << c.b << " of " << c.output << ": " << c.maxAbsolute;
            EXPECT_GT(c.rows, 0) << name;
        }
        const Sample& sample = *result.sample;
        if (sample.functions > 0 || !sample.functionsNotCompared.empty()) {
            EXPECT_EQ(sample.functions + std::ssize(sample.functionsNotCompared), sample.ofFunctions) << name;
        }
        inPart += sample.functionsNotCompared.empty() ? 0 : 1;
        (sample.targets > 0 ? through : inFunctions)++;
    }
    EXPECT_GT(through, at / 9);
    EXPECT_GT(inFunctions, at / 50);
    EXPECT_LT(neither, at / 8);
    EXPECT_GT(inPart, 0) << "is what they say of functions that were left out tested?";
}

// On a ring K message passings reach K nodes, and degrees one more.
TEST(Sample, TakesWhatRowsDependOn)
{
    const struct {
        const char* name;
        int hops;
    } models[]{{"gcn.pt2", 3}, {"sage.pt2", 2}, {"gat.pt2", 2}};
    for (const auto& [name, hops] : models) {
        const Model model = openModel(test::examplesDir() / name);
        const std::int64_t width = model.program()[model.program().inputs.front().value].sizes[1].value;
        const VerifyResult result = verify(model, ring(5000, width), sampleOf(10));
        EXPECT_TRUE(result.equal()) << name;
        ASSERT_TRUE(result.sample);
        EXPECT_EQ(result.sample->targets, 10);
        EXPECT_EQ(result.sample->of, 5000);
        EXPECT_EQ(result.sample->hops, hops) << name;
        EXPECT_FALSE(result.sample->bothWays);
        EXPECT_EQ(result.sample->nodes, 10 * (hops + 1)) << name;
        EXPECT_EQ(result.sample->edges, 10 * hops) << name;
        EXPECT_EQ(result.sample->functions, 0) << "not needed";
        EXPECT_EQ(result.comparisons.size(), 1);
        EXPECT_EQ(result.comparisons.front().rows, 10);
        EXPECT_EQ(result.comparisons.front().outputRows, 5000);
    }
}

TEST(Sample, IsOfTheTargets)
{
    const Model model = openModel(test::examplesDir() / "sage.pt2");
    VerifyOptions options = sampleOf(100);
    options.run.targets = {17, 3, 2000, 44};
    const VerifyResult result = verify(model, test::cora(), options);
    EXPECT_TRUE(result.equal());
    EXPECT_EQ(result.sample->targets, 4);
    EXPECT_EQ(result.sample->of, 4);
    EXPECT_EQ(result.comparisons.front().rows, 4);
}

// Wrong rows are found, and named as rows of the output.
TEST(Sample, FindsWrongRows)
{
    const Model model = openModel(test::examplesDir() / "gcn.pt2");
    VerifyResult result;
    result.layerWise = runLayerWise(model, test::cora());
    Array& output = result.layerWise.outputs.front().array;
    const auto wrong = std::make_shared<std::vector<std::byte>>(output.data.get(), output.data.get() + output.bytes());
    const std::size_t rowBytes = output.bytes() / static_cast<std::size_t>(output.shape.front());
    const std::size_t row = 1234;
    *reinterpret_cast<float*>(wrong->data() + row * rowBytes) += 0.1F;
    output.data = std::shared_ptr<const std::byte>(wrong, wrong->data());
    compareSample(result, model, test::cora(), {}, test::cora().numNodes, 0, {});
    ASSERT_EQ(result.comparisons.size(), 1);
    EXPECT_FALSE(result.equal());
    EXPECT_EQ(result.comparisons.front().worstRows, std::vector<std::int64_t>{row});
}

TEST(Sample, OfGlobalOpsGoesFunctionByFunction)
{
    const VerifyResult result = verify(test::openZoo("pair_norm"), test::zooGraph("pair_norm"), sampleOf(20));
    EXPECT_TRUE(result.equal());
    EXPECT_EQ(result.sample->targets, 0);
    EXPECT_EQ(result.sample->functions, result.sample->ofFunctions);
    EXPECT_EQ(result.sample->functionTargets, 20);
    EXPECT_NE(result.sample->whyNotWhole.find("needs all nodes at once"), std::string::npos) << result.sample->whyNotWhole;
}

// Rows of a function come from the rows before it as they are given, of the nodes that it reads and no others.
TEST(Sample, OfAFunctionReadsWhatIsGiven)
{
    const Model model = openModel(test::examplesDir() / "sage.pt2");
    const Analysis& analysis = *model.analysis;
    const std::int64_t width = model.program()[model.program().inputs.front().value].sizes[1].value, nodes = 500, changed = 123;
    const DataGraph graph = ring(nodes, width);
    const Bindings inputs = bindInputs(model, graph, {});
    const Constants constants = evaluateConstants(analysis);
    const Stage stage = Stage::of(analysis, model.cut->functions.back());
    ASSERT_FALSE(stage.given.empty());
    Sampler sampler(analysis, constants, inputs);
    const Progress progress;
    const auto [enough, widest] = Neighbourhoods(analysis, constants, {stage}, progress).of(stage);
    EXPECT_EQ(enough, (Neighbourhood{1, false}));
    int looks = 0;
    runObserved(
        model, graph, {},
        [&](std::size_t f, const Tensors& store) {
            if (f + 1 < model.cut->functions.size())
                return;
            Tensors other;
            for (const ValueId id : stage.given) {
                other[id] = store.at(id).clone();
                other[id][changed].add_(1);
            }
            const SampledRows sampled = sampler.rows(stage, other, enough, {}, nodes, {});
            ASSERT_EQ(sampled.targets, nodes);
            const at::Tensor gaps =
                sampled.values.front().sub(store.at(stage.wanted.front()).index_select(0, at::tensor(sampled.rows.front(), at::kLong))).abs().amax(1);
            for (std::size_t i = 0; i < sampled.rows.front().size(); ++i) {
                const std::int64_t node = sampled.rows.front()[i];
                EXPECT_EQ(gaps[static_cast<std::int64_t>(i)].item<double>() > 1e-3, node == changed || node == changed + 1) << node;
            }
            ++looks;
        },
        {});
    EXPECT_EQ(looks, 1);
}

TEST(Sample, NeedsANumber)
{
    EXPECT_NE(test::errorOf([&] { verify(openModel(test::examplesDir() / "gcn.pt2"), test::cora(), sampleOf(-1)); }), "");
}

}  // namespace
}  // namespace cleave
