#include "views/read_program.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QRegularExpression>
#include <algorithm>

#include "core/plan/dot.h"
#include "views/text.h"

namespace cleave::views {

namespace {

struct ProgramTexts {
    Q_DECLARE_TR_FUNCTIONS(cleave::views::ReadProgram)
};

// All ops are one function, about whose tensors nothing is known.
Model drawnModel(Program program)
{
    auto analysis = std::make_shared<Analysis>();
    auto cut = std::make_shared<CutProgram>();
    ValueFacts facts;
    facts.reach = Reach::Feature;
    facts.rows = Rows::Graph;
    facts.level = 0;
    OpFacts how;
    how.kind = OpKind::RowWise;
    analysis->nodeTypes = {{}};
    analysis->values.resize(program.values.size(), facts);
    analysis->ops.resize(program.ops.size(), how);
    CutFunction& all = cut->functions.emplace_back();
    for (std::size_t op = 0; op < program.ops.size(); ++op)
        if (!program.ops[op].outputs.empty()) {
            Step step;
            step.op = OpId{static_cast<int>(op)};
            all.steps.push_back(step);
        }
    for (const Input& input : program.inputs)
        all.reads.push_back(input.value);
    std::ranges::copy_if(program.outputs, std::back_inserter(all.saves), [&](ValueId value) { return program[value].producer.valid(); });
    analysis->program = std::move(program);
    return {std::move(analysis), std::move(cut)};
}

OpId opNamedIn(const QString& sentence, const Program& program)
{
    static const QRegularExpression quoted(QStringLiteral("\\bop '([^']+)'"));
    const std::string name = quoted.match(sentence).captured(1).toStdString();
    const auto found = std::ranges::find(program.ops, name, &Op::name);
    return name.empty() || found == program.ops.end() ? OpId{} : OpId{static_cast<int>(found - program.ops.begin())};
}

}  // namespace

ReadProgram::ReadProgram(Program program, const QString& refusal)
    : ViewedGraph(std::make_shared<const Model>(drawnModel(std::move(program)))), m_refused(opNamedIn(refusal, drawn()->program()))
{
}

void ReadProgram::describe(DagModel& dag) const
{
    for (DagBox& box : dag.boxes) {
        box.level = -1;
        box.rows = RowsClass::Structure;
    }
}

BandItem::Texts ReadProgram::bandTexts(const DagBand& band) const
{
    BandItem::Texts texts;
    if (band.function < 0) {
        const QString name = toText(drawn()->program().name);
        texts.title = name.isEmpty() ? ProgramTexts::tr("Model") : name;
        texts.lines.append(ProgramTexts::tr("as it was read"));
        texts.stripTitle = ProgramTexts::tr("Inputs");
        return texts;
    }
    texts.title = ProgramTexts::tr("Program");
    texts.lines.append(ProgramTexts::tr("%n op(s)", nullptr, band.ops));
    texts.stripTitle = ProgramTexts::tr("Outputs");
    return texts;
}

Inspection ReadProgram::inspect(const DagBox& box) const
{
    return inspectRead(*drawn(), box);
}

std::vector<PropertySection> ReadProgram::sections(const QString& path) const
{
    const Program& program = drawn()->program();
    std::vector<PropertySection> all;
    auto& about = all.emplace_back(PropertySection{ProgramTexts::tr("Model"), {}}).properties;
    about.push_back({ProgramTexts::tr("file"), QFileInfo(path).fileName(), path});
    about.push_back({ProgramTexts::tr("class"), toText(program.name), {}});
    about.push_back({ProgramTexts::tr("operators"), countText(std::ssize(program.ops)), {}});
    about.push_back({ProgramTexts::tr("note"), ProgramTexts::tr("for viewing: it was not opened"), {}});
    auto& inputs = all.emplace_back(PropertySection{ProgramTexts::tr("Inputs"), {}}).properties;
    for (const Input& input : program.inputs)
        inputs.push_back({toText(program[input.value].name), tensorText(*drawn()->analysis, input.value), {}});
    return all;
}

std::string ReadProgram::dot() const
{
    return toDot(*drawn()->analysis, *drawn()->cut);
}

}  // namespace cleave::views
