#include "views/ruler.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>

#include "views/accessible.h"
#include "views/inspection.h"
#include "views/theme.h"

namespace cleave::views {

Ruler::Ruler(GraphView& view, QWidget* parent) : QWidget(parent), m_view(view)
{
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Expanding);
    setAccessibleRole(*this, QAccessible::Graphic);
    setAccessibleName(tr("Bands of the model"));
    setCursor(Qt::PointingHandCursor);
    const auto repaint = [this] { update(); };
    connect(&view, &GraphView::pictureChanged, this, repaint);
    connect(view.verticalScrollBar(), &QScrollBar::valueChanged, this, repaint);
    connect(view.verticalScrollBar(), &QScrollBar::rangeChanged, this, repaint);
}

double Ruler::toStrip(double sceneY) const
{
    const QRectF scene = m_view.sceneRect();
    return (sceneY - scene.top()) / scene.height() * height();
}

double Ruler::toScene(double stripY) const
{
    const QRectF scene = m_view.sceneRect();
    return scene.top() + stripY / height() * scene.height();
}

void Ruler::paintEvent(QPaintEvent*)
{
    const GraphPicture* picture = m_view.picture();
    if (picture == nullptr)
        return;
    QPainter painter(this);
    const GraphColors colors(palette());
    painter.fillRect(rect(), colors.background);
    const int levels = picture->model->analysis->degreeOf(picture->model->analysis->levels);
    constexpr double inset = 5, apart = 4;  // closer lines would hide the bands
    double last = -apart;
    for (std::size_t i = 0; i < picture->dag.bands.size(); ++i) {
        const LayoutBand& band = picture->layout.bands[i];
        const QRectF area(inset, toStrip(band.top), width() - 2 * inset, std::max(1.0, toStrip(band.bottom) - toStrip(band.top)));
        painter.fillRect(area, colors.level(picture->dag.bands[i].level, levels));
        if (i == 0 || i + 1 == picture->dag.bands.size())
            continue;
        const double cut = toStrip((band.bottom + band.stripBottom) / 2);
        if (cut - last < apart || m_view.isJoined(picture->dag.bands[i].place))
            continue;
        last = cut;
        painter.setPen(QPen(colors.cut, 1.6));
        painter.drawLine(QPointF(0, cut), QPointF(width(), cut));
    }
    const QRectF seen = m_view.mapToScene(m_view.viewport()->rect()).boundingRect();
    const double top = std::max(0.0, toStrip(seen.top())), bottom = std::min<double>(height(), toStrip(seen.bottom()));
    QColor fill = colors.selection;
    fill.setAlphaF(0.18F);
    painter.setPen(QPen(colors.selection, 1.6));
    painter.setBrush(fill);
    painter.drawRect(QRectF(1, top + 1, width() - 2, std::max(6.0, bottom - top - 2)));
}

void Ruler::go(double y)
{
    const QPointF centre = m_view.mapToScene(m_view.viewport()->rect().center());
    m_view.lookAt(QPointF(centre.x(), toScene(y)));
}

bool Ruler::event(QEvent* event)
{
    const GraphPicture* picture = m_view.picture();
    if (event->type() != QEvent::ToolTip || picture == nullptr)
        return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    for (std::size_t i = 0; i < picture->dag.bands.size(); ++i)
        if (toScene(help->pos().y()) < picture->layout.bands[i].stripBottom) {
            QToolTip::showText(help->globalPos(), bandTitle(picture->dag.bands[i]), this);
            break;
        }
    return true;
}

}  // namespace cleave::views
