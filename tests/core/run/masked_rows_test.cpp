// Rows where a mask holds, and what they are put beside: without their places, and straight to where they are read.
#include "core/run/masked_rows.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include "core/run/run_program.h"
#include "tests/core/analysis/program_builder.h"
#include "tests/core/run/zoo_files.h"

namespace cleave {
namespace {

using test::num;
using test::ProgramBuilder;
using test::sym;

// Edges that are no loops with a loop for each node behind them, and what belongs to edges likewise, as exported models have it.
struct Edges {
    ProgramBuilder b;
    ValueId ends = b.input("edge_index", {num(2), sym("m")}, DType::Int64), weights = b.input("edge_attr", {sym("m"), num(3)}),
            loops = b.input("loops", {num(2), sym("n")}, DType::Int64), loopWeights = b.input("loop_attr", {sym("n"), num(3)}),
            mask = b.input("mask", {sym("m")}, DType::Bool);
    ValueId pairs = b.op("nonzero", {{"self", {mask}}}, {sym("k"), num(1)}, DType::Int64);
    ValueId places = b.op("select.int", {{"self", {pairs}}, {"dim", {std::int64_t{1}}}, {"index", {std::int64_t{0}}}}, {sym("k")}, DType::Int64);
    ValueId kept = b.op("index.Tensor", {{"self", {ends}}, {"indices", {std::vector<Argument>{{}, {places}}}}}, {num(2), sym("k")}, DType::Int64);
    ValueId keptWeights = b.op("index.Tensor", {{"self", {weights}}, {"indices", {std::vector<Argument>{{places}}}}}, {sym("k"), num(3)});
    ValueId count = b.op("sym_size.int", {{"self", {kept}}, {"dim", {std::int64_t{1}}}}, {}, DType::Int64);
    ValueId all =
        b.op("cat", {{"tensors", {std::vector<Argument>{{kept}, {loops}}}}, {"dim", {std::int64_t{-1}}}}, {num(2), sym("k+n")}, DType::Int64);
    ValueId countAfter = b.op("sym_size.int", {{"self", {kept}}, {"dim", {std::int64_t{-1}}}}, {}, DType::Int64);
    ValueId ends0 = b.op("sym_size.int", {{"self", {kept}}, {"dim", {std::int64_t{0}}}}, {}, DType::Int64);
    ValueId allWeights =
        b.op("cat", {{"tensors", {std::vector<Argument>{{loopWeights}, {keptWeights}}}}, {"dim", {std::int64_t{0}}}}, {sym("n+k"), num(3)});

