#include "views/exporting.h"

#include <QFileInfo>
#include <QSaveFile>
#include <filesystem>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/plan/dot.h"
#include "views/document.h"
#include "views/export_picture.h"
#include "views/graph_view.h"
#include "views/report.h"
#include "views/viewed_graph.h"
#include "views/text.h"

namespace cleave::views {

namespace {

void writeText(const QString& path, const QString& text)
{
    const QByteArray data = text.toUtf8();
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(data) != data.size() || !file.commit())
        throw Error(path.toStdString() + " cannot be written: " + file.errorString().toStdString() + ".");
}

QString dotOf(const Document& document)
{
    if (document.viewed())
        return toText(document.viewed()->dot());
    return toText(toDot(*document.model()->analysis, *document.planEditor().plannedModel()->cut));
}

Document& withPlan(Document& document)
{
    if (!document.model())
        throw Error("What is only looked at has no plan to report on: it can be written as a picture or in DOT.");
    return document;
}

}  // namespace

bool exportDocument(Document& document, GraphView& view, const QString& path)
{
    const QString kind = QFileInfo(path).suffix().toLower();
    if (!document.model() && !document.viewed())
        throw Error("There is nothing to export: open a model first.");
    checkIsOther(toPath(path), document.filesRead());
    if (kind == QStringLiteral("svg") || kind == QStringLiteral("pdf") || kind == QStringLiteral("png")) {
        view.exportPicture(path);
    } else if (kind == QStringLiteral("dot")) {
        writeText(path, dotOf(document));
    } else if (kind == QStringLiteral("html")) {
        writeText(path, htmlReport(withPlan(document), view.svg()));
    } else if (kind == QStringLiteral("csv")) {
        writeText(path, csvReport(withPlan(document)));
    } else if (kind == QStringLiteral("npz") || kind == QStringLiteral("npy")) {
        const RunResult* run = withPlan(document).lastReport().run();
        if (run == nullptr)
            throw Error("There are no outputs yet: run the model on a graph first.");
        writeOutputs(toPath(path), run->outputs);
    } else if (kind == QStringLiteral("txt")) {
        if (!withPlan(document).canRun())
            throw Error(document.graph() ? "The times of ops are measured when nothing else runs: try again then."
                                         : "The times of ops are those on a graph: open one first.");
        document.writeProfile(path);
        return false;
    } else {
        throw Error("'" + QFileInfo(path).fileName().toStdString() +
                    "' must end in .svg, .pdf, .png, .dot, .html, .csv, .npz, .npy or .txt, which says what is written.");
    }
    return true;
}

}  // namespace cleave::views
