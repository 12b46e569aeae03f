#pragma once

#include <QString>

class QColor;
class QGraphicsScene;
class QPrinter;

namespace cleave::views {

/// Writes a scene as SVG, PDF or PNG, by the name's end; Error if it cannot be written, and nothing is left behind. PDF: one page of the picture's size.
/// PNG: two pixels for a unit, less where a side would be too long.
void exportPicture(QGraphicsScene& scene, const QColor& background, const QString& title, const QString& path);

QString svgOf(QGraphicsScene& scene, const QColor& background);  ///< an SVG element

/// On one page, as large as it can be.
void printPicture(QGraphicsScene& scene, const QColor& background, QPrinter& printer);

}  // namespace cleave::views
