// The command line as a person uses it: exact exit codes, one sentence on stderr, outputs that other programs read.
#include <gtest/gtest.h>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "core/base/zip.h"
#include "core/graph/npy.h"
#include "tests/app/cli.h"
#include "tests/core/test_files.h"

namespace cleave {
namespace {

using test::example;
using test::Result;
using test::run;
using test::runProgram;

TEST(Cli, VersionAndHelp)
{
    const Result version = runProgram("--version");
    EXPECT_EQ(version.code, 0);
    EXPECT_NE(version.out.find("LibTorch"), std::string::npos);
    const Result there = runProgram("verify " + example("gcn.pt2") + " " + example("cora.npz") + " --device cuda --strict-device");
    const bool saysNone = version.out.find("CUDA: not built in\n") != std::string::npos;
    EXPECT_EQ(saysNone, there.err.find("this build has no CUDA") != std::string::npos) << there.err;
    const Result help = runProgram("--help");
    EXPECT_EQ(help.code, 0);
    for (const char* command : {"inspect", "run", "verify", "plan", "compare", "profile", "calibrate", "code", "dot", "generate", "convert", "bench"})
        EXPECT_NE(help.out.find(command), std::string::npos);
}

TEST(Cli, WrongUsageIsTwo)
{
    EXPECT_EQ(run("").code, 2);
    EXPECT_EQ(run("nonsense").code, 2);
    EXPECT_EQ(run("verify " + example("gcn.pt2")).code, 2);
    EXPECT_EQ(run("verify " + example("gcn.pt2") + " " + example("cora.npz") + " --batch-size 0").code, 2);
    EXPECT_EQ(run("verify " + example("gcn.pt2") + " " + example("cora.npz") + " --batch-size lots").code, 2);
}

TEST(Cli, FailuresAreOneSentenceAndOne)
{
    for (const std::string& arguments :
         {std::string("inspect nothing.pt2"), std::string("inspect ") + example("cora.npz"), "verify " + example("gcn.pt2") + " nothing.npz",
          "inspect " + example("gcn.pt2") + " --role x=queen", "inspect " + example("gcn.pt2") + " --role nobody=other"}) {
        const Result result = run(arguments);
        EXPECT_EQ(result.code, 1) << arguments;
        EXPECT_EQ(result.out, "") << arguments;
        EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
        EXPECT_TRUE(result.err.ends_with(".\n")) << result.err;
    }
}

TEST(Cli, ExpectedOutputsAreThoseOfTheModel)
{
    const test::TemporaryFolder folder;
    const std::string zoo = CLEAVE_TEST_DIR "/models/zoo/two_outputs", files = zoo + ".pt2 " + zoo + ".npz";
    const std::map<std::string, Array> arrays = readNpz(zoo + ".npz");
    const auto verified = [&](const std::vector<std::pair<std::string, Array>>& expected) {
        std::filesystem::remove(folder / "expected.npz");
        writeNpzInOrder(folder / "expected.npz", expected);
        return run("verify " + files + " --expected " + (folder / "expected.npz").string());
    };
    const Array &first = arrays.at("expected_0"), &second = arrays.at("expected_1");
    EXPECT_EQ(verified({{"expected_0", first}, {"expected_1", second}}).code, 0);
    const Result half = verified({{"expected_0", first}});
    EXPECT_EQ(half.code, 0);
    EXPECT_NE(half.out.find("The file of expected outputs has none of '"), std::string::npos) << half.out;
    for (const auto& expected : {std::vector<std::pair<std::string, Array>>{{"scores", first}}, {{"expected_0", first}, {"expected_2", second}}}) {
        const Result refused = verified(expected);
        EXPECT_EQ(refused.code, 1) << refused.out;
        EXPECT_TRUE(refused.err.starts_with("The file of expected outputs has ")) << refused.err;
    }
    const Result none = run("verify " + files + " --expected " + zoo + ".pt2");
    EXPECT_EQ(none.code, 1) << none.out;
    // What run writes is named as the outputs are.
    ASSERT_EQ(run("run " + files + " --out " + (folder / "own.npz").string()).code, 0);
    const Result own = run("verify " + files + " --expected " + (folder / "own.npz").string());
    EXPECT_EQ(own.code, 0) << own.err;
    EXPECT_EQ(own.out.find("has none of"), std::string::npos);
}

TEST(Cli, AGraphInPlaceOfTheModelIsNamed)
{
    const Result result = run("verify " + example("cora.npz") + " " + example("gcn.pt2"));
    EXPECT_EQ(result.code, 1);
    EXPECT_EQ(result.err, "The file holds arrays, as a graph's does, and no exported program: the model comes first, then the graph.\n");
}

TEST(Cli, InspectJson)
{
    const Result result = run("inspect --json " + example("gat.pt2"));
    ASSERT_EQ(result.code, 0) << result.err;
    const auto json = nlohmann::json::parse(result.out);
    EXPECT_EQ(json["levels"], 2);
    EXPECT_EQ(json["functions"].size(), 3U);
    EXPECT_EQ(json["inputs"][0]["role"], "node-features");
    EXPECT_EQ(json["inputs"][1]["role"], "graph-structure");
    EXPECT_EQ(json["functions"][1]["edge_sets"].size(), 1U);
}

TEST(Cli, VerifyEqualIsZeroDifferentIsThree)
{
    const Result equal =
        run("verify --json " + example("gcn.pt2") + " " + example("cora.npz") + " --batch-size 500 --expected " + example("gcn.expected.npz"));
    EXPECT_EQ(equal.code, 0) << equal.err;
    const auto json = nlohmann::json::parse(equal.out);
    EXPECT_TRUE(json["equal"]);
    EXPECT_EQ(json["layer_wise"]["functions"][1]["batches"], 6);
    EXPECT_EQ(json["order"], "natural");
    EXPECT_GE(json["threads"], 1);
    EXPECT_TRUE(json["rewrites"].is_object());
    const Result different = run("verify " + example("gcn.pt2") + " " + example("cora.npz") + " --expected " + example("sage.expected.npz"));
    EXPECT_EQ(different.code, 3) << different.err;
    EXPECT_NE(different.out.find("Different"), std::string::npos);
}

TEST(Cli, RunWritesNpyAndNpz)
{
    const test::TemporaryFolder folder;
    const std::string out = (folder / "out.npy").string();
    ASSERT_EQ(run("run " + example("gcn.pt2") + " " + example("cora.npz") + " --batch-size 300 --out " + out).code, 0);
    EXPECT_EQ(readNpy(out).shape, (std::vector<std::int64_t>{2708, 7}));
    const auto zoo = (test::testDir() / "models/zoo/two_outputs").string();
    const Result two = run("run " + zoo + ".pt2 " + zoo + ".npz --out " + out);
    EXPECT_EQ(two.code, 1);
    EXPECT_NE(two.err.find(".npz"), std::string::npos);
    const Result before = run("run " + zoo + ".pt2 nothing.npz --out " + out);
    EXPECT_EQ(before.code, 1);
    EXPECT_EQ(before.err, "The model has 2 outputs: write them to a file that ends in .npz.\n") << "before the graph is read";
    ASSERT_EQ(run("run " + zoo + ".pt2 " + zoo + ".npz --out " + (folder / "out.npz").string()).code, 0);
    EXPECT_EQ(readNpz(folder / "out.npz").size(), 2U);
}

TEST(Cli, RunWritesOutputsInTheOrderOfForward)
{
    const test::TemporaryFolder folder;
    std::size_t models = 0, unsorted = 0;
    for (const char* name : {"two_outputs", "plain_tensors", "attention_weights", "link_prediction", "pool_and_nodes"}) {
        const std::string model = (test::testDir() / "models/zoo" / name).string(), out = (folder / "out.npz").string();
        const nlohmann::json about = nlohmann::json::parse(run("inspect " + model + ".pt2 --json").out);
        std::vector<std::string> forward;
        for (const nlohmann::json& output : about["outputs"])
            if (const std::string entry = output["name"].get<std::string>() + ".npy"; std::ranges::find(forward, entry) == forward.end())
                forward.push_back(entry);
        ASSERT_EQ(run("run " + model + ".pt2 " + model + ".npz --out " + out).code, 0) << name;
        std::vector<std::string> written;
        const ZipReader zip(out);
        for (const ZipEntry& entry : zip.entries())
            written.push_back(entry.name);
        EXPECT_EQ(written, forward) << name;
        ++models;
        unsorted += !std::ranges::is_sorted(forward);
    }
    EXPECT_EQ(models, 5U);
    EXPECT_GT(unsorted, 0U) << "the order of names would do";
}

TEST(Cli, OutputsOfSomeNodes)
{
    const test::TemporaryFolder folder;
    const std::string out = (folder / "out.npy").string(), list = (folder / "nodes.txt").string();
    const std::string files = example("gat.pt2") + " " + example("cora.npz") + " --dense blas";  // auto may choose otherwise the second time
    test::writeText(list, "# asked for\n5 17\n 100-102\n");
    ASSERT_EQ(run("run " + files + " --targets 5,17,100-102 --out " + out).code, 0);
    const Array part = readNpy(out);
    EXPECT_EQ(part.shape, (std::vector<std::int64_t>{5, 7}));
    ASSERT_EQ(run("run " + files + " --targets " + list + " --out " + out).code, 0);
    const Array again = readNpy(out);
    EXPECT_TRUE(std::equal(part.as<float>(), part.as<float>() + part.count(), again.as<float>()));
    const std::string mask = (folder / "mask.npy").string();
    const NewArray isAsked = makeArray(DType::Bool, {2708});
    for (std::int64_t node = 0; node < 2708; ++node)
        isAsked.data[node] = std::byte{node == 5 || node == 17 || (node >= 100 && node <= 102)};
    writeNpy(mask, isAsked.array);
    ASSERT_EQ(run("run " + files + " --targets " + mask + " --out " + out).code, 0);
    const Array masked = readNpy(out);
    EXPECT_TRUE(std::equal(part.as<float>(), part.as<float>() + part.count(), masked.as<float>()));
    writeNpy(mask, makeArray(DType::Bool, {2707}).array);
    EXPECT_NE(run("run " + files + " --targets " + mask + " --out " + out).err.find("a mask of 2,707 nodes does not fit a graph of 2,708"),
              std::string::npos);
    writeNpy(mask, makeArray(DType::Int64, {2, 2}).array);
    EXPECT_NE(run("run " + files + " --targets " + mask + " --out " + out).err.find("not int64 of shape [2, 2]"), std::string::npos);
    const Result equal = run("verify " + files + " --targets 5,17,100-102");
    EXPECT_EQ(equal.code, 0) << equal.err;
    EXPECT_NE(equal.out.find("of 5"), std::string::npos) << equal.out;
    EXPECT_EQ(run("verify " + files + " --targets 5,17,100-102 --expected " + out).code, 0) << "what a run wrote";
    const Result recorded = run("verify " + files + " --targets 5,17,100-102 --expected " + example("gat.expected.npz"));
    EXPECT_EQ(recorded.code, 0) << recorded.out << recorded.err;
    EXPECT_NE(recorded.out.find("expected"), std::string::npos) << recorded.out;
    for (const auto& [nodes, sentence] :
         {std::pair{"5,x", "'x' is neither a node's number nor a file"}, {"9-5", "no range"}, {"2708", "no node 2708"}, {"\" \"", "names no node"}}) {
        const Result refused = run("run " + files + " --out " + out + " --targets " + nodes);
        EXPECT_EQ(refused.code, 1) << nodes;
        EXPECT_NE(refused.err.find(sentence), std::string::npos) << refused.err;
    }
}

TEST(Cli, OutputsOfNodesOfOneType)
{
    const test::TemporaryFolder folder;
    const std::string out = (folder / "out.npy").string();
    const std::string files = test::testDir() / "models/zoo/to_hetero.pt2", with = files + " " + (test::testDir() / "models/zoo/to_hetero.npz").string();
    const Result open = run("run " + with + " --targets 5,3 --out " + out + ".npz");
    EXPECT_EQ(open.code, 1);
    EXPECT_NE(open.err.find("--target-type"), std::string::npos) << open.err;
    ASSERT_EQ(run("run " + with + " --targets 5,3 --target-type author --out " + out).code, 0) << "one output is left, so .npy will do";
    EXPECT_EQ(readNpy(out).shape.front(), 2);
    EXPECT_EQ(run("verify " + with + " --targets 5,3 --target-type author").code, 0);
    EXPECT_NE(run("verify " + with + " --target-type author").err.find("requires --targets"), std::string::npos);
    const std::string plan = (folder / "p.cleave.json").string();
    ASSERT_EQ(run("plan " + files + " --out " + plan).code, 0);
    const Result recorded = run("verify " + with + " --plan " + plan + " --targets 5 --target-type author --record");
    EXPECT_NE(recorded.err.find("not for some"), std::string::npos) << "what was computed of some nodes proves nothing for the others";
}

TEST(Cli, NothingIsLeftWhereTheOutputCannotBeWritten)
{
    const test::TemporaryFolder folder;
    const Result result = runProgram("run " + example("gcn.pt2") + " " + example("cora.npz") + " --out " + (folder / "none/out.npy").string());
    EXPECT_EQ(result.code, 1);
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
    const Result before = runProgram("run nothing.pt2 nothing.npz --out " + (folder / "none/out.npy").string());
    EXPECT_NE(before.err.find("out.npy cannot be written: "), std::string::npos) << "before the model is read: " << before.err;
}

TEST(Cli, RandomFeaturesAreSaid)
{
    const test::TemporaryFolder folder;
    const std::string graph = (folder / "r.npz").string();
    ASSERT_EQ(run("generate rmat --scale 6 --features 0 " + graph).code, 0);
    const Result refused = run("verify " + example("gcn.pt2") + " " + graph);
    EXPECT_EQ(refused.code, 1);
    EXPECT_NE(refused.err.find("--features random"), std::string::npos) << refused.err;
    const Result equal = run("verify " + example("gcn.pt2") + " " + graph + " --features random");
    EXPECT_EQ(equal.code, 0) << equal.err;
    EXPECT_NE(equal.out.find("RANDOM NUMBERS in place of x"), std::string::npos) << equal.out;
}

TEST(Cli, PlansAreMovedWrittenAndRun)
{
    const test::TemporaryFolder folder;
    const std::string plan = (folder / "a.cleave.json").string();
    const Result moved = run("plan " + example("gcn.pt2") + " --move linear=pre1 --pin relu=2 --out " + plan);
    EXPECT_EQ(moved.code, 0) << moved.err;
    EXPECT_NE(moved.out.find("With 'relu' moved linear_1."), std::string::npos) << moved.out;
    const Result verified = run("verify " + example("gcn.pt2") + " " + example("cora.npz") + " --batch-size 500 --plan " + plan);
    EXPECT_EQ(verified.code, 0) << verified.out << verified.err;
    const Result refused = run("plan " + example("gcn.pt2") + " --plan " + plan + " --move linear_1=post1");
    EXPECT_EQ(refused.code, 1);
    EXPECT_NE(refused.err.find("is pinned to function 2"), std::string::npos) << refused.err;
    EXPECT_EQ(run("plan " + example("gcn.pt2") + " --move linear=before").code, 1);
    const Result other = run("run " + example("sage.pt2") + " " + example("cora.npz") + " --plan " + plan + " --out " + (folder / "o.npy").string());
    EXPECT_EQ(other.code, 0) << other.err;
    EXPECT_NE(other.err.find("The plan does not place"), std::string::npos) << other.err;
}

TEST(Cli, PlannersAreCompared)
{
    const test::TemporaryFolder folder;
    const std::string plan = (folder / "a.cleave.json").string(), other = (folder / "b.cleave.json").string(),
                      inputs = example("jk.pt2") + " " + example("cora.npz");
    const Result table = run("plan " + inputs + " --batch-size 256 --out " + plan);
    ASSERT_EQ(table.code, 0) << table.err;
    for (const char* text :
         {"message degree", "greedy", "optimal", "node-wise", "full graph", "Optimal is proven", "natural 3.", "metis", "cleave-cli calibrate"})
        EXPECT_NE(table.out.find(text), std::string::npos) << text << " in " << table.out;

    const Result json = run("plan " + inputs + " --memory 2M --order bfs --json");
    ASSERT_EQ(json.code, 0) << json.err;
    const auto report = nlohmann::json::parse(json.out);
    ASSERT_GE(report["plans"].size(), 3U);
    for (const auto& p : report["plans"]) {
        EXPECT_LE(p["peak_bytes"], 2 << 20);
        EXPECT_EQ(p["order"], "bfs");
    }
    EXPECT_LE(report["plans"][2]["seconds"], report["plans"][1]["seconds"]);
    EXPECT_TRUE(report["plans"][2]["proven"]);

    EXPECT_EQ(run("plan " + inputs + " --batch-size 100 --order metis --planner node-wise --out " + other).code, 0);
    const Result verified = run("verify " + inputs + " --plan " + other + " --record");
    EXPECT_EQ(verified.code, 0) << verified.err << verified.out;
    const Result compared = run("compare " + plan + " " + other);
    EXPECT_EQ(compared.code, 0);
    for (const char* text : {"optimal", "node-wise", "metis", "equal", "Save points that differ"})
        EXPECT_NE(compared.out.find(text), std::string::npos) << text << " in " << compared.out;
    EXPECT_EQ(run("verify " + example("gcn.pt2") + " " + example("cora.npz") + " --plan " + other).err,
              "The plan is for another model: of its 21 ops on node rows 5 are here, where there are 7.\n");
    nlohmann::json again = nlohmann::json::parse(std::ifstream(other));  // as if the model had been exported again
    again["model"]["sha256"] = std::string(64, '0');
    const std::string exported = (folder / "again.cleave.json").string();
    std::ofstream(exported) << again;
    const Result ofAnother = run("verify " + inputs + " --plan " + exported + " --record");
    EXPECT_EQ(ofAnother.code, 1) << ofAnother.out;
    EXPECT_NE(ofAnother.err.find("The plan was made for another model file, so no result can be kept in it"), std::string::npos) << ofAnother.err;
    const Result sampled = run("verify " + inputs + " --plan " + other + " --record --sample 40");
    EXPECT_EQ(sampled.code, 0) << sampled.err << sampled.out;
    for (const char* text : {"40 of 2,708 nodes are compared, by the uncut model on all that lies within ", "0 of 40", "Equal on the nodes compared"})
        EXPECT_NE(sampled.out.find(text), std::string::npos) << text << " in " << sampled.out;
    EXPECT_NE(run("compare " + plan + " " + other).out.find("equal (40 nodes)"), std::string::npos);
    EXPECT_EQ(run("verify " + inputs + " --sample 0").code, 2);
    EXPECT_EQ(run("compare " + plan + " " + example("cora.npz")).code, 1);

    const Result pinned = run("plan " + inputs + " --batch-size 256 --pin stack=3 --together stack,lstm --profile --out " + other);
    EXPECT_EQ(pinned.code, 0) << pinned.err;
    EXPECT_NE(pinned.out.find("ops measured on this graph"), std::string::npos);
    EXPECT_EQ(run("plan " + inputs + " --pin stack=0").code, 1);
    EXPECT_EQ(run("plan " + inputs + " --memory 1k").code, 1);
    EXPECT_EQ(run("plan " + example("jk.pt2") + " --memory 1G").code, 1) << "without a graph";
    EXPECT_EQ(run("plan " + example("jk.pt2") + " --nodes 1000000 --edges 20000000 --batch-size 8192").code, 0);
    EXPECT_EQ(run("verify " + inputs + " --record").code, 2);
}

TEST(Cli, RatesAreMeasuredKeptAndNamed)
{
    const test::TemporaryFolder folder;
    const Result measured = run("calibrate", folder.path().string());
    ASSERT_EQ(measured.code, 0) << measured.err;
    EXPECT_TRUE(std::filesystem::exists(folder / "cleave/rates.json"));
    const std::string inputs = example("gcn.pt2") + " " + example("cora.npz");
    EXPECT_NE(run("plan " + inputs, folder.path().string()).out.find("Rates: measured "), std::string::npos);
    const Result ran = run("run " + inputs + " --out " + (folder / "o.npy").string(), folder.path().string());
    EXPECT_NE(ran.out.find("predicted"), std::string::npos) << ran.out;
    EXPECT_NE(ran.out.find("Rates of the prediction: measured "), std::string::npos) << ran.out;
    test::writeText(folder / "cleave/rates.json", "{}");
    EXPECT_EQ(run("plan " + inputs, folder.path().string()).code, 1);

    const Result profiled = run("profile " + inputs + " --batch-size 1000 --json");
    ASSERT_EQ(profiled.code, 0) << profiled.err;
    const auto report = nlohmann::json::parse(profiled.out);
    EXPECT_EQ(report["batch_size"], 1000);
    bool linear = false;
    for (const auto& op : report["ops"]) {
        EXPECT_GE(op["seconds_per_row"], 0.0);
        if (op["op"] == "linear") {
            linear = true;
            EXPECT_EQ(op["parameter_bytes"], 1433 * 16 * 4);
            EXPECT_EQ(op["activation_bytes_per_row"], 16 * 4);
        }
    }
    EXPECT_TRUE(linear);
}

TEST(Cli, CodeIsWritten)
{
    const test::TemporaryFolder folder;
    ASSERT_EQ(run("code " + example("gcn.pt2") + " --out " + (folder / "gcn").string()).code, 0);
    for (const char* file : {"__init__.py", "once.py", "function_0.py", "function_1.py", "function_2.py", "cleave_plan.py", "execution.json"})
        EXPECT_TRUE(std::filesystem::exists(folder / "gcn" / file)) << file;
    EXPECT_NE(test::readText(folder / "gcn/function_1.py").find("aten.scatter_add("), std::string::npos);
    test::writeText(folder / "file", "");
    EXPECT_EQ(run("code " + example("gcn.pt2") + " --out " + (folder / "file").string()).code, 1);
}

TEST(Cli, GenerateAndDot)
{
    const test::TemporaryFolder folder;
    EXPECT_EQ(run("generate rmat --scale 6 " + (folder / "r.npz").string()).code, 0);
    EXPECT_EQ(run("generate karate " + (folder / "k.npz").string()).code, 0);
    EXPECT_EQ(readNpz(folder / "k.npz").at("edge_index").shape[1], 156);
    const Result dot = run("dot " + example("gcn.pt2"));
    EXPECT_EQ(dot.code, 0);
    EXPECT_TRUE(dot.out.starts_with("digraph"));
}

TEST(Cli, PlansAreProfiledAsStages)
{
    const test::TemporaryFolder folder;
    const std::string plan = (folder / "p.cleave.json").string(), profile = (folder / "profile.txt").string();
    ASSERT_EQ(run("plan " + example("sage.pt2") + " " + example("cora.npz") + " --planner full-graph --out " + plan).code, 0);
    ASSERT_EQ(run("profile " + example("sage.pt2") + " " + example("cora.npz") + " --plan " + plan + " --pipedream " + profile).code, 0);
    const Result joined = run("inspect --json " + profile);
    EXPECT_EQ(nlohmann::json::parse(joined.out)["stages"].size(), 2U);
    ASSERT_EQ(run("profile " + example("sage.pt2") + " " + example("cora.npz") + " --pipedream " + profile).code, 0);
    const nlohmann::json stages = nlohmann::json::parse(run("inspect --json " + profile).out)["stages"];
    ASSERT_EQ(stages.size(), 4U);  // of functions 0, 1 and 2
    for (const auto& stage : stages)
        EXPECT_GT(stage["forward_seconds"], 0);
    EXPECT_NE(run("inspect " + profile).out.find("4 stages"), std::string::npos);
    EXPECT_TRUE(run("dot " + profile).out.starts_with("digraph"));
    const Result verified = run("verify " + profile + " " + example("cora.npz"));
    EXPECT_EQ(verified.code, 1);
    EXPECT_NE(verified.err.find("is a profile graph"), std::string::npos) << verified.err;
    EXPECT_EQ(run("profile " + example("sage.pt2") + " " + example("cora.npz") + " --plan " + plan).code, 2);
}

// The numbers of two .npy files are the same up to rounding.
void expectClose(const std::filesystem::path& a, const std::filesystem::path& b)
{
    const Array x = readNpy(a), y = readNpy(b);
    ASSERT_EQ(x.shape, y.shape);
    double most = 0;
    for (std::int64_t i = 0; i < x.count(); ++i)
        most = std::max(most, static_cast<double>(std::fabs(x.as<float>()[i] - y.as<float>()[i])));
    EXPECT_LE(most, 1e-5);
}

bool isEmpty(const std::filesystem::path& folder)
{
    return std::filesystem::directory_iterator(folder) == std::filesystem::directory_iterator();
}

std::string benchModel(const std::string& name)
{
    return (test::testDir() / "bench/models" / (name + ".pt2")).string();
}

// A graph as a folder of .npy files: [nodes, 128] features and 16 edges a node.
std::string graphFolder(const test::TemporaryFolder& folder, int scale)
{
    const std::string npz = (folder / "graph.npz").string();
    EXPECT_EQ(run("generate rmat --scale " + std::to_string(scale) + " --features 128 " + npz).code, 0);
    std::filesystem::create_directory(folder / "graph");
    for (const auto& [name, array] : readNpz(npz))
        writeNpy(folder / "graph" / (name + ".npy"), array);
    return (folder / "graph").string();
}

// Of a report, by name.
nlohmann::json functionOf(const std::string& report, const std::string& name)
{
    const auto json = nlohmann::json::parse(report);
    for (const auto& function : json["functions"])
        if (function["name"] == name)
            return function;
    ADD_FAILURE() << "no " << name << " in " << report;
    return {};
}

TEST(Cli, MemoryIsBound)
{
    const test::TemporaryFolder folder;
    const std::string graph = graphFolder(folder, 18), spill = (folder / "spill").string();
    std::filesystem::create_directory(spill);
    const std::string inputs = benchModel("sage2") + " " + graph + " --threads 2 --json";
    const Result free = runProgram("run " + inputs + " --memory 3G --spill " + spill + " --out " + (folder / "free.npy").string());
    ASSERT_EQ(free.code, 0) << free.err;
    const Result bound = runProgram("run " + inputs + " --memory 256Mi --spill " + spill + " --out " + (folder / "bound.npy").string());
    ASSERT_EQ(bound.code, 0) << bound.err;
    const auto peak = nlohmann::json::parse(bound.out)["memory"]["resident_bytes"].get<double>();
    EXPECT_LE(peak, 256 << 20) << "as the operating system counts";
    EXPECT_GT(nlohmann::json::parse(free.out)["memory"]["resident_bytes"].get<double>(), 1.3 * peak) << "the bound made no difference";
    EXPECT_TRUE(isEmpty(spill));
    expectClose(folder / "bound.npy", folder / "free.npy");
    // Half of the targets have no edges and take no memory for sums: all others are one part, which reads the rows of its sources once, their own,
    // and the edges.
    const auto aggregation = functionOf(bound.out, "function 1");
    EXPECT_GT(aggregation["gathers"].get<int>(), 0) << bound.out;
    EXPECT_LE(aggregation["file_bytes_read"].get<double>(), 2 * 4.0 * 128 * (1 << 18) + 8.0 * (16 << 18)) << bound.out;
    const Result batches = runProgram("run " + inputs + " --memory 256Mi --gather-at-once -1 --out " + (folder / "batches.npy").string());
    EXPECT_GT(functionOf(batches.out, "function 1")["file_bytes_read"].get<double>(), 2 * aggregation["file_bytes_read"].get<double>());
    expectClose(folder / "batches.npy", folder / "free.npy");
    const Result ordered = runProgram("run " + inputs + " --memory 256Mi --order bfs --out " + (folder / "ordered.npy").string());
    ASSERT_EQ(ordered.code, 0) << ordered.err;
    EXPECT_LE(nlohmann::json::parse(ordered.out)["memory"]["resident_bytes"].get<double>(), 256 << 20);
    expectClose(folder / "ordered.npy", folder / "free.npy");
    const Result clustered = runProgram("run " + inputs + " --memory 256Mi --order metis --out " + (folder / "no.npy").string());
    EXPECT_EQ(clustered.code, 1);
    EXPECT_NE(clustered.err.find("Ordering 262,144 nodes by METIS needs about "), std::string::npos) << clustered.err;
    EXPECT_NE(clustered.err.find(", more than the 268 MB that it may take; choose another node order."), std::string::npos) << clustered.err;
    const Result refused = runProgram("run " + inputs + " --memory 20M --out " + (folder / "no.npy").string());
    EXPECT_EQ(refused.code, 1);
    EXPECT_NE(refused.err.find("needs about"), std::string::npos) << refused.err;
    EXPECT_EQ(runProgram("run " + inputs + " --memory 1G --spill /nowhere/at/all --out " + (folder / "no.npy").string()).code, 1);
    EXPECT_FALSE(std::filesystem::exists(folder / "no.npy"));
}

TEST(Cli, AllPairsOfNodesAreRefusedBeforeTheyTakeMemory)
{
    const test::TemporaryFolder folder;
    const std::string graph = (folder / "graph.npz").string(), out = (folder / "out.npy").string();
    ASSERT_EQ(runProgram("generate rmat " + graph + " --scale 14 --features 12").code, 0);
    const Result refused =
        runProgram("run " + (test::testDir() / "models/zoo/squared_matrix.pt2").string() + " " + graph + " --memory 300M --out " + out);
    EXPECT_EQ(refused.code, 1);
    EXPECT_NE(refused.err.find("With all pairs at once, op '"), std::string::npos) << refused.err;
    EXPECT_NE(refused.err.find("needs about"), std::string::npos) << refused.err;
    EXPECT_FALSE(std::filesystem::exists(out));
    // Nor are those that no machine has room for, and a bound is no advice then.
    const std::string pair = (folder / "pair.mtx").string();
    std::ofstream(pair) << "%%MatrixMarket matrix coordinate pattern general\n2000000 2000000 1\n1 2000000\n";
    const Result tooMany =
        runProgram("run " + (test::testDir() / "models/zoo/squared_matrix.pt2").string() + " " + pair + " --features random --out " + out);
    EXPECT_EQ(tooMany.code, 1);
    EXPECT_NE(tooMany.err.find("With all pairs at once, op '"), std::string::npos) << tooMany.err;
    EXPECT_EQ(tooMany.err.find("--memory"), std::string::npos) << tooMany.err;
    EXPECT_FALSE(std::filesystem::exists(out));
}

// What libraries take is not asked for where there is little to compute: a bound that a large graph could not keep is enough for a small one.
TEST(Cli, LeastMemoryIsThatOfTheGraph)
{
    const test::TemporaryFolder folder;
    const std::string out = (folder / "out.npy").string();
    const std::string inputs = example("gat.pt2") + " " + example("cora.npz") + " --threads 2 --json --out " + out;
    const Result kept = runProgram("run " + inputs + " --memory 150M");
    ASSERT_EQ(kept.code, 0) << kept.err;
    const auto memory = nlohmann::json::parse(kept.out)["memory"];
    EXPECT_EQ(memory["bound_bytes"].get<double>(), 150e6);
    EXPECT_LE(memory["resident_bytes"].get<double>(), 150e6);
    const Result refused = runProgram("run " + inputs + " --memory 20M");
    EXPECT_EQ(refused.code, 1);
    EXPECT_NE(refused.err.find("Even a small run needs about"), std::string::npos) << refused.err;
    EXPECT_NE(refused.err.find("more than the 20.0 MB that it may take; fewer threads need less."), std::string::npos) << refused.err;

    const std::string large = graphFolder(folder, 17);
    EXPECT_EQ(runProgram("run " + benchModel("sage2") + " " + large + " --threads 2 --memory 150M --out " + out).code, 1);
}

TEST(Cli, MemoryIsBoundWhileOthersAreNot)
{
    const test::TemporaryFolder folder;
    const std::string graph = graphFolder(folder, 17);
    const std::string inputs = benchModel("sage2") + " " + graph + " --threads 2 --json --memory 256Mi";
    const Result verified = runProgram("verify " + inputs);
    ASSERT_EQ(verified.code, 0) << verified.err << verified.out;
    const auto memory = nlohmann::json::parse(verified.out)["layer_wise"]["memory"];
    EXPECT_EQ(memory["bound_bytes"].get<double>(), 256 << 20);
    EXPECT_LE(memory["resident_bytes"].get<double>(), 256 << 20);
    EXPECT_GT(memory["resident_bytes"].get<double>(), 64 << 20);
    const Result refused = runProgram("verify " + benchModel("sage2") + " " + graph + " --memory 20M");
    EXPECT_EQ(refused.code, 1);
    EXPECT_NE(refused.err.find("needs about"), std::string::npos) << refused.err;

    const Result measured = runProgram("bench --model " + inputs + " --rounds 1");
    ASSERT_EQ(measured.code, 0) << measured.err;
    const auto runs = nlohmann::json::parse(measured.out)["runs"];
    ASSERT_EQ(runs.size(), 3);
    EXPECT_EQ(runs[2]["run"], "Cleave, in 268 MB of memory");
    EXPECT_LE(runs[2]["peak_bytes"].get<double>(), 256 << 20);
}

TEST(Cli, LaterBatchesTouchNoFreshMemory)
{
    std::ifstream setting("/sys/kernel/mm/transparent_hugepage/enabled");
    std::string huge;
    std::getline(setting, huge);
    if (huge.empty() || huge.find("[never]") != std::string::npos)
        GTEST_SKIP() << "this system has no huge pages";
    const test::TemporaryFolder folder;
    const std::string graph = (folder / "graph.npz").string();
    ASSERT_EQ(runProgram("generate rmat --scale 18 --features 128 " + graph).code, 0);
    const Result result = runProgram("run " + benchModel("sage3") + " " + graph + " --threads 1 --json --out " + (folder / "out.npy").string());
    ASSERT_EQ(result.code, 0) << result.err;
    const auto functions = nlohmann::json::parse(result.out)["functions"];
    for (const auto& function : functions)
        if (const double pages = function["saved_bytes"].get<double>() / 4096; pages > 30'000) {
            EXPECT_LT(function["page_faults"].get<double>(), 0.01 * pages);
        }
}

TEST(Cli, AnInterruptedRunGoesOn)
{
    const test::TemporaryFolder folder;
    const std::string graph = graphFolder(folder, 17), store = (folder / "store").string(), out = (folder / "out.npy").string();
    const std::string inputs = benchModel("sage3") + " " + graph + " --batch-size 64";
    ASSERT_EQ(run("run " + inputs + " --out " + (folder / "whole.npy").string()).code, 0);
    // Killed as soon as the first function is done.
    const pid_t child = fork();
    if (child == 0) {
        const std::string command = "exec " + std::string(CLEAVE_CLI) + " run " + inputs + " --store " + store + " --out " + out + " >/dev/null 2>&1";
        execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
        _exit(127);
    }
    const auto finished = [&] {
        if (!std::filesystem::exists(folder / "store/manifest.json"))
            return std::size_t{0};
        return nlohmann::json::parse(test::readText(folder / "store/manifest.json"))["finished"].size();
    };
    for (int i = 0; i < 60'000 && finished() < 2; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    const std::size_t done = finished();
    ASSERT_GE(done, 2U);
    EXPECT_FALSE(std::filesystem::exists(out));
    // Whatever name it has: it stands for the one that the run was writing.
    const std::string begun = nlohmann::json::parse(run("inspect " + benchModel("sage3") + " --json").out)["outputs"][0]["name"];
    std::ofstream(folder / "store" / (begun + ".npy.part")) << "half";
    std::ofstream(folder / "store/movie.iso.part") << "half";
    const Result other = run("run " + benchModel("sage2") + " " + graph + " --resume " + store + " --out " + out);
    EXPECT_EQ(other.code, 1);
    EXPECT_NE(other.err.find("is another one: it is of another model."), std::string::npos) << other.err;
    EXPECT_EQ(run("run " + inputs + " --store " + store + " --out " + out).code, 1) << "the folder holds a run";
    const Result resumed = run("run " + inputs + " --resume " + store + " --json --out " + out);
    ASSERT_EQ(resumed.code, 0) << resumed.err;
    const auto functions = nlohmann::json::parse(resumed.out)["functions"];
    for (std::size_t f = 0; f < functions.size(); ++f)
        EXPECT_EQ(functions[f]["batches"] == 0, f < done) << f;
    expectClose(out, folder / "whole.npy");
    for (const auto& file : std::filesystem::directory_iterator(store))
        EXPECT_EQ(file.path().extension() == ".part", file.path().filename() == "movie.iso.part") << file.path();
    EXPECT_EQ(run("run " + inputs + " --resume " + (folder / "none").string() + " --out " + out).code, 1);
}

// What was read is not replaced by what is written, under whatever name.
TEST(Cli, NothingIsWrittenOverItsInputs)
{
    const test::TemporaryFolder folder;
    const std::string model = (folder / "model.npz").string(), graph = (folder / "graph.npz").string(), store = (folder / "store").string();
    std::filesystem::copy_file(example("gcn.pt2"), model);
    std::filesystem::copy_file(example("cora.npz"), graph);
    std::filesystem::create_symlink(graph, folder / "link.npz");
    const std::string before = test::readText(graph), inputs = model + " " + graph;
    const auto lost = [&](const std::string& arguments) {
        const Result result = run(arguments);
        EXPECT_EQ(result.code, 1) << arguments;
        return result.err.find("would be replaced: name another file to write.") != std::string::npos;
    };
    EXPECT_TRUE(lost("run " + inputs + " --out " + graph));
    EXPECT_TRUE(lost("run " + inputs + " --out " + model));
    EXPECT_TRUE(lost("run " + inputs + " --out " + (folder / "link.npz").string()));
    EXPECT_TRUE(lost("plan " + inputs + " --out " + graph));
    EXPECT_TRUE(lost("convert " + graph + " " + graph));
    EXPECT_TRUE(lost("profile " + inputs + " --pipedream " + graph));
    EXPECT_EQ(test::readText(graph), before);
    const std::string list = (folder / "nodes.npz").string();
    test::writeText(list, "0,1,2");
    EXPECT_TRUE(lost("run " + inputs + " --targets " + list + " --out " + list));
    EXPECT_EQ(test::readText(list), "0,1,2");
    ASSERT_EQ(run("convert " + graph + " " + (folder / "parts").string()).code, 0);
    EXPECT_TRUE(lost("run " + model + " " + (folder / "parts").string() + " --out " + (folder / "parts/x.npy").string()));
    ASSERT_EQ(run("run " + inputs + " --planner message-degree --store " + store + " --out " + (folder / "out.npy").string()).code, 0);
    for (const auto& file : std::filesystem::directory_iterator(store))
        if (file.path().extension() == ".npy") {
            const Result kept = run("run " + inputs + " --resume " + store + " --out " + file.path().string());
            EXPECT_NE(kept.err.find("is where the run keeps '"), std::string::npos) << kept.err;
        }
}

TEST(Cli, NothingOfOthersIsReplaced)
{
    const test::TemporaryFolder folder;
    const std::string model = example("gcn.pt2"), package = (folder / "package").string(), mine = (folder / "mine").string();
    ASSERT_EQ(run("code " + model + " --out " + package).code, 0);
    EXPECT_EQ(run("code " + model + " --out " + package).code, 0) << "its own are written anew";
    std::filesystem::create_directory(mine);
    test::writeText(folder / "mine/once.py", "print(1)\n");
    const Result others = run("code " + model + " --out " + mine);
    EXPECT_EQ(others.code, 1);
    EXPECT_NE(others.err.find("holds a file once.py that belongs to no package which Cleave wrote"), std::string::npos) << others.err;
    EXPECT_EQ(test::readText(folder / "mine/once.py"), "print(1)\n");
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(mine), std::filesystem::directory_iterator()), 1);

