#include "views/cost_bars.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <numeric>

#include "views/accessible.h"
#include "views/text.h"

namespace cleave::views {

namespace {

constexpr int barMargin = 10, barGap = 8;

}  // namespace

double CostBars::Bar::total() const { return std::accumulate(seconds.begin(), seconds.end(), 0.0); }

CostBars::CostBars(QWidget* parent) : QWidget(parent)
{
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    setAccessibleRole(*this, QAccessible::Chart);
}

void CostBars::setBars(std::vector<Bar> bars)
{
    m_bars = std::move(bars);
    QStringList lines;
    for (const Bar& bar : m_bars)
        lines.append(QStringLiteral("%1: %2").arg(bar.name, bar.text));
    setAccessibleDescription(lines.join(QStringLiteral("; ")));
    updateGeometry();
    update();
}

QString CostBars::partName(Part part)
{
    switch (part) {
    case Prepare: return tr("blocks");
    case Transfer: return tr("over the bus");
    case ReadBlocks: return tr("read for rows of blocks");
    case ReadNodes: return tr("read for own rows");
    case ComputeBlocks: return tr("compute for rows of blocks");
    case ComputeNodes: return tr("compute for own rows");
    default: return tr("write");
    }
}

// Okabe and Ito's colours, which people with any colour vision tell apart.
QColor CostBars::color(Part part) const
{
    const bool dark = palette().color(QPalette::Base).lightness() < 128;
    switch (part) {
    case Prepare: return dark ? QColor(0x9a, 0x9a, 0x9a) : QColor(0x80, 0x80, 0x80);
    case Transfer: return {0x00, 0x9e, 0x73};
    case ReadBlocks:
    case ReadNodes: return {0x56, 0xb4, 0xe9};
    case ComputeBlocks:
    case ComputeNodes: return {0xe6, 0x9f, 0x00};
    default: return {0xcc, 0x79, 0xa7};
    }
}

void CostBars::fill(QPainter& painter, const QRectF& area, Part part) const
{
    painter.fillRect(area, color(part));
    if (part == ReadBlocks || part == ComputeBlocks)
        painter.fillRect(area, QBrush(QColor(0, 0, 0, 110), Qt::BDiagPattern));
}

int CostBars::rowHeight() const { return fontMetrics().height() + 6; }

QSize CostBars::sizeHint() const { return {260, heightForWidth(260)}; }

int CostBars::heightForWidth(int width) const
{
    return m_bars.empty() ? 0 : rowHeight() * (static_cast<int>(m_bars.size()) + legendRows(width, nullptr, 0)) + barMargin;
}

int CostBars::barAt(const QPoint& position) const
{
    const int row = (position.y() - barMargin / 2) / rowHeight();
    return position.y() >= barMargin / 2 && row < static_cast<int>(m_bars.size()) ? row : -1;
}

void CostBars::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    int names = 0, texts = 0;
    for (const Bar& bar : m_bars) {
        names = std::max(names, fontMetrics().horizontalAdvance(bar.name));
        texts = std::max(texts, fontMetrics().horizontalAdvance(bar.text));
    }
    const double most = scale();
    const int left = barMargin + names + barGap, width = std::max(20, this->width() - left - texts - barGap - barMargin);
    int top = barMargin / 2;
    for (const Bar& bar : m_bars) {
        QFont font = this->font();
        font.setBold(bar.isMarked);
        painter.setFont(font);
        painter.setPen(palette().color(QPalette::WindowText));
        painter.drawText(QRect(barMargin, top, names + barGap, rowHeight()), Qt::AlignLeft | Qt::AlignVCenter, bar.name);
        double x = left;
        const double full = std::max(most, bar.total());
        for (std::size_t part = 0; part < parts && most > 0; ++part) {
            const double length = bar.seconds[part] / full * width;
            fill(painter, QRectF(x, top + 4, length, rowHeight() - 8), static_cast<Part>(part));
            x += length;
        }
        if (full > most)
            paintBreak(painter, QRectF(left, top + 4, width, rowHeight() - 8));
        painter.drawText(QRectF(x + barGap, top, texts + barMargin, rowHeight()), Qt::AlignLeft | Qt::AlignVCenter, bar.text);
        top += rowHeight();
    }
    if (m_bars.empty())
        return;
    painter.setFont(font());
    painter.setPen(palette().color(QPalette::PlaceholderText));
    legendRows(this->width(), &painter, top);
}

