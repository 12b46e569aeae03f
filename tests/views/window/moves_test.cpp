// Moves of ops and cuts by mouse, keys and menus.
#include "tests/views/window/fixture.h"

#include <QContextMenuEvent>
#include <QMenu>
#include <QPushButton>
#include <QRegularExpression>
#include <QScrollBar>
#include <QSpinBox>
#include <QTableView>
#include <QTimer>
#include <algorithm>
#include <random>
#include <set>

#include "core/base/format.h"
#include "core/run/model.h"
#include "views/accessible.h"
#include "views/degree_chart.h"
#include "views/export_picture.h"
#include "views/find_bar.h"
#include "views/found_list.h"
#include "views/graph_scene.h"
#include "views/help_dialog.h"
#include "views/inspector.h"
#include "views/message_bar.h"
#include "views/model_panel.h"
#include "views/plan_drag.h"
#include "views/plan_label.h"
#include "views/plan_marks.h"
#include "views/plan_menu.h"
#include "views/plan_panel.h"
#include "views/result_panel.h"
#include "views/ruler.h"
#include "views/save_point_model.h"
#include "views/settings_dialog.h"
#include "views/staged_model.h"
#include "views/story_view.h"
#include "views/table_panel.h"
#include "views/text.h"

namespace cleave::views {

class MovesTest : public WindowFixture {
    Q_OBJECT

private Q_SLOTS:
    void rightClickMovesNothing();
    void draggingOutOfTheViewLeavesNothing();
    void aDragScrollsWhileThePointerRests();
    void dragMovesAnOpAndUndoBringsItBack();
    void illegalMoveSaysWhy();
    void cutsMoveByKeys();
    void draggedCutStopsWhereItCan();
    void modulesAreMovedWhole();
    void pinsHoldWhateverThePlanner();
    void opsAreKeptTogether();
    void contextMenuMovesAnOp();
    void escapeEndsADrag();
    void whatNoPlanMovesSaysWhy();
    void noSequenceOfEventsGivesAnIllegalPlan();
    void noSequenceOfMovesGivesAnIllegalPlan_data();
    void noSequenceOfMovesGivesAnIllegalPlan();
    void undoIsThePlansWhileANumberHasTheFocus();
    void labelsOfDragsAreWholeAndBeside();
};

void MovesTest::rightClickMovesNothing()
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

// Nothing of what a drag shows is left where it was, whatever the zoom.
void MovesTest::draggingOutOfTheViewLeavesNothing()
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

void MovesTest::aDragScrollsWhileThePointerRests()
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

void MovesTest::dragMovesAnOpAndUndoBringsItBack()
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

void MovesTest::illegalMoveSaysWhy()
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

void MovesTest::cutsMoveByKeys()
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
    press(Qt::Key_Tab);                   // leaves the cuts, and what was looked at is given up
    QVERIFY(!view.selectedCut());
    QVERIFY(editor.plan() == before);
    QVERIFY(label->isHidden());
}

void MovesTest::draggedCutStopsWhereItCan()
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

void MovesTest::modulesAreMovedWhole()
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

void MovesTest::pinsHoldWhateverThePlanner()
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

void MovesTest::opsAreKeptTogether()
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

void MovesTest::contextMenuMovesAnOp()
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

void MovesTest::escapeEndsADrag()
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

void MovesTest::whatNoPlanMovesSaysWhy()
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

// What a person's hands may do in any order.
void MovesTest::noSequenceOfEventsGivesAnIllegalPlan()
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
            case 2:
                QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, below(3) == 0 ? onACut() : anywhere());
                break;
            case 3:
                if (const QAbstractItemModel& model = *table.model(); model.rowCount() > 0) {
                    const QModelIndex cell = model.index(below(model.rowCount()), 0);
                    table.setCurrentIndex(cell);
                    QTest::keyClick(&table, Qt::Key_Space);
                }
                break;
            case 4:
                below(2) == 0 ? editor.history().undo() : editor.history().redo();
                break;
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

void MovesTest::noSequenceOfMovesGivesAnIllegalPlan_data()
{
    QTest::addColumn<QByteArray>("model");
    for (const char* name : {"deeper_gcn", "pair_norm", "bipartite", "jk_cat"})  // global ops, several node types
        QTest::newRow(name) << QByteArray("../../tests/models/zoo/") + name + ".pt2";
}

void MovesTest::noSequenceOfMovesGivesAnIllegalPlan()
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
            case 7:
                editor.setJoined(static_cast<int>(below(static_cast<std::size_t>(space.functions()) + 1)), below(2) == 0);
                break;
            case 5:
                editor.pin(space.ops()[below(space.ops().size())].op);
                break;
            case 6:
                editor.unpin(space.ops()[below(space.ops().size())].op);
                break;
            case 0:
                editor.history().undo();
                break;
            case 1:
                editor.history().redo();
                break;
            case 2: {
                const PlacedOp& placed = space.ops()[below(space.ops().size())];
                accepted += editor.moveOps(
                    {placed.op}, Position{placed.least.at + static_cast<int>(below(static_cast<std::size_t>(placed.most.at - placed.least.at) + 2))});
                break;
            }
            case 3:
                if (const Move move =
                        space.moveCut(editor.plan(), static_cast<int>(below(static_cast<std::size_t>(space.functions()))), below(2) == 0);
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

void MovesTest::undoIsThePlansWhileANumberHasTheFocus()
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

void MovesTest::labelsOfDragsAreWholeAndBeside()
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

static const WindowTests movesTests([] { return std::make_unique<MovesTest>(); });

}  // namespace cleave::views

#include "moves_test.moc"
