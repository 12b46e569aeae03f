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

// Every instruction of positive numbers: of what was computed before and an operand, either way round, of two that were computed, and of one thing
// twice.
TYPED_TEST(EdgePrograms, EveryInstructionOfWideRows)
{
    std::mt19937 random(5);
    for (int code = 0; code < static_cast<int>(EdgeCode::SumInner); ++code)
        for (const std::int64_t width : {16, 48, 100, 260}) {
            const auto instruction = static_cast<EdgeCode>(code);
            const bool isBinary = instruction <= EdgeCode::Minimum;
            const Graph graph(random, 40, 4, 30);
            Case<TypeParam> test;
            for (const EdgeRow row : {EdgeRow::Source, EdgeRow::Target, EdgeRow::Same})
                test.add(random, row, width, graph, false);
            EdgeProgram& p = test.program;
            const auto add = [&](EdgeInstruction next) {
                p.code.push_back(next);
                return static_cast<int>(p.operands.size() + p.code.size()) - 1;
            };
            const auto positive = [&](int value) {
                const int bounded = add({EdgeCode::Sigmoid, {value}, {}, 0, width});
                return add({EdgeCode::AddNumber, {bounded}, {}, 0.5, width});
            };
            const int x = positive(0), y = positive(1);
            std::vector<int> values;
            if (isBinary) {
                for (const auto& [p1, p2] : {std::pair{x, y}, {y, x}, {x, x}})
                    values.push_back(add({instruction, {p1}, {p2}, 0, width}));
                if (instruction != EdgeCode::Divide)
                    for (const auto& [p1, p2] : {std::pair{x, 2}, {2, x}})
                        values.push_back(add({instruction, {p1}, {p2}, 0, width}));
                else
                    values.push_back(add({instruction, {2}, {x}, 0, width}));
            } else {
                values.push_back(add({instruction, {x}, {}, 0.75, width}));
                values.push_back(add({EdgeCode::Multiply, {values.back()}, {y}, 0, width}));
            }
            for (const int value : values)
                p.results.push_back({true, static_cast<Reduce>(random() % 4), value});
            const int inner = add({EdgeCode::SumInner, {values.front()}, {}, 0, 4});
            p.results.push_back({false, Reduce::Sum, inner});
            ASSERT_NO_FATAL_FAILURE(expectRight(test, graph, sizeof(TypeParam) == 4 ? 1e-4 : 1e-9)) << "code " << code << ", width " << width;
        }
}

// More than registers have names for: such programs are run as well.
TYPED_TEST(EdgePrograms, LongArithmetic)
{
    std::mt19937 random(6);
    const Graph graph(random, 40, 4, 30);
    for (const int terms : {5, 9, 14}) {
        Case<TypeParam> test;
        for (int i = 0; i < terms; ++i)
            test.add(random, i % 2 ? EdgeRow::Target : EdgeRow::Source, 32, graph, false);
        EdgeProgram& p = test.program;
        // A balanced tree: what is below one half is kept while the other is computed.
        std::vector<int> level(static_cast<std::size_t>(terms));
        std::iota(level.begin(), level.end(), 0);
        while (level.size() > 1) {
            std::vector<int> next;
            for (std::size_t i = 0; i + 1 < level.size(); i += 2) {
                p.code.push_back({random() % 2 ? EdgeCode::Subtract : EdgeCode::Maximum, {level[i]}, {level[i + 1]}, 0, 32});
                next.push_back(static_cast<int>(p.operands.size() + p.code.size()) - 1);
            }
            if (level.size() % 2)
                next.push_back(level.back());
            level = next;
        }
        p.results = {{true, Reduce::Sum, level.front()}};
        ASSERT_NO_FATAL_FAILURE(expectRight(test, graph, sizeof(TypeParam) == 4 ? 1e-4 : 1e-9)) << terms << " terms";
    }
}

// Messages of published layers, most of which have loops of their own: operands 0 to 2 of any kind of row, and 3 with one number or one a head; at
// widths that fill the registers, leave some of them over and end in a part of one.
TYPED_TEST(EdgePrograms, UsualMessages)
{
    using enum EdgeCode;
    const auto of = [](EdgeCode code, int x, int y) -> EdgeInstruction { return {code, {x}, {y}}; };
    const auto by = [](EdgeCode code, int x, double number) -> EdgeInstruction { return {code, {x}, {}, number}; };
    const std::vector<std::vector<EdgeInstruction>> messages{
        {of(Add, 0, 1)},
        {of(Subtract, 0, 1)},
        {of(Multiply, 0, 1)},
        {of(Multiply, 0, 1), of(Multiply, 4, 2)},
        {of(Add, 0, 1), by(Relu, 4, 0)},
        {of(Add, 0, 1), of(Add, 4, 2), by(Relu, 5, 0)},
        {of(Add, 0, 1), by(Relu, 4, 0), by(AddNumber, 5, 0.25)},
        {of(Add, 0, 1), by(LeakyRelu, 4, 0.2), of(Multiply, 5, 2)},
        {of(Add, 0, 1), of(Add, 4, 2), by(LeakyRelu, 5, 0.2), of(Multiply, 6, 1)},
        {of(Add, 0, 1), by(Sigmoid, 4, 0), of(Multiply, 5, 2)},
        {of(Add, 0, 1), of(Add, 4, 2), by(Sigmoid, 5, 0), of(Multiply, 6, 0)},
        {by(Relu, 0, 0), of(Multiply, 4, 3)},
        {of(Add, 0, 1), of(Multiply, 4, 3)},
        {of(Subtract, 0, 1), of(Multiply, 4, 3)},
        {of(Add, 0, 1), by(Relu, 4, 0), of(Multiply, 5, 3)},
        {of(Subtract, 0, 1), by(Square, 4, 0), of(Multiply, 5, 3)},  // step by step
    };
    std::mt19937 random(6);
    for (const std::int64_t heads : {1, 2, 3, 4, 8, 16})
        for (const std::int64_t channels : {2, 6, 8, 12, 16, 32, 64, 100}) {
            const std::int64_t width = heads * channels;
            if (width < 16 || width > 400)
                continue;
            for (const std::vector<EdgeInstruction>& message : messages) {
                const Graph graph(random, 30, 4, 40);
                Case<TypeParam> test;
                EdgeProgram& p = test.program;
                const EdgeRow rows[] = {EdgeRow::Source, EdgeRow::Target, EdgeRow::Edge, EdgeRow::Same};
                test.add(random, EdgeRow::Source, width, graph, false);
                test.add(random, rows[random() % 4], width, graph, false);
                test.add(random, rows[random() % 4], width, graph, false);
                test.add(random, EdgeRow::Edge, random() % 2 ? heads : 1, graph, false);
                for (EdgeInstruction in : message) {
                    in.width = width;
                    if (in.y.value == 3)
                        in.y.repeat = width / p.width(3);
                    p.code.push_back(in);
                }
                const int last = static_cast<int>(p.operands.size() + p.code.size()) - 1;
                p.code.push_back({EdgeCode::SumInner, {last}, {}, 0, heads});
                p.results = {{true, static_cast<Reduce>(random() % 4), last}, {false, Reduce::Sum, last + 1}};
                ASSERT_NO_FATAL_FAILURE(expectRight(test, graph, sizeof(TypeParam) == 4 ? 1e-3 : 1e-9)) << heads << " heads of " << channels;
            }
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
