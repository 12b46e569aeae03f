// What outlives a window: files of the last session, settings, and plans that were not saved.
#include "tests/views/window/fixture.h"

#include <QComboBox>
#include <QDir>
#include <QDoubleSpinBox>
#include <QFileDialog>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTimer>
#include <algorithm>
#include <random>
#include <set>

#include "core/base/mapping.h"
#include "core/run/model.h"
#include "core/run/rewrite_worth.h"
#include "views/export_picture.h"
#include "views/find_bar.h"
#include "views/found_list.h"
#include "views/graph_scene.h"
#include "views/help_dialog.h"
#include "views/inspector.h"
#include "views/legend.h"
#include "views/message_bar.h"
#include "views/plan_drag.h"
#include "views/plan_panel.h"
#include "views/property_view.h"
#include "views/session.h"
#include "views/settings_dialog.h"
#include "views/staged_model.h"
#include "views/story_view.h"
#include "views/text.h"
#include "views/theme.h"

namespace cleave::views {

class SessionTest : public WindowFixture {
    Q_OBJECT

private Q_SLOTS:
    void settingsTakeEffectAndAreKept();
    void planIsSavedAndOpened();
    void plansThatWereLeftDoNotMarkTheNextModel();
    void sessionAndRecentFilesAreKept();
    void sessionKeepsThePlanAndItsBatches();
    void planIsSavedWhereItIs();
    void planOfAnotherFileIsSaid();
    void planOfAnotherModelChangesNothing();
    void filesOfTheLastSessionThatAreGoneAreNamed();
    void planBringsItsRewritesAndItsOrder();
    void closingAsksForTheUnsavedPlan();
    void unsavedPlanOutlivesItsWindow();
    void aPlanWhoseModelIsGoneIsOfferedAgain();
    void planOfTheModelBeforeIsOfferedAgain();
    void aPlanComesBackWithItsGraphAndBatches();
    void aWindowMayGoDuringADrag();
    void aWindowMayGoAtAnyTime();
};

void SessionTest::settingsTakeEffectAndAreKept()
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

void SessionTest::planIsSavedAndOpened()
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
void SessionTest::plansThatWereLeftDoNotMarkTheNextModel()
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

void SessionTest::sessionAndRecentFilesAreKept()
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

void SessionTest::sessionKeepsThePlanAndItsBatches()
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
void SessionTest::planIsSavedWhereItIs()
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
void SessionTest::planOfAnotherFileIsSaid()
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
void SessionTest::planOfAnotherModelChangesNothing()
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

void SessionTest::filesOfTheLastSessionThatAreGoneAreNamed()
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

void SessionTest::planBringsItsRewritesAndItsOrder()
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

void SessionTest::closingAsksForTheUnsavedPlan()
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

void SessionTest::unsavedPlanOutlivesItsWindow()
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

void SessionTest::aPlanWhoseModelIsGoneIsOfferedAgain()
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

void SessionTest::planOfTheModelBeforeIsOfferedAgain()
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

void SessionTest::aPlanComesBackWithItsGraphAndBatches()
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

void SessionTest::aWindowMayGoDuringADrag()
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

// Whatever is being read, checked, counted, laid out or run.
void SessionTest::aWindowMayGoAtAnyTime()
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

static const WindowTests sessionTests([] { return std::make_unique<SessionTest>(); });

}  // namespace cleave::views

#include "session_test.moc"
