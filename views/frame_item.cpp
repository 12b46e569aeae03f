#include "views/frame_item.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QStyleOptionGraphicsItem>
#include <algorithm>

#include "views/item_painting.h"

namespace cleave::views {

FrameItem::FrameItem(const QString& title, int index, const QRectF& rect, const GraphStyle& style)
    : m_style(style), m_title(title), m_index(index), m_rect(rect)
{
    setZValue(1);
    setAcceptedMouseButtons(Qt::NoButton);
}

QRectF FrameItem::headerRect() const
{
    const double side = BoxMetrics::controlSize;
    const double width = QFontMetricsF(m_style.metrics.small).horizontalAdvance(m_title) + side + 12;
    return {m_rect.left() + 5, m_rect.top() + 3, std::min(width, m_rect.width() - 8), std::max(side, m_style.metrics.smallHeight)};
}

QRectF FrameItem::boundingRect() const
{
    return m_rect.adjusted(-1, -1, 1, 1);
}

void FrameItem::paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*)
{
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(m_style.colors.bandLine, 1.2));
    painter->setBrush(m_style.colors.background);
    painter->drawRoundedRect(m_rect, 6, 6);
}

FrameTitleItem::FrameTitleItem(const FrameItem& frame, const GraphStyle& style) : m_style(style), m_title(frame.title()), m_rect(frame.headerRect())
{
    setZValue(2.7);
    setAcceptedMouseButtons(Qt::NoButton);
}

QRectF FrameTitleItem::boundingRect() const
{
    return m_rect;
}

void FrameTitleItem::paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget*)
{
    if (detail(option, painter) < textDetail)
        return;
    QRectF header = m_rect;
    painter->fillRect(header, m_style.colors.background);
    drawSign(painter, {header.left(), header.center().y() - BoxMetrics::controlSize / 2, BoxMetrics::controlSize, BoxMetrics::controlSize}, false,
             m_style.colors.muted);
    header.setLeft(header.left() + BoxMetrics::controlSize + 5);
    drawText(painter, m_style.metrics.small, m_style.colors.muted, header, m_title);
}

}  // namespace cleave::views
