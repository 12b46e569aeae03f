#pragma once

#include <QString>

class QColor;
class QGraphicsScene;

namespace cleave::views {

/// Writes a scene as SVG or PNG, by the name's end; Error if it cannot be written. PNG: two pixels for a unit, less where a side would be too long.
void exportPicture(QGraphicsScene& scene, const QColor& background, const QString& title, const QString& path);

}  // namespace cleave::views
