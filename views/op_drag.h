#pragma once

#include <QList>
#include <optional>

#include "views/graph_picture.h"
#include "views/plan_editor.h"
#include "views/theme.h"

class QGraphicsItem;
class QGraphicsView;
class QLabel;

namespace cleave::views {

/// An op on its way to another function while a mouse button is held: marks where it may go, and says what that costs. The scene must not be
/// cleared while one is alive.
class OpDrag {
public:
    OpDrag(QGraphicsView& view, const GraphPicture& picture, const GraphColors& colors, PlanEditor& editor, OpId op);
    ~OpDrag();
    OpDrag(const OpDrag&) = delete;
    OpDrag& operator=(const OpDrag&) = delete;

    void moveTo(const QPoint& position);  ///< in the viewport; scrolls near its upper and lower edge
    void drop();                          ///< moves the op, if it is over a band
    QString text() const;                 ///< beside the mouse; empty between the bands

private:
    QString outcome(Position to) const;

    QGraphicsView& m_view;
    const GraphPicture& m_picture;
    PlanEditor& m_editor;
    OpId m_op;
    std::optional<Position> m_to;
    QList<QGraphicsItem*> m_zones;
    QLabel* m_label;
};

}  // namespace cleave::views
