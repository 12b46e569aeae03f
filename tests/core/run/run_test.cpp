#include "core/run/verify.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <random>
#include <set>
#include <thread>

#include "core/base/mapping.h"
#include "core/base/memory_bound.h"
#include "core/graph/generate.h"
#include "core/graph/npy.h"
#include "core/plan/dot.h"
#include "core/plan/plan_space.h"
#include "core/run/measure.h"
#include "tests/core/run/zoo_files.h"

namespace cleave {
namespace {

using test::errorOf;
using test::openZoo;
using test::postponed;
using test::zooGraph;

TEST(Run, FunctionsCountRowsBlocksAndEdges)
{
    const Model model = openZoo("gcn");
    const DataGraph graph = zooGraph("gcn");
    RunOptions options;
    options.batchSize = 7;
    const RunResult result = runLayerWise(model, graph, options);
    ASSERT_EQ(result.functions.size(), 3U);
    EXPECT_EQ(result.functions[0].edges, 0);
    for (const FunctionRun& f : result.functions) {
        EXPECT_EQ(f.batches, 9);
        EXPECT_EQ(f.rows, 60);
        EXPECT_GE(f.blockNodes, f.rows);
    }
    // 301 edges less the self-loops, which GCN replaces by one for each of the 60 nodes.
    std::set<std::int64_t> unused;
    std::int64_t loops = 0;
    const auto* source = graph.arrays.at("edge_index").as<std::int64_t>();
    for (int e = 0; e < 301; ++e)
        loops += source[e] == source[e + 301];
    EXPECT_EQ(result.functions[1].edges, 301 - loops + 60);
    EXPECT_GT(result.peakBytes, 0);
}

TEST(Run, ThreadsAndBatchSizesGiveTheSameAnswers)
{
    const Model model = openZoo("gat");
    const DataGraph graph = zooGraph("gat");
    const RunResult whole = runFullGraph(model, graph);
    for (const int threads : {1, 2, 5})
        for (const std::int64_t batchSize : {1, 2, 13, 59, 60, 61}) {
            RunOptions options;
            options.threads = threads;
            options.batchSize = batchSize;
            const RunResult part = runLayerWise(model, graph, options);
            for (std::int64_t i = 0; i < whole.outputs[0].array.count(); ++i)
                ASSERT_NEAR(part.outputs[0].array.as<float>()[i], whole.outputs[0].array.as<float>()[i], 1e-4) << threads << " " << batchSize;
        }
}

// Times of short runs are those of a second one; its answers are the same.
TEST(Run, ShortRunsWarmUp)
{
    const Model model = openZoo("gcn");
    const DataGraph graph = zooGraph("gcn");
    RunOptions options;
    EXPECT_EQ(runLayerWise(model, graph, options).firstSeconds, 0);
    const RunResult once = runLayerWise(model, graph, options);
    runFullGraph(model, graph, options);  // on a busy machine the first one of a process may take longer than what is repeated
    options.warmsUp = true;
    const RunResult twice = runLayerWise(model, graph, options);
    EXPECT_GT(twice.firstSeconds, 0);
    EXPECT_LT(twice.firstSeconds, warmUpSeconds);
    EXPECT_GT(twice.seconds, 0);
    EXPECT_EQ(std::memcmp(twice.outputs[0].array.data.get(), once.outputs[0].array.data.get(), once.outputs[0].array.bytes()), 0);
    EXPECT_EQ(twice.functions.size(), once.functions.size());
    EXPECT_GT(runFullGraph(model, graph, options).firstSeconds, 0);
    // What is kept in a folder is written once.
    const test::TemporaryFolder folder;
    options.store = folder / "store";
    EXPECT_EQ(runLayerWise(model, graph, options).firstSeconds, 0);
}

// Edges into many targets are reduced before batches run on them, whether rows come from the store, from a block's copies or from joined functions.
TEST(Run, GatheringBeforehandGivesTheSameForAnyPlan)
{
    int gathers = 0;
    std::vector<const char*> names{"sage_mean", "gatv2", "typed_sage", "jk_cat", "film_relations", "transformer_edges"};
    if (test::hasTime())
        names.insert(names.end(), {"gcn", "gat", "rgcn", "two_branches", "film", "dir_gnn"});
    for (const char* name : names) {
        Model model = openZoo(name);
        const DataGraph graph = zooGraph(name);
        const PlanSpace space(*model.analysis);
        const Plan plain = space.messageDegree();
        Plan joined = plain;
        for (int f = 1; f < space.functions() - 1; ++f)
            if (space.whyNotJoined(f).empty())
                joined.joined.insert(f);
        std::vector<std::pair<Plan, std::set<BlockCopy>>> plans{{plain, {}}, {joined, {}}};
        for (const CutFunction& function : model.cut->functions)
            for (const ValueId value : function.reads)
                plans.push_back({plain, {{function.level, value}}});
        RunOptions options;
        options.batchSize = 7;
        const RunResult expected = runLayerWise(model, graph, options);
        for (const auto& [plan, copies] : plans) {
            if (!space.whyIllegal(plan).empty())
                continue;
            model.cut = std::make_shared<CutProgram>(space.cut(plan, copies));
            for (const std::int64_t atOnce : {1, 16, 1000}) {
                options.gatherAtOnce = atOnce;
                const RunResult result = runLayerWise(model, graph, options);
                for (const FunctionRun& function : result.functions)
                    gathers += function.gathers > 0;
                for (std::size_t o = 0; o < expected.outputs.size(); ++o)
                    for (std::int64_t i = 0; i < expected.outputs[o].array.count(); ++i)
                        ASSERT_NEAR(result.outputs[o].array.as<float>()[i], expected.outputs[o].array.as<float>()[i], 1e-4)
                            << name << ", " << atOnce << " at once";
            }
            options.gatherAtOnce = 0;
        }
    }
    EXPECT_GT(gathers, 15);
}

TEST(Run, IntegersAreThoseOfTheModelsType)
{
    const Model read = openZoo("molecule");
    auto analysis = std::make_shared<Analysis>(*read.analysis);
    for (const Input& input : analysis->program.inputs)
        if (input.role == Role::NodeFeatures)
            analysis->program[input.value].dtype = DType::Int8;
    const Model model{analysis, read.cut};
    DataGraph graph = zooGraph("molecule");
    const auto refused = [&](DType dtype, std::int64_t number) {
        NewArray atoms = makeArray(dtype, graph.arrays.at("atoms").shape);
        std::memset(atoms.data, 0, atoms.array.bytes());
        atoms.data[0] = static_cast<std::byte>(number & 0xff);
        if (itemSize(dtype) > 1)
            atoms.data[1] = static_cast<std::byte>(number >> 8 & 0xff);
        graph.arrays.at("atoms") = std::move(atoms.array);
        return test::errorOf([&] { runLayerWise(model, graph); }).find("its numbers are too large for that type") != std::string::npos;
    };
    EXPECT_FALSE(refused(DType::Int64, 127));
    EXPECT_TRUE(refused(DType::Int64, 128));
    EXPECT_TRUE(refused(DType::Int16, 257));
    EXPECT_TRUE(refused(DType::UInt8, 200));
    EXPECT_FALSE(refused(DType::UInt8, 5));
}

TEST(Run, ComplexFeaturesLoseNothingUntold)
{
    const Model model = openZoo("gcn");
    DataGraph graph = zooGraph("gcn");
    const Array& real = graph.arrays.at("x");
    NewArray complex = makeArray(DType::Complex64, real.shape);
    auto* entries = reinterpret_cast<std::complex<float>*>(complex.data);
    for (std::int64_t i = 0; i < real.count(); ++i)
        entries[i] = {real.as<float>()[i], 5};
    graph.arrays.at("x") = std::move(complex.array);
    EXPECT_NE(test::errorOf([&] { runLayerWise(model, graph); }).find("the type does not fit"), std::string::npos);
}

// A sum of no edges that is divided by none is no number, also beside rows of the targets' own.
TEST(Run, SumsOfNothingThatAreDividedByNothingAreNoNumbers)
{
    for (const std::string name : {"adds_own_rows_to_undefined_means", "adds_own_rows_to_infinite_products"}) {
        Model model = openModel(test::testDir() / "models/adversarial" / (name + ".pt2"));
        const PlanSpace space(*model.analysis);
        model.cut = std::make_shared<CutProgram>(space.cut(postponed(space)));
        const DataGraph graph = readGraph(test::testDir() / "models/adversarial" / (name + ".npz"));
        RunOptions options;
        options.batchSize = 7;
        options.gatherAtOnce = 1000;
        options.ownRows = OwnRows::Never;
        const auto entries = [&] {
            const RunResult result = runLayerWise(model, graph, options);
            const float* all = result.outputs[0].array.as<float>();
            return std::vector<float>(all, all + result.outputs[0].array.count());
        };
        const std::vector<float> expected = entries();
        options.ownRows = OwnRows::Always;
        const std::vector<float> found = entries();
        std::size_t undefined = 0;
        for (std::size_t i = 0; i < expected.size(); ++i)
            if (std::isnan(expected[i])) {
                ++undefined;
                ASSERT_TRUE(std::isnan(found[i])) << name << ", " << i;
            } else if (std::isfinite(expected[i])) {
                ASSERT_NEAR(found[i], expected[i], 1e-4) << name << ", " << i;
            } else {
                ASSERT_EQ(found[i], expected[i]) << name << ", " << i;
            }
        EXPECT_GT(undefined, 0u) << name;
        EXPECT_LT(undefined, expected.size()) << name;
    }
}

// What targets make of their own rows joins the sums while the rows of sources come, before or after a linear layer, whatever divides or scales the
// sums.
TEST(Run, OwnRowsJoinTheSumsAsRowsCome)
{
    std::set<std::string> taken;
    for (const char* name : {"sage_mean", "sage_max", "graphconv_weights", "gin", "gat", "gcn", "pna", "cluster_gcn", "leconv", "res_gated", "tag"}) {
        Model model = openZoo(name);
        const PlanSpace space(*model.analysis);
        model.cut = std::make_shared<CutProgram>(space.cut(postponed(space)));
        const DataGraph graph = zooGraph(name);
        RunOptions options;
        options.batchSize = 7;
        options.ownRows = OwnRows::Never;
        options.gatherAtOnce = 1000;
        const RunResult expected = runLayerWise(model, graph, options);
        for (const FunctionRun& function : expected.functions)
            EXPECT_FALSE(function.withOwnRows);
        options.ownRows = OwnRows::Always;
        std::vector<float> first;
        for (const auto& [atOnce, threads] : {std::pair{1, 2}, {16, 3}, {1000, 1}, {1000, 2}, {1000, 5}}) {
            options.gatherAtOnce = atOnce;
            options.threads = threads;
            const RunResult result = runLayerWise(model, graph, options);
            if (std::ranges::any_of(result.functions, [](const FunctionRun& function) { return function.withOwnRows; }))
                taken.insert(name);
            for (std::size_t o = 0; o < expected.outputs.size(); ++o)
                for (std::int64_t i = 0; i < expected.outputs[o].array.count(); ++i)
                    ASSERT_NEAR(result.outputs[o].array.as<float>()[i], expected.outputs[o].array.as<float>()[i], 1e-4)
                        << name << ", " << atOnce << " at once, " << threads << " threads";
            const float* entries = result.outputs[0].array.as<float>();
            const std::vector<float> all(entries, entries + result.outputs[0].array.count());
            if (atOnce < 1000)
                continue;
            if (first.empty())
                first = all;
            EXPECT_EQ(all, first) << name << ": " << threads << " threads give other bytes";
        }
    }
    EXPECT_EQ(taken, (std::set<std::string>{"cluster_gcn", "gin", "graphconv_weights", "sage_mean", "tag"}));
}

// Each function computes the nodes that lie so many hops before the wanted ones, and no others.
TEST(Run, PartOfTheNodesComputesTheirNeighbourhoodOnly)
{
    const Model model = openModel(test::examplesDir() / "gcn.pt2");
    const DataGraph cora = readGraph(test::examplesDir() / "cora.npz");
    const RunResult whole = runLayerWise(model, cora);
    RunOptions options;
    options.targets = {2000, 7, 7, 431};
    const RunResult part = runLayerWise(model, cora, options);
    ASSERT_EQ(part.outputs[0].array.shape, (std::vector<std::int64_t>{4, whole.outputs[0].array.shape[1]}));
    const std::int64_t classes = whole.outputs[0].array.shape[1];
    for (std::size_t i = 0; i < options.targets.size(); ++i)
        for (std::int64_t c = 0; c < classes; ++c)
            EXPECT_NEAR(part.outputs[0].array.as<float>()[static_cast<std::int64_t>(i) * classes + c],
                        whole.outputs[0].array.as<float>()[options.targets[i] * classes + c], 1e-5);
    // GCN reads each node's own row as well.
    std::set<std::int64_t> nodes(options.targets.begin(), options.targets.end());
    const auto* ends = cora.arrays.at("edge_index").as<std::int64_t>();
    ASSERT_EQ(part.functions.size(), 3U);
    for (int f = 2; f >= 0; --f) {
        EXPECT_EQ(part.functions[static_cast<std::size_t>(f)].rows, static_cast<std::int64_t>(nodes.size())) << "function " << f;
        std::set<std::int64_t> sources = nodes;
        for (std::int64_t e = 0; e < cora.numEdges; ++e)
            if (nodes.contains(ends[cora.numEdges + e]))
                sources.insert(ends[e]);
        nodes = sources;
    }
    options.targets = {5, 2708};
    EXPECT_NE(errorOf([&] { runLayerWise(model, cora, options); }).find("no node 2708"), std::string::npos);
    const Model edges = openZoo("link_prediction");
    options.targets = {1};
    EXPECT_NE(errorOf([&] { runLayerWise(edges, zooGraph("link_prediction"), options); }).find("no output has a row for each node"), std::string::npos);
}

// Where most edges are needed they are grouped once for all functions, of which each takes its own; otherwise each groups those that it needs. Ids
// or columns go along.
TEST(Run, MoreOrFewerOfTheNodes)
{
    const DataGraph cora = readGraph(test::examplesDir() / "cora.npz");
    for (const char* name : {"gcn.pt2", "gat.pt2", "sage.pt2"}) {
        const Model model = openModel(test::examplesDir() / name);
        const RunResult whole = runLayerWise(model, cora);
        for (const NodeOrder order : {NodeOrder::Natural, NodeOrder::Degree})
            for (const std::int64_t every : {1, 2, 9, 100, 2000}) {
                RunOptions options;
                options.order = order;
                for (std::int64_t node = cora.numNodes - 1; node > 0; node -= every)
                    options.targets.push_back(node);
                for (const Kernels kernels : {Kernels::All, Kernels::None}) {
                    options.kernels = kernels;
                    const RunResult part = runLayerWise(model, cora, options);
                    const std::int64_t classes = whole.outputs[0].array.shape[1];
                    ASSERT_EQ(part.outputs[0].array.shape, (std::vector<std::int64_t>{static_cast<std::int64_t>(options.targets.size()), classes}));
                    double most = 0;
                    for (std::size_t i = 0; i < options.targets.size(); ++i)
                        for (std::int64_t c = 0; c < classes; ++c)
                            most = std::max<double>(most, std::fabs(part.outputs[0].array.as<float>()[static_cast<std::int64_t>(i) * classes + c] -
                                                                    whole.outputs[0].array.as<float>()[options.targets[i] * classes + c]));
                    EXPECT_LE(most, 1e-4) << name << ", every " << every << ", order " << orderName(order);
                }
            }
    }
}

// Labels, and outputs that were recorded for all nodes, are those of the nodes that are asked for, in whatever order and however many.
TEST(Run, AllNodesInAnotherOrderHaveTheSameAccuracy)
{
    const Model model = openModel(test::examplesDir() / "gcn.pt2");
    const DataGraph cora = readGraph(test::examplesDir() / "cora.npz");
    VerifyOptions options;
    options.expected = readNpz(test::examplesDir() / "gcn.expected.npz");
    const VerifyResult whole = verify(model, cora, options);
    options.run.targets.resize(static_cast<std::size_t>(cora.numNodes));
    std::iota(options.run.targets.rbegin(), options.run.targets.rend(), 0);
    const VerifyResult backwards = verify(model, cora, options);
    EXPECT_TRUE(backwards.equal());
    EXPECT_EQ(backwards.comparisons.size(), whole.comparisons.size());
    ASSERT_EQ(backwards.accuracies.size(), whole.accuracies.size());
    ASSERT_FALSE(whole.accuracies.empty());
    for (std::size_t i = 0; i < whole.accuracies.size(); ++i)
        EXPECT_NEAR(backwards.accuracies[i].value, whole.accuracies[i].value, 1e-3) << whole.accuracies[i].run << " " << whole.accuracies[i].split;
}

TEST(Run, InputsAreLeftAsTheyWere)
{
    const Model model = openModel(test::testDir() / "models/adversarial/changes_input.pt2");
    const DataGraph graph = readGraph(test::testDir() / "models/adversarial/changes_input.npz");
    const Array& x = graph.arrays.at("x");
    const std::vector<std::byte> before(x.data.get(), x.data.get() + x.bytes());
    runFullGraph(model, graph);
    runLayerWise(model, graph);
    EXPECT_EQ(std::memcmp(before.data(), x.data.get(), x.bytes()), 0);
}

TEST(Run, AGraphThatIsNotReadAgainLeavesMemoryAfterItsLastReader)
{
    for (const char* name : {"gcn", "sage_mean", "gat", "rgcn", "edge_weights", "typed_sage", "jk_cat"}) {
        const Model model = openZoo(name);
        DataGraph graph = zooGraph(name);
        RunOptions options;
        options.batchSize = 7;
        options.warmsUp = true;
        options.order = NodeOrder::Degree;
        const RunResult kept = runLayerWise(model, graph, options);
        std::map<std::string, std::weak_ptr<const std::byte>> arrays;
        for (const auto& [array, data] : graph.arrays)
            arrays[array] = data.data;
        // When the last function begins, which reads no features of the graph.
        const std::string last = "Running " + kept.functions.back().name;
        bool isGone = false;
        Progress progress;
        progress.report = [&](double, std::string_view what) {
            if (what == last)
                isGone = isGone || arrays.at(std::string(name) == "typed_sage" ? "x_paper" : "x").expired();
        };
        const RunResult freed = runLayerWiseAndFree(model, graph, options, progress);
        EXPECT_TRUE(isGone || std::string(name) == "jk_cat") << name;
        EXPECT_TRUE(graph.arrays.empty());
        for (const auto& [array, data] : arrays)
            EXPECT_TRUE(data.expired()) << name << ": " << array;
        ASSERT_EQ(kept.outputs.size(), freed.outputs.size());
        for (std::size_t i = 0; i < kept.outputs.size(); ++i)
            EXPECT_EQ(std::memcmp(kept.outputs[i].array.data.get(), freed.outputs[i].array.data.get(), kept.outputs[i].array.bytes()), 0) << name;
        EXPECT_EQ(freed.firstSeconds, 0) << "it cannot be run twice";
    }
}

// Also when its arrays are gone by then: what was read may be of one file and the other.
TEST(Run, AGraphWhoseFilesChangeMeanwhileIsTold)
{
    const test::TemporaryFolder folder;
    const Model model = openZoo("gcn");
    for (const auto& [name, array] : zooGraph("gcn").arrays)
        writeNpy(folder / (name + ".npy"), array);
    for (const bool isFreed : {false, true})
        for (const bool isWritten : {false, true}) {
            DataGraph graph = readGraph(folder.path());
            Progress progress;
            progress.report = [&](double, std::string_view what) {
                if (isWritten && what.starts_with("Running "))
                    std::filesystem::last_write_time(folder / "x.npy", std::filesystem::file_time_type::clock::now() + std::chrono::seconds(5));
            };
            const std::string said = test::errorOf([&] {
                if (isFreed)
                    runLayerWiseAndFree(model, graph, {}, progress);
                else
                    runLayerWise(model, graph, {}, progress);
            });
            EXPECT_EQ(said.find("The file of array 'x' of graph") != std::string::npos, isWritten) << said;
            std::filesystem::last_write_time(folder / "x.npy", std::filesystem::file_time_type::clock::now());
        }
}

TEST(Run, CancelReachesTheNextBatch)
{
    const Model model = openZoo("gcn");
    const DataGraph graph = zooGraph("gcn");
    std::stop_source source;
    int reports = 0;
    const Progress progress{source.get_token(), [&](double, std::string_view) {
                                if (++reports == 5)
                                    source.request_stop();
                            }};
    RunOptions options;
    options.batchSize = 1;
    EXPECT_THROW(runLayerWise(model, graph, options, progress), Cancelled);
    EXPECT_EQ(reports, 5);
}

// While the rows of a function's sources come from a file, which takes a second for each gigabyte.
TEST(Run, CancelReachesRowsThatComeFromAFile)
{
    const test::TemporaryFolder folder;
    {
        RmatOptions rmat;
        rmat.scale = 18;
        rmat.features = 128;
        for (const auto& [name, array] : generateRmat(rmat).arrays)
            writeNpy(folder / (name + ".npy"), array);
    }
    const DataGraph graph = readGraph(folder.path());
    const Model model = openModel(test::testDir() / "bench/models/sage3.pt2");
    std::stop_source source;
    std::uint64_t before = 0;
    const Progress progress{source.get_token(), [&](double, std::string_view what) {
                                if (what != "Running function 1" || source.stop_requested())
                                    return;
                                before = fileTraffic().read;
                                source.request_stop();
                            }};
    const MemoryBound bound(std::size_t{256} << 20, folder.path());
    EXPECT_THROW(runLayerWise(model, graph, {}, progress), Cancelled);
    EXPECT_GT(before, 0U);
    EXPECT_LT(static_cast<double>(fileTraffic().read - before), 0.5 * static_cast<double>(graph.arrays.at("x").bytes()));
}

// Wherever it is: in a kernel, in a block that is cut, on one thread or on several, and never as an error.
TEST(Run, CancelStopsWithinAMoment)
{
    RmatOptions rmat;
    rmat.scale = 15;
    rmat.features = 1433;
    const DataGraph graph = generateRmat(rmat);
    const Model model = openModel(test::examplesDir() / "sage.pt2");
    std::vector<double> seconds;
    for (const std::int64_t batchSize : {500, 4000, 1 << 15})
        for (const int milliseconds : {5, 40, 90, 150, 300}) {
            std::stop_source source;
            std::chrono::steady_clock::time_point stopped;
            std::thread other([&] {
                std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
                stopped = std::chrono::steady_clock::now();
                source.request_stop();
            });
            RunOptions options;
            options.batchSize = batchSize;
            bool finished = true;
            try {
                for (int run = 0; run < 20; ++run)
                    runLayerWise(model, graph, options, {source.get_token(), {}});
            } catch (const Cancelled&) {
                finished = false;
            }
            const auto now = std::chrono::steady_clock::now();
            other.join();
            EXPECT_FALSE(finished);
            seconds.push_back(std::chrono::duration<double>(now - stopped).count());
        }
    std::ranges::sort(seconds);
    EXPECT_LT(seconds[seconds.size() / 2], 0.1);
    EXPECT_LT(seconds[seconds.size() - 3], 0.5) << "on a machine that does other things as well";
}

TEST(Run, CancelReachesTheFullGraphRunBetweenItsOps)
{
    const Model model = openZoo("gcn");
    std::stop_source source;
    double last = 0;
    const Progress progress{source.get_token(), [&](double fraction, std::string_view) {
                                last = fraction;
                                if (fraction > 0.3)
                                    source.request_stop();
                            }};
    EXPECT_THROW(runFullGraph(model, zooGraph("gcn"), {}, progress), Cancelled);
    EXPECT_LT(last, 0.9);
}

TEST(Run, GraphsThatDoNotFitAreOneSentence)
{
    const Model model = openZoo("edge_weights");
    DataGraph graph = zooGraph("edge_weights");
    const auto refusal = [&](const DataGraph& g, const RunOptions& options = {}) { return errorOf([&] { runLayerWise(model, g, options); }); };
    EXPECT_EQ(refusal(graph), "");
    DataGraph missing = graph;
    missing.arrays.erase("edge_weight");
    EXPECT_NE(refusal(missing).find("edge_weight"), std::string::npos);
    DataGraph narrow = graph;
    narrow.arrays["x"] = makeArray(DType::Float32, {60, 11}).array;
    EXPECT_NE(refusal(narrow).find("must be 12"), std::string::npos) << refusal(narrow);
    DataGraph few = graph;
    few.arrays["x"].shape[0] = 50;
    EXPECT_NE(refusal(few).find("names node"), std::string::npos) << refusal(few);
    DataGraph fewer = graph;
    fewer.arrays["edge_weight"].shape[0] = 300;
    EXPECT_NE(refusal(fewer).find("301"), std::string::npos) << refusal(fewer);
    RunOptions options;
    options.inputs["edge_weight"] = "nothing";
    EXPECT_NE(refusal(graph, options).find("nothing"), std::string::npos);
    options = {};
    options.batchSize = -1;
    EXPECT_NE(refusal(graph, options), "");
    DataGraph none = graph;
    none.arrays["x"].shape[0] = 0;
    EXPECT_NE(refusal(none).find(", but there are none."), std::string::npos) << refusal(none);
}

TEST(Run, ABatchMayBeLargerThanAnyGraph)
{
    constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
    const Model model = openZoo("gcn");
    const DataGraph graph = zooGraph("gcn");
    const RunResult expected = runLayerWise(model, graph);
    for (const std::int64_t gathered : {std::int64_t{0}, std::int64_t{10}, largest}) {
        RunOptions options;
        options.batchSize = largest;
        options.gatherAtOnce = gathered;
        options.batchesAtOnce = 2;
        const RunResult result = runLayerWise(model, graph, options);
        ASSERT_EQ(result.outputs.front().array.shape, expected.outputs.front().array.shape);
        for (std::int64_t i = 0; i < expected.outputs.front().array.count(); ++i)
            ASSERT_NEAR(result.outputs.front().array.as<float>()[i], expected.outputs.front().array.as<float>()[i], 1e-5) << gathered;
        for (const FunctionRun& function : result.functions)
            EXPECT_EQ(function.rows, graph.numNodes) << gathered;
    }
    GraphMeasure measure(model, graph);
    const GraphCounts all = measure.counts(graph.numNodes), more = measure.counts(largest);
    for (std::size_t f = 0; f < all.functions.size(); ++f)
        EXPECT_EQ(more.functions[f].within(), all.functions[f].within());
}

// What forward returns twice, as an encoder's mean and its sample in evaluation, is in the file twice, in its places.
TEST(Run, OutputsThatAreOneValueHaveANameEach)
{
    Analysis twice = *test::openZoo("gcn").analysis;
    twice.program.outputs.insert(twice.program.outputs.end(), 2, twice.program.outputs.front());
    const PlanSpace space(twice);
    const Model model{std::make_shared<const Analysis>(twice), std::make_shared<const CutProgram>(space.cut(space.messageDegree()))};
    const RunResult result = runLayerWise(model, test::zooGraph("gcn"));
    ASSERT_EQ(result.outputs.size(), 3U);
    const std::string name = result.outputs.front().name;
    EXPECT_EQ(result.outputs[1].name, name + "_1");
    EXPECT_EQ(result.outputs[2].name, name + "_2");
    const test::TemporaryFolder folder;
    writeOutputs(folder / "out.npz", result.outputs);
    const std::map<std::string, Array> written = readNpz(folder / "out.npz");
    ASSERT_EQ(written.size(), 3U);
    const Array& first = result.outputs.front().array;
    for (const NamedArray& output : result.outputs)
        EXPECT_EQ(std::memcmp(written.at(output.name).data.get(), first.data.get(), static_cast<std::size_t>(first.count()) * sizeof(float)), 0)
            << output.name;
}

TEST(Run, RenamedInputs)
{
    const Model model = openZoo("gcn");
    DataGraph graph = zooGraph("gcn");
    graph.arrays["features"] = graph.arrays["x"];
    graph.arrays.erase("x");
    RunOptions options;
    options.inputs["x"] = "features";
    EXPECT_EQ(runLayerWise(model, graph, options).outputs.size(), 1U);
}

// Archives have names in small letters.
TEST(Run, RolesFindInputsWhateverTheirLetters)
{
    const Model model = test::openZoo("gcn", {{{"X", Role::NodeFeatures}, {"Edge_Index", Role::GraphStructure}}});
    EXPECT_EQ(model.analysis->levels, 2);
    const std::string refusal = test::errorOf([] { test::openZoo("gcn", {{{"Y", Role::NodeFeatures}}}); });
    EXPECT_NE(refusal.find("no input or parameter 'Y'"), std::string::npos) << refusal;
}

TEST(Run, RandomFeaturesTakeThePlaceOfMissingOnesOnly)
{
    const Model model = openZoo("gcn");
    DataGraph graph = zooGraph("gcn");
    RunOptions options;
    options.randomFeatures = true;
    EXPECT_TRUE(runLayerWise(model, graph, options).randomInputs.empty());
    graph.arrays.erase("x");
    const RunResult layerWise = runLayerWise(model, graph, options);
    EXPECT_EQ(layerWise.randomInputs, std::vector<std::string>{"x"});
    VerifyOptions verifyOptions;
    verifyOptions.run = options;
    verifyOptions.expected["expected"] = layerWise.outputs.front().array;
    EXPECT_TRUE(verify(model, graph, verifyOptions).equal()) << "the same numbers in each run";
    options.inputs["x"] = "nothing";
    EXPECT_NE(errorOf([&] { runLayerWise(model, graph, options); }).find("nothing"), std::string::npos);
}

// A model that takes a matrix gets the graph's, if it has one under that name; its edges otherwise.
TEST(Matrices, OfTheGraphAreItsEdges)
{
    const Model model = openZoo("einsum_pooling");
    DataGraph graph = zooGraph("einsum_pooling");
    const std::int64_t nodes = graph.numNodes, edges = graph.numEdges;
    NewArray matrix = makeArray(DType::Float32, {nodes, nodes});
    auto* entries = reinterpret_cast<float*>(matrix.data);
    std::fill_n(entries, nodes * nodes, 0.0F);
    const auto* index = reinterpret_cast<const std::int64_t*>(graph.arrays.at("edge_index").data.get());
    const auto* weights = reinterpret_cast<const float*>(graph.arrays.at("edge_weight").data.get());
    for (std::int64_t e = 0; e < edges; ++e)
        entries[index[edges + e] * nodes + index[e]] += weights[e];
    VerifyOptions options;
    options.expected["expected"] = graph.arrays.at("expected");
    options.run.batchSize = 7;
    graph.arrays["adj"] = matrix.array;
    graph.arrays.erase("edge_weight");
    EXPECT_TRUE(verify(model, graph, options).equal()) << "beside edges without weights";
    graph.arrays.erase("edge_index");
    EXPECT_TRUE(verify(model, graph, options).equal());
    graph.numNodes = nodes + 1;
    EXPECT_NE(errorOf([&] { runLayerWise(model, graph); }).find("The adjacency matrix 'adj'"), std::string::npos);
}

TEST(Verify, TellsADifferenceFromWhatIsExpected)
{
    const Model model = openZoo("gcn");
    const DataGraph graph = zooGraph("gcn");
    VerifyOptions options;
    NewArray wrong = makeArray(DType::Float32, {60, 4});
    std::memcpy(wrong.data, graph.arrays.at("expected").data.get(), wrong.array.bytes());
    reinterpret_cast<float*>(wrong.data)[4 * 17 + 2] += 1;
    options.expected["expected"] = wrong.array;
    const VerifyResult result = verify(model, graph, options);
    EXPECT_FALSE(result.equal());
    const Comparison& c = result.comparisons[1];
    EXPECT_EQ(c.rowsOver, 1);
    EXPECT_EQ(c.worstRows, std::vector<std::int64_t>{17});
    EXPECT_NEAR(c.maxAbsolute, 1, 1e-3);
    EXPECT_TRUE(result.comparisons[0].equal);
    ASSERT_EQ(c.worstJitters.size(), 1U);
    EXPECT_GT(c.worstJitters[0], 0);
    EXPECT_LT(c.worstJitters[0], 1e-4);
    EXPECT_FALSE(c.isRounding());
    EXPECT_TRUE(result.comparisons[0].worstJitters.empty());
}

// Several rows of an output are one node's: they are compared with those recorded of all nodes, and are no nodes' numbers themselves.
TEST(Verify, TakesRowsOfOneNodeTogether)
{
    const Model model = openZoo("row_for_each_head");
    const DataGraph graph = zooGraph("row_for_each_head");
    const Array& all = graph.arrays.at("expected");
    VerifyOptions options;
    options.run.targets = {5, 1, 59};
    options.expected["expected"] = all;
    const VerifyResult result = verify(model, graph, options);
    EXPECT_TRUE(result.equal());
    EXPECT_EQ(result.layerWise.outputs.front().array.shape, (std::vector<std::int64_t>{9, 4}));
    EXPECT_TRUE(std::ranges::any_of(result.comparisons, [](const Comparison& c) { return c.b == "expected"; }));
    NewArray wrong = makeArray(DType::Float32, all.shape);
    std::memcpy(wrong.data, all.data.get(), all.bytes());
    for (const int row : {3 * 59 + 1, 3 * 1 + 2})
        reinterpret_cast<float*>(wrong.data)[4 * row] += 1;
    options.expected["expected"] = wrong.array;
    const VerifyResult other = verify(model, graph, options);
    const auto differs = std::ranges::find(other.comparisons, "expected", &Comparison::b);
    EXPECT_EQ(differs->rowsOver, 2);
    EXPECT_FALSE(differs->isRounding());
}

TEST(Verify, TellsRoundingFromMore)
{
    const Model model = openZoo("gat");
    const DataGraph graph = zooGraph("gat");
    VerifyOptions options;
    options.tolerance = {0, 0};
    options.run.batchSize = 7;
    options.run.order = NodeOrder::Degree;
    options.expected["expected"] = graph.arrays.at("expected");
    int different = 0;
    for (const Comparison& c : verify(model, graph, options).comparisons)
        if (!c.equal) {
            ++different;
            EXPECT_TRUE(c.isRounding()) << c.a << " and " << c.b << " by " << c.maxAbsolute << ", " << c.worstJitters.front();
            EXPECT_EQ(c.worstJitters.size(), c.worstGaps.size());
            EXPECT_DOUBLE_EQ(c.worstGaps.front(), c.maxAbsolute);
        }
    EXPECT_GT(different, 0);
    RunOptions moved;
    moved.jitter = 1;
    const Array a = runLayerWise(model, graph, moved).outputs.front().array, b = runLayerWise(model, graph, moved).outputs.front().array;
    EXPECT_EQ(std::memcmp(a.data.get(), b.data.get(), a.bytes()), 0) << "the same digits each time";
    moved.jitter = 2;
    const Array other = runLayerWise(model, graph, moved).outputs.front().array;
    EXPECT_NE(std::memcmp(a.data.get(), other.data.get(), a.bytes()), 0);
}

// Message passing at another node than the cut assumes: the check on random graphs must see it.
TEST(Check, AWrongCutIsRefusedByTheNameOfTheFirstOpThatDiffers)
{
    const Model model = openZoo("gcn");
    CutProgram wrong = *model.cut;
    for (Step& step : wrong.functions[1].steps)
        if (model.program()[step.op].target == "aten::relu")
            step.operands[0].kind = OperandKind::Stored, step.operands[0].value = wrong.functions[1].reads[0];
    const std::string error = errorOf([&] { checkCut(*model.analysis, wrong); });
    EXPECT_NE(error.find("aten::relu"), std::string::npos) << error;
}

TEST(Cut, EveryOpOfEveryLevelIsInOneFunctionThatReadsEarlierOnes)
{
    for (const std::string name : {"gcn", "gat", "jk_lstm", "cheb", "dir_gnn", "deeper_gcn", "two_branches"}) {
        const Model model = openZoo(name);
        const Analysis& a = *model.analysis;
        std::set<ValueId> stored;
        for (const Input& input : a.program.inputs)
            stored.insert(input.value);
        std::set<OpId> nodeOps;
        for (const CutFunction& f : model.cut->functions) {
            for (const ValueId read : f.reads)
                EXPECT_TRUE(stored.contains(read)) << name << " " << a.program[read].name;
            for (const Step& step : f.steps) {
                if (a.values[a.program[step.op].outputs.front()].rows == Rows::Nodes) {
                    EXPECT_TRUE(nodeOps.insert(step.op).second) << name << " runs " << a.program[step.op].name << " twice";
                }
            }
            stored.insert(f.saves.begin(), f.saves.end());
        }
        for (std::size_t i = 0; i < a.program.ops.size(); ++i) {
            if (a.values[a.program.ops[i].outputs.front()].rows == Rows::Nodes) {
                EXPECT_TRUE(nodeOps.contains(OpId{static_cast<int>(i)})) << name << " " << a.program.ops[i].name;
            }
        }
    }
}

TEST(Cut, LevelsAreMessageDegrees)
{
    EXPECT_EQ(openZoo("gcn").analysis->levels, 2);
    EXPECT_EQ(openZoo("jk_max").analysis->levels, 3);
    EXPECT_EQ(openZoo("tag").analysis->levels, 6) << "three hops in each of two modules";
    EXPECT_EQ(openZoo("gat").analysis->levels, 2) << "the softmax over incoming edges is no hop";
    EXPECT_EQ(openZoo("mlp_only").analysis->levels, 0);
}

TEST(Dot, HasAClusterForEachFunctionAndIsDeterministic)
{
    const Model model = openZoo("gat");
    const std::string dot = toDot(*model.analysis, *model.cut);
    EXPECT_EQ(dot, toDot(*model.analysis, *model.cut));
    EXPECT_NE(dot.find("cluster_2"), std::string::npos);
    EXPECT_EQ(dot.find("cluster_3"), std::string::npos);
}

TEST(Run, LargerGraph)
{
    const Model model = openZoo("sage_mean");
    DataGraph graph = generateRmat({.scale = 13, .edgeFactor = 10, .features = 12, .seed = 3});
    const VerifyResult result = verify(model, graph);
    EXPECT_TRUE(result.equal());
    EXPECT_EQ(result.layerWise.functions.back().edges, graph.numEdges);
}

// Half a million edges between real people, with hubs of thousands; the zoo's models have another width, so the features are drawn here.
TEST(Run, TolokersGraph)
{
    if (test::dataDir().empty())
        GTEST_SKIP() << "needs CLEAVE_DATA";
    DataGraph graph = readGraph(test::dataDir() / "tolokers.npz");
    NewArray x = makeArray(DType::Float32, {graph.numNodes, 12});
    std::mt19937 random(1);
    std::normal_distribution<float> normal;
    std::generate_n(reinterpret_cast<float*>(x.data), graph.numNodes * 12, [&] { return normal(random); });
    graph.arrays["x"] = x.array;
    for (const char* name : {"gcn", "gat", "sage_several"}) {
        VerifyOptions options;
        options.run.batchSize = 3000;
        const VerifyResult result = verify(openZoo(name), graph, options);
        EXPECT_TRUE(result.equal()) << name << ' ' << result.comparisons.front().maxRelative;
        EXPECT_GE(result.layerWise.functions.back().edges, 500'000) << name;
    }
}

// Only what is called so is taken for the number of nodes.
TEST(Bind, NumbersComeFromTheGraph)
{
    const Model model = test::openZoo("numbers_of_forward");
    DataGraph graph = test::zooGraph("numbers_of_forward");
    EXPECT_EQ(runLayerWise(model, graph, {}).outputs.front().array.shape.front(), 17);
    graph.arrays.erase("targets");
    EXPECT_EQ(test::errorOf([&] { runLayerWise(model, graph, {}); }), "Input 'targets' is a number that a graph does not have.");
}

TEST(Run, OutputsOfAnotherShapeAreNotComparedWith)
{
    const Model model = openModel(test::testDir() / "models/zoo/gcn.pt2");
    const DataGraph graph = readGraph(test::testDir() / "models/zoo/gcn.npz");
    VerifyOptions options;
    options.expected["expected"] = graph.arrays.at("x");
    EXPECT_EQ(test::errorOf([&] { verify(model, graph, options); }),
              "Output 'add_1' is of shape [60, 4], but what it is compared with is of shape [60, 12].");
}

// What only the graph tells is there for all nodes, and is given for those that are asked for.
TEST(Run, OutputsOfTheGraphAloneAreThoseOfTheTargets)
{
    const DataGraph graph = readGraph(test::testDir() / "models/zoo/with_degrees.npz");
    RunOptions options;
    options.targets = {3, 5, 40};
    const Model model = openModel(test::testDir() / "models/zoo/with_degrees.pt2");
    const std::vector<std::vector<std::int64_t>> ofTargets{{3, 16}, {3, 1}};
    for (const RunResult& result : {runLayerWise(model, graph, options), runFullGraph(model, graph, options)}) {
        ASSERT_EQ(result.outputs.size(), 2U);
        EXPECT_EQ((std::vector{result.outputs[0].array.shape, result.outputs[1].array.shape}), ofTargets);
        const Array &degrees = graph.arrays.at("expected_1"), &found = result.outputs[1].array;
        for (std::size_t i = 0; i < 3; ++i)
            EXPECT_EQ(found.as<float>()[i], degrees.as<float>()[options.targets[i]]);
    }
    const Model edges = openModel(test::testDir() / "models/zoo/with_edge_norms.pt2");
    EXPECT_NE(test::errorOf([&] { runLayerWise(edges, graph, options); }).find("has a row for each edge"), std::string::npos);
}

// LibTorch divides by how many there are.
TEST(Run, NoRowsAtAllAreNotNormalised)
{
    const Model model = openModel(test::testDir() / "models/zoo/batch_statistics_decomposed.pt2");
    DataGraph none;
    none.arrays = {{"x", makeArray(DType::Float32, {0, 12}).array}, {"edge_index", makeArray(DType::Int64, {2, 0}).array}};
    EXPECT_NE(test::errorOf([&] { runFullGraph(model, none); }).find("there are no rows to normalise"), std::string::npos);
    EXPECT_NE(test::errorOf([&] { runLayerWise(model, none); }).find("there are no rows to normalise"), std::string::npos);
}

// Which of several rows for one node stays is not defined: that is told, and only where there are several.
TEST(Run, RowsThatAreWrittenOverEachOtherAreTold)
{
    const Model model = openModel(test::testDir() / "models/torchscript/odd_overwrites.pt");
    DataGraph graph = readGraph(test::testDir() / "models/zoo/gcn.npz");
    const std::vector<std::string> told = runLayerWise(model, graph).notices;
    ASSERT_EQ(told.size(), 1U);
    EXPECT_NE(told.front().find("The rows of several edges are written to node "), std::string::npos) << told.front();
    EXPECT_NE(told.front().find("make_torchscript.py"), std::string::npos) << told.front();

    NewArray matching = makeArray(DType::Int64, {2, graph.numNodes / 2});
    auto* ends = reinterpret_cast<std::int64_t*>(matching.data);
    for (std::int64_t i = 0; i < graph.numNodes; ++i)
        ends[i] = i;
    graph.arrays.at("edge_index") = matching.array;
    graph.numEdges = graph.numNodes / 2;
    const VerifyResult result = verify(model, graph);
    EXPECT_TRUE(result.layerWise.notices.empty());
    EXPECT_TRUE(result.equal());
}

}  // namespace
}  // namespace cleave
