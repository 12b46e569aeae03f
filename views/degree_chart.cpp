#include "views/degree_chart.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>

#include "views/accessible.h"
#include "views/description.h"
#include "views/text.h"

namespace cleave::views {

namespace {

constexpr double chartMargin = 10, chartGap = 4, binGap = 2, leastHeight = 1.5;

}  // namespace

DegreeChart::DegreeChart(QWidget* parent) : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleRole(*this, QAccessible::Chart);
    setAccessibleName(tr("Nodes by in-degree"));
    hide();
}

void DegreeChart::setDegrees(const std::optional<DegreeSummary>& degrees)
{
    m_degrees = degrees.value_or(DegreeSummary());
    setAccessibleDescription(degreeTexts(m_degrees).join(QStringLiteral("; ")));
    setVisible(!m_degrees.histogram.empty());
    update();
}

QSize DegreeChart::sizeHint() const { return {260, static_cast<int>(5.5 * fontMetrics().height())}; }

// Of the bars: their title is above, degrees are below.
QRectF DegreeChart::area() const
{
    const double line = fontMetrics().height();
    return QRectF(rect()).adjusted(chartMargin, line + 2 * chartGap, -chartMargin, -line - chartGap);
}

QRectF DegreeChart::bar(std::size_t bin) const
{
    const QRectF inside = area();
    const std::int64_t nodes = m_degrees.histogram[bin];
    const double width = inside.width() / static_cast<double>(m_degrees.histogram.size());
    const double share = static_cast<double>(nodes) / static_cast<double>(std::max<std::int64_t>(1, std::ranges::max(m_degrees.histogram)));
    const double height = nodes == 0 ? 0 : std::max(leastHeight, share * inside.height());
    return {inside.left() + static_cast<double>(bin) * width + binGap / 2, inside.bottom() - height, width - binGap, height};
}

void DegreeChart::paintEvent(QPaintEvent*)
{
    if (m_degrees.histogram.empty())
        return;
    QPainter painter(this);
    const QRectF inside = area();
    const QColor muted = palette().color(QPalette::PlaceholderText);
    painter.setPen(muted);
    painter.drawText(QRectF(chartMargin, 0, width() - 2 * chartMargin, inside.top()), Qt::AlignLeft | Qt::AlignVCenter,
                     fontMetrics().elidedText(accessibleName(), Qt::ElideRight, static_cast<int>(inside.width())));
    painter.drawLine(inside.bottomLeft(), inside.bottomRight());
    double taken = inside.left();  // by the numbers so far
    for (std::size_t bin = 0; bin < m_degrees.histogram.size(); ++bin) {
        const QRectF bar = this->bar(bin);
        painter.fillRect(bar, palette().color(QPalette::Highlight));
        const QString from = countText(bin == 0 ? 0 : std::int64_t{1} << (bin - 1));
        const double width = fontMetrics().horizontalAdvance(from);
        if (const double x = bar.center().x() - width / 2; x >= taken && x + width <= this->width()) {
            painter.drawText(QPointF(x, inside.bottom() + chartGap / 2 + fontMetrics().ascent()), from);
            taken = x + width + 2 * chartGap;
        }
    }
}

bool DegreeChart::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip || m_degrees.histogram.empty())
        return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const auto bins = static_cast<double>(m_degrees.histogram.size());
    const auto bin = static_cast<qsizetype>(std::clamp((help->pos().x() - area().left()) / area().width() * bins, 0.0, bins - 1));
    QToolTip::showText(help->globalPos(), degreeTexts(m_degrees)[bin], this);
    return true;
}

}  // namespace cleave::views
