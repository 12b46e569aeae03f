#include "core/analysis/masked_updates.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/analysis/node_types.h"
#include "core/analysis/passes.h"
#include "tests/core/analysis/program_builder.h"

namespace cleave {
namespace {

using test::num;
using test::ProgramBuilder;
using test::sym;

using Sizes = ProgramBuilder::Sizes;

/// x of features, and what is done to its rows where they are negative.
struct Update {
    ProgramBuilder b;
    Sizes rows{sym("n"), num(3)}, chosen{sym("u"), num(3)};
    ValueId x, mask, read;

    explicit Update(Role role = Role::NodeFeatures)
    {
        x = b.input("x", rows);
        b.program.inputs.back().role = role;
        mask = negative(first());
        read = at(x, mask);
    }

    ValueId first() { return b.op("select.int", {{"self", {x}}, {"dim", {std::int64_t{1}}}, {"index", {std::int64_t{0}}}}, {sym("n")}); }
    ValueId negative(ValueId value)
    {
        return b.op("lt.Scalar", {{"self", {value}}, {"other", {std::int64_t{0}}}}, b.program[value].sizes, DType::Bool);
    }
    ValueId at(ValueId from, ValueId where) { return b.op("index.Tensor", {{"self", {from}}, {"indices", list(where)}}, chosen); }
    ValueId twice(ValueId of) { return b.op("mul.Tensor", {{"self", {of}}, {"other", {2.0}}}, b.program[of].sizes); }

    static Argument list(ValueId one) { return {std::vector<Argument>{{one}}}; }

    // The targets of the ops that the result needs, after x[where] = values.
    std::string put(ValueId where, ValueId values, bool accumulate = false)
    {
        b.program.outputs = {
            b.op("index_put", {{"self", {x}}, {"indices", list(where)}, {"values", {values}}, {"accumulate", {accumulate}}}, b.program[x].sizes)};
        computeMaskedUpdatesWhole(b.program);
        dropDeadOps(b.program);
        std::string targets;
        for (const Op& op : b.program.ops)
            targets += op.target.substr(6) + ' ';
        return targets;
    }

