#include "views/message_bar.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QStyle>
#include <QToolButton>

namespace cleave::views {

MessageBar::MessageBar(QWidget* parent) : QFrame(parent), m_text(new QLabel(this)), m_layout(new QHBoxLayout(this))
{
    auto* sign = new QLabel(this);
    sign->setPixmap(style()->standardIcon(QStyle::SP_MessageBoxWarning).pixmap(20, 20));
    m_text->setTextFormat(Qt::PlainText);
    m_text->setWordWrap(true);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* close = new QToolButton(this);
    close->setIcon(style()->standardIcon(QStyle::SP_TitleBarCloseButton));
    close->setAutoRaise(true);
    close->setToolTip(tr("Dismiss"));
    close->setAccessibleName(tr("Dismiss the message"));
    connect(close, &QToolButton::clicked, this, &QWidget::hide);

    m_layout->setContentsMargins(10, 6, 6, 6);
    m_layout->addWidget(sign);
    m_layout->addWidget(m_text, 1);
    m_layout->addWidget(close);
    setAutoFillBackground(true);
    setAccessibleName(tr("Message"));
    color();
    hide();
}

void MessageBar::offer(const QString& sentence, const QList<Choice>& choices)
{
    for (QPushButton* button : std::exchange(m_buttons, {}))
        button->deleteLater();
    for (const Choice& choice : choices) {
        auto* button = new QPushButton(choice.text, this);
        connect(button, &QPushButton::clicked, this, [this, chosen = choice.chosen] {
            hide();
            for (QPushButton* offered : std::exchange(m_buttons, {}))
                offered->deleteLater();  // with what they hold on to
            chosen();
        });
        m_layout->insertWidget(m_layout->count() - 1, button);
        m_buttons.append(button);
    }
    m_text->setText(sentence);
    setAccessibleDescription(sentence);
    show();
}

QString MessageBar::text() const
{
    return m_text->text();
}

void MessageBar::changeEvent(QEvent* event)
{
    QFrame::changeEvent(event);
    if (event->type() == QEvent::ParentChange || event->type() == QEvent::ApplicationPaletteChange)
        color();
}

void MessageBar::color()
{
    QPalette colors = parentWidget()->palette();
    const bool dark = colors.color(QPalette::Window).lightness() < 128;
    colors.setColor(QPalette::Window, dark ? QColor(0xff4a3413) : QColor(0xfffdf0d0));
    setPalette(colors);
}

}  // namespace cleave::views
