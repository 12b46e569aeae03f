#include "views/property_view.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <algorithm>

namespace cleave::views {

PropertyView::PropertyView(QWidget* parent) : QTreeView(parent)
{
    setModel(&m_model);
    setHeaderHidden(true);
    setRootIsDecorated(false);
    setIndentation(10);
    setFrameShape(QFrame::NoFrame);
    setItemsExpandable(false);
    setWordWrap(true);
    setTextElideMode(Qt::ElideRight);
    setEditTriggers(NoEditTriggers);
    setTabKeyNavigation(false);
    header()->setStretchLastSection(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);

    auto* copy = new QAction(tr("Copy value"), this);
    copy->setShortcut(QKeySequence::Copy);
    copy->setShortcutContext(Qt::WidgetShortcut);
    connect(copy, &QAction::triggered, this, &PropertyView::copyValue);
    addAction(copy);
    setContextMenuPolicy(Qt::ActionsContextMenu);
}

void PropertyView::setSections(std::vector<PropertySection> sections)
{
    m_model.setSections(std::move(sections));
    for (int row = 0; row < m_model.rowCount(); ++row)
        setFirstColumnSpanned(row, {}, true);
    expandAll();
    fitColumns();
}

void PropertyView::resizeEvent(QResizeEvent* event)
{
    QTreeView::resizeEvent(event);
    fitColumns();
}

// Names get what they need, but leave half of the width to the values.
void PropertyView::fitColumns()
{
    header()->resizeSection(0, std::min(sizeHintForColumn(0), viewport()->width() / 2));
}

void PropertyView::copyValue() const
{
    QGuiApplication::clipboard()->setText(currentIndex().siblingAtColumn(1).data().toString());
}

}  // namespace cleave::views
