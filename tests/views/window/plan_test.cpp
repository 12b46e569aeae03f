// Plans, their costs and the panel that shows them; rewrites.
#include "tests/views/window/fixture.h"

#include <QComboBox>
#include <QContextMenuEvent>
#include <QDir>
#include <QDockWidget>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QListWidget>
#include <QMenu>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QStatusBar>
#include <QTableView>
#include <QTemporaryDir>
#include <QTextBlock>
#include <QTextDocument>
#include <QTimer>
#include <algorithm>
#include <set>

#include "core/base/mapping.h"
#include "core/graph/generate.h"
#include "core/plan/cut.h"
#include "core/run/calibrate.h"
#include "core/run/model.h"
#include "core/run/rewrite_worth.h"
#include "views/code_panel.h"
#include "views/core_text.h"
#include "views/degree_chart.h"
#include "views/export_picture.h"
#include "views/find_bar.h"
#include "views/found_list.h"
#include "views/graph_scene.h"
#include "views/help_dialog.h"
#include "views/inspection.h"
#include "views/inspector.h"
#include "views/legend.h"
#include "views/message_bar.h"
#include "views/plan_drag.h"
#include "views/plan_label.h"
#include "views/plan_marks.h"
#include "views/plan_panel.h"
#include "views/property_view.h"
#include "views/report.h"
#include "views/result_panel.h"
#include "views/ruler.h"
#include "views/save_point_model.h"
#include "views/settings_dialog.h"
#include "views/staged_model.h"
#include "views/story_view.h"
#include "views/table_panel.h"
#include "views/text.h"

