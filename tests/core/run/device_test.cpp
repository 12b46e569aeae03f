#include "core/run/device_batches.h"

#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <future>
#include <mutex>
#include <numeric>
#include <tuple>

#include "core/base/error.h"
#include "core/run/calibrate.h"
#include "core/run/planning.h"
#include "core/run/run.h"
#include "tests/core/run/fake_device.h"
#include "tests/core/run/zoo_files.h"

namespace cleave {
namespace {

using test::errorOf;
using test::FakeDevice;
using test::FakeOutOfMemory;
using test::openZoo;
using test::zooGraph;

void expectNear(const RunResult& result, const RunResult& expected, double most, const std::string& what)
{
    ASSERT_EQ(result.outputs.size(), expected.outputs.size());
    for (std::size_t o = 0; o < expected.outputs.size(); ++o)
        for (std::int64_t i = 0; i < expected.outputs[o].array.count(); ++i)
            ASSERT_NEAR(result.outputs[o].array.as<float>()[i], expected.outputs[o].array.as<float>()[i], most) << what;
}

constexpr std::int64_t rowCount = 1000, columnCount = 7;

// Each row times a factor that is the same for all batches, plus a number for each batch.
class Doubling {
public:
    Doubling()
        : m_rows(at::arange(rowCount * columnCount, at::kFloat).view({rowCount, columnCount})),
          m_factor(at::full({1}, 3, at::kFloat)),
          m_saved(at::zeros({rowCount, columnCount}))
    {
    }

    DeviceWork work()
    {
        DeviceWork made;
        made.inputs = {DeviceWork::Input::OfBatch, DeviceWork::Input::Fixed, DeviceWork::Input::OfBatch, DeviceWork::Input::OnHost};
        made.prepare = [this](std::int64_t first, std::int64_t last) {
            ++prepared;
            DeviceBatch batch;
            batch.inputs = {m_rows.narrow(0, first, last - first), m_factor, first, at::full({1}, last - first, at::kLong)};
            batch.save = [this, first, last](const std::vector<at::Tensor>& rows) {
                EXPECT_EQ(first, savedTo) << "results are saved in order, each once";
                savedTo = last;
                m_saved.narrow(0, first, last - first).copy_(rows.front());
            };
            return batch;
        };
        made.compute = [this](std::vector<c10::IValue> inputs) {
            const at::Tensor rows = inputs[0].toTensor();
            EXPECT_EQ(inputs[3].toTensor().item<std::int64_t>(), rows.size(0));
            if (rows.size(0) > mostRows)
                throw FakeOutOfMemory();
            if (fails)
                throw std::runtime_error("something else");
            return std::vector<c10::IValue>{rows.mul(inputs[1].toTensor()).add(static_cast<float>(inputs[2].toInt()))};
        };
        return made;
    }

    void expectRight(std::int64_t batchSize) const
    {
        EXPECT_EQ(savedTo, rowCount);
        for (std::int64_t first = 0; first < rowCount; first += batchSize) {
            const std::int64_t count = std::min(batchSize, rowCount - first);
            EXPECT_TRUE(m_saved.narrow(0, first, count).equal(m_rows.narrow(0, first, count).mul(3).add(static_cast<float>(first))))
                << "from row " << first;
        }
    }

