#pragma once

#include <QGraphicsItem>
#include <vector>

#include "views/graph_style.h"
#include "views/plan_marks.h"

namespace cleave::views {

/// Ops that the plan runs behind a cut which is drawn below them: the line of the cut, led around their boxes.
class MovedOpsItem : public QGraphicsItem {
public:
    MovedOpsItem(std::vector<QPainterPath> parts, int level, const GraphStyle& style);

    void setOther();  ///< of a plan that is compared with: only its outline, dashed, around the other one

    QRectF boundingRect() const override { return m_bounds; }
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

private:
    const GraphStyle& m_style;
    std::vector<QPainterPath> m_parts;  // may overlap: together they are one shape
    int m_level;
    bool m_isOther = false;
    QRectF m_bounds;
};

/// What they all lie in: a scene of many items sorts them anew when one of its own comes or goes.
class MovedOpsLayer : public QGraphicsItem {
public:
    MovedOpsLayer();

    QRectF boundingRect() const override { return {}; }
    void paint(QPainter*, const QStyleOptionGraphicsItem*, QWidget*) override {}
};

/// One for each function that ops have moved to.
std::vector<MovedOpsItem*> movedOpsItems(const GraphPicture& picture, const PlanMarks& marks, const GraphStyle& style);

}  // namespace cleave::views
