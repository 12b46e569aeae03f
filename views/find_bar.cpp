#include "views/find_bar.h"

#include <QGuiApplication>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "views/accessible.h"
#include "views/found_list.h"
#include "views/graph_scene.h"

namespace cleave::views {

FindBar::FindBar(GraphView& view, QWidget* parent)
    : QFrame(parent), m_view(view), m_edit(new QLineEdit(this)), m_status(new QLabel(this)), m_list(new FoundList(this))
{
    m_edit->setPlaceholderText(tr("Name of an operator, a tensor or a module"));
    m_edit->setAccessibleName(tr("Find"));
    m_edit->setClearButtonEnabled(true);
    m_list->setAccessibleName(tr("What was found"));
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(10, 4, 6, 4);
    all->setSpacing(4);
    auto* layout = new QHBoxLayout;
    all->addLayout(layout);
    all->addWidget(m_list);
    layout->addWidget(m_edit, 1);
    layout->addWidget(m_status);
    const auto button = [&](Qt::ArrowType arrow, const QString& name, int by) {
        auto* tool = new QToolButton(this);
        tool->setArrowType(arrow);
        tool->setAutoRaise(true);
        tool->setAccessibleName(name);
        tool->setToolTip(name);
        connect(tool, &QToolButton::clicked, this, [this, by] { go(by); });
        layout->addWidget(tool);
    };
    button(Qt::UpArrow, tr("Previous"), -1);
    button(Qt::DownArrow, tr("Next"), 1);
    connect(m_edit, &QLineEdit::textChanged, this, &FindBar::search);
    connect(m_edit, &QLineEdit::returnPressed, this,
            [this] { QGuiApplication::keyboardModifiers().testFlag(Qt::ShiftModifier) ? previous() : next(); });
    connect(m_list, &FoundList::chosen, this, [this](std::size_t row) {
        m_at = row;
        step(0);
    });
    // Another model may have been opened since.
    connect(&m_view, &GraphView::pictureChanged, this, [this] {
        if (isVisible() && m_list->of() != m_view.model())
            searchAgain();
    });
    hide();
}

void FindBar::begin()
{
    m_before = m_view.selection();
    show();
    searchAgain();
    m_edit->setFocus();
    m_edit->selectAll();
}

void FindBar::next()
{
    go(1);
}
void FindBar::previous()
{
    go(-1);
}

void FindBar::go(int by)
{
    if (m_edit->text().isEmpty()) {
        begin();
        return;
    }
    searchAgain();
    step(by);
}

void FindBar::searchAgain()
{
    m_list->set(m_view.model(), m_view.find(m_edit->text()));
    m_at = std::min(m_at, std::max<std::size_t>(m_list->found().size(), 1) - 1);
}

QString FindBar::status() const { return m_status->text(); }

void FindBar::search()
{
    m_at = 0;
    searchAgain();
    step(0);
}

void FindBar::step(int by)
{
    const std::vector<OpId>& found = m_list->found();
    if (found.empty()) {
        const bool goesBack = std::exchange(m_isMoved, false);
        if (goesBack)
            m_view.select(m_before);
        m_view.closeFound();
        if (goesBack)
            m_view.goTo(m_placeBefore);
        m_status->setText(m_edit->text().isEmpty() ? QString() : tr("Nothing found"));
        announce(*this, m_status->text());
        return;
    }
    m_at = (m_at + found.size() + static_cast<std::size_t>(by + 1) - 1) % found.size();
    m_list->setCurrent(m_at);
    m_status->setText(tr("%1 of %2").arg(m_at + 1).arg(found.size()));
    if (!std::exchange(m_isMoved, true))
        m_placeBefore = m_view.place();
    m_view.showFound(found[m_at]);
    const int box = m_view.picture() && m_view.selection() ? m_view.picture()->dag.find(*m_view.selection()) : -1;
    announce(*this, box < 0 ? m_status->text() : m_status->text() + QStringLiteral(": ") + m_view.graphScene().spokenBox(box).name);
}

void FindBar::keyPressEvent(QKeyEvent* event)
{
    switch (event->key()) {
        case Qt::Key_Escape:
            hide();
            m_view.setFocus();
            break;
        case Qt::Key_Up:
            previous();
            break;
        case Qt::Key_Down:
            next();
            break;
        default:
            QFrame::keyPressEvent(event);
    }
}

}  // namespace cleave::views
