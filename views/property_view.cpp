#include "views/property_view.h"

#include <QAction>
#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QHeaderView>
#include <QStyledItemDelegate>
#include <algorithm>

namespace cleave::views {

namespace {

// Values in as many lines as they need, and where there are choices, a list of these that is open at once.
class ChoiceDelegate : public QStyledItemDelegate {
public:
    explicit ChoiceDelegate(QTreeView* view) : QStyledItemDelegate(view), m_view(*view) {}

    // By the width of the column, which the view does not tell.
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        constexpr int mostLines = 5;
        const QSize single = QStyledItemDelegate::sizeHint(option, index);
        const int margin = 2 * (m_view.style()->pixelMetric(QStyle::PM_FocusFrameHMargin, nullptr, &m_view) + 1),
                  width = m_view.columnWidth(index.column()) - margin;
        if (single.width() <= width + margin || width <= 0)
            return single;
        const QFontMetrics metrics(option.font);
        const int height = metrics.boundingRect(QRect(0, 0, width, 1 << 16), Qt::TextWordWrap, index.data().toString()).height();
        return {single.width(), std::min(height, mostLines * metrics.lineSpacing()) + single.height() - metrics.height()};
    }

    QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem&, const QModelIndex& index) const override
    {
        auto* box = new QComboBox(parent);
        box->setAccessibleName(index.siblingAtColumn(0).data().toString());
        box->addItems(index.data(PropertyModel::choicesRole).toStringList());
        auto* self = const_cast<ChoiceDelegate*>(this);
        connect(box, &QComboBox::activated, self, [self, box] {
            Q_EMIT self->commitData(box);
            Q_EMIT self->closeEditor(box);
        });
        QMetaObject::invokeMethod(box, &QComboBox::showPopup, Qt::QueuedConnection);
        return box;
    }

    void setEditorData(QWidget* editor, const QModelIndex& index) const override
    {
        auto* box = qobject_cast<QComboBox*>(editor);
        box->setCurrentIndex(box->findText(index.data(Qt::EditRole).toString()));
    }

    void setModelData(QWidget* editor, QAbstractItemModel* model, const QModelIndex& index) const override
    {
        model->setData(index, qobject_cast<QComboBox*>(editor)->currentText());
    }

private:
    QTreeView& m_view;
};

}  // namespace

PropertyView::PropertyView(QWidget* parent) : QTreeView(parent)
{
    setModel(&m_model);
    setItemDelegateForColumn(1, new ChoiceDelegate(this));
    connect(&m_model, &PropertyModel::chosen, this, &PropertyView::chosen, Qt::QueuedConnection);  // the editor is closed before the row goes
    setHeaderHidden(true);
    setRootIsDecorated(false);
    setIndentation(10);
    setFrameShape(QFrame::NoFrame);
    setItemsExpandable(false);
    setWordWrap(true);
    setTextElideMode(Qt::ElideMiddle);
    setEditTriggers(EditKeyPressed);
    connect(this, &QTreeView::clicked, this, [this](const QModelIndex& index) {
        if (index.flags() & Qt::ItemIsEditable)
            edit(index);
    });
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

// Names get what they need, but leave more than half of the width to the values.
void PropertyView::fitColumns()
{
    header()->resizeSection(0, std::min(sizeHintForColumn(0), viewport()->width() * 9 / 20));
    scheduleDelayedItemsLayout();  // values take other numbers of lines
}

void PropertyView::copyValue() const
{
    QGuiApplication::clipboard()->setText(currentIndex().siblingAtColumn(1).data().toString());
}

}  // namespace cleave::views
