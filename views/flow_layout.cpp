#include "views/flow_layout.h"

#include <QWidget>
#include <algorithm>

namespace cleave::views {

FlowLayout::~FlowLayout()
{
    qDeleteAll(m_items);
}

QLayoutItem* FlowLayout::takeAt(int index)
{
    return index >= 0 && index < count() ? m_items.takeAt(index) : nullptr;
}

void FlowLayout::setGeometry(const QRect& rect)
{
    QLayout::setGeometry(rect);
    lay(rect, true);
}

QSize FlowLayout::sizeHint() const
{
    QSize size;
    for (const QLayoutItem* item : m_items)
        size = {size.width() + (size.width() > 0 ? spacing() : 0) + item->sizeHint().width(), std::max(size.height(), item->sizeHint().height())};
    return size.grownBy(contentsMargins());
}

QSize FlowLayout::minimumSize() const
{
    QSize size;
    for (const QLayoutItem* item : m_items)
        size = size.expandedTo(item->minimumSize());
    return size.grownBy(contentsMargins());
}

int FlowLayout::lay(const QRect& rect, bool places) const
{
    const QRect inside = rect.marginsRemoved(contentsMargins());
    const bool isMirrored = parentWidget() != nullptr && parentWidget()->isRightToLeft();
    int x = 0, y = 0, height = 0;
    for (QLayoutItem* item : m_items) {
        const QSize size(std::min(item->sizeHint().width(), inside.width()), item->sizeHint().height());
        if (x > 0 && x + size.width() > inside.width()) {
            x = 0;
            y += height + spacing();
            height = 0;
        }
        if (places)
            item->setGeometry({{isMirrored ? inside.right() + 1 - x - size.width() : inside.x() + x, inside.y() + y}, size});
        x += size.width() + spacing();
        height = std::max(height, size.height());
    }
    return y + height + contentsMargins().top() + contentsMargins().bottom();
}

}  // namespace cleave::views
