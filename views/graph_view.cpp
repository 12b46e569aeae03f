#include "views/graph_view.h"

#include <QEvent>
#include <QScrollBar>
#include <algorithm>
#include <cmath>

#include "views/accessible.h"
#include "views/accessible_graph.h"
#include "views/export_picture.h"
#include "views/graph_scene.h"
#include "views/legend.h"
#include "views/plan_label.h"
#include "views/viewed_graph.h"
#include "views/text.h"

namespace cleave::views {

namespace {

constexpr double readableZoom = 0.62;
constexpr double margin = 24;  // around the picture

}  // namespace

GraphView::GraphView(Document& document, QWidget* parent)
    : QGraphicsView(parent), m_document(document), m_scene(new GraphScene(document, palette(), font(), this)), m_cutLabel(new PlanLabel(viewport()))
{
    setAccessibleRole(*this, QAccessible::List);
    setScene(m_scene);
    setFrameShape(NoFrame);
    setDragMode(ScrollHandDrag);
    setTransformationAnchor(AnchorUnderMouse);
    setResizeAnchor(AnchorViewCenter);
    setViewportUpdateMode(SmartViewportUpdate);
    setOptimizationFlag(DontAdjustForAntialiasing);
    setRenderHint(QPainter::Antialiasing);
    setAccessibleName(tr("Graph of the model"));
    setFocusPolicy(Qt::StrongFocus);
    setBackgroundBrush(m_scene->style().colors.background);
    connect(&m_document, &Document::changed, this, [this](Change change) {
        if (change == Change::Model)
            showModel();
        else if (change == Change::Graph)
            m_scene->showPlan();
        else if (change == Change::Tasks && m_document.job(Task::Run) == nullptr)
            m_scene->lightRunning({});
    });
    connect(&m_document, &Document::progressed, this, [this](double, const QString& what) {
        static const QString running = QStringLiteral("Running ");  // as core says it
        m_scene->lightRunning(what.startsWith(running) ? what.mid(running.size()) : QString());
    });
    for (const QScrollBar* bar : {horizontalScrollBar(), verticalScrollBar()})
        connect(bar, &QScrollBar::actionTriggered, this, [this] { m_framing = Framing::Free; });
    connect(&m_document.planEditor(), &PlanEditor::shownChanged, m_scene, &GraphScene::showPlan);
    connect(&m_document.planEditor(), &PlanEditor::shownChanged, this, &GraphView::sayCut);
    connect(&m_document.planEditor(), &PlanEditor::comparisonChanged, m_scene, &GraphScene::showPlan);
    showModel();
}

GraphView::~GraphView() = default;

const GraphPicture* GraphView::picture() const { return m_scene->picture(); }

void GraphView::showModel()
{
    m_viewed = m_document.viewed();
    m_model = m_viewed ? m_viewed->drawn() : m_document.model();
    m_isNew = true;
    Job::retire(m_job, this);
    m_drag.reset();
    selectCut(std::nullopt);
    select(std::nullopt);
    m_scene->setPicture(nullptr);
    m_repeats.clear();
    m_open.unfolded.clear();
    if (m_model) {
        if (!m_viewed)
            m_repeats = findRepeats(*m_model->analysis, *m_model->cut);
        Expansion expansion = initialExpansion(*m_model->analysis, *m_model->cut);
        if (const OpId op = firstLook(); op.valid())
            expansion = openedAround(*m_model->analysis, std::move(expansion), 1, op);
        setExpansion(std::move(expansion));
    }
    Q_EMIT pictureChanged();
}

OpId GraphView::firstLook() const
{
    return m_viewed ? m_viewed->looksAt() : OpId{};
}

void GraphView::setExpansion(Expansion expansion, std::optional<DagKey> anchor)
{
    setOpenness({std::move(expansion), m_open.unfolded}, std::move(anchor));
}

void GraphView::setOpenness(Openness openness, std::optional<DagKey> anchor)
{
    m_open = std::move(openness);
    layOutAgain(anchor);
}

DagOptions GraphView::dagOptions() const
{
    DagOptions options;
    options.structure = m_showsStructure;
    for (const Repeat& repeat : m_repeats)
        if (m_folds && !m_open.unfolded.contains(repeat.first))
            options.folded.push_back(repeat);
    return options;
}

void GraphView::setFolding(bool folds)
{
    m_open.unfolded.clear();
    if (std::exchange(m_folds, folds) != folds && !m_repeats.empty())
        layOutAgain(m_selection);
}

void GraphView::setShowsStructure(bool shows)
{
    if (std::exchange(m_showsStructure, shows) != shows && m_model)
        layOutAgain(m_selection);
}

const Repeat* GraphView::repeatAround(const DagBox& box) const
{
    const auto around =
        std::ranges::find_if(m_repeats, [&](const Repeat& repeat) { return box.key.band >= repeat.first && box.key.band < repeat.end(); });
    return around == m_repeats.end() ? nullptr : &*around;
}

void GraphView::fold(const Repeat& repeat)
{
    m_folds = true;
    m_open.unfolded.erase(repeat.first);
    layOutAgain(std::nullopt);
}

void GraphView::layOutAgain(std::optional<DagKey> anchor)
{
    const GraphStyle& style = m_scene->style();
    auto picture = std::make_shared<GraphPicture>();
    picture->model = m_model;
    picture->viewed = m_viewed;
    picture->dag = buildDag(*m_model->analysis, *m_model->cut, m_open.expansion, dagOptions());
    if (m_viewed)
        m_viewed->describe(picture->dag);
    for (const DagBox& box : picture->dag.boxes)
        picture->sizes.push_back(style.metrics.size(box));
    Job::retire(m_job, this);
    m_job = std::make_unique<Job>(
        tr("Laying out"),
        [picture, layouts = m_layouts, options = layoutOptions(style.metrics)](const Progress& progress) {
            return withHiddenBands(picture->dag, layOut(layoutInput(picture->dag, picture->sizes), options, progress, layouts.get()));
        },
        [this, picture, anchor](LayoutResult layout) {
            if (m_isNew && layout.bandsWithoutDot > 0)
                Q_EMIT remarked(
                    tr("%n band(s) are drawn more simply: Graphviz's dot is missing, failed, or took too long.", nullptr, layout.bandsWithoutDot));
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
    const std::optional<QPointF> before = anchor ? viewPosition(*anchor) : std::nullopt;
    // Where modules were opened or closed all over it, what is in the middle stays there as well as it can.
    const bool isOther = this->picture() && this->picture()->dag.boxes.size() != picture->dag.boxes.size();
    const std::optional<PicturePlace> place =
        isOther ? std::optional(placeIn(this->picture()->layout, mapToScene(viewport()->rect().center()))) : std::nullopt;
    if (anchor)
        m_framing = Framing::Free;
    m_drag.reset();
    m_scene->setPicture(std::move(picture));
    setSceneRect(m_scene->sceneRect().adjusted(-margin - m_scene->nodesRoom(), -margin, margin, margin));
    if (const DagModel& dag = this->picture()->dag; m_selection && dag.find(*m_selection) < 0) {
        const int shown = m_selection->op.valid() ? dag.findOp(m_selection->op, m_selection->band) : -1;
        select(shown < 0 ? std::nullopt : std::optional(dag.boxes[static_cast<std::size_t>(shown)].key));
    }
    mark(m_framing == Framing::Free ? Reveal::Yes : Reveal::No);
    const OpId wanted = std::exchange(m_wanted, OpId{});
    if (std::exchange(m_isNew, false)) {
        showAtStart();
        if (const OpId op = firstLook(); op.valid())
            showOp(op);
    } else if (m_framing != Framing::Free) {
        frameAgain();
    } else {
        if (const std::optional<QPointF> after = before ? viewPosition(*anchor) : std::nullopt) {
            horizontalScrollBar()->setValue(horizontalScrollBar()->value() + qRound(after->x() - before->x()));
            verticalScrollBar()->setValue(verticalScrollBar()->value() + qRound(after->y() - before->y()));
        } else if (place) {
            centerOn(pointAt(this->picture()->layout, *place));
        }
        if (wanted.valid()) {
            const bool isFound = m_open == m_openForFound;
            showOp(wanted);
            if (isFound)
                m_openForFound = m_open;
        }
    }
    Q_EMIT pictureChanged();
}

std::optional<QPointF> GraphView::viewPosition(const DagKey& key) const
{
    if (!picture())
        return std::nullopt;
    int box = picture()->dag.find(key);
    if (box < 0 && key.op.valid())
        box = picture()->dag.findOp(key.op, key.band);
    if (box < 0)
        return std::nullopt;
    const LayoutPoint centre = picture()->layout.centres[static_cast<std::size_t>(box)];
    return mapFromScene(QPointF(centre.x, centre.y));
}

void GraphView::selectCut(std::optional<int> cut, Reveal reveal)
{
    if (m_cut == cut) {
        if (cut && reveal == Reveal::Yes)
            showLine(m_scene->cutRect(*cut));
        return;
    }
    m_document.planEditor().endPreview();
    m_cut = cut;
    if (cut)
        select(std::nullopt);
    m_scene->markCut(cut);
    Q_EMIT selectionChanged();
    if (cut && reveal == Reveal::Yes)
        showLine(m_scene->cutRect(*cut));
    sayCut();
    tellSelection(*this);
}

// Cuts are as wide as the picture: up and down matters, and aside only where not even the nearest of their tensors is in sight.
void GraphView::showLine(const QRectF& line)
{
    if (line.isEmpty())
        return;
    const QRectF seen = mapToScene(viewport()->rect()).boundingRect();
    QRectF shown(seen.center().x(), line.top(), 1, line.height());
    if (const QRectF box = m_scene->nearestBox(line, seen.center().x()); !box.isEmpty() && (box.left() < seen.left() || box.right() > seen.right()))
        shown = QRectF(box.left(), line.top(), box.width(), line.height());
    bringIn(shown, viewport()->width() / 3, 60);
}

void GraphView::bringIn(const QRectF& area, int marginX, int marginY)
{
    const QPoint before(horizontalScrollBar()->value(), verticalScrollBar()->value());
    // Of what is larger than the view the upper part, and as it is where the view is within: bringing it in again moves nothing.
    const QRectF seen = mapToScene(viewport()->rect()).boundingRect();
    const double width = seen.width() - 2 * (marginX + 1) / zoom(), height = seen.height() - 2 * (marginY + 1) / zoom();
    QRectF shown = area;
    if (width > 0 && shown.width() > width)
        shown = QRectF(std::clamp(seen.center().x() - width / 2, area.left(), area.right() - width), area.top(), width, area.height());
    if (height > 0 && shown.height() > height)
        shown.setHeight(height);
    ensureVisible(shown, marginX, marginY);
    if (before != QPoint(horizontalScrollBar()->value(), verticalScrollBar()->value()))
        m_framing = Framing::Free;
}

// To those who move it by keys, or hear it.
void GraphView::sayCut()
{
    const PlanEditor& editor = m_document.planEditor();
    const bool moves = m_cut && editor.hasPreview() && !m_drag;
    const QString text = moves ? cutText(editor, *m_cut, editor.costs().costOf(editor.plan()), editor.shown()) + QLatin1Char('\n') +
                                     tr("Enter keeps it, Esc takes it back")
                               : QString();
    m_cutLabel->say(text);
    if (moves) {
        const QRectF cut = m_scene->cutRect(*m_cut);
        m_cutLabel->putBeside({viewport()->width() / 2, mapFromScene(QPointF(0, cut.bottom())).y()}, *this);
    }
    if (moves)
        announce(*this, QString(text).replace(QLatin1Char('\n'), QStringLiteral("; ")));
}

std::vector<int> GraphView::cuts() const
{
    return m_scene->isCurrent() ? cutsOf(picture()->dag, m_document.planEditor()) : std::vector<int>{};
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

namespace {

bool reads(const Op& op, ValueId value)
{
    bool found = false;
    forEachOperand(op, [&](ValueId operand) { found = found || operand == value; });
    return found;
}

}  // namespace

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
    // An input is where it is read first.
    for (const Input& input : program.inputs)
        if (holds(program[input.value].name))
            for (std::size_t i = 0; i < program.ops.size(); ++i)
                if (const OpId op{static_cast<int>(i)}; reads(program[op], input.value)) {
                    if (const auto at = std::ranges::lower_bound(found, op); at == found.end() || *at != op)
                        found.insert(at, op);
                    break;
                }
    return found;
}

void GraphView::showOp(OpId op)
{
    const int box = picture() && picture()->model == m_model ? picture()->dag.findOp(op) : -1;
    if (box < 0)
        return;
    const DagKey key = picture()->dag.boxes[static_cast<std::size_t>(box)].key;
    if (zoom() < textDetail)
        setZoom(readableZoom);
    select(key);
    if (key.kind == BoxKind::Op)
        return;
    m_wanted = op;
    if (key.kind == BoxKind::Repeat)
        open(key);
    else
        setExpansion(openedAround(*m_model->analysis, m_open.expansion, key.band, op), key);
}

void GraphView::showFound(OpId op)
{
    const int at = picture() && picture()->model == m_model ? picture()->dag.findOp(op) : -1;
    if (at < 0)
        return;
    if (m_open != m_openForFound)
        m_openBeforeFound = m_open;
    const DagBox& box = picture()->dag.boxes[static_cast<std::size_t>(at)];
    Openness wanted = m_openBeforeFound;
    if (box.key.kind == BoxKind::Repeat)
        wanted.unfolded.insert(box.repeat.first);
    else
        wanted.expansion = openedAround(*m_model->analysis, std::move(wanted.expansion), box.key.band, op);
    if (const Repeat* repeat = repeatAround(box); repeat != nullptr && m_open.unfolded.contains(repeat->first))
        wanted.unfolded.insert(repeat->first);
    if (wanted != m_open) {
        select(box.key);
        m_wanted = op;
        setOpenness(std::move(wanted), m_selection);
    } else {
        showOp(op);
    }
    m_openForFound = m_open;
}

void GraphView::closeFound()
{
    if (m_model && m_open == m_openForFound && m_open != m_openBeforeFound)
        setOpenness(m_openBeforeFound, std::nullopt);
    m_openForFound = {};
}

bool GraphView::isJoined(int cut) const { return m_scene->isCurrent() && m_document.planEditor().shown().joined.contains(cut); }

void GraphView::setLitFunction(int degree)
{
    m_scene->lightFunctions(degree);
    if (const QRectF lit = m_scene->litRect(); !lit.isEmpty())
        bringIn(lit, 10, 10);
}

void GraphView::moveCut(bool up)
{
    if (m_cut && m_scene->isCurrent())
        m_document.planEditor().previewCut(*m_cut, up);
}

const DagBox* GraphView::selectedBox() const
{
    const int box = m_selection && picture() ? picture()->dag.find(*m_selection) : -1;
    return box < 0 ? nullptr : &picture()->dag.boxes[static_cast<std::size_t>(box)];
}

void GraphView::select(const std::optional<DagKey>& key, Reveal reveal)
{
    if (m_selection == key)
        return;
    if (key)
        selectCut(std::nullopt);
    if (m_selection)
        m_selectedBefore = m_selection;
    m_selection = key;
    mark(reveal);
    tellSelection(*this);
    Q_EMIT selectionChanged();
}

void GraphView::selectTensor(ValueId tensor)
{
    if (!m_scene->isCurrent())
        return;
    const OpId producer = m_model->program()[tensor].producer;
    const auto isOf = [&](const DagBox& box) {
        return box.key.kind == BoxKind::Tensor ? box.key.value == tensor && !box.isReminder : std::ranges::count(box.ops, producer) > 0;
    };
    const auto& boxes = picture()->dag.boxes;
    auto found = std::ranges::find_if(boxes, [&](const DagBox& box) { return box.key.kind == BoxKind::Tensor && isOf(box); });
    if (found == boxes.end())
        found = std::ranges::find_if(boxes, isOf);
    if (found != boxes.end())
        select(found->key);
}

void GraphView::mark(Reveal reveal)
{
    if (!picture())
        return;
    const int selected = m_selection ? picture()->dag.find(*m_selection) : -1;
    m_scene->markBox(selected);
    if (selected >= 0 && reveal == Reveal::Yes)
        bringIn(m_scene->boxRect(selected), 30, 30);
}

void GraphView::expandSelection()
{
    if (const DagBox* box = selectedBox(); box != nullptr && box->isExpandable())
        open(box->key);
}

void GraphView::collapseSelection()
{
    if (const DagBox* box = selectedBox(); box != nullptr && box->frame >= 0)
        closeFrame(box->frame);
}

void GraphView::expandAll()
{
    if (!m_model)
        return;
    for (const Repeat& repeat : m_repeats)
        m_open.unfolded.insert(repeat.first);
    setExpansion(fullExpansion(*m_model->analysis, *m_model->cut), m_selection);
}

void GraphView::collapseAll()
{
    if (!m_model)
        return;
    m_open.unfolded.clear();
    setExpansion({}, m_selection);
}

void GraphView::open(const DagKey& key)
{
    const int box = picture()->dag.find(key);
    if (box < 0)
        return;
    if (key.kind == BoxKind::Repeat) {
        m_open.unfolded.insert(picture()->dag.boxes[static_cast<std::size_t>(box)].repeat.first);
        layOutAgain(key);
        return;
    }
    Expansion expansion = m_open.expansion;
    expansion.insert({key.band, key.module});
    setExpansion(std::move(expansion), key);
}

void GraphView::closeFrame(int frame)
{
    const DagModel& dag = picture()->dag;
    const DagFrame& closed = dag.frames[static_cast<std::size_t>(frame)];
    Expansion expansion = m_open.expansion;
    expansion.erase({closed.band, closed.module});
    const auto inside = std::ranges::find_if(dag.boxes, [&](const DagBox& box) {
        int outer = box.frame;
        while (outer >= 0 && outer != frame)
            outer = dag.frames[static_cast<std::size_t>(outer)].parent;
        return outer == frame;
    });
    setExpansion(std::move(expansion), inside == dag.boxes.end() ? std::nullopt : std::optional(inside->key));
}

void GraphView::fit()
{
    if (!picture())
        return;
    constexpr double mostFitting = 1.5;
    m_framing = Framing::Fit;
    m_showsWhole = true;
    for (int times = 0; times < 2; ++times)  // the first time, scroll bars may still take their room
        fitInView(sceneRect(), Qt::KeepAspectRatio);
    if (zoom() > mostFitting)
        scaleTo(mostFitting);
}

double GraphView::fittingZoom() const
{
    return std::min(viewport()->width() / std::max(1.0, sceneRect().width()), viewport()->height() / std::max(1.0, sceneRect().height()));
}

// As it was, in a view or of a picture whose size has changed.
void GraphView::frameAgain(double least)
{
    if (!picture() || m_framing == Framing::Free)
        return;
    if (m_framing == Framing::Fit) {
        fit();
        return;
    }
    // What was whole in sight stays so, unless it would be hard to read.
    const bool wasWhole = m_showsWhole;
    showAtStart();
    if (wasWhole && !m_showsWhole && fittingZoom() >= least * readableZoom)
        fit();
    constexpr int around = 30;
    if (const int selected = m_selection ? picture()->dag.find(*m_selection) : -1; selected >= 0)
        ensureVisible(m_scene->boxRect(selected), around, around);
    else if (m_cut)
        showLine(m_scene->cutRect(*m_cut));
    m_framing = Framing::Start;
}

void GraphView::showAtStart()
{
    fit();
    m_framing = Framing::Start;
    if (zoom() > 1.1)
        scaleTo(1.1);
    if (zoom() >= readableZoom)
        return;
    m_showsWhole = false;
    const double beside = m_scene->nodesRoom();  // of small pictures
    const double widthZoom = (viewport()->width() - 4) / std::max(1.0, sceneRect().width() - beside);
    scaleTo(std::clamp(widthZoom, readableZoom, 1.0));
    verticalScrollBar()->setValue(verticalScrollBar()->minimum());
    horizontalScrollBar()->setValue(horizontalScrollBar()->minimum() + static_cast<int>(beside * zoom()));
    const QRectF seen = mapToScene(viewport()->rect()).boundingRect();
    horizontalScrollBar()->setValue(horizontalScrollBar()->value() + qRound((m_scene->fullestLeft(seen) - seen.left()) * zoom()));
}

void GraphView::lookAt(const QPointF& centre)
{
    m_framing = Framing::Free;
    centerOn(centre);
}

GraphView::Place GraphView::place() const
{
    return {m_framing, zoom(), mapToScene(viewport()->rect().center())};
}

void GraphView::goTo(const Place& place)
{
    m_framing = place.framing;
    if (m_framing != Framing::Free) {
        frameAgain();
        return;
    }
    scaleTo(place.zoom);
    centerOn(place.centre);
}

void GraphView::showActualSize()
{
    if (!picture())
        return;
    setZoom(1);
    constexpr int around = 30;
    if (const int selected = m_selection ? picture()->dag.find(*m_selection) : -1; selected >= 0) {
        ensureVisible(m_scene->boxRect(selected), around, around);
    } else if (m_cut) {
        showLine(m_scene->cutRect(*m_cut));
    } else if (const QRectF seen = mapToScene(viewport()->rect()).boundingRect(); m_scene->nearestBox(seen, seen.center().x()).isEmpty()) {
        const QRectF band(sceneRect().left(), seen.top(), sceneRect().width(), seen.height());  // of pictures that are wide and empty there
        if (const QRectF nearest = m_scene->nearestBox(band, seen.center().x()); !nearest.isEmpty())
            centerOn(nearest.center().x(), seen.center().y());
    }
    m_framing = Framing::Free;
}

void GraphView::zoomBy(double factor)
{
    setZoom(std::clamp(zoom() * factor, std::min(minZoom, fittingZoom()), maxZoom));
}

void GraphView::setZoom(double zoom)
{
    m_framing = Framing::Free;
    scaleTo(zoom);
}

void GraphView::scaleTo(double zoom)
{
    const double factor = zoom / this->zoom();
    scale(factor, factor);
}

void GraphView::exportPicture(const QString& path)
{
    if (!picture())
        throw Error("There is no picture to export: open a model first.");
    onPaper([&](const Paper& paper) { views::exportPicture(paper, toText(m_model->program().name), path); });
}

// As it is shown, but in the colours of paper, and without what is selected.
void GraphView::onPaper(const std::function<void(const Paper&)>& use) const
{
    GraphScene scene(m_document, paperPalette(), font(), nullptr);
    scene.setPicture(std::make_unique<GraphPicture>(*picture()));
    scene.showPlan();
    Legend legend;
    legend.setPalette(paperPalette());
    legend.setFont(font());
    legend.showDocument(m_document);
    use({scene, legend, scene.style().colors.background});
}

QString GraphView::svg()
{
    QString element;
    if (picture())
        onPaper([&](const Paper& paper) { element = svgOf(paper); });
    return element;
}

void GraphView::print(QPrinter& printer)
{
    if (!picture())
        throw Error("There is no picture to print: open a model first.");
    onPaper([&](const Paper& paper) { printPicture(paper, printer); });
}

BoxItem* GraphView::boxAt(const QPoint& position) const { return m_scene->boxAt(mapToScene(position)); }

void GraphView::resizeEvent(QResizeEvent* event)
{
    QGraphicsView::resizeEvent(event);
    // A message that comes and goes is no reason to show something else.
    constexpr int few = 80;
    constexpr double leastBeside = 0.5;
    const QSize before = event->oldSize(), now = event->size();
    frameAgain(before.width() == now.width() && std::abs(before.height() - now.height()) <= few ? leastBeside : leastWhole);
}

void GraphView::restyle()
{
    m_drag.reset();
    m_scene->setColors(palette());
    setBackgroundBrush(m_scene->style().colors.background);
}

// Titles of bands stay in sight, however far to the right the view is.
void GraphView::drawForeground(QPainter* painter, const QRectF& area)
{
    constexpr double edge = 6;
    if (picture() && zoom() >= textDetail)
        m_scene->paintTitles(painter, area, mapToScene(QPoint(0, 0)).x() + edge / zoom());
    else if (picture()) {
        painter->save();
        painter->resetTransform();
        QFont names = font();
        names.setPointSizeF(names.pointSizeF() * 0.8);
        painter->setFont(names);
        m_scene->paintSmallNames(painter, viewportTransform(), viewportTransform().mapRect(area));
        painter->setFont(font());
        m_scene->paintSmallTitles(painter, viewportTransform(), viewport()->rect());
        painter->restore();
    }
}

void GraphView::scrollContentsBy(int dx, int dy)
{
    constexpr double widest = 1.5;  // of titles, where their letters are larger than at full size
    QGraphicsView::scrollContentsBy(dx, dy);
    if (zoom() < textDetail)
        viewport()->update();
    else if (dx != 0)
        viewport()->update(0, 0, std::min(viewport()->width(), static_cast<int>(widest * m_scene->titleRoom() * zoom()) + std::abs(dx)),
                           viewport()->height());
}

void GraphView::changeEvent(QEvent* event)
{
    QGraphicsView::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        restyle();
    if (event->type() == QEvent::FontChange && m_model) {
        m_scene->setFont(font());
        layOutAgain(m_framing == Framing::Free ? m_selection : std::nullopt);
    }
}

}  // namespace cleave::views
