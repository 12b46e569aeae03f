#include "views/inspection.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <algorithm>

#include "core/base/format.h"
#include "views/text.h"

namespace cleave::views {

namespace {

struct Texts {
    Q_DECLARE_TR_FUNCTIONS(cleave::views::Inspection)
};

QString fileAndLine(const SourceLine& source)
{
    return QStringLiteral("%1:%2").arg(QFileInfo(toText(source.file)).fileName()).arg(source.line);
}

QString reachText(const ValueFacts& facts)
{
    switch (facts.reach) {
    case Reach::Constant: return Texts::tr("constant");
    case Reach::Structure: return Texts::tr("graph structure");
    case Reach::Feature: break;
    }
    switch (facts.rows) {
    case Rows::Nodes: return Texts::tr("node rows (V)");
    case Rows::Edges: return Texts::tr("edge rows (M)");
    case Rows::Graph: return Texts::tr("once for the graph (G)");
    case Rows::None: break;
    }
    return Texts::tr("no rows");
}

QString kindText(const OpFacts& facts)
{
    switch (facts.kind) {
    case OpKind::Constant: return Texts::tr("constant, computed when opened");
    case OpKind::Prologue: return Texts::tr("once on the whole graph");
    case OpKind::RowWise: return facts.probed ? Texts::tr("row by row, found by running it") : Texts::tr("row by row");
    case OpKind::Gather: return facts.expands ? Texts::tr("gather from neighbours") : Texts::tr("gather at the target");
    case OpKind::Scatter: return Texts::tr("scatter into node rows");
    case OpKind::Concat: return Texts::tr("rows after each other");
    case OpKind::Global: return Texts::tr("over all nodes at once, between functions");
    }
    return {};
}

QString argumentText(const Program& program, const Argument& argument)
{
    struct Printer {
        const Program& program;

        QString operator()(std::monostate) const { return QStringLiteral("None"); }
        QString operator()(ValueId value) const { return toText(program[value].name); }
        QString operator()(std::int64_t number) const { return QString::number(number); }
        QString operator()(double number) const { return toText(formatNumber(number)); }
        QString operator()(bool flag) const { return flag ? QStringLiteral("True") : QStringLiteral("False"); }
        QString operator()(const std::string& text) const { return toText(text); }
        QString operator()(DType dtype) const { return QString::fromUtf8(dtypeName(dtype).data()); }
        QString operator()(const std::vector<Argument>& list) const
        {
            QStringList texts;
            for (const Argument& item : list)
                texts.append(argumentText(program, item));
            return QLatin1Char('[') + texts.join(QStringLiteral(", ")) + QLatin1Char(']');
        }
    };
    return std::visit(Printer{program}, argument.value);
}

class Inspector {
public:
    Inspector(const Model& model, const DagBox& box, const DataGraph* graph)
        : m_analysis(*model.analysis), m_program(model.program()), m_cut(*model.cut), m_box(box), m_graph(graph)
    {
    }

    Inspection inspect()
    {
        m_result.title = m_box.title.empty() ? Texts::tr("Prologue") : toText(m_box.title);
        switch (m_box.key.kind) {
        case BoxKind::Op: inspectOp(m_box.key.op); break;
        case BoxKind::Module: inspectModule(); break;
        case BoxKind::Prologue: inspectPrologue(); break;
        case BoxKind::Tensor: inspectTensor(m_box.key.value); break;
        }
        return std::move(m_result);
    }

private:
    std::vector<Property>& section(const QString& title)
    {
        return m_result.sections.emplace_back(PropertySection{title, {}}).properties;
    }

    QString place() const
    {
        return m_box.key.band == 0 ? Texts::tr("the prologue") : Texts::tr("function %1").arg(m_box.key.band - 1);
    }

