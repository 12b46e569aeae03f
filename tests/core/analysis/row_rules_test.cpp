#include "core/analysis/row_rules.h"

#include <gtest/gtest.h>

#include "core/analysis/analysis.h"
#include "tests/core/analysis/program_builder.h"
#include "tests/core/test_files.h"

namespace cleave {
namespace {

using test::ints;
using test::num;
using test::ProgramBuilder;
using test::sym;

// Row dimensions of the operands of the last op for rows of its output along `row`; empty if it is not row-wise there.
std::vector<int> operandsAt(const ProgramBuilder& b, int row)
{
    const auto mapping = rowMapping(b.program, OpId{static_cast<int>(b.program.ops.size()) - 1}, row);
    return mapping ? mapping->operands : std::vector<int>{};
}

TEST(RowRules, BroadcastOperandsAreReadWhole)
{
    ProgramBuilder b;
    const ValueId h = b.input("h", {sym("n"), num(4)}), w = b.weight("w", {4}), one = b.weight("o", {1, 4});
    b.op("addcmul", {{"self", {h}}, {"tensor1", {w}}, {"tensor2", {one}}}, {sym("n"), num(4)});
    EXPECT_EQ(operandsAt(b, 0), (std::vector<int>{0, -1, -1}));
}

TEST(RowRules, ViewKeepsRowsOnlyIfTheSizesBeforeThemStay)
{
    ProgramBuilder heads;
    const ValueId h = heads.input("h", {num(3), sym("n"), num(8)});
    heads.op("view", {{"self", {h}}, {"size", ints({3, -1, 2, 4})}}, {num(3), sym("n"), num(2), num(4)});
    EXPECT_EQ(operandsAt(heads, 1), (std::vector<int>{1}));
    ProgramBuilder mixed;
    const ValueId t = mixed.input("h", {num(8), sym("n")});
    mixed.op("view", {{"self", {t}}, {"size", ints({-1, 8})}}, {sym("n"), num(8)});
    EXPECT_EQ(operandsAt(mixed, 0), (std::vector<int>{}));
}

// A file may say of an op that it gives more dimensions than its operand has.
TEST(RowRules, OperandsWithoutTheDimensionHaveNoRows)
{
    ProgramBuilder b;
    const ValueId h = b.input("h", {sym("n")}), index = b.input("index", {num(2)}, DType::Int64);
    b.op("index_select", {{"self", {h}}, {"dim", {std::int64_t{0}}}, {"index", {index}}}, {num(2), sym("n")});
    EXPECT_EQ(operandsAt(b, 1), (std::vector<int>{}));
}

TEST(RowRules, ReductionsKeepTheirRows)
{
    ProgramBuilder b;
    const ValueId h = b.input("h", {num(3), sym("n"), num(8)});
    b.op("sum.dim_IntList", {{"self", {h}}, {"dim", ints({0, -1})}}, {sym("n")});
    EXPECT_EQ(operandsAt(b, 0), (std::vector<int>{1}));
    ProgramBuilder over;
    const ValueId g = over.input("h", {sym("n"), num(8)});
    over.op("sum.dim_IntList", {{"self", {g}}, {"dim", ints({0})}}, {num(8)});
    EXPECT_NE(operandsAt(over, 0), (std::vector<int>{0}));
}

TEST(RowRules, ContractedRowsAreNotRowWise)
{
    ProgramBuilder b;
    const ValueId a = b.input("a", {sym("n"), sym("n")}), h = b.input("h", {sym("n"), num(4)});
    b.op("matmul", {{"self", {a}}, {"other", {h}}}, {sym("n"), num(4)});
    EXPECT_EQ(operandsAt(b, 0), (std::vector<int>{0, -1}));
    EXPECT_EQ(operandsAt(b, 1), (std::vector<int>{-1, 1}));
    b.op("einsum", {{"equation", {std::string("ij,jf->if")}}, {"tensors", {std::vector<Argument>{{a}, {h}}}}}, {sym("n"), num(4)});
    EXPECT_EQ(operandsAt(b, 0), (std::vector<int>{0, -1}));
}

TEST(RowRules, SoftmaxOverRowsIsNot)
{
    ProgramBuilder b;
    const ValueId h = b.input("h", {sym("n"), num(4)});
    b.op("softmax.int", {{"self", {h}}, {"dim", {std::int64_t{0}}}}, {sym("n"), num(4)});
    EXPECT_EQ(operandsAt(b, 0), (std::vector<int>{}));
    b.op("softmax.int", {{"self", {h}}, {"dim", {std::int64_t{-1}}}}, {sym("n"), num(4)});
    EXPECT_EQ(operandsAt(b, 0), (std::vector<int>{0}));
}

struct NoEvaluator : Evaluator {
    std::optional<std::vector<int>> probeRowWise(const Program&, OpId, const std::vector<int>&) const override { return {}; }
    bool mayShareMemory(const Op&) const override { return false; }
    std::optional<Array> evaluate(const Program&, ValueId) const override { return {}; }
};

// Files are untrusted: an op may lack what every op of its name has. Whatever it is then, it works on no rows: it is refused, or left to
// LibTorch, which knows its arguments, as an op over all nodes at once.
TEST(Analysis, OpsWithoutTheirOperandsAreNotRowWise)
{
    const auto isRowWise = [](const std::string& target, std::vector<NamedArgument> args, ProgramBuilder::Sizes sizes) {
        ProgramBuilder b;
        const ValueId x = b.input("x", {sym("n"), num(4)});
        b.input("edge_index", {num(2), sym("e")}, DType::Int64);
        args.push_back({"other", {x}});
        b.program.outputs = {b.op(target, std::move(args), std::move(sizes))};
        bool rowWise = false;
        test::errorOf([&] {
            const Analysis analysis = analyse(b.program, {}, NoEvaluator());
            for (std::size_t i = 0; i < analysis.program.ops.size(); ++i)
                rowWise = rowWise || analysis.ops[OpId{static_cast<int>(i)}].kind != OpKind::Global;
        });
        return rowWise;
    };
    for (const char* target : {"expand_as", "view_as", "dropout", "type_as", "squeeze", "unflatten"})
        EXPECT_FALSE(isRowWise(target, {{"train", false}}, {sym("n"), num(4)})) << target;
    for (const char* target : {"embedding", "index_select", "index_add", "index_put", "scatter_add", "cat", "view", "linear"})
        EXPECT_FALSE(isRowWise(target, {}, {sym("n"), num(4)})) << target;
    EXPECT_FALSE(isRowWise("cat", {{"tensors", std::vector<Argument>{}}}, {sym("n"), num(4)}));
    EXPECT_FALSE(isRowWise("relu", {{"self", std::int64_t{3}}}, {}));
}

TEST(Analysis, ChainsThatAreTooLongAreRefused)
{
    ProgramBuilder b;
    ValueId h = b.input("x", {sym("n"), num(4)});
    const ValueId edges = b.input("edge_index", {num(2), sym("e")}, DType::Int64);
    const ValueId target = b.op("select.int", {{"self", {edges}}, {"dim", {std::int64_t{0}}}, {"index", {std::int64_t{1}}}}, {sym("e")}, DType::Int64);
    h = b.op("index_select", {{"self", {h}}, {"dim", {std::int64_t{0}}}, {"index", {target}}}, {sym("e"), num(4)});
    for (int i = 0; i < 50'000; ++i)
        h = b.op("relu", {{"self", {h}}}, {sym("e"), num(4)});
    b.program.outputs = {h};
    EXPECT_NE(test::errorOf([&] { analyse(b.program, {}, NoEvaluator()); }).find("operators one behind another"), std::string::npos);
}

TEST(Roles, GuessedFromTypeAndShape)
{
    ProgramBuilder b;
    b.input("x", {sym("n"), num(4)});
    b.input("edge_index", {num(2), sym("e")}, DType::Int64);
    b.input("edge_attr", {sym("e"), num(3)});
    b.input("batch", {sym("n")}, DType::Int64);
    assignRoles(b.program, {});
    EXPECT_EQ(b.program.inputs[0].role, Role::NodeFeatures);
    EXPECT_EQ(b.program.inputs[1].role, Role::GraphStructure);
    EXPECT_EQ(b.program.inputs[2].role, Role::EdgeFeatures);
    EXPECT_EQ(b.program.inputs[3].role, Role::Other);
    assignRoles(b.program, {{"batch", Role::NodeFeatures}});
    EXPECT_EQ(b.program.inputs[3].role, Role::NodeFeatures);
    EXPECT_NE(test::errorOf([&] { assignRoles(b.program, {{"nobody", Role::Other}}); }).find("nobody"), std::string::npos);
}

TEST(Roles, IntegersAreFeaturesWhereNothingElseIs)
{
    ProgramBuilder b;
    b.input("atoms", {sym("n")}, DType::Int64);
    b.input("edge_index", {num(2), sym("e")}, DType::Int64);
    assignRoles(b.program, {});
    EXPECT_EQ(b.program.inputs[0].role, Role::NodeFeatures);
}

}  // namespace
}  // namespace cleave
