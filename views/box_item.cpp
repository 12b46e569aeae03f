#include "views/box_item.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QPainterPath>
#include <QStyleOptionGraphicsItem>
#include <algorithm>

#include "views/item_painting.h"
#include "views/text.h"

namespace cleave::views {

namespace {

constexpr double ring = 3;  // between the outline, which tells rows, and the fill, which tells the message degree

// Of a path its end says most: parts are left out from the front until the rest fits.
QString shortPath(const QFont& font, const QString& path, double width)
{
    const QFontMetricsF metrics(font);
    QString rest = path;
    while (metrics.horizontalAdvance(rest) > width) {
        const qsizetype dot = rest.indexOf(u'.');
        if (dot < 0 || dot + 1 >= rest.size())
            break;
        rest = rest.mid(dot + 1);
    }
    return metrics.elidedText(rest, Qt::ElideMiddle, width);
}

}  // namespace

BoxItem::BoxItem(const DagBox& box, int index, const QSizeF& size, const GraphStyle& style) : m_box(box), m_style(style), m_index(index), m_size(size)
{
    setZValue(3);
    setAcceptedMouseButtons(Qt::NoButton);
    setCursor(Qt::ArrowCursor);
}

void BoxItem::setMarked(bool marked)
{
    m_marked = marked;
    setZValue(marked ? 4 : 3);
    update();
}

// Labels in the colour of cuts: on the upper edge where the box runs, since the cut goes above it, on the lower one what is saved below it.
void BoxItem::setPlace(const QString& text)
{
    place(m_place, m_placeRect, text, rect().top() - m_style.metrics.smallHeight * 0.25);
}

void BoxItem::setSaves(const QString& text)
{
    place(m_saves, m_savesRect, text, rect().bottom() + m_style.metrics.smallHeight * 0.25);
}

void BoxItem::place(QString& text, QRectF& area, const QString& now, double y)
{
    if (text == now)
        return;
    prepareGeometryChange();
    text = now;
    area = labelRect(text, y);
    update();
}

void BoxItem::setFaded(bool faded)
{
    setOpacity(faded ? 0.35 : 1);
}

bool BoxItem::isFaded() const
{
    return opacity() < 1;
}

QRectF BoxItem::rect() const
{
    return {-m_size.width() / 2, -m_size.height() / 2, m_size.width(), m_size.height()};
}

QRectF BoxItem::controlRect() const
{
    if (!m_box.isExpandable())
        return {};
    const double side = BoxMetrics::controlSize;
    return {rect().right() - side - BoxMetrics::padding, rect().top() + BoxMetrics::padding, side, side};
}

QRectF BoxItem::boundingRect() const
{
    const QRectF all = rect().adjusted(-6, -6, 6, 6);
    return all.united(m_placeRect.adjusted(-1, -1, 1, 1)).united(m_savesRect.adjusted(-1, -1, 1, 1));
}

QPainterPath BoxItem::shape() const
{
    return outline();
}

QPainterPath BoxItem::outline() const
{
    QPainterPath path;
    const double radius = m_box.key.kind == BoxKind::Tensor ? m_size.height() / 2 : outlineRadius(m_box.rows);
    path.addRoundedRect(rect(), radius, radius);
    return path;
}

void BoxItem::paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget*)
{
    const double zoom = detail(option, painter);
    if (zoom < shapeDetail) {
        paintFromFar(painter);
        return;
    }
    painter->setRenderHint(QPainter::Antialiasing);
    paintFill(painter);
    paintOutline(painter);
    if (zoom < textDetail)
        return;
    paintLevel(painter);
    if (zoom < smallTextDetail)
        paintName(painter);
    else if (m_box.key.kind == BoxKind::Tensor)
        paintTensorTexts(painter);
    else
        paintTexts(painter);
    if (!m_place.isEmpty())
        paintLabel(painter, m_placeRect, m_place, false);
    if (!m_saves.isEmpty())
        paintLabel(painter, m_savesRect, m_saves, true);
}

// Colours alone: of the message degree, and around it of the rows.
void BoxItem::paintFromFar(QPainter* painter) const
{
    painter->setRenderHint(QPainter::Antialiasing, false);
    const GraphColors& colors = m_style.colors;
    painter->fillRect(rect(), m_marked ? colors.selection : colors.outline(m_box.rows));
    painter->fillRect(rect().adjusted(ring, ring, -ring, -ring), m_box.level >= 0 ? colors.level(m_box.level, m_style.levels) : colors.badge);
}