namespace cleave::views {

class PlanInWindowTest : public WindowFixture {
    Q_OBJECT

private Q_SLOTS:
    void aWrongCutIsNotKept();
    void codeFollowsThePlan();
    void planningIsSeenAndCanBeStopped();
    void rewritesChangeTheProgramAndAreShown();
    void savePointTableStaysInItsPlace();
    void planOfARewrittenProgramIsCompared();
    void savePointTableChangesThePlan();
    void functionsRunOnADevice();
    void costsAreThoseOfThePlanner();
    void functionsRunTogether();
    void functionsAreShownInTheOrderOfRuns();
    void memoryOfRunsBoundsThePlans();
    void extremesAreTakenAsPlans();
    void batchSizeIsChosenOnTheCurve();
    void savePointSaysWhatItCosts();
    void rewritesSayThatThePlanBeginsAnew();
    void twoPlansAreCompared();
    void panelsSpeakOfThePlan();
    void plannersAreTakenByTheirButtons();
    void rewritesMayChangeTheFunctions();
    void rewritesAreStepsOfTheHistory();
    void rewritesThatLoseAreLeftOut();
    void machineIsMeasuredInTheWindow();
    void plansAreComparedBySmallDifferences();
    void nothingIsRewrittenDuringARun();
    void barsOfFunctionsAreWhole();
    void buttonsOfThePlanStayInTheirPlace();
    void cancelledRewritesAreNotThere();
    void barsThatTakeFarMoreAreBroken();
    void savePointsAreCountedOnce();
    void plannersStandInTheMenu();
    void comparisonEndsWhereThereIsOne();
};

void PlanInWindowTest::aWrongCutIsNotKept()
{
    MainWindow window;
    open(window, "gcn.pt2");
    QVERIFY(window.document().isChecked());
    Model wrong = *window.document().model();
    CutProgram cut = *wrong.cut;
    cut.functions.pop_back();
    wrong.cut = std::make_shared<const CutProgram>(std::move(cut));
    window.document().setModel(std::make_shared<const Model>(std::move(wrong)), QStringLiteral("wrong.pt2"));
    QVERIFY(!window.document().isChecked());
    QTRY_VERIFY_WITH_TIMEOUT(!window.document().model(), patience);
    QVERIFY(window.messageBar().isVisible() && !window.messageBar().text().isEmpty());
    QTRY_VERIFY_WITH_TIMEOUT(!window.document().isBusy(), patience);
    QVERIFY(!window.document().canRun());
    QVERIFY(!window.windowTitle().contains(QStringLiteral("wrong")));
}

void PlanInWindowTest::codeFollowsThePlan()
{
    MainWindow window;
    open(window, "sage.pt2");
    auto* panel = window.findChild<CodePanel*>();
    qobject_cast<QDockWidget*>(panel->parentWidget())->show();
    QTRY_VERIFY(panel->isVisible());
    panel->showFile(QStringLiteral("function_1.py"));
    const QString before = panel->source();
    QVERIFY2(before.contains(QStringLiteral("linear_3")), qPrintable(before));
    QVERIFY(window.document().planEditor().moveOps({opNamed(window, "linear_3")}, Position::pre(2)));
    QVERIFY(!panel->source().contains(QStringLiteral("linear_3 =")));
    const QTemporaryDir folder;
    window.exportCode(folder.path());
    QFile file(folder.filePath(QStringLiteral("function_1.py")));
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(QString::fromUtf8(file.readAll()), panel->source());
    // Again into the same, and beside other files into one of its own.
    window.exportCode(folder.path());
    QVERIFY(!QDir(folder.path()).exists(QStringLiteral("sage_cleave")));
    const QTemporaryDir full;
    QVERIFY(QFile::copy(file.fileName(), full.filePath(QStringLiteral("mine.py"))));
    window.exportCode(full.path());
    QCOMPARE(QDir(full.path()).entryList(QDir::Files), QStringList(QStringLiteral("mine.py")));
    QVERIFY(QFileInfo::exists(full.filePath(QStringLiteral("sage_cleave/function_1.py"))));
    window.document().planEditor().history().undo();
    QCOMPARE(panel->source(), before);

    // Functions keep their numbers where one has nothing to do.
    PlanEditor& editor = window.document().planEditor();
    QVERIFY(editor.moveOps({opNamed(window, "linear_1")}, Position::pre(1)));
    QCOMPARE(editor.plannedModel()->cut->functions.size(), 2U);
    const auto* files = panel->findChild<QComboBox*>();
    QVERIFY(files->findText(QStringLiteral("function_0.py")) < 0 && files->findText(QStringLiteral("function_2.py")) >= 0);
    QVERIFY(panel->source().startsWith(QStringLiteral("\"\"\"Function 1:")));
    window.tables().parentWidget()->show();
    qobject_cast<QDockWidget*>(window.tables().parentWidget())->raise();
    QTRY_COMPARE(window.tables().operators().rowCount(), static_cast<int>(window.document().model()->program().ops.size()));
    const int row = opNamed(window, "linear_1").index;
    QCOMPARE(window.tables().operators().index(row, 3).data().toString(), QStringLiteral("1"));
    qobject_cast<QDockWidget*>(panel->parentWidget())->raise();
    editor.history().undo();
    QTRY_COMPARE(panel->source(), before);

    // The file and the line of what is selected, also after it has moved.
    const auto marked = [&] {
        QStringList lines;
        for (const QTextEdit::ExtraSelection& mark : panel->findChild<QPlainTextEdit*>()->extraSelections())
            lines.append(mark.cursor.block().text().section(QStringLiteral(" ="), 0, 0).trimmed());
        return lines;
    };
    panel->showFile(QStringLiteral("function_2.py"));
    const DagKey key = boxOf(window, "linear_3");
    QTest::mouseClick(window.graphView().viewport(), Qt::LeftButton, {}, place(window.graphView(), key));
    QCOMPARE(marked(), QStringList{QStringLiteral("linear_3")});
    QVERIFY(panel->source().startsWith(QStringLiteral("\"\"\"Function 1:")));
    QVERIFY(window.document().planEditor().moveOps({opNamed(window, "linear_3")}, Position::pre(2)));
    QVERIFY2(panel->source().startsWith(QStringLiteral("\"\"\"Function 2:")), qPrintable(panel->source()));
    QVERIFY(!marked().isEmpty() && marked().first().startsWith(QStringLiteral("linear_3")));
    panel->showFile(QStringLiteral("once.py"));  // the person's choice
    window.document().planEditor().history().undo();
    QVERIFY(panel->source().contains(QStringLiteral("run once")));
}

// Where blocks of many hops hold the whole graph, node-wise takes long to count; all else is known before.
void PlanInWindowTest::planningIsSeenAndCanBeStopped()
{
    MainWindow window;
    window.resize(1400, 950);
    window.show();
    open(window, "jk.pt2");
    PlanEditor& editor = window.document().planEditor();
    PlanPanel& panel = window.planPanel();
    RunOptions options;
    options.batchSize = 64;
    options.randomFeatures = true;
    editor.setGraph(std::make_shared<const DataGraph>(generateRmat({.scale = 16, .features = 0})), options);
    QTRY_VERIFY_WITH_TIMEOUT(!panel.activity().isEmpty(), patience);
    QCOMPARE(panel.stopButton().text(), QStringLiteral("Stop"));
    QTRY_VERIFY_WITH_TIMEOUT(editor.costs().plans().size() >= 4 || !editor.costs().isWorking(), patience);
    if (!editor.costs().isWorking())
        QSKIP("This machine was done by then.");
    QCOMPARE(editor.costs().plans().back().name, std::string(plannerName(Planner::FullGraph)));
    QTRY_VERIFY_WITH_TIMEOUT(panel.activity().contains(QLatin1String("Node-wise")), patience);

    panel.stopButton().setFocus();
    QTest::keyClick(&panel.stopButton(), Qt::Key_Space);
    QVERIFY(!editor.costs().isWorking());
    QCOMPARE(panel.activity(), QStringLiteral("Stopped: not all plans are compared."));
    QVERIFY(editor.cost().has_value());
    QVERIFY(!panel.planners()[3]->isEnabled());
    QVERIFY(panel.planners()[4]->isEnabled());
    QTest::mouseClick(&panel.stopButton(), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(panel.activity().contains(QLatin1String("Node-wise")), patience);
    QCOMPARE(panel.stopButton().text(), QStringLiteral("Stop"));
    QCOMPARE(editor.costs().plans().size(), 4U);
    QElapsedTimer timer;
    timer.start();
    editor.setGraph(nullptr, options);
    QVERIFY(panel.activity().isEmpty());
    QTRY_VERIFY_WITH_TIMEOUT(editor.costs().findChildren<Job*>().isEmpty(), patience);
    QVERIFY2(timer.elapsed() < 1000, qPrintable(QStringLiteral("%1 ms").arg(timer.elapsed())));
}

void PlanInWindowTest::rewritesChangeTheProgramAndAreShown()
{
    MainWindow window;
    open(window, "sage.pt2");
    openGraph(window);
    QVERIFY(!window.document().model()->traced);
    const auto action = [&](const char* text) {
        for (QAction* candidate : window.findChildren<QAction*>())
            if (candidate->text() == QLatin1String(text))
                return candidate;
        return static_cast<QAction*>(nullptr);
    };
    const auto settled = [&] { return !window.document().isBusy() && !window.graphView().isLayingOut(); };
    QAction* first = action("Put linear layers before aggregations");
    QVERIFY(first && first->isCheckable() && !first->isChecked());
    const std::size_t ops = window.document().model()->program().ops.size();
    window.document().openExpected(example("sage.expected.npz"));
    QTRY_VERIFY_WITH_TIMEOUT(settled(), patience);

    first->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(window.document().model()->traced != nullptr, patience);
    QCOMPARE(window.document().model()->analysis->rewrites.size(), std::size_t(1));
    QTRY_VERIFY_WITH_TIMEOUT(settled(), patience);
    QCOMPARE(window.graphView().picture()->model, window.document().model());
    QVERIFY(!window.document().expectedPath().isEmpty());
    window.document().verify();
    QTRY_VERIFY_WITH_TIMEOUT(window.document().report().verify.has_value(), patience);
    QVERIFY(window.document().report().verify->equal());

    action("&All")->trigger();
    QVERIFY(first->isChecked());
    window.document().open(example("sage.pt2"));
    QTRY_VERIFY_WITH_TIMEOUT(settled() && window.document().model()->traced, patience);
    action("&None: the program as it was traced")->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(settled() && !window.document().model()->traced, patience);
    QVERIFY(!first->isChecked());
    QCOMPARE(window.document().model()->program().ops.size(), ops);
}

// Its rows stay where they are while one is selected, and it keeps what is selected in the window.
void PlanInWindowTest::savePointTableStaysInItsPlace()
{
    MainWindow window;
    openWithCosts(window, "sage.pt2");
    PlanPanel& panel = window.planPanel();
    QTableView& table = panel.savePoints();
    QTRY_VERIFY(!window.document().planEditor().costs().isWorking());
    QCoreApplication::processEvents();
    const QRect before = table.geometry();
    const QModelIndex relu = table.model()->index(1, SavePointModel::Bytes);
    QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, table.visualRect(relu).center());
    QCoreApplication::processEvents();  // the layout
    QVERIFY2(panel.savePointText().startsWith(QLatin1String("relu: ")), qPrintable(panel.savePointText()));
    QCOMPARE(table.geometry(), before);
    QTest::mouseClick(panel.planners().at(4), Qt::LeftButton);  // saves nothing
    QCOMPARE(table.model()->rowCount(), 0);
    window.document().planEditor().history().undo();
    QTRY_VERIFY_WITH_TIMEOUT(table.model()->rowCount() == 3 && window.document().planEditor().cost(), patience);
    QVERIFY(table.currentIndex().isValid() && panel.savePointText().startsWith(QLatin1String("relu: ")));
    window.document().planEditor().history().setClean();
}

void PlanInWindowTest::planOfARewrittenProgramIsCompared()
{
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("rewritten.cleave.json"));
    MainWindow window;
    openWithCosts(window, "sage.pt2");
    Document& document = window.document();
    QPushButton* apply = nullptr;
    for (auto* button : window.planPanel().findChildren<QPushButton*>())
        if (button->text() == QLatin1String("Rewrite where it pays"))
            apply = button;
    QVERIFY(apply != nullptr && apply->isVisible());
    const QSignalSpy said(window.statusBar(), &QStatusBar::messageChanged);  // it stays for some seconds, which a busy machine may take
    QTest::mouseClick(apply, Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(document.canRun() && !document.model()->analysis->rewrites.empty(), patience);
    QVERIFY(!apply->isVisible());
    const auto* messages = window.findChild<ResultPanel*>()->findChild<QListWidget*>();
    QVERIFY2(!messages->findItems(QStringLiteral("The best plan is predicted to take"), Qt::MatchContains).isEmpty(), "what it is worth");
    QVERIFY(std::ranges::any_of(
        said, [](const QList<QVariant>& message) { return message[0].toString().contains(QStringLiteral("is predicted to take")); }));
    QVERIFY(document.savePlan(file));
    document.setRewrites({});
    QTRY_VERIFY_WITH_TIMEOUT(document.canRun() && document.model()->analysis->rewrites.empty(), patience);
    document.comparePlan(file);
    QVERIFY(!document.planEditor().other());
    QVERIFY(window.messageBar().isVisible() && window.messageBar().buttons().size() == 1);
    QTest::mouseClick(window.messageBar().buttons().front(), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(document.planEditor().other().has_value(), patience);
    QCOMPARE(document.planEditor().other()->name, QStringLiteral("rewritten.cleave.json"));
    QVERIFY(!document.model()->analysis->rewrites.empty());
    QVERIFY(!window.messageBar().isVisible());
}

void PlanInWindowTest::savePointTableChangesThePlan()
{
    MainWindow window;
    open(window, "sage.pt2");
    QTableView& table = window.planPanel().savePoints();
    const auto names = [&] {
        QStringList all;
        for (int row = 0; row < table.model()->rowCount(); ++row)
            all.append(table.model()->index(row, SavePointModel::Tensor).data().toString());
        return all;
    };
    QCOMPARE(names(), (QStringList{QStringLiteral("linear_1"), QStringLiteral("relu"), QStringLiteral("linear_3")}));
    const QModelIndex last = table.model()->index(2, SavePointModel::Tensor);
    table.scrollTo(last);
    PlanEditor& editor = window.document().planEditor();
    const Plan before = editor.plan();
    const auto click = [&] {
        const QRect box = table.visualRect(table.model()->index(2, SavePointModel::Tensor));
        QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, box.topLeft() + QPoint(12, box.height() / 2));
    };
    const auto check = [&] { return table.model()->index(2, SavePointModel::Tensor).data(Qt::CheckStateRole).toInt(); };
    click();
    QCOMPARE(editor.history().undoText(), QStringLiteral("Do not save linear_3 at cut 2"));
    QVERIFY(!(editor.plan() == before));
    // What was unchecked stays, to be checked again, until the plan changes otherwise.
    QCOMPARE(names(), (QStringList{QStringLiteral("linear_1"), QStringLiteral("relu"), QStringLiteral("linear_3")}));
    QCOMPARE(check(), static_cast<int>(Qt::Unchecked));
    QCOMPARE(table.model()->index(2, SavePointModel::Seconds).data().toString(), QStringLiteral("not saved"));
    click();
    QVERIFY(editor.plan() == before);
    QCOMPARE(check(), static_cast<int>(Qt::Checked));
    editor.history().undo();
    QCOMPARE(names(), (QStringList{QStringLiteral("linear_1"), QStringLiteral("relu")}));
    editor.history().undo();
    QCOMPARE(names().size(), 3);
    QVERIFY(editor.plan() == before);
    // Rows above it stay where they are, too, also once costs are known.
    openGraph(window);
    QTRY_VERIFY_WITH_TIMEOUT(editor.cost().has_value() && editor.costs().plans().size() == 5, patience);
    const QStringList shown = names();
    const QRect box = table.visualRect(table.model()->index(0, SavePointModel::Tensor));
    QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, box.topLeft() + QPoint(12, box.height() / 2));
    QTRY_VERIFY_WITH_TIMEOUT(editor.cost().has_value(), patience);
    QCOMPARE(names().first(), shown.first());
    QCOMPARE(table.model()->index(0, SavePointModel::Tensor).data(Qt::CheckStateRole).toInt(), static_cast<int>(Qt::Unchecked));
    QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, box.topLeft() + QPoint(12, box.height() / 2));
    QCOMPARE(names().first(), shown.first());
    QCOMPARE(table.model()->index(0, SavePointModel::Tensor).data(Qt::CheckStateRole).toInt(), static_cast<int>(Qt::Checked));
}

