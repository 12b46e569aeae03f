#include "views/message_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QSpinBox>
#include <QStyle>
#include <QToolButton>

#include "views/accessible.h"

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
    setAccessibleName(tr("Message"));
    hide();
}

void MessageBar::offer(const QString& sentence, const QList<Choice>& choices)
{
    clear();
    for (const Choice& choice : choices) {
        auto* button = new QPushButton(choice.text, this);
        connect(button, &QPushButton::clicked, this, [this, chosen = choice.chosen] {
            hide();
            clear();
            chosen();
        });
        m_layout->insertWidget(m_layout->count() - 1, button);
        m_buttons.append(button);
    }
    m_text->setText(sentence);
    setAccessibleDescription(sentence);
    show();
    announce(*this, sentence);
}

void MessageBar::ask(const QString& sentence, const Question& question)
{
    offer(sentence, {});
    m_field = new QSpinBox(this);
    m_field->setRange(question.least, question.most);
    m_field->setValue(question.guess);
    m_field->setAccessibleName(question.button);
    auto* button = new QPushButton(question.button, this);
    const auto answer = [this, answered = question.answered] {
        const int value = m_field->value();
        hide();
        clear();
        answered(value);
    };
    connect(button, &QPushButton::clicked, this, answer);
    m_layout->insertWidget(m_layout->count() - 1, m_field);
    m_layout->insertWidget(m_layout->count() - 1, button);
    m_buttons.append(button);
}

// With what the buttons hold on to.
void MessageBar::clear()
{
    for (QPushButton* button : std::exchange(m_buttons, {}))
        button->deleteLater();
    if (QSpinBox* field = std::exchange(m_field, nullptr))
        field->deleteLater();
}

QString MessageBar::text() const
{
    return m_text->text();
}

// By the theme as it is now: a palette of its own would not follow it.
void MessageBar::paintEvent(QPaintEvent* event)
{
    const bool dark = palette().color(QPalette::Window).lightness() < 128;
    QPainter(this).fillRect(rect(), dark ? QColor(0xff4a3413) : QColor(0xfffdf0d0));
    QFrame::paintEvent(event);
}

}  // namespace cleave::views
