// TorchScript: the zoo's models as traces and scripts have the same functions and answers as their PT2 archives; what cannot be read is refused by a
// sentence.
#include "core/torchscript/torchscript_reader.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/jit/api/module.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "core/base/error.h"
#include "core/base/zip.h"
#include "core/run/verify.h"
#include "core/run/tensors.h"
#include "tests/core/run/zoo_files.h"
#include "tests/core/test_files.h"

namespace cleave {
namespace {

struct ScriptFile {
    std::string folder, name, zoo, expect;
    OpenOptions options;
};

ScriptFile described(const std::string& folder, const nlohmann::json& entry)
{
    ScriptFile file{folder, entry["name"], entry["zoo"], entry["expect"], {}};
    const nlohmann::json none = nlohmann::json::object(), &roles = entry.contains("roles") ? entry["roles"] : none,
                         &widths = entry.contains("widths") ? entry["widths"] : none;
    for (const auto& [name, role] : roles.items())
        roleFromName(role.get<std::string>(), file.options.roles[name]);
    for (const auto& [name, width] : widths.items())
        file.options.widths[name] = width.get<std::int64_t>();
    return file;
}

std::vector<ScriptFile> files()
{
    std::vector<ScriptFile> all;
    for (const char* folder : {"torchscript", "torchscript_1.13"})
        for (const auto& entry : nlohmann::json::parse(test::readText(test::testDir() / "models" / folder / "index.json")))
            all.push_back(described(folder, entry));
    return all;
}

void PrintTo(const ScriptFile& file, std::ostream* out)
{
    *out << file.folder << "/" << file.name;
}

std::filesystem::path scripts() { return test::testDir() / "models/torchscript"; }
std::filesystem::path zoo() { return test::testDir() / "models/zoo"; }

// What a cut is for whoever looks at it: its functions, and how many tensors each reads and saves.
std::vector<std::tuple<std::string, std::size_t, std::size_t>> shapeOf(const Model& model, bool withTensors)
{
    std::vector<std::tuple<std::string, std::size_t, std::size_t>> functions;
    for (const CutFunction& function : model.cut->functions)
        functions.emplace_back(functionName(function), withTensors ? function.reads.size() : 0, withTensors ? function.saves.size() : 0);
    return functions;
}

class TorchScriptZoo : public testing::TestWithParam<ScriptFile> {};

TEST_P(TorchScriptZoo, IsCutAndAnswersAsThePt2Archive)
{
    const ScriptFile& file = GetParam();
    const DataGraph graph = readGraph(zoo() / (file.zoo + ".npz"));
    OpenOptions opening = file.options;
    if (file.folder == "torchscript_1.13")
        opening.shapes = arrayShapes(graph);
    Model model;
    const std::string refusal = test::errorOf([&] { model = openModel(test::testDir() / "models" / file.folder / (file.name + ".pt"), opening); });
    if (file.expect == "refused") {
        EXPECT_NE(refusal.find("cannot be loaded by PyTorch itself"), std::string::npos) << refusal;
        return;
    }
    ASSERT_EQ(refusal, "");
    const Model exported = openModel(zoo() / (file.zoo + ".pt2"), {file.options.roles, false});
    // A trace of these runs other operators inside: gates one by one, attention in one.
    const bool isSame = file.name != "gated_graph.trace" && file.name != "gps.trace";
    EXPECT_EQ(shapeOf(model, isSame), shapeOf(exported, isSame));
    VerifyOptions options;
    options.run.batchSize = 7;
    for (const auto& [array, values] : graph.arrays)
        if (array.starts_with("expected"))
            options.expected[array] = values;
    const VerifyResult result = verify(model, graph, options);
    EXPECT_GE(result.comparisons.size(), 3U);
    for (const Comparison& c : result.comparisons)
        EXPECT_TRUE(c.equal) << c.a << " / " << c.b << " of " << c.output << ": " << c.maxAbsolute;
}

INSTANTIATE_TEST_SUITE_P(All, TorchScriptZoo, testing::ValuesIn(files()), [](const auto& file) {
    std::string name = file.param.name + (file.param.folder == "torchscript" ? "" : "_by_1.13");
    std::ranges::replace(name, '.', '_');
    return name;
});

TEST(TorchScript, OpsAreNamedAsInTheExport)
{
    const Program script = readTorchScript(scripts() / "sage_mean.trace.pt"), exported = openModel(zoo() / "sage_mean.pt2", {{}, false}).program();
    const auto names = [](const Program& p, const std::string& target) {
        std::vector<std::string> all;
        for (const Op& op : p.ops)
            if (op.target == target)
                all.push_back(op.name);
        return all;
    };
    EXPECT_EQ(names(script, "aten::linear"), names(exported, "aten::linear"));
    const Op& linear = *std::ranges::find(script.ops, "aten::linear", &Op::target);
    EXPECT_EQ(script[linear.module].path, "convs.0.lin_l");
    EXPECT_EQ(script[linear.module].type, "torch_geometric.nn.dense.linear.Linear");
    EXPECT_TRUE(linear.source.file.ends_with("linear.py") && linear.source.line > 0) << linear.source.file;
}

// Scripts do not say what is a mask, graphs do: rows at one are others than those at zeros and ones.
TEST(TorchScript, MasksOfTheGraphAreTakenForMasks)
{
    const DataGraph graph = readGraph(scripts() / "odd_masks.npz");
    EXPECT_TRUE(graph.trainMask.has_value()) << "one of them is called as masks of a split are";
    OpenOptions options;
    options.shapes = arrayShapes(graph);
    const Model model = openModel(scripts() / "odd_masks.pt", options);
    VerifyOptions verifying;
    for (const std::string name : {"expected_0", "expected_1"})
        verifying.expected[name] = graph.arrays.at(name);
    EXPECT_TRUE(verify(model, graph, verifying).equal());
    const Model alone = openModel(scripts() / "odd_masks.pt");
    EXPECT_TRUE(isForOtherArrays(alone, options.shapes)) << "it is opened again with the graph";
    EXPECT_NE(test::errorOf([&] { runLayerWise(alone, graph); }).find("open the model with the graph"), std::string::npos);
}

// Nor which lists ask for something, where rows of nodes are learned.
// Graph files and callers know them by these.
TEST(TorchScript, InputsKeepNamesThatPythonHas)
{
    const test::TemporaryFolder folder;
    torch::jit::Module module("Net");
    module.define("def forward(self, x: Tensor, edge_index: Tensor, id: Tensor) -> Tensor:\n"
                  "    h = torch.index_add(x, 0, edge_index[1], x[edge_index[0]])\n"
                  "    return h * id[:, None]\n");
    module.save((folder / "net.pt").string());
    OpenOptions options;
    options.roles = {{"x", Role::NodeFeatures}, {"edge_index", Role::GraphStructure}, {"id", Role::NodeFeatures}};
    options.shapes = {{"x", {DType::Float32, {60, 4}}}, {"edge_index", {DType::Int64, {2, 200}}}, {"id", {DType::Float32, {60}}}};
    const Program program = readModel(folder / "net.pt", options);
    ASSERT_EQ(program.inputs.size(), 3U);
    EXPECT_EQ(program[program.inputs[2].value].name, "id");
}

TEST(TorchScript, ListsThatAskForSomethingTellOfNoNodes)
{
    const DataGraph graph = readGraph(scripts() / "odd_queries.npz");
    OpenOptions options;
    options.shapes = arrayShapes(graph);
    const Model model = openModel(scripts() / "odd_queries.pt", options);
    VerifyOptions verifying;
    verifying.expected["expected"] = graph.arrays.at("expected");
    EXPECT_TRUE(verify(model, graph, verifying).equal());
}

// Operators that are declared for files of newer versions are not taken for this LibTorch's own.
TEST(TorchScript, ReadingOneChangesNothingForOthers)
{
    openModel(scripts() / "sage_mean.trace.pt", {{}, false});
    EXPECT_EQ(test::errorOf([] { openModel(test::testDir() / "models/adversarial/attends_with_a_scale.pt2"); }), "");
}

// An operator of LibTorch that writes wherever an index says.
TEST(TorchScript, IndicesThatLeaveATensorAreRefused)
{
    const std::string refusal = test::errorOf([] { openModel(scripts() / "odd_pointers.pt"); });
    EXPECT_NE(refusal.find("is out of bounds for aten::_convert_indices_from_coo_to_csr with size 4"), std::string::npos) << refusal;
}

TEST(TorchScript, TypesAreKeptButForFloat16)
{
    const Model model = openModel(scripts() / "odd_types.pt");
    EXPECT_TRUE(std::ranges::any_of(model.program().notes, [](const std::string& note) { return note.find("float16") != std::string::npos; }));
    VerifyOptions options;
    options.run.batchSize = 7;
    const auto comparisons = verify(model, readGraph(scripts() / "odd_counts.npz"), options).comparisons;
    EXPECT_FALSE(comparisons.empty());
    for (const Comparison& c : comparisons)
        EXPECT_TRUE(c.equal) << c.a << " / " << c.b << ": " << c.maxAbsolute;
}

// Those that PyTorch gave, beside the graph that it ran on.
void expectAnswersOf(const std::string& name, const Model& model)
{
    const DataGraph graph = readGraph(scripts() / (name + ".npz"));
    VerifyOptions options;
    options.run.batchSize = 7;
    options.expected["expected"] = graph.arrays.at("expected");
    for (const Comparison& c : verify(model, graph, options).comparisons)
        EXPECT_TRUE(c.equal) << c.a << " / " << c.b << ": " << c.maxAbsolute;
}

// Numbers leave the type of constants without dimensions as it is, which then decides beside integers, and to how many digits is computed.
TEST(TorchScript, ConstantsWithoutDimensionsKeepTheirType)
{
    expectAnswersOf("odd_constants", openModel(scripts() / "odd_constants.pt"));
}

TEST(TorchScript, GraphsAreNotCountedAsNodes)
{
    const Model model = openModel(scripts() / "odd_graphs.pt");
    const Program& program = model.program();
    EXPECT_EQ(program[program.outputs.front()].sizes.front().symbol, "Add(-1, ptr_rows)");
}

TEST(TorchScript, SizesOfNeitherNodesNorEdgesAreTheModels)
{
    const Model model = openModel(scripts() / "odd_sizes.pt");
    const Program& program = model.program();
    const auto sizesOf = [&](const std::string& name) {
        return std::ranges::find(program.values, name, &Value::name)->sizes;
    };
    EXPECT_EQ(sizesOf("time"), (std::vector<Dim>{{1, {}}}));
    EXPECT_EQ(sizesOf("eigenvalues"), (std::vector<Dim>{{6, {}}}));
    EXPECT_EQ(sizesOf("x").front(), sizesOf(program[program.outputs.front()].name).front());
}

TEST(TorchScript, OperatorsOfNewerVersionsAreNamed)
{
    std::string refusal;
    try {
        openModel(scripts() / "odd_newer.pt");
        GTEST_SKIP() << "this LibTorch has it";
    } catch (const Error& error) {
        refusal = error.what();
    }
    EXPECT_NE(refusal.find("aten::rms_norm, which LibTorch "), std::string::npos) << refusal;
    EXPECT_NE(refusal.find("does not have yet: export the model by torch.export."), std::string::npos) << refusal;
}

TEST(TorchScript, WidthsThatNothingTellsAreAskedFor)
{
    const std::string refusal = test::errorOf([] { openModel(scripts() / "lgconv.script.pt"); });
    EXPECT_NE(refusal.find("--width x="), std::string::npos) << refusal;
}

TEST(TorchScript, ATraceThatCountedGraphsIsForAsMany)
{
    const Model model = openModel(scripts() / "odd_pooled.pt");
    DataGraph graph = readGraph(zoo() / "pool_mean.npz");
    EXPECT_EQ(runLayerWise(model, graph).outputs.front().array.shape.front(), 4);
    const Array& four = graph.arrays.at("batch");
    const auto two = std::make_shared<std::vector<std::int64_t>>(four.as<std::int64_t>(), four.as<std::int64_t>() + four.count());
    std::ranges::transform(*two, two->begin(), [](std::int64_t of) { return std::min<std::int64_t>(of, 1); });
    graph.arrays["batch"] = {DType::Int64, four.shape, {two, reinterpret_cast<const std::byte*>(two->data())}};
    const std::string refusal = test::errorOf([&] { runLayerWise(model, graph); });
    EXPECT_NE(refusal.find("divides rows into 2, but the trace adds them up into 4"), std::string::npos) << refusal;
    const Model old = openModel(scripts() / "odd_pooled_old.pt");
    EXPECT_EQ(test::errorOf([&] { runLayerWise(old, graph); }), refusal);
}

TEST(TorchScript, NodesThatAreCountedByTheLargestNumberAmongTargetsAreAllNodes)
{
    const Model model = openModel(scripts() / "odd_highest.pt");
    expectAnswersOf("odd_highest", model);
    EXPECT_EQ(model.analysis->types(), 1);
    EXPECT_EQ(model.analysis->levels, 1);
}

TEST(TorchScript, ATraceMayLeaveOutTheLastKinds)
{
    expectAnswersOf("odd_kinds", openModel(scripts() / "odd_kinds.pt"));
}

TEST(TorchScript, ArraysOfTheNamesOfInputsThatDoNotFitAreToldSo)
{
    OpenOptions opening;
    opening.shapes = {{"x", {DType::Float32, {60, 12}}}, {"edge_index", {DType::Int64, {2, 301}}}};
    const std::string refusal = test::errorOf([&] { openModel(scripts() / "odd_never.pt", opening); });
    EXPECT_NE(refusal.find("though the graph has an array for each"), std::string::npos) << refusal;
    EXPECT_EQ(refusal.find("name a graph"), std::string::npos) << refusal;
}

TEST(TorchScript, CountsThatATraceWroteDownAreCountedAnew)
{
    const Model model = openModel(scripts() / "odd_counts.pt");
    EXPECT_TRUE(std::ranges::any_of(model.program().notes, [](const std::string& note) { return note.find("counted anew") != std::string::npos; }));
    expectAnswersOf("odd_counts", model);
}

TEST(TorchScript, NumbersThatAreCountsOfTheTracedGraphAreNoted)
{
    const std::vector<std::string> notes = openModel(scripts() / "odd_scalar.pt").program().notes;
    EXPECT_TRUE(std::ranges::any_of(notes, [](const std::string& note) {
        return note.find("the number 60") != std::string::npos && note.find("as many as the nodes") != std::string::npos;
    }));
    for (const char* plain : {"gcn.trace.pt", "gat.trace.pt", "pna.trace.pt"})
        for (const std::string& note : openModel(scripts() / plain).program().notes)
            EXPECT_EQ(note.find("as many as"), std::string::npos) << note;
}

TEST(TorchScript, ProductsWithSparseMatricesRunOnEdges)
{
    const DataGraph graph = readGraph(test::testDir() / "models/zoo/matrix_gcn.npz");
    const Model model = openModel(scripts() / "odd_sparse.pt");
    EXPECT_EQ(model.analysis->levels, 2);
    VerifyOptions options;
    options.run.batchSize = 7;
    options.expected["expected"] = graph.arrays.at("expected");
    for (const Comparison& c : verify(model, graph, options).comparisons)
        EXPECT_TRUE(c.equal) << c.a << " / " << c.b << ": " << c.maxAbsolute;
    // Sums of rows and columns, too.
    const DataGraph sums = readGraph(test::testDir() / "models/zoo/matrix_mean.npz");
    options.expected["expected"] = sums.arrays.at("expected");
    for (const Comparison& c : verify(openModel(scripts() / "odd_sparse_sum.pt"), sums, options).comparisons)
        EXPECT_TRUE(c.equal) << c.a << " / " << c.b << ": " << c.maxAbsolute;
    // Edges without weights count once each.
    DataGraph plain = graph, ones = graph;
    plain.arrays.erase("edge_weight");
    NewArray weights = makeArray(DType::Float32, {ones.numEdges});
    std::fill_n(reinterpret_cast<float*>(weights.data), ones.numEdges, 1.0F);
    ones.arrays["edge_weight"] = weights.array;
    const Array without = runLayerWise(model, plain).outputs.front().array, with = runLayerWise(model, ones).outputs.front().array;
    EXPECT_TRUE(std::equal(with.as<float>(), with.as<float>() + with.count(), without.as<float>()));
}

// How many entries rows have is told by their sizes, also where the file asks rows of features: twice as many nodes, half of the numbers.
TEST(TorchScript, EntriesAreCountedBySizes)
{
    DataGraph graph = test::zooGraph("gcn");
    const Model model = openModel(scripts() / "odd_entries.pt");
    EXPECT_EQ(model.analysis->levels, 1);
    const Array once = runLayerWise(model, graph).outputs.front().array;
    graph.arrays["x"] = toArray(at::cat({toTensor(graph.arrays.at("x")), at::zeros({graph.numNodes, 12})}));
    graph.numNodes *= 2;
    const Array twice = runLayerWise(model, graph).outputs.front().array;
    ASSERT_EQ(twice.count(), 2 * once.count());
    for (std::int64_t i = 0; i < once.count(); ++i)
        EXPECT_NEAR(2 * twice.as<float>()[i], once.as<float>()[i], 1e-5 * (1 + std::abs(once.as<float>()[i])));
}

// More kinds of edges than are drawn otherwise: sizes of those that were not there all looked alike.
TEST(TorchScript, EdgesOfEveryKindAreDrawn)
{
    expectAnswersOf("odd_relations", openModel(scripts() / "odd_relations.pt"));
}

// As many weights as edges with self-loops, of which the weights are made before the edges.
TEST(TorchScript, SizesOfFeaturesComeFromTheGraphThatIsMadeLater)
{
    expectAnswersOf("odd_learned_weights", openModel(scripts() / "odd_learned_weights.pt"));
}

// One pointer more than nodes, up to as many as the other list is long.
TEST(TorchScript, EdgesMayBeCompressedRows)
{
    const Model model = openModel(scripts() / "odd_csr.pt");
    expectAnswersOf("odd_csr", model);
    EXPECT_EQ(model.analysis->levels, 2);
    OpenOptions options;
    options.shapes = arrayShapes(readGraph(scripts() / "odd_csr.npz"));
    expectAnswersOf("odd_csr", openModel(scripts() / "odd_csr.pt", options));
}

// The node of most edges is the same on all graphs that are tried.
TEST(TorchScript, NumbersThatTheGraphTellsAreReadFromIt)
{
    expectAnswersOf("odd_hub", openModel(scripts() / "odd_hub.pt"));
}

// A table for three kinds of nodes is none of nodes, though as many rows are summed at the kinds.
TEST(TorchScript, KindsOfNodesAreNoEndsOfEdges)
{
    const Model model = openModel(scripts() / "odd_type_tokens.pt");
    expectAnswersOf("odd_type_tokens", model);
    const RunResult run = runLayerWise(model, readGraph(scripts() / "odd_type_tokens.npz"));
    ASSERT_EQ(run.outputs.size(), 2U);
    EXPECT_EQ(run.outputs[1].array.as<float>()[0], 3) << "a constant of one number";
}

TEST(TorchScript, SparseMatricesOfTheModelAreMessagePassing)
{
    const Model model = openModel(scripts() / "odd_own_sparse.pt");
    expectAnswersOf("odd_own_sparse", model);
    EXPECT_EQ(model.analysis->levels, 4);
    EXPECT_TRUE(std::ranges::none_of(model.analysis->ops, [](const OpFacts& op) { return op.kind == OpKind::Global; }));
}

// Whether the graph tells it or the weights; what is written to is not what stands for a width that is to be found.
TEST(TorchScript, RowsMayBeWiderThanMost)
{
    expectAnswersOf("odd_wide", openModel(scripts() / "odd_wide.pt"));
    OpenOptions options;
    options.shapes = arrayShapes(readGraph(scripts() / "odd_wide.npz"));
    expectAnswersOf("odd_wide", openModel(scripts() / "odd_wide.pt", options));
}

// Some targets reach so much that edges of a function are left in the order that they have.
TEST(TorchScript, TargetsMayReachManyHyperedges)
{
    const Model model = openModel(scripts() / "odd_hyperedges.pt2");
    constexpr std::int64_t nodes = 600, hyperedges = 90, entries = 1900;
    at::manual_seed(1);
    const at::Tensor ends = at::cat({at::arange(hyperedges), at::randint(hyperedges, {entries - hyperedges}, at::kLong)});
    DataGraph graph;
    graph.numNodes = nodes;
    graph.arrays["x"] = toArray(at::randn({nodes, 12}));
    graph.arrays["hyperedge_index"] = toArray(at::stack({at::randint(nodes, {entries}, at::kLong), ends}));
    graph.arrays["hyperedge_weight"] = toArray(at::rand({hyperedges}));
    const at::Tensor all = toTensor(runLayerWise(model, graph).outputs.front().array);
    for (const std::int64_t count : {1, 6, 11, 21, 41}) {
        RunOptions options;
        options.targets.resize(static_cast<std::size_t>(count));
        std::iota(options.targets.begin(), options.targets.end(), 0);
        const at::Tensor found = toTensor(runLayerWise(model, graph, options).outputs.front().array);
        EXPECT_TRUE(at::allclose(found, all.narrow(0, 0, count), 1e-4, 1e-5)) << count;
    }
}

// Without a graph they are left out and told; a graph that has an array of the name gives it, unless forward does not run on that.
TEST(TorchScript, OptionalInputsAreThoseThatTheGraphHas)
{
    const auto says = [](const Model& model, const std::string& text) {
        return std::ranges::any_of(model.program().notes, [&](const std::string& note) { return note.find(text) != std::string::npos; });
    };
    DataGraph graph = readGraph(scripts() / "odd_weighted.npz");
    const Model without = openModel(scripts() / "odd_weighted.pt", {.widths = {{"x", 12}}});
    EXPECT_TRUE(says(without, "'edge_weight' is left out"));
    EXPECT_TRUE(isForOtherArrays(without, arrayShapes(graph)));
    const Model with = openModel(scripts() / "odd_weighted.pt", {.shapes = arrayShapes(graph)});
    EXPECT_FALSE(says(with, "'edge_weight'")) << "it is an input";
    EXPECT_TRUE(says(with, "'pos' is left out"));
    EXPECT_FALSE(isForOtherArrays(with, arrayShapes(graph)));
    VerifyOptions options;
    options.expected["expected"] = graph.arrays.at("expected");
    EXPECT_TRUE(verify(with, graph, options).equal());
    EXPECT_FALSE(verify(without, graph, options).equal()) << "the outputs were recorded with weights";

    graph.arrays["pos"] = graph.arrays.at("x");
    EXPECT_TRUE(says(openModel(scripts() / "odd_weighted.pt", {.shapes = arrayShapes(graph)}), "'pos' is left out"));
}

// What a size decides is what it was on the graphs that the script was read with: a graph that it decides otherwise for is refused.
TEST(TorchScript, GraphsForWhichSizesDecideOtherwiseAreRefused)
{
    const Model model = openModel(scripts() / "odd_deciding.pt", {.widths = {{"x", 12}}});
    DataGraph graph = readGraph(scripts() / "odd_deciding.npz");
    VerifyOptions options;
    options.expected["expected"] = graph.arrays.at("expected");
    EXPECT_TRUE(verify(model, graph, options).equal());
    for (const std::int64_t nodes : {40, 1500}) {
        DataGraph other;
        other.numNodes = nodes;
        other.numEdges = 1;
        other.arrays = {{"x", makeArray(DType::Float32, {nodes, 12}).array}, {"edge_index", makeArray(DType::Int64, {2, 1}).array}};
        EXPECT_NE(test::errorOf([&] { runLayerWise(model, other); }).find("The script works out something else for this graph's sizes"), std::string::npos)
            << nodes;
    }
}

// A trace on a ring tells nodes and edges apart by their names alone.
TEST(TorchScript, GraphsMayHaveHadAsManyNodesAsEdges)
{
    const Model model = openModel(scripts() / "odd_ring.pt");
    EXPECT_EQ(model.analysis->levels, 2);
    const DataGraph graph = readGraph(scripts() / "odd_ring.npz");
    VerifyOptions options;
    options.expected["expected"] = graph.arrays.at("expected");
    EXPECT_TRUE(verify(model, graph, options).equal());
}

// Where names do not, another graph does.
TEST(TorchScript, AnotherGraphTellsNodesAndEdgesApart)
{
    const DataGraph graph = readGraph(scripts() / "odd_ring_kinds.npz");
    const Model model = openModel(scripts() / "odd_ring_kinds.pt", {.shapes = arrayShapes(graph)});
    const auto sizesOf = [&](std::size_t input) { return model.program()[model.program().inputs[input].value].sizes; };
    EXPECT_NE(sizesOf(0).front(), sizesOf(1).back()) << "x and edge_index";
    VerifyOptions options;
    options.expected["expected"] = graph.arrays.at("expected");
    EXPECT_TRUE(verify(model, graph, options).equal());
}

TEST(TorchScript, CountsBecomeIntegersWhereTheyDoInTheTrace)
{
    const Model model = openModel(scripts() / "odd_halved.pt");
    const DataGraph graph = readGraph(scripts() / "odd_halved.npz");
    VerifyOptions options;
    options.expected["expected"] = graph.arrays.at("expected");
    EXPECT_TRUE(verify(model, graph, options).equal());
}

TEST(TorchScript, CachedGraphsChangedBuffersAndBranchesByFeaturesAreRefused)
{
    const std::string cached = test::errorOf([] { openModel(scripts() / "odd_cached.pt"); });
    EXPECT_NE(cached.find("cached=False"), std::string::npos) << cached;
    const std::string buffer = test::errorOf([] { openModel(scripts() / "odd_buffer.pt"); });
    EXPECT_NE(buffer.find("changes the weight 'scale' in place"), std::string::npos) << buffer;
    const std::string branch = test::errorOf([] { openModel(scripts() / "odd_branch.pt"); });
    EXPECT_NE(branch.find("takes a branch by the entries of tensor"), std::string::npos) << branch;
    const std::string fast = test::errorOf([] { openModel(scripts() / "odd_fast_path.pt"); });
    EXPECT_NE(fast.find("torch.backends.mha.set_fastpath_enabled(False)"), std::string::npos) << fast;
}

// The archive's entries, one of them changed.
class HostileScript : public testing::Test {
protected:
    std::string refusalOf(const std::function<void(std::string& name, std::string& content)>& change)
    {
        const ZipReader zip(scripts() / "sage_mean.trace.pt");
        std::vector<std::pair<std::string, std::string>> entries;
        for (const ZipEntry& entry : zip.entries()) {
            entries.emplace_back(entry.name, zip.readText(entry.name));
            change(entries.back().first, entries.back().second);
        }
        std::vector<NewZipEntry> written;
        for (const auto& [name, content] : entries)
            written.push_back({name, std::as_bytes(std::span(content))});
        writeZip(m_folder / "model.pt", written);
        return test::errorOf([&] { openModel(m_folder / "model.pt"); });
    }

