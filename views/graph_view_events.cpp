// What the graph view does on mouse, keys, wheel and gestures.
#include <QClipboard>
#include <QContextMenuEvent>
#include <QGuiApplication>
#include <QMenu>
#include <QMouseEvent>
#include <QNativeGestureEvent>
#include <QStyleHints>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "views/accessible_graph.h"
#include "views/graph_scene.h"
#include "views/graph_view.h"
#include "views/plan_drag.h"
#include "views/plan_menu.h"
#include "views/text.h"

namespace cleave::views {

void GraphView::contextMenuEvent(QContextMenuEvent* event)
{
    const bool byKey = event->reason() == QContextMenuEvent::Keyboard;
    if (!picture())
        return;
    if (const BoxItem* item = byKey ? nullptr : boxAt(event->pos()))
        select(picture()->dag.boxes[static_cast<std::size_t>(item->index())].key, Reveal::No);
    QMenu menu(this);
    menu.setToolTipsVisible(true);
    fillMenu(menu, event->pos(), byKey);
    if (!menu.isEmpty() && !actions().isEmpty())
        menu.addSeparator();
    menu.addActions(actions());
    const QPoint place = selectedBox() != nullptr ? viewPosition(selectedBox()->key).value_or(QPointF()).toPoint()
                         : m_cut                  ? mapFromScene(m_scene->cutRect(*m_cut).center())
                                                  : viewport()->rect().center();
    menu.exec(byKey ? viewport()->mapToGlobal(place) : event->globalPos());
}

// What can be done with what lies there, or is selected.
void GraphView::fillMenu(QMenu& menu, const QPoint& position, bool byKey)
{
    if (const DagBox* box = byKey || boxAt(position) != nullptr ? selectedBox() : nullptr) {
        const int before = m_selectedBefore ? picture()->dag.find(*m_selectedBefore) : -1;
        if (m_scene->isCurrent())
            addPlanActions(menu, m_document.planEditor(), *box, before < 0 ? nullptr : &picture()->dag.boxes[static_cast<std::size_t>(before)]);
        addRepeatActions(menu, *box);
        addBoxActions(menu, *box);
    } else if (const std::optional<int> cut = byKey ? m_cut : m_scene->cutAt(mapToScene(position)); cut && m_scene->isCurrent()) {
        selectCut(cut, byKey ? Reveal::Yes : Reveal::No);
        addCutActions(menu, m_document.planEditor(), *cut);
    } else if (const FrameItem* frame = byKey ? nullptr : m_scene->frameAt(mapToScene(position))) {
        addFrameAction(menu, frame->index());
    }
}

void GraphView::addBoxActions(QMenu& menu, const DagBox& box)
{
    menu.addSeparator();
    if (box.isExpandable() && box.key.kind != BoxKind::Repeat)
        menu.addAction(tr("Expand"), this, [this, key = box.key] { open(key); });
    if (box.frame >= 0)
        addFrameAction(menu, box.frame);
    menu.addAction(tr("Copy name"), this, [name = m_scene->style().metrics.heading(box)] { QGuiApplication::clipboard()->setText(name); });
    if (m_scene->isCurrent()) {
        menu.addAction(tr("Show code"), this, &GraphView::codeWanted);
        const bool isInput = box.key.kind == BoxKind::Tensor && !picture()->model->program()[box.key.value].producer.valid();
        if (!isInput)  // the table has operators
            menu.addAction(tr("Show in table"), this, &GraphView::tableWanted);
    }
}

void GraphView::addFrameAction(QMenu& menu, int frame)
{
    const ModuleId module = picture()->dag.frames[static_cast<std::size_t>(frame)].module;
    const QString name = module.valid() ? toText(picture()->model->program()[module].path) : tr("Prologue");
    menu.addAction(tr("Collapse %1").arg(name), this, [this, frame] { closeFrame(frame); });
}

void GraphView::addRepeatActions(QMenu& menu, const DagBox& box)
{
    const Repeat* repeat = repeatAround(box);
    if (repeat == nullptr)
        return;
    if (box.key.kind == BoxKind::Repeat)
        menu.addAction(tr("Show every layer"), this, [this, key = box.key] { open(key); });
    else if (!m_folds || m_open.unfolded.contains(repeat->first))
        menu.addAction(tr("Fold the %1 layers that repeat").arg(repeat->count), this, [this, repeat = *repeat] { fold(repeat); });
}

bool GraphView::handleCutKey(int key)
{
    PlanEditor& editor = m_document.planEditor();
    switch (key) {
    case Qt::Key_Up:
    case Qt::Key_Down: moveCut(key == Qt::Key_Up); return true;
    case Qt::Key_Return:
    case Qt::Key_Enter: editor.keepMovedCut(*m_cut); return true;
    case Qt::Key_Escape: editor.hasPreview() ? editor.endPreview() : selectCut(std::nullopt); return true;
    default: return false;
    }
}

void GraphView::mousePressEvent(QMouseEvent* event)
{
    m_pressed = event->pos();
    m_isOver = false;
    QGraphicsView::mousePressEvent(event);
}

void GraphView::mouseMoveEvent(QMouseEvent* event)
{
    if (m_isOver)
        return;
    const bool far = (event->pos() - m_pressed).manhattanLength() >= QGuiApplication::styleHints()->startDragDistance();
    if (!m_drag && !m_panning && far && m_scene->isCurrent() && (event->buttons() & Qt::LeftButton))
        m_drag = beginDrag();
    if (m_drag) {
        m_drag->moveTo(event->pos());
        return;
    }
    m_panning = m_panning || (far && (event->buttons() & Qt::LeftButton));
    if (m_panning)
        m_framing = Framing::Free;
    QGraphicsView::mouseMoveEvent(event);
}

// Of the box or the cut that the button was pressed on; null where there is none that can be moved.
std::unique_ptr<PlanDrag> GraphView::beginDrag()
{
    PlanEditor& editor = m_document.planEditor();
    if (const BoxItem* item = boxAt(m_pressed)) {
        std::vector<OpId> ops = movableOps(editor, picture()->dag.boxes[static_cast<std::size_t>(item->index())]);
        if (ops.empty()) {
            const QString why = whyUnmovable(editor, picture()->dag.boxes[static_cast<std::size_t>(item->index())]);
            return why.isEmpty() ? nullptr : std::make_unique<RefusedDrag>(*this, editor, why);
        }
        return std::make_unique<OpDrag>(*this, *picture(), m_scene->style().colors, editor, std::move(ops));
    }
    const std::optional<int> cut = m_scene->cutAt(mapToScene(m_pressed));
    if (!cut)
        return nullptr;
    selectCut(cut, Reveal::No);
    return std::make_unique<CutDrag>(*this, *picture(), m_scene->style().colors, editor, *cut);
}

void GraphView::mouseReleaseEvent(QMouseEvent* event)
{
    QGraphicsView::mouseReleaseEvent(event);
    m_panning = false;
    if (std::exchange(m_isOver, false))
        return;
    if (const std::unique_ptr<PlanDrag> drag = std::move(m_drag)) {
        if (event->button() == Qt::LeftButton)
            drag->drop();
        return;
    }
    const bool dragged = (event->pos() - m_pressed).manhattanLength() >= QGuiApplication::styleHints()->startDragDistance();
    if (event->button() != Qt::LeftButton || dragged)
        return;
    if (BoxItem* box = boxAt(event->pos())) {
        const bool onControl = box->controlRect().contains(box->mapFromScene(mapToScene(event->pos())));
        const DagKey key = picture()->dag.boxes[static_cast<std::size_t>(box->index())].key;
        select(key, Reveal::No);
        if (onControl)
            open(key);
    } else if (FrameItem* frame = m_scene->frameAt(mapToScene(event->pos()))) {
        closeFrame(frame->index());
    } else {
        const std::optional<int> cut = m_scene->cutAt(mapToScene(event->pos()));
        select(std::nullopt);
        selectCut(cut, Reveal::No);
    }
}

void GraphView::mouseDoubleClickEvent(QMouseEvent* event)
{
    m_pressed = {-1000, -1000};  // the release that follows is no click
    const BoxItem* item = boxAt(event->pos());
    const DagBox* box = item == nullptr ? nullptr : &picture()->dag.boxes[static_cast<std::size_t>(item->index())];
    if (event->button() == Qt::LeftButton && box != nullptr && box->isExpandable())
        open(box->key);
    else
        QGraphicsView::mouseDoubleClickEvent(event);
}

void GraphView::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_F6) {  // past all cuts and boxes
        QGraphicsView::focusNextPrevChild(!(event->modifiers() & Qt::ShiftModifier));
        return;
    }
    if (event->key() == Qt::Key_F10 && (event->modifiers() & Qt::ShiftModifier)) {
        QContextMenuEvent menu(QContextMenuEvent::Keyboard, {}, {});
        contextMenuEvent(&menu);
        return;
    }
    if (picture() && (event->modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier)) == Qt::NoModifier && handleKey(event->key()))
        return;
    QGraphicsView::keyPressEvent(event);
}