    std::vector<at::Tensor> run(const std::vector<ValueId>& wanted, const at::Tensor& holds, Kernels kernels, std::int64_t width = 3)
    {
        at::manual_seed(2);
        const std::int64_t m = holds.numel(), n = 5;
        const Bindings inputs{{ends, at::randint(n, {m, 2}, at::kLong).t()},
                              {weights, at::randn({m, 3})},
                              {loops, at::arange(n).view({1, -1}).repeat({2, 1})},
                              {loopWeights, at::ones({n, width})},
                              {mask, holds}};
        std::vector<at::Tensor> results;
        for (const c10::IValue& value : runProgram(b.program, Constants(b.program.values.size()), inputs, wanted, "test", {}, kernels))
            results.push_back(value.isTensor() ? value.toTensor() : at::tensor(value.toInt()));
        return results;
    }
};

void expectSame(const std::vector<at::Tensor>& a, const std::vector<at::Tensor>& b, const std::string& what)
{
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i)
        EXPECT_TRUE(a[i].equal(b[i]) && a[i].scalar_type() == b[i].scalar_type()) << what << ", result " << i;
}

TEST(MaskedRows, AreWhatLibTorchGives)
{
    const int threads = at::get_num_threads();
    for (const std::int64_t m : {0, 1, 7, 65536, 200'001})
        for (const int form : {0, 1, 2, 3, 4}) {
            at::manual_seed(m + form);
            const at::Tensor holds = form == 0   ? at::zeros({m}, at::kBool)
                                     : form == 1 ? at::ones({m}, at::kBool)
                                     : form == 2 ? at::arange(m).remainder(2).to(at::kBool)
                                                 : at::rand({m}).lt(form == 3 ? 0.99 : 0.02);
            for (const int t : {1, 3}) {
                at::set_num_threads(t);
                const std::string what = std::to_string(m) + " edges, mask " + std::to_string(form) + ", threads " + std::to_string(t);
                Edges edges;
                // Read by others as well, they are made before.
                for (const auto& wanted : {std::vector{edges.all, edges.allWeights, edges.count, edges.countAfter, edges.ends0},
                                           std::vector{edges.all, edges.kept}, std::vector{edges.count}, std::vector{edges.places, edges.all}})
                    expectSame(edges.run(wanted, holds, Kernels::All), edges.run(wanted, holds, Kernels::None), what);
            }
        }
    at::set_num_threads(threads);
}

TEST(MaskedRows, AreRunWithoutTheirPlaces)
{
    const Edges edges;
    std::vector<std::size_t> ops(edges.b.program.ops.size());
    for (std::size_t i = 0; i < ops.size(); ++i)
        ops[i] = i;
    const EqualMasks none(edges.b.program, {}, {});
    const MaskedRows rows(edges.b.program, ops, {edges.all, edges.allWeights, edges.ends0}, none);
    for (std::size_t i = 0; i < ops.size(); ++i)
        EXPECT_TRUE(rows.has(OpId{static_cast<int>(i)})) << edges.b.program.ops[i].target;
    EXPECT_FALSE(MaskedRows(edges.b.program, ops, {edges.places}, none).has(OpId{0})) << "somebody wants the places";
    const Model gcn = test::openZoo("gcn");
    const Program& program = gcn.program();
    std::vector<std::size_t> all(program.ops.size());
    for (std::size_t i = 0; i < all.size(); ++i)
        all[i] = i;
    const MaskedRows found(program, all, {}, EqualMasks(program, {}, {}));
    EXPECT_TRUE(std::ranges::any_of(all, [&](std::size_t i) { return program.ops[i].target == "aten::cat" && found.has(OpId{static_cast<int>(i)}); }))
        << "loops of GCN";
}

// Rows of more than the mask has entries, at its places: LibTorch reads those that there are.
TEST(MaskedRows, RowsThatAreNoneOfTheMasksAreReadAtItsPlaces)
{
    ProgramBuilder b;
    const ValueId mask = b.input("mask", {sym("m")}, DType::Bool), more = b.input("more", {sym("m+n"), num(2)});
    const ValueId pairs = b.op("nonzero", {{"self", {mask}}}, {sym("k"), num(1)}, DType::Int64);
    const ValueId places =
        b.op("select.int", {{"self", {pairs}}, {"dim", {std::int64_t{1}}}, {"index", {std::int64_t{0}}}}, {sym("k")}, DType::Int64);
    const ValueId rows = b.op("index.Tensor", {{"self", {more}}, {"indices", {std::vector<Argument>{{places}}}}}, {sym("k"), num(2)});
    const Bindings inputs{{mask, at::tensor({1, 0, 1}, at::kLong).to(at::kBool)}, {more, at::arange(10, at::kFloat).view({5, 2})}};
    const at::Tensor read = runProgram(b.program, Constants(b.program.values.size()), inputs, {rows}, "test", {}, Kernels::All).front().toTensor();
    EXPECT_TRUE(read.equal(at::tensor({0, 1, 4, 5}, at::kFloat).view({2, 2})));
}

TEST(MaskedRows, WhatDoesNotFitIsAnError)
{
    Edges edges;
    EXPECT_ANY_THROW(edges.run({edges.allWeights}, at::ones({4}, at::kBool), Kernels::All, 2)) << "rows of another width beside them";
    EXPECT_ANY_THROW(edges.run({edges.allWeights}, at::ones({4}, at::kBool), Kernels::None, 2));
}

}  // namespace
}  // namespace cleave
