// The window as a person uses it: real mouse and key events on the offscreen platform.
#include <QAbstractButton>
#include <QAbstractItemModelTester>
#include <QAccessible>
#include <QClipboard>
#include <QComboBox>
#include <QContextMenuEvent>
#include <QDialogButtonBox>
#include <QDir>
#include <QDockWidget>
#include <QDoubleSpinBox>
#include <QElapsedTimer>
#include <QFileDialog>
#include <QFileInfo>
#include <QGraphicsScene>
#include <QHeaderView>
#include <QHelpEvent>
#include <QLabel>
#include <QLibraryInfo>
#include <QLineEdit>
#include <QListWidget>
#include <QMap>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QPrinter>
#include <QPushButton>
#include <QRegularExpression>
#include <QScopeGuard>
#include <QScreen>
#include <QScrollBar>
#include <QSettings>
#include <QSignalSpy>
#include <QSpinBox>
#include <QStandardPaths>
#include <QStatusBar>
#include <QTabBar>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QTextBlock>
#include <QTimer>
#include <QToolButton>
#include <QToolTip>
#include <QUrl>
#include <QXmlStreamReader>
#include <algorithm>
#include <random>
#include <set>

#include "core/base/format.h"
#include "core/base/mapping.h"
#include "core/graph/generate.h"
#include "core/graph/npy.h"
#include "core/graph/write_graph.h"
#include "core/plan/cut.h"
#include "core/plan/dot_text.h"
#include "core/run/calibrate.h"
#include "core/run/model.h"
#include "core/run/rewrite_worth.h"
#include "views/accessible.h"
#include "views/code_panel.h"
#include "views/core_text.h"
#include "views/degree_chart.h"
#include "views/description.h"
#include "views/export_picture.h"
#include "views/exporting.h"
#include "views/find_bar.h"
#include "views/found_list.h"
#include "views/graph_scene.h"
#include "views/graph_view.h"
#include "views/help_dialog.h"
#include "views/inspection.h"
#include "views/inspector.h"
#include "views/language.h"
#include "views/legend.h"
#include "views/main_window.h"
#include "views/message_bar.h"
#include "views/model_panel.h"
#include "views/number_boxes.h"
#include "views/plan_drag.h"
#include "views/plan_marks.h"
#include "views/plan_menu.h"
#include "views/plan_label.h"
#include "views/plan_panel.h"
#include "views/property_view.h"
#include "views/staged_model.h"
#include "views/report.h"
#include "views/result_panel.h"
#include "views/ruler.h"
#include "views/save_point_model.h"
#include "views/session.h"
#include "views/settings_dialog.h"
#include "core/analysis/shape_text.h"
#include "views/story_view.h"
#include "views/table_panel.h"
#include "views/text.h"
#include "views/theme.h"

namespace cleave::views {

// The user's configuration, rates among it, in a folder of the test's own.
class OwnConfiguration {
public:
    OwnConfiguration() { qputenv("XDG_CONFIG_HOME", folder.path().toUtf8()); }
    ~OwnConfiguration() { m_before.isNull() ? qunsetenv("XDG_CONFIG_HOME") : qputenv("XDG_CONFIG_HOME", m_before); }
    OwnConfiguration(const OwnConfiguration&) = delete;
    OwnConfiguration& operator=(const OwnConfiguration&) = delete;

    const QTemporaryDir folder;

private:
    QByteArray m_before = qgetenv("XDG_CONFIG_HOME");
};

class WindowTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void cleanup();
    void opensModelAndGraph_data();
    void opensModelAndGraph();
    void bandsFollowFunctions();
    void structureIsNeverAnArrow();
    void clickSelectsAndInspectorShowsIt();
    void sizesAreTakenWithTheirUnits();
    void collapsingAllLeavesNoModuleOpen();
    void expandingAllKeepsThePlace();
    void whatIsOpenIsRememberedAtOnce();
    void trueSizeShowsABox();
    void doubleClickExpandsAndKeysCollapse();
    void tabAndArrowsMoveTheSelection();
    void verifyShowsTheResult();
    void verifyComparesWithExpectedOutputs();
    void pictureKeepsItsStartUntilItIsTouched();
    void pictureStaysFitted();
    void rolesMakeAParameterTheFeatures();
    void widthsAreAskedFor();
    void arraysAreChosenForInputs();
    void graphsTellShapesOfInputs();
    void graphsTellSizesThatTheModelLeavesOpen();
    void rolesAreChosenInThePanel();
    void cancelStopsARun();
    void whatRunsIsLit();
    void cancelStopsAtOnce_data();
    void cancelStopsAtOnce();
    void repeatedLayersAreFolded();
    void structureArrowsAreShownOnDemand();
    void inspectorShowsFormulasAndCosts();
    void tablesTellTheGraphAndItsCosts();
    void settingsTakeEffectAndAreKept();
    void everyTextIsInChinese();
    void sentencesOfTheCoreAreKnown();
    void wrongFileIsOneSentenceInTheMessageBar();
    void anErrorStaysUntilSomethingNewIsTried();
    void degreesAreBars();
    void bandsAreNamedInASmallPicture();
    void rightClickMovesNothing();
    void aPressOfTheMouseNeverScrolls();
    void draggingOutOfTheViewLeavesNothing();
    void aDragScrollsWhileThePointerRests();
    void aWrongCutIsNotKept();
    void droppedFileIsOpened();
    void exportsPicture();
    void writesOverNothingThatIsOpen();
    void filesThatBecomeShorterAreTold();
    void exportsAreMadeForPaper();
    void fileDialogsLeaveTheWindowFree();
    void fileDialogsBeginWhereOneWorks();
    void profileGraphsAreDrawnByStage();
    void plansAreWrittenAsProfileGraphs();
    void aRefusedModelIsDrawn();
    void reportsCompareThePlans();
    void codeFollowsThePlan();
    void randomFeaturesAreChosenAndSaid();
    void randomFeaturesAreOffered();
    void planningIsSeenAndCanBeStopped();
    void rewritesChangeTheProgramAndAreShown();
    void dragMovesAnOpAndUndoBringsItBack();
    void illegalMoveSaysWhy();
    void cutsMoveByKeys();
    void graphIsAListForScreenReaders();
    void keysWithAltAreUnambiguous();
    void savePointTableStaysInItsPlace();
    void globalOpsHandOnWhatTheyMake();
    void nodeTypesAreToldApart();
    void nodeTypesAreReadInSmallPictures();
    void planOfARewrittenProgramIsCompared();
    void savePointTableChangesThePlan();
    void costsAreThoseOfThePlanner();
    void functionsRunOnADevice();
    void draggedCutStopsWhereItCan();
    void modulesAreMovedWhole();
    void pinsHoldWhateverThePlanner();
    void opsAreKeptTogether();
    void batchSizeIsChosenOnTheCurve();
    void memoryOfARunIsBound();
    void savePointSaysWhatItCosts();
    void storyTellsWithTheModelsLayers();
    void storyLetsTheStudentGuessFirst();
    void storySetsAnExercise();
    void barsLeaveThePictureInItsPlace();
    void layoutOutlivesACrash();
    void sessionAndRecentFilesAreKept();
    void sessionKeepsThePlanAndItsBatches();
    void planIsSavedWhereItIs();
    void planOfAnotherFileIsSaid();
    void planOfAnotherModelChangesNothing();
    void comparisonsWaitForRuns();
    void rewritesSayThatThePlanBeginsAnew();
    void filesOfTheLastSessionThatAreGoneAreNamed();
    void textGrowsWithThePresenter();
    void largeTextLeavesTheWindowItsSize();
    void findsInsideClosedModules();
    void rulerGoesWhereItIsPressed();
    void twoPlansAreCompared();
    void contextMenuMovesAnOp();
    void escapeEndsADrag();
    void whatNoPlanMovesSaysWhy();
    void titlesStayInSight();
    void panelsSpeakOfThePlan();
    void noSequenceOfEventsGivesAnIllegalPlan();
    void aLookAtAnotherPlanKeepsTheResult();
    void filesAreReadAgain();
    void resultsAreOfWhatWasSet();
    void keysAreForTheStoryThatIsSeen();
    void helpHasWordsAndKeys();
    void keysDoOneThing();
    void wheelScrollsPastFields();
    void focusInTablesSelectsNothing();
    void oneBatchOfAllNodesStaysOne();
    void functionsLargerThanTheViewStayWhereTheyAre();
    void theExampleRunsInBatches();
    void tolerancesSayWhatTheyTake();
    void longTipsAreBroken();
    void plannersAreTakenByTheirButtons();
    void functionsRunTogether();
    void functionsAreShownInTheOrderOfRuns();
    void memoryOfRunsBoundsThePlans();
    void extremesAreTakenAsPlans();
    void aGraphThatDoesNotFitIsSaid();
    void planIsSavedAndOpened();
    void plansThatWereLeftDoNotMarkTheNextModel();
    void planBringsItsRewritesAndItsOrder();
    void rewritesMayChangeTheFunctions();
    void graphsTellWhichSizesAreEqual();
    void rewritesAreStepsOfTheHistory();
    void rewritesThatLoseAreLeftOut();
    void closingAsksForTheUnsavedPlan();
    void unsavedPlanOutlivesItsWindow();
    void aPlanWhoseModelIsGoneIsOfferedAgain();
    void planOfTheModelBeforeIsOfferedAgain();
    void aPlanComesBackWithItsGraphAndBatches();
    void noSequenceOfMovesGivesAnIllegalPlan_data();
    void noSequenceOfMovesGivesAnIllegalPlan();
    void itemModelsAreSound();
    void aWindowMayGoAtAnyTime();
    void readingAnewKeepsThePlan();
    void aWindowMayGoDuringADrag();
    void themesKeepTheSelection();
    void undoIsThePlansWhileANumberHasTheFocus();
    void storyAndEmptyPageOpenTheExample();
    void machineIsMeasuredInTheWindow();
    void plansAreComparedBySmallDifferences();
    void messagesAreReadInEveryTheme();
    void arrowsIntoModulesKeepTheirHeads();
    void nothingIsRewrittenDuringARun();
    void textSizeHasKeysOfItsOwn();
    void titlesOfDocksGrowWithTheText();
    void labelsOfDragsAreWholeAndBeside();
    void widePicturesStartWhereTheirBoxesAre();
    void selectionStaysInSightBesideOtherPanels();
    void barsOfFunctionsAreWhole();
    void buttonsOfThePlanStayInTheirPlace();
    void titlesLeaveSavePointsFree();
    void batchesAreNoLargerThanTheGraph();
    void choicesStayWithinTheWindow();
    void refusedModelsAreNamed();
    void pathsThatAreNotThereStopNothing();
    void cancelledRewritesAreNotThere();
    void barsThatTakeFarMoreAreBroken();
    void tabFollowsWhatIsSeen();
    void savePointsAreCountedOnce();
    void runsThatTakeFarLongerSaySo();
    void findingNothingLeavesTheSelection();
    void contextMenusOfferWhatCanBeDone();
    void tablesAreSortedByTheirHeaders();
    void tablesAreCopied();
    void plannersStandInTheMenu();
    void largerTextKeepsTheTheme();
    void tablesOpenWithSomeRows();
    void storyShowsTheBestCutWhereItDid();
    void legendTakesTheRowsThatItNeeds();
    void legendEndsWithTheHighestDegree();
    void picturesTooLongForPixelsAreRefused();
    void comparisonEndsWhereThereIsOne();

private:
    static QString example(const char* name) { return QStringLiteral(CLEAVE_EXAMPLES_DIR "/") + QLatin1String(name); }
    static void open(MainWindow& window, const char* model);
    static void openGraph(MainWindow& window);
    static void openWithCosts(MainWindow& window, const char* model);  // on Cora, with the plans of all planners
    static OpId opNamed(MainWindow& window, const char* name);
    static Position positionOf(MainWindow& window, const char* op);
    static DagKey boxOf(MainWindow& window, const char* op);
    static void beginDrag(MainWindow& window, const char* op, Position to);
    static void drag(MainWindow& window, const char* op, Position to);
    static DagKey firstBox(const MainWindow& window, BoxKind kind);
};

namespace {

constexpr int patience = 60'000;

QPoint place(GraphView& view, const DagKey& key)
{
    return view.viewPosition(key)->toPoint();
}

}  // namespace

// Plans that a test's window left unsaved are not offered to the next one.
void WindowTest::cleanup()
{
    QDir(QStandardPaths::writableLocation(QStandardPaths::AppDataLocation)).removeRecursively();
    QSettings().clear();  // docks that a test left open would be there in the next
}

void WindowTest::initTestCase()
{
    qputenv("CLEAVE_LAYOUT", CLEAVE_LAYOUT_PROGRAM);
    QCoreApplication::setOrganizationName(QStringLiteral("CleaveTests"));
    QCoreApplication::setApplicationName(QStringLiteral("CleaveTests"));
    applyLanguage(*QCoreApplication::instance(), QStringLiteral("en"));
    QSettings().clear();
    QStandardPaths::setTestModeEnabled(true);
    QDir(QStandardPaths::writableLocation(QStandardPaths::AppDataLocation)).removeRecursively();
}

void WindowTest::open(MainWindow& window, const char* model)
{
    window.resize(1300, 850);
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    window.document().open(example(model));
    QTRY_VERIFY_WITH_TIMEOUT(window.graphView().picture() && !window.graphView().isLayingOut() && !window.document().isBusy(), patience);
}

void WindowTest::openGraph(MainWindow& window)
{
    window.document().open(example("cora.npz"));
    QTRY_VERIFY_WITH_TIMEOUT(window.document().graph() && !window.document().isBusy(), patience);
}

void WindowTest::openWithCosts(MainWindow& window, const char* model)
{
    open(window, model);
    openGraph(window);
    const PlanEditor& editor = window.document().planEditor();
    QTRY_VERIFY_WITH_TIMEOUT(editor.cost().has_value() && editor.costs().plans().size() == 5, patience);
}

OpId WindowTest::opNamed(MainWindow& window, const char* name)
{
    const Program& program = window.document().model()->program();
    for (const PlacedOp& placed : window.document().planEditor().space()->ops())
        if (program[placed.op].name == name)
            return placed.op;
    return {};
}

Position WindowTest::positionOf(MainWindow& window, const char* op)
{
    const PlanEditor& editor = window.document().planEditor();
    return editor.shown().positions[static_cast<std::size_t>(editor.space()->indexOf(opNamed(window, op)))];
}

DagKey WindowTest::boxOf(MainWindow& window, const char* op)
{
    const OpId id = opNamed(window, op);
    for (const DagBox& box : window.graphView().picture()->dag.boxes)
        if (box.key.kind == BoxKind::Op && box.ops.front() == id)
            return box.key;
    return {};
}

QPoint middle(GraphView& view, Position position)
{
    return view.mapFromScene(zoneOf(*view.picture(), position).center());
}

// From the op's box to the middle of the place, where the button is still held. The picture may scroll on the way.
void WindowTest::beginDrag(MainWindow& window, const char* op, Position to)
{
    GraphView& view = window.graphView();
    const QPoint from = place(view, boxOf(window, op));
    QTest::mousePress(view.viewport(), Qt::LeftButton, {}, from);
    for (int step = 1; step <= 5; ++step)
        QTest::mouseMove(view.viewport(), from + (middle(view, to) - from) * step / 5);
    QTest::mouseMove(view.viewport(), middle(view, to));
}

void WindowTest::drag(MainWindow& window, const char* op, Position to)
{
    beginDrag(window, op, to);
    QTest::mouseRelease(window.graphView().viewport(), Qt::LeftButton, {}, middle(window.graphView(), to));
}

DagKey WindowTest::firstBox(const MainWindow& window, BoxKind kind)
{
    for (const DagBox& box : const_cast<MainWindow&>(window).graphView().picture()->dag.boxes)
        if (box.key.kind == kind)
            return box.key;
    return {};
}

void WindowTest::opensModelAndGraph_data()
{
    QTest::addColumn<QByteArray>("model");
    for (const char* name : {"gcn.pt2", "sage.pt2", "gat.pt2", "jk.pt2"})
        QTest::newRow(name) << QByteArray(name);
}

void WindowTest::opensModelAndGraph()
{
    QFETCH(const QByteArray, model);
    MainWindow window;
    open(window, model.constData());
    openGraph(window);
    QVERIFY(window.document().canRun());
    QVERIFY(window.windowTitle().startsWith(QString::fromLatin1(model)));
    QVERIFY(!window.messageBar().isVisible());
}

void WindowTest::bandsFollowFunctions()
{
    MainWindow window;
    open(window, "jk.pt2");
    const GraphPicture& picture = *window.graphView().picture();
    QCOMPARE(picture.dag.bands.size(), picture.model->cut->functions.size() + 1);
    for (std::size_t i = 1; i < picture.layout.bands.size(); ++i)
        QVERIFY(picture.layout.bands[i].top >= picture.layout.bands[i - 1].bottom);
    for (std::size_t i = 0; i < picture.dag.boxes.size(); ++i) {
        const LayoutBand& band = picture.layout.bands[static_cast<std::size_t>(picture.dag.boxes[i].key.band)];
        const double y = picture.layout.centres[i].y;
        QVERIFY(y >= band.top && y <= band.stripBottom);
    }
}

void WindowTest::structureIsNeverAnArrow()
{
    MainWindow window;
    open(window, "gat.pt2");
    window.graphView().expandAll();
    QTRY_VERIFY_WITH_TIMEOUT(!window.graphView().isLayingOut(), patience);
    const GraphPicture& picture = *window.graphView().picture();
    bool badges = false;
    for (const DagArrow& arrow : picture.dag.arrows)
        if (picture.dag.boxes[static_cast<std::size_t>(arrow.to)].key.band > 0)
            for (const ValueId value : arrow.values)
                QVERIFY(picture.model->analysis->values[value].reach == Reach::Feature ||
                        picture.dag.boxes[static_cast<std::size_t>(arrow.from)].key.band ==
                            picture.dag.boxes[static_cast<std::size_t>(arrow.to)].key.band);
    for (const DagBox& box : picture.dag.boxes)
        badges = badges || !box.structure.empty();
    QVERIFY(badges);
}

void WindowTest::clickSelectsAndInspectorShowsIt()
{
    MainWindow window;
    open(window, "gcn.pt2");
    GraphView& view = window.graphView();
    const DagKey key = firstBox(window, BoxKind::Op);
    QVERIFY(key.op.valid());
    view.fit();
    QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, place(view, key));
    QVERIFY(view.selection() == key);
    const auto* inspector = window.findChild<Inspector*>();
    QCOMPARE(inspector->title(), QString::fromStdString(window.document().model()->program()[key.op].name));
}

void WindowTest::sizesAreTakenWithTheirUnits()
{
    MainWindow window;
    open(window, "gcn.pt2");
    auto* memory = window.findChild<MemoryBox*>();
    QVERIFY(memory != nullptr);
    const QLocale locale = memory->locale();
    const std::pair<QString, int> sizes[] = {{QStringLiteral("2G"), 2000},       {QStringLiteral("2 GB"), 2000},
                                             {QStringLiteral("2Gi"), 2147},      {QStringLiteral("300"), 300},
                                             {QStringLiteral("500 MB"), 500},    {locale.toString(1.5) + QStringLiteral(" GB"), 1500},
                                             {QStringLiteral("100000 kB"), 100}, {QStringLiteral("2T"), 2'000'000}};
    for (const auto& [text, megabytes] : sizes) {
        memory->setFocus();
        memory->selectAll();
        QTest::keyClicks(memory, text);
        QTest::keyClick(memory, Qt::Key_Return);
        QCOMPARE(memory->value(), megabytes);
        QCOMPARE(window.document().options().run.memoryBytes, static_cast<std::size_t>(megabytes) * 1'000'000);
    }
    memory->setValue(0);
    auto* batch = window.findChild<BatchSizeBox*>();
    QVERIFY(batch != nullptr);
    batch->setValue(0);
    batch->stepBy(1);
    QCOMPARE(batch->value(), 256);
    batch->stepBy(2);
    QCOMPARE(batch->value(), 1024);
    batch->stepBy(-3);
    QCOMPARE(batch->value(), 128);
}

void WindowTest::collapsingAllLeavesNoModuleOpen()
{
    MainWindow window;
    open(window, "sage.pt2");
    GraphView& view = window.graphView();
    view.expandAll();
    QTRY_VERIFY_WITH_TIMEOUT(!view.isLayingOut() && !view.picture()->dag.frames.empty(), patience);
    view.collapseAll();
    QTRY_VERIFY_WITH_TIMEOUT(!view.isLayingOut() && view.picture()->dag.frames.empty(), patience);
}

// What was in the middle stays there.
void WindowTest::expandingAllKeepsThePlace()
{
    MainWindow window;
    window.resize(1000, 600);
    window.show();
    open(window, "gat.pt2");
    GraphView& view = window.graphView();
    view.showActualSize();
    const auto inTheMiddle = [&] {
        return placeIn(view.picture()->layout, view.mapToScene(view.viewport()->rect().center()));
    };
    const PicturePlace last{view.picture()->layout.bands.size() - 2, 0.5, 0.5};
    view.centerOn(pointAt(view.picture()->layout, last));
    const std::size_t band = inTheMiddle().band;
    const int before = view.verticalScrollBar()->value();
    view.expandAll();
    QTRY_VERIFY_WITH_TIMEOUT(!view.isLayingOut() && !view.picture()->dag.frames.empty(), patience);
    QCOMPARE(inTheMiddle().band, band);
    QVERIFY(view.verticalScrollBar()->value() != before);
}

// Whoever ends the window, what was open is known.
void WindowTest::whatIsOpenIsRememberedAtOnce()
{
    MainWindow window;
    open(window, "gcn.pt2");
    QCOMPARE(readSession().modelPath, window.document().modelPath());
    QVERIFY(!readSession().modelPath.isEmpty());
}

// The true size of a wide picture may be empty where its middle is.
void WindowTest::trueSizeShowsABox()
{
    MainWindow window;
    window.resize(1100, 800);
    window.show();
    open(window, "../../tests/models/zoo/typed_edges.pt2");
    GraphView& view = window.graphView();
    view.expandAll();
    QTRY_VERIFY_WITH_TIMEOUT(!view.isLayingOut(), patience);
    view.fit();
    view.showActualSize();
    QCOMPARE(qRound(view.zoom() * 100), 100);
    const QRectF seen = view.mapToScene(view.viewport()->rect()).boundingRect();
    QVERIFY(!view.graphScene().nearestBox(seen, seen.center().x()).isEmpty());
    view.fit();
    const DagKey last = view.picture()->dag.boxes.back().key;
    view.select(last);
    view.showActualSize();
    const int box = view.picture()->dag.find(last);
    QVERIFY(view.mapToScene(view.viewport()->rect()).boundingRect().intersects(view.graphScene().boxRect(box)));
}

void WindowTest::doubleClickExpandsAndKeysCollapse()
{
    MainWindow window;
    open(window, "gat.pt2");
    GraphView& view = window.graphView();
    view.collapseAll();
    QTRY_VERIFY_WITH_TIMEOUT(!view.isLayingOut(), patience);
    const std::size_t collapsed = view.picture()->dag.boxes.size();
    view.fit();
    const DagKey module = firstBox(window, BoxKind::Module);
    QVERIFY(module.module.valid());
    QTest::mouseDClick(view.viewport(), Qt::LeftButton, {}, place(view, module));
    QTRY_VERIFY_WITH_TIMEOUT(!view.isLayingOut() && view.picture()->dag.boxes.size() > collapsed, patience);
    view.collapseAll();
    QTRY_COMPARE_WITH_TIMEOUT(view.picture()->dag.boxes.size(), collapsed, patience);
    view.select(module);
    view.setFocus();
    QTest::keyClick(&view, Qt::Key_Plus);
    QTRY_VERIFY_WITH_TIMEOUT(!view.isLayingOut() && view.picture()->dag.boxes.size() > collapsed, patience);
}

void WindowTest::tabAndArrowsMoveTheSelection()
{
    MainWindow window;
    open(window, "gcn.pt2");
    GraphView& view = window.graphView();
    view.setFocus();
    QTest::keyClick(&view, Qt::Key_Down);
    const auto first = view.selection();
    QVERIFY(first.has_value());
    QTest::keyClick(&view, Qt::Key_Tab);
    QVERIFY(view.selection().has_value() && view.selection() != first);
    QTest::keyClick(&view, Qt::Key_Down);
    QVERIFY(view.selection().has_value());

    // From nothing, Tab goes from cut to cut and on to the next widget.
    QTest::keyClick(&view, Qt::Key_Escape);
    QVERIFY(!view.selection());
    for (const int cut : {0, 1}) {
        QTest::keyClick(&view, Qt::Key_Tab);
        QVERIFY(view.selectedCut() == cut && !view.selection());
    }
    QTest::keyClick(&view, Qt::Key_Tab);
    QVERIFY(!view.selectedCut() && !view.selection());
    view.setFocus();
    QTest::keyClick(&view, Qt::Key_Backtab);
    QVERIFY(view.selectedCut() == 1);
}

void WindowTest::verifyShowsTheResult()
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
    QVERIFY(results->isVisible());  // comes forward
    QCOMPARE(results->functions().rowCount(), 4);  // three functions and their sum
    QVERIFY(results->comparisons().rowCount() >= 1);
    QVERIFY(results->accuracies().rowCount() >= 1);
    QVERIFY(results->summary().contains(QStringLiteral("Equal")));
}

void WindowTest::verifyComparesWithExpectedOutputs()
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

void WindowTest::pictureKeepsItsStartUntilItIsTouched()
{
    MainWindow window;
    open(window, "gcn.pt2");
    GraphView& view = window.graphView();
    const DagKey first = view.picture()->dag.boxes[static_cast<std::size_t>(view.graphScene().readingOrder().front())].key;
    const int before = view.width();
    window.resize(900, 620);
    QTRY_VERIFY(view.width() < before && view.viewport()->rect().contains(place(view, first)));
    QCOMPARE(view.verticalScrollBar()->value(), view.verticalScrollBar()->minimum());
    view.zoomBy(1.5);
    const double zoom = view.zoom();
    window.resize(1300, 850);
    QTest::qWait(50);
    QCOMPARE(view.zoom(), zoom);
}

void WindowTest::pictureStaysFitted()
{
    MainWindow window;
    open(window, "jk.pt2");
    GraphView& view = window.graphView();
    const auto isWhole = [&] {
        const QRect all = view.mapFromScene(view.sceneRect()).boundingRect(), seen = view.viewport()->rect().adjusted(-2, -2, 2, 2);
        return seen.contains(all) && (all.width() > 0.9 * seen.width() || all.height() > 0.9 * seen.height());
    };
    view.setFocus();
    QTest::keyClick(&view, Qt::Key_F);
    QVERIFY(isWhole());
    window.resize(1000, 700);
    QTRY_VERIFY(isWhole());
    QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, place(view, boxOf(window, "linear_1")));  // selects, and moves nothing
    window.resize(1350, 900);
    QTRY_VERIFY(isWhole());

    QTest::mousePress(view.viewport(), Qt::LeftButton, {}, QPoint(5, 5));
    QTest::mouseMove(view.viewport(), QPoint(40, 45));
    QTest::mouseRelease(view.viewport(), Qt::LeftButton, {}, QPoint(40, 45));
    const double zoom = view.zoom();
    window.resize(1000, 700);
    QTest::qWait(50);
    QCOMPARE(view.zoom(), zoom);

    // However large the picture is.
    view.setSceneRect(0, 0, 1000, 200 * view.viewport()->height());
    view.fit();
    QTRY_VERIFY(isWhole());  // scroll bars go in their own time
    QVERIFY(view.zoom() < GraphView::minZoom);
    view.zoomBy(0.5);
    QVERIFY(view.zoom() > 0.9 / 200);
}

