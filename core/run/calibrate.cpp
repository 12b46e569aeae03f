#include "core/run/calibrate.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/stopwatch.h"
#include "core/graph/numbering.h"
#include "core/kernels/edge_program.h"
#include "core/model/json_view.h"
#include "core/run/bind.h"
#include "core/run/dense.h"
#include "core/run/device.h"
#include "core/run/edge_op.h"
#include "core/run/lowering.h"
#include "core/run/tensors.h"

namespace cleave {

namespace {

namespace jit = torch::jit;

constexpr std::int64_t storeRows = 1 << 19, blockRows = 1 << 14, edgeRows = 1 << 17, storeWidth = 64;
constexpr double rowSize = storeWidth * sizeof(float);

// Measures work by some runs, the fastest but one in ten of them: the machine does other things too, which only slow it down.
class Timing {
public:
    double secondsOf(const std::function<void()>& work)
    {
        std::vector<double> seconds;
        double all = 0;
        work();
        while (seconds.size() < 5 || (all < 0.2 && seconds.size() < 50)) {
            seconds.push_back(cleave::secondsOf(work));
            all += seconds.back();
        }
        std::ranges::sort(seconds);
        const double least = std::max(seconds[seconds.size() / 10], 1e-9);
        m_spreads.push_back(seconds[seconds.size() / 2] / least);
        return least;
    }

