// Plan files: what is written is read again, another export is matched by name, and bad files are one sentence each.
#include "core/plan/plan_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/run/model.h"
#include "tests/core/test_files.h"

namespace cleave {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class PlanFile : public testing::Test {
protected:
    OpId op(const std::string& name) const
    {
        for (const PlacedOp& placed : m_space.ops())
            if (m_model.program()[placed.op].name == name)
                return placed.op;
        throw Error("no op " + name + ".");
    }

    Plan some() const
    {
        Plan plan = *m_space.moveOp(m_space.messageDegree(), op("linear"), Position::pre(1)).plan;
        plan = *m_space.pin(plan, op("relu"), 2).plan;
        return *m_space.keepTogether(plan, op("relu"), op("linear_1")).plan;
    }

    nlohmann::json written(const Plan& plan) const
    {
        writePlan(m_folder / "a.cleave.json", m_space, StoredPlan{plan, 64, {}, {}, {}});
        return nlohmann::json::parse(test::readText(m_folder / "a.cleave.json"));
    }

    StoredPlan read(const std::string& text) const
    {
        test::writeText(m_folder / "b.cleave.json", text);
        return readPlan(m_folder / "b.cleave.json", m_space);
    }

    std::string refusal(const std::string& text) const
    {
        return test::errorOf([&] { read(text); });
    }

