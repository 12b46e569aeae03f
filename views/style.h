#pragma once

#include <QProxyStyle>

namespace cleave::views {

/// Fusion, whose check boxes and line edits are outlined in a darker shade of the window: on a dark window nothing of it is seen. These are outlined in a
/// shade of the text instead.
class Style : public QProxyStyle {
    Q_OBJECT

public:
    Style();

    void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter, const QWidget* widget) const override;
};

}  // namespace cleave::views
