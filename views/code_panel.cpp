#include "views/code_panel.h"

#include <QComboBox>
#include <QFontDatabase>
#include <QPlainTextEdit>
#include <QScrollBar>
#include <QVBoxLayout>

#include "core/base/error.h"
#include "core/plan/code.h"
#include "views/text.h"

namespace cleave::views {

CodePanel::CodePanel(Document& document, QWidget* parent) : LazyPanel(parent), m_document(document), m_files(new QComboBox(this)), m_source(new QPlainTextEdit(this))
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
    connect(m_files, &QComboBox::currentTextChanged, this, [this](const QString& name) {
        const auto file = m_code.find(name.toStdString());
        m_source->setPlainText(file == m_code.end() ? QString() : toText(file->second));
    });
    connect(&m_document.planEditor(), &PlanEditor::changed, this, &CodePanel::setStale);
    connect(&m_document.planEditor(), &PlanEditor::costsChanged, this, &CodePanel::setStale);
}

QString CodePanel::source() const { return m_source->toPlainText(); }

void CodePanel::showFile(const QString& name) { m_files->setCurrentText(name); }

void CodePanel::refresh()
{
    const QString file = m_files->currentText();
    const int line = m_source->verticalScrollBar()->value();
    m_code = m_document.planEditor().code();
    const QSignalBlocker quiet(m_files);
    m_files->clear();
    for (const auto& [name, source] : m_code)
        if (name != "cleave_plan.py")  // the same for every plan
            m_files->addItem(toText(name));
    const int same = m_files->findText(file);
    m_files->setCurrentIndex(same >= 0 ? same : m_files->findText(QStringLiteral("function_1.py")) >= 0 ? m_files->findText(QStringLiteral("function_1.py")) : 0);
    const auto shown = m_code.find(m_files->currentText().toStdString());
    m_source->setPlainText(shown == m_code.end() ? QString() : toText(shown->second));
    if (same >= 0)
        m_source->verticalScrollBar()->setValue(line);
}

}  // namespace cleave::views
