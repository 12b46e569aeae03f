// The picture of the graph: what it shows, where it stays, and how one goes about in it.
#include "tests/views/window/fixture.h"

#include <QDockWidget>
#include <QLineEdit>
#include <QRegularExpression>
#include <QScrollBar>
#include <QTemporaryDir>
#include <QToolButton>
#include <algorithm>
#include <set>

#include "core/analysis/shape_text.h"
#include "core/base/format.h"
#include "core/base/mapping.h"
#include "core/run/model.h"
#include "views/degree_chart.h"
#include "views/description.h"
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
#include "views/plan_marks.h"
#include "views/plan_panel.h"
#include "views/property_view.h"
#include "views/result_panel.h"
#include "views/ruler.h"
#include "views/save_point_model.h"
#include "views/session.h"
#include "views/settings_dialog.h"
#include "views/staged_model.h"
#include "views/story_view.h"
#include "views/table_panel.h"
#include "views/text.h"
#include "views/theme.h"

namespace cleave::views {

class PictureTest : public WindowFixture {
    Q_OBJECT

private Q_SLOTS:
    void bandsFollowFunctions();
    void structureIsNeverAnArrow();
    void clickSelectsAndInspectorShowsIt();
    void collapsingAllLeavesNoModuleOpen();
    void expandingAllKeepsThePlace();
    void whatIsOpenIsRememberedAtOnce();
    void trueSizeShowsABox();
    void doubleClickExpandsAndKeysCollapse();
    void tabAndArrowsMoveTheSelection();
    void pictureKeepsItsStartUntilItIsTouched();
    void pictureStaysFitted();
    void repeatedLayersAreFolded();
    void structureArrowsAreShownOnDemand();
    void inspectorShowsFormulasAndCosts();
    void bandsAreNamedInASmallPicture();
    void aPressOfTheMouseNeverScrolls();
    void globalOpsHandOnWhatTheyMake();
    void nodeTypesAreToldApart();
    void nodeTypesAreReadInSmallPictures();
    void barsLeaveThePictureInItsPlace();
    void layoutOutlivesACrash();
    void findsInsideClosedModules();
    void rulerGoesWhereItIsPressed();
    void titlesStayInSight();
    void functionsLargerThanTheViewStayWhereTheyAre();
    void themesKeepTheSelection();
    void arrowsIntoModulesKeepTheirHeads();
    void widePicturesStartWhereTheirBoxesAre();
    void selectionStaysInSightBesideOtherPanels();
    void titlesLeaveSavePointsFree();
    void findingNothingLeavesTheSelection();
    void legendTakesTheRowsThatItNeeds();
    void legendEndsWithTheHighestDegree();
};

void PictureTest::bandsFollowFunctions()
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

void PictureTest::structureIsNeverAnArrow()
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

void PictureTest::clickSelectsAndInspectorShowsIt()
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

void PictureTest::collapsingAllLeavesNoModuleOpen()
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
void PictureTest::expandingAllKeepsThePlace()
{
    MainWindow window;
    window.resize(1000, 600);
    window.show();
    open(window, "gat.pt2");
    GraphView& view = window.graphView();
    view.showActualSize();
    const auto inTheMiddle = [&] { return placeIn(view.picture()->layout, view.mapToScene(view.viewport()->rect().center())); };
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
void PictureTest::whatIsOpenIsRememberedAtOnce()
{
    MainWindow window;
    open(window, "gcn.pt2");
    QCOMPARE(readSession().modelPath, window.document().modelPath());
    QVERIFY(!readSession().modelPath.isEmpty());
}

// The true size of a wide picture may be empty where its middle is.
void PictureTest::trueSizeShowsABox()
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

void PictureTest::doubleClickExpandsAndKeysCollapse()
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

void PictureTest::tabAndArrowsMoveTheSelection()
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

void PictureTest::pictureKeepsItsStartUntilItIsTouched()
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

void PictureTest::pictureStaysFitted()
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

void PictureTest::repeatedLayersAreFolded()
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

void PictureTest::structureArrowsAreShownOnDemand()
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

void PictureTest::inspectorShowsFormulasAndCosts()
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

void PictureTest::bandsAreNamedInASmallPicture()
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

// A box or a cut at the edge of the view is selected where it is: a second click, or the rest of a drag, meets it there.
void PictureTest::aPressOfTheMouseNeverScrolls()
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

void PictureTest::globalOpsHandOnWhatTheyMake()
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

void PictureTest::nodeTypesAreToldApart()
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
void PictureTest::nodeTypesAreReadInSmallPictures()
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

void PictureTest::barsLeaveThePictureInItsPlace()
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
void PictureTest::layoutOutlivesACrash()
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

void PictureTest::findsInsideClosedModules()
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

void PictureTest::rulerGoesWhereItIsPressed()
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

void PictureTest::titlesStayInSight()
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

void PictureTest::functionsLargerThanTheViewStayWhereTheyAre()
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

void PictureTest::themesKeepTheSelection()
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

// Titles of modules lie above arrows: heads end below them.
void PictureTest::arrowsIntoModulesKeepTheirHeads()
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

void PictureTest::widePicturesStartWhereTheirBoxesAre()
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

void PictureTest::selectionStaysInSightBesideOtherPanels()
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

void PictureTest::titlesLeaveSavePointsFree()
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

void PictureTest::findingNothingLeavesTheSelection()
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

void PictureTest::legendTakesTheRowsThatItNeeds()
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
void PictureTest::legendEndsWithTheHighestDegree()
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

static const WindowTests pictureTests([] { return std::make_unique<PictureTest>(); });

}  // namespace cleave::views

#include "picture_test.moc"
