// Every model of the zoos: cut and right on every batch size, or refused by a sentence that names the op. Never silently wrong.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "core/analysis/shape_text.h"
#include "core/graph/npy.h"
#include "core/run/verify.h"
#include "tests/core/run/fake_device.h"
#include "tests/core/run/zoo_files.h"
#include "tests/core/run/zoo_models.h"

namespace cleave {
namespace {

using test::ZooModel;

std::string nameOf(const testing::TestParamInfo<ZooModel>& model)
{
    return model.param.name;
}

class Zoo : public testing::TestWithParam<ZooModel> {};

TEST_P(Zoo, IsRightOrRefusedByName)
{
    const auto& [folder, name, expect, roles] = GetParam();
    const auto path = GetParam().path();
    Model model;
    const DataGraph graph = readGraph(path.string() + ".npz");
    const std::string refusal = test::errorOf([&] { model = test::openBeside(graph, path, {roles, true}); });
    if (!refusal.empty()) {
        EXPECT_NE(expect, "equal") << refusal;
        const bool namesOp = refusal.find("op '") != std::string::npos || refusal.find("dynamic_shapes") != std::string::npos ||
                             refusal.find("training mode") != std::string::npos;
        EXPECT_TRUE(namesOp) << refusal;
        return;
    }
    EXPECT_NE(expect, "refused") << "the model was cut";
    for (const std::int64_t batchSize : {1, 7, 1000}) {
        VerifyOptions options;
        options.run.batchSize = batchSize;
        for (const auto& [array, values] : graph.arrays)
            if (array.starts_with("expected"))
                options.expected[array] = values;
        const VerifyResult result = verify(model, graph, options);
        EXPECT_GE(result.comparisons.size(), 3U);
        for (const Comparison& c : result.comparisons)
            EXPECT_TRUE(c.equal) << "batch size " << batchSize << ", " << c.a << " / " << c.b << " of " << c.output << ": " << c.maxAbsolute;
    }
}

// Relative to the largest value; infinite where shapes, or what is no number, differ.
double largestDifference(const Array& found, const Array& expected)
{
    constexpr double infinite = std::numeric_limits<double>::infinity();
    if (found.shape != expected.shape || found.dtype != expected.dtype)
        return infinite;
    const auto entry = [](const Array& array, std::int64_t i) -> double {
        switch (array.dtype) {
        case DType::Float32: return array.as<float>()[i];
        case DType::Float64: return array.as<double>()[i];
        case DType::Int64: return static_cast<double>(array.as<std::int64_t>()[i]);
        case DType::BFloat16: return std::bit_cast<float>(static_cast<std::uint32_t>(array.as<std::uint16_t>()[i]) << 16);
        default: return 0;
        }
    };
    double most = 0, largest = 1e-3;
    for (std::int64_t i = 0; i < expected.count(); ++i) {
        const double a = entry(found, i), b = entry(expected, i);
        if (a == b || (std::isnan(a) && std::isnan(b)))
            continue;
        if (!std::isfinite(a) || !std::isfinite(b))
            return infinite;
        most = std::max(most, std::fabs(a - b));
        largest = std::max(largest, std::fabs(b));
    }
    return most / largest;
}

// Kernels, threads, batches at once, orders and what multiplies matrices change nothing but the last places.
TEST_P(Zoo, SwitchesGiveTheSameAnswers)
{
    const auto& [folder, name, expect, roles] = GetParam();
    if (expect != "equal")
        return;
    const auto path = GetParam().path();
    const DataGraph graph = readGraph(path.string() + ".npz");
    const Model model = test::openBeside(graph, path, {roles, false});
    RunOptions plain;
    plain.kernels = Kernels::None;
    plain.dense = Dense::Blas;
    plain.batchesAtOnce = 1;
    plain.batchSize = 1 << 20;
    RunResult expected = runLayerWise(model, graph, plain);
    std::mt19937 random(static_cast<unsigned>(std::hash<std::string>{}(name)));
    const auto any = [&](auto... choices) {
        const std::array all{choices...};
        return all[random() % all.size()];
    };
    const double tolerance = usualTolerance(model).relative;
    const PlanSpace space(*model.analysis);
    Model late = model;
    late.cut = std::make_shared<CutProgram>(space.cut(test::postponed(space)));
    const int rounds = test::hasTime() ? 12 : 3;
    for (int round = 0; round < rounds; ++round) {
        RunOptions options;
        options.kernels = round % 3 != 2 ? Kernels::All : any(Kernels::None, Kernels::Reduce);
        options.dense = any(Dense::Blas, Dense::OneDnn, Dense::Auto);
        options.batchesAtOnce = any(0, 1, 3);
        options.gatherAtOnce = any(std::int64_t{0}, std::int64_t{-1}, std::int64_t{1}, std::int64_t{5}, std::int64_t{16}, std::int64_t{1} << 20);
        options.ownRows = any(OwnRows::Auto, OwnRows::Never, OwnRows::Always, OwnRows::Always);
        options.threads = any(1, 2, 3);
        if (any(1, 2, 3) == 1) {
            nameDevice("fake", std::make_shared<test::FakeDevice>());
            options.device = "fake";
        }
        options.order = test::hasNodeOrders(name) ? any(NodeOrder::Natural, NodeOrder::Degree) : NodeOrder::Natural;
        options.batchSize = any(std::int64_t{1}, std::int64_t{3}, std::int64_t{17}, std::int64_t{1000});
        std::vector<std::size_t> ofNodes;
        for (std::size_t o = 0; o < model.program().outputs.size(); ++o)
            if (const ValueFacts& facts = model.analysis->values[model.program().outputs[o]];
                facts.rows == Rows::Nodes && !countsEdges(*model.analysis, facts.nodeType))
                ofNodes.push_back(o);
        if (!ofNodes.empty() && round % 2) {
            if (!plain.targets.empty()) {
                plain.targets.clear();
                expected = runLayerWise(model, graph, plain);
            }
            const std::size_t asked = ofNodes[random() % ofNodes.size()];
            const ValueFacts& facts = model.analysis->values[model.program().outputs[asked]];
            options.targetType = model.analysis->nodeTypes[static_cast<std::size_t>(facts.nodeType)].name;
            const std::int64_t nodes = expected.outputs[asked].array.shape[static_cast<std::size_t>(facts.rowDim)] / (facts.outer * facts.inner);
            for (std::int64_t left = any(std::int64_t{1}, std::int64_t{5}, nodes / 2 + 1); left > 0; --left)
                options.targets.push_back(static_cast<std::int64_t>(random() % static_cast<unsigned>(nodes)));
            plain.targets = options.targets;
            plain.targetType = options.targetType;
            expected = runLayerWise(model, graph, plain);
            EXPECT_TRUE(expected.outputs[asked].isAsked);
        } else if (!plain.targets.empty()) {
            plain.targets.clear();
            expected = runLayerWise(model, graph, plain);
        }
        const bool isLate = any(true, false), isSplit = any(true, false);
        for (std::size_t f = 0; isSplit && f < (isLate ? late : model).cut->functions.size(); ++f)
            options.onDevice.push_back(any(true, true, false));
        const RunResult result = runLayerWise(isLate ? late : model, graph, options);
        ASSERT_EQ(result.outputs.size(), expected.outputs.size());
        if (!options.targets.empty()) {
            RunOptions whole;
            whole.targets = options.targets;
            whole.targetType = options.targetType;
            const RunResult uncut = runFullGraph(model, graph, whole);
            for (std::size_t o = 0; o < result.outputs.size(); ++o)
                EXPECT_LE(largestDifference(result.outputs[o].array, uncut.outputs[o].array), tolerance)
                    << "asked for " << options.targets.size() << " nodes";
        }
        for (std::size_t o = 0; o < result.outputs.size(); ++o)
            EXPECT_LE(largestDifference(result.outputs[o].array, expected.outputs[o].array), tolerance)
                << "kernels " << static_cast<int>(options.kernels) << ", " << options.threads << " threads, " << options.batchesAtOnce
                << " batches at once, batch size " << options.batchSize << ", " << options.gatherAtOnce << " gathered at once, own rows "
                << static_cast<int>(options.ownRows) << (isLate ? ", late" : "") << (isSplit ? ", some" : "") << " on " << options.device
                << ", order " << orderName(options.order);
    }
}

// Save points of half the bytes: three digits, whoever reads them and however.
TEST_P(Zoo, NarrowSavePointsKeepThreeDigits)
{
    const auto& [folder, name, expect, roles] = GetParam();
    if (expect != "equal" || folder != "zoo" || name == "best_nodes" || name == "top_k_pool")  // with three digits, others are the best
        return;
    const auto path = GetParam().path();
    const DataGraph graph = readGraph(path.string() + ".npz");
    const Model model = test::openBeside(graph, path, {roles, false});
    RunOptions options;
    options.batchSize = 7;
    const RunResult expected = runLayerWise(model, graph, options);
    const auto saved = [](const RunResult& result) {
        double bytes = 0;
        for (const FunctionRun& run : result.functions)
            bytes += run.savedBytes;
        return bytes;
    };
    options.narrowStore = true;
    for (const Kernels kernels : {Kernels::All, Kernels::None}) {
        options.kernels = kernels;
        const RunResult narrow = runLayerWise(model, graph, options);
        EXPECT_LE(saved(narrow), saved(expected));
        for (std::size_t o = 0; o < expected.outputs.size(); ++o) {
            EXPECT_EQ(narrow.outputs[o].array.dtype, expected.outputs[o].array.dtype);
            EXPECT_LE(largestDifference(narrow.outputs[o].array, expected.outputs[o].array), 0.05) << "kernels " << static_cast<int>(kernels);
        }
    }
}

// Rewrites change nothing but the last places, are never left out for being wrong, and outputs keep their names.
TEST_P(Zoo, RewritesGiveTheSameAnswers)
{
    const auto& [folder, name, expect, roles] = GetParam();
    if (expect != "equal")
        return;
    const auto path = GetParam().path();
    const DataGraph graph = readGraph(path.string() + ".npz");
    const Model model = test::openBeside(graph, path, {roles, true, allRewrites()});
    for (const std::string& note : model.program().notes)
        EXPECT_EQ(note.find("left as it is"), std::string::npos) << note;
    EXPECT_EQ(model.traced != nullptr, !model.analysis->rewrites.empty());
    if (!model.traced)
        return;
    VerifyOptions options;
    options.run.batchSize = 7;
    options.tolerance = usualTolerance(model);
    options.tolerance->absolute = std::max(options.tolerance->absolute, 1e-4);
    for (const auto& [array, values] : graph.arrays)
        if (array.starts_with("expected"))
            options.expected[array] = values;
    const VerifyResult result = verify(model, graph, options);
    for (const Comparison& c : result.comparisons)
        EXPECT_TRUE(c.equal) << c.a << " / " << c.b << " of " << c.output << ": " << c.maxAbsolute;
    for (std::size_t i = 0; i < model.program().outputs.size(); ++i)
        EXPECT_EQ(model.program()[model.program().outputs[i]].name, model.traced->program[model.traced->program.outputs[i]].name);
    std::string applied;
    for (const PassCount& rewrite : model.analysis->rewrites)
        applied += rewrite.pass + " " + std::to_string(rewrite.count) + " ";
    RecordProperty("rewrites", applied);
    std::cout << name << ": " << applied << "\n";
}

INSTANTIATE_TEST_SUITE_P(PyG, Zoo, testing::ValuesIn(test::zooModels("zoo")), nameOf);
INSTANTIATE_TEST_SUITE_P(Adversarial, Zoo, testing::ValuesIn(test::zooModels("adversarial")), nameOf);

INSTANTIATE_TEST_SUITE_P(OldLayout, Zoo, testing::ValuesIn(test::zooModels("old_layout")), nameOf);

std::string unopened(const std::string& name)
{
    return test::errorOf([&] { openModel(test::testDir() / "models/zoo" / (name + ".pt2")); });
}

TEST(ParametersAsFeatures, AreAdvised)
{
    EXPECT_NE(unopened("parameter_and_features").find("--role position.weight=node-features"), std::string::npos);
}

TEST(ParametersAsFeatures, AreWhatEdgesReadWhereForwardTakesNone)
{
    for (const auto& [name, parameter] : {std::pair("lightgcn", "gnn.embedding.weight"), {"linkx", "edge_lin.weight"}, {"two_tables", "users.weight+items.weight"}}) {
        const Model model = openModel(test::testDir() / "models/zoo" / (std::string(name) + ".pt2"));
        const auto isIt = [&](const Input& input) { return model.program()[input.value].name == parameter && input.role == Role::NodeFeatures; };
        EXPECT_EQ(std::ranges::count_if(model.program().inputs, isIt), 1) << name;
    }
}

// Either table that is concatenated names the rows of both.
TEST(ParametersAsFeatures, StandBelowOneAnother)
{
    const auto path = test::testDir() / "models/zoo/two_tables.pt2";
    for (const char* table : {"users.weight", "items.weight"}) {
        const Model model = openModel(path, {{{table, Role::NodeFeatures}}, true});
        const auto input = std::ranges::find_if(model.program().inputs, [](const Input& i) { return i.parameter.valid(); });
        ASSERT_NE(input, model.program().inputs.end());
        EXPECT_EQ(model.program()[input->parameter].sizes, (std::vector<std::int64_t>{60, 16}));
        EXPECT_EQ(model.program()[input->parameter].rowsOf, (std::vector<std::string>{"users.weight", "items.weight"}));
    }
}

TEST(ParametersAsFeatures, FitOneGraphOnly)
{
    const auto path = test::testDir() / "models/zoo/lightgcn.pt2";
    const Model model = openModel(path, {{{"gnn.embedding.weight", Role::NodeFeatures}}, true});
    const std::string error = test::errorOf([&] { verify(model, readGraph(test::examplesDir() / "cora.npz"), {}); });
    EXPECT_NE(error.find("has 60 rows, but graph"), std::string::npos) << error;
    EXPECT_NE(test::errorOf([&] { openModel(path, {{{"gnn.embedding.weight", Role::Other}}, true}); }).find("is a parameter"), std::string::npos);
}

TEST(OpsOutsideTheTable, AreAcceptedByRunningThem)
{
    const Model model = openModel(test::testDir() / "models/zoo/unusual_ops.pt2");
    std::set<std::string> probed;
    for (std::size_t i = 0; i < model.program().ops.size(); ++i)
        if (const OpId id{static_cast<int>(i)}; model.analysis->ops[id].probed)
            probed.insert(model.program()[id].target);
    EXPECT_EQ(probed, (std::set<std::string>{"aten::asinh", "aten::hypot", "aten::special_i0e", "aten::fmax", "aten::sinc", "aten::cummax",
                                             "aten::linalg_cross", "aten::copysign"}));
}

class Example : public testing::TestWithParam<const char*> {};

TEST_P(Example, GivesPyTorchsAnswersOnCora)
{
    const Model model = openModel(test::examplesDir() / (std::string(GetParam()) + ".pt2"));
    const DataGraph cora = readGraph(test::examplesDir() / "cora.npz");
    VerifyOptions options;
    options.expected = readNpz(test::examplesDir() / (std::string(GetParam()) + ".expected.npz"));
    const double accuracy = *options.expected.at("accuracy").as<double>();
    for (const std::int64_t batchSize : {1, 64, 1000, 1 << 20}) {
        options.run.batchSize = batchSize;
        const VerifyResult result = verify(model, cora, options);
        for (const Comparison& c : result.comparisons)
            EXPECT_LE(c.maxRelative, 1e-4) << batchSize << " " << c.a << " / " << c.b;
        EXPECT_TRUE(result.equal());
        for (const Accuracy& a : result.accuracies) {
            if (a.split == "test") {
                EXPECT_NEAR(a.value, accuracy, 1e-9) << a.run;
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Cora, Example, testing::Values("gcn", "sage", "gat", "jk"), [](const auto& example) { return std::string(example.param); });

}  // namespace
}  // namespace cleave