// By the menu of the plan panel, where a device was measured once; each choice is a step, goes into the plan file and comes back from it.
void PlanInWindowTest::functionsRunOnADevice()
{
    const OwnConfiguration own;
    const QTemporaryDir& folder = own.folder;
    {
        MainWindow window;
        openWithCosts(window, "sage.pt2");
        if (!window.planPanel().deviceButton().isVisible())
            QCOMPARE(window.planPanel().functions().bars().size(), 3);  // no device here: nothing is asked
    }
    Rates rates;
    rates.devices["cuda"] = {"made up", 2e10, 2e10, 2e12, 2e12, 5e13, 1e-7};
    writeRates(ratesPath(), rates);
    MainWindow window;
    openWithCosts(window, "sage.pt2");
    PlanEditor& editor = window.document().planEditor();
    QPushButton& button = window.planPanel().deviceButton();
    QVERIFY(button.isVisible());
    QCOMPARE(button.text(), QStringLiteral("Runs on the CPU"));
    const auto choose = [&](const QString& text) {
        QMetaObject::invokeMethod(
            &button,
            [&button, text] {
                for (QAction* action : button.menu()->actions())
                    if (action->text() == text && action->isEnabled())
                        button.menu()->setActiveAction(action);
                QTest::keyClick(button.menu(), Qt::Key_Return);
            },
            Qt::QueuedConnection);
        QTest::mouseClick(&button, Qt::LeftButton);
    };
    const double alone = window.planPanel().plans().bars().front().total();
    choose(QStringLiteral("On cuda where that is faster"));
    QTRY_COMPARE(editor.devices().device, std::string("cuda"));
    QVERIFY(editor.placement() && editor.placement()->usesDevice());
    QCOMPARE(window.planPanel().plans().bars().front().total(), editor.placement()->seconds());
    QVERIFY(editor.placement()->seconds() < alone);
    QVERIFY(window.planPanel().plans().bars().front().seconds[CostBars::Transfer] > 0);
    // The bars of other plans say what these would take where functions run as they do now.
    const auto& compared = editor.costs().plans();
    const auto& bars = window.planPanel().plans().bars();
    QVERIFY(!compared.empty() && bars.size() > compared.size());
    for (std::size_t i = 0; i < compared.size(); ++i) {
        const auto placed = editor.costs().placementOf(compared[i], editor.devices());
        const double total = bars[bars.size() - compared.size() + i].total();
        QVERIFY(placed && std::abs(total - placed->seconds()) <= 1e-9 * total);
    }
    QVERIFY(window.planPanel().summary().contains(QStringLiteral("On cuda at most ")));
    QVERIFY(window.planPanel().functions().bars().front().text.endsWith(QStringLiteral(" on cuda")));
    QCOMPARE(editor.history().undoText(), QStringLiteral("Run functions on cuda where that is faster"));
    choose(QStringLiteral("All on cuda"));
    QTRY_COMPARE(button.text(), QStringLiteral("3 of 3 functions on cuda"));
    choose(QStringLiteral("Function 1 on cuda"));
    QTRY_COMPARE(button.text(), QStringLiteral("2 of 3 functions on cuda"));
    QVERIFY(!window.planPanel().functions().bars()[1].text.contains(QStringLiteral("cuda")));
    const QString html = htmlReport(window.document(), window.graphView().svg());
    for (const char* part : {"This plan, with functions on cuda", "computed there", "<td>cuda</td>", "<td>CPU</td>"})
        QVERIFY2(html.contains(QLatin1String(part)), part);
    // In the picture, and where it is written.
    const auto saysSo = [&] { return window.graphView().svg().count(QStringLiteral("on cuda")); };
    QCOMPARE(saysSo(), 2);
    int there = 0;
    double seconds = 0;
    const QStringList lines = csvReport(window.document()).split(QStringLiteral("\r\n"), Qt::SkipEmptyParts);
    for (const QString& line : lines) {
        QCOMPARE(line.count(u','), lines.front().count(u','));
        if (line.section(u',', 9, 9) == QStringLiteral("\"cuda\"")) {
            ++there;
            seconds += line.section(u',', 12, 12).toDouble();
        }
    }
    QCOMPARE(there, 2);
    QVERIFY(seconds > 0);
    {
        // Bands of rows of edges say so too.
        MainWindow links;
        links.resize(1300, 850);
        links.show();
        for (const char* file : {"link_prediction.pt2", "link_prediction.npz"}) {
            links.document().open(QStringLiteral(CLEAVE_TEST_DIR "/models/zoo/") + QLatin1String(file));
            QTRY_VERIFY_WITH_TIMEOUT(links.graphView().picture() && !links.graphView().isLayingOut() && !links.document().isBusy(), patience);
        }
        const auto bands = [&] { return links.graphView().svg().count(QStringLiteral("on cuda")); };
        QCOMPARE(bands(), 0);
        links.document().planEditor().runOn("cuda");
        QCOMPARE(bands(), links.document().planEditor().devices().functions.size());
    }
    const DeviceWishes chosen = editor.devices();
    editor.history().undo();
    QCOMPARE(button.text(), QStringLiteral("3 of 3 functions on cuda"));
    editor.history().redo();

    const std::filesystem::path file = std::filesystem::path(folder.path().toStdU16String()) / "plan.cleave.json";
    editor.save(file);
    choose(QStringLiteral("All on the CPU"));
    QTRY_COMPARE(button.text(), QStringLiteral("Runs on the CPU"));
    QCOMPARE(window.planPanel().plans().bars().front().total(), alone);
    QCOMPARE(saysSo(), 0);
    editor.load(file);
    QCOMPARE(editor.devices(), chosen);
    QVERIFY(!editor.isModified());

    const QSignalSpy said(&window.document(), &Document::noted);
    window.document().verify();
    QTRY_VERIFY_WITH_TIMEOUT(!window.document().isBusy(), patience);
    const std::optional<VerifyResult>& verified = window.document().report().verify;
    QVERIFY(verified && verified->equal());
    QCOMPARE(said.size(), 1);
    if (verified->layerWise.functions.front().device.empty())
        QVERIFY2(said.front().front().toString().contains(QStringLiteral("All functions run on the CPU instead of cuda")),
                 qPrintable(said.front().front().toString()));
    editor.history().setClean();
}

