#include "core/run/choice.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <limits>

#include "core/run/model.h"
#include "core/run/tensors.h"
#include "tests/core/run/zoo_files.h"
#include "tests/core/test_files.h"

namespace cleave {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

at::Tensor ids(std::vector<std::int64_t> numbers, std::vector<std::int64_t> sizes)
{
    return at::tensor(numbers, at::kLong).reshape(sizes);
}

at::Tensor gaps(std::vector<double> numbers, std::vector<std::int64_t> sizes)
{
    return at::tensor(numbers, at::kDouble).reshape(sizes);
}

Model openAdversarial(const std::string& name)
{
    return openModel(test::testDir() / "models/adversarial" / (name + ".pt2"));
}

}  // namespace

TEST(Choice, EqualScoresMayBeChosenEitherWay)
{
    const at::Tensor scores = at::tensor({3.0, 1.0, 3.0, 2.0, 5.0, 4.0, 4.0, 0.0}).reshape({2, 4});
    const Choice best{{}, 1, true, true};
    EXPECT_TRUE(at::equal(gapsOfChosen(best, scores, ids({0, 2, 4 - 4, 1}, {2, 2}), ids({2, 0, 0, 2}, {2, 2})), gaps({0, 0, 0, 0}, {2, 2})));
    EXPECT_TRUE(at::equal(gapsOfChosen(best, scores, ids({0, 1, 0, 1}, {2, 2}), ids({2, 0, 0, 2}, {2, 2})), gaps({0, 2, 0, 0}, {2, 2})));
    EXPECT_TRUE(at::equal(gapsOfChosen(best, scores, ids({0, 0, 0, 1}, {2, 2}), ids({2, 0, 0, 2}, {2, 2})), gaps({infinity, infinity, 0, 0}, {2, 2})))
        << "one of them twice";
    EXPECT_TRUE(
        at::equal(gapsOfChosen(best, scores, ids({0, 4, 0, -1}, {2, 2}), ids({2, 0, 0, 2}, {2, 2})), gaps({0, infinity, 0, infinity}, {2, 2})))
        << "no such scores";
}

TEST(Choice, OfAnyDimensionKeptOrNot)
{
    const at::Tensor scores = at::tensor({3.0, 1.0, 3.0, 2.0, 5.0, 4.0}).reshape({3, 2});
    EXPECT_TRUE(at::equal(gapsOfChosen({{}, 0, false, false}, scores, ids({0, 2}, {2}), ids({1, 2}, {2})), gaps({0, 0}, {2})));
    EXPECT_TRUE(at::equal(gapsOfChosen({{}, 0, false, false}, scores, ids({0, 1}, {2}), ids({1, 2}, {2})), gaps({0, 2}, {2})));
    EXPECT_TRUE(at::equal(gapsOfChosen({{}, 0, true, false}, scores, ids({0, 1}, {1, 2}), ids({1, 2}, {1, 2})), gaps({0, 2}, {1, 2})));
    EXPECT_TRUE(at::equal(gapsOfChosen({{}, {}, false, false}, scores, ids({0}, {}), ids({2}, {})), gaps({0}, {})));
    EXPECT_TRUE(at::equal(gapsOfChosen({{}, {}, false, false}, scores, ids({4}, {}), ids({2}, {})), gaps({2}, {})));
}

TEST(Choice, NaNIsNoTie)
{
    const at::Tensor scores = at::tensor({3.0, std::numeric_limits<double>::quiet_NaN()}).reshape({1, 2});
    const Choice best{{}, 1, false, false};
    EXPECT_TRUE(at::equal(gapsOfChosen(best, scores, ids({1}, {1}), ids({0}, {1})), gaps({infinity}, {1})));
    EXPECT_TRUE(at::equal(gapsOfChosen(best, scores, ids({1}, {1}), ids({1}, {1})), gaps({0}, {1})));
}

TEST(Choice, IsFoundBehindPartsAndConversions)
{
    const Model model = openAdversarial("best_classes");
    const Program& program = model.program();
    ASSERT_EQ(program.outputs.size(), 4U);
    std::vector<Choice> choices;
    for (const ValueId output : program.outputs) {
        const std::optional<Choice> choice = choiceOf(program, output);
        ASSERT_TRUE(choice) << program[output].name;
        EXPECT_EQ(choice->dim, 1);
        choices.push_back(*choice);
    }
    EXPECT_EQ(choices[0].scores, choices[1].scores);
    EXPECT_EQ(choices[0].scores, choices[2].scores);
    EXPECT_NE(choices[0].scores, choices[3].scores);
    EXPECT_TRUE(choices[0].isDistinct && choices[1].isDistinct && !choices[2].isDistinct && !choices[3].isDistinct);
    EXPECT_TRUE(choices[0].isKept && choices[1].isKept && !choices[2].isKept && choices[3].isKept);
    EXPECT_FALSE(choiceOf(program, choices[0].scores));

    // The best scores, made whole numbers, are no ids.
    Program rounded = program;
    const ValueId best = rounded[rounded[rounded.outputs[0]].producer].outputs[0], made{static_cast<int>(rounded.values.size())};
    Value value = rounded[rounded.outputs[0]];
    value.producer = OpId{static_cast<int>(rounded.ops.size())};
    rounded.values.push_back(value);
    rounded.ops.push_back({"rounded", "aten::to", "dtype", {{"self", {best}}, {"dtype", {DType::Int64}}}, {made}, {}, {}});
    EXPECT_FALSE(choiceOf(rounded, made));
}

// Each class is there twice, with the same score.
TEST(Verify, TakesOthersOfEqualScores)
{
    const Model model = openAdversarial("best_classes");
    const DataGraph graph = readGraph(test::testDir() / "models/adversarial/best_classes.npz");
    VerifyOptions options;
    options.run.batchSize = 7;
    const VerifyResult plain = verify(model, graph, options);
    EXPECT_TRUE(plain.equal());

    const Array& found = plain.layerWise.outputs.front().array;
    const std::int64_t classes = model.program()[choiceOf(model.program(), model.program().outputs.front())->scores].sizes[1].value / 2;
    at::Tensor expected = toTensor(found).add(classes).remainder(2 * classes).contiguous();
    options.expected["expected_0"] = toArray(expected);
    const VerifyResult others = verify(model, graph, options);
    EXPECT_TRUE(others.equal());
    const auto ofExpected = [](const VerifyResult& result) { return *std::ranges::find(result.comparisons, "expected", &Comparison::b); };
    EXPECT_EQ(ofExpected(others).rowsOfEqualScores, found.shape[0]);
    EXPECT_EQ(ofExpected(others).rowsOver, 0);
    EXPECT_LE(ofExpected(others).maxAbsolute, 1e-5);

    expected[4][1] = 2 * classes;
    options.expected["expected_0"] = toArray(expected);
    const Comparison wrong = ofExpected(verify(model, graph, options));
    EXPECT_FALSE(wrong.equal);
    EXPECT_EQ(wrong.rowsOver, 1);
    EXPECT_EQ(wrong.worstRows, std::vector<std::int64_t>{4});
}

}  // namespace cleave
