#include "core/model/pt2_reader.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/model/pt2_checks.h"
#include "tests/core/test_files.h"

namespace cleave {
namespace {

const Op* findOp(const Program& program, std::string_view target)
{
    const auto op = std::ranges::find(program.ops, target, &Op::target);
    return op == program.ops.end() ? nullptr : &*op;
}

TEST(Pt2Reader, ReadsNamesShapesModulesAndSourceLines)
{
    const Program program = readPt2(test::examplesDir() / "gcn.pt2");
    EXPECT_EQ(program.name, "GCN");
    EXPECT_TRUE(program.producer.starts_with("PyTorch 2."));
    EXPECT_EQ(program.sha256.size(), 64U);
    ASSERT_EQ(program.inputs.size(), 2U);
    EXPECT_EQ(program[program.inputs[0].value].name, "x");
    EXPECT_EQ(program[program.inputs[1].value].name, "edge_index");
    EXPECT_EQ(program[program.inputs[0].value].sizes[1], (Dim{1433, {}}));
    EXPECT_FALSE(program[program.inputs[0].value].sizes[0].isConstant());
    const Op* linear = findOp(program, "aten::linear");
    ASSERT_NE(linear, nullptr);
    EXPECT_EQ(program[linear->module].path, "convs.0.lin");
    EXPECT_FALSE(linear->source.file.empty());
    EXPECT_GT(linear->source.line, 0);
    ASSERT_TRUE(linear->source.callers);
    EXPECT_TRUE(linear->source.callers->front().file.ends_with("gcn_conv.py")) << linear->source.callers->front().file;
    EXPECT_NE(linear->source.callers->front().code.find("self.lin(x)"), std::string::npos) << linear->source.callers->front().code;
    EXPECT_FALSE(linear->source.callers->front().callers);
    EXPECT_EQ(program.outputs.size(), 1U);
}

TEST(Pt2Reader, ValuesAreDefinedBeforeTheyAreRead)
{
    for (const auto& entry : std::filesystem::directory_iterator(test::testDir() / "models/zoo")) {
        if (entry.path().extension() != ".pt2" || entry.path().stem() == "static" || entry.path().stem() == "training")
            continue;
        const Program program = readPt2(entry.path());
        for (std::size_t i = 0; i < program.ops.size(); ++i)
            forEachOperand(program.ops[i], [&](ValueId id) { EXPECT_LT(program[id].producer.index, static_cast<int>(i)) << entry.path(); });
    }
}

TEST(Pt2Reader, SeveralOutputsKeepTheirPlaces)
{
    const Program program = readPt2(test::examplesDir() / "jk.pt2");
    const Op* lstm = findOp(program, "aten::lstm");
    ASSERT_NE(lstm, nullptr);
    EXPECT_EQ(lstm->outputs.size(), 3U);
}

TEST(Pt2Reader, TrainingModeIsRefused)
{
    const std::string error = test::errorOf([] { readPt2(test::testDir() / "models/zoo/training.pt2"); });
    EXPECT_NE(error.find("model.eval()"), std::string::npos) << error;
    EXPECT_NE(error.find("dropout"), std::string::npos) << error;
}

TEST(Pt2Reader, HalfPrecisionBecomesFloat32AndSaysSo)
{
    const Program program = readPt2(test::testDir() / "models/zoo/float16.pt2");
    EXPECT_TRUE(std::ranges::none_of(program.values, [](const Value& v) { return v.dtype == DType::Float16; }));
    EXPECT_TRUE(std::ranges::any_of(program.notes, [](const std::string& n) { return n.find("float16") != std::string::npos; }));
}

}  // namespace
}  // namespace cleave
