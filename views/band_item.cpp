#include "views/band_item.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QStyleOptionGraphicsItem>
#include <algorithm>
#include <cmath>
#include <utility>

#include "views/item_painting.h"

namespace cleave::views {

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
