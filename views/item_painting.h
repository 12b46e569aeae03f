#pragma once

#include <QFont>
#include <QString>

#include "views/graph_picture.h"

class QColor;
class QPainter;
class QRectF;
class QStyleOptionGraphicsItem;

namespace cleave::views {

/// What the items of a picture have in common when they are painted.

inline constexpr double shapeDetail = 0.2;  ///< below this zoom boxes are plain rectangles, and arrows thin lines
inline constexpr double largerName = 1.45;  ///< than at full size, in small pictures

double detail(const QStyleOptionGraphicsItem* option, const QPainter* painter);  ///< the zoom
QString elided(const QFont& font, const QString& text, double width);
QFont largeTitle(const BoxMetrics& metrics);  ///< of names in small pictures
QFont largeSmall(const BoxMetrics& metrics);
void drawText(QPainter* painter, const QFont& font, const QColor& color, const QRectF& area, const QString& text,
              Qt::Alignment alignment = Qt::AlignLeft | Qt::AlignVCenter);             ///< in one line, elided
void drawSign(QPainter* painter, const QRectF& area, bool plus, const QColor& color);  ///< that opens or closes a module

}  // namespace cleave::views
