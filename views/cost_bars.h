#pragma once

#include <QWidget>
#include <array>
#include <vector>

namespace cleave::views {

/// Horizontal bars of seconds on one scale. Transfers are those to and from a device that nothing else hides. What is done for all
/// nodes and edges of blocks is hatched, what is done once for each node is not.
class CostBars : public QWidget {
    Q_OBJECT

public:
    enum Part : std::uint8_t { Prepare, Transfer, ReadBlocks, ReadNodes, ComputeBlocks, ComputeNodes, Write };
    static constexpr std::size_t parts = 7;

    struct Bar {
        QString name;
        std::array<double, parts> seconds{};
        QString text;           ///< behind the bar
        QString details;        ///< a line of its tooltip
        bool isMarked = false;  ///< the one that the others are compared with

        double total() const;
    };

    explicit CostBars(QWidget* parent = nullptr);

    void setBars(std::vector<Bar> bars);
    void setLegendShown(bool shown) { m_hasLegend = shown; }
    const std::vector<Bar>& bars() const { return m_bars; }
    double scale() const;  ///< seconds of the longest bar; those beside a marked one that take far more are broken off there

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;

    static QString partName(Part part);

Q_SIGNALS:
    void activated(int bar);  ///< by a double click

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    bool event(QEvent* event) override;

private:
    int rowHeight() const;
    int barAt(const QPoint& position) const;
    int legendRows(int width, QPainter* painter, int top) const;  ///< also painted, if there is a painter
    QColor color(Part part) const;
    void fill(QPainter& painter, const QRectF& area, Part part) const;
    void paintBreak(QPainter& painter, const QRectF& bar) const;

    std::vector<Bar> m_bars;
    bool m_hasLegend = true;
};

}  // namespace cleave::views