void WindowTest::rolesMakeAParameterTheFeatures()
{
    MainWindow window;
    const QString file = QStringLiteral(CLEAVE_TEST_DIR "/models/zoo/parameter_and_features.pt2");
    window.document().open(file);
    QTRY_VERIFY_WITH_TIMEOUT(window.messageBar().text().contains(QStringLiteral("“Take position.weight as node features”")), patience);
    QCOMPARE(window.messageBar().buttons().size(), 1);
    QTest::mouseClick(window.messageBar().buttons().front(), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(window.document().model() != nullptr, patience);
    QCOMPARE(window.document().hints().roles.size(), 1U);
    window.document().open(example("gcn.pt2"));
    QTRY_VERIFY_WITH_TIMEOUT(window.document().modelPath().endsWith(QStringLiteral("/gcn.pt2")), patience);
    QVERIFY2(window.document().hints().roles.empty(), "they were for the other file");

    MainWindow other;
    other.document().setHints({{{"position.weight", Role::NodeFeatures}}, {}, {}});
    other.document().open(file);
    QTRY_VERIFY_WITH_TIMEOUT(other.document().model() != nullptr, patience);
}

void WindowTest::arraysAreChosenForInputs()
{
    MainWindow window;
    window.show();
    Document& document = window.document();
    open(window, "gcn.pt2");
    DataGraph graph = readGraph(std::filesystem::path(example("cora.npz").toStdString()));
    graph.arrays.insert({"features", graph.arrays.at("x")});
    graph.arrays.insert({"positions", graph.arrays.at("x")});
    graph.arrays.erase("x");
    graph.arrays.at("positions").shape = {1433, 2708};  // too many rows
    document.setGraph(std::make_shared<const DataGraph>(graph), {});

    // What does not fit is told at once, with what may be done.
    const MessageBar& bar = window.messageBar();
    QTRY_VERIFY_WITH_TIMEOUT(bar.isVisible() && bar.text().contains(QStringLiteral("“Take features as x”")), patience);
    QVERIFY2(!bar.text().contains(QStringLiteral("--")), qPrintable(bar.text()));
    for (const QLabel* label : window.planPanel().findChildren<QLabel*>())
        QVERIFY2(!label->text().contains(QStringLiteral("--")), qPrintable(label->text()));
    QCOMPARE(bar.buttons().size(), 2);  // or random numbers
    QAbstractButton* take = bar.buttons().front()->text() == QStringLiteral("Take features as x") ? bar.buttons().front() : bar.buttons().back();
    QTest::mouseClick(take, Qt::LeftButton);
    QVERIFY(!bar.isVisible());
    QCOMPARE(document.hints().arrays.at("x"), std::string("features"));
    QTRY_VERIFY_WITH_TIMEOUT(document.planEditor().cost(), patience);
    document.verify();
    QTRY_VERIFY_WITH_TIMEOUT(document.report().verify.has_value(), patience);
    QVERIFY(document.report().verify->equal());
    QVERIFY(document.report().verify->layerWise.randomInputs.empty());

    // The panel shows the choice and takes it back.
    auto* properties = window.findChild<ModelPanel*>()->findChild<PropertyView*>();
    QModelIndex section;
    for (int row = 0; row < properties->model()->rowCount(); ++row)
        if (properties->model()->index(row, 0).data().toString() == QStringLiteral("Arrays for inputs"))
            section = properties->model()->index(row, 0);
    QVERIFY(section.isValid());
    const QModelIndex array = properties->model()->index(0, 1, section);
    QVERIFY(array.data().toString().startsWith(QStringLiteral("features")));
    QCOMPARE(array.data(PropertyModel::choicesRole).toStringList(), (QStringList{QStringLiteral("that of its name"), QStringLiteral("features")}));
    properties->scrollTo(array);
    QTest::mouseClick(properties->viewport(), Qt::LeftButton, {}, properties->visualRect(array).center());
    auto* choices = properties->findChild<QComboBox*>();
    QVERIFY2(choices, "one click opens the choices");
    choices->setCurrentIndex(choices->findText(QStringLiteral("that of its name")));
    Q_EMIT choices->activated(choices->currentIndex());
    QTRY_VERIFY_WITH_TIMEOUT(document.hints().arrays.empty() && bar.isVisible(), patience);

    writeSession([&] {
        Session session = sessionOf(document);
        session.hints.arrays = {{"x", "features"}};
        return session;
    }());
    QCOMPARE(readSession().hints.arrays.at("x"), std::string("features"));

    // A graph without any such array: the sentence names no option of the command line, and nothing that cannot be done.
    graph.arrays.erase("features");
    document.setGraph(std::make_shared<const DataGraph>(graph), {});
    QTRY_VERIFY_WITH_TIMEOUT(bar.isVisible() && bar.buttons().size() == 1, patience);
    QVERIFY2(bar.text().contains(QStringLiteral("“Take random features”")) && !bar.text().contains(QStringLiteral("--")), qPrintable(bar.text()));
}

void WindowTest::widthsAreAskedFor()
{
    MainWindow window;
    window.show();
    window.document().open(QStringLiteral(CLEAVE_TEST_DIR "/models/torchscript/agnn.script.pt"));
    QTRY_VERIFY_WITH_TIMEOUT(window.messageBar().field() != nullptr, patience);
    QVERIFY(window.messageBar().text().contains(QStringLiteral("“Take this width of x”")));
    window.messageBar().field()->setValue(12);
    QTest::mouseClick(window.messageBar().buttons().front(), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(window.document().model() != nullptr, patience);
    QCOMPARE(window.document().hints().widths.at("x"), 12);
    QVERIFY(!window.messageBar().field());
    window.document().open(QStringLiteral(CLEAVE_TEST_DIR "/models/zoo/agnn.npz"));
    QTRY_VERIFY_WITH_TIMEOUT(window.document().canRun(), patience);
    window.document().verify();
    QTRY_VERIFY_WITH_TIMEOUT(window.document().report().verify.has_value(), patience);
    QVERIFY(window.document().report().verify->equal());
}

// A trace of PyTorch 1 keeps names of its inputs only; how wide their rows are, the graph tells.
void WindowTest::graphsTellShapesOfInputs()
{
    MainWindow window;
    window.show();
    window.document().open(QStringLiteral(CLEAVE_TEST_DIR "/models/torchscript_1.13/appnp.trace.pt"));
    QTRY_VERIFY_WITH_TIMEOUT(window.messageBar().field() != nullptr, patience);
    window.document().open(QStringLiteral(CLEAVE_TEST_DIR "/models/zoo/appnp.npz"));
    QTRY_VERIFY_WITH_TIMEOUT(window.document().canRun(), patience);
    QVERIFY(!window.messageBar().isVisible());
    window.document().verify();
    QTRY_VERIFY_WITH_TIMEOUT(window.document().report().verify.has_value(), patience);
    QVERIFY(window.document().report().verify->equal());

    MainWindow both;  // the graph is there before the model has failed
    both.show();
    both.document().open(QStringLiteral(CLEAVE_TEST_DIR "/models/torchscript_1.13/appnp.trace.pt"));
    both.document().open(QStringLiteral(CLEAVE_TEST_DIR "/models/zoo/appnp.npz"));
    QTRY_VERIFY_WITH_TIMEOUT(both.document().canRun(), patience);
    QVERIFY(!both.messageBar().isVisible());

    MainWindow cancelled;  // what was called off is not begun again
    cancelled.document().open(QStringLiteral(CLEAVE_TEST_DIR "/models/torchscript_1.13/appnp.trace.pt"));
    cancelled.document().cancel();
    QTRY_VERIFY_WITH_TIMEOUT(!cancelled.document().isBusy(), patience);
    openGraph(cancelled);
    QTRY_VERIFY_WITH_TIMEOUT(!cancelled.document().isBusy(), patience);
    QVERIFY(!cancelled.document().model());
}

// A model takes any number of graphs side by side; its program is for as many as there are.
void WindowTest::graphsTellSizesThatTheModelLeavesOpen()
{
    MainWindow window;
    window.show();
    window.document().open(QStringLiteral(CLEAVE_TEST_DIR "/models/zoo/static_gcn.pt2"));
    QTRY_VERIFY_WITH_TIMEOUT(window.document().model() != nullptr, patience);
    QVERIFY(window.document().model()->analysis->freeSizes == (std::vector{FreeSize{"graphs", 0, assumedSize, true}}));
    window.document().open(QStringLiteral(CLEAVE_TEST_DIR "/models/zoo/static_gcn.npz"));
    QTRY_VERIFY_WITH_TIMEOUT(window.document().model()->analysis->freeSizes == (std::vector{FreeSize{"graphs", 0, 3, false}}), patience);
    QTRY_VERIFY_WITH_TIMEOUT(window.document().canRun(), patience);
    QVERIFY(!window.messageBar().isVisible());
    for (const std::set<Rewrite>& rewrites : {std::set<Rewrite>{}, allRewrites()}) {
        window.document().setRewrites(rewrites);
        QTRY_VERIFY_WITH_TIMEOUT(!window.document().isBusy(), patience);
        window.document().verify();
        QTRY_VERIFY_WITH_TIMEOUT(window.document().report().verify.has_value(), patience);
        QVERIFY(window.document().report().verify->equal());
        QCOMPARE(window.document().report().verify->layerWise.outputs.front().array.shape.front(), 3);
    }
    openGraph(window);  // Cora has no such features, which is said when it is run
    QTRY_VERIFY_WITH_TIMEOUT(!window.document().isBusy(), patience);
    QVERIFY(window.document().model());

    MainWindow both;  // the graph is read before the model is open
    both.show();
    both.document().open(QStringLiteral(CLEAVE_TEST_DIR "/models/zoo/static_gcn.pt2"));
    both.document().open(QStringLiteral(CLEAVE_TEST_DIR "/models/zoo/static_gcn.npz"));
    QTRY_VERIFY_WITH_TIMEOUT(both.document().model() != nullptr && both.document().model()->analysis->freeSizes.front().size == 3, patience);
}

// The row of a property of a panel, or an invalid index.
QModelIndex propertyNamed(const QAbstractItemModel& model, const QString& name)
{
    for (int section = 0; section < model.rowCount(); ++section)
        for (int row = 0; row < model.rowCount(model.index(section, 0)); ++row)
            if (const QModelIndex index = model.index(row, 0, model.index(section, 0)); index.data().toString() == name)
                return index;
    return {};
}

QString valueOf(const QAbstractItemModel& model, const QString& name) { return propertyNamed(model, name).siblingAtColumn(1).data().toString(); }

void WindowTest::rolesAreChosenInThePanel()
{
    MainWindow window;
    open(window, "gcn.pt2");
    auto* properties = window.findChild<ModelPanel*>()->findChild<PropertyView*>();
    const QModelIndex role = propertyNamed(*properties->model(), QStringLiteral("x")).siblingAtColumn(1);
    QVERIFY(role.data().toString().startsWith(QStringLiteral("node features")));
    properties->setCurrentIndex(role);
    properties->edit(role);
    auto* choices = properties->findChild<QComboBox*>();
    QVERIFY(choices && choices->count() == 4 && choices->currentText() == QStringLiteral("node features"));
    choices->setCurrentIndex(choices->findText(QStringLiteral("other")));
    Q_EMIT choices->activated(choices->currentIndex());
    QTRY_VERIFY_WITH_TIMEOUT(window.messageBar().isVisible(), patience);  // no node features are left: the model stays as it was
    QVERIFY(window.document().model() && window.document().hints().roles.empty());
    QVERIFY(valueOf(*properties->model(), QStringLiteral("x")).startsWith(QStringLiteral("node features")));
    // A file that could not be opened in between is not meant.
    window.document().open(QStringLiteral(CLEAVE_TEST_DIR "/models/zoo/parameter_and_features.pt2"));
    QTRY_VERIFY_WITH_TIMEOUT(window.messageBar().text().contains(QStringLiteral("position.weight")) && !window.document().isBusy(), patience);
    window.document().setRole(QStringLiteral("x"), Role::NodeFeatures);
    QTRY_COMPARE_WITH_TIMEOUT(window.document().hints().roles.size(), 1U, patience);
    QVERIFY(window.document().modelPath().endsWith(QStringLiteral("/gcn.pt2")));
}

void WindowTest::whatRunsIsLit()
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

void WindowTest::cancelStopsARun()
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
    QVERIFY2(std::ranges::any_of(said, [](const QList<QVariant>& message) { return message[0].toString().startsWith(QStringLiteral("Cancelled: ")); }),
             "beside the button");
}

void WindowTest::cancelStopsAtOnce_data()
{
    QTest::addColumn<bool>("verify");
    QTest::addColumn<int>("after");  // milliseconds
    for (const bool verify : {false, true})
        for (const int after : {0, 20, 50, 120, 300})
            QTest::addRow("%s, after %d ms", verify ? "verify" : "run", after) << verify << after;
}

// On a graph that keeps both cores busy for seconds.
void WindowTest::cancelStopsAtOnce()
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

void WindowTest::repeatedLayersAreFolded()
{
    MainWindow window;
    window.resize(1300, 850);
    window.show();
    window.document().open(QStringLiteral(CLEAVE_TEST_DIR "/models/zoo/deep_gcn2.pt2"));
    GraphView& view = window.graphView();
    const auto isDrawn = [&] { return view.picture() && !view.isLayingOut(); };
    QTRY_VERIFY_WITH_TIMEOUT(isDrawn() && !window.document().isBusy(), patience);
    view.fit();
    const std::size_t folded = view.picture()->dag.boxes.size();
    const DagKey repeat = firstBox(window, BoxKind::Repeat);
    QCOMPARE(repeat.kind, BoxKind::Repeat);
    QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, place(view, repeat));
    QCOMPARE(window.findChild<Inspector*>()->title(), QStringLiteral("× 6 more"));
    QTest::mouseDClick(view.viewport(), Qt::LeftButton, {}, place(view, repeat));
    QTRY_VERIFY_WITH_TIMEOUT(isDrawn() && view.picture()->dag.boxes.size() > folded, patience);
    view.setFolding(false);
    view.setFolding(true);
    QTRY_VERIFY_WITH_TIMEOUT(isDrawn() && view.picture()->dag.boxes.size() == folded, patience);

    // What is looked for is found inside.
    const std::vector<OpId> found = view.find(QStringLiteral("relu_6"));
    QCOMPARE(found.size(), 1U);
    view.showOp(found.front());
    QTRY_VERIFY_WITH_TIMEOUT(isDrawn() && view.selectedBox() && view.selectedBox()->key.kind == BoxKind::Op && view.selectedBox()->ops == found,
                             patience);

    // A plan that moves a cut of a folded layer says so on the box.
    view.collapseAll();
    QTRY_VERIFY_WITH_TIMEOUT(isDrawn() && view.picture()->dag.boxes.size() == folded, patience);
    PlanEditor& editor = window.document().planEditor();
    const Move move = editor.space()->moveCut(editor.plan(), 5, true);
    QVERIFY(move.plan.has_value());
    editor.take(*move.plan, QStringLiteral("move"));
    const PlanMarks marks = planMarks(view.picture()->dag, editor, editor.plan());
    QVERIFY(
        marks.places[static_cast<std::size_t>(view.picture()->dag.find(firstBox(window, BoxKind::Repeat)))].contains(QStringLiteral("ops moved")));
    editor.history().setClean();
}

void WindowTest::structureArrowsAreShownOnDemand()
{
    MainWindow window;
    open(window, "gcn.pt2");
    GraphView& view = window.graphView();
    const std::size_t arrows = view.picture()->dag.arrows.size();
    QVERIFY(view.picture()->dag.structureArrows.empty());
    view.setShowsStructure(true);
    QTRY_VERIFY_WITH_TIMEOUT(!view.isLayingOut() && !view.picture()->dag.structureArrows.empty(), patience);
    QCOMPARE(view.picture()->dag.arrows.size(), arrows);
    view.setShowsStructure(false);
    QTRY_VERIFY_WITH_TIMEOUT(!view.isLayingOut() && view.picture()->dag.structureArrows.empty(), patience);
}

void WindowTest::inspectorShowsFormulasAndCosts()
{
    MainWindow window;
    openWithCosts(window, "sage.pt2");
    GraphView& view = window.graphView();
    const QAbstractItemModel& properties = *window.findChild<Inspector*>()->findChild<PropertyView*>()->model();
    view.selectTensor(window.document().model()->program()[opNamed(window, "linear_1")].outputs.front());
    QCOMPARE(valueOf(properties, QStringLiteral("bytes")), QStringLiteral("V·16·4 B = 173\u00A0kB"));  // 2,708 · 16 · 4
    const PlanEditor& editor = window.document().planEditor();
    const auto tensor = std::ranges::find(editor.cost()->tensors, view.selectedBox()->key.value, &TensorCost::tensor);
    QVERIFY(tensor != editor.cost()->tensors.end() && !tensor->reads.empty());
    const QString read = valueOf(properties, QStringLiteral("read by function 1"));
    QVERIFY2(read.startsWith(
                 QStringLiteral("%1·16·4 B = %2").arg(QLatin1Char(tensor->reads.front().rows)).arg(bytesText(tensor->reads.front().count * 64))),
             qPrintable(read));

    view.selectCut(0);
    QCOMPARE(window.findChild<Inspector*>()->title(), QStringLiteral("Cut 1"));
    QCOMPARE(valueOf(properties, QStringLiteral("linear_1")), QStringLiteral("V·16·4 B = 173\u00A0kB"));
    QCOMPARE(valueOf(properties, QStringLiteral("x")), QStringLiteral("input, V·1433·4 B = 15.5\u00A0MB"));
    QVERIFY(propertyNamed(properties, QStringLiteral("memory moved")).isValid());

    view.select(boxOf(window, "linear_1"));
    const Amount& cost = editor.cost()->ops[static_cast<std::size_t>(editor.space()->indexOf(opNamed(window, "linear_1")))];
    QCOMPARE(valueOf(properties, QStringLiteral("time")), secondsText(cost.seconds));
    QCOMPARE(valueOf(properties, QStringLiteral("memory moved")), bytesText(cost.bytes));
}

void WindowTest::tablesTellTheGraphAndItsCosts()
{
    MainWindow window;
    openWithCosts(window, "sage.pt2");
    TablePanel& tables = window.tables();
    QCOMPARE(tables.operators().rowCount(), 0);  // nobody looks
    qobject_cast<QDockWidget*>(tables.parentWidget())->show();
    qobject_cast<QDockWidget*>(tables.parentWidget())->raise();
    const Program& program = window.document().model()->program();
    QTRY_COMPARE(tables.operators().rowCount(), static_cast<int>(program.ops.size()));
    const PlanEditor& editor = window.document().planEditor();
    QCOMPARE(tables.costs().rowCount(), static_cast<int>(editor.cost()->functions.size() + 1 + editor.costs().plans().size()));
    QCOMPARE(tables.costs().index(static_cast<int>(editor.cost()->functions.size()), 5).data().toString(), secondsText(editor.cost()->seconds()));

    // A row that is chosen is shown in the picture, and the other way round.
    const OpId op = opNamed(window, "linear_3");
    tables.operatorView().setFocus();
    tables.operatorView().selectRow(op.index);
    QTRY_VERIFY_WITH_TIMEOUT(window.graphView().selectedBox() && window.graphView().selectedBox()->ops == std::vector{op}, patience);
    const OpId other = opNamed(window, "linear_1");
    window.graphView().select(boxOf(window, "linear_1"));
    QCOMPARE(tables.operatorView().currentIndex().row(), other.index);

    // The function of an op is that of the plan.
    constexpr int functionColumn = 3;
    QCOMPARE(tables.operators().index(op.index, functionColumn).data().toString(), QStringLiteral("1"));
    window.document().planEditor().moveOps({op}, Position::pre(2));
    QCOMPARE(tables.operators().index(op.index, functionColumn).data().toString(), QStringLiteral("2"));
    window.document().planEditor().history().setClean();
}

void WindowTest::settingsTakeEffectAndAreKept()
{
    const Settings before = readSettings();
    MainWindow window;
    openWithCosts(window, "sage.pt2");
    SettingsDialog* dialog = window.showSettings();
    QVERIFY(dialog->isVisible() && !dialog->isModal());
    const auto choose = [&](const char* text) {
        for (auto* box : dialog->findChildren<QComboBox*>())
            if (const int row = box->findText(QString::fromUtf8(text)); row >= 0) {
                box->setFocus();
                box->setCurrentIndex(row);
                Q_EMIT box->activated(row);
            }
    };
    choose("KiB, MiB, GiB: powers of 1024");
    QCOMPARE(byteUnits(), ByteUnits::Binary);
    window.graphView().selectTensor(window.document().model()->program()[opNamed(window, "linear_1")].outputs.front());
    QCOMPARE(valueOf(*window.findChild<Inspector*>()->findChild<PropertyView*>()->model(), QStringLiteral("bytes")),
             QStringLiteral("V·16·4 B = 169\u00A0KiB"));
    choose("Dark");
    QVERIFY(QApplication::palette().color(QPalette::Window).lightness() < 128);
    choose("简体中文");
    auto* size = dialog->findChild<QDoubleSpinBox*>();
    QCOMPARE(size->value(), size->minimum());
    const double ofDesktop = QApplication::font().pointSizeF();
    size->stepUp();
    QCOMPARE(QApplication::font().pointSizeF(), ofDesktop + 0.5);
    size->setValue(13);
    QCOMPARE(QApplication::font().pointSizeF(), 13.0);
    QCOMPARE(readSettings(), (Settings{Theme::Dark, QStringLiteral("zh_CN"), 13, ByteUnits::Binary, true}));
    for (auto* button : dialog->findChildren<QPushButton*>())
        if (button->text().contains(QStringLiteral("Defaults")))
            QTest::mouseClick(button, Qt::LeftButton);
    QCOMPARE(readSettings(), Settings());
    QCOMPARE(byteUnits(), ByteUnits::Decimal);
    writeSettings(before);
    applySettings(*qobject_cast<QApplication*>(QApplication::instance()), before);
}

// What has the focus for assistive programs.
QString spokenFocus(GraphView& view)
{
    const QAccessibleInterface* part = QAccessible::queryAccessibleInterface(&view)->focusChild();
    return part == nullptr || !part->state().focused ? QString() : part->text(QAccessible::Name);
}

// What a person can read of a widget and what is said of it to others.
QStringList textsOf(const QWidget& widget)
{
    QStringList texts{widget.accessibleName(), widget.toolTip()};
    if (const auto* label = qobject_cast<const QLabel*>(&widget))
        texts.append(label->text());
    if (const auto* button = qobject_cast<const QAbstractButton*>(&widget))
        texts.append(button->text());
    if (const auto* dock = qobject_cast<const QDockWidget*>(&widget))
        texts.append(dock->windowTitle());
    if (const auto* tabs = qobject_cast<const QTabBar*>(&widget))
        for (int i = 0; i < tabs->count(); ++i)
            texts.append(tabs->tabText(i));
    if (const auto* box = qobject_cast<const QComboBox*>(&widget))
        for (int i = 0; i < box->count(); ++i)
            texts.append(box->itemText(i));
    for (const QAction* action : widget.actions())
        texts.append({action->text(), action->toolTip()});
    if (const auto* view = qobject_cast<const QAbstractItemView*>(&widget); view != nullptr && view->model() != nullptr)
        for (int column = 0; column < view->model()->columnCount(); ++column)
            texts.append(view->model()->headerData(column, Qt::Horizontal).toString());
    return texts;
}

// Names, numbers and symbols are the same in every language, and so is what has Chinese in it.
bool isChinese(const QString& text)
{
    static const QRegularExpression chinese(QStringLiteral("[\\x{4e00}-\\x{9fff}]")), word(QStringLiteral("[A-Za-z]{2,} [A-Za-z]{2,}|^[A-Z][a-z]+$"));
    static const QStringList names{QStringLiteral("English"), QStringLiteral("Cleave")};
    return text.contains(chinese) || names.contains(text) || !text.contains(word);
}

void WindowTest::everyTextIsInChinese()
{
    applyLanguage(*QCoreApplication::instance(), QStringLiteral("zh_CN"));
    const auto english = qScopeGuard([] { applyLanguage(*QCoreApplication::instance(), QStringLiteral("en")); });
    // What Qt says itself is in a package of its own.
    const bool qtIsChinese = QFile::exists(QLibraryInfo::path(QLibraryInfo::TranslationsPath) + QStringLiteral("/qtbase_zh_CN.qm"));
    const QStringList ofQt{QStringLiteral("Float"),
                           QStringLiteral("Close"),
                           QStringLiteral("Scroll Left"),
                           QStringLiteral("Scroll Right"),
                           QStringLiteral("Restore Defaults"),
                           QStringLiteral("&Close"),
                           QStringLiteral("Undocks and re-attaches the dock widget"),
                           QStringLiteral("Closes the dock widget")};
    QStringList foreign;
    const auto check = [&](const QString& text, const QObject& of) {
        if (!isChinese(text) && (qtIsChinese || !ofQt.contains(text)))
            foreign.append(QStringLiteral("'%1' of %2").arg(text, QLatin1String(of.metaObject()->className())));
    };
    MainWindow window;
    openWithCosts(window, "sage.pt2");
    window.document().verify();
    QTRY_VERIFY_WITH_TIMEOUT(window.document().report().verify.has_value(), patience);
    for (QDockWidget* dock : window.findChildren<QDockWidget*>())
        dock->show();
    window.graphView().select(boxOf(window, "linear_1"));
    window.showSettings();
    QCoreApplication::processEvents();
    for (const QWidget* widget : window.findChildren<QWidget*>())
        for (const QString& text : textsOf(*widget))
            check(text, *widget);
    for (const QMenu* menu : window.findChildren<QMenu*>())
        check(menu->title(), *menu);
    for (const auto* view : window.findChildren<PropertyView*>())
        for (int section = 0; section < view->model()->rowCount(); ++section) {
            const QModelIndex header = view->model()->index(section, 0);
            check(header.data().toString(), *view);
            for (int row = 0; row < view->model()->rowCount(header); ++row)
                for (int column = 0; column < 2; ++column)
                    if (const QString text = view->model()->index(row, column, header).data().toString();
                        text != QStringLiteral("Linear") && !text.contains(u'_') && !text.contains(u'('))
                        check(text, *view);
        }
    StoryView& story = window.story();
    for (auto i = story.steps(); i-- > 0;) {
        story.go(i);
        check(story.text(), story);
    }
    QVERIFY2(foreign.isEmpty(), qPrintable(foreign.join(u'\n')));
    QVERIFY(bandTitle(window.graphView().picture()->dag.bands[1]).contains(QStringLiteral("函数")));

    // A move that cannot be is refused in Chinese, with the names as they are.
    QSignalSpy refused(&window.document().planEditor(), &PlanEditor::refused);
    QVERIFY(!window.document().planEditor().moveOps({opNamed(window, "linear_1")}, Position::post(2)));
    QCOMPARE(refused.size(), 1);
    const QString reason = refused.front().front().toString();
    QVERIFY2(isChinese(reason) && reason.contains(QStringLiteral("linear_1")) && !reason.contains(QStringLiteral("cannot")), qPrintable(reason));
    window.document().open(QStringLiteral("/nonexistent.pt2"));
    QTRY_VERIFY_WITH_TIMEOUT(window.messageBar().text().contains(QStringLiteral("/nonexistent.pt2")), patience);
    QVERIFY2(isChinese(window.messageBar().text()), qPrintable(window.messageBar().text()));
}

