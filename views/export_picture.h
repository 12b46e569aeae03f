#pragma once

#include <QColor>
#include <QString>

class QGraphicsScene;
class QPainter;
class QPrinter;
class QRectF;
class QSizeF;

namespace cleave::views {

class Legend;

/// What is written or printed: a scene, with its legend below.
class Paper {
public:
    Paper(QGraphicsScene& scene, const Legend& legend, const QColor& background) : m_scene(scene), m_legend(legend), m_background(background) {}

    QSizeF size() const;  ///< in units of the scene
    void paint(QPainter& painter, const QRectF& area) const;  ///< an area of the same proportions

private:
    QGraphicsScene& m_scene;
    const Legend& m_legend;
    QColor m_background;
};

/// As SVG, PDF or PNG, by the name's end; Error if it cannot be written, and nothing is left behind. PDF: one page of the picture's size.
/// PNG: two pixels for a unit, less where a side would be too long.
void exportPicture(const Paper& paper, const QString& title, const QString& path);

QString svgOf(const Paper& paper);  ///< an SVG element

/// As wide as the page, not larger than on the screen; on one page where that leaves letters that can be read, otherwise on as many as it is long.
void printPicture(const Paper& paper, QPrinter& printer);

}  // namespace cleave::views