    /// Whether half of what was measured took far longer in most runs than in the fastest.
    bool wasDisturbed() const
    {
        constexpr double much = 1.5;
        return 2 * std::ranges::count_if(m_spreads, [](double spread) { return spread > much; }) > std::ssize(m_spreads);
    }

private:
    std::vector<double> m_spreads;  // the median by the least
};

at::Tensor randomNodes(std::int64_t count, std::int64_t nodes, std::uint64_t seed)
{
    at::Tensor ids = at::empty({count}, at::kLong);
    std::mt19937_64 random(seed);
    std::generate_n(ids.data_ptr<std::int64_t>(), count, [&] { return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(nodes)); });
    return ids;
}

// What calling an op costs when there is next to nothing to compute: some of each kind, one after the other.
double callSeconds(Timing& timing)
{
    constexpr int calls = 64;
    auto graph = std::make_shared<jit::Graph>();
    jit::Value* value = graph->addInput();
    jit::Value* ids = graph->addInput();
    const auto number = [&](std::int64_t n) { return graph->insertConstant(n); };
    for (int i = 0; i < calls; ++i) {
        value = graph->insert(c10::aten::relu, {value});
        value = graph->insert(c10::aten::mul, {value, value});
        value = graph->insert(c10::aten::narrow, {value, number(0), number(0), number(16)});
        value = graph->insert(c10::aten::index_select, {value, number(0), ids});
    }
    graph->registerOutput(value);
    const Lowered lowered(graph, "calls");
    const at::Tensor few = at::ones({16, 4}), order = at::arange(16, at::kLong);
    return timing.secondsOf([&] { lowered.run({few, order}); }) / (4 * calls);
}

double numberedPerSecond(Timing& timing)
{
    const at::Tensor nodes = randomNodes(edgeRows, storeRows, 5);
    Numbering numbers;
    return edgeRows / timing.secondsOf([&] {
        numbers.clear();
        const auto* data = nodes.data_ptr<std::int64_t>();
        for (std::int64_t i = 0; i < edgeRows; ++i)
            numbers.add(data[i]);
    });
}

// Rows gathered and summed by the edge kernels: of one number, wide ones, and these with arithmetic on them.
void calibrateEdges(Rates& rates, const at::Tensor& store, Timing& timing)
{
    const std::int64_t targets = blockRows, degree = edgeRows / blockRows;
    const at::Tensor sources = randomNodes(edgeRows, storeRows, 6).to(at::kInt);
    const at::Tensor sums = at::empty({targets, storeWidth});
    std::vector<std::int64_t> begin;
    for (std::int64_t t = 0; t <= targets; ++t)
        begin.push_back(t * degree);
    const EdgeBlock block{begin.data(), targets};
    EdgeProgram program{{{EdgeRow::Source, storeWidth}}, {}, {{true, Reduce::Sum, 0}}};
    std::vector<EdgeArray> operands{{store.data_ptr(), DType::Float32, storeWidth, sources.data_ptr<std::int32_t>(), store.size(0)}};
    const EdgeRunOptions options{at::get_num_threads(), bestIsa()};
    const auto run = [&] { runEdgeProgram<float>(program, operands, block, {sums.data_ptr<float>()}, options); };
    const double plain = timing.secondsOf(run);
    const at::Tensor narrowStore = at::ones({store.size(0), 1}), narrowSums = at::empty({targets, 1});
    const EdgeProgram narrowProgram{{{EdgeRow::Source, 1}}, {}, {{true, Reduce::Sum, 0}}};
    const std::vector<EdgeArray> narrowOperands{{narrowStore.data_ptr(), DType::Float32, 1, sources.data_ptr<std::int32_t>(), store.size(0)}};
    const double narrow =
        timing.secondsOf([&] { runEdgeProgram<float>(narrowProgram, narrowOperands, block, {narrowSums.data_ptr<float>()}, options); });
    program.operands.push_back({EdgeRow::Target, storeWidth});
    operands.push_back({store.data_ptr(), DType::Float32, storeWidth, nullptr});
    program.code = {{EdgeCode::Add, {0}, {1}, 0, storeWidth}, {EdgeCode::LeakyRelu, {2}, {}, 0.2, storeWidth}};
    program.results.front().value = 3;
    const double computed = timing.secondsOf(run);
    rates.edges = edgeRows / narrow;
    rates.edgeRows = (edgeRows + targets) * rowSize / std::max(plain - narrow, 0.75 * plain);
    rates.edgeArithmetic = 2.0 * edgeRows * storeWidth / std::max(computed - plain, 0.1 * plain);
}

std::string today()
{
    const std::time_t now = std::time(nullptr);
    std::tm local{};
    localtime_r(&now, &local);
    char text[16];
    std::strftime(text, sizeof text, "%Y-%m-%d", &local);
    return text;
}

struct Field {
    const char* name;
    double Rates::* rate;
    bool mayLack = false;  // files of earlier versions do: what is assumed stays
};

constexpr Field fields[]{{"read_bytes_per_second", &Rates::read},
                         {"gather_bytes_per_second", &Rates::gather},
                         {"write_bytes_per_second", &Rates::write},
                         {"elementwise_bytes_per_second", &Rates::elementwise},
                         {"segment_reduce_bytes_per_second", &Rates::segmentReduce},
                         {"edges_per_second", &Rates::edges, true},
                         {"edge_rows_bytes_per_second", &Rates::edgeRows, true},
                         {"edge_arithmetic_per_second", &Rates::edgeArithmetic, true},
                         {"gemm_flops_per_second", &Rates::gemm},
                         {"slice_bytes_per_second", &Rates::slice},
                         {"numbered_nodes_per_second", &Rates::number},
                         {"seconds_per_op", &Rates::opSeconds}};

struct DeviceField {
    const char* name;
    double DeviceRates::* rate;
};

constexpr DeviceField deviceFields[]{{"to_device_bytes_per_second", &DeviceRates::toDevice},
                                     {"from_device_bytes_per_second", &DeviceRates::fromDevice},
                                     {"memory_bytes_per_second", &DeviceRates::memory},
                                     {"edge_rows_bytes_per_second", &DeviceRates::edgeRows},
                                     {"gemm_flops_per_second", &DeviceRates::gemm},
                                     {"seconds_per_op", &DeviceRates::opSeconds},
                                     {"gather_staged_bytes_per_second", &DeviceRates::gatherStaged},
                                     {"gather_there_bytes_per_second", &DeviceRates::gatherThere}};

double rateIn(const JsonView& view, const char* name, const std::filesystem::path& path)
{
    const double rate = view.at(name).number();
    if (!(rate > 0) || !std::isfinite(rate))
        throw Error(path.string() + ": " + name + " must be above 0; measure anew with cleave-cli calibrate.");
    return rate;
}

}  // namespace