// Those that this test can bring about are recognised: a sentence that was reworded would silently stay English.
void WindowTest::sentencesOfTheCoreAreKnown()
{
    applyLanguage(*QCoreApplication::instance(), QStringLiteral("zh_CN"));
    const auto english = qScopeGuard([] { applyLanguage(*QCoreApplication::instance(), QStringLiteral("en")); });
    std::set<std::string> sentences;
    for (const char* file : {"zoo/gcn.pt2", "zoo/pair_norm.pt2", "zoo/typed_sage.pt2", "zoo/jk_cat.pt2"}) {
        const Model model = openModel(std::string(CLEAVE_TEST_DIR "/models/") + file, {.roles = {}, .check = false});
        const PlanSpace space(*model.analysis);
        const Plan plan = space.messageDegree();
        for (const PlacedOp& placed : space.ops()) {
            for (Position to{0}; to.function() <= space.functions(); ++to.at)
                sentences.insert(space.moveOp(plan, placed.op, to).reason);
            Move pinned = space.pin(plan, placed.op, plan.positions[static_cast<std::size_t>(space.indexOf(placed.op))].function());
            for (int function = 0; function <= space.functions() && pinned.plan; ++function)
                sentences.insert(space.moveOp(*pinned.plan, placed.op, Position::post(function)).reason);
            for (const ValueId result : model.program()[placed.op].outputs)
                for (int cut = 0; cut <= space.functions(); ++cut)
                    for (const bool saved : {false, true})
                        sentences.insert(space.setSavePoint(plan, result, cut, saved).reason);
        }
        for (int cut = 0; cut <= space.functions(); ++cut)
            for (const bool up : {false, true})
                sentences.insert(space.moveCut(plan, cut, up).reason);
        for (int cut = 0; cut <= space.functions(); ++cut)
            sentences.insert(space.whyNotJoined(cut));
    }
    const std::filesystem::path tests = CLEAVE_TEST_DIR;
    std::vector<std::filesystem::path> models;
    for (const char* file : {"zoo/static.pt2", "zoo/lightgcn.pt2", "zoo/training.pt2", "zoo/linkx.pt2", "nothing.pt2"})
        models.push_back(tests / "models" / file);
    for (const char* folder : {"hostile", "adversarial"})
        for (const auto& file : std::filesystem::directory_iterator(tests / "models" / folder))
            if (file.path().extension() == ".pt2")
                models.push_back(file.path());
    for (const std::filesystem::path& file : models)
        try {
            openModel(file, {.roles = {}, .check = false});
        } catch (const Error& error) {
            sentences.insert(error.what());
        }
    const QTemporaryDir copies;
    for (const char* format : {"csv", "dot", "graphml", "mtx", "npz", "txt"})
        for (const auto& file : std::filesystem::directory_iterator(tests / "graphs/corpus" / format)) {
            const std::filesystem::path copy = std::filesystem::path(copies.path().toStdString()) / (file.path().filename().string() + "." + format);
            std::filesystem::copy_file(file.path(), copy);
            try {
                readGraph(copy);
            } catch (const Error& error) {
                sentences.insert(error.what());
            }
        }
    sentences.erase("");
    QVERIFY(sentences.size() > 150);
    QStringList unknown;
    for (const std::string& sentence : sentences)
        if (const QString text = fromCore(sentence); !isChinese(text) || text.contains(QRegularExpression(QStringLiteral("([a-z]{2,} ){4}"))))
            unknown.append(text);
    QVERIFY2(unknown.isEmpty(), qPrintable(unknown.mid(0, 10).join(u'\n')));
    QCOMPARE(fromCore(QStringLiteral("Something else.")), QStringLiteral("Something else."));
}

void WindowTest::wrongFileIsOneSentenceInTheMessageBar()
{
    MainWindow window;
    open(window, "gcn.pt2");
    window.document().openModel(example("cora.npz"));
    QTRY_VERIFY_WITH_TIMEOUT(window.messageBar().isVisible(), patience);
    QVERIFY(window.messageBar().text().endsWith(QLatin1Char('.')));
    QVERIFY(window.document().model() != nullptr);
}

// As from "cleave gcn.pt2 nothing.npz": the graph fails long before the model is read.
void WindowTest::anErrorStaysUntilSomethingNewIsTried()
{
    MainWindow window;
    window.document().open(example("sage.pt2"));
    window.document().open(QStringLiteral("/nonexistent.npz"));
    QTRY_VERIFY_WITH_TIMEOUT(window.document().model() && !window.document().isBusy() && !window.graphView().isLayingOut(), patience);
    QVERIFY2(window.messageBar().isVisibleTo(&window) && window.messageBar().text().contains(QStringLiteral("nonexistent")),
             qPrintable(window.messageBar().text()));
    PlanEditor& editor = window.document().planEditor();
    QVERIFY(editor.moveOps({opNamed(window, "linear_3")}, Position::pre(2)));
    QVERIFY(window.messageBar().isVisibleTo(&window));
    QVERIFY(!editor.moveOps({opNamed(window, "linear_3")}, Position::pre(0)));
    QVERIFY(window.messageBar().text().contains(QStringLiteral("linear_3")));
    editor.history().undo();
    QVERIFY(!window.messageBar().isVisibleTo(&window));  // that it cannot be moved there is no news any more

    window.document().open(QStringLiteral("/nonexistent.npz"));
    QTRY_VERIFY_WITH_TIMEOUT(window.messageBar().isVisibleTo(&window), patience);
    openGraph(window);
    QVERIFY(!window.messageBar().isVisibleTo(&window));
    editor.history().setClean();
}

void WindowTest::degreesAreBars()
{
    MainWindow window;
    open(window, "gcn.pt2");
    auto* chart = window.findChild<DegreeChart*>();
    QVERIFY(chart && !chart->isVisible());
    openGraph(window);
    QTRY_VERIFY_WITH_TIMEOUT(chart->isVisible(), patience);
    const DegreeSummary degrees = *window.document().degrees();
    for (std::size_t bin = 0; bin < degrees.histogram.size(); ++bin) {
        QVERIFY(QRectF(chart->rect()).contains(chart->bar(bin)) || degrees.histogram[bin] == 0);
        for (std::size_t other = 0; other < bin; ++other)
            QVERIFY(!chart->bar(bin).intersects(chart->bar(other)) &&
                    (degrees.histogram[bin] <= degrees.histogram[other] || chart->bar(bin).height() > chart->bar(other).height()));
    }
    const QStringList texts = degreeTexts(degrees);
    QCOMPARE(static_cast<std::size_t>(texts.size()), degrees.histogram.size());
    QVERIFY2(texts[2] == QStringLiteral("in-degree 2 to 3: %1 nodes").arg(countText(degrees.histogram[2])), qPrintable(texts[2]));
    QVERIFY(chart->accessibleDescription().contains(texts[2]));
    QVERIFY(htmlReport(window.document(), window.graphView().svg()).contains(texts[2]));
}

void WindowTest::bandsAreNamedInASmallPicture()
{
    MainWindow window;
    window.resize(1400, 900);
    open(window, "jk.pt2");
    GraphView& view = window.graphView();
    view.setZoom(0.5 * textDetail);
    const LayoutResult& layout = view.picture()->layout;
    std::vector<QRect> bands;
    for (const LayoutBand& band : layout.bands)
        bands.push_back(view.mapFromScene(QRectF(layout.bounds.left, band.top, layout.bounds.width(), band.bottom - band.top)).boundingRect());
    const QImage drawn = view.viewport()->grab().toImage();
    const QColor background = drawn.pixelColor(2, 2);
    int named = 0;
    for (const QRect& band : bands) {  // something is written beside it
        bool isWritten = false;
        for (int y = std::max(0, band.top()); y < std::min(drawn.height(), band.top() + view.fontMetrics().height()); ++y)
            for (int x = std::max(0, band.left() - 100); x < band.left() - 6; ++x)
                isWritten = isWritten || drawn.pixelColor(x, y) != background;
        named += isWritten ? 1 : 0;
    }
    QVERIFY2(named >= 3, qPrintable(QString::number(named)));
}

void WindowTest::rightClickMovesNothing()
{
    MainWindow window;
    open(window, "jk.pt2");
    GraphView& view = window.graphView();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    QCoreApplication::processEvents();
    view.setZoom(4);
    const QPointF box = view.mapToScene(place(view, boxOf(window, "linear_1")));
    view.centerOn(box + QPointF(0, view.viewport()->height() / 8.0));  // the upper edge of the view cuts it
    const QPoint at = view.mapFromScene(box) + QPoint(0, 4);
    QVERIFY2(std::abs(at.y()) < 8, qPrintable(QString::number(at.y())));
    QTimer::singleShot(0, &window, [] { QTest::keyClick(QApplication::activePopupWidget(), Qt::Key_Escape); });
    QContextMenuEvent event(QContextMenuEvent::Mouse, at, view.viewport()->mapToGlobal(at));
    QApplication::sendEvent(view.viewport(), &event);
    QVERIFY(view.selectedBox() != nullptr);
    const QPoint moved = view.mapFromScene(box) + QPoint(0, 4) - at;
    // roundings of a view that the inspector makes smaller
    QVERIFY2(moved.manhattanLength() <= 20, qPrintable(QStringLiteral("%1, %2").arg(moved.x()).arg(moved.y())));
}

// A box or a cut at the edge of the view is selected where it is: a second click, or the rest of a drag, meets it there.
void WindowTest::aPressOfTheMouseNeverScrolls()
{
    MainWindow window;
    open(window, "jk.pt2");
    GraphView& view = window.graphView();
    view.setZoom(1.6);
    QTest::qWait(50);  // scroll bars come in their own time
    const auto offset = [&] { return QPoint(view.horizontalScrollBar()->value(), view.verticalScrollBar()->value()); };
    const int bottom = view.viewport()->height();

    const int last = view.cuts().back();
    const QRectF cut = view.graphScene().cutRect(last);
    const double boxless = cut.right() - 4;
    view.centerOn(boxless - 60, cut.center().y());
    view.verticalScrollBar()->setValue(view.verticalScrollBar()->value() + view.mapFromScene(cut.center()).y() - (bottom - 8));
    const QPoint line = view.mapFromScene(QPointF(boxless, cut.center().y()));
    QVERIFY(view.viewport()->rect().contains(line) && line.y() > bottom - 12);
    QPoint before = offset();
    QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, line);
    QCOMPARE(view.selectedCut(), std::optional(last));
    QCOMPARE(offset(), before);
    QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, line);  // again
    QCOMPARE(offset(), before);
    view.selectCut(std::nullopt);
    QTest::mousePress(view.viewport(), Qt::LeftButton, {}, line);
    QTest::mouseMove(view.viewport(), line - QPoint(0, 14));
    QVERIFY(view.drag());
    QCOMPARE(offset(), before);
    QTest::qWait(200);
    QCOMPARE(offset(), before);  // it began in the zone that scrolls
    QTest::keyClick(&view, Qt::Key_Escape);
    QTest::mouseRelease(view.viewport(), Qt::LeftButton, {}, line - QPoint(0, 14));
    view.selectCut(std::nullopt);
    view.selectCut(last);  // by keys or tables it is brought into sight
    QVERIFY(offset() != before);
    view.selectCut(std::nullopt);

    const auto& shown = view.picture()->dag.boxes;
    const DagKey module = std::ranges::find(shown.rbegin(), shown.rend(), BoxKind::Module, [](const DagBox& box) { return box.key.kind; })->key;
    const QRectF box = view.graphScene().boxRect(view.picture()->dag.find(module));
    view.centerOn(box.center());
    view.verticalScrollBar()->setValue(view.verticalScrollBar()->value() + view.mapFromScene(box.topLeft()).y() - (bottom - 24));
    const QPoint corner(view.mapFromScene(box.center()).x(), bottom - 4);
    QVERIFY(view.viewport()->rect().contains(corner));
    before = offset();
    QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, corner);
    QCOMPARE(view.selection(), std::optional(module));
    QCOMPARE(offset(), before);
    const std::size_t boxes = view.picture()->dag.boxes.size();
    QTest::mouseDClick(view.viewport(), Qt::LeftButton, {}, corner);
    QTRY_VERIFY_WITH_TIMEOUT(!view.isLayingOut() && view.picture()->dag.boxes.size() > boxes, patience);
}

// Nothing of what a drag shows is left where it was, whatever the zoom.
void WindowTest::draggingOutOfTheViewLeavesNothing()
{
    MainWindow window;
    openWithCosts(window, "sage.pt2");
    GraphView& view = window.graphView();
    const auto onScreen = [&] {
        QTest::qWait(30);
        return window.screen()->grabWindow(window.winId()).copy(QRect(view.viewport()->mapTo(&window, QPoint()), view.viewport()->size())).toImage();
    };
    for (const double zoom : {0.31, 0.37, 0.57, 0.83, 1.13, 1.7}) {
        view.setZoom(zoom);
        view.centerOn(view.sceneRect().center());
        const QPoint from = place(view, boxOf(window, "linear_3"));
        QVERIFY(view.viewport()->rect().contains(from));
        const int height = view.viewport()->height(), width = view.viewport()->width();
        QTest::mousePress(view.viewport(), Qt::LeftButton, {}, from);
        for (const QPoint& to : {from + QPoint(30, 40), QPoint(from.x(), height - 40), QPoint(width / 2, height + 60), QPoint(width + 90, height / 2),
                                 QPoint(width / 2, -40), QPoint(-60, height / 3)}) {
            QTest::mouseMove(view.viewport(), to);
            QTest::qWait(40);
            const QImage seen = onScreen();
            QVERIFY(view.drag());
            if (view.viewport()->rect().adjusted(0, 30, 0, -30).contains(to)) {
                view.viewport()->update();
                QVERIFY2(onScreen() == seen, qPrintable(QStringLiteral("at %1, %2 of zoom %3").arg(to.x()).arg(to.y()).arg(zoom)));
            }
        }
        QTest::keyClick(&view, Qt::Key_Escape);
        QTest::mouseRelease(view.viewport(), Qt::LeftButton, {}, QPoint(-60, height / 3));
        const QImage after = onScreen();
        view.viewport()->update();
        QVERIFY2(onScreen() == after, qPrintable(QStringLiteral("after zoom %1").arg(zoom)));
    }
}

void WindowTest::aDragScrollsWhileThePointerRests()
{
    MainWindow window;
    openWithCosts(window, "sage.pt2");
    GraphView& view = window.graphView();
    view.setZoom(1.6);
    QScrollBar& bar = *view.verticalScrollBar();
    view.centerOn(view.mapToScene(place(view, boxOf(window, "linear_3"))));
    const QPoint from = place(view, boxOf(window, "linear_3")), edge(from.x(), 10);
    QTest::mousePress(view.viewport(), Qt::LeftButton, {}, from);
    QTest::mouseMove(view.viewport(), from - QPoint(0, 30));
    QTest::mouseMove(view.viewport(), edge);
    QVERIFY(view.drag());
    const int begun = bar.value();
    QTRY_VERIFY(bar.value() < begun - 100);  // and nobody moves the mouse
    QTRY_COMPARE(bar.value(), bar.minimum());
    QTest::mouseMove(view.viewport(), QPoint(edge.x(), view.viewport()->height() - 10));
    QTRY_VERIFY(bar.value() > bar.minimum() + 100);
    QTest::mouseMove(view.viewport(), view.viewport()->rect().center());
    const int ended = bar.value();
    QTest::qWait(150);
    QCOMPARE(bar.value(), ended);
    QTest::keyClick(&view, Qt::Key_Escape);
    QTest::mouseRelease(view.viewport(), Qt::LeftButton, {}, edge);
}

void WindowTest::aWrongCutIsNotKept()
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
    QVERIFY(!window.document().isBusy() && !window.document().canRun());
    QVERIFY(!window.windowTitle().contains(QStringLiteral("wrong")));
}

void WindowTest::droppedFileIsOpened()
{
    MainWindow window;
    window.show();
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(example("sage.pt2"))});
    QDragEnterEvent enter(QPoint(200, 200), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&window, &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent drop(QPointF(200, 200), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&window, &drop);
    QTRY_VERIFY_WITH_TIMEOUT(window.document().model() != nullptr, patience);
}

void WindowTest::exportsPicture()
{
    MainWindow window;
    open(window, "gcn.pt2");
    QTemporaryDir folder;
    for (const char* name : {"a.svg", "a.pdf", "a.png", "a.dot", "a.html"}) {
        const QString path = folder.filePath(QLatin1String(name));
        window.exportTo(path);
        QVERIFY2(QFileInfo(path).size() > 1000, name);
        QCOMPARE(window.statusBar()->currentMessage(), QStringLiteral("Written: %1.").arg(path));
    }
    QVERIFY(!window.messageBar().isVisible());
    window.exportTo(folder.filePath(QStringLiteral("a.doc")));
    QVERIFY(window.messageBar().text().contains(QStringLiteral(".csv")));
    window.exportTo(folder.filePath(QStringLiteral("a.txt")));
    QVERIFY(window.messageBar().text().contains(QStringLiteral("open one first")));
    window.exportTo(folder.filePath(QStringLiteral("a.npz")));
    QVERIFY(window.messageBar().text().contains(QStringLiteral("run the model")));
    window.exportTo(folder.filePath(QStringLiteral("none/a.svg")));
    QVERIFY(window.messageBar().text().contains(QStringLiteral("cannot be written")));
    QCOMPARE(QDir(folder.path()).entryList(QDir::Files).size(), 5);
    openGraph(window);
    window.document().runLayerWise();
    QTRY_VERIFY_WITH_TIMEOUT(window.document().report().run() != nullptr && !window.document().isBusy(), patience);
    window.exportTo(folder.filePath(QStringLiteral("a.npy")));
    QCOMPARE(readNpy(folder.filePath(QStringLiteral("a.npy")).toStdString()).shape[0], 2708);
    // outputs recorded as one array are compared with
    window.document().openExpected(folder.filePath(QStringLiteral("a.npy")));
    QTRY_VERIFY_WITH_TIMEOUT(!window.document().expectedPath().isEmpty(), patience);
    window.document().verify();
    QTRY_VERIFY_WITH_TIMEOUT(window.document().report().verify.has_value(), patience);
    QVERIFY(window.document().report().verify->equal());
    QCOMPARE(window.document().report().verify->comparisons.back().b, std::string("expected"));
    // What is none of the model's outputs leaves them, another graph and the menu do not.
    const QString expected = window.document().expectedPath();
    window.document().openExpected(example("cora.npz"));
    QTRY_VERIFY_WITH_TIMEOUT(window.messageBar().text().contains(QStringLiteral("no array named expected")), patience);
    QCOMPARE(window.document().expectedPath(), expected);
    const auto close = [&] {
        for (QAction* action : window.findChildren<QAction*>())
            if (action->text() == QStringLiteral("Close expected outputs"))
                return action;
        return static_cast<QAction*>(nullptr);
    };
    QVERIFY(close() != nullptr && close()->isEnabled());
    close()->trigger();
    QVERIFY(window.document().expectedPath().isEmpty() && window.document().options().expected.empty() && !close()->isEnabled());
    window.document().openExpected(expected);
    QTRY_COMPARE_WITH_TIMEOUT(window.document().expectedPath(), expected, patience);
    window.document().openKarateClub();
    QVERIFY(window.document().expectedPath().isEmpty() && window.document().options().expected.empty());
}

void WindowTest::filesThatBecomeShorterAreTold()
{
    outliveLostPages();  // as the program does
    QTemporaryDir folder;
    const std::filesystem::path path = folder.path().toStdString();
    const DataGraph cora = readGraph(example("cora.npz").toStdString());
    const auto write = [&] {
        for (const char* name : {"x", "edge_index"})
            writeNpy(path / (std::string(name) + ".npy"), cora.arrays.at(name));
    };
    write();
    MainWindow window;
    window.document().open(example("sage.pt2"));
    QTRY_VERIFY_WITH_TIMEOUT(window.document().model() != nullptr && !window.document().isBusy(), patience);
    window.document().openGraph(folder.path());
    QTRY_VERIFY_WITH_TIMEOUT(window.document().graph() != nullptr && window.document().canRun(), patience);
    for (const char* name : {"x.npy", "edge_index.npy"})
        std::filesystem::resize_file(path / name, 1000);
    window.document().runLayerWise();
    QTRY_VERIFY_WITH_TIMEOUT(window.messageBar().text().contains(QStringLiteral("has changed since it was read")), patience);
    QTRY_VERIFY(!window.document().isBusy());
    QVERIFY(window.document().report().run() == nullptr);
    // Read again while they are too short, and once they are whole.
    window.document().reload();
    QTRY_VERIFY_WITH_TIMEOUT(!window.document().isBusy(), patience);
    QVERIFY(!window.messageBar().text().isEmpty());
    write();
    window.document().reload();
    QTRY_VERIFY_WITH_TIMEOUT(!window.document().isBusy() && window.document().canRun(), patience);
    window.document().runLayerWise();
    QTRY_VERIFY_WITH_TIMEOUT(window.document().report().run() != nullptr, patience);
}

void WindowTest::writesOverNothingThatIsOpen()
{
    QTemporaryDir folder;
    const QString model = folder.filePath(QStringLiteral("gcn.pt2")), graph = folder.filePath(QStringLiteral("cora.npz"));
    QVERIFY(QFile::copy(example("gcn.pt2"), model) && QFile::copy(example("cora.npz"), graph));
    const qint64 modelSize = QFileInfo(model).size(), graphSize = QFileInfo(graph).size();
    MainWindow window;
    window.document().open(model);
    QTRY_VERIFY_WITH_TIMEOUT(window.document().model() != nullptr, patience);
    window.document().open(graph);
    QTRY_VERIFY_WITH_TIMEOUT(window.document().graph() != nullptr && window.document().canRun(), patience);
    window.document().runLayerWise();
    QTRY_VERIFY_WITH_TIMEOUT(window.document().report().run() != nullptr && !window.document().isBusy(), patience);
    window.exportTo(graph);
    QVERIFY2(window.messageBar().text().contains(QStringLiteral("would be replaced")), qPrintable(window.messageBar().text()));
    QVERIFY(!window.document().savePlan(model));
    QCOMPARE(QFileInfo(model).size(), modelSize);
    QCOMPARE(QFileInfo(graph).size(), graphSize);
}

// The text of a PDF's pages.
QByteArray pdfContent(const QByteArray& pdf)
{
    QByteArray content;
    for (qsizetype at = pdf.indexOf("stream\n"); at >= 0; at = pdf.indexOf("stream\n", at + 1)) {
        const QByteArray stream = pdf.mid(at + 7, pdf.indexOf("endstream", at + 7) - at - 7);
        if (stream.startsWith('\x78'))  // of zlib; Qt wants the length before it
            content += qUncompress(QByteArray("\x00\x40\x00\x00", 4) + stream);
    }
    return content;
}

// Background, levels, legend and the size of texts, from a dark window with a cut selected.
void WindowTest::exportsAreMadeForPaper()
{
    applyTheme(*qApp, Theme::Dark);
    const auto light = qScopeGuard([] { applyTheme(*qApp, Theme::Light); });
    MainWindow window;
    open(window, "gcn.pt2");
    window.graphView().selectCut(0);
    const GraphColors colors(paperPalette());
    QVERIFY(colors.background != GraphColors(window.palette()).background);
    const QTemporaryDir folder;
    const auto written = [&](const char* name) {
        const QString path = folder.filePath(QLatin1String(name));
        window.exportTo(path);
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    };
    const QByteArray svg = written("a.svg");
    QVERIFY(svg.contains(colors.background.name().toLatin1()));
    QVERIFY(svg.contains(colors.level(0, 2).name().toLatin1()));
    QVERIFY(svg.contains("Message degree") && svg.contains("V: node rows"));
    QVERIFY(!svg.contains(colors.selection.name().toLatin1()));
    QVERIFY(window.graphView().selectedCut() == 0);
    const QImage png = QImage::fromData(written("a.png"));
    QCOMPARE(png.pixelColor(1, 1), colors.background);
    static const QRegularExpression widthOf(QStringLiteral("<svg width=\"([0-9.]+)(mm|cm)?\""));
    const double width = widthOf.match(QString::fromUtf8(svg)).captured(1).toDouble() * 96 / 25.4;
    QVERIFY2(std::abs(width - png.width() / 2.0) < 0.02 * width, qPrintable(QStringLiteral("%1 %2").arg(width).arg(png.width())));

    const QByteArray dot = written("a.dot");
    QVERIFY(dot.contains(dotFill(0, 2).c_str()) && dot.contains(dotFill(2, 2).c_str()));

    QPrinter printer(QPrinter::HighResolution);
    printer.setOutputFormat(QPrinter::PdfFormat);
    printer.setOutputFileName(folder.filePath(QStringLiteral("printed.pdf")));
    window.graphView().print(printer);
    QFile printed(printer.outputFileName());
    QVERIFY(printed.open(QIODevice::ReadOnly));
    for (const QByteArray& pdf : {written("a.pdf"), printed.readAll()}) {
        static const QRegularExpression colour(QStringLiteral("([0-9.]+) ([0-9.]+) ([0-9.]+) scn"));
        const QRegularExpressionMatch first = colour.match(QString::fromLatin1(pdfContent(pdf)));
        QVERIFY(first.hasMatch());
        const QColor filled = QColor::fromRgbF(first.captured(1).toFloat(), first.captured(2).toFloat(), first.captured(3).toFloat());
        QVERIFY2(std::abs(filled.red() - colors.background.red()) <= 1 && std::abs(filled.blue() - colors.background.blue()) <= 1,
                 qPrintable(filled.name()));
        // Letters of the size that the boxes were made for: as many units of the page as on the screen.
        static const QRegularExpression letters(QStringLiteral("/F[0-9]+ ([0-9.]+) Tf"));
        const QRegularExpressionMatch type = letters.match(QString::fromLatin1(pdfContent(pdf)));
        QVERIFY2(type.hasMatch() && type.captured(1).toDouble() < 40, qPrintable(type.captured(1)));
    }
}

