#include "views/graph_scene.h"

#include <QRegularExpression>
#include <algorithm>
#include <cmath>
#include <set>

#include "views/inspection.h"
#include "views/plan_label.h"
#include "views/viewed_graph.h"
#include "views/text.h"

namespace cleave::views {

namespace {

QRectF toRect(const LayoutRect& rect)
{
    return {QPointF(rect.left, rect.top), QPointF(rect.right, rect.bottom)};
}

QString frameTitle(const GraphPicture& picture, const DagFrame& frame)
{
    if (!frame.module.valid())
        return GraphScene::tr("Prologue");
    const Module& module = picture.model->program()[frame.module];
    return QStringLiteral("%1 · %2").arg(toText(module.path), toText(lastPart(module.type, '.')));
}

// What the box has no room for: whole names, and the module.
QString toolTip(const GraphPicture& picture, const DagBox& box)
{
    QStringList lines{toText(box.title)};
    if (!box.type.empty())
        lines.append(toText(box.type));
    if (!box.shape.empty())
        lines.append(toText(box.shape));
    if (box.key.kind == BoxKind::Op)
        lines.append(toText(box.belongs));
    const Program& program = picture.model->program();
    const ModuleId module = box.key.kind == BoxKind::Op && box.key.op.valid() ? program[box.key.op].module : box.key.module;
    if (module.valid() && program[module].path != box.title && !program[module].path.empty())
        lines.append(GraphScene::tr("in %1", "a module").arg(toText(program[module].path)));
    lines.removeAll(QString());
    if (lines.isEmpty())
        return {};
    for (QString& line : lines)
        line = line.toHtmlEscaped();
    return QStringLiteral("<p style='white-space:pre'>%1</p>").arg(lines.join(QStringLiteral("<br>")));
}

}  // namespace

GraphScene::GraphScene(Document& document, const QPalette& palette, const QFont& font, QObject* parent)
    : QGraphicsScene(parent), m_document(document), m_style{GraphColors(palette), BoxMetrics(font), 0}
{
    setItemIndexMethod(BspTreeIndex);
}

GraphScene::~GraphScene() = default;

void GraphScene::setColors(const QPalette& palette)
{
    m_style.colors = GraphColors(palette);
    const int marked = m_marked;
    setPicture(std::move(m_picture));
    if (m_picture)
        markBox(marked);
}

void GraphScene::setFont(const QFont& font) { m_style.metrics = BoxMetrics(font); }

void GraphScene::setPicture(std::unique_ptr<GraphPicture> picture)
{
    clear();
    m_moved.clear();
    m_movedLayer = nullptr;
    m_bands.clear();
    m_boxes.clear();
    m_arrows.clear();
    m_structure = nullptr;
    m_marked = -1;
    m_strips.clear();
    m_devices.clear();
    m_picture = std::move(picture);
    if (!m_picture)
        return;
    m_style.levels = m_picture->model->analysis->degreeOf(m_picture->model->analysis->levels);
    addItems();
}

bool GraphScene::isCurrent() const { return m_picture && m_picture->model && m_picture->model == m_document.model(); }

void GraphScene::addItems()
{
    const DagModel& dag = m_picture->dag;
    const LayoutResult& layout = m_picture->layout;
    for (std::size_t i = 0; i < dag.bands.size(); ++i) {
        m_bands.push_back(dag.bands[i].isHidden ? nullptr : new BandItem(layout.bands[i], layout.bounds, i > 0 && i + 1 < dag.bands.size(), m_style));
        if (m_bands.back() != nullptr)
            addItem(m_bands.back());
    }
    addFrames();
    m_arrows.assign(dag.arrows.size(), nullptr);
    for (std::size_t i = 0; i < dag.arrows.size(); ++i)
        addArrow(i);
    if (!dag.structureArrows.empty())
        addItem(m_structure = new StructureItem(*m_picture, m_style));
    for (std::size_t i = 0; i < dag.boxes.size(); ++i) {
        auto* item = new BoxItem(dag.boxes[i], static_cast<int>(i), m_picture->sizes[i], m_style);
        item->setToolTip(toolTip(*m_picture, dag.boxes[i]));
        item->setPos(layout.centres[i].x, layout.centres[i].y);
        addItem(item);
        m_boxes.push_back(item);
    }
    tellBandsTheirBoxes();
    addItem(m_movedLayer = new MovedOpsLayer);
    m_picture->viewed ? writeViewed() : showPlan();
    setSceneRect(itemsBoundingRect());  // exactly: by itself it would only grow
}

void GraphScene::tellBandsTheirBoxes()
{
    std::vector<std::vector<QRectF>> boxes(m_bands.size());
    for (const BoxItem* item : m_boxes)
        boxes[static_cast<std::size_t>(m_picture->dag.boxes[static_cast<std::size_t>(item->index())].key.band)].push_back(
            item->rect().translated(item->pos()));
    for (std::size_t i = 0; i < m_bands.size(); ++i)
        if (m_bands[i] != nullptr)
            m_bands[i]->setBoxes(std::move(boxes[i]));
}

void GraphScene::addFrames()
{
    for (std::size_t i = 0; i < m_picture->dag.frames.size(); ++i)
        if (const LayoutRect& area = m_picture->layout.groups[i]; !area.isEmpty()) {
            auto* frame = new FrameItem(frameTitle(*m_picture, m_picture->dag.frames[i]), static_cast<int>(i), toRect(area), m_style);
            addItem(frame);
            addItem(new FrameTitleItem(*frame, m_style));
        }
}

void GraphScene::addArrow(std::size_t arrow)
{
    const DagArrow& drawn = m_picture->dag.arrows[arrow];
    const std::vector<LayoutPoint>& path = m_picture->layout.paths[arrow];
    if (path.size() >= 4) {
        m_arrows[arrow] = new ArrowItem(path, m_style);
        addItem(m_arrows[arrow]);
        return;
    }
    const QString name = toText(m_picture->model->program()[drawn.values.front()].name);
    const auto end = [&](int box, double side) {
        const auto i = static_cast<std::size_t>(box);
        return QPointF(m_picture->layout.centres[i].x + m_picture->sizes[i].width() * 0.3,
                       m_picture->layout.centres[i].y + side * m_picture->sizes[i].height() / 2);
    };
    addItem(new StubItem(end(drawn.from, 1), true, name, m_style));
    addItem(new StubItem(end(drawn.to, -1), false, name, m_style));
}

namespace {

int moreIn(const std::map<int, int>& ops, int function)
{
    const auto found = ops.find(function);
    return found == ops.end() ? 0 : found->second;
}

}  // namespace

BandItem::Texts GraphScene::bandText(std::size_t index, const DagStrip& strip, const QString& device) const
{
    const DagBand& band = m_picture->dag.bands[index];
    BandItem::Texts texts;
    texts.stripTitle = index == 0 ? tr("Inputs") : index + 1 == m_picture->dag.bands.size() ? tr("Outputs") : QString();
    texts.title = bandTitle(band);
    if (band.function < 0)
        texts.lines.append(tr("once, on the whole graph"));
    else if (band.firstFunction < band.function)
        texts.lines.append(
            tr("message degrees %1 to %2").arg(m_picture->dag.bands[static_cast<std::size_t>(band.firstFunction) + 1].level).arg(band.level));
    else
        texts.lines.append(band.isGlobal ? tr("over all nodes at once") : tr("message degree %1").arg(band.level));
    texts.nodes = toText(band.nodeType);
    if (!band.nodeType.empty())
        texts.lines.append(tr("nodes: %1").arg(texts.nodes));
    texts.lines.append(tr("%n op(s)", nullptr, band.ops + (band.isGlobal ? 0 : moreIn(m_moreOps, band.place))));
    if (!device.isEmpty())
        texts.lines.append(tr("on %1", "a device").arg(device));
    if (strip.isJoined) {
        texts.stripTitle = tr("No cut %1").arg(band.place + 1);
        texts.stripLines.append(tr("run together"));
    }
    if (band.function < 0 || (strip.crossing.empty() && (strip.isJoined || band.place < 0 || index + 2 >= m_picture->dag.bands.size())))
        return texts;
    if (texts.stripTitle.isEmpty())
        texts.stripTitle = band.place < 0 ? tr("For all nodes") : tr("Cut %1").arg(band.place + 1);
    texts.stripLines.append(tr("%n save point(s)", nullptr, static_cast<int>(strip.crossing.size())));
    // There is room for one line.
    if (strip.typedRowBytes.size() > 1)
        texts.stripLines.append(tr("of %1 node types").arg(strip.typedRowBytes.size()));
    else if (!strip.typedRowBytes.empty())
        texts.stripLines.append(tr("%1 × %2").arg(bytesText(strip.typedRowBytes.begin()->second), toText(strip.typedRowBytes.begin()->first)));
    if (strip.nodeRowBytes > 0) {
        const QString perNode = tr("%1 × V").arg(bytesText(strip.nodeRowBytes));
        const auto& graph = m_document.graph();
        texts.stripLines.append(graph ? tr("%1 = %2").arg(perNode, bytesText(strip.nodeRowBytes * static_cast<double>(graph->numNodes))) : perNode);
    }
    return texts;
}

// What the plan runs elsewhere than in its band says so, and tensors that it does not save fade.
void GraphScene::showPlan()
{
    if (!isCurrent())
        return;
    const PlanEditor& editor = m_document.planEditor();
    const PlanMarks marks = planMarks(m_picture->dag, editor, editor.shown());
    for (MovedOpsItem* item : std::exchange(m_moved, {})) {
        removeItem(item);  // by itself it would be searched for among all
        delete item;
    }
    m_moved = movedOpsItems(*m_picture, marks, m_style);
    if (editor.other())
        for (MovedOpsItem* item : movedOpsItems(*m_picture, planMarks(m_picture->dag, editor, editor.other()->plan), m_style)) {
            item->setOther();
            m_moved.push_back(item);
        }
    for (MovedOpsItem* item : m_moved)
        item->setParentItem(m_movedLayer);
    for (std::size_t i = 0; i < m_boxes.size(); ++i) {
        m_boxes[i]->setPlace(marks.places[i]);
        m_boxes[i]->setSaves(marks.saves[i]);
        m_boxes[i]->setFaded(marks.unsaved[i]);
    }
    writeBands(marks);
    for (std::size_t i = 0; i < m_bands.size(); ++i) {
        const int place = m_picture->dag.bands[i].place;
        const bool isJoined = editor.shown().joined.contains(place),
                   differs = editor.other() && editor.other()->plan.joined.contains(place) != isJoined;
        if (m_bands[i] != nullptr)
            m_bands[i]->setOtherCut(differs ? std::optional(isJoined) : std::nullopt);
    }
    markBands();
    update();  // once a view was scrolled, Qt takes items that go for where they were painted first
}

// Those whose strip or number of ops has changed, or all where a graph came or went.
void GraphScene::writeBands(const PlanMarks& marks)
{
    const DataGraph* graph = m_document.graph().get();
    const std::map<int, int> moreBefore = std::exchange(m_moreOps, marks.ops);
    const bool all = m_strips.size() != marks.strips.size() || std::exchange(m_graphOfTexts, graph) != graph || m_unitsOfTexts != byteUnits();
    m_unitsOfTexts = byteUnits();
    for (std::size_t i = 0; i < m_bands.size(); ++i)
        if (m_bands[i] != nullptr) {
            if (all || m_devices[i] != marks.devices[i] || m_strips[i].crossing != marks.strips[i].crossing ||
                m_strips[i].isJoined != marks.strips[i].isJoined ||
                moreIn(moreBefore, m_picture->dag.bands[i].place) != moreIn(m_moreOps, m_picture->dag.bands[i].place))
                m_bands[i]->setTexts(bandText(i, marks.strips[i], marks.devices[i]));
            m_bands[i]->setJoined(marks.strips[i].isJoined);
        }
    alignTitles();
    m_strips = marks.strips;
    m_devices = marks.devices;
}

void GraphScene::writeViewed()
{
    for (std::size_t i = 0; i < m_bands.size(); ++i)
        if (m_bands[i] != nullptr)
            m_bands[i]->setTexts(m_picture->viewed->bandTexts(m_picture->dag.bands[i]));
    alignTitles();
}

double GraphScene::titleWidth() const
{
    double width = 0;
    for (const BandItem* band : m_bands)
        if (band != nullptr)
            width = std::max(width, band->textWidth());
    return width;
}

double GraphScene::titleRoom() const
{
    constexpr double around = 24;
    return titleWidth() + around;
}

void GraphScene::alignTitles()
{
    const double width = titleWidth();
    for (BandItem* band : m_bands)
        if (band != nullptr)
            band->setTitleWidth(width);
}

void GraphScene::markBox(int box)
{
    m_marked = box;
    for (BoxItem* item : m_boxes)
        item->setMarked(item->index() == box);
    for (std::size_t i = 0; i < m_arrows.size(); ++i)
        if (m_arrows[i] != nullptr)
            m_arrows[i]->setMarked(box >= 0 && (m_picture->dag.arrows[i].from == box || m_picture->dag.arrows[i].to == box));
    if (m_structure != nullptr)
        m_structure->setMarked(box);
}

void GraphScene::markCut(std::optional<int> cut)
{
    m_cut = cut;
    markBands();
}

void GraphScene::lightFunctions(int degree)
{
    m_lit = degree;
    markBands();
}

void GraphScene::markBands()
{
    for (std::size_t i = 0; i < m_bands.size(); ++i)
        if (m_bands[i] != nullptr) {
            m_bands[i]->setLit(isLit(m_picture->dag.bands[i]) || isRunning(m_picture->dag.bands[i]));
            m_bands[i]->setCutMarked(m_cut && m_picture->dag.bands[i].place == *m_cut);
        }
}

bool GraphScene::isLit(const DagBand& band) const
{
    return m_lit > 0 && band.place >= 0 && m_lit <= band.level &&
           m_lit >= m_picture->dag.bands[static_cast<std::size_t>(band.firstFunction) + 1].level;
}

void GraphScene::lightRunning(const QString& function)
{
    if (std::exchange(m_running, function) != function)
        markBands();
}

// Functions that run together, and repeats that are folded, stand for several: "functions 2 to 4".
bool GraphScene::isRunning(const DagBand& band) const
{
    if (m_running.isEmpty() || !isCurrent())
        return false;
    if (toText(band.name) == m_running)
        return true;
    static const QRegularExpression numbers(QStringLiteral("^functions? (\\d+)(?: to (\\d+))?$"));
    const QRegularExpressionMatch match = numbers.match(m_running);
    if (!match.hasMatch() || band.place < 0)
        return false;
    const int first = match.captured(1).toInt(), last = match.hasCaptured(2) ? match.captured(2).toInt() : first;
    return first <= band.place && last >= m_picture->dag.bands[static_cast<std::size_t>(band.firstFunction) + 1].place;
}

QRectF GraphScene::boxRect(int box) const { return m_boxes[static_cast<std::size_t>(box)]->sceneBoundingRect(); }

void GraphScene::paintTitles(QPainter* painter, const QRectF& area, double left) const
{
    for (const BandItem* band : m_bands)
        if (band != nullptr && band->boundingRect().top() <= area.bottom() && band->boundingRect().bottom() >= area.top())
            band->paintTitles(painter, left);
}

namespace {

QString titleWithNodes(const BandItem::Texts& texts)
{
    return texts.nodes.isEmpty() ? texts.title : QStringLiteral("%1 · %2").arg(texts.title, texts.nodes);
}

}  // namespace

// As large as the window's own texts, beside the bands where there is room: of functions first, then of cuts, as many as fit under each other.
void GraphScene::paintSmallTitles(QPainter* painter, const QTransform& toView, const QRectF& view) const
{
    constexpr double apart = 6, edge = 4;
    const QFontMetricsF metrics(painter->font());
    std::vector<QRectF> taken;
    const auto paint = [&](const QString& title, const QRectF& of, double y, const QColor& color) {
        const double width = metrics.horizontalAdvance(title), beside = of.left() - width - 2 * edge;
        const QRectF plate(std::max(beside, view.left() + edge), y, width + 2 * edge, metrics.height());
        if (title.isEmpty() || !view.contains(plate) || std::ranges::any_of(taken, [&](const QRectF& other) { return other.intersects(plate); }))
            return;
        taken.push_back(plate.adjusted(0, 0, 0, apart));
        if (beside < view.left() + edge) {
            painter->setPen(QPen(m_style.colors.bandLine, 0.8));
            painter->setBrush(m_style.colors.band);
            painter->drawRoundedRect(plate, 4, 4);
        }
        painter->setPen(color);
        painter->drawText(plate, Qt::AlignCenter | Qt::TextSingleLine, title);
    };
    for (const BandItem* band : m_bands)
        if (band != nullptr)
            if (const QRectF on = toView.mapRect(band->bandRect()); on.intersects(view))
                paint(titleWithNodes(band->texts()), on, std::max(on.top(), view.top() + edge), m_style.colors.text);
    for (const BandItem* band : m_bands)
        if (band != nullptr)
            if (const QRectF on = toView.mapRect(band->stripRect()); on.intersects(view))
                paint(band->texts().stripTitle, on, on.center().y() - metrics.height() / 2,
                      band->hasCut() ? m_style.colors.cut : m_style.colors.text);
}

void GraphScene::paintSmallNames(QPainter* painter, const QTransform& toView, const QRectF& area) const
{
    const QRectF seen = toView.inverted().mapRect(area);
    for (const BoxItem* box : m_boxes)
        if (box->rect().translated(box->pos()).intersects(seen))
            box->paintSmallName(painter, toView);
}

double GraphScene::nodesRoom() const
{
    constexpr double smallPicture = 0.3;  // where boxes are still read
    double room = 0;
    for (const BandItem* band : m_bands)
        if (band != nullptr && !band->texts().nodes.isEmpty())
            room = std::max(room, QFontMetricsF(m_style.metrics.title).horizontalAdvance(titleWithNodes(band->texts())) / smallPicture - titleRoom());
    return room;
}

// At the left of a wide picture there may be titles alone. It stays there unless elsewhere there are boxes of twice as many bands; these come into
// the middle, beside the titles.
double GraphScene::fullestLeft(const QRectF& view) const
{
    const double titles = titleRoom(), width = view.width() - titles;
    std::vector<std::pair<QRectF, int>> boxes;
    for (const BoxItem* item : m_boxes)
        if (const QRectF rect = item->sceneBoundingRect(); rect.top() < view.bottom() && rect.bottom() > view.top())
            boxes.emplace_back(rect, m_picture->dag.boxes[static_cast<std::size_t>(item->index())].key.band);
    std::set<int> bands;
    QRectF around;
    const auto look = [&](double left) {
        bands.clear();
        around = {};
        for (const auto& [rect, band] : boxes)
            if (rect.left() >= left && rect.right() <= left + width) {
                bands.insert(band);
                around |= rect;
            }
        return bands.size();
    };
    std::size_t most = 2 * look(view.left() + titles);
    double best = view.left();
    for (const auto& [rect, band] : boxes)
        if (const double left = rect.left(); look(left) > most) {
            most = bands.size();
            best = around.center().x() - width / 2 - titles;
        }
    return best;
}

QRectF GraphScene::nearestBox(const QRectF& area, double x) const
{
    QRectF nearest;
    for (int box = 0; box < static_cast<int>(m_boxes.size()); ++box)
        if (const QRectF rect = boxRect(box);
            rect.intersects(area) && (nearest.isEmpty() || std::abs(rect.center().x() - x) < std::abs(nearest.center().x() - x)))
            nearest = rect;
    return nearest;
}

QRectF GraphScene::cutRect(int cut) const
{
    for (std::size_t i = 0; i < m_bands.size(); ++i)
        if (m_bands[i] != nullptr && m_picture->dag.bands[i].place == cut)
            return m_bands[i]->stripRect();
    return {};
}

QRectF GraphScene::litRect() const
{
    QRectF all;
    for (std::size_t i = 0; i < m_bands.size(); ++i)
        if (m_bands[i] != nullptr && (isLit(m_picture->dag.bands[i]) || isRunning(m_picture->dag.bands[i])))
            all |= m_bands[i]->boundingRect();
    return all;
}

BoxItem* GraphScene::boxAt(const QPointF& position) const
{
    for (QGraphicsItem* item : items(position))
        if (auto* box = dynamic_cast<BoxItem*>(item))
            return box;
    return nullptr;
}

FrameItem* GraphScene::frameAt(const QPointF& position) const
{
    for (QGraphicsItem* item : items(position))
        if (auto* frame = dynamic_cast<FrameItem*>(item); frame != nullptr && frame->headerRect().contains(position))
            return frame;
    return nullptr;
}

std::optional<int> GraphScene::cutAt(const QPointF& position) const
{
    if (!isCurrent())
        return {};
    for (const int cut : cutsOf(m_picture->dag, m_document.planEditor()))
        if (cutRect(cut).contains(position))
            return cut;
    return {};
}

// "linear_1, linear, [V, 16]", and which function it is in, or what the plan makes of it.
SpokenPart GraphScene::spokenBox(int index) const
{
    const DagBox& box = m_picture->dag.boxes[static_cast<std::size_t>(index)];
    QStringList name{m_style.metrics.heading(box)}, details;
    name.append(m_style.metrics.subtitle(box).split(QStringLiteral(" · "), Qt::SkipEmptyParts));
    if (box.key.kind == BoxKind::Tensor)
        details.append(box.isOutput ? tr("output") : box.writtenBy < 0 ? tr("input") : tr("save point"));
    if (box.key.band > 0)
        details.append(bandTitle(m_picture->dag.bands[static_cast<std::size_t>(box.key.band)]));
    const BoxItem& item = *m_boxes[static_cast<std::size_t>(index)];
    details.append(item.place());
    details.append(item.saves());
    if (item.isFaded())
        details.append(tr("not saved in this plan"));
    details.removeAll(QString());
    return {name.join(QStringLiteral(", ")), details.join(QStringLiteral(", "))};
}

SpokenPart GraphScene::spokenCut(int cut) const
{
    const PlanEditor& editor = m_document.planEditor();
    const auto& bands = m_picture->dag.bands;
    const auto band = std::ranges::find(bands, cut, &DagBand::place);
    if (!isCurrent() || band == bands.end() || m_bands[static_cast<std::size_t>(band - bands.begin())] == nullptr)
        return {tr("Cut %1").arg(cut + 1), {}};
    const BandItem::Texts& texts = m_bands[static_cast<std::size_t>(band - bands.begin())]->texts();
    return {m_strips[static_cast<std::size_t>(band - bands.begin())].isJoined ? texts.stripTitle : cutText(editor, cut, {}, editor.shown()),
            texts.stripLines.join(QStringLiteral(", "))};
}

std::vector<int> GraphScene::readingOrder() const
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

// What lies off to the side counts double.
int GraphScene::nextBox(int from, int key) const
{
    const bool vertical = key == Qt::Key_Up || key == Qt::Key_Down;
    const double sign = key == Qt::Key_Down || key == Qt::Key_Right ? 1 : -1;
    int best = -1;
    double bestDistance = 0;
    for (const BoxItem* item : m_boxes) {
        const QPointF d = item->pos() - m_boxes[static_cast<std::size_t>(from)]->pos();
        const double along = sign * (vertical ? d.y() : d.x());
        const double distance = along + 2 * std::abs(vertical ? d.x() : d.y());
        if (along > 1 && (best < 0 || distance < bestDistance)) {
            best = item->index();
            bestDistance = distance;
        }
    }
    return best;
}

}  // namespace cleave::views