    Model m_model = openModel(test::examplesDir() / "gcn.pt2");
    PlanSpace m_space{*m_model.analysis};
    test::TemporaryFolder m_folder;
};

TEST_F(PlanFile, IsReadAsItWasWritten)
{
    for (const Plan& plan : {m_space.messageDegree(), some()}) {
        const StoredPlan stored = read(written(plan).dump());
        EXPECT_EQ(stored.plan, plan);
        EXPECT_EQ(stored.batchSize, 64);
        EXPECT_THAT(stored.remarks, IsEmpty());
        EXPECT_TRUE(stored.isOfThisFile);
    }
}

TEST_F(PlanFile, KeepsWhichFunctionsRunOnADevice)
{
    StoredPlan plan{some(), 64, {}, {}, {}};
    const CutProgram cut = m_space.cut(plan.plan);
    plan.devices = {"cuda:1", {DeviceWishes::nameOf(cut.functions.back())}};
    writePlan(m_folder / "a.cleave.json", m_space, plan);
    const StoredPlan stored = readPlan(m_folder / "a.cleave.json", m_space);
    EXPECT_EQ(stored.devices, plan.devices);
    std::vector<bool> last(cut.functions.size());
    last.back() = true;
    EXPECT_EQ(stored.devices.in(cut), last);
    nlohmann::json json = nlohmann::json::parse(test::readText(m_folder / "a.cleave.json"));
    json["functions"][0]["device"] = "cuda";
    EXPECT_THAT(refusal(json.dump()), HasSubstr("one device beside the CPU for all functions"));
    json["functions"][0]["device"] = "cuda:1";
    EXPECT_EQ(read(json.dump()).devices.functions.size(), 2u);
    for (nlohmann::json& function : json["functions"])
        function["device"] = "cpu";
    EXPECT_THAT(refusal(json.dump()), HasSubstr("one device beside the CPU"));
    EXPECT_THAT(read(written(some()).dump()).devices.functions, IsEmpty());
}

TEST_F(PlanFile, SaysWhatRunsWhere)
{
    const nlohmann::json json = written(some());
    const nlohmann::json& first = json["functions"][0];
    EXPECT_EQ(first["function"], 1);
    EXPECT_EQ(first["before"][0]["op"], "linear");
    EXPECT_EQ(first["reads"][0]["shape"], nlohmann::json({"V", 1433}));
    EXPECT_EQ(json["constraints"]["pins"]["relu"], 2);
    EXPECT_EQ(json["constraints"]["together"][0].size(), 2U);
}

TEST_F(PlanFile, IsWrittenWholeOrNotAtAll)
{
    Plan illegal = m_space.messageDegree();
    illegal.positions.back() = Position::post(0);
    EXPECT_THAT(test::errorOf([&] { writePlan(m_folder / "c.json", m_space, StoredPlan{illegal, 0, {}, {}, {}}); }), HasSubstr("cannot"));
    EXPECT_FALSE(std::filesystem::exists(m_folder / "c.json"));
    EXPECT_NE(test::errorOf([&] { writePlan(m_folder / "nowhere/c.json", m_space, StoredPlan{m_space.messageDegree(), 0, {}, {}, {}}); }), "");
}

// The model was exported again: same ops by name, another file.
TEST_F(PlanFile, OfAnotherExportIsMatchedByName)
{
    nlohmann::json json = written(some());
    json["model"]["sha256"] = std::string(64, '0');
    EXPECT_EQ(read(json.dump()).plan, some());
    EXPECT_THAT(read(json.dump()).remarks, testing::ElementsAre(HasSubstr("was made for another file, 'GCN' (SHA-256 0000")));
    EXPECT_FALSE(read(json.dump()).isOfThisFile);

    json["functions"][0]["before"][0]["op"] = "linear_9";
    StoredPlan stored = read(json.dump());
    EXPECT_EQ(m_space.whyIllegal(stored.plan), "");
    EXPECT_THAT(stored.remarks,
                testing::UnorderedElementsAre(HasSubstr("another file"), HasSubstr("'linear_9'"), HasSubstr("does not place 'linear'")));

    json = written(m_space.messageDegree());
    json["model"]["sha256"] = std::string(64, '0');
    json["functions"][1]["after"][0]["target"] = "aten::mul";
    stored = read(json.dump());
    EXPECT_EQ(m_space.whyIllegal(stored.plan), "");
    EXPECT_THAT(stored.remarks.at(1), HasSubstr("aten::mul"));

    // Where the plan has an op that cannot be there any more, it goes as far as it can.
    json = written(m_space.messageDegree());
    json["model"]["sha256"] = std::string(64, '0');
    json["functions"][0]["after"].push_back(json["functions"][1]["after"].back());
    json["functions"][1]["after"].erase(json["functions"][1]["after"].size() - 1);
    stored = read(json.dump());
    EXPECT_EQ(m_space.whyIllegal(stored.plan), "");
    EXPECT_THAT(stored.remarks, testing::ElementsAre(HasSubstr("another file"), HasSubstr("part of message passing 1")));
}

// Names such as linear and relu are in every model: most ops must be here, of the plan's and of the model's.
TEST_F(PlanFile, OfAnotherModelIsRefused)
{
    for (const char* name : {"gat", "pna"}) {
        const Model other = openModel(std::filesystem::path(CLEAVE_TEST_DIR) / "models/zoo" / (std::string(name) + ".pt2"));
        const PlanSpace space(*other.analysis);
        writePlan(m_folder / "other.json", space, StoredPlan{space.messageDegree(), 0, {}, {}, {}});
        EXPECT_THAT(test::errorOf([&] { readPlan(m_folder / "other.json", m_space); }), HasSubstr("The plan is for another model: of its ")) << name;
        writePlan(m_folder / "mine.json", m_space, StoredPlan{some(), 0, {}, {}, {}});
        EXPECT_THAT(test::errorOf([&] { readPlan(m_folder / "mine.json", space); }), HasSubstr("The plan is for another model: of its ")) << name;
    }
}

// Joined functions, copies for blocks, node order: all that a run needs.
TEST_F(PlanFile, KeepsHowThePlanIsRun)
{
    StoredPlan plan{m_space.messageDegree(), 32, NodeOrder::Metis, {}, {}};
    const ValueId linear = m_model.program()[op("linear")].outputs.front();
    plan.copied = {{1, linear}};
    writePlan(m_folder / "c.json", m_space, plan);
    StoredPlan again = readPlan(m_folder / "c.json", m_space);
    EXPECT_EQ(again.plan, plan.plan);
    EXPECT_EQ(again.copied, plan.copied);
    EXPECT_EQ(again.order, NodeOrder::Metis);

    plan = {m_space.messageDegree(), 32, {}, {}, {}};
    plan.plan.joined = {1};
    writePlan(m_folder / "d.json", m_space, plan);
    again = readPlan(m_folder / "d.json", m_space);
    EXPECT_EQ(again.plan, plan.plan);
    EXPECT_EQ(m_space.cut(again.plan).functions.size(), 2U);

    recordVerification(m_folder / "d.json", {"cora", true, 1e-7, 1e-6, 1e-5, 1e-4, 32});
    const PlanSummary summary = readPlanSummary(m_folder / "d.json");
    EXPECT_TRUE(summary.verified.value_or(false));
    EXPECT_EQ(summary.positions.at("linear_1"), "post 1");
    EXPECT_EQ(readPlan(m_folder / "d.json", m_space).plan, plan.plan);
    test::writeText(m_folder / "e.json", "{}");
    EXPECT_NE(test::errorOf([&] { recordVerification(m_folder / "e.json", {}); }), "");
    EXPECT_NE(test::errorOf([&] { readPlanSummary(m_folder / "e.json"); }), "");
}

TEST_F(PlanFile, BadFilesAreOneSentence)
{
    const nlohmann::json good = written(some());
    const auto bad = [&](const auto& change) {
        nlohmann::json json = good;
        change(json);
        return refusal(json.dump());
    };
    using J = nlohmann::json;
    EXPECT_NE(refusal(""), "");
    EXPECT_NE(refusal("{"), "");
    EXPECT_NE(refusal("[]"), "");
    EXPECT_NE(refusal("{}"), "");
    EXPECT_NE(refusal(std::string(100000, '[')), "");
    EXPECT_THAT(bad([](J& j) { j["cleave_plan"] = 2; }), HasSubstr("version 2"));
    EXPECT_NE(bad([](J& j) { j["cleave_plan"] = "1"; }), "");
    EXPECT_NE(bad([](J& j) { j.erase("model"); }), "");
    EXPECT_NE(bad([](J& j) { j["functions"] = 3; }), "");
    EXPECT_NE(bad([](J& j) { j["functions"][0]["function"] = -1; }), "");
    EXPECT_NE(bad([](J& j) { j["functions"][0]["function"] = std::int64_t{1} << 40; }), "");
    EXPECT_NE(bad([](J& j) { j["functions"][0]["function"] = 1e300; }), "");
    EXPECT_NE(bad([](J& j) { j["functions"][0].erase("after"); }), "");
    EXPECT_NE(bad([](J& j) { j["functions"][0]["before"][0] = "linear"; }), "");
    EXPECT_NE(bad([](J& j) { j["functions"][0]["before"][0].erase("op"); }), "");
    EXPECT_THAT(bad([](J& j) { j["functions"][0]["before"][0]["op"] = "nobody"; }), HasSubstr("nobody"));
    EXPECT_THAT(bad([](J& j) { j["functions"][0]["before"][0]["target"] = "aten::mul"; }), HasSubstr("aten::mul"));
    EXPECT_THAT(bad([](J& j) { j["functions"][0]["before"].push_back(j["functions"][0]["before"][0]); }), HasSubstr("more than once"));
    EXPECT_THAT(bad([](J& j) { j["functions"][0]["before"].clear(); }), HasSubstr("does not place 'linear'"));
    EXPECT_THAT(bad([](J& j) { std::swap(j["functions"][0]["function"], j["functions"][1]["function"]); }), HasSubstr("not legal"));
    EXPECT_NE(bad([](J& j) { j["batch_size"] = -5; }), "");
    EXPECT_THAT(bad([](J& j) { j["order"] = "backwards"; }), HasSubstr("natural, degree, bfs or metis"));
    EXPECT_NE(bad([](J& j) { j["order"] = 3; }), "");
    EXPECT_NE(bad([](J& j) { j["functions"][0]["first"] = 7; }), "");
    EXPECT_NE(bad([](J& j) { j["functions"][0]["first"] = -1; }), "");
    EXPECT_NE(bad([](J& j) { j["functions"][0]["before"][0]["function"] = 5; }), "");
    EXPECT_NE(bad([](J& j) { j["functions"][0]["reads"] = "x"; }), "");
    EXPECT_NE(bad([](J& j) { j["functions"][0]["reads"][0]["read"] = {1}; }), "");
    EXPECT_THAT(bad([](J& j) {
        j["model"]["sha256"] = std::string(64, '0');
        for (J& function : j["functions"])
            for (const char* list : {"before", "message_passing", "after"})
                for (J& op : function[list])
                    op["op"] = "other_" + op["op"].get<std::string>();
    }), HasSubstr("another model"));
    EXPECT_NE(bad([](J& j) { j["constraints"]["pins"]["relu"] = 1; }), "");
    EXPECT_NE(bad([](J& j) { j["constraints"]["pins"]["relu"] = "two"; }), "");
    EXPECT_THAT(bad([](J& j) { j["constraints"]["pins"]["nobody"] = 1; }), HasSubstr("nobody"));
    EXPECT_THAT(bad([](J& j) { j["constraints"]["together"][0] = {"linear", "relu"}; }), HasSubstr("constraint"));
    EXPECT_THAT(test::errorOf([&] { readPlan(m_folder / "missing.json", m_space); }), HasSubstr("missing.json"));
}

}  // namespace
}  // namespace cleave
