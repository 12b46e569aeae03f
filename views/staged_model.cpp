#include "views/staged_model.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <algorithm>
#include <set>

#include "views/text.h"

namespace cleave::views {

namespace {

struct StagedTexts {
    Q_DECLARE_TR_FUNCTIONS(cleave::views::StagedModel)
};

std::size_t at(int index)
{
    return static_cast<std::size_t>(index);
}

// "Embedding" of "Embedding(32320, 1024, padding_idx=0)".
QString headOf(const ProfileNode& node)
{
    const QString description = toText(node.description);
    const QString head = description.left(description.indexOf(u'(')).trimmed();
    return head.isEmpty() ? toText(node.id) : head;
}

QString stageTitle(const ProfileGraph& graph, int stage)
{
    return graph.hasStages ? StagedTexts::tr("Stage %1").arg(graph.stages[at(stage)]) : StagedTexts::tr("No stages");
}

std::vector<std::vector<int>> readersOf(const ProfileGraph& graph)
{
    std::vector<std::vector<int>> readers(graph.nodes.size());
    for (const auto& [from, to] : graph.edges)
        readers[at(from)].push_back(to);
    return readers;
}

// Each node is an op with one result, each stage a function that saves what later ones read.
class Drawing {
public:
    explicit Drawing(const ProfileGraph& graph) : m_graph(graph), m_order(graph.inOrder()), m_readers(readersOf(graph)) {}

    Model draw()
    {
        auto analysis = std::make_shared<Analysis>();
        auto cut = std::make_shared<CutProgram>();
        analysis->program.name = m_graph.name;
        analysis->nodeTypes = {{}};
        analysis->levels = m_graph.stages.back();
        cut->functions.resize(m_graph.stages.size());
        for (std::size_t stage = 0; stage < m_graph.stages.size(); ++stage)
            cut->functions[stage].level = m_graph.stages[stage];
        for (std::size_t op = 0; op < m_order.size(); ++op)
            addNode(OpId{static_cast<int>(op)}, *analysis, *cut);
        addReads(*analysis, *cut);
        return {analysis, cut};
    }

private:
    void addNode(OpId id, Analysis& analysis, CutProgram& cut) const
    {
        const ProfileNode& node = m_graph.nodes[at(m_order[at(id.index)])];
        const ValueId result{id.index};
        Program& program = analysis.program;
        Value& value = program.values.emplace_back();
        value.name = node.id;
        value.producer = id;
        Op& op = program.ops.emplace_back();
        op.name = node.id;
        op.target = node.description;
        op.outputs = {result};
        ValueFacts facts;
        facts.reach = Reach::Feature;
        facts.rows = Rows::Graph;
        facts.level = m_graph.stages[at(node.stage)];
        analysis.values.resize(program.values.size(), facts);
        analysis.values[result] = facts;
        OpFacts how;
        how.kind = OpKind::RowWise;
        analysis.ops.resize(program.ops.size(), how);
        Step step;
        step.op = id;
        cut.functions[at(node.stage)].steps.push_back(step);
    }

    void addReads(Analysis& analysis, CutProgram& cut) const
    {
        std::vector<int> opOf(m_order.size());
        for (std::size_t op = 0; op < m_order.size(); ++op)
            opOf[at(m_order[op])] = static_cast<int>(op);
        std::vector<std::vector<Argument>> operands(m_order.size());
        for (const int node : m_order) {
            const ValueId result{opOf[at(node)]};
            const int stage = m_graph.nodes[at(node)].stage;
            std::set<int> readBy;
            for (const int reader : m_readers[at(node)]) {
                operands[at(opOf[at(reader)])].push_back({result});
                if (const int other = m_graph.nodes[at(reader)].stage; other != stage)
                    readBy.insert(other);
            }
            for (const int other : readBy)
                cut.functions[at(other)].reads.push_back(result);
            if (!readBy.empty())
                cut.functions[at(stage)].saves.push_back(result);
            if (m_readers[at(node)].empty())
                analysis.program.outputs.push_back(result);
        }
        for (std::size_t op = 0; op < operands.size(); ++op)
            analysis.program.ops[op].args = {{"reads", {std::move(operands[op])}}};
    }

