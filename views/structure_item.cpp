#include "views/structure_item.h"

#include <QPainter>
#include <QStyleOptionGraphicsItem>
#include <algorithm>

#include "views/graph_style.h"

namespace cleave::views {

namespace {

// From the lower edge of one box to the side of the other, bent so that the lines of one column lie apart.
QPainterPath lineBetween(const QRectF& from, const QRectF& to)
{
    const QPointF begin(from.center().x(), from.bottom());
    const QPointF end(begin.x() <= to.center().x() ? to.left() : to.right(), to.center().y());
    const double reach = std::clamp((end.y() - begin.y()) / 2, 12.0, 160.0);
    QPainterPath path(begin);
    path.cubicTo(begin + QPointF(0, reach), QPointF(end.x() + (begin.x() <= to.center().x() ? -reach : reach), end.y()), end);
    return path;
}

}  // namespace

StructureItem::StructureItem(const GraphPicture& picture, const GraphStyle& style) : m_style(style)
{
    setZValue(1.8);  // below arrows
    setAcceptedMouseButtons(Qt::NoButton);
    setFlag(ItemUsesExtendedStyleOption);
    const auto rect = [&](int box) {
        const auto i = static_cast<std::size_t>(box);
        const QSizeF size = picture.sizes[i];
        return QRectF(QPointF(picture.layout.centres[i].x - size.width() / 2, picture.layout.centres[i].y - size.height() / 2), size);
    };
    for (const DagArrow& arrow : picture.dag.structureArrows) {
        Line line{arrow.from, arrow.to, lineBetween(rect(arrow.from), rect(arrow.to)), {}};
        line.bounds = line.path.controlPointRect().adjusted(-2, -2, 2, 2);
        m_bounds |= line.bounds;
        m_lines.push_back(std::move(line));
    }
}

void StructureItem::setMarked(int box)
{
    m_marked = box;
    update();
}

QRectF StructureItem::boundingRect() const { return m_bounds; }

void StructureItem::paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget*)
{
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setBrush(Qt::NoBrush);
    for (const Line& line : m_lines) {
        if (!line.bounds.intersects(option->exposedRect))
            continue;
        const bool isMarked = line.from == m_marked || line.to == m_marked;
        painter->setPen(
            QPen(isMarked ? m_style.colors.selection : m_style.colors.structure, isMarked ? 1.8 : 1.2, isMarked ? Qt::SolidLine : Qt::DotLine));
        painter->drawPath(line.path);
    }
}

}  // namespace cleave::views
