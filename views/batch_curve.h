#pragma once

#include <QWidget>
#include <optional>
#include <vector>

#include "views/plan_costs.h"

namespace cleave::views {

/// Seconds of a plan over the size of its batches, each twice the one before, and the size that is used now. A click chooses a size.
class BatchCurve : public QWidget {
    Q_OBJECT

public:
    explicit BatchCurve(QWidget* parent = nullptr);

    void setPoints(std::vector<PlanCosts::Point> points, std::int64_t batchSize);  ///< batchSize 0: not known
    const std::vector<PlanCosts::Point>& points() const { return m_points; }
    QPointF place(std::size_t point) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

Q_SIGNALS:
    void chosen(std::int64_t batchSize);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    bool event(QEvent* event) override;

private:
    QString mostText() const;
    QRectF area() const;
    double x(double batchSize) const;
    double nowX() const;
    QString nowText() const;
    QRectF nowRect(const QRectF& below) const;
    std::optional<std::size_t> pointAt(const QPointF& position) const;
    QString text(const PlanCosts::Point& point) const;

    std::vector<PlanCosts::Point> m_points;
    std::int64_t m_batchSize = 0;
};

}  // namespace cleave::views
