#include "views/empty_page.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>

namespace cleave::views {

QString exampleFile(const QString& name)
{
    constexpr int furthest = 5;  // folders above the program
    QDir folder(QCoreApplication::applicationDirPath());
    for (int up = 0; up < furthest; ++up, folder.cdUp())
        for (const char* examples : {"share/cleave/examples/", "resources/examples/"})
            if (const QString path = folder.filePath(QLatin1String(examples) + name); QFileInfo::exists(path))
                return path;
    return {};
}

EmptyPage::EmptyPage(QWidget* parent) : QLabel(parent)
{
    setAlignment(Qt::AlignCenter);
    setTextFormat(Qt::RichText);
    setWordWrap(true);
    setContentsMargins(fontMetrics().height(), 0, fontMetrics().height(), 0);
    setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    setBackgroundRole(QPalette::Base);
    setAutoFillBackground(true);
    connect(this, &QLabel::linkActivated, this, &EmptyPage::exampleWanted);
    setReading({});
}

void EmptyPage::setReading(const QString& what)
{
    if (!what.isEmpty()) {
        setText(QStringLiteral("<div style='font-size:xx-large'>%1…</div>").arg(what.toHtmlEscaped()));
        return;
    }
    QString text = tr(
        "<div style='font-size:xx-large'>Drop a model here</div><p>or open one with <b>Ctrl+O</b>: a file that "
        "<code>torch.export.save</code> or <code>torch.jit.save</code> wrote (.pt2, .pt).</p><p>Then open a graph (.npz, .csv, .mtx …) with <b>Ctrl+G</b> "
        "to run the model on it.</p>");
    if (!exampleFile(QStringLiteral("sage.pt2")).isEmpty())
        text += tr("<p>Or look at <a href='example'>the example</a>: GraphSAGE on the papers of Cora.</p>");
    setText(text);
}

}  // namespace cleave::views
