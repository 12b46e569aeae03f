// What any program of a desktop owes: languages, keys, themes, sizes of text, screen readers.
#include "tests/views/window/fixture.h"

#include <QAbstractButton>
#include <QAbstractItemModelTester>
#include <QAccessible>
#include <QClipboard>
#include <QComboBox>
#include <QContextMenuEvent>
#include <QDockWidget>
#include <QHelpEvent>
#include <QLabel>
#include <QLibraryInfo>
#include <QMap>
#include <QMenu>
#include <QMenuBar>
#include <QPushButton>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTabBar>
#include <QTableView>
#include <QTemporaryDir>
#include <QTimer>
#include <QToolTip>
#include <algorithm>
#include <set>

#include "core/base/format.h"
#include "core/base/mapping.h"
#include "core/graph/generate.h"
#include "core/plan/cut.h"
#include "core/run/model.h"
#include "core/run/rewrite_worth.h"
#include "views/accessible.h"
#include "views/core_text.h"
#include "views/degree_chart.h"
#include "views/export_picture.h"
#include "views/find_bar.h"
#include "views/found_list.h"
#include "views/graph_scene.h"
#include "views/help_dialog.h"
#include "views/inspection.h"
#include "views/inspector.h"
#include "views/language.h"
#include "views/legend.h"
#include "views/message_bar.h"
#include "views/model_panel.h"
#include "views/number_boxes.h"
#include "views/plan_drag.h"
#include "views/plan_panel.h"
#include "views/property_view.h"
#include "views/result_panel.h"
#include "views/ruler.h"
#include "views/save_point_model.h"
#include "views/settings_dialog.h"
#include "views/staged_model.h"
#include "views/story_view.h"
#include "views/table_panel.h"
#include "views/text.h"
#include "views/theme.h"

namespace cleave::views {

class DesktopTest : public WindowFixture {
    Q_OBJECT

private Q_SLOTS:
    void sizesAreTakenWithTheirUnits();
    void everyTextIsInChinese();
    void sentencesOfTheCoreAreKnown();
    void graphIsAListForScreenReaders();
    void keysWithAltAreUnambiguous();
    void largeTextLeavesTheWindowItsSize();
    void textGrowsWithThePresenter();
    void helpHasWordsAndKeys();
    void keysDoOneThing();
    void wheelScrollsPastFields();
    void focusInTablesSelectsNothing();
    void longTipsAreBroken();
    void itemModelsAreSound();
    void messagesAreReadInEveryTheme();
    void textSizeHasKeysOfItsOwn();
    void titlesOfDocksGrowWithTheText();
    void choicesStayWithinTheWindow();
    void tabFollowsWhatIsSeen();
    void contextMenusOfferWhatCanBeDone();
    void largerTextKeepsTheTheme();
};

namespace {

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

}  // namespace

void DesktopTest::sizesAreTakenWithTheirUnits()
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

void DesktopTest::everyTextIsInChinese()
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
void DesktopTest::sentencesOfTheCoreAreKnown()
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

void DesktopTest::graphIsAListForScreenReaders()
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
void DesktopTest::keysWithAltAreUnambiguous()
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

void DesktopTest::largeTextLeavesTheWindowItsSize()
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

void DesktopTest::textGrowsWithThePresenter()
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

void DesktopTest::helpHasWordsAndKeys()
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

void DesktopTest::keysDoOneThing()
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

void DesktopTest::wheelScrollsPastFields()
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

void DesktopTest::focusInTablesSelectsNothing()
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

void DesktopTest::longTipsAreBroken()
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

void DesktopTest::itemModelsAreSound()
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

void DesktopTest::messagesAreReadInEveryTheme()
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

// Shift and = write the + that zooms: the same keys for the text would be taken for it.
void DesktopTest::textSizeHasKeysOfItsOwn()
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

void DesktopTest::titlesOfDocksGrowWithTheText()
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

void DesktopTest::choicesStayWithinTheWindow()
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

void DesktopTest::tabFollowsWhatIsSeen()
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

void DesktopTest::contextMenusOfferWhatCanBeDone()
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

// One that was asked for at the start, not in the settings.
void DesktopTest::largerTextKeepsTheTheme()
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

static const WindowTests desktopTests([] { return std::make_unique<DesktopTest>(); });

}  // namespace cleave::views

#include "desktop_test.moc"
