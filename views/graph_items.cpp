#include "views/graph_items.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QStyleOptionGraphicsItem>
#include <QVarLengthArray>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "views/text.h"

namespace cleave::views {

namespace {

constexpr double ring = 3;         // between the outline, which tells rows, and the fill, which tells the message degree
constexpr double shapeDetail = 0.2;  // below this one boxes are plain rectangles, and arrows thin lines
constexpr double longArrow = 1500;
constexpr double headLength = 8;
constexpr double headWidth = 6;
constexpr double largerName = 1.45;  // than at full size, in small pictures

double detail(const QStyleOptionGraphicsItem* option, const QPainter* painter)
{
    return option->levelOfDetailFromTransform(painter->worldTransform());
}

QString elided(const QFont& font, const QString& text, double width)
{
    return QFontMetricsF(font).elidedText(text, Qt::ElideMiddle, width);
}

void drawText(QPainter* painter, const QFont& font, const QColor& color, const QRectF& area, const QString& text,
              Qt::Alignment alignment = Qt::AlignLeft | Qt::AlignVCenter)
{
    painter->setFont(font);
    painter->setPen(color);
    painter->drawText(area, static_cast<int>(alignment) | Qt::TextSingleLine, elided(font, text, area.width() + 1));
}

// Of names in small pictures.
QFont largeTitle(const BoxMetrics& metrics)
{
    QFont font = metrics.title;
    font.setPointSizeF(font.pointSizeF() * largerName);
    return font;
}

QFont largeSmall(const BoxMetrics& metrics)
{
    QFont font = metrics.small;
    font.setPointSizeF(font.pointSizeF() * BoxMetrics::largerSmall);
    return font;
}

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

void drawSign(QPainter* painter, const QRectF& area, bool plus, const QColor& color)
{
    painter->setPen(QPen(color, 1.3));
    painter->setBrush(Qt::NoBrush);
    painter->drawRoundedRect(area.adjusted(1, 1, -1, -1), 3, 3);
    const QPointF centre = area.center();
    painter->drawLine(centre - QPointF(3.5, 0), centre + QPointF(3.5, 0));
    if (plus)
        painter->drawLine(centre - QPointF(0, 3.5), centre + QPointF(0, 3.5));
}

}  // namespace

BoxItem::BoxItem(const DagBox& box, int index, const QSizeF& size, const GraphStyle& style)
    : m_box(box), m_style(style), m_index(index), m_size(size)
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
void BoxItem::setPlace(const QString& text) { place(m_place, m_placeRect, text, rect().top() - m_style.metrics.smallHeight * 0.25); }

void BoxItem::setSaves(const QString& text) { place(m_saves, m_savesRect, text, rect().bottom() + m_style.metrics.smallHeight * 0.25); }

void BoxItem::place(QString& text, QRectF& area, const QString& now, double y)
{
    if (text == now)
        return;
    prepareGeometryChange();
    text = now;
    area = labelRect(text, y);
    update();
}

void BoxItem::setFaded(bool faded) { setOpacity(faded ? 0.35 : 1); }

bool BoxItem::isFaded() const { return opacity() < 1; }

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

namespace {

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

QPen ArrowItem::pen() const { return {m_marked ? m_style.colors.selection : m_style.colors.arrow, m_marked ? 2.2 : 1.3}; }

void ArrowItem::setMarked(bool marked)
{
    m_marked = marked;
    setZValue(marked ? 2.5 : 2);
    update();
}

QRectF ArrowItem::boundingRect() const { return m_bounds; }

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

StubItem::StubItem(const QPointF& end, bool leaves, const QString& name, const GraphStyle& style)
    : m_style(style), m_leaves(leaves), m_name(name)
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
        drawText(painter, m_style.metrics.small, m_style.colors.muted, boundingRect().adjusted(8, 0, 0, 0),
                 m_name);
}

FrameItem::FrameItem(const QString& title, int index, const QRectF& rect, const GraphStyle& style)
    : m_style(style), m_title(title), m_index(index), m_rect(rect)
{
    setZValue(1);
    setAcceptedMouseButtons(Qt::NoButton);
}

QRectF FrameItem::headerRect() const
{
    const double side = BoxMetrics::controlSize;
    const double width = QFontMetricsF(m_style.metrics.small).horizontalAdvance(m_title) + side + 12;
    return {m_rect.left() + 5, m_rect.top() + 3, std::min(width, m_rect.width() - 8), std::max(side, m_style.metrics.smallHeight)};
}

QRectF FrameItem::boundingRect() const
{
    return m_rect.adjusted(-1, -1, 1, 1);
}

void FrameItem::paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*)
{
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(m_style.colors.bandLine, 1.2));
    painter->setBrush(m_style.colors.background);
    painter->drawRoundedRect(m_rect, 6, 6);
}

