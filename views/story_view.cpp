#include "views/story_view.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QSlider>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>

#include "views/accessible.h"
#include "views/text.h"
#include "views/theme.h"

namespace cleave::views {

namespace {

// The unit square, from edge to edge.
void fill(std::vector<QPointF>& places)
{
    const auto [left, right] = std::ranges::minmax(places, {}, &QPointF::x);
    const auto [top, bottom] = std::ranges::minmax(places, {}, &QPointF::y);
    for (QPointF& place : places)
        place = {(place.x() - left.x()) / (right.x() - left.x()), (place.y() - top.y()) / (bottom.y() - top.y())};
}

// Until no two circles lie on each other.
void pushApart(std::vector<QPointF>& places)
{
    constexpr double apart = 0.125;
    bool moved = true;
    for (int round = 0; round < 200 && moved; ++round) {
        moved = false;
        for (std::size_t i = 0; i < places.size(); ++i)
            for (std::size_t j = 0; j < i; ++j) {
                const QPointF d = places[i] - places[j];
                if (QPointF::dotProduct(d, d) >= apart * apart)
                    continue;
                const double length = std::max(1e-6, std::hypot(d.x(), d.y()));
                places[i] += d / length * (apart - length) / 2;
                places[j] -= d / length * (apart - length) / 2;
                moved = true;
            }
    }
}

// Until lines do not run through circles that they do not join.
void pushOffLines(std::vector<QPointF>& places, const EdgeList& edges)
{
    constexpr double apart = 0.055;
    for (std::size_t e = 0; e < edges.sources.size(); ++e)
        for (std::size_t i = 0; i < places.size(); ++i) {
            const auto from = static_cast<std::size_t>(edges.sources[e]), to = static_cast<std::size_t>(edges.targets[e]);
            const QPointF line = places[to] - places[from], way = places[i] - places[from];
            const double length = std::hypot(line.x(), line.y()), along = QPointF::dotProduct(way, line) / std::max(1e-9, length * length);
            if (i == from || i == to || along <= 0 || along >= 1)
                continue;
            const QPointF off = way - along * line;
            const double distance = std::hypot(off.x(), off.y());
            if (distance < apart)
                places[i] += (distance > 1e-6 ? off / distance : QPointF(-line.y(), line.x()) / length) * (apart - distance) / 2;
        }
}

// Fruchterman and Reingold's springs, begun on a circle: the same picture each time. In the unit square.
std::vector<QPointF> springLayout(const EdgeList& edges)
{
    constexpr int rounds = 400;
    const auto count = static_cast<std::size_t>(edges.numNodes);
    std::vector<QPointF> places(count);
    for (std::size_t i = 0; i < count; ++i) {
        const double angle = 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(count);
        places[i] = {0.5 + 0.4 * std::cos(angle), 0.5 + 0.4 * std::sin(angle)};
    }
    const double spring = std::sqrt(0.6 / static_cast<double>(count));
    for (int round = 0; round < rounds; ++round) {
        const double warmth = 0.06 * (1 - static_cast<double>(round) / rounds);
        std::vector<QPointF> pull(count);
        for (std::size_t i = 0; i < count; ++i)
            for (std::size_t j = 0; j < count; ++j)
                if (i != j) {
                    const QPointF d = places[i] - places[j];
                    const double length = std::max(1e-3, std::hypot(d.x(), d.y()));
                    pull[i] += d / length * (spring * spring / length);
                }
        for (std::size_t e = 0; e < edges.sources.size(); ++e) {
            const auto from = static_cast<std::size_t>(edges.sources[e]), to = static_cast<std::size_t>(edges.targets[e]);
            const QPointF d = places[to] - places[from];
            pull[from] += d * (std::hypot(d.x(), d.y()) / spring);
        }
        for (std::size_t i = 0; i < count; ++i) {
            const double length = std::max(1e-9, std::hypot(pull[i].x(), pull[i].y()));
            places[i] += pull[i] / length * std::min(length, warmth);
        }
    }
    fill(places);
    for (int round = 0; round < 40; ++round) {
        pushOffLines(places, edges);
        pushApart(places);
    }
    fill(places);
    return places;
}

bool contains(const std::vector<std::int64_t>& nodes, std::int64_t node) { return std::ranges::binary_search(nodes, node); }

}  // namespace

StoryCanvas::StoryCanvas(QWidget* parent) : QWidget(parent)
{
    setMinimumSize(260, 280);
    setAccessibleRole(*this, QAccessible::Graphic);
    setAccessibleName(tr("Data graph of the story"));
}

void StoryCanvas::setStep(const Story* story, const StoryStep* step)
{
    if (story != nullptr && story != m_story)
        m_places = springLayout(story->edges());
    m_story = story;
    m_step = step;
    update();
}

// At the right the stores stand.
QRectF StoryCanvas::graphArea() const
{
    const double radius = fontMetrics().height() * 0.85;
    const double stores = m_step != nullptr && !m_step->stores.empty() ? 5.0 * fontMetrics().height() : 0;
    return QRectF(rect()).adjusted(radius + 4, radius + 4, -radius - 4 - stores, -2 * radius - fontMetrics().height());
}

QPointF StoryCanvas::place(std::int64_t node) const
{
    const QRectF area = graphArea();
    const QPointF unit = m_places[static_cast<std::size_t>(node)];
    return {area.left() + unit.x() * area.width(), area.top() + unit.y() * area.height()};
}

int StoryCanvas::hopOf(std::int64_t node) const
{
    if (contains(m_step->computed, node))
        return 0;
    for (std::size_t hop = 0; hop < m_step->hops.size(); ++hop)
        if (contains(m_step->hops[hop], node))
            return static_cast<int>(hop) + 1;
    return contains(m_step->read, node) ? 1 : -1;
}

int StoryCanvas::levels() const { return std::max(m_step->layer, m_story->layers()); }

QColor StoryCanvas::levelColor(int level) const { return GraphColors(palette()).level(level, levels()); }

void StoryCanvas::paintEvent(QPaintEvent*)
{
    if (m_story == nullptr || m_step == nullptr)
        return;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    if (m_step->kind == StoryKind::Compare) {
        paintCounts(painter);
        return;
    }
    paintGraph(painter);
    paintStores(painter);
}

void StoryCanvas::paintGraph(QPainter& painter) const
{
    const GraphColors colors(palette());
    const EdgeList edges = m_story->edges();
    const bool isPlain = m_step->computed.empty();
    for (std::size_t e = 0; e < edges.sources.size(); ++e) {
        const int from = isPlain ? -1 : hopOf(edges.sources[e]), to = isPlain ? -1 : hopOf(edges.targets[e]);
        const bool isLit = to >= 0 && from >= 0 && (m_step->hops.empty() ? to == 0 : to < static_cast<int>(m_step->hops.size()));
        if (!isLit && edges.sources[e] > edges.targets[e])
            continue;  // once for both directions
        painter.setPen(isLit ? QPen(colors.selection, 2) : QPen(colors.arrow, isPlain ? 1 : 0.4));
        painter.drawLine(place(edges.sources[e]), place(edges.targets[e]));
    }
    const double radius = fontMetrics().height() * 0.85;
    for (std::int64_t node = 0; node < edges.numNodes; ++node) {
        const int hop = isPlain ? 0 : hopOf(node);
        const bool isComputed = !isPlain && (hop == 0 || (hop > 0 && hop < static_cast<int>(m_step->hops.size())));
        QColor fill = colors.background;
        const int level = m_step->layer - std::max(0, hop);  // of the row that is computed, or read
        if (isComputed)
            fill = levelColor(level);
        else if (hop > 0)
            fill = colors.levelTint(level, levels());
        painter.setBrush(fill);
        painter.setPen(isComputed ? QPen(colors.text, 3) : hop > 0 ? QPen(colors.nodeRows, 2) : QPen(isPlain ? colors.arrow : colors.bandLine, 1.2));
        painter.drawEllipse(place(node), radius, radius);
        painter.setPen(isComputed ? GraphColors::textOn(fill) : hop >= 0 ? colors.text : colors.muted);
        painter.drawText(QRectF(place(node) - QPointF(radius, radius), QSizeF(2 * radius, 2 * radius)), Qt::AlignCenter, QString::number(node + 1));
    }
    painter.setPen(colors.muted);
    const QRectF legend(8, height() - fontMetrics().height() - 4, width() - 16, fontMetrics().height() + 2);
    if (isPlain)
        return;
    double x = legend.left();
    const auto write = [&](const QString& text) {
        painter.setPen(colors.muted);
        painter.drawText(QPointF(x, legend.center().y() + fontMetrics().ascent() / 2.0 - 1), text);
        x += fontMetrics().horizontalAdvance(text) + fontMetrics().height() * 0.6;
    };
    const auto say = [&](const QString& text, const QColor& color, bool isComputed) {
        const double dot = fontMetrics().height() * 0.36;
        painter.setBrush(color);
        painter.setPen(isComputed ? QPen(colors.text, 2) : QPen(colors.nodeRows, 1.6));
        painter.drawEllipse(QPointF(x + dot, legend.center().y()), dot, dot);
        x += 3 * dot;
        write(text);
    };
    const int rings = std::max(1, static_cast<int>(m_step->hops.size()));
    write(tr("computed:"));
    for (int ring = 0; ring < rings; ++ring)
        say(rings > 2 ? QString::number(m_step->layer - ring) : tr("layer %1").arg(m_step->layer - ring), levelColor(m_step->layer - ring), true);
    say(tr("read"), colors.levelTint(m_step->layer - rings, levels()), false);
}

void StoryCanvas::paintStores(QPainter& painter) const
{
    const GraphColors colors(palette());
    const double line = fontMetrics().height(), width = 4.4 * line;
    double top = line;
    const double apart = 3 * line;  // what is in one, and the name of the next
    const double rows = (height() - 2 * line) / std::max<double>(1, static_cast<double>(m_step->stores.size())) - apart;
    for (std::size_t cut = 0; cut < m_step->stores.size(); ++cut) {
        const QRectF box(this->width() - width - 6, top, width, rows);
        const auto& store = m_step->stores[cut];
        painter.setPen(colors.text);
        const bool isLast = cut + 1 == m_step->stores.size();
        painter.drawText(QRectF(box.left(), top - line, width, line), Qt::AlignCenter, isLast ? tr("answers") : tr("store %1").arg(cut + 1));
        const double height = rows / static_cast<double>(store.size());
        for (std::size_t node = 0; node < store.size(); ++node)
            if (store[node] != 0)
                painter.fillRect(QRectF(box.left(), top + static_cast<double>(node) * height, width, std::max(1.0, height - 1)),
                                 levelColor(static_cast<int>(cut) + 1));
        painter.setPen(QPen(colors.cut, 1.6));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(box);
        painter.setPen(colors.muted);
        painter.drawText(QRectF(box.left(), box.bottom(), width, line), Qt::AlignCenter,
                         tr("%1 of %2").arg(std::ranges::count(store, 1)).arg(store.size()));
        top += rows + apart;
    }
}

// Two bars for each number of layers, with their rows.
void StoryCanvas::paintCounts(QPainter& painter) const
{
    const GraphColors colors(palette());
    const std::vector<Story::Count> counts = m_story->counts();
    const double line = fontMetrics().height() * 1.3, gap = (height() - 3 * line) / static_cast<double>(counts.size());
    const double left = 10 + fontMetrics().horizontalAdvance(tr("%1 layers").arg(6)) + 10;
    const double most = static_cast<double>(counts.back().nodeWise.computed);
    const double widest = width() - left - 10 - fontMetrics().horizontalAdvance(QStringLiteral("0000"));
    double y = 6;
    painter.setPen(colors.text);
    painter.drawText(QRectF(10, y, width() - 20, line), Qt::AlignLeft | Qt::AlignVCenter,
                     tr("Rows computed for everybody, in batches of %1").arg(Story::batchSize));
    y += line * 1.4;
    for (const Story::Count& count : counts) {
        const double bar = std::min(line * 0.85, gap / 2.6);
        const auto draw = [&](double at, std::int64_t rows, const QColor& color, bool hatched) {
            const QRectF area(left, at, static_cast<double>(rows) / most * widest, bar);
            painter.fillRect(area, color);
            if (hatched)
                painter.fillRect(area, QBrush(QColor(0, 0, 0, 110), Qt::BDiagPattern));
            painter.setPen(colors.text);
            painter.drawText(QRectF(area.right() + 6, at - 4, 80, bar + 8), Qt::AlignLeft | Qt::AlignVCenter, QString::number(rows));
        };
        QFont font = this->font();
        font.setBold(count.layers == m_story->layers());
        painter.setFont(font);
        painter.setPen(colors.text);
        painter.drawText(QRectF(10, y, left - 14, 2 * bar), Qt::AlignLeft | Qt::AlignVCenter,
                         count.layers == 1 ? tr("1 layer") : tr("%1 layers").arg(count.layers));
        draw(y, count.nodeWise.computed, QColor(0xe6, 0x9f, 0x00), true);
        draw(y + bar, count.layerWise.computed, QColor(0x56, 0xb4, 0xe9), false);
        y += gap;
    }
    painter.setFont(font());
    painter.setPen(colors.muted);
    painter.drawText(QRectF(10, height() - line, width() - 20, line), Qt::AlignLeft | Qt::AlignVCenter,
                     tr("hatched: node by node · plain: layer by layer"));
}

StoryView::StoryView(Document& document, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_canvas(new StoryCanvas(this)),
      m_title(new QLabel(this)),
      m_text(new QLabel(this)),
      m_counter(new QLabel(this)),
      m_slider(new QSlider(Qt::Horizontal, this)),
      m_back(new QPushButton(tr("Bac&k"), this)),
      m_next(new QPushButton(tr("&Next"), this)),
      m_exercise(new QPushButton(tr("&Set an exercise"), this)),
      m_reveal(new QPushButton(tr("Reveal the &costs"), this)),
      m_optimum(new QPushButton(tr("Show the opti&mum"), this))
{
    setAccessibleRole(*this, QAccessible::Grouping);
    setAccessibleName(tr("Story"));
    setFocusPolicy(Qt::StrongFocus);
    QFont title = font();
    title.setBold(true);
    title.setPointSizeF(title.pointSizeF() * 1.25);
    m_title->setFont(title);
    m_title->setWordWrap(true);
    for (QLabel* label : {m_title, m_text})
        label->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Minimum);
    m_text->setWordWrap(true);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_text->setAlignment(Qt::AlignTop);
    m_slider->setAccessibleName(tr("Step of the story"));
    m_exercise->setToolTip(tr("Every cut as far from the message passing as it goes, in small batches. One step of undo"));
    m_optimum->setToolTip(tr("Once the costs are revealed"));

    auto* buttons = new QHBoxLayout;
    buttons->addWidget(m_back);
    buttons->addWidget(m_slider, 1);
    buttons->addWidget(m_counter);
    buttons->addWidget(m_next);
    auto* answers = new QGridLayout;  // no wider than the other pages
    answers->addWidget(m_exercise, 0, 0);
    answers->addWidget(m_reveal, 0, 1);
    answers->addWidget(m_optimum, 1, 0);
    answers->setColumnStretch(2, 1);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(m_title);
    layout->addWidget(m_canvas, 1);
    layout->addWidget(m_text);
    layout->addStretch(0);
    layout->addLayout(answers);
    layout->addLayout(buttons);

    connect(m_back, &QPushButton::clicked, this, [this] { go(m_at == 0 ? 0 : m_at - 1); });
    connect(m_next, &QPushButton::clicked, this, [this] { go(m_at + 1); });
    connect(m_slider, &QSlider::valueChanged, this, [this](int value) { go(static_cast<std::size_t>(value)); });
    connect(m_exercise, &QPushButton::clicked, this, &StoryView::setExercise);
    connect(m_reveal, &QPushButton::clicked, this, [this] {
        m_isRevealed = true;
        showStep();
    });
    connect(m_optimum, &QPushButton::clicked, this, [this] {
        PlanEditor& editor = m_document.planEditor();
        if (editor.costs().plans().size() > 2) {
            if (!showsOptimum())
                m_yours = editor.plan();
            m_shownOptimum = editor.costs().plans()[2].planned.plan;
            m_shownAt = editor.history().index() + (editor.plan() == *m_shownOptimum ? 0 : 1);
            editor.take(*m_shownOptimum, tr("Take the optimum"));
            Q_EMIT cutWanted();
        }
    });
    connect(&m_document.planEditor(), &PlanEditor::shownChanged, this, &StoryView::showOutcome);
    connect(&m_document.planEditor(), &PlanEditor::costsChanged, this, &StoryView::showOutcome);
    connect(&m_document.planEditor().history(), &QUndoStack::indexChanged, this, &StoryView::showOutcome);
    connect(&m_document, &Document::changed, this, [this](Change change) {
        if (change == Change::Model)
            begin();
    });
    begin();
}

QString StoryView::text() const { return m_text->text(); }

namespace {

// Of the functions that pass messages the first one of each message degree: the layers.
std::vector<int> layersOf(const Model& model)
{
    std::map<int, int> functions;
    for (const CutFunction& function : model.cut->functions)
        if (function.isOfLevel() && !function.segments().empty())
            functions.emplace(model.analysis->degreeOf(function.level), function.level);
    std::vector<int> layers;
    for (const auto& [degree, function] : functions)
        layers.push_back(function);
    return layers;
}

}  // namespace

// With as many layers as the model has.
void StoryView::begin()
{
    const std::vector<int> layers = m_document.model() ? layersOf(*m_document.model()) : std::vector<int>{1, 2};
    auto story = std::make_unique<Story>(layers);
    if (m_story && m_story->functions() == story->functions()) {
        showOutcome();
        return;
    }
    m_canvas->setStep(nullptr, nullptr);
    m_story = std::move(story);
    m_at = 0;
    const QSignalBlocker quiet(m_slider);
    m_slider->setRange(0, static_cast<int>(m_story->steps().size()) - 1);
    reserveTexts();
    showStep();
}

void StoryView::go(std::size_t step)
{
    if (step >= m_story->steps().size() || step == m_at)
        return;
    m_at = step;
    m_isRevealed = false;
    showStep();
}

void StoryView::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() != QEvent::FontChange)
        return;
    QFont title = font();
    title.setBold(true);
    title.setPointSizeF(title.pointSizeF() * 1.25);
    m_title->setFont(title);
    reserveTexts();
}