void PlanInWindowTest::costsAreThoseOfThePlanner()
{
    MainWindow window;
    openWithCosts(window, "jk.pt2");
    PlanEditor& editor = window.document().planEditor();
    Planning planning(*window.document().model(), *window.document().graph(), {}, readRates(ratesPath()));
    for (std::size_t i = 0; i < 3; ++i) {
        const PricedPlan& plan = editor.costs().plans()[i];
        editor.take(plan.planned.plan, QStringLiteral("take"));
        const PlanCost same = planning.price(plan.planned.plan, {{}, 0, plan.batchSize, plan.order}, "same").planned.cost;
        QCOMPARE(editor.cost()->seconds(), same.seconds());
        QCOMPARE(editor.cost()->readBytes(), same.readBytes());
        QCOMPARE(editor.cost()->peakBytes(), same.peakBytes());
        QCOMPARE(window.planPanel().plans().bars().front().total(), same.seconds());
        QCOMPARE(window.planPanel().functions().bars().size(), same.functions.size());
    }
    QVERIFY(editor.costs().plans()[2].planned.cost.seconds() <= editor.costs().plans()[0].planned.cost.seconds());
    editor.history().setClean();
}

void PlanInWindowTest::functionsRunTogether()
{
    MainWindow window;
    openWithCosts(window, "sage.pt2");
    PlanEditor& editor = window.document().planEditor();
    const Plan before = editor.plan();
    const std::optional<PlanCost> apart = editor.cost();
    GraphView& view = window.graphView();
    view.selectCut(1);

    // By the context menu of the cut's line.
    QTimer::singleShot(0, &window, [] {
        auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
        QVERIFY(menu != nullptr);
        QCOMPARE(menu->actions().front()->text(), QStringLiteral("Run functions 1 and 2 together"));
        menu->actions().front()->trigger();
        menu->close();
    });
    QContextMenuEvent event(QContextMenuEvent::Keyboard, QPoint(10, 10), view.mapToGlobal(QPoint(10, 10)));
    QCoreApplication::sendEvent(view.viewport(), &event);
    QCOMPARE(editor.plan().joined, std::set<int>{1});
    QVERIFY(!editor.cost().has_value());  // its rows are not counted yet
    QTRY_VERIFY_WITH_TIMEOUT(editor.cost().has_value(), patience);
    QCOMPARE(editor.cost()->functions.size(), apart->functions.size() - 1);
    QCOMPARE(window.planPanel().functions().bars().back().name, QStringLiteral("Functions 1 to 2"));
    QVERIFY(planMarks(view.picture()->dag, editor, editor.plan()).strips[2].isJoined);
    const auto linesOfRuler = [&] {
        const QImage ruler = window.findChild<Ruler*>()->grab().toImage();
        int lines = 0;
        bool was = false;
        for (int y = 0; y < ruler.height(); ++y) {
            const QColor pixel = ruler.pixelColor(3, y);
            const bool is = pixel.red() > pixel.blue() + 60;
            lines += is && !was ? 1 : 0;
            was = is;
        }
        return lines;
    };
    QCOMPARE(linesOfRuler(), 1);
    const QAbstractItemModel& saved = *window.planPanel().savePoints().model();
    for (int row = 0; row < saved.rowCount(); ++row)
        QVERIFY(saved.index(row, SavePointModel::Cut).data().toString() != QStringLiteral("Cut 2"));

    window.document().verify();
    QTRY_VERIFY_WITH_TIMEOUT(window.document().report().verify.has_value(), patience);
    QVERIFY(window.document().report().verify->equal());
    QCOMPARE(window.document().report().run()->functions.size(), std::size_t{2});

    const QTemporaryDir folder;
    QVERIFY(window.document().savePlan(folder.filePath(QStringLiteral("a.cleave.json"))));
    editor.history().undo();
    QVERIFY(editor.plan() == before);
    window.document().openPlan(folder.filePath(QStringLiteral("a.cleave.json")));
    QCOMPARE(editor.plan().joined, std::set<int>{1});
    QVERIFY(editor.setJoined(1, false));
    QVERIFY(editor.plan() == before);
    QCOMPARE(linesOfRuler(), 2);
    const auto drawn = [&] {
        const QRectF cut = window.graphView().graphScene().cutRect(1);
        QImage image(cut.size().toSize(), QImage::Format_RGB32);
        image.fill(Qt::white);
        QPainter painter(&image);
        window.graphView().scene()->render(&painter, {}, cut);
        return image;
    };
    const QImage alone = drawn();
    editor.compareWith(std::filesystem::path(folder.filePath(QStringLiteral("a.cleave.json")).toStdU16String()));
    QCOMPARE(editor.differences(), QStringList{QStringLiteral("Functions 1 and 2 run together in a.cleave.json, but not here.")});
    QVERIFY(drawn() != alone);  // the other plan's line, though no op is elsewhere
    editor.endComparison();
    QCOMPARE(drawn(), alone);
    editor.compareWith(std::filesystem::path(folder.filePath(QStringLiteral("a.cleave.json")).toStdU16String()));
    QSignalSpy refused(&editor, &PlanEditor::refused);
    QVERIFY(!editor.setJoined(7, true));
    QCOMPARE(refused.size(), 1);
    editor.history().setClean();
}

void PlanInWindowTest::functionsAreShownInTheOrderOfRuns()
{
    MainWindow window;
    window.document().open(QStringLiteral(CLEAVE_TEST_DIR "/models/zoo/half_of_the_rows.pt2"));
    window.document().open(QStringLiteral(CLEAVE_TEST_DIR "/models/zoo/half_of_the_rows.npz"));
    QTRY_VERIFY_WITH_TIMEOUT(window.document().planEditor().cost().has_value(), patience);
    QStringList shown, run;
    for (const CostBars::Bar& bar : window.planPanel().functions().bars())
        shown.append(bar.name);
    for (const CutFunction& function : window.document().planEditor().plannedModel()->cut->functions)
        run.append(titleFromCore(functionName(function)));
    QCOMPARE(shown, run);
    QVERIFY2(shown.indexOf(QRegularExpression(QStringLiteral("^Global ops.*"))) < shown.size() - 1, "a function follows them");
}

