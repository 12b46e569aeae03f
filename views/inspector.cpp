#include "views/inspector.h"

#include <QEvent>
#include <QLabel>
#include <QVBoxLayout>

#include "views/property_view.h"

namespace cleave::views {

Inspector::Inspector(QWidget* parent)
    : QWidget(parent), m_title(new QLabel(this)), m_kind(new QLabel(this)), m_properties(new PropertyView(this))
{
    enlargeTitle();
    m_title->setTextFormat(Qt::PlainText);
    m_title->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_title->setWordWrap(true);
    m_kind->setForegroundRole(QPalette::PlaceholderText);
    m_kind->setTextFormat(Qt::PlainText);
    m_kind->setWordWrap(true);
    m_properties->setAccessibleName(tr("Properties of the selection"));

    auto* head = new QVBoxLayout;
    head->setContentsMargins(10, 8, 10, 4);
    head->setSpacing(2);
    head->addWidget(m_title);
    head->addWidget(m_kind);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(head);
    layout->addWidget(m_properties, 1);
    showNothing();
}

// Beside the text, whose size may change.
void Inspector::enlargeTitle()
{
    QFont larger = font();
    larger.setBold(true);
    larger.setPointSizeF(larger.pointSizeF() * 1.2);
    m_title->setFont(larger);
}

void Inspector::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        enlargeTitle();
}

void Inspector::show(const Inspection& inspection)
{
    m_title->setText(inspection.title);
    m_kind->setText(inspection.kind);
    m_properties->setSections(inspection.sections);
}

void Inspector::showNothing()
{
    m_title->setText(tr("Nothing selected"));
    m_kind->setText(tr("Click a box or the line of a cut; in the graph, arrow keys select a box and Tab a cut."));
    m_properties->setSections({});
}

QString Inspector::title() const
{
    return m_title->text();
}

}  // namespace cleave::views
