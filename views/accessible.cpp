#include "views/accessible.h"

#include <QAccessibleWidget>
#include <QVariant>

#include "views/accessible_graph.h"
#include "views/graph_view.h"

namespace cleave::views {

namespace {

constexpr const char* roleProperty = "cleave_accessible_role";

QAccessibleInterface* makeInterface(const QString&, QObject* object)
{
    if (auto* view = qobject_cast<GraphView*>(object))
        return new AccessibleGraph(*view);
    const QVariant role = object != nullptr ? object->property(roleProperty) : QVariant();
    return role.isValid() ? new QAccessibleWidget(static_cast<QWidget*>(object), static_cast<QAccessible::Role>(role.toInt())) : nullptr;
}

#if QT_VERSION < QT_VERSION_CHECK(6, 8, 0)
// What screen readers say when it appears. It is never seen.
class Notification : public QWidget {
    Q_OBJECT

public:
    explicit Notification(QWidget* window) : QWidget(window) { setAccessibleRole(*this, QAccessible::Notification); }
};
#endif

QString& announcement()
{
    static QString last;
    return last;
}

}  // namespace

void setAccessibleRole(QWidget& widget, QAccessible::Role role)
{
    static const bool isInstalled = (QAccessible::installFactory(makeInterface), true);
    Q_UNUSED(isInstalled)
    widget.setProperty(roleProperty, static_cast<int>(role));
}

void announce(QWidget& widget, const QString& sentence)
{
    if (sentence.isEmpty())
        return;
    announcement() = sentence;
#if QT_VERSION >= QT_VERSION_CHECK(6, 8, 0)
    QAccessibleAnnouncementEvent event(widget.window(), sentence);
#else
    auto* notification = widget.window()->findChild<Notification*>(QString(), Qt::FindDirectChildrenOnly);
    if (notification == nullptr)
        notification = new Notification(widget.window());
    notification->setAccessibleName(sentence);
    QAccessibleEvent event(notification, QAccessible::ObjectShow);
#endif
    QAccessible::updateAccessibility(&event);
}

QString lastAnnouncement()
{
    return announcement();
}

}  // namespace cleave::views

#if QT_VERSION < QT_VERSION_CHECK(6, 8, 0)
#include "accessible.moc"
#endif
