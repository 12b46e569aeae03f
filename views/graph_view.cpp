#include "views/graph_view.h"

#include <QContextMenuEvent>
#include <QGestureEvent>
#include <QGuiApplication>
#include <QMenu>
#include <QMouseEvent>
#include <QNativeGestureEvent>
#include <QScrollBar>
#include <QStyleHints>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "core/base/format.h"
#include "views/export_picture.h"
#include "views/inspection.h"
#include "views/plan_menu.h"
#include "views/text.h"

namespace cleave::views {

namespace {

constexpr double readableZoom = 0.62;
constexpr double margin = 24;

QRectF toRect(const LayoutRect& rect)
{
    return {QPointF(rect.left, rect.top), QPointF(rect.right, rect.bottom)};
}

}  // namespace

GraphView::GraphView(Document& document, QWidget* parent)
    : QGraphicsView(parent), m_document(document), m_style{GraphColors(palette()), BoxMetrics(font()), 0}
{
    setScene(&m_scene);
    setFrameShape(NoFrame);
    setDragMode(ScrollHandDrag);
    setTransformationAnchor(AnchorUnderMouse);
    setResizeAnchor(AnchorViewCenter);
    setViewportUpdateMode(SmartViewportUpdate);
    setOptimizationFlag(DontAdjustForAntialiasing);
    setRenderHint(QPainter::Antialiasing);
    setAccessibleName(tr("Graph of the model"));
    setFocusPolicy(Qt::StrongFocus);
    m_scene.setItemIndexMethod(QGraphicsScene::BspTreeIndex);
    setBackgroundBrush(m_style.colors.background);
    connect(&m_document, &Document::changed, this, [this](Change change) {
        if (change == Change::Model)
            showModel();
        else if (change == Change::Graph && m_picture)
            restyle();
    });
    connect(&m_document.planEditor(), &PlanEditor::shownChanged, this, &GraphView::showPlan);
    connect(&m_document.planEditor(), &PlanEditor::comparisonChanged, this, &GraphView::showPlan);
    showModel();
}

GraphView::~GraphView() = default;

void GraphView::showModel()
{
    m_model = m_document.model();
    m_isNew = true;
    Job::retire(m_job, this);
    m_drag.reset();
    m_cut.reset();
    select(std::nullopt);
    m_scene.clear();
    m_moved.clear();
    m_bands.clear();
    m_boxes.clear();
    m_arrows.clear();
    m_picture.reset();
    if (m_model)
        setExpansion(initialExpansion(*m_model->analysis, *m_model->cut));
    Q_EMIT pictureChanged();
}

void GraphView::setExpansion(Expansion expansion, std::optional<DagKey> anchor)
{
    m_expansion = std::move(expansion);
    layOutAgain(anchor);
}

void GraphView::layOutAgain(std::optional<DagKey> anchor)
{
    auto picture = std::make_shared<GraphPicture>();
    picture->model = m_model;
    picture->dag = buildDag(*m_model->analysis, *m_model->cut, m_expansion);
    for (const DagBox& box : picture->dag.boxes)
        picture->sizes.push_back(m_style.metrics.size(box));
    Job::retire(m_job, this);
    m_job = std::make_unique<Job>(
        tr("Laying out"),
        [picture, options = layoutOptions(m_style.metrics)](const Progress& progress) {
            return layOut(layoutInput(picture->dag, picture->sizes), options, progress);
        },
        [this, picture, anchor](LayoutResult layout) {
            if (m_isNew && layout.bandsWithoutDot > 0)
                Q_EMIT remarked(tr("%n band(s) are drawn more simply: Graphviz's dot is missing, failed, or took too long.", nullptr, layout.bandsWithoutDot));
            picture->layout = std::move(layout);
            setPicture(std::make_unique<GraphPicture>(std::move(*picture)), anchor);
        });
    connect(m_job.get(), &Job::failed, this, &GraphView::failed);
    connect(m_job.get(), &Job::finished, this, [this] {
        m_job.release()->deleteLater();
        Q_EMIT layingOut(false);
    });
    Q_EMIT layingOut(true);
}

void GraphView::setPicture(std::unique_ptr<GraphPicture> picture, const std::optional<DagKey>& anchor)
{
    const QPointF before = anchor ? viewPosition(*anchor) : QPointF();
    m_picture = std::move(picture);
    restyle();
    if (m_selection && m_picture->dag.find(*m_selection) < 0) {
        const int shown = m_selection->op.valid() ? m_picture->dag.findOp(m_selection->band, m_selection->op) : -1;
        select(shown < 0 ? std::nullopt : std::optional(m_picture->dag.boxes[static_cast<std::size_t>(shown)].key));
    }
    const OpId wanted = std::exchange(m_wanted, OpId{});
    if (std::exchange(m_isNew, false)) {
        showAtStart();
    } else if (anchor) {
        const QPointF moved = viewPosition(*anchor) - before;
        horizontalScrollBar()->setValue(horizontalScrollBar()->value() + qRound(moved.x()));
        verticalScrollBar()->setValue(verticalScrollBar()->value() + qRound(moved.y()));
        if (wanted.valid())
            showOp(wanted);
    }
    Q_EMIT pictureChanged();
}

QPointF GraphView::viewPosition(const DagKey& key) const
{
    if (!m_picture)
        return {};
    int box = m_picture->dag.find(key);
    if (box < 0 && key.op.valid())
        box = m_picture->dag.findOp(key.band, key.op);
    if (box < 0)
        return {};
    const LayoutPoint centre = m_picture->layout.centres[static_cast<std::size_t>(box)];
    return mapFromScene(QPointF(centre.x, centre.y));
}

void GraphView::restyle()
{
    m_style.colors = GraphColors(palette());
    m_style.levels = m_model ? m_model->analysis->degreeOf(m_model->analysis->levels) : 0;
    setBackgroundBrush(m_style.colors.background);
    m_drag.reset();
    m_scene.clear();
    m_moved.clear();
    m_bands.clear();
    m_boxes.clear();
    m_arrows.clear();
    if (m_picture)
        addItems();
}

void GraphView::addItems()
{
    const DagModel& dag = m_picture->dag;
    const LayoutResult& layout = m_picture->layout;
    for (std::size_t i = 0; i < dag.bands.size(); ++i) {
        const bool hasCut = i > 0 && i + 1 < dag.bands.size();
        auto* item = new BandItem(layout.bands[i], layout.bounds, hasCut, m_style);
        m_scene.addItem(item);
        m_bands.push_back(item);
    }
    for (std::size_t i = 0; i < dag.frames.size(); ++i) {
        if (layout.groups[i].isEmpty())
            continue;
        const ModuleId id = dag.frames[i].module;
        const Module* module = id.valid() ? &m_model->program()[id] : nullptr;
        const QString title = module == nullptr ? tr("Prologue")
                                                : QStringLiteral("%1 · %2").arg(toText(module->path), toText(lastPart(module->type, '.')));
        m_scene.addItem(new FrameItem(title, static_cast<int>(i), toRect(layout.groups[i]), m_style));
    }
    m_arrows.assign(dag.arrows.size(), nullptr);
    for (std::size_t i = 0; i < dag.arrows.size(); ++i)
        addArrow(i);
    for (std::size_t i = 0; i < dag.boxes.size(); ++i) {
        auto* item = new BoxItem(dag.boxes[i], static_cast<int>(i), m_picture->sizes[i], m_style);
        item->setPos(layout.centres[i].x, layout.centres[i].y);
        m_scene.addItem(item);
        m_boxes.push_back(item);
    }
    showPlan();
    setSceneRect(m_scene.itemsBoundingRect().adjusted(-margin, -margin, margin, margin));
    mark();
}

void GraphView::addArrow(std::size_t arrow)
{
    const DagArrow& drawn = m_picture->dag.arrows[arrow];
    const std::vector<LayoutPoint>& path = m_picture->layout.paths[arrow];
    if (path.size() >= 4) {
        m_arrows[arrow] = new ArrowItem(path, m_style);
        m_scene.addItem(m_arrows[arrow]);
        return;
    }
    const QString name = toText(m_model->program()[drawn.values.front()].name);
    const auto end = [&](int box, double side) {
        const auto i = static_cast<std::size_t>(box);
        return QPointF(m_picture->layout.centres[i].x + m_picture->sizes[i].width() * 0.3,
                       m_picture->layout.centres[i].y + side * m_picture->sizes[i].height() / 2);
    };
    m_scene.addItem(new StubItem(end(drawn.from, 1), true, name, m_style));
    m_scene.addItem(new StubItem(end(drawn.to, -1), false, name, m_style));
}

std::vector<BandItem::Texts> GraphView::bandTexts(const PlanMarks& marks) const
{
    std::vector<BandItem::Texts> texts;
    for (std::size_t i = 0; i < marks.strips.size(); ++i)
        texts.push_back(bandText(m_picture->dag.bands[i], marks.strips[i]));
    texts.front().stripTitle = tr("Inputs");
    if (texts.size() > 1)
        texts.back().stripTitle = tr("Outputs");
    return texts;
}

BandItem::Texts GraphView::bandText(const DagBand& band, const DagStrip& strip) const
{
    BandItem::Texts texts;
    texts.title = bandTitle(band);
    texts.lines.append(band.function < 0 ? tr("once, on the whole graph")
                       : band.isGlobal   ? tr("over all nodes at once")
                                         : tr("message degree %1").arg(band.level));
    if (!band.nodeType.empty())
        texts.lines.append(tr("nodes: %1").arg(toText(band.nodeType)));
    texts.lines.append(band.ops == 1 ? tr("1 op") : tr("%1 ops").arg(band.ops));
    if (band.function < 0 || strip.crossing.empty())
        return texts;
    texts.stripTitle = tr("Cut %1").arg(band.function + 1);
    texts.stripLines.append(strip.crossing.size() == 1 ? tr("1 save point") : tr("%1 save points").arg(strip.crossing.size()));
    // There is room for one line.
    if (strip.typedRowBytes.size() > 1)
        texts.stripLines.append(tr("of %1 node types").arg(strip.typedRowBytes.size()));
    else if (!strip.typedRowBytes.empty())
        texts.stripLines.append(tr("%1 × V %2").arg(toText(formatBytes(strip.typedRowBytes.begin()->second)), toText(strip.typedRowBytes.begin()->first)));
    if (strip.nodeRowBytes > 0) {
        const QString perNode = tr("%1 × V").arg(toText(formatBytes(strip.nodeRowBytes)));
        const auto& graph = m_document.graph();
        texts.stripLines.append(graph ? tr("%1 = %2").arg(perNode, toText(formatBytes(strip.nodeRowBytes * static_cast<double>(graph->numNodes))))
                                      : perNode);
    }
    return texts;
}

// Boxes stay where they are; what the plan runs elsewhere than in its band says so, and tensors that it does not save fade.
void GraphView::showPlan()
{
    if (!isCurrent())
        return;
    const PlanEditor& editor = m_document.planEditor();
    const PlanMarks marks = planMarks(m_picture->dag, editor, editor.shown());
    for (const MovedOpsItem* item : std::exchange(m_moved, {}))
        delete item;
    m_moved = movedOpsItems(*m_picture, marks, m_style);
    if (editor.other())
        for (MovedOpsItem* item : movedOpsItems(*m_picture, planMarks(m_picture->dag, editor, editor.other()->plan), m_style)) {
            item->setOther();
            m_moved.push_back(item);
        }
    for (MovedOpsItem* item : m_moved)
        m_scene.addItem(item);
    for (std::size_t i = 0; i < m_boxes.size(); ++i) {
        m_boxes[i]->setPlace(marks.places[i]);
        m_boxes[i]->setSaves(marks.saves[i]);
        m_boxes[i]->setFaded(marks.unsaved[i]);
    }
    const std::vector<BandItem::Texts> texts = bandTexts(marks);
    const double titleWidth = BandItem::titleWidth(m_style, texts);
    for (std::size_t i = 0; i < m_bands.size(); ++i) {
        m_bands[i]->setTexts(texts[i]);
        m_bands[i]->setTitleWidth(titleWidth);
        m_bands[i]->setLit(isLitBand(m_picture->dag.bands[i]));
        m_bands[i]->setCutMarked(m_cut && m_picture->dag.bands[i].place == *m_cut);
    }
}

// Whether the picture is that of the open model.
bool GraphView::isCurrent() const { return m_picture && m_picture->model && m_picture->model == m_document.model(); }

void GraphView::contextMenuEvent(QContextMenuEvent* event)
{
    const bool byKey = event->reason() == QContextMenuEvent::Keyboard;
    BoxItem* item = byKey ? nullptr : boxAt(event->pos());
    if (item != nullptr)
        select(m_picture->dag.boxes[static_cast<std::size_t>(item->index())].key);
    const DagBox* box = item != nullptr || byKey ? selectedBox() : nullptr;
    if (box == nullptr || !isCurrent())
        return;
    QMenu menu(this);
    const int before = m_selectedBefore ? m_picture->dag.find(*m_selectedBefore) : -1;
    addPlanActions(menu, m_document.planEditor(), *box, before < 0 ? nullptr : &m_picture->dag.boxes[static_cast<std::size_t>(before)]);
    menu.exec(byKey ? viewport()->mapToGlobal(viewPosition(box->key).toPoint()) : event->globalPos());
}

void GraphView::selectCut(std::optional<int> cut)
{
    if (m_cut == cut)
        return;
    m_document.planEditor().endPreview();
    m_cut = cut;
    if (cut)
        select(std::nullopt);
    for (std::size_t i = 0; i < m_bands.size(); ++i) {
        const bool marked = cut && m_picture->dag.bands[i].place == *cut;
        m_bands[i]->setCutMarked(marked);
        if (marked)
            ensureVisible(m_bands[i]->stripRect(), 10, 60);
    }
    if (cut)
        setAccessibleDescription(tr("Cut %1").arg(m_document.planEditor().functionNumber(*cut) + 1));
}

// False behind the last one, where none is selected any more.
bool GraphView::selectNextCut(int step)
{
    const std::vector<int> all = isCurrent() ? cutsOf(m_picture->dag, m_document.planEditor()) : std::vector<int>{};
    const auto size = static_cast<std::ptrdiff_t>(all.size());
    const std::ptrdiff_t at = m_cut ? std::ranges::find(all, *m_cut) - all.begin() + step : step > 0 ? 0 : size - 1;
    const bool inside = at >= 0 && at < size;
    selectCut(inside ? std::optional(all[static_cast<std::size_t>(at)]) : std::nullopt);
    return inside;
}

std::optional<int> GraphView::cutAt(const QPoint& position) const
{
    if (!isCurrent())
        return {};
    const std::vector<int> all = cutsOf(m_picture->dag, m_document.planEditor());
    for (std::size_t i = 0; i < m_bands.size(); ++i)
        if (const int place = m_picture->dag.bands[i].place; std::ranges::count(all, place) > 0 && m_bands[i]->stripRect().contains(mapToScene(position)))
            return place;
    return {};
}

std::vector<OpId> GraphView::find(const QString& text) const
{
    std::vector<OpId> found;
    if (!m_model || text.trimmed().isEmpty())
        return found;
    const QString wanted = text.trimmed();
    const Program& program = m_model->program();
    const auto holds = [&](const std::string& name) { return toText(name).contains(wanted, Qt::CaseInsensitive); };
    for (std::size_t i = 0; i < program.ops.size(); ++i) {
        const Op& o = program.ops[i];
        if (holds(o.name) || holds(o.target) || (o.module.valid() && (holds(program[o.module].path) || holds(program[o.module].type))) ||
            std::ranges::any_of(o.outputs, [&](ValueId value) { return holds(program[value].name); }))
            found.push_back(OpId{static_cast<int>(i)});
    }
    return found;
}

void GraphView::showOp(OpId op)
{
    if (!isCurrent())
        return;
    m_untouched = false;
    for (int band = 0; band < static_cast<int>(m_picture->dag.bands.size()); ++band) {
        const int box = m_picture->dag.findOp(band, op);
        if (box < 0)
            continue;
        const DagKey key = m_picture->dag.boxes[static_cast<std::size_t>(box)].key;
        select(key);
        if (key.kind != BoxKind::Op) {
            m_wanted = op;
            setExpansion(openedAround(*m_model->analysis, m_expansion, band, op), key);
        }
        return;
    }
}

bool GraphView::isLitBand(const DagBand& band) const { return m_lit > 0 && band.place >= 0 && band.level == m_lit; }

void GraphView::setLitFunction(int degree)
{
    m_lit = degree;
    for (std::size_t i = 0; i < m_bands.size(); ++i) {
        const bool isLit = isLitBand(m_picture->dag.bands[i]);
        m_bands[i]->setLit(isLit);
        if (isLit)
            ensureVisible(m_bands[i]->boundingRect(), 10, 10);
    }
}

void GraphView::moveCut(bool up)
{
    if (m_cut && isCurrent())
        m_document.planEditor().previewCut(*m_cut, up);
}

bool GraphView::handleCutKey(int key)
{
    PlanEditor& editor = m_document.planEditor();
    switch (key) {
    case Qt::Key_Up:
    case Qt::Key_Down: moveCut(key == Qt::Key_Up); return true;
    case Qt::Key_Return:
    case Qt::Key_Enter: editor.keepPreview(tr("Move cut %1").arg(editor.functionNumber(*m_cut) + 1)); return true;
    case Qt::Key_Escape: editor.hasPreview() ? editor.endPreview() : selectCut(std::nullopt); return true;
    default: return false;
    }
}

const DagBox* GraphView::selectedBox() const
{
    const int box = m_selection && m_picture ? m_picture->dag.find(*m_selection) : -1;
    return box < 0 ? nullptr : &m_picture->dag.boxes[static_cast<std::size_t>(box)];
}

void GraphView::select(const std::optional<DagKey>& key)
{
    if (m_selection == key)
        return;
    if (key)
        selectCut(std::nullopt);
    if (m_selection)
        m_selectedBefore = m_selection;
    m_selection = key;
    mark();
    const DagBox* box = selectedBox();
    setAccessibleDescription(box == nullptr ? QString() : QStringLiteral("%1, %2").arg(toText(box->title), m_style.metrics.subtitle(*box)));
    Q_EMIT selectionChanged();
}

void GraphView::selectTensor(ValueId tensor)
{
    if (!isCurrent())
        return;
    const OpId producer = m_model->program()[tensor].producer;
    const auto isOf = [&](const DagBox& box) { return box.key.kind == BoxKind::Tensor ? box.key.value == tensor && !box.isReminder : std::ranges::count(box.ops, producer) > 0; };
    const auto& boxes = m_picture->dag.boxes;
    auto found = std::ranges::find_if(boxes, [&](const DagBox& box) { return box.key.kind == BoxKind::Tensor && isOf(box); });
    if (found == boxes.end())
        found = std::ranges::find_if(boxes, isOf);
    if (found != boxes.end())
        select(found->key);
}

void GraphView::mark()
{
    if (!m_picture)
        return;
    const int selected = m_selection ? m_picture->dag.find(*m_selection) : -1;
    for (BoxItem* item : m_boxes)
        item->setMarked(item->index() == selected);
    for (std::size_t i = 0; i < m_arrows.size(); ++i)
        if (m_arrows[i] != nullptr)
            m_arrows[i]->setMarked(selected >= 0 && (m_picture->dag.arrows[i].from == selected || m_picture->dag.arrows[i].to == selected));
    if (selected >= 0)
        ensureVisible(m_boxes[static_cast<std::size_t>(selected)], 30, 30);
}

void GraphView::expandSelection()
{
    if (const DagBox* box = selectedBox(); box != nullptr && box->isExpandable())
        toggleBox(m_picture->dag.find(box->key));
}

void GraphView::collapseSelection()
{
    if (const DagBox* box = selectedBox(); box != nullptr && box->frame >= 0)
        closeFrame(box->frame);
}

void GraphView::expandAll()
{
    if (m_model)
        setExpansion(fullExpansion(*m_model->analysis, *m_model->cut), m_selection);
}

void GraphView::collapseAll()
{
    if (m_model)
        setExpansion(initialExpansion(*m_model->analysis, *m_model->cut), m_selection);
}

void GraphView::toggleBox(int box)
{
    const DagKey key = m_picture->dag.boxes[static_cast<std::size_t>(box)].key;
    Expansion expansion = m_expansion;
    expansion.insert({key.band, key.module});
    setExpansion(std::move(expansion), key);
}

void GraphView::closeFrame(int frame)
{
    const DagFrame& closed = m_picture->dag.frames[static_cast<std::size_t>(frame)];
    Expansion expansion = m_expansion;
    expansion.erase({closed.band, closed.module});
    const auto inside = std::ranges::find_if(m_picture->dag.boxes, [&](const DagBox& box) {
        int outer = box.frame;
        while (outer >= 0 && outer != frame)
            outer = m_picture->dag.frames[static_cast<std::size_t>(outer)].parent;
        return outer == frame;
    });
    setExpansion(std::move(expansion), inside == m_picture->dag.boxes.end() ? std::nullopt : std::optional(inside->key));
}

void GraphView::fit()
{
    if (!m_picture)
        return;
    m_untouched = false;
    fitInView(sceneRect(), Qt::KeepAspectRatio);
    setZoom(std::clamp(zoom(), minZoom, 1.5));
}

void GraphView::showAtStart()
{
    fit();
    m_untouched = true;
    if (zoom() > 1.1)
        setZoom(1.1);
    if (zoom() >= readableZoom)
        return;
    const double widthZoom = (viewport()->width() - 4) / std::max(1.0, sceneRect().width());
    setZoom(std::clamp(widthZoom, readableZoom, 1.0));
    verticalScrollBar()->setValue(verticalScrollBar()->minimum());
    horizontalScrollBar()->setValue(horizontalScrollBar()->minimum());
}

void GraphView::zoomBy(double factor)
{
    m_untouched = false;
    setZoom(std::clamp(zoom() * factor, minZoom, maxZoom));
}

void GraphView::setZoom(double zoom)
{
    const double factor = zoom / this->zoom();
    scale(factor, factor);
}

void GraphView::exportPicture(const QString& path)
{
    if (!m_picture)
        throw Error("There is no picture to export: open a model first.");
    views::exportPicture(m_scene, m_style.colors.background, toText(m_model->program().name), path);
}

QString GraphView::svg() { return m_picture ? svgOf(m_scene, m_style.colors.background) : QString(); }

void GraphView::print(QPrinter& printer) { printPicture(m_scene, printer); }

BoxItem* GraphView::boxAt(const QPoint& position) const
{
    for (QGraphicsItem* item : items(position))
        if (auto* box = dynamic_cast<BoxItem*>(item))
            return box;
    return nullptr;
}

FrameItem* GraphView::frameAt(const QPoint& position) const
{
    for (QGraphicsItem* item : items(position))
        if (auto* frame = dynamic_cast<FrameItem*>(item); frame != nullptr && frame->headerRect().contains(mapToScene(position)))
            return frame;
    return nullptr;
}

void GraphView::mousePressEvent(QMouseEvent* event)
{
    m_untouched = false;
    m_pressed = event->pos();
    QGraphicsView::mousePressEvent(event);
}

void GraphView::mouseMoveEvent(QMouseEvent* event)
{
    const bool far = (event->pos() - m_pressed).manhattanLength() >= QGuiApplication::styleHints()->startDragDistance();
    if (!m_drag && !m_panning && far && isCurrent() && (event->buttons() & Qt::LeftButton))
        m_drag = beginDrag();
    if (m_drag) {
        m_drag->moveTo(event->pos());
        return;
    }
    m_panning = m_panning || (far && (event->buttons() & Qt::LeftButton));
    QGraphicsView::mouseMoveEvent(event);
}

// Of the box or the cut that the button was pressed on; null where there is none that can be moved.
std::unique_ptr<PlanDrag> GraphView::beginDrag()
{
    PlanEditor& editor = m_document.planEditor();
    if (const BoxItem* item = boxAt(m_pressed)) {
        std::vector<OpId> ops = movableOps(editor, m_picture->dag.boxes[static_cast<std::size_t>(item->index())]);
        if (ops.empty())
            return nullptr;
        return std::make_unique<OpDrag>(*this, *m_picture, m_style.colors, editor, std::move(ops));
    }
    const std::optional<int> cut = cutAt(m_pressed);
    if (!cut)
        return nullptr;
    selectCut(cut);
    return std::make_unique<CutDrag>(*this, *m_picture, m_style.colors, editor, *cut);
}

void GraphView::mouseReleaseEvent(QMouseEvent* event)
{
    QGraphicsView::mouseReleaseEvent(event);
    m_panning = false;
    if (const std::unique_ptr<PlanDrag> drag = std::move(m_drag)) {
        if (event->button() == Qt::LeftButton)
            drag->drop();
        return;
    }
    const bool dragged = (event->pos() - m_pressed).manhattanLength() >= QGuiApplication::styleHints()->startDragDistance();
    if (event->button() != Qt::LeftButton || dragged)
        return;
    if (BoxItem* box = boxAt(event->pos())) {
        const QRectF control = box->controlRect();
        select(m_picture->dag.boxes[static_cast<std::size_t>(box->index())].key);
        if (control.contains(box->mapFromScene(mapToScene(event->pos()))))
            toggleBox(box->index());
    } else if (FrameItem* frame = frameAt(event->pos())) {
        closeFrame(frame->index());
    } else {
        const std::optional<int> cut = cutAt(event->pos());
        select(std::nullopt);
        selectCut(cut);
    }
}

void GraphView::mouseDoubleClickEvent(QMouseEvent* event)
{
    m_pressed = {-1000, -1000};  // the release that follows is no click
    BoxItem* box = boxAt(event->pos());
    if (event->button() == Qt::LeftButton && box != nullptr && m_picture->dag.boxes[static_cast<std::size_t>(box->index())].isExpandable())
        toggleBox(box->index());
    else
        QGraphicsView::mouseDoubleClickEvent(event);
}

void GraphView::keyPressEvent(QKeyEvent* event)
{
    m_untouched = false;
    if (m_picture && (event->modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier)) == Qt::NoModifier && handleKey(event->key()))
        return;
    QGraphicsView::keyPressEvent(event);
}

