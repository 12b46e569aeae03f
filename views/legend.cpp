#include "views/legend.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "core/plan/cut.h"
#include "views/accessible.h"
#include "views/document.h"
#include "views/viewed_graph.h"

namespace cleave::views {

namespace {

constexpr int mostSwatches = 7;
constexpr double gap = 5;
constexpr double signGap = 8;
constexpr double cutLength = 20;

// Signs and their meanings from left to right, in as many rows as they need. Without a painter they are only counted.
class Line {
public:
    Line(QPainter* painter, const QFont& font, const GraphColors& colors, int width, double rowHeight)
        : m_painter(painter),
          m_metrics(font),
          m_colors(colors),
          m_right(width - gap),
          m_rowHeight(rowHeight),
          m_sign(std::max(13.0, m_metrics.height() - 2))
    {
    }

    int rows() const { return m_row + 1; }

    void text(const QString& text, double after)
    {
        const double width = m_metrics.horizontalAdvance(text);
        if (m_painter != nullptr) {
            m_painter->setPen(m_colors.muted);
            m_painter->drawText(QRectF(m_x, m_row * m_rowHeight, width + 1, m_rowHeight), Qt::AlignLeft | Qt::AlignVCenter, text);
        }
        m_x += width + after;
    }

    void swatch(const QColor& fill, const QString& label)
    {
        const double width = std::max(1.4 * m_sign, m_metrics.horizontalAdvance(label) + 8.0);
        nextRowFor(width);
        const QRectF area = place(width);
        m_x += 2;
        if (m_painter == nullptr)
            return;
        m_painter->fillRect(area, fill);
        m_painter->setPen(GraphColors::textOn(fill));
        m_painter->drawText(area, Qt::AlignCenter, label);
    }

    void outline(RowsClass rows, const QString& meaning)
    {
        const QRectF area = begin(1.5 * m_sign, meaning);
        if (m_painter != nullptr) {
            m_painter->setPen(outlinePen(m_colors, rows));
            m_painter->setBrush(Qt::NoBrush);
            const double radius = std::min(outlineRadius(rows), 5.0);
            m_painter->drawRoundedRect(area, radius, radius);
        }
        text(meaning, signGap);
    }

    void badge(const QString& meaning)
    {
        const QRectF area = begin(1.5 * m_sign, meaning);
        if (m_painter != nullptr) {
            m_painter->setPen(QPen(m_colors.structure, 0.8));
            m_painter->setBrush(m_colors.badge);
            m_painter->drawRoundedRect(area, 4, 4);
        }
        text(meaning, signGap);
    }

    void pill(QPen pen, const QString& meaning)
    {
        const QRectF area = begin(2 * m_sign, meaning).adjusted(0, m_sign * 0.1, 0, -m_sign * 0.1);
        if (m_painter != nullptr) {
            pen.setWidthF(1.2);
            pen.setDashPattern({5, 3});
            m_painter->setPen(pen);
            m_painter->setBrush(Qt::NoBrush);
            m_painter->drawRoundedRect(area, area.height() / 2, area.height() / 2);
        }
        text(meaning, signGap);
    }

    void cut(const QString& meaning)
    {
        const QRectF area = begin(cutLength, meaning);
        if (m_painter != nullptr) {
            QPen pen(m_colors.cut, 1.6);
            pen.setDashPattern({6, 4});
            m_painter->setPen(pen);
            m_painter->drawLine(QPointF(area.left(), area.center().y()), QPointF(area.right(), area.center().y()));
        }
        text(meaning, signGap);
    }

    void around(const QPen& pen, const QString& meaning)
    {
        const QRectF area = begin(1.5 * m_sign, meaning);
        if (m_painter != nullptr) {
            m_painter->setPen(pen);
            m_painter->setBrush(Qt::NoBrush);
            m_painter->drawRoundedRect(area, 4, 4);
        }
        text(meaning, signGap);
    }

    void skip(double width) { m_x += width; }

private:
    static constexpr double left = 12;

    // A sign that has room for its meaning behind it, in the next row if need be.
    QRectF begin(double width, const QString& meaning)
    {
        nextRowFor(width + gap + m_metrics.horizontalAdvance(meaning));
        const QRectF area = place(width);
        m_x += gap;
        return area;
    }

