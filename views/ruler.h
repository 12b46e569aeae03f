#pragma once

#include <QMouseEvent>
#include <QWidget>

#include "views/graph_view.h"

namespace cleave::views {

/// A strip beside the graph view, from its first band to its last: bands in the colour of their message degree, cuts, and the part that is in view. A
/// click or a drag goes there. Pictures of models are long and narrow, so this takes the place of a map.
class Ruler : public QWidget {
    Q_OBJECT

public:
    explicit Ruler(GraphView& view, QWidget* parent = nullptr);

    QSize sizeHint() const override { return {26, 100}; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override { go(event->position().y()); }
    void mouseMoveEvent(QMouseEvent* event) override { go(event->position().y()); }
    bool event(QEvent* event) override;

private:
    double toStrip(double sceneY) const;
    double toScene(double stripY) const;
    void go(double y);

    GraphView& m_view;
};

}  // namespace cleave::views