// Two slanted lines in the colour of the ground.
void CostBars::paintBreak(QPainter& painter, const QRectF& bar) const
{
    constexpr double apart = 4, slant = 4;
    const double x = bar.right() - bar.width() / 5;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(palette().color(QPalette::Window), 2));
    for (const double at : {x, x + apart})
        painter.drawLine(QPointF(at, bar.bottom() + 1), QPointF(at + slant, bar.top() - 1));
    painter.restore();
}

// By the one in the middle: one that takes far longer would leave nothing to see of the others.
double CostBars::scale() const
{
    constexpr double farMore = 10, around = 1.2;
    std::vector<double> totals;
    for (const Bar& bar : m_bars)
        totals.push_back(bar.total());
    std::ranges::sort(totals);
    if (totals.empty() || std::ranges::none_of(m_bars, &Bar::isMarked))
        return totals.empty() ? 0 : totals.back();
    const double most = farMore * totals[(totals.size() - 1) / 2];
    const auto beyond = std::ranges::upper_bound(totals, most);
    return beyond == totals.end() ? totals.back() : around * *std::prev(beyond);
}

int CostBars::legendRows(int width, QPainter* painter, int top) const
{
    if (!m_hasLegend)
        return 0;
    constexpr int sign = 10, space = 10;
    int x = barMargin, rows = 1;
    const bool hasTransfers = std::ranges::any_of(m_bars, [](const Bar& bar) { return bar.seconds[Transfer] > 0; });
    for (const auto& [part, name] :
         {std::pair(Prepare, partName(Prepare)), std::pair(Transfer, partName(Transfer)), std::pair(ReadNodes, tr("read")),
          std::pair(ComputeNodes, tr("compute")), std::pair(ComputeBlocks, tr("for rows of blocks")), std::pair(Write, partName(Write))}) {
        if (part == Transfer && !hasTransfers)
            continue;
        const int text = fontMetrics().horizontalAdvance(name) + 2, needed = sign + 4 + text + space;
        if (x > barMargin && x + needed - space > width - barMargin) {
            x = barMargin;
            ++rows;
        }
        if (painter != nullptr) {
            const int y = top + (rows - 1) * rowHeight();
            fill(*painter, QRectF(x, y + rowHeight() / 2 - sign / 2, sign, sign), part);
            painter->drawText(QRect(x + sign + 4, y, text, rowHeight()), Qt::AlignLeft | Qt::AlignVCenter, name);
        }
        x += needed;
    }
    return rows;
}

void CostBars::mouseDoubleClickEvent(QMouseEvent* event)
{
    if (const int bar = barAt(event->pos()); bar >= 0)
        Q_EMIT activated(bar);
}

bool CostBars::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const int bar = barAt(help->pos());
    if (bar < 0) {
        QToolTip::hideText();
        return true;
    }
    QStringList lines{m_bars[static_cast<std::size_t>(bar)].name};
    for (std::size_t part = 0; part < parts; ++part)
        if (part != Transfer || m_bars[static_cast<std::size_t>(bar)].seconds[part] > 0)
            lines.append(
                QStringLiteral("%1: %2").arg(partName(static_cast<Part>(part)), secondsText(m_bars[static_cast<std::size_t>(bar)].seconds[part])));
    lines.append(m_bars[static_cast<std::size_t>(bar)].details);
    QToolTip::showText(help->globalPos(), lines.join(u'\n'), this);
    return true;
}

}  // namespace cleave::views
