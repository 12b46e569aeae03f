#include "views/moved_ops.h"

#include <QPainter>
#include <QPainterPathStroker>
#include <map>

namespace cleave::views {

namespace {

constexpr double around = 9;     // from a box to the line
constexpr double corner = 10;
constexpr double lineWidth = 1.6;

QPainterPath aroundBox(const GraphPicture& picture, std::size_t box)
{
    const LayoutPoint centre = picture.layout.centres[box];
    const QSizeF size = picture.sizes[box];
    QPainterPath path;
    path.addRoundedRect(
        QRectF(centre.x - size.width() / 2, centre.y - size.height() / 2, size.width(), size.height()).adjusted(-around, -around, around, around),
        corner, corner);
    return path;
}

QPainterPath aroundArrow(const std::vector<LayoutPoint>& points)
{
    const auto point = [&](std::size_t i) { return QPointF(points[i].x, points[i].y); };
    QPainterPath path(point(0));
    for (std::size_t i = 1; i + 2 < points.size(); i += 3)
        path.cubicTo(point(i), point(i + 1), point(i + 2));
    QPainterPathStroker stroker;
    stroker.setWidth(2 * around);
    stroker.setJoinStyle(Qt::RoundJoin);
    return stroker.createStroke(path);
}

// What is read at or behind the function that the op has moved to: moved itself, a tensor of a cut, or a box of a later band.
bool isBehind(const GraphPicture& picture, const PlanMarks& marks, int from, int to)
{
    const auto reader = static_cast<std::size_t>(to);
    const DagBox& box = picture.dag.boxes[reader];
    return marks.functions[reader] >= 0 || box.key.kind == BoxKind::Tensor ||
           box.key.band > picture.dag.boxes[static_cast<std::size_t>(from)].key.band;
}

}  // namespace

MovedOpsItem::MovedOpsItem(std::vector<QPainterPath> parts, int level, const GraphStyle& style)
    : m_style(style), m_parts(std::move(parts)), m_level(level)
{
    setAcceptedMouseButtons(Qt::NoButton);
    for (const QPainterPath& part : m_parts)
        m_bounds |= part.boundingRect();
    m_bounds.adjust(-lineWidth, -lineWidth, lineWidth, lineWidth);
}

void MovedOpsItem::setOther()
{
    m_isOther = true;
    setZValue(1);
    QPainterPath all;
    for (const QPainterPath& part : m_parts)
        all = all.united(part);
    m_parts = {all};
}

MovedOpsLayer::MovedOpsLayer()
{
    setFlag(ItemHasNoContents);
    setZValue(1.2);  // above the frames of modules
    setAcceptedMouseButtons(Qt::NoButton);
}

// First all outlines, then all insides: what lies within another part disappears.
void MovedOpsItem::paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*)
{
    painter->setRenderHint(QPainter::Antialiasing);
    if (m_isOther) {
        painter->setPen(QPen(m_style.colors.selection, lineWidth + 0.4, Qt::DashLine));
        painter->setBrush(Qt::NoBrush);
        painter->drawPath(m_parts.front());
        return;
    }
    painter->setPen(QPen(m_style.colors.cut, 2 * lineWidth));
    painter->setBrush(Qt::NoBrush);
    for (const QPainterPath& part : m_parts)
        painter->drawPath(part);
    painter->setPen(Qt::NoPen);
    painter->setBrush(m_style.colors.levelTint(m_level, m_style.levels));
    for (const QPainterPath& part : m_parts)
        painter->drawPath(part);
}

std::vector<MovedOpsItem*> movedOpsItems(const GraphPicture& picture, const PlanMarks& marks, const GraphStyle& style)
{
    std::map<int, std::vector<QPainterPath>> parts;
    for (std::size_t i = 0; i < marks.functions.size(); ++i)
        if (marks.functions[i] >= 0)
            parts[marks.functions[i]].push_back(aroundBox(picture, i));
    for (std::size_t i = 0; i < picture.dag.arrows.size(); ++i) {
        const DagArrow& arrow = picture.dag.arrows[i];
        const int function = marks.functions[static_cast<std::size_t>(arrow.from)];
        if (function >= 0 && picture.layout.paths[i].size() >= 4 && isBehind(picture, marks, arrow.from, arrow.to))
            parts[function].push_back(aroundArrow(picture.layout.paths[i]));
    }
    std::vector<MovedOpsItem*> items;
    for (auto& [function, shapes] : parts)
        items.push_back(new MovedOpsItem(std::move(shapes), picture.model->analysis->degreeOf(function), style));
    return items;
}

}  // namespace cleave::views