    const std::filesystem::path plan = folder / "plan.cleave.json";
    ASSERT_EQ(run("plan " + model + " --out " + plan.string()).code, 0);
    std::filesystem::permissions(plan, std::filesystem::perms::owner_read);
    const std::string before = test::readText(plan);
    const Result kept = run("plan " + model + " --pin relu=2 --out " + plan.string());
    EXPECT_EQ(kept.code, 1);
    EXPECT_NE(kept.err.find("read-only"), std::string::npos) << kept.err;
    EXPECT_EQ(test::readText(plan), before);
    std::filesystem::permissions(plan, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    ASSERT_EQ(run("plan " + model + " --pin relu=2 --out " + plan.string()).code, 0);
    EXPECT_NE(test::readText(plan), before);
    EXPECT_EQ(std::filesystem::status(plan).permissions(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_write)
        << "what is private stays so";
}

// Another planner's plan may need less memory than the best one.
TEST(Cli, PlansAreShownWhereTheOptimumDoesNotFit)
{
    const test::TemporaryFolder folder;
    constexpr std::int64_t nodes = 8192;
    const NewArray x = makeArray(DType::Float32, {nodes, 128}), path = makeArray(DType::Int64, {2, nodes - 1});
    std::memset(x.data, 0, x.array.bytes());
    for (std::int64_t i = 0; i < nodes - 1; ++i)
        reinterpret_cast<std::int64_t*>(path.data)[i] = (reinterpret_cast<std::int64_t*>(path.data)[nodes - 1 + i] = i) + 1;
    writeNpz(folder / "path.npz", {{"x", x.array}, {"edge_index", path.array}});
    const std::string plan = "plan " + benchModel("sage3") + " " + (folder / "path.npz").string() + " --rewrite none ";
    const auto peak = [&](const std::string& planner) {
        const Result result = run(plan + "--batch-size 1 --json --planner " + planner);
        const auto found = nlohmann::json::parse(result.out);
        for (const auto& priced : found["plans"])
            if (priced["plan"] == planner)
                return priced["peak_bytes"].get<double>();
        return 0.0;
    };
    const double best = peak("optimal"), nodeWise = peak("node-wise");
    ASSERT_LT(nodeWise, best);
    const std::string memory = std::to_string(static_cast<std::int64_t>((nodeWise + best) / 2));
    const Result shown = run(plan + "--memory " + memory + " --planner node-wise");
    EXPECT_EQ(shown.code, 0) << shown.err;
    EXPECT_NE(shown.out.find("The plan 'optimal' does not fit into"), std::string::npos) << shown.out;
    EXPECT_NE(shown.out.find("node-wise"), std::string::npos);
}

TEST(Cli, WishesThatContradictAreRefused)
{
    const std::string plan = "plan " + example("gcn.pt2");
    const Result twice = run(plan + " --pin relu=1 --pin relu=2");
    EXPECT_EQ(twice.code, 1);
    EXPECT_NE(twice.err.find("functions 1 and 2 at once"), std::string::npos) << twice.err;
    EXPECT_EQ(run(plan + " --nodes 100").code, 2);
    EXPECT_EQ(run(plan + " --nodes 99999999999999999999 --edges 5").code, 2);
    EXPECT_EQ(run(plan + " " + example("cora.npz") + " --nodes 100 --edges 100").code, 2);
    EXPECT_EQ(run("run " + example("gcn.pt2") + " " + example("cora.npz") + " --out none.npy --profile --memory 2G").code, 2);
    EXPECT_EQ(run(plan + " --rewrite all,none").code, 1);
    EXPECT_EQ(run(plan + " ''").code, 2) << "a variable that is not set is no graph";
    EXPECT_EQ(run("generate rmat none.npz --scale 4 --seed=-1").code, 2);
    for (const std::string option : {"--targets 1,2", "--undirected", "--input x=a.npy", "--features random"})
        EXPECT_EQ(run(plan + " " + option).err, option.substr(0, option.find(' ')) + " needs a graph: name one.\n");
    const std::pair<std::string, std::string> refusals[] = {
        {plan + " --width x=4", "--width: " + example("gcn.pt2") + " says itself how wide its inputs are; only TorchScript files leave that open.\n"},
        {plan + " --role x=other --role x=node-features", "--role: 'x' cannot be both other and node-features.\n"},
        {"verify " + example("gcn.pt2") + " " + example("cora.npz") + " --input x=a.npy --input x=b.npy", "--input: 'x' cannot get two arrays.\n"},
    };
    for (const auto& [arguments, sentence] : refusals) {
        const Result refused = run(arguments);
        EXPECT_EQ(refused.code, 1) << arguments;
        EXPECT_EQ(refused.err, sentence);
    }
    EXPECT_EQ(run(plan + " --rewrite ''").code, 2);
    const Result unknown = run("explode " + example("gcn.pt2"));
    EXPECT_EQ(unknown.code, 2);
    EXPECT_EQ(unknown.err, "There is no command 'explode': cleave-cli --help lists them.\n");
}

// A save point that is damaged, or another one, is told.
TEST(Cli, SavePointsAreAsTheRunLeftThem)
{
    const test::TemporaryFolder folder;
    const std::string store = (folder / "store").string(), out = (folder / "out.npy").string();
    const std::string inputs = "run " + example("gcn.pt2") + " " + example("cora.npz") + " --planner message-degree --out " + out;
    ASSERT_EQ(run(inputs + " --store " + store).code, 0);
    EXPECT_EQ(run(inputs + " --resume " + store).code, 0);
    for (const auto& file : std::filesystem::directory_iterator(store)) {
        if (file.path().extension() != ".npy")
            continue;
        const std::string bytes = test::readText(file.path());
        std::string damaged = bytes;
        damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 1);
        test::writeText(file.path(), damaged);
        const Result result = run(inputs + " --resume " + store);
        EXPECT_EQ(result.code, 1);
        EXPECT_NE(result.err.find("is not as the run left it: begin a new one in another folder."), std::string::npos) << result.err;
        test::writeText(file.path(), bytes);
    }
    EXPECT_EQ(run(inputs + " --resume " + store).code, 0);
    // Rows of another graph, with a manifest that says they are this run's.
    const std::string other = (folder / "other").string(), graph = (folder / "graph.npz").string();
    ASSERT_EQ(run("generate rmat " + graph + " --scale 8 --features 1433").code, 0);
    ASSERT_EQ(run("run " + example("gcn.pt2") + " " + graph + " --planner message-degree --out " + out + " --store " + other).code, 0);
    nlohmann::json manifest = nlohmann::json::parse(test::readText(store + "/manifest.json"));
    manifest["arrays"] = nlohmann::json::parse(test::readText(other + "/manifest.json"))["arrays"];
    test::writeText(store + "/manifest.json", manifest.dump());
    for (const auto& file : std::filesystem::directory_iterator(other))
        if (file.path().extension() == ".npy")
            std::filesystem::copy_file(file.path(), std::filesystem::path(store) / file.path().filename(),
                                       std::filesystem::copy_options::overwrite_existing);
    const Result mixed = run(inputs + " --resume " + store);
    EXPECT_EQ(mixed.code, 1);
    EXPECT_NE(mixed.err.find("is not as the run left it: begin a new one in another folder."), std::string::npos) << mixed.err;
}

TEST(Cli, SizesAndTolerancesAreNumbers)
{
    const std::string files = example("gcn.pt2") + " " + example("cora.npz");
    for (const char* size : {"1.5G", "\"700 MB\"", "0.5GiB", "900000000"})
        EXPECT_EQ(run("plan " + files + " --memory " + size).code, 0) << size;
    for (const char* size : {"0", "-1", "G", "5X", "nan", "inf", "1e30"})
        EXPECT_NE(run("plan " + files + " --memory=" + size).code, 0) << size;
    EXPECT_EQ(run("verify " + files + " --tolerance 1e-3").code, 0);
    for (const char* tolerance : {"nan", "inf", "-1"})
        EXPECT_EQ(run("verify " + files + " --tolerance=" + tolerance).code, 2) << tolerance;
    EXPECT_EQ(run("verify " + files + " --targets ''").code, 2) << "a variable that is not set is not all nodes";
    // Other planners are for comparison: they need not fit.
    const Result little = run("plan " + files + " --memory 19.5MB --planner optimal");
    EXPECT_EQ(little.code, 0) << little.err;
}

TEST(Cli, WhatIsNoFileIsCalledWhatItIs)
{
    const test::TemporaryFolder folder;
    EXPECT_EQ(run("inspect /dev/null").err, "/dev/null is a pipe or a device: write what it gives into a file first.\n");
    std::filesystem::create_directory(folder / "model.pt2");
    EXPECT_EQ(run("inspect " + (folder / "model.pt2").string()).err, (folder / "model.pt2").string() + " is a folder.\n");
    EXPECT_EQ(run("inspect " + (folder / "none.pt2").string()).err, "There is no file " + (folder / "none.pt2").string() + ".\n");
    test::writeText(folder / "empty.pt2", "");
    EXPECT_EQ(run("inspect " + (folder / "empty.pt2").string()).err, "empty.pt2 is empty.\n");
    if (geteuid() == 0)  // who may read everything
        return;
    std::filesystem::copy_file(example("gcn.pt2"), folder / "locked.pt2");
    std::filesystem::permissions(folder / "locked.pt2", std::filesystem::perms::none);
    const Result locked = run("inspect " + (folder / "locked.pt2").string());
    EXPECT_EQ(locked.code, 1);
    EXPECT_NE(locked.err.find("ermission"), std::string::npos) << locked.err;
}

TEST(Cli, SavePointsAreKeptInAFolderOfTheirOwn)
{
    const test::TemporaryFolder folder;
    const std::string inputs = "run " + example("gcn.pt2") + " " + example("cora.npz") + " --out " + (folder / "out.npy").string() + " --store ";
    std::filesystem::create_directory(folder / "films");
    test::writeText(folder / "films/movie.iso.part", "half a movie");
    const Result refused = run(inputs + (folder / "films").string());
    EXPECT_EQ(refused.code, 1);
    EXPECT_NE(refused.err.find("films holds other files, such as movie.iso.part: "), std::string::npos) << refused.err;
    EXPECT_EQ(test::readText(folder / "films/movie.iso.part"), "half a movie");
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder / "films"), {}), 1) << "no plan either";
    EXPECT_FALSE(std::filesystem::exists(folder / "out.npy"));
    std::filesystem::create_directory(folder / "empty");
    EXPECT_EQ(run(inputs + (folder / "empty").string()).code, 0);
    const std::string files = example("gcn.pt2") + " " + example("cora.npz"), made = (folder / "new").string();
    EXPECT_EQ(run("run " + files + " --store " + made + " --out " + made + "/../new/out.npy").code, 0) << "outputs may lie there too";
}

