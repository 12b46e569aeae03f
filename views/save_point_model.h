#pragma once

#include <QAbstractTableModel>
#include <optional>

#include "views/plan_editor.h"

namespace cleave::views {

/// The save points of the plan at hand, each cut's after the other; taking away a check mark changes the plan. What was unchecked stays in sight, to be
/// checked again, until the plan changes otherwise.
class SavePointModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column : std::uint8_t { Tensor, Cut, Shape, Bytes, Seconds };

    explicit SavePointModel(PlanEditor& editor, QObject* parent = nullptr);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

    ValueId tensorAt(int row) const { return m_rows[static_cast<std::size_t>(row)].tensor; }
    int rowOf(ValueId tensor) const;   ///< -1 if it is not saved
    QString costText(int row) const;   ///< how often it is written and read, and what the plan would cost without it; empty without costs

private:
    struct Row {
        ValueId tensor;
        int cut = 0;
        bool isSaved = true;
    };

    void showPlan();
    void addLeft(const PlanSpace& space);
    void keepOrder();
    const TensorCost* costOf(ValueId tensor) const;  ///< null where none is shown
    double bytesOf(ValueId tensor) const;            // 0 while they are not known
    QString formulaOf(ValueId tensor) const;         // of its bytes, and what comes out
    std::optional<double> secondsOf(const Row& row) const;  // at its cut; none: it stays in the store there
    QString secondsTextOf(const Row& row) const;
    QVariant orderOf(const Row& row, int column) const;
    int cutOf(const TensorRead& read, ValueId tensor) const;

    PlanEditor& m_editor;
    std::vector<Row> m_rows, m_left, m_before;  // of m_planLeft: what was unchecked, and the rows before the last click
    std::optional<Plan> m_planLeft;
    std::map<ValueId, std::vector<int>> m_cuts;  // of rows, from above
    std::map<ValueId, std::size_t> m_costs;      // among the tensors of the costs
};

}  // namespace cleave::views