// One at a time; what it proposes belongs to the model that is open.
void WindowTest::fileDialogsLeaveTheWindowFree()
{
    MainWindow window;
    open(window, "gcn.pt2");
    const auto dialogs = [&] {
        QList<QFileDialog*> open;
        for (auto* dialog : window.findChildren<QFileDialog*>())
            if (dialog->isVisible())
                open.append(dialog);
        return open;
    };
    QTest::keyClick(&window, Qt::Key_S, Qt::ControlModifier);
    QCOMPARE(dialogs().size(), 1);
    QVERIFY(!dialogs().front()->isModal());
    QCOMPARE(dialogs().front()->defaultSuffix(), QStringLiteral("cleave.json"));
    QVERIFY(window.document().planEditor().moveOps({opNamed(window, "relu")}, Position::pre(2)) ||
            window.document().planEditor().history().count() == 0);
    QTest::keyClick(&window, Qt::Key_O, Qt::ControlModifier);
    QCOMPARE(dialogs().size(), 1);
    QTest::keyClick(&window, Qt::Key_S, Qt::ControlModifier);
    QCOMPARE(dialogs().size(), 1);
    window.document().planEditor().history().setClean();
    window.document().open(example("sage.pt2"));
    QTRY_VERIFY_WITH_TIMEOUT(window.document().modelPath().endsWith(QStringLiteral("/sage.pt2")), patience);
    QTRY_VERIFY_WITH_TIMEOUT(dialogs().isEmpty() && !window.document().isBusy(), patience);
    window.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    QTest::keyClick(&window, Qt::Key_S, Qt::ControlModifier);
    QCOMPARE(dialogs().size(), 1);
    const QTemporaryDir folder;
    QFileDialog* dialog = dialogs().front();
    dialog->setOption(QFileDialog::DontUseNativeDialog);
    dialog->selectFile(folder.filePath(QStringLiteral("mine")));
    dialog->findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Save)->click();
    QTRY_VERIFY(QFileInfo::exists(folder.filePath(QStringLiteral("mine.cleave.json"))));
}

// The program's own folder is none to keep files in.
void WindowTest::fileDialogsBeginWhereOneWorks()
{
    const QTemporaryDir folder;
    const QString mine = QDir(folder.path()).canonicalPath();
    QVERIFY(QFile::copy(example("gcn.pt2"), mine + QStringLiteral("/gcn.pt2")));
    const auto begins = [](MainWindow& window) {
        window.activateWindow();
        if (!QTest::qWaitForWindowActive(&window))
            return QString();
        QTest::keyClick(&window, Qt::Key_O, Qt::ControlModifier);
        auto* dialog = window.findChild<QFileDialog*>();
        const QString at = dialog == nullptr ? QString() : dialog->directory().canonicalPath();
        delete dialog;
        return at;
    };
    QSettings().remove(QStringLiteral("folder"));
    MainWindow window;
    open(window, "sage.pt2");
    QCOMPARE(begins(window), QDir::current().canonicalPath());
    QTest::keyClick(&window, Qt::Key_O, Qt::ControlModifier);
    auto* dialog = window.findChild<QFileDialog*>();
    Q_EMIT dialog->fileSelected(mine + QStringLiteral("/gcn.pt2"));
    delete dialog;
    QTRY_VERIFY_WITH_TIMEOUT(window.document().modelPath().startsWith(mine), patience);
    QCOMPARE(begins(window), mine);
    open(window, "sage.pt2");
    QCOMPARE(begins(window), mine);
    QSettings().remove(QStringLiteral("folder"));
}

void WindowTest::profileGraphsAreDrawnByStage()
{
    MainWindow window;
    window.show();
    GraphView& view = window.graphView();
    window.document().open(QStringLiteral(CLEAVE_TEST_DIR "/graphs/corpus/profile/no_stages"));
    QTRY_VERIFY_WITH_TIMEOUT(view.picture() != nullptr, patience);
    QVERIFY(view.picture()->dag.bands.at(0).isHidden);
    QCOMPARE(view.picture()->dag.boxes.size(), 2U);
    window.document().open(QStringLiteral(CLEAVE_TEST_DIR "/graphs/corpus/profile/stages"));
    QTRY_VERIFY_WITH_TIMEOUT(view.picture() != nullptr && view.picture()->dag.bands.size() == 4, patience);
    QVERIFY(!window.document().model());
    QVERIFY(!window.document().canRun());
    const DagModel& dag = view.picture()->dag;
    QCOMPARE(QString::fromStdString(dag.bands[3].name), QStringLiteral("Stage 3"));
    QCOMPARE(dag.bands[1].strip.crossing.size(), 1U);
    QCOMPARE(dag.bands[2].strip.crossing.size(), 2U);
    // Found by what it is, and shown with its figures.
    const std::vector<OpId> found = view.find(QStringLiteral("embedding"));
    QCOMPARE(found.size(), 1U);
    view.showOp(found.front());
    QVERIFY(view.selectedBox() != nullptr);
    QCOMPARE(QString::fromStdString(view.selectedBox()->title), QStringLiteral("Embedding"));
    QCOMPARE(QString::fromStdString(view.selectedBox()->shape), QStringLiteral("6.40\u00A0kB"));
    const Inspection inspection = window.document().viewed()->inspect(*view.selectedBox());
    QCOMPARE(inspection.kind, QStringLiteral("Node in stage 0"));
    QCOMPARE(inspection.sections.at(1).properties.at(1).value, QStringLiteral("node5 (LSTM), node9 (Linear)"));
    // A picture and DOT can be written, a report cannot.
    QTemporaryDir folder;
    for (const char* name : {"a.svg", "a.dot"}) {
        window.exportTo(folder.filePath(QLatin1String(name)));
        QVERIFY2(QFileInfo(folder.filePath(QLatin1String(name))).size() > 500, name);
    }
    QVERIFY(!window.messageBar().isVisible());
    window.exportTo(folder.filePath(QStringLiteral("a.html")));
    QVERIFY(window.messageBar().text().contains(QStringLiteral("no plan")));
    // A model takes its place, and what was selected in it is nothing in the next file.
    open(window, "gat.pt2");
    QVERIFY(!window.document().viewed());
    view.expandAll();
    QTRY_VERIFY_WITH_TIMEOUT(!view.isLayingOut(), patience);
    view.showOp(view.find(QStringLiteral("add_5")).front());
    QVERIFY(view.selectedBox() != nullptr);
    window.document().open(QStringLiteral(CLEAVE_TEST_DIR "/graphs/corpus/profile/no_stages"));
    QTRY_VERIFY_WITH_TIMEOUT(window.document().viewed() != nullptr, patience);
    open(window, "gcn.pt2");
    window.document().open(QStringLiteral(CLEAVE_TEST_DIR "/graphs/corpus/profile/cycle"));
    QTRY_VERIFY_WITH_TIMEOUT(window.messageBar().text().contains(QStringLiteral("cycle")), patience);
    QVERIFY(window.document().model() != nullptr);
}

// So that it can be seen what stands in the way.
void WindowTest::aRefusedModelIsDrawn()
{
    MainWindow window;
    window.show();
    GraphView& view = window.graphView();
    const QString refused = QStringLiteral(CLEAVE_TEST_DIR "/models/adversarial/neighbours_by_features.pt2");
    window.document().open(refused);
    QTRY_VERIFY_WITH_TIMEOUT(view.picture() != nullptr && !window.document().isBusy() && view.selectedBox() != nullptr, patience);
    QVERIFY(window.messageBar().isVisible() && window.messageBar().text().contains(QStringLiteral("cdist")));
    QCOMPARE(QString::fromStdString(view.selectedBox()->title), QStringLiteral("cdist"));
    QCOMPARE(view.picture()->dag.boxes.size(), 8U);  // five ops, two inputs, an output
    const Inspection inspection = window.document().viewed()->inspect(*view.selectedBox());
    QCOMPARE(inspection.kind, QStringLiteral("Operator"));
    QCOMPARE(inspection.sections.front().properties.size(), 1U);
    QVERIFY(!window.document().model() && !window.document().canRun());
    QCOMPARE(view.find(QStringLiteral("topk")).size(), 1U);
    view.expandAll();
    QTRY_VERIFY_WITH_TIMEOUT(!view.isLayingOut(), patience);
    QTemporaryDir folder;
    for (const char* name : {"a.svg", "a.dot"}) {
        window.exportTo(folder.filePath(QLatin1String(name)));
        QFile written(folder.filePath(QLatin1String(name)));
        QVERIFY2(written.open(QIODevice::ReadOnly) && written.readAll().contains("cdist"), name);
    }
    // A graph has it tried again; it does not take the place of a model; and nothing is drawn of what holds no program.
    openGraph(window);
    QTRY_VERIFY_WITH_TIMEOUT(!window.document().isBusy() && window.document().viewed(), patience);
    open(window, "gcn.pt2");
    QVERIFY(!window.document().viewed());
    window.document().open(refused);
    QTRY_VERIFY_WITH_TIMEOUT(window.messageBar().isVisible() && !window.document().isBusy(), patience);
    QVERIFY(window.document().model() && !window.document().viewed());
    MainWindow other;
    other.show();
    QFile broken(folder.filePath(QStringLiteral("broken.pt2")));
    QVERIFY(broken.open(QIODevice::WriteOnly) && broken.write("PK") == 2);
    broken.close();
    other.document().open(broken.fileName());
    QTRY_VERIFY_WITH_TIMEOUT(other.messageBar().isVisible() && !other.document().isBusy(), patience);
    QVERIFY(!other.document().viewed() && other.messageBar().text().contains(QStringLiteral("broken.pt2")));
}

void WindowTest::plansAreWrittenAsProfileGraphs()
{
    MainWindow window;
    openWithCosts(window, "sage.pt2");
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("sage.txt"));
    window.exportTo(path);
    QTRY_VERIFY_WITH_TIMEOUT(QFileInfo::exists(path), patience);
    QTRY_VERIFY_WITH_TIMEOUT(!window.document().isBusy(), patience);
    const std::size_t functions = window.document().planEditor().plannedModel()->cut->functions.size();
    window.document().open(path);
    QTRY_VERIFY_WITH_TIMEOUT(window.document().viewed() != nullptr, patience);
    QCOMPARE(dynamic_cast<const StagedModel&>(*window.document().viewed()).graph().stages.size(), functions + 1);
}

void WindowTest::reportsCompareThePlans()
{
    MainWindow window;
    openWithCosts(window, "sage.pt2");
    PlanEditor& editor = window.document().planEditor();
    window.document().verify();
    QTRY_VERIFY_WITH_TIMEOUT(window.document().report().verify.has_value(), patience);
    const QString html = htmlReport(window.document(), window.graphView().svg());
    for (const char* part :
         {"This plan", "against this plan", "Message degree", "Node-wise", "Function 2", "linear_3", "Verification", "<svg", "cora.npz"})
        QVERIFY2(html.contains(QLatin1String(part)), part);
    for (const char* part :
         {"batches of 2,708 nodes", "assumed, not measured", "equal, within absolute 1e-05 and relative 0.0001", "LibTorch", "oneDNN"})
        QVERIFY2(html.contains(QLatin1String(part)), part);
    QXmlStreamReader xml(
        html.mid(html.indexOf(QStringLiteral("<svg")), html.indexOf(QStringLiteral("</svg>")) + 6 - html.indexOf(QStringLiteral("<svg"))));
    while (!xml.atEnd())
        xml.readNext();
    QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
    const QStringList lines = csvReport(window.document()).split(QStringLiteral("\r\n"), Qt::SkipEmptyParts);
    QCOMPARE(lines.size(), 1 + 4 * 3 - 1 + 2);  // this plan and three planners of three functions, but for one that does nothing; two of one
    double seconds = 0;
    for (const QString& line : lines.mid(1)) {
        double all = 0;
        for (int column = 2; column < 6; ++column)
            all += line.section(u',', column, column).toDouble();
        QVERIFY2(all > 0, qPrintable(line));
        if (line.startsWith(QStringLiteral("\"This plan\"")))
            seconds += all;
    }
    QVERIFY(std::abs(seconds - editor.cost()->seconds()) < 1e-6 * seconds);
}

void WindowTest::codeFollowsThePlan()
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

void WindowTest::randomFeaturesAreChosenAndSaid()
{
    MainWindow window;
    open(window, "gcn.pt2");
    QTemporaryDir folder;
    RmatOptions options;
    options.scale = 5;
    options.features = 0;
    writeGraph(folder.filePath(QStringLiteral("bare.txt")).toStdString(), generateRmat(options));
    window.document().open(folder.filePath(QStringLiteral("bare.txt")));
    QTRY_VERIFY_WITH_TIMEOUT(window.document().graph() != nullptr, patience);
    window.document().verify();
    QTRY_VERIFY_WITH_TIMEOUT(window.messageBar().isVisible() && !window.document().isBusy(), patience);
    for (QAction* action : window.findChildren<QAction*>())
        if (action->text().startsWith(QLatin1String("Random")))
            action->trigger();
    window.document().verify();
    QTRY_VERIFY_WITH_TIMEOUT(window.document().report().verify.has_value(), patience);
    QVERIFY(window.document().report().verify->equal());
    QVERIFY(window.findChild<ResultPanel*>()->summary().contains(QLatin1String("RANDOM")));
}

// Where costs need them, by a button.
void WindowTest::randomFeaturesAreOffered()
{
    MainWindow window;
    open(window, "gcn.pt2");
    const QTemporaryDir folder;
    writeGraph(folder.filePath(QStringLiteral("bare.txt")).toStdString(), generateRmat({.scale = 5, .features = 0}));
    window.document().open(folder.filePath(QStringLiteral("bare.txt")));
    QTRY_VERIFY_WITH_TIMEOUT(window.document().graph() != nullptr && !window.document().planEditor().costs().isMeasuring(), patience);
    QPushButton* offered = nullptr;
    for (auto* button : window.planPanel().findChildren<QPushButton*>())
        if (button->text() == QStringLiteral("Take random features"))
            offered = button;
    QVERIFY(offered != nullptr);
    QTRY_VERIFY(offered->isVisible());
    QTest::mouseClick(offered, Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(window.document().planEditor().cost().has_value(), patience);
    QVERIFY(!offered->isVisible());
}

// Where blocks of many hops hold the whole graph, node-wise takes long to count; all else is known before.
void WindowTest::planningIsSeenAndCanBeStopped()
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

void WindowTest::rewritesChangeTheProgramAndAreShown()
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

void WindowTest::dragMovesAnOpAndUndoBringsItBack()
{
    MainWindow window;
    open(window, "sage.pt2");
    openGraph(window);
    window.graphView().fit();
    PlanEditor& editor = window.document().planEditor();
    QTRY_VERIFY_WITH_TIMEOUT(editor.cost().has_value(), patience);
    const Plan before = editor.plan();
    const auto layout = window.graphView().picture()->layout.centres;
    drag(window, "linear_3", Position::pre(2));
    QVERIFY(editor.plan() != before);
    QVERIFY(positionOf(window, "linear_3") == Position::pre(2));
    QVERIFY(window.graphView().picture()->layout.centres == layout);  // boxes stay where they are
    QCOMPARE(editor.history().undoText(), QStringLiteral("Move linear_3 before message passing 2"));
    QVERIFY(window.isWindowModified());
    QVERIFY(editor.cost()->seconds() > 0);
    window.document().verify();
    QTRY_VERIFY_WITH_TIMEOUT(window.document().report().verify.has_value(), patience);
    QVERIFY(window.document().report().verify->equal());
    QVERIFY(window.document().report().verify->layerWise.functions.back().savedBytes > 0);

    QTest::keyClick(&window, Qt::Key_Z, Qt::ControlModifier);
    QVERIFY(editor.plan() == before);
    QVERIFY(!window.isWindowModified());
    QVERIFY(!window.document().report().run());  // it was of another plan
    QTest::keyClick(&window, Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(positionOf(window, "linear_3") == Position::pre(2));
    editor.history().setClean();
}

void WindowTest::illegalMoveSaysWhy()
{
    MainWindow window;
    open(window, "sage.pt2");
    window.graphView().fit();
    const Plan before = window.document().planEditor().plan();
    drag(window, "linear_3", Position::post(0));
    QVERIFY(window.document().planEditor().plan() == before);
    QCOMPARE(window.document().planEditor().history().count(), 0);
    QVERIFY(window.messageBar().isVisible());
    QVERIFY2(window.messageBar().text().contains(QStringLiteral("linear_3")), qPrintable(window.messageBar().text()));
}

void WindowTest::cutsMoveByKeys()
{
    MainWindow window;
    open(window, "sage.pt2");
    openGraph(window);
    GraphView& view = window.graphView();
    PlanEditor& editor = window.document().planEditor();
    QTRY_VERIFY_WITH_TIMEOUT(editor.cost().has_value(), patience);
    const auto* label = view.viewport()->findChild<PlanLabel*>();
    view.setFocus();
    const Plan before = editor.plan();
    const auto press = [&](int key) { QTest::keyClick(&view, static_cast<Qt::Key>(key)); };
    QVERIFY(QTest::qWaitForWindowActive(&window));
    press(Qt::Key_Tab);
    QVERIFY(view.selectedCut() == 0);
    press(Qt::Key_C);
    QVERIFY(view.selectedCut() == 1);
    QCOMPARE(spokenFocus(view), QStringLiteral("Cut 2 saves relu, linear_3"));
    QVERIFY(label->isHidden());
    press(Qt::Key_Up);
    QVERIFY(positionOf(window, "linear_3") == Position::pre(2));
    QCOMPARE(editor.history().count(), 0);  // only looked at
    QVERIFY(!label->isHidden() && view.viewport()->rect().contains(label->geometry()));
    QVERIFY2(label->text().startsWith(QStringLiteral("Cut 2 saves ")) && label->text().contains(secondsText(editor.cost()->seconds())),
             qPrintable(label->text()));
    QCOMPARE(lastAnnouncement().split(QStringLiteral("; ")), label->text().split(QLatin1Char('\n')));
    press(Qt::Key_Escape);
    QVERIFY(label->isHidden());
    QCOMPARE(spokenFocus(view), QStringLiteral("Cut 2 saves relu, linear_3"));
    QVERIFY(editor.plan() == before);
    QVERIFY(view.selectedCut() == 1);
    press(Qt::Key_Up);
    press(Qt::Key_Return);
    QCOMPARE(editor.history().undoText(), QStringLiteral("Move cut 2: no longer save linear_3"));
    QVERIFY(positionOf(window, "linear_3") == Position::pre(2));
    QCOMPARE(lastAnnouncement(), editor.history().undoText());
    editor.history().undo();
    QCOMPARE(lastAnnouncement(), QStringLiteral("Undone: Move cut 2: no longer save linear_3"));
    editor.history().redo();
    press(Qt::Key_Down);
    press(Qt::Key_Return);
    QVERIFY(editor.plan() == before);
    QCOMPARE(editor.history().count(), 2);
    press(Qt::Key_Down);
    QVERIFY(window.messageBar().isVisible());  // there is nothing to move
    QCOMPARE(lastAnnouncement(), window.messageBar().text());
    int places = 0;
    for (Plan last = before; places < 10; ++places, last = editor.shown()) {
        press(Qt::Key_Up);
        if (editor.shown() == last)
            break;
        QVERIFY(!window.messageBar().isVisible());  // the refusal before is past
        QCOMPARE(editor.space()->whyIllegal(editor.shown()), std::string());
    }
    QVERIFY(places >= 2 && places < 10);  // linear_3, then what it reads
    press(Qt::Key_Tab);  // leaves the cuts, and what was looked at is given up
    QVERIFY(!view.selectedCut());
    QVERIFY(editor.plan() == before);
    QVERIFY(label->isHidden());
}

void WindowTest::graphIsAListForScreenReaders()
{
    MainWindow window;
    open(window, "gcn.pt2");
    openGraph(window);
    GraphView& view = window.graphView();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    view.setFocus();
    QAccessibleInterface* graph = QAccessible::queryAccessibleInterface(&view);
    QCOMPARE(graph->role(), QAccessible::List);
    const auto parts = [&] {
        QStringList names;
        for (int i = 0; i < graph->childCount(); ++i) {
            const QAccessibleInterface* part = graph->child(i);
            if (graph->indexOfChild(part) == i && part->parent() == graph && part->isValid())
                names.append(part->text(QAccessible::Name) + QStringLiteral(" – ") + part->text(QAccessible::Description));
        }
        return names;
    };
    QStringList all = parts();
    QCOMPARE(all.size(), static_cast<qsizetype>(view.picture()->dag.boxes.size() + view.cuts().size()));
    QVERIFY2(all.contains(QStringLiteral("linear_1, linear, [V, 7] – Function 1")), qPrintable(all.join(QLatin1Char('\n'))));
    QVERIFY(all.contains(QStringLiteral("linear_1, [V, 7] – save point, Function 1")));
    QVERIFY(all.contains(QStringLiteral("x, [V, 1433] – input")));
    QVERIFY2(all.last().startsWith(QStringLiteral("Cut 2 saves linear_1 – 1 save point, ") + bytesText(28) + QStringLiteral(" × V = ")),
             qPrintable(all.last()));

    // A box by its place on the screen, opened by its action.
    const auto module = std::ranges::find_if(all, [](const QString& text) { return text.startsWith(QStringLiteral("convs.0, GCNConv, 4 ops")); });
    QVERIFY(module != all.end());
    QAccessibleInterface* part = graph->child(static_cast<int>(module - all.begin()));
    const QPoint centre = part->rect().center();
    QCOMPARE(graph->childAt(centre.x(), centre.y()), part);
    QVERIFY(part->state().expandable && part->state().collapsed && !part->state().selected);
    QAccessibleActionInterface* actions = part->actionInterface();
    actions->doAction(QAccessibleActionInterface::setFocusAction());
    QVERIFY(part->state().selected && part->state().focused && graph->focusChild() == part);
    QCOMPARE(spokenFocus(view), part->text(QAccessible::Name));
    actions->doAction(QAccessibleActionInterface::pressAction());
    QTRY_VERIFY_WITH_TIMEOUT(parts().size() == all.size() + 3, patience);  // its four ops for the box

    // The plan beside the picture: what moved says so, with the cut that it left.
    const auto text = [&](const QString& start) {
        const QStringList now = parts();
        const auto found = std::ranges::find_if(now, [&](const QString& of) { return of.startsWith(start); });
        return found == now.end() ? QString() : *found;
    };
    view.selectCut(1);
    view.moveCut(true);
    QVERIFY2(text(QStringLiteral("linear_1, linear")).contains(QStringLiteral("2")), qPrintable(text(QStringLiteral("linear_1, linear"))));
    QVERIFY2(text(QStringLiteral("linear_1, [V, 7]")).contains(QStringLiteral("not saved in this plan")),
             qPrintable(parts().join(QLatin1Char('\n'))));
    QVERIFY(text(QStringLiteral("Cut 2 saves ")).startsWith(QStringLiteral("Cut 2 saves relu")));

    // What paints itself has a role, and results are read out.
    for (const QWidget* widget : window.findChildren<QWidget*>())
        if (const QString name = QString::fromUtf8(widget->metaObject()->className()).section(QStringLiteral("::"), -1);
            QStringList{QStringLiteral("Legend"), QStringLiteral("Ruler"), QStringLiteral("CostBars"), QStringLiteral("BatchCurve"),
                        QStringLiteral("DegreeChart"), QStringLiteral("StoryCanvas")}
                .contains(name)) {
            const QAccessibleInterface* interface = QAccessible::queryAccessibleInterface(const_cast<QWidget*>(widget));
            QVERIFY2(interface->role() == QAccessible::Chart || interface->role() == QAccessible::Graphic, qPrintable(name));
        }
    window.document().runLayerWise();
    QTRY_VERIFY_WITH_TIMEOUT(window.document().report().run() != nullptr, patience);
    QCOMPARE(lastAnnouncement(), window.findChild<ResultPanel*>()->summary());
}

// Keys with Alt that menus, buttons and fields of the window share would do nothing.
void WindowTest::keysWithAltAreUnambiguous()
{
    for (const QString& language : languages()) {
        applyLanguage(*QCoreApplication::instance(), language);
        const auto english = qScopeGuard([] { applyLanguage(*QCoreApplication::instance(), QStringLiteral("en")); });
        MainWindow window;
        QMap<QString, QString> keys;
        const auto check = [&](const QString& text) {
            const QKeySequence key = QKeySequence::mnemonic(text);
            if (key.isEmpty())
                return true;
            const auto known = keys.constFind(key.toString());
            if (known != keys.constEnd() && *known != text) {
                qWarning("%s: '%s' and '%s'", qPrintable(key.toString()), qPrintable(*known), qPrintable(text));
                return false;
            }
            keys.insert(key.toString(), text);
            return true;
        };
        for (const QAction* menu : window.menuBar()->actions())
            QVERIFY(check(menu->text()));
        for (const auto* button : window.findChildren<QAbstractButton*>())
            QVERIFY(check(button->text()));
        for (const auto* label : window.findChildren<QLabel*>())
            if (label->buddy() != nullptr)
                QVERIFY(check(label->text()));
        QVERIFY(keys.size() > 9);
    }
}

// Its rows stay where they are while one is selected, and it keeps what is selected in the window.
void WindowTest::savePointTableStaysInItsPlace()
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

void WindowTest::globalOpsHandOnWhatTheyMake()
{
    MainWindow window;
    window.show();
    window.document().open(QStringLiteral(CLEAVE_TEST_DIR "/models/zoo/gps.pt2"));
    QTRY_VERIFY_WITH_TIMEOUT(window.document().model() && !window.document().isBusy(), patience);
    window.document().open(QStringLiteral(CLEAVE_TEST_DIR "/models/zoo/gps.npz"));
    PlanEditor& editor = window.document().planEditor();
    QTRY_VERIFY_WITH_TIMEOUT(window.document().graph() && editor.cost() && !editor.costs().plans().empty(), patience);
    const auto nodes = static_cast<double>(window.document().graph()->numNodes);
    int made = 0;
    for (const TensorCost& tensor : editor.cost()->tensors) {
        const bool isGlobal = tensor.madeIn >= 0 && editor.cost()->functions[static_cast<std::size_t>(tensor.madeIn)].isGlobal;
        if (!isGlobal || window.document().model()->analysis->values[tensor.tensor].rows != Rows::Nodes)
            continue;
        ++made;
        QCOMPARE(tensor.write.bytes, nodes * bytesPerRow(*window.document().model()->analysis, tensor.tensor));
        for (const TensorRead& read : tensor.reads)
            QVERIFY(read.rows != 'M' || !editor.cost()->functions[static_cast<std::size_t>(read.function)].isGlobal);
    }
    QVERIFY(made > 0);
    // Nothing of it runs together.
    QTRY_VERIFY_WITH_TIMEOUT(!editor.costs().isWorking(), patience);
    QCOMPARE(editor.costs().plans().size(), std::size_t{3});
    for (const int joined : {3, 4})
        QVERIFY(!window.planPanel().planners().at(joined)->isEnabled());
}

void WindowTest::nodeTypesAreToldApart()
{
    MainWindow window;
    window.show();
    window.document().open(QStringLiteral(CLEAVE_TEST_DIR "/models/zoo/to_hetero.pt2"));
    QTRY_VERIFY_WITH_TIMEOUT(window.document().model() && !window.document().isBusy(), patience);
    window.document().open(QStringLiteral(CLEAVE_TEST_DIR "/models/zoo/to_hetero.npz"));
    QTRY_VERIFY_WITH_TIMEOUT(window.document().graph() && window.document().planEditor().cost(), patience);
    const auto sections = describeGraph(*window.document().graph(), window.document().degrees(), {}, window.document().model().get());
    const auto value = [&](const QString& name) {
        const auto& rows = sections.front().properties;
        const auto row = std::ranges::find(rows, name, &Property::name);
        return row == rows.end() ? QString() : row->value;
    };
    QCOMPARE(value(QStringLiteral("V paper")), QStringLiteral("60"));
    QCOMPARE(value(QStringLiteral("V author")), QStringLiteral("45"));
    QVERIFY(window.document().degrees().has_value());
    const QAbstractItemModel& table = *window.planPanel().savePoints().model();
    QStringList bytes;
    for (int row = 0; row < table.rowCount(); ++row)
        bytes.append(table.index(row, SavePointModel::Bytes).data(Qt::ToolTipRole).toString());
    QVERIFY2(std::ranges::any_of(bytes, [](const QString& text) { return text.contains(QLatin1String("V author = ")); }),
             qPrintable(bytes.join(u'\n')));
    QVERIFY(std::ranges::none_of(bytes, [](const QString& text) { return text.contains(QLatin1String("V = ")); }));
    for (int cut = 0; cut + 1 < window.document().planEditor().space()->functions(); ++cut)
        for (const Property& property : inspectCut(cut, window.document().graph().get(), window.document().planEditor()).sections.front().properties)
            QVERIFY2(property.value.contains(QLatin1String("V ")) && property.value.contains(u'='), qPrintable(property.value));
}

// What is written beside bands and in boxes is of one size on the screen.
void WindowTest::nodeTypesAreReadInSmallPictures()
{
    MainWindow window;
    window.resize(1700, 850);
    window.show();
    window.document().open(QStringLiteral(CLEAVE_TEST_DIR "/models/zoo/to_hetero.pt2"));
    GraphView& view = window.graphView();
    QTRY_VERIFY_WITH_TIMEOUT(view.picture() && !view.isLayingOut() && !window.document().isBusy(), patience);
    const auto ink = [&](const QRect& area) {
        const QImage seen = view.viewport()->grab(area).toImage();
        int dark = 0;
        for (int y = 0; y < seen.height(); ++y)
            for (int x = 0; x < seen.width(); ++x)
                dark += qGray(seen.pixel(x, y)) < 110 ? 1 : 0;
        return dark;
    };
    const auto leftOfBands = [&] { return view.mapFromScene(view.graphScene().sceneRect().topLeft()).x(); };
    QTRY_VERIFY(leftOfBands() >= 0 && leftOfBands() < 40);  // the room for types beside them is that of small pictures
    view.setZoom(0.8 * textDetail);
    int relations = 0;
    for (const DagBox& box : view.picture()->dag.boxes) {
        if (box.key.kind != BoxKind::Module)
            continue;
        view.ensureVisible(view.graphScene().boxRect(view.picture()->dag.find(box.key)));
        const QRect area = view.mapFromScene(view.graphScene().boxRect(view.picture()->dag.find(box.key))).boundingRect();
        QVERIFY2(ink(area.adjusted(area.width() / 5, 3, -3, -3)) > 60, box.title.c_str());
        ++relations;
    }
    QVERIFY(relations >= 5);
    QStringList nodes;
    for (const DagBand& band : view.picture()->dag.bands)
        if (!band.nodeType.empty())
            nodes.append(toText(band.nodeType));
    QVERIFY(nodes.contains(QStringLiteral("paper")) && nodes.contains(QStringLiteral("author")));

    // Larger, an op says its relation below its name.
    view.setZoom(0.9 * smallTextDetail);
    for (const char* name : {"linear_1", "linear_3"}) {
        const int box = view.picture()->dag.find(boxOf(window, name));
        const QRectF rect = view.graphScene().boxRect(box);
        view.ensureVisible(rect, 60, 60);
        const QRect area = view.mapFromScene(rect).boundingRect();
        QVERIFY(ink(QRect(area.left() + area.width() / 3, area.center().y() + 1, area.width() / 2, area.height() / 2 - 5)) > 20);
        const BoxItem* item = view.graphScene().boxAt(rect.center());
        QVERIFY(item && item->toolTip().contains(QStringLiteral("in gnn.convs.0.")));  // the whole module
    }
}

void WindowTest::planOfARewrittenProgramIsCompared()
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

void WindowTest::savePointTableChangesThePlan()
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
void WindowTest::functionsRunOnADevice()
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
        QMetaObject::invokeMethod(&button, [&button, text] {
            for (QAction* action : button.menu()->actions())
                if (action->text() == text && action->isEnabled())
                    button.menu()->setActiveAction(action);
            QTest::keyClick(button.menu(), Qt::Key_Return);
        }, Qt::QueuedConnection);
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

void WindowTest::costsAreThoseOfThePlanner()
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

void WindowTest::functionsRunTogether()
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

void WindowTest::functionsAreShownInTheOrderOfRuns()
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

void WindowTest::memoryOfRunsBoundsThePlans()
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

void WindowTest::extremesAreTakenAsPlans()
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

void WindowTest::planIsSavedAndOpened()
{
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("a.cleave.json"));
    MainWindow window;
    open(window, "sage.pt2");
    PlanEditor& editor = window.document().planEditor();
    window.document().savePlan(folder.filePath(QStringLiteral("none/a.cleave.json")));
    QVERIFY(window.messageBar().isVisible());
    editor.moveOps({opNamed(window, "linear_3")}, Position::pre(2));
    const Plan moved = editor.plan();
    QVERIFY(window.document().savePlan(file));
    QVERIFY(editor.history().isClean());
    editor.history().undo();
    QVERIFY(!editor.history().isClean());
    window.document().open(file);
    QVERIFY(editor.plan() == moved);
    QVERIFY(editor.history().isClean());
}

// A plan that was not saved is there without a step if it is the one at message degree; the next model has nothing to do with it.
void WindowTest::plansThatWereLeftDoNotMarkTheNextModel()
{
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("a.cleave.json"));
    MainWindow window;
    open(window, "sage.pt2");
    PlanEditor& editor = window.document().planEditor();
    QVERIFY(window.document().savePlan(file));
    window.document().restorePlan(file, {});
    QVERIFY(editor.isModified() && editor.history().count() == 0);
    window.document().open(example("gcn.pt2"));
    QTRY_VERIFY_WITH_TIMEOUT(window.document().modelPath().endsWith(QStringLiteral("/gcn.pt2")) && !window.document().isBusy(), patience);
    QVERIFY(!editor.isModified());
}

