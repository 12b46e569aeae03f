#pragma once

#include <QAccessible>
#include <QString>

class QWidget;

namespace cleave::views {

/// What assistive programs such as screen readers are told beyond what Qt tells of its own widgets.

/// The role of a widget that paints itself. Without one Qt calls it a client area, and screen readers pass over its name. To be set before the name.
void setAccessibleRole(QWidget& widget, QAccessible::Role role);

/// Has a sentence read out in the window of a widget, wherever the focus is. Nothing of an empty one.
void announce(QWidget& widget, const QString& sentence);
QString lastAnnouncement();

}  // namespace cleave::views
