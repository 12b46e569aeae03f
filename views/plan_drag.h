#pragma once

#include <QList>
#include <QPoint>
#include <QTimer>
#include <optional>
#include <utility>
#include <vector>

#include "views/graph_picture.h"
#include "views/plan_editor.h"
#include "views/theme.h"

class QGraphicsItem;
class QGraphicsView;

namespace cleave::views {

class PlanLabel;

/// A change of the plan that a mouse button holds: marks where it may end, and says beside the mouse what that costs or why it cannot be.
/// The scene must not be cleared while one is alive.
class PlanDrag {
public:
    PlanDrag(QGraphicsView& view, PlanEditor& editor, Qt::CursorShape cursor);
    virtual ~PlanDrag();  ///< without drop(): the plan stays as it was
    PlanDrag(const PlanDrag&) = delete;
    PlanDrag& operator=(const PlanDrag&) = delete;

    void moveTo(const QPoint& position);  ///< in the viewport; scrolls while it stays near its upper or lower edge
    virtual void drop() = 0;
    QString text() const;  ///< beside the mouse; empty where nothing would become of it

protected:
    virtual bool aim(const QPointF& place) = 0;  ///< in the scene; whether it would become something else
    virtual QString outcome() const = 0;         ///< empty for nothing

    QGraphicsView& m_view;
    PlanEditor& m_editor;
    QList<QGraphicsItem*> m_marks;  // deleted with it

private:
    void scroll();
    void point();

    PlanLabel* m_label;
    QPoint m_pointer;
    int m_upperEdge = 0, m_lowerEdge = 0;  // how near scrolls: less where the drag began nearer, until it has been further away
    int m_step = 0;
    QTimer m_scrolling;
};

/// Something that no plan moves: says why.
class RefusedDrag : public PlanDrag {
public:
    RefusedDrag(QGraphicsView& view, PlanEditor& editor, QString why) : PlanDrag(view, editor, Qt::ForbiddenCursor), m_why(std::move(why)) {}

    void drop() override {}

private:
    bool aim(const QPointF&) override { return std::exchange(m_isNew, false); }
    QString outcome() const override { return m_why; }

    QString m_why;
    bool m_isNew = true;
};

/// Ops on their way to another function; all shows the plan that they would make there.
class OpDrag : public PlanDrag {
public:
    OpDrag(QGraphicsView& view, const GraphPicture& picture, const GraphColors& colors, PlanEditor& editor, std::vector<OpId> ops);
    ~OpDrag() override;

    void drop() override;

private:
    bool aim(const QPointF& place) override;
    QString outcome() const override;

    const GraphPicture& m_picture;
    std::vector<OpId> m_ops;
    std::optional<Position> m_to;
    Move m_move;  // there
    std::optional<PlanCost> m_before;
};

/// The line of a cut on its way up or down. It stops where one op more, or less, runs behind it; the picture shows that plan at once.
class CutDrag : public PlanDrag {
public:
    CutDrag(QGraphicsView& view, const GraphPicture& picture, const GraphColors& colors, PlanEditor& editor, int cut);
    ~CutDrag() override;

    void drop() override;
    std::vector<double> stops() const;  ///< in the scene, from the lowest to the highest

private:
    struct Stop {
        Plan plan;
        double y = 0;
    };

    void findStops(const GraphPicture& picture, const GraphColors& colors);
    bool aim(const QPointF& place) override;
    QString outcome() const override;

    int m_cut;
    std::vector<Stop> m_stops;
    std::size_t m_start = 0, m_at = 0;
    QString m_whyNotUp, m_whyNotDown, m_why;  // the cut goes no further than the outermost stops
    std::optional<PlanCost> m_before;
};

}  // namespace cleave::views