bool GraphView::handleKey(int key)
{
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
    case Qt::Key_Escape: m_drag ? m_drag.reset() : select(std::nullopt); return true;
    case Qt::Key_Left:
    case Qt::Key_Right:
    case Qt::Key_Up:
    case Qt::Key_Down: selectTowards(key); return true;
    default: return false;
    }
}

// Tab walks through the boxes in reading order, or through the cuts once one is selected, and leaves the view behind the last one.
bool GraphView::focusNextPrevChild(bool next)
{
    const std::optional<DagKey> before = m_selection;
    if (m_cut)
        return selectNextCut(next ? 1 : -1) || QGraphicsView::focusNextPrevChild(next);
    if (m_picture)
        selectStep(next ? 1 : -1);
    return (m_picture && m_selection != before && m_selection) || QGraphicsView::focusNextPrevChild(next);
}

std::vector<int> GraphView::readingOrder() const
{
    std::vector<int> order;
    for (const BoxItem* item : m_boxes)
        order.push_back(item->index());
    std::ranges::sort(order, {}, [this](int box) {
        const LayoutPoint& centre = m_picture->layout.centres[static_cast<std::size_t>(box)];
        return std::pair(std::lround(centre.y), centre.x);
    });
    return order;
}

void GraphView::selectStep(int step)
{
    const std::vector<int> order = readingOrder();
    const auto size = static_cast<std::ptrdiff_t>(order.size());
    std::ptrdiff_t at = step > 0 ? 0 : size - 1;
    if (m_selection)
        at = std::ranges::find(order, m_picture->dag.find(*m_selection)) - order.begin() + step;
    if (at < 0 || at >= size)
        select(std::nullopt);
    else
        select(m_picture->dag.boxes[static_cast<std::size_t>(order[static_cast<std::size_t>(at)])].key);
}