void BoxItem::paintFill(QPainter* painter) const
{
    const GraphColors& colors = m_style.colors;
    painter->setPen(Qt::NoPen);
    painter->setBrush(colors.background);
    painter->drawPath(outline());

    QPainterPath inside;
    const QRectF area = rect().adjusted(ring, ring, -ring, -ring);
    const double radius = m_box.key.kind == BoxKind::Tensor ? area.height() / 2 : std::max(0.0, outlineRadius(m_box.rows) - ring);
    inside.addRoundedRect(area, radius, radius);
    painter->setBrush(colors.levelTint(m_box.level, m_style.levels));
    painter->drawPath(inside);
    if (m_box.level < 0)
        return;
    painter->save();
    painter->setClipPath(inside, Qt::IntersectClip);
    painter->fillRect(QRectF(area.left(), area.top(), m_style.metrics.tab, area.height()), colors.level(m_box.level, m_style.levels));
    painter->restore();
}

void BoxItem::paintOutline(QPainter* painter) const
{
    QPen pen = outlinePen(m_style.colors, m_box.rows);
    if (m_box.isReminder) {
        pen.setWidthF(1.2);
        pen.setDashPattern({5, 3});
    }
    painter->setBrush(Qt::NoBrush);
    painter->setPen(pen);
    painter->drawPath(outline());
    if (m_marked) {
        painter->setPen(QPen(m_style.colors.selection, 3));
        const double radius = (m_box.key.kind == BoxKind::Tensor ? m_size.height() / 2 : outlineRadius(m_box.rows)) + 3;
        painter->drawRoundedRect(rect().adjusted(-3.5, -3.5, 3.5, 3.5), radius, radius);
    }
}

void BoxItem::paintLevel(QPainter* painter) const
{
    const BoxMetrics& metrics = m_style.metrics;
    if (m_box.level >= 0)
        drawText(painter, m_box.level < 100 ? metrics.title : metrics.small, GraphColors::textOn(m_style.colors.level(m_box.level, m_style.levels)),
                 {rect().left() + ring, rect().top(), metrics.tab, rect().height()}, QString::number(m_box.level), Qt::AlignCenter);
}

// All that can be read of it in a small picture, in letters that are larger than at full size.
void BoxItem::paintName(QPainter* painter) const
{
    const BoxMetrics& metrics = m_style.metrics;
    const bool isTensor = m_box.key.kind == BoxKind::Tensor;
    QRectF area = rect().adjusted(ring + metrics.tab + 5, 0, -5, 0);
    if (m_box.isExpandable())
        area.setRight(controlRect().left() - 3);
    if (isTensor) {
        paintTensorName(painter, area);
        return;
    }
    if (!m_box.belongs.empty()) {
        QRectF lower = area;
        lower.setTop(area.center().y());
        area.setBottom(area.center().y() + 2);
        drawText(painter, largeSmall(metrics), m_style.colors.badgeText, lower.adjusted(0, -2, 0, -3), toText(m_box.belongs));
    }
    const QFont font = largeTitle(metrics);
    drawText(painter, font, m_style.colors.text, area, shortPath(font, metrics.heading(m_box), area.width()));
    paintControl(painter);
}

// And whose rows it has, as far as there is room.
void BoxItem::paintTensorName(QPainter* painter, QRectF area) const
{
    const QFont font = largeTitle(m_style.metrics), small = largeSmall(m_style.metrics);
    const QString name = toText(m_box.title), nodes = toText(m_box.belongs);
    drawText(painter, font, m_style.colors.text, area, name);
    constexpr int least = 4;  // letters
    area.setLeft(area.left() + QFontMetricsF(font).horizontalAdvance(name) + 6);
    if (!nodes.isEmpty() && !name.contains(nodes) && area.width() > QFontMetricsF(small).horizontalAdvance(nodes.left(least)))
        drawText(painter, small, m_style.colors.badgeText, area, nodes);
}

void BoxItem::paintSmallName(QPainter* painter, const QTransform& toView) const
{
    constexpr double around = 2;
    constexpr int least = 7;  // letters that tell something
    const QFontMetricsF metrics(painter->font());
    const double zoom = toView.m11(), tab = (ring + m_style.metrics.tab) * zoom;
    const QRectF area = toView.mapRect(rect().translated(pos())).adjusted(tab + around, 0, -around - (m_box.isExpandable() ? ring * zoom : 0), 0);
    if (zoom < shapeDetail || area.height() < 0.8 * metrics.height())
        return;
    const QString name = m_style.metrics.heading(m_box), belongs = toText(m_box.belongs);
    QString text = shortPath(painter->font(), name, area.width());
    if (m_box.key.kind != BoxKind::Tensor && !belongs.isEmpty() && metrics.horizontalAdvance(belongs) <= area.width())
        text = belongs;
    else if (text.size() < std::min<qsizetype>(least, name.size()))
        return;
    painter->setPen(m_style.colors.text);
    painter->drawText(area, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, text);
}

