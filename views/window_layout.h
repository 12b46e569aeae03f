#pragma once

#include <QByteArray>
#include <QObject>
#include <QTimer>

class QMainWindow;

namespace cleave::views {

/// Where a window and its docks are, kept between starts: written a second after a change, so that it outlives a crash.
class WindowLayout : public QObject {
    Q_OBJECT

public:
    explicit WindowLayout(QMainWindow& window);

    void restore();    ///< as it was kept, if it was; then watches the window and the docks that it has
    void keep();       ///< now
    void setAside();   ///< for another one that shall not be kept
    void takeBack();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    struct State {
        QByteArray geometry, docks;

        bool isEmpty() const { return geometry.isEmpty(); }
    };

    State state() const;
    void apply(const State& state);

    QMainWindow& m_window;
    State m_aside;  // empty: none is
    QTimer m_timer;
};

}  // namespace cleave::views