bool GraphView::handleKey(int key)
{
    if (m_drag && key == Qt::Key_Escape) {
        m_drag.reset();
        m_isOver = true;
        return true;
    }
    if (m_cut && handleCutKey(key))
        return true;
    switch (key) {
    case Qt::Key_F:
    case Qt::Key_Home: fit(); return true;
    case Qt::Key_Plus:
    case Qt::Key_Return:
    case Qt::Key_Enter: expandSelection(); return true;
    case Qt::Key_C: return selectNextCut(1);
    case Qt::Key_Minus: collapseSelection(); return true;
    case Qt::Key_Escape:
        if (!m_selection)
            return false;  // the window may have something to put away
        select(std::nullopt);
        return true;
    case Qt::Key_Left:
    case Qt::Key_Right:
    case Qt::Key_Up:
    case Qt::Key_Down: selectTowards(key); return true;
    default: return false;
    }
}

// Tab walks through the cuts, or through the boxes in reading order once an arrow key has selected one, and leaves the view behind the last one.
bool GraphView::focusNextPrevChild(bool next)
{
    const std::optional<DagKey> before = m_selection;
    if (m_cut)
        return selectNextCut(next ? 1 : -1) || QGraphicsView::focusNextPrevChild(next);
    if (!m_selection && selectNextCut(next ? 1 : -1))
        return true;
    if (picture())
        selectStep(next ? 1 : -1);
    return (picture() && m_selection != before && m_selection) || QGraphicsView::focusNextPrevChild(next);
}