void PlanInWindowTest::memoryOfRunsBoundsThePlans()
{
    MainWindow window;
    openWithCosts(window, "gcn.pt2");
    PlanEditor& editor = window.document().planEditor();
    window.document().setBatchSize(0);
    const auto isKnown = [&] { return editor.cost().has_value() && editor.costs().plans().size() == 5; };
    QTRY_VERIFY_WITH_TIMEOUT(isKnown(), patience);
    const double free = editor.cost()->peakBytes();
    const std::int64_t batchSize = editor.costs().model()->counts().batchSize;
    window.document().setMemoryBound(static_cast<std::size_t>(0.8 * free));
    QTRY_VERIFY_WITH_TIMEOUT(isKnown(), patience);
    QVERIFY(editor.cost()->peakBytes() <= 0.8 * free);
    QVERIFY(editor.costs().model()->counts().batchSize < batchSize);
    QVERIFY(!window.planPanel().plans().bars().front().text.contains(QStringLiteral("too large")));
    QVERIFY(window.messageBar().isVisible() && window.messageBar().text().contains(QStringLiteral("will be refused")));
    window.document().setMemoryBound(1);
    QTRY_VERIFY_WITH_TIMEOUT(isKnown(), patience);
    for (const CostBars::Bar& bar : window.planPanel().plans().bars())
        QVERIFY2(bar.text.endsWith(QStringLiteral("too large")), qPrintable(bar.text));
    QVERIFY(window.messageBar().isVisible());
    window.document().setMemoryBound(0);
    QVERIFY(!window.messageBar().isVisible());  // of a bound that is no more
}

void PlanInWindowTest::extremesAreTakenAsPlans()
{
    MainWindow window;
    openWithCosts(window, "gcn.pt2");
    PlanEditor& editor = window.document().planEditor();
    window.document().setBatchSize(500);
    QTRY_VERIFY_WITH_TIMEOUT(editor.cost().has_value() && editor.costs().plans().size() == 5, patience);
    const auto bar = [&](const char* name) {
        for (const CostBars::Bar& shown : window.planPanel().plans().bars())
            if (shown.name == QLatin1String(name))
                return shown.total();
        return 0.0;
    };
    for (const int button : {3, 4}) {
        QPushButton* planner = window.planPanel().planners().at(button);
        QVERIFY2(planner->isEnabled(), qPrintable(planner->text()));
        const double promised = bar(button == 3 ? "Node-wise" : "Full graph");
        QTest::mouseClick(planner, Qt::LeftButton);
        QCOMPARE(editor.plan().joined, (std::set<int>{0, 1}));
        QTRY_VERIFY_WITH_TIMEOUT(editor.cost().has_value() && editor.costs().plans().size() == 5, patience);
        QCOMPARE(editor.cost()->functions.size(), std::size_t{1});
        QVERIFY2(std::abs(editor.cost()->seconds() - promised) < 1e-3 * promised, qPrintable(planner->text()));
        QVERIFY(!planner->isEnabled());
        QCOMPARE(window.document().options().run.batchSize, std::int64_t{button == 3 ? 500 : 2708});
        window.document().verify();
        QTRY_VERIFY_WITH_TIMEOUT(window.document().report().verify.has_value(), patience);
        QVERIFY(window.document().report().verify->equal());
        QTRY_VERIFY_WITH_TIMEOUT(!editor.costs().curve(editor.plan()).empty(), patience);
    }
    editor.history().undo();
    QCOMPARE(window.document().options().run.batchSize, std::int64_t{500});
    editor.history().redo();
    QCOMPARE(window.document().options().run.batchSize, std::int64_t{2708});
    // Another planner's plan brings back the batches that were there before, as another model does.
    QTRY_VERIFY_WITH_TIMEOUT(editor.costs().plans().size() == 5 && window.planPanel().planners().at(0)->isEnabled(), patience);
    QTest::mouseClick(window.planPanel().planners().at(0), Qt::LeftButton);
    QVERIFY(editor.plan() == editor.base());
    QCOMPARE(window.document().options().run.batchSize, std::int64_t{500});
    editor.history().undo();
    QCOMPARE(window.document().options().run.batchSize, std::int64_t{2708});
    editor.history().setClean();
    window.document().open(example("sage.pt2"));
    QTRY_VERIFY_WITH_TIMEOUT(window.document().modelPath().endsWith(QStringLiteral("/sage.pt2")) && window.document().canRun(), patience);
    QCOMPARE(window.document().options().run.batchSize, std::int64_t{500});
    QVERIFY(!editor.isModified());
}

void PlanInWindowTest::batchSizeIsChosenOnTheCurve()
{
    MainWindow window;
    open(window, "sage.pt2");
    openGraph(window);
    BatchCurve& curve = window.planPanel().curve();
    QTRY_VERIFY_WITH_TIMEOUT(curve.points().size() == 7, patience);
    const PlanEditor& editor = window.document().planEditor();
    const PlanCosts::Point point = curve.points()[3];
    QCOMPARE(curve.points().back().batchSize, window.document().graph()->numNodes);
    QTest::mouseClick(&curve, Qt::LeftButton, {}, curve.place(3).toPoint());
    QCOMPARE(window.document().options().run.batchSize, point.batchSize);
    QTRY_VERIFY_WITH_TIMEOUT(editor.cost().has_value(), patience);
    QCOMPARE(editor.cost()->seconds(), point.seconds);  // what the curve promised
    QCOMPARE(editor.cost()->peakBytes(), point.peakBytes);
    QCOMPARE(curve.points().size(), std::size_t{7});  // not measured again
    PlanEditor& planEditor = window.document().planEditor();
    QVERIFY(planEditor.isModified());
    QCOMPARE(planEditor.history().undoText(), QStringLiteral("Batches of %1 nodes").arg(countText(point.batchSize)));
    planEditor.history().undo();
    QCOMPARE(window.document().options().run.batchSize, 0);
    QVERIFY(!planEditor.isModified());
    window.document().setBatchSize(20);  // below them all
    QTRY_VERIFY_WITH_TIMEOUT(curve.points().size() == 8, patience);
    QCOMPARE(curve.points().front().batchSize, std::int64_t{20});
    QCOMPARE(curve.points().front().seconds, editor.cost()->seconds());
    window.document().setBatchSize(0);

    // The order likewise.
    QComboBox* order = nullptr;
    for (auto* box : window.findChildren<QComboBox*>())
        if (box->accessibleName() == QStringLiteral("Node order"))
            order = box;
    QVERIFY(order != nullptr);
    QTest::keyClick(order, Qt::Key_Down);
    QVERIFY(window.document().options().run.order == NodeOrder::Degree);
    QCOMPARE(planEditor.history().undoText(), QStringLiteral("Order of nodes: “Most edges first”"));
    planEditor.history().undo();
    QVERIFY(window.document().options().run.order == NodeOrder::Natural);
    QCOMPARE(order->currentIndex(), 0);
    QVERIFY(!planEditor.isModified());
}

void PlanInWindowTest::savePointSaysWhatItCosts()
{
    MainWindow window;
    openWithCosts(window, "sage.pt2");
    QTableView& table = window.planPanel().savePoints();
    const QModelIndex last = table.model()->index(2, SavePointModel::Cut);
    table.scrollTo(last);
    QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, table.visualRect(last).center());
    const QString text = window.planPanel().savePointText();
    QVERIFY2(text.startsWith(QStringLiteral("linear_3: 75.8\u00A0kB, handed on")) && text.contains(QStringLiteral("targets of function 2")) &&
                 text.contains(QStringLiteral("Without it the plan takes")),
             qPrintable(text));
    const DagBox* box = window.graphView().selectedBox();
    QVERIFY(box && box->key.kind == BoxKind::Tensor && box->title == "linear_3");
    window.graphView().select(boxOf(window, "relu"));
    QVERIFY(window.planPanel().savePointText().isEmpty());
}