    std::atomic<int> prepared = 0;
    std::int64_t savedTo = 0, mostRows = rowCount;
    bool fails = false;

private:
    at::Tensor m_rows, m_factor, m_saved;
};

TEST(DeviceBatches, AreSavedInOrderWhateverTheLanesDo)
{
    FakeDevice device;
    for (const std::int64_t batchSize : {1, 7, 64, 999, 1000, 5000}) {
        Doubling doubling;
        const DeviceRun run = runBatchesOn(device, 0, rowCount, batchSize, doubling.work(), {});
        doubling.expectRight(batchSize);
        EXPECT_EQ(run.batches, (rowCount + batchSize - 1) / batchSize);
        EXPECT_EQ(run.batchSize, batchSize);
        EXPECT_EQ(run.bytesIn, rowCount * columnCount * 4 + 4) << "what is the same is copied once";
        EXPECT_EQ(run.bytesOut, rowCount * columnCount * 4);
    }
}

// However much there is room for on the device: memory that it copies from is dear.
TEST(DeviceBatches, StageLittle)
{
    constexpr std::int64_t rows = 13'000, width = 4096, most = std::int64_t{1} << 25;
    const at::Tensor all = at::ones({1, width}).expand({rows, width});
    FakeDevice device;
    DeviceWork work;
    work.inputs = {DeviceWork::Input::OfBatch};
    std::int64_t saved = 0;
    work.prepare = [&](std::int64_t first, std::int64_t last) {
        DeviceBatch batch;
        batch.inputs = {all.narrow(0, first, last - first)};
        batch.save = [&](const std::vector<at::Tensor>& made) { saved += made.front().size(0); };
        return batch;
    };
    work.compute = [](std::vector<c10::IValue> inputs) { return std::vector<c10::IValue>{inputs[0].toTensor().mul(2)}; };
    const DeviceRun run = runBatchesOn(device, 0, rows, 0, work, {});
    EXPECT_EQ(saved, rows);
    EXPECT_EQ(run.batchSize, most / (2 * width * static_cast<std::int64_t>(sizeof(float)))) << "a row comes and a row leaves";
}

// The first batch is computed only once the second has been prepared: whoever waits for the first alone never ends.
TEST(DeviceBatches, TheNextIsPreparedWhileOneIsComputed)
{
    FakeDevice device;
    Doubling doubling;
    DeviceWork work = doubling.work();
    std::promise<void> second;
    work.prepare = [&, prepare = work.prepare](std::int64_t first, std::int64_t last) {
        if (first == 100)
            second.set_value();
        return prepare(first, last);
    };
    std::shared_future<void> isPrepared = second.get_future().share();
    work.compute = [&, compute = work.compute](std::vector<c10::IValue> inputs) {
        EXPECT_EQ(isPrepared.wait_for(std::chrono::seconds(20)), std::future_status::ready);
        return compute(std::move(inputs));
    };
    runBatchesOn(device, 0, rowCount, 100, work, {});
    doubling.expectRight(100);
}

TEST(DeviceBatches, AreHalvedWhereMemoryRunsOut)
{
    FakeDevice device;
    Doubling doubling;
    doubling.mostRows = 30;
    const DeviceRun run = runBatchesOn(device, 0, rowCount, 200, doubling.work(), {});
    EXPECT_EQ(run.batchSize, 25);
    doubling.expectRight(25);
    EXPECT_EQ(run.batches, 40) << "those that ran short do not count";
}

TEST(DeviceBatches, OneRowThatDoesNotFitIsASentence)
{
    FakeDevice device(12345);
    Doubling doubling;
    doubling.mostRows = 0;
    const std::string error = errorOf([&] { runBatchesOn(device, 0, rowCount, 200, doubling.work(), {}); });
    EXPECT_NE(error.find("One row at a time does not fit into the memory of fake, of which 12.3 kB are free"), std::string::npos) << error;
    EXPECT_EQ(doubling.savedTo, 0);
}

TEST(DeviceBatches, AreAsLargeAsMemoryAllows)
{
    constexpr std::int64_t rows = 100'000;
    for (const auto& [freeBytes, perRow, size] : {std::tuple{std::size_t{1} << 40, std::size_t{100}, (rows - 4096 + 7) / 8},
                                                  {std::size_t{3'000'000}, std::size_t{100}, std::int64_t{8000}},
                                                  {std::size_t{3000}, std::size_t{100'000}, std::int64_t{1}}}) {
        FakeDevice device(freeBytes);
        std::int64_t savedTo = 0, largest = 0;
        DeviceWork work;
        work.inputs = {DeviceWork::Input::OfBatch};
        work.prepare = [&](std::int64_t first, std::int64_t last) {
            DeviceBatch batch;
            batch.inputs = {at::ones({last - first, 1})};
            batch.save = [&, first, last](const std::vector<at::Tensor>& made) {
                EXPECT_EQ(first, savedTo);
                EXPECT_EQ(made.front().size(0), last - first);
                savedTo = last;
                largest = std::max(largest, first == 0 ? 0 : last - first);
            };
            return batch;
        };
        work.compute = [&, perRowHere = perRow](std::vector<c10::IValue> inputs) {
            device.peak = std::max<std::size_t>(device.peak, perRowHere * static_cast<std::size_t>(inputs[0].toTensor().size(0)));
            return std::vector<c10::IValue>{inputs[0].toTensor().add(1)};
        };
        const std::int64_t end = size == 1 ? 4100 : rows;
        const DeviceRun run = runBatchesOn(device, 0, end, 0, work, {});
        EXPECT_EQ(savedTo, end);
        EXPECT_EQ(run.batchSize, size);
        EXPECT_EQ(largest, size);
    }
}

// What a batch reads is there until it is done: a device computes long after it was told to, and would give the room to the next batch.
TEST(DeviceBatches, WhatTheyReadStaysUntilTheyAreDone)
{
    FakeDevice device;
    Doubling doubling;
    DeviceWork work = doubling.work();
    std::mutex mutex;
    std::deque<std::vector<c10::weak_intrusive_ptr<c10::StorageImpl>>> read;  // by batches on their way
    work.compute = [&, compute = work.compute](std::vector<c10::IValue> inputs) {
        const std::lock_guard lock(mutex);
        read.emplace_back();
        for (const c10::IValue& input : inputs)
            if (input.isTensor())
                read.back().emplace_back(input.toTensor().storage().getWeakStorageImpl());
        return compute(std::move(inputs));
    };
    work.prepare = [&, prepare = work.prepare](std::int64_t first, std::int64_t last) {
        DeviceBatch batch = prepare(first, last);
        batch.save = [&, save = batch.save](const std::vector<at::Tensor>& rows) {
            const std::lock_guard lock(mutex);
            for (const auto& storage : read.front())
                EXPECT_FALSE(storage.expired());
            read.pop_front();
            save(rows);
        };
        return batch;
    };
    runBatchesOn(device, 0, rowCount, 100, work, {});
    doubling.expectRight(100);
    EXPECT_TRUE(read.empty());
}

TEST(DeviceBatches, OtherFailuresAndCancelEndThem)
{
    FakeDevice device;
    Doubling doubling;
    doubling.fails = true;
    EXPECT_THROW(runBatchesOn(device, 0, rowCount, 10, doubling.work(), {}), std::runtime_error);
    EXPECT_LE(doubling.prepared, 3);
    Doubling again;
    std::stop_source source;
    DeviceWork work = again.work();
    work.compute = [&, compute = work.compute](std::vector<c10::IValue> inputs) {
        source.request_stop();
        return compute(std::move(inputs));
    };
    EXPECT_THROW(runBatchesOn(device, 0, rowCount, 10, work, {source.get_token(), {}}), Cancelled);
    Doubling last;
    runBatchesOn(device, 0, rowCount, 10, last.work(), {});
    last.expectRight(10);
}

TEST(DeviceRuns, WhatCannotRunThereRunsOnTheCpuAndIsNamed)
{
    nameDevice("fake", std::make_shared<FakeDevice>());
    nameDevice("small", std::make_shared<FakeDevice>(100));  // bytes: not even for what all batches read
    RunOptions options;
    options.batchSize = 7;
    options.device = "fake";
    const RunResult gcn = runLayerWise(openZoo("gcn"), zooGraph("gcn"), options);
    EXPECT_TRUE(gcn.notices.empty());
    for (const FunctionRun& function : gcn.functions) {
        EXPECT_EQ(function.device, "fake");
        EXPECT_EQ(function.batches, 9);
    }
    EXPECT_GT(gcn.functions.front().bytesToDevice, 0);
    EXPECT_EQ(gcn.functions.back().bytesToDevice, 0);  // save points and edges are there
    const RunResult pair = runLayerWise(openZoo("pair_norm"), zooGraph("pair_norm"), options);
    ASSERT_FALSE(pair.notices.empty());
    EXPECT_NE(pair.notices.front().find("runs on the CPU instead of fake: it is a global op"), std::string::npos) << pair.notices.front();
    EXPECT_TRUE(std::ranges::any_of(pair.functions, [](const FunctionRun& function) { return function.device.empty(); }));

    options.device = "small";
    options.kernels = Kernels::None;  // gathers whole tensors
    const RunResult small = runLayerWise(openZoo("gcn"), zooGraph("gcn"), options);
    ASSERT_FALSE(small.notices.empty());
    EXPECT_NE(small.notices.front().find("100 B are free there"), std::string::npos) << small.notices.front();
    options.strictDevice = true;
    const std::string strict = errorOf([&] { runLayerWise(openZoo("gcn"), zooGraph("gcn"), options); });
    EXPECT_NE(strict.find("Function 1 cannot run on fake: what it reads at any place takes"), std::string::npos) << strict;

    options.device = "tpu";
    EXPECT_NE(errorOf([&] { runLayerWise(openZoo("gcn"), zooGraph("gcn"), options); }).find("There is no device tpu: cpu, cuda"), std::string::npos);
}

// What does not fit runs on the CPU with what was prepared for the device, relations and joined sums as well, and a graph without nodes has stores
// too.
TEST(DeviceRuns, GoBackToTheCpuForAnyModel)
{
    nameDevice("fake", std::make_shared<FakeDevice>());
    nameDevice("small", std::make_shared<FakeDevice>(0));
    for (const char* name : {"gcn", "rgcn", "film_relations", "typed_sage", "jk_cat"}) {
        const Model model = openZoo(name);
        const DataGraph graph = zooGraph(name);
        RunOptions options;
        options.batchSize = 7;
        const RunResult expected = runLayerWise(model, graph, options);
        options.device = "small";
        const RunResult result = runLayerWise(model, graph, options);
        expectNear(result, expected, 1e-4, name);
    }
    DataGraph empty = zooGraph("gcn");
    const std::int64_t features = empty.arrays.at("x").shape.at(1);
    empty.numNodes = empty.numEdges = 0;
    empty.arrays["x"] = makeArray(DType::Float32, {0, features}).array;
    empty.arrays["edge_index"] = makeArray(DType::Int64, {2, 0}).array;
    RunOptions options;
    options.device = "fake";
    EXPECT_EQ(runLayerWise(openZoo("gcn"), empty, options).outputs.front().array.shape,
              runLayerWise(openZoo("gcn"), empty).outputs.front().array.shape);
}

// Rows of the store that do not fit are sent as batches read them, each once.
TEST(DeviceRuns, RowsThatDoNotFitComeWithTheirBatches)
{
    for (const char* name : {"gcn", "sage_mean", "gat", "res_gated", "typed_sage", "dir_gnn"}) {
        const Model model = openZoo(name);
        const DataGraph graph = zooGraph(name);
        RunOptions options;
        options.batchSize = 7;
        const RunResult expected = runLayerWise(model, graph, options);
        std::vector<double> sent;
        for (const std::size_t freeBytes : {std::size_t{1} << 40, std::size_t{600}}) {
            const auto device = std::make_shared<FakeDevice>(freeBytes);
            nameDevice("fake", device);
            options.device = "fake";
            options.strictDevice = true;
            const RunResult result = runLayerWise(model, graph, options);
            sent.push_back(0);
            for (const FunctionRun& function : result.functions)
                sent.back() += function.bytesToDevice;
            expectNear(result, expected, 1e-4, std::string(name) + ", " + std::to_string(freeBytes));
        }
        EXPECT_GT(sent[1], sent[0]) << name << ": rows are sent again for each batch that reads them";
    }
}

// What one function leaves on the device the next one reads there: it crosses the bus neither way, in float32 and in bfloat16.
TEST(DeviceRuns, SavePointsStayOnTheDevice)
{
    nameDevice("fake", std::make_shared<FakeDevice>());
    const Model model = openZoo("sage_mean");
    const DataGraph graph = zooGraph("sage_mean");
    for (const bool narrow : {false, true}) {
        RunOptions options;
        options.batchSize = 7;
        options.narrowStore = narrow;
        const RunResult expected = runLayerWise(model, graph, options);
        options.device = "fake";
        options.strictDevice = true;
        const RunResult result = runLayerWise(model, graph, options);
        expectNear(result, expected, narrow ? 2e-2 : 1e-4, "on the device");
        const std::size_t last = result.functions.size() - 1;
        ASSERT_GE(last, 2u);
        for (std::size_t f = 1; f < last; ++f) {
            EXPECT_EQ(result.functions[f].bytesKeptThere, result.functions[f].savedBytes) << f;
            EXPECT_EQ(result.functions[f].bytesFromDevice, 0) << f;
            EXPECT_EQ(result.functions[f].savedBytes, expected.functions[f].savedBytes) << f;
        }
        EXPECT_EQ(result.functions[last].bytesKeptThere, 0);
        EXPECT_EQ(result.functions[last].bytesFromDevice, result.functions[last].savedBytes) << "what is asked for leaves";
        const double rows = static_cast<double>(graph.numNodes) * sizeof(float);
        EXPECT_LT(result.functions[last].bytesToDevice, result.functions[last - 1].savedBytes + rows * 4 + static_cast<double>(graph.numEdges) * 8)
            << "structure alone comes";
    }
}

// Functions that are to run there do, the others run on the CPU, and what either makes reaches the other: for every choice of some functions.
TEST(DeviceRuns, EachFunctionRunsWhereItIsTo)
{
    nameDevice("fake", std::make_shared<FakeDevice>());
    for (const char* name : {"gcn", "gat", "pair_norm", "jk_cat", "typed_sage", "jk_lstm"}) {
        const Model model = openZoo(name);
        const DataGraph graph = zooGraph(name);
        RunOptions options;
        options.batchSize = 11;
        const RunResult expected = runLayerWise(model, graph, options);
        const std::size_t count = model.cut->functions.size();
        options.device = "fake";
        for (std::uint64_t chosen = 0; chosen < 8; ++chosen) {
            options.onDevice.clear();
            for (std::size_t f = 0; f < count; ++f)
                options.onDevice.push_back((chosen * 0x9e3779b97f4a7c15u >> (f % 60) & 1) != 0);
            const RunResult result = runLayerWise(model, graph, options);
            expectNear(result, expected, 1e-4, name);
            for (std::size_t f = 0; f < count; ++f)
                EXPECT_EQ(result.functions[f].device.empty(), !options.onDevice[f] || model.cut->functions[f].isGlobal) << name << ", function " << f;
        }
    }
}

// Of a few targets only the rows that they need are sent.
TEST(DeviceRuns, AFewTargetsNeedAFewRows)
{
    nameDevice("fake", std::make_shared<FakeDevice>());
    const Model model = openModel(test::examplesDir() / "sage.pt2");
    const DataGraph& graph = test::cora();
    RunOptions options;
    options.targets = {5, 1000, 2000};
    const RunResult expected = runLayerWise(model, graph, options);
    options.device = "fake";
    options.strictDevice = true;
    const RunResult result = runLayerWise(model, graph, options);
    expectNear(result, expected, 1e-4, "three nodes");
    double sent = 0;
    for (const FunctionRun& function : result.functions)
        sent += function.bytesToDevice;
    EXPECT_LT(sent, static_cast<double>(graph.arrays.at("x").bytes()) / 10);
}

// Functions that make only outputs of another type are left out, and those behind them know where they are.
TEST(DeviceRuns, TargetsOfOneTypeLeaveFunctionsOut)
{
    nameDevice("fake", std::make_shared<FakeDevice>());
    const Model model = openZoo("to_hetero");
    const DataGraph graph = zooGraph("to_hetero");
    for (const std::string type : {"paper", "author", "subject"}) {
        RunOptions options;
        options.targets = {3, 0};
        options.targetType = type;
        const RunResult expected = runLayerWise(model, graph, options);
        options.device = "fake";
        const RunResult result = runLayerWise(model, graph, options);
        expectNear(result, expected, 1e-4, type);
        for (const FunctionRun& function : result.functions)
            EXPECT_EQ(function.device, function.rows > 0 ? "fake" : "") << type << ", " << function.name;
    }
}

// Whatever finds no memory, once: rows that are to come, room for save points, a batch.
TEST(DeviceRuns, MemoryMayRunOutAnywhere)
{
    for (const char* name : {"sage_mean", "res_gated", "jk_cat"}) {
        const Model model = openZoo(name);
        const DataGraph graph = zooGraph(name);
        RunOptions options;
        options.batchSize = 20;
        const RunResult expected = runLayerWise(model, graph, options);
        options.device = "fake";
        bool ranShort = true;
        for (int at = 0; ranShort; ++at) {
            const auto device = std::make_shared<FakeDevice>();
            device->fullAt = at;
            nameDevice("fake", device);
            expectNear(runLayerWise(model, graph, options), expected, 1e-4, std::string(name) + ", " + std::to_string(at));
            ranShort = device->computed > at;
        }
    }
}

// With the memory for some of it: what stays there is never more than half of what is free.
TEST(DeviceRuns, OnlySavePointsThatFitStay)
{
    const Model model = openZoo("gcn");
    const DataGraph graph = zooGraph("gcn");
    RunOptions options;
    options.batchSize = 7;
    const RunResult expected = runLayerWise(model, graph, options);
    options.device = "fake";
    for (std::size_t freeBytes = 64; freeBytes < 100'000; freeBytes *= 3) {
        nameDevice("fake", std::make_shared<FakeDevice>(freeBytes));
        const RunResult result = runLayerWise(model, graph, options);
        expectNear(result, expected, 1e-4, std::to_string(freeBytes));
        for (const FunctionRun& function : result.functions)
            EXPECT_LE(function.bytesKeptThere, static_cast<double>(freeBytes) / 2);
    }
}

// Functions that were to run there and then find no room read what lies there alone from the host.
// By the host or by the device, as the rates say: the same rows.
TEST(DeviceBatches, RowsAreGatheredWhereThatIsFaster)
{
    const at::Tensor whole = at::arange(rowCount * columnCount, at::kFloat).view({rowCount, columnCount});
    for (const bool there : {false, true}) {
        FakeDevice device;
        at::Tensor made = at::zeros_like(whole);
        DeviceWork work;
        work.gathersThere = there;
        work.inputs = {DeviceWork::Input::OfBatch};
        work.prepare = [&](std::int64_t first, std::int64_t last) {
            DeviceBatch batch;
            batch.inputs = {whole};
            batch.rows[0] = {whole, at::arange(first, last, at::kLong).neg().add(rowCount - 1)};
            batch.save = [&, first, last](const std::vector<at::Tensor>& rows) { made.narrow(0, first, last - first).copy_(rows.front()); };
            return batch;
        };
        work.compute = [](std::vector<c10::IValue> inputs) { return std::vector<c10::IValue>{inputs[0].toTensor().mul(2)}; };
        const DeviceRun run = runBatchesOn(device, 0, rowCount, 100, work, {});
        EXPECT_TRUE(made.equal(whole.flip({0}).mul(2)));
        EXPECT_EQ(device.gathers, there ? 10 : 0);
        EXPECT_EQ(run.bytesIn, rowCount * (columnCount + (there ? 1 : 0)) * 4);
    }
}

TEST(DeviceRuns, WhatLiesThereComesBackToFunctionsOfTheCpu)
{
    for (const char* name : {"gat", "res_gated"}) {
        const Model model = openZoo(name);
        const DataGraph graph = zooGraph(name);
        RunOptions options;
        options.batchSize = 7;
        const RunResult expected = runLayerWise(model, graph, options);
        options.device = "fake";
        options.batchSize = 0;
        int mixed = 0;
        for (int fullAfter = 0; fullAfter < 24; ++fullAfter) {
            options.kernels = fullAfter % 2 ? Kernels::None : Kernels::All;  // without kernels whole tensors are gathered
            const auto device = std::make_shared<FakeDevice>();
            device->fullAfter = fullAfter / 2;
            nameDevice("fake", device);
            const RunResult result = runLayerWise(model, graph, options);
            expectNear(result, expected, 1e-4, name);
            bool isKept = false;
            for (const FunctionRun& function : result.functions) {
                mixed += isKept && function.device.empty();
                isKept = isKept || function.bytesKeptThere > 0;
            }
        }
        EXPECT_GT(mixed, 0) << name;
    }
}

TEST(DeviceRuns, ADeviceIsMeasured)
{
    FakeDevice device;
    const DeviceRates rates = calibrate(device);
    EXPECT_TRUE(rates.source.starts_with("measured ") && rates.source.ends_with(" on fake")) << rates.source;
    for (const double rate : {rates.toDevice, rates.fromDevice, rates.memory, rates.edgeRows, rates.gemm, rates.gatherStaged, rates.gatherThere})
        EXPECT_GT(rate, 1e7);
    EXPECT_GT(rates.opSeconds, 0);
    EXPECT_LT(rates.opSeconds, 1e-2);
}

TEST(DeviceRuns, TheGpuIsMeasuredWithTheMachine)
{
    nameDevice("cuda", std::make_shared<FakeDevice>());
    const Rates rates = calibrateAll(1);
    nameDevice("cuda", nullptr);
    ASSERT_TRUE(rates.devices.contains("cuda"));
    EXPECT_TRUE(rates.source.ends_with(" with 1 threads")) << rates.source;
    EXPECT_TRUE(rates.devices.at("cuda").source.ends_with(" on fake"));
    EXPECT_GT(rates.devices.at("cuda").toDevice, 1e7);
}

// Where a device is fast, planners place functions on it, and the plan runs there as it says; its seconds are no more than those of the processor
// alone.
TEST(DeviceRuns, PlansSayWhatRunsThere)
{
    nameDevice("fake", std::make_shared<FakeDevice>());
    Rates rates;
    rates.devices["fake"] = {"assumed", 1e11, 1e11, 1e13, 1e13, 1e15, 1e-9};
    const DataGraph& graph = test::cora();
    for (const char* name : {"gcn", "gat", "jk"}) {
        Model model = openModel(test::examplesDir() / (std::string(name) + ".pt2"));
        Planning planning(model, graph, {}, rates);
        PlanningRequest request;
        request.batchSize = 256;
        const double alone = planning.make(Planner::Optimal, request).seconds();
        request.device = "fake";
        for (const Planner planner : {Planner::MessageDegree, Planner::Greedy, Planner::Optimal}) {
            const PricedPlan plan = planning.make(planner, request);
            ASSERT_TRUE(plan.placement);
            EXPECT_TRUE(plan.placement->usesDevice()) << name;
            EXPECT_EQ(plan.placement->device, "fake");
            EXPECT_LE(plan.seconds(), plan.planned.cost.seconds());
            if (planner == Planner::Optimal) {
                EXPECT_LT(plan.seconds(), alone);
            }
            model.cut = std::make_shared<CutProgram>(planning.space().cut(plan.planned.plan, plan.planned.cost.copied));
            RunOptions options;
            options.batchSize = 256;
            const RunResult expected = runLayerWise(model, graph, options);
            options.device = "fake";
            for (const CutFunction& function : model.cut->functions)
                for (std::size_t f = 0; f < plan.placement->functions.size(); ++f)
                    if (plan.planned.cost.functions[f].isOf(function))
                        options.onDevice.push_back(plan.placement->functions[f].onDevice);
            ASSERT_EQ(options.onDevice.size(), model.cut->functions.size());
            const RunResult result = runLayerWise(model, graph, options);
            expectNear(result, expected, 1e-3, name);
            for (std::size_t f = 0; f < result.functions.size(); ++f)
                EXPECT_EQ(result.functions[f].device.empty(), !options.onDevice[f]);
        }
    }
    rates.devices["fake"].toDevice = 1e3;
    const Model gcn = openModel(test::examplesDir() / "gcn.pt2");
    Planning far(gcn, graph, {}, rates);
    PlanningRequest request;
    request.device = "fake";
    EXPECT_FALSE(far.make(Planner::Optimal, request).placement->usesDevice());
}

}  // namespace
}  // namespace cleave
