#include "views/result_panel.h"

#include <QHeaderView>
#include <QLabel>
#include <QListWidget>
#include <QScrollBar>
#include <QSplitter>
#include <QTableView>
#include <QTime>
#include <QVBoxLayout>
#include <algorithm>
#include <numeric>

#include "core/base/format.h"
#include "views/accessible.h"
#include "views/table_copying.h"
#include "views/table_order.h"
#include "views/text.h"

namespace cleave::views {

namespace {

enum Page : std::uint8_t { RunPage, VerifyPage };

QLabel* summaryLabel(QWidget* parent)
{
    auto* label = new QLabel(parent);
    label->setTextFormat(Qt::PlainText);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    label->setWordWrap(true);
    label->setContentsMargins(10, 6, 10, 6);
    return label;
}

QVBoxLayout* pageLayout(QWidget* page)
{
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    return layout;
}

}  // namespace

ResultPanel::ResultPanel(Document& document, QWidget* parent)
    : QTabWidget(parent), m_document(document), m_runSummary(summaryLabel(this)), m_verdict(summaryLabel(this)),
      m_messages(new QListWidget(this))
{
    setDocumentMode(true);
    m_messages->setFrameShape(QFrame::NoFrame);
    m_messages->setWordWrap(true);
    m_messages->setAccessibleName(tr("Messages"));
    addTab(runPage(), tr("Run"));
    addTab(verifyPage(), tr("Verify"));
    addTab(m_messages, tr("Messages"));
    connect(&m_document, &Document::changed, this, [this](Change change) {
        if (change != Change::Tasks && change != Change::Options)
            showReport();
        if (change == Change::Result && m_document.report().run() != nullptr)
            setCurrentIndex(m_document.report().isOfVerify() ? VerifyPage : RunPage);
    });
    connect(&m_document.planEditor(), &PlanEditor::costsChanged, this, [this] {
        if (m_tellsPredicted != m_document.planEditor().showsCosts())
            showReport();
    });
    showReport();
}

QWidget* ResultPanel::runPage()
{
    auto* page = new QWidget(this);
    QVBoxLayout* layout = pageLayout(page);
    layout->addWidget(m_runSummary);
    layout->addWidget(tableView(m_functions, tr("Functions of the run")), 1);
    return page;
}

QWidget* ResultPanel::verifyPage()
{
    auto* page = new QWidget(this);
    QVBoxLayout* layout = pageLayout(page);
    layout->addWidget(m_verdict);
    auto* tables = m_tables = new QSplitter(page);
    QTableView* differences = tableView(m_comparisons, tr("Differences"));
    showSortable(*differences, m_comparisons);
    tables->addWidget(differences);
    m_accuracyView = tableView(m_accuracies, tr("Accuracy"));
    tables->addWidget(m_accuracyView);
    tables->setStretchFactor(0, 5);
    tables->setStretchFactor(1, 2);
    // Once all of them have their size.
    connect(m_accuracyView->horizontalHeader(), &QHeaderView::sectionResized, this, &ResultPanel::fitAccuracies, Qt::QueuedConnection);
    connect(tables, &QSplitter::splitterMoved, this, [this] { m_isMoved = true; });
    layout->addWidget(tables, 1);
    return page;
}

QTableView* ResultPanel::tableView(TextTableModel& model, const QString& name)
{
    auto* view = new QTableView(this);
    view->setModel(&model);
    view->setAccessibleName(name);
    view->setFrameShape(QFrame::NoFrame);
    view->setShowGrid(false);
    view->setAlternatingRowColors(true);
    view->setSelectionBehavior(QAbstractItemView::SelectRows);
    view->setTabKeyNavigation(false);
    view->verticalHeader()->hide();
    view->verticalHeader()->setDefaultSectionSize(view->fontMetrics().height() + 8);
    view->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    view->horizontalHeader()->setHighlightSections(false);
    view->horizontalHeader()->setStretchLastSection(false);
    makeCopyable(*view);
    return view;
}

// As wide as its columns, up to half of all, unless somebody has moved it.
void ResultPanel::fitAccuracies()
{
    if (m_isMoved || m_tables->width() == 0)
        return;
    const int wanted = m_accuracyView->horizontalHeader()->length() + m_accuracyView->verticalScrollBar()->sizeHint().width();
    const int given = std::min(wanted, m_tables->width() / 2);
    m_tables->setSizes({m_tables->width() - m_tables->handleWidth() - given, given});
}

void ResultPanel::showReport()
{
    const QString before = m_runSummary->text() + m_verdict->text();
    // What was measured can still be compared with the next run when the plan is another.
    const Report& report = m_document.lastReport();
    const bool isEarlier = m_document.report().run() == nullptr && report.run() != nullptr;
    const VerifyResult* verify = report.verify ? &*report.verify : nullptr;
    m_tellsPredicted = m_document.planEditor().showsCosts();
    showFunctions(m_functions, report.run(), m_tellsPredicted);
    showComparisons(m_comparisons, verify, m_document.graph().get());
    showAccuracies(m_accuracies, verify);
    m_accuracyView->setVisible(verify == nullptr || !verify->accuracies.empty());
    const QString hint = !m_document.model()   ? tr("Open a model first.")
                         : !m_document.graph() ? tr("Open a graph to run the model on.")
                                               : QString();
    const QString earlier = isEarlier ? tr("From before a change:") + u' ' : QString();
    m_runSummary->setText(report.run() != nullptr ? earlier + runSummary(*report.run()) : hint.isEmpty() ? tr("Nothing has been run yet.") : hint);
    m_verdict->setText(verify != nullptr ? earlier + verdict(*verify)
                       : hint.isEmpty()  ? tr("Verify runs the whole model and the cut one and compares their answers.")
                                         : hint);
    for (QLabel* label : {m_runSummary, m_verdict})
        label->setForegroundRole(isEarlier ? QPalette::PlaceholderText : QPalette::WindowText);
    if (!isEarlier && (report.run() != nullptr || verify != nullptr) && m_runSummary->text() + m_verdict->text() != before)
        announce(*this, report.isOfVerify() ? m_verdict->text() : m_runSummary->text());
}

QString ResultPanel::runSummary(const RunResult& run) const
{
    const bool isTyped = m_document.model() && m_document.model()->analysis->types() > 1;
    QString text = (isTyped ? tr("Layer-wise with batches of %1 rows: %2, of which %3 for the prologue.")
                            : tr("Layer-wise with batches of %1 nodes: %2, of which %3 for the prologue."))
                       .arg(countText(run.batchSize), secondsText(run.seconds), secondsText(run.prologueSeconds));
    if (run.firstSeconds > 0)
        text += tr(" The first time it took %1.").arg(secondsText(run.firstSeconds));
    if (run.peakBytes > 0 && !run.predicted.seconds.empty() && m_tellsPredicted)
        text += tr(" At most %1 of memory at once beside the graph, where %2 were predicted.")
                    .arg(bytesText(run.peakBytes), bytesText(run.predicted.mostBytes()));
    else if (run.peakBytes > 0)
        text += tr(" At most %1 of memory at once beside the graph.").arg(bytesText(run.peakBytes));
    if (run.boundBytes > 0)
        text += (run.residentBytes < run.peakBytes ? tr(" At most %1 was resident, of %2 allowed: the rest lay in files.")
                                                    : tr(" At most %1 was resident, of %2 allowed."))
                    .arg(bytesText(run.residentBytes), bytesText(run.boundBytes));
    const auto hasMore = [&](const FunctionRun& f) { return run.batchSize > 0 && f.batches > (f.rows + run.batchSize - 1) / run.batchSize; };
    if (run.boundBytes > 0 && std::ranges::any_of(run.functions, hasMore))
        text += tr(" Memory ran short: some batches were halved.");
    // Where rates were measured they hold for a machine that does nothing else.
    constexpr double farMore = 2;
    const double took = std::accumulate(run.functions.begin(), run.functions.end(), 0.0,
                                        [](double all, const FunctionRun&f) { return all + f.seconds(); }),
                 predicted = std::accumulate(run.predicted.seconds.begin(), run.predicted.seconds.end(), 0.0);
    if (m_tellsPredicted && run.predicted.rates.starts_with("measured") && predicted > 0 && took > farMore * predicted)
        text += u' ' + tr("The functions took %1 what was predicted: other programs may have been running, or this plan is priced wrongly.")
                           .arg(changeText(predicted, took));
    if (!run.randomInputs.empty())
        text += u' ' + randomNote(run);
    return text;
}

QString ResultPanel::randomNote(const RunResult& run)
{
    return tr("RANDOM NUMBERS in place of %1, which the graph does not have.").arg(toText(join(run.randomInputs, ", ")));
}

QString ResultPanel::verdict(const VerifyResult& result) const
{
    const QString tolerance = tr("absolute %1, relative %2").arg(numberText(result.tolerance.absolute),
                                                                numberText(result.tolerance.relative));
    QString note = result.layerWise.randomInputs.empty() ? QString() : u' ' + randomNote(result.layerWise);
    if (const auto different = std::ranges::find_if(result.comparisons, [](const Comparison& c) { return !roundingNote(c).isEmpty(); });
        different != result.comparisons.end())
        note += u' ' + roundingNote(*different);
    for (const Comparison& c : result.comparisons)
        if (c.rowsNotFinite > 0 && c.b != "expected")
            note +=
                u' ' +
                tr("%1 of %2 rows of %3 have NaN or infinite numbers, in both.").arg(countText(c.rowsNotFinite), countText(c.rows), toText(c.output));
    if (result.sample)
        note += u' ' + sampleNote(*result.sample);
    // The cut is not to blame where the uncut model's answers are others as well.
    const bool isCutRight = std::ranges::all_of(result.comparisons, [](const Comparison& c) { return c.b == "expected" || c.holds(); }) &&
                            std::ranges::any_of(result.comparisons, [](const Comparison& c) { return c.b != "expected"; });
    return (result.equal() ? tr("✓ Equal: the cut model gives the same answers within tolerance (%1), at a batch size of %2.")
            : isCutRight ? tr("✗ Different from the expected outputs (%1), at a batch size of %2; the cut model gives the answers of the uncut one.")
                         : tr("✗ Different: rows are over tolerance (%1), at a batch size of %2."))
               .arg(tolerance, countText(result.layerWise.batchSize)) +
           note;
}

void ResultPanel::addMessage(const QString& text)
{
    m_messages->addItem(QStringLiteral("%1  %2").arg(QTime::currentTime().toString(QStringLiteral("HH:mm:ss")), text));
    m_messages->scrollToBottom();
}

QString ResultPanel::summary() const
{
    return currentIndex() == VerifyPage ? m_verdict->text() : m_runSummary->text();
}

}  // namespace cleave::views
