#include "views/style.h"

#include <QPainter>
#include <QStyleFactory>
#include <QStyleOption>

namespace cleave::views {

namespace {

QColor outline(const QPalette& palette, bool isEnabled)
{
    QColor color = palette.color(isEnabled ? QPalette::Active : QPalette::Disabled, QPalette::Text);
    color.setAlphaF(0.55F);
    return color;
}

void drawCheckBox(const QStyleOption& option, QPainter& painter)
{
    const bool isEnabled = (option.state & QStyle::State_Enabled) != 0;
    const QRectF box = QRectF(option.rect).adjusted(1.5, 1.5, -1.5, -1.5);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(outline(option.palette, isEnabled), 1.2));
    painter.setBrush(option.palette.color(QPalette::Base));
    painter.drawRoundedRect(box, 2, 2);
    painter.setPen(QPen(option.palette.color(isEnabled ? QPalette::Active : QPalette::Disabled, QPalette::Text), box.width() / 6, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    const auto at = [&](double x, double y) { return QPointF(box.left() + x * box.width(), box.top() + y * box.height()); };
    if (option.state & QStyle::State_On)
        painter.drawPolyline(QPolygonF{at(0.22, 0.52), at(0.42, 0.74), at(0.78, 0.26)});
    else if (option.state & QStyle::State_NoChange)
        painter.drawLine(at(0.25, 0.5), at(0.75, 0.5));
    painter.restore();
}

}  // namespace

Style::Style() : QProxyStyle(QStyleFactory::create(QStringLiteral("Fusion"))) {}

void Style::drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter, const QWidget* widget) const
{
    if (element == PE_IndicatorCheckBox || element == PE_IndicatorItemViewItemCheck) {
        drawCheckBox(*option, *painter);
        return;
    }
    QProxyStyle::drawPrimitive(element, option, painter, widget);
    if (element != PE_FrameLineEdit || (option->state & State_HasFocus) || option->palette.color(QPalette::Window).lightness() >= 128)
        return;
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(outline(option->palette, (option->state & State_Enabled) != 0), 1));
    painter->setBrush(Qt::NoBrush);
    painter->drawRoundedRect(QRectF(option->rect).adjusted(0.5, 0.5, -0.5, -0.5), 2, 2);
    painter->restore();
}

}  // namespace cleave::views
