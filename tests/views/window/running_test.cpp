// Runs and self-checks.
#include "tests/views/window/fixture.h"

#include <QAccessible>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QSpinBox>
#include <QStatusBar>
#include <QTemporaryDir>
#include <QTimer>
#include <QToolTip>
#include <algorithm>

#include "core/base/mapping.h"
#include "core/graph/generate.h"
#include "core/run/model.h"
#include "core/run/rewrite_worth.h"
#include "views/degree_chart.h"
#include "views/export_picture.h"
#include "views/exporting.h"
#include "views/find_bar.h"
#include "views/found_list.h"
#include "views/graph_scene.h"
#include "views/help_dialog.h"
#include "views/inspector.h"
#include "views/legend.h"
#include "views/message_bar.h"
#include "views/plan_drag.h"
#include "views/plan_panel.h"
#include "views/result_panel.h"
#include "views/save_point_model.h"
#include "views/settings_dialog.h"
#include "views/staged_model.h"
#include "views/story_view.h"
#include "views/table_panel.h"
#include "views/text.h"

namespace cleave::views {

class RunningTest : public WindowFixture {
    Q_OBJECT

private Q_SLOTS:
    void verifyShowsTheResult();
    void verifyComparesWithExpectedOutputs();
    void whatRunsIsLit();
    void cancelStopsARun();
    void cancelStopsAtOnce_data();
    void cancelStopsAtOnce();
    void memoryOfARunIsBound();
    void comparisonsWaitForRuns();
    void aLookAtAnotherPlanKeepsTheResult();
    void resultsAreOfWhatWasSet();
    void oneBatchOfAllNodesStaysOne();
    void theExampleRunsInBatches();
    void tolerancesSayWhatTheyTake();
    void batchesAreNoLargerThanTheGraph();
    void runsThatTakeFarLongerSaySo();
};

void RunningTest::verifyShowsTheResult()
{
    MainWindow window;
    open(window, "gcn.pt2");
    openGraph(window);
    for (auto* button : window.findChildren<QPushButton*>())
        if (button->text().contains(QStringLiteral("Verify")))
            QTest::mouseClick(button, Qt::LeftButton);
    QVERIFY(window.document().isBusy());
    QTRY_VERIFY_WITH_TIMEOUT(window.document().report().verify.has_value(), patience);
    QVERIFY(window.document().report().verify->equal());
    const auto* results = window.findChild<ResultPanel*>();
    QVERIFY(results->isVisible());                 // comes forward
    QCOMPARE(results->functions().rowCount(), 4);  // three functions and their sum
    QVERIFY(results->comparisons().rowCount() >= 1);
    QVERIFY(results->accuracies().rowCount() >= 1);
    QVERIFY(results->summary().contains(QStringLiteral("Equal")));
}

void RunningTest::verifyComparesWithExpectedOutputs()
{
    MainWindow window;
    open(window, "sage.pt2");
    openGraph(window);
    window.document().openExpected(example("sage.expected.npz"));
    QTRY_VERIFY_WITH_TIMEOUT(!window.document().expectedPath().isEmpty(), patience);
    window.document().verify();
    QTRY_VERIFY_WITH_TIMEOUT(window.document().report().verify.has_value(), patience);
    QVERIFY(window.document().report().verify->equal());
    QCOMPARE(window.findChild<ResultPanel*>()->comparisons().rowCount(), 3);
    window.document().open(example("gcn.pt2"));  // what was expected of another model is no longer expected
    QTRY_VERIFY_WITH_TIMEOUT(window.document().expectedPath().isEmpty() && window.document().canRun(), patience);
    // Outputs of another model are as many and different: the rows that differ most are listed.
    window.document().openExpected(example("sage.expected.npz"));
    QTRY_VERIFY_WITH_TIMEOUT(!window.document().expectedPath().isEmpty(), patience);
    QTRY_VERIFY_WITH_TIMEOUT(window.document().canRun(), patience);
    window.document().verify();
    QTRY_VERIFY_WITH_TIMEOUT(window.document().report().verify.has_value(), patience);
    const QAbstractItemModel& table = window.findChild<ResultPanel*>()->comparisons();
    const std::vector<std::int64_t>& worst = window.document().report().verify->comparisons.back().worstRows;
    const QModelIndex cell = table.index(table.rowCount() - 1, table.columnCount() - 1);
    QVERIFY2(cell.data().toString().startsWith(QString::number(worst.front()) + QStringLiteral(", ")), qPrintable(cell.data().toString()));
    QCOMPARE(cell.data(Qt::ToolTipRole).toString().count(u','), static_cast<qsizetype>(worst.size()) - 1);
    QVERIFY(table.index(0, table.columnCount() - 1).data().toString().isEmpty());
    QVERIFY2(window.findChild<ResultPanel*>()->summary().contains(QStringLiteral("the answers of the uncut one")), "it is not the cut's fault");
}

void RunningTest::whatRunsIsLit()
{
    MainWindow window;
    open(window, "sage.pt2");
    openGraph(window);
    const GraphScene& scene = window.graphView().graphScene();
    QStringList lit;
    connect(&window.document(), &Document::progressed, &window, [&](double, const QString& what) {
        const QRectF area = scene.litRect();
        const auto& bands = window.graphView().picture()->dag.bands;
        for (std::size_t band = 0; band < bands.size(); ++band)
            if (const LayoutBand& place = window.graphView().picture()->layout.bands[band]; area.contains(area.center().x(), place.top + 2))
                lit.append(QStringLiteral("%1: %2").arg(what, toText(bands[band].name)));
    });
    window.document().setBatchSize(1);  // for long enough to be seen
    window.document().runLayerWise();
    QTRY_VERIFY_WITH_TIMEOUT(!window.document().isBusy(), patience);
    QVERIFY(!lit.isEmpty());
    for (const QString& line : lit)
        QVERIFY2(QRegularExpression(QStringLiteral("^Running (function \\d): \\1$")).match(line).hasMatch(), qPrintable(line));
    QVERIFY(scene.litRect().isEmpty());
}

void RunningTest::cancelStopsARun()
{
    MainWindow window;
    open(window, "jk.pt2");
    openGraph(window);
    window.document().setBatchSize(1);
    window.document().runLayerWise();
    QVERIFY(window.document().isBusy());
    const QSignalSpy said(window.statusBar(), &QStatusBar::messageChanged);
    window.document().cancel();
    QTRY_VERIFY_WITH_TIMEOUT(!window.document().isBusy(), patience);
    QVERIFY(window.document().report().run() == nullptr);
    QVERIFY(!window.messageBar().isVisible());
    const auto* messages = window.findChild<ResultPanel*>()->findChild<QListWidget*>();
    QVERIFY2(messages->item(messages->count() - 1)->text().contains(QStringLiteral("Cancelled: ")),
             qPrintable(messages->item(messages->count() - 1)->text()));
    QVERIFY2(
        std::ranges::any_of(said, [](const QList<QVariant>& message) { return message[0].toString().startsWith(QStringLiteral("Cancelled: ")); }),
        "beside the button");
}

void RunningTest::cancelStopsAtOnce_data()
{
    QTest::addColumn<bool>("verify");
    QTest::addColumn<int>("after");  // milliseconds
    for (const bool verify : {false, true})
        for (const int after : {0, 20, 50, 120, 300})
            QTest::addRow("%s, after %d ms", verify ? "verify" : "run", after) << verify << after;
}

// On a graph that keeps both cores busy for seconds.
void RunningTest::cancelStopsAtOnce()
{
    QFETCH(const bool, verify);
    QFETCH(const int, after);
    static const auto graph = std::make_shared<const DataGraph>(generateRmat({.scale = 16, .features = 1433}));
    MainWindow window;
    open(window, "sage.pt2");
    window.document().setBatchSize(2000);
    window.document().setGraph(graph, {});
    QElapsedTimer timer;
    qint64 stopped = -1;
    connect(&window.document(), &Document::changed, &window, [&](Change) {
        if (stopped < 0 && !window.document().isBusy())
            stopped = timer.elapsed();
    });
    qint64 fastest = patience;  // of a few, as the machine may do other things as well
    for (int attempt = 0; attempt < 4 && fastest >= 200; ++attempt) {
        verify ? window.document().verify() : window.document().runLayerWise();
        QTest::qWait(after);
        if (!window.document().isBusy())
            QSKIP("This machine was done by then.");
        stopped = -1;
        timer.start();
        window.document().cancel();
        QTRY_VERIFY_WITH_TIMEOUT(!window.document().isBusy(), patience);
        fastest = std::min(fastest, stopped);
        QVERIFY(window.document().report().run() == nullptr);
        QVERIFY(window.document().canRun());
    }
    QVERIFY2(fastest < 200, qPrintable(QStringLiteral("%1 ms").arg(fastest)));
}

// Refused where nothing could run in it, kept and said where it can; not a step of the plan.
void RunningTest::memoryOfARunIsBound()
{
    MainWindow window;
    open(window, "sage.pt2");
    openGraph(window);
    QSpinBox* memory = nullptr;
    for (QSpinBox* box : window.findChildren<QSpinBox*>())
        if (box->accessibleName() == QStringLiteral("Memory of a run"))
            memory = box;
    QVERIFY(memory);
    QCOMPARE(memory->text(), QStringLiteral("No bound"));
    const auto type = [&](const QString& text) {
        memory->setFocus();
        memory->selectAll();
        QTest::keyClicks(memory, text);
        QTest::keyClick(memory, Qt::Key_Return);
    };
    type(QStringLiteral("20"));
    QCOMPARE(window.document().options().run.memoryBytes, std::size_t{20'000'000});
    for (const QString& none : {QString(), QStringLiteral("No bound"), QStringLiteral("no")}) {
        memory->setValue(20);
        memory->setFocus();
        memory->selectAll();
        QTest::keyClick(memory, Qt::Key_Delete);
        QTest::keyClicks(memory, none);
        QTest::keyClick(memory, Qt::Key_Return);
        QCOMPARE(window.document().options().run.memoryBytes, std::size_t{0});
    }
    type(QStringLiteral("20"));
    QString failure;
    connect(&window.document(), &Document::failed, this, [&](const QString& text) { failure = text; });
    window.document().runLayerWise();
    QTRY_VERIFY_WITH_TIMEOUT(failure.contains(QStringLiteral("needs about")), patience);
    type(QStringLiteral("4000"));
    window.document().runLayerWise();
    QTRY_VERIFY_WITH_TIMEOUT(window.document().report().run() && !window.document().isBusy(), patience);
    const RunResult& run = *window.document().report().run();
    QCOMPARE(run.boundBytes, 4e9);
    QVERIFY(run.residentBytes < 4e9);
    QVERIFY(std::ranges::any_of(window.findChildren<QLabel*>(), [](const QLabel* label) {
        return label->text().contains(QStringLiteral("was resident, of %1 allowed").arg(bytesText(4e9)));
    }));
    QVERIFY(!window.document().planEditor().isModified());
    window.document().verify();
    QTRY_VERIFY_WITH_TIMEOUT(window.document().report().verify && window.document().report().verify->layerWise.boundBytes == 4e9, patience);
    QVERIFY(window.document().report().verify->equal());
}

// What is only compared takes neither time nor memory of a run, and goes on after it.
void RunningTest::comparisonsWaitForRuns()
{
    MainWindow window;
    openWithCosts(window, "sage.pt2");
    const PlanCosts& costs = window.document().planEditor().costs();
    // As soon as the plan's own costs are known.
    bool began = false, madeWay = false;
    const auto run = [&] {
        if (began || !window.document().planEditor().cost() || !costs.isWorking())
            return;
        began = true;
        window.document().runLayerWise();
        madeWay = costs.makesWay() && !costs.isWorking();
    };
    connect(&costs, &PlanCosts::working, &window, [&] { QTimer::singleShot(0, &window, run); });
    window.document().setBatchSize(20);
    QTRY_VERIFY_WITH_TIMEOUT(began, patience);
    QVERIFY(madeWay);
    QVERIFY2(!window.planPanel().activity().contains(QStringLiteral("Stopped")), qPrintable(window.planPanel().activity()));
    QTRY_VERIFY_WITH_TIMEOUT(window.document().report().run() && !window.document().isBusy(), patience);
    QVERIFY(!costs.makesWay() && !costs.isStopped());
    QTRY_VERIFY_WITH_TIMEOUT(costs.plans().size() == 5 && !costs.isWorking(), patience);
}

void RunningTest::aLookAtAnotherPlanKeepsTheResult()
{
    MainWindow window;
    open(window, "sage.pt2");
    openGraph(window);
    window.document().runLayerWise();
    QTRY_VERIFY_WITH_TIMEOUT(window.document().report().run(), patience);
    window.graphView().selectCut(1);
    window.graphView().moveCut(true);
    QVERIFY(window.document().planEditor().hasPreview());
    QVERIFY(window.document().report().run());
    QTest::keyClick(&window.graphView(), Qt::Key_Return);
    QVERIFY(!window.document().report().run());  // of another plan
    // But it can still be read beside the next, marked as what it is.
    const auto* results = window.findChild<ResultPanel*>();
    QVERIFY(results->functions().rowCount({}) > 0);
    const auto says = [&](const QString& text) {
        const QList<QLabel*> labels = results->findChildren<QLabel*>();
        return std::ranges::any_of(labels, [&](const QLabel* label) { return label->text().contains(text); });
    };
    QVERIFY(says(QStringLiteral("From before a change: Layer-wise")));
    window.document().changed(Change::Graph);  // as when colours change
    QVERIFY(says(QStringLiteral("From before a change: Layer-wise")));
    const QTemporaryDir folder;
    const QString outputs = folder.filePath(QStringLiteral("outputs.npz"));
    QVERIFY(exportDocument(window.document(), window.graphView(), outputs));
    QVERIFY(QFileInfo::exists(outputs));
    window.document().planEditor().history().undo();
    QVERIFY(window.document().report().run());  // it is that plan again
    QVERIFY(!says(QStringLiteral("From before a change")));
    window.document().planEditor().history().redo();
    QVERIFY(!window.document().report().run());
    window.document().runLayerWise();
    QTRY_VERIFY_WITH_TIMEOUT(window.document().report().run(), patience);
    QVERIFY(!says(QStringLiteral("From before a change")));
    window.document().planEditor().history().setClean();
}

// Also an order of nodes, and a change while something runs; and a run does not make what Verify said untrue.
void RunningTest::resultsAreOfWhatWasSet()
{
    MainWindow window;
    open(window, "sage.pt2");
    openGraph(window);
    Document& document = window.document();
    const auto idle = [&] { return !document.isBusy() && document.job(Task::Run) == nullptr; };
    document.verify();
    QTRY_VERIFY_WITH_TIMEOUT(idle() && document.report().verify, patience);
    QVERIFY(document.report().isOfVerify());
    document.runLayerWise();
    QTRY_VERIFY_WITH_TIMEOUT(idle() && document.report().layerWise, patience);
    QVERIFY(document.report().verify && document.report().verify->equal() && !document.report().isOfVerify());
    QVERIFY(!document.report().run()->outputs.empty());
    document.chooseNodeOrder(NodeOrder::Degree);
    QVERIFY(!document.report().run());
    document.chooseNodeOrder(NodeOrder::Natural);
    QVERIFY(document.report().run() && document.report().verify);
    document.verify();
    document.chooseBatchSize(100);
    QTRY_VERIFY_WITH_TIMEOUT(idle(), patience);
    QVERIFY2(!document.report().run(), "it was of other batches");
    document.planEditor().history().undo();
    QVERIFY(document.report().isOfVerify());
    // A plan that is previewed by keys is the one that is run and saved.
    window.graphView().selectCut(1);
    window.graphView().moveCut(true);
    QVERIFY(document.planEditor().hasPreview());
    const Plan shown = document.planEditor().shown();
    document.runLayerWise();
    QVERIFY(!document.planEditor().hasPreview());
    QVERIFY(document.planEditor().plan() == shown);
    QTRY_VERIFY_WITH_TIMEOUT(idle() && document.report().run(), patience);
    document.planEditor().history().setClean();
}

void RunningTest::oneBatchOfAllNodesStaysOne()
{
    MainWindow window;
    openWithCosts(window, "gcn.pt2");
    Document& document = window.document();
    document.setBatchSize(document.graph()->numNodes);
    document.openKarateClub();
    QCOMPARE(document.options().run.batchSize, std::int64_t{34});
    document.setBatchSize(7);
    document.openGraph(example("cora.npz"));
    QTRY_VERIFY_WITH_TIMEOUT(document.graph()->numNodes == 2708, patience);
    QCOMPARE(document.options().run.batchSize, std::int64_t{7});
}

void RunningTest::theExampleRunsInBatches()
{
    MainWindow window;
    window.openExample();
    QTRY_VERIFY_WITH_TIMEOUT(window.document().graph() && window.document().planEditor().cost() && !window.document().isBusy(), patience);
    QCOMPARE(window.document().options().run.batchSize, 256);
    const PlanCosts& costs = window.document().planEditor().costs();
    // Plans come one by one.
    const auto named = [&](std::string_view name) -> std::optional<double> {
        const auto plan = std::ranges::find(costs.plans(), name, &PricedPlan::name);
        return plan == costs.plans().end() ? std::nullopt : std::optional(plan->planned.cost.seconds());
    };
    QTRY_VERIFY_WITH_TIMEOUT(named("node-wise") && named("optimal") && *named("node-wise") > 1.1 * *named("optimal"), patience);
    const auto says = [&] {
        const QList<QLabel*> labels = window.planPanel().findChildren<QLabel*>();
        return std::ranges::any_of(labels, [](const QLabel* label) { return label->text().contains(QStringLiteral("One batch holds all nodes")); });
    };
    QVERIFY(!says());
    // Another graph is not the example's any more.
    window.document().openGraph(QStringLiteral(CLEAVE_TEST_DIR "/graphs/minesweeper.npz"));
    QTRY_VERIFY_WITH_TIMEOUT(window.document().graph()->numNodes == 10'000 && !window.document().isBusy(), patience);
    QCOMPARE(window.document().options().run.batchSize, 0);
    openGraph(window);
    QTRY_VERIFY_WITH_TIMEOUT(window.document().planEditor().cost() && says(), patience);
}

void RunningTest::tolerancesSayWhatTheyTake()
{
    MainWindow window;
    open(window, "sage.pt2");
    window.show();
    QLineEdit* absolute = nullptr;
    for (QLineEdit* edit : window.findChildren<QLineEdit*>())
        if (edit->accessibleName() == QStringLiteral("Absolute tolerance"))
            absolute = edit;
    QVERIFY(absolute);
    absolute->setFocus();
    absolute->selectAll();
    QTest::keyClicks(absolute, QStringLiteral("-"));
    QTRY_VERIFY(QToolTip::isVisible());
    QVERIFY(QToolTip::text().contains(QStringLiteral("from 0 to 1")));
    QToolTip::hideText();
    // What is no number from 0 to 1 is not taken for one.
    const Tolerance before = window.document().tolerance();
    for (const char* text : {"0,5", "1e400", ""}) {
        absolute->selectAll();
        QTest::keyClick(absolute, Qt::Key_Delete);
        QTest::keyClicks(absolute, QLatin1String(text));
        QTest::keyClick(absolute, Qt::Key_Return);
        window.findChild<QSpinBox*>()->setFocus();
        QVERIFY2(window.document().tolerance() == before || window.document().tolerance().absolute == 0.05, text);
        QVERIFY2(std::isfinite(window.document().tolerance().absolute), text);
    }
}

void RunningTest::batchesAreNoLargerThanTheGraph()
{
    MainWindow window;
    openWithCosts(window, "sage.pt2");
    const PlanEditor& editor = window.document().planEditor();
    QTRY_VERIFY(!editor.costs().isWorking());
    window.document().chooseBatchSize(999'999'999);
    QTRY_VERIFY_WITH_TIMEOUT(editor.cost() && editor.batches().size == 999'999'999 && !editor.costs().isWorking(), patience);
    QVERIFY2(window.planPanel().summary().contains(QStringLiteral("batches of 2,708 nodes")), qPrintable(window.planPanel().summary()));
    const QAccessibleInterface* curve = QAccessible::queryAccessibleInterface(&window.planPanel().curve());
    const QString sizes = curve->text(QAccessible::Description);
    QVERIFY2(sizes.count(QStringLiteral("batches of 2,708:")) == 1 && !sizes.contains(QStringLiteral("999")), qPrintable(sizes));
    window.document().planEditor().history().setClean();
}

void RunningTest::runsThatTakeFarLongerSaySo()
{
    MainWindow window;
    openWithCosts(window, "sage.pt2");
    window.document().runLayerWise();
    QTRY_VERIFY_WITH_TIMEOUT(!window.document().isBusy() && window.document().report().run(), patience);
    RunResult run = *window.document().report().run();
    const auto summary = [&](double factor, const char* rates) {
        run.predicted.rates = rates;
        run.predicted.seconds.clear();
        for (const FunctionRun& f : run.functions)
            run.predicted.seconds.push_back(f.seconds() / factor);
        return window.findChild<ResultPanel*>()->runSummary(run);
    };
    QVERIFY2(summary(4, "measured today").contains(QStringLiteral("took 4 times what was predicted")), qPrintable(summary(4, "measured today")));
    QVERIFY(!summary(1.5, "measured today").contains(QStringLiteral("what was predicted")));
    QVERIFY(!summary(4, "assumed").contains(QStringLiteral("what was predicted")));
}

static const WindowTests runningTests([] { return std::make_unique<RunningTest>(); });

}  // namespace cleave::views

#include "running_test.moc"