    void inspectOp(OpId id)
    {
        const Op& op = m_program[id];
        m_result.kind = Texts::tr("Operator in %1").arg(place());
        auto& about = section(Texts::tr("Operator"));
        about.push_back({Texts::tr("target"), toText(op.overload.empty() ? op.target : op.target + "." + op.overload), {}});
        about.push_back({Texts::tr("works"), kindText(m_analysis.ops[id]), {}});
        if (m_box.level >= 0)
            about.push_back({Texts::tr("message degree"), QString::number(m_box.level), {}});
        if (const ValueId index = m_analysis.ops[id].index; index.valid())
            about.push_back({Texts::tr("index"), toText(structureText(m_analysis, index)), {}});
        addModule(op.module);
        addSource(op.source);
        addInputs(op);
        addOutputs({id});
    }

    void addModule(ModuleId id)
    {
        if (!id.valid())
            return;
        const Module& module = m_program[id];
        auto& rows = section(Texts::tr("Module"));
        rows.push_back({Texts::tr("path"), module.path.empty() ? Texts::tr("the model itself") : toText(module.path), {}});
        rows.push_back({Texts::tr("class"), toText(lastPart(module.type, '.')), toText(module.type)});
    }

    void addSource(const SourceLine& source)
    {
        if (source.file.empty())
            return;
        auto& rows = section(Texts::tr("Source"));
        rows.push_back({Texts::tr("line"), fileAndLine(source), QStringLiteral("%1:%2").arg(toText(source.file)).arg(source.line)});
        if (!source.code.empty())
            rows.push_back({Texts::tr("code"), toText(source.code), {}});
    }

    void addInputs(const Op& op)
    {
        auto& rows = section(Texts::tr("Arguments"));
        for (const NamedArgument& argument : op.args) {
            const ValueId* value = argument.value.asValue();
            const QString text = argumentText(m_program, argument.value);
            rows.push_back({toText(argument.name), value != nullptr ? valueText(*value) : text, {}});
        }
    }

    QString valueText(ValueId id) const
    {
        const Value& value = m_program[id];
        const QString name = toText(value.weight.valid() ? m_program[value.weight].name : value.name);
        return value.kind == ValueKind::Tensor ? Texts::tr("%1: %2").arg(name, tensorText(m_analysis, id, m_graph)) : name;
    }

    void addOutputs(const std::vector<OpId>& ops)
    {
        auto& rows = section(Texts::tr("Gives"));
        for (const ValueId value : leaving(ops))
            rows.push_back({toText(m_program[value].name), Texts::tr("%1, %2").arg(tensorText(m_analysis, value, m_graph),
                                                                           reachText(m_analysis.values[value])), {}});
    }

    // Outputs of the ops that are read outside of them.
    std::vector<ValueId> leaving(const std::vector<OpId>& ops) const
    {
        const std::set<OpId> own(ops.begin(), ops.end());
        std::set<ValueId> readOutside(m_program.outputs.begin(), m_program.outputs.end());
        for (std::size_t i = 0; i < m_program.ops.size(); ++i)
            if (ops.size() == 1 || !own.contains({static_cast<int>(i)}))
                forEachOperand(m_program.ops[i], [&](ValueId value) { readOutside.insert(value); });
        std::vector<ValueId> values;
        for (const OpId op : ops)
            for (const ValueId value : m_program[op].outputs)
                if (readOutside.contains(value))
                    values.push_back(value);
        return values;
    }

    void inspectModule()
    {
        m_result.kind = Texts::tr("Module in %1").arg(place());
        addModule(m_box.key.module);
        auto& rows = section(Texts::tr("Here"));
        rows.push_back({Texts::tr("message degree"), m_box.level < 0 ? Texts::tr("none") : QString::number(m_box.level), {}});
        rows.push_back({Texts::tr("operators"), QString::number(m_box.ops.size()), {}});
        addSource(m_program[m_box.ops.front()].source);
        addOutputs(m_box.ops);
        addOps();
    }

