// Models, graphs and other files as they are opened, and what is said of those that cannot be.
#include "tests/views/window/fixture.h"

#include <QAbstractButton>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QMimeData>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QUrl>
#include <set>

#include "core/base/mapping.h"
#include "core/graph/generate.h"
#include "core/graph/npy.h"
#include "core/graph/write_graph.h"
#include "core/plan/cut.h"
#include "core/run/model.h"
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
#include "views/model_panel.h"
#include "views/plan_drag.h"
#include "views/plan_panel.h"
#include "views/property_view.h"
#include "views/result_panel.h"
#include "views/save_point_model.h"
#include "views/session.h"
#include "views/settings_dialog.h"
#include "views/staged_model.h"
#include "views/story_view.h"
#include "views/table_panel.h"

namespace cleave::views {

class OpeningTest : public WindowFixture {
    Q_OBJECT

private Q_SLOTS:
    void opensModelAndGraph_data();
    void opensModelAndGraph();
    void rolesMakeAParameterTheFeatures();
    void arraysAreChosenForInputs();
    void widthsAreAskedFor();
    void graphsTellShapesOfInputs();
    void graphsTellSizesThatTheModelLeavesOpen();
    void rolesAreChosenInThePanel();
    void wrongFileIsOneSentenceInTheMessageBar();
    void anErrorStaysUntilSomethingNewIsTried();
    void droppedFileIsOpened();
    void filesThatBecomeShorterAreTold();
    void writesOverNothingThatIsOpen();
    void fileDialogsLeaveTheWindowFree();
    void fileDialogsBeginWhereOneWorks();
    void profileGraphsAreDrawnByStage();
    void aRefusedModelIsDrawn();
    void randomFeaturesAreChosenAndSaid();
    void randomFeaturesAreOffered();
    void filesAreReadAgain();
    void aGraphThatDoesNotFitIsSaid();
    void graphsTellWhichSizesAreEqual();
    void readingAnewKeepsThePlan();
    void refusedModelsAreNamed();
    void pathsThatAreNotThereStopNothing();
};

void OpeningTest::opensModelAndGraph_data()
{
    QTest::addColumn<QByteArray>("model");
    for (const char* name : {"gcn.pt2", "sage.pt2", "gat.pt2", "jk.pt2"})
        QTest::newRow(name) << QByteArray(name);
}

void OpeningTest::opensModelAndGraph()
{
    QFETCH(const QByteArray, model);
    MainWindow window;
    open(window, model.constData());
    openGraph(window);
    QVERIFY(window.document().canRun());
    QVERIFY(window.windowTitle().startsWith(QString::fromLatin1(model)));
    QVERIFY(!window.messageBar().isVisible());
}

void OpeningTest::rolesMakeAParameterTheFeatures()
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

void OpeningTest::arraysAreChosenForInputs()
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

void OpeningTest::widthsAreAskedFor()
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
void OpeningTest::graphsTellShapesOfInputs()
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
void OpeningTest::graphsTellSizesThatTheModelLeavesOpen()
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

QString valueOf(const QAbstractItemModel& model, const QString& name)
{
    return propertyNamed(model, name).siblingAtColumn(1).data().toString();
}

void OpeningTest::rolesAreChosenInThePanel()
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

void OpeningTest::wrongFileIsOneSentenceInTheMessageBar()
{
    MainWindow window;
    open(window, "gcn.pt2");
    window.document().openModel(example("cora.npz"));
    QTRY_VERIFY_WITH_TIMEOUT(window.messageBar().isVisible(), patience);
    QVERIFY(window.messageBar().text().endsWith(QLatin1Char('.')));
    QVERIFY(window.document().model() != nullptr);
}

// As from "cleave gcn.pt2 nothing.npz": the graph fails long before the model is read.
void OpeningTest::anErrorStaysUntilSomethingNewIsTried()
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

void OpeningTest::droppedFileIsOpened()
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

void OpeningTest::filesThatBecomeShorterAreTold()
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

void OpeningTest::writesOverNothingThatIsOpen()
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

// One at a time; what it proposes belongs to the model that is open.
void OpeningTest::fileDialogsLeaveTheWindowFree()
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
void OpeningTest::fileDialogsBeginWhereOneWorks()
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

void OpeningTest::profileGraphsAreDrawnByStage()
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
void OpeningTest::aRefusedModelIsDrawn()
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

void OpeningTest::randomFeaturesAreChosenAndSaid()
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
void OpeningTest::randomFeaturesAreOffered()
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

void OpeningTest::filesAreReadAgain()
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

void OpeningTest::aGraphThatDoesNotFitIsSaid()
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
void OpeningTest::graphsTellWhichSizesAreEqual()
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

void OpeningTest::readingAnewKeepsThePlan()
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

void OpeningTest::refusedModelsAreNamed()
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

void OpeningTest::pathsThatAreNotThereStopNothing()
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

static const WindowTests openingTests([] { return std::make_unique<OpeningTest>(); });

}  // namespace cleave::views

#include "opening_test.moc"
