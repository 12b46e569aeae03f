#pragma once

#include <QString>

class QTableView;

namespace cleave::views {

/// Gives a table the actions "Copy" (Ctrl+C: the chosen rows) and "Copy table" (all rows, below their headers), also in a context menu.
void makeCopyable(QTableView& view);

/// Rows as they are shown, one on a line, columns separated by tabs, as spreadsheets take them; onlySelected: without the headers.
QString textOf(const QTableView& view, bool onlySelected);

}  // namespace cleave::views
