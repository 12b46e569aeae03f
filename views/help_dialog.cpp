#include "views/help_dialog.h"

#include <QAction>
#include <QDialogButtonBox>
#include <QMenu>
#include <QMenuBar>
#include <QTextBrowser>
#include <QVBoxLayout>
#include <utility>
#include <vector>

namespace cleave::views {

namespace {

using Entries = std::vector<std::pair<QString, QString>>;

QString table(const QString& title, const Entries& entries)
{
    QString rows;
    for (const auto& [word, meaning] : entries)
        rows += QStringLiteral("<tr><td style='padding-right: 14px; white-space: nowrap'><b>%1</b></td><td>%2</td></tr>").arg(word, meaning);
    return QStringLiteral("<h3>%1</h3><table cellpadding='3'>%2</table>").arg(title, rows);
}

// Of a menu and those below it: "File ▸ Open model…".
void addShortcuts(Entries& entries, const QMenu& menu, const QString& path)
{
    for (const QAction* action : menu.actions()) {
        const QString text = action->text().remove(u'&');
        if (action->menu() != nullptr)
            addShortcuts(entries, *action->menu(), path + text + QStringLiteral(" ▸ "));
        else if (const QKeySequence keys = action->shortcut(); !keys.isEmpty())
            entries.emplace_back(keys.toString(QKeySequence::NativeText).toHtmlEscaped(), (path + text).toHtmlEscaped());
    }
}

}  // namespace

HelpDialog::HelpDialog(const QMenuBar& menus, QWidget* parent) : QDialog(parent), m_browser(new QTextBrowser(this))
{
    setWindowTitle(tr("Words and keys"));
    const Entries words{
        {tr("message passing"), tr("Nodes gather rows of their neighbours along the edges and reduce them, by a sum or the like, to one row each.")},
        {tr("message degree"), tr("How many steps of message passing lie between the input features and a tensor: its colour and number.")},
        {tr("V, E, M"),
         tr("What the rows of a tensor count: the graph's V nodes; the E nodes of all blocks, each as often as a block needs it; the M edges.")},
        {tr("batch, block"),
         tr("Target nodes that are computed together; these, the other nodes that they gather from, and the edges between them.")},
        {tr("function"), tr("What runs together for one batch: a band of the picture, between two cuts.")},
        {tr("cut, save point"),
         tr("Where the model is divided; a tensor that crosses there: one function writes its rows for all nodes, a later one reads them.")},
        {tr("layer by layer"),
         tr("Each function runs on all nodes before the next one begins. Nothing is computed twice, and only save points stay.")},
        {tr("node-wise"),
         tr("The whole model runs for each batch, on a block of as many steps as it has layers: neighbours are computed again and again.")},
        {tr("prologue"), tr("What depends on the graph alone, such as degrees: computed once, for the whole graph.")},
        {tr("structure"), tr("Indices, edge weights and whatever else the prologue makes; a box that reads some names it below its title.")},
        {tr("global op"), tr("What needs all nodes at once, such as a mean over them: it runs between functions.")},
    };
    const Entries picture{
        {tr("Arrows"), tr("select the next box in that direction")},
        {tr("Tab, Shift+Tab"), tr("select the next cut, or the next box once one is selected")},
        {tr("C"), tr("selects the next cut")},
        {tr("Up, Down on a cut"), tr("move it; Enter keeps what is shown, Esc gives it up")},
        {tr("+ or Enter, −"), tr("open and close a module")},
        {tr("Ctrl+wheel"), tr("zooms")},
        {tr("F or Home"), tr("shows the whole picture")},
        {tr("Shift+F10"), tr("what can be done with what is selected")},
        {tr("F6"), tr("into the picture, and out of it past all boxes and cuts")},
        {tr("Esc"), tr("gives up a drag, or selects nothing")},
    };
    Entries keys;
    for (const QAction* action : menus.actions())
        if (action->menu() != nullptr)
            addShortcuts(keys, *action->menu(), action->text().remove(u'&') + QStringLiteral(" ▸ "));
    m_browser->setAccessibleName(windowTitle());
    m_browser->setHtml(table(tr("Words"), words) + table(tr("Keys in the picture"), picture) + table(tr("Keys of the menus"), keys));
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::close);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(m_browser);
    layout->addWidget(buttons);
    const int letter = fontMetrics().averageCharWidth();
    resize(letter * 95, fontMetrics().height() * 34);
}

QString HelpDialog::text() const
{
    return m_browser->toPlainText();
}

}  // namespace cleave::views
