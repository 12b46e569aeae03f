#pragma once

#include <QAbstractTableModel>
#include <QString>
#include <map>
#include <vector>

#include "core/graph/data_graph.h"
#include "core/run/verify.h"

namespace cleave::views {

/// A table of texts, sorted by the numbers that some of them are.
class TextTableModel : public QAbstractTableModel {
    Q_OBJECT

public:
    struct Column {
        QString title;
        QString tooltip;
        bool isNumber = true;
    };

    using QAbstractTableModel::QAbstractTableModel;

    void setTable(std::vector<Column> columns, std::vector<std::vector<QString>> rows);
    void setToolTip(int row, int column, const QString& text);  ///< of a cell, until the next table

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    std::vector<Column> m_columns;
    std::vector<std::vector<QString>> m_rows;
    std::map<std::pair<int, int>, QString> m_toolTips;
};

/// One row per function and their sum. tellsPredicted: not while somebody guesses.
void showFunctions(TextTableModel& table, const RunResult* run, bool tellsPredicted = true);
QString sampleNote(const Sample& sample);     ///< which nodes were compared, where not all were
QString roundingNote(const Comparison& c);  ///< whether rows that differ could be told more exactly at all; empty if that was not tried
/// one row per pair of runs and output; graph: names of nodes, may be null
void showComparisons(TextTableModel& table, const VerifyResult* result, const DataGraph* graph);
void showAccuracies(TextTableModel& table, const VerifyResult* result);   ///< one row per run, one column per split

}  // namespace cleave::views
