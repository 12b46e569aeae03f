#include "views/code_panel.h"

#include <QComboBox>
#include <QFontDatabase>
#include <QPlainTextEdit>
#include <QScrollBar>
#include <QTextBlock>
#include <QVBoxLayout>
#include <algorithm>

#include "core/base/error.h"
#include "core/plan/code.h"
#include "views/text.h"

namespace cleave::views {

CodePanel::CodePanel(Document& document, QWidget* parent)
    : LazyPanel(parent), m_document(document), m_files(new QComboBox(this)), m_source(new QPlainTextEdit(this))
{
    m_files->setAccessibleName(tr("File"));
    m_source->setReadOnly(true);
    m_source->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_source->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    m_source->setFrameShape(QFrame::NoFrame);
    m_source->setAccessibleName(tr("Python source"));
    m_source->setPlaceholderText(tr("Open a model to see its functions as Python."));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_files);
    layout->addWidget(m_source, 1);
    connect(m_files, &QComboBox::currentTextChanged, this, [this] {
        showSource();
        mark(true);
    });
    connect(&m_document.planEditor(), &PlanEditor::changed, this, &CodePanel::setStale);
    connect(&m_document.planEditor(), &PlanEditor::costsChanged, this, &CodePanel::setStale);
}

QString CodePanel::source() const { return m_source->toPlainText(); }

void CodePanel::showFile(const QString& name) { m_files->setCurrentText(name); }

void CodePanel::showOps(const std::vector<OpId>& ops)
{
    m_ops = ops;
    if (const QString file = fileOfOps(); !file.isEmpty())
        m_files->setCurrentText(file);
    mark(true);
}

QString CodePanel::fileOfOps() const
{
    const std::string shown = m_files->currentText().toStdString();
    std::string first;
    for (const OpId op : m_ops)
        if (const auto found = m_code.lines.find(op); found != m_code.lines.end()) {
            if (std::ranges::find(found->second, shown, &PlanCode::Line::file) != found->second.end())
                return m_files->currentText();
            if (first.empty())
                first = found->second.front().file;
        }
    return toText(first);
}

void CodePanel::showSource()
{
    const auto file = m_code.files.find(m_files->currentText().toStdString());
    m_source->setPlainText(file == m_code.files.end() ? QString() : toText(file->second));
}

void CodePanel::mark(bool scrolls)
{
    const std::string shown = m_files->currentText().toStdString();
    QList<QTextEdit::ExtraSelection> marks;
    for (const OpId op : m_ops) {
        const auto lines = m_code.lines.find(op);
        if (lines == m_code.lines.end())
            continue;
        for (const PlanCode::Line& line : lines->second)
            if (line.file == shown) {
                QTextEdit::ExtraSelection mark;
                mark.cursor = QTextCursor(m_source->document()->findBlockByNumber(line.number - 1));
                mark.format.setBackground(palette().color(QPalette::Highlight));
                mark.format.setForeground(palette().color(QPalette::HighlightedText));
                mark.format.setProperty(QTextFormat::FullWidthSelection, true);
                marks.append(mark);
            }
    }
    m_source->setExtraSelections(marks);
    if (scrolls && !marks.isEmpty()) {
        m_source->setTextCursor(marks.front().cursor);
        m_source->centerCursor();
    }
}

void CodePanel::refresh()
{
    const QString file = m_files->currentText();
    const int line = m_source->verticalScrollBar()->value();
    const bool follows = !m_ops.empty() && fileOfOps() == file;
    m_code = m_document.planEditor().code();
    const QSignalBlocker quiet(m_files);
    m_files->clear();
    for (const auto& [name, source] : m_code.files)
        if (name != "cleave_plan.py")  // the same for every plan
            m_files->addItem(toText(name));
    const int same = m_files->findText(file);
    m_files->setCurrentIndex(same >= 0                                                 ? same
                             : m_files->findText(QStringLiteral("function_1.py")) >= 0 ? m_files->findText(QStringLiteral("function_1.py"))
                                                                                       : 0);
    const QString now = follows ? fileOfOps() : QString();
    const bool isElsewhere = !now.isEmpty() && now != file;
    if (isElsewhere)
        m_files->setCurrentText(now);
    showSource();
    if (same >= 0)
        m_source->verticalScrollBar()->setValue(line);
    mark(isElsewhere);
}

}  // namespace cleave::views