void WindowTest::draggedCutStopsWhereItCan()
{
    MainWindow window;
    openWithCosts(window, "sage.pt2");
    GraphView& view = window.graphView();
    PlanEditor& editor = window.document().planEditor();
    view.fit();
    const Plan before = editor.plan();
    const QRectF band = zoneOf(*view.picture(), Position::post(1));
    const double right = band.right() - 4;
    const auto at = [&](double y) { return view.mapFromScene(QPointF(right, y)); };
    const auto lift = [&] {  // by three stops
        const QPoint from = at(band.bottom() + 8);
        QTest::mousePress(view.viewport(), Qt::LeftButton, {}, from);
        QTest::mouseMove(view.viewport(), from - QPoint(0, 25));
        const auto* drag = dynamic_cast<const CutDrag*>(view.drag());
        QVERIFY(drag);
        const std::vector<double> stops = drag->stops();
        QVERIFY(stops.size() > 3);
        QVERIFY(std::ranges::is_sorted(stops, std::greater()));
        QTest::mouseMove(view.viewport(), at(stops[3]));
    };
    lift();
    QVERIFY(view.drag());
    QVERIFY2(view.drag()->text().startsWith(QStringLiteral("Cut 2 saves ")), qPrintable(view.drag()->text()));
    QVERIFY(!view.drag()->text().contains(u'✗'));
    const std::vector<double> stops = dynamic_cast<const CutDrag*>(view.drag())->stops();
    QTest::mouseMove(view.viewport(), at(stops.front() + 40));
    QVERIFY2(view.drag()->text().contains(QStringLiteral("✗ No op stands before the message passing")), qPrintable(view.drag()->text()));
    QTest::mouseMove(view.viewport(), at(stops[3]));
    QVERIFY(!view.drag()->text().contains(u'✗'));
    QVERIFY(editor.hasPreview());
    QVERIFY(editor.plan() == before);
    QTest::keyClick(&view, Qt::Key_Escape);
    QTest::mouseRelease(view.viewport(), Qt::LeftButton, {}, at(band.bottom()));
    QVERIFY(!view.drag() && !editor.hasPreview() && editor.plan() == before);

    lift();
    const Plan looked = editor.shown();
    QTest::mouseRelease(view.viewport(), Qt::LeftButton, {}, at(band.top()));
    QVERIFY(editor.plan() == looked && looked != before);
    QVERIFY2(QRegularExpression(QStringLiteral("^Move cut 2: save \\S.* instead of \\S.*$")).match(editor.history().undoText()).hasMatch(),
             qPrintable(editor.history().undoText()));
    QCOMPARE(editor.history().count(), 1);
    QCOMPARE(editor.space()->whyIllegal(editor.plan()), std::string());
    editor.history().undo();
    QVERIFY(editor.plan() == before);
}

void WindowTest::modulesAreMovedWhole()
{
    MainWindow window;
    open(window, "../../tests/models/zoo/deeper_gcn.pt2");
    GraphView& view = window.graphView();
    PlanEditor& editor = window.document().planEditor();
    view.collapseAll();
    QTRY_VERIFY_WITH_TIMEOUT(!view.isLayingOut(), patience);
    int moved = 0;
    for (const DagBox& box : view.picture()->dag.boxes) {
        if (box.key.kind != BoxKind::Module || movableOps(editor, box).empty())
            continue;
        ++moved;
        for (Position to{0}; to.function() < editor.space()->functions(); ++to.at)
            if (editor.moveOps(box.ops, to)) {
                for (const OpId op : box.ops)
                    QVERIFY(editor.plan().positions[static_cast<std::size_t>(editor.space()->indexOf(op))] == to);
                QCOMPARE(editor.space()->whyIllegal(editor.plan()), std::string());
            }
    }
    QVERIFY(moved > 0);
    while (editor.history().canUndo())
        editor.history().undo();
    QVERIFY(editor.plan() == editor.base());
}

void WindowTest::pinsHoldWhateverThePlanner()
{
    MainWindow window;
    openWithCosts(window, "sage.pt2");
    PlanEditor& editor = window.document().planEditor();
    const OpId op = opNamed(window, "linear_3");
    QVERIFY(editor.moveOps({op}, Position::pre(2)));
    QVERIFY(editor.pin(op));
    QCOMPARE(editor.history().undoText(), QStringLiteral("Pin linear_3 to function 2"));
    QTRY_VERIFY_WITH_TIMEOUT(!editor.costs().isMeasuring() && editor.costs().plans()[2].planned.plan.constraints == editor.plan().constraints,
                             patience);
    for (int planner : {0, 1, 2})
        if (QPushButton* button = window.planPanel().planners().at(planner); button->isEnabled()) {
            QTest::mouseClick(button, Qt::LeftButton);
            QCOMPARE(positionOf(window, "linear_3").function(), 2);
        }
    QVERIFY(!editor.moveOps({op}, Position::post(1)));
    QVERIFY2(window.messageBar().text().contains(QStringLiteral("pinned")), qPrintable(window.messageBar().text()));
    const PlanMarks marks = planMarks(window.graphView().picture()->dag, editor, editor.shown());
    QVERIFY(std::ranges::any_of(marks.places, [](const QString& text) { return text.endsWith(QStringLiteral("pinned")); }));
    QVERIFY(editor.unpin(op));
    QVERIFY(editor.moveOps({op}, Position::post(1)));
    editor.history().setClean();
}

void WindowTest::opsAreKeptTogether()
{
    MainWindow window;
    open(window, "sage.pt2");
    PlanEditor& editor = window.document().planEditor();
    const OpId a = opNamed(window, "linear_3"), b = opNamed(window, "relu");
    const auto menuHas = [&](const char* text) {
        QMenu menu;
        const auto& dag = window.graphView().picture()->dag;
        const auto boxOfOp = [&](const char* op) { return &dag.boxes[static_cast<std::size_t>(dag.find(boxOf(window, op)))]; };
        addPlanActions(menu, editor, *boxOfOp("relu"), boxOfOp("linear_3"));
        return std::ranges::any_of(menu.actions(), [&](const QAction* action) { return action->text() == QLatin1String(text); });
    };
    QVERIFY(menuHas("Keep together with linear_3"));
    QVERIFY(editor.keepTogether(b, a));
    QVERIFY(!menuHas("Keep together with linear_3"));
    QVERIFY(menuHas("Let it go its own way"));
    QVERIFY(editor.moveOps({a}, Position::pre(2)));
    QVERIFY(positionOf(window, "relu") == Position::pre(2));
    editor.history().undo();
    QVERIFY(editor.letGo(a));
    QVERIFY(editor.moveOps({a}, Position::pre(2)));
    QVERIFY(positionOf(window, "relu") == Position::post(1));
    while (editor.history().canUndo())
        editor.history().undo();
    QVERIFY(editor.plan() == editor.base());
}

// Refused where nothing could run in it, kept and said where it can; not a step of the plan.
void WindowTest::memoryOfARunIsBound()
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

void WindowTest::batchSizeIsChosenOnTheCurve()
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
    QCOMPARE(curve.points().size(), std::size_t{7});    // not measured again
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

void WindowTest::savePointSaysWhatItCosts()
{
    MainWindow window;
    openWithCosts(window, "sage.pt2");
    QTableView& table = window.planPanel().savePoints();
    const QModelIndex last = table.model()->index(2, SavePointModel::Cut);
    table.scrollTo(last);
    QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, table.visualRect(last).center());
    const QString text = window.planPanel().savePointText();
    QVERIFY2(text.startsWith(QStringLiteral("linear_3: 75.8\u00A0kB, handed on")) && text.contains(QStringLiteral("targets of function 2")) &&
                 text.contains(QStringLiteral("Without it the plan takes")), qPrintable(text));
    const DagBox* box = window.graphView().selectedBox();
    QVERIFY(box && box->key.kind == BoxKind::Tensor && box->title == "linear_3");
    window.graphView().select(boxOf(window, "relu"));
    QVERIFY(window.planPanel().savePointText().isEmpty());
}

void WindowTest::storyTellsWithTheModelsLayers()
{
    MainWindow window;
    open(window, "sage.pt2");
    window.showStory();
    StoryView& story = window.story();
    QTRY_VERIFY(story.isVisible());
    QCOMPARE(story.at(), std::size_t{0});
    std::vector<std::int64_t> saved(2);
    bool lit = false;
    while (story.next().isEnabled()) {
        QVERIFY(!story.step().title.isEmpty() && !story.text().isEmpty());
        QTest::mouseClick(&story.next(), Qt::LeftButton);
        if (story.step().function == 0)
            continue;
        lit = true;
        // What is computed was not there before, and what it reads is: the friends and the members themselves.
        auto& rows = saved[static_cast<std::size_t>(story.step().function) - 1];
        rows += static_cast<std::int64_t>(story.step().computed.size());
        QCOMPARE(std::ranges::count(story.step().stores[static_cast<std::size_t>(story.step().function) - 1], 1), rows);
        QVERIFY(std::ranges::includes(story.step().read, story.step().computed));
        if (story.step().function == 2)
            QCOMPARE(std::ranges::count(story.step().stores[0], 1), 34);  // full before it is read
    }
    QVERIFY(lit);
    QCOMPARE(saved, (std::vector<std::int64_t>{34, 34}));
    const std::vector<Story::Count> counts = Story(2).counts();
    for (const Story::Count& count : counts) {
        QCOMPARE(count.layerWise.computed, 34 * count.layers);
        QVERIFY(count.layers == 1 || count.nodeWise.computed > count.layerWise.computed);
    }
    QTest::keyClick(&story, Qt::Key_Left);
    QVERIFY(story.step().kind == StoryKind::Compare);
    window.document().open(example("jk.pt2"));  // three layers
    QTRY_VERIFY_WITH_TIMEOUT(story.at() == 0 && !window.document().isBusy(), patience);
    QCOMPARE(story.steps(), Story(3).steps().size());
}

void WindowTest::storyLetsTheStudentGuessFirst()
{
    MainWindow window;
    open(window, "sage.pt2");
    window.document().openKarateClub();
    for (const QAction* action : window.findChildren<QAction*>())
        if (action->text().startsWith(QLatin1String("Random")))
            QVERIFY(action->isChecked());
    PlanEditor& editor = window.document().planEditor();
    QTRY_VERIFY_WITH_TIMEOUT(editor.costs().plans().size() == 5, patience);
    window.showStory();
    StoryView& story = window.story();
    QTRY_VERIFY(story.isVisible());
    QTRY_VERIFY(lastAnnouncement().endsWith(story.text()));
    story.go(1);
    QTRY_VERIFY(lastAnnouncement().endsWith(story.text()));
    QVERIFY(editor.showsCosts());
    window.document().runLayerWise();
    QTRY_VERIFY_WITH_TIMEOUT(window.document().report().run() != nullptr && !window.document().isBusy(), patience);
    const auto tellsPredicted = [&] {
        const TextTableModel& table = window.findChild<ResultPanel*>()->functions();
        for (int column = 0; column < table.columnCount(); ++column)
            if (table.headerData(column, Qt::Horizontal).toString() == QStringLiteral("Predicted total"))
                return table.index(0, column).data().toString() != QStringLiteral("–");
        return false;
    };
    QVERIFY(tellsPredicted());
    story.go(story.steps() - 1);
    QVERIFY(!editor.showsCosts());
    QVERIFY2(!tellsPredicted(), "the answer");
    QVERIFY(window.planPanel().plans().bars().empty());
    QVERIFY(!window.planPanel().planners().at(2)->isEnabled());
    window.graphView().select(boxOf(window, "linear_1"));
    const QAbstractItemModel& properties = *window.findChild<Inspector*>()->findChild<PropertyView*>()->model();
    QVERIFY(propertyNamed(properties, QStringLiteral("target")).isValid() && !propertyNamed(properties, QStringLiteral("time")).isValid());
    QVERIFY(editor.moveOps({opNamed(window, "linear_3")}, Position::pre(2)));
    QVERIFY(!story.text().contains(QStringLiteral("Yours")));
    QTest::mouseClick(&story.reveal(), Qt::LeftButton);
    QVERIFY2(story.text().contains(QStringLiteral("Yours: %1").arg(secondsText(editor.cost()->seconds()))), qPrintable(story.text()));
    QVERIFY(editor.showsCosts());
    QVERIFY(tellsPredicted());
    QVERIFY(propertyNamed(properties, QStringLiteral("time")).isValid());
    QCOMPARE(window.planPanel().plans().bars().size(), std::size_t{6});
    window.document().verify();
    QTRY_VERIFY_WITH_TIMEOUT(window.document().report().verify.has_value(), patience);
    QVERIFY(window.document().report().verify->equal());
    editor.history().setClean();
}

// From the best plan there is something to find, in one step that can be undone.
void WindowTest::storySetsAnExercise()
{
    MainWindow window;
    open(window, "sage.pt2");
    openGraph(window);
    PlanEditor& editor = window.document().planEditor();
    const auto hasCosts = [&] { return editor.cost() && editor.costs().plans().size() == 5; };
    QTRY_VERIFY_WITH_TIMEOUT(hasCosts() && !editor.costs().curve(editor.base()).empty(), patience);
    editor.take(editor.costs().plans()[2].planned.plan, QStringLiteral("Take the optimum"));
    const Plan best = editor.plan();
    const std::int64_t batchSize = window.document().options().run.batchSize;
    window.showStory();
    window.story().go(window.story().steps() - 1);
    QTRY_VERIFY(window.story().exercise().isVisible());
    QTest::mouseClick(&window.story().exercise(), Qt::LeftButton);
    QVERIFY(editor.plan() != best);
    const std::int64_t taken = window.document().options().run.batchSize;
    QVERIFY2(taken >= 1 && taken <= 270, "a tenth of the nodes, or so few that plans differ clearly");
    QCOMPARE(editor.history().undoText(), QStringLiteral("Set an exercise"));
    QTRY_VERIFY_WITH_TIMEOUT(hasCosts(), patience);
    QVERIFY(!editor.showsCosts());
    QVERIFY2(editor.cost()->seconds() > 1.05 * editor.costs().plans()[0].planned.cost.seconds(), "there is something to find");
    const double exercised = editor.cost()->seconds();

    // The best cut that was shown is not one that was found; another exercise hides the costs again.
    QTest::mouseClick(&window.story().reveal(), Qt::LeftButton);
    QVERIFY2(window.story().text().contains(QLatin1String("Yours against the best cut: +")) ||
                 window.story().text().contains(QLatin1String("Yours against the best cut: 2")) ||
                 window.story().text().contains(QLatin1String(" times")),
             qPrintable(window.story().text()));
    QTest::mouseClick(&window.story().optimum(), Qt::LeftButton);
    QTest::mouseClick(&window.story().optimum(), Qt::LeftButton);  // once more: the student's is still known
    const QString text = window.story().text();
    QVERIFY2(
        text.contains(QStringLiteral("Yours took %1. ").arg(secondsText(exercised))) && text.contains(QLatin1String("Yours against the best cut: ")),
        qPrintable(text));
    QVERIFY(!text.contains(QLatin1String("about as long")));
    const QRectF cut = window.graphView().graphScene().cutRect(0);
    QVERIFY(window.graphView().selectedCut() == 0 &&
            window.graphView().mapToScene(window.graphView().viewport()->rect()).boundingRect().intersects(cut));
    QTest::mouseClick(&window.story().exercise(), Qt::LeftButton);
    QVERIFY(!editor.showsCosts());
    QVERIFY(window.story().reveal().isEnabled());
    editor.take(editor.costs().plans()[2].planned.plan, QStringLiteral("found"));
    QTest::mouseClick(&window.story().reveal(), Qt::LeftButton);
    QVERIFY2(window.story().text().endsWith(QLatin1String("You have found it.")), qPrintable(window.story().text()));
    while (editor.plan() != best || window.document().options().run.batchSize != batchSize)
        editor.history().undo();
    editor.history().setClean();
}

void WindowTest::barsLeaveThePictureInItsPlace()
{
    MainWindow window;
    open(window, "jk.pt2");
    GraphView& view = window.graphView();
    view.setZoom(1.5);
    view.verticalScrollBar()->triggerAction(QAbstractSlider::SliderPageStepAdd);
    const DagKey box = boxOf(window, "relu");
    QTest::qWait(50);  // for the scroll bars
    const int before = view.viewport()->mapToGlobal(view.viewPosition(box)->toPoint()).y();
    const auto moved = [&] {
        QTest::qWait(50);  // for the layout
        return std::abs(view.viewport()->mapToGlobal(view.viewPosition(box)->toPoint()).y() - before);
    };
    window.document().open(QStringLiteral("/nonexistent.pt2"));
    QTRY_VERIFY_WITH_TIMEOUT(window.messageBar().isVisible(), patience);
    QVERIFY2(moved() <= 3, qPrintable(QString::number(moved())));
    QTest::mouseClick(window.messageBar().findChild<QToolButton*>(), Qt::LeftButton);
    QVERIFY(!window.messageBar().isVisible());
    QVERIFY2(moved() <= 3, qPrintable(QString::number(moved())));
}

// A window that is never closed has written where its docks are.
void WindowTest::layoutOutlivesACrash()
{
    const auto planDock = [](MainWindow& window) { return window.findChild<QDockWidget*>(QStringLiteral("plan")); };
    MainWindow crashing;
    crashing.show();
    QVERIFY(QTest::qWaitForWindowExposed(&crashing));
    QDockWidget* dock = planDock(crashing);
    QVERIFY(dock && dock->isVisible());
    dock->hide();
    QTest::qWait(1300);
    {
        MainWindow next;
        next.show();
        QVERIFY(QTest::qWaitForWindowExposed(&next));
        QVERIFY(!planDock(next)->isVisible());
    }
    dock->show();

    // Presenting is not kept.
    crashing.setPresenting(true);
    QTRY_VERIFY(!dock->isVisible());
    QTest::qWait(1300);
    {
        MainWindow next;
        next.show();
        QVERIFY(QTest::qWaitForWindowExposed(&next));
        QVERIFY(planDock(next)->isVisible());
    }
    crashing.setPresenting(false);
    QTRY_VERIFY(dock->isVisible());
    crashing.close();
}

void WindowTest::sessionAndRecentFilesAreKept()
{
    {
        MainWindow window;
        open(window, "gat.pt2");
        openGraph(window);
        window.close();
    }
    MainWindow window;
    window.openLastSession();
    QTRY_VERIFY_WITH_TIMEOUT(window.document().model() && window.document().graph() && !window.document().isBusy(), patience);
    QVERIFY(window.document().modelPath().endsWith(QStringLiteral("gat.pt2")));
    QVERIFY(window.document().graphPath().endsWith(QStringLiteral("cora.npz")));
    QMenu* recent = nullptr;
    for (QMenu* menu : window.findChildren<QMenu*>())
        if (menu->title() == QStringLiteral("Open &recent"))
            recent = menu;
    QVERIFY(recent);
    Q_EMIT recent->aboutToShow();
    QStringList names;
    for (const QAction* action : recent->actions())
        names.append(action->text());
    QCOMPARE(names.mid(0, 2).contains(QStringLiteral("gat.pt2")), true);
    QVERIFY(names.contains(QStringLiteral("cora.npz")));
}