void StoryView::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    reserveTexts();
}

// As much room as the longest needs, so that the picture stays where it is from step to step; but no more than there is.
void StoryView::reserveTexts()
{
    if (!isVisible())
        return;
    const QMargins margins = layout()->contentsMargins();
    const QRect line(0, 0, std::max(100, width() - margins.left() - margins.right()), 1 << 16);
    const auto heightOf = [&](const QLabel& label, const QString& text) {
        return QFontMetrics(label.font()).boundingRect(line, Qt::TextWordWrap, text).height();
    };
    int title = 0, text = 0;
    for (const StoryStep& told : m_story->steps())
        if (told.kind != StoryKind::Predict) {
            title = std::max(title, heightOf(*m_title, told.title));
            text = std::max(text, heightOf(*m_text, told.text));
        }
    m_title->setMinimumHeight(std::min(title, height() / 8));
    m_text->setMinimumHeight(std::min(text, height() / 3));
}

void StoryView::showStep()
{
    const QSignalBlocker quiet(m_slider);
    m_slider->setValue(static_cast<int>(m_at));
    m_counter->setText(tr("%1 of %2").arg(m_at + 1).arg(m_story->steps().size()));
    m_title->setText(step().title);
    m_canvas->setStep(m_story.get(), &step());
    m_canvas->setAccessibleDescription(step().text);
    m_canvas->setVisible(step().kind != StoryKind::Predict);
    m_back->setEnabled(m_at > 0);
    m_next->setEnabled(m_at + 1 < m_story->steps().size());
    m_exercise->setVisible(step().kind == StoryKind::Predict);
    m_reveal->setVisible(step().kind == StoryKind::Predict);
    m_optimum->setVisible(step().kind == StoryKind::Predict);
    showOutcome();
    Q_EMIT functionShown(isVisible() ? step().function : 0);
    if (isVisible() && step().kind == StoryKind::Predict && !m_isRevealed) {
        m_planBefore = m_document.planEditor().plan();
        Q_EMIT cutWanted();
    }
}