FrameTitleItem::FrameTitleItem(const FrameItem& frame, const GraphStyle& style)
    : m_style(style), m_title(frame.title()), m_rect(frame.headerRect())
{
    setZValue(2.7);
    setAcceptedMouseButtons(Qt::NoButton);
}

QRectF FrameTitleItem::boundingRect() const
{
    return m_rect;
}

void FrameTitleItem::paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget*)
{
    if (detail(option, painter) < textDetail)
        return;
    QRectF header = m_rect;
    painter->fillRect(header, m_style.colors.background);
    drawSign(painter, {header.left(), header.center().y() - BoxMetrics::controlSize / 2, BoxMetrics::controlSize, BoxMetrics::controlSize},
             false, m_style.colors.muted);
    header.setLeft(header.left() + BoxMetrics::controlSize + 5);
    drawText(painter, m_style.metrics.small, m_style.colors.muted, header, m_title);
}

BandItem::BandItem(const LayoutBand& band, const LayoutRect& bounds, bool hasCut, const GraphStyle& style)
    : m_style(style), m_band(band), m_bounds(bounds), m_hasCut(hasCut)
{
    setZValue(0);
    setAcceptedMouseButtons(Qt::NoButton);
    if (!hasCut)
        return;
    auto* handle = new QGraphicsRectItem(this);  // shows the cursor with which the line is moved
    handle->setRect(QRectF(QPointF(bounds.left, band.bottom), QPointF(bounds.right, band.stripBottom)));
    handle->setPen(Qt::NoPen);
    handle->setAcceptedMouseButtons(Qt::NoButton);
    handle->setCursor(Qt::SplitVCursor);
}

void BandItem::setCutMarked(bool marked)
{
    if (m_cutMarked == marked)
        return;
    m_cutMarked = marked;
    update();
}

void BandItem::setJoined(bool joined)
{
    if (std::exchange(m_isJoined, joined) != joined)
        update();
}

void BandItem::setOtherCut(std::optional<bool> cuts)
{
    if (std::exchange(m_otherCuts, cuts) != cuts)
        update();
}

void BandItem::setLit(bool lit)
{
    if (std::exchange(m_isLit, lit) != lit)
        update();
}

QRectF BandItem::stripRect() const
{
    const QRectF all = boundingRect();
    return {all.left(), m_band.bottom, all.width(), m_band.stripBottom - m_band.bottom};
}

void BandItem::setTexts(Texts texts)
{
    if (m_texts == texts)
        return;
    m_texts = std::move(texts);
    m_textWidth = textWidth(m_style, m_texts);
    update();
}

double BandItem::textWidth(const GraphStyle& style, const Texts& texts)
{
    const QFontMetricsF title(style.metrics.title);
    const QFontMetricsF small(style.metrics.small);
    double width = std::max(title.horizontalAdvance(texts.title), title.horizontalAdvance(texts.stripTitle));
    for (const QString& line : texts.lines + texts.stripLines)
        width = std::max(width, small.horizontalAdvance(line));
    return width;
}

void BandItem::setTitleWidth(double width)
{
    if (m_titleWidth == width)
        return;
    prepareGeometryChange();
    m_titleWidth = width;
}

QRectF BandItem::boundingRect() const
{
    const double left = m_bounds.left - gap - m_titleWidth - 2 * margin;
    return {left, m_band.top - 1, m_bounds.right + margin - left, m_band.stripBottom - m_band.top + 2};
}

// In a view, whose foreground they are, titles are painted above everything.
void BandItem::paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget)
{
    painter->setRenderHint(QPainter::Antialiasing);
    const QRectF all = boundingRect(), band = bandRect();
    painter->setPen(m_isLit ? QPen(m_style.colors.selection, 4) : QPen(m_style.colors.bandLine, 1));
    painter->setBrush(m_style.colors.band);
    const double within = m_isLit ? 2 : 0;  // a wide pen would paint beside what is painted again when it goes
    painter->drawRoundedRect(band.adjusted(within, within, -within, -within), 8, 8);
    const double middle = (m_band.bottom + m_band.stripBottom) / 2;
    if (m_hasCut) {
        QPen pen(m_cutMarked ? m_style.colors.selection : m_style.colors.cut, m_cutMarked ? 3 : 1.6);
        if (m_isJoined)
            pen = QPen(m_cutMarked ? m_style.colors.selection : m_style.colors.bandLine, m_cutMarked ? 3 : 1.6, Qt::DotLine);
        else if (!m_cutMarked)
            pen.setDashPattern({6, 4});
        painter->setPen(pen);
        const auto line = [&](double y) { painter->drawLine(QPointF(all.left() + 2 * margin + m_titleWidth, y), QPointF(all.right(), y)); };
        line(middle);
        constexpr double beside = 5;
        if (m_otherCuts) {
            painter->setPen(QPen(m_style.colors.selection, 2, *m_otherCuts ? Qt::DashLine : Qt::DotLine));
            line(middle + beside);
        }
    }
    if (detail(option, painter) >= textDetail && widget == nullptr)
        paintTitles(painter, boundingRect().left());
}

