#pragma once

#include <QProxyStyle>

namespace cleave::views {

/// Fusion, whose controls are outlined in a darker shade of the window: on a dark window nothing of it is seen. These are outlined in a shade of the
/// text instead; on a black one, that of high contrast, in the text's own colour.
class Style : public QProxyStyle {
    Q_OBJECT

public:
    Style();

    int pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const override;
    void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter, const QWidget* widget) const override;
    void drawControl(ControlElement element, const QStyleOption* option, QPainter* painter, const QWidget* widget) const override;
    void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter, const QWidget* widget) const override;
};

}  // namespace cleave::views