void PlanInWindowTest::rewritesSayThatThePlanBeginsAnew()
{
    MainWindow window;
    open(window, "sage.pt2");
    PlanEditor& editor = window.document().planEditor();
    QVERIFY(!editor.hasMoves());
    QVERIFY(editor.moveOps({opNamed(window, "linear_3")}, Position::pre(2)));
    const Plan mine = editor.plan();
    QVERIFY(editor.hasMoves());
    QString said;
    connect(&window.document(), &Document::noted, &window, [&](const QString& text) { said = text; });
    window.document().setRewrites({Rewrite::TransformFirst});
    QTRY_VERIFY_WITH_TIMEOUT(!window.document().isBusy() && !said.isEmpty(), patience);
    QVERIFY2(said.endsWith(QStringLiteral("The plan begins anew: Undo brings back the one before.")), qPrintable(said));
    editor.history().undo();
    QVERIFY(editor.plan() == mine);
    said.clear();
    editor.history().undo();  // no moves any more
    window.document().setRewrites({Rewrite::TransformFirst});
    QTRY_VERIFY_WITH_TIMEOUT(!window.document().isBusy() && !said.isEmpty(), patience);
    QVERIFY2(!said.contains(QStringLiteral("Undo")), qPrintable(said));
    editor.history().setClean();
}

void PlanInWindowTest::twoPlansAreCompared()
{
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("other.cleave.json"));
    MainWindow window;
    openWithCosts(window, "sage.pt2");
    PlanEditor& editor = window.document().planEditor();
    QVERIFY(editor.moveOps({opNamed(window, "linear_3")}, Position::pre(2)));
    const double seconds = editor.cost()->seconds();
    QVERIFY(window.document().savePlan(file));
    editor.history().undo();
    const auto outlines = [&] {
        const QList<QGraphicsItem*> items = window.graphView().scene()->items();
        return std::ranges::count_if(items, [](QGraphicsItem* item) { return dynamic_cast<MovedOpsItem*>(item) != nullptr; });
    };
    QCOMPARE(outlines(), 0);
    window.document().comparePlan(file);
    QCOMPARE(outlines(), 1);
    QCOMPARE(editor.differences(), QStringList{QStringLiteral("linear_3: to function 1 here, before message passing 2 in other.cleave.json.")});
    QCOMPARE(window.planPanel().plans().bars().size(), std::size_t{7});
    QCOMPARE(window.planPanel().plans().bars()[1].name, QStringLiteral("other.cleave.json"));
    QCOMPARE(window.planPanel().plans().bars()[1].total(), seconds);
    const auto* legend = window.findChild<Legend*>();
    QCOMPARE(legend->other(), QStringLiteral("other.cleave.json"));
    QVERIFY(csvReport(window.document()).contains(QStringLiteral("\r\n\"other.cleave.json\",")));
    QVERIFY(htmlReport(window.document(), window.graphView().svg()).contains(QStringLiteral("other.cleave.json")));
    editor.endComparison();
    QVERIFY(legend->other().isEmpty());
    QCOMPARE(outlines(), 0);
    QCOMPARE(window.planPanel().plans().bars().size(), std::size_t{6});
    window.document().comparePlan(folder.filePath(QStringLiteral("none.cleave.json")));
    QVERIFY(window.messageBar().isVisible());
    editor.history().setClean();
}

void PlanInWindowTest::panelsSpeakOfThePlan()
{
    MainWindow window;
    openWithCosts(window, "sage.pt2");
    PlanEditor& editor = window.document().planEditor();
    GraphView& view = window.graphView();
    const DagKey saved = [&] {
        for (const DagBox& box : view.picture()->dag.boxes)
            if (box.key.kind == BoxKind::Tensor && box.title == "linear_3")
                return box.key;
        return DagKey{};
    }();
    QVERIFY(editor.moveOps({opNamed(window, "linear_3")}, Position::pre(2)));
    const auto kind = [&](const DagKey& key) {
        return inspectBox(*window.document().model(), view.picture()->dag.boxes[static_cast<std::size_t>(view.picture()->dag.find(key))],
                          window.document().graph().get(), &editor)
            .kind;
    };
    QCOMPARE(kind(boxOf(window, "linear_3")), QStringLiteral("Operator, moved: before message passing 2"));
    QCOMPARE(kind(boxOf(window, "relu")), QStringLiteral("Operator in function 1"));
    QCOMPARE(kind(saved), QStringLiteral("Tensor that this plan does not save"));
    editor.history().undo();
    QCOMPARE(kind(boxOf(window, "linear_3")), QStringLiteral("Operator in function 1"));
    QCOMPARE(kind(saved), QStringLiteral("Save point"));
    editor.history().setClean();
}

void PlanInWindowTest::plannersAreTakenByTheirButtons()
{
    MainWindow window;
    openWithCosts(window, "jk.pt2");
    PlanEditor& editor = window.document().planEditor();
    const Plan optimal = editor.costs().plans()[2].planned.plan;
    const Move moved = editor.space()->moveCut(editor.plan(), 1, true);
    QVERIFY(moved.plan && *moved.plan != optimal);
    editor.take(*moved.plan, QStringLiteral("move"));
    QPushButton* button = window.planPanel().planners().at(2);
    QTRY_VERIFY(button->isEnabled());
    QTest::mouseClick(button, Qt::LeftButton);
    QVERIFY(editor.plan() == optimal);
    QVERIFY(!button->isEnabled());
    QTest::mouseClick(window.planPanel().planners().at(0), Qt::LeftButton);
    QVERIFY(editor.plan() == editor.base());
    editor.history().setClean();
}

// Rows of edges that are stored have functions of their own; costs of the program before are no longer asked.
void PlanInWindowTest::rewritesMayChangeTheFunctions()
{
    MainWindow window;
    window.show();
    Document& document = window.document();
    document.open(QStringLiteral(CLEAVE_TEST_DIR "/models/zoo/simulator.pt2"));
    document.open(QStringLiteral(CLEAVE_TEST_DIR "/models/zoo/simulator.npz"));
    QTRY_VERIFY_WITH_TIMEOUT(document.canRun() && !document.planEditor().costs().curve(document.planEditor().plan()).empty(), patience);
    const auto functions = document.model()->cut->functions.size();
    document.setRewrites(allRewrites());
    QTRY_VERIFY_WITH_TIMEOUT(document.canRun() && document.model()->analysis->storedEdges == 1, patience);
    QVERIFY(document.model()->cut->functions.size() > functions);
    QTRY_VERIFY_WITH_TIMEOUT(!document.planEditor().costs().curve(document.planEditor().plan()).empty(), patience);
    document.setRewrites({});
    QTRY_VERIFY_WITH_TIMEOUT(document.canRun() && document.model()->analysis->storedEdges == 0, patience);
    QTRY_VERIFY_WITH_TIMEOUT(!document.planEditor().costs().curve(document.planEditor().plan()).empty(), patience);
}

void PlanInWindowTest::rewritesAreStepsOfTheHistory()
{
    MainWindow window;
    open(window, "sage.pt2");
    openGraph(window);
    Document& document = window.document();
    PlanEditor& editor = document.planEditor();
    const auto settled = [&] { return document.canRun() && !window.graphView().isLayingOut() && !editor.costs().isWorking(); };
    QVERIFY(editor.moveOps({opNamed(window, "linear_3")}, Position::pre(2)));
    const Plan moved = editor.plan();
    const std::shared_ptr<const Model> traced = document.model();

    document.setRewrites({Rewrite::TransformFirst});
    QTRY_VERIFY_WITH_TIMEOUT(settled() && document.model()->traced, patience);
    QVERIFY(editor.plan() == editor.space()->messageDegree());
    QVERIFY(window.isWindowModified());
    QVERIFY2(editor.history().undoText().contains(QStringLiteral("linear")), qPrintable(editor.history().undoText()));
    const Plan ofRewritten = editor.plan();
    const int steps = editor.history().count();

    // What changes nothing is no step: no batch norm is here.
    document.setRewrites({Rewrite::TransformFirst, Rewrite::FoldBatchNorm});
    QTRY_VERIFY_WITH_TIMEOUT(settled(), patience);
    QCOMPARE(editor.history().count(), steps);

    editor.history().undo();
    QVERIFY(document.model() == traced);
    QVERIFY(editor.plan() == moved);
    QVERIFY(document.rewrites().empty());
    QTRY_VERIFY_WITH_TIMEOUT(settled() && editor.cost(), patience);
    QCOMPARE(window.graphView().picture()->model, traced);
    document.verify();
    QTRY_VERIFY_WITH_TIMEOUT(document.report().verify.has_value(), patience);
    QVERIFY(document.report().verify->equal());

    editor.history().redo();
    QVERIFY(document.model()->traced == traced->analysis);
    QVERIFY(editor.plan() == ofRewritten);
    QVERIFY(document.rewrites().contains(Rewrite::TransformFirst));
    QVERIFY(!document.report().verify);
    QTRY_VERIFY_WITH_TIMEOUT(settled() && editor.cost(), patience);
    QCOMPARE(window.graphView().picture()->model, document.model());
    editor.history().setIndex(0);
    QVERIFY(editor.plan() == editor.base() && document.model() == traced);
    QVERIFY(!window.isWindowModified());
}