    const ProfileGraph& m_graph;
    std::vector<int> m_order;
    std::vector<std::vector<int>> m_readers;
};

QString nodesText(const ProfileGraph& graph, const std::vector<int>& nodes)
{
    QStringList texts;
    for (const int node : nodes)
        texts.append(QStringLiteral("%1 (%2)").arg(toText(graph.nodes[at(node)].id), headOf(graph.nodes[at(node)])));
    return texts.join(QStringLiteral(", "));
}

QString sizeText(double bytes)
{
    return bytes > 0 ? bytesText(bytes) : StagedTexts::tr("none");
}
QString timeText(double seconds)
{
    return seconds > 0 ? secondsText(seconds) : StagedTexts::tr("none");
}

void addTotals(std::vector<Property>& properties, const StageTotals& totals)
{
    properties.push_back({StagedTexts::tr("nodes"), countText(totals.nodes), {}});
    properties.push_back({StagedTexts::tr("forward"), timeText(totals.forwardSeconds), {}});
    properties.push_back({StagedTexts::tr("backward"), timeText(totals.backwardSeconds), {}});
    properties.push_back({StagedTexts::tr("parameters"), sizeText(totals.parameterBytes), {}});
}

}  // namespace

StagedModel::StagedModel(ProfileGraph graph)
    : ViewedGraph(std::make_shared<const Model>(Drawing(graph).draw())),
      m_graph(std::move(graph)),
      m_totals(stageTotals(m_graph)),
      m_nodeOf(m_graph.inOrder())
{
}

// There is no prologue, so its band is none.
void StagedModel::describe(DagModel& dag) const
{
    dag.bands.front().isHidden = true;
    for (std::size_t i = 1; i < dag.bands.size(); ++i)
        dag.bands[i].name = stageTitle(m_graph, static_cast<int>(i) - 1).toStdString();
    const Program& program = drawn()->program();
    for (DagBox& box : dag.boxes) {
        const bool isTensor = box.key.kind == BoxKind::Tensor;
        const ProfileNode& node = this->node(isTensor ? program[box.key.value].producer : box.key.op);
        box.title = isTensor ? node.id : headOf(node).toStdString();
        box.type = isTensor ? "" : node.id;
        box.shape = node.activation() > 0 ? bytesText(node.activation()).toStdString() : "";
        box.rows = RowsClass::Structure;
    }
}

BandItem::Texts StagedModel::bandTexts(const DagBand& band) const
{
    const StageTotals& totals = m_totals[at(band.function)];
    BandItem::Texts texts;
    texts.title = toText(band.name);
    texts.lines.append(StagedTexts::tr("%n node(s)", nullptr, totals.nodes));
    if (totals.forwardSeconds > 0)
        texts.lines.append(StagedTexts::tr("forward %1").arg(secondsText(totals.forwardSeconds)));
    if (totals.backwardSeconds > 0)
        texts.lines.append(StagedTexts::tr("backward %1").arg(secondsText(totals.backwardSeconds)));
    if (totals.parameterBytes > 0)
        texts.lines.append(StagedTexts::tr("parameters %1").arg(bytesText(totals.parameterBytes)));
    if (totals.handedOn > 0) {
        texts.stripTitle = StagedTexts::tr("Handed on");
        texts.stripLines.append(StagedTexts::tr("%n tensor(s)", nullptr, totals.handedOn));
        texts.stripLines.append(bytesText(totals.handedOnBytes));
    }
    return texts;
}

Inspection StagedModel::inspect(const DagBox& box) const
{
    const bool isTensor = box.key.kind == BoxKind::Tensor;
    const OpId op = isTensor ? drawn()->program()[box.key.value].producer : box.key.op;
    const int index = m_nodeOf[at(op.index)];
    const ProfileNode& node = this->node(op);
    Inspection result;
    result.title = headOf(node);
    result.kind = isTensor            ? StagedTexts::tr("Handed on by stage %1").arg(m_graph.stages[at(node.stage)])
                  : m_graph.hasStages ? StagedTexts::tr("Node in stage %1").arg(m_graph.stages[at(node.stage)])
                                      : StagedTexts::tr("Node");
    auto& about = result.sections.emplace_back(PropertySection{StagedTexts::tr("Node"), {}}).properties;
    about.push_back({StagedTexts::tr("name"), toText(node.id), {}});
    about.push_back({StagedTexts::tr("description"), toText(node.description), toText(node.description)});
    about.push_back({StagedTexts::tr("forward"), timeText(node.forwardSeconds), {}});
    about.push_back({StagedTexts::tr("backward"), timeText(node.backwardSeconds), {}});
    about.push_back({StagedTexts::tr("parameters"), sizeText(node.parameterBytes), {}});
    QStringList sizes;
    for (const double bytes : node.activationBytes)
        sizes.append(bytesText(bytes));
    about.push_back({StagedTexts::tr("activations"), sizes.isEmpty() ? StagedTexts::tr("none") : sizes.join(QStringLiteral(", ")), {}});
    std::vector<int> reads, readBy;
    for (const auto& [from, to] : m_graph.edges) {
        if (to == index)
            reads.push_back(from);
        if (from == index)
            readBy.push_back(to);
    }
    auto& around = result.sections.emplace_back(PropertySection{StagedTexts::tr("Edges"), {}}).properties;
    around.push_back({StagedTexts::tr("reads"), reads.empty() ? StagedTexts::tr("nothing") : nodesText(m_graph, reads), nodesText(m_graph, reads)});
    around.push_back(
        {StagedTexts::tr("read by"), readBy.empty() ? StagedTexts::tr("nothing") : nodesText(m_graph, readBy), nodesText(m_graph, readBy)});
    return result;
}

std::vector<PropertySection> StagedModel::sections(const QString& path) const
{
    constexpr std::size_t mostStages = 50;
    std::vector<PropertySection> all;
    auto& about = all.emplace_back(PropertySection{StagedTexts::tr("Profile graph"), {}}).properties;
    about.push_back({StagedTexts::tr("file"), QFileInfo(path).fileName(), path});
    about.push_back({StagedTexts::tr("stages"), m_graph.hasStages ? countText(std::ssize(m_graph.stages)) : StagedTexts::tr("none"), {}});
    addTotals(about, sumOf(m_totals));
    about.push_back({StagedTexts::tr("note"), StagedTexts::tr("for viewing: it holds no program"), {}});
    for (std::size_t stage = 0; m_graph.hasStages && stage < std::min(m_totals.size(), mostStages); ++stage) {
        auto& properties = all.emplace_back(PropertySection{stageTitle(m_graph, static_cast<int>(stage)), {}}).properties;
        addTotals(properties, m_totals[stage]);
        properties.push_back({StagedTexts::tr("hands on"), sizeText(m_totals[stage].handedOnBytes), {}});
    }
    return all;
}

}  // namespace cleave::views
