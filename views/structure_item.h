#pragma once

#include <QGraphicsItem>
#include <QPainterPath>
#include <vector>

#include "views/graph_picture.h"

namespace cleave::views {

struct GraphStyle;

/// The structure arrows of a picture: thin dotted lines behind the boxes, since every layer reads the same few tensors.
class StructureItem : public QGraphicsItem {
public:
    StructureItem(const GraphPicture& picture, const GraphStyle& style);

    void setMarked(int box);  ///< its arrows stand out; -1: none

    QRectF boundingRect() const override;
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

private:
    struct Line {
        int from = 0, to = 0;  // boxes
        QPainterPath path;
        QRectF bounds;
    };

    const GraphStyle& m_style;
    std::vector<Line> m_lines;
    QRectF m_bounds;
    int m_marked = -1;
};

}  // namespace cleave::views