void WindowTest::sessionKeepsThePlanAndItsBatches()
{
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("mine.cleave.json"));
    Plan plan;
    {
        MainWindow window;
        openWithCosts(window, "gcn.pt2");
        PlanEditor& editor = window.document().planEditor();
        const Move move = editor.space()->moveCut(editor.plan(), 0, true);
        QVERIFY(move.plan.has_value());
        QVERIFY(editor.take(*move.plan, QStringLiteral("move")));
        window.document().chooseBatchSize(300);
        window.document().setMemoryBound(500'000'000);
        QCOMPARE(window.windowTitle(), QStringLiteral("gcn.pt2[*] – Cleave"));
        QVERIFY(window.document().savePlan(file));
        QCOMPARE(window.windowTitle(), QStringLiteral("gcn.pt2 – mine.cleave.json[*] – Cleave"));
        plan = editor.plan();
        window.close();
    }
    {
        MainWindow window;
        window.openLastSession();
        QTRY_VERIFY_WITH_TIMEOUT(window.document().model() && window.document().graph() && !window.document().isBusy(), patience);
        QVERIFY(window.document().planEditor().plan() == plan);
        QCOMPARE(window.document().options().run.batchSize, std::int64_t{300});
        QCOMPARE(window.document().options().run.memoryBytes, std::size_t{500'000'000});
        QCOMPARE(window.document().planPath(), file);
        QVERIFY(!window.document().planEditor().isModified());
        QMenu* recent = nullptr;
        for (QMenu* menu : window.findChildren<QMenu*>())
            if (menu->title() == QStringLiteral("Open &recent"))
                recent = menu;
        QVERIFY(recent);
        Q_EMIT recent->aboutToShow();
        QVERIFY(std::ranges::any_of(recent->actions(), [](const QAction* action) { return action->text() == QStringLiteral("mine.cleave.json"); }));
        window.close();
    }
    // Without a file of the plan, the batches alone are kept; without the file that was there, what is left is opened.
    QVERIFY(QFile::remove(file));
    {
        MainWindow window;
        window.openLastSession();
        QTRY_VERIFY_WITH_TIMEOUT(window.document().model() && window.document().graph() && !window.document().isBusy(), patience);
        QVERIFY(window.document().planPath().isEmpty());
        QCOMPARE(window.document().options().run.batchSize, std::int64_t{300});
        QVERIFY(!window.messageBar().isVisible());
        window.document().setBatchSize(0);
        window.close();
    }
}

// Ctrl+S asks once.
void WindowTest::planIsSavedWhereItIs()
{
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("mine.cleave.json"));
    MainWindow window;
    window.show();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    open(window, "gcn.pt2");
    PlanEditor& editor = window.document().planEditor();
    QTest::keyClick(&window, Qt::Key_S, Qt::ControlModifier);
    QTRY_VERIFY(window.findChild<QFileDialog*>() != nullptr);
    window.findChild<QFileDialog*>()->close();
    QTRY_VERIFY(window.findChild<QFileDialog*>() == nullptr);
    window.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    QVERIFY(window.document().savePlan(file));
    const Move move = editor.space()->moveCut(editor.plan(), 0, true);
    QVERIFY(editor.take(*move.plan, QStringLiteral("move")));
    QVERIFY(window.isWindowModified());
    QTest::keyClick(&window, Qt::Key_S, Qt::ControlModifier);
    QVERIFY(!window.isWindowModified());
    QVERIFY(window.findChild<QFileDialog*>() == nullptr);
    QVERIFY(readPlan(file.toStdString(), *editor.space()).plan == editor.plan());
    QTest::keyClick(&window, Qt::Key_S, Qt::ControlModifier | Qt::ShiftModifier);
    QTRY_VERIFY(window.findChild<QFileDialog*>() != nullptr);
    QCOMPARE(window.findChild<QFileDialog*>()->selectedFiles(), QStringList{file});
    window.findChild<QFileDialog*>()->close();
}

// And it is not written over.
void WindowTest::planOfAnotherFileIsSaid()
{
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("mine.cleave.json"));
    MainWindow window;
    window.show();
    open(window, "gcn.pt2");
    QVERIFY(window.document().savePlan(file));
    QFile text(file);
    QVERIFY(text.open(QIODevice::ReadWrite));
    QByteArray json = text.readAll();
    const qsizetype at = json.indexOf(':', json.indexOf("sha256"));
    const qsizetype from = json.indexOf('"', at) + 1;
    json.replace(from, 4, "0000");
    text.seek(0);
    text.write(json);
    text.close();
    window.document().openPlan(file);
    QVERIFY(window.messageBar().isVisible());
    QVERIFY2(window.messageBar().text().startsWith(QLatin1String("The plan was made for another file, 'GCN' (SHA-256 0000")),
             qPrintable(window.messageBar().text()));
    QVERIFY(window.document().planPath().isEmpty());
    QVERIFY(window.document().planEditor().isModified());
    window.document().planEditor().history().setClean();
}

// Its rewrites are not made either: nothing of a person's plan goes.
void WindowTest::planOfAnotherModelChangesNothing()
{
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("other.cleave.json"));
    MainWindow window;
    window.show();
    open(window, "sage.pt2");
    QVERIFY(window.document().savePlan(file));
    QFile text(file);
    QVERIFY(text.open(QIODevice::ReadOnly));
    QByteArray json = text.readAll();
    text.close();
    const auto replaceAll = [&](const char* before, const char* after) {
        QVERIFY2(json.contains(before), before);
        json.replace(before, after);
    };
    replaceAll("\"op\": \"", "\"op\": \"other_");
    replaceAll("\"sha256\": \"", "\"sha256\": \"0");
    QVERIFY(json.contains("\"rewrites\": []"));
    replaceAll("\"rewrites\": []", "\"rewrites\": [\"transform-first\"]");
    QVERIFY(text.open(QIODevice::WriteOnly | QIODevice::Truncate));
    text.write(json);
    text.close();

    PlanEditor& editor = window.document().planEditor();
    QVERIFY(editor.moveOps({opNamed(window, "linear_3")}, Position::pre(2)));
    const Plan mine = editor.plan();
    const std::set<Rewrite> rewrites = window.document().rewrites();
    const int steps = editor.history().index();
    for (const bool isCompared : {false, true}) {
        isCompared ? window.document().comparePlan(file) : window.document().openPlan(file);
        QTRY_VERIFY_WITH_TIMEOUT(!window.document().isBusy(), patience);
        QVERIFY2(window.messageBar().text().startsWith(QLatin1String("The plan is for another model, 'GraphSAGE': of its ")),
                 qPrintable(window.messageBar().text()));
        QVERIFY(editor.plan() == mine);
        QCOMPARE(editor.history().index(), steps);
        QVERIFY(window.document().rewrites() == rewrites);
        QVERIFY(!editor.other().has_value());
    }
    editor.history().setClean();
}

void WindowTest::rewritesSayThatThePlanBeginsAnew()
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

void WindowTest::filesOfTheLastSessionThatAreGoneAreNamed()
{
    const QTemporaryDir folder;
    const QString model = folder.filePath(QStringLiteral("gone.pt2"));
    QVERIFY(QFile::copy(example("sage.pt2"), model));
    {
        MainWindow window;
        window.document().open(model);
        QTRY_VERIFY_WITH_TIMEOUT(window.document().model() && !window.document().isBusy(), patience);
        writeSession(sessionOf(window.document()));
    }
    QVERIFY(QFile::remove(model));
    MainWindow window;
    window.show();
    window.openLastSession();
    QVERIFY(window.messageBar().isVisible());
    QVERIFY2(window.messageBar().text().endsWith(model + u'.'), qPrintable(window.messageBar().text()));
}

// What is only compared takes neither time nor memory of a run, and goes on after it.
void WindowTest::comparisonsWaitForRuns()
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

void WindowTest::largeTextLeavesTheWindowItsSize()
{
    MainWindow window;
    openWithCosts(window, "sage.pt2");
    const QFont before = QApplication::font();
    const int width = window.width();
    QFont large = before;
    large.setPointSizeF(16);
    QApplication::setFont(large);
    QTRY_VERIFY(window.graphView().fontInfo().pointSizeF() > 15);
    QTRY_VERIFY_WITH_TIMEOUT(!window.graphView().isLayingOut(), patience);
    QTRY_VERIFY2(window.minimumSizeHint().width() <= 1280, qPrintable(QString::number(window.minimumSizeHint().width())));
    QCOMPARE(window.width(), width);
    QApplication::setFont(before);
    QTRY_VERIFY_WITH_TIMEOUT(!window.graphView().isLayingOut(), patience);
}

void WindowTest::textGrowsWithThePresenter()
{
    MainWindow window;
    open(window, "sage.pt2");
    const double before = QApplication::font().pointSizeF(), height = window.graphView().picture()->sizes.front().height();
    window.setPresenting(true);
    QTRY_VERIFY(window.story().isVisible() && !window.planPanel().isVisible());
    QVERIFY(std::abs(QApplication::font().pointSizeF() - 1.4 * before) < 0.1);
    QTRY_VERIFY_WITH_TIMEOUT(!window.graphView().isLayingOut() && window.graphView().picture()->sizes.front().height() > 1.2 * height, patience);
    window.setPresenting(false);
    QTRY_VERIFY(window.planPanel().isVisible());
    QCOMPARE(QApplication::font().pointSizeF(), before);
    QTRY_VERIFY_WITH_TIMEOUT(!window.graphView().isLayingOut(), patience);
}

void WindowTest::findsInsideClosedModules()
{
    MainWindow window;
    open(window, "gat.pt2");
    GraphView& view = window.graphView();
    view.collapseAll();
    QTRY_VERIFY_WITH_TIMEOUT(!view.isLayingOut(), patience);
    const std::size_t closed = view.picture()->dag.boxes.size(), closedFrames = view.picture()->dag.frames.size();
    view.setFocus();
    QTest::keyClick(&window, Qt::Key_F, Qt::ControlModifier);
    FindBar& bar = window.findBar();
    QTRY_VERIFY(bar.isVisible());
    view.setZoom(0.12);  // too small to be read
    QTest::keyClicks(&bar.edit(), QStringLiteral("leaky"));
    QTRY_VERIFY_WITH_TIMEOUT(!view.isLayingOut() && view.selectedBox() && view.selectedBox()->key.kind == BoxKind::Op, patience);
    QVERIFY(view.picture()->dag.boxes.size() > closed);
    QVERIFY2(view.selectedBox()->title.find("leaky") != std::string::npos, view.selectedBox()->title.c_str());
    QVERIFY(view.viewport()->rect().contains(view.viewPosition(*view.selection())->toPoint()));
    QVERIFY2(view.zoom() > 0.5, qPrintable(QString::number(view.zoom())));
    QCOMPARE(bar.status(), QStringLiteral("1 of 2"));
    const DagKey first = *view.selection();
    const std::size_t firstFrames = view.picture()->dag.frames.size();
    QTest::keyClick(&bar.edit(), Qt::Key_Return);
    QTRY_VERIFY_WITH_TIMEOUT(!view.isLayingOut() && view.selection() && *view.selection() != first && view.selectedBox()->key.kind == BoxKind::Op,
                             patience);
    QCOMPARE(bar.status(), QStringLiteral("2 of 2"));
    QVERIFY2(firstFrames > closedFrames && view.picture()->dag.frames.size() == firstFrames && view.picture()->dag.find(first) < 0,
             "the module of the first one is closed again, and that of the second one open");
    QTest::keyClick(&bar.edit(), Qt::Key_Return, Qt::ShiftModifier);
    QTRY_VERIFY_WITH_TIMEOUT(!view.isLayingOut() && view.selection() == first, patience);
    QTest::keyClick(&window, Qt::Key_F3);
    QCOMPARE(bar.status(), QStringLiteral("2 of 2"));
    FoundList& list = bar.list();
    QVERIFY(list.isVisible());
    QVERIFY2(view.mapTo(&window, QPoint()).y() >= list.mapTo(&window, QPoint(0, list.height())).y(), "it covers nothing of the picture");
    QCOMPARE(list.model()->rowCount(), 2);
    QCOMPARE(list.currentIndex().row(), 1);
    QVERIFY(list.viewport()->rect().contains(list.visualRect(list.model()->index(1, 0))));
    QTest::mouseClick(list.viewport(), Qt::LeftButton, {}, list.visualRect(list.model()->index(0, 0)).center());
    QTRY_VERIFY_WITH_TIMEOUT(!view.isLayingOut() && view.selection() == first, patience);
    QVERIFY2(bar.edit().hasFocus(), "one goes on writing");
    QTest::keyClick(&bar.edit(), Qt::Key_Down);
    QCOMPARE(bar.status(), QStringLiteral("2 of 2"));
    QTest::keyClick(&bar.edit(), Qt::Key_Down);
    QTest::keyClick(&bar.edit(), Qt::Key_Down);
    QCOMPARE(bar.status(), QStringLiteral("2 of 2"));
    QTest::keyClick(&window, Qt::Key_F3, Qt::ShiftModifier);
    QCOMPARE(bar.status(), QStringLiteral("1 of 2"));
    QTRY_VERIFY_WITH_TIMEOUT(!view.isLayingOut() && view.selection() == first, patience);
    QCOMPARE(view.picture()->dag.frames.size(), firstFrames);
    QVERIFY(!view.find(QStringLiteral("edge_index")).empty());  // an input, where it is read
    QTest::keyClicks(&bar.edit(), QStringLiteral("zzz"));
    QCOMPARE(bar.status(), QStringLiteral("Nothing found"));
    QTRY_VERIFY_WITH_TIMEOUT(!view.isLayingOut(), patience);
    QVERIFY2(std::abs(view.zoom() - 0.12) < 0.001, "as it was before anything was found");
    QTRY_VERIFY_WITH_TIMEOUT(!view.isLayingOut() && view.picture()->dag.boxes.size() == closed, patience);

    // What was found last is kept open with the bar closed.
    bar.edit().clear();
    QTest::keyClicks(&bar.edit(), QStringLiteral("leaky"));
    QTRY_VERIFY_WITH_TIMEOUT(!view.isLayingOut() && view.selectedBox() && view.selectedBox()->key.kind == BoxKind::Op, patience);
    QTest::keyClick(&bar.edit(), Qt::Key_Escape);
    QVERIFY(!bar.isVisible() && !list.isVisible());
    QVERIFY(view.selectedBox() && view.selectedBox()->key.kind == BoxKind::Op);
}

void WindowTest::rulerGoesWhereItIsPressed()
{
    MainWindow window;
    open(window, "jk.pt2");
    GraphView& view = window.graphView();
    view.setZoom(1.5);
    auto* ruler = window.findChild<Ruler*>();
    QVERIFY(ruler && ruler->isVisible());
    const auto centre = [&] { return view.mapToScene(view.viewport()->rect().center()).y(); };
    for (const double at : {0.75, 0.4}) {
        QTest::mouseClick(ruler, Qt::LeftButton, {}, QPoint(ruler->width() / 2, static_cast<int>(ruler->height() * at)));
        QVERIFY(std::abs(centre() - (view.sceneRect().top() + at * view.sceneRect().height())) < 0.02 * view.sceneRect().height());
    }
}

void WindowTest::twoPlansAreCompared()
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

void WindowTest::contextMenuMovesAnOp()
{
    MainWindow window;
    open(window, "sage.pt2");
    GraphView& view = window.graphView();
    view.fit();
    QStringList texts;
    QTimer::singleShot(0, &window, [&] {  // the menu runs its own loop
        auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
        QVERIFY(menu);
        const QList<QAction*> actions = menu->actions();
        const auto move = std::ranges::find(actions, QStringLiteral("Move before message passing 2"), &QAction::text);
        QVERIFY(move != actions.end());
        for (const QAction* action : actions)
            texts.append(action->text());
        QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(*move).center());
    });
    const QPoint at = place(view, boxOf(window, "linear_3"));
    QContextMenuEvent event(QContextMenuEvent::Mouse, at, view.viewport()->mapToGlobal(at));
    QApplication::sendEvent(view.viewport(), &event);
    QVERIFY2(texts.contains(QStringLiteral("Do not save at cut 2")), qPrintable(texts.join(u'|')));
    // The table of save points has the same.
    auto* table = window.planPanel().findChild<QTableView*>();
    QVERIFY(table != nullptr && table->model()->rowCount() > 0);
    QStringList ofTable;
    QTimer::singleShot(0, &window, [&] {
        auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
        QVERIFY(menu);
        for (const QAction* action : menu->actions())
            ofTable.append(action->text());
        menu->close();
    });
    Q_EMIT table->customContextMenuRequested(table->visualRect(table->model()->index(0, 0)).center());
    QVERIFY2(!ofTable.filter(QStringLiteral("save at cut"), Qt::CaseInsensitive).isEmpty(), qPrintable(ofTable.join(u'|')));
    QVERIFY2(ofTable.contains(QStringLiteral("Copy table")), qPrintable(ofTable.join(u'|')));
    QVERIFY(positionOf(window, "linear_3") == Position::pre(2));

    QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, place(view, boxOf(window, "linear_1")));
    QStringList byKey;
    QTimer::singleShot(0, &window, [&] {
        auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
        QVERIFY(menu);
        for (const QAction* action : menu->actions())
            byKey.append(action->text());
        QTest::keyClick(menu, Qt::Key_Escape);
    });
    QTest::keyClick(&view, Qt::Key_F10, Qt::ShiftModifier);
    QVERIFY2(byKey.contains(QStringLiteral("Pin to function 0")), qPrintable(byKey.join(u'|')));
    window.document().planEditor().history().setClean();
}

void WindowTest::escapeEndsADrag()
{
    MainWindow window;
    openWithCosts(window, "sage.pt2");
    GraphView& view = window.graphView();
    PlanEditor& editor = window.document().planEditor();
    view.fit();
    const Plan before = editor.plan();
    beginDrag(window, "linear_3", Position::post(0));
    QVERIFY(view.drag());
    QVERIFY2(view.drag()->text().contains(QStringLiteral("message passing 1")), qPrintable(view.drag()->text()));
    QTest::mouseMove(view.viewport(), middle(view, Position::pre(2)));
    QVERIFY2(view.drag()->text().startsWith(QStringLiteral("linear_3 → before message passing 2\n")), qPrintable(view.drag()->text()));
    QVERIFY(editor.hasPreview() && editor.plan() == before && editor.shown() != before);
    QTest::mouseMove(view.viewport(), middle(view, Position::post(0)));  // from where it is told why not
    QVERIFY(!editor.hasPreview());
    QTest::mouseMove(view.viewport(), middle(view, Position::pre(2)));
    QVERIFY(editor.hasPreview());
    QTest::keyClick(&view, Qt::Key_Escape);
    QVERIFY(!view.drag() && !editor.hasPreview());
    QTest::mouseRelease(view.viewport(), Qt::LeftButton, {}, middle(view, Position::pre(2)));
    QVERIFY(editor.plan() == before);

    // Of a cut's line too, however far the mouse goes on.
    const QRectF band = zoneOf(*view.picture(), Position::post(1));
    const QPoint line = view.mapFromScene(QPointF(band.right() - 4, band.bottom() + 8));
    QTest::mousePress(view.viewport(), Qt::LeftButton, {}, line);
    QTest::mouseMove(view.viewport(), line - QPoint(0, 60));
    QVERIFY(view.drag() && editor.hasPreview());
    QTest::keyClick(&view, Qt::Key_Escape);
    QVERIFY(!view.drag() && !editor.hasPreview());
    QTest::mouseMove(view.viewport(), line - QPoint(0, 90));
    QVERIFY(!view.drag() && !editor.hasPreview());
    QTest::mouseRelease(view.viewport(), Qt::LeftButton, {}, line - QPoint(0, 90));
    QVERIFY(editor.plan() == before);
    QCOMPARE(editor.history().count(), 0);
}

void WindowTest::whatNoPlanMovesSaysWhy()
{
    MainWindow window;
    openWithCosts(window, "sage.pt2");
    GraphView& view = window.graphView();
    view.fit();
    const auto& boxes = view.picture()->dag.boxes;
    const auto gather = std::ranges::find(boxes, "index_select_1", &DagBox::title);
    QVERIFY(gather != boxes.end());
    const QPoint from = view.viewPosition(gather->key)->toPoint();
    QTest::mousePress(view.viewport(), Qt::LeftButton, {}, from);
    for (const int step : {10, 40, 60})
        QTest::mouseMove(view.viewport(), from - QPoint(0, step));
    QVERIFY(view.drag());
    QVERIFY2(view.drag()->text().contains(QStringLiteral("'index_select_1' (aten::index_select)")), qPrintable(view.drag()->text()));
    QTest::mouseRelease(view.viewport(), Qt::LeftButton, {}, middle(view, Position::post(0)));
    QCOMPARE(window.document().planEditor().history().count(), 0);
    view.selectCut(0);
    view.moveCut(false);  // the line cannot go down: by name
    QVERIFY2(window.messageBar().isVisible() && window.messageBar().text().contains(QStringLiteral("move above it")),
             qPrintable(window.messageBar().text()));
}

void WindowTest::titlesStayInSight()
{
    MainWindow window;
    open(window, "sage.pt2");
    GraphView& view = window.graphView();
    view.setZoom(2.5);
    QScrollBar& bar = *view.horizontalScrollBar();
    QVERIFY(bar.maximum() > bar.minimum());
    bar.setValue(bar.maximum());
    const auto ink = [&] {  // dark points at the left
        const QImage left = view.viewport()->grab(QRect(0, 0, 160, view.viewport()->height())).toImage();
        int dark = 0;
        for (int y = 0; y < left.height(); ++y)
            for (int x = 0; x < left.width(); ++x)
                dark += qGray(left.pixel(x, y)) < 90 ? 1 : 0;
        return dark;
    };
    const int with = ink();
    QVERIFY2(with > 100, qPrintable(QString::number(with)));

    // Panning moves what is on the screen and paints the rest: nothing of a title stays where it was.
    const auto onScreen = [&] {
        QTest::qWait(20);
        return window.screen()->grabWindow(window.winId()).copy(QRect(view.viewport()->mapTo(&window, QPoint()), view.viewport()->size())).toImage();
    };
    for (const int step : {-90, -35, 60, 25}) {
        bar.setValue(bar.value() + step);
        const QImage panned = onScreen();
        QVERIFY(!panned.isNull());
        view.viewport()->update();
        QVERIFY2(onScreen() == panned, qPrintable(QString::number(step)));
    }
    view.setFocus();
    QTest::keyClick(&view, Qt::Key_F6);
    QVERIFY(!view.hasFocus());
    QTest::keyClick(&window, Qt::Key_F6);
    QVERIFY(view.hasFocus());
}

void WindowTest::panelsSpeakOfThePlan()
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

// What a person's hands may do in any order.
void WindowTest::noSequenceOfEventsGivesAnIllegalPlan()
{
    MainWindow window;
    openWithCosts(window, "sage.pt2");
    window.resize(1360, 860);
    GraphView& view = window.graphView();
    view.fit();
    PlanEditor& editor = window.document().planEditor();
    QTableView& table = window.planPanel().savePoints();
    std::mt19937 random(11);
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    const auto anywhere = [&] {
        if (below(3) > 0 && view.picture() && !view.picture()->dag.boxes.empty())  // most often a box
            return view
                .viewPosition(view.picture()->dag.boxes[static_cast<std::size_t>(below(static_cast<int>(view.picture()->dag.boxes.size())))].key)
                ->toPoint();
        return QPoint(below(view.viewport()->width()), below(view.viewport()->height()));
    };
    const auto onACut = [&] {
        const QRectF band = zoneOf(*view.picture(), Position::post(below(2)));
        return view.mapFromScene(QPointF(band.right() - 4, band.bottom() + 8));
    };
    constexpr std::array keys{Qt::Key_Tab,    Qt::Key_Up, Qt::Key_Down, Qt::Key_Left,  Qt::Key_Right, Qt::Key_Return,
                              Qt::Key_Escape, Qt::Key_C,  Qt::Key_Plus, Qt::Key_Minus, Qt::Key_F};
    std::set<QString> steps;
    for (int i = 0; i < 500; ++i) {
        switch (below(6)) {
        case 0:
        case 1: {  // a drag, some of them given up
            const bool ofCut = below(2) == 0;
            QTest::mousePress(view.viewport(), Qt::LeftButton, {}, ofCut ? onACut() : anywhere());
            for (int k = below(4); k >= 0; --k)
                QTest::mouseMove(view.viewport(), anywhere());
            if (below(4) == 0)
                QTest::keyClick(&view, Qt::Key_Escape);
            QTest::mouseRelease(view.viewport(), Qt::LeftButton, {}, anywhere());
            break;
        }
        case 2: QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, below(3) == 0 ? onACut() : anywhere()); break;
        case 3:
            if (const QAbstractItemModel& model = *table.model(); model.rowCount() > 0) {
                const QModelIndex cell = model.index(below(model.rowCount()), 0);
                table.setCurrentIndex(cell);
                QTest::keyClick(&table, Qt::Key_Space);
            }
            break;
        case 4: below(2) == 0 ? editor.history().undo() : editor.history().redo(); break;
        default:
            view.setFocus();
            QTest::keyClick(&view, keys[static_cast<std::size_t>(below(static_cast<int>(keys.size())))]);
        }
        QCOMPARE(editor.space()->whyIllegal(editor.plan()), std::string());
        QCOMPARE(editor.space()->whyIllegal(editor.shown()), std::string());
        steps.insert(editor.history().undoText());
        if (view.isLayingOut())
            QTRY_VERIFY_WITH_TIMEOUT(!view.isLayingOut(), patience);
    }
    QVERIFY2(steps.size() > 4, qPrintable(QString::number(steps.size())));  // of several kinds
    editor.history().setClean();
}

void WindowTest::aLookAtAnotherPlanKeepsTheResult()
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

