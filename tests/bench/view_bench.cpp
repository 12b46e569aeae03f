// How long the window takes to open and draw models, and to follow the mouse: one line per model.
//   QT_QPA_PLATFORM=offscreen view_bench MODEL.pt2 …
#include <QApplication>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QFileInfo>
#include <QScrollBar>
#include <QTimer>
#include <algorithm>
#include <cstdio>
#include <vector>

#include "core/base/memory_bound.h"
#include "views/graph_view.h"
#include "views/main_window.h"
#include "views/theme.h"

namespace {

using cleave::views::GraphView;
using cleave::views::MainWindow;
using cleave::views::PlanEditor;

double seconds(const QElapsedTimer& timer) { return static_cast<double>(timer.nsecsElapsed()) * 1e-9; }

template <class Done>
bool waitFor(const Done& done)
{
    QElapsedTimer timer;
    timer.start();
    while (!done()) {
        if (seconds(timer) > 600)
            return false;
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents | QEventLoop::AllEvents);
    }
    return true;
}

bool isDrawn(const GraphView& view) { return view.picture() != nullptr && !view.isLayingOut(); }

// Counts what reaches the screen.
class PaintCounter : public QObject {
public:
    explicit PaintCounter(QObject* watched) { watched->installEventFilter(this); }
    int paints() const { return m_paints; }

protected:
    bool eventFilter(QObject*, QEvent* event) override
    {
        m_paints += event->type() == QEvent::Paint ? 1 : 0;
        return false;
    }

private:
    int m_paints = 0;
};

struct Frames {
    double median = 0, worst = 0;  // milliseconds
    int painted = 0;
};

// From a step to its picture, by the events that a person's step sends, or with everything painted anew.
template <class Step>
Frames frames(GraphView& view, int count, bool anew, const Step& step)
{
    std::vector<double> times;
    const PaintCounter counter(view.viewport());
    for (int i = 0; i < count; ++i) {
        QElapsedTimer timer;
        timer.start();
        step(i);
        QCoreApplication::sendPostedEvents();
        if (anew)
            view.viewport()->repaint();
        times.push_back(seconds(timer) * 1e3);
    }
    std::ranges::sort(times);
    return {times[times.size() / 2], times.back(), counter.paints()};
}

Frames pan(GraphView& view, bool anew)
{
    QScrollBar& bar = *view.verticalScrollBar();
    const int step = std::max(1, std::min(40, (bar.maximum() - bar.minimum()) / 200));
    return frames(view, 200, anew, [&](int i) { bar.setValue(bar.minimum() + i * step); });
}

Frames moveCuts(GraphView& view, PlanEditor& editor)
{
    const int cut = std::max(0, editor.space()->functions() / 2 - 1);
    return frames(view, 20, false, [&](int i) {
        if (const cleave::Move move = editor.space()->moveCut(editor.shown(), cut, i % 4 < 2); move.plan)
            editor.preview(*move.plan);
    });
}

bool measure(const QString& path)
{
    MainWindow window;
    window.resize(1360, 860);
    window.show();
    QCoreApplication::processEvents();
    GraphView& view = window.graphView();
    QElapsedTimer timer;
    timer.start();
    window.document().open(path);
    if (!waitFor([&] { return window.document().model() != nullptr; }))
        return false;
    const double analysed = seconds(timer);
    if (!waitFor([&] { return isDrawn(view); }))
        return false;
    view.viewport()->repaint();
    const double drawn = seconds(timer);
    const std::size_t boxes = view.picture()->dag.boxes.size();
    timer.restart();
    view.expandAll();
    if (!waitFor([&] { return isDrawn(view); }))
        return false;
    view.viewport()->repaint();
    const double expanded = seconds(timer);
    view.setZoom(1);
    const Frames panned = pan(view, false), readable = pan(view, true);
    view.fit();
    const Frames all = pan(view, true);
    view.setZoom(1);
    const Frames moved = moveCuts(view, window.document().planEditor());
    std::printf(
        "%-16s %6zu ops | open %6.2f s (read and analysed %6.2f), %5zu boxes | expand all %6.2f s, %6zu boxes | frame ms: panning %5.1f (worst %5.1f), painted anew %5.1f (%5.1f), "
        "whole picture %6.1f (%6.1f), moving a cut %6.1f (%6.1f) | %.2f GB\n",
        qPrintable(QFileInfo(path).fileName()), window.document().model()->program().ops.size(), drawn, analysed, boxes, expanded,
        view.picture()->dag.boxes.size(), panned.median, panned.worst, readable.median, readable.worst, all.median, all.worst, moved.median,
        moved.worst, static_cast<double>(cleave::residentBytes()) * 1e-9);
    std::fflush(stdout);
    return true;
}

}  // namespace

int main(int argc, char** argv)
{
    QApplication application(argc, argv);
    QCoreApplication::setOrganizationName(QStringLiteral("CleaveTests"));
    QCoreApplication::setApplicationName(QStringLiteral("CleaveBench"));
    qputenv("CLEAVE_LAYOUT", CLEAVE_LAYOUT_PROGRAM);
    applyTheme(application, cleave::views::Theme::Light);
    for (int i = 1; i < argc; ++i)
        if (!measure(QString::fromLocal8Bit(argv[i]))) {
            std::fprintf(stderr, "%s was not drawn within ten minutes.\n", argv[i]);
            return 1;
        }
    return 0;
}
