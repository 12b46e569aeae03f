// Files that the main window asks for, and what it writes.
#include <QApplication>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenuBar>
#include <QMessageBox>
#include <QPrintDialog>
#include <QPrinter>
#include <QRegularExpression>
#include <QSettings>
#include <QStatusBar>
#include <QTimer>
#include <memory>

#include "core/base/error.h"
#include "core/layout/layout.h"
#include "core/plan/code.h"
#include "views/description.h"
#include "views/empty_page.h"
#include "views/exporting.h"
#include "views/graph_view.h"
#include "views/help_dialog.h"
#include "views/main_window.h"
#include "views/result_panel.h"
#include "views/text.h"

namespace cleave::views {

namespace {

const QString folderKey = QStringLiteral("folder");

// Where a dialog begins: beside a file that is open, or where one was chosen last. The example's folder is the program's.
QString folderBeside(const QString& path)
{
    const QString folder = QFileInfo(path).absolutePath();
    if (!path.isEmpty() && folder != QFileInfo(exampleFile(QStringLiteral("sage.pt2"))).absolutePath())
        return folder;
    if (const QString last = QSettings().value(folderKey).toString(); QFileInfo(last).isDir())
        return last;
    return QDir::current().isRoot() ? QDir::homePath() : QDir::currentPath();
}

void rememberFolder(QFileDialog& dialog)
{
    QObject::connect(&dialog, &QFileDialog::fileSelected, &dialog, [&dialog](const QString& path) {
        const QString folder = dialog.fileMode() == QFileDialog::Directory ? path : QFileInfo(path).absolutePath();
        const bool isSaved = dialog.acceptMode() == QFileDialog::AcceptSave;
        // When it is written: where nothing can be, no dialog begins again.
        QTimer::singleShot(0, qApp, [path, folder, isSaved] {
            if (!isSaved || QFileInfo::exists(path))
                QSettings().setValue(folderKey, folder);
        });
    });
}

// One at a time that leaves the window free, and goes when it is closed. path: a folder, or the file that is proposed.
QFileDialog* fileDialog(QWidget* parent, const QString& title, const QString& path, const QString& filter, QFileDialog::AcceptMode mode)
{
    for (QFileDialog* before : parent->findChildren<QFileDialog*>(Qt::FindDirectChildrenOnly))
        before->close();
    auto* dialog = new QFileDialog(parent, title, mode == QFileDialog::AcceptSave ? QFileInfo(path).path() : path);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(mode);
    dialog->setFileMode(mode == QFileDialog::AcceptSave ? QFileDialog::AnyFile : QFileDialog::ExistingFile);
    dialog->setNameFilters(filter.split(QStringLiteral(";;")));
    if (mode == QFileDialog::AcceptSave)
        dialog->selectFile(QFileInfo(path).fileName());
    rememberFolder(*dialog);
    return dialog;
}

}  // namespace

// Begins where the last file of that kind lies, or else beside the model.
void MainWindow::openDialog(const QString& title, const QString& filter, void (Document::*open)(const QString&), const QString& last)
{
    QFileDialog* dialog = fileDialog(this, title, folderBeside(last.isEmpty() ? m_document.modelPath() : last), filter, QFileDialog::AcceptOpen);
    connect(dialog, &QFileDialog::fileSelected, &m_document, open);
    dialog->show();
}

void MainWindow::openFolderDialog()
{
    const QString title = tr("Open graph folder");
    QFileDialog* dialog = fileDialog(this, title, folderBeside(m_document.graphPath()), QString(), QFileDialog::AcceptOpen);
    dialog->setFileMode(QFileDialog::Directory);
    connect(dialog, &QFileDialog::fileSelected, &m_document, &Document::openGraph);
    dialog->show();
}

void MainWindow::exportDialog()
{
    m_document.planEditor().keepPreview();
    const QFileInfo model(m_document.modelPath());
    QFileDialog* dialog = fileDialog(
        this, tr("Export"), folderBeside(model.filePath()) + u'/' + model.completeBaseName() + QStringLiteral(".svg"),
        tr("Pictures (*.svg *.pdf *.png);;Graphviz (*.dot);;Report (*.html);;Table of costs (*.csv);;Outputs of the last run (*.npz *.npy);;PipeDream profile graph, measured on the graph (*.txt)"),
        QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("svg"));
    connect(dialog, &QFileDialog::filterSelected, dialog, [dialog](const QString& filter) {
        static const QRegularExpression first(QStringLiteral("\\*\\.(\\w+)"));
        dialog->setDefaultSuffix(first.match(filter).captured(1));
    });
    connect(dialog, &QFileDialog::fileSelected, this, &MainWindow::exportTo);
    closeWithModel(*dialog);
    dialog->show();
}

void MainWindow::exportTo(const QString& path)
{
    try {
        if (exportDocument(m_document, *m_view, path))
            sayWritten(tr("Written: %1.").arg(path));
    } catch (const Error& error) {
        showError(toText(error.what()));
    }
}

// Among the messages; and below, where these are not seen.
void MainWindow::note(const QString& sentence)
{
    m_results->addMessage(sentence);
    if (!m_results->isVisible() && !sentence.contains(u'\n'))
        statusBar()->showMessage(sentence, messageTime);
}

void MainWindow::sayWritten(const QString& sentence)
{
    m_results->addMessage(sentence);
    statusBar()->showMessage(sentence, messageTime);
}

void MainWindow::exportCodeDialog()
{
    auto* dialog = new QFileDialog(this, tr("Folder for the Python package"), folderBeside(m_document.modelPath()));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    rememberFolder(*dialog);
    dialog->setOption(QFileDialog::ShowDirsOnly);
    connect(dialog, &QFileDialog::fileSelected, this, &MainWindow::exportCode);
    closeWithModel(*dialog);
    dialog->show();
}

// Into the folder itself where it is empty or holds the package already; otherwise into one of its own there, not among other files.
QString MainWindow::packageFolder(const QString& chosen) const
{
    const QDir folder(chosen);
    if (folder.isEmpty() || folder.exists(QStringLiteral("cleave_plan.py")))
        return chosen;
    static const QRegularExpression others(QStringLiteral("\\W"));  // than a Python module is called by
    const QString name = QFileInfo(m_document.modelPath()).completeBaseName().replace(others, QStringLiteral("_"));
    return folder.filePath(name + QStringLiteral("_cleave"));
}

void MainWindow::exportCode(const QString& chosen)
{
    const QString folder = packageFolder(chosen);
    try {
        writeCode(toPath(folder), m_document.planEditor().code().files);
        sayWritten(tr("Python package written to %1.").arg(folder));
    } catch (const Error& error) {
        showError(toText(error.what()));
    }
}

void MainWindow::print()
{
    auto printer = std::make_shared<QPrinter>(QPrinter::HighResolution);
    const QRectF picture = m_view->sceneRect();
    printer->setPageOrientation(picture.width() > picture.height() ? QPageLayout::Landscape : QPageLayout::Portrait);
    auto* dialog = new QPrintDialog(printer.get(), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, qOverload<QPrinter*>(&QPrintDialog::accepted), this, [this, printer] {
        try {
            m_view->print(*printer);
        } catch (const Error& error) {
            showError(toText(error.what()));
        }
    });
    closeWithModel(*dialog);
    dialog->setModal(false);
    dialog->show();
}

// What a dialog proposes is for the model that was open when it was asked for.
void MainWindow::closeWithModel(QDialog& dialog)
{
    connect(&m_document, &Document::changed, &dialog, [&dialog](Change change) {
        if (change == Change::Model)
            dialog.close();
    });
}

// Where it is, if it has a file.
void MainWindow::savePlan()
{
    m_document.planEditor().keepPreview();
    if (m_document.planPath().isEmpty())
        saveDialog();
    else
        savePlanTo(m_document.planPath());
}

void MainWindow::savePlanTo(const QString& path)
{
    if (m_document.savePlan(path))
        statusBar()->showMessage(tr("Plan written to %1.").arg(path), messageTime);
}

void MainWindow::saveDialog()
{
    m_document.planEditor().keepPreview();
    QFileDialog* dialog = planDialog();
    connect(dialog, &QFileDialog::fileSelected, this, &MainWindow::savePlanTo);
    closeWithModel(*dialog);
    dialog->show();
}

bool MainWindow::savePlanDialog()
{
    const std::unique_ptr<QFileDialog> dialog(planDialog());
    dialog->setAttribute(Qt::WA_DeleteOnClose, false);
    return dialog->exec() == QDialog::Accepted && m_document.savePlan(dialog->selectedFiles().front());
}

// Its ending is put behind a name before the file of that name is asked for.
QFileDialog* MainWindow::planDialog()
{
    const QFileInfo model(m_document.modelPath());
    const QString ending = QStringLiteral("cleave.json");
    const QString proposed =
        m_document.planPath().isEmpty() ? folderBeside(model.filePath()) + u'/' + model.completeBaseName() + u'.' + ending : m_document.planPath();
    QFileDialog* dialog = fileDialog(this, tr("Save plan"), proposed, tr("Plans (*.cleave.json)"), QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(ending);
    return dialog;
}

// Asks where the plan was changed and not saved.
bool MainWindow::mayLosePlan()
{
    if (!m_document.planEditor().isModified())
        return true;
    switch (QMessageBox::warning(this, tr("Plan not saved"),
                                 tr("The plan of %1 was changed and is not saved.").arg(QFileInfo(m_document.modelPath()).fileName()),
                                 QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, QMessageBox::Save)) {
        case QMessageBox::Save:
            return m_document.planPath().isEmpty() ? savePlanDialog() : m_document.savePlan(m_document.planPath());
        case QMessageBox::Discard:
            return true;
        default:
            return false;
    }
}

void MainWindow::showHelp()
{
    auto* help = findChild<HelpDialog*>();
    if (help == nullptr) {
        help = new HelpDialog(*menuBar(), this);
        help->setAttribute(Qt::WA_DeleteOnClose);
    }
    help->show();
    help->raise();
}

void MainWindow::about()
{
    auto* box = new QMessageBox(
        QMessageBox::NoIcon, tr("About Cleave"),
        tr("<b>Cleave %1</b><p>Visual splitting of graph neural networks.</p><p>LibTorch %2, Qt %3, Graphviz %4</p><p>MIT licence.</p>")
            .arg(QApplication::applicationVersion(), toText(libtorchVersion()), QLatin1String(qVersion()),
                 graphvizVersion().empty() ? tr("missing") : toText(graphvizVersion())),
        QMessageBox::Close, this);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setModal(false);
    box->show();
}

}  // namespace cleave::views
