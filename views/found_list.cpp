#include "views/found_list.h"

#include <QFontMetrics>
#include <QHeaderView>
#include <QStyle>
#include <algorithm>
#include <utility>

#include "core/analysis/shape_text.h"
#include "views/text.h"

namespace cleave::views {

void FoundModel::set(std::shared_ptr<const Model> model, std::vector<OpId> found)
{
    beginResetModel();
    m_model = std::move(model);
    m_found = std::move(found);
    endResetModel();
}

int FoundModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_found.size());
}

int FoundModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : columns;
}

QVariant FoundModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || (role != Qt::DisplayRole && role != Qt::ToolTipRole))
        return {};
    const Program& program = m_model->program();
    const Op& op = program[m_found[static_cast<std::size_t>(index.row())]];
    switch (index.column()) {
        case Name:
            return toText(op.name);
        case Operator:
            return toText(op.target).section(QStringLiteral("::"), -1);
        case Sizes:
            return op.outputs.empty() ? QString() : toText(shapeText(*m_model->analysis, op.outputs.front()));
        default:
            return op.module.valid() ? toText(program[op.module].path) : QString();
    }
}

FoundList::FoundList(QWidget* parent) : QTreeView(parent)
{
    setModel(&m_model);
    header()->hide();
    header()->setSectionResizeMode(QHeaderView::Fixed);
    header()->setStretchLastSection(true);
    setRootIsDecorated(false);
    setUniformRowHeights(true);
    setAlternatingRowColors(true);
    setFocusPolicy(Qt::NoFocus);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFrameShape(QFrame::NoFrame);
    setTextElideMode(Qt::ElideMiddle);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(this, &QTreeView::clicked, this, [this](const QModelIndex& index) { Q_EMIT chosen(static_cast<std::size_t>(index.row())); });
    hide();
}

void FoundList::set(std::shared_ptr<const Model> model, std::vector<OpId> found)
{
    if (model == of() && found == this->found())
        return;
    m_model.set(std::move(model), std::move(found));
    setVisible(m_model.rowCount() > 1);
    updateGeometry();
    fitColumns();
}

void FoundList::setCurrent(std::size_t row)
{
    const QModelIndex index = m_model.index(static_cast<int>(row), 0);
    setCurrentIndex(index);
    scrollTo(index);
}

QSize FoundList::sizeHint() const
{
    constexpr int mostRows = 8;
    return {QTreeView::sizeHint().width(), std::min(m_model.rowCount(), mostRows) * std::max(sizeHintForRow(0), 1) + 2 * frameWidth()};
}

void FoundList::resizeEvent(QResizeEvent* event)
{
    QTreeView::resizeEvent(event);
    fitColumns();
}

void FoundList::fitColumns()
{
    constexpr int measured = 200;  // texts of so many rows
    const int between = 2 * fontMetrics().averageCharWidth() + style()->pixelMetric(QStyle::PM_FocusFrameHMargin, nullptr, this) * 2;
    for (int column = 0; column < FoundModel::columns; ++column) {
        int width = 0;
        for (int row = 0; row < std::min(m_model.rowCount(), measured); ++row)
            width = std::max(width, fontMetrics().horizontalAdvance(m_model.index(row, column).data().toString()));
        setColumnWidth(column, std::min(width + between, viewport()->width() / 3));
    }
}

}  // namespace cleave::views
