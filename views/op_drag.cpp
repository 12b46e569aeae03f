#include "views/op_drag.h"

#include <QCoreApplication>
#include <QGraphicsRectItem>
#include <QGraphicsView>
#include <QLabel>
#include <QPen>
#include <QScrollBar>
#include <algorithm>

#include "core/base/format.h"
#include "views/text.h"

namespace cleave::views {

namespace {

struct Texts {
    Q_DECLARE_TR_FUNCTIONS(cleave::views::OpDrag)
};

}  // namespace

OpDrag::OpDrag(QGraphicsView& view, const GraphPicture& picture, const GraphColors& colors, PlanEditor& editor, OpId op)
    : m_view(view), m_picture(picture), m_editor(editor), m_op(op), m_label(new QLabel(view.viewport()))
{
    QColor fill = colors.selection;
    fill.setAlphaF(0.14F);
    for (Position to{0}; to.function() < editor.space()->functions(); ++to.at) {
        const QRectF zone = zoneOf(picture, to);
        if (zone.isEmpty() || !editor.space()->moveOp(editor.plan(), op, to).plan)
            continue;
        auto* item = view.scene()->addRect(zone.adjusted(0, 2, 0, -2), QPen(colors.selection, 1.4, Qt::DashLine), fill);
        item->setZValue(1.5);  // above the frames of modules
        m_zones.append(item);
    }
    m_label->setMargin(6);
    m_label->setAutoFillBackground(true);
    m_label->setFrameShape(QFrame::Box);
    m_label->setWordWrap(true);
    m_label->setAttribute(Qt::WA_TransparentForMouseEvents);
    view.viewport()->setCursor(Qt::ClosedHandCursor);
}

OpDrag::~OpDrag()
{
    delete m_label;
    qDeleteAll(m_zones);
    m_view.viewport()->unsetCursor();
}

QString OpDrag::text() const { return m_label->isHidden() ? QString() : m_label->text(); }

void OpDrag::moveTo(const QPoint& position)
{
    constexpr int edge = 28, step = 18, offset = 16, widest = 340;
    const QSize size = m_view.viewport()->size();
    if (position.y() < edge || position.y() > size.height() - edge)
        m_view.verticalScrollBar()->setValue(m_view.verticalScrollBar()->value() + (position.y() < edge ? -step : step));
    if (const std::optional<Position> to = positionAt(m_picture, m_view.mapToScene(position)); to != m_to) {
        m_to = to;
        m_label->setVisible(to.has_value());
        m_label->setText(to ? outcome(*to) : QString());
        m_label->setFixedWidth(std::min(widest, size.width() - 2 * offset));
        m_label->adjustSize();
    }
    const bool above = position.y() + offset + m_label->height() > size.height();
    m_label->move(std::clamp(position.x() + offset, 0, std::max(0, size.width() - m_label->width())),
                  above ? position.y() - m_label->height() - offset / 2 : position.y() + offset);
}

void OpDrag::drop()
{
    if (m_to)
        m_editor.moveOp(m_op, *m_to);
}

// Before and after, or why not.
QString OpDrag::outcome(Position to) const
{
    const Move move = m_editor.space()->moveOp(m_editor.plan(), m_op, to);
    if (!move.plan)
        return Texts::tr("✗ %1").arg(toText(move.reason));
    QString text = QStringLiteral("%1 → %2").arg(toText(m_editor.space()->analysis().program[m_op].name), m_editor.positionText(to));
    if (!move.alongside.empty())
        text += Texts::tr(", with %n other op(s)", nullptr, static_cast<int>(move.alongside.size()));
    const std::optional<PlanCost>& before = m_editor.cost();
    const std::optional<PlanCost> after = m_editor.costOf(*move.plan);
    if (before && after)
        text += Texts::tr("\n%1 → %2\n%3 → %4 read and written")
                    .arg(toText(formatSeconds(before->seconds())), toText(formatSeconds(after->seconds())),
                         toText(formatBytes(before->readBytes() + before->writtenBytes())), toText(formatBytes(after->readBytes() + after->writtenBytes())));
    return text;
}

}  // namespace cleave::views
