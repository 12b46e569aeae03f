// Kernels for GPUs against the bandwidth of the device and of the bus, on an R-MAT graph of 2^scale nodes with 16 edges each and 128 features:
//
//     cuda_bench [scale, 20 unless said]
//
// Prints a table in Markdown, with the largest difference from the kernels of the CPU.

#include <cuda_runtime_api.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "core/kernels/device/edge_kernels.h"
#include "core/kernels/device/edge_plan.h"

namespace {

using namespace cleave;

constexpr std::int64_t width = 128, heads = 4;
constexpr int rounds = 20;

void check(cudaError_t problem)
{
    if (problem != cudaSuccess)
        throw std::runtime_error(cudaGetErrorString(problem));
}

template <class T>
class OnDevice {
public:
    explicit OnDevice(std::size_t count) : m_count(count) { check(cudaMalloc(&m_memory, std::max<std::size_t>(count, 1) * sizeof(T))); }
    explicit OnDevice(const std::vector<T>& data) : OnDevice(data.size())
    {
        check(cudaMemcpy(m_memory, data.data(), data.size() * sizeof(T), cudaMemcpyHostToDevice));
    }
    ~OnDevice() { cudaFree(m_memory); }
    OnDevice(const OnDevice&) = delete;
    OnDevice& operator=(const OnDevice&) = delete;

    T* get() const { return static_cast<T*>(m_memory); }
    std::vector<T> read() const
    {
        std::vector<T> data(m_count);
        check(cudaMemcpy(data.data(), m_memory, m_count * sizeof(T), cudaMemcpyDeviceToHost));
        return data;
    }

private:
    std::size_t m_count;
    void* m_memory = nullptr;
};

struct Pinned {
    explicit Pinned(std::size_t bytes) { check(cudaHostAlloc(&memory, bytes, cudaHostAllocMapped)); }
    ~Pinned() { cudaFreeHost(memory); }
    Pinned(const Pinned&) = delete;
    Pinned& operator=(const Pinned&) = delete;
    void* memory = nullptr;
};

// The fastest of some rounds, by the device's own clock.
double secondsOf(const std::function<void()>& work)
{
    cudaEvent_t begin, end;
    check(cudaEventCreate(&begin));
    check(cudaEventCreate(&end));
    float best = 1e30F;
    for (int round = 0; round < rounds; ++round) {
        check(cudaEventRecord(begin));
        work();
        check(cudaEventRecord(end));
        check(cudaEventSynchronize(end));
        float milliseconds = 0;
        check(cudaEventElapsedTime(&milliseconds, begin, end));
        best = std::min(best, milliseconds);
    }
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    return best / 1e3;
}

struct Graph {
    std::vector<std::int64_t> begin;
    std::vector<std::int32_t> sources;
};

Graph rmat(int scale)
{
    const std::int64_t nodes = std::int64_t{1} << scale, edges = 16 * nodes;
    std::mt19937_64 random(1);
    std::vector<std::int32_t> from(static_cast<std::size_t>(edges)), to(from.size());
    for (std::size_t e = 0; e < from.size(); ++e)
        for (int bit = 0; bit < scale; ++bit) {
            const std::uint64_t part = random() % 100;
            from[e] = from[e] * 2 + (part >= 76);
            to[e] = to[e] * 2 + ((part >= 57 && part < 76) || part >= 95);
        }
    Graph graph{std::vector<std::int64_t>(static_cast<std::size_t>(nodes) + 1), std::vector<std::int32_t>(from.size())};
    for (const std::int32_t target : to)
        ++graph.begin[static_cast<std::size_t>(target) + 1];
    for (std::size_t t = 0; t < static_cast<std::size_t>(nodes); ++t)
        graph.begin[t + 1] += graph.begin[t];
    std::vector<std::int64_t> next = graph.begin;
    for (std::size_t e = 0; e < from.size(); ++e)
        graph.sources[static_cast<std::size_t>(next[static_cast<std::size_t>(to[e])]++)] = from[e];
    return graph;
}

void run(int scale)
{
    cudaDeviceProp device{};
    check(cudaGetDeviceProperties(&device, 0));
    std::printf("%s, %d multiprocessors, %.0f GB\n\n", device.name, device.multiProcessorCount, static_cast<double>(device.totalGlobalMem) / 1e9);

    constexpr std::size_t large = std::size_t{1} << 30;
    const OnDevice<std::byte> a(large), b(large);
    const Pinned host(large);
    const double copied =
        2 * static_cast<double>(large) / secondsOf([&] { check(cudaMemcpyAsync(a.get(), b.get(), large, cudaMemcpyDeviceToDevice)); });
    const double toDevice =
        static_cast<double>(large) / secondsOf([&] { check(cudaMemcpyAsync(a.get(), host.memory, large, cudaMemcpyHostToDevice)); });
    const double toHost =
        static_cast<double>(large) / secondsOf([&] { check(cudaMemcpyAsync(host.memory, a.get(), large, cudaMemcpyDeviceToHost)); });
    std::printf("Copies on the device %.0f GB/s (read and written), to it %.1f GB/s, from it %.1f GB/s, from pinned memory\n\n", copied / 1e9,
                toDevice / 1e9, toHost / 1e9);

    const Graph graph = rmat(scale);
    const auto nodes = static_cast<std::int64_t>(graph.begin.size()) - 1, edges = graph.begin.back();
    const EdgeBlock block{graph.begin.data(), nodes};
    std::mt19937 random(2);
    std::vector<float> x(static_cast<std::size_t>(nodes * width)), weights(static_cast<std::size_t>(edges * heads));
    for (float& entry : x)
        entry = static_cast<float>(random() % 2001) / 1000 - 1;
    for (float& entry : weights)
        entry = static_cast<float>(random() % 1000) / 1000;
    std::vector<std::uint16_t> half;
    for (const float entry : x)
        half.push_back(static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(entry) >> 16));

