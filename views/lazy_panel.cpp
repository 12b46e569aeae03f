#include "views/lazy_panel.h"

#include <utility>

namespace cleave::views {

void LazyPanel::setStale()
{
    m_isStale = true;
    refreshIfSeen();
}

void LazyPanel::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    refreshIfSeen();
}

void LazyPanel::refreshIfSeen()
{
    if (isVisible() && std::exchange(m_isStale, false))
        refresh();
}

}  // namespace cleave::views
