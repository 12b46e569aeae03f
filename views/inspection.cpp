#include "views/inspection.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <algorithm>
#include <cmath>
#include <set>

#include "views/core_text.h"
#include "core/analysis/shape_text.h"
#include "views/text.h"

namespace cleave::views {

namespace {

struct InspectionTexts {
    Q_DECLARE_TR_FUNCTIONS(cleave::views::Inspection)
};

QString fileAndLine(const SourceLine& source)
{
    return QStringLiteral("%1:%2").arg(QFileInfo(toText(source.file)).fileName()).arg(source.line);
}

QString kindText(const OpFacts& facts)
{
    switch (facts.kind) {
    case OpKind::Constant: return InspectionTexts::tr("constant, computed when opened");
    case OpKind::Prologue: return InspectionTexts::tr("once on the whole graph");
    case OpKind::RowWise: return facts.probed ? InspectionTexts::tr("row by row, found by running it") : InspectionTexts::tr("row by row");
    case OpKind::Gather: return facts.expands ? InspectionTexts::tr("gather from neighbours") : InspectionTexts::tr("gather at the target");
    case OpKind::Scatter: return InspectionTexts::tr("scatter into node rows");
    case OpKind::Concat: return InspectionTexts::tr("rows after each other");
    case OpKind::Global: return InspectionTexts::tr("over all nodes at once, between functions");
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
        QString operator()(double number) const { return numberText(number); }
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

enum class Knowledge : std::uint8_t { Program, Analysis };

class OpInspector {
public:
    OpInspector(const Model& model, const DagBox& box, const DataGraph* graph, const PlanEditor* editor, Knowledge knowledge = Knowledge::Analysis)
        : m_analysis(*model.analysis),
          m_program(model.program()),
          m_cut(*model.cut),
          m_box(box),
          m_graph(graph),
          m_editor(editor),
          m_isAnalysed(knowledge == Knowledge::Analysis)
    {
        if (editor != nullptr && editor->showsCosts() && editor->cost())
            m_cost = &*editor->cost();
    }

    Inspection inspect()
    {
        m_result.title = toText(m_box.title);
        switch (m_box.key.kind) {
        case BoxKind::Op: inspectOp(m_box.key.op); break;
        case BoxKind::Module: inspectModule(); break;
        case BoxKind::Prologue: inspectPrologue(); break;
        case BoxKind::Tensor: inspectTensor(m_box.key.value); break;
        case BoxKind::Repeat: inspectRepeat(); break;
        }
        return std::move(m_result);
    }

private:
    std::vector<Property>& section(const QString& title)
    {
        return m_result.sections.emplace_back(PropertySection{title, {}}).properties;
    }

    const CutFunction& function(int index) const { return m_cut.functions[static_cast<std::size_t>(index)]; }

    QString place() const
    {
        return m_box.key.band == 0 ? InspectionTexts::tr("the prologue") : fromCore(functionName(function(m_box.key.band - 1)));
    }

    // Where the plan runs an op, if that is not where the picture has it.
    std::optional<Position> movedTo(OpId op) const
    {
        const int i = m_editor == nullptr || m_editor->space() == nullptr ? -1 : m_editor->space()->indexOf(op);
        if (i < 0 || m_editor->shown().positions[static_cast<std::size_t>(i)] == m_editor->base().positions[static_cast<std::size_t>(i)])
            return {};
        return m_editor->shown().positions[static_cast<std::size_t>(i)];
    }

    void inspectOp(OpId id)
    {
        const Op& op = m_program[id];
        const std::optional<Position> moved = movedTo(id);
        m_result.kind = moved          ? InspectionTexts::tr("Operator, moved: %1").arg(m_editor->positionText(*moved))
                        : m_isAnalysed ? InspectionTexts::tr("Operator in %1").arg(place())
                                       : InspectionTexts::tr("Operator");
        auto& about = section(InspectionTexts::tr("Operator"));
        about.push_back({InspectionTexts::tr("target"), toText(op.overload.empty() ? op.target : op.target + "." + op.overload), {}});
        if (m_isAnalysed)
            about.push_back({InspectionTexts::tr("works"), kindText(m_analysis.ops[id]), {}});
        if (m_box.level >= 0)
            about.push_back({InspectionTexts::tr("message degree"), QString::number(m_box.level), {}});
        if (const ValueId index = m_analysis.ops[id].index; index.valid())
            about.push_back({InspectionTexts::tr("index"), toText(structureText(m_analysis, index)), {}});
        addModule(op.module);
        addSource(op.source);
        addInputs(op);
        addOutputs({id});
        addCost({id});
    }

    void addModule(ModuleId id)
    {
        if (!id.valid())
            return;
        const Module& module = m_program[id];
        auto& rows = section(InspectionTexts::tr("Module"));
        rows.push_back({InspectionTexts::tr("path"), module.path.empty() ? InspectionTexts::tr("the model itself") : toText(module.path), {}});
        rows.push_back({InspectionTexts::tr("class"), toText(lastPart(module.type, '.')), toText(module.type)});
    }

    void addSource(const SourceLine& source)
    {
        if (source.file.empty())
            return;
        auto& rows = section(InspectionTexts::tr("Source"));
        rows.push_back({InspectionTexts::tr("line"), fileAndLine(source), QStringLiteral("%1:%2").arg(toText(source.file)).arg(source.line)});
        if (!source.code.empty())
            rows.push_back({InspectionTexts::tr("code"), toText(source.code), {}});
        if (source.callers)
            for (const SourceLine& caller : *source.callers)
                rows.push_back({InspectionTexts::tr("called at"),
                                caller.code.empty() ? fileAndLine(caller) : QStringLiteral("%1  %2").arg(fileAndLine(caller), toText(caller.code)),
                                QStringLiteral("%1:%2").arg(toText(caller.file)).arg(caller.line)});
    }

    void addInputs(const Op& op)
    {
        auto& rows = section(InspectionTexts::tr("Arguments"));
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
        return value.kind == ValueKind::Tensor ? InspectionTexts::tr("%1: %2").arg(name, tensorText(m_analysis, id)) : name;
    }

    void addOutputs(const std::vector<OpId>& ops)
    {
        auto& rows = section(InspectionTexts::tr("Gives"));
        for (const ValueId value : leaving(ops)) {
            const QString tensor = tensorText(m_analysis, value);
            rows.push_back(
                {toText(m_program[value].name), m_isAnalysed ? InspectionTexts::tr("%1, %2").arg(tensor, reachText(m_analysis, value)) : tensor, {}});
            if (const QString bytes = wholeBytes(value); !bytes.isEmpty())
                rows.push_back({{}, bytes, InspectionTexts::tr("rows · entries of a row · bytes of an entry, for the whole graph")});
        }
    }

    // Of all its rows.
    QString wholeBytes(ValueId value) const
    {
        const ValueFacts& facts = m_analysis.values[value];
        if (facts.rows == Rows::Edges)
            return bytesFormula(m_analysis, value, QStringLiteral("M"), edgeRows(value));
        if (facts.rows != Rows::Nodes)
            return {};
        return bytesFormula(m_analysis, value, toText(nodesText(m_analysis, facts.nodeType)), nodeRows(facts.nodeType));
    }

    std::optional<double> nodeRows(int nodeType) const
    {
        if (m_analysis.types() == 1)
            return m_graph == nullptr ? std::nullopt : std::optional(static_cast<double>(m_graph->numNodes));
        const CostModel* costs = m_editor == nullptr ? nullptr : m_editor->costs().model();
        return costs == nullptr ? std::nullopt : std::optional(costs->counts().nodesOf(nodeType));
    }

    // Loops that the model adds are among them.
    std::optional<double> edgeRows(ValueId value) const
    {
        const CostModel* costs = m_editor == nullptr ? nullptr : m_editor->costs().model();
        if (costs == nullptr || !costs->counts().joined.empty() || costs->counts().functions.size() != m_cut.functions.size())
            return {};
        for (std::size_t f = 0; f < m_cut.functions.size(); ++f)
            for (const Step& step : m_cut.functions[f].steps)
                if (step.op == m_program[value].producer && m_cut.functions[f].frames[static_cast<std::size_t>(step.frame)].kind == FrameKind::Edges)
                    return costs->counts().functions[f].frames[static_cast<std::size_t>(step.frame)].total;
        return {};
    }

    // In the plan that is shown; what message passing does on edges is the scatter's.
    void addCost(const std::vector<OpId>& ops)
    {
        Amount all;
        bool isKnown = false;
        for (const OpId op : ops)
            if (const int i = m_cost == nullptr ? -1 : m_editor->space()->indexOf(op); i >= 0) {
                all += m_cost->ops[static_cast<std::size_t>(i)];
                isKnown = true;
            }
        const bool isOnEdges = !isKnown && m_cost != nullptr && std::ranges::all_of(ops, [this](OpId op) {
            return std::ranges::all_of(m_program[op].outputs, [this](ValueId made) {
                return m_analysis.values[made].rows == Rows::Edges && m_analysis.values[made].reach == Reach::Feature;
            });
        });
        if (!isKnown && !isOnEdges)
            return;
        auto& rows = section(InspectionTexts::tr("Cost in this plan"));
        if (isOnEdges) {
            rows.push_back({InspectionTexts::tr("time"), InspectionTexts::tr("counts for the scatter that its edges go into"), {}});
            return;
        }
        rows.push_back({InspectionTexts::tr("time"), secondsText(all.seconds),
                        InspectionTexts::tr("Predicted; what message passing does on edges counts for its scatter")});
        if (all.bytes > 0)
            rows.push_back({InspectionTexts::tr("memory moved"), bytesText(all.bytes), {}});
        rows.push_back({InspectionTexts::tr("arithmetic"), InspectionTexts::tr("%1 operations").arg(countText(std::llround(all.flops))), {}});
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
        const auto moved = std::ranges::count_if(m_box.ops, [this](OpId op) { return movedTo(op).has_value(); });
        m_result.kind =
            moved > 0      ? InspectionTexts::tr("Module in %1, of which %2 of %3 operators have moved").arg(place()).arg(moved).arg(m_box.ops.size())
            : m_isAnalysed ? InspectionTexts::tr("Module in %1").arg(place())
                           : InspectionTexts::tr("Module");
        addModule(m_box.key.module);
        auto& rows = section(InspectionTexts::tr("Here"));
        if (m_isAnalysed)
            rows.push_back({InspectionTexts::tr("message degree"), m_box.level < 0 ? InspectionTexts::tr("none") : QString::number(m_box.level), {}});
        rows.push_back({InspectionTexts::tr("operators"), QString::number(m_box.ops.size()), {}});
        addSource(m_program[m_box.ops.front()].source);
        addOutputs(m_box.ops);
        addCost(m_box.ops);
        addOps();
    }

    void inspectRepeat()
    {
        const Repeat& repeat = m_box.repeat;
        m_result.title = InspectionTexts::tr("× %1 more").arg(repeat.count - 1);
        m_result.kind = InspectionTexts::tr("%1, like %2")
                            .arg(titleFromCore(functionName(function(repeat.shown() - 1).level, function(repeat.end() - 2).level, false, {})),
                                 fromCore(m_box.repeated));
        auto& rows = section(InspectionTexts::tr("Here"));
        rows.push_back({InspectionTexts::tr("operators"), QString::number(m_box.ops.size()), {}});
        rows.push_back({InspectionTexts::tr("operators of each repetition"),
                        QString::number(m_box.ops.size() / static_cast<std::size_t>(repeat.count - 1)),
                        {}});
        addCost(m_box.ops);
    }

    void addOps()
    {
        constexpr std::size_t most = 200;
        auto& rows = section(InspectionTexts::tr("Operators"));
        for (std::size_t i = 0; i < std::min(most, m_box.ops.size()); ++i) {
            const Op& op = m_program[m_box.ops[i]];
            rows.push_back({toText(op.name), toText(op.target), fileAndLine(op.source)});
        }
        if (m_box.ops.size() > most)
            rows.push_back({InspectionTexts::tr("…"), InspectionTexts::tr("%1 more").arg(m_box.ops.size() - most), {}});
    }

    void inspectPrologue()
    {
        m_result.title = InspectionTexts::tr("Prologue");
        m_result.kind = InspectionTexts::tr("Computed once, on the whole graph");
        auto& rows = section(InspectionTexts::tr("Read by functions"));
        for (const ValueId value : m_cut.prologue)
            rows.push_back({toText(structureText(m_analysis, value)), tensorText(m_analysis, value), {}});
        addOps();
    }

    void inspectTensor(ValueId id)
    {
        const bool input = m_program.isInput(id);
        m_result.kind = input             ? InspectionTexts::tr("Input of the model")
                        : m_box.isOutput ? InspectionTexts::tr("Output of the model")
                        : isSaved(id)    ? InspectionTexts::tr("Save point")
                                         : InspectionTexts::tr("Tensor that this plan does not save");
        auto& about = section(InspectionTexts::tr("Tensor"));
        about.push_back({InspectionTexts::tr("type"), toText(std::string(dtypeName(m_program[id].dtype))), {}});
        about.push_back({InspectionTexts::tr("shape"), toText(shapeText(m_analysis, id)), toText(toString(m_program[id].sizes))});
        if (!m_isAnalysed)
            return;
        about.push_back({InspectionTexts::tr("rows"), reachText(m_analysis, id), {}});
        about.push_back({InspectionTexts::tr("message degree"), QString::number(m_box.level), {}});
        if (m_box.rowBytes > 0)
            about.push_back({InspectionTexts::tr("bytes per row"), bytesText(m_box.rowBytes), {}});
        if (const QString bytes = wholeBytes(id); !bytes.isEmpty())
            about.push_back(
                {InspectionTexts::tr("bytes"), bytes, InspectionTexts::tr("rows · entries of a row · bytes of an entry, for the whole graph")});
        addUse(id);
        addTensorCost(id);
        if (const OpId producer = m_program[id].producer; producer.valid()) {
            addModule(m_program[producer].module);
            addSource(m_program[producer].source);
        }
    }

    bool hasOtherPlan() const { return m_editor != nullptr && m_editor->space() != nullptr && m_editor->shown() != m_editor->base(); }

    bool isSaved(ValueId id) const
    {
        return !hasOtherPlan() || std::ranges::any_of(m_editor->space()->allSavePoints(m_editor->shown()),
                                                      [&](const std::vector<ValueId>& saved) { return std::ranges::count(saved, id) > 0; });
    }

    void addUse(ValueId id)
    {
        auto& rows = section(InspectionTexts::tr("Use"));
        if (hasOtherPlan()) {
            addUseInPlan(rows, id);
            return;
        }
        if (m_box.writtenBy >= 0)
            rows.push_back({InspectionTexts::tr("written by"), fromCore(functionName(function(m_box.writtenBy))), {}});
        QStringList readers;
        for (const CutFunction& function : m_cut.functions)
            if (std::ranges::find(function.reads, id) != function.reads.end())
                readers.append(fromCore(functionName(function)));
        if (m_box.isOutput)
            readers.append(InspectionTexts::tr("the caller"));
        rows.push_back({InspectionTexts::tr("read by"), readers.join(QStringLiteral(", ")), {}});
    }

    void addUseInPlan(std::vector<Property>& rows, ValueId id)
    {
        const auto name = [](int function) { return fromCore("function " + std::to_string(function)); };
        const OpId producer = m_program[id].producer;
        if (const int i = producer.valid() ? m_editor->space()->indexOf(producer) : -1; i >= 0)
            rows.push_back({isSaved(id) || m_box.isOutput ? InspectionTexts::tr("written by") : InspectionTexts::tr("computed by"),
                            name(m_editor->shown().positions[static_cast<std::size_t>(i)].function()),
                            {}});
        QStringList readers;
        for (const int function : m_editor->space()->readers(m_editor->shown(), id))
            if (function < m_editor->space()->functions())
                readers.append(name(function));
        if (m_box.isOutput)
            readers.append(InspectionTexts::tr("the caller"));
        rows.push_back({InspectionTexts::tr("read by"), readers.join(QStringLiteral(", ")), {}});
    }

    // Written once, read at the rows of each function: V its targets, E the nodes of its blocks, M its edges.
    void addTensorCost(ValueId id)
    {
        const auto known =
            m_cost == nullptr ? std::vector<TensorCost>::const_iterator{} : std::ranges::find(m_cost->tensors, id, &TensorCost::tensor);
        if (m_cost == nullptr || known == m_cost->tensors.end())
            return;
        auto& properties = section(InspectionTexts::tr("Cost in this plan"));
        if (known->madeIn >= 0)
            properties.push_back({InspectionTexts::tr("written"),
                                  known->write.seconds > 0
                                      ? InspectionTexts::tr("%1 in %2").arg(bytesText(known->write.bytes), secondsText(known->write.seconds))
                                      : InspectionTexts::tr("%1, handed on without a copy").arg(bytesText(known->write.bytes)),
                                  {}});
        for (const TensorRead& read : known->reads) {
            // Where rows have several types, V and M are not what this graph calls so.
            const bool isTyped = m_analysis.types() > 1;
            const QString rows = !isTyped           ? QString(QLatin1Char(read.rows))
                                 : read.rows == 'V' ? toText(nodesText(m_analysis, m_analysis.values[id].nodeType))
                                                    : countText(std::llround(read.count));
            const QString formula = bytesFormula(m_analysis, id, rows, read.count);
            const QString name = InspectionTexts::tr("read by %1").arg(functionText(m_cost->functions[static_cast<std::size_t>(read.function)]));
            const QString bytes = formula.isEmpty() ? bytesText(read.amount.bytes) : formula;
            // or it is the aggregation's
            properties.push_back(
                {name, read.amount.seconds > 0 ? InspectionTexts::tr("%1, in %2").arg(bytes, secondsText(read.amount.seconds)) : bytes,
                 isTyped && read.rows != 'V' ? QString() : InspectionTexts::tr("%1 = %2 rows").arg(rows, countText(std::llround(read.count)))});
        }
    }

    const Analysis& m_analysis;
    const Program& m_program;
    const CutProgram& m_cut;
    const DagBox& m_box;
    const DataGraph* m_graph;
    const PlanEditor* m_editor;
    const bool m_isAnalysed;
    const PlanCost* m_cost = nullptr;
    Inspection m_result;
};

}  // namespace

Inspection inspectBox(const Model& model, const DagBox& box, const DataGraph* graph, const PlanEditor* editor)
{
    return OpInspector(model, box, graph, editor).inspect();
}

Inspection inspectRead(const Model& model, const DagBox& box)
{
    return OpInspector(model, box, nullptr, nullptr, Knowledge::Program).inspect();
}

Inspection inspectCut(int cut, const DataGraph* graph, const PlanEditor& editor)
{
    const Analysis& analysis = editor.space()->analysis();
    const PlanCost* cost = editor.showsCosts() && editor.cost() ? &*editor.cost() : nullptr;
    Inspection result;
    result.title = InspectionTexts::tr("Cut %1").arg(cut + 1);
    result.kind = InspectionTexts::tr("Between functions %1 and %2").arg(cut).arg(cut + 1);
    auto& tensors = result.sections.emplace_back(PropertySection{InspectionTexts::tr("In the store"), {}}).properties;
    double seconds = 0, bytes = 0;
    bool isReadByOps = false;
    for (const ValueId tensor : editor.space()->savePoints(editor.shown(), cut)) {
        const bool isInput = analysis.program.isInput(tensor);
        const int type = analysis.values[tensor].nodeType;
        const CostModel* costs = editor.costs().model();
        const std::optional<double> nodes = graph != nullptr && analysis.types() == 1 ? std::optional(static_cast<double>(graph->numNodes))
                                            : costs != nullptr                        ? std::optional(costs->counts().nodesOf(type))
                                                                                      : std::nullopt;
        const QString formula =
            analysis.values[tensor].rows == Rows::Nodes ? bytesFormula(analysis, tensor, toText(nodesText(analysis, type)), nodes) : QString();
        tensors.push_back(
            {toText(analysis.program[tensor].name), isInput ? InspectionTexts::tr("input, %1").arg(formula) : formula, tensorText(analysis, tensor)});
        const auto known =
            cost == nullptr ? std::vector<TensorCost>::const_iterator{} : std::ranges::find(cost->tensors, tensor, &TensorCost::tensor);
        if (cost == nullptr || known == cost->tensors.end())
            continue;
        bytes += known->write.bytes;
        seconds += known->write.seconds;
        for (const TensorRead& read : known->reads)
            if (cost->functions[static_cast<std::size_t>(read.function)].last > cut) {  // the others do not cross the cut
                bytes += read.amount.bytes;
                seconds += read.amount.seconds;
                isReadByOps = isReadByOps || (read.amount.bytes > 0 && read.amount.seconds == 0);
            }
    }
    if (tensors.empty())
        tensors.push_back({InspectionTexts::tr("nothing"), {}, {}});
    if (cost != nullptr) {
        auto& rows = result.sections.emplace_back(PropertySection{InspectionTexts::tr("Cost in this plan"), {}}).properties;
        rows.push_back(
            {InspectionTexts::tr("time"),
             seconds == 0 && bytes > 0 ? InspectionTexts::tr("none of its own")
             : isReadByOps             ? InspectionTexts::tr("%1, and what operators take that read rows where they lie").arg(secondsText(seconds))
                                       : secondsText(seconds),
             InspectionTexts::tr("Predicted, for writing and reading these tensors; rows that operators read where they lie count there")});
        rows.push_back({InspectionTexts::tr("memory moved"), bytesText(bytes), {}});
    }
    return result;
}

QString bytesFormula(const Analysis& analysis, ValueId value, const QString& rows, std::optional<double> count)
{
    const double bytes = bytesPerRow(analysis, value);
    if (bytes <= 0)
        return {};
    const Value& v = analysis.program[value];
    const ValueFacts& facts = analysis.values[value];
    QStringList factors{rows};
    if (facts.outer * facts.inner != 1)
        factors.append(QString::number(facts.outer * facts.inner));
    for (std::size_t i = 0; i < v.sizes.size(); ++i)
        if (static_cast<int>(i) != facts.rowDim)
            factors.append(QString::number(v.sizes[i].value));
    factors.append(InspectionTexts::tr("%1 B").arg(itemSize(v.dtype)));
    const QString formula = factors.join(QStringLiteral("·"));
    return count ? InspectionTexts::tr("%1 = %2").arg(formula, bytesText(bytes * *count)) : formula;
}

QString reachText(const Analysis& analysis, ValueId value)
{
    const ValueFacts& facts = analysis.values[value];
    switch (facts.reach) {
    case Reach::Constant: return InspectionTexts::tr("constant");
    case Reach::Structure: return InspectionTexts::tr("graph structure");
    case Reach::Feature: break;
    }
    switch (facts.rows) {
    case Rows::Nodes:
        if (!countsEdges(analysis, facts.nodeType))
            return analysis.types() == 1 ? InspectionTexts::tr("node rows (V)")
                                         : InspectionTexts::tr("node rows (%1)").arg(toText(nodesText(analysis, facts.nodeType)));
        return InspectionTexts::tr("edge rows (M)");
    case Rows::Edges: return InspectionTexts::tr("edge rows (M)");
    case Rows::Graph: return InspectionTexts::tr("once for the graph (G)");
    case Rows::None: break;
    }
    return InspectionTexts::tr("no rows");
}

QString bandTitle(const DagBand& band)
{
    return band.function < 0 ? InspectionTexts::tr("Prologue") : titleFromCore(band.name);
}

QString tensorText(const Analysis& analysis, ValueId value)
{
    const Value& v = analysis.program[value];
    if (v.kind != ValueKind::Tensor)
        return InspectionTexts::tr("number");
    return toText(std::string(dtypeName(v.dtype)) + " " + shapeText(analysis, value));
}

}  // namespace cleave::views