bool StoryView::showsOptimum() const
{
    PlanEditor& editor = m_document.planEditor();
    return m_shownOptimum == editor.plan() && m_shownAt == editor.history().index();
}

// At the last step: what the student's cut costs beside the best one, once it was asked for.
void StoryView::showOutcome()
{
    const PlanEditor& editor = m_document.planEditor();
    const bool hasCosts = editor.cost() && editor.costs().plans().size() > 2;
    const bool isPredicting = step().kind == StoryKind::Predict;
    QString text = step().text;
    if (isPredicting && !editor.costs().hasGraph())
        text += QStringLiteral("\n\n") + tr("Open a model and a graph first: costs are those of a real graph.");
    else if (isPredicting && hasCosts && m_isRevealed) {
        const std::optional<PlanCost> instead = m_yours && showsOptimum() ? editor.costs().costOf(*m_yours) : std::nullopt;
        const bool isShown = instead.has_value();
        const double yours = isShown ? instead->seconds() : editor.cost()->seconds(), first = editor.costs().plans()[0].planned.cost.seconds(),
                     best = editor.costs().plans()[2].planned.cost.seconds();
        text += QStringLiteral("\n\n") + (isShown ? tr("Yours took %1. Right before each message passing: %2. The best cut, which is shown now: %3.")
                                                  : tr("Yours: %1. Right before each message passing: %2. The best cut: %3."))
                                               .arg(secondsText(yours), secondsText(first), secondsText(best));
        if (!isShown && editor.plan() == m_planBefore)
            text += u' ' + tr("You have not moved anything: yours is the cut that was there.");
        if (std::max(first, yours) < best * 1.01)
            text += u' ' +
                    tr("On this graph, in batches of this size, all of them take about as long: smaller batches or a larger graph tell them apart.");
        if (yours <= best * 1.0001)
            text += u' ' + tr("You have found it.");
        else
            text += u' ' + tr("Yours against the best cut: %1.").arg(changeText(best, yours));
    }
    if (const QString told = m_title->text() + u'\n' + text; isVisible() && told != std::exchange(m_told, told))
        QTimer::singleShot(0, this, [this, told] { announce(*this, told); });  // once it is there
    m_text->setText(text);
    m_exercise->setEnabled(hasCosts);
    m_reveal->setEnabled(hasCosts && !m_isRevealed);
    m_optimum->setEnabled(hasCosts && m_isRevealed);
    m_document.planEditor().setShowsCosts(!(isVisible() && isPredicting && hasCosts && !m_isRevealed));
}

