// The story that is told with a model.
#include "tests/views/window/fixture.h"

#include <QDockWidget>
#include <QFileInfo>
#include <QLabel>
#include <algorithm>

#include "core/base/mapping.h"
#include "core/run/model.h"
#include "core/run/rewrite_worth.h"
#include "views/accessible.h"
#include "views/export_picture.h"
#include "views/find_bar.h"
#include "views/found_list.h"
#include "views/graph_scene.h"
#include "views/help_dialog.h"
#include "views/inspector.h"
#include "views/message_bar.h"
#include "views/plan_drag.h"
#include "views/plan_panel.h"
#include "views/property_view.h"
#include "views/result_panel.h"
#include "views/save_point_model.h"
#include "views/settings_dialog.h"
#include "views/staged_model.h"
#include "views/story_view.h"
#include "views/table_panel.h"
#include "views/text.h"

namespace cleave::views {

class StoryTest : public WindowFixture {
    Q_OBJECT

private Q_SLOTS:
    void storyTellsWithTheModelsLayers();
    void storyLetsTheStudentGuessFirst();
    void storySetsAnExercise();
    void keysAreForTheStoryThatIsSeen();
    void storyAndEmptyPageOpenTheExample();
    void storyShowsTheBestCutWhereItDid();
};

void StoryTest::storyTellsWithTheModelsLayers()
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

void StoryTest::storyLetsTheStudentGuessFirst()
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
void StoryTest::storySetsAnExercise()
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

void StoryTest::keysAreForTheStoryThatIsSeen()
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

void StoryTest::storyAndEmptyPageOpenTheExample()
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
    Q_EMIT(*empty)->linkActivated(QStringLiteral("example"));
    QVERIFY2((*empty)->text().contains(QStringLiteral("sage.pt2")) && !(*empty)->text().contains(QStringLiteral("Drop")),
             qPrintable((*empty)->text()));
    QTRY_VERIFY_WITH_TIMEOUT(window.graphView().picture() && !window.document().isBusy(), patience);
    QVERIFY(!(*empty)->isVisible());
}

void StoryTest::storyShowsTheBestCutWhereItDid()
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

static const WindowTests storyTests([] { return std::make_unique<StoryTest>(); });

}  // namespace cleave::views

#include "story_test.moc"