void WindowTest::filesAreReadAgain()
{
    const QTemporaryDir folder;
    const QString model = folder.filePath(QStringLiteral("model.pt2")), graph = folder.filePath(QStringLiteral("g.csv"));
    const auto write = [&](const char* edges) {
        QFile file(graph);
        return file.open(QIODevice::WriteOnly) && file.write(edges) > 0;
    };
    QVERIFY(QFile::copy(example("gcn.pt2"), model) && write("0,1\n1,2\n"));
    MainWindow window;
    window.show();
    window.document().setRandomFeatures(true);
    window.document().open(model);
    window.document().open(graph);
    QTRY_VERIFY_WITH_TIMEOUT(window.document().model() && window.document().graph() && !window.document().isBusy(), patience);
    QCOMPARE(window.document().graph()->numEdges, std::int64_t{2});
    const std::string before = window.document().model()->program().name;
    QVERIFY(QFile::remove(model) && QFile::copy(example("sage.pt2"), model) && write("0,1\n1,2\n2,0\n"));
    window.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    QTest::keyClick(&window, Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(!window.document().isBusy() && window.document().model()->program().name != before, patience);
    QCOMPARE(window.document().graph()->numEdges, std::int64_t{3});
    QCOMPARE(window.document().modelPath(), model);
}

// Also an order of nodes, and a change while something runs; and a run does not make what Verify said untrue.
void WindowTest::resultsAreOfWhatWasSet()
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

void WindowTest::keysAreForTheStoryThatIsSeen()
{
    MainWindow window;
    open(window, "sage.pt2");
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    window.showStory();
    QTRY_VERIFY(window.story().isEnabled() && !window.story().visibleRegion().isEmpty());
    window.graphView().setFocus();
    QTest::keyClick(&window.graphView(), Qt::Key_N, Qt::AltModifier);
    QTRY_COMPARE(window.story().at(), std::size_t{1});
    for (QDockWidget* dock : window.findChildren<QDockWidget*>())
        if (dock->isAncestorOf(&window.planPanel())) {
            dock->show();
            dock->raise();
        }
    QTRY_VERIFY(window.story().visibleRegion().isEmpty());
    window.graphView().setFocus();
    QTest::keyClick(&window.graphView(), Qt::Key_N, Qt::AltModifier);
    QCoreApplication::processEvents();
    QCOMPARE(window.story().at(), std::size_t{1});
    window.showStory();
    QTRY_VERIFY(window.story().isEnabled());
}

void WindowTest::helpHasWordsAndKeys()
{
    MainWindow window;
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    QTest::keyClick(&window, Qt::Key_F1);
    const auto* help = window.findChild<HelpDialog*>();
    QVERIFY(help && help->isVisible());
    // Every key of the menus is there, beside the action that it does.
    int keys = 0;
    for (const QMenu* menu : window.menuBar()->findChildren<QMenu*>())
        for (const QAction* action : menu->actions())
            if (const QKeySequence shortcut = action->shortcut(); !shortcut.isEmpty()) {
                ++keys;
                QVERIFY2(help->text().contains(shortcut.toString(QKeySequence::NativeText)), qPrintable(action->text()));
            }
    QVERIFY(keys > 10);
    for (const char* word : {"message degree", "save point", "block", "prologue"})
        QVERIFY2(help->text().contains(QLatin1String(word)), word);
}

void WindowTest::keysDoOneThing()
{
    MainWindow window;
    QMap<QString, QString> known;
    for (const QMenu* menu : window.menuBar()->findChildren<QMenu*>())
        for (const QAction* action : menu->actions())
            for (const QKeySequence& key : action->shortcuts()) {
                const QString text = key.toString();
                QVERIFY2(!known.contains(text) || known[text] == action->text(),
                         qPrintable(text + QStringLiteral(": ") + known.value(text) + QStringLiteral(", ") + action->text()));
                known.insert(text, action->text());
            }
    QVERIFY(known.size() > 10);
}

void WindowTest::wheelScrollsPastFields()
{
    MainWindow window;
    openWithCosts(window, "gcn.pt2");
    auto* batches = window.findChild<BatchSizeBox*>();
    QVERIFY(batches != nullptr);
    const auto turn = [](QWidget& field) {
        const QPointF at = field.rect().center();
        QWheelEvent event(at, field.mapToGlobal(at), {}, QPoint(0, 120), Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
        QApplication::sendEvent(&field, &event);
    };
    window.graphView().setFocus();
    const RunOptions before = window.document().options().run;
    turn(*batches);
    turn(*window.findChild<MemoryBox*>());
    for (QComboBox* choice : window.findChild<ModelPanel*>()->findChildren<QComboBox*>())
        turn(*choice);
    QVERIFY(!batches->hasFocus());
    QCOMPARE(window.document().options().run.batchSize, before.batchSize);
    QCOMPARE(window.document().options().run.memoryBytes, before.memoryBytes);
    QVERIFY(window.document().options().run.order == before.order);
    batches->setFocus();
    QTRY_VERIFY(batches->hasFocus());
    turn(*batches);
    QVERIFY(window.document().options().run.batchSize != before.batchSize);
}

void WindowTest::focusInTablesSelectsNothing()
{
    MainWindow window;
    openWithCosts(window, "sage.pt2");
    TablePanel* tables = &window.tables();
    qobject_cast<QDockWidget*>(tables->parentWidget())->show();
    qobject_cast<QDockWidget*>(tables->parentWidget())->raise();
    QTableView* operators = &tables->operatorView();
    QTRY_VERIFY(operators->isVisible() && operators->model()->rowCount() > 3);
    const QSignalSpy chosen(tables, &TablePanel::opChosen);
    operators->setFocus();
    QTRY_VERIFY(operators->hasFocus());
    QCOMPARE(chosen.count(), 0);
    QVERIFY(!window.graphView().selection());
    QTest::keyClick(operators, Qt::Key_Down);
    QVERIFY(chosen.count() >= 1);
    for (const QList<QVariant>& op : chosen)
        QCOMPARE(op[0].value<OpId>().index, operators->currentIndex().row());
}

void WindowTest::oneBatchOfAllNodesStaysOne()
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

void WindowTest::functionsLargerThanTheViewStayWhereTheyAre()
{
    MainWindow window;
    openWithCosts(window, "gat.pt2");
    window.resize(1100, 500);
    GraphView& view = window.graphView();
    view.expandAll();
    QTRY_VERIFY_WITH_TIMEOUT(view.verticalScrollBar()->maximum() > view.verticalScrollBar()->minimum(), patience);
    QTRY_VERIFY_WITH_TIMEOUT(view.graphScene().isCurrent(), patience);
    view.setLitFunction(1);
    const QPoint first(view.horizontalScrollBar()->value(), view.verticalScrollBar()->value());
    for (int again = 0; again < 3; ++again) {
        view.setLitFunction(1);
        QCOMPARE(QPoint(view.horizontalScrollBar()->value(), view.verticalScrollBar()->value()), first);
    }
}

void WindowTest::theExampleRunsInBatches()
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

void WindowTest::longTipsAreBroken()
{
    MainWindow window;
    window.show();
    const auto tipOf = [](QWidget& widget) {
        const QPoint at = widget.rect().center();
        QHelpEvent help(QEvent::ToolTip, at, widget.mapToGlobal(at));
        QCoreApplication::sendEvent(&widget, &help);
        return QToolTip::text();
    };
    QLabel shorter(&window), longer(&window);
    shorter.setToolTip(QStringLiteral("Rows < 10"));
    longer.setToolTip(QStringLiteral("Rows < 10 ").repeated(15).trimmed() + u'\n' + QStringLiteral("and one line more"));
    QCOMPARE(tipOf(shorter), shorter.toolTip());
    const QString broken = tipOf(longer);
    QVERIFY2(broken.startsWith(QStringLiteral("<qt>Rows &lt; 10 ")) && broken.contains(QStringLiteral("<br>and one line more")), qPrintable(broken));
    QWidget* tip = nullptr;
    for (QWidget* widget : QApplication::topLevelWidgets())
        if (widget->isVisible() && widget->windowType() == Qt::ToolTip)
            tip = widget;
    QVERIFY(tip);
    QVERIFY2(tip->width() < tip->fontMetrics().horizontalAdvance(longer.toolTip().section(u'\n', 0, 0)), qPrintable(QString::number(tip->width())));
    QToolTip::hideText();
}

void WindowTest::tolerancesSayWhatTheyTake()
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

void WindowTest::plannersAreTakenByTheirButtons()
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

void WindowTest::aGraphThatDoesNotFitIsSaid()
{
    const QTemporaryDir folder;
    MainWindow window;
    open(window, "sage.pt2");
    RmatOptions options;
    options.scale = 5;
    options.features = 3;
    const QString file = folder.filePath(QStringLiteral("narrow.npz"));
    writeGraph(file.toStdString(), generateRmat(options));
    window.document().open(file);
    QTRY_VERIFY_WITH_TIMEOUT(!window.document().planEditor().costs().problem().isEmpty(), patience);
    QCOMPARE(window.planPanel().summary(), window.document().planEditor().costs().problem());
}

// A model whose cut is wrong by itself may be right with the sizes of a graph, whichever is opened first.
void WindowTest::graphsTellWhichSizesAreEqual()
{
    const QString model = QStringLiteral(CLEAVE_TEST_DIR "/models/zoo/counted_apart.pt2"),
                  graph = QStringLiteral(CLEAVE_TEST_DIR "/models/zoo/counted_apart.npz");
    MainWindow alone;
    alone.show();
    alone.document().open(model);
    QTRY_VERIFY_WITH_TIMEOUT(alone.messageBar().isVisible(), patience);
    QVERIFY(!alone.document().model());
    alone.document().open(graph);
    QTRY_VERIFY_WITH_TIMEOUT(alone.document().canRun(), patience);
    MainWindow beside;
    beside.show();
    beside.document().open(graph);
    QTRY_VERIFY_WITH_TIMEOUT(beside.document().graph() && !beside.document().isBusy(), patience);
    beside.document().open(model);
    QTRY_VERIFY_WITH_TIMEOUT(beside.document().canRun(), patience);
    QVERIFY(!beside.messageBar().isVisible());
    beside.document().verify();
    QTRY_VERIFY_WITH_TIMEOUT(beside.document().report().verify.has_value(), patience);
    QVERIFY(beside.document().report().verify->equal());
    // Another model is looked at before it is checked, as ever.
    beside.document().open(QStringLiteral(CLEAVE_TEST_DIR "/models/zoo/gcn.pt2"));
    QTRY_VERIFY_WITH_TIMEOUT(beside.document().model() && beside.document().model()->program().name != "CountedApart", patience);
}

// Rows of edges that are stored have functions of their own; costs of the program before are no longer asked.
void WindowTest::rewritesMayChangeTheFunctions()
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

void WindowTest::rewritesAreStepsOfTheHistory()
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

void WindowTest::rewritesThatLoseAreLeftOut()
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

void WindowTest::planBringsItsRewritesAndItsOrder()
{
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("a.cleave.json"));
    MainWindow window;
    open(window, "sage.pt2");
    window.document().setRewrites(allRewrites());
    window.document().setBatchSize(100);
    window.document().setNodeOrder(NodeOrder::Degree);
    QTRY_VERIFY_WITH_TIMEOUT(window.document().model()->traced && !window.document().isBusy(), patience);
    PlanEditor& editor = window.document().planEditor();
    const Move moved = editor.space()->moveCut(editor.plan(), 1, true);
    QVERIFY(moved.plan);
    editor.take(*moved.plan, QStringLiteral("move"));
    QVERIFY(window.document().savePlan(file));

    MainWindow first;  // the plan alone, then its model
    first.document().open(file);
    QVERIFY2(first.messageBar().text().contains(QStringLiteral("GraphSAGE")), qPrintable(first.messageBar().text()));
    first.document().open(example("sage.pt2"));
    QTRY_VERIFY_WITH_TIMEOUT(first.document().model() && !first.document().isBusy(), patience);
    QVERIFY(first.document().planEditor().plan() == *moved.plan);

    MainWindow other;
    other.document().open(example("sage.pt2"));
    other.document().open(file);  // while the model is being opened
    QTRY_VERIFY_WITH_TIMEOUT(other.document().model() && !other.document().isBusy(), patience);
    QVERIFY2(!other.messageBar().isVisibleTo(&other), qPrintable(other.messageBar().text()));
    QCOMPARE(other.document().model()->program().ops.size(), window.document().model()->program().ops.size());
    QVERIFY(other.document().planEditor().plan() == *moved.plan);
    QVERIFY(!other.document().planEditor().isModified());
    QCOMPARE(other.document().options().run.batchSize, 100);
    QVERIFY(other.document().options().run.order == NodeOrder::Degree);

    other.document().openModel(example("gcn.pt2"));  // a plan of another model
    other.document().openPlan(file);
    QTRY_VERIFY_WITH_TIMEOUT(other.document().model() && !other.document().isBusy(), patience);
    QCOMPARE(other.document().planEditor().space()->whyIllegal(other.document().planEditor().plan()), std::string());
}

void WindowTest::closingAsksForTheUnsavedPlan()
{
    MainWindow window;
    open(window, "sage.pt2");
    const auto answer = [&](QMessageBox::StandardButton button) {
        bool asked = false;
        QTimer::singleShot(0, &window, [&, button] {
            auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
            QVERIFY(box);
            asked = true;
            QTest::mouseClick(box->button(button), Qt::LeftButton);
        });
        window.close();
        return asked;
    };
    QVERIFY(window.document().planEditor().moveOps({opNamed(window, "linear_3")}, Position::pre(2)));
    QVERIFY(answer(QMessageBox::Cancel));
    QVERIFY(window.isVisible());
    window.recovery().write();
    QVERIFY(answer(QMessageBox::Discard));
    QVERIFY(!window.isVisible());
    QVERIFY(window.recovery().left().empty());
}

void WindowTest::unsavedPlanOutlivesItsWindow()
{
    Plan plan;
    {
        MainWindow window;
        open(window, "sage.pt2");
        window.document().open(QDir::current().relativeFilePath(example("cora.npz")));
        QTRY_VERIFY_WITH_TIMEOUT(window.document().graph() && !window.document().isBusy(), patience);
        QVERIFY(QDir::isAbsolutePath(window.document().graphPath()));  // the next window may start elsewhere
        QVERIFY(window.document().planEditor().moveOps({opNamed(window, "linear_3")}, Position::pre(2)));
        plan = window.document().planEditor().plan();
        window.recovery().write();
        MainWindow beside;
        QVERIFY(beside.recovery().left().empty());  // somebody works on it
    }
    MainWindow window;
    window.show();
    window.offerLeftPlans();
    QVERIFY(window.offerBar().isVisible());
    QVERIFY2(window.offerBar().text().startsWith(QStringLiteral("The plan of sage.pt2")), qPrintable(window.offerBar().text()));
    QTest::mouseClick(window.offerBar().buttons().at(0), Qt::LeftButton);
    QVERIFY(!window.offerBar().isVisible());
    QTRY_VERIFY_WITH_TIMEOUT(window.document().model() && window.document().graph() && !window.document().isBusy(), patience);
    QVERIFY(window.document().planEditor().plan() == plan);
    QVERIFY(window.isWindowModified());  // still not saved
    const QTemporaryDir folder;
    QVERIFY(window.document().savePlan(folder.filePath(QStringLiteral("a.cleave.json"))));
    QVERIFY(window.recovery().left().empty());
}

void WindowTest::aPlanWhoseModelIsGoneIsOfferedAgain()
{
    const QTemporaryDir folder;
    const QString model = folder.filePath(QStringLiteral("mine.pt2"));
    QVERIFY(QFile::copy(example("sage.pt2"), model));
    {
        MainWindow window;
        window.show();
        window.document().open(model);
        QTRY_VERIFY_WITH_TIMEOUT(window.document().model() && !window.document().isBusy(), patience);
        QVERIFY(window.document().planEditor().moveOps({opNamed(window, "linear_3")}, Position::pre(2)));
        window.recovery().write();
    }
    QVERIFY(QFile::rename(model, model + QStringLiteral(".away")));
    MainWindow window;
    window.show();
    window.offerLeftPlans();
    QTest::mouseClick(window.offerBar().buttons().at(0), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(window.messageBar().isVisible() && window.offerBar().isVisible(), patience);
    QVERIFY(!window.document().model());
    QVERIFY(QFile::rename(model + QStringLiteral(".away"), model));
    QTest::mouseClick(window.offerBar().buttons().at(0), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(window.document().model() && !window.document().isBusy() && window.isWindowModified(), patience);
    window.document().planEditor().history().setClean();
    QVERIFY(window.recovery().left().empty());
}

void WindowTest::planOfTheModelBeforeIsOfferedAgain()
{
    MainWindow window;
    open(window, "sage.pt2");
    QVERIFY(window.document().planEditor().moveOps({opNamed(window, "linear_3")}, Position::pre(2)));
    const Plan plan = window.document().planEditor().plan();

    // With and without the plan having been written before.
    for (const bool isWritten : {false, true}) {
        if (isWritten)
            window.recovery().write();
        window.document().open(example("gcn.pt2"));
        QTRY_VERIFY_WITH_TIMEOUT(window.offerBar().isVisible(), patience);
        QVERIFY2(window.offerBar().text().startsWith(QStringLiteral("The plan of sage.pt2")), qPrintable(window.offerBar().text()));
        QTest::mouseClick(window.offerBar().buttons().at(0), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(!window.document().isBusy() && window.document().modelPath().endsWith(QStringLiteral("sage.pt2")), patience);
        QVERIFY(window.document().planEditor().plan() == plan);
    }
    window.document().open(example("gcn.pt2"));
    QTRY_VERIFY_WITH_TIMEOUT(window.offerBar().isVisible(), patience);
    QTest::mouseClick(window.offerBar().buttons().at(1), Qt::LeftButton);
    QVERIFY(!window.offerBar().isVisible());
    QVERIFY(window.recovery().left().empty());
}

void WindowTest::aPlanComesBackWithItsGraphAndBatches()
{
    MainWindow window;
    open(window, "sage.pt2");
    window.document().open(example("cora.npz"));
    QTRY_VERIFY_WITH_TIMEOUT(window.document().graph() && !window.document().isBusy(), patience);
    const QString graph = window.document().graphPath();
    for (const bool isWritten : {true, false}) {
        window.document().chooseBatchSize(isWritten ? 100 : 200);
        const std::int64_t batchSize = window.document().options().run.batchSize;
        if (isWritten)
            window.recovery().write();
        // Its graph is there before the model is.
        window.document().open(example("gcn.pt2"));
        window.document().open(QStringLiteral(CLEAVE_TEST_DIR "/graphs/minesweeper.npz"));
        window.document().setBatchSize(7);
        QTRY_VERIFY_WITH_TIMEOUT(window.offerBar().isVisible() && !window.document().isBusy(), patience);
        QVERIFY(window.document().graphPath() != graph);
        QTest::mouseClick(window.offerBar().buttons().at(0), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(!window.document().isBusy() && window.document().modelPath().endsWith(QStringLiteral("sage.pt2")), patience);
        QCOMPARE(window.document().graphPath(), graph);
        QCOMPARE(window.document().options().run.batchSize, batchSize);
    }
}

void WindowTest::noSequenceOfMovesGivesAnIllegalPlan_data()
{
    QTest::addColumn<QByteArray>("model");
    for (const char* name : {"deeper_gcn", "pair_norm", "bipartite", "jk_cat"})  // global ops, several node types
        QTest::newRow(name) << QByteArray("../../tests/models/zoo/") + name + ".pt2";
}

void WindowTest::noSequenceOfMovesGivesAnIllegalPlan()
{
    QFETCH(const QByteArray, model);
    MainWindow window;
    open(window, model.constData());
    PlanEditor& editor = window.document().planEditor();
    const PlanSpace& space = *editor.space();
    std::mt19937 random(7);
    const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    const Plan first = editor.plan();
    int accepted = 0;
    for (int i = 0; i < 400; ++i) {
        switch (below(8)) {
        case 7: editor.setJoined(static_cast<int>(below(static_cast<std::size_t>(space.functions()) + 1)), below(2) == 0); break;
        case 5: editor.pin(space.ops()[below(space.ops().size())].op); break;
        case 6: editor.unpin(space.ops()[below(space.ops().size())].op); break;
        case 0: editor.history().undo(); break;
        case 1: editor.history().redo(); break;
        case 2: {
            const PlacedOp& placed = space.ops()[below(space.ops().size())];
            accepted += editor.moveOps(
                {placed.op}, Position{placed.least.at + static_cast<int>(below(static_cast<std::size_t>(placed.most.at - placed.least.at) + 2))});
            break;
        }
        case 3:
            if (const Move move = space.moveCut(editor.plan(), static_cast<int>(below(static_cast<std::size_t>(space.functions()))), below(2) == 0);
                move.plan)
                accepted += editor.take(*move.plan, QStringLiteral("move cut"));
            break;
        default: {
            const int cut = static_cast<int>(below(static_cast<std::size_t>(space.functions())));
            const auto& outputs = window.document().model()->program()[space.ops()[below(space.ops().size())].op].outputs;
            accepted += editor.setSaved(outputs.front(), cut, below(2) == 0);
        }
        }
        QCOMPARE(space.whyIllegal(editor.plan()), std::string());
    }
    QVERIFY2(accepted > 3, qPrintable(QString::number(accepted)));
    while (editor.history().canUndo())
        editor.history().undo();
    QVERIFY(editor.plan() == first);
    while (editor.history().canRedo())
        editor.history().redo();
    QCOMPARE(space.whyIllegal(editor.plan()), std::string());
    editor.history().setClean();
}

void WindowTest::itemModelsAreSound()
{
    MainWindow window;
    open(window, "gcn.pt2");
    openGraph(window);
    std::vector<std::unique_ptr<QAbstractItemModelTester>> testers;
    for (auto* view : window.findChildren<QAbstractItemView*>())
        if (view->model())
            testers.push_back(std::make_unique<QAbstractItemModelTester>(view->model(), QAbstractItemModelTester::FailureReportingMode::QtTest));
    QVERIFY(testers.size() >= 3);
    window.document().verify();
    QTRY_VERIFY_WITH_TIMEOUT(window.document().report().verify.has_value(), patience);
    window.document().setModel(nullptr, {});
}

void WindowTest::aWindowMayGoDuringADrag()
{
    for (const bool ofACut : {false, true}) {
        MainWindow window;
        openWithCosts(window, "sage.pt2");
        GraphView& view = window.graphView();
        if (ofACut) {
            const QRectF band = zoneOf(*view.picture(), Position::post(1));
            const QPoint from = view.mapFromScene(QPointF(band.right() - 4, band.bottom() + 8));
            QTest::mousePress(view.viewport(), Qt::LeftButton, {}, from);
            QTest::mouseMove(view.viewport(), from - QPoint(0, 25));
            QTest::mouseMove(view.viewport(), view.mapFromScene(QPointF(band.right() - 4, dynamic_cast<const CutDrag&>(*view.drag()).stops()[2])));
            QVERIFY(window.document().planEditor().hasPreview());
        } else {
            beginDrag(window, "linear_3", Position::pre(2));
        }
        QVERIFY(view.drag() != nullptr);
    }
}

void WindowTest::readingAnewKeepsThePlan()
{
    QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("model.pt2")), plan = folder.filePath(QStringLiteral("plan.cleave.json"));
    QVERIFY(QFile::copy(example("sage.pt2"), file));
    MainWindow window;
    QSignalSpy left(&window.recovery(), &Recovery::leftBehind);
    Document& document = window.document();
    PlanEditor& editor = document.planEditor();
    document.open(file);
    QTRY_VERIFY_WITH_TIMEOUT(document.model() != nullptr && !document.isBusy(), patience);
    const Move move = editor.space()->moveCut(editor.plan(), 1, true);
    QVERIFY(move.plan && *move.plan != editor.plan());
    editor.take(*move.plan, QStringLiteral("move"));
    const auto readAnew = [&] {
        const Model* before = document.model().get();
        window.recovery().reload();
        QTRY_VERIFY_WITH_TIMEOUT(document.model().get() != before && !document.isBusy(), patience);
        QCOMPARE(editor.plan(), *move.plan);
    };
    readAnew();
    QVERIFY(editor.isModified() && document.planPath().isEmpty());
    QVERIFY(document.savePlan(plan));
    readAnew();
    QVERIFY(!editor.isModified());
    QCOMPARE(document.planPath(), plan);
    // Of a model that cannot be read any more what is there stays, changes as well.
    editor.take(*editor.space()->moveCut(editor.plan(), 1, false).plan, QStringLiteral("move back"));
    const Plan changed = editor.plan();
    QVERIFY(QFile::resize(file, 1000));
    window.recovery().reload();
    QTRY_VERIFY_WITH_TIMEOUT(!window.messageBar().text().isEmpty() && !document.isBusy(), patience);
    QCOMPARE(editor.plan(), changed);
    QVERIFY(editor.isModified());
    QCOMPARE(left.count(), 0);
    // It is offered when another takes its place.
    document.open(example("gcn.pt2"));
    QTRY_VERIFY_WITH_TIMEOUT(document.model() != nullptr && document.modelPath() != file && !document.isBusy(), patience);
    QCOMPARE(left.count(), 1);
    Recovery::discard(left[0][0].value<LeftPlan>());
}

// Whatever is being read, checked, counted, laid out or run.
void WindowTest::aWindowMayGoAtAnyTime()
{
    std::mt19937 random(3);
    for (int round = 0; round < 16; ++round) {
        MainWindow window;
        window.resize(1300, 850);
        window.show();
        window.document().open(example(round % 2 == 0 ? "gat.pt2" : "sage.pt2"));
        window.document().open(example("cora.npz"));
        QTest::qWait(static_cast<int>(random() % 250));
        if (round % 3 == 0)
            window.showStory();
        PlanEditor& editor = window.document().planEditor();
        if (const PlanSpace* space = editor.space(); space != nullptr && round % 4 < 2)
            if (const Move move = space->moveCut(editor.plan(), 1, true); move.plan)
                editor.take(*move.plan, QStringLiteral("move"));
        if (round % 4 == 1)
            window.document().verify();
        if (round % 5 == 0)
            window.graphView().expandAll();
    }
    for (const LeftPlan& plan : MainWindow().recovery().left())
        Recovery::discard(plan);
}

void WindowTest::themesKeepTheSelection()
{
    MainWindow window;
    open(window, "sage.pt2");
    GraphView& view = window.graphView();
    const auto grab = [&] {
        QCoreApplication::processEvents();
        return view.viewport()->grab().toImage();
    };
    applyTheme(*qApp, Theme::Light);
    const QImage plain = grab();
    QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, place(view, boxOf(window, "linear_3")));
    const QImage selected = grab();
    QVERIFY(selected != plain);
    applyTheme(*qApp, Theme::Dark);
    QVERIFY(grab() != selected);
    applyTheme(*qApp, Theme::Light);
    QVERIFY(grab() == selected);
}

void WindowTest::undoIsThePlansWhileANumberHasTheFocus()
{
    MainWindow window;
    open(window, "sage.pt2");
    PlanEditor& editor = window.document().planEditor();
    QVERIFY(editor.moveOps({opNamed(window, "linear_3")}, Position::pre(2)));
    auto* number = window.findChild<ModelPanel*>()->findChild<QSpinBox*>();
    QVERIFY(number);
    window.activateWindow();
    number->setFocus();
    QTRY_VERIFY(number->hasFocus());
    const auto press = [&](Qt::Key key, Qt::KeyboardModifiers modifiers) { QTest::keyClick(QApplication::focusWidget(), key, modifiers); };
    press(Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(editor.history().index(), 0);
    press(Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
    QCOMPARE(editor.history().index(), 1);
    press(Qt::Key_A, Qt::ControlModifier);
    press(Qt::Key_7, {});
    press(Qt::Key_Z, Qt::ControlModifier);  // of the text that is being written
    QCOMPARE(editor.history().index(), 1);
    editor.history().setClean();
}

void WindowTest::storyAndEmptyPageOpenTheExample()
{
    {
        MainWindow window;
        window.show();
        window.showStory();
        QTRY_VERIFY_WITH_TIMEOUT(window.document().model() && window.document().graph() && !window.document().isBusy(), patience);
        QCOMPARE(QFileInfo(window.document().modelPath()).fileName(), QStringLiteral("sage.pt2"));
        QCOMPARE(window.document().graph()->numNodes, 2708);
    }
    MainWindow window;
    window.show();
    const QList<QLabel*> labels = window.centralWidget()->findChildren<QLabel*>();
    const auto empty = std::ranges::find_if(
        labels, [](const QLabel* label) { return label->isVisible() && label->text().contains(QStringLiteral("href='example'")); });
    QVERIFY(empty != labels.end());
    Q_EMIT (*empty)->linkActivated(QStringLiteral("example"));
    QVERIFY2((*empty)->text().contains(QStringLiteral("sage.pt2")) && !(*empty)->text().contains(QStringLiteral("Drop")),
             qPrintable((*empty)->text()));
    QTRY_VERIFY_WITH_TIMEOUT(window.graphView().picture() && !window.document().isBusy(), patience);
    QVERIFY(!(*empty)->isVisible());
}

void WindowTest::machineIsMeasuredInTheWindow()
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
    QVERIFY(window.graphView().selection() == selected);  // though the table has the focus now
    QVERIFY(!window.planPanel().summary().contains(QStringLiteral("assumed")));
    QVERIFY(readRates(ratesPath()).source.starts_with("measured"));
    QVERIFY(ratesPath().string().starts_with(folder.path().toStdString()));
}

void WindowTest::plansAreComparedBySmallDifferences()
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

void WindowTest::messagesAreReadInEveryTheme()
{
    applyTheme(*qApp, Theme::Light);
    MainWindow window;
    window.show();
    window.document().open(QStringLiteral("/nonexistent.pt2"));
    QTRY_VERIFY_WITH_TIMEOUT(window.messageBar().isVisible(), patience);
    for (const Theme theme : {Theme::Dark, Theme::Light, Theme::HighContrast, Theme::Light}) {
        applyTheme(*qApp, theme);
        QCoreApplication::processEvents();
        auto& bar = const_cast<MessageBar&>(window.messageBar());
        const int text = bar.findChildren<QLabel*>().last()->palette().color(QPalette::WindowText).lightness(),
                  ground = bar.grab().toImage().pixelColor(3, bar.height() / 2).lightness();
        QCOMPARE(ground < 128, QApplication::palette().color(QPalette::Window).lightness() < 128);
        QVERIFY2(std::abs(text - ground) > 140, qPrintable(QStringLiteral("%1: %2 on %3").arg(themeName(theme)).arg(text).arg(ground)));
    }
}

// Titles of modules lie above arrows: heads end below them.
void WindowTest::arrowsIntoModulesKeepTheirHeads()
{
    constexpr double head = 8;
    MainWindow window;
    open(window, "gcn.pt2");
    GraphView& view = window.graphView();
    view.expandAll();
    QTRY_VERIFY_WITH_TIMEOUT(!view.isLayingOut(), patience);
    const GraphPicture& picture = *view.picture();
    int frames = 0;
    for (const QGraphicsItem* item : view.scene()->items())
        if (const auto* frame = dynamic_cast<const FrameItem*>(item)) {
            ++frames;
            for (const std::vector<LayoutPoint>& path : picture.layout.paths)
                if (!path.empty())
                    QVERIFY(!frame->headerRect().intersects(QRectF(path.back().x - 1, path.back().y - head, 2, head)));
        }
    QVERIFY(frames > 0);
}

void WindowTest::nothingIsRewrittenDuringARun()
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

// Shift and = write the + that zooms: the same keys for the text would be taken for it.
void WindowTest::textSizeHasKeysOfItsOwn()
{
    MainWindow window;
    QList<QKeySequence> larger, zooming;
    for (const QAction* action : window.findChildren<QAction*>()) {
        if (action->text() == QStringLiteral("&Larger text"))
            larger = action->shortcuts();
        if (action->text() == QStringLiteral("Zoom &in"))
            zooming = action->shortcuts();
    }
    QVERIFY(!larger.isEmpty() && !zooming.isEmpty());
    for (const QKeySequence& a : larger)
        for (const QKeySequence& b : zooming)
            QVERIFY(a[0].key() != b[0].key());
}

void WindowTest::titlesOfDocksGrowWithTheText()
{
    const QFont before = QApplication::font();
    applyTheme(*qApp, Theme::Light);
    MainWindow window;
    window.resize(1300, 850);
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    auto* dock = window.findChild<QDockWidget*>(QStringLiteral("model"));
    const auto ink = [&] {  // how far to the right there are dark points in the title's row
        const QImage image = dock->grab().toImage();
        const int bottom = dock->widget()->y(), right = dock->width() / 2;
        int last = 0;
        for (int y = 0; y < bottom; ++y)
            for (int x = 0; x < right; ++x)
                last = qGray(image.pixel(x, y)) < 90 ? std::max(last, x) : last;
        return last;
    };
    QFont font = before;
    font.setPointSizeF(8);
    QApplication::setFont(font);
    QCoreApplication::processEvents();
    const int small = ink();
    font.setPointSizeF(12);
    QApplication::setFont(font);
    QCoreApplication::processEvents();
    const int large = ink();
    const QLabel* const heading = window.findChild<Inspector*>()->findChild<QLabel*>();
    QVERIFY(heading->font().pointSizeF() > 12);
    QApplication::setFont(before);
    QVERIFY2(small > 20 && large > 1.3 * small, qPrintable(QStringLiteral("%1, then %2").arg(small).arg(large)));
}

void WindowTest::labelsOfDragsAreWholeAndBeside()
{
    MainWindow window;
    openWithCosts(window, "sage.pt2");
    GraphView& view = window.graphView();
    const DagKey key = boxOf(window, "linear_3");
    const auto box = [&] {
        const int index = view.picture()->dag.find(key);
        return view.mapFromScene(view.graphScene().boxRect(index)).boundingRect();
    };
    const auto label = [&]() -> const PlanLabel* {
        for (const PlanLabel* candidate : view.viewport()->findChildren<PlanLabel*>())
            if (!candidate->isHidden())
                return candidate;
        return nullptr;
    };
    view.setZoom(2);
    view.select(key);
    view.lookAt(view.graphScene().boxRect(view.picture()->dag.find(key)).center());
    beginDrag(window, "linear_3", Position::pre(2));
    QTest::mouseMove(view.viewport(), box().center());
    QVERIFY(label() && !label()->geometry().intersects(box()));
    const int height = view.viewport()->height(), width = view.viewport()->width();
    for (const QPoint& at : {QPoint(width / 2, height - 2), QPoint(width - 2, height - 2), QPoint(2, height - 2), QPoint(width / 2, height + 2)}) {
        QTest::mouseMove(view.viewport(), at);
        QVERIFY2(label(), qPrintable(QStringLiteral("%1, %2").arg(at.x()).arg(at.y())));
        QVERIFY2(view.viewport()->rect().contains(label()->geometry()) && !label()->geometry().contains(at),
                 qPrintable(QStringLiteral("%1, %2").arg(at.x()).arg(at.y())));
    }
    QTest::keyClick(&view, Qt::Key_Escape);
}

void WindowTest::widePicturesStartWhereTheirBoxesAre()
{
    MainWindow window;
    for (const char* name : {"deep_gcn2", "simulator_decomposed", "film_relations"}) {
        window.resize(1360, 860);
        window.show();
        GraphView& view = window.graphView();
        const QString file = QStringLiteral(CLEAVE_TEST_DIR "/models/zoo/%1.pt2").arg(QLatin1String(name));
        window.document().open(file);
        QTRY_VERIFY_WITH_TIMEOUT(window.document().modelPath() == file && !view.isLayingOut() && !window.document().isBusy(), patience);
        std::set<int> bands, withBoxes;
        for (std::size_t i = 0; i < view.picture()->dag.boxes.size(); ++i) {
            const QRect box = view.mapFromScene(view.graphScene().boxRect(static_cast<int>(i))).boundingRect();
            if (box.bottom() <= 0 || box.top() >= view.viewport()->height())
                continue;
            bands.insert(view.picture()->dag.boxes[i].key.band);
            if (view.viewport()->rect().intersects(box))
                withBoxes.insert(view.picture()->dag.boxes[i].key.band);
        }
        QVERIFY2(2 * withBoxes.size() > bands.size(),
                 qPrintable(QStringLiteral("%1: %2 of %3").arg(QLatin1String(name)).arg(withBoxes.size()).arg(bands.size())));
    }
}

void WindowTest::selectionStaysInSightBesideOtherPanels()
{
    MainWindow window;
    open(window, "sage.pt2");
    GraphView& view = window.graphView();
    const DagKey last = boxOf(window, "add_1");
    QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, place(view, last));
    QVERIFY(view.selection() == last);
    for (const char* name : {"code", "tables"}) {
        auto* dock = window.findChild<QDockWidget*>(QLatin1String(name));
        const int before = view.height();
        dock->toggleViewAction()->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(view.height() < before, patience);
        QVERIFY2(view.viewport()->rect().contains(place(view, last)), name);
        dock->toggleViewAction()->trigger();
        QTRY_VERIFY(view.height() >= before);
    }
}

void WindowTest::barsOfFunctionsAreWhole()
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

void WindowTest::buttonsOfThePlanStayInTheirPlace()
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

void WindowTest::titlesLeaveSavePointsFree()
{
    MainWindow window;
    open(window, "jk.pt2");
    GraphView& view = window.graphView();
    view.setZoom(3);
    const GraphPicture& picture = *view.picture();
    const auto tensor = std::ranges::find_if(picture.dag.boxes, [](const DagBox& box) {
        return box.key.kind == BoxKind::Tensor && box.key.band > 0 && !box.isReminder && box.level > 0 && !box.isOutput;
    });
    QVERIFY(tensor != picture.dag.boxes.end());
    const auto index = static_cast<std::size_t>(tensor - picture.dag.boxes.begin());
    const LayoutPoint centre = picture.layout.centres[index];
    const QSizeF size = picture.sizes[index];
    // Its left end comes to the view's, where the title of the cut stays.
    view.lookAt({centre.x - size.width() / 2 + (view.viewport()->width() / 2.0 - 20) / view.zoom(), centre.y});
    const QRectF box =
        view.mapFromScene(QRectF(centre.x - size.width() / 2, centre.y - size.height() / 2, size.width(), size.height())).boundingRect();
    QVERIFY2(box.left() > 0 && box.left() < 60, qPrintable(QString::number(box.left())));
    const GraphStyle& style = view.graphScene().style();
    const QRgb expected = style.colors.level(tensor->level, style.levels).rgb();
    const QImage seen = view.viewport()->grab().toImage();
    const double zoom = view.zoom();
    int kept = 0, all = 0;
    for (double x = 6; x < 6 + style.metrics.tab; ++x)
        for (double y = size.height() * 0.35; y < size.height() * 0.65; ++y, ++all)
            kept += seen.pixel(static_cast<int>(box.left() + x * zoom), static_cast<int>(box.top() + y * zoom)) == expected ? 1 : 0;
    QVERIFY2(2 * kept > all, qPrintable(QStringLiteral("%1 of %2").arg(kept).arg(all)));  // the rest is its number
}

void WindowTest::batchesAreNoLargerThanTheGraph()
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

void WindowTest::choicesStayWithinTheWindow()
{
    MainWindow window;
    window.resize(1100, 760);
    window.show();
    window.document().openModel(QStringLiteral(CLEAVE_TEST_DIR "/models/zoo/gat.pt2"));
    QTRY_VERIFY_WITH_TIMEOUT(window.document().model() != nullptr && !window.document().isBusy(), patience);
    const int width = window.width();
    window.document().openGraph(QStringLiteral(CLEAVE_TEST_DIR "/models/zoo/hgt.npz"));
    QTRY_VERIFY_WITH_TIMEOUT(window.messageBar().buttons().size() > 1, patience);
    QTRY_COMPARE(window.width(), width);
    for (const QPushButton* button : window.messageBar().buttons())
        QVERIFY2(window.messageBar().rect().contains(QRect(button->mapTo(&window.messageBar(), QPoint()), button->size())),
                 qPrintable(button->text()));
    // Another graph makes them moot.
    window.document().openGraph(QStringLiteral(CLEAVE_TEST_DIR "/models/zoo/gat.npz"));
    QTRY_VERIFY_WITH_TIMEOUT(!window.messageBar().isVisible() && !window.document().isBusy(), patience);
}

void WindowTest::refusedModelsAreNamed()
{
    MainWindow window;
    open(window, "gat.pt2");
    window.document().openModel(QStringLiteral(CLEAVE_TEST_DIR "/models/hostile/name_twice.pt2"));
    QTRY_VERIFY_WITH_TIMEOUT(window.messageBar().text().startsWith(QStringLiteral("name_twice.pt2 was not opened. ")), patience);
    QVERIFY(window.document().model() != nullptr);
    window.graphView().setFocus();
    QTest::keyClick(&window.graphView(), Qt::Key_Escape);
    QTRY_VERIFY(!window.messageBar().isVisible());
}

void WindowTest::pathsThatAreNotThereStopNothing()
{
    MainWindow window;
    window.document().open(QStringLiteral(CLEAVE_TEST_DIR "/models/zoo/gat.pt2"));
    window.document().open(QStringLiteral("/nonexistent/graph"));
    QTRY_VERIFY_WITH_TIMEOUT(window.document().model() != nullptr, patience);
    const QTemporaryDir folder;
    writeGraph(folder.filePath(QStringLiteral("graph")).toStdString(), readGraph(CLEAVE_TEST_DIR "/models/zoo/gat.npz"));
    window.document().open(folder.filePath(QStringLiteral("graph")));
    QTRY_VERIFY_WITH_TIMEOUT(window.document().graph() != nullptr, patience);
}

void WindowTest::cancelledRewritesAreNotThere()
{
    MainWindow window;
    openWithCosts(window, "sage.pt2");
    const std::set<Rewrite> before = window.document().rewrites();
    window.document().setRewrites(before.empty() ? allRewrites() : std::set<Rewrite>());
    window.document().cancel();
    QTRY_VERIFY_WITH_TIMEOUT(!window.document().isBusy(), patience);
    QVERIFY(window.document().rewrites() == window.document().planEditor().rewrites());
}

void WindowTest::barsThatTakeFarMoreAreBroken()
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

void WindowTest::tabFollowsWhatIsSeen()
{
    MainWindow window;
    openWithCosts(window, "sage.pt2");
    const auto isInOrder = [](const QWidget& panel) {
        int last = -1;
        for (const QWidget* widget = panel.nextInFocusChain(); widget != &panel; widget = widget->nextInFocusChain()) {
            const bool isButton =
                qobject_cast<const QPushButton*>(widget) || qobject_cast<const QComboBox*>(widget) || qobject_cast<const QSpinBox*>(widget);
            if (!panel.isAncestorOf(widget) || !widget->isVisible() || !isButton)
                continue;
            const int row = widget->mapTo(&panel, QPoint()).y();
            if (row < last)
                return false;
            last = row;
        }
        return last > 0;
    };
    QVERIFY(isInOrder(*window.findChild<ModelPanel*>()));
    QVERIFY(isInOrder(window.planPanel()));
}

// A tensor that crosses several cuts is written once, and read where it is read.
void WindowTest::savePointsAreCountedOnce()
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

void WindowTest::runsThatTakeFarLongerSaySo()
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

void WindowTest::findingNothingLeavesTheSelection()
{
    MainWindow window;
    open(window, "sage.pt2");
    GraphView& view = window.graphView();
    const DagKey box = boxOf(window, "linear_1");
    view.select(box);
    window.findBar().begin();
    QTest::keyClicks(&window.findBar().edit(), QStringLiteral("relu"));
    QVERIFY(view.selection() && view.selection() != box);
    window.findBar().edit().selectAll();
    QTest::keyClicks(&window.findBar().edit(), QStringLiteral("addzzz"));
    QCOMPARE(window.findBar().status(), QStringLiteral("Nothing found"));
    QVERIFY(view.selection() == box);
}

void WindowTest::contextMenusOfferWhatCanBeDone()
{
    MainWindow window;
    open(window, "gat.pt2");
    GraphView& view = window.graphView();
    // What the menu there holds; one of its actions is triggered.
    const auto menuAt = [&](const QPoint& at, const QString& trigger = {}) {
        QStringList texts;
        QTimer::singleShot(0, &window, [&] {
            auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
            QVERIFY(menu);
            QAction* chosen = nullptr;
            for (QAction* action : menu->actions()) {
                texts.append(QString(action->text()).remove(u'&'));
                if (!trigger.isEmpty() && texts.back() == trigger)
                    chosen = action;
            }
            if (chosen != nullptr)
                QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(chosen).center());
            else
                QTest::keyClick(menu, Qt::Key_Escape);
        });
        QContextMenuEvent event(QContextMenuEvent::Mouse, at, view.viewport()->mapToGlobal(at));
        QApplication::sendEvent(view.viewport(), &event);
        return texts;
    };
    const QStringList ofPicture{QStringLiteral("Fit"), QStringLiteral("Expand all"), QStringLiteral("Collapse all"), QStringLiteral("Export…")};
    const auto holds = [&](const QStringList& menu, const QStringList& all) {
        return std::ranges::all_of(all, [&](const QString& text) { return menu.contains(text); });
    };
    QVERIFY(holds(menuAt({2, 2}), ofPicture));

    view.collapseAll();
    QTRY_VERIFY_WITH_TIMEOUT(!view.isLayingOut(), patience);
    const DagKey module = firstBox(window, BoxKind::Module);
    view.select(module);
    const QPoint at = place(view, module);
    const QStringList texts = menuAt(at, QStringLiteral("Copy name"));
    QVERIFY2(holds(texts, ofPicture + QStringList{QStringLiteral("Expand"), QStringLiteral("Show code"), QStringLiteral("Show in table")}),
             qPrintable(texts.join(u'|')));
    QCOMPARE(QGuiApplication::clipboard()->text(), view.graphScene().style().metrics.heading(*view.selectedBox()));
    const std::vector<OpId> ops = view.selectedBox()->ops;
    auto* tables = window.findChild<QDockWidget*>(QStringLiteral("tables"));
    QVERIFY(!tables->isVisible());
    menuAt(at, QStringLiteral("Show in table"));
    QTRY_VERIFY(tables->isVisible());
    QCOMPARE(window.tables().operatorView().selectionModel()->currentIndex().row(), ops.front().index);
    const std::size_t before = view.picture()->dag.boxes.size();
    menuAt(place(view, module), QStringLiteral("Expand"));
    QTRY_VERIFY_WITH_TIMEOUT(!view.isLayingOut() && view.picture()->dag.boxes.size() > before, patience);
}

void WindowTest::tablesAreCopied()
{
    MainWindow window;
    openWithCosts(window, "jk.pt2");
    window.findChild<QDockWidget*>(QStringLiteral("tables"))->toggleViewAction()->trigger();
    QTableView& table = window.tables().operatorView();
    QTRY_VERIFY(table.isVisible() && table.model()->rowCount() > 10);
    window.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    table.horizontalHeader()->moveSection(1, 0);
    const auto lineOf = [&](int row) {
        QStringList cells;
        for (int place = 0; place < table.model()->columnCount(); ++place)
            cells.append(table.model()->index(row, table.horizontalHeader()->logicalIndex(place)).data().toString().simplified());
        return cells.join(QLatin1Char('\t'));
    };
    QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, table.visualRect(table.model()->index(2, 0)).center());
    // Of several ops that the picture has one box for, the one that was chosen.
    QTRY_VERIFY(window.graphView().selectedBox() && window.graphView().selectedBox()->ops.size() > 1);
    QTest::keySequence(&table, QKeySequence::Copy);
    QCOMPARE(QGuiApplication::clipboard()->text(), lineOf(2) + QLatin1Char('\n'));

    QCOMPARE(table.contextMenuPolicy(), Qt::ActionsContextMenu);
    table.actions().last()->trigger();
    const QStringList lines = QGuiApplication::clipboard()->text().split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    QCOMPARE(lines.size(), table.model()->rowCount() + 1);
    QVERIFY2(lines.front().startsWith(table.model()->headerData(1, Qt::Horizontal).toString() + u'\t'), qPrintable(lines.front()));
    QCOMPARE(lines.back(), lineOf(table.model()->rowCount() - 1));
}

void WindowTest::tablesAreSortedByTheirHeaders()
{
    MainWindow window;
    openWithCosts(window, "jk.pt2");
    QTableView& table = window.planPanel().savePoints();
    const auto column = [&](int of) {
        QStringList texts;
        for (int row = 0; row < table.model()->rowCount(); ++row)
            texts.append(table.model()->index(row, of).data().toString());
        return texts;
    };
    const QStringList own = column(SavePointModel::Tensor);
    const auto click = [&](QTableView& view, int section) {
        const QHeaderView& header = *view.horizontalHeader();
        QTest::mouseClick(header.viewport(), Qt::LeftButton, {},
                          QPoint(header.sectionViewportPosition(section) + header.sectionSize(section) / 2, header.height() / 2));
    };
    click(table, SavePointModel::Tensor);
    QStringList sorted = own;
    std::ranges::sort(sorted);
    QCOMPARE(column(SavePointModel::Tensor), sorted);
    QVERIFY(sorted != own);
    // What is selected is what is shown.
    QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, table.visualRect(table.model()->index(0, SavePointModel::Cut)).center());
    QVERIFY2(window.planPanel().savePointText().startsWith(sorted.front() + u':'), qPrintable(window.planPanel().savePointText()));
    click(table, SavePointModel::Tensor);
    click(table, SavePointModel::Tensor);
    QCOMPARE(column(SavePointModel::Tensor), own);

    window.findChild<QDockWidget*>(QStringLiteral("tables"))->toggleViewAction()->trigger();
    QTableView& operators = window.tables().operatorView();
    QTRY_VERIFY(operators.isVisible() && operators.model()->rowCount() > 10);
    click(operators, 0);
    const OpId first = opNamed(window, "add_1");
    QVERIFY(first.valid());
    for (int row = 0; row < operators.model()->rowCount(); ++row)
        if (operators.model()->index(row, 0).data().toString() == QStringLiteral("add_1"))
            operators.setCurrentIndex(operators.model()->index(row, 0));
    QVERIFY(window.graphView().selectedBox() && std::ranges::count(window.graphView().selectedBox()->ops, first) == 1);
}

