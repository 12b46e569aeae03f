#include "views/plan_drag.h"

#include <QCoreApplication>
#include <QGraphicsRectItem>
#include <QGraphicsView>
#include <QPen>
#include <QScrollBar>
#include <algorithm>
#include <cmath>
#include <map>

#include "views/core_text.h"
#include "views/plan_label.h"

namespace cleave::views {

namespace {

struct PlanDragTexts {
    Q_DECLARE_TR_FUNCTIONS(cleave::views::PlanDrag)
};

constexpr double markDepth = 1.5;  // above the frames of modules, below arrows

}  // namespace

PlanDrag::PlanDrag(QGraphicsView& view, PlanEditor& editor, Qt::CursorShape cursor)
    : m_view(view), m_editor(editor), m_label(new PlanLabel(view.viewport()))
{
    editor.endPreview();
    view.viewport()->setCursor(cursor);
    constexpr int interval = 30;  // milliseconds
    m_scrolling.setInterval(interval);
    QObject::connect(&m_scrolling, &QTimer::timeout, &m_scrolling, [this] { scroll(); });
}

PlanDrag::~PlanDrag()
{
    delete m_label;
    qDeleteAll(m_marks);
    m_view.viewport()->update();  // once it was scrolled, Qt takes items that go for where they were painted first
    m_view.viewport()->unsetCursor();
}

QString PlanDrag::text() const { return m_label->isHidden() ? QString() : m_label->text(); }

void PlanDrag::moveTo(const QPoint& position)
{
    constexpr int edge = 28, least = 4, most = 24;
    m_pointer = position;
    const int above = position.y(), below = m_view.viewport()->height() - position.y();
    m_upperEdge = std::clamp(above, m_upperEdge, edge);
    m_lowerEdge = std::clamp(below, m_lowerEdge, edge);
    m_step = above < m_upperEdge   ? -std::clamp(m_upperEdge - above, least, most)
             : below < m_lowerEdge ? std::clamp(m_lowerEdge - below, least, most)
                                   : 0;
    if (m_step == 0)
        m_scrolling.stop();
    else if (!m_scrolling.isActive())
        m_scrolling.start();
    point();
}

// By the bar's position, as a hand would: the view is told that it was moved.
void PlanDrag::scroll()
{
    QScrollBar& bar = *m_view.verticalScrollBar();
    const int before = bar.value();
    bar.setSliderPosition(before + m_step);
    if (bar.value() == before)
        m_scrolling.stop();
    else
        point();
}

void PlanDrag::point()
{
    if (aim(m_view.mapToScene(m_pointer)))
        m_label->say(outcome());
    m_label->putBeside(m_pointer, m_view);
}

OpDrag::OpDrag(QGraphicsView& view, const GraphPicture& picture, const GraphColors& colors, PlanEditor& editor, std::vector<OpId> ops)
    : PlanDrag(view, editor, Qt::ClosedHandCursor), m_picture(picture), m_ops(std::move(ops)), m_before(editor.cost())
{
    constexpr int furthest = 40;  // positions away are marked: each is tried
    const PlanSpace& space = *editor.space();
    const auto placed = [&](OpId op) { return static_cast<std::size_t>(space.indexOf(op)); };
    const int now = editor.plan().positions[placed(m_ops.front())].at;
    int least = std::max(0, now - furthest), most = std::min(2 * space.functions() - 2, now + furthest);
    for (const OpId op : m_ops) {
        least = std::max(least, space.ops()[placed(op)].least.at);
        most = std::min(most, space.ops()[placed(op)].most.at);
    }
    QColor fill = colors.selection;
    fill.setAlphaF(0.14F);
    for (Position to{least}; to.at <= most; ++to.at) {
        const QRectF zone = zoneOf(picture, to);
        if (zone.isEmpty() || !space.moveOps(editor.plan(), m_ops, to).plan)
            continue;
        auto* item = view.scene()->addRect(zone.adjusted(0, 2, 0, -2), QPen(colors.selection, 1.4, Qt::DashLine), fill);
        item->setZValue(markDepth);
        m_marks.append(item);
    }
}

OpDrag::~OpDrag() { m_editor.endPreview(); }

bool OpDrag::aim(const QPointF& place)
{
    const std::optional<Position> to = positionAt(m_picture, place);
    if (std::exchange(m_to, to) == to)
        return false;
    m_move = to ? m_editor.space()->moveOps(m_editor.plan(), m_ops, *to) : Move{};
    if (m_move.plan && *m_move.plan != m_editor.plan())
        m_editor.preview(*m_move.plan);
    else
        m_editor.endPreview();
    return true;
}

void OpDrag::drop()
{
    if (m_to)
        m_editor.moveOps(m_ops, *m_to);
}

// Before and after, or why not.
QString OpDrag::outcome() const
{
    if (!m_to)
        return {};
    if (!m_move.plan)
        return PlanDragTexts::tr("✗ %1").arg(fromCore(m_move.reason));
    QString text = QStringLiteral("%1 → %2").arg(m_editor.opsText(m_ops), m_editor.positionText(*m_to));
    if (!m_move.alongside.empty())
        text += PlanDragTexts::tr(", with %n other op(s)", nullptr, static_cast<int>(m_move.alongside.size()));
    return text + costChangeText(m_editor, m_before, *m_move.plan);
}

CutDrag::CutDrag(QGraphicsView& view, const GraphPicture& picture, const GraphColors& colors, PlanEditor& editor, int cut)
    : PlanDrag(view, editor, Qt::SplitVCursor), m_cut(cut), m_before(editor.cost())
{
    findStops(picture, colors);
}

CutDrag::~CutDrag() { m_editor.endPreview(); }

std::vector<double> CutDrag::stops() const
{
    std::vector<double> places;
    for (const Stop& stop : m_stops)
        places.push_back(stop.y);
    return places;
}

// Down to where nothing runs behind the line, then up op by op: each stop lies above the boxes that have come behind it.
void CutDrag::findStops(const GraphPicture& picture, const GraphColors& colors)
{
    constexpr std::size_t most = 300;
    constexpr double above = 9, apart = 6;
    const PlanSpace& space = *m_editor.space();
    m_stops.push_back({m_editor.plan(), 0});
    for (const bool up : {false, true}) {
        while (m_stops.size() < most)
            if (Move move = space.moveCut(m_stops.back().plan, m_cut, up); move.plan)
                m_stops.push_back({*std::move(move.plan), 0});
            else {
                (up ? m_whyNotUp : m_whyNotDown) = fromCore(move.reason);
                break;
            }
        if (!up) {
            std::ranges::reverse(m_stops);
            m_start = m_at = m_stops.size() - 1;
        }
    }
    std::map<OpId, double> tops;
    for (std::size_t i = 0; i < picture.dag.boxes.size(); ++i) {
        const std::vector<OpId>& ops = picture.dag.boxes[i].ops;
        const double height = picture.sizes[i].height(), top = picture.layout.centres[i].y - height / 2 - above;
        for (std::size_t k = 0; k < ops.size(); ++k)  // those of a module one after the other
            tops[ops[k]] = top + (height + above) * static_cast<double>(k) / static_cast<double>(ops.size());
    }
    const QRectF band = zoneOf(picture, Position::post(m_cut));
    for (std::size_t i = 0; i < picture.dag.bands.size(); ++i)
        if (picture.dag.bands[i].place == m_cut)
            m_stops.front().y = (picture.layout.bands[i].bottom + picture.layout.bands[i].stripBottom) / 2;
    for (std::size_t k = 1; k < m_stops.size(); ++k) {
        m_stops[k].y = m_stops[k - 1].y - apart;
        for (std::size_t i = 0; i < space.ops().size(); ++i)
            if (m_stops[k].plan.positions[i] != m_stops[k - 1].plan.positions[i])
                if (const auto top = tops.find(space.ops()[i].op); top != tops.end())
                    m_stops[k].y = std::min(m_stops[k].y, top->second);
        auto* item = m_view.scene()->addLine(band.left(), m_stops[k].y, band.right(), m_stops[k].y, QPen(colors.selection, 1.4, Qt::DashLine));
        item->setZValue(markDepth);
        m_marks.append(item);
    }
}

// The stop that is nearest.
bool CutDrag::aim(const QPointF& place)
{
    const auto at = static_cast<std::size_t>(
        std::ranges::min_element(m_stops, {}, [&](const Stop& stop) { return std::abs(stop.y - place.y()); }) - m_stops.begin());
    constexpr double beyond = 30;
    const QString why = place.y() > m_stops.front().y + beyond ? m_whyNotDown : place.y() < m_stops.back().y - beyond ? m_whyNotUp : QString();
    const bool saysOther = std::exchange(m_why, why) != why;
    if (std::exchange(m_at, at) == at)
        return saysOther;
    if (at == m_start)
        m_editor.endPreview();
    else
        m_editor.preview(m_stops[at].plan);
    return true;
}

void CutDrag::drop() { m_editor.keepMovedCut(m_cut); }

QString CutDrag::outcome() const
{
    return cutText(m_editor, m_cut, m_before, m_stops[m_at].plan) + (m_why.isEmpty() ? QString() : QStringLiteral("\n✗ ") + m_why);
}

}  // namespace cleave::views
