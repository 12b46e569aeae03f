#include "views/table_order.h"

#include <QHeaderView>
#include <QTableView>

namespace cleave::views {

TableOrder::TableOrder(QObject* parent) : QSortFilterProxyModel(parent)
{
    m_texts.setNumericMode(true);
}

bool TableOrder::lessThan(const QModelIndex& left, const QModelIndex& right) const
{
    const QVariant a = left.data(orderRole), b = right.data(orderRole);
    const bool isNumberA = a.typeId() == QMetaType::Double, isNumberB = b.typeId() == QMetaType::Double;
    if (isNumberA != isNumberB)
        return isNumberA;
    return isNumberA ? a.toDouble() < b.toDouble() : m_texts.compare(a.toString(), b.toString()) < 0;
}

TableOrder* showSortable(QTableView& view, QAbstractItemModel& model)
{
    auto* order = new TableOrder(&view);
    order->setSourceModel(&model);
    view.setModel(order);
    QHeaderView* header = view.horizontalHeader();
    header->setSortIndicatorClearable(true);
    header->setSortIndicator(-1, Qt::AscendingOrder);
    view.setSortingEnabled(true);
    // It takes room in every column.
    header->setSortIndicatorShown(false);
    QObject::connect(header, &QHeaderView::sortIndicatorChanged, header, [header](int section) { header->setSortIndicatorShown(section >= 0); });
    return order;
}

}  // namespace cleave::views