void WindowTest::plannersStandInTheMenu()
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

// One that was asked for at the start, not in the settings.
void WindowTest::largerTextKeepsTheTheme()
{
    const Settings before = readSettings();
    MainWindow window;
    window.show();
    applyTheme(*qApp, Theme::Dark);
    const double size = QApplication::font().pointSizeF();
    for (QAction* action : window.findChildren<QAction*>())
        if (action->text() == QStringLiteral("&Larger text"))
            action->trigger();
    QCOMPARE(QApplication::font().pointSizeF(), size + 1);
    const bool isDark = QApplication::palette().color(QPalette::Window).lightness() < 128;
    writeSettings(before);
    applySettings(*qobject_cast<QApplication*>(QApplication::instance()), before);
    QVERIFY(isDark);
}

void WindowTest::tablesOpenWithSomeRows()
{
    MainWindow window;
    open(window, "gat.pt2");
    window.findChild<QDockWidget*>(QStringLiteral("tables"))->toggleViewAction()->trigger();
    const QTableView& table = window.tables().operatorView();
    QTRY_VERIFY(table.isVisible() && table.model()->rowCount() > 10);
    QTRY_VERIFY2(table.viewport()->height() >= 5 * table.rowHeight(0),
                 qPrintable(QStringLiteral("%1 of %2").arg(table.viewport()->height()).arg(table.rowHeight(0))));
}

void WindowTest::storyShowsTheBestCutWhereItDid()
{
    MainWindow window;
    open(window, "sage.pt2");
    openGraph(window);
    PlanEditor& editor = window.document().planEditor();
    const auto hasCosts = [&] { return editor.cost() && editor.costs().plans().size() == 5; };
    window.document().setBatchSize(window.document().graph()->numNodes / 10);  // as exercises have them
    QTRY_VERIFY_WITH_TIMEOUT(hasCosts(), patience);
    editor.take(editor.costs().plans()[2].planned.plan, QStringLiteral("found"));
    const Plan best = editor.plan();
    const int before = editor.history().index();
    StoryView& story = window.story();
    window.showStory();
    story.go(story.steps() - 1);
    QTRY_VERIFY(story.exercise().isVisible());
    QTest::mouseClick(&story.exercise(), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(hasCosts(), patience);
    QTest::mouseClick(&story.reveal(), Qt::LeftButton);
    QTest::mouseClick(&story.optimum(), Qt::LeftButton);
    QVERIFY(editor.plan() == best);
    QVERIFY2(story.text().contains(QLatin1String("is shown now")), qPrintable(story.text()));
    while (editor.history().index() > before)
        editor.history().undo();
    QVERIFY(editor.plan() == best);  // the same one, but not the program's
    QVERIFY2(!story.text().contains(QLatin1String("is shown now")), qPrintable(story.text()));
    editor.history().setClean();
}

void WindowTest::legendTakesTheRowsThatItNeeds()
{
    MainWindow window;
    open(window, "sage.pt2");
    const auto* legend = window.findChild<Legend*>();
    QVERIFY(legend && legend->isVisible());
    const int row = legend->heightForWidth(2000);
    QCOMPARE(legend->heightForWidth(400) % row, 0);
    QVERIFY(legend->heightForWidth(400) > row);
    const auto isWhole = [&] { return legend->height() >= legend->heightForWidth(legend->width()); };
    QVERIFY(isWhole());
    window.resize(1000, 650);
    QTRY_COMPARE(window.height(), 650);
    QTRY_VERIFY2(isWhole(), qPrintable(QStringLiteral("%1 of %2").arg(legend->height()).arg(legend->heightForWidth(legend->width()))));
    QVERIFY(window.graphView().height() > 100);
    window.setPresenting(true);
    QTRY_VERIFY(window.story().isVisible());
    QTRY_VERIFY(isWhole());
    window.setPresenting(false);
}

// Nine levels on seven swatches: some are left out, the last one is not.
void WindowTest::legendEndsWithTheHighestDegree()
{
    MainWindow window;
    open(window, "../../tests/models/zoo/deep_gcn2.pt2");
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("a.svg"));
    window.exportTo(path);
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QString svg = QString::fromUtf8(file.readAll());
    static const QRegularExpression number(QStringLiteral(">\\s*(\\d+)\\s*</text>"));
    QStringList swatches;
    for (auto match = number.globalMatch(svg, svg.indexOf(QStringLiteral("Message degree"))); match.hasNext();)
        swatches += match.next().captured(1);
    QVERIFY2(swatches.size() > 3 && swatches.size() <= 7, qPrintable(swatches.join(u' ')));
    QCOMPARE(swatches.first(), QStringLiteral("0"));
    QCOMPARE(swatches.last(), QStringLiteral("9"));
}

void WindowTest::picturesTooLongForPixelsAreRefused()
{
    MainWindow window;
    open(window, "gcn.pt2");
    const auto* legend = window.findChild<Legend*>();
    QGraphicsScene scene;
    const QTemporaryDir folder;
    const auto written = [&](double height, const char* name) {
        scene.setSceneRect(0, 0, 500, height);
        const QString path = folder.filePath(QLatin1String(name));
        exportPicture(Paper(scene, *legend, Qt::white), QStringLiteral("long"), path);
        return path;
    };
    const QImage small(written(20'000, "small.png"));
    QVERIFY2(small.height() > 30'000 && small.height() <= 32'000, qPrintable(QString::number(small.height())));
    QVERIFY_EXCEPTION_THROWN(written(200'000, "long.png"), Error);
    QVERIFY(QFileInfo(written(200'000, "long.svg")).size() > 0);
    QCOMPARE(QDir(folder.path()).entryList(QDir::Files), QStringList({QStringLiteral("long.svg"), QStringLiteral("small.png")}));
}

void WindowTest::comparisonEndsWhereThereIsOne()
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

}  // namespace cleave::views

QTEST_MAIN(cleave::views::WindowTest)
#include "window_test.moc"
