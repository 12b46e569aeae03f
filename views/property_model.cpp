#include "views/property_model.h"

#include <QFont>

namespace cleave::views {

namespace {

// Internal ids: 0 for a section, its row + 1 for a property.
constexpr quintptr sectionId = 0;

bool isSection(const QModelIndex& index)
{
    return index.internalId() == sectionId;
}

}  // namespace

void PropertyModel::setSections(std::vector<PropertySection> sections)
{
    beginResetModel();
    m_sections = std::move(sections);
    endResetModel();
}

QModelIndex PropertyModel::index(int row, int column, const QModelIndex& parent) const
{
    if (!hasIndex(row, column, parent))
        return {};
    return createIndex(row, column, parent.isValid() ? static_cast<quintptr>(parent.row()) + 1 : sectionId);
}

QModelIndex PropertyModel::parent(const QModelIndex& child) const
{
    if (!child.isValid() || isSection(child))
        return {};
    return createIndex(static_cast<int>(child.internalId()) - 1, 0, sectionId);
}

int PropertyModel::rowCount(const QModelIndex& parent) const
{
    if (!parent.isValid())
        return static_cast<int>(m_sections.size());
    if (!isSection(parent) || parent.column() > 0)
        return 0;
    return static_cast<int>(m_sections[static_cast<std::size_t>(parent.row())].properties.size());
}

int PropertyModel::columnCount(const QModelIndex&) const
{
    return 2;
}

QVariant PropertyModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    if (isSection(index)) {
        const PropertySection& section = m_sections[static_cast<std::size_t>(index.row())];
        if (role == Qt::DisplayRole && index.column() == 0)
            return section.title;
        if (role == Qt::FontRole) {
            QFont font;
            font.setBold(true);
            return font;
        }
        return {};
    }
    const Property& shown = *property(index);
    if (role == Qt::DisplayRole && index.column() == 1 && !shown.choices.isEmpty())
        return QStringLiteral("%1  ▾").arg(shown.value);
    if (role == Qt::DisplayRole)
        return index.column() == 0 ? shown.name : shown.value;
    if (role == Qt::EditRole)
        return shown.value;
    if (role == choicesRole)
        return shown.choices;
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(Qt::AlignLeft | Qt::AlignTop);
    if (role == Qt::ToolTipRole)
        return QStringLiteral("%1: %2").arg(shown.name, shown.tooltip.isEmpty() ? shown.value : shown.tooltip);
    return {};
}

const Property* PropertyModel::property(const QModelIndex& index) const
{
    if (!index.isValid() || isSection(index))
        return nullptr;
    return &m_sections[static_cast<std::size_t>(index.internalId() - 1)].properties[static_cast<std::size_t>(index.row())];
}

Qt::ItemFlags PropertyModel::flags(const QModelIndex& index) const
{
    const Property* shown = property(index);
    const bool isOpen = shown != nullptr && index.column() == 1 && !shown->choices.isEmpty();
    return QAbstractItemModel::flags(index) | (isOpen ? Qt::ItemIsEditable : Qt::NoItemFlags);
}

bool PropertyModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    const Property* shown = property(index);
    const qsizetype choice = shown == nullptr || role != Qt::EditRole ? -1 : shown->choices.indexOf(value.toString());
    if (choice < 0)
        return false;
    if (value.toString() != shown->value)
        Q_EMIT chosen(shown->name, static_cast<int>(choice), shown->subject);
    return true;
}

QVariant PropertyModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    return section == 0 ? tr("Property") : tr("Value");
}

}  // namespace cleave::views
