#pragma once

#include <QTimer>
#include <QWidget>

#include "views/batch_curve.h"
#include "views/cost_bars.h"
#include "views/save_point_model.h"

class QLabel;
class QPushButton;
class QScrollArea;
class QSplitter;
class QTableView;

namespace cleave::views {

class TableOrder;

/// The plan at hand: what it costs beside the planners' own, function by function, and its save points.
class PlanPanel : public QWidget {
    Q_OBJECT

public:
    explicit PlanPanel(PlanEditor& editor, QWidget* parent = nullptr);

    QString summary() const;  ///< the sentence above the bars
    const CostBars& plans() const { return *m_plans; }
    const CostBars& functions() const { return *m_functions; }
    const BatchCurve& curve() const { return *m_curve; }
    BatchCurve& curve() { return *m_curve; }
    QTableView& savePoints() { return *m_savePoints; }
    QString savePointText() const;  ///< what the selected one costs; empty if none is
    void selectTensor(ValueId tensor);  ///< in the table; none if it is not saved
    const QList<QPushButton*>& planners() const { return m_buttons; }  ///< message degree, greedy, optimal, node-wise, full graph
    const QList<QAction*>& plannerActions() const { return m_actions; }  ///< the same, with keys

    QPushButton& deviceButton() { return *m_device; }  ///< with a menu of where functions run; hidden where there is no device

    void offerRewrites(bool offers, bool isPossible);  ///< by a button: the program is as it was traced, and nothing runs that this would end
    void offerCalibration(bool isPossible);            ///< nothing else is under way
    QString activity() const;  ///< what is being counted or planned, after a moment; empty if nothing is
    QPushButton& stopButton() { return *m_stop; }  ///< "Go on" once it is stopped

    bool eventFilter(QObject* watched, QEvent* event) override;

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

Q_SIGNALS:
    void tensorSelected(ValueId tensor);  ///< in the table, by the person
    void calibrationWanted();
    void randomFeaturesWanted();
    void rewritesWanted();
    void batchSizeChosen(std::int64_t batchSize);

private:
    QWidget* makeBars();
    QWidget* makeTable();
    void showSavePointMenu(const QPoint& position);
    void shareRoom();
    void keepRoom();
    void showPlan();
    void showCurve();
    void showSavePoint();
    void showButtons();
    void showDevice();
    std::int64_t batchSize() const;  // 0 while costs are not known
    std::int64_t allNodes() const;   // of the largest type; without bound while they are not counted
    QString problemText() const;
    bool plansCostTheSame() const;
    QString oneBatchText() const;
    bool exceedsBound(const PlanCost& cost) const;  // of what runs may take
    QString deviceText() const;
    void fillDevices();
    void showActivity(const QString& what, double fraction);
    bool hasAssumedRates() const;
    void take(const PricedPlan& plan);
    const PricedPlan* planOf(Planner planner) const;  ///< null until it is known, or if it cannot be
    QString whyNotTaken(const PricedPlan* plan) const;  ///< empty: it can be
    bool isTaken(const PricedPlan& plan) const;

    PlanEditor& m_editor;
    SavePointModel m_model;
    QLabel* m_summary;
    QString m_longestSummary;  // whatever the size of batches
    QPushButton *m_calibrate, *m_random, *m_rewrite;
    ValueId m_selected;  // in the window; the table has it only while it is saved
    QWidget* m_activityRow;
    QLabel* m_activity;
    QPushButton* m_stop;
    QTimer m_activityDelay;  // what takes but a moment is not worth a line
    bool m_isTakingFocus = false;
    QPushButton* m_device;
    CostBars *m_plans, *m_functions;
    BatchCurve* m_curve;
    QLabel* m_savePoint;
    QTableView* m_savePoints;
    TableOrder* m_order = nullptr;  // of the save points
    QSplitter* m_split;
    QScrollArea* m_bars;
    bool m_isSplitByHand = false;
    QList<QPushButton*> m_buttons;
    QList<QAction*> m_actions;
    QStringList m_tips;         // of both
    std::size_t m_ownBars = 1;  // before those of the planners
};

}  // namespace cleave::views