    test::TemporaryFolder m_folder;
};

TEST_F(HostileScript, EndsInOneSentence)
{
    const auto is = [](const std::string& name, std::string_view end) { return name.ends_with(end); };
    EXPECT_EQ(refusalOf([](auto&, auto&) {}), "");
    EXPECT_NE(refusalOf([&](const std::string& name, std::string& content) {
                  if (is(name, ".py"))
                      content += "  def __setstate__(self, x: int) -> None:\n    pass\n";
              }).find("code of its own"),
              std::string::npos);
    EXPECT_NE(refusalOf([&](const std::string& name, std::string& content) {
                  if (is(name, ".py"))
                      content += std::string(100'000, '(');
              }).find("nested too deeply"),
              std::string::npos);
    EXPECT_NE(refusalOf([&](const std::string& name, std::string& content) {
                  if (is(name, "data.pkl"))
                      content.resize(content.size() / 2);
              }).find("ends too early"),
              std::string::npos);
    EXPECT_NE(refusalOf([&](const std::string& name, std::string& content) {
                  if (is(name, "data.pkl"))
                      content = "\x80\x02]e.";
              }).find("not a valid pickle"),
              std::string::npos);
    EXPECT_NE(refusalOf([&](const std::string& name, std::string& content) {
                  if (is(name, "data.pkl"))
                      content = std::string("\x80\x02") + std::string(5000, '(') + ".";
              }).find("nested too deeply"),
              std::string::npos);
    // Tuples, each of which holds the one before: freed one after the other.
    EXPECT_NE(refusalOf([&](const std::string& name, std::string& content) {
        if (!is(name, "data.pkl"))
            return;
        constexpr std::string_view begin{"\x80\x02Nq\0", 5}, next{"(h\0tq\0", 6};
        content = begin;
        for (int i = 0; i < 500'000; ++i)
            content += next;
        content += '.';
    }), "");
    EXPECT_NE(refusalOf([&](const std::string& name, std::string& content) { if (is(name, ".py")) content = "class X(Module):\n  oops\n"; }), "");
    // LibTorch's parser reads past the end of what is not there: what it says then, if it says anything, depends on what lies behind it.
    EXPECT_NE(refusalOf([&](const std::string& name, std::string& content) {
                  if (const std::size_t at = content.find("__buffers__ = []"); is(name, ".py") && at != std::string::npos)
                      content.replace(at, 16, "oops = 3");
              }),
              "");
    EXPECT_NE(refusalOf([&](const std::string& name, std::string& content) {
                  if (name.find("/data/") != std::string::npos)
                      content.resize(3);
              }).find("holds less data"),
              std::string::npos);
    // LibTorch takes a tensor's size and place as they are: one row more, or one entry later, would be what lies behind it.
    for (const std::size_t at : {4U, 1U})
        EXPECT_NE(refusalOf([&](const std::string& name, std::string& content) {
                      constexpr std::string_view offsetAndSizes{"K\0(K", 4};
                      if (const std::size_t begin = content.find(offsetAndSizes); name.ends_with("/data.pkl") && begin != std::string::npos)
                          ++content[begin + at];
                  }).find("has a tensor that reaches beyond its data"),
                  std::string::npos)
            << at;
    EXPECT_NE(refusalOf([&](const std::string& name, std::string& content) {
        if (is(name, ".py") && content.find("return") != std::string::npos)
            content.replace(content.find("return"), 0, "torch.save(x, \"written\")\n    ");
    }), "");
}

}  // namespace
}  // namespace cleave
