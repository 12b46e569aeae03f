#pragma once

#include <QWidget>
#include <optional>

#include "core/graph/degrees.h"

namespace cleave::views {

/// How many nodes have which in-degree: a bar for each doubling. Hidden without a graph.
class DegreeChart : public QWidget {
    Q_OBJECT

public:
    explicit DegreeChart(QWidget* parent = nullptr);

    void setDegrees(const std::optional<DegreeSummary>& degrees);
    QRectF bar(std::size_t bin) const;  ///< of DegreeSummary::histogram

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {80, sizeHint().height()}; }

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    QRectF area() const;

    DegreeSummary m_degrees;
};

}  // namespace cleave::views