    void nextRowFor(double width)
    {
        if (m_x <= left || m_x + width < m_right)
            return;
        ++m_row;
        m_x = left;
    }

    QRectF place(double width)
    {
        const QRectF area(m_x, (m_row + 0.5) * m_rowHeight - m_sign / 2, width, m_sign);
        m_x += width;
        return area;
    }

    QPainter* m_painter;
    QFontMetricsF m_metrics;
    const GraphColors& m_colors;
    double m_right, m_rowHeight;
    double m_sign;  // height
    double m_x = left;
    int m_row = 0;
};

}  // namespace

Legend::Legend(QWidget* parent) : QWidget(parent)
{
    setAccessibleRole(*this, QAccessible::Graphic);
    setAccessibleName(tr("Legend"));
    setAccessibleDescription(tr(
        "Colours show the message degree, outlines what rows a box works on: V nodes round and blue, M edges dotted, G what is there once for the graph dashed."));
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Window);
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Minimum);  // Fixed ones do not grow with the rows
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

void Legend::setLevels(int levels, bool showsGraph)
{
    m_levels = levels;
    m_showsGraph = showsGraph;
    m_isStaged = false;
    updateGeometry();
    update();
}

void Legend::setStages(int last)
{
    setLevels(last, false);
    m_isStaged = true;
    updateGeometry();
}

void Legend::showDocument(const Document& document)
{
    if (const auto& model = document.model())
        setLevels(model->analysis->degreeOf(model->analysis->levels), !barriers(*model->analysis).empty());
    else if (const auto& viewed = document.viewed())
        setStages(viewed->stages());
    const PlanEditor& editor = document.planEditor();
    setOther(editor.other() ? editor.other()->name : QString());
}

void Legend::setOther(const QString& name)
{
    if (m_other == name)
        return;
    m_other = name;
    updateGeometry();
    update();
}

QSize Legend::sizeHint() const
{
    return {600, heightForWidth(600)};
}

QSize Legend::minimumSizeHint() const
{
    return {0, static_cast<int>(rowHeight())};
}

double Legend::rowHeight() const { return fontMetrics().height() + 14; }

int Legend::heightForWidth(int width) const
{
    return static_cast<int>(lay(nullptr, width) * rowHeight());
}

void Legend::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    paintOn(painter, width());
}

void Legend::paintOn(QPainter& painter, int width) const
{
    lay(&painter, width);
}

int Legend::lay(QPainter* painter, int width) const
{
    const GraphColors colors(palette());
    QFont font = this->font();
    font.setPointSizeF(font.pointSizeF() * 0.9);
    if (painter != nullptr)
        painter->setFont(font);
    Line line(painter, font, colors, width, rowHeight());
    line.text(m_isStaged ? tr("Stage") : tr("Message degree"), gap);
    const int last = std::min(m_levels + 1, mostSwatches) - 1;  // of the swatches: that of the highest level
    for (int i = 0; i <= last; ++i) {
        const int level = last > 0 ? static_cast<int>(std::lround(static_cast<double>(i) * m_levels / last)) : 0;
        line.swatch(colors.level(level, m_levels), QString::number(level));
    }
    line.skip(signGap);
    if (!m_isStaged) {
        line.outline(RowsClass::Nodes, tr("V: node rows"));
        line.outline(RowsClass::Edges, tr("M: edge rows"));
        if (m_showsGraph)
            line.outline(RowsClass::Graph, tr("G: once for the graph"));
        line.outline(RowsClass::Mixed, tr("both"));
        line.outline(RowsClass::Structure, tr("structure"));
        line.badge(tr("reads structure"));
        line.pill(outlinePen(colors, RowsClass::Nodes), tr("from further above"));
    }
    line.cut(tr("cut"));
    if (!m_isStaged)  // moved or not: the picture does not jump under the mouse for a row more of this
        line.around(QPen(colors.cut, 1.6), tr("moved by the plan"));
    if (!m_other.isEmpty())
        line.around(QPen(colors.selection, 1.6, Qt::DashLine), tr("moved by %1").arg(m_other));
    return line.rows();
}

}  // namespace cleave::views