    const OnDevice<std::int64_t> begin(graph.begin);
    const OnDevice<std::int32_t> sources(graph.sources);
    const OnDevice<float> rows(x), edgeWeights(weights), out(static_cast<std::size_t>(nodes * width));
    const OnDevice<std::uint16_t> halves(half);
    const device::LongSegments found = device::findLongSegments(block);
    const OnDevice<device::LongPiece> pieces(found.pieces);
    const OnDevice<device::LongSegment> longSegments(found.segments);
    device::Segments segments;
    segments.begin = begin.get();
    segments.targets = nodes;
    segments.edges = edges;
    segments.pieces = pieces.get();
    segments.pieceCount = static_cast<std::int64_t>(found.pieces.size());
    segments.longSegments = longSegments.get();
    segments.longCount = static_cast<std::int64_t>(found.segments.size());

    struct Operand {
        const void *onDevice, *onHost;
        DType type;
    };
    const Operand wide{rows.get(), x.data(), DType::Float32}, narrow{halves.get(), half.data(), DType::BFloat16},
        perEdge{edgeWeights.get(), weights.data(), DType::Float32};
    struct Way {
        const char* name;
        EdgeProgram program;
        std::vector<Operand> operands;
        double bytes;
    };
    const double e = static_cast<double>(edges), n = static_cast<double>(nodes), row = 4.0 * width, index = 4 * e + 8 * n,
                 all = (e + n) * row + index;
    const EdgeOperand ofSources{EdgeRow::Source, width};
    const std::vector<Way> ways{
        {"mean", {{ofSources}, {}, {{true, Reduce::Mean, 0}}}, {wide}, all},
        {"max", {{ofSources}, {}, {{true, Reduce::Max, 0}}}, {wide}, all},
        {"weighted sum, 4 heads", {{ofSources, {EdgeRow::Edge, heads}}, {}, {{true, Reduce::Sum, 0, 1}}}, {wide, perEdge}, all + 4 * heads * e},
        {"sum of relu(x_i + x_j)",
         {{ofSources, {EdgeRow::Target, width}},
          {{EdgeCode::Add, {0}, {1}, 0, width}, {EdgeCode::Relu, {2}, {}, 0, width}},
          {{true, Reduce::Sum, 3}}},
         {wide, wide},
         all + n * row},
        {"mean of bfloat16 rows", {{ofSources}, {}, {{true, Reduce::Mean, 0}}}, {narrow}, e * row / 2 + n * row + index}};

    std::printf(
        "R-MAT of %lld nodes, %lld edges, %lld features\n\n| aggregation | milliseconds | logical GB/s | of a copy | largest difference from the CPU |\n|---|---|---|---|---|\n",
        static_cast<long long>(nodes), static_cast<long long>(edges), static_cast<long long>(width));
    std::vector<float> wanted(x.size());
    for (const Way& way : ways) {
        const auto plan = device::planEdges(way.program, DType::Float32);
        std::vector<device::EdgeView> views = plan->views;
        std::vector<EdgeArray> arrays;
        for (std::size_t v = 0; v < way.operands.size(); ++v) {
            views[v].rows = way.operands[v].onDevice;
            views[v].type = way.operands[v].type;
            views[v].sources = sources.get();
            arrays.push_back({way.operands[v].onHost, way.operands[v].type, way.program.operands[v].width, graph.sources.data()});
        }
        const OnDevice<float> scratch(static_cast<std::size_t>(plan->scratch(edges, segments.pieceCount)));
        const double seconds = secondsOf([&] {
            for (const device::EdgeStep& step : plan->steps)
                device::runEdgeStep<float>(step, views.data(), static_cast<int>(views.size()), segments, out.get(), scratch.get(), nullptr);
        });
        runEdgeProgram<float>(way.program, arrays, block, {wanted.data()}, {static_cast<int>(std::thread::hardware_concurrency()), bestIsa()});
        const std::vector<float> got = out.read();
        double most = 0;
        for (std::size_t i = 0; i < got.size(); ++i)
            most = std::max(most, std::fabs(static_cast<double>(got[i]) - wanted[i]) / (1 + std::fabs(static_cast<double>(wanted[i]))));
        std::printf("| %s | %.2f | %.0f | %.2f × | %.1e |\n", way.name, seconds * 1e3, way.bytes / seconds / 1e9, way.bytes / seconds / copied, most);
    }

    // As many rows as fit, at random, over the bus.
    const auto hostRows = static_cast<std::int64_t>(large / 512), count = hostRows / 2;
    std::vector<std::int32_t> picked(static_cast<std::size_t>(count));
    for (std::int32_t& entry : picked)
        entry = static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(hostRows));
    const OnDevice<std::int32_t> numbers(picked);
    const double seconds = secondsOf([&] { device::gatherRows(a.get(), host.memory, 512, 512, numbers.get(), count, nullptr); });
    const double rate = 512.0 * static_cast<double>(count) / seconds;
    std::printf("\nRows of 512 bytes gathered from pinned memory: %.1f GB/s = %.2f × a copy to the device\n", rate / 1e9, rate / toDevice);
}

}  // namespace

int main(int count, char** arguments)
{
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        std::fprintf(stderr, "There is no GPU that CUDA knows of.\n");
        return 1;
    }
    try {
        run(count > 1 ? std::clamp(std::atoi(arguments[1]), 8, 24) : 20);
    } catch (const std::exception& problem) {
        std::fprintf(stderr, "%s\n", problem.what());
        return 1;
    }
    return 0;
}
