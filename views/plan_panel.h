#pragma once

#include <QWidget>

#include "views/cost_bars.h"
#include "views/save_point_model.h"

class QLabel;
class QPushButton;
class QTableView;

namespace cleave::views {

/// The plan at hand: what it costs beside the planners' own, function by function, and its save points.
class PlanPanel : public QWidget {
    Q_OBJECT

public:
    explicit PlanPanel(PlanEditor& editor, QWidget* parent = nullptr);

    QString summary() const;  ///< the sentence above the bars
    const CostBars& plans() const { return *m_plans; }
    const CostBars& functions() const { return *m_functions; }
    QTableView& savePoints() { return *m_savePoints; }
    const QList<QPushButton*>& planners() const { return m_buttons; }  ///< at message degree, greedy, optimal

private:
    void showPlan();
    void showButtons();
    void take(int plan);

    PlanEditor& m_editor;
    SavePointModel m_model;
    QLabel* m_summary;
    CostBars *m_plans, *m_functions;
    QTableView* m_savePoints;
    QList<QPushButton*> m_buttons;
};

}  // namespace cleave::views
