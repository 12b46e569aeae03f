#pragma once

#include <QLabel>
#include <optional>

#include "views/plan_editor.h"

class QGraphicsView;

namespace cleave::views {

/// Says in the graph what a change of the plan would bring, beside the place where it is made.
class PlanLabel : public QLabel {
    Q_OBJECT

public:
    explicit PlanLabel(QWidget* viewport);  ///< hidden

    void say(const QString& text);          ///< hides it if there is none
    void putBeside(const QPoint& place, const QGraphicsView& view);  ///< inside the view, where it covers the least of its boxes

private:
    int m_side = -1;  // of those around the place, that it is on
};

/// "Cut 1 saves a, b", and what the plan cost before and costs then, if costs are known and shown.
QString cutText(const PlanEditor& editor, int cut, const std::optional<PlanCost>& before, const Plan& after);

/// Lines that begin with a line break; empty without costs.
QString costChangeText(const PlanEditor& editor, const std::optional<PlanCost>& before, const Plan& after);

}  // namespace cleave::views
