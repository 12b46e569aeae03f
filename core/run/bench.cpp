#include "core/run/bench.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <set>

#include "core/base/error.h"
#include "core/base/format.h"
#include "core/base/parallel.h"
#include "core/base/stopwatch.h"
#include "core/graph/blocks.h"
#include "core/graph/generate.h"
#include "core/kernels/edge_program.h"
#include "core/run/bind.h"
#include "core/run/dense.h"
#include "core/run/side_by_side.h"
#include "core/run/tensors.h"

namespace cleave {

namespace {

constexpr int rounds = 5;

double triadBytesPerSecond(int threads)
{
    constexpr std::int64_t count = std::int64_t{1} << 25, pieces = 64;
    at::Tensor out = at::zeros({count}, at::kDouble);
    const at::Tensor x = at::ones({count}, at::kDouble), y = at::ones({count}, at::kDouble);
    const Primitives<double>& primitive = primitives<double>(bestIsa());
    double best = 0;
    for (int round = 0; round < rounds; ++round) {
        const double seconds = secondsOf([&] {
            parallelFor(pieces, threads, [&](std::int64_t i, int) {
                const std::int64_t first = i * (count / pieces);
                primitive.triad(out.data_ptr<double>() + first, x.data_ptr<double>() + first, y.data_ptr<double>() + first, 3, count / pieces);
            });
        });
        best = std::max(best, 3 * 8.0 * count / seconds);
    }
    return best;
}

// The ways to aggregate, on one graph.
class Aggregations {
public:
    Aggregations(const BenchOptions& options, const Progress& progress) : m_width(options.width)
    {
        progress.update(0, "Generating the graph");
        RmatOptions rmat;
        rmat.scale = options.scale;
        rmat.features = 0;
        const DataGraph graph = generateRmat(rmat);
        m_nodes = graph.numNodes;
        m_edges = graph.numEdges;
        const auto* source = graph.arrays.at("edge_index").as<std::int64_t>();
        m_grouped = groupBySegment({source + m_edges, static_cast<std::size_t>(m_edges)}, m_nodes, at::get_num_threads());
        m_sources = at::empty({m_edges}, at::kInt);
        m_sourcesLong = at::empty({m_edges}, at::kLong);
        m_targets = at::empty({m_edges}, at::kLong);
        for (std::int64_t t = 0; t < m_nodes; ++t)
            for (std::int64_t e = m_grouped.begin[static_cast<std::size_t>(t)]; e < m_grouped.begin[static_cast<std::size_t>(t) + 1]; ++e) {
                m_sourcesLong.data_ptr<std::int64_t>()[e] = source[m_grouped.edges[static_cast<std::size_t>(e)]];
                m_sources.data_ptr<std::int32_t>()[e] = static_cast<std::int32_t>(m_sourcesLong.data_ptr<std::int64_t>()[e]);
                m_targets.data_ptr<std::int64_t>()[e] = t;
            }
        m_x = at::rand({m_nodes, m_width});
        m_half = m_x.to(at::kBFloat16);
        m_weights = at::rand({m_edges, heads});
        m_out = at::zeros({m_nodes, m_width});
        m_scores = at::zeros({m_edges, heads});
    }

    std::int64_t nodes() const { return m_nodes; }
    std::int64_t edges() const { return m_edges; }

    std::int64_t mostEdges() const
    {
        std::int64_t most = 0;
        for (std::size_t t = 1; t < m_grouped.begin.size(); ++t)
            most = std::max(most, m_grouped.begin[t] - m_grouped.begin[t - 1]);
        return most;
    }

    struct Way {
        std::string name;
        double bytes = 0;
        bool isRival = false;
        std::function<void(int threads)> run;
    };

