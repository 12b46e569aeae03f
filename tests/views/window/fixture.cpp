#include "tests/views/window/fixture.h"

#include <QAccessible>
#include <QApplication>
#include <QDir>
#include <QSettings>
#include <QStandardPaths>
#include <vector>

#include "core/base/mapping.h"
#include "core/run/model.h"
#include "views/export_picture.h"
#include "views/find_bar.h"
#include "views/found_list.h"
#include "views/graph_scene.h"
#include "views/help_dialog.h"
#include "views/inspector.h"
#include "views/language.h"
#include "views/message_bar.h"
#include "views/plan_drag.h"
#include "views/plan_panel.h"
#include "views/save_point_model.h"
#include "views/staged_model.h"
#include "views/story_view.h"
#include "views/table_panel.h"

namespace cleave::views {

namespace {

std::vector<std::function<std::unique_ptr<QObject>()>>& all()
{
    static std::vector<std::function<std::unique_ptr<QObject>()>> tests;
    return tests;
}

// The tests that the arguments name, with their data, as far as a class has them; nothing if it has none of those that are named.
std::optional<QStringList> argumentsFor(const QObject& tests, const QStringList& arguments)
{
    QStringList own;
    int named = 0, kept = 0;
    for (const QString& argument : arguments) {
        const QByteArray name = argument.section(u':', 0, 0).toLatin1() + "()";
        const bool isName = argument != arguments.front() &&
                            std::ranges::any_of(all(), [&](const auto& make) { return make()->metaObject()->indexOfMethod(name) >= 0; });
        const bool isOwn = isName && tests.metaObject()->indexOfMethod(name) >= 0;
        named += isName;
        kept += isOwn;
        if (!isName || isOwn)
            own.append(argument);
    }
    return named > 0 && kept == 0 ? std::nullopt : std::optional(own);
}

}  // namespace

WindowTests::WindowTests(std::function<std::unique_ptr<QObject>()> make)
{
    all().push_back(std::move(make));
}

QPoint place(GraphView& view, const DagKey& key)
{
    return view.viewPosition(key)->toPoint();
}

// Plans that a test's window left unsaved are not offered to the next one.
void WindowFixture::cleanup()
{
    QDir(QStandardPaths::writableLocation(QStandardPaths::AppDataLocation)).removeRecursively();
    QSettings().clear();  // docks that a test left open would be there in the next
}

void WindowFixture::initTestCase()
{
    qputenv("CLEAVE_LAYOUT", CLEAVE_LAYOUT_PROGRAM);
    QCoreApplication::setOrganizationName(QStringLiteral("CleaveTests"));
    QCoreApplication::setApplicationName(QStringLiteral("CleaveTests"));
    applyLanguage(*QCoreApplication::instance(), QStringLiteral("en"));
    QSettings().clear();
    QStandardPaths::setTestModeEnabled(true);
    QDir(QStandardPaths::writableLocation(QStandardPaths::AppDataLocation)).removeRecursively();
}

void WindowFixture::open(MainWindow& window, const char* model)
{
    window.resize(1300, 850);
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    window.document().open(example(model));
    QTRY_VERIFY_WITH_TIMEOUT(window.graphView().picture() && !window.graphView().isLayingOut() && !window.document().isBusy(), patience);
}

void WindowFixture::openGraph(MainWindow& window)
{
    window.document().open(example("cora.npz"));
    QTRY_VERIFY_WITH_TIMEOUT(window.document().graph() && !window.document().isBusy(), patience);
}

void WindowFixture::openWithCosts(MainWindow& window, const char* model)
{
    open(window, model);
    openGraph(window);
    const PlanEditor& editor = window.document().planEditor();
    QTRY_VERIFY_WITH_TIMEOUT(editor.cost().has_value() && editor.costs().plans().size() == 5, patience);
}

OpId WindowFixture::opNamed(MainWindow& window, const char* name)
{
    const Program& program = window.document().model()->program();
    for (const PlacedOp& placed : window.document().planEditor().space()->ops())
        if (program[placed.op].name == name)
            return placed.op;
    return {};
}

Position WindowFixture::positionOf(MainWindow& window, const char* op)
{
    const PlanEditor& editor = window.document().planEditor();
    return editor.shown().positions[static_cast<std::size_t>(editor.space()->indexOf(opNamed(window, op)))];
}

DagKey WindowFixture::boxOf(MainWindow& window, const char* op)
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
void WindowFixture::beginDrag(MainWindow& window, const char* op, Position to)
{
    GraphView& view = window.graphView();
    const QPoint from = place(view, boxOf(window, op));
    QTest::mousePress(view.viewport(), Qt::LeftButton, {}, from);
    for (int step = 1; step <= 5; ++step)
        QTest::mouseMove(view.viewport(), from + (middle(view, to) - from) * step / 5);
    QTest::mouseMove(view.viewport(), middle(view, to));
}

void WindowFixture::drag(MainWindow& window, const char* op, Position to)
{
    beginDrag(window, op, to);
    QTest::mouseRelease(window.graphView().viewport(), Qt::LeftButton, {}, middle(window.graphView(), to));
}

DagKey WindowFixture::firstBox(const MainWindow& window, BoxKind kind)
{
    for (const DagBox& box : const_cast<MainWindow&>(window).graphView().picture()->dag.boxes)
        if (box.key.kind == kind)
            return box.key;
    return {};
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

// What has the focus for assistive programs.
QString spokenFocus(GraphView& view)
{
    const QAccessibleInterface* part = QAccessible::queryAccessibleInterface(&view)->focusChild();
    return part == nullptr || !part->state().focused ? QString() : part->text(QAccessible::Name);
}

int runWindowTests(const QStringList& arguments)
{
    int failed = 0;
    for (const auto& make : all()) {
        const std::unique_ptr<QObject> tests = make();
        if (const std::optional<QStringList> own = argumentsFor(*tests, arguments))
            failed += QTest::qExec(tests.get(), *own);
    }
    return failed;
}

}  // namespace cleave::views

int main(int argc, char** argv)
{
    QApplication application(argc, argv);
    application.setAttribute(Qt::AA_Use96Dpi);
    return std::min(cleave::views::runWindowTests(application.arguments()), 127);
}
