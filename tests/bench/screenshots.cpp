// Makes the pictures of the README, in a window as a person sees it.
//   QT_QPA_PLATFORM=offscreen screenshots FOLDER
#include <QApplication>
#include <QElapsedTimer>
#include <QMouseEvent>
#include <QSettings>
#include <QStandardPaths>
#include <cstdio>

#include "views/graph_view.h"
#include "views/language.h"
#include "views/main_window.h"
#include "views/plan_drag.h"
#include "views/story_view.h"
#include "views/theme.h"

namespace {

using namespace cleave::views;

template <class Done>
bool waitFor(const Done& done)
{
    QElapsedTimer timer;
    for (timer.start(); !done(); QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents))
        if (timer.elapsed() > 60'000)
            return false;
    QCoreApplication::processEvents();
    return true;
}

bool open(MainWindow& window, const char* model)
{
    window.resize(1360, 860);
    window.show();
    window.document().setBatchSize(256);  // as File ▸ Open the example has it: in one batch all plans cost the same
    window.document().open(QStringLiteral(CLEAVE_EXAMPLES_DIR "/") + QLatin1String(model));
    window.document().open(QStringLiteral(CLEAVE_EXAMPLES_DIR "/cora.npz"));
    return waitFor([&] {
        return window.document().canRun() && window.graphView().picture() && !window.graphView().isLayingOut() &&
               !window.document().planEditor().costs().curve(window.document().planEditor().plan()).empty();
    });
}

void send(GraphView& view, QEvent::Type type, const QPoint& at)
{
    QMouseEvent event(type, at, view.viewport()->mapToGlobal(at), Qt::LeftButton, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(view.viewport(), &event);
}

bool save(QWidget& window, const QString& path)
{
    QCoreApplication::processEvents();
    return window.grab().save(path);
}

// A run, and its predicted beside its measured seconds.
bool takeWindow(const QString& folder)
{
    MainWindow window;
    if (!open(window, "gat.pt2"))
        return false;
    window.document().verify();
    return waitFor([&] { return window.document().report().verify.has_value() && !window.document().isBusy(); }) &&
           save(window, folder + QStringLiteral("/window.png"));
}

// The line of a cut under the mouse.
bool takeMove(const QString& folder)
{
    MainWindow window;
    if (!open(window, "sage.pt2"))
        return false;
    GraphView& view = window.graphView();
    const QRectF band = zoneOf(*view.picture(), cleave::Position::post(1));
    const QPoint from = view.mapFromScene(QPointF(band.right() - 4, band.bottom() + 8));
    send(view, QEvent::MouseButtonPress, from);
    send(view, QEvent::MouseMove, from - QPoint(0, 25));
    const auto* drag = dynamic_cast<const CutDrag*>(view.drag());
    if (drag == nullptr || drag->stops().size() < 3)
        return false;
    send(view, QEvent::MouseMove, view.mapFromScene(QPointF(band.right() - 4, drag->stops()[2])));
    return save(window, folder + QStringLiteral("/move.png"));
}

bool takeStory(const QString& folder)
{
    MainWindow window;
    if (!open(window, "sage.pt2"))
        return false;
    window.showStory();
    waitFor([&] { return window.story().isVisible(); });
    for (std::size_t i = 0; i < window.story().steps() && window.story().step().function != 2; ++i)
        window.story().go(i);
    return save(window, folder + QStringLiteral("/story.png"));
}

}  // namespace

int main(int argc, char** argv)
{
    QApplication application(argc, argv);
    QStandardPaths::setTestModeEnabled(true);
    QCoreApplication::setOrganizationName(QStringLiteral("CleaveScreenshots"));
    QSettings().clear();
    qputenv("CLEAVE_LAYOUT", CLEAVE_LAYOUT_PROGRAM);
    applyLanguage(application, QStringLiteral("en"));
    applyTheme(application, Theme::Light);
    const QString folder = argc > 1 ? QString::fromLocal8Bit(argv[1]) : QStringLiteral(".");
    for (const auto& [take, name] : {std::pair(&takeWindow, "window"), std::pair(&takeMove, "move"), std::pair(&takeStory, "story")})
        if (!take(folder)) {
            std::fprintf(stderr, "The picture '%s' could not be made.\n", name);
            return 1;
        }
    return 0;
}
