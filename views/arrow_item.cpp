#include "views/arrow_item.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QStyleOptionGraphicsItem>
#include <QVarLengthArray>
#include <algorithm>
#include <array>
#include <cmath>

#include "views/item_painting.h"

namespace cleave::views {

namespace {

constexpr double longArrow = 1500;
constexpr double headLength = 8;
constexpr double headWidth = 6;

// Halves a cubic until it is straight, and adds its end.
void addCorners(const std::array<QPointF, 4>& p, int halvings, std::vector<QPointF>& corners)
{
    constexpr double bend = 0.2;  // that nobody sees
    const QPointF chord = p[3] - p[0];
    const double length = std::hypot(chord.x(), chord.y());
    const auto distance = [&](const QPointF& point) {
        const QPointF way = point - p[0];
        return length < 1e-9 ? std::hypot(way.x(), way.y()) : std::abs(chord.x() * way.y() - chord.y() * way.x()) / length;
    };
    if (halvings == 0 || std::max(distance(p[1]), distance(p[2])) < bend) {
        corners.push_back(p[3]);
        return;
    }
    const QPointF a = (p[0] + p[1]) / 2, b = (p[1] + p[2]) / 2, c = (p[2] + p[3]) / 2, ab = (a + b) / 2, bc = (b + c) / 2, middle = (ab + bc) / 2;
    addCorners({p[0], a, ab, middle}, halvings - 1, corners);
    addCorners({middle, bc, c, p[3]}, halvings - 1, corners);
}

std::vector<QPointF> cornersOf(const QPainterPath& path)
{
    constexpr int mostHalvings = 10;
    std::vector<QPointF> corners{path.elementAt(0)};
    for (int i = 1; i + 2 < path.elementCount(); i += 3)
        addCorners({QPointF(path.elementAt(i - 1)), QPointF(path.elementAt(i)), QPointF(path.elementAt(i + 1)), QPointF(path.elementAt(i + 2))},
                   mostHalvings, corners);
    return corners;
}

}  // namespace

ArrowItem::ArrowItem(const std::vector<LayoutPoint>& path, const GraphStyle& style) : m_style(style)
{
    setZValue(2);
    setAcceptedMouseButtons(Qt::NoButton);
    setFlag(ItemUsesExtendedStyleOption);
    const auto point = [&](std::size_t i) { return QPointF(path[i].x, path[i].y); };
    const QPointF tip = point(path.size() - 1);
    QPointF along = tip - point(path.size() - 2);
    if (std::hypot(along.x(), along.y()) < 1)
        along = tip - point(path.size() - 4);
    const double length = std::max(1e-6, std::hypot(along.x(), along.y()));
    along /= length;
    const QPointF across(-along.y(), along.x());
    const QPointF base = tip - along * headLength;
    m_head << tip << base + across * headWidth / 2 << base - across * headWidth / 2;
    m_path.moveTo(point(0));
    for (std::size_t i = 1; i + 2 < path.size(); i += 3)
        m_path.cubicTo(point(i), point(i + 1), i + 3 == path.size() ? base : point(i + 2));
    m_bounds = m_path.controlPointRect().united(m_head.boundingRect()).adjusted(-3, -3, 3, 3);
    if (std::max(m_bounds.width(), m_bounds.height()) >= longArrow)
        m_corners = cornersOf(m_path);
}

// Of a long arrow little is ever seen: only the lines that lie there.
void ArrowItem::paintLong(QPainter* painter, const QRectF& area) const
{
    QVarLengthArray<QLineF, 32> lines;
    for (std::size_t i = 1; i < m_corners.size(); ++i)
        if (const QPointF& from = m_corners[i - 1], &to = m_corners[i];
            std::max(from.x(), to.x()) >= area.left() && std::min(from.x(), to.x()) <= area.right() && std::max(from.y(), to.y()) >= area.top() &&
            std::min(from.y(), to.y()) <= area.bottom())
            lines.append(QLineF(from, to));
    if (lines.isEmpty())
        return;
    painter->setPen(pen());
    painter->drawLines(lines.constData(), static_cast<int>(lines.size()));
}

QPen ArrowItem::pen() const
{
    return {m_marked ? m_style.colors.selection : m_style.colors.arrow, m_marked ? 2.2 : 1.3};
}

void ArrowItem::setMarked(bool marked)
{
    m_marked = marked;
    setZValue(marked ? 2.5 : 2);
    update();
}

QRectF ArrowItem::boundingRect() const
{
    return m_bounds;
}

void ArrowItem::paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget*)
{
    const QColor color = m_marked ? m_style.colors.selection : m_style.colors.arrow;
    if (detail(option, painter) < shapeDetail) {
        painter->setRenderHint(QPainter::Antialiasing, false);
        painter->setPen(QPen(color, 0));
        painter->drawLine(QPointF(m_path.elementAt(0)), m_head.front());
        return;
    }
    painter->setRenderHint(QPainter::Antialiasing);
    const QRectF area = option->exposedRect.adjusted(-4, -4, 4, 4);
    if (m_corners.empty()) {
        painter->setPen(pen());
        painter->setBrush(Qt::NoBrush);
        painter->drawPath(m_path);
    } else {
        paintLong(painter, area);
    }
    if (area.intersects(m_head.boundingRect())) {
        painter->setPen(Qt::NoPen);
        painter->setBrush(color);
        painter->drawPolygon(m_head);
    }
}

StubItem::StubItem(const QPointF& end, bool leaves, const QString& name, const GraphStyle& style) : m_style(style), m_leaves(leaves), m_name(name)
{
    setZValue(2);
    setPos(end);
    setAcceptedMouseButtons(Qt::NoButton);
}

QRectF StubItem::boundingRect() const
{
    const double width = QFontMetricsF(m_style.metrics.small).horizontalAdvance(m_name) + 16;
    const double height = m_style.metrics.smallHeight + 4;
    return {-2, m_leaves ? 0 : -height, width, height};
}

void StubItem::paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget*)
{
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(m_style.colors.arrow, 1.3));
    painter->drawLine(QPointF(0, 0), QPointF(0, m_leaves ? 12 : -12));
    if (detail(option, painter) >= textDetail)
        drawText(painter, m_style.metrics.small, m_style.colors.muted, boundingRect().adjusted(8, 0, 0, 0), m_name);
}

}  // namespace cleave::views
