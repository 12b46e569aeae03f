// Moves of ops between positions: legal plans only, complete against brute force, on generated programs and on every model of the zoo.
#include "core/plan/plan_space.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "core/run/model.h"
#include "tests/core/plan/network.h"
#include "tests/core/run/zoo_files.h"
#include "tests/core/run/zoo_models.h"

namespace cleave {
namespace {

using test::Network;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

std::string nameOf(const Analysis& analysis, OpId op)
{
    return analysis.program[op].name;
}

// x → a → propagate → b → c → propagate → d, with a skip from a to d.
struct TwoLayers {
    Network network;
    ValueId a = network.relu(network.x());
    ValueId first = network.propagate(a);
    ValueId b = network.relu(first);
    ValueId c = network.relu(b);
    ValueId second = network.propagate(c);
    ValueId d = network.add(second, a);
    Analysis analysis = network.finish({d});
    PlanSpace space{analysis};
    Plan plan = space.messageDegree();

    OpId op(ValueId value) const { return analysis.program[value].producer; }
    Position at(const Plan& p, ValueId value) const { return p.positions[static_cast<std::size_t>(space.indexOf(op(value)))]; }
};

TEST(PlanSpace, MessageDegreePlanAndBounds)
{
    const TwoLayers t;
    EXPECT_EQ(t.space.functions(), 3);
    EXPECT_EQ(t.space.whyIllegal(t.plan), "");
    EXPECT_EQ(t.at(t.plan, t.a), Position::post(0));
    EXPECT_EQ(t.at(t.plan, t.c), Position::post(1));
    EXPECT_EQ(t.at(t.plan, t.d), Position::post(2));
    const PlacedOp& b = t.space.ops()[static_cast<std::size_t>(t.space.indexOf(t.op(t.b)))];
    EXPECT_EQ(b.least, Position::post(1));
    EXPECT_EQ(b.most, Position::pre(2));
    EXPECT_FALSE(t.space.ops()[static_cast<std::size_t>(t.space.indexOf(t.op(t.first)))].movable);
}

TEST(PlanSpace, ReadersMoveAlong)
{
    const TwoLayers t;
    const Move move = t.space.moveOp(t.plan, t.op(t.b), Position::pre(2));
    ASSERT_TRUE(move.plan) << move.reason;
    EXPECT_THAT(move.alongside, ElementsAre(t.op(t.c)));
    EXPECT_EQ(t.at(*move.plan, t.c), Position::pre(2));
    EXPECT_EQ(t.at(t.plan, t.c), Position::post(1)) << "a plan is a value";
    EXPECT_EQ(t.space.whyIllegal(*move.plan), "");
}

TEST(PlanSpace, RefusalsNameWhatIsInTheWay)
{
    const TwoLayers t;
    const std::string later = t.space.moveOp(t.plan, t.op(t.c), Position::post(2)).reason;
    EXPECT_THAT(later, HasSubstr("must stand before message passing 2 or earlier"));
    EXPECT_THAT(later, HasSubstr("index_select"));
    const std::string earlier = t.space.moveOp(t.plan, t.op(t.b), Position::post(0)).reason;
    EXPECT_THAT(earlier, HasSubstr("part of message passing 1"));
    EXPECT_THAT(t.space.moveOp(t.plan, t.op(t.d), Position::post(3)).reason, HasSubstr("has no function 3"));
    EXPECT_THAT(t.space.moveOp(t.plan, OpId{}, Position::post(1)).reason, HasSubstr("does not place it"));
}

TEST(PlanSpace, SavePoints)
{
    const TwoLayers t;
    EXPECT_THAT(t.space.savePoints(t.plan, 0), UnorderedElementsAre(t.a));
    EXPECT_THAT(t.space.savePoints(t.plan, 1), UnorderedElementsAre(t.a, t.c));

    const Move atB = t.space.setSavePoint(t.plan, t.b, 1, true);
    ASSERT_TRUE(atB.plan) << atB.reason;
    EXPECT_THAT(t.space.savePoints(*atB.plan, 1), UnorderedElementsAre(t.a, t.b));
    EXPECT_EQ(t.at(*atB.plan, t.c), Position::pre(2));

    const Move back = t.space.setSavePoint(*atB.plan, t.b, 1, false);
    ASSERT_TRUE(back.plan) << back.reason;
    EXPECT_THAT(t.space.savePoints(*back.plan, 1), testing::Not(testing::Contains(t.b)));

    // The input instead of a: a is computed for every node of the block.
    const Move input = t.space.setSavePoint(t.plan, t.a, 0, false);
    ASSERT_TRUE(input.plan) << input.reason;
    EXPECT_EQ(t.at(*input.plan, t.a), Position::pre(1));
    EXPECT_THAT(t.space.savePoints(*input.plan, 0), UnorderedElementsAre(t.network.x()));

    const std::string must = t.space.setSavePoint(t.plan, t.a, 1, false).reason;
    EXPECT_THAT(must, HasSubstr("must be saved at cut 2"));
    EXPECT_THAT(t.space.setSavePoint(t.plan, t.first, 1, true).plan ? "" : "refused", "");
    EXPECT_THAT(t.space.setSavePoint(t.plan, t.a, 2, true).reason, HasSubstr("no cut 3"));
}

TEST(PlanSpace, OpsMoveTogetherOrNotAtAll)
{
    const TwoLayers t;
    const Move both = t.space.moveOps(t.plan, std::vector{t.op(t.c), t.op(t.b)}, Position::pre(2));
    ASSERT_TRUE(both.plan) << both.reason;
    EXPECT_THAT(both.alongside, IsEmpty());
    EXPECT_EQ(t.at(*both.plan, t.b), Position::pre(2));
    EXPECT_EQ(t.at(*both.plan, t.c), Position::pre(2));
    EXPECT_THAT(t.space.moveOps(t.plan, std::vector{t.op(t.b)}, Position::pre(2)).alongside, ElementsAre(t.op(t.c)));
    const Move none = t.space.moveOps(t.plan, std::vector{t.op(t.c), t.op(t.first)}, Position::pre(2));
    EXPECT_FALSE(none.plan);
    EXPECT_THAT(none.reason, HasSubstr("message passing 1"));
}

TEST(PlanSpace, CutsMoveOpByOp)
{
    const TwoLayers t;
    const Move up = t.space.moveCut(t.plan, 1, true);
    ASSERT_TRUE(up.plan) << up.reason;
    EXPECT_EQ(t.at(*up.plan, t.c), Position::pre(2));
    EXPECT_EQ(t.at(*up.plan, t.b), Position::post(1));
    const Move further = t.space.moveCut(*up.plan, 1, true);
    ASSERT_TRUE(further.plan) << further.reason;
    EXPECT_EQ(t.at(*further.plan, t.b), Position::pre(2));
    EXPECT_THAT(t.space.moveCut(*further.plan, 1, true).reason, HasSubstr("No op"));

    const Move down = t.space.moveCut(*further.plan, 1, false);
    ASSERT_TRUE(down.plan) << down.reason;
    EXPECT_EQ(*down.plan, *up.plan);
    EXPECT_EQ(*t.space.moveCut(*down.plan, 1, false).plan, t.plan);
    EXPECT_THAT(t.space.moveCut(t.plan, 1, false).reason, HasSubstr("No op"));

    EXPECT_THAT(t.space.moveCut(t.plan, 2, true).reason, HasSubstr("no cut 3"));
    EXPECT_THAT(t.space.moveCut(t.plan, -1, true).reason, HasSubstr("no cut 0"));
    Plan joined = t.plan;
    joined.joined.insert(1);
    EXPECT_THAT(t.space.moveCut(joined, 1, true).reason, HasSubstr("run together"));
}

TEST(PlanSpace, PinsHold)
{
    const TwoLayers t;
    const Move pinned = t.space.pin(t.plan, t.op(t.c), 1);
    ASSERT_TRUE(pinned.plan) << pinned.reason;
    const std::string reason = t.space.moveOp(*pinned.plan, t.op(t.b), Position::pre(2)).reason;
    EXPECT_THAT(reason, HasSubstr("is pinned to function 1"));
    EXPECT_TRUE(t.space.moveOp(*t.space.unpin(*pinned.plan, t.op(t.c)).plan, t.op(t.b), Position::pre(2)).plan);
    EXPECT_THAT(t.space.pin(t.plan, t.op(t.c), 0).reason, HasSubstr("message passing 1"));
}

TEST(PlanSpace, CompanionsGoTogether)
{
    const TwoLayers t;
    const Move together = t.space.keepTogether(t.plan, t.op(t.b), t.op(t.c));
    ASSERT_TRUE(together.plan);
    const Move later = t.space.moveOp(*together.plan, t.op(t.c), Position::pre(2));
    ASSERT_TRUE(later.plan) << later.reason;
    EXPECT_EQ(t.at(*later.plan, t.b), Position::pre(2));
    EXPECT_EQ(t.space.whyIllegal(*later.plan), "");
    EXPECT_FALSE(t.space.keepTogether(t.plan, t.op(t.a), t.op(t.d)).plan) << "a is read by message passing 1, d reads message passing 2";
}

TEST(PlanSpace, CompanionsPart)
{
    Constraints c;
    c.join(OpId{1}, OpId{2});
    c.join(OpId{2}, OpId{5});
    c.leave(OpId{1});
    EXPECT_EQ(c.group(OpId{1}), OpId{1});
    EXPECT_EQ(c.group(OpId{2}), c.group(OpId{5}));
    EXPECT_EQ(c.group(OpId{2}), OpId{2}) << "the least of those that stay";
    c.leave(OpId{5});
    EXPECT_EQ(c, Constraints()) << "one alone is no group";
    c.leave(OpId{7});
    EXPECT_EQ(c, Constraints());
}

// Some network of a few movable ops and two or three levels.
Analysis randomNetwork(std::mt19937_64& random)
{
    Network network;
    std::vector<ValueId> values{network.x()};
    const auto some = [&] { return values[values.size() - 1 - random() % std::min<std::size_t>(values.size(), 3)]; };
    int movable = 0;
    const int levels = 1 + static_cast<int>(random() % 2);
    for (int level = 0; level <= levels; ++level) {
        for (int i = static_cast<int>(random() % 4); i > 0 && movable < 7; --i, ++movable)
            values.push_back(random() % 2 ? network.relu(some()) : network.add(some(), some()));
        if (level < levels)
            values.push_back(random() % 2 ? network.propagate(values.back()) : network.compare(values.back(), some()));
    }
    values.push_back(network.add(values.back(), some()));
    return network.finish({values.back()});
}

// Every way to place the ops, with these constraints.
std::vector<Plan> allLegal(const PlanSpace& space, const Constraints& constraints)
{
    std::vector<Plan> legal;
    Plan plan = space.messageDegree();
    plan.constraints = constraints;
    const int last = Position::post(space.functions() - 1).at;
    const auto place = [&](const auto& self, std::size_t i) -> void {
        if (i == plan.positions.size()) {
            if (space.whyIllegal(plan).empty())
                legal.push_back(plan);
            return;
        }
        const PlacedOp& op = space.ops()[i];
        for (int at = op.movable ? 0 : op.least.at; at <= (op.movable ? last : op.least.at); ++at) {
            plan.positions[i] = {at};
            self(self, i + 1);
        }
    };
    place(place, 0);
    return legal;
}

// A move is refused if and only if no legal plan has the op there.
TEST(PlanSpace, MovesAreCompleteAgainstBruteForce)
{
    std::mt19937_64 random(7);
    int refused = 0, moved = 0, constrained = 0;
    for (int round = 0; round < 200; ++round) {
        const Analysis analysis = randomNetwork(random);
        const PlanSpace space(analysis);
        Plan plan = space.messageDegree();
        for (int wish = static_cast<int>(random() % 3); wish > 0; --wish) {
            const OpId a = space.ops()[random() % space.ops().size()].op, b = space.ops()[random() % space.ops().size()].op;
            const Move move = random() % 2 ? space.pin(plan, a, static_cast<int>(random() % static_cast<unsigned>(space.functions())))
                                           : space.keepTogether(plan, a, b);
            if (move.plan)
                plan = *move.plan;
            constrained += move.plan.has_value();
        }
        ASSERT_EQ(space.whyIllegal(plan), "");
        const std::vector<Plan> legal = allLegal(space, plan.constraints);
        ASSERT_THAT(legal, testing::Contains(plan));
        for (std::size_t i = 0; i < space.ops().size(); ++i)
            for (int at = 0; at <= Position::post(space.functions() - 1).at; ++at) {
                const Move move = space.moveOp(plan, space.ops()[i].op, {at});
                const bool possible = std::ranges::any_of(legal, [&](const Plan& p) { return p.positions[i].at == at; });
                ASSERT_EQ(move.plan.has_value(), possible)
                    << nameOf(analysis, space.ops()[i].op) << " to " << toString(Position{at}) << ": " << move.reason;
                ASSERT_EQ(move.reason.empty(), possible);
                if (possible) {
                    EXPECT_EQ(space.whyIllegal(*move.plan), "");
                    EXPECT_EQ(move.plan->positions[i].at, at);
                }
                ++(possible ? moved : refused);
            }
    }
    EXPECT_GT(refused, 500);
    EXPECT_GT(moved, 500);
    EXPECT_GT(constrained, 60);
}

// A save point is refused if and only if no legal plan has it, or none that only moves ops one way from here.
TEST(PlanSpace, SavePointsAreWhereTheyAreAskedFor)
{
    std::mt19937_64 random(11);
    int done = 0;
    for (int round = 0; round < 200; ++round) {
        const Analysis analysis = randomNetwork(random);
        const PlanSpace space(analysis);
        const Plan plan = space.messageDegree();
        const std::vector<Plan> legal = allLegal(space, {});
        for (const PlacedOp& op : space.ops())
            for (int cut = 0; cut + 1 < space.functions(); ++cut)
                for (const bool saved : {true, false}) {
                    const ValueId tensor = analysis.program[op.op].outputs.front();
                    const auto has = [&](const Plan& p) { return std::ranges::count(space.savePoints(p, cut), tensor) > 0; };
                    const Move move = space.setSavePoint(plan, tensor, cut, saved);
                    const bool possible = std::ranges::any_of(legal, [&](const Plan& p) { return has(p) == saved; });
                    ASSERT_EQ(move.plan.has_value(), possible)
                        << analysis.program[tensor].name << " at cut " << cut << " " << saved << ": " << move.reason;
                    if (!move.plan)
                        continue;
                    EXPECT_EQ(space.whyIllegal(*move.plan), "");
                    EXPECT_EQ(has(*move.plan), saved);
                    ++done;
                }
    }
    EXPECT_GT(done, 200);
}

// The first linear of a GCN, before the message passing of its layer: E rows of the block, the input in the store instead of its result.
TEST(PlanSpace, OpsBeforeTheMessagePassingRunForTheBlock)
{
    const Model model = openModel((test::testDir() / "models/zoo/gcn.pt2").string());
    const PlanSpace space(*model.analysis);
    const auto linear = std::ranges::find(space.ops(), "aten::linear", [&](const PlacedOp& op) { return model.program()[op.op].target; });
    ASSERT_NE(linear, space.ops().end());
    const Move move = space.moveOp(space.messageDegree(), linear->op, Position::pre(1));
    ASSERT_TRUE(move.plan) << move.reason;
    const CutProgram cut = space.cut(*move.plan);
    EXPECT_EQ(cut.functions.size(), model.cut->functions.size() - 1) << "function 0 is empty";
    const CutFunction& first = cut.functions.front();
    EXPECT_THAT(first.reads, ElementsAre(model.program().inputs.front().value));
    EXPECT_TRUE(std::ranges::any_of(first.frames, [](const Frame& frame) { return frame.kind == FrameKind::Block; }));
    EXPECT_EQ(test::errorOf([&] { checkCut(*model.analysis, cut); }), "");
    Plan illegal = space.messageDegree();
    illegal.positions[static_cast<std::size_t>(space.indexOf(linear->op))] = Position::post(1);
    EXPECT_THAT(test::errorOf([&] { space.cut(illegal); }), HasSubstr("The plan cannot be run"));
}

class PlansOfZoo : public testing::TestWithParam<test::ZooModel> {
protected:
    Model m_model = openModel(GetParam().path().string() + ".pt2", {GetParam().roles, false});
    PlanSpace m_space{*m_model.analysis};
};

// Without pins, an op goes where the program's bounds let it, and nowhere else.
TEST_P(PlansOfZoo, MovesFollowTheBounds)
{
    const PlanSpace& space = m_space;
    const Plan start = space.messageDegree();
    EXPECT_EQ(space.whyIllegal(start), "");
    std::mt19937_64 random(3);
    Plan plan = start;
    for (int step = 0; step < 200 && !space.ops().empty(); ++step) {
        const PlacedOp& op = space.ops()[random() % space.ops().size()];
        const Position to{static_cast<int>(random() % static_cast<unsigned>(2 * space.functions() - 1))};
        const Move move = space.moveOp(plan, op.op, to);
        ASSERT_EQ(move.plan.has_value(), to >= op.least && to <= op.most && space.isOpenTo(op, to))
            << m_model.program()[op.op].name << " to " << toString(to) << ": " << move.reason;
        if (!move.plan)
            continue;
        ASSERT_EQ(space.whyIllegal(*move.plan), "");
        const std::vector<std::vector<ValueId>> saved = space.allSavePoints(*move.plan);
        for (int cut = 0; cut + 1 < space.functions(); ++cut)
            ASSERT_EQ(saved.at(static_cast<std::size_t>(cut)), space.savePoints(*move.plan, cut));
        std::vector<OpId> changed;
        for (std::size_t i = 0; i < space.ops().size(); ++i)
            if (move.plan->positions[i] != plan.positions[i] && space.ops()[i].op != op.op)
                changed.push_back(space.ops()[i].op);
        EXPECT_EQ(move.alongside, changed);
        plan = *move.plan;
    }
}

// Any legal plan is right: ops before the message passing run for every node of a block, which the cut against the whole program shows.
TEST_P(PlansOfZoo, RandomPlansGiveTheSameAnswers)
{
    const PlanSpace& space = m_space;
    std::mt19937_64 random(std::hash<std::string>{}(GetParam().name));
    Plan plan = space.messageDegree();
    for (int round = 0; round < (test::hasTime() ? 5 : 1); ++round) {
        for (int step = 0; step < 40 && !space.ops().empty(); ++step) {
            const PlacedOp& op = space.ops()[random() % space.ops().size()];
            const Position to{op.least.at + static_cast<int>(random() % static_cast<unsigned>(op.most.at - op.least.at + 1))};
            const Move move = space.moveOp(plan, op.op, to);
            if (move.plan)
                plan = *move.plan;
        }
        EXPECT_EQ(test::errorOf([&] { checkCut(*m_model.analysis, space.cut(plan)); }), "");
        std::set<BlockCopy> copied;
        for (int f = 1; f < space.functions(); ++f)
            for (const ValueId tensor : space.savePoints(plan, f - 1))
                if (random() % 2)
                    copied.insert({f, tensor});
        EXPECT_EQ(test::errorOf([&] { checkCut(*m_model.analysis, space.cut(plan, copied)); }), "");
        Plan joined = plan;
        for (int f = 0; f + 1 < space.functions(); ++f)
            if (random() % 2 && space.whyNotJoined(f).empty())
                joined.joined.insert(f);
        if (!space.whyIllegal(joined).empty())  // ops were moved between functions over nodes of several types
            joined.positions = space.messageDegree().positions;
        EXPECT_EQ(test::errorOf([&] { checkCut(*m_model.analysis, space.cut(joined, copied)); }), "");
    }
}

INSTANTIATE_TEST_SUITE_P(Zoo, PlansOfZoo, testing::ValuesIn(test::rightModels("zoo")), [](const auto& model) { return model.param.name; });
INSTANTIATE_TEST_SUITE_P(Adversarial, PlansOfZoo, testing::ValuesIn(test::rightModels("adversarial")),
                         [](const auto& model) { return model.param.name; });

}  // namespace
}  // namespace cleave
