#include "views/table_copying.h"

#include <QAction>
#include <QClipboard>
#include <QCoreApplication>
#include <QGuiApplication>
#include <QHeaderView>
#include <QTableView>

namespace cleave::views {

namespace {

// A cell is one cell wherever it is pasted.
QString cellText(const QVariant& text)
{
    return text.toString().simplified();
}

}  // namespace

QString textOf(const QTableView& view, bool onlySelected)
{
    const QAbstractItemModel* model = view.model();
    if (model == nullptr)
        return {};
    QList<int> columns;
    for (int place = 0; place < view.horizontalHeader()->count(); ++place)
        if (const int column = view.horizontalHeader()->logicalIndex(place); !view.isColumnHidden(column))
            columns.append(column);
    QStringList lines;
    const auto addLine = [&](const auto& textOfColumn) {
        QStringList cells;
        for (const int column : columns)
            cells.append(textOfColumn(column));
        lines.append(cells.join(QLatin1Char('\t')));
    };
    if (!onlySelected)
        addLine([&](int column) { return cellText(model->headerData(column, Qt::Horizontal)); });
    for (int row = 0; row < model->rowCount(); ++row)
        if (!onlySelected || view.selectionModel()->rowIntersectsSelection(row))
            addLine([&](int column) { return cellText(model->index(row, column).data()); });
    return lines.isEmpty() ? QString() : lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

void makeCopyable(QTableView& view)
{
    const auto add = [&](const QString& text, bool onlySelected) {
        auto* action = new QAction(text, &view);
        action->setShortcutContext(Qt::WidgetShortcut);
        QObject::connect(action, &QAction::triggered, &view, [&view, onlySelected] {
            if (const QString copied = textOf(view, onlySelected); !copied.isEmpty())
                QGuiApplication::clipboard()->setText(copied);
        });
        view.addAction(action);
        return action;
    };
    add(QCoreApplication::translate("cleave::views::TableCopying", "Copy"), true)->setShortcut(QKeySequence::Copy);
    add(QCoreApplication::translate("cleave::views::TableCopying", "Copy table"), false);
    view.setContextMenuPolicy(Qt::ActionsContextMenu);
}

}  // namespace cleave::views
