#include "core/graph/generate.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <initializer_list>

#include "core/base/error.h"

namespace cleave {

namespace {

// SplitMix64 (Steele, Lea, Flood 2014): the same numbers on every machine, which the standard library's distributions do not promise.
class Random {
public:
    explicit Random(std::uint64_t seed) : m_state(seed) {}

    std::uint64_t bits()
    {
        std::uint64_t z = m_state += 0x9e3779b97f4a7c15;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
        z = (z ^ z >> 27) * 0x94d049bb133111eb;
        return z ^ z >> 31;
    }

    double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

    // Sum of uniforms (Irwin-Hall): close to normal, and free of libm's rounding.
    float normal()
    {
        double sum = 0;
        for (int i = 0; i < 12; ++i)
            sum += uniform();
        return static_cast<float>(sum - 6);
    }

private:
    std::uint64_t m_state;
};

// Friends with a higher number of each member, after Zachary 1977, figure 1; members are numbered from 0.
const std::array<std::initializer_list<int>, 34> friends{{
    {1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 17, 19, 21, 31}, {2, 3, 7, 13, 17, 19, 21, 30}, {3, 7, 8, 9, 13, 27, 28, 32}, {7, 12, 13},
    {6, 10}, {6, 10, 16}, {16}, {}, {30, 32, 33}, {33}, {}, {}, {}, {33}, {32, 33}, {32, 33}, {}, {}, {32, 33}, {33}, {32, 33}, {},
    {32, 33}, {25, 27, 29, 32, 33}, {25, 27, 31}, {31}, {29, 33}, {33}, {31, 33}, {32, 33}, {32, 33}, {32, 33}, {33}, {}}};

// Who stayed with the instructor (member 0) when the club split.
const std::initializer_list<int> withInstructor{0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 16, 17, 19, 21};

}  // namespace

void RmatOptions::check() const
{
    if (scale < 1 || scale > 28 || edgeFactor < 1 || edgeFactor > 1024 || features < 0 || features > 65536)
        throw Error("An R-MAT graph needs a scale of 1 to 28, 1 to 1,024 edges per node and 0 to 65,536 features.");
    if (!(a >= 0 && b >= 0 && c >= 0 && a + b + c <= 1))
        throw Error("The quadrant probabilities a, b and c of an R-MAT graph must not be negative, nor add up to more than 1.");
}

DataGraph generateRmat(const RmatOptions& options)
{
    options.check();
    DataGraph graph;
    graph.name = "rmat" + std::to_string(options.scale);
    graph.numNodes = std::int64_t{1} << options.scale;
    graph.numEdges = graph.numNodes * options.edgeFactor;
    Random random(options.seed);
    NewArray edges = makeArray(DType::Int64, {2, graph.numEdges});
    auto* source = reinterpret_cast<std::int64_t*>(edges.data);
    auto* target = source + graph.numEdges;
    for (std::int64_t e = 0; e < graph.numEdges; ++e) {
        std::int64_t row = 0, column = 0;
        for (int level = 0; level < options.scale; ++level) {
            const double u = random.uniform();
            const bool down = u >= options.a + options.b;
            const bool right = down ? u >= options.a + options.b + options.c : u >= options.a;
            row = row * 2 + down;
            column = column * 2 + right;
        }
        source[e] = row;
        target[e] = column;
    }
    graph.arrays = {{"edge_index", edges.array}};
    if (options.features == 0)
        return graph;
    NewArray x = makeArray(DType::Float32, {graph.numNodes, options.features});
    auto* values = reinterpret_cast<float*>(x.data);
    for (std::int64_t i = 0; i < x.array.count(); ++i)
        values[i] = random.normal();
    graph.arrays["x"] = x.array;
    return graph;
}

DataGraph karateClub()
{
    DataGraph graph;
    graph.name = "karate";
    graph.numNodes = 34;
    graph.numEdges = 156;
    NewArray edges = makeArray(DType::Int64, {2, 156});
    auto* source = reinterpret_cast<std::int64_t*>(edges.data);
    auto* target = source + 156;
    for (int member = 0; member < 34; ++member)
        for (const int other : friends[static_cast<std::size_t>(member)]) {
            *source++ = member, *target++ = other;
            *source++ = other, *target++ = member;
        }
    NewArray x = makeArray(DType::Float32, {34, 34});
    std::memset(x.data, 0, x.array.bytes());
    for (std::ptrdiff_t i = 0; i < 34; ++i)
        reinterpret_cast<float*>(x.data)[i * 35] = 1;
    NewArray y = makeArray(DType::Int64, {34});
    auto* club = reinterpret_cast<std::int64_t*>(y.data);
    std::fill(club, club + 34, 1);
    for (const int member : withInstructor)
        club[member] = 0;
    graph.labels = y.array;
    graph.arrays = {{"edge_index", edges.array}, {"x", x.array}, {"y", y.array}};
    return graph;
}

}  // namespace cleave
