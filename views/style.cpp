#include "views/style.h"

#include <QPainter>
#include <QStyleFactory>
#include <QStyleOption>
#include <algorithm>

namespace cleave::views {

namespace {

QColor outline(const QStyleOption& option)
{
    QColor color = option.palette.color((option.state & QStyle::State_Enabled) ? QPalette::Active : QPalette::Disabled, QPalette::Text);
    const bool isBlack = option.palette.color(QPalette::Window).lightness() == 0;
    color.setAlphaF(isBlack ? 1.0F : 0.55F);
    return color;
}

bool isDark(const QStyleOption& option) { return option.palette.color(QPalette::Window).lightness() < 128; }

void drawOutline(const QStyleOption& option, const QRectF& rect, QPainter& painter, double radius = 2)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(outline(option), 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius);
    painter.restore();
}

void drawCheckBox(const QStyleOption& option, QPainter& painter)
{
    const bool isEnabled = (option.state & QStyle::State_Enabled) != 0;
    const QRectF box = QRectF(option.rect).adjusted(1.5, 1.5, -1.5, -1.5);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(outline(option), 1.2));
    painter.setBrush(option.palette.color(QPalette::Base));
    painter.drawRoundedRect(box, 2, 2);
    painter.setPen(QPen(option.palette.color(isEnabled ? QPalette::Active : QPalette::Disabled, QPalette::Text), box.width() / 6, Qt::SolidLine,
                        Qt::RoundCap, Qt::RoundJoin));
    const auto at = [&](double x, double y) { return QPointF(box.left() + x * box.width(), box.top() + y * box.height()); };
    if (option.state & QStyle::State_On)
        painter.drawPolyline(QPolygonF{at(0.22, 0.52), at(0.42, 0.74), at(0.78, 0.26)});
    else if (option.state & QStyle::State_NoChange)
        painter.drawLine(at(0.25, 0.5), at(0.75, 0.5));
    painter.restore();
}

// At the edge that its page is at.
void drawTabMark(const QStyleOptionTab& tab, QPainter& painter)
{
    constexpr int thickness = 3;
    QRect mark = tab.rect.adjusted(2, 1, -2, -1);
    if (tab.shape == QTabBar::RoundedSouth || tab.shape == QTabBar::TriangularSouth)
        mark.setHeight(thickness);
    else
        mark.setTop(mark.bottom() - thickness + 1);
    painter.fillRect(mark, tab.palette.color(QPalette::Highlight));
}

void drawSlider(const QStyleOptionSlider& option, const QRect& groove, const QRect& handle, QPainter& painter)
{
    constexpr int half = 2;
    const bool isHorizontal = option.orientation == Qt::Horizontal;
    const QRect line = isHorizontal ? QRect(groove.left(), groove.center().y() - half, groove.width(), 2 * half + 1)
                                    : QRect(groove.center().x() - half, groove.top(), 2 * half + 1, groove.height());
    painter.save();
    painter.setClipRegion(QRegion(option.rect) - handle);
    drawOutline(option, line, painter);
    painter.restore();
    drawOutline(option, handle, painter);
}

}  // namespace

Style::Style() : QProxyStyle(QStyleFactory::create(QStringLiteral("Fusion"))) {}

// Room for an outline of menus.
int Style::pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const
{
    const int pixels = QProxyStyle::pixelMetric(metric, option, widget);
    return metric == PM_MenuPanelWidth ? std::max(1, pixels) : pixels;
}

void Style::drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter, const QWidget* widget) const
{
    if (element == PE_IndicatorCheckBox || element == PE_IndicatorItemViewItemCheck) {
        drawCheckBox(*option, *painter);
        return;
    }
    QProxyStyle::drawPrimitive(element, option, painter, widget);
    if (!isDark(*option))
        return;
    const bool isFocusShown = (option->state & State_HasFocus) != 0;
    const bool isFlat = (option->state & State_AutoRaise) && !(option->state & (State_MouseOver | State_On | State_Sunken));
    if ((element == PE_FrameLineEdit && !isFocusShown) || element == PE_PanelButtonCommand || element == PE_FrameMenu ||
        element == PE_FrameGroupBox || (element == PE_PanelButtonTool && !isFlat))
        drawOutline(*option, option->rect, *painter);
}

// Titles of docks are as large as the other texts, whatever the desktop has for them.
void Style::drawControl(ControlElement element, const QStyleOption* option, QPainter* painter, const QWidget* widget) const
{
    if (element == CE_DockWidgetTitle && widget != nullptr)
        painter->setFont(widget->font());
    QProxyStyle::drawControl(element, option, painter, widget);
    if (!isDark(*option))
        return;
    if (element == CE_TabBarTabShape || element == CE_ProgressBarGroove || element == CE_HeaderSection)
        drawOutline(*option, option->rect, *painter, element == CE_HeaderSection ? 0 : 2);
    if (const auto* tab = qstyleoption_cast<const QStyleOptionTab*>(option); tab && element == CE_TabBarTabShape && (tab->state & State_Selected))
        drawTabMark(*tab, *painter);
    if (const auto* item = qstyleoption_cast<const QStyleOptionMenuItem*>(option);
        item && element == CE_MenuItem && item->menuItemType == QStyleOptionMenuItem::Separator) {
        const int y = item->rect.center().y();
        painter->fillRect(QRect(item->rect.left() + 4, y, item->rect.width() - 8, 1), outline(*option));
    }
}

void Style::drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter, const QWidget* widget) const
{
    QProxyStyle::drawComplexControl(control, option, painter, widget);
    if (!isDark(*option))
        return;
    if (control == CC_ScrollBar)
        drawOutline(*option, proxy()->subControlRect(control, option, SC_ScrollBarSlider, widget), *painter);
    else if (control == CC_Slider)
        drawSlider(*qstyleoption_cast<const QStyleOptionSlider*>(option), proxy()->subControlRect(control, option, SC_SliderGroove, widget),
                   proxy()->subControlRect(control, option, SC_SliderHandle, widget), *painter);
    else if (control == CC_ComboBox || control == CC_SpinBox)
        drawOutline(*option, option->rect, *painter);
}

}  // namespace cleave::views