    void addOps()
    {
        constexpr std::size_t most = 200;
        auto& rows = section(Texts::tr("Operators"));
        for (std::size_t i = 0; i < std::min(most, m_box.ops.size()); ++i) {
            const Op& op = m_program[m_box.ops[i]];
            rows.push_back({toText(op.name), toText(op.target), fileAndLine(op.source)});
        }
        if (m_box.ops.size() > most)
            rows.push_back({Texts::tr("…"), Texts::tr("%1 more").arg(m_box.ops.size() - most), {}});
    }

    void inspectPrologue()
    {
        m_result.kind = Texts::tr("Computed once, on the whole graph");
        auto& rows = section(Texts::tr("Read by functions"));
        for (const ValueId value : m_cut.prologue)
            rows.push_back({toText(structureText(m_analysis, value)), tensorText(m_analysis, value, m_graph), {}});
        addOps();
    }

    void inspectTensor(ValueId id)
    {
        const bool input = m_program.isInput(id);
        m_result.kind = input ? Texts::tr("Input of the model") : m_box.isOutput ? Texts::tr("Output of the model") : Texts::tr("Save point");
        auto& about = section(Texts::tr("Tensor"));
        about.push_back({Texts::tr("type"), toText(std::string(dtypeName(m_program[id].dtype))), {}});
        about.push_back({Texts::tr("shape"), toText(shapeText(m_analysis, id)), toText(toString(m_program[id].sizes))});
        about.push_back({Texts::tr("rows"), reachText(m_analysis.values[id]), {}});
        about.push_back({Texts::tr("message degree"), QString::number(m_box.level), {}});
        if (m_box.rowBytes > 0)
            about.push_back({Texts::tr("bytes per row"), toText(formatBytes(m_box.rowBytes)), {}});
        if (m_graph != nullptr && m_box.rowBytes > 0 && m_box.rows == RowsClass::Nodes)
            about.push_back({Texts::tr("bytes on this graph"), Texts::tr("V × %1 = %2").arg(toText(formatBytes(m_box.rowBytes)), bytesText()), {}});
        addUse(id);
        if (const OpId producer = m_program[id].producer; producer.valid()) {
            addModule(m_program[producer].module);
            addSource(m_program[producer].source);
        }
    }

    QString bytesText() const
    {
        return toText(formatBytes(m_box.rowBytes * static_cast<double>(m_graph->numNodes)));
    }

    void addUse(ValueId id)
    {
        auto& rows = section(Texts::tr("Use"));
        if (m_box.writtenBy >= 0)
            rows.push_back({Texts::tr("written by"), Texts::tr("function %1").arg(m_box.writtenBy), {}});
        QStringList readers;
        for (std::size_t f = 0; f < m_cut.functions.size(); ++f)
            if (std::ranges::find(m_cut.functions[f].reads, id) != m_cut.functions[f].reads.end())
                readers.append(Texts::tr("function %1").arg(f));
        if (m_box.isOutput)
            readers.append(Texts::tr("the caller"));
        rows.push_back({Texts::tr("read by"), readers.join(QStringLiteral(", ")), {}});
    }