DeviceRates calibrate(Device& device, const Progress& progress)
{
    using Lane = Device::Lane;
    constexpr std::int64_t rows = 1 << 18, products = 1 << 11, calls = 64;
    DeviceRates rates;
    Timing timing;
    guarded(device.name() + " cannot be measured", [&] {
        const auto secondsIn = [&](Lane lane, const std::function<void()>& work) {
            return timing.secondsOf([&] {
                device.run(lane, work);
                device.finish(device.record(lane));
            });
        };
        const auto there = [&](c10::IntArrayRef sizes) {
            at::Tensor made;
            device.run(Lane::Compute, [&] { made = at::ones(sizes, at::TensorOptions(at::kFloat).device(device.place())); });
            device.finish(device.record(Lane::Compute));
            return made;
        };
        int done = 0;
        const auto next = [&](const char* what) { progress.update(done++ / 7.0, "Measuring " + device.name() + ": " + what); };
        next("copies to it");
        const at::Tensor host = device.hostMemory({rows, storeWidth}, at::kFloat).fill_(1), store = there({rows, storeWidth});
        rates.toDevice = rows * rowSize / secondsIn(Lane::In, [&] { store.copy_(host, true); });
        next("copies from it");
        rates.fromDevice = rows * rowSize / secondsIn(Lane::Out, [&] { host.copy_(store, true); });
        next("rows of the host");
        const at::Tensor picked = randomNodes(blockRows, rows, 10), numbers = device.hostMemory({blockRows}, at::kInt).copy_(picked);
        at::Tensor room = device.hostMemory({blockRows, storeWidth}, at::kFloat), some = there({blockRows, storeWidth});
        rates.gatherStaged = blockRows * rowSize / secondsIn(Lane::In, [&] { some.copy_(at::index_select_out(room, host, 0, picked), true); });
        rates.gatherThere = rates.gatherStaged / 2;
        if (device.canGather(host))
            rates.gatherThere = blockRows * rowSize / secondsIn(Lane::In, [&] { device.gather(some, host, numbers.to(device.place(), true)); });
        next("memory");
        at::Tensor other = there({rows, storeWidth});
        rates.memory = 2 * rows * rowSize / secondsIn(Lane::Compute, [&] { at::clamp_min_out(other, store, 0); });
        next("matrix products");
        const at::Tensor square = there({products, products});
        rates.gemm = 2.0 * products * products * products / secondsIn(Lane::Compute, [&] { at::mm(square, square); });
        next("edge kernels");
        EdgeOp op{{{{EdgeRow::Source, storeWidth}}, {}, {{true, Reduce::Sum, 0}}}, DType::Float32, {{storeWidth}}};
        auto graph = std::make_shared<jit::Graph>();
        jit::Value *begin = graph->addInput(), *operand = graph->addInput(), *source = graph->addInput();
        graph->registerOutput(insertEdgeOp(*graph, op, begin, {operand}, {source}));
        const Lowered lowered(graph, "edges");
        // The more edges a row has, the longer: what the host does for each row is none of it.
        constexpr std::int64_t fewEdges = 4, manyEdges = 36;
        const at::Tensor sources = randomNodes(manyEdges * rows, rows, 9).to(at::kInt);
        at::Tensor sourcesThere;
        device.run(Lane::Compute, [&] { sourcesThere = sources.to(device.place()); });
        const auto secondsFor = [&](std::int64_t edges) {
            const at::Tensor begins = at::arange(rows + 1, at::kLong).mul(edges);
            return secondsIn(Lane::Compute, [&] { lowered.run({begins, store, sourcesThere}); });
        };
        const double all = secondsFor(manyEdges), longer = all - secondsFor(fewEdges);
        rates.edgeRows = longer > all / 4 ? static_cast<double>((manyEdges - fewEdges) * rows) * rowSize / longer  // else something else was measured
                                          : static_cast<double>(manyEdges * rows) * rowSize / all;
        next("calls");
        const at::Tensor few = there({16, 4});
        rates.opSeconds = secondsIn(Lane::Compute, [&] {
            for (std::int64_t i = 0; i < calls; ++i)
                at::relu(few);
        }) / calls;
        rates.source = "measured " + today() + " on " + device.name();
    });
    return rates;
}

