#include "views/dag_model.h"

#include <gmock/gmock.h>

#include <functional>
#include <map>
#include <set>

#include "core/run/model.h"
#include "core/analysis/shape_text.h"

namespace cleave::views {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;

// A program by hand: every op reads the outputs of some earlier values and lies in a module.
class Handmade {
public:
    Handmade()
    {
        analysis.program.modules.push_back({"", "Net", {}});
        analysis.nodeTypes = {{"n", "nodes", {}}};
        analysis.levels = 1;
    }

    ValueId input(const std::string& name, Reach reach)
    {
        const ValueId id = value(name, reach);
        analysis.program.inputs.push_back({id, reach == Reach::Feature ? Role::NodeFeatures : Role::GraphStructure});
        return id;
    }

    ModuleId module(const std::string& path)
    {
        analysis.program.modules.push_back({path, "torch.nn." + path, ModuleId{0}});
        return {static_cast<int>(analysis.program.modules.size()) - 1};
    }

    ValueId op(const std::string& name, ModuleId in, const std::vector<ValueId>& reads, int function)
    {
        const ValueId id = value(name, function < 0 ? Reach::Structure : Reach::Feature);
        Op added;
        added.name = name;
        added.target = "aten::" + name;
        added.module = in;
        added.outputs = {id};
        for (const ValueId read : reads)
            added.args.push_back({"arg", {read}});
        analysis.program[id].producer = {static_cast<int>(analysis.program.ops.size())};
        analysis.program.ops.push_back(added);
        analysis.ops.resize(analysis.program.ops.size());
        if (function >= 0) {
            cut.functions.resize(std::max(cut.functions.size(), static_cast<std::size_t>(function) + 1));
            Step step;
            step.op = analysis.program[id].producer;
            cut.functions[static_cast<std::size_t>(function)].steps.push_back(step);
            cut.functions[static_cast<std::size_t>(function)].level = function;
            analysis.values[id].level = function;
        }
        return id;
    }