// The nearest box in that direction; what lies off to the side counts double.
void GraphView::selectTowards(int key)
{
    if (!selectedBox()) {
        selectStep(1);
        return;
    }
    const auto centre = [this](int box) { return m_boxes[static_cast<std::size_t>(box)]->pos(); };
    const int current = m_picture->dag.find(*m_selection);
    const bool vertical = key == Qt::Key_Up || key == Qt::Key_Down;
    const double sign = key == Qt::Key_Down || key == Qt::Key_Right ? 1 : -1;
    int best = -1;
    double bestDistance = 0;
    for (const BoxItem* item : m_boxes) {
        const QPointF d = centre(item->index()) - centre(current);
        const double along = sign * (vertical ? d.y() : d.x());
        const double distance = along + 2 * std::abs(vertical ? d.x() : d.y());
        if (along > 1 && (best < 0 || distance < bestDistance)) {
            best = item->index();
            bestDistance = distance;
        }
    }
    if (best >= 0)
        select(m_picture->dag.boxes[static_cast<std::size_t>(best)].key);
}

void GraphView::wheelEvent(QWheelEvent* event)
{
    if (event->modifiers() & Qt::ControlModifier) {
        zoomBy(std::pow(1.0015, event->angleDelta().y()));
        event->accept();
        return;
    }
    m_untouched = false;
    QGraphicsView::wheelEvent(event);
}

// Until someone moves it, the picture stays as it is first shown, whatever the size of the window.
void GraphView::resizeEvent(QResizeEvent* event)
{
    QGraphicsView::resizeEvent(event);
    if (m_untouched && m_picture)
        showAtStart();
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

void GraphView::changeEvent(QEvent* event)
{
    QGraphicsView::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        restyle();
    if (event->type() == QEvent::FontChange && m_model) {
        m_style.metrics = BoxMetrics(font());
        layOutAgain(m_selection);
    }
}

}  // namespace cleave::views