void BoxItem::paintTexts(QPainter* painter) const
{
    const BoxMetrics& metrics = m_style.metrics;
    const GraphColors& colors = m_style.colors;
    const double pad = BoxMetrics::padding;
    const double tab = ring + metrics.tab;
    QRectF line(rect().left() + tab + pad * 0.75, rect().top() + pad * 0.75, rect().width() - tab - 1.5 * pad, metrics.titleHeight);
    QRectF head = line;
    if (m_box.isExpandable())
        head.setRight(controlRect().left() - pad / 2);
    if (const QString letter = rowsLetter(m_box.rows); !letter.isEmpty()) {
        drawText(painter, metrics.small, colors.outline(m_box.rows), head, letter, Qt::AlignRight | Qt::AlignVCenter);
        head.setRight(head.right() - QFontMetricsF(metrics.small).horizontalAdvance(letter) - 4);
    }
    drawText(painter, metrics.title, colors.text, head, metrics.heading(m_box));
    line.moveTop(line.bottom());
    line.setHeight(metrics.smallHeight);
    drawText(painter, metrics.small, colors.badgeText, line, metrics.subtitle(m_box));
    if (!m_box.belongs.empty()) {
        line.moveTop(line.bottom());
        drawText(painter, metrics.small, colors.badgeText, line, toText(m_box.belongs));
    }
    if (!m_box.structure.empty()) {
        line.moveTop(line.bottom() + BoxMetrics::badgeGap);
        paintBadges(painter, line);
    }
    paintControl(painter);
}

void BoxItem::paintTensorTexts(QPainter* painter) const
{
    const BoxMetrics& metrics = m_style.metrics;
    const GraphColors& colors = m_style.colors;
    const QRectF area = rect().adjusted(ring, 0, -BoxMetrics::padding, 0);
    QRectF line = area.adjusted(metrics.tab + 6, 0, 0, 0);
    drawText(painter, metrics.title, colors.text, line, toText(m_box.title));
    line.setLeft(line.left() + QFontMetricsF(metrics.title).horizontalAdvance(toText(m_box.title)) + 8);
    drawText(painter, metrics.small, colors.badgeText, line, toText(m_box.shape));
}

void BoxItem::paintBadges(QPainter* painter, const QRectF& area) const
{
    const QFontMetricsF font(m_style.metrics.small);
    double x = area.left();
    for (const QString& badge : m_style.metrics.badges(m_box)) {
        const QRectF pill(x, area.top(), font.horizontalAdvance(badge) + 2 * BoxMetrics::badgePadding, area.height() + 1);
        painter->setPen(QPen(m_style.colors.structure, 0.8));
        painter->setBrush(m_style.colors.badge);
        painter->drawRoundedRect(pill, 4, 4);
        drawText(painter, m_style.metrics.small, m_style.colors.badgeText, pill, badge, Qt::AlignCenter);
        x = pill.right() + BoxMetrics::badgeGap;
    }
}

void BoxItem::paintControl(QPainter* painter) const
{
    if (m_box.isExpandable())
        drawSign(painter, controlRect(), true, m_style.colors.badgeText);
}

QRectF BoxItem::labelRect(const QString& text, double y) const
{
    if (text.isEmpty())
        return {};
    const double width = QFontMetricsF(m_style.metrics.small).horizontalAdvance(text) + 2 * BoxMetrics::badgePadding;
    const double height = m_style.metrics.smallHeight + 2;
    return {rect().center().x() - width / 2, y - height / 2, width, height};
}

void BoxItem::paintLabel(QPainter* painter, const QRectF& area, const QString& text, bool isFilled) const
{
    const GraphColors& colors = m_style.colors;
    painter->setPen(QPen(colors.cut, 1.4));
    painter->setBrush(isFilled ? colors.cut : colors.background);
    painter->drawRoundedRect(area, 4, 4);
    drawText(painter, m_style.metrics.small, isFilled ? GraphColors::textOn(colors.cut) : colors.cut, area, text, Qt::AlignCenter);
}

}  // namespace cleave::views