    Analysis analysis;
    CutProgram cut;

private:
    ValueId value(const std::string& name, Reach reach)
    {
        Value added;
        added.name = name;
        added.dtype = DType::Float32;
        added.sizes = {{0, "n"}, {4, ""}};
        analysis.program.values.push_back(added);
        const ValueFacts facts{reach, reach == Reach::Feature ? Rows::Nodes : Rows::None, 0, reach == Reach::Feature ? 0 : -1};
        analysis.values.resize(analysis.program.values.size());
        const ValueId id{static_cast<int>(analysis.program.values.size()) - 1};
        analysis.values[id] = facts;
        return id;
    }
};

std::vector<std::string> titles(const DagModel& dag, int band, BoxKind kind)
{
    std::vector<std::string> names;
    for (const DagBox& box : dag.boxes)
        if (box.key.band == band && box.key.kind == kind)
            names.push_back(box.title);
    return names;
}

// x -> a -> |cut| -> b, which also reads x and w = f(edge_index)
Handmade twoFunctions()
{
    Handmade made;
    const ValueId x = made.input("x", Reach::Feature);
    const ValueId edges = made.input("edge_index", Reach::Structure);
    const ValueId w = made.op("w", {0}, {edges}, -1);
    const ValueId a = made.op("a", {0}, {x, edges}, 0);
    const ValueId b = made.op("b", {0}, {a, x, w}, 1);
    made.cut.prologue = {w};
    made.cut.functions[0].reads = {x};
    made.cut.functions[0].saves = {a};
    made.cut.functions[1].reads = {a, x};
    made.cut.functions[1].saves = {b};
    made.analysis.program.outputs = {b};
    return made;
}

TEST(DagModel, PutsFunctionsInBandsAndTensorsIntoStrips)
{
    const Handmade made = twoFunctions();
    const DagModel dag = buildDag(made.analysis, made.cut, {});
    ASSERT_EQ(dag.bands.size(), 3U);
    EXPECT_THAT(titles(dag, 1, BoxKind::Op), ElementsAre("a"));
    EXPECT_THAT(titles(dag, 2, BoxKind::Op), ElementsAre("b"));
    EXPECT_THAT(titles(dag, 0, BoxKind::Tensor), ElementsAre("x"));
    EXPECT_THAT(titles(dag, 1, BoxKind::Tensor), ElementsAre("a", "x"));
    EXPECT_THAT(titles(dag, 2, BoxKind::Tensor), ElementsAre("b"));
}

TEST(DagModel, CountsWhatCrossesACut)
{
    const Handmade made = twoFunctions();
    const DagModel dag = buildDag(made.analysis, made.cut, {});
    EXPECT_EQ(dag.bands[1].strip.crossing.size(), 1U) << "the input is no save point";
    EXPECT_EQ(dag.bands[1].strip.nodeRowBytes, 16) << "four float32";
    EXPECT_THAT(dag.bands[2].strip.crossing, IsEmpty());
}

TEST(DagModel, ShowsWhatIsReadAgainAsAReminder)
{
    const Handmade made = twoFunctions();
    const DagModel dag = buildDag(made.analysis, made.cut, {});
    for (const DagBox& box : dag.boxes)
        if (box.key.kind == BoxKind::Tensor) {
            EXPECT_EQ(box.isReminder, box.title == "x" && box.key.band == 1);
            EXPECT_EQ(box.isOutput, box.title == "b");
        }
}

TEST(DagModel, WritesStructureAsBadges)
{
    const Handmade made = twoFunctions();
    const DagModel dag = buildDag(made.analysis, made.cut, {});
    const DagBox& a = dag.boxes[static_cast<std::size_t>(dag.findOp({1}))];
    const DagBox& b = dag.boxes[static_cast<std::size_t>(dag.findOp({2}))];
    EXPECT_THAT(a.structure, ElementsAre("edge_index"));
    EXPECT_THAT(b.structure, ElementsAre("w"));
    for (const DagArrow& arrow : dag.arrows)
        EXPECT_NE(dag.boxes[static_cast<std::size_t>(arrow.from)].key.kind, BoxKind::Prologue);
}

// x and y are rows of two types; what becomes of y is read in the second function alone, and both functions give an output.
TEST(DagModel, ShowsInputsAndOutputsOfAllNodeTypes)
{
    Handmade made;
    made.analysis.nodeTypes = {{"n", "paper", {}}, {"m", "author", {}}};
    const ValueId x = made.input("x", Reach::Feature), y = made.input("y", Reach::Feature);
    const ModuleId writes = made.module("convs.author__writes__paper.lin");
    const ValueId a = made.op("a", writes, {x}, 0), b = made.op("b", made.module("lin.author"), {y}, 1);
    for (const ValueId value : {y, b})
        made.analysis.values[value].nodeType = 1;
    for (int function = 0; function < 2; ++function)
        made.cut.functions[static_cast<std::size_t>(function)].nodeType = function;
    made.cut.functions[0].reads = {x};
    made.cut.functions[0].saves = {a};
    made.cut.functions[1].reads = {y};
    made.cut.functions[1].saves = {b};
    made.analysis.program.outputs = {a, b};
    const DagModel dag = buildDag(made.analysis, made.cut, {});
    EXPECT_THAT(titles(dag, 0, BoxKind::Tensor), ElementsAre("x", "y"));
    EXPECT_THAT(titles(dag, 1, BoxKind::Tensor), ElementsAre("a", "y"));
    EXPECT_THAT(titles(dag, 2, BoxKind::Tensor), ElementsAre("b", "a"));
    std::map<std::string, std::string> belongs;
    for (const DagBox& box : dag.boxes) {
        if (box.key.kind == BoxKind::Tensor) {
            EXPECT_EQ(box.isReminder, (box.key.band == 1 && box.title == "y") || (box.key.band == 2 && box.title == "a"));
            EXPECT_EQ(box.isOutput, box.title == "a" || box.title == "b");
        }
        belongs[(box.key.kind == BoxKind::Tensor ? "rows of " : "") + box.title] = box.belongs;
    }
    EXPECT_EQ(belongs["rows of a"], "paper");
    EXPECT_EQ(belongs["rows of y"], "author");
    EXPECT_EQ(belongs["a"], "author__writes__paper");
    EXPECT_EQ(belongs["b"], "") << "its band says so";
}

TEST(DagModel, NamesModulesFromTheirFrameOn)
{
    Handmade made;
    const ValueId x = made.input("x", Reach::Feature);
    const ModuleId outer = made.module("convs.0");
    const ModuleId inner = made.module("convs.0.lin");
    made.analysis.program.modules[static_cast<std::size_t>(inner.index)].parent = outer;
    made.op("c", outer, {made.op("b", inner, {made.op("a", inner, {x}, 0)}, 0)}, 0);
    EXPECT_THAT(titles(buildDag(made.analysis, made.cut, {}), 1, BoxKind::Module), ElementsAre("convs.0"));
    EXPECT_THAT(titles(buildDag(made.analysis, made.cut, {{1, outer}}), 1, BoxKind::Module), ElementsAre("lin"));
}

// A module that is called twice with an op between its calls would make a cycle as one box.
TEST(DagModel, SplitsAModuleThatIsEnteredAgain)
{
    Handmade made;
    const ValueId x = made.input("x", Reach::Feature);
    const ModuleId act = made.module("act");
    const ValueId a = made.op("a", act, {x}, 0);
    const ValueId b = made.op("b", act, {a}, 0);
    const ValueId lin = made.op("lin", {0}, {b}, 0);
    const ValueId c = made.op("c", act, {lin}, 0);
    made.op("d", act, {c}, 0);
    const DagModel dag = buildDag(made.analysis, made.cut, {});
    EXPECT_THAT(titles(dag, 1, BoxKind::Module), ElementsAre("act", "act"));
    EXPECT_EQ(dag.findOp({0}), dag.findOp({1}));
    EXPECT_EQ(dag.findOp({3}), dag.findOp({4}));
    EXPECT_NE(dag.findOp({0}), dag.findOp({3}));
}

TEST(DagModel, OpensABandOfOneModule)
{
    Handmade made;
    const ValueId x = made.input("x", Reach::Feature);
    const ModuleId only = made.module("only");
    made.op("b", only, {made.op("a", only, {x}, 0)}, 0);
    const DagModel dag = buildDag(made.analysis, made.cut, initialExpansion(made.analysis, made.cut));
    EXPECT_THAT(titles(dag, 1, BoxKind::Op), ElementsAre("a", "b"));
    ASSERT_EQ(dag.frames.size(), 1U);
    EXPECT_EQ(dag.frames[0].module, only);
}

// x -> a -> c0 -> c1 -> … -> out, each in a function of its own, and all read w; the last also reads what the others gave, if jumps.
Handmade layers(int count, bool jumps)
{
    Handmade made;
    const ValueId x = made.input("x", Reach::Feature);
    const ValueId w = made.op("w", {0}, {made.input("edge_index", Reach::Structure)}, -1);
    std::vector<ValueId> given{made.op("a", {0}, {x}, 0)};
    for (int layer = 1; layer <= count; ++layer)
        given.push_back(made.op("c", {0}, {given.back(), w}, layer));
    made.op("out", {0}, jumps ? given : std::vector{given.back()}, count + 1);
    made.cut.prologue = {w};
    for (std::size_t f = 0; f < made.cut.functions.size(); ++f) {
        CutFunction& function = made.cut.functions[f];
        for (const Step& step : function.steps) {
            const Op& op = made.analysis.program[step.op];
            forEachOperand(op, [&](ValueId value) {
                if (value != w)
                    function.reads.push_back(value);
            });
            function.saves = op.outputs;
        }
    }
    made.analysis.program.outputs = made.cut.functions.back().saves;
    return made;
}

TEST(Repeats, AreLayersThatDoTheSame)
{
    const Handmade made = layers(6, false);
    EXPECT_THAT(findRepeats(made.analysis, made.cut), ElementsAre(Repeat{2, 1, 6}));
    EXPECT_THAT(findRepeats(made.analysis, made.cut, 7), IsEmpty());
    EXPECT_THAT(findRepeats(layers(3, false).analysis, layers(3, false).cut), IsEmpty()) << "that few are shown";
}

TEST(Repeats, EndWhereALayerDiffers)
{
    Handmade made = layers(9, false);
    made.analysis.program[OpId{5}].args.push_back({"dim", {std::int64_t{0}}});  // c of function 4, in band 5
    EXPECT_THAT(findRepeats(made.analysis, made.cut), ElementsAre(Repeat{6, 1, 5}));
    made.analysis.program[OpId{5}].args.pop_back();
    made.analysis.program[made.analysis.program[OpId{5}].outputs.front()].sizes[1] = {8, ""};
    EXPECT_THAT(findRepeats(made.analysis, made.cut), ElementsAre(Repeat{7, 1, 4})) << "another width, which the next layer reads";
}

TEST(Repeats, MayTakeSeveralBands)
{
    Handmade made = layers(10, false);
    for (const int op : {3, 5, 7, 9, 11})
        made.analysis.program[OpId{op}].target = "aten::d";
    EXPECT_THAT(findRepeats(made.analysis, made.cut), ElementsAre(Repeat{2, 2, 5}));
}

TEST(DagModel, FoldsRepeats)
{
    for (const bool jumps : {false, true}) {
        const Handmade made = layers(6, jumps);
        const DagModel dag = buildDag(made.analysis, made.cut, {}, {.folded = findRepeats(made.analysis, made.cut)});
        ASSERT_EQ(dag.bands.size(), 9U);
        for (int band = 0; band < 9; ++band)
            EXPECT_EQ(dag.bands[static_cast<std::size_t>(band)].isHidden, band >= 3 && band < 7) << band;
        EXPECT_EQ(dag.bands[7].firstFunction, 2);
        EXPECT_EQ(dag.bands[7].ops, 5);
        const DagBox& box = dag.boxes[static_cast<std::size_t>(dag.findOp({7}))];
        EXPECT_EQ(box.key.kind, BoxKind::Repeat);
        EXPECT_EQ(box.ops.size(), 5U);
        EXPECT_THAT(titles(dag, 7, BoxKind::Tensor),
                    testing::ElementsAreArray(jumps ? std::vector<std::string>{"c", "a", "c", "c", "c", "c", "c"} : std::vector<std::string>{"c"}));
        // What it reads comes from the layer before it, and what the next function reads leaves it.
        int in = 0, out = 0;
        for (const DagArrow& arrow : dag.arrows) {
            in += arrow.to == dag.findOp({7}) ? 1 : 0;
            out += arrow.from == dag.findOp({7}) ? 1 : 0;
        }
        EXPECT_EQ(in, 1);
        EXPECT_EQ(out, jumps ? 5 : 1) << "the tensors that folded layers keep for the last function are theirs";
    }
}

TEST(DagModel, ShowsStructureArrowsFromThePrologueAndInputs)
{
    const Handmade made = twoFunctions();
    EXPECT_THAT(buildDag(made.analysis, made.cut, {}).structureArrows, IsEmpty());
    const DagModel dag = buildDag(made.analysis, made.cut, {}, {.folded = {}, .structure = true});
    ASSERT_EQ(dag.structureArrows.size(), 2U);
    EXPECT_THAT(titles(dag, 0, BoxKind::Tensor), ElementsAre("x", "edge_index"));
    std::set<std::pair<int, int>> arrows;
    for (const DagArrow& arrow : dag.structureArrows)
        arrows.emplace(arrow.from, arrow.to);
    EXPECT_TRUE(arrows.contains({dag.findOp({0}), dag.findOp({2})})) << "w into b";
    EXPECT_TRUE(arrows.contains({dag.find({BoxKind::Tensor, 0, {}, {}, {1}}), dag.findOp({1})})) << "edge_index into a";
    EXPECT_EQ(dag.arrows.size(), buildDag(made.analysis, made.cut, {}).arrows.size());
}

TEST(ShapeText, CountsInLettersOfTheField)
{
    const Model model = openModel(CLEAVE_EXAMPLES_DIR "/gcn.pt2", {.roles = {}, .check = false});
    const Analysis& analysis = *model.analysis;
    std::set<std::string> shapes;
    for (int i = 0; i < static_cast<int>(analysis.program.values.size()); ++i)
        if (analysis.program[ValueId{i}].kind == ValueKind::Tensor)
            shapes.insert(shapeText(analysis, ValueId{i}));
    EXPECT_THAT(shapes, IsSupersetOf({"[V, 1433]", "[2, M]", "[M]"}));
    EXPECT_THAT(shapes, Each(Not(HasSubstr("s"))));
    EXPECT_THAT(shapes, Each(Not(HasSubstr("Add"))));

    Handmade made = twoFunctions();
    const auto written = [&](const std::string& size) {
        made.analysis.program[ValueId{0}].sizes = {{0, size}};
        made.analysis.values[ValueId{0}].rowDim = -1;
        return shapeText(made.analysis, ValueId{0});
    };
    const std::string nodes = made.analysis.nodeTypes.front().symbol;
    EXPECT_EQ(written("Add(-1, " + nodes + ", u0)"), "[V + u0 − 1]");
    EXPECT_EQ(written("Mul(2, Add(u1, " + nodes + "))"), "[2·(u1 + V)]");
    EXPECT_EQ(written("FloorDiv(u0, 2)"), "[⌊u0 / 2⌋]");
}

class DagOfExample : public testing::TestWithParam<const char*> {
protected:
    const Model model = openModel(std::string(CLEAVE_EXAMPLES_DIR "/") + GetParam(), {.roles = {}, .check = false});
    const Analysis& analysis = *model.analysis;
    const CutProgram& cut = *model.cut;
};

void expectEveryOpOnceInItsBand(const DagModel& dag, const Analysis& analysis, const CutProgram& cut)
{
    std::set<std::pair<int, int>> shown;
    for (const DagBox& box : dag.boxes)
        for (const OpId op : box.ops)
            EXPECT_TRUE(shown.insert({box.key.band, op.index}).second) << box.title;
    std::set<int> all;
    for (const auto& [band, op] : shown)
        all.insert(op);
    EXPECT_EQ(all.size(), analysis.program.ops.size());
    for (std::size_t f = 0; f < cut.functions.size(); ++f)
        for (const Step& step : cut.functions[f].steps)
            if (analysis.values[analysis.program[step.op].outputs.front()].reach == Reach::Feature) {
                EXPECT_TRUE(shown.contains({static_cast<int>(f) + 1, step.op.index})) << analysis.program[step.op].name;
            }
}

void expectNoCycle(const DagModel& dag)
{
    std::vector<int> waiting(dag.boxes.size(), 0);
    for (const DagArrow& arrow : dag.arrows)
        ++waiting[static_cast<std::size_t>(arrow.to)];
    std::vector<int> ready;
    for (std::size_t i = 0; i < waiting.size(); ++i)
        if (waiting[i] == 0)
            ready.push_back(static_cast<int>(i));
    for (std::size_t done = 0; done < ready.size(); ++done)
        for (const DagArrow& arrow : dag.arrows)
            if (arrow.from == ready[done] && --waiting[static_cast<std::size_t>(arrow.to)] == 0)
                ready.push_back(arrow.to);
    EXPECT_EQ(ready.size(), dag.boxes.size());
}

TEST_P(DagOfExample, ShowsEveryOpOnceInEveryStateOfExpansion)
{
    for (const Expansion& expansion : {Expansion{}, initialExpansion(analysis, cut), fullExpansion(analysis, cut)}) {
        const DagModel dag = buildDag(analysis, cut, expansion);
        expectEveryOpOnceInItsBand(dag, analysis, cut);
        expectNoCycle(dag);
    }
}

TEST_P(DagOfExample, ShowsOnlyOpsWhenFullyExpanded)
{
    for (const DagBox& box : buildDag(analysis, cut, fullExpansion(analysis, cut)).boxes)
        EXPECT_FALSE(box.isExpandable()) << box.title;
}

TEST_P(DagOfExample, LeadsEverySavePointToItsReaders)
{
    const DagModel dag = buildDag(analysis, cut, {});
    std::map<std::pair<int, ValueId>, int> arrows;  // band of the strip, value -> arrows that leave it
    for (const DagArrow& arrow : dag.arrows)
        if (const DagKey& key = dag.boxes[static_cast<std::size_t>(arrow.from)].key; key.kind == BoxKind::Tensor)
            ++arrows[{key.band, key.value}];
    for (std::size_t f = 0; f < cut.functions.size(); ++f)
        for (const ValueId value : cut.functions[f].reads)
            EXPECT_GT((arrows[{static_cast<int>(f), value}]), 0) << analysis.program[value].name << " into function " << f;
}

INSTANTIATE_TEST_SUITE_P(Examples, DagOfExample, testing::Values("gcn.pt2", "sage.pt2", "gat.pt2", "jk.pt2"));

}  // namespace
}  // namespace cleave::views
