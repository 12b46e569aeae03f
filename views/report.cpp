#include "views/report.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QFileInfo>
#include <QLocale>

#include <optional>
#include <utility>

#include "core/base/format.h"
#include "core/run/model.h"
#include "views/description.h"
#include "views/document.h"
#include "views/result_models.h"
#include "views/save_point_model.h"
#include "views/text.h"

namespace cleave::views {

namespace {

struct ReportTexts {
    Q_DECLARE_TR_FUNCTIONS(cleave::views::Report)
};

// Where functions of this plan run on a device.
const DevicePlacement* placementOf(const PlanEditor& editor)
{
    return editor.placement() && editor.placement()->usesDevice() ? &*editor.placement() : nullptr;
}

struct Row {
    QString plan;
    PlanCost cost;
    const DevicePlacement* placed = nullptr;
};

// This plan first, then the one that it is compared with, then the planners'.
std::vector<Row> plansOf(const PlanEditor& editor)
{
    std::vector<Row> rows;
    if (!editor.cost())
        return rows;
    rows.push_back({ReportTexts::tr("This plan"), *editor.cost(), placementOf(editor)});
    if (editor.other())
        if (std::optional<PlanCost> other = editor.costs().costOf(editor.other()->plan))
            rows.push_back({editor.other()->name, *std::move(other)});
    for (const PricedPlan& plan : editor.costs().plans())
        rows.push_back({planText(plan.name), plan.planned.cost});
    return rows;
}

// In quotes, which stand twice inside (RFC 4180).
QString csvField(const QString& text) { return u'"' + QString(text).replace(u'"', QStringLiteral("\"\"")) + u'"'; }

QString cell(const QString& text, bool isNumber = false)
{
    return (isNumber ? QStringLiteral("<td class='n'>%1</td>") : QStringLiteral("<td>%1</td>")).arg(text.toHtmlEscaped());
}

QString header(const QStringList& titles)
{
    QString row = QStringLiteral("<tr>");
    for (const QString& title : titles)
        row += QStringLiteral("<th>%1</th>").arg(title.toHtmlEscaped());
    return row + QStringLiteral("</tr>\n");
}

QString section(const QString& title, const QString& table)
{
    return QStringLiteral("<h2>%1</h2>\n<table>\n%2</table>\n").arg(title.toHtmlEscaped(), table);
}

QString properties(const std::vector<PropertySection>& sections)
{
    QString html;
    for (const PropertySection& properties : sections) {
        QString table;
        for (const Property& property : properties.properties)
            table += QStringLiteral("<tr>") + cell(property.name) + cell(property.value) + QStringLiteral("</tr>\n");
        html += section(properties.title, table);
    }
    return html;
}

// Without which the numbers below mean nothing.
PropertySection origins(const Document& document)
{
    const PlanEditor& editor = document.planEditor();
    PropertySection section{ReportTexts::tr("How the numbers were obtained"), {}};
    const auto add = [&](const QString& name, const QString& value) { section.properties.push_back({name, value, {}}); };
    add(ReportTexts::tr("Written"), QLocale().toString(QDateTime::currentDateTime(), QLocale::ShortFormat));
    add(ReportTexts::tr("Versions"),
        ReportTexts::tr("Cleave %1, LibTorch %2").arg(QCoreApplication::applicationVersion(), toText(libtorchVersion())));
    if (editor.cost()) {
        const std::string& rates = editor.costs().model()->rates().source;
        add(ReportTexts::tr("Predicted for"), ReportTexts::tr("batches of %1 nodes").arg(countText(editor.costs().plans().front().batchSize)));
        add(ReportTexts::tr("Rates of this machine"), rates == "assumed" ? ReportTexts::tr("assumed, not measured") : toText(rates));
    }
    add(ReportTexts::tr("Order of nodes"), orderText(document.options().run.order));
    if (document.options().run.memoryBytes > 0)
        add(ReportTexts::tr("Memory of runs"), ReportTexts::tr("at most %1").arg(bytesText(static_cast<double>(document.options().run.memoryBytes))));
    if (const RunResult* run = document.report().run()) {
        add(ReportTexts::tr("Run in"), ReportTexts::tr("batches of %1 nodes").arg(countText(run->batchSize)));
        if (!run->dense.empty())
            add(ReportTexts::tr("Dense layers"), toText(run->dense));
        if (!run->randomInputs.empty())
            add(ReportTexts::tr("Random numbers"), toText(join(run->randomInputs, ", ")));
    }
    if (const auto& verify = document.report().verify)
        add(ReportTexts::tr("Verified"), (verify->equal() ? ReportTexts::tr("equal, within absolute %1 and relative %2")
                                                          : ReportTexts::tr("different, by more than absolute %1 and relative %2"))
                                             .arg(numberText(verify->tolerance.absolute), numberText(verify->tolerance.relative)));
    return section;
}

QString planTable(const PlanEditor& editor)
{
    QString table = header({ReportTexts::tr("plan"), ReportTexts::tr("predicted"), ReportTexts::tr("against this plan"), ReportTexts::tr("read"),
                            ReportTexts::tr("written"), ReportTexts::tr("at most of memory")});
    bool isFirst = true;
    for (const auto& [plan, cost, placed] : plansOf(editor)) {
        const QString change = std::exchange(isFirst, false) ? QString() : changeText(editor.cost()->seconds(), cost.seconds());
        table += QStringLiteral("<tr>") + cell(plan) + cell(secondsText(cost.seconds()), true) + cell(change, true) +
                 cell(bytesText(cost.readBytes()), true) + cell(bytesText(cost.writtenBytes()), true) + cell(bytesText(cost.peakBytes()), true) +
                 QStringLiteral("</tr>\n");
        if (placed)
            table += QStringLiteral("<tr>") + cell(ReportTexts::tr("This plan, with functions on %1").arg(toText(placed->device))) +
                     cell(secondsText(placed->seconds()), true) + cell(changeText(editor.cost()->seconds(), placed->seconds()), true) +
                     cell(ReportTexts::tr("%1 there").arg(bytesText(placed->bytesIn())), true) +
                     cell(ReportTexts::tr("%1 back").arg(bytesText(placed->bytesOut())), true) +
                     cell(ReportTexts::tr("%1 stay there").arg(bytesText(placed->storeBytes)), true) + QStringLiteral("</tr>\n");
    }
    return table;
}

QString functionTable(const PlanEditor& editor)
{
    const DevicePlacement* const placed = placementOf(editor);
    QStringList titles{ReportTexts::tr("function"), ReportTexts::tr("blocks"), ReportTexts::tr("read"),
                       ReportTexts::tr("compute"),  ReportTexts::tr("write"),  ReportTexts::tr("together")};
    if (placed)
        titles << ReportTexts::tr("runs on") << ReportTexts::tr("rows there") << ReportTexts::tr("computed there") << ReportTexts::tr("rows back")
               << ReportTexts::tr("together there");
    QString table = header(titles);
    for (std::size_t i = 0; i < editor.cost()->functions.size(); ++i) {
        const FunctionCost& f = editor.cost()->functions[i];
        if (isIdle(f))
            continue;
        table += QStringLiteral("<tr>") + cell(functionTitle(f));
        for (const double seconds : {f.prepare.seconds, f.read.seconds, f.compute.seconds, f.write.seconds, f.seconds()})
            table += cell(secondsText(seconds), true);
        if (placed) {
            const PlacedFunction& there = placed->functions[i];
            table += cell(there.onDevice ? toText(placed->device) : ReportTexts::tr("CPU"));
            for (const double seconds : {there.inSeconds, there.computeSeconds, std::max(there.outSeconds, there.saveSeconds), there.seconds()})
                table += cell(there.onDevice ? secondsText(seconds) : QString(), true);
        }
        table += QStringLiteral("</tr>\n");
    }
    return table;
}

// whole: formulas that a window has room for in its tips only.
QString modelTable(const QAbstractItemModel& model, bool whole = false)
{
    QStringList titles;
    for (int column = 0; column < model.columnCount(); ++column)
        titles.append(model.headerData(column, Qt::Horizontal).toString());
    QString table = header(titles);
    for (int row = 0; row < model.rowCount(); ++row) {
        table += QStringLiteral("<tr>");
        for (int column = 0; column < model.columnCount(); ++column) {
            const QModelIndex index = model.index(row, column);
            const QString tip = whole ? index.data(Qt::ToolTipRole).toString() : QString();
            table += cell(tip.isEmpty() ? index.data().toString() : tip, (index.data(Qt::TextAlignmentRole).toInt() & Qt::AlignRight) != 0);
        }
        table += QStringLiteral("</tr>\n");
    }
    return table;
}

}  // namespace

QString htmlReport(Document& document, const QString& picture)
{
    const QString title = ReportTexts::tr("%1, cut by Cleave").arg(QFileInfo(document.modelPath()).fileName());
    QString html =
        QStringLiteral(
            "<!DOCTYPE html>\n<html><head><meta charset='utf-8'><title>%1</title>\n<style>body{font-family:sans-serif;margin:2em;max-width:70em}"
            "table{border-collapse:collapse}td,th{border-bottom:1px solid #ccc;padding:.2em .8em;text-align:left}.n{text-align:right}"
            "svg{max-width:100%;height:auto}</style></head>\n<body><h1>%1</h1>\n")
            .arg(title.toHtmlEscaped());
    PlanEditor& editor = document.planEditor();
    html += properties({origins(document)});
    if (editor.cost()) {
        html += section(ReportTexts::tr("Plans"), planTable(editor));
        html += section(ReportTexts::tr("Functions of this plan"), functionTable(editor));
    }
    SavePointModel savePoints(editor);
    html += section(ReportTexts::tr("Save points"), modelTable(savePoints, true));
    if (const RunResult* run = document.report().run()) {
        TextTableModel table;
        showFunctions(table, run);
        html += section(ReportTexts::tr("Run"), modelTable(table));
    }
    if (document.report().verify) {
        TextTableModel comparisons, accuracies;
        showComparisons(comparisons, &*document.report().verify, document.graph().get());
        showAccuracies(accuracies, &*document.report().verify);
        html += section(ReportTexts::tr("Verification"), modelTable(comparisons));
        if (const auto& sample = document.report().verify->sample)
            html += QStringLiteral("<p>%1</p>\n").arg(sampleNote(*sample).toHtmlEscaped());
        if (accuracies.rowCount() > 0)
            html += section(ReportTexts::tr("Accuracy"), modelTable(accuracies));
    }
    html += picture;
    html += properties(describeModel(*document.model(), document.modelPath()));
    if (document.graph())
        html += properties(describeGraph(*document.graph(), document.degrees(), document.graphPath(), document.model().get()));
    if (document.degrees()) {
        QString table;
        for (const QString& line : degreeTexts(*document.degrees()))
            table += QStringLiteral("<tr>") + cell(line) + QStringLiteral("</tr>\n");
        html += section(ReportTexts::tr("Degrees"), table);
    }
    return html + QStringLiteral("</body></html>\n");
}

QString csvReport(Document& document)
{
    QString csv = QStringLiteral(
        "plan,function,prepare_seconds,read_seconds,compute_seconds,write_seconds,read_bytes,written_bytes,peak_bytes,"
        "device,device_prepare_seconds,device_in_seconds,device_compute_seconds,device_out_seconds,device_bytes_in,device_bytes_out\r\n");
    for (const auto& [plan, cost, placed] : plansOf(document.planEditor()))
        for (std::size_t i = 0; i < cost.functions.size(); ++i) {
            const FunctionCost& f = cost.functions[i];
            if (isIdle(f))
                continue;
            csv += QStringLiteral("%1,%2,%3,%4,%5,%6,%7,%8,%9")
                       .arg(csvField(plan), csvField(functionTitle(f)))
                       .arg(f.prepare.seconds, 0, 'g', 9)
                       .arg(f.read.seconds, 0, 'g', 9)
                       .arg(f.compute.seconds, 0, 'g', 9)
                       .arg(f.write.seconds, 0, 'g', 9)
                       .arg(f.read.bytes, 0, 'f', 0)
                       .arg(f.write.bytes, 0, 'f', 0)
                       .arg(f.peakBytes, 0, 'f', 0);
            if (const PlacedFunction there = placed ? placed->functions[i] : PlacedFunction(); there.onDevice)
                csv += QStringLiteral(",%1,%2,%3,%4,%5,%6,%7\r\n")
                           .arg(csvField(toText(placed->device)))
                           .arg(there.prepareSeconds, 0, 'g', 9)
                           .arg(there.inSeconds, 0, 'g', 9)
                           .arg(there.computeSeconds, 0, 'g', 9)
                           .arg(std::max(there.outSeconds, there.saveSeconds), 0, 'g', 9)
                           .arg(there.bytesIn, 0, 'f', 0)
                           .arg(there.bytesOut, 0, 'f', 0);
            else
                csv += QStringLiteral(",\"cpu\",,,,,,\r\n");
        }
    return csv;
}

}  // namespace cleave::views
