#include "views/table_panel.h"

#include <QHeaderView>
#include <QTabWidget>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>

#include "views/dag_model.h"
#include "views/inspection.h"
#include "core/analysis/shape_text.h"
#include "views/table_copying.h"
#include "views/table_order.h"
#include "views/text.h"

namespace cleave::views {

namespace {

QTableView* table(const QString& name, QWidget* parent)
{
    auto* view = new QTableView(parent);
    view->setAccessibleName(name);
    view->setSelectionBehavior(QAbstractItemView::SelectRows);
    view->setSelectionMode(QAbstractItemView::SingleSelection);
    view->setFrameShape(QFrame::NoFrame);
    view->setShowGrid(false);
    view->setAlternatingRowColors(true);
    view->setTabKeyNavigation(false);
    view->verticalHeader()->hide();
    view->verticalHeader()->setDefaultSectionSize(view->fontMetrics().height() + 8);
    makeCopyable(*view);
    return view;
}

// As the picture numbers it: "2", "1–2" of those that run together.
QString numberText(const CutFunction& function)
{
    if (function.rowsOf.valid())
        return TablePanel::tr("output");
    if (function.isGlobal)
        return TablePanel::tr("before %1").arg(function.level);
    return function.firstLevel < function.level ? QStringLiteral("%1–%2").arg(function.firstLevel).arg(function.level)
                                                : QString::number(function.level);
}

// The functions that ops run in; none for those of the prologue.
std::vector<QStringList> functionsOf(const Program& program, const CutProgram& cut)
{
    std::vector<QStringList> functions(program.ops.size());
    for (const CutFunction& function : cut.functions)
        for (const Step& step : function.steps) {
            QStringList& of = functions[static_cast<std::size_t>(step.op.index)];
            if (const QString number = numberText(function); of.isEmpty() || of.back() != number)
                of.append(number);
        }
    return functions;
}

QString operands(const Program& program, const Op& op)
{
    QStringList names;
    forEachOperand(
        op, [&](ValueId value) { names.append(toText(program[value].weight.valid() ? program[program[value].weight].name : program[value].name)); });
    names.removeDuplicates();
    return names.join(QStringLiteral(", "));
}

}  // namespace

TablePanel::TablePanel(Document& document, QWidget* parent)
    : LazyPanel(parent),
      m_document(document),
      m_tabs(new QTabWidget(this)),
      m_operatorView(table(tr("Operators of the model"), this)),
      m_costView(table(tr("Costs of the plan"), this)),
      m_order(showSortable(*m_operatorView, m_operators))
{
    m_costView->setModel(&m_costs);  // functions in their order, then plans
    m_tabs->setDocumentMode(true);
    m_tabs->addTab(m_operatorView, tr("Operators"));
    m_tabs->addTab(m_costView, tr("Costs"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_tabs);
    // The focus alone makes a row the current one, without selecting it.
    connect(m_operatorView->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        if (const QModelIndexList rows = m_operatorView->selectionModel()->selectedRows(); rows.size() == 1 && !m_isSelecting)
            Q_EMIT opChosen(OpId{m_order->mapToSource(rows.front()).row()});
    });
    connect(&m_document.planEditor(), &PlanEditor::changed, this, &TablePanel::setStale);
    connect(&m_document.planEditor(), &PlanEditor::costsChanged, this, &TablePanel::setStale);
    connect(&m_document.planEditor(), &PlanEditor::comparisonChanged, this, &TablePanel::setStale);
}

void TablePanel::selectOp(OpId op)
{
    m_isSelecting = true;
    m_selected = op;
    if (op.valid() && op.index < m_operators.rowCount())
        m_operatorView->selectRow(m_order->mapFromSource(m_operators.index(op.index, 0)).row());
    else
        m_operatorView->clearSelection();
    m_isSelecting = false;
}

void TablePanel::selectAmong(const std::vector<OpId>& ops)
{
    const QModelIndexList rows = m_operatorView->selectionModel()->selectedRows();
    const OpId chosen = rows.size() == 1 ? OpId{m_order->mapToSource(rows.front()).row()} : OpId{};
    selectOp(ops.size() == 1 ? ops.front() : std::ranges::count(ops, chosen) > 0 ? chosen : OpId{});
}

void TablePanel::showOp(OpId op)
{
    m_tabs->setCurrentWidget(m_operatorView);
    selectOp(op);
    m_operatorView->scrollTo(m_operatorView->selectionModel()->currentIndex());
}

void TablePanel::refresh()
{
    showOperators();
    showCosts();
    selectOp(m_selected);
}

void TablePanel::showOperators()
{
    std::vector<std::vector<QString>> rows;
    if (const std::shared_ptr<const Model> model = m_document.planEditor().plannedModel()) {
        const Analysis& analysis = *model->analysis;
        const Program& program = analysis.program;
        const std::vector<QStringList> functions = functionsOf(program, *model->cut);
        for (std::size_t i = 0; i < program.ops.size(); ++i) {
            const Op& op = program.ops[i];
            const ValueId result = op.outputs.front();
            const int level = analysis.values[result].level;
            rows.push_back({toText(op.name), toText(lastPart(op.target, ':')), op.module.valid() ? toText(program[op.module].path) : QString(),
                            functions[i].empty() ? tr("prologue") : functions[i].join(QStringLiteral(", ")),
                            level < 0 ? QString() : QString::number(analysis.degreeOf(level)), reachText(analysis, result),
                            toText(shapeText(analysis, result)), operands(program, op)});
        }
    }
    m_operators.setTable({{tr("Name"), {}, false}, {tr("Operator"), {}, false}, {tr("Module"), {}, false}, {tr("Function"), tr("of the plan"), true},
                          {tr("Message degree"), {}, true}, {tr("Rows"), {}, false}, {tr("Shape"), {}, false}, {tr("Reads"), {}, false}},
                         std::move(rows));
    m_operatorView->resizeColumnsToContents();
}

void TablePanel::showCosts()
{
    const PlanEditor& editor = m_document.planEditor();
    std::vector<std::vector<QString>> rows;
    const auto add = [&](const QString& name, const Amount& prepare, const Amount& read, const Amount& compute, const Amount& write, double seconds,
                         double peak) {
        rows.push_back({name, secondsText(prepare.seconds), secondsText(read.seconds), secondsText(compute.seconds), secondsText(write.seconds),
                        secondsText(seconds), bytesText(read.bytes), bytesText(write.bytes), bytesText(peak)});
    };
    const auto addSum = [&](const QString& name, const PlanCost& cost) {
        Amount prepare, read, compute, write;
        for (const FunctionCost& f : cost.functions) {
            prepare += f.prepare;
            read += f.read;
            compute += f.compute;
            write += f.write;
        }
        add(name, prepare, read, compute, write, cost.seconds(), cost.peakBytes());
    };
    if (editor.cost() && editor.showsCosts()) {
        for (const std::size_t i : inOrderOfRuns(*editor.cost())) {
            const FunctionCost& f = editor.cost()->functions[i];
            add(functionTitle(f), f.prepare, f.read, f.compute, f.write, f.seconds(), f.peakBytes);
        }
        addSum(tr("This plan"), *editor.cost());
        if (editor.other())
            if (const std::optional<PlanCost> other = editor.costs().costOf(editor.other()->plan))
                addSum(editor.other()->name, *other);
        for (const PricedPlan& plan : editor.costs().plans())
            addSum(planText(plan.name), plan.planned.cost);
    }
    m_costs.setTable({{tr("Function or plan"), {}, false},
                      {tr("Blocks"), tr("neighbours found, structure sliced"), true},
                      {tr("Read"), {}, true},
                      {tr("Compute"), {}, true},
                      {tr("Write"), {}, true},
                      {tr("Together"), {}, true},
                      {tr("Bytes read"), {}, true},
                      {tr("Bytes written"), {}, true},
                      {tr("At most of memory"), {}, true}},
                     std::move(rows));
    m_costView->resizeColumnsToContents();
}

}  // namespace cleave::views