QRectF BandItem::bandRect() const
{
    const QRectF all = boundingRect();
    return {all.left(), m_band.top, all.width(), m_band.bottom - m_band.top};
}

void BandItem::paintTitles(QPainter* painter, double left) const
{
    const double x = std::max(boundingRect().left() + margin, left);
    paintTexts(painter, x, m_texts.title, m_texts.nodes, m_texts.lines, m_band.top, m_band.bottom, m_style.colors.text);
    paintTexts(painter, x, m_texts.stripTitle, {}, m_texts.stripLines, m_band.bottom, m_band.stripBottom,
               m_hasCut ? m_style.colors.cut : m_style.colors.text);
}

void BandItem::setBoxes(std::vector<QRectF> boxes)
{
    m_boxes = std::move(boxes);
    std::ranges::sort(m_boxes, {}, [](const QRectF& box) { return std::pair(box.left(), box.top()); });
}

// As far as the next box on its right, but what titles have anyway.
double BandItem::roomFor(const QRectF& line) const
{
    constexpr double apart = 6;
    const auto next = std::ranges::find_if(
        m_boxes, [&](const QRectF& box) { return box.left() > line.left() && box.top() < line.bottom() && box.bottom() > line.top(); });
    const double right = next == m_boxes.end() ? m_bounds.right : next->left() - apart;
    return std::max(std::min(line.right(), right) - line.left(), m_titleWidth + 2);
}

void BandItem::paintTexts(QPainter* painter, double x, const QString& title, const QString& nodes, const QStringList& lines, double top,
                          double bottom, const QColor& color) const
{
    if (title.isEmpty())
        return;
    constexpr double plateX = 4, plateY = 2;
    const BoxMetrics& metrics = m_style.metrics;
    const bool isSmall = QStyleOptionGraphicsItem::levelOfDetailFromTransform(painter->worldTransform()) < smallTextDetail;
    QStringList small = !isSmall ? lines : nodes.isEmpty() ? QStringList() : QStringList{nodes};
    QFont font = isSmall ? largeTitle(metrics) : metrics.title, smallFont = isSmall ? largeSmall(metrics) : metrics.small;
    double titleHeight = isSmall ? metrics.titleHeight * largerName : metrics.titleHeight;
    const double smallHeight = isSmall ? metrics.smallHeight * BoxMetrics::largerSmall : metrics.smallHeight;
    const auto heightOfAll = [&] { return titleHeight + smallHeight * static_cast<double>(small.size()); };
    const auto widest = [&] {
        double width = QFontMetricsF(font).horizontalAdvance(title);
        for (const QString& text : small)
            width = std::max(width, QFontMetricsF(smallFont).horizontalAdvance(text));
        return std::ceil(width) + 1;
    };
    double y = std::min((top + bottom - heightOfAll()) / 2, top + 2 * BoxMetrics::padding);  // in tall bands at the top
    const bool isOverPicture = x > boundingRect().left() + margin, isOfStrip = top == m_band.bottom;
    const auto plate = [&] {
        return QRectF(x - plateX, y - plateY, roomFor({x, y, widest(), heightOfAll()}) + 2 * plateX, heightOfAll() + 2 * plateY);
    };
    // Above the tensors of a cut there is room for one line that leaves them free.
    if (isOverPicture && isOfStrip && std::ranges::any_of(m_boxes, [&](const QRectF& box) { return box.intersects(plate()); })) {
        small.clear();
        font = smallFont;
        titleHeight = smallHeight;
        y = top + plateY;
    }
    QRectF line(x, y, roomFor({x, y, widest(), heightOfAll()}), titleHeight);
    if (isOverPicture) {
        painter->setPen(QPen(m_style.colors.bandLine, 0.8));
        painter->setBrush(m_style.colors.band);
        painter->drawRoundedRect(QRectF(x - plateX, y - plateY, std::min(widest(), line.width()) + 2 * plateX, heightOfAll() + 2 * plateY), 4, 4);
    }
    drawText(painter, font, color, line, title);
    line.moveTop(line.bottom());
    line.setHeight(smallHeight);
    for (const QString& text : small) {
        drawText(painter, smallFont, m_style.colors.muted, line, text);
        line.moveTop(line.bottom());
    }
}

}  // namespace cleave::views
