#include "views/graph_view.h"

#include <QContextMenuEvent>
#include <QGestureEvent>
#include <QGuiApplication>
#include <QLabel>
#include <QMenu>
#include <QMouseEvent>
#include <QNativeGestureEvent>
#include <QPainter>
#include <QScrollBar>
#include <QStyleHints>
#include <QSvgGenerator>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "core/base/format.h"
#include "views/inspection.h"
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
    : QGraphicsView(parent), m_document(document), m_style{GraphColors(palette()), BoxMetrics(font()), 0}, m_dragLabel(new QLabel(viewport()))
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
    connect(&m_document.planEditor(), &PlanEditor::changed, this, [this] {
        if (!m_isPreviewing)
            m_beforeCut.reset();
        showPlan();
    });
    m_dragLabel->setMargin(6);
    m_dragLabel->setAutoFillBackground(true);
    m_dragLabel->setFrameShape(QFrame::Box);
    m_dragLabel->setAttribute(Qt::WA_TransparentForMouseEvents);
    m_dragLabel->hide();
    showModel();
}

GraphView::~GraphView() = default;

void GraphView::showModel()
{
    m_model = m_document.model();
    m_isNew = true;
    Job::retire(m_job, this);
    endDrag(false);
    m_cut.reset();
    m_beforeCut.reset();
    select(std::nullopt);
    m_scene.clear();
    m_bands.clear();
    m_boxes.clear();
    m_arrows.clear();
    m_picture.reset();
    if (m_model) {
        m_base = PlanSpace(*m_model->analysis).messageDegree();
        setExpansion(initialExpansion(*m_model->analysis, *m_model->cut));
    }
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
    if (std::exchange(m_isNew, false)) {
        showAtStart();
    } else if (anchor) {
        const QPointF moved = viewPosition(*anchor) - before;
        horizontalScrollBar()->setValue(horizontalScrollBar()->value() + qRound(moved.x()));
        verticalScrollBar()->setValue(verticalScrollBar()->value() + qRound(moved.y()));
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
    endDrag(false);
    m_scene.clear();
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
    const std::vector<BandItem::Texts> texts = bandTexts();
    const double titleWidth = BandItem::titleWidth(m_style, texts);
    for (std::size_t i = 0; i < dag.bands.size(); ++i) {
        const bool hasCut = i > 0 && i + 1 < dag.bands.size();
        auto* item = new BandItem(layout.bands[i], layout.bounds, hasCut, texts[i], m_style);
        item->setTitleWidth(titleWidth);
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

std::vector<BandItem::Texts> GraphView::bandTexts() const
{
    std::vector<BandItem::Texts> texts;
    for (const DagBand& band : m_picture->dag.bands)
        texts.push_back(bandText(band));
    texts.front().stripTitle = tr("Inputs");
    if (texts.size() > 1)
        texts.back().stripTitle = tr("Outputs");
    return texts;
}

BandItem::Texts GraphView::bandText(const DagBand& band) const
{
    BandItem::Texts texts;
    texts.title = bandTitle(band);
    texts.lines.append(band.function < 0 ? tr("once, on the whole graph")
                       : band.isGlobal   ? tr("over all nodes at once")
                                         : tr("message degree %1").arg(band.level));
    if (!band.nodeType.empty())
        texts.lines.append(tr("nodes: %1").arg(toText(band.nodeType)));
    texts.lines.append(band.ops == 1 ? tr("1 op") : tr("%1 ops").arg(band.ops));
    const DagStrip strip = stripOf(band);
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

// Of the plan at hand.
DagStrip GraphView::stripOf(const DagBand& band) const
{
    const PlanEditor& editor = m_document.planEditor();
    const int cut = band.place;
    if (editor.space() == nullptr || m_model != m_document.model() || editor.plan() == m_base || band.function < 0 || cut < 0 || cut + 1 >= editor.space()->functions())
        return band.strip;
    const Program& program = m_model->program();
    std::vector<ValueId> saved = editor.space()->savePoints(editor.plan(), cut);
    std::erase_if(saved, [&](ValueId value) { return std::ranges::count(program.inputs, value, &Input::value) > 0; });
    return stripWith(*m_model->analysis, saved);
}

// Boxes stay where they are; what the plan runs elsewhere than in its band says so, and tensors that it does not save fade.
void GraphView::showPlan()
{
    const PlanEditor& editor = m_document.planEditor();
    if (!m_picture || editor.space() == nullptr || m_model != m_document.model())
        return;
    for (BoxItem* item : m_boxes) {
        const DagBox& box = m_picture->dag.boxes[static_cast<std::size_t>(item->index())];
        item->setPlace(placeOf(box));
        if (box.key.kind != BoxKind::Tensor)
            continue;
        const DagBand& band = m_picture->dag.bands[static_cast<std::size_t>(box.key.band)];
        bool faded = false;
        if (box.writtenBy >= 0 && band.place >= 0 && band.place + 1 < editor.space()->functions()) {
            const std::vector<ValueId> saved = editor.space()->savePoints(editor.plan(), band.place);
            faded = editor.plan() != m_base && std::ranges::find(saved, box.key.value) == saved.end();
        }
        item->setFaded(faded);
    }
    const std::vector<BandItem::Texts> texts = bandTexts();
    for (std::size_t i = 0; i < m_bands.size(); ++i)
        m_bands[i]->setTexts(texts[i]);
    for (std::size_t i = 0; i < m_bands.size(); ++i)
        m_bands[i]->setCutMarked(m_cut && m_picture->dag.bands[i].place == *m_cut);
}

QString GraphView::placeOf(const DagBox& box) const
{
    const PlanEditor& editor = m_document.planEditor();
    std::optional<Position> to;
    std::size_t moved = 0;
    for (const OpId op : box.ops)
        if (const int i = editor.space()->indexOf(op); i >= 0 && editor.plan().positions[static_cast<std::size_t>(i)] != m_base.positions[static_cast<std::size_t>(i)]) {
            to = editor.plan().positions[static_cast<std::size_t>(i)];
            ++moved;
        }
    if (!to || box.key.kind == BoxKind::Tensor)
        return {};
    return moved == box.ops.size() ? QStringLiteral("→ ") + editor.positionText(*to) : tr("%1 of %2 ops moved").arg(moved).arg(box.ops.size());
}

OpId GraphView::movableOp(const DagBox& box) const
{
    const PlanSpace* space = m_document.planEditor().space();
    if (space == nullptr || m_model != m_document.model())
        return {};
    const OpId op = box.key.kind == BoxKind::Tensor ? m_model->program()[box.key.value].producer : box.ops.size() == 1 ? box.ops.front() : OpId{};
    const int i = op.valid() ? space->indexOf(op) : -1;
    return i >= 0 && space->ops()[static_cast<std::size_t>(i)].movable ? op : OpId{};
}

// The upper half of a band is before its message passing, the lower half after it.
QRectF GraphView::zoneOf(Position position) const
{
    const DagModel& dag = m_picture->dag;
    for (std::size_t i = 0; i < dag.bands.size(); ++i)
        if (dag.bands[i].place == position.function()) {
            const LayoutBand& band = m_picture->layout.bands[i];
            const double middle = position.function() == 0 ? band.top : (band.top + band.bottom) / 2;
            const double left = m_picture->layout.bounds.left, right = m_picture->layout.bounds.right;
            return {QPointF(left, position.isPre() ? band.top : middle), QPointF(right, position.isPre() ? middle : band.bottom)};
        }
    return {};
}

std::optional<Position> GraphView::positionAt(const QPointF& place) const
{
    for (int at = 0; at <= 2 * (m_document.planEditor().space()->functions() - 1); ++at)
        if (const QRectF zone = zoneOf(Position{at}); !zone.isEmpty() && place.y() >= zone.top() && place.y() < zone.bottom())
            return Position{at};
    return {};
}

void GraphView::startDrag(const DagBox& box)
{
    m_drag = Drag{movableOp(box), {}, {}};
    const PlanEditor& editor = m_document.planEditor();
    QColor legal = m_style.colors.selection;
    legal.setAlphaF(0.14F);
    for (int at = 0; at <= 2 * (editor.space()->functions() - 1); ++at) {
        const QRectF zone = zoneOf(Position{at});
        if (zone.isEmpty() || !editor.space()->moveOp(editor.plan(), m_drag->op, Position{at}).plan)
            continue;
        auto* item = m_scene.addRect(zone.adjusted(0, 2, 0, -2), QPen(m_style.colors.selection, 1.4, Qt::DashLine), legal);
        item->setZValue(1.5);
        m_drag->zones.append(item);
    }
    viewport()->setCursor(Qt::ClosedHandCursor);
}

void GraphView::dragTo(const QPoint& position)
{
    constexpr int edge = 28, step = 18;
    if (position.y() < edge || position.y() > viewport()->height() - edge)
        verticalScrollBar()->setValue(verticalScrollBar()->value() + (position.y() < edge ? -step : step));
    const PlanEditor& editor = m_document.planEditor();
    m_drag->to = positionAt(mapToScene(position));
    if (m_drag->to)
        m_dragLabel->setText(outcome(editor.space()->moveOp(editor.plan(), m_drag->op, *m_drag->to), *m_drag->to));
    m_dragLabel->setVisible(m_drag->to.has_value());
    m_dragLabel->setWordWrap(true);
    m_dragLabel->setFixedWidth(std::min(340, viewport()->width() - 20));
    m_dragLabel->adjustSize();
    const QPoint place = position + QPoint(16, 16);
    m_dragLabel->move(std::clamp(place.x(), 0, std::max(0, viewport()->width() - m_dragLabel->width())),
                      place.y() + m_dragLabel->height() > viewport()->height() ? position.y() - m_dragLabel->height() - 8 : place.y());
}

void GraphView::endDrag(bool drops)
{
    m_dragLabel->hide();
    if (!m_drag)
        return;
    const Drag drag = *std::exchange(m_drag, std::nullopt);
    for (QGraphicsItem* zone : drag.zones)
        delete zone;
    viewport()->unsetCursor();
    if (drops && drag.to)
        m_document.planEditor().moveOp(drag.op, *drag.to);
}

// Before and after, or why not.
QString GraphView::outcome(const Move& move, Position to) const
{
    const PlanEditor& editor = m_document.planEditor();
    if (!move.plan)
        return tr("✗ %1").arg(toText(move.reason));
    QString text = QStringLiteral("%1 → %2").arg(toText(m_model->program()[m_drag->op].name), editor.positionText(to));
    if (!move.alongside.empty())
        text += tr(", with %n other op(s)", nullptr, static_cast<int>(move.alongside.size()));
    const std::optional<PlanCost> before = editor.cost(), after = editor.costOf(*move.plan);
    if (before && after)
        text += tr("\n%1 → %2\n%3 → %4 read and written")
                    .arg(toText(formatSeconds(before->seconds())), toText(formatSeconds(after->seconds())),
                         toText(formatBytes(before->readBytes() + before->writtenBytes())), toText(formatBytes(after->readBytes() + after->writtenBytes())));
    return text;
}

void GraphView::contextMenuEvent(QContextMenuEvent* event)
{
    const bool byKey = event->reason() == QContextMenuEvent::Keyboard;
    BoxItem* item = byKey ? nullptr : boxAt(event->pos());
    if (item != nullptr)
        select(m_picture->dag.boxes[static_cast<std::size_t>(item->index())].key);
    const DagBox* box = item != nullptr || byKey ? selectedBox() : nullptr;
    if (box == nullptr)
        return;
    QMenu menu(this);
    menu.setToolTipsVisible(true);
    if (const OpId op = movableOp(*box); op.valid())
        addMoves(menu, op);
    addSaves(menu, *box);
    if (menu.isEmpty())
        menu.addAction(tr("Stays in its function, whatever the plan"))->setEnabled(false);
    menu.exec(byKey ? viewport()->mapToGlobal(viewPosition(box->key).toPoint()) : event->globalPos());
}

void GraphView::addMoves(QMenu& menu, OpId op)
{
    PlanEditor& editor = m_document.planEditor();
    const auto i = static_cast<std::size_t>(editor.space()->indexOf(op));
    const PlacedOp& placed = editor.space()->ops()[i];
    for (Position to = placed.least; to <= placed.most; ++to.at) {
        if (!editor.space()->isOpenTo(placed, to))
            continue;
        QAction* action = menu.addAction(tr("Move %1").arg(editor.positionText(to)));
        action->setCheckable(true);
        action->setChecked(editor.plan().positions[i] == to);
        const Move move = editor.space()->moveOp(editor.plan(), op, to);
        action->setEnabled(move.plan.has_value() && !action->isChecked());
        action->setToolTip(toText(move.reason));
        connect(action, &QAction::triggered, this, [&editor, op, to] { editor.moveOp(op, to); });
    }
    menu.addSeparator();
}

void GraphView::addSaves(QMenu& menu, const DagBox& box)
{
    PlanEditor& editor = m_document.planEditor();
    if (editor.space() == nullptr || m_model != m_document.model())
        return;
    std::vector<ValueId> tensors;
    if (box.key.kind == BoxKind::Tensor)
        tensors.push_back(box.key.value);
    else if (box.ops.size() == 1)
        tensors = m_model->program()[box.ops.front()].outputs;
    for (const ValueId tensor : tensors)
        for (int cut = 0; cut + 1 < editor.space()->functions(); ++cut) {
            const std::vector<ValueId> now = editor.space()->savePoints(editor.plan(), cut);
            const bool saved = std::ranges::find(now, tensor) != now.end();
            const Move move = editor.space()->setSavePoint(editor.plan(), tensor, cut, !saved);
            if (!saved && !move.plan)
                continue;
            QAction* action = menu.addAction(saved ? tr("Do not save at cut %1").arg(editor.functionNumber(cut) + 1) : tr("Save at cut %1").arg(editor.functionNumber(cut) + 1));
            action->setEnabled(move.plan.has_value());
            action->setToolTip(toText(move.reason));
            connect(action, &QAction::triggered, this, [&editor, tensor, cut, saved] { editor.setSaved(tensor, cut, !saved); });
        }
}

// From the first to the last.
std::vector<int> GraphView::cuts() const
{
    std::vector<int> all;
    const PlanSpace* space = m_document.planEditor().space();
    if (m_picture && space != nullptr && m_model == m_document.model())
        for (const DagBand& band : m_picture->dag.bands)
            if (band.place >= 0 && band.place + 1 < space->functions())
                all.push_back(band.place);
    return all;
}

void GraphView::selectCut(std::optional<int> cut)
{
    if (m_cut == cut)
        return;
    giveUpCut();
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
    const std::vector<int> all = cuts();
    const auto size = static_cast<std::ptrdiff_t>(all.size());
    const std::ptrdiff_t at = m_cut ? std::ranges::find(all, *m_cut) - all.begin() + step : step > 0 ? 0 : size - 1;
    const bool inside = at >= 0 && at < size;
    selectCut(inside ? std::optional(all[static_cast<std::size_t>(at)]) : std::nullopt);
    return inside;
}

std::optional<int> GraphView::cutAt(const QPoint& position) const
{
    const std::vector<int> all = cuts();
    for (std::size_t i = 0; i < m_bands.size(); ++i)
        if (const int place = m_picture->dag.bands[i].place; std::ranges::count(all, place) > 0 && m_bands[i]->stripRect().contains(mapToScene(position)))
            return place;
    return {};
}

void GraphView::moveCut(bool up)
{
    PlanEditor& editor = m_document.planEditor();
    if (!m_cut || editor.space() == nullptr)
        return;
    const Move move = editor.space()->moveCut(editor.plan(), *m_cut, up);
    if (!move.plan) {
        Q_EMIT editor.refused(toText(move.reason));
        return;
    }
    if (!m_beforeCut)
        m_beforeCut = editor.plan();
    m_isPreviewing = true;
    editor.preview(*move.plan);
    m_isPreviewing = false;
}

void GraphView::giveUpCut()
{
    if (const std::optional<Plan> before = std::exchange(m_beforeCut, std::nullopt))
        m_document.planEditor().preview(*before);
}

void GraphView::keepCut()
{
    PlanEditor& editor = m_document.planEditor();
    if (const std::optional<Plan> before = std::exchange(m_beforeCut, std::nullopt))
        editor.keepPreview(*before, tr("Move cut %1").arg(editor.functionNumber(*m_cut) + 1));
}

bool GraphView::handleCutKey(int key)
{
    switch (key) {
    case Qt::Key_Up:
    case Qt::Key_Down: moveCut(key == Qt::Key_Up); return true;
    case Qt::Key_Return:
    case Qt::Key_Enter: keepCut(); return true;
    case Qt::Key_Escape: m_beforeCut ? giveUpCut() : selectCut(std::nullopt); return true;
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
    m_selection = key;
    mark();
    const DagBox* box = selectedBox();
    setAccessibleDescription(box == nullptr ? QString() : QStringLiteral("%1, %2").arg(toText(box->title), m_style.metrics.subtitle(*box)));
    Q_EMIT selectionChanged();
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
    constexpr double largestSide = 16000;  // pixels; larger pictures are scaled down
    const QSizeF size = sceneRect().size();
    const std::string failure = "The picture cannot be written to " + path.toStdString() + ": choose another folder.";
    if (path.endsWith(QStringLiteral(".svg"), Qt::CaseInsensitive)) {
        QSvgGenerator generator;
        generator.setFileName(path);
        generator.setTitle(toText(m_model->program().name));
        generator.setSize(size.toSize());
        generator.setViewBox(QRectF(QPointF(), size));
        QPainter painter;
        if (!painter.begin(&generator))
            throw Error(failure);
        painter.fillRect(QRectF(QPointF(), size), m_style.colors.background);
        m_scene.render(&painter, QRectF(QPointF(), size), sceneRect());
        return;
    }
    const double scale = std::min(2.0, largestSide / std::max(size.width(), size.height()));
    QImage image((size * scale).toSize(), QImage::Format_ARGB32_Premultiplied);
    image.fill(m_style.colors.background);
    QPainter painter(&image);
    m_scene.render(&painter, image.rect(), sceneRect());
    painter.end();
    if (!image.save(path))
        throw Error(failure);
}

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
    if (!m_drag && far && (event->buttons() & Qt::LeftButton))
        if (const BoxItem* item = m_panning ? nullptr : boxAt(m_pressed))
            if (const DagBox& box = m_picture->dag.boxes[static_cast<std::size_t>(item->index())]; movableOp(box).valid())
                startDrag(box);
    if (m_drag) {
        dragTo(event->pos());
        return;
    }
    m_panning = m_panning || (far && (event->buttons() & Qt::LeftButton));
    QGraphicsView::mouseMoveEvent(event);
}

void GraphView::mouseReleaseEvent(QMouseEvent* event)
{
    QGraphicsView::mouseReleaseEvent(event);
    m_panning = false;
    if (m_drag) {
        endDrag(event->button() == Qt::LeftButton);
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
    case Qt::Key_Escape: m_drag ? endDrag(false) : select(std::nullopt); return true;
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
}

}  // namespace cleave::views
