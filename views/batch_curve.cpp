#include "views/batch_curve.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QStyle>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "views/accessible.h"
#include "views/text.h"

namespace cleave::views {

namespace {

constexpr double curveMargin = 10, curveGap = 6, pointRadius = 3.5;

}  // namespace

BatchCurve::BatchCurve(QWidget* parent) : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleRole(*this, QAccessible::Chart);
    setAccessibleName(tr("Cost over batch size"));
}

void BatchCurve::setPoints(std::vector<PlanCosts::Point> points, std::int64_t batchSize)
{
    m_points = std::move(points);
    m_batchSize = batchSize;
    QStringList lines;
    for (const PlanCosts::Point& point : m_points)
        lines.append(text(point));
    setAccessibleDescription(lines.join(QStringLiteral("; ")));
    setVisible(m_points.size() > 1);
    updateGeometry();
    update();
}

QString BatchCurve::text(const PlanCosts::Point& point) const
{
    return tr("batches of %1: %2, at most %3 of memory")
        .arg(countText(point.batchSize), secondsText(point.seconds), bytesText(point.peakBytes));
}

QSize BatchCurve::sizeHint() const
{
    return {260, 13 * fontMetrics().height() / 2};
}

// The uppermost number beside the curve; the lowest is 0.
QString BatchCurve::mostText() const
{
    return secondsText(std::ranges::max(m_points, {}, &PlanCosts::Point::seconds).seconds);
}

// Inside the axes: their texts are above, at the left, and below.
QRectF BatchCurve::area() const
{
    const double line = fontMetrics().height(), numbers = fontMetrics().horizontalAdvance(mostText()) + curveGap;
    return QRectF(rect()).adjusted(curveMargin + numbers + pointRadius, 1.5 * line + curveGap, -curveMargin - pointRadius, -line - curveGap);
}

double BatchCurve::x(double batchSize) const
{
    // The present size has a place of its own, also where no point is near.
    const std::int64_t first = m_points.front().batchSize, last = m_points.back().batchSize, now = m_batchSize > 0 ? m_batchSize : first;
    const double least = std::log2(static_cast<double>(std::min(first, now))), most = std::log2(static_cast<double>(std::max(last, now)));
    return area().left() + (std::log2(batchSize) - least) / std::max(1e-9, most - least) * area().width();
}

double BatchCurve::nowX() const
{
    return x(static_cast<double>(m_batchSize));
}

QString BatchCurve::nowText() const
{
    return tr("now %1").arg(countText(m_batchSize));
}

// Below its line, as far as that is possible; empty if there is no present size.
QRectF BatchCurve::nowRect(const QRectF& below) const
{
    if (m_batchSize <= 0)
        return {};
    const double width = fontMetrics().horizontalAdvance(nowText()) + 1;
    return {std::clamp(nowX() - width / 2, below.left(), std::max(below.left(), below.right() - width)), below.top(), width, below.height()};
}

QPointF BatchCurve::place(std::size_t point) const
{
    const double most = std::ranges::max(m_points, {}, &PlanCosts::Point::seconds).seconds;
    return {x(static_cast<double>(m_points[point].batchSize)), area().bottom() - m_points[point].seconds / std::max(1e-12, most) * area().height()};
}

std::optional<std::size_t> BatchCurve::pointAt(const QPointF& position) const
{
    if (m_points.size() < 2)
        return {};
    std::size_t nearest = 0;
    for (std::size_t i = 1; i < m_points.size(); ++i)
        if (std::abs(place(i).x() - position.x()) < std::abs(place(nearest).x() - position.x()))
            nearest = i;
    return nearest;
}

void BatchCurve::paintEvent(QPaintEvent*)
{
    if (m_points.size() < 2)
        return;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF inside = area();
    const QColor muted = palette().color(QPalette::PlaceholderText);
    painter.setPen(muted);
    painter.drawLine(inside.bottomLeft(), inside.bottomRight());
    const double line = fontMetrics().height(), ends = inside.left() - pointRadius;
    const QRectF beside(curveMargin, inside.top() - line / 2, ends - curveGap - curveMargin, line);
    painter.drawText(beside, Qt::AlignRight | Qt::AlignVCenter, mostText());
    painter.drawText(beside.translated(0, inside.height()), Qt::AlignRight | Qt::AlignVCenter, QStringLiteral("0"));
    const QRectF below(ends, inside.bottom() + curveGap / 2, width() - curveMargin - ends, line);
    const QRectF now = nowRect(below);
    for (const auto& [alignment, size] : {std::pair(Qt::AlignLeft, m_points.front().batchSize), std::pair(Qt::AlignRight, m_points.back().batchSize)})
        if (const QRectF end = QStyle::alignedRect(layoutDirection(), alignment, fontMetrics().size(0, countText(size)), below.toRect());
            !now.adjusted(-curveGap, 0, curveGap, 0).intersects(end))
            painter.drawText(below, alignment, countText(size));
    if (m_batchSize > 0) {
        const double at = nowX();
        painter.setPen(QPen(palette().color(QPalette::Highlight), 1.5, Qt::DashLine));
        painter.drawLine(QPointF(at, inside.top() - curveGap), QPointF(at, inside.bottom()));
        painter.drawText(now, Qt::AlignCenter, nowText());
    }
    QPolygonF curve;
    for (std::size_t i = 0; i < m_points.size(); ++i)
        curve << place(i);
    painter.setPen(QPen(palette().color(QPalette::WindowText), 1.5));
    painter.drawPolyline(curve);
    painter.setBrush(palette().color(QPalette::WindowText));
    painter.setPen(Qt::NoPen);
    for (const QPointF& point : curve)
        painter.drawEllipse(point, pointRadius, pointRadius);
    const auto best = static_cast<std::size_t>(std::ranges::min_element(m_points, {}, &PlanCosts::Point::seconds) - m_points.begin());
    const QRectF above(curveMargin, 0, width() - 2 * curveMargin, fontMetrics().height());
    const QString least = tr("least %1 at %2").arg(secondsText(m_points[best].seconds), countText(m_points[best].batchSize));
    painter.setPen(palette().color(QPalette::WindowText));
    painter.drawText(above, Qt::AlignRight, least);
    painter.setPen(muted);
    const int room = static_cast<int>(above.width()) - fontMetrics().horizontalAdvance(least) - 10;
    painter.drawText(above, Qt::AlignLeft, fontMetrics().elidedText(tr("Batch sizes"), Qt::ElideRight, room));
}

void BatchCurve::mouseReleaseEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton)
        if (const auto point = pointAt(event->position()))
            Q_EMIT chosen(m_points[*point].batchSize);
}

bool BatchCurve::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    if (const auto point = pointAt(help->pos()))
        QToolTip::showText(help->globalPos(), text(m_points[*point]) + u'\n' + tr("Click to run in batches of this size"), this);
    return true;
}

}  // namespace cleave::views
