#include "views/message_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QSpinBox>
#include <QStyle>
#include <QToolButton>
#include <QVBoxLayout>
#include <utility>

#include "views/accessible.h"
#include "views/flow_layout.h"

namespace cleave::views {

MessageBar::MessageBar(QWidget* parent)
    : QFrame(parent), m_text(new QLabel(this)), m_rows(new QVBoxLayout(this)), m_beside(new QHBoxLayout), m_choices(new QWidget(this))
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

    auto* flow = new FlowLayout(m_choices);
    flow->setContentsMargins({});
    flow->setSpacing(6);
    m_choices->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Preferred);
    m_rows->setContentsMargins(10, 6, 6, 6);
    m_rows->addLayout(m_beside);
    m_beside->addWidget(sign);
    m_beside->addWidget(m_text, 1);
    m_beside->addWidget(m_choices);
    m_beside->addWidget(close);
    setAccessibleName(tr("Message"));
    hide();
}

void MessageBar::offer(const QString& sentence, const QList<Choice>& choices)
{
    if (isVisible() && m_text->text() == sentence)
        flash();
    clear();
    for (const Choice& choice : choices) {
        connect(addButton(choice.text), &QPushButton::clicked, this, [this, chosen = choice.chosen] {
            hide();
            clear();
            chosen();
        });
    }
    place();
    m_text->setText(sentence);
    setAccessibleDescription(sentence);
    show();
    announce(*this, sentence);
}

// What has been said already is said again: whoever asked for it sees that it is the answer.
void MessageBar::flash()
{
    constexpr int shortTime = 300;
    m_flash.start(shortTime, Qt::CoarseTimer, this);
    update();
}

void MessageBar::timerEvent(QTimerEvent* event)
{
    if (event->timerId() != m_flash.timerId()) {
        QFrame::timerEvent(event);
        return;
    }
    m_flash.stop();
    update();
}

void MessageBar::ask(const QString& sentence, const Question& question)
{
    offer(sentence, {});
    m_field = new QSpinBox(m_choices);
    m_field->setRange(question.least, question.most);
    m_field->setValue(question.guess);
    m_field->setAccessibleName(question.button);
    m_choices->layout()->addWidget(m_field);
    const auto answer = [this, answered = question.answered] {
        const int value = m_field->value();
        hide();
        clear();
        answered(value);
    };
    connect(addButton(question.button), &QPushButton::clicked, this, answer);
    place();
}

// What is asked may name inputs of any length.
QPushButton* MessageBar::addButton(const QString& text)
{
    constexpr int widest = 320;
    auto* button = new QPushButton(fontMetrics().elidedText(text, Qt::ElideMiddle, widest), m_choices);
    button->setAccessibleName(text);
    if (button->text() != text)
        button->setToolTip(text);
    m_choices->layout()->addWidget(button);
    m_buttons.append(button);
    button->show();
    return button;
}

void MessageBar::place()
{
    constexpr double most = 0.45;  // of the bar beside the sentence
    const bool isBelow = m_choices->layout()->sizeHint().width() > most * width();
    m_choices->setVisible(!m_buttons.isEmpty());
    if (std::exchange(m_isBelow, isBelow) == isBelow)
        return;
    if (isBelow) {
        m_beside->removeWidget(m_choices);
        m_choices->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Preferred);
        m_rows->addWidget(m_choices);
    } else {
        m_rows->removeWidget(m_choices);
        m_choices->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Preferred);
        m_beside->insertWidget(m_beside->count() - 1, m_choices);
    }
}

void MessageBar::resizeEvent(QResizeEvent* event)
{
    QFrame::resizeEvent(event);
    place();
}

// With what the buttons hold on to.
void MessageBar::clear()
{
    const auto drop = [this](QWidget* widget) {
        m_choices->layout()->removeWidget(widget);
        widget->hide();
        widget->deleteLater();
    };
    for (QPushButton* button : std::exchange(m_buttons, {}))
        drop(button);
    if (QSpinBox* field = std::exchange(m_field, nullptr))
        drop(field);
}

QString MessageBar::text() const
{
    return m_text->text();
}

// By the theme as it is now: a palette of its own would not follow it.
void MessageBar::paintEvent(QPaintEvent* event)
{
    const bool dark = palette().color(QPalette::Window).lightness() < 128;
    const QColor usual(dark ? 0xff4a3413 : 0xfffdf0d0), lit(dark ? 0xff8a6420 : 0xfff5cf78);
    QPainter(this).fillRect(rect(), m_flash.isActive() ? lit : usual);
    QFrame::paintEvent(event);
}

}  // namespace cleave::views