    std::vector<Dim> sizesOf(std::string_view target) const
    {
        for (const Op& op : b.program.ops)
            if (op.target == target)
                return b.program[op.outputs.front()].sizes;
        return {};
    }
};

TEST(MaskedUpdates, RowsFollowFromTheirOwn)
{
    Update u;
    EXPECT_EQ(u.put(u.mask, u.twice(u.read)), "select lt mul unsqueeze where ");
    EXPECT_EQ(u.sizesOf("aten::mul"), u.rows);
    EXPECT_EQ(u.sizesOf("aten::unsqueeze"), (Sizes{sym("n"), num(1)}));
    EXPECT_EQ(u.sizesOf("aten::where"), u.rows);
}

TEST(MaskedUpdates, TheMaskMayBeComputedTwice)
{
    Update u;
    EXPECT_EQ(u.put(u.negative(u.first()), u.twice(u.read)), "select lt mul unsqueeze where ");
}

TEST(MaskedUpdates, PlacesOfAMaskAreTheMask)
{
    for (const auto& [target, argument] : {std::pair("where", "condition"), {"nonzero_numpy", "self"}}) {
        Update u;
        const ValueId places = u.b.op(target, {{argument, {u.mask}}}, {sym("u")}, DType::Int64);
        EXPECT_EQ(u.put(places, u.twice(u.at(u.x, places))), "select lt mul unsqueeze where ") << target;
    }
    const auto oneOf = [](int dim, const Sizes& sizes) {
        Update u;
        const ValueId all = u.b.op("nonzero", {{"self", {u.mask}}}, {sym("u"), num(1)}, DType::Int64);
        const ValueId places =
            u.b.op("select.int", {{"self", {all}}, {"dim", {std::int64_t{dim}}}, {"index", {std::int64_t{0}}}}, sizes, DType::Int64);
        return u.put(places, u.twice(u.at(u.x, places)));
    };
    EXPECT_EQ(oneOf(1, {sym("u")}), "select lt mul unsqueeze where ");
    EXPECT_EQ(oneOf(0, {num(1)}), "select lt nonzero select index mul index_put ") << "the first place alone";
}

TEST(MaskedUpdates, AddsToWhatIsThere)
{
    Update u;
    EXPECT_EQ(u.put(u.mask, u.twice(u.read), true), "select lt mul add unsqueeze where ");
}

TEST(MaskedUpdates, MasksOfSeveralDimensionsNeedNoOther)
{
    Update u;
    u.mask = u.negative(u.x);
    u.chosen = {sym("u")};
    EXPECT_EQ(u.put(u.mask, u.twice(u.at(u.x, u.mask))), "lt mul where ");
    EXPECT_EQ(u.sizesOf("aten::mul"), u.rows);
}

TEST(MaskedUpdates, WhatIsTheSameForAllRowsIsChosen)
{
    Update number;
    EXPECT_EQ(number.put(number.mask, number.b.weight("zero", {})), "select lt unsqueeze where ");
    Update row;
    EXPECT_EQ(row.put(row.mask, row.b.weight("token", {3})), "select lt unsqueeze where ");
    Update entries;
    EXPECT_EQ(entries.put(entries.negative(entries.x), entries.b.weight("zero", {})), "lt where ");
    Update graph;
    const ValueId known = graph.b.input("is_known", graph.rows, DType::Bool);
    EXPECT_EQ(graph.put(known, graph.b.weight("zero", {})), "where ") << "entries at a mask of the graph";
}

TEST(MaskedUpdates, RowsMayGetMoreDimensionsAndBeCountedApart)
{
    Update u;
    const ValueId length = u.b.op("norm", {{"self", {u.x}}}, {sym("n")});
    const ValueId at = u.b.op("index.Tensor", {{"self", {length}}, {"indices", Update::list(u.mask)}}, {sym("w")});
    const ValueId beside = u.b.op("unsqueeze", {{"self", {at}}, {"dim", {std::int64_t{1}}}}, {sym("w"), num(1)});
    EXPECT_EQ(u.put(u.mask, u.b.op("div.Tensor", {{"self", {u.read}}, {"other", {beside}}}, u.chosen)),
              "select lt norm unsqueeze div unsqueeze where ");
}

TEST(MaskedUpdates, OtherRowsAndOtherOpsAreLeftAlone)
{
    Update other;
    const ValueId elsewhere = other.b.op("gt.Scalar", {{"self", {other.first()}}, {"other", {std::int64_t{1}}}}, {sym("n")}, DType::Bool);
    EXPECT_NE(other.put(elsewhere, other.twice(other.read)).find("index_put"), std::string::npos) << "rows of another mask";
    Update mixing;
    const ValueId summed = mixing.b.op("cumsum", {{"self", {mixing.read}}, {"dim", {std::int64_t{0}}}}, mixing.chosen);
    EXPECT_NE(mixing.put(mixing.mask, summed).find("index_put"), std::string::npos) << "rows that depend on others";
    Update given;
    const ValueId values = given.b.input("values", {sym("u"), num(3)});
    EXPECT_NE(given.put(given.mask, values).find("index_put"), std::string::npos) << "rows that are counted otherwise";
    Update structure(Role::Other);
    EXPECT_NE(structure.put(structure.mask, structure.twice(structure.read)).find("index_put"), std::string::npos)
        << "of the graph, and counted once";
}

TEST(EqualSizes, AreThoseOfFeaturesFirst)
{
    ProgramBuilder b;
    const ValueId batch = b.input("batch", {sym("b")}, DType::Int64), x = b.input("x", {sym("n"), num(3)}),
                  edges = b.input("edge_index", {num(2), sym("m")}, DType::Int64);
    const ValueId both = b.input("weights", {Dim{0, "Add(b, 1)"}});
    EXPECT_EQ(
        mergeEqualSizes(b.program, {{"batch", {{0, 60}}}, {"x", {{0, 60}, {1, 3}}}, {"edge_index", {{0, 2}, {1, 301}}}, {"weights", {{0, 60}}}}), 1);
    EXPECT_EQ(b.program[batch].sizes.front(), sym("n"));
    EXPECT_EQ(b.program[x].sizes.front(), sym("n"));
    EXPECT_EQ(b.program[edges].sizes.back(), sym("m"));
    EXPECT_EQ(b.program[both].sizes.front().symbol, "Add(1, n)") << "what is counted with it is renamed, and does not count";
    EXPECT_EQ(mergeEqualSizes(b.program, {{"batch", {{0, 60}}}, {"x", {{0, 60}}}, {"nobody", {{7, 60}}}}), 0);
}

}  // namespace
}  // namespace cleave
