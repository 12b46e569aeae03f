// Pictures, reports and tables as others get them.
#include "tests/views/window/fixture.h"

#include <QClipboard>
#include <QDir>
#include <QDockWidget>
#include <QFileInfo>
#include <QGraphicsScene>
#include <QHeaderView>
#include <QPrinter>
#include <QRegularExpression>
#include <QStatusBar>
#include <QTableView>
#include <QTemporaryDir>
#include <QXmlStreamReader>
#include <algorithm>

#include "core/base/format.h"
#include "core/base/mapping.h"
#include "core/graph/npy.h"
#include "core/plan/dot_text.h"
#include "core/run/model.h"
#include "views/degree_chart.h"
#include "views/description.h"
#include "views/export_picture.h"
#include "views/found_list.h"
#include "views/graph_scene.h"
#include "views/help_dialog.h"
#include "views/inspector.h"
#include "views/legend.h"
#include "views/message_bar.h"
#include "views/plan_drag.h"
#include "views/plan_panel.h"
#include "views/property_view.h"
#include "views/report.h"
#include "views/result_panel.h"
#include "views/save_point_model.h"
#include "views/staged_model.h"
#include "views/story_view.h"
#include "views/table_panel.h"
#include "views/text.h"
#include "views/theme.h"

namespace cleave::views {

class ExportTest : public WindowFixture {
    Q_OBJECT

private Q_SLOTS:
    void tablesTellTheGraphAndItsCosts();
    void degreesAreBars();
    void exportsPicture();
    void exportsAreMadeForPaper();
    void plansAreWrittenAsProfileGraphs();
    void reportsCompareThePlans();
    void tablesAreCopied();
    void tablesAreSortedByTheirHeaders();
    void tablesOpenWithSomeRows();
    void picturesTooLongForPixelsAreRefused();
};

namespace {

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

}  // namespace

void ExportTest::tablesTellTheGraphAndItsCosts()
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

void ExportTest::degreesAreBars()
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

void ExportTest::exportsPicture()
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

// Background, levels, legend and the size of texts, from a dark window with a cut selected.
void ExportTest::exportsAreMadeForPaper()
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

void ExportTest::plansAreWrittenAsProfileGraphs()
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

void ExportTest::reportsCompareThePlans()
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

void ExportTest::tablesAreCopied()
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

void ExportTest::tablesAreSortedByTheirHeaders()
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

void ExportTest::tablesOpenWithSomeRows()
{
    MainWindow window;
    open(window, "gat.pt2");
    window.findChild<QDockWidget*>(QStringLiteral("tables"))->toggleViewAction()->trigger();
    const QTableView& table = window.tables().operatorView();
    QTRY_VERIFY(table.isVisible() && table.model()->rowCount() > 10);
    QTRY_VERIFY2(table.viewport()->height() >= 5 * table.rowHeight(0),
                 qPrintable(QStringLiteral("%1 of %2").arg(table.viewport()->height()).arg(table.rowHeight(0))));
}

void ExportTest::picturesTooLongForPixelsAreRefused()
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

static const WindowTests exportTests([] { return std::make_unique<ExportTest>(); });

}  // namespace cleave::views

#include "export_test.moc"
