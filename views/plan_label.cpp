#include "views/plan_label.h"

#include <QCoreApplication>
#include <QGraphicsView>
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "views/box_item.h"
#include "views/text.h"

namespace cleave::views {

namespace {

constexpr int offset = 16;

struct PlanLabelTexts {
    Q_DECLARE_TR_FUNCTIONS(cleave::views::PlanDrag)
};

}  // namespace

PlanLabel::PlanLabel(QWidget* viewport) : QLabel(viewport)
{
    setMargin(6);
    setAutoFillBackground(true);
    setFrameShape(QFrame::Box);
    setAttribute(Qt::WA_TransparentForMouseEvents);
    hide();
}

void PlanLabel::say(const QString& text)
{
    constexpr int widest = 340;
    setVisible(!text.isEmpty());
    setText(text);
    setWordWrap(false);
    const int width = std::min({sizeHint().width(), widest, parentWidget()->width() - 2 * offset});
    setWordWrap(true);
    resize(width, heightForWidth(width));
}

// Beside, below or above; aside as far as a side of the view if need be. It stays on its side until another one is much better.
void PlanLabel::putBeside(const QPoint& place, const QGraphicsView& view)
{
    constexpr double perPixel = 8, change = 1500;  // in covered pixels
    const QSize room = parentWidget()->size() - size();
    std::vector<QRect> boxes;
    for (const QGraphicsItem* item : view.items(parentWidget()->rect()))
        if (const auto* box = dynamic_cast<const BoxItem*>(item))
            boxes.push_back(view.mapFromScene(box->sceneBoundingRect()).boundingRect());
    const std::array<int, 4> lefts{place.x() + offset, place.x() - offset - width(), room.width(), 0};
    const auto under = std::ranges::find_if(boxes, [&](const QRect& box) { return box.contains(place); });
    const QRect pointed = under == boxes.end() ? QRect(place, QSize(1, 1)) : *under;
    const std::array<int, 5> tops{place.y() + offset, place.y() - offset / 2 - height(), place.y() - height() / 2, pointed.bottom() + offset / 2,
                                  pointed.top() - offset / 2 - height()};
    double least = 0;
    int best = -1;
    QRect chosen;
    for (int i = 0; i < static_cast<int>(lefts.size() * tops.size()); ++i) {
        const int x = lefts[static_cast<std::size_t>(i) / tops.size()], y = tops[static_cast<std::size_t>(i) % tops.size()];
        const QRect area({std::clamp(x, 0, std::max(0, room.width())), std::clamp(y, 0, std::max(0, room.height()))}, size());
        const int dx = std::max({0, area.left() - place.x(), place.x() - area.right()}),
                  dy = std::max({0, area.top() - place.y(), place.y() - area.bottom()});
        double cost = perPixel * std::hypot(dx, dy) + (i == m_side ? 0 : change);
        for (const QRect& box : boxes)
            cost += static_cast<double>((area & box).width()) * (area & box).height();
        if (area.contains(place))
            cost += static_cast<double>(width()) * height();
        if (best < 0 || cost < least) {
            best = i;
            least = cost;
            chosen = area;
        }
    }
    m_side = best;
    move(chosen.topLeft());
}

QString cutText(const PlanEditor& editor, int cut, const std::optional<PlanCost>& before, const Plan& after)
{
    QStringList saved;
    const Program& program = editor.space()->analysis().program;
    for (const ValueId tensor : editor.space()->savePoints(after, cut))
        if (!program.isInput(tensor))
            saved.append(toText(program[tensor].name));
    return PlanLabelTexts::tr("Cut %1 saves %2")
               .arg(cut + 1)
               .arg(saved.isEmpty() ? PlanLabelTexts::tr("nothing") : saved.join(QStringLiteral(", "))) +
           costChangeText(editor, before, after);
}

QString costChangeText(const PlanEditor& editor, const std::optional<PlanCost>& before, const Plan& after)
{
    const std::optional<PlanCost> then = editor.costs().costOf(after);
    if (!before || !then || !editor.showsCosts())
        return {};
    const double bytes = before->readBytes() + before->writtenBytes(), bytesThen = then->readBytes() + then->writtenBytes();
    const auto signedText = [](double difference, const QString& text) {
        return (difference < 0 ? QStringLiteral("−") : QStringLiteral("+")) + text;
    };
    const double more = then->seconds() - before->seconds(), moreBytes = bytesThen - bytes;
    return PlanLabelTexts::tr("\n%1 → %2 (%3)\n%4 → %5 (%6) read and written")
        .arg(secondsText(before->seconds()), secondsText(then->seconds()), signedText(more, secondsText(std::abs(more))), bytesText(bytes),
             bytesText(bytesThen), signedText(moreBytes, bytesText(std::abs(moreBytes))));
}

}  // namespace cleave::views
