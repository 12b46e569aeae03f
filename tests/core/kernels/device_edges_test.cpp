#include <memory>

#include "core/kernels/device/edge_kernels.h"
#include "core/kernels/device/edge_plan.h"
#include "tests/core/kernels/device_memory.h"
#include "tests/core/kernels/edge_cases.h"

namespace cleave::test {

namespace {

// Rows on the device.
template <class T>
class OnDevice {
public:
    explicit OnDevice(std::size_t count) : m_count(count), m_memory(static_cast<T*>(allocateOnDevice(count * sizeof(T))), freeOnDevice) {}
    OnDevice(const T* data, std::size_t count) : OnDevice(count)
    {
        if (count > 0)
            copyToDevice(m_memory.get(), data, count * sizeof(T));
    }
    explicit OnDevice(const std::vector<T>& data) : OnDevice(data.data(), data.size()) {}

    T* get() const { return m_memory.get(); }
    std::vector<T> read() const
    {
        std::vector<T> data(m_count);
        if (m_count > 0)
            copyFromDevice(data.data(), m_memory.get(), m_count * sizeof(T));
        return data;
    }

private:
    std::size_t m_count;
    std::unique_ptr<T, void (*)(void*)> m_memory;
};

template <class T>
std::vector<std::vector<T>> runOnDevice(const Case<T>& test, const Graph& graph, const device::EdgePlan& plan)
{
    // As a block of a larger graph, whose edges begin somewhere.
    constexpr std::int64_t origin = 1000;
    std::vector<std::int64_t> begins = graph.begin;
    for (std::int64_t& first : begins)
        first += origin;
    const device::LongSegments longSegments = device::findLongSegments({begins.data(), graph.nodes});
    const OnDevice<std::int64_t> begin(begins);
    const OnDevice<std::int32_t> sources(graph.sources);
    const OnDevice<device::LongPiece> pieces(longSegments.pieces);
    const OnDevice<device::LongSegment> segments(longSegments.segments);
    device::Segments block;
    block.begin = begin.get();
    block.origin = origin;
    block.targets = graph.nodes;
    block.edges = graph.edges();
    block.pieces = pieces.get();
    block.pieceCount = static_cast<std::int64_t>(longSegments.pieces.size());
    block.longSegments = segments.get();
    block.longCount = static_cast<std::int64_t>(longSegments.segments.size());

    std::vector<device::EdgeView> views = plan.views;
    std::vector<std::unique_ptr<OnDevice<std::byte>>> operands;
    const std::vector<EdgeArray> arrays = test.arrays(graph);
    for (std::size_t v = 0; v < arrays.size(); ++v) {
        const std::size_t rows = test.rows[v].size() / static_cast<std::size_t>(test.program.operands[v].width);
        operands.push_back(std::make_unique<OnDevice<std::byte>>(static_cast<const std::byte*>(arrays[v].rows),
                                                                 rows * static_cast<std::size_t>(arrays[v].stride) * itemSize(arrays[v].type)));
        views[v].rows = operands.back()->get();
        views[v].type = arrays[v].type;
        views[v].stride = arrays[v].stride;
        views[v].sources = sources.get();
    }
    std::vector<std::unique_ptr<OnDevice<T>>> outputs;
    for (const std::vector<T>& output : test.outputs(graph))
        outputs.push_back(std::make_unique<OnDevice<T>>(output));
    for (const auto& [view, result] : plan.viewOfResult)
        views[static_cast<std::size_t>(view)].rows = outputs[static_cast<std::size_t>(result)]->get();
    const OnDevice<T> scratch(static_cast<std::size_t>(plan.scratch(block.edges, block.pieceCount)));
    T* place = scratch.get();
    for (std::size_t i = 0; i < plan.scratchWidths.size(); ++i) {
        views[static_cast<std::size_t>(plan.viewOfScratch[i])].rows = place;
        place += plan.scratchWidths[i] * block.edges;
    }
    for (const device::EdgeStep& step : plan.steps) {
        T* rows = step.result >= 0 ? outputs[static_cast<std::size_t>(step.result)]->get()
                                   : static_cast<T*>(const_cast<void*>(views[static_cast<std::size_t>(step.view)].rows));
        device::runEdgeStep<T>(step, views.data(), static_cast<int>(views.size()), block, rows, place, nullptr);
    }
    std::vector<std::vector<T>> read;
    for (const auto& output : outputs)
        read.push_back(output->read());
    return read;
}

}  // namespace

// Twice: the same bytes.
template <class T>
void expectRight(const Case<T>& test, const Graph& graph, double tolerance)
{
    if (!hasDevice())
        GTEST_SKIP() << "no GPU";
    test.program.check();
    const auto plan = device::planEdges(test.program, native<T>);
    ASSERT_TRUE(plan.has_value()) << "the program has too many operands";
    const auto wanted = expected<T>(test.program, test.exact, graph);
    const auto outputs = runOnDevice(test, graph, *plan), again = runOnDevice(test, graph, *plan);
    for (std::size_t r = 0; r < outputs.size(); ++r) {
        for (std::size_t i = 0; i < outputs[r].size(); ++i)
            ASSERT_NEAR(outputs[r][i], wanted[r][i], tolerance * (1 + std::fabs(wanted[r][i]))) << "result " << r << ", entry " << i;
        EXPECT_EQ(std::memcmp(outputs[r].data(), again[r].data(), outputs[r].size() * sizeof(T)), 0) << "other bytes in a second run";
    }
}

template void expectRight<float>(const Case<float>&, const Graph&, double);
template void expectRight<double>(const Case<double>&, const Graph&, double);

namespace {

std::int64_t scratchOfEdge(const EdgeProgram& program)
{
    return device::planEdges(program, DType::Float32)->scratch(1, 0);
}

// What several read is kept where it is narrow, and computed anew where it is wide.
TEST(DeviceEdges, KeepNoWideRows)
{
    EdgeProgram gated;  // sum of sigmoid(x_i + x_j) x_j
    gated.operands = {{EdgeRow::Source, 128}, {EdgeRow::Target, 128}};
    gated.code = {{EdgeCode::Add, {0}, {1}, 0, 128}, {EdgeCode::Sigmoid, {2}, {}, 0, 128}, {EdgeCode::Multiply, {3}, {0}, 0, 128}};
    gated.results = {{true, Reduce::Sum, 4}, {true, Reduce::Max, 4}};
    EXPECT_EQ(scratchOfEdge(gated), 0);
    EdgeProgram attention;  // of four heads
    attention.operands = {{EdgeRow::Source, 4}, {EdgeRow::Target, 4}, {EdgeRow::Source, 128}};
    attention.code = {{EdgeCode::Add, {0}, {1}, 0, 4}, {EdgeCode::LeakyRelu, {3}, {}, 0.2, 4}, {EdgeCode::Exp, {4}, {}, 0, 4}};
    attention.results = {{true, Reduce::Sum, 5}, {true, Reduce::Sum, 2, 5}};
    EXPECT_EQ(scratchOfEdge(attention), 4);
    EdgeProgram product;  // of queries and keys
    product.operands = {{EdgeRow::Source, 128}, {EdgeRow::Target, 128}};
    product.code = {{EdgeCode::Multiply, {0}, {1}, 0, 128}, {EdgeCode::SumInner, {2}, {}, 0, 4}};
    product.results = {{true, Reduce::Max, 3}};
    EXPECT_EQ(scratchOfEdge(product), 4);
}

// Longer than a tape, deeper than its stack, and doubled at each step.
TEST(DeviceEdges, ProgramsOfAnyShapeAreCut)
{
    std::mt19937 random(6);
    const Graph graph(random, 40, 4, 20);
    for (const int shape : {0, 1, 2}) {
        Case<double> test;
        test.add(random, EdgeRow::Source, 96, graph, false);
        test.add(random, EdgeRow::Target, 96, graph, false);
        test.add(random, EdgeRow::Edge, 12, graph, false);
        EdgeProgram& p = test.program;
        int last = 0;
        for (int i = 0; i < 40; ++i) {
            const int made = static_cast<int>(p.operands.size() + p.code.size());
            if (shape == 0)
                p.code.push_back({EdgeCode::Tanh, {last}, {}, 0, 96});
            else if (shape == 1)
                p.code.push_back({EdgeCode::Maximum, {2, 8}, {last}, 0, 96});
            else
                p.code.push_back({i % 2 ? EdgeCode::Tanh : EdgeCode::Add, {last}, i % 2 ? EdgeTerm{} : EdgeTerm{last}, 0, 96});
            last = made;
        }
        p.results = {{true, Reduce::Mean, last}, {false, Reduce::Sum, last}, {true, Reduce::Sum, last, 2}};
        expectRight(test, graph, 1e-9);
    }
}

TEST(DeviceEdges, MoreOperandsThanAKernelTakesAreRefused)
{
    EdgeProgram sum;
    sum.operands.assign(device::mostViews + 1, {EdgeRow::Source, 4});
    sum.code.push_back({EdgeCode::Add, {0}, {1}, 0, 4});
    const int last = static_cast<int>(sum.operands.size());
    for (int i = 2; i < last; ++i)
        sum.code.push_back({EdgeCode::Add, {last + i - 2}, {i}, 0, 4});
    sum.results = {{true, Reduce::Sum, last + last - 2}};
    EXPECT_FALSE(device::planEdges(sum, DType::Float32));
}

// Entries of narrow rows that meet wider ones that meet wider ones.
TEST(DeviceEdges, MapsOfMaps)
{
    std::mt19937 random(7);
    const Graph graph(random, 30, 4, 20);
    Case<float> test;
    test.add(random, EdgeRow::Same, 2, graph, false);
    test.add(random, EdgeRow::Edge, 6, graph, false);
    test.add(random, EdgeRow::Source, 24, graph, false);
    test.add(random, EdgeRow::Target, 96, graph, true);
    test.program.code = {{EdgeCode::Add, {0, 1}, {1}, 0, 6},
                         {EdgeCode::Subtract, {4, 4}, {2}, 0, 24},
                         {EdgeCode::Multiply, {5, 1}, {3}, 0, 96},
                         {EdgeCode::Add, {6}, {6}, 0, 96},
                         {EdgeCode::Maximum, {5, 4}, {7}, 0, 96}};
    test.program.results = {{true, Reduce::Min, 8}, {true, Reduce::Sum, 8, 1}, {false, Reduce::Sum, 5}};
    expectRight(test, graph, 1e-4);
}

TEST(DeviceEdges, RowsAreGathered)
{
    if (!hasDevice())
        GTEST_SKIP() << "no GPU";
    std::mt19937 random(8);
    for (const std::int64_t rowBytes : {1, 12, 16, 64, 100, 512}) {
        const std::int64_t stride = rowBytes + (rowBytes % 16 == 0 ? 32 : 5);
        std::vector<std::uint8_t> rows(static_cast<std::size_t>(50 * stride));
        for (std::uint8_t& byte : rows)
            byte = static_cast<std::uint8_t>(random());
        std::vector<std::int32_t> index;
        for (int i = 0; i < 133; ++i)
            index.push_back(static_cast<std::int32_t>(random() % 50));
        const OnDevice<std::uint8_t> from(rows), to(index.size() * static_cast<std::size_t>(rowBytes));
        const OnDevice<std::int32_t> numbers(index);
        device::gatherRows(to.get(), from.get(), rowBytes, stride, numbers.get(), static_cast<std::int64_t>(index.size()), nullptr);
        const std::vector<std::uint8_t> gathered = to.read();
        for (std::size_t i = 0; i < index.size(); ++i)
            ASSERT_EQ(std::memcmp(gathered.data() + i * static_cast<std::size_t>(rowBytes), rows.data() + index[i] * stride,
                                  static_cast<std::size_t>(rowBytes)),
                      0)
                << rowBytes;
    }
}

}  // namespace

}  // namespace cleave::test
