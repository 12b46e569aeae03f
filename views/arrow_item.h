#pragma once

#include <QGraphicsItem>
#include <QPainterPath>
#include <QPen>
#include <vector>

#include "views/graph_style.h"

namespace cleave::views {

class ArrowItem : public QGraphicsItem {
public:
    ArrowItem(const std::vector<LayoutPoint>& path, const GraphStyle& style);

    void setMarked(bool marked);
    QRectF boundingRect() const override;
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

private:
    void paintLong(QPainter* painter, const QRectF& area) const;
    QPen pen() const;

    const GraphStyle& m_style;
    QPainterPath m_path;
    std::vector<QPointF> m_corners;  // of a long arrow, as straight lines
    QPolygonF m_head;
    QRectF m_bounds;
    bool m_marked = false;
};

/// An arrow that the layout found no way for: a short line at one of its ends with the name of the value.
class StubItem : public QGraphicsItem {
public:
    StubItem(const QPointF& end, bool leaves, const QString& name, const GraphStyle& style);

    QRectF boundingRect() const override;
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

private:
    const GraphStyle& m_style;
    bool m_leaves;
    QString m_name;
};

}  // namespace cleave::views
