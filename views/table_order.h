#pragma once

#include <QCollator>
#include <QSortFilterProxyModel>

class QTableView;

namespace cleave::views {

inline constexpr int orderRole = Qt::UserRole + 1;  ///< a number, or a text: what rows are sorted by

/// The rows of a table as its headers are clicked: numbers by size, and also within texts. A third click brings back the table's own order.
class TableOrder : public QSortFilterProxyModel {
    Q_OBJECT

public:
    explicit TableOrder(QObject* parent);

protected:
    bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

private:
    QCollator m_texts;
};

TableOrder* showSortable(QTableView& view, QAbstractItemModel& model);

}  // namespace cleave::views