void PlanInWindowTest::rewritesThatLoseAreLeftOut()
{
    MainWindow window;
    window.show();
    Document& document = window.document();
    bool anyLoses = false;
    for (const char* name : {"transformer_edges", "sage_mean", "jk_max"}) {
        const QString file = QStringLiteral(CLEAVE_TEST_DIR "/models/zoo/%1").arg(QLatin1String(name));
        document.open(file + QStringLiteral(".pt2"));
        QTRY_VERIFY_WITH_TIMEOUT(document.model() && !document.isBusy() && document.modelPath().contains(QLatin1String(name)), patience);
        // A graph of which only the numbers count.
        DataGraph graph = readGraph(std::filesystem::path((file + QStringLiteral(".npz")).toStdString()));
        graph.numNodes = 200'000;
        graph.numEdges = 3'000'000;
        graph.arrays.clear();
        document.setGraph(std::make_shared<const DataGraph>(graph), file);
        document.setRewrites({});
        QTRY_VERIFY_WITH_TIMEOUT(!document.isBusy() && document.model()->analysis->rewrites.empty(), patience);
        const Model all = rewrittenModel(document.model()->analysis, allRewrites());
        const ProgramForGraph expected = programFor(all, graph, usualPlanner(), {}, Weighing::Always);
        document.chooseRewrites();
        QTRY_VERIFY_WITH_TIMEOUT(!document.isBusy() && !document.rewrites().empty(), patience);
        QVERIFY(appliedRewrites(*document.model()->analysis) == appliedRewrites(*expected.model.analysis));
        for (const auto& [rewrite, seconds] : expected.leftOut)
            QVERIFY(!document.rewrites().contains(rewrite));
        anyLoses = anyLoses || !expected.leftOut.empty();
        document.setGraph(nullptr, {});
    }
    QVERIFY(anyLoses);
}

void PlanInWindowTest::machineIsMeasuredInTheWindow()
{
    const OwnConfiguration own;
    const QTemporaryDir& folder = own.folder;
    MainWindow window;
    openWithCosts(window, "sage.pt2");
    const PlanEditor& editor = window.document().planEditor();
    const QList<QPushButton*> buttons = window.planPanel().findChildren<QPushButton*>();
    const auto measure = std::ranges::find(buttons, QStringLiteral("Measure this machine"), &QPushButton::text);
    QVERIFY(measure != buttons.end() && (*measure)->isVisible());
    const auto placesOfButtons = [&] {
        QList<QPoint> places;
        for (const QPushButton* button : buttons)
            places.append(button->isVisible() && button != &window.planPanel().stopButton() ? button->pos() : QPoint());
        return places;
    };
    const QList<QPoint> places = placesOfButtons();
    QVERIFY(window.planPanel().summary().contains(QStringLiteral("Rates of this machine are assumed.")));
    const double assumed = editor.cost()->seconds();
    QTest::mouseClick(window.graphView().viewport(), Qt::LeftButton, {}, place(window.graphView(), boxOf(window, "linear_3")));
    QVERIFY(window.graphView().selectedBox());
    const DagKey selected = *window.graphView().selection();
    QTest::mouseClick(*measure, Qt::LeftButton);
    QVERIFY(window.document().isBusy());
    QTRY_VERIFY_WITH_TIMEOUT(!window.document().isBusy() && editor.cost().has_value() && editor.costs().plans().size() == 5, patience);
    QVERIFY(editor.cost()->seconds() != assumed);
    const auto* messages = window.findChild<ResultPanel*>()->findChild<QListWidget*>();
    QVERIFY2(!messages->findItems(QStringLiteral("GFLOP/s of matrix products"), Qt::MatchContains).isEmpty(), "what was measured");
    QVERIFY((*measure)->toolTip().contains(QStringLiteral("GFLOP/s of matrix products")));
    QCoreApplication::processEvents();                                // the layout
    QVERIFY((*measure)->isVisible() && placesOfButtons() == places);  // a second click meets no other button
    QVERIFY(window.graphView().selection() == selected);              // though the table has the focus now
    QVERIFY(!window.planPanel().summary().contains(QStringLiteral("assumed")));
    QVERIFY(readRates(ratesPath()).source.starts_with("measured"));
    QVERIFY(ratesPath().string().starts_with(folder.path().toStdString()));
}

void PlanInWindowTest::plansAreComparedBySmallDifferences()
{
    QCOMPARE(changeText(2, 2), QStringLiteral("the same"));
    QCOMPARE(changeText(2, 2.001), QStringLiteral("+0.050\u00A0%"));
    QCOMPARE(changeText(2, 1.93), QStringLiteral("−3.5\u00A0%"));
    QCOMPARE(changeText(26.6, 0.105), QStringLiteral("−99.6\u00A0%"));
    QCOMPARE(changeText(100, 1.2), QStringLiteral("−99\u00A0%"));
    QCOMPARE(changeText(2, 1), QStringLiteral("−50\u00A0%"));
    QCOMPARE(changeText(2, 9), QStringLiteral("4.5 times"));
    MainWindow window;
    openWithCosts(window, "sage.pt2");
    const std::vector<CostBars::Bar>& bars = window.planPanel().plans().bars();
    QCOMPARE(bars[0].text, secondsText(bars[0].total()));
    QCOMPARE(bars[1].text, secondsText(bars[1].total()) + QStringLiteral(" (the same)"));  // message degree, which is the plan at first
    for (std::size_t i = 2; i < bars.size(); ++i)
        QCOMPARE(bars[i].text, QStringLiteral("%1 (%2)").arg(secondsText(bars[i].total()), changeText(bars[0].total(), bars[i].total())));
    QVERIFY(window.planPanel().summary().contains(
        QStringLiteral("at most %1 of memory").arg(bytesText(window.document().planEditor().cost()->peakBytes()))));
}

