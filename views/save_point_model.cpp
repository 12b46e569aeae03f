#include "views/save_point_model.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "views/dag_model.h"
#include "core/analysis/shape_text.h"
#include "views/table_order.h"
#include "views/text.h"

namespace cleave::views {

SavePointModel::SavePointModel(PlanEditor& editor, QObject* parent) : QAbstractTableModel(parent), m_editor(editor)
{
    connect(&m_editor, &PlanEditor::shownChanged, this, &SavePointModel::showPlan);
    connect(&m_editor, &PlanEditor::costsChanged, this, &SavePointModel::showPlan);
    showPlan();
}

// Rows are many and mostly not seen: their texts are made when they are.
void SavePointModel::showPlan()
{
    beginResetModel();
    m_rows.clear();
    m_cuts.clear();
    m_costs.clear();
    if (const std::optional<PlanCost>& cost = m_editor.cost())
        for (std::size_t i = 0; i < cost->tensors.size(); ++i)
            m_costs[cost->tensors[i].tensor] = i;
    if (const PlanSpace* space = m_editor.space()) {
        std::set<ValueId> inputs;
        for (const Input& input : space->analysis().program.inputs)
            inputs.insert(input.value);
        const std::vector<std::vector<ValueId>> all = space->allSavePoints(m_editor.shown());
        for (std::size_t cut = 0; cut < all.size(); ++cut)
            for (const ValueId tensor : all[cut])
                if (!inputs.contains(tensor)) {
                    m_rows.push_back({tensor, static_cast<int>(cut)});
                    m_cuts[tensor].push_back(static_cast<int>(cut));
                }
        addLeft(*space);
        if (m_planLeft && *m_planLeft == m_editor.plan())
            keepOrder();
    }
    endResetModel();
}

void SavePointModel::addLeft(const PlanSpace& space)
{
    if (!m_planLeft || !(*m_planLeft == m_editor.plan()))
        m_left.clear();
    for (const Row& left : m_left) {
        const auto isHere = [&](const Row& row) { return row.tensor == left.tensor && row.cut == left.cut; };
        if (std::ranges::none_of(m_rows, isHere) && space.setSavePoint(m_editor.plan(), left.tensor, left.cut, true).plan)
            m_rows.push_back({left.tensor, left.cut, false});
    }
}

// After a click on a row the others are where they were: a second click takes the first one back. What comes stands behind the rows of its cut.
void SavePointModel::keepOrder()
{
    const auto isRow = [](const Row& a) { return [&a](const Row& b) { return a.tensor == b.tensor && a.cut == b.cut; }; };
    std::vector<Row> ordered;
    for (const Row& known : m_before)
        if (const auto row = std::ranges::find_if(m_rows, isRow(known)); row != m_rows.end())
            ordered.push_back(*row);
    for (const Row& row : m_rows)
        if (std::ranges::none_of(m_before, isRow(row))) {
            const auto last = std::find_if(ordered.rbegin(), ordered.rend(), [&](const Row& other) { return other.cut <= row.cut; });
            ordered.insert(last.base(), row);
        }
    m_rows = std::move(ordered);
}

const TensorCost* SavePointModel::costOf(ValueId tensor) const
{
    const std::optional<PlanCost>& cost = m_editor.cost();
    if (!cost || !m_editor.showsCosts())
        return nullptr;
    const auto known = m_costs.find(tensor);
    const bool isThere = known != m_costs.end() && known->second < cost->tensors.size() && cost->tensors[known->second].tensor == tensor;
    return isThere ? &cost->tensors[known->second] : nullptr;
}

double SavePointModel::bytesOf(ValueId tensor) const
{
    if (const TensorCost* cost = costOf(tensor))
        return cost->write.bytes;
    const Analysis& analysis = m_editor.space()->analysis();
    const std::int64_t nodes = analysis.types() == 1 ? m_editor.costs().numNodes() : 0;  // known before blocks are counted
    return bytesPerRow(analysis, tensor) * static_cast<double>(nodes);
}

QString SavePointModel::formulaOf(ValueId tensor) const
{
    const double perRow = bytesPerRow(m_editor.space()->analysis(), tensor);
    const Analysis& analysis = m_editor.space()->analysis();
    const ValueFacts& facts = analysis.values[tensor];
    const QString rows = facts.rows == Rows::Nodes ? toText(nodesText(analysis, facts.nodeType)) : QStringLiteral("V");
    const QString text = perRow > 0 ? tr("%1 × %2").arg(bytesText(perRow), rows) : tr("not known");
    const double bytes = bytesOf(tensor);
    return bytes > 0 ? tr("%1 = %2").arg(text, bytesText(bytes)) : text;
}

// The last one above what reads it of those that it is saved at.
int SavePointModel::cutOf(const TensorRead& read, ValueId tensor) const
{
    const FunctionCost& reader = m_editor.cost()->functions[static_cast<std::size_t>(read.function)];
    const int above = (reader.isGlobal ? reader.last : reader.first) - 1;
    const std::vector<int>& cuts = m_cuts.at(tensor);
    const auto below = std::ranges::upper_bound(cuts, above);
    return below == cuts.begin() ? cuts.front() : *std::prev(below);
}

// Of a tensor that is saved at several cuts, at each what is done there.
std::optional<double> SavePointModel::secondsOf(const Row& row) const
{
    const TensorCost* cost = costOf(row.tensor);
    if (cost == nullptr || !row.isSaved)
        return {};
    const bool isFirst = m_cuts.at(row.tensor).front() == row.cut;
    double seconds = isFirst ? cost->write.seconds : 0;
    bool isRead = false;
    for (const TensorRead& read : cost->reads)
        if (cutOf(read, row.tensor) == row.cut) {
            isRead = true;
            seconds += read.amount.seconds;
        }
    return isFirst || isRead ? std::optional(seconds) : std::nullopt;
}

QString SavePointModel::secondsTextOf(const Row& row) const
{
    if (!row.isSaved)
        return tr("not saved");
    if (costOf(row.tensor) == nullptr)
        return {};
    const std::optional<double> seconds = secondsOf(row);
    return !seconds ? tr("stays") : *seconds > 0 ? secondsText(*seconds) : tr("handed on");
}

QVariant SavePointModel::orderOf(const Row& row, int column) const
{
    switch (column) {
        case Cut:
            return static_cast<double>(row.cut);
        case Bytes:
            return bytesOf(row.tensor);
        case Seconds:
            return secondsOf(row).value_or(-1);
        default:
            return {};
    }
}

int SavePointModel::rowOf(ValueId tensor) const
{
    const auto row = std::ranges::find_if(m_rows, [&](const Row& r) { return r.tensor == tensor && r.isSaved; });
    return row == m_rows.end() ? -1 : static_cast<int>(row - m_rows.begin());
}

QString SavePointModel::costText(int index) const
{
    const Row& row = m_rows[static_cast<std::size_t>(index)];
    const TensorCost* known = costOf(row.tensor);
    if (known == nullptr || !row.isSaved)
        return {};
    const std::optional<PlanCost>& cost = m_editor.cost();
    const QString name = toText(m_editor.space()->analysis().program[row.tensor].name);
    const QString bytes = bytesText(known->write.bytes);
    QStringList lines{known->write.seconds > 0 ? tr("%1: %2 written in %3.").arg(name, bytes, secondsText(known->write.seconds))
                                               : tr("%1: %2, handed on without a copy.").arg(name, bytes)};
    for (const TensorRead& read : known->reads)
        lines.append((read.rows == 'V'   ? tr("Read at the %1 targets of %2: %3 in %4.")
                      : read.rows == 'E' ? tr("Read for the %1 nodes of blocks of %2: %3 in %4.")
                                         : tr("Read along the %1 edges of %2: %3 in %4."))
                         .arg(countText(read.count), functionText(cost->functions[static_cast<std::size_t>(read.function)]),
                              bytesText(read.amount.bytes), read.amount.seconds > 0 ? secondsText(read.amount.seconds) : tr("no time of its own")));
    const Move without = m_editor.space()->setSavePoint(m_editor.shown(), row.tensor, row.cut, false);
    if (!without.plan)
        lines.append(tr("It cannot be left out."));
    else if (const std::optional<PlanCost> then = m_editor.costs().costOf(*without.plan))
        lines.append(tr("Without it the plan takes %1 instead of %2 (%3).")
                         .arg(secondsText(then->seconds()), secondsText(cost->seconds()), changeText(cost->seconds(), then->seconds())));
    return lines.join(u' ');
}

int SavePointModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(m_rows.size()); }

int SavePointModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : Seconds + 1; }

QVariant SavePointModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const Row& row = m_rows[static_cast<std::size_t>(index.row())];
    if (role == Qt::CheckStateRole && index.column() == Tensor)
        return row.isSaved ? Qt::Checked : Qt::Unchecked;
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue((index.column() >= Bytes ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole && index.column() == Bytes)
        return formulaOf(row.tensor);
    if (role == Qt::ToolTipRole && index.column() == Shape)
        return toText(shapeText(m_editor.space()->analysis(), row.tensor));
    if (role == orderRole)
        if (const QVariant order = orderOf(row, index.column()); order.isValid())
            return order;
    if (role != Qt::DisplayRole && role != orderRole)
        return {};
    switch (index.column()) {
    case Tensor: return toText(m_editor.space()->analysis().program[row.tensor].name);
    case Cut: return tr("Cut %1").arg(row.cut + 1);
    case Shape: return toText(shapeText(m_editor.space()->analysis(), row.tensor));
    case Bytes:
        return formulaOf(row.tensor).section(QStringLiteral(" = "), -1);  // of the formula what comes out
    default:
        return secondsTextOf(row);
    }
}

bool SavePointModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    if (role != Qt::CheckStateRole || !index.isValid() || index.column() != Tensor)
        return false;
    const Row row = m_rows[static_cast<std::size_t>(index.row())];
    const bool isChecked = value.toInt() == Qt::Checked;
    std::vector<Row> left = m_left, before = m_rows;
    if (!m_editor.setSaved(row.tensor, row.cut, isChecked))
        return false;
    if (!isChecked)
        left.push_back(row);
    m_left = std::move(left);
    m_before = std::move(before);
    m_planLeft = m_editor.plan();
    showPlan();
    return true;
}

Qt::ItemFlags SavePointModel::flags(const QModelIndex& index) const
{
    return QAbstractTableModel::flags(index) | (index.column() == Tensor ? Qt::ItemIsUserCheckable : Qt::NoItemFlags);
}

QVariant SavePointModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::ToolTipRole)
        switch (section) {
            case Tensor:
                return tr("Unchecked, it is not saved there: ops move, and other tensors may have to be saved instead");
            case Cut:
                return tr("Made above this cut, and read below it");
            case Shape:
                return tr("V: the rows of all nodes");
            case Bytes:
                return tr("Of the rows of all nodes in the store");
            default:
                return tr(
                    "Time to write it where it is made, and to read it right below this cut. Handed on: neither takes time of its own. Stays: read further below");
        }
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Tensor: return tr("Save point");
    case Cut: return tr("Where");
    case Shape: return tr("Shape");
    case Bytes: return tr("Bytes");
    default:
        return tr("Time");
    }
}

}  // namespace cleave::views