void GraphView::focusInEvent(QFocusEvent* event)
{
    QGraphicsView::focusInEvent(event);
    tellSelection(*this);
}

void GraphView::selectStep(int step)
{
    const std::vector<int> order = m_scene->readingOrder();
    const auto size = static_cast<std::ptrdiff_t>(order.size());
    std::ptrdiff_t at = step > 0 ? 0 : size - 1;
    if (m_selection)
        at = std::ranges::find(order, picture()->dag.find(*m_selection)) - order.begin() + step;
    if (at < 0 || at >= size)
        select(std::nullopt);
    else
        select(picture()->dag.boxes[static_cast<std::size_t>(order[static_cast<std::size_t>(at)])].key);
}

void GraphView::selectTowards(int key)
{
    if (!selectedBox())
        selectStep(1);
    else if (const int next = m_scene->nextBox(picture()->dag.find(*m_selection), key); next >= 0)
        select(picture()->dag.boxes[static_cast<std::size_t>(next)].key);
}

void GraphView::wheelEvent(QWheelEvent* event)
{
    if (event->modifiers() & Qt::ControlModifier) {
        zoomBy(std::pow(1.0015, event->angleDelta().y()));
        event->accept();
        return;
    }
    m_framing = Framing::Free;
    QGraphicsView::wheelEvent(event);
}

// F6 leads into the picture from anywhere else, and out of it here.
bool GraphView::event(QEvent* event)
{
    if (event->type() == QEvent::ShortcutOverride && static_cast<QKeyEvent*>(event)->key() == Qt::Key_F6) {
        event->accept();
        return true;
    }
    return QGraphicsView::event(event);
}

bool GraphView::viewportEvent(QEvent* event)
{
    if (event->type() == QEvent::NativeGesture)
        if (const auto* gesture = static_cast<QNativeGestureEvent*>(event); gesture->gestureType() == Qt::ZoomNativeGesture) {
            zoomBy(1 + gesture->value());
            return true;
        }
    return QGraphicsView::viewportEvent(event);
}

}  // namespace cleave::views
