// What the main window tells: errors with buttons for what can be done, remarks, steps of the history.
#include <QFileInfo>
#include <QKeyEvent>
#include <QRegularExpression>
#include <QTimer>
#include <QUndoStack>
#include <algorithm>
#include <utility>

#include "views/accessible.h"
#include "views/accessible_graph.h"
#include "views/core_text.h"
#include "views/description.h"
#include "views/graph_view.h"
#include "views/main_window.h"
#include "views/message_bar.h"
#include "views/result_panel.h"

namespace cleave::views {

// The picture may be that of another model: the message names the one that it is about.
void MainWindow::showRefusal(const QString& path, const QString& told)
{
    const QString name = QFileInfo(path).fileName();
    tell(told, name.isEmpty() || told.contains(name) ? QString() : tr("%1 was not opened.").arg(name) + u' ');
    m_tellsOfModel = true;
}

void MainWindow::showError(const QString& told)
{
    tell(told, {});
}

// Of core, behind a sentence of the window's own.
void MainWindow::tell(const QString& told, const QString& before)
{
    m_tellsRefusal = m_tellsOfModel = false;
    m_toldAtBound = m_document.options().run.memoryBytes;
    QString sentence = told;
    static const QRegularExpression array(QStringLiteral(" Choose one with --input (\\S+)=ARRAY"));
    const QRegularExpressionMatch missing = array.match(told);
    const QStringList fitting = missing.hasMatch() ? arraysFor(missing.captured(1)) : QStringList();
    if (missing.hasMatch() && fitting.isEmpty())
        sentence = told.left(missing.capturedStart()) + (told.contains(QStringLiteral("--features random"))
                                                             ? QStringLiteral(" Random numbers can take its place (--features random).")
                                                             : QString());
    static const QRegularExpression advice(QStringLiteral("--role (\\S+)=([a-z-]*[a-z])"));
    QList<MessageBar::Choice> choices;
    QString text = before + fromCore(sentence);
    // Where the command line has an option, the window has a button.
    const auto offer = [&](const QString& option, const QString& button, std::function<void()> chosen) {
        text.replace(option, tr("“%1”").arg(button));
        choices.append({button, std::move(chosen)});
    };
    for (auto found = advice.globalMatch(sentence); found.hasNext();) {
        const QRegularExpressionMatch match = found.next();
        if (Role role{}; roleFromName(match.captured(2).toStdString(), role))
            offer(match.captured(0), tr("Take %1 as %2").arg(match.captured(1), roleText(role)),
                  [this, input = match.captured(1), role] { m_document.tryRole(input, role); });
    }
    if (const QString option = QStringLiteral("--features random"); sentence.contains(option))
        offer(option, tr("Take random features"), [this] {
            m_message->hide();
            m_document.setRandomFeatures(true);
        });
    for (const QString& name : fitting)
        offer(QStringLiteral("--input %1=ARRAY").arg(missing.captured(1)), tr("Take %1 as %2").arg(name, missing.captured(1)),
              [this, input = missing.captured(1), name] {
                  m_message->hide();
                  m_document.setArray(input, name);
              });
    static const QRegularExpression width(QStringLiteral("--width (\\S+)=…"));
    if (const QRegularExpressionMatch open = width.match(sentence); open.hasMatch())
        m_message->ask(text.replace(open.captured(0), tr("“%1”").arg(tr("Take this width of %1").arg(open.captured(1)))),
                       {tr("Take this width of %1").arg(open.captured(1)), 1, widestInput, widthInGraph(open.captured(1)),
                        [this, input = open.captured(1)](int value) { m_document.tryWidth(input, value); }});
    else
        m_message->offer(text, choices);
    m_results->addMessage(text);
}

// What nobody else takes Esc for.
void MainWindow::keyPressEvent(QKeyEvent* event)
{
    if (event->key() != Qt::Key_Escape || !m_message->isVisible()) {
        QMainWindow::keyPressEvent(event);
        return;
    }
    m_message->hide();
}

// To those who do not see the picture follow.
void MainWindow::sayStep(int index)
{
    const QUndoStack& history = m_document.planEditor().history();
    const int before = std::exchange(m_step, index);
    if (index > before)
        announce(*this, history.text(index - 1));
    else if (index < before && index < history.count())
        announce(*this, tr("Undone: %1").arg(history.text(index)));
    QTimer::singleShot(0, m_view, [this] { tellSelection(*m_view); });  // the list of the history takes its new line for the focus
}

// A plan can be compared with those of the same program only.
void MainWindow::offerComparison(const QString& path, const std::set<Rewrite>& made)
{
    const auto names = [](const std::set<Rewrite>& rewrites) {
        QStringList texts;
        for (const Rewrite rewrite : rewrites)
            texts.append(rewriteText(rewrite));
        return texts.isEmpty() ? tr("none") : texts.join(QStringLiteral(", "));
    };
    const QString sentence = tr("%1 is a plan of the program after other rewrites (%2) than those of the open one (%3).")
                                 .arg(QFileInfo(path).fileName(), names(made), names(appliedRewrites(*m_document.model()->analysis)));
    m_tellsRefusal = m_tellsOfModel = false;
    m_toldAtBound = 0;
    m_message->offer(sentence, {{tr("Rewrite the program so, and compare"), [this, path, made] {
                                     m_message->hide();
                                     m_document.compareAfterRewrites(path, made);
                                 }}});
    m_results->addMessage(sentence);
}

// The first is shown at once.
void MainWindow::showRemarks(const QStringList& remarks)
{
    m_tellsRefusal = m_tellsOfModel = false;
    m_toldAtBound = 0;
    for (const QString& remark : remarks)
        m_results->addMessage(fromCore(remark));
    const int more = static_cast<int>(remarks.size()) - 1;
    m_message->offer(more == 0 ? fromCore(remarks.front()) : fromCore(remarks.front()) + u' ' + tr("%n more under Results.", nullptr, more), {});
}

// The first few that fit.
QStringList MainWindow::arraysFor(const QString& input) const
{
    constexpr int most = 3;
    if (!m_document.model() || !m_document.graph())
        return {};
    const Program& program = m_document.model()->program();
    const auto known = std::ranges::find(program.inputs, input, [&](const Input& i) { return toText(program[i.value].name); });
    return known == program.inputs.end() ? QStringList() : fittingArrays(program, known->value, *m_document.graph()).mid(0, most);
}

// Of the array of this name, 1 if there is none.
int MainWindow::widthInGraph(const QString& input) const
{
    if (!m_document.graph())
        return 1;
    const auto array = m_document.graph()->arrays.find(input.toStdString());
    const bool isRows = array != m_document.graph()->arrays.end() && array->second.shape.size() == 2;
    return isRows ? static_cast<int>(std::clamp<std::int64_t>(array->second.shape[1], 1, widestInput)) : 1;
}

}  // namespace cleave::views