namespace {

void measureOnce(Rates& rates, Timing& timing, const std::function<void(const char*)>& next)
{
    const at::Tensor store = at::ones({storeRows, storeWidth});
    const at::Tensor block = at::ones({blockRows, storeWidth}), edges = at::ones({edgeRows, storeWidth});
    next("read");
    std::int64_t first = 0;
    rates.read = blockRows * rowSize / timing.secondsOf([&] { store.narrow(0, (first += blockRows) % storeRows, blockRows).clone(); });
    next("gather");
    std::uint64_t seed = 0;
    at::Tensor sources = randomNodes(edgeRows, storeRows, ++seed);
    rates.gather = edgeRows * rowSize / timing.secondsOf([&] { store.index_select(0, sources); });
    next("write");
    rates.write = storeRows / 4 * rowSize / timing.secondsOf([&] {
        at::Tensor fresh = at::empty({storeRows / 4, storeWidth});
        for (std::int64_t row = 0; row < fresh.size(0); row += blockRows)
            fresh.narrow(0, row, blockRows).copy_(block);
    });
    next("elementwise");
    rates.elementwise = 2 * blockRows * rowSize / timing.secondsOf([&] { at::relu(block); });
    rates.elementwise = std::sqrt(rates.elementwise * 2 * edgeRows * rowSize / timing.secondsOf([&] { at::relu(edges); }));
    next("segment reduce");
    const at::Tensor targets = std::get<0>(randomNodes(edgeRows, blockRows, 3).sort());
    rates.segmentReduce = edgeRows * rowSize / timing.secondsOf([&] {
        at::zeros({blockRows, storeWidth}).scatter_add(0, targets.view({-1, 1}).expand({edgeRows, storeWidth}), edges);
    });
    next("matrix product");
    const at::Tensor weight = at::ones({storeWidth, storeWidth}), bias = at::ones({storeWidth});
    rates.gemm = 2.0 * blockRows * storeWidth * storeWidth / timing.secondsOf([&] { denseLinear(block, weight, bias); });
    next("edge kernels");
    calibrateEdges(rates, store, timing);
    next("slices");
    const at::Tensor index = randomNodes(storeRows * 4, storeRows, 4), ids = std::get<0>(randomNodes(edgeRows, storeRows * 4, 7).sort());
    rates.slice = edgeRows * 8.0 / timing.secondsOf([&] { index.index_select(0, ids); });
    next("numbering");
    rates.number = numberedPerSecond(timing);
    next("calls");
    rates.opSeconds = callSeconds(timing);
}

// What else a machine does makes it slower, for a second or more: of what was measured seconds apart the better counts.
void takeBetter(Rates& rates, const Rates& again)
{
    for (const Field& field : fields)
        rates.*field.rate =
            field.rate == &Rates::opSeconds ? std::min(rates.*field.rate, again.*field.rate) : std::max(rates.*field.rate, again.*field.rate);
}

}  // namespace

Rates calibrate(int threads, const Progress& progress)
{
    RunOptions options;
    options.threads = threads;
    options.check();
    useThreads(options);
    Rates rates;
    Timing timing;
    guarded("The machine cannot be measured", [&] {
        constexpr double steps = 2 * 10;
        int done = 0;
        const auto next = [&](const char* what) { progress.update(done++ / steps, std::string("Measuring ") + what); };
        measureOnce(rates, timing, next);
        Rates again;
        measureOnce(again, timing, next);
        takeBetter(rates, again);
        rates.source = "measured " + today() + " with " + std::to_string(at::get_num_threads()) + " threads" +
                       (timing.wasDisturbed() ? " beside other programs" : "");
    });
    return rates;
}

Rates calibrateAll(int threads, const Progress& progress)
{
    Rates rates = calibrate(threads, progress);
    const std::string name = "cuda";
    if (const std::shared_ptr<Device> device = openDevice(name).device)
        rates.devices[name] = calibrate(*device, progress);
    return rates;
}

std::filesystem::path ratesPath()
{
    const char* config = std::getenv("XDG_CONFIG_HOME");
    const char* home = std::getenv("HOME");
    const std::filesystem::path folder =
        config && *config ? std::filesystem::path(config) : std::filesystem::path(home && *home ? home : ".") / ".config";
    return folder / "cleave" / "rates.json";
}

void writeRates(const std::filesystem::path& path, const Rates& rates)
{
    nlohmann::ordered_json json{{"source", rates.source}};
    for (const Field& field : fields)
        json[field.name] = rates.*field.rate;
    std::map<std::string, DeviceRates> devices = rates.devices;
    try {
        for (const auto& [name, device] : readRates(path).devices)
            devices.try_emplace(name, device);
    } catch (const Error&) {
        // What cannot be read is written anew.
    }
    for (const auto& [name, device] : devices) {
        nlohmann::ordered_json& entry = json["devices"][name] = {{"source", device.source}};
        for (const DeviceField& field : deviceFields)
            entry[field.name] = device.*field.rate;
    }
    makeFolder(path.parent_path());
    writeText(path, json.dump(2) + "\n");
}

Rates readRates(const std::filesystem::path& path)
{
    std::error_code problem;
    if (!std::filesystem::exists(path, problem))
        return {};
    const std::vector<std::byte> bytes = readFile(path, mostOfText);
    const nlohmann::json json = parseJson({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path.string());
    const JsonView view(json, path.filename().string());
    Rates rates;
    rates.source = view.at("source").text();
    for (const Field& field : fields) {
        if (field.mayLack && !json.contains(field.name))
            continue;
        rates.*field.rate = rateIn(view, field.name, path);
    }
    if (const auto devices = view.find("devices"))
        for (const auto& [name, device] : devices->members()) {
            DeviceRates& known = rates.devices[name];
            known.source = device.at("source").text();
            for (const DeviceField& field : deviceFields)
                known.*field.rate = rateIn(device, field.name, path);
        }
    return rates;
}

}  // namespace cleave
