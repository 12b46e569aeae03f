#include "views/legend.h"

#include <QPainter>
#include <algorithm>

namespace cleave::views {

namespace {

constexpr int mostSwatches = 7;
constexpr double sign = 15;
constexpr double gap = 6;
constexpr double space = 18;
constexpr double cutLength = 26;

// Draws from left to right.
class Line {
public:
    Line(QPainter& painter, const GraphColors& colors, const QSizeF& size)
        : m_painter(painter), m_colors(colors), m_right(size.width() - gap), m_middle(size.height() / 2)
    {
    }

    void text(const QString& text, double after)
    {
        const double width = m_painter.fontMetrics().horizontalAdvance(text);
        m_painter.setPen(m_colors.muted);
        m_painter.drawText(QRectF(m_x, 0, width + 1, 2 * m_middle), Qt::AlignLeft | Qt::AlignVCenter, text);
        m_x += width + after;
    }

    void swatch(const QColor& fill, const QString& label)
    {
        const QRectF area = place(std::max(18.0, m_painter.fontMetrics().horizontalAdvance(label) + 8.0));
        m_painter.fillRect(area, fill);
        m_painter.setPen(GraphColors::textOn(fill));
        m_painter.drawText(area, Qt::AlignCenter, label);
        m_x += 2;
    }

    void outline(RowsClass rows, const QString& meaning)
    {
        if (!fits(1.5 * sign, meaning))
            return;
        m_painter.setPen(outlinePen(m_colors, rows));
        m_painter.setBrush(Qt::NoBrush);
        const double radius = std::min(outlineRadius(rows), 5.0);
        m_painter.drawRoundedRect(place(1.5 * sign), radius, radius);
        m_x += gap;
        text(meaning, space);
    }

    void badge(const QString& meaning)
    {
        if (!fits(1.5 * sign, meaning))
            return;
        m_painter.setPen(QPen(m_colors.structure, 0.8));
        m_painter.setBrush(m_colors.badge);
        m_painter.drawRoundedRect(place(1.5 * sign), 4, 4);
        m_x += gap;
        text(meaning, space);
    }

    void cut(const QString& meaning)
    {
        if (!fits(cutLength, meaning))
            return;
        QPen pen(m_colors.cut, 1.6);
        pen.setDashPattern({6, 4});
        m_painter.setPen(pen);
        m_painter.drawLine(QPointF(m_x, m_middle), QPointF(m_x + cutLength, m_middle));
        m_x += cutLength + gap;
        text(meaning, space);
    }

    void skip(double width) { m_x += width; }

private:
    // A sign that does not fit is left out with its meaning.
    bool fits(double width, const QString& meaning) const
    {
        return m_x + width + gap + m_painter.fontMetrics().horizontalAdvance(meaning) < m_right;
    }

    QRectF place(double width)
    {
        const QRectF area(m_x, m_middle - sign / 2, width, sign);
        m_x += width;
        return area;
    }

    QPainter& m_painter;
    const GraphColors& m_colors;
    double m_right, m_middle;
    double m_x = 12;
};

}  // namespace

Legend::Legend(QWidget* parent) : QWidget(parent)
{
    setAccessibleName(tr("Legend"));
    setAccessibleDescription(tr("Colours show the message degree, outlines what rows a box works on: V nodes round and blue, M edges dotted, G what is there once for the graph dashed."));
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Window);
}

void Legend::setLevels(int levels, bool showsGraph)
{
    m_levels = levels;
    m_showsGraph = showsGraph;
    m_isStaged = false;
    update();
}

void Legend::setStages(int last)
{
    setLevels(last, false);
    m_isStaged = true;
}

QSize Legend::sizeHint() const
{
    return {600, fontMetrics().height() + 14};
}

QSize Legend::minimumSizeHint() const
{
    return {0, sizeHint().height()};
}

void Legend::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const GraphColors colors(palette());
    QFont font = this->font();
    font.setPointSizeF(font.pointSizeF() * 0.9);
    painter.setFont(font);
    Line line(painter, colors, size());
    line.text(m_isStaged ? tr("Stage") : tr("Message degree"), gap);
    const int step = std::max(1, (m_levels + mostSwatches) / mostSwatches);
    for (int level = 0; level <= m_levels; level += step)
        line.swatch(colors.level(level, m_levels), QString::number(level));
    line.skip(space);
    if (m_isStaged) {
        line.cut(tr("cut"));
        return;
    }
    line.outline(RowsClass::Nodes, tr("V: node rows"));
    line.outline(RowsClass::Edges, tr("M: edge rows"));
    if (m_showsGraph)
        line.outline(RowsClass::Graph, tr("G: once for the graph"));
    line.outline(RowsClass::Mixed, tr("both"));
    line.outline(RowsClass::Structure, tr("structure"));
    line.badge(tr("reads structure"));
    line.cut(tr("cut"));
}

}  // namespace cleave::views