    const Analysis& m_analysis;
    const Program& m_program;
    const CutProgram& m_cut;
    const DagBox& m_box;
    const DataGraph* m_graph;
    Inspection m_result;
};

Property countOf(const QString& name, const std::optional<Array>& mask)
{
    std::int64_t count = 0;
    if (mask)
        count = std::count(mask->as<bool>(), mask->as<bool>() + mask->count(), true);
    return {name, toText(formatCount(count)), {}};
}

}  // namespace

Inspection inspectBox(const Model& model, const DagBox& box, const DataGraph* graph)
{
    return Inspector(model, box, graph).inspect();
}

QString rewriteText(Rewrite rewrite)
{
    switch (rewrite) {
    case Rewrite::TransformFirst:
        return Texts::tr("put linear layers before aggregations");
    case Rewrite::SumLinears:
        return Texts::tr("add up linear layers of one input");
    case Rewrite::MergeLinears:
        return Texts::tr("merge linear layers of one input");
    case Rewrite::FoldBatchNorm:
        return Texts::tr("fold batch norms into linear layers");
    case Rewrite::OneGather:
        return Texts::tr("gather equal rows once");
    }
    return {};
}

QString rewritesText(const Model& model)
{
    QStringList texts;
    for (const PassCount& applied : model.analysis->rewrites)
        if (Rewrite rewrite{}; rewriteFromName(applied.pass, rewrite))
            texts.append(Texts::tr("%1 %2 ×").arg(rewriteText(rewrite)).arg(applied.count));
    return texts.join(QStringLiteral(", "));
}

std::vector<PropertySection> describeModel(const Model& model, const QString& path)
{
    const Program& program = model.program();
    const Analysis& analysis = *model.analysis;
    std::vector<PropertySection> sections;
    auto& about = sections.emplace_back(PropertySection{Texts::tr("Model"), {}}).properties;
    about.push_back({Texts::tr("file"), QFileInfo(path).fileName(), path});
    about.push_back({Texts::tr("class"), toText(program.name), {}});
    about.push_back({Texts::tr("written by"), toText(program.producer), {}});
    about.push_back({Texts::tr("operators"), toText(formatCount(static_cast<std::int64_t>(program.ops.size()))), {}});
    about.push_back({Texts::tr("functions"), QString::number(model.cut->functions.size()), {}});
    about.push_back({Texts::tr("message degree"), QString::number(analysis.degreeOf(analysis.levels)), {}});
    if (analysis.types() > 1) {
        QStringList names;
        for (const NodeType& type : analysis.nodeTypes)
            names.append(toText(type.name));
        about.push_back({Texts::tr("node types"), names.join(QStringLiteral(", ")), {}});
    }
    for (const std::string& note : program.notes)
        about.push_back({Texts::tr("note"), toText(note), {}});

    auto& inputs = sections.emplace_back(PropertySection{Texts::tr("Inputs"), {}}).properties;
    for (const Input& input : program.inputs)
        inputs.push_back({toText(program[input.value].name), roleText(input.role),
                          toText(std::string(dtypeName(program[input.value].dtype)) + " " + toString(program[input.value].sizes))});

    auto& passes = sections.emplace_back(PropertySection{Texts::tr("Clean-up"), {}}).properties;
    for (const PassCount& pass : analysis.passes)
        if (pass.count > 0)
            passes.push_back({toText(pass.pass), QString::number(pass.count), {}});
    if (passes.empty())
        passes.push_back({Texts::tr("nothing to remove"), {}, {}});

    if (model.traced) {
        auto& rewrites = sections.emplace_back(PropertySection{Texts::tr("Rewrites"), {}}).properties;
        for (const PassCount& applied : analysis.rewrites)
            if (Rewrite rewrite{}; rewriteFromName(applied.pass, rewrite))
                rewrites.push_back({toText(applied.pass), QStringLiteral("%1 ×").arg(applied.count), rewriteText(rewrite)});
    }
    return sections;
}

namespace {

// A bar for each doubling of the degree; the numbers are in the tooltip.
Property histogramOf(const DegreeSummary& degrees)
{
    static const QString bars = QStringLiteral("▁▂▃▄▅▆▇█");
    const auto most = static_cast<double>(std::ranges::max(degrees.histogram));
    QString line;
    QStringList lines;
    for (std::size_t bin = 0; bin < degrees.histogram.size(); ++bin) {
        const std::int64_t nodes = degrees.histogram[bin];
        line += nodes == 0 ? QChar(u' ') : bars[std::min<qsizetype>(bars.size() - 1, static_cast<qsizetype>(static_cast<double>(nodes) / most * static_cast<double>(bars.size())))];
        const std::int64_t from = bin == 0 ? 0 : std::int64_t{1} << (bin - 1), to = bin == 0 ? 0 : (std::int64_t{1} << bin) - 1;
        lines.append(from == to ? Texts::tr("%1 edges: %2 nodes").arg(toText(formatCount(from)), toText(formatCount(nodes)))
                                : Texts::tr("%1 to %2 edges: %3 nodes").arg(toText(formatCount(from)), toText(formatCount(to)), toText(formatCount(nodes))));
    }
    return {Texts::tr("degrees 0, 1, 2, 4, …"), line, lines.join(u'\n')};
}

}  // namespace

std::vector<PropertySection> describeGraph(const DataGraph& graph, const std::optional<DegreeSummary>& degrees, const QString& path)
{
    std::vector<PropertySection> sections;
    auto& about = sections.emplace_back(PropertySection{Texts::tr("Graph"), {}}).properties;
    about.push_back({Texts::tr("file"), path.isEmpty() ? Texts::tr("%1, built in").arg(toText(graph.name)) : QFileInfo(path).fileName(), path});
    about.push_back({Texts::tr("V, nodes"), toText(formatCount(graph.numNodes)), {}});
    about.push_back({Texts::tr("M, edges"), toText(formatCount(graph.numEdges)), {}});
    if (degrees) {
        about.push_back({Texts::tr("in-degree"), Texts::tr("%1 to %2").arg(toText(formatCount(degrees->least)), toText(formatCount(degrees->most))), {}});
        about.push_back({Texts::tr("mean, median"), QStringLiteral("%1, %2").arg(degrees->mean, 0, 'f', 1).arg(toText(formatCount(degrees->median))), {}});
        about.push_back(histogramOf(*degrees));
    }
    for (const auto& [name, array] : graph.arrays) {
        std::vector<std::string> sizes;
        for (const std::int64_t size : array.shape)
            sizes.push_back(formatCount(size));
        about.push_back({toText(name), QStringLiteral("%1 [%2]").arg(toText(std::string(dtypeName(array.dtype))),
                                                                    toText(join(sizes, " × "))), {}});
    }
    if (graph.labels) {
        const auto* labels = graph.labels->as<std::int64_t>();
        const std::set<std::int64_t> classes(labels, labels + graph.labels->count());
        about.push_back({Texts::tr("classes"), QString::number(classes.size() - classes.count(-1)), {}});
    }
    if (graph.trainMask || graph.valMask || graph.testMask) {
        about.push_back(countOf(Texts::tr("training nodes"), graph.trainMask));
        about.push_back(countOf(Texts::tr("validation nodes"), graph.valMask));
        about.push_back(countOf(Texts::tr("test nodes"), graph.testMask));
    }
    return sections;
}

QString roleText(Role role)
{
    switch (role) {
    case Role::NodeFeatures: return Texts::tr("node features");
    case Role::GraphStructure: return Texts::tr("graph structure");
    case Role::EdgeFeatures: return Texts::tr("edge features");
    case Role::Other: break;
    }
    return Texts::tr("other");
}

QString bandTitle(const DagBand& band)
{
    return band.function < 0 ? Texts::tr("Prologue") : Texts::tr("Function %1").arg(band.function);
}

QString tensorText(const Analysis& analysis, ValueId value, const DataGraph* graph)
{
    const Value& v = analysis.program[value];
    if (v.kind != ValueKind::Tensor)
        return Texts::tr("number");
    QString text = toText(std::string(dtypeName(v.dtype)) + " " + shapeText(analysis, value));
    const double bytes = bytesPerRow(analysis, value);
    if (graph != nullptr && bytes > 0 && analysis.values[value].rows == Rows::Nodes)
        text += Texts::tr(" · %1").arg(toText(formatBytes(bytes * static_cast<double>(graph->numNodes))));
    return text;
}

}  // namespace cleave::views
