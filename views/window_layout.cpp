#include "views/window_layout.h"

#include <QDockWidget>
#include <QEvent>
#include <QMainWindow>
#include <QSettings>
#include <chrono>
#include <utility>

namespace cleave::views {

namespace {

constexpr int version = 6;  // of the docks that there are
const QString geometryKey = QStringLiteral("geometry"), docksKey = QStringLiteral("state");

}  // namespace

WindowLayout::WindowLayout(QMainWindow& window) : m_window(window)
{
    m_timer.setSingleShot(true);
    m_timer.setInterval(std::chrono::seconds(1));
    connect(&m_timer, &QTimer::timeout, this, &WindowLayout::keep);
}

void WindowLayout::restore()
{
    const QSettings settings;
    apply({settings.value(geometryKey).toByteArray(), settings.value(docksKey).toByteArray()});
    m_window.installEventFilter(this);
    for (QDockWidget* dock : m_window.findChildren<QDockWidget*>())
        dock->installEventFilter(this);
}

void WindowLayout::keep()
{
    m_timer.stop();
    const State kept = m_aside.isEmpty() ? state() : m_aside;
    QSettings settings;
    settings.setValue(geometryKey, kept.geometry);
    settings.setValue(docksKey, kept.docks);
}

void WindowLayout::setAside()
{
    m_aside = state();
}

// Once more when what the window holds has found its size again: until then it may need more room than it is given.
void WindowLayout::takeBack()
{
    apply(m_aside);
    QTimer::singleShot(0, this, [this] {
        if (!m_aside.isEmpty())
            apply(std::exchange(m_aside, {}));
    });
}

bool WindowLayout::eventFilter(QObject* watched, QEvent* event)
{
    switch (event->type()) {
    case QEvent::Move:
    case QEvent::Resize:
    case QEvent::Show:
    case QEvent::Hide:
        if (m_window.isVisible())
            m_timer.start();
        break;
    default: break;
    }
    return QObject::eventFilter(watched, event);
}

WindowLayout::State WindowLayout::state() const
{
    return {m_window.saveGeometry(), m_window.saveState(version)};
}

void WindowLayout::apply(const State& state)
{
    m_window.restoreGeometry(state.geometry);
    m_window.restoreState(state.docks, version);
}

}  // namespace cleave::views
