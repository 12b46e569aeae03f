#include "views/property_view.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>

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
    setTextElideMode(Qt::ElideMiddle);
    setEditTriggers(NoEditTriggers);
    setTabKeyNavigation(false);
    header()->setStretchLastSection(true);
    header()->setSectionResizeMode(0, QHeaderView::ResizeToContents);

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
}

void PropertyView::copyValue() const
{
    QGuiApplication::clipboard()->setText(currentIndex().siblingAtColumn(1).data().toString());
}

}  // namespace cleave::views