// Runs the command line in a process of its own; before is called there first.
pid_t start(const std::string& arguments, const std::string& errors, const std::function<void()>& before = [] {})
{
    const pid_t child = fork();
    if (child == 0) {
        before();
        const std::string command = "exec " + std::string(CLEAVE_CLI) + " " + arguments + " >/dev/null 2>" + errors;
        execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
        _exit(127);
    }
    return child;
}

// 128 + the signal for a process that was ended by one.
int codeOf(pid_t child)
{
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Measuring the ops takes seconds: who has seen enough of it has the outputs.
TEST(Cli, OutputsAreWrittenBeforeTheyArePredicted)
{
    const test::TemporaryFolder folder;
    const std::string graph = graphFolder(folder, 15), out = (folder / "out.npy").string(), errors = (folder / "errors").string();
    const pid_t child = start("run " + benchModel("sage3") + " " + graph + " --profile --out " + out, errors, [] { std::signal(SIGINT, SIG_DFL); });
    for (int i = 0; i < 60'000 && !std::filesystem::exists(out); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    kill(child, SIGINT);
    EXPECT_EQ(codeOf(child), 130) << test::readText(errors);
    EXPECT_EQ(readNpy(out).shape[0], 1 << 15);
}

// Products that are compiled at run time use the stack pointer for other things: a handler that ran on their stack wrote into their matrices.
TEST(Cli, InterruptsDisturbNoWork)
{
    const test::TemporaryFolder folder;
    const std::string graph = graphFolder(folder, 16), errors = (folder / "errors").string();
    for (int milliseconds = 600; milliseconds <= 1200; milliseconds += 150) {
        const pid_t child =
            start("verify " + benchModel("sage3") + " " + graph + " --batch-size 256 --threads 1", errors, [] { std::signal(SIGINT, SIG_DFL); });
        std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
        kill(child, SIGINT);
        EXPECT_EQ(codeOf(child), 130) << "after " << milliseconds << " ms: " << test::readText(errors);
    }
}

TEST(Cli, HalfWrittenFilesGoWithTheProcess)
{
    const test::TemporaryFolder folder;
    const auto files = [&] { return std::distance(std::filesystem::directory_iterator(folder.path()), std::filesystem::directory_iterator()); };
    const std::string errors = (folder / "errors").string();
    for (const int signal : {SIGTERM, SIGHUP}) {
        const pid_t child = start("generate rmat --scale 16 --features 512 " + (folder / "graph.npz").string(), errors);
        const auto isWriting = [&] {
            return std::ranges::any_of(std::filesystem::directory_iterator(folder.path()),
                                       [](const auto& entry) { return entry.path().filename().string().starts_with("graph.npz.part"); });
        };
        for (int i = 0; i < 60'000 && !isWriting(); ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        kill(child, signal);
        EXPECT_EQ(codeOf(child), 128 + signal) << test::readText(errors);
        EXPECT_EQ(files(), 1) << "but for the errors";
    }
}

TEST(Cli, NothingIsProvedByNaN)
{
    const test::TemporaryFolder folder;
    const std::filesystem::path zoo = test::testDir() / "models/zoo";
    const std::map<std::string, Array> arrays = readNpz(zoo / "gat.npz");
    const auto withNaN = [&](std::int64_t rows) {
        const Array& x = arrays.at("x");
        const NewArray changed = makeArray(x.dtype, x.shape);
        std::memcpy(changed.data, x.data.get(), x.bytes());
        std::fill_n(reinterpret_cast<float*>(changed.data), rows * x.shape[1], std::nanf(""));
        std::map<std::string, Array> all = arrays;
        all["x"] = changed.array;
        writeNpz(folder / "graph.npz", all);
        return (folder / "graph.npz").string();
    };
    const std::string verify = "verify " + (zoo / "gat.pt2").string() + " ";
    const Result none = run(verify + withNaN(arrays.at("x").shape[0]));
    EXPECT_EQ(none.code, 1);
    EXPECT_NE(none.err.find("there is nothing to compare"), std::string::npos) << none.err;
    const Result some = run(verify + withNaN(1));
    EXPECT_EQ(some.code, 0) << some.err;
    EXPECT_NE(some.out.find("have NaN or infinite numbers, in both"), std::string::npos) << some.out;
}

void mayTake(rlim_t bytes)
{
    const rlimit limit{bytes, bytes};
    setrlimit(RLIMIT_AS, &limit);
}

TEST(Cli, TooLittleMemoryIsASentence)
{
    const test::TemporaryFolder folder;
    const std::string out = (folder / "out.npy").string(), errors = (folder / "errors").string();
    const std::string typed = (test::testDir() / "models/zoo/typed_sage").string();
    const auto limited = [] { mayTake(rlim_t{12} << 30); };
    EXPECT_EQ(codeOf(start("run " + typed + ".pt2 " + typed + ".npz --targets 0-2000000000 --out " + out, errors, limited)), 1);
    EXPECT_EQ(test::readText(errors), "There is not enough memory for this.\n");
    // Of one type, the graph's nodes are known.
    EXPECT_EQ(codeOf(start("run " + example("gcn.pt2") + " " + example("cora.npz") + " --targets 0-2000000000 --out " + out, errors, limited)), 1);
    EXPECT_EQ(test::readText(errors), "There is no node 2708: the graph has nodes 0 to 2707.\n");
}

TEST(Cli, FilesThatMayNotGrowGetASentence)
{
    const test::TemporaryFolder folder;
    const std::string out = (folder / "out.npy").string(), errors = (folder / "errors").string();
    const auto limited = [] {
        const rlimit limit{10'000, 10'000};
        setrlimit(RLIMIT_FSIZE, &limit);
    };
    EXPECT_EQ(codeOf(start("run " + example("gcn.pt2") + " " + example("cora.npz") + " --out " + out, errors, limited)), 1);
    EXPECT_NE(test::readText(errors).find("cannot be written: "), std::string::npos) << test::readText(errors);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1) << "the errors alone";
    const std::string store = (folder / "store").string();
    EXPECT_EQ(codeOf(start("run " + example("gcn.pt2") + " " + example("cora.npz") + " --store " + store + " --out " + out, errors, limited)), 1);
    EXPECT_NE(test::readText(errors).find("cannot be written: "), std::string::npos) << test::readText(errors);
}

TEST(Cli, AFileThatIsShortenedWhileItIsReadGetsASentence)
{
    const test::TemporaryFolder folder;
    const std::string graph = graphFolder(folder, 17), out = (folder / "out.npy").string(), errors = (folder / "errors").string();
    const pid_t child = start("run " + benchModel("sage3") + " " + graph + " --out " + out, errors);
    const std::string maps = "/proc/" + std::to_string(child) + "/maps";
    for (int i = 0; i < 60'000 && test::readText(maps).find("x.npy") == std::string::npos; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    kill(child, SIGSTOP);
    std::filesystem::resize_file(graph + "/x.npy", 4096);
    kill(child, SIGCONT);
    EXPECT_EQ(codeOf(child), 1);
    // Where it is touched, or where a run begins or ends.
    const std::string said = test::readText(errors);
    EXPECT_TRUE(said.find("has become shorter") != std::string::npos || said.find("has changed since it was read") != std::string::npos) << said;
    EXPECT_FALSE(std::filesystem::exists(out));
}

// A group of processes with a limit on their memory; nothing where this system does not let us make one.
class MemoryGroup {
public:
    explicit MemoryGroup(std::int64_t bytes)
    {
        std::string own;
        bool isSecond = false;
        std::ifstream groups("/proc/self/cgroup");
        for (std::string line; std::getline(groups, line);)
            if (const bool second = line.starts_with("0::"); second || line.find(":memory:") != std::string::npos) {
                const std::filesystem::path root = second ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
                const bool hasMemory = !second || test::readText(root / "cgroup.subtree_control").find("memory") != std::string::npos;
                if (hasMemory && own.empty()) {
                    own = (root / line.substr(line.rfind(':') + 2)).string();
                    isSecond = second;
                }
            }
        const std::filesystem::path group = own + "/cleave_test_" + std::to_string(getpid());
        std::error_code problem;
        if (own.empty() || !std::filesystem::create_directory(group, problem))
            return;
        m_path = group;
        std::ofstream(group / (isSecond ? "memory.max" : "memory.limit_in_bytes")) << bytes;
        if (std::stoll("0" + test::readText(group / (isSecond ? "memory.max" : "memory.limit_in_bytes"))) > bytes)
            m_path.clear();
    }
    ~MemoryGroup()
    {
        std::error_code ignored;
        if (!m_path.empty())
            std::filesystem::remove(m_path, ignored);
    }
    MemoryGroup(const MemoryGroup&) = delete;
    MemoryGroup& operator=(const MemoryGroup&) = delete;

    bool isThere() const { return !m_path.empty(); }
    void enter() const { std::ofstream(m_path / "cgroup.procs") << getpid(); }

private:
    std::filesystem::path m_path;
};

// The operating system would end what takes more than its group may: a run without a bound is given up before, and one with a bound goes through.
TEST(Cli, MemoryStaysWithinAGroupsLimit)
{
    const test::TemporaryFolder folder;
    const std::string graph = graphFolder(folder, 19), out = (folder / "out.npy").string(), errors = (folder / "errors").string();
    const MemoryGroup group(std::int64_t{640} << 20);
    if (!group.isThere())
        GTEST_SKIP() << "no memory control group can be made here";
    const std::string inputs = "run " + benchModel("sage3") + " " + graph + " --batch-size 512 --out " + out;
    EXPECT_EQ(codeOf(start(inputs + " --planner message-degree", errors, [&] { group.enter(); })), 1) << "it saves more than fits";
    EXPECT_NE(test::readText(errors).find("not enough memory; with a bound on it (--memory 8G) rows lie in files."), std::string::npos)
        << test::readText(errors);
    EXPECT_EQ(codeOf(start(inputs + " --memory 288Mi --spill " + folder.path().string(), errors, [&] { group.enter(); })), 0)
        << test::readText(errors);
    ASSERT_EQ(run("run " + benchModel("sage3") + " " + graph + " --out " + (folder / "whole.npy").string()).code, 0);
    expectClose(out, folder / "whole.npy");
}

// The whole model would take more than the group may, and is given up before the system ends the process: some nodes are compared.
TEST(Cli, VerifyComparesSomeNodesWhereAllDoNotFit)
{
    const test::TemporaryFolder folder;
    const std::string graph = graphFolder(folder, 18), plan = (folder / "plan.json").string(), errors = (folder / "errors").string();
    ASSERT_EQ(runProgram("plan " + benchModel("sage2") + " --out " + plan).code, 0);
    const MemoryGroup group(std::int64_t{1500} << 20);
    if (!group.isThere())
        GTEST_SKIP() << "no memory control group can be made here";
    EXPECT_EQ(codeOf(start("verify " + benchModel("sage2") + " " + graph + " --plan " + plan + " --record", errors, [&] { group.enter(); })), 0)
        << test::readText(errors);
    const auto verified = nlohmann::json::parse(test::readText(plan))["verification"];
    EXPECT_TRUE(verified["equal"].get<bool>());
    EXPECT_EQ(verified["sampled_nodes"], 1024);
}

TEST(Cli, BenchMeasuresKernelsAndRuns)
{
    const Result kernels = run("bench --scale 10 --width 16 --no-rivals --json");
    ASSERT_EQ(kernels.code, 0) << kernels.err;
    EXPECT_FALSE(nlohmann::json::parse(kernels.out).empty());
    const Result runs = run("bench --rounds 1 --json --model " + example("sage.pt2") + " " + example("cora.npz"));
    ASSERT_EQ(runs.code, 0) << runs.err;
    const auto json = nlohmann::json::parse(runs.out)["runs"];
    ASSERT_EQ(json.size(), 2U);
    for (const auto& time : json)
        EXPECT_GT(time["seconds"], 0);
    EXPECT_EQ(run("bench --model " + example("sage.pt2")).code, 2) << "no graph";
}

TEST(Cli, SwitchesAreTaken)
{
    const std::string inputs = example("sage.pt2") + " " + example("cora.npz") + " --batch-size 300";
    for (const char* switches : {"--kernels none", "--kernels reduce", "--rewrite none", "--rewrite transform-first",
                                 "--rewrite one-gather,merge-linears", "--dense blas --batches-at-once 2"}) {
        const Result equal = run("verify " + inputs + " " + switches + " --expected " + example("sage.expected.npz"));
        EXPECT_EQ(equal.code, 0) << switches << "\n" << equal.out << equal.err;
    }
    EXPECT_NE(run("verify " + inputs).out.find("Rewrites: transform-first 2"), std::string::npos);
    EXPECT_EQ(run("verify " + inputs + " --rewrite none").out.find("Rewrites"), std::string::npos);
    EXPECT_EQ(run("verify " + example("gcn.pt2") + " " + example("cora.npz") + " --gather-at-once 500 --batch-size 9223372036854775807").code, 0);
    const Result unknown = run("verify " + inputs + " --rewrite everything");
    EXPECT_EQ(unknown.code, 1);
    EXPECT_NE(unknown.err.find("there is no rewrite 'everything'"), std::string::npos);
}

// Without a plan file, runs take the plan that costs least for the graph; it lies beside the save points where these are kept.
TEST(Cli, RunsPlanForTheGraph)
{
    const test::TemporaryFolder folder;
    const std::string graph = graphFolder(folder, 12), out = (folder / "out.npy").string(), store = (folder / "store").string();
    const std::string inputs = "run " + benchModel("sage3") + " " + graph + " --json --out " + out;
    const Result optimal = run(inputs), degree = run(inputs + " --planner message-degree");
    ASSERT_EQ(optimal.code, 0) << optimal.err;
    ASSERT_EQ(degree.code, 0) << degree.err;
    const auto saved = [](const Result& result) {
        double bytes = 0;
        const auto json = nlohmann::json::parse(result.out);
        for (const auto& function : json["functions"])
            bytes += function["saved_bytes"].get<double>();
        return bytes;
    };
    EXPECT_EQ(nlohmann::json::parse(degree.out)["planner"], "message degree");
    EXPECT_LT(saved(optimal), 0.8 * saved(degree)) << "no rows twice, as they are and times a matrix";
    EXPECT_EQ(run(inputs + " --planner best").code, 2);
    const std::string plan = (folder / "plan.json").string();
    ASSERT_EQ(run("plan " + benchModel("sage3") + " --out " + plan).code, 0);
    EXPECT_EQ(run(inputs + " --planner optimal --plan " + plan).code, 2) << "one or the other";
    EXPECT_FALSE(nlohmann::json::parse(run(inputs + " --plan " + plan).out).contains("planner"));

    // Begun with another plan than the usual one, and resumed without a word of it.
    ASSERT_EQ(run(inputs + " --planner message-degree --batch-size 100 --order bfs --store " + store).code, 0);
    const auto kept = nlohmann::json::parse(test::readText(folder / "store/manifest.plan.json"));
    EXPECT_EQ(kept["batch_size"], 100);
    EXPECT_EQ(kept["order"], "bfs");
    const Result resumed = run(inputs + " --resume " + store);
    ASSERT_EQ(resumed.code, 0) << resumed.err;
    const auto again = nlohmann::json::parse(resumed.out);
    for (const auto& function : again["functions"])
        EXPECT_EQ(function["batches"], 0);
    const Result other = run(inputs + " --planner optimal --resume " + store);
    EXPECT_EQ(other.code, 1);
    EXPECT_NE(other.err.find("is another one: it follows another plan, or other rewrites of the program."), std::string::npos) << other.err;
    test::writeText(folder / "store/manifest.plan.json", "{");
    const Result damaged = run(inputs + " --resume " + store);
    EXPECT_EQ(damaged.code, 1);
    EXPECT_NE(damaged.err.find("The plan that was kept is not gone on with: "), std::string::npos) << damaged.err;
    EXPECT_NE(damaged.err.find("is another one: it follows another plan, or other rewrites of the program."), std::string::npos) << damaged.err;
    const std::string there = (folder / "there").string();
    ASSERT_EQ(run(inputs + " --device cuda --store " + there).code, 0);
    EXPECT_NE(test::readText(folder / "there/manifest.plan.json").find("\"device\": \"cuda\""), std::string::npos) << "to go on there";
    // A plan that lies in the folder already is somebody's.
    const std::string mine = test::readText(plan);
    EXPECT_EQ(run(inputs + " --plan " + plan + " --store " + folder.path().string()).code, 1);
    EXPECT_EQ(test::readText(plan), mine);
    const test::TemporaryFolder config;
    std::filesystem::create_directories(config / "cleave");
    test::writeText(config / "cleave/rates.json", "{");
    const Result usual = run(inputs, config.path().string()), asked = run(inputs + " --planner optimal", config.path().string());
    EXPECT_EQ(usual.code, 0);
    EXPECT_NE(usual.err.find("The plan is the one at message degree: "), std::string::npos) << usual.err;
    EXPECT_EQ(asked.code, 1) << "what is asked for is not left out in silence";
    const Result verified = run("verify " + benchModel("sage3") + " " + graph);
    EXPECT_EQ(verified.code, 0) << verified.err;
    EXPECT_NE(verified.out.find("Plan: " + nlohmann::json::parse(optimal.out)["planner"].get<std::string>() + "\n"), std::string::npos)
        << verified.out;
}

// There is no GPU, or all functions run there; in both cases the answers are right.
TEST(Cli, DevicesAreTriedAndNamed)
{
    const test::TemporaryFolder folder;
    const std::string inputs = example("sage.pt2") + " " + example("cora.npz") + " --batch-size 300";
    const Result tried = run("run " + inputs + " --device cuda --json --out " + (folder / "out.npy").string());
    ASSERT_EQ(tried.code, 0) << tried.err;
    const auto json = nlohmann::json::parse(tried.out);
    const bool isThere = !json.contains("notices");
    for (const auto& function : json["functions"])
        EXPECT_EQ(function["device"] == "cpu", !isThere) << tried.out;
    EXPECT_TRUE(isThere || json["notices"][0].get<std::string>().find("All functions run on the CPU instead of cuda: ") != std::string::npos)
        << tried.out;
    EXPECT_EQ(run("verify " + inputs + " --device cuda --expected " + example("sage.expected.npz")).code, 0);
    const Result strict = run("run " + inputs + " --device cuda --strict-device --out " + (folder / "strict.npy").string());
    EXPECT_EQ(strict.code, isThere ? 0 : 1);
    EXPECT_TRUE(isThere || strict.err.find("Nothing can be run on cuda: ") != std::string::npos) << strict.err;
    const Result unknown = run("run " + inputs + " --device cuda:x --out " + (folder / "no.npy").string());
    EXPECT_EQ(unknown.code, 1);
    EXPECT_NE(unknown.err.find("There is no device cuda:x: cpu, cuda, or cuda:1 for the second GPU."), std::string::npos) << unknown.err;
}

// A plan is made for a device by its rates, which need not be there, and says which functions run on it; where it is not, they run on the CPU.
TEST(Cli, PlansPlaceFunctionsOnDevices)
{
    const test::TemporaryFolder folder;
    const std::string inputs = example("sage.pt2") + " " + example("cora.npz"), config = folder.path().string(), plan = (folder / "p.json").string();
    const Result assumed = run("plan " + inputs + " --device cuda", config);
    ASSERT_EQ(assumed.code, 0) << assumed.err;
    EXPECT_NE(assumed.out.find("(rates of the device: assumed)"), std::string::npos) << assumed.out;
    nlohmann::json rates{{"source", "measured"}};
    for (const char* rate : {"read", "gather", "write", "elementwise", "segment_reduce", "slice"})
        rates[std::string(rate) + "_bytes_per_second"] = 1e9;
    rates.update({{"gemm_flops_per_second", 1e10}, {"numbered_nodes_per_second", 1e8}, {"seconds_per_op", 1e-6}});
    rates["devices"]["cuda"] = {{"source", "made up"}, {"gemm_flops_per_second", 1e15}, {"seconds_per_op", 1e-9}};
    for (const char* rate : {"to_device", "from_device", "memory", "edge_rows", "gather_staged", "gather_there"})
        rates["devices"]["cuda"][std::string(rate) + "_bytes_per_second"] = 1e12;
    std::filesystem::create_directories(folder / "cleave");
    test::writeText(folder / "cleave/rates.json", rates.dump());
    const Result planned = run("plan " + inputs + " --device cuda --out " + plan, config);
    ASSERT_EQ(planned.code, 0) << planned.err;
    for (const char* text : {"device", "with cuda", "On cuda: ", "rates of the device: made up"})
        EXPECT_NE(planned.out.find(text), std::string::npos) << text << "\n" << planned.out;
    const auto written = nlohmann::json::parse(test::readText(plan));
    EXPECT_EQ(written["functions"][0]["device"], "cuda");
    EXPECT_LT(written["cost"]["with_device"]["seconds"], written["cost"]["seconds"]);
    const auto priced = nlohmann::json::parse(run("plan " + inputs + " --device cuda --json", config).out);
    EXPECT_EQ(priced["plans"][2]["with_device"]["device"], "cuda");
    EXPECT_EQ(run("plan " + inputs, config).out.find("cuda"), std::string::npos);

    ASSERT_EQ(run("plan " + inputs + " --out " + (folder / "q.json").string(), config).code, 0);
    const std::string compared = run("compare " + plan + " " + (folder / "q.json").string()).out;
    EXPECT_NE(compared.find("Functions that run elsewhere"), std::string::npos) << compared;
    EXPECT_NE(compared.find("seconds with a device"), std::string::npos) << compared;

    const Result ran = run("verify " + inputs + " --plan " + plan + " --json", config);
    ASSERT_EQ(ran.code, 0) << ran.err << ran.out;
    const Result alone = run("run " + inputs + " --plan " + plan + " --json --device cpu --out " + (folder / "o.npy").string(), config);
    const auto aloneJson = nlohmann::json::parse(alone.out);
    for (const auto& function : aloneJson["functions"])
        EXPECT_EQ(function["device"], "cpu");
    const auto asPlanned =
        nlohmann::json::parse(run("run " + inputs + " --plan " + plan + " --json --out " + (folder / "o.npy").string(), config).out);
    EXPECT_TRUE(asPlanned.contains("notices") || asPlanned["functions"][0]["device"] != "cpu") << asPlanned;
    rates["devices"]["cuda"]["gemm_flops_per_second"] = -1;
    test::writeText(folder / "cleave/rates.json", rates.dump());
    EXPECT_NE(run("plan " + inputs, config).err.find("gemm_flops_per_second must be above 0"), std::string::npos);
    const Result none = run("calibrate --device cuda:7", config);
    EXPECT_EQ(none.code, 1);
    EXPECT_NE(none.err.find("There is nothing to measure on cuda:7: "), std::string::npos) << none.err;
}

TEST(Cli, PlansKeepTheirRewrites)
{
    const test::TemporaryFolder folder;
    const std::string plan = (folder / "p.cleave.json").string(), inputs = example("sage.pt2") + " " + example("cora.npz");
    const Result made = run("plan " + inputs + " --rewrite all --batch-size 300 --out " + plan);
    ASSERT_EQ(made.code, 0) << made.err;
    EXPECT_NE(made.out.find("without any (--rewrite none) optimal takes"), std::string::npos) << made.out;
    EXPECT_EQ(run("verify " + inputs + " --plan " + plan).code, 0);
    const Result other = run("verify " + inputs + " --rewrite none --plan " + plan);
    EXPECT_EQ(other.code, 1);
    EXPECT_NE(other.err.find("after the rewrites transform-first,merge-linears"), std::string::npos) << other.err;
    ASSERT_EQ(run("plan " + inputs + " --rewrite none --batch-size 300 --out " + plan).code, 0);
    EXPECT_EQ(run("verify " + inputs + " --plan " + plan).code, 0) << "as the plan says, without rewrites";
}

// What a save point of merged rows costs is more than one product of matrices saves where graphs have few edges.
TEST(Cli, RewritesThatDoNotPayAreLeftOut)
{
    const test::TemporaryFolder folder;
    const std::string out = (folder / "p.cleave.json").string(), model = (test::testDir() / "models/zoo/film").string();
    const std::string command = "plan " + model + ".pt2 --nodes 1000000 --edges 1000000 --json --out " + out;
    const auto seconds = [](const nlohmann::json& json) {
        for (const auto& plan : json["plans"])
            if (plan["plan"] == "optimal")
                return plan["seconds"].get<double>();
        return 0.0;
    };
    const auto all = nlohmann::json::parse(run(command + " --rewrite all").out), chosen = nlohmann::json::parse(run(command).out);
    EXPECT_TRUE(all["rewrites"].contains("merge-linears"));
    EXPECT_FALSE(chosen.contains("rewrites") && chosen["rewrites"].contains("merge-linears")) << chosen;
    EXPECT_NEAR(seconds(chosen), all["seconds_without_rewrite"]["merge-linears"].get<double>(), 1e-3 * seconds(all));
    EXPECT_LT(seconds(chosen), seconds(all));
    EXPECT_EQ(chosen["remarks"].size(), 1U);
    EXPECT_EQ(run("verify " + model + ".pt2 " + model + ".npz --plan " + out).code, 0);
}

}  // namespace
}  // namespace cleave