    std::vector<Way> ways(bool rivals)
    {
        const double rows = static_cast<double>(m_edges + m_nodes) * static_cast<double>(m_width) * 4;
        const double index = static_cast<double>(m_edges) * 4 + static_cast<double>(m_nodes) * 8, perEdge = static_cast<double>(m_edges) * 4;
        const EdgeOperand wide{EdgeRow::Source, m_width};
        const double halfRows = static_cast<double>(m_edges * 2 + m_nodes * 4) * static_cast<double>(m_width);
        std::vector<Way> all{
            {"mean", rows + index, false, program({{wide}, {}, {{true, Reduce::Mean, 0}}}, {m_x})},
            {"max", rows + index, false, program({{wide}, {}, {{true, Reduce::Max, 0}}}, {m_x})},
            {"weighted sum", rows + index + perEdge, false,
             program({{wide, {EdgeRow::Edge, 1}}, {}, {{true, Reduce::Sum, 0, 1}}}, {m_x, m_weights.narrow(1, 0, 1).contiguous()})},
            {"weighted sum, 4 heads", rows + index + heads * perEdge, false,
             program({{wide, {EdgeRow::Edge, heads}}, {}, {{true, Reduce::Sum, 0, 1}}}, {m_x, m_weights})},
            {"sum of relu(x_i + x_j)", rows + index + static_cast<double>(m_nodes * m_width) * 4, false,
             program({{wide, {EdgeRow::Target, m_width}},
                      {{EdgeCode::Add, {0}, {1}, 0, m_width}, {EdgeCode::Relu, {2}, {}, 0, m_width}},
                      {{true, Reduce::Sum, 3}}},
                     {m_x, m_x})},
            {"sum of sigmoid(x_i + x_j) x_j", rows + index + static_cast<double>(m_nodes * m_width) * 4, false,
             program({{wide, {EdgeRow::Target, m_width}},
                      {{EdgeCode::Add, {0}, {1}, 0, m_width}, {EdgeCode::Sigmoid, {2}, {}, 0, m_width}, {EdgeCode::Multiply, {3}, {0}, 0, m_width}},
                      {{true, Reduce::Sum, 4}}},
                     {m_x, m_x})},
            {"scores a · leaky_relu(x_i + x_j), 4 heads", rows + index + heads * perEdge, false,
             program({{wide, {EdgeRow::Target, m_width}, {EdgeRow::Same, m_width}},
                      {{EdgeCode::Add, {0}, {1}, 0, m_width},
                       {EdgeCode::LeakyRelu, {3}, {}, 0.2, m_width},
                       {EdgeCode::Multiply, {4}, {2}, 0, m_width},
                       {EdgeCode::SumInner, {5}, {}, 0, heads}},
                      {{false, Reduce::Sum, 6}}},
                     {m_x, m_x, m_x.narrow(0, 0, 1)}, m_scores)},
            {"mean of bfloat16 rows", halfRows + index, false, program({{wide}, {}, {{true, Reduce::Mean, 0}}}, {m_half})}};
        if (m_width % heads != 0)
            std::erase_if(all, [](const Way& way) { return way.name.ends_with("4 heads"); });
        if (rivals)
            addRivals(all, rows + index);
        return all;
    }

private:
    static constexpr std::int64_t heads = 4;

    std::function<void(int)> program(EdgeProgram p, std::vector<at::Tensor> operands) { return program(std::move(p), std::move(operands), m_out); }

    std::function<void(int)> program(EdgeProgram p, std::vector<at::Tensor> operands, const at::Tensor& out)
    {
        return [this, p = std::move(p), operands = std::move(operands), out](int threads) {
            std::vector<EdgeArray> arrays;
            for (const at::Tensor& operand : operands)
                arrays.push_back(
                    {operand.data_ptr(), dtypeOf(operand.scalar_type()), operand.size(1), m_sources.data_ptr<std::int32_t>(), operand.size(0)});
            runEdgeProgram<float>(p, arrays, {m_grouped.begin.data(), m_nodes}, {out.data_ptr<float>()}, {threads, bestIsa()});
        };
    }

    void addRivals(std::vector<Way>& all, double bytes)
    {
        at::Tensor begin = at::from_blob(m_grouped.begin.data(), {m_nodes + 1}, at::kLong);
        all.push_back({"embedding_bag (mean)", bytes, true, [this, begin](int threads) {
                           useTorchThreads(threads);
                           at::embedding_bag(m_x, m_sourcesLong, begin.narrow(0, 0, m_nodes), false, 1);
                       }});
        const at::Tensor matrix = at::_sparse_csr_tensor_unsafe(begin, m_sourcesLong, at::ones({m_edges}), {m_nodes, m_nodes}, at::kFloat);
        all.push_back({"product with a sparse CSR matrix", bytes, true, [this, matrix](int threads) {
                           useTorchThreads(threads);
                           at::matmul(matrix, m_x);
                       }});
        all.push_back({"index_select + scatter_add_, in chunks", bytes, true, [this](int threads) {
                           useTorchThreads(threads);
                           constexpr std::int64_t chunk = 1 << 18;
                           at::Tensor out = at::zeros({m_nodes, m_width});
                           for (std::int64_t e = 0; e < m_edges; e += chunk) {
                               const std::int64_t count = std::min(chunk, m_edges - e);
                               out.scatter_add_(0, m_targets.narrow(0, e, count).view({-1, 1}).expand({count, m_width}),
                                                m_x.index_select(0, m_sourcesLong.narrow(0, e, count)));
                           }
                       }});
    }