// The largest batches, up to so many nodes, in which a plan takes clearly longer than the cut right before each message passing.
std::optional<std::int64_t> StoryView::largestTelling(const Plan& plan, std::int64_t most) const
{
    constexpr double clearly = 1.1;
    const PlanEditor& editor = m_document.planEditor();
    const std::vector<PlanCosts::Point> points = editor.costs().curve(plan), usual = editor.costs().curve(editor.base());
    std::optional<std::int64_t> telling;
    for (std::size_t i = 0; i < std::min(points.size(), usual.size()); ++i)
        if (points[i].batchSize <= most && points[i].batchSize == usual[i].batchSize && points[i].seconds > clearly * usual[i].seconds)
            telling = points[i].batchSize;
    return telling;
}

// A plan that is not the best one already: with the cuts moved up, ops that could run once for each node run for every row of a block; where
// none can be moved up, they go down.
void StoryView::setExercise()
{
    PlanEditor& editor = m_document.planEditor();
    const PlanSpace& space = *editor.space();
    Plan plan = editor.base();
    int moves = 200;  // of deep models only some cuts
    for (const bool up : {true, false})
        for (int cut = 0; cut < space.functions() && (up || plan == editor.base()); ++cut)
            for (Move move; moves-- > 0 && (move = space.moveCut(plan, cut, up)).plan;)
                plan = *move.plan;
    // So many batches that it matters what is computed for every row of a block.
    Batches batches = editor.batches();
    const std::int64_t small = std::max<std::int64_t>(1, m_document.graph()->numNodes / 10);
    batches.size = batches.size == 0 ? small : std::min(batches.size, small);
    if (const std::optional<std::int64_t> telling = largestTelling(plan, batches.size))
        batches.size = *telling;
    editor.take(plan, tr("Set an exercise"), batches);
    m_planBefore = editor.plan();
    m_isRevealed = false;
    m_shownOptimum.reset();
    m_yours.reset();
    showOutcome();
    Q_EMIT cutWanted();
}

void StoryView::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    reserveTexts();
    showStep();
}

void StoryView::hideEvent(QHideEvent* event)
{
    QWidget::hideEvent(event);
    m_told.clear();
    m_document.planEditor().setShowsCosts(true);
    Q_EMIT functionShown(0);
}

void StoryView::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Right || event->key() == Qt::Key_PageDown || event->key() == Qt::Key_Space)
        go(m_at + 1);
    else if (event->key() == Qt::Key_Left || event->key() == Qt::Key_PageUp)
        go(m_at == 0 ? 0 : m_at - 1);
    else
        QWidget::keyPressEvent(event);
}

}  // namespace cleave::views