void PlanInWindowTest::nothingIsRewrittenDuringARun()
{
    MainWindow window;
    open(window, "sage.pt2");
    const QList<QPushButton*> buttons = window.planPanel().findChildren<QPushButton*>();
    const auto rewrite = std::ranges::find(buttons, QStringLiteral("Rewrite where it pays"), &QPushButton::text);
    QVERIFY(rewrite != buttons.end() && (*rewrite)->isHidden());  // where it pays is known on a graph only
    openGraph(window);
    const QList<QMenu*> menus = window.findChildren<QMenu*>();
    const auto menu = std::ranges::find(menus, QStringLiteral("Re&writes"), &QMenu::title);
    QVERIFY(menu != menus.end());
    QVERIFY((*menu)->isEnabled() && (*rewrite)->isVisible() && (*rewrite)->isEnabled());
    window.document().verify();
    QVERIFY(window.document().job(Task::Run) && !(*menu)->isEnabled() && !(*rewrite)->isEnabled());
    QTest::mouseClick(*rewrite, Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(!window.document().isBusy(), patience);
    QVERIFY(window.document().report().verify && (*menu)->isEnabled() && (*rewrite)->isEnabled());
}

void PlanInWindowTest::barsOfFunctionsAreWhole()
{
    MainWindow window;
    openWithCosts(window, "jk.pt2");
    window.resize(1360, 860);
    PlanPanel& panel = window.planPanel();
    QTRY_VERIFY(!window.document().planEditor().costs().isWorking() && panel.curve().isVisible());
    const auto wholeHeight = [](const QWidget& widget) { return widget.visibleRegion().boundingRect().height() == widget.height(); };
    QTRY_VERIFY(panel.functions().bars().size() > 2 && wholeHeight(panel.functions()) && wholeHeight(panel.plans()) && wholeHeight(panel.curve()));
    const QTableView& table = panel.savePoints();
    const int rows = table.model()->rowCount();
    QVERIFY(table.viewport()->height() <= rows * table.rowHeight(0));
    QVERIFY(table.viewport()->height() >= std::min(2, rows) * table.rowHeight(0));
}

void PlanInWindowTest::buttonsOfThePlanStayInTheirPlace()
{
    MainWindow window;
    openWithCosts(window, "sage.pt2");
    PlanPanel& panel = window.planPanel();
    const PlanEditor& editor = window.document().planEditor();
    QTRY_VERIFY(!editor.costs().isWorking() && panel.curve().isVisible());
    QCoreApplication::processEvents();
    const QPoint button = panel.planners().at(2)->mapTo(&panel, QPoint()), curve = panel.curve().mapTo(&panel, QPoint());
    const QString before = panel.summary();
    window.document().chooseBatchSize(100);
    QTRY_VERIFY_WITH_TIMEOUT(editor.cost() && panel.summary().contains(QStringLiteral("batches of 100 nodes")) && !editor.costs().isWorking(),
                             patience);
    QCoreApplication::processEvents();
    QVERIFY(panel.summary().size() < before.size());
    QCOMPARE(panel.planners().at(2)->mapTo(&panel, QPoint()), button);
    QCOMPARE(panel.curve().mapTo(&panel, QPoint()), curve);
    window.document().planEditor().history().setClean();
}

void PlanInWindowTest::cancelledRewritesAreNotThere()
{
    MainWindow window;
    openWithCosts(window, "sage.pt2");
    const std::set<Rewrite> before = window.document().rewrites();
    window.document().setRewrites(before.empty() ? allRewrites() : std::set<Rewrite>());
    window.document().cancel();
    QTRY_VERIFY_WITH_TIMEOUT(!window.document().isBusy(), patience);
    QVERIFY(window.document().rewrites() == window.document().planEditor().rewrites());
}

void PlanInWindowTest::barsThatTakeFarMoreAreBroken()
{
    const auto bar = [](double seconds, bool isMarked) {
        CostBars::Bar made{QStringLiteral("plan"), {}, {}, {}, isMarked};
        made.seconds[CostBars::ComputeNodes] = seconds;
        return made;
    };
    CostBars bars;
    bars.setBars({bar(25, true), bar(24, false), bar(26, false), bar(2110, false), bar(25, false)});
    QVERIFY2(bars.scale() > 26 && bars.scale() < 40, qPrintable(QString::number(bars.scale())));
    bars.setBars({bar(25, true), bar(170, false), bar(20, false)});  // seven times as long is seen to be
    QCOMPARE(bars.scale(), 170.0);
    bars.setBars({bar(6080, false), bar(245, false), bar(66, false)});  // functions: which of them takes longest is what matters
    QCOMPARE(bars.scale(), 6080.0);
}

// A tensor that crosses several cuts is written once, and read where it is read.
void PlanInWindowTest::savePointsAreCountedOnce()
{
    MainWindow window;
    openWithCosts(window, "jk.pt2");
    PlanEditor& editor = window.document().planEditor();
    const QAbstractItemModel& table = *window.planPanel().savePoints().model();
    const auto seconds = [](const QString& text) {
        const QStringList parts = text.split(QChar(0x00A0));
        const double unit = parts.size() < 2                   ? 0
                            : parts[1] == QStringLiteral("µs") ? 1e-6
                            : parts[1] == QStringLiteral("ms") ? 1e-3
                            : parts[1] == QStringLiteral("s")  ? 1
                                                               : 1e-9;
        return parts[0].toDouble() * unit;
    };
    double expected = 0, shown = 0;
    std::set<QString> names;
    for (int row = 0; row < table.rowCount(); ++row) {
        shown += seconds(table.index(row, SavePointModel::Seconds).data().toString());
        names.insert(table.index(row, SavePointModel::Tensor).data().toString());
    }
    QVERIFY(static_cast<int>(names.size()) < table.rowCount());
    for (const TensorCost& tensor : editor.cost()->tensors) {
        if (!names.contains(toText(editor.space()->analysis().program[tensor.tensor].name)))
            continue;
        expected += tensor.write.seconds;
        for (const TensorRead& read : tensor.reads)
            expected += read.amount.seconds;
    }
    QVERIFY2(shown > 0 && std::abs(shown - expected) < 0.02 * expected, qPrintable(QStringLiteral("%1 of %2").arg(shown).arg(expected)));
    for (int column = 0; column < table.columnCount(); ++column)
        QVERIFY(!table.headerData(column, Qt::Horizontal, Qt::ToolTipRole).toString().isEmpty());
    editor.setShowsCosts(false);  // as while blocks are counted
    QVERIFY2(table.index(0, SavePointModel::Bytes).data().toString().contains(QStringLiteral("kB")),
             qPrintable(table.index(0, SavePointModel::Bytes).data().toString()));
}

void PlanInWindowTest::plannersStandInTheMenu()
{
    MainWindow window;
    open(window, "sage.pt2");
    const QList<QAction*>& actions = window.planPanel().plannerActions();
    QCOMPARE(actions.size(), 5);
    QVERIFY(!actions[2]->isEnabled());
    QVERIFY2(actions[2]->toolTip().contains(QStringLiteral("Open a graph")), qPrintable(actions[2]->toolTip()));
    openWithCosts(window, "sage.pt2");
    const PlanEditor& editor = window.document().planEditor();
    QVERIFY(!actions[0]->isEnabled() && actions[0]->toolTip().contains(QStringLiteral("the plan at hand")));
    const QList<QMenu*> menus = window.findChildren<QMenu*>();
    const auto menu = std::ranges::find(menus, QStringLiteral("&Take the plan of"), &QMenu::title);
    QVERIFY(menu != menus.end() && (*menu)->actions().contains(actions[2]));
    QVERIFY(actions[2]->isEnabled());
    actions[2]->trigger();
    QVERIFY(editor.plan() == editor.costs().plans()[2].planned.plan);
    QVERIFY(!actions[2]->isEnabled() && actions[0]->isEnabled());
    window.document().planEditor().history().setClean();
}

void PlanInWindowTest::comparisonEndsWhereThereIsOne()
{
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("other.cleave.json"));
    MainWindow window;
    open(window, "sage.pt2");
    QVERIFY(window.document().savePlan(file));
    const QList<QAction*> actions = window.findChildren<QAction*>();
    const auto end = std::ranges::find(actions, QStringLiteral("&End the comparison"), &QAction::text);
    QVERIFY(end != actions.end() && !(*end)->isEnabled());
    window.document().comparePlan(file);
    QVERIFY((*end)->isEnabled());
    (*end)->trigger();
    QVERIFY(!(*end)->isEnabled() && !window.document().planEditor().other());
}

static const WindowTests planTests([] { return std::make_unique<PlanInWindowTest>(); });

}  // namespace cleave::views

#include "plan_test.moc"