    std::int64_t m_width, m_nodes = 0, m_edges = 0;
    EdgesBySegment m_grouped;
    at::Tensor m_sources, m_sourcesLong, m_targets, m_x, m_half, m_weights, m_out, m_scores;
};

}  // namespace

void BenchOptions::check() const
{
    if (scale < 8 || scale > 26 || width < 1 || width > 4096 || threads < 0 || threads > 4096)
        throw Error("A benchmark needs a scale of 8 to 26, 1 to 4,096 features and at most 4,096 threads.");
}

std::string processorName()
{
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with("model name"))
            return line.substr(std::min(line.size(), line.find(':') + 2));
    return "unknown processor";
}

KernelBench benchKernels(const BenchOptions& options, const Progress& progress)
{
    options.check();
    RunOptions run;
    run.threads = options.threads;
    useThreads(run);
    const int most = at::get_num_threads();
    KernelBench bench;
    guarded("The kernels cannot be measured", [&] {
        bench.processor = processorName();
        bench.instructions = isaName(bestIsa());
        bench.dense = denseText();
        std::set<int> threads{1, most};
        for (const int count : threads) {
            progress.update(0, "Measuring memory bandwidth");
            bench.triad.emplace_back(count, triadBytesPerSecond(count));
        }
        Aggregations graph(options, progress);
        bench.nodes = graph.nodes();
        bench.edges = graph.edges();
        bench.width = options.width;
        bench.mostEdges = graph.mostEdges();
        const auto ways = graph.ways(options.rivals);
        for (const auto& way : ways)
            for (const int count : threads)
                if (!way.isRival || count == most)
                    bench.times.push_back({way.name, count, 1e300, way.bytes, 0, way.isRival});
        for (int round = 0; round < rounds; ++round) {
            ways.front().run(1);  // whoever comes after the rivals waits for what they gave back
            for (KernelTime& time : bench.times) {
                progress.update(static_cast<double>(round) / rounds, "Measuring " + time.name);
                const auto way = std::ranges::find(ways, time.name, &Aggregations::Way::name);
                // Rivals take seconds: two rounds tell as much.
                if (!time.isRival || round < 2)
                    time.seconds = std::min(time.seconds, secondsOf([&] { way->run(time.threads); }));
            }
        }
        useTorchThreads(most);
        for (KernelTime& time : bench.times)
            for (const auto& [count, rate] : bench.triad)
                if (count == time.threads && !time.isRival)
                    time.ofTriad = time.bytes / time.seconds / rate;
    });
    return bench;
}

std::vector<RunTime> benchRuns(const Model& model, const DataGraph& graph, const RunOptions& options, int roundCount, bool rivals,
                               const Progress& progress)
{
    std::vector<RunTime> times{{"Cleave"}};
    if (rivals)
        times.push_back({"the same batches by LibTorch's ops"});
    if (options.memoryBytes > 0)
        times.push_back({"Cleave, in " + formatBytes(static_cast<double>(options.memoryBytes)) + " of memory"});
    for (int round = 0; round < roundCount; ++round)
        for (std::size_t way = 0; way < times.size(); ++way) {
            const bool isRival = rivals && way == 1;
            RunOptions chosen = options;
            if (way == 0 || isRival)
                chosen.memoryBytes = 0;
            if (isRival) {
                chosen.kernels = Kernels::None;
                chosen.batchesAtOnce = 1;
            }
            const RunResult result = runLayerWise(model, graph, chosen, progress);
            if (RunTime& best = times[way]; round == 0 || result.seconds < best.seconds)
                best = {best.name,
                        result.seconds,
                        result.prologueSeconds,
                        result.boundBytes > 0 ? result.residentBytes : result.peakBytes,
                        result.batchSize,
                        round == 0 ? result.notices : best.notices};
        }
    return times;
}

}  // namespace cleave
