#include "views/item_painting.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QStyleOptionGraphicsItem>

namespace cleave::views {

double detail(const QStyleOptionGraphicsItem* option, const QPainter* painter)
{
    return option->levelOfDetailFromTransform(painter->worldTransform());
}

QString elided(const QFont& font, const QString& text, double width)
{
    return QFontMetricsF(font).elidedText(text, Qt::ElideMiddle, width);
}

void drawText(QPainter* painter, const QFont& font, const QColor& color, const QRectF& area, const QString& text, Qt::Alignment alignment)
{
    painter->setFont(font);
    painter->setPen(color);
    painter->drawText(area, static_cast<int>(alignment) | Qt::TextSingleLine, elided(font, text, area.width() + 1));
}

QFont largeTitle(const BoxMetrics& metrics)
{
    QFont font = metrics.title;
    font.setPointSizeF(font.pointSizeF() * largerName);
    return font;
}

QFont largeSmall(const BoxMetrics& metrics)
{
    QFont font = metrics.small;
    font.setPointSizeF(font.pointSizeF() * BoxMetrics::largerSmall);
    return font;
}

void drawSign(QPainter* painter, const QRectF& area, bool plus, const QColor& color)
{
    painter->setPen(QPen(color, 1.3));
    painter->setBrush(Qt::NoBrush);
    painter->drawRoundedRect(area.adjusted(1, 1, -1, -1), 3, 3);
    const QPointF centre = area.center();
    painter->drawLine(centre - QPointF(3.5, 0), centre + QPointF(3.5, 0));
    if (plus)
        painter->drawLine(centre - QPointF(0, 3.5), centre + QPointF(0, 3.5));
}

}  // namespace cleave::views
