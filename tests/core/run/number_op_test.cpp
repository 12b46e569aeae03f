// Ops on numbers of edges, on all threads.
#include "core/run/number_op.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include "core/run/model.h"
#include "tests/core/test_files.h"

namespace cleave {
namespace {

// Every op of the model's that is one, on operands of another size than in the file.
struct Found {
    const Program& program;
    std::vector<OpId> reads, counts;

    explicit Found(const Program& p) : program(p)
    {
        for (std::size_t i = 0; i < p.ops.size(); ++i)
            if (const OpId id{static_cast<int>(i)}; isNumberOp(p, id))
                (p[id].target == "aten::index" ? reads : counts).push_back(id);
    }
};

at::Tensor run(const Program& program, OpId op, const std::vector<at::Tensor>& operands)
{
    return runNumberOp(program, op, [&](std::size_t position, ValueId) { return c10::IValue(operands[position]); }).toTensor();
}

class NumberOps : public testing::Test {
protected:
    const Model m_model = openModel(test::testDir().parent_path() / "resources/examples/gcn.pt2");
    const Found m_found{m_model.program()};
    const int m_threads = at::get_num_threads();

    void TearDown() override { at::set_num_threads(m_threads); }
};

TEST_F(NumberOps, AreFoundInThePrologue)
{
    ASSERT_EQ(m_found.counts.size(), 1U) << "degrees";
    ASSERT_GE(m_found.reads.size(), 3U) << "edges that are no loops, and the degree of each end";
}

TEST_F(NumberOps, GiveWhatLibTorchGives)
{
    at::manual_seed(4);
    constexpr std::int64_t nodes = 1000, entries = 300'001;
    const at::Tensor index = at::randint(-nodes, nodes, {entries}, at::kLong), places = index.remainder(nodes);
    for (const int threads : {1, 3}) {
        at::set_num_threads(threads);
        for (const OpId op : m_found.reads) {
            const bool isMatrix = m_found.program[*m_found.program[op].find("self")->asValue()].sizes.size() == 2;
            for (const at::ScalarType type : {at::kFloat, at::kDouble, at::kLong, at::kBool}) {
                const at::Tensor self = isMatrix ? at::randint(2, {2, nodes}, type) : at::randint(2, {nodes}, type);
                EXPECT_TRUE(run(m_found.program, op, {self, index}).equal(self.index_select(-1, places))) << type;
                EXPECT_TRUE(run(m_found.program, op, {at::stack({self, self}, -1).select(-1, 1), index}).equal(self.index_select(-1, places)))
                    << "strides";
            }
            EXPECT_EQ(run(m_found.program, op, {isMatrix ? at::zeros({2, 0}) : at::zeros({0}), index.narrow(0, 0, 0)}).numel(), 0);
        }
        const at::Tensor self = at::rand({nodes}), ones = at::ones({entries});
        const at::Tensor counted = run(m_found.program, m_found.counts.front(), {self, places, ones});
        EXPECT_TRUE(counted.allclose(self + places.bincount({}, nodes)));
        EXPECT_TRUE(
            run(m_found.program, m_found.counts.front(), {at::zeros({nodes}), places, ones}).equal(places.bincount({}, nodes).to(at::kFloat)));
        EXPECT_TRUE(run(m_found.program, m_found.counts.front(), {self, places.narrow(0, 0, 0), ones.narrow(0, 0, 0)}).equal(self));
        const at::Tensor narrow = at::zeros({nodes}, at::kBFloat16);
        EXPECT_TRUE(run(m_found.program, m_found.counts.front(), {narrow, places, ones.to(at::kBFloat16)})
                        .equal(places.bincount({}, nodes).to(at::kBFloat16)))
            << "sums in 16 bits stop at 256";
    }
}

// Of weights, or of what was joined to ones: not counted but added up, in float32 where the model has 16 bits.
TEST(SumsOf16Bits, DoNotStopToGrow)
{
    const Model model = openModel(test::testDir() / "models/zoo/bfloat16.pt2");
    Program program = model.program();
    const Found found(program);
    ASSERT_FALSE(found.counts.empty());
    const Op& count = program[found.counts.front()];
    program[program[*count.find("src")->asValue()].producer].target = "aten::zeros";  // whose values nobody knows of
    ASSERT_TRUE(isNumberOp(program, found.counts.front()));
    constexpr std::int64_t entries = 3000;
    const at::Tensor sums =
        run(program, found.counts.front(), {at::zeros({2}, at::kBFloat16), at::zeros({entries}, at::kLong), at::full({entries}, 0.5, at::kBFloat16)});
    EXPECT_EQ(sums.scalar_type(), at::kBFloat16);
    EXPECT_NEAR(sums[0].item<float>(), 0.5F * entries, 8);
    EXPECT_EQ(sums[1].item<float>(), 0);
}

TEST_F(NumberOps, OutOfRangeIsAnError)
{
    const at::Tensor index = at::tensor({0, 5, 1}, at::kLong);
    for (const OpId op : m_found.reads) {
        const bool isMatrix = m_found.program[*m_found.program[op].find("self")->asValue()].sizes.size() == 2;
        EXPECT_ANY_THROW(run(m_found.program, op, {isMatrix ? at::rand({2, 5}) : at::rand({5}), index}));
    }
    EXPECT_ANY_THROW(run(m_found.program, m_found.counts.front(), {at::zeros({5}), index, at::ones({3})}));
}

}  // namespace
}  // namespace cleave
