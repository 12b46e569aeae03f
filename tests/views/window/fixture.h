#pragma once

#include <QByteArray>
#include <QModelIndex>
#include <QObject>
#include <QPoint>
#include <QString>
#include <QTemporaryDir>
#include <QTest>
#include <functional>
#include <memory>

#include "core/plan/plan_space.h"
#include "views/graph_view.h"
#include "views/main_window.h"

/// What the tests of the window have in common. They are one program; a name of a test among its arguments runs that one alone.
namespace cleave::views {

inline constexpr int patience = 60'000;  ///< ms

/// The user's configuration, rates among it, in a folder of the test's own.
class OwnConfiguration {
public:
    OwnConfiguration() { qputenv("XDG_CONFIG_HOME", folder.path().toUtf8()); }
    ~OwnConfiguration() { m_before.isNull() ? qunsetenv("XDG_CONFIG_HOME") : qputenv("XDG_CONFIG_HOME", m_before); }
    OwnConfiguration(const OwnConfiguration&) = delete;
    OwnConfiguration& operator=(const OwnConfiguration&) = delete;

    const QTemporaryDir folder;

private:
    QByteArray m_before = qgetenv("XDG_CONFIG_HOME");
};

/// A test class of the window: each of its tests begins without settings and without plans that another one left.
class WindowFixture : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void cleanup();

protected:
    static QString example(const char* name) { return QStringLiteral(CLEAVE_EXAMPLES_DIR "/") + QLatin1String(name); }
    static void open(MainWindow& window, const char* model);
    static void openGraph(MainWindow& window);
    static void openWithCosts(MainWindow& window, const char* model);  ///< on Cora, with the plans of all planners
    static OpId opNamed(MainWindow& window, const char* name);
    static Position positionOf(MainWindow& window, const char* op);
    static DagKey boxOf(MainWindow& window, const char* op);
    static void beginDrag(MainWindow& window, const char* op, Position to);
    static void drag(MainWindow& window, const char* op, Position to);
    static DagKey firstBox(const MainWindow& window, BoxKind kind);
};

QPoint place(GraphView& view, const DagKey& key);                                 ///< of a box in the view
QPoint middle(GraphView& view, Position position);                                ///< of the zone that the op would be put into
QModelIndex propertyNamed(const QAbstractItemModel& model, const QString& name);  ///< the row of a property of a panel, or an invalid index
QString spokenFocus(GraphView& view);                                             ///< what has the focus for assistive programs

/// Of one class, to be run by main.
struct WindowTests {
    explicit WindowTests(std::function<std::unique_ptr<QObject>()> make);
};

}  // namespace cleave::views
