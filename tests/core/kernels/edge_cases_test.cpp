#include "tests/core/kernels/edge_cases.h"

/// Compiled into the tests of each that runs edge programs.
namespace cleave::test {
namespace {

template <class T>
class EdgePrograms : public testing::Test {};
using Floats = testing::Types<float, double>;
TYPED_TEST_SUITE(EdgePrograms, Floats);

TYPED_TEST(EdgePrograms, ReduceRowsOfAnyWidth)
{
    std::mt19937 random(1);
    for (const std::int64_t width : {1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 64, 100, 128, 129, 200, 256, 257, 300})
        for (const Reduce reduce : {Reduce::Sum, Reduce::Mean, Reduce::Max, Reduce::Min}) {
            const Graph graph(random, 60, 5, 40);
            for (const EdgeRow row : {EdgeRow::Source, EdgeRow::Edge}) {
                Case<TypeParam> test;
                test.add(random, row, width, graph, sizeof(TypeParam) == 4 && random() % 3 == 0);
                test.program.results = {{true, reduce, 0, -1, random() % 2 == 0, reduce == Reduce::Max ? 0.25 : -0.25, 0}};
                if (reduce == Reduce::Mean || reduce == Reduce::Sum)
                    test.program.results.front().fromInitial = false;
                expectRight(test, graph, 1e-4);
            }
        }
}

TYPED_TEST(EdgePrograms, WeighRowsPerEdgeAndPerHead)
{
    std::mt19937 random(2);
    for (const std::int64_t heads : {1, 2, 3, 4, 8, 16, 17, 40})
        for (const std::int64_t channels : {1, 2, 5, 8, 16, 32, 50}) {
            const Graph graph(random, 40, 4, 30);
            Case<TypeParam> test;
            test.add(random, EdgeRow::Source, heads * channels, graph, sizeof(TypeParam) == 4 && random() % 3 == 0);
            test.add(random, EdgeRow::Edge, heads, graph, false);
            test.program.results = {{true, random() % 2 ? Reduce::Sum : Reduce::Max, 0, 1, false, 0, 0}};
            expectRight(test, graph, 1e-4);
        }
}

TYPED_TEST(EdgePrograms, LongSegmentsAreReducedInPieces)
{
    std::mt19937 random(3);
    const Graph graph(random, 50, 3, 150'000);
    for (const Reduce reduce : {Reduce::Sum, Reduce::Mean, Reduce::Max, Reduce::Min}) {
        Case<TypeParam> test;
        test.add(random, EdgeRow::Source, 5, graph, false);
        test.add(random, EdgeRow::Target, 5, graph, false);
        test.program.code = {{EdgeCode::Add, {0}, {1}, 0, 5}};
        test.program.results = {{true, reduce, 0}, {true, reduce, 2}, {false, Reduce::Sum, 2}};
        expectRight(test, graph, sizeof(TypeParam) == 4 ? 1e-3 : 1e-9);
    }
}

// Every instruction, alone and after others, with every way of meeting a narrower operand.
TYPED_TEST(EdgePrograms, RandomArithmetic)
{
    std::mt19937 random(4);
    const auto any = [&](int count) { return static_cast<int>(random() % static_cast<unsigned>(count)); };
    for (int round = 0; round < 300; ++round) {
        const Graph graph(random, 20 + any(60), 1 + any(8), any(200));
        const std::int64_t heads = 1 + any(5), channels = 1 + any(40), width = heads * channels;
        Case<TypeParam> test;
        for (const EdgeRow row : {EdgeRow::Edge, EdgeRow::Source, EdgeRow::Target, EdgeRow::Same})
            test.add(random, row, any(2) ? width : any(2) ? heads : 1, graph, sizeof(TypeParam) == 4 && any(4) == 0);
        EdgeProgram& p = test.program;
        for (int i = 0; i < 1 + any(5); ++i) {
            const int values = static_cast<int>(p.operands.size() + p.code.size());
            // Numbers stay small: what is not bounded is put through a sigmoid or a hyperbolic tangent.
            const auto term = [&](std::int64_t w) -> EdgeTerm {
                for (;;) {
                    const int v = any(values);
                    if (w % p.width(v) == 0)
                        return {v, p.width(v) == w ? 1 : p.width(v) == 1 ? w : any(2) || w / p.width(v) * p.width(v) != w ? w / p.width(v) : 1};
                }
            };
            switch (any(3)) {
            case 0: p.code.push_back({static_cast<EdgeCode>(any(3)), term(width), term(width), 0, width}); break;
            case 1: {
                const EdgeCode bounded[] = {EdgeCode::Sigmoid, EdgeCode::Tanh, EdgeCode::Relu, EdgeCode::LeakyRelu, EdgeCode::ClampMax,
                                            EdgeCode::ClampMin, EdgeCode::Elu, EdgeCode::Gelu, EdgeCode::Softplus, EdgeCode::Negate,
                                            EdgeCode::NumberMinus, EdgeCode::AddNumber, EdgeCode::MultiplyNumber, EdgeCode::Absolute};
                p.code.push_back({bounded[any(std::size(bounded))], term(width), {}, 0.5, width});
                break;
            }
            default:
                p.code.push_back({EdgeCode::Tanh, term(width), {}, 0, width});
                p.code.push_back({EdgeCode::SumInner, {static_cast<int>(p.operands.size() + p.code.size()) - 1}, {}, 0, heads});
            }
        }
        const int last = static_cast<int>(p.operands.size() + p.code.size()) - 1;
        p.results = {{true, static_cast<Reduce>(any(4)), last}, {false, Reduce::Sum, last}};
        if (p.width(0) != width && width % p.width(0) == 0 && p.width(1) == width)
            p.results.push_back({true, Reduce::Sum, 1, 0});
        ASSERT_NO_FATAL_FAILURE(expectRight(test, graph, sizeof(TypeParam) == 4 ? 2e-3 : 1e-9)) << "round " << round;
    }
}

}  // namespace
}  // namespace cleave::test
